"""Figures 1 to 8 of the paper."""

from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.loss_figures import LossFigure
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, ROOM, SCALES, SEED, VARIATIONS
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES
from coalloc_lib.studies.measurements import Measurement
from coalloc_lib.workloads.swf import SwfLog


class ServiceTimes(LossFigure):
    """Lines in place of bars: the loss by service-time distribution, a line a size distribution."""

    def plot(self) -> Picture:
        """Draw a panel for ordered and one for unordered requests."""
        figure, row = plots.new_figure(7.5, 3.4, columns=2, sharey=True)
        labels = ["det.", "exp.", *(f"hyp.\ncv {cv}" for cv in VARIATIONS)]
        for axes, request in zip(row, ("ordered", "unordered"), strict=True):
            for i, name in enumerate(FIVE):
                colour, _, marker = plots.look(i)
                found = [self.interval((name, f"{request}, {s}")) for s in SERVICES]
                axes.errorbar(
                    range(len(found)),
                    [f.estimate for f in found],
                    [f.half_width for f in found],
                    color=colour,
                    marker=marker,
                    markersize=4,
                    capsize=2,
                    label=name,
                )
            axes.set_xticks(range(len(labels)), labels)
            axes.set_title(request, fontsize=9)
            axes.set_ylim(0, None)
        row[0].set_ylabel(self.ylabel)
        row[1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8)
        plots.title_figure(figure, self.title)
        return figure


def all_figures(table: Mapping[tuple[str, str, str], Measurement], log: SwfLog) -> list[Figure]:
    """Return the figures, not yet run.

    Parameters
    ----------
    table : dict
        Measurements, as `all_scenarios` returns them.
    log : SwfLog
        The log behind Figure 7.
    """

    def bars(
        name: str, title: str, groups: Iterable[str], series: Mapping[str, tuple], **how: Any
    ) -> LossFigure:
        """Return bars of (figure, series) of the table, by label; `groups` are keys of labels."""
        named = groups if isinstance(groups, dict) else {group: group for group in groups}
        entries = {
            (group, label): table[figure, key, measured]
            for label, (figure, measured) in series.items()
            for key, group in named.items()
        }
        return LossFigure(name, title, entries, SCALES, SEED, **how)

    unordered = ("independent", "unordered")
    return [
        bars(
            "figure3",
            "Figure 3: the loss by request type, four clusters of 32",
            FIVE,
            {
                "ordered (exact)": ("formula", "ordered"),
                "unordered (simulated)": unordered,
                "total (exact)": ("formula", "total"),
            },
            reference=("half of ordered", "ordered (exact)", lambda loss: loss / 2),
        ),
        bars(
            "figure4",
            "Figure 4: the loss of unordered requests by how components are drawn",
            FIVE,
            {"independent sizes": unordered, "dependent sizes": ("dependent", "unordered")},
        ),
        ServiceTimes(
            "service-times",
            "Section 7.1: the loss by service-time distribution and sizes",
            {key[1:]: entry for key, entry in table.items() if key[0] == "service"},
            SCALES,
            SEED,
        ),
        bars(
            "figure5",
            "Figure 5: the loss of unordered requests under FCFS and FPFS",
            ROOM,
            {"FCFS": unordered}
            | {
                f"FPFS({jumps}), {words}": ("fpfs", f"{how} {jumps}")
                for how, words in (("held", "queue held at 500"), ("Poisson", "Poisson arrivals"))
                for jumps in (5, 50)
            },
            reference=("FCFS less ten points", "FCFS", lambda loss: loss - 0.10),
        ),
        bars(
            "figure6",
            "Figure 6: the loss of unordered requests by placement",
            FIVE,
            {
                "worst fit": unordered,
                "first fit": ("placement", "first fit"),
                "best fit (not in the paper)": ("placement", "best fit"),
            },
        ),
        bars(
            "figure7",
            f"Figure 7: the loss with jobs of at most 128, {log.title} and DAS1 (stand-in)",
            {
                "CTC": f"{_broken(log.title)}\nin its order",
                "CTC drawn": f"{_broken(log.title)}\npairs drawn",
                "DAS1": "DAS1 (stand-in)",
            },
            {request: ("logs", request) for request in ("unordered", "total")},
        ),
        bars(
            "figure8",
            "Figure 8: the loss where a job's total is in four clusters or in one",
            {
                "four components": "co-allocated:\nfour components",
                "one component": "not co-allocated:\none component",
            },
            {"capacity loss": ("co-allocation", "capacity loss")},
        ),
        Das1Densities(),
    ]


def _broken(title):
    return title.replace(" (", "\n(")
