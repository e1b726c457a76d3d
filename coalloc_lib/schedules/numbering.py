"""The numbers of the processors that each job has, as ranges.

A schedule says only how many processors of each cluster a job has. Here, each job gets the lowest
free numbers when it starts. Ranges save memory and time, because even a job of ten thousand
processors mostly has one or two ranges.
"""

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.engines.outcome import Servers

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule

#: `ranges_of` examines this number of processor numbers at a time, to limit its memory use.
CHUNK = 1 << 22


class Ranges(NamedTuple):
    """The processors of all jobs, as ranges of processor numbers.

    The arrays have the job, the first processor and the last processor of each range. The ranges
    are ordered by job and then by processor. A range lies within one cluster.
    """

    job: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


def lowest_free(schedule: "Schedule") -> Ranges:
    """Give each job the lowest processor numbers that are free at its start.

    `Schedule.processor_ids` states the order of the events of one instant.

    Raises
    ------
    InputError
        An allocation does not fit on its cluster.
    """
    begins = np.append(0, np.cumsum(schedule.system.sizes)).tolist()
    free = [_FreeRanges(low, high - 1) for low, high in pairwise(begins)]
    stays = schedule.end > schedule.start
    held: dict[int, list] = {job: [] for job in np.flatnonzero(schedule.served).tolist()}
    for job, leaving in _events(schedule, stays):
        if not leaving:
            for cluster in np.flatnonzero(schedule.allocation[job]).tolist():
                count = int(schedule.allocation[job, cluster])
                taken = free[cluster].take(count)
                if taken is None:
                    raise overfull(cluster, job)
                held[job] += [(cluster, low, high) for low, high in taken]
        if leaving or not stays[job]:
            for cluster, low, high in held[job]:
                free[cluster].give_back(low, high)
    rows = [(job, low, high) for job, ranges in held.items() for _, low, high in ranges]
    return Ranges(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def overfull(cluster: int, job: int) -> InputError:
    """Return the error for a job that starts on more processors than a cluster has free."""
    return InputError(
        f"cluster {cluster} is too small for job {job}; call verify() on the schedule to find the "
        "fault"
    )


def _events(schedule: "Schedule", stays: NDArray[np.bool_]) -> list[tuple[int, bool]]:
    jobs = np.flatnonzero(schedule.served)
    events = np.concatenate([jobs[stays[jobs]], jobs])
    leaves = np.arange(len(events)) < len(events) - len(jobs)
    when = np.where(leaves, schedule.end[events], schedule.start[events])
    order = np.lexsort((np.where(leaves, 0, 1 + stays[events]), when))
    return list(zip(events[order].tolist(), leaves[order].tolist(), strict=True))


class _FreeRanges:
    """The free processors of one cluster, stored as ranges in ascending order."""

    def __init__(self, low: int, high: int) -> None:
        self.lows, self.highs = [low], [high]

    def take(self, count: int) -> list[tuple[int, int]] | None:
        """Take the lowest `count` free processors, and return their ranges.

        Return None if fewer processors are free.
        """
        taken = []
        for low, high in zip(self.lows, self.highs, strict=True):
            high = min(high, low + count - 1)
            taken.append((low, high))
            count -= high - low + 1
            if count == 0:
                break
        else:
            return None
        last = len(taken) - 1
        if taken[-1][1] == self.highs[last]:
            last += 1
        else:
            self.lows[last] = taken[-1][1] + 1
        del self.lows[:last], self.highs[:last]
        return taken

    def give_back(self, low: int, high: int) -> None:
        """Add a range to the free processors, and join it with the ranges next to it."""
        at = bisect_left(self.lows, low)
        if at < len(self.lows) and self.lows[at] == high + 1:
            high = self.highs[at]
            del self.lows[at], self.highs[at]
        if at > 0 and self.highs[at - 1] == low - 1:
            self.highs[at - 1] = high
        else:
            self.lows.insert(at, low)
            self.highs.insert(at, high)


def as_lists(ranges: Ranges, jobs: int) -> Servers:
    """Convert the processor ranges of each job to a list of processor numbers.

    The argument `jobs` is the number of jobs.
    """
    lengths = ranges.high - ranges.low + 1
    first = np.append(0, np.bincount(ranges.job, lengths, jobs).astype(np.int64).cumsum())
    # At first, each entry of the array is the difference between a processor number and the
    # preceding processor number. The cumulative sum of the entries then gives the processor
    # numbers.
    ids = np.ones(first[-1], np.int32)
    begins = np.cumsum(lengths) - lengths
    ids[begins] = ranges.low - np.append(0, ranges.high[:-1])
    return Servers(np.cumsum(ids, out=ids), first)


def ranges_of(servers: Servers, sizes: NDArray[np.int64]) -> Ranges:
    """Convert the list of numbered processors of each job to ranges.

    Parameters
    ----------
    servers : Servers
        The processors of each job, in ascending order.
    sizes : ndarray of int, shape (clusters,)
        The sizes of the clusters. No range reaches from one cluster into the next.
    """
    parts, edges = [], np.cumsum(sizes)
    jobs = len(servers.first) - 1
    job = 0
    while job < jobs:
        after = max(job + 1, int(np.searchsorted(servers.first, servers.first[job] + CHUNK)) - 1)
        after = min(after, jobs)
        ids = servers.ids[servers.first[job] : servers.first[after]]
        owner = np.repeat(np.arange(job, after), np.diff(servers.first[job : after + 1]))
        cluster = np.searchsorted(edges, ids, side="right")
        begins = np.ones(len(ids) + 1, dtype=bool)
        begins[1:-1] = (np.diff(ids) != 1) | (np.diff(owner) != 0) | (np.diff(cluster) != 0)
        parts.append((owner[begins[:-1]], ids[begins[:-1]], ids[begins[1:]]))
        job = after
    columns = zip(*parts, strict=True)
    return Ranges(*(np.concatenate(column).astype(np.int64) for column in columns))
