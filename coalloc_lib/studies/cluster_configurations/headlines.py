"""What is seen in each figure, and what its claims are judged by, from the figure's own numbers."""

from itertools import pairwise, product

from coalloc_lib.estimates import all_of
from coalloc_lib.plots import Level
from coalloc_lib.studies.cluster_configurations.claims import (
    FEW_CLUSTERS,
    MANY_CLUSTERS,
    MIXES,
    MUCH,
    SLIGHT,
)
from coalloc_lib.studies.cluster_configurations.parameters import UNEQUAL
from coalloc_lib.studies.curve_figures import CurveFigure
from coalloc_lib.studies.headlines import compared, points, tally

POINTS = f"{100 * MUCH:.0f} points"
#: Jobs of one kind, by their number of components.
KINDS = ("1 component", "2 components", "3 components", "4 components")
EQUAL_ONE, UNEQUAL_ONE, ALONE = "4×32", "64+32+2×16", "64 alone, total"


def equal_clusters_bear_more(figure: CurveFigure) -> str:
    """Figure 3: what equal clusters bear more than unequal ones, for each request type."""
    change = {
        request: figure.gain(f"{EQUAL_ONE}, {request}", f"{UNEQUAL_ONE}, {request}")
        for request in ("ordered", "unordered")
    }
    alone = figure.gain(ALONE, f"{UNEQUAL_ONE}, ordered")
    return (
        f"{EQUAL_ONE} bears {compared(change['ordered'])} than {UNEQUAL_ONE} for ordered requests, "
        f"{compared(change['unordered'])} for unordered ones; 64 alone bears {compared(alone)} "
        "than all of it ordered"
    )


def much_more_than_unequal(figure: CurveFigure) -> dict[str, Level]:
    """Where equal clusters bear much more than unequal ones."""
    found: dict[str, Level] = {ALONE: figure.borne(f"{UNEQUAL_ONE}, ordered").mean}
    for request in ("ordered", "unordered"):
        found[f"{EQUAL_ONE}, {request}"] = figure.borne(f"{UNEQUAL_ONE}, {request}").mean + MUCH
    return found


def eight_bear_slightly_more(figure: CurveFigure) -> str:
    """Figure 4: what 8×16 bears more than 4×32."""
    change = figure.gain("8×16", EQUAL_ONE)
    return f"Under first fit 8×16 bears {compared(change)} than {EQUAL_ONE}"


def slightly_more(figure: CurveFigure) -> dict[str, Level]:
    """Where a line bears slightly more than 4×32."""
    least = figure.borne(EQUAL_ONE).mean
    return {"8×16": (least, least + MUCH)}


def many_do_well(figure: CurveFigure) -> str:
    """Figures 5: how many systems of few and of many clusters come near to 4×32."""
    near = {name: figure.gain(name, EQUAL_ONE).above(-MUCH) for name in UNEQUAL}
    few, many = ({n: near[n] for n in names} for names in (FEW_CLUSTERS, MANY_CLUSTERS))
    return (
        f"At most {POINTS} below {EQUAL_ONE}: {tally(few)} unequal systems of few clusters, "
        f"{tally(many)} of many"
    )


def near_equal(figure: CurveFigure) -> dict[str, Level]:
    """Where an unequal system bears much as 4×32 does."""
    return dict.fromkeys(UNEQUAL, figure.borne(EQUAL_ONE).mean - MUCH)


def large_clusters_first(figure: CurveFigure) -> str:
    """Figure 5, bottom: for how many systems it costs to begin with the small clusters."""
    changes = {name: figure.gain_beside(name) for name in figure.others}
    less = {name: change.below(0) for name, change in changes.items()}
    return (
        f"Beginning with the small clusters bears less for {tally(less, 'unequal systems')}: "
        f"by {points(change.times(-1) for change in changes.values())}"
    )


def worst_fit_on_equal(figure: CurveFigure) -> str:
    """Figure 6: what worst fit bears more than first fit on equal clusters."""
    gains = {name: compared(figure.gain_beside(name)) for name in figure.others}
    (first, gain), *others = gains.items()
    rest = "".join(f"; on {name} {gain}" for name, gain in others)
    return f"On {first} worst fit bears {gain} than first fit{rest}"


def much_from_first_fit(figure: CurveFigure) -> dict[str, Level]:
    """Where worst fit bears much less, or much more, than first fit."""
    means = {name: figure.borne(name, beside=True).mean for name in figure.others}
    return {name: (mean - MUCH, mean + MUCH) for name, mean in means.items()}


def worst_fit_wants_equal(figure: CurveFigure) -> str:
    """Figure 7: whom 4×32 beats under worst fit, and whether many clusters beat few."""
    below = {name: figure.gain(EQUAL_ONE, name).above(0) for name in UNEQUAL}
    pairs = {f"{m} and {f}": (m, f) for m, f in product(MANY_CLUSTERS, FEW_CLUSTERS)}
    many = {words: figure.gain(*pair).above(0) for words, pair in pairs.items()}
    return (
        f"Under worst fit {EQUAL_ONE} bears more than {tally(below, 'unequal systems')}; many "
        f"clusters bear more than few in {tally(many, 'pairs')}"
    )


def first_fit_on_many(figure: CurveFigure) -> str:
    """Figure 8: on how many systems first fit bears much more than worst fit."""
    changes = {n: figure.gain(f"{n}, first fit", f"{n}, worst fit") for n in MANY_CLUSTERS}
    much = {name: change.above(MUCH) for name, change in changes.items()}
    return (
        f"First fit bears over {POINTS} more than worst fit on {tally(much, 'systems')} of many "
        f"small clusters: {points(changes.values())}"
    )


def much_over_worst_fit(figure: CurveFigure) -> dict[str, Level]:
    """Where first fit bears much more than worst fit."""
    means = {name: figure.borne(f"{name}, worst fit").mean for name in MANY_CLUSTERS}
    return {f"{name}, first fit": mean + MUCH for name, mean in means.items()}


def fewer_components_bear_more(figure: CurveFigure) -> str:
    """Figure 9: whether each component less bears more, and mixtures lie between."""
    steps = {f"{a} and {b}": figure.gain(a, b).above(0) for a, b in pairwise(KINDS)}
    one, *_, four = KINDS
    between = {
        mix: all_of(figure.gain(one, mix).above(0), figure.gain(mix, four).above(0))
        for mix in MIXES
    }
    return (
        f"Fewer components bear more in {tally(steps, 'steps')}, one "
        f"{compared(figure.gain(one, four))} than four; mixtures lie between in {tally(between)}"
    )


def worst_fit_helps(figure: CurveFigure) -> str:
    """Figures 10 and 12: what worst fit bears more than first fit with four components and one."""
    one, four = (compared(figure.gain_beside(name)) for name in (KINDS[0], KINDS[-1]))
    return f"With four components worst fit bears {four} than first fit, with one {one}"


def helped_or_hardly(figure: CurveFigure) -> dict[str, Level]:
    """Where worst fit helps much, and, for jobs mostly of one component, where it hardly does."""
    found: dict[str, Level] = {}
    for name in figure.others:
        mean = figure.borne(name, beside=True).mean
        mostly_one = name in (KINDS[0], MIXES[0])
        found[name] = (mean - SLIGHT, mean + SLIGHT) if mostly_one else mean + MUCH
    return found


def two_components_bear_most(figure: CurveFigure) -> str:
    """Figure 11: the order of one, two and four components, and what mixing one and four costs."""
    one, two, _, four = KINDS
    mixes = {mix: figure.gain(one, mix).above(0) for mix in MIXES}
    return (
        f"Of one total, two components bear {compared(figure.gain(two, four))} than four, and four "
        f"{compared(figure.gain(four, one))} than one; {tally(mixes)} mixtures of one and four "
        "bear less than one alone"
    )
