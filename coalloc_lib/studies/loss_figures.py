"""Figures of capacity losses: bars with their intervals."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from matplotlib.figure import Figure as Picture
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.inference import Sample
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import MeasuredFigure
from coalloc_lib.studies.measurements import Measurement, Saturated, Scale

Label = tuple[str, str]


class LossFigure(MeasuredFigure):
    """Bars of capacity losses, grouped.

    Parameters
    ----------
    entries : dict
        Scenarios, or other measurements than that of heavy traffic, by (group, series).
    of_sizes : callable, optional
        Where groups are size distributions: returns the entries of the one of this name.
    """

    quantity = "capacity_loss"

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[Label, Scenario | Measurement],
        scales: Mapping[str, Scale], seed: Seed, *,
        of_sizes: Callable[[str], Mapping[Label, Measurement]] | None = None,
        **said: Any,
    ) -> None:  # fmt: skip
        self.of_sizes = of_sizes
        super().__init__(name, subtitle, entries, scales, seed, **said)

    def columns(self, label: Label) -> dict[str, str]:
        """Return a (group, series) as columns of a table."""
        group, series = label
        return {"group": group, "series": series}

    def add(self, label: Label | str, scenario: Scenario | Measurement | None = None) -> Self:
        """Add a bar, or all of those of a size distribution; return the figure, to be run again.

        Parameters
        ----------
        label : (str, str) or str
            Group and series of a bar; or a size distribution, as `parse_sizes` takes it.
        scenario : Scenario, optional
            None for a size distribution.

        Examples
        --------
        >>> from coalloc_lib.studies import maximal_utilization as study
        >>> figure = study.figure("figure6").add("U[1,10]")
        >>> figure.scenarios["group"].iloc[-1]
        'U[1,10]'
        """
        if isinstance(label, str) and scenario is None and self.of_sizes is not None:
            for bar, measured in self.of_sizes(label).items():
                super().add(bar, measured)
            return self
        if not isinstance(label, tuple) or [*map(type, label)] != [str, str]:
            alone = "" if self.of_sizes is None else ", or a size distribution alone"
            raise InputError(
                f"label = {label!r}; give a pair of texts, group and series, with a scenario{alone}"
            )
        return super().add(
            label, Saturated(scenario) if isinstance(scenario, Scenario) else scenario
        )

    def values(self, label: Label) -> NDArray[np.float64]:
        """Return the capacity loss of each replication or batch of a (group, series)."""
        return self.result(label).values

    @property
    def losses(self) -> dict[str, dict[str, Sample]]:
        """The capacity losses, as ``losses[group][series]``."""
        found: dict[str, dict[str, Sample]] = {}
        for group, series in self.entries:
            found.setdefault(group, {})[series] = self.result((group, series))
        return found

    def spanned(self) -> str:
        """Return the smallest and the largest loss, and whose they are."""
        ordered = sorted(self.entries, key=lambda label: self.result(label).mean)
        ends = [f"{self.result(each).mean:.3f} ({', '.join(each)})" for each in ordered]
        return f"Losses from {ends[0]} to {ends[-1]}"

    def plot(self) -> Picture:
        """Draw the bars, one colour a series."""
        groups = {
            g: {name: s.interval for name, s in row.items()} for g, row in self.losses.items()
        }
        look = self.looks([series for _, series in self.entries])
        return plots.bars(
            groups, title=self.title, subtitle=self.subtitle, threshold=self.thresholds(), look=look
        )

    def words(self) -> str:
        """Return the figure in words: its title, what is plotted, and the losses."""
        groups = [
            f"{group}: " + ", ".join(f"{name} {plots.told(s.interval)}" for name, s in row.items())
            for group, row in self.losses.items()
        ]
        return f"{super().words()} {'; '.join(groups)}."
