"""What `coalloc_lib` offers by name; this is read at run time, and only type checkers import it."""

# ruff: noqa: F401, F403
from coalloc_lib.analytic import JointSizes, exact_utilization, maximal_utilization
from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.progress import Progress
from coalloc_lib.experiments.curves import compare, find_maximum, response_curve
from coalloc_lib.experiments.saturation import saturated_loss
from coalloc_lib.intervals import student
from coalloc_lib.model.distributions import (
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
from coalloc_lib.model.jobs import JobStream, merge
from coalloc_lib.model.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    LeastLoaded,
    Placement,
    RandomFit,
    SingleThenSpan,
    WorstFit,
)
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import *
from coalloc_lib.report import SitesReport, sites_report
from coalloc_lib.schedules.exchange import export, read_batsim
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import simulate
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.simulation.sites import compare_sites
from coalloc_lib.widgets.player import Player
from coalloc_lib.workloads.catalogue import load_trace
from coalloc_lib.workloads.models import JobModel, SplitJobs
from coalloc_lib.workloads.slurm import read_sacct
from coalloc_lib.workloads.swf import read_swf, write_swf
