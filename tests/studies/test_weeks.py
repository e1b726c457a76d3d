"""Means over the weeks of one log: sums by week, and the same weeks for what is compared."""

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import DAY, WEEK, NotRunError, block_of, pick, resample_weeks
from studies.weeks import (
    Bootstrap,
    WeeklySums,
    rows_by_week,
    week_of,
    weekly_sums,
)

WEEKS = 12
BY_WEEKS = Bootstrap(200, 3)


@pytest.fixture
def jobs():
    """Return submissions and waits of 600 jobs in twelve weeks, and which jobs are wide."""
    rng = np.random.default_rng(5)
    submit = np.sort(rng.uniform(0, WEEKS * WEEK, 600))
    submit[[0, -1]] = 0, WEEKS * WEEK - 1
    return submit, rng.gamma(0.5, 4.0, 600), rng.random(600) < 0.3


@pytest.fixture
def runs(jobs):
    """Return runs of two policies for two groups of jobs; waits are twice as long under one."""
    submit, wait, wide = jobs
    week, rows = week_of(submit), []
    for policy, factor in (("one", 1.0), ("other", 2.0)):
        for group, mine in (("narrow", ~wide), ("wide", wide)):
            values = {"jobs": np.ones(mine.sum()), "wait": factor * wait[mine]}
            rows += rows_by_week(week[mine], values, WEEKS, policy=policy, group=group)
    return pd.DataFrame(rows)


def test_jobs_belong_to_the_week_in_which_they_came():
    submit = 5.0 + np.array([0.0, 6.9 * DAY, 7 * DAY, 30 * DAY])
    assert week_of(submit).tolist() == [0, 0, 1, 4]


def test_a_week_without_jobs_has_sums_of_0():
    rows = list(rows_by_week(np.array([0, 2, 2]), {"wait": np.array([1.0, 2.0, 4.0])}, 4, log="a"))
    assert [row["wait"] for row in rows] == [1.0, 0.0, 6.0, 0.0]
    assert [row["replication"] for row in rows] == [0, 1, 2, 3]
    assert {row["log"] for row in rows} == {"a"}


def test_means_are_those_of_the_jobs_and_intervals_those_of_their_weeks(jobs, runs):
    submit, wait, wide = jobs
    found = BY_WEEKS.mean(weekly_sums(pick(runs, policy="one", group="wide"), "wait", "jobs"))
    mine = [wait[wide]], wide[wide], submit[wide]
    weeks = resample_weeks(*mine, step=WEEK, resamples=200, seed=3)
    by_hand = weeks.interval(lambda means: means[0])
    assert found.estimate == pytest.approx(wait[wide].mean())
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high))


@pytest.mark.parametrize("weeks", [8, 15, 16, 17, 24, 32, 40])
def test_blocks_of_weekly_sums_are_as_long_as_those_of_the_jobs(weeks):
    """The last job is submitted shortly before the end of the last week."""
    submit = np.linspace(0, weeks * WEEK - 60, 50 * weeks)
    wait = np.random.default_rng(1).exponential(size=len(submit))
    sums = [np.bincount(week_of(submit), each) for each in (wait, np.ones(len(submit)))]
    found = BY_WEEKS.mean(WeeklySums(*sums))
    by_job = resample_weeks(wait, np.ones(len(submit)), submit, step=WEEK, resamples=200, seed=3)
    by_hand = by_job.interval(lambda means: means[0])
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high))
    assert found.count == by_hand.count == weeks // min(weeks // 8, 4)


def test_groups_that_are_added_up_are_all_jobs(jobs, runs):
    both = weekly_sums(pick(runs, policy="one"), "wait", "jobs", added=["group"])
    assert both.mean == pytest.approx(jobs[1].mean())
    assert both.denominators.sum() == len(jobs[1])


def test_what_is_compared_has_the_same_weeks(runs):
    wide = pick(runs, group="wide")
    one, other = (weekly_sums(pick(wide, policy=p), "wait", "jobs") for p in ("one", "other"))
    ratio = BY_WEEKS.ratio(other, one)
    assert (ratio.low, ratio.estimate, ratio.high) == pytest.approx((2, 2, 2))
    less, alone = BY_WEEKS.difference(other, one), BY_WEEKS.mean(one)
    # Waits are twice as long in every week, so the difference equals the shorter mean and has about
    # the same uncertainty.
    assert less.estimate == pytest.approx(alone.estimate)
    assert [less.low, less.high] == pytest.approx([alone.low, alone.high], rel=0.05)


def test_no_job_is_no_interval_and_nothing_over_nothing_is_1():
    none, some = np.zeros(WEEKS), np.ones(WEEKS)
    assert BY_WEEKS.mean(WeeklySums(none, none)).warning
    assert BY_WEEKS.ratio(WeeklySums(some, some), WeeklySums(none, none)).above(0) is None
    nothing = WeeklySums(none, some)
    assert BY_WEEKS.ratio(nothing, nothing).estimate == 1
    assert BY_WEEKS.ratio(WeeklySums(some, some), nothing).estimate == np.inf


def test_sums_of_different_weeks_are_not_compared():
    longer, shorter = (WeeklySums(np.ones(weeks), np.ones(weeks)) for weeks in (8, 7))
    mixed = WeeklySums(np.ones(8), np.ones(7))
    for call in (
        lambda: BY_WEEKS.difference(longer, shorter),
        lambda: BY_WEEKS.ratio(longer, shorter),
        lambda: BY_WEEKS.mean(mixed),
    ):
        with pytest.raises(InputError, match=r"shapes \[\(7,\), \(8,\)\]; give sums of the same"):
            call()


def test_runs_of_several_settings_or_of_none_are_refused(runs):
    with pytest.raises(InputError, match="differ in policy;"):
        weekly_sums(runs, "wait", "jobs", added=["group"])
    with pytest.raises(InputError, match="differ in policy, group;"):
        weekly_sums(runs, "wait", "jobs")
    disjoint = runs[(runs["policy"] == "one") == (runs["replication"] < 5)]
    with pytest.raises(InputError, match="differ in policy;"):
        weekly_sums(pick(disjoint, group="wide"), "wait", "jobs")
    with pytest.raises(NotRunError, match="no run has a week of wait"):
        weekly_sums(pick(runs, policy="third"), "wait", "jobs")


def test_columns_that_are_missing_and_negative_weeks_are_refused(runs):
    one = pick(runs, policy="one", group="wide")
    with pytest.raises(NotRunError, match="x is not a column of the runs"):
        weekly_sums(one, "x", "jobs")
    with pytest.raises(NotRunError, match="replication is not a column"):
        weekly_sums(one.drop(columns="replication"), "wait", "jobs")
    with pytest.raises(InputError, match="replication = -1; weeks are counted from 0"):
        weekly_sums(one.assign(replication=one["replication"] - 1), "wait", "jobs")


def test_a_week_that_occurs_twice_is_refused(runs):
    one = pick(runs, policy="one")
    for rows, added in ((pick(one, group="wide"), []), (one, ["group"])):
        with pytest.raises(InputError, match="the same replication of a setting twice; give each"):
            weekly_sums(pd.concat([rows, rows[:1]]), "wait", "jobs", added)


@pytest.mark.parametrize(
    ("week", "hours", "words"),
    [
        ([0, 5], [1.0, 2.0], r"week\[1\] = 5; give numbers from 0 to weeks - 1 = 0"),
        ([-1, 0], [1.0, 2.0], r"week\[0\] = -1; give numbers from 0"),
        ([0, 0], [1.0], r"values\['hours'\] has the shape \(1,\) and week \(2,\); give one value"),
    ],
)
def test_jobs_of_other_weeks_are_refused(week, hours, words):
    with pytest.raises(InputError, match=f"^{words}"):
        list(rows_by_week(np.array(week), {"hours": np.array(hours)}, 1))


@pytest.mark.parametrize(
    ("submit", "words"),
    [
        ([0, np.nan], r"submit\[1\] = nan; give a finite number"),
        ([], "submit is empty; give the submission time of at least one job"),
        ([[0.0, 1.0]], "submit has 2 dimensions; give one time for each job"),
    ],
)
@pytest.mark.parametrize("function", [week_of, block_of])
def test_wrong_submission_times_are_named(function, submit, words):
    with pytest.raises(InputError, match=f"^{words}$"):
        function(submit)


def test_too_few_weeks_are_counted_as_weeks():
    short = WeeklySums(np.ones(3), np.ones(3))
    with pytest.raises(InputError, match=r"^the log has 3 weeks, but a bootstrap needs 4; give"):
        BY_WEEKS.mean(short)
