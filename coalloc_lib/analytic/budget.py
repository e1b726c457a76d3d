"""What a formula may cost: one that takes too long is refused before it starts.

The estimate counts operations and looks at no clock, so that the same question has the same answer
on any machine; the time is within a factor of four or so of it.
"""

from dataclasses import dataclass

from coalloc_lib.checks import InputError
from coalloc_lib.distributions import SizeDistribution

#: Elementary operations in a second, roughly: what makes a time of a bound on their number.
OPERATIONS = 1e9
#: What calling NumPy for one convolution costs, in such operations.
CALL = 20_000

_TIMES = {"years": 3.156e7, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_MEMORY = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}


class BudgetError(InputError):
    """A computation that takes more than it was given: `cost`, in words, is above `limit`."""

    def __init__(self, cost: str, limit: str):
        super().__init__(cost, limit)  # both, so that it can be sent to another process
        self.cost, self.limit = cost, limit

    def __str__(self) -> str:
        return (
            f"{self.cost} ({self.limit}); raise the budget, simulate instead, or give a smaller "
            "system or fewer sizes"
        )


@dataclass(frozen=True)
class Budget:
    """Seconds and bytes that one formula may take."""

    seconds: float
    bytes: float

    def allows(self, operations: float, memory: float) -> bool:
        """Whether so many elementary operations and bytes are within the budget."""
        return operations <= self.seconds * OPERATIONS and memory <= self.bytes

    def check(self, operations: float, memory: float) -> None:
        """Raise `BudgetError` where they are not."""
        if not self.allows(operations, memory):
            raise BudgetError(
                f"the formula would take about {_in_units(operations / OPERATIONS, _TIMES)} and "
                f"{_in_units(memory, _MEMORY)}",
                f"budget_seconds = {self.seconds:g}, budget_bytes = {self.bytes:g}",
            )


def number(count: int) -> float:
    """Return a whole number as a float; what is too large for one as 1e250."""
    return float(min(count, 10**250))


def convolutions(total: SizeDistribution, capacity: int) -> float:
    """Return about how many convolutions with a job's total size a formula makes.

    The mean number of jobs that fill the capacity, and seven standard deviations of it.
    """
    jobs = capacity / total.mean
    deviations = 7 * (total.variance * jobs) ** 0.5 / total.mean
    return float(min(jobs + deviations + 2, capacity // total.minimum))


def _in_units(amount, units):
    """Return an amount in the largest unit of which it is at least two, or in the smallest."""
    name = next((unit for unit in units if amount >= 2 * units[unit]), [*units][-1])
    return f"{amount / units[name]:.3g} {name}"
