"""The ledger: a row for each number or claim of the papers, with a computed verdict."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.statistics import Interval, all_of
from studies.cut_offs import Part, Turn, answers, turn_of, verdict_of

#: Verdicts of printed numbers, of claims, and of both.
OF_NUMBERS = ("reproduced", "close", "differs")
OF_CLAIMS = ("holds", "does not hold")
OF_BOTH = ("undecided", "calibrated on", "cannot be tested")
VERDICTS = (*OF_NUMBERS, *OF_CLAIMS, *OF_BOTH)
#: In the note of a printed number: no single run of the paper's length is likely to give it.
STANDS_OUT = "stands out"
#: In a note, what stands before lists that a page shows when it is asked for them.
FOLD = " | "


@dataclass(frozen=True)
class Row:
    """One number or claim of a paper, its `item`, beside what came out; None is no number.

    `cut_off` is what a word of the claim was taken to mean, such as ``little: 0.03``, and
    `turns_at` the nearest value of it at which the verdict would be another; see `cut_offs`.
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
    cut_off: str = ""
    turns_at: float | None = None

    def __post_init__(self) -> None:
        one_of("verdict", self.verdict, VERDICTS)

    @classmethod
    def of(
        cls,
        study: str,
        item: str,
        quantity: str,
        published: float | str | None,
        found: Interval | float | None,
        judgement: "Judgement",
    ) -> "Row":
        """Return the row of what was found; an exact figure has no interval."""
        row = study, item, quantity, published
        if not isinstance(found, Interval):
            return cls(*row, found, None, None, *judgement)
        if not found.count:
            return cls(*row, found.estimate, None, None, *judgement)
        return cls(*row, found.estimate, found.low, found.high, *judgement)


HEADER = tuple(f.name for f in fields(Row))


class Judgement(NamedTuple):
    """A verdict and what goes with it: the last fields of a `Row`."""

    verdict: str
    note: str
    cut_off: str = ""
    turns_at: float | None = None


def judge_number(
    published: float,
    result: Interval,
    decimals: int = 3,
    *,
    stand_in: str = "",
    one_run: Interval | None = None,
    calibrates: str = "",
) -> Judgement:
    """Return whether a published number, give or take its rounding, is what came out.

    Parameters
    ----------
    published, decimals : float, int
        The number, and how many decimals are printed.
    result : Interval
        What came out here, exact or with its interval.
    stand_in : str
        A real log that is not here: then it cannot be tested.
    one_run : Interval, optional
        Where one further run of the paper's own length falls; a number that was simulated once is
        a draw too, and is held against this rather than against the interval of our mean.
    calibrates : str
        The parameter that was chosen so that this number comes out. If it does, it confirms
        nothing, and is ``calibrated on``; if it does not, it ``differs`` as any other number.

    Returns
    -------
    Judgement
        ``reproduced`` where it rounds to the exact one, meets the interval, or lies in `one_run`;
        else ``close``, or ``differs`` outside by more than `far_off`. ``undecided`` where the
        interval has a warning, or a number far off would lie in it. A note that begins with
        `STANDS_OUT` is of a number which no single run is likely to give.
    """
    if stand_in:
        return not_on_stand_in(stand_in)
    _check_numbers(published, result)
    judged = _judge_number(published, result, decimals, one_run)
    if calibrates and judged.verdict in ("reproduced", "close"):
        return Judgement("calibrated on", _chosen(calibrates) + judged.note)
    return judged


def _chosen(parameter: str) -> str:
    """Return the sentence on what was chosen so that a number or a claim comes out."""
    return f"It was used to choose {parameter}, so that it confirms nothing. "


def _judge_number(
    published: float, result: Interval, decimals: int, one_run: Interval | None
) -> Judgement:
    """Return whether a printed number is what came out, whatever it was used for."""
    if result.warning:
        return Judgement("undecided", f"the interval is in doubt: {result.warning}")
    # A value such as 0.0385 lies exactly between two printed ones; its binary form does not.
    half, limit = 0.5 * 10.0**-decimals + 1e-12, far_off(published, decimals) + 1e-12
    outside = max(result.low - published, published - result.high)
    digits = decimals + 1
    note = f"differs by {result.estimate - published:+.{digits}f}"
    if result.count:
        note += f", {outside:.{digits}f} outside the interval"
    if one_run is not None and math.isfinite(one_run.half_width):
        ends = f"{one_run.low:.{digits}f} to {one_run.high:.{digits}f}"
        if one_run.low - half <= published <= one_run.high + half:
            return Judgement("reproduced", f"one run lies within {ends}" * (outside > half))
        note = f"{STANDS_OUT}: one run would lie within {ends}; {note}"
    if outside > half and (outside if result.count else outside - half) > limit:
        return Judgement("differs", note)
    if result.half_width > limit:
        width = f"{result.half_width:.{digits}f}"
        return Judgement("undecided", f"the interval is ± {width}, wider than ± {limit:.2g}")
    return Judgement("close", note) if outside > half else Judgement("reproduced", "")


def _check_numbers(published: float, result: Interval) -> None:
    """Refuse numbers that are not finite, and an interval whose ends are swapped."""
    known = {"published": published, "estimate": result.estimate}
    for name, value in (known | {"low": result.low, "high": result.high}).items():
        if not math.isfinite(value):
            raise InputError(f"{name} = {value}; give a finite number")
    if result.low > result.high:
        raise InputError(
            f"result = [{result.low}, {result.high}]; its low end is above its high end"
        )


def not_on_stand_in(log: str) -> Judgement:
    """Return the judgement of a printed number of a real log that is not here."""
    return Judgement("cannot be tested", f"stand-in; coalloc traces fetch {log}")


def far_off(published: float, decimals: int = 3) -> float:
    """Return the larger of 2 % of a number and three units of its last printed digit."""
    return max(0.02 * abs(published), 3 * 10.0**-decimals)


class Decision(NamedTuple):
    """What a judge of a claim found.

    `decides` is the number that decides, or that is nearest to deciding otherwise. `parts` are the
    answers at the paper's own setting: None where intervals do not tell, or parts of a
    `cut_offs.Word`. `elsewhere` are the answers at other settings. `note` says what was assumed.
    `lost` says which data are missing without which the claim cannot be tested. `calibrates` names
    the parameter that was chosen so that the claim comes out, and is empty for most claims.
    """

    decides: Interval | float | None
    parts: Mapping[str, Part]
    note: str = ""
    elsewhere: Mapping[str, Part] = {}
    lost: str = ""
    calibrates: str = ""

    @property
    def answer(self) -> bool | None:
        """Whether all parts hold at the paper's own setting; None if that is undecided."""
        turn = turn_of(self.parts)
        if turn is not None and turn.is_near:
            return None
        return all_of(*answers(self.parts).values())


def judge_claim(decision: Decision, sentences: Mapping[str, str] | None = None) -> Judgement:
    """Return whether all parts of a claim hold at the paper's own setting, and a note with it.

    The note has the sentence for that verdict, what another cut-off would change, the count of
    other settings and, after `FOLD`, the parts that fail or are undecided.
    """
    if decision.lost:
        return Judgement("cannot be tested", decision.lost)
    if not decision.parts:
        raise InputError("parts is empty; a claim has at least one")
    parts, elsewhere = answers(decision.parts), answers(decision.elsewhere)
    for name, answer in (*parts.items(), *elsewhere.items()):
        if not isinstance(answer, bool | np.bool_ | None):
            raise InputError(f"parts[{name!r}] = {answer!r}; give True, False or None")
    verdict, turn = verdict_of(parts.values()), turn_of(decision.parts)
    turns = turn.words() if turn else ""
    said = (sentences or {}).get(verdict, "")
    if turn and turn.is_near and verdict in OF_CLAIMS:
        # The sentence of an undecided claim says that the runs do not tell, and here they do.
        said, turns, verdict = "", _of_the_word(turn, verdict), "undecided"
    told = [
        said,
        turns,
        _also(elsewhere),
        decision.note,
    ]
    told = [f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in told if each]
    lists = _open_and_failed("", parts) + _open_and_failed(" elsewhere", elsewhere)
    note = " ".join(told) + (FOLD + "; ".join(lists)) * bool(lists)
    if decision.calibrates:
        return Judgement("calibrated on", _chosen(decision.calibrates) + note)
    return Judgement(verdict, note, *((str(turn.word), turn.value) if turn else ()))


def _of_the_word(turn: Turn, verdict: str) -> str:
    """Return in a sentence that a verdict rests on the meaning of a word of the paper."""
    word = turn.word
    return (
        f"Only '{word.word}' decides, which is the paper's word: at {word.said(word.value)} the "
        f"claim {verdict}, and it {turn.words()}"
    )


def _also(elsewhere: Mapping[str, bool | None]) -> str:
    """Return at how many other settings a claim holds, in words."""
    others = [*elsewhere.values()]
    yes, unsure = sum(map(bool, others)), others.count(None)
    if len(others) <= 1:
        one = "also" if yes else "undecided" if unsure else "not"
        return f"{one} at the one other setting" * len(others)
    also = f"{'also ' * (yes > 0)}at {yes or 'none'} of {len(others)} other settings"
    return also + f", undecided at {unsure}" * (unsure > 0)


def _open_and_failed(where: str, parts: Mapping[str, bool | None]) -> list[str]:
    """Return the lists of the parts that fail and of those that are undecided."""
    open_ = [name for name, answer in parts.items() if answer is None]
    failed = [name for name, answer in parts.items() if answer is not None and not answer]
    lists = [f"fails{where}: {'; '.join(failed)}"] * bool(failed)
    return lists + [f"undecided{where}: {'; '.join(open_)}"] * bool(open_)


def count_verdicts(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many rows have each verdict, in the order of `VERDICTS`, without zeros."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def read_ledger(path: str | Path) -> list[Row]:
    """Return the rows that `write_ledger` wrote."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return [
            Row(**{name: _field(name, text) for name, text in row.items()})
            for row in csv.DictReader(file)
        ]


def _field(name: str, text: str) -> Any:
    """Return a field of a row as it was before it was written."""
    if name in ("reproduced", "ci95_low", "ci95_high", "turns_at", "published"):
        try:
            return float(text) if text else None
        except ValueError:
            return text  # a limit that is printed as a formula
    return text


def write_ledger(rows: Iterable[Row], path: str | Path) -> None:
    """Write rows as CSV with six significant digits, None as an empty field, all or nothing."""
    with atomic_path(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for row in rows:
            cells = ["" if value is None else value for value in astuple(row)]
            writer.writerow(c if isinstance(c, str) else f"{float(c):.6g}" for c in cells)
