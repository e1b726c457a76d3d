"""The options of operators of several sites: simulations of the same jobs, and their comparison."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.merging import merge
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Conservative
from coalloc_lib.schedules.metrics import STILL_WAITING
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.statistics import WEEK, Interval, Resamples, resample_quantiles, resample_weeks

if TYPE_CHECKING:
    import pandas as pd

#: The names of the options with which others are compared: every option is compared with staying
#: alone, and spanning is also compared with sharing.
ALONE, SHARED = "stay alone (EASY at each site)", "share one queue"
CONSERVATIVE = "conservative, alone"
#: The metrics by which options are compared, with the column of `Outcome` that each of them uses.
METRICS = {
    "mean wait": "wait", "p95 wait": "wait", "AWRT": "response", "slowdown": "slowdown",
}  # fmt: skip
#: The factors by which all sites are enlarged, by the names of these options. Together they show
#: how many processors a site would have to buy. The option LARGER is also shown by itself.
SIZES = {f"{p} % more processors, alone": 1 + p / 100 for p in (5, 10, 20, 35, 50, 100)}
LARGER = "10 % more processors, alone"
#: The bound of the bounded slowdown in seconds: shorter run times count as this long.
BOUND = 10.0
#: The smallest number of jobs that wait at the last submission in a saturated group. In a group of
#: few jobs, half of them are enough.
SEVERAL = 10
#: A grouping (``all``, ``site``, ``width`` or ``partition``) and one group of it.
Group = tuple[str, str]


class Option(NamedTuple):
    """Something that the operators can do, and its simulation."""

    name: str
    #: ``policy`` for an option that can be recommended. The other kinds are ``today``, ``span``
    #: (spanning at several penalties), ``what if`` and ``size`` (larger sites).
    kind: str
    #: The function that simulates the option.
    run: Callable[[], Schedule]
    #: The places in the schedule of the jobs that are compared.
    compared: Any = slice(None)


def options(
    system: Multicluster,
    jobs: JobStream,
    site: NDArray[np.int64],
    user: Sequence[str],
    penalties: Sequence[float],
    seed: Seed,
) -> list[Option]:
    """Return all options with their simulations.

    For one option, half of the users are chosen at random, and their estimates become exact. For
    another one, half of the users are chosen, and their jobs may not leave their site.

    Parameters
    ----------
    system : Multicluster
        The system, with one cluster for each site.
    jobs : JobStream
        The jobs of all sites.
    site : ndarray of int
        The site that owns each job.
    user : sequence of str
        The user of each job.
    penalties : sequence of float
        The span penalties to simulate, in increasing order.
    seed : Seed
        The seed of the random choices.
    """
    choosing, copying, binding = generators(seed, 3)
    users, of_user = np.unique(user, return_inverse=True)
    exact, bound = (
        rng.permutation(len(users))[of_user] < len(users) / 2 for rng in (choosing, binding)
    )
    home = np.where(bound, site, -1)
    half_exact = jobs.replace(estimate=np.where(exact, jobs.runtime, jobs.estimate))
    half_as_long = jobs.replace(estimate=np.maximum(jobs.runtime, jobs.estimate / 2))
    more, more_site, compared = with_more(jobs, site, 0.1, copying)
    likely, easy, adaptive = penalties[len(penalties) // 2], EASY(), EASY(adaptive=True)

    def alone(of=jobs, at=site, on=system, scheduling=easy):
        return partial(local, on, of, at, scheduling=scheduling)

    def one_queue(of, home=None):
        return partial(sharing, system, of, home=home, scheduling=easy)

    def spanning(penalty, scheduling=easy):
        return partial(multi_site, system, jobs, penalty, scheduling=scheduling)

    return [
        Option(ALONE, "today", alone()),
        Option(CONSERVATIVE, "policy", alone(scheduling=Conservative())),
        Option(SHARED, "policy", one_queue(jobs)),
        *(Option(f"span, penalty {p:g}", "span", spanning(p)) for p in penalties),
        *(Option(f"span only if sooner, penalty {p:g}", "policy" if p == likely else "span",
                 spanning(p, adaptive)) for p in penalties if p),
        Option("half of the users bound, one queue", "what if", one_queue(jobs, home)),
        Option("exact estimates, alone", "what if", alone(jobs.replace(estimate=None))),
        Option("estimates half as long, alone", "what if", alone(half_as_long)),
        Option("half of the users exact, alone", "what if", alone(half_exact)),
        Option("10 % more load, alone", "what if", alone(more, more_site), compared),
        Option("10 % more load, one queue", "what if", one_queue(more), compared),
        *(Option(name, "what if" if name == LARGER else "size", alone(
            on=Multicluster([larger(size, k) for size in system.sizes])))
          for name, k in SIZES.items()),
    ]  # fmt: skip


def larger(size: int, factor: float) -> int:
    """Return the size of an enlarged site, rounded up to a whole number of processors."""
    return ceil(round(size * factor, 6))


def with_more(
    jobs: JobStream, site: NDArray[np.int64], share: float, rng: np.random.Generator
) -> tuple[JobStream, NDArray[np.int64], NDArray[np.int64]]:
    """Return a stream of jobs with a higher load, in which some jobs occur a second time.

    At each site, jobs are sampled until their work is the given share of all work. Each of them is
    submitted again in a week that is sampled too, on the same weekday and at the same time of day.

    Parameters
    ----------
    jobs : JobStream
        The jobs.
    site : ndarray of int
        The site that owns each job.
    share : float
        The additional work, as a share of the work of the jobs.
    rng : Generator
        The generator of random numbers.

    Returns
    -------
    both : JobStream
        The jobs and the copies.
    site_of_both : ndarray of int
        The site that owns each of them.
    places : ndarray of int
        The place of each original job in `both`.
    """
    order, chosen = rng.permutation(len(jobs)), []
    for number in np.unique(site):
        at_site = order[site[order] == number]
        work = np.cumsum(jobs.work[at_site])
        chosen.append(at_site[: np.searchsorted(work, share * work[-1]) + 1])
    sampled, begin, count = np.concatenate(chosen), jobs.submit.min(), len(jobs)
    in_week = (jobs.submit[sampled] - begin) % WEEK
    # The last week may end before this instant of the week; then there is one week less.
    weeks = 1 + (np.ptp(jobs.submit) - in_week) // WEEK
    copies = jobs[sampled].replace(
        submit=begin + in_week + WEEK * rng.integers(weeks), number=count + np.arange(len(sampled))
    )
    both = merge(jobs.replace(number=np.arange(count)), copies)
    site_of_both = np.concatenate([site, site[sampled]])[both.number]
    return both, site_of_both, np.argsort(both.number)[:count]


#: The columns of the jobs that are compared: ``wait``, ``response``, ``slowdown``, ``spans``, and
#: ``late`` (whether the job still waits at the last submission).
Outcome = dict[str, NDArray]


def run_all(
    found: Sequence[Option], work: NDArray[np.float64], progress: NullProgress, workers: int
) -> dict[str, Outcome | InputError]:
    """Simulate all options at the same time in threads.

    Conservative backfilling plans every job of the queue, which takes very long if the queue only
    grows. Therefore it is not simulated if the sites are saturated under EASY.

    Parameters
    ----------
    found : sequence of Option
        The options.
    work : ndarray
        The work of the jobs that are compared.
    progress : NullProgress
        It counts the options that are done.
    workers : int
        The number of threads; -1 for one per processor core.

    Returns
    -------
    dict of str to Outcome or InputError
        For each option the outcome, or the reason why it cannot be simulated. The ``wait`` of a job
        is its response time minus its run time on one site, so the time that spanning adds counts
        as waiting.
    """

    def outcome(option):
        try:
            ran = option.run()
        except InputError as error:
            return option.name, error
        columns = {
            "wait": np.where(ran.spans, ran.response - ran.jobs.runtime, ran.wait),
            "response": ran.response, "spans": ran.spans,
            "slowdown": np.maximum(ran.response / np.maximum(ran.jobs.runtime, BOUND), 1),
            "late": ran.start > ran.jobs.submit.max(),
        }  # fmt: skip
        return option.name, {name: column[option.compared] for name, column in columns.items()}

    progress.total(len(found))
    parallel: Any = Parallel(workers, prefer="threads", return_as="generator_unordered")
    outcomes: dict = {}

    def run(chosen):
        for name, result in parallel(map(delayed(outcome), chosen)):
            outcomes[name] = result
            progress.step()

    run(option for option in found if option.name == ALONE)
    alone = outcomes[ALONE]
    if isinstance(alone, dict) and _saturated_share(alone["late"], work):
        outcomes[CONSERVATIVE] = InputError(f"not simulated, because '{ALONE}' is saturated")
    # The longest simulation starts first, because the other threads would be idle while it runs
    # alone at the end.
    rest = [option for option in found if option.name not in outcomes]
    run(sorted(rest, key=lambda option: option.name != CONSERVATIVE))
    return outcomes


class Comparison:
    """The metrics of all options on the same jobs, with intervals by bootstrap over weeks.

    All options are compared on the same resampled weeks.

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
        The other options, with the reason.
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
                share = _saturated_share(outcome["late"][members], work[members])
                if share:
                    why = f"saturated: {share:.0%} of the work still waits at the last submission"
                    self._faults[group, name] = why
            for metric, column in METRICS.items():
                values = np.stack([o[column][members] for o in self.outcomes.values()])
                weights = work[members] if metric == "AWRT" else np.ones(values.shape[1])
                share = 0.95 if metric == "p95 wait" else None
                self._values[group, metric] = _resampled(values, weights, submit[members], share)
            progress.step()

    def value(self, group: Group, metric: str, name: str) -> float:
        """Return the value of a metric under an option for a group of jobs."""
        return float(self._values[group, metric].means[self.names.index(name)])

    def change(self, group: Group, metric: str, one: str, other: str = ALONE) -> Interval:
        """Return the change of a metric from the option `other` to the option `one`."""
        i, j = self.names.index(one), self.names.index(other)
        return self._values[group, metric].difference(i, j)

    def root(
        self, group: Group, metric: str, at: Mapping[float, str], level: str, slack: float = 0.0
    ) -> Interval:
        """Return the parameter at which a metric falls to the value that it has under an option.

        For example, this is the number of processors at which the mean wait of a site alone falls
        to its mean wait with one shared queue.

        Parameters
        ----------
        group : Group
            The jobs.
        metric : str
            The metric.
        at : dict of float to str
            The parameters that were simulated, each with the name of its option. The metric becomes
            smaller along this order. Between two parameters it is interpolated linearly.
        level : str
            The option with whose value the metric is compared.
        slack : float
            A difference that still counts as the same value.

        Returns
        -------
        Interval
            The parameter with its 95 % interval. An end that is out of the simulated range is
            infinite.
        """
        x, i = np.array([*at]), self.names.index(level)
        places = [self.names.index(name) for name in at.values()]
        beyond = np.inf if x[-1] > x[0] else -np.inf

        def falls(means: NDArray[np.float64]) -> float:
            y = means[0] + slack - means[1:]
            k = int((y > 0).argmax())
            if k == 0:
                return -beyond if y[0] > 0 else beyond
            return float(x[k - 1] + (x[k] - x[k - 1]) * y[k - 1] / (y[k - 1] - y[k]))

        return self._values[group, metric].of([i, *places]).interval(falls)

    def fault(self, group: Group, name: str) -> str:
        """Return why an option has no values for a group of jobs, or an empty text if it has some.

        The option cannot be simulated, or the group is saturated. If a site is saturated, the group
        of all jobs has no values either.
        """
        if name in self.failed:
            return self.failed[name]
        sites = [g for g in self.groups if g[0] == "site"] if group[0] == "all" else []
        for part in (group, *sites):
            why = self._faults.get((part, name))
            if why:
                return why if part == group else why.replace(":", f" at {part[1]}:", 1)
        return ""


def _saturated_share(late, work):
    """Return the share of the work whose jobs still wait at the last submission.

    Return 0 if this share is small, or if only few jobs wait; then the system is not saturated.
    """
    share = work @ late / work.sum() if work.any() else 0.0
    return share * (late.sum() >= min(SEVERAL, len(late) / 2) and share > STILL_WAITING)


def _resampled(values, weights, submit, share):
    """Return the bootstrap over weeks of the weighted mean, or of a quantile, of each row.

    The quantile is `share`, or None for the mean. If the log is too short for a bootstrap, the
    result has a warning instead of intervals.
    """
    try:
        if share:
            return resample_quantiles(values, share, submit)
        return resample_weeks(values, weights, submit)
    except InputError as error:
        means = values @ weights / weights.sum() if weights.any() else values.mean(axis=1)
        if share:
            means = np.quantile(values, share, axis=1, method="inverted_cdf")
        short = "the jobs come from less than four weeks" if np.ptp(submit) < 4 * WEEK else ""
        nothing = np.zeros((len(means), 1))
        return Resamples(means, means[None], 2, nothing, 1, short or str(error))


def columns_of(interval: Interval, name: str) -> dict[str, Any]:
    """Return an interval as columns of a table whose names begin with `name`.

    If the interval has a warning, its ends are NaN.
    """
    low, high = (np.nan, np.nan) if interval.warning else (interval.low, interval.high)
    return {
        name: interval.estimate, f"{name}_low": low, f"{name}_high": high,
        "blocks": interval.count, "warning": interval.warning,
    }  # fmt: skip


def changes(found: Sequence[Option], comparison: Comparison) -> "pd.DataFrame":
    """Return a table with a row for each option, group of jobs and metric.

    The column ``value`` is the value of the metric, and ``change`` is its change from staying
    alone, with its 95 % interval. If there is no value or no interval, ``warning`` says why.
    """
    import pandas as pd

    rows = []
    for option in (option for option in found if option.kind != "size"):
        for group, members in comparison.groups.items():
            for metric in METRICS:
                row = {"option": option.name, "kind": option.kind, "grouping": group[0],
                       "group": group[1], "metric": metric, "jobs": members.sum()}  # fmt: skip
                rows.append(row | _value_and_change(option.name, comparison, group, metric))
    return pd.DataFrame(rows)


def _value_and_change(name, comparison, group, metric):
    """Return the columns of one row of `changes`."""
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
