"""Response times against utilization, and under them what each line bears."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coalloc_lib.checks import instance_of
from coalloc_lib.curves import Curve
from coalloc_lib.plots.bars import LETTER, Level
from coalloc_lib.plots.signs import LOSS, STANDARD, Sign, signs
from coalloc_lib.plots.style import GREY, head, new_figure, some, title_figure

#: Where the vertical axis ends, in mean service times: above, lines are on their way to infinity.
TOP = 12.0
TICKS = (1, 1.5, 2, 3, 5, 10)
#: What is said where a point is hollow.
HOLLOW = "hollow: interval wider than "
XLABEL, YLABEL = "utilization", "mean response time\n(mean service times)"


def curves(
    panels: Mapping[str, Mapping[str, Curve]], *, title: str, subtitle: str = "",
    xlabel: str = XLABEL, look: Mapping[str, Sign] | None = None, left: float | None = None,
    precision: float | None = None, beside: tuple[str, Mapping[str, float]] | None = None,
    threshold: tuple[str, Mapping[str, Level]] | None = None,
) -> Figure:  # fmt: skip
    """Draw mean response times with their 95 % bands, and under them what each line bears.

    Each line rises to infinity at its maximal utilization; the lower part names the lines there.
    A hollow mark is a point whose interval is wider than was asked for.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading][name]`` is a `Curve`; a name has one look in all panels.
    look : dict of Sign, optional
        By name, where it is not to follow from the names.
    left : float, optional
        Where the horizontal axes begin, to look closer at high utilizations.
    precision : float, optional
        The relative half-width that was asked for.
    beside : (str, dict), optional
        Other maximal utilizations to hold lines against: what they are, and how much by name.
    threshold : (str, dict), optional
        What a claim is judged by: its name, and where it lies for a line, or from where to where.
    """
    rows = [some(f"panels[{head!r}]", drawn) for head, drawn in some("panels", panels).items()]
    names = list(dict.fromkeys(name for drawn in rows for name in drawn))
    look = signs(names) if look is None else look
    most = max(map(len, rows))
    figure, grid = new_figure(
        3.3 + 0.17 * most, 2, len(panels), sharex="col", sharey="row", squeeze=False,
        height_ratios=[2.5, 0.17 * most + 0.1],
    )  # fmt: skip
    others, levels = dict(beside[1]) if beside else {}, dict(threshold[1]) if threshold else {}
    for axes, below, (heading, drawn) in zip(*grid, panels.items(), strict=True):
        for name, line in drawn.items():
            instance_of(f"curve {name!r}", line, Curve, "what response_curve(...) returns")
            _draw_line(axes, line, look[name])
        axes.set_xlim(left, None)
        _name_maxima(below, drawn, look, [axes, below], others, levels)
        head(axes, heading)
        below.set_xlabel(xlabel)
    _rise_by_factors(grid[0][0], [line for drawn in rows for line in drawn.values()])
    grid[0][0].set_ylabel(YLABEL)
    grid[1][0].set(ylim=(-0.7, most - 0.3), yticks=[])
    grid[1][0].set_ylabel("bears", rotation=0, ha="right", va="center")
    precise = all(p.precise for drawn in rows for line in drawn.values() for p in line.points)
    said = [subtitle] * bool(subtitle)
    if not precise:
        said.append(HOLLOW + ("asked for" if precision is None else f"± {100 * precision:.0f} %"))
    said += [f"+: {beside[0]}"] if beside else []
    said += [f"dashed: {threshold[0]}"] if threshold else []
    title_figure(figure, title, "; ".join(said))
    return figure


def _draw_line(axes: Axes, line: Curve, sign: Sign) -> None:
    known = [point for point in line.points if not point.saturated]
    at = [point.utilization for point in known]
    middle, low, high = (
        [getattr(point.response, part) for point in known] for part in ("estimate", "low", "high")
    )
    axes.plot(at, middle, color=sign.colour, linewidth=1.4)
    axes.fill_between(at, low, high, color=sign.colour, alpha=0.18, linewidth=0)
    for precise, filling in ((True, sign.colour), (False, "white")):
        marked = [(x, y) for x, y, p in zip(at, middle, known, strict=True) if p.precise == precise]
        style = {"marker": sign.marker, "color": sign.colour, "markerfacecolor": filling}
        if marked:
            axes.plot(*zip(*marked, strict=True), linestyle="none", markersize=4, **style)


def _name_maxima(
    below: Axes, drawn: Mapping[str, Curve], look: Mapping[str, Sign], both: list[Axes],
    beside: Mapping[str, float], threshold: Mapping[str, Level],
) -> None:  # fmt: skip
    """Write what each line bears, most on top, with its name; lead up to where it goes."""
    order = sorted(drawn, key=lambda name: drawn[name].maximum.max_utilization)
    marks = [*beside.values(), *(end for level in threshold.values() for end in _ends(level))]
    right = 1.02 * max([*marks, *(line.maximum.interval.high for line in drawn.values())])
    left = below.get_xlim()[0]
    for row, name in enumerate(order):
        bears, sign = drawn[name].maximum.interval, look[name]
        for axes in both:
            axes.axvline(bears.estimate, color=sign.colour, linewidth=0.8, linestyle=":")
        below.plot([bears.low, bears.high], [row, row], color=sign.colour, linewidth=3, alpha=0.4)
        below.plot(bears.estimate, row, marker=sign.marker, color=sign.colour, markersize=5)
        at = min(bears.low, *_mark_row(below, row, beside.get(name), threshold.get(name)), 1.0)
        below.plot([at, bears.estimate], [row, row], color=sign.colour, linewidth=0.6)
        words = f"{name}  {bears.estimate:.3f} "
        style = {"ha": "right", "va": "center", "fontsize": 8, "color": sign.colour}
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.4}
        below.annotate(words, (at, row), (-5, 0), textcoords="offset points", bbox=box, **style)
        room = LETTER * len(below.figure.axes) / 2 * len(words)  # as a share of the axis
        left = min(left, (at - room * right) / (1 - room))
    below.set_xlim(left, right)
    below.set_xticks([at for at in below.get_xticks() if max(0, left) <= at <= min(1, right)])
    below.grid(False)
    below.spines["left"].set_visible(False)


def _mark_row(below: Axes, row: int, beside: float | None, level: Level | None) -> list[float]:
    """Mark in the row of a line what it is held against; return where."""
    if beside is not None:
        below.plot(beside, row, marker="+", color="black", markersize=6, zorder=4)
    ends = _ends(level)
    below.vlines(ends, row - 0.45, row + 0.45, "black", "--", linewidth=1, zorder=4)
    return [*ends] if beside is None else [beside, *ends]


def _ends(level: Level | None) -> tuple[float, ...]:
    return level if isinstance(level, tuple) else () if level is None else (level,)


def _rise_by_factors(axes: Axes, lines: list[Curve]) -> None:
    """Let the vertical axis rise by factors from 1, with plain numbers beside it."""
    highest = max((p.response.high for line in lines for p in line.points if p.response), default=2)
    axes.set_yscale("log")
    axes.set_ylim(0.93, min(TOP, max(2.1, 1.1 * highest)))
    ticks = [tick for tick in TICKS if tick <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)


def anatomy(line: Curve, *, title: str, subtitle: str = "") -> Figure:
    """Draw one response curve, and name its parts."""
    figure = curves({"": {"": line}}, title=title, subtitle=subtitle, look={"": STANDARD})
    axes, bears = figure.axes[0], line.maximum.interval.estimate
    known = [(p.utilization, p.response.estimate) for p in line.points if p.response]
    first, knee = known[0], min(known, key=lambda at: abs(at[1] - 2))
    style: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "color": GREY}
    arrow = {"arrowstyle": "-", "color": GREY, "linewidth": 0.8}
    for text, at, shift in (
        ("service alone: nobody waits", first, (0, 30)),
        ("the knee: a job waits about\nas long as it runs", knee, (-160, 30)),
    ):
        axes.annotate(text, at, shift, arrowprops=arrow, **style)
    words = "maximal utilization:\nfrom here on the\nqueue only grows"
    axes.annotate(words, (bears, 5), (10, 0), va="center", **style | {"color": LOSS.colour})
    axes.set_xlim(0, max(1.0, bears))
    axes.set_xticks([tenth / 10 for tenth in range(0, 11, 2)])
    axes.set_ylim(None, TOP)
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.axvspan(bears, max(1.0, bears), color=LOSS.colour, alpha=0.12, linewidth=0)
    words = "capacity\nloss"
    axes.annotate(words, ((1 + bears) / 2, 1.1), (0, 0), ha="center", **style)
    return figure
