"""The cost of a computation in time, memory or states, and the budget that it must not exceed.

The precision at which a formula stops adding terms is here too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import SizeDistribution

#: The approximate number of elementary operations that a computer does in a second.
OPERATIONS = 1e9
#: The overhead of one call to NumPy's convolution, in elementary operations. The multiplications
#: are counted separately.
CALL = 20_000
#: The relative precision of a sum: the summation stops when the remaining terms are smaller than
#: this fraction of the sum.
PRECISION = 1e-12

_TIMES = {"years": 3.156e7, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_MEMORY = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}


class BudgetError(InputError):
    """Raised if a computation would exceed its budget of time, memory or states.

    Parameters
    ----------
    cost : str
        What the computation would need, in words.
    limit : str
        The budget that this exceeds, in words.
    """

    def __init__(self, cost: str, limit: str):
        # Unpickling calls this class with the arguments that were passed to its base class. Both
        # arguments are therefore passed to the base class.
        super().__init__(cost, limit)
        self.cost, self.limit = cost, limit

    def __str__(self) -> str:
        return (
            f"{self.cost} ({self.limit}); raise the budget, simulate instead, or give a smaller "
            "system or fewer sizes"
        )


@dataclass(frozen=True)
class Budget:
    """The time in seconds and the memory in bytes that one formula may use."""

    seconds: float
    bytes: float = 2**30

    def allows(self, operations: float, memory: float) -> bool:
        """Return whether a computation with a given cost is within the budget.

        The cost is a number of elementary operations and a number of bytes.
        """
        return operations <= self.seconds * OPERATIONS and memory <= self.bytes

    def check(self, operations: float, memory: float) -> None:
        """Raise `BudgetError` if a computation with a given cost is not within the budget.

        The cost is a number of elementary operations and a number of bytes.
        """
        if not self.allows(operations, memory):
            raise BudgetError(
                f"the formula would take about {_in_units(operations / OPERATIONS, _TIMES)} and "
                f"{_in_units(memory, _MEMORY)}",
                f"budget_seconds = {self.seconds:g}, at most {self.bytes / 2**30:g} GiB",
            )


def as_float(count: int) -> float:
    """Convert a whole number to a float; numbers above 1e250 become 1e250."""
    return float(min(count, 10**250))


class SumOfSizes(NamedTuple):
    """The mean, the variance, the minimum and the maximum of a sum of independent sizes.

    Unlike the distribution of the sum, they need no convolution.
    """

    mean: float
    variance: float
    minimum: int
    maximum: int

    @classmethod
    def of(cls, parts: Sequence[SizeDistribution]) -> "SumOfSizes":
        """Return the mean, the variance, the minimum and the maximum of the sum of the sizes."""
        rows = ((part.mean, part.variance, part.minimum, part.maximum) for part in parts)
        return cls(*map(sum, zip(*rows, strict=True)))


def sum_cost(parts: Sequence[SizeDistribution]) -> tuple[float, float]:
    """Estimate the operations and bytes needed to compute the distribution of a sum of sizes.

    The estimate is for one direct convolution after the other, without a Fourier transform.
    """
    operations, length = 0.0, parts[0].maximum + 1
    for part in parts[1:]:
        operations += CALL + float(length) * (part.maximum + 1)
        length += part.maximum
    return operations, 16.0 * length


def convolutions(total: SizeDistribution | SumOfSizes, capacity: int) -> float:
    """Return a conservative (high) estimate of the number of convolutions in a formula.

    It is the number of jobs that fill the capacity: the mean plus seven standard deviations.
    """
    jobs = capacity / total.mean
    deviations = 7 * (total.variance * jobs) ** 0.5 / total.mean
    return float(min(jobs + deviations + 2, capacity // total.minimum))


def _in_units(amount, units):
    name = next((unit for unit in units if amount >= 2 * units[unit]), [*units][-1])
    return f"{amount / units[name]:.3g} {name}"
