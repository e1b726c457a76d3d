"""From independent runs to estimates with intervals: means, paired differences and crossings."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import (
    InputError,
    finite,
    floats,
    instance_of,
    numbers,
    positive,
    whole,
)
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed, spawn


def student(values: ArrayLike, confidence: float = 0.95, warning: str = "") -> Interval:
    """Return the mean of independent values, with Student's t interval.

    Parameters
    ----------
    values : array_like of shape (n,)
        Two or more finite values.
    confidence : float
        The probability with which the interval contains the true mean.
    warning : str
        The warning of the interval, if there is a reason to doubt it.

    Returns
    -------
    Interval
        The mean of the values, and its confidence interval.

    Raises
    ------
    InputError
        If there are fewer than two values, or one of them is not finite.

    Examples
    --------
    >>> print(student([1.0, 2.0, 3.0]))
    2.0000 ± 2.4841 (95 %)
    """
    values = floats("values", values)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"values has shape {values.shape}; an interval needs two or more values")
    if not np.isfinite(values).all():
        raise InputError(
            f"values[{int((~np.isfinite(values)).argmax())}] is not a finite number; leave it out"
        )
    confidence = checked_confidence(confidence)
    mean, freedom = values.mean(), len(values) - 1
    # The first square root equals `values.std(ddof=1)`, which would compute the mean a second time.
    error = np.sqrt(np.square(values - mean).sum() / freedom) / np.sqrt(len(values))
    return _t_interval(mean, error, freedom, len(values), confidence, warning)


def checked_confidence(confidence: float) -> float:
    """Return a confidence level, or raise `InputError` if it is not between 0 and 1."""
    if not 0 < finite("confidence", confidence) < 1:
        raise InputError(f"confidence = {confidence}; give a number between 0 and 1")
    return confidence


def lag_correlation(deviations: NDArray[np.float64]) -> float:
    """Return the lag-1 autocorrelation of a series, given its deviations from the mean.

    The correlation of a constant series is 0.
    """
    square = deviations @ deviations
    return float(deviations[1:] @ deviations[:-1] / square) if square > 0 else 0.0


def _t_interval(mean, error, freedom, count, confidence, warning):
    from scipy.special import stdtrit  # scipy.stats has the same quantile, but is slow to import

    half = float(stdtrit(freedom, (1 + confidence) / 2) * error)
    return Interval(float(mean), float(mean - half), float(mean + half), count, confidence, warning)


def paired_difference(
    one: ArrayLike, other: ArrayLike, confidence: float = 0.95, warning: str = ""
) -> Interval:
    """Return the mean of the paired differences ``one - other``, with Student's t interval.

    Parameters
    ----------
    one, other : array_like of shape (n,)
        Values with the same position belong together, for example because both runs had the same
        jobs.
    confidence, warning
        As in `student`.

    Examples
    --------
    >>> paired_difference([3.0, 4.0, 5.0], [1.0, 2.0, 3.0]).estimate
    2.0
    """
    one, other = floats("one", one), floats("other", other)
    if one.shape != other.shape:
        raise InputError(
            f"the arguments `one` and `other` have {one.size} and {other.size} values; give both "
            "the same number of values, because they are compared in pairs"
        )
    return student(one - other, confidence, warning)


def unpaired_difference(
    one: ArrayLike, other: ArrayLike, confidence: float = 0.95, warning: str = ""
) -> Interval:
    """Return Welch's confidence interval for the difference between the means of two samples.

    Parameters
    ----------
    one, other : array_like of shapes (n,) and (k,)
        The values of each of the two independent samples, two or more.
    confidence, warning
        As in `student`.

    References
    ----------
    .. [1] B. L. Welch, "The generalization of 'Student's' problem when several different population
       variances are involved", Biometrika 34 (1947).

    Examples
    --------
    >>> unpaired_difference([3.0, 4.0, 5.0], [1.0, 2.0]).estimate
    2.5
    """
    one, other = floats("one", one), floats("other", other)
    mean = student(one, confidence).estimate - student(other, confidence).estimate
    counts = np.array([len(one), len(other)])
    squares = np.array([one.var(ddof=1), other.var(ddof=1)]) / counts
    variance, count = squares.sum(), int(counts.min())
    freedom = variance**2 / (squares**2 / (counts - 1)).sum() if variance > 0 else count - 1
    return _t_interval(mean, np.sqrt(variance), freedom, count, confidence, warning)


@dataclass(frozen=True, eq=False)
class Replications:
    """The values of one measured quantity in several independent simulation runs.

    ``one - other`` and ``one / other`` compare two quantities run by run. The result has the
    warning of either.

    Attributes
    ----------
    values : ndarray
        One value for each run, shape (runs,), or an array without dimensions if the quantity is
        known exactly, for example from a formula.
    warning : str
        The reason to doubt the interval, or an empty string.
    least, most : float
        Bounds of the quantity that are known with certainty. The intervals stay between them; see
        `Interval.within`.

    Examples
    --------
    >>> waits = Replications([4.0, 6.0, 5.0])
    >>> waits.mean
    5.0
    >>> (waits / Replications([2.0, 3.0, 2.5])).mean
    2.0
    """

    values: NDArray[np.float64]
    warning: str = ""
    least: float = -np.inf
    most: float = np.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", np.asarray(self.values, dtype=float))

    @property
    def mean(self) -> float:
        """The mean over all runs."""
        return float(self.values.mean())

    @property
    def interval(self) -> Interval:
        """Student's t interval of the mean; its width is 0 if the mean is known exactly."""
        if self.values.ndim == 0:
            return replace(Interval.exact(float(self.values)), warning=self.warning)
        interval = student(self.values, warning=self.warning)
        if self.least == -np.inf and self.most == np.inf:
            return interval
        return interval.within(self.least, self.most)

    @property
    def prediction(self) -> Interval:
        """The 95 % prediction interval for one further run of the same length.

        For n runs with the standard deviation s, the interval is the mean ± t s sqrt(1 + 1/n).
        """
        return self.prediction_of(1.0)

    def prediction_of(self, length: float) -> Interval:
        """Return the 95 % prediction interval for one further run of a given length.

        Parameters
        ----------
        length : float
            The length of the further run, as a multiple of the length of these runs.

        Notes
        -----
        The interval is the mean ± t s sqrt(1/length + 1/n) for n runs with the standard deviation
        s. The value of a run is taken as a mean over time whose parts are independent.
        """
        mean = replace(self, least=-np.inf, most=np.inf).interval
        half = mean.half_width * np.sqrt(self.values.size / positive("length", length) + 1)
        further = replace(mean, low=mean.estimate - half, high=mean.estimate + half)
        return further.within(self.least, self.most)

    def __sub__(self, other: "Replications") -> "Replications":
        self._check_pairs(other)
        return Replications(self.values - other.values, self.warning or other.warning)

    def __truediv__(self, other: "Replications | float") -> "Replications":
        if not isinstance(other, Replications):
            return Replications(self.values / other, self.warning)
        self._check_pairs(other)
        return Replications(self.values / other.values, self.warning or other.warning)

    def _check_pairs(self, other: "Replications") -> None:
        shapes = {self.values.shape, other.values.shape} - {()}
        if len(shapes) > 1:
            raise InputError(
                f"two quantities have replications of the shapes {sorted(shapes)}; give both the "
                "same number of runs, in pairs"
            )

    def less_unpaired(self, other: "Replications") -> Interval:
        """Subtract another quantity with independent runs; return Welch's confidence interval."""
        if self.values.ndim == 0 or other.values.ndim == 0:  # the variance of an exact value is 0
            return (self - other).interval
        warning = self.warning or other.warning
        return unpaired_difference(self.values, other.values, warning=warning)


def replicate(
    function: Callable, count: int, seed: Seed = 0, workers: int = 1
) -> NDArray[np.float64]:
    """Call a function with several independent seeds, and return its results as an array.

    Parameters
    ----------
    function : callable
        Called as ``function(seed)``. It returns a number, or an array of a fixed shape.
    count : int
        The number of calls.
    seed : int or SeedSequence
        The seed from which the seeds of the calls are spawned.
    workers : int
        The number of threads.

    Returns
    -------
    ndarray
        The results, with the calls along the first axis.

    Examples
    --------
    >>> replicate(lambda seed: np.random.default_rng(seed).random(2), 3).shape
    (3, 2)
    """
    from joblib import Parallel, delayed  # slow to import, and formulas do not need it

    run = Parallel(n_jobs=workers, prefer="threads")
    return np.array(run(delayed(function)(child) for child in spawn(seed, whole("count", count))))


@dataclass(frozen=True)
class Crossing:
    """The value of x at which a rising function crosses zero, as estimated by simulation.

    Attributes
    ----------
    interval : Interval
        The place with its confidence interval. An end is infinite if it lies outside the range that
        was searched.
    evaluations : int
        The number of places at which the difference was evaluated.
    """

    interval: Interval
    evaluations: int

    @property
    def answer(self) -> str:
        """Where the function lies: ``crossing`` if it crosses zero within the range.

        Otherwise ``below throughout`` or ``above throughout`` zero, or ``undecided``.
        """
        low, high = self.interval.low, self.interval.high
        if self.interval.warning:
            return "undecided"
        if low == high and np.isinf(low):
            return "below throughout" if low > 0 else "above throughout"
        return "crossing" if np.isfinite([low, high]).all() else "undecided"


def crossing(
    difference: Callable[[float], Replications], low: float, high: float, *, budget: int = 20
) -> Crossing:
    """Find the zero of a rising function of x that is estimated by simulation.

    Parameters
    ----------
    difference : callable
        Called as ``difference(x)``. It returns a `Replications` of independent runs, which have the
        same random numbers at every x. Infinite values mean that one side of the difference has no
        mean, for example because its queue is saturated.
    low, high : float
        The range of x that is searched.
    budget : int
        The largest number of evaluations, 5 or more.

    Returns
    -------
    Crossing
        It has one crossing if there are several, and none if the difference has the same sign at
        both ends of the range.

    Raises
    ------
    InputError
        If the difference falls, or is not a number.

    Notes
    -----
    The 95 % interval contains every x at which the paired interval of the difference contains zero
    (Fieller's method). Its two ends and the estimate are roots. Each root is found by bisection
    with ``(budget - 2) // 3`` steps, and by linear interpolation in the last part. The interval
    takes over the first warning of the differences inside it and next to it.

    Examples
    --------
    >>> found = crossing(lambda x: Replications([x - 0.5, x - 0.6, x - 0.4]), 0, 1)
    >>> round(found.interval.estimate, 6), found.answer
    (0.5, 'crossing')
    """
    low, high = numbers("range", [low, high]).astype(float).tolist()
    if not -np.inf < low < high < np.inf:
        raise InputError(f"low = {low} and high = {high}; give two finite numbers, low below high")
    halvings = (whole("budget", budget, least=5) - 2) // 3
    known: dict[float, Interval] = {}

    def at(x: float) -> Interval:
        if x not in known:
            known[x] = _mean_interval(f"difference({x:g})", difference(x))
        return known[x]

    first, last = at(low), at(high)
    if first.estimate > 0 > last.estimate and (first.low > 0 or last.high < 0):
        raise InputError(
            f"difference falls from {first.estimate:g} at low to {last.estimate:g} at high; give "
            "a rising function, such as the negative of this one"
        )

    # The two ends of the confidence interval of the difference are functions of x. Between the
    # roots of these two functions, the interval contains zero.
    begin = _rising_root(lambda x: at(x).high, low, high, halvings, "first", 0)
    middle = _rising_root(lambda x: at(x).estimate, low, high, halvings, "last", 0.5)
    finish = _rising_root(lambda x: at(x).low, low, high, halvings, "last", 1)
    before = max((x for x in known if x <= begin), default=low)
    after = min((x for x in known if x >= finish), default=high)
    warnings = (known[x].warning for x in sorted(known) if before <= x <= after)
    warning = next(filter(None, warnings), "")
    return Crossing(Interval(middle, begin, finish, first.count, warning=warning), len(known))


def _rising_root(function, low, high, halvings, choice, share):
    # The argument `choice` selects the "first" or the "last" root of several. If the function is
    # infinite at one end of the last interval of the bisection, the root is placed at the fraction
    # `share` of this interval.
    has_risen = operator.ge if choice == "first" else operator.gt
    below, above = function(low), function(high)
    if below > 0 or not has_risen(above, 0):
        return -np.inf if below > 0 else np.inf
    for _ in range(halvings):
        middle = (low + high) / 2
        value = function(middle)
        if has_risen(value, 0):
            high, above = middle, value
        else:
            low, below = middle, value
    if np.isfinite([below, above]).all() and above > below:
        share = -below / (above - below)
    return low + (high - low) * share


def _mean_interval(name, sample):
    values = instance_of(name, sample, Replications, "Replications(values)").values
    if np.isfinite(values).all():
        return sample.interval
    if np.isnan(values).any():
        raise InputError(f"{name} holds NaN; give numbers, and infinity for a saturated queue")
    infinite = np.unique(values[np.isinf(values)]).tolist()
    if len(infinite) > 1:
        raise InputError(f"{name} has both inf and -inf; give infinite values of one sign")
    value = infinite[0]
    return Interval(value, value, value, values.size, warning=sample.warning)
