"""Verdicts on the paper's claims about clusters, placements and the number of components."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from coalloc_lib.statistics import (
    Interval,
    NotRunError,
    Replications,
    difference,
    groups_of,
    pick,
    sample,
)
from studies.claim import PaperSetting
from studies.cluster_configurations.model import (
    ALMOST_UNCHANGED,
    ALONE,
    EXACT,
    EXTREMELY_WELL,
    FIRST_FIT,
    FOUR_COMPONENTS,
    HALF_ONE,
    HIGH,
    IN_ORDER,
    LIKE,
    LITTLE,
    LOW,
    MODERATE,
    MOSTLY_FOUR,
    MOSTLY_ONE,
    MUCH,
    OF_ONE_AND_FOUR,
    ONE_COMPONENT,
    ORDERED,
    PRINTED,
    SIMILAR,
    SIMILAR_TIMES,
    SLIGHTLY,
    STANDARD,
    THIRDS,
    THREE_COMPONENTS,
    TOTAL,
    TWO_COMPONENTS,
    UNORDERED,
    VERY_ACCURATE,
    VISIBLE,
    WORST_FIT,
    of_one_total,
)
from studies.cluster_configurations.runs import (
    AT_LOAD,
    CURVE,
    PRINTED_TABLE,
    SATURATED,
    STRETCHED,
    study,
)
from studies.columns import column
from studies.cut_offs import Asked, Part, Word
from studies.extremes import most
from studies.ledger import Decision, Row
from studies.logic import all_of, not_
from studies.printed_losses import printed_rows
from studies.shares import Share, agreed, answer_in_words

#: The setting that the paper's claims are about. If there are runs with other systems, placements,
#: jobs or policies, the claims are also judged on those runs.
PAPER = PaperSetting(
    varied={
        "system": STANDARD,
        "placement": FIRST_FIT,
        "jobs": FOUR_COMPONENTS,
        "policy": IN_ORDER,
    },
    fixed={"kind": CURVE, "request": UNORDERED},
)
#: The settings of claims that compare different systems, different placements, or different
#: workloads.
OF_SYSTEMS = PAPER.without("system").fixing("placement")
OF_PLACEMENTS = PAPER.without("placement", "system")
OF_JOBS = PAPER.without("jobs")

#: The column values that select the runs of one response-time curve.
Line = Mapping[str, Any]


# --- The difference between two curves ---


@dataclass(frozen=True)
class Advantage:
    """The differences between two response-time curves, measured on the same jobs.

    Attributes
    ----------
    gain : Replications
        The maximal utilization of the first curve minus that of the other, for each run.
    responses : dict of float to Interval
        The relative difference between the mean response times, for each load.
    other_maximum : float
        The maximal utilization of the other curve.
    """

    gain: Replications
    responses: dict[float, Interval]
    other_maximum: float

    @property
    def max_utilization(self) -> Interval:
        """The maximal utilization that the first curve reaches, minus that of the second."""
        return self.gain.interval

    def response(self, load: float) -> Interval:
        """Return the relative difference between the mean responses of two curves at a load."""
        if load not in self.responses:
            raise NotRunError(
                f"the two lines cannot be compared at load {load:g}: one of them saturates there, "
                "or is so near to saturation that its queue does not settle"
            )
        return self.responses[load]

    def better(self, by: float = 0.0) -> bool | None:
        """Return whether the first of two response-time curves is better than the second.

        It is better if its maximal utilization is higher by more than `by`, and if at no load its
        mean response time is longer by more than the share `LIKE`.
        """
        slower = [response.above(LIKE) for response in self.responses.values()]
        return all_of(self.max_utilization.above(by), *map(not_, slower))

    def better_by(self, word: Word) -> Asked:
        """Return a test of whether the first curve is better by more than a vague word's cut-off.

        The cut-off is a difference between the maximal utilizations of the two curves.
        """
        return Asked(word, self.better)

    def slightly_better(self) -> Asked:
        """Return a test of whether the first of two curves is only slightly better."""

        def better_by_less(limit: float) -> bool | None:
            return all_of(self.better(), self.max_utilization.between(-limit, limit))

        return Asked(SLIGHTLY, better_by_less)

    def alike(self, word: Word) -> Asked:
        """Return a test of whether two response-time curves are nearly the same.

        They are alike if they differ only by a small shift in utilization. The limit of the word is
        the largest shift that counts as small.
        """

        def moved_by_less(limit: float) -> bool | None:
            answers = [self.max_utilization.between(-limit, limit)]
            for load, response in self.responses.items():
                # Mean response times are roughly proportional to 1 / (other_maximum - load). Near
                # saturation, a small shift in utilization therefore changes them by a large factor.
                factor = max(LIKE, limit / (self.other_maximum - load))
                answers.append(response.between(-factor, factor))
            return all_of(*answers)

        return Asked(word, moved_by_less)


def compare(runs: pd.DataFrame, one: Line, other: Line) -> Advantage:
    """Compare two response-time curves, given the column values that select their runs.

    `one` and `other` have the column values that select the runs of each curve. Columns that
    `other` does not name are as in `one`.
    """
    other = {**one, **other}
    saturated = pick(runs, measured=SATURATED)
    gain = difference(saturated, "max_utilization", one, other)
    other_maximum = sample(saturated, "max_utilization", **other).mean
    return Advantage(gain, relative_responses(runs, one, other), other_maximum)


def relative_responses(runs: pd.DataFrame, one: Line, other: Line) -> dict[float, Interval]:
    """Return the relative difference between two curves' mean response times at each load."""
    at_loads = pick(runs, measured=AT_LOAD)
    both = {*pick(at_loads, **one)["load"]} & {*pick(at_loads, **other)["load"]}
    found = {}
    for load in sorted(both):
        at_load = pick(at_loads, load=load)
        longer = difference(at_load, "response", one, other).interval
        found[load] = longer.times(1 / sample(at_load, "response", **other).mean)
    return found


def compare_systems(runs: pd.DataFrame, one: str, other: str) -> Advantage:
    """Compare two systems that serve the same jobs under the same policies."""
    return compare(runs, {"system": one}, {"system": other})


def compare_placements(runs: pd.DataFrame, one: str, other: str, **where: Any) -> Advantage:
    """Compare two placements on the same system and the same jobs."""
    return compare(runs, {**where, "placement": one}, {"placement": other})


def compare_jobs(runs: pd.DataFrame, one: str, other: str) -> Advantage:
    """Compare two workloads on the same system and under the same policies."""
    return compare(runs, {"jobs": one}, {"jobs": other})


# --- Section 4.1 ---


@study.add_claim(
    "CC-1",
    f"maximal utilization of {STANDARD} minus that of {PRINTED}, ordered requests",
    PAPER.without("system", "placement", "request"),
)
def equal_clusters_do_much_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that equal clusters are much better than unequal clusters (Figure 3).

    The paper says: 'for both ordered and unordered requests ... a much better performance'.
    """
    ordered = compare_systems(pick(runs, request=ORDERED), STANDARD, PRINTED)
    first_fit = pick(runs, request=UNORDERED, placement=FIRST_FIT)
    unordered = compare_systems(first_fit, STANDARD, PRINTED)
    parts = {
        "ordered requests: equal clusters much better": ordered.better_by(MUCH),
        "unordered requests: equal clusters much better": unordered.better_by(MUCH),
        "smaller difference for unordered requests": (ordered.gain - unordered.gain).interval.above(
            0
        ),
    }
    return Decision(ordered.max_utilization, parts)


@study.add_claim(
    "CC-2",
    f"maximal utilization of the cluster of 64 alone minus that of {PRINTED} with ordered requests",
    PAPER.without("system", "placement", "request"),
)
def the_largest_cluster_alone_is_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that total requests on one large cluster beat ordered requests on all.

    On unequal clusters, ordered requests are 'even worse than total requests in ... half' of the
    system, which is its largest cluster.
    """
    alone = {"system": ALONE, "request": TOTAL}
    change = compare(runs, alone, {"system": PRINTED, "request": ORDERED})
    return Decision(change.max_utilization, {"the cluster of 64 alone is better": change.better()})


# --- Section 4.2 ---


@study.add_claim(
    "CC-3", f"maximal utilization of 8×16 minus that of {STANDARD}, first fit", OF_SYSTEMS
)
def eight_clusters_are_slightly_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that eight clusters of 16 are slightly better than four of 32 (Figure 4).

    The performance is 'similar at low utilizations and even slightly better at moderate and high'
    utilizations.
    """
    change = compare_systems(runs, "8×16", STANDARD)
    parts: dict[str, Part] = {
        f"similar response times at load {LOW}": SIMILAR_TIMES.within(change.response(LOW)),
        f"8×16 responds sooner at load {MODERATE}": change.response(MODERATE).below(0),
        f"8×16 responds sooner at load {HIGH}": change.response(HIGH).below(0),
        "8×16 has a slightly higher maximal utilization": change.slightly_better(),
    }
    return Decision(change.max_utilization, parts)


# --- Section 5 ---


@study.add_claim(
    "CC-9", "maximal utilization with one component minus that with four components", OF_JOBS
)
def fewer_components_are_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs with fewer components perform better (Figure 9).

    The performance is 'better for jobs with fewer components', and that of mixtures is 'somewhere
    between' that of their parts.
    """
    pairs = {
        "1 component better than 2": (ONE_COMPONENT, TWO_COMPONENTS),
        "2 components better than 3": (TWO_COMPONENTS, THREE_COMPONENTS),
        "3 components better than 4": (THREE_COMPONENTS, FOUR_COMPONENTS),
    }
    parts = {words: compare_jobs(runs, *pair).better() for words, pair in pairs.items()}
    for mixture in OF_ONE_AND_FOUR:
        below_one = compare_jobs(runs, ONE_COMPONENT, mixture).better()
        above_four = compare_jobs(runs, mixture, FOUR_COMPONENTS).better()
        parts[f"{mixture} between 1 and 4 components"] = all_of(below_one, above_four)
    return Decision(compare_jobs(runs, ONE_COMPONENT, FOUR_COMPONENTS).max_utilization, parts)


OF_MOSTLY_ONE = (
    f"maximal utilization under worst fit minus that under first fit, jobs: {MOSTLY_ONE}"
)


def worst_over_first_fit(runs: pd.DataFrame, jobs: Mapping[str, str]) -> dict[str, Advantage]:
    """Compare worst fit with first fit for each of several workloads."""
    return {
        label: compare_placements(runs, WORST_FIT, FIRST_FIT, jobs=kind)
        for label, kind in jobs.items()
    }


@study.add_claim("CC-10", OF_MOSTLY_ONE, OF_JOBS.without("placement"))
def worst_fit_helps_jobs_of_four(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs with four components do better under worst fit (Figure 10).

    It 'brings visible improvements' for these jobs, and has 'little effect' on jobs with one
    component.
    """
    helped = worst_over_first_fit(runs, {"4 components": FOUR_COMPONENTS, MOSTLY_FOUR: MOSTLY_FOUR})
    unchanged = worst_over_first_fit(runs, {"1 component": ONE_COMPONENT, MOSTLY_ONE: MOSTLY_ONE})
    visible = {
        f"worst fit visibly helps {kind}": gain.better_by(VISIBLE) for kind, gain in helped.items()
    }
    little = {
        f"worst fit has little effect on {kind}": gain.alike(LITTLE)
        for kind, gain in unchanged.items()
    }
    return Decision(unchanged[MOSTLY_ONE].max_utilization, {**visible, **little})


@study.add_claim(
    "CC-11", "maximal utilization with two components minus that with four components", OF_JOBS
)
def two_components_are_best(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs of equal total size do best with two components (Figure 11).

    From best to worst, the order is: two components, four components, one component, mixtures.
    """
    one, two = of_one_total(ONE_COMPONENT), of_one_total(TWO_COMPONENTS)
    best = compare_jobs(runs, two, FOUR_COMPONENTS)
    parts = {
        "2 components better than 4": best.better(),
        "4 components better than 1": compare_jobs(runs, FOUR_COMPONENTS, one).better(),
    }
    for mixture in OF_ONE_AND_FOUR:
        change = compare_jobs(runs, one, of_one_total(mixture))
        parts[f"1 component better than {mixture}"] = change.better()
    with_two = compare_jobs(runs, of_one_total(THIRDS), of_one_total(HALF_ONE))
    parts["adding jobs with 2 components helps"] = with_two.better()
    return Decision(best.max_utilization, parts)


@study.add_claim("CC-12", OF_MOSTLY_ONE, OF_JOBS.without("placement"))
def worst_fit_helps_jobs_of_four_of_one_total(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit only helps jobs of four components, at one total size.

    All jobs have the same total size. Worst fit 'leaves almost unchanged' the performance of jobs
    with one component.
    """
    helped = compare_placements(runs, WORST_FIT, FIRST_FIT, jobs=FOUR_COMPONENTS)
    names = {"1 component": ONE_COMPONENT, MOSTLY_ONE: MOSTLY_ONE}
    one_total = {label: of_one_total(jobs) for label, jobs in names.items()}
    unchanged = worst_over_first_fit(runs, one_total)
    parts: dict[str, Part] = {"worst fit helps 4 components": helped.better()}
    for label, gain in unchanged.items():
        parts[f"{label} almost unchanged"] = gain.alike(ALMOST_UNCHANGED)
    return Decision(unchanged[MOSTLY_ONE].max_utilization, parts)


# --- Sections 1 and 4.1 ---


@study.add_claim(
    "CC-13",
    "largest relative error of the response times that the rule predicts",
    PaperSetting(fixed={"kind": STRETCHED}),
)
def response_times_scale(runs: pd.DataFrame) -> Decision:
    """Judge the claim that response times grow in proportion to service times (section 1).

    If all service times grow by a factor alpha, the curves follow by 'multiplying our
    response-times curves by 1/alpha and alpha'.
    """
    largest = float(column(runs, "error").max())
    return Decision(largest, {"response times scale with alpha": largest <= EXACT})


@study.add_claim(
    "CC-14",
    f"maximal utilization that worst fit gains on {STANDARD} minus what it gains on {PRINTED}",
    OF_PLACEMENTS,
)
def placements_are_similar(runs: pd.DataFrame) -> Decision:
    """Judge the claim that first fit and worst fit give similar results (section 4.1).

    The paper says: 'For unordered requests both FF and WF were simulated; since the results were
    similar'. Section 4.1 compares equal with unequal clusters, so the sentence has two readings:
    worst fit and first fit themselves are similar, or the advantage of equal clusters is similar
    under both. The claim holds if it holds in one of these readings.
    """
    on_equal, on_unequal = (
        compare_placements(runs, WORST_FIT, FIRST_FIT, system=system).gain
        for system in (STANDARD, PRINTED)
    )
    # The difference `on_equal - on_unequal` is also the advantage of equal over unequal clusters
    # under worst fit, minus the same advantage under first fit.
    difference_of_gains = (on_equal - on_unequal).interval

    def either_is_similar(limit: float) -> bool | None:
        placements = (gain.interval.between(-limit, limit) for gain in (on_equal, on_unequal))
        readings = all_of(*placements), difference_of_gains.between(-limit, limit)
        return any_of(*readings)

    apart = f"{100 * on_equal.mean:.1f} and {100 * on_unequal.mean:.1f} points"
    note = (
        f"worst fit gains {apart} on {STANDARD} and {PRINTED}; section 4.2 calls the first "
        "gain 'much better' (CC-7)"
    )
    parts = {
        "the placements are similar, or equal clusters gain about as much under both": Asked(
            SIMILAR, either_is_similar
        )
    }
    return Decision(difference_of_gains, parts, note)


def any_of(*answers: bool | None) -> bool | None:
    """Return whether any of several answers is True, or None if that is undecided."""
    return not_(all_of(*map(not_, answers)))


# --- Tables 1 and 2 ---


@study.add_claim(
    "CC-15",
    "simulated loss minus loss by the approximation, the largest over the cells of Tables 1 and 2",
    PaperSetting(fixed={"kind": PRINTED_TABLE}),
)
def formulas_are_accurate(runs: pd.DataFrame) -> Decision:
    """Judge the claim that formulas and simulations give the same capacity loss (section 3).

    For one cluster the exact and the simulated results 'agree extremely well'. For unordered
    requests 'the approximation is very accurate'.
    """
    exact = simulated_less_known(runs, "exact", TOTAL)
    approximate = simulated_less_known(runs, "approximation", UNORDERED)
    parts = {
        f"all {len(exact)} cells of one cluster are near the exact loss": all_within(
            EXTREMELY_WELL, exact
        ),
        f"all {len(approximate)} cells are near the approximation": all_within(
            VERY_ACCURATE, approximate
        ),
    }
    note = "the authors' paper of 2003 calls the same match 'quite reasonable' (MU-3)"
    return Decision(most(approximate), parts, note)


def simulated_less_known(runs: pd.DataFrame, method: str, request: str) -> list[Interval]:
    """Return the simulated minus the calculated capacity loss for the cells of Tables 1 and 2.

    Only cells that have both losses are compared.
    """
    differences = []
    for _, cell in groups_of(pick(runs, request=request), ["table", "component_sizes", "clusters"]):
        if {"simulation", method} <= {*cell["method"]}:
            simulated, known = {"method": "simulation"}, {"method": method}
            differences.append(difference(cell, "capacity_loss", simulated, known).interval)
    if not differences:
        raise NotRunError(
            f"no cell with {request} requests was run both by simulation and by the method {method}"
        )
    return differences


def all_within(word: Word, differences: Sequence[Interval]) -> Asked:
    """Return a function that tests whether all differences are below the limit for a vague word."""

    def small(limit: float) -> bool | None:
        return all_of(*(each.between(-limit, limit) for each in differences))

    return Asked(word, small)


# --- Section 6 ---


@study.add_claim(
    "CC-17",
    "maximal utilization with one component minus that with four components, jobs of the "
    "same total size",
    OF_JOBS,
)
def many_components_are_poor(runs: pd.DataFrame) -> Decision:
    """Judge the claim that jobs with as many components as clusters perform poorly (section 6).

    The paper says: 'the performance is lower for jobs with numbers of components close to' the
    number of clusters, which is four here. There are two readings: the components have one
    distribution (section 5.1), or the jobs have one total size (section 5.2). The claim is
    undecided if the readings disagree.
    """
    readings = {
        "the components have the same distribution": (
            ONE_COMPONENT,
            TWO_COMPONENTS,
            THREE_COMPONENTS,
        ),
        "the jobs have the same total size": (
            of_one_total(ONE_COMPONENT),
            of_one_total(TWO_COMPONENTS),
        ),
    }
    shares = {
        reading: Share.of(compare_jobs(runs, fewer, FOUR_COMPONENTS).better() for fewer in kinds)
        for reading, kinds in readings.items()
    }
    told = [
        f"{reading}: {answer_in_words(share.answer)}, because four components are worse "
        f"than {share} other "
        "numbers of components"
        for reading, share in shares.items()
    ]
    told.append(
        "if the components have the same distribution, jobs with fewer components are smaller"
    )
    decides = compare_jobs(runs, of_one_total(ONE_COMPONENT), FOUR_COMPONENTS)
    parts: dict[str, Part] = {
        "four components are worse": agreed(share.answer for share in shares.values())
    }
    return Decision(decides.max_utilization, parts, "; ".join(told))


@study.add_claim(
    "CC-18",
    "maximal utilization with four components minus that with one component, jobs of the "
    "same total size",
    OF_JOBS,
)
def spreading_large_jobs_is_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a large job can do better if it is split into components (section 5.2).

    The paper says: 'spreading large single-component jobs over more clusters ... can' be better.
    """
    one = of_one_total(ONE_COMPONENT)
    spread_over = {"4": FOUR_COMPONENTS, "2": of_one_total(TWO_COMPONENTS)}
    changes = {clusters: compare_jobs(runs, jobs, one) for clusters, jobs in spread_over.items()}
    can = any_of(*(change.better() for change in changes.values()))
    return Decision(changes["4"].max_utilization, {"2 or 4 components are better than 1": can})


@study.add_claim(
    "CC-23",
    "maximal utilization with four components minus that with one component, jobs of the "
    "same total size",
    OF_JOBS,
)
def large_components_are_worse(runs: pd.DataFrame) -> Decision:
    """Judge the claim that large jobs and large components reduce performance (section 6).

    The performance is 'better when the jobs [...] are small'.
    """
    one = of_one_total(ONE_COMPONENT)
    smaller = {"2": of_one_total(TWO_COMPONENTS), "4": FOUR_COMPONENTS}
    changes = {number: compare_jobs(runs, jobs, one) for number, jobs in smaller.items()}
    parts = {
        f"{number} components better than 1, same total size": x.better()
        for number, x in changes.items()
    }
    small = compare_jobs(runs, ONE_COMPONENT, FOUR_COMPONENTS)
    parts["1 component better than 4, components of the same size"] = small.better()
    more = compare_jobs(runs, smaller["2"], smaller["4"]).max_utilization
    note = (
        f"two large components reach {100 * more.estimate:+.2f} points more utilization than four "
        "small ones of the same total, so more but smaller components are not always better (CC-11)"
    )
    return Decision(changes["4"].max_utilization, parts, note)


@study.add_numbers
def printed_losses(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the ledger rows for the capacity losses in Tables 1 and 2 of the paper."""
    yield from printed_rows(study.name, runs)
