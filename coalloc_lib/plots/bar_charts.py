"""Bars and marks beside one another: figures, how far they are from print, distributions."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.style import (
    COLOURS,
    by_name,
    figure_of,
    legend_beside,
    look,
    new_figure,
    parts_of,
    title_figure,
)


def bars(
    series: Mapping[str, Mapping[str, Interval | float]], *, title: str, ylabel: str,
    note: Callable | None = None,
) -> Figure:  # fmt: skip
    """Draw grouped bars with their intervals.

    Parameters
    ----------
    series : dict of dict
        ``series[name][label]`` is an `Interval` or a number: one colour and hatch a name, one
        group a label.
    note : callable, optional
        Called with the axes and the labels, to mark what the paper says.
    """
    labels, drawn = _groups(series)
    per_label = max(1.05, 0.45 * len(series))
    figure, axes = new_figure(max(7.0, 2.2 + per_label * len(labels)))
    width = 0.8 / len(series)
    for i, (name, figures) in enumerate(drawn.items()):
        at = np.arange(len(labels)) + (i - (len(series) - 1) / 2) * width
        heights, errors = zip(*figures, strict=True)
        colour, hatch, _ = look(i)
        style = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
        axes.bar(at, heights, width, label=name, **style)
        shown = [e if e else np.nan for e in errors]
        axes.errorbar(at, heights, shown, fmt="none", ecolor="black", elinewidth=1, capsize=2)
    axes.set_xticks(range(len(labels)), labels)
    title_figure(figure, title)
    axes.set(ylabel=ylabel)
    axes.set_ylim(0, None)
    if note is not None:
        note(axes, labels)
    legend_beside(axes)
    return figure


def _groups(series: Mapping) -> tuple[list, dict[str, list[tuple[float, float]]]]:
    """Return the labels, and by name what stands at each label."""
    labels: list = []
    drawn = {}
    for name, row in by_name("series", series).items():
        row = by_name(f"series[{name!r}]", row)
        labels = labels or list(row)
        if set(row) != set(labels):
            raise InputError(
                f"series[{name!r}] has the labels {', '.join(map(str, row))}; give each series "
                f"those of the first, {', '.join(map(str, labels))}"
            )
        drawn[name] = [figure_of(f"series[{name!r}][{label!r}]", row[label]) for label in labels]
    return labels, drawn


def beside_published(
    rows: Sequence[tuple[str, Mapping]], *, title: str, xlabel: str, rounding: float = 0.0005
) -> Figure:
    """Draw how far each number that came out is from the printed one.

    Parameters
    ----------
    rows : list of (label, dict)
        ``dict[series]`` is a pair of a printed number and what came out, a number or an
        `Interval`.
    rounding : float
        Half a unit of the last printed digit, drawn as a band.
    """
    labels, drawn = _differences(rows)
    figure, axes = new_figure(7.5, 1.0 + 0.42 * len(labels))
    for i, (name, marks) in enumerate(drawn.items()):
        shift = (i - (len(drawn) - 1) / 2) * 0.75 / len(drawn)
        at, differences, errors = zip(*marks, strict=True)
        colour, _, marker = look(i)
        axes.errorbar(
            differences,
            [y + shift for y in at],
            xerr=errors,
            fmt=marker,
            color=colour,
            markersize=4,
            elinewidth=1,
            label=name,
        )
    axes.axvspan(-rounding, rounding, color="grey", alpha=0.25, label="rounding of the print")
    axes.set_yticks(range(len(labels)), labels)
    title_figure(figure, title)
    axes.set(xlabel=xlabel, ylim=(len(labels) - 0.5, -0.5))
    axes.grid(True, axis="x", alpha=0.3)
    legend_beside(axes)
    return figure


def _differences(rows: Sequence) -> tuple[list, dict[str, list[tuple]]]:
    """Return the labels, and by series (row, difference, half-width)."""
    try:
        rows = [(label, by_name(f"rows[{label!r}]", row)) for label, row in rows]
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        rows = []
    if not rows:
        raise InputError("rows holds no pairs of a label and a dict; give a list of one or more")
    drawn: dict[str, list[tuple]] = {}
    for y, (label, row) in enumerate(rows):
        for name, pair in row.items():
            where = f"rows[{label!r}][{name!r}]"
            printed, found = parts_of(where, pair, ("printed", "came out"))
            estimate, half_width = figure_of(where, found)
            mark = y, estimate - figure_of(where, printed)[0], half_width
            drawn.setdefault(name, []).append(mark)
    return [label for label, _ in rows], drawn


def density(panels: Mapping[str, tuple], *, title: str, xlabel: str, ylabel: str) -> Figure:
    """Draw one distribution a panel: ``panels[name]`` is (values, weights, widths)."""
    parts = ("values", "weights", "widths")
    drawn = {
        name: parts_of(f"panels[{name!r}]", panel, parts)
        for name, panel in by_name("panels", panels).items()
    }
    figure, row = new_figure(7.0, 2.8, columns=len(drawn))
    for axes, (name, panel) in zip(np.atleast_1d(row), drawn.items(), strict=True):
        axes.bar(*panel, color=COLOURS[0], align="edge")
        axes.set_title(name, fontsize=9)
        axes.set(xlabel=xlabel, ylabel=ylabel)
    title_figure(figure, title)
    return figure
