"""The workload model of Lublin and Feitelson, adapted to the log of one machine.

`fit_model.py` finds its parameters, `make_traces.py` draws the stand-ins from it.

References
----------
Lublin, Feitelson: The workload on parallel supercomputers: modeling the characteristics of
rigid jobs. Journal of Parallel and Distributed Computing 63(11), 2003.
Tsafrir, Etsion, Feitelson: Modeling user runtime estimates. JSSPP 2005.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, finite, numbers, positive, shown, whole
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.jobs import JobStream

DAY, HALF_HOURS = 86_400, 48


@dataclass(frozen=True)
class AdaptedLublin:
    """Lublin and Feitelson's model, adapted: a `Workload`; times are in seconds.

    Parameters
    ----------
    name : str
        The machine.
    processors : int
        No job is larger.
    serial : float
        Probability of size 1.
    power_of_two : float
        Probability that the size of a parallel job is rounded to a power of two.
    log_low, log_medium, log_high : float
        Corners of the two-stage uniform distribution of log2(size) of parallel jobs.
    low_stage : float
        Probability of the first stage, [log_low, log_medium].
    runtime_shape, runtime_scale : tuple of two floats
        Shapes and scales of the two gamma distributions of ln(1 + run time).
    mixing_slope, mixing_intercept : float
        The first of them has probability slope · size + intercept, kept within [0, 1].
    longest : float
        No run time is longer; both gamma distributions are cut there.
    gap_shape, gap_mean : float
        Shape and mean of the gamma distribution of the times between arrivals, measured on a
        clock that runs as fast as jobs arrive.
    daily_cycle : tuple of 48 floats
        Rate of arrival in each half hour of the day over the mean rate.
    start : float
        Seconds from midnight to instant 0.
    requested : tuple of (float, float)
        Requested times that users choose, increasing, each with its share.

    Notes
    -----
    Unlike in the published model, arrivals are gamma-distributed on the clock of the daily cycle,
    rather than on a logarithmic scale within the rush hours; interactive and batch jobs are one
    class; the run time is cut at `longest`; sessions, weekdays and failed jobs are not modelled.

    Requested times are an addition. A job requests one of the values in `requested`, by their
    shares among those that are no shorter than its run time (the run time itself if all are
    shorter): users choose few, round values, most of them far too long, and a machine kills what
    exceeds them.
    """

    name: str
    processors: int
    serial: float
    power_of_two: float
    log_low: float
    log_medium: float
    log_high: float
    low_stage: float
    runtime_shape: tuple[float, float]
    runtime_scale: tuple[float, float]
    mixing_slope: float
    mixing_intercept: float
    longest: float
    gap_shape: float
    gap_mean: float
    daily_cycle: tuple[float, ...] = (1.0,) * HALF_HOURS
    start: float = 0.0
    requested: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        """Check every parameter; make tuples of lists."""
        whole("processors", self.processors)
        for name in ("longest", "gap_shape", "gap_mean"):
            positive(name, getattr(self, name))
        for name in ("mixing_slope", "mixing_intercept", "start"):
            finite(name, getattr(self, name))
        for name in ("serial", "power_of_two", "low_stage"):
            if not 0 <= finite(name, getattr(self, name)) <= 1:
                raise InputError(f"{name} = {getattr(self, name)}; give a number from 0 to 1")
        names = ("log_low", "log_medium", "log_high")
        low, medium, high = (finite(name, getattr(self, name)) for name in names)
        if not 0.5 <= low < medium < high:
            raise InputError(
                f"{', '.join(names)} = {low}, {medium}, {high}; give three increasing numbers of "
                "0.5 or more"
            )
        for name, length in (("runtime_shape", 2), ("runtime_scale", 2), ("daily_cycle", 48)):
            values = numbers(name, getattr(self, name))
            if values.shape != (length,):
                raise InputError(f"{name} has {values.size} values; give {length}")
            checked = (positive(f"{name}[{i}]", v) for i, v in enumerate(getattr(self, name)))
            object.__setattr__(self, name, tuple(checked))
        object.__setattr__(self, "requested", _shares(self.requested))

    @property
    def sizes(self) -> SizeDistribution:
        """The distribution of the number of processors of a job."""
        corners = (self.log_low, self.log_medium, self.log_high)
        parallel = parallel_sizes(
            self.processors, self.power_of_two, *corners, low_stage=self.low_stage
        )
        return with_serial(self.serial, parallel, f"{self.name} model")

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, in seconds; exact but for the rounding to whole seconds."""
        from scipy import integrate, stats

        weights = self.sizes.probabilities
        sizes = np.flatnonzero(weights)
        top = np.log1p(self.longest)
        means = []
        for shape, scale in zip(self.runtime_shape, self.runtime_scale, strict=True):
            below = stats.gamma(shape, scale=scale).cdf
            # E[max(T, 1)] = 1 + the integral of P(T > t) from 1 on, over x = ln(1 + t).
            rest = integrate.quad(
                lambda x, below=below: (1 - below(x) / below(top)) * np.exp(x),
                np.log(2),
                max(top, np.log(2)),
                limit=200,
            )
            means.append(1 + rest[0])
        first = first_probability(sizes, self.mixing_slope, self.mixing_intercept)
        return float((weights[sizes] * sizes) @ (first * means[0] + (1 - first) * means[1]))

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` jobs of a random workload; see `Workload.sample`.

        They are total requests in whole seconds, with run times of at least one. With a `rate`
        all times between arrivals, and with them the daily cycle, are stretched alike; without
        one it is ``1 / gap_mean``.
        """
        count = whole("count", count)
        if not isinstance(seed, np.random.SeedSequence):
            seed = whole("seed", seed, least=0)
        rng = np.random.default_rng(seed)
        sizes = self.sizes.sample(rng, count)
        is_second = rng.random(count) >= first_probability(
            sizes, self.mixing_slope, self.mixing_intercept
        )
        logs = cut_gamma(
            rng, self.runtime_shape, self.runtime_scale, is_second, np.log1p(self.longest)
        )
        runtime = np.clip(np.round(np.expm1(logs)), 1.0, max(np.floor(self.longest), 1.0))
        gaps = rng.gamma(self.gap_shape, self.gap_mean / self.gap_shape, count)
        first = to_cycle_clock(np.array([self.start]), self.daily_cycle)
        clock = first + np.cumsum(gaps) - gaps[0]
        submit = np.maximum(to_cycle_clock(clock, self.daily_cycle, back=True) - self.start, 0.0)
        if rate is None:
            submit = np.floor(submit)
        else:
            submit = submit / (positive("rate", rate) * self.gap_mean)
        estimate = self._requested_times(runtime, rng)
        return JobStream(submit, runtime, sizes, estimate=estimate, request="total")

    def _requested_times(self, runtime: NDArray, rng: np.random.Generator) -> NDArray:
        draws = rng.random(len(runtime))
        if not self.requested:
            return runtime
        values, shares = np.array(self.requested).T
        below = np.concatenate([[0.0], np.cumsum(shares)])
        # Of the values that are long enough: the draw falls between the share of those that are
        # too short and the whole.
        too_short = below[np.searchsorted(values, runtime, side="left")]
        position = np.searchsorted(below, too_short + draws * (below[-1] - too_short), "right") - 1
        chosen = values[np.minimum(position, len(values) - 1)]
        return np.maximum(chosen, runtime)

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, parameters: Mapping[str, Any]) -> "AdaptedLublin":
        """Return the model of a `to_dict`; an `InputError` names what is missing or unknown."""
        try:
            return cls(**parameters)
        except TypeError as error:
            raise InputError(f"parameters = {shown(parameters)}; {error}") from None


def _shares(pairs: Any) -> tuple[tuple[float, float], ...]:
    """Return the requested times and their shares, checked."""
    table = numbers("requested", pairs)
    if table.size and (table.ndim != 2 or table.shape[1] != 2):
        raise InputError(f"requested = {shown(pairs)}; give pairs of a time and its share")
    clean = tuple((positive("requested", v), positive("share", s)) for v, s in pairs)
    if any(a[0] >= b[0] for a, b in pairwise(clean)):
        raise InputError("requested is not increasing; sort its values and give each once")
    return clean


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


def cut_gamma(
    rng: np.random.Generator, shapes: ArrayLike, scales: ArrayLike, kind: NDArray, top: float
) -> NDArray[np.float64]:
    """Draw from gamma distributions that are cut at `top`, each of the shape of its kind."""
    from scipy import stats

    shape, scale = (np.array(each)[kind.astype(int)] for each in (shapes, scales))
    gamma = stats.gamma(shape, scale=scale)
    return gamma.ppf(rng.random(len(kind)) * gamma.cdf(top))
