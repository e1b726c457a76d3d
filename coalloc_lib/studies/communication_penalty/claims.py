"""The claims CP-1 to CP-8: each asked of several MaxJumps, which the paper does not give."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from coalloc_lib.estimates import Interval, all_of
from coalloc_lib.inference import student
from coalloc_lib.studies.claims import Claims, Found, furthest, least
from coalloc_lib.studies.communication_penalty.dispersion import DispersionFigure
from coalloc_lib.studies.communication_penalty.parameters import (
    NAME,
    PRINTED,
    SPLITTINGS,
    said,
)
from coalloc_lib.studies.communication_penalty.ratios import RatioFigure
from coalloc_lib.studies.communication_penalty.responses import GROUPS, STREAM
from coalloc_lib.studies.communication_penalty.shares import FEWEST, LOAD, WORK, ShareFigure
from coalloc_lib.studies.communication_penalty.threshold_figure import Case, ThresholdFigure

#: Relative difference of response times that counts as little.
LITTLE = 0.1
#: Confidence of one step of many: some hundred are looked at, of which none is to fall by chance.
SURE = 0.9995
#: More thresholds than these that none is seen to be better than do not tell which is best.
NARROW = 3


@dataclass(frozen=True, eq=False)
class Runs:
    """The figures that claims are about, run."""

    shares: ShareFigure
    thresholds: ThresholdFigure
    penalties: RatioFigure
    split: RatioFigure
    best: RatioFigure
    loads: RatioFigure
    spread: RatioFigure
    own: DispersionFigure


def by_jumps(names: Sequence[str]) -> str:
    """Return parts as a list in which those that differ in MaxJumps alone stand together.

    Examples
    --------
    >>> by_jumps(["pays, MaxJumps 5", "pays, MaxJumps no limit", "0.185 in the nearest case"])
    'pays, MaxJumps 5/no limit, 0.185 in the nearest case'
    """
    together: dict[str, list[str]] = {}
    for name in names:
        part, said_jumps, jumps = name.partition(", MaxJumps ")
        together.setdefault(part + said_jumps, []).append(jumps)
    return ", ".join(part + "/".join(jumps) for part, jumps in together.items())


claim = Claims(NAME, by_jumps)


def _cases(figure: ThresholdFigure) -> list[Case]:
    return [case for case in figure.entries if case.splitting == SPLITTINGS[0]]


def _named(case: Case) -> str:
    return f"load {case.load:.3f}, MaxJumps {said(case.max_jumps)}"


def _near(runs: Runs) -> tuple[Case, str]:
    """Return the case that comes nearest to print, and how near it comes."""
    case, distance = runs.thresholds.nearest()
    return case, f"nearest to print is {_named(case)}, {distance:.3f} away"


@claim("CP-1", "exact offered load")
def shares(runs: Runs) -> Found:
    """Whether the shares of jobs are those of a likely sample, which explains the other figures."""
    parts = {"shares of the jobs": runs.shares.likely}
    parts |= {f"{WORK} of {name}": found for name, found in runs.shares.explained(WORK).items()}
    parts |= {"offered load 0.786": runs.shares.explained(LOAD)["all jobs"]}
    exact = runs.shares.found[LOAD]["all jobs"].estimate
    why = (
        f"the shares of the jobs are those of {runs.shares.jobs} jobs drawn ({FEWEST} are likely); "
        "the others are explained within 95 % of such samples around the exact figure"
    )
    return exact, parts, why


@claim("CP-2", "threshold of the stream in the case nearest to print")
def threshold_of_the_stream(runs: Runs) -> Found:
    """Whether there is a threshold at each load and MaxJumps, and whether one is as printed."""
    found = {case: runs.thresholds.threshold_of(case, STREAM) for case in _cases(runs.thresholds)}
    parts: dict[str, bool | None] = {
        f"a threshold at {_named(case)}": _exists(each.answer) for case, each in found.items()
    }
    case, why = _near(runs)
    near = found[case].interval
    parts["0.185 in the nearest case"] = _as_printed(near, PRINTED[STREAM])
    return near, parts, why


@claim("CP-3", "threshold of S4 in the case nearest to print")
def thresholds_of_groups(runs: Runs) -> Found:
    """Whether S4's threshold is below the stream's, and S1's above 0.3."""
    parts: dict[str, bool | None] = {}
    for case in _cases(runs.thresholds):
        stream, largest, smallest = (
            runs.thresholds.threshold_of(case, group).interval for group in (STREAM, "S4", "S1")
        )
        parts[f"S4 below the stream at {_named(case)}"] = largest.below(stream.low) or (
            False if largest.above(stream.high) else None
        )
        parts[f"S1 above 0.3 at {_named(case)}"] = smallest.above(PRINTED["S1"])
    case, why = _near(runs)
    near = runs.thresholds.threshold_of(case, "S4").interval
    parts["0.160 in the nearest case"] = _as_printed(near, PRINTED["S4"])
    return near, parts, f"{why}; from intervals that overlap nothing is decided"


def _exists(answer: str) -> bool | None:
    """Whether there is a threshold; None where that is undecided."""
    return None if answer.startswith("undecided") else answer.startswith("crossing")


def _as_printed(found: Interval, number: float) -> bool | None:
    return None if found.doubt else found.contains(number)


@claim("CP-4", "least rise of S4 with the threshold, from 3 to 19, over no co-allocation")
def rises_with_threshold(runs: Runs) -> Found:
    """Whether response times rise with the threshold at each step, most for the largest jobs."""
    parts: dict[str, bool | None] = {}
    rises = {}
    for jumps in runs.split.panels:
        rise = {}
        for group in (STREAM, *GROUPS):
            line = runs.split.samples(jumps, group)
            steps = [
                student((one - other).values, SURE, one.doubt) for other, one in pairwise(line)
            ]
            rise[group] = line[-1] - line[0]
            falls = any(step.below(0) for step in steps)
            parts[f"{group} rises, MaxJumps {said(jumps)}"] = all_of(
                rise[group].interval.above(0), not falls
            )
        others = [(rise["S4"] - rise[group]).interval.above(0) for group in GROUPS if group != "S4"]
        parts[f"S4 rises most, MaxJumps {said(jumps)}"] = all_of(*others)
        rises[jumps] = rise["S4"].interval
    return least(rises.values()), parts, f"a step that falls, by its {SURE:.2%} interval, fails"


@claim("CP-5", "largest of the best thresholds for S4 at the highest penalty")
def best_grows(runs: Runs) -> Found:
    """Whether the best threshold grows with psi, and splitting pays at fewer thresholds."""
    parts: dict[str, bool | None] = {}
    figure, tops = runs.best, []
    for jumps in figure.panels:
        low, *_, high = figure.lines(jumps)
        parts[f"the best grows, MaxJumps {said(jumps)}"] = _grows(
            figure.best(jumps, low), figure.best(jumps, high)
        )
        parts[f"pays at fewer thresholds, MaxJumps {said(jumps)}"] = _shrinks(
            figure.pays(jumps, low), figure.pays(jumps, high)
        )
        tops += figure.best(jumps, high)
    return (
        max(tops, default=None),
        parts,
        f"from {low} to {high}; best: not seen to be worse than the best",
    )


def _grows(before: list[float], after: list[float]) -> bool | None:
    """Whether all best places after are above all before; None where they overlap."""
    if not before or not after:
        return None
    return True if min(after) > max(before) else False if max(after) < min(before) else None


def _shrinks(before: dict[float, bool | None], after: dict[float, bool | None]) -> bool | None:
    """Whether places that pay are lost, and none is won; None where no place is sure to change."""
    lost = any(before[x] and after[x] is False for x in before)
    won = any(after[x] and before[x] is False for x in before)
    return (lost and not won) if lost or won else None


@claim("CP-6", "numbers of MaxJumps at which some threshold is best at every load")
def best_by_load(runs: Runs) -> Found:
    """Whether one threshold is best, or not seen to be worse, at every load."""
    parts: dict[str, bool | None] = {}
    figure = runs.loads
    common = []
    for jumps in figure.panels:
        best = {line: set(figure.best(jumps, line)) for line in figure.lines(jumps)}
        known = {line: places for line, places in best.items() if places}
        shared = set.intersection(*known.values()) if known else set()
        narrow = [line for line, places in known.items() if len(places) <= NARROW]
        same = None if shared and len(narrow) < 2 else bool(shared)
        parts[f"the same at every load, MaxJumps {said(jumps)}"] = same
        common.append(bool(shared))
    why = f"a load at which more than {NARROW} thresholds are alike does not tell the best"
    return float(sum(common)), parts, why


@claim("CP-7", "response time with psi spread over that with psi = 0.1 for all")
def spread_is_worse(runs: Runs) -> Found:
    """Whether spread penalties respond later, in each group and at each MaxJumps."""
    found = {
        f"{group} later, MaxJumps {said(jumps)}": runs.spread.mean_ratio(jumps, group).interval
        for jumps in runs.spread.panels
        for group in GROUPS
    }
    decisive = furthest(each.plus(-1) for each in found.values()).plus(1)
    return (
        decisive,
        {name: each.above(1) for name, each in found.items()},
        ("mean over the thresholds"),
    )


@claim("CP-8", "response time of C4 less that of C1, over that of all split jobs")
def own_penalty_matters(runs: Runs) -> Found:
    """Whether jobs of high and low penalty respond nearly alike, and wait alike."""
    found = {jumps: runs.own.mean_spread(jumps).interval for jumps in runs.own.panels}
    waits = {jumps: runs.own.mean_spread(jumps, " wait").interval for jumps in runs.own.panels}
    parts: dict[str, bool | None] = {
        f"within {LITTLE:.0%}, MaxJumps {said(jumps)}": each.between(-LITTLE, LITTLE)
        for jumps, each in found.items()
    }
    parts |= {
        f"waits within {LITTLE / 10:.0%}, MaxJumps {said(jumps)}": each.between(
            -LITTLE / 10, LITTLE / 10
        )
        for jumps, each in waits.items()
    }
    return (
        furthest(found.values()),
        parts,
        "mean over the thresholds; waits tell who pays",
    )
