"""Pictures hold what they are given."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.inference import Interval


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


def test_curve_leaves_out_what_is_not_there():
    bands = {"a": [Interval(1, 0.9, 1.1, 3), 2.0, None]}
    axes = plots.curve([0.1, 0.2, 0.3], bands, title="t", xlabel="x", ylabel="y",
                       asymptotes={"a": 0.4}).axes[0]  # fmt: skip
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), [0.1, 0.2])
    assert axes.lines[1].get_xdata()[0] == 0.4


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
