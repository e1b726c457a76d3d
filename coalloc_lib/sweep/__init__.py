"""A grid of scenarios becomes a tidy table: in parallel, kept on disk, on one machine or many.

joblib runs the points, so ``joblib.parallel_config`` moves a sweep to processes or to a Dask
cluster without a change. Each way gives the same table, to the last bit.
"""

import os

import numpy as np

from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.progress import SILENT
from coalloc_lib.seeds import spawn
from coalloc_lib.sweep.execution import BATCH_SECONDS, Execution, Failure, SweepError
from coalloc_lib.sweep.points import Points, check_call
from coalloc_lib.sweep.summary import summarize

__all__ = ["BATCH_SECONDS", "Failure", "SweepError", "compile_kernels", "summarize", "sweep"]


def compile_kernels():
    """Compile this library's kernels, so that worker processes find them compiled."""
    from coalloc_lib.analytic import JointSizes, maximal_utilization
    from coalloc_lib.distributions import uniform
    from coalloc_lib.jobs import JobStream
    from coalloc_lib.simulate import simulate
    from coalloc_lib.system import Multicluster

    pair, sizes = Multicluster([2, 2]), uniform(1, 2)
    simulate(pair, JobStream([0, 0], [1, 1], [[1, 1], [1, 1]]))
    maximal_utilization(pair, sizes, 2, "unordered")
    for request in ("ordered", "unordered"):
        maximal_utilization(pair, JointSizes.independent(sizes, 2), request=request)


def sweep(
    function,
    grid,
    replications=1,
    *,
    seed=0,
    cache=None,
    workers=None,
    failures="raise",
    prepare=compile_kernels,
    progress=SILENT,
):
    """Call a function at every point of a grid and return the results as a tidy table.

    Parameters
    ----------
    function : callable
        Called as ``function(**point, seed=SeedSequence)``; returns a number (column ``value``) or
        a dict of numbers. They must depend on the arguments alone.
    grid : dict or list of dict
        Name to list of values, for every combination; or the points themselves. Values are shown
        as `str` prints them; a dict of values instead of a list gives each a name to be shown.
    replications : int
        A replication has the same seed at every point (common random numbers), so that
        differences can be judged in pairs.
    seed : int or SeedSequence
        The seeds of all replications depend on it alone.
    cache : str or Path, optional
        A folder that keeps finished points, known by arguments, seed, the function's code (not
        that of functions it calls) and this library's sources. A sweep that finds points there
        computes only the others. A point is kept as soon as it is finished, so that a kill loses
        the points that threads are at, no other. Other processes hand in what they have finished
        every `BATCH_SECONDS`, and a kill loses that too.
    workers : int, optional
        Threads, -1 for one a processor, unless an active ``joblib.parallel_config`` names
        something else. Where it is not given, that configuration alone counts; without one, the
        sweep is serial.
    failures : {"raise", "keep"}
        Failed points raise when all others have finished, or are rows without results and with
        the error in a column ``error``. They are not kept in the cache.
    prepare : callable, optional
        Called once before points are handed to other processes: compiles kernels, since processes
        that do so at once can crash.
    progress : Progress

    Returns
    -------
    DataFrame
        A row for each point and replication, in the order of the grid. Columns: the names of the
        grid, ``replication``, the results.

    Raises
    ------
    InputError
        The grid does not suit the function, or the cache cannot be used.
    SweepError
        Points failed, worker processes died, or the disk is full.

    Examples
    --------
    >>> def noisy(load, seed):
    ...     return load + np.random.default_rng(seed).normal()
    >>> sweep(noisy, {"load": [0.5, 0.7]}, replications=2).shape
    (4, 3)
    """
    one_of("failures", failures, ("raise", "keep"))
    points = Points.of(grid)
    check_call(function, points.names)
    if not isinstance(seed, np.random.SeedSequence):
        seed = whole("seed", seed, least=0)
    if cache == "" or not isinstance(cache, str | os.PathLike | None):
        raise InputError(f"cache = {cache!r}; give the path of a folder")
    workers = workers if workers in (None, -1) else whole("workers", workers)
    run = Execution(function, points, spawn(seed, whole("replications", replications)), workers)
    run.complete(cache, prepare, progress)
    if failures == "raise" and run.failed:
        raise run.error(f"{len(run.failed)} of {len(run.results)} points failed", run.failed)
    return run.table(with_errors=failures == "keep")
