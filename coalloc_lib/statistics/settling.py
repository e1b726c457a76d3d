"""The begin of a run is left out, and whether what is left still rises."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics.curves import RISING
from coalloc_lib.statistics.inference import student
from coalloc_lib.statistics.saturation import WARM_UP

__all__ = ["RISING", "WARM_UP", "after_warm_up", "halves", "rising_warning"]


def after_warm_up(values: ArrayLike, share: float = WARM_UP) -> NDArray[np.float64]:
    """Return the values of a run, in order of submission, without the first `share` of them."""
    values = np.asarray(values, dtype=float)
    if not 0 <= share < 1:
        raise InputError(f"share = {share}; give a number from 0 to below 1")
    return values[int(share * len(values)) :]


def halves(values: ArrayLike) -> tuple[float, float]:
    """Return the means of the first half of the values and of the second."""
    first, second = np.array_split(np.asarray(values, dtype=float), 2)
    return float(first.mean()), float(second.mean())


def rising_warning(first: ArrayLike, second: ArrayLike) -> str:
    """Return a warning where the second halves of runs are slower than the first for certain.

    `first` and `second` have the means of both halves of each run, in the same order.
    """
    rises = student(np.asarray(second, dtype=float) - np.asarray(first, dtype=float)).low > 0
    return RISING if rises else ""
