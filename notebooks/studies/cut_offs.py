"""What a word of a paper was taken to mean, and at which other meaning a verdict turns.

A claim that rests on a word such as *about*, *little* or *similar* has a cut-off of ours. A `Word`
is such a cut-off; its methods return a part of a claim that can be asked of any value of it, so
that the value at which the verdict turns is found by asking.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coalloc_lib.statistics import Interval, all_of, not_

#: How far from our own a meaning is looked for at which a verdict turns: a factor.
FURTHEST = 100.0
#: From one meaning that is tried to the next: a factor.
STEP = 1.02
#: Two meanings of a word that differ by at most this factor count as equally natural: *small* may
#: mean 5 % as well as 10 %.
NATURAL = 2.0
#: Halvings of a step, which find the turn to seven digits.
HALVINGS = 20


@dataclass(frozen=True)
class Word:
    """A word of a paper, and what it is taken to mean: a positive number.

    `unit` and `times` say how the number is written, for example 0.03 as *3 points* with
    ``Word("little", 0.03, "points", 100)``. If a verdict turns at a meaning within the factor
    `near` of ours, the word alone decides it, and the claim is undecided; see `NATURAL`. A word
    that has one meaning only, such as *most* for more than half, has the factor 1.
    """

    word: str
    value: float
    unit: str = ""
    times: float = 1.0
    near: float = NATURAL

    def within(self, found: Interval, around: float = 0.0) -> "Asked":
        """Return whether a figure is at most this far from `around`, to either side."""
        return Asked(self, lambda limit: found.between(around - limit, around + limit))

    def beyond(self, found: Interval, around: float = 0.0) -> "Asked":
        """Return whether a figure is further than this from `around`, to either side."""
        return Asked(self, lambda limit: not_(found.between(around - limit, around + limit)))

    def below(self, found: Interval) -> "Asked":
        """Return whether a figure is below it."""
        return Asked(self, found.below)

    def above(self, found: Interval) -> "Asked":
        """Return whether a figure is above it."""
        return Asked(self, found.above)

    def said(self, value: float) -> str:
        """Return a value as it is written: *1.3 points*."""
        return f"{value * self.times:.3g} {self.unit}".rstrip()

    def __str__(self) -> str:
        return f"{self.word}: {self.value:g}"


@dataclass(frozen=True)
class Asked:
    """A part of a claim that rests on a word: ``question(value)`` answers for one meaning of it.

    For other questions than those of a `Word`: ``Asked(word, question)``.
    """

    word: Word
    question: Callable[[float], bool | None]

    @property
    def answer(self) -> bool | None:
        """The answer at our meaning."""
        return self.question(self.word.value)


#: A part of a claim: an answer, None where that is open, or one that rests on a word.
Part = bool | Asked | None


class Turn(NamedTuple):
    """Where a verdict turns: the word, the value of it, and the verdict beyond that.

    `value` is None where no meaning up to `FURTHEST` times ours, or that part of it, turns it.
    """

    word: Word
    value: float | None
    verdict: str = ""

    @property
    def is_near(self) -> bool:
        """Whether it turns so near to our meaning that the word alone decides."""
        return _factor(self) <= np.log(self.word.near)

    def words(self) -> str:
        """Return it as a sentence."""
        if self.value is None:
            return ""
        side = "less" if self.value < self.word.value else "more"
        change = {"holds": "would hold", "does not hold": "would not hold"}
        what = change.get(self.verdict, "would be undecided")
        return f"{what} if '{self.word.word}' meant {side} than {self.word.said(self.value)}"


def answers(parts: Mapping[str, Part]) -> dict[str, bool | None]:
    """Return the answers of parts, those that rest on a word at our meaning."""
    return {name: part.answer if isinstance(part, Asked) else part for name, part in parts.items()}


def verdict_of(found: Iterable[bool | None]) -> str:
    """Return the verdict of a claim all of whose parts must be so."""
    answer = all_of(*found)
    return "undecided" if answer is None else "holds" if answer else "does not hold"


def turn_of(parts: Mapping[str, Part]) -> Turn | None:
    """Return where the verdict of a claim turns; None where no part rests on a word.

    Of several words it is the one whose meaning must change least, by a factor, while the others
    mean what they do.
    """
    words = dict.fromkeys(part.word for part in parts.values() if isinstance(part, Asked))
    turns = [_turn_by(word, parts) for word in words]
    return min(turns, key=_factor, default=None)


def _factor(turn: Turn) -> float:
    """Return by which factor a word's meaning changes until the verdict turns."""
    return np.inf if turn.value is None else float(abs(np.log(turn.value / turn.word.value)))


def _turn_by(word: Word, parts: Mapping[str, Part]) -> Turn:
    """Return where the verdict turns when one word changes."""

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
    """Yield the answers of parts where a word has another meaning."""
    for part in parts.values():
        if not isinstance(part, Asked):
            yield part
        elif part.word == word:
            yield part.question(value)
        else:
            yield part.answer


def _steps(value: float) -> Iterator[tuple[float, float]]:
    """Yield the steps away from a value, to both sides in turn, each from near to far."""
    for step in range(int(np.log(FURTHEST) / np.log(STEP))):
        near, far = STEP**step, STEP ** (step + 1)
        yield value / near, value / far
        yield value * near, value * far
