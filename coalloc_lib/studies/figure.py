"""A figure of a paper as an object: its scenarios, what comes out of them, and the picture."""

from abc import ABC, abstractmethod

import pandas as pd

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.scenario import Scenario


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

    def __init__(self, name, title):
        self.name, self.title = name, title

    @property
    def scenarios(self):
        """The scenarios as a table, one row a line or bar."""
        return pd.DataFrame()

    def add(self, label, scenario):
        """Add a scenario of your own under a label; return the figure, to be run again."""
        raise InputError(f"{self.name} has no scenarios that one could be added to: {self.title}")

    def run(self, scale="quick", seed=None, **how):
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
    def data(self):
        """Return the numbers as a tidy table, one row a point."""

    @abstractmethod
    def plot(self):
        """Draw the figure and return a matplotlib `Figure`."""


class SimulatedFigure(Figure):
    """A figure whose numbers come from scenarios.

    Parameters
    ----------
    name, title : str
    entries : dict
        What is simulated, by label.
    scales : dict
        Sample sizes of each scale.
    seed : int
    """

    def __init__(self, name, title, entries, scales, seed):
        super().__init__(name, title)
        self.entries, self.scales, self.seed = dict(entries), scales, seed
        self.found, self._ran = {}, None

    def run(self, scale="quick", seed=None, **how):
        """Simulate what is not there yet of this scale and seed; see `Figure.run`."""
        size = self.scales[one_of("scale", scale, tuple(self.scales))]
        asked = size, self.seed if seed is None else seed
        if asked != self._ran:
            self.found, self._ran = {}, asked
        missing = {label: e for label, e in self.entries.items() if e not in self.found}
        if missing:
            self.found = self.found | self.measure(missing, *asked, **how)
        return self

    def keep(self, label, entry):
        """Add an entry under a label that is not taken."""
        if label in self.entries:
            raise InputError(f"label = {label!r} is taken in {self.name}; choose another")
        self.entries[label] = entry

    @abstractmethod
    def measure(self, entries, size, seed, **how):
        """Simulate entries at a scale; return what was found, by entry."""

    def result(self, label):
        """Return what was found of a label; raise `InputError` where it was not run."""
        entry = self.entries[label]
        if entry not in self.found:
            raise InputError(f"{self.name} has not run {label!r} yet; call its run() first")
        return self.found[entry]


def described(scenario):
    """Return the parts of a scenario in words, as columns of a table."""
    return {
        "system": str(scenario.system),
        "workload": str(scenario.workload),
        "scheduling": str(scenario.scheduling),
        "placement": "" if scenario.placement is None else str(scenario.placement),
    }


def checked_scenario(scenario):
    """Return `scenario`; refuse what is none."""
    if not isinstance(scenario, Scenario):
        raise InputError(f"scenario = {scenario!r}; give a Scenario")
    return scenario
