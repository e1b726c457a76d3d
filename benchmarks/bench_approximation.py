"""The error of the approximation for unordered requests, against simulation and exact values.

Run ``python benchmarks/bench_approximation.py``; ``--quick`` takes a few systems and short runs.
"""

from collections import defaultdict
from itertools import product
from statistics import mean

from measuring import run

from coalloc_lib.analytic import exact_utilization, maximal_utilization
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.placement import FirstFit, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.saturation import saturated_loss
from coalloc_lib.workloads.models import JobModel

RULES = (WorstFit(), FirstFit())
#: Equal clusters, and the component sizes and numbers of components that they are given.
EQUAL = {
    (32, 32): (("D(0.9)[1,8]", 1), ("D(0.9)[1,8]", 2), ("U[1,16]", 2)),
    (64, 64): (("U[1,7]", 2), ("U[1,16]", 1)),
    (24, 24, 24): (("D(0.9)[1,8]", 2), ("U[1,7]", 3), ("U[1,16]", 1)),
    (16, 16, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 1), ("U[1,7]", 4)),
    (32, 32, 32, 32): (("D(0.9)[1,8]", 4), ("U[1,7]", 2), ("U[1,16]", 3), ("U[1,16]", 4)),
    (16, 16, 16, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 3)),
    (8, 8, 8, 8, 8, 8, 8, 8): (("U[1,7]", 2), ("D(0.9)[1,8]", 4)),
}
#: Unequal clusters, in the order in which first fit tries them.
UNEQUAL = {
    (48, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 1), ("U[1,16]", 2)),
    (40, 24): (("D(0.9)[1,8]", 1), ("U[1,16]", 2)),
    (32, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 3), ("U[1,16]", 1)),
    (16, 16, 32): (("D(0.9)[1,8]", 2), ("U[1,16]", 1)),
    (32, 24, 16, 8): (("D(0.9)[1,8]", 4), ("U[1,7]", 2), ("U[1,16]", 3)),
    (64, 32, 16, 16): (("D(0.9)[1,8]", 2), ("U[1,7]", 4), ("U[1,16]", 4)),
    (24, 16, 16, 8, 8): (("D(0.9)[1,8]", 3), ("U[1,7]", 2)),
    (16, 16, 8, 8, 8, 8): (("D(0.9)[1,8]", 2), ("U[1,7]", 4)),
    (56, 8): (("D(0.9)[1,8]", 2), ("U[1,7]", 2)),
    (96, 32): (("U[1,7]", 2), ("U[1,16]", 2)),
    (64, 32, 32): (("D(0.9)[1,8]", 3), ("U[1,16]", 2)),
    (40, 40, 16, 16, 16): (("U[1,7]", 1), ("U[1,16]", 1)),
    (48, 32, 32, 16): (("D(0.9)[1,8]", 4), ("U[1,7]", 3)),
}
#: Small systems that the Markov chain is solved for, and the sizes of components there.
SMALL = ((4, 4), (6, 6), (4, 4, 4), (8, 8), (6, 4), (8, 4))
SMALL_SIZES = ("U[1,2]", "U[1,3]", "U[1,4]", "D(0.8)[1,4]")
#: First fit has more states than this waits for from this number of clusters on.
TOO_MANY = 6
#: Seconds that the slowest approximation is given: first fit, four components of U[1,16].
PATIENCE = 600


def cases():
    """Return (system, sizes, components, placement) of each comparison."""
    return [
        (Multicluster(clusters), sizes, components, placement)
        for clusters, jobs in (EQUAL | UNEQUAL).items()
        for sizes, components in jobs
        for placement in RULES
        if len(clusters) < TOO_MANY or isinstance(placement, WorstFit)
    ]


def simulated(quick):
    """Yield how far the approximation is from the simulation of heavy traffic."""
    chosen, jobs = (cases()[::5], 20_000) if quick else (cases(), 200_000)
    errors = defaultdict(list)
    for case in chosen:
        system, sizes, components, placement = case
        scenario = Scenario(system, JobModel(parse_sizes(sizes), components), placement=placement)
        add_error(errors, case, saturated_loss(scenario, jobs=jobs, seed=0).estimate)
    yield from texts(errors)


def exact(quick):
    """Yield how far the approximation is from the solution of the Markov chain."""
    few = ((4, 4), (6, 4)), ("U[1,2]", "U[1,3]")
    errors = defaultdict(list)
    for clusters, sizes, single, placement in product(
        *(few if quick else (SMALL, SMALL_SIZES)), (True, False), RULES
    ):
        case = Multicluster(clusters), sizes, 1 if single else len(clusters), placement
        add_error(errors, case, exact_utilization(*law(*case)).capacity_loss)
    yield from texts(errors)


def law(system, sizes, components, placement):
    """Return a case as the formulas take it."""
    return system, parse_sizes(sizes), components, "unordered", placement


def add_error(errors, case, truth):
    """Add the absolute error of a case to those of its group."""
    *what, placement = law(*case)
    bound = maximal_utilization(*what, placement=placement, budget_seconds=PATIENCE)
    rule = "worst fit" if isinstance(placement, WorstFit) else "first fit"
    group = f"{rule}, {'equal' if case[0].is_equal else 'unequal'} clusters"
    errors[group].append(abs(bound.capacity_loss - truth))


def texts(errors):
    """Yield the lines of a table: group, how many systems, and their mean and largest error."""
    for group, found in errors.items():
        yield group, str(len(found)), f"{mean(found):.4f}", f"{max(found):.4f}"


COLUMNS = "group, systems, mean, largest"
MEASUREMENTS = [
    (simulated, "absolute error, against the simulation of heavy traffic", COLUMNS),
    (exact, "absolute error, against the exact solution", COLUMNS),
]

if __name__ == "__main__":
    run(MEASUREMENTS, __doc__)
