"""Figure: the maximal utilization of four more and more unequal clusters."""

from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from studies.cluster_configurations.divisions import (
    MOVED,
    ONE_AND_ONE,
    TWO_AND_TWO,
    WAYS,
    MaxUtilizations,
    moved,
)
from studies.cluster_configurations.runs import study
from studies.results import Caption

#: The part of the vertical axis that the figure shows.
SHOWN = (0.65, 0.92)


def draw_divisions(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the maximal utilization against the number m of processors moved between clusters."""
    figure = plots.lines(
        table,
        x="m",
        y="max_utilization",
        line="way",
        panel="family",
        xlabel="m, processors",
        ylabel="maximal utilization",
        names="legend",
        **titles,
    )
    # On an axis that shows the lowest values, the small differences at the top cannot be seen.
    for axes in figure.axes:
        axes.set_ylim(*SHOWN)
    return figure


DIVISIONS = Caption(
    "maximal utilization of four clusters with 128 processors, four components of "
    "D(0.9)[1,8]; m is "
    "the number of processors by which clusters differ from 32; all curves continue below the "
    "picture",
    finding="Under first fit, slightly unequal clusters carry more than equal ones",
)


@study.add_figure("divisions", DIVISIONS, draw_divisions, claims=("CC-19", "CC-20", "CC-22"))
def division_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the maximal utilization for each number m of processors moved between clusters."""
    maxima = MaxUtilizations(runs)
    rows = []
    for family, way, m in product((TWO_AND_TWO, ONE_AND_ONE), WAYS, MOVED):
        found = maxima.of(moved(family, m), way).interval
        row = {
            "family": family,
            "way": way,
            "m": m,
            "max_utilization": found.estimate,
            "ci95_low": found.low,
            "ci95_high": found.high,
            "warning": found.warning,
        }
        rows.append(row)
    return pd.DataFrame(rows)
