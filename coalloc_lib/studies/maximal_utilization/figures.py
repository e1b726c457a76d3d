"""Figures 1 to 8 of the paper."""

from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.checks import one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.loss_figures import Label, LossFigure
from coalloc_lib.studies.maximal_utilization import headlines
from coalloc_lib.studies.maximal_utilization.claims import SMALL_CHANGE
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, ROOM, SCALES, SEED, VARIATIONS
from coalloc_lib.studies.maximal_utilization.scenarios import (
    SERVICES,
    all_scenarios,
    load_log,
    scenarios_of,
)
from coalloc_lib.studies.measurements import Measurement
from coalloc_lib.workloads.swf import SwfLog

#: Coefficients of variation of `SERVICES`.
SPREADS = (0, 1, *VARIATIONS)


class ServiceTimes(LossFigure):
    """Lines in place of bars: by how much the loss grows with the spread of service times."""

    @property
    def threshold_name(self) -> str:
        """What is still called a little growth."""
        return f"growth of {100 * SMALL_CHANGE:.0f} %"

    def growth(self) -> dict[str, dict[str, list[Interval]]]:
        """Return by request and sizes the relative change from deterministic times, in percent."""
        calm, *_ = SERVICES
        found: dict[str, dict[str, list[Interval]]] = {}
        for request in ("ordered", "unordered"):
            for name, row in self.losses.items():
                base = row[f"{request}, {calm}"]
                found.setdefault(request, {})[name] = [
                    (row[f"{request}, {service}"] - base).interval.times(100 / base.mean)
                    for service in SERVICES
                ]
        return found

    def words(self) -> str:
        """Return the figure in words: its title, what is plotted, and where the lines end."""
        rows = [
            f"{request}: " + ", ".join(f"{name} {change.estimate:+.0f} %" for name, change in row)
            for request, row in (
                (request, found.items()) for request, found in headlines.final(self).items()
            )
        ]
        return f"{self.title}. {self.subtitle}. At the end {'; '.join(rows)}."

    def plot(self) -> Picture:
        """Draw a panel for ordered and one for unordered requests."""
        return plots.lines(
            self.growth(),
            SPREADS,
            title=self.title,
            subtitle=self.subtitle,
            xlabel="coefficient of variation",
            ylabel="growth of the loss (%)",
            bold=headlines.grown(self),
            threshold=(self.threshold_name, 100 * SMALL_CHANGE),
        )


SIZED = {
    "figure3": {
        "ordered (exact)": ("formula", "ordered"),
        "unordered (simulated)": ("independent", "unordered"),
        "total, one cluster of 128 (exact)": ("formula", "total"),
    },
    "figure4": {
        "independent sizes": ("independent", "unordered"),
        "dependent sizes": ("dependent", "unordered"),
    },
    "figure5": {"FCFS": ("independent", "unordered")}
    | {
        f"FPFS({jumps}), {words}": ("fpfs", f"{how} {jumps}")
        for how, words in (("held", "queue held at 500"), ("Poisson", "Poisson arrivals"))
        for jumps in (5, 50)
    },
    "figure6": {
        "worst fit": ("independent", "unordered"),
        "first fit": ("placement", "first fit"),
        "best fit (not in the paper)": ("placement", "best fit"),
    },
    "service-times": {
        f"{request}, {service}": ("service", f"{request}, {service}")
        for service in SERVICES
        for request in ("ordered", "unordered")
    },
}


#: More jumps, more colour; how the queue is made does not change what FPFS is.
JUMPS = {
    label: plots.Sign("#F3D08A", "x") if "(5)" in label else plots.MEANINGS["FPFS"]
    for label in SIZED["figure5"]
    if label.startswith("FPFS")
}


def _entries(figure, names):
    """Return the bars of size distributions in a figure, by (name, series)."""
    return {
        (name, label): table[kind, name, measured]
        for name in names
        for table in [scenarios_of(name)]
        for label, (kind, measured) in SIZED[figure].items()
    }


def _sized(figure: str, subtitle: str, names: Iterable[str] = FIVE, **how: Any) -> LossFigure:
    kind = ServiceTimes if figure == "service-times" else LossFigure
    how["of_sizes"] = lambda name: _entries(figure, [name])
    return kind(figure, subtitle, _entries(figure, names), SCALES, SEED, **how)


def all_figures(table: Mapping[tuple[str, str, str], Measurement], log: SwfLog) -> list[Figure]:
    """Return the figures, not yet run.

    Parameters
    ----------
    table : dict
        Measurements, as `all_scenarios` returns them.
    log : SwfLog
        The log behind Figure 7.
    """
    readings = {"CTC": "CTC in its order", "CTC drawn": "CTC, pairs drawn", "DAS1": "DAS1"}
    logs: dict[Label, Measurement] = {
        (request, words): table["logs", reading, request]
        for request in ("unordered", "total")
        for reading, words in readings.items()
    }
    one_total: dict[Label, Measurement] = {
        ("4 × 32", parts): table["co-allocation", parts, "capacity loss"]
        for parts in ("four components", "one component")
    }
    lost = "capacity loss"
    return [
        Das1Densities(),
        _sized(
            "figure3",
            f"Figure 3: {lost} by request type, on 4 × 32 and, for total requests, on 1 × 128",
            claims=["MU-4", "MU-5"],
            headline=headlines.halved,
            threshold=("0.4 to 0.6 of ordered", headlines.half_of_ordered),
        ),
        _sized(
            "figure4",
            f"Figure 4: {lost} of unordered requests by how components are drawn, 4 × 32",
            claims=["MU-6", "MU-7"],
            headline=headlines.dependent_loses_more,
            threshold=("dependent sizes, if the mean alone mattered", headlines.mean_alone),
        ),
        _sized(
            "service-times",
            "Section 7.1: growth of the loss over that with deterministic service times, 4 × 32",
            claims=["MU-8"],
            headline=headlines.service_times_matter,
        ),
        _sized(
            "figure5",
            f"Figure 5: {lost} of unordered requests under FCFS and FPFS, 4 × 32",
            ROOM,
            claims=["MU-9"],
            headline=headlines.overtaking_gains,
            look=JUMPS,
            threshold=("FCFS less 8 to 12 points", headlines.less_ten),
        ),
        _sized(
            "figure6",
            f"Figure 6: {lost} of unordered requests by placement, 4 × 32",
            claims=["MU-10"],
            headline=headlines.worst_fit_loses_least,
            threshold=("worst fit ± 3 points", headlines.near_worst_fit),
        ),
        LossFigure(
            "figure7",
            f"Figure 7: {lost} with jobs of at most 128, {log.title} and the DAS1 stand-in",
            logs,
            SCALES,
            SEED,
            claims=["MU-11"],
            headline=headlines.logs_lose_alike,
            threshold=("DAS1 ± 3 points", headlines.near_das1),
        ),
        LossFigure(
            "figure8",
            f"Figure 8: {lost} with four draws of D(0.9)[1,8] as four components or as one",
            one_total,
            SCALES,
            SEED,
            claims=["MU-12"],
            headline=headlines.spreading_helps,
            threshold=("as much as four components", headlines.as_four),
        ),
    ]


def figure(name: str) -> Figure:
    """Return a figure, not yet run, by its name."""
    log = load_log()
    figures = {each.name: each for each in all_figures(all_scenarios(log), log)}
    return figures[one_of("name", name, tuple(figures))]
