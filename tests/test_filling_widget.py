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


@pytest.mark.parametrize(
    ("processors", "largest", "step", "words"),
    [
        (8, 4, 0, "Between 2 and 4 jobs fit, and what is left over stays idle"),
        (8, 1, 0, "8 jobs fit, and nothing is left over"),
        (8, 4, 1, "Most often exactly 3 jobs fit"),
        (2, 2, 1, "Most often exactly 1 job fits"),
        (8, 1, 1, "Always 8 jobs fit"),
        (8, 4, 2, "Fewer jobs at once last longer, and weigh more"),
        (8, 1, 2, "Always 8 jobs fit: there is nothing to weigh"),
        (8, 1, 3, "8.00 jobs in service on average keep 100% busy"),
    ],
)
def test_each_step_says_what_is_seen(processors, largest, step, words):
    picture = widgets.filling_picture(processors, largest, filling.STEPS[step], coarse=True)
    assert picture.alt.startswith(words)
    assert not picture.alt.removeprefix(words)[:1].isalnum()


def test_counts_that_are_equally_likely_share_the_title():
    title = filling._counts_title(np.array([0, 0.4, 0.4, 0.2]), weighed=False)
    assert title == "Most often exactly 1 or 2 jobs fit"


def test_fills_are_counted_as_they_are_filled_one_by_one():
    sizes = co.uniform(1, 4)
    fits = filling.counted(8, sizes, np.random.default_rng(1), 20_000)
    shares = np.bincount(fits, minlength=9) / len(fits)
    assert shares == pytest.approx(filling.exactly(8, sizes), abs=0.02)
    jobs = sizes.sample(np.random.default_rng(2), 9)
    alone = filling.counted(8, sizes, np.random.default_rng(2), 1)
    assert alone == np.searchsorted(np.cumsum(jobs), 8, side="right")


def test_while_a_control_is_moved_fewer_fills_are_counted(monkeypatch):
    asked = []
    drawn = filling.counted
    monkeypatch.setattr(filling, "counted", lambda *a: asked.append(a[-1]) or drawn(*a))
    for coarse in (True, False):
        widgets.filling_picture(step=filling.STEPS[1], coarse=coarse)
    assert asked == [filling.FEW, filling.COUNTED]


def test_a_step_that_there_is_not_is_refused():
    with pytest.raises(co.InputError, match=r"^step = '5 rest'; choose one of '1 fill'"):
        widgets.filling_picture(step="5 rest")


def test_no_job_is_larger_than_the_cluster():
    with pytest.raises(co.InputError, match="largest = 32; give at most processors, which is 4"):
        widgets.filling_picture(4, 32)
    explorer = widgets.filling_explorer()
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
