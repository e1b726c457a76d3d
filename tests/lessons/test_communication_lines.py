"""Folded answers of notebook 03 are those of the library: the break-even penalty by the load."""

import pytest

import coalloc_lib as co
from studies.communication_penalty import WHOLE, scenario


@pytest.mark.parametrize(
    ("jumps", "ends", "full"),
    [(8, (0.203, 0.174, 0.237), (0.163, 0.008)), (100, (0.114, 0.098, 0.135), (0.081, 0.003))],
)
def test_the_full_system_breaks_even_at_a_lower_penalty(jumps, ends, full):
    def means(**split):
        asked = scenario(max_jumps=jumps, workload=WHOLE.with_(**split))
        runs = [asked.simulate(jobs=10_000, load=0.7, seed=seed) for seed in range(1, 11)]
        return co.statistics.Replications([each.response[1_000:].mean() for each in runs])

    def longer(penalty):
        return means(above=10, parts=4, span_penalty=penalty) - means()

    def carried(jobs):
        asked = scenario(jumps, jobs)
        losses = [co.saturated_loss(asked, jobs=50_000, seed=seed) for seed in range(1, 11)]
        return [1 - loss.estimate for loss in losses]

    found = co.statistics.crossing(difference=longer, low=0, high=0.3, budget=8).interval
    assert (found.estimate, found.low, found.high) == pytest.approx(ends, abs=0.0006)
    share = WHOLE.sizes.probabilities
    work = sum(size * chance for size, chance in enumerate(share) if size > 10) / WHOLE.sizes.mean
    pairs = zip(carried(WHOLE.with_(above=10)), carried(WHOLE), strict=True)
    gained = co.statistics.Replications([(split / whole - 1) / work for split, whole in pairs])
    assert (gained.mean, gained.interval.half_width) == pytest.approx(full, abs=0.0006)
    assert gained.interval.high < found.low
