"""The sharing explorer: a workload on several sites that keep to themselves, share, or span."""

from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import not_negative, one_of
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.plots import Picture
from coalloc_lib.schedules.metrics import utilization_timeline
from coalloc_lib.schedules.schedule import WEIGHTS
from coalloc_lib.statistics import DAY, Interval, interval_columns, resample_sums
from coalloc_lib.widgets.controls import Explorer, choice, slider_with_entry
from studies.job_sharing import model
from studies.job_sharing.runs import Setting, simulate

#: What a job's response time counts as, by what the control calls it.
WEIGHINGS = dict(zip(("processors × run time", "processors"), WEIGHTS, strict=True))
#: Drawings of the weeks behind an interval.
FEW = 300
#: Extracts and draws that are offered of each workload.
OFFERED = 7
#: How many of the first jobs are run of a policy that is slow, and while a control moves.
BOUNDED, SOON = {"conservative": 3_000}, 500
#: The time of the submissions is cut into so many parts, of which so many are drawn as one: of
#: 10,000 jobs about a day, and a week.
PARTS, BLOCK = 42, 7
#: Ends of the axis, in hours, whatever comes out.
SPAN = 1.0, 300.0
#: What becomes of wide jobs; in the other ways they are pieces of the largest machine.
WIDE = {model.LOCAL: model.OF_SITE, model.SINGLE: model.UNCHANGED}
#: At which load the jobs come, by what the control calls it.
LOADS = {"as they came": None} | {f"{load / 10:g}": load / 10 for load in range(3, 10)}


def streams() -> dict[str, JobStream]:
    """Return the extracts and draws of the job-sharing study, each by a name of its own."""
    return {
        f"{name}, {number}": jobs
        for name, draws in model.workloads(OFFERED).items()
        for number, jobs in enumerate(draws[:OFFERED], start=1)
    }


@lru_cache(maxsize=256)
def sharing_run(setting: Setting, jobs: JobStream, count: int) -> tuple[dict, float, pd.DataFrame]:
    """Run `count` jobs: sums by weight and part, the share that spans, how busy sites are a day."""
    schedule = simulate(setting, jobs[np.arange(min(count, len(jobs)))]).schedule
    submit = schedule.jobs.submit
    part = (PARTS * (submit - submit.min()) / (1 + np.ptp(submit))).astype(np.int64)
    length = schedule.end - schedule.start
    sums = {
        name: np.array(
            [np.bincount(part, weight * each, PARTS) for each in (schedule.response, 1.0, length)]
        )
        for name in WEIGHTS
        for weight in [getattr(schedule.jobs, name)]
    }
    edges = submit.min() + DAY * np.arange(np.ptp(submit) // DAY + 1)
    busy = utilization_timeline(schedule, edges).query("grouping == 'cluster'")
    return sums, float(schedule.spans.mean()), busy.assign(day=(busy["begin"] - edges[0]) / DAY)


@lru_cache(maxsize=64)
def _picture(
    configuration: str, workload: str, jobs: JobStream, policy: str, penalty: float, weight: str,
    load: float | None, count: int, before: tuple[float, ...],
) -> Picture:  # fmt: skip
    ran = _ran(configuration, jobs, policy, penalty, load, count)
    tops, bottoms, lengths = np.stack(
        [sums[WEIGHINGS[weight]] for sums, _, _ in ran.values()], axis=1
    )
    drawn = resample_sums(tops, bottoms, BLOCK, resamples=FEW, seed=model.SEED)
    one, other = (model.WAYS.index(way) for way in (model.MULTI_SITE, model.SHARING))
    times = drawn.interval(lambda means: float(means[one] / means[other]))
    rows, panels = [], []
    for row, mode in enumerate(ran):
        least = lengths[row].sum() / bottoms[row].sum()  # no job responds before it has run
        hours = drawn.interval(itemgetter(row)).within(least).times(1 / 3600)
        words = f"{hours.estimate:.1f} h {_ends(hours, 1)}"
        was = before[row] if before else float("nan")
        rows.append(
            {"mode": mode, "words": words, "before": was} | interval_columns(hours, "hours")
        )
        if mode != model.SINGLE:
            _, spanned, busy = ran[mode]
            shares = 100 * busy.groupby("group")["utilization"].mean()
            heading = f"{mode}: {shares.min():.0f} to {shares.max():.0f} % busy"
            heading += f", {100 * spanned:.1f} % of the jobs span" * (mode == model.MULTI_SITE)
            panels.append(busy.assign(panel=heading, site=busy["group"] + 1))
    label = f"{configuration}, {workload}, {policy}, penalty {penalty:g}"
    label += f", load {load:g}" if load else ""
    label += f", first {count:,} jobs" * (count < len(jobs))
    dots = plots.intervals(
        pd.DataFrame(rows), x="hours", row="mode", words="words", log=True, row_height=0.34,
        span=SPAN, before="before",
        xlabel="AWRT in hours; equal steps are equal factors", title=verdict(times),
        subtitle=f"{label}; weighted by {weight}; 95 % intervals by bootstrap over sixths of "
        "the time; wide jobs in pieces of the largest machine, locally of their site's, whole on "
        "one machine"
        + "; rings: before" * bool(before),
    )  # fmt: skip
    plots.style.mark_powers(dots.axes[0].xaxis)
    busy = pd.concat(panels)
    below = plots.timelines(
        busy, panel="panel", strip="site", time="day", busy="utilization",
        until=busy["day"].max() + 1, xlabel="day", ylabel="site",
        title="How busy each site is from day to day",
        subtitle=f"{label}; up to the last submission; headings: the least and the most busy site",
    )  # fmt: skip
    timeline = Picture(below, rows=busy["panel"].unique())._repr_mimebundle_()["text/html"]
    said = [f"{row['mode']} {row['words']}" for row in rows]
    return Picture(dots, below=timeline, rows=said)


def _ran(configuration, jobs, policy, penalty, load, count):
    """Run the jobs in each way."""
    ran = {}
    for way in model.WAYS:
        setting = Setting(
            model.SYNTHETIC,  # whatever: the jobs are given
            configuration,
            way,
            penalty if way == model.MULTI_SITE else 0.0,
            policy,
            wide=WIDE.get(way, model.OF_LARGEST),
            load=load,
        )
        ran[way] = sharing_run(setting, jobs, count)
    return ran


def verdict(times: Interval) -> str:
    """Say whether spanning pays, where the interval tells.

    Examples
    --------
    >>> verdict(Interval(0.92, 0.832, 0.9982, 6))
    'Spanning sites pays: its AWRT is 0.920 times that of job sharing (0.832 to 0.998)'
    """
    known: dict = {True: "Spanning sites pays", False: "Spanning sites loses"}
    answer = known.get(times.below(1), "Whether spanning sites pays is undecided")
    said = f"{answer}: its AWRT is {times.estimate:.3f} times that of job sharing"
    return f"{said} {_ends(times, 3)}"


def _ends(interval, digits):
    """Return an interval in brackets, or why there is none."""
    if interval.warning:
        return f"(no interval: {interval.warning})"
    return f"({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def sharing_picture(
    configuration: str = model.STANDARD, workload: str = "", policy: str = "EASY",
    penalty: float = 0.25, weight: str = "processors × run time", load: str = "as they came",
    coarse: bool = False, before: Mapping[str, Any] | None = None,
) -> Picture:  # fmt: skip
    """Draw the AWRT of each way to run a workload, and how busy the sites are from day to day.

    `workload` is a name of `streams`, by default the first; `penalty` is the share that spanning
    adds to a run time; `weight` and `load` are keys of `WEIGHINGS` and `LOADS`. A `coarse` picture
    has the first 500 jobs alone, and conservative backfilling, which is slow, 3,000 at most. Rings
    are the AWRT of other arguments, drawn `before`.
    """
    every = streams()
    workload = one_of("workload", workload or next(iter(every)), tuple(every))
    one_of("configuration", configuration, tuple(model.CONFIGURATIONS))
    one_of("policy", policy, tuple(model.POLICIES))
    one_of("weight", weight, tuple(WEIGHINGS))
    one_of("load", load, tuple(LOADS))
    count = SOON if coarse else BOUNDED.get(policy, model.JOBS)
    penalty = not_negative("penalty", penalty)
    how = policy, penalty, weight, LOADS[load], count
    earlier = () if before is None or coarse else _hours(every, **before)
    return _picture(configuration, workload, every[workload], *how, earlier)


def _hours(every, configuration, workload, policy, penalty, weight, load):
    """Return the AWRT of each way in hours, by what the controls said before."""
    count = BOUNDED.get(policy, model.JOBS)
    ran = _ran(configuration, every[workload], policy, penalty, LOADS[load], count)
    sums = [sums[WEIGHINGS[weight]].sum(axis=1) for sums, _, _ in ran.values()]
    return tuple(float(top / bottom) / 3600 for top, bottom, _ in sums)


def sharing_explorer(state: str = "") -> Explorer:
    """Return controls of sites and their policy, and what sharing and spanning do; or a `state`."""
    controls = {
        "configuration": choice("configuration", model.CONFIGURATIONS, model.STANDARD),
        "workload": choice("workload", streams()),
        "policy": choice("policy", model.POLICIES),
        "penalty": slider_with_entry("penalty", 0.25, 0.0, 1.0, 0.05),
        "load": choice("load", LOADS),
        "weight": choice("weighted by", WEIGHINGS),
    }

    def simulates(policy: str, **_: object) -> bool:
        return policy in BOUNDED  # whose runs are long: a quick look comes first

    return Explorer(controls, sharing_picture, state=state, simulates=simulates)
