"""The claims MU-1 to MU-12: each from figures that could say the opposite."""

import numpy as np

from coalloc_lib.analytic import JointSizes, maximal_utilization
from coalloc_lib.inference import paired_difference, student
from coalloc_lib.studies.ledger import Row, judge_claim
from coalloc_lib.studies.maximal_utilization.parameters import (
    FIVE,
    FOUR,
    NAME,
    ONE_LARGE,
    ROOM,
    sizes,
)
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES
from coalloc_lib.studies.published import load_claims
from coalloc_lib.system import Multicluster

#: Cluster sizes at which the pathological example is taken to its limit: each double and one.
DOUBLINGS = (15, 31, 63)
#: 'Agree extremely well': no two differ by more than the paper's own exact and simulated cells do.
AGREE = 0.0035
#: 'Quite reasonable': the same for its approximate and simulated cells, 0.007 and rounding.
REASONABLE = 0.0085
#: 'Roughly halved': the loss that is left, over the loss before.
HALVED = (0.4, 0.6)
#: 'Little', 'not very large', 'similar': differences of the capacity loss up to this many points.
LITTLE = 0.03
#: 'About ten percentage points'.
ABOUT_TEN = (0.08, 0.12)
#: 'Does not have a large impact': growth of the loss from deterministic to the most variable.
SMALL_GROWTH = 0.25


def exact_loss(name, request):
    """Capacity loss by formula: four ordered components, or their sum in one cluster of 128."""
    system = ONE_LARGE if request == "total" else FOUR
    return maximal_utilization(system, sizes(name), 4, request).capacity_loss


def pathological_loss(clusters, size):
    """Capacity loss of ordered jobs of ceil((N + 1)/2) tasks in cluster 1, one in each other."""
    vector = [[-(-(size + 1) // 2)] + [1] * (clusters - 1)]
    system = Multicluster.equal(clusters, size)
    return maximal_utilization(system, JointSizes(vector, [1.0])).capacity_loss


def judge_claims(cells, losses, log):
    """Return the ledger rows of all claims.

    Parameters
    ----------
    cells : list of Cell
        Tables 3 and 4.
    losses : dict
        Capacity losses of the scenarios, by (figure, sizes, series).
    log : SwfLog
        The log behind Figure 7.
    """
    return [
        _mu1(),
        _mu2(cells),
        _mu3(cells),
        _mu4(losses),
        _mu5(losses),
        _mu6(losses),
        _mu7(losses),
        _mu8(losses),
        _mu9(losses),
        _mu10(losses),
        _mu11(losses, log),
        _mu12(losses),
    ]


def _claim(item, quantity, reproduced, parts, note="", interval=None):
    claim = load_claims(NAME)[item]
    bounds = (None, None) if interval is None else (interval.low, interval.high)
    judgement = judge_claim(parts, note)
    return Row(NAME, item, quantity, claim.number or None, reproduced, *bounds, *judgement)


def _mu1():
    parts, last = {}, 0.0
    for clusters in (2, 3, 4):
        limit = (2 * clusters - 1) / (2 * clusters)
        gaps = np.array([limit - pathological_loss(clusters, n) for n in DOUBLINGS])
        halves = bool(np.allclose(gaps[1:] / gaps[:-1], 0.5, atol=0.05))
        parts[f"gap to the limit halves as N doubles, C = {clusters}"] = halves
        last = max(last, float(np.abs(gaps[-1])))
    return _claim("MU-1", f"largest gap to the limit at N = {DOUBLINGS[-1]}", last, parts)


def _differences(cells, method, request=None, clusters=None):
    """Return simulated less calculated loss of the cells that were both, and those cells."""
    chosen = {}
    for cell in cells:
        p = cell.published
        if (request in (None, p.request)) and (clusters in (None, p.clusters)):
            key = p.table, p.component_sizes, p.request, p.clusters
            chosen.setdefault(key, {})[p.method] = cell
    pairs = [
        (c["simulation"], c[method]) for c in chosen.values() if {"simulation", method} <= {*c}
    ]
    return np.array([s.loss - m.loss for s, m in pairs]), pairs


def _mu2(cells):
    parts, worst, covered, count = {}, 0.0, 0, 0
    for label, request, clusters in (("single cluster", "total", 1), ("ordered", "ordered", None)):
        difference, pairs = _differences(cells, "exact", request, clusters)
        parts[f"{label}: all {len(pairs)} within {AGREE}"] = bool(np.abs(difference).max() <= AGREE)
        worst = max(worst, float(np.abs(difference).max()))
        covered += sum(s.interval.contains(m.loss) for s, m in pairs)
        count += len(pairs)
    note = f"{covered} of {count} intervals hold the exact value"
    return _claim("MU-2", "largest difference of exact and simulated loss", worst, parts, note)


def _mu3(cells):
    difference, pairs = _differences(cells, "approximation", "unordered")
    parts = {f"all {len(pairs)} within {REASONABLE}": bool(np.abs(difference).max() <= REASONABLE)}
    note = f"the approximation is below the simulation in {int((difference > 0).sum())} of them"
    worst = float(np.abs(difference).max())
    return _claim(
        "MU-3", "largest difference of approximate and simulated loss", worst, parts, note
    )


def _mu4(losses):
    parts, steps = {}, []
    for name in FIVE:
        unordered = student(losses["independent", name, "unordered"])
        ordered, total = exact_loss(name, "ordered"), exact_loss(name, "total")
        parts[name] = total < unordered.low and unordered.high < ordered
        steps += [ordered - unordered.estimate, unordered.estimate - total]
    return _claim("MU-4", "smallest step of the capacity loss", min(steps), parts)


def _mu5(losses):
    ratio = {
        name: student(losses["independent", name, "unordered"]).estimate
        / exact_loss(name, "ordered")
        for name in FIVE
    }
    halved = {name: HALVED[0] <= value <= HALVED[1] for name, value in ratio.items()}
    parts = {f"left between {HALVED[0]} and {HALVED[1]} for all but one": sum(halved.values()) == 4}
    note = ", ".join(f"{name} {value:.2f}" for name, value in ratio.items())
    return _claim(
        "MU-5", "mean ratio of unordered to ordered loss", np.mean([*ratio.values()]), parts, note
    )


def _dependent_less_independent(losses, name):
    return paired_difference(
        losses["dependent", name, "unordered"], losses["independent", name, "unordered"]
    )


def _mu6(losses):
    change = {name: _dependent_less_independent(losses, name) for name in FIVE}
    parts = {f"{name} worse": change[name].low > 0 for name in FIVE[:4]}
    parts[f"{FIVE[4]} better"] = change[FIVE[4]].high < 0
    best = change[FIVE[4]]
    quantity = f"dependent less independent loss, {FIVE[4]}"
    return _claim("MU-6", quantity, best.estimate, parts, interval=best)


def _mu7(losses):
    parts, widest = {}, 0.0
    for group in (FIVE[:3], FIVE[3:]):
        spread = {
            kind: np.ptp([losses[kind, name, "unordered"].mean() for name in group])
            for kind in ("dependent", "independent")
        }
        parts[f"{', '.join(group)}: at most 0.01 apart"] = bool(spread["dependent"] <= 0.01)
        widest = max(widest, float(spread["dependent"]))
    return _claim("MU-7", "largest difference among equal means", widest, parts)


def _mu8(losses):
    calm, *_, wild = SERVICES
    parts, growths = {}, []
    for name in FIVE:
        for request in ("ordered", "unordered"):
            low, high = (losses["service", name, f"{request}, {s}"].mean() for s in (calm, wild))
            growths.append(float(high / low - 1))
            parts[f"{name} {request} {growths[-1]:+.0%}"] = growths[-1] <= SMALL_GROWTH
    note = f"growth of the loss from {calm} to {wild}, {SMALL_GROWTH:.0%} taken as little"
    return _claim("MU-8", "largest growth of the loss", max(growths), parts, note)


def _mu9(losses):
    parts, gains = {}, {}
    for name in ROOM:
        fcfs = losses["independent", name, "unordered"]
        for how in ("held", "Poisson"):
            for jumps in (5, 50):
                fpfs = losses["fpfs", name, f"{how} {jumps}"]
                gains[name, how, jumps] = gain = float(fcfs.mean() - fpfs.mean())
                little = jumps == 5
                text = f"{name} {how} {jumps} gains {100 * gain:.1f} points"
                parts[text] = gain <= LITTLE if little else ABOUT_TEN[0] <= gain <= ABOUT_TEN[1]
    most = max(gains.values())
    return _claim("MU-9", "largest gain of MaxJumps 50", most, parts)


def _mu10(losses):
    change = {
        name: paired_difference(
            losses["placement", name, "first fit"], losses["independent", name, "unordered"]
        )
        for name in FIVE
    }
    parts = {f"{n} {100 * c.estimate:+.1f} points": c.estimate <= LITTLE for n, c in change.items()}
    most = max(change.values(), key=lambda c: c.estimate)
    return _claim("MU-10", "largest first less worst fit loss", most.estimate, parts, interval=most)


def _mu11(losses, log):
    parts, differences = {}, []
    for reading, words in (("CTC", "in the log's order"), ("CTC drawn", "pairs drawn")):
        for request in ("unordered", "total"):
            ctc, das1 = (losses["logs", name, request].mean() for name in (reading, "DAS1"))
            differences.append(float(das1 - ctc))
            text = f"{words}, {request}: {ctc:.3f} and {das1:.3f}"
            parts[text] = abs(differences[-1]) <= LITTLE
    note = f"jobs of {log.title}; sizes and times of DAS1 from a stand-in with its moments"
    return _claim("MU-11", "largest DAS1 less CTC loss", max(differences, key=abs), parts, note)


def _mu12(losses):
    change = paired_difference(
        losses["co-allocation", "sum", "one component"],
        losses["co-allocation", "sum", "four components"],
    )
    parts = {"one component loses more": change.low > 0}
    quantity = "loss of one component less that of four"
    return _claim("MU-12", quantity, change.estimate, parts, interval=change)
