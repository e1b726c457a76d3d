"""One run of a sweep: what is missing, what became of it, and what is kept."""

import time
import traceback
from collections import deque
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import repeat, takewhile
from threading import Lock

import numpy as np
import pandas as pd

from coalloc_lib.sweep.points import plain_numbers
from coalloc_lib.sweep.pools import active_pool
from coalloc_lib.sweep.store import Store

#: Threads report what they have finished, and kept, every so many seconds.
_REPORT_SECONDS = 0.1


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
    """One sweep: the result of each of its rows, or what it failed of."""

    def __init__(self, function, points, seeds):
        self.function, self.points, self.seeds = function, points, seeds
        self.results = [None] * (len(points.values) * len(seeds))
        self.failed, self.flying, self.store = {}, set(), None
        self.keeping, self.stopped = Lock(), False

    def complete(self, cache, workers, prepare, progress):
        """Compute what the cache does not have."""
        if cache is not None:
            self.store, self.keys = Store(cache, self.function), list(self.points.keys(self.seeds))
            self.results = list(map(self.store.read().get, self.keys))
        self.missing = deque(row for row, result in enumerate(self.results) if result is None)
        progress.total(len(self.missing), found=len(self.results) - len(self.missing))
        if self.missing:
            self._compute(workers, prepare, progress)

    def _compute(self, workers, prepare, progress):
        run, here = active_pool(workers)
        if prepare and not here:
            prepare()
        if self.store:
            self.store.open()
        calls = partial(_outcome, self.function), self._tasks()
        if here:
            calls = self._drain, takewhile(lambda _: self.missing, repeat(()))
        try:
            with closing(run(*calls)) as answers:
                for answer in answers:
                    for outcome in answer if here else [answer]:
                        self._note(*outcome, here=here)
                        progress.step()
        except SweepError:
            raise
        except Exception as error:
            lost = {row: Failure(self._shown(row), "was in flight") for row in self.flying}
            text = f"the sweep stopped ({type(error).__name__}: {error})"
            raise self.error(text, self.failed | lost) from error
        finally:
            self._close()

    def _drain(self):
        """Take points until it is time to report. What a thread does, which keeps each at once."""
        end, outcomes = time.monotonic() + _REPORT_SECONDS, []
        with suppress(IndexError):  # another thread took the last one
            while not self.stopped and time.monotonic() < end:
                row = self.missing.popleft()
                outcomes.append(_outcome(self.function, row, *self._task(row)))
                self._keep(*outcomes[-1])
        return outcomes

    def _tasks(self):
        """Yield what other processes are to call `_outcome` with."""
        for row in self.missing:
            self.flying.add(row)
            yield row, *self._task(row)

    def _note(self, row, results, *error, here):
        """Take note of what became of a point; what comes from another process is kept now."""
        if not here:
            self.flying.remove(row)
            self._keep(row, results)
        if results is None:
            self.failed[row] = Failure(self._shown(row), *error)

    def _task(self, row):
        point, replication = divmod(row, len(self.seeds))
        return self.points.values[point], self.seeds[replication]

    def _keep(self, row, results, *_):
        with self.keeping:
            if self.stopped or results is None:
                return
            self.results[row] = results
            if self.store:
                with self._disk_errors():
                    self.store.write(self.keys[row], results)

    def _close(self):
        """Keep nothing any more: after an interruption threads may still be at a point."""
        with self.keeping:
            self.stopped = True
            if self.store:
                with self._disk_errors():
                    self.store.close()

    @contextmanager
    def _disk_errors(self):
        try:
            yield
        except OSError as error:
            raise self.error(
                f"cache folder {self.store.folder} takes no more results ({error.strerror}); "
                "make room and start again: what it has is not computed again"
            ) from error

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
        table = pd.DataFrame({**shown, "replication": [row % len(self.seeds) for row in rows]})
        table = table.join(pd.DataFrame([self.results[row] or {} for row in rows]))
        if with_errors:
            table["error"] = [self.failed[row].error if row in self.failed else "" for row in rows]
        return table


def _column(values):
    """Return a column whose values stay what they are: None beside numbers is no NaN."""
    mixed = any(value is None for value in values)
    return pd.Series(values, dtype=object if mixed else None)


def _outcome(function, row, point, seed):
    """Return the row and its results, or None with the error and its traceback."""
    try:
        # A fresh copy of the seed: spawning from it counts in it.
        results = function(**point, seed=np.random.SeedSequence(**seed.state))
        return row, plain_numbers(results, point)
    except (Exception, SystemExit) as error:
        return row, None, f"{type(error).__name__}: {error}", traceback.format_exc()
