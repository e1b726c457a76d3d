"""The studies: one module a paper, each with its parameters, figures and published numbers.

A study's module has `NAME`, `TITLE` and ``reproduce(scale, seed, workers, cache, progress)``, which
returns a `StudyResult`. To add one, add its line to `STUDIES`.
"""

import os
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.progress import SILENT
from coalloc_lib.studies.ledger import Row, StudyResult, write_ledger

__all__ = ["SCALES", "STUDIES", "Reproduction", "Row", "StudyResult", "reproduce"]

#: Name of each study -> the module that holds it, imported when it is run.
STUDIES = {
    "maximal-utilization": "coalloc_lib.studies.maximal_utilization",
    "cluster-configurations": "coalloc_lib.studies.cluster_configurations",
}

#: ``quick`` is honest but small; ``paper`` has the sample sizes that the papers' precision needs.
SCALES = ("quick", "paper")

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
    names=None, scale="quick", out="results", progress=SILENT, seed=None, cache=None, workers=-1
):
    """Run studies and write their ledger and figures.

    Nothing appears under `out` before all of it is there: a run that fails leaves the results of
    the one before as they were.

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

    Returns
    -------
    Reproduction

    Raises
    ------
    InputError
        There is no such study or scale, or `out` cannot be written.
    """
    one_of("scale", scale, SCALES)
    names = list(dict.fromkeys(names or STUDIES))
    for name in names:
        one_of("study", name, tuple(STUDIES))
    out = _made(Path(out))
    modules = [import_module(STUDIES[name]) for name in names]
    how = {"scale": scale, "progress": progress, "cache": cache, "workers": workers}
    how |= {} if seed is None else {"seed": seed}
    results = [module.reproduce(**how) for module in modules]
    rows = [row for result in results for row in result.rows]
    with tempfile.TemporaryDirectory(prefix=".reproduce-", dir=out) as folder:
        drawn, tables = _draw(dict(zip(names, results, strict=True)), Path(folder))
        ledger = Path("ledger.csv")
        write_ledger(rows, Path(folder) / ledger)
        for file in [*drawn, *tables, ledger]:
            (out / file).parent.mkdir(exist_ok=True)
            os.replace(Path(folder) / file, out / file)
    return Reproduction(rows, out / ledger, [out / file for file in drawn])


def _made(out):
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out = {str(out)!r} cannot be made ({error.strerror})") from None
    if not os.access(out, os.W_OK):
        raise InputError(f"out = {str(out)!r} cannot be written; choose another folder")
    return out


def _draw(results, folder):
    """Draw every figure into `folder`, its data beside it; return both lists of files."""
    files, tables = [], []
    for name, result in results.items():
        (folder / name).mkdir()
        for figure in result.figures:
            picture, table = (Path(name) / f"{figure.name}.{kind}" for kind in ("png", "csv"))
            figure.plot().savefig(folder / picture, dpi=DPI)
            figure.data().to_csv(folder / table, index=False, lineterminator="\n")
            files.append(picture)
            tables.append(table)
    return files, tables
