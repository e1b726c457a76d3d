"""Figures: each function draws one kind of figure from a tidy table.

The functions do not simulate anything. The columns ``ci95_low`` and ``ci95_high`` of the table hold
the ends of an interval. A missing value means that there is no interval, and an infinite value
means that the interval is open. The column ``warning`` holds the reason to doubt a point, or an
empty string. Begin with `tables`, then read `lines`.
"""

# ruff: noqa: F401
from coalloc_lib.plots.bars import bars, histograms
from coalloc_lib.plots.curves import anatomy, curves
from coalloc_lib.plots.intervals import deviations, intervals, label_right, mark_zero
from coalloc_lib.plots.line_style import LineStyle
from coalloc_lib.plots.lines import factor_lines, lines, lines_and_levels
from coalloc_lib.plots.maps import MARKS, maps, timelines
from coalloc_lib.plots.matrix import matrix
from coalloc_lib.plots.picture import Picture, to_svg
from coalloc_lib.plots.schedules import draw_schedules, reservations
from coalloc_lib.plots.signs import LOSS, MEANINGS, PRINT, STANDARD, MarkerStyle, shades, signs
from coalloc_lib.plots.style import GREY, head, new_figure, title_figure
from coalloc_lib.plots.tables import format_interval
