"""The joint distribution of the component sizes of a job."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np

from coalloc_lib.analytic.budget import as_float
from coalloc_lib.basics.checks import InputError, instance_of, shown, whole, whole_numbers
from coalloc_lib.model.distributions import SizeDistribution, weights_of
from coalloc_lib.model.splitting import split_smallest

#: A table of jobs has at most this number of entries, so that it fits into the memory of a small
#: computer.
LARGEST_TABLE = 2**26


@dataclass(frozen=True, eq=False)
class JointSizes:
    """The joint distribution of the component sizes of a job, which need not be independent.

    The table is stored in a normal form: its rows are sorted, equal rows are merged, and rows with
    probability 0 are removed.

    Parameters
    ----------
    vectors : array_like of int, shape (m, k)
        The m possible jobs, one in each row: processors of each component, padded with zeros.
    probabilities : array_like, shape (m,)
        The probability of each row, with the sum 1.

    Examples
    --------
    >>> JointSizes([[4, 4], [2, 0]], [0.5, 0.5]).mean
    5.0
    """

    vectors: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self) -> None:
        vectors = whole_numbers("vectors", self.vectors, least=0)
        if vectors.ndim != 2:
            raise InputError(
                f"vectors has shape {vectors.shape}; give an array of shape (jobs, components)"
            )
        if not vectors.any(axis=1).all():
            row = int(vectors.any(axis=1).argmin())
            raise InputError(
                f"vectors[{row}] = {shown(vectors[row])}; give at least one component above 0"
            )
        weights, count = weights_of("probabilities", self.probabilities), len(vectors)
        if weights.shape != (count,):
            raise InputError(
                f"probabilities has shape {weights.shape}; give one number for each of the {count} "
                "rows of vectors"
            )
        vectors, weights = vectors[weights > 0], weights[weights > 0]
        vectors, inverse = np.unique(vectors, axis=0, return_inverse=True)
        merged = np.bincount(inverse.ravel(), weights)
        for name, column in (("vectors", vectors), ("probabilities", merged / merged.sum())):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    @classmethod
    def dependent(cls, total: SizeDistribution, largest: int) -> "JointSizes":
        """Split jobs evenly, and return the joint distribution of their component sizes.

        A job is split into as few components as possible, which differ by at most one processor.

        Parameters
        ----------
        total : SizeDistribution
            The total number of processors of a job.
        largest : int
            The largest number of processors of a component.

        References
        ----------
        Bucur, Epema: The Maximal Utilization of Processor Co-Allocation in Multicluster Systems
        (2003), section 2.5: "dependent" component sizes.
        """
        instance_of("total", total, SizeDistribution, "e.g. uniform(1, 16)")
        return cls(split_smallest(total.sizes, largest), total.probabilities[total.sizes])

    @classmethod
    def independent(cls, sizes: SizeDistribution, components: int) -> "JointSizes":
        """Return the joint distribution of independent, identically distributed component sizes.

        Parameters
        ----------
        sizes : SizeDistribution
            The size of each component.
        components : int
            Number of components of a job. The rows of the result have the largest size first.
        """
        instance_of("sizes", sizes, SizeDistribution, "e.g. uniform(1, 16)")
        components = whole("components", components)
        _check_table(multisets(len(sizes.sizes), components), components)
        table = cls.product([sizes])
        for _ in range(components - 1):
            table = table._with_component(sizes).unordered()
        return table

    @classmethod
    def product(cls, distributions: Sequence[SizeDistribution]) -> "JointSizes":
        """Return the joint distribution of independent components, each with its own distribution.

        Parameters
        ----------
        distributions : sequence of SizeDistribution
            The size of each component, in the order of the columns.
        """
        parts = [
            instance_of(f"sizes[{i}]", part, SizeDistribution, "e.g. uniform(1, 16)")
            for i, part in enumerate(distributions)
        ]
        if not parts:
            raise InputError("sizes is empty; give one distribution for each component")
        _check_table(prod(len(part.sizes) for part in parts), len(parts))
        table = cls(parts[0].sizes[:, None], parts[0].probabilities[parts[0].sizes])
        for part in parts[1:]:
            table = table._with_component(part)
        return table

    def _with_component(self, sizes):
        probabilities = sizes.probabilities[sizes.sizes]
        vectors = np.repeat(self.vectors, len(probabilities), axis=0)
        column = np.tile(sizes.sizes, len(self))
        weights = np.outer(self.probabilities, probabilities).ravel()
        return JointSizes(np.column_stack([vectors, column]), weights)

    @property
    def components(self) -> int:
        """The largest number of components of a job."""
        return self.vectors.shape[1]

    @property
    def mean(self) -> float:
        """The mean total number of processors of a job."""
        return float(self.probabilities @ self.vectors.sum(axis=1))

    def total(self) -> SizeDistribution:
        """Return the distribution of a job's total size, in processors."""
        return SizeDistribution(np.bincount(self.vectors.sum(axis=1), self.probabilities), "total")

    def unordered(self) -> "JointSizes":
        """Sort the components of every job by decreasing size, and return the new distribution."""
        return JointSizes(-np.sort(-self.vectors, axis=1), self.probabilities)

    def __len__(self) -> int:
        return len(self.probabilities)


def multisets(kinds: int, picks: int) -> int:
    """Return the number of multisets of `picks` elements from a set of `kinds` elements."""
    return comb(kinds + picks - 1, picks)


def _check_table(rows, columns):
    if rows * columns > LARGEST_TABLE:
        raise InputError(
            f"sizes give a table of {as_float(rows):.3g} jobs with {columns} components,"
            f" which is more than {LARGEST_TABLE} entries; give fewer components or sizes"
        )
