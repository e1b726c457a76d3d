"""The maximal utilization of a multicluster under first come, first served (FCFS) scheduling.

The maximal utilization is the utilization of a *saturated* system, in which a job is always
waiting. Queueing theory calls this model the saturated *multiserver-job model*. It calls our jobs
multiserver jobs and our processors servers. The papers, and this library, speak of rigid jobs with
requests for processors in several clusters. A multiserver job of the theory is a total request on
one cluster.

Begin with `utilization`, the module of the formulas. The module `chain` solves the Markov chain of
a small system exactly. Simulation of a saturated system belongs in
`coalloc_lib.statistics.saturation`.
"""

from coalloc_lib.analytic.budget import BudgetError
from coalloc_lib.analytic.chain import exact_utilization
from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.analytic.near_saturation import exact_break_even, response_near_saturation
from coalloc_lib.analytic.slotted import slotted_as_printed, slotted_utilization
from coalloc_lib.analytic.utilization import maximal_utilization
from coalloc_lib.basics.estimates import MaxUtilization

__all__ = [
    "BudgetError",
    "JointSizes",
    "MaxUtilization",
    "exact_break_even",
    "exact_utilization",
    "maximal_utilization",
    "response_near_saturation",
    "slotted_as_printed",
    "slotted_utilization",
]
