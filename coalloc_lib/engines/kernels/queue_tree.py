"""The tree over the queue, which finds the first waiting job that fits.

The jobs are divided into blocks of `BLOCK` successive jobs. The tree has a row for each block, and
a row for each pair of neighbouring rows, up to a single root. Node 1 is the root, node i has the
children 2 i and 2 i + 1, and the last half of the nodes are the leaves. Leaf b belongs to the jobs
from ``BLOCK * b`` to ``BLOCK * (b + 1) - 1``.

The row of a node is a lower bound, in each entry, of the keys of all waiting jobs below the node.
If the row does not fit, no job below it fits, and a search skips all these jobs. When a job starts,
the rows above it may become lower than necessary, which does no harm. The next search that examines
the block without success raises them again.

The following tree has BLOCK = 4, keys of one entry, and 16 jobs. The jobs 0, 1, 6 and 13 wait, with
the keys 7, 9, 3 and 8:

    root             3
    nodes 2, 3       3         8
    leaves 4 to 7    7    3    NEVER  8

With room for 5 processors, `next_block` skips leaf 4 and stops at leaf 5, where job 6 starts. The
next search finds nothing in this block. `tighten` then sets leaf 5 to NEVER, and node 2 and the
root to 7. The search after that ends at the root.

Under EASY, a job may overtake the head of the queue if it fits into `room`, the processors that are
idle now, and if one of two conditions holds: it is expected to end by the instant `shadow`, or it
also fits into `beside`, the processors that the head does not need at that instant. A second tree
has lower bounds of the expected lengths. A search skips a node if the two bounds show that no job
below the node may overtake the head. The bounds may come from different jobs: if one job below a
node is small enough and another one is short enough, the node is not skipped, although neither job
may overtake the head.
"""

from collections import namedtuple

import numpy as np

from coalloc_lib.engines.kernels import kernel
from coalloc_lib.engines.kernels.placing import fits

#: The number of jobs per leaf of a search tree. Examining a few successive jobs one by one is
#: faster than searching one more level of the tree.
BLOCK = 4
#: The value of every entry of a node of the search tree if no job below the node is waiting.
NEVER = np.iinfo(np.int32).max
#: A named tuple of two search trees of the waiting jobs. The rows of `keys` are lower bounds on the
#: sizes of jobs (their keys), and the rows of `least` are lower bounds on the expected lengths of
#: jobs.
Trees = namedtuple("Trees", "keys least")


def empty_tree(jobs: int, width: int, kind: type = np.int32) -> np.ndarray:
    """Create the search tree of an empty queue, with room for `jobs` jobs.

    Each job has a key of `width` entries.
    """
    blocks = -(-jobs // BLOCK)
    leaves = 1 << max(blocks - 1, 0).bit_length()
    return np.full((2 * leaves, width), NEVER, dtype=kind)


@kernel
def enter(tree, keys, job):
    """Add a waiting job to a search tree, and lower the bounds in the nodes above the job."""
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
    """Recompute the lower bounds on job keys in a tree leaf and in all nodes above it.

    The bounds are computed from the jobs that still wait, so they can only rise. Only the jobs
    before `stop` are in the tree.
    """
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
    """Return the first block of jobs, from `block` on, in which a job may fit, or -1 if none."""
    leaves = tree.shape[0] // 2
    node = leaves + block
    while True:
        if fits(tree[node], room):
            if node >= leaves:
                return node - leaves
            node *= 2
        else:
            # A right child has no next sibling, so the search moves up the tree until it reaches a
            # left child.
            while node & 1:
                node >>= 1
            if node == 0:
                return -1
            node += 1


@kernel
def first_fitting(tree, keys, waiting, begin, fresh, stop, room):
    """Return the first waiting job from `begin` to ``stop - 1`` that fits, or -1 if none fits.

    The jobs from `fresh` on have just arrived and are not in the tree yet; they are examined one by
    one. The search raises rows of the tree that are lower than necessary.
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
    """Return whether a job may overtake the head of the queue under EASY.

    The key and the least length can also be lower bounds for several jobs. The result is then False
    only if none of these jobs may overtake the head.
    """
    return fits(key, room) and (now + least <= shadow or fits(key, beside))


@kernel
def next_passing(trees, room, beside, now, shadow, block):
    """Return the first block of jobs, from `block` on, in which a job may overtake the head.

    Returns -1 if the bounds show that there is none. The loop is the same as in `next_block`, which
    tests only whether a job fits.
    """
    tree, shortest = trees
    leaves = tree.shape[0] // 2
    node = leaves + block
    while True:
        while may_pass(tree[node], shortest[node, 0], room, beside, now, shadow):
            if node >= leaves:
                return node - leaves
            node *= 2
        while node & 1:  # See the comment in `next_block`.
            node >>= 1
        if node == 0:
            return -1
        node += 1


@kernel(forceinline=True)
def first_passing(trees, queue, begin, fresh, last, test):
    """Return the first waiting job from number `begin` on that may overtake the head, or -1.

    `queue` has the keys and the least lengths of all jobs, and whether each job waits. `test` has
    the arguments `room`, `beside`, `now` and `shadow` of `may_pass`. The jobs from `fresh` on are
    not in the trees yet, but in the list `last`, and are examined one by one. The search raises
    rows of the trees that are lower than necessary.
    """
    keys, least, waiting = queue
    room, beside, now, shadow = test
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
