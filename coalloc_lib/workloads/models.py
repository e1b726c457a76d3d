"""Synthetic job streams, whose sizes, run times and arrivals are sampled from distributions."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, instance_of, not_negative, one_of, shown, whole
from coalloc_lib.basics.seeds import Seed, generators, spawn
from coalloc_lib.model.distributions import (
    Distribution,
    Exponential,
    PoissonArrivals,
    SizeDistribution,
)
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.merging import merge
from coalloc_lib.model.splitting import ROUNDINGS, split_smallest

#: The names of the random streams of `JobModel`, `Mixture` and `SplitJobs`. The generator of a
#: stream depends on the position of its name in this list, so a different order would change the
#: sampled jobs.
STREAMS = ("sizes", "service", "arrivals", "kinds", "penalty", "kept whole")


def _generator(seed: Seed, stream: str) -> np.random.Generator:
    return np.random.default_rng(spawn(seed, len(STREAMS))[STREAMS.index(stream)])


@dataclass(frozen=True)
class JobModel:
    """A random model in which every job has the same number of components, with random sizes.

    Parameters
    ----------
    sizes : SizeDistribution
        The sizes of the components, in processors.
    components : int
        The number of sizes that are sampled for each job. With total and flexible requests, and
        with `split_at`, only their sum matters.
    request : {"ordered", "unordered", "flexible", "total"}
        The request type of the jobs.
    service : distribution
        The run times, which are independent of the sizes. By default they are exponential with
        mean 1.
    split_at : int, optional
        The sizes of each job are added up, and their sum is split into the smallest number of
        components that are at most this large. The components differ by at most 1. A natural value
        is the size of a cluster.
    merged_into : int, optional
        The sizes of each job are added up in groups of neighbours, and this is the number of
        groups, which become its components.
    span_penalty : float
        The fraction by which spanning lengthens a run time.
    estimate : float
        The estimate of each job divided by its run time, at least 1.

    Raises
    ------
    InputError
        An argument is not valid, or two arguments contradict each other.

    Notes
    -----
    Sizes, run times and arrivals have separate random numbers. So two models that differ in only
    one of these give the same values of the others with the same seed.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> model = JobModel(uniform(1, 4), components=2)
    >>> model.mean_processors
    5.0
    >>> model.sample(3, seed=1, rate=0.5).components.shape
    (3, 2)
    """

    sizes: SizeDistribution
    components: int = 1
    request: str = "unordered"
    service: Distribution = field(default_factory=Exponential)
    split_at: int | None = None
    merged_into: int | None = None
    span_penalty: float = 0.0
    estimate: float = 1.0

    def __post_init__(self) -> None:
        not_negative("span_penalty", self.span_penalty)
        checks.finite("estimate", self.estimate, 1, " of 1 or more, times the run time")
        components = checks.at_most("components", whole("components", self.components), 10**6)
        object.__setattr__(self, "components", components)
        one_of("request", self.request, REQUESTS)
        instance_of("sizes", self.sizes, SizeDistribution, "uniform(1, 4), for example")
        if not all(hasattr(self.service, name) for name in ("mean", "cv", "sample")):
            raise InputError(
                f"service = {self.service!r}; give a distribution of times, such as Exponential(1)"
            )
        self._check_shape()

    def _check_shape(self) -> None:
        if self.split_at is not None:
            object.__setattr__(self, "split_at", whole("split_at", self.split_at))
            if self.request != "unordered":
                raise InputError(
                    f"request = {self.request!r} is not possible with split_at; give "
                    "request='unordered', or omit split_at"
                )
            if self.merged_into is not None:
                raise InputError("split_at and merged_into are both given; give only one of them")
        if self.merged_into is not None:
            object.__setattr__(self, "merged_into", whole("merged_into", self.merged_into))
            if self.components % self.merged_into:
                raise InputError(
                    f"merged_into = {self.merged_into}; give a divisor of the number of "
                    f"components, {self.components}"
                )

    def with_(self, **changes: Any) -> "JobModel":
        """Return a copy of the model with new values of the given fields."""
        return replace(self, **changes)

    def __str__(self) -> str:
        split = f", split at {self.split_at}" if self.split_at else ""
        merged = f", merged into {self.merged_into}" if self.merged_into else ""
        sizes = f"{self.components} × {self.sizes}{split}{merged}"
        penalty = f", penalty {self.span_penalty}" if self.span_penalty else ""
        asked = f", estimates × {self.estimate:g}" if self.estimate != 1 else ""
        return f"{sizes}, {self.request}, {self.service}{penalty}{asked}"

    @property
    def mean_processors(self) -> float:
        """The mean number of processors of a job."""
        return self.components * self.sizes.mean

    @property
    def mean_work(self) -> float:
        """The mean work of a job (processors times run time), without any span penalty."""
        return self.mean_processors * self.service.mean

    def largest(self) -> JobStream:
        """Return a stream with the largest jobs that the model can produce.

        If no job of this stream needs more processors than there are, all jobs of the model can be
        placed. Without `split_at`, the stream has one job. With `split_at`, a smaller job can have
        a larger component: if the jobs are split at 20 processors, a job of 20 has a component of
        20, and a job of 32 has two components of 16. The stream then has the largest job for each
        number of components.
        """
        if self.split_at is None:
            components = self._shaped(np.full((1, self.components), self.sizes.maximum))
        else:
            components = split_smallest(self._largest_totals(self.split_at), self.split_at)
        none = np.zeros(len(components))
        return JobStream(none, none, components, request=self.request)

    def _largest_totals(self, split_at: int) -> NDArray[np.int64]:
        is_size = self.sizes.probabilities > 0
        is_total = np.ones(1, dtype=bool)
        for _ in range(self.components):
            is_total = np.convolve(is_total, is_size)
        totals = np.flatnonzero(is_total)
        parts = -(-totals // split_at)
        return totals[np.append(parts[1:] > parts[:-1], True)][::-1]

    def _shaped(self, sizes: NDArray) -> NDArray:
        if self.split_at is not None:
            return split_smallest(sizes.sum(axis=1), self.split_at)
        parts = self.merged_into or self.components
        return sizes.reshape(len(sizes), parts, -1).sum(axis=2)

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample `count` jobs, with Poisson arrivals at the given rate.

        See `coalloc_lib.workloads.Workload.sample` for the arguments.
        """
        count = whole("count", count)
        components = self.sizes.sample(_generator(seed, "sizes"), (count, self.components))
        runtime = self.service.sample(_generator(seed, "service"), count)
        submit = _arrivals(rate, _generator(seed, "arrivals"), count)
        estimate = None if self.estimate == 1 else self.estimate * runtime
        columns = submit, runtime, self._shaped(components), estimate
        return JobStream(*columns, request=self.request, span_penalty=self.span_penalty)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of job models: each job is sampled from one model, which is chosen at random.

    With the same seed, a job that comes from a model is identical to the job at the same position
    in a stream of that model alone.

    Parameters
    ----------
    parts : dict of JobModel to float
        The probability of each model. The probabilities are positive and sum to 1. All models have
        the same request type and the same distribution of run times.
    """

    parts: dict[JobModel, float]

    def __post_init__(self) -> None:
        if not isinstance(self.parts, dict) or not all(isinstance(p, JobModel) for p in self.parts):
            raise InputError(
                f"parts = {shown(self.parts)}; give a dict from each JobModel to its probability"
            )
        shares = checks.numbers("parts", [*self.parts.values()])
        if not len(shares) or not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:
            raise InputError(
                f"parts has the probabilities {shares.tolist()}; give positive numbers that "
                "sum to 1"
            )
        if len({(part.request, part.service) for part in self.parts}) > 1:
            raise InputError(
                "the models in parts differ in request or service; give the same request and the "
                "same service to all models"
            )

    def __str__(self) -> str:
        return "; ".join(f"{share:.0%} {part}" for part, share in self.parts.items())

    @property
    def service(self) -> Distribution:
        """The distribution of run times, which is the same for all models of the mixture."""
        return next(iter(self.parts)).service

    @property
    def mean_work(self) -> float:
        """The mean work of a job (processors times run time), without any span penalty."""
        return sum(share * part.mean_work for part, share in self.parts.items())

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample `count` jobs, each from a randomly chosen model of the mixture.

        See `JobModel.sample` for the arguments.
        """
        count = whole("count", count)
        uniform = _generator(seed, "kinds").random(count)
        shares = np.cumsum(list(self.parts.values()))
        kind = np.searchsorted(shares[:-1], uniform, side="right")
        streams = [part.sample(count, seed, rate) for part in self.parts]
        components = np.zeros((count, max(s.components.shape[1] for s in streams)), dtype=np.int64)
        for number, stream in enumerate(streams):
            is_kind = kind == number
            components[is_kind, : stream.components.shape[1]] = stream.components[is_kind]
        # All models have the same seed and the same distribution of run times, so their streams
        # have the same submission times and run times.
        return streams[0].replace(
            components=components,
            span_penalty=np.array([part.span_penalty for part in self.parts])[kind],
            estimate=self._estimates(kind, streams[0].runtime),
        )

    def _estimates(self, kind: NDArray, runtime: NDArray) -> NDArray | None:
        ratio = np.array([part.estimate for part in self.parts])[kind]
        # A masked estimate means that the estimate of the job is exact.
        return None if (ratio == 1).all() else np.ma.masked_where(ratio == 1, ratio * runtime)


@dataclass(frozen=True)
class SplitJobs:
    """A random model that splits each job above a threshold size into several components.

    With the same seed and the same `model`, the jobs before splitting are the same, whatever the
    threshold, the number of components and the span penalty are.

    Parameters
    ----------
    model : JobModel
        The model of the whole jobs, which have one unordered component.
    above : int
        The threshold, in processors: larger jobs are split. With the largest size as the threshold,
        no job is split.
    parts : int
        The number of components into which a job is split.
    rounding : {"floor", "ceiling", "even"}
        The rule that rounds the sizes of components; see `coalloc_lib.model.splitting.split_into`.
    span_penalty : float or Distribution
        The fraction by which spanning lengthens the run time of a job: one number for all jobs, or
        a distribution from which one number per job is sampled.
    kept_whole : float
        The fraction of jobs that cannot be split. These jobs are chosen independently of their
        sizes.

    Raises
    ------
    InputError
        An argument is not valid.

    References
    ----------
    Ngubiri, van Vliet (2008), section 3.

    Examples
    --------
    >>> from coalloc_lib.model.distributions import uniform
    >>> jobs = SplitJobs(JobModel(uniform(1, 8)), above=4, parts=2)
    >>> jobs.sample(5, seed=1).components.shape
    (5, 2)
    """

    model: JobModel
    above: int
    parts: int = 4
    rounding: str = "floor"
    span_penalty: float | Distribution = 0.0
    kept_whole: float = 0.0

    def __post_init__(self) -> None:
        instance_of("model", self.model, JobModel, "JobModel(sizes)")
        plain = self.model.with_(components=1, merged_into=None, split_at=None, span_penalty=0.0)
        if plain != self.model or self.model.request != "unordered":
            raise InputError(
                f"model = {self.model}; give a model in which each job has a single component "
                "and an unordered request"
            )
        least, most = self.model.sizes.minimum - 1, self.model.sizes.maximum
        object.__setattr__(self, "above", whole("above", self.above, least=0))
        if not least <= self.above <= most:
            raise InputError(
                f"above = {self.above}, but the job sizes are {self.model.sizes}; give a "
                f"threshold from {least} (all jobs are split) to {most} (no job is split)"
            )
        parts = checks.at_most("parts", whole("parts", self.parts), 10**6)
        object.__setattr__(self, "parts", parts)
        one_of("rounding", self.rounding, ROUNDINGS)
        if not isinstance(self.span_penalty, Distribution):
            not_negative("span_penalty", self.span_penalty)
        if not_negative("kept_whole", self.kept_whole) > 1:
            raise InputError(f"kept_whole = {self.kept_whole}; give a fraction from 0 to 1")

    def with_(self, **changes: Any) -> "SplitJobs":
        """Return a copy of the workload with new values of the given fields."""
        return replace(self, **changes)

    def __str__(self) -> str:
        whole = f", {self.kept_whole:.0%} kept whole" if self.kept_whole else ""
        return (
            f"{self.model.sizes}, above {self.above} into {self.parts} ({self.rounding}), "
            f"penalty {self.span_penalty}{whole}, {self.model.service}"
        )

    @property
    def sizes(self) -> SizeDistribution:
        """The distribution of job sizes before the jobs are split."""
        return self.model.sizes

    @property
    def mean_work(self) -> float:
        """The mean work of a job (processors times run time), without any span penalty."""
        return self.model.mean_work

    def of_each_size(self) -> JobStream:
        """Return a stream with one job of each size, to test whether all sizes can be placed.

        Large jobs are split. If some jobs are kept whole, the stream also has a whole job of each
        size. It is not enough to check the largest job, because the largest component also depends
        on rounding: if 7 processors are split into 4 components and rounded down, one component
        has 4 processors.
        """
        sizes = self.sizes.sizes
        whole = JobStream(np.zeros(len(sizes)), np.zeros(len(sizes)), sizes)
        split = self._split(whole)
        return merge(split, whole) if self.kept_whole else split

    def _split(self, jobs: JobStream) -> JobStream:
        return jobs.split(into=self.parts, above=self.above, rounding=self.rounding)

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample `count` jobs, and split the jobs that are larger than the threshold.

        See `JobModel.sample` for the arguments.
        """
        count = whole("count", count)
        jobs = self.model.sample(count, seed, rate)
        components = self._split(jobs).components.copy()
        if self.kept_whole:
            kept = _generator(seed, "kept whole").random(count) < self.kept_whole
            components[kept] = 0
            components[kept, 0] = jobs.processors[kept]
        penalty: Any = self.span_penalty
        if isinstance(penalty, Distribution):
            penalty = penalty.sample(_generator(seed, "penalty"), count)
        return jobs.replace(components=components, span_penalty=penalty)


@dataclass(frozen=True, eq=False)
class ResampledJobs:
    """A workload whose jobs are sampled with replacement from a given job stream.

    Each sampled job keeps its size and its run time.

    Parameters
    ----------
    jobs : JobStream
        The stream. Its arrivals are not used.
    """

    jobs: JobStream

    def __str__(self) -> str:
        return f"sampled from {self.jobs!r}"

    @property
    def mean_work(self) -> float:
        """The mean work of a job (processors times run time), without any span penalty."""
        return self.jobs.mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample `count` jobs with replacement from the given job stream.

        See `JobModel.sample` for the arguments.
        """
        count = whole("count", count)
        for_jobs, for_arrivals = generators(seed, 2)
        sampled = self.jobs[for_jobs.integers(len(self.jobs), size=count)]
        # The sampled jobs get new job numbers, because one job of the stream can be sampled twice.
        return sampled.replace(submit=_arrivals(rate, for_arrivals, count), number=None)


def _arrivals(rate: float | None, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    return np.zeros(count) if rate is None else PoissonArrivals(rate).sample(rng, count)
