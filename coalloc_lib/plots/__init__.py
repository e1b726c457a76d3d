"""Pictures, one function a kind. Each draws on a new figure and returns it.

Titles say what is seen, subtitles what is plotted; `signs` holds one colour and one mark for each
meaning.
"""

from coalloc_lib.plots.bars import Level, bars, told
from coalloc_lib.plots.charts import beside_published, density, heat_map, lines
from coalloc_lib.plots.maps import LONGER, NEITHER, SHORTER, Cell, Mark, maps
from coalloc_lib.plots.ranges import ranges
from coalloc_lib.plots.ratio_grid import ratio_grid
from coalloc_lib.plots.ratios import ratios
from coalloc_lib.plots.response_curves import anatomy, curves
from coalloc_lib.plots.signs import LOSS, MEANINGS, PRINT, STANDARD, Sign, shades, signs
from coalloc_lib.plots.style import GREY, head, name_lines, new_figure, title_figure, to_svg
from coalloc_lib.plots.timelines import timelines
from coalloc_lib.plots.trends import trends

__all__ = [
    "GREY",
    "LONGER",
    "LOSS",
    "MEANINGS",
    "NEITHER",
    "PRINT",
    "SHORTER",
    "STANDARD",
    "Cell",
    "Level",
    "Mark",
    "Sign",
    "anatomy",
    "bars",
    "beside_published",
    "curves",
    "density",
    "head",
    "heat_map",
    "lines",
    "maps",
    "name_lines",
    "new_figure",
    "ranges",
    "ratio_grid",
    "ratios",
    "shades",
    "signs",
    "timelines",
    "title_figure",
    "to_svg",
    "told",
    "trends",
]
