"""The search for a waiting job that may pass the head of the queue, by two rooms at once.

A job may pass if it fits into `room`, what is idle now, and is expected to end by the `shadow`, or
fits into `beside` too, which leaves the head what it needs then. Two trees over the queue (see
`waiting`) bound both, entry by entry: one the keys, one the least lengths. A branch none of whose
jobs could pass is passed over. A branch of which some jobs would fit and others would end in time,
but none does both, is not: in a queue of such jobs the search looks at all of them.

With room for [5], [2] beside the head and 10 units of time until the shadow: what keys and lengths
of one branch, at least, say of it:

    [6], 1     none fits                     [3], 12    none ends in time, nor fits beside
    [3], 4     some may fit and end          [2], 12    some may fit beside
"""

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.placing import fits
from coalloc_lib.engines.kernels.queue_tree import BLOCK, enter, tighten


@kernel
def may_pass(key, least, room, beside, now, shadow):
    """Whether a job of this key, (k,), and least length may pass; or of such bounds, some job."""
    return fits(key, room) and (now + least <= shadow or fits(key, beside))


@kernel
def next_passing(trees, room, beside, now, shadow, block):
    """Return the first block from `block` on in which a job might pass; -1 if there is none."""
    tree, shortest = trees
    leaves = tree.shape[0] // 2
    node = leaves + block
    while True:
        while may_pass(tree[node], shortest[node, 0], room, beside, now, shadow):
            if node >= leaves:
                return node - leaves
            node *= 2
        while node & 1:  # as in `waiting.next_block`
            node >>= 1
        if node == 0:
            return -1
        node += 1


@kernel
def first_passing(trees, keys, least, waiting, begin, fresh, stop, room, beside, now, shadow):
    """Return the first waiting job from `begin` on, before `stop`, that may pass; -1 if none.

    Jobs from `fresh` on are not in the `trees` yet. Writes into these where it tightens.
    """
    job = begin
    while job < stop:
        whole = job % BLOCK == 0 and job < fresh
        if whole:
            block = next_passing(trees, room, beside, now, shadow, job // BLOCK)
            job = fresh if block < 0 else block * BLOCK
        edge = min((job // BLOCK + 1) * BLOCK, stop)
        for candidate in range(job, edge):
            if waiting[candidate] and may_pass(
                keys[candidate], least[candidate, 0], room, beside, now, shadow
            ):
                return candidate
        if whole and job < fresh:
            tighten(trees.keys, keys, waiting, job // BLOCK, fresh)
            tighten(trees.least, least, waiting, job // BLOCK, fresh)
        job = edge
    return -1


@kernel
def wait(trees, keys, least, job):
    """Enter a job into both trees."""
    enter(trees.keys, keys, job)
    enter(trees.least, least, job)
