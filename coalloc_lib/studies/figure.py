"""A figure of a paper as an object: its scenarios, what comes out of them, and the picture."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import InputError, one_of, shown
from coalloc_lib.estimates import Interval
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.measurements import Scale, measure
from coalloc_lib.studies.published import load_claims

if TYPE_CHECKING:
    from coalloc_lib.studies.ledger import Row


class Figure(ABC):
    """A figure of a paper, made anew.

    `run` simulates, `data` gives the numbers and `plot` the picture; in a notebook a figure shows
    itself, with the verdict of each claim that it answers. A figure that is part of a whole study
    is run with it, and then has its numbers already.

    Attributes
    ----------
    name : str
        Of its files, without suffix.
    subtitle : str
        What is plotted.
    claims : sequence of str
        Names of the claims that it answers.
    verdicts : list of Row
        Their rows of the ledger, from the run of the whole study.
    """

    def __init__(self, name: str, subtitle: str, claims: Sequence[str] = ()) -> None:
        self.name, self.subtitle, self.claims = name, subtitle, tuple(claims)
        self.verdicts: list[Row] = []

    @property
    @abstractmethod
    def title(self) -> str:
        """What is seen, said from the numbers as they are now."""

    @property
    def scenarios(self) -> pd.DataFrame:
        """The scenarios as a table, one row a line or bar."""
        return pd.DataFrame()

    def add(self, label: Any, scenario: Scenario | None = None) -> Self:
        """Add a scenario of your own under a label; return the figure, to be run again."""
        raise InputError(
            f"{self.name} has no scenarios that one could be added to: {self.subtitle}"
        )

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Simulate what the figure shows, and return the figure.

        Parameters
        ----------
        scale : {"quick", "paper"}, optional
            Sample sizes; where it is not given, those of what is there, or ``"quick"``.
        seed : int, optional
            That of what is there, or the study's own, where it is not given.
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

    @property
    def threshold_name(self) -> str:
        """What claims are judged by, where it is drawn as a dashed line."""
        return ""

    def words(self) -> str:
        """Return what the figure shows in words, for those who do not see it."""
        return f"{self.title}. {self.subtitle}."

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # Here, since the command line draws figures where no notebook is.
        from coalloc_lib.widgets.lessons import verdict_lines
        from coalloc_lib.widgets.picture import Picture

        try:
            figure, words = self.plot(), self.words()
        except InputError as error:  # not yet run: the last line of a cell should say so, not fail
            return {"text/html": f"<p>{escape(str(error))}</p>", "text/plain": str(error)}
        claims = load_claims(self.verdicts[0].study) if self.verdicts else {}
        below = verdict_lines(self.verdicts, claims, self.threshold_name)
        told = [f"{row.item} {row.verdict}." for row in self.verdicts]
        bundle = Picture(figure, words, below=below)._repr_mimebundle_()
        return bundle | {"text/plain": " ".join([words, *told])}


class SimulatedFigure(Figure):
    """A figure whose numbers come from scenarios.

    Parameters
    ----------
    name, subtitle : str
    entries : dict
        What is simulated, by label: a scenario, or a measurement of one.
    scales : dict of Scale
        Sample sizes of each scale.
    seed : int
    headline : callable, optional
        Takes the figure, returns its title.
    claims : sequence of str
    look : dict of Sign, optional
        By the name of a line or bar, where it is not to follow from the name.
    threshold : (str, callable), optional
        What a claim is judged by: its name, and where it lies by group or line, from the figure.
    """

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[Any, Any],
        scales: Mapping[str, Any], seed: Seed, *,
        headline: Callable[[Any], str] | None = None, claims: Sequence[str] = (),
        look: Mapping[str, plots.Sign] | None = None,
        threshold: tuple[str, Callable[[Any], Mapping[str, plots.Level]]] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, subtitle, claims)
        self.threshold = threshold
        self.look = look or {}
        self.scales, self.seed, self.headline = scales, seed, headline
        self.entries: dict[Any, Any] = {}
        self.found: dict[Hashable, Any] = {}
        self.ran: tuple | None = None
        for label, entry in entries.items():
            self.add(label, entry)

    @property
    def title(self) -> str:
        """What is seen, said from the numbers as they are now."""
        return self.spanned() if self.headline is None else self.headline(self)

    @abstractmethod
    def spanned(self) -> str:
        """Return from where to where the numbers reach: the title where there is no headline."""

    @property
    def threshold_name(self) -> str:
        """What claims are judged by, where it is drawn as a dashed line."""
        return "" if self.threshold is None else self.threshold[0]

    def thresholds(self) -> tuple[str, Mapping[str, plots.Level]] | None:
        """Return the name of the threshold and where it lies, from the numbers as they are now."""
        return None if self.threshold is None else (self.threshold[0], self.threshold[1](self))

    def looks(self, names: Iterable[str]) -> dict[str, plots.Sign]:
        """Return the sign of each name: the one that is given, or that of its meaning."""
        found = plots.signs(name for name in dict.fromkeys(names) if name not in self.look)
        return found | dict(self.look)

    @property
    def scenarios(self) -> pd.DataFrame:
        """The scenarios as a table, one row a line or bar."""
        return pd.DataFrame(self.described(label) for label in self.entries)

    def described(self, label: Any) -> dict[str, Any]:
        """Return the parts of a label's scenario in words, as columns of a table."""
        scenario = getattr(self.entries[label], "scenario", self.entries[label])
        return self.columns(label) | {
            "system": str(scenario.system),
            "workload": str(scenario.workload),
            "scheduling": str(scenario.scheduling),
            "placement": "" if scenario.placement is None else str(scenario.placement),
        }

    def columns(self, label: Any) -> dict[str, Any]:
        """Return a label, and where its point stands, as columns of a table."""
        return {"label": label}

    def add(self, label: Any, scenario: Any = None) -> Self:
        """Add a scenario under a label that is not taken; return the figure, to be run again."""
        try:
            hash(label)
        except TypeError:
            raise InputError(
                f"label = {shown(label)} has a part that can change; give words or a tuple"
            ) from None
        if label in self.entries:
            if self.entries[label] == scenario:  # a cell that is run twice
                return self
            raise InputError(f"label = {label!r} is taken in {self.name}; choose another")
        if not isinstance(getattr(scenario, "scenario", scenario), Scenario):
            raise InputError(f"scenario = {shown(scenario)}; give a Scenario")
        try:
            hash(scenario)
        except TypeError as error:
            raise InputError(
                f"scenario has a part that can change ({error}); make its dataclass "
                "frozen, as the policies here are"
            ) from None
        self.entries[label] = scenario
        return self

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Simulate what is not there yet of this scale and seed; see `Figure.run`."""
        size, its_seed = self.ran or (self.scales["quick"], self.seed)
        if scale is not None:
            size = self.scales[one_of("scale", scale, tuple(self.scales))]
        asked = size, its_seed if seed is None else seed
        if asked != self.ran:  # the verdicts are of other numbers
            self.found, self.ran, self.verdicts = {}, asked, []
        missing = {label: e for label, e in self.entries.items() if e not in self.found}
        if missing:
            self.found = self.found | self.measure(missing, *asked, **how)
        return self

    @abstractmethod
    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict[Hashable, Any]:
        """Simulate entries at a scale; return what was found, by entry."""

    def result(self, label: Any) -> Any:
        """Return what was found of a label; raise `InputError` where it was not run."""
        if label not in self.entries:
            raise InputError(
                f"label = {label!r} is not in {self.name}; it has "
                f"{', '.join(map(repr, self.entries))}"
            )
        entry = self.entries[label]
        if entry not in self.found:
            raise InputError(f"{self.name} has not run {label!r} yet; call its run() first")
        return self.found[entry]


class MeasuredFigure(SimulatedFigure):
    """A figure of one number for each entry, which is a `Measurement`, with its interval.

    Attributes
    ----------
    quantity : str
        What the number is: its column of the table.
    """

    quantity: ClassVar[str]

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate the measurements; see `coalloc_lib.studies.measurements.measure`."""
        return measure(entries, scale, seed, **how)

    def interval(self, label: Any) -> Interval:
        """Return the number of a label with its 95 % interval."""
        return self.result(label).interval

    def data(self) -> pd.DataFrame:
        """Return one row an entry: its label, its number, how that is known, and its scenario."""
        rows = []
        for label, entry in self.entries.items():
            found = self.interval(label)
            ends = {self.quantity: found.estimate, "ci95_low": found.low, "ci95_high": found.high}
            known = {"count": found.count, "method": entry.method, "doubt": found.doubt}
            rows.append(self.columns(label) | ends | known | self.described(label))
        return pd.DataFrame(rows)


def give(figures: Sequence[Figure], found: Mapping[Any, Any], scale: Any, seed: Seed) -> None:
    """Give figures what a run of the whole study found, by entry, at this scale and seed."""
    for figure in figures:
        if isinstance(figure, SimulatedFigure):
            figure.found, figure.ran = dict(found), (scale, seed)
