"""Numbers with their intervals in rows, several a row, beside what a paper prints."""

from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from coalloc_lib.estimates import Interval
from coalloc_lib.plots.signs import Sign, signs
from coalloc_lib.plots.style import PRINTED, head, new_figure, some, title_figure

#: By row and series.
Ranges = Mapping[str, Mapping[str, Interval]]
#: Height of a row, and the part of it that its series take.
ROW, TAKEN = 0.42, 0.7
#: Marks of an axis of factors.
FACTORS = (0.001, 0.01, 0.1, 1, 10)


def ranges(
    panels: Mapping[str, Ranges], *, title: str, subtitle: str = "", xlabel: str, ylabel: str = "",
    span: tuple[float, float], printed: Mapping[str, Mapping[str, Mapping[str, float]]],
    look: Mapping[str, Sign] | None = None,
    hollow: tuple[str, Collection[tuple[str, str]]] = ("", ()),
    beyond: str = "", factors: bool = False, row_height: float = ROW,
    words: Mapping[tuple[str, str, str], str] | None = None,
) -> Figure:  # fmt: skip
    """Draw intervals in rows; one that is open at an end runs to the edge, with an arrow.

    One that is in doubt is dotted.

    Parameters
    ----------
    panels : dict of dict of dict
        ``panels[heading][row][series]`` is an `Interval`, whose ends may be infinite.
    span : (float, float)
        Of the horizontal axis.
    printed : dict
        ``printed[heading][row][series]`` is what the paper prints, an open diamond.
    look : dict of Sign, optional
        By series, where it is not to follow from the names.
    hollow : (str, collection of (str, str)), optional
        What is special of rows, and which these are, by heading and row: their marks are hollow.
    beyond : str
        What arrows mean, said where there is one.
    factors : bool
        Whether the axis is one of factors.
    row_height : float
        Inches.
    words : dict of str, optional
        What is written beside an interval, by heading, row and series.
    """
    rows = list(dict.fromkeys(row for drawn in some("panels", panels).values() for row in drawn))
    series = list(
        dict.fromkeys(n for drawn in panels.values() for row in drawn.values() for n in row)
    )
    look = signs(series) if look is None else look
    height = 0.9 + row_height * len(rows)
    figure, (line,) = new_figure(height, 1, len(panels), sharey=True, squeeze=False)
    for axes, (heading, drawn) in zip(line, panels.items(), strict=True):
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        for i, row in enumerate(rows):
            axes.axhspan(i - 0.5, i + 0.5, color="0.96" if i % 2 else "white", zorder=-2)
            for j, name in enumerate(series):
                at = i + TAKEN * ((j + 0.5) / len(series) - 0.5)
                if name in drawn.get(row, {}):
                    _draw(axes, drawn[row][name], at, look[name], span, (heading, row) in hollow[1])
                    if told := (words or {}).get((heading, row, name)):
                        _write(axes, drawn[row][name], at, span, told)
                theirs = printed.get(heading, {}).get(row, {}).get(name)
                if theirs is not None:
                    axes.plot(theirs, at, **PRINTED | {"color": look[name].colour, "markersize": 5})
        if factors:
            _mark_factors(axes, span)
        axes.set_xlim(*span)
        head(axes, heading)
    figure.supxlabel(xlabel, fontsize=9)
    line[0].set_yticks(range(len(rows)), rows)
    line[0].set_ylim(len(rows) - 0.5, -0.5)
    line[0].set_ylabel(ylabel)
    if len(series) > 1:
        names = [_entry(look[name], name) for name in series]
        line[-1].legend(handles=names, fontsize=8, frameon=False, loc="upper left",
                        bbox_to_anchor=(1.0, 1.0))  # fmt: skip
    marked = any(
        name in drawn[row]
        for heading, drawn in panels.items()
        for row, names in printed.get(heading, {}).items()
        for name in names
    )
    every = [n for drawn in panels.values() for row in drawn.values() for n in row.values()]
    said = [subtitle, "◇: printed" * marked, f"hollow: {hollow[0]}" if hollow[1] else ""]
    said.append("dotted: in doubt" * any(n.doubt for n in every))
    said.append(beyond * any(n.low < span[0] or n.high > span[1] for n in every))
    title_figure(figure, title, "; ".join(filter(None, said)))
    return figure


def _mark_factors(axes: Axes, span: tuple[float, float]) -> None:
    """Make the axis one of factors, with a line at 1."""
    axes.set_xscale("log")
    marks = [mark for mark in FACTORS if span[0] <= mark <= span[1]]
    axes.set_xticks(marks, [f"{mark:g}" for mark in marks])
    axes.minorticks_off()
    axes.axvline(1, color="black", linestyle="--", linewidth=0.8, zorder=0)


def _entry(sign: Sign, name: str) -> Line2D:
    """Return a line of the legend."""
    return Line2D([], [], color=sign.colour, marker=sign.marker, markersize=4, label=name)


def _write(axes: Axes, found: Interval, at: float, span: tuple[float, float], words: str) -> None:
    """Write words at the end of an interval on whose side there is more room."""
    low, high = np.clip([found.low, found.high], *span)
    right = low / span[0] < span[1] / high if span[0] > 0 else low - span[0] < span[1] - high
    axes.annotate(
        words, (high if right else low, at), xytext=(4 if right else -4, 0),
        textcoords="offset points", ha="left" if right else "right", va="center", fontsize=6.5,
    )  # fmt: skip


def _draw(
    axes: Axes, found: Interval, at: float, sign: Sign, span: tuple[float, float], hollow: bool
) -> None:
    """Draw an interval at a height; an arrow says that it goes on."""
    low, high = np.clip([found.low, found.high], *span)
    style = ":" if found.doubt else "-"
    axes.plot([low, high], [at, at], color=sign.colour, linewidth=1.6, linestyle=style)
    if np.isfinite(found.estimate) and span[0] <= found.estimate <= span[1]:
        axes.plot(
            found.estimate,
            at,
            marker=sign.marker,
            color=sign.colour,
            markersize=4.5,
            markerfacecolor="white" if hollow else sign.colour,
        )
    goes_on = ((found.low < span[0], span[0], "<"), (found.high > span[1], span[1], ">"))
    for does, edge, marker in goes_on:
        if does:
            axes.plot(edge, at, marker=marker, color=sign.colour, markersize=5, clip_on=False)
