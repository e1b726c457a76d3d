"""Sources of job streams: logs, catalogues of logs, and random models.

The class `JobStream` itself is defined in `model.jobs`. Begin with `models` for random jobs, and
with `swf` for logs.
"""

from typing import Protocol, runtime_checkable

import lazy_loader as _lazy

from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream


@runtime_checkable
class Workload(Protocol):
    """A source of jobs for a simulation: a random model, a log, or an existing job stream."""

    @property
    def mean_work(self) -> float:
        """The mean work of a job (processors times run time), without any span penalty.

        The offered load on P processors is L if jobs arrive at the rate ``L * P / mean_work``.
        """

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return `count` jobs, in order of submission.

        Parameters
        ----------
        count : int
            The number of jobs. A log that has fewer jobs raises an `InputError`.
        seed : int or SeedSequence
            The seed of the random numbers. The same seed gives the same jobs at every rate. A log
            ignores the seed.
        rate : float, optional
            The mean number of arrivals per unit of time. The submission times of a log are scaled
            to exactly this rate. By default, the arrivals of the log or of the model are used;
            in a model without arrivals, all jobs are submitted at time 0.
        """


# This call makes these modules available after ``import coalloc_lib.workloads``.
__getattr__, __dir__, __all__ = _lazy.attach(
    __name__, submodules=["catalogue", "models", "sites", "swf"]
)
__all__ = [*__all__, "Workload"]
