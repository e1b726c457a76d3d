"""Job streams: the columns of a workload, and what can be done with them.

A job is rigid: its processors and its run time are fixed. `components` holds one row a job; how
the row is read is the stream's request type.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, instance_of, one_of, shown, whole, whole_numbers
from coalloc_lib.basics.display import card, span_of
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.system import Multicluster

#: The request types. ``ordered``: column i on cluster i. ``unordered``: components on distinct
#: clusters. ``flexible``: the row sum, distributed as the placement says. ``total``: the row sum on
#: one cluster.
REQUESTS = ("ordered", "unordered", "flexible", "total")

#: The columns of a stream, by the names under which they are given.
COLUMNS = (
    "submit", "runtime", "components", "estimate", "span_penalty", "number",
    "earliest_start", "latest_start", "priority", "label", "failed",
)  # fmt: skip

#: The attribute that holds each column as it was given: estimates may be masked, and labels and
#: failures may be missing.
_STORED = {name: name for name in COLUMNS} | {
    "estimate": "_requested", "label": "_label", "failed": "_failed",
}  # fmt: skip

#: What becomes of what does not divide evenly; see `split_into`.
ROUNDINGS = ("even", "floor", "ceiling")

#: Components of a job, and subjobs of all jobs together: far more than are of any use.
_MOST_PARTS, _MOST_SUBJOBS = 10**6, 10**8


@dataclass(frozen=True, init=False, eq=False, repr=False)
class JobStream:
    """Jobs in columns, one entry a job, in any order of submission.

    Parameters
    ----------
    submit : array_like, shape (n,)
        Instants of submission: numbers of 0 or more, timedeltas (in seconds), or datetimes, of
        which the seconds since the first are kept; those with a time zone are compared in UTC.
    runtime : array_like, shape (n,)
        Run time on one cluster, 0 or more: numbers in the unit of `submit`, or timedeltas.
    components : array_like of int, shape (n, k) or (n,)
        Processors of each component, padded with zeros.
    estimate : array_like, shape (n,), optional
        The user's estimate of the run time; where it is not given, or masked, the run time, also
        after that is replaced.
    request : {"ordered", "unordered", "flexible", "total"}
        How `components` is read.
    span_penalty : float, array_like of shape (n,) or (n, k), or dict
        A job on more than one cluster runs ``runtime * (1 + span_penalty)``. A row or a dict, such
        as ``{2: 0.1, 3: 0.2}``, is of 2, 3, ... clusters; the last entry is for more.
    number : array_like of int, shape (n,), optional
        What each job is called in a schedule, and keeps in every selection (default 1, ..., n).
    earliest_start, latest_start : array_like, shape (n,), optional
        Advance reservations, for `Online`: each job asks to start between these instants, in the
        seconds of `submit`, or timedeltas; by default between its submission and infinity.
    priority : float or array_like, shape (n,)
        Numbers of 0 or more: policies with ``order="priority"`` take the highest first.
    label : array_like of str, shape (n,), optional
        What each job is called in other tools' files (default: its number).
    failed : array_like of bool, shape (n,), optional
        Whether each job ends without success, for example because it is stopped at its time limit
        (default: no job). It changes no schedule; exports to other tools contain it.

    Notes
    -----
    Columns of pandas are taken by position, and must not differ in their index. Whole numbers above
    2^53, which a float cannot hold, are refused. A stream is a `coalloc_lib.workloads.Workload`.
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
    #: The estimates that were given, masked where one was not; None where none was.
    _requested: np.ma.MaskedArray | None
    #: The labels and failures that were given; None if none were.
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
        """Check every column and freeze it."""
        wishes = (earliest_start, latest_start, priority, label, failed)
        columns = (submit, runtime, components, estimate, span_penalty, number, *wishes)
        self._keep(dict(zip(COLUMNS, columns, strict=True)) | {"request": request})

    def _keep(self, given: Mapping[str, Any]) -> None:
        """Check these columns and keep them; all others are there and in order."""
        _refuse_different_indexes(given)
        columns = vars(self)
        before = columns.get("submit")
        if "request" in given:
            columns["request"] = one_of("request", given["request"], REQUESTS)
        if "submit" in given:
            columns["submit"] = checks.instants("submit", given["submit"])
        count = len(self)
        if count == 0:
            raise InputError("submit is empty; a stream has at least one job")
        for name, check in _CHECKS.items():
            if name in given:
                columns[_STORED[name]] = check(name, given[name], count)
        if columns["earliest_start"] is None:
            columns["earliest_start"] = self.submit
        for name in COLUMNS:
            column = columns[_STORED[name]]
            if column is not None and len(column) != count:
                raise InputError(
                    f"{name} has {len(column)} entries and submit has {count}; give one a job"
                )
        if before is not None and before is not self.submit:
            for name in {"earliest_start", "latest_start"} - given.keys():
                columns[name] = self.submit + (columns[name] - before)
        self._refuse_early("earliest_start", "submit")
        self._refuse_early("latest_start", "earliest_start")
        self._freeze()
        with np.errstate(over="ignore"):
            longest = self.runtime.max() * (1 + self.span_penalty.max())
            last = self.submit.max() + count * longest
        if not last < 1e300:  # instants would be infinite, or lose all their digits
            job = int(np.argmax(self.runtime))
            raise InputError(
                f"runtime[{job}] = {self.runtime[job]:g}; the jobs would end past 1e300, give "
                "shorter times or another unit"
            )

    def _refuse_early(self, later: str, sooner: str) -> None:
        """Refuse a job whose instant in the one column comes before that in the other."""
        one, other = getattr(self, later), getattr(self, sooner)
        if (one < other).any():
            job = int((one < other).argmax())
            raise InputError(
                f"{later}[{job}] = {one[job]:g} comes before {sooner}[{job}] = {other[job]:g}; "
                "give an instant from there on"
            )

    def _freeze(self) -> None:
        """Work out the estimates and make all columns read-only."""
        known, runtime = self._requested, self.runtime
        estimate = runtime if known is None else np.where(known.mask, runtime, known.data)
        vars(self)["estimate"] = estimate
        for name in COLUMNS:
            column = vars(self).get(name, vars(self)[_STORED[name]])
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
        """Return the jobs that a slice, mask or index array selects, as a stream."""
        label = f"jobs[{shown(selection)}]"
        try:
            rows = np.arange(len(self))[selection]
        except (IndexError, TypeError, ValueError) as error:
            mend = "give a slice, a mask or positions"
            raise InputError(f"{label} of {len(self)} jobs: {error}; {mend}") from None
        if rows.ndim == 0:
            raise InputError(f"jobs[{selection}] is one job; give a slice: jobs[{rows}:{rows + 1}]")
        if rows.ndim > 1 or len(rows) == 0:
            raise InputError(f"{label} selects no jobs; give others")
        columns = {name: vars(self)[name] for name in _STORED.values()}
        chosen = {name: None if of is None else of[rows] for name, of in columns.items()}
        return _frozen(chosen | {"request": self.request})

    def replace(self, **columns: Any) -> "JobStream":
        """Return a stream with these columns exchanged and all others kept.

        ``estimate=None`` makes the run times the estimates. Where submissions alone are
        exchanged, earliest and latest starts keep their distance to them.
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
    def has_estimate(self) -> NDArray[np.bool_]:
        """Which jobs have an estimate of their own, not their run time, shape (n,)."""
        known = self._requested
        return np.zeros(len(self), bool) if known is None else ~np.ma.getmaskarray(known)

    @property
    def label(self) -> NDArray[np.str_]:
        """What each job is called in other tools' files, shape (n,)."""
        return _read_only(self.number.astype(str)) if self._label is None else self._label

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each job ends without success, shape (n,)."""
        return _read_only(np.zeros(len(self), bool)) if self._failed is None else self._failed

    @property
    def has_reservations(self) -> bool:
        """Whether a job asks to start later than it is submitted, or no later than some instant."""
        return bool(self.is_reserved.any())

    @property
    def is_reserved(self) -> NDArray[np.bool_]:
        """Which jobs ask so, shape (n,)."""
        return (self.earliest_start > self.submit) | (self.latest_start < np.inf)

    def reserved_ahead(self, share: float, up_to: float, seed: Seed) -> "JobStream":
        """Return the stream with an advance reservation for a share of the jobs.

        Each asks to start no earlier than a uniform time from 0 to `up_to` after its submission, as
        in section 5.2 of Castillo, Rouskas, Harfoush (2009), where that is 3 hours. With the same
        seed a job that reserves at one share does so at every larger one.
        """
        if checks.not_negative("share", share) > 1:
            raise InputError(f"share = {shown(share)}; give a number from 0 to 1")
        longest = checks.not_negative("up_to", up_to)
        chosen, ahead = (rng.random(len(self)) for rng in generators(seed, 2))
        ahead = np.where(chosen < share, ahead * longest, 0.0)
        return self.replace(earliest_start=self.submit + ahead)

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> "JobStream":
        """Return the first `count` jobs, in order of submission; the seed is not used.

        A `rate` scales the interarrival times to a mean of ``1 / rate`` from the first instant on.
        """
        if whole("count", count) > len(self):
            raise InputError(f"count = {count}, and there are {len(self)} jobs; give at most these")
        first = self[np.argsort(self.submit, kind="stable")[:count]]
        if rate is None:
            return first
        span = first.submit[-1] - first.submit[0]
        if span == 0:
            raise InputError("the jobs are submitted at one instant; give no rate, or more jobs")
        return first._stretched((count - 1) / (span * checks.positive("rate", rate)))

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
        return float((self.work.sum() - self.work[last]) / (span * system.processors))

    def with_load(self, system: Multicluster, load: float) -> "JobStream":
        """Return the stream with its interarrival times scaled to this offered load."""
        return self._stretched(self.offered_load(system) / checks.positive("load", load))

    def split(
        self,
        *,
        at_most: int | None = None,
        into: int | None = None,
        above: int = 0,
        rounding: str = "even",
    ) -> "JobStream":
        """Return an unordered stream whose jobs are split into components.

        Give `at_most`, for the fewest components of no more processors, or `into`, their number
        (fewer where a job has fewer processors). With `into`, jobs of at most `above` processors
        stay whole, and the `rounding` is that of `split_into`.
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

    def in_nodes(self, processors: int) -> "JobStream":
        """Return the stream with every component in whole nodes of so many processors.

        Where the clusters are whole nodes too, every allocation is.

        Examples
        --------
        >>> JobStream([0, 0], [5, 5], [[3, 0], [8, 5]]).in_nodes(4).components.tolist()
        [[4, 0], [8, 8]]
        """
        size = whole("processors", processors)
        return self.replace(components=-(-self.components // size) * size)

    def chopped(self, at_most: Any) -> "Chopped":
        """Cut wide jobs into subjobs that are submitted together, each a job of its own.

        Unlike components, subjobs start and end apart from one another. Their requests are total,
        or flexible where those of the jobs are. `at_most` gives the processors of a subjob, for all
        jobs or for each; the last subjob has the rest.
        """
        if self.request == "ordered":
            raise InputError(
                "chopped is for jobs that name no clusters, and these are ordered; replace(request="
                "'total') first"
            )
        most = whole_numbers("at_most", at_most)
        if most.shape not in ((), self.submit.shape):
            raise InputError(
                f"at_most has shape {most.shape} and there are {len(self)} jobs; give one "
                "number, or one a job"
            )
        most = np.broadcast_to(most, self.submit.shape)
        count = -(-self.processors // most)
        checks.in_memory("subjobs", int(count.sum()), _MOST_SUBJOBS)
        job = np.repeat(np.arange(len(self)), count)
        before = np.arange(len(job)) - np.repeat(np.cumsum(count) - count, count)
        sizes = np.minimum(most[job], self.processors[job] - before * most[job])
        request = "flexible" if self.request == "flexible" else "total"
        return Chopped(self, self[job].replace(components=sizes, request=request), job)


@dataclass(frozen=True, eq=False, repr=False)
class Chopped:
    """A stream whose wide jobs are cut into subjobs, in the order of the jobs.

    `job` holds the position in `whole`, the jobs as they were, of the job of each subjob.
    """

    whole: JobStream
    subjobs: JobStream
    job: NDArray[np.int64]

    def __repr__(self) -> str:
        wide = int((np.bincount(self.job) > 1).sum())
        return f"<Chopped: {wide} of {self.job[-1] + 1} jobs cut, {len(self.job)} subjobs>"

    def last(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the largest value of each job's subjobs, such as the last end; NaN if one is."""
        column = np.asarray(values, dtype=float)
        if column.shape != self.job.shape:
            raise InputError(
                f"values has shape {column.shape} and there are {len(self.job)} subjobs; give one "
                "value a subjob, such as the end of a schedule of `subjobs`"
            )
        return np.maximum.reduceat(column, np.flatnonzero(np.diff(self.job, prepend=-1)))


def merge(*streams: JobStream) -> JobStream:
    """Return one stream of the jobs of several with one request type, in order of submission.

    Ties keep the order of the streams. Jobs keep their numbers where these are all different,
    and are else numbered in the order of the merged stream, from 1.
    """
    if not streams:
        raise InputError("merge was given no stream; give at least one")
    example = "JobStream(submit=..., runtime=..., components=...) or merge(*list)"
    for position, stream in enumerate(streams):
        instance_of(f"streams[{position}]", stream, JobStream, example)
    requests = {stream.request for stream in streams}
    if len(requests) > 1:
        raise InputError(f"streams have request types {sorted(requests)}; replace() all but one")
    width = max(stream.components.shape[1] for stream in streams)
    optional = {name for name in ("label", "failed") if not _is_given(name, streams)}
    names = [name for name in COLUMNS if name not in optional]
    columns: dict[str, list] = {name: [getattr(s, name) for s in streams] for name in names}
    columns["components"] = [
        np.pad(c, ((0, 0), (0, width - c.shape[1]))) for c in columns["components"]
    ]
    if len({s.span_penalty.shape[1:] for s in streams}) > 1:
        tables = [s.span_penalty.reshape(len(s), -1) for s in streams]
        width = max(table.shape[1] for table in tables)
        columns["span_penalty"] = [
            np.pad(table, ((0, 0), (0, width - table.shape[1])), "edge") for table in tables
        ]
    columns["estimate"] = [
        np.ma.masked_all(len(s)) if s._requested is None else s._requested for s in streams
    ]
    joined = {name: np.ma.concatenate(parts) for name, parts in columns.items()}
    order = np.argsort(joined["submit"].data, kind="stable")
    joined = {name: column[order] for name, column in joined.items()}
    if len(np.unique(joined["number"])) < len(order):
        del joined["number"]
    return JobStream(**joined, request=requests.pop())


def _read_only(column: NDArray) -> NDArray:
    """Return a column that nobody can write into."""
    column.flags.writeable = False
    return column


def _is_given(name: str, streams: Iterable[JobStream]) -> bool:
    """Whether a column that may be missing is given in one of the streams."""
    return any(vars(stream)[_STORED[name]] is not None for stream in streams)


def split_into(totals: ArrayLike, parts: ArrayLike, rounding: str = "even") -> NDArray[np.int64]:
    """Split each total into `parts` components, larger ones first, padded with zeros.

    Parameters
    ----------
    totals, parts : int or array_like of int, shape (n,)
        Processors and components of each job. A total below its parts gives ones and zeros.
    rounding : {"even", "floor", "ceiling"}
        ``"even"``: components equal up to one. Else all but one are the total over the parts,
        rounded down or up, and one has the rest. Rounded up there may be fewer components; rounded
        down a total below its parts stays whole. One of these two is meant in section 3.1 of
        Ngubiri, van Vliet (2008): which brackets it prints is not known.

    Examples
    --------
    >>> [split_into([11], 4, rounding)[0].tolist() for rounding in ROUNDINGS]
    [[3, 3, 3, 2], [5, 2, 2, 2], [3, 3, 3, 2]]
    """
    one_of("rounding", rounding, ROUNDINGS)
    totals = np.atleast_1d(whole_numbers("totals", totals))
    parts = whole_numbers("parts", parts)
    if totals.ndim > 1 or parts.shape not in ((), totals.shape):
        raise InputError(
            f"totals and parts have shapes {totals.shape} and {parts.shape}; give one value a job"
        )
    parts = np.broadcast_to(parts, totals.shape)
    column = np.arange(checks.in_memory("parts", int(parts.max()), _MOST_PARTS))
    share, rest = (each[:, None] for each in np.divmod(totals, parts))
    if rounding == "even":
        sizes = share + (column < rest)
    elif rounding == "floor":
        sizes = share + np.where(column == 0, rest, 0)
    else:
        most = share + (rest > 0)
        sizes = np.clip(totals[:, None] - column * most, 0, most)
    return np.where(column < parts[:, None], sizes, 0)


def split_smallest(totals: ArrayLike, largest: int) -> NDArray[np.int64]:
    """Split each total J into ceil(J/N) components, equal up to one, of at most N = `largest`.

    These are the dependent component sizes of Bucur, Epema (2003), section 2.5.
    """
    totals = whole_numbers("totals", totals)
    return split_into(totals, -(-totals // whole("largest", largest)))


def _frozen(state: Mapping[str, Any]) -> JobStream:
    """Return a stream of columns that are checked already."""
    stream = object.__new__(JobStream)
    vars(stream).update(state)
    stream._freeze()
    return stream


def _component_table(name: str, components: Any, _jobs: int) -> NDArray[np.int64]:
    """Return the components as a new table with a row of whole numbers a job."""
    table = np.ascontiguousarray(whole_numbers(name, components, least=0))
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(f"{name} has {table.ndim} dimensions; give (jobs, components)")
    if table.min() == 0 and not table.any(axis=1).all():
        job = int((~table.any(axis=1)).argmax())
        raise InputError(f"{name}[{job}] = {shown(table[job])}; give at least one processor")
    return table


def _job_numbers(name: str, value: Any, jobs: int) -> NDArray[np.int64]:
    """Return the numbers of the jobs: those given, or 1, 2, 3, ..."""
    if value is None:
        return np.arange(1, jobs + 1)
    numbers = whole_numbers(name, value, least=-checks.LARGEST_WHOLE)
    if numbers.ndim != 1:
        raise InputError(f"{name} has {numbers.ndim} dimensions; give one number a job")
    return numbers


def _labels(_name: str, value: Any, _jobs: int) -> NDArray[np.str_] | None:
    """Return the labels of the jobs as an array; None if none are given."""
    if value is None:
        return None
    return np.array([str(each) for each in value])


def _failures(name: str, value: Any, jobs: int) -> NDArray[np.bool_] | None:
    """Return whether each job ends without success; None if it is not given."""
    if value is None:
        return None
    failures = np.array(value)
    if len(failures) == jobs and (failures.dtype != bool or failures.ndim > 1):
        raise InputError(f"{name} = {shown(value)}; give True or False for each job")
    return failures


def _penalties(name: str, value: Any, jobs: int) -> NDArray[np.float64]:
    """Return the penalty of each job, or a row of those on 2, 3, ... clusters."""
    if isinstance(value, Mapping):
        if not value or [*value] != [*range(2, len(value) + 2)]:
            raise InputError(
                f"{name} = {shown(value)}; give the penalty on 2, 3, ... clusters: "
                "{2: 0.1, 3: 0.2}"
            )
        value = np.tile(checks.per_job(name, [*value.values()], jobs), (jobs, 1))
    if np.ndim(value) == 2 and np.size(value):
        table = np.ascontiguousarray(value)
        return checks.per_job(name, table.ravel(), jobs).reshape(table.shape)
    return checks.per_job(name, value, jobs)


def _refuse_different_indexes(columns: Mapping[str, Any]) -> None:
    """Refuse columns of pandas that a user would expect to be matched by their indexes."""
    indexed = {name: column.index for name, column in columns.items() if hasattr(column, "iloc")}
    first = next(iter(indexed), "")
    for name, index in indexed.items():
        if not index.equals(indexed[first]):
            raise InputError(
                f"{first} and {name} have different indexes, and columns are taken by position; "
                "put them in one order and give .to_numpy() of each"
            )


#: What each column is given through: (name, values, number of jobs) to an array.
_CHECKS = {
    "runtime": lambda name, value, _: checks.times(name, value),
    "components": _component_table,
    "span_penalty": _penalties,
    "number": _job_numbers,
    "priority": checks.per_job,
    "label": _labels,
    "failed": _failures,
    "latest_start": checks.deadlines,
    "earliest_start": lambda name, value, _: None if value is None else checks.times(name, value),
    "estimate": lambda name, value, _: checks.known_times(name, value),
}
