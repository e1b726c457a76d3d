"""What the header of a log says about its clock: when the log begins, and in which time zone.

`start_of` and `zone_of` take the header of a log in the Standard Workload Format, a dict of str.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from coalloc_lib.basics.checks import LAST_INSTANT, InputError, shown

#: A zone for each abbreviation that is no name of a zone and has one meaning in computing centres.
#: Other abbreviations, such as IST and CST, are used for several zones.
ABBREVIATIONS = {
    "CEST": "Europe/Berlin", "MEZ": "Europe/Berlin", "MESZ": "Europe/Berlin",
    "EEST": "Europe/Athens", "WEST": "Europe/Lisbon", "MSK": "Europe/Moscow",
    "EDT": "America/New_York", "CDT": "America/Chicago", "MDT": "America/Denver",
    "PDT": "America/Los_Angeles", "PST": "America/Los_Angeles", "AKDT": "America/Anchorage",
    "AKST": "America/Anchorage", "BRT": "America/Sao_Paulo", "IDT": "Asia/Jerusalem",
    "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "HKT": "Asia/Hong_Kong", "SGT": "Asia/Singapore",
    "SAST": "Africa/Johannesburg", "AEDT": "Australia/Sydney", "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
}  # fmt: skip
#: The hours that abbreviations in a date stand for, which say whether it is summer.
_HOURS = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "CET": 1, "MET": 1, "MEZ": 1, "CEST": 2,
    "MEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3, "IDT": 3, "SAST": 2, "EST": -5, "EDT": -4,
    "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
    "BRT": -3, "JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "AEST": 10, "AEDT": 11, "NZST": 12,
    "NZDT": 13,
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: Words that stand for no value.
_UNKNOWN = {"", "-1", "unknown", "none", "n/a", "na", "?"}
# A whole number in digits, perhaps with a point or a unit behind it.
_NUMBER = re.compile(r"(\d+)\.?(?:\s*(?:s|sec|seconds))?", re.ASCII)
_REMARK = re.compile(r"\s*(?:\([^()]*\)\s*)*(?:#.*)?$")
_DIGITS = re.compile(r"(\d(?:[\d_.,']*\d)?)\.?")
# Numbers of this many digits may be a date such as 20230501 or 202305010000.
_DIGITS_OF_DATES = {4: "%Y", 8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M"}
_YEARS_OF_LOGS = range(1970, 2101)
_OFFSET = r"[+-]\d\d:?\d\d"
_CLOCK = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?"
# 2023-05-01, 2023-05-01 00:00:00, 2023-05-01T00:00:00+02:00
_ISO = re.compile(rf"(\d{{4}})-(\d\d)-(\d\d)(?:[T ]{_CLOCK})?\s*({_OFFSET}|[A-Za-z]+)?", re.ASCII)
# Mon May  1 00:00:00 CEST 2023, which the command date prints
_UNIX_DATE = re.compile(
    rf"(?:[A-Za-z]+,?\s+)?([A-Za-z]{{3,9}})\s+(\d{{1,2}})\s+{_CLOCK}\s+(?:({_OFFSET}|[A-Za-z]+)\s+)?"
    r"(\d{4})",
    re.ASCII,
)
# Mon, 01 May 2023 00:00:00 +0200
_MAIL_DATE = re.compile(
    rf"(?:[A-Za-z]+,?\s+)?(\d{{1,2}})[ -]([A-Za-z]{{3,9}})[ -](\d{{4}})(?:\s+{_CLOCK})?"
    rf"\s*({_OFFSET}|[A-Za-z]+)?",
    re.ASCII,
)
# UTC+2, GMT+02:00
_FROM_UTC = re.compile(
    r"(?:UTC|GMT)\s*([+-])(\d{1,2})(?::?([0-5]\d))?(?![\d:])", re.IGNORECASE | re.ASCII
)
#: The keys of a header that may hold a date.
DATES = ("UnixStartTime", "StartTime", "EndTime")
#: No accounting log began before this instant, in 1973: an earlier start is that of a model.
EARLIEST = 100_000_000
# Two zones are compared in winter and in summer of these years.
_COMPARED = [datetime(year, month, 1, tzinfo=UTC) for year in range(1990, 2031) for month in (1, 7)]
DAY = 86_400
_MEND = "give the seconds since 1970-01-01 00:00 UTC, in digits"


class Zone(NamedTuple):
    """The time zone of a log, its `name`, and a `doubt` that a user should know, in words.

    `is_known` is False if the header names a zone that is not known, and UTC takes its place.
    """

    info: tzinfo
    name: str
    doubt: str = ""
    is_known: bool = True


class Start(NamedTuple):
    """The instant from which a log counts, in seconds of Unix, and a `doubt` about it, in words."""

    seconds: int
    doubt: str = ""


def zone_of(header: Mapping[str, str]) -> Zone:
    """Return the time zone that a header names; UTC if it names none, or none that is known.

    ``TimeZoneString`` is used before ``TimeZone``. The doubt of the zone says if both have a value
    and their clocks never agree.
    """
    zone = _zone_in("TimeZoneString", header)
    other = _zone_in("TimeZone", header)
    if zone is None or other is None:
        return zone or other or Zone(ZoneInfo("UTC"), "UTC, as the log names none")
    if zone.is_known and other.is_known and not _agree(zone.info, other.info):
        values = (_first_word(header[key]) for key in ("TimeZoneString", "TimeZone"))
        clash = "TimeZoneString is {}, and TimeZone {}: the first is used".format(*values)
        return zone._replace(doubt="; ".join(filter(None, (zone.doubt, clash))))
    return zone


def _zone_in(key: str, header: Mapping[str, str]) -> Zone | None:
    """Return the zone that a key of the header holds; None if it holds no value."""
    value = header.get(key, "").strip()
    words = _first_word(value)
    if words.casefold() in _UNKNOWN:
        return None
    if found := _fixed_zone(key, value, words):
        fixed, text = found
        return Zone(fixed, f"{fixed}", f"{key} is {text}: read as {fixed} all year")
    if named := _named_zone(words):
        return Zone(*named)
    if place := ABBREVIATIONS.get(words.upper()):
        return Zone(ZoneInfo(place), place, f"{key} is {words}: read as {place}")
    doubt = f"{key} is {shown(words)}, which is no known time zone: read as UTC"
    return Zone(ZoneInfo("UTC"), f"UTC, as {words} is not known", doubt, is_known=False)


def _fixed_zone(key: str, value: str, words: str) -> tuple[timezone, str] | None:
    """Return the zone of an offset such as GMT+2, or of seconds in ``TimeZone``, and its text.

    GMT+2 is read as people write it, two hours before UTC. The zone Etc/GMT+2 is two hours behind.
    """
    if match := _FROM_UTC.match(value):
        sign, hours, minutes = match.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        offset, text = (-offset if sign == "-" else offset), match[0]
    elif key == "TimeZone" and re.fullmatch(r"[+-]?\d{1,5}", words, re.ASCII):
        offset, text = timedelta(seconds=int(words)), words
    else:
        return None
    return (timezone(offset), text) if abs(offset) < timedelta(days=1) else None


def _agree(one: tzinfo, other: tzinfo) -> bool:
    """Return whether the clocks of two zones show the same time in some winter or summer."""
    return any(
        moment.astimezone(one).utcoffset() == moment.astimezone(other).utcoffset()
        for moment in _COMPARED
    )


def _first_word(value: str) -> str:
    """Return the first word of a value: a remark may follow."""
    words = re.split(r"[\s#(]", value.strip(), maxsplit=1)
    return words[0]


def _named_zone(words: str) -> tuple[tzinfo, str] | None:
    """Return the zone of a name in the time zone database, or of an offset such as +02:00.

    The name may be in any case of its letters, such as europe/paris.
    """
    if re.fullmatch(_OFFSET, words, re.ASCII):
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{words}").tzinfo
        return (offset, words) if offset else None
    try:
        return ZoneInfo(words), words
    except (KeyError, ValueError, OSError):
        name = _zone_names().get(words.casefold())
        return (ZoneInfo(name), name) if name else None


@cache
def _zone_names() -> dict[str, str]:
    """Return the names of the time zone database by their small letters."""
    return {name.casefold(): name for name in available_timezones()}


def start_of(header: Mapping[str, str], where: Callable[[str], str]) -> Start | None:
    """Return the instant from which a log counts; None if its header does not say.

    Parameters
    ----------
    header : dict of str
        ``UnixStartTime`` holds the instant, in seconds of Unix or as a date. If there is none,
        ``StartTime`` holds it in one of these forms.
    where : callable
        Returns the file and the line of a key, for errors.

    Raises
    ------
    InputError
        ``UnixStartTime`` is neither a number of seconds nor a date, or it may be both.
    """
    start = _unix_start(header, where)
    date = _date_in("StartTime", header)
    if start is None or date is None:
        return start or date
    if abs(start.seconds - date.seconds) > DAY:
        days = f"{day_of(start.seconds)}, and StartTime {day_of(date.seconds)}: the first is used"
        return start._replace(doubt=start.doubt or f"UnixStartTime is on {days}")
    return start


def end_of(header: Mapping[str, str]) -> Start | None:
    """Return the instant at which a log ends by its ``EndTime``; None if that is no date."""
    return _date_in("EndTime", header)


def _unix_start(header: Mapping[str, str], where: Callable[[str], str]) -> Start | None:
    """Return the instant that ``UnixStartTime`` holds; None if it is not given."""
    key = "UnixStartTime"
    known = [value for value in _values(header, key) if value.casefold() not in _UNKNOWN]
    if not known:
        return None
    if len({*known}) > 1 and all(map(_NUMBER.fullmatch, known)):
        raise InputError(f"{where(key)}: {key} is given as {' and '.join(known)}; give it once")
    if number := _NUMBER.fullmatch(known[0]):
        return Start(_seconds_in(number[1], where(key)))
    if date := _date_in(key, header):
        return date
    raise InputError(f"{where(key)}: {key} is {shown(known[0])}; {_MEND}")


def _values(header: Mapping[str, str], key: str) -> list[str]:
    """Return the values of a key, without remarks; a key may come several times."""
    return [_REMARK.sub("", line.strip()) for line in header.get(key, "").split("\n")]


def _seconds_in(digits: str, where: str) -> int:
    """Return a number of seconds; refuse one that has no date or that looks like a date."""
    what = f"{where}: UnixStartTime is {digits[:40]}"
    if len(digits) > len(str(LAST_INSTANT)) or int(digits) >= LAST_INSTANT:
        raise InputError(f"{what}, which is after the year 9998; {_MEND}, and no milliseconds")
    if date := _date_of_digits(digits):
        raise InputError(f"{what}, which may be a date, {date:%Y-%m-%d}; {_MEND}")
    return int(digits)


def _date_of_digits(digits: str) -> datetime | None:
    """Return the date that digits such as 20230501 write; None if they write none."""
    try:
        date = datetime.strptime(digits, _DIGITS_OF_DATES.get(len(digits), "-"))
    except ValueError:
        return None
    return date if date.year in _YEARS_OF_LOGS else None


def dates_not_understood(
    header: Mapping[str, str], lines: Mapping[str, int], where: Callable[[str], str]
) -> list[str]:
    """Return a note for each key that may hold a date, and holds a value that is not understood."""
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
            notes.append(not_used(key, value, lines, "date"))
    return notes


def not_used(key: str, value: str, lines: Mapping[str, int], kind: str) -> str:
    """Return the note that the value of a key is not understood."""
    line = f" on line {lines[key]}" if key in lines else ""
    return f"{key} is {shown(value)}{line}, which is not understood as a {kind}; it is not used"


def _date_in(key: str, header: Mapping[str, str]) -> Start | None:
    """Return the instant of a date that a key holds; None if it holds none that is understood."""
    value = _values(header, key)[0]
    parts = _parts_of(value)
    if parts is None:
        return _unix_time_in(value)
    moment, zone = parts
    where, doubt = _zone_of_date(zone, header)
    seconds = moment.replace(tzinfo=where).timestamp()
    if not 0 <= seconds < LAST_INSTANT:
        return None
    return Start(int(seconds), f"{key} is the date {shown(value)}, {doubt}" if doubt else "")


def _unix_time_in(value: str) -> Start | None:
    """Return the instant of a Unix time; None if the value may be something else."""
    number = _NUMBER.fullmatch(value)
    digits = number[1] if number else ""
    if not digits or len(digits) > len(str(LAST_INSTANT)) or _date_of_digits(digits):
        return None
    seconds = int(digits)
    return Start(seconds) if EARLIEST <= seconds < LAST_INSTANT else None


def _zone_of_date(zone: str, header: Mapping[str, str]) -> tuple[tzinfo, str]:
    """Return the zone of a date, and a doubt about it; `zone` is what the date names, or empty."""
    if re.fullmatch(_OFFSET, zone, re.ASCII):
        return datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").tzinfo or UTC, ""
    if zone.upper() in _HOURS:
        return timezone(timedelta(hours=_HOURS[zone.upper()])), ""
    of_log = zone_of(header)
    named = f"whose zone {zone} is not known" if zone else "without a zone"
    return of_log.info, f"{named}: read in the zone of the log, {of_log.name}"


def _parts_of(value: str) -> tuple[datetime, str] | None:
    """Return the moment that a date tells, and the zone that it names; None if it is no date."""
    if match := _ISO.fullmatch(value):
        year, month, day, hour, minute, second, zone = match.groups()
    elif match := _UNIX_DATE.fullmatch(value):
        month, day, hour, minute, second, zone, year = match.groups()
    elif match := _MAIL_DATE.fullmatch(value):
        day, month, year, hour, minute, second, zone = match.groups()
    else:
        return None
    if not month.isdecimal():
        month = _MONTHS.index(month[:3].lower()) + 1 if month[:3].lower() in _MONTHS else 0
    clock = int(hour or 0), int(minute or 0), int(second or 0)
    try:
        return datetime(int(year), int(month), int(day), *clock), zone or ""
    except ValueError:
        return None


def whole_number_in(value: str) -> str | None:
    """Return the digits of a value that is a whole number; None if it is anything else.

    A remark after ``#`` or in brackets may follow. If the key comes several times, all values that
    are numbers must be the same.
    """
    found = [_DIGITS.fullmatch(_REMARK.sub("", line.strip())) for line in value.split("\n")]
    numbers = {match[1] for match in found if match}
    return found[0][1] if found[0] and len(numbers) == 1 else None


def is_given(value: str) -> bool:
    """Return whether a value of the header is anything but a word for an unknown value."""
    return _REMARK.sub("", value.split("\n")[0].strip()).casefold() not in _UNKNOWN


def day_of(seconds: float) -> str:
    """Return the date of an instant in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
