"""Backfilling on several clusters, from its definition: slow, plain, to compare both engines with.

All is worked out again at every instant, from the running jobs and the reservations alone. Of
the library it uses the placement of one job on so many idle processors, and nothing else.
"""

from math import nan
from operator import add, sub

import numpy as np

from coalloc_lib.model.placement import ordered_allocation


class Run:
    """One run: `start`, `promised` and `allocation` of each job, in the order of the stream."""

    def __init__(self, sizes, jobs, placement, key=None):
        self.key = np.zeros(len(jobs)) if key is None else key
        self.sizes, self.jobs, self.placement = sizes, jobs, placement
        self.components, self.penalty = jobs.components.tolist(), jobs.span_penalty.tolist()
        self.runtime = jobs.runtime.tolist()
        self.longest = [
            max(both) for both in zip(self.runtime, jobs.estimate.tolist(), strict=True)
        ]
        self.start, self.allocation = [nan] * len(jobs), [None] * len(jobs)
        self.promised, self.end = [nan] * len(jobs), {}
        self.queue, self.reserved = [], {}
        to_come = np.argsort(jobs.submit, kind="stable").tolist()
        while to_come or self.queue or self.end:
            submissions = jobs.submit[to_come[:1]].tolist()
            starts = [start for start, _, _ in self.reserved.values()]
            self.now = min([*self.end.values(), *submissions, *starts])
            self.run_an_instant(to_come)

    def run_an_instant(self, to_come):
        """Run departures, arrivals and the policy, again while jobs of no time leave."""
        gone = True
        while gone:
            gone = [job for job, end in self.end.items() if end <= self.now]
            for job in gone:
                del self.end[job]
            arrived = []
            while to_come and self.jobs.submit[to_come[0]] <= self.now:
                arrived.append(to_come.pop(0))
            arrived.sort(key=lambda job: self.key[job])
            self.queue = sorted(self.queue + arrived, key=self.place_in_queue)
            self.schedule(bool(gone), arrived)
            gone = any(end <= self.now for end in self.end.values())

    def place_in_queue(self, job):
        return self.key[job], self.jobs.submit[job], job

    def idle(self):
        """Return what is idle now."""
        idle = list(self.sizes)
        for job in self.end:
            idle = [*map(sub, idle, self.allocation[job])]
        return idle

    def place(self, job, idle):
        components = self.components[job]
        if self.placement is None:
            return ordered_allocation(components, idle)
        return self.placement.place(components, self.jobs.request, idle)

    def length(self, job, allocation, time):
        spans = sum(map(bool, allocation)) > 1
        return time * (1 + self.penalty[job] * spans)

    def expected(self, job, allocation):
        return self.length(job, allocation, self.longest[job])

    def expected_end(self, job):
        return self.start[job] + self.expected(job, self.allocation[job])

    def begin(self, job, allocation):
        self.queue.remove(job)
        self.start[job], self.allocation[job] = self.now, list(allocation)
        self.end[job] = self.now + self.length(job, allocation, self.runtime[job])


class EASY(Run):
    """A job passes where it ends by the head's promised start, or leaves the head room then."""

    def schedule(self, _departed, _arrived):
        while self.sweep():
            pass

    def sweep(self):
        """Start the head while it fits, then who may pass; return whether anyone started."""
        waiting = len(self.queue)
        while self.queue and (found := self.place(self.queue[0], self.idle())) is not None:
            self.begin(self.queue[0], found)
        if not self.queue:
            return False
        head, *others = self.queue
        ends = sorted({self.expected_end(job) for job in self.end})
        promised = next(end for end in ends if self.place(head, self.then(end)) is not None)
        if np.isnan(self.promised[head]):
            self.promised[head] = promised
        for job in others:
            found = self.place(job, self.idle())
            if found is None:
                continue
            in_time = self.now + self.expected(job, found) <= promised
            if in_time or self.place(head, [*map(sub, self.then(promised), found)]) is not None:
                self.begin(job, found)
        return len(self.queue) < waiting

    def then(self, instant):
        """Return what is idle once all have left that are expected to have by an instant."""
        idle = self.idle()
        for job in self.end:
            if self.expected_end(job) <= instant:
                idle = [*map(add, idle, self.allocation[job])]
        return idle


class Conservative(Run):
    """Each job holds the earliest reservation that those before it leave."""

    def schedule(self, departed, arrived):
        for job in self.queue if departed else ():
            if job not in arrived and self.reserved[job][0] > self.now:
                old = self.reserved.pop(job)
                self.reserved[job] = min(old, self.earliest(job), key=lambda each: each[0])
        for job in arrived:
            self.reserved[job] = self.earliest(job)
            self.promised[job] = self.reserved[job][0]
        due = [job for job in self.queue if self.reserved[job][0] <= self.now]
        for job in sorted(due, key=lambda job: self.reserved[job][1] > self.now):
            allocation = self.reserved[job][2]
            if any(np.greater(allocation, self.idle())):
                break
            del self.reserved[job]
            self.begin(job, allocation)

    def earliest(self, job):
        """Try the window that the job needs on one cluster, then the one that it needs on more."""
        held = [(self.start[job], self.expected_end(job), self.allocation[job]) for job in self.end]
        held += self.reserved.values()
        instants = {instant for start, end, _ in held for instant in (start, end)}
        for start in sorted({self.now, *(each for each in instants if each > self.now)}):
            for pieces in ([1], [1, 1]):
                end = start + self.expected(job, pieces)
                found = self.place(job, self.stays_idle(held, start, end))
                if found is not None and start + self.expected(job, found) <= end:
                    return start, start + self.expected(job, found), found
        raise AssertionError(f"job {job} never fits")

    def stays_idle(self, held, start, end):
        """Return what is idle from `start` to `end`; who holds it for no time counts by itself."""
        least = list(self.sizes)
        held = [each for each in held if each[1] > start and (each[0] <= start or each[0] < end)]
        for instant in {start, *(begin for begin, _, _ in held if start < begin < end)}:
            idle, momentary = list(self.sizes), [[0] * len(self.sizes)]
            for begin, until, allocation in held:
                if begin <= instant < until:
                    idle = [*map(sub, idle, allocation)]
                elif begin == instant == until and instant > start:
                    momentary.append(allocation)
            for taken in momentary:
                least = [*map(min, least, (max(free, 0) for free in map(sub, idle, taken)))]
        return least
