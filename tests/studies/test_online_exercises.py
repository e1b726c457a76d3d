"""The exercises of the study of online scheduling: right answers pass, wrong ones get a hint."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.studies import online_batch as study
from coalloc_lib.studies.online_batch import exercises, runs
from coalloc_lib.studies.online_batch.parameters import HOUR, KTH
from tests.studies.answers import assert_right, hint_of
from tests.studies.small_logs import small_logs


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Exercises on a log that is made up."""
    made = small_logs()
    monkeypatch.setattr(exercises, "logs", lambda: made)
    exercises._small_ratio.cache_clear()
    yield made
    exercises._small_ratio.cache_clear()


def right(made):
    """Return the answers, worked out in another way."""
    log = made[KTH]
    system, exact = co.Multicluster([100]), log.jobs.replace(estimate=None)
    online = co.simulate(system, exact, scheduling=co.Online())
    small = log.jobs.runtime < HOUR
    penalties = [(each / log.jobs.runtime)[small].mean() for each in (log.recorded, online.wait)]
    asked, early = (
        np.nanmean(co.simulate(system, log.jobs, scheduling=policy).wait)
        for policy in (co.Online(), co.Online(release_early=True))
    )
    ahead = runs.standard(log, share=0.5).jobs()
    reserved = co.simulate(system, ahead, scheduling=co.Online()).wait
    more = (np.nanmean(reserved) - np.nanmean(online.wait)) / HOUR
    return {1: 2, 2: 5, 3: penalties[0] / penalties[1], 4: early / asked, 5: more}


@pytest.mark.parametrize("number", exercises.EXERCISES)
def test_right_answers_pass_and_wrong_ones_do_not(small, number):
    answer = right(small)[number]
    assert_right(study.check, number, answer)
    for wrong in (3 * answer + 1, answer / 2, None):
        assert hint_of(study.check, number, wrong)
