"""A matrix of many comparisons: a cell each, its colour the change, hatched where undecided."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from coalloc_lib.plots.maps import UNDECIDED, shade
from coalloc_lib.plots.style import GREY, new_figure, title_figure
from coalloc_lib.plots.tables import tidy

#: Inches of a row, and of the names of the columns; how wide a column with a longer name is.
ROW, NAMES, WIDE = 0.24, 1.0, 1.8
#: What is neither decided nor open.
NO_ANSWER, OPEN = "no answer", "undecided"


def matrix(
    table: pd.DataFrame, *, row: str, column: str, group: str, value: str, verdict: str,
    beside: str | None = None, mark: str | None = None,
    values: str = "", title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw a cell for each row of a table, in groups of columns.

    Parameters
    ----------
    table : DataFrame
        One row a cell. `row`, `column` and `group` place it, in order of appearance; `value` is a
        change in percent, which its colour tells; `verdict` is ``"undecided"``, ``"no answer"`` or
        what the colour says.
    beside : str, optional
        The column with what is written behind a row.
    mark : str, optional
        The column with a sign that is written into a cell; it may be empty.
    values : str
        What the colours are.
    """
    labels = {"row": row, "column": column, "group": group, "verdict": verdict, "beside": beside}
    labels["mark"] = mark
    cells = tidy(table, labels, {"value": value}, gaps=["value"])
    rows = list(cells["row"].unique())
    columns: list[tuple[str, str]] = []
    for name in cells["group"].unique():
        of_group = cells[cells["group"] == name]
        columns += [(name, column) for column in of_group["column"].unique()]
    widths = [1.0 if len(name) == 1 else WIDE for _, name in columns]
    edges = np.cumsum([0.0, *widths])
    at = dict(zip(columns, zip(edges, widths, strict=False), strict=True))
    figure, axes = new_figure(NAMES + ROW * len(rows))
    for cell in cells.itertuples():
        (x, width), y = at[cell.group, cell.column], rows.index(cell.row)
        if cell.verdict == NO_ANSWER:
            axes.text(x + width / 2, y + 0.5, "×", ha="center", va="center", fontsize=7, color=GREY)
            continue
        its: Any = {"facecolor": shade(cell.value), "edgecolor": "white"}
        its = UNDECIDED if cell.verdict == OPEN else its
        axes.add_patch(Rectangle((x, y), width, 1, linewidth=0.4, **its))
        axes.text(x + width / 2, y + 0.5, cell.mark, ha="center", va="center", fontsize=7)
    for i, (name, _) in enumerate(columns):
        if i == 0 or columns[i - 1][0] != name:
            axes.axvline(edges[i], color="black", linewidth=0.8)
            style = {"fontsize": 7.5, "rotation": 30, "ha": "left", "va": "bottom"}
            axes.text(edges[i] + 0.2, -0.2, name, **style)
    for y, name in enumerate(rows):
        words = cells.loc[cells["row"] == name, "beside"].iloc[0]
        axes.text(edges[-1] + 0.5, y + 0.5, words, fontsize=7.5, va="center")
    axes.set(xlim=(0, edges[-1]), ylim=(len(rows), 0))
    axes.set_xticks((edges[1:] + edges[:-1]) / 2, [each for _, each in columns], fontsize=7)
    for label in axes.get_xticklabels():
        is_letter = len(label.get_text()) == 1
        label.set(rotation=0 if is_letter else 90, fontsize=5.5 if is_letter else 7)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=8)
    axes.tick_params(length=0)
    axes.grid(False)
    title_figure(figure, title, "; ".join(filter(None, (values, subtitle))))
    return figure
