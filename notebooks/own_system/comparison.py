"""The comparison of simulated options: metrics of the same jobs, with bootstrap intervals."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.statistics import WEEK, Interval, Resamples, resample_quantiles, resample_weeks
from own_system.options import ALONE
from own_system.simulation import Outcome, saturated_share

#: The metrics for comparing the options of the operators. Each metric is computed from one column
#: of the table of simulated jobs.
METRICS = {
    "mean wait": "wait", "p95 wait": "wait", "AWRT": "response", "slowdown": "slowdown",
}  # fmt: skip
#: A group of jobs is identified by a criterion (``all``, ``site``, ``width`` or ``partition``) and
#: by the name of the group.
Group = tuple[str, str]


class Comparison:
    """Metrics of the same jobs under several options of the operators, with 95 % intervals.

    The intervals are from a bootstrap over weeks. All options are compared on the same weeks.

    Parameters
    ----------
    outcomes : dict of str to Outcome or InputError
        The result of `run_all`.
    groups : dict of Group to ndarray of bool
        The jobs of each group.
    submit, work : ndarray
        The submission time and the work of each job.
    progress : NullProgress
        It counts the groups that are done.

    Attributes
    ----------
    names : list of str
        The options that could be simulated.
    failed : dict of str to str
        The options that could not be simulated, with the reasons.
    """

    def __init__(
        self,
        outcomes: Mapping[str, Outcome | InputError],
        groups: Mapping[Group, NDArray[np.bool_]],
        submit: NDArray[np.float64],
        work: NDArray[np.float64],
        progress: NullProgress = NO_PROGRESS,
    ) -> None:
        self.failed = {n: str(o) for n, o in outcomes.items() if isinstance(o, InputError)}
        self.outcomes = {n: o for n, o in outcomes.items() if not isinstance(o, InputError)}
        self.names, self.groups = [*self.outcomes], groups
        self._values, self._faults = {}, {}
        progress.total(len(groups))
        for group, members in groups.items():
            for name, outcome in self.outcomes.items():
                share = saturated_share(outcome["late"][members], work[members])
                if share:
                    why = f"saturated: {share:.0%} of the work still waits at the last submission"
                    self._faults[group, name] = why
            for metric, column in METRICS.items():
                values = np.stack([o[column][members] for o in self.outcomes.values()])
                weights = work[members] if metric == "AWRT" else np.ones(values.shape[1])
                quantile = 0.95 if metric == "p95 wait" else None
                self._values[group, metric] = _resampled(values, weights, submit[members], quantile)
            progress.step()

    def value(self, group: Group, metric: str, name: str) -> float:
        """Return a metric of a group of jobs, such as the mean wait, under one option."""
        return float(self._values[group, metric].means[self.names.index(name)])

    def change(self, group: Group, metric: str, one: str, other: str = ALONE) -> Interval:
        """Return how much larger a metric of a group of jobs is under `one` than under `other`."""
        i, j = self.names.index(one), self.names.index(other)
        return self._values[group, metric].difference(i, j)

    def crossing(
        self,
        group: Group,
        metric: str,
        options_at: Mapping[float, str],
        level: str,
        slack: float = 0.0,
    ) -> Interval:
        """Return the parameter, such as a penalty, at which two options have equal metrics.

        For example, this is the number of processors at which the mean wait of a site alone falls
        to its mean wait with one shared queue.

        Parameters
        ----------
        group : Group
            The jobs.
        metric : str
            The metric.
        options_at : dict of float to str
            The parameters that were simulated, each with the name of its option, in an order in
            which the metric decreases. Between two parameters, it is interpolated linearly.
        level : str
            The option that gives the value with which the metric is compared.
        slack : float
            A difference that still counts as the same value.

        Returns
        -------
        Interval
            The parameter with its 95 % interval. An end that is out of the simulated range is
            infinite.

        Notes
        -----
        The ends are the outermost parameters at which the 95 % interval of the difference contains
        `slack`. So the difference is sure at every parameter outside of the interval.
        """
        changes = [self.change(group, metric, name, level) for name in options_at.values()]
        x = np.array([*options_at])
        estimate, *ends = (
            _fall_below(slack, x, np.array([getattr(c, end) for c in changes]), end == "high")
            for end in ("estimate", "low", "high")
        )
        warning = next(filter(None, (change.warning for change in changes)), "")
        return Interval(estimate, min(ends), max(ends), changes[0].count, warning=warning)

    def fault(self, group: Group, name: str) -> str:
        """Return the reason why an option has no metrics for a group of jobs, or an empty string.

        There are no metrics if the option cannot be simulated or if the group is saturated. If one
        site is saturated, the group of all jobs has no metrics either.
        """
        if name in self.failed:
            return self.failed[name]
        sites = [g for g in self.groups if g[0] == "site"] if group[0] == "all" else []
        for part in (group, *sites):
            why = self._faults.get((part, name))
            if why:
                return why if part == group else why.replace(":", f" at {part[1]}:", 1)
        return ""


def _fall_below(level, x, y, for_good):
    # Return the x at which a line through the points first falls below a level, or, `for_good`, the
    # x from which on it stays below. It is infinite if the line is never above, or never falls.
    beyond = np.inf if x[-1] > x[0] else -np.inf
    below = y < level
    first, after_last = np.append(below, True).argmax(), np.append(~below[::-1], True).argmax()
    k = int(len(x) - after_last if for_good else first)
    if k in (0, len(x)):
        return beyond if k else -beyond
    return float(x[k - 1] + (x[k] - x[k - 1]) * (y[k - 1] - level) / (y[k - 1] - y[k]))


def _resampled(values, weights, submit, quantile):
    # If the log is too short for a bootstrap, the result has a warning instead of intervals.
    try:
        if quantile:
            return resample_quantiles(values, quantile, submit)
        return resample_weeks(values, weights, submit)
    except InputError as error:
        means = values @ weights / weights.sum() if weights.any() else values.mean(axis=1)
        if quantile:
            means = np.quantile(values, quantile, axis=1, method="inverted_cdf")
        short = "the jobs come from less than four weeks" if np.ptp(submit) < 4 * WEEK else ""
        # The interval has a warning and is not shown, so the values of `blocks` and `influence` do
        # not matter.
        nothing = np.zeros((len(means), 1))
        return Resamples(
            means, resampled=means[None], blocks=2, influence=nothing, length=1,
            warning=short or str(error),
        )  # fmt: skip


def columns_of(interval: Interval, name: str) -> dict[str, Any]:
    """Return an estimate and the ends of its confidence interval as columns of a table.

    The names of these columns begin with `name`. The ends of an interval with a warning are NaN.
    """
    low, high = (np.nan, np.nan) if interval.warning else (interval.low, interval.high)
    return {
        name: interval.estimate, f"{name}_low": low, f"{name}_high": high,
        "blocks": interval.count, "warning": interval.warning,
    }  # fmt: skip


def changes(kinds: Mapping[str, str], comparison: Comparison) -> pd.DataFrame:
    """Return a table of the change in each metric under each option, for each group of jobs.

    `kinds` has the type of each option by its name, as in `own_system.options.Option`. The column
    ``value`` is the value of the metric. The column ``change`` is the difference from its value if
    all sites stay alone, with its 95 % interval. If there is no value or no interval, ``warning``
    says why.
    """
    rows = []
    for name, kind in kinds.items():
        for group, members in comparison.groups.items():
            for metric in METRICS:
                row = {"option": name, "kind": kind, "grouping": group[0],
                       "group": group[1], "metric": metric, "jobs": members.sum()}  # fmt: skip
                rows.append(row | _value_and_change(name, comparison, group, metric))
    return pd.DataFrame(rows)


def _value_and_change(name, comparison, group, metric):
    row: dict = dict.fromkeys(("value", "spanned", "change", "change_low", "change_high"), np.nan)
    why = comparison.fault(group, name)
    if why:
        return row | {"warning": why}
    spans = comparison.outcomes[name]["spans"][comparison.groups[group]]
    row |= {"value": comparison.value(group, metric, name), "spanned": spans.mean()}
    if name == ALONE:
        return row | {"warning": ""}
    if comparison.fault(group, ALONE):
        return row | {"warning": "it is saturated if the sites stay alone"}
    return row | columns_of(comparison.change(group, metric, name), "change")
