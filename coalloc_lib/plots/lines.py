"""Lines with their bands: over a number, on a scale of factors, beside levels, alone in a grid."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.plots import style as canvas
from coalloc_lib.plots.signs import STANDARD, MarkerStyle
from coalloc_lib.plots.tables import looks, refuse, tidy

#: Letters of names that fit beside the lines of panels in a row; longer ones make rows of two.
WIDE = 40
#: With more points than this a line has no marks.
MARKED = 20
#: Letters that the headings of a row have room for.
HEADING = 80
#: Height of a row of a grid, and the least of all, for what stands beside them, in inches.
ROW, LEAST = 1.15, 1.9

Scales = Mapping[str, tuple[str, str]] | tuple[str, str]


@dataclass(frozen=True)
class LineStyle:
    """How lines are drawn, besides their signs.

    Parameters
    ----------
    bold : collection of str, optional
        Lines that stand out from all others, which are grey.
    dashed, bare : collection of str
        Lines that are dashed; lines without a band.
    stairs, whole_bands : bool
        Lines are steps; the axis has room for whole bands, not only for the lines.
    """

    bold: Collection[str] | None = None
    dashed: Collection[str] = ()
    bare: Collection[str] = ()
    stairs: bool = False
    whole_bands: bool = False


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
    """Draw lines with their 95 % bands; points in doubt are hollow.

    Parameters
    ----------
    table : DataFrame
        One row per point; without `y`, or off a logarithmic axis, it is left out. `x`, `y`, `line`,
        `panel` and, for a grid of small panels, `row` name its columns.
    scales : (str, str) or dict of them
        Of the axes, ``"linear"`` or ``"log"``, or by panel.
    level : (str, float), optional
        A dashed line that the subtitle names.
    printed : DataFrame, optional
        What a paper prints, in the same columns: open diamonds, at the foot where there is no `y`.
        Without `panel` all panels have it.
    names : {"ends", "legend"}
        Where the names of lines stand.
    look : dict of MarkerStyle, optional
        Signs by line.
    style : LineStyle, optional
    """
    columns = {"line": line, "panel": panel, "row": row}, {"x": x, "y": y}
    chart = _Chart(table, *columns, scales, names)
    chart.levels = [] if level is None else [level[1]]
    chart.notes = [] if level is None else [f"dashed: {level[0]}"]
    return chart.drawn(xlabel, ylabel, printed, look, style, title, subtitle)


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
    """Draw lines of factors over a base, which is a dashed line at 1, on an axis around it.

    Parameters
    ----------
    table : DataFrame
        As in `lines`, with factors above 0 as `y`; one that is not finite is a cross at the top.
    base : str
        What the factors are over, in words.
    printed : DataFrame, optional
        As in `lines`; without the column `y` its factors are 1.
    x, y, line, panel, row, xlabel, ylabel, names, look, style, title, subtitle
        As in `lines`.
    """
    columns = {"line": line, "panel": panel, "row": row}, {"x": x, "y": y}
    chart = _FactorChart(table, *columns, ("linear", "log"), names)
    chart.notes = [f"dashed: {base}"]
    return chart.drawn(xlabel, ylabel, printed, look, style, title, subtitle)


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
    title: str = "",
    subtitle: str = "",
) -> Figure:
    """Draw lines beside dashed levels, which have their words in the first panel.

    Parameters
    ----------
    table, x, y, line, panel, xlabel, ylabel, look, title, subtitle
        As in `lines`.
    levels : dict of str to float
        The height of each level, by its words.
    """
    columns = {"line": line, "panel": panel, "row": None}, {"x": x, "y": y}
    chart = _LevelChart(table, *columns, ("linear", "linear"), "ends")
    chart.named_levels = dict(levels)
    chart.levels = [*levels.values()]
    style = LineStyle(whole_bands=True)
    return chart.drawn(xlabel, ylabel, None, look, style, title, subtitle)


class _Chart:
    """The points of lines, by panel, and the steps in which they are drawn."""

    def __init__(self, table, labels, numbers, scales, names):
        self.labels, self.numbers = labels, numbers
        points = tidy(table, labels, numbers, gaps=["y"])
        self.check(points, table)
        self.every, self.panels, self.rows = (list(points[name].unique()) for name in labels)
        self.points = points.sort_values("x", kind="stable")
        self.in_grid = labels["row"] is not None
        self.kinds = self.scales_of_panels(scales)
        self.names_at_ends = one_of("names", names, ("ends", "legend")) == "ends"
        self.cells = {
            (r, p): self.shown(points_of(self.points, r, p), self.kinds[p])
            for r in self.rows
            for p in self.panels
        }
        self.shares_axes = self.has_shared_axes(scales)
        self.letters = max(map(len, self.every)) if self.names_at_ends else 0
        first_kind = self.kinds[self.panels[0]][1]
        self.names_at_left = self.names_at_ends and _meet_at_the_right(
            self.cells.values(), first_kind
        )
        self.levels: list[float] = []
        self.notes: list[str] = []

    # --- What kinds of charts differ in ---

    def check(self, points, table):
        """Refuse points that cannot be drawn."""
        if not np.isfinite(points["y"]).any():
            raise InputError(f"column {self.numbers['y']!r} has no finite number; give one or more")

    def scales_of_panels(self, scales):
        """Return the scales of both axes by panel."""
        kinds = {p: scales[p] if isinstance(scales, Mapping) else scales for p in self.panels}
        for kind in kinds.values():
            for name, scale in zip("xy", kind, strict=True):
                one_of(f"scale of {name}", scale, ("linear", "log"))
        return kinds

    def has_shared_axes(self, scales):
        """Whether all panels have the same axes."""
        return self.names_at_ends and not isinstance(scales, Mapping)

    def shown(self, points, kinds):
        """Return the points that the axes can show."""
        return _on_axes(points, kinds).dropna(subset="y")

    def limits(self, values, kind):
        """Return the ends of a vertical axis that shows some values."""
        low, high = _ends_of(values, kind)
        if kind == "log":
            return low / 1.4, high * 1.4
        return min(0.0, 1.05 * low), max(0.0, 1.05 * high) or float(low == 0)

    def mark_heights(self, axes, kind):
        """Mark the vertical axis by round numbers."""
        if kind == "log":
            canvas.mark_powers(axes.yaxis)

    def printed_points(self, printed):
        """Return the points that a paper prints, in the panels of the lines."""
        if printed is None or printed.empty:
            return self.points[:0]
        there = {name: c if c in printed else None for name, c in self.labels.items()}
        marks = tidy(printed, there, self.numbers, gaps=["y"])
        if there["panel"] is None:
            panels = self.points[["line", "panel"]].drop_duplicates()
            marks = marks.drop(columns="panel").merge(panels)
        return marks[marks["line"].isin(self.points["line"])]

    def width_of_levels(self, points):
        """Return from where to where dashed levels reach."""
        return points["x"].min(), points["x"].max()

    def name_levels(self, axes):
        """Write the names of levels into the first panel; here the subtitle has them."""

    # --- The steps ---

    def drawn(self, xlabel, ylabel, printed, look, style, title, subtitle):
        """Return the figure."""
        self.style = LineStyle() if style is None else style
        self.look = self.signs(look)
        paper = self.printed_points(printed)
        figure, grid = self.new_figure()
        for axes, (_, p), here in zip(grid.flat, self.cells, self.cells.values(), strict=False):
            self.draw_panel(axes, here, self.kinds[p], paper, paper[paper["panel"] == p])
        self.head(figure, grid, xlabel, ylabel)
        self.name_levels(grid.flat[0])
        if not self.names_at_ends and len(self.every) > 1:
            canvas.name_signs(grid[0, -1], self.look, self.every, self.style.dashed)
        notes = [*self.notes, canvas.DIAMONDS * bool(len(paper))]
        notes.append("hollow: in doubt" * any(self.points["warning"]))
        canvas.title_figure(figure, title, subtitle, *notes)
        if self.names_at_ends and not self.in_grid:
            for axes, here in zip(grid.flat, self.cells.values(), strict=False):
                self.name_lines(axes, here)
        return figure

    def signs(self, look):
        """Return the sign of each line."""
        bold, look = self.style.bold, dict(look or {})
        if self.labels["line"] is None:
            look = {"": STANDARD} | look
        elif bold is not None:
            grey = MarkerStyle(canvas.GREY, STANDARD.marker)
            look = {name: STANDARD if name in bold else grey for name in self.every} | look
        return looks(self.every, look)

    def new_figure(self):
        """Return a figure with axes for every cell: in a row, in rows of two, or in a grid."""
        across = len(self.panels)
        names_are_wide = self.letters * across > WIDE
        if not self.in_grid and across > 2 and names_are_wide:
            across = 2
        down = -(-len(self.cells) // across)
        height = 3.2 if down == 1 else 2.2 * down
        if self.in_grid:
            height = max(ROW * down, LEAST) + 0.5
        shared = self.shares_axes
        figure, grid = canvas.new_figure(
            height, down, across, sharex=shared, sharey=shared, squeeze=False
        )
        for spare in grid.ravel()[len(self.cells) :]:
            spare.remove()
        return figure, grid

    def draw_panel(self, axes, here, kinds, all_printed, printed):
        """Draw the lines, levels and printed points of a panel."""
        alike = pd.concat(self.cells.values()) if self.shares_axes else here
        also = (all_printed if self.shares_axes else printed)["y"].dropna()
        values = [alike["y"], self.levels, also]
        if self.style.whole_bands:
            values += [alike["low"], alike["high"]]
        axes.set(xscale=kinds[0], yscale=kinds[1])
        axes.set_ylim(*self.limits(np.concatenate(values), kinds[1]))
        places = self.width_of_levels(alike)
        for at in dict.fromkeys(self.levels):
            axes.plot(places, [at] * 2, color="black", linestyle="--", linewidth=1, zorder=1.5)
        for number, name in enumerate(self.every):
            # The first line, which a figure is about, lies on top of the others.
            over = 3 - 0.5 * number / len(self.every)
            self.draw_one(axes, here[here["line"] == name], name, over)
        for mark in printed.itertuples():
            at = axes.get_ylim()[0] if np.isnan(mark.y) else mark.y
            over = {"color": self.look[mark.line].colour, "zorder": 5, "clip_on": False}
            axes.plot(mark.x, at, **canvas.PRINTED | over)
        self.mark_places(axes, places, kinds[0])
        self.mark_heights(axes, kinds[1])
        if self.names_at_ends and not self.in_grid:
            letters = self.letters * axes.get_gridspec().ncols
            _make_room(axes, places, letters, self.names_at_left)

    def draw_one(self, axes, points, name, over):
        """Draw one line of a panel; what is past every number is a cross at the top."""
        bold, sign = self.style.bold, self.look[name]
        known = points[np.isfinite(points["y"])]
        width = 1.4 if bold is None else 2.2 if name in bold else 1.1
        draw_line(
            axes,
            known,
            sign,
            known["warning"] != "",
            band=name not in self.style.bare,
            marked=len(known) <= MARKED,
            stairs=self.style.stairs,
            linewidth=width,
            linestyle="--" if name in self.style.dashed else "-",
            zorder=over,
        )
        if len(known) < len(points):  # an empty line would count as a point in a corner
            gone = points["x"][points["y"].isna()]
            tops = [axes.get_ylim()[1]] * len(gone)
            axes.plot(gone, tops, "x", color=sign.colour, markersize=5, clip_on=False)

    def mark_places(self, axes, places, kind):
        """Mark the horizontal axis by round numbers; where names end lines, none beyond these."""
        if kind == "log":
            canvas.mark_powers(axes.xaxis)
        elif self.names_at_ends:
            axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        slack = 1e-9 * (places[1] - places[0])  # 0.1 + 0.2 is more than 0.3
        for minor in (False, True) if self.names_at_ends else ():
            locator = axes.xaxis.get_minor_locator() if minor else axes.xaxis.get_major_locator()
            ticks = np.array(locator.tick_values(*places))
            there = (places[0] - slack <= ticks) & (ticks <= places[1] + slack)
            axes.set_xticks(ticks[there], minor=minor)

    def head(self, figure, grid, xlabel, ylabel):
        """Write the names of both axes, of panels and of rows."""
        down, across = grid.shape
        figure.supxlabel(xlabel, fontsize=9)
        for axes, p in zip(grid.flat, self.panels, strict=False):
            canvas.head(axes, fill(p, HEADING // across))
        if self.in_grid:
            figure.supylabel(ylabel, fontsize=9)
        beside = [fill(words, 12) for words in self.rows] if self.in_grid else [ylabel] * down
        for axes, words in zip(grid[:, 0], beside, strict=True):
            axes.set_ylabel(words)

    def name_lines(self, axes, here):
        """Write the name of each line where it ends."""
        left = self.names_at_left
        ends = here.groupby("line", sort=False).agg("first" if left else "last")
        ends = ends.dropna(subset="y")
        heights = ends["y"].clip(*axes.get_ylim())
        tips = [
            (at, height, name, self.look[name].colour)
            for at, height, name in zip(ends["x"], heights, ends.index, strict=True)
            if name
        ]
        canvas.name_lines(axes, tips, left=left)


class _FactorChart(_Chart):
    """Lines of factors around 1; one past every number stays, as a cross."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.levels = [1.0]

    def check(self, points, table):
        """Refuse factors of 0 and less."""
        column = self.numbers["y"]
        refuse(points["y"] <= 0, table, column, "a factor is above 0, leave the row out")

    def has_shared_axes(self, scales):
        """Factors are compared across panels."""
        return True

    def shown(self, points, kinds):
        """Return all points; those that are not finite are crosses."""
        return _on_axes(points, kinds)

    def limits(self, values, kind):
        """Return the ends of an axis around 1, within what factors can be told apart."""
        low, high = _ends_of(values, kind)
        return max(low / 1.1, canvas.FACTORS[0]), min(high * 1.1, canvas.FACTORS[-1])

    def mark_heights(self, axes, kind):
        """Mark the axis by factors."""
        canvas.mark_factors(axes.yaxis)

    def printed_points(self, printed):
        """Return what a paper prints; where it prints no factor, a mark at 1."""
        column = self.numbers["y"]
        if printed is not None and column not in printed:
            printed = printed.assign(**{column: 1.0})
        return super().printed_points(printed)


class _LevelChart(_Chart):
    """Lines beside levels, whose words stand on them in the first panel."""

    named_levels: Mapping[str, float]

    def limits(self, values, kind):
        """Return the ends of an axis that begins just below the least value."""
        low, high = _ends_of(values, kind)
        return low - 0.05 * (high - low), high + 0.1 * (high - low)

    def width_of_levels(self, points):
        """Levels begin at 0."""
        return 0.0, points["x"].max()

    def name_levels(self, axes):
        """Write the words of levels where no line begins: at the left, or else at the right."""
        places = next(iter(self.cells.values()))["x"]
        at_left = places.min() > 0
        near = 0.06 * np.ptp(axes.get_ylim())
        style = {"textcoords": "offset points", "fontsize": 7.5, "color": canvas.GREY}
        for words, at in self.named_levels.items():
            # Below its line where another one is just above.
            below = any(0 < other - at < near for other in self.levels)
            place, side = ((0, at), "left") if at_left else ((places.max(), at), "right")
            offset = (3 if at_left else -3, -8 if below else 2)
            axes.annotate(words, place, offset, ha=side, **style)


def points_of(points: pd.DataFrame, row: str, panel: str) -> pd.DataFrame:
    """Return the `tidy` points of one panel of a grid."""
    return points[(points["row"] == row) & (points["panel"] == panel)]


def _on_axes(points, kinds):
    """Return the points whose place is on the axes; heights that are not finite are NaN."""
    for name, kind in zip("xy", kinds, strict=True):
        if kind == "log":
            points = points[~(points[name] <= 0)]
    return points.assign(y=points["y"].where(np.isfinite(points["y"])))


def _ends_of(values, kind):
    """Return the least and the largest of those values that an axis can show."""
    values = values[np.isfinite(values) & ((kind == "linear") | (values > 0))]
    return (values.min(), values.max()) if len(values) else (0.5, 1.0)


def draw_line(
    axes: Axes, points: pd.DataFrame, sign: MarkerStyle, hollow: pd.Series, *, band: bool = True,
    marked: bool = True, stairs: bool = False, **style: Any,
) -> None:  # fmt: skip
    """Draw a line of `tidy` points with its band, on axes whose limits are set, and its marks."""
    steps = {"drawstyle": "steps-post"} if stairs else {}
    axes.plot(points["x"], points["y"], color=sign.colour, **style, **steps)
    for which, filling in ((~hollow, sign.colour), (hollow, "white")) if marked else ():
        if which.any():
            marks = {"markerfacecolor": filling, "zorder": style.get("zorder")}
            at = points["x"][which], points["y"][which]
            axes.plot(*at, sign.marker, color=sign.colour, markersize=3.5, **marks)
    if band and points["low"].notna().any():
        foot, top = axes.get_ylim()
        low, high = points["low"].replace(-np.inf, foot), points["high"].replace(np.inf, top)
        if axes.get_yscale() == "log":  # an interval from 0 or below goes down to the foot
            low = low.where(~(low <= 0), foot)
        shade = {"color": sign.colour, "alpha": 0.18, "linewidth": 0}
        axes.fill_between(points["x"], low, high, step="post" if stairs else None, **shade)


def _make_room(axes, places, letters, left):
    """Leave room for names beside the lines, more at the left, where they meet the axis."""
    scale = axes.xaxis.get_transform()
    first, last = scale.transform(np.array(places, dtype=float))
    room = ((last - first) or 1.0) * (0.04 + 0.013 * letters) * (1.7 if left else 1)
    ends = scale.inverted().transform(np.array([first - room * left, last + room * (not left)]))
    axes.set_xlim(*ends)
    axes.spines["bottom"].set_bounds(*places)


def _meet_at_the_right(cells, kind):
    """Whether lines meet in all panels at their last places, but not at the first."""
    spreads = [[0.0, 0.0]]
    for here in cells:
        ends = here.dropna(subset="y").groupby("line")["y"].agg(["first", "last"])
        if len(ends):
            spreads.append(np.ptp(np.log(ends) if kind == "log" else ends, axis=0))
    first, last = np.max(spreads, axis=0)
    return bool(last < 0.1 * first)
