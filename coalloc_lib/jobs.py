"""Job streams: the columns of a workload, and what can be done with them.

A job is rigid: its processors and its run time are fixed. `components` holds one row a job; how
the row is read is the stream's request type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.cards import card, span_of
from coalloc_lib.checks import InputError, instance_of, one_of, positive, shown, whole
from coalloc_lib.chopping import Chopped, chop
from coalloc_lib.columns import (
    component_table,
    deadlines,
    instants,
    job_numbers,
    known_times,
    per_job,
    refuse_different_indexes,
    times,
)
from coalloc_lib.reservations import WISHES, drawn_ahead, moved_along, refuse_early
from coalloc_lib.seeds import Seed
from coalloc_lib.splitting import split_into, split_smallest
from coalloc_lib.system import Multicluster

#: The request types. ``ordered``: column i on cluster i. ``unordered``: components on distinct
#: clusters. ``flexible``: the row sum, spread as the placement says. ``total``: the row sum on
#: one cluster.
REQUESTS = ("ordered", "unordered", "flexible", "total")

#: The columns of a stream, by the names under which they are given.
COLUMNS = (
    "submit", "runtime", "components", "estimate", "span_penalty", "number",
    "earliest_start", "latest_start",
)  # fmt: skip


@dataclass(frozen=True, init=False, eq=False, repr=False)
class JobStream:
    """Jobs in columns, one entry a job, in any order of submission.

    Parameters
    ----------
    submit : array_like, shape (n,)
        Instants of submission: numbers of 0 or more, timedeltas (which become seconds), or
        datetimes, of which the seconds since the first are kept; those with a time zone are
        compared in UTC, those without one as they stand.
    runtime : array_like, shape (n,)
        Run time of each job on one cluster, 0 or more: numbers in the unit of `submit`, or
        timedeltas, which become seconds.
    components : array_like of int, shape (n, k) or (n,)
        Processors of each component, padded with zeros.
    estimate : array_like, shape (n,), optional
        The user's estimate of the run time, given as `runtime` is. Where it is not given, or
        masked in a NumPy masked array, it is the run time, also after that is replaced.
    request : {"ordered", "unordered", "flexible", "total"}
        How `components` is read.
    span_penalty : float or array_like, shape (n,)
        A job on more than one cluster runs ``runtime * (1 + span_penalty)``.
    number : array_like of int, shape (n,), optional
        What each job is called in a schedule: a log's own numbers, or 1, 2, ..., n where they are
        not given. They stay with the jobs in every selection, and need not be different.
    earliest_start, latest_start : array_like, shape (n,), optional
        Advance reservations: the instants between which each job asks to start, in the seconds of
        `submit` (for datetimes, since the first submission), or timedeltas. Where they are not
        given they are its submission, and infinity. `simulate` takes them for `Online`.

    Raises
    ------
    InputError
        A column is empty, of another length, negative, not finite or missing an entry, or holds
        what is no number; two columns of pandas differ in their index; or a job's earliest start
        comes before its submission, or its latest before its earliest.

    Notes
    -----
    Columns of pandas are taken by position. Whole numbers above 2^53, which a float cannot hold,
    are refused rather than rounded.

    A stream is a `coalloc_lib.workloads.Workload`, as a log has one for each type of request.

    Examples
    --------
    >>> from datetime import datetime, timedelta
    >>> jobs = JobStream(
    ...     submit=[datetime(2020, 1, 1, 8, 30), datetime(2020, 1, 1, 8)],
    ...     runtime=[timedelta(minutes=5), timedelta(hours=1)],
    ...     components=[4, 16],
    ... )
    >>> jobs.submit.tolist(), jobs.runtime.tolist()
    ([1800.0, 0.0], [300.0, 3600.0])
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
    #: The estimates that were given, masked where one was not; None where none was.
    _requested: np.ma.MaskedArray | None

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
    ) -> None:
        """Check every column and freeze it."""
        columns = (submit, runtime, components, estimate, span_penalty, number)
        given = dict(zip(COLUMNS, (*columns, earliest_start, latest_start), strict=True))
        self._keep(given | {"request": request})

    def _keep(self, given: Mapping[str, Any]) -> None:
        """Check these columns and keep them; all others are there and in order."""
        refuse_different_indexes(given)
        checked = vars(self)
        if "request" in given:
            checked["request"] = one_of("request", given["request"], REQUESTS)
        before = checked.get("submit")
        if "submit" in given:
            checked["submit"] = instants("submit", given["submit"])
        count = len(self)
        if count == 0:
            raise InputError("submit is empty; a stream has at least one job")
        for name in (name for name in _CHECKS if name in given):
            checked[name] = _CHECKS[name](name, given[name], count)
        if "earliest_start" in given:
            wish = given["earliest_start"]
            checked["earliest_start"] = self.submit if wish is None else times(WISHES[0], wish)
        if "estimate" in given:
            checked["_requested"] = known_times("estimate", given["estimate"])
        for name in COLUMNS:
            column = self._requested if name == "estimate" else checked[name]
            if column is not None and len(column) != count:
                raise InputError(
                    f"{name} has {len(column)} entries and submit has {count}; give one a job"
                )
        if before is not None and before is not self.submit:
            for name in {*WISHES} - given.keys():
                checked[name] = moved_along(checked[name], before, self.submit)
        refuse_early(self.submit, self.earliest_start, self.latest_start)
        self._freeze()
        self._refuse_overflow()

    def _freeze(self) -> None:
        """Work out the estimates and let no one write into a column."""
        known, runtime = self._requested, self.runtime
        estimate = runtime if known is None else np.where(known.mask, runtime, known.data)
        vars(self)["estimate"] = estimate
        for name in COLUMNS:
            getattr(self, name).flags.writeable = False

    def _refuse_overflow(self) -> None:
        """Refuse times so long that instants would be infinite, or lose all their digits."""
        with np.errstate(over="ignore"):
            longest = self.runtime.max() * (1 + self.span_penalty.max())
            last = self.submit.max() + len(self) * longest
        if not last < 1e300:
            job = int(np.argmax(self.runtime))
            raise InputError(
                f"runtime[{job}] = {self.runtime[job]:g}; the jobs would end past 1e300, give "
                "shorter times or another unit"
            )

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
        """Return the jobs that a slice, mask or index array selects, as a stream."""
        try:
            rows = np.arange(len(self))[selection]
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(
                f"jobs[{shown(selection)}] of {len(self)} jobs: {error}; give a slice, a mask or "
                "positions"
            ) from None
        if rows.ndim == 0:
            raise InputError(f"jobs[{selection}] is one job; give a slice: jobs[{rows}:{rows + 1}]")
        if rows.ndim > 1 or len(rows) == 0:
            raise InputError(f"jobs[{shown(selection)}] selects no jobs; give others")
        columns = {name: getattr(self, name)[rows] for name in COLUMNS if name != "estimate"}
        requested = None if self._requested is None else self._requested[rows]
        return _frozen(columns | {"request": self.request, "_requested": requested})

    def replace(self, **columns: Any) -> "JobStream":
        """Return a stream with these columns exchanged and all others kept.

        Where no estimate was given, it goes on being the run time; ``estimate=None`` gives up
        those that were. Where submissions are exchanged, an earliest and a latest start that are
        not keep their distance to them: what is asked for two hours ahead still is.
        """
        unknown = sorted(columns.keys() - {*COLUMNS, "request"})
        if unknown:
            raise InputError(f"no column {unknown}; choose from {', '.join(COLUMNS)}")
        new = _frozen(vars(self))  # columns are frozen, so that both may have them
        new._keep(columns)
        return new

    @property
    def processors(self) -> NDArray[np.int64]:
        """Processors of each job, shape (n,)."""
        return np.einsum("ij->i", self.components)  # several times faster than sum(axis=1)

    @property
    def work(self) -> NDArray[np.float64]:
        """Processor-time of each job without the span penalty, shape (n,)."""
        return self.processors * self.runtime

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job, without the span penalty."""
        return float(self.work.mean())

    @property
    def has_reservations(self) -> bool:
        """Whether a job asks to start later than it is submitted, or no later than some instant."""
        asks = (self.earliest_start > self.submit) | (self.latest_start < np.inf)
        return bool(asks.any())

    def reserved_ahead(self, share: float, up_to: float, seed: Seed) -> "JobStream":
        """Return the stream with an advance reservation for a share of the jobs.

        Parameters
        ----------
        share : float
            The chance of each job to be one that reserves.
        up_to : float
            Those ask to start no earlier than a time after their submission that is uniform from
            0 up to this. All others ask for no later start than at once.
        seed : int or SeedSequence
            With the same seed a job that reserves at one share does so at every larger one, as
            long ahead: streams of several shares can be compared.

        References
        ----------
        Castillo, Rouskas, Harfoush: Resource Co-Allocation for Large-Scale Distributed
        Environments (2009), section 5.2, which draws from 0 to 3 hours.

        Examples
        --------
        >>> jobs = JobStream(submit=[0, 7, 9], runtime=[1, 1, 1], components=[1, 1, 1])
        >>> ahead = jobs.reserved_ahead(1.0, up_to=3.0, seed=1)
        >>> bool((ahead.earliest_start < jobs.submit + 3).all()), ahead.has_reservations
        (True, True)
        """
        return self.replace(earliest_start=drawn_ahead(self.submit, share, up_to, seed))

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> "JobStream":
        """Return the first `count` jobs, in order of submission (ties by position).

        Parameters
        ----------
        count : int
            At most the jobs there are.
        seed : int or SeedSequence
            Changes nothing: nothing here is random.
        rate : float, optional
            The interarrival times are scaled so that they have a mean of ``1 / rate``; the first
            instant stays. They are kept where it is not given.
        """
        if whole("count", count) > len(self):
            raise InputError(f"count = {count}, and there are {len(self)} jobs; give at most these")
        first = self[np.argsort(self.submit, kind="stable")[:count]]
        if rate is None:
            return first
        span = first.submit[-1] - first.submit[0]
        if span == 0:
            raise InputError("the jobs are submitted at one instant; give no rate, or more jobs")
        return first._stretched((count - 1) / (span * positive("rate", rate)))

    def _stretched(self, factor: float) -> "JobStream":
        """Return the stream with its interarrival times multiplied, from the first instant on."""
        first = self.submit.min()
        return self.replace(submit=first + (self.submit - first) * factor)

    def offered_load(self, system: Multicluster) -> float:
        """Work per processor and unit of time over the span of the submissions.

        Of n jobs, n - 1 interarrival times are seen, so the last job's work does not count.
        """
        instance_of("system", system, Multicluster, "Multicluster([32, 32])")
        span = np.ptp(self.submit)
        if span == 0:
            raise InputError("submit spans no time; the offered load has no meaning")
        last = int(np.lexsort((np.arange(len(self)), self.submit))[-1])
        work = self.work.sum() - self.work[last]
        return float(work / (span * system.processors))

    def with_load(self, system: Multicluster, load: float) -> "JobStream":
        """Return the stream with its interarrival times scaled to this offered load."""
        return self._stretched(self.offered_load(system) / positive("load", load))

    def split(
        self,
        *,
        at_most: int | None = None,
        into: int | None = None,
        above: int = 0,
        rounding: str = "even",
    ) -> "JobStream":
        """Return an unordered stream whose jobs are split into components.

        Parameters
        ----------
        at_most : int, optional
            Use the smallest number of components that are no larger than this.
        into : int, optional
            Use this number of components (fewer where a job has fewer processors).
        above : int
            Jobs of at most so many processors stay whole.
        rounding : {"even", "floor", "ceiling"}
            What becomes of what does not divide evenly; see `coalloc_lib.splitting.split_into`.
        """
        if (at_most is None) == (into is None):
            raise InputError("split takes either at_most or into; give exactly one")
        if at_most is not None:
            if above or rounding != "even":
                raise InputError("above and rounding go with into; leave them out with at_most")
            components = split_smallest(self.processors, at_most)
        else:
            split = self.processors > whole("above", above, least=0)
            parts = np.where(split, whole("into", into), 1)
            components = split_into(self.processors, parts, rounding)
        return self.replace(components=components, request="unordered")

    def chopped(self, at_most: Any) -> "Chopped[JobStream]":
        """Chop wide jobs into pieces that are submitted together, each a job of its own.

        Unlike the components that `split` makes, pieces start and end apart from one another.

        Parameters
        ----------
        at_most : int or array_like of int, shape (n,)
            The largest piece, of all jobs or of each: pieces have so many processors, and one of
            them the rest.

        Returns
        -------
        Chopped
            The pieces as a stream (for total requests, if these are not flexible), and which job
            each belongs to.
        """
        if self.request == "ordered":
            raise InputError(
                "chopped is for jobs that name no clusters, and these are ordered; replace(request="
                "'total') first"
            )
        sizes, job = chop(self.processors, at_most)
        request = "flexible" if self.request == "flexible" else "total"
        return Chopped(self, self[job].replace(components=sizes, request=request), job)


def _frozen(state: Mapping[str, Any]) -> JobStream:
    """Return a stream of columns that are checked already."""
    stream = object.__new__(JobStream)
    vars(stream).update(state)
    stream._freeze()
    return stream


#: What each column is given through: (name, values, number of jobs) to an array.
_CHECKS = {
    "runtime": lambda name, value, _: times(name, value),
    "components": component_table,
    "span_penalty": per_job,
    "number": job_numbers,
    "latest_start": deadlines,
}
