"""The ledger: one row for each number or claim of the papers, with a verdict computed from figures.

A verdict comes from one of the ``judge_`` functions, each of which can say the opposite; no study
writes one by hand.
"""

import csv
import math
from collections import Counter
from dataclasses import astuple, dataclass, field, fields
from typing import NamedTuple

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.files import atomic_path
from coalloc_lib.studies.published import published_claim

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

    def __post_init__(self):
        """Refuse a verdict that is none."""
        if self.verdict not in VERDICTS:
            raise InputError(f"verdict = {self.verdict!r}; choose one of {', '.join(VERDICTS)}")


HEADER = tuple(f.name for f in fields(Row))


class Judgement(NamedTuple):
    """A verdict and the note that goes with it; unpacks as the last two fields of a `Row`."""

    verdict: str
    note: str


@dataclass(frozen=True)
class StudyResult:
    """What reproducing a study gives.

    Parameters
    ----------
    rows : list of Row
        Its part of the ledger.
    figures : list of Figure
        Those of the paper and those of its tables, run.
    """

    rows: list[Row]
    figures: list = field(default_factory=list)

    def figure(self, name):
        """Return the figure of this name; an `InputError` lists the names there are."""
        figures = {figure.name: figure for figure in self.figures}
        return figures[one_of("name", name, tuple(figures))]


def judge_exact(published, value, decimals=3):
    """Return whether an exact value rounds to a published number.

    Parameters
    ----------
    published : float
        As printed, with so many `decimals`.
    value : float
        As calculated.
    decimals : int
        Printed digits after the point.

    Returns
    -------
    Judgement
        ``reproduced``; or, with the difference in its note, ``close``, or ``differs`` where the
        value lies outside the rounding by more than `far_off`.
    """
    published, value = _finite(published=published, value=value)
    outside = abs(value - published) - _half_a_unit(decimals)
    if outside <= 0:
        return Judgement("reproduced", "")
    note = f"differs by {value - published:+.{decimals + 1}f}"
    return Judgement(_how_far(outside, published, decimals), note)


def judge_interval(published, interval, decimals=3):
    """Return whether a published number, give or take its rounding, meets a 95 % interval.

    Parameters
    ----------
    published : float
        As printed, with so many `decimals`.
    interval : Interval
    decimals : int
        Printed digits after the point.

    Returns
    -------
    Judgement
        ``reproduced``; or, with the differences from the estimate and from the interval's nearer
        end in its note, ``close``, or ``differs`` where the number lies outside by more than
        `far_off`; ``cannot be tested`` where the interval is in doubt, or so wide that a number
        that is far off would lie in it.
    """
    published, estimate, low, high = _finite(
        published=published, estimate=interval.estimate, low=interval.low, high=interval.high
    )
    if low > high:
        raise InputError(f"interval = [{low}, {high}]; its low end is above its high end")
    half, most = _half_a_unit(decimals), far_off(published, decimals)
    if interval.doubt:
        return Judgement("cannot be tested", f"the interval is in doubt: {interval.doubt}")
    outside = max(low - published, published - high)
    if outside > half:
        note = (
            f"differs by {estimate - published:+.{decimals + 1}f}, "
            f"{outside:.{decimals + 1}f} outside the interval"
        )
        return Judgement(_how_far(outside, published, decimals), note)
    if interval.half_width > most:
        width = f"{interval.half_width:.{decimals + 1}f}"
        return Judgement("cannot be tested", f"the interval is ± {width}, wider than ± {most:.2g}")
    return Judgement("reproduced", "")


def far_off(published, decimals=3):
    """Return by how much a number may miss a published one and still be called close.

    The larger of 2 % of it and three units of its last printed digit.
    """
    return max(0.02 * abs(published), 3 * 10.0**-decimals)


def _how_far(outside, published, decimals):
    return "differs" if outside > far_off(published, decimals) + 1e-12 else "close"


def judge_claim(parts, why=""):
    """Return whether a claim holds, from its parts.

    Parameters
    ----------
    parts : mapping of str to bool or None
        Each part in words, and whether it holds; None where the figures do not decide it.
    why : str
        Why parts are undecided, or what else a reader should know.

    Returns
    -------
    Judgement
        ``holds`` where every part does, ``does not hold`` where none of the decided parts does,
        ``cannot be tested`` where no part is decided, else ``holds in part``. The note lists the
        parts that fail and those that are undecided.
    """
    if not parts:
        raise InputError("parts is empty; a claim has at least one")
    answers = {name: _answer(name, value) for name, value in parts.items()}
    failed = [name for name, answer in answers.items() if answer is False]
    undecided = [name for name, answer in answers.items() if answer is None]
    if len(undecided) == len(answers):
        verdict = "cannot be tested"
    elif len(failed) + len(undecided) == len(answers):
        verdict = "does not hold"
    else:
        verdict = "holds in part" if failed or undecided else "holds"
    lists = [("fails", failed), ("undecided", undecided)]
    notes = [f"{word}: {', '.join(names)}" for word, names in lists if names]
    return Judgement(verdict, "; ".join([*notes, why] if why else notes))


def claim_row(study, item, quantity, found, parts, note=""):
    """Return the row of a claim of `data/published/claims.csv`.

    Parameters
    ----------
    study, item : str
        Names of the study and of the claim.
    quantity : str
        What was looked at.
    found : Interval or float
        What came out: the figure that decides, or that comes nearest to deciding otherwise.
    parts, note
        For `judge_claim`.
    """
    ends, value = (None, None), found
    if isinstance(found, Interval):
        ends, value = (found.low, found.high), found.estimate
    number = published_claim(study, item).number or None
    return Row(study, item, quantity, number, value, *ends, *judge_claim(parts, note))


def count_verdicts(rows):
    """Return how many rows have each verdict, in the order of `VERDICTS`, without zeros."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def write_ledger(rows, path):
    """Write rows as CSV; the file appears only when it is complete.

    Numbers are written with six significant digits, None as an empty field.
    """
    with atomic_path(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(map(_text, astuple(row)) for row in rows)


def read_ledger(path):
    """Return the rows of a ledger; fields that are numbers become numbers again."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            header, *lines = csv.reader(file)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a ledger ({error})") from None
    if tuple(header) != HEADER:
        raise InputError(f"{path}, line 1: the header is not {','.join(HEADER)}")
    wrong = [i for i, line in enumerate(lines, start=2) if len(line) != len(HEADER)]
    if wrong:
        raise InputError(f"{path}, row {wrong[0]}: a row has {len(HEADER)} fields")
    return [Row(*line[:3], *map(_number, line[3:7]), *line[7:]) for line in lines]


def _half_a_unit(decimals):
    # A value such as 0.0385 lies exactly between two printed ones; its binary form does not.
    return 0.5 * 10.0**-decimals + 1e-12


def _finite(**numbers):
    for name, value in numbers.items():
        if not math.isfinite(float(value)):
            raise InputError(f"{name} = {value}; give a finite number")
    return [float(value) for value in numbers.values()]


def _answer(name, value):
    if value is not None and type(value).__name__ not in ("bool", "bool_"):
        raise InputError(f"parts[{name!r}] = {value!r}; give True, False or None")
    return None if value is None else bool(value)


def _text(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{float(value):.6g}"


def _number(text):
    try:
        return float(text) if text else None
    except ValueError:
        return text
