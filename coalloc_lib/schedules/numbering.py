"""Which processors each job has, as ranges of numbers: the lowest that are free, unless booked.

A range is what it costs, not a processor: a job of ten thousand processors is mostly in one or two.
"""

from bisect import bisect_left
from collections import namedtuple
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.engines.outcome import Servers

#: Of every range, in the order of the jobs and ascending in each: int64 job, first and last
#: processor, which is in the same cluster.
Ranges = namedtuple("Ranges", "job low high")
#: So many processors are looked at together where all are listed.
CHUNK = 1 << 22


def lowest_free(schedule: Any) -> Ranges:
    """Return the ranges of the jobs of a `Schedule`: the lowest that are free when each starts.

    At one instant jobs leave, then come those that run for no time, then those that start, in order
    of the stream.
    """
    begins = np.append(0, np.cumsum(schedule.system.sizes)).tolist()
    free = [_Free(low, high - 1) for low, high in pairwise(begins)]
    stays, jobs = schedule.end > schedule.start, np.flatnonzero(schedule.served)
    events = np.concatenate([jobs[stays[jobs]], jobs])
    leaves = np.arange(len(events)) < len(events) - len(jobs)
    when = np.where(leaves, schedule.end[events], schedule.start[events])
    order = np.lexsort((np.where(leaves, 0, 1 + stays[events]), when))
    held: dict[int, list] = {job: [] for job in jobs.tolist()}
    for job, leaving in zip(events[order].tolist(), leaves[order].tolist(), strict=True):
        if not leaving:
            for cluster in np.flatnonzero(schedule.allocation[job]).tolist():
                count = int(schedule.allocation[job, cluster])
                taken = free[cluster].take(count)
                if taken is None:
                    raise InputError(f"cluster {cluster} is too small for job {job}; see verify()")
                held[job] += [(cluster, *each) for each in taken]
        if leaving or not stays[job]:
            for cluster, low, high in held[job]:
                free[cluster].give_back(low, high)
    rows = [(job, low, high) for job, ranges in held.items() for _, low, high in ranges]
    return Ranges(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


class _Free:
    """The free processors of a cluster, as ranges in ascending order."""

    def __init__(self, low: int, high: int) -> None:
        self.lows, self.highs = [low], [high]

    def take(self, count):
        """Return the ranges of the lowest so many, no longer free; None if there are less."""
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

    def give_back(self, low, high):
        """Let a range be free again, and be one with those that it touches."""
        at = bisect_left(self.lows, low)
        if at < len(self.lows) and self.lows[at] == high + 1:
            high = self.highs[at]
            del self.lows[at], self.highs[at]
        if at > 0 and self.highs[at - 1] == low - 1:
            self.highs[at - 1] = high
        else:
            self.lows.insert(at, low)
            self.highs.insert(at, high)


def listed(ranges: Ranges, jobs: int) -> Servers:
    """Return every processor of each of so many jobs."""
    lengths = ranges.high - ranges.low + 1
    first = np.append(0, np.bincount(ranges.job, lengths, jobs).astype(np.int64).cumsum())
    ids = np.ones(first[-1], np.int32)  # how much each differs from the one before
    begins = np.cumsum(lengths) - lengths
    ids[begins] = ranges.low - np.append(0, ranges.high[:-1])
    return Servers(np.cumsum(ids, out=ids), first)


def ranges_of(servers: Servers, sizes: NDArray[np.int64]) -> Ranges:
    """Return the ranges of processors that are listed, of clusters of these sizes."""
    parts, edges = [], np.cumsum(sizes)
    jobs = len(servers.first) - 1
    job = 0
    while job < jobs:
        after = max(job + 1, int(np.searchsorted(servers.first, servers.first[job] + CHUNK)) - 1)
        after = min(after, jobs)
        ids = servers.ids[servers.first[job] : servers.first[after]]
        of = np.repeat(np.arange(job, after), np.diff(servers.first[job : after + 1]))
        cluster = np.searchsorted(edges, ids, side="right")
        new = np.ones(len(ids) + 1, dtype=bool)
        new[1:-1] = (np.diff(ids) != 1) | (np.diff(of) != 0) | (np.diff(cluster) != 0)
        parts.append((of[new[:-1]], ids[new[:-1]], ids[new[1:]]))
        job = after
    return Ranges(*(np.concatenate(each).astype(np.int64) for each in zip(*parts, strict=True)))
