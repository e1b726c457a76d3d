"""Figures 1 to 5: what splitting large jobs does to response times, along each parameter."""

from collections.abc import Callable

from coalloc_lib.distributions import Between
from coalloc_lib.studies.communication_penalty import headlines
from coalloc_lib.studies.communication_penalty.dispersion import BY_PENALTY, DispersionFigure
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    JUMPS_ASKED,
    PARTS,
    PRINTED,
    PRINTED_LOAD,
)
from coalloc_lib.studies.communication_penalty.ratios import RatioFigure
from coalloc_lib.studies.communication_penalty.responses import GROUPS, STREAM
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.studies.ratio_lines import At, steps

#: Penalties of Figure 1.
ALONG = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
#: Splitting thresholds of Figures 2 to 6; the last splits none.
THRESHOLDS = (3, 4, 5, 7, 8, 10, 12, 14, 16, 19)
#: Penalties of Figure 3, of which the paper says only that they are four.
FOUR = (0.05, 0.1, 0.15, 0.2)
#: Loads of Figure 4; the paper prints none.
LOADS_TRIED = (0.5, 0.6, 0.7, PRINTED_LOAD)
#: Penalties that are drawn for each job, of the same mean as the constant one.
CONSTANT, SPREAD = 0.1, Between(0.001, 0.199)

PSI = "execution time penalty ψ"
THRES = "splitting threshold (jobs above are split)"
SETTING = f"5×20, D(0.85), FPFS, worst fit, load {PRINTED_LOAD}"
COMMON = f"{SETTING}; bands: 95 %"
#: Groups without bands where all groups are drawn: five bands would be one smear.
BARE = ("S1", "S2", "S3")
OF_GROUPS = f"{SETTING}; bands: 95 %, not drawn of {', '.join(BARE)}"


def penalties() -> RatioFigure:
    """Figure 1: response times by group along the penalty."""
    entries = {
        At(jumps, "", psi): served(jumps, PRINTED_LOAD, above=ABOVE, parts=PARTS, span_penalty=psi)
        for jumps in JUMPS_ASKED
        for psi in ALONG
    }
    return RatioFigure(
        "figure1",
        f"jobs above {ABOVE} in {PARTS} components; {OF_GROUPS}",
        entries,
        xlabel=PSI,
        printed=PRINTED,
        headline=headlines.pays_below,
        bare=BARE,
    )


def split_thresholds() -> RatioFigure:
    """Figure 2: response times by group along the splitting threshold, at a small penalty."""
    return RatioFigure(
        "figure2",
        f"ψ = {FOUR[0]}; {OF_GROUPS}",
        _along_thresholds({"": (FOUR[0], PRINTED_LOAD)}, THRESHOLDS),
        xlabel=THRES,
        headline=headlines.rises_with_threshold,
        bare=BARE,
        claims=("CP-4",),
    )


def best_thresholds() -> RatioFigure:
    """Figure 3: the largest jobs along the splitting threshold, for four penalties."""
    lines = {f"ψ = {psi:g}": (psi, PRINTED_LOAD) for psi in FOUR}
    return RatioFigure(
        "figure3",
        f"jobs of S4 (7 to 19 processors); {COMMON}",
        _along_thresholds(lines, THRESHOLDS),
        xlabel=THRES,
        groups=("S4",),
        look=steps(lines),
        headline=headlines.best_grows,
        claims=("CP-5",),
    )


def loads() -> RatioFigure:
    """Figure 4: all jobs along the splitting threshold, at several loads."""
    lines = {f"load {load:g}": (CONSTANT, load) for load in LOADS_TRIED}
    return RatioFigure(
        "figure4",
        f"all jobs, ψ = {CONSTANT}; 5×20, D(0.85), FPFS, worst fit; bands: 95 %",
        _along_thresholds(lines, THRESHOLDS),
        xlabel=THRES,
        groups=(STREAM,),
        look=steps(lines),
        headline=headlines.best_by_load,
        claims=("CP-6",),
    )


def spread_penalties() -> RatioFigure:
    """Figure 5: penalties drawn for each job beside the same for all, by group."""
    return RatioFigure(
        "figure5",
        f"ψ ~ U[0.001, 0.199] over ψ = {CONSTANT}; {COMMON}",
        _along_thresholds({"": (SPREAD, PRINTED_LOAD)}, THRESHOLDS[:-1]),
        xlabel=THRES,
        groups=tuple(GROUPS),
        base=constant,
        against=f"ψ = {CONSTANT} for all",
        headline=headlines.spread_is_worse,
        claims=("CP-7",),
    )


def constant(entry: Served) -> Served:
    """Return the same jobs, all with the constant penalty."""
    jobs = entry.jobs.with_(span_penalty=CONSTANT)
    return Served(entry.scenario.with_(workload=jobs), entry.load)


def _along_thresholds(lines, thresholds):
    """Return the points of lines, each of one penalty and load, at every MaxJumps asked."""
    return {
        At(jumps, name, above): served(jumps, load, above=above, parts=PARTS, span_penalty=penalty)
        for jumps in JUMPS_ASKED
        for name, (penalty, load) in lines.items()
        for above in thresholds
    }


def own_penalties() -> DispersionFigure:
    """Figure 6: split jobs by their own penalty."""
    return DispersionFigure(
        "figure6",
        f"split jobs by their own ψ (C1 < 0.05 < C2 < 0.10 < C3 < 0.15 < C4), % of all split jobs' "
        f"mean; {COMMON}",
        _along_thresholds({"": (SPREAD, PRINTED_LOAD)}, THRESHOLDS[:-1]),
        xlabel=THRES,
        groups=tuple(BY_PENALTY),
        against="all split jobs",
        look=steps(BY_PENALTY),
        headline=headlines.own_penalty_matters,
        claims=("CP-8",),
    )


#: The figures of the paper, by name; each is made anew, not yet run.
FIGURES: dict[str, Callable[[], RatioFigure]] = {
    "figure1": penalties,
    "figure2": split_thresholds,
    "figure3": best_thresholds,
    "figure4": loads,
    "figure5": spread_penalties,
    "figure6": own_penalties,
}
