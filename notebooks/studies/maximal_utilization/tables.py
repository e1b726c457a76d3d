"""Judge the numbers in the paper's Tables 3 and 4, and the claims of section 6 about them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from coalloc_lib.statistics import Interval, NotRunError, difference, groups_of, pick
from studies.claim import PaperSetting
from studies.cut_offs import Asked, Part, Word
from studies.extremes import furthest, least
from studies.ledger import Decision, Row
from studies.logic import all_of
from studies.maximal_utilization.further import APPROXIMATION, FEWER, SIMULATION
from studies.maximal_utilization.model import ORDERED, TOTAL, UNORDERED
from studies.maximal_utilization.runs import study
from studies.printed_losses import ACCURATE, ROUNDING, MeasuredCell, cells_of, printed_cell
from studies.published import PRINTED

#: The column of the table of runs that contains the measured capacity loss.
VALUE = "capacity_loss"
#: If an exact loss is this close to the midpoint between two numbers that the paper can print, it
#: may be rounded up or down, because the rounding error of a long sum depends on the program. The
#: unit is the last printed digit.
TIE = 2e-3

# --- The printed numbers ---


@study.add_numbers
def printed_losses(runs: pd.DataFrame) -> Iterator[Row]:
    """Yield the ledger rows for the losses in Tables 3 and 4 of the paper."""
    for measured in cells_of(runs):
        yield rounded_either_way(measured).row(study.name)


def rounded_either_way(measured: MeasuredCell) -> MeasuredCell:
    """Widen an exact loss to a tiny interval if it could be rounded either up or down.

    A simulated loss is returned as it is. See `TIE` for the reason.
    """
    loss = measured.loss
    if loss.count:
        return measured
    margin = TIE * 1e-3
    widened = replace(loss, low=loss.estimate - margin, high=loss.estimate + margin)
    return measured._replace(loss=widened)


# --- Section 6 ---

TABLES = PaperSetting(fixed={"kind": PRINTED})


@study.add_claim(
    "MU-2", "simulated minus exact loss, the mean over the cells of ordered requests", TABLES
)
def exact_and_simulated_agree(runs: pd.DataFrame) -> Decision:
    """Judge the claim that exact and simulated losses 'agree extremely well' (section 6)."""
    averages: dict[str, Interval] = {}
    parts: dict[str, Part] = {}
    for request in (TOTAL, ORDERED):
        apart, limit = simulated_less_known(runs, "exact", request)
        averages[request] = average(apart)
        # This cut-off is computed from the numbers in the paper's tables. It is not our own choice
        # for the meaning of 'extremely well'.
        word = Word("extremely well", limit, "points", 100, near=1)
        parts |= {f"{request}: {name}": part for name, part in agreement(apart, word).items()}
    return Decision(
        averages[ORDERED], parts, "The printed losses of simulation and formula differ by as much"
    )


@study.add_claim(
    "MU-3",
    "simulated loss minus loss by equation (5), the mean over the printed cells",
    PaperSetting(fixed={"kind": (PRINTED, FEWER)}),
)
def approximation_is_reasonable(runs: pd.DataFrame) -> Decision:
    """Judge the claim that equation (5) approximates the simulated loss well (section 6).

    The paper says: 'the match of the approximation and simulations [...] is quite reasonable'.

    In the printed cells, each job has as many components as there are clusters. The answers
    elsewhere are for jobs with fewer components, for which equation (5) assumes that the clusters
    are more evenly loaded than they are.
    """
    apart, limit = simulated_less_known(pick(runs, kind=PRINTED), "approximation", UNORDERED)
    below = sum(less.estimate > 0 for less in apart)
    word = Word("quite reasonable", limit, "points", 100, near=1)  # as above
    elsewhere: dict[str, Part] = {}
    keys = ["sizes", "components", "clusters", "cluster_size"]
    for names, fewer in groups_of(pick(runs, kind=FEWER), keys):
        pair = {"method": SIMULATION}, {"method": APPROXIMATION}
        less = difference(fewer, VALUE, *pair).interval
        system = f"{names['clusters']:.0f} × {names['cluster_size']:.0f}"
        words = f"{names['components']:.0f} components {names['sizes']} on {system}"
        elsewhere[f"{words}: {100 * less.estimate:+.1f} points"] = word.within(less)
    note = f"equation (5) gives a smaller loss than the simulation in {below} of {len(apart)} cells"
    if elsewhere:
        note += (
            "; simulated loss minus loss by equation (5) with fewer components than clusters: "
            f"{'; '.join(elsewhere)}"
        )
    return Decision(average(apart), agreement(apart, word), note, elsewhere)


#: The cut-off for 'the latter is quite accurate'.
QUITE_ACCURATE = Word("quite accurate", ACCURATE, "points", 100)


@study.add_claim(
    "MU-21",
    "simulated loss minus loss by equation (5), the one furthest from 0 over the printed cells",
    TABLES,
)
def approximation_is_quite_accurate(runs: pd.DataFrame) -> Decision:
    """Judge the claim that the formula for unordered requests 'is quite accurate' (section 8).

    The formula is tested in all printed cells for which the paper has simulations too.
    """
    apart, _ = simulated_less_known(runs, "approximation", UNORDERED)

    def all_within(limit: float) -> bool | None:
        return all_of(*(less.between(-limit, limit) for less in apart))

    parts: dict[str, Part] = {f"all {len(apart)} cells are near": Asked(QUITE_ACCURATE, all_within)}
    note = (
        "section 6 calls the same match 'quite reasonable' (MU-3), and the paper of 2002 'very "
        "accurate' (CC-15); the match is far worse for jobs with fewer components than "
        "clusters (MU-3)"
    )
    return Decision(furthest(apart), parts, note)


def simulated_less_known(
    runs: pd.DataFrame, method: str, request: str
) -> tuple[list[Interval], float]:
    """Return the simulated minus the calculated capacity loss for each cell of the tables.

    The result has the simulated minus the calculated loss, and the largest difference that is
    allowed. The allowed difference is the largest one between the two numbers of any cell in
    the paper's tables, plus twice the largest rounding error.

    Parameters
    ----------
    runs : DataFrame
        The runs of the printed cells.
    method : str
        The method of the calculated loss: ``"exact"`` or ``"approximation"``.
    request : str
        The request of the cells.

    Returns
    -------
    tuple of list of Interval and float
        The differences, and the largest allowed difference.
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
        raise NotRunError(
            f"no {request} cell was run both by simulation and by the method {method}"
        )
    return apart, max(printed) + 2 * ROUNDING


def average(apart: Sequence[Interval]) -> Interval:
    """Average several independent differences, with a 95 % confidence interval."""
    warnings = [less.warning for less in apart if less.warning]
    mean = float(np.mean([less.estimate for less in apart]))
    half = float(np.linalg.norm([less.half_width for less in apart])) / len(apart)
    return Interval(mean, mean - half, mean + half, len(apart), warning="; ".join(warnings))


def agreement(apart: Sequence[Interval], word: Word) -> dict[str, Part]:
    """Return, as parts of a claim, whether two methods give nearly the same losses.

    A cell disagrees if its whole 95 % interval lies outside the limits.
    """

    def none_is_out(limit: float) -> bool:
        return all(less.between(-limit, limit) is not False for less in apart)

    count, words = len(apart), word.said(word.value)
    return {
        f"the mean over {count} cells is within {words}": word.within(average(apart)),
        f"no cell of {count} is certainly further off": Asked(word, none_is_out),
    }


@study.add_claim(
    "MU-15",
    "capacity loss of one request type minus that of the next freer type, the smallest over the "
    "lines of the tables",
    TABLES,
)
def loss_falls_in_the_tables_too(runs: pd.DataFrame) -> Decision:
    """Judge the claim that ordered requests also lose the most in Tables 3 and 4 (section 6).

    The paper says: 'the results for multiclusters show the reduction'.

    The claim is tested in each line of the tables. If a line has the same printed number for two
    requests, their losses must agree within its rounding.
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
                parts[f"{line['component_sizes']}, both lose the same"] = step.between(
                    -ROUNDING, ROUNDING
                )
            steps.append(step)
    return Decision(least(steps), parts)


#: The three request types in Tables 3 and 4, from the most to the least restrictive, each with the
#: most exact method that the tables have for it.
IN_TABLES = (
    {"request": ORDERED, "method": "exact"},
    {"request": UNORDERED, "method": "simulation"},
    {"request": TOTAL, "method": "exact"},
)
