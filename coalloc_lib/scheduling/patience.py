"""Waiting for one cluster up to a time, before a job spans several."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, cast

from coalloc_lib.checks import InputError, float_of, instance_of, kind_of, shown
from coalloc_lib.scheduling.base import Job, Scheduling, State, spans
from coalloc_lib.system import Multicluster


@dataclass(frozen=True)
class Patient(Scheduling):
    """Another policy, under which a job waits for one cluster for a while before it spans several.

    Parameters
    ----------
    policy : Scheduling
    up_to : float
        T, a time. With 0 it is `policy` itself; with infinity a job never spans that could have run
        on one cluster.

    Notes
    -----
    For a time T after its submission a job is *patient*: it starts only where the placement has it
    on one cluster. A job that the placement would spread over an empty system too has nothing to
    wait for, and is never patient. At ``submit + T``, that very instant included, patience is over.

    All else is up to `policy`, which is called when a patience ends, too. Whatever it plans for a
    patient job is on one cluster: under EASY, a head that is still patient holds a promise of one
    cluster, and others may take what it could span until then. Once its patience is over the
    promise is worked out anew, with all that it may span; one cluster still counts, so it moves
    forward or stays. Conservative backfilling looks for an earlier start when a job ends, and
    so only then for one that spans.

    It runs with ``engine="reference"``.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 0, 0], runtime=[9, 8, 2], components=[[3], [3], [2]])
    >>> for up_to in (0, 5, 100):
    ...     policy = co.Patient(co.FCFS(), up_to)
    ...     how = {"scheduling": policy, "engine": "reference"}
    ...     run = co.sites.multi_site(co.Multicluster([4, 4]), jobs, 0.5, **how)
    ...     print(run.start[2], run.end[2])
    0.0 3.0
    5.0 8.0
    8.0 10.0
    """

    policy: Scheduling
    up_to: float

    def __post_init__(self) -> None:
        """Check the policy and the time."""
        instance_of("policy", self.policy, Scheduling, "a policy, such as EASY()")
        if self.policy.takes_reservations:
            raise InputError(
                f"policy = {self.policy} books each job when it is submitted, so that it has "
                "nothing to wait for; give one that lets jobs wait, such as EASY()"
            )
        time = float_of(self.up_to) if kind_of(type(self.up_to)) == "numbers" else nan
        if not time >= 0:
            raise InputError(f"up_to = {shown(self.up_to)}; give a time of 0 or more, or infinity")
        object.__setattr__(self, "up_to", time)

    def begin(self, system: Multicluster) -> "_Waiting":
        """Return what decides in one run."""
        return _Waiting(self.policy.begin(system), system, self.up_to)


class _Waiting:
    """The policy of one run, which is shown patient jobs as if they could not span."""

    def __init__(self, policy: Any, system: Multicluster, up_to: float) -> None:
        self.policy, self.sizes, self.up_to = policy, system.sizes, up_to
        self.called_at = -1.0
        self.could_wait: dict[Job, bool] = {}

    def start_jobs(self, state: State) -> None:
        """Let the policy start jobs, and be called when the next patience ends."""
        self.policy.start_jobs(cast(State, _Seen(state, self)))
        ends = (job.submit + self.up_to for job in state.queue)  # rising, as submissions are
        soonest = next((end for end in ends if end > state.now), inf)
        if self.called_at < soonest < inf:
            self.called_at = soonest
            state.wake(soonest)

    def is_patient(self, job: Job, state: State) -> bool:
        """Whether a job waits for one cluster now, since it will find one."""
        if state.now >= job.submit + self.up_to:
            return False
        if job not in self.could_wait:
            alone = state.place(job, self.sizes)
            self.could_wait[job] = alone is not None and not spans(alone)
        return self.could_wait[job]


class _Seen:
    """The state, but that it places no patient job on several clusters."""

    def __init__(self, state: State, waiting: _Waiting) -> None:
        self._state, self._waiting = state, waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)

    def place(self, job: Job, idle: Sequence[int] | None = None) -> Sequence[int] | None:
        """Return the allocation that a job would take."""
        patient = self._waiting.is_patient(job, self._state)
        if patient and max(self._state.idle if idle is None else idle) < job.processors:
            return None  # most are, and asking where they would span takes long
        answer = self._state.place(job, idle)
        return None if patient and answer is not None and spans(answer) else answer

    def start(self, job: Job, allocation: Sequence[int] | None = None) -> bool:
        """Start a waiting job if it fits where it would go."""
        taken = self.place(job) if allocation is None else allocation
        return taken is not None and self._state.start(job, taken)
