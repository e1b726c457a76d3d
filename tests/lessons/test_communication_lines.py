"""Folded answers of notebook 03 are those of the library: who gains, and the break-even penalty."""

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize(
    ("jumps", "load", "penalty", "whole", "split"),
    [
        (8, 0.786, 0.1, (-0.90, 0.52), (-4.56, 0.61)),
        (8, 0.786, 0.15, (0.90, 0.67), (-2.08, 0.56)),
        (8, 0.786, 0.2, (3.11, 0.87), (0.64, 0.81)),
        (100, 0.786, 0.0, (0.84, 0.15), (-7.71, 0.41)),
        (100, 0.786, 0.15, (3.11, 0.46), (-2.36, 0.48)),
        (8, 0.6, 0.1, (0.15, 0.04), (-1.19, 0.08)),
    ],
)
def test_jobs_of_medium_size_lose_before_those_that_pay(jumps, load, penalty, whole, split):
    def means(seed, above):
        jobs = WHOLE.with_(above=above, parts=4, span_penalty=penalty)
        ran = scenario(max_jumps=jumps, workload=jobs).simulate(jobs=20_000, load=load, seed=seed)
        sizes = pd.Series(ran.jobs.processors[2_000:])
        response = pd.Series(ran.response[2_000:])
        return [response[sizes.between(*ends)].mean() for ends in ((7, 10), (11, 19))]

    later = [np.subtract(means(seed, 10), means(seed, 19)) for seed in range(1, 11)]
    for values, (mean, half_width) in zip(np.transpose(later), (whole, split), strict=True):
        found = co.student(pd.Series(values))
        assert (found.estimate, found.half_width) == pytest.approx((mean, half_width), abs=0.006)


@pytest.mark.parametrize(
    ("above", "penalty", "share"), [(19, 0, 0.47), (10, 0, 0.39), (10, 0.15, 0.32)]
)
def test_components_take_the_room_of_whole_jobs_of_medium_size(above, penalty, share):
    jobs, roomy = WHOLE.with_(above=above, parts=4, span_penalty=penalty), []
    for seed in range(1, 6):
        ran = scenario(max_jumps=8, workload=jobs).simulate(jobs=20_000, load=0.786, seed=seed)
        times = np.linspace(ran.jobs.submit[2_000], ran.jobs.submit[-1], 3_000)
        begun, ended = (
            np.cumsum(np.asarray(ran.allocation)[np.argsort(at)], axis=0)[
                np.searchsorted(np.sort(at), times, side="right") - 1
            ]
            for at in (ran.start, ran.end)
        )
        free = 20 - (begun - ended)
        roomy.append((free.max(axis=1) >= 8).mean())
    assert np.mean(roomy) == pytest.approx(share, abs=0.006)
