"""The logs: the jobs of each, and how long each waited on its machine."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.bootstrap import WEEK
from coalloc_lib.jobs import JobStream
from coalloc_lib.studies.online_batch.parameters import HPC2N, LENGTHS, SERVERS
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.swf import SwfLog


@dataclass(frozen=True, eq=False)
class Log:
    """A log of a machine with one queue.

    Attributes
    ----------
    name : str
    jobs : JobStream
        With the times that users asked for.
    recorded : ndarray, shape (n,)
        Waits on the machine, in seconds; NaN where the log does not know them.
    is_stand_in : bool
        Whether it is synthetic, in the place of the real one.
    """

    name: str
    jobs: JobStream
    recorded: NDArray[np.float64]
    is_stand_in: bool = False

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        """The name, with the words that a figure made from a stand-in must carry."""
        return f"{self.name} (synthetic stand-in)" if self.is_stand_in else self.name

    @property
    def servers(self) -> int:
        """Processors of the machine on which the log was made."""
        return SERVERS[self.name][0]

    @property
    def has_waits(self) -> bool:
        """Whether the log knows how long jobs waited."""
        return bool(np.isfinite(self.recorded).any())

    @cached_property
    def week(self) -> NDArray[np.int64]:
        """The week in which each job is submitted, from 0."""
        return ((self.jobs.submit - self.jobs.submit.min()) // WEEK).astype(np.int64)

    @cached_property
    def of_length(self) -> dict[str, JobStream]:
        """The jobs by how long they are said to take."""
        exact = self.jobs.replace(estimate=None)
        return dict(zip(LENGTHS, (exact, self.jobs), strict=True))

    def first(self, count: int) -> "Log":
        """Return the first jobs of the log."""
        order = np.argsort(self.jobs.submit, kind="stable")[:count]
        return Log(self.name, self.jobs[order], self.recorded[order], self.is_stand_in)


def log_of(log: SwfLog) -> Log:
    """Return the usable jobs of a log in the Standard Workload Format, with their waits."""
    jobs = log.jobs(request="total")
    known = log.usable.set_index("job")["wait"]
    waits = known.loc[jobs.number].to_numpy(dtype=float)
    waits = np.where(waits < 0, np.nan, waits)
    # A synthetic log has no machine on which its jobs could have waited.
    return Log(log.name, jobs, np.full(len(jobs), np.nan) if log.is_stand_in else waits,
               log.is_stand_in)  # fmt: skip


def logs() -> dict[str, Log]:
    """Return the logs by name.

    Where one is not there, its synthetic stand-in takes its place, and says so; HPC2N has none.
    """
    found = {each["name"]: each["found"] for each in listing()}
    wanted = [name for name in SERVERS if name != HPC2N or found[name] != "not fetched"]
    return {name: _log(name, found[name]) for name in wanted}


@lru_cache(maxsize=8)
def _log(name: str, found: str) -> Log:
    """Read a log; `found` is where it is, which may change while Python runs."""
    return log_of(load_trace(name, missing="stand-in"))
