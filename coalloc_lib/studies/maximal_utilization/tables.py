"""Tables 3, 4 and 5 of the paper."""

from typing import Any

import numpy as np

from coalloc_lib.seeds import Seed
from coalloc_lib.studies.claims import judge_claim
from coalloc_lib.studies.ledger import Row
from coalloc_lib.studies.loss_tables import Cell, compute_tables
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, NAME, sizes
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.studies.published import PublishedLoss


def compute_cells(scale: Scale, seed: Seed, **how: Any) -> list[Cell]:
    """Return every `Cell` of Tables 3 and 4, in the order in which they are printed.

    `how` is for `coalloc_lib.sweep.sweep`.
    """
    return compute_tables(NAME, by_response, scale, seed, **how)


def by_response(cell: PublishedLoss) -> bool:
    """Whether the paper simulated a cell by its first type: until the mean response is 1,500."""
    return cell.clusters == 1 or (cell.table == 3 and cell.request == "unordered")


def table5_rows() -> list[Row]:
    """Return the rows of Table 5: exact moments, whose printed digits the text has lost.

    What is left of the table is the sentence that the first three and the latter two means are
    almost identical; 'almost' is less than a hundredth.
    """
    lost = judge_claim({"a printed number": None}, "the text at hand has lost the printed digits")
    groups = FIVE[:3], FIVE[3:]
    apart = [float(np.ptp([sizes(name).mean for name in group])) for group in groups]
    parts = {
        f"{', '.join(group)}: {gap:.3f} apart": gap <= 0.01 * sizes(group[0]).mean
        for group, gap in zip(groups, apart, strict=True)
    }
    item, quantity = "Table 5 means almost identical", "largest difference of means, processors"
    sentence = Row(NAME, item, quantity, None, max(apart), None, None, *judge_claim(parts))
    moments = [
        (name, quantity, getattr(sizes(name), quantity))
        for name in FIVE
        for quantity in ("mean", "cv")
    ]
    return [sentence] + [
        Row(NAME, f"Table 5 {name} {quantity}", quantity, None, value, None, None, *lost)
        for name, quantity, value in moments
    ]
