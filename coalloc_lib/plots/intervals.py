"""Numbers with their intervals in rows, several a row, beside what a paper prints."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coalloc_lib.plots import style as canvas
from coalloc_lib.plots.signs import STANDARD, MarkerStyle, signs
from coalloc_lib.plots.tables import looks, tidy

#: The part of a row that its series take.
TAKEN = 0.7


def intervals(
    table: pd.DataFrame, *, x: str, row: str, series: str | None = None, panel: str | None = None,
    xlabel: str = "", span: tuple[float, float] | None = None, printed: str | None = None,
    log: bool = False, factors: bool = False, band: tuple[float, float] | None = None,
    hollow: tuple[str, str] | None = None, beyond: str = "", words: str | None = None,
    look: Mapping[str, MarkerStyle] | None = None, row_height: float = 0.42,
    before: str | None = None,
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw intervals in rows; one that is open at an end runs to the edge, with an arrow.

    Parameters
    ----------
    table : DataFrame
        One row an interval, dotted where it is in doubt; `x`, `row`, `series`, `panel`, `printed`
        (what a paper prints, open diamonds) and `words` (written beside) name its columns.
    span, log, factors : (float, float), bool, optional
        Ends of the horizontal axis, if not to fit; if it is logarithmic; if so, with a line at 1.
    band : (float, float), optional
        What a paper prints, with its rounding, in place of `printed`: grey over all rows. The marks
        then have the sign of their panel.
    hollow, beyond : (str, str), str, optional
        The column that says which marks are hollow, and what that means; what arrows mean.
    look, row_height : dict of MarkerStyle, float
        Signs by series; inches.
    before : str, optional
        The column that has where a mark was in the picture before this one: a pale ring.
    """
    labels = {"row": row, "series": series, "panel": panel, "words": words}
    numbers = {"x": x} | ({"printed": printed} if printed else {})
    numbers |= {"hollow": hollow[0]} if hollow else {}
    numbers |= {"before": before} if before else {}
    points = tidy(table, labels, numbers, gaps=["x", "printed", "before"])
    points = points.reindex(columns=[*points, *({"printed", "hollow", "before"} - {*points})])
    points["printed"] = np.mean(band) if band else points["printed"]
    rows, names, panels = (list(points[each].unique()) for each in ("row", "series", "panel"))
    look = {"": STANDARD} | looks(filter(None, names), look)
    look = {each: signs([each])[each] for each in panels} if band else look
    log = log or factors
    span = _fitted(points, log, band) if span is None else span
    size = 0.9 + row_height * len(rows), 1, len(panels)
    figure, (line,) = canvas.new_figure(*size, sharey=True, squeeze=False)
    for axes, heading in zip(line, panels, strict=True):
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        if log:
            axes.set_xscale("log")
        if factors:
            axes.axvline(1, color="black", linestyle="--", linewidth=0.8, zorder=0)
        if band:
            axes.axvspan(*band, color="0.9", zorder=-1)
            axes.tick_params(axis="x", labelsize=7.5)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.xaxis.set_major_formatter(lambda at, _: f"{at:+g}" if at else "0")
        axes.set_xlim(*span)
        if log:
            canvas.mark_factors(axes.xaxis, few=len(panels) > 2 or span[1] > 3 * span[0])
        for i, label in enumerate(rows):
            axes.axhspan(i - 0.5, i + 0.5, color="0.96" if i % 2 else "white", zorder=-2)
            here = points[(points["panel"] == heading) & (points["row"] == label)]
            beside = list(here["series"].unique()) if band else names
            for one in here.itertuples():
                at = i + TAKEN * ((beside.index(one.series) + 0.5) / len(beside) - 0.5)
                sign = look[heading if band else one.series]
                ring = {"color": sign.colour, "markerfacecolor": "none", "alpha": 0.5}
                axes.plot(np.clip(one.before, *span), at, "o", markersize=9, **ring)
                _draw(axes, one, at, sign, span)
                if not np.isnan(one.printed):
                    its = {} if band else {"color": sign.colour, "markersize": 5}
                    axes.plot(one.printed, i if band else at, **canvas.PRINTED | its)
        canvas.head(axes, heading, look[heading].colour if band else "black")
    figure.supxlabel(xlabel, fontsize=9)
    line[0].set_yticks(range(len(rows)), rows)
    line[0].set_ylim(len(rows) - 0.5, -0.5)
    if len(names) > 1 and not band:
        canvas.name_signs(line[-1], look, names)
    open_ends = (points["low"] < span[0]) | (points["high"] > span[1])
    canvas.title_figure(
        figure, title, subtitle, canvas.DIAMONDS * bool(points["printed"].notna().any()),
        f"hollow: {hollow[1]}" if hollow and (points["hollow"] > 0).any() else "",
        "dotted: in doubt" * any(points["warning"]), beyond * bool(open_ends.any()),
    )  # fmt: skip
    return figure


def _fitted(points, factors, band):
    """Return the ends of an axis for all that is known; of factors, not for very long intervals."""
    known = np.concatenate([points["x"], points["printed"], band or ()])
    every = np.concatenate([known, points["low"], points["high"]])
    known, every = (
        each[np.isfinite(each) & ((each > 0) | (not factors))] for each in (known, every)
    )
    low, high = (every.min(), every.max()) if len(every) else (0.5, 2.0)
    if factors and len(known):
        low, high = max(low, known.min() / 1.5), min(high, known.max() * 1.5)
    room = 0.05 * (high - low) or 0.5
    return (low / 1.05, high * 1.05) if factors else (low - room, high + room)


def _draw(axes, one, at, sign, span):
    """Draw an interval with its mark, what is printed, its words, and arrows at open ends."""
    ends = np.clip([one.low, one.high], *span)
    axes.plot(ends, [at, at], ":" if one.warning else "-", color=sign.colour, linewidth=1.6)
    if span[0] <= one.x <= span[1]:
        filling = {"markerfacecolor": "white" if one.hollow > 0 else sign.colour}
        axes.plot(one.x, at, sign.marker, color=sign.colour, markersize=4.5, **filling)
    beyond = one.low < span[0], one.high > span[1]
    for edge, marker, goes_on in zip(span, "<>", beyond, strict=True):
        if goes_on:
            axes.plot(edge, at, marker=marker, color=sign.colour, markersize=5, clip_on=False)
    if one.words:  # on the side that has more room
        low, high = np.clip([one.x, one.x], *span) if np.isnan(one.low) else ends
        scale = axes.transScale + axes.transLimits
        (before, _), (behind, _) = scale.transform([(low, at), (high, at)])
        right = before < 1 - behind
        axes.annotate(
            one.words, (high if right else low, at), xytext=(4 if right else -4, 0),
            textcoords="offset points", ha="left" if right else "right", va="center", fontsize=7.5,
        )  # fmt: skip
