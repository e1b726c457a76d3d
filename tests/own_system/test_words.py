"""Times, changes and lists in words."""

import numpy as np
import pytest

from own_system.words import changed, duration, in_a_row


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (-0.4, "0 s"), (89, "89 s"), (91, "1.5 min"), (149, "2.5 min"),
     (600, "10 min"), (5400, "1.5 h"), (86_400, "24 h"),
     (1e6, "11.6 days"), (np.nan, "–")],
)  # fmt: skip
def test_times_are_in_the_unit_that_suits_them(seconds, words):
    assert duration(seconds) == words


def test_a_change_and_its_interval_have_one_unit():
    assert changed(-11_000, -17_000, 30) == "−3.1 h (−4.7 to +0.0)".replace("+0.0", "0.0")
    assert changed(60) == "+60 s"
    assert changed(1.25, -0.5, 3, times=False) == "+1.2 (−0.5 to +3.0)"
    assert changed(-30, -120, 60) == "−0.5 min (−2.0 to +1.0)"


def test_two_durations_of_a_few_minutes_differ_where_their_difference_is_sure():
    assert in_a_row(100, 70, -30, -40, -20) == ("1.7 min", "1.2 min", "−0.5 min (−0.7 to −0.3)")


def test_two_durations_are_told_where_their_difference_or_its_interval_is_not_known():
    unknown = np.nan
    assert in_a_row(7200, 3600, -3600, unknown, unknown) == ("2.0 h", "1.0 h", "−1.0 h")
    assert in_a_row(7200, unknown, unknown, unknown, unknown) == ("2.0 h", "–", "–")
