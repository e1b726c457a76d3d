"""The stationary distribution of a Markov chain whose states are tangible or vanishing.

The system stays in a *tangible* state for some time, and leaves a *vanishing* state immediately.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError

#: The balance equations of a Markov chain with at most this number of tangible states are solved
#: directly. Those of larger chains are solved by iteration.
DIRECT = 300
#: The iteration ends when the errors of the balance equations, summed over all states, are at most
#: this number. The probabilities of the states have the sum 1.
BALANCE = 1e-13
#: The balance equations are solved with at most this number of iterations.
ITERATIONS = 100_000


def stationary_flow(
    probability: NDArray,
    source: NDArray,
    target: NDArray,
    tangible: NDArray[np.bool_],
    order: NDArray,
) -> NDArray[np.float64]:
    """Return the long-run fraction of visits to each tangible state.

    A state is tangible if the chain stays in it for some time. Visits to other states are not
    counted.

    Parameters
    ----------
    probability, source, target : array, shape (number of transitions,)
        Transition i leads from state ``source[i]`` to state ``target[i]`` with probability
        ``probability[i]``.
    tangible : array of bool, shape (number of states,)
        Whether the chain stays in a state for some time.
    order : array, shape (number of states,)
        A number for each state. Transitions between vanishing states lead to higher numbers.

    Returns
    -------
    array, shape (number of states,)
        The fractions, which are 0 for vanishing and transient states.
    """
    from scipy.sparse import csr_array

    count = len(tangible)
    matrix = csr_array((probability, (source, target)), shape=(count, count))
    recurrent = recurrent_states(matrix)
    recurrent = recurrent[np.argsort(order[recurrent], kind="stable")]
    lasting, vanishing = recurrent[tangible[recurrent]], recurrent[~tangible[recurrent]]
    flow = np.zeros(count)
    flow[lasting] = _fixed_point(_embedded_step(matrix, lasting, vanishing), len(lasting))
    return flow


def recurrent_states(matrix: Any) -> NDArray[np.int64]:
    """Return the recurrent states of a Markov chain, which must form a single class.

    If they form several classes, an `InputError` is raised.

    The sparse array `matrix` has the probabilities of the transitions between all states.
    """
    from scipy.sparse.csgraph import connected_components

    classes, label = connected_components(matrix, directed=True, connection="strong")
    source, target = matrix.nonzero()
    closed = np.ones(classes, dtype=bool)
    closed[label[source[label[source] != label[target]]]] = False
    if closed.sum() != 1:
        raise InputError(
            f"the system can stay forever in any of {closed.sum()} separate sets of states, so its "
            "utilization depends on chance; give other sizes or another placement"
        )
    return np.flatnonzero(closed[label])


def _embedded_step(matrix, tangible, vanishing):
    # The paths through vanishing states are summed by solving a linear system. The vanishing states
    # are ordered so that this system is triangular.
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    transposed = matrix.T.tocsr()
    direct, enter = transposed[tangible][:, tangible], transposed[vanishing][:, tangible]
    leave, inner = transposed[tangible][:, vanishing], transposed[vanishing][:, vanishing]
    if not len(vanishing):
        return lambda visits: direct @ visits
    inner = (eye_array(len(vanishing)) - inner).tocsc()
    paths = splu(inner, permc_spec="NATURAL", diag_pivot_thresh=0)
    return lambda visits: direct @ visits + leave @ paths.solve(enter @ visits)


def _fixed_point(step, count):
    if count <= DIRECT:
        balance = step(np.eye(count)) - np.eye(count)
        balance[-1] = 1  # the sum of all probabilities replaces one redundant equation
        return np.linalg.solve(balance, np.eye(count)[-1])
    probabilities = _dominant_eigenvector(step, count)
    for _ in range(ITERATIONS):
        following = step(probabilities)
        following /= following.sum()
        if np.abs(following - probabilities).sum() <= BALANCE:
            return following
        # Averaging damps oscillations of the iteration, which occur because the chain can be
        # periodic.
        probabilities = (probabilities + following) / 2
    raise ArithmeticError(
        f"the balance equations of {count} states are not solved after {ITERATIONS} iterations"
    )


def _dominant_eigenvector(step, count):
    from scipy.sparse.linalg import LinearOperator, eigs

    operator = LinearOperator((count, count), matvec=step, dtype=float)
    start = np.full(count, 1 / count)
    _, vectors = eigs(operator, k=1, which="LR", v0=start, tol=1e-13)
    weights = np.abs(vectors[:, 0].real)
    return weights / weights.sum()
