"""How far the compiled engine is from plain C that does the same for one kind of requests.

Run ``python benchmarks/limit/bench_limit.py`` with ``COALLOC_TRACES`` set and a C compiler called
`cc`. Both are run by turns, the least of several times counts, and the starts are compared. The
kernels write what the C programs do, and serve all requests and placements; `simulate` checks its
arguments, prepares the arrays and makes a schedule as well.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import coalloc_lib as co
from coalloc_lib.engines import kernel_calls

sys.path.insert(0, str(Path(__file__).parents[1]))
import measuring

HERE = Path(__file__).parent
TURNS = 5
COLUMNS = "run, C ms, kernel ×, simulate ×, same"


def compiled_c():
    """Return the C programs, compiled for this machine."""
    folder = tempfile.mkdtemp()
    command = ["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", f"{folder}/limit.so"]
    subprocess.run([*command, str(HERE / "limit.c")], check=True)
    return ctypes.CDLL(f"{folder}/limit.so")


def call(function, *arguments):
    """Call a C program with whole numbers and arrays; return the seconds it takes."""
    given = [
        ctypes.c_void_p(each.ctypes.data) if isinstance(each, np.ndarray) else ctypes.c_int64(each)
        for each in arguments
    ]
    began = time.perf_counter()
    function(*given)
    return time.perf_counter() - began


def compared(name, run_c, simulate):
    """Return a row: seconds of C, and how many times that kernel and `simulate` take."""
    simulate()
    plain, kernels, wholes = [], [], []
    run_kernel = kernel_calls.run_kernel

    def timed(*given):
        began = time.perf_counter()
        started = run_kernel(*given)
        kernels.append(time.perf_counter() - began)
        return started

    kernel_calls.run_kernel = timed
    for _ in range(TURNS):
        seconds, start = run_c()
        plain.append(seconds)
        began = time.perf_counter()
        schedule = simulate()
        wholes.append(time.perf_counter() - began)
    kernel_calls.run_kernel = run_kernel
    same = "yes" if np.array_equal(start, schedule.start) else "no"
    times = (f"{min(each) / min(plain):.2f}" for each in (kernels, wholes))
    return name, f"{1e3 * min(plain):.1f}", *times, same


def fcfs(programs, quick):
    """Compare saturated FCFS on four clusters of 32, jobs of four components U[1,16]."""
    system, n = co.Multicluster([32] * 4), 200_000 if quick else 2_000_000
    jobs = co.JobModel(co.uniform(1, 16), 4).sample(n, 1)
    parts = np.ascontiguousarray(-np.sort(-jobs.components, axis=1), dtype=np.int32)
    start, end, allocation = np.empty(n), np.empty(n), np.empty((n, 4), np.int32)

    def run_c():
        idle = system.as_array().astype(np.int64)
        columns = (jobs.runtime, parts, idle, start, end, allocation)
        return call(programs.saturated_fcfs, n, 4, 4, *columns), start

    return compared("FCFS, saturated", run_c, lambda: co.simulate(system, jobs, backlog=1))


def on_log(programs, scheduling, estimates, name):
    """Compare a policy on the log KTH-SP2, whole jobs on 100 processors."""
    jobs = co.load_trace("KTH-SP2", missing="stand-in").jobs("total", estimates, 0.0, 100)
    jobs = jobs[np.argsort(jobs.submit, kind="stable")]
    system, n, sizes = co.Multicluster([100]), len(jobs), jobs.processors.astype(np.int32)
    start, end, expected = np.empty(n), np.empty(n), np.maximum(jobs.estimate, jobs.runtime)

    def run_c():
        if isinstance(scheduling, co.EASY):
            columns = (jobs.submit, jobs.runtime, expected, sizes, start, end)
            return call(programs.easy, n, 100, *columns), start
        columns = (jobs.submit, jobs.runtime, sizes, start, end)
        return call(programs.fpfs, n, 100, scheduling.max_jumps, *columns), start

    return compared(name, run_c, lambda: co.simulate(system, jobs, scheduling=scheduling))


def limits(quick):
    """Yield a row for each policy."""
    programs = compiled_c()
    yield fcfs(programs, quick)
    yield on_log(programs, co.FPFS(50), "exact", "FPFS(50), KTH-SP2")
    yield on_log(programs, co.EASY(), "exact", "EASY, KTH-SP2, exact")
    yield on_log(programs, co.EASY(), "requested", "EASY, KTH-SP2, requested")


if __name__ == "__main__":
    measuring.run([(limits, "Beside plain C", COLUMNS)], __doc__)
