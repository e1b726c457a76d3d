"""Tables 3, 4 and 5 of the paper."""

from coalloc_lib.progress import SILENT
from coalloc_lib.studies.ledger import Judgement, Row
from coalloc_lib.studies.loss_tables import compute_tables
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, NAME, sizes


def compute_cells(scale, seed, progress=SILENT, workers=-1):
    """Return every `Cell` of Tables 3 and 4, in the order in which they are printed."""
    return compute_tables(NAME, by_response, scale.tables, seed, progress, workers)


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
