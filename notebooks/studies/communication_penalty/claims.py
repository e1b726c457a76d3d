"""What the paper says of co-allocation with communication, judged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    all_of,
    crossings,
    least,
    pick,
    student,
)
from studies.communication_penalty.figures import (
    Pair,
    against_itself,
    against_same_penalty,
    against_whole,
    best_places,
    shares,
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
    LOAD,
    LOW_PENALTY,
    NAMES,
    ONE_RUN,
    PARTS,
    PRINTED,
    PRINTED_LOAD,
    SPREAD,
    STREAM,
    WORK,
    exact_shares,
)
from studies.communication_penalty.responses import Responses, change, ratio
from studies.communication_penalty.runs import (
    IN_FIGURE,
    SAMPLE_COUNT,
    SEARCH,
    study,
)
from studies.communication_penalty.thresholds import GRID, Thresholds, read_thresholds
from studies.cut_offs import Asked, Part, Word
from studies.ledger import Decision, Row, judge_number
from studies.study import PaperSetting

#: The setting that the paper's sentences on response times are about. They are asked at the other
#: MaxJumps too, which the paper does not give.
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
#: The setting of the sentences on thresholds of the penalty (section 6).
PAPER_SEARCH = PaperSetting(
    varied={"max_jumps": JUMPS, "counted": AT_HEAD, "load": PRINTED_LOAD},
    fixed={"kind": SEARCH},
)
#: What the printed thresholds were used to choose, and what the printed load was.
CHOSEN, CHOSEN_LENGTH = "MaxJumps and how jumps are counted", "the length of a run"
#: 'Small deviations': relative differences of response times that count as small.
SMALL = Word("small", 0.1, "%", 100)
#: A group that takes the same trend falls nowhere by more, as a share of its response time.
TREND = Word("the same trend", 0.05, "%", 100)
#: Splitting thresholds up to this are low. Thresholds lie between 3 and 19, so that twice as much
#: would be all of them.
LOW = Word("low", 10.0, "processors", near=1.5)
#: Splitting thresholds, at most, that tell where the best one is.
NARROW = 3
#: The groups of which no job is split in Figure 1: all are of at most ten processors.
UNSPLIT = ("S1", "S2", "S3")


def is_above(found: Interval | None, limit: float) -> bool | None:
    """Whether a figure is above a limit; None where it is not known."""
    return found.above(limit) if found else None


# --- Section 5: the groups ---


@study.add_numbers
def printed_shares(runs: pd.DataFrame) -> Iterator[Row]:
    """Judge every printed share, and the load: of samples as long as a run of the paper."""
    for row in shares(pick(runs, jobs=ONE_RUN)).to_dict("records"):
        decimals = 3
        sample = Interval(row["exact"], row["sample_low"], row["sample_high"], SAMPLE_COUNT)
        exact = Interval.exact(row["exact"])
        chosen = CHOSEN_LENGTH * (row["quantity"] == LOAD)
        judged = judge_number(row["printed"], exact, decimals, one_run=sample, calibrates=chosen)
        item = f"Section 5 {row['group']} {row['quantity']}"
        yield Row.of(study.name, item, row["quantity"], row["printed"], exact, judged)


# --- Section 6: up to which penalty splitting pays ---


@study.add_claim("CP-2", "threshold of the stream", PAPER_SEARCH)
def stream_has_the_printed_threshold(runs: pd.DataFrame) -> Decision:
    """Judge 'it is 0.185 for the entire job stream' (Figure 1)."""
    found = read_thresholds(runs)
    crossing = found.by_group[STREAM]
    crosses = {"crossing": True, "undecided": None}.get(crossing.answer, False)
    parts = {"a threshold": crosses, "0.185 as one run": is_of_one_run(found, STREAM)}
    run = found.one_run[STREAM].prediction if found.one_run else None
    note = f"one run of {ONE_RUN} jobs gives {run.low:.2f} to {run.high:.2f}" if run else ""
    return Decision(crossing.interval, parts, note, calibrates=CHOSEN)


def is_of_one_run(found: Thresholds, group: str) -> bool | None:
    """Whether a single run may give the printed threshold; None where none has one."""
    if not found.one_run:
        return None
    run = found.one_run[group].prediction
    return run.contains(PRINTED[group]) if run.half_width else None


@study.add_claim("CP-18", "threshold of the stream", PAPER_SEARCH)
def viable_for_any_speed_ratio(runs: pd.DataFrame) -> Decision:
    """Judge 'viable for any speed ratio so long as the [...] intensity is low enough' (6).

    The penalty is the speed ratio times the intensity. So the sentence is true if the penalty up to
    which splitting pays is above zero: the intensity may be this penalty over the ratio.
    """
    found = read_thresholds(runs).by_group[STREAM].interval
    return Decision(found, {"above penalty 0": found.above(0)}, "the penalty is their product")


@study.add_claim("CP-21", "threshold of the stream", PAPER_SEARCH)
def viability_has_limits(runs: pd.DataFrame) -> Decision:
    """Judge 'parameter limits within which the co-allocation is viable' (section 9)."""
    found = read_thresholds(runs).by_group[STREAM]
    crosses = {"crossing": True, "undecided": None}.get(found.answer, False)
    return Decision(found.interval, {"pays up to a threshold, and loses beyond it": crosses})


@study.add_claim("CP-3", "threshold of S4", PAPER_SEARCH)
def large_jobs_have_a_lower_threshold(runs: pd.DataFrame) -> Decision:
    """Judge '1.60 for S4 and over 0.3 for S1', 'large jobs have a lower threshold' (Figure 1)."""
    found = read_thresholds(runs)
    threshold = {group: found.by_group[group].interval for group in NAMES}
    later = later_at_stream(found, "S4")
    parts = {
        "S4 below the stream": is_above(later, 0),
        "S1 above 0.3": threshold["S1"].above(PRINTED["S1"]),
        "0.160 as one run": is_of_one_run(found, "S4"),
    }
    return Decision(threshold["S4"], parts, calibrates=CHOSEN)


def later_at_stream(found: Thresholds, group: str) -> Interval | None:
    """Return by how much a group responds later where the stream breaks even, if it does."""
    later = found.at_stream.get(group)
    return later.interval if later else None


@study.add_claim("CP-9", "lowest threshold of all groups", PAPER_SEARCH)
def free_splitting_pays(runs: pd.DataFrame) -> Decision:
    """Judge 'without considering communication … is always viable' (section 6)."""
    found = read_thresholds(runs)
    threshold = {group: found.by_group[group].interval for group in NAMES}
    parts = {f"{group} gains at penalty 0": x.above(0) for group, x in threshold.items()}
    return Decision(least(threshold.values()), parts)


@study.add_claim(
    "CP-13", "what S4 loses where the stream breaks even, over whole jobs", PAPER_SEARCH
)
def threshold_of_the_stream_misleads(runs: pd.DataFrame) -> Decision:
    """Judge 'the (entire) job stream threshold value is practically misleading' (section 6)."""
    found = read_thresholds(runs)
    large, small = later_at_stream(found, "S4"), later_at_stream(found, "S1")
    parts = {"S4 loses": is_above(large, 0), "S1 gains": small.below(0) if small else None}
    return Decision(large, parts)


# --- Section 7: splitting threshold, penalty and load ---

#: By splitting threshold, responses of split jobs; those of whole ones are beside them in `Pair`.
Line = Mapping[float, Responses]


def line_of(pairs: Iterable[Pair]) -> Line:
    """Return the line of pairs over the splitting threshold, which needs two or more."""
    line = {pair.setting["above"]: pair.split for pair in pairs}
    if len(line) < 2:
        raise NotRunError(f"runs have {len(line)} splitting thresholds; run two or more")
    return dict(sorted(line.items()))


def lines_of(pairs: Iterable[Pair], by: str) -> dict[float, list[Pair]]:
    """Return the pairs of each value of a column, in its order, without values of one pair."""
    lines: dict[float, list[Pair]] = {}
    for pair in pairs:
        lines.setdefault(pair.setting[by], []).append(pair)
    return {value: line for value, line in sorted(lines.items()) if len(line) > 1}


def known_of(line: Line) -> list[Responses]:
    """Return the responses of a line that are known: below saturation."""
    return [found for found in line.values() if not found.saturated]


@study.add_claim(
    "CP-4",
    "rise of the response time of S4 from the first threshold to the last",
    PAPER,
)
def responses_rise_with_the_threshold(runs: pd.DataFrame) -> Decision:
    """Judge 'increasing thres leads to poorer performance', for large jobs most (Figure 2)."""
    line = known_of(line_of(against_itself(runs)))
    if len(line) < len(line_of(against_itself(runs))):
        return Decision(None, {"rises": None})
    rise = {group: line[-1].response[group] - line[0].response[group] for group in NAMES}
    parts: dict[str, Part] = {}
    parts |= {f"{group} rises": x.interval.above(0) for group, x in rise.items()}
    parts |= {f"{group} follows": follows(line, group) for group in NAMES}
    more = [(rise["S4"] - rise[group]).interval.above(0) for group in ("S1", "S2", "S3")]
    return Decision(rise["S4"].interval, parts | {"S4 rises most": all_of(*more)})


def follows(line: Sequence[Responses], group: str) -> Asked:
    """Whether a group nowhere falls below an earlier place by more than a trend allows.

    Of several pairs one is soon seen to fall by chance: all together are 95 % certain.
    """
    pairs = [[each.response[group] for each in pair] for pair in combinations(line, 2)]
    confidence = 1 - 0.05 / (len(pairs) * len(NAMES))
    steps = [student(later.values / earlier.mean, confidence) for earlier, later in pairs]

    def falls_by_no_more(limit: float) -> bool:
        return not any(step.below(1 - limit) for step in steps)

    return Asked(TREND, falls_by_no_more)


@study.add_claim(
    "CP-15",
    "rise of the response time of the stream from the lowest threshold to the last",
    PAPER,
)
def low_thresholds_are_best_at_a_small_penalty(runs: pd.DataFrame) -> Decision:
    """Judge 'it is therefore better to keep thres low', of all groups (section 7.1)."""
    line = line_of(against_itself(runs))
    parts: dict[str, Part] = {}
    for group in NAMES:
        parts[f"{group}: a low one is among the best"] = best_is_low(best_places(line, group))
    first, *_, last = line.values()
    if first.saturated or last.saturated:
        return Decision(None, parts | {"the stream rises": None})
    rise = (last.response[STREAM] - first.response[STREAM]).interval
    return Decision(rise, parts | {"the stream rises": rise.above(0)})


def best_is_low(best: Sequence[float]) -> Asked:
    """Whether the best thresholds, which are not seen to differ, begin among the low ones."""

    def begins_low(limit: float) -> bool | None:
        return min(best) <= limit if best else None

    return Asked(LOW, begins_low)


@study.add_claim(
    "CP-14",
    "least rise of the response of a group that is not split, from penalty 0 to the highest",
    PAPER.without("psi"),
)
def all_jobs_feel_the_penalty(runs: pd.DataFrame) -> Decision:
    """Judge whether every group responds later when the penalty grows.

    The paper says that 'the effect of communication is felt in the entire job stream' (section
    8.2). So a group is compared with itself at another penalty, and not with whole jobs.
    """
    split = [pair for pair in against_itself(runs) if pair.setting["above"] == ABOVE]
    known = {pair.setting["psi"]: pair.split for pair in split if not pair.split.saturated}
    if len({pair.setting["psi"] for pair in split}) < 2:
        raise NotRunError(f"no two penalties were run with the jobs above {ABOVE} split")
    if len(known) < 2:
        return Decision(None, {"every group responds later": None})
    low, high = min(known), max(known)
    rise = {
        group: (known[high].response[group] - known[low].response[group]).interval
        for group in GROUPS
    }
    parts = {f"{group} responds later": found.above(0) for group, found in rise.items()}
    note = f"from penalty {low:g} to {high:g}, on the same jobs"
    return Decision(least([rise[group] for group in UNSPLIT]), parts, note)


@study.add_claim(
    "CP-16",
    "penalty at which the response breaks even, less that at which the processor-hours do",
    PAPER_SEARCH,
)
def processor_hours_decide(runs: pd.DataFrame) -> Decision:
    """Judge 'if processor hours due to the penalty exceed those saved [...] no net benefit' (7.4).

    The maximal utilization has both the hours that are saved and those that are lost. If the
    response breaks even at a higher penalty than the hours do, then between the two penalties
    splitting is of benefit though hours are lost.
    """
    found = read_thresholds(runs).responses
    whole = found[None]
    split = {psi: found[psi] for psi in GRID if psi in found and not found[psi].saturated}
    if whole.saturated or len(split) < 2:
        return Decision(None, {"both break even": None})
    response = {psi: x.response[STREAM] / whole.response[STREAM] for psi, x in split.items()}
    hours = {psi: whole.max_utilization / x.max_utilization for psi, x in split.items()}
    later = crossings(response, level=1.0).less(crossings(hours, level=1.0))
    return Decision(later, {"no benefit where hours are lost": later.below(0)})


@study.add_claim(
    "CP-19",
    "mean wait of the stream with all jobs above 3 split less that with none, penalty 0.2",
    PAPER.with_(psi=HIGH_PENALTY),
)
def split_jobs_delay_the_queue(runs: pd.DataFrame) -> Decision:
    """Judge 'jobs over delaying in the queue' at a high penalty (section 7.4)."""
    first, *_, last = line_of(against_itself(runs)).values()
    if first.saturated and not last.saturated:
        # The queue of split jobs grows for ever, if they certainly saturate first.
        less = (last.max_utilization - first.max_utilization).interval
        return Decision(less, {"longer in the queue": less.above(0)}, "of the utilization")
    if first.saturated or last.saturated:
        return Decision(None, {"longer in the queue": None})
    longer = (first.wait[STREAM] - last.wait[STREAM]).interval
    return Decision(longer, {"longer in the queue": longer.above(0)})


@study.add_claim(
    "CP-20",
    "maximal utilization at the best splitting threshold less that with no job split",
    PAPER,
)
def whole_jobs_leave_fragments(runs: pd.DataFrame) -> Decision:
    """Judge 'too high, the packing problem of unbroken jobs becomes significant' (7.4)."""
    line = line_of(against_itself(runs))
    best, none = best_places(line, STREAM), line[max(line)]
    if not best or none.saturated:
        return Decision(None, {"fewer processors are used": None})
    at_best = line[best[0]]
    more = (at_best.max_utilization - none.max_utilization).interval
    later = (none.response[STREAM] - at_best.response[STREAM]).interval
    parts = {"fewer processors are used": more.above(0), "the stream is later": later.above(0)}
    return Decision(more, parts, f"the best threshold is {best[0]:g}")


@study.add_claim(
    "CP-11",
    "response time of S4 less that of the next group, least",
    PAPER,
)
def large_jobs_respond_last(runs: pd.DataFrame) -> Decision:
    """Judge 'S4 jobs perform worst and constitute over half of the load' (section 7.2)."""
    apart = [
        (found.response["S4"] - found.response[group]).interval
        for found in known_of(line_of(against_itself(runs)))
        for group in ("S1", "S2", "S3")
    ]
    over_half = exact_shares()[WORK, "S4"] > 0.5
    parts = {"S4 last": all_above(apart, 0), "over half of the load": over_half}
    return Decision(least(apart) if apart else None, parts)


def all_above(intervals: Sequence[Interval], limit: float) -> bool | None:
    """Whether all are above a limit; None where there are none."""
    return all_of(*(each.above(limit) for each in intervals)) if intervals else None


@study.add_claim(
    "CP-5",
    "largest threshold (19 splits nobody) among the best for S4 at penalty 0.2",
    PAPER.without("psi"),
)
def best_threshold_grows_with_the_penalty(runs: pd.DataFrame) -> Decision:
    """Judge 'this optimal value increases with ψ', and the range that pays shrinks (Figure 3)."""
    lines = lines_of(against_whole(runs), "psi")
    if len(lines) < 2:
        raise NotRunError("runs have no two penalties with two splitting thresholds or more")
    low, *_, high = lines.values()
    before, after = (best_places(line_of(line), "S4") for line in (low, high))
    parts = {
        "the best grows": grows(before, after),
        "pays at fewer thresholds": shrinks(pays(low, "S4"), pays(high, "S4")),
    }
    note = "among the best is what is not seen to be worse than the best"
    return Decision(max(after, default=None), parts, note)


def pays(line: Iterable[Pair], group: str) -> dict[float, bool | None]:
    """Return for each threshold whether splitting responds sooner; None where undecided."""
    return {pair.setting["above"]: change(pair.split, pair.other, group).gains for pair in line}


def grows(before: Sequence[float], after: Sequence[float]) -> bool | None:
    """Whether all best places after are above all before; None where they overlap."""
    if not before or not after:
        return None
    if min(after) > max(before):
        return True
    if max(after) < min(before):
        return False
    return None


def shrinks(before: dict[float, bool | None], after: dict[float, bool | None]) -> bool | None:
    """Whether places that pay are lost, and none is won; None where no place is sure to change."""
    both = before.keys() & after.keys()
    lost = any(before[x] and after[x] is False for x in both)
    won = any(after[x] and before[x] is False for x in both)
    return (lost and not won) if lost or won else None


@study.add_claim(
    "CP-6",
    "lowest threshold that is best for S4 at every load",
    PAPER.with_(psi=CONSTANT).without("load"),
)
def best_threshold_stays_with_the_load(runs: pd.DataFrame) -> Decision:
    """Judge 'increase in load however does not affect the optimal thres value' (Figure 4)."""
    lines = lines_of(against_itself(runs), "load")
    if len(lines) < 2:
        raise NotRunError(f"runs have {len(lines)} loads with several thresholds; run two or more")
    every = {load: line_of(line) for load, line in lines.items()}
    same, shared = same_best(every.values(), "S4")
    best = {load: best_places(line, "S4") for load, line in every.items()}
    told = "; ".join(f"load {load:g}: {_named(places)}" for load, places in best.items())
    note = f"best thresholds, which are not seen to differ: {told}"
    return Decision(min(shared, default=None), {"the same at every load": same}, note)


def _named(places: Sequence[float]) -> str:
    """Return thresholds as text."""
    return ", ".join(f"{place:g}" for place in places) or "none"


def same_best(lines: Iterable[Line], group: str) -> tuple[bool | None, set[float]]:
    """Whether lines share some best place, and which; None where all best are not well inside."""
    lines = list(lines)
    best = [set(best_places(line, group)) for line in lines]
    known = [each for each in best if each]
    if len(known) < 2:
        return None, set()
    shared, every = set.intersection(*known), set.union(*known)
    is_inside = not every & {min(lines[0]), max(lines[0])}
    if shared and not (len(every) <= NARROW and is_inside):
        return None, shared
    return bool(shared), shared


@study.add_claim(
    "CP-12",
    "least rise of the response time of S4 from one load to the next",
    PAPER.with_(psi=CONSTANT).without("load"),
)
def responses_rise_with_the_load(runs: pd.DataFrame) -> Decision:
    """Judge 'an increase in load leads to a poorer performance' (section 7.3)."""
    lines = [line_of(line) for line in lines_of(against_itself(runs), "load").values()]
    if len(lines) < 2:
        raise NotRunError("runs have no two loads with two splitting thresholds or more")
    steps = [
        (busier[place].response["S4"] - less_busy[place].response["S4"]).interval
        for less_busy, busier in pairwise(lines)
        for place in places_known_in(less_busy, busier)
    ]
    return Decision(least(steps) if steps else None, {"later": all_above(steps, 0)})


def places_known_in(*lines: Line) -> list[float]:
    """Return the places of the first line at which none of the lines saturates."""
    return [
        place
        for place in lines[0]
        if all(place in line and not line[place].saturated for line in lines)
    ]


# --- Section 8: penalties that differ ---


@study.add_claim(
    "CP-7",
    "most that a group responds later with spread penalties, as a ratio",
    PAPER.with_(psi=CONSTANT).without("spread"),
)
def spread_penalties_are_worse(runs: pd.DataFrame) -> Decision:
    """Judge 'more dispersion in ψ leads to poor performance', of all groups (Figure 5)."""
    pairs = against_same_penalty(pick(runs, spread=(SPREAD, 0.0)))
    if not pairs:
        raise NotRunError("no run has drawn penalties beside the same for all")
    means = {}
    for group in GROUPS:
        ratios = [ratio(pair.split, pair.other, group) for pair in pairs]
        means[group] = mean_of(ratios)
    known = [found for found in means.values() if found]
    decides = max(known, key=lambda found: found.high, default=None)
    most_later = decides.high - 1 if decides else np.nan
    parts = {f"{group} later": is_above(found, 1) for group, found in means.items()}
    note = f"no group later by more than {most_later:.1%}; mean over the thresholds"
    return Decision(decides, parts, note)


def mean_of(samples: Iterable[Replications | None]) -> Interval | None:
    """Return the mean of those samples that there are, run by run; None where there are none."""
    known = [sample for sample in samples if sample is not None]
    if not known:
        return None
    warning = next((sample.warning for sample in known if sample.warning), "")
    return Replications(np.mean([sample.values for sample in known], axis=0), warning).interval


@study.add_claim(
    "CP-10",
    "response of the stream with spread penalties over that with one for all",
    PAPER.with_(psi=CONSTANT).without("spread"),
)
def splitting_is_less_viable(runs: pd.DataFrame) -> Decision:
    """Judge 'not as viable as depicted' by studies that take one penalty for all (9)."""
    pairs = against_same_penalty(pick(runs, spread=(SPREAD, 0.0)))
    if not pairs:
        raise NotRunError("no run has drawn penalties beside the same for all")
    found = mean_of(ratio(pair.split, pair.other, STREAM) for pair in pairs)
    return Decision(found, {"the stream later": is_above(found, 1)}, "mean over the thresholds")


@study.add_claim(
    "CP-8",
    "response time of C4 less that of C1, over that of all split jobs",
    PAPER.with_(psi=CONSTANT, spread=SPREAD),
)
def own_penalty_matters_little(runs: pd.DataFrame) -> Decision:
    """Judge 'small deviations in performance of the different groups' (Figure 6)."""
    known = [pair.split for pair in against_itself(runs) if not pair.split.saturated]
    apart = mean_of((x.response["C4"] - x.response["C1"]) / x.response[ALL_SPLIT] for x in known)
    answer = SMALL.within(apart) if apart else None
    return Decision(apart, {"small": answer}, "mean over the thresholds")
