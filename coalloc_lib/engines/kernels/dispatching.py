"""The loop of dispatch at submission: where each job is sent, with the queues of all sites at once.

The plan of a site, in the steps of `profile_steps`, has its running jobs as long as expected and
its waiting ones each at the first instant from which it has room, in turn. It stays right as long
as jobs start and leave as planned. Where one did not, the waiting jobs are planned anew when next a
job is submitted; and those after a job that comes before them in the queue are planned when need
be. EASY on one cluster is the textbook's, with a shadow and extra processors.
"""

import numpy as np

from coalloc_lib.engines.kernels import events, kernel
from coalloc_lib.engines.kernels import profile_steps as steps
from coalloc_lib.engines.kernels.backfilling import close_up
from coalloc_lib.engines.kernels.placing import empty_room


@kernel
def run(stream, expected, rule, home, rank, sizes, levels, site, watch):
    """Write into `site`, int64 (n,), the cluster of each job; `home` has those of jobs that stay.

    The parts of the `Stream` are the processors; `rank`, int64 (clusters, n), has the place of each
    job in the queue of each; `expected` and `levels` are those of
    `backfilling.run_conservative`.
    """
    submit, runtime, _, parts, keys = stream
    n, count, idle, lengths = len(submit), len(sizes), sizes.copy(), expected.alone
    capacity, room, least = min(n, sizes.sum()), empty_room(keys, rule), np.empty(1, np.int64)
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    # The running jobs of each site once more, in the order of the ends that are expected of them.
    plan, whose = np.empty((count, capacity)), np.empty((count, capacity), np.int64)
    here, waiting = np.zeros(count, np.int64), np.zeros(count, np.int64)
    # How many of a queue, from its head, the plan has; where the newcomer stands in it.
    planned, place = np.zeros(count, np.int64), np.zeros(count, np.int64)
    queue, taken = np.empty((count, n), np.int64), np.empty(1, np.int32)
    stale, is_called = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    since, until, leaves = np.full(n, np.inf), np.full(n, np.inf), np.empty(n)
    reserved, how = steps.Reserved(since, until, parts), (rule.request, 1, 0, room)
    plans = [steps.new_steps(sizes[c : c + 1], levels) for c in range(count)]
    now, arrived, started, running = 0.0, 0, 0, 0
    while started < n and not watch[events.STOP]:
        watch[events.STARTED] = started
        now = events.next_instant(ends, running, submit, arrived, 0)
        is_called[:] = False
        while running and ends[0] <= now:
            job = events.pop(ends, numbers, running)
            running -= 1
            c = site[job]
            events.remove(plan[c], whose[c], here[c], leaves[job], job)
            here[c] -= 1
            idle[c] += parts[job, 0]
            is_called[c] = True
            if until[job] > now:
                steps.forget(plans[c], now)
                plans[c] = steps.with_room(plans[c], 2)
                steps.take(plans[c], now, until[job], parts[job], -1, *how)
                stale[c] = True

        while arrived < n and submit[arrived] <= now:
            job, first, last, fewest = arrived, np.inf, np.inf, 0
            for c in range(count):
                if parts[job, 0] > sizes[c] or (home[job] >= 0 and home[job] != c):
                    continue
                steps.forget(plans[c], now)
                place[c] = waiting[c]
                while place[c] and rank[c, queue[c, place[c] - 1]] > rank[c, job]:
                    place[c] -= 1
                kept = 0 if stale[c] else min(place[c], planned[c])
                stale[c] = False
                for other in queue[c, kept : planned[c]]:
                    plans[c] = steps.with_room(plans[c], 2)
                    begin = max(since[other], now)
                    steps.take(plans[c], begin, until[other], parts[other], -1, *how)
                    since[other] = np.inf
                for other in queue[c, kept : place[c]]:
                    plans[c] = steps.with_room(plans[c], 2)
                    begin, stop = steps.earliest(
                        other, plans[c], now, np.inf, reserved, numbers, 0, parts, keys,
                        expected, rule, least, room, taken,
                    )  # fmt: skip
                    stop = max(stop, np.nextafter(begin, np.inf))
                    steps.take(plans[c], begin, stop, parts[other], 1, *how)
                    since[other], until[other] = begin, stop
                planned[c] = place[c]
                begin, stop = steps.earliest(
                    job, plans[c], now, np.nextafter(first, np.inf), reserved, numbers, 0, parts,
                    keys, expected, rule, least, room, taken,
                )  # fmt: skip
                if begin == np.inf:
                    continue
                stop = max(stop, np.nextafter(begin, np.inf))
                begins, free, blocks, _, _ = plans[c]
                at, row = steps.find(begins, blocks, begin)
                steps.stays(
                    begins, free, blocks, at, row, begin, stop, job, reserved, numbers, 0, least
                )
                if begin < first or least[0] < fewest:
                    site[job], first, last, fewest = c, begin, stop, least[0]
            c = site[job]
            plans[c] = steps.with_room(plans[c], 2)
            steps.take(plans[c], first, last, parts[job], 1, *how)
            since[job], until[job] = first, last
            queue[c, place[c] + 1 : waiting[c] + 1] = queue[c, place[c] : waiting[c]].copy()
            queue[c, place[c]] = job
            waiting[c] += 1
            planned[c] += 1
            is_called[c] = True
            arrived += 1

        for c in np.flatnonzero(is_called):
            has_head, shadow, extra, before = False, np.inf, 0, started
            for job in queue[c, : waiting[c]]:
                wanted, leaves[job] = parts[job, 0], now + lengths[job]
                if wanted > idle[c]:
                    if not has_head:
                        has_head, free, i = True, idle[c], 0
                        while free < wanted or (i < here[c] and plan[c, i] == shadow):
                            free += parts[whose[c, i], 0]
                            shadow = plan[c, i]
                            i += 1
                        extra = free - wanted
                    continue
                if has_head and leaves[job] > shadow:
                    if wanted > extra:
                        continue
                    extra -= wanted
                if since[job] != now:
                    steps.forget(plans[c], now)
                    plans[c] = steps.with_room(plans[c], 4)
                    if since[job] < np.inf:
                        begin = max(since[job], now)
                        steps.take(plans[c], begin, until[job], parts[job], -1, *how)
                    until[job] = max(leaves[job], np.nextafter(now, np.inf))
                    steps.take(plans[c], now, until[job], parts[job], 1, *how)
                    stale[c] = True
                since[job] = -np.inf
                idle[c] -= wanted
                events.push(ends, numbers, running, now + runtime[job], job)
                events.insert(plan[c], whose[c], here[c], leaves[job], job)
                running += 1
                here[c] += 1
                started += 1
            if started > before:
                waiting[c], _ = close_up(queue[c], waiting[c], since)
                planned[c] = 0
                while planned[c] < waiting[c] and since[queue[c, planned[c]]] < np.inf:
                    planned[c] += 1
    return started
