"""From runs to figures with intervals: replications, paired differences, crossings."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, instance_of, numbers, whole
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.seeds import Seed, spawn


def student(values: ArrayLike, confidence: float = 0.95, warning: str = "") -> Interval:
    """Return Student's t interval of the mean of two or more independent values, all finite."""
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or len(values) < 2:
        raise InputError(f"values has shape {values.shape}; an interval needs two or more values")
    if not np.isfinite(values).all():
        raise InputError(f"values[{int((~np.isfinite(values)).argmax())}] is not a finite number")
    if not 0 < confidence < 1:
        raise InputError(f"confidence = {confidence}; give a number between 0 and 1")
    error = values.std(ddof=1) / np.sqrt(len(values))
    return _interval(values.mean(), error, len(values) - 1, len(values), confidence, warning)


def _interval(mean, error, freedom, count, confidence, warning):
    from scipy.special import stdtrit  # the quantile alone: scipy.stats takes long to import

    half = float(stdtrit(freedom, (1 + confidence) / 2) * error)
    return Interval(float(mean), float(mean - half), float(mean + half), count, confidence, warning)


def paired_difference(
    one: ArrayLike, other: ArrayLike, confidence: float = 0.95, warning: str = ""
) -> Interval:
    """Return the interval of the mean of ``one - other``, value by value."""
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if one.shape != other.shape:
        raise InputError(f"one has {one.size} values and other has {other.size}; pair them")
    return student(one - other, confidence, warning)


def unpaired_difference(
    one: ArrayLike, other: ArrayLike, confidence: float = 0.95, warning: str = ""
) -> Interval:
    """Return Welch's interval of the difference of two means of independent samples."""
    one, other = (np.asarray(values, dtype=float) for values in (one, other))
    mean = student(one, confidence).estimate - student(other, confidence).estimate
    counts = np.array([len(one), len(other)])
    squares = np.array([one.var(ddof=1), other.var(ddof=1)]) / counts
    variance, count = squares.sum(), int(counts.min())
    freedom = variance**2 / (squares**2 / (counts - 1)).sum() if variance > 0 else count - 1
    return _interval(mean, np.sqrt(variance), freedom, count, confidence, warning)


@dataclass(frozen=True, eq=False)
class Replications:
    """Values of one figure in independent runs; without a dimension, a figure that is known.

    ``one - other`` and ``one / other`` compare runs in pairs and have the warning of either. The
    intervals of the mean and of a further run stay between `least` and `most`, which are bounds of
    the figure that are known with certainty; see `Interval.within`.
    """

    values: NDArray[np.float64]
    warning: str = ""
    least: float = -np.inf
    most: float = np.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", np.asarray(self.values, dtype=float))

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return float(self.values.mean())

    @property
    def interval(self) -> Interval:
        """Student's t interval of the mean, without length where the figure is known."""
        if self.values.ndim == 0:
            return Interval.exact(float(self.values))
        return student(self.values, warning=self.warning).within(self.least, self.most)

    @property
    def prediction(self) -> Interval:
        """Where one further run falls, in 95 % of cases: the mean ± t s sqrt(1 + 1/n)."""
        return self.prediction_of(1.0)

    def prediction_of(self, length: float) -> Interval:
        """Where one further run falls that is `length` times as long as one of these.

        In 95 % of cases: the mean ± t s sqrt(1/length + 1/n), as a mean over time of independent
        parts.
        """
        mean = replace(self, least=-np.inf, most=np.inf).interval
        wide = mean.half_width * np.sqrt(self.values.size / length + 1)
        further = replace(mean, low=mean.estimate - wide, high=mean.estimate + wide)
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
        """Refuse samples of different numbers of runs; known figures suit any number."""
        shapes = {self.values.shape, other.values.shape} - {()}
        if len(shapes) > 1:
            raise InputError(f"samples have the shapes {sorted(shapes)}; pair their values")

    def less_unpaired(self, other: "Replications") -> Interval:
        """Return Welch's interval of the difference to a sample of other runs."""
        warning = self.warning or other.warning
        return unpaired_difference(self.values, other.values, warning=warning)


def replicate(
    function: Callable, count: int, seed: Seed = 0, workers: int = 1
) -> NDArray[np.float64]:
    """Return ``function(seed)``, numbers or rows of them, for `count` independent seeds."""
    from joblib import Parallel, delayed  # takes long, and a formula needs none of it

    run = Parallel(n_jobs=workers, prefer="threads")
    return np.array(run(delayed(function)(child) for child in spawn(seed, whole("count", count))))


@dataclass(frozen=True)
class Crossing:
    """Where a rising difference crosses zero, and at how many `x` it was evaluated.

    An end of the interval is infinite where it lies outside of the range that was searched.
    """

    interval: Interval
    evaluations: int

    @property
    def answer(self) -> str:
        """``crossing``, ``below throughout``, ``above throughout``, or ``undecided``."""
        low, high = self.interval.low, self.interval.high
        if self.interval.warning:
            return "undecided"
        if low == high and np.isinf(low):
            return "below throughout" if low > 0 else "above throughout"
        return "crossing" if np.isfinite([low, high]).all() else "undecided"


def crossing(
    difference: Callable[[float], Replications], low: float, high: float, *, budget: int = 20
) -> Crossing:
    """Return where a difference that rises with `x` crosses zero, from `low` to `high`.

    The `difference` at `x` is a `Replications` of independent runs, which share their random
    numbers at all `x`; infinite values say that a side has no mean, such as a saturated queue. With
    a `budget` of so many evaluations the range is halved ``(budget - 2) // 3`` times for each
    root.

    Notes
    -----
    The 95 % interval has all `x` at which the paired interval of the difference contains zero
    (Fieller's way). Its ends and the estimate are roots, found by halving the range and by a
    straight line within the last part. Of several crossings one is found, and none where both ends
    have one sign. The interval has the first warning of the differences in it and next to it.
    """
    low, high = numbers("range", [low, high]).astype(float).tolist()
    if not -np.inf < low < high < np.inf:
        raise InputError(f"low = {low} and high = {high}; give two finite numbers, low below high")
    halvings = (whole("budget", budget, least=5) - 2) // 3
    known: dict[float, Interval] = {}

    def at(x: float) -> Interval:
        if x not in known:
            known[x] = _mean(f"difference({x:g})", difference(x))
        return known[x]

    first, last = at(low), at(high)
    if first.estimate > 0 > last.estimate and (first.low > 0 or last.high < 0):
        raise InputError(
            f"difference falls from {first.estimate:g} at low to {last.estimate:g} at high; give "
            "one that rises, such as its negative"
        )

    begin, middle, finish = (
        _rising_root(lambda x, end=end: getattr(at(x), end), low, high, halvings, outwards)
        for end, outwards in (("high", 0), ("estimate", 0.5), ("low", 1))
    )
    before = max((x for x in known if x <= begin), default=low)
    after = min((x for x in known if x >= finish), default=high)
    warnings = (known[x].warning for x in sorted(known) if before <= x <= after)
    warning = next(filter(None, warnings), "")
    return Crossing(Interval(middle, begin, finish, first.count, warning=warning), len(known))


def _rising_root(function, low, high, halvings, outwards):
    """Return where a rising function is zero; infinite where that is outside of the range."""
    # Where an end of the last part is infinite, `outwards` is the share of it that counts. Of
    # several zeros the first is taken if `outwards` is 0, else the last.
    has_risen = operator.gt if outwards else operator.ge
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
        outwards = -below / (above - below)
    return low + (high - low) * outwards


def _mean(name, sample):
    """Return the interval of a mean, at an infinite place where values are infinite."""
    values = instance_of(name, sample, Replications, "Replications(values)").values
    if np.isnan(values).any():
        raise InputError(f"{name} holds NaN; give numbers, infinite ones past saturation")
    ends = np.unique(values[np.isinf(values)]).tolist()
    if len(ends) > 1:
        raise InputError(f"{name} has values of both infinite signs; give one")
    return Interval(*3 * ends, values.size, warning=sample.warning) if ends else sample.interval
