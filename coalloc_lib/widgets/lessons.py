"""What makes a notebook a lesson: guesses before an answer, checks of exercises, verdicts."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets as ipw
from IPython.display import HTML

from coalloc_lib.checks import InputError, one_of
from coalloc_lib.studies.ledger import FOLD

#: The right one of the options of a guess, or what finds it.
Answer = str | Callable[[], str | None] | None
#: Colour and sign of each verdict: what came out, what did not, what is open.
MARKS = {
    "reproduced": ("#00694D", "✓"),
    "holds": ("#00694D", "✓"),
    "close": ("#7A5C00", "≈"),
    "holds in part": ("#7A5C00", "◐"),
    "cannot be tested": ("#595959", "?"),
    "differs": ("#A63603", "✗"),
    "does not hold": ("#A63603", "✗"),
}


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
        plain = (
            ipw.Layout()
        )  # one for all: a notebook keeps each layout, with all that it leaves open
        told = ipw.HTML(layout=plain)
        self._buttons.observe(lambda change: setattr(told, "value", self._told()), "value")
        asked = ipw.HTML(f"<b>{escape(question)}</b>", layout=plain)
        super().__init__([asked, self._buttons, told], layout=plain)

    @property
    def choice(self) -> str | None:
        """What was chosen; None before."""
        return self._buttons.value

    def _told(self) -> str:
        said = f"You say: <b>{escape(str(self.choice))}</b>. "
        try:
            return f"{said}{escape(self._judged())} {escape(self._reply)}"
        except InputError as error:  # of the numbers behind the answer
            return f"{said}{escape(str(error))}"

    def _judged(self) -> str:
        if self._answer is None:
            return ""
        right = self._answer() if callable(self._answer) else self._answer
        if right is None:
            return "The numbers do not decide it."
        one_of("answer", right, self._buttons.options)
        return "So the numbers say." if right == self.choice else f"The numbers say: {right}."

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        options = "".join(f"<li>{escape(option)}</li>" for option in self._buttons.options)
        still = f"<p><b>{escape(self.question)}</b></p><ul>{options}</ul>"
        words = f"{self.question} {' / '.join(self._buttons.options)}"
        return super()._repr_mimebundle_(**kwargs) | {"text/html": still, "text/plain": words}


def guess(
    question: str, *options: str, reply: str = "Now run the next cell.", answer: Answer = None
) -> Guess:
    """Ask the reader to guess; nothing is asked where no one is there to answer.

    Parameters
    ----------
    question : str
    options : str
        Two or more that differ.
    reply : str
        What is said to a guess.
    answer : str or callable, optional
        The right one of the options, or a function that finds it once a guess is made, and returns
        None where the numbers do not decide. Without it the next figure shows which one is right.
    """
    texts = all(isinstance(option, str) for option in options)
    if not texts or len(set(options)) < max(2, len(options)):
        raise InputError(f"options = {options!r}; give two texts or more that differ")
    if isinstance(answer, str):
        one_of("answer", answer, options)
    return Guess(question, options, reply, answer)


def verdict_lines(rows: Sequence[Any], claims: Mapping[str, Any], threshold: str = "") -> str:
    """Return ledger rows of claims as HTML to stand under a figure.

    Parameters
    ----------
    rows : sequence of Row
    claims : dict of Claim
        By name, for the paper's words.
    threshold : str
        What is drawn dashed.
    """
    lines = "".join(_verdict_line(row, claims[row.item].words) for row in rows)
    return lines + f"<p>Dashed: {escape(threshold)}.</p>" if threshold and lines else lines


def _verdict_line(row: Any, claim: str) -> str:
    colour, sign = MARKS[row.verdict]
    found = "" if row.reproduced is None else f"{row.quantity}: {_number(row.reproduced)}"
    if row.ci95_low is not None:
        found += f" (95 %: {_number(row.ci95_low)} to {_number(row.ci95_high)})"
    note, _, lists = row.note.partition(FOLD)
    parts = "; ".join(part for part in (found, note) if part)
    evidence = f"{parts[:1].upper()}{parts[1:].rstrip('.')}." if parts else ""
    which = f"<details><summary>Which</summary>{escape(lists)}.</details>" if lists else ""
    block = "div" if which else "p"  # what folds cannot stand in a paragraph
    return (
        f'<{block} style="border-left: 4px solid {colour}; padding-left: 8px; margin: 4px 0">'
        f'<b style="color: {colour}">{sign} {row.item} {row.verdict}.</b> '
        f"<i>{escape(claim.rstrip('.'))}.</i> {escape(evidence)}{which}</{block}>"
    )


def _number(value: Any) -> str:
    # No minus before a zero.
    return f"{round(value, 3) + 0.0:.3f}" if isinstance(value, float) else str(value)


def checker(exercises: Mapping[int, Callable[[Any], str]]) -> Callable[[int, Any], HTML]:
    """Return the `check` of a notebook.

    Parameters
    ----------
    exercises : dict of callable
        By number: takes an answer, returns an empty text where it is right, else a hint that does
        not tell what is.
    """

    def check(number: int, answer: Any) -> HTML:
        """Say whether the answer to an exercise is right; where it is not, give a hint."""
        one_of("number", number, tuple(exercises))
        if answer is ...:
            return HTML(f"<p><b>Exercise {number}.</b> Put your answer in place of the dots.</p>")
        try:
            hint = exercises[number](answer)
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
            hint = "that is not of the kind that is asked for"
        colour, sign = MARKS["differs" if hint else "holds"]
        words = f"Not yet: {escape(hint)}." if hint else "Right."
        return HTML(f'<p><b style="color: {colour}">{sign} Exercise {number}.</b> {words}</p>')

    return check


def near(answer: Any, right: float, within: float, hint: str) -> str:
    """Return an empty text where a number is right, up to `within`; else the hint."""
    return "" if abs(float(answer) - right) <= within else hint


def raised(error: Exception) -> str:
    """Return in one line, as a hint, what the reader's own code raised."""
    words = " ".join(str(error).split())
    return f"your code raises {type(error).__name__}: {words}".removesuffix(": ").rstrip(".")
