"""Intervals that answer, or say that they cannot; what a system bears."""

import pytest

from coalloc_lib.intervals import Bound, Interval, all_of, not_

SIX = Interval(0.6, 0.5, 0.7, 10)


@pytest.mark.parametrize(
    ("limit", "above", "below"),
    [
        (0.4, True, False),
        (0.5, None, False),
        (0.6, None, None),
        (0.7, False, None),
        (0.8, False, True),
    ],
)
def test_an_interval_decides_where_all_of_it_agrees(limit, above, below):
    assert SIX.above(limit) is above
    assert SIX.below(limit) is below


@pytest.mark.parametrize(
    ("ends", "answer"),
    [
        ((0.5, 0.7), True),
        ((0.5, 0.69), None),
        ((0.75, 1), False),
        ((0, 0.45), False),
        ((0.7, 1), None),
    ],
)
def test_between(ends, answer):
    assert SIX.between(*ends) is answer


def test_an_interval_in_doubt_decides_nothing_and_says_so():
    doubtful = Interval(0.6, 0.5, 0.7, 10, warning="three jobs")
    assert doubtful.above(0) is doubtful.below(1) is doubtful.between(0, 1) is None
    assert str(doubtful.complement()) == "0.4000 (no interval: three jobs)"


def test_all_of():
    assert all_of(True, True) is True
    assert all_of(True, None) is None
    assert all_of(False, None) is False
    assert [not_(True), not_(False), not_(None)] == [False, True, None]


def test_a_bound_is_a_utilization_and_a_loss():
    bound = Bound(SIX, "simulation")
    assert (bound.max_utilization, bound.capacity_loss) == (0.6, 0.4)
    assert (bound.loss.low, bound.loss.high) == pytest.approx((0.3, 0.5))
    assert bound.times(0.5).max_utilization == 0.3
    assert str(Bound(Interval.exact(0.75), "exact")) == "0.7500, exact"
