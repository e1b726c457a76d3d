"""Many calls of one function: in parallel, kept on disk, on one machine or many.

`run_points` returns what the calls return, `sweep` makes a tidy table of numbers of it. joblib
runs the calls, so ``joblib.parallel_config`` moves them to processes or to a Dask cluster without a
change. Each way gives the same results, to the last bit.
"""

from coalloc_lib.sweep.points import Failure, SweepError, compile_kernels, run_points
from coalloc_lib.sweep.tables import summarize, sweep

__all__ = ["Failure", "SweepError", "compile_kernels", "run_points", "summarize", "sweep"]
