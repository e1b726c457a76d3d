"""Who runs the calls of a sweep: joblib's threads and processes, or the workers of a Dask cluster.

Each takes a function and an iterator of tuples of arguments, and yields what the function returns,
in any order.
"""

import itertools
import time
import warnings
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue

import joblib
from joblib.parallel import get_active_backend

#: Seconds that a sweep waits for a Dask cluster without any worker, or ``wait_for_workers_timeout``
#: where that is longer: a worker that died is back in a few, one that waits in a queue is not.
PATIENCE = 60.0
_LOOK = 1.0  # seconds between two looks at the cluster


def active_pool(workers):
    """Return who runs calls, and whether in the memory of this process.

    It is what ``joblib.parallel_config`` names; threads where only `workers` is given.
    """
    hint = {"prefer": "threads"} if workers else {}
    backend, _ = get_active_backend(**hint)
    if hasattr(backend, "client"):
        return _Dask(backend), False
    here = joblib.effective_n_jobs(workers) == 1 or getattr(backend, "supports_sharedmem", False)
    size = 1 if here else "auto"
    how = {"batch_size": size, "return_as": "generator_unordered", **hint}
    return partial(_on_joblib, joblib.Parallel(workers, **how)), here


def _on_joblib(parallel, function, arguments):
    """Yield what the function returns for each tuple of arguments."""
    answers = parallel(itertools.starmap(joblib.delayed(function), arguments))
    try:
        for answer in answers:  # noqa: UP028, as it would be closed without the filter
            yield answer
    finally:
        with warnings.catch_warnings():  # joblib's advice on work that is left undone
            warnings.filterwarnings("ignore", message=".*tasks")
            answers.close()


class _Dask:
    """The workers of a Dask cluster, which may come and go.

    joblib's own way there waits for ever for a call whose result was lost with its worker and
    that Dask then gives up, and for a cluster that has no workers any more.
    """

    def __init__(self, backend):
        self._client, self._lanes = backend.client, 1
        self._patience = max(PATIENCE, backend.wait_for_workers_timeout or 0)
        self._looked, self._lost = float("-inf"), None

    def __call__(self, function, arguments):
        """Yield what the function returns; raise the first error once all others have ended."""
        done, pending, errors = SimpleQueue(), set(), []
        try:
            while True:
                self._look()
                room = 0 if errors else max(0, 2 * self._lanes - len(pending))
                for each in itertools.islice(arguments, room):
                    future = self._client.submit(function, *each, pure=False)
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
                self._client.cancel(list(pending))
        if errors:
            raise errors[0]

    def _look(self):
        """See from time to time how many lanes there are, and raise where there are none."""
        now = time.monotonic()
        if now < self._looked + _LOOK:
            return
        self._looked, threads = now, sum(self._client.ncores().values())
        self._lanes = max(1, threads)  # calls that wait may bring workers
        self._lost = None if threads else self._lost or now
        if self._lost and now - self._lost > self._patience:
            raise TimeoutError(
                f"the Dask cluster has had no workers for {self._patience:g} seconds; give it some "
                "and start again, or wait longer for them: "
                "joblib.parallel_config('dask', wait_for_workers_timeout=...)"
            )
