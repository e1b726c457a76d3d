"""Figures 3 to 7(a): temporal penalty, waits and their distributions, advance reservations."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from coalloc_lib.estimates import Interval
from coalloc_lib.plots import Sign
from coalloc_lib.studies.online_batch import headlines
from coalloc_lib.studies.online_batch.case_figures import (
    LOOK,
    WEEKS,
    DrawnLines,
    GroupLines,
    WaitLines,
    middle_of,
)
from coalloc_lib.studies.online_batch.lengths import LengthLines
from coalloc_lib.studies.online_batch.parameters import (
    BATCH,
    COMPARED,
    CTC,
    EXACT,
    FIFTIES,
    KTH,
    LENGTH_ENDS,
    LENGTHS,
    MIDDLE,
    ONLINE,
    OWN_BATCH,
    POWERS,
    RECORDED,
    SERVERS,
    SHARES,
    SMALL,
)
from coalloc_lib.studies.online_batch.runs import Case, standard
from coalloc_lib.studies.online_batch.tables import AttemptsTable, FeaturesTable, WaitsTable
from coalloc_lib.studies.online_batch.traces import Log
from coalloc_lib.studies.ratio_lines import steps

#: Longest waits that the paper prints, in hours (section 5.1).
LONGEST = {
    (CTC, ONLINE): 19.0,
    (CTC, RECORDED): 674.0,
    (KTH, ONLINE): 75.0,
    (KTH, RECORDED): 272.5,
}
#: The line of a machine that has as many servers as the paper prints.
AS_PRINTED = "online, servers as printed"
#: Panels of Figure 3.
ALL, SOME = "all jobs", f"jobs of {MIDDLE[0]:g} to {MIDDLE[1]:g} hours"
LENGTHS_SAID = "lengths: the run times"


def batch_of(log: Log) -> tuple[str, ...]:
    """Return what batch scheduling there is of a log: what it recorded, where it knows that."""
    return BATCH if log.has_waits else OWN_BATCH


def panel_of(log: Log, servers: int) -> str:
    """Return the heading of a log on so many servers."""
    return f"{log.title}, {servers}"


class TailLines(WaitLines):
    """Figure 4: as many servers as each machine has, and online on as many as are printed."""

    def drawn(self) -> dict[str, dict[str, list[tuple[float, Interval]]]]:
        """Return the lines of each machine; what was recorded is of its own servers."""
        found = super().drawn()
        shown: dict[str, dict[str, list[tuple[float, Interval]]]] = {}
        for (panel, policy, _), case in self.entries.items():
            if case.servers == case.log.servers:
                shown.setdefault(panel, {})[policy] = found[panel][policy]
            elif policy == ONLINE:
                own = panel_of(case.log, case.log.servers)
                shown.setdefault(own, {})[AS_PRINTED] = found[panel][policy]
        return shown


class PenaltyLines(GroupLines):
    """Figure 3: the penalties of groups of lengths."""

    def small(self, policy: str) -> float:
        """Return the penalty of all small jobs online over that under another policy."""
        sums = [self.result((ALL, each)).sums for each in (ONLINE, policy)]
        groups = np.flatnonzero(LENGTH_ENDS[1:] <= SMALL)
        one, other = (sum(each[f"penalty length {i}"].sum() for i in groups) for each in sums)
        return float(one / other)


def penalties(logs: Mapping[str, Log]) -> PenaltyLines:
    """Figure 3: waits over lengths against the length, KTH."""
    log = logs[KTH]
    entries = {
        (panel, policy): standard(log, policy)
        for panel in (ALL, SOME)
        for policy in (ONLINE, *batch_of(log))
    }
    return PenaltyLines(
        "figure3", f"{standard(log).machine}; small: up to {SMALL:g} h; {LENGTHS_SAID}; {WEEKS}",
        entries,
        top="penalty length {}", bottom="jobs length {}", ends=LENGTH_ENDS,
        within={SOME: MIDDLE}, scales={ALL: ("log", "log"), SOME: ("linear", "log")},
        xlabel="length (hours)", ylabel="temporal penalty:\nmean of wait / length",
        headline=headlines.penalties, claims=("OB-3",),
    )  # fmt: skip


def waiting_times(logs: Mapping[str, Log]) -> WaitLines:
    """Figure 4(a): the distribution of waits, CTC and KTH."""
    entries: dict[Any, Case] = {}
    for log in _two(logs):
        for servers in SERVERS[log.name]:
            panel = panel_of(log, servers)
            for policy in (ONLINE, *batch_of(log)):
                entries[panel, policy, 0] = Case(log, servers, policy)
    printed = {
        panel: [
            (policy, at, np.nan)
            for (name, policy), at in LONGEST.items()
            if name == case.log.name and (panel, policy, 0) in entries
        ]
        for (panel, *_), case in entries.items()
        if case.servers == case.log.servers
    }
    return TailLines(
        "figure4", f"{LENGTHS_SAID}; at the foot: longest waits", entries, xlabel="wait (hours)",
        ylabel="share of the jobs that wait longer", scales=("log", "log"), printed=printed,
        dashed=(AS_PRINTED,), look=LOOK | {AS_PRINTED: LOOK[ONLINE]},
        headline=headlines.tails, claims=("OB-4", "OB-5"),
    )  # fmt: skip


def lengths(logs: Mapping[str, Log]) -> LengthLines:
    """Figure 4(b): the distribution of lengths, all logs."""
    entries = {("lengths", log.title): standard(log, RECORDED) for log in logs.values()}
    return LengthLines(
        "figure4_lengths", LENGTHS_SAID, entries, xlabel="length (hours)",
        ylabel="share of the jobs\nthat are no longer", scales=("log", "linear"),
        look=steps(log.title for log in logs.values()), headline=headlines.lengths,
    )  # fmt: skip


def by_servers(logs: Mapping[str, Log]) -> GroupLines:
    """Figure 5: the mean wait against the servers asked for, CTC and KTH."""
    entries = {
        (f"{log.title}, {log.servers} servers", policy): standard(log, policy)
        for log in _two(logs)
        for policy in (ONLINE, *batch_of(log))
    }
    return GroupLines(
        "figure5", f"{LENGTHS_SAID}; {WEEKS}", entries, top="wait size {}", bottom="jobs size {}",
        ends=POWERS, whole=True, scales=("log", "log"), xlabel="servers asked for",
        ylabel="mean wait (hours)", headline=headlines.by_servers, claims=("OB-6",),
    )  # fmt: skip


def attempts(logs: Mapping[str, Log]) -> AttemptsTable:
    """Table 2: attempts a request by servers asked for, in groups of 50."""
    entries = {
        (log.title, f"{servers}, {length}"): Case(log, servers, ONLINE, length)
        for log in logs.values()
        for servers in SERVERS[log.name]
        for length in ("exact", "requested")
    }
    printed = {
        log.title: [
            (f"{SERVERS[name][-1]}, {EXACT}", middle_of(group[0] + 1, group[1]), value)
            for group, value in TABLE2[name].items()
        ]
        for name, log in logs.items()
        if name in TABLE2
    }
    return AttemptsTable(
        "attempts", f"N and lengths by line; groups of 50 servers; {WEEKS}", entries,
        top="attempts fifty {}", bottom="requests fifty {}", ends=FIFTIES, whole=True,
        scales=("linear", "log"),
        xlabel="servers asked for", ylabel="attempts a request", printed=printed,
        look={line: _attempts_look(line) for _, line in entries},
        headline=headlines.attempts, claims=("OB-7",),
    )  # fmt: skip


def _attempts_look(line: str) -> Sign:
    """Return a colour for the lengths that a line is told, and a mark for its servers."""
    servers, length = line.split(", ")
    marks = {str(n): "os"[i] for each in SERVERS.values() for i, n in enumerate(each)}
    return Sign({EXACT: "#0072B2"}.get(length, "#D55E00"), marks[servers])


#: Table 2: attempts a request, by group of servers.
TABLE2: dict[str, dict[tuple[int, int], float]] = {
    CTC: {(0, 50): 5.34, (350, 400): 127.44},
    KTH: {(0, 50): 10.27, (50, 100): 60.0, (100, 150): 120.0},
}


def reserved(log: Log, draws: int) -> dict[tuple[float, int], Case]:
    """Return the online scheduler at each share of advance reservations, drawn so many times."""
    return {
        (share, draw): standard(log, share=share, draw=draw)
        for share in SHARES
        for draw in range(draws if share else 1)
    }


def share_named(share: float) -> str:
    """Return how lines call a share of advance reservations."""
    return f"{ONLINE}, ρ = {share:g}"


def with_reservations(logs: Mapping[str, Log], draws: int = 3) -> WaitLines:
    """Figure 6: the distribution of waits by the share of advance reservations, CTC and KTH."""
    entries: dict[Any, Case] = {}
    for log in _two(logs):
        panel = f"{log.title}, {log.servers}"
        for (share, draw), case in reserved(log, draws).items():
            if share < 1:
                entries[panel, share_named(share), draw] = case
        for policy in batch_of(log)[:2]:
            entries[panel, policy, 0] = standard(log, policy)
    return WaitLines(
        "figure6", f"reservations 0 to 3 hours ahead; {LENGTHS_SAID}; bands: 95 %, {draws} "
        "drawings", entries, xlabel="wait from the request (hours)",
        ylabel="share of the jobs that wait longer", scales=("log", "log"),
        look=LOOK | steps(share_named(share) for share in SHARES if share < 1),
        dashed=BATCH, headline=headlines.reservations, claims=("OB-8",),
    )  # fmt: skip


def mean_waits(logs: Mapping[str, Log], draws: int = 3) -> DrawnLines:
    """Figure 7(a): the mean wait from the request against the share of advance reservations."""
    entries = {
        ("online", f"{log.title}, {log.servers}", share, draw): case
        for log in logs.values()
        for (share, draw), case in reserved(log, draws).items()
    }
    return DrawnLines(
        "figure7a", f"reservations 0 to 3 hours ahead; {LENGTHS_SAID}; bands: 95 %, {draws} "
        "drawings", entries, xlabel="share of advance reservations, ρ",
        ylabel="mean wait from\nthe request (hours)",
        look=steps(dict.fromkeys(line for _, line, *_ in entries)),
        headline=headlines.mean_waits, claims=("OB-9",),
    )  # fmt: skip


def _two(logs: Mapping[str, Log]) -> list[Log]:
    """Return the logs of which the paper shows waits."""
    return [logs[CTC], logs[KTH]]


def waits(logs: Mapping[str, Log]) -> WaitsTable:
    """Return the waits of every log, on each number of servers, under every policy."""
    entries = {
        (name, servers, length, policy): Case(log, servers, policy, length)
        for name, log in logs.items()
        for servers in SERVERS[name]
        for length in LENGTHS
        for policy in COMPARED
        if policy != RECORDED or log.has_waits
    }
    stand_in = [log.title for log in logs.values() if log.is_stand_in]
    return WaitsTable(
        "waits", "; ".join(["whole logs; intervals: 95 %, weeks drawn anew", *stand_in]), entries,
        headline=headlines.waits,
    )  # fmt: skip


def features(logs: Mapping[str, Log]) -> FeaturesTable:
    """Table 1: servers, jobs and mean length of each log."""
    return FeaturesTable(logs, headlines.features)
