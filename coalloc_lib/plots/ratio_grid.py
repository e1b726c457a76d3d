"""Ratios along a parameter, a small panel a line, where bands in one would hide one another."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from coalloc_lib.plots.ratios import RatioLine, draw_line, limits, mark_factors, marks
from coalloc_lib.plots.signs import Sign
from coalloc_lib.plots.style import head, new_figure, some, title_figure

#: Height of a row of panels, and the least of all, for what stands beside them, in inches.
ROW, LEAST = 1.15, 1.9


def ratio_grid(
    rows: Mapping[str, Mapping[str, RatioLine]], *, title: str, subtitle: str = "", xlabel: str,
    ylabel: str, level: str, sign: Sign,
) -> Figure:  # fmt: skip
    """Draw each line with its 95 % band by itself, in rows and columns on one scale of factors.

    Parameters
    ----------
    rows : dict of dict
        ``rows[row][column]`` is a list of pairs, a place and the ratio there.
    ylabel : str
        What the ratios are; the rows are named beside them.
    level : str
        What a ratio of 1, dashed, is in words.
    sign : Sign
        How all lines look.
    """
    columns = list(dict.fromkeys(c for row in some("rows", rows).values() for c in row))
    height = 0.5 + max(ROW * len(rows), LEAST)
    figure, grid = new_figure(
        height, len(rows), len(columns), sharex=True, sharey=True, squeeze=False
    )
    low, high = limits(rows, whole=True)
    places = [at for row in rows.values() for line in row.values() for at, _ in line]
    for line, (row, drawn) in zip(grid, rows.items(), strict=True):
        for axes, column in zip(line, columns, strict=True):
            axes.set_yscale("log")
            axes.set_ylim(low, high)
            axes.axhline(1, color="black", linestyle="--", linewidth=1)
            if column in drawn:
                draw_line(axes, drawn[column], sign, high, True)
        line[0].set_ylabel(row)
    for axes, column in zip(grid[0], columns, strict=True):
        head(axes, column)
    grid[0, 0].set_xticks(marks(places))
    mark_factors(grid[0, 0], low, high)
    figure.supxlabel(xlabel, fontsize=9)
    figure.supylabel(ylabel, fontsize=9)
    title_figure(figure, title, f"{subtitle}; dashed: {level}".removeprefix("; "))
    return figure
