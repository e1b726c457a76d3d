"""The exact maximal utilization of a small system, from its Markov chain.

A state of the chain is the multiset of the allocations of the running jobs, and the size of the
waiting job if there is one. As in the theory of stochastic Petri nets, a state is *tangible* if the
system stays in it for some time, which is the case if the first job of the queue does not fit. A
state is *vanishing* if the system leaves it immediately, because the next job is about to be
sampled.
"""

from array import array
from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.analytic.arguments import Sizes, check_fits, checked_arguments
from coalloc_lib.analytic.budget import BudgetError, as_float
from coalloc_lib.analytic.joint import JointSizes, multisets
from coalloc_lib.analytic.stationary import recurrent_states, stationary_flow
from coalloc_lib.basics.checks import InputError, not_negative, positive, shown, whole
from coalloc_lib.basics.estimates import Interval, MaxUtilization
from coalloc_lib.model.answers import checked_allocation, not_allowed
from coalloc_lib.model.placement import Placement, may_stay_whole, serves
from coalloc_lib.model.system import Multicluster

#: The largest number of jobs that may run at the same time in the Markov chain. With more jobs the
#: chain has too many states.
MOST_RUNNING = 200
#: The largest number of transitions of a Markov chain, as a multiple of the largest number of its
#: states.
TRANSITIONS = 10
#: The number that replaces the waiting job in a state of the Markov chain in which no job waits.
NONE_WAITS = -1


def exact_utilization(
    system: Multicluster,
    sizes: Sizes,
    components: int | None = None,
    request: str = "unordered",
    placement: Placement | None = None,
    *,
    span_penalty: float = 0.0,
    mean_service: float | Mapping[int, float] = 1.0,
    budget_states: int = 200_000,
) -> MaxUtilization:
    """Return the exact maximal utilization of a small system under first come, first served.

    Parameters
    ----------
    system : Multicluster
        A small system, for example one with fewer than 50 processors.
    sizes, components, request
        As in `maximal_utilization`.
    placement : Placement, optional
        The placement of requests that are not ordered, which can be of a class of your own. The
        default is `WorstFit`.
    span_penalty : float
        The fraction by which the run time of a job increases if it spans clusters.
    mean_service : float, or dict of int to float
        The mean service time of a job that does not span: one number, or a number for each job
        size in processors.
    budget_states : int
        The largest number of states of the Markov chain. The chain may have ten times as many
        transitions.

    Returns
    -------
    MaxUtilization
        The maximal utilization, and the mean number of jobs in service. The utilization is net:
        it counts the work of the jobs without the penalty.

    Raises
    ------
    BudgetError
        If the chain has too many states or transitions.
    InputError
        If an argument is wrong, or if a job can never start.

    Notes
    -----
    Service times are exponential. Their means may depend on the size of a job and on whether it
    spans. The queue is never empty. All states that can be reached from the idle system are
    enumerated, and the balance equations of the chain are solved. With Poisson arrivals, the open
    system is stable below the throughput of this saturated system. In the theory of multiserver
    jobs, this is the stability condition of [1]_ for one cluster and one mean service time.

    References
    ----------
    .. [1] A. Rumyantsev and E. Morozov, "Stability criterion of a multiserver model with
       simultaneous service", Annals of Operations Research 252, 2017.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> round(exact_utilization(Multicluster([2, 2]), uniform(1, 2)).max_utilization, 3)
    0.774
    """
    chain = SaturatedChain(system, sizes, components, request, placement, budget_states)
    solved = chain.solve(span_penalty, mean_service)
    return MaxUtilization(Interval.exact(solved.utilization), "exact", solved.mean_running)


class SaturatedChain:
    """The states and transitions of the Markov chain of a saturated system, without rates.

    A state is a pair: the sorted numbers of the running jobs' allocations, and the position of the
    waiting job in `jobs`, or `NONE_WAITS` in a vanishing state. The states and transitions do not
    depend on the rates, so that one chain can be solved for several penalties.

    Parameters
    ----------
    system, sizes, components, request, placement, budget_states
        As in `exact_utilization`.
    """

    def __init__(
        self,
        system: Multicluster,
        sizes: Sizes,
        components: int | None = None,
        request: str = "unordered",
        placement: Placement | None = None,
        budget_states: int = 200_000,
    ) -> None:
        parts, _, placement = checked_arguments(system, sizes, components, request, placement)
        budget = whole("budget_states", budget_states)
        jobs, probabilities = _possible_jobs(parts, request, budget)
        _check_jobs(jobs, system, request, placement)
        self.system, self.jobs, self.probabilities = system, jobs, probabilities.tolist()
        self.request, self.placement = request, placement
        # The allocations that occur in the chain. A state refers to an allocation by its position
        # in this list.
        self.allocations: list[tuple[int, ...]] = []
        self._positions: dict[tuple[int, ...], int] = {}  # the position of each allocation
        self._place_once = cache(self._place)  # many states have the same idle processors
        # The names in error messages take longer to make than a placement.
        self._placement_name, self._name_of = str(placement), cache(self._name_of_job)
        states, (self._weight, self._departing, self._source, self._target) = self._explore(budget)
        self._running = np.array([len(running) for running, _ in states])
        self._tangible = np.array([waiting != NONE_WAITS for _, waiting in states])

    @property
    def number_of_states(self) -> int:
        """The number of states of the Markov chain, including vanishing states."""
        return len(self._running)

    def solve(
        self, span_penalty: float = 0.0, mean_service: float | Mapping[int, float] = 1.0
    ) -> "SolvedChain":
        """Compute the stationary state of the chain for given mean service times."""
        penalty = not_negative("span_penalty", span_penalty)
        means = _service_means(mean_service, {sum(job) for job in self.jobs})
        rates = self._departure_rates(penalty, means)
        count = len(self._running)
        leaves = self._departing >= 0
        weight = self._weight * np.where(leaves, rates[self._departing], 1.0)
        # For a tangible state, `total` is the rate at which the system leaves the state. For a
        # vanishing state, `total` is 1, because the weights are probabilities.
        total = np.bincount(self._source, weight, minlength=count)
        probability = weight / total[self._source]
        transitions = probability, self._source, self._target
        flow = stationary_flow(*transitions, self._tangible, self._running)
        work = sum(
            probability * sum(job) * means[sum(job)]
            for job, probability in zip(self.jobs, self.probabilities, strict=True)
        )
        return SolvedChain(
            transitions, self._tangible, flow, total, self._running, work / self.system.processors
        )

    def _departure_rates(self, penalty, means):
        def mean_time(taken):
            factor = 1 + penalty * (np.count_nonzero(taken) > 1)
            return means[sum(taken)] * factor

        return np.array([1 / mean_time(taken) for taken in self.allocations])

    def _place(self, job, idle):
        components = self.jobs[job]
        answer = self.placement.place(components, self.request, idle)
        if answer is None:
            return None
        name, what = self._placement_name, self._name_of(job)
        allocation = tuple(checked_allocation(name, answer, sum(components), idle, what))
        if not serves(allocation, components, self.request, self.placement):
            mend = "return None, or an allocation that the request allows"
            raise not_allowed(f"{name} placed {what} as", allocation, self.request, mend)
        if allocation not in self._positions:
            self._positions[allocation] = len(self.allocations)
            self.allocations.append(allocation)
        left = tuple(free - used for free, used in zip(idle, allocation, strict=True))
        return self._positions[allocation], left

    def _name_of_job(self, job):
        return f"a job with the components {shown([*self.jobs[job]])}"

    def _try(self, running, job, idle):
        placed = self._place_once(job, idle)
        if placed is None:
            return running, job, idle
        position, left = placed
        return tuple(sorted((*running, position))), NONE_WAITS, left

    def _next_states(self, running, waiting, idle):
        # Each result has five entries: the running jobs and the waiting job of the next state, its
        # idle processors, the allocation of the departing job, and the number of running jobs with
        # this allocation. No job departs from a vanishing state; the last two entries are then -1
        # and the probability of the transition.
        if waiting == NONE_WAITS:
            for job, probability in enumerate(self.probabilities):
                yield *self._try(running, job, idle), -1, probability
            return
        if not running:
            raise InputError(
                f"placement = {self.placement} does not place a job with the components "
                f"{shown([*self.jobs[waiting]])} on the idle system; give a placement that does"
            )
        for position, count in Counter(running).items():  # jobs that can depart
            first = running.index(position)
            rest = running[:first] + running[first + 1 :]
            freed = tuple(map(sum, zip(idle, self.allocations[position], strict=True)))
            yield *self._try(rest, waiting, freed), position, count

    def _explore(self, budget):
        # This is a breadth-first search. For each transition, the four arrays hold the weight, the
        # allocation of the departing job, and the indices of the source state and the target state.
        queue = [((), NONE_WAITS, self.system.sizes)]
        states = {queue[0][:2]: 0}
        weights, departing = array("d"), array("l")
        sources, targets = array("l"), array("l")
        for source, state in enumerate(queue):
            for running, waiting, idle, position, weight in self._next_states(*state):
                target = states.setdefault((running, waiting), len(queue))
                if target == len(queue):
                    queue.append((running, waiting, idle))
                sources.append(source)
                targets.append(target)
                departing.append(position)
                weights.append(weight)
            if len(queue) > budget or len(sources) > TRANSITIONS * budget:
                raise BudgetError(
                    f"the Markov chain of system = {self.system} has {len(queue)} states or more, "
                    f"and {len(sources)} transitions after the first {source + 1} states",
                    f"budget_states = {budget}",
                )
        columns = (weights, departing, sources, targets)
        return states, [np.frombuffer(column, column.typecode) for column in columns]


def _check_jobs(jobs, system, request, placement):
    if not (may_stay_whole(placement, request) and max(map(sum, jobs)) <= system.largest):
        check_fits(np.max(jobs, axis=0).tolist(), system, request)
    most = system.processors // min(map(sum, jobs))
    if most > MOST_RUNNING:
        raise BudgetError(
            f"system = {system} runs up to {most} of these jobs at the same time",
            f"the Markov chain is for at most {MOST_RUNNING}",
        )


def _service_means(mean_service, sizes):
    if not isinstance(mean_service, Mapping):
        return dict.fromkeys(sizes, positive("mean_service", mean_service))
    missing = sizes - mean_service.keys()
    if missing:
        raise InputError(
            f"mean_service has no value for jobs of {min(missing)} processors; give one for each "
            "size"
        )
    return {size: positive(f"mean_service[{size}]", mean_service[size]) for size in sorted(sizes)}


class SolvedChain:
    """The Markov chain of a saturated system in its stationary state.

    Attributes
    ----------
    throughput : float
        The mean number of departures in a unit of time. The open system is stable if its arrival
        rate is below the throughput.
    utilization : float
        The fraction of the processors that is busy, not counting the span penalty.
    mean_running : float
        The mean number of jobs in service.
    """

    def __init__(
        self,
        transitions: tuple[NDArray, NDArray, NDArray],
        tangible: NDArray[np.bool_],
        flow: NDArray[np.float64],
        rate: NDArray,
        running: NDArray[np.int64],
        work: float,
    ) -> None:
        self._transitions, self._tangible = transitions, tangible
        self._flow, self._rate = flow, rate
        # On average, the system stays in a tangible state for 1/rate units of time at each visit.
        time = flow[tangible] / rate[tangible]
        self.throughput = float(flow.sum() / time.sum())
        self.mean_running = float(time @ running[tangible] / time.sum())
        self.utilization = self.throughput * work

    def relative_completions(self) -> float:
        """Return the mean relative completions [1]_ of the states just after a departure.

        The relative completions of a state are the number of additional departures, in the long
        run, if the chain starts in this state and not in its stationary distribution. They solve
        the Poisson equation of the chain, and their mean over time is 0.

        References
        ----------
        .. [1] I. Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf, "The RESET and MARC
           techniques, with application to multiserver-job analysis", Performance Evaluation 162,
           2023.
        """
        from scipy.sparse import csr_array, eye_array
        from scipy.sparse.linalg import splu

        count = len(self._tangible)
        probability, source, target = self._transitions
        matrix = csr_array((probability, (source, target)), shape=(count, count))
        kept = recurrent_states(matrix)
        # The Poisson equation determines the relative completions only up to a constant, so one of
        # them is set to 0.
        free = kept[1:]
        gain = np.where(self._tangible, 1 - self.throughput / self._rate, 0.0)
        left = (eye_array(count) - matrix).tocsr()[free][:, free].tocsc()
        values = np.zeros(count)
        values[free] = splu(left).solve(gain[free])
        time = self._flow / self._rate
        return float((self._flow / self._flow.sum() - time / time.sum()) @ values)


def _possible_jobs(sizes, request, budget):
    is_table = isinstance(sizes, JointSizes)
    alike = not is_table and request != "ordered" and all(part is sizes[0] for part in sizes)
    supports = [len(sizes)] if is_table else [len(part.sizes) for part in sizes]
    kinds = multisets(supports[0], len(supports)) if alike else prod(supports)
    if kinds > budget:
        raise BudgetError(
            f"sizes give {as_float(kinds):.3g} different jobs, and the Markov chain has more "
            "states than that",
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
