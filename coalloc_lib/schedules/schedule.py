"""The schedule of a run: when and where each job ran, its metrics, and its verification."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from coalloc_lib.basics.checks import InputError, finite, not_negative, numbers, one_of, shown
from coalloc_lib.basics.display import card
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement, penalty_on
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import Refusal, Scheduling

if TYPE_CHECKING:
    import pandas as pd

    from coalloc_lib.schedules.numbering import Ranges

#: The possible weights of a job in the average weighted response time.
WEIGHTS = ("work", "processors")


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """The start, end and allocation of every job, in the order of the job stream.

    Attributes
    ----------
    system : Multicluster
        The clusters on which the jobs ran.
    jobs : JobStream
        The jobs.
    scheduling : Scheduling
        The scheduling policy.
    placement : Placement or None
        The placement; None for ordered requests, for which nothing is chosen.
    start, end : ndarray, shape (n,)
        The instants at which each job started and ended; NaN for a rejected job.
    allocation : ndarray of int, shape (n, clusters)
        The processors that each job had on each cluster; zeros for a rejected job.
    promised : ndarray, shape (n,)
        The first start that the policy promised to each job; NaN for a job without a promised
        start.
    refused : dict of int to Refusal
        The jobs that the policy rejected, by position: when each was rejected (`instant`), and
        `why`. If any job was rejected, take means over the `served` jobs, because means over all
        jobs are NaN.
    attempts : ndarray of int, shape (n,), or None
        The number of starts that were tried for each job; None if the policy, unlike `Online`, does
        not record it.
    servers : Servers or None
        The numbers of the processors of each job; None if the policy, unlike `Online`, does not
        assign them.
    backlog : int or None
        The number of waiting jobs that was held constant in a run with a constant backlog.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[[3, 2], [2, 2]])
    >>> schedule = co.simulate(co.Multicluster([4, 4]), jobs)
    >>> schedule.wait.tolist()
    [0.0, 4.0]
    >>> schedule.allocation.tolist()
    [[3, 2], [2, 2]]
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    placement: Placement | None
    start: np.ndarray
    end: np.ndarray
    allocation: np.ndarray
    promised: np.ndarray = None  # type: ignore[assignment]  # NaN for all jobs by default
    refused: Mapping[int, Refusal] = field(default_factory=dict)
    attempts: np.ndarray | None = None
    servers: Servers | None = None
    backlog: int | None = None

    def __post_init__(self) -> None:
        """Set the promised starts of all jobs to NaN if none were given."""
        if self.promised is None:
            object.__setattr__(self, "promised", np.broadcast_to(np.nan, len(self.start)))

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        return f"<Schedule of {len(self)} jobs on {self.system}: {self._policies}>"

    @property
    def _policies(self) -> str:
        known = (self.scheduling, self.placement)
        return ", ".join(str(policy) for policy in known if policy is not None)

    def _repr_html_(self) -> str:
        ran = self.served
        facts = {
            "policies": self._policies,
            "utilization": self.utilization() if np.ptp(self.jobs.submit) else None,
            "mean wait": self.wait[ran].mean() if ran.any() else None,
            "mean response": self.response[ran].mean() if ran.any() else None,
            "jobs that span clusters": self.spans.sum(),
            "rejected jobs": len(self.refused) or None,
        }
        return card(f"Schedule of {len(self):,} jobs on {self.system}", facts)

    @property
    def queues(self) -> "list[tuple[np.ndarray, Schedule]]":
        """One pair per queue: the positions of its jobs in the stream, and their schedule.

        A schedule that `coalloc_lib.simulation.sites.local` returns has a queue for each site.
        Every other schedule has one queue.
        """
        return [(np.arange(len(self)), self)]

    @property
    def served(self) -> np.ndarray:
        """Whether each job was served, that is, not rejected; an array of shape (n,)."""
        served = np.ones(len(self), dtype=bool)
        served[list(self.refused)] = False
        return served

    @property
    def left_queue(self) -> np.ndarray:
        """The time at which each job left the queue by its start or its rejection, shape (n,)."""
        left = self.start.copy()
        for job, refusal in self.refused.items():
            left[job] = refusal.instant
        return left

    @property
    def wait(self) -> np.ndarray:
        """The waiting time of each job, from its submission to its start, shape (n,)."""
        return self.start - self.jobs.submit

    @property
    def delay(self) -> np.ndarray:
        """The time from the earliest start that each job requested to its start, shape (n,)."""
        return self.start - self.jobs.earliest_start

    @property
    def response(self) -> np.ndarray:
        """The response time of each job, from its submission to its end, shape (n,)."""
        return self.end - self.jobs.submit

    def slowdown(self, at_least: float = 0.0) -> np.ndarray:
        """Return the slowdown of each job: its response time divided by its time on processors.

        Parameters
        ----------
        at_least : float
            A shorter time on processors counts as this time, in seconds. The usual bounded slowdown
            has ``at_least=10``.

        Returns
        -------
        ndarray, shape (n,)
            The slowdowns, which are at least 1.

        Raises
        ------
        InputError
            A job ran for no time, and `at_least` is 0; or `at_least` is negative or not a number.
        """
        length = np.maximum(self.end - self.start, not_negative("at_least", at_least))
        if (length <= 0).any():
            job = int((length <= 0).argmax())
            raise InputError(
                f"job {job} ran for a time of 0, so it has no slowdown; give at_least above 0"
            )
        return np.maximum(self.response / length, 1.0)

    @property
    def clusters_used(self) -> np.ndarray:
        """The number of clusters on which each job ran, shape (n,)."""
        return (self.allocation > 0).sum(axis=1)

    @property
    def spans(self) -> np.ndarray:
        """Whether each job ran on more than one cluster, shape (n,)."""
        return self.clusters_used > 1

    def average_weighted_response_time(self, weights: str = "work") -> float:
        """Return the average weighted response time (AWRT) of the jobs.

        Parameters
        ----------
        weights : {"work", "processors"}
            The weight of each job: its processors times its run time on one cluster, or its
            processors alone. The text of the reference describes the first weight, and its formula
            has the second one.

        Returns
        -------
        float
            The AWRT, in the time unit of the jobs. It is NaN if a job was rejected.

        Raises
        ------
        InputError
            All weights are 0.

        References
        ----------
        Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for
        Parallel Job Scheduling (2002), section 4.3.
        """
        return weighted_mean(self.response, weights_of(self.jobs, weights))

    def utilization(self, begin: float | None = None, finish: float | None = None) -> float:
        """Return the utilization of the system: the mean fraction of its processors that is busy.

        The time by which jobs run longer because they span clusters counts as busy.

        Parameters
        ----------
        begin, finish : float, optional
            The instants between which the mean is taken. By default they are the first and the last
            submission.

        Returns
        -------
        float
            A number from 0 to 1.

        Raises
        ------
        InputError
            All jobs were submitted at the same instant and no other instants are given, or `finish`
            is not after `begin`.

        Examples
        --------
        >>> import coalloc_lib as co
        >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[[3, 2], [2, 2]])
        >>> schedule = co.simulate(co.Multicluster([4, 4]), jobs)
        >>> schedule.utilization(0, 5)
        0.625
        """
        if begin is finish is None and np.ptp(self.jobs.submit) == 0:
            raise InputError(
                "all jobs were submitted at the same instant, so there is no period to average "
                "over; give begin and finish, or sample the jobs with a rate, or call simulate() "
                "with a backlog"
            )
        begin = self.jobs.submit.min() if begin is None else finite("begin", begin)
        finish = self.jobs.submit.max() if finish is None else finite("finish", finish)
        if not finish > begin:
            raise InputError(
                f"finish = {finish:g} is not after begin = {begin:g}; give a later finish or an "
                "earlier begin (by default, they are the last and the first submission)"
            )
        return float(self.utilization_between(np.array([begin, finish]))[0])

    def utilization_between(
        self, edges: Sequence[float] | np.ndarray, *, net: bool = False
    ) -> np.ndarray:
        """Return the utilization of the system in each interval between successive instants.

        Parameters
        ----------
        edges : array_like, shape (m + 1,)
            The instants.
        net : bool
            Whether the time that the span penalty adds to run times is left out. The offered load
            also leaves it out.

        Returns
        -------
        ndarray, shape (m,)
            The fraction of the processors that is busy in each interval.

        Raises
        ------
        InputError
            There are fewer than two instants, they do not increase, or they are not finite numbers.
        """
        edges = numbers("edges", edges).astype(float)
        is_finite = np.isfinite(edges).all()
        if edges.ndim != 1 or len(edges) < 2 or not is_finite or not (np.diff(edges) > 0).all():
            raise InputError(
                f"edges = {shown(edges)}; give two or more increasing instants, all finite"
            )
        weight = self.allocation.sum(axis=1)
        if net:
            weight = weight / (1 + penalty_on(self.jobs.span_penalty, self.clusters_used))
        # Entry i of `area` is the sum, over all jobs, of the time that the job ran before instant
        # i, multiplied by the weight of the job. Times are counted from the first edge, because
        # sums of large times, such as seconds since 1970, would lose digits.
        first, area = edges[0], np.zeros(len(edges))
        edges = edges - first
        for when, sign in ((self.start - first, 1.0), (self.end - first, -1.0)):
            order = np.argsort(when, kind="stable")
            count = np.searchsorted(when[order], edges, side="right")
            started = np.append(0.0, np.cumsum(weight[order], dtype=float))[count]
            moments = np.append(0.0, np.cumsum(weight[order] * when[order]))[count]
            area += sign * (edges * started - moments)
        return np.diff(area) / (np.diff(edges) * self.system.processors)

    def queue_length(self, instants: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return, for each instant, the number of jobs that wait after all events of this instant.

        Parameters
        ----------
        instants : array_like, shape (m,)
            The instants.

        Returns
        -------
        ndarray of int, shape (m,)
            The numbers of waiting jobs. A job that arrives at an instant and does not start at the
            same instant is counted, and a job that starts at it is not.

        Raises
        ------
        InputError
            The instants are not numbers.
        """
        instants = numbers("instants", instants)
        if np.isnan(instants).any():
            raise InputError(f"instants = {shown(instants)}; give numbers without NaN")
        arrived = np.searchsorted(np.sort(self.jobs.submit), instants, side="right")
        return arrived - np.searchsorted(np.sort(self.left_queue), instants, side="right")

    def verify(self, most_jobs: int | None = None) -> "Schedule":
        """Check the schedule against the rules of the model and of its policy, and return it.

        Parameters
        ----------
        most_jobs : int, optional
            The decisions of the policy are checked only if the schedule has at most this number of
            jobs. For a longer schedule only the rules of the model are checked. By default it is
            50,000. It is smaller if the queue is long, because checking takes minutes then.

        Returns
        -------
        Schedule
            The schedule itself.

        Raises
        ------
        ScheduleError
            The schedule breaks a rule. The error names the first job at fault and the instant.

        Notes
        -----
        The rules of the model hold for every schedule: each job that was not rejected starts at or
        after its submission, runs for its run time (with the penalty if it spans), and has the
        processors that it asked for; no cluster ever runs more processors than it has. A job that
        asks for an earliest or a latest start starts within these limits. If the policy promises
        every job a start, as `Conservative` does, no job starts later than promised. If the policy
        listed the processors of a job, they make up its allocation.

        The decisions of the policy are which jobs it starts, rejects or promises a start, when, and
        on which processors. They are checked by the policy itself, including a policy that you have
        written. For a policy without memory, this method walks through the instants of the
        schedule, lets the policy decide in the state that the schedule implies, and compares the
        decisions. A policy whose `begin` returns another object remembers something that the
        schedule does not contain. Its jobs are simulated again, and the two schedules are compared.
        The compiled engine simulates more than 500 jobs of `Conservative` or `Online`, and the
        readable engine simulates all other jobs. A policy or a placement that does not always give
        the same answer in the same state, for example because it has its own random numbers, cannot
        be checked in this way. Call ``verify(most_jobs=0)`` for its schedules.

        The property `unchecked` says what is not checked by default.
        """
        from coalloc_lib.schedules.verification import verify

        verify(self, most_jobs)
        return self

    @property
    def unchecked(self) -> str:
        """A description of what `verify()` does not check in this schedule, or an empty string."""
        from coalloc_lib.schedules.verification import unchecked

        return unchecked(self)

    def processor_ids(self) -> Servers:
        """Return the numbers of the processors on which each job ran.

        If the policy did not assign numbers, each job gets the lowest free numbers when it starts.
        At one instant, departures come first. Then jobs that run for no time get their processors
        and release them, and then the other jobs start, in the order of the stream.

        Returns
        -------
        sequence of ndarray of int
            Entry i has the processors of job i in ascending order, and is empty for a rejected job.
            Processors are counted from 0, cluster by cluster.

        Raises
        ------
        InputError
            An allocation does not fit on its cluster.
        """
        from coalloc_lib.schedules.numbering import as_lists

        if self.servers is not None:
            return self.servers
        return as_lists(self.processor_ranges(), len(self))

    def processor_ranges(self) -> "Ranges":
        """Return the processors on which each job ran, as ranges of processor numbers.

        The result has three named arrays of int64: ``job``, ``low`` and ``high``, the first and the
        last number of each range. The ranges of a job are in ascending order, and each lies within
        one cluster. See `processor_ids` for the rule by which processors get their numbers.
        """
        from coalloc_lib.schedules.numbering import lowest_free, ranges_of

        if self.servers is not None:
            return ranges_of(self.servers, self.system.as_array())
        return lowest_free(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return the schedule as a pandas table with one row for each job.

        The columns are those of the files that ``coalloc simulate`` writes: ``job`` (the number of
        the job in the log), ``submit``, ``start``, ``end``, ``processors`` and ``allocation``. An
        allocation such as ``0:32;1:16`` means 32 processors on cluster 0 and 16 on cluster 1.
        """
        import pandas as pd

        allocations = [
            ";".join(f"{c}:{row[c]}" for c in np.flatnonzero(row)) for row in self.allocation
        ]
        came = {"job": self.jobs.number, "submit": self.jobs.submit}
        ran = {"start": self.start, "end": self.end, "processors": self.jobs.processors}
        return pd.DataFrame(came | ran | {"allocation": allocations})


def weights_of(jobs: JobStream, weights: str) -> np.ndarray:
    """Return the weight of each job in an average weighted response time, an array of shape (n,).

    Parameters
    ----------
    jobs : JobStream
        The jobs.
    weights : {"work", "processors"}
        The weight of a job: its processors times its run time on one cluster, or its processors.
    """
    return jobs.work if one_of("weights", weights, WEIGHTS) == "work" else jobs.processors


def weighted_mean(values: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted mean of values of jobs, or raise `InputError` if all weights are 0."""
    if not weights.sum() > 0:
        raise InputError(
            "all jobs have a run time of 0, so their response times cannot be weighted by work; "
            "give jobs with run times"
        )
    return float(np.average(values, weights=weights))
