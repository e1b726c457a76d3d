"""What operators of several sites could do: each option run on the same jobs, and compared."""

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
from coalloc_lib.model.jobs import JobStream, merge
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Conservative
from coalloc_lib.schedules.metrics import STILL_WAITING
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.statistics import WEEK, Interval, Resamples, resample_quantiles, resample_weeks

if TYPE_CHECKING:
    import pandas as pd

#: Every option is compared with staying alone, and some are compared with sharing too.
ALONE, SHARED = "stay alone (EASY at each site)", "share one queue"
CONSERVATIVE = "conservative, alone"
#: By what an option is judged, and which times of its jobs that is made of.
METRICS = {
    "mean wait": "wait", "p95 wait": "wait", "AWRT": "response", "slowdown": "slowdown",
}  # fmt: skip
#: Sizes, in parts of today's, at which each site runs alone: one is an option, all answer 'buy?'.
LARGER = "10 % more processors, alone"
SIZES = {f"{p} % more processors, alone": 1 + p / 100 for p in (5, 10, 20, 35, 50, 100)}
#: The shortest run time, in seconds, that counts in the slowdown.
BOUND = 10.0
#: From so many jobs that wait at the end on, or half of its jobs, a group can be saturated.
SEVERAL = 10
#: A grouping (``all``, ``site``, ``width``, ``partition``) and one group of it.
Group = tuple[str, str]


class Option(NamedTuple):
    """One thing to do, how it is run, and the places of the jobs that are compared, if not all.

    Only a ``policy`` can be recommended. Other kinds: ``today``, ``span`` (at several penalties),
    ``what if``, ``size``.
    """

    name: str
    kind: str
    run: Callable[[], Schedule]
    mine: Any = slice(None)


def options(
    system: Multicluster,
    jobs: JobStream,
    site: NDArray[np.int64],
    user: Sequence[str],
    penalties: Sequence[float],
    seed: Seed,
) -> list[Option]:
    """Return all options.

    For two of them half of the users are sampled: those whose estimates become exact, and those
    whose jobs may not leave their site. The user of each job is `user`.
    """
    choosing, copying, binding = generators(seed, 3)
    users, of_user = np.unique(user, return_inverse=True)
    exact, bound = (
        rng.permutation(len(users))[of_user] < len(users) / 2 for rng in (choosing, binding)
    )
    home = np.where(bound, site, -1)
    halved = jobs.replace(estimate=np.where(exact, jobs.runtime, jobs.estimate))
    more, more_site, mine = with_more(jobs, site, 0.1, copying)
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
        Option("estimates half as long, alone", "what if", alone(jobs.replace(
            estimate=np.maximum(jobs.runtime, jobs.estimate / 2)))),
        Option("half of the users exact, alone", "what if", alone(halved)),
        Option("10 % more load, alone", "what if", alone(more, more_site), mine),
        Option("10 % more load, one queue", "what if", one_queue(more), mine),
        *(Option(name, "what if" if name == LARGER else "size", alone(
            on=Multicluster([larger(size, k) for size in system.sizes])))
          for name, k in SIZES.items()),
    ]  # fmt: skip


def larger(size: int, factor: float) -> int:
    """Return a size times a factor, in whole processors."""
    return ceil(round(size * factor, 6))


def with_more(
    jobs: JobStream, site: NDArray[np.int64], share: float, rng: np.random.Generator
) -> tuple[JobStream, NDArray[np.int64], NDArray[np.int64]]:
    """Return the jobs and copies of some in weeks drawn at random; all sites; the jobs' places.

    At each site so many jobs, drawn at random, come a second time that they add this share of the
    work (one job more at most). Days, nights and weekends stay as they are.
    """
    order, chosen = rng.permutation(len(jobs)), []
    for number in np.unique(site):
        mine = order[site[order] == number]
        work = np.cumsum(jobs.work[mine])
        chosen.append(mine[: np.searchsorted(work, share * work[-1]) + 1])
    drawn, begin, count = np.concatenate(chosen), jobs.submit.min(), len(jobs)
    in_week = (jobs.submit[drawn] - begin) % WEEK
    weeks = 1 + (np.ptp(jobs.submit) - in_week) // WEEK  # that have this instant
    copies = jobs[drawn].replace(
        submit=begin + in_week + WEEK * rng.integers(weeks), number=count + np.arange(len(drawn))
    )
    both = merge(jobs.replace(number=np.arange(count)), copies)
    at = np.concatenate([site, site[drawn]])[both.number]
    return both, at, np.argsort(both.number)[:count]


#: Times of each job that is compared, whether it spans, and whether it waits on at the end.
Outcome = dict[str, NDArray]


def run_all(
    found: Sequence[Option], work: NDArray[np.float64], progress: NullProgress, workers: int
) -> dict[str, Outcome | InputError]:
    """Run all options side by side in threads; return each outcome, or why it cannot be run.

    The ``wait`` of a job is its response time minus its run time on one site, so that the time that
    spanning adds counts as waiting. The work of the jobs that are compared is `work`. Conservative
    backfilling plans every job of the queue, which takes very long if the queue only grows. So it
    is not run if the sites are saturated under EASY.
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
        return option.name, {name: column[option.mine] for name, column in columns.items()}

    progress.total(len(found))
    parallel: Any = Parallel(workers, prefer="threads", return_as="generator_unordered")
    outcomes: dict = {}

    def run(chosen):
        for name, result in parallel(map(delayed(outcome), chosen)):
            outcomes[name] = result
            progress.step()

    run(option for option in found if option.name == ALONE)
    alone = outcomes[ALONE]
    if isinstance(alone, dict) and _saturated(alone["late"], work):
        outcomes[CONSERVATIVE] = InputError(f"not run, since '{ALONE}' is saturated")
    # The option that takes longest begins first, so that no worker waits for it at the end.
    rest = [option for option in found if option.name not in outcomes]
    run(sorted(rest, key=lambda option: option.name != CONSERVATIVE))
    return outcomes


class Comparison:
    """All options on the same jobs, with intervals from the same bootstrap over weeks.

    `groups` says of each group which jobs are in it; `submit` and `work` are those of the jobs.
    Options that could not be run stand in `failed` with the reason, all others in `names`.
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
        self._figures, self._faults = {}, {}
        progress.total(len(groups))
        for group, mine in groups.items():
            for name, of in self.outcomes.items():
                if share := _saturated(of["late"][mine], work[mine]):
                    why = f"saturated: {share:.0%} of the work still waits at the last submission"
                    self._faults[group, name] = why
            for metric, column in METRICS.items():
                values = np.stack([of[column][mine] for of in self.outcomes.values()])
                weights = work[mine] if metric == "AWRT" else np.ones(values.shape[1])
                share = 0.95 if metric == "p95 wait" else None
                self._figures[group, metric] = _resampled(values, weights, submit[mine], share)
            progress.step()

    def value(self, group: Group, metric: str, name: str) -> float:
        """Return the figure of one option."""
        return float(self._figures[group, metric].means[self.names.index(name)])

    def change(self, group: Group, metric: str, one: str, other: str = ALONE) -> Interval:
        """Return by how much the figure of one option is above that of another."""
        i, j = self.names.index(one), self.names.index(other)
        return self._figures[group, metric].difference(i, j)

    def root(
        self, group: Group, metric: str, at: Mapping[float, str], level: str, slack: float = 0.0
    ) -> Interval:
        """Return at which of these numbers the figure of their options falls below the `level`'s.

        That is raised by the `slack`. Between them it is a straight line; an end is infinite where
        it lies outside of them.
        """
        x, i = np.array([*at]), self.names.index(level)
        places = [self.names.index(name) for name in at.values()]
        beyond = np.inf if x[-1] > x[0] else -np.inf

        def falls(figures: NDArray[np.float64]) -> float:
            y = figures[0] + slack - figures[1:]
            k = int((y > 0).argmax())
            if k == 0:
                return -beyond if y[0] > 0 else beyond
            return float(x[k - 1] + (x[k] - x[k - 1]) * y[k - 1] / (y[k - 1] - y[k]))

        return self._figures[group, metric].of([i, *places]).interval(falls)

    def fault(self, group: Group, name: str) -> str:
        """Return why an option has no figures: it cannot be run, or too much work waits on.

        Those of all jobs have none either where a site has none.
        """
        if name in self.failed:
            return self.failed[name]
        parts = [each for each in self.groups if each[0] == "site"] if group[0] == "all" else []
        for part in (group, *parts):
            if why := self._faults.get((part, name)):
                return why if part == group else why.replace(":", f" at {part[1]}:", 1)
        return ""


def _saturated(late, work):
    """Return the share of the work that waits on at the end, where it is too large; else 0."""
    share = work @ late / work.sum() if work.any() else 0.0
    return share * (late.sum() >= min(SEVERAL, len(late) / 2) and share > STILL_WAITING)


def _resampled(values, weights, submit, share):
    """Return a mean, or else the quantile, of each row; of a short log with a warning."""
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
    """Return an interval as columns of a table; without ends where it is in doubt."""
    ends = [np.nan] * 2 if interval.warning else [interval.low, interval.high]
    named = dict(zip((f"{name}_low", f"{name}_high"), ends, strict=True))
    rests_on = {"blocks": interval.count, "warning": interval.warning}
    return {name: interval.estimate} | named | rests_on


def changes(found: Sequence[Option], comparison: Comparison) -> "pd.DataFrame":
    """Return a row for each option, group of jobs and metric: the figure, and its change.

    The change is that from staying alone, with its 95 % interval. Where there is no figure or no
    interval, `warning` says why.
    """
    import pandas as pd

    rows = []
    for option in (option for option in found if option.kind != "size"):
        for group, members in comparison.groups.items():
            for metric in METRICS:
                row = {"option": option.name, "kind": option.kind, "grouping": group[0],
                       "group": group[1], "metric": metric, "jobs": members.sum()}  # fmt: skip
                rows.append(row | _figure(option.name, comparison, group, metric))
    return pd.DataFrame(rows)


def _figure(name, comparison, group, metric):
    """Return one figure with its change, or why there is none."""
    none: dict = dict.fromkeys(("value", "spanned", "change", "change_low", "change_high"), np.nan)
    if why := comparison.fault(group, name):
        return none | {"warning": why}
    spans = comparison.outcomes[name]["spans"][comparison.groups[group]]
    none |= {"value": comparison.value(group, metric, name), "spanned": spans.mean()}
    if name == ALONE or comparison.fault(group, ALONE):
        return none | {"warning": "" if name == ALONE else "alone it is saturated"}
    return none | columns_of(comparison.change(group, metric, name), "change")
