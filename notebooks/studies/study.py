"""Define a study by its settings, its measurement, and the figures and claims that read the runs.

``study.run("quick")`` measures every setting and returns one table of runs. ``study.judge(runs)``
computes the rows of the ledger and the figures from a new or a stored table of runs, without any
simulation. Figures and claims are written with the functions of `coalloc_lib.statistics`.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib.basics.checks import InputError, instance_of, one_of, shown, whole
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.statistics import NoColumnError, NotRunError
from coalloc_lib.statistics.labels import label
from coalloc_lib.statistics.sweep import SweepError, run_points
from coalloc_lib.statistics.sweep.keys import files_digest
from coalloc_lib.workloads.catalogue import content_checksum
from studies import SCALES
from studies.archive import archived_runs
from studies.claim import EVERYWHERE, Claim, PaperSetting
from studies.joint_reading import JointReading
from studies.ledger import Decision, Row, judge_claim, not_on_stand_in, without_logs
from studies.log_files import logs_missing_in, missing_logs
from studies.published import load_claims, published_claim
from studies.results import Caption, StudyFigure, StudyResult
from studies.storage import (
    each_once,
    identities,
    identity,
    joined_runs,
    setting_columns,
    table_of_runs,
)

STUDIES_FOLDER = Path(__file__).parent
#: A digest of the code of all studies, which is part of the key of every cached result. It is
#: computed at import, because later edits of the files do not affect the running code.
VERSION = files_digest(STUDIES_FOLDER.rglob("*.py"), STUDIES_FOLDER)


def six_digits(value: float) -> float:
    """Round a number to six significant digits, as in the ledger and in stored runs."""
    return float(f"{value:.6g}")


class Scale(SimpleNamespace):
    """The sample sizes and other parameters of a study at one scale, as attributes.

    A scale cannot be changed. An unknown name raises `AttributeError`.
    """

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"the study's scales have no value {name!r}; add it: scales({name}=(..., ...))"
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{name} = {shown(value)}: a scale cannot be changed; make a new one with this value"
        )


def scales(**pairs: tuple[Any, Any]) -> dict[str, Scale]:
    """Return the scales ``quick`` and ``paper`` of a study; an argument has a value for each."""
    return {
        scale: Scale(**{name: pair[place] for name, pair in pairs.items()})
        for place, scale in enumerate(SCALES)
    }


@dataclass(eq=False)
class Study:
    """The study of a paper: its settings, its measurements, its figures and its claims.

    Parameters
    ----------
    name : str
        The name, such as ``job-sharing``.
    title : str
        The question of the paper.
    seed : int
        The seed of the study's stored runs.
    scales : dict of Scale
        The sample sizes at the scales ``quick`` and ``paper``, as the function `scales` makes them.
    settings : callable
        ``settings(scale)`` yields all settings to run. A setting is a frozen dataclass of numbers,
        strings and policies. A setting that is yielded twice is run once.
    measure : callable
        ``measure(setting, scale, seed)`` yields dicts, the rows of the table of runs: first the
        columns that tell the rows of a setting apart, then ``replication``, then the measured
        values. All settings get the same seed, so that they use common random numbers. It yields
        nothing if a log that it needs is missing.
    logs : tuple of str
        The public logs that the study reads.
    words : dict of callable
        Functions by column, which return a value of the column as notes write it. For example, a
        large number may stand for *no limit*.
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

    # --- running ---

    def run(
        self,
        scale: str = "quick",
        *,
        settings: Iterable[Any] | None = None,
        seed: int | None = None,
        workers: int = -1,
        cache: str | Path | None = None,
        progress: NullProgress = NO_PROGRESS,
    ) -> pd.DataFrame:
        """Measure every setting of the study once, and return the table of runs.

        Parameters
        ----------
        scale : str
            The scale, ``quick`` or ``paper``.
        settings : list, optional
            The settings to run; by default all settings of the scale. Use `add` to run further
            settings later.
        seed : int, optional
            The seed; by default the study's own seed.
        workers, cache, progress
            As in `coalloc_lib.statistics.sweep.run_points`; no result depends on them.

        Returns
        -------
        DataFrame
            One row for each row that `measure` yielded. The columns are the fields of the setting,
            the columns from `measure`, and ``study``, ``scale``, ``seed`` and ``missing_logs``.

        Raises
        ------
        InputError
            If the scale, the seed or a setting is not valid.
        """
        size = self.scales[one_of("scale", scale, tuple(self.scales))]
        seed = self.seed if seed is None else whole("seed", seed, least=0)
        wanted = self._settings_to_run(settings, size)
        # Look up the logs before the runs start, because the user may download one during the runs.
        logs, missing = log_checksums(self.logs), missing_logs(self.logs)
        call = functools.partial(_listed, self.measure)
        points = [{"setting": setting, "scale": size, "logs": logs} for setting in wanted]
        measured = run_points(
            call, points, seed=seed, workers=workers, cache=cache, version=VERSION,
            progress=progress,
        )  # fmt: skip
        made_with = {"study": self.name, "scale": scale, "seed": seed}
        made_with["missing_logs"] = " ".join(missing)
        return table_of_runs(wanted, measured, made_with)

    def _settings_to_run(self, settings: Iterable[Any] | None, size: Scale) -> list[Any]:
        own = list(self.settings(size))
        if settings is None:
            return each_once(own)
        wanted = each_once(settings)
        types = tuple(dict.fromkeys(type(setting) for setting in own))
        for setting in wanted:
            if not isinstance(setting, types):
                names = " or ".join(one.__name__ for one in types)
                raise InputError(
                    f"setting = {shown(setting)} is not a setting of {self.name}; give an "
                    f"object of the class {names}, from the modules of this study"
                )
        if not wanted:
            raise InputError(
                "settings = []; give one or more settings, or omit settings to run all"
            )
        return wanted

    def add(self, runs: pd.DataFrame, *settings: Any, **how: Any) -> pd.DataFrame:
        """Run more settings with the scale and the seed of existing runs, and return all runs.

        Parameters
        ----------
        runs : DataFrame
            The runs of this study.
        *settings
            The settings to add. Those that the runs have already are not run again.
        **how
            ``workers``, ``cache`` and ``progress``, as in `run`.

        Returns
        -------
        DataFrame
            The old and the new runs.

        Raises
        ------
        InputError
            If a setting cannot be run.
        """
        scale, seed = self.made_with(runs)
        missing = [setting for setting in each_once(settings) if not self._has(runs, setting)]
        if not missing:
            return runs
        try:
            return joined_runs(runs, self.run(scale, settings=missing, seed=seed, **how))
        except SweepError as error:
            reason = refusal_in(error)
            if reason is None:
                raise
            raise InputError(reason) from error

    def _has(self, runs: pd.DataFrame, setting: Any) -> bool:
        columns = setting_columns(setting)
        return columns.keys() <= {*runs} and identity(columns) in identities(runs, list(columns))

    def made_with(self, runs: pd.DataFrame) -> tuple[str, int]:
        """Return the scale and the seed with which the given runs were made.

        Raises `InputError` if the runs are of another study, or of several scales or seeds.
        """
        instance_of("runs", runs, pd.DataFrame, "study.run('quick')")
        made_with = {}
        for name in ("study", "scale", "seed", "missing_logs"):
            values = runs[name].unique().tolist() if name in runs else []
            if len(values) != 1:
                raise InputError(
                    f"runs have {len(values)} values of {name}; give runs with one value of {name}"
                )
            (made_with[name],) = values
        if made_with["study"] != self.name:
            raise InputError(
                f"runs belong to the study {made_with['study']}; give runs of {self.name}"
            )
        return one_of("scale", made_with["scale"], tuple(self.scales)), made_with["seed"]

    def shipped_scale(self, runs: pd.DataFrame) -> str:
        """Return the scale of the runs if they are a complete standard set, or an empty string.

        A standard set has the runs of all settings of a scale and of no others, made with the
        study's own seed and with all logs.
        """
        scale, seed = self.made_with(runs)
        if scale not in SCALES or seed != self.seed or logs_missing_in(runs):
            return ""
        settings = self._columns_of_settings(scale)
        names = list(dict.fromkeys(name for columns in settings for name in columns))
        if not {*names} <= {*runs}:
            return ""
        wanted = _identities_of(settings, names)
        return scale if identities(runs, names) == wanted else ""

    def _has_all(self, runs: pd.DataFrame) -> bool:
        scale, _ = self.made_with(runs)
        settings = self._columns_of_settings(scale)
        fields = dict.fromkeys(name for columns in settings for name in columns)
        names = [name for name in fields if name in runs]
        return _identities_of(settings, names) <= identities(runs, names)

    def _columns_of_settings(self, scale: str) -> list[dict[str, Any]]:
        return [setting_columns(setting) for setting in self.settings(self.scales[scale])]

    # --- reading the runs ---

    def _read(self, reader: Callable[[pd.DataFrame], Any], runs: pd.DataFrame) -> Any:
        try:
            return reader(runs)
        except NoColumnError as error:
            # A column is missing because the table is damaged or, if some settings of the scale
            # were not run, because the reader needs those settings.
            if self._has_all(runs):
                raise InputError(
                    f"the runs of {self.name} are damaged ({error}); run the study again"
                ) from error
            raise

    def add_figure(
        self,
        name: str,
        caption: Caption | str,
        draw: Callable[..., Figure] | None = None,
        claims: Iterable[str] = (),
    ) -> Callable:
        """Return a decorator that adds a figure to the study.

        Parameters
        ----------
        name : str
            The name of the figure and of its files.
        caption : Caption or str
            Its title and subtitle.
        draw : callable, optional
            ``draw(table, title=, subtitle=)`` returns the picture.
        claims : iterable of str
            The claims that the figure decides.

        Returns
        -------
        callable
            A decorator for the function that makes the table of the figure from the runs.
        """
        if name in self.figures:
            raise InputError(
                f"name = {name!r} is already a figure of {self.name}; give another name"
            )
        caption = Caption(caption) if isinstance(caption, str) else caption

        def keep(make_table: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable:
            read = functools.partial(self._read, make_table)
            self.figures[name] = StudyFigure(name, caption, read, draw, tuple(claims))
            return make_table

        return keep

    def add_claim(self, item: str, quantity: str, at: PaperSetting = EVERYWHERE) -> Callable:
        """Return a decorator that adds a claim to the study.

        Parameters
        ----------
        item : str
            The name of the claim, such as ``MU-1``.
        quantity : str
            The quantity that decides the claim, in words.
        at : PaperSetting
            The setting that the claim is about; by default it is tested on all runs together.

        Returns
        -------
        callable
            A decorator for the function that makes the `Decision` from the runs of one setting.
        """
        if item in self.claims:
            raise InputError(f"item = {item!r} is already used by another claim; give another item")

        def keep(judge: Callable[[pd.DataFrame], Decision]) -> Callable:
            self.claims[item] = Claim(item, quantity, judge, at, self.words)
            return judge

        return keep

    def add_numbers(self, rows: Callable[[pd.DataFrame], Iterable[Row]]) -> Callable:
        """Add a function that makes the ledger rows of a paper's numbers; use as a decorator.

        The decorated function makes the ledger's rows of these numbers from the runs.
        """
        self._numbers.append(rows)
        return rows

    def add_joint_reading(self, read: Callable[[pd.DataFrame], JointReading]) -> Callable:
        """Add a function that tests a paper's unstated parameters; use as a decorator.

        The decorated function makes the `JointReading` from the runs.
        """
        self._reading = read
        return read

    def joint_reading(self, runs: pd.DataFrame) -> JointReading:
        """Return a test of how well our choice of unstated parameters fits the paper's numbers."""
        if self._reading is None:
            raise NotRunError(f"{self.name} has no joint reading")
        return self._read(self._reading, runs)

    def figure_named(self, name: str) -> StudyFigure:
        """Return the definition of the figure that has the given name."""
        return self.figures[one_of("name", name, tuple(self.figures))]

    def ask(self, item: str, runs: pd.DataFrame, **at: Any) -> Row:
        """Test a claim at a setting other than the paper's, and return the claim's ledger row.

        Parameters
        ----------
        item : str
            The name of the claim.
        runs : DataFrame
            The runs of this study.
        **at
            The values that replace the paper's own, by column. For example:
            ``study.ask("JS-3", runs, configuration="m64")``.

        Returns
        -------
        Row
            The row of the claim. Its quantity names the setting, and it has no printed number,
            because the number in the paper is about the paper's own setting.
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
        published = published_claim(self.name, claim.item)
        number, missing = published.number or None, logs_missing_in(runs)
        try:
            decision = self._read(claim.decide, runs)
        except NotRunError as error:
            without = f"the runs were made {without_logs(missing)}" if missing else ""
            decision = Decision(None, {}, lost="; ".join(filter(None, [str(error), without])))
        verdict = judge_claim(decision, published.sentences)
        lost = [log for log in claim.at.logs if log in missing]
        if lost and not decision.lost:
            verdict = not_on_stand_in(" ".join(lost))
        return Row.of(self.name, claim.item, claim.quantity, number, decision.decides, verdict)

    def judge(self, runs: pd.DataFrame) -> StudyResult:
        """Judge all claims by the given runs, and return the rows of the ledger and the figures."""
        self.made_with(runs)
        rows = [*self._printed_rows(runs)]
        rows += [self._row(claim, runs) for claim in self.claims.values()]
        return StudyResult(self, runs, rows)

    def _printed_rows(self, runs: pd.DataFrame) -> Iterator[Row]:
        for numbers in self._numbers:
            try:
                yield from self._read(functools.partial(_rows_of, numbers), runs)
            except NotRunError:  # only some settings were run, and none of these cells
                continue

    def reproduce(self, scale: str = "quick", seed: int | None = None, **how: Any) -> StudyResult:
        """Measure every setting of the study, and judge the claims and numbers of the paper.

        The further arguments are those of `run`.
        """
        self._check_claims()
        return self.judge(self.run(scale, seed=seed, **how))

    def archived(self) -> pd.DataFrame:
        """Return the stored runs of this study at the paper's sample sizes."""
        return archived_runs(self.name)

    def _check_claims(self) -> None:
        if not (self.figures or self.claims):
            folder = self.name.replace("-", "_")
            raise InputError(
                f"{self.name} has no figures and no claims; import its modules figures and claims "
                f"in studies/{folder}/__init__.py"
            )
        if not self.claims:
            load_claims(self.name)
        for item in self.claims:
            published_claim(self.name, item)
        for figure in self.figures.values():
            for item in figure.claims:
                one_of(f"claim of {figure.name}", item, tuple(self.claims))


def _rows_of(numbers: Callable[[pd.DataFrame], Iterable[Row]], runs: pd.DataFrame) -> list[Row]:
    return list(numbers(runs))


def _listed(
    measure: Callable[..., Iterable], setting: Any, scale: Scale, logs: Any, seed: Any
) -> list:
    # The checksums in `logs` are not used here. They are an argument because all arguments are part
    # of the cache key, so that rows measured on other logs are not found in the cache.
    return list(measure(setting, scale, seed))


def _identities_of(settings: Iterable[Mapping[str, Any]], names: Sequence[str]) -> set:
    return {identity({name: columns.get(name) for name in names}) for columns in settings}


def refusal_in(error: SweepError) -> str | None:
    """Return the first message of a failed sweep, or None if not all errors are `InputError`."""
    kind = f"{InputError.__name__}: "
    reasons = [failure.error for failure in error.failures]
    if not reasons or not all(reason.startswith(kind) for reason in reasons):
        return None
    return reasons[0].removeprefix(kind)


def log_checksums(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the name of each public log with its SHA-256, or with ``missing`` if it is absent."""
    return tuple((name, content_checksum(name) or "missing") for name in dict.fromkeys(names))
