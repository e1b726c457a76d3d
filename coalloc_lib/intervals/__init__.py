"""Answers with their intervals: means, differences, crossings, weeks drawn anew."""
