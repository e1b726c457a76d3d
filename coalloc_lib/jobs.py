"""Job streams: the columns of a workload, and what can be done with them.

A job is rigid: its processors and its run time are fixed. `components` holds one row a job; how
the row is read is the stream's request type.
"""

from dataclasses import dataclass

import numpy as np

from coalloc_lib.cards import card, span_of
from coalloc_lib.checks import InputError, one_of, positive, times, whole, whole_numbers

#: The request types. ``ordered``: column i on cluster i. ``unordered``: components on distinct
#: clusters. ``flexible``: the row sum, spread as the system likes. ``total``: the row sum on one
#: cluster.
REQUESTS = ("ordered", "unordered", "flexible", "total")


@dataclass(frozen=True, eq=False, repr=False)
class JobStream:
    """Jobs in columns, one entry a job, in any order of submission.

    Parameters
    ----------
    submit : array_like, shape (n,)
        Instants of submission, 0 or more.
    runtime : array_like, shape (n,)
        Run time of each job on one cluster, 0 or more, in the same unit.
    components : array_like of int, shape (n, k) or (n,)
        Processors of each component, padded with zeros.
    estimate : array_like, shape (n,), optional
        The user's estimate of the run time; the run time itself where it is not given.
    request : {"ordered", "unordered", "flexible", "total"}
        How `components` is read.
    span_penalty : float or array_like, shape (n,)
        A job on more than one cluster runs ``runtime * (1 + span_penalty)``.

    Raises
    ------
    InputError
        A column is empty, of another length, negative or not a number.
    """

    submit: np.ndarray
    runtime: np.ndarray
    components: np.ndarray
    estimate: np.ndarray | None = None
    request: str = "unordered"
    span_penalty: np.ndarray | float = 0.0

    def __post_init__(self):
        """Check every column and freeze it."""
        submit = times("submit", self.submit)
        if len(submit) == 0:
            raise InputError("submit is empty; a stream has at least one job")
        columns = {
            "submit": submit,
            "runtime": times("runtime", self.runtime),
            "components": _component_table(self.components),
            "span_penalty": _per_job("span_penalty", self.span_penalty, len(submit)),
        }
        given = self.runtime if self.estimate is None else self.estimate
        columns["estimate"] = times("estimate", given)
        for name, column in columns.items():
            if len(column) != len(submit):
                raise InputError(
                    f"{name} has {len(column)} entries and submit has {len(submit)}; give one a job"
                )
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        one_of("request", self.request, REQUESTS)
        self._refuse_overflow()

    def _refuse_overflow(self):
        """Refuse times so long that instants would be infinite, or lose all their digits."""
        with np.errstate(over="ignore"):
            last = self.submit.max() + (self.runtime * (1 + self.span_penalty)).sum()
        if not last < 1e300:
            job = int(np.argmax(self.runtime))
            raise InputError(
                f"runtime[{job}] = {self.runtime[job]:g}; the jobs would end past 1e300, give "
                "shorter times or another unit"
            )

    def __len__(self):
        return len(self.submit)

    def __repr__(self):
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

    def __getitem__(self, selection):
        """Return the jobs that a slice, mask or index array selects, as a stream."""
        rows = np.arange(len(self))[selection]
        return self.replace(**{name: getattr(self, name)[rows] for name in _COLUMNS})

    def replace(self, **columns):
        """Return a stream with these columns exchanged and all others kept."""
        unknown = set(columns) - {*_COLUMNS, "request"}
        if unknown:
            raise InputError(f"no column {sorted(unknown)}; choose from {', '.join(_COLUMNS)}")
        kept = {name: getattr(self, name) for name in (*_COLUMNS, "request")}
        return JobStream(**(kept | columns))

    @property
    def processors(self):
        """Processors of each job, shape (n,)."""
        return self.components.sum(axis=1)

    @property
    def work(self):
        """Processor-time of each job without the span penalty, shape (n,)."""
        return self.processors * self.runtime

    def offered_load(self, system):
        """Work per processor and unit of time over the span of the submissions.

        Of n jobs, n - 1 interarrival times are seen, so the last job's work does not count.
        """
        span = np.ptp(self.submit)
        if span == 0:
            raise InputError("submit spans no time; the offered load has no meaning")
        last = int(np.lexsort((np.arange(len(self)), self.submit))[-1])
        work = self.work.sum() - self.work[last]
        return float(work / (span * system.processors))

    def with_load(self, system, load):
        """Return the stream with its interarrival times scaled to this offered load."""
        factor = self.offered_load(system) / positive("load", load)
        first = self.submit.min()
        return self.replace(submit=first + (self.submit - first) * factor)

    def scaled_runtimes(self, factor):
        """Return the stream with run times and estimates multiplied by `factor`."""
        factor = positive("factor", factor)
        return self.replace(runtime=self.runtime * factor, estimate=self.estimate * factor)

    def thinned(self, fraction, rng):
        """Return the stream with each job kept with probability `fraction`."""
        if not 0 < fraction <= 1:
            raise InputError(f"fraction = {fraction}; give a number above 0 and at most 1")
        kept = rng.random(len(self)) < fraction
        if not kept.any():
            raise InputError(f"fraction = {fraction} kept no job of {len(self)}; give more")
        return self[kept]

    def split(self, *, at_most=None, into=None):
        """Return an unordered stream whose jobs are split into equal components.

        Parameters
        ----------
        at_most : int, optional
            Use the smallest number of components that are no larger than this.
        into : int, optional
            Use this number of components (fewer where a job has fewer processors).
        """
        if (at_most is None) == (into is None):
            raise InputError("split takes either at_most or into; give exactly one")
        if at_most is not None:
            components = split_smallest(self.processors, at_most)
        else:
            components = split_into(self.processors, whole("into", into))
        return self.replace(components=components, request="unordered")


#: More processors than any float holds exactly; no system has as many.
_MOST = 2.0**53
_COLUMNS = ("submit", "runtime", "components", "estimate", "span_penalty")


def merge(*streams):
    """Return one stream of the jobs of several, in order of submission.

    Ties keep the order in which the streams were given. All must have one request type.
    """
    if not streams:
        raise InputError("merge was given no stream; give at least one")
    requests = {stream.request for stream in streams}
    if len(requests) > 1:
        raise InputError(f"streams have request types {sorted(requests)}; replace() all but one")
    width = max(stream.components.shape[1] for stream in streams)
    columns = {name: [getattr(s, name) for s in streams] for name in _COLUMNS}
    columns["components"] = [
        np.pad(c, ((0, 0), (0, width - c.shape[1]))) for c in columns["components"]
    ]
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    order = np.argsort(joined["submit"], kind="stable")
    return JobStream(**{name: c[order] for name, c in joined.items()}, request=requests.pop())


def split_into(totals, parts):
    """Split each total into `parts` components equal up to one, larger ones first.

    Parameters
    ----------
    totals : array_like of int, shape (n,)
        Processors of each job.
    parts : int or array_like of int, shape (n,)
        Number of components of each job. A total below it gives components of 1 and zeros.

    Returns
    -------
    ndarray of int, shape (n, largest number of parts)
    """
    totals = whole_numbers("totals", np.atleast_1d(totals))
    parts = np.broadcast_to(whole_numbers("parts", parts), totals.shape)
    column = np.arange(parts.max())
    share, rest = np.divmod(totals, parts)
    sizes = share[:, None] + (column < rest[:, None])
    return np.where(column < parts[:, None], sizes, 0)


def split_smallest(totals, largest):
    """Split each total into the fewest equal components, up to one, of at most `largest`.

    That is ceil(J/N) components for a total J and clusters of N.

    References
    ----------
    Bucur, Epema (2003), section 2.5: dependent component sizes.
    """
    totals = whole_numbers("totals", np.atleast_1d(totals))
    return split_into(totals, -(-totals // whole("largest", largest)))


def _component_table(components):
    table = np.asarray(components)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(f"components has {table.ndim} dimensions; give (jobs, components)")
    if table.dtype.kind not in "iuf":
        raise InputError("components holds something that is no number; give whole numbers")
    if table.dtype.kind == "f":
        wrong = ~np.isfinite(table) | (table != np.floor(table)) | (np.abs(table) > _MOST)
        if wrong.any():
            job = int(wrong.any(axis=1).argmax())
            raise InputError(f"components[{job}] = {table[job].tolist()}; give whole numbers")
    table = np.array(table, dtype=np.int64, order="C")
    bad = (table < 0).any(axis=1) | (table.sum(axis=1) < 1)
    if bad.any():
        job = int(bad.argmax())
        raise InputError(
            f"components[{job}] = {table[job].tolist()}; "
            "give no negative component and at least one processor"
        )
    return table


def _per_job(name, value, count):
    if np.ndim(value) == 0:
        value = [value] * count
    return times(name, value, unit="as a fraction of the run time")
