"""Pictures: one drawer for each kind, from a tidy table with one row per point to a new figure.

No drawer simulates or knows a study. Intervals are the columns `ci95_low` and `ci95_high` (absent
or empty: no interval; infinite: open), doubts the column `warning`. Begin with `tables` and
`lines`.
"""

# ruff: noqa: F401
from coalloc_lib.plots.bars import bars, histograms
from coalloc_lib.plots.curves import anatomy, curves
from coalloc_lib.plots.intervals import intervals
from coalloc_lib.plots.lines import LineStyle, factor_lines, lines, lines_and_levels
from coalloc_lib.plots.maps import MARKS, maps, timelines
from coalloc_lib.plots.matrix import matrix
from coalloc_lib.plots.schedules import reservations, still
from coalloc_lib.plots.signs import LOSS, MEANINGS, PRINT, STANDARD, MarkerStyle, shades, signs
from coalloc_lib.plots.style import GREY, Picture, head, new_figure, title_figure, to_svg
from coalloc_lib.plots.tables import format_interval
