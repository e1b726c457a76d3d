"""Notebook 04, job sharing and multi-site execution: its small figures, and five exercises."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.simulation import sites
from coalloc_lib.statistics import (
    Interval,
    first_crossing,
    interval_columns,
    resample_weeks,
)
from coalloc_lib.statistics.site_comparison import ALL
from coalloc_lib.workloads.sites import round_robin, staying
from coalloc_lib.workloads.swf import SwfLog
from lessons.logs import HOUR, recorded_waits, share_of, told
from lessons.teaching import checker, near
from studies.job_sharing import workloads
from studies.job_sharing.figures import LOOK
from studies.job_sharing.model import PENALTIES

#: Exercise 1: two jobs on eight processors, the wide one first.
TWO = co.JobStream(submit=[0, 0], runtime=[2, 10], components=[8, 2], request="total")
#: Stop 1 and exercise 2: six jobs on one cluster of ten; the fourth may slip past the third.
SIX = co.JobStream(
    submit=[0, 0, 1, 2, 3, 4], runtime=[6, 10, 4, 3, 7, 2], components=[6, 2, 8, 2, 2, 3],
    request="total",
)  # fmt: skip
SLIPS = 3
M128 = co.Multicluster.named("m128")
#: Exercise 5: a machine of 100 as three.
THIRDS = co.Multicluster([34, 33, 33])
#: Upper ends of the widths of jobs.
WIDTHS = [1, 8, 32, 64, 128, 256]
#: Appendix C: groups of jobs by the hours that they asked for, each above its first end.
REQUESTED = {"up to 4 h": (0, 4), "4 to 15 h": (4, 15), "more": (15, np.inf)}
#: The hours that Central European Time is ahead of UTC, and the weekday of the first day of Unix
#: time, counted from Monday.
CET, FIRST_DAY = 1, 3


def ratio_by_weeks(
    one: co.Schedule, other: co.Schedule, weight: str = "work", mine: Any = None
) -> Interval:
    """Return one AWRT over another, of the same jobs or of `mine`, by bootstrap over weeks."""
    mine = slice(None) if mine is None else mine
    responses = [each.response[mine] for each in (one, other)]
    weights = getattr(other.jobs, weight)[mine]
    both = resample_weeks(responses, weights, other.jobs.submit[mine])
    return both.interval(lambda mean: float(mean[0] / mean[1]))


def run_and_wait(ways: Mapping[str, co.Schedule]) -> plots.Picture:
    """Draw the AWRT of ways to run the same jobs, by both weights, as run and wait."""
    figure, axes = plots.new_figure(2.0, 1, 2, sharey=True)
    told, gains = [], []
    for panel, weight in zip(axes, ("work", "processors"), strict=True):
        for row, (name, way) in enumerate(ways.items()):
            weights = getattr(way.jobs, weight)
            parts = way.end - way.start, way.wait
            run, wait = (np.average(each, weights=weights) / 3600 for each in parts)
            colour = plots.STANDARD.colour
            panel.barh(row, run, 0.6, color=colour)
            panel.barh(row, wait, 0.6, left=run, color=colour, alpha=0.45)
            panel.text(run + wait, row, f" {run:.1f} + {wait:.1f} h", va="center", fontsize=8)
            told.append(f"{name}, by {weight}: {run:.1f} h running, {wait:.1f} h waiting")
            gains.append(wait / (run + wait))
        panel.set(xlim=(0, 1.4 * panel.get_xlim()[1]), xlabel="hours; dark: running, pale: waiting")
        panel.grid(False)
        plots.head(panel, f"weighted by {weight}")
    axes[0].set(yticks=range(len(ways)), yticklabels=ways, ylim=(len(ways) - 0.5, -0.5))
    small = max(gains[: len(ways)]) < 0.5
    title = "Weighted by work, most of the response is running" if small else "Run and wait"
    plots.title_figure(figure, title)
    return plots.Picture(figure, rows=told)


def who_pays(shared: co.Schedule, spanning: co.Schedule) -> plots.Picture:
    """Draw the mean waits of jobs of each width, shared and spanning."""
    widest = int(shared.jobs.processors.max())
    groups = co.metrics.by_width(shared.jobs, [n for n in WIDTHS if n < widest] + [widest])
    rows, longer, told = [], [], []
    for width in groups.remove_unused_categories().categories:
        mine = np.asarray(groups == width)
        waits = {"sharing": shared.wait[mine].mean(), "spanning": spanning.wait[mine].mean()}
        before, now = waits.values()
        longer.append(now > before)
        told.append(f"{width} wide: mean wait {before / 3600:.2f} → {now / 3600:.2f} h")
        for way, wait in waits.items():
            wait_h = Interval.exact(wait / 3600)
            rows.append({"row": f"{width} wide", "way": way} | interval_columns(wait_h, "wait_h"))
    title = "Spanning shortens the waits of the widest jobs and lengthens all others"
    figure = plots.intervals(
        pd.DataFrame(rows), x="wait_h", row="row", series="way", row_height=0.36,
        look=plots.signs(("sharing", "spanning")), xlabel="mean wait, hours",
        title=title if all(longer[:-1]) and not longer[-1] else "Waits by width of job",
        subtitle="of these jobs alone: other jobs would have other waits",
    )  # fmt: skip
    return plots.Picture(figure, rows=told)


def should_they_span(
    jobs: co.JobStream, clusters: co.Multicluster, penalties: Iterable[float] = PENALTIES[:-2]
) -> plots.Picture:
    """Draw up to which penalty jobs of a log should span: at once, or only where sooner."""
    shared, rows = sites.sharing(clusters, jobs, scheduling=co.EASY()), []
    for name, policy in {"at once": co.EASY(), "adaptive": co.EASY(adaptive=True)}.items():
        for p in penalties:
            found = ratio_by_weeks(sites.multi_site(clusters, jobs, p, scheduling=policy), shared)
            rows.append({"line": name, "penalty": p} | interval_columns(found, "ratio"))
    table = pd.DataFrame(rows)
    first = table[table["line"] == "at once"]
    pays, loses = first.query("ci95_high < 1")["penalty"], first.query("ci95_low > 1")["penalty"]
    words = [f"pays up to {pays.max():g}"] * (len(pays) > 0)
    words += [f"loses from {loses.min():g} on"] * (len(loses) > 0)
    figure = plots.factor_lines(
        table, x="penalty", y="ratio", line="line", base="job sharing",
        style=plots.LineStyle(whole_bands=True), look=plots.signs(("at once", "adaptive")),
        xlabel="penalty of jobs that span", ylabel="AWRT over that of\njob sharing",
        title="Spanning at once certainly " + " and ".join(words) if words
        else "Whether spanning at once pays is undecided",
        subtitle=f"{len(jobs):,} jobs on {clusters}; EASY, by work; 95 %, bootstrap over weeks",
    )  # fmt: skip
    return plots.Picture(figure, rows=_told(table, "line", "penalty"))


def by_requested_time(log: SwfLog, jobs: co.JobStream, wait: Any) -> pd.DataFrame:
    """Return what a log recorded beside a simulation, for groups of jobs by requested time.

    `wait` has the simulated waits in seconds. The table has text: the mean waits, and the shares
    of the jobs that began between 17 and 18 hours or from Friday to Sunday. They are in Central
    European Time, which KTH's log is in.
    """
    recorded, asked = recorded_waits(log, jobs), jobs.estimate / HOUR
    first = float(log.header.get("UnixStartTime", "nan"))
    began = first / HOUR + CET + jobs.submit / HOUR + recorded
    hour, day = began // 1 % 24, (began // 24 + FIRST_DAY) % 7
    rows = {}
    for name, (low, high) in REQUESTED.items():
        one = (asked > low) & (asked <= high)
        rows[f"asked for {name}"] = {
            "jobs": f"{one.sum():,}",
            "recorded wait": told(recorded[one]),
            "EASY's wait": told(np.asarray(wait)[one] / HOUR),
            "began at 17": share_of(hour[one] == 17, hour[one]),
            "began Friday to Sunday": share_of(day[one] >= 4, day[one]),
        }
    return pd.DataFrame(rows).T


def sites_picture(table: pd.DataFrame) -> plots.Picture:
    """Draw what `co.compare_sites` finds: how users of each site fare by sharing and spanning."""
    ways = {"sharing": "sharing, over alone", "spanning": "spanning, over sharing"}
    look = {ways["sharing"]: LOOK["sharing"], ways["spanning"]: LOOK["multi-site"]}
    table = pd.concat(
        table.rename(columns={way: "ratio", f"{way}_low": "ci95_low", f"{way}_high": "ci95_high"})
        [["site", "weight", "ratio", "ci95_low", "ci95_high"]].assign(series=name)
        for way, name in ways.items()
    ).sort_values("weight", ascending=False, kind="stable")  # fmt: skip
    joined = table[(table["series"] == ways["sharing"]) & (table["weight"] == "work")]
    joined = joined[joined["site"] != ALL]
    gain, lose = joined["site"][joined["ci95_high"] < 1], joined["site"][joined["ci95_low"] > 1]
    title = f"By sharing {len(gain)} of {len(joined)} sites certainly gain"
    figure = plots.intervals(
        table.assign(panel="by " + table["weight"]), x="ratio", row="site", series="series",
        panel="panel", factors=True, xlabel="AWRT of a site's users over what it is held against",
        look=look, beyond="arrow: on beyond the axis",
        title=title + f"; losing: {', '.join(lose)}" * any(lose),
        subtitle="EASY; 95 % intervals by bootstrap over weeks",
    )  # fmt: skip
    return plots.Picture(figure, rows=_told(table, "site", "weight", "series"))


def _told(table: pd.DataFrame, *names: str) -> list[str]:
    """Return the rows of a table of ratios in words."""
    told = []
    for row in table.to_dict("records"):
        ends = f"{row['ci95_low']:.3f} to {row['ci95_high']:.3f}"
        ends = "no interval" if np.isnan(row["ci95_low"]) else ends
        told.append(f"{', '.join(str(row[name]) for name in names)}: {row['ratio']:.3f} ({ends})")
    return told


def diagnosed(
    answer: Any, right: float, within: float, mistakes: Mapping[str, float], hint: str
) -> str:
    """Return an empty text where a number is right, else what went wrong, or the hint."""
    for why, value in mistakes.items():
        if near(answer, right, within, hint) and not near(answer, value, within, why):
            return why
    return near(answer, right, within, hint)


def of_ratio(right: float) -> dict[str, float]:
    """Return what a ratio is taken for."""
    return {
        "that is the excess: give the one AWRT over the other": right - 1,
        "the ratio is upside down: what is asked for stands above": 1 / right,
    }


def _two_weights(answer: Any) -> str:
    ran = co.simulate(co.Multicluster([8]), TWO)
    right = ran.average_weighted_response_time("work")
    mistakes = {
        "that is by processors alone: a job's work is its processors times its run time":
            ran.average_weighted_response_time("processors"),
        "that counts both jobs alike: weigh each by its work": float(ran.response.mean()),
        "that weighs run times: a response begins at the submission":
            float(np.average(TWO.runtime, weights=TWO.work)),
    }  # fmt: skip
    hint = "weigh each response time by processors times run time, and divide by the sum of these"
    return diagnosed(answer, right, 0.05, mistakes, hint)


def with_length(length: float) -> co.Schedule:
    """Return the schedule of the six jobs, where the one that may slip past runs for so long."""
    runtime = SIX.runtime.copy()
    runtime[SLIPS] = length
    return co.simulate(co.Multicluster([10]), SIX.replace(runtime=runtime), scheduling=co.EASY())


def _longest_that_slips(answer: Any) -> str:
    slips = [n for n in range(1, 11) if with_length(n).start[SLIPS] == SIX.submit[SLIPS]]
    start = float(with_length(1).promised[2])
    mistakes = {
        "that is when it has to end: it does not come at once": start,
        "a job may end at the very instant that was promised": max(slips) - 1,
    }
    hint = "it has to be out of the way when the head was promised to go"
    return diagnosed(answer, max(slips), 0.01, mistakes, hint)


@lru_cache
def _first() -> co.JobStream:
    return next(iter(workloads(1).values()))[0].chopped(M128.largest).subjobs


def _spanning_over_sharing(policy: co.Scheduling) -> float:
    how = {"scheduling": policy}
    ways = sites.multi_site(M128, _first(), 0.25, **how), sites.sharing(M128, _first(), **how)
    spanning, sharing = (each.average_weighted_response_time() for each in ways)
    return spanning / sharing


def _under_fcfs(answer: Any) -> str:
    right = _spanning_over_sharing(co.FCFS())
    same = "that is under EASY: the policy is to change, for both"
    mistakes = {same: _spanning_over_sharing(co.EASY())} | of_ratio(right)
    hint = "the policy is the only change: co.FCFS() for both; then AWRT over AWRT"
    return diagnosed(answer, right, 0.015, mistakes, hint)


def _some_stay(answer: Any) -> str:
    home = staying(round_robin(_first(), len(M128)), 0.5, seed=1)
    stay, leave = (
        sites.sharing(M128, _first(), home=where, scheduling=co.EASY())
        .average_weighted_response_time() for where in (home, None)
    )  # fmt: skip
    hint = "home= is -1 for a job that may go anywhere; the AWRT with it over that without"
    return diagnosed(answer, stay / leave, 0.02, of_ratio(stay / leave), hint)


@lru_cache
def _break_even_of_thirds(weight: str = "work") -> float:
    easy = co.EASY()
    jobs = co.load_trace("KTH-SP2", missing="stand-in").jobs(request="total")
    jobs = jobs.chopped(THIRDS.largest).subjobs
    shared = sites.sharing(THIRDS, jobs, scheduling=easy).average_weighted_response_time(weight)
    ways = (sites.multi_site(THIRDS, jobs, p, scheduling=easy) for p in PENALTIES)
    lost = [way.average_weighted_response_time(weight) - shared for way in ways]
    return first_crossing(np.array(lost), PENALTIES)


def _three_machines(answer: Any) -> str:
    by_processors = "that is by processors: weigh by work"
    mistakes = {by_processors: _break_even_of_thirds("processors")}
    hint = "the AWRT of both at several penalties, and where their difference changes its sign"
    return diagnosed(answer, _break_even_of_thirds(), 0.02, mistakes, hint)


#: Says whether an answer is right.
check = checker(
    {1: _two_weights, 2: _longest_that_slips, 3: _under_fcfs, 4: _some_stay, 5: _three_machines}
)
