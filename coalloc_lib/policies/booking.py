"""Online scheduling: each job is told at its submission when and on which servers it will run."""

from dataclasses import dataclass, replace
from typing import ClassVar

from coalloc_lib.basics.checks import InputError, one_of, shown
from coalloc_lib.calendar.booking import Booking, book
from coalloc_lib.calendar.periods import FIRST_FOUND, RULES, IdlePeriods
from coalloc_lib.calendar.search import BookingRules
from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies.base import Job, Scheduling, State

#: What the servers of a job can be chosen by.
CHOICES = (*RULES, FIRST_FOUND)


@dataclass(frozen=True)
class Online(BookingRules, Scheduling):
    """Online co-allocation: a job is booked when it is submitted, or refused at once.

    Parameters
    ----------
    slot : float
        The horizon moves on by whole slots of this length. As `step` and `horizon`, in the unit of
        the jobs; the defaults are 15 minutes and four weeks in seconds.
    step : float
        Time from one attempt to the next.
    max_attempts : int, optional
        Attempts in all; half the number of slots where it is not given, as in the paper.
    horizon : float
        How far ahead reservations may reach: they end by the end of the slot in which it ends.
    min_length : float
        The least length that is booked, also for who runs for less. In the paper that is its slot,
        'the minimum temporal size of reservation requests'.
    rule : {"latest-start", "best-fit", "first-found"}
        Which of the idle servers of a cluster are taken: those whose idle period started last, in
        which order the paper's search comes to its candidates; those that leave the least idle time
        around the job; or those that the search on its trees comes to first, which depends on their
        shape (one cluster, readable engine only, and slow: slots of some hours are bearable).
    release_early : bool
        Whether servers are idle again when a job ends early. In the paper they stay reserved.

    Notes
    -----
    Processors are numbered *servers* here, cluster by cluster, each with its reservations. A job is
    tried at its earliest start (its submission where it asks for no later one), then a step later,
    and so on. It is accepted at the first attempt at which enough servers, in clusters as the
    placement says, have no reservation over the whole length that it is expected to run: its
    estimate, or its run time where that is longer, times ``1 + span_penalty`` where it spans, and
    `min_length` at least. It is refused where its next attempt comes after its latest start, would
    end beyond the horizon, or would be one too many. What is booked stays: no job waits for another
    or is delayed by what comes after it, and later jobs pass earlier ones where there is room.

    At one instant servers come free first, then jobs are booked in order of submission. With
    `release_early`, a job that runs for no time starts after the bookings of its instant, and so
    frees its servers after them.

    References
    ----------
    Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed Environments
    (2009), sections 2 and 4.2.
    """

    takes_reservations: ClassVar[bool] = True
    takes_backlog: ClassVar[bool] = False
    uses_estimates: ClassVar[bool] = True
    promises_all: ClassVar[bool] = True
    rule: str = "latest-start"
    release_early: bool = False

    def __post_init__(self) -> None:
        """Check the rule and every number."""
        super().__post_init__()
        one_of("rule", self.rule, CHOICES)
        if not isinstance(self.release_early, bool):
            raise InputError(f"release_early = {shown(self.release_early)}; give True or False")

    def begin(self, system: Multicluster) -> "_Bookings":
        """Return the booking desk of one run, which keeps the calendar."""
        if self.rule == FIRST_FOUND:
            return _Bookings(self, SlotTrees(system.sizes, self.slot, self.slots))
        return _Bookings(self, IdlePeriods(system.sizes))


class _Bookings:
    """The bookings of one run: those of jobs that have not started, and those of running jobs."""

    def __init__(self, policy: Online, idle: IdlePeriods) -> None:
        self.policy, self.idle = policy, idle
        self.to_come: dict[Job, Booking] = {}
        self.running: dict[Job, Booking] = {}

    def start_jobs(self, state: State) -> None:
        """Free what has ended, book the arrivals, and start what is due."""
        self.idle.advance(state.now)
        if self.policy.release_early:
            self._release(state)
        for job in state.queue:
            if job not in self.to_come:
                self._book(job, state)
        self._start_due(state)

    def _release(self, state):
        """Free the servers of jobs that ended earlier than they were expected to."""
        ended = self.running.keys() - {*state.running}
        for job in sorted(ended, key=lambda job: job.number):
            booked = self.running.pop(job)
            if state.now < booked.end:
                for server in booked.servers:
                    self.idle.give_back(server, state.now, booked.end)

    def _book(self, job, state):
        """Reserve servers for a job, or refuse the job."""
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
        # A job can have thousands of attempts, and nobody reads them while it waits.
        self.to_come[job] = replace(answer, attempts=())

    def _start_due(self, state):
        """Start the jobs whose instant has come, and ask to be called at the next one."""
        due = [job for job, booked in self.to_come.items() if booked.start <= state.now]
        for job in due:
            booked = self.to_come.pop(job)
            state.start(job, booked.allocation)
            if self.policy.release_early:
                self.running[job] = booked
        if self.to_come:
            state.wake(min(booked.start for booked in self.to_come.values()))
