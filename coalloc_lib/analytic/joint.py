"""Sizes of the components of a job together: a table of vectors and their probabilities."""

from dataclasses import dataclass
from math import comb

import numpy as np

from coalloc_lib.checks import InputError, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.splitting import split_smallest

#: A table of more entries than this is refused: it would not fit a small computer's memory.
LARGEST_TABLE = 2**26


@dataclass(frozen=True, eq=False)
class JointSizes:
    """A distribution of the component sizes of a job, dependent or not.

    Parameters
    ----------
    vectors : array_like of int, shape (m, k)
        The possible jobs, one a row: processors of each component, padded with zeros.
    probabilities : array_like, shape (m,)
        Their probabilities. Equal rows are merged; rows of probability 0 are dropped.

    Raises
    ------
    InputError
        A row is negative, empty or not whole, or the probabilities do not sum to 1.

    Notes
    -----
    The rows are kept in lexicographic order.
    """

    vectors: np.ndarray
    probabilities: np.ndarray

    def __post_init__(self):
        """Check, merge, sort and freeze the table."""
        vectors = _whole_rows(self.vectors)
        weights = _weights("probabilities", self.probabilities, len(vectors))
        vectors, weights = vectors[weights > 0], weights[weights > 0]
        vectors, place = np.unique(vectors, axis=0, return_inverse=True)
        weights = np.bincount(place.ravel(), weights)
        for name, column in (("vectors", vectors), ("probabilities", weights / weights.sum())):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    @classmethod
    def dependent(cls, total, largest):
        """Return a total size that is split in the fewest components of at most `largest`.

        Parameters
        ----------
        total : SizeDistribution
            Distribution of the number of processors of a job.
        largest : int
            Processors of one cluster, N: a total J gets ceil(J/N) components, equal up to one.

        References
        ----------
        Bucur, Epema (2003), section 2.5: dependent component sizes.
        """
        total = size_distribution("total", total)
        return cls(split_smallest(total.sizes, largest), total.probabilities[total.sizes])

    @classmethod
    def independent(cls, sizes, components):
        """Return `components` independent draws from `sizes`, as non-increasing vectors.

        Parameters
        ----------
        sizes : SizeDistribution
            Distribution of the size of each component, in processors.
        components : int
            Number of components, k; a multiset in which size s occurs m_s times has probability
            k! times the product of p_s^m_s / m_s!.
        """
        sizes = size_distribution("sizes", sizes)
        components = whole("components", components)
        _check_table(multisets(len(sizes.sizes), components), components)
        picks, runs = np.arange(len(sizes.sizes))[:, None], np.ones(len(sizes.sizes), dtype=int)
        chances = sizes.probabilities[sizes.sizes]
        weights = chances.copy()
        for _ in range(components - 1):
            picks, runs, weights = _one_more(picks, runs, weights, chances)
        return cls(sizes.sizes[picks], weights)

    @classmethod
    def product(cls, distributions):
        """Return independent components, column i drawn from the i-th distribution."""
        parts = [size_distribution(f"sizes[{i}]", d) for i, d in enumerate(distributions)]
        if not parts:
            raise InputError("sizes is empty; give one distribution a component")
        _check_table(float(np.prod([float(len(part.sizes)) for part in parts])), len(parts))
        grids = np.meshgrid(*(part.sizes for part in parts), indexing="ij")
        chances = np.meshgrid(*(part.probabilities[part.sizes] for part in parts), indexing="ij")
        vectors = np.stack([grid.ravel() for grid in grids], axis=1)
        return cls(vectors, np.prod([chance.ravel() for chance in chances], axis=0))

    @classmethod
    def mixture(cls, parts, weights):
        """Return the distribution that is each of `parts` with the probability in `weights`.

        Narrower parts are padded with zeros on the right.
        """
        parts = list(parts)
        if not parts or not all(isinstance(part, JointSizes) for part in parts):
            raise InputError("parts is not a list of JointSizes; give at least one")
        weights = _weights("weights", weights, len(parts))
        width = max(part.vectors.shape[1] for part in parts)
        padding = [((0, 0), (0, width - part.vectors.shape[1])) for part in parts]
        rows = [np.pad(part.vectors, pad) for part, pad in zip(parts, padding, strict=True)]
        chances = [w * part.probabilities for w, part in zip(weights, parts, strict=True)]
        return cls(np.concatenate(rows), np.concatenate(chances))

    @property
    def components(self):
        """Number of columns, k."""
        return self.vectors.shape[1]

    @property
    def mean(self):
        """Mean number of processors of a job."""
        return float(self.probabilities @ self.vectors.sum(axis=1))

    def total(self):
        """Return the distribution of the number of processors of a job."""
        return SizeDistribution(np.bincount(self.vectors.sum(axis=1), self.probabilities), "total")

    def unordered(self):
        """Return the table with every row sorted, largest component first."""
        return JointSizes(-np.sort(-self.vectors, axis=1), self.probabilities)

    def __len__(self):
        return len(self.probabilities)


def size_distribution(name, value):
    """Return `value`; refuse what is not a `SizeDistribution`."""
    if not isinstance(value, SizeDistribution):
        raise InputError(f"{name} = {value!r}; give a SizeDistribution, for example uniform(1, 16)")
    return value


def multisets(kinds, picks):
    """Return how many multisets of `picks` elements there are of `kinds` kinds."""
    return comb(kinds + picks - 1, picks)


def _one_more(picks, runs, weights, chances):
    """Extend every non-increasing row by each value up to its last one.

    `runs` counts how often the last value stands at a row's end. Multiplying by the new length
    and dividing by `runs` at each step builds k! over the factorials of the multiplicities.
    """
    counts = picks[:, -1] + 1
    row = np.repeat(np.arange(len(picks)), counts)
    value = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    runs = np.where(value == picks[row, -1], runs[row] + 1, 1)
    weights = weights[row] * chances[value] * (picks.shape[1] + 1) / runs
    return np.column_stack([picks[row], value]), runs, weights


def _check_table(rows, columns):
    if rows * columns > LARGEST_TABLE:
        raise InputError(
            f"sizes give a table of {float(min(rows, 10**300)):.3g} jobs with {columns} "
            f"components; at most {LARGEST_TABLE} entries are kept, so give fewer components or "
            "sizes"
        )


def _whole_rows(vectors):
    try:
        table = np.asarray(vectors)
    except ValueError:
        raise InputError("vectors has rows of different lengths; pad them with zeros") from None
    if table.ndim != 2 or table.size == 0:
        raise InputError(f"vectors has shape {table.shape}; give (jobs, components)")
    try:
        numbers = table.astype(float)
    except (TypeError, ValueError):
        raise InputError("vectors holds what is no number; give whole numbers") from None
    bad = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers))).all(axis=1)
    bad |= numbers.sum(axis=1) < 1
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"vectors[{row}] = {table[row].tolist()}; give whole numbers of 0 or more, "
            "not all of them 0"
        )
    return numbers.astype(np.int64)


def _weights(name, values, count):
    try:
        weights = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} = {values!r}; give one number for each of {count}") from None
    if weights.shape != (count,):
        raise InputError(f"{name} has shape {weights.shape}; give one number for each of {count}")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise InputError(f"{name}[{first}] = {weights[first]}; give a number from 0 to 1")
    if abs(weights.sum() - 1) > 1e-9:
        raise InputError(f"{name} sum to {weights.sum():.6g}; divide them by their sum")
    return weights
