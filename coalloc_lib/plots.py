"""Pictures, one function a kind. Each draws on a new figure and returns it.

Colours come from a cycle that colour-blind readers can tell apart; a hatch or a marker says the
same a second time.
"""

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

#: Okabe and Ito's colours, without the yellow that a projector loses.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
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


def curve(
    x, bands, *, title, xlabel, ylabel, asymptotes=None, top=None, logarithmic=False
):  # fmt: skip
    """Draw lines with their 95 % bands.

    Parameters
    ----------
    x : array_like
    bands : dict of list
        ``bands[name]`` holds an `Interval` or a number for each x, None where there is none.
    asymptotes : dict, optional
        Vertical dashed lines by name, in the colour of the band of that name.
    top : float, optional
        Where the vertical axis ends.
    logarithmic : bool
        For values around 1 and above: the vertical axis is logarithmic and begins there.
    """
    figure, axes = new_figure(7.5, 3.8)
    numbers = {name: i for i, name in enumerate(bands)}
    _draw_bands(axes, x, bands, numbers, asymptotes or {})
    title_figure(figure, title)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    _limit(axes, top, logarithmic)
    _legend_beside(axes)
    return figure


def curves(
    x, panels, *, title, xlabel, ylabel, asymptotes, top=None, logarithmic=False
):  # fmt: skip
    """Draw several panels of lines with their 95 % bands, each name in one colour in all of them.

    Parameters
    ----------
    x : array_like
    panels : dict of dict
        ``panels[heading]`` is what `curve` takes as its bands.
    asymptotes : dict of dict
        By heading, what `curve` takes.
    top, logarithmic
        As `curve` takes them.
    """
    figure, row = new_figure(7.5, 3.5, columns=len(panels), sharey=True)
    names = list(dict.fromkeys(name for bands in panels.values() for name in bands))
    numbers = {name: i for i, name in enumerate(names)}
    drawn = {}
    for axes, (heading, bands) in zip(row, panels.items(), strict=True):
        _draw_bands(axes, x, bands, numbers, asymptotes[heading], 3)
        axes.set_title(heading, fontsize=9)
        axes.set_xlabel(xlabel)
        _limit(axes, top, logarithmic)
        lines, labels = axes.get_legend_handles_labels()
        drawn |= dict(zip(labels, lines, strict=True))
    row[0].set_ylabel(ylabel)
    title_figure(figure, title)
    handles = [drawn[name] for name in names]
    figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    return figure


def _draw_bands(axes, x, bands, numbers, asymptotes, size=4):
    """Draw the lines, each in the colour and with the marker of its number."""
    for name, values in bands.items():
        known = [(at, value) for at, value in zip(x, values, strict=True) if value is not None]
        at = [pair[0] for pair in known]
        middle, low, high = (
            [getattr(value, part, value) for _, value in known]
            for part in ("estimate", "low", "high")
        )
        colour, marker = (cycle[numbers[name] % len(cycle)] for cycle in (COLOURS, MARKERS))
        axes.plot(at, middle, color=colour, marker=marker, markersize=size, label=name)
        axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
        if name in asymptotes:
            axes.axvline(asymptotes[name], color=colour, linestyle="--", linewidth=1)


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


def heat_map(values, *, rows, columns, title, xlabel, ylabel):
    """Draw a table of differences, blue where positive and brown where negative, with numbers.

    Parameters
    ----------
    values : ndarray, shape (rows, columns)
        NaN where there is nothing.
    rows, columns : list of str
        Labels.
    """
    figure, axes = new_figure(2.0 + 0.9 * len(columns), 1.6 + 0.32 * len(rows))
    most = np.nanmax(np.abs(values)) or 1.0
    picture = axes.pcolormesh(values, cmap="BrBG", vmin=-most, vmax=most, edgecolor="white")
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            shade = "white" if abs(value) > 0.6 * most else "black"
            at = column + 0.5, row + 0.5
            axes.text(
                *at,
                f"{round(value, 1) + 0.0:+.1f}",
                ha="center",
                va="center",
                color=shade,
                fontsize=8,
            )
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.grid(False)
    figure.colorbar(picture, ax=axes)
    title_figure(figure, title)
    return figure


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
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8)
