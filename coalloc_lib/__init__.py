"""Coalloc Workbench: when does it pay to run one job in several clusters at once?"""

from coalloc_lib.checks import InputError
from coalloc_lib.distributions import (
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
from coalloc_lib.placement import BestFit, FirstFit, Placement, WorstFit
from coalloc_lib.schedule import Schedule
from coalloc_lib.scheduling import FCFS, FPFS, Scheduling
from coalloc_lib.simulate import simulate
from coalloc_lib.system import Multicluster

__version__ = "0.1.0"
