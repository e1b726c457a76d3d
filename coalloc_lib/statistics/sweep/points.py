"""`run_points`: compute what is missing, find what is there, list what failed."""

import functools
import inspect
import itertools
import os
import pickle
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

import cloudpickle
import joblib
import numpy as np
from joblib.parallel import get_active_backend

from coalloc_lib.basics.checks import InputError, whole
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.statistics.sweep.cache import SCALARS, Store, describe, digest, record_line

#: Seconds that a sweep waits for a Dask cluster without any worker, or ``wait_for_workers_timeout``
#: where that is longer: a worker that died is back in a few, one that waits in a queue is not.
PATIENCE = 60.0
_LOOK = 1.0  # seconds between two looks at the cluster


def compile_kernels() -> None:
    """Compile every kernel: processes that write one cache of Numba at once can crash."""
    # Imported here: Numba and the formulas take long, and a sweep may use neither.
    from coalloc_lib.analytic import JointSizes, maximal_utilization
    from coalloc_lib.model.distributions import uniform
    from coalloc_lib.model.jobs import REQUESTS, JobStream
    from coalloc_lib.model.placement import FirstFit, WorstFit
    from coalloc_lib.model.system import Multicluster
    from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online
    from coalloc_lib.simulation.run import simulate

    # By public functions, so that each kernel is compiled for the types that are used.
    pair, sizes = Multicluster([2, 2]), uniform(1, 2)
    jobs = JobStream([0, 0], [1, 1], [[1, 1], [1, 1]])
    for scheduling in (FCFS(), FPFS(max_jumps=1), EASY(), Conservative(), Online()):
        simulate(pair, jobs, scheduling=scheduling, placement=FirstFit())
        for request in REQUESTS:
            simulate(pair, jobs.replace(request=request), scheduling=scheduling)
    for placement in (WorstFit(), FirstFit()):
        # so many sizes that they are placed one after the other, and not by a table of jobs
        case = Multicluster([8, 8]), uniform(1, 8), 2, "unordered"
        maximal_utilization(*case, placement=placement)
    for request in ("ordered", "unordered"):
        maximal_utilization(pair, JointSizes.independent(sizes, 2), request=request)


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

    What finished is in `results`, by position, and in the `table` of `sweep`.
    """

    table: Any = None

    def __init__(self, message: str, failures: list[Failure], results: dict[int, Any]) -> None:
        lines = [message, *map(str, failures[:5]), *["..."][: len(failures) > 5]]
        super().__init__("\n  ".join(lines))
        self.failures, self.results = failures, results


def run_points(
    function: Callable[..., Any],
    points: Iterable[Mapping[str, Any]],
    replications: int = 1,
    *,
    seed: Seed = 0,
    cache: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    prepare: Callable[[], object] | None = compile_kernels,
    progress: NullProgress = NO_PROGRESS,
) -> list[Any]:
    """Call a function at every point, in each replication, and list what it returns.

    Parameters
    ----------
    function : callable
        Called as ``function(**point, seed=SeedSequence)``. What it returns must depend on the
        arguments alone; with a cache or in other processes it must be what can be pickled.
    points : list of dict
        Points may be equal, or print alike.
    replications : int
        Each has the same seed at every point, so that differences can be judged in pairs.
    cache : str or Path, optional
        A folder that keeps finished points, known by arguments, seed, this library's sources and
        the function as cloudpickle pickles it. `coalloc_lib.statistics.sweep.cache` says what that
        does not notice: files, for one. It holds pickles: one that others can write to is refused.
    workers : int, optional
        Threads, -1 for one a processor, 1 where it is not given. An active
        ``joblib.parallel_config`` takes precedence.
    prepare : callable, optional
        Called once before points are handed to other processes: compiles kernels.
    progress : Progress

    Returns
    -------
    list
        The first point in each replication, then the second, and so on.

    Raises
    ------
    SweepError
        Points failed (the others finish first), worker processes died, a Dask cluster has had no
        workers for long, or the disk is full. What had finished is kept.
    """
    if isinstance(points, str | Mapping) or not isinstance(points, Iterable):
        raise InputError(f"points = {points!r}; give a list of dicts of arguments")
    points = list(points)
    for i, point in enumerate(points):
        if not isinstance(point, Mapping) or not all(isinstance(name, str) for name in point):
            raise InputError(f"points[{i}] = {point!r}; give a dict of arguments by name")
    run = Run(function, points, replications, seed, cache, progress)
    run.complete(workers, prepare)
    if run.failed:
        raise run.error()
    return [run.results[row] for row in range(run.size)]


class Run:
    """Points in replications: of each row the result or the failure, once it has finished."""

    def __init__(
        self,
        function: Callable[..., Any],
        points: Sequence[Mapping[str, Any]],
        replications: int,
        seed: Seed,
        cache: str | os.PathLike[str] | None,
        progress: NullProgress,
        labels: list[dict[str, Any]] | None = None,
    ) -> None:
        self.points = [dict(point) for point in points]
        self.seeds = spawn(seed, whole("replications", replications))
        self.size = len(self.points) * len(self.seeds)
        if not callable(function):
            raise InputError(f"function = {function!r}; give a function of the names and seed")
        for names in dict.fromkeys(map(tuple, self.points)):
            _check_call(function, names)
        if cache == "" or not isinstance(cache, str | os.PathLike | None):
            raise InputError(f"cache = {cache!r}; give the path of a folder")
        self.function, self.progress = function, progress
        shown = ({name: label(value) for name, value in each.items()} for each in self.points)
        self.labels = labels or list(shown)
        self.store = None if cache is None else Store(cache, function)
        self.lock, self.stopped = Lock(), False
        self.results: dict[int, Any] = {}  # by row, as the failures
        self.failed: dict[int, Failure] = {}
        self.flying: set[int] = set()

    def complete(self, workers: int | None, prepare: Callable[[], object] | None) -> None:
        """Compute what the store does not have."""
        workers = workers if workers in (None, -1) else whole("workers", workers)
        if self.store:
            self.keys = list(point_keys(self.points, self.seeds))
            found = self.store.read(set(self.keys))
            for row, key in enumerate(self.keys):
                with suppress(Exception):  # missing, or what cannot be read any more
                    self.results[row] = pickle.loads(found[key])
        missing = [row for row in range(self.size) if row not in self.results]
        self.progress.total(len(missing), found=len(self.results))
        if not missing:
            return
        run, here = _active_pool(workers)
        if prepare and not here:
            prepare()
        if self.store:
            self.store.open()
        outcome = functools.partial(_outcome, self.function, not here)
        try:
            with closing(self), warnings.catch_warnings():
                # joblib's advice on work that is left undone
                warnings.filterwarnings(
                    "ignore", message=r"\d+ tasks (have|which)", module="joblib"
                )
                if here:  # each thread keeps its results at once
                    run(lambda *task: self._note(*outcome(*task)), self._tasks(missing))
                    return
                with closing(run(outcome, self._tasks(missing))) as outcomes:
                    for row, pickled, *error in outcomes:
                        self._note(row, None if error else pickle.loads(pickled), *error)
        except InputError as error:  # of the store
            raise self.error(str(error)) from error
        except Exception as error:
            for row in self.flying:
                self.failed[row] = Failure(self.shown(row), "was in flight")
            raise self.error(f"the sweep stopped ({type(error).__name__}: {error})") from error

    def _tasks(self, rows):
        """Yield what is to be computed, as the arguments of `_outcome`."""
        for row in rows:
            self.flying.add(row)
            point, replication = divmod(row, len(self.seeds))
            yield row, self.points[point], self.seeds[replication]

    def _note(self, row, results, *error):
        """Take note of what became of a point, and keep it."""
        if self.store and not error:
            try:
                record = record_line(self.keys[row], pickle.dumps(results))
            except Exception as refused:
                error = _reason(refused)
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

    def close(self) -> None:
        """Keep nothing any more: after an interruption threads may still be at a point."""
        with self.lock:
            self.stopped = True
            if self.store:
                self.store.close()

    def shown(self, row: int) -> dict[str, object]:
        """Return the arguments of a row as they are shown, and its replication."""
        point, replication = divmod(row, len(self.seeds))
        return {**self.labels[point], "replication": replication}

    def error(self, message: str = "") -> SweepError:
        """Return the error that lists what failed and has the results so far."""
        message = message or f"{len(self.failed)} of {self.size} points failed"
        failures = [self.failed[row] for row in sorted(self.failed)]
        return SweepError(message, failures, dict(sorted(self.results.items())))


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


def plain(value: Any) -> Any:
    """Return a number of NumPy's as one of Python's, and all else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def label(value: Any) -> Any:
    """Return what a table or an error shows of an argument."""
    value = plain(value)
    return value if type(value) in SCALARS else " ".join(str(value).split())


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
    """Return the row and its result, pickled where it leaves the process, or what failed."""
    try:
        # A fresh copy of the seed: spawning from it counts in it.
        results = function(**point, seed=np.random.SeedSequence(**seed.state))
        # As such, classes of a script come back as themselves.
        return row, cloudpickle.dumps(results) if leaves else results
    except (Exception, SystemExit) as error:
        return row, None, *_reason(error)


def _reason(error):
    return f"{type(error).__name__}: {error}", traceback.format_exc()


def _active_pool(workers):
    """Return what runs calls, as ``joblib.parallel_config`` says, and whether in threads here."""
    hint = {"prefer": "threads"} if workers else {}
    backend, _ = get_active_backend(**hint)
    if hasattr(backend, "client"):
        patience = max(PATIENCE, backend.wait_for_workers_timeout or 0)
        return functools.partial(_on_dask, backend.client, patience), False
    here = joblib.effective_n_jobs(workers) == 1 or getattr(backend, "supports_sharedmem", False)
    how = hint | {"batch_size": 1} if here else {"return_as": "generator_unordered"}
    try:
        parallel = joblib.Parallel(workers, **how)
    except ValueError as error:  # what the backend does not offer
        raise InputError(
            f"joblib.parallel_config({type(backend).__name__}): {error}; give 'loky', 'threading' "
            "or 'dask'"
        ) from None
    return lambda call, tasks: parallel(itertools.starmap(joblib.delayed(call), tasks)), here


def _on_dask(client, patience, function, tasks):
    """Yield what the function returns; joblib's own way waits for ever for lost workers."""
    from distributed import wait

    pending, alive = set(), time.monotonic()
    try:
        while True:
            threads = sum(client.ncores().values())
            alive = time.monotonic() if threads else alive
            if time.monotonic() - alive > patience:
                raise TimeoutError(
                    f"the Dask cluster has had no workers for {patience:g} seconds; give it some "
                    "and start again, or wait longer for them: "
                    "joblib.parallel_config('dask', wait_for_workers_timeout=...)"
                )
            room = max(0, 2 * max(1, threads) - len(pending))  # calls that wait may bring workers
            more = itertools.islice(tasks, room)
            pending |= {client.submit(function, *task, pure=False) for task in more}
            if not pending:
                return
            done = set()
            with suppress(TimeoutError):
                done, pending = wait(pending, _LOOK, "FIRST_COMPLETED")
            for future in sorted(done, key=lambda future: future.status == "error"):
                try:
                    answer = future.result(timeout=_LOOK)
                except TimeoutError:  # lost with its worker: Dask computes it again
                    pending.add(future)
                else:
                    yield answer
    finally:
        with suppress(OSError):  # the cluster may be gone
            client.cancel(list(pending))
