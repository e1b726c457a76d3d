"""Test the paper's claims about the capacity loss, and one claim of our own."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    difference,
    groups_of,
    pick,
    ratio,
    sample,
)
from studies.claim import PaperSetting
from studies.cut_offs import Asked, Part
from studies.extremes import furthest, least, most
from studies.ledger import Decision, judge_number
from studies.logic import all_of
from studies.maximal_utilization.figures import (
    ALMOST,
    HALF,
    LARGE,
    MUCH,
    ONLY,
    ROUGHLY,
    best_method,
)
from studies.maximal_utilization.model import (
    ALIKE,
    ARRIVALS,
    AT_ONCE,
    CALM,
    DEPENDENT,
    DOUBLINGS,
    EXAMPLE,
    EXCEPTION,
    EXPONENTIAL,
    FIVE,
    HEAVY,
    INDEPENDENT,
    ORDERED,
    PATHOLOGICAL_CLUSTERS,
    PRINTED,
    STANDARD,
    TOTAL,
    UNORDERED,
    WILD,
    pathological_limit,
)
from studies.maximal_utilization.runs import (
    LOSS,
    OF_SLOTS,
    PATHOLOGICAL,
    study,
)
from studies.maximal_utilization.tables import VALUE
from studies.printed_losses import ROUNDING
from studies.published import PublishedClaim, published_claim
from studies.shares import Share, agreed, answer_in_words, in_words

#: The paper's standard setting (section 7), at which each claim is judged. If there are runs at
#: other settings, each claim is also tested on them.
PAPER = PaperSetting(varied=STANDARD, fixed={"kind": LOSS})


# --- Section 3 ---


@study.add_claim(
    "MU-1",
    f"limit minus capacity loss at N = {DOUBLINGS[-1]}, the largest over the numbers of clusters C",
    PaperSetting(fixed={"kind": PATHOLOGICAL}),
)
def pathological_example_has_its_limit(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the pathological example on C clusters loses nearly (2C - 1)/2C.

    The paper says that the loss 'is close to (2C - 1)/2C for large N'.
    """
    parts, last = {}, 0.0
    for clusters in PATHOLOGICAL_CLUSTERS:
        here = pick(runs, clusters=clusters)
        losses = [sample(here, VALUE, cluster_size=size).mean for size in DOUBLINGS]
        gaps = pathological_limit(clusters) - np.array(losses)
        halves = bool(np.allclose(gaps[1:] / gaps[:-1], 0.5, atol=0.05))
        parts[f"with C = {clusters}, the gap to the limit halves when N doubles"] = halves
        last = max(last, float(np.abs(gaps[-1])))
    return Decision(last, parts)


# --- Section 4.1 ---


@study.add_claim(
    "MU-17",
    "simulated loss minus the loss by equation (4), the one furthest from 0 over the size "
    "distributions",
    PaperSetting(fixed={"kind": OF_SLOTS}),
)
def equation_four_gives_the_loss_with_slots(runs: pd.DataFrame) -> Decision:
    """Judge the claim that running jobs have the same size distribution as all jobs.

    The paper says that 'the job-size distribution' in a slot is 'the general' one.

    Equation (4) assumes this, so its loss must agree with the simulated loss.
    """
    off = {}
    for sizes, part in groups_of(runs, ["sizes"]):
        printed = sample(part, VALUE, method=PRINTED).mean
        off[sizes["sizes"]] = sample(part, VALUE, method=HEAVY).interval.plus(-printed)
    parts = {
        f"equation (4) agrees for {name}": loss.between(-ROUNDING, ROUNDING)
        for name, loss in off.items()
    }
    return Decision(furthest(off.values()), parts)


# --- Section 7.1 ---


@study.add_claim(
    "MU-4",
    "capacity loss of one request type minus that of the next freer type, the smallest over "
    "sizes and types",
    PAPER.without("request", "method"),
)
def loss_falls_with_freer_requests(runs: pd.DataFrame) -> Decision:
    """Judge the claim that ordered requests lose the most capacity and total requests the least.

    The paper says that the loss 'decreases when going from ordered to unordered [...] to total'.
    """
    best = best_method(runs)
    steps: list[Interval] = []
    parts: dict[str, Part] = {}
    for sizes in FIVE:
        here = pick(best, sizes=sizes)
        below = difference(here, VALUE, {"request": ORDERED}, {"request": UNORDERED}).interval
        above = difference(here, VALUE, {"request": UNORDERED}, {"request": TOTAL}).interval
        parts |= {
            f"{sizes}: unordered below ordered": below.above(0),
            f"{sizes}: unordered above total": above.above(0),
        }
        steps += [below, above]
    return Decision(least(steps), parts)


@study.add_claim(
    "MU-5",
    f"unordered loss divided by ordered loss, the largest over the sizes except {EXCEPTION}",
    PAPER.without("request", "method"),
)
def loss_is_halved_but_once(runs: pd.DataFrame) -> Decision:
    """Judge the claim that unordered requests lose about half as much capacity as ordered ones.

    The paper says: 'except for D(0.894), roughly speaking, the capacity loss is cut in half'.

    The claim is about the step from ordered to unordered requests.
    """
    best = best_method(runs)
    pair = {"request": UNORDERED}, {"request": ORDERED}
    left = {sizes: ratio(pick(best, sizes=sizes), VALUE, *pair).interval for sizes in FIVE}
    exception = left.pop(EXCEPTION)
    parts = {f"{EXCEPTION} is an exception": ROUGHLY.beyond(exception, HALF)}
    parts |= {sizes: ROUGHLY.within(found, HALF) for sizes, found in left.items()}
    return Decision(most(left.values()), parts)


@study.add_claim(
    "MU-6",
    f"loss with dependent sizes minus loss with independent sizes, for {EXCEPTION}",
    PAPER.without("drawn"),
)
def dependent_sizes_lose_more_but_once(runs: pd.DataFrame) -> Decision:
    """Judge the claim that dependent component sizes lose more capacity than independent sizes.

    The paper says: 'dependent component sizes lead to poorer performance', except for D(0.894).
    """
    pair = {"drawn": DEPENDENT}, {"drawn": INDEPENDENT}
    change = {sizes: difference(pick(runs, sizes=sizes), VALUE, *pair).interval for sizes in FIVE}
    exception = change.pop(EXCEPTION)
    parts = {
        f"{sizes}: dependent sizes lose more": found.above(0) for sizes, found in change.items()
    }
    parts[f"{EXCEPTION}: dependent sizes lose less"] = exception.below(0)
    return Decision(exception, parts)


@study.add_claim(
    "MU-7",
    "largest minus smallest loss among dependent sizes with the same mean, the larger of "
    "two groups",
    PAPER.with_(drawn=DEPENDENT).fixing("request", "method", "service", "policy", "placement"),
)
def only_the_mean_matters_if_dependent(runs: pd.DataFrame) -> Decision:
    """Judge the claim that, for dependent sizes, only the mean size affects the capacity loss.

    The paper says: 'for dependent component sizes, only the mean, and not the distribution,
    matters'.
    """
    ranges = {", ".join(group): range_of_losses(runs, group) for group in ALIKE}
    parts = {f"{names} lose the same": ONLY.within(found) for names, found in ranges.items()}
    small, large = ALIKE[0][0], ALIKE[1][0]
    parts["sizes with different means lose different amounts"] = ONLY.above(
        range_of_losses(runs, (small, large))
    )
    for group in ALIKE:
        means = [parse_sizes(sizes).mean for sizes in group]
        over = Interval.exact(max(means) / min(means) - 1)
        parts[f"{', '.join(group)} have almost the same mean (Table 5)"] = ALMOST.within(over)
    return Decision(most(ranges.values()), parts)


def range_of_losses(runs: pd.DataFrame, group: Sequence[str]) -> Interval:
    """Return the largest minus the smallest capacity loss among several size distributions."""
    return largest_less_smallest([sample(runs, VALUE, sizes=sizes) for sizes in group]).interval


def largest_less_smallest(samples: Iterable[Replications]) -> Replications:
    """Return the sample with the largest mean minus the sample with the smallest mean.

    Raises `NotRunError` if there are fewer than two samples.
    """
    by_mean = sorted(samples, key=lambda values: values.mean)
    if len(by_mean) < 2:
        raise NotRunError("the claim compares several losses, and only one was run")
    return by_mean[-1] - by_mean[0]


@study.add_claim(
    "MU-14",
    "loss of the larger sizes minus loss of the smaller sizes, the smallest over all pairs",
    PAPER.without("request", "method"),
)
def larger_sizes_lose_more(runs: pd.DataFrame) -> Decision:
    """Judge the claim that larger components increase the capacity loss (section 7.1).

    The paper says: 'when the mean, the coefficient of variation, or the maximum [...] is larger'.

    According to the paper, the capacity loss of larger sizes is then larger too. There are two
    readings, because the paper adds that 'these are not independent'. Each of the three may be
    meant alone, whatever the other two are. Or they may be meant together: at least one of the
    three is larger, and none is smaller. The claim is undecided if the readings disagree. With the
    paper's five sizes not all pairs can agree in the first reading, because some sizes have a
    larger mean and a smaller coefficient of variation than others.
    """
    best = best_method(runs)
    steps = {
        (smaller, larger, request): step_between(best, smaller, larger, request)
        for smaller, larger in permutations(FIVE, 2)
        for request in (ORDERED, UNORDERED, TOTAL)
    }

    def share_of(is_above: Callable[[str, str], bool]) -> Share:
        return Share.of(step.above(0) for (a, b, _), step in steps.items() if is_above(a, b))

    alone = {
        f"only the {name} must be larger": share_of(partial(exceeds_in, name))
        for name in size_statistics(FIVE[0])
    }
    together = share_of(is_larger)
    readings = {
        "each of the three statistics on its own": all_of(
            *(share.answer for share in alone.values())
        ),
        "all three together": together.answer,
    }
    note = "; ".join(f"{words}: {answer_in_words(found)}" for words, found in readings.items())
    shares = alone | {"at least one of the three must be larger and none smaller": together}
    note += f". {in_words(shares, 'pairs of sizes and requests')}"
    decides = least(
        step
        for (a, b, _), step in steps.items()
        if any(exceeds_in(name, a, b) for name in size_statistics(FIVE[0]))
    )
    return Decision(decides, {"larger sizes lose more": agreed(readings.values())}, note)


def step_between(runs: pd.DataFrame, smaller: str, larger: str, request: str) -> Interval:
    """Return the capacity loss with larger component sizes minus the loss with smaller ones."""
    here = pick(runs, request=request)
    return difference(here, VALUE, {"sizes": larger}, {"sizes": smaller}).interval


def size_statistics(sizes: str) -> dict[str, float]:
    """Return the mean, the coefficient of variation and the maximum of a size distribution.

    The paper compares size distributions by these three.
    """
    distribution = parse_sizes(sizes)
    return {
        "mean": distribution.mean,
        "cv": distribution.cv,
        "maximum": float(distribution.maximum),
    }


def exceeds(smaller: float, larger: float) -> bool:
    """Return whether one number is larger than another, and the two are not 'almost identical'."""
    return larger > smaller * (1 + ALMOST.value)


def exceeds_in(name: str, smaller: str, larger: str) -> bool:
    """Return whether the second of two size distributions has, for example, the larger mean."""
    return exceeds(size_statistics(smaller)[name], size_statistics(larger)[name])


def is_larger(smaller: str, larger: str) -> bool:
    """Return whether the second of two size distributions is larger than the first.

    It is larger if it has at least one of the `size_statistics` larger and none smaller.
    """
    names = size_statistics(smaller)
    some = any(exceeds_in(name, smaller, larger) for name in names)
    return some and not any(exceeds_in(name, larger, smaller) for name in names)


@study.add_claim(
    "MU-8",
    "relative change of the loss from constant to the most variable service times, the largest",
    PAPER.without("request", "service"),
)
def service_times_change_little(runs: pd.DataFrame) -> Decision:
    """Judge the claim that service times do not have 'a large impact on the capacity loss'.

    The paper does not say for which sizes it claims this. The claim is therefore tested for each of
    the five size distributions, and it is undecided unless all five give the same answer. The note
    also tells the changes with less variable service times, and from constant service times after
    which all jobs depart at once.
    """
    in_paper = with_sizes_of_paper(runs)
    changes = dict(changes_by_service(in_paper))
    wild = {key: change for key, change in changes.items() if key[2] == WILD}
    if not wild:
        raise NotRunError(f"no run has service = {WILD}")
    shown = "; ".join(
        f"{sizes} {request} {change.estimate:+.0%}" for (sizes, request, _), change in wild.items()
    )
    at_once = dict(changes_by_service(in_paper, AT_ONCE))
    others = {
        **{service: changes for _, _, service in changes if service != WILD},
        f"{WILD}, from {AT_ONCE}": at_once,
    }
    for words, found in others.items():
        service = words.partition(", from ")[0]
        by_sizes = [change for key, change in found.items() if key[2] == service]
        if by_sizes:
            ends = min(by_sizes, key=_estimate), max(by_sizes, key=_estimate)
            shown += f"; {words}: {' to '.join(f'{end.estimate:+.0%}' for end in ends)}"
    part: dict[str, Part] = {
        "the change is small for all five size distributions": _small_for_all_sizes(wild)
    }
    return Decision(furthest(wild.values()), part, shown)


def _estimate(change: Interval) -> float:
    return change.estimate


def _small_for_all_sizes(changes: Mapping[tuple[str, str, str], Interval]) -> Asked:
    by_sizes: dict[str, list[Interval]] = {}
    for (sizes, *_), change in changes.items():
        by_sizes.setdefault(sizes, []).append(change)

    def question(limit: float) -> bool | None:
        return agreed(
            all_of(*(change.between(-limit, limit) for change in of_one))
            for of_one in by_sizes.values()
        )

    return Asked(LARGE, question)


def with_sizes_of_paper(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with ordered or unordered requests and the paper's size distributions."""
    return pick(runs, sizes=FIVE, request=(ORDERED, UNORDERED))


def changes_by_service(
    runs: pd.DataFrame, calm: str = CALM
) -> Iterator[tuple[tuple[str, str, str], Interval]]:
    """Yield the relative change in capacity loss when service times are not constant.

    Parameters
    ----------
    runs : DataFrame
        Runs of several sizes, requests and service times.
    calm : str
        The constant service times to compare with: `CALM` or `AT_ONCE`.

    Yields
    ------
    tuple
        The sizes, the request and the service times, and the change as a share of the loss with
        constant service times.
    """
    for setting, here in groups_of(runs, ["sizes", "request"]):
        others = here["service"].unique()
        if calm not in others:
            continue
        base = sample(here, VALUE, service=calm).mean
        for service in others[~np.isin(others, (CALM, AT_ONCE))]:
            less = difference(here, VALUE, {"service": service}, {"service": calm})
            yield (setting["sizes"], setting["request"], service), (less / base).interval


@study.add_claim(
    "MU-16",
    "relative change of the loss from constant to the most variable service times, the "
    "largest over "
    "the sizes that the example may have",
    PAPER.without("request", "service"),
)
def service_times_change_little_in_the_example(runs: pd.DataFrame) -> Decision:
    """Judge the claim that service times hardly affect the loss in an example of the paper.

    The paper does not name the sizes of its example. The example's four losses, which are read from
    ``claims.csv``, show which of the five size distributions it may have.
    """
    printed = numbers_of(published_claim(study.name, "MU-16"), len(EXAMPLE))
    if not printed:
        order = "; ".join(" ".join(setting) for setting in EXAMPLE)
        return Decision(None, {}, lost=type_in("MU-16", f"the four losses ({order})"))
    in_paper = with_sizes_of_paper(runs)
    fitting = [size for size in FIVE if may_be_the_example(pick(in_paper, sizes=size), printed)]
    if not fitting:
        return Decision(
            None, {}, lost="none of the five size distributions gives the four printed losses"
        )
    changes = {
        key: change
        for key, change in changes_by_service(pick(in_paper, sizes=tuple(fitting)))
        if key[2] == WILD
    }
    parts = {
        f"{sizes} {request} {change.estimate:+.0%}": LARGE.within(change)
        for (sizes, request, _), change in changes.items()
    }
    return Decision(
        furthest(changes.values()), parts, f"the example may have the sizes {', '.join(fitting)}"
    )


def may_be_the_example(runs: pd.DataFrame, printed: Sequence[float]) -> bool:
    """Return whether simulated losses agree with those in the paper's example.

    `runs` are the runs with one size distribution.
    """
    for (request, service), loss in zip(EXAMPLE, printed, strict=True):
        of_one = pick(runs, request=request, service=service)
        losses = sample(of_one, VALUE)
        one_run = losses.prediction_of(ARRIVALS / of_one["row_jobs"].iloc[0])
        judged = judge_number(loss, losses.interval, one_run=one_run)
        if judged.verdict not in ("reproduced", "undecided"):
            return False
    return True


def numbers_of(claim: PublishedClaim, count: int) -> list[float]:
    """Parse the numbers in a row of ``claims.csv``, which are separated by semicolons.

    The list is empty if ``claims.csv`` has none, because our copy of the paper lost them. If there
    are any, but not exactly `count`, the function raises `InputError`.
    """
    texts = [text.strip() for text in claim.number.split(";") if text.strip()]
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        numbers = []
    if texts and len(numbers) != count:
        raise InputError(
            f"data/published/claims.csv, {claim.item}: number = {claim.number!r}; give {count} "
            "numbers, separated by semicolons, or leave it empty"
        )
    return numbers


def type_in(item: str, what: str) -> str:
    """Return a sentence asking the user to type in numbers that our copy of the paper lacks."""
    return (
        f"our copy of the paper lost {what}; type them into the column number of {item} in "
        "data/published/claims.csv, separated by semicolons, and judge again"
    )


@study.add_claim(
    "MU-13",
    "range of the loss over sizes minus its range over service times, unordered requests",
    PAPER.without("request", "service"),
)
def sizes_matter_more(runs: pd.DataFrame) -> Decision:
    """Judge the claim that job sizes affect the capacity loss more than service times do.

    The paper says: 'the job-size distribution is more critical [...] than the service-time
    distribution'.

    Section 7.1 says that 'the former is much more important than the latter'. The range of the
    losses over the five size distributions, averaged over three service-time distributions, must be
    much larger than the range over the three service-time distributions, averaged over the five
    size distributions. The answers elsewhere are for single size distributions, without 'much'.
    """
    in_paper = pick(with_sizes_of_paper(runs), service=THREE_TIMES)
    lacking = [service for service in THREE_TIMES if service not in {*in_paper["service"]}]
    if lacking:
        raise NotRunError(f"no run has service = {lacking[0]}")
    parts: dict[str, Part] = {}
    elsewhere: dict[str, Part] = {}
    for request in (ORDERED, UNORDERED):
        here = pick(in_paper, request=request)
        over_sizes = ranges_of_losses(here, "service", "sizes")
        over_times = ranges_of_losses(here, "sizes", "service")
        more = mean_of(over_sizes.values()) - mean_of(over_times.values())
        points = (
            f"{request} requests: the loss changes {100 * more.mean:+.0f} points more with the "
            "sizes"
        )
        parts |= {
            points: more.interval.above(0),
            f"{points}, which is 'much'": MUCH.above(more.interval),
        }
        standard = over_sizes[EXPONENTIAL]
        for sizes, over_times_of_one in over_times.items():
            elsewhere[f"{sizes} {request}"] = (standard - over_times_of_one).interval.above(0)
    smaller = [words for words, found in elsewhere.items() if found is False]
    note = (
        f"for these single sizes the service times matter more: {', '.join(smaller)}"
        if smaller
        else ""
    )
    return Decision(more.interval, parts, note, elsewhere)


#: The three service-time distributions that claim MU-13 compares, from constant to the most
#: variable.
THREE_TIMES = (CALM, EXPONENTIAL, WILD)


def ranges_of_losses(runs: pd.DataFrame, by: str, over: str) -> dict[str, Replications]:
    """Return the range of losses as column `over` varies, for each value of column `by`.

    The range is the largest minus the smallest loss, for each replication.
    """
    return {
        setting[by]: largest_less_smallest(
            [sample(rows, VALUE) for _, rows in groups_of(here, [over])]
        )
        for setting, here in groups_of(runs, [by])
    }


def mean_of(samples: Iterable[Replications]) -> Replications:
    """Average several quantities within each replication."""
    found = list(samples)
    if not found:
        raise NotRunError("no run has the losses whose mean the claim needs")
    total = sum((values.values for values in found[1:]), found[0].values)
    warnings = [values.warning for values in found if values.warning]
    return Replications(total / len(found), "; ".join(dict.fromkeys(warnings)))
