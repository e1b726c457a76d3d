"""What logs are like: against the tables that they were made from."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import DAY, WEEK
from coalloc_lib.statistics.site_comparison import together
from coalloc_lib.workloads.swf import SwfLog
from own_system import sites_report
from own_system.log_tables import doubts
from own_system.usage import in_use
from tests.own_system.conftest import BEGAN, CLUSTERS


@pytest.fixture(scope="module")
def compared(logs):
    """Return the usable jobs of each log in the time that all logs cover."""
    usable = {name: log.usable for name, log in logs.items()}
    last = min(jobs["submit"].max() for jobs in usable.values())
    first = max(jobs["submit"].min() for jobs in usable.values())
    return {name: jobs[jobs["submit"].between(first, last)] for name, jobs in usable.items()}


def test_facts_are_those_of_the_jobs_that_are_compared(report, logs, compared):
    facts = report.tables["logs"].set_index("site")
    for name, jobs in compared.items():
        row = facts.loc[name]
        assert row["jobs"] == len(jobs)
        assert row["without_run_time"] == 1
        assert row["in_file"] == len(logs[name]) == len(jobs) + 1 + row["outside"]
        assert row["without_estimate"] == pytest.approx((jobs["requested_time"] < 0).mean())
        assert row["used_of_estimate_median"] == pytest.approx(1 / 3)
        assert row["past_estimate"] == 0
        assert row["widest"] == jobs["processors"].max()
        begins = (jobs["submit"] + jobs["wait"]).to_numpy()
        ends = begins + jobs["runtime"].to_numpy()
        seconds = np.linspace(begins.min(), ends.max(), 20_001)
        used = [jobs["processors"].to_numpy()[(begins <= t) & (t < ends)].sum() for t in seconds]
        assert row["busiest"] == pytest.approx(np.quantile(used, 0.99), abs=1)
        came = np.sort(jobs["submit"])
        assert row["gap"] == pytest.approx(np.diff(came).max(), rel=0.2)
        began = pd.Timestamp(BEGAN + jobs["submit"].min(), unit="s", tz="Europe/Stockholm")
        assert row["from"] == f"{began:%Y-%m-%d}"
        work = (jobs["processors"] * jobs["runtime"]).sum()
        span = max(j["submit"].max() for j in compared.values()) - min(
            j["submit"].min() for j in compared.values()
        )
        assert row["load"] == pytest.approx(work / (span * CLUSTERS[name]))
        assert len(row["sha256"]) == 64


def test_weekly_loads_add_up_to_the_work(report, compared):
    weeks = report.tables["weeks"]
    begin = min(jobs["submit"].min() for jobs in compared.values())
    for name, jobs in compared.items():
        mine = weeks.query("site == @name", local_dict={"name": name})
        full = mine[mine["week"] < 4]
        inside = jobs["submit"] < begin + 4 * WEEK
        work = (jobs["processors"] * jobs["runtime"])[inside].sum()
        assert full["load"].sum() * CLUSTERS[name] * WEEK == pytest.approx(work)
        assert full["jobs"].sum() == inside.sum()


def test_cycles_follow_the_clock_of_the_site(report, compared):
    cycles = report.tables["cycles"]
    for name, jobs in compared.items():
        came = pd.to_datetime(BEGAN + jobs["submit"], unit="s", utc=True)
        hours = came.dt.tz_convert("Europe/Stockholm").dt.hour
        mine = cycles[(cycles["site"] == name) & (cycles["cycle"] == "hour of the day")]
        expected = [(hours == hour).mean() for hour in range(24)]
        np.testing.assert_allclose(mine["share"], expected)


def test_waits_are_recorded_and_those_of_the_model(report, logs, compared):
    waits = report.tables["waits"].set_index(["grouping", "site", "group"]).sort_index()
    system, jobs, site, _ = together(CLUSTERS, logs, "calendar")
    alone = co.sites.local(system, jobs, site, scheduling=co.EASY())
    for number, (name, mine) in enumerate(compared.items()):
        row = waits.loc["all", name, name]
        assert row["recorded_mean"] == pytest.approx(mine["wait"].mean())
        assert row["recorded_median"] == pytest.approx(mine["wait"].median())
        assert row["model_mean"] == pytest.approx(alone.wait[site == number].mean())
        assert row["model_median"] == pytest.approx(np.median(alone.wait[site == number]))
        of_queue = mine[mine["queue"] == 1]
        assert waits.loc["queue", name, f"{name} queue 1"]["recorded_mean"] == pytest.approx(
            of_queue["wait"].mean()
        )
        users = waits.loc["user", name]
        assert users["jobs"].sum() == len(mine)
        assert users["share_of_work"].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("recorded", "model", "doubted"),
    [(100, 100, False), (1000, 400, True), (1000, 2100, True), (1000, 1900, False),
     (5, 60, False), (np.nan, 60, True)],
)  # fmt: skip
def test_the_model_stands_within_a_factor_of_two_or_a_minute(recorded, model, doubted):
    row = {"grouping": "all", "site": "north", "recorded_mean": recorded, "model_mean": model}
    row |= {"jobs": 9, "known": 9}
    assert ("north" in doubts(pd.DataFrame([row]), facts())) == doubted


def facts(**known):
    """Return facts about a log that raise no doubt, except for the given facts."""
    row = {"site": "north", "busiest": 16, "processors": 16, "load": 0.5, "gap": 3 * DAY}
    return pd.DataFrame([row | known])


@pytest.mark.parametrize(
    ("known", "of_jobs", "words"),
    [
        (
            {"busiest": 17},
            {},
            "up to 17 processors were in use at once, but it has 16: check",
        ),
        ({"busiest": 7.9}, {}, "no more than 8 of its 16 processors are in use"),
        ({"load": 1.21}, {}, "its log offers 1.21 times the work that its processors can do"),
        ({"gap": 15 * DAY}, {}, "no jobs for 15.0 days; in the model its machine is idle"),
        ({}, {"known": 4}, "only 4 of its 9 jobs have a recorded wait"),
    ],
)
def test_a_log_that_does_not_go_with_its_machine_is_doubted(known, of_jobs, words):
    row = {"grouping": "all", "site": "north", "recorded_mean": 100, "model_mean": 100}
    rows = pd.DataFrame([row | {"jobs": 9, "known": 9} | of_jobs])
    found = doubts(rows, facts(**known))
    assert words in found["north"]
    assert not doubts(pd.DataFrame([row | {"jobs": 9, "known": 5}]), facts(busiest=16.5, gap=DAY))
    assert not doubts(pd.DataFrame([row | {"jobs": 9, "known": 9}]), facts(busiest=8))


def test_jobs_after_the_last_year_that_has_dates_are_refused(logs):
    late = logs["north"].table.assign(submit=logs["north"].table["submit"] + 9e18)
    sizes = {"one": CLUSTERS["north"], "other": CLUSTERS["north"]}
    every = dict.fromkeys(sizes, SwfLog(logs["north"].header, late, "late"))
    with pytest.raises(co.InputError, match=r"^late: its last job is .* after the year 9998; give"):
        sites_report(sizes, every)


def test_what_is_in_use_is_weighted_by_time():
    """Nine for a second in a hundred count only from a share of more than 99 %."""
    begins, ends, wide = [0, 50], [100, 51], np.array([3, 6], dtype=np.uint8)
    assert in_use(begins, ends, wide) == 3
    assert in_use(begins, ends, wide, 0.995) == 9
    assert in_use([5], [5], [4]) == 0
