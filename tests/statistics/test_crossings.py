"""Where lines cross, by hand; what lies beyond the places that were run is a bound."""

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import (
    Crossings,
    NotRunError,
    Replications,
    crossings,
    first_crossing,
    mean_crossing,
    ratios_along,
    rows_of,
    student,
)

PLACES = [0.0, 0.1, 0.2]


def line(*replications):
    """Return a line: for each place, the values of all replications."""
    return {
        x: Replications(np.array(at))
        for x, at in zip(PLACES, np.transpose(replications), strict=True)
    }


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([-1, -0.5, 0.5], 0.15), ([-3, 1, 2], 0.075), ([1, -1, -2], -np.inf),
        ([-3, -2, -1], np.inf), ([-1, 1, -1], 0.05), ([0, 1, 2], 0.0), ([-1, 0, 1], 0.1),
        ([0, 0, 0], np.inf), ([-np.inf, 1, 2], 0.1), ([-1, np.inf, np.inf], 0.0),
        ([-np.inf, -np.inf, np.inf], 0.15), ([-np.inf, -1, 1], 0.15),
    ],
)  # fmt: skip
def test_a_first_crossing_by_hand(values, place):
    assert first_crossing(np.array(values), PLACES) == pytest.approx(place)


def test_a_mean_crosses_where_its_interval_has_the_level():
    rows = [0.8, 1.1, 1.5], [0.9, 1.0, 1.4], [0.85, 0.95, 1.45]
    found = mean_crossing(line(*rows), level=1.0).interval
    for x, inside in (
        (found.low - 0.005, False),
        (found.estimate, True),
        (found.high + 0.005, False),
    ):
        at = student([np.interp(x, PLACES, row) for row in rows])
        assert at.contains(1.0) is inside
    below = mean_crossing(line(*np.subtract(rows, 0.8)), level=1.0)
    assert below.answer == "below throughout"


def test_a_line_may_be_infinite_at_a_place():
    """Below the level a saturated queue has -inf; the line then rises only at the next place."""
    infinite = {0.0: Replications([-np.inf, -1.0]), 1.0: Replications([1.0, 1.0])}
    assert crossings(infinite).values.tolist() == [1.0, 0.5]
    assert mean_crossing(infinite).interval.estimate == pytest.approx(1.0, abs=0.02)
    step = {0.0: Replications([-np.inf] * 2), 1.0: Replications([np.inf] * 2)}
    assert crossings(step).values.tolist() == [0.5, 0.5]
    assert mean_crossing(step).interval.estimate == pytest.approx(0.5, abs=0.02)


def test_nan_in_a_line_is_refused():
    holed = {0.0: Replications([-1.0, -1.0]), 0.5: Replications([np.nan, 1.0])}
    for call in (crossings, mean_crossing):
        with pytest.raises(InputError, match=r"^line holds NaN at x = 0\.5; give numbers"):
            call(holed)
    with pytest.raises(InputError, match=r"^values = .* holds NaN; give numbers"):
        first_crossing(np.array([-1.0, np.nan]), [0.0, 1.0])


@pytest.mark.parametrize("values", [[-1.0, -1.0, 3.0], [-1.0], [[-1.0, 1.0]], []])
def test_a_value_without_a_place_is_refused(values):
    with pytest.raises(InputError, match=r"^values has the shape .* and places has 2 numbers; giv"):
        first_crossing(values, [0.0, 1.0])


def test_a_warning_near_a_crossing_is_passed_on():
    rising = line([-1, 0.5, 2], [-1, 0.6, 2], [-1, 0.4, 2])
    rising[0.1] = Replications(rising[0.1].values, "few jobs")
    assert mean_crossing(rising).interval.warning == "few jobs"


def test_crossings_of_replications_are_compared_in_pairs():
    low, high = line([-1, 1, 3], [-2, 1, 3]), line([-1, 0.5, 3], [-2, 0.5, 3])
    less = crossings(high).less(crossings(low))
    by_hand = np.array([0.1 / 1.5, 0.2 / 2.5]) - np.array([0.05, 0.2 / 3])
    assert less.estimate == pytest.approx(by_hand.mean())
    assert less.half_width == pytest.approx(student(by_hand).half_width)
    apart = crossings(high).less(crossings(low), in_pairs=False)
    assert apart.estimate == pytest.approx(less.estimate)
    assert apart.half_width > less.half_width


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        ([0.1, 0.1], [0.1, 0.1], True, True), ([np.inf, 0.1], [0.1, 0.1], True, False),
        ([-np.inf, 0.1], [0.1, 0.1], False, True), ([0.1, 0.1], [np.inf, 0.1], False, True),
        ([np.inf, 0.1], [np.inf, 0.1], False, False),
    ],
)  # fmt: skip
def test_what_crosses_beyond_the_places_is_a_bound(one, other, low, high):
    one, other = (Crossings(np.array(values), 0.0, 0.2) for values in (one, other))
    less = one.less(other)
    assert np.isfinite([less.low, less.high]).tolist() == [low, high]
    assert np.isfinite(one.mean.high) == (np.inf not in one.values)
    assert np.isfinite(one.prediction.low) == (-np.inf not in one.values)
    assert one.prediction.half_width >= one.mean.half_width or not np.isfinite(one.mean.half_width)


def test_a_line_is_read_from_runs():
    waits = {("sharing", 0.0): [2, 4], ("spanning", 0.2): [3, 8], ("spanning", 0.0): [1, 4]}
    rows = []
    for (way, penalty), values in waits.items():
        rows += rows_of(Replications(np.array(values)), "wait", way=way, penalty=penalty)
    known = ratios_along(
        pd.DataFrame(rows),
        "wait",
        "penalty",
        {"way": "spanning"},
        {"way": "sharing", "penalty": 0.0},
    )
    assert {x: at.values.tolist() for x, at in known.items()} == {0.0: [0.5, 1.0], 0.2: [1.5, 2.0]}


def test_a_line_of_one_place_has_no_crossing():
    with pytest.raises(NotRunError, match="1 values of x"):
        crossings({0.1: Replications(np.array([1.0, 2.0]))})
    with pytest.raises(InputError, match="ascending"):
        crossings(dict(reversed(line([0, 1, 2], [0, 1, 2]).items())))
    with pytest.raises(InputError, match=r"^line has different numbers of replications"):
        crossings({0.0: Replications([1.0]), 1.0: Replications([1.0, 2.0])})
