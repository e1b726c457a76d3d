"""Quantiles of the jobs of a log, compared with counting."""

import numpy as np
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.times import DAY
from coalloc_lib.statistics.quantiles import resample_quantiles


@pytest.mark.parametrize("percent", range(1, 101))
def test_a_quantile_is_the_smallest_value_that_enough_jobs_do_not_exceed(percent):
    """Of the values 1 to 100, exactly k are at most k."""
    values = np.random.default_rng(percent).permutation(np.arange(1.0, 101.0))
    found = resample_quantiles(values, percent / 100, np.arange(100) * DAY, resamples=2)
    assert found.means.tolist() == [percent]


def test_resamples_that_need_too_much_memory_are_refused():
    submit = np.arange(20_000) * DAY
    with pytest.raises(InputError, match="resamples = 10000 of a log of 20,000 steps"):
        resample_quantiles(np.ones(20_000), 0.5, submit, resamples=10_000)


@pytest.mark.parametrize("resamples", ["x", None, 0, 2.5])
def test_a_wrong_number_of_resamples_is_named(resamples):
    with pytest.raises(InputError, match="resamples = "):
        resample_quantiles(np.ones(60), 0.5, np.arange(60) * DAY, resamples=resamples)
