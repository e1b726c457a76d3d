"""What the paper says of the capacity loss, judged, and one claim of our own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd

from coalloc_lib.experiments import (
    NotRunError,
    difference,
    furthest,
    groups_of,
    least,
    most,
    pick,
    ratio,
    sample,
)
from coalloc_lib.intervals import Interval, Sample, all_of
from coalloc_lib.model.distributions import parse_sizes
from studies.cut_offs import Asked, Part
from studies.ledger import Decision, not_on_stand_in
from studies.maximal_utilization.figures import (
    ABOUT,
    ALMOST,
    HALF,
    LARGE,
    LEAST_GAIN,
    MUCH,
    ONLY,
    ROUGHLY,
    SIMILAR,
    VERY_LARGE,
    best_method,
)
from studies.maximal_utilization.model import (
    ALIKE,
    ARRIVALS,
    AT_HEAD,
    CALM,
    CTC,
    DAS,
    DEPENDENT,
    DOUBLINGS,
    EXAMPLE,
    EXCEPTION,
    EXPONENTIAL,
    FEW,
    FIRST,
    FIVE,
    HALF_WAY,
    HEAVY,
    INDEPENDENT,
    LOG,
    MANY,
    ORDERED,
    PATHOLOGICAL_CLUSTERS,
    POISSON,
    PRINTED,
    ROOM,
    STANDARD,
    TOTAL,
    UNORDERED,
    WHOLE,
    WILD,
    WITH_AND_WITHOUT,
    WORST,
    pathological_limit,
)
from studies.maximal_utilization.runs import (
    LOSS,
    OF_LOG,
    OF_SLOTS,
    PATHOLOGICAL,
    study,
)
from studies.maximal_utilization.statistics import (
    fits,
)
from studies.maximal_utilization.tables import VALUE
from studies.printed_losses import ROUNDING
from studies.study import PaperSetting, logs_missing_in

#: The paper's standard case (section 7). Where the runs have other values, claims are asked too.
PAPER = PaperSetting(varied=STANDARD, fixed={"kind": LOSS})


# --- Section 3 ---


@study.add_claim(
    "MU-1",
    f"largest gap to the limit at N = {DOUBLINGS[-1]}",
    PaperSetting(fixed={"kind": PATHOLOGICAL}),
)
def pathological_example_has_its_limit(runs: pd.DataFrame) -> Decision:
    """Judge that the loss 'is close to (2C - 1)/2C for large N'."""
    parts, last = {}, 0.0
    for clusters in PATHOLOGICAL_CLUSTERS:
        here = pick(runs, clusters=clusters)
        found = [sample(here, VALUE, cluster_size=size).mean for size in DOUBLINGS]
        gaps = pathological_limit(clusters) - np.array(found)
        halves = bool(np.allclose(gaps[1:] / gaps[:-1], 0.5, atol=0.05))
        parts[f"gap to the limit halves as N doubles, C = {clusters}"] = halves
        last = max(last, float(np.abs(gaps[-1])))
    return Decision(last, parts)


# --- Section 4.1 ---


@study.add_claim(
    "MU-17",
    "largest difference of the loss of equation (4) from the simulated loss",
    PaperSetting(fixed={"kind": OF_SLOTS}),
)
def equation_four_gives_the_loss_with_slots(runs: pd.DataFrame) -> Decision:
    """Judge that 'the job-size distribution' of a slot is 'the general' one, as (4) takes it."""
    off = {}
    for sizes, part in groups_of(runs, ["sizes"]):
        printed = sample(part, VALUE, method=PRINTED).mean
        off[sizes["sizes"]] = sample(part, VALUE, method=HEAVY).interval.plus(-printed)
    parts = {f"right for {name}": each.between(-ROUNDING, ROUNDING) for name, each in off.items()}
    return Decision(furthest(off.values()), parts)


# --- Section 7.1 ---


@study.add_claim("MU-4", "smallest step of the capacity loss", PAPER.without("request", "method"))
def loss_falls_with_freer_requests(runs: pd.DataFrame) -> Decision:
    """Judge that the loss 'decreases when going from ordered to unordered [...] to total'."""
    best = best_method(runs)
    steps: list[Interval] = []
    parts: dict[str, Part] = {}
    for sizes in FIVE:
        here = pick(best, sizes=sizes)
        below = difference(here, VALUE, {"request": ORDERED}, {"request": UNORDERED}).interval
        above = difference(here, VALUE, {"request": UNORDERED}, {"request": TOTAL}).interval
        parts |= {f"{sizes} below ordered": below.above(0), f"{sizes} above total": above.above(0)}
        steps += [below, above]
    return Decision(least(steps), parts)


@study.add_claim(
    "MU-5",
    "largest unordered over ordered loss, but the exception",
    PAPER.without("request", "method"),
)
def loss_is_halved_but_once(runs: pd.DataFrame) -> Decision:
    """Judge 'except for D(0.894), roughly speaking, the capacity loss is cut in half'."""
    best = best_method(runs)
    pair = {"request": UNORDERED}, {"request": ORDERED}
    left = {sizes: ratio(pick(best, sizes=sizes), VALUE, *pair).interval for sizes in FIVE}
    exception = left.pop(EXCEPTION)
    parts = {f"all but {EXCEPTION}": ROUGHLY.beyond(exception, HALF)}
    parts |= {sizes: ROUGHLY.within(found, HALF) for sizes, found in left.items()}
    return Decision(most(left.values()), parts)


@study.add_claim("MU-6", f"dependent less independent loss, {EXCEPTION}", PAPER.without("drawn"))
def dependent_sizes_lose_more_but_once(runs: pd.DataFrame) -> Decision:
    """Judge 'dependent component sizes lead to poorer performance', but for D(0.894)."""
    pair = {"drawn": DEPENDENT}, {"drawn": INDEPENDENT}
    change = {sizes: difference(pick(runs, sizes=sizes), VALUE, *pair).interval for sizes in FIVE}
    exception = change.pop(EXCEPTION)
    parts = {f"{sizes} worse": found.above(0) for sizes, found in change.items()}
    parts[f"{EXCEPTION} better"] = exception.below(0)
    return Decision(exception, parts)


@study.add_claim(
    "MU-7",
    "largest difference among equal means, dependent sizes",
    PAPER.with_(drawn=DEPENDENT).fixing("request", "method", "service", "policy", "placement"),
)
def only_the_mean_matters_if_dependent(runs: pd.DataFrame) -> Decision:
    """Judge 'for dependent component sizes, only the mean, and not the distribution, matters'."""
    apart = {", ".join(group): widest(runs, group) for group in ALIKE}
    parts = {f"{names} lose the same": ONLY.within(found) for names, found in apart.items()}
    small, large = ALIKE[0][0], ALIKE[1][0]
    parts["another mean, another loss"] = ONLY.above(widest(runs, (small, large)))
    for group in ALIKE:
        means = [parse_sizes(sizes).mean for sizes in group]
        over = Interval.exact(max(means) / min(means) - 1)
        parts[f"means of {', '.join(group)} (Table 5)"] = ALMOST.within(over)
    return Decision(most(apart.values()), parts)


def widest(runs: pd.DataFrame, group: Sequence[str]) -> Interval:
    """Return the largest less the smallest loss of several size distributions."""
    found = [sample(runs, VALUE, sizes=sizes) for sizes in group]
    lowest, *_, highest = sorted(found, key=_mean)
    return (highest - lowest).interval


def _mean(losses: Sample) -> float:
    return losses.mean


@study.add_claim(
    "MU-14",
    "smallest step between sizes that are alike or larger in all three",
    PAPER.without("request", "method"),
)
def larger_sizes_lose_more(runs: pd.DataFrame) -> Decision:
    """Judge 'when the mean, the coefficient of variation, or the maximum [...] is larger'.

    'These are not independent': it is asked of two distributions of which one has nothing smaller.
    By one of the three alone it is asked elsewhere.
    """
    best = best_method(runs)
    steps = {
        (smaller, larger, request): step_between(best, smaller, larger, request)
        for smaller, larger in permutations(FIVE, 2)
        for request in (ORDERED, UNORDERED, TOTAL)
    }
    parts = {
        f"{larger} above {smaller}, {request}": step.above(0)
        for (smaller, larger, request), step in steps.items()
        if is_larger(smaller, larger)
    }
    alone = {
        f"a larger {name} alone": all_of(
            *(
                step.above(0)
                for (smaller, larger, _), step in steps.items()
                if exceeds(size_statistics(smaller)[name], size_statistics(larger)[name])
            )
        )
        for name in size_statistics(FIVE[0])
    }
    decides = least(step for (a, b, _), step in steps.items() if is_larger(a, b))
    return Decision(decides, parts, elsewhere=alone)


def step_between(runs: pd.DataFrame, smaller: str, larger: str, request: str) -> Interval:
    """Return by how much more is lost with the larger sizes."""
    here = pick(runs, request=request)
    return difference(here, VALUE, {"sizes": larger}, {"sizes": smaller}).interval


def size_statistics(sizes: str) -> dict[str, float]:
    """Return what the paper compares size distributions by."""
    known = parse_sizes(sizes)
    return {"mean": known.mean, "cv": known.cv, "maximum": float(known.maximum)}


def exceeds(smaller: float, larger: float) -> bool:
    """Whether a figure is larger, by more than what is 'almost identical'."""
    return larger > smaller * (1 + ALMOST.value)


def is_larger(smaller: str, larger: str) -> bool:
    """Whether sizes exceed others in mean, cv or maximum, and in none fall short of them."""
    one, other = size_statistics(smaller), size_statistics(larger)
    some = any(exceeds(one[name], other[name]) for name in one)
    return some and not any(exceeds(other[name], one[name]) for name in one)


@study.add_claim("MU-8", "largest change of the loss", PAPER.without("request", "service"))
def service_times_change_little(runs: pd.DataFrame) -> Decision:
    """Judge that the service times have not 'a large impact on the capacity loss', for any sizes.

    The paper's one example is MU-16.
    """
    changes = dict(changes_by_service(of_known_sizes(runs)))
    wild: dict[str, Part] = {}
    calmer: dict[str, Part] = {}
    for (sizes, request, service), change in changes.items():
        answers = wild if service == WILD else calmer
        words = f"{sizes} {request}, {service} {change.estimate:+.0%}"
        answers[words] = LARGE.within(change)
    if not wild:
        raise NotRunError(f"no run has service = {WILD}")
    return Decision(furthest(changes.values()), wild, elsewhere=calmer)


def of_known_sizes(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of the paper's sizes, and of the requests of section 7.1."""
    return pick(runs, sizes=FIVE, request=(ORDERED, UNORDERED))


def changes_by_service(runs: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], Interval]]:
    """Yield sizes, request and service, and how much more is lost than with equal service times.

    A share of the loss with equal, or deterministic, ones.
    """
    for setting, here in groups_of(runs, ["sizes", "request"]):
        others = here["service"].unique()
        if CALM not in others:
            continue
        calm = sample(here, VALUE, service=CALM).mean
        for service in others[others != CALM]:
            less = difference(here, VALUE, {"service": service}, {"service": CALM})
            yield (setting["sizes"], setting["request"], service), (less / calm).interval


@study.add_claim(
    "MU-16", "largest change of the loss, sizes that fit", PAPER.without("request", "service")
)
def service_times_change_little_in_the_example(runs: pd.DataFrame) -> Decision:
    """Judge MU-8's sentence for the paper's one example, whose sizes it does not name.

    Its four losses leave as many characters in our text as those of some sizes may.
    """
    known = of_known_sizes(runs)
    left = [sizes for sizes in FIVE if may_be_the_example(pick(known, sizes=sizes))]
    changes = {
        words: change
        for words, change in changes_by_service(pick(known, sizes=tuple(left)))
        if words[2] == WILD
    }
    if not changes:
        return Decision(None, {}, lost="no sizes leave the characters that our text has")
    by_sizes: dict[str, list[Interval]] = {}
    for (sizes, *_), change in changes.items():
        by_sizes.setdefault(sizes, []).append(change)

    def little(limit: float) -> bool | None:
        return agreed(all_of(*(x.between(-limit, limit) for x in xs)) for xs in by_sizes.values())

    shown = "; ".join(
        f"{sizes} {request} {100 * change.estimate:+.0f} %"
        for (sizes, request, _), change in changes.items()
    )
    part = {f"whichever sizes they are: {', '.join(by_sizes)}": Asked(LARGE, little)}
    return Decision(furthest(changes.values()), part, shown)


def may_be_the_example(runs: pd.DataFrame) -> bool:
    """Whether one run of each of the four losses may leave the characters that our text has."""
    for (request, service), print_left in EXAMPLE.items():
        of_one = pick(runs, request=request, service=service)
        losses = sample(of_one, VALUE)
        if losses.warning:
            continue  # it tells nothing
        one_run = losses.prediction_of(ARRIVALS / of_one["row_jobs"].iloc[0])
        printed = np.arange(round(one_run.low, 3), one_run.high + ROUNDING, 0.001)
        if not any(fits(print_left, loss, 3) for loss in printed):
            return False
    return True


def agreed(answers: Iterable[bool | None]) -> bool | None:
    """Return the answer that all readings give; None where they differ."""
    found = set(answers)
    return found.pop() if len(found) == 1 else None


@study.add_claim(
    "MU-13",
    "what sizes change less what service times change, unordered",
    PAPER.without("request", "service"),
)
def sizes_matter_more(runs: pd.DataFrame) -> Decision:
    """Judge 'the job-size distribution is more critical [...] than the service-time distribution'.

    By how far apart losses are over the five size distributions, on average over three service-time
    distributions, and the other way round. Elsewhere: each size distribution by itself.
    """
    known = pick(of_known_sizes(runs), service=THREE_TIMES)
    lacking = [each for each in THREE_TIMES if each not in {*known["service"]}]
    if lacking:
        raise NotRunError(f"no run has service = {lacking[0]}")
    parts: dict[str, Part] = {}
    elsewhere: dict[str, Part] = {}
    for request in (ORDERED, UNORDERED):
        here = pick(known, request=request)
        by_sizes = spreads(here, "service", "sizes")
        by_times = spreads(here, "sizes", "service")
        more = mean_of(by_sizes.values()) - mean_of(by_times.values())
        parts[f"{request}: sizes change the loss by {100 * more.mean:+.0f} points more"] = (
            more.interval.above(0)
        )
        standard = by_sizes[EXPONENTIAL]
        for sizes, spread in by_times.items():
            elsewhere[f"{sizes} {request}"] = (standard - spread).interval.above(0)
    return Decision(more.interval, parts, elsewhere=elsewhere)


#: From equal service times to the most variable.
THREE_TIMES = (CALM, EXPONENTIAL, WILD)


def spreads(runs: pd.DataFrame, by: str, over: str) -> dict[str, Sample]:
    """Return, by one column, how far losses are apart over the other: largest less smallest."""
    found = {}
    for setting, here in groups_of(runs, [by]):
        losses = [sample(rows, VALUE) for _, rows in groups_of(here, [over])]
        lowest, *_, highest = sorted(losses, key=_mean)
        found[setting[by]] = highest - lowest
    return found


def mean_of(samples: Iterable[Sample]) -> Sample:
    """Return the mean of figures, replication by replication."""
    first, *others = found = [*samples]
    total = sum((each.values for each in others), first.values)
    doubts = [each.warning for each in found if each.warning]
    return Sample(total / len(found), "; ".join(dict.fromkeys(doubts)))


# --- Section 7.2 ---


@study.add_claim("MU-9", "smallest gain of MaxJumps 50", PAPER.without("policy", "method"))
def overtaking_gains(runs: pd.DataFrame) -> Decision:
    """Judge that MaxJumps 5 'does not improve performance by much', and 50 by ten points or more.

    A run begins with an empty queue, as nothing else is said. Elsewhere: from a long queue, with a
    queue that is held, and with jumps that count at the head of the queue alone.
    """
    gains = [gain_over_fcfs(runs, sizes, MANY, POISSON) for sizes in ROOM]
    others: dict[str, Part] = {}
    for method, policies in (
        (HALF_WAY, (FEW, MANY)), (HEAVY, (FEW, MANY)), (HEAVY, tuple(AT_HEAD)),
    ):  # fmt: skip
        if not pick(runs, method=method, policy=policies).empty:
            others |= gains_by_jumps(runs, method, *policies)
    note = "two digits of points are lost, none of them a 3: ten is the least they can be"
    return Decision(least(gains), gains_by_jumps(runs, POISSON, FEW, MANY), note, others)


def gains_by_jumps(runs: pd.DataFrame, method: str, few: str, many: str) -> dict[str, Part]:
    """Return whether five jumps gain little and fifty about ten points or more, by one method."""
    parts: dict[str, Part] = {}
    for sizes in ROOM:
        gain = gain_over_fcfs(runs, sizes, few, method)
        parts[f"{sizes}, {method}, {few} gains {100 * gain.estimate:.1f} points"] = MUCH.below(gain)
        gain = gain_over_fcfs(runs, sizes, many, method)
        words = f"{sizes}, {method}, {many} gains {100 * gain.estimate:.1f} points"
        parts[words] = about_as_much(gain)
    return parts


def about_as_much(gain: Interval) -> Asked:
    """Return whether a gain is about the least that the two lost digits can be, or more."""
    return Asked(ABOUT, lambda about: gain.above(LEAST_GAIN - about))


def gain_over_fcfs(runs: pd.DataFrame, sizes: str, policy: str, method: str) -> Interval:
    """Return by how much a policy loses less than FCFS; both methods have other random numbers."""
    fcfs = sample(runs, VALUE, sizes=sizes, policy="FCFS", method=HEAVY)
    other = sample(runs, VALUE, sizes=sizes, policy=policy, method=method)
    return fcfs.less_unpaired(other)


@study.add_claim("MU-10", "first less worst fit loss", PAPER.without("placement"))
def placement_changes_little(runs: pd.DataFrame) -> Decision:
    """Judge that between first and worst fit 'the difference in performance is not very large'."""
    pair = {"placement": FIRST}, {"placement": WORST}
    parts, changes = {}, []
    for sizes in FIVE:
        change = difference(pick(runs, sizes=sizes), VALUE, *pair).interval
        parts[f"{sizes} {100 * change.estimate:+.1f} points"] = VERY_LARGE.within(change)
        changes.append(change)
    note = "the paper of 2002 calls what may be the same difference 'much better' (CC-7)"
    return Decision(furthest(changes), parts, note)


# --- Section 7.3 ---


@study.add_claim(
    "MU-11",
    "largest DAS1 less CTC loss, total requests",
    PaperSetting(fixed={"kind": OF_LOG, "request": TOTAL}),
)
def two_logs_lose_alike(runs: pd.DataFrame) -> Decision:
    """Judge 'the capacity losses for the two logs are similar', for total requests.

    How often sizes of DAS1 are powers of two is ours, and moves unordered requests most. Which of
    the two DAS1 of Table 2 is drawn from, and whether CTC keeps its order, is not stated: it is so
    or not where it is so or not for all.
    """
    if LOG in logs_missing_in(runs):
        return Decision(None, {}, lost=not_on_stand_in(LOG).note)
    changes = {
        f"{das}, {ctc}": sample(runs, VALUE, log=das).less_unpaired(sample(runs, VALUE, log=ctc))
        for das in DAS
        for ctc in CTC
    }

    def similar(limit: float) -> bool | None:
        return agreed(change.between(-limit, limit) for change in changes.values())

    part: Mapping[str, Part] = {"total requests, whichever logs are meant": Asked(SIMILAR, similar)}
    pairs = {
        f"{logs} {100 * change.estimate:+.0f} points": SIMILAR.within(change)
        for logs, change in changes.items()
    }
    note = "unordered requests: cannot be tested on a stand-in for DAS1"
    return Decision(furthest(changes.values()), part, note, pairs)


# --- Section 7.4 ---


@study.add_claim("MU-12", "loss of one component less that of four", PAPER.without("request"))
def co_allocation_helps(runs: pd.DataFrame) -> Decision:
    """Judge 'spreading requests over multiple clusters brings better performance'."""
    here = pick(runs, sizes=WITH_AND_WITHOUT)
    change = difference(here, VALUE, {"request": WHOLE}, {"request": UNORDERED}).interval
    return Decision(change, {"one component loses more": change.above(0)})


# --- Our own ---


@study.add_claim(
    "HO-1",
    "capacity that fifty jumps gain with one request less that with the next freer one, smallest",
    PAPER.without("request", "policy"),
)
def a_hole_is_filled_once(runs: pd.DataFrame) -> Decision:
    """Judge that overtaking gains less, the freer the request."""
    here = pick(runs, sizes=FIVE[0])
    pair = {"policy": "FCFS"}, {"policy": "FPFS(50)"}
    gains = {
        request: difference(pick(here, request=request), VALUE, *pair)
        for request in (ORDERED, UNORDERED, TOTAL)
    }
    first = (gains[ORDERED] - gains[UNORDERED]).interval
    second = (gains[UNORDERED] - gains[TOTAL]).interval
    parts = {"ordered more than unordered": first.above(0)}
    parts["unordered more than split as it fits"] = second.above(0)
    return Decision(least([first, second]), parts)
