"""Constants for lengths of time, in seconds."""

HOUR = 3_600.0
DAY = 24 * HOUR
WEEK = 7 * DAY
