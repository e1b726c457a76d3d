"""Tables 3, 4 and 5 of the paper, cell by cell."""

from dataclasses import dataclass

from joblib import Parallel, delayed

from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.inference import Interval, student
from coalloc_lib.progress import SILENT
from coalloc_lib.saturation import loss_at_response, saturated_loss
from coalloc_lib.studies.ledger import Judgement, Row, judge_exact, judge_interval
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, NAME, sizes
from coalloc_lib.studies.published import PublishedLoss, load_published
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel


@dataclass(frozen=True)
class Cell:
    """A cell of Table 3 or 4: what was printed, and what comes out here.

    Attributes
    ----------
    published : PublishedLoss
    loss : float
        Capacity loss.
    interval : Interval or None
        Of the simulated cells.
    """

    published: PublishedLoss
    loss: float
    interval: Interval | None = None

    @property
    def row(self):
        """The cell's row of the ledger."""
        printed = self.published.capacity_loss
        if self.interval is None:
            judgement, bounds = judge_exact(printed, self.loss), (None, None)
        else:
            judgement = judge_interval(printed, self.interval)
            bounds = self.interval.low, self.interval.high
        values = printed, self.loss, *bounds
        return Row(NAME, self.published.item, "capacity loss", *values, *judgement)


def compute_cells(scale, seed, progress=SILENT, workers=-1):
    """Return every `Cell` of Tables 3 and 4, in the order in which they are printed."""
    cells = load_published(NAME)
    jobs = (delayed(compute_cell)(cell, scale, seed) for cell in cells)
    done = []
    for cell in Parallel(n_jobs=workers, prefer="threads", return_as="generator")(jobs):
        done.append(cell)
        progress.step(cell.published.item)
    return done


def compute_cell(cell, scale, seed):
    """Return one `Cell`, by the formula or by the type of simulation that the paper used.

    The paper's total requests have one cluster as large as all of the system, and the sum of the
    components as their size.
    """
    system = Multicluster.equal(cell.clusters, cell.cluster_size)
    distribution = sizes(cell.component_sizes)
    if cell.request == "total":
        system = Multicluster([system.processors])
    if cell.method != "simulation":
        bound = maximal_utilization(system, distribution, cell.clusters, cell.request)
        return Cell(cell, bound.capacity_loss)
    model = JobModel(distribution, cell.clusters, cell.request)
    if by_response(cell):
        how = {"jobs": scale.response_jobs, "replications": scale.response_replications}
        interval = student(loss_at_response(system, model, seed=seed, **how))
    else:
        interval = saturated_loss(system, model, jobs=scale.cell_jobs, seed=seed)
    return Cell(cell, interval.estimate, interval)


def by_response(cell):
    """Whether the paper simulated a cell by its first type: until the mean response is 1,500."""
    return cell.clusters == 1 or (cell.table == 3 and cell.request == "unordered")


def table5_rows():
    """Return the rows of Table 5: exact moments, whose printed digits the text has lost."""
    lost = Judgement("cannot be tested", "the text at hand has lost the printed digits")
    moments = [
        (name, quantity, getattr(sizes(name), quantity))
        for name in FIVE
        for quantity in ("mean", "cv")
    ]
    return [
        Row(NAME, f"Table 5 {name} {quantity}", quantity, None, value, None, None, *lost)
        for name, quantity, value in moments
    ]
