"""A table of differences as a map of colours."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.checks import InputError, instance_of
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.style import by_name, new_figure, parts_of, title_figure


def heat_map(
    intervals: Mapping[tuple[int, int], Interval], *, rows: Sequence[str], columns: Sequence[str],
    title: str, xlabel: str, ylabel: str, most: float | None = None,
) -> Figure:  # fmt: skip
    """Draw a table of differences with their 95 % intervals.

    Blue-green where positive, brown where negative, hatched where the interval does not tell.

    Parameters
    ----------
    intervals : dict of Interval
        By (row, column), counted from 0; empty where there is none.
    rows, columns : list of str
        Labels.
    most : float, optional
        The difference that gets the full colour; the largest where it is not given.
    """
    _check(intervals, rows, columns)
    figure, axes = new_figure(2.0 + 1.1 * len(columns), 1.4 + 0.26 * len(rows))
    values = np.full((len(rows), len(columns)), np.nan)
    for at, interval in intervals.items():
        values[at] = interval.estimate
    most = most or np.nanmax(np.abs(values)) or 1.0
    colours = {"cmap": "BrBG", "vmin": -most, "vmax": most}
    picture = axes.pcolormesh(values, **colours)
    for (row, column), interval in intervals.items():
        undecided = not (interval.above(0) or interval.below(0))
        grey = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
        frame = {"fill": False, "edgecolor": "lightgrey"}
        axes.add_patch(Rectangle((column, row), 1, 1, **grey if undecided else frame))
        dark = abs(interval.estimate) > 0.6 * most and not undecided
        _write_difference(axes, row, column, interval, dark)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.grid(False)
    figure.colorbar(picture, ax=axes)
    title_figure(figure, title)
    return figure


def _check(intervals: Mapping, rows: Sequence[str], columns: Sequence[str]) -> None:
    for at, interval in by_name("intervals", intervals).items():
        row, column = parts_of("a key of intervals", at, ("row", "column"))
        instance_of(f"intervals[{at!r}]", interval, Interval, "an Interval")
        if row not in range(len(rows)) or column not in range(len(columns)):
            raise InputError(
                f"intervals has {at!r}, and there are {len(rows)} rows and {len(columns)} columns; "
                "count both from 0"
            )


def _write_difference(axes: Axes, row: int, column: int, interval: Interval, dark: bool) -> None:
    middle = round(interval.estimate, 1) + 0.0  # no minus before a zero
    text = f"{middle:+.1f} ± {interval.half_width:.1f}"
    style = {"ha": "center", "va": "center", "fontsize": 8}
    axes.text(column + 0.5, row + 0.5, text, color="white" if dark else "black", **style)
