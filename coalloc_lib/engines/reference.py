"""The readable engine, on SimPy: the definition of what every other engine must do.

Each job is a SimPy process: it arrives, waits in the queue, runs, and leaves. At one instant
departures come first, then arrivals, then the scheduler. It runs the readable policy objects
themselves, so a policy or placement of the user's own works here without further ado.
"""

from dataclasses import dataclass, field

import numpy as np
import simpy

from coalloc_lib.checks import InputError

#: Order of events at one instant: SimPy serves the lower priority number first.
DEPARTURE, ARRIVAL, SCHEDULER = 1, 2, 3


class Ranked(simpy.Event):
    """A timeout that knows its rank among the events of its instant."""

    def __init__(self, environment, delay, rank):
        super().__init__(environment)
        self._ok, self._value = True, None  # what makes SimPy's own Timeout fire by itself
        environment.schedule(self, priority=rank, delay=delay)


@dataclass(eq=False)
class Job:
    """One job as the policies see it."""

    number: int
    submit: float
    runtime: float
    estimate: float
    components: tuple[int, ...]
    span_penalty: float
    overtaken: int = 0
    started: simpy.Event | None = None
    start: float | None = None
    end: float | None = None
    allocation: list[int] | None = None

    @property
    def processors(self):
        """Processors of all components together."""
        return sum(self.components)


@dataclass(eq=False)
class State:
    """What a policy sees: the queue, the running jobs, the idle processors, the time."""

    environment: simpy.Environment
    idle: list[int]
    request: str
    placement: object
    queue: list[Job] = field(default_factory=list)
    running: list[Job] = field(default_factory=list)

    @property
    def now(self):
        """The present instant."""
        return self.environment.now

    def start(self, job):
        """Start a waiting job if it fits; say whether it did."""
        allocation = self.placement.place(job.components, self.request, self.idle)
        if allocation is None:
            return False
        self.idle = [free - took for free, took in zip(self.idle, allocation, strict=True)]
        if min(self.idle) < 0:
            raise InputError(
                f"{self.placement} placed job {job.number} as {list(allocation)}, more than was "
                "idle; let it return None where a job does not fit"
            )
        position = self.queue.index(job)
        for passed in self.queue[:position]:
            passed.overtaken += 1
        del self.queue[position]
        self.running.append(job)
        job.start, job.allocation = self.now, allocation
        job.started.succeed()
        return True

    def finish(self, job):
        """Take a job that has run off its processors."""
        self.running.remove(job)
        self.idle = [free + took for free, took in zip(self.idle, job.allocation, strict=True)]


class Simulation:
    """One run of the multicluster.

    Parameters
    ----------
    system : Multicluster
    jobs : JobStream
        In order of arrival.
    scheduling, placement : Scheduling, Placement
        The policies, any object with their methods.
    backlog : int, optional
        Where given, submissions do not count: the queue is topped up to this many jobs.
    """

    def __init__(self, system, jobs, scheduling, placement, backlog=None):
        self.environment = simpy.Environment()
        self.state = State(self.environment, list(system.sizes), jobs.request, placement)
        self.scheduling = scheduling
        self.backlog = backlog
        columns = (jobs.submit, jobs.runtime, jobs.estimate, jobs.components, jobs.span_penalty)
        self.jobs = [
            Job(number, float(submit), float(runtime), float(estimate), tuple(c.tolist()), float(p))
            for number, (submit, runtime, estimate, c, p) in enumerate(zip(*columns, strict=True))
        ]
        self.to_come = iter(self.jobs if backlog else ())
        self.scheduler_called = False

    def run(self):
        """Run until every job has left; return the jobs."""
        if not self.backlog:
            for job in self.jobs:
                self.environment.process(self.life(job))
        self.call_scheduler()
        self.environment.run()
        if self.state.queue:
            raise InputError(
                f"{self.scheduling} left {len(self.state.queue)} jobs waiting in an idle system, "
                f"job {self.state.queue[0].number} first; let it start whatever fits"
            )
        return self.jobs

    def life(self, job):
        """One job's life, from submission to departure."""
        if not self.backlog:
            yield Ranked(self.environment, job.submit, ARRIVAL)
        job.submit = self.environment.now
        job.started = self.environment.event()
        self.state.queue.append(job)
        self.call_scheduler()
        yield job.started
        spans = sum(took > 0 for took in job.allocation) > 1
        length = job.runtime * (1 + job.span_penalty) if spans else job.runtime
        yield Ranked(self.environment, length, DEPARTURE)
        job.end = self.environment.now
        self.state.finish(job)
        self.call_scheduler()

    def call_scheduler(self):
        """Let the scheduler act at this instant, once all that happens at it has happened."""
        if not self.scheduler_called:
            self.scheduler_called = True
            Ranked(self.environment, 0, SCHEDULER).callbacks.append(self.schedule)

    def schedule(self, _event):
        """Start jobs until nothing more starts, then top the queue up if it is held."""
        self.scheduler_called = False
        waiting = -1
        while waiting != len(self.state.queue):
            waiting = len(self.state.queue)
            self.scheduling.start_jobs(self.state)
        for _ in range((self.backlog or 0) - waiting):
            job = next(self.to_come, None)
            if job is not None:
                self.environment.process(self.life(job))


def run(system, jobs, scheduling, placement, backlog=None):
    """Run `jobs`, in order of arrival; the same columns as `compiled.run` returns."""
    done = Simulation(system, jobs, scheduling, placement, backlog).run()
    start, end, entered = (
        np.array([getattr(job, name) for job in done], dtype=float)
        for name in ("start", "end", "submit")
    )
    allocation = np.array([job.allocation for job in done], dtype=np.int32)
    return start, end, entered, allocation
