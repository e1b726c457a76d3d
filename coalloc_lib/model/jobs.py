"""The class `JobStream`: the jobs of a workload, stored as columns.

All jobs are rigid: the number of processors and the run time of a job are fixed when it is
submitted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, instance_of, one_of, shown, whole
from coalloc_lib.basics.display import card, span_of
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.columns import CHECKS, COLUMNS, STORED, refuse_different_indexes
from coalloc_lib.model.splitting import Chopped, chop, split_into, split_smallest
from coalloc_lib.model.system import Multicluster

#: The request types. The request type of a job says which clusters the job may use.
#:
#: - ``ordered``: component i runs on cluster i.
#: - ``unordered``: each component runs on a different cluster; the placement chooses the clusters.
#: - ``flexible``: the placement divides all processors of the job freely among the clusters.
#: - ``total``: the whole job runs on one cluster, which the placement chooses.
REQUESTS = ("ordered", "unordered", "flexible", "total")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class JobStream:
    """A stream of n rigid jobs, stored as read-only columns with one entry per job.

    The jobs may be in any order. A job's position is its index in the columns, from 0.

    Parameters
    ----------
    submit : array_like, shape (n,)
        Instants of submission: numbers of 0 or more in any unit of time, timedeltas, or datetimes.
        Timedeltas are converted to seconds, and datetimes to seconds since the earliest of them.
    runtime : array_like, shape (n,)
        Run time of each job on one cluster, 0 or more: numbers in the unit of `submit`, or
        timedeltas.
    components : array_like of int, shape (n, k) or (n,)
        Number of processors of each component, padded with zeros.
    estimate : array_like, shape (n,), optional
        The user's estimate of each run time. The default, also for masked entries, is the run
        time itself.
    request : {"ordered", "unordered", "flexible", "total"}
        Which clusters the components may use. ``"ordered"``: component i runs on cluster i.
        ``"unordered"``: the components run on distinct clusters, which the placement chooses.
        ``"flexible"``: the placement distributes the sum of the components over the clusters.
        ``"total"``: the sum of the components runs on one cluster.
    span_penalty : float, array_like of shape (n,) or (n, m), or dict
        A job on more than one cluster runs for ``runtime * (1 + span_penalty)``. A table or a dict
        such as ``{2: 0.1, 3: 0.2}`` has the penalty on 2, 3, ... clusters, and its last entry is
        also for more clusters.
    number : array_like of int, shape (n,), optional
        The number of each job in its log. Selections and schedules keep it. Numbers may repeat,
        for example if a selection contains a job twice. The default is 1, ..., n.
    earliest_start, latest_start : array_like, shape (n,), optional
        Advance reservations: each job must start between these instants, in the unit of `submit`.
        The defaults are the submission and infinity.
    priority : float or array_like, shape (n,)
        Priorities of 0 or more. Policies with ``order="priority"`` start the highest first.
    label : array_like of str, shape (n,), optional
        The name of each job in files of other tools. The default is its number.
    failed : array_like of bool, shape (n,), optional
        Whether each job ends without success, for example because it reaches its time limit. The
        default is that no job fails. This does not change a schedule, but exported files have it.

    Raises
    ------
    InputError
        If a column has wrong values, the wrong length, or an index that differs from that of
        another pandas column. Columns are matched by position, and not by the index.

    Notes
    -----
    A stream is a `coalloc_lib.workloads.Workload`.

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 10], runtime=[5, 5], components=[[4, 4], [2, 0]])
    >>> jobs.processors.tolist(), jobs.work.tolist()
    ([8, 2], [40.0, 10.0])
    """

    submit: NDArray[np.float64]
    runtime: NDArray[np.float64]
    components: NDArray[np.int64]
    estimate: NDArray[np.float64]
    request: str
    span_penalty: NDArray[np.float64]
    number: NDArray[np.int64]
    earliest_start: NDArray[np.float64]
    latest_start: NDArray[np.float64]
    priority: NDArray[np.float64]
    #: The user's estimates of the run times, as an array that is masked for jobs without an
    #: estimate, or None if no job has an estimate.
    _requested: np.ma.MaskedArray | None
    #: The job names, and a Boolean array with True for each failed job. Each is None if the user
    #: did not give it.
    _label: NDArray[np.str_] | None
    _failed: NDArray[np.bool_] | None

    def __init__(
        self,
        submit: Any,
        runtime: Any,
        components: Any,
        estimate: Any = None,
        request: str = "unordered",
        span_penalty: Any = 0.0,
        number: Any = None,
        earliest_start: Any = None,
        latest_start: Any = None,
        priority: Any = 0.0,
        label: Any = None,
        failed: Any = None,
    ) -> None:
        given = locals().copy()  # exactly the arguments: no other local variable exists yet
        del given["self"]
        self._store(given)

    def _store(self, given: Mapping[str, Any]) -> None:
        refuse_different_indexes(given)
        before = vars(self).get("submit")
        if "request" in given:
            vars(self)["request"] = one_of("request", given["request"], REQUESTS)
        self._store_columns(given)
        self._check_lengths()
        if before is not None and before is not self.submit:
            for name in {"earliest_start", "latest_start"} - given.keys():
                vars(self)[name] = self.submit + (vars(self)[name] - before)
        self._check_order_of_instants("submit", "earliest_start")
        self._check_order_of_instants("earliest_start", "latest_start")
        self._freeze()
        self._check_end()

    def _store_columns(self, given: Mapping[str, Any]) -> None:
        stored = vars(self)
        if "submit" in given:
            stored["submit"] = CHECKS["submit"]("submit", given["submit"], 0)
        count = len(self)
        if count == 0:
            raise InputError("submit is empty; give at least one job")
        for name in COLUMNS[1:]:
            if name in given:
                stored[STORED[name]] = CHECKS[name](name, given[name], count)
        if stored["earliest_start"] is None:
            stored["earliest_start"] = self.submit

    def _check_lengths(self) -> None:
        for name, attribute in STORED.items():
            column = vars(self)[attribute]
            if column is not None and len(column) != len(self):
                raise InputError(
                    f"{name} has {len(column)} entries and submit has {len(self)}; give one entry "
                    "for each job"
                )

    def _check_order_of_instants(self, first: str, second: str) -> None:
        sooner, later = getattr(self, first), getattr(self, second)
        if (later < sooner).any():
            job = int((later < sooner).argmax())
            raise InputError(
                f"{second}[{job}] = {later[job]:g} comes before {first}[{job}] = {sooner[job]:g}; "
                "give the same or a later instant"
            )

    def _check_end(self) -> None:
        with np.errstate(over="ignore"):
            longest = self.runtime.max() * (1 + self.span_penalty.max())
            last = self.submit.max() + len(self) * longest
        if not last < 1e300:
            job = int(np.argmax(self.runtime))
            raise InputError(
                f"runtime[{job}] = {self.runtime[job]:g}; the jobs would end past 1e300; give "
                "shorter run times or a larger unit of time"
            )

    def _freeze(self) -> None:
        known, runtime = self._requested, self.runtime
        estimate = runtime if known is None else np.where(known.mask, runtime, known.data)
        vars(self)["estimate"] = estimate
        for name in COLUMNS:
            column = vars(self).get(name, vars(self)[STORED[name]])
            if column is not None:
                column.flags.writeable = False

    def __len__(self) -> int:
        return len(self.submit)

    def __repr__(self) -> str:
        return f"<JobStream of {len(self)} jobs, {self.request} requests>"

    def _repr_html_(self) -> str:
        facts = {
            "submitted": span_of(self.submit),
            "run time": span_of(self.runtime),
            "components": span_of((self.components > 0).sum(axis=1)),
            "processors of a job": span_of(self.processors),
            "span penalty": span_of(self.span_penalty),
        }
        return card(f"{len(self):,} jobs, {self.request} requests", facts)

    def __getitem__(self, selection: Any) -> "JobStream":
        """Return the selected jobs as a stream; give a slice, a Boolean mask, or positions."""
        try:
            rows = np.arange(len(self))[selection]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(
                f"cannot select jobs[{shown(selection)}] from {len(self)} jobs: {error}; give a "
                "slice, a Boolean mask or positions"
            ) from None
        if rows.ndim == 0:
            raise InputError(f"jobs[{selection}] is one job; give a slice: jobs[{rows}:{rows + 1}]")
        if rows.ndim > 1 or len(rows) == 0:
            raise InputError(f"jobs[{shown(selection)}] selects no jobs; select at least one")
        chosen: dict[str, Any] = {"request": self.request}
        for name in STORED.values():
            column = vars(self)[name]
            chosen[name] = None if column is None else column[rows]
        return _frozen(chosen)

    def replace(self, **columns: Any) -> "JobStream":
        """Return a copy of the stream with new values in some columns.

        Parameters
        ----------
        **columns
            New values of arguments of `JobStream`. With ``estimate=None`` the run times become the
            estimates. If `submit` is replaced, earliest and latest starts that are not replaced
            keep their distance to the submission.

        Examples
        --------
        >>> jobs = JobStream(submit=[0, 1], runtime=[5, 2], components=[4, 2])
        >>> jobs.replace(runtime=[6, 3]).runtime.tolist()
        [6.0, 3.0]
        """
        unknown = sorted(columns.keys() - {*COLUMNS, "request"})
        if unknown:
            raise InputError(f"there is no column {unknown}; choose from {', '.join(COLUMNS)}")
        new = _frozen(vars(self))  # both streams can share columns, because these are read-only
        new._store(columns)
        return new

    @property
    def processors(self) -> NDArray[np.int64]:
        """Total number of processors of each job, shape (n,)."""
        return np.einsum("ij->i", self.components)  # several times faster than sum(axis=1)

    @property
    def work(self) -> NDArray[np.float64]:
        """Work of each job: processors times run time, without the span penalty, shape (n,)."""
        return self.processors * self.runtime

    @property
    def mean_work(self) -> float:
        """Mean work per job: processors times run time, without the span penalty."""
        return float(self.work.mean())

    @property
    def expected(self) -> NDArray[np.float64]:
        """Expected run time of each job on one cluster, shape (n,).

        It is the estimate, or the run time if that is longer.
        """
        return np.maximum(self.estimate, self.runtime)

    @property
    def has_estimate(self) -> NDArray[np.bool_]:
        """For each job, whether the user gave an estimate of its run time, shape (n,)."""
        known = self._requested
        return np.zeros(len(self), bool) if known is None else ~np.ma.getmaskarray(known)

    @property
    def label(self) -> NDArray[np.str_]:
        """Name of each job in the files of other tools, by default the job number, shape (n,)."""
        return _read_only(self.number.astype(str)) if self._label is None else self._label

    @property
    def failed(self) -> NDArray[np.bool_]:
        """For each job, whether it ends without success, shape (n,)."""
        return _read_only(np.zeros(len(self), bool)) if self._failed is None else self._failed

    @property
    def has_reservations(self) -> bool:
        """Whether at least one job requests an advance reservation."""
        return bool(self.is_reserved.any())

    @property
    def is_reserved(self) -> NDArray[np.bool_]:
        """For each job, whether it requests an advance reservation, shape (n,).

        A job does so if its earliest start is after its submission or its latest start is finite.
        """
        return (self.earliest_start > self.submit) | (self.latest_start < np.inf)

    def reserved_ahead(self, share: float, up_to: float, seed: Seed) -> "JobStream":
        """Return a copy of the stream in which randomly chosen jobs request advance reservations.

        A chosen job asks to start no earlier than a random time after its submission. The time is
        uniform from 0 to `up_to`.

        Parameters
        ----------
        share : float
            Probability that a job is chosen, from 0 to 1.
        up_to : float
            The longest time from submission to the earliest start, in the unit of `submit`.
        seed : int or numpy.random.SeedSequence
            With the same seed, a job that is chosen at one share is chosen at every larger share.

        References
        ----------
        Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed Environments
        (2009), section 5.2, where `up_to` is 3 hours.
        """
        probability = checks.not_negative("share", share)
        if probability > 1:
            raise InputError(f"share = {shown(share)}; give a number from 0 to 1")
        longest = checks.not_negative("up_to", up_to)
        chosen, ahead = (rng.random(len(self)) for rng in generators(seed, 2))
        ahead = np.where(chosen < probability, ahead * longest, 0.0)
        return self.replace(earliest_start=self.submit + ahead)

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> "JobStream":
        """Return the first `count` jobs in order of submission.

        Parameters
        ----------
        count : int
            Number of jobs.
        seed : int or numpy.random.SeedSequence
            Not used, because the jobs are not random. Other workloads need it.
        rate : float, optional
            Arrival rate. If it is given, the interarrival times are scaled to a mean of
            ``1 / rate``, and the first submission stays the same.
        """
        count = whole("count", count)
        if count > len(self):
            raise InputError(
                f"count = {count}, and there are {len(self)} jobs; give at most {len(self)}"
            )
        first = self[np.argsort(self.submit, kind="stable")[:count]]
        if rate is None:
            return first
        span = first.submit[-1] - first.submit[0]
        if span == 0:
            raise InputError(
                "all jobs are submitted at one instant, so their interarrival times cannot be "
                "scaled to the rate; leave out rate, or give a larger count, to include later jobs"
            )
        return first._stretched((count - 1) / (span * checks.positive("rate", rate)))

    def _stretched(self, factor: float) -> "JobStream":
        first = self.submit.min()
        return self.replace(submit=first + (self.submit - first) * factor)

    def offered_load(self, system: Multicluster) -> float:
        """Return the offered load: the work submitted per processor and per unit of time.

        The work of the job that is submitted last does not count, because n jobs have n - 1
        interarrival times.

        Parameters
        ----------
        system : Multicluster
            The system whose number of processors is used.

        Examples
        --------
        >>> jobs = JobStream(submit=[0, 10], runtime=[5, 5], components=[8, 8])
        >>> jobs.offered_load(Multicluster([8]))
        0.5
        """
        instance_of("system", system, Multicluster, "Multicluster([32, 32])")
        span = np.ptp(self.submit)
        if span == 0:
            raise InputError(
                "all jobs are submitted at one instant, so the offered load is not defined; give "
                "jobs with different values of submit"
            )
        last = int(np.lexsort((np.arange(len(self)), self.submit))[-1])
        return float((self.work.sum() - self.work[last]) / (span * system.processors))

    def with_load(self, system: Multicluster, load: float) -> "JobStream":
        """Return the stream with interarrival times scaled so that the offered load is `load`.

        Parameters
        ----------
        system : Multicluster
            The system whose number of processors is used.
        load : float
            The offered load, for example 0.5 for half of all processors.

        Raises
        ------
        InputError
            If the load is above 10, which is probably a percentage; if all jobs are submitted at
            one instant; or if no job before the last one has any work.
        """
        offered = self.offered_load(system)
        if offered == 0:
            raise InputError(
                "all jobs before the last one have a run time of 0, so no rate gives them a load; "
                "give jobs with run times"
            )
        return self._stretched(offered / checks.offered_load(load))

    def split(
        self,
        *,
        at_most: int | None = None,
        into: int | None = None,
        above: int = 0,
        rounding: str = "even",
    ) -> "JobStream":
        """Split the jobs into components, and return them as a stream of unordered requests.

        Give either `at_most` or `into`.

        Parameters
        ----------
        at_most : int, optional
            The largest number of processors of a component. Each job gets as few components as
            possible, which differ by at most one processor.
        into : int, optional
            Number of components of each job. A job with fewer processors gets fewer components.
        above : int
            With `into`, only jobs with more processors than this are split.
        rounding : {"even", "floor", "ceiling"}
            With `into`, what happens if the processors do not divide evenly. See
            `coalloc_lib.model.splitting.split_into`.

        Examples
        --------
        >>> JobStream([0, 0], [5, 5], [12, 6]).split(at_most=8).components.tolist()
        [[6, 6], [6, 0]]
        """
        if (at_most is None) == (into is None):
            raise InputError("split takes either at_most or into; give exactly one of them")
        if at_most is not None:
            if above or rounding != "even":
                raise InputError(
                    "the options `above` and `rounding` apply only with `into`; leave them out, or "
                    "give `into` instead of `at_most`"
                )
            components = split_smallest(self.processors, at_most)
        else:
            split = self.processors > whole("above", above, least=0)
            parts = np.where(split, whole("into", into), 1)
            components = split_into(self.processors, parts, rounding)
        return self.replace(components=components, request="unordered")

    def in_nodes(self, processors: int) -> "JobStream":
        """Return the stream with each component size rounded up to a whole number of nodes.

        If the size of every cluster is also a multiple of the node size, jobs use only whole nodes.

        Parameters
        ----------
        processors : int
            Number of processors of a node.

        Examples
        --------
        >>> JobStream([0, 0], [5, 5], [[3, 0], [8, 5]]).in_nodes(4).components.tolist()
        [[4, 0], [8, 8]]
        """
        size = whole("processors", processors)
        return self.replace(components=-(-self.components // size) * size)

    def chopped(self, at_most: Any) -> Chopped:
        """Cut wide jobs into subjobs, which are separate jobs submitted at the same time.

        Unlike the components of a job, subjobs start and end independently of each other. They are
        total requests, or flexible requests if the jobs of the stream are flexible.

        Parameters
        ----------
        at_most : int or array_like of int, shape (n,)
            The largest number of processors of a subjob, for all jobs or for each job. All subjobs
            of a job but the last have this number.

        Returns
        -------
        Chopped
            The subjobs, and the job to which each belongs.

        Examples
        --------
        >>> jobs = JobStream(submit=[0, 1], runtime=[5, 2], components=[10, 3])
        >>> jobs.chopped(4).subjobs.processors.tolist()
        [4, 4, 2, 3]
        """
        return chop(self, at_most)


def _read_only(column: NDArray) -> NDArray:
    column.flags.writeable = False
    return column


def _frozen(state: Mapping[str, Any]) -> JobStream:
    stream = object.__new__(JobStream)
    vars(stream).update(state)
    stream._freeze()
    return stream
