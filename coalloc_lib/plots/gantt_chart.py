"""Schedules: which job ran on which processors, and when."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.checks import instance_of
from coalloc_lib.plots.boxes import Piece, pieces, running, window_of
from coalloc_lib.plots.style import new_figure, title_figure
from coalloc_lib.schedule import Schedule
from coalloc_lib.system import Multicluster

#: Height of a processor's row, of the largest picture of all rows, and of a number, in inches.
ROW, TALLEST, LETTER = 0.16, 6.0, 0.1
#: Width of the axes, about, in inches.
WIDTH = 6.0


def gantt(
    schedule: Schedule, *, title: str = "Schedule", unit: str | None = None,
    window: tuple[float, float] | None = None,
) -> Figure:  # fmt: skip
    """Draw when each processor of each cluster ran which job; crosses on the top mark submissions.

    Parameters
    ----------
    schedule : Schedule
        Processors of a cluster are alike, so a job is drawn where its box is in the fewest pieces.
    unit : str, optional
        Unit of time.
    window : (float, float), optional
        Draw from one instant to another. Where it is not given, time begins with the first
        submission, and ends where the job after the first 200 starts. What is drawn is said in the
        title where it is not all.

    Returns
    -------
    matplotlib.figure.Figure
        All that runs within the window, one row a processor. A job bears the number that it has in
        its log, or its place in the stream, from 1; it is left out where the box is too small.

    Raises
    ------
    InputError
        This is no schedule, or the window is none or holds more than 2,000 jobs.
    """
    instance_of("schedule", schedule, Schedule, "what simulate(...) returns")
    (begin, finish), words = window_of(schedule, window)
    runs = running(schedule, begin, finish)
    row = min(ROW, TALLEST / schedule.system.processors)
    figure, axes = new_figure(7.0, 1.2 + row * schedule.system.processors)
    for piece in pieces(schedule, runs):
        _draw_piece(axes, schedule, piece, (begin, finish), row)
    axes.set_xlim(begin, finish + (0 if words else 0.02 * (finish - begin)))
    axes.set_ylim(schedule.system.processors, 0)
    _name_clusters(axes, schedule.system, row)
    title_figure(figure, f"{title}: {words}" if words else title)
    submit = schedule.jobs.submit
    submit = submit[(begin <= submit) & (submit <= finish)]
    axes.plot(submit, np.zeros(len(submit)), "kx", markersize=5, clip_on=False)
    axes.set(xlabel=f"time{f' ({unit})' if unit else ''}; × is a submission")
    return figure


def _draw_piece(
    axes: Axes, schedule: Schedule, piece: Piece, window: tuple[float, float], height: float
) -> None:
    """Draw a box, and the number of its job where it is wide enough."""
    job, count = piece.job, piece.size
    first = sum(schedule.system.sizes[: piece.cluster]) + piece.first
    begin, end = schedule.start[job], schedule.end[job]
    left, right = np.clip([begin, end], *window)
    broad = (right - left) / (window[1] - window[0]) * WIDTH
    shades = colormaps["Set3"].colors
    style = {"facecolor": shades[job % len(shades)], "edgecolor": "white"}
    style["linewidth"] = height / ROW
    axes.add_patch(Rectangle((begin, first), end - begin, count, **style))
    number = f"{schedule.jobs.number[job]}"
    if broad > LETTER * len(number) and count * height > LETTER:
        axes.text((left + right) / 2, first + count / 2, number, ha="center", va="center")


def _name_clusters(axes: Axes, system: Multicluster, row: float) -> None:
    """Name the clusters beside their rows, and draw lines between them."""
    edges = np.concatenate([[0], np.cumsum(system.sizes)])
    for edge in edges[1:-1]:
        axes.axhline(edge, color="black", linewidth=1.2)
    is_low = row * min(system.sizes) < 4 * LETTER
    names = [f"cluster {c}{' ' if is_low else chr(10)}({s})" for c, s in enumerate(system.sizes)]
    axes.set_yticks((edges[:-1] + edges[1:]) / 2, names)
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
