"""The paper's logs, schedulers and printed numbers with their sections, and our interpretations.

The paper is Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed
Environments (2009). Comments mark everything that the paper does not have as ours. Lengths and
waits are in seconds unless a name ends in ``_h``.
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
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.swf import SwfLog
from studies.log_files import has_stand_in, marked_as_stand_in, place_of, recorded_waits

#: The seed for sampling the jobs that reserve ahead, and for generating random requests.
SEED = 2009

# --- Section 5, Table 1: the logs ---

KTH, CTC, HPC2N = LOGS = ("KTH-SP2", "CTC-SP2", "HPC2N")
#: The numbers in Table 1 of the paper, for each log: servers, jobs, and the 'average estimated l'
#: in hours, which is the mean run time.
TABLE1 = {CTC: (512, 39_734, 5.82), KTH: (128, 28_481, 2.46), HPC2N: (240, 202_825, 4.72)}
#: The number of servers of the machine on which each log was recorded. Of the 512 servers of CTC,
#: 338 are for batch jobs.
OWN_SERVERS = {KTH: 100, CTC: 338, HPC2N: 240}
#: The number of servers that we believe the paper used for each log, because the results then agree
#: best with the paper. For CTC, this number includes all servers that the header of the log names.
READ_SERVERS = {KTH: 100, CTC: 512, HPC2N: 240}
#: Further numbers of servers with which we schedule each log: for KTH the number in Table 1, and
#: for CTC the number of servers for batch jobs in other years.
FURTHER_SERVERS = {KTH: (128,), CTC: (430,), HPC2N: ()}

#: The names of selections of a log's jobs. The paper's CTC log is probably the public log without
#: its short jobs. Therefore a selection keeps only the jobs with a minimum run time, or with a
#: minimum computing time per processor. Both limits are in seconds.
ALL = "all jobs"
RAN, USED = "at least 12 min", "at least 550 s computed"
CUTS = {RAN: ("runtime", 720.0), USED: ("used", 550.0), "at least 15 min": ("runtime", 900.0)}
#: For each log, the selection of jobs that we believe the paper used, and the other selections that
#: we also schedule.
READ_JOBS = {KTH: ALL, CTC: USED, HPC2N: ALL}
FURTHER_JOBS = {KTH: (), CTC: (RAN, ALL), HPC2N: ()}


def has_read_machine(log: str, servers: float, kept: str) -> bool:
    """Return whether a log has the servers and jobs that we believe the paper used."""
    return (servers, kept) == (READ_SERVERS[log], READ_JOBS[log])


def is_own(policy: str) -> bool:
    """Return whether the paper itself shows waits of this policy, or they are recorded waits."""
    return policy in (RECORDED, LEAST)


def servers_of(log: str) -> list[int]:
    """Return all numbers of servers with which we schedule a log's jobs, in ascending order."""
    return sorted({OWN_SERVERS[log], READ_SERVERS[log], *FURTHER_SERVERS[log]})


# --- Sections 4.2 and 5: the online scheduler, and batch scheduling ---

#: Section 5: online scheduling makes an attempt every 15 minutes, and at most half as many attempts
#: as there are time slots. The paper states neither the length of a slot nor the planning
#: horizon. We use slots of 15 minutes and a horizon of four weeks.
ONLINE = "online"
#: Section 4.1: every booking has a minimum length, which the paper does not state. We use 5
#: minutes, because this nearly reproduces the paper's numbers for KTH. We also run other minimum
#: lengths.
LEAST, LEAST_LENGTH = "online, least 5 min", 300.0
OTHER_LENGTHS = {"online, least 10 min": 600.0, "online, least 15 min": 900.0}
#: The names of the online policies, which differ in the minimum length of a booking. The first
#: policy has no minimum length.
BOOKED_AS = (ONLINE, LEAST, *OTHER_LENGTHS)
#: Section 5.1: the paper does not simulate batch scheduling. Its waits under batch scheduling are
#: the waits that the logs recorded.
RECORDED = "recorded"
#: The batch policies that we simulate in addition to the recorded waits, with the same jobs and the
#: same knowledge of job lengths.
OWN_BATCH = ("EASY", "conservative", "FCFS")
#: Section 5: the paper also tried steps of less than 15 minutes between attempts, but "no major
#: gain was found for smaller values". With every step, the attempts reach two weeks ahead, which is
#: half of our planning horizon.
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
#: `OF_READINGS` has the online policies whose minimum booking length differs from the 5 minutes
#: that we use. `NOT_OF_PAPER` has the policies that appear only in figures that the paper does not
#: have.
OF_READINGS = tuple(OTHER_LENGTHS)
NOT_OF_PAPER = {*POLICIES} - {LEAST, *OWN_BATCH}

#: What a policy knows about the length of a job: its run time, as in the paper, or its requested
#: time, which we added.
EXACT, REQUESTED = LENGTHS = ("exact", "requested")

# --- Section 5.1: what is measured ---

#: The groups of jobs by number of requested servers: the limits of the groups in Figure 5, and the
#: width of the groups in Table 2. Each group excludes its lower limit.
POWERS_OF_TWO, FIFTY = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]), 50
#: For each log, the group of jobs that request the fewest servers and the group of jobs that
#: request the most. These groups are used for logs that no figure shows.
NARROW_OR_WIDE = {KTH: [(0, 1), (64, 128)], CTC: [(0, 1), (256, 512)], HPC2N: [(0, 1), (128, 256)]}
#: The limits, in hours, of the groups of jobs by run time in Figure 3. The claims compare jobs of
#: at most one hour with jobs of medium length, which the second part of the figure shows.
LENGTH_ENDS = np.array([0, 1 / 12, 1 / 4, 1 / 2, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 48, np.inf])
SMALL, MIDDLE = 1.0, (2.0, 10.0)
#: Two groups of jobs by length, *small* and *middle*, for logs without such a figure.
SMALL_OR_MIDDLE = [(0.0, SMALL), MIDDLE]
#: The job lengths, in hours, at which the cumulative distribution of job lengths is computed for
#: Figure 4(b).
LENGTHS_AT = np.geomspace(1 / 60, 60, 80)
#: Figure 4(b): according to the paper, at most 14 % of the CTC jobs 'are smaller than 2 hours'.
SHORT, SHORT_OF_CTC = 2.0, 0.14
#: The limits of the classes of waits in Figure 6, in hours.
CLASSES = np.arange(0, 14.01, 0.5)
#: The waits, in hours, at which the cumulative distribution of waits is computed for Figures 4(a)
#: and 6.
WAITS_AT = np.unique(np.round([0.25, *CLASSES, *np.geomspace(14, 3000, 36)], 4))
#: Limits on the wait, in hours. For each limit, the study counts the jobs that wait no longer.
WITHIN = (1, 2)
#: The longest wait, in hours, that the paper prints for each log and policy (Figure 4(a)).
LONGEST = {
    (CTC, LEAST): 19.0,
    (CTC, RECORDED): 674.0,
    (KTH, LEAST): 75.0,
    (KTH, RECORDED): 272.5,
}
#: The mean number of attempts per request that Table 2 of the paper prints, for each log and each
#: range of requested servers.
TABLE2: dict[str, dict[tuple[int, int], float]] = {
    CTC: {(0, 50): 5.34, (350, 400): 127.44},
    KTH: {(0, 50): 10.27, (50, 100): 60.0, (100, 150): 120.0},
}

# --- Section 5.2: advance reservations ---

#: The shares of jobs that reserve ahead, and the longest time, in seconds, from a request to its
#: requested start.
SHARES, AHEAD = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 3 * HOUR

# --- Abstract: utilization ---

#: The offered load at which we test the claim "may achieve higher utilization". At the original
#: load of a log, every policy does all the work, so all utilizations are equal. Jobs are therefore
#: submitted faster, so that they offer more work than the servers can do.
TOO_MUCH = 1.1

# --- Ours: booking beside a queue ---

#: The shares of jobs that book while all other jobs queue, and the names of the jobs that queue and
#: of the jobs that book.
BESIDE = (0.1, 0.3, 0.5, 0.8)
QUEUERS, BOOKERS = "those that queue", "those that book"

# --- Section 4: the search on trees ---

#: The parts of the search on trees whose operations are counted (sections 4.2 and 4.3). The last
#: part, "advance", begins a new slot.
PHASES = ("phase 1", "phase 2", "update", "advance")
#: The number of slots in the trees, which have a horizon of one week, and the number of random
#: samples. Both numbers are small, because the trees are written for readability and not for speed.
TREE_SLOTS, TREE_DRAWS = 7, 3
#: Section 4.3 says how the work of a request grows with the number of servers, the number of slots
#: and the number of requested servers. We vary one of these numbers at a time, while the other two
#: have the values in `GROWTH_AT`. The paper states neither the horizon, here in seconds, nor the
#: number of requests over which operations are counted.
GROWTH_AT = {"servers": 64, "slots": 8, "wanted": 4}
GROWTH_HORIZON, COUNTED = 2 * DAY, 30


@dataclass(frozen=True, eq=False)
class Log:
    """The jobs of a log that was recorded on a machine with one queue.

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
        """The name of the log, with a mark if a synthetic log replaces it."""
        return marked_as_stand_in(self.name) if self.is_stand_in else self.name

    @cached_property
    def has_waits(self) -> bool:
        """Whether the log recorded the wait of at least one job."""
        return bool(np.isfinite(self.recorded).any())

    def keeping(self, kept: str) -> "Log":
        """Return the log reduced to a selection of its jobs."""
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
    """Load the logs of the study, and return a dict from the name of each log to the log.

    A log that was not downloaded is replaced by its synthetic stand-in. A log without a stand-in is
    left out.
    """
    places = {name: place_of(name) for name in names}
    return {name: _log(name, at) for name, at in places.items() if at or has_stand_in(name)}


@lru_cache(maxsize=8)
def _log(name: str, place: str) -> Log:
    log = load_trace(name, missing="stand-in")
    jobs = log.jobs(request="total")
    used = log.usable.set_index("job")["average_cpu_time"].loc[jobs.number].to_numpy(dtype=float)
    used = None if log.is_stand_in else used
    header = {} if log.is_stand_in else _named(log)
    return Log(log.name, jobs, recorded_waits(log, jobs), log.is_stand_in, used, header)


def _named(log: SwfLog) -> dict[str, float]:
    in_all = re.search(r"(\d+) total", log.header.get("MaxNodes", ""))
    named = {"servers_in_all": float(in_all[1])} if in_all else {}
    named |= {"named_jobs": float(log.header["MaxJobs"]), "records": float(len(log))}
    return named | {"mean_length_of_records_h": float(log.table["runtime"].mean()) / HOUR}
