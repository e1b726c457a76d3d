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
from studies.log_files import has_stand_in, place_of, recorded_waits

#: The seed that samples the jobs that reserve ahead, and that generates random requests.
SEED = 2009

# --- Section 5, Table 1: the logs ---

KTH, CTC, HPC2N = LOGS = ("KTH-SP2", "CTC-SP2", "HPC2N")
#: For each log, the numbers that Table 1 of the paper prints: servers, jobs, and the 'average
#: estimated l' in hours, which is the mean run time.
TABLE1 = {CTC: (512, 39_734, 5.82), KTH: (128, 28_481, 2.46), HPC2N: (240, 202_825, 4.72)}
#: The number of servers of the machine on which each log was recorded. Of the 512 servers of CTC,
#: 338 are for batch jobs.
OWN_SERVERS = {KTH: 100, CTC: 338, HPC2N: 240}
#: The number of servers that we believe the paper used for each log, because this number fits the
#: paper's results best. For CTC it includes all servers that the header of the log names.
READ_SERVERS = {KTH: 100, CTC: 512, HPC2N: 240}
#: Other numbers of servers with which we also schedule each log: for KTH the number in Table 1, and
#: for CTC the number of servers for batch jobs in other years.
FURTHER_SERVERS = {KTH: (128,), CTC: (430,), HPC2N: ()}

#: Names of selections of a log's jobs. The paper's CTC log is probably the public log without its
#: short jobs, so a selection keeps the jobs with at least some run time, or at least some computing
#: time on each processor. Both limits are in seconds.
ALL = "all jobs"
RAN, USED = "at least 12 min", "at least 550 s computed"
CUTS = {RAN: ("runtime", 720.0), USED: ("used", 550.0), "at least 15 min": ("runtime", 900.0)}
#: For each log, the selection of jobs that we believe the paper used, and other selections that we
#: also schedule.
READ_JOBS = {KTH: ALL, CTC: USED, HPC2N: ALL}
FURTHER_JOBS = {KTH: (), CTC: (RAN, ALL), HPC2N: ()}


def servers_of(log: str) -> list[int]:
    """Return all numbers of servers with which we schedule the jobs of a log, sorted."""
    return sorted({OWN_SERVERS[log], READ_SERVERS[log], *FURTHER_SERVERS[log]})


# --- Sections 4.2 and 5: the online scheduler, and batch scheduling ---

#: Section 5: online scheduling tries a start every 15 minutes, and makes at most half as many
#: attempts as there are slots. The paper does not print the length of a slot or the horizon. We use
#: slots of 15 minutes and a horizon of four weeks.
ONLINE = "online"
#: Section 4.1: a booking is at least as long as some shortest length, which the paper does not
#: print. We run several shortest lengths. We use 5 minutes, which nearly reproduces the printed
#: numbers for KTH.
LEAST, LEAST_LENGTH = "online, least 5 min", 300.0
OTHER_LENGTHS = {"online, least 10 min": 600.0, "online, least 15 min": 900.0}
#: The names of the online policies. They differ in the shortest length of a booking, and the first
#: policy has no shortest length.
BOOKED_AS = (ONLINE, LEAST, *OTHER_LENGTHS)
#: Section 5.1: in the paper, the waits under batch scheduling are the waits that the logs recorded.
#: They are not simulated.
RECORDED = "recorded"
#: The batch policies that we simulate in addition, with the same jobs and the same known lengths of
#: jobs.
OWN_BATCH = ("EASY", "conservative", "FCFS")
#: Section 5: the paper tried shorter steps between attempts than 15 minutes, and "no major gain was
#: found for smaller values". With every step, attempts reach two weeks ahead, which is half of our
#: horizon.
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
#: The online policies whose shortest booking differs from the one that we use, and the policies
#: that no figure of the paper shows.
OF_READINGS = tuple(OTHER_LENGTHS)
NOT_OF_PAPER = {*POLICIES} - {LEAST, *OWN_BATCH}

#: What a policy knows about the length of a job: its run time, as in the paper, or its requested
#: time, which we added.
EXACT, REQUESTED = LENGTHS = ("exact", "requested")

# --- Section 5.1: what is measured ---

#: The groups of jobs by number of requested servers: the ends of the groups in Figure 5, and the
#: width of the groups in Table 2. The lower end of a group does not belong to it.
POWERS_OF_TWO, FIFTY = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]), 50
#: The groups of jobs that request the fewest and the most servers, for logs that no figure shows.
NARROW_OR_WIDE = {KTH: [(0, 1), (64, 128)], CTC: [(0, 1), (256, 512)], HPC2N: [(0, 1), (128, 256)]}
#: Figure 3: the ends of the groups of jobs by length, in hours. Claims compare small jobs, of up to
#: one hour, with jobs of middle length, which the second part of the figure shows.
LENGTH_ENDS = np.array([0, 1 / 12, 1 / 4, 1 / 2, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 48, np.inf])
SMALL, MIDDLE = 1.0, (2.0, 10.0)
#: The two groups of jobs by length that are used for logs that no figure shows.
SMALL_OR_MIDDLE = [(0.0, SMALL), MIDDLE]
#: Figure 4(b): the lengths in hours at which the cumulative distribution of job lengths is
#: computed.
LENGTHS_AT = np.geomspace(1 / 60, 60, 80)
#: Figure 4(b): according to the paper, at most 14 % of the CTC jobs 'are smaller than 2 hours'.
SHORT, SHORT_OF_CTC = 2.0, 0.14
#: Figure 6: the ends of the classes of waits, in hours.
CLASSES = np.arange(0, 14.01, 0.5)
#: Figures 4(a) and 6: the waits in hours at which the cumulative distribution of waits is computed.
WAITS_AT = np.unique(np.round([0.25, *CLASSES, *np.geomspace(14, 3000, 36)], 4))
#: We count the jobs that wait at most this number of hours.
WITHIN = (1, 2)
#: Figure 4(a): the longest wait that the paper prints for each log and policy, in hours.
LONGEST = {
    (CTC, LEAST): 19.0,
    (CTC, RECORDED): 674.0,
    (KTH, LEAST): 75.0,
    (KTH, RECORDED): 272.5,
}
#: Table 2: the mean number of attempts per request that the paper prints for each log and each
#: range of requested servers.
TABLE2: dict[str, dict[tuple[int, int], float]] = {
    CTC: {(0, 50): 5.34, (350, 400): 127.44},
    KTH: {(0, 50): 10.27, (50, 100): 60.0, (100, 150): 120.0},
}

# --- Section 5.2: advance reservations ---

#: The shares of jobs that reserve ahead, and the longest time, in seconds, between such a request
#: and its requested start.
SHARES, AHEAD = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 3 * HOUR

# --- Abstract: utilization ---

#: The offered load at which we test the claim "may achieve higher utilization". At the load of a
#: log, every policy does all the work. Jobs are therefore submitted faster, so that they offer more
#: work than the servers can do.
TOO_MUCH = 1.1

# --- Ours: booking beside a queue ---

#: The shares of jobs that book while all other jobs queue, and the names of the two groups of jobs.
BESIDE = (0.1, 0.3, 0.5, 0.8)
QUEUERS, BOOKERS = "those that queue", "those that book"

# --- Section 4: the search on trees ---

#: Sections 4.2 and 4.3: the parts of the search on trees whose operations are counted. The last
#: part, "advance", begins a new slot.
PHASES = ("phase 1", "phase 2", "update", "advance")
#: The number of slots in the trees, which have a horizon of one week, and the number of random
#: samples. Both are small, because the trees are written for readability and not for speed.
TREE_SLOTS, TREE_DRAWS = 7, 3
#: Section 4.3 says how the work of a request grows with the number of servers, the number of slots
#: and the number of requested servers. We vary one of these numbers at a time, and the other two
#: have these values. The paper prints neither the horizon, here in seconds, nor the number of
#: requests over which operations are counted.
GROWTH_AT = {"servers": 64, "slots": 8, "wanted": 4}
GROWTH_HORIZON, COUNTED = 2 * DAY, 30


@dataclass(frozen=True, eq=False)
class Log:
    """The jobs of a log, which was recorded on a machine with one queue.

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
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @cached_property
    def has_waits(self) -> bool:
        """Whether the log recorded the wait of at least one job."""
        return bool(np.isfinite(self.recorded).any())

    def keeping(self, kept: str) -> "Log":
        """Return the log with all its jobs, or only with a selection of them."""
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
    """Return a dict from the name of each log of the study to the log.

    A log that was not downloaded is replaced by its synthetic stand-in. It is left out if it has
    none.
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
