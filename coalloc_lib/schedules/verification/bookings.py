"""The rules of online scheduling, as checks of a finished schedule."""

from typing import Any

import numpy as np

from coalloc_lib.calendar import search
from coalloc_lib.calendar.periods import FIRST_FOUND
from coalloc_lib.model.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    LeastLoaded,
    RandomFit,
    SingleThenSpan,
    WorstFit,
)
from coalloc_lib.schedules.reading import booked_end, booked_length, lengths_on
from coalloc_lib.schedules.verification.faults import ScheduleError, refuse

#: The placements of the library that choose an order of the clusters.
_KNOWN = (FirstFit, WorstFit, BestFit, LeastLoaded, RandomFit)


def is_known(placement: Any) -> bool:
    """Whether a placement is one of the library's, which always give the same answer."""
    if isinstance(placement, HomeSite):
        return type(placement) is HomeSite and is_known(placement.rule)
    if isinstance(placement, SingleThenSpan):
        return type(placement) is SingleThenSpan and is_known(placement.single)
    return placement is None or type(placement) in _KNOWN


def check_terms(schedule: Any) -> None:
    """Raise for the first job that is not served, or rejected, on the terms of `Online`."""
    for check in (_attempts, _in_time, _refusals, _on_servers):
        check(schedule)


def _attempts(schedule):
    """Every job starts at the attempt that was accepted; a refused one has its attempts too."""
    if schedule.attempts is None or schedule.servers is None:
        raise ScheduleError("the schedule does not tell the attempts and the servers of its jobs")
    policy, served, attempts = schedule.scheduling, schedule.served, schedule.attempts
    start = schedule.jobs.earliest_start + (attempts - 1) * policy.step
    bad = served & (schedule.start != start)
    refuse(bad, schedule, lambda job: f"attempt {attempts[job]} is at {start[job]:.12g}")
    bad = (attempts < served) | (attempts > policy.most_attempts)
    if bad.any():
        job = int(bad.argmax())
        raise ScheduleError(
            f"has {attempts[job]} attempts, and at most {policy.most_attempts} are made", job
        )


def _in_time(schedule):
    """Every job starts when it was promised, no later than it asked, and ends by the horizon."""
    promised, latest = schedule.promised, schedule.jobs.latest_start
    start, until, end = schedule.start, _horizon(schedule), booked_end(schedule)
    wrong, beyond = start != promised, "is booked until {:.12g}, beyond the horizon, which ended at"
    refuse(wrong & schedule.served, schedule, lambda job: f"was promised {promised[job]:.12g}")
    late = start > latest
    refuse(late, schedule, lambda job: f"starts after its latest start, {latest[job]:.12g}")
    refuse(end > until, schedule, lambda job: f"{beyond.format(end[job])} {until[job]:.12g}")


def _refusals(schedule):
    """Every refused job was told, when it was submitted, what ended its attempts."""
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
                f"was refused at {instant:.12g} for {why!r} after {tried} attempts; it is told at "
                f"its submission, at {submit:.12g}, what ended these: {reason!r}",
                job,
            )


def _on_servers(schedule):
    """Every job has as many servers of each cluster as processors, each of them once."""
    servers, sizes = schedule.servers, schedule.system.as_array()
    job = np.repeat(np.arange(len(servers)), np.diff(servers.first))
    inside = (servers.ids >= 0) & (servers.ids < sizes.sum())
    cluster = np.searchsorted(np.cumsum(sizes), servers.ids, side="right")
    held = np.zeros(schedule.allocation.shape, dtype=np.int64)
    np.add.at(held, (job[inside], cluster[inside]), 1)
    bad = (held != schedule.allocation).any(axis=1)
    bad[job[~inside]] = True
    bad[job[1:][(np.diff(servers.ids) <= 0) & (np.diff(job) == 0)]] = True
    message, rows = "has servers {} for {} processors of each cluster", schedule.allocation
    refuse(bad, schedule, lambda job: message.format(servers[job].tolist(), rows[job].tolist()))


def check_bookings(schedule: Any) -> None:
    """Raise if a server is booked twice, or a job has another attempt or servers than it gets."""
    # What was booked before a job came is read from the schedule. A placement of the user may
    # answer differently the second time, so attempts and servers are then not checked.
    jobs, policy, places_alike = schedule.jobs, schedule.scheduling, is_known(schedule.placement)
    sizes, end = schedule.system.as_array(), booked_end(schedule)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    lengths = lengths_on(schedule).tolist()
    # Bookings in order of their servers, and on each in order of time: first that of job -1, until
    # 0. After each its server is idle `since` then, `until` the next begins.
    begin, end, leaves = (np.append(column, 0.0) for column in (schedule.start, end, schedule.end))
    owner, server = np.full(len(cluster), -1), np.arange(len(cluster))
    for job in np.argsort(jobs.submit, kind="stable").tolist():
        now, start, since = jobs.submit[job], begin[job], end[owner]
        its_servers = schedule.servers[job]
        if policy.release_early:
            # What runs for no time leaves after the arrivals of its instant.
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
            message = f"server {server[clash][0]} is booked for {{other}}"
            raise ScheduleError(message, job, start, int(owner[clash][0]))
        if places_alike:
            _first_room(schedule, job, lengths[job], (since, until, server), cluster)
        owner, server = np.insert(owner, holds + 1, job), np.insert(server, holds + 1, its_servers)


def _first_room(schedule, job, lengths, periods, cluster):
    """Check that a job has the first attempt with room, and the servers that the rule chooses."""
    jobs, policy = schedule.jobs, schedule.scheduling
    enough = periods[0] + lengths[0] <= periods[1]
    periods = [column[enough] for column in periods]
    tried, served = int(schedule.attempts[job]), job not in schedule.refused
    starts = jobs.earliest_start[job] + np.arange(tried) * policy.step
    first, allocation, length = _first_attempt(schedule, job, lengths, starts, periods, cluster)
    if first != (tried - 1 if served else tried):
        room = f"was room at attempt {first + 1}" if first < tried else "was no room at it"
        refused = "" if served else "and was refused, "
        raise ScheduleError(f"has attempt {tried}, {refused}but there {room}", job)
    if not served or policy.rule == FIRST_FOUND:
        return
    start, its_servers = starts[-1], schedule.servers[job]
    fits = (periods[0] <= start) & (periods[1] >= start + length)
    since, until, server = (column[fits] for column in periods)
    gap = until - since if policy.rule == "best-fit" else np.zeros(len(server))
    order = np.lexsort((server, -since, gap))
    for number, wanted in enumerate(allocation):
        chosen = np.sort(server[order][cluster[server[order]] == number][:wanted]).tolist()
        given = its_servers[cluster[its_servers] == number].tolist()
        if chosen != given:
            raise ScheduleError(
                f"has servers {given} of cluster {number}, by the rule {policy.rule} these are "
                f"{chosen}",
                job,
                start,
            )


def _first_attempt(schedule, job, lengths, starts, periods, cluster):
    """Return the number of the first start with room, the allocation, and the length there."""
    jobs, place = schedule.jobs, (schedule.placement or WorstFit()).place
    alone = lengths[0]
    until = schedule.scheduling.horizon_end(float(jobs.submit[job]))
    components = tuple(jobs.components[job].tolist())
    number_of = cluster[periods[2]]

    def count(starts, length):
        """Of periods that are long enough, those that have begun less those that end too soon."""
        table = []
        for number in range(len(schedule.system)):
            enough = (number_of == number) & (periods[0] + length <= periods[1])
            begun = np.searchsorted(np.sort(periods[0][enough]), starts, side="right")
            ended = np.searchsorted(np.sort(periods[1][enough]), starts + length, side="left")
            table.append(begun - ended)
        return np.transpose(table)

    counts = count(starts, alone)
    for attempt in np.flatnonzero(counts.sum(axis=1) >= sum(components)).tolist():
        length, room = alone, counts[attempt].tolist()
        while starts[attempt] + length <= until:
            allocation = place(components, jobs.request, room)
            if allocation is None:
                break
            needed = lengths[sum(map(bool, allocation)) - 1]
            if needed <= length:
                return attempt, allocation, needed
            length, room = needed, count(starts[[attempt]], needed)[0].tolist()
    return len(starts), None, 0.0


def _horizon(schedule):
    """Return until when each job could be booked, shape (n,)."""
    return np.array([*map(schedule.scheduling.horizon_end, schedule.jobs.submit.tolist())])
