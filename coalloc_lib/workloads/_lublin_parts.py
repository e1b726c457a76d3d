"""The pieces of `AdaptedLublin` that drawing and fitting share."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError

DAY = 86_400
HALF_HOURS = 48


def parallel_sizes(
    processors: int,
    power_of_two: float,
    log_low: float,
    log_medium: float,
    log_high: float,
    *,
    low_stage: float,
) -> NDArray[np.float64]:
    """Return the probabilities of sizes 0 to `processors` of a parallel job.

    log2(size) is uniform on [log_low, log_medium] with probability `low_stage`, else uniform
    on [log_medium, log_high]. With probability `power_of_two` it is rounded before the power is
    taken, else after. Sizes above `processors` are drawn anew.
    """

    def below(x: NDArray) -> NDArray:
        first = np.clip((x - log_low) / (log_medium - log_low), 0, 1)
        second = np.clip((x - log_medium) / (log_high - log_medium), 0, 1)
        return low_stage * first + (1 - low_stage) * second

    sizes = np.arange(1, processors + 1)
    weights = np.zeros(processors + 1)
    weights[1:] = (1 - power_of_two) * (below(np.log2(sizes + 0.5)) - below(np.log2(sizes - 0.5)))
    exponents = np.arange(int(math.log2(processors)) + 1)
    weights[2**exponents] += power_of_two * (below(exponents + 0.5) - below(exponents - 0.5))
    if weights.sum() <= 0:
        raise InputError(f"processors = {processors}; no size of the model is that small")
    return weights / weights.sum()


def to_cycle_clock(instants: NDArray, cycle: ArrayLike) -> NDArray[np.float64]:
    """Return instants (seconds from a midnight) on the clock that runs with the daily cycle."""
    days, clock = np.divmod(instants, DAY)
    return days * DAY + np.interp(clock, _half_hours(), _cycle_corners(cycle))


def from_cycle_clock(instants: NDArray, cycle: ArrayLike) -> NDArray[np.float64]:
    """Return the inverse of `to_cycle_clock`."""
    days, clock = np.divmod(instants, DAY)
    return days * DAY + np.interp(clock, _cycle_corners(cycle), _half_hours())


def _half_hours() -> NDArray[np.float64]:
    return np.linspace(0, DAY, HALF_HOURS + 1)


def _cycle_corners(cycle: ArrayLike) -> NDArray[np.float64]:
    return np.concatenate([[0.0], np.cumsum(cycle) / np.sum(cycle)]) * DAY
