"""What the paper fixes, what it leaves open and how that was chosen, and the sample sizes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coalloc_lib.placement import BestFit, Placement, SingleThenSpan, WorstFit
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online, Scheduling

NAME = "online-batch"
TITLE = "Resource co-allocation for large-scale distributed environments"
#: Of all random numbers, where no other is asked for.
SEED = 2009

HOUR, DAY = 3600.0, 86_400.0
KTH, CTC, HPC2N = "KTH-SP2", "CTC-SP2", "HPC2N"
#: The logs, and how many servers each is scheduled on: the machine's own number of processors, and
#: then the one that the paper prints, where that is another. The paper's CTC log is not the public
#: one; 338 of its 512 processors ran batch jobs.
SERVERS: dict[str, tuple[int, ...]] = {KTH: (100, 128), CTC: (338, 512), HPC2N: (240,)}
#: What the paper prints of the logs (Table 1): servers, jobs, mean length in hours.
FEATURES = {CTC: (512, 39_734, 5.82), KTH: (128, 28_481, 2.46), HPC2N: (240, 202_825, 4.72)}

#: How long a job is said to take: as long as it does, or as long as its user asked for.
EXACT, REQUESTED = "exact", "requested"
LENGTHS = (EXACT, REQUESTED)

ONLINE, RECORDED = "online", "recorded"
#: Policies, by the names that tables show. What a log has recorded is none, and simulated never.
POLICIES: dict[str, Scheduling] = {
    ONLINE: Online(),
    "FCFS": FCFS(),
    "FPFS(50)": FPFS(50),
    "EASY": EASY(),
    "conservative": Conservative(),
}
#: Batch scheduling: as the log recorded it, which is the paper's, and our own of the same jobs.
OWN_BATCH = ("EASY", "conservative", "FCFS")
BATCH = (RECORDED, *OWN_BATCH)
#: What waits.csv has of each log.
COMPARED = (ONLINE, RECORDED, "FCFS", "EASY", "conservative")

#: Shares of advance reservations, and how far ahead they ask to start (section 5.2).
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
AHEAD = 3 * HOUR

#: Ends of groups of servers: powers of two for figures, fifties as in Table 2.
POWERS = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
FIFTIES = np.arange(0, 551, 50)
#: Ends of groups of lengths, in hours.
LENGTH_ENDS = np.array(
    [0, 1 / 60, 1 / 12, 1 / 4, 1 / 2, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 48, np.inf]
)  # fmt: skip
#: Jobs up to this many hours are small; those between the next two are of the middle (Figure 3).
SMALL, MIDDLE = 1.0, (2.0, 10.0)
#: Waits in hours at which shares of jobs are looked at.
WITHIN = (1.0, 2.0, 3.0, 12.0)
#: Waits in hours at which a distribution is drawn: quarters of an hour, then in equal factors.
WAITS = np.unique(
    np.round(np.concatenate([np.arange(0, 12.01, 0.25), np.geomspace(12, 3000, 60)]), 4)
)  # fmt: skip

#: Changes of the online scheduler, by the names that tables show: the paper's choices come first.
#: Attempts reach as far as they do there, two weeks: else another step would refuse other jobs.
STANDARD = "as in the paper"
CHANGES: dict[str, dict[str, Any]] = {
    STANDARD: {},
    "step 5 min": {"step": 300.0, "max_attempts": 4032},
    "step 1 h": {"step": 3600.0, "max_attempts": 336},
    "slot 1 h": {"slot": 3600.0, "max_attempts": 1344},
    "horizon 1 week": {"horizon": 7 * DAY, "max_attempts": 1344},
    "best fit": {"rule": "best-fit"},
    "release early": {"release_early": True},
}
#: How servers are divided into clusters, and jobs over them: equal clusters, what spanning adds to
#: a run time, and the placement.
ONE = "one cluster"
PENALTIES = (0.0, 0.1, 0.25, 0.5)
PARTS = 4
SPREADS: dict[str, Placement] = {
    "one cluster first": SingleThenSpan(BestFit()),
    "spread at once": WorstFit(),
}

#: The readable trees are small: the slots of a horizon of a week, and where in the log the extract
#: begins whose requests are booked on them.
TREE_HORIZON, TREE_SLOTS, TREE_FIRST = 7 * DAY, 7, 5_000
#: Where growth is measured: numbers of servers asked for, and what is kept meanwhile.
GROWTH_WANTED = (1, 2, 4, 8)
GROWTH_AT = {"servers": 64, "slots": 8, "wanted": 4}


@dataclass(frozen=True)
class Scale:
    """How much is simulated.

    Attributes
    ----------
    draws : int
        How often reservations are drawn anew.
    logs : tuple of str
        Those on which reservations are looked at; waits are of all.
    dear_logs : tuple of str
        Those on which what takes long is looked at: clusters, sensitivities, the paper's trees.
    resamples : int
        Of the bootstrap.
    tree_jobs : int
        Jobs that are booked on the paper's trees, whose operations are counted.
    tree_shares : tuple of float
        At these shares of reservations.
    tree_draws : int
        How often reservations, and the requests on which growth is measured, are drawn anew there.
    tree_servers : tuple of int
        Numbers of servers at which operations are counted.
    tree_slots : tuple of int
        Numbers of slots.
    """

    draws: int
    logs: tuple[str, ...]
    dear_logs: tuple[str, ...]
    resamples: int
    tree_jobs: int
    tree_shares: tuple[float, ...]
    tree_draws: int
    tree_servers: tuple[int, ...]
    tree_slots: tuple[int, ...]


SCALES = {
    "quick": Scale(3, (KTH, CTC), (KTH,), 1_000, 30, (0.0, 0.8), 3, (16, 32, 64), (4, 8, 16)),
    "paper": Scale(
        10, tuple(SERVERS), tuple(SERVERS), 4_000, 100, SHARES, 3, (16, 32, 64, 128, 256),
        (4, 8, 16, 32),
    ),
}  # fmt: skip
