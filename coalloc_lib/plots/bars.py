"""Bar charts with the names and values at the ends of the bars, and histograms."""

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, finite, one_of, positive
from coalloc_lib.plots.signs import STANDARD, MarkerStyle
from coalloc_lib.plots.style import GREY, NAME_BOX, new_figure, title_figure
from coalloc_lib.plots.tables import (
    format_interval,
    interval_of,
    label_text,
    looks,
    reject_first,
    tidy,
)

#: The height of a bar, and the height of the gap between two groups of bars, in inches.
BAR, GAP = 0.2, 0.12
#: The width of one letter in the label of a bar, as a fraction of the width of the axis.
LETTER = 0.0092
#: The number of letters that fit to the right of a bar if the right end of the axis is fixed.
MOST_LETTERS = 40
#: The maximum number of letters in the label of a bar. A longer label is cut off.
LONGEST = 64

#: A value up to this size is written as 0, because it may be a rounding error.
NOTHING = 1e-9

#: The position of a threshold on the axis: a single number, or the two ends of a range.
Level = float | tuple[float, float]


def bars(
    table: pd.DataFrame, *, value: str, group: str, series: str, xlabel: str = "capacity loss",
    threshold: tuple[str, Mapping[str, Level]] | None = None, words: str | None = None,
    look: Mapping[str, MarkerStyle] | None = None, title: str = "", subtitle: str = "",
    dark: str | None = None, before: str | None = None, until: float | None = None,
) -> Figure:  # fmt: skip
    """Draw a bar chart with one bar per row of a table, including 95 % confidence intervals.

    Parameters
    ----------
    table : DataFrame
        One row for each bar, with the ends of its interval in ``ci95_low`` and ``ci95_high``.
    value, group, series : str
        The columns with the length of the bar, its group, and its name.
    xlabel : str
        The label of the axis.
    threshold : (str, dict), optional
        The threshold that decides a claim: its meaning, and its position in each group, which is a
        number or the two ends of a range.
    words : str, optional
        The column with a text that is shown after the name instead of the value.
    look : dict of str to MarkerStyle, optional
        The colours by series.
    title, subtitle : str
        The title of the figure, and the text under it.
    dark : str, optional
        The column with the length of the dark part of the bar, which is at most the length of the
        bar. The rest is pale.
    before : str, optional
        The column with the length of the bar in the previous figure, drawn as a dashed line if it
        lies on the axis.
    until : float, optional
        The right end of the axis. A longer bar and its interval are cut off there, and the value
        is written beside the bar.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, a value is not finite, a dark part is longer than its bar, or
        `threshold` names an unknown group or lies beyond `until`.

    Examples
    --------
    >>> table = pd.DataFrame({"policy": ["FCFS", "FPFS"], "sizes": "small", "loss": [0.3, 0.1]})
    >>> figure = bars(table, value="loss", group="sizes", series="policy")
    """
    labels = {"group": group, "series": series, "words": words}
    numbers = {"value": value, "dark": dark or value} | ({"before": before} if before else {})
    rows = tidy(table, labels, numbers, gaps=["before"], closed=True)
    if before:
        reject_first(np.isinf(rows["before"]), table, before)
    if dark:
        low, high = rows["value"].clip(upper=0), rows["value"].clip(lower=0)
        mend = f"give a part of the bar, from 0 to the value in {value!r}"
        reject_first(~rows["dark"].between(low, high), table, dark, mend)
    rows = _placed(rows)
    levels = ends_of_levels(threshold[1]) if threshold else {}
    for name in levels:
        one_of("group of threshold", name, tuple(rows["group"].unique()))
    if until is not None:
        _reject_levels_beyond(positive("until", until), levels)
    look = looks(rows["series"], look)
    figure, axes = new_figure(0.55 + BAR * len(rows) + GAP * rows["group"].nunique())
    ends = []
    for row in rows.itertuples():
        _draw_bar(axes, row, look[row.series].colour, bool(dark), bool(before), until)
        end = _end_of(axes, row, look[row.series].colour, until)
        # The label stands to the right of all marks of its bar, so that it does not hide them.
        beside = [*levels.get(row.group, ()), *([row.before] if before else [])]
        length = np.nanmax([end.length, *beside])
        ends.append(end._replace(length=length if until is None else min(length, until)))
    marks = [*rows["before"]] if before else []
    axes.set_xlabel(xlabel)
    room = _set_width(axes, rows, ends, [*marks, *chain(*levels.values())], until)
    _write_labels(axes, ends, room)
    _name_groups(axes, rows, -0.9 if threshold else -0.55)
    axes.grid(False, axis="y")
    axes.grid(True, axis="x")
    if threshold:
        _draw_thresholds(axes, rows, threshold[0], levels)
    title_figure(figure, title, subtitle)
    return figure


def ends_of_levels(levels: Mapping[str, Level]) -> dict[str, tuple[float, ...]]:
    """Return the one or two ends of each threshold as a tuple, after checking the numbers."""
    ends = {}
    for label, level in levels.items():
        name, both = label_text(label), level if isinstance(level, tuple) else (level,)
        ends[name] = tuple(finite(f"threshold of {name!r}", end) for end in both)
    return ends


def _reject_levels_beyond(until, levels):
    for name, ends in levels.items():
        if max(ends) > until:
            raise InputError(
                f"threshold of {name!r} = {max(ends):g}; give at most until = {until:g}, where the "
                "axis ends, or a larger until"
            )


class _End(NamedTuple):
    length: float
    at: float  # the vertical position
    label: str


def _placed(rows):
    groups = list(rows["group"].unique())
    rows["high"], rows["low"] = (rows[end].fillna(rows["value"]) for end in ("high", "low"))
    rows = rows.sort_values("group", key=lambda column: column.map(groups.index), kind="stable")
    rows["at"] = np.arange(len(rows)) + GAP / BAR * rows["group"].map(groups.index)
    return rows


def _draw_bar(axes, row, colour, has_dark, has_before, until):
    last = np.inf if until is None else until
    parts = ((row.value, 0.45), (row.dark, 1.0)) if has_dark else ((row.value, 1.0),)
    for length, alpha in parts:
        axes.barh(row.at, min(length, last), 0.86, color=colour, alpha=alpha)
    if has_before and row.before <= last:  # A missing earlier length is NaN.
        height = [row.at - 0.46, row.at + 0.46]
        axes.plot([row.before] * 2, height, "k", linestyle=(0, (2, 1)), lw=1.4)
    low, high = (min(end, last) for end in (row.low, row.high))
    if low < high:
        # An interval from a bootstrap need not contain the value, so its middle is the reference.
        style = {"ecolor": "black", "elinewidth": 1, "capsize": 2}
        axes.errorbar((low + high) / 2, row.at, xerr=(high - low) / 2, **style)


def _end_of(axes, row, colour, until):
    # If the half-width of an interval is below the last digit of the value, the label omits it.
    interval = interval_of(row, "value")
    number = format_interval(interval, _decimals(interval)).partition(" ± <")[0]
    label = _cut(row.series, row.words or number, bool(row.warning))
    # The bar of a negative value lies to the left of 0. Its label is placed to the right of 0,
    # where there is room.
    end = max(0.0, row.high, row.value)
    if until is not None and end > until:
        end = until
        axes.plot(until, row.at, ">", color=colour, zorder=4)
    return _End(end, row.at, label)


def _decimals(interval):
    # Three decimals, or two significant digits if three decimals would show 0.
    size = max(abs(interval.estimate), interval.half_width)
    if abs(interval.estimate) <= NOTHING or round(size, 3) > 0:
        return 3
    return 1 - int(np.floor(np.log10(size)))


def _cut(name, value, has_warning):
    # Shorten the name rather than the value, unless the value has a warning, which can be long
    # itself.
    if not has_warning:
        name = _shortened(name, max(LONGEST - len(value) - 1, 2))
    return _shortened(f"{name} {value}", LONGEST)


def _shortened(text, most):
    # textwrap.shorten would drop whole words, so nothing would remain of a long word.
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 2].rstrip()} …"


def _set_width(axes, rows, ends, marks, until):
    # Each letter of a label takes a fixed fraction of the width of the axis, so the right end of
    # the axis depends on the longest label.
    # An interval from a bootstrap need not contain the value, so both decide on the ends.
    least, most = rows[["low", "value"]].min(axis=None), rows[["high", "value"]].max(axis=None)
    left = min(0.0, 1.05 * least, 1.02 * np.nanmin([0.0, *marks]))
    shares = [LETTER * (len(end.label) + 2) for end in ends]
    needed = [(end.length - s * left) / (1 - s) for end, s in zip(ends, shares, strict=True)]
    right = max(needed) or 1.0
    farthest = np.nanmax([0.0, *marks])
    if farthest > right:  # Otherwise the dashed lines and the thresholds would be cut off.
        right = 1.02 * farthest
    is_share = max(most, farthest) <= 1
    last = right
    if is_share:  # Shares have no ticks above 1.
        last = min(1.0, right)
    elif farthest > most:  # To the right of the last mark there are only labels.
        last = farthest
    if until is not None:
        right, last = until / (1 - LETTER * MOST_LETTERS), until
    axes.set_xlim(left, right)
    axes.set_xticks([tick for tick in axes.get_xticks() if left <= tick <= last])
    axes.spines["bottom"].set_bounds(left, last)
    axes.xaxis.label.set_x((last - left) / (right - left) / 2)  # below the middle of the line
    return right - left


def _write_labels(axes, ends, room):
    box = NAME_BOX | {"pad": 0.8}
    for end, at, label in ends:
        axes.text(end + 0.012 * room, at, label, va="center", fontsize=8, bbox=box, zorder=3)


def _extents(rows):
    return rows.groupby("group", sort=False)["at"].agg(["min", "max"])


def _name_groups(axes, rows, top):
    axes.set_yticks(_extents(rows).mean(axis=1), list(rows["group"].unique()))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(rows["at"].max() + 0.55, top)


def _draw_thresholds(axes, rows, words, levels):
    places = _extents(rows)
    for i, (name, marks) in enumerate(levels.items()):
        top, bottom = places.loc[name, "min"] - 0.5, places.loc[name, "max"] + 0.5
        first, last = marks[0], marks[-1]
        axes.fill_betweenx([top, bottom], first, last, color="0.9", linewidth=0, zorder=0.5)
        for at in dict.fromkeys(marks):
            axes.plot([at, at], [top, bottom], color="white", linewidth=2.2)
            axes.plot([at, at], [top, bottom], color="black", linestyle="--", linewidth=1)
        if i == 0:
            style = {"ha": "center", "va": "bottom", "fontsize": 8, "color": GREY}
            axes.text((first + last) / 2, top, words, **style)


def histograms(
    table: pd.DataFrame, *, value: str, share: str, panel: str, width: str, ylabel: str,
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw several histograms side by side, one per panel.

    Parameters
    ----------
    table : DataFrame
        One row for each bar.
    value, width, share : str
        The columns with the left end, the width and the height of the bar.
    panel : str
        The column with the panel of the bar, whose name becomes the label of the horizontal axis.
    ylabel, title, subtitle : str
        The label of the vertical axis, the title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a width is not above 0, a height is negative, or two bars of a panel overlap.
    """
    place = ("panel", "value")
    numbers = {"value": value, "share": share, "width": width}
    rows = tidy(table, {"panel": panel}, numbers, unique=place)
    reject_first(rows["width"] <= 0, table, width, "give a width above 0")
    reject_first(rows["share"] < 0, table, share, "give a height of 0 or more")
    _reject_overlaps(rows, table, value)
    figure, (line,) = new_figure(2.3, 1, rows["panel"].nunique(), squeeze=False)
    for axes, (name, part) in zip(line, rows.groupby("panel", sort=False), strict=True):
        style = {"color": STANDARD.colour, "align": "edge"}
        axes.bar(part["value"], part["share"], part["width"], **style)
        axes.set(xlabel=name, ylabel=ylabel)
    title_figure(figure, title, subtitle)
    return figure


def _reject_overlaps(rows, table, value):
    in_order = rows.sort_values(["panel", "value"])
    begins, ends = in_order["value"], in_order["value"] + in_order["width"]
    before = ends.groupby(in_order["panel"]).shift()
    # Ends such as 0.1 + 0.2 can exceed the next beginning by a rounding error.
    is_hidden = before - begins > 1e-9 * in_order["width"]
    mend = "it overlaps the bar to its left, give a smaller width or leave one of the bars out"
    reject_first(is_hidden.sort_index(), table, value, mend)
