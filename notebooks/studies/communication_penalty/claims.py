"""Verdicts on the paper's claims about response times with split jobs (sections 7 and 8)."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from coalloc_lib.statistics import Interval, NotRunError, Replications, crossings, pick, student
from studies.claim import PaperSetting
from studies.communication_penalty.claims_thresholds import PAPER_SEARCH, is_above
from studies.communication_penalty.figures import (
    Pair,
    against_itself,
    against_same_penalty,
    against_whole,
    best_thresholds,
)
from studies.communication_penalty.model import (
    ABOVE,
    ALL_SPLIT,
    ALWAYS,
    AT_HEAD,
    CONSTANT,
    GROUPS,
    HIGH_PENALTY,
    JUMPS,
    LOW_PENALTY,
    NAMES,
    PARTS,
    PRINTED_LOAD,
    SPREAD,
    STREAM,
    WORK,
    exact_shares,
)
from studies.communication_penalty.responses import Responses, change, ratio
from studies.communication_penalty.runs import (
    IN_FIGURE,
    study,
)
from studies.communication_penalty.thresholds import GRID, read_thresholds
from studies.cut_offs import Asked, Part, Word
from studies.extremes import least
from studies.ledger import Decision
from studies.logic import all_of

#: The paper's setting for the claims about response times. The paper does not state MaxJumps, the
#: limit on how often a job may be overtaken, so each claim is also judged at other values of
#: MaxJumps.
PAPER = PaperSetting(
    varied={"max_jumps": JUMPS},
    fixed={
        "kind": IN_FIGURE,
        "load": PRINTED_LOAD,
        "parts": PARTS,
        "psi": LOW_PENALTY,
        "spread": 0.0,
        "kept_whole": 0.0,
        "placement": ALWAYS,
        "counted": AT_HEAD,
    },
)
#: The largest relative difference between two mean response times that we accept as the paper's
#: 'small deviation'.
SMALL = Word("small", 0.1, "%", 100)
#: The tolerance for the paper's phrase 'the same trend': a group of jobs follows a rising trend if
#: its mean response time never falls by more than this fraction.
TREND = Word("the same trend", 0.05, "%", 100)
#: The largest splitting threshold, in processors, that counts as low. Jobs with more processors
#: than the splitting threshold are split. The study simulates thresholds from 3 to 19.
LOW = Word("low", 10.0, "processors")
#: The largest number of equally good splitting thresholds for which we still say that the best
#: splitting threshold is known.
NARROW = 3
#: The groups of jobs that are never split in Figure 1, which splits jobs above ten processors.
UNSPLIT = ("S1", "S2", "S3")


# --- Claims of section 7: effects of the splitting threshold, the penalty and the load ---

#: The type of a dict from each splitting threshold to the response times measured with it. Jobs
#: with more processors than the splitting threshold are split.
Line = Mapping[float, Responses]


def line_of(pairs: Iterable[Pair]) -> Line:
    """Return a dict from each splitting threshold, in ascending order, to its response times."""
    line = {pair.setting["above"]: pair.split for pair in pairs}
    if len(line) < 2:
        raise NotRunError(
            f"the number of splitting thresholds with runs is {len(line)}; run two or more"
        )
    return dict(sorted(line.items()))


def lines_of(pairs: Iterable[Pair], by: str) -> dict[float, list[Pair]]:
    """Group pairs of settings by their value in the column `by`, in ascending order of this value.

    Both settings of a pair have the same value. Values with only one pair are left out.
    """
    lines: dict[float, list[Pair]] = {}
    for pair in pairs:
        lines.setdefault(pair.setting[by], []).append(pair)
    return {value: line for value, line in sorted(lines.items()) if len(line) > 1}


def below_saturation(line: Line) -> list[Responses]:
    """Return the response times at the splitting thresholds that do not saturate the system."""
    return [found for found in line.values() if not found.saturated]


@study.add_claim(
    "CP-4",
    "mean response time of S4 at the highest splitting threshold minus that at the lowest",
    PAPER,
)
def responses_rise_with_the_threshold(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a higher splitting threshold makes response times longer (Figure 2).

    The paper calls this threshold *thres* and says: 'increasing thres leads to poorer performance',
    most of all for large jobs.
    """
    all_thresholds = line_of(against_itself(runs))
    line = below_saturation(all_thresholds)
    if len(line) < len(all_thresholds):
        return Decision(None, {"all groups respond later": None})
    rise = {group: line[-1].response[group] - line[0].response[group] for group in NAMES}
    parts: dict[str, Part] = {}
    parts |= {
        f"{group} responds later at the highest threshold": x.interval.above(0)
        for group, x in rise.items()
    }
    parts |= {f"{group} follows the trend": follows(line, group) for group in NAMES}
    more = [(rise["S4"] - rise[group]).interval.above(0) for group in ("S1", "S2", "S3")]
    return Decision(rise["S4"].interval, parts | {"S4 changes most": all_of(*more)})


def follows(line: Sequence[Responses], group: str) -> Asked:
    """Return a test of whether a job group's response time rises with the splitting threshold.

    It rises if it never falls by more than a tolerance as the splitting threshold grows. Each
    threshold is compared with all smaller thresholds, run by run, because the runs of two
    thresholds have the same jobs. Among the many pairs, one is likely to fall by chance, so the
    confidence of each pair is raised until all pairs together have a confidence of 95 %.
    """
    pairs = [[found.response[group] for found in pair] for pair in combinations(line, 2)]
    confidence = 1 - 0.05 / (len(pairs) * len(NAMES))
    steps = [student((later / earlier).values, confidence) for earlier, later in pairs]

    def falls_by_no_more(limit: float) -> bool:
        return not any(step.below(1 - limit) for step in steps)

    return Asked(TREND, falls_by_no_more)


@study.add_claim(
    "CP-15",
    "mean response time of all jobs at the highest splitting threshold minus that at the lowest",
    PAPER,
)
def low_thresholds_are_best_at_a_small_penalty(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a low splitting threshold is best if the penalty is small (section 7.1).

    The paper calls this threshold *thres* and says: 'it is therefore better to keep thres low'.
    """
    line = line_of(against_itself(runs))
    parts: dict[str, Part] = {}
    for group in NAMES:
        parts[f"{group}: a low threshold is among the best"] = best_is_low(
            best_thresholds(line, group)
        )
    first, *_, last = line.values()
    if first.saturated or last.saturated:
        return Decision(None, parts | {"all jobs respond later at the highest threshold": None})
    rise = (last.response[STREAM] - first.response[STREAM]).interval
    return Decision(
        rise, parts | {"all jobs respond later at the highest threshold": rise.above(0)}
    )


def best_is_low(best: Sequence[float]) -> Asked:
    """Return a test of whether any of the best splitting thresholds counts as low."""

    def begins_low(limit: float) -> bool | None:
        return min(best) <= limit if best else None

    return Asked(LOW, begins_low)


@study.add_claim(
    "CP-14",
    "mean response time at the highest penalty minus that at penalty 0, the smallest over "
    "groups that are not split",
    PAPER.without("psi"),
)
def all_jobs_feel_the_penalty(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a higher penalty lengthens the response times of all job groups.

    The paper says: 'the effect of communication is felt in the entire job stream rather than the
    individual co-allocated jobs' (section 8.2). We read 'rather than' as 'and not only in', because
    the split jobs feel it most. Each group is compared with itself at another penalty, and not with
    jobs that are not split. The highest penalty is that of Figure 3.
    """
    split = [
        pair
        for pair in against_itself(runs)
        if pair.setting["above"] == ABOVE and pair.setting["psi"] <= HIGH_PENALTY
    ]
    known = {pair.setting["psi"]: pair.split for pair in split if not pair.split.saturated}
    if len({pair.setting["psi"] for pair in split}) < 2:
        raise NotRunError(
            f"fewer than two penalties were run with the jobs above {ABOVE} split; run two or more"
        )
    if len(known) < 2:
        return Decision(None, {"every group responds later": None})
    low, high = min(known), max(known)
    rise = {
        group: (known[high].response[group] - known[low].response[group]).interval
        for group in GROUPS
    }
    parts = {f"{group} responds later": found.above(0) for group, found in rise.items()}
    shares = ", ".join(
        f"{group} by {(known[high].response[group] / known[low].response[group]).mean - 1:.0%}"
        for group in GROUPS
    )
    note = (
        f"from penalty {low:g} to {high:g}, on the same jobs, the response times grow: "
        f"{shares}; we take 'rather than' to mean 'and not only in'"
    )
    return Decision(least([rise[group] for group in UNSPLIT]), parts, note)


@study.add_claim(
    "CP-16",
    "break-even penalty of the mean response time minus break-even penalty of the processor-hours",
    PAPER_SEARCH,
)
def processor_hours_decide(runs: pd.DataFrame) -> Decision:
    """Judge the claim that splitting jobs pays only if it saves processor-hours (section 7.4).

    The paper says: 'if processor hours due to the penalty exceed those saved [...] no net benefit'.
    The processor-hours are saved if the maximal utilization is higher with splitting than without
    it. The claim does not hold if the threshold of the response time is higher than the threshold
    of the maximal utilization. At a penalty between the two, splitting makes response times shorter
    although processor-hours are lost.
    """
    found = read_thresholds(runs).responses
    whole = found[None]
    split = {psi: found[psi] for psi in GRID if psi in found and not found[psi].saturated}
    if whole.saturated or len(split) < 2:
        return Decision(None, {"both break even": None})
    response = {psi: x.response[STREAM] / whole.response[STREAM] for psi, x in split.items()}
    hours = {psi: whole.max_utilization / x.max_utilization for psi, x in split.items()}
    later = crossings(response, level=1.0).less(crossings(hours, level=1.0))
    note = "the processor-hours are measured at saturation"
    return Decision(
        later, {"no benefit at penalties that cost processor-hours": later.below(0)}, note
    )


@study.add_claim(
    "CP-19",
    "mean wait with all jobs above 3 processors split minus that with no job split, penalty 0.2",
    PAPER.with_(psi=HIGH_PENALTY),
)
def split_jobs_delay_the_queue(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs wait longer in the queue if many jobs are split at a high penalty.

    The paper says that this leads to 'jobs over delaying in the queue'.
    """
    first, *_, last = line_of(against_itself(runs)).values()
    if first.saturated and not last.saturated:
        # If only the setting that splits many jobs is saturated, its queue grows without limit, so
        # its mean waiting time does not exist. In this case the maximal utilizations are compared
        # instead.
        less = (last.max_utilization - first.max_utilization).interval
        return Decision(
            less,
            {"jobs wait longer": less.above(0)},
            "the value is a difference of maximal utilizations, because one of the two is "
            "saturated",
        )
    if first.saturated or last.saturated:
        return Decision(None, {"jobs wait longer": None})
    longer = (first.wait[STREAM] - last.wait[STREAM]).interval
    return Decision(longer, {"jobs wait longer": longer.above(0)})


@study.add_claim(
    "CP-20",
    "maximal utilization at the best splitting threshold minus that with no job split",
    PAPER,
)
def whole_jobs_leave_fragments(runs: pd.DataFrame) -> Decision:
    """Judge the claim that more processors stay idle if large jobs are not split (section 7.4).

    If the splitting threshold is 'too high, the packing problem of unbroken jobs becomes
    significant'.
    """
    line = line_of(against_itself(runs))
    best = best_thresholds(line, STREAM)
    unsplit = line[max(line)]
    if not best or unsplit.saturated:
        return Decision(None, {"fewer processors can be used": None})
    at_best = line[best[0]]
    more = (at_best.max_utilization - unsplit.max_utilization).interval
    later = (unsplit.response[STREAM] - at_best.response[STREAM]).interval
    parts = {
        "fewer processors can be used": more.above(0),
        "all jobs respond later": later.above(0),
    }
    return Decision(more, parts, f"the best splitting threshold is {best[0]:g} processors")


@study.add_claim(
    "CP-11",
    "mean response time of S4 minus that of another group, the smallest",
    PAPER,
)
def large_jobs_respond_last(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the largest jobs (S4) have the longest response times (section 7.2).

    The paper says: 'S4 jobs perform worst and constitute over half of the load'.
    """
    apart = [
        (found.response["S4"] - found.response[group]).interval
        for found in below_saturation(line_of(against_itself(runs)))
        for group in ("S1", "S2", "S3")
    ]
    over_half = exact_shares()[WORK, "S4"] > 0.5
    parts = {
        "S4 has the longest response time": all_above(apart, 0),
        "S4 has over half of the load": over_half,
    }
    return Decision(least(apart) if apart else None, parts)


def all_above(intervals: Sequence[Interval], limit: float) -> bool | None:
    """Return whether all intervals lie above a limit; None if undecided or without intervals."""
    return all_of(*(each.above(limit) for each in intervals)) if intervals else None


@study.add_claim(
    "CP-5",
    "largest of the best splitting thresholds for S4 at penalty 0.2 (19 means that no job "
    "is split)",
    PAPER.without("psi"),
)
def best_threshold_grows_with_the_penalty(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the best splitting threshold increases with the penalty ψ (Figure 3).

    The paper says: 'this optimal value increases with ψ', and the range of thresholds at which
    splitting pays shrinks.
    """
    lines = lines_of(against_whole(runs), "psi")
    if len(lines) < 2:
        raise NotRunError(
            "fewer than two penalties were run with several splitting thresholds; run two or more"
        )
    low, *_, high = lines.values()
    before, after = (best_thresholds(line_of(line), "S4") for line in (low, high))
    parts = {
        "the best threshold grows": grows(before, after),
        "splitting pays at fewer thresholds": shrinks(pays(low, "S4"), pays(high, "S4")),
    }
    note = "a threshold is among the best if it is not certain to be worse than the best"
    return Decision(max(after, default=None), parts, note)


def pays(line: Iterable[Pair], group: str) -> dict[float, bool | None]:
    """Return, for each splitting threshold, whether splitting shortens the response of a group.

    An answer is None if the runs do not decide it.
    """
    return {pair.setting["above"]: change(pair.split, pair.other, group).gains for pair in line}


def grows(before: Sequence[float], after: Sequence[float]) -> bool | None:
    """Return whether the best splitting threshold is higher at a high than at a low penalty.

    `before` has the best thresholds at the low penalty, and `after` has those at the high penalty.
    The answer is None if the two ranges of thresholds overlap, or if one of them is empty.
    """
    if not before or not after:
        return None
    if min(after) > max(before):
        return True
    if max(after) < min(before):
        return False
    return None


def shrinks(before: dict[float, bool | None], after: dict[float, bool | None]) -> bool | None:
    """Return whether fewer splitting thresholds pay at a high penalty than at a low penalty.

    `before` says for each threshold whether splitting pays at the low penalty, and `after` whether
    it pays at the high penalty. The answer is None if no threshold changes from
    a clear yes to a clear no.
    """
    both = before.keys() & after.keys()
    lost = any(before[threshold] and after[threshold] is False for threshold in both)
    won = any(after[threshold] and before[threshold] is False for threshold in both)
    if not lost and not won:
        return None
    return lost and not won


@study.add_claim(
    "CP-6",
    "lowest splitting threshold that is among the best for S4 at every load",
    PAPER.with_(psi=CONSTANT).without("load"),
)
def best_threshold_stays_with_the_load(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the best splitting threshold does not depend on the load (Figure 4).

    The paper says: 'increase in load however does not affect the optimal thres value'.
    """
    lines = lines_by_load(runs)
    same, shared = same_best(lines.values(), "S4")
    best = {load: best_thresholds(line, "S4") for load, line in lines.items()}
    listed = "; ".join(f"load {load:g}: {_as_text(places)}" for load, places in best.items())
    note = f"best thresholds, which do not certainly differ: {listed}{_losses_at(lines, best)}"
    note += "; the paper does not say which loads it used"
    return Decision(
        min(shared, default=None), {"the same threshold is best at every load": same}, note
    )


def _losses_at(lines: Mapping[float, Line], best: Mapping[float, Sequence[float]]) -> str:
    *_, highest = best
    losses = []
    for load, places in best.items():
        for threshold in best[highest][:1]:
            if places and threshold not in places and not lines[load][threshold].saturated:
                chosen, own = (lines[load][x].response["S4"] for x in (threshold, places[0]))
                more = (chosen / own).mean - 1
                losses.append(
                    f"at load {load:g}, S4 responds {more:.1%} later with threshold {threshold:g}"
                )
    return "".join(f"; {loss}" for loss in losses)


def lines_by_load(runs: pd.DataFrame) -> dict[float, Line]:
    """Return the response times at each splitting threshold, as one dict per offered load."""
    lines = lines_of(against_itself(runs), "load")
    if len(lines) < 2:
        raise NotRunError(
            "fewer than two loads were run with several splitting thresholds; run two or more"
        )
    return {load: line_of(line) for load, line in lines.items()}


def _as_text(thresholds: Sequence[float]) -> str:
    return ", ".join(f"{threshold:g}" for threshold in thresholds) or "none"


def same_best(lines: Iterable[Line], group: str) -> tuple[bool | None, set[float]]:
    """Return whether all curves share a best splitting threshold.

    The second value has all thresholds that are best on each curve. If there are any, but the best
    thresholds of all curves are many or include the lowest or the highest threshold, the
    answer is None, because the runs do not show where the best threshold is.
    """
    lines = list(lines)
    best = [set(best_thresholds(line, group)) for line in lines]
    known = [thresholds for thresholds in best if thresholds]
    if len(known) < 2:
        return None, set()
    shared, union = set.intersection(*known), set.union(*known)
    is_inside = not union & {min(lines[0]), max(lines[0])}
    if shared and not (len(union) <= NARROW and is_inside):
        return None, shared
    return bool(shared), shared


@study.add_claim(
    "CP-12",
    "mean response time of S4 at one load minus that at the next lower load, the smallest",
    PAPER.with_(psi=CONSTANT).without("load"),
)
def responses_rise_with_the_load(runs: pd.DataFrame) -> Decision:
    """Judge the claim that response times grow with the load (section 7.3).

    The paper says: 'an increase in load leads to a poorer performance'.
    """
    steps = [
        (busier[threshold].response["S4"] - less_busy[threshold].response["S4"]).interval
        for less_busy, busier in pairwise(lines_by_load(runs).values())
        for threshold in unsaturated_in(less_busy, busier)
    ]
    return Decision(
        least(steps) if steps else None, {"S4 responds later at higher loads": all_above(steps, 0)}
    )


def unsaturated_in(one: Line, other: Line) -> list[float]:
    """Return the splitting thresholds that saturate the system at neither of two loads."""
    both = [threshold for threshold in one if threshold in other]
    return [x for x in both if not one[x].saturated and not other[x].saturated]


# --- Section 8: penalties that differ ---


@study.add_claim(
    "CP-7",
    "mean response time with different penalties divided by that with one penalty, the "
    "largest over groups",
    PAPER.with_(psi=CONSTANT).without("spread"),
)
def spread_penalties_are_worse(runs: pd.DataFrame) -> Decision:
    """Judge the claim that response times are longer if penalties differ between jobs (Figure 5).

    The paper says of the penalty ψ: 'more dispersion in ψ leads to poor performance', and means all
    groups.
    """
    pairs = pairs_of_penalties(runs)
    means = {
        group: mean_of(ratio(pair.split, pair.other, group) for pair in pairs) for group in GROUPS
    }
    known = [found for found in means.values() if found]
    decides = max(known, key=lambda found: found.high, default=None)
    most_later = decides.high - 1 if decides else np.nan
    parts = {f"{group} responds later": is_above(found, 1) for group, found in means.items()}
    note = (
        f"no group responds later by more than {most_later:.1%}; all values are means over the "
        "splitting thresholds"
    )
    return Decision(decides, parts, note)


def pairs_of_penalties(runs: pd.DataFrame) -> list[Pair]:
    """Match each setting with sampled penalties to the same setting with one fixed penalty."""
    pairs = against_same_penalty(pick(runs, spread=(SPREAD, 0.0)))
    if not pairs:
        raise NotRunError(
            "no setting was run both with sampled penalties and with one penalty for all; run such "
            "a pair"
        )
    return pairs


def mean_of(samples: Iterable[Replications | None]) -> Interval | None:
    """Average all samples that are not None, and return the mean with its confidence interval.

    The result is None if all samples are None.
    """
    known = [sample for sample in samples if sample is not None]
    if not known:
        return None
    warning = next((sample.warning for sample in known if sample.warning), "")
    return Replications(np.mean([sample.values for sample in known], axis=0), warning).interval


@study.add_claim(
    "CP-10",
    "mean response time of all jobs with different penalties divided by that with one penalty",
    PAPER.with_(psi=CONSTANT).without("spread"),
)
def splitting_is_less_viable(runs: pd.DataFrame) -> Decision:
    """Judge the claim that splitting pays less if penalties differ between jobs (section 9).

    The paper says that it is 'not as viable as depicted' by studies with one penalty for all jobs.
    """
    found = mean_of(ratio(pair.split, pair.other, STREAM) for pair in pairs_of_penalties(runs))
    return Decision(
        found,
        {"all jobs respond later": is_above(found, 1)},
        "the value is a mean over the splitting thresholds",
    )


@study.add_claim(
    "CP-8",
    "mean response time of C4 minus that of C1, divided by that of all split jobs",
    PAPER.with_(psi=CONSTANT, spread=SPREAD),
)
def own_penalty_matters_little(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a split job's own penalty hardly affects its response time (Figure 6).

    The paper says: 'small deviations in performance of the different groups'.
    """
    known = [pair.split for pair in against_itself(runs) if not pair.split.saturated]
    apart = mean_of((x.response["C4"] - x.response["C1"]) / x.response[ALL_SPLIT] for x in known)
    answer = SMALL.within(apart) if apart else None
    return Decision(
        apart,
        {"the deviation is small": answer},
        "the value is a mean over the splitting thresholds",
    )
