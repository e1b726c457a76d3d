"""Figures 1 to 8 of the paper, and its tables as pictures, beside what was printed."""

from coalloc_lib import plots
from coalloc_lib.studies.densities import Das1Densities
from coalloc_lib.studies.loss_figures import LossFigure
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, ROOM, SCALES, SEED, VARIATIONS
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES


class ServiceTimes(LossFigure):
    """Lines in place of bars: the loss by service-time distribution, a line a size distribution."""

    def plot(self):
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


def all_figures(table, log):
    """Return the figures that are simulated.

    Parameters
    ----------
    table : dict
        Measurements, as `all_scenarios` returns them.
    log : SwfLog
        The log behind Figure 7.

    Returns
    -------
    list of Figure
    """
    unordered = ("independent", "unordered")
    figures = [
        _figure(
            "figure3",
            "Figure 3: the loss by request type, four clusters of 32",
            table,
            FIVE,
            {
                "ordered (exact)": ("formula", "ordered"),
                "unordered (simulated)": unordered,
                "total (exact)": ("formula", "total"),
            },
            reference=("half of ordered", lambda row: row["ordered (exact)"].estimate / 2),
        ),
        _figure(
            "figure4",
            "Figure 4: the loss of unordered requests by how components are drawn",
            table,
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
        _figure(
            "figure5",
            "Figure 5: the loss of unordered requests under FCFS and FPFS",
            table,
            ROOM,
            {"FCFS": unordered}
            | {
                f"FPFS({jumps}), {words}": ("fpfs", f"{how} {jumps}")
                for how, words in (("held", "queue held at 500"), ("Poisson", "Poisson arrivals"))
                for jumps in (5, 50)
            },
            reference=("FCFS less ten points", lambda row: row["FCFS"].estimate - 0.10),
        ),
        _figure(
            "figure6",
            "Figure 6: the loss of unordered requests by placement",
            table,
            FIVE,
            {
                "worst fit": unordered,
                "first fit": ("placement", "first fit"),
                "best fit (not in the paper)": ("placement", "best fit"),
            },
        ),
    ]
    return [*figures, _figure7(table, log), _figure8(table), Das1Densities()]


def _figure(name, title, table, groups, series, reference=None):
    """Return bars: a group for each size distribution, from (figure, series) of the table."""
    entries = {
        (group, label): table[figure, group, measured]
        for label, (figure, measured) in series.items()
        for group in groups
    }
    return LossFigure(name, title, entries, SCALES, SEED, reference)


def _figure7(table, log):
    title = log.title.replace(" (", "\n(")
    groups = {
        "CTC": f"{title}\nin its order",
        "CTC drawn": f"{title}\npairs drawn",
        "DAS1": "DAS1 (stand-in)",
    }
    entries = {
        (label, request): table["logs", name, request]
        for request in ("unordered", "total")
        for name, label in groups.items()
    }
    title = f"Figure 7: the loss with jobs of at most 128, {log.title} and DAS1 (stand-in)"
    return LossFigure("figure7", title, entries, SCALES, SEED)


def _figure8(table):
    groups = {
        "four components": "co-allocated:\nfour components",
        "one component": "not co-allocated:\none component",
    }
    entries = {
        (label, LossFigure.ylabel): table["co-allocation", "sum", name]
        for name, label in groups.items()
    }
    title = "Figure 8: the loss where a job's total is in four clusters or in one"
    return LossFigure("figure8", title, entries, SCALES, SEED)
