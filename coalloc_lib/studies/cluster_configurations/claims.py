"""The claims CC-1 to CC-13: each from paired intervals that could say the opposite.

One line is *better* than another where it bears more load and, at the loads below saturation of
both at which they were compared, none of its mean response times is more than `LIKE` worse. What
the intervals do not decide is undecided, and said to be.
"""

from functools import partial

from coalloc_lib.estimates import Interval, all_of, not_
from coalloc_lib.studies.claims import Claims, Found, least
from coalloc_lib.studies.cluster_configurations.parameters import (
    COMPARED,
    EQUAL,
    FEW,
    MANY,
    NAME,
    UNEQUAL,
)
from coalloc_lib.studies.cluster_configurations.scenarios import Runs

#: Differences of the maximal utilization: 'much', 'visible' and 'significant' from here on,
#: 'slightly' below, 'hardly' up to here.
MUCH, SLIGHT = 0.03, 0.01
#: Relative difference of mean response times that counts as 'like'.
LIKE = 0.05
#: A load at which a system that does well responds as the best of them do.
MODERATE = 0.6
#: What the extended service times may differ from the rule: response times here are differences
#: of instants some 10^4 times as large, and floats hold 16 digits.
EXACT = 1e-6


class Comparison:
    """One line less another, in pairs of replications.

    Attributes
    ----------
    pairs : Sample
        Difference of the maximal utilizations in each replication.
    borne : Interval
        Its mean.
    responses : dict of Interval
        Difference of mean response times, relative to the second line's, by load.
    """

    def __init__(self, runs: Runs, one: str, other: str) -> None:
        self.pairs = runs.borne[one] - runs.borne[other]
        self.borne = self.pairs.interval
        self.responses: dict[float, Interval] = {}
        for load in COMPARED:
            if (one, load) in runs.responses and (other, load) in runs.responses:
                slow = runs.responses[other, load]
                change = (runs.responses[one, load] - slow).interval
                self.responses[load] = change.times(1 / slow.mean)

    @property
    def better(self) -> bool | None:
        """Whether the first line bears more and is at most `LIKE` slower; None if undecided."""
        return all_of(self.borne.above(0), *(not_(r.above(LIKE)) for r in self.responses.values()))

    @property
    def much_better(self) -> bool | None:
        """Whether it is better, and bears much more."""
        return all_of(self.better, self.borne.above(MUCH))

    @property
    def slightly_better(self) -> bool | None:
        """Whether it is better, and does not bear much more."""
        return all_of(self.better, self.borne.between(-MUCH, MUCH))

    @property
    def alike(self) -> bool | None:
        """Whether the lines hardly differ in what they bear and how they respond."""
        parts = [self.borne.between(-SLIGHT, SLIGHT)]
        parts += [response.between(-LIKE, LIKE) for response in self.responses.values()]
        return all_of(*parts)


claim = Claims(NAME)
#: Unequal systems of few clusters, and of many.
FEW_CLUSTERS = [name for name, clusters in UNEQUAL.items() if len(clusters) <= FEW]
MANY_CLUSTERS = [name for name, clusters in UNEQUAL.items() if len(clusters) >= MANY]
MIXES = ("75% 1, 25% 4", "50% 1, 50% 4", "25% 1, 75% 4")


def _compare(runs, line, one, other):
    """Compare two lines of one name but for what stands in its braces."""
    return Comparison(runs, line.format(one), line.format(other))


def _least(changes):
    return least(change.borne for change in changes)


@claim("CC-1", "ordered: 4×32 less 64+32+2×16, bound")
def _equal_clusters_bear_much_more(runs: Runs) -> Found:
    ordered = Comparison(runs, "4×32 ordered", "64+32+2×16 ordered")
    unordered = Comparison(runs, "4×32 first fit", "64+32+2×16 first fit")
    parts = {
        "ordered: equal much better": ordered.much_better,
        "unordered: equal much better": unordered.much_better,
        "less so for unordered": (ordered.pairs - unordered.pairs).interval.above(0),
    }
    return ordered.borne, parts, f"unordered {unordered.borne}"


@claim("CC-2", "64 alone less 64+32+2×16 ordered, bound")
def _a_large_cluster_alone_is_better(runs: Runs) -> Found:
    change = Comparison(runs, "64 alone, total", "64+32+2×16 ordered")
    return change.borne, {"64 alone better": change.better}


@claim("CC-3", "8×16 less 4×32 under first fit, bound")
def _eight_clusters_are_slightly_better(runs: Runs) -> Found:
    change = Comparison(runs, "8×16 first fit", "4×32 first fit")
    low, *others = COMPARED
    parts = {f"alike at {low}": change.responses[low].between(-LIKE, LIKE)}
    parts |= {f"8×16 faster at {load}": change.responses[load].below(0) for load in others}
    parts["bears slightly more"] = all_of(change.borne.above(0), change.borne.between(-MUCH, MUCH))
    note = ", ".join(f"at {u}: {r.estimate:+.1%}" for u, r in change.responses.items())
    return change.borne, parts, note


@claim("CC-4", "large first less small first, least of five, bound")
def _large_clusters_first(runs: Runs) -> Found:
    changes = {n: _compare(runs, f"{n} first fit{{}}", "", ", small first") for n in UNEQUAL}
    parts = {f"{name}: large first better": change.better for name, change in changes.items()}
    return _least(changes.values()), parts


@claim("CC-5", "unequal less 4×32, least of ten, bound")
def _many_unequal_clusters_do_well(runs: Runs) -> Found:
    """'Well' is much as the four equal clusters do, in what is borne and at a moderate load."""
    parts, changes = {}, []
    for order in ("first fit", "first fit, small first"):
        for name in UNEQUAL:
            change = Comparison(runs, f"{name} {order}", "4×32 first fit")
            changes.append(change)
            moderate = change.responses.get(MODERATE)  # None where that load saturates it
            alike = False if moderate is None else moderate.below(LIKE)
            well = all_of(change.borne.above(-MUCH), alike)
            if name in FEW_CLUSTERS:
                parts[f"{name} {order} does not do well"] = not_(well)
            else:
                parts[f"{name} {order} does well"] = well
    return _least(changes), parts


@claim("CC-6", "many less few unequal under worst fit, least, bound")
def _worst_fit_wants_equal_or_many_clusters(runs: Runs) -> Found:
    compare = partial(_compare, runs, "{} worst fit")
    others = [name for name in EQUAL | UNEQUAL if name != "4×32"]
    parts = {f"4×32 better than {name}": compare("4×32", name).better for name in others}
    changes = {
        f"{many} better than {few}": compare(many, few)
        for many in MANY_CLUSTERS
        for few in FEW_CLUSTERS
    }
    parts |= {words: change.better for words, change in changes.items()}
    return _least(changes.values()), parts


@claim("CC-7", "4×32: worst less first fit, bound")
def _worst_fit_is_better_on_few_clusters(runs: Runs) -> Found:
    names = ["4×32", *FEW_CLUSTERS]
    changes = {n: _compare(runs, f"{n} {{}}", "worst fit", "first fit") for n in names}
    equal = changes.pop("4×32")
    parts = {"4×32: worst fit much better": equal.much_better}
    parts |= {f"{n}: worst fit slightly better": c.slightly_better for n, c in changes.items()}
    return equal.borne, parts


@claim("CC-8", "first less worst fit, least of three, bound")
def _first_fit_is_better_on_many_clusters(runs: Runs) -> Found:
    names = ["8×16", *MANY_CLUSTERS]
    changes = {n: _compare(runs, f"{n} {{}}", "first fit", "worst fit") for n in names}
    parts = {f"{name}: first fit much better": c.much_better for name, c in changes.items()}
    return _least(changes.values()), parts


@claim("CC-9", "one less four components, bound")
def _fewer_components_are_better(runs: Runs) -> Found:
    compare = partial(_compare, runs, "same size: {}, first fit")
    parts = {
        f"{fewer} better than {more}": compare(fewer, more).better
        for fewer, more in (("1", "2"), ("2", "3"), ("3", "4"))
    }
    for mix in MIXES:
        parts[f"{mix} between"] = all_of(compare("1", mix).better, compare(mix, "4").better)
    return compare("1", "4").borne, parts


def _worst_fit_helps(runs, kind, *helped):
    lines = [*helped, "1", "75% 1, 25% 4"]
    changes = {
        n: _compare(runs, f"same {kind}: {n}, {{}}", "worst fit", "first fit") for n in lines
    }
    parts = {f"helps {name}": changes[name].much_better for name in helped}
    parts |= {f"hardly changes {name}": changes[name].alike for name in lines[len(helped) :]}
    return changes["4"].borne, parts


@claim("CC-10", "four components: worst less first fit, bound")
def _worst_fit_helps_many_components(runs: Runs) -> Found:
    return _worst_fit_helps(runs, "size", "4", "25% 1, 75% 4")


@claim("CC-11", "two less four components, bound")
def _two_components_are_best(runs: Runs) -> Found:
    compare = partial(_compare, runs, "same total: {}, first fit")
    two = compare("2", "4")
    parts = {"2 better than 4": two.better, "4 better than 1": compare("4", "1").better}
    parts |= {f"1 better than {mix}": compare("1", mix).better for mix in MIXES}
    parts["adding 2 helps"] = compare("third of each", "50% 1, 50% 4").better
    return two.borne, parts


@claim("CC-12", "four components: worst less first fit, bound")
def _worst_fit_helps_four_of_one_total(runs: Runs) -> Found:
    return _worst_fit_helps(runs, "total", "4")


@claim("CC-13", "largest relative error of the rule")
def _response_times_scale(runs: Runs) -> Found:
    largest = max(runs.scaling.values())
    return largest, {"response times scale with alpha": largest <= EXACT}
