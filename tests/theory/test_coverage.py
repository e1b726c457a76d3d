"""The coverage of confidence intervals: about 95 % of many intervals contain the exact value."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics import Replications, crossing, student
from coalloc_lib.statistics.saturation import heavy_traffic, saturated_loss

#: Cases whose capacity loss is known exactly: system, component sizes, number of components, and
#: request type.
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
    """Of 1,000 intervals, 93 to 97 % contain the exact value. Three standard errors of this
    fraction are 2 %."""
    assert 0.93 <= share_covered(name, runs, jobs, batches) <= 0.97


@pytest.mark.long
def test_replications_cover():
    """The coverage is also right for intervals from ten independent runs each."""
    scenario, exact = scenario_and_loss(*CASES["ordered"])
    streams = (scenario.sample(1500, seed=seed) for seed in spawn(8, 10_000))
    means = [1 - heavy_traffic(scenario, stream).mean() for stream in streams]
    covered = np.mean([student(row).contains(exact) for row in np.reshape(means, (1000, 10))])
    assert 0.93 <= covered <= 0.97


def test_few_batches_of_a_short_run_do_not():
    """The coverage test can fail: batches that are shorter than the correlation give intervals that
    are too narrow."""
    assert share_covered("one cluster", 200, 300, 100) < 0.9


def crossings_that_cover(difference, root, trials):
    """Return the fraction of `trials` intervals that contain the true crossing of two curves."""
    found = (crossing(difference(np.random.default_rng(s)), 0, 0.8) for s in spawn(9, trials))
    return np.mean([each.interval.contains(root) for each in found])


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, shape: rng.normal(size=shape),
        # Each run is the mean of forty random numbers with a skewed distribution.
        lambda rng, shape: (rng.gamma(40, size=shape) - 40) / np.sqrt(40),
    ],
    ids=["normal", "skewed"],
)
def test_crossings_cover(draw):
    """The noise depends on x, and the difference of the curves is not linear. Three standard errors
    of the coverage are 2 %."""
    root = 0.37

    def difference(rng):
        level, slope = draw(rng, (2, 10))
        return lambda x: Replications(np.expm1(x - root) + 0.1 * level + 0.1 * x * slope)

    assert 0.93 <= crossings_that_cover(difference, root, 1000) <= 0.97


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_crossings_cover_where_runs_share_less(share):
    """Noise that is independent for each x widens the interval of the crossing, but does not shift
    it."""

    def difference(rng):
        common = np.sqrt(1 - share) * rng.normal(size=10)
        return lambda x: Replications(
            20 * (x - 0.37) + common + np.sqrt(share) * rng.normal(size=10)
        )

    assert crossings_that_cover(difference, 0.37, 1000) >= 0.93
