"""Fit `AdaptedLublin` to a log.

`serial` is the share of jobs of size 1. The corner `log_low` is 0.8, the value that Lublin and
Feitelson use, and `log_high` is log2 of the widest job. The other three parameters of the size, and
the six of the run time (on a histogram of ln(1 + run time) by size), have the greatest likelihood
less a penalty on the relative errors of mean and coefficient of variation, and of the mean work
(size times run time), so that these come out close even though no real log follows the model.

The daily cycle is the share of arrivals in each half hour. The gaps on its clock are fitted by
maximum likelihood, which keeps their mean; a gap under a second counts as a second. `requested`
holds the 20 values most often requested.
"""

import re

import numpy as np
from adapted_lublin import DAY, HALF_HOURS, AdaptedLublin, parallel_sizes, to_cycle_clock
from scipy import optimize, special

from coalloc_lib.basics.checks import InputError

#: Corner of the smallest parallel sizes: 2^0.8 rounds to 2.
LOG_LOW = 0.8
#: The weight of the squared relative errors of the mean and the coefficient of variation, relative
#: to the mean log-likelihood per job: an error of 3 % costs a tenth of a nat.
MOMENT_WEIGHT = 100.0
RUNTIME_BINS = 120
POPULAR = 20
FEWEST_JOBS = 100


def fit(log):
    """Return the model of the usable jobs of a log: 100 or more, one of 4 processors or more."""
    rows = log.usable
    if len(rows) < FEWEST_JOBS:
        raise InputError(f"{log.name} has {len(rows)} usable jobs; give {FEWEST_JOBS} or more")
    sizes = rows["processors"].to_numpy()
    runtime = rows["runtime"].to_numpy()
    return AdaptedLublin(
        name=log.name,
        processors=int(sizes.max()),
        **_fit_sizes(sizes),
        **_fit_runtimes(sizes, runtime),
        **_fit_arrivals(np.sort(rows["submit"].to_numpy()), _start_of_day(log)),
        requested=_popular(rows["requested_time"].to_numpy()),
    )


def _penalty(found, target):
    return MOMENT_WEIGHT * sum((f / t - 1) ** 2 for f, t in zip(found, target, strict=True))


def _moments(values, weights):
    mean = weights @ values
    return mean, np.sqrt(max(weights @ values**2 - mean**2, 0.0)) / mean


def _minimum(objective, start):
    options = {"maxiter": 8000, "maxfev": 8000, "xatol": 1e-6, "fatol": 1e-9, "adaptive": True}
    found = optimize.minimize(objective, start, method="Nelder-Mead", options=options)
    # A second simplex frees the first from a corner into which it may have collapsed.
    return optimize.minimize(objective, found.x, method="Nelder-Mead", options=options).x


def _logistic(x):
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def _fit_sizes(sizes):
    largest = int(sizes.max())
    if largest < 4:
        raise InputError(f"the widest job has {largest} processors; give a log with 4 or more")
    counts = np.bincount(sizes, minlength=largest + 1) / len(sizes)
    serial, high = float(counts[1]), float(np.log2(largest))
    support = np.arange(largest + 1)
    target = _moments(support, counts)
    seen = (support > 1) & (counts > 0)

    def unpacked(x):
        medium = LOG_LOW + (high - LOG_LOW) * (0.02 + 0.96 * _logistic(x[0]))
        return float(_logistic(x[1])), float(medium), float(_logistic(x[2]))

    def objective(x):
        power, medium, stage = unpacked(x)
        model = (1 - serial) * parallel_sizes(
            largest, power, LOG_LOW, medium, high, low_stage=stage
        )
        likelihood = counts[seen] @ np.log(np.maximum(model[seen], 1e-300))
        model[1] += serial
        return _penalty(_moments(support, model), target) - likelihood

    power, medium, stage = unpacked(_minimum(objective, [0.5, 0.5, 1.0]))
    return {
        "serial": serial,
        "power_of_two": power,
        "log_low": LOG_LOW,
        "log_medium": medium,
        "log_high": high,
        "low_stage": stage,
    }


def _fit_runtimes(sizes, runtime):
    longest = float(np.ceil(runtime.max()))
    edges = np.linspace(0.0, np.log1p(longest), RUNTIME_BINS + 1)
    distinct, kind = np.unique(sizes, return_inverse=True)
    bins = np.clip(np.searchsorted(edges, np.log1p(runtime), "left") - 1, 0, RUNTIME_BINS - 1)
    counts = np.zeros((len(distinct), RUNTIME_BINS))
    np.add.at(counts, (kind, bins), 1 / len(runtime))
    share = counts.sum(axis=1)
    middle = np.expm1((edges[1:] + edges[:-1]) / 2)
    target = runtime.mean(), runtime.std() / runtime.mean(), (sizes * runtime).mean()

    def objective(x):
        shape, scale = _shape_and_scale(x, edges[-1])
        parts = _binned_gammas(edges, shape, scale)
        short = np.clip(x[4] / 100 * distinct + x[5], 0, 1)[:, None]
        model = short * parts[0] + (1 - short) * parts[1]
        likelihood = (counts * np.log(np.maximum(model, 1e-300))).sum()
        work = (share * distinct) @ (model @ middle)
        return _penalty((*_moments(middle, share @ model), work), target) - likelihood

    best = _minimum(objective, _first_guess(np.log1p(runtime), edges[-1]))
    shape, scale = _shape_and_scale(best, edges[-1])
    return {
        "runtime_shape": tuple(map(float, shape)),
        "runtime_scale": tuple(map(float, scale)),
        "mixing_slope": float(best[4] / 100),
        "mixing_intercept": float(best[5]),
        "longest": longest,
    }


def _shape_and_scale(x, top):
    """Return both gammas' shapes and scales from ln(shape) and the logit of the mean.

    The mean is kept within 1.5 times the largest logarithm `top`: beyond it, a gamma that is
    cut at `top` hardly changes, and the search would wander off.
    """
    shape = np.exp(np.clip(x[:2], -5, 10))
    return shape, 1.5 * top * _logistic(x[2:4]) / shape


def _binned_gammas(edges, shape, scale):
    """Return the probability of each bin under both gammas, cut at the last edge."""
    below = special.gammainc(shape[:, None], edges / scale[:, None])
    return np.diff(below, axis=1) / np.maximum(below[:, -1:], 1e-300)


def _first_guess(logs, top):
    """Match a gamma to each half of the sample, by its moments."""
    lower, upper = logs[logs <= np.median(logs)], logs[logs > np.median(logs)]
    if not len(upper):  # at least half of the jobs ran equally long
        upper = lower
    means = np.array([lower.mean(), upper.mean()])
    variances = np.maximum([lower.var(), upper.var()], 1e-4)
    fraction = means / (1.5 * top)
    return [*np.log(means**2 / variances), *np.log(fraction / (1 - fraction)), 0.0, 0.5]


def _fit_arrivals(submit, start):
    if submit[0] == submit[-1]:
        raise InputError("all jobs were submitted at one instant; give a log that spans time")
    half_hour = ((submit + start) % DAY // (DAY // HALF_HOURS)).astype(int)
    # One arrival more in each half hour keeps the rate of an empty one above 0.
    arrivals = np.bincount(half_hour, minlength=HALF_HOURS) + 1
    cycle = arrivals / arrivals.mean()
    gaps = np.diff(to_cycle_clock(submit + start, cycle))
    return {
        "gap_shape": _gamma_shape(np.maximum(gaps, 1.0)),
        "gap_mean": float(np.ptp(submit) / (len(submit) - 1)),
        "daily_cycle": tuple(map(float, cycle)),
        "start": float(start),
    }


def _gamma_shape(values):
    """Return the shape of greatest likelihood: ln k - digamma(k) = ln mean - mean ln."""
    excess = np.log(values.mean()) - np.log(values).mean()
    if excess < 1e-6:
        raise InputError("all times between arrivals are equal; give a log with random ones")
    return float(optimize.brentq(lambda k: np.log(k) - special.digamma(k) - excess, 1e-3, 1e6))


def _start_of_day(log):
    """Return the seconds from midnight to the log's instant 0, from its header's StartTime."""
    match = re.search(r"\b(\d\d):(\d\d):(\d\d)\b", log.header.get("StartTime", ""))
    if not match:
        return 0
    hours, minutes, seconds = map(int, match.groups())
    return hours * 3600 + minutes * 60 + seconds


def _popular(requested):
    values, counts = np.unique(requested[requested > 0], return_counts=True)
    kept = np.sort(np.argsort(-counts, kind="stable")[:POPULAR])
    total = counts[kept].sum()
    return tuple((float(values[i]), float(counts[i] / total)) for i in kept)
