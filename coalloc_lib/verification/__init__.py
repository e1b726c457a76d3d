"""The rules of the model, as checks of a finished schedule.

They share no code with an engine but the rules of placement and the definition of how long a job
runs. `_RULES` hold for every schedule, `_RULES_OF` for those of a policy: of that very class, since
one derived from it may do anything.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.calendar.periods import FIRST_FOUND
from coalloc_lib.calendar.search import BEYOND_HORIZON, NO_LENGTH, NO_ROOM, PAST_LATEST
from coalloc_lib.placement import HomeSite, Placement, WorstFit, may_stay_whole, time_on_processors
from coalloc_lib.profile import Profile
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.verification import reading

#: Table entries that are looked at in one go, so that memory stays bounded.
_CHUNK = 4_000_000
#: Relative rounding that is forgiven where an instant is worked out backwards.
SLACK = 1e-9


class ScheduleError(AssertionError):
    """A schedule breaks a rule of the model."""


def verify(schedule: Any) -> None:
    """Raise `ScheduleError` at the first rule that `schedule` breaks; see `Schedule.verify`."""
    for check in (*_RULES, *_RULES_OF.get(type(schedule.scheduling), ())):
        check(schedule)


def _jumped(schedule):
    """Count, for each job, the jobs behind it that started before it while it headed the queue."""
    order = np.argsort(schedule.jobs.submit, kind="stable")
    start, submit, n = schedule.start[order], schedule.jobs.submit[order], len(order)
    instants, rank = np.unique(start, return_inverse=True)
    heads_from = np.maximum(submit, np.append(0, np.maximum.accumulate(start)[:-1]))
    # Starts in order, those at one instant by position. One who heads the queue from an instant on
    # is jumped by those behind it alone; where jobs take no time, an instant has several rounds.
    starts, place = np.sort(rank * n + np.arange(n)), np.arange(n)
    if (schedule.start == schedule.end).any():
        place = place + n
    since = np.searchsorted(instants, heads_from) * n + place
    first = np.searchsorted(starts, since, side="right")
    result = np.empty(n, dtype=np.int64)
    result[order] = np.maximum(np.searchsorted(starts, rank * n) - first, 0)
    return result


def _refuse(bad, schedule, message):
    """Raise for the job at fault that starts the earliest, where there is any."""
    jobs = np.flatnonzero(bad)
    if len(jobs):
        job = jobs[np.argmin(schedule.start[jobs])]
        raise ScheduleError(f"job {job} at {schedule.start[job]:.12g}: {message(job)}")


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
            raise ScheduleError(f"job {int(bad.argmax())} {what}")
    for job, refusal in schedule.refused.items():
        if not refusal.instant >= schedule.jobs.submit[job]:
            raise ScheduleError(f"job {job} was refused at {refusal.instant}, before it came")


def _after_submission(schedule):
    submit = schedule.jobs.submit
    bad = schedule.start < submit
    _refuse(bad, schedule, lambda job: f"starts before its submission at {submit[job]:.12g}")


def _run_time(schedule):
    jobs, end = schedule.jobs, schedule.end
    length = time_on_processors(jobs.runtime, jobs.span_penalty, schedule.spread)
    bad = schedule.served & (end != schedule.start + length)
    message = "ends at {:.12g}, its time on processors is {:.12g}"
    _refuse(bad, schedule, lambda job: message.format(end[job], length[job]))


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
    _refuse(bad, schedule, lambda job: message.format(*(row[job].tolist() for row in rows)))


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
            job = np.flatnonzero(runs)[order[event] % len(start)]
            raise ScheduleError(
                f"job {job} at {instants[order[event]]:.12g}: cluster {cluster} runs "
                f"{busy[event]} processors and has {size}"
            )


def _instant(schedule):
    """Room only comes with a departure: a job that waited starts at one."""
    bad = ~np.isin(schedule.start, np.concatenate([schedule.jobs.submit, schedule.end]))
    bad &= ~schedule.jobs.is_reserved
    _refuse(bad, schedule, lambda job: "starts at an instant at which no job was submitted or left")


def _no_overtaking(schedule):
    """No job is overtaken more often than `max_jumps` allows: never under FCFS."""
    policy = schedule.scheduling
    at_head = getattr(policy, "counted", "waiting") == "head"
    count = _jumped(schedule) if at_head else schedule.overtaken
    limit, message = getattr(policy, "max_jumps", 0), "was overtaken {} times, {} allows {}"
    _refuse(count > limit, schedule, lambda job: message.format(count[job], policy, limit))


def _head(schedule):
    """Once all is done at an instant, the head of the queue does not fit, or waits as it may."""
    instants, heads = reading.waiting_heads(schedule)
    rows = max(_CHUNK // len(schedule.system), 1)
    for chunk in np.array_split(np.arange(len(heads)), 1 + len(heads) // rows):
        jobs, idle = schedule.jobs, reading.idle_after(schedule, instants[chunk])
        fit = reading.fits_by(schedule.placement, jobs.request, jobs.components[heads[chunk]], idle)
        if getattr(schedule.scheduling, "adaptive", False):
            case = schedule, instants[chunk], heads[chunk]
            until = instants[chunk] + _patience(schedule, heads[chunk]) * (1 + SLACK)
            waits = _fits_once_left(*case, until, True, request="total")
            fit &= ~waits | (jobs.processors[heads[chunk]] <= idle.max(axis=1))
        if fit.any():
            instant, head = instants[chunk][fit][0], heads[chunk][fit][0]
            raise ScheduleError(
                f"job {head} at {instant:.12g}: heads the queue and fits, "
                f"but starts only at {schedule.start[head]:.12g}"
            )


def _without_blocks(check):
    """Return a check of schedules without fixed blocks, for which there is `_around_blocks`."""
    return lambda schedule: None if schedule.jobs.has_reservations else check(schedule)


def _around_blocks(schedule):
    """No head starts later than the running jobs, and the blocks told by then, allow it to."""
    if not schedule.jobs.has_reservations:
        return
    jobs, start, end = schedule.jobs, schedule.start, booked_end(schedule)
    place = (schedule.placement or WorstFit()).place
    lengths = _lengths_on(schedule)
    for instant, head in zip(*reading.waiting_heads(schedule, staying=True), strict=True):
        future = Profile(schedule.system.sizes, instant)
        told = jobs.is_reserved & (jobs.submit <= instant) & (start > instant)
        for job in np.flatnonzero((start <= instant) & (schedule.end > instant) | told):
            future.take(max(start[job], instant), end[job], schedule.allocation[job].tolist())
        wanted = _rigid(jobs.components[head].tolist(), lengths[head])
        found = future.earliest(wanted, lambda job, idle: place(job.components, jobs.request, idle))
        if found is not None and found.start < start[head]:
            raise ScheduleError(
                f"job {head} at {start[head]:.12g}: the running jobs and the blocks let it start "
                f"at {found.start:.12g}, as is known at {instant:.12g}"
            )


def _rigid(components, lengths):
    """Return what a `Profile` plans for: a job of these lengths on 1, 2, ... clusters."""
    count = np.count_nonzero
    how = {"expected_length": lambda allocation: lengths[max(count(allocation), 1) - 1]}
    return SimpleNamespace(components=components, **how)


def _blocks(schedule):
    """Who reserves starts when told, as asked, and is refused, at once, where it would be late."""
    jobs, start, promised = schedule.jobs, schedule.start, schedule.promised
    bad, message = jobs.is_reserved & schedule.served & (start != promised), "was promised {:.12g}"
    _refuse(bad, schedule, lambda job: message.format(promised[job]))
    for bad, limit in (
        (start < jobs.earliest_start, "earliest"),
        (start > jobs.latest_start, "latest"),
    ):
        _refuse(bad, schedule, lambda job, limit=limit: f"starts beyond its {limit} start")
    for job, (instant, why) in schedule.refused.items():
        if why != PAST_LATEST or instant != jobs.submit[job] or jobs.latest_start[job] == np.inf:
            raise ScheduleError(f"job {job} was refused at {instant:.12g} for {why!r}")


def _head_not_delayed(schedule):
    """No head of the queue starts later than the jobs that run at any instant allow it to."""
    # It must not fit once those that are expected to end before its start have left.
    instants, heads = reading.waiting_heads(schedule, staying=True)
    bad = _can_start(schedule, instants, heads, schedule.start[heads], included=False)
    if bad.any():
        instant, head = instants[bad][0], heads[bad][0]
        raise ScheduleError(
            f"job {head} at {schedule.start[head]:.12g}: starts later than the running jobs "
            f"promised it at {instant:.12g}"
        )


def _promises_to_heads(schedule):
    """Every job that had to wait as head of the queue was promised the first start in its reach."""
    # Where jobs take no time an instant has several rounds, and a promise may be of an earlier one.
    start, promised = schedule.start, schedule.promised
    instants, heads = reading.waiting_heads(schedule)
    first = np.sort(np.unique(heads, return_index=True)[1])
    instants, heads = instants[first], heads[first]
    rounds = start[start == schedule.end]
    has_promise = ~np.isnan(promised)
    held = reading.may_be_held(schedule)
    bad = has_promise & ~np.isin(start, rounds) & (not held)
    bad[heads] = ~has_promise[heads]
    message = "was promised {}, as no head should"
    _refuse(bad, schedule, lambda job: message.format(_start_of(promised[job])))
    if not held:
        _first_possible(schedule, instants, heads, ~np.isin(instants, rounds))


def _promises_to_all(schedule):
    """Every job was promised a possible start, the first one where no other job waited."""
    untold = np.isnan(schedule.promised) & schedule.served
    _refuse(untold, schedule, lambda _: "was promised no start")
    order = np.argsort(schedule.jobs.submit, kind="stable")
    order = order[schedule.served[order]]
    submit, start = schedule.jobs.submit[order], schedule.start[order]
    alone = np.append(-np.inf, np.maximum.accumulate(start)[:-1]) < submit
    alone &= not schedule.jobs.has_reservations  # blocks may hold up whoever waits alone
    if not reading.in_turn(schedule):  # who comes at the same instant may have reserved before
        alone &= np.append(np.diff(submit) > 0, True)
    _first_possible(schedule, submit, order, alone, before=True)


def _promise_kept(schedule):
    """No job starts later than its first promise, and so none that has got better since."""
    promised, message = schedule.promised, "starts later than it was promised, {}"
    bad = schedule.start > promised
    if type(schedule.scheduling) is EASY and not reading.in_turn(schedule):
        every, stayed = (
            np.bincount(reading.waiting_heads(schedule, only)[1], minlength=len(bad))
            for only in (False, True)
        )
        bad &= (every == stayed) & (not reading.may_be_held(schedule))
    _refuse(bad, schedule, lambda job: message.format(_start_of(promised[job])))


def _first_possible(schedule, instants, jobs, exactly, before=False):
    """Promises made to jobs at instants are possible, and where `exactly`, the first such."""
    promised = schedule.promised[jobs]
    case = (schedule, instants, jobs, promised)
    bad = (promised > instants) & exactly & _can_start(*case, included=False, before=before)
    bad |= ~_can_start(*case, included=True, before=before)
    if bad.any():
        raise ScheduleError(
            f"job {jobs[bad][0]} at {instants[bad][0]:.12g}: was promised "
            f"{_start_of(promised[bad][0])}, which is not when the running jobs allow it"
        )


def _start_of(promised):
    return "no start" if np.isnan(promised) else f"a start at {promised:.12g}"


def _can_start(schedule, instants, jobs, until, included, before=False):
    """Whether jobs could start by `until`, as those that run at increasing instants will leave."""
    # Under adaptive spanning they could on one cluster then, or on several so much earlier.
    case = schedule, instants, jobs
    if not getattr(schedule.scheduling, "adaptive", False):
        return _fits_once_left(*case, until, included, before)
    # What was added in the run is taken off here, which may round another way.
    sooner = until - _patience(schedule, jobs) + SLACK * np.abs(until) * (1 if included else -1)
    later = _fits_once_left(*case, sooner, included, before)
    later &= sooner >= instants if included else sooner > instants
    return later | _fits_once_left(*case, until, included, before, request="total")


def _patience(schedule, jobs):
    """Return how much longer jobs are expected to run on two clusters than on one."""
    alone, apart = (_booked_length(schedule, np.full(len(schedule), k))[jobs] for k in (1, 2))
    return apart - alone


def _fits_once_left(schedule, instants, jobs, until, included, before=False, request=None):
    """Whether jobs fit once those have left that run at increasing instants and end by `until`."""
    # `included`: so have those that end at `until`; `before`: what starts then does not run yet.
    stream, system, end = schedule.jobs, schedule.system, booked_end(schedule)
    first = np.searchsorted(instants, schedule.start, side="right" if before else "left")
    counts = np.maximum(np.searchsorted(instants, schedule.end, side="left") - first, 0)
    idle = np.tile(system.as_array(), (len(instants), 1))
    for chunk in np.array_split(np.arange(len(schedule)), 1 + counts.sum() // _CHUNK):
        job = np.repeat(chunk, counts[chunk])
        begun = np.repeat(np.cumsum(counts[chunk]) - counts[chunk], counts[chunk])
        row = first[job] + np.arange(len(job)) - begun
        stays = end[job] > until[row] if included else end[job] >= until[row]
        np.subtract.at(idle, row[stays], schedule.allocation[job[stays]])
    rule, request = (None, request) if request else (schedule.placement, stream.request)
    return reading.fits_by(rule, request, stream.components[jobs], idle)


def _attempts(schedule):
    """Every job starts at the attempt that was accepted; a refused one has its attempts too."""
    if schedule.attempts is None or schedule.servers is None:
        raise ScheduleError("the schedule does not tell the attempts and the servers of its jobs")
    policy, served, attempts = schedule.scheduling, schedule.served, schedule.attempts
    start = schedule.jobs.earliest_start + (attempts - 1) * policy.step
    bad = served & (schedule.start != start)
    _refuse(bad, schedule, lambda job: f"attempt {attempts[job]} is at {start[job]:.12g}")
    bad = (attempts < served) | (attempts > policy.most_attempts)
    if bad.any():
        job = int(bad.argmax())
        raise ScheduleError(
            f"job {job} has {attempts[job]} attempts, and at most {policy.most_attempts} are made"
        )


def _in_time(schedule):
    """Every job starts when it was promised, no later than it asked, and ends by the horizon."""
    promised, latest = schedule.promised, schedule.jobs.latest_start
    start, until, end = schedule.start, _horizon(schedule), booked_end(schedule)
    wrong, beyond = start != promised, "is booked until {:.12g}, beyond the horizon, which ended at"
    _refuse(wrong & schedule.served, schedule, lambda job: f"was promised {promised[job]:.12g}")
    late = start > latest
    _refuse(late, schedule, lambda job: f"starts after its latest start, {latest[job]:.12g}")
    _refuse(end > until, schedule, lambda job: f"{beyond.format(end[job])} {until[job]:.12g}")


def _refusals(schedule):
    """Every refused job was told, when it was submitted, what ended its attempts."""
    jobs, policy, horizon = schedule.jobs, schedule.scheduling, _horizon(schedule)
    lengths = _booked_length(schedule, np.ones(len(jobs), int))
    for job in sorted(schedule.refused):
        tried, until, latest = int(schedule.attempts[job]), horizon[job], jobs.latest_start[job]
        length, earliest = lengths[job], jobs.earliest_start[job]
        last, following = (earliest + k * policy.step for k in (tried - 1, tried))
        ends = {
            NO_LENGTH: not earliest + length > earliest,
            NO_ROOM: tried == policy.most_attempts,
            PAST_LATEST: following > latest,
            BEYOND_HORIZON: following + length > until,
        }
        reason = next((reason for reason, is_it in ends.items() if is_it), "nothing")
        untimely = reason == NO_LENGTH or last > latest or last + length > until
        (instant, why), submit = schedule.refused[job], jobs.submit[job]
        if why != reason or instant != submit or (tried and untimely):
            raise ScheduleError(
                f"job {job} was refused at {instant:.12g} for {why!r} after {tried} "
                f"attempts; it is told at its submission, at {submit:.12g}, what ended these: "
                f"{reason!r}"
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
    _refuse(bad, schedule, lambda job: message.format(servers[job].tolist(), rows[job].tolist()))


def _bookings(schedule):
    """No server is booked twice, and every job has the first attempt with room, and its servers."""
    # What was booked before a job came is read from the schedule. A placement of one's own may
    # answer otherwise the second time, so attempts and servers are then not checked.
    jobs, policy, placement = schedule.jobs, schedule.scheduling, schedule.placement
    rules = placement, getattr(placement, "rule", None), getattr(placement, "single", None)
    is_known = {type(each).__module__ for each in rules} <= {Placement.__module__, "builtins"}
    sizes, end = schedule.system.as_array(), booked_end(schedule)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    lengths = _lengths_on(schedule).tolist()
    # Bookings in order of their servers, and on each in order of time: first that of job -1, until
    # 0. After each its server is idle `since` then, `until` the next begins.
    begin, end, leaves = (np.append(column, 0.0) for column in (schedule.start, end, schedule.end))
    owner, server = np.full(len(cluster), -1), np.arange(len(cluster))
    for job in np.argsort(jobs.submit, kind="stable").tolist():
        now, start, mine, since = jobs.submit[job], begin[job], schedule.servers[job], end[owner]
        if policy.release_early:
            # What runs for no time leaves after the arrivals of its instant.
            left = leaves[owner]
            has_left = (left < now) | ((left == now) & (begin[owner] < left))
            since = np.where(has_left, left, since)
        follows = server[1:] == server[:-1]
        until = np.append(np.where(follows, begin[owner[1:]], np.inf), np.inf)
        ahead = until > now
        owner, server, since, until = (row[ahead] for row in (owner, server, since, until))
        is_mine = np.zeros(len(cluster), dtype=bool)
        is_mine[mine] = True
        holds = np.flatnonzero(is_mine[server] & (since <= start) & (end[job] <= until))
        if len(holds) < len(mine):
            clash = is_mine[server] & (begin[owner] < end[job]) & (since > start)
            raise ScheduleError(
                f"job {job} at {start:.12g}: server {server[clash][0]} is booked for "
                f"job {owner[clash][0]}"
            )
        if is_known:
            _first_room(schedule, job, lengths[job], (since, until, server), cluster)
        owner, server = np.insert(owner, holds + 1, job), np.insert(server, holds + 1, mine)


def _first_room(schedule, job, lengths, periods, cluster):
    """Check that a job has the first attempt with room, and the servers that the rule chooses."""
    jobs, policy = schedule.jobs, schedule.scheduling
    enough = periods[0] + lengths[0] <= periods[1]
    periods = [column[enough] for column in periods]
    tried, served = int(schedule.attempts[job]), job not in schedule.refused
    starts = jobs.earliest_start[job] + np.arange(tried) * policy.step
    first, allocation, length = _first_attempt(schedule, job, lengths, starts, periods, cluster)
    if first != (tried - 1 if served else tried):
        raise ScheduleError(
            f"job {job} has attempt {tried}, {'' if served else 'and was refused, '}but there "
            + (f"was room at attempt {first + 1}" if first < tried else "was no room at it")
        )
    if not served or policy.rule == FIRST_FOUND:
        return
    start, mine = starts[-1], schedule.servers[job]
    fits = (periods[0] <= start) & (periods[1] >= start + length)
    since, until, server = (column[fits] for column in periods)
    gap = until - since if policy.rule == "best-fit" else np.zeros(len(server))
    order = np.lexsort((server, -since, gap))
    for number, wanted in enumerate(allocation):
        chosen = np.sort(server[order][cluster[server[order]] == number][:wanted]).tolist()
        given = mine[cluster[mine] == number].tolist()
        if chosen != given:
            raise ScheduleError(
                f"job {job} at {start:.12g}: has servers {given} of cluster {number}, by the rule "
                f"{policy.rule} these are {chosen}"
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


def booked_end(schedule: Any) -> NDArray[np.float64]:
    """Return until when each job was expected to run, or was booked, shape (n,)."""
    return schedule.start + _booked_length(schedule, schedule.spread)


def _booked_length(schedule, clusters):
    """Return how long each job is expected to run, or booked for, on so many clusters, (n,)."""
    jobs, least = schedule.jobs, getattr(schedule.scheduling, "min_length", 0.0)
    length = np.maximum(jobs.estimate, jobs.runtime)
    return np.maximum(time_on_processors(length, jobs.span_penalty, clusters), least)


def _lengths_on(schedule):
    """Return the expected length of each job on 1, 2, ... clusters, shape (n, clusters)."""
    on = (np.full(len(schedule), clusters) for clusters in range(1, len(schedule.system) + 1))
    return np.transpose([_booked_length(schedule, each) for each in on])


def _horizon(schedule):
    """Return until when each job could be booked, shape (n,)."""
    return np.array([*map(schedule.scheduling.horizon_end, schedule.jobs.submit.tolist())])


_RULES = (_complete, _after_submission, _run_time, _request, _capacity)

#: Policy -> what its schedules keep besides.
_RULES_OF: dict[type[Scheduling], tuple[Callable, ...]] = {
    FCFS: (_instant, _no_overtaking, _head),
    FPFS: (_instant, _no_overtaking, _head),
    EASY: (
        _instant,
        *map(_without_blocks, (_head, _head_not_delayed, _promises_to_heads)),
        _promise_kept,
        _blocks,
        _around_blocks,
    ),
    Conservative: (_promise_kept, _promises_to_all, _blocks),
    Online: (_attempts, _in_time, _refusals, _on_servers, _bookings),
}
