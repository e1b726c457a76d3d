"""One run of a sweep: what is missing, what became of it, and what is kept."""

import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError
from coalloc_lib.progress import Silent
from coalloc_lib.sweep.points import Points, plain_numbers
from coalloc_lib.sweep.pools import active_pool
from coalloc_lib.sweep.store import Store


@dataclass(frozen=True)
class Failure:
    """A point that failed: its arguments as the table shows them, the error, the traceback."""

    arguments: dict[str, object]
    error: str
    traceback: str = ""

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value}" for name, value in self.arguments.items())
        return f"{shown}: {self.error}"


class SweepError(RuntimeError):
    """Points failed or the sweep had to stop. `table` has what finished, `failures` the rest."""

    def __init__(self, message: str, failures: list[Failure], table: pd.DataFrame) -> None:
        lines = [message, *map(str, failures[:5]), *["..."][: len(failures) > 5]]
        super().__init__("\n  ".join(lines))
        self.failures, self.table = failures, table


Row = dict[str, float] | Failure | None


@dataclass
class Execution:
    """One sweep: of each of its rows the results, or the failure, or None while it is missing."""

    function: Callable[..., object]
    points: Points
    seeds: Sequence[np.random.SeedSequence]
    store: Store | None
    progress: Silent

    def complete(self, workers: int | None, prepare: Callable[[], object] | None) -> None:
        """Compute what the store does not have."""
        self.rows: list[Row] = [None] * (len(self.points.values) * len(self.seeds))
        if self.store:
            self.keys = list(self.points.keys(self.seeds))
            found = self.store.read()
            self.rows = [found.get(key) for key in self.keys]
        missing = [row for row, results in enumerate(self.rows) if results is None]
        self.progress.total(len(missing), found=len(self.rows) - len(missing))
        self.tasks, self.lock, self.stopped = self._tasks(missing), Lock(), False
        self.flying: set[int] = set()
        if missing:
            self._compute(workers, prepare)

    def _compute(self, workers, prepare):
        run, here = active_pool(workers)
        if prepare and not here:
            prepare()
        if self.store:
            self.store.open()
        try:
            with closing(self):
                if here:
                    run(self._lane)
                    return
                with closing(run(partial(_outcome, self.function), self.tasks)) as outcomes:
                    for outcome in outcomes:
                        self._note(*outcome)
        except InputError as error:  # of the store
            raise self.error(str(error)) from error
        except Exception as error:
            for row in self.flying:
                self.rows[row] = Failure(self._shown(row), "was in flight")
            raise self.error(f"the sweep stopped ({type(error).__name__}: {error})") from error

    def _tasks(self, rows):
        """Yield what is to be computed, as the arguments of `_outcome`."""
        for row in rows:
            self.flying.add(row)
            point, replication = divmod(row, len(self.seeds))
            yield row, self.points.values[point], self.seeds[replication]

    def _lane(self):
        """Take one point after the other: what each thread does, which keeps each at once."""
        while task := self._next():
            self._note(*_outcome(self.function, *task))

    def _next(self):
        with self.lock:
            return None if self.stopped else next(self.tasks, None)

    def _note(self, row, results, *error):
        """Take note of what became of a point, and keep it."""
        with self.lock:
            if self.stopped:
                return
            self.flying.remove(row)
            self.rows[row] = Failure(self._shown(row), *error) if error else results
            if self.store and not error:
                self.store.write(self.keys[row], results)
            self.progress.step()

    def close(self) -> None:
        """Keep nothing any more: after an interruption threads may still be at a point."""
        with self.lock:
            self.stopped = True
            if self.store:
                self.store.close()

    def _shown(self, row):
        point, replication = divmod(row, len(self.seeds))
        names = *self.points.names, "replication"
        return dict(zip(names, (*self.points.labels[point], replication), strict=True))

    @property
    def failures(self) -> list[Failure]:
        """What failed, in the order of the rows."""
        return [row for row in self.rows if isinstance(row, Failure)]

    def error(self, message: str) -> SweepError:
        """Return the error that lists what failed and has the table so far."""
        return SweepError(message, self.failures, self.table())

    def table(self, with_errors: bool = False) -> pd.DataFrame:
        """Return the rows that finished, or all of them with their errors."""
        kept = [at for at, row in enumerate(self.rows) if with_errors or isinstance(row, dict)]
        shown = [self._shown(at) for at in kept]
        names = (*self.points.names, "replication")
        table = pd.DataFrame({name: _column([each[name] for each in shown]) for name in names})
        rows = [self.rows[at] for at in kept]
        table = table.join(pd.DataFrame([row if isinstance(row, dict) else {} for row in rows]))
        if with_errors:
            table["error"] = [getattr(row, "error", "") for row in rows]
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
