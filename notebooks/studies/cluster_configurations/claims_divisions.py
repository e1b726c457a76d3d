"""Verdicts on the paper's general claims about equal, unequal, few and many clusters.

Each claim is judged on many divisions of 128 processors into clusters. If a sentence of the paper
has no quantifier, `studies.shares.Share` gives its answer.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, product

import pandas as pd

from coalloc_lib.statistics import Interval, NotRunError, groups_of, pick
from studies.claim import PaperSetting
from studies.cluster_configurations.claims import any_of, relative_responses
from studies.cluster_configurations.divisions import (
    CONSTANT,
    DIVISION,
    MOVED,
    ONE_AND_ONE,
    ORDERED_WAY,
    TWO_AND_TWO,
    WAYS,
    MaxUtilizations,
    Sizes,
    into_four,
    into_powers_of_two,
    is_unequal,
    moved,
    name_of,
)
from studies.cluster_configurations.model import (
    FIRST_FIT,
    FOUR_COMPONENTS,
    GOOD,
    IN_ORDER,
    MUCH,
    SIGNIFICANTLY,
    SLIGHTLY,
    SMALL_FIRST,
    UNORDERED,
    WORST_FIT,
)
from studies.cluster_configurations.runs import CURVE, study
from studies.cut_offs import Asked, Part, Word
from studies.extremes import least, most
from studies.ledger import Decision
from studies.logic import all_of, not_
from studies.shares import Share, agreed, answer_in_words, in_words, share_answers

OVER = PaperSetting(fixed={"kind": DIVISION})
#: Divisions of 128 processors into four, eight and sixteen equal clusters.
FOUR_EQUAL, EIGHT_EQUAL, SIXTEEN_EQUAL = (32,) * 4, (16,) * 8, (8,) * 16
EQUAL = (FOUR_EQUAL, EIGHT_EQUAL, SIXTEEN_EQUAL)
#: In the claims about divisions, up to five clusters are few, and eight or more clusters are many.
#: Jobs have four components, and one claim is about 'considerably' more clusters than components.
#: We assume that eight clusters are considerably more.
MOST_OF_FEW, LEAST_OF_MANY = 5, 8
#: The two placements that are compared in the claims about divisions into clusters.
BOTH = (FIRST_FIT, WORST_FIT)
#: The only system of unequal clusters for which the paper prints the sizes of the clusters.
PRINTED_SIZES = (64, 32, 16, 16)


def unequal_divisions_into_four() -> list[Sizes]:
    """Return the divisions of 128 processors into four unequal clusters."""
    return [sizes for sizes in into_four() if is_unequal(sizes)]


def unequal(least_clusters: int = 4, most_clusters: int = 16) -> list[Sizes]:
    """Return the divisions of 128 processors into unequal clusters of 8, 16, 32 or 64.

    Only divisions with `least_clusters` to `most_clusters` clusters are returned.
    """
    return [
        sizes
        for sizes in into_powers_of_two()
        if is_unequal(sizes) and least_clusters <= len(sizes) <= most_clusters
    ]


def few_unequal() -> list[Sizes]:
    """Return the divisions of 128 processors into four or five unequal clusters."""
    both = [*unequal_divisions_into_four(), *unequal(most_clusters=MOST_OF_FEW)]
    return list(dict.fromkeys(both))


#: Descriptions of three sets of divisions into unequal clusters, for the notes on verdicts.
OF_FOUR = (
    f"{len(unequal_divisions_into_four())} unequal divisions into four clusters (multiples of 8 up "
    "to 64)"
)
OF_POWERS = f"{len(unequal())} unequal divisions into four or more clusters of 8, 16, 32 or 64"
OF_FEW = (
    f"{len(few_unequal())} unequal divisions into few clusters (four of multiples of 8 up "
    "to 64, or "
    "five of 8, 16, 32 or 64)"
)


def above_zero(differences: Iterable[Interval]) -> Share:
    """Count how many of several differences are positive."""
    return Share.of(each.above(0) for each in differences)


def share_within(
    word: Word, differences: Sequence[Interval], compare: Callable[[Interval, float], bool | None]
) -> Asked:
    """Return a test of whether most differences lie above (or below) a vague word's cut-off.

    `compare` is `Interval.above` or `Interval.below`.
    """

    def question(limit: float) -> bool | None:
        return Share.of(compare(each, limit) for each in differences).answer

    return Asked(word, question)


# --- Sections 4.1 and 6: equal or unequal clusters ---


@study.add_claim(
    "CC-19",
    "maximal utilization of 32+32+32+32 minus that of four unequal clusters, the smallest over "
    "divisions and ways to place jobs",
    OVER,
)
def equal_clusters_fit_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that four equal clusters are better than four unequal clusters (section 6).

    The paper says: 'request types fit better in systems with equal clusters'.
    """
    maxima = MaxUtilizations(runs)
    gains = {
        way: {
            sizes: maxima.gain(FOUR_EQUAL, sizes, way).interval
            for sizes in unequal_divisions_into_four()
        }
        for way in WAYS
    }
    shares = {way: above_zero(found.values()) for way, found in gains.items()}
    smallest = least(gain for found in gains.values() for gain in found.values())
    notes = [f"{OF_FOUR} were tested: {in_words(shares, 'divisions')}"]
    more = [name_of(sizes) for sizes, gain in gains[FIRST_FIT].items() if gain.below(0)]
    if more:
        notes.append(
            f"under first fit, these reach more than four equal clusters: {', '.join(more)}"
        )
    printed = 100 * gains[FIRST_FIT][PRINTED_SIZES].estimate
    notes.append(
        f"the division {name_of(PRINTED_SIZES)} of the paper reaches {printed:.1f} points less"
    )
    return Decision(smallest, share_answers(shares), "; ".join(notes))


@study.add_claim(
    "CC-20",
    "maximal utilization at one value of m minus that at the next larger value, the smallest",
    OVER,
)
def more_different_clusters_carry_less(runs: pd.DataFrame) -> Decision:
    """Judge the claim that performance falls as cluster sizes become more unequal (section 4.1).

    The paper says: 'performance deteriorates with the increase in the difference' between the
    cluster sizes.
    """
    maxima = MaxUtilizations(runs)
    shares: dict[str, Share] = {}
    steps = []
    for family, way in product((TWO_AND_TWO, ONE_AND_ONE), WAYS):
        falls = [
            maxima.gain(moved(family, near), moved(family, far), way).interval
            for near, far in pairwise(MOVED)
        ]
        shares[f"{family}, {way}"] = above_zero(falls)
        steps += falls
    note = (
        "steps of m = 0, 4, ..., 24 at which the maximal utilization falls: "
        f"{in_words(shares, 'steps')}"
    )
    return Decision(least(steps), share_answers(shares), note)


# --- Section 4.2 ---


@study.add_claim(
    "CC-4",
    "maximal utilization under first fit that starts with the largest cluster minus first "
    "fit that starts with the smallest, the smallest over divisions",
    PaperSetting(fixed={"kind": (DIVISION, CURVE)}),
)
def large_clusters_go_first(runs: pd.DataFrame) -> Decision:
    """Judge the claim that first fit should try the largest cluster first (Figure 5).

    The paper says: 'performance is better when the scheduler starts with the largest' cluster, and
    that this 'improves both the response time and the maximal utilization'. The response times are
    those of the systems of Figure 5, at the loads that both orders can serve.
    """
    maxima = MaxUtilizations(runs)
    gains = [
        (maxima.of(sizes, FIRST_FIT) - maxima.of(sizes, SMALL_FIRST)).interval
        for sizes in unequal()
    ]
    longer = responses_with_large_first(runs)
    shares = {
        "starting with the largest has a higher maximal utilization": above_zero(gains),
        "starting with the largest responds sooner": Share.of(each.below(0) for each in longer),
    }
    note = (
        f"{OF_POWERS} were tested, and the unequal systems of Figure 5 at loads that both orders "
        f"serve: {in_words(shares, 'comparisons')}"
    )
    return Decision(least(gains), share_answers(shares), note)


def responses_with_large_first(runs: pd.DataFrame) -> list[Interval]:
    """Return the relative change in response time if first fit tries the largest cluster first.

    There is one value for each unequal system of Figure 5 and each load.
    """
    curves = pick(runs, kind=CURVE, jobs=FOUR_COMPONENTS, policy=IN_ORDER, request=UNORDERED)
    found: list[Interval] = []
    for names, here in groups_of(curves, ["system"]):
        if SMALL_FIRST in {*here["placement"]}:
            one, other = ({**names, "placement": each} for each in (FIRST_FIT, SMALL_FIRST))
            found += relative_responses(here, one, other).values()
    if not found:
        raise NotRunError(f"no run has placement = {SMALL_FIRST!r} and a response time")
    return found


@study.add_claim(
    "CC-5",
    "maximal utilization of equal clusters minus that of fewer than eight unequal clusters, "
    "worse order of first fit, the smallest over divisions",
    OVER,
)
def only_many_unequal_clusters_do_well(runs: pd.DataFrame) -> Decision:
    """Judge the claim that unequal clusters perform well only if there are many of them.

    The paper says that the performance is only 'good' if there are 'considerably' more clusters
    than components. The claim is therefore judged on the unequal divisions that do not have many
    clusters: none of them may do well. Divisions with many clusters need not do well.
    """
    maxima = MaxUtilizations(runs)
    equal = maxima.of(FOUR_EQUAL, FIRST_FIT)
    behind = {
        sizes: [(equal - maxima.of(sizes, order)).interval for order in (FIRST_FIT, SMALL_FIRST)]
        for sizes in unequal()
    }

    def does_well(sizes: Sizes, limit: float) -> bool | None:
        return all_of(*(gap.below(limit) for gap in behind[sizes]))

    few = [sizes for sizes in behind if len(sizes) < LEAST_OF_MANY]
    many = [sizes for sizes in behind if len(sizes) >= LEAST_OF_MANY]

    def only_many(limit: float) -> bool | None:
        return all_of(*(not_(does_well(sizes, limit)) for sizes in few))

    well = Share.of(does_well(sizes, GOOD.value) for sizes in many)
    note = (
        f"{OF_POWERS} were tested, where 'good' means at most {GOOD.said(GOOD.value)} "
        f"behind {name_of(FOUR_EQUAL)} in both "
        f"orders, and 'considerably' means at least {LEAST_OF_MANY} clusters. The sentence "
        "does not say that all "
        f"divisions into many clusters are good; {well} are"
    )
    parts: dict[str, Part] = {
        f"none of {len(few)} unequal divisions into fewer clusters is good": Asked(GOOD, only_many)
    }
    return Decision(least(most(behind[sizes]) for sizes in few), parts, note)


@study.add_claim(
    "CC-6",
    "maximal utilization of many unequal clusters minus that of few, worst fit, the smallest "
    "over pairs",
    OVER,
)
def worst_fit_wants_equal_or_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit performs well only on equal clusters or on many clusters.

    The paper says that 'large equal clusters give much better' performance, and that 'many' unequal
    clusters are better than few.
    """
    maxima = MaxUtilizations(runs)
    others = [EIGHT_EQUAL, *unequal()]
    gains = [maxima.gain(FOUR_EQUAL, sizes, WORST_FIT).interval for sizes in others]
    better = [
        maxima.gain(many, few, WORST_FIT).interval
        for many in unequal(LEAST_OF_MANY)
        for few in few_unequal()
    ]
    much = Share.of(gain.above(MUCH.value) for gain in gains)
    shares = {"pairs in which many unequal clusters reach more than few": above_zero(better)}
    parts: dict[str, Part] = {
        f"four equal clusters are much better: {much}": share_within(MUCH, gains, Interval.above)
    }
    note = (
        f"four equal clusters reach at least {MUCH.said(MUCH.value)} more than {much} other "
        "divisions; "
        f"{in_words(shares, 'pairs')}; few clusters are the {OF_FEW}"
    )
    return Decision(least(better), parts | share_answers(shares), note)


@study.add_claim(
    "CC-7",
    "maximal utilization under worst fit minus that under first fit, the smallest over few "
    "unequal clusters",
    OVER,
)
def worst_fit_is_better_on_few_clusters(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit is better than first fit on few clusters (section 4.2).

    It is 'much better for ... few, equal, large clusters', and 'slightly' better for few unequal
    clusters.
    """
    maxima = MaxUtilizations(runs)
    equal = gain_of_worst_fit(maxima, FOUR_EQUAL)
    gains = [gain_of_worst_fit(maxima, sizes) for sizes in few_unequal()]
    shares = {"on few unequal clusters, worst fit reaches more": above_zero(gains)}
    parts: dict[str, Part] = {f"{name_of(FOUR_EQUAL)}: much better": MUCH.above(equal)}
    parts |= share_answers(shares) | {
        "slightly better on few unequal clusters": share_within(SLIGHTLY, gains, Interval.below)
    }
    note = (
        f"{OF_FEW} were tested: {in_words(shares, 'divisions')}; {gains_on_printed(maxima)}; "
        f"{NOT_VERY_LARGE}"
    )
    return Decision(least(gains), parts, note)


#: A remark in the note on claim CC-7: the authors' paper of 2003 (section 7.2, Figure 6) makes the
#: same comparison, with the same component sizes, clusters and policy.
NOT_VERY_LARGE = (
    f"in the authors' paper of 2003, worst fit gains as much on {name_of(FOUR_EQUAL)}, and the "
    "difference is called 'not very large' (MU-10)"
)


def gain_of_worst_fit(maxima: MaxUtilizations, sizes: Sizes) -> Interval:
    """Return the maximal utilization of a division under worst fit minus that under first fit."""
    return (maxima.of(sizes, WORST_FIT) - maxima.of(sizes, FIRST_FIT)).interval


def gains_on_printed(maxima: MaxUtilizations) -> str:
    """Return a clause that states how much worst fit gains on the two systems of section 4.1."""
    equal, unequal_ones = (
        100 * gain_of_worst_fit(maxima, sizes).estimate for sizes in (FOUR_EQUAL, PRINTED_SIZES)
    )
    return (
        f"on the divisions of the paper, {name_of(FOUR_EQUAL)} and "
        f"{name_of(PRINTED_SIZES)}, worst fit "
        f"gains {equal:.1f} and {unequal_ones:.1f} points"
    )


@study.add_claim(
    "CC-8",
    "maximal utilization under first fit minus that under worst fit, the smallest over many "
    "clusters",
    OVER,
)
def first_fit_is_better_on_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit is worse than first fit on systems of many clusters.

    The paper says: 'WF has significantly worse performance than FF' (Figures 4, 6 and 8).
    """
    maxima = MaxUtilizations(runs)
    many = [EIGHT_EQUAL, *unequal(LEAST_OF_MANY)]
    gains = [gain_of_worst_fit(maxima, sizes).times(-1) for sizes in many]
    large = Share.of(gain.above(SIGNIFICANTLY.value) for gain in gains)
    shares = {
        "worst fit reaches less": above_zero(gains),
        f"by {SIGNIFICANTLY.said(SIGNIFICANTLY.value)} or more": large,
    }
    parts: dict[str, Part] = {
        f"worst fit reaches less: {shares['worst fit reaches less']}": above_zero(gains).answer,
        f"worst fit is significantly worse: {large}": share_within(
            SIGNIFICANTLY, gains, Interval.above
        ),
    }
    constant = gain_of_worst_fit(MaxUtilizations(runs, CONSTANT), EIGHT_EQUAL).times(-1)
    elsewhere: dict[str, Part] = {
        f"{name_of(EIGHT_EQUAL)}, constant service times: {100 * constant.estimate:.1f} points": (
            SIGNIFICANTLY.above(constant)
        )
    }
    note = (
        f"{name_of(EIGHT_EQUAL)} and the unequal divisions into 8 or more clusters were tested: "
        f"{in_words(shares, 'divisions')}"
    )
    return Decision(least(gains), parts, note, elsewhere)


# --- Section 6 ---


@study.add_claim(
    "CC-16",
    "share of the pairs in which few clusters have a higher maximal utilization than many, "
    "first fit",
    OVER,
)
def few_large_clusters_are_preferred(runs: pd.DataFrame) -> Decision:
    """Judge the claim that few large clusters are better than many small clusters (section 6).

    The paper says: 'in general, a system with few, large clusters should be preferred', and adds 'a
    small number of clusters'. There are two readings: few clusters against many, or any number
    against any larger number. The sentence may also be about equal clusters or about all clusters.
    The verdict is undecided if the readings disagree. For the claim that a better performance 'can'
    be obtained, one pair is enough.
    """
    maxima = MaxUtilizations(runs)
    answers, notes = [], []
    for (reading, is_pair), (set_of, divisions) in product(
        PAIRS.items(), {"equal": EQUAL, "all": into_powers_of_two()}.items()
    ):
        shares = {way: above_zero(gains_of_fewer(maxima, divisions, is_pair, way)) for way in BOTH}
        answers.append(all_of(*(share.answer for share in shares.values())))
        notes.append(
            f"{reading}, {set_of} clusters: {answer_in_words(answers[-1])} "
            f"({in_words(shares, 'pairs')})"
        )
    by_worst_fit = maxima.gain(FOUR_EQUAL, EIGHT_EQUAL, WORST_FIT)
    by_first_fit = maxima.gain(FOUR_EQUAL, EIGHT_EQUAL, FIRST_FIT)
    any_number = PAIRS["any number compared with any larger number"]
    parts: dict[str, Part] = {
        "in general": agreed(answers),
        "can be better": any_of(
            *(
                gain.above(0)
                for way in BOTH
                for gain in gains_of_fewer(maxima, EQUAL, any_number, way)
            )
        ),
        "especially with worst fit": (by_worst_fit - by_first_fit).interval.above(0),
    }
    of_few = above_zero(
        gains_of_fewer(
            maxima, into_powers_of_two(), PAIRS["few clusters compared with many"], FIRST_FIT
        )
    )
    return Decision(of_few.yes / of_few.compared, parts, "; ".join(notes))


#: Two interpretations of claim CC-16, which prefers fewer clusters. Each has a function that says
#: whether a system with `few` clusters is compared with a system with `many` clusters.
PAIRS: dict[str, Callable[[int, int], bool]] = {
    "few clusters compared with many": lambda few, many: (
        few <= MOST_OF_FEW and many >= LEAST_OF_MANY
    ),
    "any number compared with any larger number": lambda few, many: few < many,
}


def gains_of_fewer(
    maxima: MaxUtilizations,
    divisions: Sequence[Sizes],
    is_pair: Callable[[int, int], bool],
    way: str,
) -> list[Interval]:
    """Return the increase in maximal utilization from having fewer clusters.

    The list has one increase for each pair of divisions that is compared. `is_pair` takes the two
    numbers of clusters, few and many, and tells whether the divisions are compared.
    """
    return [
        maxima.gain(few, many, way).interval
        for few, many in product(divisions, divisions)
        if is_pair(len(few), len(many))
    ]


@study.add_claim(
    "CC-21",
    "maximal utilization under the advised placement minus that under the other, the smallest",
    OVER,
)
def each_placement_has_its_systems(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the number of clusters decides which placement is better.

    The paper says: 'with few, large clusters WF should be used', that is worst fit. With many
    clusters first fit is better.
    """
    maxima = MaxUtilizations(runs)
    many = [EIGHT_EQUAL, SIXTEEN_EQUAL, *unequal(LEAST_OF_MANY)]
    by_worst_fit = [gain_of_worst_fit(maxima, sizes) for sizes in (FOUR_EQUAL, *few_unequal())]
    by_first_fit = [gain_of_worst_fit(maxima, sizes).times(-1) for sizes in many]
    shares = {
        "worst fit reaches more on four or five clusters": above_zero(by_worst_fit),
        "first fit reaches more on eight or more clusters": above_zero(by_first_fit),
    }
    note = (
        f"{in_words(shares, 'divisions')}; few clusters are {name_of(FOUR_EQUAL)} and the "
        f"{OF_FEW}; "
        f"{gains_on_printed(maxima)}"
    )
    return Decision(least([*by_worst_fit, *by_first_fit]), share_answers(shares), note)


@study.add_claim(
    "CC-22",
    "maximal utilization of equal or of many clusters minus that of few unequal clusters, the "
    "smallest",
    OVER,
)
def equal_or_many_clusters_are_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that a few unequal clusters are worse than equal or many clusters.

    We call eight or more clusters many for jobs of four components (section 6).
    """
    maxima = MaxUtilizations(runs)
    good = [FOUR_EQUAL, EIGHT_EQUAL, *unequal(LEAST_OF_MANY)]
    shares: dict[str, Share] = {}
    gains = []
    for way in BOTH:
        found = [maxima.gain(one, few, way).interval for one in good for few in few_unequal()]
        shares[f"{way}, unordered requests"] = above_zero(found)
        gains += found
    of_ordered = [
        maxima.gain(FOUR_EQUAL, other, ORDERED_WAY).interval
        for other in unequal_divisions_into_four()
    ]
    shares["ordered requests, four clusters"] = above_zero(of_ordered)
    note = (
        "pairs in which equal clusters or many clusters reach more: "
        f"{in_words(shares, 'pairs')}; few clusters are the {OF_FEW}"
    )
    return Decision(least(gains), share_answers(shares), note)
