"""What the paper says of clusters, placements and components, judged."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from coalloc_lib.experiments import NotRunError, difference, most, pick, sample
from coalloc_lib.intervals import Interval, Sample, all_of, not_
from coalloc_lib.studies.cluster_configurations.model import (
    ALONE,
    EQUAL,
    EXACT,
    FEW,
    FIRST_FIT,
    FOUR_COMPONENTS,
    HALF_ONE,
    HIGH,
    IN_ORDER,
    LIKE,
    LOW,
    MANY,
    MODERATE,
    MOST_CLUSTERS,
    MOSTLY_FOUR,
    MOSTLY_ONE,
    MUCH,
    OF_ONE_AND_FOUR,
    ONE_COMPONENT,
    ORDERED,
    OUR_SYSTEMS,
    PRINTED,
    SLIGHT,
    SMALL_FIRST,
    STANDARD,
    THIRDS,
    THREE_COMPONENTS,
    TOTAL,
    TWO_COMPONENTS,
    UNEQUAL,
    UNORDERED,
    WORST_FIT,
    of_one_total,
)
from coalloc_lib.studies.cluster_configurations.runs import (
    AT_LOAD,
    CURVE,
    SATURATED,
    STRETCHED,
    study,
)
from coalloc_lib.studies.ledger import Decision, Row
from coalloc_lib.studies.printed_losses import printed_rows
from coalloc_lib.studies.study import PaperSetting

#: The setting that the paper's sentences are about. Where the runs have other values of what is
#: varied, they are asked too.
PAPER = PaperSetting(
    varied={
        "system": STANDARD,
        "placement": FIRST_FIT,
        "jobs": FOUR_COMPONENTS,
        "policy": IN_ORDER,
    },
    fixed={"kind": CURVE, "request": UNORDERED},
)
#: Sentences that compare systems, placements, both, or jobs.
OF_SYSTEMS = PAPER.without("system").fixing("placement")
OF_PLACEMENTS = PAPER.without("placement", "system")
OF_JOBS = PAPER.without("jobs")
STANDS = f"{MOST_CLUSTERS} stands for the many clusters of the paper, which are not printed"

#: Values of some columns: which line is meant.
Line = Mapping[str, Any]


# --- One line less another ---


@dataclass(frozen=True)
class Advantage:
    """What one line has more than another, on the same jobs.

    `more` is the difference of the maximal utilizations in each run, `responses` the relative one
    of the mean response times by load, and `saturates` where the other line does.
    """

    more: Sample
    responses: dict[float, Interval]
    saturates: float

    @property
    def max_utilization(self) -> Interval:
        """The mean difference of the maximal utilizations."""
        return self.more.interval

    def response(self, load: float) -> Interval:
        """Return the relative difference of the mean response times at a load."""
        if load not in self.responses:
            raise NotRunError(f"no run is of both lines at load {load:g}, which may saturate one")
        return self.responses[load]

    def better(self, by: float = 0.0) -> bool | None:
        """Whether the first saturates later, and nowhere responds slower by more than `LIKE`."""
        slower = [response.above(LIKE) for response in self.responses.values()]
        return all_of(self.max_utilization.above(by), *map(not_, slower))

    def slightly_better(self) -> bool | None:
        """Whether the first is better, by less than much."""
        return all_of(self.better(), self.max_utilization.between(-MUCH, MUCH))

    def alike(self) -> bool | None:
        """Whether one line is about the other, moved by at most `SLIGHT` in utilization."""
        answers = [self.max_utilization.between(-SLIGHT, SLIGHT)]
        for load, response in self.responses.items():
            # Near saturation times grow like 1 / (saturates - load): a small move, a large factor.
            limit = max(LIKE, SLIGHT / (self.saturates - load))
            answers.append(response.between(-limit, limit))
        return all_of(*answers)


def compare(runs: pd.DataFrame, one: Line, other: Line) -> Advantage:
    """Compare two lines of the runs; what `other` does not name is as in `one`."""
    other = {**one, **other}
    saturated = pick(runs, measured=SATURATED)
    more = difference(saturated, "max_utilization", one, other)
    saturates = sample(saturated, "max_utilization", **other).mean
    return Advantage(more, relative_responses(runs, one, other), saturates)


def relative_responses(runs: pd.DataFrame, one: Line, other: Line) -> dict[float, Interval]:
    """Return how much longer one line responds, as a share, at each load that both can serve."""
    at_loads = pick(runs, measured=AT_LOAD)
    both = {*pick(at_loads, **one)["load"]} & {*pick(at_loads, **other)["load"]}
    found = {}
    for load in sorted(both):
        at_load = pick(at_loads, load=load)
        longer = difference(at_load, "response", one, other).interval
        found[load] = longer.times(1 / sample(at_load, "response", **other).mean)
    return found


def compare_systems(runs: pd.DataFrame, one: str, other: str) -> Advantage:
    """Compare two systems, all else alike."""
    return compare(runs, {"system": one}, {"system": other})


def compare_placements(runs: pd.DataFrame, one: str, other: str, **where: Any) -> Advantage:
    """Compare two placements on one system, of one kind of jobs."""
    return compare(runs, {**where, "placement": one}, {"placement": other})


def compare_jobs(runs: pd.DataFrame, one: str, other: str) -> Advantage:
    """Compare two kinds of jobs, all else alike."""
    return compare(runs, {"jobs": one}, {"jobs": other})


def decision_on(decides: Interval, answers: Mapping[str, bool | None], note: str = "") -> Decision:
    """Return a decision; answers whose words name a system of ours count elsewhere."""
    ours = {words for words in answers if any(system in words for system in OUR_SYSTEMS)}
    parts = {words: answer for words, answer in answers.items() if words not in ours}
    elsewhere = {words: answer for words, answer in answers.items() if words in ours}
    return Decision(decides, parts, note, elsewhere)


# --- Section 4.1 ---


@study.add_claim(
    "CC-1",
    f"ordered: {STANDARD} less {PRINTED}, bound",
    PAPER.without("system", "placement", "request"),
)
def equal_clusters_do_much_better(runs: pd.DataFrame) -> Decision:
    """Judge 'for both ordered and unordered requests ... a much better performance' (Figure 3)."""
    ordered = compare_systems(pick(runs, request=ORDERED), STANDARD, PRINTED)
    first_fit = pick(runs, request=UNORDERED, placement=FIRST_FIT)
    unordered = compare_systems(first_fit, STANDARD, PRINTED)
    parts = {
        "ordered: equal much better": ordered.better(MUCH),
        "unordered: equal much better": unordered.better(MUCH),
        "less so for unordered": (ordered.more - unordered.more).interval.above(0),
    }
    return Decision(ordered.max_utilization, parts)


@study.add_claim(
    "CC-2",
    f"64 alone less {PRINTED} ordered, bound",
    PAPER.without("system", "placement", "request"),
)
def the_largest_cluster_alone_is_better(runs: pd.DataFrame) -> Decision:
    """Judge that ordered requests are 'even worse than total requests in ... half' (Figure 3)."""
    alone = {"system": ALONE, "request": TOTAL}
    change = compare(runs, alone, {"system": PRINTED, "request": ORDERED})
    return Decision(change.max_utilization, {"64 alone better": change.better()})


# --- Section 4.2 ---


@study.add_claim("CC-3", f"8×16 less {STANDARD} under first fit, bound", OF_SYSTEMS)
def eight_clusters_are_slightly_better(runs: pd.DataFrame) -> Decision:
    """Judge 'similar at low utilizations and even slightly better at moderate and high' (4)."""
    change = compare_systems(runs, "8×16", STANDARD)
    more = change.max_utilization
    parts = {
        f"alike at {LOW}": change.response(LOW).between(-LIKE, LIKE),
        f"8×16 faster at {MODERATE}": change.response(MODERATE).below(0),
        f"8×16 faster at {HIGH}": change.response(HIGH).below(0),
        "saturates slightly later": all_of(more.above(0), more.between(-MUCH, MUCH)),
    }
    return Decision(more, parts)


@study.add_claim("CC-4", f"{PRINTED}: large first less small first, bound", OF_PLACEMENTS)
def large_clusters_go_first(runs: pd.DataFrame) -> Decision:
    """Judge 'performance is better when the scheduler starts with the largest' (Figure 5)."""
    changes = {
        system: compare_placements(runs, FIRST_FIT, SMALL_FIRST, system=system)
        for system in UNEQUAL
    }
    answers = {f"{system}: large first better": x.better() for system, x in changes.items()}
    return decision_on(changes[PRINTED].max_utilization, answers, STANDS)


@study.add_claim("CC-5", f"{PRINTED} less {STANDARD}, the nearer of two, bound", OF_PLACEMENTS)
def only_many_unequal_clusters_do_well(runs: pd.DataFrame) -> Decision:
    """Judge that unequal clusters do well if they are 'considerably' more than components (5)."""
    equal = {"system": STANDARD, "placement": FIRST_FIT}
    answers, printed = {}, []
    for placement in (FIRST_FIT, SMALL_FIRST):
        for system in UNEQUAL:
            change = compare(runs, {"system": system, "placement": placement}, equal)
            well, line = does_well(change), f"{system} {placement}"
            if system in FEW:
                answers[f"{line} does not do well"] = not_(well)
            else:
                answers[f"{line} does well"] = well
            if system == PRINTED:
                printed.append(change.max_utilization)
    return decision_on(most(printed), answers, STANDS)


def does_well(change: Advantage) -> bool | None:
    """Whether a system is much as equal clusters: where it saturates, and at a moderate load."""
    if MODERATE not in change.responses:  # that load saturates it
        return False
    return all_of(change.max_utilization.above(-MUCH), change.responses[MODERATE].below(LIKE))


@study.add_claim(
    "CC-6",
    f"{MOST_CLUSTERS} less {PRINTED} under worst fit, bound",
    OF_SYSTEMS.with_(placement=WORST_FIT),
)
def worst_fit_wants_equal_or_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge 'large equal clusters give much better', and 'many' unequal ones (Figures 6, 7)."""
    answers = {}
    for system in (*EQUAL, *UNEQUAL):
        if system != STANDARD:
            change = compare_systems(runs, STANDARD, system)
            answers[f"{STANDARD} much better than {system}"] = change.better(MUCH)
    for many in MANY:
        for few in FEW:
            answers[f"{many} better than {few}"] = compare_systems(runs, many, few).better()
    decides = compare_systems(runs, MOST_CLUSTERS, PRINTED).max_utilization
    return decision_on(decides, answers, STANDS)


@study.add_claim("CC-7", f"{STANDARD}: worst less first fit, bound", OF_PLACEMENTS)
def worst_fit_is_better_on_few_clusters(runs: pd.DataFrame) -> Decision:
    """Judge 'much better for ... few, equal, large clusters' and 'slightly' for unequal (4.2)."""
    equal = compare_placements(runs, WORST_FIT, FIRST_FIT, system=STANDARD)
    answers = {f"{STANDARD}: worst fit much better": equal.better(MUCH)}
    for system in FEW:
        change = compare_placements(runs, WORST_FIT, FIRST_FIT, system=system)
        answers[f"{system}: worst fit slightly better"] = change.slightly_better()
    return decision_on(equal.max_utilization, answers)


@study.add_claim("CC-8", "8×16: first less worst fit, bound", OF_PLACEMENTS)
def first_fit_is_better_on_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge 'WF has significantly worse performance than FF' on many clusters (Figures 4, 6, 8)."""
    changes = {
        system: compare_placements(runs, FIRST_FIT, WORST_FIT, system=system)
        for system in ("8×16", *MANY)
    }
    answers = {f"{system}: first fit much better": x.better(MUCH) for system, x in changes.items()}
    return decision_on(changes["8×16"].max_utilization, answers, STANDS)


# --- Section 5 ---


@study.add_claim("CC-9", "one less four components, bound", OF_JOBS)
def fewer_components_are_better(runs: pd.DataFrame) -> Decision:
    """Judge 'better for jobs with fewer components', mixes 'somewhere between' (Figure 9)."""
    pairs = {
        "1 better than 2": (ONE_COMPONENT, TWO_COMPONENTS),
        "2 better than 3": (TWO_COMPONENTS, THREE_COMPONENTS),
        "3 better than 4": (THREE_COMPONENTS, FOUR_COMPONENTS),
    }
    parts = {words: compare_jobs(runs, *pair).better() for words, pair in pairs.items()}
    for mixture in OF_ONE_AND_FOUR:
        below_one = compare_jobs(runs, ONE_COMPONENT, mixture).better()
        above_four = compare_jobs(runs, mixture, FOUR_COMPONENTS).better()
        parts[f"{mixture} between"] = all_of(below_one, above_four)
    return Decision(compare_jobs(runs, ONE_COMPONENT, FOUR_COMPONENTS).max_utilization, parts)


OF_MOSTLY_ONE = f"{MOSTLY_ONE}: worst less first fit, bound"


@study.add_claim("CC-10", OF_MOSTLY_ONE, OF_JOBS.without("placement"))
def worst_fit_helps_jobs_of_four(runs: pd.DataFrame) -> Decision:
    """Judge that it 'brings visible improvements' for four components, few for one (Figure 10)."""
    helped = {"4": FOUR_COMPONENTS, MOSTLY_FOUR: MOSTLY_FOUR}
    unchanged = {"1": ONE_COMPONENT, MOSTLY_ONE: MOSTLY_ONE}
    return worst_fit_helps(runs, helped, unchanged)


def worst_fit_helps(
    runs: pd.DataFrame, helped: Mapping[str, str], unchanged: Mapping[str, str]
) -> Decision:
    """Judge whether worst fit much helps some jobs, and hardly changes others, by their words.

    The mixture of mostly one component decides: it is among those that should not change.
    """
    changes = {
        words: compare_placements(runs, WORST_FIT, FIRST_FIT, jobs=jobs)
        for words, jobs in {**helped, **unchanged}.items()
    }
    parts = {f"helps {words}": changes[words].better(MUCH) for words in helped}
    parts |= {f"hardly changes {words}": changes[words].alike() for words in unchanged}
    return Decision(changes[MOSTLY_ONE].max_utilization, parts)


@study.add_claim("CC-11", "two less four components, bound", OF_JOBS)
def two_components_are_best(runs: pd.DataFrame) -> Decision:
    """Judge the order of jobs of one total: two components, four, one, mixtures (Figure 11)."""
    one, two = of_one_total(ONE_COMPONENT), of_one_total(TWO_COMPONENTS)
    best = compare_jobs(runs, two, FOUR_COMPONENTS)
    parts = {
        "2 better than 4": best.better(),
        "4 better than 1": compare_jobs(runs, FOUR_COMPONENTS, one).better(),
    }
    for mixture in OF_ONE_AND_FOUR:
        change = compare_jobs(runs, one, of_one_total(mixture))
        parts[f"1 better than {mixture}"] = change.better()
    with_two = compare_jobs(runs, of_one_total(THIRDS), of_one_total(HALF_ONE))
    parts["adding 2 helps"] = with_two.better()
    return Decision(best.max_utilization, parts)


@study.add_claim("CC-12", OF_MOSTLY_ONE, OF_JOBS.without("placement"))
def worst_fit_helps_jobs_of_four_of_one_total(runs: pd.DataFrame) -> Decision:
    """Judge that worst fit improves four components and 'leaves almost unchanged' one (12)."""
    names = {"1": ONE_COMPONENT, MOSTLY_ONE: MOSTLY_ONE}
    unchanged = {words: of_one_total(jobs) for words, jobs in names.items()}
    return worst_fit_helps(runs, {"4": FOUR_COMPONENTS}, unchanged)


# --- Section 1; section 4.1 against 4.2; Tables 1 and 2 ---


@study.add_claim(
    "CC-13", "largest relative error of the rule", PaperSetting(fixed={"kind": STRETCHED})
)
def response_times_scale(runs: pd.DataFrame) -> Decision:
    """Judge 'multiplying our response-times curves by 1/alpha and alpha' (section 1)."""
    largest = float(runs["error"].max())
    return Decision(largest, {"response times scale with alpha": largest <= EXACT})


@study.add_claim("CC-14", f"{STANDARD}: worst less first fit, bound", OF_PLACEMENTS)
def placements_are_similar(runs: pd.DataFrame) -> Decision:
    """Judge 'both FF and WF were simulated; since the results were similar' (4.1)."""
    changes = {
        system: compare_placements(runs, WORST_FIT, FIRST_FIT, system=system).max_utilization
        for system in (STANDARD, PRINTED)
    }
    parts = {f"{system}: similar": x.between(-MUCH, MUCH) for system, x in changes.items()}
    note = "section 4.2 calls worst fit much better on the same four clusters (CC-7)"
    return Decision(changes[STANDARD], parts, note)


@study.add_numbers
def printed_losses(runs: pd.DataFrame) -> Iterator[Row]:
    """Judge the printed losses of Tables 1 and 2."""
    yield from printed_rows(study.name, runs)
