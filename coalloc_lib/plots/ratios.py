"""Ratios along a parameter, on a scale of factors: below 1 something pays, above it loses."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.plots.signs import PRINT, Sign, signs
from coalloc_lib.plots.style import PRINTED, head, name_lines, new_figure, some, title_figure

#: A line's places, and the ratio there, None past saturation.
RatioLine = Sequence[tuple[float, Interval | None]]
#: Factors beyond which lines leave the picture.
FACTORS = (0.25, 4.0)
#: Letters of names that fit beside the lines of panels in a row; longer ones make rows of two.
WIDE = 40
TICKS = (0.25, 0.33, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4)


def ratios(
    panels: Mapping[str, Mapping[str, RatioLine]], *, title: str, subtitle: str = "", xlabel: str,
    ylabel: str, level: str, look: Mapping[str, Sign] | None = None,
    printed: Mapping[str, float] | None = None, bare: Sequence[str] = (), whole: bool = False,
) -> Figure:  # fmt: skip
    """Draw ratios with their 95 % bands, and 1 as a dashed line, which the subtitle names.

    A line that ends in a cross is past saturation from there on. Names stand at the right, or at
    the left where the lines meet at the right.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading][name]`` is a list of pairs, a place and the ratio there, or None where a
        system saturates.
    level : str
        What a ratio of 1 is, in words.
    look : dict of Sign, optional
        By name, where it is not to follow from the names.
    printed : dict of float, optional
        Places that a paper prints, by the name of the line that is at 1 there.
    bare : sequence of str
        Names of lines without their bands.
    whole : bool
        Whether the axis has room for all bands, and not for all lines only.
    """
    names = list(dict.fromkeys(name for drawn in some("panels", panels).values() for name in drawn))
    look = signs(names) if look is None else look
    letters = max(map(len, names))
    columns = len(panels) if letters * len(panels) <= WIDE or len(panels) < 3 else 2
    rows = -(-len(panels) // columns)
    figure, grid = new_figure(
        3.2 if rows == 1 else 2.2 * rows, rows, columns, sharex=True, sharey=True, squeeze=False
    )
    row = grid.ravel()
    for spare in row[len(panels) :]:
        spare.remove()
    low, high = limits(panels, whole)
    places = [place for drawn in panels.values() for line in drawn.values() for place, _ in line]
    left = _meet_at_the_right(panels)
    room = (max(places) - min(places)) * (0.04 + 0.013 * columns * letters)
    room *= 1.7 if left else 1  # at the left they are not to touch the axis
    for axes, (heading, drawn) in zip(row, panels.items(), strict=False):
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        axes.set_xlim(min(places) - room * left, max(places) + room * (not left))
        axes.spines["bottom"].set_bounds(min(places), max(places))
        axes.plot([min(places), max(places)], [1, 1], color="black", linestyle="--", linewidth=1)
        for name, line in drawn.items():
            draw_line(axes, line, look[name], high, name not in bare)
        for name, place in (printed or {}).items():
            if name in drawn:
                axes.plot(place, 1, **PRINTED | {"color": look[name].colour, "zorder": 5})
        head(axes, heading)
        axes.set_xticks(marks(places))
    figure.supxlabel(xlabel, fontsize=9)
    mark_factors(row[0], low, high)
    for axes in grid[:, 0]:
        axes.set_ylabel(ylabel)
    said = [*[subtitle] * bool(subtitle), f"dashed: {level}"]
    if printed:
        shown = ", ".join(f"{name} {place:g}" for name, place in printed.items())
        said.append(f"{_DIAMOND}: where the paper has {shown} at 1")
    title_figure(figure, title, "; ".join(said))
    for axes, drawn in zip(row, panels.values(), strict=False):
        known = {n: found for n, line in drawn.items() if (found := _known(line))}
        end, x = (0, min(places)) if left else (-1, max(places))
        ends = {n: float(np.clip(found[end], low, high)) for n, found in known.items()}
        name_lines(axes, [(x, y, n, look[n].colour) for n, y in ends.items()], left=left)
    return figure


_DIAMOND = {"D": "◇"}[PRINT.marker]


def mark_factors(axes: Axes, low: float, high: float) -> None:
    """Mark the factors of a vertical axis."""
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def marks(places: Sequence[float]) -> list[float]:
    """Return where the horizontal axis is marked: round numbers, none outside of the lines."""
    least, most = min(places), max(places)
    round_ones = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(least, most)
    slack = 1e-9 * (most - least)  # 0.1 + 0.2 is more than 0.3
    return [mark for mark in round_ones if least - slack <= mark <= most + slack]


def _known(line: RatioLine) -> list[float]:
    return [found.estimate for _, found in line if found is not None]


def _meet_at_the_right(panels: Mapping[str, Mapping[str, RatioLine]]) -> bool:
    """Whether lines lie on one another at their last places, in all panels, but not at the first.

    They do where a parameter ends in what all are held against.
    """
    known = [
        [found for line in drawn.values() if (found := _known(line))] for drawn in panels.values()
    ]
    first, last = (
        max(np.ptp(np.log([found[end] for found in each])) if each else 0.0 for each in known)
        for end in (0, -1)
    )
    return bool(last < 0.1 * first)


def limits(
    panels: Mapping[str, Mapping[str, RatioLine]], whole: bool = False
) -> tuple[float, float]:
    """Return the factors that the picture reaches from and to; `whole`: with all bands."""
    ends = [1.0]
    for drawn in panels.values():
        for name, line in drawn.items():
            for place, found in line:
                if found is None:
                    continue
                if not found.estimate > 0:
                    raise InputError(
                        f"the ratio of {name!r} at {place} is {found.estimate}; give one above 0"
                    )
                ends += [found.estimate, *[max(found.low, FACTORS[0]), found.high] * whole]
    return max(min(ends) / 1.1, FACTORS[0]), min(max(ends) * 1.1, FACTORS[1])


def draw_line(axes: Axes, line: RatioLine, sign: Sign, top: float, band: bool) -> None:
    """Draw a line with its band, and a cross where it saturates."""
    known = [(place, found) for place, found in line if found is not None]
    at = [place for place, _ in known]
    middle, low, high = (
        np.array([getattr(found, part) for _, found in known])
        for part in ("estimate", "low", "high")
    )
    style = {"color": sign.colour, "marker": sign.marker, "markersize": 3.5, "linewidth": 1.4}
    axes.plot(at, middle, **style)
    if band:
        look = {"color": sign.colour, "alpha": 0.18, "linewidth": 0}
        axes.fill_between(at, np.maximum(low, 1e-9), high, **look)
    gone = [place for place, found in line if found is None]
    if gone:  # an empty line would count as a point in the picture's corner
        axes.plot(gone, [top] * len(gone), "x", color=sign.colour, markersize=5, clip_on=False)
