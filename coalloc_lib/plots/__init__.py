"""Pictures, one function a kind. Each draws on a new figure and returns it.

Colours come from a cycle that colour-blind readers can tell apart; a hatch or a marker says the
same a second time.
"""

from coalloc_lib.plots.bar_charts import bars, beside_published, density
from coalloc_lib.plots.difference_map import heat_map
from coalloc_lib.plots.gantt_chart import gantt
from coalloc_lib.plots.response_curves import SATURATED, curve, curves
from coalloc_lib.plots.style import (
    COLOURS,
    DASHES,
    HATCHES,
    MARKERS,
    legend_beside,
    look,
    new_figure,
    title_figure,
)

__all__ = [
    "COLOURS",
    "DASHES",
    "HATCHES",
    "MARKERS",
    "SATURATED",
    "bars",
    "beside_published",
    "curve",
    "curves",
    "density",
    "gantt",
    "heat_map",
    "legend_beside",
    "look",
    "new_figure",
    "title_figure",
]
