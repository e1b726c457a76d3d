"""Coalloc Workbench, on processor co-allocation: one job in several clusters at once."""

from importlib import import_module

from coalloc_lib.checks import InputError
from coalloc_lib.distributions import (
    Between,
    Deterministic,
    Empirical,
    Exponential,
    Hyperexponential,
    PoissonArrivals,
    SizeDistribution,
    parse_sizes,
    power_of_two,
    uniform,
)
from coalloc_lib.jobs import JobStream, merge
from coalloc_lib.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    LeastLoaded,
    Placement,
    RandomFit,
    SingleThenSpan,
    WorstFit,
)
from coalloc_lib.scenario import Scenario
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.simulation import simulate
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.models import JobModel, SplitJobs
from coalloc_lib.workloads.swf import read_swf, write_swf

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
    "curves",
    "intervals",
    "metrics",
    "plots",
    "saturation",
    "sites",
    "studies",
    "sweep",
    "widgets",
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
    """Import a name of `_ON_DEMAND`, or one of `_MODULES`, at its first use."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_DEMAND[name]), name)


def __dir__():
    """Name what is not imported yet too, so that the tab key completes it."""
    return sorted({*globals(), *__all__, *_MODULES})
