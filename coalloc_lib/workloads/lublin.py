"""A model of the workload of one parallel machine, adapted from that of Lublin and Feitelson.

Sizes, run times, arrivals and requested times are drawn from a few parameters; those of two public
logs are in ``data/traces``. `AdaptedLublin` says how it differs from the published model.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, numbers, positive, shown, whole
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.jobs import JobStream
from coalloc_lib.seeds import Seed

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
    This is not the model as it was published: arrivals are gamma-distributed on the clock of the
    daily cycle, rather than gamma-distributed on a logarithmic scale within the rush hours;
    interactive and batch jobs are one class; the run time is cut at `longest`; sessions of a user,
    weekdays and failed jobs are not modelled.

    Requested times are not part of the original. A job requests one of the values in
    `requested`, by their shares among those that are no shorter than its run time (the run time
    itself if all are shorter): users choose few, round values, most of them far too long, and a
    machine kills what exceeds them.

    References
    ----------
    Lublin, Feitelson: The workload on parallel supercomputers: modeling the characteristics of
    rigid jobs. Journal of Parallel and Distributed Computing 63(11), 2003.
    Tsafrir, Etsion, Feitelson: Modeling user runtime estimates. JSSPP 2005.
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
            _finite(name, getattr(self, name))
        for name in ("serial", "power_of_two", "low_stage"):
            if not 0 <= _finite(name, getattr(self, name)) <= 1:
                raise InputError(f"{name} = {getattr(self, name)}; give a number from 0 to 1")
        names = ("log_low", "log_medium", "log_high")
        low, medium, high = (_finite(name, getattr(self, name)) for name in names)
        if not 0.5 <= low < medium < high:
            raise InputError(
                f"{', '.join(names)} = {low}, {medium}, {high}; give three increasing numbers of "
                "0.5 or more"
            )
        for name, length in (("runtime_shape", 2), ("runtime_scale", 2), ("daily_cycle", 48)):
            object.__setattr__(self, name, _positives(name, getattr(self, name), length))
        object.__setattr__(self, "requested", _shares(self.requested))

    @property
    def sizes(self) -> SizeDistribution:
        """The distribution of the number of processors of a job, a `SizeDistribution`."""
        corners = (self.log_low, self.log_medium, self.log_high)
        parallel = parallel_sizes(
            self.processors, self.power_of_two, *corners, low_stage=self.low_stage
        )
        weights = (1 - self.serial) * parallel
        weights[1] += self.serial
        return SizeDistribution(weights / weights.sum(), f"{self.name} model")

    def short_probability(self, sizes: ArrayLike) -> NDArray[np.float64]:
        """Return the probability that a job of this size draws from the first gamma."""
        linear = self.mixing_slope * numbers("sizes", sizes) + self.mixing_intercept
        return np.clip(linear, 0.0, 1.0)

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
        short = self.short_probability(sizes)
        return float((weights[sizes] * sizes) @ (short * means[0] + (1 - short) * means[1]))

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
        runtime = self._runtimes(sizes, rng)
        submit = self._arrivals(count, rng)
        if rate is None:
            submit = np.floor(submit)
        else:
            submit = submit / (positive("rate", rate) * self.gap_mean)
        return JobStream(
            submit=submit,
            runtime=runtime,
            components=sizes,
            estimate=self._requested_times(runtime, rng),
            request="total",
        )

    def _runtimes(self, sizes: NDArray, rng: np.random.Generator) -> NDArray:
        from scipy import stats

        is_short = rng.random(len(sizes)) < self.short_probability(sizes)
        part = np.where(is_short, 0, 1)
        gamma = stats.gamma(
            np.array(self.runtime_shape)[part], scale=np.array(self.runtime_scale)[part]
        )
        logs = gamma.ppf(rng.random(len(sizes)) * gamma.cdf(np.log1p(self.longest)))
        return np.clip(np.round(np.expm1(logs)), 1.0, max(np.floor(self.longest), 1.0))

    def _arrivals(self, count: int, rng: np.random.Generator) -> NDArray:
        gaps = rng.gamma(self.gap_shape, self.gap_mean / self.gap_shape, count)
        cycle = np.array(self.daily_cycle)
        first = to_cycle_clock(np.array([self.start]), cycle)
        instants = to_cycle_clock(first + np.cumsum(gaps) - gaps[0], cycle, back=True)
        return np.maximum(instants - self.start, 0.0)

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


def _finite(name: str, value: Any) -> float:
    found = numbers(name, value)
    if found.ndim or not np.isfinite(found):
        raise InputError(f"{name} = {shown(value)}; give a finite number")
    return float(found)


def _positives(name: str, values: Any, length: int) -> tuple[float, ...]:
    found = numbers(name, values)
    if found.shape != (length,):
        raise InputError(f"{name} has {found.size} values; give {length}")
    return tuple(positive(f"{name}[{i}]", value) for i, value in enumerate(values))


def _shares(pairs: Any) -> tuple[tuple[float, float], ...]:
    found = numbers("requested", pairs)
    if found.size and (found.ndim != 2 or found.shape[1] != 2):
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
    """Return instants (seconds from a midnight) on the clock that runs with the daily cycle.

    With `back`, from that clock to instants.
    """
    days, clock = np.divmod(instants, DAY)
    even = np.linspace(0, DAY, HALF_HOURS + 1)
    corners = np.concatenate([[0.0], np.cumsum(cycle) / np.sum(cycle)]) * DAY
    return days * DAY + (
        np.interp(clock, corners, even) if back else np.interp(clock, even, corners)
    )
