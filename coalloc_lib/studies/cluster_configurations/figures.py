"""Figures 3 to 12 of the paper, its tables as pictures, and the map of placements."""

import numpy as np

from coalloc_lib import plots
from coalloc_lib.studies.cluster_configurations.parameters import (
    EQUAL,
    LOADS,
    SAME_SIZE,
    SAME_TOTAL,
    UNEQUAL,
)
from coalloc_lib.studies.das1 import das1_densities
from coalloc_lib.studies.loss_tables import table_figure

#: Mean response times above this are not drawn: the curve has left for infinity.
TOP = 12.0
#: The jobs of the figures under worst fit.
_ONE_AND_FOUR = ("1", "75% 1, 25% 4", "50% 1, 50% 4", "25% 1, 75% 4", "4")


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
        (10, "size", "number of components, each of one distribution", "worst fit", _ONE_AND_FOUR),
        (11, "total", "number of components of one total", "first fit", SAME_TOTAL),
        (12, "total", "number of components of one total", "worst fit", _ONE_AND_FOUR),
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
    "xlabel": "utilization (dashes: its maximum, simulated)",
    "ylabel": "mean response time",
    "top": TOP,
    "logarithmic": True,
}


def all_figures(cells, runs):
    """Return the figures as functions without arguments, by file name without suffix."""
    drawn = {name: lambda name=name: figure(runs, name) for name in NUMBERED}
    tables = {f"table{n}": lambda n=n: table_figure(cells, n) for n in (1, 2)}
    return tables | {"figure1-2": das1_densities} | drawn | {"map": lambda: placement_map(runs)}


def figure(runs, name):
    """Draw mean response time against utilization; dashes mark the maximal utilization."""
    title, _ = NUMBERED[name]
    bands, asymptotes = _lines(runs, name)
    return plots.curve(LOADS, bands, title=title, asymptotes=asymptotes, **_AXES)


def side_by_side(runs, title, panels):
    """Draw several figures in one picture, so that a line can be followed from one to the next.

    Parameters
    ----------
    runs : Runs
    title : str
    panels : dict of str
        Names of figures by the heading that each panel is given.
    """
    both = {heading: _lines(runs, name) for heading, name in panels.items()}
    bands, asymptotes = ({heading: pair[i] for heading, pair in both.items()} for i in (0, 1))
    return plots.curves(LOADS, bands, title=title, asymptotes=asymptotes, **_AXES)


def _lines(runs, name):
    """Return the points and the maximal utilization of each line of a figure."""
    _, lines = NUMBERED[name]
    bands = {label: _drawn(runs.curves[line]) for label, line in lines.items()}
    return bands, {label: runs.bound(line).estimate for label, line in lines.items()}


def words(runs, *names):
    """Return figures in words: what each line bears, and its last response times."""
    told = []
    for title, lines in map(NUMBERED.get, names):
        told.append(f"{title}. " + "; ".join(f"{n} {_told(runs, at)}" for n, at in lines.items()))
    return ". ".join(told)


def _told(runs, line):
    points = zip(LOADS, runs.curves[line], strict=True)
    known = [(load, point.estimate) for load, point in points if point is not None]
    times = ", ".join(f"{time:.2f} at {load}" for load, time in known[-3:])
    return f"bears {runs.bound(line).estimate:.3f}, response {times}"


def _drawn(points):
    return [point if point is None or point.estimate <= TOP else None for point in points]


def placement_map(runs):
    """Draw by how much worst fit bears more than first fit, for every division of 128."""
    mean = runs.gains.groupby(["clusters", "components"])["gain"].mean()
    table = mean.unstack("clusters")
    labels = [f"{clusters}×{128 // clusters}" for clusters in table.columns]
    return plots.heat_map(
        100 * table.to_numpy(),
        rows=[str(components) for components in table.index],
        columns=labels,
        title="Worst fit less first fit: maximal utilization, percentage points",
        xlabel="system",
        ylabel="components of a job",
    )


def gain_table(runs):
    """Return the map as numbers: the winner of each system and number of components.

    Which placement wins, where the paired 95 % interval of the difference does not hold 0.
    """
    from coalloc_lib.sweep import summarize

    table = summarize(runs.gains)
    wins = np.select(
        [table["gain_low"] > 0, table["gain_high"] < 0], ["worst fit", "first fit"], "-"
    )
    return table.assign(wins=wins)
