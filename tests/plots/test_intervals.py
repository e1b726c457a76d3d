"""Charts of intervals and of deviations: their marks, arrows, bands and sizes."""

import numpy as np
import pandas as pd
import pytest

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from tests.plots.pictures import ON_LOG_AXIS, marker, subtitle_of, tick_labels


def interval(middle=0.3, low=0.2, high=0.6, /, span=(0.0, 1.0), more=None, **how):
    """Draw one interval on an axis from 0 to 1; return the figure and its drawn parts by marker.

    The dict `more` holds further columns.
    """
    row = {"psi": middle, "ci95_low": low, "ci95_high": high, "row": "row", "who": "S1"}
    row |= more or {}
    figure = plots.intervals(
        pd.DataFrame([row]), x="psi", row="row", series="who", span=span, **how
    )  # fmt: skip
    return figure, {marker(line): line for line in figure.axes[0].lines}


@pytest.mark.parametrize(
    ("ends", "arrows", "reach"),
    [
        ((-np.inf, -np.inf, 0.4), {"<"}, [0, 0.4]), ((0.7, 0.4, np.inf), {">"}, [0.4, 1]),
        ((np.nan, -np.inf, np.inf), {"<", ">"}, [0, 1]), ((0.7, 0.4, 0.9), set(), [0.4, 0.9]),
    ],
)  # fmt: skip
def test_what_goes_on_beyond_the_picture_has_an_arrow_that_is_explained(ends, arrows, reach):
    figure, found = interval(*ends, beyond="arrow: on")
    assert {"<", ">"} & set(found) == arrows
    assert found[""].get_xdata().tolist() == reach
    assert ("arrow: on" in subtitle_of(figure)) == bool(arrows)


@pytest.mark.parametrize(("value", "arrow"), [(-1.0, "<"), (9.0, ">")])
def test_an_estimate_beyond_the_axis_has_an_arrow_if_it_has_no_interval(value, arrow):
    figure, drawn = interval(value, np.nan, np.nan, beyond="beyond the axis")
    assert {"<", ">"} & set(drawn) == {arrow}
    assert "beyond the axis" in subtitle_of(figure)


@pytest.mark.parametrize(
    ("printed", "mark", "at"), [(-9.0, "<", 0), (9.0, ">", 1), (np.inf, ">", 1), (0.5, "D", 0.5)]
)
def test_a_printed_value_beyond_the_axis_has_an_arrow_in_the_style_of_the_diamond(
    printed, mark, at
):
    figure, drawn = interval(more={"paper": printed}, printed="paper", beyond="beyond the axis")
    assert {"<", ">", "D"} & set(drawn) == {mark}
    assert drawn[mark].get_xdata()[0] == at
    assert drawn[mark].get_markerfacecolor() == "white"
    assert ("beyond the axis" in subtitle_of(figure)) == (mark != "D")


def test_rows_that_are_series_have_colours_of_their_own_and_no_legend():
    rows = [{"psi": psi, "ci95_low": 0, "ci95_high": 1, "row": str(psi)} for psi in (0.2, 0.4)]
    figure = plots.intervals(pd.DataFrame(rows), x="psi", row="row", series="row")
    (axes,) = figure.axes
    assert axes.get_legend() is None
    assert not figure.legends
    dots = [line for line in axes.lines if len(line.get_xdata()) == 1]
    assert [float(line.get_ydata()[0]) for line in dots] == [0, 1]  # in the middle of each row
    assert len({line.get_color() for line in dots}) == 2


@pytest.mark.parametrize(("before", "rings"), [(-9.0, 0), (0.5, 1), (9.0, 0), (np.nan, 0)])
def test_an_earlier_estimate_beyond_the_axis_has_no_ring(before, rings):
    figure, _ = interval(more={"earlier": before}, before="earlier")
    found = [line for line in figure.axes[0].lines if line.get_markersize() == 9]
    assert [line.get_xdata()[0] for line in found] == [before] * rings


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: interval(span=(2, 1)), r"^span = \(2, 1\); give the left end first"),
        (lambda: interval(span=5), r"^span = 5; give two numbers, the left end and the right end"),
        (lambda: interval(span=(1, 2, 3)), r"^span = \(1, 2, 3\); give two numbers, the left end"),
        (lambda: interval(row_height=-1), "^row_height = -1; give a finite number above 0"),
        (lambda: deviations(band=(np.nan, 0.5)), "^band = nan; give a finite number"),
        (lambda: deviations(band=(0.5, -0.5)), r"^band = \(0.5, -0.5\); give the left end first"),
        (lambda: deviations(band=0.5), "^band = 0.5; give two numbers"),
        (lambda: interval(span=(0, 1), log=True), r"^span = \(0, 1\); give ends above 0"),
        (
            lambda: interval(-0.1, -0.2, 0.6, span=None, factors=True),
            "^column 'psi' has -0.1 in row 0; a logarithmic axis shows numbers above 0",
        ),
        (
            lambda: plots.intervals(pd.DataFrame({"x": [1, 2], "row": "a"}), x="x", row="row"),
            "^column 'row' has 'a' in row 1; an earlier row has the same values",
        ),
    ],
)
def test_arguments_that_contradict_the_table_are_named(draw, words):
    with pytest.raises(InputError, match=words):
        draw()


def deviations(band=(-0.05, 0.05)):
    """Draw three deviations in two panels."""
    rows = [("a", "x", 0.1, 0), ("a", "y", -0.2, 1), ("b", "x", 0.3, 0)]
    deviating = pd.DataFrame(rows, columns=["panel", "row", "off", "rough"]).assign(way="exact")
    return plots.deviations(
        deviating, x="off", row="row", series="way", panel="panel", band=band,
        hollow=("rough", "rough"),
    )  # fmt: skip


def test_deviations_have_a_band_and_the_colour_of_their_panel():
    figure = deviations()
    styles = plots.signs("ab")
    assert styles["a"].colour != styles["b"].colour
    for axes, name, places in zip(figure.axes, "ab", ([0.1, -0.2], [0.3]), strict=True):
        sign = styles[name]
        assert axes.get_title(loc="left") == name
        found = [line.get_xdata()[0] for line in axes.lines if marker(line) == sign.marker]
        assert found == places
        diamonds = [line.get_xdata()[0] for line in axes.lines if marker(line) == "D"]
        assert diamonds == [0] * len(places)
    assert "hollow: rough" in subtitle_of(figure)


def test_rows_of_deviations_are_lower_if_there_are_many_but_keep_room_for_their_names():
    def height(count):
        rows = pd.DataFrame({"row": [str(i) for i in range(count)], "off": 0.1, "way": "exact"})
        names = {"x": "off", "row": "row", "series": "way", "panel": "way"}
        figure = plots.deviations(
            rows.assign(rough=0), **names, band=(-0.05, 0.05), hollow=("rough", "")
        )
        return figure.get_figheight()

    # In inches: 2 rows of 0.42, 10 rows of 0.3, and 40 rows of 0.2.
    assert height(10) - height(2) == pytest.approx(3.0 - 0.84)
    assert height(40) - height(10) == pytest.approx(8.0 - 3.0)


@pytest.mark.parametrize("values", ON_LOG_AXIS)
@pytest.mark.parametrize("how", ["log", "factors"])
def test_a_logarithmic_axis_has_at_least_two_labelled_ticks(values, how):
    found = pd.DataFrame({"row": ["a", "b", "c"], "x": values})
    (axes,) = plots.intervals(found, x="x", row="row", **{how: True}).axes
    assert len(tick_labels(axes.xaxis)) >= 2


@pytest.mark.parametrize(
    ("how", "labels"), [("log", ["0.5", "1", "2"]), ("factors", ["0.5", "0.7", "1", "1.4", "2"])]
)
def test_only_an_axis_of_factors_has_ticks_between_the_round_numbers(how, labels):
    found = pd.DataFrame({"row": ["a", "b"], "x": [0.5, 2.0]})
    (axes,) = plots.intervals(found, x="x", row="row", **{how: True}).axes
    assert tick_labels(axes.xaxis) == labels


def test_zero_is_marked_on_an_axis_that_did_not_reach_it():
    table = pd.DataFrame({"row": ["a"], "change": [3.0], "ci95_low": [2.0], "ci95_high": [4.0]})
    axes = plots.intervals(table, x="change", row="row").axes[0]
    assert axes.get_xlim()[0] > 0
    high = axes.get_xlim()[1]
    plots.mark_zero(axes)
    assert axes.get_xlim() == (0, high)
    assert [*axes.lines[-1].get_xdata()] == [0, 0]


def test_texts_stand_to_the_right_of_their_rows():
    rows = {"row": ["a", "b"], "change": [3.0, 1.0]}
    table = pd.DataFrame(rows | {"ci95_low": [2.0, 0.0], "ci95_high": [4.0, 2.0]})
    figure = plots.intervals(table, x="change", row="row")
    plots.label_right(figure.axes[0], ["first", "a long text " * 6])
    figure.draw_without_rendering()
    right = figure.axes[0].child_axes[-1]
    first, second = right.get_yticklabels()
    left = {text.get_text(): text for text in figure.axes[0].get_yticklabels()}

    def height(text):
        return text.get_window_extent().y0

    assert first.get_text() == "first"
    assert second.get_text().count("\n") == 1
    assert (height(first) > height(second)) == (height(left["a"]) > height(left["b"]))


def test_marks_that_a_figure_cannot_have_are_refused():
    rows = {"row": ["a", "b"], "change": [3.0, 1.0]}
    table = pd.DataFrame(rows | {"ci95_low": [2.0, 0.5], "ci95_high": [4.0, 2.0]})
    figure = plots.intervals(table, x="change", row="row", log=True)
    with pytest.raises(InputError, match=r"^the scale of axes is 'log'; give a panel without log"):
        plots.mark_zero(figure.axes[0])
    with pytest.raises(InputError, match=r"^texts has 1 texts; give one for each of the 2 rows"):
        plots.label_right(figure.axes[0], ["one"])


def test_each_panel_may_show_its_own_values_only():
    table = pd.DataFrame({"x": [1.1, 90.0], "row": "one", "panel": ["near", "far"]})
    table = table.assign(ci95_low=table["x"], ci95_high=table["x"])
    how = {"x": "x", "row": "row", "panel": "panel", "factors": True}
    shared = [axes.get_xlim() for axes in plots.intervals(table, **how).axes]
    near, far = (axes.get_xlim() for axes in plots.intervals(table, own_axes=True, **how).axes)
    assert shared[0] == shared[1]
    assert near[1] < 2 < 50 < far[0]
    with pytest.raises(InputError, match=r"^span and own_axes are both given; leave out one"):
        plots.intervals(table, own_axes=True, span=(1, 2), **how)
