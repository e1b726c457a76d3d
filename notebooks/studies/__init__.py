"""The papers: a folder for each, and what all of them share.

What does not depend on a paper belongs in `experiments` or `plots`. Begin with `study`, then
read `job_sharing`.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from studies.ledger import Row, write_ledger

if TYPE_CHECKING:  # at run time, pictures and tables take long to import
    import pandas as pd

    from studies.shown import StudyResult

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
    """What a run of studies left behind.

    These are its rows and pictures, and the ledger and the page of all studies in the folder.
    """

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
    from studies.study import missing_logs

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
        says where they cannot be written. Ledger and page keep the other studies whose results are
        in the folder: their stored runs are judged again.
    progress, seed, cache, workers, report
        `seed` replaces each study's own; `report` is called with each `StudyResult` after its
        files are written, or could not be written; the others, as in
        `coalloc_lib.experiments.sweep.run_points`, change no result.
    """
    one_of("scale", scale, SCALES)
    studies = {name: load_study(name) for name in names or STUDIES}
    out = _folder(out)
    how: dict[str, Any] = {"progress": progress, "cache": cache, "workers": workers}
    missing = missing_logs([*studies])
    from studies.archive import made_with

    results: dict[str, StudyResult] = {}
    others = _other_results(out, studies)
    figures: list[Path] = []
    for name, study in studies.items():
        begin = perf_counter()
        results[name] = study.reproduce(scale, seed, **how)
        minutes = (perf_counter() - begin) / 60
        facts = made_with(results[name].runs, study.logs, minutes)
        in_folder = _in_order(others | results)
        try:
            figures += _write_files(results[name], name, out, facts, _rows(in_folder))
            _write_page(in_folder, out, missing)
        finally:
            if report is not None:
                report(results[name])
    return _reproduction(results, out, figures)


def _rows(results: Mapping[str, Any]) -> list[Row]:
    """Return the rows of all results."""
    return [row for result in results.values() for row in result.rows]


def _in_order(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return results in the order of the studies."""
    return {name: results[name] for name in STUDIES if name in results}


def _other_results(out: Path, names: Collection[str]) -> dict[str, Any]:
    """Return the results of the studies in a folder, but for these studies."""
    from studies.study import RUNS

    found = {}
    for name in STUDIES:
        file = out / name / RUNS
        if name in names or not file.is_file():
            continue
        runs = _stored(name, file)
        with _naming_runs(name, file, runs):
            found[name] = load_study(name).judge(runs)
        for picture in _pictures(found[name], name):
            if not (out / picture).is_file():
                raise InputError(
                    f"{out / picture} is missing, and the page shows it; run python -m studies "
                    f"judge {name} --runs {out} --out {out}, or choose another folder"
                )
    return found


def _pictures(result: Any, name: str) -> list[Path]:
    """Return the files of a study's pictures, within the folder of the results."""
    from studies.pages import figures_run

    return [Path(name) / f"{figure.name}.png" for figure in figures_run(result) if figure.draw]


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
        archive, runs at the papers' sample sizes in ``data``.
    names, out, report
        As in `reproduce`; by default the studies that have runs there.
    workers : int
        Studies that are judged side by side, -1 for one a processor.
    """
    from joblib import Parallel, delayed

    from studies.archive import ARCHIVE

    files = _files_of_runs(ARCHIVE if runs is None else runs, names)
    tables = {name: _stored(name, file) for name, file in files.items()}
    out = _folder(out)
    others = _other_results(out, files)
    several = Parallel(n_jobs=workers if len(tables) > 1 else 1)
    longest_first = sorted(tables, key=lambda name: -len(tables[name]))
    judged = several(
        delayed(_judged)(name, tables[name], files[name], out) for name in longest_first
    )
    by_name = dict(zip(longest_first, judged, strict=True))
    results = {name: by_name[name][0] for name in tables}
    figures = [picture for name in tables for picture in by_name[name][1]]
    in_folder = _in_order(others | results)
    reproduction = _reproduction(results, out, figures)
    try:
        with _filling(out, ", ".join(results)):
            write_ledger(_rows(in_folder), reproduction.ledger)
        _write_page(in_folder, out)
    finally:
        for result in results.values():
            if report is not None:
                report(result)
    return reproduction


def _judged(name, table, file, out):
    """Judge the runs of a study and write its files; return the result, and the pictures."""
    from studies.archive import read_made_with

    facts = read_made_with(file.parent) or None
    with _naming_runs(name, file, table):
        result = load_study(name).judge(table)
        return result, _write_files(result, name, out, facts)


def _files_of_runs(folder: str | Path, names: Sequence[str] | None) -> dict[str, Path]:
    """Return the files of stored runs, by study; by default of those that have one."""
    from studies.study import RUNS

    where = f"runs = {str(folder)!r}"
    if not Path(folder).is_dir():
        raise InputError(f"{where} is no folder; give one that `python -m studies reproduce` wrote")
    files = {name: Path(folder) / name / RUNS for name in STUDIES}
    there = [name for name, file in files.items() if file.is_file()]
    for name in names or ():
        one_of("study", name, STUDIES)
        if name not in there:
            raise InputError(
                f"{where} has no {name}/{RUNS}; run python -m studies reproduce {name}"
            )
    if not there:
        raise InputError(f"{where} has no <study>/{RUNS}; give a folder of results")
    return {name: files[name] for name in names or there}


def _stored(name: str, file: Path) -> "pd.DataFrame":
    """Return a study's stored runs; refuse those of another study."""
    from studies.archive import stored_runs

    table = stored_runs(file)
    try:
        load_study(name).made_with(table)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return table


@contextmanager
def _naming_runs(name: str, file: Path, runs: "pd.DataFrame") -> Iterator[None]:
    """Name the file in an error of its runs, also if they lack a column that is read."""
    from studies.published import PublishedError

    try:
        yield
    except PublishedError:  # it names its own file
        raise
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    except KeyError as error:
        column = error.args[0]
        if not _is_of_pandas(error) or column in runs:
            raise  # a bug of ours
        raise InputError(
            f"{file} does not have all columns that are read ({column}); it may be of another "
            f"version: run python -m studies reproduce {name}"
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
    return Reproduction(_rows(results), out / LEDGER, out / "index.html", figures)


def _write_files(result, name, out, facts=None, rows=None):
    """Write a study's runs and figures, all or nothing; return the pictures.

    With them go, if given, the `facts` of how its runs were made, and a ledger of the `rows`.
    """
    from coalloc_lib.experiments.storage import write_runs
    from studies.archive import CHECKSUM, MADE_WITH, runs_sha256, write_made_with
    from studies.pages import figures_run

    with _filling(out, name), folder_beside(out / "reproduce") as folder:
        (folder / name).mkdir()
        files = [Path(name) / "runs.csv.gz"]
        write_runs(result.runs, folder / files[-1])
        if facts is not None:
            files.append(Path(name) / MADE_WITH)
            checksum = runs_sha256(folder / files[0])
            write_made_with({**facts, CHECKSUM: checksum}, folder / files[-1])
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
        (out / name / MADE_WITH).unlink(missing_ok=True)  # that of the runs that are replaced
        for file in files:
            os.replace(folder / file, out / file)
    return [out / file for file in files if file.suffix == ".png"]


def _write_page(results, out, missing=()):
    """Write the page of all results; `missing` are logs that are not here, besides those of runs.

    The page names the scales of all results.
    """
    from studies.pages import write_index
    from studies.study import logs_missing_in

    runs = [result.runs for result in results.values()]
    scales = dict.fromkeys(scale for table in runs for scale in table["scale"].unique())
    logs = dict.fromkeys([*missing, *(log for table in runs for log in logs_missing_in(table))])
    with _filling(out, ", ".join(results)):
        write_index(results, out, ", ".join(scales), [*logs])


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
