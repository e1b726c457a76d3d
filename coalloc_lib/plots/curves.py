"""Response times against utilization, and under them the maximal utilization of each line."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.plots.bars import LETTER, Level
from coalloc_lib.plots.lines import draw_line
from coalloc_lib.plots.signs import LOSS, STANDARD, MarkerStyle
from coalloc_lib.plots.style import GREY, head, new_figure, title_figure
from coalloc_lib.plots.tables import looks, tidy

#: Where the vertical axis ends, in mean service times: above, lines are on their way to infinity.
TOP = 12.0
TICKS = (1, 1.5, 2, 3, 5, 10)
XLABEL, YLABEL = "load", "mean response time\n(mean service times)"


def curves(
    table: pd.DataFrame, *, panels: Mapping[str, Sequence[str]] | None = None,
    xlabel: str = XLABEL, look: Mapping[str, MarkerStyle] | None = None, left: float | None = None,
    whole: bool = False, ghost: pd.DataFrame | None = None,
    beside: tuple[str, Mapping[str, float]] | None = None,
    threshold: tuple[str, Mapping[str, Level]] | None = None, title: str = "",
    subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw mean response times with 95 % bands, and below the maximal utilization of each line.

    Parameters
    ----------
    table : DataFrame
        One row a point: its line's `label`, `utilization`, `response` with `ci95_low` and
        `ci95_high` (empty past saturation), `precise` (else its mark is hollow), and
        `maximal_utilization` with `maximal_low` and `maximal_high`, the same in a whole line.
    panels, look : dict, optional
        Labels of lines by the heading of the panel; a line that none names is in all. Signs.
    left : float, optional
        Where the horizontal axes begin, to look closer at high utilizations.
    whole : bool
        Whether the axes are the same whatever is drawn: all utilizations, and all responses up to
        `TOP`, so that pictures one after another can be compared.
    ghost : DataFrame, optional
        Another table with the same labels, such as what was drawn before: pale and dashed.
    beside, threshold : (str, dict), optional
        Other maximal utilizations by label, and what they are; what a claim is judged by, and where
        it lies for a line, or from where to where.
    """
    bounds = {"maximum": "maximal_utilization", "least": "maximal_low", "most": "maximal_high"}
    numbers = {"x": "utilization", "y": "response", "precise": "precise"} | bounds
    points = tidy(table, {"label": "label"}, numbers, gaps=["y"])
    maxima = points.drop_duplicates("label").set_index("label")
    panels = panels or {"": ()}
    assigned = {label for labels in panels.values() for label in labels}
    shown = [[n for n in maxima.index if n in own or n not in assigned] for own in panels.values()]
    look = looks(maxima.index, look)
    most = max(map(len, shown))
    figure, grid = new_figure(
        3.3 + 0.17 * most, 2, len(panels), sharex="col", sharey="row", squeeze=False,
        height_ratios=[2.5, 0.17 * most + 0.1],
    )  # fmt: skip
    others, levels = dict(beside[1]) if beside else {}, dict(threshold[1]) if threshold else {}
    highest = points["high"].where(np.isfinite(points["high"]), points["y"]).max()
    top = TOP if whole else np.fmin(TOP, np.fmax(2.1, 1.1 * highest))
    grid[0][0].set(yscale="log", ylim=(0.93, top))
    for axes, below, heading, names in zip(*grid, panels, shown, strict=True):
        for name in names:
            line = points[(points["label"] == name) & np.isfinite(points["y"])]
            draw_line(axes, line, look[name], line["precise"] == 0, linewidth=1.4)
        axes.set_xlim(left, None)
        if ghost is not None:
            _draw_ghost(axes, ghost[ghost["label"].isin(names)], look)
        _name_maxima(axes, below, maxima.loc[names], look, others, levels, whole)
        head(axes, heading)
        below.set_xlabel(xlabel)
    _mark_times(grid[0][0])
    grid[0][0].set_ylabel(YLABEL)
    grid[1][0].set(ylim=(-0.7, most - 0.3), yticks=[])
    grid[1][0].set_ylabel("maximal\nutilization", rotation=0, ha="right", va="center")
    doubt = "hollow: in doubt, the interval is wide or the response still rises"
    notes = [doubt * (not points["precise"].all())]
    notes += [f"+: {beside[0]}"] if beside else []
    title_figure(figure, title, subtitle, *notes, f"dashed: {threshold[0]}" if threshold else "")
    return figure


def _draw_ghost(axes, ghost, look):
    """Draw what there was before: its lines, and its maximal utilizations as lines upwards."""
    pale = {"alpha": 0.45, "linestyle": (0, (3, 2)), "linewidth": 1.2, "zorder": 1}
    for name, line in ghost.groupby("label", sort=False):
        axes.plot(line["utilization"], line["response"], color=look[name].colour, **pale)
        last = line.dropna(subset="response").iloc[-1]
        ends = [last["utilization"], last["maximal_utilization"]]
        axes.plot(ends, [last["response"], TOP], color=look[name].colour, **pale)


def _name_maxima(axes, below, maxima, look, beside, threshold, whole):
    """Write name and maximal utilization of each line, the largest on top, with a line to it."""
    ends = {n: level if isinstance(level, tuple) else (level,) for n, level in threshold.items()}
    marks = {
        name: [*ends.get(name, ()), *([beside[name]] if name in beside else [])]
        for name in {*maxima.index, *ends, *beside}
    }
    right = 1.02 * max(*(at for each in marks.values() for at in each), *maxima["most"], 0.0)
    left = below.get_xlim()[0]
    for row, one in enumerate(maxima.sort_values("maximum", kind="stable").itertuples()):
        name, sign = one.Index, look[one.Index]
        for part in (axes, below):
            part.axvline(one.maximum, color=sign.colour, linewidth=0.8, linestyle=":")
        below.plot([one.least, one.most], [row, row], color=sign.colour, linewidth=3, alpha=0.4)
        below.plot(one.maximum, row, marker=sign.marker, color=sign.colour, markersize=5)
        if name in beside:
            below.plot(beside[name], row, marker="+", color="black", markersize=6, zorder=4)
        low, high = row - 0.45, row + 0.45
        below.vlines(ends.get(name, ()), low, high, "black", "--", linewidth=1, zorder=4)
        at = min(one.least, *marks[name], 1.0)
        below.plot([at, one.maximum], [row, row], color=sign.colour, linewidth=0.6)
        words = f"{name}  {one.maximum:.3f} "
        style = {"ha": "right", "va": "center", "fontsize": 8, "color": sign.colour}
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.4}
        below.annotate(words, (at, row), (-5, 0), textcoords="offset points", bbox=box, **style)
        room = LETTER * len(below.figure.axes) / 2 * len(words)  # as a share of the axis
        left = min(left, (at - room * right) / (1 - room))
    left, right = (0.0, 1.0) if whole else (left, right)
    below.set_xlim(left, right)
    below.set_xticks([at for at in below.get_xticks() if max(0, left) <= at <= min(1, right)])
    below.grid(False)
    below.spines["left"].set_visible(False)


def _mark_times(axes):
    ticks = [tick for tick in TICKS if tick <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)


def anatomy(table: pd.DataFrame, label: str, *, title: str = "", subtitle: str = "") -> Figure:
    """Draw one line of a table that `curves` takes, and name its parts."""
    line = table[table["label"] == label].assign(label="")
    figure = curves(line, title=title, subtitle=subtitle, look={"": STANDARD})
    axes, maximum = figure.axes[0], float(line["maximal_utilization"].iloc[0])
    known = line[["utilization", "response"]].dropna().to_numpy()
    first, knee = known[0], min(known, key=lambda at: abs(at[1] - 2))
    style: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "color": GREY}
    arrow = {"arrowstyle": "-", "color": GREY, "linewidth": 0.8}
    for text, at, shift in (
        ("service alone: nobody waits", first, (0, 30)),
        ("the knee: a job waits about\nas long as it runs", knee, (-160, 30)),
    ):
        axes.annotate(text, at, shift, arrowprops=arrow, **style)
    words = "maximal utilization:\nfrom here on the\nqueue only grows"
    red = {"color": LOSS.colour, "ha": "right", "va": "center"}
    axes.annotate(words, (maximum, 6.5), (-8, 0), **style | red)
    axes.set_xlim(0, max(1.0, maximum))
    axes.set_xticks([tenth / 10 for tenth in range(0, 11, 2)])
    axes.set_ylim(None, TOP)
    _mark_times(axes)
    axes.axvspan(maximum, max(1.0, maximum), color=LOSS.colour, alpha=0.12, linewidth=0)
    axes.annotate("capacity\nloss", ((1 + maximum) / 2, 1.1), (0, 0), ha="center", **style)
    return figure
