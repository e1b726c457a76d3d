"""What Slurm's ``sacct --parsable2`` printed, read as a log, with a receipt of what was left out.

A line is a job, an element of an array, a component of a heterogeneous job, or a step of these.
"""

import codecs
import io
import os
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, tzinfo
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import (
    LARGEST_WHOLE,
    LAST_INSTANT,
    InputError,
    number_in,
    one_of,
    shown,
    whole_in,
)
from coalloc_lib.workloads.swf import FIELDS, WHOLE_FIELDS, SwfLog, content, in_use

if TYPE_CHECKING:
    import pandas as pd

#: Prints an export with all that is read of it.
COMMAND = (
    "SLURM_TIME_FORMAT=%s sacct --allusers --duplicates --allocations --parsable2 --noconvert "
    "--starttime 2025-01-01 --format JobID,Submit,Start,End,ElapsedRaw,State,AllocCPUS,ReqCPUS,"
    "NNodes,ReqNodes,TimelimitRaw,User,Account,Partition,QOS,Cluster > export.txt"
)
# What is read of a line, and the columns that tell it, the best one first; then by unit.
_COLUMNS = {
    "id": ("JobID",), "submit": ("Submit",), "start": ("Start",), "end": ("End",),
    "elapsed": ("ElapsedRaw", "Elapsed"), "state": ("State",), "user": ("User", "UID"),
    "requested_time": ("TimelimitRaw", "Timelimit"), "group": ("Account",), "queue": ("QOS",),
    "partition": ("Partition",), "cluster": ("Cluster",),
}  # fmt: skip
_PROCESSORS = {
    "cores": (("AllocCPUS", "NCPUS"), ("ReqCPUS",)),
    "nodes": (("NNodes", "AllocNodes"), ("ReqNodes",)),
}
_SIZES = ("allocated_processors", "requested_processors")
_NEEDED = (("id",), ("submit",), ("start",), ("state",), ("elapsed", "end"), _SIZES[:1])
#: How many partitions the receipt names.
MOST_NAMED = 12
_NOT_KNOWN = {"", "unknown", "none", "n/a", "invalid", "unlimited", "partition_limit"}
_CLOCK = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?", re.ASCII)
_HAS_ZONE = r"\d*|.*(?:Z|[+-]\d\d:?\d\d)"
_OPEN = {
    "PENDING", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT", "CONFIGURING",
    "RUNNING", "COMPLETING", "RESIZING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT",
}  # fmt: skip
# The statuses of the format; what ends otherwise has failed, 0.
_STATUS = {"COMPLETED": 1, "CANCELLED": 5, "REVOKED": 5}
# What components of a job make together; all else is that of the first.
_TOGETHER = {"runtime": "max", "requested_time": "max", **dict.fromkeys(_SIZES, "sum")}

# What is left out, and from 'without a time limit' on what is noted, with what to do.
_MENDS = {
    "steps of jobs": "nothing; --allocations leaves them out",
    "of other clusters": "import each cluster by itself",
    "still waiting or running": "export them when they have ended",
    "told again": "nothing: the last line of a submission counts",
    "never started": "nothing: they took no processors",
    "without an end, or a submission": "see 'sacctmgr show runawayjobs'",
    "end before they start": "check for swapped columns, and the clocks",
    "ran for less than a second": "nothing: they took no time",
    "without processors": "export AllocCPUS and ReqCPUS, or count nodes",
    "further components of heterogeneous jobs": "nothing: they are added to their job",
    "without a time limit": "they are planned with their run time, unless you give a limit",
    "further runs of requeued jobs": "nothing: each run took processors, and is a job",
    "start before their submission": "nothing: their wait is not known",
    "have run longer than from start to end": "check the columns; read as from start to end",
    "in times without a zone, read as UTC": "name the time zone, such as Europe/Amsterdam",
    "in the hour that comes twice as summer ends": "nothing: read so that run times are right",
    "in the hour that the clock skips": "check the time zone; read as an hour later",
}


def read_sacct(
    path: str | os.PathLike[str],
    *,
    unit: str = "cores",
    cluster: str | None = None,
    time_zone: str | None = None,
) -> SwfLog:
    """Read what Slurm's ``sacct --parsable2`` printed, with columns in any order.

    Parameters
    ----------
    path : str or Path
        A plain file or one packed with gzip. `COMMAND` prints one with all that is read.
    unit : {"cores", "nodes"}
        What counts as a processor.
    cluster : str, optional
        The cluster to read, where the column Cluster names several.
    time_zone : str, optional
        Where times that name no zone were printed, such as ``"Europe/Amsterdam"``; by default UTC.

    Returns
    -------
    SwfLog
        Jobs by submission, in seconds since the first. Users, accounts (`group`), partitions and
        qualities of service (`queue`) are numbers, from 1: the last two in the order of the
        alphabet, the others of first appearance. `receipt`
        says how many lines were kept, left out and noted, and why, and what was found in them.

    Raises
    ------
    InputError
        Names what cannot be read, with its line, and what to do.

    Notes
    -----
    Each run of a requeued job is a job (https://slurm.schedmd.com/sacct.html); of several lines of
    one submission the last that has ended counts. Components of a heterogeneous job are one job. Of
    the two instants of a time that comes twice, that is taken with which a job starts after its
    submission and ends its elapsed time later, else the earlier one.
    """
    sizes = _PROCESSORS[one_of("unit", unit, [*_PROCESSORS])]
    try:
        zone = ZoneInfo("UTC" if time_zone is None else time_zone)
    except (KeyError, ValueError, TypeError, OSError):
        mend = "give a name such as 'Europe/Amsterdam'"
        raise InputError(f"time_zone = {shown(time_zone)} is not known; {mend}") from None
    counts: Counter[str] = Counter()
    lines = _lines(path, _COLUMNS | dict(zip(_SIZES, sizes, strict=True)), counts)
    clusters = lines["cluster"].unique().tolist()
    known = ", ".join(map(shown, filter(None, clusters))) or "none; add Cluster to --format"
    if cluster is None and len(clusters) > 1:
        raise InputError(f"{path} holds several clusters: {known}; say which cluster to read")
    if cluster is not None and cluster not in clusters:
        raise InputError(f"cluster = {shown(cluster)} is not in {path}; it names {known}")
    kept = _ended(lines, zone, cluster, path, counts)
    if not len(kept):
        why = ", ".join(f"{count:,} {reason}" for reason, count in counts.items() if count)
        mend = re.sub("nothing.*", "export a longer time", _MENDS[counts.most_common(1)[0][0]])
        raise InputError(f"{path} has no job that ran ({why}); {mend}")
    if time_zone is None:
        has_zone = lines.loc[kept.index, "submit"].str.fullmatch(_HAS_ZONE)
        counts["in times without a zone, read as UTC"] = int((~has_zone).sum())
    jobs = _merged(kept.sort_values("submit", kind="stable"), counts)
    read = f"; {shown(cluster)} is read" if len(clusters) > 1 else ""
    return _log(jobs, path, time_zone or "UTC", unit, counts, any(clusters) and known + read)


def _lines(path: Any, columns: dict, counts: Counter) -> "pd.DataFrame":
    """Return the words of what may be jobs: a row a line, under its number, a column a thing."""
    import pandas as pd

    parts: list[pd.DataFrame] = []
    header, places, number = b"", dict[str, int](), 1
    for block in content(path):
        block = block.removeprefix(codecs.BOM_UTF8) if number == 1 else block
        every = enumerate(block.replace(b"\r\n", b"\n").split(b"\n"), start=number)
        number += block.count(b"\n")
        rows = {at: row for at, row in every if row.strip()}
        if rows and not header:
            header = rows.pop(min(rows))
            places = _places(header.decode("utf-8", "replace"), columns, path)
        again = [at for at, row in rows.items() if row == header]
        counts["told again"] += len([rows.pop(at) for at in again])
        for at, row in rows.items():
            if row.count(b"|") != header.count(b"|"):
                raise InputError(
                    f"{path}, line {at}: {row.count(b'|') + 1} columns, and the header has "
                    f"{header.count(b'|') + 1}; leave JobName and other free text, which may hold "
                    "a '|', out of --format"
                )
        if rows:
            table = pd.read_csv(
                io.BytesIO(b"\n".join(rows.values())), sep="|", header=None, dtype=object,
                usecols=sorted(places.values()), na_filter=False, quoting=3, lineterminator="\n",
                encoding_errors="backslashreplace",
            ).set_axis([*rows])  # fmt: skip
            is_step = table[places["id"]].str.contains(".", regex=False)
            counts["steps of jobs"] += int(is_step.sum())
            parts.append(table[~is_step])
    if not any(map(len, parts)):
        what = f"no job below its header ({counts['steps of jobs']:,} steps of jobs)"
        raise InputError(f"{path} has {what if header else 'no line'}; export it with: {COMMAND}")
    table = pd.concat(parts)
    empty = pd.Series("", table.index, dtype=object)
    found = {name: table[places[name]] if name in places else empty for name in columns}
    return pd.DataFrame(found)


def _places(header: str, columns: dict, path: Any) -> dict[str, int]:
    """Return the position of the best column for each thing that is read."""
    names = [name.strip().casefold() for name in header.split("|")]
    places = {}
    for what, choices in columns.items():
        found = [choice for choice in choices if choice.casefold() in names]
        if found and names.count(found[0].casefold()) > 1:
            raise InputError(f"{path}, line 1: column {found[0]} comes twice; name it once")
        if found:
            places[what] = names.index(found[0].casefold())
    if missing := [need for need in _NEEDED if not any(what in places for what in need)]:
        words = ", ".join(" or ".join(columns[what][0] for what in need) for need in missing)
        raise InputError(
            f"{path}, line 1: no column {words} among columns separated by '|'; export it with: "
            f"{COMMAND}"
        )
    return places


def _ended(
    lines: "pd.DataFrame", zone: tzinfo, cluster: str | None, path: Any, counts: Counter
) -> "pd.DataFrame":
    """Return the lines of jobs that ran and have ended, in numbers."""
    numbers, clock = partial(_numbers, lines, path), "d-hh:mm:ss"
    instants, moment = partial(_instants, zone=zone), "seconds or YYYY-MM-DDThh:mm:ss"
    when = np.stack([numbers(n, instants, moment) for n in ("submit", "start", "end")], axis=1)
    elapsed = numbers("elapsed", _length, f"seconds or {clock}")
    limit = numbers("requested_time", partial(_length, unit=60), f"minutes or {clock}")
    count = "a whole number (sacct --noconvert)"
    sizes = {name: numbers(name, lambda word: whole_in(word or "0"), count) for name in _SIZES}
    submit, start, end = _in_order(when, elapsed).T
    span, no_zone = end - start, ~lines["start"].str.fullmatch(_HAS_ZONE).to_numpy(bool)
    too_long = (span >= 0) & (elapsed > span + 3600 * no_zone)  # the hour of a clock put back
    runtime = np.where(np.isnan(elapsed) | too_long, span, elapsed)
    state = lines["state"].str.extract(r"^\s*([^\s+]*)", expand=False).str.upper()
    status = state.map(_STATUS).fillna(0).astype(int)
    is_other, is_open = lines["cluster"] != (cluster or lines["cluster"]), state.isin(_OPEN)
    again = lines.loc[~(is_other | is_open), ["id", "submit"]].duplicated(keep="last")
    has_end = lines["end"].ne("").any()  # else there is no such column
    reasons = {
        "of other clusters": is_other,
        "still waiting or running": is_open,
        "told again": again.reindex(lines.index, fill_value=False),
        "never started": np.isnan(start) | ((status == 5) & ~(runtime > 0)),
        "without an end, or a submission": np.isnan(submit + runtime) | (has_end & np.isnan(end)),
        "end before they start": (end < start) | (runtime < 0),
        "ran for less than a second": runtime < 1,
        "without processors": sum(sizes.values()) <= 0,
    }
    why = np.select([np.asarray(which, bool) for which in reasons.values()], [*reasons], "")
    counts.update(why[why != ""].tolist())
    kept, shift = why == "", np.diff(when)[..., 0]
    counts["in the hour that comes twice as summer ends"] = (shift[kept] > 0).any(axis=1).sum()
    counts["in the hour that the clock skips"] = (shift[kept] < 0).any(axis=1).sum()
    counts["have run longer than from start to end"] = too_long[kept].sum()
    times = {"submit": submit, "start": start, "runtime": runtime, "requested_time": limit}
    return lines.assign(**times, **sizes, status=status)[kept]


def _numbers(
    lines: "pd.DataFrame", path: Any, name: str, parse: Callable[[str], Any], wanted: str
) -> NDArray[np.float64]:
    """Return a column in numbers; each word of it is read once, as "" where it is not known."""
    import pandas as pd

    codes, words = pd.factorize(lines[name].str.strip())
    values = []
    for code, word in enumerate(words):
        try:
            values.append(parse("" if word.casefold() in _NOT_KNOWN else word))
            if np.max(values[-1]) > LARGEST_WHOLE:
                raise ValueError
        except (ValueError, OverflowError):
            where = f"{path}, line {lines.index[(codes == code).argmax()]}"
            raise InputError(f"{where}: {name} is {shown(word)}; give {wanted}") from None
    return np.array(values, dtype=float)[codes]


def _instants(word: str, zone: tzinfo) -> tuple[float, float]:
    """Return both instants, in seconds of Unix, that a time may mean; most often the same."""
    # The second is later for a time that comes twice, and earlier for one that the clock skips.
    if not word or word.isdecimal():
        seconds = whole_in(word or "0") or np.nan  # of a time that is not known Slurm may print 0
        when = seconds, seconds
    else:
        moment = datetime.fromisoformat(word)
        moment = moment.replace(tzinfo=moment.tzinfo or zone)
        when = moment.timestamp(), moment.replace(fold=1).timestamp()
    if min(when) < 0 or max(when) >= LAST_INSTANT:
        raise ValueError
    return when


def _length(word: str, unit: int = 1) -> float:
    """Return a length of time in seconds."""
    if not word or word.isdecimal():
        return number_in(word) * unit if word else np.nan
    if not (match := _CLOCK.fullmatch(word)):
        raise ValueError
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60.0 + seconds


def _in_order(when: NDArray[np.float64], elapsed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return of each pair of instants, shape (n, 3, 2), the one that suits the others best."""
    chosen = when[..., 0].copy()
    doubtful = np.flatnonzero((when[..., 0] < when[..., 1]).any(axis=1))
    tries = np.stack([when[doubtful][:, range(3), pick] for pick in product((0, 1), repeat=3)])
    submit, start, end = np.moveaxis(tries, -1, 0)
    off = np.nan_to_num(np.abs(end - start - elapsed[doubtful]))
    best = (off + 1e9 * ((start < submit) | (end < start))).argmin(axis=0)  # the earliest of them
    chosen[doubtful] = tries[best, range(len(doubtful))]
    return chosen


def _merged(kept: "pd.DataFrame", counts: Counter) -> "pd.DataFrame":
    """Return a row a job, the components of a run together; count what should be known of them."""
    run, alone = kept.groupby("id").cumcount(), ~kept["id"].str.contains("+", regex=False)
    # Components of a run start together: what starts when the one before has ended is of a later.
    leader = kept["id"].str.partition("+")[0]
    later = kept["start"] >= (kept["start"] + kept["runtime"]).groupby(leader).shift()
    leader += "+" + later.groupby(leader).cumsum().astype(str)
    how = {name: _TOGETHER.get(name, "first") for name in kept.columns}
    jobs = kept.groupby(np.where(alone, kept.index, leader), sort=False).agg(how)
    counts["further components of heterogeneous jobs"] = len(kept) - len(jobs)
    counts["further runs of requeued jobs"] = int(((run > 0) & alone).sum())
    counts["without a time limit"] = int((~(jobs["requested_time"] > 0)).sum())
    counts["start before their submission"] = int((jobs["start"] < jobs["submit"]).sum())
    return jobs


def _log(
    jobs: "pd.DataFrame", path: Any, time_zone: str, unit: str, counts: Counter, clusters: Any
) -> SwfLog:
    """Return the log of these jobs, with its header and receipt."""
    import pandas as pd

    first, last = int(jobs["submit"].min()), int(jobs["submit"].max())
    wait = jobs["start"] - jobs["submit"]
    names: dict = {}
    table = jobs.assign(job=range(1, len(jobs) + 1), wait=wait.where(wait >= 0))
    table["submit"] -= first
    for name in ("user", "group", "queue", "partition"):
        by_name = name in ("queue", "partition")
        codes, names[name] = pd.factorize(jobs[name].where(jobs[name] != ""), sort=by_name)
        table[name] = codes + 1
    known = ("requested_processors", "requested_time", "user", "group", "queue", "partition")
    table = table.replace({name: {0: -1} for name in known}).reindex(columns=[*FIELDS])
    table = table.astype(float).fillna(-1).astype(dict.fromkeys(WHOLE_FIELDS, np.int64))
    rows: list[tuple] = [("kept", len(jobs), "jobs", "")]
    noted = [*_MENDS].index("without a time limit")
    for place, (what, mend) in enumerate(_MENDS.items()):
        if counts[what]:
            rows.append(("left out" if place < noted else "noted", counts[what], what, mend))
    header = {
        "Version": "2.2", "Conversion": "coalloc import sacct", "MaxJobs": str(len(jobs)),
        "UnixStartTime": str(first), "TimeZoneString": time_zone,
        "Note": "\n".join([f"processors are {unit}", *(f"{o}: {n:,} {w}" for o, n, w, _ in rows)]),
    }  # fmt: skip
    size = table["allocated_processors"].where(lambda n: n > 0, table["requested_processors"])
    busy = in_use(jobs["start"], jobs["start"] + jobs["runtime"], size)
    came = [datetime.fromtimestamp(end, ZoneInfo(time_zone)) for end in (first, last)]
    found = {
        f"first submission: {came[0]:%F %T %Z}": "check the time zone, and --starttime",
        f"last submission: {came[1]:%F %T %Z}": "check the time zone, and --endtime",
        f"widest job: {size.max():,} {unit}": "where it is odd, check for swapped columns",
        f"busy 99 % of the time at most: {busy:,.0f} {unit}": "compare with your machine",
    }
    if len(key := names["partition"]) > 1:
        named = (f"partition {n}: {name}" for n, name in enumerate(key[:MOST_NAMED], 1))
        found |= dict.fromkeys(named, "the log has the number alone")
    found |= {f"clusters: {clusters}": "check that this one is meant"} if clusters else {}
    rows += [("found", pd.NA, *row) for row in found.items()]
    receipt = pd.DataFrame(rows, columns=["outcome", "lines", "what", "what to do"])
    receipt["lines"] = receipt["lines"].astype("Int64")  # none of what was found in them
    name = re.sub(r"(\.(txt|csv))?(\.gz)?$", "", Path(path).name)
    return SwfLog(header, table.reset_index(drop=True), name, str(path), receipt=receipt)
