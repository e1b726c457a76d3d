"""Whether a job fits, and which clusters it gets.

A job fits exactly when its key is at most the room, entry by entry; where it then goes is a second
question, asked only of jobs that start. What is placed of a job, its parts, are its components by
cluster (ordered), by decreasing size (unordered), or their sum (flexible and total). The key is
the parts, with their total as a last entry where the queue is searched: the smallest components of
several jobs may fit together where none of the jobs does, and their smallest total often does not.

Unordered jobs that may stay whole (`SingleThenSpan`) fit as well if their total is at most the
largest idle number. Their keys have the total always, and their room one entry more than the keys.
Both ways only ask what is at most what, so lower bounds of several keys still serve.

For clusters with [5, 2, 4] idle, keys of two parts and a total, `set_room` gives:

    ordered    [5, 2, 7]    the idle processors of clusters 0 and 1, and their sum
    unordered  [5, 4, 9]    the two largest idle numbers, and their sum; where jobs may stay whole
                            [5, 4, 9, 5], the largest once more
"""

from collections import namedtuple

import numpy as np
from numba.extending import register_jitable

from coalloc_lib.basics.compilation import takes_fixed
from coalloc_lib.engines.kernels import kernel
from coalloc_lib.model.placement import FACTOR, PRIME

#: How jobs are placed, by codes: the request type; the rule for each part; the rule for one cluster
#: that can hold all of a flexible or unordered request, NONE for no such wish; a number of each
#: cluster, (c,): for first fit the order, the size for the least loaded, what the seed drew for
#: random fit.
Rule = namedtuple("Rule", "request choice single order")
takes_fixed(Rule)
ORDERED, UNORDERED, FLEXIBLE, TOTAL = range(4)
#: To be added to FLEXIBLE and TOTAL where jobs may stay on a cluster: see `placement.HomeSite`.
#: The parts are then what may go anywhere, and what stays on each cluster.
OR_STAYS = 2
FIRST_FIT, WORST_FIT, BEST_FIT, LEAST_LOADED, RANDOM_FIT = range(5)
NONE = -1


@kernel
def sort_rows(parts):
    """Sort the rows of `parts` by decreasing size; they are short: no branch, no general sort."""
    for row in range(parts.shape[0]):
        for last in range(1, parts.shape[1]):
            size = parts[row, last]
            for i in range(last if size > 0 else 0):
                one = parts[row, i]
                parts[row, i], size = max(one, size), min(one, size)
            parts[row, last] = size


@register_jitable
def empty_room(keys, rule):
    """Return an array for the room that `keys`, (n, k), are compared with under a `Rule`."""
    may_stay_whole = rule.request == UNORDERED and rule.single != NONE
    return np.empty(keys.shape[1] + int(may_stay_whole), np.int64)


@kernel(forceinline=True)
def total(numbers):
    """Return the sum of an array of whole numbers."""
    found = 0
    for number in numbers:
        found += number
    return found


@kernel(forceinline=True)
def largest(numbers):
    """Return the largest of an array of whole numbers, 0 at least."""
    found = 0
    for number in numbers:
        found = max(found, number)
    return found


@kernel(forceinline=True)
def copy(source, target):
    """Write an array into one that is as long, or longer; no array is made for that."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel(forceinline=True)
def set_room(idle, request, width, room):
    """Write into `room` what keys of `width` parts, and perhaps a total, are compared with."""
    if request == TOTAL:
        room[0] = largest(idle)
        return
    if request == ORDERED:
        for i in range(width):
            room[i] = idle[i]
    elif request == FLEXIBLE:
        room[0] = total(idle)
    elif request >= FLEXIBLE + OR_STAYS:
        room[0] = total(idle) if request == FLEXIBLE + OR_STAYS else largest(idle)
        for i in range(1, width):
            room[i] = idle[i - 1]
    else:  # the largest idle numbers, decreasing
        for i in range(width):
            room[i] = 0
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
    if len(room) > width + 1:
        room[width + 1] = room[0]


@kernel(forceinline=True)
def fits(key, room):
    """Whether a key is at most the room in all entries, or its total at most one entry more."""
    last = len(key) - 1
    if last == 0 and len(room) == 1:  # most logs: one part, one cluster or the largest of several
        return key[0] <= room[0]
    if len(room) - 1 > last and key[last] <= room[last + 1]:
        return True
    for i in range(len(key)):  # noqa: SIM110  (a loop compiles to less than all() does)
        if key[i] > room[i]:
            return False
    return True


@kernel
def fits_on_one(sizes, request, idle):
    """Whether one cluster holds all parts of a job together: its own, where it stays on one."""
    if request >= FLEXIBLE + OR_STAYS and sizes[0] == 0:
        return fits(sizes[1:], idle)
    return total(sizes) <= largest(idle)


@kernel
def draw(idle, number):
    """Return the place of a cluster in the order of random fit: see `RandomFit`."""
    state = 0
    for free in idle:
        state = (state * FACTOR + free) % PRIME
    state = (state + number) % PRIME
    square = state * state % PRIME
    return square * square % PRIME * state % PRIME


@kernel(forceinline=True)
def place(sizes, request, choice, single, order, idle, taken):
    """Write into `taken`, int32 (c,), the processors that a job that fits gets of each cluster.

    `sizes`, int32 (width,), are its parts; the rest is a `Rule`. With [5, 2, 4] idle and worst fit,
    parts [4, 2] unordered get [4, 0, 2], and 6 flexible [5, 0, 1]. With a `single` rule a job goes
    whole where one cluster holds it: [3, 2] unordered get [5, 0, 0].
    """
    taken[:] = 0
    if request == TOTAL and len(idle) == 1:
        taken[0] = sizes[0]
        return
    if request == ORDERED:
        copy(sizes, taken)
        return
    if request >= FLEXIBLE + OR_STAYS:
        if sizes[0] == 0:
            copy(sizes[1:], taken)
            return
        request, sizes = request - OR_STAYS, sizes[:1]
    for size in sizes:  # decreasing
        left, rule, least = size, choice, 1 if request == FLEXIBLE else size
        if single != NONE:
            left = least = total(sizes)
            rule = single
        while left > 0:  # one turn, or for a flexible request as many as it takes
            best = NONE
            for i in range(len(idle)):
                c = order[i] if rule == FIRST_FIT else i
                if taken[c] > 0 or idle[c] < least:
                    continue
                if (
                    best == NONE
                    or (rule == WORST_FIT and idle[c] > idle[best])
                    or (rule == BEST_FIT and idle[c] < idle[best])
                    or (rule == LEAST_LOADED and idle[c] * order[best] > idle[best] * order[c])
                    or (rule == RANDOM_FIT and draw(idle, order[c]) < draw(idle, order[best]))
                ):
                    best = c
                if rule == FIRST_FIT:
                    break
            if best == NONE:
                if single == NONE:
                    return
                single = NONE  # no cluster holds it whole
                left, rule, least = size, choice, 1 if request == FLEXIBLE else size
                continue
            taken[best] = min(left, idle[best])
            left -= taken[best]
        if single != NONE:  # it is placed whole
            return
