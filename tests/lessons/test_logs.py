"""Which logs are here, and what is printed in place of waits that a log does not have."""

import re
from dataclasses import replace

import numpy as np
import pytest

from coalloc_lib.workloads import catalogue
from lessons.logs import NOT_RECORDED, logs_here, recorded_waits, share_of, share_up_to, told
from studies.job_sharing import lesson as job_sharing


def words(*names, **how):
    """Return what `logs_here` shows in a notebook, without HTML tags."""
    return re.sub("<[^>]*>", "", logs_here(*names, **how).data)


@pytest.fixture
def here(monkeypatch):
    """Return a function that pretends that only some public logs are on this computer."""

    def are(*found):
        rows = [
            {"name": trace.name, "found": "a file" if trace.name in found else None}
            for trace in catalogue.CATALOGUE
        ]
        monkeypatch.setattr(catalogue, "listing", lambda: rows)

    return are


def test_logs_that_are_here_are_named(here):
    here("KTH-SP2", "CTC-SP2")
    shown = words("KTH-SP2", "CTC-SP2")
    assert shown.startswith("Logs found: KTH-SP2, CTC-SP2.")
    assert "Not found" not in shown


def test_missing_logs_are_named_with_what_replaces_them_and_how_to_get_them(here):
    here("CTC-SP2")
    shown = words("KTH-SP2", "CTC-SP2", "HPC2N")
    assert "Not found: KTH-SP2, HPC2N. A synthetic log stands in for KTH-SP2." in shown
    assert "HPC2N is left out." in shown
    assert "numbers in the text are those of the real logs" in shown
    assert "coalloc traces fetch KTH-SP2 HPC2N" in shown


def test_missing_logs_are_fetched_if_the_reader_wants_them(here, monkeypatch):
    here()
    monkeypatch.setattr(catalogue, "fetch", lambda names: here(*names))
    assert "Not found: KTH-SP2" in words("KTH-SP2")
    assert "Logs found: KTH-SP2." in words("KTH-SP2", fetch=True)


def recorded_log():
    """Return a log whose first job has no recorded wait; the others waited 1, 2, ... hours."""
    log = catalogue.load_stand_in("KTH-SP2")
    waits = np.where(log.table.index == log.table.index[0], -1, 3_600 * np.arange(len(log.table)))
    return replace(log, table=log.table.assign(wait=waits), is_stand_in=False)


def test_waits_that_are_not_recorded_are_missing():
    log = recorded_log()
    jobs = log.jobs(request="total")
    waits = recorded_waits(log, jobs)
    assert np.isnan(waits[jobs.number == log.table["job"].iloc[0]]).all()
    assert np.nanmin(waits) == 1
    assert np.isnan(recorded_waits(replace(log, is_stand_in=True), jobs)).all()


def test_missing_values_are_told_in_words_and_count_in_no_mean():
    assert told([np.nan, 1.0, 2.0]) == "1.5 h"
    assert told([0.25], "{:.0%}") == "25%"
    assert share_of([True, True, False], [np.nan, 1.0, 1.0]) == "50%"
    unknown = share_up_to([np.nan], 2, [0.0])
    for shown in (told([np.nan]), told([]), unknown, share_of([True], [np.nan])):
        assert shown == NOT_RECORDED


def test_a_share_of_short_waits_has_an_interval_from_the_weeks():
    week, rng = 7 * 24 * 3600, np.random.default_rng(1)
    submit = np.arange(20) * week
    skips_the_first = share_up_to([np.nan, *[1.0, 2.0, 3.0, 4.0] * 4, 1, 3, 4], 2, submit)
    assert skips_the_first.startswith("47% (")  # 9 of 19
    few_weeks = share_up_to([1.0, 3.0] * 4, 2, np.arange(8) * week)
    assert few_weeks.endswith("to 100%)")  # the interval of a share ends at 1
    same = share_up_to([np.nan, *[1.0, 3.0] * 4_000], 2, np.linspace(0, 20 * week, 8_001))
    assert same == "50% (50% to 50%)"
    # In half of the weeks, every wait is short, and in the others, none is.
    busy = np.repeat(rng.permutation([1.0, 3.0] * 10), 50)
    words = share_up_to(busy, 2, np.linspace(0, 20 * week, 1_000, endpoint=False))
    share, low, high = (float(number) for number in re.findall(r"(\d+)%", words))
    assert share == 50
    assert low < 35
    assert high > 65


def test_groups_by_requested_time_have_words_where_a_log_has_no_waits():
    log = recorded_log()
    jobs = log.jobs(request="total")
    known = job_sharing.by_requested_time(log, jobs, np.full(len(jobs), 7_200.0))
    assert (known["EASY's wait"] == "2.0 h").all()
    assert known["recorded wait"].str.fullmatch(r"[\d.]+ h").all()
    assert known["began at 17"].str.endswith("%").all()
    counts = [int(each.replace(",", "")) for each in known["jobs"]]
    assert sum(counts) == len(jobs)
    stand_in = job_sharing.by_requested_time(replace(log, is_stand_in=True), jobs, jobs.runtime)
    kept = ["recorded wait", "began at 17", "began Friday to Sunday"]
    assert (stand_in[kept] == NOT_RECORDED).all(axis=None)


def test_jobs_begin_at_the_hour_and_day_of_central_european_time():
    log = recorded_log()
    table = log.table.iloc[1:2].assign(submit=0, wait=0)
    # The job begins on Friday, 3 January 1997, at 16:30 UTC. In Stockholm, this is 17:30.
    one = replace(log, table=table, header=log.header | {"UnixStartTime": "852309000"})
    shown = job_sharing.by_requested_time(one, one.jobs(request="total"), [0.0])
    row = shown[shown["jobs"] == "1"].iloc[0]
    assert row["began at 17"] == "100%"
    assert row["began Friday to Sunday"] == "100%"
