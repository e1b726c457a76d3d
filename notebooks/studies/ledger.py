"""Compute verdicts on the papers' numbers and claims, and keep them in the rows of a ledger."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import InputError, finite, one_of
from coalloc_lib.basics.display import listed
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.statistics import Interval
from studies.cut_offs import Part, Turn, answers, turn_of, verdict_of
from studies.log_files import has_stand_in
from studies.logic import all_of

#: The possible verdicts: those on numbers that a paper prints, those on claims, and those that
#: apply to numbers and claims alike.
OF_NUMBERS = ("reproduced", "close", "differs")
OF_CLAIMS = ("holds", "does not hold")
OF_BOTH = ("undecided", "calibrated on", "cannot be tested")
VERDICTS = (*OF_NUMBERS, *OF_CLAIMS, *OF_BOTH)
#: A note begins with these words if a single run as long as the paper's would be unlikely to give
#: the number in the paper.
STANDS_OUT = "stands out"
#: In a note on a claim, this separator stands between the explanation and the list of the parts
#: that fail or are undecided. The results page hides the list until the reader opens it.
FOLD = " | "


@dataclass(frozen=True)
class Row:
    """One row of the ledger: a number or a claim of a paper, our own result, and the verdict.

    Parameters
    ----------
    study, item : str
        The name of the study, and of the number or claim in it, such as ``MU-1``.
    quantity : str
        The quantity that decides, in words.
    published : float or str, optional
        The number in the paper, or the formula that it prints.
    reproduced : float, optional
        Our own number.
    ci95_low, ci95_high : float, optional
        The ends of the 95 % confidence interval of our number; None if it is exact.
    verdict : str
        One of `VERDICTS`.
    note : str
        An explanation of the verdict.
    cut_off : str
        The cut-off that we chose for a word of the claim, such as ``little: 0.03``.
    turns_at : float, optional
        The nearest cut-off at which the verdict would be another one; see `cut_offs`.
    """

    study: str
    item: str
    quantity: str
    published: float | str | None
    reproduced: float | None
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
        """Make a ledger row from our own result and the verdict on it.

        The ends of the interval are None if the value is exact.
        """
        row = study, item, quantity, published
        if not isinstance(found, Interval):
            return cls(*row, found, None, None, *judgement)
        if not found.count:
            return cls(*row, found.estimate, None, None, *judgement)
        return cls(*row, found.estimate, found.low, found.high, *judgement)


HEADER = tuple(f.name for f in fields(Row))


class Judgement(NamedTuple):
    """The verdict on a number or claim, with a note and a cut-off: the last fields of a `Row`."""

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
    """Return the verdict on a number printed in a paper, given our own result for this number.

    Parameters
    ----------
    published : float
        The number in the paper.
    result : Interval
        Our own result, exact or with its confidence interval.
    decimals : int
        The number of decimals that the paper prints.
    stand_in : str
        The name of a log that the number needs and that is missing; then it cannot be tested.
    one_run : Interval, optional
        The prediction interval for one run of the paper's length. A number that the paper took
        from a single run is random itself, so it is compared with this interval rather than with
        the confidence interval of our mean.
    calibrates : str
        The parameter that we chose to fit this number. If the number then agrees, it confirms
        nothing, and its verdict is ``calibrated on``.

    Returns
    -------
    Judgement
        The verdict is ``reproduced`` if the number is in `one_run` or in the interval of the
        result, and ``close`` if it is outside. If it is outside by more than `far_off`, the
        verdict is ``differs``. It is ``undecided`` if the interval has a warning or is too wide to
        tell. The note begins with `STANDS_OUT` if the number is outside `one_run`.
    """
    if stand_in:
        return not_on_stand_in(stand_in)
    _check_numbers(published, result)
    judged = _judge_number(published, result, decimals, one_run)
    if calibrates and judged.verdict in ("reproduced", "close"):
        return Judgement("calibrated on", _chosen(calibrates) + judged.note)
    return judged


def _chosen(parameter: str) -> str:
    return f"It was used to choose {parameter}, so it confirms nothing. "


def _judge_number(
    published: float, result: Interval, decimals: int, one_run: Interval | None
) -> Judgement:
    if result.warning:
        return Judgement("undecided", f"the interval is in doubt: {result.warning}")
    # A value such as 0.0385 is exactly halfway between two numbers with three decimals, so it may
    # be rounded up or down. In binary it is slightly off, so 1e-12 is added to each tolerance.
    half, limit = 0.5 * 10.0**-decimals + 1e-12, far_off(published, decimals) + 1e-12
    outside = max(result.low - published, published - result.high)
    digits = decimals + 1
    note = f"differs by {result.estimate - published:+.{digits}f}"
    if result.count:
        note += f", {outside:.{digits}f} outside the interval"
    if one_run is not None and math.isfinite(one_run.low) and math.isfinite(one_run.high):
        ends = f"{one_run.low:.{digits}f} to {one_run.high:.{digits}f}"
        if one_run.low - half <= published <= one_run.high + half:
            note = f"a single run lies within {ends}" if outside > half else ""
            return Judgement("reproduced", note)
        note = f"{STANDS_OUT}: a single run would lie within {ends}; {note}"
    if outside > half and (outside if result.count else outside - half) > limit:
        return Judgement("differs", note)
    if result.half_width > limit:
        width = f"{result.half_width:.{digits}f}"
        return Judgement("undecided", f"the interval is ± {width}, wider than ± {limit:.2g}")
    return Judgement("close", note) if outside > half else Judgement("reproduced", "")


def _check_numbers(published: float, result: Interval) -> None:
    finite("published", published)
    if result.warning:
        return  # for example, the interval of a single run is infinite
    for name in ("estimate", "low", "high"):
        finite(name, getattr(result, name))
    if result.low > result.high:
        raise InputError(
            f"result = [{result.low}, {result.high}]; give the lower end of the interval first"
        )


def not_on_stand_in(log: str) -> Judgement:
    """Return the verdict ``cannot be tested`` for a number or claim that needs a missing log.

    `log` may have several names with spaces between them.
    """
    logs = log.split()
    if not all(map(has_stand_in, logs)):
        return Judgement("cannot be tested", f"it was measured {without_logs(logs)}")
    replaced = f"a synthetic log replaced {listed(logs)}; {_how_to_fetch(logs)}"
    return Judgement("cannot be tested", replaced)


def without_logs(logs: Sequence[str]) -> str:
    """Return a clause which says that logs are missing, and how to download them."""
    kind = "logs" if len(logs) > 1 else "log"
    return f"without the {kind} {listed(logs)}; {_how_to_fetch(logs)}"


def _how_to_fetch(logs: Sequence[str]) -> str:
    these = "them" if len(logs) > 1 else "it"
    return f"to download {these}, run: coalloc traces fetch {' '.join(logs)}"


def far_off(published: float, decimals: int = 3) -> float:
    """Return how far a result may be from a paper's number before its verdict is ``differs``.

    It is 2 % of the number or three units of its last printed digit, whichever is larger.
    """
    return max(0.02 * abs(published), 3 * 10.0**-decimals)


class Decision(NamedTuple):
    """The result of testing a claim, from which `judge_claim` computes the verdict.

    Parameters
    ----------
    decides : Interval or float, optional
        The value that decides the claim; of several values, the one that comes closest to changing
        the verdict.
    parts : dict of bool, Asked or None
        For each part of the claim, whether it holds at the paper's own setting; None if that is
        undecided. The claim holds if all its parts hold.
    note : str
        The assumptions that were made.
    elsewhere : dict of bool, Asked or None
        Whether the claim holds at other settings; these answers do not change the verdict.
    lost : str
        The missing data without which the claim cannot be tested; empty if it can be tested.
    calibrates : str
        The parameter that was chosen to make the claim hold; empty for most claims.
    """

    decides: Interval | float | None
    parts: Mapping[str, Part]
    note: str = ""
    elsewhere: Mapping[str, Part] = {}
    lost: str = ""
    calibrates: str = ""

    @property
    def answer(self) -> bool | None:
        """Whether all parts of a claim hold at the paper's setting; None if that is undecided."""
        turn = turn_of(self.parts)
        if turn is not None and turn.is_near:
            return None
        return all_of(*answers(self.parts).values())


def judge_claim(decision: Decision, sentences: Mapping[str, str] | None = None) -> Judgement:
    """Return the verdict on a claim, which holds if all its parts hold at the paper's setting.

    Parameters
    ----------
    decision : Decision
        The result of testing the claim.
    sentences : dict of str, optional
        For each verdict, the sentence that explains what it means for this claim.

    Returns
    -------
    Judgement
        The note has the sentence for the verdict, the cut-off at which the verdict would change,
        the number of other settings at which the claim holds and, after `FOLD`, the parts that
        fail or are undecided.
    """
    if decision.lost:
        return Judgement("cannot be tested", decision.lost)
    if not decision.parts:
        raise InputError("parts is empty; give at least one part of the claim")
    parts, elsewhere = answers(decision.parts), answers(decision.elsewhere)
    for name, answer in (*parts.items(), *elsewhere.items()):
        if not isinstance(answer, bool | np.bool_ | None):
            raise InputError(f"parts[{name!r}] = {answer!r}; give True, False or None")
    verdict, turn = verdict_of(parts.values()), turn_of(decision.parts)
    turns = _turns(turn) if turn and turn.words() else ""
    meaning = (sentences or {}).get(verdict, "")
    if turn and turn.is_near and verdict in OF_CLAIMS:
        # A claim is usually undecided because the runs do not decide it. Here the runs do decide,
        # but the verdict depends on the exact meaning of a word in the paper.
        meaning, turns, verdict = "", _only_the_word_decides(turn, verdict), "undecided"
    note = _sentences([meaning, turns, _elsewhere(elsewhere, verdict), decision.note])
    lists = _undecided_and_failed("", parts) + _undecided_and_failed(" elsewhere", elsewhere)
    if lists:
        note += FOLD + "; ".join(lists)
    if decision.calibrates:
        return Judgement("calibrated on", _chosen(decision.calibrates) + note)
    if turn is None:
        return Judgement(verdict, note)
    return Judgement(verdict, note, str(turn.word), turn.value)


def _sentences(texts: Iterable[str]) -> str:
    return " ".join(f"{text[:1].upper()}{text[1:].rstrip('.')}." for text in texts if text)


def _turns(turn: Turn) -> str:
    word = turn.word
    return f"we read '{word.word}' as a limit of {word.said(word.value)}; {turn.words()}"


def _only_the_word_decides(turn: Turn, verdict: str) -> str:
    word = turn.word
    return (
        f"the verdict depends on the paper's word '{word.word}'. We read it as a limit of "
        f"{word.said(word.value)}, and then the claim {verdict}; {turn.words()}"
    )


def _elsewhere(answers: Mapping[str, bool | None], verdict: str) -> str:
    others = [*answers.values()]
    counts = {
        "holds": sum(map(bool, others)),
        "is undecided": others.count(None),
        "fails": sum(answer is not None and not answer for answer in others),
    }
    found = {word: count for word, count in counts.items() if count}
    if not found:
        return ""
    if len(found) > 1:
        clauses = [f"{word} at {count}" for word, count in found.items()]
        return f"of {len(others)} other settings, it {listed(clauses)}"
    (word,) = found
    also = "also holds" if word == verdict == "holds" else word
    every = {1: "the one other setting", 2: "both other settings"}
    return f"it {also} at {every.get(len(others), f'all {len(others)} other settings')}"


def _undecided_and_failed(where: str, parts: Mapping[str, bool | None]) -> list[str]:
    undecided = [name for name, answer in parts.items() if answer is None]
    failed = [name for name, answer in parts.items() if answer is not None and not answer]
    lists = []
    if failed:
        lists.append(f"fails{where}: {'; '.join(failed)}")
    if undecided:
        lists.append(f"undecided{where}: {'; '.join(undecided)}")
    return lists


def count_verdicts(rows: Iterable[Row]) -> dict[str, int]:
    """Return the number of rows with each verdict that occurs, in the order of `VERDICTS`."""
    counts = Counter(row.verdict for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def read_ledger(path: str | Path) -> list[Row]:
    """Read the rows of a ledger from a file that `write_ledger` wrote."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return [
            Row(**{name: _field(name, text) for name, text in row.items()})
            for row in csv.DictReader(file)
        ]


def _field(name: str, text: str) -> Any:
    if name in ("reproduced", "ci95_low", "ci95_high", "turns_at", "published"):
        try:
            return float(text) if text else None
        except ValueError:
            return text  # for example a limit that the paper prints as a formula
    return text


def write_ledger(rows: Iterable[Row], path: str | Path) -> None:
    """Write the rows of a ledger as CSV; if this fails, keep the existing file unchanged.

    Numbers have six significant digits, and None is an empty field.
    """
    with atomic_path(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for row in rows:
            cells = ["" if value is None else value for value in astuple(row)]
            writer.writerow(c if isinstance(c, str) else f"{float(c):.6g}" for c in cells)
