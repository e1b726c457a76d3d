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
    InputError,
    one_of,
    shown,
    whole_in,
)
from coalloc_lib.basics.text import printable
from coalloc_lib.workloads.log_files import content
from coalloc_lib.workloads.swf import SwfLog, in_use
from coalloc_lib.workloads.swf_lines import FIELDS, WHOLE_FIELDS
from own_system.sacct_elapsed import (
    IN_HOURS,
    LONGER,
    SHORTER,
    contradictions_of,
    tolerance_of,
)
from own_system.sacct_states import OPEN, OPEN_WITHOUT_END, STATES, STATUS, state_of
from own_system.sacct_times import (
    LENGTH_OF_TIME,
    Hours,
    instants,
    is_without_seconds,
    length,
    parts_of,
)

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
# Lines that are alike in these are one run. The instant of a submission stands for most of the
# words that give it.
_RUN = ("id", "submit", "submit_has_zone", "other_submit", "start")
_NEEDED = (("id",), ("submit",), ("start",), ("state",), ("elapsed", "end"), _SIZES[:1])
#: How many partitions the receipt names.
MOST_NAMED = 12
# Words that stand for no value. The last two are Slurm's numbers for no value and for no limit.
_NOT_KNOWN = {
    "", "unknown", "none", "n/a", "invalid", "unlimited", "infinite", "partition_limit", "not_set",
    "4294967294", "4294967295",
}  # fmt: skip
_HAS_ZONE = r"\d*|.*(?:Z|[+-]\d\d:?\d\d)"
# What components of a job make together; all else is that of the first.
_TOGETHER = {"runtime": "max", "requested_time": "max", **dict.fromkeys(_SIZES, "sum")}

# Reasons why lines are left out, and from 'without a time limit' on what is noted; with what to do.
_MENDS = {
    "steps of jobs": "nothing; --allocations leaves them out",
    "of other clusters": "import each cluster by itself",
    "still waiting or running": "export them when they have ended",
    "revoked, as another cluster ran them": "nothing: they took no processors here",
    "told again": "nothing: the last line of a run counts",
    "never started": "nothing: they took no processors",
    "without an end, or a submission": "see 'sacctmgr show runawayjobs'",
    "end before they start": "check for swapped columns, and the clocks",
    "ran for less than a second": "nothing: they took no time",
    "without processors": "export AllocCPUS and ReqCPUS, or count nodes",
    "further components of heterogeneous jobs": "nothing: they are added to their job",
    "without a time limit": "they are planned with their run time, unless you give a limit",
    "further runs of requeued jobs": "nothing: each run took processors, and is a job",
    "further segments of resized jobs": "nothing: each has its own processors, and is a job",
    "start before their submission": "nothing: their wait is not known",
    LONGER: "check the columns and the time zone; the time from start to end is used",
    SHORTER: "suspended jobs do so, else check the columns and the time zone; Elapsed is used",
    IN_HOURS: "Elapsed seems to be in hours:minutes, or in minutes; read as from start to end",
    "with times such as 12:00, read as minutes:seconds": "check that they are not hours:minutes",
    "in a state that is not known, read as failed": "check the column State",
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
    found = _Found()
    counts = found.counts
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
    kept = _ended(lines, read.instants(), cluster, zone, found)
    del lines
    if not len(kept):
        why = ", ".join(f"{count:,} {reason}" for reason, count in counts.items() if count)
        mend = re.sub("nothing.*", "export a longer time", _MENDS[counts.most_common(1)[0][0]])
        raise InputError(f"{path} has no job that ran ({why}); {mend}")
    if time_zone is None:
        counts["in times without a zone, read as UTC"] = int((~kept["submit_has_zone"]).sum())
    jobs = _merged(_in_turn(kept, counts), counts)
    which = f"; {shown(cluster)} is read" if len(clusters) > 1 else ""
    return _log(jobs, path, time_zone or "UTC", unit, found, any(clusters) and known + which)


class _Found:
    """The numbers of lines that are left out and noted, and the first line of some notes."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first_lines: dict[str, int] = {}

    def left_out(self, reasons: dict[str, NDArray]) -> NDArray[np.bool_]:
        """Count each line for the first reason that holds; return the lines for which none does."""
        why = np.select([*reasons.values()], range(len(reasons)), len(reasons))
        for place, reason in enumerate(reasons):
            self.counts[reason] += int((why == place).sum())
        return why == len(reasons)

    def noted(self, notes: dict[str, NDArray], line: NDArray[np.int64]) -> None:
        """Count the lines of each note."""
        for what, mask in notes.items():
            self.counts[what] = int(mask.sum())
            if mask.any() and what in (LONGER, SHORTER, IN_HOURS):
                self.first_lines[what] = int(line[mask.argmax()])

    def rows(self) -> list[tuple[str, int, str, str]]:
        """Return the rows of the receipt: outcome, lines, what, what to do."""
        rows, noted = [], [*_MENDS].index("without a time limit")
        for place, (what, mend) in enumerate(_MENDS.items()):
            first = self.first_lines.get(what)
            mend += f"; the first is line {first}" * (first is not None)
            if self.counts[what]:
                outcome = "left out" if place < noted else "noted"
                rows.append((outcome, self.counts[what], what, mend))
        return rows


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
            text = header.decode("utf-8", "replace")
            places = _places(text, columns, path)
            read.has_raw_elapsed = "elapsedraw" in text.casefold().replace(" ", "").split("|")
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
        self._hours = Hours(zone)
        self._codes: dict[str, dict[str, int]] = {name: {} for name in _NAMES}
        self._blocks: list[dict[str, NDArray]] = []
        self._instants: list[NDArray[np.float64]] = []
        self._faults: dict[str, str] = {}
        self.has_raw_elapsed = False

    def __len__(self) -> int:
        return sum(map(len, self._instants))

    def add(self, words: dict[str, "pd.Series"]) -> None:
        """Put a block into numbers: of each thing its words, under the numbers of their lines."""
        read = [self._times(name, words[name]) for name in _TIMES]
        when, zoned, other, in_minutes = zip(*read, strict=True)
        self._instants.append(np.stack(when, axis=1))
        block = {"id": words["id"].to_numpy(), "submit": when[0][:, 0]}
        block["other_submit"] = words["submit"].where(other[0], "").to_numpy()
        block |= {f"{name}_has_zone": zoned[k] for k, name in enumerate(_TIMES)}
        block["line"] = words["id"].index.to_numpy()
        block["has_end"] = (words["end"] != "").to_numpy(bool)
        minutes = partial(length, unit=60)
        parsers: dict[str, Callable] = {"elapsed": length, "requested_time": minutes}
        for name in _AMOUNTS:
            block[name] = self._numbers(name, words[name], parsers.get(name, _count))
        rounded = self._flags("elapsed", words["elapsed"])
        block["tolerance"] = tolerance_of(in_minutes[1] | in_minutes[2], rounded)
        block["is_raw"] = np.full(len(block["id"]), self.has_raw_elapsed)
        for name in parsers:
            block[f"{name}_parts"] = self._numbers(name, words[name], parts_of)
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

    def _times(self, name: str, words: "pd.Series") -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return both instants of each time, and three flags.

        The flags say whether it has a zone, whether its form is unusual, and whether it has minutes
        but no seconds.
        """
        quick = np.fromiter(map(self._hours.instant, words), float, len(words))
        when = np.stack([quick, quick], axis=1)
        has_zone = np.array(words.str.len() != LENGTH_OF_TIME, dtype=bool)
        others = np.isnan(quick)
        in_minutes = np.zeros(len(words), dtype=bool)
        if others.any():
            parse = partial(instants, zone=self._zone)
            when[others] = self._numbers(name, words[others], parse).reshape(-1, 2)
            has_zone[others] = words[others].str.fullmatch(_HAS_ZONE)
            in_minutes[others] = self._flags(name, words[others])
        return when, has_zone, others, in_minutes

    def _flags(self, name: str, words: "pd.Series") -> NDArray[np.bool_]:
        """Return which times have minutes but no seconds."""
        return self._numbers(name, words, is_without_seconds).astype(bool)

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


def _count(word: str) -> int:
    """Return a number of processors."""
    return whole_in(word or "0")


def _ended(
    lines: "pd.DataFrame",
    when: NDArray[np.float64],
    cluster: str | None,
    zone: tzinfo,
    found: "_Found",
) -> "pd.DataFrame":
    """Return the lines of jobs that ran and have ended."""
    elapsed = lines["elapsed"].to_numpy()
    submit, start, end = _in_order(when, elapsed).T
    contradictions = contradictions_of(lines, start, end, zone)
    as_from_start_to_end = np.isnan(elapsed) | contradictions[LONGER] | contradictions[IN_HOURS]
    runtime = np.where(as_from_start_to_end, end - start, elapsed)
    states = lines["state"].map(state_of, na_action=None).astype(object)
    status = states.map(STATUS).fillna(0).to_numpy(dtype=int)
    is_other = (lines["cluster"] != (cluster or lines["cluster"])).to_numpy()
    is_open = _is_open(states, lines["has_end"], end, runtime)
    reasons = {
        "of other clusters": is_other,
        "still waiting or running": is_open,
        "revoked, as another cluster ran them": (states == "REVOKED").to_numpy(),
        "told again": _told_again(lines.assign(start=start), ~(is_other | is_open)),
        "never started": np.isnan(start) | ((status == 5) & ~(runtime > 0)),
        "without an end, or a submission": np.isnan(submit + runtime)
        | (lines["has_end"].any() & np.isnan(end)),
        "end before they start": (end < start) | (runtime < 0),
        "ran for less than a second": runtime < 1,
        "without processors": lines[[*_SIZES]].sum(axis=1).to_numpy() <= 0,
    }
    kept = found.left_out(reasons)
    shift = np.diff(when)[..., 0]
    in_two = lines[["elapsed_parts", "requested_time_parts"]] == 2
    is_unclear = in_two.to_numpy() & ~np.outer(contradictions[IN_HOURS], [True, False])
    notes = contradictions | {
        "in the hour that comes twice as summer ends": (shift > 0).any(axis=1),
        "in the hour that the clock skips": (shift < 0).any(axis=1),
        "in a state that is not known, read as failed": ~states.isin(STATES).to_numpy(),
        "with times such as 12:00, read as minutes:seconds": is_unclear.any(axis=1),
    }
    found.noted({what: kept & mask for what, mask in notes.items()}, lines["line"].to_numpy())
    times = {"submit": submit, "start": start, "runtime": runtime, "status": status}
    stay = ["id", "requested_time", *_SIZES, *_NAMES[1:-1], "submit_has_zone"]
    numbers = {name: column[kept] for name, column in times.items()}
    numbers["is_resizing"] = (states == "RESIZING").to_numpy()[kept]
    return lines.loc[kept, stay].assign(**numbers)


def _is_open(
    states: "pd.Series", has_end: "pd.Series", end: NDArray, runtime: NDArray
) -> NDArray[np.bool_]:
    """Return which jobs are still waiting or running.

    A record in some states, such as RESIZING, is closed if it has an end. If the export has no ends
    at all, a job that is about to change its size has run with the old one.
    """
    no_end = np.isnan(end)
    if not has_end.any():
        no_end &= ~((states == "RESIZING").to_numpy() & (runtime > 0))
    return (states.isin(OPEN) | (states.isin(OPEN_WITHOUT_END) & no_end)).to_numpy(bool)


def _told_again(lines: "pd.DataFrame", chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the chosen lines are repeated by a later one: both are of one run."""
    jobs = lines.loc[chosen, [*_RUN]]
    jobs = jobs[jobs["id"].duplicated(keep=False)]  # there are few of them
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


def _in_turn(kept: "pd.DataFrame", counts: Counter) -> "pd.DataFrame":
    """Return the runs in order of submission; each run of a job comes after the one before it.

    Slurm sets the submission anew when a job is requeued or resized. If an export has the first
    submission for all runs, a later run is submitted at the end of the one before.
    """
    by_start = kept.sort_values("start", kind="stable")
    runs = by_start.groupby(["id", "submit"], sort=False)
    before = runs["start"].shift() + runs["runtime"].shift()
    submit = np.fmax(by_start["submit"], np.minimum(before, by_start["start"]))
    is_segment = by_start.groupby("id", sort=False)["is_resizing"].shift(fill_value=False)
    counts["further segments of resized jobs"] = int(is_segment.sum())
    kept = kept.assign(submit=submit, is_segment=is_segment)
    return kept.sort_values("submit", kind="stable")


def _merged(kept: "pd.DataFrame", counts: Counter) -> "pd.DataFrame":
    """Return a row per job, components of a run together; count what should be known of them."""
    import pandas as pd

    is_part = kept["id"].str.contains("+", regex=False).to_numpy(bool)
    is_again = kept["id"].duplicated() & ~is_part & ~kept["is_segment"]
    counts["further runs of requeued jobs"] = int(is_again.sum())
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
    jobs: "pd.DataFrame", path: Any, time_zone: str, unit: str, found: _Found, clusters: Any
) -> SwfLog:
    """Return the log of these jobs, with its header and receipt."""
    import pandas as pd

    first, last = int(jobs["submit"].min()), int(jobs["submit"].max())
    size = jobs[_SIZES[0]].where(lambda n: n > 0, jobs[_SIZES[1]])
    busy = in_use(jobs["start"], jobs["start"] + jobs["runtime"], size)
    table, names = _table(jobs, first)
    rows: list[tuple] = [("kept", len(jobs), "jobs", ""), *found.rows()]
    header = {
        "Version": "2.2", "Conversion": "python -m own_system import", "MaxJobs": str(len(jobs)),
        "UnixStartTime": str(first), "TimeZoneString": time_zone,
        "Note": "\n".join([f"processors are {unit}", *(f"{o}: {n:,} {w}" for o, n, w, _ in rows)]),
    }  # fmt: skip
    came = [datetime.fromtimestamp(end, ZoneInfo(time_zone)) for end in (first, last)]
    facts = {
        f"first submission: {came[0]:%F %T %Z}": "check the time zone, and --starttime",
        f"last submission: {came[1]:%F %T %Z}": "check the time zone, and --endtime",
        f"widest job: {int(size.max()):,} {unit}": "where it is odd, check for swapped columns",
        f"busy 99 % of the time at most: {busy:,.0f} {unit}": "compare with your machine",
    }
    if len(key := names["partition"]) > 1:
        named = (f"partition {n}: {name}" for n, name in enumerate(key[:MOST_NAMED], 1))
        facts |= dict.fromkeys(named, "the log has the number alone")
    facts |= {f"clusters: {clusters}": "check that this one is meant"} if clusters else {}
    rows += [("found", pd.NA, *row) for row in facts.items()]
    receipt = pd.DataFrame(rows, columns=["outcome", "lines", "what", "what to do"])
    receipt["lines"] = receipt["lines"].astype("Int64")  # none of what was found in them
    name = re.sub(r"(\.(txt|csv))?(\.gz)?$", "", Path(path).name)
    return SwfLog(header, table, printable(name), str(path), receipt=receipt)
