"""Are the intervals true? Over many runs, 95 % of them must hold the exact value."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics import Replications, crossing, student
from coalloc_lib.statistics.saturation import heavy_traffic, saturated_loss

#: System, component sizes, components, request: each with an exact capacity loss.
CASES = {
    "ordered": (co.Multicluster([8, 8]), co.uniform(1, 4), 2, "ordered"),
    "one cluster": (co.Multicluster([16]), co.power_of_two(0.8, 1, 16), 1, "total"),
    "flexible": (co.Multicluster([4, 8]), co.uniform(1, 4), 2, "flexible"),
}


def scenario_and_loss(system, *model):
    loss = co.maximal_utilization(system, *model).capacity_loss
    return co.Scenario(system, co.JobModel(*model)), loss


def share_covered(name, runs, jobs, batches):
    scenario, exact = scenario_and_loss(*CASES[name])
    how = {"jobs": jobs, "batches": batches}
    found = (saturated_loss(scenario, seed=seed, **how) for seed in spawn(7, runs))
    return np.mean([each.contains(exact) for each in found])


LENGTHS = [(1000, 4000, 20), (2000, 10_000, 30), (2000, 40_000, 30)]
FAST = ("one cluster", *LENGTHS[0])
FULL = [(name, *length) for name in CASES for length in LENGTHS]
LONG = [pytest.param(*each, marks=pytest.mark.long) for each in FULL if each != FAST]


@pytest.mark.parametrize(("name", "runs", "jobs", "batches"), [FAST, *LONG])
def test_batch_means_cover(name, runs, jobs, batches):
    """Of 1,000 intervals 93 to 97 % cover: three standard errors are 2 %."""
    assert 0.93 <= share_covered(name, runs, jobs, batches) <= 0.97


@pytest.mark.long
def test_replications_cover():
    """The same for intervals from ten independent runs each."""
    scenario, exact = scenario_and_loss(*CASES["ordered"])
    streams = (scenario.sample(1500, seed=seed) for seed in spawn(8, 10_000))
    means = [1 - heavy_traffic(scenario, stream).mean() for stream in streams]
    covered = np.mean([student(row).contains(exact) for row in np.reshape(means, (1000, 10))])
    assert 0.93 <= covered <= 0.97


def test_few_batches_of_a_short_run_do_not():
    """The check can fail: batches shorter than the correlation give intervals too narrow."""
    assert share_covered("one cluster", 200, 300, 100) < 0.9


def crossings_that_cover(difference, root, trials):
    """Share of the intervals of `trials` experiments that hold the true crossing."""
    found = (crossing(difference(np.random.default_rng(s)), 0, 0.8) for s in spawn(9, trials))
    return np.mean([each.interval.contains(root) for each in found])


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, shape: rng.normal(size=shape),
        # Of runs that are means of forty skewed ones.
        lambda rng, shape: (rng.gamma(40, size=shape) - 40) / np.sqrt(40),
    ],
    ids=["normal", "skewed"],
)
def test_crossings_cover(draw):
    """Where the noise too depends on x, and the difference is curved; three errors are 2 %."""
    root = 0.37

    def difference(rng):
        level, slope = draw(rng, (2, 10))
        return lambda x: Replications(np.expm1(x - root) + 0.1 * level + 0.1 * x * slope)

    assert 0.93 <= crossings_that_cover(difference, root, 1000) <= 0.97


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_crossings_cover_where_runs_share_less(share):
    """Noise that each number x has of its own widens the interval, rather than misplaces it."""

    def difference(rng):
        common = np.sqrt(1 - share) * rng.normal(size=10)
        return lambda x: Replications(
            20 * (x - 0.37) + common + np.sqrt(share) * rng.normal(size=10)
        )

    assert crossings_that_cover(difference, 0.37, 1000) >= 0.93
