"""Times, changes and lists in words."""

import numpy as np
import pytest

from own_system.words import changed, duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (-0.4, "0 s"), (89, "89 s"), (600, "10 min"), (5400, "1.5 h"), (86_400, "24 h"),
     (1e6, "11.6 days"), (np.nan, "–")],
)  # fmt: skip
def test_times_are_in_the_unit_that_suits_them(seconds, words):
    assert duration(seconds) == words


def test_a_change_and_its_interval_have_one_unit():
    assert changed(-11_000, -17_000, 30) == "−3.1 h (−4.7 to +0.0)".replace("+0.0", "0.0")
    assert changed(60) == "+60 s"
    assert changed(1.25, -0.5, 3, times=False) == "+1.2 (−0.5 to +3.0)"
