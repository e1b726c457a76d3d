"""Claims that only the meaning of one of the paper's words decides.

A word such as *much* has a cut-off of ours. If the verdict turns at a meaning that is near ours,
nothing but this choice decides, and the claim is undecided.
"""

from collections.abc import Callable
from functools import wraps

import pandas as pd

from studies.cut_offs import Asked, Turn, answers, turn_of, verdict_of
from studies.ledger import Decision

#: A word may mean this factor more or less than we take it to mean.
FACTOR = 2.0

Judge = Callable[[pd.DataFrame], Decision]


def unless_a_word_decides(judge: Judge) -> Judge:
    """Let a judge leave a claim undecided if a near meaning of one word turns the verdict."""

    @wraps(judge)
    def judged(runs: pd.DataFrame) -> Decision:
        return without_the_word(judge(runs))

    return judged


def without_the_word(decision: Decision) -> Decision:
    """Return the decision, without the answers of the word that alone decides it."""
    turn = turn_of(decision.parts)
    verdict = verdict_of(answers(decision.parts).values())
    if turn is None or turn.value is None or verdict == "undecided":
        return decision
    if not 1 / FACTOR <= turn.value / turn.word.value <= FACTOR:
        return decision
    parts = {
        name: None if isinstance(part, Asked) and part.word == turn.word else part
        for name, part in decision.parts.items()
    }
    told = filter(None, [_why(turn, verdict), decision.note])
    note = ". ".join(f"{each[:1].upper()}{each[1:]}" for each in told)
    return decision._replace(parts=parts, note=note)


def _why(turn: Turn, verdict: str) -> str:
    """Return the sentence on the word and on the value at which it turns."""
    assert turn.value is not None
    side = "less" if turn.value < turn.word.value else "more"
    return (
        f"the word '{turn.word.word}' is the paper's: the claim {verdict} if it means "
        f"{turn.word.said(turn.word.value)}, and no longer if it means {side} than "
        f"{turn.word.said(turn.value)}"
    )
