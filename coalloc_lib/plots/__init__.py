"""Pictures, one function a kind. Each draws on a new figure and returns it.

Colours come from a cycle that colour-blind readers can tell apart; a hatch or a marker says the
same a second time.
"""

from coalloc_lib.plots.charts import bars, beside_published, density, heat_map
from coalloc_lib.plots.gantt_chart import gantt
from coalloc_lib.plots.response_curves import DASHES, SATURATED, curve, curves
from coalloc_lib.plots.style import COLOURS, look, new_figure, title_figure

__all__ = [
    "COLOURS",
    "DASHES",
    "SATURATED",
    "bars",
    "beside_published",
    "curve",
    "curves",
    "density",
    "gantt",
    "heat_map",
    "look",
    "new_figure",
    "title_figure",
]
