"""The loop of the online scheduler: each request is booked at the first attempt that has room.

An attempt asks how many servers of each cluster are idle over the whole interval. Where these are
too few, so they are at later attempts, until periods that are long enough have started in between:
those attempts are counted, and not looked at. The same holds for how many are lacking: as long as
fewer such periods have started than servers lack, the next attempts fail as well.

Nothing is tried twice at one instant, and nothing moves once it is booked, so that the loop goes
from request to request; jobs that end early, if they give back what they leave, do so between two.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.calendar.kernels.periods import (
    choose,
    count,
    give_back,
    nth_start,
    take,
    write_servers,
)
from coalloc_lib.calendar.search import ROUNDING
from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.events import STARTED, STOP, pop, push, time_on
from coalloc_lib.engines.kernels.placing import empty_room, fits, largest, place, set_room

#: When each job asks to start, at the earliest and at the latest, float64 (n,).
Requests = namedtuple("Requests", "earliest latest")
#: The length of a slot, how many there are, the time between two attempts, how many there are at
#: most, the rule that chooses servers (see `periods`), and whether early ends give the rest back.
Policy = namedtuple("Policy", "slot slots step most rule is_early")
#: What a run writes: float64 (n,) starts, ends and promises; int32 (n, c) processors; int64 (n,)
#: attempts; the servers of all jobs that were booked, int32, and where those of each begin, int64
#: (n + 1,); and int8 (n,) why each was refused.
Bookings = namedtuple("Bookings", "start end promised allocation attempts servers first why")

BOOKED, NO_ROOM, PAST_LATEST, BEYOND_HORIZON, NO_LENGTH = range(5)


@kernel(makes_arrays=True)
def run(stream, expected, requests, rule, policy, sizes, book, bookings, watch):
    """Book the jobs of a `Stream` in a book of all idle; return the book, perhaps a larger one."""
    submit, runtime, spanning, _, keys = stream
    start, end, promised, allocation, attempts, servers, first, why = bookings
    n, clusters = len(submit), len(sizes)
    counts, taken, room = np.empty_like(sizes), np.empty(clusters, np.int32), empty_room(keys, rule)
    chosen, pieces = np.empty((2, 4, sizes.max())), np.empty((4, sizes.max()))
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
            book = release(book, gone, bookings, until[gone], now, chosen, pieces)
        attempts[job], why[job], stop = find_start(
            job, stream, expected, requests, rule, policy, sizes, book, counts, taken, room
        )
        first[job + 1] = last = first[job]
        if why[job] != BOOKED:
            start[job] = end[job] = promised[job] = np.nan
            continue
        begin = requests.earliest[job] + (attempts[job] - 1) * policy.step
        for c in range(clusters):
            allocation[job, c] = taken[c]
            if taken[c]:
                ended, opened = choose(book, policy.rule, c, begin, stop, taken[c], chosen)
                write_servers(chosen, ended, opened, pieces, servers, last)
                book = take(book, c, chosen, ended, opened, begin, stop, now, pieces)
                last += taken[c]
        first[job + 1] = last
        start[job] = promised[job] = begin
        end[job] = begin + time_on(taken, job, runtime, spanning)
        if policy.is_early and end[job] < stop:
            until[job] = stop
            # What runs for no time starts after the arrivals of its instant, and ends after them.
            leaves = end[job] if begin < end[job] else np.nextafter(begin, np.inf)
            push(ends, numbers, running, leaves, job)
            running += 1
    return book


@kernel
def find_start(job, stream, expected, requests, rule, policy, sizes, book, counts, taken, room):
    """Return how many attempts were made, how the last came out, until when; write into `taken`."""
    parts, keys, alone = stream.parts, stream.keys, expected.alone[job]
    since, step = requests.earliest[job], policy.step
    wanted = np.int64(keys[job, keys.shape[1] - 1])
    clusters, most = len(sizes), wanted if len(sizes) == 1 else largest(sizes)
    horizon = horizon_end(stream.submit[job], policy.slot, policy.slots)
    lost = np.nextafter(alone / ROUNDING, -np.inf)
    lasting = first_after(since, step, 0.0, lost, 0, policy.most)
    in_time = first_after(since, step, 0.0, requests.latest[job], 0, lasting)
    last = first_after(since, step, alone, horizon, 0, in_time)
    attempt = 0
    while attempt < last:
        begin, length = since + attempt * step, alone
        lacking = wanted
        for c in range(clusters):
            counts[c] = count(book, c, begin, begin + length, most)
            lacking -= counts[c]
        set_room(counts, rule.request, parts.shape[1], room)
        if lacking > 0 or not fits(keys[job], room):
            instant, more = np.inf, max(1, (lacking + clusters - 1) // clusters)
            for c in range(clusters):
                instant = min(instant, nth_start(book, c, begin, length, more))
            before = np.nextafter(instant, -np.inf)
            attempt = first_after(since, step, 0.0, before, attempt + 1, last)
            continue
        while begin + length <= horizon and fits(keys[job], room):
            place(parts[job], rule.request, rule.choice, rule.single, rule.order, counts, taken)
            needed = time_on(taken, job, expected.alone, expected.spanning)
            if needed <= length:
                return attempt + 1, BOOKED, begin + needed
            length = needed
            for c in range(clusters):
                counts[c] = count(book, c, begin, begin + length, most)
            set_room(counts, rule.request, parts.shape[1], room)
        attempt += 1
    if last == policy.most:
        return last, NO_ROOM, since
    if last == lasting:
        return last, NO_LENGTH, since
    return last, PAST_LATEST if last == in_time else BEYOND_HORIZON, since


@kernel
def first_after(since, step, length, stop, low, most):
    """Return the first attempt from `low` on, or `most`, whose `length` ends after `stop`."""
    if low >= most or since + (most - 1) * step + length <= stop:
        return most
    high = most - 1
    while low < high:
        middle = (low + high) >> 1
        if since + middle * step + length > stop:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def horizon_end(now, slot, slots):
    """Return until when reservations may go, as `BookingRules.horizon_end` does."""
    slack = 0.0 if slot * 2.0**20 % 1 == 0 else 2.0**-44
    number = np.rint(now / slot)
    if number * slot > now + abs(now) * slack:
        number -= 1
    return (number + slots) * slot * (1 + slack)


@kernel(makes_arrays=True)
def release(book, job, bookings, until, now, ranges, pieces):
    """Give back what a job that has ended leaves of its reservation; return the book."""
    k, end = bookings.first[job], bookings.end[job]
    for c in range(bookings.allocation.shape[1]):
        held = bookings.allocation[job, c]
        if held:
            servers = bookings.servers[k : k + held]
            book = give_back(book, c, servers, end, until, now, ranges, pieces)
            k += held
    return book
