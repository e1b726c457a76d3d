"""Intervals for one log: a sample of a process whose neighbouring jobs depend on one another."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.intervals.estimates import Interval
from coalloc_lib.seeds import Seed, generators

WEEK, DAY = 7 * 86_400.0, 86_400.0
#: Resamples that an interval rests on.
RESAMPLES = 1_000
#: With fewer blocks nothing is known of how they differ.
FEWEST_BLOCKS = 4


@dataclass(frozen=True, eq=False)
class Resamples:
    """Weighted means of a log, and what they are when its weeks are drawn anew.

    Attributes
    ----------
    means : ndarray, shape (m,)
        Of the log as it is, one a scenario.
    drawn : ndarray, shape (resamples, m)
        Of each resample; all scenarios have the same weeks in it, so that they are paired.
    blocks : int
        How many blocks the log has.
    warning : str
        Why intervals are likely too narrow; empty where nothing speaks against them.
    """

    means: NDArray[np.float64]
    drawn: NDArray[np.float64]
    blocks: int
    warning: str = ""

    def interval(
        self, statistic: Callable[[NDArray[np.float64]], float], confidence: float = 0.95
    ) -> Interval:
        """Return the interval of a number that is worked out from the means.

        Parameters
        ----------
        statistic : callable
            Takes an array of m means; returns a number, infinite where it is out of range.

        Notes
        -----
        Percentiles of the resamples, further out than `confidence` asks for, since percentiles
        alone are too narrow for the few weeks of a log: at the normal probability of Student's
        quantile for b blocks, times the root of b / (b - 1) (Hesterberg 2015, the expanded
        percentile interval). Of a function that rises, the interval is the function's values at
        the ends, infinite ones too.

        References
        ----------
        Hesterberg: What Teachers Should Know About the Bootstrap. The American Statistician 69
        (2015).
        """
        from scipy.special import ndtr, stdtrit

        found = np.array([statistic(row) for row in self.drawn])
        middle = float(statistic(self.means))
        if np.isnan(found).any() or np.isnan(middle):
            raise InputError(
                "statistic is not a number for some resamples; give one that always is"
            )
        free = self.blocks - 1
        out = stdtrit(free, (1 - confidence) / 2) * np.sqrt(self.blocks / free)
        low, high = np.quantile(found, [ndtr(out), ndtr(-out)], method="inverted_cdf")
        ends = float(min(low, middle)), float(max(high, middle))
        return Interval(middle, *ends, self.blocks, confidence, self.warning)

    def beside(self, other: "Resamples") -> "Resamples":
        """Return the means of this log and of another side by side, for a statistic of both.

        The weeks of the one are drawn independently of the other's, whatever their seeds: its
        resamples come in reverse order.
        """
        count = min(len(self.drawn), len(other.drawn))
        drawn = np.hstack([self.drawn[:count], other.drawn[::-1][:count]])
        means = np.concatenate([self.means, other.means])
        return Resamples(
            means, drawn, min(self.blocks, other.blocks), self.warning or other.warning
        )


def resample_weeks(
    values: ArrayLike,
    weights: ArrayLike,
    submit: ArrayLike,
    *,
    block: float = WEEK,
    step: float = DAY,
    resamples: int = RESAMPLES,
    seed: Seed = 0,
) -> Resamples:
    """Draw the weeks of a log anew: a moving-block bootstrap of weighted means.

    Parameters
    ----------
    values : array_like, shape (n,) or (m, n)
        Of each job, such as its response time; a row a scenario with the same jobs.
    weights : array_like, shape (n,) or (m, n)
        Of each job, 0 or more.
    submit : array_like, shape (n,)
        Instants of submission, in seconds: a job belongs to the week in which it came.
    block, step : float
        Length of a block, and by how much blocks are apart at least: a week, so that each has its
        working days and its weekend, and a day.
    resamples : int
    seed : int or SeedSequence

    Raises
    ------
    InputError
        The log has fewer than four blocks.

    Notes
    -----
    Künsch (1989): blocks of neighbouring jobs are drawn with replacement, as many as fill the log,
    from all that begin at a step, around its end to its begin; what depends on one another within
    a block stays together. The mean is that of all values drawn, weighted.
    """
    submit = np.asarray(submit, dtype=float)
    values, weights = np.atleast_2d(np.asarray(values, float)), np.asarray(weights, float)
    weights = np.broadcast_to(weights, values.shape)
    if submit.ndim != 1 or values.shape[-1] != len(submit):
        raise InputError(
            f"values have the shape {values.shape} and submit {submit.shape}; give a value a job"
        )
    bad = ~np.isfinite(values) | ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row, job = map(int, np.argwhere(bad)[0])
        raise InputError(
            f"job {job} of row {row} has the value {values[row, job]} and the weight "
            f"{weights[row, job]}; give finite numbers, and weights of 0 or more"
        )
    at = ((submit - submit.min()) // positive("step", step)).astype(np.int64)
    top, bottom = (_by_step(at, rows) for rows in (weights * values, weights))
    length = max(round(positive("block", block) / step), 1)
    return resample_sums(top, bottom, length, resamples=resamples, seed=seed)


def resample_sums(
    top: ArrayLike, bottom: ArrayLike, length: int, *, resamples: int = RESAMPLES, seed: Seed = 0
) -> Resamples:
    """Draw blocks of sums anew: `resample_weeks`, where sums of each day are known already.

    Parameters
    ----------
    top, bottom : array_like, shape (m, days)
        Sums of weights times values, and of weights, a row a scenario; the mean is their ratio.
    length : int
        Days of a block.
    """
    sums = np.stack([np.atleast_2d(np.asarray(each, float)) for each in (top, bottom)])
    days = sums.shape[-1]
    blocks = days // whole("length", length)
    if blocks < FEWEST_BLOCKS:
        raise InputError(
            f"{days} days make {blocks} blocks of {length}; give a log of {FEWEST_BLOCKS} blocks "
            "or more, or a shorter block"
        )
    if not np.isfinite(sums).all():
        raise InputError("top or bottom has a sum that is no finite number; did all jobs run?")
    if not (sums[1].sum(axis=-1) > 0).all():
        raise InputError("weights are all 0; give at least one job that counts")
    rng, *_ = generators(seed, 1)
    begins = rng.integers(days, size=(whole("resamples", resamples), blocks))
    # What a block has that begins at each day, around the end.
    around = np.concatenate([sums, sums[..., : length - 1]], axis=-1)
    total = np.cumsum(np.insert(around, 0, 0, axis=-1), axis=-1)
    moving = total[..., length:] - total[..., :-length]
    above, below = moving[:, :, begins].sum(axis=-1)
    some = (below > 0).all(axis=0)
    if not some.any():
        raise InputError("no block has a job that counts; give longer blocks")
    drawn = (above[:, some] / below[:, some]).T
    warning = "" if some.all() else f"no job counts in {1 - some.mean():.1%} of the resamples"
    return Resamples(sums[0].sum(axis=-1) / sums[1].sum(axis=-1), drawn, blocks, warning)


def _by_step(at, rows):
    return np.stack([np.bincount(at, weights=row) for row in rows])
