"""Online scheduling without any index, compiled: a pass over all idle periods for each request."""

import numpy as np
from numba import njit


def run(jobs, servers, online):
    """Return starts and attempts of total requests on one cluster, by the latest start."""
    start, attempts = np.full(len(jobs), np.nan), np.zeros(len(jobs), np.int64)
    length = np.maximum(jobs.estimate, jobs.runtime)
    terms = (online.slot, online.slots, online.step, online.most_attempts)
    columns = (jobs.submit, jobs.earliest_start, length, jobs.processors)
    _book(*columns, servers, *terms, start, attempts)
    return start, attempts


@njit(nogil=True, cache=True)
def _book(submit, earliest, length, wanted, servers, slot, slots, step, most, start, attempts):
    capacity = 4 * servers
    begins, ends, count = np.zeros(capacity), np.full(capacity, np.inf), servers
    whose, room = np.arange(capacity), np.zeros(most + 2, np.int64)
    for job in range(len(submit)):
        horizon = (np.floor(submit[job] / slot) + slots) * slot
        if job % 64 == 0:  # what is past goes
            kept = 0
            for i in range(count):
                if ends[i] > submit[job]:
                    begins[kept], ends[kept], whose[kept] = begins[i], ends[i], whose[i]
                    kept += 1
            count = kept
        if count + wanted[job] > len(begins):
            begins = np.concatenate((begins, np.empty(len(begins))))
            ends = np.concatenate((ends, np.empty(len(ends))))
            whose = np.concatenate((whose, np.empty(len(whose), whose.dtype)))
        since, lasts = earliest[job], length[job]
        last = _last_by(since, step, lasts, horizon, most - 1)
        room[: last + 2] = 0
        for i in range(count):  # one pass for all attempts
            end = _last_by(since, step, lasts, ends[i], last)
            first = _first_from(since, step, begins[i], end)
            if first <= end:
                room[first] += 1
                room[end + 1] -= 1
        found = 0
        for attempt in range(last + 1):
            found += room[attempt]
            attempts[job] += 1
            if found >= wanted[job]:
                start[job] = since + attempt * step
                until = start[job] + lasts
                count = _take(begins, ends, whose, count, start[job], until, found, wanted[job])
                break


@njit(nogil=True, cache=True)
def _last_by(since, step, length, instant, most):
    """Return the last attempt, up to `most`, that ends by an instant; -1 for none."""
    attempt = int(min(most, max(-1, np.floor((instant - length - since) / step))))
    while attempt < most and since + (attempt + 1) * step + length <= instant:
        attempt += 1
    while attempt >= 0 and since + attempt * step + length > instant:
        attempt -= 1
    return attempt


@njit(nogil=True, cache=True)
def _first_from(since, step, instant, most):
    """Return the first attempt, or ``most + 1``, that starts no sooner than an instant."""
    attempt = int(min(most + 1, max(0, np.ceil((instant - since) / step))))
    while attempt > 0 and since + (attempt - 1) * step >= instant:
        attempt -= 1
    while attempt <= most and since + attempt * step < instant:
        attempt += 1
    return attempt


@njit(nogil=True, cache=True)
def _take(begins, ends, whose, count, since, until, found, wanted):
    """Replace the wanted feasible periods that start last by what is left; return how many."""
    feasible, k = np.empty(found, np.int64), 0
    for i in range(count):
        if begins[i] <= since and ends[i] >= until:
            feasible[k] = i
            k += 1
    if found > wanted:
        latest = begins[feasible]
        least = np.partition(latest, found - wanted)[found - wanted]
        ties = wanted - np.sum(latest > least)
        tied = feasible[latest == least]
        tied = tied[np.argsort(whose[tied])][:ties]
        feasible = np.concatenate((feasible[latest > least], tied))
    for i in feasible:
        server, begin, end = whose[i], begins[i], ends[i]
        if end > until and begin < since:
            begins[count], ends[count], whose[count] = begin, since, server
            count += 1
        if end > until:
            begins[i] = until
        else:
            ends[i] = since  # of no length perhaps, and past soon
    return count
