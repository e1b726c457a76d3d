"""Intervals in rows: each at its place, open ends with arrows, and what is in doubt dotted."""

import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.estimates import Interval


def drawn(interval, **how):
    """Return the picture of one interval, from 0 to 1, beside a printed 0.5."""
    return plots.ranges(
        {"load": {"row": {"S1": interval}}},
        title="seen",
        xlabel="psi",
        span=(0.0, 1.0),
        printed={"load": {"row": {"S1": 0.5}}},
        **how,
    )


def lines(figure):
    """Return the places of each line and mark, by its marker; intervals have none."""
    return {line.get_marker(): line for line in figure.axes[0].get_lines()}


def said(figure):
    return " ".join(text.get_text().replace("\n", " ") for text in figure.texts)


def test_an_interval_has_its_ends_its_middle_and_what_is_printed():
    figure = drawn(Interval(0.3, 0.2, 0.6, 5))
    found = lines(figure)
    assert list(found["None"].get_xdata()) == [0.2, 0.6]
    places = [float(line.get_xdata()[0]) for line in found.values()]
    assert sorted(places) == [0.2, 0.3, 0.5]
    assert not {"<", ">"} & set(found)
    assert "◇: printed" in said(figure)
    assert "dotted" not in said(figure)


@pytest.mark.parametrize(
    ("ends", "arrows", "reach"),
    [
        ((-np.inf, -np.inf, 0.4), {"<"}, [0, 0.4]),
        ((0.7, 0.4, np.inf), {">"}, [0.4, 1]),
        ((0.7, -np.inf, np.inf), {"<", ">"}, [0, 1]),
        ((0.7, 0.4, 1.2), {">"}, [0.4, 1]),
    ],
)
def test_what_goes_on_beyond_the_picture_has_an_arrow(ends, arrows, reach):
    found = lines(drawn(Interval(*ends, 5)))
    assert {"<", ">"} & set(found) == arrows
    assert list(found["None"].get_xdata()) == reach


def test_arrows_are_explained_where_there_is_one():
    there, none = (drawn(Interval(0.3, 0.2, high, 5), beyond="arrow: on") for high in (1.2, 0.9))
    assert "arrow: on" in said(there)
    assert "arrow" not in said(none)


def test_an_axis_of_factors_has_a_line_at_1():
    figure = plots.ranges(
        {"a": {"row": {"S1": Interval(0.1, 0.05, 0.2, 5)}}}, title="t", xlabel="x",
        span=(0.005, 2.0), printed={}, factors=True,
    )  # fmt: skip
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert list(axes.get_xticks()) == [0.01, 0.1, 1]
    assert any(list(line.get_xdata()) == [1, 1] for line in axes.get_lines())


def test_what_is_in_doubt_is_dotted_and_said():
    figure = drawn(Interval(0.3, 0.2, 0.6, 5, doubt="too short"))
    assert lines(figure)["None"].get_linestyle() == ":"
    assert "dotted: in doubt" in said(figure)
    assert lines(drawn(Interval(0.3, 0.2, 0.6, 5)))["None"].get_linestyle() == "-"


def test_special_rows_are_hollow_and_others_are_not():
    special = ("whole jobs saturate", {("load", "row")})
    sign = next(iter(plots.signs(["S1"]).values()))
    hollow, full = (
        lines(figure)[sign.marker].get_markerfacecolor()
        for figure in (
            drawn(Interval(0.3, 0.2, 0.6, 5), hollow=special),
            drawn(Interval(0.3, 0.2, 0.6, 5)),
        )
    )
    assert (hollow, full) == ("white", sign.colour)
    assert "hollow: whole jobs saturate" in said(drawn(Interval(0.3, 0.2, 0.6, 5), hollow=special))


def test_words_stand_beside_their_interval_where_there_is_room():
    """On the side that has more of it, and only where there are words."""
    for ends, side in (((0.2, 0.1, 0.3), "left"), ((0.8, 0.7, 0.9), "right")):
        axes = drawn(Interval(*ends, 5), words={("load", "row", "S1"): "2 % refused"}).axes[0]
        (text,) = (each for each in axes.texts if each.get_text() == "2 % refused")
        assert text.get_ha() == side
        assert text.xy[0] == (ends[2] if side == "left" else ends[1])
    assert not drawn(Interval(0.2, 0.1, 0.3, 5), words={("load", "row", "S1"): ""}).axes[0].texts
