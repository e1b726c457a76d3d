"""Calls to the simulation kernels, with a progress bar and interruption by the user."""

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from coalloc_lib.basics.compilation import call
from coalloc_lib.basics.progress import in_notebook
from coalloc_lib.engines.kernels import events

#: The name of the simulation kernels in messages about compilation.
NAME = "simulation kernels"
#: The maximum number of jobs in a short run, for which no second thread and no progress bar are
#: used. The maximum is FEW_PLANNED for policies that reserve processors for every job, and FEW for
#: all other policies.
FEW_PLANNED, FEW = 300, 20_000
#: The time in seconds until a progress bar appears, and the time in seconds between two updates of
#: the bar.
PATIENCE, TICK = 2.0, 0.2


def run_kernel(kernel: Callable, *arguments: Any, jobs: int, few: int | None = None) -> Any:
    """Run a simulation kernel and return its result.

    A long run in the main thread is executed in a second thread. The user can then interrupt it
    with Ctrl-C, and sees a progress bar.

    Parameters
    ----------
    kernel : callable
        The kernel.
    *arguments
        The arguments of the kernel except the last one, `watch`.
    jobs : int
        The number of jobs.
    few : int, optional
        A run is short if it has at most this number of jobs. By default, `FEW`.
    """
    watch = np.zeros(2, np.int64)
    is_short = jobs <= (FEW if few is None else few)
    if is_short or threading.current_thread() is not threading.main_thread():
        return call(kernel, *arguments, watch, what=NAME)
    with ThreadPoolExecutor(1) as pool:
        try:
            run = pool.submit(call, kernel, *arguments, watch, what=NAME)
            wait([run], PATIENCE)
            if not run.done() and multiprocessing.current_process().name == "MainProcess":
                _show_progress(run, watch, jobs)
            return run.result()
        finally:
            watch[events.STOP] = 1


def _show_progress(run: Future, watch: np.ndarray, total: int) -> None:
    from tqdm.auto import tqdm

    # If the argument `disable` is None, tqdm shows the progress bar only in a terminal.
    options: dict[str, Any] = {
        "unit": "job",
        "leave": False,
        "disable": False if in_notebook() else None,
    }
    with tqdm(total=total, **options) as bar:
        while not run.done():
            bar.update(int(watch[events.STARTED]) - bar.n)
            wait([run], TICK)
