"""Line charts with confidence bands, in one or several panels.

There are three functions: `lines` draws plain lines, `factor_lines` draws factors relative to a
base, and `lines_and_levels` draws lines with horizontal reference lines.
"""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.plots.charts import Chart, FactorChart, LevelChart, Scales
from coalloc_lib.plots.line_style import LineStyle
from coalloc_lib.plots.signs import MarkerStyle


def lines(
    table: pd.DataFrame,
    *,
    x: str,
    y: str,
    line: str | None = None,
    panel: str | None = None,
    row: str | None = None,
    xlabel: str = "",
    ylabel: str = "",
    scales: Scales = ("linear", "linear"),
    level: tuple[str, float] | None = None,
    printed: pd.DataFrame | None = None,
    names: str = "ends",
    look: Mapping[str, MarkerStyle] | None = None,
    style: LineStyle | None = None,
    title: str = "",
    subtitle: str = "",
) -> Figure:
    """Draw lines with their 95 % confidence bands, in one or more panels.

    Points with a warning are hollow.

    Parameters
    ----------
    table : DataFrame
        One row for each point, with the ends of its interval in ``ci95_low`` and ``ci95_high``, and
        its ``warning``. Points without a value, or with a value of 0 or less on a logarithmic axis,
        are left out. An infinite value is drawn as a cross at the top. A panel without any point is
        empty.
    x, y : str
        The columns with the coordinates of the points.
    line : str, optional
        The column with the name of the line of each point.
    panel, row : str, optional
        The columns with the panel and, in a grid of small panels, the row of each point.
    xlabel, ylabel : str
        The labels of the axes.
    scales : (str, str) or dict of (str, str)
        The scales of both axes, ``"linear"`` or ``"log"``, for all panels or by panel. With one
        pair of scales, all panels have the same axes. With a dict, each panel has its own axes.
    level : (str, float), optional
        The name and the height of a dashed horizontal line. The subtitle shows the name.
    printed : DataFrame, optional
        The values printed in a paper, in the same columns. They are drawn as open diamonds. Values
        without a `y` are drawn at the bottom. Values of a line, panel or row that `table` lacks are
        left out, because the runs of a study may lack it. Without the column `panel` or `row`, all
        panels or rows that contain the line show them.
    names : {"ends", "legend"}
        Whether the names of the lines are written at the ends of the lines or in a legend. A grid
        always has a legend.
    look : dict of str to MarkerStyle, optional
        The colours and markers by line.
    style : LineStyle, optional
        Further options for the lines.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, if the table has no value that the axes can show, if a value is
        minus infinity, if a printed value or `level` is not finite, or if one of these is not above
        0 on a logarithmic axis.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.2, 0.4], "wait": [1.0, 3.0]})
    >>> figure = lines(table, x="load", y="wait")
    """
    labels, numbers = {"line": line, "panel": panel, "row": row}, {"x": x, "y": y}
    levels = {} if level is None else {level[0]: level[1]}
    chart = Chart(table, labels, numbers, scales, names, look, style, levels)
    return chart.draw(xlabel, ylabel, printed, title, subtitle)


def factor_lines(
    table: pd.DataFrame,
    *,
    base: str,
    x: str,
    y: str,
    line: str | None = None,
    panel: str | None = None,
    row: str | None = None,
    xlabel: str = "",
    ylabel: str = "",
    names: str = "ends",
    printed: pd.DataFrame | None = None,
    look: Mapping[str, MarkerStyle] | None = None,
    style: LineStyle | None = None,
    title: str = "",
    subtitle: str = "",
) -> Figure:
    """Draw lines of factors, such as ratios to a base policy, on a logarithmic axis around 1.

    The base is a dashed line at 1. The axis ends at 1/4 and at 4 if there are smaller or larger
    factors. An arrow at the end of the axis marks each factor beyond it.

    Parameters
    ----------
    table : DataFrame
        As in `lines`. The values of `y` are factors above 0. A factor that is not finite is drawn
        as a cross at the top.
    base : str
        The meaning of the dashed line.
    printed : DataFrame, optional
        As in `lines`. Without the column `y`, its factors are 1. A factor beyond the axis is drawn
        as an open arrow at the end of the axis.
    x, y, line, panel, row, xlabel, ylabel, names, look, style, title, subtitle
        As in `lines`.

    Returns
    -------
    Figure
        The figure.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.2, 0.4], "ratio": [0.9, 1.2]})
    >>> figure = factor_lines(table, base="FCFS", x="load", y="ratio")
    """
    labels, numbers = {"line": line, "panel": panel, "row": row}, {"x": x, "y": y}
    scales = "linear", "log"
    chart = FactorChart(table, labels, numbers, scales, names, look, style, {base: 1.0})
    return chart.draw(xlabel, ylabel, printed, title, subtitle)


def lines_and_levels(
    table: pd.DataFrame,
    *,
    levels: Mapping[str, float],
    x: str,
    y: str,
    line: str | None = None,
    panel: str | None = None,
    xlabel: str = "",
    ylabel: str = "",
    look: Mapping[str, MarkerStyle] | None = None,
    height: float | None = None,
    title: str = "",
    subtitle: str = "",
) -> Figure:
    """Draw lines and dashed horizontal reference lines, with labels in the emptiest panel.

    Parameters
    ----------
    table, x, y, line, panel, xlabel, ylabel, look, title, subtitle
        As in `lines`.
    levels : dict of str to float
        The value of each level, by its name.
    height : float, optional
        The height of the figure in inches, without its titles.

    Returns
    -------
    Figure
        The figure.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.2, 0.4], "wait": [1.0, 3.0]})
    >>> figure = lines_and_levels(table, levels={"target": 2.0}, x="load", y="wait")
    """
    labels, numbers = {"line": line, "panel": panel, "row": None}, {"x": x, "y": y}
    style = LineStyle(whole_bands=True, height=height)
    scales = "linear", "linear"
    chart = LevelChart(table, labels, numbers, scales, "ends", look, style, levels)
    return chart.draw(xlabel, ylabel, None, title, subtitle)
