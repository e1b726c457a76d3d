"""Write the results of studies into a folder: runs, figures, ledger and page."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coalloc_lib.basics.checks import InputError
from studies.archive import CHECKSUM, LEDGER, MADE_WITH, RUNS, runs_sha256, write_made_with
from studies.ledger import Row, write_ledger
from studies.log_files import logs_missing_in
from studies.pages import INDEX, figures_run, write_index
from studies.storage import write_runs

#: The resolution of the figures' image files, in dots per inch.
DPI = 150

__all__ = ["INDEX", "LEDGER", "output_folder", "pictures", "write_all", "write_files", "write_page"]


def output_folder(out: str | Path) -> Path:
    """Return the path of the results folder, and create the folder if it does not exist."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"out = {str(out)!r} cannot be created ({error.strerror}); give a folder that exists "
            "or can be created"
        ) from None
    if not os.access(folder, os.W_OK):
        raise InputError(f"out = {str(out)!r} cannot be written to; choose another folder")
    return folder


def pictures(result: Any, name: str) -> list[Path]:
    """Return the paths of a study's figure images, relative to the folder of all results."""
    return [Path(name) / f"{figure.name}.png" for figure in figures_run(result) if figure.draw]


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Yield a new empty folder beside `path`, and remove this folder after the ``with`` block.

    The block can write several files there and then move all of them to their places. If the block
    raises an `InputError`, its message names the folder of `path` instead of the temporary folder.
    """
    prefix = f".{path.name}.coalloc-partial-"
    with tempfile.TemporaryDirectory(
        prefix=prefix, dir=path.parent, ignore_cleanup_errors=True
    ) as folder:
        try:
            yield Path(folder)
        except InputError as error:
            raise InputError(str(error).replace(folder, str(path.parent))) from None


def write_files(
    result: Any,
    name: str,
    out: Path,
    facts: Mapping[str, Any] | None = None,
    rows: Sequence[Row] | None = None,
) -> list[Path]:
    """Write the runs and figures of one study, and return the paths of its figure images.

    All files are made in a temporary folder first, so a failure leaves the old files as they were.

    Parameters
    ----------
    result : StudyResult
        The result of the study.
    name : str
        The name of the study, which is also the name of its folder in `out`.
    out : Path
        The folder of the results.
    facts : dict, optional
        How the runs were made, for ``made_with.json``.
    rows : list of Row, optional
        All rows of the ledger. If they are given, the ledger is replaced together with the files.
    """
    with _naming_studies(out, name), folder_beside(out / "reproduce") as folder:
        (folder / name).mkdir()
        files = [Path(name) / RUNS]
        write_runs(result.runs, folder / files[0])
        if facts is not None:
            files.append(Path(name) / MADE_WITH)
            checksum = runs_sha256(folder / files[0])
            write_made_with({**facts, CHECKSUM: checksum}, folder / files[-1])
        files += _write_figures(result, name, folder)
        if rows is not None:
            files.append(Path(LEDGER))
            write_ledger(rows, folder / LEDGER)
        (out / name).mkdir(exist_ok=True)
        # Remove the existing record, because it says how the old runs were made, not the new ones.
        (out / name / MADE_WITH).unlink(missing_ok=True)
        for file in files:
            os.replace(folder / file, out / file)
    return [out / file for file in files if file.suffix == ".png"]


def _write_figures(result: Any, name: str, folder: Path) -> list[Path]:
    files = []
    for figure in figures_run(result):
        table = Path(name) / f"{figure.name}.csv"
        figure.data().to_csv(folder / table, index=False, lineterminator="\n")
        files.append(table)
        if figure.draw is not None:
            picture = table.with_suffix(".png")
            figure.plot().savefig(folder / picture, dpi=DPI)
            files.append(picture)
    return files


def write_all(results: Mapping[str, Any], rows: Sequence[Row], out: Path, judged: str) -> None:
    """Write the ledger and the results page of all studies after some studies were judged.

    Errors name the studies that were judged, by the string `judged`.
    """
    with _naming_studies(out, judged):
        write_ledger(rows, out / LEDGER)
    write_page(results, out)


def write_page(results: Mapping[str, Any], out: Path, missing: Sequence[str] = ()) -> None:
    """Write the HTML page with the results of all studies.

    The page names the scales of the runs, and the logs that were missing when the runs were made.
    `missing` are further logs that are missing now.
    """
    runs = [result.runs for result in results.values()]
    scales = dict.fromkeys(scale for table in runs for scale in table["scale"].unique())
    logs = dict.fromkeys([*missing, *(log for table in runs for log in logs_missing_in(table))])
    with _naming_studies(out, ", ".join(results)):
        write_index(results, out, ", ".join(scales), [*logs])


@contextmanager
def _naming_studies(out: Path, names: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the files of {names} cannot be written to out = {str(out)!r} ({error.strerror}); "
            "free some space or choose another folder, and run the command again; studies that "
            "were written before are kept"
        ) from error
