"""Signs: different meanings have different colours and markers, and one meaning has one style."""

from itertools import combinations

import matplotlib.colors
import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.plots.tables import looks

#: This matrix turns linear red, green and blue into what people with red-green blindness see
#: (Machado and others, 2009).
DEUTERANOPIA = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
#: Names that one figure may hold together.
TOGETHER = (
    ("ordered", "unordered", "total", "flexible"),
    ("independent", "dependent"),
    ("worst fit", "first fit", "best fit", "single then span"),
    ("equation", "simulated"),
    ("FCFS", "FPFS", "EASY", "Conservative", "Online"),
    ("four components", "one component"),
)


@pytest.mark.parametrize("names", TOGETHER)
def test_meanings_can_be_told_apart_also_by_red_green_blind_readers(names):
    signs = plots.signs(names)
    assert len({sign.marker for sign in signs.values()}) == len(names)
    seen = [matplotlib.colors.to_rgb(sign.colour) for sign in signs.values()]
    for one, other in combinations(np.power(seen, 2.2), 2):
        assert np.linalg.norm(DEUTERANOPIA @ (one - other)) > 0.08


def test_a_meaning_looks_the_same_whatever_is_said_beside_it():
    both = plots.signs(["ordered requests", "unordered (simulated)"])
    assert both["ordered requests"] == plots.MEANINGS["ordered"]
    assert both["unordered (simulated)"] == plots.MEANINGS["unordered"] == plots.STANDARD


def test_more_lines_than_own_styles_have_different_styles():
    names = [f"scenario {i}" for i in range(40)]
    styles = list(plots.signs(names).values())
    assert len(set(styles)) == len(names)
    assert len({sign.colour for sign in styles[:5]}) == 5
    assert len(plots.signs(map(str, range(99)))) == 99


def test_a_style_that_the_caller_gives_to_one_line_is_not_given_to_another():
    given = {"mine": plots.STANDARD, "not drawn": plots.MEANINGS["EASY"]}
    found = looks(["mine", "FCFS", "EASY"], given)
    assert found["mine"] == plots.STANDARD != found["FCFS"]
    assert found["EASY"] == plots.MEANINGS["EASY"]
    other = looks(["mine", "yours"], {"mine": found["FCFS"]})
    assert other["mine"] != other["yours"]


def test_shades_of_another_colour_map_share_no_colour_and_an_unknown_one_is_refused():
    names = ["0.05", "0.1", "0.2"]
    usual, others = plots.shades(names), plots.shades(names, "inferno")
    assert not {each.colour for each in usual.values()} & {each.colour for each in others.values()}
    with pytest.raises(InputError, match=r"^colour_map = 'warm'; give the name of a colour map"):
        plots.shades(names, "warm")
