"""The checks of the fourth notebook take right answers, and give hints that do not tell them."""

import numpy as np
import pytest
from scipy.optimize import brentq

import coalloc_lib as co
from coalloc_lib.sites import multi_site, sharing
from coalloc_lib.studies.job_sharing import workload_sets
from lessons.job_sharing import check
from tests.lessons.answers import assert_right, hint_of

M128, EASY = co.Multicluster([128] * 4), {"scheduling": co.EASY()}


def first_extract():
    return next(iter(workload_sets().values())).jobs.chopped(128).pieces


def awrt(schedule):
    """Written out anew: processors times run time."""
    weight = schedule.jobs.processors * schedule.jobs.runtime
    return float((weight * (schedule.end - schedule.jobs.submit)).sum() / weight.sum())


def under_fcfs():
    jobs, how = first_extract(), {"scheduling": co.FCFS()}
    return awrt(multi_site(M128, jobs, 0.25, **how)) / awrt(sharing(M128, jobs, **how))


def some_stay():
    jobs = first_extract()
    site = np.arange(len(jobs)) % 4  # a log is in order of submission
    rng = np.random.default_rng(np.random.SeedSequence(1).spawn(1)[0])
    home = np.where(rng.random(len(jobs)) < 0.5, site, -1)
    return awrt(sharing(M128, jobs, home=home, **EASY)) / awrt(sharing(M128, jobs, **EASY))


def two_halves():
    jobs = co.load_trace("KTH-SP2", missing="stand-in").jobs(request="total").chopped(50).pieces
    halves = co.Multicluster([50, 50])
    base = awrt(sharing(halves, jobs, **EASY))
    return brentq(lambda p: awrt(multi_site(halves, jobs, p, **EASY)) - base, 0, 0.4, xtol=0.002)


#: By exercise: the right answer, and wrong ones.
ANSWERS = {
    1: (lambda: (16 * 2 + 20 * 12) / 36, [4.0, 7.0, "hours", None]),  # responses 2 and 12
    2: (lambda: 4, [3, 5, 6]),  # the head goes at 6, and it comes at 2
    3: (under_fcfs, [1.04, 0.25]), 4: (some_stay, [1.0, 0.75]), 5: (two_halves, [0.25, np.inf]),
}  # fmt: skip


@pytest.mark.parametrize("number", ANSWERS)
def test_right_answers_are_taken_and_wrong_ones_get_a_hint_that_does_not_tell(number):
    right, wrong = ANSWERS[number][0](), ANSWERS[number][1]
    assert_right(check, number, right)
    for answer in wrong:
        assert f"{right:.2g}" not in hint_of(check, number, answer)
