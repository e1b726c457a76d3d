"""The compiled engine's kernels: loops over arrays, nothing else.

They translate `coalloc_lib.placement` and `coalloc_lib.scheduling`; the tests hold both to the
same schedules. What makes them fast:

* A job fits exactly when its `key` is at most the system's `room`, component by component
  (`set_room`); which clusters it then gets is a second question, asked only of jobs that start.
* Every job numbered below the head of the queue has started, so the head has been overtaken
  (started jobs) - (its number) times: no counters to keep.
* Idle processors only grow at departures, so after an arrival only the new jobs can fit.
* The queue is a tree over blocks of jobs that keeps a lower bound of the keys in each block: a
  block whose bound does not fit is passed over whole. A start leaves the bounds above it too
  low, which is safe; the next scan that passes the block in vain tightens them. The smallest
  components of several jobs may fit together where none of the jobs does: their smallest total
  often does not, so it is a part of the key.
"""

from collections import namedtuple

import numpy as np
from numba import njit

#: The jobs in order of arrival: instants, run times on one cluster and on several; `parts`, what
#: is placed (ordered: components by cluster; unordered: by decreasing size; else their sum), shape
#: (n, width); and `keys`, the same, with the total as a last column where the queue is searched.
Stream = namedtuple("Stream", "submit runtime spanning parts keys")
#: Integer codes of the request type and placement rule, the clusters in first-fit order, the
#: limit of FPFS and the length at which the queue is held (0: it is not).
Policy = namedtuple("Policy", "request rule order max_jumps backlog")

ORDERED, UNORDERED, FLEXIBLE, TOTAL = range(4)
FIRST_FIT, WORST_FIT, BEST_FIT = range(3)

#: Jobs in a leaf of the tree; scanning a few keys side by side is cheaper than a level of tree.
BLOCK = 4
#: The key of a job that does not wait.
NEVER = np.iinfo(np.int32).max

_jit = njit(cache=True, nogil=True)


@_jit
def set_room(idle, request, width, room):
    """Write into `room` what a key, of `width` parts and perhaps a total, is compared with."""
    if request == ORDERED:
        for i in range(width):
            room[i] = idle[i]
    elif request == FLEXIBLE:
        room[0] = idle.sum()
    else:  # the largest idle numbers, decreasing
        for i in range(width):
            room[i] = -1
        for free in idle:
            if free > room[width - 1]:
                i = width - 1
                while i > 0 and room[i - 1] < free:
                    room[i] = room[i - 1]
                    i -= 1
                room[i] = free
    if len(room) > width:
        room[width] = 0
        for i in range(width):
            room[width] += room[i]


@_jit
def fits(key, room):
    """Whether a key is at most the room in every entry."""
    for i in range(len(room)):  # noqa: SIM110  (a loop compiles to less than all() does)
        if key[i] > room[i]:
            return False
    return True


@_jit
def place(sizes, request, rule, order, idle, taken):
    """Write into `taken` the processors that a job that fits gets of each cluster."""
    taken[:] = 0
    if request == ORDERED:
        taken[: len(sizes)] = sizes
        return
    for size in sizes:  # decreasing
        left = size
        while left > 0:  # one turn, or for a flexible request as many as it takes
            best = -1
            for c in order:
                if taken[c] > 0 or (idle[c] < size and request != FLEXIBLE):
                    continue
                if (
                    best < 0
                    or (rule == WORST_FIT and idle[c] > idle[best])
                    or (rule == BEST_FIT and idle[c] < idle[best])
                ):
                    best = c
                if rule == FIRST_FIT:
                    break
            taken[best] = min(left, idle[best])
            left -= taken[best]


@_jit
def push(ends, numbers, count, end, number):
    """Add a running job to the heap of departures that holds `count` jobs."""
    i = count
    while i > 0:
        parent = (i - 1) >> 1
        if ends[parent] <= end:
            break
        ends[i], numbers[i] = ends[parent], numbers[parent]
        i = parent
    ends[i], numbers[i] = end, number


@_jit
def pop(ends, numbers, count):
    """Remove the first departure from the heap of `count` jobs; return its job."""
    first = numbers[0]
    last = count - 1
    end, number = ends[last], numbers[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and ends[child + 1] < ends[child]:
            child += 1
        if ends[child] >= end:
            break
        ends[i], numbers[i] = ends[child], numbers[child]
        i = child
    ends[i], numbers[i] = end, number
    return first


@_jit
def enter(tree, keys, job):
    """Lower the bounds of the block of `job`, and of all above it, to the key of `job`."""
    node = tree.shape[0] // 2 + job // BLOCK
    while node > 0:
        changed = False
        for i in range(keys.shape[1]):
            if keys[job, i] < tree[node, i]:
                tree[node, i] = keys[job, i]
                changed = True
        if not changed:
            return
        node >>= 1


@_jit
def tighten(tree, keys, waiting, block, stop):
    """Raise the bounds of a block, and of all above it, to its waiting jobs before `stop`."""
    node = tree.shape[0] // 2 + block
    tree[node] = NEVER
    for job in range(block * BLOCK, min((block + 1) * BLOCK, stop)):
        if waiting[job]:
            for i in range(keys.shape[1]):
                tree[node, i] = min(tree[node, i], keys[job, i])
    node >>= 1
    while node > 0:
        changed = False
        for i in range(keys.shape[1]):
            smallest = min(tree[2 * node, i], tree[2 * node + 1, i])
            changed = changed or smallest != tree[node, i]
            tree[node, i] = smallest
        if not changed:
            return
        node >>= 1


@_jit
def next_block(tree, room, block):
    """Return the first block from `block` on whose bounds fit; -1 if there is none."""
    leaves = tree.shape[0] // 2
    node = leaves + block
    while True:
        if fits(tree[node], room):
            if node >= leaves:
                return node - leaves
            node *= 2
        else:
            while node & 1:  # a right child: what is right of it hangs on a node above
                node >>= 1
            if node == 0:
                return -1
            node += 1


@_jit
def first_fitting(tree, keys, waiting, begin, fresh, stop, room):
    """Return the first waiting job from `begin` on, before `stop`, that fits; -1 if none.

    Jobs from `fresh` on have just arrived and are not in the tree yet.
    """
    job = begin
    while job < fresh:
        whole = job % BLOCK == 0
        if whole:
            block = next_block(tree, room, job // BLOCK)
            if block < 0:
                break
            job = block * BLOCK
        edge = min((job // BLOCK + 1) * BLOCK, fresh)
        while job < edge:
            if waiting[job] and fits(keys[job], room):
                return job
            job += 1
        if whole:
            tighten(tree, keys, waiting, (job - 1) // BLOCK, fresh)
    for job in range(max(begin, fresh), stop):
        if waiting[job] and fits(keys[job], room):
            return job
    return -1


@_jit
def run(stream, policy, idle, tree, start, end, entered, allocation):
    """Run every job of `stream` (a `Stream`) under `policy` (a `Policy`), from idle clusters.

    Writes into start, end (n,), entered (n,) and allocation (n, clusters). Jobs are numbered in
    order of arrival. `max_jumps` 0 is FCFS. With a `backlog` the queue is topped up to that many
    jobs at every instant, and submissions do not count.
    """
    n = len(stream.submit)
    keys, width = stream.keys, stream.parts.shape[1]
    waiting = np.zeros(n, np.bool_)
    room = np.empty(keys.shape[1], np.int64)
    capacity = min(n, idle.sum())
    ends, numbers = np.empty(capacity), np.empty(capacity, np.int64)
    head = arrived = started = running = 0
    now, again = 0.0, True
    while started < n:
        if not again:
            now = ends[0] if running else np.inf
            if policy.backlog == 0 and arrived < n:
                now = min(now, stream.submit[arrived])
        departed = False
        while running and ends[0] <= now:
            job = pop(ends, numbers, running)
            running -= 1
            for c in range(len(idle)):
                idle[c] += allocation[job, c]
            departed = True
        fresh = arrived
        while arrived < n and (
            arrived - started < policy.backlog if policy.backlog else stream.submit[arrived] <= now
        ):
            entered[arrived] = now
            waiting[arrived] = True
            arrived += 1

        job, already = head if departed else fresh, started
        while job < arrived:
            set_room(idle, policy.request, width, room)
            if started - head < policy.max_jumps:
                job = first_fitting(tree, keys, waiting, job, fresh, arrived, room)
            elif job <= head and fits(keys[head], room):
                job = head
            else:
                job = -1
            if job < 0:
                break
            parts, taken = stream.parts[job], allocation[job]
            place(parts, policy.request, policy.rule, policy.order, idle, taken)
            clusters = 0
            for c in range(len(idle)):
                idle[c] -= taken[c]
                clusters += taken[c] > 0
            start[job] = now
            end[job] = now + (stream.spanning[job] if clusters > 1 else stream.runtime[job])
            push(ends, numbers, running, end[job], job)
            running += 1
            started += 1
            waiting[job] = False
            while head < arrived and not waiting[head]:
                head += 1
            job += 1
        if policy.max_jumps:
            for newcomer in range(fresh, arrived):
                if waiting[newcomer]:
                    enter(tree, keys, newcomer)
        again = policy.backlog > 0 and started > already and arrived < n
