"""The rules of the model, and the decisions of the policy, as checks of a finished schedule.

`_RULES` hold for every schedule and are checked on arrays. The decisions of a policy are checked by
its own readable definition: in the state that the schedule implies (`decisions`) or, if the policy
remembers something, in a second run (`second_run`). `Online` has checks of its own (`bookings`).
"""

from typing import Any

import numpy as np

from coalloc_lib.basics.checks import whole
from coalloc_lib.calendar.periods import FIRST_FOUND
from coalloc_lib.engines.state import name_of
from coalloc_lib.model.placement import HomeSite, may_stay_whole, time_on_processors
from coalloc_lib.policies import Online
from coalloc_lib.schedules import reading
from coalloc_lib.schedules.reading import booked_end
from coalloc_lib.schedules.verification.bookings import check_bookings, check_terms, is_known
from coalloc_lib.schedules.verification.decisions import check_decisions
from coalloc_lib.schedules.verification.faults import ScheduleError, refuse, told
from coalloc_lib.schedules.verification.second_run import check_second_run

__all__ = ["MOST_JOBS", "ScheduleError", "booked_end", "unchecked", "verify"]

#: The number of jobs up to which the decisions of a policy are checked by default.
MOST_JOBS = 50_000
#: The number of waiting jobs, summed over all instants, up to which a policy without memory is
#: checked by default. It looks at each of them at each instant, which takes about a minute.
MOST_WAITING = 15_000_000


def verify(schedule: Any, most_jobs: int | None = None) -> None:
    """Raise `ScheduleError` at the first rule that `schedule` breaks; see `Schedule.verify`."""
    if most_jobs is not None:
        most_jobs = whole("most_jobs", most_jobs, least=0)
    for rule in _RULES:
        rule(schedule)
    is_online = type(schedule.scheduling) is Online
    if is_online:
        check_terms(schedule)
    else:
        _promises(schedule)
    if _takes_long(schedule) if most_jobs is None else len(schedule) > most_jobs:
        return
    if is_online:
        check_bookings(schedule)
    elif _is_walked(schedule):
        check_decisions(schedule)
    else:  # the policy remembers something
        check_second_run(schedule)


def unchecked(schedule: Any) -> str:
    """Return what `verify` does not check of a schedule, in words; "" if it checks everything."""
    policy, reason = schedule.scheduling, _takes_long(schedule)
    if reason:
        return f"when jobs start and where, {reason}; verify(most_jobs={len(schedule)}) checks it"
    if type(policy) is Online and not is_known(schedule.placement):
        return f"when jobs start and where {type(schedule.placement).__name__} puts them"
    if type(policy) is Online and policy.rule == FIRST_FOUND:
        return "which of the idle servers jobs get, by the rule 'first-found'"
    return ""


def _takes_long(schedule):
    """Return why decisions are not checked by default, or an empty text if they are."""
    count = len(schedule)
    if count > MOST_JOBS:
        return f"which verify() checks for at most {MOST_JOBS:,} jobs, and these are {count:,}"
    if _is_walked(schedule) and schedule.scheduling.overtakes:
        waiting = _waiting(schedule)
        if waiting.sum() > MOST_WAITING:
            return (
                f"because {waiting.mean():,.0f} jobs wait on average, and the check takes minutes"
            )
    return ""


def _is_walked(schedule):
    """Whether the policy has no memory, so that its decisions follow from the schedule."""
    policy = schedule.scheduling
    return type(policy) is not Online and policy.begin(schedule.system) is policy


def _waiting(schedule):
    """Return the number of waiting jobs at each instant at which the policy decides."""
    entered, left = np.sort(schedule.jobs.submit), np.sort(schedule.left_queue)
    instants = np.unique(np.concatenate([entered, schedule.end[schedule.served]]))
    gone = np.searchsorted(left, instants, "left")
    return np.searchsorted(entered, instants, "right") - gone


def _complete(schedule):
    """Every job has its instants, or was refused and has none and no processors."""
    served = schedule.served
    for bad, what in (
        (served & ~np.isfinite(schedule.start), "has no start"),
        (served & ~np.isfinite(schedule.end), "has no end"),
        (~served & ~np.isnan(schedule.start), "was refused and has a start"),
        (~served & ~np.isnan(schedule.end), "was refused and has an end"),
        (~served & schedule.allocation.any(axis=1), "was refused and has processors"),
    ):
        if bad.any():
            raise ScheduleError(what, int(bad.argmax()))
    for job, refusal in schedule.refused.items():
        if not refusal.instant >= schedule.jobs.submit[job]:
            raise ScheduleError(f"was refused at {refusal.instant}, before it came", job)


def _after_submission(schedule):
    submit = schedule.jobs.submit
    bad = schedule.start < submit
    refuse(bad, schedule, lambda job: f"starts before its submission at {submit[job]:.12g}")


def _run_time(schedule):
    jobs, end = schedule.jobs, schedule.end
    length = time_on_processors(jobs.runtime, jobs.span_penalty, schedule.clusters_used)
    bad = schedule.served & (end != schedule.start + length)
    message = "ends at {:.12g}, its time on processors is {:.12g}"
    refuse(bad, schedule, lambda job: message.format(end[job], length[job]))


def _request(schedule):
    """Every job has what it asked for."""
    jobs, allocation = schedule.jobs, schedule.allocation
    is_whole = (allocation > 0).sum(axis=1) == 1
    bad = (allocation < 0).any(axis=1) | (allocation.sum(axis=1) != jobs.processors)
    if jobs.request == "total":
        bad |= ~is_whole
    if isinstance(schedule.placement, HomeSite):
        home = jobs.components[:, 1:]
        bad |= home.any(axis=1) & (home != allocation).any(axis=1)
    elif jobs.request in ("ordered", "unordered"):
        wanted, given = reading.side_by_side(jobs.request, jobs.components, allocation)
        whole = is_whole & may_stay_whole(schedule.placement, jobs.request)
        bad |= (wanted != given).any(axis=1) & ~whole
    rows, message = (allocation, jobs.components), f"has {{}} for components {{}} ({jobs.request})"
    bad &= schedule.served
    refuse(bad, schedule, lambda job: message.format(*(row[job].tolist() for row in rows)))


def _capacity(schedule):
    """No cluster is over its size; at one instant departures come before starts."""
    runs = schedule.end > schedule.start
    start, end = schedule.start[runs], schedule.end[runs]
    instants = np.concatenate([end, start])
    order = np.lexsort((np.repeat([0, 1], len(start)), instants))
    for cluster, size in enumerate(schedule.system.sizes):
        took = schedule.allocation[runs, cluster]
        busy = np.cumsum(np.concatenate([-took, took])[order])
        if (busy > size).any():
            event = int((busy > size).argmax())
            job = int(np.flatnonzero(runs)[order[event] % len(start)])
            message = f"cluster {cluster} runs {busy[event]} processors and has {size}"
            raise ScheduleError(message, job, float(instants[order[event]]))
    _capacity_of_moments(schedule, ~runs & schedule.served)


def _capacity_of_moments(schedule, moments):
    """Who runs for no time fits beside those that run from before its instant until after it."""
    jobs, runs = np.flatnonzero(moments), schedule.end > schedule.start
    instants = schedule.start[jobs]
    for cluster, size in enumerate(schedule.system.sizes):
        took = schedule.allocation[runs, cluster]
        begun = reading.total_by(schedule.start[runs], took, instants, "left")
        busy = begun - reading.total_by(schedule.end[runs], took, instants, "right")
        busy += schedule.allocation[jobs, cluster]
        if (busy > size).any():
            worst = int((busy > size).argmax())
            message = f"cluster {cluster} runs {busy[worst]} processors and has {size}"
            raise ScheduleError(message, int(jobs[worst]), float(instants[worst]))


def _promises(schedule):
    """Every job starts within the limits that it asked for, and no later than promised.

    Promised starts may move under a policy that does not promise every job a start.
    """
    jobs, start, promised = schedule.jobs, schedule.start, schedule.promised
    policy, earliest, latest = schedule.scheduling, jobs.earliest_start, jobs.latest_start
    asks, says = jobs.is_reserved, "starts {} its {} start, {:.12g}".format
    if not policy.takes_reservations:
        message = f"asks for a later or a latest start, which {name_of(policy)} does not serve"
        refuse(asks, schedule, lambda _job: message)
    early, late = asks & (start < earliest), asks & (start > latest)
    refuse(early, schedule, lambda job: says("before", "earliest", earliest[job]))
    refuse(late, schedule, lambda job: says("after", "latest", latest[job]))
    if policy.promises_all:
        message = "starts later than promised: it was promised {}"
        refuse(start > promised, schedule, lambda job: message.format(told(promised[job])))


_RULES = (_complete, _after_submission, _run_time, _request, _capacity)
