"""Slotted service on one cluster, exactly: what equation (4) leaves out."""

import numpy as np

from coalloc_lib.checks import InputError, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.intervals import Bound, Interval


def slotted_utilization(processors: int, sizes: SizeDistribution) -> Bound:
    """Return the maximal utilization of one cluster where all jobs in service end together.

    Parameters
    ----------
    processors : int
        Of the cluster.
    sizes : SizeDistribution
        Of the jobs; none may be larger than the cluster.

    Returns
    -------
    Bound

    Notes
    -----
    Equation (4) draws all jobs of a slot afresh. But the first job of a slot is the one that did
    not fit into the slot before, and large jobs fit less often. So the first sizes are a Markov
    chain. With f the density of the sizes and r(u) = f(u) + sum over s of f(s) r(u - s) (r(0) = 1)
    the probability that some number of jobs add up to u, a slot that begins with s fills up to u
    and is followed by t with probability r(u - s) f(t) where u + t > N; the utilization is the
    mean of u over N in the chain's steady state. The multiprogramming level follows by equation
    (3), since every job takes one slot.
    """
    if sizes.maximum > whole("processors", processors):
        raise InputError(f"sizes reach {sizes.maximum}; give at least as many processors")
    f = np.zeros(processors + 1)
    f[: len(sizes.probabilities)] = sizes.probabilities
    renewal = np.zeros(processors + 1)
    renewal[0] = 1.0
    for used in range(1, processors + 1):
        renewal[used] = f[1 : used + 1] @ renewal[used - 1 :: -1][:used]
    support = sizes.sizes
    tail = np.array([f[processors - used + 1 :].sum() for used in range(processors + 1)])
    step = np.zeros((len(support), len(support)))
    filled = np.zeros(len(support))
    for row, first in enumerate(support):
        reached = np.concatenate([np.zeros(first), renewal[: processors + 1 - first]])
        filled[row] = (reached * tail) @ np.arange(processors + 1)
        step[row] = [f[t] * reached[processors - t + 1 :].sum() for t in support]
    balance = np.vstack([step.T - np.eye(len(support)), np.ones(len(support))])
    first_sizes = np.linalg.lstsq(balance, np.append(np.zeros(len(support)), 1.0), rcond=None)[0]
    utilization = float(first_sizes @ filled / processors)
    level = utilization * processors / sizes.mean
    return Bound(Interval.exact(utilization), "exact", level)
