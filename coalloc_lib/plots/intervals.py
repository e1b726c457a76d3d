"""Charts of confidence intervals in rows, beside the values that a paper prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coalloc_lib.basics.checks import InputError, finite, positive, shown
from coalloc_lib.plots.signs import STANDARD, MarkerStyle, signs
from coalloc_lib.plots.style import (
    DIAMONDS,
    NAME_BOX,
    PRINTED,
    can_show,
    head,
    mark_factors,
    mark_powers,
    name_signs,
    new_figure,
    title_figure,
)
from coalloc_lib.plots.tables import ABOVE_0, looks, reject_first, tidy

#: The fraction of the height of a row that its confidence intervals occupy.
TAKEN = 0.7
#: The default height of a row of confidence intervals, in inches.
ROW = 0.42
#: The rows of a figure of deviations are lower if there are many, so that all of them together have
#: at most this height in inches, and fit a screen. No row is lower than `LOWEST`, because its name
#: needs room.
HIGHEST, LOWEST = 3.0, 0.2
#: The greatest number of characters in a line of the words to the right of a row.
WRAPPED = 44
#: The box behind words beside an interval, which keeps lines of the axes from crossing the words.
WORDS_BOX = NAME_BOX | {"alpha": 0.75}


@dataclass(frozen=True)
class _Look:
    rows: list[str]
    names: list[str] | None
    signs: Mapping[str, MarkerStyle]
    span: tuple[float, float]
    is_log: bool
    factors: bool
    panels: int


def intervals(
    table: pd.DataFrame, *, x: str, row: str, series: str | None = None, panel: str | None = None,
    xlabel: str = "", span: tuple[float, float] | None = None, printed: str | None = None,
    log: bool = False, factors: bool = False,
    hollow: tuple[str, str] | None = None, beyond: str = "", words: str | None = None,
    look: Mapping[str, MarkerStyle] | None = None, row_height: float = ROW,
    before: str | None = None, own_axes: bool = False,
    title: str = "", subtitle: str = "",
) -> Figure:  # fmt: skip
    """Draw estimates with their confidence intervals, one or more in each row of the figure.

    An interval with a warning is dotted. An arrow shows that an interval extends, or that a value
    lies, beyond the axis.

    Parameters
    ----------
    table : DataFrame
        One row for each interval, with its ends in ``ci95_low`` and ``ci95_high``.
    x, row : str
        The columns with the estimate, and with the row in which the interval is drawn.
    series, panel : str, optional
        The columns with the name of the interval in its row, and with its panel. If `series` is
        the column of the rows, each row has its own colour, and the figure needs no legend.
    xlabel : str
        The label of the horizontal axis.
    span : (float, float), optional
        The ends of the horizontal axis. By default, the axis shows all values.
    printed : str, optional
        The column with the value that a paper prints, drawn as an open diamond, or as an open
        arrow if it lies beyond the axis.
    log : bool
        Whether the axis is logarithmic.
    factors : bool
        Whether the axis is logarithmic and has a line at 1.
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
        The column with the estimate in the previous figure, drawn as a pale ring if it lies on the
        axis.
    own_axes : bool
        Whether the horizontal axis of each panel shows the values of that panel only. Such axes
        have no `span`.
    title, subtitle : str
        The title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, if two rows have the same row, series and panel, if a logarithmic
        axis cannot show a value, if `span` has no length or cannot be drawn on the axis, if `span`
        and `own_axes` are both given, or if `row_height` is not above 0.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {"load": ["0.5"], "wait": [3.0], "ci95_low": [2.5], "ci95_high": [3.5]}
    ... )
    >>> figure = intervals(table, x="wait", row="load")
    """
    positive("row_height", row_height)
    log = log or factors
    optional = {"printed": printed, "hollow": hollow and hollow[0], "before": before}
    columns = {"x": x} | {name: column for name, column in optional.items() if column}
    labels = {"row": row, "series": series, "panel": panel, "words": words}
    points = _points(table, labels, columns)
    if log:
        for name in ("x", *({"printed", "before"} & {*columns})):
            reject_first(points[name] <= 0, table, columns[name], ABOVE_0)
    if span is not None and own_axes:
        raise InputError("span and own_axes are both given; leave out one of the two")
    if span is not None:
        span = _checked("span", span, log)
    elif not own_axes:
        span = _fitted(points, log)
    names = list(points["series"].unique())
    used = {"": STANDARD} | looks(filter(None, names), look)
    panels = points["panel"].nunique()
    rows, notes = list(points["row"].unique()), []
    beside = None if series == row else names
    figure, line = _new_panels(points, row_height, xlabel)
    for axes, (heading, here) in zip(line, points.groupby("panel", sort=False), strict=True):
        ends = span or _fitted(here, log)
        _draw_panel(axes, here, heading, _Look(rows, beside, used, ends, log, factors, panels))
        notes += _notes(here, ends, hollow, beyond)
    if beside and len(beside) > 1:
        name_signs(line[-1], used, beside)
    title_figure(figure, title, subtitle, *dict.fromkeys(notes))
    return figure


def deviations(
    table: pd.DataFrame, *, x: str, row: str, series: str, panel: str,
    band: tuple[float, float], hollow: tuple[str, str], xlabel: str = "", title: str = "",
    subtitle: str = "",
) -> Figure:  # fmt: skip
    """Plot the differences between estimates and the values printed in a paper, one per row.

    Each panel has its own colour and marker. In each row, a diamond shows the printed value, and a
    grey band shows all values that round to the printed value.

    Parameters
    ----------
    table : DataFrame
        One row for each estimate, with the ends of its interval in ``ci95_low`` and ``ci95_high``.
    x, row, series, panel : str
        The columns with the estimate minus the printed value, with the row and the panel in which
        it is drawn, and with the name that tells the estimates of one row apart.
    band : (float, float)
        The ends of the grey band.
    hollow : (str, str)
        The column that is above 0 for hollow markers, and the meaning of such markers.
    xlabel, title, subtitle : str
        The label of the horizontal axis, the title of the figure, and the text under it.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    InputError
        If a column is missing, or the ends of `band` are not two increasing finite numbers.
    """
    band = _checked("band", band)
    labels = {"row": row, "series": series, "panel": panel}
    points = _points(table, labels | {"words": None}, {"x": x, "hollow": hollow[0]})
    points["printed"] = np.mean(band)
    span = _fitted(points, False, band)
    rows, panels = (list(points[name].unique()) for name in ("row", "panel"))
    row_height = min(ROW, max(LOWEST, HIGHEST / len(rows)))
    figure, line = _new_panels(points, row_height, xlabel)
    styles = signs(panels)
    for axes, heading in zip(line, panels, strict=True):
        here, sign = points[points["panel"] == heading], styles[heading]
        _prepare(axes, span, rows)
        axes.axvspan(*band, color="0.9", zorder=-1)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter(lambda at, _: f"{at:+g}" if at else "0")
        for one, i, at in _placed(here, rows):
            _draw_interval(axes, one, at, sign, span)
            axes.plot(one.printed, i, **PRINTED)
        head(axes, heading, sign.colour)
    title_figure(figure, title, subtitle, *_notes(points, span, hollow, ""))
    return figure


def _points(table, labels, columns):
    place = ("row", "series", "panel")
    points = tidy(table, labels, columns, gaps=["x", "printed", "before"], unique=place)
    return points.reindex(columns=[*points, *({"printed", "hollow", "before"} - {*points})])


def _checked(name, ends, is_log=False):
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise InputError(
            f"{name} = {shown(ends)}; give two numbers, the left end and the right end"
        ) from None
    low, high = finite(name, low), finite(name, high)
    if low >= high:
        raise InputError(f"{name} = {shown(ends)}; give the left end first and then the right end")
    if is_log and low <= 0:
        raise InputError(
            f"{name} = {shown(ends)}; give ends above 0, because the axis is logarithmic"
        )
    return low, high


def _new_panels(points, row_height, xlabel):
    rows = points["row"].unique()
    size = 0.9 + row_height * len(rows), 1, points["panel"].nunique()
    figure, (line,) = new_figure(*size, sharey=True, squeeze=False)
    figure.supxlabel(xlabel, fontsize=9)
    # The last number below a panel needs room beside the first number below the next one.
    figure.get_layout_engine().set(wspace=0.04)
    line[0].set_yticks(range(len(rows)), rows)
    line[0].set_ylim(len(rows) - 0.5, -0.5)
    return figure, line


def _notes(points, span, hollow, beyond):
    lowest = points[["x", "low", "printed"]].min(axis=1)
    highest = points[["x", "high", "printed"]].max(axis=1)
    open_ends = (lowest < span[0]) | (highest > span[1])
    return (
        DIAMONDS if points["printed"].notna().any() else "",
        f"hollow: {hollow[1]}" if hollow and (points["hollow"] > 0).any() else "",
        "dotted: in doubt" if any(points["warning"]) else "",
        beyond if open_ends.any() else "",
    )


def _draw_panel(axes, points, heading, drawing):
    if drawing.is_log:
        axes.set_xscale("log")
    if drawing.factors:
        axes.axvline(1, color="black", linestyle="--", linewidth=0.8, zorder=0)
    _prepare(axes, drawing.span, drawing.rows)
    if drawing.factors:
        is_narrow = drawing.panels > 2 or drawing.span[1] > 3 * drawing.span[0]
        mark_factors(axes.xaxis, few=is_narrow)
    elif drawing.is_log:
        mark_powers(axes.xaxis)
        axes.minorticks_off()
    for one, _, at in _placed(points, drawing.rows, drawing.names):
        _draw_mark(axes, one, at, drawing)
    head(axes, heading)


def _prepare(axes, span, rows):
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")
    axes.set_xlim(*span)
    for i in range(len(rows)):
        axes.axhspan(i - 0.5, i + 0.5, color="0.96" if i % 2 else "white", zorder=-2)


def _placed(points, rows, names=None):
    for i, label in enumerate(rows):
        here = points[points["row"] == label]
        # Without `names`, only the series of this row share the height of the row.
        beside = list(here["series"].unique()) if names is None else names
        for one in here.itertuples():
            yield one, i, i + TAKEN * ((beside.index(one.series) + 0.5) / len(beside) - 0.5)


def _draw_mark(axes, one, at, drawing):
    sign = drawing.signs[one.series]
    low, high = drawing.span
    if low <= one.before <= high:
        ring = {"color": sign.colour, "markerfacecolor": "none", "alpha": 0.5}
        axes.plot(one.before, at, "o", markersize=9, **ring)
    _draw_interval(axes, one, at, sign, drawing.span)
    if one.words:
        _write_words(axes, one, at, drawing.span)
    if not np.isnan(one.printed):
        style = PRINTED | {"color": sign.colour, "markersize": 5}
        if not low <= one.printed <= high:
            style |= {"marker": "<" if one.printed < low else ">", "clip_on": False}
        axes.plot(np.clip(one.printed, low, high), at, **style)


def _fitted(points, is_log, more=()):
    scale = "log" if is_log else "linear"
    marked = np.concatenate([points["x"], points["printed"], more])
    every = np.concatenate([marked, points["low"], points["high"]])
    marked, every = (values[can_show(values, scale)] for values in (marked, every))
    low, high = (every.min(), every.max()) if len(every) else (0.5, 2.0)
    # Long intervals are cut off on a logarithmic axis.
    if is_log and len(marked):
        low, high = max(low, marked.min() / 1.5), min(high, marked.max() * 1.5)
    room = 0.05 * (high - low) or 0.5
    return (low / 1.05, high * 1.05) if is_log else (low - room, high + room)


def _draw_interval(axes, one, at, sign, span):
    ends = np.clip([one.low, one.high], *span)
    axes.plot(ends, [at, at], ":" if one.warning else "-", color=sign.colour, linewidth=1.6)
    if span[0] <= one.x <= span[1]:
        filling = {"markerfacecolor": "white" if one.hollow > 0 else sign.colour}
        axes.plot(one.x, at, sign.marker, color=sign.colour, markersize=4.5, **filling)
    beyond = np.fmin(one.low, one.x) < span[0], np.fmax(one.high, one.x) > span[1]
    for edge, marker, goes_on in zip(span, "<>", beyond, strict=True):
        if goes_on:
            axes.plot(edge, at, marker=marker, color=sign.colour, markersize=5, clip_on=False)


def _write_words(axes, one, at, span):
    style = {"textcoords": "offset points", "va": "center", "fontsize": 7.5, "bbox": WORDS_BOX}
    if np.isnan(one.x):  # The words say why there is no value.
        axes.annotate(one.words, (span[0], at), xytext=(4, 0), ha="left", **style)
        return
    low, high = np.clip([one.x, one.x] if np.isnan(one.low) else [one.low, one.high], *span)
    scale = axes.transScale + axes.transLimits
    (before, _), (behind, _) = scale.transform([(low, at), (high, at)])
    right = before < 1 - behind
    axes.annotate(
        one.words,
        (high if right else low, at),
        xytext=(4 if right else -4, 0),
        ha="left" if right else "right",
        **style,
    )


def mark_zero(axes: Axes) -> None:
    """Draw a dashed line at 0 on the horizontal axis, and extend the axis to 0 if necessary.

    Parameters
    ----------
    axes : Axes
        A panel of a figure of `intervals`, whose values are changes.

    Raises
    ------
    InputError
        If the axis is logarithmic, so that it has no 0.
    """
    if axes.get_xscale() != "linear":
        raise InputError(f"the scale of axes is {axes.get_xscale()!r}; give a panel without log")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0), max(high, 0))
    axes.axvline(0, color="black", linestyle="--", linewidth=0.8, zorder=0)


def label_right(axes: Axes, texts: Sequence[str]) -> None:
    """Write a text to the right of each row of a figure of `intervals`.

    Parameters
    ----------
    axes : Axes
        The only or the last panel of the figure.
    texts : sequence of str
        The texts from the first row to the last. A long text is broken into lines.

    Raises
    ------
    InputError
        If there is not one text for each row.
    """
    rows = len(axes.get_yticks())
    if len(texts) != rows:
        raise InputError(f"texts has {len(texts)} texts; give one for each of the {rows} rows")
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(texts)), [fill(text, WRAPPED) for text in texts])
    # The texts keep a distance from arrows at the end of the axis.
    right.tick_params(length=0, labelsize=7.5, pad=8)
    right.spines["right"].set_visible(False)
