"""A figure of a paper as an object: its scenarios, what comes out of them, and the picture."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any, Self

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.measurements import Scale


class Figure(ABC):
    """A figure of a paper, made anew.

    `run` simulates, `data` gives the numbers and `plot` the picture. A figure that is part of a
    whole study is run with it, and then has its numbers already.

    Attributes
    ----------
    name : str
        Of its files, without suffix.
    title : str
    """

    def __init__(self, name: str, title: str) -> None:
        self.name, self.title = name, title

    @property
    def scenarios(self) -> pd.DataFrame:
        """The scenarios as a table, one row a line or bar."""
        return pd.DataFrame()

    def add(self, label: Any, scenario: Scenario) -> Self:
        """Add a scenario of your own under a label; return the figure, to be run again."""
        raise InputError(f"{self.name} has no scenarios that one could be added to: {self.title}")

    def run(self, scale: str = "quick", seed: Seed | None = None, **how: Any) -> Self:
        """Simulate what the figure shows, and return the figure.

        Parameters
        ----------
        scale : {"quick", "paper"}
            Sample sizes.
        seed : int, optional
            The study's own where it is not given.
        how
            For `coalloc_lib.sweep.sweep`: workers, cache, progress. The numbers do not depend on
            it.
        """
        return self

    @abstractmethod
    def data(self) -> pd.DataFrame:
        """Return the numbers as a tidy table, one row a point."""

    @abstractmethod
    def plot(self) -> Picture:
        """Draw the figure and return a matplotlib `Figure`."""


class SimulatedFigure(Figure):
    """A figure whose numbers come from scenarios.

    Parameters
    ----------
    name, title : str
    entries : dict
        What is simulated, by label: a scenario, or a measurement of one.
    scales : dict of Scale
        Sample sizes of each scale.
    seed : int
    """

    def __init__(
        self, name: str, title: str, entries: Mapping[Any, Any],
        scales: Mapping[str, Scale], seed: Seed,
    ) -> None:  # fmt: skip
        super().__init__(name, title)
        self.scales, self.seed = scales, seed
        self.entries: dict[Any, Any] = {}
        self.found: dict[Hashable, Any] = {}
        self._ran: tuple | None = None
        for label, entry in entries.items():
            self.add(label, entry)

    @property
    def scenarios(self) -> pd.DataFrame:
        """The scenarios as a table, one row a line or bar."""
        return pd.DataFrame(self.described(label) for label in self.entries)

    def described(self, label: Any) -> dict[str, str]:
        """Return the parts of a label's scenario in words, as columns of a table."""
        scenario = getattr(self.entries[label], "scenario", self.entries[label])
        return self.columns(label) | {
            "system": str(scenario.system),
            "workload": str(scenario.workload),
            "scheduling": str(scenario.scheduling),
            "placement": "" if scenario.placement is None else str(scenario.placement),
        }

    def columns(self, label: Any) -> dict[str, str]:
        """Return a label as columns of a table."""
        return {"label": label}

    def add(self, label: Any, scenario: Any) -> Self:
        """Add a scenario under a label that is not taken; return the figure, to be run again."""
        if label in self.entries:
            raise InputError(f"label = {label!r} is taken in {self.name}; choose another")
        if not isinstance(getattr(scenario, "scenario", scenario), Scenario):
            raise InputError(f"scenario = {scenario!r}; give a Scenario")
        self.entries[label] = scenario
        return self

    def run(self, scale: str = "quick", seed: Seed | None = None, **how: Any) -> Self:
        """Simulate what is not there yet of this scale and seed; see `Figure.run`."""
        size = self.scales[one_of("scale", scale, tuple(self.scales))]
        asked = size, self.seed if seed is None else seed
        if asked != self._ran:
            self.found, self._ran = {}, asked
        missing = {label: e for label, e in self.entries.items() if e not in self.found}
        if missing:
            self.found = self.found | self.measure(missing, *asked, **how)
        return self

    @abstractmethod
    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict[Hashable, Any]:
        """Simulate entries at a scale; return what was found, by entry."""

    def result(self, label: Any) -> Any:
        """Return what was found of a label; raise `InputError` where it was not run."""
        entry = self.entries[label]
        if entry not in self.found:
            raise InputError(f"{self.name} has not run {label!r} yet; call its run() first")
        return self.found[entry]


def give(found: Mapping[Any, Any], figures: list[Figure]) -> list[Figure]:
    """Give figures what was found of all their entries, by entry; return the figures."""
    for figure in figures:
        if isinstance(figure, SimulatedFigure):
            figure.found = dict(found)
    return figures
