"""The studies of the papers: one folder for each paper, and the modules that all studies share.

Code that does not depend on any paper belongs to `coalloc_lib.statistics` or `coalloc_lib.plots`.
To learn how a study is written, read the module `study` first and then the folder `job_sharing`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed
from studies.ledger import Row

if TYPE_CHECKING:  # the modules of pictures and tables are slow to import
    import pandas as pd

    from studies.results import StudyResult

__all__ = [
    "SCALES", "STUDIES", "Reproduction", "Row", "judge", "load_study", "missing_logs", "reproduce",
]  # fmt: skip

#: The names of the studies. The package of a study has the same name, with underscores.
STUDIES = (
    "maximal-utilization", "cluster-configurations", "communication-penalty", "job-sharing",
    "online-batch", "what-survives",
)  # fmt: skip
#: ``quick`` is small but honest; ``paper`` has the sample sizes that the papers' precision needs.
SCALES = ("quick", "paper")


@dataclass(frozen=True)
class Reproduction:
    """The result of `reproduce` or `judge`: rows of the ledger, and the paths of the files.

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


def load_study(name: str) -> Any:
    """Return the study with this name; its package is imported on the first call."""
    one_of("study", name, STUDIES)
    return import_module(f"{__name__}.{name.replace('-', '_')}").study


def missing_logs(names: Sequence[str]) -> list[str]:
    """Return the public logs that these studies need and that are not on this computer."""
    from studies.study import missing_logs

    return missing_logs(log for name in names for log in load_study(name).logs)


def reproduce(
    names: Sequence[str] | None = None, scale: str = "quick", out: str | Path = "results",
    progress: NullProgress = NO_PROGRESS, seed: Seed | None = None, cache: str | Path | None = None,
    workers: int = -1, report: Callable[["StudyResult"], Any] | None = None,
) -> Reproduction:  # fmt: skip
    """Run studies, and write the results of each study as soon as it is done.

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
    studies = {name: load_study(name) for name in names or STUDIES}
    from studies.archive import made_with
    from studies.output import output_folder, write_files, write_page

    out = output_folder(out)
    missing = missing_logs([*studies])
    results: dict[str, StudyResult] = {}
    others = _other_results(out, studies)
    figures: list[Path] = []
    for name, study in studies.items():
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
    report: Callable[["StudyResult"], Any] | None = None,
) -> Reproduction:
    """Judge stored runs, and write the ledger, the page and the figures without any simulation.

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
    from joblib import Parallel, delayed

    from studies.archive import ARCHIVE
    from studies.output import output_folder, write_all

    files = _files_of_runs(ARCHIVE if runs is None else runs, names)
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
    name: str, table: "pd.DataFrame", file: Path, out: Path
) -> tuple["StudyResult", list[Path]]:
    """Judge the stored runs of a study and write its files; return the result and the pictures."""
    from studies.archive import read_made_with
    from studies.output import write_files

    facts = read_made_with(file.parent) or None
    with _naming_runs(name, file, table):
        result = load_study(name).judge(table)
        return result, write_files(result, name, out, facts)


def _rows(results: Mapping[str, Any]) -> list[Row]:
    return [row for result in results.values() for row in result.rows]


def _in_order(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results in the order of `STUDIES`."""
    return {name: results[name] for name in STUDIES if name in results}


def _reproduction(results: dict[str, Any], out: Path, figures: list[Path]) -> Reproduction:
    from studies.output import INDEX, LEDGER

    return Reproduction(_rows(results), out / LEDGER, out / INDEX, figures)


def _other_results(out: Path, names: Collection[str]) -> dict[str, Any]:
    """Judge the stored runs in a folder, except those of the named studies."""
    from studies.output import pictures
    from studies.study import RUNS

    found = {}
    for name in STUDIES:
        file = out / name / RUNS
        if name in names or not file.is_file():
            continue
        runs = _stored(name, file)
        with _naming_runs(name, file, runs):
            found[name] = load_study(name).judge(runs)
        for picture in pictures(found[name], name):
            if not (out / picture).is_file():
                raise InputError(
                    f"{out / picture} is missing, and the page needs it; run python -m studies "
                    f"judge {name} --runs {out} --out {out}, or choose another folder"
                )
    return found


def _files_of_runs(folder: str | Path, names: Sequence[str] | None) -> dict[str, Path]:
    """Return the files of stored runs by study, by default for all studies that have one."""
    from studies.study import RUNS

    where = f"runs = {str(folder)!r}"
    if not Path(folder).is_dir():
        raise InputError(
            f"{where} is not a folder; give a folder that `python -m studies reproduce` wrote"
        )
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
    """Return the stored runs of a study; raise an error if they belong to another study."""
    from studies.archive import stored_runs

    table = stored_runs(file)
    try:
        load_study(name).made_with(table)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return table


@contextmanager
def _naming_runs(name: str, file: Path, runs: "pd.DataFrame") -> Iterator[None]:
    """Add the name of the file to any error that its runs cause, such as a missing column."""
    from studies.published import PublishedError

    try:
        yield
    except PublishedError:  # this error names a file already
        raise
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    except KeyError as error:
        column = error.args[0]
        if not _is_from_pandas(error) or column in runs:
            raise  # this is an error in the code, not in the file
        raise InputError(
            f"{file} has no column {column}, which is needed; another version may have written the "
            f"file: run python -m studies reproduce {name}"
        ) from error


def _is_from_pandas(error: BaseException) -> bool:
    """Return whether an error was raised inside pandas."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return frame.f_globals["__name__"].startswith("pandas.")
