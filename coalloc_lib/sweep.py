"""A grid of scenarios becomes a tidy table: in parallel, kept on disk, on one machine or many.

joblib runs the points, so ``joblib.parallel_config`` moves a sweep to processes or to a Dask
cluster without a change. Each way gives the same table, to the last bit.
"""

import inspect
import os
import platform
import sys
import time
import traceback
import uuid
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from itertools import product

import joblib
import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.inference import student
from coalloc_lib.progress import SILENT
from coalloc_lib.seeds import spawn
from coalloc_lib.sweep_store import Store, describe, digest, one_process_at_a_time

#: Names in the table and in the call that no argument of a grid and no result may take.
RESERVED = ("seed", "replication", "error")
#: A worker hands in what it has when so many seconds have gone, after the point it is at.
BATCH_SECONDS = 0.5
_MOST_POINTS = 4096
_MOST_DEATHS = 3
_prepared = set()


class SweepError(RuntimeError):
    """Points failed, or the sweep had to stop; what finished is not lost.

    Attributes
    ----------
    failures : list of Failure
    table : DataFrame
        The rows that finished.
    """

    def __init__(self, message, failures=(), table=None):
        super().__init__(message)
        self.failures, self.table = list(failures), table


@dataclass(frozen=True)
class Failure:
    """A point that failed: its arguments as the table shows them, the error, the traceback."""

    arguments: dict
    error: str
    traceback: str = ""

    def __str__(self):
        return f"{', '.join(f'{k} = {v}' for k, v in self.arguments.items())}: {self.error}"


def compile_kernels():
    """Compile the kernels of this library, or load them; what a worker process does first."""
    from coalloc_lib.analytic import maximal_utilization
    from coalloc_lib.distributions import uniform
    from coalloc_lib.jobs import JobStream
    from coalloc_lib.scheduling import FCFS, FPFS
    from coalloc_lib.simulate import simulate
    from coalloc_lib.system import Multicluster

    pair, jobs = Multicluster([2, 2]), JobStream([0, 0], [1, 1], [[1, 1], [1, 1]])
    for scheduling in (FCFS(), FPFS(max_jumps=1)):
        simulate(pair, jobs, scheduling=scheduling)
    for request in ("ordered", "unordered"):
        maximal_utilization(pair, uniform(1, 2), 2, request)


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
    """Call a function at every point of a grid and return its results as a tidy table.

    Parameters
    ----------
    function : callable
        Called as ``function(**point, seed=SeedSequence)``; returns a number (column ``value``) or
        a dict of numbers. It must be a function of its arguments alone.
    grid : dict or list of dict
        Name to list of values, for every combination; or the points themselves. Instead of a list
        of values a dict of them gives each the name that the table shows; other objects are shown
        as `str` prints them.
    replications : int
        Independent repetitions of each point. A replication has the same seed at every point
        (common random numbers), so that differences can be judged in pairs.
    seed : int or SeedSequence
        The seeds of all replications depend on it alone.
    cache : str or Path, optional
        A folder that keeps finished points. The same sweep, or one that shares points with it,
        computes only what is missing. Points are known by their arguments and seed, the
        function's code (not that of other functions it calls) and every source file of this
        library. A kill loses at most the point that each worker is at and `BATCH_SECONDS` before.
    workers : int, optional
        Threads, or whatever an active ``joblib.parallel_config`` says; which alone counts where
        `workers` is not given.
    failures : {"raise", "keep"}
        Whether failed points raise when all others have finished, or are rows with no results and
        the error in a column ``error``. They are not kept in the cache.
    prepare : callable, optional
        Called once in every worker process before its first point, in one process of a machine at
        a time: the place to compile kernels, as processes that do so at once can crash.
    progress : Progress
        Told about every point that is computed.

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
        Points failed, a worker died, or the disk is full.

    Examples
    --------
    >>> def noisy(load, seed):
    ...     return load + np.random.default_rng(seed).normal()
    >>> table = sweep(noisy, {"load": [0.5, 0.7]}, replications=2)
    >>> table.columns.tolist(), len(table)
    (['load', 'replication', 'value'], 4)
    """
    one_of("failures", failures, ("raise", "keep"))
    plan = _plan(function, grid, replications, seed)
    store = None if cache is None else Store(cache, function)
    keys = None if cache is None else plan.keys()
    run = _Run(
        function, plan, prepare, progress, workers and whole("workers", workers), store, keys
    )
    run.complete()
    if failures == "raise" and run.failed:
        raise run.stop(f"{len(run.failed)} of {plan.rows} points failed")
    return plan.table(run.results, run.failed if failures == "keep" else None)


def summarize(table, confidence=0.95):
    """Return the mean of each numeric result at each point, with Student's t interval.

    Parameters
    ----------
    table : DataFrame
        As `sweep` returns it; rows with an ``error`` are left out.
    confidence : float

    Returns
    -------
    DataFrame
        A row for each point: the names of the grid, and for each result ``r`` the columns
        ``r_estimate``, ``r_low``, ``r_high``, ``r_half_width`` and ``r_count``. One value has no
        interval, and where a result is not finite there is no estimate.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.5, 0.5], "replication": [0, 1], "loss": [0.1, 0.3]})
    >>> summarize(table)["loss_estimate"].tolist()
    [0.2]
    """
    if "replication" not in table:
        raise InputError("table has no column 'replication'; give a table that sweep returned")
    if not 0 < confidence < 1:
        raise InputError(f"confidence = {confidence}; give a number between 0 and 1")
    split = table.columns.get_loc("replication")
    names = list(table.columns[:split])
    results = table.columns[split + 1 :].drop("error", errors="ignore")
    values = {n: table[n].to_numpy(float) for n in results if _is_numeric(table[n])}
    good = (table["error"] == "").to_numpy() if "error" in table else np.ones(len(table), bool)
    rows = []
    for label, where in table.groupby(names, sort=False, dropna=False).indices.items():
        row = dict(zip(names, label if isinstance(label, tuple) else (label,), strict=True))
        for name, column in values.items():
            row |= _interval(name, column[where[good[where]]], confidence)
        rows.append(row)
    return pd.DataFrame(rows)
