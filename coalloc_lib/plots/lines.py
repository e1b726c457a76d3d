"""Lines with their bands: over a number, on a scale of factors, beside levels, alone in a grid."""

from collections.abc import Collection, Mapping
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.plots import style as canvas
from coalloc_lib.plots.signs import STANDARD, Sign
from coalloc_lib.plots.tables import looks, refuse, tidy

#: Letters of names that fit beside the lines of panels in a row; longer ones make rows of two.
WIDE = 40
#: With more points than this a line has no marks.
MARKED = 20
#: Letters that the headings of a row have room for.
HEADING = 80
#: Height of a row of a grid, and the least of all, for what stands beside them, in inches.
ROW, LEAST = 1.15, 1.9


def lines(
    table: pd.DataFrame, *, x: str, y: str, line: str | None = None, panel: str | None = None,
    row: str | None = None, xlabel: str = "", ylabel: str = "",
    scales: Mapping[str, tuple[str, str]] | tuple[str, str] = ("linear", "linear"),
    factors: bool = False, level: tuple[str, float] | None = None,
    levels: Mapping[str, float] | None = None, printed: pd.DataFrame | None = None,
    names: str = "ends", look: Mapping[str, Sign] | None = None,
    bold: Collection[str] | None = None, dashed: Collection[str] = (),
    bare: Collection[str] = (), stairs: bool = False, whole: bool = False, title: str = "",
    subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw lines with their 95 % bands; points in doubt are hollow.

    Parameters
    ----------
    table : DataFrame
        One row a point; without `y`, or off a logarithmic axis, it is left out. `x`, `y`, `line`,
        `panel` and, for a grid of small panels, `row` name its columns.
    scales, names : (str, str) or dict of them, {"ends", "legend"}
        Of the axes, ``"linear"`` or ``"log"``, or by panel; where the names of lines stand.
    factors, stairs, whole : bool
        `y` is a factor, on an axis around 1, or a cross; lines are steps; all bands have room.
    level, levels : (str, float), dict of float, optional
        Dashed lines: one that the subtitle names, and some with their words in the first panel.
    printed : DataFrame, optional
        What a paper prints, in the same columns: open diamonds, at the foot where there is no `y`.
        With `factors`, `y` is 1 where the column is missing; without `panel` all panels have it.
    look, bold, dashed, bare : dict of Sign, collections of str
        Signs by line; lines that stand out from grey ones; that are dashed; that have no band.
    """
    labels, numbers = {"line": line, "panel": panel, "row": row}, {"x": x, "y": y}
    points = tidy(table, labels, numbers, gaps=["y"])
    if factors:
        refuse(points["y"] <= 0, table, y, "a factor is above 0, leave the row out")
    elif not np.isfinite(points["y"]).any():
        raise InputError(f"column {y!r} has no finite number; give one or more")
    every, panels, rows = (list(points[name].unique()) for name in labels)
    points = points.sort_values("x", kind="stable")
    if line is None:
        look = {"": STANDARD, **(look or {})}
    elif bold is not None:
        grey = Sign(canvas.GREY, STANDARD.marker)
        look = {n: STANDARD if n in bold else grey for n in every} | dict(look or {})
    look = looks(every, look)
    theirs = _printed(printed, points, labels, numbers, factors)
    kinds = {p: scales[p] if isinstance(scales, Mapping) else scales for p in panels}
    for kind in kinds.values():
        for name, scale in zip("xy", kind, strict=True):
            one_of(f"scale of {name}", scale, ("linear", "log"))
    if factors:
        kinds = {p: (across, "log") for p, (across, _) in kinds.items()}
    ends = one_of("names", names, ("ends", "legend")) == "ends"
    shared = (ends or factors) and not isinstance(scales, Mapping)
    cells = {
        (r, p): _shown(points[(points["row"] == r) & (points["panel"] == p)], kinds[p], factors)
        for r in rows
        for p in panels
    }
    letters = max(map(len, every)) if ends else 0
    columns = 2 if row is None and len(panels) > 2 and letters * len(panels) > WIDE else len(panels)
    down = -(-len(cells) // columns)
    height = max(ROW * down, LEAST) + 0.5 if row else 3.2 if down == 1 else 2.2 * down
    figure, grid = canvas.new_figure(
        height, down, columns, sharex=shared, sharey=shared, squeeze=False
    )
    for spare in grid.ravel()[len(cells) :]:
        spare.remove()
    heights = [*([level[1]] if level else []), *(levels or {}).values(), *[1.0] * factors]
    left = ends and _meet_at_the_right(cells.values(), kinds[panels[0]][1])
    for axes, ((_, p), here) in zip(grid.flat, cells.items(), strict=False):
        alike = pd.concat(cells.values()) if shared else here
        paper = theirs[theirs["panel"] == p]
        axes.set(xscale=kinds[p][0], yscale=kinds[p][1])
        seen = [*heights, *(theirs if shared else paper)["y"].dropna()]
        axes.set_ylim(*_limits(alike, seen, kinds[p][1], factors, whole, bool(levels)))
        places = alike["x"].min() * (not levels), alike["x"].max()
        for at in dict.fromkeys(heights):
            axes.plot(places, [at] * 2, color="black", linestyle="--", linewidth=1, zorder=1.5)
        for i, name in enumerate(every):
            one = here[here["line"] == name]
            known = one[np.isfinite(one["y"])]
            draw_line(
                axes, known, look[name], known["warning"] != "", band=name not in bare,
                marked=len(known) <= MARKED, stairs=stairs,
                linewidth=1.4 if bold is None else 2.2 if name in bold else 1.1,
                linestyle="--" if name in dashed else "-",
                # The first line, which a figure is about, lies on top of the others.
                zorder=3 - 0.5 * i / len(every),
            )  # fmt: skip
            if len(known) < len(one):  # an empty line would count as a point in a corner
                gone = one["x"][one["y"].isna()]
                tops = [axes.get_ylim()[1]] * len(gone)
                axes.plot(gone, tops, "x", color=look[name].colour, markersize=5, clip_on=False)
        for mark in paper.itertuples():
            at = axes.get_ylim()[0] if np.isnan(mark.y) else mark.y
            over = {"color": look[mark.line].colour, "zorder": 5, "clip_on": False}
            axes.plot(mark.x, at, **canvas.PRINTED | over)
        _mark(axes, places, kinds[p], factors, ends)
        if ends and row is None:
            _make_room(axes, places, letters * columns, left)
    figure.supxlabel(xlabel, fontsize=9)
    for axes, p in zip(grid.flat, panels, strict=False):
        canvas.head(axes, fill(p, HEADING // columns))
    if row:
        figure.supylabel(ylabel, fontsize=9)
    for axes, words in zip(grid[:, 0], rows if row else [ylabel] * down, strict=True):
        axes.set_ylabel(fill(words, 12) if row else words)
    first = next(iter(cells.values()))["x"]
    at_left = first.min() > 0  # names of levels stand where no line begins
    style = {"textcoords": "offset points", "fontsize": 7.5, "color": canvas.GREY}
    near = 0.06 * np.ptp(grid.flat[0].get_ylim())
    for words, at in (levels or {}).items():  # below its line where another one is just above
        close = any(0 < other - at < near for other in (levels or {}).values())
        place, side = ((0, at), "left") if at_left else ((first.max(), at), "right")
        grid.flat[0].annotate(
            words, place, (3 if at_left else -3, -8 if close else 2), ha=side, **style
        )
    if not ends and len(every) > 1:
        canvas.name_signs(grid[0, -1], look, every, dashed)
    notes = [f"dashed: {level[0]}" if level else "", canvas.DIAMONDS * bool(len(theirs))]
    canvas.title_figure(
        figure, title, subtitle, *notes, "hollow: in doubt" * any(points["warning"])
    )
    for axes, here in zip(grid.flat, cells.values() if ends and not row else (), strict=False):
        ends_of = here.groupby("line", sort=False).agg("first" if left else "last")
        ends_of = ends_of.dropna(subset="y")
        tips = zip(ends_of["x"], ends_of["y"].clip(*axes.get_ylim()), ends_of.index, strict=True)
        canvas.name_lines(axes, [(at, y, n, look[n].colour) for at, y, n in tips if n], left=left)
    return figure


def _printed(printed, points, labels, numbers, factors):
    """Return the points that a paper prints."""
    if printed is None or printed.empty:
        return points[:0]
    there = {name: column if column in printed else None for name, column in labels.items()}
    if factors and numbers["y"] not in printed:
        printed = printed.assign(**{numbers["y"]: 1.0})
    marks = tidy(printed, there, numbers, gaps=["y"])
    if there["panel"] is None:
        marks = marks.drop(columns="panel").merge(points[["line", "panel"]].drop_duplicates())
    return marks[marks["line"].isin(points["line"])]


def _shown(points, kinds, factors):
    """Return the points that the axes can show."""
    for name, kind in zip("xy", kinds, strict=True):
        if kind == "log":
            points = points[~(points[name] <= 0)]
    points = points.assign(y=points["y"].where(np.isfinite(points["y"])))
    return points if factors else points.dropna(subset="y")


def _limits(points, seen, kind, factors, whole, near):
    """Return the ends of a vertical axis, for all estimates, and for all bands if it is `whole`."""
    values = np.concatenate([points["y"], seen, *[points["low"], points["high"]] * whole])
    values = values[np.isfinite(values) & ((kind == "linear") | (values > 0))]
    low, high = (values.min(), values.max()) if len(values) else (0.5, 1.0)
    if factors:
        return max(low / 1.1, canvas.FACTORS[0]), min(high * 1.1, canvas.FACTORS[-1])
    if kind == "log":
        return low / 1.4, high * 1.4
    if near:
        return low - 0.05 * (high - low), high + 0.1 * (high - low)
    return min(0.0, 1.05 * low), max(0.0, 1.05 * high) or float(low == 0)


def draw_line(
    axes: Axes, points: pd.DataFrame, sign: Sign, hollow: pd.Series, *, band: bool = True,
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


def _mark(axes, places, kinds, factors, ends):
    """Mark both axes by round numbers, where lines are named none outside of the lines."""
    if kinds[0] == "log":
        canvas.mark_powers(axes.xaxis)
    elif ends:
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    slack = 1e-9 * (places[1] - places[0])  # 0.1 + 0.2 is more than 0.3
    for minor in (False, True) if ends else ():
        locator = axes.xaxis.get_minor_locator() if minor else axes.xaxis.get_major_locator()
        ticks = np.array(locator.tick_values(*places))
        there = (places[0] - slack <= ticks) & (ticks <= places[1] + slack)
        axes.set_xticks(ticks[there], minor=minor)
    if factors:
        canvas.mark_factors(axes.yaxis)
    elif kinds[1] == "log":
        canvas.mark_powers(axes.yaxis)


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
