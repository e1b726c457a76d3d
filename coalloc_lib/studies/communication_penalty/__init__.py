"""Co-allocation with communication considerations in multicluster systems (Ngubiri, van Vliet).

Figures 1 to 6, the claims CP-1 to CP-8, the thresholds over what the paper leaves open, and,
further than the paper, maps of where splitting pays.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import hypot

import numpy as np

from coalloc_lib.intervals import Crossing, Interval, Sample, all_of, student
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.figures import LOAD, PRINTED, WORK, study
from coalloc_lib.studies.communication_penalty.responses import BreakEven, scenario, served
from coalloc_lib.studies.core import Decision, Results, furthest, least

__all__ = ["SYSTEM", "WHOLE", "BreakEven", "scenario", "served", "study"]

SYSTEM, WHOLE = paper.SYSTEM, paper.WHOLE
#: A simulation has so many jobs at least.
FEWEST = 1_000
#: Relative difference of response times that counts as little.
LITTLE = 0.1
#: Confidence of one step of many: some hundred are looked at, of which none is to fall by chance.
SURE = 0.9995
#: More thresholds than these that none is seen to be better than do not tell which is best.
NARROW = 3

#: A line of a figure: by place, the results of its cases.
Line = dict[float, tuple[paper.Responses, paper.Responses]]


def lines_of(results: Results, name: str) -> dict[str, dict[str, Line]]:
    """Return the lines of a figure by MaxJumps and name."""
    panels: dict[str, dict[str, Line]] = {}
    cases = study.figures[name].cases(results.scale, results.seed)
    for (jumps, line, place), (one, other) in cases.items():
        points = panels.setdefault(paper.jumps_label(jumps), {}).setdefault(line, {})
        points[place] = results[one], results[other]
    return panels


def along(line: Line, group: str) -> list[Sample]:
    """Return a group's ratios along a line, where both sides are stable."""
    ratios = (paper.ratio(*line[place], group) for place in sorted(line))
    return [each for each in ratios if each is not None]


def mean_of(samples: Sequence[Sample]) -> Interval | None:
    """Return the mean of several samples, run by run; None where there are none."""
    if not samples:
        return None
    warning = next((sample.warning for sample in samples if sample.warning), "")
    return Sample(np.mean([sample.values for sample in samples], axis=0), warning).interval


def best(line: Line, group: str) -> list[float]:
    """Return the places that respond best, or are not seen to be worse than the best."""
    means = {place: one.means[group] for place, (one, _) in line.items() if one.means}
    first = min(means.values(), key=lambda sample: sample.mean, default=None)
    return [x for x, sample in means.items() if first and not (sample - first).interval.above(0)]


def pays(line: Line, group: str) -> dict[float, bool | None]:
    """Return for each place whether splitting responds sooner; None where undecided."""
    answers: dict[float, bool | None] = {}
    for place, (one, other) in line.items():
        known = paper.ratio(one, other, group)
        if known is not None:
            answers[place] = known.interval.below(1)
        else:  # past saturation there is no mean; both past it, nothing to compare
            answers[place] = None if one.saturated and other.saturated else other.saturated
    return answers


def grows(before: Sequence[float], after: Sequence[float]) -> bool | None:
    """Whether all best places after are above all before; None where they overlap."""
    if not before or not after:
        return None
    return True if min(after) > max(before) else False if max(after) < min(before) else None


def shrinks(before: dict[float, bool | None], after: dict[float, bool | None]) -> bool | None:
    """Whether places that pay are lost, and none is won; None where no place is sure to change."""
    lost = any(before[x] and after[x] is False for x in before)
    won = any(after[x] and before[x] is False for x in before)
    return (lost and not won) if lost or won else None


@study.add_claim("CP-1", "exact offered load")
def _shares(results: Results) -> Decision:
    table = results.table("shares")
    jobs, inside = table["jobs"].iloc[0], table.set_index(["quantity", "group"])["explained"]
    # So large are the samples drawn that the printed shares of jobs stray as chance makes them:
    # that these lie within the range of samples says nothing.
    parts = {"shares of the jobs": jobs >= FEWEST}
    parts |= {f"{WORK} of {name}": inside[WORK, name] for name in paper.GROUPS}
    parts |= {"offered load 0.786": inside[LOAD, "all jobs"]}
    why = (
        f"the shares of the jobs are those of {jobs} jobs drawn ({FEWEST} are likely); the others "
        "are explained within 95 % of such samples around the exact figure"
    )
    return paper.EXACT_LOAD, parts, why


def searched(results: Results) -> dict[BreakEven, Mapping[str, Crossing]]:
    """Return the thresholds of each case by group."""
    cases = study.figures["thresholds"].cases(results.scale, results.seed).values()
    return {case: results[case].by_group for case in cases}


def nearest(thresholds: dict[BreakEven, Mapping[str, Crossing]]) -> tuple[BreakEven, str]:
    """Return the case whose thresholds come nearest (in root of squares) to the printed ones."""
    distances = {}
    for case, by_group in thresholds.items():
        apart = {name: by_group[name].interval.estimate - psi for name, psi in PRINTED.items()}
        distances[case] = hypot(apart["stream"], apart["S4"], min(0, apart["S1"]))
    case = min(distances, key=distances.__getitem__)
    return case, f"nearest to print is {_named(case)}, {distances[case]:.3f} away"


def _named(case):
    return f"load {case.load:.3f}, MaxJumps {paper.jumps_label(case.max_jumps)}"


def _as_printed(threshold: Interval, number: float) -> bool | None:
    return None if threshold.warning else threshold.contains(number)


@study.add_claim("CP-2", "threshold of the stream in the case nearest to print")
def _threshold_of_the_stream(results: Results) -> Decision:
    parts: dict[str, bool | None] = {}
    thresholds = searched(results)
    for case, by_group in thresholds.items():
        answer = {"crossing": True, "undecided": None}.get(by_group["stream"].answer, False)
        parts[f"a threshold at {_named(case)}"] = answer
    case, why = nearest(thresholds)
    near = thresholds[case]["stream"].interval
    parts["0.185 in the nearest case"] = _as_printed(near, PRINTED["stream"])
    return near, parts, why


@study.add_claim("CP-3", "threshold of S4 in the case nearest to print")
def _thresholds_of_groups(results: Results) -> Decision:
    parts: dict[str, bool | None] = {}
    thresholds = searched(results)
    for case, by_group in thresholds.items():
        stream, largest, smallest = (by_group[name].interval for name in ("stream", "S4", "S1"))
        parts[f"S4 below the stream at {_named(case)}"] = largest.below(stream.low) or (
            False if largest.above(stream.high) else None
        )
        parts[f"S1 above 0.3 at {_named(case)}"] = smallest.above(PRINTED["S1"])
    case, why = nearest(thresholds)
    near = thresholds[case]["S4"].interval
    parts["0.160 in the nearest case"] = _as_printed(near, PRINTED["S4"])
    return near, parts, f"{why}; from intervals that overlap nothing is decided"


@study.add_claim("CP-4", "least rise of S4 with the threshold, from 3 to 19, over no co-allocation")
def _rises_with_threshold(results: Results) -> Decision:
    parts: dict[str, bool | None] = {}
    rises = []
    for jumps, lines in lines_of(results, "figure2").items():
        rise, ends = {}, (lines[""][end] for end in (min(lines[""]), max(lines[""])))
        names = [f"{group} rises" for group in paper.NAMES] + ["S4 rises most"]
        parts |= dict.fromkeys(f"{each}, MaxJumps {jumps}" for each in names)
        if any(side.saturated for end in ends for side in end):
            continue
        for group in paper.NAMES:
            line = along(lines[""], group)
            steps = (student((b - a).values, SURE, b.warning) for a, b in pairwise(line))
            falls = any(step.below(0) for step in steps)
            rise[group] = line[-1] - line[0]
            rises_in_all = rise[group].interval.above(0)
            parts[f"{group} rises, MaxJumps {jumps}"] = all_of(rises_in_all, not falls)
        others = ((rise["S4"] - rise[group]).interval.above(0) for group in ("S1", "S2", "S3"))
        parts[f"S4 rises most, MaxJumps {jumps}"] = all_of(*others)
        rises.append(rise["S4"].interval)
    why = f"a step that falls, by its {SURE:.2%} interval, fails"
    return least(rises, default=None), parts, why


@study.add_claim("CP-5", "largest of the best thresholds for S4 at the highest penalty")
def _best_grows(results: Results) -> Decision:
    parts: dict[str, bool | None] = {}
    tops: list[float] = []
    for jumps, lines in lines_of(results, "figure3").items():
        low, *_, high = lines
        before, after = lines[low], lines[high]
        tops += best(after, "S4")
        parts[f"the best grows, MaxJumps {jumps}"] = grows(best(before, "S4"), best(after, "S4"))
        fewer = shrinks(pays(before, "S4"), pays(after, "S4"))
        parts[f"pays at fewer thresholds, MaxJumps {jumps}"] = fewer
    why = f"from {low} to {high}; best: not seen to be worse than the best"
    return max(tops, default=None), parts, why


@study.add_claim("CP-6", "numbers of MaxJumps at which some threshold is best at every load")
def _best_by_load(results: Results) -> Decision:
    parts: dict[str, bool | None] = {}
    common = 0.0
    for jumps, lines in lines_of(results, "figure4").items():
        places = [set(at_best) for line in lines.values() if (at_best := best(line, "stream"))]
        shared = set.intersection(*places) if places else set()
        narrow = sum(len(each) <= NARROW for each in places)
        same = None if shared and narrow < 2 else bool(shared)
        parts[f"the same at every load, MaxJumps {jumps}"] = same
        common += bool(shared)
    why = f"a load at which more than {NARROW} thresholds are alike does not tell the best"
    return common, parts, why


@study.add_claim("CP-7", "response time with psi spread over that with psi = 0.1 for all")
def _spread_is_worse(results: Results) -> Decision:
    ratios = {
        f"{group} later, MaxJumps {jumps}": mean_of(along(lines[""], group))
        for jumps, lines in lines_of(results, "figure5").items()
        for group in paper.GROUPS
    }
    parts = {name: each and each.above(1) for name, each in ratios.items()}
    known = [each for each in ratios.values() if each]
    return furthest(known, from_=1) if known else None, parts, "mean over the thresholds"


@study.add_claim("CP-8", "response time of C4 less that of C1, over that of all split jobs")
def _own_penalty_matters(results: Results) -> Decision:
    parts: dict[str, bool | None] = {}
    far: list[Interval] = []
    for what, limit, wait in (("within", LITTLE, ""), ("waits within", LITTLE / 10, " wait")):
        for jumps, lines in lines_of(results, "figure6").items():
            each = [one.means for one, _ in lines[""].values() if one.means]
            both = [(of["C4" + wait] - of["C1" + wait], of[paper.ALL_SPLIT]) for of in each]
            difference = mean_of([Sample(c.values / every.values, c.warning) for c, every in both])
            alike = difference.between(-limit, limit) if difference else None
            parts[f"{what} {limit:.0%}, MaxJumps {jumps}"] = alike
            far += [difference] if difference and not wait else []
    return furthest(far) if far else None, parts, "mean over the thresholds; waits tell who pays"
