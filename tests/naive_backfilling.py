"""Backfilling on one machine as the textbooks write it, to compare with: slow, plain, by itself.

Jobs are rows (submit, runtime, estimate, processors) in order of submission. Both functions return
the start of each job; none uses anything of the library.
"""

from functools import partial
from math import inf


def expected(job):
    """How long a job may take: its estimate, or its run time where that is longer."""
    _, runtime, estimate, _ = job
    return max(runtime, estimate)


def easy(size, jobs, key=None):
    """EASY backfilling with shadow time and extra nodes; the queue is sorted by `key`."""
    start, waiting, running = [None] * len(jobs), [], []
    arrivals, now = list(range(len(jobs))), 0.0
    free = size

    def begin(job):
        nonlocal free
        waiting.remove(job)
        free -= jobs[job][3]
        start[job] = now
        running.append((now + jobs[job][1], now + expected(jobs[job]), job))

    while arrivals or waiting:
        ends = [end for end, _, _ in running]
        now = min(ends + [jobs[job][0] for job in arrivals[:1]])
        free += sum(jobs[job][3] for end, _, job in running if end <= now)
        running = [entry for entry in running if entry[0] > now]
        while arrivals and jobs[arrivals[0]][0] <= now:
            waiting.append(arrivals.pop(0))
        if key:
            waiting.sort(key=lambda job: (key(jobs[job]), job))
        while waiting and jobs[waiting[0]][3] <= free:
            begin(waiting[0])
        if not waiting:
            continue
        wanted, shadow = jobs[waiting[0]][3], now
        available = free
        for _, end, job in sorted(running, key=lambda entry: entry[1]):
            if available >= wanted and end > shadow:
                break
            shadow = end
            available += jobs[job][3]
        extra = available - wanted
        for job in waiting[1:]:
            _, _, _, wanted = jobs[job]
            in_time = now + expected(jobs[job]) <= shadow
            if wanted <= free and (in_time or wanted <= extra):
                begin(job)
                extra -= 0 if in_time else wanted
    return start


class Steps:
    """How many processors are free from now on: [instant, free] in order of time."""

    def __init__(self, size):
        self.steps = [[-inf, size]]

    def cut(self, instant):
        """Let a step begin at an instant; return its number."""
        for number, (begin, _) in enumerate(self.steps):
            if begin == instant:
                return number
            if begin > instant:
                self.steps.insert(number, [instant, self.steps[number - 1][1]])
                return number
        self.steps.append([instant, self.steps[-1][1]])
        return len(self.steps) - 1

    def add(self, begin, end, processors):
        """Change what is free from `begin` to `end`."""
        if begin < end:
            first, last = self.cut(begin), self.cut(end)
            for step in self.steps[first:last]:
                step[1] += processors

    def earliest(self, now, length, processors):
        """The first instant from which so many are free for so long."""
        number = self.cut(now)
        del self.steps[:number]  # what is past
        start = now
        for (begin, free), after in zip(self.steps, [*self.steps[1:], [inf, 0]], strict=True):
            if begin >= start + length:
                break
            if free < processors:
                start = after[0]
        return start


def conservative(size, jobs, key=None):
    """Conservative backfilling; every job is expected to take some time."""
    in_order = partial(sorted, key=lambda job: (key(jobs[job]) if key else 0, job))
    plan, reserved, start = Steps(size), {}, [None] * len(jobs)
    arrivals, waiting, running, promised = list(range(len(jobs))), [], [], [None] * len(jobs)
    while arrivals or waiting:
        instants = [jobs[job][0] for job in arrivals[:1]]
        instants += [end for end, _ in running] + [reserved[job] for job in waiting]
        now = min(instants)
        ended = [job for end, job in running if end <= now]
        running = [(end, job) for end, job in running if end > now]
        for job in ended:
            plan.add(now, start[job] + expected(jobs[job]), jobs[job][3])
        for job in in_order(waiting) if ended else []:
            length, processors = expected(jobs[job]), jobs[job][3]
            plan.add(reserved[job], reserved[job] + length, processors)
            reserved[job] = min(reserved[job], plan.earliest(now, length, processors))
            plan.add(reserved[job], reserved[job] + length, -processors)
        come = [job for job in arrivals if jobs[job][0] <= now]
        arrivals = arrivals[len(come) :]
        for job in in_order(come):
            length, processors = expected(jobs[job]), jobs[job][3]
            promised[job] = reserved[job] = plan.earliest(now, length, processors)
            plan.add(reserved[job], reserved[job] + length, -processors)
            waiting.append(job)
        for job in [job for job in waiting if reserved[job] <= now]:
            waiting.remove(job)
            start[job] = now
            running.append((now + jobs[job][1], job))
    return start, promised
