"""Pictures of lines: numbers beside the print, curves of response times, ratios."""

from itertools import combinations

import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.curves import Curve, Point
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.plots import response_curves
from tests.pictures import texts


def test_beside_published_draws_differences_around_the_print():
    rows = {"row": {"exact": (0.5, 0.5004), "simulated": (0.5, Interval(0.49, 0.48, 0.5, 9))}}
    (axes,) = plots.beside_published({"ordered": rows}, title="t", xlabel="x").axes
    printed, *drawn = (line for line in axes.lines if line.get_marker() not in ("|", "None"))
    assert (printed.get_xdata()[0], printed.get_marker()) == (0, plots.PRINT.marker)
    assert printed.get_markerfacecolor() == "white"
    assert [line.get_xdata()[0] for line in drawn] == pytest.approx([0.0004, -0.01])


def test_an_approximation_is_hollow():
    rows = {"row": {"approximation": (0.5, 0.5004), "simulation": (0.5, 0.5)}}
    (axes,) = plots.beside_published({"unordered": rows}, title="t", xlabel="x").axes
    _, hollow, filled = axes.lines
    assert hollow.get_markerfacecolor() == "white" != filled.get_markerfacecolor()


def test_lines_are_named_at_their_ends_and_do_not_cover_each_other():
    found = {name: [Interval(y, y, y, 0)] * 2 for name, y in (("a", 0.1), ("b", 0.1), ("c", 0.5))}
    figure = plots.lines({"ordered": found}, [1, 10], title="t", ylabel="y", bold=["c"])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert sorted(texts(axes)) == ["a", "b", "c"]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert [line.get_color() for line in axes.lines] == [plots.GREY] * 2 + [plots.STANDARD.colour]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), [1, 10])


def test_lines_have_a_threshold_and_may_fall_below_zero():
    found = {"a": [Interval(y, y, y, 0) for y in (0, -5.0)]}
    figure = plots.lines({"x": found}, [0, 1], title="t", ylabel="y", threshold=("25 %", 25))
    (axes,) = figure.axes
    (dashed,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert set(dashed.get_ydata()) == {25}
    assert figure.texts[-1].get_text() == "dashed: 25 %"
    assert axes.get_ylim()[0] < -5


@pytest.mark.parametrize("count", [1, 3])
def test_a_line_has_an_interval_for_each_number(count):
    found = [Interval.exact(0.5)] * count
    with pytest.raises(InputError, match=rf"^panels\['x'\]\['a'\] has {count} .*; give 2"):
        plots.lines({"x": {"a": found}}, [1, 10], title="t", ylabel="y")


@pytest.fixture
def line():
    points = [
        Point(0.1, Interval(1, 0.9, 1.1, 3), 100),
        Point(0.2, Interval(2.5, 1.5, 3.5, 3), 100, precise=False),
        Point(0.3),
    ]
    return Curve(points, Bound(Interval(0.25, 0.24, 0.26, 30), "simulation"))


def test_curves_show_points_bands_and_what_each_line_bears(line):
    figure = plots.curves({"head": {"worst fit": line}}, title="t", subtitle="s")
    upper, below = figure.axes
    joined, filled, hollow, asymptote = upper.lines
    np.testing.assert_array_equal(joined.get_xdata(), [0.1, 0.2])
    np.testing.assert_array_equal(joined.get_ydata(), [1, 2.5])
    assert (filled.get_xdata()[0], hollow.get_xdata()[0]) == (0.1, 0.2)
    assert hollow.get_markerfacecolor() == "white"
    assert asymptote.get_xdata()[0] == 0.25
    assert texts(below) == ["worst fit  0.250 "]
    assert response_curves.HOLLOW in figure.texts[-1].get_text()
    assert upper.get_yscale() == "log"


def test_lines_of_all_panels_have_their_row(line):
    many = dict.fromkeys(("a", "b", "c", "worst fit"), line)
    left, right = plots.curves({"x": many, "y": {"a": line}}, title="t").axes[2:]
    for axes, count in ((left, 4), (right, 1)):
        low, high = axes.get_ylim()
        rows = [text.xy[1] for text in axes.texts]
        assert len(rows) == count
        assert all(low < row < high for row in rows)


def test_what_a_line_is_held_against_is_marked_in_its_row_and_told(line):
    figure = plots.curves(
        {"head": {"worst fit": line}},
        title="t",
        precision=0.1,
        beside=("first fit", {"worst fit": 0.2}),
        threshold=("3 points", {"worst fit": (0.17, 0.23)}),
    )
    below = figure.axes[1]
    plus = [drawn for drawn in below.lines if drawn.get_marker() == "+"]
    assert [drawn.get_xdata()[0] for drawn in plus] == [0.2]
    dashed = [path.vertices[0, 0] for path in below.collections[-1].get_paths()]
    assert dashed == [0.17, 0.23]
    assert below.texts[0].xy[0] <= 0.17  # the name stands clear of the marks
    words = figure.texts[-1].get_text().replace("\n", " ")
    for part in ("wider than ± 10 %", "+: first fit", "dashed: 3 points"):
        assert part in words


def test_the_axis_of_a_response_ends_where_the_lines_do(line):
    upper = plots.curves({"head": {"worst fit": line}}, title="t").axes[0]
    assert 3.5 < upper.get_ylim()[1] < 5


def test_hollow_marks_are_explained_only_where_there_are_any(line):
    precise = Curve(line.points[:1], line.maximum)
    figure = plots.curves({"head": {"worst fit": precise}}, title="t", subtitle="s")
    assert figure.texts[-1].get_text() == "s"


def test_a_name_has_one_look_in_all_panels(line):
    figure = plots.curves({"a": {"x": line, "y": line}, "b": {"y": line}}, title="t")
    first, second = figure.axes[:2]
    assert second.lines[0].get_color() == first.lines[3].get_color() != first.lines[0].get_color()


def test_what_is_no_curve_is_refused():
    with pytest.raises(InputError, match="curve 'a'"):
        plots.curves({"head": {"a": 0.5}}, title="t")


def test_the_anatomy_names_the_parts_of_a_curve(line):
    figure = plots.anatomy(line, title="t")
    said = " ".join(texts(figure.axes[0]))
    assert all(word in said for word in ("nobody waits", "knee", "maximal", "loss"))


def test_ratios_are_marked_where_their_lines_are_and_name_what_is_dashed():
    line = [(place, Interval(0.9, 0.8, 1.0, 5)) for place in (3, 10, 19)]
    figure = plots.ratios({"a": {"one": line}}, title="t", xlabel="x", ylabel="y", level="whole")
    axes = figure.axes[0]
    ticks = axes.get_xticks()
    assert len(ticks) >= 2
    assert ticks.min() >= 3
    assert ticks.max() <= 19
    assert axes.get_xlim()[0] == 3
    assert any("dashed: whole" in text.get_text() for text in figure.texts)


def test_names_of_ratios_stand_where_the_lines_are_apart():
    def line(*ratios):
        return [(place, Interval(x, x, x, 5)) for place, x in zip((3, 10, 19), ratios, strict=True)]

    def place(lines):
        axes = plots.ratios({"a": lines}, title="t", xlabel="x", ylabel="y", level="whole").axes[0]
        (named,) = (each for each in axes.texts if each.get_text() == "one")
        return named.xy[0], named.get_ha()

    assert place({"one": line(0.6, 0.8, 1.0), "two": line(0.9, 0.95, 1.0)}) == (3, "right")
    assert place({"one": line(1.0, 0.8, 0.6), "two": line(1.0, 0.95, 0.9)}) == (19, "left")
    assert place({"one": line(0.6, 0.8, 1.0)}) == (19, "left")
    for name in ("stream", "load 0.786"):
        drawn = {key: {name: line(0.6, 0.8, 1.0), "x": line(0.9, 0.95, 1.0)} for key in "abc"}
        figure = plots.ratios(drawn, title="t", xlabel="x", ylabel="y", level="whole")
        figure.canvas.draw()
        for axes in figure.axes[:3]:
            assert min(text.get_window_extent().x0 for text in axes.texts) > axes.bbox.x0


def test_the_last_place_of_ratios_is_marked_where_it_is_round():
    line = [(place / 10, Interval(0.9, 0.8, 1.0, 5)) for place in (0, 1, 2, 3)]
    figure = plots.ratios({"a": {"one": line}}, title="t", xlabel="x", ylabel="y", level="whole")
    assert figure.axes[0].get_xticks() == pytest.approx([0, 0.1, 0.2, 0.3])
