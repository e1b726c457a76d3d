"""The maximal utilization of one cluster with slotted service.

With slotted service, all jobs in service start and end at the same time. The time from a common
start to the common end is a slot.
"""

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.budget import PRECISION
from coalloc_lib.analytic.ordered import one_cluster_fits
from coalloc_lib.basics.checks import InputError, instance_of, whole
from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.model.distributions import SizeDistribution


def slotted_as_printed(processors: int, sizes: SizeDistribution) -> float:
    """Evaluate equation (4) of Bucur and Epema (2003) as it is printed in the paper.

    The equation is for one cluster with slotted service, where all jobs in service start and end
    together.

    The result is too high, and can be above 1, unless all jobs have the same size.

    Parameters
    ----------
    processors : int
        Number of processors of the cluster, N.
    sizes : SizeDistribution
        Number of processors of a job, at most N.

    Notes
    -----
    Let F^(i)(N) be the probability that i random jobs fit together on the idle cluster. The mean
    number of jobs in service is the sum of F^(i)(N) over i >= 1, and the utilization is this number
    times the mean size of a job, divided by N. The equation assumes that all jobs of a slot are
    random. The first job of a slot is not random, because it is the job that did not fit into the
    slot before, so it is large. `slotted_utilization` takes this into account.

    References
    ----------
    Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
    (2003), equation (4).
    """
    processors = _checked_processors(processors, sizes)
    most, mean_number = processors // sizes.minimum, 0.0
    for jobs, fit in enumerate(one_cluster_fits(sizes.probabilities, processors), start=1):
        mean_number += fit
        if jobs == most or fit * (most - jobs) <= PRECISION * mean_number:
            break
    return float(mean_number * sizes.mean / processors)


def slotted_utilization(processors: int, sizes: SizeDistribution) -> MaxUtilization:
    """Return the exact maximal utilization of one cluster with slotted service.

    With slotted service, all jobs in service start and end together.

    The cluster is saturated, which means that a job is always waiting.

    Parameters
    ----------
    processors : int
        Number of processors of the cluster, N.
    sizes : SizeDistribution
        Number of processors of a job, at most N.

    Returns
    -------
    MaxUtilization
        The maximal utilization, and the mean number of jobs in service.

    Notes
    -----
    The first job of a slot is the job that did not fit into the slot before. The sizes of the first
    jobs of the slots are therefore a Markov chain. Let f(s) be the probability of size s, and let
    r(u) be the probability that some number of random jobs have u processors in total, which is
    r(0) = 1 and r(u) = sum over s of f(s) r(u - s). A slot whose first job has size s uses u
    processors and is followed by a first job of size t > N - u with probability r(u - s) f(t). The
    utilization is the mean of u divided by N.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> round(slotted_utilization(2, uniform(1, 2)).max_utilization, 3)
    0.9
    """
    processors = _checked_processors(processors, sizes)
    f = np.zeros(processors + 1)
    f[: len(sizes.probabilities)] = sizes.probabilities
    renewal = _renewal(f)
    support = sizes.sizes
    tail = np.array([f[processors - used + 1 :].sum() for used in range(processors + 1)])
    step = np.zeros((len(support), len(support)))
    used_processors = np.zeros(len(support))  # the mean in a slot, for each size of its first job
    for row, first in enumerate(support):
        reached = np.concatenate([np.zeros(first), renewal[: processors + 1 - first]])
        used_processors[row] = (reached * tail) @ np.arange(processors + 1)
        step[row] = [f[t] * reached[processors - t + 1 :].sum() for t in support]
    utilization = float(_stationary(step) @ used_processors / processors)
    mean_number = utilization * processors / sizes.mean
    return MaxUtilization(Interval.exact(utilization), "exact", mean_number)


def _checked_processors(processors: int, sizes: SizeDistribution) -> int:
    processors = whole("processors", processors)
    instance_of("sizes", sizes, SizeDistribution, "e.g. uniform(1, 16)")
    if sizes.maximum > processors:
        raise InputError(
            f"sizes reach {sizes.maximum} and processors = {processors}, so such a job never "
            "starts; give at least as many processors"
        )
    return processors


def _renewal(f: NDArray[np.float64]) -> NDArray[np.float64]:
    # Add up the sizes of random jobs one after the other. Entry u of the result is the probability
    # that one of the partial sums is exactly u.
    renewal = np.zeros(len(f))
    renewal[0] = 1.0
    for used in range(1, len(f)):
        renewal[used] = f[1 : used + 1] @ renewal[used - 1 :: -1]
    return renewal


def _stationary(step: NDArray[np.float64]) -> NDArray[np.float64]:
    count = len(step)
    balance = np.vstack([step.T - np.eye(count), np.ones(count)])
    return np.linalg.lstsq(balance, np.append(np.zeros(count), 1.0), rcond=None)[0]
