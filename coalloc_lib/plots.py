"""Pictures, one function a kind. Each draws on a new figure and returns it.

Colours come from a cycle that colour-blind readers can tell apart; a hatch or a marker says the
same a second time.
"""

from collections import Counter

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

#: Okabe and Ito's colours, without the yellow that a projector loses.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#8C8C8C")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: The mark of the first load past saturation.
SATURATED = r"$\uparrow$"
#: How the line of a maximal utilization is dashed, by how it is known.
DASHES = {"exact": "--", "approximation": "-.", "simulation": ":"}
_PLAIN = {"frameon": False, "fontsize": 8}
_BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), **_PLAIN}
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.alpha": 0.3,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
    "axes.titlesize": 10,
}


def new_figure(width=7.0, height=3.2, columns=1, **sharing):
    """Return a figure and its axes, in the house style, sizes in inches."""
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(1, columns, **sharing)


def bars(series, *, title, ylabel, note=None):
    """Draw grouped bars with their intervals.

    Parameters
    ----------
    series : dict of dict
        ``series[name][label]`` is an `Interval` or a number: one colour a name, one group a
        label.
    note : callable, optional
        Called with the axes and the labels, to mark what the paper says.
    """
    labels = list(next(iter(series.values())))
    per_label = max(1.05, 0.45 * len(series))
    figure, axes = new_figure(max(7.0, 2.2 + per_label * len(labels)))
    width = 0.8 / len(series)
    for i, (name, row) in enumerate(series.items()):
        at = np.arange(len(labels)) + (i - (len(series) - 1) / 2) * width
        heights = [getattr(row[label], "estimate", row[label]) for label in labels]
        errors = [getattr(row[label], "half_width", 0.0) for label in labels]
        style = {"color": COLOURS[i], "hatch": HATCHES[i], "edgecolor": "white", "linewidth": 0.5}
        axes.bar(at, heights, width, label=name, **style)
        shown = [e if e else np.nan for e in errors]
        axes.errorbar(at, heights, shown, fmt="none", ecolor="black", elinewidth=1, capsize=2)
    axes.set_xticks(range(len(labels)), labels)
    title_figure(figure, title)
    axes.set(ylabel=ylabel)
    axes.set_ylim(0, None)
    if note is not None:
        note(axes, labels)
    _legend_beside(axes)
    return figure


def beside_published(rows, *, title, xlabel, rounding=0.0005):
    """Draw how far each number that came out is from the printed one.

    Parameters
    ----------
    rows : list of (label, dict)
        ``dict[series]`` is a pair of a printed number and what came out, a number or an
        `Interval`.
    rounding : float
        Half a unit of the last printed digit, drawn as a band.
    """
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    figure, axes = new_figure(7.5, 1.0 + 0.42 * len(rows))
    for i, name in enumerate(names):
        lines = [(y, *row[name]) for y, (_, row) in enumerate(rows) if name in row]
        shift = (i - (len(names) - 1) / 2) * 0.75 / len(names)
        axes.errorbar(
            [getattr(found, "estimate", found) - printed for _, printed, found in lines],
            [y + shift for y, _, _ in lines],
            xerr=[getattr(found, "half_width", 0.0) for _, _, found in lines],
            fmt=MARKERS[i],
            color=COLOURS[i],
            markersize=4,
            elinewidth=1,
            label=name,
        )
    axes.axvspan(-rounding, rounding, color="grey", alpha=0.25, label="rounding of the print")
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    title_figure(figure, title)
    axes.set(xlabel=xlabel, ylim=(len(rows) - 0.5, -0.5))
    axes.grid(True, axis="x", alpha=0.3)
    _legend_beside(axes)
    return figure


def curve(drawn, *, title, xlabel, ylabel, top=None, logarithmic=False):
    """Draw mean response times with their 95 % bands, and where they go to infinity.

    A hollow mark is a point whose run was too short for the precision that was asked for. An
    arrow at the top is the first load past saturation. A vertical line is the maximal
    utilization; its dashes tell how that is known.

    Parameters
    ----------
    drawn : dict of Curve
        By the name in the legend.
    top : float, optional
        Where the vertical axis ends.
    logarithmic : bool
        For values around 1 and above: the vertical axis is logarithmic and begins there.
    """
    figure, axes = new_figure(7.5, 3.8)
    _draw_curves(axes, drawn, list(drawn))
    title_figure(figure, title)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    _limit(axes, top, logarithmic)
    handles, labels = axes.get_legend_handles_labels()
    signs = _signs(drawn.values())
    axes.legend([*handles, *signs.values()], [*labels, *signs], **_BESIDE)
    return figure


def curves(panels, *, title, xlabel, ylabel, top=None, logarithmic=False, left=None):
    """Draw several panels of curves, each name in one colour in all of them.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading]`` is what `curve` draws.
    top, logarithmic
        As `curve` takes them.
    left : float, optional
        Where the horizontal axes begin.
    """
    figure, row = new_figure(7.5, 3.5, columns=len(panels), sharey=True)
    names = list(dict.fromkeys(name for drawn in panels.values() for name in drawn))
    handles = {}
    for axes, (heading, drawn) in zip(row, panels.items(), strict=True):
        _draw_curves(axes, drawn, names, 3)
        axes.set_title(heading, fontsize=9)
        axes.set_xlabel(xlabel)
        axes.set_xlim(left, None)
        _limit(axes, top, logarithmic)
        lines, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, lines, strict=True))
    row[0].set_ylabel(ylabel)
    title_figure(figure, title)
    shown = {name: handles[name] for name in names}
    shown |= _signs(curve for drawn in panels.values() for curve in drawn.values())
    figure.legend(shown.values(), shown, loc="outside lower center", ncols=4, **_PLAIN)
    return figure


def _draw_curves(axes, drawn, names, size=4):
    """Draw the curves, each in the colour and with the marker of its place among the names."""
    crowd = Counter()  # first saturated loads that are drawn already
    for name, line in drawn.items():
        number = names.index(name)
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        known = [point for point in line.points if not point.saturated]
        at = [point.utilization for point in known]
        middle, low, high = (
            [getattr(point.response, part) for point in known]
            for part in ("estimate", "low", "high")
        )
        axes.plot(at, middle, color=colour, marker=marker, markersize=size, label=name)
        axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
        hollow = {"color": "white", "markersize": size - 1.5, "linestyle": "none"}
        rough = [(p.utilization, p.response.estimate) for p in known if not p.precise]
        axes.plot(*np.reshape(rough, (-1, 2)).T, marker=marker, **hollow)
        dashes = {"linestyle": DASHES[line.maximum.method], "linewidth": 1}
        axes.axvline(line.maximum.max_utilization, color=colour, **dashes)
        over = next((point.utilization for point in line.points if point.saturated), None)
        if over is not None:
            height = 0.985 - 0.035 * crowd[over]
            crowd[over] += 1
            beyond = {
                "marker": SATURATED,
                "markersize": size + 1,
                "transform": axes.get_xaxis_transform(),
            }
            axes.plot(over, height, color=colour, **beyond)


def _signs(drawn):
    """Return what the legend says of the signs that these curves use."""
    drawn = list(drawn)
    points = [point for line in drawn for point in line.points]
    dashes = {line.maximum.method: DASHES[line.maximum.method] for line in drawn}
    signs = {
        f"maximal, {method}": Line2D([], [], color="black", linewidth=1, linestyle=style)
        for method, style in dashes.items()
    }
    mark = {"color": "black", "linestyle": "none", "markersize": 5}
    if any(point.saturated for point in points):
        signs["saturated from here on"] = Line2D([], [], marker=SATURATED, **mark)
    if not all(point.precise for point in points):
        signs["run too short"] = Line2D([], [], marker="o", markerfacecolor="white", **mark)
    return signs


def _limit(axes, top, logarithmic):
    if logarithmic:
        _logarithmic(axes, top)
    else:
        axes.set_ylim(0 if top else None, top)


def _logarithmic(axes, top):
    """Let the vertical axis rise from 1 by factors, with plain numbers beside it."""
    axes.set_yscale("log")
    axes.set_ylim(0.93, top)
    ticks = [tick for tick in (1, 1.5, 2, 3, 5, 10, 20, 50, 100) if tick <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)


def heat_map(intervals, *, rows, columns, title, xlabel, ylabel, most=None):
    """Draw a table of differences with their 95 % intervals.

    Blue-green where positive, brown where negative, hatched where the interval holds 0.

    Parameters
    ----------
    intervals : dict of Interval
        By (row, column), counted from 0; empty where there is none.
    rows, columns : list of str
        Labels.
    most : float, optional
        The difference that gets the full colour; the largest where it is not given.
    """
    figure, axes = new_figure(2.0 + 1.1 * len(columns), 1.4 + 0.26 * len(rows))
    values = np.full((len(rows), len(columns)), np.nan)
    for at, interval in intervals.items():
        values[at] = interval.estimate
    most = most or np.nanmax(np.abs(values)) or 1.0
    colours = {"cmap": "BrBG", "vmin": -most, "vmax": most}
    picture = axes.pcolormesh(values, **colours)
    for (row, column), interval in intervals.items():
        undecided = {"facecolor": "lightgrey", "edgecolor": "white", "hatch": "////"}
        frame = {"fill": False, "edgecolor": "lightgrey"}
        style = undecided if interval.contains(0) else frame
        axes.add_patch(Rectangle((column, row), 1, 1, **style))
        dark = abs(interval.estimate) > 0.6 * most and not interval.contains(0)
        _write_difference(axes, row, column, interval, dark)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.grid(False)
    figure.colorbar(picture, ax=axes)
    title_figure(figure, title)
    return figure


def _write_difference(axes, row, column, interval, dark):
    middle = round(interval.estimate, 1) + 0.0  # no minus before a zero
    text = f"{middle:+.1f} ± {interval.half_width:.1f}"
    style = {"ha": "center", "va": "center", "fontsize": 8}
    axes.text(column + 0.5, row + 0.5, text, color="white" if dark else "black", **style)


def density(panels, *, title, xlabel, ylabel):
    """Draw one distribution a panel: ``panels[name]`` is (values, weights, widths)."""
    figure, row = new_figure(7.0, 2.8, columns=len(panels))
    for axes, (name, (values, weights, widths)) in zip(np.atleast_1d(row), panels.items(),
                                                     strict=True):  # fmt: skip
        axes.bar(values, weights, widths, color=COLOURS[0], align="edge")
        axes.set_title(name, fontsize=9)
        axes.set(xlabel=xlabel, ylabel=ylabel)
    title_figure(figure, title)
    return figure


def gantt(schedule, *, title="Schedule", unit=None):
    """Draw when each processor of each cluster ran which job; crosses on the top mark submissions.

    For small schedules: one row a processor. Processors of a cluster are alike, so a job gets
    the lowest that are free. `unit` is the unit of time.
    """
    figure, axes = new_figure(7.0, 1.2 + 0.16 * schedule.system.processors)
    first = np.concatenate([[0], np.cumsum(schedule.system.sizes)])
    free_at = np.zeros(schedule.system.processors)
    shades = colormaps["Set3"].colors
    for job in np.argsort(schedule.start, kind="stable"):
        for cluster in np.flatnonzero(schedule.allocation[job]):
            rows = np.arange(first[cluster], first[cluster + 1])
            rows = rows[free_at[rows] <= schedule.start[job]][: schedule.allocation[job, cluster]]
            free_at[rows] = schedule.end[job]
            _draw_job(axes, schedule, job, rows, shades[job % len(shades)])
    axes.set_xlim(0, schedule.end.max() * 1.02)
    axes.set_ylim(schedule.system.processors, 0)
    for edge in first[1:-1]:
        axes.axhline(edge, color="black", linewidth=1.2)
    middle = (first[:-1] + first[1:]) / 2
    names = [f"cluster {c}\n({size})" for c, size in enumerate(schedule.system.sizes)]
    axes.set_yticks(middle, names)
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    title_figure(figure, title)
    axes.plot(schedule.jobs.submit, np.zeros(len(schedule)), "kx", markersize=5, clip_on=False)
    axes.set(xlabel=f"time{f' ({unit})' if unit else ''}; × is a submission")
    return figure


def _draw_job(axes, schedule, job, rows, shade):
    """One job on these processors: a box for each run of neighbouring rows."""
    length = schedule.end[job] - schedule.start[job]
    for group in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
        corner = schedule.start[job], group[0]
        axes.add_patch(Rectangle(corner, length, len(group), facecolor=shade, edgecolor="white"))
        axes.text(
            corner[0] + length / 2,
            corner[1] + len(group) / 2,
            f"{job + 1}",
            ha="center",
            va="center",
        )


def title_figure(figure, text):
    """Write the title over the whole figure: axes beside a legend are too narrow for it."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=10)


def _legend_beside(axes):
    """Put the legend right of the axes, where it hides nothing."""
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend(**_BESIDE)
