"""The studies: one module a paper, each with its parameters, figures and published numbers.

A study's module has ``reproduce(scale, seed, workers, cache, progress)``, which returns
a `StudyResult`. To add one, add its name to `STUDIES`.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.files import folder_beside
from coalloc_lib.progress import SILENT, Silent
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.ledger import Row, write_ledger
from coalloc_lib.studies.result import StudyResult

__all__ = ["SCALES", "STUDIES", "Reproduction", "Row", "StudyResult", "reproduce"]

#: The studies. Each is a module here, with underscores, which is imported when it is run.
STUDIES = (
    "maximal-utilization",
    "cluster-configurations",
    "communication-penalty",
    "job-sharing",
    "online-batch",
)

#: ``quick`` is honest but small; ``paper`` has the sample sizes that the papers' precision needs.
SCALES = ("quick", "paper")

#: File of all rows, in the folder of the results.
LEDGER = Path("ledger.csv")

#: Resolution of the figures, in dots per inch.
DPI = 150


@dataclass(frozen=True)
class Reproduction:
    """What a run left behind.

    Parameters
    ----------
    rows : list of Row
        The ledger.
    ledger : Path
        Its file.
    figures : list of Path
        Pictures, one a figure.
    """

    rows: list[Row]
    ledger: Path
    figures: list[Path]


def reproduce(
    names: Sequence[str] | None = None,
    scale: str = "quick",
    out: str | Path = "results",
    progress: Silent = SILENT,
    seed: Seed | None = None,
    cache: str | Path | None = None,
    workers: int = -1,
    report: Callable[[list[Row]], Any] | None = None,
) -> Reproduction:
    """Run studies, and write the ledger and the figures of each as soon as it is done.

    A study's files appear together, when all of them are there. The ledger then has the studies
    of this run that are done; a run that fails keeps those, and before the first leaves the
    results of the one before as they were.

    Parameters
    ----------
    names : sequence of str, optional
        Names from `STUDIES`; all of them where it is not given.
    scale : {"quick", "paper"}
        Sample sizes.
    out : str or Path
        Folder for ``ledger.csv`` and ``<study>/<figure>.png``; made where it is missing.
    progress : Progress, optional
        Told of every step; silent where it is not given.
    seed : int, optional
        In place of each study's own seed.
    cache : str or Path, optional
        A folder that keeps finished points, so that a run that was stopped goes on where it was.
    workers : int
        Threads; one a processor where it is not given. See `coalloc_lib.sweep.sweep`.
    report : callable, optional
        Called with the rows of each study that is done, before its files are written.

    Raises
    ------
    InputError
        There is no such study or scale, or `out` cannot be written or has no room.
    """
    one_of("scale", scale, SCALES)
    names = list(dict.fromkeys(names or STUDIES))
    for name in names:
        one_of("study", name, STUDIES)
    out = _made(Path(out))
    modules = [import_module(f"{__name__}.{name.replace('-', '_')}") for name in names]
    how: dict[str, Any] = {"scale": scale, "progress": progress, "cache": cache, "workers": workers}
    how |= {} if seed is None else {"seed": seed}
    rows, figures = [], []
    for name, module in zip(names, modules, strict=True):
        result = module.reproduce(**how)
        rows += result.rows
        if report is not None:
            report(result.rows)
        figures += _write(name, result, rows, out)
    return Reproduction(rows, out / LEDGER, figures)


def _write(name, result, rows, out):
    """Write a study's figures, and the ledger of all rows so far; return the pictures' files."""
    try:
        with folder_beside(out / "reproduce") as folder:
            pictures = _draw(name, result.figures, folder)
            write_ledger(rows, folder / LEDGER)
            (out / name).mkdir(exist_ok=True)
            for file in [*pictures, *(p.with_suffix(".csv") for p in pictures), LEDGER]:
                os.replace(folder / file, out / file)
    except OSError as error:
        raise InputError(
            f"out = {str(out)!r} cannot take the files of {name} ({error.strerror}); make room or "
            "choose another folder, and start again: studies that are done there stay"
        ) from error
    return [out / picture for picture in pictures]


def _draw(name, figures, folder):
    """Draw a study's figures into `folder`, their data beside them; return the pictures' files."""
    (folder / name).mkdir()
    pictures = [Path(name) / f"{figure.name}.png" for figure in figures]
    for picture, figure in zip(pictures, figures, strict=True):
        figure.plot().savefig(folder / picture, dpi=DPI)
        table = folder / picture.with_suffix(".csv")
        figure.data().to_csv(table, index=False, lineterminator="\n")
    return pictures


def _made(out):
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"out = {str(out)!r} cannot be made ({error.strerror}); name a folder"
        ) from None
    if not os.access(out, os.W_OK):
        raise InputError(f"out = {str(out)!r} cannot be written; choose another folder")
    return out
