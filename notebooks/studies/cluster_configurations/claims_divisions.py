"""What the paper says of equal, unequal, few and many clusters, judged over many divisions."""

from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import NamedTuple

import pandas as pd

from coalloc_lib.statistics import Interval, all_of, least, not_
from studies.cluster_configurations.divisions import (
    CONSTANT,
    DIVISION,
    MOVED,
    ONE_AND_ONE,
    ORDERED_WAY,
    TWO_AND_TWO,
    WAYS,
    Carried,
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
from studies.cut_offs import Asked, Part
from studies.ledger import Decision
from studies.study import PaperSetting

OVER = PaperSetting(fixed={"kind": DIVISION})
#: Equal divisions of 128 processors.
FOUR_EQUAL, EIGHT_EQUAL, SIXTEEN_EQUAL = (32,) * 4, (16,) * 8, (8,) * 16
EQUAL = (FOUR_EQUAL, EIGHT_EQUAL, SIXTEEN_EQUAL)
#: Jobs have four components. Few clusters are four or five; 'considerably' more are eight or more.
MOST_OF_FEW, LEAST_OF_MANY = 5, 8
#: Placements of unordered requests.
BOTH = (FIRST_FIT, WORST_FIT)
#: The sets of divisions, in words.
OF_FOUR = "22 unequal divisions into four clusters (multiples of 8 up to 64)"
OF_POWERS = "30 unequal divisions into four or more clusters of 8, 16, 32 or 64"


def unequal_fours() -> list[Sizes]:
    """Return the unequal divisions into four clusters."""
    return [sizes for sizes in into_four() if is_unequal(sizes)]


def unequal(least_clusters: int = 4, most_clusters: int = 16) -> list[Sizes]:
    """Return the unequal divisions into powers of two with this number of clusters."""
    return [
        sizes
        for sizes in into_powers_of_two()
        if is_unequal(sizes) and least_clusters <= len(sizes) <= most_clusters
    ]


class Share(NamedTuple):
    """How many of several comparisons come out as a claim says."""

    yes: int
    undecided: int
    asked: int

    @classmethod
    def of(cls, found: Iterable[bool | None]) -> "Share":
        """Count the answers."""
        answers = list(found)
        return cls(
            sum(x is not None and bool(x) for x in answers), answers.count(None), len(answers)
        )

    @property
    def all_agree(self) -> bool | None:
        """Return whether all comparisons come out as the claim says; None if that is open."""
        if self.yes + self.undecided < self.asked:
            return False
        return None if self.undecided else True

    @property
    def most_agree(self) -> bool | None:
        """Return whether more than half of the comparisons come out; None if that is open."""
        if 2 * self.yes > self.asked:
            return True
        return False if 2 * (self.yes + self.undecided) <= self.asked else None

    def __str__(self) -> str:
        open_ = f", undecided {self.undecided}" * (self.undecided > 0)
        return f"{self.yes} of {self.asked}{open_}"


def in_all(shares: dict[str, Share]) -> dict[str, Part]:
    """Return, by words with the share that agrees, whether all comparisons agree."""
    return {f"{words}: {share}": share.all_agree for words, share in shares.items()}


def told(shares: dict[str, Share]) -> str:
    """Return the shares in words."""
    return "; ".join(f"{words}: {share}" for words, share in shares.items())


def above_zero(differences: Iterable[Interval]) -> Share:
    """Return how many differences are above 0."""
    return Share.of(each.above(0) for each in differences)


# --- Sections 4.1 and 6: equal or unequal clusters ---


@study.add_claim("CC-19", "smallest gain of equal clusters, bound", OVER)
def equal_clusters_fit_better(runs: pd.DataFrame) -> Decision:
    """Judge that, of four clusters, 'request types fit better in systems with equal clusters'."""
    carried = Carried(runs)
    gains = {
        way: [carried.more(FOUR_EQUAL, sizes, way).interval for sizes in unequal_fours()]
        for way in WAYS
    }
    shares = {way: above_zero(found) for way, found in gains.items()}
    decides = least(gain for found in gains.values() for gain in found)
    return Decision(decides, in_all(shares), f"of {OF_FOUR}: {told(shares)}")


@study.add_claim("CC-20", "smallest loss from one step of m to the next, bound", OVER)
def more_different_clusters_carry_less(runs: pd.DataFrame) -> Decision:
    """Judge that 'performance deteriorates with the increase in the difference' (4.1)."""
    carried = Carried(runs)
    shares: dict[str, Share] = {}
    steps = []
    for family, way in product((TWO_AND_TWO, ONE_AND_ONE), WAYS):
        falls = [
            carried.more(moved(family, near), moved(family, far), way).interval
            for near, far in pairwise(MOVED)
        ]
        shares[f"{family}, {way}"] = above_zero(falls)
        steps += falls
    note = f"steps of m = 0, 4, ..., 24 at which less is carried: {told(shares)}"
    return Decision(least(steps), in_all(shares), note)


# --- Section 4.2 ---


@study.add_claim("CC-4", "large first less small first, smallest, bound", OVER)
def large_clusters_go_first(runs: pd.DataFrame) -> Decision:
    """Judge 'performance is better when the scheduler starts with the largest' (Figure 5)."""
    carried = Carried(runs)
    gains = [
        (carried.of(sizes, FIRST_FIT) - carried.of(sizes, SMALL_FIRST)).interval
        for sizes in unequal()
    ]
    shares = {"large first carries more": above_zero(gains)}
    return Decision(least(gains), in_all(shares), f"of {OF_POWERS}: {told(shares)}")


@study.add_claim("CC-5", "largest unequal less equal clusters, few clusters, bound", OVER)
def only_many_unequal_clusters_do_well(runs: pd.DataFrame) -> Decision:
    """Judge that unequal clusters do well only if they are 'considerably' more than components.

    The words 'good' and 'considerably' may mean anything: it is asked whether any number of
    clusters separates the divisions that do well from the others.
    """
    carried = Carried(runs)
    behind = {
        sizes: [(carried.of(FOUR_EQUAL, FIRST_FIT) - carried.of(sizes, order)).interval
                for order in (FIRST_FIT, SMALL_FIRST)]
        for sizes in unequal()
    }  # fmt: skip

    def share(limit: float, many: int) -> Share:
        return Share.of(_as_said(behind[sizes], limit, len(sizes) >= many) for sizes in behind)

    def separated(limit: float) -> bool | None:
        apart = [share(limit, many).all_agree for many in range(5, 17)]
        return True if True in apart else None if None in apart else False

    ours = share(GOOD.value, LEAST_OF_MANY)
    note = (
        f"of {OF_POWERS}, 'good' being 3 points from {name_of(FOUR_EQUAL)} and 'considerably' "
        f"{LEAST_OF_MANY} clusters: {ours}"
    )
    few = [orders[0] for sizes, orders in behind.items() if len(sizes) <= MOST_OF_FEW]
    parts: dict[str, Part] = {f"all divisions (ours: {ours})": Asked(GOOD, separated)}
    return Decision(least(few), parts, note)


def _as_said(behind: Sequence[Interval], limit: float, is_many: bool) -> bool | None:
    """Return whether a division does well under both orders if, and only if, it has many."""
    does_well = all_of(*(gap.below(limit) for gap in behind))
    return does_well if is_many else not_(does_well)


@study.add_claim("CC-6", "many less few unequal clusters under worst fit, smallest, bound", OVER)
def worst_fit_wants_equal_or_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge 'large equal clusters give much better', and 'many' unequal ones (Figures 6, 7)."""
    carried = Carried(runs)
    others = [EIGHT_EQUAL, *unequal()]
    gains = [carried.more(FOUR_EQUAL, sizes, WORST_FIT).interval for sizes in others]

    def much_better(limit: float) -> bool | None:
        return Share.of(gain.above(limit) for gain in gains).all_agree

    better = [
        carried.more(many, few, WORST_FIT).interval
        for many in unequal(LEAST_OF_MANY)
        for few in unequal(most_clusters=MOST_OF_FEW)
    ]
    much = Share.of(gain.above(MUCH.value) for gain in gains)
    shares = {"pairs in which many unequal carry more than few": above_zero(better)}
    parts: dict[str, Part] = {f"four equal much better: {much}": Asked(MUCH, much_better)}
    note = f"four equal clusters gain 3 points or more on {much} other divisions; {told(shares)}"
    return Decision(least(better), parts | in_all(shares), note)


@study.add_claim("CC-7", "worst less first fit on few unequal clusters, smallest, bound", OVER)
def worst_fit_is_better_on_few_clusters(runs: pd.DataFrame) -> Decision:
    """Judge 'much better for ... few, equal, large clusters' and 'slightly' for unequal (4.2)."""
    carried = Carried(runs)
    equal = gain_of_worst_fit(carried, FOUR_EQUAL)
    few = dict.fromkeys([*unequal_fours(), *unequal(most_clusters=MOST_OF_FEW)])
    gains = [gain_of_worst_fit(carried, sizes) for sizes in few]

    def slightly(limit: float) -> bool | None:
        return Share.of(gain.below(limit) for gain in gains).all_agree

    shares = {"few unequal clusters: worst fit carries more": above_zero(gains)}
    parts: dict[str, Part] = {f"{name_of(FOUR_EQUAL)}: much better": MUCH.above(equal)}
    parts |= in_all(shares) | {"by little": Asked(SLIGHTLY, slightly)}
    note = f"{told(shares)}; {NOT_VERY_LARGE}"
    return Decision(least(gains), parts, note)


#: Section 7.2 there, Figure 6: D(0.9) on [1, 8] on the same clusters, with the same policy.
NOT_VERY_LARGE = (
    f"worst fit gains as much on {name_of(FOUR_EQUAL)} in the authors' paper of 2003, which calls "
    "the difference 'not very large' (MU-10)"
)


def gain_of_worst_fit(carried: Carried, sizes: Sizes) -> Interval:
    """Return by how much a division carries more under worst fit than under first fit."""
    return (carried.of(sizes, WORST_FIT) - carried.of(sizes, FIRST_FIT)).interval


@study.add_claim("CC-8", "first less worst fit on many clusters, smallest, bound", OVER)
def first_fit_is_better_on_many_clusters(runs: pd.DataFrame) -> Decision:
    """Judge 'WF has significantly worse performance than FF' on many clusters (Figures 4, 6, 8)."""
    carried = Carried(runs)
    many = [EIGHT_EQUAL, *unequal(LEAST_OF_MANY)]
    gains = [gain_of_worst_fit(carried, sizes).times(-1) for sizes in many]

    def significantly(limit: float) -> bool | None:
        return Share.of(gain.above(limit) for gain in gains).all_agree

    large = Share.of(gain.above(SIGNIFICANTLY.value) for gain in gains)
    shares = {"worst fit carries less": above_zero(gains)}
    parts = in_all(shares) | {f"significantly: {large}": Asked(SIGNIFICANTLY, significantly)}
    constant = gain_of_worst_fit(Carried(runs, CONSTANT), EIGHT_EQUAL).times(-1)
    elsewhere: dict[str, Part] = {
        f"{name_of(EIGHT_EQUAL)}, constant service, {100 * constant.estimate:.1f} points": (
            SIGNIFICANTLY.above(constant)
        )
    }
    note = f"of {name_of(EIGHT_EQUAL)} and the unequal divisions into 8 or more: {told(shares)}"
    return Decision(least(gains), parts, note, elsewhere)


# --- Section 6 ---


@study.add_claim("CC-16", "32+32+32+32 less eight clusters of 16 under first fit, bound", OVER)
def few_large_clusters_are_preferred(runs: pd.DataFrame) -> Decision:
    """Judge 'in general, a system with few, large clusters should be preferred'.

    In general is taken to mean more than half of the pairs of divisions. The sentence may be about
    equal clusters or about all: it is decided only if both readings agree. That a better
    performance 'can' be obtained needs one pair.
    """
    carried = Carried(runs)
    readings = {
        "of equal clusters": pairs_with_fewer(carried, EQUAL),
        "of all divisions": pairs_with_fewer(carried, into_powers_of_two()),
    }
    shares = {words: above_zero(gains) for words, gains in readings.items()}
    most = [share.most_agree for share in shares.values()]
    by_worst_fit = carried.more(FOUR_EQUAL, EIGHT_EQUAL, WORST_FIT)
    by_first_fit = carried.more(FOUR_EQUAL, EIGHT_EQUAL, FIRST_FIT)
    no_better = [not_(gain.above(0)) for gain in readings["of equal clusters"]]
    parts: dict[str, Part] = {
        f"in general ({told(shares)})": most[0] if most[0] == most[1] else None,
        "can be better": not_(all_of(*no_better)),
        "especially with worst fit": (by_worst_fit - by_first_fit).interval.above(0),
    }
    note = f"pairs in which fewer clusters carry more, {told(shares)}"
    return Decision(by_first_fit.interval, parts, note)


def pairs_with_fewer(carried: Carried, divisions: Sequence[Sizes]) -> list[Interval]:
    """Return by how much fewer clusters carry more, for each pair of divisions and placement."""
    return [
        carried.more(few, many, way).interval
        for few, many, way in product(divisions, divisions, BOTH)
        if len(few) < len(many)
    ]


@study.add_claim("CC-21", "gain of the placement that is advised, smallest, bound", OVER)
def each_placement_has_its_systems(runs: pd.DataFrame) -> Decision:
    """Judge 'with few, large clusters WF should be used', and that FF is better with many."""
    carried = Carried(runs)
    few = dict.fromkeys([FOUR_EQUAL, *unequal_fours(), *unequal(most_clusters=MOST_OF_FEW)])
    many = [EIGHT_EQUAL, SIXTEEN_EQUAL, *unequal(LEAST_OF_MANY)]
    by_worst_fit = [gain_of_worst_fit(carried, sizes) for sizes in few]
    by_first_fit = [gain_of_worst_fit(carried, sizes).times(-1) for sizes in many]
    shares = {
        "four or five clusters: worst fit carries more": above_zero(by_worst_fit),
        "eight or more: first fit carries more": above_zero(by_first_fit),
    }
    return Decision(least([*by_worst_fit, *by_first_fit]), in_all(shares), told(shares))


@study.add_claim("CC-22", "equal or many less few unequal clusters, smallest, bound", OVER)
def equal_or_many_clusters_are_better(runs: pd.DataFrame) -> Decision:
    """Judge that equal clusters, or many for the number of components, carry more than others."""
    carried = Carried(runs)
    good = [FOUR_EQUAL, EIGHT_EQUAL, *unequal(LEAST_OF_MANY)]
    others = dict.fromkeys([*unequal_fours(), *unequal(most_clusters=MOST_OF_FEW)])
    shares: dict[str, Share] = {}
    smallest = []
    for way in BOTH:
        found = [carried.more(one, other, way).interval for one in good for other in others]
        shares[f"{way}, unordered"] = above_zero(found)
        smallest += found
    of_ordered = [
        carried.more(FOUR_EQUAL, other, ORDERED_WAY).interval for other in unequal_fours()
    ]
    shares["ordered, four clusters"] = above_zero(of_ordered)
    note = f"pairs in which the equal or many clusters carry more: {told(shares)}"
    return Decision(least(smallest), in_all(shares), note)
