"""How line charts are drawn: the points of their panels, and the steps of drawing.

The functions of `coalloc_lib.plots.lines` use these classes.
"""

from collections.abc import Iterable, Mapping
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, finite, instance_of, one_of, shown
from coalloc_lib.plots.line_style import LineStyle, draw_line, move_right, with_texts
from coalloc_lib.plots.signs import STANDARD, MarkerStyle
from coalloc_lib.plots.style import (
    DIAMONDS,
    FACTORS,
    GREY,
    PRINTED,
    can_show,
    head,
    mark_factors,
    mark_powers,
    name_lines,
    name_signs,
    new_figure,
    remove_spare,
    title_figure,
)
from coalloc_lib.plots.tables import (
    ABOVE_0,
    label_text,
    looks,
    reject_first,
    tidy,
)

#: The panels are drawn in rows of two if the number of panels, multiplied by the number of letters
#: in the longest line name, exceeds this limit.
WIDE = 40
#: The maximum number of points of a line that is drawn with markers.
MARKED = 20
#: The maximum total number of letters in the headings of one row of panels, if each heading has a
#: single line.
HEADING = 80
#: The width of a letter in the name of a line, as a fraction of an axis that fills the figure.
NAME_LETTER = 0.013
#: The height of one row of panels in a grid, and the minimum height of a whole grid, in inches.
ROW, LEAST = 1.15, 1.9


#: The scales of the horizontal and the vertical axis, each ``"linear"`` or ``"log"``: one pair for
#: all panels, which then have the same axes, or a dict from panel names to pairs.
Scales = Mapping[str, tuple[str, str]] | tuple[str, str]
Look = Mapping[str, MarkerStyle]
#: The type for the two ends of an axis or of a line.
Ends = tuple[float, float]


class Chart:
    """A line chart with one or more panels: its points, and the methods that draw it.

    A *cell* is a panel in one row of a grid. Without a grid there is a single row.
    """

    def __init__(
        self,
        table: pd.DataFrame,
        labels: dict[str, str | None],
        numbers: dict[str, str],
        scales: Scales,
        names: str,
        look: Look | None,
        style: LineStyle | None,
        levels: Mapping[str, float],
    ) -> None:
        self.labels, self.numbers, self.levels = labels, numbers, dict(levels)
        style = LineStyle() if style is None else style
        example = "one, such as plots.LineStyle(dashed=['FCFS'])"
        self.style = with_texts(instance_of("style", style, LineStyle, example))
        # A line that has two points at one place is mostly two lines with the same label.
        place = () if self.style.stairs else (*labels, "x")
        points = tidy(table, labels, numbers, gaps=["y"], unique=place)
        self._check(points, table)
        self.names_at_ends = one_of("names", names, ("ends", "legend")) == "ends"
        self.in_grid = labels["row"] is not None
        self.shares_axes = self._has_shared_axes(scales)
        self.points = points.sort_values("x", kind="stable")
        self.names, self.panels, self.rows = (list(points[label].unique()) for label in labels)
        self.scales = self._scales_of_panels(scales)
        self.cells = self._points_of_cells()
        self.shown = pd.concat(self.cells.values())
        self._check_shown()
        self._check_levels()
        self.look = self._signs(look)
        # The room for the names of the lines.
        self.letters = max(map(len, self.names)) if self.names_at_ends else 0
        self.farthest_shift = max(self.style.shifts(len(self.names)))
        self.names_at_left = self.names_at_ends and _meet_at_the_right(
            (points, self.scales[panel][1]) for (_, panel), points in self.cells.items()
        )

    # --- Methods that the subclasses override ---

    def _check(self, points: pd.DataFrame, table: pd.DataFrame) -> None:
        if not np.isfinite(points["y"]).any():
            raise InputError(f"column {self.numbers['y']!r} has no finite number; give one or more")
        mend = "a cross at the top would show it as a large value, leave the row out"
        reject_first(points["y"] == -np.inf, table, self.numbers["y"], mend)

    def _check_shown(self) -> None:
        if self.shown["y"].isna().all():
            raise InputError(
                f"no row has both {self.numbers['x']!r} and {self.numbers['y']!r} above 0; give "
                "such a row, because a logarithmic axis shows no other"
            )

    def _has_shared_axes(self, scales: Scales) -> bool:
        return not isinstance(scales, Mapping)

    def _shown(self, points: pd.DataFrame, scales: tuple[str, str]) -> pd.DataFrame:
        # A missing value is left out. An infinite one stays, and interrupts its line.
        return _on_axes(points.dropna(subset="y"), scales)

    def _limits(self, values: NDArray[np.float64], scale: str) -> Ends:
        low, high = _ends_of(values, scale)
        if scale == "log":
            return low / 1.4, high * 1.4
        return min(0.0, 1.05 * low), max(0.0, 1.05 * high) or float(low == 0)

    def _set_y_ticks(self, axes: Axes, scale: str) -> None:
        if scale == "log":
            mark_powers(axes.yaxis)

    def _printed_points(self, printed: pd.DataFrame | None) -> pd.DataFrame:
        if printed is None or printed.empty:
            return self.points[:0]
        labels = dict(self.labels)
        for name in ("panel", "row"):
            if labels[name] not in printed:
                labels[name] = None
        marks = tidy(printed, labels, self.numbers, gaps=["y"], called="printed")
        marks = marks.reset_index(names="place")
        reject_first(np.isinf(marks["y"]), printed, self.numbers["y"])
        everywhere = [name for name in ("panel", "row") if labels[name] is None]
        if everywhere:
            places = self.points[["line", *everywhere]].drop_duplicates()
            marks = marks.drop(columns=everywhere).merge(places)
        for name, names in (("line", self.names), ("panel", self.panels), ("row", self.rows)):
            marks = marks[marks[name].isin(names)]
        self._reject_unshown(marks, printed)
        return marks

    def _reject_unshown(self, marks: pd.DataFrame, printed: pd.DataFrame) -> None:
        for at, (name, column) in enumerate(self.numbers.items()):
            is_log = [panel for panel in self.panels if self.scales[panel][at] == "log"]
            is_wrong = marks["panel"].isin(is_log) & (marks[name] <= 0)
            wrong = np.isin(np.arange(len(printed)), marks["place"][is_wrong])
            reject_first(wrong, printed, column, ABOVE_0)

    def _extent_of_levels(self, places: pd.Series) -> Ends:
        return places.min(), places.max()

    def _notes_on_levels(self, printed: pd.DataFrame) -> list[str]:
        return [f"dashed: {name}" for name in self.levels]

    def _name_levels(self, panels: Iterable[Axes]) -> None:
        """Write nothing, because the subtitle explains the dashed lines."""

    # --- The points and their styles ---

    def _scales_of_panels(self, scales: Scales) -> dict[str, tuple[str, str]]:
        if isinstance(scales, Mapping):
            scales = {label_text(panel): pair for panel, pair in scales.items()}
        for panel in self.panels if isinstance(scales, Mapping) else ():
            if panel not in scales:
                raise InputError(
                    f"scales has no entry for the panel {panel!r}; give the scales of its two axes"
                )
        by_panel = {p: scales[p] if isinstance(scales, Mapping) else scales for p in self.panels}
        for pair in by_panel.values():
            if isinstance(pair, str) or len(pair) != 2:
                raise InputError(
                    f"scales = {shown(pair)}; give the scales of x and of y, such as "
                    "('linear', 'log')"
                )
            for name, scale in zip("xy", pair, strict=True):
                one_of(f"scale of {name}", scale, ("linear", "log"))
        return by_panel

    def _check_levels(self) -> None:
        is_log = any(scale == "log" for _, scale in self.scales.values())
        for name, level in self.levels.items():
            if finite(f"level {name!r}", level) <= 0 and is_log:
                raise InputError(
                    f"level {name!r} = {shown(level)}; give a level above 0, because the axis is "
                    "logarithmic"
                )

    def _points_of_cells(self) -> dict[tuple[str, str], pd.DataFrame]:
        return {
            (row, panel): self._shown(_points_of(self.points, row, panel), self.scales[panel])
            for row in self.rows
            for panel in self.panels
        }

    def _signs(self, look: Look | None) -> dict[str, MarkerStyle]:
        standard = {"": STANDARD} if self.labels["line"] is None else {}
        return looks(self.names, standard | dict(look or {}))

    # --- The steps of drawing ---

    def draw(
        self, xlabel: str, ylabel: str, printed: pd.DataFrame | None, title: str, subtitle: str
    ) -> Figure:
        """Draw the whole chart, and return it as a figure."""
        marks = self._printed_points(printed)
        figure, grid = self._new_figure()
        for axes, cell in zip(grid.flat, self.cells, strict=False):
            self._draw_cell(axes, cell, marks)
        self._label_axes(figure, grid, xlabel, ylabel)
        self._name_levels(grid.flat)
        # In a grid, there is no room for names at the ends of the lines.
        if (self.in_grid or not self.names_at_ends) and len(self.names) > 1:
            name_signs(grid[0, -1], self._look_in_legend(), self.names, self.style.dashed)
        notes = self._notes_on_levels(marks)
        notes += [DIAMONDS] if len(marks) else []
        notes += ["hollow: in doubt"] if any(self.points["warning"]) else []
        is_cut = any(points["y"].isna().any() for points in self.cells.values())
        notes += ["×: no finite value"] if is_cut else []
        title_figure(figure, title, subtitle, *notes)
        if self.names_at_ends and not self.in_grid:
            for axes, points in zip(grid.flat, self.cells.values(), strict=False):
                self._name_lines(axes, points)
        return figure

    def _look_in_legend(self) -> dict[str, MarkerStyle]:
        # A line of many points is drawn without markers, so the legend shows none, either.
        drawn = self.shown[self.shown["y"].notna()]
        longest = drawn.groupby(["row", "panel", "line"]).size().groupby("line").max()
        return {
            name: sign if longest.get(name, 0) <= MARKED else sign._replace(marker="")
            for name, sign in self.look.items()
        }

    def _new_figure(self) -> tuple[Figure, Any]:
        across = len(self.panels)
        names_are_wide = self.letters * across > WIDE
        if not self.in_grid and across > 2 and names_are_wide:
            across = 2
        down = -(-len(self.cells) // across)
        height = 2.8 if down == 1 else 2.2 * down
        if self.in_grid:
            height = max(ROW * down, LEAST) + 0.5
        height = height if self.style.height is None else self.style.height
        shared = self.shares_axes
        figure, grid = new_figure(height, down, across, sharex=shared, sharey=shared, squeeze=False)
        remove_spare(grid, len(self.cells))
        return figure, grid

    def _draw_cell(self, axes: Axes, cell: tuple[str, str], printed: pd.DataFrame) -> None:
        points, scales, marks = self.cells[cell], self.scales[cell[1]], _points_of(printed, *cell)
        alike, marks_alike = (self.shown, printed) if self.shares_axes else (points, marks)
        self._set_y_axis(axes, alike, marks_alike, scales)
        self._set_y_ticks(axes, scales[1])
        places = pd.concat([alike["x"], marks_alike["x"]])
        if places.empty:  # A cell without any point has no ends.
            return
        ends = self._extent_of_levels(places)
        self._draw_levels(axes, ends)
        shifts = self.style.shifts(len(self.names))
        for number, name in enumerate(self.names):
            # The first line is the main subject of the figure, so it is drawn on top of the other
            # lines.
            zorder = 3 - 0.5 * number / len(self.names)
            self._draw_one(axes, points[points["line"] == name], name, zorder, shifts[number])
        for mark in marks.itertuples():
            self._draw_printed(axes, mark)
        self._set_x_ticks(axes, ends, scales[0])
        # A letter is about five points wide. The widths are in letters of the whole figure.
        across = axes.get_gridspec().ncols
        beside = (self.farthest_shift + 2) / 5 * across if self.style.bars else 0.0
        if self.names_at_ends and not self.in_grid:
            letters = (self.letters + self.farthest_shift / 5) * across
            _make_room(axes, ends, letters, self.names_at_left, beside)
        elif beside:
            axes.margins(x=max(axes.margins()[0], NAME_LETTER * beside))

    def _draw_levels(self, axes: Axes, ends: Ends) -> None:
        style: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1, "zorder": 1.5}
        for at in dict.fromkeys(self.levels.values()):
            if ends[0] < ends[1]:
                axes.plot(ends, [at] * 2, **style)
            else:  # If all points are at one place, the line crosses the whole panel.
                axes.axhline(at, **style)

    def _set_y_axis(
        self, axes: Axes, points: pd.DataFrame, printed: pd.DataFrame, scales: tuple[str, str]
    ) -> None:
        values = [points["y"], [*self.levels.values()], printed["y"].dropna()]
        if self.style.whole_bands:
            values += [points["low"], points["high"]]
        axes.set(xscale=scales[0], yscale=scales[1])
        axes.set_ylim(*self._limits(np.concatenate(values), scales[1]))

    def _draw_one(
        self, axes: Axes, points: pd.DataFrame, name: str, zorder: float, shift: float
    ) -> None:
        sign = self.look[name]
        is_finite = np.isfinite(points["y"].to_numpy())
        finite = points[is_finite]
        # Between its finite ends, a line is interrupted where a value is not finite.
        has_begun = np.logical_or.accumulate(is_finite)
        goes_on = np.logical_or.accumulate(is_finite[::-1])[::-1]
        line = points[has_begun & goes_on]
        draw_line(
            axes,
            line,
            sign,
            line["warning"] != "",
            band=name not in self.style.bare,
            bars=self.style.bars,
            shift=shift,
            marked=len(finite) <= MARKED,
            stairs=self.style.stairs,
            linewidth=1.4,
            linestyle="--" if name in self.style.dashed else "-",
            zorder=zorder,
        )
        # A point without a finite value becomes a cross at the top of the panel.
        if len(finite) < len(points):  # Matplotlib would count an empty plot as a point at (0, 0).
            gone = points["x"][points["y"].isna()]
            tops = [axes.get_ylim()[1]] * len(gone)
            crosses = axes.plot(gone, tops, "x", color=sign.colour, markersize=5, clip_on=False)
            move_right(axes, crosses, shift)

    def _draw_printed(self, axes: Axes, mark: Any) -> None:
        foot, top = axes.get_ylim()
        style = PRINTED | {"color": self.look[mark.line].colour, "zorder": 5, "clip_on": False}
        at = foot if np.isnan(mark.y) else np.clip(mark.y, foot, top)
        if mark.y < foot or mark.y > top:
            style["marker"] = "v" if mark.y < foot else "^"
        axes.plot(mark.x, at, **style)

    def _set_x_ticks(self, axes: Axes, ends: Ends, scale: str) -> None:
        if scale == "log":
            mark_powers(axes.xaxis, ends)
        elif (self.shown["x"] % 1 == 0).all():  # such as the numbers of weeks or clusters
            most = 7 if self.names_at_ends else "auto"
            axes.xaxis.set_major_locator(MaxNLocator(most, integer=True, steps=[1, 2, 5, 10]))
        elif self.names_at_ends:
            axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        # No ticks are drawn where the names of the lines are written.
        slack = 1e-9 * (ends[1] - ends[0])  # A tick at 0.1 + 0.2 lies beyond 0.3.
        for minor in (False, True) if self.names_at_ends else ():
            locator = axes.xaxis.get_minor_locator() if minor else axes.xaxis.get_major_locator()
            ticks = np.array(locator.tick_values(*ends))
            is_inside = (ends[0] - slack <= ticks) & (ticks <= ends[1] + slack)
            axes.set_xticks(ticks[is_inside], minor=minor)

    def _label_axes(self, figure: Figure, grid: Any, xlabel: str, ylabel: str) -> None:
        down, across = grid.shape
        figure.supxlabel(xlabel, fontsize=9)
        for axes, panel in zip(grid.flat, self.panels, strict=False):
            head(axes, fill(panel, HEADING // across))
        has_rows = self.in_grid and len(self.rows) > 1
        if has_rows:
            figure.supylabel(ylabel, fontsize=9)
        beside = [fill(row, 12) for row in self.rows] if has_rows else [ylabel] * down
        for axes, words in zip(grid[:, 0], beside, strict=True):
            axes.set_ylabel(words)

    def _name_lines(self, axes: Axes, points: pd.DataFrame) -> None:
        left = self.names_at_left
        # A line without a finite value is named at the top, beside its last cross.
        has_value = points.groupby("line")["y"].transform("count") > 0
        points = points.assign(y=points["y"].where(has_value, axes.get_ylim()[1]))
        ends = _ends_of_lines(points).xs("first" if left else "last", axis="columns", level=1)
        heights = ends["y"].clip(*axes.get_ylim())
        tips = [
            (at, height, name, self.look[name].colour)
            for at, height, name in zip(ends["x"], heights, ends.index, strict=True)
            if name
        ]
        name_lines(axes, tips, left=left, gap=6.0 + self.farthest_shift)


class FactorChart(Chart):
    """A line chart of factors around 1, on an axis from at least 1/4 to at most 4.

    Factors beyond the axis are drawn as arrows at its end, and infinite factors as crosses. Printed
    factors beyond the axis are open arrows.
    """

    def _check(self, points: pd.DataFrame, table: pd.DataFrame) -> None:
        column = self.numbers["y"]
        reject_first(points["y"] <= 0, table, column, "a factor is above 0, leave the row out")

    def _check_shown(self) -> None:
        """Accept any table, because a factor that is not finite is a cross at the top."""

    def _has_shared_axes(self, scales: Scales) -> bool:
        # Readers compare the factors of different panels.
        return True

    def _shown(self, points: pd.DataFrame, scales: tuple[str, str]) -> pd.DataFrame:
        return _on_axes(points, scales)

    def _limits(self, values: NDArray[np.float64], scale: str) -> Ends:
        low, high = _ends_of(values, scale)
        # Factors that are all close to 1 have a short axis, so that their lines do not coincide.
        room = float(np.clip(high / low, 1.02, 1.1))
        return max(low / room, FACTORS[0]), min(high * room, FACTORS[-1])

    def _draw_one(
        self, axes: Axes, points: pd.DataFrame, name: str, zorder: float, shift: float
    ) -> None:
        super()._draw_one(axes, points, name, zorder, shift)
        low, high = axes.get_ylim()
        beyond = (points["y"] < low, low, "v"), (points["y"] > high, high, "^")
        for is_beyond, end, marker in beyond:
            at = points["x"][is_beyond]
            if len(at):
                style = {"color": self.look[name].colour, "markersize": 5, "clip_on": False}
                move_right(axes, axes.plot(at, [end] * len(at), marker, **style), shift)

    def _notes_on_levels(self, printed: pd.DataFrame) -> list[str]:
        factors = self.points["y"][np.isfinite(self.points["y"])]
        factors = pd.concat([factors, printed["y"].dropna()])
        goes_on = not factors.between(FACTORS[0], FACTORS[-1]).all()
        return super()._notes_on_levels(printed) + ["arrow: beyond the axis"] * goes_on

    def _set_y_ticks(self, axes: Axes, scale: str) -> None:
        mark_factors(axes.yaxis)

    def _printed_points(self, printed: pd.DataFrame | None) -> pd.DataFrame:
        column = self.numbers["y"]
        if printed is not None and column not in printed:
            printed = printed.assign(**{column: 1.0})
        return super()._printed_points(printed)


class LevelChart(Chart):
    """A line chart with dashed horizontal lines, labelled in the panel with the fewest points."""

    def _limits(self, values: NDArray[np.float64], scale: str) -> Ends:
        low, high = _ends_of(values, scale)
        length = (high - low) or 1.0
        return low - 0.05 * length, high + 0.1 * length

    def _extent_of_levels(self, places: pd.Series) -> Ends:
        first, last = super()._extent_of_levels(places)
        # The axis begins at 0, unless the data are narrower than their distance from 0.
        return (first if first > last - first else min(0.0, first)), last

    def _notes_on_levels(self, printed: pd.DataFrame) -> list[str]:
        # The dashed lines are labelled in the chart.
        return []

    def _name_levels(self, panels: Iterable[Axes]) -> None:
        counts = [points["y"].notna().sum() for points in self.cells.values()]
        emptiest = int(np.argmin(counts))
        axes, xs = [*panels][emptiest], [*self.cells.values()][emptiest]["x"]
        first, last = self._extent_of_levels(self.shown["x"])
        at_left = xs.min() > first or first == last
        near = 0.06 * np.ptp(axes.get_ylim())
        style = {"textcoords": "offset points", "fontsize": 7.5, "color": GREY}
        for name, at in self.levels.items():
            # If another dashed line is just above, the name is written below its own dashed line.
            is_below = any(0 < other - at < near for other in self.levels.values())
            place, side = ((first, at), "left") if at_left else ((last, at), "right")
            offset = (3 if at_left else -3, -9 if is_below else 3)
            axes.annotate(name, place, offset, ha=side, **style)


def _points_of(points: pd.DataFrame, row: str, panel: str) -> pd.DataFrame:
    return points[(points["row"] == row) & (points["panel"] == panel)]


def _on_axes(points, scales):
    for name, scale in zip("xy", scales, strict=True):
        points = points[can_show(points[name], scale) | ~np.isfinite(points[name])]
    # Infinite heights become NaN, so that these points stay in the table.
    return points.assign(y=points["y"].where(np.isfinite(points["y"])))


def _ends_of(values, scale):
    values = values[can_show(values, scale)]
    return (values.min(), values.max()) if len(values) else (0.5, 1.0)


def _make_room(axes, ends, letters, left, beside):
    scale = axes.xaxis.get_transform()
    first, last = scale.transform(np.array(ends, dtype=float))
    # Names on the left need more room, because the labels of the vertical axis are there too.
    length = (last - first) or 1.0
    room = length * (0.04 + NAME_LETTER * letters) * (1.7 if left else 1)
    # Lines that are drawn beside each other begin to the left of their first point.
    before = max(room * left, length * NAME_LETTER * beside)
    limits = scale.inverted().transform(np.array([first - before, last + room * (not left)]))
    axes.set_xlim(*limits)
    axes.spines["bottom"].set_bounds(*ends)


def _ends_of_lines(points):
    """Return the first and the last finite point of each line."""
    finite = points.dropna(subset="y")
    return finite.groupby("line", sort=False)[["x", "y"]].agg(["first", "last"])


def _meet_at_the_right(cells):
    spreads = [[0.0, 0.0]]
    for points, scale in cells:
        ends = _ends_of_lines(points)["y"]
        if len(ends):
            spreads.append(np.ptp(np.log(ends) if scale == "log" else ends, axis=0))
    first, last = np.max(spreads, axis=0)
    return bool(last < 0.1 * first)
