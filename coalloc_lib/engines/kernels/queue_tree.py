"""The queue, as a tree over blocks of jobs that keeps a lower bound of the keys in each block.

Node 1 is the root, node i has the children 2 i and 2 i + 1, and the last half of the rows are the
leaves: leaf b is for jobs BLOCK b to BLOCK (b + 1) - 1. Each row is entry by entry at most the
keys of the waiting jobs below it, so a block, or a whole branch, whose row does not fit is passed
over. A start leaves the rows above it lower than they could be, which is safe; the next scan that
passes the block in vain tightens them. An example with BLOCK = 4, keys of one entry, 16 jobs of
which 0, 1, 6 and 13 wait with keys 7, 9, 3 and 8:

    root             3
    nodes 2, 3       3         8
    leaves 4 to 7    7    3    NEVER  8

With room for 5, `next_block` passes leaf 4, stops at leaf 5; after job 6 has started, the scan of
its block finds nothing, `tighten` sets leaf 5 to NEVER, node 2 to 7 and the root to 7, and the
scan after that ends at the root.

Under EASY a job may pass the head of the queue if it fits into `room`, what is idle now, and is
expected to end by the `shadow`, or fits into `beside` too, which leaves the head what it needs
then. Two trees bound both, one of keys and one of least lengths. A branch none of whose jobs could
pass is passed over; one of which some would fit and others end in time, but none does both, is not.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.placing import fits

#: Jobs in a leaf of the tree; scanning a few keys side by side is cheaper than a level of tree.
BLOCK = 4
#: The key of a job that does not wait.
NEVER = np.iinfo(np.int32).max
#: Bounds of the keys, and of the least expected lengths.
Trees = namedtuple("Trees", "keys least")


def empty_tree(jobs: int, width: int, kind: type = np.int32) -> np.ndarray:
    """Return the tree of so many jobs with keys of `width` entries, none of which waits."""
    blocks = -(-jobs // BLOCK)
    leaves = 1 << max(blocks - 1, 0).bit_length()
    return np.full((2 * leaves, width), NEVER, dtype=kind)


@kernel
def enter(tree, keys, job):
    """Lower the rows of the block of `job`, and of all above it, to the key of `job`."""
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


@kernel
def tighten(tree, keys, waiting, block, stop):
    """Raise the rows of a block, and of all above it, to its waiting jobs before `stop`."""
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


@kernel
def next_block(tree, room, block):
    """Return the first block from `block` on whose row fits; -1 if there is none."""
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


@kernel
def first_fitting(tree, keys, waiting, begin, fresh, stop, room):
    """Return the first waiting job from `begin` on, before `stop`, that fits; -1 if none.

    Jobs from `fresh` on have just arrived and are not in the tree yet. Writes into `tree` where
    it tightens.
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


@kernel(forceinline=True)
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
        while node & 1:  # as in `next_block`
            node >>= 1
        if node == 0:
            return -1
        node += 1


@kernel(forceinline=True)
def first_passing(trees, keys, least, waiting, begin, fresh, last, room, beside, now, shadow):
    """Return the first waiting job from `begin` on that may pass; -1 if there is none.

    Those from `fresh` on are not in the `trees` yet, but in the list of the `last`. Writes into the
    trees where it tightens.
    """
    job = begin
    while job < fresh:
        whole = job % BLOCK == 0
        if whole:
            block = next_passing(trees, room, beside, now, shadow, job // BLOCK)
            if block < 0:
                break
            job = block * BLOCK
        edge = min((job // BLOCK + 1) * BLOCK, fresh)
        for candidate in range(job, edge):
            if waiting[candidate] and may_pass(
                keys[candidate], least[candidate, 0], room, beside, now, shadow
            ):
                return candidate
        if whole:
            tighten(trees.keys, keys, waiting, job // BLOCK, fresh)
            tighten(trees.least, least, waiting, job // BLOCK, fresh)
        job = edge
    for candidate in last:
        if candidate >= begin and may_pass(
            keys[candidate], least[candidate, 0], room, beside, now, shadow
        ):
            return candidate
    return -1
