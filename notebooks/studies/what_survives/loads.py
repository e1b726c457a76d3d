"""The largest load that the system serves without saturation in both compared simulations."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.jobs import JobStream
from studies.what_survives.conclusions import Compared

#: A system serves an offered load if the mean response time is at most this number of mean run
#: times, and if all jobs end soon after the last submission.
BOUND = 5.0
#: All jobs must end within some time after the last submission: twice the longest run time, plus
#: this fraction of the time between the first and the last submission.
DRAINS = 0.05
#: The search for the largest load that a system can serve: the first load that is tried, and the
#: largest step from one load to the next.
FIRST, STEP = 0.3, 0.1
#: The smallest load that is tried. No setting of the study is saturated at a load as low as this.
LEAST_LOAD = 1e-3


def drains(response: NDArray[np.float64], jobs: JobStream) -> bool:
    """Return whether all jobs end soon after the last submission.

    `response` has the response time of each job. A rejected job has NaN, so the way does not drain.
    """
    late = np.max(jobs.submit + response) - jobs.submit.max()
    most = DRAINS * np.ptp(jobs.submit) + 2 * jobs.runtime.max()
    return bool(late <= most)


def worst_response(found: Compared) -> float:
    """Return the longest mean response time of the compared simulations, in mean run times.

    It is infinite if one of these ways does not drain.
    """
    ways = [way for pair in found.pairs for way in (pair.one, pair.other)]
    if not all(drains(way, found.jobs) for way in ways):
        return np.inf
    return max(float(way.mean()) for way in ways) / float(found.jobs.runtime.mean())


def carried_load(compare_at: Callable[[float], Compared]) -> float:
    """Return the largest offered load that the system serves in both compared simulations.

    Parameters
    ----------
    compare_at : callable
        A function that takes an offered load and returns the comparison at this load. All loads
        use the same random numbers.

    Returns
    -------
    float
        The load at which the worst mean response time reaches `BOUND` mean run times. If one of
        the simulations no longer drains before that, it is the last load that was
        tried at which all of them drain.

    Raises
    ------
    InputError
        If the system is still saturated at a load below `LEAST_LOAD`.

    Notes
    -----
    The loads increase from step to step. Each step is divided by the worst mean response time so
    far, because a simulation beyond saturation would be slow. Near saturation, a mean response time
    is inversely proportional to the distance from the largest load, so its reciprocal is
    interpolated.
    """
    low, at_low = FIRST, worst_response(compare_at(FIRST))
    while at_low > BOUND:
        if low < LEAST_LOAD:
            raise InputError(
                f"compare_at({low:g}) is still saturated at this load; give a comparison "
                "whose simulations reject no job and are not saturated at a low load"
            )
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
