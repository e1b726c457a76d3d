"""What the paper says of the capacity loss, judged, and one claim of our own."""

from collections.abc import Iterator, Sequence

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
from coalloc_lib.intervals import Interval, Sample, not_
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.studies.ledger import Decision, Row, not_on_stand_in
from coalloc_lib.studies.maximal_utilization.figures import (
    ABOUT_TEN,
    HALVED,
    LITTLE,
    SAME,
    SMALL_CHANGE,
    best_method,
)
from coalloc_lib.studies.maximal_utilization.model import (
    ALIKE,
    CALM,
    DAS1,
    DEPENDENT,
    DOUBLINGS,
    DRAWN,
    EXCEPTION,
    FIRST,
    FIVE,
    HEAVY,
    IN_ORDER,
    INDEPENDENT,
    LOG,
    ORDERED,
    PATHOLOGICAL_CLUSTERS,
    POISSON,
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
from coalloc_lib.studies.maximal_utilization.runs import LOSS, OF_LOG, PATHOLOGICAL, study
from coalloc_lib.studies.printed_losses import ROUNDING, printed_rows
from coalloc_lib.studies.published import PRINTED
from coalloc_lib.studies.study import PaperSetting, logs_missing_in

#: The paper's standard case (section 7). Where the runs have other values, claims are asked too.
PAPER = PaperSetting(varied=STANDARD, fixed={"kind": LOSS})
#: What is measured.
VALUE = "capacity_loss"


@study.add_numbers
def printed_losses(runs: pd.DataFrame) -> Iterator[Row]:
    """Judge every cell of Tables 3 and 4."""
    return printed_rows(study.name, runs)


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


# --- Section 6 ---

TABLES = PaperSetting(fixed={"kind": PRINTED})


@study.add_claim("MU-2", "simulated less exact loss, average of ordered cells", TABLES)
def exact_and_simulated_agree(runs: pd.DataFrame) -> Decision:
    """Judge that exact and simulated losses of one cluster and of ordered jobs 'agree'."""
    averages: dict[str, Interval] = {}
    parts: dict[str, bool | None] = {}
    for request in (TOTAL, ORDERED):
        apart, limit = simulated_less_known(runs, "exact", request)
        averages[request] = average(apart)
        answers = agreement(apart, limit)
        parts |= {f"{request}: {part}": answer for part, answer in answers.items()}
    return Decision(averages[ORDERED], parts)


@study.add_claim("MU-3", "simulated less approximate loss, average of cells", TABLES)
def approximation_is_reasonable(runs: pd.DataFrame) -> Decision:
    """Judge 'the match of the approximation and simulations [...] is quite reasonable'."""
    apart, limit = simulated_less_known(runs, "approximation", UNORDERED)
    below = sum(less.estimate > 0 for less in apart)
    note = f"the approximation is below the simulation in {below} of {len(apart)} cells"
    return Decision(average(apart), agreement(apart, limit), note)


def simulated_less_known(
    runs: pd.DataFrame, method: str, request: str
) -> tuple[list[Interval], float]:
    """Return by cell the simulated less the calculated loss, and how far they may be apart.

    That is as far as any two that are printed, and two roundings more.
    """
    apart, printed = [], []
    cells = pick(runs, request=request)
    for _, cell in groups_of(cells, ["table", "component_sizes", "clusters"]):
        simulated, known = pick(cell, method="simulation"), pick(cell, method=method)
        if simulated.empty or known.empty:
            continue
        less = difference(cell, VALUE, {"method": "simulation"}, {"method": method})
        apart.append(less.interval)
        printed.append(abs(simulated["published"].iloc[0] - known["published"].iloc[0]))
    if not apart:
        raise NotRunError(f"no {request} cell was run by simulation and as {method}")
    return apart, max(printed) + 2 * ROUNDING


def average(apart: Sequence[Interval]) -> Interval:
    """Return how far cells are apart on average; their runs are independent."""
    doubts = [less.warning for less in apart if less.warning]
    mean = float(np.mean([less.estimate for less in apart]))
    half = float(np.linalg.norm([less.half_width for less in apart])) / len(apart)
    return Interval(mean, mean - half, mean + half, len(apart), warning="; ".join(doubts))


def agreement(apart: Sequence[Interval], limit: float) -> dict[str, bool | None]:
    """Return whether cells agree within a limit on average, and no cell is out for certain."""
    count = len(apart)
    none_is_out = all(less.between(-limit, limit) is not False for less in apart)
    return {
        f"average of {count} cells within {limit:.3f}": average(apart).between(-limit, limit),
        f"none of {count} cells further off for certain": none_is_out,
    }


# --- Section 7.1 ---


@study.add_claim("MU-4", "smallest step of the capacity loss", PAPER.without("request", "method"))
def loss_falls_with_freer_requests(runs: pd.DataFrame) -> Decision:
    """Judge that the loss 'decreases when going from ordered to unordered [...] to total'."""
    best = best_method(runs)
    steps: list[Interval] = []
    parts: dict[str, bool | None] = {}
    for sizes in FIVE:
        here = pick(best, sizes=sizes)
        below = difference(here, VALUE, {"request": ORDERED}, {"request": UNORDERED}).interval
        above = difference(here, VALUE, {"request": UNORDERED}, {"request": TOTAL}).interval
        parts |= {f"{sizes} below ordered": below.above(0), f"{sizes} above total": above.above(0)}
        steps += [below, above]
    return Decision(least(steps), parts)


@study.add_claim(
    "MU-5", "largest ratio but that of the exception", PAPER.without("request", "method")
)
def loss_is_halved_but_once(runs: pd.DataFrame) -> Decision:
    """Judge 'except for D(0.894), roughly speaking, the capacity loss is cut in half'."""
    best = best_method(runs)
    pair = {"request": UNORDERED}, {"request": ORDERED}
    left = {sizes: ratio(pick(best, sizes=sizes), VALUE, *pair).interval for sizes in FIVE}
    exception = left.pop(EXCEPTION)
    parts = {f"all but {EXCEPTION}": not_(exception.between(*HALVED))}
    parts |= {sizes: found.between(*HALVED) for sizes, found in left.items()}
    note = f"unordered over ordered loss; {HALVED[0]} to {HALVED[1]} taken as roughly half"
    return Decision(most(left.values()), parts, note)


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
    parts = {
        f"{names}: at most {SAME} apart": found.between(-SAME, SAME)
        for names, found in apart.items()
    }
    small, large = ALIKE[0][0], ALIKE[1][0]
    parts["another mean, another loss"] = widest(runs, (small, large)).above(SAME)
    means = [[parse_sizes(sizes).mean for sizes in group] for group in ALIKE]
    alike = all(max(group) <= 1.01 * min(group) for group in means)
    parts["means almost identical (Table 5)"] = alike
    return Decision(most(apart.values()), parts)


def widest(runs: pd.DataFrame, group: Sequence[str]) -> Interval:
    """Return the largest less the smallest loss of several size distributions."""
    found = [sample(runs, VALUE, sizes=sizes) for sizes in group]
    lowest, *_, highest = sorted(found, key=_mean)
    return (highest - lowest).interval


def _mean(losses: Sample) -> float:
    return losses.mean


@study.add_claim("MU-8", "largest change of the loss", PAPER.without("request", "service"))
def service_times_change_little(runs: pd.DataFrame) -> Decision:
    """Judge that the service times have not 'a large impact on the capacity loss'."""
    known = pick(runs, sizes=FIVE, request=(ORDERED, UNORDERED))
    changes = dict(changes_by_service(known))
    wild: dict[str, bool | None] = {}
    calmer: dict[str, bool | None] = {}
    for (sizes, request, service), change in changes.items():
        answers = wild if service == WILD else calmer
        words = f"{sizes} {request}, {service} {change.estimate:+.0%}"
        answers[words] = change.between(-SMALL_CHANGE, SMALL_CHANGE)
    if not wild:
        raise NotRunError(f"no run has service = {WILD}")
    note = f"{SMALL_CHANGE:.0%} taken as little; the sizes of the paper's one example are not named"
    return Decision(furthest(changes.values()), wild, note, calmer)


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


# --- Section 7.2 ---


@study.add_claim("MU-9", "largest gain of MaxJumps 50", PAPER.without("policy", "method"))
def overtaking_gains(runs: pd.DataFrame) -> Decision:
    """Judge that MaxJumps 5 'does not improve performance by much', and 50 by ten points."""
    note = "the two digits of the gain are lost; ten points is the least they can be"
    gains = [gain_over_fcfs(runs, sizes, "FPFS(50)", POISSON) for sizes in ROOM]
    own, held = gains_by_jumps(runs, POISSON), gains_by_jumps(runs, HEAVY)
    return Decision(most(gains), own, note, held)


def gains_by_jumps(runs: pd.DataFrame, method: str) -> dict[str, bool | None]:
    """Return whether five jumps gain little and fifty about ten points, by one method."""
    answers = {}
    for sizes in ROOM:
        few = gain_over_fcfs(runs, sizes, "FPFS(5)", method)
        many = gain_over_fcfs(runs, sizes, "FPFS(50)", method)
        words = f"{sizes}, {method}, MaxJumps"
        answers[f"{words} 5 gains {100 * few.estimate:.1f} points"] = few.below(LITTLE)
        answers[f"{words} 50 gains {100 * many.estimate:.1f} points"] = many.above(ABOUT_TEN)
    return answers


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
        parts[f"{sizes} {100 * change.estimate:+.1f} points"] = change.between(-LITTLE, LITTLE)
        changes.append(change)
    return Decision(furthest(changes), parts)


# --- Section 7.3 ---


@study.add_claim(
    "MU-11",
    "largest DAS1 less CTC loss, total requests",
    PaperSetting(fixed={"kind": OF_LOG, "request": TOTAL}),
)
def two_logs_lose_alike(runs: pd.DataFrame) -> Decision:
    """Judge 'the capacity losses for the two logs are similar', for total requests.

    How often sizes of DAS1 are powers of two is ours, and moves unordered requests most.
    """
    if LOG in logs_missing_in(runs):
        return Decision(None, {}, lost=not_on_stand_in(LOG).note)
    das1 = sample(runs, VALUE, log=DAS1)
    changes = {log: das1.less_unpaired(sample(runs, VALUE, log=log)) for log in (IN_ORDER, DRAWN)}
    parts = {f"total, {log}: similar": x.between(-LITTLE, LITTLE) for log, x in changes.items()}
    note = "unordered requests: cannot be tested on a stand-in for DAS1"
    return Decision(furthest(changes.values()), parts, note)


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
    "what fifty jumps gain with a less free request less that with a freer one, the smallest",
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
