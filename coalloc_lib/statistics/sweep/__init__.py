"""Sweeps: call one function at many points, in parallel and with a cache on disk.

joblib runs the calls and keeps the results. The results do not depend on its backend.
"""

from coalloc_lib.statistics.sweep.compilation import compile_kernels
from coalloc_lib.statistics.sweep.failures import Failure, SweepError
from coalloc_lib.statistics.sweep.points import run_points
from coalloc_lib.statistics.sweep.tables import summarize, sweep

__all__ = [
    "Failure",
    "SweepError",
    "compile_kernels",
    "run_points",
    "summarize",
    "sweep",
]
