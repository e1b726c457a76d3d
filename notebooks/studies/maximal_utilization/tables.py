"""The printed tables, number by number, and what section 6 says of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from coalloc_lib.statistics import Interval, NotRunError, difference, groups_of, least, pick
from studies.cut_offs import Asked, Part, Word
from studies.ledger import Decision, Row
from studies.maximal_utilization.further import APPROXIMATION, FEWER, SIMULATION
from studies.maximal_utilization.model import ORDERED, TOTAL, UNORDERED
from studies.maximal_utilization.runs import study
from studies.printed_losses import ROUNDING, MeasuredCell, cells_of, printed_cell
from studies.published import PRINTED
from studies.study import PaperSetting

#: What is measured.
VALUE = "capacity_loss"
#: So near to a tie, in units of the last printed digit, a formula may be rounded up or down: it is
#: a sum of many terms, and its last bits depend on the program.
TIE = 2e-3

# --- The printed numbers ---


@study.add_numbers
def printed_losses(runs: pd.DataFrame) -> Iterator[Row]:
    """Judge every cell of Tables 3 and 4."""
    for measured in cells_of(runs):
        yield rounded_either_way(measured).row(study.name)


def rounded_either_way(measured: MeasuredCell) -> MeasuredCell:
    """Return a cell whose formula is known as well as a program of the time may have had it.

    Where a sum of many terms ends next to a tie, its last bits decide how it is rounded.
    """
    loss = measured.loss
    if loss.count:
        return measured
    near = TIE * 1e-3
    either = replace(loss, low=loss.estimate - near, high=loss.estimate + near)
    return measured._replace(loss=either)


# --- Section 6 ---

TABLES = PaperSetting(fixed={"kind": PRINTED})


@study.add_claim("MU-2", "simulated less exact loss, average of ordered cells", TABLES)
def exact_and_simulated_agree(runs: pd.DataFrame) -> Decision:
    """Judge that exact and simulated losses of one cluster and of ordered jobs 'agree'."""
    averages: dict[str, Interval] = {}
    parts: dict[str, Part] = {}
    for request in (TOTAL, ORDERED):
        apart, limit = simulated_less_known(runs, "exact", request)
        averages[request] = average(apart)
        word = Word("extremely well", limit, "points", 100)
        parts |= {f"{request}: {name}": part for name, part in agreement(apart, word).items()}
    return Decision(averages[ORDERED], parts, "In print, cells are as far apart")


@study.add_claim(
    "MU-3",
    "simulated less approximate loss, average of cells",
    PaperSetting(fixed={"kind": (PRINTED, FEWER)}),
)
def approximation_is_reasonable(runs: pd.DataFrame) -> Decision:
    """Judge 'the match of the approximation and simulations [...] is quite reasonable'.

    In the printed cells all jobs have as many components as there are clusters. Elsewhere: jobs
    with fewer, for which equation (5) takes the clusters for more balanced than they need be.
    """
    apart, limit = simulated_less_known(pick(runs, kind=PRINTED), "approximation", UNORDERED)
    below = sum(less.estimate > 0 for less in apart)
    word = Word("quite reasonable", limit, "points", 100)
    elsewhere: dict[str, Part] = {}
    keys = ["sizes", "components", "clusters", "cluster_size"]
    for names, fewer in groups_of(pick(runs, kind=FEWER), keys):
        pair = {"method": SIMULATION}, {"method": APPROXIMATION}
        less = difference(fewer, VALUE, *pair).interval
        system = f"{names['clusters']:.0f} × {names['cluster_size']:.0f}"
        words = f"{names['components']:.0f} components {names['sizes']} on {system}"
        elsewhere[f"{words}: {100 * less.estimate:+.1f} points"] = word.within(less)
    note = f"the approximation is below the simulation in {below} of {len(apart)} cells"
    if elsewhere:
        note += f"; simulated less approximate loss with fewer components: {'; '.join(elsewhere)}"
    return Decision(average(apart), agreement(apart, word), note, elsewhere)


def simulated_less_known(
    runs: pd.DataFrame, method: str, request: str
) -> tuple[list[Interval], float]:
    """Return the simulated less the calculated loss of each cell, and how far they may be apart.

    They may be as far apart as the two numbers of any printed cell, and two roundings more.
    """
    apart, printed = [], []
    cells = pick(runs, request=request)
    for _, cell in groups_of(cells, ["table", "component_sizes", "clusters"]):
        simulated, known = pick(cell, method="simulation"), pick(cell, method=method)
        if simulated.empty or known.empty:
            continue
        less = difference(cell, VALUE, {"method": "simulation"}, {"method": method})
        apart.append(less.interval)
        printed.append(abs(printed_cell(simulated).published - printed_cell(known).published))
    if not apart:
        raise NotRunError(f"no {request} cell was run by simulation and as {method}")
    return apart, max(printed) + 2 * ROUNDING


def average(apart: Sequence[Interval]) -> Interval:
    """Return how far cells are apart on average; their runs are independent."""
    doubts = [less.warning for less in apart if less.warning]
    mean = float(np.mean([less.estimate for less in apart]))
    half = float(np.linalg.norm([less.half_width for less in apart])) / len(apart)
    return Interval(mean, mean - half, mean + half, len(apart), warning="; ".join(doubts))


def agreement(apart: Sequence[Interval], word: Word) -> dict[str, Part]:
    """Return whether cells agree on average, and no cell is out for certain."""

    def none_is_out(limit: float) -> bool:
        return all(less.between(-limit, limit) is not False for less in apart)

    count, words = len(apart), word.said(word.value)
    return {
        f"average of {count} cells within {words}": word.within(average(apart)),
        f"none of {count} cells further off for certain": Asked(word, none_is_out),
    }


@study.add_claim("MU-15", "smallest step of the capacity loss", TABLES)
def loss_falls_in_the_tables_too(runs: pd.DataFrame) -> Decision:
    """Judge 'the results for multiclusters show the reduction' by freer requests, line by line.

    Where the table itself prints one number for two requests, the loss must be the same for both.
    """
    steps: list[Interval] = []
    parts: dict[str, Part] = {}
    for line, cells in groups_of(pick(runs, clusters=(2, 4)), ["table", "component_sizes"]):
        for less_free, more_free in pairwise(IN_TABLES):
            step = difference(cells, VALUE, less_free, more_free).interval
            words = f"{more_free['request']} below {less_free['request']}"
            ends = (
                printed_cell(pick(cells, **where)).published for where in (less_free, more_free)
            )
            if len({*ends}) > 1:
                parts[f"{line['component_sizes']}, {words}"] = step.above(ROUNDING)
            else:
                parts[f"{line['component_sizes']}, a tie"] = step.between(-ROUNDING, ROUNDING)
            steps.append(step)
    return Decision(least(steps), parts)


#: Requests of the tables, each freer than the one before, with the best method for each.
IN_TABLES = (
    {"request": ORDERED, "method": "exact"},
    {"request": UNORDERED, "method": "simulation"},
    {"request": TOTAL, "method": "exact"},
)
