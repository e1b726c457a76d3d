"""What a computation will cost, estimated before it starts, so that none ever hangs.

The number of elementary operations is estimated from random pairs of a state and a job; the
time of one is a constant that was measured.
"""

from dataclasses import dataclass
from math import comb, isfinite

import numpy as np

from coalloc_lib.checks import InputError

#: Pairs of a state and a job that are looked at.
PAIRS = 20_000
#: Convolutions that are looked at; where more are needed, their number scales the result.
LONGEST = 1_000


@dataclass(frozen=True)
class Effort:
    """Estimated seconds and bytes."""

    seconds: float
    bytes: float

    def check(self, budget_seconds, budget_bytes):
        """Raise `InputError` where the effort is more than the budget."""
        if self.seconds <= budget_seconds and self.bytes <= budget_bytes:
            return
        raise InputError(
            f"the formula would take about {_duration(self.seconds)} and {_memory(self.bytes)} "
            f"(budget_seconds = {budget_seconds:g}, budget_bytes = {budget_bytes:g}); "
            "raise the budget, simulate instead, or give a smaller system or fewer sizes"
        )


def number(count):
    """Return a whole number as a float; what is too large for one as 1e250."""
    return float(min(count, 10**250))


def random_multisets(rng, kinds, length, count):
    """Return `count` non-increasing vectors of `length` numbers below `kinds`, all as likely.

    Choosing among kinds + length - 1 places without repetition and closing the gaps maps one to
    one to the multisets.
    """
    if length == 0:
        return np.zeros((count, 0), dtype=np.int64)
    if kinds + length > 500:  # repetitions are rare: plain draws are as good, and need less memory
        return -np.sort(-rng.integers(kinds, size=(count, length)), axis=1)
    keys = rng.random((count, kinds + length - 1))
    chosen = np.sort(np.argpartition(keys, length - 1, axis=1)[:, :length], axis=1)
    return (chosen - np.arange(length))[:, ::-1]


def balanced_states(rng, clusters, size, spread, count):
    """Return random sorted vectors of used processors no wider than `spread`, and their number.

    By worst fit the most and the least used of equal clusters never differ by more than the
    largest component, so no other state is reached.
    """
    least = np.arange(size + 1)
    widths = np.minimum(spread, size - least)
    ways = np.array([number(comb(int(w) + clusters - 1, clusters - 1)) for w in widths])
    counts = rng.multinomial(count, ways / ways.sum())
    parts = [
        low + np.pad(random_multisets(rng, int(w) + 1, clusters - 1, n), ((0, 0), (0, 1)))
        for low, w, n in zip(least, widths, counts, strict=True)
        if n
    ]
    return np.concatenate(parts), ways.sum()


def states_above(rng, least, size, spread, count):
    """Return random states of unequal clusters, the number of all, and of those within reach.

    Parameters
    ----------
    least : ndarray of int64, shape (clusters,)
        Used processors of the initial system, non-increasing: no state is anywhere below it.
    size, spread, count : int
        Largest entry of a state, largest component, number of states wanted.

    Notes
    -----
    The most and the least used cluster never differ by more than `spread` or than they do at the
    start. Where too few of the random states obey that, all count as within reach.
    """
    tables, following = [], np.ones(size + 1)
    for entry in least[::-1]:
        following = np.cumsum(np.where(np.arange(size + 1) < entry, 0, following))
        tables.append(following)
    states, bound = np.zeros((count, len(least)), dtype=np.int64), np.full(count, size)
    for i, table in enumerate(tables[::-1]):
        bound = np.searchsorted(table, rng.random(count) * table[bound], side="right")
        states[:, i] = bound
    total = float(following[size])
    near = states[:, 0] - states[:, -1] <= max(spread, least[0] - least[-1])
    if near.sum() < 100:
        return states, total, total
    return states[near], total, total * float(near.mean())


def visits(densities, floor, states, fits, most, taken=0):
    """Return, per state: how many steps find it occupied, and how many find a job that fits.

    Parameters
    ----------
    densities : iterator of (low, density)
        Distribution of the total number of used processors after 1, 2, ... jobs.
    floor : float
        Probability below which a total counts as unoccupied.
    states : ndarray, shape (n, c)
        Random states of the system.
    fits : ndarray of bool, shape (n,)
        Whether a random job fits on each.
    most : int
        Largest number of jobs.
    taken : int
        Sum of the state that no job has been put on.
    """
    totals = states.sum(axis=1) - taken
    steps = np.zeros(len(states))
    for jobs, (low, density) in enumerate(densities, start=1):
        if jobs >= min(most, LONGEST) or density.sum() < 1e-12:
            break
        padded = np.append(density, 0)
        place = totals - low
        inside = (place >= 0) & (place < len(density))
        steps += inside & (padded[np.where(inside, place, -1)] > floor)
    return float(steps.mean()), float((steps * fits).mean())


def beyond(jobs):
    """Return the factor for what `LONGEST` leaves out where about `jobs` jobs fit together."""
    return max(1.0, jobs / LONGEST)


def cheapest(choices, budget):
    """Return the quickest of the (effort, way) whose memory the budget allows; check its time."""
    choices = sorted(choices, key=lambda choice: choice[0].seconds)
    affordable = [choice for choice in choices if choice[0].bytes <= budget[1]]
    effort, way = (affordable or choices)[0]
    effort.check(*budget)
    return way


def _duration(seconds):
    for unit, length in (("years", 3.156e7), ("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}" if isfinite(seconds) else "for ever"
    return f"{seconds:.2g} seconds"


def _memory(size):
    for unit, power in (("TiB", 40), ("GiB", 30), ("MiB", 20)):
        if size >= 2**power:
            return f"{size / 2**power:.3g} {unit}"
    return f"{size / 2**10:.3g} KiB"
