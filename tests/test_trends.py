"""Lines over a number, on axes that are linear or logarithmic."""

import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval

SAID = {"title": "seen", "xlabel": "hours", "ylabel": "share"}
LINES = {"Online": [(1.0, Interval(0.5, 0.4, 0.6, 9)), (100.0, Interval(0.01, -0.1, 0.5, 9))]}


def lines_of(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata()) > 1]


def test_points_are_where_they_are_said_to_be():
    figure = plots.trends({"one": LINES}, **SAID)
    (line,) = lines_of(figure.axes[0])
    assert line.get_xdata().tolist() == [1, 100]
    assert line.get_ydata().tolist() == [0.5, 0.01]
    assert figure.axes[0].get_ylim()[0] == 0


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show():
    points = [(0.0, 0.9), (1.0, 0.5), (10.0, 0.0), (20.0, 0.1)]
    figure = plots.trends({"one": {"Online": points}}, scales=("log", "log"), **SAID)
    (line,) = lines_of(figure.axes[0])
    assert line.get_xdata().tolist() == [1, 20]
    low, high = figure.axes[0].get_ylim()
    assert 0 < low < 0.1 < 0.5 < high


def test_the_limits_hold_every_line_and_not_every_band():
    wide = {"EASY": [(1.0, Interval(3.0, -90.0, 99.0, 4)), (2.0, Interval(40.0, 1.0, 4e6, 4))]}
    for scale in ("linear", "log"):
        figure = plots.trends({"one": LINES | wide}, scales=("linear", scale), **SAID)
        low, high = figure.axes[0].get_ylim()
        assert low <= 0.01
        assert 40 < high < 99


def test_panels_have_axes_of_their_own():
    scales = {"one": ("log", "log"), "two": ("linear", "log")}
    figure = plots.trends({"one": LINES, "two": LINES}, scales=scales, **SAID)
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "linear"]
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["one", "two"]


def test_what_is_printed_is_a_diamond_and_said():
    printed = {"one": [("Online", 10.0, float("nan")), ("Online", 20.0, 0.3)]}
    figure = plots.trends({"one": LINES}, scales=("log", "log"), printed=printed, **SAID)
    marks = [line for line in figure.axes[0].get_lines() if len(line.get_xdata()) == 1]
    assert [mark.get_marker() for mark in marks] == [plots.PRINT.marker] * 2
    assert marks[0].get_ydata()[0] == figure.axes[0].get_ylim()[0]
    told = " ".join(text.get_text() for text in figure.texts)
    assert "printed" in told
    plain = plots.trends({"one": LINES}, **SAID)
    assert "printed" not in " ".join(text.get_text() for text in plain.texts)


def test_a_name_has_its_sign_and_a_dashed_line():
    both = LINES | {"EASY": LINES["Online"]}
    figure = plots.trends({"one": both}, dashed=("EASY",), **SAID)
    online, easy = lines_of(figure.axes[0])
    assert (online.get_color(), easy.get_color()) == tuple(
        plots.MEANINGS[name].colour for name in both
    )
    assert (online.get_linestyle(), easy.get_linestyle()) == ("-", "--")


def test_points_that_are_not_numbers_are_left_out():
    points = [(1.0, np.nan), (2.0, 3.0), (4.0, 5.0)]
    figure = plots.trends({"one": {"Online": points}}, **SAID)
    assert lines_of(figure.axes[0])[0].get_xdata().tolist() == [2, 4]


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="places out of order"):
        plots.trends({"one": {"Online": [(2.0, 1.0), (1.0, 1.0)]}}, **SAID)
    with pytest.raises(InputError, match="scale of x"):
        plots.trends({"one": LINES}, scales=("cubic", "log"), **SAID)
    with pytest.raises(InputError, match="panels"):
        plots.trends({}, **SAID)


def test_the_first_line_lies_on_top_and_every_power_of_ten_is_marked():
    points = [(1.0, 1e-5), (10.0, 1.0)]
    figure = plots.trends(
        {"one": {"first": points, "second": points}},
        title="seen", xlabel="x", ylabel="y", scales=("log", "log"),
    )  # fmt: skip
    figure.canvas.draw()
    (axes,) = figure.axes
    first, second = axes.get_lines()
    assert first.get_zorder() > second.get_zorder()
    low, high = axes.get_ylim()
    marked = [at for at in axes.get_yticks() if low <= at <= high]
    assert marked == pytest.approx([10.0**k for k in range(-5, 1)])
