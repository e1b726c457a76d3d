"""Figures 1 to 8 of the paper, and its tables as pictures, beside what was printed."""

from coalloc_lib import plots
from coalloc_lib.inference import student
from coalloc_lib.studies.das1 import das1_densities
from coalloc_lib.studies.loss_tables import table_figure
from coalloc_lib.studies.maximal_utilization.claims import exact_loss
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, ROOM, VARIATIONS
from coalloc_lib.studies.maximal_utilization.scenarios import SERVICES

LOSS = "capacity loss"


def all_figures(cells, losses, log):
    """Return the figures as functions without arguments, by file name without suffix."""
    return {
        "table3": lambda: table_figure(cells, 3),
        "table4": lambda: table_figure(cells, 4),
        "figure1-2": das1_densities,
        "figure3": lambda: figure3(losses),
        "figure4": lambda: figure4(losses),
        "service-times": lambda: service_times(losses),
        "figure5": lambda: figure5(losses),
        "figure6": lambda: figure6(losses),
        "figure7": lambda: figure7(losses, log),
        "figure8": lambda: figure8(losses),
    }


def figure3(losses):
    """Draw the loss by request type, beside half of the ordered one."""
    series = {
        "ordered (exact)": {name: exact_loss(name, "ordered") for name in FIVE},
        "unordered (simulated)": _row(losses, "independent", FIVE, "unordered"),
        "total (exact)": {name: exact_loss(name, "total") for name in FIVE},
    }

    def half(axes, labels):
        for i, name in enumerate(labels):
            height = exact_loss(name, "ordered") / 2
            label = "half of ordered" if i == 0 else None
            axes.plot([i - 0.45, i + 0.45], [height] * 2, "k--", linewidth=1, label=label)

    return plots.bars(
        series, title="Figure 3: the loss by request type, four clusters of 32",
        ylabel=LOSS, note=half,
    )  # fmt: skip


def figure4(losses):
    """Draw the loss of independent and of dependent component sizes."""
    series = {
        "independent sizes": _row(losses, "independent", FIVE, "unordered"),
        "dependent sizes": _row(losses, "dependent", FIVE, "unordered"),
    }
    title = "Figure 4: the loss of unordered requests by how components are drawn"
    return plots.bars(series, title=title, ylabel=LOSS)


def service_times(losses):
    """Draw the loss by service-time distribution, for ordered and unordered requests."""
    figure, row = plots.new_figure(7.5, 3.4, columns=2, sharey=True)
    labels = ["det.", "exp.", *(f"hyp.\ncv {cv}" for cv in VARIATIONS)]
    for axes, request in zip(row, ("ordered", "unordered"), strict=True):
        for i, name in enumerate(FIVE):
            found = [student(losses["service", name, f"{request}, {s}"]) for s in SERVICES]
            axes.errorbar(
                range(len(found)),
                [f.estimate for f in found],
                [f.half_width for f in found],
                color=plots.COLOURS[i],
                marker=plots.MARKERS[i],
                markersize=4,
                capsize=2,
                label=name,
            )
        axes.set_xticks(range(len(labels)), labels)
        axes.set_title(request, fontsize=9)
        axes.set_ylim(0, None)
    row[0].set_ylabel(LOSS)
    row[1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=8)
    plots.title_figure(figure, "Section 7.1: the loss by service-time distribution and sizes")
    return figure


def figure5(losses):
    """Draw the loss under FCFS and FPFS, beside ten points less than FCFS."""
    series = {"FCFS": _row(losses, "independent", ROOM, "unordered")}
    for how, words in (("held", "queue held at 500"), ("Poisson", "Poisson arrivals")):
        for jumps in (5, 50):
            series[f"FPFS({jumps}), {words}"] = _row(losses, "fpfs", ROOM, f"{how} {jumps}")

    def ten_points(axes, labels):
        for i, name in enumerate(labels):
            height = series["FCFS"][name].estimate - 0.10
            label = "FCFS less ten points" if i == 0 else None
            axes.plot([i - 0.45, i + 0.45], [height] * 2, "k--", linewidth=1, label=label)

    title = "Figure 5: the loss of unordered requests under FCFS and FPFS"
    return plots.bars(series, title=title, ylabel=LOSS, note=ten_points)


def figure6(losses):
    """Draw the loss by placement."""
    series = {
        "worst fit": _row(losses, "independent", FIVE, "unordered"),
        "first fit": _row(losses, "placement", FIVE, "first fit"),
        "best fit (not in the paper)": _row(losses, "placement", FIVE, "best fit"),
    }
    title = "Figure 6: the loss of unordered requests by placement"
    return plots.bars(series, title=title, ylabel=LOSS)


def figure7(losses, log):
    """Draw the loss with the sizes and service times of logs."""
    names = {
        "CTC": log.title.replace(" (", "\n(") + "\nin its order",
        "CTC drawn": log.title.replace(" (", "\n(") + "\npairs drawn",
        "DAS1": "DAS1 (stand-in)",
    }
    series = {
        request: {label: student(losses["logs", name, request]) for name, label in names.items()}
        for request in ("unordered", "total")
    }
    title = f"Figure 7: the loss with jobs of at most 128, {log.title} and DAS1 (stand-in)"
    return plots.bars(series, title=title, ylabel=LOSS)


def figure8(losses):
    """Draw the loss with and without co-allocation."""
    labels = {
        "four components": "co-allocated:\nfour components",
        "one component": "not co-allocated:\none component",
    }
    series = {
        LOSS: {
            label: student(losses["co-allocation", "sum", name]) for name, label in labels.items()
        }
    }
    title = "Figure 8: the loss where a job's total is in four clusters or in one"
    return plots.bars(series, title=title, ylabel=LOSS)


def _row(losses, figure, names, series):
    return {name: student(losses[figure, name, series]) for name in names}
