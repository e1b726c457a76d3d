"""Schedules as still pictures, with the marks of the player: boxes, the queue, and what idles."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coalloc_lib.checks import instance_of
from coalloc_lib.plots.boxes import Piece, pieces, running, window_of
from coalloc_lib.plots.signs import COLOURS
from coalloc_lib.plots.style import STYLE, some
from coalloc_lib.schedule import Schedule
from coalloc_lib.waiting import instants_of, left_queue

#: Fill and ink of jobs, by number. Vermilion is kept for what is lost, and black for lines.
JOB_COLOURS = tuple(
    (fill, "#ffffff" if fill in ("#0072B2", "#009E73", "#8C8C8C") else "#111111")
    for fill in COLOURS
    if fill not in ("#D55E00", "#000000")
)
LOSS, LOSS_GROUND, GROUND = "#E08A55", "#FBE9DE", "#F3F3F3"
PROMISE = "#C65500"
#: Sizes in inches: of the figure and its axes, of clusters, of a lane of the queue, of letters.
_WIDTH, _AXES, _BANDS, _LANE, _MOST_LANES, _LETTER = 7.5, 6.2, 2.2, 0.13, 2.2, 0.075
#: Room between clusters, as a share of all processors.
_GAP = 0.08


def job_colours(number: int) -> tuple[str, str]:
    """Return fill and ink of the job of this number."""
    return JOB_COLOURS[(number - 1) % len(JOB_COLOURS)]


def still(
    schedules: Mapping[str, Schedule], *, unit: str = "", window: tuple[float, float] | None = None
) -> Figure:
    """Draw schedules below each other, over one time axis.

    Parameters
    ----------
    schedules : dict of str to Schedule
    unit : str
        Unit of time.
    window : (float, float), optional
        Draw from one instant to another; the first jobs where it is not given.

    Returns
    -------
    matplotlib.figure.Figure
        Jobs are boxes on their clusters; hatched is what idles while a job waits. Below them each
        job has a cross at its submission, a thin line while it waits, and a bar at the first start
        that it was promised.

    Raises
    ------
    InputError
        This is no dict of schedules, or the window is none or holds more than 2,000 jobs.
    """
    for label, one in some("schedules", schedules).items():
        instance_of(f"schedules[{label!r}]", one, Schedule, "what simulate(...) returns")
    spans, words = zip(*(window_of(one, window) for one in schedules.values()), strict=True)
    begins, finishes = zip(*spans, strict=True)
    span = min(begins), (min if any(words) else max)(finishes)
    queues = [list(_lanes(one, span)) for one in schedules.values()]
    lanes = [min(_LANE * max(lane for lane, _ in [*q, (1, 0)]) + 0.2, _MOST_LANES) for q in queues]
    heights = [height for low in lanes for height in (_BANDS, low)]
    with rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH, sum(heights) + 0.6), layout="constrained")
        grid = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    rows = zip(schedules.items(), words, queues, grid[::2], grid[1::2], strict=True)
    for (label, one), part, queue, bands, low in rows:
        _draw_bands(bands, one, span)
        _draw_queue(low, one, queue, span)
        bands.set_title(f"{label}: {part}" if part else label, loc="left")
    time = f"time{f' ({unit})' if unit else ''}"
    marks = "hatched: idle while a job waits; ×: a submission, line: a wait"
    if any(np.isfinite(_promised(one)).any() for one in schedules.values()):
        marks += ", bar: a promised start"
    grid[-1].set(xlim=span, xlabel=f"{time}; {marks}")
    grid[-1].xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    return figure


def _draw_bands(axes: Axes, schedule: Schedule, span: tuple[float, float]) -> None:
    sizes = schedule.system.sizes
    gap = _GAP * schedule.system.processors / len(sizes)
    tops = np.concatenate([[0], np.cumsum(np.array(sizes) + gap)])
    spells = _spells(schedule, span)
    for top, size in zip(tops, sizes, strict=False):
        axes.broken_barh([(span[0], span[1] - span[0])], (top, size), color=GROUND, zorder=0)
        look: dict[str, Any] = {"facecolor": LOSS_GROUND, "edgecolor": LOSS, "linewidth": 0}
        axes.broken_barh(spells, (top, size), hatch="////", zorder=0.5, **look)
    scale = _BANDS / tops[-1], _AXES / (span[1] - span[0])
    for piece in pieces(schedule, running(schedule, *span)):
        _draw_box(axes, schedule, piece, tops[piece.cluster] + piece.first, span, scale)
    axes.set_ylim(tops[-1] - gap, 0)
    names = [f"cluster {c}\n{size} processors" for c, size in enumerate(sizes, 1)]
    if 0.35 * len(sizes) > _BANDS:
        names = [f"{c}" for c in range(1, len(sizes) + 1)]
        axes.set_ylabel("cluster")
    axes.set_yticks(tops[:-1] + np.array(sizes) / 2, names)
    _plain(axes)


def _draw_box(
    axes: Axes, schedule: Schedule, piece: Piece, top: float,
    span: tuple[float, float], scale: tuple[float, float],
) -> None:  # fmt: skip
    begin, end = np.clip([schedule.start[piece.job], schedule.end[piece.job]], *span)
    number = int(schedule.jobs.number[piece.job])
    fill, ink = job_colours(number)
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": "white", "linewidth": 1, "zorder": 2}
    axes.add_patch(Rectangle((begin, top), end - begin, piece.size, **look))
    wide = (end - begin) * scale[1] > _LETTER * (len(str(number)) + 1)
    if wide and piece.size * scale[0] > 1.6 * _LETTER:
        middle = (begin + end) / 2, top + piece.size / 2
        axes.text(*middle, str(number), ha="center", va="center_baseline", fontsize=8, color=ink)


def _spells(schedule: Schedule, span: tuple[float, float]) -> list[tuple[float, float]]:
    """Return (begin, length) of each time in which a job waits."""
    instants = np.unique(np.clip(instants_of(schedule), *span))
    waits = np.concatenate([[False], schedule.queue_length(instants[:-1]) > 0, [False]])
    edges = instants[np.flatnonzero(np.diff(waits))].reshape(-1, 2)
    return [(begin, end - begin) for begin, end in edges]


def _lanes(schedule: Schedule, span: tuple[float, float]) -> Iterator[tuple[int, int]]:
    """Yield (lane, job): lanes count from 1, and in one no two waits meet, numbers included."""
    submit, left = schedule.jobs.submit, left_queue(schedule)
    letter = _LETTER * (span[1] - span[0]) / _AXES
    free: list[float] = []
    for job in np.argsort(submit, kind="stable"):
        if not (submit[job] <= span[1] and left[job] >= span[0]):
            continue
        before = submit[job] - letter * (len(str(schedule.jobs.number[job])) + 1)
        lane = next((lane for lane, at in enumerate(free) if at <= before), len(free))
        free[lane : lane + 1] = [max(left[job], submit[job] + letter)]
        yield lane + 1, int(job)


def _draw_queue(
    axes: Axes, schedule: Schedule, queue: list[tuple[int, int]], span: tuple[float, float]
) -> None:
    submit, left, promised = schedule.jobs.submit, left_queue(schedule), _promised(schedule)
    deepest = max([lane for lane, _ in queue], default=1)
    for lane, job in queue:
        number = int(schedule.jobs.number[job])
        axes.plot([submit[job], left[job]], [lane, lane], color="#555555", linewidth=0.8)
        axes.plot(submit[job], lane, "x", color="black", markersize=4, clip_on=False)
        if np.isfinite(promised[job]):
            mark: dict[str, Any] = {"color": PROMISE, "markersize": 7, "markeredgewidth": 2}
            axes.plot(promised[job], lane, "|", **mark)
        if deepest * _LANE <= _MOST_LANES and submit[job] >= span[0]:
            place: dict[str, Any] = {"xytext": (-4, 0), "textcoords": "offset points"}
            axes.annotate(
                str(number),
                (submit[job], lane),
                ha="right",
                va="center_baseline",
                fontsize=7,
                **place,
            )
    axes.set_ylim(deepest + 0.6, 0.4)
    axes.set_yticks([(deepest + 1) / 2], ["queue"])
    _plain(axes)
    axes.tick_params(axis="y", pad=24)  # past the numbers of those submitted first


def _promised(schedule: Schedule) -> NDArray[np.float64]:
    assert schedule.promised is not None  # a schedule fills it in
    return schedule.promised


def _plain(axes: Axes) -> None:
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
