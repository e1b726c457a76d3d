"""The public names of `coalloc_lib`. Each name is imported when it is first used."""

from . import (
    analytic as analytic,
    basics as basics,
    calendar as calendar,
    cli as cli,
    engines as engines,
    model as model,
    plots as plots,
    policies as policies,
    schedules as schedules,
    simulation as simulation,
    statistics as statistics,
    widgets as widgets,
    workloads as workloads,
)
from .analytic import (
    JointSizes as JointSizes,
    exact_break_even as exact_break_even,
    exact_utilization as exact_utilization,
    maximal_utilization as maximal_utilization,
    response_near_saturation as response_near_saturation,
)
from .basics.checks import InputError as InputError
from .basics.progress import Progress as Progress
from .statistics.curves import (
    compare as compare,
    response_curve as response_curve,
)
from .statistics.maximum import max_utilization_by_simulation as max_utilization_by_simulation
from .statistics.saturation import saturated_loss as saturated_loss
from .model import jobs as jobs
from .model.distributions import (
    Between as Between,
    Deterministic as Deterministic,
    Empirical as Empirical,
    Exponential as Exponential,
    Hyperexponential as Hyperexponential,
    PoissonArrivals as PoissonArrivals,
    SizeDistribution as SizeDistribution,
    parse_sizes as parse_sizes,
    power_of_two as power_of_two,
    uniform as uniform,
)
from .model.jobs import JobStream as JobStream
from .model.merging import merge as merge
from .model.placement import (
    BestFit as BestFit,
    FirstFit as FirstFit,
    HomeSite as HomeSite,
    LeastLoaded as LeastLoaded,
    Placement as Placement,
    RandomFit as RandomFit,
    SingleThenSpan as SingleThenSpan,
    WorstFit as WorstFit,
)
from .model.system import Multicluster as Multicluster
from .policies import (
    Conservative as Conservative,
    EASY as EASY,
    FCFS as FCFS,
    FPFS as FPFS,
    Job as Job,
    Online as Online,
    Profile as Profile,
    Refusal as Refusal,
    Scheduling as Scheduling,
    State as State,
)
from .schedules import metrics as metrics
from .schedules.exchange import export as export
from .schedules.schedule import Schedule as Schedule
from .simulation import sites as sites
from .simulation.run import simulate as simulate
from .simulation.scenario import Scenario as Scenario
from .statistics import curves as curves, saturation as saturation, sweep as sweep
from .statistics.inference import student as student
from .statistics.site_comparison import compare_sites as compare_sites
from .widgets.player import Player as Player
from .workloads.batsim import read_batsim as read_batsim
from .workloads.catalogue import load_trace as load_trace
from .workloads.models import JobModel as JobModel, SplitJobs as SplitJobs
from .workloads.swf import read_swf as read_swf
from .workloads.swf_writer import write_swf as write_swf

__version__: str
_LAYERS: list[str]
