"""What waits, what idles meanwhile, and why: questions to a finished schedule."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import Placement, may_stay_whole
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.verification import fits_by, idle_after

#: Systems of more clusters than this are told of by their emptiest ones.
_MOST_TOLD = 4
_NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, eq=False)
class Idling:
    """Processor-time that is idle while a job waits, from the first submission on.

    Attributes
    ----------
    instants : ndarray, shape (m,)
        All at which a job was submitted, started, ended or was refused.
    area : ndarray, shape (m,)
        Processors times time, up to each of them; it is linear in between.
    processors : int
        Of all clusters together.
    """

    instants: NDArray[np.float64]
    area: NDArray[np.float64]
    processors: int

    def share(self, until: ArrayLike) -> NDArray[np.float64]:
        """Return the share of all processor-time that was idle while a job waited, so far.

        Notes
        -----
        The area up to each instant over processors times the time since the first submission; NaN
        up to that. Where the queue is never empty, it is one less the utilization, and tends to
        the capacity loss.
        """
        until = np.asarray(until, dtype=float)
        passed = until - self.instants[0]
        done = np.interp(until, self.instants, self.area)
        whole = np.where(passed > 0, passed, np.nan) * self.processors
        return done / whole


def left_queue(schedule: Schedule) -> NDArray[np.float64]:
    """Return when each job left the queue, by its start or because it was refused, shape (n,)."""
    left = schedule.start.copy()
    for job, refusal in schedule.refused.items():
        left[job] = refusal.instant
    return left


def instants_of(schedule: Schedule) -> NDArray[np.float64]:
    """Return every instant at which a job was submitted, left the queue or ended, in order."""
    ends = schedule.end[schedule.served]
    return np.unique(np.concatenate([schedule.jobs.submit, left_queue(schedule), ends]))


def idle_while_waiting(schedule: Schedule) -> Idling:
    """Return how much processor-time was idle while a job waited: what the queue could not use.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 0], runtime=[5, 5], components=[3, 2], request="total")
    >>> idle_while_waiting(co.simulate(co.Multicluster([4]), jobs)).share([5, 10]).tolist()
    [0.25, 0.125]
    """
    instants = instants_of(schedule)
    idle = idle_after(schedule, instants).sum(axis=1)
    waits = schedule.queue_length(instants) > 0
    area = np.cumsum((idle * waits)[:-1] * np.diff(instants))
    return Idling(instants, np.append(0.0, area), schedule.system.processors)


def heads(schedule: Schedule, instants: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the job that heads the queue just after each instant; -1 where none waits."""
    order = np.argsort(schedule.jobs.submit, kind="stable")
    submit = schedule.jobs.submit[order]
    all_before = np.maximum.accumulate(left_queue(schedule)[order])
    first = np.searchsorted(all_before, instants, side="right")
    waits = first < np.searchsorted(submit, instants, side="right")
    return np.where(waits, order[np.minimum(first, len(order) - 1)], -1)


def why_waiting(
    schedule: Schedule, jobs: ArrayLike, instants: ArrayLike, past: bool = False
) -> list[str]:
    """Say why jobs wait, as far as a schedule shows it.

    Parameters
    ----------
    jobs, instants : array_like, shape (m,)
        Each job waits just after the instant beside it.
    past : bool
        Say it in the past tense.

    Returns
    -------
    list of str
        Where a job does not fit, what it needs and what is idle; under FCFS only of the head of the
        queue, since all others wait behind it, fit or not. Clusters are counted from 1, and jobs
        bear the numbers of their stream.

    Raises
    ------
    InputError
        A job does not wait at its instant.
    """
    jobs, instants = np.asarray(jobs, dtype=np.int64), np.asarray(instants, dtype=float)
    submit, left = schedule.jobs.submit[jobs], left_queue(schedule)[jobs]
    bad = np.flatnonzero(~((submit <= instants) & (instants < left)))
    if len(bad):
        raise InputError(
            f"job {jobs[bad[0]]} does not wait at {instants[bad[0]]:.12g}; give instants from its "
            "submission to its start"
        )
    idle = idle_after(schedule, instants)
    stream = schedule.jobs
    fitting = fits_by(schedule.placement, stream.request, stream.components[jobs], idle)
    rows = zip(jobs, heads(schedule, instants), fitting, idle, strict=True)
    return [_reason(schedule, *row, past) for row in rows]


def _reason(schedule, job, head, fitting, idle, past):
    policy, number = schedule.scheduling, schedule.jobs.number[head]
    in_turn = type(policy) is FCFS or (type(policy) is FPFS and policy.max_jumps == 0)
    behind = f"{'waited' if past else 'waits'} behind job {number}"
    if not fitting:
        return behind if in_turn and job != head else _lacks(schedule, job, idle, past)
    would = "would have fitted" if past else "would fit"
    if job == head and type(policy) in (FCFS, FPFS):  # only a placement of one's own refuses then
        return f"{would}, but {schedule.placement} {'did' if past else 'does'} not place it"
    if in_turn:
        return f"{would}, but {behind}"
    if type(policy) is FPFS and _is_ours(schedule.placement):
        times = "once" if policy.max_jumps == 1 else f"{policy.max_jumps} times"
        had, allowed = ("had", "was") if past else ("has", "is")
        return (
            f"{would}, but job {number} {had} been overtaken {times}, as often as {allowed} allowed"
        )
    return f"{would}, but {policy} {'let' if past else 'lets'} it wait"


def _is_ours(placement):
    """Whether a placement places every job that fits, as those of this library do."""
    return placement is None or type(placement).__module__ == Placement.__module__


def _lacks(schedule, job, idle, past):
    """Say what a job needs that is not idle."""
    jobs, wanted = schedule.jobs, asked(schedule.jobs, job)
    needs, are = ("needed", "were") if past else ("needs", "are")
    if jobs.request == "ordered":
        short = [(size, c) for c, size in enumerate(wanted) if size > idle[c]]
        parts = [
            f"{size} on cluster {c + 1}, where {_are(idle[c], past)} idle" for size, c in short
        ]
        return f"{needs} {listed(parts)}"
    if len(idle) == 1:
        return f"{needs} {sum(wanted)}; {_are(idle[0], past)} idle"
    if jobs.request == "flexible":
        return f"{needs} {wanted[0]} in all; {_are(idle.sum(), past)} idle"
    needed = f"{needs} {_ways(wanted, may_stay_whole(schedule.placement, jobs.request))}"
    if len(idle) <= _MOST_TOLD:
        return f"{needed}; {listed(idle)} {are} idle"
    most = np.sort(idle)[::-1][: len(wanted)]
    return f"{needed}; the emptiest {_has(past)} {listed(most)} idle"


def asked(jobs: JobStream, job: int) -> list[int]:
    """Return the processors that a job asks for: its components, or their sum where that counts."""
    if jobs.request in ("flexible", "total"):
        return [int(jobs.processors[job])]
    row = jobs.components[job].tolist()
    return row if jobs.request == "ordered" else [size for size in row if size]


def asks(jobs: JobStream, job: int, placement: Placement | None = None) -> str:
    """Say what a job asks for.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0], runtime=[1], components=[[4, 1]])
    >>> asks(jobs, 0)
    '4 and 1 on two clusters'
    >>> asks(jobs, 0, co.SingleThenSpan())
    '5 on one cluster, or 4 and 1 on two clusters'
    """
    wanted = asked(jobs, job)
    if jobs.request == "ordered":
        return listed([f"{size} on cluster {c + 1}" for c, size in enumerate(wanted) if size])
    if jobs.request == "flexible":
        return f"{wanted[0]} in all, on any clusters"
    return _ways(wanted, may_stay_whole(placement, jobs.request))


def _ways(wanted, whole):
    """Say on how many clusters a job of components, or of one total, can go."""
    if len(wanted) == 1:
        return f"{wanted[0]} on one cluster"
    split = f"{listed(wanted)} on {_numeral(len(wanted))} clusters"
    return f"{sum(wanted)} on one cluster, or {split}" if whole else split


def listed(items: Sequence[object] | NDArray[np.int64]) -> str:
    """Return things as a sentence lists them: '4', '4 and 1', '4, 2 and 1'."""
    words = [str(item) for item in items]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _numeral(count):
    return _NUMERALS[count] if count < len(_NUMERALS) else str(count)


def _are(count, past):
    singular, plural = ("was", "were") if past else ("is", "are")
    return f"{count} {singular if count == 1 else plural}"


def _has(past):
    return "had" if past else "have"
