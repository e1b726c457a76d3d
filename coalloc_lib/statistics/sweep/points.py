"""Call a function at many points in parallel, and keep finished results in a cache."""

import functools
import inspect
import os
import pickle
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from coalloc_lib.basics.checks import InputError, instance_of, whole
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.statistics.labels import label
from coalloc_lib.statistics.sweep.cache import MISSING, PointCache
from coalloc_lib.statistics.sweep.compilation import compile_kernels
from coalloc_lib.statistics.sweep.failures import Failure, SweepError
from coalloc_lib.statistics.sweep.keys import point_keys


def run_points(
    function: Callable[..., Any],
    points: Iterable[Mapping[str, Any]],
    replications: int = 1,
    *,
    seed: Seed = 0,
    cache: str | os.PathLike[str] | None = None,
    version: str = "",
    workers: int | None = None,
    prepare: Callable[[], object] | None = compile_kernels,
    progress: NullProgress = NO_PROGRESS,
) -> list[Any]:
    """Call a function for each set of arguments and each replication, and return the results.

    A cache stores each result under a key, which is made from the sources of this library, the name
    and source text of the function, its arguments and the seed. The key does not notice changes to
    other functions and values in your own files that the function uses, or to files that it reads.
    Give another `version` after such a change.

    After you have edited a module that Python had already imported, restart Python. Otherwise
    Python still runs the old code, but the key may contain the new text, so wrong results would be
    stored.

    Parameters
    ----------
    function : callable
        Called as ``function(**point, seed=SeedSequence)``. Its result must depend only on the
        arguments. With a cache, or in other processes, the result must be picklable.
    points : list of dict
        The arguments of each call. Several points may be equal.
    replications : int
        The number of calls at each point. A replication has the same seed at every point, so that
        points can be compared in pairs.
    seed : int or SeedSequence
        The seed of all replications.
    cache : str or Path, optional
        A folder that keeps the results of finished points. It holds pickles, which can run code;
        therefore a folder that other users can write to is not accepted.
    version : str
        Any text. It becomes a part of the key.
    workers : int, optional
        The number of threads, by default 1; -1 means one for each processor. An active
        ``joblib.parallel_config`` takes precedence.
    prepare : callable, optional
        Called once before other processes start. The default compiles the kernels.
    progress : Progress
        It shows the number of points that were found in the cache, and that have finished.

    Returns
    -------
    list
        The results of the first point in each replication, then those of the second, and so on.

    Raises
    ------
    SweepError
        If points failed (all others finish first), if worker processes died, or if the disk is
        full. The cache keeps the results that had finished.
    InputError
        If an argument is not valid.

    Examples
    --------
    >>> def power(base, exponent, seed):
    ...     return base**exponent
    >>> run_points(power, [{"base": 2, "exponent": 3}, {"base": 3, "exponent": 2}])
    [8, 9]
    """
    run = Run(function, _checked_points(points), replications, seed)
    run.complete(cache, version, workers, prepare, progress)
    if run.failed:
        raise run.error()
    return [run.results[row] for row in range(run.size)]


def _checked_points(points):
    if isinstance(points, str | Mapping) or not isinstance(points, Iterable):
        raise InputError(f"points = {points!r}; give a list of dicts of arguments")
    points = list(points)
    for i, point in enumerate(points):
        if not isinstance(point, Mapping) or not all(isinstance(name, str) for name in point):
            raise InputError(f"points[{i}] = {point!r}; give a dict from argument names to values")
    return points


class Run:
    """All calls of a sweep, with the results and failures so far.

    A *row* is one call. The rows of the first point in each replication come first, then those of
    the second point, and so on.

    Parameters
    ----------
    function : callable
        The function to call.
    points : list of dict
        The arguments of each call.
    replications, seed
        As in `run_points`.
    labels : list of dict, optional
        The arguments of each point as tables and errors show them, by default those of the points.

    Attributes
    ----------
    results : dict of int to object
        The results by row.
    failed : dict of int to Failure
        The failures by row.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        points: Sequence[Mapping[str, Any]],
        replications: int,
        seed: Seed,
        labels: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        self.function = function
        self.points = [dict(point) for point in points]
        self.seeds = spawn(seed, whole("replications", replications))
        self.size = len(self.points) * len(self.seeds)
        self.labels = self.points if labels is None else labels
        self.results: dict[int, Any] = {}
        self.failed: dict[int, Failure] = {}
        if not callable(function):
            raise InputError(
                f"function = {function!r}; give a function that takes the arguments of a point "
                "and a seed"
            )
        for names in dict.fromkeys(map(tuple, self.points)):
            _check_call(function, names)

    def complete(
        self,
        cache: str | os.PathLike[str] | None,
        version: str,
        workers: int | None,
        prepare: Callable[[], object] | None,
        progress: NullProgress,
    ) -> None:
        """Read the available results from the cache, and compute and store the missing results."""
        workers = workers if workers in (None, -1) else whole("workers", workers)
        instance_of("version", version, str, "version='2'")
        store = None
        if cache is not None:
            store = self._read(cache, version)
        missing = [row for row in range(self.size) if row not in self.results]
        progress.total(len(missing), found=len(self.results))
        if not missing:
            return
        if store is not None:
            store.folder.check_writable()
        self._compute(missing, store, workers, prepare, progress)

    def _read(self, cache: str | os.PathLike[str], version: str) -> "_Store":
        if cache == "" or not isinstance(cache, str | os.PathLike):
            raise InputError(f"cache = {cache!r}; give the path of a folder")
        keys = point_keys(self.function, self.points, self.seeds, version)
        folder = PointCache(cache)
        for row, key in enumerate(keys):
            result = folder.read(key)
            if result is not MISSING:
                self.results[row] = result
        return _Store(folder, keys)

    def _compute(
        self,
        missing: list[int],
        store: "_Store | None",
        workers: int | None,
        prepare: Callable[[], object] | None,
        progress: NullProgress,
    ) -> None:
        begun: list[int] = []
        try:
            with warnings.catch_warnings():
                # joblib warns if an interrupted run leaves tasks unfinished, and if a disk is full.
                # The first warning is ignored, and the second becomes an error.
                advice = r"\d+ tasks (have|which)"
                warnings.filterwarnings("ignore", message=advice, module="joblib")
                warnings.filterwarnings("error", message="Unable to cache to disk")
                parallel, is_here = _parallel(workers)
                if prepare and not is_here:
                    prepare()
                tasks = self._tasks(missing, begun, is_here)
                with closing(parallel(tasks)) as outcomes:
                    for outcome in outcomes:
                        self._note(store, is_here, *outcome)
                        progress.step()
        except InputError as error:
            if not begun:
                raise
            raise self.error(str(error)) from error  # The disk is full.
        except Exception as error:
            for row in sorted({*begun} - {*self.results} - {*self.failed}):
                self.failed[row] = Failure(self.shown(row), "was in flight")
            raise self.error(f"the sweep stopped ({type(error).__name__}: {error})") from error

    def _tasks(self, rows: Iterable[int], begun: list[int], is_here: bool) -> Iterator[Any]:
        outcome = joblib.delayed(functools.partial(_outcome, self.function, not is_here))
        for row in rows:
            begun.append(row)
            point, replication = divmod(row, len(self.seeds))
            yield outcome(row, self.points[point], self.seeds[replication])

    def _note(self, store, is_here, row, result, *error):
        if not error:
            (result,) = (result,) if is_here else pickle.loads(result)
            error = store.write(row, result) if store is not None else ()
        if error:
            self.failed[row] = Failure(self.shown(row), *error)
        else:
            self.results[row] = result

    def shown(self, row: int) -> dict[str, object]:
        """Return the arguments and replication of a call, as tables and errors write them."""
        point, replication = divmod(row, len(self.seeds))
        shown = {name: label(value) for name, value in self.labels[point].items()}
        return {**shown, "replication": replication}

    def error(self, message: str = "") -> SweepError:
        """Return a `SweepError` with all failures and all results so far."""
        message = message or f"{len(self.failed)} of {self.size} points failed"
        failures = [self.failed[row] for row in sorted(self.failed)]
        return SweepError(message, failures, dict(sorted(self.results.items())))


class _Store:
    """A cache, together with the keys of all calls of a sweep."""

    def __init__(self, folder: PointCache, keys: Sequence[str]) -> None:
        self.folder, self.keys = folder, keys

    def write(self, row: int, result: Any) -> tuple[str, ...]:
        """Store the result of a call, or return the error and the traceback if pickling fails."""
        try:
            pickled = pickle.dumps(result)
        except Exception as error:
            return _reason(error)
        self.folder.write(self.keys[row], pickled)
        return ()


def _check_call(function, names):
    for name in {"seed", "replication"} & set(names):
        raise InputError(
            f"points have an argument {name!r}, a name that is reserved; choose another name"
        )
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # A function written in C may have no signature.
        return
    try:
        signature.bind(**dict.fromkeys([*names, "seed"]))
    except TypeError as error:
        raise InputError(
            f"the points give the arguments {', '.join(names)} and seed, but the signature of "
            f"function is {signature} ({error}); give points with the argument names of function"
        ) from None


def _outcome(function, leaves, row, point, seed):
    # The result is pickled only if it goes to another process.
    try:
        # If the function spawns seeds from its seed, the seed changes. The function therefore gets
        # a copy of the seed, so that other calls are not affected.
        result = function(**point, seed=np.random.SeedSequence(**seed.state))
        return row, _pickled(result) if leaves else result
    except (Exception, SystemExit) as error:
        return row, None, *_reason(error)


def _pickled(result):
    # If the result is a class, joblib would wrap it in another class. The result is therefore put
    # into a tuple.
    return pickle.dumps(joblib.wrap_non_picklable_objects((result,), keep_wrapper=False))


def _reason(error):
    return f"{type(error).__name__}: {error}", traceback.format_exc()


def _parallel(workers: int | None) -> tuple[Callable[[Iterable[Any]], Any], bool]:
    hint: dict[str, Any] = {"prefer": "threads"} if workers else {}
    backend, _ = get_active_backend(**hint)
    is_one = joblib.effective_n_jobs(workers) == 1  # joblib then uses no workers.
    if hasattr(backend, "client"):
        return functools.partial(_on_dask, backend.client), False
    is_here = is_one or getattr(backend, "supports_sharedmem", False)
    try:
        return joblib.Parallel(workers, return_as="generator_unordered", **hint), is_here
    except ValueError as error:  # The backend cannot return results as they finish.
        raise InputError(
            f"joblib.parallel_config({type(backend).__name__}): {error}; give 'loky', 'threading' "
            "or 'dask'"
        ) from None


def _on_dask(client: Any, tasks: Iterable[Any]) -> Iterator[Any]:
    # joblib's own Dask backend never returns if workers die or if a function cannot be pickled.
    from distributed import as_completed

    futures = [client.submit(function, *args, pure=False) for function, args, _ in tasks]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        client.cancel(futures)
