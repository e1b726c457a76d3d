"""The header of a log: its start, its end, its time zone and its whole numbers.

The header of a log in the Standard Workload Format is a dict of str. Many logs have values that the
format does not define, such as dates instead of seconds. The functions in this module understand
many of these values, and return a note that tells the user how a value was read.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from coalloc_lib.basics.checks import LAST_INSTANT, InputError, shown
from coalloc_lib.basics.times import DAY

#: A dict from abbreviations that are not in the time zone database to time zones that use them.
#: Ambiguous abbreviations, such as IST and CST, are not included.
ABBREVIATIONS = {
    "Z": "UTC",
    "CEST": "Europe/Berlin",
    "MEZ": "Europe/Berlin",
    "MESZ": "Europe/Berlin",
    "EEST": "Europe/Athens",
    "WEST": "Europe/Lisbon",
    "MSK": "Europe/Moscow",
    "EDT": "America/New_York",
    "CDT": "America/Chicago",
    "MDT": "America/Denver",
    "PDT": "America/Los_Angeles",
    "PST": "America/Los_Angeles",
    "AKDT": "America/Anchorage",
    "AKST": "America/Anchorage",
    "BRT": "America/Sao_Paulo",
    "IDT": "Asia/Jerusalem",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
    "HKT": "Asia/Hong_Kong",
    "SGT": "Asia/Singapore",
    "SAST": "Africa/Johannesburg",
    "AEST": "Australia/Sydney",
    "AEDT": "Australia/Sydney",
    "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: Words in the header of a log that mean that a value is unknown, in lower case.
_UNKNOWN = {"", "-1", "unknown", "none", "n/a", "na", "?"}
# Matches a whole number of seconds in the header of a log, such as "5", "5." or "5 sec".
_NUMBER = re.compile(r"(\d+)\.?(?:\s*(?:s|sec|seconds))?", re.ASCII)
# Matches a remark that follows a value in the header of a log, in brackets or after '#'.
_REMARK = re.compile(r"\s*(?:\([^()]*\)\s*)*(?:#.*)?$")
# Matches a number in the header of a log, with or without thousands separators, such as 1,000.
_DIGITS = re.compile(r"(\d(?:[\d_.,']*\d)?)\.?")
# The formats of dates without separators, such as 20230501, by the number of digits.
_DIGITS_OF_DATES = {4: "%Y", 8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M"}
_YEARS_OF_LOGS = range(1970, 2101)
_OFFSET = r"[+-]\d\d:?\d\d"
_CLOCK = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?"
# Matches dates in ISO 8601 format, such as 2023-05-01 or 2023-05-01T00:00:00+02:00.
_ISO = re.compile(rf"(\d{{4}})-(\d\d)-(\d\d)(?:[T ]{_CLOCK})?\s*({_OFFSET}|[A-Za-z]+)?", re.ASCII)
# Matches dates in the format of the Unix command `date`, such as Mon May 1 00:00:00 CEST 2023. The
# Standard Workload Format prescribes this format for StartTime and EndTime.
_UNIX_DATE = re.compile(
    rf"(?:[A-Za-z]+,?\s+)?([A-Za-z]{{3,9}})\s+(\d{{1,2}})\s+{_CLOCK}\s+(?:({_OFFSET}|[A-Za-z]+)\s+)?"
    r"(\d{4})",
    re.ASCII,
)
#: The keys in the header of a log that can have a date as their value.
DATES = ("UnixStartTime", "StartTime", "EndTime")
#: The earliest plausible start of a log from a real machine, in Unix time (in the year 1973). A log
#: with an earlier start is assumed to come from a random model.
EARLIEST = 100_000_000
_MEND = "give the seconds since 1970-01-01 00:00 UTC, in digits"


class Zone(NamedTuple):
    """The time zone of the dates in a log: its UTC offsets, its name, and a note if it is doubtful.

    If the zone is neither a name in the time zone database nor an offset from UTC, the note `doubt`
    says how it was read. Otherwise `doubt` is an empty string. An unknown zone is read as UTC.
    """

    info: tzinfo
    name: str
    doubt: str = ""


class Start(NamedTuple):
    """The start of a log as a Unix time in seconds, and a note if the header is ambiguous.

    The note `doubt` says how the header was read if it can be read in several ways.
    """

    seconds: int
    doubt: str = ""


def zone_of(header: Mapping[str, str]) -> Zone:
    """Return the time zone in the header of a log, or UTC if the header names no known time zone.

    If the header has both ``TimeZoneString`` and ``TimeZone``, the former is used.
    """
    return (
        _zone_in("TimeZoneString", header)
        or _zone_in("TimeZone", header)
        or Zone(ZoneInfo("UTC"), "UTC, because the log names none")
    )


def _zone_in(key: str, header: Mapping[str, str]) -> Zone | None:
    word = _first_word(header.get(key, ""))
    if word.casefold() in _UNKNOWN:
        return None
    if key == "TimeZone" and re.fullmatch(r"[+-]?\d{1,5}", word, re.ASCII) and abs(int(word)) < DAY:
        zone = timezone(timedelta(seconds=int(word)))
        return Zone(zone, f"{zone}", f"{key} is {word}; it is read as {zone} all year")
    found = _zone_called(word)
    if found is None:
        doubt = f"{key} is {shown(word)}, which is not a known time zone; it is read as UTC"
        return Zone(ZoneInfo("UTC"), f"UTC, because {word} is not known", doubt)
    info, name = found
    is_abbreviation = word.upper() in ABBREVIATIONS
    return Zone(info, name, f"{key} is {word}; it is read as {name}" if is_abbreviation else "")


def _first_word(value: str) -> str:
    return re.split(r"[\s#(]", value.strip(), maxsplit=1)[0]


def _zone_called(word: str) -> tuple[tzinfo, str] | None:
    if re.fullmatch(_OFFSET, word, re.ASCII):
        try:
            offset = datetime.fromisoformat(f"2000-01-01T00:00:00{word}").tzinfo
        except ValueError:  # the offset is a day or more, such as +99:00
            return None
        return (offset, word) if offset else None
    name = _zone_names().get(word.casefold()) or ABBREVIATIONS.get(word.upper())
    return (ZoneInfo(name), name) if name else None


@cache
def _zone_names() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def start_of(header: Mapping[str, str], where: Callable[[str], str]) -> Start | None:
    """Return the start of a log in Unix time, or None if the header of the log does not give it.

    Parameters
    ----------
    header : dict of str
        The header. Its value of ``UnixStartTime`` is the start, in seconds since 1970-01-01 UTC or
        as a date. If the header has no ``UnixStartTime``, ``StartTime`` is used.
    where : callable
        A function of a header key that returns the file and the line of the key, for errors.

    Raises
    ------
    InputError
        ``UnixStartTime`` is neither a number of seconds nor a date, or it could be both.
    """
    start = _unix_start(header, where)
    date = _date_in("StartTime", header)
    if start is None or date is None:
        return start or date
    if abs(start.seconds - date.seconds) > DAY:
        first, second = day_of(start.seconds), day_of(date.seconds)
        clash = f"UnixStartTime is on {first}, but StartTime is on {second}; the former is used"
        return start._replace(doubt=start.doubt or clash)
    return start


def end_of(header: Mapping[str, str]) -> Start | None:
    """Return the end of a log, or None if ``EndTime`` is missing in its header or is not a date."""
    return _date_in("EndTime", header)


def _unix_start(header: Mapping[str, str], where: Callable[[str], str]) -> Start | None:
    key = "UnixStartTime"
    known = [value for value in _values(header, key) if value.casefold() not in _UNKNOWN]
    if not known:
        return None
    if len({*known}) > 1 and all(map(_NUMBER.fullmatch, known)):
        raise InputError(
            f"{where(key)}: {key} is given as {' and '.join(known)}; give only one value"
        )
    number = _NUMBER.fullmatch(known[0])
    if number:
        return Start(_seconds_in(number[1], where(key)))
    date = _date_in(key, header)
    if date is None:
        raise InputError(
            f"{where(key)}: {key} is {shown(known[0])}, which is not a Unix time; {_MEND}"
        )
    return date


def _values(header: Mapping[str, str], key: str) -> list[str]:
    return [_without_remark(line) for line in header.get(key, "").split("\n")]


def _without_remark(value: str) -> str:
    return _REMARK.sub("", value.strip())


def _seconds_in(digits: str, where: str) -> int:
    given = digits[:40]
    if len(digits) > len(str(LAST_INSTANT)) or int(digits) >= LAST_INSTANT:
        raise InputError(
            f"{where}: UnixStartTime is {given}, which is after the year 9998; {_MEND}, not "
            "milliseconds"
        )
    date = _date_of_digits(digits)
    if date is not None:
        raise InputError(
            f"{where}: UnixStartTime is {given}, which could be the date {date:%Y-%m-%d}; {_MEND}"
        )
    return int(digits)


def _date_of_digits(digits: str) -> datetime | None:
    try:
        date = datetime.strptime(digits, _DIGITS_OF_DATES.get(len(digits), "-"))
    except ValueError:
        return None
    return date if date.year in _YEARS_OF_LOGS else None


def notes_on_dates(
    header: Mapping[str, str], lines: Mapping[str, int], where: Callable[[str], str]
) -> list[str]:
    """Return one note for each date in the header of a log that cannot be understood.

    Parameters
    ----------
    header : dict of str
        The header.
    lines : dict of str to int
        The line of the file on which each key is given.
    where : callable
        A function of a header key that returns the file and the line of the key, for errors.
    """
    notes = []
    for key in DATES:
        value = _values(header, key)[0]
        if value.casefold() in _UNKNOWN:
            continue
        try:
            found = _unix_start(header, where) if key == "UnixStartTime" else _date_in(key, header)
        except InputError:
            found = None
        if found is None:
            notes.append(note_on_value(key, value, lines, "date"))
    return notes


def note_on_value(key: str, value: str, lines: Mapping[str, int], kind: str) -> str:
    """Return a note that a value in a header is ignored because it cannot be understood.

    `lines` has the line of each key, and `kind` is what the value should be, such as "date".
    """
    line = f" on line {lines[key]}" if key in lines else ""
    return f"{key} is {shown(value)}{line}, which is not understood as a {kind}; it is not used"


def _date_in(key: str, header: Mapping[str, str]) -> Start | None:
    value = _values(header, key)[0]
    parts = _parts_of(value)
    if parts is None:
        return _unix_time_in(value)
    moment, zone = parts
    info, doubt = _zone_of_date(zone, moment.year, header)
    seconds = moment.replace(tzinfo=info).timestamp()
    if not 0 <= seconds < LAST_INSTANT:
        return None
    return Start(int(seconds), f"{key} is the date {shown(value)}, {doubt}" if doubt else "")


def _unix_time_in(value: str) -> Start | None:
    number = _NUMBER.fullmatch(value)
    digits = number[1] if number else ""
    if not digits or len(digits) > len(str(LAST_INSTANT)) or _date_of_digits(digits):
        return None
    seconds = int(digits)
    return Start(seconds) if EARLIEST <= seconds < LAST_INSTANT else None


def _zone_of_date(zone: str, year: int, header: Mapping[str, str]) -> tuple[tzinfo, str]:
    found = _zone_called(zone) if zone else None
    if found is not None:
        return _at_offset_of(zone, found[0], year), ""
    of_log = zone_of(header)
    named = f"whose zone {zone} is not known" if zone else "without a zone"
    return of_log.info, f"{named}; it is read in the zone of the log, {of_log.name}"


def _at_offset_of(abbreviation: str, zone: tzinfo, year: int) -> tzinfo:
    # An abbreviation such as CEST tells whether a date is in summer time, even in the hour that
    # occurs twice when summer time ends.
    for month in (1, 7):
        example = datetime(year, month, 1, tzinfo=zone)
        offset = example.utcoffset()
        if example.tzname() == abbreviation.upper() and offset is not None:
            return timezone(offset)
    return zone


def _parts_of(value: str) -> tuple[datetime, str] | None:
    iso, unix = _ISO.fullmatch(value), _UNIX_DATE.fullmatch(value)
    if iso:
        year, month, day, hour, minute, second, zone = iso.groups()
    elif unix:
        month, day, hour, minute, second, zone, year = unix.groups()
    else:
        return None
    if not month.isdecimal():
        name = month[:3].lower()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
    clock = int(hour or 0), int(minute or 0), int(second or 0)
    try:
        return datetime(int(year), int(month), int(day), *clock), zone or ""
    except ValueError:
        return None


def whole_number_in(value: str) -> str | None:
    """Return the digits of a value in a header, or None if the value is not a whole number.

    The value may be followed by a remark. If the key occurs several times, its values
    are on separate lines, and all numbers among them must be equal.
    """
    found = [_DIGITS.fullmatch(_without_remark(line)) for line in value.split("\n")]
    numbers = {match[1] for match in found if match}
    return found[0][1] if found[0] and len(numbers) == 1 else None


def is_given(value: str) -> bool:
    """Return whether a value in a header is known: neither empty nor a word such as "unknown"."""
    return _without_remark(value.split("\n")[0]).casefold() not in _UNKNOWN


def day_of(seconds: float) -> str:
    """Return the UTC date of a Unix time as a string such as ``"2023-05-01"``."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
