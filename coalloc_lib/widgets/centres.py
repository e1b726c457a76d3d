"""The two computing centres of the playground: their scenarios, and their results in words.

`coalloc_lib.statistics.scenario_pairs` simulates and compares the two scenarios.
"""

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

import pandas as pd

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.placement import BestFit, SingleThenSpan, WorstFit
from coalloc_lib.model.system import parse_clusters
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.scenario_pairs import ALL, PENALTIES, BreakEven
from coalloc_lib.workloads.models import JobModel, SplitJobs

#: The options for when a job is allowed to span clusters.
NEVER, ALWAYS, AT_NEED, ADAPTIVE = SPANS = ("never", "always", "at need", "adaptive")
#: The scheduling policies that a computing centre can choose, by name.
POLICIES: dict[str, Scheduling] = {
    "FCFS": FCFS(), "FPFS": FPFS(5), "EASY": EASY(), "conservative": Conservative(),
    "online": Online(slot=1.0, step=0.25, max_attempts=400, horizon=200.0),
}  # fmt: skip
#: The labels of the controls of a computing centre, by the name of the value that a control sets.
CONTROLS = {
    "clusters": "clusters", "policy": "policy", "max_jumps": "MaxJumps", "span": "span",
    "penalty": "penalty", "estimate": "estimate factor",
}  # fmt: skip
#: The maximum number of processors of a computing centre. The runs have too few jobs to fill a
#: larger system.
MOST = 512


def scenario_of(values: Mapping[str, Any], side: str) -> Scenario:
    """Return the scenario of one computing centre, given the values of the controls.

    Parameters
    ----------
    values : dict of str to object
        The values of the playground's controls, such as ``"sizes"`` and ``"A.clusters"``.
    side : {"A", "B"}
        The centre.

    Raises
    ------
    InputError
        If a string cannot be parsed, if the centre has more than `MOST` processors, or if its
        policy does not span adaptively although it should.
    """
    clusters, policy, jumps, span, penalty, estimate = (values[f"{side}.{n}"] for n in CONTROLS)
    system = parse_clusters(clusters, f"{side}.clusters")
    if system.processors > MOST:
        raise InputError(
            f"{side}.clusters = {shown(clusters)}; give {MOST} processors at most, because a run "
            "has too few jobs for a larger system"
        )
    jobs = JobModel(parse_sizes(values["sizes"]), estimate=estimate)
    scheduling = FPFS(jumps) if policy == "FPFS" else POLICIES[policy]
    if span == NEVER:
        return Scenario(system, jobs.with_(request="total"), scheduling, BestFit())
    if span == ALWAYS:
        options: dict[str, Any] = {"rounding": "even", "span_penalty": penalty}
        split = SplitJobs(jobs, jobs.sizes.minimum - 1, len(system), **options)
        return Scenario(system, split, scheduling, WorstFit())
    if span == ADAPTIVE and not isinstance(scheduling, EASY):
        raise InputError(
            f"{side}.span = {shown(span)} is not possible under {policy}; choose EASY as "
            f"{side}.policy, or another span"
        )
    scheduling = EASY(adaptive=True) if span == ADAPTIVE else scheduling
    flexible = jobs.with_(request="flexible", span_penalty=penalty)
    return Scenario(system, flexible, scheduling, SingleThenSpan())


def can_span(scenario: Scenario) -> bool:
    """Return whether jobs of a scenario may span clusters."""
    jobs = scenario.workload
    is_allowed = isinstance(jobs, SplitJobs) or getattr(jobs, "request", "") == "flexible"
    return is_allowed and len(scenario.system) > 1


def penalty_in_words(found: BreakEven) -> str:
    """Format a break-even penalty with its 95 % interval, or say why there is no such penalty.

    An infinite end of the interval lies outside the penalties that were searched, and is left out.

    Examples
    --------
    >>> penalty_in_words(BreakEven(None, "none, because some jobs must span"))
    'none, because some jobs must span'
    >>> penalty_in_words(BreakEven(Interval(inf, 0.82, inf, 5)))
    'at least 0.82'
    """
    interval = found.interval
    if interval is None:
        return found.note
    estimate, beyond = interval.estimate, f"above {PENALTIES[1]:g}"
    if interval.warning:
        words = beyond if estimate == inf else f"{max(estimate, PENALTIES[0]):.2f}"
        return f"{words} (no interval: {interval.warning})"
    if interval.high < 0.005:
        return "none: spanning does not pay"
    if interval.low == inf:
        return beyond
    if isfinite(interval.low) and isfinite(interval.high):
        return f"{estimate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"
    words = _open_interval_in_words(interval)
    return f"{estimate:.2f} ({words})" if isfinite(estimate) else words


def _open_interval_in_words(interval: Interval) -> str:
    if interval.low < 0.005 and interval.high == inf:
        return "undecided"
    if interval.low == -inf:
        return f"at most {interval.high:.2f}"
    return f"at least {interval.low:.2f}"


def verdict(table: pd.DataFrame) -> str:
    """Return a sentence that says which computing centre has the shorter mean response time.

    Parameters
    ----------
    table : DataFrame
        The result of `coalloc_lib.statistics.scenario_pairs.by_size`.
    """
    rows = table[table["size"] == ALL].set_index("scenario")
    if (rows["note"] != "").any():
        return "; ".join(f"{side} is {note}" for side, note in rows["note"].items() if note)
    change, low, high = rows.loc["B", ["change", "change_low", "change_high"]]
    if low == high == 0:
        return "A and B have equal response times"
    if low <= 0 <= high:
        return f"Undecided: B changes the response by {change:+.1f} % [{low:+.1f}, {high:+.1f}]"
    nearer, farther = sorted((abs(low), abs(high)))
    direction = "sooner" if high < 0 else "later"
    return f"B responds {abs(change):.1f} % {direction} than A [{nearer:.1f}, {farther:.1f}]"
