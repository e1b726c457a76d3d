"""Sources of job streams: logs, catalogues of logs, and random models.

Nothing here simulates; what a stream is stands in `model.jobs`. Begin with `models` for random
jobs, and with `swf` for logs.
"""

from typing import Protocol, runtime_checkable

from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream


@runtime_checkable
class Workload(Protocol):
    """Whatever job streams can be sampled from: a model, a log, a stream itself."""

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, without a span penalty.

        An offered load of L on P processors is the rate ``L * P / mean_work``.
        """

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return a stream of `count` jobs, in order of submission.

        A log has no more jobs than it has, and says so. The same seed gives the same jobs, whatever
        the rate; it changes nothing in a log. The `rate` is that of arrivals in a unit of time: the
        mean of a random workload, and exact for a log. By default it is that of the log or the
        model; where a model has no arrivals of its own, all come at 0.
        """
