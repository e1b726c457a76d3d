"""Maximal utilization under first come, first served: formulas, and an exact Markov chain.

Nothing here simulates; heavy traffic belongs in `statistics.saturation`. Begin with
`utilization`, which chooses among the methods.
"""

from coalloc_lib.analytic.arguments import BudgetError
from coalloc_lib.analytic.chain import exact_utilization
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.utilization import (
    maximal_utilization,
    slotted_as_printed,
    slotted_utilization,
)
from coalloc_lib.basics.estimates import MaxUtilization

__all__ = [
    "BudgetError",
    "JointSizes",
    "MaxUtilization",
    "exact_utilization",
    "maximal_utilization",
    "slotted_as_printed",
    "slotted_utilization",
]
