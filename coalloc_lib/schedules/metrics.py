"""What a schedule means to those who wait for it: one table, per site, per width, for all."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules.schedule import Schedule

if TYPE_CHECKING:
    import pandas as pd

#: The share of the work that waits at the last submission from which on a run is saturated: means
#: then depend on where the log ends.
STILL_WAITING = 0.05
#: Of response time, wait and bounded slowdown, in `summary`.
PERCENTILES = (50, 90, 95)
_A_JOB = "give one a job"
_SCHEDULE = "what simulate() or coalloc_lib.simulation.sites returns"


def means(schedule: Schedule, *, at_least: float = 10.0) -> dict[str, float]:
    """Return the metrics of all jobs that ran, by the names of the columns of `summary`."""
    everyone = np.ones(len(schedule), dtype=bool)
    return _metrics(_columns(schedule, at_least), everyone, name="schedule")


def least_means(schedule: Schedule) -> dict[str, float]:
    """Return bounds that the metrics of `means` cannot be below, by the same names.

    No job waits for less than 0 s, none responds before it has run, and no bounded slowdown is
    below 1. The run times of the jobs are given, and only their waits depend on the queue. So the
    mean response of these jobs is at least the mean of their times on processors, with the same
    weights. Intervals of these metrics end there; see `Interval.within`. They are about the same
    jobs in a queue with other waits, and not about jobs with other run times.
    """
    ran = schedule.served
    length, jobs = (schedule.end - schedule.start)[ran], schedule.jobs
    return {
        "wait_mean": 0.0,
        "response_mean": float(length.mean()),
        "slowdown_mean": 1.0,
        "awrt_work": float(np.average(length, weights=jobs.work[ran])),
        "awrt_processors": float(np.average(length, weights=jobs.processors[ran])),
    }


def summary(
    schedule: Schedule,
    groups: Any = None,
    *,
    at_least: float = 10.0,
) -> "pd.DataFrame":
    """Return the metrics of all jobs and of every group of them, a row each.

    Parameters
    ----------
    groups : array_like, shape (n,), or mapping of str to such, optional
        The group of each job; or several groupings: ``{"site": site, "width": by_width(jobs)}``.
    at_least : float
        The shortest time that a job counts as in the bounded slowdown (Feitelson and others: Theory
        and practice in parallel job scheduling. JSSPP 1997).

    Returns
    -------
    pandas.DataFrame
        The columns ``grouping`` and ``group`` (``all`` for all jobs), ``jobs``, ``refused`` (how
        many of these: what follows is of the others), ``spanning`` (the share of jobs on several
        clusters), ``awrt_work`` and ``awrt_processors`` (see
        `Schedule.average_weighted_response_time`), and the mean, ``response_mean``, and the
        `PERCENTILES`, ``response_p95``, of ``response``, ``wait`` and ``slowdown``.
    """
    import pandas as pd

    columns = _columns(schedule, at_least)
    rows = [
        {"grouping": grouping, "group": group}
        | _metrics(columns, members, PERCENTILES, name=f"group {group!r} of {grouping}")
        for grouping, group, members in _members(groups, len(schedule))
    ]
    return pd.DataFrame(rows)


def by_width(jobs: JobStream, bounds: Any = None) -> "pd.Categorical":
    """Return the width group of each job, for `summary`.

    `bounds` are the largest number of processors of each group, increasing; by default 1, 2, 4, 8,
    ..., without the groups that have no job.
    """
    import pandas as pd

    checks.instance_of("jobs", jobs, JobStream, "a JobStream, such as schedule.jobs")
    largest = int(jobs.processors.max())
    if bounds is None:
        edges = 2 ** np.arange((largest - 1).bit_length() + 1)
    else:
        edges = checks.whole_numbers("bounds", bounds)
    if edges.ndim != 1 or (np.diff(edges) <= 0).any() or edges[-1] < largest:
        raise InputError(
            f"bounds = {shown(bounds)}; give increasing numbers of processors up to {largest} or "
            "more, those of the widest job"
        )
    lows = [1, *(edges[:-1] + 1)]
    names = [f"{a}-{b}" if a < b else f"{b}" for a, b in zip(lows, edges, strict=True)]
    groups = pd.Categorical.from_codes(np.searchsorted(edges, jobs.processors), names, ordered=True)
    return groups.remove_unused_categories() if bounds is None else groups


def utilization_timeline(schedule: Schedule, edges: Any) -> "pd.DataFrame":
    """Return the utilization of the system and of every cluster between increasing instants.

    The table has the columns ``grouping`` (``all`` or ``cluster``), ``group`` (the number of a
    cluster), ``begin``, ``end`` and ``utilization``, the share of the processors busy.
    """
    import pandas as pd

    checks.instance_of("schedule", schedule, Schedule, _SCHEDULE)
    edges = checks.numbers("edges", edges).astype(float)

    def rows(part: Schedule, grouping: str, group: Any) -> pd.DataFrame:
        busy = part.utilization_between(edges)  # which checks the edges
        columns = {"begin": edges[:-1], "end": edges[1:], "utilization": busy}
        return pd.DataFrame({"grouping": grouping, "group": group} | columns)

    frames = [rows(schedule, "all", "all")]
    for c, size in enumerate(schedule.system.sizes):
        allocation = schedule.allocation[:, [c]]
        one = replace(schedule, system=Multicluster(size), allocation=allocation)
        frames.append(rows(one, "cluster", c))
    return pd.concat(frames, ignore_index=True)


def _columns(schedule, at_least):
    """Return what metrics are made of, by job; NaN of one that was refused."""
    checks.instance_of("schedule", schedule, Schedule, _SCHEDULE)
    return {
        "processors": schedule.jobs.processors,
        "work": schedule.jobs.work,
        "spans": schedule.spans,
        "response": schedule.response,
        "wait": schedule.wait,
        "slowdown": schedule.slowdown(checks.positive("at_least", at_least)),
    }


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
            raise InputError(f"groups {grouping!r} = {shown(given)} ({error}); {_A_JOB}") from None
        if len(labels) != count:
            raise InputError(f"groups {grouping!r} has {len(labels)} for {count} jobs; {_A_JOB}")
        if (labels.codes < 0).any():
            job = int((labels.codes < 0).argmax())
            raise InputError(f"groups {grouping!r} has no group for job {job}; {_A_JOB}")
        for code, group in enumerate(labels.categories):
            members = labels.codes == code
            if not members.any():
                raise InputError(
                    f"group {group!r} of {grouping} has no job; leave it out, or give other bounds"
                )
            yield str(grouping), group, members


def _metrics(columns, members, percentiles=(), *, name):
    """Return the metrics of the jobs of a group; `name` is what an error calls it."""
    ran = members & ~np.isnan(columns["response"])
    if not ran.any():
        raise InputError(f"{name}: all {members.sum()} jobs were refused; leave it out")
    ran_of = {column: values[ran] for column, values in columns.items()}
    metrics = {
        "jobs": int(members.sum()),
        "refused": int(members.sum() - ran.sum()),
        "spanning": float(ran_of["spans"].mean()),
    }
    for weight in ("work", "processors"):
        total = ran_of[weight].sum()
        if not total > 0:
            raise InputError(f"{name}: no job runs for any time, to weight by; leave it out")
        metrics[f"awrt_{weight}"] = float(ran_of[weight] @ ran_of["response"] / total)
    for column in ("response", "wait", "slowdown"):
        metrics[f"{column}_mean"] = float(ran_of[column].mean())
        for mark in percentiles:
            metrics[f"{column}_p{mark:g}"] = float(np.percentile(ran_of[column], mark))
    return metrics
