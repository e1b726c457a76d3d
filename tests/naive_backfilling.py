"""Backfilling on one machine as the textbooks write it: slow, plain Python without the library.

Jobs are rows (submit, runtime, estimate, processors) in order of submission. Both functions return
the start of each job. EASY is the textbook version with which the benchmarks compare simulators.
"""

from bisect import bisect_left
from functools import partial
from math import inf

from benchmarks.peers import textbook
from benchmarks.peers.job_files import made


def expected(job):
    """Return how long a job may take: its estimate, or its run time if that is longer."""
    _, runtime, estimate, _ = job
    return max(runtime, estimate)


def easy(size, rows, key=None):
    """Return the start of each job under EASY backfilling; `key` of a row sorts the queue."""
    jobs = made(*((row[0], row[1], expected(row), row[3]) for row in rows))

    def starts_now(now, idle, waiting, running):
        if key:
            waiting = sorted(waiting, key=lambda job: (key(rows[job.number]), job.number))
        return textbook.easy_starts(now, idle, waiting, running)

    return textbook.simulate(size, jobs, starts_now)


class Steps:
    """How many processors are free from now on: [instant, free] in order of time."""

    def __init__(self, size):
        self.steps = [[-inf, size]]

    def cut(self, instant):
        """Let a step begin at an instant; return its number."""
        number = bisect_left(self.steps, [instant])  # the first step that begins then or later
        if number == len(self.steps) or self.steps[number][0] > instant:
            self.steps.insert(number, [instant, self.steps[number - 1][1]])
        return number

    def add(self, begin, end, processors):
        """Change what is free from `begin` to `end`."""
        if begin < end:
            first, last = self.cut(begin), self.cut(end)
            for step in self.steps[first:last]:
                step[1] += processors
            for number in (last, first):  # Without this, the steps of old plans would pile up.
                if number and self.steps[number][1] == self.steps[number - 1][1]:
                    del self.steps[number]

    def earliest(self, now, length, processors):
        """The first instant from which so many are free for so long."""
        number = self.cut(now)
        del self.steps[:number]  # what is past
        start = now
        for number, (begin, free) in enumerate(self.steps, start=1):
            if begin >= start + length:
                break
            if free < processors:
                start = self.steps[number][0] if number < len(self.steps) else inf
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
