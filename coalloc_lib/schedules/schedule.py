"""The schedule of a run: when and where each job ran, what that means, and whether it is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.display import card
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement, penalty_on
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Refusal, Scheduling

if TYPE_CHECKING:
    import pandas as pd

    from coalloc_lib.schedules.numbering import Ranges

#: By what the mean response time can be weighted.
WEIGHTS = ("work", "processors")


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """Start, end and allocation of every job, in the order of the stream.

    Attributes
    ----------
    placement : Placement or None
        None for ordered requests.
    start, end : ndarray, shape (n,)
        Instants; NaN for a job that was refused.
    allocation : ndarray of int, shape (n, clusters)
        Processors of each cluster; zeros for a job that was refused.
    promised : ndarray, shape (n,)
        The first start that the policy promised to each job, NaN where it promised none.
    refused : dict of int to Refusal
        For each job that a policy refused, when (`instant`) and `why`. Means over all jobs are NaN
        where there is one: take them over `served`.
    attempts : ndarray of int, shape (n,), or None
        How many starts `Online` tried for each job, refused or not.
    servers : Servers or None
        What `processor_ids` returns, where `Online` numbered them.
    backlog : int or None
        The length at which the queue was held, where it was.
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    placement: Placement | None
    start: np.ndarray
    end: np.ndarray
    allocation: np.ndarray
    promised: np.ndarray | None = None
    refused: Mapping[int, Refusal] = field(default_factory=dict)
    attempts: np.ndarray | None = None
    servers: Servers | None = None
    backlog: int | None = None

    def __post_init__(self) -> None:
        """Fill in that nothing was promised."""
        if self.promised is None:
            object.__setattr__(self, "promised", np.broadcast_to(np.nan, len(self.start)))

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        placed = "" if self.placement is None else f", {self.placement}"
        return f"<Schedule of {len(self)} jobs on {self.system}: {self.scheduling}{placed}>"

    def _repr_html_(self) -> str:
        facts = {
            "policies": f"{self.scheduling}, {self.placement}",
            "utilization": self.utilization() if np.ptp(self.jobs.submit) else None,
            "mean wait": self.wait.mean(),
            "mean response": self.response.mean(),
            "jobs that span clusters": self.spans.sum(),
        }
        return card(f"Schedule of {len(self):,} jobs on {self.system}", facts)

    @property
    def served(self) -> np.ndarray:
        """Whether each job ran: all but those that were refused, shape (n,)."""
        served = np.ones(len(self), dtype=bool)
        served[list(self.refused)] = False
        return served

    @property
    def left_queue(self) -> np.ndarray:
        """When each job left the queue, by its start or because it was refused, shape (n,)."""
        left = self.start.copy()
        for job, refusal in self.refused.items():
            left[job] = refusal.instant
        return left

    @property
    def wait(self) -> np.ndarray:
        """Time from submission to start, shape (n,)."""
        return self.start - self.jobs.submit

    @property
    def delay(self) -> np.ndarray:
        """Time from the earliest start that each job asked for to its start, shape (n,)."""
        return self.start - self.jobs.earliest_start

    @property
    def response(self) -> np.ndarray:
        """Time from submission to end, shape (n,)."""
        return self.end - self.jobs.submit

    def slowdown(self, at_least: float = 0.0) -> np.ndarray:
        """Response time over time on processors, of `at_least` 10 s if bounded, shape (n,)."""
        length = np.maximum(self.end - self.start, at_least)
        if (length <= 0).any():
            job = int((length <= 0).argmax())
            raise InputError(f"job {job} ran for no time; give at_least above 0")
        return np.maximum(self.response / length, 1.0)

    @property
    def clusters_used(self) -> np.ndarray:
        """Return the number of clusters on which each job ran, shape (n,)."""
        return (self.allocation > 0).sum(axis=1)

    @property
    def spans(self) -> np.ndarray:
        """Whether each job ran on more than one cluster, shape (n,)."""
        return self.clusters_used > 1

    def average_weighted_response_time(self, weights: str = "work") -> float:
        """AWRT: mean response time weighted by what each job asked for.

        ``"work"`` is processors times run time on one cluster, as the prose of Ernemann and others
        (2002), section 4.3, has it; ``"processors"``, as its formula, leaves the run time out.
        """
        one_of("weights", weights, WEIGHTS)
        weight = self.jobs.work if weights == "work" else self.jobs.processors
        if not weight.sum() > 0:
            raise InputError("no job has any work to weight by; give weights='processors'")
        return float(weight @ self.response / weight.sum())

    def utilization(self, begin: float | None = None, finish: float | None = None) -> float:
        """Fraction of the processors busy, by default from the first submission to the last."""
        if begin is finish is None and np.ptp(self.jobs.submit) == 0:
            raise InputError(
                "the jobs were all submitted at once, so there is no window to average over; give "
                "begin and finish, or give the stream arrivals (rate=) or simulate() a backlog"
            )
        begin = self.jobs.submit.min() if begin is None else begin
        finish = self.jobs.submit.max() if finish is None else finish
        return float(self.utilization_between(np.array([begin, finish]))[0])

    def utilization_between(
        self, edges: Sequence[float] | np.ndarray, *, net: bool = False
    ) -> np.ndarray:
        """Fraction of the processors busy in each interval between increasing instants, shape (m,).

        A `net` one leaves out what spanning adds to the run times, as the offered load does.
        """
        edges = np.asarray(edges, dtype=float)
        if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
            raise InputError(f"edges = {edges.tolist()}; give two or more increasing instants")
        weight = self.allocation.sum(axis=1)
        if net:
            weight = weight / (1 + penalty_on(self.jobs.span_penalty, self.clusters_used))
        # The time that jobs spent running before each instant, times their weight.
        area = np.zeros(len(edges))
        for when, sign in ((self.start, 1.0), (self.end, -1.0)):
            order = np.argsort(when, kind="stable")
            count = np.searchsorted(when[order], edges, side="right")
            started = np.append(0.0, np.cumsum(weight[order], dtype=float))[count]
            moments = np.append(0.0, np.cumsum(weight[order] * when[order]))[count]
            area += sign * (edges * started - moments)
        return np.diff(area) / (np.diff(edges) * self.system.processors)

    def queue_length(self, instants: Sequence[float] | np.ndarray) -> np.ndarray:
        """Jobs that wait just after each instant (those that arrive or start then included)."""
        arrived = np.searchsorted(np.sort(self.jobs.submit), instants, side="right")
        return arrived - np.searchsorted(np.sort(self.left_queue), instants, side="right")

    @cached_property
    def overtaken(self) -> np.ndarray:
        """How many jobs behind it in the queue started strictly before each job, shape (n,)."""
        # Two jobs are compared at the highest bit in which the ranks of their starts differ.
        order = np.argsort(self.jobs.submit, kind="stable")[::-1]  # from the end of the queue
        start = self.start[order]
        rank = np.searchsorted(np.sort(start), start)
        count = np.zeros(len(rank), dtype=np.int64)
        for bit in range(len(rank).bit_length()):
            alike = np.argsort(rank >> bit + 1, kind="stable")
            group, is_later = rank[alike] >> bit + 1, (rank[alike] >> bit & 1).astype(bool)
            earlier = np.append(0, np.cumsum(~is_later))
            count[alike] += is_later * (earlier[1:] - earlier[np.searchsorted(group, group)])
        result = np.empty_like(count)
        result[order] = count
        return result

    def verify(self, most_jobs: int | None = None) -> "Schedule":
        """Check the schedule against the rules of the model and of its policy, and return it.

        Parameters
        ----------
        most_jobs : int, optional
            The number of jobs up to which the decisions of the policy are checked. For a longer
            schedule only the rules of the model are checked. By default it is 50,000, and fewer if
            so many jobs wait that a check of the decisions takes minutes.

        Raises
        ------
        ScheduleError
            It names the first job at fault and the instant.

        Notes
        -----
        The rules of the model hold for every schedule: each job that was not rejected starts at or
        after its submission, runs for its run time (with the penalty if it spans), and has the
        processors that it asked for; no cluster ever runs more processors than it has. A job that
        asks for a later or a latest start starts within these limits. If the policy promises every
        job a start, as `Conservative` does, no job starts later than promised.

        The decisions of the policy are checked by the policy itself, also by one of your own: which
        jobs it starts, promises a start or rejects, when, and on which processors. For a policy
        without memory, this method walks through the instants of the schedule, lets the policy
        decide in the state that the schedule implies, and compares. A policy whose `begin` returns
        another object remembers something that the schedule does not tell; its jobs are run again
        and compared. The compiled engine runs more than 500 jobs of `Conservative` again, the
        readable engine everything else. A policy or a placement that does not always give the same
        answer in the same state, such as one with its own random numbers, cannot be checked so:
        call ``verify(most_jobs=0)``.

        `Online` starts every job at its promised start and accepted attempt, within what it asked
        and the horizon, on servers that make up its allocation. No server is booked twice at once
        (except after a job that had left, with `release_early`). No earlier attempt had room, nor
        any attempt of a rejected job; the servers are those that placement and rule choose.

        `unchecked` says what is not checked by default.
        """
        from coalloc_lib.schedules.verification import verify

        verify(self, most_jobs)
        return self

    @property
    def unchecked(self) -> str:
        """What `verify()` does not check of this schedule, in words; empty if it checks all."""
        from coalloc_lib.schedules.verification import unchecked

        return unchecked(self)

    def processor_ids(self) -> Servers:
        """Return which processors each job has: `servers`, or else the lowest that are free.

        They count from 0, cluster by cluster; entry i is an array in ascending order, empty for a
        job that was refused. At one instant jobs leave, then come those that run for no time, then
        those that start, in order of the stream.
        """
        from coalloc_lib.schedules.numbering import listed

        if self.servers is not None:
            return self.servers
        return listed(self.processor_ranges(), len(self))

    def processor_ranges(self) -> "Ranges":
        """Return the same as ranges: named arrays ``job``, ``low`` and ``high``, int64.

        Those of a job are in ascending order, and each is of one cluster.
        """
        from coalloc_lib.schedules.numbering import lowest_free, ranges_of

        if self.servers is not None:
            return ranges_of(self.servers, self.system.as_array())
        return lowest_free(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return a pandas table with the columns of the CSV contract; `job` is that of the log."""
        import pandas as pd

        allocations = [
            ";".join(f"{c}:{row[c]}" for c in np.flatnonzero(row)) for row in self.allocation
        ]
        came = {"job": self.jobs.number, "submit": self.jobs.submit}
        ran = {"start": self.start, "end": self.end, "processors": self.jobs.processors}
        return pd.DataFrame(came | ran | {"allocation": allocations})
