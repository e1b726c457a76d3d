"""Verification of a schedule of `Online`: attempts, promised starts, rejections and servers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.calendar import search
from coalloc_lib.calendar.periods import FIRST_FOUND
from coalloc_lib.model.placement import WorstFit, clusters_used, is_of_library
from coalloc_lib.schedules.reading import booked_end, booked_length, lengths_on
from coalloc_lib.schedules.verification.faults import ScheduleError, promise_in_words, raise_first


class _IdlePeriods(NamedTuple):
    """Idle periods of servers: the begin, the end, the server and its cluster, for each period."""

    begin: NDArray[np.float64]
    end: NDArray[np.float64]
    server: NDArray[np.int64]
    cluster: NDArray[np.int64]

    def chosen(self, which: NDArray) -> "_IdlePeriods":
        """Return the periods that an index array or a mask chooses."""
        return _IdlePeriods(*(column[which] for column in self))

    def lasting(self, length: float) -> "_IdlePeriods":
        """Return the periods of at least this length."""
        return self.chosen(self.begin + length <= self.end)

    def around(self, start: float, length: float) -> "_IdlePeriods":
        """Return the periods that contain the time of this length from `start` on."""
        return self.chosen((self.begin <= start) & (self.end >= start + length))

    def counts(self, starts: NDArray[np.float64], length: float, clusters: int) -> NDArray:
        """Return the number of servers that are idle for `length` from each start.

        It is the number of periods that have begun minus the number of periods that end too soon.
        Only periods of at least this length are counted. The shape is (starts, clusters).
        """
        lasting = self.lasting(length)
        table = []
        for cluster in range(clusters):
            here = lasting.cluster == cluster
            begun = np.searchsorted(np.sort(lasting.begin[here]), starts, side="right")
            ended = np.searchsorted(np.sort(lasting.end[here]), starts + length, side="left")
            table.append(begun - ended)
        return np.transpose(table)


def check_terms(schedule: Any) -> None:
    """Raise a `ScheduleError` for the first job whose booking breaks a rule of `Online`.

    These rules concern each job alone. `check_bookings` compares the bookings of different jobs.
    """
    for check in (_check_attempts, _check_starts, _check_rejections, _check_servers):
        check(schedule)


def _check_attempts(schedule: Any) -> None:
    """Check the number of attempts of every job, and that served jobs start at the last one."""
    if schedule.attempts is None or schedule.servers is None:
        raise ScheduleError("the schedule does not contain the attempts and servers of its jobs")
    policy, served, attempts = schedule.scheduling, schedule.served, schedule.attempts
    start = schedule.jobs.earliest_start + (attempts - 1) * policy.step
    bad = served & (schedule.start != start)
    message = "its accepted attempt, attempt {}, is at {:.12g}"
    raise_first(bad, schedule, lambda job: message.format(attempts[job], start[job]))
    bad = (attempts < served) | (attempts > policy.most_attempts)
    if bad.any():
        job = int(bad.argmax())
        least, most = int(served[job]), policy.most_attempts
        raise ScheduleError(
            f"has {attempts[job]} attempts, but there must be {least} to {most}", job
        )


def _check_starts(schedule: Any) -> None:
    """Check that jobs start when promised and within their limits, and end before the horizon."""
    promised, latest = schedule.promised, schedule.jobs.latest_start
    start, until, end = schedule.start, _horizon(schedule), booked_end(schedule)
    wrong, late = schedule.served & (start != promised), start > latest
    moved = "starts at another instant than promised: it was promised {}"
    beyond = "is booked until {:.12g}, beyond the horizon, which ended at {:.12g}"
    raise_first(wrong, schedule, lambda job: moved.format(promise_in_words(promised[job])))
    raise_first(late, schedule, lambda job: f"starts after its latest start, {latest[job]:.12g}")
    raise_first(end > until, schedule, lambda job: beyond.format(end[job], until[job]))


def _check_rejections(schedule: Any) -> None:
    """Check that every rejected job was rejected at its submission and for the right reason."""
    jobs, policy, horizon = schedule.jobs, schedule.scheduling, _horizon(schedule)
    lengths = booked_length(schedule, np.ones(len(jobs), int))
    for job in sorted(schedule.refused):
        tried, until, latest = int(schedule.attempts[job]), horizon[job], jobs.latest_start[job]
        length, earliest = lengths[job], jobs.earliest_start[job]
        last, following = (earliest + k * policy.step for k in (tried - 1, tried))
        ends = {
            search.NO_ROOM: tried == policy.most_attempts,
            search.NO_LENGTH: search.is_lost(length, following),
            search.PAST_LATEST: following > latest,
            search.BEYOND_HORIZON: following + length > until,
        }
        reason = next((reason for reason, is_it in ends.items() if is_it), "nothing")
        untimely = search.is_lost(length, last) or last > latest or last + length > until
        (instant, why), submit = schedule.refused[job], jobs.submit[job]
        if why != reason or instant != submit or (tried and untimely):
            raise ScheduleError(
                f"was rejected at {instant:.12g} for {why!r} after {tried} attempts; it should be "
                f"rejected at its submission, at {submit:.12g}, for the reason that ended its "
                f"attempts: {reason!r}",
                job,
            )


def _check_servers(schedule: Any) -> None:
    """Check that the servers of every job are different and make up its allocation."""
    servers, sizes = schedule.servers, schedule.system.as_array()
    job = np.repeat(np.arange(len(servers)), np.diff(servers.first))
    inside = (servers.ids >= 0) & (servers.ids < sizes.sum())
    cluster = _clusters_of(schedule, servers.ids)
    held = np.zeros(schedule.allocation.shape, dtype=np.int64)
    np.add.at(held, (job[inside], cluster[inside]), 1)
    bad = (held != schedule.allocation).any(axis=1)
    bad[job[~inside]] = True
    bad[job[1:][(np.diff(servers.ids) <= 0) & (np.diff(job) == 0)]] = True
    message, rows = "has the servers {}, but its allocation is {}", schedule.allocation
    raise_first(
        bad, schedule, lambda job: message.format(servers[job].tolist(), rows[job].tolist())
    )


def check_bookings(schedule: Any) -> None:
    """Raise a `ScheduleError` for the first job whose booking does not fit the earlier bookings.

    A server may not be booked twice at the same time, and each job must have the first attempt with
    room and the servers that the rule of the policy chooses. Attempts and servers are not checked
    for a placement that is not part of the library, because it may give another answer this time.

    Notes
    -----
    The jobs are taken in the order of their submissions, and their bookings are read from the
    schedule. The arrays `owner` and `server` hold the bookings so far, ordered by server and then
    by time. The first booking of each server belongs to an imaginary job -1 that ended at 0. After
    booking i, its server is idle from ``since[i]`` to ``until[i]``, when its next booking begins.
    """
    jobs, policy = schedule.jobs, schedule.scheduling
    places_alike = is_of_library(schedule.placement)
    sizes, end = schedule.system.as_array(), booked_end(schedule)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    lengths = lengths_on(schedule).tolist()
    # The last entry of each array belongs to job -1.
    begin, end, leaves = (np.append(column, 0.0) for column in (schedule.start, end, schedule.end))
    owner, server = np.full(len(cluster), -1), np.arange(len(cluster))
    for job in np.argsort(jobs.submit, kind="stable").tolist():
        now, start, since = jobs.submit[job], begin[job], end[owner]
        its_servers = schedule.servers[job]
        if policy.release_early:
            # A job that runs for no time leaves after the arrivals of its instant.
            left = leaves[owner]
            has_left = (left < now) | ((left == now) & (begin[owner] < left))
            since = np.where(has_left, left, since)
        follows = server[1:] == server[:-1]
        until = np.append(np.where(follows, begin[owner[1:]], np.inf), np.inf)
        ahead = until > now
        owner, server, since, until = (row[ahead] for row in (owner, server, since, until))
        holds_job = np.zeros(len(cluster), dtype=bool)
        holds_job[its_servers] = True
        holds = np.flatnonzero(holds_job[server] & (since <= start) & (end[job] <= until))
        if len(holds) < len(its_servers):
            clash = holds_job[server] & (begin[owner] < end[job]) & (since > start)
            message = f"server {server[clash][0]} is already booked for {{other}}"
            raise ScheduleError(message, job, start, int(owner[clash][0]))
        if places_alike:
            idle = _IdlePeriods(since, until, server, cluster[server])
            _check_choice(schedule, job, lengths[job], idle)
        owner, server = np.insert(owner, holds + 1, job), np.insert(server, holds + 1, its_servers)


def _check_choice(schedule: Any, job: int, lengths: list[float], idle: _IdlePeriods) -> None:
    """Check that a job has the first attempt with room, and the servers that the rule chooses.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    job : int
        The position of the job.
    lengths : list of float
        The expected length of the job on 1, 2, ... clusters.
    idle : _IdlePeriods
        The idle periods when the job was submitted.
    """
    jobs, policy = schedule.jobs, schedule.scheduling
    idle = idle.lasting(lengths[0])
    tried, served = int(schedule.attempts[job]), job not in schedule.refused
    starts = jobs.earliest_start[job] + np.arange(tried) * policy.step
    first, allocation, length = _first_attempt(schedule, job, lengths, starts, idle)
    if first != (tried - 1 if served else tried):
        has = f"starts at attempt {tried}" if served else f"was rejected after {tried} attempts"
        room = f"was room at attempt {first + 1}" if first < tried else "was no room at this one"
        raise ScheduleError(f"{has}, but there {room}", job)
    if served and policy.rule != FIRST_FOUND:
        _check_rule(schedule, job, starts[-1], allocation, idle.around(starts[-1], length))


def _check_rule(
    schedule: Any, job: int, start: float, allocation: Sequence[int], idle: _IdlePeriods
) -> None:
    """Check that a job has those servers that the rule chooses among the idle periods that fit."""
    rule, its_servers = schedule.scheduling.rule, schedule.servers[job]
    its_clusters = _clusters_of(schedule, its_servers)
    gap = idle.end - idle.begin if rule == "best-fit" else np.zeros(len(idle.server))
    idle = idle.chosen(np.lexsort((idle.server, -idle.begin, gap)))
    for cluster, wanted in enumerate(allocation):
        right = np.sort(idle.server[idle.cluster == cluster][:wanted]).tolist()
        given = its_servers[its_clusters == cluster].tolist()
        if right != given:
            raise ScheduleError(
                f"has the servers {given} of cluster {cluster}, but the rule {rule} chooses "
                f"{right}",
                job,
                start,
            )


def _first_attempt(
    schedule: Any,
    job: int,
    lengths: list[float],
    starts: NDArray[np.float64],
    idle: _IdlePeriods,
) -> tuple[int, Any, float]:
    """Return the position in `starts` of the first start with room, its allocation and length.

    If no start has room, the position is the number of starts, and the allocation is None. The
    other arguments are those of `_check_choice`.
    """
    jobs, place = schedule.jobs, (schedule.placement or WorstFit()).place
    clusters, alone = len(schedule.system), lengths[0]
    until = schedule.scheduling.horizon_end(float(jobs.submit[job]))
    components = tuple(jobs.components[job].tolist())
    counts = idle.counts(starts, alone, clusters)
    for attempt in np.flatnonzero(counts.sum(axis=1) >= sum(components)).tolist():
        length, room = alone, counts[attempt].tolist()
        while starts[attempt] + length <= until:
            allocation = place(components, jobs.request, room)
            if allocation is None:
                break
            needed = lengths[clusters_used(allocation) - 1]
            if needed <= length:
                return attempt, allocation, needed
            length, room = needed, idle.counts(starts[[attempt]], needed, clusters)[0].tolist()
    return len(starts), None, 0.0


def _clusters_of(schedule: Any, servers: NDArray) -> NDArray[np.int64]:
    """Return the cluster of each server; servers are counted cluster by cluster."""
    return np.searchsorted(np.cumsum(schedule.system.sizes), servers, side="right")


def _horizon(schedule: Any) -> NDArray[np.float64]:
    """Return the instant until which each job could be booked at its submission, shape (n,)."""
    return np.array([*map(schedule.scheduling.horizon_end, schedule.jobs.submit.tolist())])
