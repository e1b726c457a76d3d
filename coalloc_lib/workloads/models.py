"""Synthetic job streams: sizes, service times and arrivals drawn from distributions."""

from dataclasses import dataclass, field, replace

import numpy as np

from coalloc_lib.checks import InputError, one_of, whole
from coalloc_lib.distributions import Exponential, PoissonArrivals, SizeDistribution
from coalloc_lib.jobs import REQUESTS, JobStream, split_smallest
from coalloc_lib.seeds import generators


@dataclass(frozen=True)
class JobModel:
    """Jobs of several components, each drawn from one size distribution.

    Parameters
    ----------
    sizes : SizeDistribution
        Of one component.
    components : int
        Components of each job; for `split_at` and for total and flexible requests, the number of
        draws whose sum is the job's total.
    request : str
        One of `coalloc_lib.jobs.REQUESTS`.
    service : distribution
        Run times, independent of the sizes.
    split_at : int, optional
        Dependent components: the total is split into the smallest number of components, equal
        up to one, that are no larger than this (the size of a cluster).

    Notes
    -----
    Sizes, service times and arrivals come from three generators of their own. With the same seed
    two models that differ in one of them share the draws of the others: common random numbers.
    """

    sizes: SizeDistribution
    components: int = 1
    request: str = "unordered"
    service: object = field(default_factory=Exponential)
    split_at: int | None = None

    def __post_init__(self):
        """Check the arguments."""
        whole("components", self.components)
        one_of("request", self.request, REQUESTS)
        if not isinstance(self.sizes, SizeDistribution):
            raise InputError(
                f"sizes = {self.sizes!r}; give a SizeDistribution, such as uniform(1, 4)"
            )
        if self.split_at is not None:
            whole("split_at", self.split_at)
            if self.request != "unordered":
                raise InputError(f"request = {self.request!r}; split_at makes unordered requests")

    def with_(self, **changes):
        """Return the model with these fields changed."""
        return replace(self, **changes)

    @property
    def mean_processors(self):
        """Mean processors of a job."""
        return self.components * self.sizes.mean

    @property
    def mean_work(self):
        """Mean processor-time of a job."""
        return self.mean_processors * self.service.mean

    def rate(self, system, load):
        """Return the arrival rate, in jobs a unit of time, that offers `load` to `system`."""
        return load * system.processors / self.mean_work

    def sample(self, count, seed, rate=None):
        """Draw a stream of `count` jobs.

        Parameters
        ----------
        count : int
        seed : int or SeedSequence
        rate : float, optional
            Arrival rate of the Poisson process; all jobs come at 0 where it is not given.
        """
        for_sizes, for_service, for_arrivals = generators(seed, 3)
        components = self.sizes.sample(for_sizes, (whole("count", count), self.components))
        if self.split_at is not None:
            components = split_smallest(components.sum(axis=1), self.split_at)
        runtime = self.service.sample(for_service, count)
        submit = np.zeros(count)
        if rate is not None:
            submit = PoissonArrivals(rate).sample(for_arrivals, count)
        return JobStream(submit, runtime, components, request=self.request)


@dataclass(frozen=True, eq=False)
class ResampledJobs:
    """Jobs drawn from a stream with replacement: its pairs of size and run time, not its order.

    Parameters
    ----------
    jobs : JobStream
        For example a log's.
    """

    jobs: JobStream

    def sample(self, count, seed):
        """Draw a stream of `count` jobs that all come at 0."""
        (rng,) = generators(seed, 1)
        drawn = self.jobs[rng.integers(len(self.jobs), size=whole("count", count))]
        return drawn.replace(submit=np.zeros(count))
