"""Tables 1, 2 and 5: statistics whose digits our text of the paper lost, and what is left of them.

The text drops the digit 3, and has one and the same mark for every other character that it lost.
So a number is known by how many characters other than 3 it has. This can refute a number that
comes out here, and cannot confirm it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coalloc_lib.model.distributions import parse_sizes
from studies.ledger import Judgement
from studies.maximal_utilization.model import FIVE, LARGEST, ctc_log, removed_jobs

#: What a statistic is called among the runs.
STATISTIC = "printed statistic"
JOBS, MEAN, CV = "jobs", "mean", "cv"
SIZES, SERVICE_TIMES = "sizes", "service times"

#: How a number is read: the first of a table is ours.
NOT_COUNTED, COUNTED = "1 is no power of two", "1 is a power of two"
CLEANED, UNCLEANED = "the cleaned log", "the log before it was cleaned"
READINGS = {1: (CLEANED, UNCLEANED), 2: (CLEANED, UNCLEANED), 5: (NOT_COUNTED, COUNTED)}

CTC, CTC_128 = "CTC", "CTC-128"
#: By table, entry and quantity, what our text has, an x for each mark. DAS1's numbers are printed
#: in the paper of 2002, and our stand-in has them by its making.
PRINT = {
    (1, CTC, JOBS): "xxx xx",
    (1, CTC, MEAN): "xxxxx",
    (1, CTC, CV): "xxxx",
    (1, CTC_128, JOBS): "xxx xxx",
    (1, CTC_128, MEAN): "xxx",
    (1, CTC_128, CV): "xxx",
    (2, CTC, MEAN): "xxx xxxxx",
    (2, CTC, CV): "xxxx",
    (2, CTC_128, MEAN): "xxx xxxxxx",
    (2, CTC_128, CV): "xxxx",
    (5, FIVE[0], MEAN): "xxxxx",
    (5, FIVE[0], CV): "xxxxx",
    (5, FIVE[1], MEAN): "xxxx",
    (5, FIVE[1], CV): "xxxxx",
    (5, FIVE[2], MEAN): "xxxx",
    (5, FIVE[2], CV): "xxxxx",
    (5, FIVE[3], MEAN): "xxxxx",
    (5, FIVE[3], CV): "xxxx",
    (5, FIVE[4], MEAN): "xxxxx",
    (5, FIVE[4], CV): "xxxxx",
}
#: How many decimals are printed, by table; a number of jobs has none.
DECIMALS = {1: 2, 2: 2, 5: 3}
#: So near to a tie, in units of the last digit, a number is rounded up or down as the arithmetic of
#: a program has it: what comes out here is a sum of many terms.
TIE = 2e-3


# --- The key ---


def as_in_our_text(number: float, decimals: int) -> str:
    """Return what our text leaves of a printed number: no 3, and an x for any other character.

    >>> as_in_our_text(79302, 0), as_in_our_text(3.996, 3)
    ('xxx xx', 'xxxx')
    """
    printed = f"{number:,.{decimals}f}".replace(",", ", ")
    return re.sub(r"[^ ]", "x", printed.replace("3", ""))


def fits(print_left: str, number: float, decimals: int) -> bool:
    """Whether a number, rounded, may be what was printed; near a tie, rounded either way."""
    near = TIE * 10.0**-decimals
    both = (number - near, number + near)
    return print_left in {as_in_our_text(each, decimals) for each in both}


def judge_print(print_left: str, found: Mapping[str, float], decimals: int) -> Judgement:
    """Return what the characters that are left say of a number, by reading; the first is ours.

    ``cannot be tested`` where ours leaves as many: that is little evidence. Else it ``differs``.
    """
    own, *others = found
    value = f"{found[own]:,.{decimals}f}"
    left = f"our text has {print_left!r}"
    if fits(print_left, found[own], decimals):
        excluded = [name for name in others if not fits(print_left, found[name], decimals)]
        without = "".join(f"; {name}, it would not" for name in excluded)
        return Judgement("cannot be tested", f"digits lost; {left}, which {value} leaves{without}")
    return Judgement("differs", f"{left}, which {value} does not leave")


# --- What is measured ---


@dataclass(frozen=True)
class PrintedStatistic:
    """A number of Tables 1, 2 and 5, by a reading of what the paper does not state."""

    table: int
    entry: str
    quantity: str
    reading: str
    kind: str = STATISTIC

    @property
    def value(self) -> float:
        """What comes out here."""
        if self.table == 5:
            sizes = parse_sizes(self.entry, one_is_power_of_two=self.reading == COUNTED)
            return sizes.mean if self.quantity == MEAN else sizes.cv
        column = "allocated_processors" if self.table == 1 else "runtime"
        return statistic(column_of_log(column, self.entry, self.reading), self.quantity)


def column_of_log(column: str, entry: str, reading: str) -> NDArray:
    """Return a column of the CTC log: of all jobs that it lists, or those of 128 processors."""
    log = ctc_log()
    table = log.table
    if reading == UNCLEANED:
        back = removed_jobs(log)
        filled = {"allocated_processors": back.processors, "runtime": back.runtime}
        table = pd.concat([table, pd.DataFrame(filled)])
    if entry == CTC_128:
        table = table[table["allocated_processors"] <= LARGEST]
    return table[column].to_numpy()


def statistic(values: NDArray, quantity: str) -> float:
    """Return how many values there are, their mean, or their coefficient of variation."""
    if quantity == JOBS:
        return float(len(values))
    mean = float(np.mean(values))
    return mean if quantity == MEAN else float(np.std(values)) / mean


def printed_statistics() -> Iterator[PrintedStatistic]:
    """Yield every number by every reading; U[a,b] has but one."""
    for table, entry, quantity in PRINT:
        for reading in readings_of(table, entry):
            yield PrintedStatistic(table, entry, quantity, reading)


def readings_of(table: int, entry: str) -> Iterable[str]:
    """Return the readings of an entry of a table, ours first."""
    own, other = READINGS[table]
    return (own,) if entry.startswith("U") else (own, other)
