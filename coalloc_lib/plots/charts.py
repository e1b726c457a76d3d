"""Distances from print, lines over a number, distributions, and maps of differences."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.bars import as_interval, finite
from coalloc_lib.plots.signs import STANDARD, Sign, signs
from coalloc_lib.plots.style import GREY, PRINTED, head, name_lines, new_figure, some, title_figure

#: Half a unit of the last printed digit.
ROUNDING = 0.0005
PARTS = ("estimate", "low", "high")


def beside_published(
    panels: Mapping[str, Mapping[str, Mapping[str, tuple]]], *, title: str, subtitle: str = "",
    xlabel: str,
) -> Figure:  # fmt: skip
    """Draw how far each number that came out is from the printed one, of three digits.

    The print is an open diamond, its rounding the grey band. What is simulated has whiskers, an
    approximation is hollow.

    Parameters
    ----------
    panels : dict of dict of dict
        ``panels[heading][row][method]`` is a pair of a printed number and what came out, a number
        or an `Interval`. A heading has the sign of its meaning.
    """
    rows = list(dict.fromkeys(row for panel in some("panels", panels).values() for row in panel))
    height = 0.7 + 0.3 * len(rows)
    figure, (line,) = new_figure(height, 1, len(panels), sharex=True, sharey=True, squeeze=False)
    for axes, (heading, panel) in zip(line, panels.items(), strict=True):
        sign = signs([heading])[heading]
        axes.axvspan(-ROUNDING, ROUNDING, color="0.9")
        axes.plot([0] * len(panel), [rows.index(row) for row in panel], **PRINTED)
        for row, found in panel.items():
            for i, (method, pair) in enumerate(found.items()):
                at = rows.index(row) + (i - (len(found) - 1) / 2) * 0.4
                _difference(axes, at, pair, sign, hollow=method == "approximation")
        head(axes, heading, sign.colour)
        axes.grid(True, axis="x")
        axes.tick_params(axis="x", labelsize=7)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter(lambda at, _: f"{1000 * at:+.2g}" if at else "0")
    line[0].set_yticks(range(len(rows)), rows)
    line[0].set_ylim(len(rows) - 0.5, -0.5)
    figure.supxlabel(f"{xlabel} (thousandths)", fontsize=9)
    title_figure(figure, title, subtitle)
    return figure


def _difference(axes: Axes, at: float, pair: tuple, sign: Sign, hollow: bool) -> None:
    printed, value = pair
    found = as_interval(value).plus(-printed)
    ends = [[found.estimate - found.low], [found.high - found.estimate]] if found.count else None
    style = {"fmt": sign.marker, "color": sign.colour, "markersize": 4, "elinewidth": 1}
    filling = "white" if hollow else sign.colour
    axes.errorbar(found.estimate, at, xerr=ends, markerfacecolor=filling, **style)


def lines(
    panels: Mapping[str, Mapping[str, Sequence[Interval]]], at: Sequence[float], *, title: str,
    subtitle: str = "", xlabel: str = "", ylabel: str, bold: Sequence[str] = (),
    threshold: tuple[str, float] | None = None,
) -> Figure:  # fmt: skip
    """Draw lines over a number, named at their ends; those that the title speaks of are bold.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading][name]`` has an `Interval` for each number.
    at : sequence of float
        The numbers, in rising order.
    bold : sequence of str
        Names; the others are grey.
    threshold : (str, float), optional
        What a claim is judged by: its name, and where it lies.
    """
    columns = len(some("panels", panels))
    figure, (row,) = new_figure(3.0, 1, columns, sharey=True, squeeze=False)
    for axes, (heading, drawn) in zip(row, panels.items(), strict=True):
        for name, found in drawn.items():
            if len(found) != len(at):
                raise InputError(
                    f"panels[{heading!r}][{name!r}] has {len(found)} intervals; give {len(at)}, "
                    "one for each number"
                )
            colour = STANDARD.colour if name in bold else GREY
            middle, low, high = ([getattr(f, part) for f in found] for part in PARTS)
            width = 2.2 if name in bold else 1.1
            axes.plot(at, middle, color=colour, marker="o", markersize=3.5, linewidth=width)
            axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.set_xticks(at)
        axes.set_xlim(at[0], at[-1] + 0.25 * columns * (at[-1] - at[0]))  # room for the names
        axes.set_xlabel(xlabel)
        head(axes, heading)
        axes.spines["bottom"].set_bounds(at[0], at[-1])
        if threshold is not None:
            axes.plot(
                [at[0], at[-1]], [threshold[1]] * 2, color="black", linestyle="--", linewidth=1
            )
    row[0].set_ylim(min(0, row[0].get_ylim()[0]), None)
    row[0].set_ylabel(ylabel)
    said = [subtitle] * bool(subtitle) + ([f"dashed: {threshold[0]}"] if threshold else [])
    title_figure(figure, title, "; ".join(said))
    for axes, drawn in zip(row, panels.values(), strict=True):
        ends = [
            (at[-1], found[-1].estimate, name, STANDARD.colour if name in bold else GREY)
            for name, found in drawn.items()
        ]
        name_lines(axes, ends)
    return figure


def density(panels: Mapping[str, tuple], *, title: str, subtitle: str = "", ylabel: str) -> Figure:
    """Draw one distribution a panel: ``panels[xlabel]`` is (values, weights, widths)."""
    figure, row = new_figure(2.3, 1, len(panels), squeeze=False)
    for axes, (name, panel) in zip(row[0], panels.items(), strict=True):
        axes.bar(*panel, color=STANDARD.colour, align="edge")
        axes.set(xlabel=name, ylabel=ylabel)
    title_figure(figure, title, subtitle)
    return figure


def heat_map(
    intervals: Mapping[tuple[int, int], Interval], *, rows: Sequence[str], columns: Sequence[str],
    title: str, subtitle: str = "", xlabel: str, ylabel: str, values: str,
) -> Figure:  # fmt: skip
    """Draw a table of differences with their 95 % intervals.

    Blue-green where positive, brown where negative, hatched where the interval does not tell.

    Parameters
    ----------
    intervals : dict of Interval
        By (row, column), counted from 0; empty where there is none.
    rows, columns : list of str
        Labels.
    values : str
        What the colours stand for.
    """
    figure, axes = new_figure(1.0 + 0.26 * len(rows))
    found = np.full((len(rows), len(columns)), np.nan)
    for at, interval in some("intervals", intervals).items():
        found[at] = finite(f"intervals[{at}]", interval).estimate
    most = np.nanmax(np.abs(found)) or 1.0
    picture = axes.pcolormesh(found, cmap="BrBG", vmin=-most, vmax=most)
    for (row, column), interval in intervals.items():
        undecided = not (interval.above(0) or interval.below(0))
        grey = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
        frame = {"fill": False, "edgecolor": "lightgrey"}
        axes.add_patch(Rectangle((column, row), 1, 1, **grey if undecided else frame))
        middle = round(interval.estimate, 1) + 0.0  # no minus before a zero
        dark = abs(interval.estimate) > 0.6 * most and not undecided
        style = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
        text = f"{middle:+.1f} ± {interval.half_width:.1f}".replace("-", "−")
        axes.text(column + 0.5, row + 0.5, text, fontsize=8, **style)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.grid(False)
    figure.colorbar(picture, ax=axes, label=values)
    title_figure(figure, title, subtitle)
    return figure
