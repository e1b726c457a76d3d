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
from coalloc_lib.basics.text import printable
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
# What becomes numbers, and how it is given; and what stays words, of which there are few.
_TIMES = dict.fromkeys(("submit", "start", "end"), "seconds or YYYY-MM-DDThh:mm:ss")
_AMOUNTS = {
    "elapsed": "seconds or d-hh:mm:ss",
    "requested_time": "minutes or d-hh:mm:ss",
    **dict.fromkeys(_SIZES, "a whole number (sacct --noconvert)"),
}
_NAMES = ("state", "user", "group", "queue", "partition", "cluster")
# What tells one submission of a job: its instant stands for most of the words that give it.
_SUBMISSION = ("id", "submit", "submit_has_zone", "other_submit")
_NEEDED = (("id",), ("submit",), ("start",), ("state",), ("elapsed", "end"), _SIZES[:1])
#: How many partitions the receipt names.
MOST_NAMED = 12
_NOT_KNOWN = {"", "unknown", "none", "n/a", "invalid", "unlimited", "partition_limit"}
_CLOCK = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?", re.ASCII)
_HAS_ZONE = r"\d*|.*(?:Z|[+-]\d\d:?\d\d)"
# An hour of a clock, and what follows it in a time, in seconds.
_HOUR = re.compile(r"\d{4}-\d\d-\d\dT\d\d", re.ASCII)
_IN_HOUR = {f":{s // 60:02}:{s % 60:02}": float(s) for s in range(3600)}
_LENGTH_OF_TIME = len("YYYY-MM-DDThh:mm:ss")
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
    columns = _COLUMNS | dict(zip(_SIZES, sizes, strict=True))
    read = _Columns(path, zone)
    lines = _lines(path, columns, read, counts)
    clusters = lines["cluster"].unique().tolist()
    known = ", ".join(map(shown, filter(None, clusters))) or "none; add Cluster to --format"
    if cluster is None and len(clusters) > 1:
        raise InputError(f"{path} holds several clusters: {known}; say which cluster to read")
    if cluster is not None and cluster not in clusters:
        raise InputError(f"cluster = {shown(cluster)} is not in {path}; it names {known}")
    read.check()
    kept = _ended(lines, read.instants(), cluster, counts)
    del lines
    if not len(kept):
        why = ", ".join(f"{count:,} {reason}" for reason, count in counts.items() if count)
        mend = re.sub("nothing.*", "export a longer time", _MENDS[counts.most_common(1)[0][0]])
        raise InputError(f"{path} has no job that ran ({why}); {mend}")
    if time_zone is None:
        counts["in times without a zone, read as UTC"] = int((~kept["submit_has_zone"]).sum())
    kept = kept.sort_values("submit", kind="stable")
    jobs = _merged(kept, counts)
    which = f"; {shown(cluster)} is read" if len(clusters) > 1 else ""
    return _log(jobs, path, time_zone or "UTC", unit, counts, any(clusters) and known + which)


def _lines(path: Any, columns: dict, read: "_Columns", counts: Counter) -> "pd.DataFrame":
    """Return what may be jobs, in numbers: a row per line, under its number."""
    import pandas as pd

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
            table = table[~is_step]
            empty = pd.Series("", table.index, dtype=object)
            read.add({name: table.get(places.get(name), empty) for name in columns})
    if not len(read):
        what = f"no job below its header ({counts['steps of jobs']:,} steps of jobs)"
        raise InputError(f"{path} has {what if header else 'no line'}; export it with: {COMMAND}")
    return read.table()


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


class _Columns:
    """The columns of an export, put into numbers block by block, so that few words are kept."""

    def __init__(self, path: Any, zone: tzinfo) -> None:
        self._path, self._zone = path, zone
        self._hours = _Hours(zone)
        self._codes: dict[str, dict[str, int]] = {name: {} for name in _NAMES}
        self._blocks: list[dict[str, NDArray]] = []
        self._instants: list[NDArray[np.float64]] = []
        self._faults: dict[str, str] = {}

    def __len__(self) -> int:
        return sum(map(len, self._instants))

    def add(self, words: dict[str, "pd.Series"]) -> None:
        """Put a block into numbers: of each thing its words, under the numbers of their lines."""
        when, zoned, other = zip(*(self._times(name, words[name]) for name in _TIMES), strict=True)
        self._instants.append(np.stack(when, axis=1))
        block = {"id": words["id"].to_numpy(), "submit": when[0][:, 0]}
        block["other_submit"] = words["submit"].where(other[0], "").to_numpy()
        block |= {f"{name}_has_zone": zoned[k] for k, name in enumerate(_TIMES)}
        block["has_end"] = (words["end"] != "").to_numpy(bool)
        minutes = partial(_length, unit=60)
        parsers: dict[str, Callable] = {"elapsed": _length, "requested_time": minutes}
        for name in _AMOUNTS:
            block[name] = self._numbers(name, words[name], parsers.get(name, _count))
        for name, codes in self._codes.items():
            block[name] = _codes_of(words[name], codes)
        self._blocks.append(block)

    def check(self) -> None:
        """Refuse what cannot be read, with its line."""
        for name in (*_TIMES, *_AMOUNTS):
            if name in self._faults:
                raise InputError(self._faults[name])

    def table(self) -> "pd.DataFrame":
        """Return all blocks as one, and forget them."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for name in [*self._blocks[0]]:
            column: Any = np.concatenate([block.pop(name) for block in self._blocks])
            if name in _NAMES:
                names = self._codes[name]
                column = pd.Categorical.from_codes(column, [*names])
                column = column.reorder_categories(sorted(names))
            columns[name] = pd.Series(column, dtype=column.dtype)
        return pd.DataFrame(columns, copy=False)

    def instants(self) -> NDArray[np.float64]:
        """Return both instants that each time may mean, shape (n, 3, 2), and forget them."""
        instants, self._instants = np.concatenate(self._instants), []
        return instants

    def _times(self, name: str, words: "pd.Series") -> tuple[NDArray, NDArray, NDArray]:
        """Return both instants of each time, whether it has a zone, and which are not common."""
        quick = np.fromiter(map(self._hours.instant, words), float, len(words))
        when = np.stack([quick, quick], axis=1)
        has_zone = np.array(words.str.len() != _LENGTH_OF_TIME, dtype=bool)
        others = np.isnan(quick)
        if others.any():
            parse = partial(_instants, zone=self._zone)
            when[others] = self._numbers(name, words[others], parse).reshape(-1, 2)
            has_zone[others] = words[others].str.fullmatch(_HAS_ZONE)
        return when, has_zone, others

    def _numbers(
        self, name: str, words: "pd.Series", parse: Callable[[str], Any]
    ) -> NDArray[np.float64]:
        """Return words in numbers; each is read once, as "" where it is not known."""
        import pandas as pd

        codes, different = pd.factorize(words.str.strip())
        values = []
        for code, word in enumerate(different):
            try:
                values.append(parse("" if word.casefold() in _NOT_KNOWN else word))
            except (ValueError, OverflowError):
                where = f"{self._path}, line {words.index[(codes == code).argmax()]}"
                fault = f"{where}: {name} is {shown(word)}; give {(_TIMES | _AMOUNTS)[name]}"
                self._faults.setdefault(name, fault)
                values.append(parse(""))
        return np.array(values, dtype=float)[codes]


def _codes_of(words: "pd.Series", known: dict[str, int]) -> NDArray[np.int32]:
    """Return the code of each word; those not known yet get the next ones."""
    import pandas as pd

    codes, different = pd.factorize(words)
    numbers = [known.setdefault(word, len(known)) for word in different]
    return np.array(numbers, dtype=np.int32)[codes]


class _Hours(dict[str, float]):
    """When the hours of a clock begin, such as 2024-10-27T02; nan where its seconds do not tell."""

    def __init__(self, zone: tzinfo) -> None:
        self._zone = zone

    def instant(self, word: str) -> float:
        """Return the instant of a common time, which no other one has; nan of what is none."""
        if len(word) == _LENGTH_OF_TIME:
            return self[word[:13]] + _IN_HOUR.get(word[13:], np.nan)
        if len(word) < 12 and word.isdecimal() and word.isascii() and word[0] != "0":
            return float(word)
        return np.nan

    def __missing__(self, hour: str) -> float:
        self[hour] = np.nan
        if _HOUR.fullmatch(hour):
            try:
                begin, begin_again = _instants(f"{hour}:00:00", self._zone)
                last, last_again = _instants(f"{hour}:59:59", self._zone)
            except (ValueError, OverflowError):
                return np.nan
            if begin == begin_again and last == last_again == begin + 3599:  # it is not changed
                self[hour] = begin
        return self[hour]


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
    if not word:
        return np.nan
    if word.isdecimal():
        length = number_in(word) * unit
    elif match := _CLOCK.fullmatch(word):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        length = ((days * 24 + hours) * 60 + minutes) * 60.0 + seconds
    else:
        raise ValueError
    if length > LARGEST_WHOLE:
        raise ValueError
    return length


def _count(word: str) -> int:
    """Return a number of processors."""
    return whole_in(word or "0")


def _ended(
    lines: "pd.DataFrame", when: NDArray[np.float64], cluster: str | None, counts: Counter
) -> "pd.DataFrame":
    """Return the lines of jobs that ran and have ended."""
    import pandas as pd

    elapsed = lines["elapsed"].to_numpy()
    submit, start, end = _in_order(when, elapsed).T
    span, no_zone = end - start, ~lines["start_has_zone"].to_numpy()
    too_long = (span >= 0) & (elapsed > span + 3600 * no_zone)  # the hour of a clock put back
    runtime = np.where(np.isnan(elapsed) | too_long, span, elapsed)
    status, is_open = _status_of(lines["state"])
    is_other = (lines["cluster"] != (cluster or lines["cluster"])).to_numpy()
    no_end = lines["has_end"].any() & np.isnan(end)  # but where there is no such column
    reasons = {
        "of other clusters": is_other,
        "still waiting or running": is_open,
        "told again": _told_again(lines, ~(is_other | is_open)),
        "never started": np.isnan(start) | ((status == 5) & ~(runtime > 0)),
        "without an end, or a submission": np.isnan(submit + runtime) | no_end,
        "end before they start": (end < start) | (runtime < 0),
        "ran for less than a second": runtime < 1,
        "without processors": lines[[*_SIZES]].sum(axis=1).to_numpy() <= 0,
    }
    why = np.select([*reasons.values()], range(len(reasons)), len(reasons)).astype(np.int8)
    for reason in pd.unique(why[why < len(reasons)]):
        counts[[*reasons][reason]] += int((why == reason).sum())
    kept, shift = why == len(reasons), np.diff(when)[..., 0]
    counts["in the hour that comes twice as summer ends"] = (shift[kept] > 0).any(axis=1).sum()
    counts["in the hour that the clock skips"] = (shift[kept] < 0).any(axis=1).sum()
    counts["have run longer than from start to end"] = too_long[kept].sum()
    times = {"submit": submit, "start": start, "runtime": runtime, "status": status}
    stay = ["id", "requested_time", *_SIZES, *_NAMES[1:-1], "submit_has_zone"]
    numbers = {name: column[kept] for name, column in times.items()}
    return lines.loc[kept, stay].assign(**numbers)


def _status_of(states: "pd.Series") -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the status of each job, and whether it is waiting or running."""
    firsts = [re.split(r"[\s+]", state.lstrip(), maxsplit=1)[0] for state in states.cat.categories]
    kinds, codes = [first.upper() for first in firsts], states.cat.codes.to_numpy()
    status = np.array([_STATUS.get(kind, 0) for kind in kinds])
    return status[codes], np.array([kind in _OPEN for kind in kinds])[codes]


def _told_again(lines: "pd.DataFrame", chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the chosen lines a later one of them tells again: of one submission."""
    jobs = lines.loc[chosen, [*_SUBMISSION]]
    jobs = jobs[jobs["id"].duplicated(keep=False)]  # few, and found by one column
    again = jobs.duplicated(keep="last")
    return again.reindex(lines.index, fill_value=False).to_numpy(bool)


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
    """Return a row per job, components of a run together; count what should be known of them."""
    import pandas as pd

    is_part = kept["id"].str.contains("+", regex=False).to_numpy(bool)
    counts["further runs of requeued jobs"] = int(kept.loc[~is_part, "id"].duplicated().sum())
    is_first = np.ones(len(kept), dtype=bool)
    if is_part.any():
        leaders = kept.loc[is_part, "id"].str.partition("+")[0]
        related = is_part | kept["id"].isin(leaders).to_numpy()
        runs = _runs(kept[related], is_part[related])
        is_first[related] = ~pd.Series(runs).duplicated()
        for name, how in _TOGETHER.items():
            of_run = kept.loc[related, name].groupby(runs, sort=False).transform(how)
            column = kept[name].to_numpy(copy=True)
            column[related] = of_run
            kept = kept.assign(**{name: column})
    jobs = kept.loc[is_first, kept.columns != "id"]
    counts["further components of heterogeneous jobs"] = len(kept) - len(jobs)
    counts["without a time limit"] = int((~(jobs["requested_time"] > 0)).sum())
    counts["start before their submission"] = int((jobs["start"] < jobs["submit"]).sum())
    return jobs


def _runs(kept: "pd.DataFrame", is_part: NDArray[np.bool_]) -> NDArray:
    """Return what names the run of each line, of lines in order of submission."""
    # Components of a run start together: what starts when the one before has ended is of a later.
    leader = kept["id"].str.partition("+")[0]
    later = kept["start"] >= (kept["start"] + kept["runtime"]).groupby(leader).shift()
    leader += "+" + later.groupby(leader).cumsum().astype(str)
    return np.where(is_part, leader, kept.index)


def _table(jobs: "pd.DataFrame", first: int) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Return the table of the log, its instants from `first` on; and the names that it numbers."""
    import pandas as pd

    wait = jobs["start"] - jobs["submit"]
    known: dict[str, Any] = {name: jobs[name] for name in ("runtime", "status", _SIZES[0])}
    known |= {"job": range(1, len(jobs) + 1), "submit": jobs["submit"] - first}
    known["wait"] = wait.where(wait >= 0)
    names = {}
    for name in ("user", "group", "queue", "partition"):
        by_name = name in ("queue", "partition")
        codes, names[name] = pd.factorize(jobs[name].where(jobs[name] != ""), sort=by_name)
        known[name] = np.where(codes < 0, -1, codes + 1)
    for name in ("requested_time", _SIZES[1]):
        known[name] = jobs[name].where(jobs[name] != 0)
    columns = {}
    for name in FIELDS:
        values = np.asarray(known.pop(name, np.full(len(jobs), -1.0)), dtype=float)
        values = np.where(np.isnan(values), -1, values)
        columns[name] = values.astype(np.int64 if name in WHOLE_FIELDS else float, copy=False)
    return pd.DataFrame(columns, copy=False), names


def _log(
    jobs: "pd.DataFrame", path: Any, time_zone: str, unit: str, counts: Counter, clusters: Any
) -> SwfLog:
    """Return the log of these jobs, with its header and receipt."""
    import pandas as pd

    first, last = int(jobs["submit"].min()), int(jobs["submit"].max())
    size = jobs[_SIZES[0]].where(lambda n: n > 0, jobs[_SIZES[1]])
    busy = in_use(jobs["start"], jobs["start"] + jobs["runtime"], size)
    table, names = _table(jobs, first)
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
    came = [datetime.fromtimestamp(end, ZoneInfo(time_zone)) for end in (first, last)]
    found = {
        f"first submission: {came[0]:%F %T %Z}": "check the time zone, and --starttime",
        f"last submission: {came[1]:%F %T %Z}": "check the time zone, and --endtime",
        f"widest job: {int(size.max()):,} {unit}": "where it is odd, check for swapped columns",
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
    return SwfLog(header, table, printable(name), str(path), receipt=receipt)
