"""The loop of the online scheduler: each request is booked at the first attempt that has room.

One pass over the idle periods counts the idle processors for many attempts at once. A job mostly
starts at one of its first attempts, so the first pass counts only a few of them, and each further
pass counts more.

A booking never moves, so the loop goes from request to request. If jobs give back the rest of their
reservations when they end early, that happens before the next request.
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
from coalloc_lib.calendar.search import ROUNDING
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

#: When each job asks to start, at the earliest and at the latest, float64 (n,).
Requests = namedtuple("Requests", "earliest latest")
#: The length of a slot, the number of slots, the time between two attempts, the largest number of
#: attempts, the rule that chooses servers (see `periods`), and whether early ends give the rest
#: back.
Policy = namedtuple("Policy", "slot slots step most rule is_early")
#: What a run writes: float64 (n,) starts, ends and promises; int32 (n, c) processors; int64 (n,)
#: attempts; the servers of all jobs that were booked, int32, and where those of each begin, int64
#: (n + 1,); and int8 (n,) why each was refused.
Bookings = namedtuple("Bookings", "start end promised allocation attempts servers first why")
#: Arrays of a search: int64 `counts`, (MOST_AT_ONCE + 1, c), the idle processors at some attempts;
#: `idle`, (c,), those at one attempt; int32 `taken`, (c,), the processors of each cluster; and the
#: `room` that keys are compared with.
Work = namedtuple("Work", "counts idle taken room")

BOOKED, NO_ROOM, PAST_LATEST, BEYOND_HORIZON, NO_LENGTH = range(5)
#: The number of attempts that the first pass over the idle periods counts, and by how much it grows
#: from one pass to the next.
FIRST_AT_ONCE, GROWTH, MOST_AT_ONCE = 4, 8, 2048
#: The number of requests after which the periods that are past are forgotten.
OFTEN = 64


@kernel(makes_arrays=True)
def run(stream, expected, requests, rule, policy, sizes, book, bookings, watch):
    """Book the jobs of a `Stream` in a book of all idle; return the book, perhaps a larger one."""
    submit, runtime, spanning, _, keys = stream
    start, end, promised, allocation, attempts, _, first, why = bookings
    n, clusters = len(submit), len(sizes)
    counts = np.empty((MOST_AT_ONCE + 1, clusters), np.int64)
    taken = np.empty(clusters, np.int32)
    work = Work(counts, np.empty_like(sizes), taken, empty_room(keys, rule))
    until = np.empty(n if policy.is_early else 0)
    ends, numbers, running = np.empty_like(until), np.empty(len(until), np.int64), 0
    for job in range(n):
        watch[STARTED] = job
        if watch[STOP]:
            break
        now = submit[job]
        while running and ends[0] <= now:
            gone = pop(ends, numbers, running)
            running -= 1
            book = release(book, gone, bookings, until[gone])
        if job % OFTEN == 0:
            forget(book, now)
        attempts[job], why[job], stop = find_start(
            job, stream, expected, requests, rule, policy, book, work
        )
        first[job + 1] = first[job]
        if why[job] != BOOKED:
            start[job] = end[job] = promised[job] = np.nan
            continue
        begin = requests.earliest[job] + (attempts[job] - 1) * policy.step
        copy(taken, allocation[job])
        book = reserve(book, job, policy.rule, begin, stop, bookings)
        start[job] = promised[job] = begin
        end[job] = begin + time_on(taken, job, runtime, spanning)
        if policy.is_early and end[job] < stop:
            until[job] = stop
            # A job of no length starts after the arrivals of its instant, and ends after them.
            leaves = end[job] if begin < end[job] else np.nextafter(begin, np.inf)
            push(ends, numbers, running, leaves, job)
            running += 1
    return book


@kernel
def find_start(job, stream, expected, requests, rule, policy, book, work):
    """Return the number of attempts, the result of the last one, and when it ends.

    Writes the processors of each cluster into `work.taken`.
    """
    alone, since, step = expected.alone[job], requests.earliest[job], policy.step
    wanted = total(stream.parts[job])
    horizon = horizon_end(stream.submit[job], policy.slot, policy.slots)
    lost = np.nextafter(alone / ROUNDING, -np.inf)
    lasting = first_after(since, step, 0.0, lost, 0, policy.most)
    in_time = first_after(since, step, 0.0, requests.latest[job], 0, lasting)
    last = first_after(since, step, alone, horizon, 0, in_time)
    low, high = 0, min(FIRST_AT_ONCE, last)
    while low < high:
        count_attempts(book, since, step, alone, low, high, work.counts)
        for attempt in range(low, high):
            copy(work.counts[attempt - low], work.idle)
            if total(work.idle) < wanted:
                continue
            begin = since + attempt * step
            stop = end_of_attempt(job, stream, expected, rule, book, begin, horizon, work)
            if stop <= horizon:
                return attempt + 1, BOOKED, stop
        low, high = high, min(high + min(GROWTH * (high - low), MOST_AT_ONCE), last)
    if last == policy.most:
        return last, NO_ROOM, since
    if last == lasting:
        return last, NO_LENGTH, since
    return last, PAST_LATEST if last == in_time else BEYOND_HORIZON, since


@kernel
def end_of_attempt(job, stream, expected, rule, book, begin, horizon, work):
    """Return when a job ends that starts at an instant, or infinity if the attempt fails.

    `work.idle` has the idle processors over the time that the job needs on one cluster. A job that
    would span is placed again in the longer window.
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
        count_idle(book, begin, begin + length, counts)
    return np.inf


@kernel
def horizon_end(now, slot, slots):
    """Return until when reservations may go, as `BookingRules.horizon_end` does."""
    slack = 0.0 if slot * 2.0**20 % 1 == 0 else 2.0**-44
    number = np.rint(now / slot)
    if number * slot > now + abs(now) * slack:
        number -= 1
    return (number + slots) * slot * (1 + slack)


@kernel(makes_arrays=True)
def reserve(book, job, rule, start, end, bookings):
    """Reserve an interval for a job on its allocation; return the book, perhaps a larger one.

    Writes the servers of each cluster, ascending, behind those of the jobs before it.
    """
    for c in range(bookings.allocation.shape[1]):
        wanted = bookings.allocation[job, c]
        if wanted:
            book, k = with_room(book, wanted), bookings.first[job + 1]
            chosen = choose(book, rule, c, start, end, wanted)
            bookings.servers[k : k + wanted] = np.sort(book.server[chosen])
            bookings.first[job + 1] = k + wanted
            take(book, chosen, start, end)
    return book


@kernel(makes_arrays=True)
def release(book, job, bookings, until):
    """Give back what a job that has ended leaves of its reservation; return the book."""
    k, end = bookings.first[job], bookings.end[job]
    for c in range(bookings.allocation.shape[1]):
        held = bookings.allocation[job, c]
        if held:
            book = give_back(book, c, bookings.servers[k : k + held], end, until)
            k += held
    return book
