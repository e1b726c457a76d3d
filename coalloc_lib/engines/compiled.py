"""The compiled engine: prepares arrays for the kernels and compiles them once.

It runs the policies that it has a translation of, and refuses others; the readable engine runs
any object.
"""

import sys
from pathlib import Path

import numpy as np

from coalloc_lib.checks import InputError
from coalloc_lib.engines import kernels
from coalloc_lib.jobs import REQUESTS
from coalloc_lib.placement import BestFit, FirstFit, WorstFit
from coalloc_lib.scheduling import FCFS, FPFS

_RULES = {FirstFit: kernels.FIRST_FIT, WorstFit: kernels.WORST_FIT, BestFit: kernels.BEST_FIT}
_announced = False


def knows(scheduling, placement):
    """Whether the compiled engine has a translation of both policies."""
    return type(scheduling) in (FCFS, FPFS) and type(placement) in _RULES


def run(system, jobs, scheduling, placement, backlog=None):
    """Run `jobs`, in order of arrival, through `system`.

    Returns
    -------
    start, end, entered : ndarray, shape (n,)
        Instants; `entered` is the submission, or with a backlog the arrival in the queue.
    allocation : ndarray of int32, shape (n, clusters)
    """
    if not knows(scheduling, placement):
        raise InputError(
            f"engine = 'compiled' has no translation of {scheduling} with {placement}; "
            "use engine='reference', which runs any policy object"
        )
    _announce_compilation()
    n = len(jobs)
    if jobs.request == "flexible":  # spread by decreasing idle processors, whatever the placement
        placement = WorstFit()
    max_jumps = min(getattr(scheduling, "max_jumps", 0), n)
    parts = _parts(jobs)
    keys = _with_total(parts) if max_jumps and parts.shape[1] > 1 else parts
    spanning = jobs.runtime * (1 + jobs.span_penalty)
    stream = kernels.Stream(jobs.submit, jobs.runtime, spanning, parts, keys)
    order = getattr(placement, "clusters", None)
    policy = kernels.Policy(
        REQUESTS.index(jobs.request),
        _RULES[type(placement)],
        np.arange(len(system)) if order is None else np.array(order, dtype=np.int64),
        max_jumps,
        backlog or 0,
    )
    start, end, entered = np.empty(n), np.empty(n), np.empty(n)
    allocation = np.zeros((n, len(system)), dtype=np.int32)
    tree = _empty_tree(n if max_jumps else 0, keys.shape[1])
    kernels.run(stream, policy, system.as_array(), tree, start, end, entered, allocation)
    return start, end, entered, allocation


def _parts(jobs):
    """Return what is placed of each job: see `kernels.Stream`."""
    components = jobs.components
    if jobs.request in ("flexible", "total"):
        components = components.sum(axis=1, keepdims=True)
    elif jobs.request == "unordered":
        components = np.sort(components, axis=1)[:, ::-1]
    used = int(np.flatnonzero(components.any(axis=0))[-1]) + 1
    return np.ascontiguousarray(components[:, :used], dtype=np.int32)


def _with_total(parts):
    return np.hstack([parts, parts.sum(axis=1, keepdims=True, dtype=np.int32)])


def _empty_tree(jobs, width):
    """Return a binary tree over blocks of jobs, no job waiting; node 1 is the root."""
    blocks = -(-jobs // kernels.BLOCK)
    leaves = 1 << max(blocks - 1, 0).bit_length()
    return np.full((2 * leaves, width), kernels.NEVER, dtype=np.int32)


def _announce_compilation():
    """Say on stderr that the first call ever compiles; it takes some seconds, once."""
    global _announced
    if _announced or not hasattr(kernels.run, "stats"):  # no stats: compilation is switched off
        return
    _announced = True
    cache = Path(kernels.run.stats.cache_path or ".")
    if not any(cache.glob("kernels.run-*.nbi")):
        print("coalloc: compiling the simulation kernels, once (about 10 s) ...", file=sys.stderr)
