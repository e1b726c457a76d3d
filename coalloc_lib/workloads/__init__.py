"""Sources of job streams: logs, catalogues of logs, and random models.

The class `JobStream` itself is defined in `model.jobs`. Begin with `models` for random jobs, and
with `swf` for logs.
"""

from typing import Protocol, runtime_checkable

from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream


@runtime_checkable
class Workload(Protocol):
    """A source of jobs for a simulation: a random model of jobs, a log, or a stream of jobs."""

    @property
    def mean_work(self) -> float:
        """The mean work of a job: its processors times its run time, without a span penalty.

        The offered load on P processors is L if jobs arrive at the rate ``L * P / mean_work``.
        """

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return a given number of jobs, in order of submission.

        Parameters
        ----------
        count : int
            The number of jobs. A log raises an `InputError` if it has fewer jobs.
        seed : int or SeedSequence
            The seed of the random numbers. The same seed gives the same jobs at every rate. The
            jobs of a log do not depend on it.
        rate : float, optional
            The mean number of arrivals per unit of time. A log is scaled to have exactly this rate.
            By default the arrivals are those of the log or of the model. If a model has no
            arrivals, all jobs are submitted at 0.
        """
