"""Charts of lines: their points, limits, names and marks."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from tests.plots.pictures import ON_LOG_AXIS, marker, subtitle_of, texts, tick_labels

COLUMNS = {"x": "x", "y": "y", "line": "line", "panel": "panel"}
lines = partial(plots.lines, **COLUMNS)
factor_lines = partial(plots.factor_lines, **COLUMNS, base="those before")


def table(panel="one", at=(1.0, 2.0, 4.0), /, **drawn):
    """Return a table of named lines. The ends of each interval are 0.9 and 1.1 times the value."""
    rows = [
        {"panel": panel, "line": name, "x": x, "y": y}
        for name, values in drawn.items()
        for x, y in zip(at, values, strict=True)
    ]
    points = pd.DataFrame(rows)
    ends = 0.9 * points["y"], 1.1 * points["y"]
    return points.assign(ci95_low=np.minimum(*ends), ci95_high=np.maximum(*ends))


def joined(axes):
    """Return the drawn lines of a panel, without dashed levels and without single markers."""
    return [line for line in axes.lines if line.get_color() != "black" and not marker(line)]


def test_lines_are_where_the_table_says_and_named_where_they_end():
    order = ["EASY", "FCFS", "c"]
    found = table(EASY=(0.1, 0.1, 0.1), FCFS=(0.5, 0.1, 0.1), c=(0.2, 0.3, 0.5))
    found = found.sample(frac=1, random_state=1)  # points come in any order, lines in their own
    figure = lines(found.sort_values("line", key=lambda each: each.map(order.index)))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert sorted(texts(axes)) == sorted(order)
    assert all(text.xy[0] == 4 for text in axes.texts)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    easy, fcfs, own = joined(axes)
    assert easy.get_xdata().tolist() == [1, 2, 4]
    assert fcfs.get_ydata().tolist() == [0.5, 0.1, 0.1]
    known = [plots.MEANINGS[name].colour for name in ("EASY", "FCFS")]
    assert [easy.get_color(), fcfs.get_color()] == known
    assert easy.get_zorder() > fcfs.get_zorder() > own.get_zorder()  # the first lies on top
    assert len(axes.collections) == 1 + len(
        lines(found, style=plots.LineStyle(bare=["c"])).axes[0].collections
    )


@pytest.mark.parametrize("titles", [{}, {"title": "A title " * 20, "subtitle": "words " * 60}])
def test_the_names_of_lines_that_end_together_do_not_cover_each_other(titles):
    found = table(EASY=(0.8, 0.5, 0.3), FCFS=(0.8, 0.5, 0.3))
    found = pd.concat([found.assign(panel=panel) for panel in ("one", "two")])
    figure = lines(found, panel="panel", **titles)
    figure.draw_without_rendering()
    for axes in figure.axes:
        low, high = (text.get_bbox_patch().get_window_extent() for text in axes.texts)
        assert not low.overlaps(high)


@pytest.mark.parametrize(
    ("draw", "values", "how", "least", "most"),
    [
        (lines, (-5, 3, 40), {"style": plots.LineStyle(whole_bands=True)}, (-6, -5), (44, 50)),
        (lines, (1, 3, 40), {"scales": ("linear", "log")}, (0.5, 1), (40, 60)),
        (lines, (0, 0, 0), {}, (0, 0), (1, 1)),
        (factor_lines, (0.9, 0.95, 0.92), {}, (0.8, 0.9), (1, 1.2)),
        (factor_lines, (0.1, 0.95, 9), {}, (0.25, 0.25), (4, 4)),
    ],
)
def test_the_limits_hold_all_lines_and_not_too_much(draw, values, how, least, most):
    low, high = draw(table(a=values), **how).axes[0].get_ylim()
    assert least[0] <= low <= least[1]
    assert most[0] <= high <= most[1]


def test_what_is_printed_is_a_diamond():
    printed = pd.DataFrame({"line": "Online", "x": [2.0, 4.0], "y": [np.nan, 0.3]})
    found = pd.concat([table(p, Online=(0.1, 0.5, 0.2)) for p in ("one", "two")])
    every = lines(found, names="legend", printed=printed).axes
    for axes in every:  # without a column of panels it is in all of them
        foot, mark = (line for line in axes.lines if marker(line) == plots.PRINT.marker)
        assert (foot.get_ydata()[0], mark.get_ydata()[0]) == (axes.get_ylim()[0], 0.3)
        assert mark.get_markerfacecolor() == "white"
    one, two = lines(found, printed=printed.assign(panel="two")).axes
    assert len(one.lines) < len(two.lines)
    (axes,) = factor_lines(table(Online=(1, 2, 3)), printed=printed[["line", "x"]]).axes
    marks = [line.get_ydata()[0] for line in axes.lines if marker(line) == plots.PRINT.marker]
    assert marks == [1, 1]


def diamonds(axes):
    """Return the places and the markers of the printed values of a panel."""
    white = [line for line in axes.lines if line.get_markerfacecolor() == "white"]
    return [(line.get_xdata()[0], line.get_ydata()[0], marker(line)) for line in white]


@pytest.mark.parametrize(("y", "mark", "at"), [(9.0, "^", 4), (0.1, "v", 0.25), (4.0, "D", 4)])
def test_a_printed_factor_beyond_the_axis_is_an_open_arrow_that_is_explained(y, mark, at):
    printed = pd.DataFrame({"line": "a", "x": [2.0], "y": [y]})
    figure = factor_lines(table(a=(0.25, 1, 4)), printed=printed)
    assert diamonds(figure.axes[0]) == [(2, pytest.approx(at), mark)]
    assert ("arrow: beyond the axis" in subtitle_of(figure)) == (mark != "D")


@pytest.mark.parametrize("names", ["ends", "legend"])
@pytest.mark.parametrize("place", [-3.0, 9.0])
def test_a_printed_value_beside_the_lines_lies_on_the_axis(names, place):
    printed = pd.DataFrame({"line": "a", "x": [place], "y": [2.0]})
    (axes,) = lines(table(a=(1, 2, 3)), names=names, printed=printed).axes
    assert diamonds(axes) == [(place, 2, "D")]
    low, high = axes.get_xlim()
    assert low <= place <= high
    if names == "ends":  # The axis is drawn only up to these bounds.
        low, high = axes.spines["bottom"].get_bounds()
        assert low <= place <= high


@pytest.mark.parametrize(
    ("draw", "change", "how", "words"),
    [
        (lines, {"y": [2, -9]}, {"scales": ("linear", "log")}, "'y' has -9 in row 1; a logarith"),
        (lines, {"x": [2, 0]}, {"scales": ("log", "log")}, "'x' has 0 in row 1; a logarithmic"),
        (lines, {"y": [2, -9]}, {"scales": {"one": ("linear", "log")}}, "'y' has -9 in row 1"),
        (factor_lines, {"y": [2, 0.0]}, {}, "'y' has 0.0 in row 1; a logarithmic axis shows"),
        (lines, {"y": [2, np.inf]}, {}, "'y' has inf in row 1; a figure shows finite numbers"),
    ],
)
def test_a_printed_value_that_the_axis_cannot_show_is_refused(draw, change, how, words):
    printed = pd.DataFrame({"line": "a", "x": [2, 2], "y": [1.0, 1.0]}).assign(**change)
    with pytest.raises(InputError, match=f"^column {words}"):
        draw(table(a=(1, 2, 3)), printed=printed, **how)
    draw(table(a=(1, 2, 3)), printed=printed.assign(line="not drawn", y=1.0), **how)


def test_each_panel_has_its_own_scale_and_may_have_no_point():
    found = pd.concat([table("linear", a=(0, 2, 3)), table("log", a=(-1, -2, 0))])
    scales = {"linear": ("linear", "linear"), "log": ("linear", "log")}
    left, right = lines(found, scales=scales).axes
    assert len(joined(left)) == 1
    assert [axes.get_yscale() for axes in (left, right)] == ["linear", "log"]
    assert not [line for line in right.lines if len(line.get_xdata())]
    # The spread of each panel is measured on its own scale, so no logarithm of -1 is taken.
    scales = {"linear": ("linear", "linear"), "log": ("log", "log")}
    lines(found.sort_values("panel", ascending=False).assign(y=[1, 2, 3, -1, 0, 1]), scales=scales)


@pytest.mark.parametrize("names", ["ends", "legend"])
def test_panels_have_the_same_axes_unless_each_has_its_own_scales(names):
    found = pd.concat([table("small", a=(1, 2, 2)), table("large", (2.0, 8.0, 9.0), a=(1, 9, 40))])
    small, large = lines(found, names=names).axes
    assert small.get_ylim() == large.get_ylim()
    assert small.get_xlim() == large.get_xlim()
    scales = dict.fromkeys(("small", "large"), ("linear", "linear"))
    small, large = lines(found, names=names, scales=scales).axes
    assert small.get_ylim()[1] < 3 < 40 < large.get_ylim()[1]
    assert small.get_xlim()[1] < 5 < 9 < large.get_xlim()[1]


def grid(rows=("upper", "lower"), /, **how):
    """Draw the same lines in two rows of two panels."""
    points = [table(p, Online=(0.1, 0.5, 0.2), EASY=(0.1, 0.4, 0.3)) for p in ("one", "two")]
    found = pd.concat([each.assign(row=row) for row in rows for each in points])
    return lines(found, row="row", **how)


def test_a_grid_of_one_row_has_one_label_of_the_vertical_axis():
    for rows in (("only",), ("upper", "lower")):
        figure = grid(rows, ylabel="mean wait")
        labels = [figure.get_supylabel(), *(axes.get_ylabel() for axes in figure.axes)]
        assert labels.count("mean wait") == 1


def test_the_legend_has_a_longer_sample_for_dashed_lines():
    styles = (plots.LineStyle(), plots.LineStyle(dashed=["EASY"]))
    plain, dashed = (grid(style=style).axes[1].get_legend() for style in styles)
    assert plain.handlelength < dashed.handlelength


def test_what_is_printed_is_a_diamond_in_its_own_row_of_a_grid():
    printed = pd.DataFrame({"line": "Online", "x": [2.0, 4.0], "y": [0.4, 0.3]})
    for places, expected in (
        ({"row": ["lower", "upper"], "panel": "two"}, [[], [0.3], [], [0.4]]),
        ({"row": ["lower", "upper"]}, [[0.3], [0.3], [0.4], [0.4]]),
        ({"panel": "two"}, [[], [0.4, 0.3]] * 2),
        ({}, [[0.4, 0.3]] * 4),
    ):
        every = grid(printed=printed.assign(**places)).axes
        found = [
            [line.get_ydata()[0] for line in axes.lines if marker(line) == plots.PRINT.marker]
            for axes in every
        ]
        assert found == expected


@pytest.mark.parametrize("values", ON_LOG_AXIS)
@pytest.mark.parametrize("names", ["ends", "legend"])
def test_a_logarithmic_axis_has_at_least_two_labelled_ticks(values, names):
    (axes,) = lines(table(a=values), names=names, scales=("linear", "log")).axes
    assert len(tick_labels(axes.yaxis)) >= 2
    places = sorted({*values})
    found = table("one", places, a=places)
    (axes,) = lines(found, names=names, scales=("log", "linear")).axes
    # If all points are at one place, there may be a single tick.
    assert len(tick_labels(axes.xaxis)) >= min(2, len(places))
    (axes,) = factor_lines(table(a=values), names=names).axes
    assert len(tick_labels(axes.yaxis)) >= 2


@pytest.mark.parametrize("names", ["ends", "legend"])
def test_a_grid_names_its_lines_in_a_legend(names):
    legends = [axes.get_legend() for axes in grid(names=names).axes]
    assert [legend is not None for legend in legends] == [False, True, False, False]
    assert [text.get_text() for text in legends[1].get_texts()] == ["Online", "EASY"]


def test_an_infinite_value_interrupts_its_line_and_is_a_cross_that_is_explained():
    figure = lines(table(a=(1, np.inf, 3), b=(1, np.nan, 3)))
    (axes,) = figure.axes
    (cross,) = (line for line in axes.lines if marker(line) == "x")
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (2, axes.get_ylim()[1])
    cut, whole = joined(axes)
    assert np.isnan(cut.get_ydata()).tolist() == [False, True, False]
    assert whole.get_xdata().tolist() == [1, 4]
    assert any("×: no finite value" in text.get_text() for text in figure.texts)


@pytest.mark.parametrize(
    ("values", "left", "ends"),
    [
        ({"a": (1, 2, np.inf), "b": (3, 1, 4)}, False, {"a": (2, 2), "b": (4, 4)}),
        ({"a": (np.inf, 2, 2), "b": (4, 1, 2)}, True, {"a": (2, 2), "b": (1, 4)}),
        ({"a": (1, 2, 3), "b": (np.inf, np.inf, np.nan)}, False, {"a": (4, 3), "b": (2, None)}),
        ({"a": (1, 2, 2), "b": (3, 2, 2), "c": [np.inf] * 3}, True, {"a": (1, 1), "c": (1, None)}),
    ],
)
def test_a_line_is_named_at_its_last_finite_value_or_else_beside_its_last_cross(values, left, ends):
    (axes,) = lines(table(**values)).axes
    names = {text.get_text(): text for text in axes.texts}
    assert {text.get_ha() for text in names.values()} == {"right" if left else "left"}
    assert set(names) == set(values)
    top = axes.get_ylim()[1]
    for name, (x, y) in ends.items():
        at, height = names[name].xy
        assert at == x
        expected = axes.transLimits.transform((x, top if y is None else y))[1]
        assert height == pytest.approx(expected, abs=0.1)


def bars_of(axes):
    """Return the place and the two ends of each interval that is drawn as a vertical bar."""
    drawn = [each for each in axes.collections if isinstance(each, LineCollection)]
    segments = [segment for each in drawn for segment in each.get_segments()]
    return [(*foot, top) for foot, (_, top) in segments]


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        ((2, np.inf, np.inf), [(1, 1.8, 2.2)]),
        ((np.inf, 2, np.inf), [(2, 1.8, 2.2)]),
        ((2, np.inf, 3), [(1, 1.8, 2.2), (4, 2.7, 3.3)]),
        ((2, np.nan, np.nan), [(1, 1.8, 2.2)]),
        ((2, 3, np.inf), []),
    ],
)
@pytest.mark.parametrize("stairs", [False, True])
def test_the_interval_of_a_point_without_neighbours_is_a_bar(values, bars, stairs):
    found = table(a=(1, 2, 3), b=values)
    found.loc[np.isinf(found["y"]), ["ci95_low", "ci95_high"]] = np.nan
    (axes,) = lines(found, style=plots.LineStyle(stairs=stairs)).axes
    assert bars_of(axes) == [pytest.approx(bar) for bar in bars]
    (axes,) = lines(found, style=plots.LineStyle(bare=["b"])).axes
    assert bars_of(axes) == []


def test_lines_with_bars_are_drawn_beside_each_other_on_the_axes_of_their_data():
    found = table(a=(1, 2, 3), b=(1, 2, 3), c=(1, 2, 3))
    styles = [plots.LineStyle(bars=each) for each in (False, True)]
    bands, bars = (lines(found, names="legend", style=style) for style in styles)
    for figure in (bands, bars):
        figure.draw_without_rendering()
    (axes,), (banded,) = bars.axes, bands.axes
    assert [*axes.get_xlim(), *axes.get_ylim()] == [*banded.get_xlim(), *banded.get_ylim()]
    assert len(bars_of(axes)) == 9
    assert bars_of(banded) == []
    # The lines coincide in the data, but not in the picture.
    left, middle, right = (line.get_transform().transform((2, 2))[0] for line in joined(axes))
    apart = 2.5 * bars.dpi / 72
    assert [middle - left, right - middle] == pytest.approx([apart, apart])
    assert middle == pytest.approx(axes.transData.transform((2, 2))[0])


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("names", ["ends", "legend"])
@pytest.mark.parametrize(("many", "panels", "places"), [(3, 1, 3), (3, 1, 1), (7, 4, 3), (7, 4, 1)])
def test_no_line_that_is_drawn_beside_another_begins_before_its_axis(
    scale, names, many, panels, places
):
    at, drawn = (1.0, 2.0, 4.0)[:places], {f"line {n}": (1, 2, 3)[:places] for n in range(many)}
    found = pd.concat([table(f"panel {n}", at, **drawn) for n in range(panels)])
    scales, style = (scale, "linear"), plots.LineStyle(bars=True)
    figure = lines(found, names=names, style=style, scales=scales)
    figure.draw_without_rendering()
    for axes in figure.axes:
        for line in joined(axes):
            first, _ = line.get_transform().transform(line.get_xydata()[0])
            assert first > axes.get_window_extent().x0


def test_arrows_and_crosses_of_lines_beside_each_other_are_beside_each_other():
    found = table(a=(9, 1, np.inf), b=(9, 1, np.inf))
    found[["ci95_low", "ci95_high"]] = np.nan
    (axes,) = factor_lines(found, style=plots.LineStyle(bars=True)).axes
    for kind in ("^", "x"):
        first, second = (line for line in axes.lines if marker(line) == kind)
        places = [
            line.get_transform().transform(line.get_xydata()[0])[0] for line in (first, second)
        ]
        assert places[0] < places[1]


def test_a_bar_of_an_open_interval_ends_where_the_axis_ends():
    found = table(a=(1, 10, 100), b=(10, np.inf, np.inf))
    found.loc[found["line"] == "b", ["ci95_low", "ci95_high"]] = [-np.inf, np.inf]
    found.loc[np.isinf(found["y"]), ["ci95_low", "ci95_high"]] = np.nan
    (axes,) = lines(found, scales=("linear", "log")).axes
    assert bars_of(axes) == [pytest.approx((1, *axes.get_ylim()))]


@pytest.mark.parametrize("gone", [np.nan, np.inf])
def test_a_factor_past_saturation_is_a_cross_at_the_top(gone):
    (axes,) = factor_lines(table(a=(0.8, 1.5, gone))).axes
    (cross,) = (line for line in axes.lines if marker(line) == "x")
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (4, axes.get_ylim()[1])
    assert joined(axes)[0].get_xdata().tolist() == [1, 2]
    assert any(set(line.get_ydata()) == {1} for line in axes.lines)
    assert {"0.8", "1", "1.5"} <= {tick.get_text() for tick in axes.get_yticklabels()}


@pytest.mark.parametrize("gone", [np.nan, np.inf])
@pytest.mark.parametrize("names", ["ends", "legend"])
def test_factors_may_all_be_past_saturation(gone, names):
    figure = factor_lines(table(a=[gone] * 3, b=[gone] * 3), names=names)
    (axes,) = figure.axes
    crosses = [line for line in axes.lines if marker(line) == "x"]
    assert [line.get_xdata().tolist() for line in crosses] == [[1, 2, 4]] * 2
    assert {y for line in crosses for y in line.get_ydata()} == {axes.get_ylim()[1]}
    assert axes.get_ylim()[0] < 1 < axes.get_ylim()[1]
    assert "×: no finite value" in subtitle_of(figure)
    assert "arrow" not in subtitle_of(figure)
    figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("factors", "arrows"),
    [((0.9, 2, 8), {"^": (4, 4.0)}), ((0.1, 2, 3), {"v": (1, 0.25)}), ((0.25, 2, 4), {})],
)
def test_a_factor_beyond_the_axis_is_an_arrow_that_is_explained(factors, arrows):
    figure = factor_lines(table(a=factors))
    (axes,) = figure.axes
    drawn = [line for line in axes.lines if marker(line) in ("^", "v")]
    assert {marker(line): (*line.get_xdata(), *line.get_ydata()) for line in drawn} == arrows
    assert ("arrow: beyond the axis" in subtitle_of(figure)) == bool(arrows)
    assert not any(line.get_clip_on() for line in drawn)


@pytest.mark.parametrize(
    ("draw", "change", "how", "words"),
    [
        (lines, {"y": np.nan}, {}, "column 'y' has no finite number"),
        (lines, {"y": [1, -np.inf, 2]}, {}, "column 'y' has -inf in row 1; .* leave the row out"),
        (factor_lines, {"y": -1.0}, {}, "column 'y' has -1.0 in row 0; a factor is above 0"),
        (lines, {}, {"scales": ("cubic", "log")}, "scale of x = 'cubic'; choose"),
        (lines, {}, {"scales": ("log",)}, r"scales = \('log',\); give the scales of x and of y"),
        (lines, {"y": -1.0}, {"scales": ("linear", "log")}, "no row has both 'x' and 'y' above 0"),
        (lines, {"ci95_low": 9.0}, {}, "column 'ci95_low' has 9.0 in row 0; .* swap the ends"),
        (lines, {"ci95_low": np.nan}, {}, "column 'ci95_high' has 1.1 in row 0; give both ends"),
        (lines, {}, {"style": "dashed"}, "style = 'dashed' is not of type LineStyle; give one"),
        (lines, {}, {"level": ("all", np.nan)}, "level 'all' = nan; give a finite number"),
        (lines, {}, {"level": ("all", 0), "scales": ("linear", "log")}, "give a level above 0"),
    ],
)
def test_nonsense_is_refused(draw, change, how, words):
    with pytest.raises(InputError, match=words):
        draw(table(a=(1, 2, 3)).assign(**change), **how)


def test_levels_have_room_where_all_values_are_equal_or_all_places_negative():
    columns = {"x": "x", "y": "y", "levels": {"two": 2.0}}
    figure = plots.lines_and_levels(pd.DataFrame({"x": [1.0], "y": [2.0]}), **columns)
    low, high = figure.axes[0].get_ylim()
    assert low < 2 < high
    figure = plots.lines_and_levels(pd.DataFrame({"x": [-5.0, -2.0], "y": [1, 3]}), **columns)
    left, right = figure.axes[0].get_xlim()
    assert left <= -5 < -2 <= right


@pytest.mark.parametrize(
    ("at", "begin"), [((300, 305, 310), 300), ((2, 3, 4), 0), ((0, 5, 10), 0), ((-5, -4, -2), -5)]
)
def test_an_axis_with_levels_begins_at_zero_only_if_the_points_are_near_zero(at, begin):
    points = table("one", at, a=(1, 2, 3))
    figure = plots.lines_and_levels(points, levels={"two": 2.0}, x="x", y="y", line="line")
    (axes,) = figure.axes
    (level,) = (line for line in axes.lines if line.get_color() == "black")
    assert level.get_xdata().tolist() == [begin, at[-1]]
    # The name of the level stands at that end of its line where the other lines are not.
    (name,) = (text for text in axes.texts if text.get_text() == "two")
    assert name.xy == ((begin, 2) if begin < at[0] else (at[-1], 2))
    assert axes.get_xlim()[0] == begin


def test_levels_are_named_also_if_the_first_panel_has_no_point():
    points = pd.concat([table("empty", a=[np.nan] * 3), table("full", a=(1, 2, 3))])
    columns = {"x": "x", "y": "y", "panel": "panel"}
    figure = plots.lines_and_levels(points, levels={"two": 2.0}, **columns)
    (name,) = figure.axes[0].texts
    assert (name.get_text(), name.xy) == ("two", (4, 2))


@pytest.mark.parametrize("x", [0.0, 300.0])
def test_a_level_is_visible_if_all_points_are_at_one_place(x):
    point = pd.DataFrame({"x": [x], "y": [1.0]})
    for draw, how in (
        (plots.lines, {"level": ("two", 2.0)}),
        (plots.lines, {"level": ("two", 2.0), "names": "legend"}),
        (plots.lines_and_levels, {"levels": {"two": 2.0}}),
        (plots.factor_lines, {"base": "two"}),
    ):
        (axes,) = draw(point, x="x", y="y", **how).axes
        (level,) = (line for line in axes.lines if line.get_color() == "black")
        left, right = level.get_transform().transform(level.get_xydata())[:, 0]
        assert right - left > 0.9 * axes.bbox.width
        for name in axes.texts:
            assert (name.get_text(), name.get_ha(), name.xy) == ("two", "left", (x, 2))


def test_a_panel_above_a_gap_has_its_own_tick_labels():
    names = [f"a line with a rather long name {name}" for name in "ab"]
    drawn = dict.fromkeys(names, (1.0, 2.0, 3.0))
    found = pd.concat([table(panel, **drawn) for panel in ("one", "two", "three")])
    for draw in (lines, factor_lines):
        figure = draw(found)
        figure.draw_without_rendering()
        assert [bool(axes.get_xticklabels()) for axes in figure.axes] == [False, True, True]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (
            lambda: lines(table(a=(1, 2, 3)), scales={"two": ("linear", "log")}),
            "^scales has no entry for the panel 'one'; give the scales of its two axes$",
        ),
    ],
)
def test_arguments_that_contradict_the_table_are_named(draw, words):
    with pytest.raises(InputError, match=words):
        draw()


def test_names_that_differ_in_their_last_digits_are_different_lines():
    found = pd.DataFrame({"line": [1000001.0] * 2 + [1000002.0] * 2, "x": [1, 2] * 2, "y": 1.0})
    (axes,) = plots.lines(found, x="x", y="y", line="line").axes
    assert [line.get_xdata().tolist() for line in joined(axes)] == [[1, 2], [1, 2]]
    assert texts(axes) == ["1000001", "1000002"]


@pytest.mark.parametrize(("name", "word"), [(0.1 + 0.2, "0.3"), (0.25, "0.25"), (7.0, "7")])
def test_names_that_are_numbers_are_short(name, word):
    found = table(a=(1, 2, 3)).assign(line=name)
    assert texts(lines(found).axes[0]) == [word]


def test_two_points_of_one_line_at_one_place_are_refused():
    """Without its label, a table of two policies is not a zigzag."""
    rows = [("EASY", 0.2, 1), ("FCFS", 0.2, 5), ("EASY", 0.4, 3), ("FCFS", 0.4, 9)]
    table = pd.DataFrame(rows, columns=["policy", "load", "wait"])
    plots.lines(table, x="load", y="wait", line="policy")
    with pytest.raises(InputError, match="an earlier row has the same"):
        plots.lines(table, x="load", y="wait")


def test_lines_with_numbers_as_labels_are_found_by_all_arguments():
    found = table(a=(1, 2, 3), b=(2, 3, 4))
    found["line"], found["panel"] = found["line"].map({"a": 1, "b": 2.5}), 7
    red = plots.MarkerStyle("red", "o")
    style = plots.LineStyle(dashed=[1], bare=[1])
    look = {1: red, 2.5: plots.STANDARD}
    (axes,) = lines(found, look=look, style=style, scales={7: ("linear", "log")}).axes
    first, second = joined(axes)
    assert [first.get_color(), first.get_linestyle()] == ["red", "--"]
    assert [second.get_color(), second.get_linestyle()] == [plots.STANDARD.colour, "-"]
    assert len(axes.collections) == 1
    assert axes.get_yscale() == "log"


def test_printed_values_need_the_column_of_the_line_names():
    printed = pd.DataFrame({"x": [2.0], "y": [2.0], "Line": ["a"]})
    words = "^line = 'line' is not a column; printed has the columns 'x', 'y', 'Line'$"
    with pytest.raises(InputError, match=words):
        lines(table(a=(1, 2, 3)), printed=printed)
    # A chart without line names needs no such column.
    (axes,) = plots.lines(table(a=(1, 2, 3)), x="x", y="y", printed=printed).axes
    assert diamonds(axes) == [(2, 2, "D")]


def test_printed_values_of_a_line_that_is_not_drawn_are_left_out():
    printed = pd.DataFrame({"line": ["A"], "x": [2.0], "y": [2.0]})
    figure = lines(table(a=(1, 2, 3)), printed=printed)
    assert diamonds(figure.axes[0]) == []
    assert "printed" not in subtitle_of(figure)


def test_a_figure_of_lines_has_the_height_that_it_is_given():
    how = {"x": "x", "y": "y"}
    low, high = (
        lines(table(a=(1, 2, 3)), style=plots.LineStyle(height=inches), **how).get_figheight()
        for inches in (2.0, 3.5)
    )
    assert high - low == pytest.approx(1.5)
    for wrong in (0, -1.0, np.nan):
        with pytest.raises(InputError, match="height"):
            plots.LineStyle(height=wrong)


def test_a_number_and_its_percent_sign_stay_on_one_line():
    for letters in range(80, 130):
        figure = lines(table(a=(1, 2, 3)), subtitle="x" * letters + " intervals: 95 %, of weeks")
        assert any("95 %" in line for line in subtitle_of(figure).splitlines())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.999, 1.004), ["0.98", "0.99", "1", "1.01", "1.02"]),
        ((0.98, 1.06), ["0.95", "1", "1.05", "1.1"]),
        ((0.85, 1.15), ["0.8", "0.9", "1", "1.1", "1.25"]),
        ((0.959, 0.961), ["0.92", "0.94", "0.96", "0.98", "1", "1.02", "1.04"]),
    ],
)
def test_factors_close_to_1_have_a_short_axis_with_ticks(values, expected):
    found = table(a=(*values, 1.0)).drop(columns=["ci95_low", "ci95_high"])
    (axes,) = factor_lines(found).axes
    assert tick_labels(axes.yaxis) == expected
