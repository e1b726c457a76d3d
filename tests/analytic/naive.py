"""Plain implementations of the formulas with dictionaries and loops, and random input for tests."""

from itertools import product
from math import prod

import numpy as np
from hypothesis import strategies as st

from coalloc_lib.analytic import JointSizes
from coalloc_lib.model.distributions import SizeDistribution


def table(vectors, probabilities, width):
    """Return the probabilities of some vectors, which are padded with zeros to `width`."""
    density = {}
    for vector, p in zip(vectors, probabilities, strict=True):
        key = tuple(int(x) for x in vector) + (0,) * (width - len(vector))
        density[key] = density.get(key, 0.0) + float(p)
    return density


def independent(probabilities, components, width):
    """Return the probability of every tuple of independent components, padded with zeros to
    `width`."""
    sizes = [s for s, p in enumerate(probabilities) if p > 0]
    rows = [*product(sizes, repeat=components)]
    return table(rows, [prod(float(probabilities[s]) for s in row) for row in rows], width)


def unordered(density):
    """Return the probabilities of the vectors after their numbers are sorted."""
    rows = [sorted(vector, reverse=True) for vector in density]
    return table(rows, density.values(), len(rows[0]))


def exponential_level(fitting):
    """Return the mean number of jobs in service by equation (2) of the paper."""
    return 1 / (1 - sum(f / (i * (i - 1)) for i, f in enumerate(fitting, start=1) if i > 1))


def placed_fits(jobs, sizes, placement, count, request="unordered"):
    """Return F^(i) for i = 1 to `count`: the placement places random jobs one after the other."""

    def put(states, jobs):
        result = {}
        for idle, f in states.items():
            for job, g in jobs.items():
                taken = placement.place(job, request, idle)
                if taken is not None:
                    left = tuple(n - t for n, t in zip(idle, taken, strict=True))
                    result[left] = result.get(left, 0.0) + f * g
        return result

    states = {tuple(sizes): 1.0}
    return [sum((states := put(states, jobs)).values()) for _ in range(count)]


def filled(running, job, idle, jobs, placement, request):
    """Start `job` and then random jobs until one has to wait; return a list of (running, waiting
    job, probability)."""
    taken = placement.place(job, request, idle)
    if taken is None:
        return [(running, job, 1.0)]
    left = [n - t for n, t in zip(idle, taken, strict=True)]
    return [
        (state, head, p * q)
        for following, p in jobs.items()
        for state, head, q in filled(
            (*running, tuple(taken)), following, left, jobs, placement, request
        )
    ]


def chain_utilization(jobs, sizes, placement, request):
    """Return the utilization from a Markov chain. A state is the running jobs, in the order of
    their starts, and the waiting job."""
    system = placement, request
    first = filled((), next(iter(jobs)), list(sizes), jobs, *system)
    states = {state[:2]: i for i, state in enumerate(dict.fromkeys(s[:2] for s in first))}
    rates, queue = {}, list(states)
    for running, head in queue:
        for leaving in range(len(running)):
            rest = running[:leaving] + running[leaving + 1 :]
            idle = [n - sum(taken[c] for taken in rest) for c, n in enumerate(sizes)]
            for *state, p in filled(rest, head, idle, jobs, *system):
                place = states.setdefault(tuple(state), len(states))
                if place == len(queue):
                    queue.append(tuple(state))
                edge = states[running, head], place
                rates[edge] = rates.get(edge, 0.0) + p
    balance = np.zeros((len(queue) + 1, len(queue)))
    for (one, other), p in rates.items():
        balance[other, one] += p
        balance[one, one] -= p
    balance[-1] = 1
    shares = np.linalg.lstsq(balance, np.append(np.zeros(len(queue)), 1), rcond=None)[0]
    busy = [sum(map(sum, running)) for running, _ in queue]
    return float(shares @ busy / sum(sizes))


@st.composite
def distributions(draw, largest):
    weights = draw(st.lists(st.integers(0, 5), min_size=1, max_size=largest).filter(any))
    return SizeDistribution(np.array([0, *weights]) / sum(weights))


@st.composite
def tables(draw, sizes):
    row = st.tuples(*(st.integers(0, n) for n in sizes)).filter(any)
    rows = draw(st.lists(row, min_size=1, max_size=5))
    weights = np.array(draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows))))
    return JointSizes(rows, weights / weights.sum())
