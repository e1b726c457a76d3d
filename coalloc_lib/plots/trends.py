"""Lines over a number, each panel with axes of its own, linear or logarithmic."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.bars import as_interval
from coalloc_lib.plots.signs import PRINT, Sign, signs
from coalloc_lib.plots.style import PRINTED, head, new_figure, some, title_figure

#: Points of a line: a place, and what is there.
Points = Sequence[tuple[float, Interval | float]]
AXES = ("linear", "log")
#: With more points than this a line has no marks.
MARKED = 20
#: Of an axis whose ends differ by a smaller factor, these multiples of a power of ten are marked.
NEAR, SUBS = 60, (1.0, 2.0, 5.0)
#: Letters that the headings of a row have room for.
HEADING = 80
_DIAMOND = {"D": "◇"}[PRINT.marker]


def trends(
    panels: Mapping[str, Mapping[str, Points]], *, title: str, subtitle: str = "",
    xlabel: str, ylabel: str, look: Mapping[str, Sign] | None = None,
    scales: Mapping[str, tuple[str, str]] | tuple[str, str] = ("linear", "linear"),
    printed: Mapping[str, Sequence[tuple[str, float, float]]] | None = None,
    dashed: Sequence[str] = (), stairs: bool = False,
) -> Figure:  # fmt: skip
    """Draw lines with their 95 % bands, a panel each heading.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading][name]`` has the points, in rising order. On a logarithmic axis those that
        are not above 0 are left out.
    look : dict of Sign, optional
        By name, where it is not to follow from the names.
    scales : (str, str) or dict of them
        Of the two axes, ``"linear"`` or ``"log"``; by heading, where panels differ.
    printed : dict, optional
        By heading, what a paper prints: the name of the line, and where, an open diamond. A place
        of NaN upwards is the foot of the panel.
    dashed : sequence of str
        Names whose lines are dashed.
    stairs : bool
        Lines keep their level up to the next point: distributions.
    """
    names = list(dict.fromkeys(name for drawn in some("panels", panels).values() for name in drawn))
    look = signs(names) if look is None else look
    figure, (row,) = new_figure(3.2, 1, len(panels), squeeze=False)
    for axes, (heading, drawn) in zip(row, panels.items(), strict=True):
        kinds = scales[heading] if isinstance(scales, Mapping) else scales
        axes.set_xscale(one_of("scale of x", kinds[0], AXES))
        axes.set_yscale(one_of("scale of y", kinds[1], AXES))
        seen = {name: _seen(heading, name, points, kinds) for name, points in drawn.items()}
        marks = (printed or {}).get(heading, ())
        _set_limits(axes, [*seen.values()], [y for *_, y in marks if not np.isnan(y)])
        for name, found in seen.items():
            # The first line, which a figure is about, lies on top of the others.
            level = 3 - 0.5 * names.index(name) / len(names)
            _draw(axes, found, look[name], "--" if name in dashed else "-", stairs, level)
        for name, x, y in marks:
            foot = axes.get_ylim()[0] if np.isnan(y) else y
            colour = {"color": look[name].colour, "zorder": 5, "clip_on": False}
            axes.plot(x, foot, **PRINTED | colour)
        for axis, kind in zip((axes.xaxis, axes.yaxis), kinds, strict=True):
            if kind == "log":
                mark_factors(axis)
        head(axes, fill(heading, HEADING // len(panels)))
    figure.supxlabel(xlabel, fontsize=9)
    row[0].set_ylabel(ylabel)
    if len(names) > 1:
        entries = [_entry(look[name], name, name in dashed) for name in names]
        row[-1].legend(handles=entries, fontsize=8, frameon=False, loc="upper left",
                       bbox_to_anchor=(1.0, 1.0))  # fmt: skip
    some_printed = any(printed.values()) if printed else False
    title_figure(
        figure,
        title,
        "; ".join([subtitle] * bool(subtitle) + [f"{_DIAMOND}: printed"] * some_printed),
    )
    return figure


def mark_factors(axis: Axis) -> None:
    """Mark a logarithmic axis by round numbers, more of them where its ends are near."""
    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(LogLocator(subs=SUBS if high / low < NEAR else (1.0,), numticks=12))
    axis.set_major_formatter(lambda at, _: f"{at:g}")
    axis.set_minor_formatter(NullFormatter())


def _seen(heading, name, points, kinds):
    """Return the points that the axes can show: places, and the three numbers of each interval."""
    found = [(place, as_interval(value)) for place, value in points]
    places = [place for place, _ in found]
    if places != sorted(places):
        raise InputError(f"panels[{heading!r}][{name!r}] has places out of order; sort its points")
    lows = (kinds[0] == "log", kinds[1] == "log")
    kept = [
        (place, one)
        for place, one in found
        if np.isfinite(one.estimate)
        and (place > 0 or not lows[0])
        and (one.estimate > 0 or not lows[1])
    ]
    rows = [(place, one.estimate, one.low, one.high) for place, one in kept]
    return np.array(rows, dtype=float).reshape(-1, 4).T


def _draw(axes: Axes, seen: np.ndarray, sign: Sign, style: str, stairs: bool, level: float) -> None:
    places, middle, low, high = seen
    marker = sign.marker if len(places) <= MARKED else None
    look = {"color": sign.colour, "marker": marker, "markersize": 3.5, "linestyle": style}
    look |= {"zorder": level}
    axes.plot(places, middle, linewidth=1.3, drawstyle="steps-post" if stairs else None, **look)
    if axes.get_yscale() == "log":  # an interval from 0 or below goes down to the foot
        low = np.where(low > 0, low, axes.get_ylim()[0])
    bounds = {"color": sign.colour, "alpha": 0.15, "linewidth": 0}
    finite = np.where(np.isfinite(high), high, middle)
    axes.fill_between(places, low, finite, step="post" if stairs else None, **bounds)


def _set_limits(axes: Axes, seen: Sequence[np.ndarray], printed: Sequence[float]) -> None:
    """Make room for all estimates and what is printed, not for all of the bands."""
    middles = np.concatenate([*(found[1] for found in seen), np.array(printed, dtype=float)])
    if not len(middles):
        return
    low, high = float(middles.min()), float(middles.max())
    if axes.get_yscale() == "log":
        axes.set_ylim(low / 1.4, high * 1.4)
    else:
        axes.set_ylim(min(0.0, 1.05 * low), 1.05 * high if high > 0 else 1.0)


def _entry(sign: Sign, name: str, dashed: bool) -> Line2D:
    """Return a line of the legend."""
    style = "--" if dashed else "-"
    return Line2D(
        [], [], color=sign.colour, marker=sign.marker, markersize=4, label=name, linestyle=style
    )
