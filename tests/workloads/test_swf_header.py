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
    assert (
        "is the date '2023-05-01 00:00:00', without a zone; it is read in the zone" in log.notes[0]
    )


@pytest.mark.parametrize("key", ["UnixStartTime", "StartTime"])
@pytest.mark.parametrize(
    "date",
    [
        "2023-05-01", "2023-05-01 00:00", "2023-05-01T00:00:00Z", "2023-05-01 02:00:00 +02:00",
        "2023-05-01T02:00:00+0200", "2023-05-01 02:00:00 CEST", "Mon May  1 02:00:00 CEST 2023",
        "Sun Apr 30 20:00:00 EDT 2023", "Mon May 1 00:00:00 2023",
        "2023-05-01 00:00:00 # as the tool wrote it",
        "2023-05-01 00:00:00 (UTC)",
    ],
)  # fmt: skip
def test_dates_of_every_form_are_understood(key, date):
    start = start_of({key: date}, where)
    assert start.seconds == MAY
    has_zone = any(word in date for word in ("Z", "+0", "CEST", "EDT", "0 UTC"))
    assert bool(start.doubt) == (not has_zone)


def test_an_abbreviation_tells_the_hours_apart_that_come_twice_when_summer_time_ends():
    summer, winter = (
        start_of({"StartTime": f"Sun Oct 29 02:30:00 {zone} 2023"}, where).seconds
        for zone in ("CEST", "CET")
    )
    assert winter - summer == 3600


def test_a_date_without_a_zone_is_local_time_of_the_log():
    date = {"UnixStartTime": "2023-05-01 02:00:00", "TimeZoneString": "Europe/Berlin"}
    assert start_of(date, where).seconds == MAY
    date = {"StartTime": "Mon May  1 03:00:00 IST 2023", "TimeZoneString": "Asia/Jerusalem"}
    start = start_of(date, where)
    assert start.seconds == MAY
    assert (
        "whose zone IST is not known; it is read in the zone of the log, Asia/Jerusalem"
        in start.doubt
    )


@pytest.mark.parametrize("month", range(1, 13))
def test_the_name_of_a_month_can_be_written_out(month):
    moment = datetime(2023, month, 9, 12, tzinfo=ZoneInfo("UTC"))
    read = start_of({"StartTime": f"{moment:%B %d %H:%M:%S UTC %Y}"}, where)
    assert read.seconds == moment.timestamp()


@given(st.integers(0, 4_000_000_000), st.sampled_from(["UTC", "Europe/Berlin", "Asia/Tokyo"]))
def test_what_the_command_date_prints_is_read_back(seconds, place):
    moment = datetime.fromtimestamp(seconds, ZoneInfo(place))
    text = f"{moment:%a %b} {moment.day:2} {moment:%H:%M:%S %Z %Y}"
    assert start_of({"StartTime": text}, where).seconds == seconds


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("01/05/2023", "is '01/05/2023', which is not a Unix time; give the seconds"),
        ("05.01.2023 00:00", "; give the seconds"),
        ("2023-13-01", "; give the seconds"),
        ("soon", "is 'soon', which is not a Unix time; give the seconds"),
        ("Mon, 01 May 2023 02:00:00 +0200", "; give the seconds"),
        ("-5", "is '-5', which is not a Unix time; give the seconds"),
        ("1e9", "; give the seconds"),
        ("2023", "is 2023, which could be the date 2023-01-01; give"),
        ("20230501", "is 20230501, which could be the date 2023-05-01; give"),
        ("202305010000", "is 202305010000, which could be the date"),
        ("1682899200000", "which is after the year 9998; .* not milliseconds"),
        ("1682899200\n1704067200", "is given as 1682899200 and 1704067200; give only one value"),
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
    assert log.notes == (
        "UnixStartTime is on 2023-05-01, but StartTime is on 2024-05-01; the former is used",
    )
    log = log_of(tmp_path, 0, 86_400_000, **header, EndTime="2023-05-02T00:00:00Z")
    (note,) = log.notes
    assert note.startswith("the last job is submitted on 2026-01-25, but EndTime is 2023-05-02")


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
        co.InputError, match=r"submitted at 5, which is before .* but job 2 is submitted at 1682"
    ):
        log_of(tmp_path, 5, MAY + 9, UnixStartTime=MAY)


@pytest.mark.parametrize("start", [MAY, "2023-05-01T00:00:00Z"])
@pytest.mark.parametrize("first", [MAY * 1000, 5_000_000_000_000, MAY + 1_600_000_000])
def test_a_submission_more_than_50_years_after_the_start_is_refused(tmp_path, start, first):
    why = f"job 2 is submitted at {first}, more than 50 years after the start of the log; give sec"
    with pytest.raises(co.InputError, match=why):
        log_of(tmp_path, MAY, first, UnixStartTime=start)
    # In the log of a random model, which begins in 1970, such a submission is only late.
    assert len(log_of(tmp_path, 5, first, UnixStartTime=61_560)) == 2


def test_milliseconds_after_the_start_are_refused(tmp_path):
    with pytest.raises(
        co.InputError, match="job 2 is submitted at 94608000000, more than 50 years"
    ):
        log_of(tmp_path, 0, 3 * 365 * 86_400_000, UnixStartTime=MAY)
    late = log_of(tmp_path, 0, 1_500_000_000, UnixStartTime=MAY)
    assert late.table["submit"].tolist() == [0, 1_500_000_000]


def test_unix_times_before_the_start_are_refused(tmp_path):
    why = rf"all submissions are Unix times before the start .*; job 1, .*{MAY - 900};"
    with pytest.raises(co.InputError, match=why):
        log_of(tmp_path, MAY - 900, MAY - 5, UnixStartTime=MAY)
    # An excerpt from a long log, from its fourth year on, has such submissions.
    log = log_of(tmp_path, 108_000_000, 109_000_000, UnixStartTime=1_027_839_845)
    assert log.table["submit"].tolist() == [108_000_000, 109_000_000]


@pytest.mark.parametrize("header", [{}, {"UnixStartTime": 0}, {"UnixStartTime": -1}])
def test_unix_times_without_a_start_are_noted(tmp_path, header):
    log = log_of(tmp_path, MAY, MAY + 9, **header)
    (note,) = log.notes
    assert note.startswith(
        "the first submission is 1,682,899,200, which looks like a Unix time, but the header gives "
        "no start that is understood"
    )
    assert log.table["submit"].tolist() == [MAY, MAY + 9]
    # A log may last for some years after its start.
    assert log_of(tmp_path, 0, 109_000_000, **header).notes == ()


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("StartTime", "01/05/2023"), ("EndTime", "soon"), ("UnixStartTime", "soon"),
        ("UnixStartTime", "1682899200000"), ("StartTime", "20230501"), ("EndTime", "2023050100"),
        ("StartTime", "1682899200000"), ("StartTime", "2023-05-01 25:00"), ("EndTime", "12"),
    ],
)  # fmt: skip
def test_a_date_that_is_not_understood_is_noted_with_its_line(tmp_path, key, word):
    (note,) = log_of(tmp_path, 0, Version=2.2, **{key: word}).notes
    what = "is not understood as a date; it is not used"
    assert note == f"{key} is {word!r} on line 2, which {what}"


@pytest.mark.parametrize("word", ["", "-1", "unknown", "N/A # lost"])
def test_a_date_that_is_not_known_is_not_noted(tmp_path, word):
    assert log_of(tmp_path, 0, StartTime=word, EndTime=word, UnixStartTime=word).notes == ()


def test_a_unix_time_in_start_time_is_understood(tmp_path):
    log = log_of(tmp_path, MAY + 5, StartTime=f"{MAY} # seconds", EndTime=MAY + 86_400)
    assert (log.epoch, log.table["submit"].tolist()) == (MAY, [5])
    assert log.notes == ("submissions are Unix times in the file; here they count from the start "
                         "of the log",)  # fmt: skip


def test_keys_after_the_first_job_are_noted_with_their_lines(tmp_path):
    row = "1 0 -1 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
    late = f"; unixstarttime: {MAY}\n; MaxProcs: 9\n; Queue: 1\n2{row[1:]}; MaxProcs: 8\n"
    (tmp_path / "log.swf").write_text(f"; Version: 2\n{row}{late}")
    log = co.read_swf(tmp_path / "log.swf")
    assert (log.epoch, log.processors) == (None, 1)
    assert log.notes == ("keys of the header after the first job are not used: UnixStartTime "
                         "(line 3) and MaxProcs (line 4); move them before it",)  # fmt: skip


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
    assert log.notes == ("TimeZoneString is CEST; it is read as Europe/Berlin",)
    assert hour_in(log.header) == 8


@pytest.mark.parametrize(
    ("header", "hour", "doubt"),
    [
        ({}, 6, ""),
        ({"TimeZoneString": "Europe/Amsterdam # CET"}, 8, ""),
        ({"TimeZoneString": "CET"}, 8, ""),
        ({"TimeZoneString": "pdt"}, 23, "TimeZoneString is pdt; it is read as America/Los_Angeles"),
        ({"TimeZoneString": "+05:30"}, 11, ""),
        ({"TimeZone": "3600"}, 7, "TimeZone is 3600; it is read as UTC+01:00 all year"),
        ({"TimeZone": "-18000 # deprecated"}, 1, "is -18000; it is read as UTC-05:00 all year"),
        ({"TimeZone": "3600", "TimeZoneString": "Asia/Tokyo"}, 15, ""),
        ({"TimeZone": "-18000", "TimeZoneString": "US/Eastern"}, 2, ""),
        ({"TimeZone": "3600 # old", "TimeZoneString": "Europe/Amsterdam # CET"}, 8, ""),
        ({"TimeZone": "Mars", "TimeZoneString": "Asia/Tokyo"}, 15, ""),
        ({"TimeZoneString": "europe/paris"}, 8, ""),
        ({"TimeZoneString": "GMT+2"}, 6, "is 'GMT+2', which is not a known time zone"),
        ({"TimeZone": "99999"}, 6, "is '99999', which is not a known time zone"),
        ({"TimeZoneString": "Etc/GMT+2"}, 4, ""),
        ({"TimeZone": "Asia/Tokyo"}, 15, ""),
        ({"TimeZoneString": "IST"}, 6, "TimeZoneString is 'IST', which is not a known time zone; "
         "it is read as UTC"),
        ({"TimeZoneString": "Mars/Olympus"}, 6, "not a known time zone; it is read as UTC"),
        ({"TimeZoneString": "UTC+99"}, 6, "not a known time zone; it is read as UTC"),
        ({"TimeZoneString": "+99:00"}, 6, "TimeZoneString is '+99:00', which is not a known time "
         "zone; it is read as UTC"),
    ],
)  # fmt: skip
def test_zones_are_understood_or_doubted(header, hour, doubt):
    assert hour_in(header) == hour
    found = zone_of(header).doubt
    assert (doubt in found) if doubt else not found


@pytest.mark.parametrize("key", ["UnixStartTime", "StartTime"])
def test_a_date_with_an_impossible_offset_is_read_in_the_zone_of_the_log(tmp_path, key):
    log = log_of(tmp_path, 0, **{key: "2023-05-01T02:00:00+99:00"}, TimeZoneString="Europe/Berlin")
    assert log.epoch == MAY
    (note,) = log.notes
    assert note.endswith("whose zone +99:00 is not known; it is read in the zone of the log, "
                         "Europe/Berlin")  # fmt: skip


def test_abbreviations_stand_for_zones_that_use_them():
    for word, place in ABBREVIATIONS.items():
        zone = ZoneInfo(place)
        names = {datetime(year, month, 15, tzinfo=zone).tzname() for year in (1996, 2024)
                 for month in (1, 7)}  # fmt: skip
        assert word in names | {"Z", "MEZ", "MESZ", "BRT", "SGT"}, word
