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
    all_of,
    difference,
    furthest,
    groups_of,
    least,
    most,
    pick,
    ratio,
    sample,
)
from studies.cut_offs import Asked, Part
from studies.ledger import Decision, judge_number, not_on_stand_in
from studies.maximal_utilization.figures import (
    ALMOST,
    HALF,
    LARGE,
    MUCH,
    ONLY,
    ROUGHLY,
    VERY_LARGE,
    best_method,
)
from studies.maximal_utilization.model import (
    ALIKE,
    ARRIVALS,
    AT_ONCE,
    CALM,
    CTC,
    DAS1,
    DEPENDENT,
    DOUBLINGS,
    EXAMPLE,
    EXCEPTION,
    EXPONENTIAL,
    FIRST,
    FIVE,
    HEAVY,
    INDEPENDENT,
    LOG,
    ORDERED,
    PATHOLOGICAL_CLUSTERS,
    PRINTED,
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
from studies.maximal_utilization.tables import VALUE
from studies.printed_losses import ROUNDING
from studies.published import Claim, published_claim
from studies.shares import Share, agreed, answer_in_words, in_words
from studies.study import PaperSetting, logs_missing_in

#: The paper's standard case (section 7). If the runs have other values too, the claims are also
#: tested at these.
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
        losses = [sample(here, VALUE, cluster_size=size).mean for size in DOUBLINGS]
        gaps = pathological_limit(clusters) - np.array(losses)
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
    """Judge that 'the job-size distribution' in a slot is 'the general' one.

    Equation (4) assumes this, so its loss must agree with the simulated loss.
    """
    off = {}
    for sizes, part in groups_of(runs, ["sizes"]):
        printed = sample(part, VALUE, method=PRINTED).mean
        off[sizes["sizes"]] = sample(part, VALUE, method=HEAVY).interval.plus(-printed)
    parts = {f"right for {name}": loss.between(-ROUNDING, ROUNDING) for name, loss in off.items()}
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
    """Judge 'except for D(0.894), roughly speaking, the capacity loss is cut in half'.

    The claim is about the step from ordered to unordered requests.
    """
    best = best_method(runs)
    pair = {"request": UNORDERED}, {"request": ORDERED}
    left = {sizes: ratio(pick(best, sizes=sizes), VALUE, *pair).interval for sizes in FIVE}
    exception = left.pop(EXCEPTION)
    parts = {f"all but {EXCEPTION}": ROUGHLY.beyond(exception, HALF)}
    parts |= {sizes: ROUGHLY.within(found, HALF) for sizes, found in left.items()}
    return Decision(most(left.values()), parts)


@study.add_claim("MU-6", f"dependent less independent loss, {EXCEPTION}", PAPER.without("drawn"))
def dependent_sizes_lose_more_but_once(runs: pd.DataFrame) -> Decision:
    """Judge 'dependent component sizes lead to poorer performance', except for D(0.894)."""
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
    ranges = {", ".join(group): range_of_losses(runs, group) for group in ALIKE}
    parts = {f"{names} lose the same": ONLY.within(found) for names, found in ranges.items()}
    small, large = ALIKE[0][0], ALIKE[1][0]
    parts["another mean, another loss"] = ONLY.above(range_of_losses(runs, (small, large)))
    for group in ALIKE:
        means = [parse_sizes(sizes).mean for sizes in group]
        over = Interval.exact(max(means) / min(means) - 1)
        parts[f"means of {', '.join(group)} (Table 5)"] = ALMOST.within(over)
    return Decision(most(ranges.values()), parts)


def range_of_losses(runs: pd.DataFrame, group: Sequence[str]) -> Interval:
    """Return the largest minus the smallest loss among several size distributions."""
    return largest_less_smallest([sample(runs, VALUE, sizes=sizes) for sizes in group]).interval


def largest_less_smallest(samples: Iterable[Replications]) -> Replications:
    """Return the sample with the largest mean minus that with the smallest."""
    lowest, *_, highest = sorted(samples, key=lambda values: values.mean)
    return highest - lowest


@study.add_claim(
    "MU-14",
    "smallest step between sizes of which one statistic is larger",
    PAPER.without("request", "method"),
)
def larger_sizes_lose_more(runs: pd.DataFrame) -> Decision:
    """Judge 'when the mean, the coefficient of variation, or the maximum [...] is larger'.

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
        f"a larger {name} alone": share_of(partial(exceeds_in, name))
        for name in size_statistics(FIVE[0])
    }
    together = share_of(is_larger)
    readings = {
        "each of the three alone": all_of(*(share.answer for share in alone.values())),
        "the three together": together.answer,
    }
    note = "; ".join(f"{words}: {answer_in_words(found)}" for words, found in readings.items())
    shares = alone | {"larger in one of the three and smaller in none": together}
    note += f". {in_words(shares, 'pairs of sizes and requests')}"
    decides = least(
        step
        for (a, b, _), step in steps.items()
        if any(exceeds_in(name, a, b) for name in size_statistics(FIVE[0]))
    )
    return Decision(decides, {"larger sizes lose more": agreed(readings.values())}, note)


def step_between(runs: pd.DataFrame, smaller: str, larger: str, request: str) -> Interval:
    """Return the loss with the larger sizes minus the loss with the smaller sizes."""
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
    """Return whether a value is larger than another, and the two are not 'almost identical'."""
    return larger > smaller * (1 + ALMOST.value)


def exceeds_in(name: str, smaller: str, larger: str) -> bool:
    """Return whether one of the `size_statistics` is larger for one distribution than another."""
    return exceeds(size_statistics(smaller)[name], size_statistics(larger)[name])


def is_larger(smaller: str, larger: str) -> bool:
    """Return whether one size distribution is larger than another.

    It is larger if it has at least one of the `size_statistics` larger and none smaller.
    """
    names = size_statistics(smaller)
    some = any(exceeds_in(name, smaller, larger) for name in names)
    return some and not any(exceeds_in(name, larger, smaller) for name in names)


@study.add_claim("MU-8", "largest change of the loss", PAPER.without("request", "service"))
def service_times_change_little(runs: pd.DataFrame) -> Decision:
    """Judge that the service times have not 'a large impact on the capacity loss'.

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
    part: dict[str, Part] = {"of all five sizes": _small_for_all_sizes(wild)}
    return Decision(furthest(wild.values()), part, shown)


def _estimate(change: Interval) -> float:
    return change.estimate


def _small_for_all_sizes(changes: Mapping[tuple[str, str, str], Interval]) -> Asked:
    """Return a test of whether the changes of the loss are small for each size distribution."""
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
    """Return the ordered and unordered runs with one of the paper's five size distributions."""
    return pick(runs, sizes=FIVE, request=(ORDERED, UNORDERED))


def changes_by_service(
    runs: pd.DataFrame, calm: str = CALM
) -> Iterator[tuple[tuple[str, str, str], Interval]]:
    """Yield the relative change of the loss from constant to other service times.

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
    "MU-16", "largest change of the loss, sizes that fit", PAPER.without("request", "service")
)
def service_times_change_little_in_the_example(runs: pd.DataFrame) -> Decision:
    """Judge that the service times have not 'a large impact' in the paper's one example.

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
        return Decision(None, {}, lost="none of the five sizes has the four printed losses")
    changes = {
        key: change
        for key, change in changes_by_service(pick(in_paper, sizes=tuple(fitting)))
        if key[2] == WILD
    }
    parts = {
        f"{sizes} {request} {change.estimate:+.0%}": LARGE.within(change)
        for (sizes, request, _), change in changes.items()
    }
    return Decision(furthest(changes.values()), parts, f"sizes that fit: {', '.join(fitting)}")


def may_be_the_example(runs: pd.DataFrame, printed: Sequence[float]) -> bool:
    """Return whether single runs with these sizes may give the example's four printed losses.

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


def numbers_of(claim: Claim, count: int) -> list[float]:
    """Return the numbers that a claim prints, which ``claims.csv`` separates by semicolons.

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
    """Return the sentence that asks the user to type in numbers that our copy of the paper lost."""
    return (
        f"our copy of the paper lost {what}; type them into the column number of {item} in "
        "data/published/claims.csv, separated by semicolons, and judge again"
    )


@study.add_claim(
    "MU-13",
    "what sizes change less what service times change, unordered",
    PAPER.without("request", "service"),
)
def sizes_matter_more(runs: pd.DataFrame) -> Decision:
    """Judge 'the job-size distribution is more critical [...] than the service-time distribution'.

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
        points = f"{request}: sizes change the loss by {100 * more.mean:+.0f} points more"
        parts |= {points: more.interval.above(0), f"{points}, much": MUCH.above(more.interval)}
        standard = over_sizes[EXPONENTIAL]
        for sizes, over_times_of_one in over_times.items():
            elsewhere[f"{sizes} {request}"] = (standard - over_times_of_one).interval.above(0)
    smaller = [words for words, found in elsewhere.items() if found is False]
    note = f"for single sizes it is the other way round at {', '.join(smaller)}" if smaller else ""
    return Decision(more.interval, parts, note, elsewhere)


#: Three service-time distributions, from constant to the most variable.
THREE_TIMES = (CALM, EXPONENTIAL, WILD)


def ranges_of_losses(runs: pd.DataFrame, by: str, over: str) -> dict[str, Replications]:
    """Return the range of the losses over one column, for each value of another column.

    The range is the largest minus the smallest loss, for each replication.
    """
    return {
        setting[by]: largest_less_smallest(
            [sample(rows, VALUE) for _, rows in groups_of(here, [over])]
        )
        for setting, here in groups_of(runs, [by])
    }


def mean_of(samples: Iterable[Replications]) -> Replications:
    """Return the mean of several samples, taken for each replication."""
    found = list(samples)
    total = sum((values.values for values in found[1:]), found[0].values)
    warnings = [values.warning for values in found if values.warning]
    return Replications(total / len(found), "; ".join(dict.fromkeys(warnings)))


# --- Section 7.2 ---


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
    "DAS1 less CTC loss, total requests",
    PaperSetting(fixed={"kind": OF_LOG}),
)
def two_logs_lose_alike(runs: pd.DataFrame) -> Decision:
    """Report why 'the capacity losses for the two logs are similar' cannot be tested.

    The log of DAS1 is not public, and no claim of a paper is judged on a stand-in for a log. The
    note gives the difference that we measured with the stand-in.
    """
    if LOG in logs_missing_in(runs):
        return Decision(None, {}, lost=not_on_stand_in(LOG).note)
    differences = []
    for request in (TOTAL, UNORDERED):
        here = pick(runs, request=request)
        das1 = sample(here, VALUE, log=DAS1)
        for ctc in CTC:
            more = das1.less_unpaired(sample(here, VALUE, log=ctc))
            differences.append(f"{request}, {ctc} {100 * more.estimate:+.0f} points")
    lost = "the log of DAS1 is not public; a stand-in with its published moments loses more by"
    return Decision(None, {}, lost=f"{lost}: {'; '.join(differences)}")


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
    """Judge that overtaking gains less capacity if requests leave the scheduler more freedom."""
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
