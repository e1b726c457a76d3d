"""Whether a job fits, and which clusters it gets.

The *parts* of a job are the numbers of processors that are placed. For an ordered request they are
the components, by cluster; for an unordered request, the components by decreasing size; for a
flexible or total request, the total number of processors.

The *key* of a job is compared with the *room* that the idle processors offer. A job fits if no
entry of its key exceeds the room. The key consists of the parts and, if the queue is searched, of
the total number of processors as a last entry. The total makes lower bounds of several keys
sharper: the smallest components of several jobs may fit together although none of the jobs fits,
but their smallest total often does not fit.

An unordered job that may stay whole (`SingleThenSpan`) also fits if its total does not exceed the
largest number of idle processors of a cluster. Its key always has the total, and the room has one
more entry than the key. Both tests are monotone in the key, so lower bounds of several keys can be
tested too.

For clusters with [5, 2, 4] idle processors, and keys of two parts and a total, `set_room` gives:

    ordered    [5, 2, 7]    the idle processors of clusters 0 and 1, and their sum
    unordered  [5, 4, 9]    the two largest numbers of idle processors, and their sum
               [5, 4, 9, 5] the same if jobs may stay whole, followed by the largest number

Which clusters a job gets is decided by `place`, only for jobs that start.
"""

from collections import namedtuple

import numpy as np
from numba.extending import register_jitable

from coalloc_lib.basics.compilation import takes_fixed
from coalloc_lib.engines.kernels import kernel
from coalloc_lib.model.placement import FACTOR, PRIME

#: A named tuple with the placement of the jobs.
#:
#: - `request`: the code of the request type.
#: - `choice`: the code of the rule that chooses a cluster for each part of a job.
#: - `single`: the code of the rule that chooses one cluster for a whole flexible or unordered job,
#:   or NONE if the placement does not try to keep a job on one cluster.
#: - `order`, int64 (c,): one number for each of c clusters. For first fit, these numbers are the
#:   clusters in the order in which they are tried; for the least loaded rule, the cluster sizes;
#:   and for random fit, random numbers.
Rule = namedtuple("Rule", "request choice single order")
takes_fixed(Rule)
ORDERED, UNORDERED, FLEXIBLE, TOTAL = range(4)
#: The number that is added to the request code FLEXIBLE or TOTAL if some jobs must stay on their
#: own cluster (see `placement.HomeSite`). The first part of each job is then the number of
#: processors that any cluster may provide. Part c + 1 is the number of processors that cluster c
#: must provide.
OR_STAYS = 2
FIRST_FIT, WORST_FIT, BEST_FIT, LEAST_LOADED, RANDOM_FIT = range(5)
NONE = -1


@kernel
def sort_rows(parts):
    """Sort each row of an array of processor counts in decreasing order.

    Rows are short, and insertion without branches is faster for them than a general sort.
    """
    for row in range(parts.shape[0]):
        for last in range(1, parts.shape[1]):
            size = parts[row, last]
            for i in range(last if size > 0 else 0):
                one = parts[row, i]
                parts[row, i], size = max(one, size), min(one, size)
            parts[row, last] = size


@register_jitable
def empty_room(keys, rule):
    """Return an uninitialized array for the limits that `fits` compares with the keys of jobs.

    `keys` has shape (n, k), and the `Rule` is the placement of the jobs.
    """
    may_stay_whole = rule.request == UNORDERED and rule.single != NONE
    return np.empty(keys.shape[1] + int(may_stay_whole), np.int64)


@kernel(forceinline=True)
def total(numbers):
    """Return the sum of some whole numbers."""
    found = 0
    for number in numbers:
        found += number
    return found


@kernel(forceinline=True)
def largest(numbers):
    """Return the largest of some whole numbers, or 0 if all of them are negative."""
    found = 0
    for number in numbers:
        found = max(found, number)
    return found


@kernel(forceinline=True)
def copy(source, target):
    """Copy an array to the beginning of another array."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel(forceinline=True)
def set_room(idle, request, width, room):
    """Compute the limits on the keys of jobs that fit on the idle processors.

    The limits are written into `room`. Each job has `width` parts; see the module docstring.
    """
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
    else:  # The largest numbers of idle processors, in decreasing order.
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
    """Return whether a job fits: whether its key does not exceed the limits in `room`.

    A job whose room has an entry more than its key also fits if its total does not exceed this
    entry.
    """
    last = len(key) - 1
    if last == 0 and len(room) == 1:  # The most frequent case is tested first.
        return key[0] <= room[0]
    if len(room) - 1 > last and key[last] <= room[last + 1]:
        return True
    for i in range(len(key)):  # noqa: SIM110  (a loop compiles to faster code than all())
        if key[i] > room[i]:
            return False
    return True


@kernel
def fits_on_one(sizes, request, idle):
    """Return whether a whole job, with all its parts, fits on one cluster.

    A job that must stay on its own cluster needs this cluster.
    """
    if request >= FLEXIBLE + OR_STAYS and sizes[0] == 0:
        return fits(sizes[1:], idle)
    return total(sizes) <= largest(idle)


@kernel
def random_key(idle, number):
    """Return the number by which random fit sorts a cluster, as `RandomFit` defines it."""
    state = 0
    for free in idle:
        state = (state * FACTOR + free) % PRIME
    state = (state + number) % PRIME
    square = state * state % PRIME
    return square * square % PRIME * state % PRIME


@kernel(forceinline=True)
def place(sizes, request, choice, single, order, idle, taken):
    """Place a job: write its number of processors in each cluster into `taken`, int32 (c,).

    The job must fit. `sizes`, int32 (width,), are its parts; `request`, `choice`, `single` and
    `order` are the fields of a `Rule`. If [5, 2, 4] processors are idle, worst fit places an
    unordered request with the parts [4, 2] on [4, 0, 2], and a flexible request for 6 processors on
    [5, 0, 1]. With a `single` rule, an unordered request with the parts [3, 2] is placed whole, on
    [5, 0, 0].
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
    for size in sizes:
        left, rule, least = size, choice, 1 if request == FLEXIBLE else size
        if single != NONE:
            left = least = total(sizes)
            rule = single
        # A flexible request can be spread over several clusters, but a component cannot.
        while left > 0:
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
                    or (
                        rule == RANDOM_FIT
                        and random_key(idle, order[c]) < random_key(idle, order[best])
                    )
                ):
                    best = c
                if rule == FIRST_FIT:
                    break
            if best == NONE:
                if single == NONE:
                    return
                single = NONE  # The job fits whole on no cluster.
                left, rule, least = size, choice, 1 if request == FLEXIBLE else size
                continue
            taken[best] = min(left, idle[best])
            left -= taken[best]
        if single != NONE:  # The whole job is placed.
            return
