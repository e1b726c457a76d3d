"""Figures of ratios along a parameter: lines by panel, and 1 as what they are held against."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import SimulatedFigure


def steps(names: Iterable[str]) -> dict[str, plots.Sign]:
    """Return shades for steps of a quantity, without the lightest, in which names are hard to read.

    Examples
    --------
    >>> list(steps(["S1", "S2"]))
    ['S1', 'S2']
    """
    *kept, _ = plots.shades([*names, "one more"]).items()
    return dict(kept)


class At(NamedTuple):
    """Which point of a figure: its panel, its line, and its place on it."""

    panel: Any
    line: str
    place: float


class RatioLines(SimulatedFigure):
    """Ratios along a parameter.

    Parameters
    ----------
    entries : dict
        By `At`.
    xlabel : str
    ylabel : str
    against : str
        What a ratio of 1 is, in words.
    printed : dict of float, optional
        Places on the level of 1 that the paper prints, by line.
    bare : sequence of str
        Lines whose intervals are not drawn.

    Attributes
    ----------
    whole : bool
        Whether the picture has room for all intervals.
    """

    whole: ClassVar[bool] = False

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[At, Any], scales: Mapping[str, Any],
        seed: Seed, *, xlabel: str, ylabel: str, against: str,
        printed: Mapping[str, float] | None = None, bare: Sequence[str] = (),
        **said: Any,
    ) -> None:  # fmt: skip
        self.xlabel, self.ylabel, self.against = xlabel, ylabel, against
        self.bare = bare
        self.printed = printed or {}
        super().__init__(name, subtitle, entries, scales, seed, **said)

    @property
    def panels(self) -> list[Any]:
        """What the panels are of."""
        return list(dict.fromkeys(at.panel for at in self.entries))

    def heading(self, panel: Any) -> str:
        """Return what a panel shows, in words."""
        return str(panel)

    def lines(self, panel: Any) -> dict[str, dict[float, At]]:
        """Return the points of each line of a panel, by place."""
        found: dict[str, dict[float, At]] = {}
        for at in self.entries:
            if at.panel == panel:
                found.setdefault(at.line, {})[at.place] = at
        return found

    @abstractmethod
    def interval(self, panel: Any, line: str, place: float) -> Interval | None:
        """Return the ratio at a place of a line; None where there is none, past saturation."""

    def spanned(self) -> str:
        """Return from what to what the ratios reach."""
        ratios = [
            found.estimate
            for panel in self.panels
            for line, points in self.lines(panel).items()
            for place in points
            if (found := self.interval(panel, line, place)) is not None
        ]
        ends = f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "of saturated systems only"
        return f"Ratios {ends} to {self.against}"

    def plot(self) -> Picture:
        """Draw the ratios, on a scale of factors."""
        panels = self.drawn()
        return plots.ratios(
            panels,
            title=self.title,
            subtitle=self.subtitle,
            xlabel=self.xlabel,
            ylabel=self.ylabel,
            level=self.against,
            look=self.looks(line for drawn in panels.values() for line in drawn),
            printed=self.printed,
            bare=self.bare,
            whole=self.whole,
        )

    def drawn(self) -> dict[str, dict[str, list[tuple[float, Interval | None]]]]:
        """Return the points of each line, by the heading of its panel and its name."""
        return {
            self.heading(panel): {
                line: [(place, self.interval(panel, line, place)) for place in sorted(points)]
                for line, points in self.lines(panel).items()
            }
            for panel in self.panels
        }

    def words(self) -> str:
        """Return the figure in words: the ratio at the first and last place of each line."""
        told = []
        for panel in self.panels:
            for line, points in self.lines(panel).items():
                ends = [self.interval(panel, line, place) for place in (min(points), max(points))]
                values = ["saturated" if end is None else f"{end.estimate:.2f}" for end in ends]
                told.append(f"{self.heading(panel)}, {line}: {values[0]} to {values[1]}")
        return f"{super().words()} {'; '.join(told)}."
