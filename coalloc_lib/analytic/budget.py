"""What a formula may cost: a hopeless one is refused before it starts, a long one is stopped."""

import time
from dataclasses import dataclass
from math import isfinite

from coalloc_lib.checks import InputError

#: Elementary operations in a second, roughly: what makes a time of a bound on their number.
OPERATIONS = 1e9
#: What calling NumPy for one convolution costs, in such operations.
CALL = 20_000


class BudgetError(InputError):
    """A computation that takes more than it was given: `cost`, in words, is above `limit`."""

    def __init__(self, cost, limit):
        super().__init__(cost, limit)  # both, so that it can be sent to another process
        self.cost, self.limit = cost, limit

    def __str__(self):
        return (
            f"{self.cost} ({self.limit}); raise the budget, simulate instead, or give a smaller "
            "system or fewer sizes"
        )


@dataclass(frozen=True)
class Budget:
    """Seconds and bytes that one formula may take."""

    seconds: float
    bytes: float

    def allows(self, operations, memory):
        """Whether so many elementary operations and bytes are within the budget."""
        return operations <= self.seconds * OPERATIONS and memory <= self.bytes

    def check(self, operations, memory):
        """Raise `BudgetError` where they are not."""
        if not self.allows(operations, memory):
            raise BudgetError(
                f"the formula would take about {_duration(operations / OPERATIONS)} and "
                f"{_memory(memory)}",
                f"budget_seconds = {self.seconds:g}, budget_bytes = {self.bytes:g}",
            )

    def watched(self, fits, expected):
        """Yield what `fits` yields, and look at the clock between two convolutions.

        Parameters
        ----------
        fits : iterator of float
        expected : float
            About how many convolutions there will be.

        Raises
        ------
        BudgetError
            The time is up.
        """
        start = None
        for count, fit in enumerate(fits, start=1):
            # the first convolution is not counted: it may wait for the compiler
            start = time.perf_counter() if start is None else start
            yield fit
            if time.perf_counter() - start > self.seconds:
                raise BudgetError(
                    f"the formula was stopped after {count} of about {max(expected, count):.0f} "
                    "convolutions",
                    f"budget_seconds = {self.seconds:g}",
                )


def number(count):
    """Return a whole number as a float; what is too large for one as 1e250."""
    return float(min(count, 10**250))


def convolutions(total, capacity):
    """Return about how many convolutions with a job's total size a formula makes.

    The mean number of jobs that fill the capacity, and seven standard deviations of it.
    """
    jobs = capacity / total.mean
    deviations = 7 * (total.variance * jobs) ** 0.5 / total.mean
    return float(min(jobs + deviations + 2, capacity // total.minimum))


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
