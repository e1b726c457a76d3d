"""Figures 1 and 2 of both papers of Bucur and Epema: the log of the first DAS, by its stand-in."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.studies.figure import Figure
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes

#: Drawn service times, and the width of a bin, in seconds.
DRAWN, BIN = 200_000, 30


class Das1Densities(Figure):
    """The sizes and service times of the DAS1 stand-in."""

    def __init__(self) -> None:
        super().__init__("figure1-2", "DAS1, a stand-in with the published moments")

    def data(self) -> pd.DataFrame:
        """Return the share of jobs by size, and in each bin of service times up to 900 s."""
        sizes = das1_sizes().probabilities
        times = das1_service_times().sample(np.random.default_rng(1), DRAWN)
        edges = np.arange(0, 901, BIN)
        shares = np.histogram(times, edges)[0] / len(times)
        by_size = pd.DataFrame({"quantity": "size", "value": range(len(sizes)), "share": sizes})
        by_time = pd.DataFrame({"quantity": "service time", "value": edges[:-1], "share": shares})
        return pd.concat([by_size, by_time])

    def plot(self) -> Picture:
        """Draw both densities."""
        found = dict(list(self.data().groupby("quantity")))
        sizes, times = found["size"], found["service time"]
        panels = {
            "Figure 1: sizes": (sizes["value"] - 0.5, sizes["share"], 1.0),
            "Figure 2: service times up to 900 s": (times["value"], times["share"], float(BIN)),
        }
        figure = plots.density(
            panels, title=self.title, xlabel="processors", ylabel="share of jobs"
        )
        figure.axes[1].set(xlabel="seconds", ylabel=f"share of jobs in {BIN} s")
        return figure
