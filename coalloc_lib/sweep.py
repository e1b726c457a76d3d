"""A grid of scenarios becomes a tidy table: in parallel, kept on disk, on one machine or many.

joblib runs the points, so ``joblib.parallel_config`` moves a sweep to processes or to a Dask
cluster without a change. Each way gives the same table, to the last bit.
"""

import sys
import time
import traceback
from collections import deque
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from threading import Lock

import joblib
import numpy as np
import pandas as pd
from joblib.parallel import get_active_backend

from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.inference import student
from coalloc_lib.progress import SILENT
from coalloc_lib.seeds import spawn
from coalloc_lib.sweep_store import Points, Store, check_call, plain_numbers

#: A worker process hands in what it has when so many seconds have gone, after the point it is at.
BATCH_SECONDS = 0.1
_MOST_POINTS = 4096  # in a batch
_MOST_DEATHS = 3  # of workers, by points found guilty, before a sweep gives up


class SweepError(RuntimeError):
    """Points failed or the sweep had to stop. `table` has what finished, `failures` the rest."""

    def __init__(self, message, failures, table):
        super().__init__(message)
        self.failures, self.table = failures, table


@dataclass(frozen=True)
class Failure:
    """A point that failed: its arguments as the table shows them, the error, the traceback."""

    arguments: dict
    error: str
    traceback: str = ""

    def __str__(self):
        shown = ", ".join(f"{name} = {value}" for name, value in self.arguments.items())
        return f"{shown}: {self.error}"


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
    workers = workers if workers in (None, -1) else whole("workers", workers)
    run = _Run(function, points, spawn(seed, whole("replications", replications)), workers)
    run.complete(cache, prepare, progress)
    if failures == "raise" and run.failed:
        raise run.error(f"{len(run.failed)} of {len(run.results)} points failed", run.failed)
    return run.table(with_errors=failures == "keep")


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
        ``r_estimate``, ``r_low``, ``r_high``, ``r_half_width`` and ``r_count``. One value alone
        has no interval; values that are not all finite have no estimate either.

    Examples
    --------
    >>> table = pd.DataFrame({"load": [0.5, 0.5], "replication": [0, 1], "loss": [0.25, 0.75]})
    >>> summarize(table)["loss_estimate"].tolist()
    [0.5]
    """
    if "replication" not in table:
        raise InputError("table has no column 'replication'; give a table that sweep returned")
    names, (_, *results) = _split(table.columns, "replication")
    good = (table["error"] == "").to_numpy() if "error" in table else np.ones(len(table), bool)
    columns = {n: table[n].to_numpy(float) for n in results if table[n].dtype.kind in "biuf"}
    rows = []
    for label, where in table.groupby(names, sort=False, dropna=False).indices.items():
        row = dict(zip(names, label if len(names) > 1 else np.atleast_1d(label), strict=True))
        for name, column in columns.items():
            row |= _interval(name, column[where[good[where]]], confidence)
        rows.append(row)
    return pd.DataFrame(rows)


def _split(columns, name):
    at = list(columns).index(name)
    return list(columns[:at]), list(columns[at:])


def _interval(name, values, confidence):
    estimate = values.mean() if len(values) and np.isfinite(values).all() else np.nan
    row = {"estimate": estimate, "low": np.nan, "high": np.nan, "half_width": np.nan}
    if len(values) > 1 and np.isfinite(estimate):
        interval = student(values, confidence)
        row = {key: getattr(interval, key) for key in row}
    return {f"{name}_{key}": value for key, value in (row | {"count": len(values)}).items()}


class _Run:
    """One sweep: what is missing, what is being computed, what came of it."""

    def __init__(self, function, points, seeds, workers):
        self.function, self.points, self.seeds, self.workers = function, points, seeds, workers
        self.results = [None] * (len(points.values) * len(seeds))
        self.failed, self.keys, self.store = {}, None, None
        self.seconds, self.finished, self.deaths = 0.0, 0, 0
        self.keeping = Lock()

    def complete(self, cache, prepare, progress):
        """Compute what the cache does not have."""
        self.progress = progress
        if cache is not None:
            self.store = Store(cache, self.function)
            self.keys = list(self.points.keys(self.seeds))
            self.results = list(map(self.store.read().get, self.keys))
        missing = [row for row, result in enumerate(self.results) if result is None]
        progress.total(len(missing))
        if not missing:
            return
        if self.store:
            self.store.open()
        try:
            self._parallel(prepare)
            self._work(missing)
        finally:
            if self.store:
                self.store.close()

    def _parallel(self, prepare):
        """Settle who runs the points, before the first one is handed out."""
        hint = {"prefer": "threads"} if self.workers else {}
        backend, _ = get_active_backend(**hint)
        _mend_dask(backend)
        self.lanes = joblib.effective_n_jobs(self.workers)
        self.in_memory = self.lanes == 1 or getattr(backend, "supports_sharedmem", False)
        if prepare and not self.in_memory:
            prepare()
        self.pool = partial(
            joblib.Parallel, self.workers, batch_size=1, return_as="generator_unordered", **hint
        )

    def _work(self, rows):
        """Run these points; halve those in flight when a worker dies, until one is found guilty."""
        waiting, flying = deque(rows), {}
        while waiting:
            try:
                self._consume(waiting, flying)
            except SweepError:
                raise
            except Exception as error:
                left = sorted(chain.from_iterable(flying.values()))
                flying.clear()
                self._blame(left, error)

    def _consume(self, waiting, flying):
        """Hand out what is waiting in batches, and take note of what comes back, in any order."""
        with closing(self.pool()(self._batches(waiting, flying))) as answers:
            for outcomes, seconds in answers:
                rows = flying.pop(outcomes[0][0])
                waiting.extendleft(reversed(rows[len(outcomes) :]))
                self.seconds += seconds
                self.finished += len(outcomes)
                if not self.in_memory:
                    self._keep(outcomes)
                self._note(outcomes)

    def _batches(self, waiting, flying):
        while waiting:
            rows = [waiting.popleft() for _ in range(self._batch_size(len(waiting)))]
            flying[rows[0]] = rows
            tasks = [(row, *self._task(row)) for row in rows]
            keep = self._keep if self.in_memory else None
            yield joblib.delayed(_run_batch)(self.function, tasks, keep)

    def _batch_size(self, waiting):
        """Half of what the limit of time allows, less at the end so that none waits for one."""
        by_time = BATCH_SECONDS / 2 * self.finished / max(self.seconds, 1e-9)
        return max(1, int(min(by_time, waiting / (2 * self.lanes), _MOST_POINTS)))

    def _task(self, row):
        point, replication = divmod(row, len(self.seeds))
        return self.points.values[point], self.seeds[replication]

    def _keep(self, outcomes):
        """Keep what finished: at once in the thread that ran it, or when a process hands it in."""
        good = [(row, results) for row, results, *_ in outcomes if results is not None]
        with self.keeping:
            for row, results in good:
                self.results[row] = results
            if self.store and good:
                self._store([(self.keys[row], results) for row, results in good])

    def _note(self, outcomes):
        """Take note of what failed, and report progress, which only this thread may."""
        for row, results, *error in outcomes:
            if results is None:
                self.failed[row] = Failure(self._shown(row), *error)
            self.progress.step()

    def _store(self, records):
        try:
            self.store.write(records)
        except OSError as error:
            raise self.error(
                f"cache folder {self.store.folder} takes no more results ({error.strerror}); "
                "make room and start again: what it has is not computed again"
            ) from error

    def _blame(self, rows, error):
        """Find out which of the points in flight ended a worker process, and go on without it."""
        distributed = sys.modules.get("distributed")
        deaths = (BrokenProcessPool, *((distributed.KilledWorker,) if distributed else ()))
        text = f"{type(error).__name__}: {error}"
        if not isinstance(error, deaths):
            raise self.error(f"the sweep stopped ({text})", self._suspects(rows)) from error
        if len(rows) > 1:
            for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                self._work(half)
            return
        for row, failure in self._suspects(rows, "the worker process that ran it died").items():
            self.failed[row] = failure
            self.progress.step()
        self.deaths += 1
        if self.deaths == _MOST_DEATHS:
            raise self.error(f"{self.deaths} points ended their worker process", self.failed)

    def _suspects(self, rows, text="was in flight"):
        return {row: Failure(self._shown(row), text) for row in rows}

    def _shown(self, row):
        point, replication = divmod(row, len(self.seeds))
        shown = zip(self.points.names, self.points.labels[point], strict=True)
        return {**dict(shown), "replication": replication}

    def error(self, message, failures=()):
        """Return the error that lists these failures, by row, and has the table so far."""
        listed = [failures[row] for row in sorted(failures)]
        lines = [message, *map(str, listed[:5]), *["..."][: len(listed) > 5]]
        return SweepError("\n  ".join(lines), listed, self.table())

    def table(self, with_errors=False):
        """Return the rows that finished, or all of them with their errors."""
        rows = [r for r, found in enumerate(self.results) if with_errors or found is not None]
        labels = [self.points.labels[row // len(self.seeds)] for row in rows]
        shown = {n: _column([at[i] for at in labels]) for i, n in enumerate(self.points.names)}
        results = pd.DataFrame([self.results[row] or {} for row in rows])
        table = pd.DataFrame({**shown, "replication": [row % len(self.seeds) for row in rows]})
        table = table.join(results)
        if with_errors:
            table["error"] = [self.failed[row].error if row in self.failed else "" for row in rows]
        return table


def _mend_dask(backend):
    """Let joblib hear of a task that Dask has given up, and leave every task to the cluster.

    It would wait for such a task for ever, and run all of them itself while the cluster has but
    one processor, which is so when a worker has just died.
    """
    if not hasattr(backend, "client") or hasattr(backend, "is_mended"):
        return
    submit, retrieve = backend.submit, backend.retrieve_result_callback
    lanes = backend.effective_n_jobs

    def watched(task, callback=None):
        future = submit(task, callback)
        future.add_done_callback(lambda done: done.exception() and callback(done.exception()))
        return future

    def retrieved(outcome):
        if isinstance(outcome, BaseException):
            raise outcome
        return retrieve(outcome)

    backend.submit, backend.retrieve_result_callback = watched, retrieved
    backend.effective_n_jobs = lambda n_jobs: max(2, lanes(n_jobs))
    backend.is_mended = True


def _column(values):
    """Return a column whose values stay what they are: None beside numbers is no NaN."""
    mixed = any(value is None for value in values)
    return pd.Series(values, dtype=object if mixed else None)


def _run_batch(function, tasks, keep=None):
    """Run points until the time is up; the first always. What a worker does."""
    begin, outcomes = time.perf_counter(), []
    for row, point, seed in tasks:
        outcomes.append((row, *_outcome(function, point, seed)))
        if keep:
            keep(outcomes[-1:])
        if time.perf_counter() - begin > BATCH_SECONDS:
            break
    return outcomes, time.perf_counter() - begin


def _outcome(function, point, seed):
    """Return the results, or None with the error and its traceback."""
    try:
        # A fresh copy of the seed: spawning from it counts in it.
        results = function(**point, seed=np.random.SeedSequence(**seed.state))
        return (plain_numbers(results, point),)
    except (Exception, SystemExit) as error:
        return None, f"{type(error).__name__}: {error}", traceback.format_exc()
