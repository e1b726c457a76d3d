"""Online scheduling: each job gets its start and its processors when it is submitted."""

from dataclasses import dataclass, replace
from typing import ClassVar

from coalloc_lib.basics.checks import boolean, one_of
from coalloc_lib.calendar.booking import Booking, book
from coalloc_lib.calendar.periods import FIRST_FOUND, RULES, IdlePeriods
from coalloc_lib.calendar.search import BookingRules
from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies.base import Job, Scheduling, State

#: The names of the rules by which the policy `Online` chooses among the idle processors of a
#: cluster.
CHOICES = (*RULES, FIRST_FOUND)


@dataclass(frozen=True)
class Online(BookingRules, Scheduling):
    """Online co-allocation: a job gets a reservation when it is submitted, or is rejected.

    Parameters
    ----------
    slot : float
        Length of a slot; the horizon moves forward by whole slots. All times are in the unit of the
        jobs. The default is 15 minutes in seconds.
    step : float
        Time between two attempts to reserve processors for a job.
    max_attempts : int, optional
        Maximum number of attempts for a job. By default, half the number of slots, as in the paper.
    horizon : float
        How far ahead processors can be reserved. The horizon consists of ``horizon / slot`` slots,
        rounded up, and the present instant is in the first of them. A reservation must end by the
        end of the last one. The default is four weeks in seconds.
    min_length : float
        The least length that is reserved, even for shorter jobs. In the paper this is the length of
        a slot, 'the minimum temporal size of reservation requests'.
    rule : {"latest-start", "best-fit", "first-found"}
        The rule that chooses among the idle processors of a cluster.

        - "latest-start" takes the processors that became idle last. The search of the paper finds
          its candidates in this order.
        - "best-fit" takes the processors that have the shortest idle periods.
        - "first-found" takes the processors that the search of the paper finds first, which depends
          on the shape of its trees. This rule works on one cluster and on the readable engine only,
          and is slow unless a slot has some hours.
    release_early : bool
        Whether the processors of a job that ends early become idle immediately. In the paper they
        stay reserved.

    Raises
    ------
    InputError
        If an option has a value that is not allowed.

    Notes
    -----
    The processors are numbered cluster by cluster, and each has its own list of reservations. The
    paper calls them *servers*.

    The first attempt for a job is at its earliest start, or at its submission if it asks for no
    earliest start. Each further attempt is one `step` later. The job is accepted at the first
    attempt at which the placement finds enough processors without a reservation during its whole
    expected length. The expected length is the user's estimate, or the run time if that is longer,
    times ``1 + span_penalty`` if the job uses several clusters; it is at least `min_length`. The
    job is rejected if the next attempt would be after its latest start, would end beyond the
    horizon, or would exceed the number of attempts. A job with an expected length of 0 is also
    rejected, because it has no interval to book.

    A reservation never changes. Jobs that are submitted later can therefore not delay a job, but
    they may start before it.

    At any instant, processors become idle before jobs are booked, and jobs are booked in order of
    submission. With `release_early`, a job that runs for a time of 0 starts after the bookings at
    its instant, and its processors become idle after these bookings too.

    References
    ----------
    Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed Environments
    (2009), sections 2 and 4.2.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1, 2], runtime=[10, 5, 4], components=[3, 4, 1])
    >>> policy = co.Online(slot=1, step=1, horizon=100)
    >>> schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=policy)
    >>> schedule.start.tolist(), schedule.attempts.tolist()
    ([0.0, 10.0, 2.0], [1, 10, 1])
    """

    takes_reservations: ClassVar[bool] = True
    takes_backlog: ClassVar[bool] = False
    uses_estimates: ClassVar[bool] = True
    promises_all: ClassVar[bool] = True
    rule: str = "latest-start"
    release_early: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("rule", self.rule, CHOICES)
        object.__setattr__(self, "release_early", boolean("release_early", self.release_early))

    def begin(self, system: Multicluster) -> "_Bookings":
        """Return a new object that books the jobs of one run and stores the idle periods."""
        if self.rule == FIRST_FOUND:
            return _Bookings(self, SlotTrees(system.sizes, self.slot, self.slots))
        return _Bookings(self, IdlePeriods(system.sizes))


class _Bookings:
    """The bookings that the policy `Online` has made during one run."""

    def __init__(self, policy: Online, idle: IdlePeriods) -> None:
        self.policy, self.idle = policy, idle
        self.to_come: dict[Job, Booking] = {}
        self.running: dict[Job, Booking] = {}

    def start_jobs(self, state: State) -> None:
        """Book the new jobs, and start the jobs whose booking begins now."""
        self.idle.advance(state.now)
        if self.policy.release_early:
            self._release(state)
        for job in state.queue:
            if job not in self.to_come:
                self._book(job, state)
        self._start_due(state)

    def _release(self, state):
        ended = self.running.keys() - {*state.running}
        for job in sorted(ended, key=lambda job: job.number):
            booked = self.running.pop(job)
            if state.now < booked.end:
                for server in booked.servers:
                    self.idle.give_back(server, state.now, booked.end)

    def _book(self, job, state):
        answer = book(
            self.idle,
            job,
            state.place,
            self.policy,
            self.policy.rule,
            now=state.now,
            earliest=max(job.submit, job.earliest_start),
            latest=job.latest_start,
        )
        if not isinstance(answer, Booking):
            state.record(job, len(answer.attempts))
            state.refuse(job, answer.why)
            return
        state.record(job, len(answer.attempts), answer.servers)
        state.promise(job, answer.start)
        # To save memory, the list of the attempted starts, which can be long, is not kept while the
        # job waits.
        self.to_come[job] = replace(answer, attempts=())

    def _start_due(self, state):
        due = [job for job, booked in self.to_come.items() if booked.start <= state.now]
        for job in due:
            booked = self.to_come.pop(job)
            state.start(job, booked.allocation)
            if self.policy.release_early:
                self.running[job] = booked
        if self.to_come:
            state.wake(min(booked.start for booked in self.to_come.values()))
