"""Maps: changes in percent or points, with what is undecided hatched; and timelines."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from coalloc_lib.basics.checks import one_of
from coalloc_lib.plots.style import head, new_figure, title_figure
from coalloc_lib.plots.tables import ENDS, interval_of, refuse, tidy

#: Shorter is blue-green, longer brown.
CHANGES = colormaps["BrBG_r"]
UNDECIDED = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
OUTLINE = {"color": "black", "linewidth": 1.8, "solid_capstyle": "round", "zorder": 3}


class Mark(NamedTuple):
    """A cell that has no number: its text, colour, and side of the outline."""

    text: str
    colour: str | tuple
    longer: bool = False


#: Cells where one is without bound and the other is not, and where neither is finite.
MARKS = {
    "longer": Mark("∞", CHANGES(1.0), True),
    "shorter": Mark("−∞", CHANGES(0.0)),
    "neither": Mark("×", "#8C8C8C"),
}
#: Where colours of changes end: at this factor, or at one over it.
MOST = 5.0
#: By how much rounding may take a share below 0 or above 1.
ROUNDING = 1e-9


def shade(percent: float) -> tuple:
    """Return the colour of a change; the root keeps small changes apart, the logarithm large."""
    factor = max(1 + percent / 100, 1 / MOST)
    strength = min(abs(np.log(factor)) / np.log(MOST), 1.0)
    return CHANGES(0.5 + np.sign(percent) * np.sqrt(strength) / 2)


def maps(
    table: pd.DataFrame, *, x: str, y: str, value: str, panel: str | None = None,
    mark: str | None = None, xlabel: str = "", ylabel: str = "", values: str = "",
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw maps side by side: one scale of colours and a line where the sign turns.

    A row of the table is a cell, hatched where its interval holds 0 or is in doubt. `x` and `y` are
    columns of labels, in order from the left and from below; where a cell has no `value`, `mark`
    has a key of `MARKS`. `values` says what the numbers and colours are.
    """
    labels = {"x": x, "y": y, "panel": panel, "mark": mark}
    cells = tidy(table, labels, {"value": value}, gaps=["value"])
    for name in cells["mark"].unique():
        one_of("mark", name, ("", *MARKS))
    plain = cells["mark"] == ""
    refuse(plain & ~np.isfinite(cells["value"]), table, value)
    for end, name in ENDS.items():
        refuse(plain & np.isinf(cells[end]), table, name)
    columns, rows, panels = (list(cells[name].unique()) for name in ("x", "y", "panel"))
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    height = down * (0.55 + 0.26 * len(rows))
    figure, grid = new_figure(height, down, across, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, heading in zip(grid.flat, panels, strict=False):
        sides = {}
        for cell in cells[cells["panel"] == heading].itertuples():
            at = columns.index(cell.x), rows.index(cell.y)
            if cell.mark:
                text, colour, longer = MARKS[cell.mark]
                colour = "" if cell.warning else colour
            else:
                interval = interval_of(cell, "value")
                decided = interval.above(0) or interval.below(0)
                colour = shade(interval.estimate) if decided else ""
                change, longer = round(interval.estimate), interval.estimate > 0
                text = f"{change:+}".replace("-", "−") if change else "0"
                if interval.estimate >= 900:  # from tenfold on, by what factor
                    text = f"×{1 + interval.estimate / 100:.0f}"
            sides[at] = longer
            its: Any = {"facecolor": colour, "edgecolor": "white"} if colour else UNDECIDED
            axes.add_patch(Rectangle(at, 1, 1, linewidth=0.4, **its))
            dark = bool(colour) and np.dot(to_rgb(colour), (0.299, 0.587, 0.114)) < 0.5
            its = {"color": "white" if dark else "black", "fontsize": 7}
            axes.text(at[0] + 0.5, at[1] + 0.46, text, ha="center", va="center", **its)
        for (i, j), here in sides.items():
            if sides.get((i + 1, j), here) != here:
                axes.plot([i + 1] * 2, [j, j + 1], **OUTLINE)
            if sides.get((i, j + 1), here) != here:
                axes.plot([i, i + 1], [j + 1] * 2, **OUTLINE)
        head(axes, heading)
        axes.grid(False)
        axes.set(xlim=(0, len(columns)), ylim=(0, len(rows)))
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
        axes.tick_params(length=0, labelsize=8)
    for axes in grid[-1]:
        axes.set_xlabel(xlabel)
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel)
    title_figure(figure, title, "; ".join(filter(None, (values, subtitle))))
    return figure


def timelines(
    table: pd.DataFrame, *, panel: str, strip: str, time: str, busy: str, until: float,
    xlabel: str, ylabel: str, title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw strips that are dark where a cluster is `busy`, a share from each `time` on."""
    rows = tidy(table, {"panel": panel, "strip": strip}, {"time": time, "busy": busy})
    refuse((rows["busy"] - 0.5).abs() > 0.5 + ROUNDING, table, busy, "give shares from 0 to 1")
    panels = {
        name: part.pivot(index="strip", columns="time", values="busy").loc[part["strip"].unique()]
        for name, part in rows.groupby("panel", sort=False)
    }
    heights = [max(0.35, 0.07 * len(shares)) + 0.3 for shares in panels.values()]
    figure, grid = new_figure(
        sum(heights) + 0.5, len(panels), 1, sharex=True, squeeze=False, height_ratios=heights
    )
    for axes, (heading, shares) in zip(grid[:, 0], panels.items(), strict=True):
        drawn = axes.imshow(
            shares, aspect="auto", interpolation="nearest", cmap="cividis_r", norm=Normalize(0, 1),
            extent=(0, until, len(shares) + 0.5, 0.5),
        )  # fmt: skip
        axes.grid(False)
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
        axes.set_ylim(len(shares) + 0.5, 0.5)
        axes.tick_params(length=2, labelsize=8)
        axes.set_ylabel(ylabel, fontsize=8)
        head(axes, heading)
    grid[-1, 0].set_xlabel(xlabel)
    figure.colorbar(drawn, ax=grid[:, 0], label="share of the processors busy", aspect=30, pad=0.02)
    title_figure(figure, title, subtitle)
    return figure
