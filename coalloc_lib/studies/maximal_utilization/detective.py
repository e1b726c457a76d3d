"""What the printed tables give away, and an experiment for each oddity: the detective's work."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import replicate, student, unpaired_difference
from coalloc_lib.saturation import heavy_traffic, loss_at_response
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed, spawn
from coalloc_lib.studies.maximal_utilization.parameters import FOUR, NAME, SEED, sizes
from coalloc_lib.studies.published import PublishedLoss, load_published
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Printed with three decimals, a number is off by up to this.
ROUNDING = 0.0005
#: Cells of a single cluster with few jobs in service at once, which runs of a second can tell.
SINGLE = ("U[4,5]", "U[13,16]", "U[5,13]")
#: The cell that both papers print, and that comes out otherwise.
ODD = "U[4,16]"


def printed_beside_exact(study: str, request: str, clusters: int) -> pd.DataFrame:
    """Return the simulated cells of a paper beside the exact value of each.

    Parameters
    ----------
    study : str
    request : str
    clusters : int

    Returns
    -------
    DataFrame
        A row a cell, with the columns `table`, `sizes`, `printed`, `exact` and `difference`.
    """
    rows = []
    for cell in load_published(study):
        wanted = (cell.method, cell.request, cell.clusters) == ("simulation", request, clusters)
        if wanted:
            row = {"table": cell.table, "sizes": cell.component_sizes}
            rows.append(row | {"printed": cell.capacity_loss, "exact": _exact(cell)})
    found = pd.DataFrame(rows)
    return found.assign(difference=found["printed"] - found["exact"])


def _exact(cell: PublishedLoss) -> float:
    system = Multicluster.equal(cell.clusters, cell.cluster_size)
    given = sizes(cell.component_sizes), cell.clusters, cell.request
    return maximal_utilization(system, *given).capacity_loss


def sides(cells: pd.DataFrame) -> str:
    """Return in words on which side of the exact values the printed ones lie.

    Parameters
    ----------
    cells : DataFrame
        What `printed_beside_exact` returns.
    """
    off = cells["difference"]
    above, below = int((off > 0).sum()), int((off < 0).sum())
    return (
        f"{len(off)} printed cells: {above} above the exact value, {below} below; "
        f"on average {off.mean():+.4f}"
    )


def printed_twice() -> tuple[int, int]:
    """Return how many simulated single-cluster cells are printed alike in both papers, of how many.

    What two papers print alike to the last digit is one simulation, and no second witness.
    """
    one, other = (
        printed_beside_exact(study, "total", 1).set_index("sizes")["printed"]
        for study in (NAME, "cluster-configurations")
    )
    return int((one == other.reindex(one.index)).sum()), len(one)


def table4_errors(
    one_sequence: bool, jobs: int = 3_000, runs: int = 120, seed: Seed = SEED, workers: int = 2
) -> NDArray[np.float64]:
    """Return simulated less exact loss of the ten ordered cells of Table 4, in several runs.

    Parameters
    ----------
    one_sequence : bool
        Whether the ten of a run are made from one sequence of random numbers, or from ten.
    jobs : int
        Of each simulation.
    runs : int
    seed : int or SeedSequence
    workers : int
        Threads.

    Returns
    -------
    ndarray, shape (runs, 10)
    """
    cells = [cell for cell in load_published(NAME) if _is_ordered_in_table4(cell)]
    exact = np.array([_exact(cell) for cell in cells])
    scenarios = [
        Scenario(
            Multicluster.equal(cell.clusters, cell.cluster_size),
            JobModel(sizes(cell.component_sizes), cell.clusters, "ordered"),
        )
        for cell in cells
    ]

    def run(child: Seed) -> list[float]:
        seeds = [child] * len(cells) if one_sequence else spawn(child, len(cells))
        return [
            1 - heavy_traffic(scenario, scenario.sample(jobs, seed=each)).mean()
            for scenario, each in zip(scenarios, seeds, strict=True)
        ]

    return replicate(run, runs, seed, workers) - exact


def _is_ordered_in_table4(cell):
    return (cell.table, cell.request, cell.method) == (4, "ordered", "simulation")


def one_sided(errors: NDArray[np.float64]) -> Interval:
    """Return the share of runs in which all cells err to one side, with its Wilson interval."""
    from scipy.stats import binomtest  # takes long to import

    same = int(((errors > 0).all(axis=1) | (errors < 0).all(axis=1)).sum())
    test = binomtest(same, len(errors))
    ends = test.proportion_ci(method="wilson")
    return Interval(same / len(errors), float(ends.low), float(ends.high), len(errors))


def judge_sequence(one: Interval, ten: Interval) -> str:
    """Return whether one random sequence for ten cells explains that all lie on one side.

    Parameters
    ----------
    one, ten : Interval
        Shares of runs with all ten on one side: on one random sequence, and on ten.
    """
    facts = (
        f"All ten lie on one side in {one.estimate:.0%} of the runs on one random sequence\n"
        f"(95 %: {one.low:.0%} to {one.high:.0%}), in {ten.estimate:.0%} on ten ({ten.low:.0%} "
        f"to {ten.high:.0%})."
    )
    if one.low > ten.high:
        return f"That may be it: ten witnesses may be one.\n{facts}"
    if one.high < 0.05:
        return f"It is not that.\n{facts}"
    return f"This does not tell.\n{facts}"


def first_type_shift(
    names: Sequence[str] = SINGLE, response: float = 1500.0, jobs: int = 50_000,
    replications: int = 8, seed: Seed = SEED,
) -> Interval:  # fmt: skip
    """Return by how much the paper's first type of simulation misses the exact loss of one cluster.

    Parameters
    ----------
    names : sequence of str
        Sizes; the mean of their differences is taken.
    response : float
        Mean response time at which the load is taken, in mean service times.
    jobs, replications : int
        Of each simulation.
    seed : int or SeedSequence
    """
    system = Multicluster([FOUR.sizes[0]])
    how: dict[str, Any] = {"response": response, "jobs": jobs, "replications": replications}
    off = []
    for name in names:
        scenario = Scenario(system, JobModel(sizes(name)))
        exact = maximal_utilization(system, sizes(name)).capacity_loss
        off.append(loss_at_response(scenario, seed=seed, **how) - exact)
    return student(np.mean(off, axis=0))


def odd_cell(jobs: int = 50_000, replications: int = 8, seed: Seed = SEED) -> dict[str, Interval]:
    """Return the loss of unordered U[4,16] on 4 x 32 by both types of simulation of the paper.

    Their runs are independent, and so the difference has the doubt of both.
    """
    scenario = Scenario(FOUR, JobModel(sizes(ODD), len(FOUR)))
    first = loss_at_response(scenario, jobs=jobs, replications=replications, seed=seed)
    second = 1 - heavy_traffic(scenario, scenario.sample(jobs * replications, seed=seed))
    return {
        "first type": student(first),
        "second type": student(second),
        "first less second": unpaired_difference(first, second),
    }


def odd_print() -> float:
    """Return the loss that the paper prints for the odd cell."""
    (cell,) = (c for c in load_published(NAME) if _is_odd(c))
    return cell.capacity_loss


def _is_odd(cell):
    kind = cell.component_sizes, cell.request, cell.method, cell.clusters
    return kind == (ODD, "unordered", "simulation", len(FOUR))


def judge_shift(found: Interval, printed: float) -> str:
    """Return whether a shift that was found explains one that was printed.

    Parameters
    ----------
    found : Interval
    printed : float
        Rounded to three decimals.
    """
    facts = f"Found {found.estimate:+.4f} ± {found.half_width:.4f}, printed {printed:+.4f}."
    reaches = found.low <= printed + ROUNDING and found.high >= printed - ROUNDING
    if not reaches:
        return f"It is not that. {facts}"
    if found.contains(0):
        return f"This does not tell: the interval reaches from nothing to what is printed. {facts}"
    return f"That may be it. {facts}"
