"""The papers: a folder for each, and what all of them share.

What does not depend on a paper belongs in `experiments` or `plots`. Begin with `study`, then
read `job_sharing`.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.files import folder_beside
from coalloc_lib.basics.progress import SILENT, Silent
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.studies.ledger import Row, write_ledger

if TYPE_CHECKING:  # at run time, pictures and tables take long to import
    import pandas as pd

    from coalloc_lib.studies.shown import StudyResult

__all__ = [
    "SCALES", "STUDIES", "Reproduction", "Row", "judge", "load_study", "missing_logs", "reproduce",
]  # fmt: skip

#: The studies. Each is a module here, with underscores, which is imported when it is run.
STUDIES = (
    "maximal-utilization", "cluster-configurations", "communication-penalty", "job-sharing",
    "online-batch", "what-survives",
)  # fmt: skip
#: ``quick`` is honest but small; ``paper`` has the sample sizes that the papers' precision needs.
SCALES = ("quick", "paper")
#: File of all rows, in the folder of the results.
LEDGER = "ledger.csv"
#: Resolution of the pictures, in dots per inch.
DPI = 150


@dataclass(frozen=True)
class Reproduction:
    """What a run left behind: the rows, their file, the page of all studies, and the pictures."""

    rows: list[Row]
    ledger: Path
    page: Path
    figures: list[Path]


def load_study(name: str) -> Any:
    """Return a study by its name."""
    one_of("study", name, STUDIES)
    return import_module(f"{__name__}.{name.replace('-', '_')}").study


def missing_logs(names: Sequence[str]) -> list[str]:
    """Return the public logs that these studies use and that are not here."""
    from coalloc_lib.studies.study import missing_logs

    return missing_logs(log for name in names for log in load_study(name).logs)


def reproduce(
    names: Sequence[str] | None = None, scale: str = "quick", out: str | Path = "results",
    progress: Silent = SILENT, seed: Seed | None = None, cache: str | Path | None = None,
    workers: int = -1, report: Callable[["StudyResult"], Any] | None = None,
) -> Reproduction:  # fmt: skip
    """Run studies, and write the ledger, the page and the figures of each as soon as it is done.

    Parameters
    ----------
    names, scale : sequence of str, str
        Some of `STUDIES`, by default all; one of `SCALES`.
    out : str or Path
        Folder for ``ledger.csv``, ``index.html`` and, of each study, ``<figure>.png`` and ``.csv``,
        ``runs.csv.gz`` and ``made_with.json``. A study's files appear together; an `InputError`
        says where they cannot be written.
    progress, seed, cache, workers, report
        `seed` replaces each study's own; `report` is called with each `StudyResult` before its
        files are written; the others, as in `coalloc_lib.experiments.sweep.run_points`, change no
        result.
    """
    one_of("scale", scale, SCALES)
    studies = {name: load_study(name) for name in names or STUDIES}
    out = _folder(out)
    how: dict[str, Any] = {"progress": progress, "cache": cache, "workers": workers}
    missing = missing_logs([*studies])
    from coalloc_lib.studies.archive import made_with

    results: dict[str, StudyResult] = {}
    figures: list[Path] = []
    for name, study in studies.items():
        begin = perf_counter()
        results[name] = study.reproduce(scale, seed, **how)
        minutes = (perf_counter() - begin) / 60
        if report is not None:
            report(results[name])
        facts = made_with(results[name].runs, study.logs, minutes)
        rows = [row for result in results.values() for row in result.rows]
        figures += _write_files(results[name], name, out, facts, rows)
        _write_page(results, out, scale, missing)
    return _reproduction(results, out, figures)


def judge(
    runs: str | Path | None = None,
    names: Sequence[str] | None = None,
    out: str | Path = "results",
    workers: int = -1,
    report: Callable[["StudyResult"], Any] | None = None,
) -> Reproduction:
    """Write ledger, page and figures from stored runs; nothing is simulated.

    Parameters
    ----------
    runs : str or Path, optional
        A folder of results with ``<study>/runs.csv.gz``, as `reproduce` writes them; by default the
        archive, runs at the papers' sample sizes that come with the library.
    names, out, report
        As in `reproduce`; by default the studies that have runs there.
    workers : int
        Studies that are judged side by side, -1 for one a processor.
    """
    from joblib import Parallel, delayed

    from coalloc_lib.studies.archive import ARCHIVE
    from coalloc_lib.studies.study import logs_missing_in

    files = _files_of_runs(ARCHIVE if runs is None else runs, names)
    tables = {name: _stored(name, file) for name, file in files.items()}
    out = _folder(out)
    scales = dict.fromkeys(scale for scale, _ in tables.values())
    missing = dict.fromkeys(log for _, table in tables.values() for log in logs_missing_in(table))
    several = Parallel(n_jobs=workers if len(tables) > 1 else 1)
    longest_first = sorted(tables, key=lambda name: -len(tables[name][1]))
    judged = several(delayed(_judged)(name, tables[name][1], out) for name in longest_first)
    of = dict(zip(longest_first, judged, strict=True))
    results = {name: of[name][0] for name in tables}
    figures = [picture for name in tables for picture in of[name][1]]
    if report is not None:
        for result in results.values():
            report(result)
    reproduction = _reproduction(results, out, figures)
    with _filling(out, ", ".join(results)):
        write_ledger(reproduction.rows, reproduction.ledger)
    _write_page(results, out, ", ".join(scales), [*missing])
    return reproduction


def _judged(name, table, out):
    """Judge the runs of a study and write its files; return the result, and the pictures."""
    with _naming_columns(name, table):
        result = load_study(name).judge(table)
        return result, _write_files(result, name, out)


def _files_of_runs(folder: str | Path, names: Sequence[str] | None) -> dict[str, Path]:
    """Return the files of stored runs, by study; by default of those that have one."""
    from coalloc_lib.studies.study import RUNS

    where = f"runs = {str(folder)!r}"
    if not Path(folder).is_dir():
        raise InputError(f"{where} is no folder; give one that `coalloc reproduce` wrote")
    files = {name: Path(folder) / name / RUNS for name in STUDIES}
    there = [name for name, file in files.items() if file.is_file()]
    for name in names or ():
        one_of("study", name, STUDIES)
        if name not in there:
            raise InputError(f"{where} has no {name}/{RUNS}; run coalloc reproduce {name}")
    if not there:
        raise InputError(f"{where} has no <study>/{RUNS}; give a folder of results")
    return {name: files[name] for name in names or there}


def _stored(name: str, file: Path) -> tuple[str, "pd.DataFrame"]:
    """Return the scale of a study's stored runs, and these."""
    from coalloc_lib.experiments.storage import read_runs

    table = read_runs(file)
    try:
        scale, _ = load_study(name).made_with(table)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return scale, table


@contextmanager
def _naming_columns(name: str, runs: "pd.DataFrame") -> Iterator[None]:
    """Refuse runs in which a figure or a claim looks for a column that they do not have."""
    try:
        yield
    except KeyError as error:
        column = error.args[0]
        if not _is_of_pandas(error) or column in runs:
            raise  # a bug of ours
        raise InputError(
            f"runs of {name} have not all columns that are read ({column}): they may be of another "
            f"version; run coalloc reproduce {name}"
        ) from error


def _is_of_pandas(error: BaseException) -> bool:
    """Whether an error was raised in the library of tables."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_globals["__name__"].startswith("pandas.")


def _folder(out: str | Path) -> Path:
    """Return a folder that can be written, made if it is not there."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"out = {str(out)!r} cannot be made ({error.strerror}); name a folder"
        ) from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"out = {str(out)!r} cannot be written; choose another folder")
    return folder


def _reproduction(results: dict[str, Any], out: Path, figures: list[Path]) -> Reproduction:
    rows = [row for result in results.values() for row in result.rows]
    return Reproduction(rows, out / LEDGER, out / "index.html", figures)


def _write_files(result, name, out, facts=None, rows=None):
    """Write a study's runs and figures, all or nothing; return the pictures.

    With them go, if given, the `facts` of how its runs were made, and a ledger of the `rows`.
    """
    from coalloc_lib.experiments.storage import write_runs
    from coalloc_lib.studies.archive import MADE_WITH, write_made_with
    from coalloc_lib.studies.pages import figures_run

    with _filling(out, name), folder_beside(out / "reproduce") as folder:
        (folder / name).mkdir()
        files = [Path(name) / "runs.csv.gz"]
        write_runs(result.runs, folder / files[-1])
        if facts is not None:
            files.append(Path(name) / MADE_WITH)
            write_made_with(facts, folder / files[-1])
        for figure in figures_run(result):
            table = Path(name) / f"{figure.name}.csv"
            figure.data().to_csv(folder / table, index=False, lineterminator="\n")
            files.append(table)
            if figure.draw is not None:
                files.append(table.with_suffix(".png"))
                figure.plot().savefig(folder / files[-1], dpi=DPI)
        if rows is not None:
            files.append(Path(LEDGER))
            write_ledger(rows, folder / LEDGER)
        (out / name).mkdir(exist_ok=True)
        for file in files:
            os.replace(folder / file, out / file)
    return [out / file for file in files if file.suffix == ".png"]


def _write_page(results, out, scale, missing):
    """Write the page of all studies that are done."""
    from coalloc_lib.studies.pages import write_index

    with _filling(out, ", ".join(results)):
        write_index(results, out, scale, missing)


@contextmanager
def _filling(out: Path, name: str) -> Iterator[None]:
    """Say of which studies a folder does not take the files."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"out = {str(out)!r} cannot take the files of {name} ({error.strerror}); make room or "
            "choose another folder, and start again: studies that are done there stay"
        ) from error
