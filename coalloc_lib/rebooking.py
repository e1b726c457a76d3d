"""Online schedules booked anew: no job had room at an earlier attempt, or on better servers.

It shares the rules of placement with the engines, and no search: all attempts of a job are counted
at once, on plain arrays of idle periods.
"""

from heapq import heappop, heappush
from typing import Any

import numpy as np

from coalloc_lib.calendar.periods import FIRST_FOUND
from coalloc_lib.faults import ScheduleError
from coalloc_lib.machines import HomeSite, LeastLoaded, RandomFit
from coalloc_lib.placement import TRUSTED, SingleThenSpan, WorstFit, time_on_processors

START, END, SERVER = range(3)
#: Placements whose answer depends on the question only.
KNOWN = {type(None), LeastLoaded, RandomFit, HomeSite, SingleThenSpan} | TRUSTED


def booked_anew(schedule: Any) -> None:
    """Every job has the first attempt with room, and the servers that placement and rule choose.

    Not asked where a placement of one's own may answer otherwise the second time. Which servers
    the rule ``"first-found"`` chooses is not known here; they have to be idle.
    """
    placement = schedule.placement
    inner = getattr(placement, "rule", None), getattr(placement, "single", None)
    if KNOWN.issuperset(map(type, (placement, *inner))):
        run = _Run(schedule)
        for job in np.argsort(schedule.jobs.submit, kind="stable").tolist():
            run.book(job)


class _Run:
    """The idle periods of each cluster, float64 (3, m), as the bookings so far leave them.

    Some are past or have no length; no booking fits into those.
    """

    def __init__(self, schedule):
        self.schedule, self.jobs, self.policy = schedule, schedule.jobs, schedule.scheduling
        self.place = (schedule.placement or WorstFit()).place
        expected = np.maximum(self.jobs.estimate, self.jobs.runtime)
        spanning = time_on_processors(expected, self.jobs.span_penalty, True)
        self.lengths = np.array([expected, spanning]).T.tolist()
        sizes = schedule.system.sizes
        self.first = np.cumsum([0, *sizes])
        self.idle = [
            np.array([np.zeros(n), np.full(n, np.inf), np.arange(n) + k])
            for n, k in zip(sizes, self.first, strict=False)
        ]
        self.leaving, self.booked = [], 0

    def book(self, job):
        """Take the servers that a job has, once it is known that they are the right ones."""
        schedule, now = self.schedule, self.jobs.submit[job]
        while self.leaving and self.leaving[0][0] <= now:
            self.release(*heappop(self.leaving)[1:])
        self.booked += 1
        if self.booked % 64 == 0:
            self.idle = [idle[:, idle[END] > now] for idle in self.idle]
        tried, served = int(schedule.attempts[job]), job not in schedule.refused
        starts = self.jobs.earliest_start[job] + np.arange(tried) * self.policy.step
        number, allocation, length = self.first_room(job, starts)
        if number != (tried - 1 if served else tried):
            raise ScheduleError(
                f"job {job} has attempt {tried}, {'' if served else 'and was refused, '}but there "
                + (f"was room at attempt {number + 1}" if number < tried else "was no room at it")
            )
        if served:
            self.take(job, allocation, float(starts[-1]), float(starts[-1]) + length)

    def first_room(self, job, starts):
        """Return the number of the first start with room, the allocation, and the length there."""
        alone, spanning = self.lengths[job]
        until = self.policy.horizon_end(float(self.jobs.submit[job]))
        components = tuple(self.jobs.components[job].tolist())
        counts = self.counts(starts, alone)
        for number in np.flatnonzero(counts.sum(axis=1) >= sum(components)).tolist():
            length, room = alone, counts[number].tolist()
            while starts[number] + length <= until:
                allocation = self.place(components, self.jobs.request, room)
                if allocation is None:
                    break
                needed = spanning if sum(map(bool, allocation)) > 1 else alone
                if needed <= length:
                    return number, allocation, needed
                length, room = needed, self.counts(starts[[number]], needed)[0].tolist()
        return len(starts), None, 0.0

    def counts(self, starts, length):
        """Return how many servers of each cluster are idle for a length from each start on.

        Of periods that are long enough at all, those that have begun, less those that end too soon.
        """
        table = []
        for since, until, _ in self.idle:
            enough = since + length <= until
            begun = np.searchsorted(np.sort(since[enough]), starts, side="right")
            over = np.searchsorted(np.sort(until[enough]), starts + length, side="left")
            table.append(begun - over)
        return np.transpose(table)

    def take(self, job, allocation, start, end):
        """Book a job on its servers, which are the first by the rule."""
        servers = self.schedule.servers[job]
        for cluster, wanted in enumerate(allocation):
            idle, mine = self.idle[cluster], self.of_cluster(servers, cluster)
            fits = np.flatnonzero((idle[START] <= start) & (idle[END] >= end))
            since, until, server = idle[:, fits]
            if self.policy.rule == FIRST_FOUND:
                chosen = fits[np.isin(server, mine)]
            else:
                gap = until - since if self.policy.rule == "best-fit" else np.zeros(len(fits))
                chosen = fits[np.lexsort((server, -since, gap))[:wanted]]
            if sorted(idle[SERVER, chosen]) != mine.tolist():
                raise ScheduleError(
                    f"job {job} at {start:.12g}: has servers {mine.tolist()} of cluster {cluster}, "
                    f"by the rule {self.policy.rule} these are "
                    f"{sorted(idle[SERVER, chosen].astype(int).tolist())}"
                )
            before, after = idle[:, chosen], idle[:, chosen]
            before[END], after[START] = start, end
            is_left = before[START] < start
            idle[:, chosen] = np.where(is_left, before, after)
            more = after[:, is_left & (end < after[END])]
            self.idle[cluster] = np.hstack([idle, more])
        leaves = self.schedule.end[job]
        if self.policy.release_early and leaves < end:
            # What runs for no time leaves after the arrivals of its instant.
            when = leaves if start < leaves else np.nextafter(leaves, np.inf)
            heappush(self.leaving, (when, job, end))

    def release(self, job, until):
        """Let the servers of a job be idle from its end on, joined to what is idle behind."""
        since, servers = self.schedule.end[job], self.schedule.servers[job]
        for cluster, idle in enumerate(self.idle):
            mine = self.of_cluster(servers, cluster)
            behind = np.flatnonzero((idle[START] == until) & (until < idle[END]))
            behind = behind[np.isin(idle[SERVER, behind], mine)]
            idle[START, behind] = since
            alone = np.setdiff1d(mine, idle[SERVER, behind])
            more = np.array([np.full(len(alone), since), np.full(len(alone), until), alone])
            self.idle[cluster] = np.hstack([idle, more])

    def of_cluster(self, servers, cluster):
        """Return those of some servers, ascending, that a cluster has."""
        edges = np.searchsorted(servers, self.first[cluster : cluster + 2])
        return servers[slice(*edges)]
