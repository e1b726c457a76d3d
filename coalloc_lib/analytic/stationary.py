"""The steady state of a large sparse chain of jumps, of which some take no time."""

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError

#: Up to so many lasting states the balance equations are solved as a full matrix.
DIRECT = 300
#: The largest sum of the errors of the balance equations that is let pass, for a flow of 1.
BALANCE = 1e-13
#: Improvements of the solution by plain iteration before giving up.
ITERATIONS = 100_000


def stationary_flow(
    chance: NDArray, source: NDArray, target: NDArray, lasting: NDArray[np.bool_], order: NDArray
) -> NDArray[np.float64]:
    """Return how often each lasting state is visited, as a share of all such visits.

    Parameters
    ----------
    chance : ndarray, shape (m,)
        Probability of each jump from `source` to `target`; jumps may be listed more than once.
    source, target : ndarray of int, shape (m,)
        Numbers of states.
    lasting : ndarray of bool, shape (n,)
        Which states take time.
    order : ndarray, shape (n,)
        A jump between two others leads from a lower to a higher `order`.

    Returns
    -------
    ndarray, shape (n,)
        Zero for states that take no time.

    Raises
    ------
    InputError
        Several sets of states can each hold the system for ever.
    """
    from scipy.sparse import csr_array

    count = len(lasting)
    jumps = csr_array((chance, (source, target)), shape=(count, count))
    kept = _recurrent(jumps)
    kept = kept[np.argsort(order[kept], kind="stable")]
    at, through = kept[lasting[kept]], kept[~lasting[kept]]
    flow = np.zeros(count)
    flow[at] = _fixed_point(_between_lasting(jumps, at, through), len(at))
    return flow


def _recurrent(jumps):
    """Return the states that are visited again and again."""
    from scipy.sparse.csgraph import connected_components

    classes, label = connected_components(jumps, directed=True, connection="strong")
    source, target = jumps.nonzero()
    closed = np.ones(classes, dtype=bool)
    closed[label[source[label[source] != label[target]]]] = False
    if closed.sum() != 1:
        raise InputError(
            f"the system can be caught in {closed.sum()} different sets of states, so that its "
            "utilization depends on chance; give other sizes or another placement"
        )
    return np.flatnonzero(closed[label])


def _between_lasting(jumps, at, through):
    """Return the map from the visits of lasting states to those that follow them.

    The states in between are solved for; in their order, that matrix is triangular.
    """
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    backward = jumps.T.tocsr()
    stay, enter = backward[at][:, at], backward[through][:, at]
    leave, inner = backward[at][:, through], backward[through][:, through]
    if not len(through):
        return lambda visits: stay @ visits
    inner = (eye_array(len(through)) - inner).tocsc()
    passing = splu(inner, permc_spec="NATURAL", diag_pivot_thresh=0)
    return lambda visits: stay @ visits + leave @ passing.solve(enter @ visits)


def _fixed_point(step, count):
    """Return the shares that `step` leaves as they are."""
    if count <= DIRECT:
        balance = step(np.eye(count)) - np.eye(count)
        balance[-1] = 1  # in place of one equation, which follows from the others
        return np.linalg.solve(balance, np.eye(count)[-1])
    shares = _dominant(step, count)
    for _ in range(ITERATIONS):
        following = step(shares)
        following /= following.sum()
        if np.abs(following - shares).sum() <= BALANCE:
            return following
        shares = (shares + following) / 2  # halves what goes round in circles
    raise ArithmeticError(f"no balance after {ITERATIONS} iterations on {count} states")


def _dominant(step, count):
    from scipy.sparse.linalg import LinearOperator, eigs

    operator = LinearOperator((count, count), matvec=step, dtype=float)
    start = np.full(count, 1 / count)
    _, vectors = eigs(operator, k=1, which="LR", v0=start, tol=1e-13)
    shares = np.abs(vectors[:, 0].real)
    return shares / shares.sum()
