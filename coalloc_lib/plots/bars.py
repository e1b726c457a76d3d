"""Bars that are named and numbered where they end, with the claim's threshold across them."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.signs import Sign, signs
from coalloc_lib.plots.style import GREY, new_figure, some, title_figure

#: Height of a bar with its gap, and of the gap between groups, in inches.
BAR, GAP = 0.2, 0.12
#: What a bar's words take, as a share of the axis for each letter.
LETTER = 0.0105

Figures = Mapping[str, Mapping[str, Interval | float]]
#: Where a threshold lies: at a number, or from one to another.
Level = float | tuple[float, float]


def bars(
    groups: Figures, *, title: str, subtitle: str = "", xlabel: str = "capacity loss",
    threshold: tuple[str, Mapping[str, Level]] | None = None,
    look: Mapping[str, Sign] | None = None,
    words: Callable[[Interval], str] | None = None, most: float = np.inf,
) -> Figure:  # fmt: skip
    """Draw a bar for each figure, with its 95 % interval, its name and its value.

    Parameters
    ----------
    groups : dict of dict
        ``groups[group][series]`` is an `Interval` or a number; a series has one look in all groups.
    threshold : (str, dict), optional
        What a claim is judged by: its name, and where it lies in each group, or from where to
        where; a group may have none.
    look : dict of Sign, optional
        By series, where it is not to follow from the names.
    words : callable, optional
        Writes a figure with its interval; `told` where it is not given.
    most : float
        Where bars are cut off, with an arrow.
    """
    for group, row in some("groups", groups).items():
        for name, value in some(f"groups[{group!r}]", row).items():
            finite(f"groups[{group!r}][{name!r}]", value)
    series = list(dict.fromkeys(name for row in groups.values() for name in row))
    look = signs(series) if look is None else look
    count = sum(map(len, groups.values()))
    figure, axes = new_figure(0.55 + BAR * count + GAP * len(groups))
    places, at = {}, 0.0
    for group, row in groups.items():
        places[group] = at - 0.5, at + len(row) - 0.5
        for name, value in row.items():
            _bar(axes, at, as_interval(value), look[name], most)
            at += 1
        at += GAP / BAR
    _name_bars(axes, groups, words or told, most)
    axes.set_yticks([sum(ends) / 2 for ends in places.values()], list(groups))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(at - GAP / BAR - 0.45, -0.9 if threshold else -0.55)
    axes.set_xlabel(xlabel)
    axes.grid(False, axis="y")
    axes.grid(True, axis="x")
    if threshold is not None:
        _draw_threshold(axes, places, *threshold)
    title_figure(figure, title, subtitle)
    return figure


def _bar(axes: Axes, at: float, found: Interval, sign: Sign, most: float) -> None:
    axes.barh(at, min(found.estimate, most), 0.86, color=sign.colour)
    if found.high > most:
        axes.plot(most, at, ">", color=sign.colour, markersize=9, clip_on=False)
    elif found.count:
        ends = [[found.estimate - found.low], [found.high - found.estimate]]
        axes.errorbar(found.estimate, at, xerr=ends, ecolor="black", elinewidth=1, capsize=2)


def as_interval(value: Interval | float) -> Interval:
    """Return an interval, without length where it is a number that is known."""
    return value if isinstance(value, Interval) else Interval.exact(value)


def finite(argument: str, value: Interval | float) -> Interval:
    """Return a figure as an interval; refuse one that has no place in a picture."""
    found = as_interval(value)
    if not np.isfinite([found.estimate, found.low, found.high]).all():
        raise InputError(f"{argument} = {found}; a picture shows finite numbers, leave it out")
    return found


def told(value: Interval | float) -> str:
    """Return a figure in words, with its interval where it has one.

    Examples
    --------
    >>> told(0.25), told(Interval(0.25, 0.24, 0.26, 8))
    ('0.250', '0.250 ± 0.010')
    >>> told(Interval(0.25, 0.24, 0.26, 8, doubt="few jobs ended"))
    '0.250 ± 0.010, in doubt'
    """
    found = as_interval(value)
    words = f"{found.estimate:.3f}"
    if found.count:
        words += " ± <0.001" if found.half_width < 0.0005 else f" ± {found.half_width:.3f}"
    return f"{words}, in doubt" if found.doubt else words


def _name_bars(
    axes: Axes, groups: Figures, words_of: Callable[[Interval], str], most: float
) -> None:
    """Write each bar's name and value behind it, and make room for the longest.

    That of a negative bar stands behind 0, where there is room.
    """
    drawn = [(name, as_interval(value)) for row in groups.values() for name, value in row.items()]
    ends = [(max(0.0, min(found.high, most)), f"{name} {words_of(found)}") for name, found in drawn]
    left = min(0.0, *(1.05 * found.low for _, found in drawn))
    room = max(_room(end, words, left) for end, words in ends) or 1.0
    gap = 0.012 * (room - left)
    axes.set_xlim(left, room)
    # A share ends at 1, whatever room the words take.
    last = min(1.0, room) if all(found.high <= 1 for _, found in drawn) else room
    axes.set_xticks([tick for tick in axes.get_xticks() if left <= tick <= last])
    heights = _heights(groups.values())
    for (end, words), height in zip(ends, heights, strict=True):
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        axes.text(end + gap, height, words, va="center", fontsize=8, bbox=box, zorder=3)


def _room(end: float, words: str, left: float) -> float:
    """Return where an axis that begins at `left` ends, to have room for a bar's words."""
    share = LETTER * (len(words) + 2)
    return (end - share * left) / (1 - share)


def _heights(rows: Iterable[Mapping]) -> list[float]:
    heights, at = [], 0.0
    for row in rows:
        heights += [at + i for i in range(len(row))]
        at += len(row) + GAP / BAR
    return heights


def _draw_threshold(axes: Axes, places: Mapping, name: str, where: Mapping[str, Level]) -> None:
    for i, (group, level) in enumerate(where.items()):
        top, bottom = places[group]
        ends = level if isinstance(level, tuple) else (level,)
        axes.fill_betweenx([top, bottom], ends[0], ends[-1], color="0.9", linewidth=0, zorder=0.5)
        for end in ends:
            axes.plot([end, end], [top, bottom], color="white", linewidth=2.2)
            axes.plot([end, end], [top, bottom], color="black", linestyle="--", linewidth=1)
        if i == 0:
            style = {"fontsize": 8, "va": "bottom", "color": GREY}
            axes.text(sum(ends) / len(ends), top, name, ha="center", **style)
