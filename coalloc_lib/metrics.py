"""What a schedule means to those who wait for it: one table, per site, per width, for all.

A group is a set of jobs; a grouping gives each job its group: the site it was submitted at, its
width, or anything else. Where wide jobs were chopped, pieces can be counted or the jobs themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import (
    InputError,
    instance_of,
    not_negative,
    numbers,
    positive,
    shown,
    whole_numbers,
)
from coalloc_lib.jobs import Chopped, JobStream
from coalloc_lib.schedule import Schedule
from coalloc_lib.system import Multicluster

if TYPE_CHECKING:
    import pandas as pd

_SCHEDULE = "what simulate() or coalloc_lib.sites returns"


def summary(
    schedule: Schedule,
    groups: Any = None,
    *,
    chopped: Chopped | None = None,
    percentiles: Sequence[float] = (50, 90, 95),
    at_least: float = 10.0,
) -> "pd.DataFrame":
    """Return the metrics of all jobs and of every group of them, a row each.

    Parameters
    ----------
    schedule : Schedule
    groups : array_like, shape (n,), or mapping of str to such, optional
        The group of each job, such as the site of each; or several groupings by their names:
        ``{"site": site, "width": by_width(jobs)}``.
    chopped : Chopped, optional
        Of what the jobs of the schedule are pieces: then the original jobs are counted, and
        `groups` are theirs. A job starts with its first piece and ends with its last. Where it is
        not given, each piece is a job, as the paper weighs them.
    percentiles : sequence of float
        From 0 to 100, of response time, wait and bounded slowdown.
    at_least : float
        The shortest time that a job counts as in the bounded slowdown: 10 s is usual.

    Returns
    -------
    pandas.DataFrame
        The columns ``grouping`` and ``group`` (``all`` for all jobs), ``counted`` (``as
        scheduled``, or ``whole jobs`` where these were chopped), ``jobs``, ``refused`` (how many of
        these were: all that follows is about the others), ``spanning`` (the share of jobs on
        several clusters), ``awrt_work`` and ``awrt_processors`` (see
        `Schedule.average_weighted_response_time`), and of ``response``, ``wait`` and ``slowdown``
        the mean, ``response_mean``, and the percentiles, ``response_p95``.

    Raises
    ------
    InputError
        A group has no job, or none that was served or has any work; or `groups` or `chopped` are
        those of other jobs.

    Notes
    -----
    AWRT weighs each job, or each piece, by processors or by processors times run time on one
    cluster. Between jobs and pieces it differs: of a job's pieces most may end before the last.

    References
    ----------
    Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for
    Parallel Job Scheduling (2002), section 4.3, for AWRT.
    Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong: Theory and practice in parallel job
    scheduling. JSSPP 1997, for the bounded slowdown.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 0, 0], runtime=[60, 60, 60], components=[8, 4, 4])
    >>> table = summary(co.simulate(co.Multicluster([8]), jobs), {"width": by_width(jobs)})
    >>> table[["grouping", "group", "jobs", "response_mean", "awrt_work"]]
      grouping group  jobs  response_mean  awrt_work
    0      all   all     3          100.0       90.0
    1    width   3-4     2          120.0      120.0
    2    width   5-8     1           60.0       60.0
    """
    import pandas as pd

    marks = [_percentile(mark) for mark in percentiles]
    jobs = job_table(schedule, chopped, at_least=at_least)
    counted = {"counted": "as scheduled" if chopped is None else "whole jobs"}
    rows = [
        {"grouping": grouping, "group": group}
        | counted
        | _metrics(jobs[members], marks, f"group {group!r} of {grouping}")
        for grouping, group, members in _members(groups, len(jobs))
    ]
    return pd.DataFrame(rows)


def job_table(
    schedule: Schedule, chopped: Chopped | None = None, *, at_least: float = 10.0
) -> "pd.DataFrame":
    """Return a row a job with all that its metrics are made of.

    Parameters
    ----------
    schedule, chopped, at_least
        As in `summary`.

    Returns
    -------
    pandas.DataFrame
        The columns ``job`` (its number), ``submit``, ``start``, ``end``, ``processors``, ``work``,
        ``spans``, ``wait``, ``response`` and ``slowdown``. A job that was refused, or of which a
        piece was, has the instants NaN.
    """
    import pandas as pd

    instance_of("schedule", schedule, Schedule, _SCHEDULE)
    least = positive("at_least", at_least)
    jobs, start, end = schedule.jobs, schedule.start, schedule.end
    length, spans = end - start, schedule.spans
    if chopped is not None:
        _check_pieces(schedule, chopped)
        jobs = chopped.whole
        start, end = chopped.first(start), chopped.last(end)
        length, spans = chopped.last(length), chopped.last(spans) > 0
    submit = schedule.jobs.submit if chopped is None else chopped.first(schedule.jobs.submit)
    response = end - submit
    return pd.DataFrame(
        {
            "job": jobs.number,
            "submit": submit,
            "start": start,
            "end": end,
            "processors": jobs.processors,
            "work": jobs.work,
            "spans": spans,
            "wait": start - submit,
            "response": response,
            "slowdown": np.maximum(response / np.maximum(length, least), 1.0),
        }
    )


def by_width(jobs: JobStream, bounds: Any = None) -> "pd.Categorical":
    """Return the width group of each job, for `summary`.

    Parameters
    ----------
    jobs : JobStream
    bounds : sequence of int, optional
        The largest number of processors of each group, increasing. Where it is not given, 1, 2, 4,
        8, ..., without the groups that have no job; one that is given and has none is an error of
        `summary`.

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 0, 0], runtime=[1, 1, 1], components=[3, 1, 16])
    >>> list(by_width(jobs)), list(by_width(jobs, [4, 16]))
    (['3-4', '1', '9-16'], ['1-4', '1-4', '5-16'])
    """
    import pandas as pd

    instance_of("jobs", jobs, JobStream, "a JobStream, such as schedule.jobs")
    largest = int(jobs.processors.max())
    if bounds is None:
        edges = 2 ** np.arange((largest - 1).bit_length() + 1)
    else:
        edges = whole_numbers("bounds", bounds)
    if edges.ndim != 1 or (np.diff(edges) <= 0).any() or edges[-1] < largest:
        raise InputError(
            f"bounds = {shown(bounds)}; give increasing numbers of processors up to {largest} or "
            "more, those of the widest job"
        )
    lows = [1, *(edges[:-1] + 1)]
    names = [f"{a}-{b}" if a < b else f"{b}" for a, b in zip(lows, edges, strict=True)]
    groups = pd.Categorical.from_codes(np.searchsorted(edges, jobs.processors), names, ordered=True)
    return groups.remove_unused_categories() if bounds is None else groups


def utilization_timeline(schedule: Schedule, edges: Any, groups: Any = None) -> "pd.DataFrame":
    """Return the utilization in each interval of time, of every cluster or by every group.

    Parameters
    ----------
    schedule : Schedule
    edges : array_like, shape (m + 1,)
        Two or more increasing instants.
    groups : array_like, shape (n,), or mapping of str to such, optional
        As in `summary`: then a row has the share of all processors that the group's jobs used. The
        rows of one interval and grouping add up to that of ``all``.

    Returns
    -------
    pandas.DataFrame
        The columns ``grouping`` (``all``, ``cluster`` or that of `groups`), ``group`` (the number
        of a cluster), ``begin``, ``end`` and ``utilization``, the share of the processors busy: of
        the cluster's, else of all.
    """
    import pandas as pd

    instance_of("schedule", schedule, Schedule, _SCHEDULE)
    edges = numbers("edges", edges).astype(float)
    allocation = schedule.allocation
    parts: list[tuple[str, Any, Schedule]] = [
        (grouping, group, replace(schedule, allocation=allocation * members[:, None]))
        for grouping, group, members in _members(groups, len(schedule))
    ]
    if groups is None:
        parts += [
            ("cluster", c, replace(schedule, system=Multicluster(n), allocation=allocation[:, [c]]))
            for c, n in enumerate(schedule.system.sizes)
        ]
    frames = [
        pd.DataFrame(
            {
                "grouping": grouping,
                "group": group,
                "begin": edges[:-1],
                "end": edges[1:],
                "utilization": part.utilization_between(edges),
            }
        )
        for grouping, group, part in parts
    ]
    return pd.concat(frames, ignore_index=True)


def _percentile(mark):
    if not_negative("percentiles", mark) > 100:
        raise InputError(f"percentiles has {mark:g}; give numbers from 0 to 100")
    return mark


def _check_pieces(schedule, chopped):
    instance_of("chopped", chopped, Chopped, "what jobs.chopped(at_most) returned")
    if not np.array_equal(schedule.jobs.number, chopped.pieces.number) or not np.array_equal(
        schedule.jobs.processors, chopped.pieces.processors
    ):
        raise InputError(
            f"chopped has {len(chopped.pieces)} pieces, which are not the {len(schedule)} jobs of "
            "the schedule; give what these were made by"
        )


def _members(groups: Any, count: int) -> Iterator[tuple[str, Any, NDArray[np.bool_]]]:
    """Yield each group: its grouping, its name, and which jobs are in it; all of them first."""
    import pandas as pd

    yield "all", "all", np.ones(count, dtype=bool)
    if groups is None:
        return
    for grouping, given in (groups if isinstance(groups, Mapping) else {"group": groups}).items():
        try:
            labels = given if isinstance(given, pd.Categorical) else pd.Categorical(given)
        except (TypeError, ValueError) as error:
            raise InputError(f"groups {grouping!r} = {shown(given)} ({error}); {_LABELS}") from None
        if len(labels) != count:
            raise InputError(f"groups {grouping!r} has {len(labels)} for {count} jobs; {_LABELS}")
        if (labels.codes < 0).any():
            job = int((labels.codes < 0).argmax())
            raise InputError(f"groups {grouping!r} has no group for job {job}; {_LABELS}")
        for code, group in enumerate(labels.categories):
            members = labels.codes == code
            if not members.any():
                raise InputError(
                    f"group {group!r} of {grouping} has no job; leave it out, or give other bounds"
                )
            yield str(grouping), group, members


_LABELS = "give one a job"


def _metrics(jobs, marks, name):
    """Return the metrics of the jobs of a group."""
    served = jobs[jobs["end"].notna()]
    if served.empty:
        raise InputError(f"{name}: all {len(jobs)} jobs were refused; leave it out")
    found = {
        "jobs": len(jobs),
        "refused": len(jobs) - len(served),
        "spanning": float(served["spans"].mean()),
    }
    for weight in ("work", "processors"):
        total = served[weight].sum()
        if not total > 0:
            raise InputError(f"{name}: no job runs for any time, to weight by; leave it out")
        found[f"awrt_{weight}"] = float(served[weight] @ served["response"] / total)
    for column in ("response", "wait", "slowdown"):
        values = served[column].to_numpy()
        found[f"{column}_mean"] = float(values.mean())
        for mark in marks:
            found[f"{column}_p{mark:g}"] = float(np.percentile(values, mark))
    return found
