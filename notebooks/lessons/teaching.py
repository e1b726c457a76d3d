"""Guesses before an answer, checks of exercises, and leaderboards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from numbers import Real
from typing import Any

import ipywidgets as ipw
import pandas as pd
from IPython.display import HTML

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.intervals import Interval
from coalloc_lib.plots import format_interval

#: The right one of the options of a guess, or what finds it.
Answer = str | Callable[[], str | None] | None
#: What intervals say, in the words of the leaderboards.
ANSWERS = {True: "yes", False: "no", None: "cannot tell"}
RIGHT, WRONG = ("#00694D", "✓"), ("#A63603", "✗")


class Guess(ipw.VBox):
    """A question that a reader answers before reading on; the answer stays in `choice`."""

    def __init__(
        self, question: str, options: Sequence[str], reply: str, answer: Answer = None
    ) -> None:
        self.question, self._reply, self._answer = question, reply, answer
        self._buttons = ipw.RadioButtons(
            options=list(options), value=None, description="Your guess",
            layout={"width": "max-content"},
        )  # fmt: skip
        plain = ipw.Layout()  # one for all: a notebook keeps each layout, with all it leaves open
        reaction = ipw.HTML(layout=plain)
        self._buttons.observe(lambda change: setattr(reaction, "value", self._react()), "value")
        asked = ipw.HTML(f"<b>{escape(question)}</b>", layout=plain)
        super().__init__([asked, self._buttons, reaction], layout=plain)

    @property
    def choice(self) -> str | None:
        """What was chosen; None before."""
        return self._buttons.value

    def _react(self) -> str:
        return f"You say: <b>{escape(str(self.choice))}</b>. {escape(self._told())}"

    def _told(self) -> str:
        """Return what the numbers say, and the reply."""
        judged = ""
        try:
            right = self._answer() if callable(self._answer) else self._answer
            if right is not None:
                one_of("answer", right, self._buttons.options)
                agrees = right == self.choice
                judged = "So the numbers say. " if agrees else f"The numbers say: {right}. "
            elif self._answer is not None:
                judged = "The numbers do not decide it. "
        except InputError as error:  # of the numbers behind the answer
            return str(error)
        return judged + self._reply

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        options = "".join(f"<li>{escape(option)}</li>" for option in self._buttons.options)
        folded = f"<details><summary>What came out</summary>{escape(self._told())}</details>"
        still = f"<p><b>{escape(self.question)}</b></p><ul>{options}</ul>{folded}"
        words = f"{self.question} {' / '.join(self._buttons.options)}"
        return super()._repr_mimebundle_(**kwargs) | {"text/html": still, "text/plain": words}


def guess(
    question: str, *options: str, reply: str = "Now run the next cell.", answer: Answer = None
) -> Guess:
    """Ask the reader to guess one of two options or more; `reply` is the reply to a guess.

    `answer` is the right one of the options, or a function that finds it once a guess is made, and
    returns None where the numbers do not decide. Without it the next figure shows which is right.
    """
    texts = all(isinstance(option, str) for option in options)
    if not texts or len(set(options)) < max(2, len(options)):
        raise InputError(f"options = {options!r}; give two texts or more that differ")
    if isinstance(answer, str):
        one_of("answer", answer, options)
    return Guess(question, options, reply, answer)


def checker(exercises: Mapping[int, Callable[[Any], str]]) -> Callable[[int, Any], HTML]:
    """Return the function `check` of a notebook.

    `exercises` has a function for each exercise, by its number. The function takes an answer. It
    returns an empty text if the answer is right, and otherwise a hint that does not give the
    answer away.
    """

    def check(number: int, answer: Any) -> HTML:
        """Say whether the answer to an exercise is right; if it is not, give a hint."""
        one_of("number", number, tuple(exercises))
        if answer is ...:
            return HTML(f"<p><b>Exercise {number}.</b> Put your answer in place of the dots.</p>")
        try:
            hint = exercises[number](answer)
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
            hint = "that is not of the kind that is asked for"
        colour, sign = WRONG if hint else RIGHT
        given = f": {answer:.4g}" if isinstance(answer, Real) else ""
        end = "" if hint.endswith(("?", "!", ".")) else "."
        words = f"Not yet: {escape(hint)}{end}" if hint else f"Right{given}."
        return HTML(f'<p><b style="color: {colour}">{sign} Exercise {number}.</b> {words}</p>')

    return check


def near(
    answer: Any, right: float, within: float, hint: str, slips: Mapping[str, float] | None = None
) -> str:
    """Return an empty text where a number is right, up to `within`; else the hint.

    `slips` has other hints, by the number that a slip of that kind ends in.
    """
    answer = float(answer)
    if abs(answer - right) <= within:
        return ""
    scale = within / abs(right)
    slips = slips or {}
    return next((words for words, x in slips.items() if abs(answer - x) <= scale * abs(x)), hint)


def raised(error: Exception) -> str:
    """Return in one line, as a hint, what the reader's own code raised."""
    words = " ".join(str(error).split())
    return f"your code raises {type(error).__name__}: {words}".removesuffix(": ").rstrip(".")


def held_against(
    rules: Mapping[str, Any], entries: Mapping[Any, Any], run: Callable[[Any, Any], Any]
) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield each rule with the runs of the others, then each entry with those of all rules."""
    for name, runs in rules.items():
        yield name, runs, [other for each, other in rules.items() if each != name]
    for name, entry in entries.items():
        yield str(name), run(name, entry), list(rules.values())


def ranked(rows: Sequence[Mapping[str, Any]], by: str, ascending: bool = True) -> pd.DataFrame:
    """Return rows as a table with a rank each, in the order of a column."""
    board = pd.DataFrame(rows).sort_values(by, ascending=ascending)
    return board.set_index(pd.RangeIndex(1, len(board) + 1, name="rank"))


def off_by(difference: Interval, digits: int = 4) -> str:
    """Return a difference with its 95 % interval, as the leaderboards print it."""
    return format_interval(difference, digits, "+")
