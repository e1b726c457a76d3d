"""Maps of changes over two parameters, and timelines of busy processors."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from coalloc_lib.basics.checks import finite, one_of, shown
from coalloc_lib.plots.style import head, new_figure, remove_spare, title_figure
from coalloc_lib.plots.tables import ENDS, interval_of, reject_first, tidy

#: The colour map for changes in times: blue-green for decreases, and brown for increases.
CHANGES = colormaps["BrBG_r"]
#: The style of a cell whose change is uncertain, because the confidence interval of the change
#: contains 0 or has a warning.
UNDECIDED = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
#: The style of the line between cells with an increase and cells with a decrease.
OUTLINE = {"color": "black", "linewidth": 1.8, "solid_capstyle": "round", "zorder": 3}


class Mark(NamedTuple):
    """The text and the colour of a cell in a map of changes in mean times.

    `longer` tells whether the cell lies on the side of the outline where times increase.
    """

    text: str
    colour: str | tuple
    longer: bool = False


#: The least height of all panels of `timelines`, in inches.
LOWEST = 1.8
#: The marks of cells without a finite change, because at least one of the two compared mean times
#: is infinite: the first (``"longer"``), the second (``"shorter"``), or both (``"neither"``).
MARKS = {
    "longer": Mark("∞", CHANGES(1.0), True),
    "shorter": Mark("−∞", CHANGES(0.0)),
    "neither": Mark("×", "#8C8C8C"),
}
#: An increase by this factor or more has the darkest colour for increases. A decrease by this
#: factor or more has the darkest colour for decreases.
MOST = 5.0
#: The tolerance for rounding errors in the fraction of busy processors, which is between 0 and 1.
ROUNDING = 1e-9


def shade(percent: float) -> tuple:
    """Return the colour of a cell in a map of changes, given the change in percent.

    The strength of the colour depends on the logarithm of the factor of the change, so an increase
    and a decrease by the same factor have equally strong colours. The square root of the strength
    is used, so that small changes can be told apart.
    """
    factor = max(1 + percent / 100, 1 / MOST)
    strength = min(abs(np.log(factor)) / np.log(MOST), 1.0)
    return CHANGES(0.5 + np.sign(percent) * np.sqrt(strength) / 2)


def text_colour(background: str | tuple) -> str:
    """Return the colour of a text that can be read on a background, which may be empty."""
    # The weighted sum of red, green and blue is the brightness that the human eye perceives.
    is_dark = bool(background) and np.dot(to_rgb(background), (0.299, 0.587, 0.114)) < 0.5
    return "white" if is_dark else "black"


def maps(
    table: pd.DataFrame, *, x: str, y: str, value: str, panel: str | None = None,
    mark: str | None = None, xlabel: str = "", ylabel: str = "", values: str = "",
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw maps of changes in percent, with a line between increases and decreases.

    All maps have the same colours. A cell is hatched if its interval contains 0 or has a warning.

    Parameters
    ----------
    table : DataFrame
        One row for each cell, with the ends of its interval in ``ci95_low`` and ``ci95_high``.
    x, y : str
        The columns with the labels of the cell's column and row. They are drawn in the order of the
        table, from the left and from below.
    value : str
        The column with the change in percent.
    panel : str, optional
        The column with the map of each cell.
    mark : str, optional
        The column with a key of `MARKS` for each cell without a value, and an empty string for all
        other cells.
    xlabel, ylabel : str
        The labels of the axes.
    values : str
        The meaning of the numbers and colours, for the subtitle.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a cell has neither a finite value nor a mark, or both, if it has an infinite interval, or
        if it has two rows.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.5, 0.7], "penalty": [0.1, 0.1], "change": [-20.0, 5.0]})
    >>> figure = maps(table, x="load", y="penalty", value="change")
    """
    cells = _checked_cells(table, {"x": x, "y": y, "panel": panel, "mark": mark}, value)
    columns, rows, panels = (list(cells[name].unique()) for name in ("x", "y", "panel"))
    # A row has three panels if their cells are then wide enough for the numbers.
    is_wide_enough = 3 * len(columns) <= 20 and len(panels) != 4
    across = min(3 if is_wide_enough else 2, len(panels))
    down = -(-len(panels) // across)
    height = down * (0.55 + 0.26 * len(rows))
    figure, grid = new_figure(height, down, across, sharex=True, sharey=True, squeeze=False)
    for axes in remove_spare(grid, len(panels)):
        axes.set_xlabel(xlabel)
    for axes, heading in zip(grid.flat, panels, strict=False):
        _draw_map(axes, cells[cells["panel"] == heading], columns, rows)
        head(axes, heading)
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel)
    title_figure(figure, title, values, subtitle)
    return figure


def _checked_cells(table, labels, value):
    cells = tidy(table, labels, {"value": value}, gaps=["value"], unique=("panel", "x", "y"))
    for name in cells["mark"].unique():
        one_of("mark", name, ("", *MARKS))
    has_number = cells["mark"] == ""
    reject_first(has_number & ~np.isfinite(cells["value"]), table, value)
    mend = f"the mark in {labels['mark']!r} would hide it, leave one of them empty"
    reject_first(~has_number & np.isfinite(cells["value"]), table, value, mend)
    for end, name in ENDS.items():
        reject_first(has_number & np.isinf(cells[end]), table, name)
    return cells


def _draw_map(axes, cells, columns, rows):
    is_longer = {}
    for cell in cells.itertuples():
        at = columns.index(cell.x), rows.index(cell.y)
        drawn = _appearance(cell)
        is_longer[at] = drawn.longer
        draw_cell(axes, at, 1.0, drawn.colour, drawn.text, middle=0.46)
    for (i, j), here in is_longer.items():
        if is_longer.get((i + 1, j), here) != here:
            axes.plot([i + 1] * 2, [j, j + 1], **OUTLINE)
        if is_longer.get((i, j + 1), here) != here:
            axes.plot([i, i + 1], [j + 1] * 2, **OUTLINE)
    axes.grid(False)
    axes.set(xlim=(0, len(columns)), ylim=(0, len(rows)))
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.tick_params(length=0, labelsize=8)


def _appearance(cell):
    if cell.mark:
        mark = MARKS[cell.mark]
        return mark._replace(text=f"{mark.text}?", colour="") if cell.warning else mark
    interval = interval_of(cell, "value")
    is_decided = interval.above(0) or interval.below(0)
    text = _percent(interval.estimate, is_decided)
    if interval.estimate >= 900:  # A change to the tenfold and more is shown as a factor.
        text = f"×{1 + interval.estimate / 100:.0f}"
    colour = shade(interval.estimate) if is_decided else ""
    return Mark(text, colour, interval.estimate > 0)


def _percent(change, is_decided):
    if round(change) == 0 and not is_decided:
        return "0"
    # A small change that is certain must not read like no change: its sign and its size stay.
    is_small = is_decided and 0.01 <= abs(change) < 0.95
    digits = 0 if not is_small else 1 if abs(change) >= 0.095 else 2
    return f"{change:+.{digits}f}".replace("-", "−")


def draw_cell(
    axes: Axes, corner: tuple[float, float], width: float, colour: str | tuple, text: str,
    middle: float = 0.5,
) -> None:  # fmt: skip
    """Draw a cell of a map or of a matrix, with a text that can be read on its colour.

    Parameters
    ----------
    axes : Axes
        The axes.
    corner : (float, float)
        The place where the cell begins on both axes.
    width : float
        The width of the cell, whose height is 1.
    colour : str or tuple
        The colour of the cell, or an empty string for an undecided cell, which is hatched.
    text : str
        The text in the cell.
    middle : float
        The vertical position of the text in the cell, from 0 to 1.
    """
    look: dict[str, Any] = {"facecolor": colour, "edgecolor": "white"} if colour else UNDECIDED
    axes.add_patch(Rectangle(corner, width, 1, linewidth=0.4, **look))
    left, bottom = corner
    style: dict[str, Any] = {"color": text_colour(colour), "fontsize": 7}
    axes.text(left + width / 2, bottom + middle, text, ha="center", va="center", **style)


def timelines(
    table: pd.DataFrame, *, panel: str, strip: str, time: str, busy: str, until: float,
    xlabel: str, ylabel: str, title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw one horizontal strip per cluster that is darker when more processors are busy.

    Parameters
    ----------
    table : DataFrame
        One row for each interval of time of each cluster.
    panel, strip, time, busy : str
        The columns with the panel, the cluster, the beginning of the interval, and the fraction of
        the cluster's processors that are busy, from 0 to 1.
    until : float
        The end of the last interval.
    xlabel, ylabel, title, subtitle : str
        The labels of the axes, the title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a fraction is not between 0 and 1, if an interval begins at `until` or later, or if two
        intervals of a cluster begin at the same time.
    """
    finite("until", until)
    place = ("panel", "strip", "time")
    rows = tidy(table, {"panel": panel, "strip": strip}, {"time": time, "busy": busy}, unique=place)
    reject_first(
        (rows["busy"] - 0.5).abs() > 0.5 + ROUNDING, table, busy, "give shares from 0 to 1"
    )
    reject_first(rows["time"] >= until, table, time, f"give times before until = {shown(until)}")
    panels = {name: _strips(part) for name, part in rows.groupby("panel", sort=False)}
    heights = [max(0.35, 0.038 * len(shares)) + 0.3 for shares in panels.values()]
    if sum(heights) < LOWEST:  # The label of the colour bar must fit beside the panels.
        heights = [LOWEST / len(heights)] * len(heights)
    figure, grid = new_figure(
        sum(heights) + 0.5, len(panels), 1, sharex=True, squeeze=False, height_ratios=heights
    )
    for axes, (heading, shares) in zip(grid[:, 0], panels.items(), strict=True):
        drawn = _draw_strips(axes, shares, until)
        axes.set_ylabel(ylabel, fontsize=8)
        head(axes, heading)
    grid[-1, 0].set(xlabel=xlabel, xlim=(rows["time"].min(), until))
    figure.colorbar(drawn, ax=grid[:, 0], label="share of the processors busy", aspect=30, pad=0.02)
    title_figure(figure, title, subtitle)
    return figure


def _strips(rows):
    shares = rows.pivot(index="strip", columns="time", values="busy").loc[rows["strip"].unique()]
    return shares.ffill(axis=1)  # A share holds until the next interval of its cluster.


def _draw_strips(axes, shares, until):
    edges = [*shares.columns, until]
    rows = np.arange(len(shares) + 1) + 0.5
    drawn = axes.pcolorfast(edges, rows, shares.to_numpy(), cmap="cividis_r", norm=Normalize(0, 1))
    axes.grid(False)
    # Only about four strips have a name, because many strips are too narrow for one.
    ticks = MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]).tick_values(1, len(shares))
    ticks = [int(tick) for tick in ticks if 1 <= tick <= len(shares)]
    axes.set_yticks(ticks, [shares.index[tick - 1] for tick in ticks])
    axes.set_ylim(len(shares) + 0.5, 0.5)
    axes.tick_params(length=2, labelsize=8)
    return drawn
