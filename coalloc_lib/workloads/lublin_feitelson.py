"""The workload model of Lublin and Feitelson as it was published, with its parameters.

`coalloc_lib.workloads.lublin` adapts the model to single logs; this one is the authors' own, for
all jobs alike (they give other parameters for batch and interactive jobs).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import JobStream
from coalloc_lib.seeds import Seed, generators
from coalloc_lib.workloads.lublin import HALF_HOURS, parallel_sizes, to_cycle_clock

#: Of all jobs: those of size 1, and parallel ones whose size is a power of two.
SERIAL, POWER_OF_TWO = 0.244, 0.576
#: The corners of the two-stage uniform distribution of log2(size): the lowest, and the middle one
#: below the logarithm of the system's size; and the probability of the first stage.
LOG_LOW, BELOW_TOP, LOW_STAGE = 0.8, 2.5, 0.86
#: Shapes and scales of the two gamma distributions of ln(run time); the first has probability
#: slope · size + intercept. Run times of more than exp(12) s are drawn anew.
RUNTIME_SHAPE, RUNTIME_SCALE = (4.2, 312.0), (0.94, 0.03)
SLOPE, INTERCEPT, LONGEST_LOG = -0.0054, 0.78, 12.0
#: Shape and scale of the gamma distribution of ln(gap), with the ratio of all hours to rush hours;
#: gaps of more than exp(13) s are drawn anew.
GAP_SHAPE, GAP_SCALE, LONGEST_GAP_LOG = 10.2303 * 1.0225, 0.4871, 13.0
#: Shape and scale of the gamma distribution of when in the day jobs arrive, in half hours, and the
#: half hour at which this day begins.
DAY_SHAPE, DAY_SCALE, DAY_BEGIN = 8.1737, 3.9631, 11


@dataclass(frozen=True)
class LublinFeitelson:
    """Lublin and Feitelson's model of all jobs of a machine: a `Workload`; times are in seconds.

    Parameters
    ----------
    processors : int
        Of the machine; no job is larger. The model follows it by the upper corners of the sizes.

    Notes
    -----
    *Sizes*: 1, or 2^x rounded to a whole number, where x has a two-stage uniform distribution and
    is itself rounded for the powers of two. *Run times*: exp(g), g of one of two gamma
    distributions, the second of which, of long times, is the likelier the larger the job.
    *Arrivals*: gaps exp(g) on a clock that runs as fast as jobs arrive at that time of the day,
    from midnight on. Where the authors' program gives whole seconds, times here are not rounded.

    The model has no estimates of run times; those of the jobs are their run times.

    References
    ----------
    Lublin, Feitelson: The workload on parallel supercomputers: modeling the characteristics of
    rigid jobs. Journal of Parallel and Distributed Computing 63(11), 2003. The parameters are those
    that the authors' program, lublin99, has for jobs of one type.

    Examples
    --------
    >>> LublinFeitelson(128).sample(3, seed=1).request
    'total'
    """

    processors: int

    def __post_init__(self) -> None:
        """Check the size of the machine."""
        if math.log2(whole("processors", self.processors)) - BELOW_TOP <= LOG_LOW:
            raise InputError(
                f"processors = {self.processors}; the model is for larger machines, give 10 or more"
            )

    @cached_property
    def sizes(self) -> SizeDistribution:
        """The distribution of the processors of a job."""
        top = math.log2(self.processors)
        corners = (LOG_LOW, top - BELOW_TOP, top)
        rounded = POWER_OF_TWO / (1 - SERIAL)
        parallel = parallel_sizes(self.processors, rounded, *corners, low_stage=LOW_STAGE)
        weights = (1 - SERIAL) * parallel
        weights[1] += SERIAL
        return SizeDistribution(weights / weights.sum(), f"Lublin-Feitelson {self.processors}")

    @property
    def rate(self) -> float:
        """Arrivals a second, over whole days."""
        share, mean = _below(GAP_SHAPE, GAP_SCALE, LONGEST_GAP_LOG)
        return share / mean

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, in seconds."""
        sizes = self.sizes.sizes
        first = _first_probability(sizes)
        (share1, mean1), (share2, mean2) = (
            _below(shape, scale, LONGEST_LOG)
            for shape, scale in zip(RUNTIME_SHAPE, RUNTIME_SCALE, strict=True)
        )
        kept = first * share1 + (1 - first) * share2
        means = (first * mean1 + (1 - first) * mean2) / kept
        return float(self.sizes.probabilities[sizes] @ (sizes * means))

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` jobs of a random workload; see `Workload.sample`.

        They are total requests. With a `rate` all times between arrivals, and with them the daily
        cycle, are stretched alike; without one they are the model's.
        """
        for_sizes, for_runtimes, for_gaps = generators(seed, 3)
        sizes = self.sizes.sample(for_sizes, whole("count", count))
        logs = _cut_gamma(for_gaps, np.full(count, GAP_SHAPE), GAP_SCALE, LONGEST_GAP_LOG)
        submit = to_cycle_clock(np.cumsum(np.exp(logs)), daily_cycle(), back=True)
        if rate is not None:
            submit = submit * (self.rate / positive("rate", rate))
        return JobStream(submit, _runtimes(sizes, for_runtimes), sizes, request="total")


def daily_cycle() -> NDArray[np.float64]:
    """Return the rate of arrival in each half hour from midnight on, over the mean rate."""
    from scipy import stats

    half_hours = np.arange(DAY_BEGIN, DAY_BEGIN + HALF_HOURS)
    below = stats.gamma(DAY_SHAPE, scale=DAY_SCALE).cdf
    cycle = np.empty(HALF_HOURS)
    cycle[(half_hours - 1) % HALF_HOURS] = below(half_hours + 0.5) - below(half_hours - 0.5)
    return cycle / cycle.mean()


def _first_probability(sizes: NDArray) -> NDArray[np.float64]:
    return np.clip(SLOPE * sizes + INTERCEPT, 0.0, 1.0)


def _below(shape: float, scale: float, top: float) -> tuple[float, float]:
    """Return P(g <= top) and E[exp(g); g <= top] of a gamma distribution; its scale is below 1."""
    from scipy import stats

    tilted = stats.gamma(shape, scale=scale / (1 - scale)).cdf(top)
    return stats.gamma(shape, scale=scale).cdf(top), tilted * (1 - scale) ** -shape


def _cut_gamma(rng, shapes, scales, top):
    """Draw from gamma distributions that are cut at `top`."""
    from scipy import stats

    gamma = stats.gamma(shapes, scale=scales)
    return gamma.ppf(rng.random(len(shapes)) * gamma.cdf(top))


def _runtimes(sizes, rng):
    """Draw run times; what is too long is drawn anew, and so is of which kind it is."""
    kept = [
        _below(shape, scale, LONGEST_LOG)[0]
        for shape, scale in zip(RUNTIME_SHAPE, RUNTIME_SCALE, strict=True)
    ]
    first = _first_probability(sizes)
    first = first * kept[0] / (first * kept[0] + (1 - first) * kept[1])
    kind = (rng.random(len(sizes)) >= first).astype(int)
    shapes, scales = np.array(RUNTIME_SHAPE)[kind], np.array(RUNTIME_SCALE)[kind]
    return np.exp(_cut_gamma(rng, shapes, scales, LONGEST_LOG))
