"""Maps of where splitting pays, further than the paper."""

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of, shown
from coalloc_lib.studies.communication_penalty import responses as paper
from coalloc_lib.studies.communication_penalty.figures import PLACEMENTS, beside, pick, study
from coalloc_lib.studies.communication_penalty.responses import LoadedScenario, jumps_label, served
from coalloc_lib.studies.core import Entries, Results

ABOVE, PARTS, PRINTED_LOAD = paper.ABOVE, paper.PARTS, paper.PRINTED_LOAD
JUMPS, NO_LIMIT, NAMES, STREAM = paper.JUMPS, paper.NO_LIMIT, paper.NAMES, paper.STREAM
#: How cells look where one side saturates, and what that means.
MARKS = {
    "split": ("longer", "∞: no mean, split jobs fill the system or nearly"),
    "whole": ("shorter", "−∞: whole ones do"),
    "both": ("neither", "×: both do"),
}


def one_more_cell(label: Any, case: Any) -> Entries:
    """Return what a reader adds: panel, row and column in words, and a `LoadedScenario`."""
    instance_of("case", case, LoadedScenario, "served(max_jumps, load, above=...)")
    if not (isinstance(label, tuple) and [*map(type, label)] == [str] * 3):
        raise InputError(f"label = {shown(label)}; give the panel, row and column, in words")
    return {label: beside(replace(case, cell=True))}


def change_table(entries: Entries, results: Results) -> pd.DataFrame:
    """Return by how many percent splitting changes responses: a row a cell and group."""
    rows = []
    for label, (split, whole) in entries.items():
        where = dict(zip(("panel", "row", "column"), label, strict=True)) | split.columns()
        pair = results[split], results[whole]
        rows += [where | {"group": name} | paper.change(*pair, name) for name in NAMES]
    return pd.DataFrame(rows)


def draw_map(
    table: pd.DataFrame, title: str = "", subtitle: str = "", ylabel: str = "", group: str = STREAM
) -> Picture:
    """Draw the maps of a group of jobs."""
    drawn = pick(table, group=group)
    gone, kinds = drawn["saturated"] != "", drawn["saturated"].unique()
    open_ = drawn["verdict"].where(drawn["verdict"] == "undecided", "")
    ends = {name: drawn[name].mask(gone) for name in ("change", "ci95_low", "ci95_high")}
    who = "all jobs" if group == STREAM else group
    texts = [subtitle, "hatched: undecided"]
    texts += [words for kind, (_, words) in MARKS.items() if kind in kinds]
    mark = drawn["saturated"].map({"": ""} | {kind: mark for kind, (mark, _) in MARKS.items()})
    return plots.maps(
        drawn.assign(mark=mark, warning=drawn["warning"].mask(gone, open_), **ends),
        x="column", y="row", value="change", panel="panel", mark="mark", xlabel="penalty",
        ylabel=ylabel, values=f"mean response of {who}: change, %", title=title,
        subtitle="; ".join(filter(None, texts)),
    )  # fmt: skip


def _more(table, verdict, one, other):
    """Whether more cells with the first values than with others have this verdict on all jobs."""
    counts = [len(pick(table, group=STREAM, verdict=verdict, **each)) for each in (one, other)]
    return counts[0] > counts[1]


def _most_under_fcfs(table):
    """Whether splitting that costs nothing certainly gains more under FCFS, row by row."""
    free = pick(table, group=STREAM, psi=0.0).set_index("parts")
    first = free["max_jumps"] == jumps_label(0)
    low = free["ci95_low"][~first]
    return len(low) > 0 and (free["ci95_high"][first].reindex(low.index) < low).all()


#: Both ways to split jobs above 3, as rows of the map.
_ALWAYS_OR_NOT = [{"row": f"above 3, {name}"} for name in PLACEMENTS]


def _cell(jumps, load=PRINTED_LOAD, placement="always", above=ABOVE, parts=PARTS, **split):
    asked = served(jumps, load, above=above, parts=parts, **split).scenario
    return beside(LoadedScenario(asked.with_(placement=PLACEMENTS[placement]), load, cell=True))


def _add_map(name, shows, ylabel, row, panel="{policy}", notice="", when=None, **axes):
    """Add a map; its cells are a product of axes: values of `_cell`, or where a scale has them."""

    def cases(scale, seed):
        values = [getattr(scale, axis) if isinstance(axis, str) else axis for axis in axes.values()]
        entries = {}
        for at in (dict(zip(axes, point, strict=True)) for point in product(*values)):
            policy = f"FPFS({jumps_label(at['jumps'])})" if at["jumps"] else "FCFS"
            words = (each.format(policy=policy, **at) for each in (panel, row))
            entries[*words, f"{at['span_penalty']:g}"] = _cell(**at)
        return entries

    study.add_figure(
        name, f"{shows}, worst fit, against the same jobs whole", cases,
        draw=partial(draw_map, ylabel=ylabel), notice=notice, when=when, one_more=one_more_cell,
    )(change_table)  # fmt: skip


for _jumps, _notice, _when in (
    (JUMPS, "Splitting pays in more cells at the highest load than at the lowest",
     lambda t: _more(t, "gains", {"load": t["load"].max()}, {"load": t["load"].min()})),
    (NO_LIMIT, "Passed without limit, jobs split at a penalty of 0.2 lose or change nothing",
     lambda t: {"loses"} <= {*pick(t, group=STREAM, psi=0.2)["verdict"]} <= {
         "loses", "undecided", "both saturate"}),
):  # fmt: skip
    _add_map(
        f"viability-{jumps_label(_jumps).replace(' ', '-')}",
        f"jobs above a size in {PARTS} components, FPFS({jumps_label(_jumps)})",
        "splits jobs above", "{above}", "load {load:.3f}", _notice, _when,
        jumps=(_jumps,), load="map_loads", above="map_above", span_penalty="map_penalties",
    )  # fmt: skip
_add_map(
    "components", f"jobs above {ABOVE} in components, load {PRINTED_LOAD}", "components", "{parts}",
    notice="Splitting gains most under FCFS, where nobody may pass, and least in five components",
    when=lambda t: _most_under_fcfs(t)
    and all(_more(t, "gains", {"parts": n}, {"parts": 5}) for n in (2, 4)),
    jumps="map_jumps", parts=(2, 4, 5), span_penalty="map_penalties",
)  # fmt: skip
_add_map(
    "adaptive",
    f"load {PRINTED_LOAD}, {PARTS} components, always or only of jobs that cannot start whole",
    "", "above {above}, {placement}",
    notice="Split at need loses in fewer cells than always split, and gains in no fewer",
    when=lambda t: _more(t, "loses", *_ALWAYS_OR_NOT)
    and not _more(t, "gains", *_ALWAYS_OR_NOT),
    jumps="map_jumps", above=(ABOVE, 3), placement=PLACEMENTS, span_penalty="map_penalties",
)  # fmt: skip
_add_map(
    "kept-whole", f"load {PRINTED_LOAD}, jobs above {ABOVE} in {PARTS} components but for a share",
    "cannot be split", "{kept_whole:.0%}",
    notice="Where a quarter cannot be split, splitting the others pays less often",
    when=lambda t: _more(t, "gains", {"kept_whole": 0.0}, {"kept_whole": 0.25}),
    jumps="spread_jumps", kept_whole=(0.0, 0.25, 0.5, 0.75), span_penalty="map_penalties",
)  # fmt: skip
