"""The loop of online scheduling: each request is booked at the first attempt that succeeds.

One pass over the idle periods counts the idle processors for several attempts. Most jobs start at
one of their first attempts, so the first pass counts only a few attempts, and each further pass
counts more.

A booking never moves, so the loop takes one request after the other. If processors are released
when jobs end early, this happens before the next request is booked.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels.periods import (
    choose,
    count_attempts,
    count_idle,
    first_after,
    forget,
    give_back,
    take,
    with_room,
)
from coalloc_lib.calendar.search import HALF_SPACING
from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.events import STARTED, STOP, pop, push, time_on
from coalloc_lib.engines.kernels.placing import (
    copy,
    empty_room,
    fits,
    place,
    set_room,
    total,
)

#: A named tuple of two arrays, float64 (n,), with the earliest and the latest starts that n jobs
#: ask for.
Requests = namedtuple("Requests", "earliest latest")
#: A named tuple with the options of the policy `Online`.
#:
#: - `slot`: the length of a time slot.
#: - `slots`: the number of slots in the planning horizon.
#: - `step`: the time between successive attempted starts of a job.
#: - `max_attempts`: the maximum number of attempted starts per job.
#: - `rule`: the code of the rule that chooses among idle processors.
#: - `releases_early`: whether the processors of a job that ends early become idle immediately.
BookingOptions = namedtuple("BookingOptions", "slot slots step max_attempts rule releases_early")
#: A named tuple of arrays for the results of the policy `Online` with n jobs on c clusters.
#:
#: - `start`, `end` and `promised`, float64 (n,): the start, the end and the promised start of each
#:   job.
#: - `allocation`, int32 (n, c): the number of processors of each job in each cluster.
#: - `attempts`, int64 (n,): the number of attempted starts of each job.
#: - `servers`, int32: the numbers of the processors of all accepted jobs, job by job.
#: - `first`, int64 (n + 1,): the index in `servers` of the first processor of each job.
#: - `why`, int8 (n,): BOOKED for an accepted job, otherwise the code of the reason for the
#:   rejection.
Bookings = namedtuple("Bookings", "start end promised allocation attempts servers first why")
#: A named tuple of working arrays for finding the start of a job on c clusters.
#:
#: - `counts`, int64 (MOST_AT_ONCE + 1, c): the number of idle processors of each cluster at several
#:   attempted starts.
#: - `idle`, int64 (c,): the number of idle processors of each cluster at one attempted start.
#: - `taken`, int32 (c,): the allocation of the job.
#: - `room`: the upper limits on the size of a job that fits, as the module `placing` defines them.
Work = namedtuple("Work", "counts idle taken room")

#: The codes that `find_start` can return. BOOKED means that a start was found. Every other code is
#: the reason for rejecting the job.
BOOKED, NO_ROOM, PAST_LATEST, BEYOND_HORIZON, NO_LENGTH = range(5)
#: To find a start for a job, one pass over the idle periods counts the idle processors at several
#: attempted starts. The first pass covers FIRST_AT_ONCE attempted starts. Each further pass covers
#: GROWTH times as many starts as the pass before, but at most MOST_AT_ONCE.
FIRST_AT_ONCE, GROWTH, MOST_AT_ONCE = 4, 8, 2048
#: Idle periods that have ended are removed each time this number of requests has been processed.
OFTEN = 64


@kernel(makes_arrays=True)
def run_online(stream, expected, requests, rule, options, sizes, table, bookings, watch):
    """Simulate the policy `Online` for a `Stream` of jobs, and write the results into `bookings`.

    Returns the table of the idle periods after the run, or a larger copy of it.
    """
    submit, runtime, spanning, _, keys = stream
    start, end, promised, allocation, attempts, _, first, why = bookings
    n, clusters = len(submit), len(sizes)
    counts = np.empty((MOST_AT_ONCE + 1, clusters), np.int64)
    taken = np.empty(clusters, np.int32)
    work = Work(counts, np.empty_like(sizes), taken, empty_room(keys, rule))
    until = np.empty(n if options.releases_early else 0)
    ends, numbers, running = np.empty_like(until), np.empty(len(until), np.int64), 0
    for job in range(n):
        watch[STARTED] = job
        if watch[STOP]:
            break
        now = submit[job]
        while running and ends[0] <= now:
            gone = pop(ends, numbers, running)
            running -= 1
            table = release(table, gone, bookings, until[gone])
        if job % OFTEN == 0:
            forget(table, now)
        attempts[job], why[job], stop = find_start(
            job, stream, expected, requests, rule, options, table, work
        )
        first[job + 1] = first[job]
        if why[job] != BOOKED:
            start[job] = end[job] = promised[job] = np.nan
            continue
        begin = requests.earliest[job] + (attempts[job] - 1) * options.step
        copy(taken, allocation[job])
        table = reserve(table, job, options.rule, begin, stop, bookings)
        start[job] = promised[job] = begin
        end[job] = begin + time_on(taken, job, runtime, spanning)
        if options.releases_early and end[job] < stop:
            until[job] = stop
            # A job of length 0 starts and ends after all requests of the same instant were booked.
            leaves = end[job] if begin < end[job] else np.nextafter(begin, np.inf)
            push(ends, numbers, running, leaves, job)
            running += 1
    return table


@kernel
def find_start(job, stream, expected, requests, rule, options, table, work):
    """Try the possible starts of a job in increasing order until the job fits.

    Returns the number of attempts, the result (BOOKED or a reason), and the end of the reservation.
    The allocation is written into `work.taken`.
    """
    alone, since, step = expected.alone[job], requests.earliest[job], options.step
    wanted = total(stream.parts[job])
    horizon = horizon_end(stream.submit[job], options.slot, options.slots)
    lost = np.nextafter(alone / HALF_SPACING, -np.inf)
    lasting = first_after(since, step, 0.0, lost, 0, options.max_attempts)
    in_time = first_after(since, step, 0.0, requests.latest[job], 0, lasting)
    last = first_after(since, step, alone, horizon, 0, in_time)
    low, high = 0, min(FIRST_AT_ONCE, last)
    while low < high:
        count_attempts(table, since, step, alone, low, high, work.counts)
        for attempt in range(low, high):
            copy(work.counts[attempt - low], work.idle)
            if total(work.idle) < wanted:
                continue
            begin = since + attempt * step
            stop = end_of_attempt(job, stream, expected, rule, table, begin, horizon, work)
            if stop <= horizon:
                return attempt + 1, BOOKED, stop
        low, high = high, min(high + min(GROWTH * (high - low), MOST_AT_ONCE), last)
    if last == options.max_attempts:
        return last, NO_ROOM, since
    if last == lasting:
        return last, NO_LENGTH, since
    return last, PAST_LATEST if last == in_time else BEYOND_HORIZON, since


@kernel
def end_of_attempt(job, stream, expected, rule, table, begin, horizon, work):
    """Return the end of a job if it starts at `begin`, or infinity if it cannot start then.

    At the call, `work.idle` has the processors that are idle for the length of the job on one
    cluster. If the job gets an allocation on which it is longer, it is placed again in the longer
    interval.
    """
    parts, key = stream.parts[job], stream.keys[job]
    counts, taken, room = work.idle, work.taken, work.room
    length = expected.alone[job]
    while begin + length <= horizon:
        set_room(counts, rule.request, stream.parts.shape[1], room)
        if not fits(key, room):
            break
        place(parts, rule.request, rule.choice, rule.single, rule.order, counts, taken)
        needed = time_on(taken, job, expected.alone, expected.spanning)
        if needed <= length:
            return begin + needed
        length = needed
        count_idle(table, begin, begin + length, counts)
    return np.inf


@kernel
def horizon_end(now, slot, slots):
    """Return the latest possible end of a reservation if it is made at the instant `now`."""
    slack = 0.0 if slot * 2.0**20 % 1 == 0 else 2.0**-44
    number = np.rint(now / slot)
    if number * slot > now + abs(now) * slack:
        number -= 1
    return (number + slots) * slot * (1 + slack)


@kernel(makes_arrays=True)
def reserve(table, job, rule, start, end, bookings):
    """Reserve the processors of a job's allocation from `start` to `end`.

    Returns the table of idle periods, or a larger copy of it. The numbers of the processors are
    appended to `bookings.servers`.
    """
    for c in range(bookings.allocation.shape[1]):
        wanted = bookings.allocation[job, c]
        if wanted:
            table, k = with_room(table, wanted), bookings.first[job + 1]
            chosen = choose(table, rule, c, start, end, wanted)
            bookings.servers[k : k + wanted] = np.sort(table.server[chosen])
            bookings.first[job + 1] = k + wanted
            take(table, chosen, start, end)
    return table


@kernel(makes_arrays=True)
def release(table, job, bookings, until):
    """Mark the processors of a job that ended early as idle for the rest of its reservation.

    Returns the table of idle periods, or a larger copy of it.
    """
    k, end = bookings.first[job], bookings.end[job]
    for c in range(bookings.allocation.shape[1]):
        held = bookings.allocation[job, c]
        if held:
            table = give_back(table, c, bookings.servers[k : k + held], end, until)
            k += held
    return table
