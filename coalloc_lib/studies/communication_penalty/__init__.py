"""Co-allocation with communication considerations in multicluster systems (Ngubiri, van Vliet).

Figures 1 to 6, the claims CP-1 to CP-13, the thresholds over MaxJumps, and, further than the
paper, maps of where splitting pays.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import hypot

import numpy as np

from coalloc_lib.intervals import Interval, Sample, all_of, student
from coalloc_lib.studies.communication_penalty import maps as _maps  # noqa: F401, its figures
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.figures import (
    EXACT_SHARES,
    LOAD,
    PRINTED,
    WORK,
    fits,
    study,
)  # fmt: skip
from coalloc_lib.studies.communication_penalty.responses import BreakEven, scenario, served
from coalloc_lib.studies.core import Decision, Results, furthest, least

__all__ = ["SYSTEM", "WHOLE", "BreakEven", "scenario", "served", "study"]

SYSTEM, WHOLE = paper.SYSTEM, paper.WHOLE
#: The paper's MaxJumps, as panels are called.
MAIN = paper.jumps_label(paper.JUMPS)
#: Relative differences of response times that count as little, and that a figure does not show.
LITTLE, UNSEEN = 0.1, 0.01
#: Section 7.3 varies the load where splitting matters: from this one on.
BUSY = 0.7
#: The penalty up to which the studies before it found co-allocation to pay.
EARLIER = 0.25
#: Parts of claims that ask for a printed number.
ONE_RUN = "0.185 as one run", "0.160 as one run"
#: Units of time that jobs of C4 run longer than those of C1, by their mean penalties.
LONGER = paper.EXECUTION * (0.175 - 0.025)
#: Confidence of one step of many, of which none is to fall by chance.
SURE = 0.9995
#: More thresholds than these that none is seen to be better than do not tell which is best.
NARROW = 3

#: A line of a figure: by place, the results of its cases.
Line = dict[float, tuple[paper.Responses, paper.Responses]]


def lines_of(results: Results, name: str) -> dict[str, dict[str, Line]]:
    """Return the lines of a figure by MaxJumps and name."""
    panels: dict[str, dict[str, Line]] = {}
    cases = study.figures[name].cases(results.scale, results.seed)
    for (jumps, line, place), (one, other, *twin) in cases.items():
        points = panels.setdefault(paper.jumps_label(jumps), {}).setdefault(line, {})
        mine = paper.mean_of_twins(*(results[each] for each in (one, *twin)))
        points[place] = mine, results[other]
    return panels


def by_jumps(results: Results, figure: str, ask: Callable, note: str = "") -> Decision:
    """Return what ``ask(lines)``, a deciding figure and answers, gives at the paper's MaxJumps."""
    found = {jumps: ask(lines) for jumps, lines in lines_of(results, figure).items()}
    decides, parts = found.pop(MAIN)
    rest = {f"{n}, MaxJumps {jumps}": x for jumps, (_, of) in found.items() for n, x in of.items()}
    return Decision(decides, parts, note, rest)


def at_nearest(results: Results, ask: Callable, note: str = "") -> Decision:
    """Return what ``ask(thresholds)`` gives at the MaxJumps that come nearest to print.

    Nearest is the root of squares; counted at the head, as in the paper.
    """
    cases = study.figures["thresholds"].cases(results.scale, results.seed).values()
    found, distances = {case: ask(results[case]) for case in cases}, {}
    for case in (each for each in cases if each.counted == "head"):
        of = results[case].by_group
        off = {name: of[name].interval.estimate - psi for name, psi in PRINTED.items()}
        distances[case] = hypot(off["stream"], off["S4"], min(0, off["S1"]))
    decides, parts = found.pop(min(distances, key=distances.__getitem__))
    rest = {
        f"{name} at MaxJumps {paper.jumps_label(case.max_jumps)}, {case.counted}": x
        for case, (_, of) in found.items() for name, x in of.items() if name not in ONE_RUN
    }  # fmt: skip
    return Decision(decides, parts, note, rest)


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


@study.add_claim("CP-1", "offered load; the interval is where samples of 2,000 jobs lie")
def _shares(results: Results) -> Decision:
    table = results.table("shares").set_index(["quantity", "group"])
    low, high, inside = (table[name] for name in ("sample_low", "sample_high", "explained"))
    load, slip = (LOAD, "all jobs"), (WORK, "S2")
    parts = {f"{what} {of}": bool(inside[what, of]) for what, of in inside.index}
    # The four must add up to one, which those that are printed do not.
    left = 1 - table["printed"][WORK].drop("S2").sum()
    parts[" ".join(slip)] = bool(low[slip] <= left <= high[slip])
    within = Interval(paper.EXACT_LOAD, low[load], high[load], len(table))
    why = (
        "S2 has what the other shares leave of the load; its printed 27.7 % repeats another number"
    )
    return Decision(within, parts, why)


def identified(results: Results) -> str:
    """Say which MaxJumps no printed threshold contradicts."""
    words = []
    for kind, prefix in (("the mean", "ci95"), ("one run", "run")):
        which = fits(results.table("thresholds"), prefix)["head"]
        found = [f"{x:g}".replace("inf", "no limit") for x in which[which].index]
        words.append(f"{', '.join(found) or 'none'} (by {kind})")
    return f"no printed threshold contradicts MaxJumps {' and '.join(words)}"


def _as_one_run(found, group):
    """Whether the printed threshold may be that of a single run; None where any may be."""
    run = found.one_run.get(group)
    known = run and not run.interval.warning and run.answer == "crossing"
    return run.interval.contains(PRINTED[group]) if known else None


@study.add_claim("CP-2", "threshold of the stream at the MaxJumps nearest to print")
def _threshold_of_the_stream(results: Results) -> Decision:
    def ask(found):
        crosses = {"crossing": True, "undecided": None}.get(found.by_group["stream"].answer, False)
        answers = {"a threshold": crosses, ONE_RUN[0]: _as_one_run(found, "stream")}
        return found.by_group["stream"].interval, answers

    return at_nearest(results, ask, identified(results))


@study.add_claim("CP-3", "threshold of S4 at the MaxJumps nearest to print")
def _thresholds_of_groups(results: Results) -> Decision:
    def ask(found):
        over = found.by_group["S1"].interval.above(PRINTED["S1"])
        answers = {"S4 below the stream": _beyond(found, "S4"), "S1 above 0.3": over}
        return found.by_group["S4"].interval, answers | {ONE_RUN[1]: _as_one_run(found, "S4")}

    return at_nearest(results, ask)


def _beyond(found, group):
    """Whether a group loses where the stream breaks even, in pairs of runs."""
    return found.at_stream[group].interval.above(0) if found.at_stream else None


@study.add_claim("CP-4", "rise of the response time of S4 as the threshold goes from 3 to 19")
def _rises_with_threshold(results: Results) -> Decision:
    def ask(lines):
        points = [lines[""][place][0] for place in sorted(lines[""])]
        if any(point.saturated for point in points):
            return None, {"rises": None}
        rise = {n: points[-1].means[n] - points[0].means[n] for n in paper.NAMES}
        answers = {f"{n} rises": each.interval.above(0) for n, each in rise.items()}
        others = ((rise["S4"] - rise[n]).interval.above(0) for n in ("S1", "S2", "S3"))
        return rise["S4"].interval, answers | {"S4 rises most": all_of(*others)}

    def falls(line, group):
        steps = (b.means[group] - a.means[group] for a, b in pairwise(line) if a.means and b.means)
        return any(student(each.values, SURE, each.warning).below(0) for each in steps)

    line = [one for _, (one, _) in sorted(lines_of(results, "figure2")[MAIN][""].items())]
    dips = " and ".join(group for group in paper.NAMES if falls(line, group))
    return by_jumps(
        results, "figure2", ask, f"first threshold to last; at some step {dips} fall" * bool(dips)
    )


@study.add_claim("CP-5", "largest of the best thresholds for S4 at the highest penalty")
def _best_grows(results: Results) -> Decision:
    def ask(lines):
        before, *_, after = lines.values()
        return max(best(after, "S4"), default=None), {
            "the best grows": grows(best(before, "S4"), best(after, "S4")),
            "pays at fewer thresholds": shrinks(pays(before, "S4"), pays(after, "S4")),
        }

    return by_jumps(results, "figure3", ask, "best: not seen to be worse than the best")


@study.add_claim("CP-6", "lowest threshold that is best for S4 at every load from 0.7 on")
def _best_by_load(results: Results) -> Decision:
    def ask(lines, least_load=BUSY):
        busy = [line for name, line in lines.items() if float(name.split()[1]) >= least_load]
        places = [set(at_best) for line in busy if (at_best := best(line, "S4"))]
        shared = set.intersection(*places) if places else set()
        narrow = sum(len(each) <= NARROW for each in places)
        same = None if shared and narrow < 2 else bool(shared)
        return min(shared, default=None), {f"the same from load {least_load:g} on": same}

    why = f"a load at which more than {NARROW} thresholds are alike does not tell the best"
    found = by_jumps(results, "figure4", ask, why)
    _, lower = ask(lines_of(results, "figure4")[MAIN], min(results.scale.loads))
    return found._replace(elsewhere={**found.elsewhere, **lower})


@study.add_claim("CP-7", "response time with psi spread over that with psi = 0.1 for all")
def _spread_is_worse(results: Results) -> Decision:
    def ask(lines):
        means = {group: mean_of(along(lines[""], group)) for group in paper.GROUPS}
        return furthest(filter(None, means.values()), from_=1) if any(means.values()) else None, {
            f"{group} later by {UNSEEN:.0%} or more": each and each.above(1 + UNSEEN)
            for group, each in means.items()
        }

    why = "mean over the thresholds, and over each draw of penalties and its mirror image"
    return by_jumps(results, "figure5", ask, why)


@study.add_claim("CP-8", "response time of C4 less that of C1, over that of all split jobs")
def _own_penalty_matters(results: Results) -> Decision:
    def ask(lines):
        every = [one.means for one, _ in lines[""].values() if one.means]
        far = {"waits": [of["C4 wait"].values - of["C1 wait"].values for of in every],
               "responses": [LONGER] * len(every)}  # fmt: skip
        means = {
            what: mean_of([Sample(by / of[paper.ALL_SPLIT].values, of[paper.ALL_SPLIT].warning)
                           for by, of in zip(each, every, strict=True)])
            for what, each in far.items()
        }  # fmt: skip
        answers = {n: each and each.between(-LITTLE, LITTLE) for n, each in means.items()}
        return means["responses"], {f"{n} within {LITTLE:.0%}": x for n, x in answers.items()}

    why = f"no scheduler sees ψ, so all wait alike; C4 runs {LONGER:g} longer than C1"
    return by_jumps(results, "figure6", ask, f"{why}; mean over the thresholds")


@study.add_claim("CP-9", "lowest threshold of all groups at the MaxJumps nearest to print")
def _free_splitting_pays(results: Results) -> Decision:
    def ask(found):
        ends = {name: found.by_group[name].interval for name in paper.NAMES}
        return least(ends.values()), {f"{n} gains at ψ = 0": x.above(0) for n, x in ends.items()}

    return at_nearest(results, ask)


@study.add_claim("CP-10", "threshold of the stream at the MaxJumps nearest to print")
def _less_viable(results: Results) -> Decision:
    def ask(found):
        stream = found.by_group["stream"].interval
        return stream, {f"below {EARLIER}": stream.below(EARLIER)}

    why = "the 25 % of 2002 is for other machines and jobs; a spread of ψ is not the cause (CP-7)"
    return at_nearest(results, ask, why)


@study.add_claim("CP-11", "response time of S4 less that of the next group, least")
def _largest_are_worst(results: Results) -> Decision:
    def ask(lines):
        every = [one.means for one, _ in lines[""].values() if one.means]
        apart = [(of["S4"] - of[group]).interval for of in every for group in ("S1", "S2", "S3")]
        last = all_of(*(each.above(0) for each in apart)) if apart else None
        over_half = EXACT_SHARES[WORK, "S4"] > 0.5
        return least(apart, default=None), {"S4 last": last, "over half of the load": over_half}

    return by_jumps(results, "figure2", ask)


@study.add_claim("CP-12", "least rise of the response time of S4 from one load to the next")
def _load_hurts(results: Results) -> Decision:
    def ask(lines):
        steps = [
            (after[place][0].means["S4"] - before[place][0].means["S4"]).interval
            for before, after in pairwise(lines.values()) for place in before
            if before[place][0].means and after[place][0].means
        ]  # fmt: skip
        later = all_of(*(each.above(0) for each in steps)) if steps else None
        return least(steps, default=None), {"later": later}

    return by_jumps(results, "figure4", ask, "at each splitting threshold")


@study.add_claim("CP-13", "what S4 loses where the stream breaks even, over whole jobs")
def _stream_misleads(results: Results) -> Decision:
    def ask(found):
        gains = found.at_stream["S1"].interval.below(0) if found.at_stream else None
        loss = found.at_stream["S4"].interval if found.at_stream else None
        return loss, {"S4 loses": _beyond(found, "S4"), "S1 gains": gains}

    return at_nearest(results, ask)
