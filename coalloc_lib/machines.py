"""More placements that choose a machine: the least loaded, one at random, or a job's own.

With first, best and worst fit of `coalloc_lib.placement`, they are what job sharing is compared by.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from coalloc_lib.checks import InputError, instance_of, whole
from coalloc_lib.placement import Placement, in_place
from coalloc_lib.system import Multicluster

#: A prime below 2^31, so that no product of two remainders is too large for 64 bits, and a factor
#: whose powers are all remainders but 0.
PRIME, FACTOR = 2**31 - 1, 48_271


@dataclass(frozen=True)
class LeastLoaded(Placement):
    """The cluster of which the largest share is idle (ties by lowest number).

    Parameters
    ----------
    system : Multicluster
        That of the run: how large the clusters are.

    Notes
    -----
    Worst fit looks at how many processors are idle, and so gives most jobs to the largest machine;
    this evens out utilizations. Load is what is busy now: of work still to come a placement knows
    nothing.

    Examples
    --------
    >>> system = Multicluster([64, 8])
    >>> LeastLoaded(system).place([2], "total", [32, 6])
    [0, 2]
    """

    system: Multicluster

    def __post_init__(self) -> None:
        """Check the system."""
        instance_of("system", self.system, Multicluster, "the Multicluster of the run")

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters by decreasing share of idle processors."""
        sizes = self.system.sizes
        return sorted(range(len(idle)), key=lambda c: -Fraction(int(idle[c]), sizes[c]))

    def check(self, system: Multicluster) -> None:
        """Raise where this is another system's."""
        if system != self.system:
            raise InputError(
                f"placement = LeastLoaded for clusters {self.system}, and the system has {system}; "
                "give LeastLoaded(system)"
            )


@dataclass(frozen=True)
class RandomFit(Placement):
    """A cluster on which the component fits, any of them as likely.

    Parameters
    ----------
    seed : int
        With another seed other clusters are chosen.

    Notes
    -----
    The choice is a function of the idle processors of all clusters, scrambled: who asks the same
    question twice gets the same answer. Policies that plan, such as backfilling, rely on that, and
    both engines make the same choice. That a state comes again often is unlikely but for that of an
    idle system, in which jobs go to one cluster, which the seed chooses.

    With the idle numbers i_0, i_1, ... as digits of a number s in base 48,271, the first in the
    order is the cluster with the least (s + r_c)^5 modulo the prime 2^31 - 1, where the r_c are
    drawn by the seed. As 5 does not divide 2^31 - 2, no two remainders have the same fifth power.

    Examples
    --------
    >>> [RandomFit(seed).place([3], "total", [9, 9]) for seed in (0, 1, 2)]
    [[0, 3], [3, 0], [0, 3]]
    """

    seed: int = 0

    def __post_init__(self) -> None:
        """Check the seed."""
        whole("seed", self.seed, least=0)

    def order(self, idle: Sequence[int]) -> Iterable[int]:
        """Return the clusters in an order that depends on all idle numbers and the seed."""
        state, drawn = 0, self.numbers(len(idle))
        for free in idle:
            state = (state * FACTOR + int(free)) % PRIME
        return sorted(range(len(idle)), key=lambda c: pow(state + drawn[c], 5, PRIME))

    def numbers(self, clusters: int) -> tuple[int, ...]:
        """Return the numbers r_c that the seed draws for so many clusters."""
        return _drawn(int(self.seed), clusters)


@dataclass(frozen=True)
class HomeSite(Placement):
    """Jobs that may not leave their site beside jobs that may.

    Parameters
    ----------
    rule : Placement
        Places those that may.

    Notes
    -----
    The components of a job are one more than there are clusters: in column 0 the processors of a
    job that may go anywhere, in column c + 1 those of one that stays on cluster c.
    `coalloc_lib.sites` makes such streams of total and flexible requests.

    Examples
    --------
    >>> from coalloc_lib.placement import BestFit
    >>> placement = HomeSite(BestFit())
    >>> placement.place([3, 0, 0], "total", [9, 4]), placement.place([0, 3, 0], "total", [9, 4])
    ([0, 3], [3, 0])
    """

    requests: ClassVar[tuple[str, ...]] = ("flexible", "total")
    rule: Placement

    def __post_init__(self) -> None:
        """Check that `rule` can place jobs."""
        if not isinstance(self.rule, Placement) or isinstance(self.rule, HomeSite):
            raise InputError(f"rule = {self.rule!r} places no jobs that may leave; give BestFit()")

    def place(
        self, components: Sequence[int], request: str, idle: Sequence[int]
    ) -> Sequence[int] | None:
        """Place a job on its site or, where it has none, by the rule."""
        free, *home = components
        return in_place(home, idle) if any(home) else self.rule.place([free], request, idle)

    def check(self, system: Multicluster) -> None:
        """Raise where `rule` cannot serve `system`."""
        self.rule.check(system)


@lru_cache(maxsize=128)
def _drawn(seed: int, clusters: int) -> tuple[int, ...]:
    words = np.random.SeedSequence(seed).generate_state(clusters, np.uint64)
    return tuple(int(word) % PRIME for word in words)
