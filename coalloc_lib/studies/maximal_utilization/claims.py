"""The claims MU-1 to MU-12: each from figures that could say the opposite."""

import numpy as np

from coalloc_lib.analytic import JointSizes, maximal_utilization
from coalloc_lib.estimates import all_of
from coalloc_lib.inference import paired_difference, student, unpaired_difference
from coalloc_lib.studies.ledger import claim_row
from coalloc_lib.studies.maximal_utilization.parameters import (
    FIVE,
    NAME,
    ROOM,
)
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES
from coalloc_lib.system import Multicluster

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


def _claim(item, quantity, found, parts, note=""):
    return claim_row(NAME, item, quantity, found, parts, note)


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
    return np.array([s.loss.estimate - m.loss.estimate for s, m in pairs]), pairs


def _printed_difference(pairs):
    """Return the largest difference of two printed cells, with what rounding may add."""
    printed = [abs(s.published.capacity_loss - m.published.capacity_loss) for s, m in pairs]
    return max(printed) + ROUNDING


def _within(pairs, most):
    """Whether simulated and calculated loss differ by no more; None where noise hides it."""
    return [s.loss.plus(-c.loss.estimate).between(-most, most) for s, c in pairs]


def _worst(difference, pairs):
    """Return the interval of the simulated less calculated loss that is furthest from 0."""
    number = int(np.abs(difference).argmax())
    simulated, calculated = pairs[number]
    return simulated.loss.plus(-calculated.loss.estimate)


def _mu2(cells):
    """'Extremely well' is no worse than the paper's own cells agree."""
    parts, worst, covered, count = {}, [], 0, 0
    for label, request, clusters in (("single cluster", "total", 1), ("ordered", "ordered", None)):
        difference, pairs = _differences(cells, "exact", request, clusters)
        most = _printed_difference(pairs)
        answers = _within(pairs, most)
        parts[f"{label}: all {len(pairs)} within {most:.4f}"] = all_of(*answers)
        worst.append(_worst(difference, pairs))
        covered += sum(s.loss.contains(m.loss.estimate) for s, m in pairs)
        count += len(pairs)
    note = f"{covered} of {count} intervals hold the exact value"
    found = max(worst, key=lambda interval: abs(interval.estimate))
    quantity = "simulated less exact loss, furthest from 0"
    return _claim("MU-2", quantity, found, parts, note)


def _mu3(cells):
    """'Quite reasonable' is no worse than the paper's own cells agree."""
    difference, pairs = _differences(cells, "approximation", "unordered")
    most = _printed_difference(pairs)
    parts = {
        f"{s.published.component_sizes} within {most:.4f}": answer
        for (s, _), answer in zip(pairs, _within(pairs, most), strict=True)
    }
    note = f"the approximation is below the simulation in {int((difference > 0).sum())} of them"
    found = _worst(difference, pairs)
    quantity = "simulated less approximate loss, furthest from 0"
    return _claim("MU-3", quantity, found, parts, note)


def _mu4(losses):
    parts, steps = {}, []
    for name in FIVE:
        unordered = student(losses["independent", name, "unordered"])
        ordered, total = (float(losses["formula", name, r][0]) for r in ("ordered", "total"))
        parts[f"{name} below ordered"] = unordered.between(0, ordered)
        parts[f"{name} above total"] = unordered.between(total, 1)
        steps += [unordered.times(-1).plus(ordered), unordered.plus(-total)]
    least = min(steps, key=lambda step: step.estimate)
    quantity = "smallest step of the capacity loss"
    return _claim("MU-4", quantity, least, parts)


def _mu5(losses):
    ratio = {
        name: student(losses["independent", name, "unordered"] / losses["formula", name, "ordered"])
        for name in FIVE
    }
    parts = {f"{name} {ratio[name].estimate:.2f}": ratio[name].between(*HALVED) for name in FIVE}
    exception = parts.pop(f"{EXCEPTION} {ratio[EXCEPTION].estimate:.2f}")
    parts[f"all but {EXCEPTION} {ratio[EXCEPTION].estimate:.2f}"] = exception is False
    mean = student(np.mean([losses["independent", n, "unordered"] / losses["formula", n, "ordered"]
                            for n in FIVE], axis=0))  # fmt: skip
    note = f"unordered over ordered loss; {HALVED[0]} to {HALVED[1]} taken as roughly half"
    return _claim("MU-5", "mean ratio of the five", mean, parts, note)


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
    return _claim("MU-6", quantity, best, parts)


def _mu7(losses):
    """Within each group of one mean: nearly one loss if dependent, several if independent."""
    parts, widest = {}, []
    for group in (FIVE[:3], FIVE[3:]):
        apart = {kind: _widest_pair(losses, kind, group) for kind in ("dependent", "independent")}
        words = f"{', '.join(group)}: at most {SAME} apart"
        parts[f"{words} if dependent"] = apart["dependent"].between(-SAME, SAME)
        parts[f"{', '.join(group)}: further if independent"] = (
            apart["independent"].between(-SAME, SAME) is False
        )
        widest.append(apart["dependent"])
    most = max(widest, key=lambda interval: interval.estimate)
    quantity = "largest difference among equal means, dependent sizes"
    return _claim("MU-7", quantity, most, parts)


def _widest_pair(losses, kind, group):
    """Return the paired difference of the two of a group that are furthest apart."""
    values = sorted((losses[kind, name, "unordered"] for name in group), key=np.mean)
    return paired_difference(values[-1], values[0])


def _mu8(losses):
    calm, *_, wild = SERVICES
    parts, changes = {}, []
    for name in FIVE:
        for request in ("ordered", "unordered"):
            low, high = (losses["service", name, f"{request}, {s}"] for s in (calm, wild))
            changes.append(paired_difference(high, low).times(1 / low.mean()))
            words = f"{name} {request} {changes[-1].estimate:+.0%}"
            parts[words] = changes[-1].between(-SMALL_CHANGE, SMALL_CHANGE)
    note = f"change of the loss from {calm} to {wild}, {SMALL_CHANGE:.0%} taken as little"
    most = max(changes, key=lambda change: abs(change.estimate))
    return _claim("MU-8", "largest change of the loss", most, parts, note)


def _mu9(losses):
    parts, gains = {}, []
    for name in ROOM:
        fcfs = losses["independent", name, "unordered"]
        for how in ("held", "Poisson"):
            for jumps, limits in ((5, (0, LITTLE)), (50, ABOUT_TEN)):
                gain = unpaired_difference(fcfs, losses["fpfs", name, f"{how} {jumps}"])
                parts[f"{name} {how} {jumps} gains {100 * gain.estimate:.1f} points"] = (
                    gain.between(*limits)
                )
                if jumps == 50:
                    gains.append(gain)
    most = max(gains, key=lambda gain: gain.estimate)
    return _claim("MU-9", "largest gain of MaxJumps 50", most, parts)


def _mu10(losses):
    change = {
        name: paired_difference(
            losses["placement", name, "first fit"], losses["independent", name, "unordered"]
        )
        for name in FIVE
    }
    parts = {
        f"{name} {100 * c.estimate:+.1f} points": c.between(-LITTLE, LITTLE)
        for name, c in change.items()
    }
    most = max(change.values(), key=lambda c: abs(c.estimate))
    return _claim("MU-10", "first less worst fit loss", most, parts)


def _mu11(losses, log):
    parts, differences = {}, []
    for reading, words in (("CTC", "in the log's order"), ("CTC drawn", "pairs drawn")):
        for request in ("unordered", "total"):
            ctc, das1 = (losses["logs", name, request] for name in (reading, "DAS1"))
            differences.append(unpaired_difference(das1, ctc))
            text = f"{words}, {request}: {ctc.mean():.3f} and {das1.mean():.3f}"
            parts[text] = differences[-1].between(-LITTLE, LITTLE)
    note = f"jobs of {log.title}; sizes and times of DAS1 from a stand-in with its moments"
    most = max(differences, key=lambda difference: abs(difference.estimate))
    return _claim("MU-11", "largest DAS1 less CTC loss", most, parts, note)


def _mu12(losses):
    change = paired_difference(
        losses["co-allocation", "sum", "one component"],
        losses["co-allocation", "sum", "four components"],
    )
    parts = {"one component loses more": change.low > 0}
    quantity = "loss of one component less that of four"
    return _claim("MU-12", quantity, change, parts)
