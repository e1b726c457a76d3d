"""Metrics of a schedule: means over its jobs, groups of jobs, and utilization over time."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules.schedule import Schedule, weighted_mean, weights_of

if TYPE_CHECKING:
    import pandas as pd

#: A run counts as saturated if more than this fraction of the work of all jobs is still waiting
#: when the last job is submitted. The mean wait then depends on the length of the log.
STILL_WAITING = 0.05
_SCHEDULE = "a schedule that simulate() or coalloc_lib.simulation.sites returned"


def means(schedule: Schedule, *, at_least: float = 10.0) -> dict[str, float]:
    """Return the metrics of a schedule, such as the mean wait, as a dict by name.

    Parameters
    ----------
    schedule : Schedule
        The schedule of the jobs.
    at_least : float
        The shortest time that counts in the bounded slowdown, in seconds.

    Returns
    -------
    dict of str to float
        The metrics, in the time unit of the jobs if they are times:

        - ``jobs``: the number of jobs.
        - ``refused``: the number of rejected jobs. The other metrics leave these jobs out.
        - ``spanning``: the share of the jobs that ran on more than one cluster.
        - ``awrt_work`` and ``awrt_processors``: see `Schedule.average_weighted_response_time`.
        - ``response_mean``, ``wait_mean`` and ``slowdown_mean``: means. The slowdown is bounded.

    Raises
    ------
    InputError
        All jobs were rejected, or all jobs have a run time of 0.

    References
    ----------
    The bounded slowdown: Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong: Theory and practice in
    parallel job scheduling. JSSPP 1997.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 0], runtime=[20, 30], components=[2, 2])
    >>> means(co.simulate(co.Multicluster([2]), jobs))["wait_mean"]
    10.0
    """
    checks.instance_of("schedule", schedule, Schedule, _SCHEDULE)
    slowdown = schedule.slowdown(checks.positive("at_least", at_least))
    ran = _served(schedule)
    response = schedule.response[ran]
    return {
        "jobs": len(ran),
        "refused": len(schedule.refused),
        "spanning": float(schedule.spans[ran].mean()),
        "awrt_work": weighted_mean(response, weights_of(schedule.jobs, "work")[ran]),
        "awrt_processors": weighted_mean(response, weights_of(schedule.jobs, "processors")[ran]),
        "response_mean": float(response.mean()),
        "wait_mean": float(schedule.wait[ran].mean()),
        "slowdown_mean": float(slowdown[ran].mean()),
    }


def _served(schedule):
    ran = schedule.served
    if not ran.any():
        raise InputError("all jobs of the schedule were rejected, so there are no times to average")
    return ran


def by_width(jobs: JobStream, bounds: Any = None) -> "pd.Categorical":
    """Group jobs by number of processors, and return the group of each job, such as "5-8".

    Parameters
    ----------
    jobs : JobStream
        The jobs. The width of a job is its number of processors.
    bounds : array_like of int, optional
        The largest width in each group, in increasing order. By default the bounds are 1, 2, 4, 8
        and so on, and groups without a job are left out.

    Returns
    -------
    pandas.Categorical
        The group of each job. The groups are ordered by width.

    Raises
    ------
    InputError
        The bounds do not increase, or the widest job exceeds the last one.

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 0, 0], runtime=[1, 1, 1], components=[1, 3, 4])
    >>> list(by_width(jobs))
    ['1', '3-4', '3-4']
    """
    import pandas as pd

    checks.instance_of("jobs", jobs, JobStream, "a JobStream, such as schedule.jobs")
    largest = int(jobs.processors.max())
    edges = width_edges(largest) if bounds is None else checks.whole_numbers("bounds", bounds)
    if edges.ndim != 1 or (np.diff(edges) <= 0).any() or edges[-1] < largest:
        raise InputError(
            f"bounds = {shown(bounds)}; give increasing numbers of processors, the last one "
            f"{largest} (the width of the widest job) or more"
        )
    groups = pd.Categorical.from_codes(
        np.searchsorted(edges, jobs.processors), width_names(edges), ordered=True
    )
    return groups.remove_unused_categories() if bounds is None else groups


def width_edges(largest: int) -> NDArray[np.int64]:
    """Return the largest width in each default group of `by_width`: 1, 2, 4, 8 and so on.

    The last group contains jobs of `largest` processors.
    """
    return 2 ** np.arange((largest - 1).bit_length() + 1)


def width_names(edges: NDArray[np.int64]) -> list[str]:
    """Return the names of groups of widths, such as "5-8", given the largest width in each."""
    lows = [1, *(edges[:-1] + 1)]
    return [f"{a}-{b}" if a < b else f"{b}" for a, b in zip(lows, edges, strict=True)]


def utilization_timeline(schedule: Schedule, edges: Any) -> "pd.DataFrame":
    """Return a table of the utilization of the system and of every cluster over time.

    Parameters
    ----------
    schedule : Schedule
        The schedule of the jobs.
    edges : array_like, shape (m + 1,)
        Increasing instants, between which the utilization is averaged.

    Returns
    -------
    pandas.DataFrame
        The columns are ``grouping`` (``all`` or ``cluster``), ``group`` (the number of the cluster,
        or ``all``), ``begin``, ``end`` and ``utilization``, the mean fraction of the processors
        that is busy.

    Raises
    ------
    InputError
        The instants do not increase.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0], runtime=[2], components=[1])
    >>> schedule = co.simulate(co.Multicluster([1, 1]), jobs)
    >>> utilization_timeline(schedule, [0, 2])["utilization"].tolist()
    [0.5, 1.0, 0.0]
    """
    import pandas as pd

    checks.instance_of("schedule", schedule, Schedule, _SCHEDULE)
    edges = checks.numbers("edges", edges).astype(float)

    def rows(part: Schedule, grouping: str, group: Any) -> pd.DataFrame:
        busy = part.utilization_between(edges)
        columns = {"begin": edges[:-1], "end": edges[1:], "utilization": busy}
        return pd.DataFrame({"grouping": grouping, "group": group} | columns)

    frames = [rows(schedule, "all", "all")]
    for c, size in enumerate(schedule.system.sizes):
        allocation = schedule.allocation[:, [c]]
        one = replace(schedule, system=Multicluster(size), allocation=allocation)
        frames.append(rows(one, "cluster", c))
    return pd.concat(frames, ignore_index=True)
