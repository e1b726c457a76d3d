"""The loop of dispatch at submission: where each job is sent, with the queues of all sites at once.

The plan of a site, in the steps of `profile_steps`, has its running jobs as long as expected and
its waiting ones each at the first instant from which it has room, in turn. It stays right as long
as jobs start and leave as planned. Where one did not, the waiting jobs are planned again when next
a job is submitted; and those after a job that comes before them in the queue are planned when need
be. Each site serves its queue by EASY, with the shadow of `backfilling`.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import events, kernel
from coalloc_lib.engines.kernels import profile_steps as steps
from coalloc_lib.engines.kernels.backfilling import Plan, Work, cast_shadow, close_up, new_work
from coalloc_lib.engines.kernels.placing import TOTAL, empty_room

#: What never changes: the processors and keys of the jobs, how long they run and are expected to,
#: the place of each in the queue of each site, int64 (c, n), the site that some may not leave, and
#: the sizes of the sites.
Given = namedtuple("Given", "parts keys runtime expected rank home sizes")
#: What goes on at each of c sites, int64 and bool (c,): its idle processors; its queue, (c, n), of
#: which so many jobs are `waiting`, and the first so many `planned`; its `running` jobs in the
#: order of their expected ends, `ends` and `jobs`, (c, jobs); whether its plan is `stale`, and
#: whether its queue is to be served.
Sites = namedtuple("Sites", "idle queue waiting planned running ends jobs stale called")
#: Of each job, float64 (n,): from when its site's plan has it (-inf: it runs; inf: it is not in the
#: plan), until when, and when it is expected to leave.
Times = namedtuple("Times", "since until leaves")
#: Working arrays of searches in a plan; see `profile_steps.earliest`.
Search = namedtuple("Search", "rule reserved momentary least room taken")


@kernel(makes_arrays=True)
def run(stream, expected, rule, home, rank, sizes, levels, site, watch):
    """Write into `site`, int64 (n,), the cluster of each job; `home` has those of jobs that stay.

    The parts of the `Stream` are the processors; `rank`, int64 (clusters, n), has the place of each
    job in the queue of each; `expected` and `levels` are those of
    `backfilling.run_conservative`.
    """
    submit, runtime, _, parts, keys = stream
    n, count = len(submit), len(sizes)
    capacity = min(n, sizes.sum())
    given = Given(parts, keys, runtime, expected, rank, home, sizes)
    sites = new_sites(sizes, n, capacity)
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    times = Times(np.full(n, np.inf), np.full(n, np.inf), np.empty(n))
    search = new_search(keys, parts, rule, times)
    plans = stacked([steps.new_steps(sizes[c : c + 1], levels) for c in range(count)])
    work = new_work(sites.idle[:1], keys, rule)
    now, arrived, started, running = 0.0, 0, 0, 0
    while started < n and not watch[events.STOP]:
        watch[events.STARTED] = started
        now = events.next_instant(ends, running, submit, arrived, 0)
        sites.called[:] = False
        while running and ends[0] <= now:
            job = events.pop(ends, numbers, running)
            running -= 1
            plans = with_room(plans, sites)
            leave(job, site[job], now, given, sites, times, plans, search.room)
        while arrived < n and submit[arrived] <= now:
            plans = with_room(plans, sites)
            site[arrived] = send(arrived, now, given, sites, times, plans, search)
            arrived += 1
        for c in range(count):
            if sites.called[c]:
                plans = with_room(plans, sites)
                already = running
                running = serve(
                    c, now, given, sites, times, plans, ends, numbers, running, work, search.room
                )
                started += running - already
    return started


@kernel(makes_arrays=True)
def new_sites(sizes, n, capacity):
    """Return what goes on at sites of these sizes before the first job comes: nothing."""
    count = len(sizes)
    return Sites(
        sizes.copy(),
        np.empty((count, n), np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.empty((count, capacity)),
        np.empty((count, capacity), np.int64),
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
    )


@kernel(makes_arrays=True)
def new_search(keys, parts, rule, times):
    """Return the working arrays of searches; no plan has jobs that are expected to take no time."""
    reserved = steps.Reserved(times.since, times.until, parts)
    least, room, taken = np.empty(1, np.int64), empty_room(keys, rule), np.empty(1, np.int32)
    return Search(rule, reserved, np.empty(0, np.int64), least, room, taken)


@kernel(makes_arrays=True)
def stacked(plans):
    """Return the plans of all sites as `steps.Steps` whose arrays have one more axis, the sites."""
    blocks, count, levels = max([len(plan.known) for plan in plans]), len(plans), plans[0].levels
    rows = blocks * steps.BLOCK
    begin, idle = np.empty((count, rows)), np.empty((count, rows, 2), np.int64)
    table, known = np.zeros((count, 4, blocks), np.int64), np.empty((count, blocks, 3, len(levels)))
    table[:, steps.CHANGED] = 1
    for c in range(count):
        plan = plans[c]
        begin[c, : len(plan.begin)], idle[c, : len(plan.begin)] = plan.begin, plan.idle
        table[c, :, : plan.blocks.shape[1]] = plan.blocks
    return steps.Steps(begin, idle, table, known, levels)


@kernel(forceinline=True)
def plan_of(plans, c):
    """Return the plan of a site; it is borrowed, and not for those that count references."""
    begin, idle, blocks, known, levels = plans
    return steps.Steps(begin[c], idle[c], blocks[c], known[c], levels)


@kernel(forceinline=True)
def most_used(blocks, waiting):
    """Return how many new blocks are used at most while each of so many waiting jobs is moved.

    That gives back and takes once per job, and enters four steps. A full block takes another for
    the first that is entered in it, and then one for as many as half a block holds.
    """
    return blocks[steps.NUMBERS, steps.BLOCKS] + 4 * (waiting + 2) // steps.HALF + 1


@kernel(forceinline=True)
def lacks_room(plans, sites):
    """Whether the plan of a site might run out of blocks before the next look."""
    for c in range(len(plans.blocks)):
        blocks = plans.blocks[c]
        free = blocks.shape[1] - blocks[steps.NUMBERS, steps.USED]
        if free < most_used(blocks, sites.waiting[c]):
            return True
    return False


@kernel(makes_arrays=True)
def with_room(plans, sites):
    """Return the plans: all in new blocks, if one might run out of them."""
    if not lacks_room(plans, sites):
        return plans
    made = []
    for c in range(len(plans.blocks)):
        arrays = plans.begin[c], plans.idle[c], plans.blocks[c], plans.known[c]  # counted, here
        plan = steps.Steps(*arrays, plans.levels)
        made.append(steps.packed(plan, most_used(plan.blocks, sites.waiting[c])))
    return stacked(made)


@kernel(forceinline=True)
def take(c, job, begin, end, sign, parts, plans, room):
    """Take the processors of a job off the plan of a site for a time, or give them back (-1)."""
    steps.take(plan_of(plans, c), begin, end, parts[job], sign, TOTAL, 1, 0, room)


@kernel(forceinline=True)
def leave(job, c, now, given, sites, times, plans, room):
    """Let a job leave its site; what it had left of its time is idle in the plan."""
    events.remove(sites.ends[c], sites.jobs[c], sites.running[c], times.leaves[job], job)
    sites.running[c] -= 1
    sites.idle[c] += given.parts[job, 0]
    sites.called[c] = True
    if times.until[job] > now:
        steps.forget(plan_of(plans, c), now)
        take(c, job, now, times.until[job], -1, given.parts, plans, room)
        sites.stale[c] = True


@kernel(forceinline=True)
def send(job, now, given, sites, times, plans, search):
    """Put a job into the queue and the plan of the site with its first start; return the site."""
    best, best_place, first, last, fewest = -1, 0, np.inf, np.inf, 0
    for c in range(len(given.sizes)):
        may_go = given.home[job] < 0 or given.home[job] == c
        if not may_go or given.parts[job, 0] > given.sizes[c]:
            continue
        steps.forget(plan_of(plans, c), now)
        place = place_in_queue(job, c, given, sites)
        plan_queue(c, place, now, given, sites, times, plans, search)
        begin, stop = first_start(job, c, now, np.nextafter(first, np.inf), given, plans, search)
        if begin == np.inf:
            continue
        left = idle_during(job, c, begin, stop, plans, search)
        if begin < first or left < fewest:
            best, best_place, first, last, fewest = c, place, begin, stop, left
    take(best, job, first, last, 1, given.parts, plans, search.room)
    times.since[job], times.until[job] = first, last
    queue, waiting = sites.queue[best], sites.waiting[best]
    for i in range(waiting, best_place, -1):
        queue[i] = queue[i - 1]
    queue[best_place] = job
    sites.waiting[best] += 1
    sites.planned[best] += 1
    sites.called[best] = True
    return best


@kernel(forceinline=True)
def place_in_queue(job, c, given, sites):
    """Return how many jobs of a site's queue come before a job."""
    place = sites.waiting[c]
    while place and given.rank[c, sites.queue[c, place - 1]] > given.rank[c, job]:
        place -= 1
    return place


@kernel(forceinline=True)
def plan_queue(c, place, now, given, sites, times, plans, search):
    """Plan just those of a site's queue that stand before a place."""
    kept = 0 if sites.stale[c] else min(place, sites.planned[c])
    sites.stale[c] = False
    for job in sites.queue[c, kept : sites.planned[c]]:
        take(
            c, job, max(times.since[job], now), times.until[job], -1, given.parts, plans,
            search.room,
        )  # fmt: skip
        times.since[job] = np.inf
    for job in sites.queue[c, kept:place]:
        begin, stop = first_start(job, c, now, np.inf, given, plans, search)
        take(c, job, begin, stop, 1, given.parts, plans, search.room)
        times.since[job], times.until[job] = begin, stop
    sites.planned[c] = place


@kernel(forceinline=True)
def first_start(job, c, now, before, given, plans, search):
    """Return the first start of a job in the plan of a site, and its end, a moment later at least.

    The start is infinite where there is none before an instant.
    """
    begin, stop = steps.earliest(
        job, plan_of(plans, c), now, before, search.reserved, search.momentary, 0, given.parts,
        given.keys, given.expected, search.rule, search.least, search.room, search.taken,
    )  # fmt: skip
    return begin, max(stop, np.nextafter(begin, np.inf))


@kernel(forceinline=True)
def idle_during(job, c, begin, stop, plans, search):
    """Return how many processors stay idle in the plan of a site from an instant to another."""
    begins, free, blocks, _, _ = plan_of(plans, c)
    at, row = steps.find(begins, blocks, begin)
    steps.stays(
        begins, free, blocks, at, row, begin, stop, job, search.reserved, search.momentary, 0,
        search.least,
    )  # fmt: skip
    return search.least[0]


@kernel(forceinline=True)
def serve(c, now, given, sites, times, plans, ends, numbers, running, work, room):
    """Start the jobs of a site's queue that may start now, by EASY; return how many run now."""
    idle, leaves, before = sites.idle, times.leaves, running
    has_head, shadow, extra = False, np.inf, 0
    for job in sites.queue[c, : sites.waiting[c]]:
        wanted, leaves[job] = given.parts[job, 0], now + given.expected.alone[job]
        if wanted > idle[c]:
            if not has_head:
                has_head = True
                plan = Plan(sites.ends[c], sites.jobs[c], given.parts)
                here = Work(idle[c : c + 1], *work[1:])
                shadow = cast_shadow(given.keys, job, TOTAL, 1, plan, sites.running[c], here)
                extra = work.spare[0] - wanted
            continue
        if has_head and leaves[job] > shadow:
            if wanted > extra:
                continue
            extra -= wanted
        hold(c, job, now, given, sites, times, plans, room)
        idle[c] -= wanted
        events.push(ends, numbers, running, now + given.runtime[job], job)
        running += 1
        events.insert(sites.ends[c], sites.jobs[c], sites.running[c], leaves[job], job)
        sites.running[c] += 1
    if running > before:
        queue = sites.queue[c]
        sites.waiting[c], _ = close_up(queue, sites.waiting[c], times.since)
        count = 0
        while count < sites.waiting[c] and times.since[queue[count]] < np.inf:
            count += 1
        sites.planned[c] = count
    return running


@kernel(forceinline=True)
def hold(c, job, now, given, sites, times, plans, room):
    """Let the plan of a site have a job that starts now; it is stale where it had it later."""
    since, until = times.since, times.until
    if since[job] != now:
        steps.forget(plan_of(plans, c), now)
        if since[job] < np.inf:
            take(c, job, max(since[job], now), until[job], -1, given.parts, plans, room)
        until[job] = max(times.leaves[job], np.nextafter(now, np.inf))
        take(c, job, now, until[job], 1, given.parts, plans, room)
        sites.stale[c] = True
    since[job] = -np.inf
