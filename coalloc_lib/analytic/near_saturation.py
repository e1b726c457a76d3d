"""Exact results on small systems that are saturated, or nearly so: break-even and mean response.

The theory calls our rigid jobs *multiserver jobs*. All results are for first come, first served,
Poisson arrivals and exponential service times, and come from the Markov chain in `chain`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.analytic.arguments import Sizes
from coalloc_lib.analytic.chain import SaturatedChain, SolvedChain
from coalloc_lib.basics.checks import InputError, numbers, positive
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.placement import Placement, SingleThenSpan, WorstFit
from coalloc_lib.model.system import Multicluster

#: The largest span penalty that is tried. If spanning still pays off at this penalty, the
#: break-even penalty is reported as infinite.
LARGEST_PENALTY = 1e6


def response_near_saturation(
    system: Multicluster,
    sizes: Sizes,
    load: ArrayLike,
    components: int | None = None,
    request: str = "unordered",
    placement: Placement | None = None,
    *,
    span_penalty: float = 0.0,
    mean_service: float | Mapping[int, float] = 1.0,
    budget_states: int = 200_000,
) -> NDArray[np.float64]:
    r"""Return the mean response time of a small system near saturation, up to a bounded error.

    Parameters
    ----------
    system, sizes, components, request, placement, span_penalty, mean_service, budget_states
        As in `exact_utilization`.
    load : array_like
        The offered load: the work that arrives in a unit of time, without the penalty, divided by
        the number of processors.

    Returns
    -------
    array with the shape of `load`
        The leading term of the mean response time, in the unit of `mean_service`. It is infinite
        from the maximal utilization on.

    Raises
    ------
    BudgetError, InputError
        As in `exact_utilization`; also if a load is not positive.

    Notes
    -----
    Let :math:`\lambda^*` be the throughput of the saturated system, :math:`\lambda` the arrival
    rate, and :math:`\Delta(Y_d)` the mean relative completions just after a departure. Then [1]_

    .. math:: E[T] = \frac{\Delta(Y_d) + 1}{\lambda^* - \lambda} + O(1),

    where :math:`O(1)` stays bounded as :math:`\lambda` approaches :math:`\lambda^*`. So the
    relative error vanishes there, but the absolute error need not; for M/M/1 it is 0. For M/G/1 the
    numerator is :math:`(1 + c^2)/2` with the coefficient of variation :math:`c` of the service
    times. The theorem is for first come, first served with Poisson arrivals, phase-type service
    times and one pool of servers. Here it is applied to several clusters, where a placement
    decides which jobs run.

    References
    ----------
    .. [1] I. Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf, "The RESET and MARC
       techniques, with application to multiserver-job analysis", Performance Evaluation 162, 2023.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> response_near_saturation(Multicluster([1]), uniform(1, 1), [0.5, 0.9, 1.0])
    array([ 2., 10., inf])
    """
    loads = numbers("load", load)
    if not (loads > 0).all():
        raise InputError(f"load = {load!r}; give positive numbers")
    chain = SaturatedChain(system, sizes, components, request, placement, budget_states)
    return _responses(chain.solve(span_penalty, mean_service), loads)


def _responses(solved: SolvedChain, load: Any) -> NDArray[np.float64]:
    room = 1 - np.asarray(load) / solved.utilization
    with np.errstate(divide="ignore"):
        leading = (solved.relative_completions() + 1) / (solved.throughput * room)
    return np.where(room > 1e-12, leading, np.inf)


def exact_break_even(
    system: Multicluster,
    sizes: SizeDistribution,
    *,
    placement: Placement | None = None,
    whole_placement: Placement | None = None,
    load: float | None = None,
    mean_service: float | Mapping[int, float] = 1.0,
    budget_states: int = 200_000,
) -> float:
    """Return the span penalty at which spanning stops paying off in a small system.

    The same jobs are run twice: whole, each on one cluster, and as flexible requests, which may
    span the clusters.

    Parameters
    ----------
    system : Multicluster
        A small system.
    sizes : SizeDistribution
        The job sizes, at most the size of the largest cluster.
    placement : Placement, optional
        The placement of jobs that may span. The default is `SingleThenSpan` with worst fit: a job
        spans only if it does not fit whole.
    whole_placement : Placement, optional
        The placement of whole jobs. The default is `WorstFit`.
    load : float, optional
        Without it, the throughputs of the full systems are compared. With it, the leading terms of
        the mean response times at this offered load are compared; see `response_near_saturation`.
        The result is then an approximation, which becomes exact only near saturation.
    mean_service, budget_states
        As in `exact_utilization`.

    Returns
    -------
    float
        The break-even penalty. It is 0 if spanning does not pay even without a penalty, and
        infinite if it pays at every penalty.

    Raises
    ------
    BudgetError, InputError
        As in `exact_utilization`; also if whole jobs saturate the system at this load.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> round(exact_break_even(Multicluster([4, 4]), uniform(1, 4)), 3)
    0.266
    """
    from scipy.optimize import brentq

    placement = SingleThenSpan(WorstFit()) if placement is None else placement
    options: dict[str, Any] = {"components": 1, "budget_states": budget_states}
    kept = SaturatedChain(system, sizes, request="total", placement=whole_placement, **options)
    whole = kept.solve(mean_service=mean_service)
    spanning = SaturatedChain(system, sizes, request="flexible", placement=placement, **options)
    if load is not None and positive("load", load) >= whole.utilization:
        raise InputError(
            f"load = {load}; without spanning, jobs can use at most {whole.utilization:.4f} of the "
            "processors; give a lower load"
        )
    at_load = None if load is None else float(_responses(whole, load))

    def relative_gain(penalty: float) -> float:
        solved = spanning.solve(penalty, mean_service)
        if at_load is None:
            return solved.throughput / whole.throughput - 1
        # At saturation the mean response time is infinite, but its reciprocal is 0. So the
        # reciprocals of the response times are compared.
        return at_load / float(_responses(solved, load)) - 1

    if relative_gain(0.0) <= 1e-12:
        return 0.0
    high = 1.0
    while relative_gain(high) > 0:
        high *= 10
        if high > LARGEST_PENALTY:
            return float("inf")
    return float(brentq(relative_gain, 0.0, high, xtol=1e-9))
