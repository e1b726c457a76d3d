"""The checks of arguments that the formulas and the chain share, and of what a formula may cost."""

from dataclasses import dataclass

from coalloc_lib.analytic.joint import JointSizes
from coalloc_lib.basics.checks import InputError, instance_of, one_of, whole
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.jobs import REQUESTS
from coalloc_lib.model.placement import Placement, WorstFit, refuse_for_ordered
from coalloc_lib.model.system import Multicluster

#: What users give for the sizes of components, and what the formulas take.
Sizes = SizeDistribution | list[SizeDistribution] | tuple[SizeDistribution, ...] | JointSizes
Checked = list[SizeDistribution] | JointSizes


def checked(
    system: Multicluster,
    sizes: Sizes,
    components: int | None,
    request: str,
    placement: Placement | None,
) -> tuple[Checked, int, Placement]:
    """Return the component sizes, a distribution each, their number, and the placement, checked."""
    instance_of("system", system, Multicluster, "one, e.g. Multicluster([32, 32])")
    if one_of("request", request, REQUESTS) == "ordered":
        refuse_for_ordered(placement)
    placement = WorstFit() if placement is None else placement
    instance_of("placement", placement, Placement, "a placement, for example WorstFit()")
    placement.check(system)
    checked_sizes, components = _checked_sizes(sizes, components, system)
    if request in ("ordered", "unordered") and components > len(system):
        raise InputError(
            f"components = {components} is more than the {len(system)} clusters; "
            f"{request} components need a cluster each"
        )
    return checked_sizes, components, placement


def check_fits(widest: list[int], system: Multicluster, request: str) -> None:
    """Refuse jobs that never start; `widest` has the largest components, or the largest total."""
    ordered = [(f"cluster {i}", size) for i, size in enumerate(system.sizes)]
    by_size = enumerate(sorted(system.sizes, reverse=True), start=1)
    name = "any cluster" if system.is_equal else "cluster number {} by size"
    places = {
        "ordered": ordered,
        "unordered": [(name.format(i), size) for i, size in by_size],
        "total": [("the largest cluster", system.largest)],
        "flexible": [("the system", system.processors)],
    }[request]
    for size, (where, capacity) in zip(widest, places, strict=False):
        if size > capacity:
            raise InputError(
                f"sizes reach {size} and {where} has {capacity} processors, so such a job never "
                f"starts; give sizes of at most {capacity} or more processors"
            )


def _checked_sizes(sizes, components, system):
    if isinstance(sizes, SizeDistribution):
        count = len(system) if components is None else whole("components", components)
        if count > system.processors:
            raise InputError(
                f"components = {components} is more than all {system.processors} processors; "
                "every component needs one"
            )
        return [sizes] * count, count
    if isinstance(sizes, JointSizes):
        count = sizes.components
    elif not isinstance(sizes, (list, tuple)) or not sizes:
        raise InputError(
            f"sizes = {sizes!r}; give a SizeDistribution, a list of them, or a JointSizes"
        )
    else:
        for i, part in enumerate(sizes):
            instance_of(f"sizes[{i}]", part, SizeDistribution, "e.g. uniform(1, 16)")
        sizes, count = list(sizes), len(sizes)
    if components is not None and whole("components", components) != count:
        raise InputError(f"components = {components} but sizes has {count}; leave components out")
    return sizes, count


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
    bytes: float = 2**30

    def allows(self, operations: float, memory: float) -> bool:
        """Whether so many elementary operations and bytes are within the budget."""
        return operations <= self.seconds * OPERATIONS and memory <= self.bytes

    def check(self, operations: float, memory: float) -> None:
        """Raise `BudgetError` where they are not."""
        if not self.allows(operations, memory):
            raise BudgetError(
                f"the formula would take about {_in_units(operations / OPERATIONS, _TIMES)} and "
                f"{_in_units(memory, _MEMORY)}",
                f"budget_seconds = {self.seconds:g}, at most {self.bytes / 2**30:g} GiB",
            )


def number(count: int) -> float:
    """Return a whole number as a float; what is too large for one as 1e250."""
    return float(min(count, 10**250))


def convolutions(total: SizeDistribution, capacity: int) -> float:
    """Return about how many jobs fill the capacity: the mean and seven standard deviations."""
    jobs = capacity / total.mean
    deviations = 7 * (total.variance * jobs) ** 0.5 / total.mean
    return float(min(jobs + deviations + 2, capacity // total.minimum))


def _in_units(amount, units):
    """Return an amount in the largest unit of which it is at least two, or in the smallest."""
    name = next((unit for unit in units if amount >= 2 * units[unit]), [*units][-1])
    return f"{amount / units[name]:.3g} {name}"
