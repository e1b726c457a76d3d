"""The claims JS-1 to JS-8: each asked of all four workloads, from weeks drawn anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coalloc_lib.estimates import Interval, not_
from coalloc_lib.studies.claims import Claims, Found, furthest, least, most
from coalloc_lib.studies.job_sharing.awrt_lines import AwrtLines, ratio
from coalloc_lib.studies.job_sharing.comparisons import ComparisonFigure
from coalloc_lib.studies.job_sharing.parameters import (
    DIVIDED,
    EQUAL,
    IN_TURN,
    MULTI_SITE,
    NAME,
    ONE,
    PRINTED_OVERHEAD,
    STANDARD,
    SYNTHETIC,
)
from coalloc_lib.studies.ratio_lines import At

#: Relative difference of AWRTs that counts as near, and as only a little.
NEAR = 0.05
#: What 'more than half' is of local execution.
HALF = 0.5


@dataclass(frozen=True, eq=False)
class Runs:
    """The figures that claims are about, run."""

    ways: AwrtLines
    configurations: AwrtLines
    workloads: AwrtLines
    wide: AwrtLines
    joining: ComparisonFigure
    conservative: ComparisonFigure
    choices: ComparisonFigure


def together(names: Sequence[str]) -> str:
    """Return parts as a list in which those that differ in one thing alone stand together.

    Examples
    --------
    >>> together(["pays, m64, jobs 1–10,000", "pays, m64, synthetic", "pays, m128, synthetic"])
    'pays, m64, jobs 1–10,000/synthetic and pays, m128, synthetic'
    """
    rows = [tuple(name.split(", ")) for name in names]
    (width,) = {len(row) for row in rows}
    for i in reversed(range(width)):
        alike: dict[tuple, list[str]] = {}
        for row in rows:
            alike.setdefault((row[:i], row[i + 1 :]), []).append(row[i])
        rows = [(*before, "/".join(cells), *after) for (before, after), cells in alike.items()]
    return " and ".join(", ".join(row) for row in rows)


def named(found: Mapping[str, Interval], one: Interval) -> str:
    """Return of which part an interval is."""
    return next(name for name, each in found.items() if each is one)


claim = Claims(NAME, together, counted=True)


@claim("JS-1", "AWRT of job sharing over that of local execution, where it is largest")
def sharing_halves(runs: Runs) -> Found:
    """Whether sharing takes more than half off, in each configuration and workload."""
    found = {
        f"{label.row}, {label.panel}": runs.joining.interval(label)
        for label in runs.joining.pairs
        if label.series == IN_TURN
    }
    parts = {name: each.below(HALF) for name, each in found.items()}
    largest = most(found.values())
    return largest, parts, f"largest on {named(found, largest)}"


@claim("JS-2", "AWRT of multi-site without overhead over that of one machine, furthest from 1")
def near_one_machine(runs: Runs) -> Found:
    """Whether spanning without overhead is near one machine of 512."""
    figure, found = runs.ways, {}
    for panel in figure.panels:
        spread, one = (figure.entries[At(panel, line, 0.0)] for line in (MULTI_SITE, ONE))
        found[panel] = ratio(spread, one, figure.found, figure.weight, figure.size.resamples)
    parts = {
        f"{STANDARD}, {panel}": each.between(1 - NEAR, 1 + NEAR) for panel, each in found.items()
    }
    return (
        furthest(each.plus(-1) for each in found.values()).plus(1),
        parts,
        f"near: within {NEAR:.0%}; it is exactly 1 by construction: on either, a job starts where "
        "enough processors idle",
    )


@claim("JS-3", "overhead at break-even on m128, synthetic workload")
def pays_up_to_a_quarter(runs: Runs) -> Found:
    """Whether spanning beats sharing on m128 at 25 %, and no longer well above."""
    figure = runs.ways
    parts: dict[str, bool | None] = {}
    for panel in figure.panels:
        at = figure.interval(panel, MULTI_SITE, PRINTED_OVERHEAD)
        beyond = figure.interval(panel, MULTI_SITE, max(figure.lines(panel)[MULTI_SITE]))
        parts[f"pays at 25 %, {panel}"] = at.below(1)
        parts[f"loses at 40 %, {panel}"] = beyond.above(1)
    return figure.break_even(SYNTHETIC, MULTI_SITE).interval, parts


@claim("JS-4", "largest overhead at break-even of m128 and m256")
def equal_machines(runs: Runs) -> Found:
    """Whether equal machines have the lower AWRT, and bear the larger overhead."""
    figure = runs.configurations
    parts: dict[str, bool | None] = {}
    tops = []
    for panel in figure.panels:
        tops += [figure.break_even(panel, name).interval for name in EQUAL]
        for equal in EQUAL:
            for other in (name for name in DIVIDED if name not in EQUAL):
                mine, theirs = (
                    figure.entries[At(panel, name, PRINTED_OVERHEAD)] for name in (equal, other)
                )
                both = ratio(mine, theirs, figure.found, figure.weight, figure.size.resamples)
                where = f"{equal} than {other}, {panel}"
                parts[f"lower AWRT, {where}"] = both.below(1)
                parts[f"larger overhead, {where}"] = figure.bears_more(
                    (panel, equal), (panel, other)
                )
    return most(tops), parts, "AWRT at 25 % overhead"


@claim("JS-5", "smallest overhead at break-even of the extracts on m128 and m256")
def extracts_bear_more(runs: Runs) -> Found:
    """Whether the extracts bear at least what the synthetic workload bears."""
    figure = runs.workloads
    parts: dict[str, bool | None] = {}
    found: dict[str, Interval] = {}
    for panel in figure.panels:
        for line in figure.lines(panel):
            if line != SYNTHETIC:
                name = f"{panel}, {line}"
                found[name] = figure.break_even(panel, line).interval
                parts[name] = not_(figure.bears_more((panel, SYNTHETIC), (panel, line)))
    smallest = least(found.values())
    return smallest, parts, f"smallest on {named(found, smallest)}"


@claim("JS-6", "AWRT with wide jobs whole over that with them in pieces, where it is largest")
def wide_jobs_cost_little(runs: Runs) -> Found:
    """Whether leaving wide jobs whole raises the AWRT by little, at each overhead."""
    figure = runs.wide
    found = {
        f"{line}, p = {place:g}": figure.interval(panel, line, place)
        for panel in figure.panels
        for line, points in figure.lines(panel).items()
        for place in points
    }
    parts = {name: each.below(1 + NEAR) for name, each in found.items()}
    return most(found.values()), parts, f"a little: by less than {NEAR:.0%}"


@claim("JS-7", "AWRT of conservative backfilling over that of EASY, where it is smallest")
def easy_is_better(runs: Runs) -> Found:
    """Whether EASY does better than conservative backfilling, in each mode."""
    figure = runs.conservative
    found = {label: figure.interval(label) for label in figure.pairs}
    parts = {
        f"{label.series}, {label.row}, {label.panel}": x.above(1) for label, x in found.items()
    }
    return least(found.values()), parts


@claim("JS-8", "AWRT of another choice of machines over that of best fit, where it is smallest")
def best_fit_is_good(runs: Runs) -> Found:
    """Whether no other choice of machines is seen to be much better than best fit."""
    figure = runs.choices
    found = {
        f"{label.series}, {label.row}, {label.panel}": figure.interval(label)
        for label in figure.pairs
    }
    parts = {name: each.above(1 - NEAR) for name, each in found.items()}
    smallest = least(found.values())
    why = f"smallest: {named(found, smallest)}; good: no other is better by {NEAR:.0%} or more"
    return smallest, parts, why
