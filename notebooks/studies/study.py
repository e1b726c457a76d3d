"""A study is data: settings, what is measured of each, and figures and claims that read the runs.

``study.run("quick")`` measures every setting and returns one table of runs. ``study.judge(runs)``
makes the ledger, the figures and the page from such a table, also from a stored one, and simulates
nothing. The functions that figures and claims are written with are those of `statistics`.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, instance_of, one_of, shown, whole
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.statistics import NoColumnError, NotRunError, groups_of, pick
from coalloc_lib.statistics.storage import (
    each_once,
    identities,
    identity,
    joined_runs,
    setting_columns,
    table_of_runs,
    write_runs,
)
from coalloc_lib.statistics.sweep import SweepError, run_points
from coalloc_lib.statistics.sweep.keys import files_digest
from coalloc_lib.statistics.sweep.points import label
from coalloc_lib.workloads.catalogue import content_sha256, listing
from studies.archive import archived_runs
from studies.joint_reading import JointReading
from studies.ledger import Decision, Row, judge_claim, not_on_stand_in
from studies.published import load_claims, published_claim
from studies.results import SHIPPED, Caption, StudyFigure, StudyResult

STUDIES_FOLDER = Path(__file__).parent
#: The version of the studies in the keys of the points that a cache keeps. It is made at import,
#: because files that change later are not imported again.
VERSION = files_digest(STUDIES_FOLDER.rglob("*.py"), STUDIES_FOLDER)

#: The file of a study's runs, in the folder of its results.
RUNS = "runs.csv.gz"


def six_digits(value: float) -> float:
    """Return a number with six significant digits, as the ledger and stored runs have them."""
    return float(f"{value:.6g}")


class Scale(SimpleNamespace):
    """How much is simulated, and how many settings there are: values by name, as attributes."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the study's scales have no {name!r}; add it: scales({name}=(..., ...))"
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a scale does not change; make another with {name} = {shown(value)}")


def scales(**pairs: tuple[Any, Any]) -> dict[str, Scale]:
    """Return the scales ``quick`` and ``paper``, given both values of each name."""
    quick = {name: pair[0] for name, pair in pairs.items()}
    paper = {name: pair[1] for name, pair in pairs.items()}
    return {"quick": Scale(**quick), "paper": Scale(**paper)}


@dataclass(frozen=True)
class PaperSetting:
    """The setting that a paper's sentence is about.

    `varied` has the paper's own value of each column in which the runs may differ: where they have
    other values, a claim is asked too, and what comes out there is a note. `fixed` picks the runs
    that are read wherever it is asked. A claim rests on `logs`: on stand-ins it cannot be tested.
    """

    varied: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    logs: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """All values, to pick the runs of the setting."""
        return {**self.varied, **self.fixed}

    def with_(self, **values: Any) -> "PaperSetting":
        """Return the setting with other values of some of its columns."""
        for name in values:
            one_of("column", name, tuple(self.values))
        varied = {name: values.get(name, value) for name, value in self.varied.items()}
        fixed = {name: values.get(name, value) for name, value in self.fixed.items()}
        return replace(self, varied=varied, fixed=fixed)

    def without(self, *names: str) -> "PaperSetting":
        """Return the setting without some columns: those that a claim itself compares."""
        for name in names:
            one_of("column", name, tuple(self.values))
        return replace(self, varied=without(self.varied, *names), fixed=without(self.fixed, *names))

    def fixing(self, *names: str) -> "PaperSetting":
        """Return the setting in which some columns are not varied."""
        fixed = {**self.fixed, **{name: self.varied[name] for name in names}}
        return replace(self, varied=without(self.varied, *names), fixed=fixed)


def without(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return values by name, without some."""
    return {name: value for name, value in values.items() if name not in names}


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim of a paper: ``judge(runs)`` decides it from the runs of one setting.

    `quantity` says what the figure is that decides, `at` is the setting of the paper, and `words`
    are those of the study.
    """

    item: str
    quantity: str
    judge: Callable[[pd.DataFrame], Decision]
    at: PaperSetting
    words: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)

    def decide(self, runs: pd.DataFrame) -> Decision:
        """Return the decision at the paper's own setting, and the answers at all others."""
        own = pick(runs, **self.at.values)
        if own.empty:
            raise NotRunError(f"no run has {_lacking(runs, self.at.values)}")
        decision = self.judge(own)
        others = {self.named(changed): answer for changed, answer in self._elsewhere(runs)}
        return decision._replace(elsewhere={**decision.elsewhere, **others})

    def named(self, values: Mapping[str, Any]) -> str:
        """Return values as words: texts by themselves, numbers with what they are of."""
        return ", ".join(self._word(name, value) for name, value in values.items())

    def _word(self, name, value):
        """Return a value as the study words it, or with its name."""
        if value is None:
            return f"no {name}"
        if name in self.words:
            return f"{name} {self.words[name](value)}"
        return value if isinstance(value, str) else f"{name} {value:g}"

    def _elsewhere(self, runs: pd.DataFrame) -> Iterator[tuple[dict[str, Any], bool | None]]:
        """Yield what differs, and the answer, of every other setting whose runs can tell."""
        varied = self.at.varied
        for setting, part in groups_of(pick(runs, **self.at.fixed), list(varied)):
            changed = {name: value for name, value in setting.items() if value != varied[name]}
            if not changed:
                continue
            try:
                decision = self.judge(part)
            except NotRunError:
                continue
            if not decision.lost:
                yield changed, decision.answer


def _lacking(runs, values):
    """Return, by name, which of these values no run has; all, where it is that none has all."""
    lacking = {name: value for name, value in values.items() if pick(runs, **{name: value}).empty}
    return ", ".join(f"{name} = {shown(value)}" for name, value in (lacking or values).items())


#: Of a claim that is asked of all runs together.
EVERYWHERE = PaperSetting()


@dataclass(eq=False)
class Study:
    """A paper's study.

    Parameters
    ----------
    name, title, seed
        ``x-y``, its question, and the seed of its shipped runs.
    scales : dict of Scale
        Made by `scales`: how much is simulated at ``quick`` and at ``paper``.
    settings : callable
        ``settings(scale)`` yields what is run: frozen dataclasses of numbers, texts and policies.
        One that comes twice is run once.
    measure : callable
        ``measure(setting, scale, seed)`` yields rows: a dict of what tells apart of whom it was
        measured, ``replication``, and then what was measured. All settings get the same seed:
        common random numbers. It yields nothing where a log is not here.
    logs : tuple of str
        The public logs that are read.
    words : dict of callable
        How values of some columns are written in notes, such as a number that stands for no limit.
    """

    name: str
    title: str
    seed: int
    scales: dict[str, Scale]
    settings: Callable[[Scale], Iterable[Any]]
    measure: Callable[[Any, Scale, Any], Iterable[Mapping[str, Any]]]
    logs: tuple[str, ...] = ()
    words: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    figures: dict[str, StudyFigure] = field(default_factory=dict, init=False)
    claims: dict[str, Claim] = field(default_factory=dict, init=False)
    _numbers: list[Callable] = field(default_factory=list, init=False)
    _reading: Callable[[pd.DataFrame], JointReading] | None = field(default=None, init=False)

    # --- what is run ---

    def run(
        self,
        scale: str = "quick",
        *,
        settings: Iterable[Any] | None = None,
        seed: int | None = None,
        workers: int = -1,
        cache: str | Path | None = None,
        progress: NullProgress = NO_PROGRESS,
        out: str | Path | None = None,
    ) -> pd.DataFrame:
        """Measure every setting once; return the table of runs.

        Parameters
        ----------
        scale, seed
            One of `scales`; by default the study's own seed.
        settings : list, optional
            Those that are run, by default all of the scale. See `add` for some more.
        workers, cache, progress
            As in `run_points`; no result depends on them.
        out : str or Path, optional
            A folder of results, into which ``<study>/runs.csv.gz`` is written.

        Returns
        -------
        DataFrame
            The fields of the setting, what `measure` tells apart, ``replication``, what was
            measured; then ``study``, ``scale``, ``seed`` and ``missing_logs``, which the runs were
            made with.
        """
        size = self.scales[one_of("scale", scale, tuple(self.scales))]
        seed = self.seed if seed is None else whole("seed", seed, least=0)
        wanted = self._wanted(settings, size)
        # Both are read before the runs, during which a log may be fetched.
        logs, missing = log_checksums(self.logs), missing_logs(self.logs)
        call = functools.partial(_listed, self.measure)
        points = [{"setting": setting, "scale": size, "logs": logs} for setting in wanted]
        measured = run_points(
            call, points, seed=seed, workers=workers, cache=cache, version=VERSION,
            progress=progress,
        )  # fmt: skip
        made_with = {"study": self.name, "scale": scale, "seed": seed}
        made_with["missing_logs"] = " ".join(missing)
        runs = table_of_runs(wanted, measured, made_with)
        if out is not None:
            folder = Path(out) / self.name
            folder.mkdir(parents=True, exist_ok=True)
            write_runs(runs, folder / RUNS)
        return runs

    def _wanted(self, settings, size):
        """Return the settings to be run, each once; refuse those of another study, or none."""
        own = list(self.settings(size))
        if settings is None:
            return each_once(own)
        wanted, kinds = each_once(settings), {type(each): None for each in own}
        for each in wanted:
            if not isinstance(each, tuple(kinds)):
                known = " or ".join(kind.__name__ for kind in kinds)
                raise InputError(
                    f"setting = {shown(each)} is none of {self.name}; give a {known} of its runs"
                )
        if not wanted:
            raise InputError("settings = []; give one or more, or leave it out for all")
        return wanted

    def add(self, runs: pd.DataFrame, *settings: Any, **how: Any) -> pd.DataFrame:
        """Return the runs with those of settings of your own, at the same scale and seed.

        What the runs have already is not run again. `how` is as in `run`: ``workers``, ``cache``,
        ``progress``, ``out``. A setting that cannot be run is refused in a sentence.
        """
        scale, seed = self.made_with(runs)
        missing = [each for each in each_once(settings) if not self._has(runs, each)]
        if not missing:
            return runs
        try:
            return joined_runs(runs, self.run(scale, settings=missing, seed=seed, **how))
        except SweepError as error:
            refused = refusal_in(error)
            if refused is None:
                raise
            raise InputError(refused) from error

    def _has(self, runs, setting):
        columns = setting_columns(setting)
        return columns.keys() <= {*runs} and identity(columns) in identities(runs, list(columns))

    def made_with(self, runs: pd.DataFrame) -> tuple[str, int]:
        """Return the scale and the seed of runs; refuse those of another study, or of several."""
        instance_of("runs", runs, pd.DataFrame, "study.run('quick')")
        made_with = {}
        for name in ("study", "scale", "seed", "missing_logs"):
            values = runs[name].unique().tolist() if name in runs else []
            if len(values) != 1:
                raise InputError(f"runs have {len(values)} values of {name}; give runs of one")
            (made_with[name],) = values
        if made_with["study"] != self.name:
            raise InputError(f"runs are of {made_with['study']}; give those of {self.name}")
        return one_of("scale", made_with["scale"], tuple(self.scales)), made_with["seed"]

    def shipped_scale(self, runs: pd.DataFrame) -> str:
        """Return the scale of runs as they are shipped: all of it and no other; else nothing."""
        scale, seed = self.made_with(runs)
        if scale not in SHIPPED or seed != self.seed or logs_missing_in(runs):
            return ""
        columns = [setting_columns(setting) for setting in self.settings(self.scales[scale])]
        names = list(dict.fromkeys(name for each in columns for name in each))
        if not {*names} <= {*runs}:
            return ""
        none = dict.fromkeys(names)
        wanted = {identity(none | each) for each in columns}
        return scale if identities(runs, names) == wanted else ""

    def _has_all(self, runs):
        """Whether all settings of the scale are among the runs, as far as their columns tell."""
        scale, _ = self.made_with(runs)
        columns = [setting_columns(setting) for setting in self.settings(self.scales[scale])]
        names = [name for name in {name for each in columns for name in each} if name in runs]
        wanted = {identity({name: each.get(name) for name in names}) for each in columns}
        return wanted <= identities(runs, names)

    # --- what reads the runs ---

    def _read(self, reader, runs):
        """Return what a reader makes of the runs; of a part of them some columns may be missing."""
        try:
            return reader(runs)
        except NoColumnError as error:
            if self._has_all(runs):
                raise InputError(f"runs of {self.name} are damaged: {error}") from error
            raise
        except (KeyError, IndexError) as error:
            if self._has_all(runs):
                raise
            raise NotRunError(f"the runs that this reads were not made (no {error})") from error

    def add_figure(
        self,
        name: str,
        caption: Caption | str,
        draw: Callable[..., Figure] | None = None,
        claims: Iterable[str] = (),
    ) -> Callable:
        """Return a decorator for the function from runs to the table of a `StudyFigure`."""
        if name in self.figures:
            raise InputError(f"name = {name!r} is a figure of {self.name}; choose another")
        caption = Caption(caption) if isinstance(caption, str) else caption

        def keep(make_table: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable:
            read = functools.partial(self._read, make_table)
            self.figures[name] = StudyFigure(name, caption, read, draw, tuple(claims))
            return make_table

        return keep

    def add_claim(self, item: str, quantity: str, at: PaperSetting = EVERYWHERE) -> Callable:
        """Return a decorator for the function from runs of one setting to the `Decision`."""
        if item in self.claims:
            raise InputError(f"item = {item!r} has a judge already; choose another claim")

        def keep(judge: Callable[[pd.DataFrame], Decision]) -> Callable:
            self.claims[item] = Claim(item, quantity, judge, at, self.words)
            return judge

        return keep

    def add_numbers(self, rows: Callable[[pd.DataFrame], Iterable[Row]]) -> Callable:
        """Keep a function from runs to the rows of printed numbers; use it as a decorator."""
        self._numbers.append(rows)
        return rows

    def add_joint_reading(self, read: Callable[[pd.DataFrame], JointReading]) -> Callable:
        """Keep a function from runs to the study's `JointReading`; use it as a decorator."""
        self._reading = read
        return read

    def joint_reading(self, runs: pd.DataFrame) -> JointReading:
        """Return the one joint reading of the parameters that the paper does not print."""
        if self._reading is None:
            raise NotRunError(f"{self.name} has no joint reading")
        return self._read(self._reading, runs)

    def figure_named(self, name: str) -> StudyFigure:
        """Return a figure by its name."""
        return self.figures[one_of("name", name, tuple(self.figures))]

    def ask(self, item: str, runs: pd.DataFrame, **at: Any) -> Row:
        """Return the row of a claim, asked with these values in place of the paper's own.

        For example ``study.ask("JS-3", runs, configuration="m64")``. The row says where it was
        asked, and has no printed number: that is of the paper's own setting.
        """
        claim = self.claims[one_of("item", item, tuple(self.claims))]
        values = {name: label(value) for name, value in at.items()}
        there = claim.at.with_(**values)
        if there == claim.at:
            return self._row(claim, runs)
        asked = f"{claim.quantity}; asked at {claim.named(values)}"
        row = self._row(replace(claim, at=there, quantity=asked), runs)
        return replace(row, published=None)

    def _row(self, claim: Claim, runs: pd.DataFrame) -> Row:
        """Return the row of the ledger of a claim."""
        published = published_claim(self.name, claim.item)
        number, missing = published.number or None, logs_missing_in(runs)
        try:
            decision = self._read(claim.decide, runs)
        except NotRunError as error:
            why = not_on_stand_in(" ".join(missing)).note if missing else str(error)
            decision = Decision(None, {}, lost=why)
        verdict = judge_claim(decision, published.sentences)
        lost = [log for log in claim.at.logs if log in missing]
        if lost:
            verdict = not_on_stand_in(" ".join(lost))
        return Row.of(self.name, claim.item, claim.quantity, number, decision.decides, verdict)

    def judge(self, runs: pd.DataFrame) -> StudyResult:
        """Return what the runs say: the rows of the ledger and the figures; nothing is run."""
        self.made_with(runs)
        rows = [*self._printed_rows(runs)]
        rows += [self._row(claim, runs) for claim in self.claims.values()]
        return StudyResult(self, runs, rows)

    def _printed_rows(self, runs: pd.DataFrame) -> Iterator[Row]:
        for numbers in self._numbers:
            try:
                yield from self._read(lambda runs, numbers=numbers: [*numbers(runs)], runs)
            except NotRunError:  # of runs of a few settings
                continue

    def reproduce(self, scale: str = "quick", seed: int | None = None, **how: Any) -> StudyResult:
        """Run every setting and judge the runs; `how` as in `run`."""
        self._check_claims()
        return self.judge(self.run(scale, seed=seed, **how))

    def archived(self) -> pd.DataFrame:
        """Return the runs at the papers' sample sizes that come with the library: see `archive`."""
        return archived_runs(self.name)

    def _check_claims(self) -> None:
        """Refuse, before hours of work, what would not be judged: see the page of the results."""
        if not (self.figures or self.claims):
            folder = self.name.replace("-", "_")
            raise InputError(
                f"{self.name} has no figure and no claim; import its modules figures and claims in "
                f"studies/{folder}/__init__.py"
            )
        if not self.claims:
            load_claims(self.name)
        for item in self.claims:
            published_claim(self.name, item)
        for figure in self.figures.values():
            for item in figure.claims:
                one_of(f"claim of {figure.name}", item, tuple(self.claims))


def _listed(
    measure: Callable[..., Iterable], setting: Any, scale: Scale, logs: Any, seed: Any
) -> list:
    """Return the rows of a setting as a list, which can be stored in a cache.

    The checksums of the `logs` are an argument only because the arguments are part of the cache's
    key, so that rows that were measured on other logs are not found.
    """
    return list(measure(setting, scale, seed))


def refusal_in(error: SweepError) -> str | None:
    """Return why the first point was refused, where all that failed were refused."""
    kind = f"{InputError.__name__}: "
    reasons = [failure.error for failure in error.failures]
    if not reasons or not all(reason.startswith(kind) for reason in reasons):
        return None
    return reasons[0].removeprefix(kind)


def logs_missing_in(runs: pd.DataFrame) -> list[str]:
    """Return the logs that were not here when the runs were made."""
    words = " ".join(runs["missing_logs"].unique())
    return list(dict.fromkeys(words.split()))


def log_checksums(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the name and the SHA-256 of each of these public logs, or ``"missing"``."""
    return tuple((name, content_sha256(name)) for name in dict.fromkeys(names))


def missing_logs(names: Iterable[str]) -> list[str]:
    """Return which of these public logs are not here."""
    there = {each["name"]: each["found"] != "not fetched" for each in listing()}
    return [name for name in dict.fromkeys(names) if not there[name]]
