"""The ledger: a row for each number or claim of the papers, with a computed verdict."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.intervals import Interval, all_of

#: For numbers: the first three. For claims: the next two. The last two are for both.
VERDICTS = (
    "reproduced", "close", "differs", "holds", "does not hold", "undecided", "cannot be tested",
)  # fmt: skip
#: In a note, what stands before lists that a page shows when it is asked for them.
FOLD = " | "


@dataclass(frozen=True)
class Row:
    """One number or claim of a paper, its `item`, beside what came out; None is no number."""

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
        one_of("verdict", self.verdict, VERDICTS)


HEADER = tuple(f.name for f in fields(Row))


class Judgement(NamedTuple):
    """A verdict and the note that goes with it; unpacks as the last two fields of a `Row`."""

    verdict: str
    note: str


def judge_number(
    published: float,
    result: Interval,
    decimals: int = 3,
    *,
    stand_in: str = "",
    one_run: Interval | None = None,
) -> Judgement:
    """Return whether a published number, give or take its rounding, is what came out.

    ``reproduced`` where it rounds to the exact one, meets the interval, or lies in the range in
    which `one_run` is expected; else ``close``, or ``differs`` outside by more than `far_off`.
    ``undecided`` where the interval has a warning, or a number far off would lie in it.
    """
    if stand_in:
        return not_on_stand_in(stand_in)
    ends = {"low": result.low, "high": result.high}
    for name, value in ({"published": published, "estimate": result.estimate} | ends).items():
        if not math.isfinite(value):
            raise InputError(f"{name} = {value}; give a finite number")
    if result.low > result.high:
        raise InputError(
            f"result = [{result.low}, {result.high}]; its low end is above its high end"
        )
    if result.warning:
        return Judgement("undecided", f"the interval is in doubt: {result.warning}")
    # A value such as 0.0385 lies exactly between two printed ones; its binary form does not.
    half, limit = 0.5 * 10.0**-decimals + 1e-12, far_off(published, decimals) + 1e-12
    outside = max(result.low - published, published - result.high)
    note = f"differs by {result.estimate - published:+.{decimals + 1}f}"
    if result.count:
        note += f", {outside:.{decimals + 1}f} outside the interval"
    is_bounded = one_run is not None and math.isfinite(one_run.half_width)
    if one_run and is_bounded and one_run.low - half <= published <= one_run.high + half:
        words = f"one run lies within {one_run.low:.{decimals}f} to {one_run.high:.{decimals}f}"
        return Judgement("reproduced", words * (outside > half))
    if outside > half and (outside if result.count else outside - half) > limit:
        return Judgement("differs", note)
    if result.half_width > limit:
        width = f"{result.half_width:.{decimals + 1}f}"
        return Judgement("undecided", f"the interval is ± {width}, wider than ± {limit:.2g}")
    return Judgement("close", note) if outside > half else Judgement("reproduced", "")


def not_on_stand_in(log: str) -> Judgement:
    """Return the judgement of a printed number of a real log that is not here."""
    return Judgement("cannot be tested", f"stand-in; coalloc traces fetch {log}")


def far_off(published: float, decimals: int = 3) -> float:
    """Return the larger of 2 % of a number and three units of its last printed digit."""
    return max(0.02 * abs(published), 3 * 10.0**-decimals)


class Decision(NamedTuple):
    """What a judge of a claim found.

    `decides` is the figure that decides, or is nearest to deciding otherwise; `parts` are answers
    at the paper's own setting, None where intervals do not tell; `elsewhere` those at others.
    `note` says what was taken, `lost` which data the claim cannot be tested without.
    """

    decides: Interval | float | None
    parts: Mapping[str, bool | None]
    note: str = ""
    elsewhere: Mapping[str, bool | None] = {}
    lost: str = ""


def judge_claim(decision: Decision, sentences: Mapping[str, str] | None = None) -> Judgement:
    """Return whether all parts of a claim hold at the paper's own setting, and a note with it.

    The note has the sentence for that verdict, the count of other settings and, after `FOLD`, the
    parts that fail or are undecided.
    """
    if decision.lost:
        return Judgement("cannot be tested", decision.lost)
    if not decision.parts:
        raise InputError("parts is empty; a claim has at least one")
    for name, answer in (*decision.parts.items(), *decision.elsewhere.items()):
        if not isinstance(answer, bool | np.bool_ | None):
            raise InputError(f"parts[{name!r}] = {answer!r}; give True, False or None")
    answer = all_of(*decision.parts.values())
    verdict = "undecided" if answer is None else "holds" if answer else "does not hold"
    others = [*decision.elsewhere.values()]
    yes, unsure = sum(map(bool, others)), others.count(None)
    also = f"{'also ' * (yes > 0)}at {yes or 'none'} of {len(others)} other settings"
    also += f", undecided at {unsure}" * (unsure > 0)
    if len(others) == 1:
        also = f"{'also' if yes else 'undecided' if unsure else 'not'} at the one other setting"
    told = [(sentences or {}).get(verdict, ""), also * bool(others), decision.note]
    told = [f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in told if each]
    lists = []
    for where, parts in (("", decision.parts), (" elsewhere", decision.elsewhere)):
        open_ = [name for name, answer in parts.items() if answer is None]
        failed = [name for name, answer in parts.items() if answer is not None and not answer]
        lists += [f"fails{where}: {'; '.join(failed)}"] * bool(failed)
        lists += [f"undecided{where}: {'; '.join(open_)}"] * bool(open_)
    return Judgement(verdict, " ".join(told) + (FOLD + "; ".join(lists)) * bool(lists))


def count_verdicts(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many rows have each verdict, in the order of `VERDICTS`, without zeros."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def write_ledger(rows: Iterable[Row], path: str | Path) -> None:
    """Write rows as CSV with six significant digits, None as an empty field, all or nothing."""
    with atomic_path(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for row in rows:
            cells = ["" if value is None else value for value in astuple(row)]
            writer.writerow(c if isinstance(c, str) else f"{float(c):.6g}" for c in cells)
