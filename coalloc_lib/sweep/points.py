"""`run_points` and `sweep`: compute what is missing, find what is there, list what failed."""

import functools
import inspect
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import product
from threading import Lock
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd

from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.progress import SILENT, Silent
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.sweep.keys import SCALARS, describe, digest
from coalloc_lib.sweep.pools import active_pool
from coalloc_lib.sweep.preparation import compile_kernels
from coalloc_lib.sweep.store import Store, record_line

#: Names of the table and of the call that no argument of a grid and no result may take.
RESERVED = {"seed", "replication", "error"}
#: Name to values, or what to show to value; or the points themselves.
Grid = Mapping[str, Iterable | Mapping[str, object]] | Iterable[Mapping[str, object]]


@dataclass(frozen=True)
class Failure:
    """A point that failed: its arguments as they are shown, the error, the traceback."""

    arguments: dict[str, object]
    error: str
    traceback: str = ""

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value}" for name, value in self.arguments.items())
        return f"{shown}: {self.error}"


class SweepError(RuntimeError):
    """Points failed or the run had to stop; `failures` has what failed or was in flight.

    What finished is in `results`, by its position in the list that `run_points` would have
    returned, and in the `table` of `sweep`.
    """

    def __init__(self, message: str, failures: list[Failure], table: Any = None) -> None:
        lines = [message, *map(str, failures[:5]), *["..."][: len(failures) > 5]]
        super().__init__("\n  ".join(lines))
        self.failures, self.table = failures, table
        self.results: dict[int, Any] = {}


def run_points(
    function: Callable[..., Any],
    points: Iterable[Mapping[str, Any]],
    replications: int = 1,
    *,
    seed: Seed = 0,
    cache: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    prepare: Callable[[], object] | None = compile_kernels,
    progress: Silent = SILENT,
) -> list[Any]:
    """Call a function at every point, in each replication, and return what it returns.

    Parameters
    ----------
    function : callable
        Called as ``function(**point, seed=SeedSequence)``. What it returns must depend on the
        arguments alone; with a cache or in other processes it must be what can be pickled.
    points : list of dict
        The arguments of each call. Points may be equal, or print alike.
    replications : int
        A replication has the same seed at every point (common random numbers), so that
        differences can be judged in pairs.
    seed : int or SeedSequence
        The seeds of all replications depend on it alone.
    cache : str or Path, optional
        A folder that keeps finished points, known by arguments, seed, this library's sources and
        the function's code, with all that it reaches by name in your own script and modules. A
        run that finds points there computes only the others. A point is kept as soon as it is
        finished, so that a kill loses the points that threads are at, no other. Other processes
        hand in quick points in batches of at most two seconds, and a kill loses those too. The
        folder holds pickles, to be trusted as code is: use none that others can write to.
    workers : int, optional
        Threads, -1 for one a processor, unless an active ``joblib.parallel_config`` names
        something else. Where it is not given, that configuration alone counts; without one, the
        points run one after the other.
    prepare : callable, optional
        Called once before points are handed to other processes: compiles kernels, since processes
        that do so at once can crash.
    progress : Progress
        Is told how many points there are to compute, how many the cache had, and of each one done.

    Returns
    -------
    list
        The results of the first point in each replication, those of the second, and so on.

    Raises
    ------
    InputError
        The points do not suit the function, the cache cannot be used, or the function uses what
        cannot be followed, so that the cache could give old results.
    SweepError
        Points failed (the others finish first), worker processes died, a Dask cluster has had no
        workers for long, or the disk is full. What had finished is kept, failed points are not.

    Examples
    --------
    >>> def spread(load, seed):
    ...     return load * np.random.default_rng(seed).random(3)
    >>> [draws.shape for draws in run_points(spread, [{"load": 0.5}, {"load": 0.7}])]
    [(3,), (3,)]
    """
    if isinstance(points, str | Mapping) or not isinstance(points, Iterable):
        raise InputError(f"points = {points!r}; give a list of dicts of arguments")
    points = list(points)
    for i, point in enumerate(points):
        if not isinstance(point, Mapping) or not all(isinstance(name, str) for name in point):
            raise InputError(f"points[{i}] = {point!r}; give a dict of arguments by name")
    run = _Run(function, points, replications, seed, cache, progress)
    run.complete(workers, prepare)
    if run.failed:
        raise run.error()
    return [run.results[row] for row in range(run.size)]


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
    replications, seed, cache, workers, prepare, progress
        As in `run_points`, which raises the same.
    failures : {"raise", "keep"}
        Failed points raise when all others have finished, or are rows without results and with
        the error in a column ``error``.

    Returns
    -------
    DataFrame
        A row for each point and replication, in the order of the grid. Columns: the names of the
        grid, ``replication``, the results.

    Examples
    --------
    >>> import numpy as np
    >>> def noisy(load, seed):
    ...     return load + np.random.default_rng(seed).normal()
    >>> sweep(noisy, {"load": [0.5, 0.7]}, replications=2).shape
    (4, 3)
    """
    one_of("failures", failures, ("raise", "keep"))
    points, labels = _read_grid(grid)
    calls = _in_numbers(function) if callable(function) else function
    run = _Run(calls, points, replications, seed, cache, progress, labels)
    try:
        run.complete(workers, prepare)
        if failures == "raise" and run.failed:
            raise run.error()
    except SweepError as error:
        error.table = _table(run, list(points[0]), with_errors=False)
        raise
    return _table(run, list(points[0]), with_errors=failures == "keep")


class _Run:
    """Points in replications: of each row the results or the failure, once it has finished."""

    def __init__(self, function, points, replications, seed, cache, progress, labels=None) -> None:
        self.points = [dict(point) for point in points]
        self.seeds = spawn(seed, whole("replications", replications))
        self.size = len(self.points) * len(self.seeds)
        if not callable(function):
            raise InputError(f"function = {function!r}; give a function of the names and seed")
        for names in dict.fromkeys(map(tuple, self.points)):
            _check_call(function, names)
        if cache == "" or not isinstance(cache, str | os.PathLike | None):
            raise InputError(f"cache = {cache!r}; give the path of a folder")
        self.function, self.labels, self.progress = function, labels, progress
        self.store = None if cache is None else Store(cache, function)
        self.lock, self.stopped = Lock(), False
        self.results: dict[int, Any] = {}  # by row, as the failures
        self.failed: dict[int, Failure] = {}
        self.flying: set[int] = set()

    def complete(self, workers, prepare):
        """Compute what the store does not have."""
        workers = workers if workers in (None, -1) else whole("workers", workers)
        if self.store:
            self.keys = list(point_keys(self.points, self.seeds))
            found = self.store.read(set(self.keys))
            for row, key in enumerate(self.keys):
                if key in found:
                    with suppress(Exception):  # what cannot be read any more is computed again
                        self.results[row] = pickle.loads(found[key])
        missing = [row for row in range(self.size) if row not in self.results]
        self.progress.total(len(missing), found=len(self.results))
        if not missing:
            return
        self.tasks = self._arguments(missing)
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
                outcome = functools.partial(_outcome, self.function, True)
                with closing(run(outcome, self.tasks)) as outcomes:
                    for row, pickled, *error in outcomes:
                        self._note(row, None if error else pickle.loads(pickled), *error)
        except InputError as error:  # of the store
            raise self.error(str(error)) from error
        except Exception as error:
            for row in self.flying:
                self.failed[row] = Failure(self.shown(row), "was in flight")
            raise self.error(f"the sweep stopped ({type(error).__name__}: {error})") from error

    def _arguments(self, rows):
        """Yield what is to be computed, as the arguments of `_outcome`."""
        for row in rows:
            self.flying.add(row)
            point, replication = divmod(row, len(self.seeds))
            yield row, self.points[point], self.seeds[replication]

    def _lane(self):
        """Take one point after the other: what each thread does, which keeps each at once."""
        while task := self._next():
            self._note(*_outcome(self.function, False, *task))

    def _next(self):
        with self.lock:
            return None if self.stopped else next(self.tasks, None)

    def _note(self, row, results, *error):
        """Take note of what became of a point, and keep it."""
        if self.store and not error:
            try:
                record = record_line(self.keys[row], pickle.dumps(results))
            except Exception as refused:
                error = _told(refused)
        with self.lock:
            if self.stopped:
                return
            self.flying.remove(row)
            if error:
                self.failed[row] = Failure(self.shown(row), *error)
            else:
                self.results[row] = results
                if self.store:
                    self.store.write(record)
            self.progress.step()

    def close(self):
        """Keep nothing any more: after an interruption threads may still be at a point."""
        with self.lock:
            self.stopped = True
            if self.store:
                self.store.close()

    def shown(self, row):
        """Return the arguments of a row as they are shown, and its replication."""
        point, replication = divmod(row, len(self.seeds))
        labels = (
            self.labels[point]
            if self.labels
            else {name: _label(value) for name, value in self.points[point].items()}
        )
        return {**labels, "replication": replication}

    def error(self, message=""):
        """Return the error that lists what failed and has the results so far."""
        message = message or f"{len(self.failed)} of {self.size} points failed"
        error = SweepError(message, [self.failed[row] for row in sorted(self.failed)])
        error.results = dict(sorted(self.results.items()))
        return error


def point_keys(
    points: Sequence[Mapping[str, Any]], seeds: Iterable[np.random.SeedSequence]
) -> Iterator[str]:
    """Yield the key of each point and seed, those of a point side by side."""
    values = {id(value): value for point in points for value in point.values()}
    known = {i: describe(value) for i, value in values.items()}  # once, however many points have it
    by_seed = [describe(seed) for seed in seeds]
    for point in points:
        arguments = [f"{name}={known[id(point[name])]}" for name in sorted(point)]
        yield from (digest(*arguments, seed) for seed in by_seed)


def _check_call(function, names):
    """Refuse a function that cannot be called with these names and a seed."""
    for name in {"seed", "replication"} & set(names):
        raise InputError(f"points have the name {name!r}, which is taken; choose another")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function written in C may have none
        return
    try:
        signature.bind(**dict.fromkeys([*names, "seed"]))
    except TypeError as error:
        raise InputError(
            f"function takes {signature}, and the points give {', '.join(names)} beside seed: "
            f"{error}; let the names of the points be those of the function"
        ) from None


def _outcome(function, leaves, row, point, seed):
    """Return the row and its results, pickled where they leave the process, or what failed."""
    try:
        # A fresh copy of the seed: spawning from it counts in it.
        results = function(**point, seed=np.random.SeedSequence(**seed.state))
        if not leaves:
            return row, results
        try:
            return row, pickle.dumps(results)
        except Exception:  # slower, but classes of a script come back as themselves
            return row, cloudpickle.dumps(results)
    except (Exception, SystemExit) as error:
        return row, None, *_told(error)


def _told(error):
    return f"{type(error).__name__}: {error}", traceback.format_exc()


def _read_grid(grid):
    """Return the points of a grid, and of each what the table shows."""
    if isinstance(grid, str) or not isinstance(grid, Iterable):
        raise InputError(f"grid = {grid!r}; give a dict of name to values, or a list of points")
    if isinstance(grid, Mapping):
        names, rows = list(grid), [*product(*(_axis(*axis) for axis in grid.items()))]
    else:
        grid = list(grid)
        names = list(grid[0]) if grid and isinstance(grid[0], Mapping) else []
        for i, point in enumerate(grid):
            if not isinstance(point, Mapping) or set(point) != set(names):
                wanted = f"with the names {', '.join(names)}" if names else "of arguments"
                raise InputError(f"grid[{i}] = {point!r}; give a dict {wanted}")
        rows = [[(_label(point[name]), _plain(point[name])) for name in names] for point in grid]
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"grid has the name {name!r}; give the name of an argument")
        if name in RESERVED:
            raise InputError(f"grid has the name {name!r}, which sweep itself uses; choose another")
    if not rows or not names:
        raise InputError("grid is empty; give a dict of name to values, or a list of points")
    shown = set()
    for row in rows:
        label = tuple(label for label, _ in row)
        if label in shown:
            raise InputError(
                f"grid has two points that are both shown as {label}; leave one out, or name "
                "values that print alike: a dict of {'what to show': value, ...}"
            )
        shown.add(label)
    labels, points = (
        [dict(zip(names, (pair[i] for pair in row), strict=True)) for row in rows] for i in (0, 1)
    )
    return points, labels


def _axis(name, values):
    """Return the pairs of label and value of one name of a grid."""
    if isinstance(values, Mapping):
        return list(values.items())
    is_one = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
    if is_one or not isinstance(values, Iterable):
        raise InputError(f"grid[{name!r}] = {values!r}; give a list of values")
    pairs = [(_label(value), _plain(value)) for value in values]
    if not pairs:
        raise InputError(f"grid[{name!r}] is empty; give at least one value")
    return pairs


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _label(value):
    value = _plain(value)
    return value if type(value) in SCALARS else " ".join(str(value).split())


def _in_numbers(function):
    """Return the function, which now returns a dict of plain Python numbers or fails."""

    @functools.wraps(function, updated=())
    def numbers(**point):
        results = function(**point)
        named = results if isinstance(results, Mapping) else {"value": results}
        plain = {name: _plain(value) for name, value in named.items()}
        for name, value in plain.items():
            if not isinstance(value, int | float):
                raise TypeError(f"function returned {name} = {value!r}; return numbers")
            if name in RESERVED or name in point or not isinstance(name, str):
                raise ValueError(f"function returned {name!r}, a name taken; choose another")
        return plain

    return numbers


def _table(run, names, with_errors):
    """Return the rows that finished, or all of them with their errors."""
    kept = [row for row in range(run.size) if with_errors or row in run.results]
    shown = [run.shown(row) for row in kept]
    table = pd.DataFrame()
    for name in (*names, "replication"):
        values = [each[name] for each in shown]
        # None beside numbers is no NaN: values stay what they are.
        table[name] = pd.Series(values, dtype=object if any(v is None for v in values) else None)
    table = table.join(pd.DataFrame([run.results.get(row, {}) for row in kept]))
    if with_errors:
        table["error"] = [getattr(run.failed.get(row), "error", "") for row in kept]
    return table
