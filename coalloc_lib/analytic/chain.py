"""The maximal utilization from the Markov chain itself: exact, for small systems."""

from array import array
from collections import Counter
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.arguments import BudgetError, Sizes, check_fits, checked, number
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.basics.checks import InputError, whole
from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.model.placement import Placement, may_stay_whole
from coalloc_lib.model.system import Multicluster

#: Where more jobs than this can run at once, there are too many multisets of them.
MOST_RUNNING = 200
#: Transitions that are kept for one state of the budget.
TRANSITIONS = 10
#: Up to so many lasting states the balance equations are solved as a full matrix.
DIRECT = 300
#: The largest sum of the errors of the balance equations that is let pass, for a flow of 1.
BALANCE = 1e-13
#: Improvements of the solution by plain iteration before giving up.
ITERATIONS = 100_000


def exact_utilization(
    system: Multicluster,
    sizes: Sizes,
    components: int | None = None,
    request: str = "unordered",
    placement: Placement | None = None,
    *,
    budget_states: int = 200_000,
) -> MaxUtilization:
    """Return the maximal utilization under first come, first served, with no approximation.

    Parameters
    ----------
    system, sizes, components, request
        Those of `maximal_utilization`; the system is a small one.
    placement : Placement, optional
        Any, a user's own too; worst fit where it is not given.
    budget_states : int
        What has more states, or more than ten transitions for each, raises `BudgetError`.

    Notes
    -----
    Service times are exponential and the queue is never empty. A state is a multiset of allocations
    and, where a job waits, its size. Each running job is as likely to be the next to depart. All
    states that are reached from the idle system are enumerated, and the balance equations solved.
    """
    parts, _, placement = checked(system, sizes, components, request, placement)
    budget = whole("budget_states", budget_states)
    jobs, chances = _jobs(parts, request, budget)
    if not (may_stay_whole(placement, request) and max(map(sum, jobs)) <= system.largest):
        check_fits(np.max(jobs, axis=0).tolist(), system, request)
    mean = float(chances @ [sum(job) for job in jobs])
    most = system.processors // min(map(sum, jobs))
    if most > MOST_RUNNING:
        raise BudgetError(
            f"system = {system} runs up to {most} of these jobs at once",
            f"the chain is for {MOST_RUNNING} at most",
        )
    states, (chance, source, target) = _reached(system, jobs, chances, request, placement, budget)
    counts = np.array([len(running) for running, _ in states])
    waiting = np.array([head >= 0 for _, head in states])
    flow = stationary_flow(chance, source, target, waiting, counts)[waiting]
    # A state with n running jobs lasts 1/n on average: the jumps out of it, over its time.
    level = flow.sum() / (flow / counts[waiting]).sum()
    utilization = Interval.exact(float(level * mean / system.processors))
    return MaxUtilization(utilization, "exact", float(level))


def _reached(system, jobs, chances, request, placement, budget):
    """Return the states that are reached from the idle system, and the jumps: chance, from, to."""
    # A state has the sorted numbers of the running jobs' allocations and the number of the waiting
    # job's size, -1 where the next job is about to be sampled.
    numbers, allocations = {}, []

    @cache
    def placed(job, idle):
        taken = placement.place(jobs[job], request, idle)
        if taken is None:
            return None
        one = numbers.setdefault(tuple(taken), len(numbers))
        if one == len(allocations):
            allocations.append(tuple(taken))
        return one, tuple(have - take for have, take in zip(idle, taken, strict=True))

    def tried(running, job, idle):
        """Return the state after a try to start a job: it runs, or it waits."""
        if (found := placed(job, idle)) is None:
            return running, job, idle
        return tuple(sorted((*running, found[0]))), -1, found[1]

    def following(running, head, idle):
        """Yield the next states, each with the idle processors and the chance."""
        if head < 0:
            for job, p in enumerate(chances.tolist()):
                yield *tried(running, job, idle), p
            return
        for one, alike in Counter(running).items():  # each is as likely to depart
            first = running.index(one)
            rest = running[:first] + running[first + 1 :]
            freed = tuple(map(sum, zip(idle, allocations[one], strict=True)))
            yield *tried(rest, head, freed), alike / len(running)

    queue = [((), -1, system.sizes)]  # breadth first
    states = {queue[0][:2]: 0}
    chance, source, target = array("d"), array("l"), array("l")
    for place, state in enumerate(queue):
        for running, head, idle, p in following(*state):
            to = states.setdefault((running, head), len(queue))
            if to == len(queue):
                queue.append((running, head, idle))
            source.append(place)
            target.append(to)
            chance.append(p)
        if len(queue) > budget or len(source) > TRANSITIONS * budget:
            raise BudgetError(
                f"the chain of system = {system} has {len(queue)} states or more, and "
                f"{len(source)} transitions: so many after the first {place + 1} states",
                f"budget_states = {budget}",
            )
    return states, [np.frombuffer(each, each.typecode) for each in (chance, source, target)]


def _jobs(sizes, request, budget):
    """Return the possible jobs, tuples of components, and their probabilities, within budget."""
    is_table = isinstance(sizes, JointSizes)
    alike = not is_table and request != "ordered" and all(part is sizes[0] for part in sizes)
    supports = [len(sizes)] if is_table else [len(part.sizes) for part in sizes]
    kinds = multisets(supports[0], len(supports)) if alike else prod(supports)
    if kinds > budget:
        raise BudgetError(
            f"sizes give {number(kinds):.3g} different jobs and the chain more states than that",
            f"budget_states = {budget}",
        )
    if not is_table:
        sizes = JointSizes.independent(sizes[0], len(sizes)) if alike else JointSizes.product(sizes)
    if request == "unordered":
        sizes = sizes.unordered()
    elif request != "ordered":
        total = sizes.total()
        sizes = JointSizes(total.sizes[:, None], total.probabilities[total.sizes])
    return [tuple(row) for row in sizes.vectors.tolist()], sizes.probabilities


def stationary_flow(
    chance: NDArray, source: NDArray, target: NDArray, lasting: NDArray[np.bool_], order: NDArray
) -> NDArray[np.float64]:
    """Return how often each state that takes time (`lasting`) is visited, as a share of all visits.

    Jump i leads from ``source[i]`` to ``target[i]`` with probability ``chance[i]``; between two
    states without time it leads to a higher `order`.
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
    """Return the map from visits of lasting states to the next; in order, `inner` is triangular."""
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    backward = jumps.T.tocsr()
    stay, enter = backward[at][:, at], backward[through][:, at]
    leave, inner = backward[at][:, through], backward[through][:, through]
    if not len(through):
        return lambda visits: stay @ visits
    inner = (eye_array(len(through)) - inner).tocsc()
    between = splu(inner, permc_spec="NATURAL", diag_pivot_thresh=0)
    return lambda visits: stay @ visits + leave @ between.solve(enter @ visits)


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
