"""The same on SimPy: jobs are processes, and the policy is the textbook's.

The queue with one processor per job is SimPy's own `Resource`; EASY looks at the whole queue, which
no resource of SimPy allows, so that a machine of our own keeps it.
"""

import simpy
from textbook import begun, easy_starts

PACKAGE = "simpy"


def fcfs(processors, jobs):
    """Return the start of each job of one processor under FCFS."""
    if any(job.processors > 1 for job in jobs):
        raise ValueError("SimPy's Resource grants one processor a request")
    environment, start = simpy.Environment(), [None] * len(jobs)
    machine = simpy.Resource(environment, capacity=processors)

    def served(job):
        """Wait for a processor, and hold it for the run time."""
        with machine.request() as turn:
            yield turn
            start[job.number] = environment.now
            yield environment.timeout(job.runtime)

    def source():
        """Submit each job at its instant."""
        for job in jobs:
            yield environment.timeout(job.submit - environment.now)
            environment.process(served(job))

    environment.process(source())
    environment.run()
    return start


def easy(processors, jobs):
    """Return the start of each job under EASY."""
    machine = Machine(processors, jobs)
    machine.environment.run()
    return machine.start


class Machine:
    """A machine with its queue: a source of jobs, a scheduler, and a process for each job."""

    def __init__(self, processors, jobs):
        self.jobs, self.start = jobs, [None] * len(jobs)
        self.idle, self.waiting, self.running = processors, [], {}
        self.environment = simpy.Environment()
        self.changed = self.environment.event()
        self.environment.process(self.source())
        self.environment.process(self.scheduler())

    def source(self):
        """Submit each job at its instant; those of one instant together."""
        for job in self.jobs:
            if job.submit > self.environment.now:
                yield self.environment.timeout(job.submit - self.environment.now)
            self.waiting.append(job)
            self.wake()

    def wake(self):
        """Let the scheduler look at the queue."""
        if not self.changed.triggered:
            self.changed.succeed()

    def scheduler(self):
        """Start jobs whenever something has changed, once all of the instant has happened."""
        while True:
            yield self.changed
            yield self.environment.timeout(0)
            self.changed = self.environment.event()
            now = self.environment.now
            for job in easy_starts(now, self.idle, self.waiting, self.running.values()):
                self.start[job.number] = now
                self.idle -= job.processors
                self.running[job.number] = begun(job, now)
                self.environment.process(self.run(job))
            self.waiting = [job for job in self.waiting if self.start[job.number] is None]

    def run(self, job):
        """Hold the processors of a job for its run time."""
        yield self.environment.timeout(job.runtime)
        self.idle += job.processors
        del self.running[job.number]
        self.wake()
