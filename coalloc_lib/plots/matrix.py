"""A matrix of many comparisons, with one coloured cell for each comparison."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.plots.maps import draw_cell, shade
from coalloc_lib.plots.style import GREY, new_figure, title_figure
from coalloc_lib.plots.tables import reject_first, tidy

#: The height of a row of cells, and the height of the column names above the cells, in inches.
ROW, NAMES = 0.24, 1.0
#: The width of a column with a long name, as a multiple of the width of a column whose name is a
#: single letter.
WIDE = 1.8
#: The two verdicts on a comparison that do not describe a change. Cells with these verdicts do not
#: have a colour that shows a change.
NO_ANSWER, UNDECIDED = "no answer", "undecided"


def matrix(
    table: pd.DataFrame, *, row: str, column: str, group: str, value: str, verdict: str,
    beside: str | None = None, mark: str | None = None,
    values: str = "", title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw a matrix of comparisons, in which the colour of a cell shows a change in percent.

    Parameters
    ----------
    table : DataFrame
        One row for each cell.
    row, column, group : str
        The columns with the row, the column and the group of columns of each cell. Rows, columns
        and groups are drawn in the order of the table.
    value : str
        The column with the change in percent, which the colour shows. It may be empty in a cell
        with the verdict ``"no answer"``.
    verdict : str
        The column with the verdict: a cell with ``"undecided"`` is hatched, a cell with
        ``"no answer"`` has a cross, and any other cell has its colour.
    beside : str, optional
        The column with a text that is written to the right of a row. It may be empty in some cells.
    mark : str, optional
        The column with a text that is written into a cell. It may be empty.
    values : str
        The meaning of the colours, for the subtitle.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, if a cell has no verdict, if a cell with another verdict than
        ``"no answer"`` has no finite value, if a row has two texts beside it, or if two rows are
        about the same cell.
    """
    labels = {"row": row, "column": column, "group": group, "verdict": verdict, "beside": beside}
    labels["mark"] = mark
    place = ("row", "group", "column")
    cells = tidy(table, labels, {"value": value}, gaps=["value"], unique=place)
    mend = f"give each cell a verdict, such as {UNDECIDED!r}"
    reject_first(cells["verdict"] == "", table, verdict, mend)
    has_value = cells["verdict"] != NO_ANSWER
    reject_first(has_value & ~np.isfinite(cells["value"]), table, value)
    texts = _texts_beside(cells, table, beside)
    rows = list(cells["row"].unique())
    columns: list[tuple[str, str]] = []
    for name in cells["group"].unique():
        of_group = cells[cells["group"] == name]
        columns += [(name, column) for column in of_group["column"].unique()]
    widths = [1.0 if len(name) == 1 else WIDE for _, name in columns]
    edges = np.cumsum([0.0, *widths])
    places = dict(zip(columns, zip(edges, widths, strict=False), strict=True))
    figure, axes = new_figure(NAMES + ROW * len(rows))
    for cell in cells.itertuples():
        left, width = places[cell.group, cell.column]
        _draw_cell(axes, cell, left, rows.index(cell.row), width)
    _name_groups(axes, columns, edges)
    for at, name in enumerate(rows):
        axes.text(edges[-1] + 0.5, at + 0.5, texts.get(name, ""), fontsize=7.5, va="center")
    _label_axes(axes, rows, columns, edges)
    title_figure(figure, title, values, subtitle)
    return figure


def _texts_beside(cells, table, beside):
    given = cells[cells["beside"] != ""]
    texts = given.drop_duplicates("row").set_index("row")["beside"]
    is_second = (cells["beside"] != "") & (cells["beside"] != cells["row"].map(texts))
    mend = "an earlier cell of the row has another text, give one text for each row"
    reject_first(is_second, table, beside, mend)
    return texts


def _draw_cell(axes, cell, left, top, width):
    if cell.verdict == NO_ANSWER:
        style = {"ha": "center", "va": "center", "fontsize": 7, "color": GREY}
        axes.text(left + width / 2, top + 0.5, "×", **style)
        return
    colour = "" if cell.verdict == UNDECIDED else shade(cell.value)
    draw_cell(axes, (left, top), width, colour, cell.mark)


def _name_groups(axes, columns, edges):
    for i, (name, _) in enumerate(columns):
        if i == 0 or columns[i - 1][0] != name:
            axes.axvline(edges[i], color="black", linewidth=0.8)
            style = {"fontsize": 7.5, "rotation": 30, "ha": "left", "va": "bottom"}
            axes.text(edges[i] + 0.2, -0.2, name, **style)


def _label_axes(axes, rows, columns, edges):
    axes.set(xlim=(0, edges[-1]), ylim=(len(rows), 0))
    axes.set_xticks((edges[1:] + edges[:-1]) / 2, [name for _, name in columns], fontsize=7)
    for label in axes.get_xticklabels():
        is_letter = len(label.get_text()) == 1
        label.set(rotation=0 if is_letter else 90, fontsize=5.5 if is_letter else 7)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=8)
    axes.tick_params(length=0)
    axes.grid(False)
