"""Figures 1 and 2 of both papers by Bucur and Epema: densities of the DAS1 log.

The log is not public, so the figures show a stand-in with the log's published moments.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.workloads.das1 import das1_service_times, das1_sizes
from studies.results import Caption

#: In the histogram of service times: the width of a bar and the longest service time, both in
#: seconds. During working hours, jobs on DAS1 had to end within this longest time.
BIN, LONGEST = 30, 900
#: The number of service times that are sampled to draw their histogram.
SAMPLES = 200_000
SIZE, SERVICE_TIME = "size", "service time"

CAPTION = Caption(
    "Figures 1 and 2: sizes and service times of a synthetic DAS1 log with the published moments",
    finding="Most jobs request a power of two processors, and most run for less than 90 s",
)


def densities(runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return two histograms, of job sizes and of service times on DAS1, in one table.

    `runs` is not used: the densities do not depend on any run.
    """
    sizes = das1_sizes().probabilities
    edges = np.arange(0, LONGEST + 1, BIN)
    times = das1_service_times().sample(np.random.default_rng(1), SAMPLES)
    shares = np.histogram(times, edges)[0] / SAMPLES
    by_size = pd.DataFrame({"quantity": SIZE, "value": range(len(sizes)), "share": sizes})
    by_time = pd.DataFrame({"quantity": SERVICE_TIME, "value": edges[:-1], "share": shares})
    return pd.concat([by_size, by_time], ignore_index=True)


def draw_densities(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw one histogram of job sizes and one histogram of service times.

    A bar for a size is one processor wide and centred on the size.
    """
    is_size = (table["quantity"] == SIZE).to_numpy()
    bars = table.assign(
        panel=np.where(is_size, "processors", f"seconds, one bar for each {BIN} s"),
        width=np.where(is_size, 1.0, BIN),
        value=table["value"] - 0.5 * is_size,
    )
    columns = {"value": "value", "share": "share", "panel": "panel", "width": "width"}
    return plots.histograms(bars, **columns, ylabel="share of jobs", **titles)
