"""Figures 1 and 2 of both papers of Bucur and Epema: the log of the first DAS, by its stand-in."""

import numpy as np

from coalloc_lib import plots
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes


def das1_densities():
    """Draw the sizes and service times of the DAS1 stand-in (Figures 1 and 2)."""
    sizes = das1_sizes()
    times = das1_service_times().sample(np.random.default_rng(1), 200_000)
    edges = np.arange(0, 901, 30)
    share = np.histogram(times, edges)[0] / len(times)
    panels = {
        "Figure 1: sizes": (np.arange(129) - 0.5, _padded(sizes.probabilities, 129), 1.0),
        "Figure 2: service times up to 900 s": (edges[:-1], share, 30.0),
    }
    figure = plots.density(
        panels,
        title="DAS1, a stand-in with the published moments",
        xlabel="processors",
        ylabel="share of jobs",
    )
    figure.axes[1].set(xlabel="seconds", ylabel="share of jobs in 30 s")
    return figure


def _padded(weights, length):
    return np.pad(weights, (0, length - len(weights)))
