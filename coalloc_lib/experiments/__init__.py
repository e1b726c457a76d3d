"""Many runs: sweeps and curves, and comparisons of replications with their intervals.

Every function works for any table of runs; what only one paper needs does not belong here. Begin
with `replications` for the comparisons, and with `sweep` for the runs.
"""

from coalloc_lib.experiments.columns import (
    NoColumnError,
    NotRunError,
    furthest,
    interval_columns,
    least,
    most,
)
from coalloc_lib.experiments.crossings import (
    Crossings,
    crossings,
    first_crossing,
    mean_crossing,
    ratios_along,
)
from coalloc_lib.experiments.losses import capacity_loss
from coalloc_lib.experiments.replications import (
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
from coalloc_lib.experiments.settling import after_warm_up, halves, rising_warning

__all__ = [
    "Crossings",
    "NoColumnError",
    "NotRunError",
    "after_warm_up",
    "capacity_loss",
    "crossings",
    "difference",
    "differences",
    "first_crossing",
    "furthest",
    "groups_of",
    "halves",
    "interval_columns",
    "keys_of",
    "least",
    "mean_crossing",
    "means",
    "most",
    "pick",
    "ratio",
    "ratios",
    "ratios_along",
    "rising_warning",
    "rows_of",
    "sample",
]
