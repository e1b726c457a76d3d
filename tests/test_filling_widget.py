"""Equation (2) in four steps, and why the job that is held over spoils (4) alone."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import widgets
from coalloc_lib.estimates import Interval
from coalloc_lib.widgets import filling

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


@pytest.mark.parametrize("step", filling.STEPS)
def test_each_step_has_words(step):
    assert len(widgets.filling_picture(6, 3, step, coarse=True).alt) > 20


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


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.5, 0.6), "as drawn with exponential times, but not with equal times"),
        ((0.6, 0.5), "as drawn with equal times, but not with exponential times"),
        ((0.5, 0.5), "The oldest job is as drawn, whatever"),
        ((0.6, 0.6), "The oldest job is not as drawn, whatever"),
    ],
)
def test_the_title_follows_the_shares(shares, words):
    labels = ("exponential times", "equal times")
    found = {label: Interval(s, s, s, 9) for label, s in zip(labels, shares, strict=True)}
    assert words in filling._held_over_title(found)


def test_the_picture_says_what_is_seen():
    assert "as drawn with exponential times, but not" in widgets.held_over_picture().alt
