"""Where job streams come from: logs, catalogues of logs, and models."""

from typing import Protocol, runtime_checkable

from coalloc_lib.jobs import JobStream


@runtime_checkable
class Workload(Protocol):
    """Anything that jobs can be drawn from."""

    @property
    def mean_work(self):
        """Mean processor-time of a job on one cluster."""

    def sample(self, count, seed, rate=None) -> JobStream:
        """Draw `count` jobs, `rate` of them a unit of time; all at 0 where there is no rate."""
