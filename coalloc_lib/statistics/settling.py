"""All rules on settling: when the queue of a simulation run is long enough past its start.

A run begins with an empty system, so its first jobs wait less than jobs do on average. The first
part of each run, the *warm-up*, is left out, and a run has a warning if it is too short for its
queue to settle.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, finite, floats
from coalloc_lib.policies import FCFS, FPFS, Scheduling
from coalloc_lib.statistics.inference import student

#: The fraction of the jobs of a simulation run that is left out as its warm-up. These are the first
#: jobs, because the system is empty at first and its queue still grows.
WARM_UP = 0.1

#: The fraction of a run at an overload that is left out as its warm-up. It is larger than `WARM_UP`
#: because the jobs of such a run arrive one by one at an empty system, so the reservations fill the
#: system slowly. A run with a constant queue begins with all processors in use.
OVERLOAD_WARM_UP = 0.3

#: The warning of a mean response time if response times still rise at the end of the runs, because
#: the runs are too short or the load is too high.
RISING = "response times still rise at the end of the runs"

#: A run needs at least this constant divided by (1 - load / maximal utilization)² jobs, because a
#: queue settles more slowly near saturation. For 8 runs of an M/M/1 queue with this number of jobs,
#: 93 % of the confidence intervals contain the mean response time. For runs of a quarter of this
#: length, only 88 % do (benchmarks/bench_coverage.py --simulated).
SETTLES = 80

#: A queue that is kept at a constant length has settled after as many arrivals as its length times
#: this constant. TURNS_FPFS is for FCFS and FPFS, under which few jobs overtake any given job.
#: TURNS is for other policies, under which jobs that are hard to place stay in the queue for a long
#: time.
TURNS_FPFS, TURNS = 8, 80


def warm_up_jobs(jobs: int) -> int:
    """Return how many jobs at the start of a run are left out as its warm-up.

    Examples
    --------
    >>> warm_up_jobs(20_000)
    2000
    """
    return int(WARM_UP * jobs)


def after_warm_up(values: ArrayLike, share: float = WARM_UP) -> NDArray[np.float64]:
    """Drop the values of the jobs in the warm-up of a run.

    Parameters
    ----------
    values : array_like of shape (jobs,)
        One value per job, in order of submission.
    share : float
        The fraction of the jobs that is left out, at least 0 and less than 1.

    Raises
    ------
    InputError
        If the share is out of range.

    Examples
    --------
    >>> after_warm_up(range(10), share=0.7)
    array([7., 8., 9.])
    """
    values = floats("values", values)
    if not 0 <= finite("share", share) < 1:
        raise InputError(f"share = {share}; give a number of at least 0 and less than 1")
    return values[int(share * len(values)) :]


def halves(values: ArrayLike) -> tuple[float, float]:
    """Return the mean of the first half and the mean of the second half of a sequence.

    If the number of values is odd, the first half has one value more.

    Raises
    ------
    InputError
        If there are fewer than two values.

    Examples
    --------
    >>> halves([1, 3, 5, 9])
    (2.0, 7.0)
    """
    first, second = np.array_split(_two_or_more(values), 2)
    return float(first.mean()), float(second.mean())


def equal_halves(values: ArrayLike) -> NDArray[np.float64]:
    """Return the means of the two halves of a run, without its warm-up, shape (2,).

    If the number of remaining values is odd, the first of them is left out too. The halves then
    have the same length, so the average of the two means is the mean over both halves.

    Examples
    --------
    >>> equal_halves(range(10))
    array([3.5, 7.5])
    """
    checked = _two_or_more(values)
    half = (len(checked) - warm_up_jobs(len(checked))) // 2
    return checked[-2 * half :].reshape(2, half).mean(axis=1)


def _two_or_more(values):
    values = floats("values", values)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(
            f"values has the shape {values.shape}; give two or more values, at least one per half"
        )
    return values


def is_rising(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> bool:
    """Return whether the second halves of runs have significantly larger means than the first.

    Parameters
    ----------
    first, second : array_like of shape (runs,)
        The means of both halves of each run, with the runs in the same order.
    confidence : float
        The confidence of the paired interval of their difference, which must be above 0.

    Examples
    --------
    >>> is_rising([1.0, 1.1, 1.2], [2.0, 2.1, 2.3])
    True
    """
    difference = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    return student(difference, confidence).low > 0


def rising_warning(first: ArrayLike, second: ArrayLike) -> str:
    """Return a warning if mean response times rise from the first to the second halves of runs.

    The function `is_rising`, which has the same parameters, decides this by a confidence interval.
    The warning is empty if they do not rise, and otherwise `RISING`.
    """
    return RISING if is_rising(first, second) else ""


def unsettled(jobs: int, needed: float) -> str:
    """Return a warning if a run has fewer jobs than its queue needs to settle.

    Before the queue has settled, waiting and response times are too low. This error is the same in
    all replications, so a confidence interval does not show it.

    Parameters
    ----------
    jobs : int
        The number of jobs of the run.
    needed : float
        The number of jobs that it needs; see `jobs_to_settle` and `backlog_jobs_to_settle`.

    Examples
    --------
    >>> unsettled(100, 200)
    '100 jobs are too few for the queue to settle; give jobs=200'
    """
    least = int(np.ceil(round(needed, 6)))
    if jobs >= least:
        return ""
    return f"{jobs:,} jobs are too few for the queue to settle; give jobs={least}"


def jobs_to_settle(load: float, maximum: float) -> float:
    """Return how many jobs a run needs until its queue has settled.

    The load must be below the maximal utilization `maximum`.
    """
    return SETTLES / (1 - load / maximum) ** 2


def backlog_jobs_to_settle(scheduling: Scheduling, backlog: int) -> int:
    """Return after how many arrivals a queue of the constant length `backlog` has settled."""
    turns = TURNS_FPFS if isinstance(scheduling, FCFS | FPFS) else TURNS
    return turns * backlog
