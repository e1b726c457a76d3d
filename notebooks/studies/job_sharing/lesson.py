"""Small figures and exercises of notebook 04, on job sharing and multi-site execution."""

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
    pick,
    resample_weeks,
)
from coalloc_lib.statistics.site_comparison import ALL
from coalloc_lib.workloads.sites import round_robin, staying
from coalloc_lib.workloads.swf import SwfLog
from lessons.logs import HOUR, recorded_waits, share_of, told
from lessons.teaching import checker, follows, near
from studies.job_sharing import study, workloads
from studies.job_sharing.figures import AT_LOADS, LOOK
from studies.job_sharing.model import (
    EQUAL,
    EXTRACTS,
    IN_TURN,
    PENALTIES,
    PRINTED_PENALTY,
    STANDARD,
    SYNTHETIC,
)
from studies.job_sharing.runs import ALL_USERS, name_of_sites

#: Exercise 1: two jobs for a cluster of eight processors. Both jobs are submitted at time 0, and
#: the job that requests all eight processors is first in the queue.
TWO = co.JobStream(submit=[0, 0], runtime=[2, 10], components=[8, 2], request="total")
#: Stop 1 and exercise 2 of the notebook: six jobs for one cluster of ten processors. The fourth
#: job, at index `SLIPS`, may be backfilled before the third job.
SIX = co.JobStream(
    submit=[0, 0, 1, 2, 3, 4], runtime=[6, 10, 4, 3, 7, 2], components=[6, 2, 8, 2, 2, 3],
    request="total",
)  # fmt: skip
SLIPS = 3
M128 = co.Multicluster.named("m128")
#: Exercise 5: three clusters with 100 processors in total, as many as the machine of the log
#: KTH-SP2 has.
THIRDS = co.Multicluster([34, 33, 33])
#: Appendix C: groups of jobs by requested time in hours. Each group excludes its first limit and
#: includes its second limit.
REQUESTED = {"up to 4 h": (0, 4), "4 to 15 h": (4, 15), "more": (15, np.inf)}
#: Central European Time is one hour ahead of UTC. Unix time began on a Thursday, which has the
#: number 3 if Monday has the number 0.
CET, FIRST_DAY = 1, 3


# --- Questions: each function returns the option that the runs confirm, or None ---

#: The possible answers to the question up to which penalty spanning pays, each with a range of
#: break-even penalties.
PAYS_UP_TO = {
    "less than 0.1": (-np.inf, 0.1), "from 0.1 to 0.3": (0.1, 0.3), "more than 0.3": (0.3, np.inf),
}  # fmt: skip
#: The options for the notebook's second question, which asks on which machines spanning pays most.
#: Each key is a configuration of machines, and its value is the option that names it.
BY_MACHINES = {
    **dict.fromkeys(EQUAL, "m128 or m256, with equal machines"),
    "m384": "m384, with one large machine",
    "m64": "m64",
}
#: Two break-even penalties, or two ratios of average weighted response times, count as nearly equal
#: if they differ by at most this number.
NEARLY = 0.05


def pays_up_to(result: Any) -> str | None:
    """Return the correct answer to the question: up to which penalty does spanning pay?

    The intervals of the break-even penalties of all workloads on m128 under EASY must lie within
    the range of the answer.
    """
    ends = pick(result.figure("break_even").data(), scheduling="EASY", configuration="m128")
    if ends.empty:
        return None
    least, most = ends["ci95_low"].min(), ends["ci95_high"].max()
    shown = [name for name, (low, high) in PAYS_UP_TO.items() if low <= least and most <= high]
    return shown[0] if shown else None


def where_spanning_pays_most(result: Any) -> str | None:
    """Return the correct answer to the question: where is the break-even penalty highest?

    The options are configurations of machines. The correct configurations must have the largest
    estimate with both workloads. With at least one workload, the interval of the largest must also
    lie above the intervals of all others.
    """
    ends = pick(result.figure("break_even").data(), scheduling="EASY")
    ends = ends.assign(option=ends["configuration"].map(BY_MACHINES))
    largest, is_clear = set(), False
    for _, rows in ends.groupby("workload"):
        first = rows.loc[rows["p"].idxmax()]
        others = rows[rows["option"] != first["option"]]
        largest.add(first["option"])
        is_above = first["ci95_low"] > others["ci95_high"]
        is_clear |= len(others) > 0 and bool(is_above.all())
    return largest.pop() if is_clear and len(largest) == 1 else None


def break_even_under_fcfs(result: Any) -> str | None:
    """Return the correct answer to the question: is the break-even higher under FCFS than EASY?

    It is larger if the interval under FCFS lies above that under EASY for some runs, and below it
    for none. Workloads and configurations that were run under only one of the two policies are left
    out.
    """
    table = result.figure("break_even").data()
    ends = table.pivot(
        index=["workload", "configuration"], columns="scheduling",
        values=["p", "ci95_low", "ci95_high"],
    )  # fmt: skip
    if not {"FCFS", "EASY"} <= {*table["scheduling"]}:
        return None
    ends = ends.dropna(subset=[("p", "FCFS"), ("p", "EASY")])
    if ends.empty:
        return None
    larger = (ends["ci95_low"]["FCFS"] > ends["ci95_high"]["EASY"]).any()
    smaller = (ends["ci95_high"]["FCFS"] < ends["ci95_low"]["EASY"]).any()
    if larger and not smaller:
        return "up to a larger penalty"
    if smaller and not larger:
        return "up to a smaller penalty"
    is_same = ((ends["p"]["FCFS"] - ends["p"]["EASY"]).abs() <= NEARLY).all()
    return "up to the same penalty" if is_same and not larger else None


def spanning_at_high_load(result: Any) -> str | None:
    """Return the correct answer to the question: how does the gain of spanning change with load?

    The penalty is `PRINTED_PENALTY`. The intervals at the lowest and at the highest load are
    compared, for each workload.
    """
    name = AT_LOADS["EASY", PRINTED_PENALTY]
    costly = pick(result.figure("load").data(), weight="work", spanning=name)
    if costly["load"].nunique() < 2:
        return None
    ends = [costly[costly["load"] == load] for load in (costly["load"].min(), costly["load"].max())]
    first, last = (rows.set_index("workload") for rows in ends)
    if (last["ci95_low"] > first["ci95_high"]).all():
        return AT_HIGH_LOAD[2]
    if (last["ci95_high"] < first["ci95_low"]).all():
        return AT_HIGH_LOAD[0]
    changes = last["ratio"] - first["ratio"]
    return AT_HIGH_LOAD[1] if (changes.abs() <= NEARLY).all() else None


def who_gains_by_joining(result: Any) -> str | None:
    """Return the correct answer to the question: which sites of m384 gain if all share their jobs?

    A group of sites gains if its whole interval is below 1, and loses if it is above 1.
    """
    table = result.figure("joining").data()
    rows = pick(table, configuration="m384", weight="work", assignment=IN_TURN)
    rows = rows[rows["users"] != ALL_USERS]
    is_large = rows["users"] == name_of_sites(1, 384)
    if not is_large.any() or is_large.all():
        return None
    gains, loses = rows["ci95_high"] < 1, rows["ci95_low"] > 1
    if gains.all():
        return "all sites"
    if gains[is_large].all() and loses[~is_large].all():
        return "only the site of 384"
    if loses[is_large].all() and gains[~is_large].all():
        return "the small sites, but not the site of 384"
    return None


def ratio_by_weeks(
    one: co.Schedule, other: co.Schedule, weight: str = "work", mine: Any = None
) -> Interval:
    """Return the ratio of the weighted response times of two schedules, with a bootstrap interval.

    The bootstrap resamples weeks. `mine` is a boolean mask of the jobs that count, by default all
    jobs.
    """
    mine = slice(None) if mine is None else mine
    responses = [schedule.response[mine] for schedule in (one, other)]
    weights = getattr(other.jobs, weight)[mine]
    both = resample_weeks(responses, weights, other.jobs.submit[mine])
    return both.interval(lambda mean: float(mean[0] / mean[1]))


def run_and_wait(ways: Mapping[str, co.Schedule]) -> plots.Picture:
    """Plot the run time and the wait that make up the weighted response time of each schedule.

    `ways` is a dict from names to schedules. There is one panel for each weight of the AWRT.
    """
    figure, axes = plots.new_figure(2.0, 1, 2, sharey=True)
    in_words, shares_waiting = [], []
    for panel, weight in zip(axes, ("work", "processors"), strict=True):
        for row, (name, way) in enumerate(ways.items()):
            weights = getattr(way.jobs, weight)
            run = np.average(way.end - way.start, weights=weights) / 3600
            wait = np.average(way.wait, weights=weights) / 3600
            colour = plots.STANDARD.colour
            panel.barh(row, run, 0.6, color=colour)
            panel.barh(row, wait, 0.6, left=run, color=colour, alpha=0.45)
            words, beside = f"{run:.1f} + {wait:.1f} h", {"xytext": (5, 0), "va": "center"}
            panel.annotate(words, (run + wait, row), textcoords="offset points", **beside)
            in_words.append(f"{name}, by {weight}: {run:.1f} h running, {wait:.1f} h waiting")
            shares_waiting.append(wait / (run + wait))
        panel.set(xlim=(0, 1.4 * panel.get_xlim()[1]), xlabel="hours; dark: running, pale: waiting")
        panel.grid(False)
        plots.head(panel, f"weighted by {weight}")
    axes[0].set(yticks=range(len(ways)), yticklabels=ways, ylim=(len(ways) - 0.5, -0.5))
    mostly_running = max(shares_waiting[: len(ways)]) < 0.5
    holds = "Weighted by work, most of the response is running"
    plots.title_figure(figure, holds if mostly_running else "Run and wait")
    return plots.Picture(figure, rows=in_words)


def should_they_span(
    jobs: co.JobStream, clusters: co.Multicluster, penalties: Iterable[float] = PENALTIES[:-2]
) -> plots.Picture:
    """Plot the weighted response times of immediate and adaptive spanning, relative to job sharing,
    against the penalty.

    The title gives the highest penalty at which the whole interval for immediate spanning lies
    below 1.

    Parameters
    ----------
    jobs : JobStream
        The jobs of a log, with submissions in seconds.
    clusters : Multicluster
        The clusters that run the jobs under EASY.
    penalties : iterable of float
        How much longer a job runs if it spans clusters, as shares of its run time.
    """
    shared, rows = sites.sharing(clusters, jobs, scheduling=co.EASY()), []
    for name, policy in {"at once": co.EASY(), "adaptive": co.EASY(adaptive=True)}.items():
        for p in penalties:
            found = ratio_by_weeks(sites.multi_site(clusters, jobs, p, scheduling=policy), shared)
            rows.append({"line": name, "penalty": p} | interval_columns(found, "ratio"))
    table = pd.DataFrame(rows)
    first = table[table["line"] == "at once"]
    pays, loses = first.query("ci95_high < 1")["penalty"], first.query("ci95_low > 1")["penalty"]
    words = []
    if len(pays):
        words.append(f"pays up to {pays.max():g}")
    if len(loses):
        words.append(f"loses from {loses.min():g} on")
    figure = plots.factor_lines(
        table, x="penalty", y="ratio", line="line", base="job sharing",
        style=plots.LineStyle(bars=True, whole_bands=True),
        look=plots.signs(("at once", "adaptive")),
        xlabel="penalty of jobs that span", ylabel="AWRT divided by\nthat of job sharing",
        title="Spanning at once certainly " + " and ".join(words) if words
        else "Whether spanning at once pays is undecided",
        subtitle=f"{len(jobs):,} jobs on {clusters}; EASY, by work; 95 %, bootstrap over weeks",
    )  # fmt: skip
    return plots.Picture(figure, rows=_in_words(table, "line", "penalty"))


def by_requested_time(log: SwfLog, jobs: co.JobStream, wait: Any) -> pd.DataFrame:
    """Return a table of recorded and simulated waiting times, for jobs grouped by requested time.

    Parameters
    ----------
    log : SwfLog
        The log, with the time of its first submission in its header.
    jobs : JobStream
        The jobs of the log.
    wait : array_like
        The simulated waiting time of each job, in seconds.

    Returns
    -------
    DataFrame
        The cells are text: the mean waits, the share of the jobs that began between 17 and 18
        hours, and the share that began from Friday to Sunday. The time zone is Central European
        Time, as in the log of KTH.
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
    """Draw what the users of each site gain by sharing and by spanning, as ratios of response
    times.

    `table` is the result of `co.compare_sites`.
    """
    ways = {"sharing": "sharing / alone", "spanning": "spanning / sharing"}
    look = {ways["sharing"]: LOOK["sharing"], ways["spanning"]: LOOK["multi-site"]}
    table = pd.concat(
        table.rename(columns={way: "ratio", f"{way}_low": "ci95_low", f"{way}_high": "ci95_high"})
        [["site", "weight", "ratio", "ci95_low", "ci95_high"]].assign(series=name)
        for way, name in ways.items()
    ).sort_values("weight", ascending=False, kind="stable")  # fmt: skip
    joined = table[(table["series"] == ways["sharing"]) & (table["weight"] == "work")]
    joined = joined[joined["site"] != ALL]
    gain, lose = joined["site"][joined["ci95_high"] < 1], joined["site"][joined["ci95_low"] > 1]
    title = f"By work, {len(gain)} of {len(joined)} sites certainly gain by sharing"
    figure = plots.intervals(
        table.assign(panel="by " + table["weight"]), x="ratio", row="site", series="series",
        panel="panel", factors=True,
        xlabel="AWRT of a site's users: sharing over alone, or spanning over sharing",
        look=look, beyond="arrow: continues beyond the axis",
        title=title + f"; losing: {', '.join(lose)}" * any(lose),
        subtitle="EASY; 95 % intervals by bootstrap over weeks",
    )  # fmt: skip
    return plots.Picture(figure, rows=_in_words(table, "site", "weight", "series"))


def _in_words(table: pd.DataFrame, *names: str) -> list[str]:
    in_words = []
    for row in table.to_dict("records"):
        ends = f"{row['ci95_low']:.3f} to {row['ci95_high']:.3f}"
        ends = "no interval" if np.isnan(row["ci95_low"]) else ends
        name = ", ".join(str(row[column]) for column in names)
        in_words.append(f"{name}: {row['ratio']:.3f} ({ends})")
    return in_words


def of_ratio(right: float) -> dict[str, float]:
    """Return a dict from explanations of two common mistakes to the wrong answers that they give if
    the right answer is the ratio `right`.
    """
    return {
        "that is the relative increase: divide the first AWRT by the second": right - 1,
        "that is the inverse ratio: exchange the two AWRTs": 1 / right,
    }


def _two_weights(answer: Any) -> str:
    ran = co.simulate(co.Multicluster([8]), TWO)
    right = ran.average_weighted_response_time("work")
    mistakes = {
        "that is weighted by processors: a job's work is its processors times its run time":
            ran.average_weighted_response_time("processors"),
        "that is the mean without weights: weight each job by its work": float(ran.response.mean()),
        "that is the mean run time: a response time begins at the submission":
            float(np.average(TWO.runtime, weights=TWO.work)),
    }  # fmt: skip
    hint = (
        "weight each response time by processors times run time, and divide by the sum of weights"
    )
    return near(answer, right, 0.05, hint, mistakes)


def with_length(length: float) -> co.Schedule:
    """Return the EASY schedule of the six example jobs if the fourth job runs for `length`."""
    runtime = SIX.runtime.copy()
    runtime[SLIPS] = length
    return co.simulate(co.Multicluster([10]), SIX.replace(runtime=runtime), scheduling=co.EASY())


def _longest_that_slips(answer: Any) -> str:
    slips = [n for n in range(1, 11) if with_length(n).start[SLIPS] == SIX.submit[SLIPS]]
    start = float(with_length(1).promised[2])
    mistakes = {
        "that is the time at which the job has to end; it is not submitted at time 0": start,
        "the job may end exactly at the promised start of the head": max(slips) - 1,
    }
    hint = "the job has to end by the promised start of the head of the queue"
    return near(answer, max(slips), 0.01, hint, mistakes)


@lru_cache
def _first() -> co.JobStream:
    return next(iter(workloads(1).values()))[0].chopped(M128.largest).subjobs


def _spanning_over_sharing(policy: co.Scheduling) -> float:
    spanning = sites.multi_site(M128, _first(), 0.25, scheduling=policy)
    sharing = sites.sharing(M128, _first(), scheduling=policy)
    return spanning.average_weighted_response_time() / sharing.average_weighted_response_time()


def _under_fcfs(answer: Any) -> str:
    right = _spanning_over_sharing(co.FCFS())
    same = "that is the ratio under EASY: change the policy for both"
    mistakes = {same: _spanning_over_sharing(co.EASY())} | of_ratio(right)
    hint = "only change the policy to co.FCFS() for both, and divide the AWRTs"
    return near(answer, right, 0.015, hint, mistakes)


def _some_stay(answer: Any) -> str:
    site = round_robin(_first(), len(M128))
    home = staying(site, 0.5, seed=1)
    half_stay = sites.sharing(M128, _first(), home=home, scheduling=co.EASY())
    none_stay = sites.sharing(M128, _first(), scheduling=co.EASY())
    all_stay = sites.local(M128, _first(), site, scheduling=co.EASY())
    ways = half_stay, none_stay, all_stay
    stay, leave, local = (way.average_weighted_response_time() for way in ways)
    mistakes = of_ratio(stay / leave)
    mistakes["that is the ratio if all jobs stay: let half of them leave"] = local / leave
    hint = (
        "home is -1 for a job that may run at any site; divide the AWRT with home= by that without"
    )
    return near(answer, stay / leave, 0.02, hint, mistakes)


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
    by_processors = "that is weighted by processors: weight by work"
    mistakes = {by_processors: _break_even_of_thirds("processors")}
    hint = (
        "compute both AWRTs for the KTH log in steps of 0.05, and interpolate where their "
        "difference changes its sign"
    )
    return near(answer, _break_even_of_thirds(), 0.01, hint, mistakes)


@lru_cache
def _random_gaps() -> np.ndarray:
    four, how = co.Multicluster([32] * 4), {"scheduling": co.EASY()}
    model = co.JobModel(sizes=co.parse_sizes("D(0.9)[1,32]"), request="total")
    samples = (model.sample(count=10_000, seed=seed, rate=1.0) for seed in range(1, 11))
    gaps = []
    for jobs in (each.with_load(system=four, load=0.6) for each in samples):
        spanning = sites.multi_site(four, jobs, span_penalty=0.2, **how)
        ways = spanning, sites.sharing(four, jobs, **how)
        awrt, other = (way.average_weighted_response_time() for way in ways)
        gaps.append(awrt - other)
    return np.array(gaps)


def _one_more_sample(answer: Any) -> str:
    gaps, t = _random_gaps(), 2.262
    of_mean = t * np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    right = of_mean * np.sqrt(len(gaps) + 1)
    mistakes = {
        "that is for the mean of the samples: multiply t s by the root of 1 + 1/10": of_mean,
        "the standard deviation of a sample divides by n - 1 (ddof=1), and the root of 1 + 1/10 "
        "belongs to the answer": right / np.sqrt(1 + 1 / len(gaps)),
        "multiply by t = 2.262": right / t,
    }
    hint = "take the ten differences at a penalty of 0.2"
    return near(answer, right, 0.02 * right, hint, mistakes)


def _what_follows(answer: Any) -> str:
    """Check the last exercise, with the letters of its sentences in notebook 04."""
    result = study.judge(study.archived())
    wide, joined, spans, ends = (
        result.figure(name).data() for name in ("figure7", "joining", "figure5", "break_even")
    )
    ends = ends.set_index(["workload", "configuration", "scheduling"])
    m64, m128 = (ends.loc[(SYNTHETIC, name, "EASY")] for name in ("m64", STANDARD))
    largest = pick(joined, configuration="m384", assignment=IN_TURN, users="1 of 384")
    largest = pick(largest, weight="work")
    spans = pick(spans, configuration=STANDARD, weight="work", penalty=PRINTED_PENALTY)
    sentences = {
        "a": (
            bool((pick(wide, weight="work")["ci95_low"] < 1).any()),
            "what is undecided is whether the increase is significant; is there an increase?",
        ),
        "b": (
            bool(np.isinf(ends.loc[(EXTRACTS, "m256", "FPFS(50)"), "p"])),
            "the interval goes on beyond the penalties that were simulated; what does it contain?",
        ),
        "c": (m64["ci95_low"] > m128["ci95_high"], "compare the ends of both intervals"),
        "d": (
            bool((largest["ci95_low"] > 1).all()),
            "compare the ends of both intervals of this site with the dashed line",
        ),
        "e": (
            bool((pick(spans, workload=EXTRACTS)["ci95_low"] > 1).all()),
            "look at the whole interval at this penalty",
        ),
    }
    return follows(answer, sentences)


#: The options of the question by how much the AWRT grows if wide jobs stay whole.
WHOLE_WIDE = ("not at all", "by less than a tenth", "by a tenth or more")
#: The options of the question how spanning compares with sharing if the load is higher.
AT_HIGH_LOAD = (
    "better, because more jobs wait",
    "as before",
    "worse, because jobs that span run longer",
)
#: The options of the question at which penalties adaptive spanning loses to sharing.
LOSES_ADAPTIVELY = ("at 0.2 and above", "only at the highest, 0.4", "at none of them")


def whole_wide_jobs(result: Any) -> str | None:
    """Return the correct answer to the question: by how much do whole wide jobs raise the AWRT?"""
    ratios = pick(result.figure("figure7").data(), weight="work")
    if (ratios["ci95_low"] <= 1).any():
        return None
    highs, lows = ratios["ci95_high"], ratios["ci95_low"]
    return WHOLE_WIDE[1] if (highs < 1.1).all() else WHOLE_WIDE[2] if (lows > 1.1).all() else None


def adaptive_loses(result: Any) -> str | None:
    """Return the correct answer to the question: where does adaptive spanning lose to sharing?"""
    ratios = pick(result.figure("adaptive").data(), configuration=STANDARD, spanning="adaptive")
    by_work = pick(ratios, weight="work")
    loses = (by_work["ci95_low"] > 1).groupby(by_work["penalty"]).any()
    if not loses.any():
        return LOSES_ADAPTIVELY[2]
    options = dict(zip((0.2, 0.4), LOSES_ADAPTIVELY[:2], strict=True))
    least = loses.idxmax()
    return options.get(least) if loses[least:].all() else None


#: The function `check` of the notebook, which takes the number of an exercise and a reader's
#: answer, and says whether the answer is right.
check = checker(
    {
        1: _two_weights, 2: _longest_that_slips, 3: _under_fcfs, 4: _some_stay, 5: _three_machines,
        6: _one_more_sample, 7: _what_follows,
    }
)  # fmt: skip
