"""The archive: the runs of each study at the papers' sample sizes, which come with the notebooks.

``data/results/paper`` has ``<study>/runs.csv.gz`` with what these were made with, and the ledger
that they give. It decides: a run on another machine is held against it, row by row.
"""

import gzip
import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.experiments.storage import read_runs
from coalloc_lib.workloads.catalogue import trace
from studies.data import data_folder
from studies.ledger import Row, read_ledger

#: Its folder.
ARCHIVE = data_folder("results") / "paper"
#: What the runs of a study were made with, in the folder of its results.
MADE_WITH = "made_with.json"
#: The key in it of the SHA-256 of the text of the runs.
CHECKSUM = "runs_sha256"
#: What stands there in place of the checksum of a log that the runs were made without.
MISSING = "missing"
#: Numbers that differ by less, as a share, are the same: the ledger has six digits.
SAME = 6e-6


def archived_runs(name: str) -> pd.DataFrame:
    """Return the stored runs of a study; an `InputError` says that there are none."""
    path = ARCHIVE / name / "runs.csv.gz"
    if not path.is_file():
        raise InputError(
            f"{path} does not exist: this copy of the repository has no stored runs of {name}; run "
            "study.run('paper') instead"
        )
    return stored_runs(path)


def stored_runs(file: Path) -> pd.DataFrame:
    """Return the runs in a file; refuse them if the file was changed since it was written."""
    table = read_runs(file)
    facts = read_made_with(file.parent)
    rows = facts.get("rows", len(table))
    if rows != len(table):
        raise InputError(
            f"{file} has {len(table)} runs, and {MADE_WITH} beside it says {rows}: lines were "
            f"removed or added; take a copy of the file, or remove {MADE_WITH} if the change is "
            "your own"
        )
    checksum = runs_sha256(file)
    if facts.get(CHECKSUM, checksum) != checksum:
        raise InputError(
            f"{file} has another SHA-256 than {MADE_WITH} beside it says: a value was changed; "
            f"take a copy of the file, or remove {MADE_WITH} if the change is your own"
        )
    return table


def runs_sha256(file: Path) -> str:
    """Return the SHA-256 of the text of a compressed table of runs."""
    return hashlib.sha256(gzip.decompress(file.read_bytes())).hexdigest()


def archived_ledger() -> dict[tuple[str, str], Row]:
    """Return the stored rows by study and item; none where nothing is stored."""
    path = ARCHIVE / "ledger.csv"
    if not path.is_file():
        return {}
    return {(row.study, row.item): row for row in read_ledger(path)}


def beside_archive(rows: Iterable[Row], archive: Mapping[tuple[str, str], Row]) -> dict[str, str]:
    """Return what the archive has of each row, by item: nothing where the row agrees with it.

    A row agrees where it has the same verdict, and its number is the same or their intervals meet.
    """
    return {row.item: _otherwise(row, archive.get((row.study, row.item))) for row in rows}


def logs_not_as_archived(study: str, runs: pd.DataFrame) -> list[str]:
    """Return the logs that either these runs or the stored runs of a study were made without.

    If there are any, the numbers of both are about other jobs, and a comparison says nothing.
    """
    path = ARCHIVE / study / MADE_WITH
    logs = json.loads(path.read_text(encoding="utf-8"))["logs"] if path.is_file() else {}
    stored = {name for name, checksum in logs.items() if checksum == MISSING}
    return sorted(stored ^ _missing_in(runs))


def other_logs(logs: Iterable[str]) -> str:
    """Return in words why runs cannot be compared with the archive; `logs` differ."""
    return f"it was made with different logs ({', '.join(logs)})"


def _missing_in(runs: pd.DataFrame) -> set[str]:
    """Return the logs that were missing when the runs were made."""
    return set(" ".join(runs["missing_logs"].unique()).split())


def _otherwise(row: Row, stored: Row | None) -> str:
    """Return what the archive has of a row where that is something else."""
    if stored is None:
        return "not in the archive"
    if row.verdict != stored.verdict:
        return stored.verdict
    if _meet(row, stored):
        return ""
    return f"{stored.reproduced:.4g}" if stored.reproduced is not None else "no number"


def _meet(one: Row, other: Row) -> bool:
    """Whether two numbers are the same, or their intervals have a number in common."""
    if one.reproduced is None or other.reproduced is None:
        return one.reproduced == other.reproduced
    low, high = _ends(one)
    other_low, other_high = _ends(other)
    apart = max(low - other_high, other_low - high)
    return apart <= SAME * abs(float(other.reproduced))


def _ends(row: Row) -> tuple[float, float]:
    """Return the ends of the interval of a row; of an exact number, twice itself."""
    number = float(row.reproduced or 0.0)
    low = number if row.ci95_low is None else row.ci95_low
    return low, number if row.ci95_high is None else row.ci95_high


def made_with(runs: pd.DataFrame, logs: Iterable[str], minutes: float) -> dict[str, Any]:
    """Return what the runs of a study were made with: scale, seed, versions, logs and time."""
    missing = _missing_in(runs)
    return {
        "study": str(runs["study"].iloc[0]),
        "scale": str(runs["scale"].iloc[0]),
        "seed": int(runs["seed"].iloc[0]),
        "rows": len(runs),
        "minutes": round(minutes, 1),
        "machine": f"{platform.machine()}, {platform.system()}",
        "versions": _versions(),
        "logs": {name: MISSING if name in missing else _sha256(name) for name in logs},
    }


def _versions() -> dict[str, str]:
    """Return the versions of Python and of what a result may depend on."""
    libraries = ("coalloc-workbench", "numpy", "numba", "scipy", "pandas")
    return {"Python": platform.python_version()} | {name: version(name) for name in libraries}


def _sha256(name: str) -> str:
    """Return the checksum of a public log, which was checked when it was read."""
    entry = trace(name)
    return entry.content_sha256 or entry.archive_sha256 or "unknown"


def write_made_with(facts: Mapping[str, Any], path: Path) -> None:
    """Write what runs were made with, all or nothing."""
    with atomic_path(path) as beside:
        beside.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def read_made_with(folder: Path) -> dict[str, Any]:
    """Return what the runs in a folder were made with; empty if the file is not there."""
    path = folder / MADE_WITH
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(
            f"{path} is damaged ({error}); remove it, or run python -m studies reproduce"
        ) from None
    if not isinstance(facts, dict):
        raise InputError(
            f"{path} has no JSON object; remove it, or run python -m studies reproduce"
        )
    return facts
