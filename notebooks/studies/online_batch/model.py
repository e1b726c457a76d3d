"""The paper's logs, schedulers and printed numbers with their sections, and our interpretations.

The paper is Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed
Environments (2009). Comments mark everything that the paper does not have as ours. Lengths and
waits are in seconds unless a name ends in ``_h``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.times import DAY, HOUR
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.swf import SwfLog

#: The seed that samples the jobs that reserve ahead, and the random requests.
SEED = 2009

# --- Section 5, Table 1: the logs ---

KTH, CTC, HPC2N = LOGS = ("KTH-SP2", "CTC-SP2", "HPC2N")
#: The printed servers, jobs and 'average estimated l' in hours, which is the mean run time.
TABLE1 = {CTC: (512, 39_734, 5.82), KTH: (128, 28_481, 2.46), HPC2N: (240, 202_825, 4.72)}
#: The number of servers of each log's machine. Of the 512 servers of CTC, 338 are for batch jobs.
OWN_SERVERS = {KTH: 100, CTC: 338, HPC2N: 240}
#: The numbers of servers that we take for those of the paper, because its numbers fit them best.
#: For CTC these are all servers that the header of the log names.
READ_SERVERS = {KTH: 100, CTC: 512, HPC2N: 240}
#: Further numbers of servers that are run: the number of Table 1 for KTH, and for CTC the number of
#: servers for batch jobs in other years.
FURTHER_SERVERS = {KTH: (128,), CTC: (430,), HPC2N: ()}

#: The choices of jobs of a log that are kept. The paper's CTC log is probably the public log
#: without its short jobs. A cut keeps the jobs with at least this run time, or at least this
#: computing time on each processor, in seconds.
ALL = "all jobs"
RAN, USED = "at least 12 min", "at least 550 s computed"
CUTS = {RAN: ("runtime", 720.0), USED: ("used", 550.0), "at least 15 min": ("runtime", 900.0)}
#: The jobs that we take for those of the paper, and further choices of jobs that are run.
READ_JOBS = {KTH: ALL, CTC: USED, HPC2N: ALL}
FURTHER_JOBS = {KTH: (), CTC: (RAN, ALL), HPC2N: ()}


def servers_of(log: str) -> list[int]:
    """Return all numbers of servers on which the jobs of a log are scheduled, in order."""
    return sorted({OWN_SERVERS[log], READ_SERVERS[log], *FURTHER_SERVERS[log]})


# --- Sections 4.2 and 5: the online scheduler, and batch scheduling ---

#: Section 5: online scheduling makes an attempt every 15 minutes, and at most half as many attempts
#: as there are slots. The paper does not print the slot or the horizon. We use slots of 15 minutes
#: and a horizon of four weeks.
ONLINE = "online"
#: Section 4.1: bookings have a least length, which the paper does not print. We run several
#: lengths, and take 5 minutes for that of the paper, because it nearly reproduces the printed
#: numbers of KTH.
LEAST, LEAST_LENGTH = "online, least 5 min", 300.0
OTHER_LENGTHS = {"online, least 10 min": 600.0, "online, least 15 min": 900.0}
#: The policies with each least length of a booking; the first has none.
BOOKED_AS = (ONLINE, LEAST, *OTHER_LENGTHS)
#: Section 5.1: the paper's batch scheduling is the waits that the logs recorded. It is not
#: simulated.
RECORDED = "recorded"
#: Our own batch schedules of the same jobs, which know the same lengths.
OWN_BATCH = ("EASY", "conservative", "FCFS")
#: Section 5: "no major gain was found for smaller values" of the step than 15 minutes. With every
#: step, attempts reach two weeks ahead, which is half of our horizon.
SMALLER_STEP = "online, step 5 min"
POLICIES: dict[str, Scheduling] = {
    ONLINE: Online(),
    LEAST: Online(min_length=LEAST_LENGTH),
    **{name: Online(min_length=length) for name, length in OTHER_LENGTHS.items()},
    SMALLER_STEP: Online(step=300.0, max_attempts=4032),
    "FCFS": FCFS(),
    "FPFS(50)": FPFS(50),
    "EASY": EASY(),
    "conservative": Conservative(),
}
#: Policies with a least length that we do not take for that of the paper, and all policies that
#: none of the paper's figures has.
OF_READINGS = tuple(OTHER_LENGTHS)
NOT_OF_PAPER = {*POLICIES} - {LEAST, *OWN_BATCH}

#: The length that a policy knows of a job: its run time, as in the paper, or the time that its user
#: requested, which is ours.
EXACT, REQUESTED = LENGTHS = ("exact", "requested")

# --- Section 5.1: what is measured ---

#: Figure 5 and Table 2: the ends of the groups of jobs by number of servers. The lower end is not
#: part of a group. The groups of Table 2 are 50 servers wide.
POWERS_OF_TWO, FIFTY = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]), 50
#: The narrowest and the widest of these groups, for logs that no figure draws.
NARROW_OR_WIDE = {KTH: [(0, 1), (64, 128)], CTC: [(0, 1), (256, 512)], HPC2N: [(0, 1), (128, 256)]}
#: Figure 3: the ends of the groups of jobs by length, in hours. Claims compare the small jobs and
#: the jobs of the figure's second part, which are of middle length.
LENGTH_ENDS = np.array([0, 1 / 12, 1 / 4, 1 / 2, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 48, np.inf])
SMALL, MIDDLE = 1.0, (2.0, 10.0)
#: The groups by length for logs that no figure draws.
SMALL_OR_MIDDLE = [(0.0, SMALL), MIDDLE]
#: Figure 4(b): the lengths in hours at which the distribution of lengths is drawn.
LENGTHS_AT = np.geomspace(1 / 60, 60, 80)
#: Figure 4(b): the printed limit of the share of the CTC jobs that 'are smaller than 2 hours'.
SHORT, SHORT_OF_CTC = 2.0, 0.14
#: Figure 6: the ends of the classes of waits, in hours.
CLASSES = np.arange(0, 14.01, 0.5)
#: Figures 4(a) and 6: the waits in hours at which the distribution of waits is drawn.
WAITS_AT = np.unique(np.round([0.25, *CLASSES, *np.geomspace(14, 3000, 36)], 4))
#: The waits in hours up to which jobs are counted.
WITHIN = (1, 2)
#: Figure 4(a): the printed longest waits, in hours.
LONGEST = {
    (CTC, LEAST): 19.0,
    (CTC, RECORDED): 674.0,
    (KTH, LEAST): 75.0,
    (KTH, RECORDED): 272.5,
}
#: Table 2: the printed mean number of attempts per request, by group of servers.
TABLE2: dict[str, dict[tuple[int, int], float]] = {
    CTC: {(0, 50): 5.34, (350, 400): 127.44},
    KTH: {(0, 50): 10.27, (50, 100): 60.0, (100, 150): 120.0},
}

# --- Section 5.2: advance reservations ---

#: The shares of the jobs that reserve ahead, and the longest time ahead that they ask for.
SHARES, AHEAD = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 3 * HOUR

# --- Abstract: utilization ---

#: The offered load for "may achieve higher utilization". At the load of a log, every policy does
#: all the work. The jobs are therefore submitted faster, and offer more work than the servers can
#: do.
TOO_MUCH = 1.1

# --- Ours: booking beside a queue ---

#: The shares of the jobs that book while the others queue, and the names of both parts of the jobs.
BESIDE = (0.1, 0.3, 0.5, 0.8)
QUEUERS, BOOKERS = "those that queue", "those that book"

# --- Section 4: the search on trees ---

#: Sections 4.2 and 4.3: the parts of the search on trees. The operations of each part are counted.
#: The last part, an advance, begins a new slot.
PHASES = ("phase 1", "phase 2", "update", "advance")
#: The trees are small, because they are written to be read and not to be fast: the number of slots
#: in their horizon of a week, and the number of samples.
TREE_SLOTS, TREE_DRAWS = 7, 3
#: Section 4.3 says how the work of a request grows with the servers, the slots and the servers that
#: it asks for. We vary one of these numbers at a time; the other two have these values. The paper
#: gives neither the horizon, here in seconds, nor the number of requests that are counted.
GROWTH_AT = {"servers": 64, "slots": 8, "wanted": 4}
GROWTH_HORIZON, COUNTED = 2 * DAY, 30


@dataclass(frozen=True, eq=False)
class Log:
    """A log of a machine with one queue.

    Parameters
    ----------
    name : str
        The name of the log.
    jobs : JobStream
        Its jobs.
    recorded : array
        The recorded wait of each job in seconds, or NaN if it is unknown.
    is_stand_in : bool
        Whether the log is a synthetic stand-in.
    used : array, optional
        The mean computing time of the processors of each job in seconds, or -1 if it is unknown. By
        default it is the run time.
    header : mapping
        Numbers that describe the file, such as the servers and jobs that its header names.
    """

    name: str
    jobs: JobStream
    recorded: NDArray[np.float64]
    is_stand_in: bool = False
    used: NDArray[np.float64] | None = None
    header: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name of the log, marked if it is a synthetic stand-in."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def has_waits(self) -> bool:
        """Whether the log recorded the wait of any job."""
        return bool(np.isfinite(self.recorded).any())

    def keeping(self, kept: str) -> "Log":
        """Return the log with all its jobs (`ALL`), or only with the jobs that a cut keeps."""
        if kept == ALL:
            return self
        column, least = CUTS[kept]
        runtime = self.jobs.runtime
        values = {"runtime": runtime, "used": runtime if self.used is None else self.used}
        long = np.flatnonzero(values[column] >= least)
        used = None if self.used is None else self.used[long]
        jobs, recorded = self.jobs[long], self.recorded[long]
        return replace(self, jobs=jobs, recorded=recorded, used=used)


def logs(names: Iterable[str] = LOGS) -> dict[str, Log]:
    """Return the logs by name.

    A log that was not fetched is replaced by its stand-in. HPC2N has no stand-in, so it is left out
    if it was not fetched.
    """
    places = {each["name"]: each["found"] for each in listing()}
    available = [name for name in names if name != HPC2N or places[name] is not None]
    return {name: _log(name, places[name]) for name in available}


@lru_cache(maxsize=8)
def _log(name: str, place: Path | None) -> Log:
    """Read a log, or its stand-in.

    The log may be fetched while Python runs, so the file's location `place` is part of the key of
    this cache.
    """
    log = load_trace(name, missing="stand-in")
    jobs = log.jobs(request="total")
    columns = log.usable.set_index("job").loc[jobs.number]
    waits = columns["wait"].to_numpy(dtype=float)
    # The jobs of a synthetic log never waited on a machine.
    recorded = np.where((waits < 0) | log.is_stand_in, np.nan, waits)
    used = None if log.is_stand_in else columns["average_cpu_time"].to_numpy(dtype=float)
    header = {} if log.is_stand_in else _named(log)
    return Log(log.name, jobs, recorded, log.is_stand_in, used, header)


def _named(log: SwfLog) -> dict[str, float]:
    """Return the servers and jobs that the header of a log names, and numbers of all its records.

    The usable jobs of the log may be fewer.
    """
    in_all = re.search(r"(\d+) total", log.header.get("MaxNodes", ""))
    named = {"servers_in_all": float(in_all[1])} if in_all else {}
    named |= {"named_jobs": float(log.header["MaxJobs"]), "records": float(len(log))}
    return named | {"mean_length_of_records_h": float(log.table["runtime"].mean()) / HOUR}
