"""Estimates with their intervals: means, differences, crossings, the bootstrap over weeks.

Everything here works on numbers and instants; tables of runs belong in `experiments`. Begin with
`estimates`, which defines an interval.
"""

from coalloc_lib.intervals.bootstrap import (
    DAY,
    WEEK,
    Resamples,
    block_of,
    resample_quantiles,
    resample_sums,
    resample_weeks,
)
from coalloc_lib.intervals.estimates import METHODS, Bound, Interval, all_of, not_
from coalloc_lib.intervals.inference import (
    Crossing,
    Sample,
    crossing,
    paired_difference,
    replicate,
    student,
    unpaired_difference,
)

__all__ = [
    "DAY", "METHODS", "WEEK", "Bound", "Crossing", "Interval", "Resamples", "Sample", "all_of",
    "block_of", "crossing", "not_", "paired_difference", "replicate", "resample_quantiles",
    "resample_sums", "resample_weeks", "student", "unpaired_difference",
]  # fmt: skip
