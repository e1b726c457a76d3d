"""The clock of a log: when it begins, in which zone, and whether submissions count from there."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.workloads.swf_header import ABBREVIATIONS, start_of, zone_of
from tests.conftest import ROOT

CASES = ROOT / "tests" / "workloads" / "cases"
MAY = 1_682_899_200  # 2023-05-01 00:00:00 in UTC


def where(key):
    return f"log.swf, line {key}"


def log_of(folder, *submissions, **header):
    lines = [f"; {key}: {value}\n" for key, value in header.items()]
    lines += [
        f"{number} {submit} -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
        for number, submit in enumerate(submissions, start=1)
    ]
    (folder / "log.swf").write_text("".join(lines))
    return co.read_swf(folder / "log.swf")


def test_a_date_as_start_is_understood():
    log = co.read_swf(CASES / "swf_date_as_start.swf")
    assert log.epoch == MAY
    assert "is the date '2023-05-01 00:00:00', without a zone: read in the zone" in log.notes[0]


@pytest.mark.parametrize("key", ["UnixStartTime", "StartTime"])
@pytest.mark.parametrize(
    "date",
    [
        "2023-05-01", "2023-05-01 00:00", "2023-05-01T00:00:00Z", "2023-05-01 02:00:00 +02:00",
        "2023-05-01T02:00:00+0200", "2023-05-01 02:00:00 CEST", "Mon May  1 02:00:00 CEST 2023",
        "Sun Apr 30 20:00:00 EDT 2023", "Mon May 1 00:00:00 2023",
        "Mon, 01 May 2023 02:00:00 +0200",
        "1 May 2023", "01-May-2023 00:00:00 UTC", "2023-05-01 00:00:00 # as the tool wrote it",
        "2023-05-01 00:00:00 (UTC)",
    ],
)  # fmt: skip
def test_dates_of_every_form_are_understood(key, date):
    start = start_of({key: date}, where)
    assert start.seconds == MAY
    has_zone = any(word in date for word in ("Z", "+0", "CEST", "EDT", "0 UTC"))
    assert bool(start.doubt) == (not has_zone)


def test_a_date_without_a_zone_is_local_time_of_the_log():
    date = {"UnixStartTime": "2023-05-01 02:00:00", "TimeZoneString": "Europe/Berlin"}
    assert start_of(date, where).seconds == MAY
    date = {"StartTime": "Mon May  1 03:00:00 IST 2023", "TimeZoneString": "Asia/Jerusalem"}
    start = start_of(date, where)
    assert start.seconds == MAY
    assert "whose zone IST is not known: read in the zone of the log, Asia/Jerusalem" in start.doubt


@given(st.integers(0, 4_000_000_000), st.sampled_from(["UTC", "Europe/Berlin", "Asia/Tokyo"]))
def test_what_the_command_date_prints_is_read_back(seconds, place):
    moment = datetime.fromtimestamp(seconds, ZoneInfo(place))
    text = f"{moment:%a %b} {moment.day:2} {moment:%H:%M:%S %Z %Y}"
    assert start_of({"StartTime": text}, where).seconds == seconds


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("01/05/2023", "is '01/05/2023'; give the seconds"),
        ("05.01.2023 00:00", "; give the seconds"),
        ("2023-13-01", "; give the seconds"),
        ("soon", "is 'soon'; give the seconds"),
        ("-5", "is '-5'; give the seconds"),
        ("1e9", "; give the seconds"),
        ("2023", "is 2023, which may be a date, 2023-01-01; give"),
        ("20230501", "is 20230501, which may be a date, 2023-05-01; give"),
        ("202305010000", "is 202305010000, which may be a date"),
        ("1682899200000", "which is after the year 9998; .* no milliseconds"),
        ("1682899200\n1704067200", "is given as 1682899200 and 1704067200; give it once"),
    ],
)
def test_a_start_that_is_no_unix_time_is_refused_with_its_line(tmp_path, word, why):
    with pytest.raises(co.InputError, match=rf"^log\.swf, line UnixStartTime: .*{why}"):
        start_of({"UnixStartTime": word}, where)
    if "\n" not in word:
        log = log_of(tmp_path, 0, Version=2.2, UnixStartTime=word)
        with pytest.raises(co.InputError, match=rf"log\.swf, line 2: UnixStartTime .*{why}"):
            _ = log.epoch


@pytest.mark.parametrize("word", ["", "-1", "unknown", "None", "?"])
def test_a_start_that_is_not_known_is_none(word):
    assert start_of({"UnixStartTime": word}, where) is None
    assert start_of({"StartTime": "long ago"}, where) is None
    both = {"UnixStartTime": word, "StartTime": "2023-05-01T00:00:00Z"}
    assert start_of(both, where).seconds == MAY


def test_keys_are_read_in_any_case_and_without_a_blank(tmp_path):
    (tmp_path / "log.swf").write_text(
        "; note: see http://example.org/a\n;UNIXSTARTTIME:1682899200\n;maxprocs: 9\n"
        "1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
    )
    log = co.read_swf(tmp_path / "log.swf")
    assert (log.epoch, log.processors, [*log.header]) == (
        MAY, 9, ["note", "UnixStartTime", "MaxProcs"],
    )  # fmt: skip


def test_dates_that_contradict_each_other_are_noted(tmp_path):
    header = {"UnixStartTime": MAY, "StartTime": "Mon May  1 00:00:00 UTC 2023"}
    assert log_of(tmp_path, 0, 86_400, **header, EndTime="2023-05-02T00:00:00Z").notes == ()
    log = log_of(tmp_path, 0, **header | {"StartTime": "Wed May  1 00:00:00 UTC 2024"})
    assert log.notes == ("UnixStartTime is on 2023-05-01, and StartTime 2024-05-01: the first is "
                         "used",)  # fmt: skip
    log = log_of(tmp_path, 0, 86_400_000, **header, EndTime="2023-05-02T00:00:00Z")
    (note,) = log.notes
    assert note.startswith("its last job is submitted on 2026-01-25, and EndTime is 2023-05-02")


def test_submissions_in_unix_time_are_counted_from_the_start():
    log = co.read_swf(CASES / "swf_absolute_submissions.swf")
    assert (log.epoch, log.table["submit"].tolist()) == (1_704_067_200, [0, 86_400])
    assert log.notes == (
        "submissions are Unix times in the file; here they count from the start of the log",
    )


def test_submissions_in_unix_time_with_a_date_as_start(tmp_path):
    log = log_of(tmp_path, MAY + 5, MAY + 9, UnixStartTime="2023-05-01T00:00:00Z")
    assert (log.epoch, log.table["submit"].tolist()) == (MAY, [5, 9])
    co.write_swf(tmp_path / "again.swf", log.table, log.header)
    again = co.read_swf(tmp_path / "again.swf")
    assert (again.epoch, again.table["submit"].tolist()) == (MAY, [5, 9])


def test_submissions_of_two_kinds_are_refused(tmp_path):
    with pytest.raises(
        co.InputError, match=r"job 1 is submitted at 5, before .* and job 2 at 1682"
    ):
        log_of(tmp_path, 5, MAY + 9, UnixStartTime=MAY)


def test_the_time_of_day_of_a_model_is_no_unix_time(tmp_path):
    log = log_of(tmp_path, 0, 70_000, UnixStartTime=61_560)
    assert (log.table["submit"].tolist(), log.notes) == ([0, 70_000], ())
    log = log_of(tmp_path, 70_000, 80_000, UnixStartTime=61_560)
    assert log.table["submit"].tolist() == [70_000, 80_000]
    assert log.notes == ("all jobs are submitted at or after 61,560, the start of the log; this is "
                         "read as seconds after it",)  # fmt: skip


def hour_in(header, seconds=1_717_192_800 + 28_937):
    return datetime.fromtimestamp(seconds, UTC).astimezone(zone_of(header).info).hour


def test_a_known_abbreviation_is_understood():
    log = co.read_swf(CASES / "swf_zone_abbreviation.swf")
    assert log.time_zone.name == "Europe/Berlin"
    assert log.notes == ("TimeZoneString is CEST: read as Europe/Berlin",)
    assert hour_in(log.header) == 8


@pytest.mark.parametrize(
    ("header", "hour", "doubt"),
    [
        ({}, 6, ""),
        ({"TimeZoneString": "Europe/Amsterdam # CET"}, 8, ""),
        ({"TimeZoneString": "CET"}, 8, ""),
        ({"TimeZoneString": "pdt"}, 23, "TimeZoneString is pdt: read as America/Los_Angeles"),
        ({"TimeZoneString": "+05:30"}, 11, ""),
        ({"TimeZone": "3600"}, 7, "TimeZone is 3600: read as UTC+01:00 all year"),
        ({"TimeZone": "-18000 # deprecated"}, 1, "TimeZone is -18000: read as UTC-05:00 all year"),
        ({"TimeZone": "3600", "TimeZoneString": "Asia/Tokyo"}, 15, ""),
        ({"TimeZone": "Asia/Tokyo"}, 15, ""),
        ({"TimeZoneString": "IST"}, 6, "TimeZoneString is 'IST', which is no known time zone: "
         "read as UTC"),
        ({"TimeZoneString": "Mars/Olympus"}, 6, "no known time zone: read as UTC"),
        ({"TimeZoneString": "UTC+2"}, 6, "no known time zone: read as UTC"),
    ],
)  # fmt: skip
def test_zones_are_understood_or_doubted(header, hour, doubt):
    assert hour_in(header) == hour
    found = zone_of(header).doubt
    assert (doubt in found) if doubt else not found


def test_abbreviations_stand_for_zones_that_use_them():
    for word, place in ABBREVIATIONS.items():
        zone = ZoneInfo(place)
        names = {datetime(year, month, 15, tzinfo=zone).tzname() for year in (1996, 2024)
                 for month in (1, 7)}  # fmt: skip
        assert word in names | {"MEZ", "MESZ", "BRT", "SGT"}, word
