"""Judge a sentence on a set of settings when the paper names neither the set nor a quantifier.

A paper may say that equal clusters are better without saying whether it means always or mostly. We
ask such a sentence of a set of settings. A `Share` counts the settings that agree and gives the
answer.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from studies.cut_offs import Part


class Share(NamedTuple):
    """The number of comparisons that agree with a sentence, and the number of all comparisons."""

    yes: int
    undecided: int
    asked: int

    @classmethod
    def of(cls, found: Iterable[bool | None]) -> "Share":
        """Count the answers of comparisons: True, False, or None for an undecided comparison."""
        answers = list(found)
        undecided = answers.count(None)
        return cls(sum(map(bool, answers)), undecided, len(answers))

    @property
    def answer(self) -> bool | None:
        """The answer for a sentence that has no quantifier.

        It is True if all comparisons agree. It is False if fewer than half would agree even if all
        undecided ones did. Otherwise it is None, because the paper does not say whether it means
        always or mostly.
        """
        if self.yes == self.asked:
            return True
        return False if 2 * (self.yes + self.undecided) < self.asked else None

    def told(self, subject: str) -> str:
        """Return the share as text, such as ``19 of 25 divisions agree, 2 are undecided``."""
        undecided = f", {self.undecided} are undecided" if self.undecided else ""
        return f"{self.yes} of {self.asked} {subject} agree{undecided}"

    def __str__(self) -> str:
        undecided = f", undecided {self.undecided}" if self.undecided else ""
        return f"{self.yes} of {self.asked}{undecided}"


def share_answers(shares: Mapping[str, Share]) -> dict[str, Part]:
    """Return the answer of each share; the share is appended to its label."""
    return {f"{words}: {share}": share.answer for words, share in shares.items()}


def in_words(shares: Mapping[str, Share], subject: str) -> str:
    """Return labelled shares as text, such as ``first fit: 19 of 25 divisions agree``."""
    return "; ".join(f"{words}: {share.told(subject)}" for words, share in shares.items())


def agreed(answers: Iterable[bool | None]) -> bool | None:
    """Return the common answer under all readings of a sentence; None if the answers differ."""
    found = {None if answer is None else bool(answer) for answer in answers}
    return found.pop() if len(found) == 1 else None


def answer_in_words(answer: bool | None) -> str:
    """Return an answer as the verdict that it would give, for the note of a claim."""
    if answer is None:
        return "undecided"
    return "holds" if answer else "does not hold"
