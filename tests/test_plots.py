"""Pictures hold what they are given."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.curves import Curve, Point
from coalloc_lib.estimates import Bound, Interval


def test_bars_have_their_heights_and_labels():
    series = {"a": {"x": Interval(0.3, 0.2, 0.4, 5), "y": 0.1}, "b": {"x": 0.5, "y": 0.6}}
    figure = plots.bars(series, title="Title", ylabel="loss")
    axes = figure.axes[0]
    assert [bar.get_height() for bar in axes.patches] == [0.3, 0.1, 0.5, 0.6]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y"]
    assert figure.get_suptitle() == "Title"
    assert axes.get_ylabel() == "loss"


def test_beside_published_draws_differences():
    rows = [("row", {"exact": (0.5, 0.5004), "simulated": (0.5, Interval(0.49, 0.48, 0.5, 9))})]
    axes = plots.beside_published(rows, title="t", xlabel="x").axes[0]
    drawn = [line.get_xdata()[0] for line in axes.lines]
    assert drawn == pytest.approx([0.0004, -0.01])


@pytest.fixture
def line():
    points = [
        Point(0.1, Interval(1, 0.9, 1.1, 3), 100),
        Point(0.2, Interval(2, 1.5, 2.5, 3), 100, precise=False),
        Point(0.3),
        Point(0.4),
    ]
    return Curve(points, Bound(Interval(0.25, 0.24, 0.26, 30), "simulation"))


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def test_curve_shows_what_is_saturated_imprecise_and_maximal(line):
    figure = plots.curve({"a": line}, title="t", xlabel="x", ylabel="y", top=5, logarithmic=True)
    (axes,) = figure.axes
    curve, hollow, asymptote, arrow = axes.lines
    np.testing.assert_array_equal(curve.get_xdata(), [0.1, 0.2])
    np.testing.assert_array_equal(curve.get_ydata(), [1, 2])
    np.testing.assert_array_equal(hollow.get_xdata(), [0.2])
    assert hollow.get_color() == "white"
    assert asymptote.get_xdata()[0] == 0.25
    assert arrow.get_xdata() == [0.3]
    assert arrow.get_marker() == plots.SATURATED
    assert texts(axes.get_legend()) == [
        "a",
        "maximal, simulation",
        "saturated from here on",
        "run too short",
    ]


def test_curve_leaves_out_signs_that_are_not_there(line):
    exact = Curve(line.points[:1], Bound(Interval(0.25, 0.25, 0.25, 0), "exact"))
    (axes,) = plots.curve({"a": exact}, title="t", xlabel="x", ylabel="y").axes
    assert texts(axes.get_legend()) == ["a", "maximal, exact"]
    assert axes.lines[2].get_linestyle() == plots.DASHES["exact"]


def test_curves_of_one_load_have_arrows_that_can_be_told_apart(line):
    (axes,) = plots.curve({"a": line, "b": line}, title="t", xlabel="x", ylabel="y").axes
    arrows = [mark for mark in axes.lines if mark.get_marker() == plots.SATURATED]
    heights = [mark.get_ydata()[0] for mark in arrows]
    assert len(set(heights)) == 2
    assert arrows[0].get_color() != arrows[1].get_color()


def test_no_two_of_eight_curves_look_alike(line):
    drawn = {str(number): line for number in range(8)}
    (axes,) = plots.curve(drawn, title="t", xlabel="x", ylabel="y").axes
    named = [mark for mark in axes.lines if mark.get_label() in drawn]
    assert len({(mark.get_color(), mark.get_marker()) for mark in named}) == 8


def test_heat_map_hatches_what_is_undecided():
    intervals = {(0, 0): Interval(5, 4, 6, 9), (1, 1): Interval(-0.01, -1, 0.98, 9)}
    how = {"rows": ["1", "2"], "columns": ["x", "y"], "title": "t", "xlabel": "x", "ylabel": "y"}
    axes = plots.heat_map(intervals, **how).axes[0]
    assert [text.get_text() for text in axes.texts] == ["+5.0 ± 1.0", "+0.0 ± 1.0"]
    hatched = {(box.get_x(), box.get_y()): bool(box.get_hatch()) for box in axes.patches}
    assert hatched == {(0, 0): False, (1, 1): True}


def test_gantt_draws_every_processor_of_every_job_once():
    rng = np.random.default_rng(1)
    jobs = co.JobStream(np.arange(12.0), rng.uniform(1, 9, 12), rng.integers(1, 4, (12, 2)))
    schedule = co.simulate(co.Multicluster([4, 5]), jobs)
    figure = plots.gantt(schedule)
    boxes = [(p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in figure.axes[0].patches]
    area = sum(width * height for _, _, width, height in boxes)
    assert area == pytest.approx(float(jobs.work.sum()))
    for i, (x, y, w, h) in enumerate(boxes):
        for u, v, a, b in boxes[i + 1 :]:
            apart = x + w <= u + 1e-9 or u + a <= x + 1e-9 or y + h <= v or v + b <= y
            assert apart
    figure.canvas.draw()


def test_density_has_a_panel_each():
    panel = (np.arange(3), np.array([0.2, 0.3, 0.5]), 1.0)
    figure = plots.density({"a": panel, "b": panel}, title="t", xlabel="x", ylabel="y")
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
