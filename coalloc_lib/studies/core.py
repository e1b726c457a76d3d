"""What every study is made of: cases that are measured once, figures and claims that read results.

A *case* is anything hashable but a tuple. A *figure* turns the results of its cases into one tidy
table, which is its CSV. A *claim* turns results into the deciding interval and its parts.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Self
from warnings import warn

import pandas as pd
from matplotlib.figure import Figure as Picture
from pandas.io.formats.style import Styler

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, one_of, shown
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.experiments import furthest, interval_columns, least, most
from coalloc_lib.experiments.sweep import run_points
from coalloc_lib.intervals import Interval
from coalloc_lib.studies.ledger import Decision, Row, judge_claim, not_on_stand_in
from coalloc_lib.studies.pages import claims_table, verdict_lines
from coalloc_lib.studies.published import load_claims, published_claim
from coalloc_lib.studies.study import Scale, missing_logs, scales

__all__ = [
    "Decision", "Figure", "Results", "Scale", "Study", "StudyResult", "cases_of", "furthest",
    "interval_columns", "least", "missing_logs", "most", "scales",
]  # fmt: skip

#: By label: a case, or a tuple of cases that are compared.
Entries = Mapping[Any, Any]
Cases = Callable[["Scale", Seed], Entries]


def measure_case(case: Any, scale: Scale, seed: Seed) -> Any:
    """Return ``case.measure(scale, seed)``: how studies measure that do not say otherwise."""
    return case.measure(scale, seed)


class Results:
    """What was measured: a result by case, and the tables of the figures, each made once."""

    def __init__(self, study: "Study", scale: Scale, seed: Seed, by_case: dict) -> None:
        self.study, self.scale, self.seed, self.by_case = study, scale, seed, by_case
        self._tables = dict[str, Any]()

    def __getitem__(self, case: Hashable) -> Any:
        if case in self.by_case:
            return self.by_case[case]
        raise InputError(
            f"{case} was not measured; name it in the cases of a figure or of the claim"
        )

    def table(self, name: str) -> pd.DataFrame:
        """Return the table of a figure of the study, as it is without a reader's own cases."""
        if name not in self._tables:
            figure = self.study.figures[one_of("name", name, tuple(self.study.figures))]
            self._tables[name] = figure.make_table(figure.cases(self.scale, self.seed), self)
        return self._tables[name]


@dataclass(eq=False)
class Figure:
    """A figure, or a table without a picture; in a notebook it shows itself, with its verdicts.

    ``cases(scale, seed)`` returns by label a case, or a tuple of cases that are compared. `notice`
    says what to notice where ``when(table)``, else `otherwise` or what it `shows`.
    ``one_more(label, case)`` returns the entries that a reader's case adds.
    """

    name: str
    shows: str
    cases: Cases
    make_table: Callable[[Entries, Results], pd.DataFrame]
    draw: Callable[..., Picture] | None = None
    notice: str = ""
    when: Callable[[pd.DataFrame], Any] = lambda table: True
    otherwise: str = ""
    claims: tuple[str, ...] = ()
    one_more: Callable[..., Entries] | None = None
    study: Any = field(kw_only=True)
    verdicts: list[Row] = field(default_factory=list, init=False)
    _added: dict = field(default_factory=dict, init=False)
    _own_table: Any = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._results = Results(self.study, self.study.scales["quick"], self.study.seed, {})

    @property
    def entries(self) -> dict[Any, Any]:
        """By label, the cases of the scale that was run, or of ``quick``, and the reader's own."""
        return self._merged(self.cases(self._results.scale, self._results.seed), self._added)

    def _merged(self, entries: Entries, more: Entries) -> dict[Any, Any]:
        for label, entry in more.items():
            if entries.get(label, entry) != entry:
                raise InputError(f"label = {label!r} is taken in {self.name}; choose another")
        return {**entries, **more}

    def add(self, label: Any, case: Any = None) -> Self:
        """Add a case of your own under a label; return the figure, to be run again."""
        if self.one_more is None:
            raise InputError(f"{self.name} takes no case of your own: {self.shows}")
        try:
            hash((label, case))
            entries = self.one_more(label, case)
            hash(tuple(entries.items()))
        except TypeError as error:
            raise InputError(
                f"label = {shown(label)}: it or its case has a part that can change ({error}); "
                "give words or a tuple, and frozen dataclasses, as the policies here are"
            ) from None
        known = self.entries
        self._merged(known, entries)
        self._added |= {name: entry for name, entry in entries.items() if name not in known}
        self._own_table = None
        return self

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Measure what is not there yet; `how` is for `run_points`, and no result depends on it."""
        before = self._results
        size = before.scale
        if scale is not None:
            size = self.study.scales[one_of("scale", scale, tuple(self.study.scales))]
        its_seed = before.seed if seed is None else seed
        known = before.by_case if (before.scale, before.seed) == (size, its_seed) else {}
        if not known:  # the verdicts are of other numbers
            self.verdicts = []
        cases = cases_of([self._merged(self.cases(size, its_seed), self._added)])
        self._results = self.study.measure_all(cases, size, its_seed, known, **how)
        self._own_table = None
        return self

    def data(self) -> pd.DataFrame:
        """Return the numbers as a tidy table, one row a point."""
        entries = self.entries
        for name, entry in entries.items():
            if any(case not in self._results.by_case for case in _each(entry)):
                raise InputError(f"{self.name} has not run {name!r} yet; call its run() first")
        if not self._added:
            return self._results.table(self.name)
        if self._own_table is None:
            self._own_table = self.make_table(entries, self._results)
        return self._own_table

    @property
    def title(self) -> str:
        """What to notice, where the table shows it; else the neutral sentence."""
        table, shows_it = self.data(), False
        try:
            shows_it = bool(self.notice and self.when(table))
        except (LookupError, ValueError, TypeError) as error:
            if not self._added:  # the sentence is of the study's own cases, not of any
                warn(f"what to notice in {self.name} cannot be judged: {error!r}", stacklevel=2)
        return self.notice if shows_it else self.otherwise or self.shows

    def plot(self) -> Picture:
        """Draw the figure and return a matplotlib `Figure`."""
        if self.draw is None:
            raise InputError(f"{self.name} is a table without a picture; call its data()")
        title = self.title
        return self.draw(self.data(), title=title, subtitle=self.shows * (title != self.shows))

    def words(self) -> str:
        """Return the figure in words, for those who do not see it."""
        return " ".join(f"{each.rstrip('.')}." for each in dict.fromkeys((self.title, self.shows)))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            table = self.data()
            picture = self.plot() if self.draw else None
        except InputError as error:  # not yet run: the last line of a cell should say so, not fail
            return {"text/html": f"<p>{escape(str(error))}</p>", "text/plain": str(error)}
        below = verdict_lines(self.verdicts)
        if picture is None:
            return {"text/html": table.to_html(index=False) + below, "text/plain": self.words()}
        verdicts = [f"{row.item} {row.verdict}." for row in self.verdicts]
        bundle = plots.Picture(picture, self.words(), below=below)._repr_mimebundle_()
        return bundle | {"text/plain": " ".join([self.words(), *verdicts])}


@dataclass(eq=False)
class Study:
    """A study of a paper: how a case is measured, the figures and claims, and the logs it needs."""

    name: str
    title: str
    seed: int
    scales: dict[str, Scale]
    measure: Callable[..., Any] = measure_case
    logs: tuple[str, ...] = ()
    figures: dict[str, Figure] = field(default_factory=dict, init=False)
    _numbers: list = field(default_factory=list, init=False)
    _judges: dict = field(default_factory=dict, init=False)

    def add_figure(self, name: str, shows: str, cases: Cases, **how: Any) -> Callable:
        """Return a decorator for the `make_table` of a figure; the rest as in `Figure`."""
        if name in self.figures:
            raise InputError(f"name = {name!r} is a figure of {self.name}; choose another")

        def keep(make_table: Callable) -> Callable:
            self.figures[name] = Figure(name, shows, cases, make_table, study=self, **how)
            return make_table

        return keep

    def add_claim(
        self, item: str, quantity: str, cases: Cases | None = None, logs: Iterable[str] = ()
    ) -> Callable:
        """Return a decorator for the ``judge(results)`` of a claim; its number rests on `logs`."""
        if item in self._judges:
            raise InputError(f"item = {item!r} has a judge already; choose another claim")

        def keep(judge: Callable[[Results], Decision]) -> Callable[[Results], Decision]:
            self._judges[item] = quantity, judge, cases, tuple(logs)
            return judge

        return keep

    def add_numbers(self, rows: Callable[[Results], Iterable[Row]]) -> Callable:
        """Keep a function that returns the rows of printed numbers; use it as a decorator."""
        self._numbers.append(rows)
        return rows

    def figure(self, name: str) -> Figure:
        """Return a figure, not yet run, by its name."""
        return replace(self.figures[one_of("name", name, tuple(self.figures))])

    def measure_all(
        self, cases: Iterable, scale: Scale, seed: Seed, known: Mapping = {}, **how: Any
    ) -> Results:
        """Measure cases, each once, but for those that are known; return the `Results`."""
        missing = [case for case in dict.fromkeys(cases) if case not in known]
        points, how = [{"case": case, "scale": scale} for case in missing], {"workers": -1} | how
        measured = run_points(self.measure, points, seed=seed, **how) if points else []
        return Results(self, scale, seed, {**known, **dict(zip(missing, measured, strict=True))})

    def claim_row(self, item: str, results: Any) -> Row:
        """Return the row of the ledger of a claim."""
        quantity, judge, _, logs = self._judges[one_of("item", item, tuple(self._judges))]
        decision = Decision(*judge(results))
        found = decision.decides
        value, low, high = (
            (found.estimate, found.low, found.high) if isinstance(found, Interval)
            else (found, None, None)
        )  # fmt: skip
        claim = published_claim(self.name, item)
        number, verdict = claim.number or None, judge_claim(decision, claim.sentences)
        if number and (missing := missing_logs(logs)):
            verdict = not_on_stand_in(" ".join(missing))
        return Row(self.name, item, quantity, number, value, low, high, *verdict)

    def reproduce(
        self, scale: str = "quick", seed: Seed | None = None, **how: Any
    ) -> "StudyResult":
        """Measure every case, and return the `StudyResult`; `how` as in `Figure.run`."""
        size = self.scales[one_of("scale", scale, tuple(self.scales))]
        for item in self._judges:
            published_claim(self.name, item)  # before hours of work
        for figure in self.figures.values():
            for item in figure.claims:
                one_of(f"claim of {figure.name}", item, tuple(self._judges))
        sources = [figure.cases for figure in self.figures.values()]
        sources += [cases for _, _, cases, _ in self._judges.values() if cases is not None]
        seed = self.seed if seed is None else seed
        cases = cases_of(source(size, seed) for source in sources)
        results = self.measure_all(cases, size, seed, **how)
        rows = [row for numbers in self._numbers for row in numbers(results)]
        rows += [self.claim_row(item, results) for item in self._judges]
        return StudyResult(self, results, rows)


def _each(entry: Any) -> tuple:
    return entry if isinstance(entry, tuple) else (entry,)


def cases_of(entries: Iterable[Entries]) -> list[Any]:
    """Return the cases of several figures, each once, in their order."""
    return [*dict.fromkeys(c for each in entries for e in each.values() for c in _each(e))]


@dataclass(frozen=True, eq=False)
class StudyResult:
    """What reproducing a study gives: the results, and `rows`, its part of the ledger."""

    study: Study
    results: Results
    rows: list[Row]

    @property
    def figures(self) -> list[Figure]:
        """All figures, run; each has the rows of its claims."""
        return [self.figure(name) for name in self.study.figures]

    def figure(self, name: str) -> Figure:
        """Return the figure of this name, run; an `InputError` lists the names there are."""
        figure = self.study.figure(name)
        figure._results = self.results
        figure.verdicts = [row for row in self.rows if row.item in figure.claims]
        return figure

    def claims(self) -> Styler:
        """Return the index of all claims: the paper's words, and what came out here."""
        known = load_claims(self.study.name)
        return claims_table([row for row in self.rows if row.item in known])
