"""The first notebook: what the printed tables give away, the exercises, and the leaderboard."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import coalloc_lib as co
from coalloc_lib.analytic import slotted_as_printed, slotted_utilization
from coalloc_lib.basics.checks import instance_of, shown
from coalloc_lib.basics.seeds import Seed, spawn
from coalloc_lib.experiments import pick, sample
from coalloc_lib.experiments.saturation import heavy_traffic, loss_at_response
from coalloc_lib.intervals import Interval, paired_difference, replicate, unpaired_difference
from coalloc_lib.plots import format_interval
from lessons.teaching import ANSWERS, checker, near, off_by, raised, ranked
from studies.maximal_utilization import FOUR, pathological_loss, study
from studies.maximal_utilization.claims import may_be_the_example
from studies.maximal_utilization.figures import FREEDOM_LABELS, standard
from studies.maximal_utilization.model import EXAMPLE, FIVE, MANY
from studies.maximal_utilization.statistics import (
    DECIMALS,
    PRINT,
    READINGS,
    PrintedStatistic,
    as_in_our_text,
    fits,
)
from studies.published import PublishedLoss, load_published

#: Printed with three decimals, a number is off by up to this.
ROUNDING = 0.0005
#: Cells of a single cluster with few jobs in service at once, which runs of a second can tell.
SINGLE = ("U[4,5]", "U[13,16]", "U[5,13]")
#: The cell that both papers print, and that comes out otherwise.
ODD = "U[4,16]"


def _simulated(paper: str, request: str, clusters: int) -> list[PublishedLoss]:
    wanted = "simulation", request, clusters
    return [c for c in load_published(paper) if (c.method, c.request, c.clusters) == wanted]


def _exact(cell: PublishedLoss) -> float:
    system = co.Multicluster.equal(cell.clusters, cell.cluster_size)
    jobs = co.parse_sizes(cell.component_sizes), cell.clusters, cell.request
    return co.maximal_utilization(system, *jobs).capacity_loss


def printed_beside_exact(request: str, clusters: int, paper: str = study.name) -> pd.DataFrame:
    """Return the simulated cells of a paper, named as its study, beside the exact value of each."""
    cells = _simulated(paper, request, clusters)
    rows = [(c.table, c.component_sizes, c.published, _exact(c)) for c in cells]
    table = pd.DataFrame(rows, columns=["table", "sizes", "printed", "exact"])
    return table.assign(difference=table["printed"] - table["exact"])


def sides(cells: pd.DataFrame) -> str:
    """Return in words on which side of the exact values the cells of `printed_beside_exact` lie."""
    off = cells["difference"]
    return (
        f"{len(off)} printed cells: {(off > 0).sum()} above the exact value, "
        f"{(off < 0).sum()} below; on average {off.mean():+.4f}"
    )


def printed_twice() -> tuple[int, int]:
    """Return how many simulated single-cluster cells are printed alike in both papers, of how many.

    What two papers print alike to the last digit is one simulation, and no second witness.
    """
    one, other = (
        {cell.component_sizes: cell.published for cell in _simulated(paper, "total", 1)}
        for paper in (study.name, "cluster-configurations")
    )
    return sum(loss == other.get(sizes) for sizes, loss in one.items()), len(one)


def table4_errors(
    one_sequence: bool, jobs: int = 2_000, runs: int = 80, seed: Seed = study.seed
) -> NDArray[np.float64]:
    """Return simulated less exact loss of the ten ordered cells of Table 4, a row per run.

    With `one_sequence` the ten of a run are made from one sequence of random numbers, else from
    ten.
    """
    cells = _simulated(study.name, "ordered", 2)
    sizes = [co.parse_sizes(cell.component_sizes) for cell in cells]
    two = co.Multicluster.equal(2, 32)
    scenarios = [co.Scenario(two, co.JobModel(each, 2, "ordered")) for each in sizes]

    def run(child: Seed) -> list[float]:
        seeds = [child] * len(cells) if one_sequence else spawn(child, len(cells))
        return [
            1 - heavy_traffic(scenario, scenario.sample(jobs, seed=each)).mean()
            for scenario, each in zip(scenarios, seeds, strict=True)
        ]

    return replicate(run, runs, seed, workers=2) - [_exact(cell) for cell in cells]


def one_sided(errors: NDArray[np.float64]) -> Interval:
    """Return the share of runs in which all cells err to one side, with its Wilson interval."""
    from scipy.stats import binomtest  # takes long to import

    same = int(((errors > 0).all(axis=1) | (errors < 0).all(axis=1)).sum())
    ends = binomtest(same, len(errors)).proportion_ci(method="wilson")
    return Interval(same / len(errors), float(ends.low), float(ends.high), len(errors))


def judge_sequence(one: Interval, ten: Interval) -> str:
    """Return whether one random sequence for ten cells explains that all lie on one side.

    `one` and `ten` are the shares of runs with all on one side, from one sequence and from ten.
    """
    facts = (
        f"All ten lie on one side in {one.estimate:.0%} of the runs on one random sequence\n"
        f"(95 %: {one.low:.0%} to {one.high:.0%}), in {ten.estimate:.0%} on ten ({ten.low:.0%} "
        f"to {ten.high:.0%})."
    )
    if one.low > ten.high:
        return f"That may be it: ten witnesses may be one.\n{facts}"
    return f"{'It is not that' if one.high < 0.05 else 'This does not tell'}.\n{facts}"


def first_type_shift(
    names: Sequence[str] = SINGLE, response: float = 1500.0, jobs: int = 50_000,
    replications: int = 5,
) -> Interval:  # fmt: skip
    """Return by how much the paper's first type of simulation misses the exact loss of one cluster.

    The mean of the differences for these sizes; the load is taken where the mean response time is
    `response` mean service times.
    """
    system, how = co.Multicluster([FOUR.sizes[0]]), {"jobs": jobs, "replications": replications}
    off = []
    for name in names:
        scenario = co.Scenario(system, co.JobModel(co.parse_sizes(name)))
        losses = loss_at_response(scenario, response=response, seed=study.seed, **how)
        off.append(losses - co.maximal_utilization(system, co.parse_sizes(name)).capacity_loss)
    return co.student(np.mean(off, axis=0))


def odd_cell(jobs: int = 50_000, replications: int = 5) -> dict[str, Interval]:
    """Return the loss of unordered U[4,16] on 4 x 32 by both types of simulation of the paper.

    Their runs are independent, and so the difference has the warning of both.
    """
    scenario = co.Scenario(FOUR, co.JobModel(co.parse_sizes(ODD), len(FOUR)))
    first = loss_at_response(scenario, jobs=jobs, replications=replications, seed=study.seed)
    stream = scenario.sample(jobs * replications, seed=study.seed)
    second = 1 - heavy_traffic(scenario, stream)
    return {
        "first type": co.student(first),
        "second type": co.student(second),
        "first less second": unpaired_difference(first, second),
    }


def odd_print() -> float:
    """Return the loss that the paper prints for the odd cell."""
    cells = _simulated(study.name, "unordered", len(FOUR))
    return next(cell.published for cell in cells if cell.component_sizes == ODD)


def judge_shift(shift: Interval, printed: float) -> str:
    """Return whether a shift explains one that was printed, with three decimals."""
    facts = f"Found {format_interval(shift, 4, '+')}, printed {printed:+.4f}."
    if not (shift.low <= printed + ROUNDING and shift.high >= printed - ROUNDING):
        return f"It is not that. {facts}"
    if shift.contains(0):
        return f"This does not tell: the interval reaches from nothing to what is printed. {facts}"
    return f"That may be it. {facts}"


def bought_back(freedoms: pd.DataFrame) -> pd.DataFrame:
    """Return what fifty jumps buy back of the loss, by request: in points, and as a share of it.

    `freedoms` is the table of the figure of this name.
    """
    by_policy = freedoms.pivot(index="request", columns="policy", values="capacity_loss")
    nobody, fifty = by_policy["FCFS"], by_policy[MANY]
    table = pd.DataFrame({"points": 100 * (nobody - fifty), "percent": 100 * (1 - fifty / nobody)})
    return table.loc[list(FREEDOM_LABELS)].rename(FREEDOM_LABELS).round(1)


def left_of_table_5() -> pd.DataFrame:
    """Return what our text has of Table 5, beside what its numbers leave by both readings of D(q).

    A reading has an asterisk where it does not fit.
    """
    rows = []
    for (table, entry, quantity), left in PRINT.items():
        if table == 5:
            row = {"sizes": entry, "quantity": quantity, "our text": left}
            rows.append(
                row | {reading: _leaves(entry, quantity, reading) for reading in READINGS[5]}
            )
    return pd.DataFrame(rows).set_index(["sizes", "quantity"])


def _leaves(entry: str, quantity: str, reading: str) -> str:
    value = PrintedStatistic(5, entry, quantity, reading).value
    star = "" if fits(PRINT[5, entry, quantity], value, DECIMALS[5]) else " *"
    return f"{value:.3f} {as_in_our_text(value, DECIMALS[5])}{star}"


def sizes_of_the_example(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the four losses of section 7.1's example for each size distribution, and what fits.

    Fits: one run of the paper's length may leave the characters that our text has of all four.
    """
    rows = []
    for sizes in FIVE:
        here = pick(standard(runs, "request", "service"), sizes=sizes)
        row: dict[str, object] = {"sizes": sizes}
        for request, service in EXAMPLE:
            loss = sample(here, "capacity_loss", request=request, service=service).mean
            row[f"{request}, {service}"] = f"{loss:.3f}"
        rows.append(row | {"may be it": "yes" if may_be_the_example(here) else "no"})
    return pd.DataFrame(rows).set_index("sizes")


#: Limits of overtaking from which exercise 4 has one chosen.
JUMPS = (5, 20, 50, 100, 200)
#: By how much equation (4) is to be off in exercise 6.
FAR_OFF = 0.20
#: The project: sizes, jobs that a policy sees waiting, jobs of a run, and runs.
PROJECT, SEEN, JOBS, RUNS = "U[1,7]", 20, 800, 5


def _two_processors(answer: Any) -> str:
    right = co.maximal_utilization(co.Multicluster([2]), co.uniform(1, 2)).capacity_loss
    hint = "draw the four pairs of sizes: in which do two jobs fit?"
    return near(answer, right, 0.002, hint, {"that is the share kept busy": 1 - right})


def _pathological_limit(answer: Any) -> str:
    small, large = 7, 15  # the gap to the limit goes like 1/N
    ends = large * pathological_loss(5, large) - small * pathological_loss(5, small)
    hint = "how many jobs run at once, and what part of each cluster does one use?"
    right = ends / (large - small)
    return near(answer, right, 0.003, hint, {"that is the share kept busy": 1 - right})


def _clusters_past_a_quarter(answer: Any) -> str:
    clusters, sizes = 1, co.uniform(1, 7)
    many = co.Multicluster.equal
    while co.maximal_utilization(many(clusters, 32), sizes).capacity_loss < 0.25:
        clusters += 1
    if answer == clusters:
        return ""
    fewer = "fewer clusters are enough, or none has that number"
    return fewer if answer > clusters else "the loss grows with every cluster: go on"


def _jumps_for_ten_points(answer: Any) -> str:
    model = co.JobModel(co.parse_sizes("U[1,14]"), len(FOUR))
    fcfs = co.saturated_loss(co.Scenario(FOUR, model), jobs=60_000).estimate
    for jumps in JUMPS:
        fpfs = co.saturated_loss(co.Scenario(FOUR, model, co.FPFS(jumps)), jobs=60_000).estimate
        if fcfs - fpfs >= 0.10:
            wrong = "a lower limit is enough" if answer > jumps else "it gains less than ten points"
            return "" if answer == jumps else wrong
    return "none of them gains ten points"


class _WidestFirst(co.Scheduling):
    def start_jobs(self, state: Any) -> None:
        for job in sorted(state.queue, key=lambda job: -job.processors):
            state.start(job)


def _widest_first(answer: Any) -> str:
    if not issubclass(answer if isinstance(answer, type) else type(answer), co.Scheduling):
        return "give your policy: a class that derives from co.Scheduling"
    jobs = co.JobModel(co.parse_sizes(PROJECT), len(FOUR)).sample(300, study.seed)
    how: dict[str, Any] = {"engine": "reference", "backlog": SEEN}
    try:
        policy = answer() if isinstance(answer, type) else answer
        own = co.simulate(FOUR, jobs, scheduling=policy, **how).start
    except co.InputError as error:
        return str(error)
    except Exception as error:  # whatever the reader's own code may raise
        return raised(error)
    right = co.simulate(FOUR, jobs, scheduling=_WidestFirst(), **how).start
    if np.array_equal(own, right, equal_nan=True):
        return ""
    first = int(np.flatnonzero(own != right)[0]) + 1
    rule = "widest first, then all others that fit"
    return f"job {first} of a test starts at another instant: {rule}"


def _breaks_equation_4(answer: Any) -> str:
    if not isinstance(answer, co.SizeDistribution):
        return "give sizes, such as co.uniform(1, 4)"
    try:
        off = slotted_as_printed(8, answer) - slotted_utilization(8, answer).max_utilization
    except co.InputError as error:
        return str(error)
    return "" if off > FAR_OFF else f"it is off by {off:.3f}; what if one job fills the cluster?"


_FIRST = _two_processors, _pathological_limit, _clusters_past_a_quarter
_LATER = _jumps_for_ten_points, _widest_first, _breaks_equation_4
EXERCISES = dict(enumerate((*_FIRST, *_LATER), 1))
check = checker(EXERCISES)


def leaderboard(entries: dict[str, co.Placement | co.Scheduling]) -> pd.DataFrame:
    """Return policies in order of their capacity loss on 4 x 32, beside worst fit under FCFS.

    Parameters
    ----------
    entries : dict of Placement or Scheduling
        By name. A placement is tried under FCFS, a scheduling policy with worst fit.

    Returns
    -------
    DataFrame
        A row an entry: its loss, the loss less that of worst fit on the same jobs with its 95 %
        interval, whether that beats worst fit, and the longest wait in mean service times.
    """
    instance_of("entries", entries, dict, "placements or scheduling policies by name")
    base, rows = None, []
    for name, entry in [("worst fit, FCFS", co.WorstFit()), *entries.items()]:
        losses, wait = _runs(entry)
        beside = {"less worst fit": "", "beats it": ""}
        if base is not None:
            off = paired_difference(losses, base)
            beside = {"less worst fit": off_by(off, digits=3), "beats it": ANSWERS[off.below(0)]}
        base = losses if base is None else base
        row = {"policy": str(name), "loss": round(float(losses.mean()), 3)}
        rows.append(row | beside | {"longest wait": round(wait, 1)})
    return ranked(rows, "loss")


def _runs(entry: Any) -> tuple[NDArray[np.float64], float]:
    """Return the loss of each run, and the longest wait of all."""
    kind = "placement" if isinstance(entry, co.Placement) else "scheduling"
    if not isinstance(entry, co.Placement | co.Scheduling):
        raise co.InputError(f"entry = {shown(entry)}; give an object, such as co.FirstFit()")
    how: dict[str, Any] = {"scheduling": co.FCFS(), kind: entry}
    how |= {"engine": "reference", "backlog": SEEN}
    model = co.JobModel(co.parse_sizes(PROJECT), len(FOUR))
    seeds = spawn(study.seed, RUNS)
    schedules = [co.simulate(FOUR, model.sample(JOBS, seed), **how) for seed in seeds]
    for schedule in schedules:
        schedule.verify()
    losses = np.array([1 - schedule.utilization() for schedule in schedules])
    return losses, max(float(schedule.wait.max()) for schedule in schedules)
