"""Folded answers of notebook 03 are those of the library: the break-even penalty by the load."""

import numpy as np
import pytest

import coalloc_lib as co
from studies.communication_penalty import WHOLE, scenario


@pytest.mark.parametrize(("load", "ends"), [(0.5, None), (0.6, (0.121, 0.108, 0.138)), (0.7, None)])
def test_with_many_jumps_the_full_system_breaks_even_at_a_lower_penalty(load, ends):
    def means(**split):
        asked = scenario(max_jumps=100, workload=WHOLE.with_(**split))
        runs = [asked.simulate(jobs=10_000, load=load, seed=seed) for seed in range(1, 11)]
        return co.statistics.Replications([each.response[1_000:].mean() for each in runs])

    def longer(penalty):
        return means(above=10, parts=4, span_penalty=penalty) - means()

    found = co.statistics.crossing(difference=longer, low=0, high=0.3, budget=8).interval
    if ends:
        assert (found.estimate, found.low, found.high) == pytest.approx(ends, abs=0.0006)
    share = WHOLE.sizes.probabilities
    work = sum(size * chance for size, chance in enumerate(share) if size > 10) / WHOLE.sizes.mean
    split, whole = (
        co.max_utilization_by_simulation(scenario(100, jobs), jobs=100_000).max_utilization
        for jobs in (WHOLE.with_(above=10), WHOLE)
    )
    full = (split / whole - 1) / work
    assert full == pytest.approx(0.080, abs=0.0006)
    assert full < found.low
    assert np.isfinite(found.high)
