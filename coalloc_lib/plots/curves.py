"""Response-time curves, and below them the maximal utilization of each curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, finite, one_of
from coalloc_lib.plots.bars import LETTER, Level, ends_of_levels
from coalloc_lib.plots.line_style import draw_line
from coalloc_lib.plots.signs import LOSS, STANDARD, MarkerStyle
from coalloc_lib.plots.style import GREY, NAME_BOX, head, new_figure, readable, title_figure
from coalloc_lib.plots.tables import (
    ABOVE_0,
    label_text,
    label_texts,
    looks,
    reject_first,
    reject_swapped,
    tidy,
)

#: The upper end of the vertical axis: the largest mean response time that is shown, in multiples of
#: the mean service time. Near saturation, curves rise beyond the axis.
TOP = 12.0
#: The ticks of the vertical axis.
TICKS = (1, 1.5, 2, 3, 5, 10)
#: The style of the short explanations beside a curve, such as "capacity loss".
NAMED: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "color": GREY}
XLABEL, YLABEL = "load", "mean response time\n(mean service times)"


def curves(
    table: pd.DataFrame, *, panels: Mapping[str, Sequence[str]] | None = None,
    xlabel: str = XLABEL, look: Mapping[str, MarkerStyle] | None = None, left: float | None = None,
    whole: bool = False, before: pd.DataFrame | None = None,
    beside: tuple[str, Mapping[str, float]] | None = None,
    threshold: tuple[str, Mapping[str, Level]] | None = None, height: float = 3.3,
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Plot mean response times against utilization, with maximal utilizations underneath.

    Parameters
    ----------
    table : DataFrame
        One row for each point, with the columns

        - ``label``, the name of the curve;
        - ``utilization``;
        - ``response``, ``ci95_low`` and ``ci95_high``, the mean response time with its interval,
          empty at and above the maximal utilization;
        - ``precise``, which is false for points with a hollow marker;
        - ``maximal_utilization``, ``maximal_low`` and ``maximal_high``, the maximal utilization of
          the curve with its interval, the same in all rows of a curve.
    panels : dict of str to list of str, optional
        The labels of the curves by the heading of their panel. A curve that no panel names is drawn
        in all panels. A label without a curve is ignored, because the runs of a study may lack it,
        and a panel without a curve is left out.
    xlabel : str
        The label of the horizontal axis.
    look : dict of str to MarkerStyle, optional
        The colours and markers by label.
    left : float, optional
        The left end of the horizontal axes.
    whole : bool
        Whether the axes always show utilizations from 0 to 1 and response times up to `TOP`, which
        makes several figures comparable.
    before : DataFrame, optional
        The table of the previous figure. The curves whose labels also occur in `table` are drawn
        pale and dashed.
    beside : (str, dict), optional
        The meaning of other maximal utilizations, and their values by label.
    threshold : (str, dict), optional
        The threshold that decides a claim: its meaning, and its position by label, which is a
        number or the two ends of a range.
    height : float
        The height of the figure in inches, without the rows of the maximal utilizations.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, if two rows of a curve have the same utilization, if the rows of a
        curve have different maximal utilizations, or if `beside` or `threshold` names an unknown
        curve.
    """
    points = _points(table)
    if left is not None:
        finite("left", left)
    earlier = _earlier_points(before, points)
    maxima = points.drop_duplicates("label").set_index("label")
    marks = _marks(looks(maxima.index, look), beside, threshold)
    marks.reject_unknown(tuple(maxima.index))
    shown = _lines_of_panels(maxima.index, panels or {"": ()})
    most = max(map(len, shown.values()))
    figure, grid = _new_grid(height, len(shown), most)
    drawn = pd.concat([points, earlier])
    top = TOP if whole else _fitted_top(drawn)
    grid[0][0].set(yscale="log", ylim=(_fitted_foot(drawn), top))
    right, lefts = 1.02 * max(marks.largest, *maxima["most"], *drawn["maximum"]), []
    for axes, below, heading, names in zip(*grid, shown, shown.values(), strict=True):
        _draw_lines(axes, points, names, marks.look)
        axes.set_xlim(left, None)
        _draw_earlier(axes, earlier[earlier["label"].isin(names)], marks.look)
        lefts.append(_draw_maxima(axes, below, maxima.loc[names], marks, right))
        head(axes, heading)
        below.set_xlabel(xlabel)
    # All panels have the same axis, so that equal loads stand at equal places.
    _limit_loads(grid[1], *((0.0, 1.0) if whole else (min(lefts), right)))
    _name_axes(grid[0][0], grid[1][0], most)
    title_figure(figure, title, subtitle, *_notes(points, marks, beside, threshold))
    return figure


@dataclass(frozen=True)
class _Marks:
    look: Mapping[str, MarkerStyle]
    beside: Mapping[str, float]
    ends: Mapping[str, tuple[float, ...]]  # of the thresholds

    def reject_unknown(self, names: tuple[str, ...]) -> None:
        for argument, marked in (("beside", self.beside), ("threshold", self.ends)):
            for name in marked:
                one_of(f"curve of {argument}", name, names)

    def of(self, name: str) -> list[float]:
        return [*self.ends.get(name, ()), *([self.beside[name]] if name in self.beside else [])]

    @property
    def largest(self) -> float:
        return max((at for name in {*self.ends, *self.beside} for at in self.of(name)), default=0.0)


def _marks(look, beside, threshold):
    values = {label_text(label): value for label, value in (beside[1] if beside else {}).items()}
    others = {name: finite(f"beside of {name!r}", value) for name, value in values.items()}
    return _Marks(look, others, ends_of_levels(threshold[1] if threshold else {}))


def _points(table):
    bounds = {"maximum": "maximal_utilization", "least": "maximal_low", "most": "maximal_high"}
    numbers = {"x": "utilization", "y": "response", "precise": "precise"} | bounds
    points = tidy(table, {"label": "label"}, numbers, gaps=["y"], unique=("label", "x"))
    reject_first(points["y"] <= 0, table, "response", ABOVE_0)
    for name, column in bounds.items():
        first = points.groupby("label")[name].transform("first")
        mend = "give the same value in all rows of a curve"
        reject_first(points[name] != first, table, column, mend)
    is_swapped = points["least"] > points["most"]
    reject_swapped(is_swapped, table, bounds["least"], bounds["most"])
    return points


def _earlier_points(before, points):
    if before is None:
        return points[:0]
    earlier = _points(before)
    is_drawn = earlier["label"].isin(points["label"]) & np.isfinite(earlier["y"])
    # The earlier curves are drawn without their intervals, so the axes need not reach these.
    return earlier[is_drawn].assign(low=np.nan, high=np.nan)


def _lines_of_panels(lines, panels):
    panels = {heading: label_texts(labels) for heading, labels in panels.items()}
    assigned = {label for labels in panels.values() for label in labels}
    shown = {
        heading: [name for name in lines if name in own or name not in assigned]
        for heading, own in panels.items()
    }
    return {heading: names for heading, names in shown.items() if names}


def _new_grid(height, panels, most):
    return new_figure(
        height + 0.17 * most,
        2,
        panels,
        sharex="col",
        sharey="row",
        squeeze=False,
        height_ratios=[2.5, 0.17 * most + 0.1],
    )


def _fitted_top(points):
    highest = points["high"].where(np.isfinite(points["high"]), points["y"]).max()
    return np.fmin(TOP, np.fmax(2.1, 1.1 * highest))


def _fitted_foot(points):
    lowest = points["y"].min()
    return 0.93 * lowest if lowest < 0.93 else 0.93


def _name_axes(upper, lower, most):
    _mark_times(upper)
    upper.set_ylabel(YLABEL)
    lower.set(ylim=(-0.7, most - 0.3), yticks=[])
    lower.set_ylabel("maximal\nutilization", rotation=0, ha="right", va="center")


def _notes(points, marks, beside, threshold):
    notes = []
    if not points["precise"].all():
        notes.append("hollow: in doubt, the interval is wide or the response still rises")
    if marks.beside:
        notes.append(f"+: {beside[0]}")
    if marks.ends:
        notes.append(f"dashed, the limits that decide a verdict: {threshold[0]}")
    return notes


def _draw_lines(axes, points, names, look):
    for name in names:
        line = points[(points["label"] == name) & np.isfinite(points["y"])]
        line = line.sort_values("x")
        draw_line(axes, line, look[name], line["precise"] == 0, linewidth=1.4)


def _draw_earlier(axes, points, look):
    pale = {"alpha": 0.45, "linestyle": (0, (3, 2)), "linewidth": 1.2, "zorder": 1}
    for name, line in points.groupby("label", sort=False):
        line = line.sort_values("x")
        axes.plot(line["x"], line["y"], color=look[name].colour, **pale)
        axes.axvline(line["maximum"].iloc[0], color=look[name].colour, **pale)


def _draw_maxima(axes, below, maxima, marks, right):
    # Return the left end of an axis on which all names have room.
    left = below.get_xlim()[0]
    for row, one in enumerate(maxima.sort_values("maximum", kind="stable").itertuples()):
        _draw_maximum(axes, below, row, one, marks)
        at = min(one.least, one.maximum, *marks.of(one.Index), 1.0)
        words = f"{one.Index}  {one.maximum:.3f} "
        _name_maximum(below, row, one, at, words, marks.look[one.Index].colour)
        room = LETTER * len(below.figure.axes) / 2 * len(words)  # as a share of the axis
        left = min(left, (at - room * right) / (1 - room))
    below.grid(False)
    below.spines["left"].set_visible(False)
    return left


def _limit_loads(panels, left, right):
    for below in panels:
        below.set_xlim(left, right)
        below.set_xticks([at for at in below.get_xticks() if max(0, left) <= at <= min(1, right)])


def _draw_maximum(axes, below, row, one, marks):
    name, sign = one.Index, marks.look[one.Index]
    for part in (axes, below):
        part.axvline(one.maximum, color=sign.colour, linewidth=0.8, linestyle=":")
    below.plot([one.least, one.most], [row, row], color=sign.colour, linewidth=3, alpha=0.4)
    below.plot(one.maximum, row, marker=sign.marker, color=sign.colour, markersize=5)
    if name in marks.beside:
        below.plot(marks.beside[name], row, marker="+", color="black", markersize=6, zorder=4)
    low, high = row - 0.45, row + 0.45
    below.vlines(marks.ends.get(name, ()), low, high, "black", "--", linewidth=1, zorder=4)


def _name_maximum(below, row, one, at, words, colour):
    below.plot([at, one.maximum], [row, row], color=colour, linewidth=0.6)
    style = {"ha": "right", "va": "center", "fontsize": 8, "color": readable(colour)}
    below.annotate(words, (at, row), (-5, 0), textcoords="offset points", bbox=NAME_BOX, **style)


def _mark_times(axes):
    ticks = [tick for tick in TICKS if tick <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)


def anatomy(table: pd.DataFrame, label: str, *, title: str = "", subtitle: str = "") -> Figure:
    """Draw a single response-time curve, with notes that explain the parts of the curve.

    Parameters
    ----------
    table : DataFrame
        A table as in `curves`.
    label : str
        The label of the curve.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, or the table has no curve with this label.
    """
    points = _points(table)
    label = one_of("label", label_text(label), tuple(points["label"].unique()))
    line = points[points["label"] == label]
    finite_line = line[np.isfinite(line["y"])].sort_values("x")
    if finite_line.empty:
        raise InputError(f"the curve {label!r} has no finite response; give one or more")
    alone = table.iloc[line.index].assign(label="")
    figure = curves(alone, title=title, subtitle=subtitle, look={"": STANDARD})
    axes, maximum = figure.axes[0], float(line["maximum"].iloc[0])
    _name_knee(axes, finite_line[["x", "y"]].to_numpy())
    words = "maximal utilization:\nfrom here on the\nqueue only grows"
    red = {"color": LOSS.colour, "ha": "right", "va": "center"}
    axes.annotate(words, (maximum, 6.5), (-8, 0), **NAMED | red)
    axes.set_xlim(0, max(1.0, maximum))
    axes.set_xticks([tenth / 10 for tenth in range(0, 11, 2)])
    axes.set_ylim(None, TOP)
    _mark_times(axes)
    axes.axvspan(maximum, max(1.0, maximum), color=LOSS.colour, alpha=0.12, linewidth=0)
    axes.annotate("capacity\nloss", ((1 + maximum) / 2, 1.1), (0, 0), ha="center", **NAMED)
    return figure


def _name_knee(axes, points):
    first, knee = points[0], min(points, key=lambda at: abs(at[1] - 2))
    arrow = {"arrowstyle": "-", "color": GREY, "linewidth": 0.8}
    for text, at, shift, is_there in (
        ("service alone: nobody waits", first, (0, 30), first[1] < 1.1),
        ("the knee: a job waits about\nas long as it runs", knee, (-160, 30), 1.5 < knee[1] <= 2.5),
    ):
        if is_there:  # A table can lack points near these places.
            axes.annotate(text, at, shift, arrowprops=arrow, **NAMED)
