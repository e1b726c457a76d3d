"""Online scheduling without any index, compiled: every attempt looks at all idle periods."""

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
    whose = np.arange(capacity)
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
        for attempt in range(most):
            since = earliest[job] + attempt * step
            until = since + length[job]
            if until > horizon:
                break
            attempts[job] += 1
            found = 0
            for i in range(count):
                found += (begins[i] <= since) & (ends[i] >= until)
            if found >= wanted[job]:
                start[job] = since
                count = _take(begins, ends, whose, count, since, until, found, wanted[job])
                break


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
