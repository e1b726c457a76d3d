"""Functions that parse instants and durations in the formats that Slurm prints."""

import re
from datetime import datetime, tzinfo

import numpy as np

from coalloc_lib.basics.checks import LARGEST_WHOLE, LAST_INSTANT, number_in, whole_in

#: The number of characters in a date and time such as 2024-10-27T02:30:00.
LENGTH_OF_TIME = len("YYYY-MM-DDThh:mm:ss")
# Matches the date and the hour at the beginning of a time such as 2024-10-27T02:30:00.
_HOUR = re.compile(r"\d{4}-\d\d-\d\dT\d\d", re.ASCII)
# The seconds since the full hour, by minutes and seconds. For example, ``:30:00`` stands for 1,800
# seconds.
_IN_HOUR = {f":{s // 60:02}:{s % 60:02}": float(s) for s in range(3600)}
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
# Matches a duration: an optional number of days, up to three numbers separated by colons, and an
# optional fraction of a second.
_LENGTH = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?(\.\d+)?", re.ASCII)
# Matches a date and time without seconds, or a duration with days and minutes but no seconds.
_WITHOUT_SECONDS = re.compile(
    r"[\d-]{8,10}[T ]\d\d:?\d\d(?:Z|[+-]\d\d:?\d\d)?|\d+-\d+:\d+", re.ASCII
)
_CLOCK = re.compile(r"\d+(?::\d+){0,2}(?:\.\d+)?", re.ASCII)


class Hours(dict[str, float]):
    """A cache of the Unix times at which the hours of a local clock begin.

    A key is a string such as ``"2024-10-27T02"``. The value is NaN for an hour in which the clock
    changes, because that hour is ambiguous.

    Parameters
    ----------
    zone : tzinfo
        The time zone of the clock.
    """

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def instant(self, word: str) -> float:
        """Return the Unix time of a local time such as ``2024-10-27T02:30:00``.

        The result is NaN for other formats, and for hours in which the clock changes.
        """
        if len(word) == LENGTH_OF_TIME:
            return self[word[:13]] + _IN_HOUR.get(word[13:], np.nan)
        if len(word) < 12 and word.isdecimal() and word.isascii() and word[0] != "0":
            return float(word)
        return np.nan

    def __missing__(self, hour: str) -> float:
        self[hour] = np.nan
        if _HOUR.fullmatch(hour):
            try:
                begin, begin_again = instants(f"{hour}:00:00", self._zone)
                last, last_again = instants(f"{hour}:59:59", self._zone)
            except (ValueError, OverflowError):
                return np.nan
            is_unchanged = last == last_again == begin + 3599
            if begin == begin_again and is_unchanged:
                self[hour] = begin
        return self[hour]


def instants(word: str, zone: tzinfo) -> tuple[float, float]:
    """Return the two Unix times that a date and time of day can mean.

    Usually the two are equal. The second one is later for a time that occurs twice when summer time
    ends, and earlier for a time that the clock skips when summer time begins.

    Parameters
    ----------
    word : str
        The time as a Unix time or in ISO 8601 format. NaN is returned for an empty string and
        for 0, which Slurm can print for an unknown time.
    zone : tzinfo
        The time zone of a time without a time zone.

    Raises
    ------
    ValueError
        If the string has another format, or if the time is before 1970 or after the year 9998.
    """
    if not word or word.isdecimal():
        seconds = whole_in(word or "0") or np.nan
        when = seconds, seconds
    else:
        moment = datetime.fromisoformat(word)
        moment = moment.replace(tzinfo=moment.tzinfo or zone)
        when = moment.timestamp(), moment.replace(fold=1).timestamp()
    if min(when) < 0 or max(when) >= LAST_INSTANT:
        raise ValueError
    return when


def length(word: str, unit: int = 1) -> float:
    """Convert a duration to seconds; an empty string becomes NaN.

    The formats are those of ``sbatch --time`` (https://slurm.schedmd.com/sbatch.html):
    minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes and
    days-hours:minutes:seconds. Formats with seconds can have a fraction of a second.

    Parameters
    ----------
    word : str
        The duration, without blanks.
    unit : int
        The unit of a single number, in seconds. It is 60 for time limits, which are in minutes.

    Raises
    ------
    ValueError
        The string has another format, or too many hours, minutes or seconds for a clock.
    """
    if not word:
        return np.nan
    seconds = number_in(word) * unit if _NUMBER.fullmatch(word) else _on_a_clock(word)
    if seconds > LARGEST_WHOLE:
        raise ValueError
    return seconds


def _on_a_clock(word: str) -> float:
    match = _LENGTH.fullmatch(word)
    if match is None:
        raise ValueError
    days, hours, minutes, seconds, fraction = match.groups()
    if days is None and seconds is None:
        hours, minutes, seconds = None, hours, minutes
    # Without hours, a duration can have any number of minutes: 90:00 means an hour and a half.
    most_minutes = LARGEST_WHOLE if hours is None else 59
    is_clock = int(minutes or 0) <= most_minutes and int(seconds or 0) <= 59
    if not is_clock or (days is not None and int(hours) > 23):
        raise ValueError
    if fraction and seconds is None:
        raise ValueError  # Slurm prints no fractions of hours or minutes.
    whole = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * 60.0
    return whole + int(seconds or 0) + float(fraction or 0)


def parts_of(word: str) -> int:
    """Count the numbers in a duration that are separated by colons; ``12:00`` has two.

    The result is 0 for strings that are not durations, or durations with days. It is needed because
    some formats are ambiguous: a single number can be in seconds or in minutes, and 12:00 means
    minutes and seconds in Slurm, but hours and minutes in other programs.
    """
    return word.count(":") + 1 if _CLOCK.fullmatch(word) else 0


def is_without_seconds(word: str) -> bool:
    """Return whether a date and time, or a duration with days, has minutes but no seconds.

    Examples are 2024-05-01T08:27 and 1-12:30.
    """
    return _WITHOUT_SECONDS.fullmatch(word) is not None
