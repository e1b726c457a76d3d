"""The calls of the simulation kernels, with a progress bar and interruption by the user."""

import builtins
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from coalloc_lib.basics.compilation import call
from coalloc_lib.engines.kernels import easy, events, queue_order

#: The name of the kernels in messages about their compilation.
NAME = "simulation kernels"
#: The number of jobs up to which a run is so short that it needs no thread of its own. The first
#: number applies if the policy reserves processors for every job, the second to all other policies.
FEW_PLANNED, FEW = 300, 20_000
#: Seconds before a progress bar appears, and seconds between two updates of it.
PATIENCE, TICK = 2.0, 0.2


def run_kernel(kernel: Callable, *arguments: Any) -> Any:
    """Run a simulation kernel and return its result.

    A long run in the main thread is executed in a second thread. The user can then interrupt it
    with Ctrl-C, and sees a progress bar.

    Parameters
    ----------
    kernel : callable
        The kernel.
    *arguments
        The arguments of the kernel except the last one, `watch`. The first argument is the `Stream`
        of jobs.
    """
    watch, total = np.zeros(2, np.int64), len(arguments[0].submit)
    is_fast = kernel in (queue_order.run, easy.run_easy)
    is_short = total <= (FEW if is_fast else FEW_PLANNED)
    if is_short or threading.current_thread() is not threading.main_thread():
        return call(kernel, *arguments, watch, what=NAME)
    with ThreadPoolExecutor(1) as pool:
        try:
            run = pool.submit(call, kernel, *arguments, watch, what=NAME)
            wait([run], PATIENCE)
            if not run.done() and multiprocessing.current_process().name == "MainProcess":
                _show_progress(run, watch, total)
            return run.result()
        finally:
            watch[events.STOP] = 1


def _show_progress(run: Future, watch: np.ndarray, total: int) -> None:
    """Show the number of started jobs in a progress bar until the run ends."""
    from tqdm.auto import tqdm

    is_notebook = getattr(builtins, "__IPYTHON__", False)
    # With None, tqdm shows the bar only if the output is a terminal.
    options: dict[str, Any] = {
        "unit": "job",
        "leave": False,
        "disable": False if is_notebook else None,
    }
    with tqdm(total=total, **options) as bar:
        while not run.done():
            bar.update(int(watch[events.STARTED]) - bar.n)
            wait([run], TICK)
