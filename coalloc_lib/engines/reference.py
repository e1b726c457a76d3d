"""The readable engine, on SimPy, which defines the results that every engine must give.

Each job is a SimPy process. At each instant, departures come first, then arrivals, and then the
call to the policy. The engine runs any policy object, so user-defined policies can be used.
"""

from collections.abc import Generator
from heapq import heappush
from typing import Any

import numpy as np
import simpy

from coalloc_lib.basics.checks import InputError
from coalloc_lib.engines.outcome import Outcome, Servers, Task, left_waiting
from coalloc_lib.engines.state import State, name_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.policies import Job

#: The ranks of the three types of events. SimPy processes events at the same instant in order of
#: increasing rank.
DEPARTURE, ARRIVAL, SCHEDULER = 1, 2, 3

#: The attributes of a job that the stream gives, and that a policy must not change.
GIVEN = (
    "number", "submit", "runtime", "estimate", "components", "span_penalty", "earliest_start",
    "latest_start", "priority",
)  # fmt: skip
#: The maximum number of successive calls to a policy that start no job although no job is running
#: and no job will arrive. After more calls, the simulation ends with an error, because otherwise it
#: might never end. The limit is high enough for a policy that asks to be called every second and
#: waits for a whole day.
MOST_IN_VAIN = 100_000


def jobs_of(jobs: JobStream, *, is_held: bool = False) -> list[Job]:
    """Convert a stream of jobs to the `Job` objects that are passed to policies.

    If the queue `is_held` at a constant length, the jobs do not ask for earliest starts.
    """
    columns: Any = (
        jobs.submit, jobs.runtime, jobs.estimate, jobs.components, jobs.span_penalty,
        jobs.earliest_start * (not is_held), jobs.latest_start, jobs.priority,
    )  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        Job(number, submit, runtime, estimate, tuple(components), *more)
        for number, (submit, runtime, estimate, components, *more) in enumerate(rows)
    ]


class Ranked(simpy.Event):
    """A SimPy event at an exact instant, with a rank to break ties between simultaneous events.

    A `simpy.Timeout` takes a delay, and the rounded sum of ``now`` and ``instant - now`` may differ
    from `instant`.
    """

    _ok, _value = True, None  # As in simpy.Timeout: the event has already been triggered.

    def __init__(self, environment: simpy.Environment, instant: float, rank: Any) -> None:
        super().__init__(environment)
        heappush(environment._queue, (instant, rank, next(environment._eid), self))


class Simulation:
    """A single simulation on the readable engine."""

    def __init__(self, task: Task) -> None:
        system, jobs, scheduling, _, self.backlog = task
        self.environment = simpy.Environment(0.0)
        self.state = State(self.environment, task, self.call_at)
        self.name = name_of(scheduling)
        self.policy = scheduling.begin(system)
        if not callable(getattr(self.policy, "start_jobs", None)):
            raise InputError(
                f"{self.name}.begin returned {self.policy!r}; return an object with a method "
                "start_jobs"
            )
        self.stream = jobs
        self.jobs = self.given_jobs()
        self.end = np.full(len(jobs), np.nan)
        self.to_come = iter(self.jobs if self.backlog else ())
        self.to_leave = len(self.jobs)
        self.scheduler_called = False
        self.in_vain = 0

    def run(self) -> Outcome:
        """Run the simulation until every job has left, and return the outcome."""
        if not self.backlog:
            for job in self.jobs:
                self.environment.process(self.life(job))
        self.call_scheduler()
        self.environment.run()
        if self.to_leave:
            self.fail()
        self.check_jobs()
        return self.outcome()

    def given_jobs(self) -> list[Job]:
        """Return the jobs of the stream unchanged."""
        return jobs_of(self.stream, is_held=self.backlog is not None)

    def check_jobs(self) -> None:
        """Raise an error if the policy has changed a job, so that the schedule is of other jobs."""
        # If the queue is held at a constant length, the engine itself sets the submissions.
        names = [name for name in GIVEN if name != "submit" or not self.backlog]
        for job, given in zip(self.jobs, self.given_jobs(), strict=True):
            for name in names:
                new, old = getattr(job, name), getattr(given, name)
                if new != old:
                    raise InputError(
                        f"{self.name} changed the {name} of job {given.number} from {old} to "
                        f"{new}; a policy may read the attributes of a job, but not change them"
                    )

    def life(self, job: Job) -> Generator[simpy.Event, Any, None]:
        """Simulate one job from its submission to its departure, as a SimPy process."""
        if not self.backlog:
            yield Ranked(self.environment, job.submit, ARRIVAL)
        turn = self.state.enter(job)
        self.call_scheduler()
        if (yield turn):
            assert job.allocation is not None
            end = self.environment.now + job.length(job.allocation)
            yield Ranked(self.environment, end, DEPARTURE)
            self.end[job.number] = end
            self.state.finish(job)
            self.call_scheduler()
        self.to_leave -= 1

    def call_at(self, instant: float) -> None:
        """Make the engine call the policy at a later instant."""
        Ranked(self.environment, instant, SCHEDULER).callbacks.append(self.wake)

    def wake(self, _event: simpy.Event) -> None:
        """Call the policy at an instant that it had requested, unless all jobs have left."""
        if self.to_leave:
            self.call_scheduler()

    def call_scheduler(self) -> None:
        """Schedule a call to the policy after all departures and arrivals at this instant."""
        if not self.scheduler_called:
            self.scheduler_called = True
            now = Ranked(self.environment, self.environment.now, SCHEDULER)
            now.callbacks.append(self.schedule)

    def schedule(self, _event: simpy.Event) -> None:
        """Call the policy until it starts no more jobs, and refill a queue of constant length."""
        self.scheduler_called = False
        queue = self.state.queue
        before, waiting = len(queue), -1
        while waiting != len(queue):
            waiting = len(queue)
            self.policy.start_jobs(self.state)
        arrivals_to_come = not self.backlog and waiting < self.to_leave
        is_at_rest = waiting == before and not self.state.running and not arrivals_to_come
        self.in_vain = self.in_vain + 1 if is_at_rest else 0
        if self.in_vain > MOST_IN_VAIN:
            self.fail()
        for _ in range((self.backlog or 0) - waiting):
            job = next(self.to_come, None)
            if job is not None:
                self.environment.process(self.life(job))

    def fail(self) -> None:
        """Raise the error for a run that got stuck: jobs wait, but no job will start or leave."""
        queue = self.state.queue
        raise left_waiting(self.name, len(queue), queue[0].number)

    def outcome(self) -> Outcome:
        """Return the outcome of the finished run."""
        state, jobs, attempts, servers = self.state, self.jobs, None, None
        nothing = [0] * len(state.idle)
        promised = np.array([state.promised.get(job.number, np.nan) for job in jobs])
        if state.attempts:
            attempts = np.array([state.attempts.get(job.number, 0) for job in jobs], dtype=np.int64)
            servers = Servers.of_rows([state.servers.get(job.number, []) for job in jobs])
        return Outcome(
            np.array([job.start for job in jobs], dtype=float),  # None becomes NaN.
            self.end,
            np.array([job.submit for job in jobs], dtype=float),
            np.array([job.allocation or nothing for job in jobs], dtype=np.int32),
            promised,
            state.refused,
            attempts,
            servers,
        )


def run(task: Task) -> Outcome:
    """Run a simulation on the readable engine and return its outcome."""
    return Simulation(task).run()
