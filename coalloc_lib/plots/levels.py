"""Lines over a number, beside levels that are known from elsewhere."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coalloc_lib.estimates import Interval
from coalloc_lib.plots.signs import Sign, signs
from coalloc_lib.plots.style import GREY, head, name_lines, new_figure, some, title_figure

#: A line's places and what was found there, in rising order of the places.
Line = Sequence[tuple[float, Interval]]


def against_levels(
    panels: Mapping[str, Mapping[str, Line]], levels: Mapping[str, float], *, title: str,
    subtitle: str = "", xlabel: str = "", ylabel: str, look: Mapping[str, Sign] | None = None,
) -> Figure:  # fmt: skip
    """Draw lines with their 95 % bands, named at their ends, and levels across all panels.

    Parameters
    ----------
    panels : dict of dict
        ``panels[heading][name]`` is a list of pairs, a place and the `Interval` found there.
    levels : dict of float
        Heights by their names; they are written into the first panel.
    look : dict of Sign, optional
        By line, where it is not to follow from the names.
    """
    names = list(dict.fromkeys(name for drawn in some("panels", panels).values() for name in drawn))
    look = signs(names) if look is None else look
    figure, (row,) = new_figure(3.6, 1, len(panels), sharex=True, sharey=True, squeeze=False)
    for axes, (heading, drawn) in zip(row, panels.items(), strict=True):
        for name, line in drawn.items():
            _draw_line(axes, line, look[name])
        widest = _widest(panels)
        for level in levels.values():
            axes.plot([0, widest], [level] * 2, color="black", linestyle="--", linewidth=0.8)
        head(axes, heading)
        axes.set_xlabel(xlabel, x=0.35)
        axes.spines["bottom"].set_bounds(0, widest)
    _set_limits(row[0], panels, levels)
    row[0].set_ylabel(ylabel)
    for words, level in levels.items():
        style = {"textcoords": "offset points", "fontsize": 7.5, "color": GREY}
        row[0].annotate(words, (0, level), (3, 2), **style)
    title_figure(figure, title, subtitle)
    for axes, drawn in zip(row, panels.values(), strict=True):
        name_lines(axes, [(*_end(line), name, look[name].colour) for name, line in drawn.items()])
        for text in axes.texts[-len(drawn) :]:  # levels run behind the names
            text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.4})
    return figure


def _draw_line(axes: Axes, line: Line, sign: Sign) -> None:
    at = [place for place, _ in line]
    middle, low, high = (
        [getattr(found, part) for _, found in line] for part in ("estimate", "low", "high")
    )
    axes.plot(at, middle, color=sign.colour, marker=sign.marker, markersize=4, linewidth=1.4)
    axes.fill_between(at, low, high, color=sign.colour, alpha=0.25, linewidth=0)


def _set_limits(axes: Axes, panels: Mapping, levels: Mapping[str, float]) -> None:
    """Make room for all lines and levels, and on the right for the names."""
    lines = [line for drawn in panels.values() for line in drawn.values()]
    widest = _widest(panels)
    letters = max(len(name) for drawn in panels.values() for name in drawn)
    ticks = [tick / 10 for tick in range(11) if tick / 10 <= widest + 0.05]
    axes.set_xlim(0, widest * (1 + 0.015 * len(panels) * letters))
    axes.set_xticks(ticks)
    ends = [end for line in lines for _, found in line for end in (found.low, found.high)]
    low, high = min([*ends, *levels.values()]), max([*ends, *levels.values()])
    axes.set_ylim(low - 0.05 * (high - low), high + 0.1 * (high - low))


def _widest(panels: Mapping) -> float:
    return max(p for drawn in panels.values() for line in drawn.values() for p, _ in line)


def _end(line: Line) -> tuple[float, float]:
    place, found = line[-1]
    return place, found.estimate
