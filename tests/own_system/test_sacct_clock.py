"""Times in exports of Slurm's sacct: clocks that are changed, elapsed times, and their forms."""

from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from own_system.sacct import read_sacct
from own_system.sacct import times as sacct_times
from own_system.sacct.elapsed import IN_HOURS, LONGER, SHORTER
from tests.own_system.sacct_files import HEADER, TWICE, file_of, line, outcomes
from tests.workloads.test_preemption import CASES


def test_the_hour_that_comes_twice(tmp_path):
    """Job 2 runs from the first 02:40 to the second 02:10 of the night in which summer time ends.

    For jobs 3 and 4, only the order of their times tells which of the two hours is meant.
    """
    day = "2024-10-27T"
    rows = [
        line("1", f"{day}00:00:00", f"{day}01:00:00", f"{day}02:30:00", "5400"),
        line("2", f"{day}01:00:00", f"{day}02:40:00", f"{day}02:10:00", "1800"),
        line("3", f"{day}02:50:00", f"{day}02:20:00", f"{day}02:30:00", "600"),
        line("4", f"{day}02:55:00", f"{day}02:59:00", f"{day}04:00:00", "3660"),
        line("5", f"{day}02:55:00", f"{day}02:59:00", f"{day}04:00:00", "7260"),
    ]
    log = read_sacct(file_of(tmp_path, *rows), time_zone="Europe/Amsterdam")
    # Job 5 runs an hour longer than job 4, so it started in the first of the two hours.
    starts = dict(zip(log.table["job"], log.table["submit"] + log.table["wait"], strict=True))
    assert log.epoch == TWICE - 2 * 3600
    assert log.table["runtime"].tolist() == [5400, 1800, 600, 3660, 7260]
    wanted = [3600, 7200 + 2400, 10_800 + 1200, 10_800 + 3540, 7200 + 3540]
    assert list(starts.values()) == wanted
    assert outcomes(log, "noted")["in the hour that comes twice when summer time ends"] == 5


def test_times_that_do_not_exist_and_times_without_a_zone_are_said(tmp_path):
    rows = [line("1", "2024-03-31T02:30:00", "2024-03-31T03:40:00", "2024-03-31T04:00:00", "1200")]
    path = file_of(tmp_path, *rows)
    log = read_sacct(path, time_zone="Europe/Amsterdam")
    assert outcomes(log, "noted") == {"in the hour that the clock skips": 1}
    assert log.table["wait"].tolist() == [600]  # 02:30 is read as 03:30
    assert log.header["TimeZoneString"] == "Europe/Amsterdam"
    log = read_sacct(path)
    assert outcomes(log, "noted") == {"in times without a zone, read as UTC": 1}
    assert (log.table["wait"].tolist(), log.header["TimeZoneString"]) == ([4200], "UTC")
    rows = [line("1", "2024-03-31T02:30:00Z", "2024-03-31T05:00:00+02:00", "1711860000", "6000")]
    log = read_sacct(file_of(tmp_path, *rows))
    assert (outcomes(log, "noted"), log.table["wait"].tolist()) == ({}, [1800])


def test_no_job_runs_for_longer_than_from_its_start_to_its_end(tmp_path):
    rows = [line("1", end="1160", elapsed="99999999"), line("2", end="260", elapsed="90")]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [1000, 90]
    assert outcomes(log, "noted") == {
        LONGER: 1,
        SHORTER: 1,
    }
    mends = log.receipt.set_index("what")["what to do"]
    assert mends[LONGER].endswith("; the first is line 2")
    assert mends[SHORTER].endswith("; the first is line 3")


@pytest.mark.parametrize(
    ("zone", "runtime", "noted"),
    [
        # The clock of Amsterdam is put back on this day, so the jobs run for three and a half
        # hours.
        ("Europe/Amsterdam", [12_600, 9000], {}),
        # The clocks of UTC and of Tokyo are not put back, so the elapsed time of job 1 is an hour
        # off.
        (None, [9000, 9000], {LONGER: 1, "in times without a zone, read as UTC": 2}),
        ("Asia/Tokyo", [9000, 9000], {LONGER: 1}),
    ],
)
def test_an_hour_off_is_accepted_only_if_the_clock_is_changed(tmp_path, zone, runtime, noted):
    night = "2024-10-27T01:30:00", "2024-10-27T01:30:00", "2024-10-27T04:00:00"
    rows = [line("1", *night, "12600"), line("2", *night, "9000")]
    log = read_sacct(file_of(tmp_path, *rows), time_zone=zone)
    assert log.table["runtime"].tolist() == runtime
    assert outcomes(log, "noted") == noted


@pytest.mark.parametrize("zone", [None, "Europe/Amsterdam"])
@pytest.mark.parametrize(
    ("elapsed", "what"), [("7200", LONGER), ("10800", None), ("14400", LONGER)]
)
def test_an_hour_off_in_the_middle_of_summer_is_noted(tmp_path, zone, elapsed, what):
    day = "2024-07-01T01:00:00", "2024-07-01T01:00:00", "2024-07-01T04:00:00"
    what = SHORTER if elapsed == "7200" else what
    log = read_sacct(file_of(tmp_path, line("1", *day, elapsed)), time_zone=zone)
    noted = outcomes(log, "noted")
    noted.pop("in times without a zone, read as UTC", None)
    assert noted == ({} if what is None else {what: 1})


@pytest.mark.parametrize(
    ("start", "end", "elapsed", "what"),
    [
        ("2024-07-01T01:00", "2024-07-01T04:00", "10850", None),
        ("2024-07-01T01:00", "2024-07-01T04:00:00", "10750", None),
        ("2024-07-01T01:00+02:00", "2024-07-01T04:00+02:00", "10850", None),
        ("2024-07-01T01:00", "2024-07-03T04:00", "2-02:59", None),
        ("2024-07-01T01:00:30", "2024-07-03T04:01:00", "2-03:00", None),
        ("2024-07-01T01:00", "2024-07-01T04:00", "10860", LONGER),
        ("2024-07-01T01:00:00", "2024-07-01T04:00:00", "10850", LONGER),
        ("1719788400", "1719799200", "10850", LONGER),
        ("1719788400", "1719799200", "10750", SHORTER),
    ],
)
def test_only_times_without_seconds_may_be_off_by_up_to_a_minute(
    tmp_path, start, end, elapsed, what
):
    row = line("1", "1719700000", start, end, elapsed)
    log = read_sacct(file_of(tmp_path, row), time_zone="UTC")
    assert outcomes(log, "noted") == ({} if what is None else {what: 1})


def test_lengths_of_time_and_processors_in_every_form(tmp_path):
    rows = [
        line("1", elapsed="1-02:03:04", limit="2-00:00:00", end="93944"),
        line("2", elapsed="02:03", end="300"),
        line("3", elapsed="00:02:03.500", limit="90", cores="0", asked="8", end="300"),
    ]
    log = read_sacct(file_of(tmp_path, *rows))
    assert log.table["runtime"].tolist() == [93_784, 123, 123.5]
    assert log.table["requested_time"].tolist() == [172_800, 3600, 5400]
    assert log.jobs().processors.tolist() == [4, 4, 8]


@given(
    seconds=st.integers(1, 86_399) | st.integers(-9_000, 9_000),
    day=st.sampled_from([0, TWICE, 1_711_846_800, 1_743_868_800, 1_728_144_000, 1_700_000_000]),
    zone=st.sampled_from(
        ["UTC", "Europe/Amsterdam", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu"]
    ),
    form=st.sampled_from(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%s", "%Y%m%dT0%H%M:%S"]),
)
def test_a_common_time_is_read_at_once_as_any_other(seconds, day, zone, form):
    """On some of these days the clock is changed, by an hour or by half an hour."""
    moment = datetime.fromtimestamp(day + seconds, ZoneInfo("UTC"))
    word = str(day + seconds) if form == "%s" else moment.strftime(form)
    quick = sacct_times.Hours(ZoneInfo(zone)).instant(word)
    try:
        instants = sacct_times.instants(word, ZoneInfo(zone))
    except ValueError:
        assert np.isnan(quick)
        return
    assert np.isnan(quick) or instants == (quick, quick)


def test_hours_of_changes_are_left_to_the_long_way_and_no_others():
    hours = sacct_times.Hours(ZoneInfo("Australia/Lord_Howe"))  # by half an hour, 2024-10-06 at 2
    assert [np.isnan(hours.instant(f"2024-10-06T0{hour}:59:59")) for hour in (1, 2, 3)] == [
        False, True, False,
    ]  # fmt: skip
    for word in ("20241027T0230:15:00", "2024W43T02+01:30:00", "0100", "0", "", "٢٠٢٤", "Unknown"):
        assert np.isnan(hours.instant(word)), word


def test_days_hours_minutes_and_an_elapsed_time_that_contradicts_start_and_end():
    log = read_sacct(CASES / "sacct_days_hours_minutes.txt", unit="nodes")
    assert log.table["runtime"].tolist() == [131_400, 43_200]
    assert log.table["requested_time"].tolist() == [194_400, 86_400]
    assert outcomes(log, "noted") == {
        IN_HOURS: 1,
        "in times without a zone, read as UTC": 2,
    }
    (mend,) = log.receipt.loc[log.receipt["what"].str.contains("60 times"), "what to do"]
    assert mend.endswith("from start to end is used; the first is line 3")


@pytest.mark.parametrize(
    ("elapsed", "end", "runtime", "what"),
    [
        ("90", 260, 90, SHORTER),
        ("101", 260, 101, None),
        ("102", 260, 100, LONGER),
        ("99", 260, 99, None),
        ("2:00", 280, 120, "with times such as 12:00, read as minutes:seconds"),
        ("0:02:00", 7360, 120, SHORTER),
        ("90", 160 + 5400, 90, SHORTER),
        ("1-00", 86_560, 86_400, None),
        ("UNLIMITED", 260, 100, None),
    ],
)
def test_an_elapsed_time_that_contradicts_start_and_end_is_noted(
    tmp_path, elapsed, end, runtime, what
):
    log = read_sacct(file_of(tmp_path, line(elapsed=elapsed, end=f"{end}")))
    assert log.table["runtime"].tolist() == [runtime]
    assert outcomes(log, "noted") == ({} if what is None else {what: 1})


UNCLEAR = "with times such as 12:00, read as minutes:seconds"


@pytest.mark.parametrize(
    ("elapsed", "span", "runtime", "noted"),
    [
        ("2:00", 7200, 7200, {IN_HOURS: 1}),
        ("2:00", 7259, 7259, {IN_HOURS: 1}),
        ("90", 5400, 5400, {IN_HOURS: 1}),
        ("2:00", 7320, 120, {SHORTER: 1, UNCLEAR: 1}),
        # A small elapsed time matches nearly every short time from start to end by chance.
        ("1", 90, 1, {SHORTER: 1}),
        ("5", 300, 5, {SHORTER: 1}),
        ("31", 1900, 31, {SHORTER: 1}),
    ],
)
def test_an_elapsed_time_in_hours_and_minutes_is_recognised_in_long_jobs(
    tmp_path, elapsed, span, runtime, noted
):
    header = HEADER.replace("ElapsedRaw", "Elapsed")
    row = line(elapsed=elapsed, end=f"{160 + span}")
    log = read_sacct(file_of(tmp_path, row, header=header))
    assert log.table["runtime"].tolist() == [runtime]
    assert outcomes(log, "noted") == noted


def test_a_limit_of_two_parts_is_noted(tmp_path):
    log = read_sacct(file_of(tmp_path, line("1", limit="12:00"), line("2", limit="4294967295")))
    assert log.table["requested_time"].tolist() == [720, -1]
    assert outcomes(log, "noted") == {
        "with times such as 12:00, read as minutes:seconds": 1,
        "without a time limit": 1,
    }


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles", None])
def test_a_log_may_last_until_the_last_year_that_has_dates(tmp_path, zone):
    last = 253_370_764_790  # 9998-12-31, 23:59:50
    path = file_of(tmp_path, line(), line("2", *map(str, (last, last, last + 9, 9))))
    log = read_sacct(path, time_zone=zone)
    assert log.usable["submit"].tolist() == [0, last - 100]
    (found,) = (what for what in log.receipt["what"] if what.startswith("last submission"))
    when = datetime.fromtimestamp(last, ZoneInfo(zone or "UTC"))
    assert found == f"last submission: {when:%F %T %Z}"
