"""The claims CC-1 to CC-13: each from paired intervals that could say the opposite.

One line is *better* than another where it bears more load and, at the loads below saturation of
both at which they were compared, none of its mean response times is more than `LIKE` worse. What
the intervals do not decide is undecided, and said to be.
"""

from coalloc_lib.estimates import all_of
from coalloc_lib.inference import paired_difference, student
from coalloc_lib.studies.cluster_configurations.parameters import (
    COMPARED,
    EQUAL,
    FEW,
    MANY,
    NAME,
    UNEQUAL,
)
from coalloc_lib.studies.ledger import claim_row

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
    pairs : ndarray
        Difference of the maximal utilizations in each replication.
    borne : Interval
        Its mean.
    responses : dict
        Interval of the difference of mean response times, relative to the second line's, by load.
    """

    def __init__(self, runs, one, other):
        self.pairs = runs.borne[one] - runs.borne[other]
        self.borne = student(self.pairs)
        self.responses = {
            load: paired_difference(runs.responses[one, load], runs.responses[other, load]).times(
                1 / runs.responses[other, load].mean()
            )
            for load in COMPARED
            if (one, load) in runs.responses and (other, load) in runs.responses
        }

    @property
    def better(self):
        """Whether the first line bears more and is at most `LIKE` slower; None if undecided."""
        worse = self.borne.high < 0 or any(r.low > LIKE for r in self.responses.values())
        proven = self.borne.low > 0 and all(r.high <= LIKE for r in self.responses.values())
        return True if proven and not worse else False if worse else None

    @property
    def much_better(self):
        """Whether it is better, and bears much more."""
        return all_of(self.better, self.borne.above(MUCH))

    @property
    def alike(self):
        """Whether the lines hardly differ in what they bear and how they respond."""
        parts = [self.borne.between(-SLIGHT, SLIGHT)]
        parts += [response.between(-LIKE, LIKE) for response in self.responses.values()]
        return all_of(*parts)


def judge_claims(runs):
    """Return the ledger rows of all claims.

    Parameters
    ----------
    runs : Runs
    """
    judges = (_cc1, _cc2, _cc3, _cc4, _cc5, _cc6, _cc7, _cc8, _cc9, _cc10, _cc11, _cc12, _cc13)
    return [judge(runs) for judge in judges]


def _claim(item, quantity, comparison, parts, note=""):
    return claim_row(NAME, item, quantity, comparison.borne, parts, note)


def _cc1(runs):
    ordered = Comparison(runs, "4×32 ordered", "64+32+2×16 ordered")
    unordered = Comparison(runs, "4×32 first fit", "64+32+2×16 first fit")
    less = paired_difference(ordered.pairs, unordered.pairs)
    parts = {
        "ordered: equal much better": ordered.much_better,
        "unordered: equal much better": unordered.much_better,
        "less so for unordered": less.above(0),
    }
    note = f"unordered {unordered.borne}"
    return _claim("CC-1", "ordered: 4×32 less 64+32+2×16, bound", ordered, parts, note)


def _cc2(runs):
    change = Comparison(runs, "64 alone, total", "64+32+2×16 ordered")
    parts = {"64 alone better": change.better}
    return _claim("CC-2", "64 alone less 64+32+2×16 ordered, bound", change, parts)


def _cc3(runs):
    change = Comparison(runs, "8×16 first fit", "4×32 first fit")
    low, *others = COMPARED
    parts = {f"alike at {low}": change.responses[low].between(-LIKE, LIKE)}
    parts |= {f"8×16 faster at {load}": change.responses[load].below(0) for load in others}
    parts["bears slightly more"] = all_of(change.borne.above(0), change.borne.between(-MUCH, MUCH))
    note = ", ".join(f"at {u}: {r.estimate:+.1%}" for u, r in change.responses.items())
    return _claim("CC-3", "8×16 less 4×32 under first fit, bound", change, parts, note)


def _cc4(runs):
    changes = {
        name: Comparison(runs, f"{name} first fit", f"{name} first fit, small first")
        for name in UNEQUAL
    }
    parts = {f"{name}: large first better": change.better for name, change in changes.items()}
    least = min(changes.values(), key=lambda change: change.borne.estimate)
    return _claim("CC-4", "large first less small first, least of five, bound", least, parts)


def _cc5(runs):
    """'Well' is much as the four equal clusters do, in what is borne and at a moderate load."""
    parts, changes = {}, []
    for order in ("first fit", "first fit, small first"):
        for name in UNEQUAL:
            change = Comparison(runs, f"{name} {order}", "4×32 first fit")
            changes.append(change)
            moderate = change.responses.get(MODERATE)  # None where that load saturates it
            alike = False if moderate is None else moderate.below(LIKE)
            well = all_of(change.borne.above(-MUCH), alike)
            if len(UNEQUAL[name]) > FEW:
                parts[f"{name} {order} does well"] = well
            else:
                parts[f"{name} {order} does not do well"] = None if well is None else not well
    worst = min(changes, key=lambda change: change.borne.estimate)
    return _claim("CC-5", "unequal less 4×32, least of ten, bound", worst, parts)


def _cc6(runs):
    best = "4×32 worst fit"
    others = [name for name in EQUAL | UNEQUAL if name != "4×32"]
    parts = {
        f"4×32 better than {name}": Comparison(runs, best, f"{name} worst fit").better
        for name in others
    }
    changes = []
    for many in (name for name in UNEQUAL if len(UNEQUAL[name]) >= MANY):
        for few in (name for name in UNEQUAL if len(UNEQUAL[name]) <= FEW):
            changes.append(Comparison(runs, f"{many} worst fit", f"{few} worst fit"))
            parts[f"{many} better than {few}"] = changes[-1].better
    least = min(changes, key=lambda change: change.borne.estimate)
    return _claim("CC-6", "many less few unequal under worst fit, least, bound", least, parts)


def _worst_less_first(runs, name):
    return Comparison(runs, f"{name} worst fit", f"{name} first fit")


def _cc7(runs):
    equal = _worst_less_first(runs, "4×32")
    parts = {"4×32: worst fit much better": equal.much_better}
    for name in (name for name in UNEQUAL if len(UNEQUAL[name]) <= FEW):
        change = _worst_less_first(runs, name)
        parts[f"{name}: worst fit slightly better"] = all_of(
            change.better, change.borne.between(-MUCH, MUCH)
        )
    return _claim("CC-7", "4×32: worst less first fit, bound", equal, parts)


def _cc8(runs):
    names = ["8×16", *(name for name in UNEQUAL if len(UNEQUAL[name]) >= MANY)]
    changes = {n: Comparison(runs, f"{n} first fit", f"{n} worst fit") for n in names}
    parts = {f"{name}: first fit much better": c.much_better for name, c in changes.items()}
    least = min(changes.values(), key=lambda change: change.borne.estimate)
    return _claim("CC-8", "first less worst fit, least of three, bound", least, parts)


def _of(kind, name, placement="first fit"):
    return f"same {kind}: {name}, {placement}"


MIXES = ("75% 1, 25% 4", "50% 1, 50% 4", "25% 1, 75% 4")


def _cc9(runs):
    parts = {}
    for fewer, more in (("1", "2"), ("2", "3"), ("3", "4")):
        change = Comparison(runs, _of("size", fewer), _of("size", more))
        parts[f"{fewer} better than {more}"] = change.better
    for mix in MIXES:
        upper = Comparison(runs, _of("size", "1"), _of("size", mix))
        lower = Comparison(runs, _of("size", mix), _of("size", "4"))
        parts[f"{mix} between"] = all_of(upper.better, lower.better)
    change = Comparison(runs, _of("size", "1"), _of("size", "4"))
    return _claim("CC-9", "one less four components, bound", change, parts)


def _worst_fit_helps(runs, kind, name):
    return Comparison(runs, _of(kind, name, "worst fit"), _of(kind, name))


def _cc10(runs):
    four = _worst_fit_helps(runs, "size", "4")
    dominated = _worst_fit_helps(runs, "size", "25% 1, 75% 4")
    parts = {
        "helps 4": four.much_better,
        "helps 25% 1, 75% 4": dominated.much_better,
        "hardly changes 1": _worst_fit_helps(runs, "size", "1").alike,
        "hardly changes 75% 1, 25% 4": _worst_fit_helps(runs, "size", "75% 1, 25% 4").alike,
    }
    return _claim("CC-10", "four components: worst less first fit, bound", four, parts)


def _cc11(runs):
    def compare(one, other):
        return Comparison(runs, _of("total", one), _of("total", other))

    parts = {
        "2 better than 4": compare("2", "4").better,
        "4 better than 1": compare("4", "1").better,
    }
    parts |= {f"1 better than {mix}": compare("1", mix).better for mix in MIXES}
    with_two = compare("third of each", "50% 1, 50% 4")
    parts["adding 2 helps"] = with_two.better
    return _claim("CC-11", "two less four components, bound", compare("2", "4"), parts)


def _cc12(runs):
    four = _worst_fit_helps(runs, "total", "4")
    parts = {
        "helps 4": four.much_better,
        "hardly changes 1": _worst_fit_helps(runs, "total", "1").alike,
        "hardly changes 75% 1, 25% 4": _worst_fit_helps(runs, "total", "75% 1, 25% 4").alike,
    }
    return _claim("CC-12", "four components: worst less first fit, bound", four, parts)


def _cc13(runs):
    most = max(runs.scaling.values())
    parts = {"response times scale with alpha": most <= EXACT}
    return claim_row(NAME, "CC-13", "largest relative error of the rule", most, parts)
