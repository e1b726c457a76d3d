"""Figures 1 and 2 of both papers of Bucur and Epema: the log of the first DAS, by its stand-in."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.studies.figure import Figure
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes

#: Drawn service times, and the width of a bin, in seconds.
DRAWN, BIN = 200_000, 30
MINUTE = 60


class Das1Densities(Figure):
    """The sizes and service times of the DAS1 stand-in."""

    def __init__(self) -> None:
        super().__init__(
            "figure1-2",
            "Figures 1 and 2: sizes and service times of the DAS1 log, by a stand-in with its "
            "published moments",
        )

    @property
    def title(self) -> str:
        """How many of the jobs have a power of two as their size, and how many are short."""
        found = self.data()
        size, time = (found[found["quantity"] == name] for name in ("size", "service time"))
        powers = size["share"][size["value"].isin(2 ** np.arange(8))].sum()
        short = time["share"][time["value"] < MINUTE].sum()
        sizes = f"{100 * powers:.0f} % of the jobs have a power of two as their size"
        return f"{sizes}; {100 * short:.0f} % run for less than a minute"

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
            "processors": (sizes["value"] - 0.5, sizes["share"], 1.0),
            f"seconds, {BIN} in a bar": (times["value"], times["share"], float(BIN)),
        }
        return plots.density(
            panels, title=self.title, subtitle=self.subtitle, ylabel="share of jobs"
        )
