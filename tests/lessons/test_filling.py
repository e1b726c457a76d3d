"""Equation (2) in four steps, and why the job that is held over spoils (4) alone."""

import numpy as np
import pytest

import coalloc_lib as co
from lessons import filling

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


def test_fills_are_counted_as_they_are_filled_one_by_one():
    sizes = co.uniform(1, 4)
    fits = filling.counted(8, sizes, np.random.default_rng(1), 20_000)
    shares = np.bincount(fits, minlength=9) / len(fits)
    assert shares == pytest.approx(filling.exactly(8, sizes), abs=0.02)
    jobs = sizes.sample(np.random.default_rng(2), 9)
    alone = filling.counted(8, sizes, np.random.default_rng(2), 1)
    assert alone == np.searchsorted(np.cumsum(jobs), 8, side="right")


@pytest.mark.parametrize("step", filling.STEPS)
@pytest.mark.parametrize(("processors", "largest"), [(8, 4), (2, 2), (8, 1)])
def test_each_step_has_its_picture(step, processors, largest):
    picture = filling.filling_picture(processors, largest, step, coarse=True)
    assert picture.image
    if (step, processors, largest) == (filling.STEPS[3], 8, 1):
        assert picture.alt == "8.00 jobs in service on average keep 100% busy"


def test_while_a_control_is_moved_fewer_fills_are_counted(monkeypatch):
    asked = []
    drawn = filling.counted
    monkeypatch.setattr(filling, "counted", lambda *a: asked.append(a[-1]) or drawn(*a))
    for coarse in (True, False):
        filling.filling_picture(step=filling.STEPS[1], coarse=coarse)
    assert asked == [filling.FEW, filling.COUNTED]


def test_a_step_that_there_is_not_and_a_job_larger_than_the_cluster_are_refused():
    with pytest.raises(co.InputError, match=r"^step = '5 rest'; choose one of '1 fill'"):
        filling.filling_picture(step="5 rest")
    with pytest.raises(co.InputError, match="largest = 32; give at most processors, which is 4"):
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


def test_with_exponential_times_the_oldest_job_is_as_drawn_and_the_head_is_not():
    head, oldest = filling.waiting_and_oldest(8, THREE_OR_SIX, co.Exponential(), jobs=20_000)
    assert (oldest == 6).mean() == pytest.approx(0.5, abs=0.02)
    # z1 = 6: any head; 3 then 6: 6; 3 then 3: any. So 1/4 + 1/4 + 1/8.
    assert (head == 6).mean() == pytest.approx(0.625, abs=0.02)
    assert "the oldest job is as drawn" in filling.held_over_picture().alt
