"""Figures 3 to 12 of the paper."""

from collections.abc import Iterable, Mapping
from typing import Any

from coalloc_lib import plots
from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations import headlines
from coalloc_lib.studies.cluster_configurations.break_even import BreakEvenFigure
from coalloc_lib.studies.cluster_configurations.claims import (
    FEW_CLUSTERS,
    MANY_CLUSTERS,
)
from coalloc_lib.studies.cluster_configurations.parameters import (
    EQUAL,
    PROCESSORS,
    SAME_SIZE,
    SAME_TOTAL,
    SCALES,
    SEED,
    UNEQUAL,
)
from coalloc_lib.studies.cluster_configurations.placement_map import PlacementMap
from coalloc_lib.studies.cluster_configurations.scenarios import LINES, Runs
from coalloc_lib.studies.curve_figures import CurveFigure, Line
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.figure import Figure, give
from coalloc_lib.studies.measurements import Scale

#: One sign for each system, in all figures: equal ones, unequal ones of few and of many clusters.
SYSTEMS = {
    "4×32": plots.STANDARD,
    "8×16": plots.Sign("#117733", "H"),
    "64+32+2×16": plots.Sign("#999933", "d"),
    "64+4×16": plots.Sign("#CC6677", "8"),
    "2×40+3×16": plots.Sign("#332288", "h"),
    "2×32+2×16+4×8": plots.Sign("#AA4499", "p"),
    "4×16+8×8": plots.Sign("#000000", "v"),
}
#: Jobs by their mean number of components; `scenarios.LINES` calls those of one kind by a number.
JOBS = {
    "1 component": "1",
    "75% 1, 25% 4": "75% 1, 25% 4",
    "2 components": "2",
    "third of each": "third of each",
    "50% 1, 50% 4": "50% 1, 50% 4",
    "3 components": "3",
    "25% 1, 75% 4": "25% 1, 75% 4",
    "4 components": "4",
}
RULES = ("first fit", "worst fit")
HELPED = "3 points over first fit, or ± 1 point where one component prevails"
_STEPS = plots.shades(JOBS)


def figure(name: str) -> Figure:
    """Return a figure, not yet run, by its name."""
    others = [Das1Densities(), PlacementMap(), BreakEvenFigure()]
    figures = {each.name: each for each in [*curve_figures(), *others]}
    return figures[one_of("name", name, tuple(figures))]


def _curves(name: str, subtitle: str, lines: Mapping[str, str], beside: Any = None, **how: Any):
    """Return a figure of lines of `LINES`, by label; `beside` is a name and such lines."""
    entries = {label: LINES[line] for label, line in lines.items()}
    if beside is not None:
        how["beside"] = beside[0], {label: LINES[line] for label, line in beside[1].items()}
    subtitle = f"{subtitle}; below, what each line bears"
    return CurveFigure(name, subtitle, entries, SCALES, SEED, processors=PROCESSORS, **how)


def _of_systems(name: str, subtitle: str, names: Iterable[str], rule: str, **how: Any):
    lines = {system: f"{system} {rule}" for system in names}
    if "small first" in rule:  # that makes no difference to the equal one
        lines["4×32"] = "4×32 first fit"
    panels: dict[str, list[str]] = {"": []}
    if set(UNEQUAL) <= set(lines):
        panels = {
            _counted("few", FEW_CLUSTERS): ["4×32", *FEW_CLUSTERS],
            _counted("many", MANY_CLUSTERS): ["4×32", *MANY_CLUSTERS],
        }
    return _curves(name, subtitle, lines, panels=panels, look=SYSTEMS, **how)


def _counted(words, names):
    numbers = sorted({len(UNEQUAL[name]) for name in names})
    return f"{words} unequal clusters: {' or '.join(map(str, numbers))}"


def _of_components(number: int, kind: str, rule: str, words: str, **how: Any) -> CurveFigure:
    models = SAME_SIZE if kind == "size" else SAME_TOTAL
    lines = {n: f"same {kind}: {key}, {rule}" for n, key in JOBS.items() if key in models}
    if rule == "worst fit":
        others = {name: line.replace(rule, "first fit") for name, line in lines.items()}
        how["beside"] = f"first fit, Figure {number - 1}", others
    mixed = [name for name in lines if "component" not in name]
    panels = {
        "jobs of one kind": [name for name in lines if "component" in name],
        "shares of jobs with 1, 2 or 4 components": ["1 component", *mixed],
    }
    subtitle = f"Figure {number}: response times by number of components, {words}, {rule}, 4×32"
    return _curves(f"figure{number}", subtitle, lines, panels=panels, look=_STEPS, **how)


def curve_figures() -> list[CurveFigure]:
    """Return Figures 3 to 12, not yet run."""
    times = "response times"
    first = {name: f"{name} first fit" for name in SYSTEMS}
    unequal = ["4×32", *UNEQUAL]
    much = "3 points from first fit"
    return [
        _curves(
            "figure3",
            f"Figure 3: {times} on equal and unequal clusters, first fit; shares of 128 processors",
            {
                "4×32, ordered": "4×32 ordered",
                "64+32+2×16, ordered": "64+32+2×16 ordered",
                "64 alone, total": "64 alone, total",
                "4×32, unordered": "4×32 first fit",
                "64+32+2×16, unordered": "64+32+2×16 first fit",
            },
            panels={
                "ordered requests": ["4×32, ordered", "64+32+2×16, ordered", "64 alone, total"],
                "unordered requests": ["4×32, unordered", "64+32+2×16, unordered"],
            },
            look={
                f"{name}, {request}": SYSTEMS[name]
                for name in ("4×32", "64+32+2×16")
                for request in ("ordered", "unordered")
            },
            claims=["CC-1", "CC-2"],
            headline=headlines.equal_clusters_bear_more,
            threshold=(
                "3 points over 64+32+2×16; for 64 alone, as much",
                headlines.much_more_than_unequal,
            ),
        ),
        _of_systems(
            "figure4",
            f"Figure 4: {times} on equal clusters, first fit",
            EQUAL,
            "first fit",
            claims=["CC-3"],
            headline=headlines.eight_bear_slightly_more,
            threshold=("0 to 3 points over 4×32", headlines.slightly_more),
        ),
        _of_systems(
            "figure5a",
            f"Figure 5, top: {times}, first fit from the large clusters on",
            unequal,
            "first fit",
            claims=["CC-5"],
            headline=headlines.many_do_well,
            threshold=("3 points below 4×32", headlines.near_equal),
        ),
        _of_systems(
            "figure5b",
            f"Figure 5, bottom: {times}, first fit from the small clusters on",
            unequal,
            "first fit, small first",
            beside=("from the large ones on", {name: first[name] for name in UNEQUAL}),
            claims=["CC-4", "CC-5"],
            headline=headlines.large_clusters_first,
            threshold=("3 points below 4×32", headlines.near_equal),
        ),
        _of_systems(
            "figure6",
            f"Figure 6: {times} on equal clusters, worst fit",
            EQUAL,
            "worst fit",
            beside=("first fit, Figure 4", {name: first[name] for name in EQUAL}),
            claims=["CC-7", "CC-8"],
            headline=headlines.worst_fit_on_equal,
            threshold=(much, headlines.much_from_first_fit),
        ),
        _of_systems(
            "figure7",
            f"Figure 7: {times} on unequal clusters, worst fit",
            unequal,
            "worst fit",
            beside=("first fit, Figure 5", {name: first[name] for name in unequal}),
            claims=["CC-6", "CC-7"],
            headline=headlines.worst_fit_wants_equal,
            threshold=(much, headlines.much_from_first_fit),
        ),
        _curves(
            "figure8",
            f"Figure 8: {times} on many unequal clusters by placement",
            {f"{n}, {rule}": f"{n} {rule}" for n in MANY_CLUSTERS for rule in RULES},
            panels={name: [f"{name}, {rule}" for rule in RULES] for name in MANY_CLUSTERS},
            look={f"{n}, {rule}": plots.MEANINGS[rule] for n in MANY_CLUSTERS for rule in RULES},
            claims=["CC-8"],
            headline=headlines.first_fit_on_many,
            threshold=("3 points over worst fit", headlines.much_over_worst_fit),
        ),
        _of_components(
            9, "size", "first fit", "each of one distribution",
            claims=["CC-9"], headline=headlines.fewer_components_bear_more,
        ),
        _of_components(
            10, "size", "worst fit", "each of one distribution",
            claims=["CC-10"], headline=headlines.worst_fit_helps,
            threshold=(HELPED, headlines.helped_or_hardly),
        ),
        _of_components(
            11, "total", "first fit", "of one total",
            claims=["CC-11"], headline=headlines.two_components_bear_most,
        ),
        _of_components(
            12, "total", "worst fit", "of one total",
            claims=["CC-12"], headline=headlines.worst_fit_helps,
            threshold=(HELPED, headlines.helped_or_hardly),
        ),
    ]  # fmt: skip


def all_figures(runs: Runs, scale: Scale, seed: Seed) -> list[Figure]:
    """Return the figures with what `runs`, made at this scale and seed, has of them."""
    found = {line: Line(runs.curves[line], runs.borne[name]) for name, line in LINES.items()}
    curves = curve_figures()
    give(curves, found, scale, seed)
    return [Das1Densities(), *curves, PlacementMap(runs.gains, (scale, seed))]
