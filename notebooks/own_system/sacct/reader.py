"""Read an export of Slurm's accounting data, which ``sacct --parsable2`` prints, as a log."""

import os
import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np

from coalloc_lib.basics.checks import InputError, one_of, shown
from coalloc_lib.basics.text import printable
from coalloc_lib.workloads.swf import SwfLog
from coalloc_lib.workloads.swf_lines import FIELDS, WHOLE_FIELDS
from own_system.sacct.columns import PROCESSORS, SIZES, read_export
from own_system.sacct.jobs import ended_jobs, in_order_of_submission, with_components_joined
from own_system.sacct.receipt import READ_AS_UTC, Receipt
from own_system.usage import in_use

if TYPE_CHECKING:
    import pandas as pd

#: The maximum number of partitions in the output of ``sacct`` that a receipt lists by name.
MOST_NAMED = 12


def read_sacct(
    path: str | os.PathLike[str],
    *,
    unit: str = "cores",
    cluster: str | None = None,
    time_zone: str | None = None,
) -> SwfLog:
    """Read the output of Slurm's ``sacct --parsable2`` as a log.

    Parameters
    ----------
    path : str or Path
        A plain text file or a gzip file, with columns in any order. The command `COMMAND` creates
        an export with all columns that are read.
    unit : {"cores", "nodes"}
        What counts as a processor.
    cluster : str, optional
        The cluster to read. It must be given if the column Cluster names several clusters.
    time_zone : str, optional
        The time zone of times without a time zone, such as ``"Europe/Amsterdam"``; by default UTC.

    Returns
    -------
    SwfLog
        The jobs in order of submission, with times in seconds since the first submission. Users,
        accounts (the column ``group``), partitions and qualities of service (the column ``queue``)
        become numbers from 1. The numbers of partitions and queues are in alphabetical order of
        their names, the other numbers in order of first appearance. The attribute ``receipt``
        says how many lines were kept, left out and noted, and why, and what was found in them.

    Raises
    ------
    InputError
        If a value cannot be read, or if no job is left. The message names the line and says what
        to do.

    Notes
    -----
    Each run of a requeued job is a job (https://slurm.schedmd.com/sacct.html). If several lines
    describe the same run, the last one that has ended counts. The components of a heterogeneous job
    become one job.

    A time of day can occur twice when summer time ends. The instant with which the job starts after
    its submission and ends after its elapsed time is then used, or the earlier instant if both
    instants fit.
    """
    one_of("unit", unit, [*PROCESSORS])
    zone = _zone_of(time_zone)
    receipt = Receipt()
    export = read_export(path, unit, zone)
    receipt.counts.update(export.counts)
    clusters = _cluster_names(export.lines, cluster, path)
    ended = ended_jobs(export, cluster, zone, receipt)
    del export  # An export may be large, and only the jobs are needed from here on.
    if not len(ended):
        why, remedy = receipt.why_empty()
        raise InputError(f"{path} has no job that ran ({why}); {remedy}")
    if time_zone is None:
        receipt.counts[READ_AS_UTC] = int((~ended["submit_has_zone"]).sum())
    runs = in_order_of_submission(ended, receipt.counts)
    jobs = with_components_joined(runs, receipt.counts)
    return _log(jobs, path, time_zone or "UTC", unit, receipt, clusters)


def _zone_of(name: str | None) -> ZoneInfo:
    try:
        return ZoneInfo("UTC" if name is None else name)
    except (KeyError, ValueError, TypeError, OSError):
        raise InputError(
            f"time_zone = {shown(name)} is not a known time zone; give a name such as "
            "'Europe/Amsterdam'"
        ) from None


def _cluster_names(lines: "pd.DataFrame", cluster: str | None, path: Any) -> str:
    clusters = lines["cluster"].unique().tolist()
    names = ", ".join(map(shown, filter(None, clusters)))
    if cluster is None and len(clusters) > 1:
        raise InputError(
            f"{path} contains several clusters: {names}; choose one with cluster (--cluster)"
        )
    if cluster is not None and cluster not in clusters:
        there = names or "no cluster; add Cluster to --format"
        raise InputError(f"cluster = {shown(cluster)} is not in {path}, which names {there}")
    return names + (f"; {shown(cluster)} is read" if len(clusters) > 1 else "")


def _table(jobs: "pd.DataFrame", first: int) -> tuple["pd.DataFrame", dict[str, Any]]:
    import pandas as pd

    wait = jobs["start"] - jobs["submit"]
    known: dict[str, Any] = {name: jobs[name] for name in ("runtime", "status", SIZES[0])}
    known |= {"job": range(1, len(jobs) + 1), "submit": jobs["submit"] - first}
    known["wait"] = wait.where(wait >= 0)
    names = {}
    for name in ("user", "group", "queue", "partition"):
        is_sorted = name in ("queue", "partition")
        codes, names[name] = pd.factorize(jobs[name].where(jobs[name] != ""), sort=is_sorted)
        known[name] = np.where(codes < 0, -1, codes + 1)
    for name in ("requested_time", SIZES[1]):
        known[name] = jobs[name].where(jobs[name] != 0)
    columns = {}
    for name in FIELDS:
        values = np.asarray(known.pop(name, np.full(len(jobs), -1.0)), dtype=float)
        values = np.where(np.isnan(values), -1, values)
        columns[name] = values.astype(np.int64 if name in WHOLE_FIELDS else float, copy=False)
    return pd.DataFrame(columns, copy=False), names


def _log(
    jobs: "pd.DataFrame", path: Any, time_zone: str, unit: str, receipt: Receipt, clusters: str
) -> SwfLog:
    first, last = int(jobs["submit"].min()), int(jobs["submit"].max())
    table, names = _table(jobs, first)
    rows: list[tuple] = [("kept", len(jobs), "jobs", ""), *receipt.rows()]
    header = {
        "Version": "2.2", "Conversion": "python -m own_system import", "MaxJobs": str(len(jobs)),
        "UnixStartTime": str(first), "TimeZoneString": time_zone,
        "Note": "\n".join([f"processors are {unit}", *(f"{o}: {n:,} {w}" for o, n, w, _ in rows)]),
    }  # fmt: skip
    ends = [datetime.fromtimestamp(end, ZoneInfo(time_zone)) for end in (first, last)]
    facts = _facts(jobs, ends, unit)
    partitions = names["partition"]
    if len(partitions) > 1:
        for number, name in enumerate(partitions[:MOST_NAMED], 1):
            facts[f"partition {number}: {name}"] = "the log contains only the number"
    if clusters:
        facts[f"clusters: {clusters}"] = "check that this is the right one"
    name = re.sub(r"(\.(txt|csv))?(\.gz)?$", "", Path(path).name)
    return SwfLog(header, table, printable(name), str(path), receipt=_receipt_table(rows, facts))


def _facts(jobs: "pd.DataFrame", ends: list[datetime], unit: str) -> dict[str, str]:
    size = jobs[SIZES[0]].where(lambda n: n > 0, jobs[SIZES[1]])
    busy = in_use(jobs["start"], jobs["start"] + jobs["runtime"], size)
    return {
        f"first submission: {ends[0]:%F %T %Z}": "check the time zone, and --starttime",
        f"last submission: {ends[1]:%F %T %Z}": "check the time zone, and --endtime",
        f"widest job: {int(size.max()):,} {unit}": "if it is too wide, check for swapped columns",
        f"busy 99 % of the time at most: {busy:,.0f} {unit}": "compare with your machine",
    }


def _receipt_table(rows: list[tuple], facts: dict[str, str]) -> "pd.DataFrame":
    import pandas as pd

    rows = rows + [("found", pd.NA, *fact) for fact in facts.items()]
    table = pd.DataFrame(rows, columns=["outcome", "lines", "what", "what to do"])
    table["lines"] = table["lines"].astype("Int64")
    return table
