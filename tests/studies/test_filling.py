"""Equation (2) in four steps, and why the job that is held over spoils (4) alone."""

import numpy as np
import pytest

import coalloc_lib as co
from studies.maximal_utilization import filling

THREE_OR_SIX = co.SizeDistribution([0, 0, 0, 0.5, 0, 0, 0.5])


@pytest.mark.parametrize(("processors", "largest"), [(8, 4), (5, 5), (9, 1)])
def test_the_last_job_of_a_fill_is_the_first_that_does_not_fit(processors, largest):
    generator = np.random.default_rng(1)
    for _ in range(50):
        jobs = filling.fill(processors, co.uniform(1, largest), generator)
        assert sum(jobs[:-1]) <= processors < sum(jobs)


def test_exactly_telescopes_into_equation_2():
    sizes = co.uniform(1, 4)
    chance = filling.exactly(8, sizes)
    assert chance.sum() == pytest.approx(1)
    level = 1 / (chance[1:] / np.arange(1, len(chance))).sum()
    bound = co.maximal_utilization(co.Multicluster([8]), sizes)
    assert level == pytest.approx(bound.multiprogramming_level)


def test_a_job_larger_than_the_cluster_is_refused():
    with pytest.raises(co.InputError, match="largest = 32 is more than processors = 4; give a"):
        filling.filling_picture(4, 32)
    explorer = filling.filling_explorer()
    explorer._holders["largest"].value = 32
    assert explorer.values["processors"] == 32
    explorer._holders["processors"].value = 4
    assert explorer.values["largest"] == 4
    assert "processors=4&largest=4" in explorer.scenario.value


def test_heads_and_oldest_jobs_are_those_of_a_hand_made_chain():
    """Equal times and one slot after another: the first of each slot was held over."""
    head, oldest = filling.waiting_and_oldest(8, THREE_OR_SIX, co.Deterministic(), jobs=20_000)
    # From a slot that begins with 6 the next begins with 6 half of the time; from 3, with 3/4.
    assert (oldest == 6).mean() == pytest.approx(0.6, abs=0.02)
    assert head[:-1].tolist() == oldest[1:].tolist()
