"""The claims MU-1 to MU-12: each from figures that could say the opposite."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from coalloc_lib.analytic import JointSizes, maximal_utilization
from coalloc_lib.estimates import Interval, all_of, not_
from coalloc_lib.inference import Sample
from coalloc_lib.studies.claims import Claims, Found, furthest, least, most
from coalloc_lib.studies.loss_tables import Cell
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, NAME, ROOM
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.swf import SwfLog

#: Cluster sizes at which the pathological example is taken to its limit: each double and one.
DOUBLINGS = (15, 31, 63)
#: What two numbers printed with three decimals may differ by beyond the printed difference.
ROUNDING = 0.001
#: 'Roughly halved': the loss that is left, over the loss before; and the exception among the five.
HALVED = (0.4, 0.6)
EXCEPTION = FIVE[4]
#: 'Little', 'not very large', 'similar': differences of the capacity loss up to this.
LITTLE = 0.03
#: 'Only the mean matters': differences among distributions of one mean up to this.
SAME = 0.01
#: 'About ten percentage points'.
ABOUT_TEN = (0.08, 0.12)
#: 'Does not have a large impact': relative change of the loss from deterministic to the most
#: variable service times.
SMALL_CHANGE = 0.25


@dataclass(frozen=True, eq=False)
class Runs:
    """All that the claims are judged from.

    Attributes
    ----------
    cells : list of Cell
        Tables 3 and 4.
    losses : dict of Sample
        Capacity losses of the scenarios, by (figure, group, series).
    log : SwfLog
        The log behind Figure 7.
    """

    cells: list[Cell]
    losses: dict[tuple[str, str, str], Sample]
    log: SwfLog


claim = Claims(NAME)


def pathological_loss(clusters: int, size: int) -> float:
    """Capacity loss of ordered jobs of ceil((N + 1)/2) tasks in cluster 1, one in each other."""
    vector = np.array([[-(-(size + 1) // 2)] + [1] * (clusters - 1)])
    system = Multicluster.equal(clusters, size)
    return maximal_utilization(system, JointSizes(vector, np.ones(1))).capacity_loss


@claim("MU-1", f"largest gap to the limit at N = {DOUBLINGS[-1]}")
def _limit_of_the_pathological_example(runs: Runs) -> Found:
    parts, last = {}, 0.0
    for clusters in (2, 3, 4):
        limit = (2 * clusters - 1) / (2 * clusters)
        gaps = np.array([limit - pathological_loss(clusters, n) for n in DOUBLINGS])
        halves = bool(np.allclose(gaps[1:] / gaps[:-1], 0.5, atol=0.05))
        parts[f"gap to the limit halves as N doubles, C = {clusters}"] = halves
        last = max(last, float(np.abs(gaps[-1])))
    return last, parts


def _pairs(cells, method, request, clusters=None):
    """Return the simulated and the calculated cell of each case that has both."""
    cases = {}
    for cell in cells:
        p = cell.published
        if p.request == request and clusters in (None, p.clusters):
            cases.setdefault((p.table, p.component_sizes, p.clusters), {})[p.method] = cell
    both = {"simulation", method}
    return [(case["simulation"], case[method]) for case in cases.values() if both <= {*case}]


def _differences(pairs):
    """Return the intervals of the simulated less the calculated losses."""
    return [s.loss.plus(-c.loss.estimate) for s, c in pairs]


def _printed_difference(pairs):
    """Return the largest difference of two printed cells, with what rounding may add."""
    printed = [abs(s.published.capacity_loss - m.published.capacity_loss) for s, m in pairs]
    return max(printed) + ROUNDING


def _within(pairs, limit):
    """Whether simulated and calculated loss differ by no more; None where noise hides it."""
    return [difference.between(-limit, limit) for difference in _differences(pairs)]


@claim("MU-2", "simulated less exact loss, furthest from 0")
def _exact_and_simulated_agree(runs: Runs) -> Found:
    """'Extremely well' is no worse than the paper's own cells agree."""
    parts, both = {}, []
    for label, request, clusters in (("single cluster", "total", 1), ("ordered", "ordered", None)):
        pairs = _pairs(runs.cells, "exact", request, clusters)
        limit = _printed_difference(pairs)
        parts[f"{label}: all {len(pairs)} within {limit:.4f}"] = all_of(*_within(pairs, limit))
        both += pairs
    covered = sum(s.loss.contains(m.loss.estimate) for s, m in both)
    note = f"{covered} of {len(both)} intervals hold the exact value"
    return furthest(_differences(both)), parts, note


@claim("MU-3", "simulated less approximate loss, furthest from 0")
def _approximation_is_reasonable(runs: Runs) -> Found:
    """'Quite reasonable' is no worse than the paper's own cells agree."""
    pairs = _pairs(runs.cells, "approximation", "unordered")
    limit = _printed_difference(pairs)
    parts = {
        f"{s.published.component_sizes} within {limit:.4f}": answer
        for (s, _), answer in zip(pairs, _within(pairs, limit), strict=True)
    }
    differences = _differences(pairs)
    below = sum(difference.estimate > 0 for difference in differences)
    note = f"the approximation is below the simulation in {below} of them"
    return furthest(differences), parts, note


@claim("MU-4", "smallest step of the capacity loss")
def _unordered_between_total_and_ordered(runs: Runs) -> Found:
    parts, steps = {}, []
    for name in FIVE:
        unordered = runs.losses["independent", name, "unordered"].interval
        ordered, total = (runs.losses["formula", name, r].mean for r in ("ordered", "total"))
        parts[f"{name} below ordered"] = unordered.between(0, ordered)
        parts[f"{name} above total"] = unordered.between(total, 1)
        steps += [unordered.times(-1).plus(ordered), unordered.plus(-total)]
    return least(steps), parts


@claim("MU-5", "mean ratio of the five")
def _loss_is_halved_but_once(runs: Runs) -> Found:
    ratios = [
        runs.losses["independent", name, "unordered"] / runs.losses["formula", name, "ordered"].mean
        for name in FIVE
    ]
    parts: dict[str, bool | None] = {}
    for name, ratio in zip(FIVE, ratios, strict=True):
        words, halved = f"{name} {ratio.mean:.2f}", ratio.interval.between(*HALVED)
        parts |= {f"all but {words}": not_(halved)} if name == EXCEPTION else {words: halved}
    mean = Sample(np.mean([r.values for r in ratios], axis=0), max(r.doubt for r in ratios))
    note = f"unordered over ordered loss; {HALVED[0]} to {HALVED[1]} taken as roughly half"
    return mean.interval, parts, note


@claim("MU-6", f"dependent less independent loss, {FIVE[4]}")
def _dependent_sizes_lose_more_but_once(runs: Runs) -> Found:
    change = {
        name: (
            runs.losses["dependent", name, "unordered"]
            - runs.losses["independent", name, "unordered"]
        ).interval
        for name in FIVE
    }
    parts = {f"{name} worse": change[name].above(0) for name in FIVE[:4]}
    parts[f"{FIVE[4]} better"] = change[FIVE[4]].below(0)
    return change[FIVE[4]], parts


@claim("MU-7", "largest difference among equal means, dependent sizes")
def _only_the_mean_matters_if_dependent(runs: Runs) -> Found:
    """Within each group of one mean: nearly one loss if dependent, several if independent."""
    parts, widest = {}, []
    for group in (FIVE[:3], FIVE[3:]):
        dependent, independent = (
            _widest_pair([runs.losses[kind, name, "unordered"] for name in group])
            for kind in ("dependent", "independent")
        )
        words = ", ".join(group)
        parts[f"{words}: at most {SAME} apart if dependent"] = dependent.between(-SAME, SAME)
        parts[f"{words}: further if independent"] = not_(independent.between(-SAME, SAME))
        widest.append(dependent)
    return most(widest), parts


def _widest_pair(samples):
    """Return the paired difference of the two that are furthest apart."""
    lowest, *_, highest = sorted(samples, key=lambda sample: sample.mean)
    return (highest - lowest).interval


@claim("MU-8", "largest change of the loss")
def _service_times_change_little(runs: Runs) -> Found:
    calm, *_, wild = SERVICES
    changes: dict[str, Interval] = {}
    for name in FIVE:
        for request in ("ordered", "unordered"):
            low, high = (runs.losses["service", name, f"{request}, {s}"] for s in (calm, wild))
            change = (high - low).interval.times(1 / low.mean)
            changes[f"{name} {request} {change.estimate:+.0%}"] = change
    parts = {words: c.between(-SMALL_CHANGE, SMALL_CHANGE) for words, c in changes.items()}
    note = f"change of the loss from {calm} to {wild}, {SMALL_CHANGE:.0%} taken as little"
    return furthest(changes.values()), parts, note


@claim("MU-9", "largest gain of MaxJumps 50")
def _overtaking_gains(runs: Runs) -> Found:
    parts, gains = {}, []
    for name, how in product(ROOM, ("held", "Poisson")):
        fcfs = runs.losses["independent", name, "unordered"]
        for jumps, limits in ((5, (0, LITTLE)), (50, ABOUT_TEN)):
            gain = fcfs.less_unpaired(runs.losses["fpfs", name, f"{how} {jumps}"])
            words = f"{name} {how} {jumps} gains {100 * gain.estimate:.1f} points"
            parts[words] = gain.between(*limits)
        gains.append(gain)
    return most(gains), parts


@claim("MU-10", "first less worst fit loss")
def _placement_changes_little(runs: Runs) -> Found:
    changes = {}
    for name in FIVE:
        worst_fit = runs.losses["independent", name, "unordered"]
        change = (runs.losses["placement", name, "first fit"] - worst_fit).interval
        changes[f"{name} {100 * change.estimate:+.1f} points"] = change
    parts = {words: change.between(-LITTLE, LITTLE) for words, change in changes.items()}
    return furthest(changes.values()), parts


@claim("MU-11", "largest DAS1 less CTC loss")
def _two_logs_lose_alike(runs: Runs) -> Found:
    changes = {}
    for reading, words in (("CTC", "in the log's order"), ("CTC drawn", "pairs drawn")):
        for request in ("unordered", "total"):
            ctc, das1 = (runs.losses["logs", name, request] for name in (reading, "DAS1"))
            text = f"{words}, {request}: {ctc.mean:.3f} and {das1.mean:.3f}"
            changes[text] = das1.less_unpaired(ctc)
    parts = {words: change.between(-LITTLE, LITTLE) for words, change in changes.items()}
    note = f"jobs of {runs.log.title}; sizes and times of DAS1 from a stand-in with its moments"
    return furthest(changes.values()), parts, note


@claim("MU-12", "loss of one component less that of four")
def _co_allocation_helps(runs: Runs) -> Found:
    one, four = (
        runs.losses["co-allocation", parts, "capacity loss"]
        for parts in ("one component", "four components")
    )
    change = (one - four).interval
    return change, {"one component loses more": change.above(0)}
