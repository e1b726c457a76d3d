"""The ledger: one row for each number or claim of the papers, with a verdict computed from figures.

A verdict comes from `judge_number` or from `claims.judge_claim`, each of which can say the
opposite; no study writes one by hand.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import NamedTuple

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.files import atomic_path

#: For numbers: the first three. For claims: the other four. The last is for both.
VERDICTS = (
    "reproduced",
    "close",
    "differs",
    "holds",
    "holds in part",
    "does not hold",
    "cannot be tested",
)


#: In a note, what stands before lists that a page shows when it is asked for them.
FOLD = " | "


@dataclass(frozen=True)
class Row:
    """One number or claim of a paper beside what came out here.

    Parameters
    ----------
    study : str
        Name of the study.
    item : str
        A claim's name (``MU-1``) or a table's row (``Table 3 U[1,4] ordered exact``).
    quantity : str
        What the numbers are.
    published, reproduced : float, str or None
        None where the paper prints no number, or where a claim has no single one.
    ci95_low, ci95_high : float or None
        Where `reproduced` was simulated, its 95 % interval.
    verdict : str
        One of `VERDICTS`.
    note : str
        The difference, the parts that fail, or why it cannot be tested.
    """

    study: str
    item: str
    quantity: str
    published: float | str | None
    reproduced: float | str | None
    ci95_low: float | None
    ci95_high: float | None
    verdict: str
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse a verdict that is none."""
        one_of("verdict", self.verdict, VERDICTS)


HEADER = tuple(f.name for f in fields(Row))


class Judgement(NamedTuple):
    """A verdict and the note that goes with it; unpacks as the last two fields of a `Row`."""

    verdict: str
    note: str


def judge_number(published: float, found: Interval, decimals: int = 3) -> Judgement:
    """Return whether a published number, give or take its rounding, is what came out.

    Parameters
    ----------
    published : float
        As printed, with so many `decimals`.
    found : Interval
        Exact, or a 95 % interval.
    decimals : int
        Printed digits after the point.

    Returns
    -------
    Judgement
        ``reproduced`` where the number rounds to the exact one or meets the interval; else
        ``close``, or ``differs`` where it lies outside by more than `far_off`, with the difference
        from the estimate, and from the interval's nearer end, in the note. ``cannot be tested``
        where the interval is in doubt, or so wide that a number that is far off would lie in it.
    """
    ends = {"low": found.low, "high": found.high}
    for name, value in ({"published": published, "estimate": found.estimate} | ends).items():
        if not math.isfinite(value):
            raise InputError(f"{name} = {value}; give a finite number")
    if found.low > found.high:
        raise InputError(f"found = [{found.low}, {found.high}]; its low end is above its high end")
    if found.doubt:
        return Judgement("cannot be tested", f"the interval is in doubt: {found.doubt}")
    # A value such as 0.0385 lies exactly between two printed ones; its binary form does not.
    half, limit = 0.5 * 10.0**-decimals + 1e-12, far_off(published, decimals) + 1e-12
    outside = max(found.low - published, published - found.high)
    note = f"differs by {found.estimate - published:+.{decimals + 1}f}"
    if found.count:
        note += f", {outside:.{decimals + 1}f} outside the interval"
    if outside > half:
        beyond = outside if found.count else outside - half
        return Judgement("differs" if beyond > limit else "close", note)
    if found.half_width > limit:
        width = f"{found.half_width:.{decimals + 1}f}"
        return Judgement("cannot be tested", f"the interval is ± {width}, wider than ± {limit:.2g}")
    return Judgement("reproduced", "")


def far_off(published: float, decimals: int = 3) -> float:
    """Return by how much a number may miss a published one and still be called close.

    The larger of 2 % of it and three units of its last printed digit.
    """
    return max(0.02 * abs(published), 3 * 10.0**-decimals)


def count_verdicts(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many rows have each verdict, in the order of `VERDICTS`, without zeros."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def write_ledger(rows: Iterable[Row], path: str | Path) -> None:
    """Write rows as CSV; the file appears only when it is complete.

    Numbers are written with six significant digits, None as an empty field.
    """
    with atomic_path(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(map(_text, astuple(row)) for row in rows)


def _text(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{float(value):.6g}"
