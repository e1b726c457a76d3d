"""Judge a sentence on a set of settings when the paper names neither the set nor a quantifier.

A paper may say that equal clusters are better without saying whether it means always or mostly. We
ask such a sentence of a set of settings. A `Share` counts the settings that agree and gives the
answer.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from coalloc_lib.statistics import NotRunError
from studies.cut_offs import Part


class Share(NamedTuple):
    """A count of the comparisons that agree with a sentence of a paper.

    `yes` comparisons agree, and `undecided` ones are uncertain, out of `compared` comparisons.
    """

    yes: int
    undecided: int
    compared: int

    @classmethod
    def of(cls, found: Iterable[bool | None]) -> "Share":
        """Count how many comparisons agree with a claim (True), do not (False), or are open (None).

        Raises `NotRunError` if there are no comparisons, because a sentence about nothing would
        hold.
        """
        answers = list(found)
        if not answers:
            raise NotRunError("no comparison that the claim needs was run")
        undecided = answers.count(None)
        return cls(sum(map(bool, answers)), undecided, len(answers))

    @property
    def answer(self) -> bool | None:
        """Whether a claim holds that says neither *always* nor *mostly*.

        It is True if all comparisons agree. It is False if fewer than half would agree even if all
        undecided ones did. Otherwise it is None, because the paper does not say whether it means
        always or mostly.
        """
        if self.yes == self.compared:
            return True
        return False if 2 * (self.yes + self.undecided) < self.compared else None

    def told(self, subject: str) -> str:
        """Return the counts as a string, such as ``19 of 25 divisions agree, 2 are undecided``."""
        undecided = f", {self.undecided} are undecided" if self.undecided else ""
        return f"{self.yes} of {self.compared} {subject} agree{undecided}"

    def __str__(self) -> str:
        undecided = f", undecided {self.undecided}" if self.undecided else ""
        return f"{self.yes} of {self.compared}{undecided}"


def share_answers(shares: Mapping[str, Share]) -> dict[str, Part]:
    """Return an answer for each `Share`, by a label with its counts, such as ``19 of 25``."""
    return {f"{words}: {share}": share.answer for words, share in shares.items()}


def in_words(shares: Mapping[str, Share], subject: str) -> str:
    """Return labelled counts as a string, such as ``first fit: 19 of 25 divisions agree``."""
    return "; ".join(f"{words}: {share.told(subject)}" for words, share in shares.items())


def agreed(answers: Iterable[bool | None]) -> bool | None:
    """Return the answer that all interpretations of a sentence give; None if they disagree."""
    found = {None if answer is None else bool(answer) for answer in answers}
    return found.pop() if len(found) == 1 else None


def answer_in_words(answer: bool | None) -> str:
    """Return the verdict ``holds`` (True), ``does not hold`` (False) or ``undecided`` (None)."""
    if answer is None:
        return "undecided"
    return "holds" if answer else "does not hold"
