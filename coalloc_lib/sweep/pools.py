"""Who runs the calls of a sweep: joblib's threads and processes, or the workers of a Dask cluster.

Other processes take a function and an iterator of tuples of arguments, and yield what the function
returns, in any order. Threads of this process call one function each.
"""

import itertools
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

import joblib
from joblib.parallel import get_active_backend

from coalloc_lib.checks import InputError

#: Seconds that a sweep waits for a Dask cluster without any worker, or ``wait_for_workers_timeout``
#: where that is longer: a worker that died is back in a few, one that waits in a queue is not.
PATIENCE = 60.0
_LOOK = 1.0  # seconds between two looks at the cluster


def active_pool(workers: int | None) -> tuple[Callable[..., Any], bool]:
    """Return who runs calls, and whether in threads of this process.

    It is what ``joblib.parallel_config`` names; threads where only `workers` is given.
    """
    hint = {"prefer": "threads"} if workers else {}
    backend, _ = get_active_backend(**hint)
    if hasattr(backend, "client"):
        patience = max(PATIENCE, backend.wait_for_workers_timeout or 0)
        return partial(_on_dask, backend.client, patience), False
    lanes = joblib.effective_n_jobs(workers)
    if lanes == 1 or getattr(backend, "supports_sharedmem", False):
        parallel = joblib.Parallel(workers, batch_size=1, **hint)
        return lambda lane: parallel([joblib.delayed(lane)()] * lanes), True
    try:
        parallel = joblib.Parallel(workers, return_as="generator_unordered")
    except ValueError as error:  # what the backend does not offer
        raise InputError(
            f"joblib.parallel_config({type(backend).__name__}): {error}; give 'loky', 'threading' "
            "or 'dask'"
        ) from None
    return partial(_in_processes, parallel), False


def _in_processes(parallel, function, arguments):
    answers = parallel(itertools.starmap(joblib.delayed(function), arguments))
    try:
        for answer in answers:  # noqa: UP028, as it would be closed without the filter
            yield answer
    finally:
        with warnings.catch_warnings():  # joblib's advice on work that is left undone
            warnings.filterwarnings("ignore", message=".*tasks")
            answers.close()


def _on_dask(client, patience, function, arguments):
    """Yield what the function returns; raise the first error once all others have ended.

    Workers may come and go. joblib's own way there waits for ever for a call whose result was lost
    with its worker and that Dask then gives up, and for a cluster that has no workers any more.
    """
    done, pending, errors = SimpleQueue(), set(), []
    seen = look = time.monotonic()
    try:
        while True:
            if (now := time.monotonic()) >= look:
                threads, look = sum(client.ncores().values()), now + _LOOK
                seen = now if threads else seen
                if now - seen > patience:
                    raise TimeoutError(
                        f"the Dask cluster has had no workers for {patience:g} seconds; give it "
                        "some and start again, or wait longer for them: "
                        "joblib.parallel_config('dask', wait_for_workers_timeout=...)"
                    )
            # Calls that wait may bring workers.
            room = 0 if errors else max(0, 2 * max(1, threads) - len(pending))
            for each in itertools.islice(arguments, room):
                future = client.submit(function, *each, pure=False)
                future.add_done_callback(done.put)
                pending.add(future)
            if not pending:
                break
            with suppress(Empty):
                future = done.get(timeout=_LOOK)
                try:
                    answer = future.result(timeout=_LOOK)
                except TimeoutError:  # lost with its worker: Dask computes it again
                    done.put(future)
                    continue
                except Exception as error:
                    errors.append(error)
                else:
                    yield answer
                pending.discard(future)
    finally:
        with suppress(OSError):  # the cluster may be gone
            client.cancel(list(pending))
    if errors:
        raise errors[0]
