"""Sizes of the components of a job together: a table of vectors and their probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np

from coalloc_lib.basics.checks import InputError, instance_of, shown, whole, whole_numbers
from coalloc_lib.model.distributions import SizeDistribution, weights_of
from coalloc_lib.model.jobs import split_smallest

#: A table of more entries than this is refused: it would not fit a small computer's memory.
LARGEST_TABLE = 2**26


@dataclass(frozen=True, eq=False)
class JointSizes:
    """A distribution of the component sizes of a job, dependent or not.

    `vectors`, shape (m, k), has the possible jobs, one a row: processors of each component, padded
    with zeros. `probabilities`, shape (m,), are theirs, 1 in all. Rows are sorted, equal ones
    merged and those of probability 0 dropped.
    """

    vectors: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        """Check, merge, sort and freeze the table."""
        vectors = whole_numbers("vectors", self.vectors, least=0)
        if vectors.ndim != 2:
            raise InputError(f"vectors has shape {vectors.shape}; give (jobs, components)")
        if not vectors.any(axis=1).all():
            row = int(vectors.any(axis=1).argmin())
            raise InputError(f"vectors[{row}] = {shown(vectors[row])}; not all can be 0")
        weights, count = weights_of("probabilities", self.probabilities), len(vectors)
        if weights.shape != (count,):
            raise InputError(
                f"probabilities has shape {weights.shape}; give one number for each of {count}"
            )
        vectors, weights = vectors[weights > 0], weights[weights > 0]
        vectors, place = np.unique(vectors, axis=0, return_inverse=True)
        shares = np.bincount(place.ravel(), weights)
        for name, column in (("vectors", vectors), ("probabilities", shares / shares.sum())):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    @classmethod
    def dependent(cls, total: SizeDistribution, largest: int) -> "JointSizes":
        """Return a total size that is split in the fewest components, equal up to one processor.

        None is above `largest`: the dependent sizes of Bucur, Epema (2003), section 2.5.
        """
        instance_of("total", total, SizeDistribution, "e.g. uniform(1, 16)")
        return cls(split_smallest(total.sizes, largest), total.probabilities[total.sizes])

    @classmethod
    def independent(cls, sizes: SizeDistribution, components: int) -> "JointSizes":
        """Return `components` independent sizes of one distribution, as non-increasing vectors."""
        instance_of("sizes", sizes, SizeDistribution, "e.g. uniform(1, 16)")
        components = whole("components", components)
        _check_table(multisets(len(sizes.sizes), components), components)
        table = cls.product([sizes])
        for _ in range(components - 1):
            table = table._and_one_more(sizes).unordered()
        return table

    @classmethod
    def product(cls, distributions: Sequence[SizeDistribution]) -> "JointSizes":
        """Return independent components, column i sampled from the i-th distribution."""
        parts = [
            instance_of(f"sizes[{i}]", part, SizeDistribution, "e.g. uniform(1, 16)")
            for i, part in enumerate(distributions)
        ]
        if not parts:
            raise InputError("sizes is empty; give one distribution a component")
        _check_table(prod(len(part.sizes) for part in parts), len(parts))
        table = cls(parts[0].sizes[:, None], parts[0].probabilities[parts[0].sizes])
        for part in parts[1:]:
            table = table._and_one_more(part)
        return table

    def _and_one_more(self, part):
        """Return the table with one more column, independent of the others."""
        chances = part.probabilities[part.sizes]
        vectors = np.repeat(self.vectors, len(chances), axis=0)
        column = np.tile(part.sizes, len(self))
        weights = np.outer(self.probabilities, chances).ravel()
        return JointSizes(np.column_stack([vectors, column]), weights)

    @property
    def components(self) -> int:
        """Number of columns, k."""
        return self.vectors.shape[1]

    @property
    def mean(self) -> float:
        """Mean number of processors of a job."""
        return float(self.probabilities @ self.vectors.sum(axis=1))

    def total(self) -> SizeDistribution:
        """Return the distribution of the number of processors of a job."""
        return SizeDistribution(np.bincount(self.vectors.sum(axis=1), self.probabilities), "total")

    def unordered(self) -> "JointSizes":
        """Return the table with every row sorted, largest component first."""
        return JointSizes(-np.sort(-self.vectors, axis=1), self.probabilities)

    def __len__(self) -> int:
        return len(self.probabilities)


def multisets(kinds: int, picks: int) -> int:
    """Return how many multisets of `picks` elements there are of `kinds` kinds."""
    return comb(kinds + picks - 1, picks)


def _check_table(rows, columns):
    if rows * columns > LARGEST_TABLE:
        raise InputError(
            f"sizes give a table of {float(min(rows, 10**300)):.3g} jobs with {columns} components;"
            f" at most {LARGEST_TABLE} entries are kept, so give fewer components or sizes"
        )
