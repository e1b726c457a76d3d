"""Figures of schedules and of reservations have their parts at the right places."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.plots.schedules import (
    JOB_COLOURS,
    Box,
    DrawnBox,
    DrawnWait,
    draw_reservations,
    draw_schedules,
)
from coalloc_lib.plots.style import new_figure
from tests.plots.pictures import subtitle_of, texts

#: Job 1 runs on three processors, job 2 on one processor of the other cluster.
BOXES = [
    DrawnBox(1, 0, 0, 3, start=0, end=6, until=0, held=6, passed=None),
    DrawnBox(2, 1, 1, 1, start=4, end=8, until=4, held=8, passed=None),
]
#: Job 2 waits from 1 to 4, and job 3 from 5 on, with a promised start.
QUEUE = [DrawnWait(1, 2, 1, 4, np.nan), DrawnWait(2, 3, 5, 9, 8.0)]
SCENE = {"sizes": (4, 2), "boxes": BOXES, "queue": QUEUE, "waits": [(1, 3)]}


def rectangles(axes):
    drawn = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_fill()]
    return [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in drawn]


def crosses(axes):
    return [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "x"]


def test_a_schedule_has_its_jobs_on_their_clusters_and_its_queue_below():
    upper, lower = draw_schedules({"EASY": SCENE}, (0, 10), unit="h").axes
    (first, second) = rectangles(upper)
    assert first == (0, 0, 6, 3)
    assert second[0::2] == (4, 4)
    assert second[1] > 4 + 1  # below the four processors of the other cluster and one of its own
    assert sorted(texts(upper)) == ["1", "2"]
    assert upper.get_title(loc="left") == "EASY"
    assert crosses(lower) == [1, 5]
    assert [text.xy for text in lower.texts] == [(1, 1), (5, 2)]
    assert lower.get_xlabel().startswith("time (h)")
    assert "orange: a promised start" in lower.get_xlabel()
    assert lower.get_xlim() == (0, 10)


def test_a_job_submitted_before_the_window_has_its_number_at_the_left_end_and_no_cross():
    lower = draw_schedules({"": SCENE}, (3, 10)).axes[1]
    assert crosses(lower) == [5]
    assert {text.get_text(): text.xy for text in lower.texts} == {"2": (3, 1), "3": (5, 2)}


def test_a_figure_without_a_schedule_is_refused():
    with pytest.raises(InputError, match=r"^panels = \{\}; give at least one schedule$"):
        draw_schedules({}, (0, 1))


RESERVED = [Box("7", [0, 2], 2, 5, JOB_COLOURS[0]), Box("8", [1], 8, 14, JOB_COLOURS[1])]


def test_reservations_are_boxes_in_the_rows_of_their_servers():
    _, axes = new_figure()
    tops = draw_reservations(axes, [2, 1], RESERVED, (0, 10))
    assert tops[:2] == [0, 1]
    assert tops[2] > 2
    assert rectangles(axes) == [(2, 0, 3, 1), (2, tops[2], 3, 1), (8, 1, 2, 1)]
    assert texts(axes) == ["7", "7", "8"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["cluster 1, 1", "cluster 1, 2", "cluster 2, 3"]


def test_a_calendar_shows_the_current_time_the_horizon_and_a_free_period():
    figure = plots.reservations(
        [2, 1], RESERVED, now=1, until=9, span=(0, 10), free_period=(5, 7, [0, 1]),
        title="Booked", unit="h",
    )  # fmt: skip
    (axes,) = figure.axes
    assert [line.get_xdata()[0] for line in axes.lines] == [1, 9]
    outline = [patch for patch in axes.patches if not patch.get_fill()]
    assert [(patch.get_x(), patch.get_width()) for patch in outline] == [(5, 2)]
    assert axes.get_xlabel() == "time (h); line: now, dotted: the horizon"
    assert subtitle_of(figure) == ""


@pytest.mark.parametrize(
    ("sizes", "words"),
    [([], "^sizes is empty; give at least one"), ([2, 0], r"^sizes\[1\] = 0; give a whole number")],
)
def test_reservations_need_clusters_with_servers(sizes, words):
    with pytest.raises(InputError, match=words):
        plots.reservations(sizes, [], now=0, until=1, span=(0, 1), title="")
    with pytest.raises(InputError, match=words):
        draw_reservations(new_figure()[1], sizes, [], (0, 1))


def luminance(colour):
    linear = np.array(to_rgb(colour))
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


def test_ten_neighbouring_jobs_have_colours_of_their_own_with_readable_numbers():
    fills = [np.array(to_rgb(fill)) for fill, _ in JOB_COLOURS]
    assert len(fills) == 10
    assert min(np.linalg.norm(a - b) for a, b in combinations(fills, 2)) > 0.25
    for fill, ink in JOB_COLOURS:
        low, high = sorted(map(luminance, (fill, ink)))
        assert (high + 0.05) / (low + 0.05) > 4.5, fill
