"""Estimates with confidence intervals from many simulation runs.

The functions work on numbers and on tables of runs. Code that only one paper needs does not belong
here. Intervals are defined in `coalloc_lib.basics.estimates`. Begin with `inference` for estimates,
then read `replications` for tables of runs, and `sweep` for making the runs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coalloc_lib.basics.estimates import METHODS, Interval, MaxUtilization
from coalloc_lib.statistics.bootstrap import DAY, WEEK, block_of, resample_sums, resample_weeks
from coalloc_lib.statistics.columns import (
    NoColumnError,
    NotRunError,
    interval_columns,
)
from coalloc_lib.statistics.crossings import (
    Crossings,
    crossings,
    first_crossing,
    mean_crossing,
    ratios_along,
)
from coalloc_lib.statistics.inference import (
    Crossing,
    Replications,
    crossing,
    paired_difference,
    replicate,
    student,
    unpaired_difference,
)
from coalloc_lib.statistics.quantiles import resample_quantiles
from coalloc_lib.statistics.replications import (
    difference,
    differences,
    groups_of,
    keys_of,
    means,
    pick,
    ratio,
    ratios,
    rows_of,
    sample,
)
from coalloc_lib.statistics.resamples import Resamples
from coalloc_lib.statistics.settling import after_warm_up, halves, rising_warning

if TYPE_CHECKING:
    from coalloc_lib.statistics.maximum import capacity_loss

__all__ = [
    "DAY", "METHODS", "WEEK", "Crossing", "Crossings", "Interval", "MaxUtilization",
    "NoColumnError", "NotRunError", "Replications", "Resamples", "after_warm_up",
    "block_of", "capacity_loss", "crossing", "crossings", "difference", "differences",
    "first_crossing", "groups_of", "halves", "interval_columns", "keys_of",
    "mean_crossing", "means", "paired_difference", "pick", "ratio", "ratios",
    "ratios_along", "replicate", "resample_quantiles", "resample_sums", "resample_weeks",
    "rising_warning", "rows_of", "sample", "student", "unpaired_difference",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the modules that depend on Numba only when they are first used.

    Worker processes of a sweep import this package, and may need neither the simulation nor Numba.
    """
    if name in _IMPORTED_LATE:
        return import_module(f"coalloc_lib.statistics.{name}")
    if name == "capacity_loss":
        return import_module("coalloc_lib.statistics.maximum").capacity_loss
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_IMPORTED_LATE = ("curves", "saturation", "site_comparison", "sweep")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_IMPORTED_LATE})
