"""Many calls of one function: in parallel, kept on disk, on one machine or many.

joblib runs the calls; each backend gives the same results, to the last bit.
"""

from coalloc_lib.statistics.sweep.points import Failure, SweepError, compile_kernels, run_points
from coalloc_lib.statistics.sweep.tables import summarize, sweep, to_latex

__all__ = [
    "Failure",
    "SweepError",
    "compile_kernels",
    "run_points",
    "summarize",
    "sweep",
    "to_latex",
]
