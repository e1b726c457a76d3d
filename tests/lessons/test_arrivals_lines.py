"""The line of notebook 01 on groups of arrivals: its folded answer is that of the library."""

import numpy as np
import pytest

import coalloc_lib as co


def mean_wait(jobs, gaps, load):
    submit = np.cumsum(gaps) * jobs.mean_work / (load * 8)
    return co.simulate(co.Multicluster([4, 4]), jobs.replace(submit=submit)).wait.mean()


@pytest.mark.parametrize(("group", "times"), [(5, 12), (100, 240)])
def test_groups_lengthen_the_wait_and_not_the_load_that_the_system_carries(group, times):
    model = co.JobModel(sizes=co.uniform(1, 4), request="total")
    jobs = model.sample(100_000, seed=1)
    gaps, rng = np.zeros(len(jobs)), np.random.default_rng(1)
    gaps[::group] = rng.exponential(group, len(jobs) // group)
    ratio = mean_wait(jobs, gaps, 0.5) / mean_wait(jobs, np.ones(len(jobs)), 0.5)
    assert ratio == pytest.approx(times, rel=0.03)
    assert mean_wait(jobs, gaps, 0.85) > 3 * mean_wait(jobs, gaps, 0.8)
