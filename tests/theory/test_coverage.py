"""Are the intervals true? Over many runs, 95 % of them must hold the exact value."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.inference import student
from coalloc_lib.saturation import heavy_traffic, saturated_loss
from coalloc_lib.seeds import spawn

#: System, component sizes, components, request: each with an exact capacity loss.
CASES = {
    "ordered": (co.Multicluster([8, 8]), co.uniform(1, 4), 2, "ordered"),
    "one cluster": (co.Multicluster([16]), co.power_of_two(0.8, 1, 16), 1, "total"),
    "flexible": (co.Multicluster([4, 8]), co.uniform(1, 4), 2, "flexible"),
}


def exact_loss(case):
    system, sizes, components, request = case
    return co.maximal_utilization(system, sizes, components, request).capacity_loss


def share_covered(case, runs, jobs, batches):
    system, *model = case
    scenario = co.Scenario(system, co.JobModel(*model))
    exact = exact_loss(case)
    return np.mean(
        [
            saturated_loss(scenario, jobs=jobs, seed=seed, batches=batches).contains(exact)
            for seed in spawn(7, runs)
        ]
    )


@pytest.mark.parametrize("name", CASES)
def test_batch_means_cover(name):
    """Of 1,000 intervals 93 to 97 % cover: three standard errors are 2 %."""
    assert 0.93 <= share_covered(CASES[name], 1000, 4000, 20) <= 0.97


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("jobs", "batches"), [(10_000, 30), (40_000, 30)])
def test_batch_means_cover_at_length(name, jobs, batches):
    assert 0.93 <= share_covered(CASES[name], 2000, jobs, batches) <= 0.97


def test_replications_cover():
    """The same for intervals from ten independent runs each."""
    system, *model = case = CASES["ordered"]
    scenario, exact = co.Scenario(system, co.JobModel(*model)), exact_loss(case)
    streams = (scenario.sample(1500, seed=seed) for seed in spawn(8, 10_000))
    means = [1 - heavy_traffic(scenario, stream).mean() for stream in streams]
    covered = np.mean([student(row).contains(exact) for row in np.reshape(means, (1000, 10))])
    assert 0.93 <= covered <= 0.97


def test_few_batches_of_a_short_run_do_not():
    """The check can fail: batches shorter than the correlation give intervals too narrow."""
    assert share_covered(CASES["one cluster"], 200, 300, 100) < 0.9
