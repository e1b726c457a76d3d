"""The checks of all exercises take right answers, and give hints that do not tell them."""

import re

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import coalloc_lib as co
from coalloc_lib.simulation.sites import multi_site, sharing
from own_system import lesson as own_system
from studies.cluster_configurations import FOUR
from studies.cluster_configurations import lesson as cluster_configurations
from studies.communication_penalty import WHOLE, scenario
from studies.communication_penalty import lesson as communication_penalty
from studies.job_sharing import lesson as job_sharing
from studies.job_sharing import workloads
from studies.maximal_utilization import lesson as maximal_utilization
from studies.online_batch import lesson as online_batch
from studies.online_batch import model
from tests.studies.small_logs import small_logs

M128, EASY = co.Multicluster([128] * 4), {"scheduling": co.EASY()}


class WidestFirst(co.Scheduling):
    def start_jobs(self, state):
        for job in sorted(state.queue, key=lambda job: -job.processors):
            state.start(job)


class StopsAtTheFirst(co.Scheduling):
    def start_jobs(self, state):
        for job in sorted(state.queue, key=lambda job: -job.processors):
            if not state.start(job):
                break


class Misspelt(co.Scheduling):
    def start_jobs(self, state):
        state.begin(state.queue[0])


# In the next functions, the answers of notebooks 02 and 03 are found with other random jobs than
# those of the check.


def utilization(sizes=(32,) * 4, jobs=FOUR, **how):
    asked = co.Scenario(co.Multicluster(sizes), jobs, **how)
    return 1 - co.saturated_loss(asked, jobs=100_000, seed=5, backlog=50).estimate


def break_even_under_first_fit():
    both = FOUR, FOUR.with_(merged_into=1)
    spread, whole = (utilization(jobs=jobs, placement=co.FirstFit()) for jobs in both)
    return spread / whole - 1


def gap_with_overtaking():
    return utilization() - utilization((64, 32, 16, 16), scheduling=co.FPFS(50))


def split(psi, max_jumps=0, above=10):
    return scenario(max_jumps, WHOLE.with_(above=above, span_penalty=psi))


def threshold_of_more_jobs():
    def later(psi):
        return co.compare(split(psi, 20, above=5), scenario(20), load=0.7, seed=5).estimate

    return brentq(later, 0.0, 0.4, xtol=0.002)


def threshold_at_need():
    def costs(psi):
        at_need = split(psi).with_(placement=co.SingleThenSpan(co.WorstFit()))
        return co.compare(scenario(0), at_need, seed=5).estimate

    return brentq(costs, 0.0, 0.6, xtol=0.005)


def harm_by_best_fit():
    half = WHOLE.with_(above=10, kept_whole=0.5)
    asked = (scenario(8, jobs).with_(placement=co.BestFit()) for jobs in (half, WHOLE))
    how = {"jobs": 40_000, "replications": 8, "seed": 5}
    split, whole = (co.curves.response_times(each, 0.7, **how).mean() for each in asked)
    return split / whole


def first_extract():
    return next(iter(workloads(1).values()))[0].chopped(128).subjobs


def awrt(schedule):
    """Return the average weighted response time; the weight is processors times run time."""
    weight = schedule.jobs.processors * schedule.jobs.runtime
    return float((weight * (schedule.end - schedule.jobs.submit)).sum() / weight.sum())


def under_fcfs():
    jobs, how = first_extract(), {"scheduling": co.FCFS()}
    return awrt(multi_site(M128, jobs, 0.25, **how)) / awrt(sharing(M128, jobs, **how))


def one_more_sample():
    """The half-width of Student's interval of a single further value, by scipy."""
    four, how = co.Multicluster([32] * 4), {"scheduling": co.EASY()}
    drawn = co.JobModel(sizes=co.parse_sizes("D(0.9)[1,32]"), request="total")
    gaps = []
    for seed in range(1, 11):
        jobs = drawn.sample(count=10_000, seed=seed, rate=1.0).with_load(system=four, load=0.6)
        gaps.append(awrt(multi_site(four, jobs, 0.2, **how)) - awrt(sharing(four, jobs, **how)))
    mean, high = np.mean(gaps), stats.t.interval(0.95, 9, np.mean(gaps), stats.sem(gaps))[1]
    return (high - mean) * np.sqrt(11)


def some_stay():
    jobs = first_extract()
    site = np.arange(len(jobs)) % 4  # a log is in order of submission
    rng = np.random.default_rng(np.random.SeedSequence(1).spawn(1)[0])
    home = np.where(rng.random(len(jobs)) < 0.5, site, -1)
    return awrt(sharing(M128, jobs, home=home, **EASY)) / awrt(sharing(M128, jobs, **EASY))


def three_machines():
    jobs = co.load_trace("KTH-SP2", missing="stand-in").jobs(request="total").chopped(34).subjobs
    thirds = co.Multicluster([34, 33, 33])
    base = awrt(sharing(thirds, jobs, **EASY))
    return brentq(lambda p: awrt(multi_site(thirds, jobs, p, **EASY)) - base, 0, 0.4, xtol=0.002)


def booked(scheduling, exact=True, ahead=False):
    """Return a schedule of the jobs of a log, and a mask of the jobs of more than 50 processors."""
    jobs = model.logs()[model.KTH].jobs
    jobs = jobs.replace(estimate=jobs.runtime) if exact else jobs
    jobs = jobs.reserved_ahead(0.5, 10_800, seed=1) if ahead else jobs
    return co.simulate(co.Multicluster([100]), jobs, scheduling=scheduling), jobs.processors > 50


def wide_jobs():
    (online, wide), (easy, _) = booked(co.Online()), booked(co.EASY())
    return online.wait[wide].mean() / easy.wait[wide].mean()


def refused_by_a_limit():
    limited = co.Online(max_attempts=9, release_early=True)
    schedule, wide = booked(limited, exact=False)
    return np.isnan(schedule.start[wide]).mean()


def wait_with_360():
    jobs = co.workloads.catalogue.load_stand_in("CTC-SP2").jobs(request="total")
    return co.simulate(co.Multicluster([360]), jobs, **EASY).wait.mean() / 3600


def common_weeks():
    """Return the jobs of the synthetic logs of KTH and of CTC in the weeks that both cover."""
    streams, week = [], 7 * 24 * 3600
    for name in ("KTH", "CTC"):
        log = co.workloads.catalogue.load_stand_in(f"{name}-SP2")
        jobs, epoch = log.jobs(request="total"), log.epoch or 0
        first_week = (jobs.submit.min() + epoch) // week
        streams.append(jobs.replace(submit=jobs.submit + epoch - first_week * week))
    begin = max(jobs.submit.min() for jobs in streams)
    end = min(jobs.submit.max() for jobs in streams)
    return [jobs[(jobs.submit >= begin) & (jobs.submit <= end)] for jobs in streams]


def sooner_instead_of_at_need():
    """Return by how many hours responses are shorter if jobs span only to end earlier."""
    means = [
        multi_site(co.Multicluster([100, 338]), co.merge(*common_weeks()), 0.25, scheduling=policy)
        .response.mean()
        for policy in (co.EASY(), co.EASY(adaptive=True))
    ]  # fmt: skip
    return (means[0] - means[1]) / 3600


def with_reservations():
    ahead, none = (booked(co.Online(), ahead=each)[0].wait.mean() for each in (True, False))
    return (ahead - none) / model.HOUR


def shared_waits(stays):
    """Return the waits at KTH and at CTC, in hours, if some jobs stay at their own site.

    The function `stays` tells which, given the jobs and the number of a site.
    """
    streams = common_weeks()
    homes = [np.where(stays(jobs, site), site, -1) for site, jobs in enumerate(streams)]
    # A stable sort by submission puts the jobs into the order of the merged stream.
    order = np.argsort(np.concatenate([jobs.submit for jobs in streams]), kind="stable")
    site, home = np.repeat([0, 1], [len(jobs) for jobs in streams])[order], np.concatenate(homes)
    machine = co.Multicluster([100, 338])
    run = sharing(machine, co.merge(*streams), home=home[order], scheduling=co.EASY())
    return [(run.wait[site == number] / 3600, run.jobs.submit[site == number])
            for number in (0, 1)]  # fmt: skip


def wider_guests():
    """Return the upper end of the change at CTC if guests may have 16 processors and not only 1."""
    narrow, wide = (
        shared_waits(lambda jobs, _, most=most: jobs.processors > most)[1] for most in (1, 16)
    )
    waits = np.array([narrow[0], wide[0]])
    weeks = co.statistics.resample_weeks(waits, np.ones_like(waits), narrow[1])
    return weeks.difference(1, 0).high


def kth_helps():
    """Return the mean wait of the jobs of KTH if only the jobs of CTC may be guests."""
    return shared_waits(lambda jobs, site: np.full(len(jobs), site == 0))[0][0].mean()


MU, CC, CP = maximal_utilization, cluster_configurations, communication_penalty
JS, OB, OS = job_sharing, online_batch, own_system
ONE_OR_ALL = co.SizeDistribution([0, 0.8, 0, 0, 0, 0, 0, 0, 0.2], name="one or all")
SOONER = "span only if sooner, penalty 0.25"
#: Each row has a lesson, the number of an exercise, the right answer or a function that finds it,
#: and wrong answers.
EXERCISES = [
    (MU, 1, 1 / 7, [6 / 7, "a seventh"]), (MU, 2, 0.9, [0.1, None]),
    (MU, 3, 6, [5, 6.5, float("nan")]), (MU, 4, 100, [50, 200]),
    (MU, 5, WidestFirst(), [co.FCFS(), StopsAtTheFirst(), 5]),
    (MU, 6, ONE_OR_ALL, [co.uniform(1, 4), co.uniform(1, 9), None]),
    (MU, 7, "bd", ["b", "abd", "", "bdz", 7, None]),
    (CC, 1, lambda: utilization() / 1.4, [0.894, 1.25]), (CC, 2, 2 / 3, [5 / 3, 0.6, 90 / 96]),
    (CC, 3, 12, [4, 8, (44, 44, 20, 20)]), (CC, 4, 16, [4, 8, "16 x 8"]),
    (CC, 5, break_even_under_first_fit, [1.13, 0.0, 0.3]),
    (CC, 6, gap_with_overtaking, [0.0, -0.13, 13, 0.1909, 0.194]),
    (CC, 7, "d, c", ["c", "acd", "bcd", "cde", True]),
    (CP, 1, 1.64, [0.64, 1.74, "slow"]), (CP, 2, 0.2, [1.2, 0.0, 0.25]),
    (CP, 3, 1.5, [0.15, 15, 10]), (CP, 4, 3, [2, 4, None]),
    pytest.param(CP, 5, threshold_of_more_jobs, [0.18, 0.21], marks=pytest.mark.long),
    (CP, 6, threshold_at_need, [0.21, 0.24, 0.4]),
    (CP, 7, harm_by_best_fit, [0.0, 0.97, 1.2, None]),
    (CP, 8, "BDE", ["bd", "de", "abde", "bcde", "f"]),
    (JS, 1, (16 * 2 + 20 * 12) / 36, [4.0, 7.0, "hours"]),  # responses 2 and 12
    (JS, 2, 4, [3, 5, 6]),  # the head goes at 6, and it comes at 2
    (JS, 3, under_fcfs, [1.04, 0.25]), (JS, 4, some_stay, [1.0, 0.75]),
    (JS, 5, three_machines, [0.25, np.inf]),
    (JS, 6, one_more_sample, [0.01566, 0.0495, 0.02297, 0.1]),
    (JS, 7, "cd", ["d", "acd", "bcd", "cde", ["c"]]),
    (OB, 1, 3, [4, 2, None]), (OB, 2, 5, [4, None]),
    (OB, 3, wide_jobs, [None]), (OB, 4, refused_by_a_limit, [None]),
    (OB, 5, with_reservations, [0.75, None]),
    (OB, 7, "cd", ["c", "d", "acd", "bcd", "cde", "cdf", 5]),
    (OS, 1, "conservative, alone", ["span", SOONER, "share one queue", 2]),
    (OS, 2, 408, [286, 200, 338, 1000]), (OS, 3, wait_with_360, [9.82, 5.61, 15_159, 4.0]),
    (OS, 4, sooner_instead_of_at_need, [-0.48, 1727, 0.0, 25]),
    (OS, 5, wider_guests, [-5.43, -2.59, 1.03, 0.0]), (OS, 6, kth_helps, [0.32, 0.89, 16_560, 1.6]),
    (OS, 7, "bc", ["b", "abc", "bcd", "bce", "f"]),
]  # fmt: skip


def hint_of(lesson, number, answer):
    """Return the hint that a wrong answer to an exercise gets, and check that it is one line."""
    words = lesson.check(number, answer).data
    assert f"Exercise {number}.</b> Not yet: " in words
    assert "\n" not in words
    return words.split("Not yet: ")[1]


@pytest.mark.parametrize(("lesson", "number", "right", "wrong"), EXERCISES)
def test_right_answers_are_taken_and_wrong_ones_get_a_hint(
    lesson, number, right, wrong, monkeypatch
):
    monkeypatch.setattr(model, "logs", small_logs())
    found = right() if callable(right) else right
    assert f"Exercise {number}.</b> Right" in lesson.check(number, found).data
    if lesson is OB and not isinstance(found, str):
        wrong = [3 * found + 1, found / 2, *wrong]
    hints = [hint_of(lesson, number, answer) for answer in wrong]
    if lesson is not OB and not (lesson is CP and callable(right)):
        told = f"{found:.2g}" if isinstance(found, int | float) else str(found)
        assert not any(told in re.sub(r"128|1 \+ lambda", "", hint) for hint in hints)


@pytest.mark.parametrize(
    ("option", "at", "hours", "right"),
    [
        ("conservative, alone", "all", (-1.1, -2.6, 0.5), "share one queue"),  # if the south agrees
        ("conservative, alone", "south", (0.3, 0.1, 0.9), "share one queue"),
        ("share one queue", "south", (-0.6, -1.2, -0.1), "conservative, alone"),
        (SOONER, "all", (-1.4, -2.9, -0.2), "conservative, alone"),
    ],
)
def test_the_recommended_option_of_07_follows_from_its_table(option, at, hours, right, monkeypatch):
    """The answer to exercise 1 of notebook 07 follows from its table by the rule of the report."""
    monkeypatch.setattr(OS, "HOURS", {**OS.HOURS, option: {**OS.HOURS[option], at: hours}})
    replies = {name: OS.check(1, name).data for name in OS.HOURS}
    assert [name for name, words in replies.items() if "Right" in words] == [right]
    shown = OS.changes_table().loc[option, at]
    assert shown.startswith(f"{hours[0]:+.1f} (".replace("-", "−"))


def test_what_a_policy_of_the_readers_raises_is_told():
    hint = hint_of(MU, 5, Misspelt)
    assert "your code raises" in hint
    assert "AttributeError: " in hint
