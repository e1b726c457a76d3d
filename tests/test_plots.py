"""Pictures hold what they are given."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.curves import Curve, Point
from coalloc_lib.estimates import Bound, Interval

LABELS = {"title": "t", "xlabel": "x", "ylabel": "y"}
BAR_LABELS = {"title": "t", "ylabel": "y"}


def test_bars_have_their_heights_and_labels():
    series = {"a": {"x": Interval(0.3, 0.2, 0.4, 5), "y": 0.1}, "b": {"x": 0.5, "y": 0.6}}
    figure = plots.bars(series, title="Title", ylabel="loss")
    axes = figure.axes[0]
    assert [bar.get_height() for bar in axes.patches] == [0.3, 0.1, 0.5, 0.6]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x", "y"]
    assert figure.get_suptitle() == "Title"
    assert axes.get_ylabel() == "loss"


def test_a_label_that_a_series_lacks_is_a_gap_in_it():
    figure = plots.bars({"a": {"x": 0.2}, "b": {"y": 0.4, "x": 0.3}}, **BAR_LABELS)
    places = [(round(bar.get_x() + 0.2, 9), bar.get_height()) for bar in figure.axes[0].patches]
    assert places == [(-0.2, 0.2), (1.2, 0.4), (0.2, 0.3)]


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


def test_no_two_of_many_curves_look_alike(line):
    drawn = {str(number): line for number in range(20)}
    for figure in (
        plots.curve(drawn, **LABELS),
        plots.curves({"one": drawn, "other": {"19": line}}, **LABELS),
    ):
        named = [mark for mark in figure.axes[0].lines if mark.get_label() in drawn]
        assert len({(mark.get_color(), mark.get_marker()) for mark in named}) == 20


def test_no_two_of_many_series_look_alike():
    series = {str(number): {"a": 0.5, "b": 0.4} for number in range(20)}
    figure = plots.bars(series, **BAR_LABELS)
    assert len(figure.axes[0].containers) == 2 * 20
    looks = {(box.get_facecolor(), box.get_hatch()) for box in figure.axes[0].patches}
    assert len(looks) == 20
    rows = [("row", {str(number): (0.5, 0.4) for number in range(20)})]
    marks = plots.beside_published(rows, title="t", xlabel="x").axes[0].lines
    assert len({(mark.get_color(), mark.get_marker()) for mark in marks}) == 20


def test_one_panel_of_curves_is_enough(line):
    (axes,) = plots.curves({"only": {"a": line}}, **LABELS).axes
    assert axes.get_title() == "only"


def test_heat_map_hatches_what_is_undecided():
    intervals = {
        (0, 0): Interval(5, 4, 6, 9),
        (1, 1): Interval(-0.01, -1, 0.98, 9),
        (1, 0): Interval(5, 4, 6, 9, doubt="few values"),
    }
    how = {"rows": ["1", "2"], "columns": ["x", "y"], "title": "t", "xlabel": "x", "ylabel": "y"}
    axes = plots.heat_map(intervals, **how).axes[0]
    assert [text.get_text() for text in axes.texts] == ["+5.0 ± 1.0", "+0.0 ± 1.0", "+5.0 ± 1.0"]
    hatched = {(box.get_x(), box.get_y()): bool(box.get_hatch()) for box in axes.patches}
    assert hatched == {(0, 0): False, (1, 1): True, (0, 1): True}


@pytest.fixture(scope="module")
def log():
    """A schedule of 3,000 jobs that begins late, as logs do, on a busy system."""
    system = co.Multicluster([16, 8, 8])
    jobs = (
        co.JobModel(co.uniform(1, 8), components=2).sample(3000, 3, rate=1.0).with_load(system, 0.6)
    )
    return co.simulate(system, jobs.replace(submit=jobs.submit + 5000))


def boxes(figure):
    """Return the boxes of a Gantt chart, one a row: left, top, width, height."""
    shown = figure.axes[0].patches
    return np.array([(p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in shown])


def busy(schedule, begin, finish):
    """Return the processor-time in a window, from the schedule's columns alone."""
    span = np.clip(schedule.end, begin, finish) - np.clip(schedule.start, begin, finish)
    return float(schedule.jobs.processors @ span)


def drawn_between(shown, begin, finish):
    left, width, height = shown[:, 0], shown[:, 2], shown[:, 3]
    return height @ (np.clip(left + width, begin, finish) - np.clip(left, begin, finish))


def test_gantt_draws_every_processor_of_every_job_once():
    rng = np.random.default_rng(1)
    jobs = co.JobStream(np.arange(12.0), rng.uniform(1, 9, 12), rng.integers(1, 4, (12, 2)))
    figure = plots.gantt(co.simulate(co.Multicluster([4, 5]), jobs))
    shown = boxes(figure)
    assert shown[:, 2] @ shown[:, 3] == pytest.approx(float(jobs.work.sum()))
    for i, (x, y, w, h) in enumerate(shown):
        for u, v, a, b in shown[i + 1 :]:
            apart = x + w <= u + 1e-9 or u + a <= x + 1e-9 or y + h <= v or v + b <= y
            assert apart
    assert {text.get_text() for text in figure.axes[0].texts} == set(map(str, range(1, 13)))
    figure.canvas.draw()


def test_gantt_of_a_log_begins_with_its_first_jobs_and_says_so(log):
    figure = plots.gantt(log, title="A log")
    begin, finish = figure.axes[0].get_xlim()
    assert begin == log.jobs.submit.min() > 4000
    assert finish == np.sort(log.start)[200]
    assert drawn_between(boxes(figure), begin, finish) == pytest.approx(busy(log, begin, finish))
    assert (log.start[log.start < finish]).shape == (200,)
    assert figure.get_suptitle() == "A log: the first 200 of 3,000 jobs"


def test_gantt_of_a_window_draws_all_that_runs_in_it(log):
    begin, finish = np.quantile(log.start, [0.5, 0.55])
    figure = plots.gantt(log, window=(begin, finish))
    assert figure.axes[0].get_xlim() == (begin, finish)
    assert drawn_between(boxes(figure), begin, finish) == pytest.approx(busy(log, begin, finish))
    assert figure.get_suptitle().startswith("Schedule: from ")
    in_box = all(begin <= text.get_position()[0] <= finish for text in figure.axes[0].texts)
    assert in_box


def test_gantt_of_a_large_machine_stays_small(log):
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [800, 300, 900], request="total")
    figure = plots.gantt(co.simulate(co.Multicluster([1152]), jobs))
    assert figure.get_size_inches()[1] < 8
    assert [text.get_text() for text in figure.axes[0].texts] == ["1", "2", "3"]


def test_gantt_calls_jobs_as_their_log_does():
    jobs = co.JobStream([0, 1], [5, 5], [3, 3])
    object.__setattr__(jobs, "number", np.array([871, 874]))
    figure = plots.gantt(co.simulate(co.Multicluster([4, 4]), jobs))
    assert [text.get_text() for text in figure.axes[0].texts] == ["871", "874"]


def test_gantt_of_jobs_that_all_come_at_once():
    many = co.JobStream(np.zeros(300), np.ones(300), np.ones(300))
    figure = plots.gantt(co.simulate(co.Multicluster([400]), many))
    assert len(boxes(figure)) == 300
    nothing = co.JobStream(np.zeros(300), np.zeros(300), np.ones(300))
    plots.gantt(co.simulate(co.Multicluster([400]), nothing)).canvas.draw()


WRONG = {
    "gantt of None": (lambda: plots.gantt(None), "schedule = None is no Schedule"),
    "bars of None": (lambda: plots.bars(None, **BAR_LABELS), "series = None"),
    "bars of nothing": (lambda: plots.bars({}, **BAR_LABELS), "series = {}"),
    "curve of None": (lambda: plots.curve(None, **LABELS), "drawn = None"),
    "curve of numbers": (lambda: plots.curve({"a": [1, 2]}, **LABELS), "curve 'a' = [1, 2]"),
    "panels of None": (lambda: plots.curves(None, **LABELS), "panels = None"),
    "panels of None each": (lambda: plots.curves({"a": None}, **LABELS), "panels['a'] = None"),
}


@pytest.mark.parametrize(("draw", "words"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_drawn_is_refused_in_one_line(draw, words):
    with pytest.raises(InputError) as error:
        draw()
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    "window", [(2, 1), (1, 1), (0, np.nan), 5, (1, 2, 3), ("a", "b"), ("a", 1)]
)
def test_a_window_is_two_instants(log, window):
    with pytest.raises(InputError, match=r"^window = .*; give "):
        plots.gantt(log, window=window)


def test_a_window_with_too_many_jobs_is_refused(log):
    with pytest.raises(InputError, match="window holds 3,000 jobs; give a shorter one"):
        plots.gantt(log, window=(0, 1e9))


def test_density_has_a_panel_each():
    panel = (np.arange(3), np.array([0.2, 0.3, 0.5]), 1.0)
    figure = plots.density({"a": panel, "b": panel}, title="t", xlabel="x", ylabel="y")
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
