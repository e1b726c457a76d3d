"""Schedules: which job ran on which processors, and when."""

from collections.abc import Iterator

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.plots.style import new_figure, title_figure
from coalloc_lib.schedule import Schedule
from coalloc_lib.system import Multicluster

#: Jobs that are drawn where no window is given.
FIRST = 200
#: Jobs that a window may hold: more boxes take long to draw, and are too small to see.
MOST = 2000
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
        Processors of a cluster are alike, so a job is drawn on the lowest that are free.
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
    (begin, finish), words = _window(schedule, window)
    runs = _running(schedule, begin, finish)
    row = min(ROW, TALLEST / schedule.system.processors)
    figure, axes = new_figure(7.0, 1.2 + row * schedule.system.processors)
    numbers = schedule.jobs.number
    for job, rows in _rows(schedule, runs):
        _draw_job(axes, schedule, job, rows, f"{numbers[job]}", (begin, finish), row)
    axes.set_xlim(begin, finish + (0 if words else 0.02 * (finish - begin)))
    axes.set_ylim(schedule.system.processors, 0)
    _name_clusters(axes, schedule.system, row)
    title_figure(figure, f"{title}: {words}" if words else title)
    submit = schedule.jobs.submit
    submit = submit[(begin <= submit) & (submit <= finish)]
    axes.plot(submit, np.zeros(len(submit)), "kx", markersize=5, clip_on=False)
    axes.set(xlabel=f"time{f' ({unit})' if unit else ''}; × is a submission")
    return figure


def _window(schedule: Schedule, window: tuple | None) -> tuple[tuple[float, float], str]:
    """Return the instants between which to draw, and words for them where they are not all."""
    if window is not None:
        try:
            begin, finish = map(float, window)
        except (TypeError, ValueError):
            begin = finish = np.nan
        if not -np.inf < begin < finish < np.inf:
            raise InputError(f"window = {shown(window)}; give two instants, the earlier one first")
        return (begin, finish), f"from {begin:,.10g} to {finish:,.10g}"
    begin, last = schedule.jobs.submit.min(), schedule.end.max()
    if len(schedule) <= FIRST:
        return (begin, last if last > begin else begin + 1), ""
    # All that runs until then is among the first, so that what looks idle was idle.
    finish = np.partition(schedule.start, FIRST)[FIRST]
    if finish <= begin:  # they all start at once
        later = schedule.end[schedule.end > begin]
        finish = later.min() if later.size else begin + 1
    return (begin, finish), f"the first {FIRST} of {len(schedule):,} jobs"


def _running(schedule: Schedule, begin: float, finish: float) -> np.ndarray:
    """Return the jobs that run within the window, in order of their start."""
    runs = np.flatnonzero((schedule.start < finish) & (schedule.end > begin))
    if len(runs) > MOST:
        raise InputError(
            f"window holds {len(runs):,} jobs; give a shorter one, with {MOST:,} jobs at most"
        )
    return runs[np.lexsort((schedule.end[runs], schedule.start[runs]))]


def _rows(schedule: Schedule, runs: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each job with its rows: of its clusters' processors, the lowest that are free."""
    first = np.concatenate([[0], np.cumsum(schedule.system.sizes)])
    free_at = np.full(schedule.system.processors, -np.inf)
    for job in runs:
        for cluster in np.flatnonzero(schedule.allocation[job]):
            rows = np.arange(first[cluster], first[cluster + 1])
            rows = rows[free_at[rows] <= schedule.start[job]][: schedule.allocation[job, cluster]]
            free_at[rows] = schedule.end[job]
            yield job, rows


def _draw_job(
    axes: Axes, schedule: Schedule, job: int, rows: np.ndarray, number: str,
    window: tuple[float, float], height: float,
) -> None:  # fmt: skip
    """One job on these processors: a box for each run of neighbouring rows."""
    begin, end = schedule.start[job], schedule.end[job]
    left, right = np.clip([begin, end], *window)
    broad = (right - left) / (window[1] - window[0]) * WIDTH
    shades = colormaps["Set3"].colors
    shade = shades[job % len(shades)]
    style = {"facecolor": shade, "edgecolor": "white", "linewidth": height / ROW}
    for group in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
        axes.add_patch(Rectangle((begin, group[0]), end - begin, len(group), **style))
        if broad > LETTER * len(number) and len(group) * height > LETTER:
            middle = (left + right) / 2, group[0] + len(group) / 2
            axes.text(*middle, number, ha="center", va="center")


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
