"""From runs to figures with intervals: warm-up, batch means, replications, paired differences."""

import numpy as np
from joblib import Parallel, delayed

from coalloc_lib.checks import InputError, whole
from coalloc_lib.estimates import Interval
from coalloc_lib.seeds import spawn


def student(values, confidence=0.95):
    """Return Student's t interval of the mean of independent values.

    Raises
    ------
    InputError
        There are fewer than two values, or one is not finite.
    """
    from scipy.special import stdtrit  # the quantile alone: scipy.stats takes long to import

    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"values has shape {values.shape}; an interval needs two or more values")
    if not np.isfinite(values).all():
        raise InputError(f"values[{int((~np.isfinite(values)).argmax())}] is not a finite number")
    if not 0 < confidence < 1:
        raise InputError(f"confidence = {confidence}; give a number between 0 and 1")
    mean = values.mean()
    error = values.std(ddof=1) / np.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, (1 + confidence) / 2) * error)
    return Interval(float(mean), float(mean - half), float(mean + half), len(values), confidence)


def batch_means(values, batches=30, confidence=0.95):
    """Return the interval of the mean of a stationary sequence, by batch means.

    The sequence is cut into `batches` equal batches (a remainder at its begin is left out); their
    means are nearly independent where a batch is much longer than the correlation.
    """
    values = np.asarray(values, dtype=float)
    length = len(values) // whole("batches", batches, least=2)
    if length == 0:
        raise InputError(
            f"values has {len(values)} entries; give {batches} or more, or less batches"
        )
    kept = values[len(values) - length * batches :]
    return student(kept.reshape(batches, length).mean(axis=1), confidence)


def warm_up(values, group=5):
    """Return how many values at the begin to leave out, by the rule MSER-5.

    Notes
    -----
    The values are averaged in groups of five; the cut is where the squared standard error of
    what is left, sum (y - mean)² / (m - d)², is smallest, over the first half of the groups.

    References
    ----------
    White, Cobb, Spratt: A Comparison of Five Steady-State Truncation Heuristics for Simulation
    (Winter Simulation Conference 2000).
    """
    values = np.asarray(values, dtype=float)
    groups = len(values) // group
    if groups < 4:
        raise InputError(f"values has {len(values)} entries; give {4 * group} or more")
    means = values[: groups * group].reshape(groups, group).mean(axis=1)
    left = np.arange(groups, 0, -1)
    total = np.cumsum(means[::-1])[::-1]
    squares = np.cumsum((means**2)[::-1])[::-1]
    error = (squares - total**2 / left) / left**2
    return int(np.argmin(error[: groups // 2 + 1])) * group


def paired_difference(one, other, confidence=0.95):
    """Return the interval of the mean of ``one - other``, value by value.

    Made on common random numbers the two vary together, and the difference is known far better
    than either.
    """
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if one.shape != other.shape:
        raise InputError(f"one has {one.size} values and other has {other.size}; pair them")
    return student(one - other, confidence)


def unpaired_difference(one, other, confidence=0.95):
    """Return Welch's interval of the difference of two means of independent samples."""
    from scipy.special import stdtrit

    one, other = (np.asarray(values, dtype=float) for values in (one, other))
    means = student(one).estimate - student(other).estimate
    squares = np.array([values.var(ddof=1) / len(values) for values in (one, other)])
    freedoms = np.array([len(one) - 1, len(other) - 1])
    spread = squares.sum()
    freedom = spread**2 / (squares**2 / freedoms).sum() if spread > 0 else freedoms.min()
    half = float(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(spread))
    count = min(len(one), len(other))
    return Interval(means, means - half, means + half, count, confidence)


def replicate(function, count, seed=0, workers=1):
    """Return ``function(seed)`` for `count` independent seeds, as an array.

    Parameters
    ----------
    function : callable
        Takes a SeedSequence, returns a number or a row of numbers.
    count : int
        Number of replications.
    seed : int or SeedSequence
        The same seed gives the same array on any number of workers.
    workers : int
        Threads; the compiled kernels run side by side.
    """
    run = Parallel(n_jobs=workers, prefer="threads")
    return np.array(run(delayed(function)(child) for child in spawn(seed, whole("count", count))))
