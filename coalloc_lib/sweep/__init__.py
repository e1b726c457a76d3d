"""A grid of scenarios becomes a tidy table: in parallel, kept on disk, on one machine or many.

joblib runs the points, so ``joblib.parallel_config`` moves a sweep to processes or to a Dask
cluster without a change. Each way gives the same table, to the last bit.
"""

import os
from collections.abc import Callable

import pandas as pd

from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.progress import SILENT, Silent
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.sweep.execution import Execution, Failure, SweepError
from coalloc_lib.sweep.points import Grid, Points, check_call
from coalloc_lib.sweep.preparation import compile_kernels
from coalloc_lib.sweep.store import Store
from coalloc_lib.sweep.summary import summarize

__all__ = ["Failure", "SweepError", "compile_kernels", "summarize", "sweep"]


def sweep(
    function: Callable[..., object],
    grid: Grid,
    replications: int = 1,
    *,
    seed: Seed = 0,
    cache: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    failures: str = "raise",
    prepare: Callable[[], object] | None = compile_kernels,
    progress: Silent = SILENT,
) -> pd.DataFrame:
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
        A folder that keeps finished points, known by arguments, seed, this library's sources and
        the function's code, with all that it reaches by name in your own script and modules. A
        sweep that finds points there computes only the others. A point is kept as soon as it is
        finished, so that a kill loses the points that threads are at, no other. Other processes
        hand in quick points in batches of at most two seconds, and a kill loses those too.
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
        Is told how many points there are to compute, how many the cache had, and of each one done.

    Returns
    -------
    DataFrame
        A row for each point and replication, in the order of the grid. Columns: the names of the
        grid, ``replication``, the results.

    Raises
    ------
    InputError
        The grid does not suit the function, the cache cannot be used, or the function uses what
        cannot be followed, so that the cache could give old results.
    SweepError
        Points failed, worker processes died, a Dask cluster has had no workers for long, or the
        disk is full. What had finished is kept; what was in flight is named.

    Examples
    --------
    >>> import numpy as np
    >>> def noisy(load, seed):
    ...     return load + np.random.default_rng(seed).normal()
    >>> sweep(noisy, {"load": [0.5, 0.7]}, replications=2).shape
    (4, 3)
    """
    one_of("failures", failures, ("raise", "keep"))
    points = Points.of(grid)
    check_call(function, points.names)
    if cache == "" or not isinstance(cache, str | os.PathLike | None):
        raise InputError(f"cache = {cache!r}; give the path of a folder")
    workers = workers if workers in (None, -1) else whole("workers", workers)
    seeds = spawn(seed, whole("replications", replications))
    store = None if cache is None else Store(cache, function)
    run = Execution(function, points, seeds, store, progress)
    run.complete(workers, prepare)
    if failures == "raise" and run.failures:
        raise run.error(f"{len(run.failures)} of {len(run.rows)} points failed")
    return run.table(with_errors=failures == "keep")
