"""Response times against utilization, with what is known of where they go to infinity."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from coalloc_lib.checks import instance_of
from coalloc_lib.curves import Curve
from coalloc_lib.plots.style import BESIDE, PLAIN, look, new_figure, some, title_figure

#: How the line of a maximal utilization is dashed, by how it is known.
DASHES = {"exact": "--", "approximation": "-.", "simulation": ":"}
#: The mark of the first load past saturation.
SATURATED = r"$\uparrow$"


def curve(
    drawn: Mapping[str, Curve], *, title: str, xlabel: str, ylabel: str, top: float | None = None,
    logarithmic: bool = False,
) -> Figure:  # fmt: skip
    """Draw mean response times with their 95 % bands, and where they go to infinity.

    A hollow mark is a point whose run was too short for the precision that was asked for. An
    arrow at the top is the first load past saturation. A vertical line is the maximal
    utilization; its dashes tell how that is known.

    Parameters
    ----------
    drawn : dict of Curve
        By the name in the legend.
    top : float, optional
        Where the vertical axis ends.
    logarithmic : bool
        For values around 1 and above: the vertical axis is logarithmic and begins there.
    """
    figure, axes = new_figure(7.5, 3.8)
    handles = _draw_curves(axes, drawn, list(some("drawn", drawn))) | _signs(drawn.values())
    title_figure(figure, title)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    _limit(axes, top, logarithmic)
    axes.legend(handles.values(), handles, **BESIDE)
    return figure


def curves(
    panels: Mapping[str, Mapping[str, Curve]], *, title: str, xlabel: str, ylabel: str,
    top: float | None = None, logarithmic: bool = False, left: float | None = None,
) -> Figure:  # fmt: skip
    """Draw several panels of curves, each name in one colour in all of them.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading]`` is what `curve` draws.
    top, logarithmic
        As `curve` takes them.
    left : float, optional
        Where the horizontal axes begin.
    """
    rows = [some(f"panels[{head!r}]", drawn) for head, drawn in some("panels", panels).items()]
    figure, (row,) = new_figure(7.5, 3.5, columns=len(panels), sharey=True, squeeze=False)
    names = list(dict.fromkeys(name for drawn in rows for name in drawn))
    handles: dict[str, Any] = {}
    for axes, (heading, drawn) in zip(row, panels.items(), strict=True):
        handles |= _draw_curves(axes, drawn, names, 3)
        axes.set_title(heading, fontsize=9)
        axes.set_xlabel(xlabel)
        axes.set_xlim(left, None)
        _limit(axes, top, logarithmic)
    row[0].set_ylabel(ylabel)
    title_figure(figure, title)
    handles |= _signs(curve for drawn in rows for curve in drawn.values())
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4, **PLAIN)
    return figure


def _draw_curves(
    axes: Axes, drawn: Mapping[str, Curve], names: list[str], size: float = 4
) -> dict[str, Line2D]:
    """Draw the curves, each in the look of its place among the names; return a line of each."""
    crowd: Counter = Counter()  # first saturated loads that are drawn already
    handles = {}
    for name, line in drawn.items():
        instance_of(f"curve {name!r}", line, Curve, "what response_curve(...) returns")
        colour, _, marker = look(names.index(name))
        known = [(p, p.response) for p in line.points if p.response is not None]
        at = [point.utilization for point, _ in known]
        middle, low, high = (
            [getattr(response, part) for _, response in known]
            for part in ("estimate", "low", "high")
        )
        style = {"color": colour, "marker": marker, "markersize": size}
        (handles[name],) = axes.plot(at, middle, label=name, **style)
        axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
        hollow = {"color": "white", "markersize": size - 1.5, "linestyle": "none"}
        rough = [(p.utilization, found.estimate) for p, found in known if not p.precise]
        axes.plot(*np.reshape(rough, (-1, 2)).T, marker=marker, **hollow)
        dashes = {"linestyle": DASHES[line.maximum.method], "linewidth": 1}
        axes.axvline(line.maximum.max_utilization, color=colour, **dashes)
        over = next((point.utilization for point in line.points if point.saturated), None)
        if over is not None:
            height = 0.985 - 0.035 * crowd[over]
            crowd[over] += 1
            beyond = {"marker": SATURATED, "markersize": size + 1, "color": colour}
            axes.plot(over, height, transform=axes.get_xaxis_transform(), **beyond)
    return handles


def _signs(drawn: Iterable[Curve]) -> dict[str, Line2D]:
    """Return what the legend says of the signs that these curves use."""
    drawn = list(drawn)
    points = [point for line in drawn for point in line.points]
    signs = {
        f"maximal, {method}": Line2D([], [], color="black", linewidth=1, linestyle=DASHES[method])
        for method in dict.fromkeys(line.maximum.method for line in drawn)
    }
    mark = {"color": "black", "linestyle": "none", "markersize": 5}
    if any(point.saturated for point in points):
        signs["saturated from here on"] = Line2D([], [], marker=SATURATED, **mark)
    if not all(point.precise for point in points):
        signs["run too short"] = Line2D([], [], marker="o", markerfacecolor="white", **mark)
    return signs


def _limit(axes: Axes, top: float | None, logarithmic: bool) -> None:
    """Let the vertical axis rise from 0, or from 1 by factors, with plain numbers beside it."""
    if not logarithmic:
        axes.set_ylim(0 if top else None, top)
        return
    axes.set_yscale("log")
    axes.set_ylim(0.93, top)
    ticks = [tick for tick in (1, 1.5, 2, 3, 5, 10, 20, 50, 100) if tick <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)
