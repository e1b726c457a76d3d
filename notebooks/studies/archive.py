"""Read the archive: stored runs of each study at the papers' sample sizes.

The folder ``data/results/paper`` has ``<study>/runs.csv.gz``, ``<study>/made_with.json`` (how the
runs were made) and ``ledger.csv``, the ledger of these runs. New runs, for example on another
machine, are compared with the archived ledger row by row.
"""

import gzip
import hashlib
import json
import math
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.workloads.catalogue import trace
from studies.ledger import Row, read_ledger
from studies.log_files import logs_missing_in
from studies.storage import read_runs

#: The folder ``data`` of the repository. It contains the numbers printed in the papers and the
#: stored simulation runs.
DATA = Path(__file__).resolve().parents[2] / "data"
#: The folder of the archive, which contains each study's runs at the papers' sample sizes.
ARCHIVE = DATA / "results" / "paper"
#: The file name of the table of runs. The file is in the study's own folder of results.
RUNS = "runs.csv.gz"
#: The file name of the ledger of all studies. The file is in the folder that contains the results
#: of all studies.
LEDGER = "ledger.csv"
#: The name of the file that records how a study's runs were made: scale, seed, versions and logs.
MADE_WITH = "made_with.json"
#: In the file `MADE_WITH`, the key under which the checksum of the table of runs is stored. The
#: checksum is the SHA-256 of the decompressed table.
CHECKSUM = "runs_sha256"
#: In the file `MADE_WITH`, this word replaces the checksum of a log that was missing.
MISSING = "missing"
#: Two numbers count as equal if their relative difference is at most this value. The value is not
#: zero because the ledger stores only six significant digits.
SAME = 6e-6


def archived_runs(name: str) -> pd.DataFrame:
    """Return the archived runs of a study; raise `InputError` if the archive has none."""
    path = ARCHIVE / name / RUNS
    if not path.is_file():
        raise InputError(
            f"{path} does not exist: this copy of the repository has no stored runs of {name}; run "
            "study.run('paper') instead"
        )
    return stored_runs(path)


def stored_runs(file: Path) -> pd.DataFrame:
    """Return the runs stored in a file; raise `InputError` if the file was edited later."""
    table = read_runs(file)
    facts = read_made_with(file.parent)
    rows = facts.get("rows", len(table))
    if rows != len(table):
        raise InputError(
            f"{file} has {len(table)} runs, but {MADE_WITH} in the same folder says {rows}: lines "
            f"were removed or added; restore the original file, or remove {MADE_WITH} if you made "
            "the change"
        )
    checksum = runs_sha256(file)
    if facts.get(CHECKSUM, checksum) != checksum:
        raise InputError(
            f"the SHA-256 of {file} differs from that in {MADE_WITH}, in the same folder: a value "
            f"was changed; restore the original file, or remove {MADE_WITH} if you made the change"
        )
    return table


def runs_sha256(file: Path) -> str:
    """Return the SHA-256 checksum of the decompressed content of a file of runs."""
    return hashlib.sha256(gzip.decompress(file.read_bytes())).hexdigest()


def archived_ledger() -> dict[tuple[str, str], Row]:
    """Return the rows of the archived ledger in a dict with the keys (study, item).

    It is empty if there is no archive.
    """
    path = ARCHIVE / LEDGER
    if not path.is_file():
        return {}
    return {(row.study, row.item): row for row in read_ledger(path)}


def beside_archive(rows: Iterable[Row], archive: Mapping[tuple[str, str], Row]) -> dict[str, str]:
    """Return the archived result of each ledger row whose own result differs from it.

    The result is a dict from items to strings. The string is empty if the row agrees with the
    archive: the verdicts are the same, and the numbers are equal or their intervals overlap.
    """
    return {row.item: _archived_answer(row, archive.get((row.study, row.item))) for row in rows}


def logs_not_as_archived(study: str, runs: pd.DataFrame) -> list[str]:
    """Return the logs that were missing for the given runs but not for the archive, or vice versa.

    If there are any, the two tables of runs are about different jobs and cannot be compared.
    """
    logs = read_made_with(ARCHIVE / study).get("logs", {})
    stored = {name for name, checksum in logs.items() if checksum == MISSING}
    return sorted(stored.symmetric_difference(logs_missing_in(runs)))


def other_logs(logs: Iterable[str]) -> str:
    """Return a clause which says that a result was made with different logs, and names the logs."""
    return f"it was made with different logs ({', '.join(logs)})"


def _archived_answer(row: Row, stored: Row | None) -> str:
    if stored is None:
        return "not in the archive"
    if row.verdict != stored.verdict:
        return stored.verdict
    if _overlap(row, stored):
        return ""
    return f"{stored.reproduced:.4g}" if stored.reproduced is not None else "no number"


def _overlap(one: Row, other: Row) -> bool:
    if one.reproduced is None or other.reproduced is None:
        return one.reproduced == other.reproduced
    numbers = one.reproduced, other.reproduced
    if not all(map(math.isfinite, numbers)):  # the difference between their ends would be NaN
        return numbers[0] == numbers[1] or all(map(math.isnan, numbers))
    low, high = _ends(one)
    other_low, other_high = _ends(other)
    apart = max(low - other_high, other_low - high)
    return apart <= SAME * abs(other.reproduced)


def _ends(row: Row) -> tuple[float, float]:
    number = row.reproduced or 0.0
    low = number if row.ci95_low is None else row.ci95_low
    return low, number if row.ci95_high is None else row.ci95_high


def made_with(runs: pd.DataFrame, logs: Iterable[str], minutes: float) -> dict[str, Any]:
    """Return a record of how a study's runs were made, for the file `MADE_WITH`.

    Parameters
    ----------
    runs : DataFrame
        The runs of one study, at one scale and with one seed.
    logs : iterable of str
        The public logs that the study reads.
    minutes : float
        How long the runs took.
    """
    missing = logs_missing_in(runs)
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
    libraries = ("coalloc-workbench", "numpy", "numba", "scipy", "pandas")
    return {"Python": platform.python_version()} | {name: version(name) for name in libraries}


def _sha256(name: str) -> str:
    entry = trace(name)
    return entry.content_sha256 or entry.archive_sha256 or "unknown"


def write_made_with(facts: Mapping[str, Any], path: Path) -> None:
    """Write a record of how runs were made as JSON; keep the existing file if this fails."""
    with atomic_path(path) as beside:
        beside.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def read_made_with(folder: Path) -> dict[str, Any]:
    """Return the record of how the runs in a folder were made, or an empty dict without one."""
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
            f"{path} is not a JSON object; remove it, or run python -m studies reproduce"
        )
    return facts
