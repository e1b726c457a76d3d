"""The same with this library: `co.simulate` on one cluster, with the compiled engine."""

import numpy as np

import coalloc_lib as co

PACKAGE = "coalloc-workbench"


def load(jobs):
    """Return the jobs as arrays: submission, run time, expected time, processors."""
    _, submit, runtime, expected, sizes = np.array(jobs, dtype=float).T
    return submit.copy(), runtime.copy(), expected.copy(), sizes.astype(int)


def simulate(processors, arrays, scheduling):
    """Return the start of each job."""
    submit, runtime, expected, sizes = arrays
    jobs = co.JobStream(submit, runtime, sizes, expected, request="total")
    return co.simulate(co.Multicluster([processors]), jobs, scheduling=scheduling).start


def fcfs(processors, arrays):
    """Return the start of each job under FCFS."""
    return simulate(processors, arrays, co.FCFS())


def easy(processors, arrays):
    """Return the start of each job under EASY."""
    return simulate(processors, arrays, co.EASY())
