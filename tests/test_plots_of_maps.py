"""Maps number their cells, and say which of them are undecided."""

import matplotlib.colors
import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from tests.pictures import ENDLESS, texts


def test_heat_map_hatches_what_is_undecided_and_names_its_colours():
    intervals = {(0, 0): Interval(2, 1, 3, 5), (1, 0): Interval(0.1, -1, 1.2, 5)}
    labels = {"title": "t", "xlabel": "x", "ylabel": "y", "values": "points"}
    figure = plots.heat_map(intervals, rows=["a", "b"], columns=["c"], **labels)
    assert texts(figure.axes[0]) == ["+2.0 ± 1.0", "+0.1 ± 1.1"]
    assert [bool(patch.get_hatch()) for patch in figure.axes[0].patches] == [False, True]
    assert figure.axes[1].get_ylabel() == "points"


@pytest.mark.parametrize("value", [Interval.exact(np.inf), *ENDLESS])
def test_a_map_of_what_is_not_finite_or_of_nothing_is_refused(value):
    labels = {"title": "t", "xlabel": "x", "ylabel": "y", "values": "points"}
    known = {(0, 0): Interval(2, 1, 3, 5), (1, 0): value}
    with pytest.raises(InputError, match=r"^intervals\[\(1, 0\)\] = .*; .* leave it out"):
        plots.heat_map(known, rows=["a", "b"], columns=["c"], **labels)
    with pytest.raises(InputError, match=r"^intervals = {}; give"):
        plots.heat_map({}, rows=["a"], columns=["c"], **labels)


CELLS = {
    (0, 0): Interval(-20, -25, -15, 8),
    (0, 1): Interval(5, 3, 7, 8),
    (1, 0): Interval(-1, -5, 3, 8),
    (1, 1): Interval(900, 800, 990, 8),
    (1, 2): plots.LONGER,
    (0, 2): plots.NEITHER,
}


def drawn_maps(panels, **how):
    labels = {"rows": ["low", "high"], "columns": ["a", "b", "c"]}
    axes = {"xlabel": "x", "ylabel": "y"}
    return plots.maps(panels, title="Maps", **(labels | axes | how))


def test_maps_number_their_cells_and_hatch_what_is_undecided():
    figure = drawn_maps({"one": CELLS, "two": CELLS}, values="change, %")
    one = figure.axes[0]
    written = [text for text in texts(one) if text]
    assert {"−20", "+5", "−1", "×10", "∞", "×"} <= set(written)
    places = {patch.get_xy(): patch for patch in one.patches}
    assert [at for at, patch in places.items() if patch.get_hatch()] == [(0, 1)]
    green, brown = (places[at].get_facecolor() for at in ((0, 0), (1, 0)))
    assert green[1] > green[0]
    assert brown[0] > brown[2]
    assert matplotlib.colors.to_rgba(plots.NEITHER.colour) == places[2, 0].get_facecolor()
    assert one.get_title(loc="left") == "one"
    assert figure.axes[-1].get_ylabel() == "change, %"
    in_doubt = Interval(-20, -25, -15, 8, doubt="rising")
    doubted = drawn_maps({"one": {(0, 0): in_doubt}}).axes[0].patches
    assert [patch.get_hatch() for patch in doubted] == ["////"]


def test_maps_have_a_line_where_the_sign_turns():
    # (0, 0) and (1, 0) are shorter; (0, 1), (1, 1) and (1, 2) longer; what is neither is not.
    axes = drawn_maps({"one": CELLS}).axes[0]
    ends = {tuple((float(x), float(y)) for x, y in line.get_xydata()) for line in axes.get_lines()}
    assert ends == {
        ((1, 0), (1, 1)),
        ((1, 1), (1, 2)),
        ((2, 0), (2, 1)),
        ((2, 1), (3, 1)),
    }


def test_maps_of_kinds_explain_them_and_have_no_line():
    kinds = {"gain": plots.Mark("+", "#003C30"), "undecided": plots.Mark("")}
    marks = dict(zip([(0, 0), (0, 1)], kinds.values(), strict=True))
    figure = drawn_maps({"one": marks, "two": marks, "three": marks}, kinds=kinds)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(kinds)
    hatched = [patch.get_hatch() for patch in figure.legends[0].get_patches()]
    assert hatched == [None, "////"]
    assert not figure.axes[0].get_lines()
    assert not figure.axes[3].axison  # the place of a fourth


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_cell_that_is_not_finite_is_refused_by_its_place(value):
    bad = {(0, 1): Interval(value, value, value, 0)}
    with pytest.raises(InputError, match=r"panels\['one'\]\[\(0, 1\)\]"):
        drawn_maps({"one": bad})
    with pytest.raises(InputError, match="panels"):
        drawn_maps({})
    with pytest.raises(InputError, match=r"panels\['one'\]"):
        drawn_maps({"one": {}})
