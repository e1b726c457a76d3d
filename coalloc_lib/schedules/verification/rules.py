"""Rules of the model that hold for every schedule, as checks on arrays."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.engines.outcome import Servers
from coalloc_lib.engines.state import name_of
from coalloc_lib.model.fitting import side_by_side
from coalloc_lib.model.placement import HomeSite, may_stay_whole, time_on_processors
from coalloc_lib.schedules import reading
from coalloc_lib.schedules.verification.faults import ScheduleError, promise_in_words, raise_first

if TYPE_CHECKING:
    from coalloc_lib.schedules.schedule import Schedule


def check_model(schedule: "Schedule") -> None:
    """Raise a `ScheduleError` if a schedule breaks a rule of the model.

    The rules of the model hold under every policy.
    """
    for check in RULES.values():
        check(schedule)
    if schedule.servers is not None:
        _check_servers(schedule, schedule.servers)


def check_limits(schedule: "Schedule") -> None:
    """Check that every job starts within its time limits and not later than promised.

    Promised starts may move under a policy that does not promise every job a start.
    """
    jobs, start, promised = schedule.jobs, schedule.start, schedule.promised
    policy, earliest, latest = schedule.scheduling, jobs.earliest_start, jobs.latest_start
    asks = jobs.is_reserved
    if not policy.takes_reservations:
        message = f"asks for an earliest or latest start, which {name_of(policy)} does not support"
        raise_first(asks, schedule, lambda _job: message)
    early, late = asks & (start < earliest), asks & (start > latest)
    before = "starts before its earliest start, {:.12g}"
    after = "starts after its latest start, {:.12g}"
    raise_first(early, schedule, lambda job: before.format(earliest[job]))
    raise_first(late, schedule, lambda job: after.format(latest[job]))
    if policy.promises_all:
        message = "starts later than promised: it was promised {}"
        raise_first(
            start > promised, schedule, lambda job: message.format(promise_in_words(promised[job]))
        )


def _check_complete(schedule: "Schedule") -> None:
    _check_shapes(schedule)
    served = schedule.served
    for bad, what in (
        (served & ~np.isfinite(schedule.start), "has no start"),
        (served & ~np.isfinite(schedule.end), "has no end"),
        (~served & ~np.isnan(schedule.start), "was rejected but has a start"),
        (~served & ~np.isnan(schedule.end), "was rejected but has an end"),
        (~served & schedule.allocation.any(axis=1), "was rejected but has processors"),
    ):
        if bad.any():
            raise ScheduleError(what, int(bad.argmax()), count=int(bad.sum()))
    for job, refusal in schedule.refused.items():
        if not refusal.instant >= schedule.jobs.submit[job]:
            raise ScheduleError(f"was rejected at {refusal.instant}, before its submission", job)


def _check_shapes(schedule: "Schedule") -> None:
    jobs = len(schedule.jobs)
    shapes = dict.fromkeys(("start", "end", "promised"), (jobs,))
    for name, shape in (shapes | {"allocation": (jobs, len(schedule.system.sizes))}).items():
        given = np.shape(getattr(schedule, name))
        if given != shape:
            raise ScheduleError(f"{name} has the shape {given}; give an array of shape {shape}")


def _check_submissions(schedule: "Schedule") -> None:
    submit = schedule.jobs.submit
    bad = schedule.start < submit
    raise_first(bad, schedule, lambda job: f"starts before its submission at {submit[job]:.12g}")


def _check_run_times(schedule: "Schedule") -> None:
    jobs, end = schedule.jobs, schedule.end
    length = time_on_processors(jobs.runtime, jobs.span_penalty, schedule.clusters_used)
    bad = schedule.served & (end != schedule.start + length)
    message = "ends at {:.12g}, but its time on processors is {:.12g}"
    raise_first(bad, schedule, lambda job: message.format(end[job], length[job]))


def _check_requests(schedule: "Schedule") -> None:
    jobs, allocation = schedule.jobs, schedule.allocation
    is_whole = (allocation > 0).sum(axis=1) == 1
    bad = (allocation < 0).any(axis=1) | (allocation.sum(axis=1) != jobs.processors)
    if jobs.request == "total":
        bad |= ~is_whole
    if isinstance(schedule.placement, HomeSite):
        home = jobs.components[:, 1:]
        bad |= home.any(axis=1) & (home != allocation).any(axis=1)
    elif jobs.request in ("ordered", "unordered"):
        wanted, given = side_by_side(jobs.request, jobs.components, allocation)
        whole = is_whole & may_stay_whole(schedule.placement, jobs.request)
        bad |= (wanted != given).any(axis=1) & ~whole

    def message(job: int) -> str:
        given, wanted = allocation[job].tolist(), jobs.components[job].tolist()
        return f"has the allocation {given} for the components {wanted} ({jobs.request})"

    raise_first(bad & schedule.served, schedule, message)


def _check_capacity(schedule: "Schedule") -> None:
    # At the same instant, departures come before starts.
    runs = schedule.end > schedule.start
    start, end = schedule.start[runs], schedule.end[runs]
    instants = np.concatenate([end, start])
    order = np.lexsort((np.repeat([0, 1], len(start)), instants))
    fault, bad = None, np.zeros(len(start), dtype=bool)
    for cluster, size in enumerate(schedule.system.sizes):
        took = schedule.allocation[runs, cluster]
        busy = np.cumsum(np.concatenate([-took, took])[order])
        # A job that starts on an overfull cluster is at fault even if the cluster was overfull
        # before.
        starts = order[(busy > size) & (order >= len(start))] - len(start)
        bad[starts[took[starts] > 0]] = True
        if fault is None and (busy > size).any():
            event = int((busy > size).argmax())
            job = int(np.flatnonzero(runs)[order[event] % len(start)])
            message = f"cluster {cluster} has {size} processors, but {busy[event]} are in use"
            fault = message, job, float(instants[order[event]])
    if fault is not None:
        raise ScheduleError(*fault, count=max(1, int(bad.sum())))
    _check_capacity_of_instant_jobs(schedule, ~runs & schedule.served)


def _check_servers(schedule: "Schedule", servers: Servers) -> None:
    sizes = schedule.system.as_array()
    counts = np.diff(servers.first)
    job = np.repeat(np.arange(len(servers)), counts)
    inside = (servers.ids >= 0) & (servers.ids < sizes.sum())
    cluster = np.searchsorted(np.cumsum(sizes), servers.ids, side="right")
    listed = np.zeros(schedule.allocation.shape, dtype=np.int64)
    np.add.at(listed, (job[inside], cluster[inside]), 1)
    bad = (listed != schedule.allocation).any(axis=1) & (counts > 0)
    bad[job[~inside]] = True
    bad[job[1:][(np.diff(servers.ids) <= 0) & (np.diff(job) == 0)]] = True
    message, rows = "has the processors {}, but its allocation is {}", schedule.allocation
    raise_first(
        bad, schedule, lambda job: message.format(servers[job].tolist(), rows[job].tolist())
    )


def _check_capacity_of_instant_jobs(schedule: "Schedule", is_instant: NDArray[np.bool_]) -> None:
    jobs, runs = np.flatnonzero(is_instant), schedule.end > schedule.start
    instants = schedule.start[jobs]
    for cluster, size in enumerate(schedule.system.sizes):
        took = schedule.allocation[runs, cluster]
        begun = reading.total_by(schedule.start[runs], took, instants, "left")
        busy = begun - reading.total_by(schedule.end[runs], took, instants, "right")
        busy += schedule.allocation[jobs, cluster]
        if (busy > size).any():
            worst = int((busy > size).argmax())
            message = f"cluster {cluster} has {size} processors, but {busy[worst]} are in use"
            raise ScheduleError(message, int(jobs[worst]), float(instants[worst]))


#: The function that checks each rule of the model, by the kind of the violations that it finds, in
#: the order in which the rules are checked.
RULES: dict[str, Callable[[Any], None]] = {
    "incomplete": _check_complete,
    "submission": _check_submissions,
    "length": _check_run_times,
    "request": _check_requests,
    "capacity": _check_capacity,
}
