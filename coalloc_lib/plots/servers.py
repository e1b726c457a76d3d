"""Reservations on servers: a row a server, as the reservation calendar has them."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.plots.signs import STANDARD
from coalloc_lib.plots.still import GROUND, JOB_COLOURS, job_colours
from coalloc_lib.plots.style import GREY, new_figure, title_figure

__all__ = ["JOB_COLOURS", "Box", "job_colours", "reservations", "rows"]

#: Inches of a row at most, and of all rows; rows between clusters; a letter's share of the width.
HIGH, ALL, GAP, LETTER = 0.26, 2.6, 0.4, 0.012


class Box(NamedTuple):
    """A reservation as it is drawn: on these servers, from start to end, in fill and ink."""

    label: str
    servers: Sequence[int]
    start: float
    end: float
    colour: tuple[str, str]


def rows(
    axes: Axes, sizes: Sequence[int], boxes: Iterable[Box], span: tuple[float, float]
) -> list[float]:
    """Draw boxes on a row a server, with room between clusters; return where each row begins."""
    tops = [server + GAP * c for server, c in enumerate(_clusters(sizes))]
    for top in tops:
        axes.broken_barh([(span[0], span[1] - span[0])], (top + 0.03, 0.94), color=GROUND, zorder=0)
    for box in boxes:
        begin, end = max(box.start, span[0]), min(box.end, span[1])
        if begin >= end:
            continue
        for server in box.servers:
            fill, ink = box.colour
            look: dict[str, Any] = {"facecolor": fill, "edgecolor": "white", "linewidth": 0.8}
            axes.add_patch(Rectangle((begin, tops[server]), end - begin, 1, zorder=2, **look))
            if (end - begin) / (span[1] - span[0]) > LETTER * (len(box.label) + 1):
                middle = (begin + end) / 2, tops[server] + 0.5
                look = {"ha": "center", "va": "center_baseline", "fontsize": 8, "color": ink}
                axes.text(*middle, box.label, zorder=3, **look)
    axes.set(xlim=span, ylim=(tops[-1] + 1, 0))
    axes.set_yticks([top + 0.5 for top in tops], _names(sizes))
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    return tops


def reservations(
    sizes: Sequence[int],
    boxes: Iterable[Box],
    *,
    now: float,
    until: float,
    span: tuple[float, float],
    found: tuple[float, float, Sequence[int]] | None = None,
    title: str,
    subtitle: str = "",
    unit: str = "",
) -> Figure:
    """Draw a calendar of reservations.

    Parameters
    ----------
    sizes : sequence of int
        Servers of each cluster.
    boxes : iterable of Box
    now, until : float
        The present instant, and the end of the horizon.
    span : (float, float)
        What the time axis shows.
    found : (float, float, sequence of int), optional
        What a search found: from when to when, and which servers are free so long.
    title, subtitle, unit : str
    """
    servers = sum(sizes)
    height = min(HIGH * (servers + GAP * (len(sizes) - 1)), ALL)
    figure, axes = new_figure(height + 0.5)
    tops = rows(axes, sizes, boxes, span)
    axes.axvline(now, color="black", linewidth=1.2)
    axes.axvline(until, color=GREY, linestyle=":", linewidth=1.2)
    if found is not None:
        start, end, free = found
        for server in free:
            axes.broken_barh([(start, end - start)], (tops[server], 1), color=STANDARD.colour,
                             alpha=0.2, zorder=1)  # fmt: skip
        axes.add_patch(Rectangle((start, 0), end - start, tops[-1] + 1, fill=False, zorder=4,
                                 edgecolor=STANDARD.colour, linewidth=1.4))  # fmt: skip
    if height == ALL:
        axes.set_yticks([tops[first] for first in accumulate((0, *sizes[:-1]))],
                        [f"cluster {c}" for c in range(1, len(sizes) + 1)], va="top")  # fmt: skip
    axes.set_xlabel(f"time{f' ({unit})' if unit else ''}; line: now, dotted: the horizon")
    title_figure(figure, title, subtitle)
    return figure


def _clusters(sizes: Sequence[int]) -> list[int]:
    """Return the cluster of each server."""
    return [c for c, size in enumerate(sizes) for _ in range(size)]


def _names(sizes: Sequence[int]) -> list[str]:
    """Return what the servers are called, counted from 1 as clusters are."""
    if len(sizes) == 1:
        return [f"server {server}" for server in range(1, sizes[0] + 1)]
    return [f"cluster {c + 1}, {server}" for server, c in enumerate(_clusters(sizes), 1)]
