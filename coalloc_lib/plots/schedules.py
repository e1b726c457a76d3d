"""Figures of schedules with their queues, and of reservations with one row for each server."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from coalloc_lib.basics.checks import InputError, shown, whole_numbers
from coalloc_lib.plots.signs import COLOURS, LOSS, ONE_CLUSTER, PRINT, STANDARD
from coalloc_lib.plots.style import GREY, LETTERS, new_figure, title_figure

#: Further fill colours of jobs, so that ten neighbouring jobs differ.
MORE_COLOURS = "#F0E442", "#332288", "#A6761D", "#882255"
#: The dark fill colours of boxes, on which text is white.
DARK = (STANDARD.colour, ONE_CLUSTER.colour, MORE_COLOURS[1], MORE_COLOURS[3])
#: The fill colours of the boxes of jobs, each with a text colour. The number of a job selects the
#: pair. Vermilion is reserved for lost capacity, and black for lines.
JOB_COLOURS = tuple(
    (fill, "#ffffff" if fill in DARK else "#111111")
    for fill in COLOURS + MORE_COLOURS
    if fill not in (LOSS.colour, PRINT.colour)
)
#: The colours of the hatching and of the background of processors that are idle while a job waits.
HATCHING, HATCHED = "#E08A55", "#FBE9DE"
#: The colour of processors that are idle while no job is waiting. Promised starts have the second
#: colour.
GROUND, PROMISE = "#F3F3F3", "#C65500"
#: Sizes in figures of schedules, in inches: the width of the axes, the width of a letter, the total
#: height of all clusters, the height of one waiting job, and the maximum height of the queue.
AXES, LETTER, BANDS, LANE, MOST_LANES = 6.9, 0.075, 2.5, 0.13, 2.2
#: Sizes in figures of several schedules, which fit a small window, in inches: the height of one
#: waiting job, the maximum height of all queues together, and the height of all schedules together.
FLAT_LANE, FLAT_QUEUES, FLAT_ALL = 0.11, 3.0, 4.8
#: Sizes in figures of reservations: ROW is the maximum height of one row, and ALL is the maximum
#: total height of all rows, both in inches. SHARE is the width of a letter as a fraction of the
#: width of the axis.
ROW, ALL, SHARE = 0.26, 2.6, 0.012
#: The gap between two clusters: GAP is the gap in figures of schedules, as a fraction of the mean
#: cluster size, and APART is the gap in figures of reservations, in rows.
GAP, APART = 0.08, 0.4


class Box(NamedTuple):
    """A box that represents a reservation in a figure."""

    label: str
    servers: Sequence[int]
    start: float
    end: float
    colour: tuple[str, str]  # of the filling and of the text


class DrawnBox(NamedTuple):
    """A box in a Gantt chart: adjacent processors of one cluster that run the same job.

    The job runs only in this schedule until the instant `until`, its processors are booked until
    `held`, and `passed` is the number of the job at the head of the queue that the job overtook, or
    None.
    """

    number: int
    cluster: int
    first: int
    size: int
    start: float
    end: float
    until: float
    held: float
    passed: int | None


class DrawnWait(NamedTuple):
    """A line under a Gantt chart: a job that waits, in a row that is counted from 1.

    The promised start is NaN if there is none.
    """

    lane: int
    number: int
    submit: float
    left: float
    promised: float


def draw_schedules(
    panels: Mapping[str, Mapping[str, Any]], span: tuple[float, float], *, unit: str = ""
) -> Figure:
    """Draw several schedules one above the other, each with its queue of waiting jobs.

    Parameters
    ----------
    panels : dict of str to dict
        The boxes, the queue and the idle times of each schedule by its heading, as
        `coalloc_lib.schedules.drawing.scenes` returns them.
    span : (float, float)
        The time that is shown.
    unit : str
        The unit of time.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If there is no schedule.
    """
    if not panels:
        raise InputError(f"panels = {shown(panels)}; give at least one schedule")
    scenes = [*panels.values()]
    lanes = [max([wait.lane for wait in scene["queue"]], default=1) for scene in scenes]
    bands, queue_heights, has_numbers = _heights(lanes)
    heights = [height for of_queue in queue_heights for height in (bands, of_queue)]
    figure, grid = new_figure(
        sum(heights) + 0.8, len(heights), 1, sharex=True, height_ratios=heights
    )
    for heading, scene, number, shows, upper, lower in zip(
        panels, scenes, lanes, has_numbers, grid[::2], grid[1::2], strict=True
    ):
        _draw_bands(upper, scene, span, bands)
        _draw_queue(lower, scene["queue"], number, span, shows)
        upper.set_title(heading, loc="left")
    marks = "hatched: idle while a job waits; ×: a submission, line: a wait"
    words = f"time{f' ({unit})' if unit else ''}", marks, fill("; ".join(_notes(scenes)), LETTERS)
    grid[-1].set(xlim=span, xlabel="\n".join(filter(None, words)))
    grid[-1].xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    return figure


def _heights(lanes):
    # Return the height of the clusters of each schedule, the height of each queue, and whether the
    # numbers of the jobs fit beside the lines of each queue.
    shown = len(lanes)
    lane, most = (LANE, MOST_LANES) if shown == 1 else (FLAT_LANE, FLAT_QUEUES / shown)
    queues = [min(lane * number + 0.2, most) for number in lanes]
    bands = BANDS if shown == 1 else (FLAT_ALL - sum(queues)) / shown
    return bands, queues, [lane * number <= most for number in lanes]


def _notes(scenes):
    boxes = [box for scene in scenes for box in scene["boxes"]]
    promised = [wait.promised for scene in scenes for wait in scene["queue"]]
    occurs = {
        "white lines: the job still waits in the compared schedule": any(
            box.until > box.start for box in boxes
        ),
        "dotted: booked but not used": any(box.held > box.end for box in boxes),
        "dashed outline: overtook the head of the queue": any(
            box.passed is not None for box in boxes
        ),
        "orange: a promised start": np.isfinite(promised).any(),
    }
    return [note for note, does_occur in occurs.items() if does_occur]


def _draw_bands(axes, scene, span, height):
    sizes = np.array(scene["sizes"])
    gap = GAP * sizes.sum() / len(sizes)
    tops = np.concatenate([[0], np.cumsum(sizes + gap)])
    for top, size in zip(tops, sizes, strict=False):
        axes.broken_barh([(span[0], span[1] - span[0])], (top, size), color=GROUND, zorder=0)
        look = {"facecolor": HATCHED, "edgecolor": HATCHING, "linewidth": 0}
        axes.broken_barh(scene["waits"], (top, size), hatch="////", zorder=0.5, **look)
    overtaken = {box.passed for box in scene["boxes"]}
    for wait in scene["queue"]:
        if wait.number in overtaken:  # A promised start of NaN draws no line.
            style = {"color": PROMISE, "linestyle": (0, (4, 2)), "linewidth": 1.5, "zorder": 2.7}
            axes.axvline(wait.promised, **style)
    for box in scene["boxes"]:
        _draw_job(axes, box, tops, span, height)
    axes.set_ylim(tops[-1] - gap, 0)
    _name_clusters(axes, sizes, tops, height)
    _plain(axes)


def _draw_job(axes, box, tops, span, height):
    begin, end = np.clip([box.start, box.end], *span)
    letters = (end - begin) * AXES / (span[1] - span[0]) / LETTER
    fontsize = min(8, 68 * box.size * height / tops[-1])
    is_roomy = letters > len(str(box.number)) + 0.5 and fontsize > 6
    bottom, label = tops[box.cluster] + box.first, str(box.number) if is_roomy else ""
    colour = JOB_COLOURS[(box.number - 1) % len(JOB_COLOURS)]
    _draw_box(axes, (begin, bottom), (end - begin, box.size), colour, label, 1.0, fontsize)
    marks = (  # from, to, style
        (begin, min(box.until, end), {"hatch": "////", "ec": "white", "lw": 0, "zorder": 2.5}),
        (begin, begin if box.passed is None else end, {"ls": "--", "lw": 1.2, "zorder": 2.6}),
        (end, min(box.held, span[1]), {"ls": (0, (1, 1.5)), "ec": GREY, "lw": 1.2, "zorder": 1}),
    )
    for left, right, style in marks:
        if right > left:
            axes.add_patch(Rectangle((left, bottom), right - left, box.size, fill=False, **style))


def _name_clusters(axes, sizes, tops, height):
    names = [f"cluster {c}\n{size} processors" for c, size in enumerate(sizes, 1)]
    if len(sizes) == 1:
        names = [f"{sizes[0]} processors"]
    if 0.35 * len(sizes) > height:
        names = [f"{c}" for c in range(1, len(sizes) + 1)]
        axes.set_ylabel("cluster")
    axes.set_yticks(tops[:-1] + sizes / 2, names)


def _draw_box(axes, place, size, colour, label, linewidth, fontsize=8.0):
    fill, ink = colour
    look = {"facecolor": fill, "edgecolor": "white", "linewidth": linewidth}
    axes.add_patch(Rectangle(place, *size, zorder=2, **look))
    if label:
        middle = place[0] + size[0] / 2, place[1] + size[1] / 2
        look = {"ha": "center", "va": "center_baseline", "fontsize": fontsize, "color": ink}
        halo = [withStroke(linewidth=2.4, foreground=fill)]  # keeps hatching away from the digits
        axes.text(*middle, label, zorder=3, path_effects=halo, **look)


def _draw_queue(axes, queue, lanes, span, has_numbers):
    for lane, number, submit, left, promised in queue:
        axes.plot([submit, left], [lane, lane], color="#555555", linewidth=0.8)
        if submit >= span[0]:
            axes.plot(submit, lane, "x", color="black", markersize=4, clip_on=False)
        if np.isfinite(promised):
            axes.plot(promised, lane, "|", color=PROMISE, markersize=7, markeredgewidth=2)
        if has_numbers:
            style = {"ha": "right", "va": "center_baseline", "fontsize": 7}
            at = max(submit, span[0]), lane
            axes.annotate(str(number), at, (-4, 0), textcoords="offset points", **style)
    axes.set_ylim(lanes + 0.6, 0.4)
    axes.set_yticks([(lanes + 1) / 2], ["queue"])
    _plain(axes)
    axes.tick_params(axis="y", pad=24)  # left of the numbers of the first jobs


def _plain(axes):
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines["left"].set_visible(False)


def draw_reservations(
    axes: Axes, sizes: Sequence[int], boxes: Iterable[Box], span: tuple[float, float]
) -> list[float]:
    """Draw reservations as boxes on given axes, with one row per server.

    Parameters
    ----------
    axes : Axes
        The axes.
    sizes : list of int
        The number of servers of each cluster.
    boxes : iterable of Box
        The reservations.
    span : (float, float)
        The time that is shown.

    Returns
    -------
    list of float
        The vertical position at which the row of each server begins.

    Raises
    ------
    InputError
        If there is no cluster, or a size is not a whole number of 1 or more.
    """
    sizes = whole_numbers("sizes", sizes).tolist()
    clusters = [c for c, size in enumerate(sizes) for _ in range(size)]
    tops = [server + APART * c for server, c in enumerate(clusters)]
    for top in tops:
        axes.broken_barh([(span[0], span[1] - span[0])], (top + 0.03, 0.94), color=GROUND, zorder=0)
    for box in boxes:
        begin, end = max(box.start, span[0]), min(box.end, span[1])
        is_roomy = (end - begin) / (span[1] - span[0]) > SHARE * (len(box.label) + 1)
        for server in box.servers if begin < end else ():
            size = end - begin, 1
            _draw_box(
                axes, (begin, tops[server]), size, box.colour, box.label if is_roomy else "", 0.8
            )
    axes.set(xlim=span, ylim=(tops[-1] + 1, 0))
    alone = len(sizes) == 1
    names = [f"server {s}" if alone else f"cluster {c + 1}, {s}" for s, c in enumerate(clusters, 1)]
    axes.set_yticks([top + 0.5 for top in tops], names)
    _plain(axes)
    return tops


def reservations(
    sizes: Sequence[int], boxes: Iterable[Box], *, now: float, until: float,
    span: tuple[float, float], free_period: tuple[float, float, Sequence[int]] | None = None,
    title: str, subtitle: str = "", unit: str = "",
) -> Figure:  # fmt: skip
    """Draw a calendar with the reservations of all servers up to the end of the horizon.

    Parameters
    ----------
    sizes : list of int
        The number of servers of each cluster.
    boxes : iterable of Box
        The reservations.
    now, until : float
        The current time, drawn as a line, and the horizon, drawn as a dotted line.
    span : (float, float)
        The time that is shown.
    free_period : (float, float, list of int), optional
        The start and the end of a free period, and the servers that are free in it.
    title, subtitle, unit : str
        The title of the figure, the text under it, and the unit of time.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If there is no cluster, or a size is not a whole number of 1 or more.
    """
    sizes = whole_numbers("sizes", sizes).tolist()
    height = min(ROW * (sum(sizes) + APART * (len(sizes) - 1)), ALL)
    figure, axes = new_figure(height + 0.5)
    tops = draw_reservations(axes, sizes, boxes, span)
    axes.axvline(now, color="black", linewidth=1.2)
    axes.axvline(until, color=GREY, linestyle=":", linewidth=1.2)
    if free_period is not None:
        start, end, free = free_period
        look: dict[str, Any] = {"color": STANDARD.colour, "alpha": 0.2, "zorder": 1}
        for server in free:
            axes.broken_barh([(start, end - start)], (tops[server], 1), **look)
        look = {"fill": False, "zorder": 4, "edgecolor": STANDARD.colour, "linewidth": 1.4}
        axes.add_patch(Rectangle((start, 0), end - start, tops[-1] + 1, **look))
    if height == ALL:
        names = [f"cluster {c}" for c in range(1, len(sizes) + 1)]
        axes.set_yticks([tops[at] for at in accumulate((0, *sizes[:-1]))], names, va="top")
    axes.set_xlabel(f"time{f' ({unit})' if unit else ''}; line: now, dotted: the horizon")
    title_figure(figure, title, subtitle)
    return figure
