"""Means over the jobs of one schedule, with intervals from a bootstrap over its weeks."""

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.estimates import Interval
from coalloc_lib.basics.times import DAY, WEEK
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.statistics.bootstrap import FEWEST_BLOCKS, resample_weeks

#: The run time, in seconds, that replaces all shorter run times in the bounded slowdown.
BOUND = 10.0


class Mean(NamedTuple):
    """A mean over the jobs of a schedule, with the format in which to print the mean.

    Attributes
    ----------
    label : str
        The name of the mean in a printed table.
    metric : str
        The name of the mean in the results of `coalloc_lib.schedules.metrics.means`.
    values : callable
        Returns the value of every job, given the schedule.
    by_work : bool
        Whether the jobs are weighted by their work.
    digits : int
        The number of digits after the point in a printed table.
    unit : str
        The unit in a printed table.
    least : float, optional
        The smallest value that a job can have. By default it is the shortest run time, because no
        job responds faster than it runs.
    """

    label: str
    metric: str
    values: Callable[[Schedule], NDArray[np.float64]]
    by_work: bool = False
    digits: int = 0
    unit: str = " s"
    least: float | None = None


#: The means over a schedule that ``coalloc simulate`` prints, by their names in its JSON output.
MEANS = {
    "mean_wait": Mean("mean wait", "wait_mean", lambda schedule: schedule.wait, least=0.0),
    "mean_response": Mean("mean response", "response_mean", lambda schedule: schedule.response),
    "average_weighted_response_time": Mean(
        "AWRT", "awrt_work", lambda schedule: schedule.response, by_work=True
    ),
    "mean_bounded_slowdown": Mean(
        f"mean bounded slowdown ({BOUND:g} s)",
        "slowdown_mean",
        lambda schedule: schedule.slowdown(BOUND),
        digits=1,
        unit="",
        least=1.0,
    ),
}


def mean_intervals(schedule: Schedule) -> tuple[dict[str, tuple[float, float]], str]:
    """Return bootstrap 95 % confidence intervals for means over the jobs of a schedule.

    Parameters
    ----------
    schedule : Schedule
        The schedule. Rejected jobs do not count in the means.

    Returns
    -------
    intervals : dict of str to tuple of float
        The two ends of each reliable interval, by the names of `MEANS`.
    why_none : str
        Why some of the means have no interval, or an empty string.
    """
    ran = schedule.served
    span = np.ptp(schedule.jobs.submit[ran])
    if span < FEWEST_BLOCKS * WEEK:
        days = f"{span / DAY:.1f} days"
        return {}, f"a bootstrap over weeks needs {FEWEST_BLOCKS} weeks, but this log has {days}"
    intervals = _all_intervals(schedule)
    reliable = {name: (i.low, i.high) for name, i in intervals.items() if not i.warning}
    doubtful = [name for name in MEANS if name not in reliable]
    warning = intervals[doubtful[0]].warning if doubtful else ""
    if doubtful and reliable:
        warning = f"of {', '.join(MEANS[name].label for name in doubtful)}: {warning}"
    return reliable, warning


def _all_intervals(schedule: Schedule) -> dict[str, Interval]:
    ran = schedule.served
    submit, work = schedule.jobs.submit[ran], schedule.jobs.work[ran]
    values = [mean.values(schedule)[ran] for mean in MEANS.values()]
    weights = [work if mean.by_work else np.ones(len(work)) for mean in MEANS.values()]
    weeks = resample_weeks(values, np.stack(weights), submit)
    shortest = float((schedule.end - schedule.start)[ran].min())
    return {
        name: weeks.interval(itemgetter(at)).within(shortest if mean.least is None else mean.least)
        for at, (name, mean) in enumerate(MEANS.items())
    }
