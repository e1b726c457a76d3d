"""Charts of confidence intervals in rows, beside the values that a paper prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coalloc_lib.plots import style as canvas
from coalloc_lib.plots.signs import STANDARD, MarkerStyle, signs
from coalloc_lib.plots.tables import looks, tidy

#: The share of the height of a row that its intervals take.
TAKEN = 0.7


@dataclass(frozen=True)
class _Look:
    """The settings that all panels of one figure share; see `intervals`."""

    rows: list[str]
    names: list[str]
    signs: Mapping[str, MarkerStyle]
    span: tuple[float, float]
    is_log: bool
    factors: bool
    band: tuple[float, float] | None
    panels: int

    def sign(self, panel: str, series: str) -> MarkerStyle:
        """Return the style of an interval in a panel and of a series.

        It is the style of the panel if there is a band, and otherwise that of the series.
        """
        return self.signs[panel if self.band else series]


def intervals(
    table: pd.DataFrame, *, x: str, row: str, series: str | None = None, panel: str | None = None,
    xlabel: str = "", span: tuple[float, float] | None = None, printed: str | None = None,
    log: bool = False, factors: bool = False, band: tuple[float, float] | None = None,
    hollow: tuple[str, str] | None = None, beyond: str = "", words: str | None = None,
    look: Mapping[str, MarkerStyle] | None = None, row_height: float = 0.42,
    before: str | None = None,
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw confidence intervals in rows.

    An interval with a warning is dotted. An interval that goes on beyond the axis has an arrow.

    Parameters
    ----------
    table : DataFrame
        One row for each interval, with its ends in ``ci95_low`` and ``ci95_high``.
    x, row : str
        The columns with the estimate, and with the row in which the interval is drawn.
    series, panel : str, optional
        The columns with the name of the interval in its row, and with its panel.
    xlabel : str
        The label of the horizontal axis.
    span : (float, float), optional
        The ends of the horizontal axis, by default such that everything fits.
    printed : str, optional
        The column with the value that a paper prints, drawn as an open diamond.
    log : bool
        Whether the axis is logarithmic.
    factors : bool
        Whether the axis is logarithmic and has a line at 1.
    band : (float, float), optional
        The range of values that round to the one that a paper prints, for all rows. It is drawn as
        a grey band in place of `printed`. The markers then have the style of their panel.
    hollow : (str, str), optional
        The column that is above 0 for hollow markers, and the meaning of such markers.
    beyond : str
        The meaning of the arrows.
    words : str, optional
        The column with a text that is written beside the interval.
    look : dict of str to MarkerStyle, optional
        The colours and markers by series.
    row_height : float
        The height of a row in inches.
    before : str, optional
        The column with the estimate in the previous figure, drawn as a pale ring.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"load": ["0.5"], "wait": [3.0], "ci95_low": [2.5], "ci95_high": [3.5]}
    ... )
    >>> figure = intervals(table, x="wait", row="load")
    """
    optional = {"printed": printed, "hollow": hollow and hollow[0], "before": before}
    columns = {"x": x} | {name: column for name, column in optional.items() if column}
    labels = {"row": row, "series": series, "panel": panel, "words": words}
    points = _points(table, labels, columns, band)
    rows, names, panels = (list(points[name].unique()) for name in ("row", "series", "panel"))
    used = {"": STANDARD} | looks(filter(None, names), look)
    used = {name: signs([name])[name] for name in panels} if band else used
    log = log or factors
    span = _fitted(points, log, band) if span is None else span
    drawing = _Look(rows, names, used, span, log, factors, band, len(panels))
    size = 0.9 + row_height * len(rows), 1, len(panels)
    figure, (line,) = canvas.new_figure(*size, sharey=True, squeeze=False)
    for axes, heading in zip(line, panels, strict=True):
        _draw_panel(axes, points[points["panel"] == heading], heading, drawing)
    figure.supxlabel(xlabel, fontsize=9)
    line[0].set_yticks(range(len(rows)), rows)
    line[0].set_ylim(len(rows) - 0.5, -0.5)
    if len(names) > 1 and not band:
        canvas.name_signs(line[-1], used, names)
    notes = _notes(points, span, hollow, beyond)
    canvas.title_figure(figure, title, subtitle, *notes)
    return figure


def _points(table, labels, columns, band):
    """Return the intervals as a table; the columns that are not given are empty."""
    points = tidy(table, labels, columns, gaps=["x", "printed", "before"])
    points = points.reindex(columns=[*points, *({"printed", "hollow", "before"} - {*points})])
    points["printed"] = np.mean(band) if band else points["printed"]
    return points


def _notes(points, span, hollow, beyond):
    """Return the notes of the subtitle on the marks; a note that does not apply is empty."""
    open_ends = (points["low"] < span[0]) | (points["high"] > span[1])
    return (
        canvas.DIAMONDS * bool(points["printed"].notna().any()),
        f"hollow: {hollow[1]}" if hollow and (points["hollow"] > 0).any() else "",
        "dotted: in doubt" * any(points["warning"]),
        beyond * bool(open_ends.any()),
    )


def _draw_panel(axes, points, heading, drawing):
    """Draw the rows of one panel."""
    _prepare(axes, drawing)
    for i, label in enumerate(drawing.rows):
        axes.axhspan(i - 0.5, i + 0.5, color="0.96" if i % 2 else "white", zorder=-2)
        here = points[points["row"] == label]
        beside = list(here["series"].unique()) if drawing.band else drawing.names
        for one in here.itertuples():
            at = i + TAKEN * ((beside.index(one.series) + 0.5) / len(beside) - 0.5)
            _draw_mark(axes, one, i, at, drawing)
    canvas.head(axes, heading, drawing.signs[heading].colour if drawing.band else "black")


def _prepare(axes, drawing):
    """Set the horizontal axis and the grid of one panel, and draw the line at 1 or the band."""
    span, band = drawing.span, drawing.band
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    if drawing.is_log:
        axes.set_xscale("log")
    if drawing.factors:
        axes.axvline(1, color="black", linestyle="--", linewidth=0.8, zorder=0)
    if band:
        axes.axvspan(*band, color="0.9", zorder=-1)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter(lambda at, _: f"{at:+g}" if at else "0")
    axes.set_xlim(*span)
    if drawing.is_log:
        canvas.mark_factors(axes.xaxis, few=drawing.panels > 2 or span[1] > 3 * span[0])


def _draw_mark(axes, one, row, at, drawing):
    """Draw an interval, its estimate in the previous figure, and the printed value."""
    sign = drawing.sign(one.panel, one.series)
    ring = {"color": sign.colour, "markerfacecolor": "none", "alpha": 0.5}
    axes.plot(np.clip(one.before, *drawing.span), at, "o", markersize=9, **ring)
    _draw_interval(axes, one, at, sign, drawing.span)
    if one.words:
        _write_words(axes, one, at, drawing.span)
    if not np.isnan(one.printed):
        style: dict[str, Any] = {} if drawing.band else {"color": sign.colour, "markersize": 5}
        axes.plot(one.printed, row if drawing.band else at, **canvas.PRINTED | style)


def _fitted(points, is_log, band):
    """Return the ends of an axis for all values; on a logarithmic axis, long intervals are cut."""
    marked = np.concatenate([points["x"], points["printed"], band or ()])
    every = np.concatenate([marked, points["low"], points["high"]])
    marked, every = (_shown_on(values, is_log) for values in (marked, every))
    low, high = (every.min(), every.max()) if len(every) else (0.5, 2.0)
    if is_log and len(marked):
        low, high = max(low, marked.min() / 1.5), min(high, marked.max() * 1.5)
    room = 0.05 * (high - low) or 0.5
    return (low / 1.05, high * 1.05) if is_log else (low - room, high + room)


def _shown_on(values, is_log):
    """Return the values that an axis can show: finite ones, and positive ones if logarithmic."""
    return values[np.isfinite(values) & ((values > 0) | (not is_log))]


def _draw_interval(axes, one, at, sign, span):
    """Draw an interval with its marker, and arrows where it goes on beyond the axis."""
    ends = np.clip([one.low, one.high], *span)
    axes.plot(ends, [at, at], ":" if one.warning else "-", color=sign.colour, linewidth=1.6)
    if span[0] <= one.x <= span[1]:
        filling = {"markerfacecolor": "white" if one.hollow > 0 else sign.colour}
        axes.plot(one.x, at, sign.marker, color=sign.colour, markersize=4.5, **filling)
    beyond = one.low < span[0], one.high > span[1]
    for edge, marker, goes_on in zip(span, "<>", beyond, strict=True):
        if goes_on:
            axes.plot(edge, at, marker=marker, color=sign.colour, markersize=5, clip_on=False)


def _write_words(axes, one, at, span):
    """Write the text of an interval on the side that has more room."""
    low, high = np.clip([one.x, one.x] if np.isnan(one.low) else [one.low, one.high], *span)
    scale = axes.transScale + axes.transLimits
    (before, _), (behind, _) = scale.transform([(low, at), (high, at)])
    right = before < 1 - behind
    axes.annotate(
        one.words,
        (high if right else low, at),
        xytext=(4 if right else -4, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=7.5,
    )
