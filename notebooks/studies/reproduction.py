"""Run or judge studies, and write their ledger, their page and their figures into a folder."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

import studies
from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.statistics.replications import REPLICATION
from studies import SCALES, archive
from studies.archive import RUNS, made_with, read_made_with, stored_runs
from studies.ledger import Row
from studies.output import (
    INDEX,
    LEDGER,
    output_folder,
    pictures,
    write_all,
    write_files,
    write_page,
)
from studies.published import PublishedError
from studies.results import StudyResult


@dataclass(frozen=True)
class Reproduction:
    """The result of `reproduce` or `judge`: rows of the ledger, and paths of the files written.

    Parameters
    ----------
    rows : list of Row
        The rows of the studies that were run or judged.
    ledger, page : Path
        The ledger and the page. Both show all studies whose results are in the folder.
    figures : list of Path
        The pictures of the studies that were run or judged.
    """

    rows: list[Row]
    ledger: Path
    page: Path
    figures: list[Path]


def reproduce(
    names: Sequence[str] | None = None, scale: str = "quick", out: str | Path = "results",
    progress: NullProgress = NO_PROGRESS, seed: Seed | None = None, cache: str | Path | None = None,
    workers: int = -1, report: Callable[[StudyResult], Any] | None = None,
) -> Reproduction:  # fmt: skip
    """Run studies, and write the results of each study as soon as it is finished.

    Parameters
    ----------
    names : sequence of str, optional
        Some of `STUDIES`; by default all.
    scale : str
        One of `SCALES`.
    out : str or Path
        The folder of the results. It gets ``ledger.csv``, ``index.html`` and, for each study,
        ``<figure>.png`` and ``<figure>.csv``, ``runs.csv.gz`` and ``made_with.json``. All files of
        a study are replaced together. If the folder has results of other studies, their stored
        runs are judged again, and the ledger and the page show them too.
    progress, cache, workers
        As in `coalloc_lib.statistics.sweep.run_points`; they change no result.
    seed : int, optional
        A seed that replaces the seed of each study.
    report : callable, optional
        A function that is called with each `StudyResult` after its files are written, and also if
        the files could not be written.

    Returns
    -------
    Reproduction
        The rows of the ledger, and the paths of the files.

    Raises
    ------
    InputError
        If a name or the scale is unknown, or the folder cannot be written to.
    """
    one_of("scale", scale, SCALES)
    chosen = {name: studies.load_study(name) for name in names or studies.STUDIES}
    out = output_folder(out)
    missing = studies.logs_missing_for([*chosen])
    results: dict[str, StudyResult] = {}
    others = _other_results(out, chosen)
    figures: list[Path] = []
    for name, study in chosen.items():
        begin = perf_counter()
        results[name] = study.reproduce(
            scale, seed, progress=progress, cache=cache, workers=workers
        )
        minutes = (perf_counter() - begin) / 60
        facts = made_with(results[name].runs, study.logs, minutes)
        in_folder = _in_order(others | results)
        try:
            figures += write_files(results[name], name, out, facts, _rows(in_folder))
            write_page(in_folder, out, missing)
        finally:
            if report is not None:
                report(results[name])
    return _reproduction(results, out, figures)


def judge(
    runs: str | Path | None = None,
    names: Sequence[str] | None = None,
    out: str | Path = "results",
    workers: int = -1,
    report: Callable[[StudyResult], Any] | None = None,
) -> Reproduction:
    """Judge stored runs without any simulation; write the ledger, results page and figures.

    Parameters
    ----------
    runs : str or Path, optional
        A folder of results with ``<study>/runs.csv.gz``, as `reproduce` writes them. By default,
        the runs at the papers' sample sizes that are stored in ``data/results/paper``.
    names : sequence of str, optional
        Some of `STUDIES`; by default all studies that have runs in the folder.
    out, report
        As in `reproduce`.
    workers : int
        The number of studies that are judged in parallel; -1 means one per processor.

    Returns
    -------
    Reproduction
        The rows of the ledger, and the paths of the files.

    Raises
    ------
    InputError
        If there are no stored runs, if they are damaged, or if the folder cannot be written to.
    """
    files = _files_of_runs(archive.ARCHIVE if runs is None else runs, names)
    tables = {name: _stored(name, file) for name, file in files.items()}
    out = output_folder(out)
    others = _other_results(out, files)
    parallel = Parallel(n_jobs=workers if len(tables) > 1 else 1)
    longest_first = sorted(tables, key=lambda name: -len(tables[name]))
    judged = parallel(
        delayed(_judged)(name, tables[name], files[name], out) for name in longest_first
    )
    by_name = dict(zip(longest_first, judged, strict=True))
    results = {name: by_name[name][0] for name in tables}
    figures = [picture for name in tables for picture in by_name[name][1]]
    in_folder = _in_order(others | results)
    try:
        write_all(in_folder, _rows(in_folder), out, ", ".join(results))
    finally:
        for result in results.values():
            if report is not None:
                report(result)
    return _reproduction(results, out, figures)


def _judged(
    name: str, table: pd.DataFrame, file: Path, out: Path
) -> tuple[StudyResult, list[Path]]:
    facts = read_made_with(file.parent) or None
    with _naming_file(file):
        result = studies.load_study(name).judge(table)
        return result, write_files(result, name, out, facts)


def _rows(results: Mapping[str, Any]) -> list[Row]:
    return [row for result in results.values() for row in result.rows]


def _in_order(results: Mapping[str, Any]) -> dict[str, Any]:
    return {name: results[name] for name in studies.STUDIES if name in results}


def _reproduction(results: dict[str, Any], out: Path, figures: list[Path]) -> Reproduction:
    return Reproduction(_rows(results), out / LEDGER, out / INDEX, figures)


def _other_results(out: Path, names: Collection[str]) -> dict[str, Any]:
    found = {}
    for name in studies.STUDIES:
        file = out / name / RUNS
        if name in names or not file.is_file():
            continue
        runs = _stored(name, file)
        with _naming_file(file):
            found[name] = studies.load_study(name).judge(runs)
        for picture in pictures(found[name], name):
            if not (out / picture).is_file():
                raise InputError(
                    f"{out / picture} is missing, but {INDEX} shows it; run python -m studies "
                    f"judge {name} --runs {out} --out {out}, or choose another folder"
                )
    return found


def _files_of_runs(folder: str | Path, names: Sequence[str] | None) -> dict[str, Path]:
    where = f"runs = {str(folder)!r}"
    if not Path(folder).is_dir():
        raise InputError(
            f"{where} is not a folder; give a folder that `python -m studies reproduce` wrote"
        )
    files = {name: Path(folder) / name / RUNS for name in studies.STUDIES}
    there = [name for name, file in files.items() if file.is_file()]
    for name in names or ():
        one_of("study", name, studies.STUDIES)
        if name not in there:
            raise InputError(
                f"{where} has no {name}/{RUNS}; run python -m studies reproduce {name}"
            )
    if not there:
        raise InputError(
            f"{where} has no <study>/{RUNS}; give a folder that `python -m studies reproduce` wrote"
        )
    return {name: files[name] for name in names or there}


def _stored(name: str, file: Path) -> pd.DataFrame:
    table = stored_runs(file)
    try:
        studies.load_study(name).made_with(table)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    if REPLICATION not in table:
        raise InputError(
            f"{file} has no column {REPLICATION}; another version of the library may have "
            f"written the file; run python -m studies reproduce {name}"
        )
    return table


@contextmanager
def _naming_file(file: Path) -> Iterator[None]:
    try:
        yield
    except PublishedError:  # this error names a file already
        raise
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
