"""Bars with their names and values at their ends, and histograms."""

from collections.abc import Mapping
from textwrap import shorten

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.plots.signs import STANDARD, MarkerStyle
from coalloc_lib.plots.style import GREY, new_figure, title_figure
from coalloc_lib.plots.tables import format_interval, interval_of, looks, tidy

#: Height of a bar with its gap, and of the gap between groups, in inches.
BAR, GAP = 0.2, 0.12
#: What a bar's words take, as a share of the axis for each letter.
LETTER = 0.0092
#: Letters for which an axis that ends at a number has room behind it.
MOST_LETTERS = 40
#: Letters beside a bar whose interval has a warning, at most.
LONGEST = 64

#: Where a threshold lies: at a number, or from one to another.
Level = float | tuple[float, float]


def bars(
    table: pd.DataFrame, *, value: str, group: str, series: str, xlabel: str = "capacity loss",
    threshold: tuple[str, Mapping[str, Level]] | None = None, words: str | None = None,
    look: Mapping[str, MarkerStyle] | None = None, title: str = "", subtitle: str = "",
    dark: str | None = None, before: str | None = None, until: float | None = None,
) -> Figure:  # fmt: skip
    """Draw a bar for each row, with its 95 % interval, its name and its value.

    Parameters
    ----------
    table : DataFrame
        One row a bar, with the columns `value`, `group`, `series`; `words`, behind a bar's name, in
        place of its value; `dark`, how much of a bar, from the left, is not pale; `before`, where a
        bar ended in the picture before this one, if it was there: a dashed line.
    threshold : (str, dict), optional
        What a claim is judged by, and where it lies in each group, or from where to where.
    look : dict of MarkerStyle, optional
        Signs by series.
    until : float, optional
        Where the axis ends, whatever the values: what is longer goes on at the edge, its number
        beside it.
    """
    labels = {"group": group, "series": series, "words": words}
    numbers = {"value": value, "dark": dark or value} | ({"before": before} if before else {})
    rows = tidy(table, labels, numbers, gaps=["before"], closed=True)
    groups = list(rows["group"].unique())
    rows["high"], rows["low"] = (rows[end].fillna(rows["value"]) for end in ("high", "low"))
    rows = rows.sort_values("group", key=lambda each: each.map(groups.index), kind="stable")
    rows["at"] = np.arange(len(rows)) + GAP / BAR * rows["group"].map(groups.index)
    look = looks(rows["series"], look)
    figure, axes = new_figure(0.55 + BAR * len(rows) + GAP * len(groups))
    ends = []
    for row in rows.itertuples():
        for length, alpha in ((row.value, 0.45), (row.dark, 1.0)) if dark else ((row.value, 1.0),):
            its = {"color": look[row.series].colour, "alpha": alpha}
            axes.barh(row.at, length, 0.86, **its)
        if before and row.before == row.before:  # not empty
            ghost = [min(row.before, until or row.before)] * 2
            axes.plot(ghost, [row.at - 0.46, row.at + 0.46], "k", linestyle=(0, (2, 1)), lw=1.4)
        if row.low < row.high:
            reach = [[row.value - row.low], [row.high - row.value]]
            axes.errorbar(row.value, row.at, xerr=reach, ecolor="black", elinewidth=1, capsize=2)
        # A half-width below the last digit that is shown says nothing.
        number = format_interval(interval_of(row, "value")).partition(" ± <")[0]
        label = f"{row.series} {row.words or number}"
        if row.warning:  # a reason may be longer than a picture is wide
            label = shorten(label, LONGEST, placeholder=" …")
        # The words of a negative bar stand behind 0, where there is room.
        end = max(0.0, row.high)
        if until is not None and end > until:
            end = until
            axes.plot(until, row.at, ">", color=look[row.series].colour, zorder=4)
        ends.append((end, row.at, label))
    # Room for the longest words: a share of the axis, which begins at `left`, for each letter.
    left, taken = min(0.0, 1.05 * rows["low"].min()), [LETTER * (len(e[2]) + 2) for e in ends]
    room = max((end[0] - t * left) / (1 - t) for end, t in zip(ends, taken, strict=True)) or 1.0
    last = min(1.0, room) if rows["high"].max() <= 1 else room  # a share ends at 1
    if until is not None:
        room, last = until / (1 - LETTER * MOST_LETTERS), until
    axes.set_xlim(left, room)
    axes.set_xticks([tick for tick in axes.get_xticks() if left <= tick <= last])
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    for end, at, label in ends:
        place = end + 0.012 * (room - left), at
        axes.text(*place, label, va="center", fontsize=8, bbox=box, zorder=3)
    places = rows.groupby("group", sort=False)["at"].agg(["min", "max"])
    axes.set_yticks(places.mean(axis=1), groups)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(rows["at"].max() + 0.55, -0.9 if threshold else -0.55)
    axes.set_xlabel(xlabel)
    axes.grid(False, axis="y")
    axes.grid(True, axis="x")
    for i, (name, level) in enumerate(threshold[1].items() if threshold else ()):
        top, bottom = places.loc[name, "min"] - 0.5, places.loc[name, "max"] + 0.5
        first, *_, last = marks = level if isinstance(level, tuple) else (level, level)
        axes.fill_betweenx([top, bottom], first, last, color="0.9", linewidth=0, zorder=0.5)
        for at in dict.fromkeys(marks):
            axes.plot([at, at], [top, bottom], color="white", linewidth=2.2)
            axes.plot([at, at], [top, bottom], color="black", linestyle="--", linewidth=1)
        if i == 0 and threshold:
            style = {"ha": "center", "va": "bottom", "fontsize": 8, "color": GREY}
            axes.text((first + last) / 2, top, threshold[0], **style)
    title_figure(figure, title, subtitle)
    return figure


def histograms(
    table: pd.DataFrame, *, value: str, share: str, panel: str, width: str, ylabel: str,
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw one distribution a panel: a row a bar, from `value` on, as high as its `share`."""
    rows = tidy(table, {"panel": panel}, {"value": value, "share": share, "width": width})
    figure, (line,) = new_figure(2.3, 1, rows["panel"].nunique(), squeeze=False)
    for axes, (name, part) in zip(line, rows.groupby("panel", sort=False), strict=True):
        style = {"color": STANDARD.colour, "align": "edge"}
        axes.bar(part["value"], part["share"], part["width"], **style)
        axes.set(xlabel=name, ylabel=ylabel)
    title_figure(figure, title, subtitle)
    return figure
