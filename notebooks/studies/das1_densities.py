"""Figures 1 and 2 of Bucur and Epema in both their papers: the DAS1 log, by its stand-in."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from studies.shown import Caption

#: Width of a bar of service times and the longest that are drawn, in seconds: jobs of the day.
BIN, LONGEST = 30, 900
#: How many service times are drawn at random.
DRAWN = 200_000
SIZE, SERVICE_TIME = "size", "service time"

CAPTION = Caption(
    "Figures 1 and 2: sizes and service times of the DAS1 log, by a stand-in with its published "
    "moments",
    finding="Most jobs have a power of two as their size, and most run for less than 90 s",
)


def densities(runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the share of jobs of each size and of each bar of service times; nothing is run."""
    sizes = das1_sizes().probabilities
    edges = np.arange(0, LONGEST + 1, BIN)
    times = das1_service_times().sample(np.random.default_rng(1), DRAWN)
    shares = np.histogram(times, edges)[0] / DRAWN
    by_size = pd.DataFrame({"quantity": SIZE, "value": range(len(sizes)), "share": sizes})
    by_time = pd.DataFrame({"quantity": SERVICE_TIME, "value": edges[:-1], "share": shares})
    return pd.concat([by_size, by_time], ignore_index=True)


def draw_densities(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw both as histograms; a bar of sizes is one processor wide, around its size."""
    is_size = (table["quantity"] == SIZE).to_numpy()
    bars = table.assign(
        panel=np.where(is_size, "processors", f"seconds, {BIN} in a bar"),
        width=np.where(is_size, 1.0, BIN),
        value=table["value"] - 0.5 * is_size,
    )
    columns = {"value": "value", "share": "share", "panel": "panel", "width": "width"}
    return plots.histograms(bars, **columns, ylabel="share of jobs", **titles)
