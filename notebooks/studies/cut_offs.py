"""Cut-offs for a paper's vague words, and the other cut-offs at which a verdict would change.

Some claims of the papers use a word such as *about*, *little* or *similar*. To test such a claim,
we must choose a number that the word stands for: its cut-off, a `Word`. The methods of `Word`
return an `Asked`, a test that can be repeated with any other cut-off. `turn_of` repeats the tests
of a claim with more and more distant cut-offs until the verdict changes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coalloc_lib.statistics import Interval
from studies.logic import all_of, not_

#: The function `turn_of` multiplies or divides our own cut-off by at most this factor.
FURTHEST = 100.0
#: The ratio between two consecutive cut-offs that `turn_of` tries.
STEP = 1.02
#: If two cut-offs for a vague word differ by at most this factor, we treat them as equally natural
#: meanings of the word. For example, *small* may mean at most 5 % or at most 10 %.
NATURAL = 2.0
#: The number of bisection steps between two consecutive cut-offs. It is enough for seven digits.
HALVINGS = 20


@dataclass(frozen=True)
class Word:
    """A vague word in a paper, such as *small*, and the number that we chose as its cut-off.

    Parameters
    ----------
    word : str
        The word as the paper has it.
    value : float
        The cut-off.
    unit, times : str, float
        How the cut-off is written: multiplied by `times`, and followed by the unit. For example,
        ``Word("little", 0.03, "points", 100)`` is written as *3 points*.
    near : float
        If the verdict of a claim changes at a cut-off within this factor of our own, only the
        meaning of the word decides it, and the claim is undecided. A word with only one natural
        meaning, such as *most* for more than half, has the factor 1.
    """

    word: str
    value: float
    unit: str = ""
    times: float = 1.0
    near: float = NATURAL

    def within(self, found: Interval, around: float = 0.0) -> "Asked":
        """Return a test of whether a value differs from `around` by at most the cut-off."""
        return Asked(self, lambda limit: found.between(around - limit, around + limit))

    def beyond(self, found: Interval, around: float = 0.0) -> "Asked":
        """Return a test of whether a value differs from `around` by more than the cut-off."""
        return Asked(self, lambda limit: not_(found.between(around - limit, around + limit)))

    def below(self, found: Interval) -> "Asked":
        """Return a test of whether a value is below the cut-off of a vague word."""
        return Asked(self, found.below)

    def above(self, found: Interval) -> "Asked":
        """Return a test of whether a value is above the cut-off of a vague word."""
        return Asked(self, found.above)

    def said(self, value: float) -> str:
        """Return a cut-off as a string with its unit, such as *1.3 points* or *1 point*."""
        number = f"{value * self.times:.3g}"
        return f"{number} {self.unit.removesuffix('s') if number == '1' else self.unit}".rstrip()

    def __str__(self) -> str:
        return f"{self.word}: {self.value:g}"


@dataclass(frozen=True)
class Asked:
    """A part of a claim that may or may not hold, depending on the cut-off for a vague word.

    ``question(cut_off)`` returns whether this part holds with a cut-off: True, False, or None if
    that is undecided. The methods of `Word` make the usual questions.
    """

    word: Word
    question: Callable[[float], bool | None]

    @property
    def answer(self) -> bool | None:
        """Whether this part of a claim holds with our own cut-off for the vague word."""
        return self.question(self.word.value)


#: The type of one part of a claim: True, False, None if it is undecided, or an `Asked` if the
#: answer depends on the cut-off for a vague word.
Part = bool | Asked | None


class Turn(NamedTuple):
    """The cut-off for a vague word at which a claim's verdict changes, and the new verdict.

    `value` is None if the verdict is the same with all cut-offs within the factor `FURTHEST`.
    """

    word: Word
    value: float | None
    verdict: str = ""

    @property
    def is_near(self) -> bool:
        """Whether the verdict changes at a cut-off that is as natural a choice as our own."""
        return _log_factor(self) <= np.log(self.word.near)

    def words(self) -> str:
        """Return a clause such as *with a limit above 3 points, the claim would hold*."""
        if self.value is None:
            return ""
        side = "below" if self.value < self.word.value else "above"
        change = {"holds": "would hold", "does not hold": "would not hold"}
        what = change.get(self.verdict, "would be undecided")
        return f"with a limit {side} {self.word.said(self.value)}, the claim {what}"


def answers(parts: Mapping[str, Part]) -> dict[str, bool | None]:
    """Return the answer to each part of a claim, using our own cut-offs for vague words."""
    return {name: part.answer if isinstance(part, Asked) else part for name, part in parts.items()}


def verdict_of(found: Iterable[bool | None]) -> str:
    """Return the verdict on a claim, which holds only if all its parts hold."""
    answer = all_of(*found)
    if answer is None:
        return "undecided"
    return "holds" if answer else "does not hold"


def turn_of(parts: Mapping[str, Part]) -> Turn | None:
    """Return the cut-off nearest to our own at which the verdict on a claim changes.

    Only one word changes at a time. If several words can change the verdict, the result is the one
    whose cut-off must change by the smallest factor. The result is None if no part of the claim
    depends on a word.
    """
    words = dict.fromkeys(part.word for part in parts.values() if isinstance(part, Asked))
    turns = [_turn_by(word, parts) for word in words]
    return min(turns, key=_log_factor, default=None)


def _log_factor(turn: Turn) -> float:
    return np.inf if turn.value is None else float(abs(np.log(turn.value / turn.word.value)))


def _turn_by(word: Word, parts: Mapping[str, Part]) -> Turn:
    def verdict_at(value: float) -> str:
        return verdict_of(_answers_at(word, value, parts))

    here = verdict_at(word.value)
    for near, far in _steps(word.value):
        if verdict_at(far) != here:
            for _ in range(HALVINGS):
                middle = (near + far) / 2
                near, far = (middle, far) if verdict_at(middle) == here else (near, middle)
            return Turn(word, far, verdict_at(far))
    return Turn(word, None)


def _answers_at(word: Word, value: float, parts: Mapping[str, Part]) -> Iterator[bool | None]:
    for part in parts.values():
        if not isinstance(part, Asked):
            yield part
        elif part.word == word:
            yield part.question(value)
        else:
            yield part.answer


def _steps(value: float) -> Iterator[tuple[float, float]]:
    for step in range(int(np.log(FURTHEST) / np.log(STEP))):
        near, far = STEP**step, STEP ** (step + 1)
        yield value / near, value / far
        yield value * near, value * far
