"""Coalloc Workbench, on processor co-allocation: one job in several clusters at once."""

from importlib import import_module
from typing import TYPE_CHECKING

# ruff: noqa: F403, F405
if TYPE_CHECKING:
    from coalloc_lib.public import *

__version__ = "0.1.0"

#: Names that are fetched when they are first used: what they import takes long.
_ON_DEMAND = {
    "JointSizes": "coalloc_lib.analytic",
    "Player": "coalloc_lib.widgets.player",
    "Progress": "coalloc_lib.progress",
    "compare": "coalloc_lib.curves",
    "compare_sites": "coalloc_lib.sites",
    "exact_utilization": "coalloc_lib.analytic",
    "find_maximum": "coalloc_lib.curves",
    "maximal_utilization": "coalloc_lib.analytic",
    "response_curve": "coalloc_lib.curves",
    "student": "coalloc_lib.intervals",
    "saturated_loss": "coalloc_lib.saturation",
}
#: Modules that are worth a look and likewise imported at their first use.
_MODULES = (
    "analytic",
    "calendar",
    "checks",
    "curves",
    "distributions",
    "intervals",
    "jobs",
    "metrics",
    "placement",
    "plots",
    "saturation",
    "schedule",
    "scheduling",
    "simulation",
    "sites",
    "studies",
    "sweep",
    "system",
    "widgets",
    "workloads",
)

__all__ = [
    "EASY",
    "FCFS",
    "FPFS",
    "BestFit",
    "Between",
    "Conservative",
    "Deterministic",
    "Empirical",
    "Exponential",
    "FirstFit",
    "Hyperexponential",
    "InputError",
    "JobModel",
    "JobStream",
    "LeastLoaded",
    "Multicluster",
    "Online",
    "Placement",
    "PoissonArrivals",
    "RandomFit",
    "Scenario",
    "Schedule",
    "Scheduling",
    "SingleThenSpan",
    "SizeDistribution",
    "SplitJobs",
    "HomeSite",
    "WorstFit",
    "load_trace",
    "merge",
    "parse_sizes",
    "power_of_two",
    "read_swf",
    "simulate",
    "uniform",
    "write_swf",
    *_ON_DEMAND,
]


def __getattr__(name):
    """Import what is asked for at its first use, so that the command line starts at once."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _ON_DEMAND:
        return getattr(import_module(_ON_DEMAND[name]), name)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.public"), name)


def __dir__():
    """Name what is not imported yet too, so that the tab key completes it."""
    return sorted({*globals(), *__all__, *_MODULES})
