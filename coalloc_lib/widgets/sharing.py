"""The sharing explorer: a workload on several sites that keep to themselves, share, or span."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib import plots
from coalloc_lib.bootstrap import DAY
from coalloc_lib.checks import not_negative, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.metrics import utilization_timeline
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies.job_sharing.awrt_lines import ratio, resampled
from coalloc_lib.studies.job_sharing.figures import LOOK
from coalloc_lib.studies.job_sharing.parameters import (
    DIVIDED,
    LOCAL,
    MULTI_SITE,
    OF_SITE,
    ONE,
    POLICIES,
    SEED,
    SHARING,
    STANDARD,
)
from coalloc_lib.studies.job_sharing.runs import Case, Found, Work, found_of, measured
from coalloc_lib.studies.job_sharing.workloads import workload_sets
from coalloc_lib.widgets.controls import Explorer, choice, slider_with_entry
from coalloc_lib.widgets.picture import Picture

#: What a job's response time counts as, by what the control calls it.
WEIGHINGS = {"processors × run time": WEIGHTS[0], "processors": WEIGHTS[1]}
#: Drawings of the weeks behind an interval.
RESAMPLES = 300
#: How many times the longest of the other bars that of local execution may be, before it is cut.
CUT = 2.0
#: The largest overhead of the slider.
MOST = 1.0
#: One colour a way to run, as in the study's figures.
COLOURS = LOOK | {SHARING: plots.STANDARD}


@dataclass(frozen=True, eq=False)
class Ran:
    """What a case gives.

    Attributes
    ----------
    found : Found
    busy : ndarray, shape (sites, days)
        The share of each site's processors that is busy, by day, up to the last submission.
    """

    found: Found
    busy: NDArray[np.float64]


@lru_cache(maxsize=256)
def sharing_run(case: Case) -> Ran:
    """Simulate a case of the job-sharing study; kept in memory."""
    schedule, job = case.simulate()
    submit = schedule.jobs.submit
    edges = submit.min() + DAY * np.arange(np.ptp(submit) // DAY + 1)
    table = utilization_timeline(schedule, edges)
    sites = table[table["grouping"] == "cluster"]
    busy = sites["utilization"].to_numpy().reshape(len(schedule.system), -1)
    return Ran(found_of(case, measured(case, schedule, job)), busy)


@lru_cache(maxsize=64)
def _picture(configuration: str, work: Work, policy: str, overhead: float, weight: str) -> Picture:
    cases = {
        LOCAL: Case(work, configuration, LOCAL, policy, wide=OF_SITE),
        SHARING: Case(work, configuration, SHARING, policy),
        MULTI_SITE: Case(work, configuration, MULTI_SITE, policy, overhead),
        ONE: Case(work, configuration, ONE, policy),
    }
    ran = {mode: sharing_run(case) for mode, case in cases.items()}
    found = {cases[mode]: each.found for mode, each in ran.items()}
    hours = {
        mode: resampled([case], found, weight, RESAMPLES).interval(lambda m: float(m[0] / 3600))
        for mode, case in cases.items()
    }
    times = ratio(cases[MULTI_SITE], cases[SHARING], found, weight, RESAMPLES)
    said = f"{configuration}, {work}, {policy}, p = {overhead:g}"
    (counted,) = (name for name, known in WEIGHINGS.items() if known == weight)
    most = CUT * max(each.high for mode, each in hours.items() if mode != LOCAL)
    bars = plots.bars(
        {configuration: hours}, title=_verdict(times), look=COLOURS, xlabel="AWRT in hours",
        words=_in_hours, most=most,
        subtitle=f"{said}; weighted by {counted}; 95 % intervals from weeks drawn anew; wide jobs "
        "in pieces of the largest machine, locally of their site's"
        + "; arrow: the bar goes on" * (hours[LOCAL].high > most),
    )  # fmt: skip
    busy = {_heading(mode, each): each.busy for mode, each in ran.items() if mode != ONE}
    days = ran[SHARING].busy.shape[1]
    below = plots.timelines(
        busy, days, title=_spread(ran), subtitle=f"{said}; by day, up to the last submission",
        xlabel="day", ylabel="site",
    )  # fmt: skip
    timeline = Picture(below)._repr_mimebundle_()["text/html"]
    words = "; ".join(f"{mode} {_in_hours(each)}" for mode, each in hours.items())
    return Picture(bars, f"{_verdict(times)}. AWRT: {words}.", below=timeline)


def _in_hours(found: Interval) -> str:
    """Return an AWRT in words, with the ends of its interval, which need not be at one distance.

    Examples
    --------
    >>> _in_hours(Interval(22.365, 16.73, 26.78, 6)), _in_hours(Interval(240.1, 199.6, 262.0, 6))
    ('22.4 h (16.7 to 26.8)', '240 h (200 to 262)')
    """
    digits = 1 if found.estimate < 100 else 0
    middle, low, high = (f"{x:.{digits}f}" for x in (found.estimate, found.low, found.high))
    return f"{middle} h ({low} to {high})"


def _verdict(times: Interval) -> str:
    """Say whether spanning pays, where the interval tells.

    Examples
    --------
    >>> _verdict(Interval(0.92, 0.832, 0.9982, 6))
    'Spanning sites pays: its AWRT is 0.920 times that of job sharing (0.832 to 0.998)'
    """
    near = any(f"{end:.2f}" == "1.00" for end in (times.low, times.high))
    middle, low, high = (f"{x:.{2 + near}f}" for x in (times.estimate, times.low, times.high))
    ends = f"{middle} times that of job sharing ({low} to {high})"
    if times.below(1):
        return f"Spanning sites pays: its AWRT is {ends}"
    if times.above(1):
        return f"Spanning sites loses: its AWRT is {ends}"
    return f"Whether spanning sites pays is undecided: its AWRT is {ends}"


def _heading(mode: str, ran: Ran) -> str:
    if mode != MULTI_SITE:
        return mode
    return f"{mode}: {ran.found.spanned:.1%} of the jobs span sites"


def _spread(ran: Mapping[str, Ran]) -> str:
    """Say how unequally busy the sites are, on average over time."""
    told = [
        f"{100 * least:.0f} to {100 * most:.0f} % busy ({mode})"
        for mode, each in ran.items()
        if mode != ONE
        for least, most in [(each.busy.mean(axis=1).min(), each.busy.mean(axis=1).max())]
    ]
    return f"On average over time sites are {', '.join(told)}"


def sharing_picture(
    configuration: str = STANDARD, workload: str = "", policy: str = "EASY",
    overhead: float = 0.25, weight: str = "processors × run time",
) -> Picture:  # fmt: skip
    """Draw the AWRT of each way to run a workload, and how busy the sites are from day to day.

    Parameters
    ----------
    configuration : {"m64", "m128", "m256", "m384"}
    workload : str
        A name of `coalloc_lib.studies.job_sharing.workload_sets`; the first where it is empty.
    policy : {"EASY", "conservative", "FPFS(50)", "FCFS"}
    overhead : float
        p, the share that spanning sites adds to a job's run time.
    weight : {"processors × run time", "processors"}
        What the response time of a job is weighted by.

    Raises
    ------
    InputError
        A name is not known, or the overhead is negative.
    """
    works = workload_sets(SEED)
    work = works[one_of("workload", workload or next(iter(works)), tuple(works))]
    one_of("configuration", configuration, DIVIDED)
    one_of("policy", policy, tuple(POLICIES))
    counted = WEIGHINGS[one_of("weight", weight, tuple(WEIGHINGS))]
    return _picture(configuration, work, policy, not_negative("overhead", overhead), counted)


def sharing_explorer(state: str = "") -> Explorer:
    """Return the controls of sites and their policy, and at once what sharing and spanning do.

    Parameters
    ----------
    state : str, optional
        The line of a scenario that was copied.
    """
    controls = {
        "configuration": choice("configuration", DIVIDED, STANDARD),
        "workload": choice("workload", workload_sets(SEED)),
        "policy": choice("policy", POLICIES),
        "overhead": slider_with_entry("overhead p", 0.25, 0.0, MOST, 0.05),
        "weight": choice("weighted by", WEIGHINGS),
    }

    def draw(coarse: bool, **asked: Any) -> Picture:
        return sharing_picture(**asked)  # quick enough while a control moves

    return Explorer(controls, draw, state=state)
