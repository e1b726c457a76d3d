"""What operators of several sites could do: each option run on the same jobs, and compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from coalloc_lib import sites
from coalloc_lib.checks import InputError
from coalloc_lib.intervals import WEEK, Interval, Resamples, resample_quantiles, resample_weeks
from coalloc_lib.jobs import JobStream, merge
from coalloc_lib.metrics import STILL_WAITING
from coalloc_lib.progress import Silent
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import EASY, Conservative
from coalloc_lib.seeds import Seed, generators
from coalloc_lib.system import Multicluster

if TYPE_CHECKING:
    import pandas as pd

#: What every option is compared with, and two that others are.
ALONE, SHARED = "stay alone (EASY at each site)", "share one queue"
#: The sizes, in parts of today's, at which each site runs alone, to answer 'buy or share?'.
SIZES = (1.05, 1.1, 1.2, 1.35, 1.5, 2.0)
#: By what an option is judged, in seconds but for the slowdown.
METRICS = ("mean wait", "p95 wait", "AWRT", "slowdown")


@dataclass(frozen=True)
class Option:
    """One thing to do, and how it is run. Of all kinds, only a ``policy`` is recommended.

    Others are ``today``, ``span`` (one penalty of several), ``what if`` and ``size``. `mine` are
    the places of the jobs that are compared, where more are run.
    """

    name: str
    kind: str
    run: Callable[[], Schedule]
    mine: NDArray[np.int64] | None = None


def options(
    system: Multicluster,
    jobs: JobStream,
    site: NDArray[np.int64],
    user: Sequence[Any],
    penalties: Sequence[float],
    seed: Seed,
) -> list[Option]:
    """Return all options; `user` is a label a job, which the share of exact estimates goes by."""
    easy, adaptive = EASY(), EASY(adaptive=True)
    alone = partial(sites.local, system, jobs, site)
    likely = penalties[len(penalties) // 2]
    found = [
        Option(ALONE, "today", partial(alone, scheduling=easy)),
        Option(
            "conservative backfilling, alone", "policy", partial(alone, scheduling=Conservative())
        ),
        Option(SHARED, "policy", partial(sites.sharing, system, jobs, scheduling=easy)),
    ]
    for rule, words in ((easy, "span"), (adaptive, "span only if sooner")):
        found += [
            Option(
                f"{words}, penalty {p:g}",
                "policy" if rule.adaptive and p == likely else "span",
                partial(sites.multi_site, system, jobs, p, scheduling=rule),
            )
            for p in penalties
            if p or not rule.adaptive
        ]
    users, group = np.unique(user, return_inverse=True)
    choosing, copying = generators(seed, 2)
    exact = choosing.permutation(len(users))[group] < len(users) / 2
    halved = jobs.replace(estimate=np.where(exact, jobs.runtime, jobs.estimate))
    more, more_site, mine = with_more(jobs, site, 0.1, copying)
    found += [
        Option("exact estimates, alone", "what if", partial(
            sites.local, system, jobs.replace(estimate=None), site, scheduling=easy)),
        Option("half of the users exact, alone", "what if", partial(
            sites.local, system, halved, site, scheduling=easy)),
        Option("10 % more load, alone", "what if", partial(
            sites.local, system, more, more_site, scheduling=easy), mine),
        Option("10 % more load, one queue", "what if", partial(
            sites.sharing, system, more, scheduling=easy), mine),
    ]  # fmt: skip
    for size in SIZES:
        larger = Multicluster([ceil(round(size * each, 6)) for each in system.sizes])
        name = f"{size - 1:.0%} more processors, alone".replace("%", " %")
        run = partial(sites.local, larger, jobs, site, scheduling=easy)
        found.append(Option(name, "what if" if size == 1.1 else "size", run))
    return found


def with_more(
    jobs: JobStream, site: NDArray[np.int64], share: float, rng: np.random.Generator
) -> tuple[JobStream, NDArray[np.int64], NDArray[np.int64]]:
    """Return the jobs and copies of some at whole weeks' distance, their sites, the jobs' places.

    At each site so many jobs, drawn at random, come a second time that they add this share of the
    work (one job more at most). Days and nights stay as they are.
    """
    order = rng.permutation(len(jobs))
    chosen = []
    for number in np.unique(site):
        mine = order[site[order] == number]
        work = np.cumsum(jobs.work[mine])
        chosen.append(mine[: np.searchsorted(work, share * work[-1]) + 1])
    drawn, begin = np.concatenate(chosen), jobs.submit.min()
    weeks = max(int(np.ptp(jobs.submit) // WEEK), 1)
    later = jobs.submit[drawn] - begin + WEEK * rng.integers(weeks, size=len(drawn))
    copies = jobs[drawn].replace(submit=begin + later % (weeks * WEEK))
    count = len(jobs)
    both = merge(
        jobs.replace(number=np.arange(count)),
        copies.replace(number=count + np.arange(len(copies))),
    )
    places = np.concatenate([site, site[drawn]])[both.number]
    return both, places, np.argsort(both.number)[:count]


@dataclass(frozen=True)
class Outcome:
    """What an option makes of each job that is compared; times in seconds, shape (n,).

    The wait is all that a job takes longer than its run time on one site: what spanning adds to a
    run counts as waiting. `waits_on` is whether a job had not begun at the last submission.
    """

    wait: NDArray[np.float64]
    response: NDArray[np.float64]
    slowdown: NDArray[np.float64]
    spans: NDArray[np.bool_]
    waits_on: NDArray[np.bool_]

    @classmethod
    def of(cls, option: Option) -> "tuple[str, Outcome | InputError]":
        """Run an option; return its name and what came out, or why it cannot be run."""
        try:
            ran = option.run()
        except InputError as error:
            return option.name, error
        late = ran.start > ran.jobs.submit.max()
        wait = np.where(ran.spans, ran.response - ran.jobs.runtime, ran.wait)
        columns = wait, ran.response, ran.slowdown(10.0), ran.spans, late
        return option.name, cls(*(c if option.mine is None else c[option.mine] for c in columns))


def run_all(
    found: Sequence[Option], progress: Silent, workers: int
) -> dict[str, Outcome | InputError]:
    """Run all options, side by side in threads: the kernels hold no lock."""
    progress.total(len(found))
    # The longest first, so that none is left over at the end.
    order = sorted(found, key=lambda option: "conservative" not in option.name)
    parallel: Any = Parallel(workers, prefer="threads", return_as="generator_unordered")
    outcomes = {}
    for name, outcome in parallel(map(delayed(Outcome.of), order)):
        outcomes[name] = outcome
        progress.step()
    return {option.name: outcomes[option.name] for option in found}


#: A grouping (``all``, ``site``, ``width``, ...) and one group of it.
Group = tuple[str, str]


class Comparison:
    """All options on the same jobs, with intervals from the same weeks drawn anew.

    `groups` says of each group which jobs are in it; `submit` and `work` are those of the jobs.
    Options that could not be run stand in `failed` with the reason, all others in `names`.
    """

    def __init__(
        self,
        outcomes: Mapping[str, Outcome | InputError],
        groups: Mapping[Group, NDArray[np.bool_]],
        submit: NDArray[np.float64],
        work: NDArray[np.float64],
    ) -> None:
        self.failed = {n: str(o) for n, o in outcomes.items() if isinstance(o, InputError)}
        self.outcomes = {n: o for n, o in outcomes.items() if isinstance(o, Outcome)}
        self.names, self.groups = [*self.outcomes], groups
        self._submit, self._work = submit, work
        self._known: dict[tuple[Group, str], tuple[NDArray, Resamples | str]] = {}

    def value(self, group: Group, metric: str, name: str) -> float:
        """Return the figure of one option."""
        return float(self._figures(group, metric)[0][self.names.index(name)])

    def interval(self, group: Group, metric: str, statistic: Callable[[Any], float]) -> Interval:
        """Return the interval of a statistic of the figures, in the order of `names`."""
        figures, drawn = self._figures(group, metric)
        if isinstance(drawn, Resamples):
            return drawn.interval(statistic)
        return Interval(float(statistic(figures)), np.nan, np.nan, 0, warning=drawn)

    def change(self, group: Group, metric: str, one: str, other: str = ALONE) -> Interval:
        """Return by how much the figure of one option is above that of another."""
        i, j = self.names.index(one), self.names.index(other)
        return self.interval(group, metric, lambda figures: figures[i] - figures[j])

    def root(self, group: Group, metric: str, at: Mapping[float, str], level: str) -> Interval:
        """Return at which of these numbers the figure of their options falls below the `level`'s.

        Between them it is a straight line; an end is infinite where it lies outside of them.
        """
        x, places, i = [*at], [self.names.index(n) for n in at.values()], self.names.index(level)
        return self.interval(group, metric, lambda f: rises_through_zero(x, f[i] - f[places]))

    def saturated(self, group: Group, name: str) -> str:
        """Say so where an option leaves too much work waiting; return nothing where it does not."""
        if not self.outcomes[name].waits_on.any():
            return ""
        work = self._work * self.groups[group]
        share = float(work @ self.outcomes[name].waits_on / work.sum())
        words = f"saturated: {share:.0%} of the work still waits at the last submission"
        return words if share > STILL_WAITING else ""

    def _figures(self, group, metric):
        """Return the figure of each option, and resamples of all, or why there are none."""
        if (group, metric) not in self._known:
            members = self.groups[group]
            column = {"AWRT": "response", "slowdown": "slowdown"}.get(metric, "wait")
            values = np.stack([getattr(o, column)[members] for o in self.outcomes.values()])
            weights = self._work[members] if metric == "AWRT" else np.ones(values.shape[1])
            submit = self._submit[members]
            try:
                drawn: Any = (
                    resample_quantiles(values, 0.95, submit)
                    if metric == "p95 wait"
                    else resample_weeks(values, weights, submit)
                )
                self._known[group, metric] = drawn.means, drawn
            except InputError as error:
                quantiles = np.quantile(values, 0.95, axis=1, method="inverted_cdf")
                means = values @ weights / weights.sum()
                figures = quantiles if metric == "p95 wait" else means
                self._known[group, metric] = figures, str(error)
        return self._known[group, metric]


def changes(found: Sequence[Option], comparison: Comparison) -> "pd.DataFrame":
    """Return a row for each option, group of jobs and metric: the figure, and its change.

    The change is that from staying alone, with its 95 % interval. Where there is no figure or no
    interval, `warning` says why.
    """
    import pandas as pd

    return pd.DataFrame([
        {"option": option.name, "kind": option.kind, "grouping": group[0], "group": group[1],
         "metric": metric, "jobs": int(members.sum())}
        | _row(option.name, comparison, group, metric)
        for option in found if option.kind != "size"
        for group, members in comparison.groups.items()
        for metric in METRICS
    ])  # fmt: skip


def _row(name, comparison, group, metric):
    """Return one figure with its change, or why there is none."""
    row: dict[str, Any] = dict.fromkeys(
        ("value", "change", "change_low", "change_high", "spanned"), np.nan
    )
    if why := comparison.failed.get(name) or comparison.saturated(group, name):
        return row | {"warning": why}
    members = comparison.groups[group]
    row["spanned"] = float(comparison.outcomes[name].spans[members].mean())
    row["value"] = comparison.value(group, metric, name)
    if name == ALONE:
        return row | {"warning": ""}
    if comparison.saturated(group, ALONE):
        return row | {"warning": "nothing to compare with: alone it is saturated"}
    change = comparison.change(group, metric, name)
    row |= {"change": change.estimate, "change_low": change.low, "change_high": change.high}
    return row | {"warning": change.warning}


def rises_through_zero(x: Sequence[float], y: Sequence[float]) -> float:
    """Return where a line through these points first rises above 0; infinite outside of them."""
    above = np.asarray(y) > 0
    if above[0] or not above.any():
        return -np.inf if above[0] else np.inf
    i = int(above.argmax())
    return float(x[i - 1] + (x[i] - x[i - 1]) * y[i - 1] / (y[i - 1] - y[i]))
