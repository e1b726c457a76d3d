"""Schedules as still pictures: boxes, the queue, what idles; and reservations, a row a server."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from coalloc_lib.plots.signs import COLOURS, STANDARD
from coalloc_lib.plots.style import GREY, new_figure, title_figure

#: Fill and ink of jobs, by number. Vermilion is kept for what is lost, and black for lines.
JOB_COLOURS = tuple(
    (fill, "#ffffff" if fill in ("#0072B2", "#009E73", "#8C8C8C") else "#111111")
    for fill in COLOURS
    if fill not in ("#D55E00", "#000000")
)
LOSS, LOSS_GROUND, GROUND, PROMISE = "#E08A55", "#FBE9DE", "#F3F3F3", "#C65500"
#: Sizes in inches: of the figure and its axes, of clusters, of a lane of the queue, of letters.
WIDTH, AXES, BANDS, LANE, MOST_LANES, LETTER = 8.2, 6.9, 2.5, 0.13, 2.2, 0.075
#: Of reservations: inches of a row at most, and of all rows; a letter's share of the width.
ROW, ALL, SHARE = 0.26, 2.6, 0.012
#: Room between clusters: as a share of all processors, and in rows.
GAP, APART = 0.08, 0.4


class Box(NamedTuple):
    """A reservation as it is drawn: on these servers, from start to end, in fill and ink."""

    label: str
    servers: Sequence[int]
    start: float
    end: float
    colour: tuple[str, str]


def still(
    panels: Mapping[str, Mapping[str, Any]], span: tuple[float, float], *, unit: str = ""
) -> Figure:
    """Draw what `coalloc_lib.schedules.drawing.scenes` returns, below each other, over one axis."""
    deepest = [max([lane for lane, *_ in one["queue"]], default=1) for one in panels.values()]
    lows = [min(LANE * lanes + 0.2, MOST_LANES) for lanes in deepest]
    heights = [height for low in lows for height in (BANDS, low)]
    figure, grid = new_figure(
        sum(heights) + 0.8, len(heights), 1, width=WIDTH, sharex=True, height_ratios=heights
    )
    parts = zip(panels.items(), deepest, grid[::2], grid[1::2], strict=True)
    for (heading, one), lanes, bands, low in parts:
        _draw_bands(bands, one, span)
        _draw_queue(low, one["queue"], lanes, span)
        bands.set_title(heading, loc="left")
    marks = "hatched: idle while a job waits; ×: a submission, line: a wait"
    boxes = [box for one in panels.values() for box in one["boxes"]]
    promised = [at for one in panels.values() for *_, at in one["queue"]]
    told = {
        "white lines: else it would still wait": any(b[6] > b[4] for b in boxes),
        "dotted: booked, and not used": any(b[7] > b[5] for b in boxes),
        "dashed outline: passed the head": any(b[8] is not None for b in boxes),
        "orange: a promised start": np.isfinite(promised).any(),
    }
    words = f"time{f' ({unit})' if unit else ''}", marks, "; ".join(filter(told.get, told))
    grid[-1].set(xlim=span, xlabel="\n".join(filter(None, words)))
    grid[-1].xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    return figure


def _draw_bands(axes, one, span):
    """Draw clusters with the boxes on them."""
    sizes = np.array(one["sizes"])
    gap = GAP * sizes.sum() / len(sizes)
    tops = np.concatenate([[0], np.cumsum(sizes + gap)])
    for top, size in zip(tops, sizes, strict=False):
        axes.broken_barh([(span[0], span[1] - span[0])], (top, size), color=GROUND, zorder=0)
        look = {"facecolor": LOSS_GROUND, "edgecolor": LOSS, "linewidth": 0}
        axes.broken_barh(one["waits"], (top, size), hatch="////", zorder=0.5, **look)
    overtaken = {box[-1] for box in one["boxes"]}
    for at in (at for _, number, *_, at in one["queue"] if number in overtaken):  # NaN: no line
        axes.axvline(at, color=PROMISE, linestyle=(0, (4, 2)), linewidth=1.5, zorder=2.7)
    for number, cluster, first, size, start, end, until, held, passed in one["boxes"]:
        begin, end = np.clip([start, end], *span)
        letters = (end - begin) * AXES / (span[1] - span[0]) / LETTER
        fontsize = min(8, 68 * size * BANDS / tops[-1])
        roomy = letters > len(str(number)) + 0.5 and fontsize > 6
        place, label = (begin, tops[cluster] + first), str(number) if roomy else ""
        colour = JOB_COLOURS[(number - 1) % len(JOB_COLOURS)]
        _draw_box(axes, place, (end - begin, size), colour, label, 1.0, fontsize)
        more = (  # from, to, look
            (begin, min(until, end), {"hatch": "////", "ec": "white", "lw": 0, "zorder": 2.5}),
            (begin, begin if passed is None else end, {"ls": "--", "lw": 1.2, "zorder": 2.6}),
            (end, min(held, span[1]), {"ls": (0, (1, 1.5)), "ec": GREY, "lw": 1.2, "zorder": 1}),
        )
        for at, to, look in more:
            if to > at:
                axes.add_patch(Rectangle((at, place[1]), to - at, size, fill=False, **look))
    axes.set_ylim(tops[-1] - gap, 0)
    names = [f"cluster {c}\n{size} processors" for c, size in enumerate(sizes, 1)]
    names = names if len(sizes) > 1 else [f"{sizes[0]} processors"]
    if 0.35 * len(sizes) > BANDS:
        names = [f"{c}" for c in range(1, len(sizes) + 1)]
        axes.set_ylabel("cluster")
    axes.set_yticks(tops[:-1] + sizes / 2, names)
    _plain(axes)


def _draw_box(axes, place, size, colour, label, linewidth, fontsize=8.0):
    """Draw a box with its label in the middle."""
    fill, ink = colour
    look = {"facecolor": fill, "edgecolor": "white", "linewidth": linewidth}
    axes.add_patch(Rectangle(place, *size, zorder=2, **look))
    if label:
        middle = place[0] + size[0] / 2, place[1] + size[1] / 2
        look = {"ha": "center", "va": "center_baseline", "fontsize": fontsize, "color": ink}
        halo = [withStroke(linewidth=2.4, foreground=fill)]  # no lines through the digits
        axes.text(*middle, label, zorder=3, path_effects=halo, **look)


def _draw_queue(axes, queue, lanes, span):
    """Draw submissions, waits and promised starts."""
    for lane, number, submit, left, promised in queue:
        axes.plot([submit, left], [lane, lane], color="#555555", linewidth=0.8)
        axes.plot(submit, lane, "x", color="black", markersize=4, clip_on=False)
        if np.isfinite(promised):
            axes.plot(promised, lane, "|", color=PROMISE, markersize=7, markeredgewidth=2)
        if lanes * LANE <= MOST_LANES and submit >= span[0]:
            axes.annotate(str(number), (submit, lane), (-4, 0), textcoords="offset points",
                          ha="right", va="center_baseline", fontsize=7)  # fmt: skip
    axes.set_ylim(lanes + 0.6, 0.4)
    axes.set_yticks([(lanes + 1) / 2], ["queue"])
    _plain(axes)
    axes.tick_params(axis="y", pad=24)  # past the numbers of those submitted first


def _plain(axes):
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines["left"].set_visible(False)


def rows(
    axes: Axes, sizes: Sequence[int], boxes: Iterable[Box], span: tuple[float, float]
) -> list[float]:
    """Draw boxes on a row a server, with room between clusters; return where each row begins."""
    clusters = [c for c, size in enumerate(sizes) for _ in range(size)]
    tops = [server + APART * c for server, c in enumerate(clusters)]
    for top in tops:
        axes.broken_barh([(span[0], span[1] - span[0])], (top + 0.03, 0.94), color=GROUND, zorder=0)
    for box in boxes:
        begin, end = max(box.start, span[0]), min(box.end, span[1])
        roomy = (end - begin) / (span[1] - span[0]) > SHARE * (len(box.label) + 1)
        for server in box.servers if begin < end else ():
            size = end - begin, 1
            _draw_box(axes, (begin, tops[server]), size, box.colour, box.label * roomy, 0.8)
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
    """Draw reservations on clusters of servers; `free_period` is start, end, and who is free."""
    height = min(ROW * (sum(sizes) + APART * (len(sizes) - 1)), ALL)
    figure, axes = new_figure(height + 0.5)
    tops = rows(axes, sizes, boxes, span)
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
