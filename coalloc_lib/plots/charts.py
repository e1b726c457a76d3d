"""Figures beside one another: bars, how far they are from print, distributions, differences."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.estimates import Interval
from coalloc_lib.plots.style import BESIDE, COLOURS, look, new_figure, some, title_figure

#: Half a unit of the last printed digit.
ROUNDING = 0.0005


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
    labels = list(dict.fromkeys(label for row in some("series", series).values() for label in row))
    per_label = max(1.05, 0.45 * len(series))
    figure, axes = new_figure(max(7.0, 2.2 + per_label * len(labels)))
    width = 0.8 / len(series)
    for i, (name, row) in enumerate(series.items()):
        at = [labels.index(label) + (i - (len(series) - 1) / 2) * width for label in row]
        heights, errors = _parts(row.values())
        colour, hatch, _ = look(i)
        style = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
        axes.bar(at, heights, width, label=name, **style)
        shown = [e if e else np.nan for e in errors]
        axes.errorbar(at, heights, shown, fmt="none", ecolor="black", elinewidth=1, capsize=2)
    axes.set_xticks(range(len(labels)), labels)
    axes.set(ylabel=ylabel)
    axes.set_ylim(0, None)
    if note is not None:
        note(axes, labels)
    _finish(figure, axes, title)
    return figure


def _parts(figures: Iterable[Interval | float]) -> tuple[list[float], list[float]]:
    """Return the estimates and the half-widths of intervals or numbers."""
    found = [f if isinstance(f, Interval) else Interval.exact(f) for f in figures]
    return [f.estimate for f in found], [f.half_width for f in found]


def _finish(figure: Figure, axes: Axes, title: str) -> None:
    """Write the title, and put the legend right of the axes, where it hides nothing."""
    title_figure(figure, title)
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend(**BESIDE)


def beside_published(rows: Sequence[tuple[str, Mapping]], *, title: str, xlabel: str) -> Figure:
    """Draw how far each number that came out is from the printed one, of three digits.

    Parameters
    ----------
    rows : list of (label, dict)
        ``dict[series]`` is a pair of a printed number and what came out, a number or an
        `Interval`.
    """
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    figure, axes = new_figure(7.5, 1.0 + 0.42 * len(rows))
    for i, name in enumerate(names):
        shift = (i - (len(names) - 1) / 2) * 0.75 / len(names)
        at = [y + shift for y, (_, row) in enumerate(rows) if name in row]
        printed, found = zip(*(row[name] for _, row in rows if name in row), strict=True)
        estimates, errors = _parts(found)
        colour, _, marker = look(i)
        style = {"fmt": marker, "color": colour, "markersize": 4, "elinewidth": 1}
        axes.errorbar(np.subtract(estimates, printed), at, xerr=errors, label=name, **style)
    axes.axvspan(-ROUNDING, ROUNDING, color="grey", alpha=0.25, label="rounding of the print")
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.set(xlabel=xlabel, ylim=(len(rows) - 0.5, -0.5))
    axes.grid(True, axis="x", alpha=0.3)
    _finish(figure, axes, title)
    return figure


def density(panels: Mapping[str, tuple], *, title: str, xlabel: str, ylabel: str) -> Figure:
    """Draw one distribution a panel: ``panels[name]`` is (values, weights, widths)."""
    figure, row = new_figure(7.0, 2.8, columns=len(panels), squeeze=False)
    for axes, (name, panel) in zip(row[0], panels.items(), strict=True):
        axes.bar(*panel, color=COLOURS[0], align="edge")
        axes.set_title(name, fontsize=9)
        axes.set(xlabel=xlabel, ylabel=ylabel)
    title_figure(figure, title)
    return figure


def heat_map(
    intervals: Mapping[tuple[int, int], Interval], *, rows: Sequence[str], columns: Sequence[str],
    title: str, xlabel: str, ylabel: str,
) -> Figure:  # fmt: skip
    """Draw a table of differences with their 95 % intervals.

    Blue-green where positive, brown where negative, hatched where the interval does not tell.

    Parameters
    ----------
    intervals : dict of Interval
        By (row, column), counted from 0; empty where there is none.
    rows, columns : list of str
        Labels.
    """
    figure, axes = new_figure(2.0 + 1.1 * len(columns), 1.4 + 0.26 * len(rows))
    values = np.full((len(rows), len(columns)), np.nan)
    for at, interval in intervals.items():
        values[at] = interval.estimate
    most = np.nanmax(np.abs(values)) or 1.0
    picture = axes.pcolormesh(values, cmap="BrBG", vmin=-most, vmax=most)
    for (row, column), interval in intervals.items():
        undecided = not (interval.above(0) or interval.below(0))
        grey = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
        frame = {"fill": False, "edgecolor": "lightgrey"}
        axes.add_patch(Rectangle((column, row), 1, 1, **grey if undecided else frame))
        middle = round(interval.estimate, 1) + 0.0  # no minus before a zero
        dark = abs(interval.estimate) > 0.6 * most and not undecided
        style = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
        text = f"{middle:+.1f} ± {interval.half_width:.1f}"
        axes.text(column + 0.5, row + 0.5, text, fontsize=8, **style)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.grid(False)
    figure.colorbar(picture, ax=axes)
    title_figure(figure, title)
    return figure
