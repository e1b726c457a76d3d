"""Figures 1 to 12 of the paper, its tables as pictures, and the map of placements."""

import numpy as np

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.studies.cluster_configurations.parameters import (
    EQUAL,
    PROCESSORS,
    SAME_SIZE,
    SAME_TOTAL,
    UNEQUAL,
)
from coalloc_lib.studies.das1 import das1_densities
from coalloc_lib.studies.loss_tables import table_figure
from coalloc_lib.sweep import summarize

#: Where the vertical axis ends: above, curves are on their way to infinity.
TOP = 12.0


def _numbered():
    """Return each figure's title and lines, by file name without suffix."""
    first = {name: f"{name} first fit" for name in EQUAL | UNEQUAL}
    small = {"4×32": first["4×32"]} | {n: f"{n} first fit, small first" for n in UNEQUAL}
    worst = {name: f"{name} worst fit" for name in EQUAL | UNEQUAL}
    many = ("2×32+2×16+4×8", "4×16+8×8")
    unequal = {name: line for name, line in first.items() if name != "8×16"}
    same = {}
    for number, kind, words, rule, names in (
        (9, "size", "number of components, each of one distribution", "first fit", SAME_SIZE),
        (10, "size", "number of components, each of one distribution", "worst fit", SAME_SIZE),
        (11, "total", "number of components of one total", "first fit", SAME_TOTAL),
        (12, "total", "number of components of one total", "worst fit", SAME_TOTAL),
    ):
        lines = {name: f"same {kind}: {name}, {rule}" for name in names}
        same[f"figure{number}"] = f"Figure {number}: {words}; {rule}", lines
    return {
        "figure3": (
            "Figure 3: equal and unequal clusters, first fit",
            {
                "ordered, equal": "4×32 ordered",
                "unordered, equal": "4×32 first fit",
                "ordered, unequal": "64+32+2×16 ordered",
                "unordered, unequal": "64+32+2×16 first fit",
                "total, 64 alone": "64 alone, total",
            },
        ),
        "figure4": ("Figure 4: equal clusters, first fit", {n: first[n] for n in EQUAL}),
        "figure5a": ("Figure 5, top: first fit from the large clusters on", unequal),
        "figure5b": ("Figure 5, bottom: first fit from the small clusters on", small),
        "figure6": ("Figure 6: equal clusters, worst fit", {n: worst[n] for n in EQUAL}),
        "figure7": (
            "Figure 7: unequal clusters, worst fit",
            {name: line for name, line in worst.items() if name != "8×16"},
        ),
        "figure8": (
            "Figure 8: first and worst fit on many unequal clusters",
            {f"{n}, {r}": f"{n} {r}" for n in many for r in ("first fit", "worst fit")},
        ),
    } | same


NUMBERED = _numbered()
_AXES = {
    "xlabel": "utilization",
    "ylabel": "mean response time (mean service times)",
    "top": TOP,
    "logarithmic": True,
}


def all_figures(cells, runs):
    """Return the figures as functions without arguments, by file name without suffix."""
    drawn = {name: lambda name=name: figure(runs, name) for name in NUMBERED}
    tables = {f"table{n}": lambda n=n: table_figure(cells, n) for n in (1, 2)}
    return tables | {"figure1-2": das1_densities} | drawn | {"map": lambda: placement_map(runs)}


def figure(runs, name):
    """Draw a figure: mean response time against utilization."""
    title, _ = NUMBERED[name]
    return plots.curve(_curves(runs, name), title=title, **_AXES)


def side_by_side(runs, title, panels, left=None):
    """Draw several figures in one picture, so that a line can be followed from one to the next.

    Parameters
    ----------
    runs : Runs
    title : str
    panels : dict of str
        Names of figures by the heading that each panel is given.
    left : float, optional
        Where the horizontal axes begin, to look closer at high loads.
    """
    drawn = {heading: _curves(runs, name) for heading, name in panels.items()}
    # The panels are low: their label needs two lines.
    label = _AXES["ylabel"].replace(" (", "\n(")
    return plots.curves(drawn, title=title, left=left, **_AXES | {"ylabel": label})


def _curves(runs, name):
    _, lines = NUMBERED[name]
    return {label: runs.curves[line] for label, line in lines.items()}


def words(runs, *names):
    """Return figures in words: what each line bears, and its last response times."""
    told = []
    for title, lines in map(NUMBERED.get, names):
        told.append(f"{title}. " + "; ".join(f"{n} {_told(runs, at)}" for n, at in lines.items()))
    return ". ".join(told)


def _told(runs, line):
    curve = runs.curves[line]
    known = [point for point in curve.points if not point.saturated]
    times = ", ".join(f"{p.response.estimate:.2f} at {p.utilization}" for p in known[-3:])
    return f"bears {curve.maximum.max_utilization:.3f}, response {times}"


def placement_map(runs):
    """Draw by how much worst fit bears more than first fit, for every division of 128."""
    table = gain_table(runs)
    columns, rows = (sorted(table[name].unique()) for name in ("clusters", "components"))
    intervals = {
        (rows.index(row.components), columns.index(row.clusters)): Interval(
            row.gain_estimate, row.gain_low, row.gain_high, row.gain_count
        ).times(100)
        for row in table.itertuples()
    }
    return plots.heat_map(
        intervals,
        rows=[str(components) for components in rows],
        columns=[f"{clusters}×{PROCESSORS // clusters}" for clusters in columns],
        title="Worst fit less first fit: maximal utilization, percentage points "
        "(hatched: undecided)",
        xlabel="system",
        ylabel="components of a job",
    )


def gain_table(runs):
    """Return the map as numbers: the winner of each system and number of components.

    Which placement wins, where the paired 95 % interval of the difference does not hold 0.
    """
    table = summarize(runs.gains)
    wins = np.select(
        [table["gain_low"] > 0, table["gain_high"] < 0], ["worst fit", "first fit"], "-"
    )
    return table.assign(wins=wins)
