"""What a comparison carries: the load up to which both of its ways respond in bounded time."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.jobs import JobStream
from studies.what_survives.conclusions import Compared

#: A way carries a load if its mean response is at most this many mean run times and it drains.
BOUND = 5.0
#: A way drains if it is done, after the last submission, within this share of the time of all
#: submissions and twice the longest run time.
DRAINS = 0.05
#: The first load that is tried, and the length of the first step to the next.
FIRST, STEP = 0.3, 0.1


def drains(response: NDArray[np.float64], jobs: JobStream) -> bool:
    """Return whether a way runs all jobs soon after the last submission."""
    late = np.max(jobs.submit + response) - jobs.submit.max()
    most = DRAINS * np.ptp(jobs.submit) + 2 * jobs.runtime.max()
    return bool(late <= most)  # a job that was rejected has a response of NaN


def worst_response(found: Compared) -> float:
    """Return the largest mean response of any way, in mean run times; infinite if one piles up."""
    ways = [way for pair in found.pairs for way in (pair.one, pair.other)]
    if not all(drains(way, found.jobs) for way in ways):
        return np.inf
    return max(float(way.mean()) for way in ways) / float(found.jobs.runtime.mean())


def carried_load(compare_at: Callable[[float], Compared]) -> float:
    """Return the largest offered load at which the worse way still carries it.

    Parameters
    ----------
    compare_at : callable
        From an offered load to what is compared at that load, on common random numbers.

    Returns
    -------
    float
        The load at which the worst mean response crosses `BOUND` mean run times, or the last load
        that was tried before one way no longer drains.

    Notes
    -----
    Loads are tried upwards, and each step is shorter by the worst response so far: beyond
    saturation a simulation would be slow. Near saturation a mean response is inversely proportional
    to the distance from the largest load, so its reciprocal is interpolated.
    """
    low, at_low = FIRST, worst_response(compare_at(FIRST))
    while at_low > BOUND:
        low, at_low = low / 2, worst_response(compare_at(low / 2))
    while True:
        high = low + STEP / max(at_low, 1.0)
        at_high = worst_response(compare_at(high))
        if at_high > BOUND:
            break
        low, at_low = high, at_high
    if np.isinf(at_high):
        return low
    part = (1 / at_low - 1 / BOUND) / (1 / at_low - 1 / at_high)
    return low + part * (high - low)
