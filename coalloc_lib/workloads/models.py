"""Synthetic job streams: sizes, service times and arrivals sampled from distributions."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, instance_of, not_negative, one_of, shown, whole
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.distributions import (
    Distribution,
    Exponential,
    PoissonArrivals,
    SizeDistribution,
)
from coalloc_lib.model.jobs import REQUESTS, JobStream, merge
from coalloc_lib.model.splitting import ROUNDINGS, split_smallest


@dataclass(frozen=True)
class JobModel:
    """Jobs of several components, each sampled from one size distribution.

    Parameters
    ----------
    sizes : SizeDistribution
        Of one component.
    components : int
        Components of each job; for `split_at` and for total and flexible requests, the draws
        whose sum is the job's total.
    request : str
        One of `coalloc_lib.model.jobs.REQUESTS`.
    service : distribution
        Run times, independent of the sizes.
    split_at : int, optional
        Dependent components: the total is split into the fewest, equal up to one, that are no
        larger than this (the size of a cluster).
    merged_into : int, optional
        Neighbouring sizes are added up into this many components.
    span_penalty, estimate : float
        The share that spanning adds to a run time; how many run times users ask for, 1 or more.

    Notes
    -----
    With the same seed, models that differ in one part share the samples of the others.
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
        checks.in_memory("components", whole("components", self.components), 10**6)
        one_of("request", self.request, REQUESTS)
        instance_of("sizes", self.sizes, SizeDistribution, "uniform(1, 4), for example")
        if not all(hasattr(self.service, name) for name in ("mean", "cv", "sample")):
            raise InputError(
                f"service = {self.service!r}; give a distribution of times, such as Exponential(1)"
            )
        if self.split_at is not None:
            whole("split_at", self.split_at)
            if self.request != "unordered":
                raise InputError(f"request = {self.request!r}; split_at makes unordered requests")
            if self.merged_into is not None:
                raise InputError("split_at and merged_into are both given; give one")
        parts = 1 if self.merged_into is None else whole("merged_into", self.merged_into)
        if self.components % parts:
            raise InputError(
                f"merged_into = {parts}; give a divisor of {self.components}, the draws"
            )

    def with_(self, **changes: Any) -> "JobModel":
        """Return the model with these fields changed."""
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
        """Mean processors of a job."""
        return self.components * self.sizes.mean

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job."""
        return self.mean_processors * self.service.mean

    def largest(self) -> JobStream:
        """Return a stream of one job, the largest that can be sampled."""
        components = np.full((1, self.components), self.sizes.maximum)
        return JobStream([0], [0], self._shaped(components), request=self.request)

    def _shaped(self, components: NDArray) -> NDArray:
        """Split or merge the sampled sizes as the model says."""
        if self.split_at is not None:
            return split_smallest(components.sum(axis=1), self.split_at)
        parts = self.merged_into or self.components
        return components.reshape(len(components), parts, -1).sum(axis=2)

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample a stream; `rate` is that of a Poisson process. See `Workload.sample`."""
        for_sizes, for_service, for_arrivals = generators(seed, 3)
        components = self.sizes.sample(for_sizes, (whole("count", count), self.components))
        runtime = self.service.sample(for_service, count)
        submit = _arrivals(rate, for_arrivals, count)
        estimate = None if self.estimate == 1 else self.estimate * runtime
        columns = submit, runtime, self._shaped(components), estimate
        return JobStream(*columns, request=self.request, span_penalty=self.span_penalty)


@dataclass(frozen=True, eq=False)
class Mixture:
    """Jobs of several models, each job of one of them.

    `parts` holds the share of each model. All have one request type and one service-time
    distribution. With the same seed the jobs of a kind are the same as of that model alone.
    """

    parts: dict[JobModel, float]

    def __post_init__(self) -> None:
        if not isinstance(self.parts, dict) or not all(isinstance(p, JobModel) for p in self.parts):
            raise InputError(f"parts = {shown(self.parts)}; give a dict of JobModel to share")
        shares = np.array(list(self.parts.values()), dtype=float)
        if not len(shares) or not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:
            raise InputError(f"shares {shares.tolist()}; give positive ones that sum to 1")
        if len({(part.request, part.service) for part in self.parts}) > 1:
            raise InputError("parts differ in request or service; give one of each")

    def __str__(self) -> str:
        return "; ".join(f"{share:.0%} {part}" for part, share in self.parts.items())

    @property
    def service(self) -> Distribution:
        """The service-time distribution of all parts."""
        return next(iter(self.parts)).service

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job."""
        return sum(share * part.mean_work for part, share in self.parts.items())

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample a stream; see `JobModel.sample`."""
        *_, for_kinds = generators(seed, 4)
        shares = np.cumsum(list(self.parts.values()))
        kind = np.searchsorted(shares[:-1], for_kinds.random(whole("count", count)), side="right")
        streams = [part.sample(count, seed, rate) for part in self.parts]
        components = np.zeros((count, max(s.components.shape[1] for s in streams)), dtype=np.int64)
        for number, stream in enumerate(streams):
            of_part = kind == number
            components[of_part, : stream.components.shape[1]] = stream.components[of_part]
        return streams[0].replace(components=components)


@dataclass(frozen=True)
class SplitJobs:
    """Jobs of which those above a size are split into components, and pay where these span.

    With the same seed all streams of one `model` have the same jobs, however they are split and
    whatever they pay: Ngubiri, van Vliet (2008), section 3.

    Parameters
    ----------
    model : JobModel
        The jobs whole: of one component each, unordered.
    above : int
        Larger jobs are split. The largest size splits none.
    parts : int
        Components of a job that is split.
    rounding : {"floor", "ceiling", "even"}
        That of `coalloc_lib.model.splitting.split_into`.
    span_penalty : float or Distribution
        The share that spanning adds to a job's run time: of all jobs, or sampled for each.
    kept_whole : float
        Share of the jobs, sampled whatever their size, that cannot be split.
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
            raise InputError(f"model = {self.model}; give jobs of one unordered component")
        least, most = self.model.sizes.minimum - 1, self.model.sizes.maximum
        if not least <= whole("above", self.above, least=0) <= most:
            raise InputError(
                f"above = {self.above}; sizes are {self.model.sizes}, give a threshold from "
                f"{least}, where all jobs are split, to {most}, where none is"
            )
        checks.in_memory("parts", whole("parts", self.parts), 10**6)
        one_of("rounding", self.rounding, ROUNDINGS)
        if not isinstance(self.span_penalty, Distribution):
            not_negative("span_penalty", self.span_penalty)
        if not_negative("kept_whole", self.kept_whole) > 1:
            raise InputError(f"kept_whole = {self.kept_whole}; give a share from 0 to 1")

    def with_(self, **changes: Any) -> "SplitJobs":
        """Return the workload with these fields changed."""
        return replace(self, **changes)

    def __str__(self) -> str:
        whole = f", {self.kept_whole:.0%} kept whole" if self.kept_whole else ""
        return (
            f"{self.model.sizes}, above {self.above} into {self.parts} ({self.rounding}), "
            f"penalty {self.span_penalty}{whole}, {self.model.service}"
        )

    @property
    def sizes(self) -> SizeDistribution:
        """Sizes of the whole jobs."""
        return self.model.sizes

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, without the penalty."""
        return self.model.mean_work

    def of_each_size(self) -> JobStream:
        """Return a stream with a job of each size, split and, where some are kept so, whole.

        The largest need not be the hardest to place: of 7 in 4 components, rounded down, one has 4.
        """
        sizes = self.sizes.sizes
        whole = JobStream(np.zeros(len(sizes)), np.zeros(len(sizes)), sizes)
        split = self._split(whole)
        return merge(split, whole) if self.kept_whole else split

    def _split(self, jobs: JobStream) -> JobStream:
        return jobs.split(into=self.parts, above=self.above, rounding=self.rounding)

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample a stream; see `JobModel.sample`."""
        # The first three are the model's, the fourth is a mixture's.
        *_, for_penalty, for_kept = generators(seed, 6)
        jobs = self.model.sample(count, seed, rate)
        components = self._split(jobs).components.copy()
        if self.kept_whole:
            kept = for_kept.random(count) < self.kept_whole
            components[kept] = 0
            components[kept, 0] = jobs.processors[kept]
        given = self.span_penalty
        penalty = given.sample(for_penalty, count) if isinstance(given, Distribution) else given
        return jobs.replace(components=components, span_penalty=penalty)


@dataclass(frozen=True, eq=False)
class ResampledJobs:
    """Jobs sampled with replacement from a stream: pairs of size and run time, in random order."""

    jobs: JobStream

    def __str__(self) -> str:
        return f"drawn from {self.jobs!r}"

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job."""
        return self.jobs.mean_work

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample a stream; see `JobModel.sample`."""
        for_jobs, for_arrivals = generators(seed, 2)
        sampled = self.jobs[for_jobs.integers(len(self.jobs), size=whole("count", count))]
        # A job may be sampled twice, and its number would not tell which.
        return sampled.replace(submit=_arrivals(rate, for_arrivals, count), number=None)


def _arrivals(rate: float | None, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Return the instants of a Poisson process, or zeros where no rate is given."""
    return np.zeros(count) if rate is None else PoissonArrivals(rate).sample(rng, count)
