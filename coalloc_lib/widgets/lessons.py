"""What makes a notebook a lesson: guesses before an answer, checks of exercises, verdicts."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets as ipw
from IPython.display import HTML

from coalloc_lib.checks import InputError, one_of

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

    def __init__(self, question: str, options: Sequence[str], reply: str) -> None:
        self.question = question
        self._buttons = ipw.RadioButtons(
            options=list(options), value=None, description="Your guess",
            layout={"width": "max-content"},
        )  # fmt: skip
        answer = ipw.HTML()
        self._buttons.observe(
            lambda change: setattr(
                answer, "value", f"You say: <b>{escape(change['new'])}</b>. {escape(reply)}"
            ),
            "value",
        )
        super().__init__([ipw.HTML(f"<b>{escape(question)}</b>"), self._buttons, answer])

    @property
    def choice(self) -> str | None:
        """What was chosen; None before."""
        return self._buttons.value

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        options = "".join(f"<li>{escape(option)}</li>" for option in self._buttons.options)
        still = f"<p><b>{escape(self.question)}</b></p><ul>{options}</ul>"
        words = f"{self.question} {' / '.join(self._buttons.options)}"
        return super()._repr_mimebundle_(**kwargs) | {"text/html": still, "text/plain": words}


def guess(question: str, *options: str, reply: str = "Now run the next cell.") -> Guess:
    """Ask the reader to guess; nothing is asked where no one is there to answer.

    Parameters
    ----------
    question : str
    options : str
        Two or more; which one is right the next figure shows.
    reply : str
        What is said to a guess.
    """
    if len(options) < 2:
        raise InputError(f"options = {options!r}; give two guesses or more to choose from")
    return Guess(question, options, reply)


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
    parts = "; ".join(part for part in (found, row.note) if part)
    return (
        f'<p style="border-left: 4px solid {colour}; padding-left: 8px; margin: 4px 0">'
        f'<b style="color: {colour}">{sign} {row.item} {row.verdict}.</b> '
        f"<i>{escape(claim)}.</i> {escape(parts)}</p>"
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
        except (TypeError, ValueError, AttributeError, IndexError, KeyError):
            hint = "that is not of the kind that is asked for"
        colour, sign = MARKS["differs" if hint else "holds"]
        words = f"Not yet: {escape(hint)}." if hint else "Right."
        return HTML(f'<p><b style="color: {colour}">{sign} Exercise {number}.</b> {words}</p>')

    return check
