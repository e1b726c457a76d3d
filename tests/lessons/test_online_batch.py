"""The exercises of the fifth notebook: right answers pass, wrong ones get a hint."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.studies.online_batch import runs
from coalloc_lib.studies.online_batch.runs import HOUR, KTH
from lessons.online_batch import check
from tests.lessons.answers import assert_right, hint_of
from tests.studies.small_logs import small_logs


def right(log):
    """Return the answers, worked out in another way."""
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


@pytest.mark.parametrize("number", range(1, 6))
def test_right_answers_pass_and_wrong_ones_do_not(monkeypatch, number):
    monkeypatch.setattr(runs, "logs", small_logs())
    answer = right(runs.logs()[KTH])[number]
    assert_right(check, number, answer)
    for wrong in (3 * answer + 1, answer / 2, None):
        assert hint_of(check, number, wrong)
