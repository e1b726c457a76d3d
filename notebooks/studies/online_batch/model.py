"""What the paper has, each with its section: the logs, the scheduler, the search; and our readings.

Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed Environments (2009).
What is our own says so. Lengths and waits are in seconds where a name does not end in ``_h``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.times import DAY, HOUR
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.swf import SwfLog

#: Of the drawings: who reserves ahead, and random requests.
SEED = 2009

# --- Section 5, Table 1: the logs ---

KTH, CTC, HPC2N = LOGS = ("KTH-SP2", "CTC-SP2", "HPC2N")
#: What is printed: servers, jobs, 'average estimated l' in hours, which is the mean run time.
TABLE1 = {CTC: (512, 39_734, 5.82), KTH: (128, 28_481, 2.46), HPC2N: (240, 202_825, 4.72)}
#: The servers of the machine of each log; those of CTC are for batch jobs, 338 of 512.
OWN_SERVERS = {KTH: 100, CTC: 338, HPC2N: 240}
#: The servers with which we read the paper's runs, since its numbers fit them best: those of the
#: machine, or of CTC all that its header names.
READ_SERVERS = {KTH: 100, CTC: 512, HPC2N: 240}
#: Further numbers of servers: those of Table 1, and those for batch jobs of CTC in other years.
FURTHER_SERVERS = {KTH: (128,), CTC: (430,), HPC2N: ()}

#: Which jobs of a log are kept. The paper's CTC log is probably the public one without its short
#: jobs, by the least run time, or by the least time that each processor computed, in seconds.
ALL = "all jobs"
RAN, USED = "at least 12 min", "at least 550 s computed"
CUTS = {RAN: ("runtime", 720.0), USED: ("used", 550.0), "at least 15 min": ("runtime", 900.0)}
#: The jobs with which we read the paper's runs, and those that are scheduled besides.
READ_JOBS = {KTH: ALL, CTC: USED, HPC2N: ALL}
FURTHER_JOBS = {KTH: (), CTC: (RAN, ALL), HPC2N: ()}


def servers_of(log: str) -> list[int]:
    """Return the numbers of servers that a log is scheduled on: its own, read, and others."""
    return sorted({OWN_SERVERS[log], READ_SERVERS[log], *FURTHER_SERVERS[log]})


# --- Sections 4.2 and 5: the online scheduler, and batch scheduling ---

#: 5: an attempt each 15 minutes, as many as half of the slots. Slots of 15 minutes and a horizon of
#: four weeks are our own choice: the paper has no numbers of them.
ONLINE = "online"
#: 4.1: requests have a least length, which the paper does not print. These lengths are tried. Of
#: them 5 minutes is our reading, because the printed numbers of KTH nearly come out with it.
LEAST, LEAST_LENGTH = "online, least 5 min", 300.0
OTHER_LENGTHS = {"online, least 10 min": 600.0, "online, least 15 min": 900.0}
#: The policies by which bookings are read, from no least length on.
BOOKED_AS = (ONLINE, LEAST, *OTHER_LENGTHS)
#: 5.1: batch scheduling is what the logs recorded. It is read and never simulated.
RECORDED = "recorded"
#: Of our own: batch schedules of the same jobs, which know the same lengths.
OWN_BATCH = ("EASY", "conservative", "FCFS")
#: 5: "no major gain was found for smaller values" of the step than 15 minutes. Attempts reach two
#: weeks, half of our horizon, whatever the step.
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
#: Policies with a least length that is not our reading, and all that no figure of the paper has.
OF_READINGS = tuple(OTHER_LENGTHS)
NOT_OF_PAPER = {*POLICIES} - {LEAST, *OWN_BATCH}

#: How long a job is expected to take: as long as it does, as in the paper; or as long as its user
#: asked for, of our own.
EXACT, REQUESTED = LENGTHS = ("exact", "requested")

# --- Section 5.1: what is measured ---

#: Figure 5 and Table 2: ends of groups of jobs by servers asked for, each above its first end.
POWERS_OF_TWO, FIFTY = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]), 50
#: What is read of them where no figure draws them: the narrowest and the widest group.
NARROW_OR_WIDE = {KTH: [(0, 1), (64, 128)], CTC: [(0, 1), (256, 512)], HPC2N: [(0, 1), (128, 256)]}
#: Figure 3: ends of groups of jobs by length, in hours; and the jobs of its second part.
LENGTH_ENDS = np.array([0, 1 / 12, 1 / 4, 1 / 2, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 48, np.inf])
SMALL, MIDDLE = 1.0, (2.0, 10.0)
#: What is read of them where no figure draws them.
SMALL_OR_MIDDLE = [(0.0, SMALL), MIDDLE]
#: Figure 4(b): lengths in hours at which their distribution is drawn.
LENGTHS_AT = np.geomspace(1 / 60, 60, 80)
#: Figure 4(b): at most so many of the CTC jobs 'are smaller than 2 hours'.
SHORT, SHORT_OF_CTC = 2.0, 0.14
#: Figure 6: ends of the classes of waits, in hours, and its last one.
CLASSES = np.arange(0, 14.01, 0.5)
#: Figures 4(a) and 6: waits in hours at which their distribution is drawn.
WAITS_AT = np.unique(np.round([0.25, *CLASSES, *np.geomspace(14, 3000, 36)], 4))
#: Hours within which the jobs are counted that start.
WITHIN = (1, 2)
#: Figure 4(a): the longest waits that are printed, in hours.
LONGEST = {
    (CTC, LEAST): 19.0,
    (CTC, RECORDED): 674.0,
    (KTH, LEAST): 75.0,
    (KTH, RECORDED): 272.5,
}
#: Table 2: attempts a request that are printed, by group of servers.
TABLE2: dict[str, dict[tuple[int, int], float]] = {
    CTC: {(0, 50): 5.34, (350, 400): 127.44},
    KTH: {(0, 50): 10.27, (50, 100): 60.0, (100, 150): 120.0},
}

# --- Section 5.2: advance reservations ---

#: Shares of the jobs that reserve, and how far ahead they ask to start, at most.
SHARES, AHEAD = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 3 * HOUR
# --- Abstract: utilization ---

#: "May achieve higher utilization": a log that is replayed as it came gives every policy the same
#: work. So its jobs come faster, until they offer this load, which is more than the servers can do.
TOO_MUCH = 1.1

# --- Of our own: booking beside a queue ---

#: Of our own: shares of the jobs that book while the others queue, and both parts.
BESIDE = (0.1, 0.3, 0.5, 0.8)
QUEUERS, BOOKERS = "those that queue", "those that book"

# --- Section 4: the search on trees ---

#: 4.2, 4.3: what operations are counted of. A new slot is an advance.
PHASES = ("phase 1", "phase 2", "update", "advance")
#: The readable trees are small: slots of a horizon of a week, and drawings.
TREE_SLOTS, TREE_DRAWS = 7, 3
#: 4.3, the growth with one number: what is kept while another varies; of our own, the horizon and
#: the requests that are counted.
GROWTH_AT = {"servers": 64, "slots": 8, "wanted": 4}
GROWTH_HORIZON, COUNTED = 2 * DAY, 30


@dataclass(frozen=True, eq=False)
class Log:
    """A log of a machine with one queue: its jobs, and their recorded waits in seconds, or NaN.

    `used` is how long each processor of a job computed, in seconds, -1 where that is not known;
    without it, as long as the job ran. `header` has numbers of the file itself, such as how many
    servers and jobs it names.
    """

    name: str
    jobs: JobStream
    recorded: NDArray[np.float64]
    is_stand_in: bool = False
    used: NDArray[np.float64] | None = None
    header: Mapping[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name, and whether the log is a synthetic stand-in."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def has_waits(self) -> bool:
        """Whether the log knows how long jobs waited."""
        return bool(np.isfinite(self.recorded).any())

    def keeping(self, kept: str) -> "Log":
        """Return the log of `ALL` jobs, or of those that one of `CUTS` leaves."""
        if kept == ALL:
            return self
        column, least = CUTS[kept]
        runtime = self.jobs.runtime
        values = {"runtime": runtime, "used": runtime if self.used is None else self.used}
        left = np.flatnonzero(values[column] >= least)
        used = None if self.used is None else self.used[left]
        jobs, recorded = self.jobs[left], self.recorded[left]
        return replace(self, jobs=jobs, recorded=recorded, used=used)


def logs(names: Iterable[str] = LOGS) -> dict[str, Log]:
    """Return the logs by name, stand-ins in place of those that are not there; HPC2N has none."""
    places = {each["name"]: each["found"] for each in listing()}
    there = [name for name in names if name != HPC2N or places[name] != "not fetched"]
    return {name: _log(name, places[name]) for name in there}


@lru_cache(maxsize=8)
def _log(name: str, places: str) -> Log:
    """Read a log; `places` is where it is, which may change while Python runs."""
    log = load_trace(name, missing="stand-in")
    jobs = log.jobs(request="total")
    columns = log.usable.set_index("job").loc[jobs.number]
    waits = columns["wait"].to_numpy(dtype=float)
    # A synthetic log has no machine on which its jobs could have waited.
    known = np.where((waits < 0) | log.is_stand_in, np.nan, waits)
    used = None if log.is_stand_in else columns["average_cpu_time"].to_numpy(dtype=float)
    return Log(log.name, jobs, known, log.is_stand_in, used, {} if log.is_stand_in else _named(log))


def _named(log: SwfLog) -> dict[str, float]:
    """Return what the file of a log has besides its usable jobs, whose servers may be fewer."""
    in_all = re.search(r"(\d+) total", log.header.get("MaxNodes", ""))
    named = {"servers_in_all": float(in_all[1])} if in_all else {}
    named |= {"named_jobs": float(log.header["MaxJobs"]), "records": float(len(log))}
    return named | {"mean_length_of_records_h": float(log.table["runtime"].mean()) / HOUR}
