"""The workload model of Lublin and Feitelson as it was published, with its parameters.

Lublin, Feitelson: The workload on parallel supercomputers: modeling the characteristics of rigid
jobs. Journal of Parallel and Distributed Computing 63(11), 2003. ``data/traces`` of the repository
has a variant that is fitted to a log and has requested times.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import JobStream
from coalloc_lib.seeds import Seed, generators

DAY, HALF_HOURS = 86_400, 48

# The published parameters. Of all jobs: those of size 1, and parallel ones of a power of two.
SERIAL, POWER_OF_TWO = 0.244, 0.576
# Corners of log2(size): the lowest, and the middle one below the highest; the first stage's share.
LOG_LOW, BELOW_TOP, LOW_STAGE = 0.8, 2.5, 0.86
# The two gamma distributions of ln(run time), the first with probability slope · size + intercept.
# Run times of more than exp(12) s, and gaps of more than exp(13) s, are drawn anew.
RUNTIME_SHAPE, RUNTIME_SCALE = (4.2, 312.0), (0.94, 0.03)
SLOPE, INTERCEPT, LONGEST_LOG = -0.0054, 0.78, 12.0
# The gamma distribution of ln(gap), with the ratio of all hours to rush hours.
GAP_SHAPE, GAP_SCALE, LONGEST_GAP_LOG = 10.2303 * 1.0225, 0.4871, 13.0
# The gamma distribution of the half hour of arrival, and the half hour at which its day begins.
DAY_SHAPE, DAY_SCALE, DAY_BEGIN = 8.1737, 3.9631, 11


@dataclass(frozen=True)
class LublinFeitelson:
    """Lublin and Feitelson's model of all jobs of a machine: a `Workload`; times are in seconds.

    Notes
    -----
    *Sizes*: 1, or 2^x rounded to a whole number, where x has a two-stage uniform distribution that
    ends at the machine's size, and is itself rounded for the powers of two. *Run times*: exp(g), g
    of one of two gamma distributions, the second, of long times, the likelier the larger the job.
    *Arrivals*: gaps exp(g) on a clock that runs as fast as jobs arrive at that time of the day,
    from midnight on. Parameters are those of the authors' program, lublin99, for jobs of one type;
    times are not rounded. Estimates are the run times.
    """

    processors: int

    def __post_init__(self) -> None:
        if math.log2(whole("processors", self.processors)) - BELOW_TOP <= LOG_LOW:
            raise InputError(
                f"processors = {self.processors}; the model is for larger machines, give 10 or more"
            )

    @cached_property
    def sizes(self) -> SizeDistribution:
        """The distribution of the processors of a job."""
        top = math.log2(self.processors)
        power_of_two, corners = POWER_OF_TWO / (1 - SERIAL), (LOG_LOW, top - BELOW_TOP, top)
        parallel = parallel_sizes(self.processors, power_of_two, *corners, low_stage=LOW_STAGE)
        return with_serial(SERIAL, parallel, f"Lublin-Feitelson {self.processors}")

    @property
    def rate(self) -> float:
        """Arrivals a second, over whole days."""
        share, mean = _below(GAP_SHAPE, GAP_SCALE, LONGEST_GAP_LOG)
        return share / mean

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, in seconds."""
        sizes = self.sizes.sizes
        first = first_probability(sizes, SLOPE, INTERCEPT)
        (share1, mean1), (share2, mean2) = _runtime_parts()
        kept = first * share1 + (1 - first) * share2
        means = (first * mean1 + (1 - first) * mean2) / kept
        return float(self.sizes.probabilities[sizes] @ (sizes * means))

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` jobs, total requests; see `Workload.sample`.

        Without a `rate` they come at the model's; with one the daily cycle is stretched too.
        """
        for_sizes, for_runtimes, for_gaps = generators(seed, 3)
        sizes = self.sizes.sample(for_sizes, whole("count", count))
        alike = np.zeros(count, dtype=bool)
        gaps = np.exp(cut_gamma(for_gaps, [GAP_SHAPE], [GAP_SCALE], alike, LONGEST_GAP_LOG))
        submit = to_cycle_clock(np.cumsum(gaps), published_cycle(), back=True)
        if rate is not None:
            submit = submit * (self.rate / positive("rate", rate))
        # What is too long is drawn anew, and so is of which kind it is.
        (share1, _), (share2, _) = _runtime_parts()
        first = first_probability(sizes, SLOPE, INTERCEPT)
        first = first * share1 / (first * share1 + (1 - first) * share2)
        is_second = for_runtimes.random(count) >= first
        logs = cut_gamma(for_runtimes, RUNTIME_SHAPE, RUNTIME_SCALE, is_second, LONGEST_LOG)
        return JobStream(submit, np.exp(logs), sizes, request="total")


def _runtime_parts() -> list[tuple[float, float]]:
    """Return of either gamma the share that is not too long, and what it adds to the mean."""
    return [_below(*each, LONGEST_LOG) for each in zip(RUNTIME_SHAPE, RUNTIME_SCALE, strict=True)]


def published_cycle() -> NDArray[np.float64]:
    """Return the rate of arrival in each half hour from midnight on, over the mean rate."""
    from scipy import stats

    half_hours = np.arange(DAY_BEGIN, DAY_BEGIN + HALF_HOURS)
    below = stats.gamma(DAY_SHAPE, scale=DAY_SCALE).cdf
    cycle = np.empty(HALF_HOURS)
    cycle[(half_hours - 1) % HALF_HOURS] = below(half_hours + 0.5) - below(half_hours - 0.5)
    return cycle / cycle.mean()


def parallel_sizes(
    processors: int, power_of_two: float, log_low: float, log_medium: float, log_high: float,
    *, low_stage: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the probabilities of sizes 0 to `processors` of a parallel job.

    log2(size) is uniform on [log_low, log_medium] with probability `low_stage`, else uniform
    on [log_medium, log_high]. With probability `power_of_two` it is rounded before the power is
    taken, else after. Sizes above `processors` are drawn anew.
    """

    def below(x: NDArray) -> NDArray:
        first = np.clip((x - log_low) / (log_medium - log_low), 0, 1)
        second = np.clip((x - log_medium) / (log_high - log_medium), 0, 1)
        return low_stage * first + (1 - low_stage) * second

    sizes = np.arange(1, processors + 1)
    weights = np.zeros(processors + 1)
    weights[1:] = (1 - power_of_two) * (below(np.log2(sizes + 0.5)) - below(np.log2(sizes - 0.5)))
    exponents = np.arange(int(math.log2(processors)) + 1)
    weights[2**exponents] += power_of_two * (below(exponents + 0.5) - below(exponents - 0.5))
    if weights.sum() <= 0:
        raise InputError(f"processors = {processors}; no size of the model is that small")
    return weights / weights.sum()


def to_cycle_clock(
    instants: NDArray, cycle: ArrayLike, *, back: bool = False
) -> NDArray[np.float64]:
    """Return instants (seconds from a midnight) on the clock of the daily cycle, or `back`."""
    days, clock = np.divmod(instants, DAY)
    even = np.linspace(0, DAY, HALF_HOURS + 1)
    corners = np.concatenate([[0.0], np.cumsum(cycle) / np.sum(cycle)]) * DAY
    return days * DAY + np.interp(clock, *((corners, even) if back else (even, corners)))


def with_serial(serial: float, parallel: NDArray, label: str) -> SizeDistribution:
    """Return the distribution of all sizes from that of parallel jobs."""
    weights = (1 - serial) * parallel
    weights[1] += serial
    return SizeDistribution(weights / weights.sum(), label)


def first_probability(sizes: NDArray, slope: float, intercept: float) -> NDArray[np.float64]:
    """Return the probability that the run time of a job of this size is of the first gamma."""
    return np.clip(slope * sizes + intercept, 0.0, 1.0)


def _below(shape: float, scale: float, top: float) -> tuple[float, float]:
    """Return P(g <= top) and E[exp(g); g <= top] of a gamma distribution; its scale is below 1."""
    from scipy import stats

    tilted = stats.gamma(shape, scale=scale / (1 - scale)).cdf(top)
    return stats.gamma(shape, scale=scale).cdf(top), tilted * (1 - scale) ** -shape


def cut_gamma(
    rng: np.random.Generator, shapes: ArrayLike, scales: ArrayLike, kind: NDArray, top: float
) -> NDArray[np.float64]:
    """Draw from gamma distributions that are cut at `top`, each of the shape of its kind."""
    from scipy import stats

    shape, scale = (np.array(each)[kind.astype(int)] for each in (shapes, scales))
    gamma = stats.gamma(shape, scale=scale)
    return gamma.ppf(rng.random(len(kind)) * gamma.cdf(top))
