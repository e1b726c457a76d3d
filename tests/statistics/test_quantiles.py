"""Quantiles of the jobs of a log, compared with counting."""

import numpy as np
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.times import DAY
from coalloc_lib.statistics.quantiles import _influence_on_quantiles, resample_quantiles


@pytest.mark.parametrize("percent", range(1, 101))
def test_a_quantile_is_the_smallest_value_that_enough_jobs_do_not_exceed(percent):
    """Of the values 1 to 100, exactly k are at most k."""
    values = np.random.default_rng(percent).permutation(np.arange(1.0, 101.0))
    found = resample_quantiles(values, percent / 100, np.arange(100) * DAY, resamples=2)
    assert found.means.tolist() == [percent]


def test_resamples_that_need_too_much_memory_are_refused():
    submit = np.arange(20_000) * DAY
    with pytest.raises(
        InputError, match="resamples = 10000 for a log that is divided into 20,000 steps"
    ):
        resample_quantiles(np.ones(20_000), 0.5, submit, resamples=10_000)


@pytest.mark.parametrize("resamples", ["x", None, 0, 2.5])
def test_a_wrong_number_of_resamples_is_named(resamples):
    with pytest.raises(InputError, match="resamples = "):
        resample_quantiles(np.ones(60), 0.5, np.arange(60) * DAY, resamples=resamples)


def test_the_influence_of_a_day_is_its_excess_times_the_slope_of_the_resamples():
    """Both days have two jobs; the excess of values above 2.5 is -1 on day 0 and 1 on day 1."""
    values, day = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1])
    counts = np.array([[2, 0], [1, 1], [0, 2], [1, 1]])  # how often each resample has each day
    resampled = 2.5 + 3 * (counts @ np.array([[-1.0], [1.0]]))
    influence = _influence_on_quantiles(values, np.array([2.5]), day, counts, resampled)
    assert influence == pytest.approx(np.array([[-3.0, 3.0]]))
