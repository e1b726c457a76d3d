"""Verdicts on the paper's general claims about equal, unequal, few and many clusters.

Each claim is judged on many divisions of 128 processors into clusters.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import pandas as pd

from coalloc_lib.statistics import Interval, all_of, least, not_
from studies.cluster_configurations.claims import any_of
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
    GOOD,
    MUCH,
    SIGNIFICANTLY,
    SLIGHTLY,
    SMALL_FIRST,
    WORST_FIT,
)
from studies.cluster_configurations.runs import study
from studies.cut_offs import Asked, Part, Word
from studies.ledger import Decision
from studies.study import PaperSetting

OVER = PaperSetting(fixed={"kind": DIVISION})
#: Equal divisions of 128 processors.
FOUR_EQUAL, EIGHT_EQUAL, SIXTEEN_EQUAL = (32,) * 4, (16,) * 8, (8,) * 16
EQUAL = (FOUR_EQUAL, EIGHT_EQUAL, SIXTEEN_EQUAL)
#: Jobs have four components. We call four or five clusters few, and eight or more clusters many,
#: which is 'considerably' more than the number of components.
MOST_OF_FEW, LEAST_OF_MANY = 5, 8
#: The two placements that the claims compare.
BOTH = (FIRST_FIT, WORST_FIT)
#: The descriptions of the two sets of unequal divisions in the notes of the verdicts.
OF_FOUR = "22 unequal divisions into four clusters (multiples of 8 up to 64)"
OF_POWERS = "30 unequal divisions into four or more clusters of 8, 16, 32 or 64"


def unequal_divisions_into_four() -> list[Sizes]:
    """Return the unequal divisions into four clusters."""
    return [sizes for sizes in into_four() if is_unequal(sizes)]


def unequal(least_clusters: int = 4, most_clusters: int = 16) -> list[Sizes]:
    """Return the unequal divisions into clusters of 8, 16, 32 or 64 processors.

    Only divisions with `least_clusters` to `most_clusters` clusters are returned.
    """
    return [
        sizes
        for sizes in into_powers_of_two()
        if is_unequal(sizes) and least_clusters <= len(sizes) <= most_clusters
    ]


class Share(NamedTuple):
    """The number of comparisons that agree with a claim, and the number of all comparisons."""

    yes: int
    undecided: int
    asked: int

    @classmethod
    def of(cls, found: Iterable[bool | None]) -> "Share":
        """Count the answers of comparisons: True, False, or None for an undecided comparison."""
        answers = list(found)
        undecided = answers.count(None)
        return cls(sum(map(bool, answers)), undecided, len(answers))

    @property
    def all_agree(self) -> bool | None:
        """Whether all comparisons agree with the claim; None if that is undecided."""
        if self.yes + self.undecided < self.asked:
            return False
        return None if self.undecided else True

    @property
    def most_agree(self) -> bool | None:
        """Whether more than half of the comparisons agree with the claim; None if undecided."""
        if 2 * self.yes > self.asked:
            return True
        return False if 2 * (self.yes + self.undecided) <= self.asked else None

    def __str__(self) -> str:
        undecided = f", undecided {self.undecided}" if self.undecided else ""
        return f"{self.yes} of {self.asked}{undecided}"


def all_agree(shares: dict[str, Share]) -> dict[str, Part]:
    """Return for each label whether all comparisons agree with the claim.

    The share of comparisons that agree is appended to the label.
    """
    return {f"{words}: {share}": share.all_agree for words, share in shares.items()}


def in_words(shares: dict[str, Share]) -> str:
    """Return labelled shares as text."""
    return "; ".join(f"{words}: {share}" for words, share in shares.items())


def above_zero(differences: Iterable[Interval]) -> Share:
    """Return the share of the differences that are above 0."""
    return Share.of(each.above(0) for each in differences)


def all_above(word: Word, differences: Sequence[Interval]) -> Asked:
    """Return the question whether all differences are as large as a word of the paper says."""

    def are_above(limit: float) -> bool | None:
        return all_of(*(each.above(limit) for each in differences))

    return Asked(word, are_above)


def all_below(word: Word, differences: Sequence[Interval]) -> Asked:
    """Return the question whether all differences are as small as a word of the paper says."""

    def are_below(limit: float) -> bool | None:
        return all_of(*(each.below(limit) for each in differences))

    return Asked(word, are_below)


# --- Sections 4.1 and 6: equal or unequal clusters ---


@study.add_claim("CC-19", "smallest gain of equal clusters, bound", OVER)
def equal_clusters_fit_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that four equal clusters are better than four unequal clusters (section 6).

    The paper says: 'request types fit better in systems with equal clusters'.
    """
    maxima = MaxUtilizations(runs)
    gains = {
        way: [
            maxima.gain(FOUR_EQUAL, sizes, way).interval for sizes in unequal_divisions_into_four()
        ]
        for way in WAYS
    }
    shares = {way: above_zero(found) for way, found in gains.items()}
    smallest = least(gain for found in gains.values() for gain in found)
    return Decision(smallest, all_agree(shares), f"of {OF_FOUR}: {in_words(shares)}")


@study.add_claim("CC-20", "smallest loss from one step of m to the next, bound", OVER)
def more_different_clusters_carry_less(runs: pd.DataFrame) -> Decision:
    """Judge the claim that more unequal clusters have a lower performance (section 4.1).

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
    note = f"steps of m = 0, 4, ..., 24 at which less is carried: {in_words(shares)}"
    return Decision(least(steps), all_agree(shares), note)


# --- Section 4.2 ---


@study.add_claim("CC-4", "large first less small first, smallest, bound", OVER)
def large_clusters_go_first(runs: pd.DataFrame) -> Decision:
    """Judge the claim that first fit should start with the largest cluster (Figure 5).

    The paper says: 'performance is better when the scheduler starts with the largest' cluster.
    """
    maxima = MaxUtilizations(runs)
    gains = [
        (maxima.of(sizes, FIRST_FIT) - maxima.of(sizes, SMALL_FIRST)).interval
        for sizes in unequal()
    ]
    shares = {"large first carries more": above_zero(gains)}
    return Decision(least(gains), all_agree(shares), f"of {OF_POWERS}: {in_words(shares)}")


@study.add_claim("CC-5", "largest unequal less equal clusters, few clusters, bound", OVER)
def only_many_unequal_clusters_do_well(runs: pd.DataFrame) -> Decision:
    """Judge the claim that unequal clusters do well only if there are many of them (Figure 5).

    The paper says that the performance is only 'good' if there are 'considerably' more clusters
    than components. It does not say what these words mean in numbers. The claim holds if any
    number of clusters separates the divisions that do well from all others.
    """
    maxima = MaxUtilizations(runs)
    equal = maxima.of(FOUR_EQUAL, FIRST_FIT)
    behind = {
        sizes: [(equal - maxima.of(sizes, order)).interval for order in (FIRST_FIT, SMALL_FIRST)]
        for sizes in unequal()
    }

    def separated(limit: float) -> bool | None:
        return any_of(*(separated_at(behind, limit, many).all_agree for many in range(5, 17)))

    ours = separated_at(behind, GOOD.value, LEAST_OF_MANY)
    note = (
        f"of {OF_POWERS}, 'good' being 3 points from {name_of(FOUR_EQUAL)} and 'considerably' "
        f"{LEAST_OF_MANY} clusters: {ours}"
    )
    few = [orders[0] for sizes, orders in behind.items() if len(sizes) <= MOST_OF_FEW]
    parts: dict[str, Part] = {f"all divisions (ours: {ours})": Asked(GOOD, separated)}
    return Decision(least(few), parts, note)


def separated_at(behind: Mapping[Sizes, Sequence[Interval]], limit: float, many: int) -> Share:
    """Return the share of divisions that do well if and only if they have many clusters.

    `behind` has the gaps between the maximal utilization of a division and that of equal clusters.
    A division does well if all its gaps are below `limit`. It has many clusters if it has at least
    `many` of them.
    """
    answers = []
    for sizes, gaps in behind.items():
        does_well = all_of(*(gap.below(limit) for gap in gaps))
        answers.append(does_well if len(sizes) >= many else not_(does_well))
    return Share.of(answers)


@study.add_claim("CC-6", "many less few unequal clusters under worst fit, smallest, bound", OVER)
def worst_fit_wants_equal_or_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit needs equal clusters or many clusters (Figures 6 and 7).

    The paper says that 'large equal clusters give much better' performance, and that 'many' unequal
    clusters are better than few.
    """
    maxima = MaxUtilizations(runs)
    others = [EIGHT_EQUAL, *unequal()]
    gains = [maxima.gain(FOUR_EQUAL, sizes, WORST_FIT).interval for sizes in others]
    better = [
        maxima.gain(many, few, WORST_FIT).interval
        for many in unequal(LEAST_OF_MANY)
        for few in unequal(most_clusters=MOST_OF_FEW)
    ]
    much = Share.of(gain.above(MUCH.value) for gain in gains)
    shares = {"pairs in which many unequal carry more than few": above_zero(better)}
    parts: dict[str, Part] = {f"four equal much better: {much}": all_above(MUCH, gains)}
    note = (
        f"four equal clusters gain 3 points or more on {much} other divisions; {in_words(shares)}"
    )
    return Decision(least(better), parts | all_agree(shares), note)


@study.add_claim("CC-7", "worst less first fit on few unequal clusters, smallest, bound", OVER)
def worst_fit_is_better_on_few_clusters(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit is better than first fit on few clusters (section 4.2).

    It is 'much better for ... few, equal, large clusters', and 'slightly' better for few unequal
    clusters.
    """
    maxima = MaxUtilizations(runs)
    equal = gain_of_worst_fit(maxima, FOUR_EQUAL)
    few = dict.fromkeys([*unequal_divisions_into_four(), *unequal(most_clusters=MOST_OF_FEW)])
    gains = [gain_of_worst_fit(maxima, sizes) for sizes in few]
    shares = {"few unequal clusters: worst fit carries more": above_zero(gains)}
    parts: dict[str, Part] = {f"{name_of(FOUR_EQUAL)}: much better": MUCH.above(equal)}
    parts |= all_agree(shares) | {"by little": all_below(SLIGHTLY, gains)}
    note = f"{in_words(shares)}; {NOT_VERY_LARGE}"
    return Decision(least(gains), parts, note)


#: A remark on claim CC-7. The comparison is in section 7.2 and Figure 6 of the paper of 2003, which
#: has the same component sizes, clusters and policy.
NOT_VERY_LARGE = (
    f"worst fit gains as much on {name_of(FOUR_EQUAL)} in the authors' paper of 2003, which calls "
    "the difference 'not very large' (MU-10)"
)


def gain_of_worst_fit(maxima: MaxUtilizations, sizes: Sizes) -> Interval:
    """Return the maximal utilization of a division under worst fit minus that under first fit."""
    return (maxima.of(sizes, WORST_FIT) - maxima.of(sizes, FIRST_FIT)).interval


@study.add_claim("CC-8", "first less worst fit on many clusters, smallest, bound", OVER)
def first_fit_is_better_on_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge the claim that worst fit (WF) is worse than first fit (FF) on many clusters.

    The paper says: 'WF has significantly worse performance than FF' (Figures 4, 6 and 8).
    """
    maxima = MaxUtilizations(runs)
    many = [EIGHT_EQUAL, *unequal(LEAST_OF_MANY)]
    gains = [gain_of_worst_fit(maxima, sizes).times(-1) for sizes in many]
    large = Share.of(gain.above(SIGNIFICANTLY.value) for gain in gains)
    shares = {"worst fit carries less": above_zero(gains)}
    parts = all_agree(shares) | {f"significantly: {large}": all_above(SIGNIFICANTLY, gains)}
    constant = gain_of_worst_fit(MaxUtilizations(runs, CONSTANT), EIGHT_EQUAL).times(-1)
    elsewhere: dict[str, Part] = {
        f"{name_of(EIGHT_EQUAL)}, constant service, {100 * constant.estimate:.1f} points": (
            SIGNIFICANTLY.above(constant)
        )
    }
    note = f"of {name_of(EIGHT_EQUAL)} and the unequal divisions into 8 or more: {in_words(shares)}"
    return Decision(least(gains), parts, note, elsewhere)


# --- Section 6 ---


@study.add_claim("CC-16", "32+32+32+32 less eight clusters of 16 under first fit, bound", OVER)
def few_large_clusters_are_preferred(runs: pd.DataFrame) -> Decision:
    """Judge the claim that few large clusters are better than many small clusters (section 6).

    The paper says: 'in general, a system with few, large clusters should be preferred'.
    'In general' is taken to mean more than half of the pairs of divisions. The sentence may be
    about equal clusters or about all clusters, so the verdict is undecided if the two readings
    disagree. For the claim that a better performance 'can' be obtained, one pair is enough.
    """
    maxima = MaxUtilizations(runs)
    readings = {
        "of equal clusters": pairs_with_fewer(maxima, EQUAL),
        "of all divisions": pairs_with_fewer(maxima, into_powers_of_two()),
    }
    shares = {words: above_zero(gains) for words, gains in readings.items()}
    equal, all_divisions = (share.most_agree for share in shares.values())
    by_worst_fit = maxima.gain(FOUR_EQUAL, EIGHT_EQUAL, WORST_FIT)
    by_first_fit = maxima.gain(FOUR_EQUAL, EIGHT_EQUAL, FIRST_FIT)
    parts: dict[str, Part] = {
        f"in general ({in_words(shares)})": equal if equal == all_divisions else None,
        "can be better": any_of(*(gain.above(0) for gain in readings["of equal clusters"])),
        "especially with worst fit": (by_worst_fit - by_first_fit).interval.above(0),
    }
    note = f"pairs in which fewer clusters carry more, {in_words(shares)}"
    return Decision(by_first_fit.interval, parts, note)


def pairs_with_fewer(maxima: MaxUtilizations, divisions: Sequence[Sizes]) -> list[Interval]:
    """Return the gain of the division with fewer clusters, for each pair and placement.

    The gain is the difference of the maximal utilizations. Pairs with equal numbers of clusters
    are left out.
    """
    return [
        maxima.gain(few, many, way).interval
        for few, many, way in product(divisions, divisions, BOTH)
        if len(few) < len(many)
    ]


@study.add_claim("CC-21", "gain of the placement that is advised, smallest, bound", OVER)
def each_placement_has_its_systems(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the better placement depends on the number of clusters (section 6).

    The paper says: 'with few, large clusters WF should be used', that is worst fit. With many
    clusters first fit is better.
    """
    maxima = MaxUtilizations(runs)
    few = dict.fromkeys(
        [FOUR_EQUAL, *unequal_divisions_into_four(), *unequal(most_clusters=MOST_OF_FEW)]
    )
    many = [EIGHT_EQUAL, SIXTEEN_EQUAL, *unequal(LEAST_OF_MANY)]
    by_worst_fit = [gain_of_worst_fit(maxima, sizes) for sizes in few]
    by_first_fit = [gain_of_worst_fit(maxima, sizes).times(-1) for sizes in many]
    shares = {
        "four or five clusters: worst fit carries more": above_zero(by_worst_fit),
        "eight or more: first fit carries more": above_zero(by_first_fit),
    }
    return Decision(least([*by_worst_fit, *by_first_fit]), all_agree(shares), in_words(shares))


@study.add_claim("CC-22", "equal or many less few unequal clusters, smallest, bound", OVER)
def equal_or_many_clusters_are_better(runs: pd.DataFrame) -> Decision:
    """Judge the claim that equal clusters and many clusters are better than few unequal clusters.

    We call eight or more clusters many for jobs of four components (section 6).
    """
    maxima = MaxUtilizations(runs)
    good = [FOUR_EQUAL, EIGHT_EQUAL, *unequal(LEAST_OF_MANY)]
    others = dict.fromkeys([*unequal_divisions_into_four(), *unequal(most_clusters=MOST_OF_FEW)])
    shares: dict[str, Share] = {}
    gains = []
    for way in BOTH:
        found = [maxima.gain(one, other, way).interval for one in good for other in others]
        shares[f"{way}, unordered"] = above_zero(found)
        gains += found
    of_ordered = [
        maxima.gain(FOUR_EQUAL, other, ORDERED_WAY).interval
        for other in unequal_divisions_into_four()
    ]
    shares["ordered, four clusters"] = above_zero(of_ordered)
    note = f"pairs in which the equal or many clusters carry more: {in_words(shares)}"
    return Decision(least(gains), all_agree(shares), note)
