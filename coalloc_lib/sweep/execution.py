"""One run of a sweep: its points in parallel, what is kept of them, and what failed."""

import sys
import time
import traceback
import warnings
from collections import deque
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from threading import Lock

import joblib
import numpy as np
import pandas as pd
from joblib.parallel import get_active_backend

from coalloc_lib.sweep.points import plain_numbers
from coalloc_lib.sweep.store import Store

#: A worker process hands in what it has when so many seconds have gone, after the point it is at.
BATCH_SECONDS = 0.1
_MOST_POINTS = 4096  # in a batch
#: Points in a row that end their worker process in all replications before a sweep gives up: then
#: it is not the points, and every further one would cost processes too.
_MOST_DEADLY = 3


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


class Execution:
    """One sweep: what is missing, what is being computed, what came of it."""

    def __init__(self, function, points, seeds, workers):
        self.function, self.points, self.seeds, self.workers = function, points, seeds, workers
        self.results = [None] * (len(points.values) * len(seeds))
        self.failed, self.keys, self.store = {}, None, None
        self.seconds, self.finished, self.deadly = 0.0, 0, set()
        self.keeping, self.stopped = Lock(), False

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
            self._close()

    def _close(self):
        """Keep nothing any more: after an interruption threads may still be at a point."""
        with self.keeping:
            self.stopped = True
            if self.store:
                with self._disk_errors():
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
        with _closing(self.pool()(self._batches(waiting, flying))) as answers:
            for outcomes, seconds in answers:
                rows = flying.pop(outcomes[0][0])
                waiting.extendleft(reversed(rows[len(outcomes) :]))
                self.seconds += seconds
                self.finished += len(outcomes)
                self.deadly.clear()
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
            if self.stopped:
                return False
            for row, results in good:
                self.results[row] = results
            if self.store and good:
                with self._disk_errors():
                    self.store.write((self.keys[row], results) for row, results in good)
        return True

    def _note(self, outcomes):
        """Take note of what failed, and report progress, which only this thread may."""
        for row, results, *error in outcomes:
            if results is None:
                self.failed[row] = Failure(self._shown(row), *error)
            self.progress.step()

    @contextmanager
    def _disk_errors(self):
        try:
            yield
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
        self.deadly |= {row // len(self.seeds) for row in rows}
        if len(self.deadly) > _MOST_DEADLY:
            text = f"{_MOST_DEADLY} points in a row, and the next, ended their process"
            raise self.error(text, self.failed)

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


@contextmanager
def _closing(answers):
    """Close joblib's generator in the end, without its advice on work that is left undone."""
    try:
        yield answers
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*tasks")
            answers.close()


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
        if keep and not keep(outcomes[-1:]):
            break
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
