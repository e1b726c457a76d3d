"""Confidence intervals from a single log, by a bootstrap over its weeks.

The jobs of a log depend on one another: a long queue delays all jobs that are submitted soon
after it. The moving-block bootstrap therefore resamples whole blocks of weeks, and not single jobs.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, floats, positive, whole
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.basics.times import DAY, WEEK
from coalloc_lib.statistics.resamples import Resamples, block_sums

#: A bootstrap needs at least this number of blocks, so that the variance between blocks can be
#: estimated.
FEWEST_BLOCKS = 4
#: The largest length of a bootstrap block, in weeks. Blocks can be longer than a week, because a
#: long queue at the end of one week also delays jobs of the next week.
MOST_WEEKS = 4
#: Bootstrap blocks are longer than a week only if the log can be divided into at least this number
#: of such blocks.
ENOUGH_BLOCKS = 8
#: A log may be divided into at most this number of steps, because more would need too much memory.
MOST_STEPS = 1_000_000


def resample_weeks(
    values: ArrayLike,
    weights: ArrayLike,
    submit: ArrayLike,
    *,
    block: float | None = None,
    step: float = DAY,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> Resamples:
    """Resample a log by a moving-block bootstrap, and return weighted means over its jobs.

    Each resample has as many blocks as fit into the log. A block may begin at any step. A block
    that reaches the end of the log goes on at its start.

    Parameters
    ----------
    values : array_like of shape (n,) or (m, n)
        One value per job, such as its response time, in each of m scenarios.
    weights : array_like of shape (n,) or (m, n)
        The weight of each job in the mean.
    submit : array_like of shape (n,)
        The submission time of each job in seconds, which assigns the job to a block.
    block : float, optional
        The length of a block in seconds, a multiple of `step`. The default is that of `block_of`,
        rounded to a multiple of `step`.
    step : float
        The time in seconds between two possible starts of a block.
    resamples : int
        The number of resamples.
    seed : int or SeedSequence
        The seed of the random starts of the blocks.

    Returns
    -------
    Resamples
        The weighted mean of each scenario and of each of its resamples.

    Raises
    ------
    InputError
        If the log has fewer than `FEWEST_BLOCKS` blocks, or a value or weight is not valid.

    References
    ----------
    .. [1] H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", The
       Annals of Statistics 17 (1989).

    Examples
    --------
    >>> days = np.arange(8 * 7) * DAY
    >>> waits = np.where(days < 4 * WEEK, 1.0, 3.0)
    >>> resample_weeks(waits, np.ones(56), days).means
    array([2.])
    """
    values, weights, day, length = jobs_by_day(values, weights, submit, block, step)
    numerators = [np.bincount(day, weights=row) for row in weights * values]
    denominators = [np.bincount(day, weights=row) for row in weights]
    return resample_sums(numerators, denominators, length, resamples=resamples, seed=seed)


def block_of(submit: ArrayLike) -> float:
    """Choose the length of a bootstrap block, in seconds, from the submission times of a log.

    A block has one week, or up to four weeks if the log has at least eight such blocks. Shorter
    blocks cut a dependence that lasts for weeks, so the intervals would be too narrow. In a test
    with a difference that lasts for a week, in logs of a year, 78 % of the intervals from blocks of
    one week contained the mean, and 92 % of those from blocks of four weeks.
    """
    # An incomplete week counts as a week, because a table of weekly sums has a row for it.
    return WEEK * float(weeks_of_block(int(np.ceil(np.ptp(checked_submit(submit)) / WEEK))))


def weeks_of_block(weeks: int) -> int:
    """Return the length of a bootstrap block, in weeks, for a log of a given number of weeks.

    Examples
    --------
    >>> weeks_of_block(15), weeks_of_block(16), weeks_of_block(90)
    (1, 2, 4)
    """
    return min(max(weeks // ENOUGH_BLOCKS, 1), MOST_WEEKS)


def resample_sums(
    numerators: ArrayLike,
    denominators: ArrayLike,
    length: int,
    *,
    resamples: int = 1_000,
    seed: Seed = 0,
) -> Resamples:
    """Estimate ratios of two sums over the days of a log, by a moving-block bootstrap.

    `resample_weeks` does the same for the values of single jobs.

    Parameters
    ----------
    numerators, denominators : array_like of shape (days,) or (m, days)
        The numerator and the denominator of each of m ratios on each day: usually the sum of
        weights times values, and the sum of weights.
    length : int
        The number of days in a block.
    resamples, seed
        As in `resample_weeks`.

    Returns
    -------
    Resamples
        The ratio of the sums over all days, and over the days of each resample.

    Examples
    --------
    >>> resample_sums(np.full(28, 6.0), np.full(28, 2.0), 7).means
    array([3.])
    """
    sums = _daily_sums(numerators, denominators)
    length = whole("length", length)
    starts = sample_block_starts(sums.shape[-1], length, resamples, seed)
    above, below = block_sums(sums, length)[:, :, starts].sum(axis=-1)
    has_jobs = (below > 0).all(axis=0)
    refuse_empty_resamples(has_jobs)
    resampled = (above[:, has_jobs] / below[:, has_jobs]).T
    total = sums[1].sum(axis=-1)
    means = sums[0].sum(axis=-1) / total
    influence = (sums[0] - means[:, None] * sums[1]) / total[:, None]
    return Resamples(
        means, resampled, starts.shape[1], influence, length, resamples_warning(has_jobs)
    )


def _daily_sums(numerators: ArrayLike, denominators: ArrayLike) -> NDArray[np.float64]:
    """Return the numerators and denominators as an array of shape (2, m, days), and check them."""
    above = np.atleast_2d(floats("numerators", numerators))
    below = np.atleast_2d(floats("denominators", denominators))
    if above.shape != below.shape or above.ndim > 2:
        raise InputError(
            f"numerators have the shape {above.shape} and denominators {below.shape}; give both "
            "the same shape, (days,) or (m, days)"
        )
    sums = np.stack([above, below])
    if not np.isfinite(sums).all():
        raise InputError(
            "numerators or denominators contain a number that is not finite; check that all jobs "
            "have run"
        )
    if (below < 0).any():
        row, day = map(int, np.argwhere(below < 0)[0])
        raise InputError(
            f"denominators is {below[row, day]} on day {day} of row {row}; give numbers of 0 or "
            "more"
        )
    if not (below.sum(axis=-1) > 0).all():
        raise InputError("denominators has a row of zeros; give each row a value above 0")
    return sums


def jobs_by_day(
    values: ArrayLike, weights: ArrayLike, submit: ArrayLike, block: float | None, step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], int]:
    """Check the values, weights and submission times of jobs, and assign each job to a day.

    Returns the values and the weights, both of shape (m, n), the day of each job, and the number of
    days in a block. A day is `step` seconds long.
    """
    submit = checked_submit(submit)
    values = np.atleast_2d(floats("values", values))
    if values.ndim > 2 or values.shape[-1] != len(submit):
        raise InputError(
            f"the arguments `values` and `submit` have the shapes {values.shape} and "
            f"{submit.shape}; give one value and one submission time for each job, and a row of "
            "values for each scenario"
        )
    weights = _weights_like(values, weights)
    is_bad = ~np.isfinite(values) | ~np.isfinite(weights) | (weights < 0)
    if is_bad.any():
        row, job = map(int, np.argwhere(is_bad)[0])
        raise InputError(
            f"job {job} in row {row} of values has the value {values[row, job]} and the weight "
            f"{weights[row, job]}; give finite numbers, and weights of 0 or more"
        )
    if not (weights > 0).any(axis=-1).all():
        raise InputError("weights are all 0; give at least one job a positive weight")
    step = positive("step", step)
    length = _block_length(submit, block, step)
    if np.ptp(submit) / step >= MOST_STEPS:
        raise InputError(
            f"step = {step} divides the log into more than {MOST_STEPS:,} steps; give a longer step"
        )
    return values, weights, step_of(submit, step), length


def _block_length(submit: NDArray[np.float64], block: float | None, step: float) -> int:
    """Return the number of steps in a block; the block length must be a multiple of `step`."""
    if block is None:
        return max(round(block_of(submit) / step), 1)
    steps = positive("block", block) / step
    if round(steps) < 1 or abs(steps - round(steps)) > 1e-9 * steps:
        raise InputError(f"block = {block} is not a multiple of step = {step}; give a multiple")
    return round(steps)


def _weights_like(values: NDArray[np.float64], given: ArrayLike) -> NDArray[np.float64]:
    weights = floats("weights", given)
    try:
        return np.broadcast_to(weights, values.shape)
    except ValueError:
        raise InputError(
            f"weights has the shape {weights.shape} and values {values.shape}; give one weight for "
            "each value, or one for each job"
        ) from None


def checked_submit(submit: ArrayLike) -> NDArray[np.float64]:
    """Return submission times as a 1-D float array, or raise `InputError` for other values."""
    array = floats("submit", submit)
    if array.size == 0:
        raise InputError("submit is empty; give the submission time of at least one job")
    if array.ndim != 1:
        raise InputError(f"submit has {array.ndim} dimensions; give one time for each job")
    if not np.isfinite(array).all():
        job = int((~np.isfinite(array)).argmax())
        raise InputError(f"submit[{job}] = {array[job]}; give a finite number")
    return array


def step_of(submit: NDArray[np.float64], step: float) -> NDArray[np.int64]:
    """Return the index of the time step in which each job was submitted, starting at 0."""
    return ((submit - submit.min()) // step).astype(np.int64)


def sample_block_starts(days: int, length: int, resamples: int, seed: Seed) -> NDArray[np.int64]:
    """Draw a random first day for each block of each bootstrap resample.

    The result has the shape (resamples, blocks).
    """
    blocks = days // whole("length", length)
    if blocks < FEWEST_BLOCKS:
        raise InputError(
            f"{days} days make {blocks} blocks of {length} days, but a bootstrap needs "
            f"{FEWEST_BLOCKS}; give a longer log or shorter blocks"
        )
    rng, *_ = generators(seed, 1)
    return rng.integers(days, size=(whole("resamples", resamples), blocks))


def refuse_empty_resamples(has_jobs: NDArray[np.bool_]) -> None:
    """Raise an `InputError` if no resample contains a job with a positive weight."""
    if not has_jobs.any():
        raise InputError("no resample has a job with a positive weight; give longer blocks")


def resamples_warning(has_jobs: NDArray[np.bool_]) -> str:
    """Return a warning if some resamples contain no job with a positive weight, else ""."""
    if has_jobs.all():
        return ""
    return f"no job counts in {1 - has_jobs.mean():.1%} of the resamples"
