"""Teaching tools: guesses that a reader makes, checks of exercises, and leaderboards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import takewhile
from numbers import Real
from typing import Any

import ipywidgets as ipw
import pandas as pd
from IPython.display import HTML

from coalloc_lib.basics.checks import InputError, one_of
from coalloc_lib.basics.display import badge
from coalloc_lib.plots import format_interval
from coalloc_lib.statistics import Interval
from coalloc_lib.widgets import controls as ui
from lessons.answers import note_answer

#: The type of a right answer: one of the options of a question, or a function that returns it.
Answer = str | Callable[[], str | None] | None
#: What a leaderboard shows for a statement that simulations confirm (True), refute (False) or leave
#: open (None).
ANSWERS = {True: "yes", False: "no", None: "cannot tell"}
#: An answer is nearly right if its error is at most this many times the accepted error.
NEARLY = 3
#: The colour and the sign of a right answer, and the colour and the sign of a wrong answer.
RIGHT, WRONG = ("#00694D", "✓"), ("#A63603", "✗")


class Guess(ipw.VBox):
    """A widget with a question that a reader of a notebook answers before reading on.

    Use the function `guess` to make one; it explains the parameters.
    """

    def __init__(
        self,
        question: str,
        options: Sequence[str],
        reply: str,
        answer: Answer = None,
        then: Any = None,
    ) -> None:
        self.question, self._reply, self._answer = question, reply, answer
        self._then = then if isinstance(then, list | tuple) else () if then is None else (then,)
        self._buttons = ipw.RadioButtons(
            options=list(options), value=None, description="Your guess",
            orientation="horizontal", layout={"width": "auto", "height": "auto"},
        )  # fmt: skip
        # The inner widgets share one layout object, because a notebook file stores each layout
        # object in full.
        plain = ipw.Layout()
        self._reaction = ipw.HTML(layout=plain)
        self._buttons.observe(self._react, "value")
        title = ipw.HTML(f"<b>{escape(question)}</b>", layout=plain)
        self._buttons.add_class("coalloc-needs-python")
        self._opened: list[ipw.Widget] = []  # the widgets of the answer, after the first choice
        self._parts = [ui.styled(), title, self._buttons, ui.gone(), self._reaction]
        super().__init__(self._parts, layout=plain)
        self.add_class("coalloc-whole")

    @property
    def choice(self) -> str | None:
        """The option that the reader chose, or None if the reader has not chosen yet."""
        return self._buttons.value

    def _react(self, _change: Any) -> None:
        said = f"You say: <b>{escape(str(self.choice))}</b>. {escape(self._verdict_and_reply())}"
        # Each widget adds its margins, so the parts before the first widget belong to the text.
        still = [*takewhile(lambda part: not isinstance(part, ipw.Widget), self._then)]
        self._reaction.value = said + "".join(f"<div>{_as_html(part)}</div>" for part in still)
        self._opened = self._opened or [_as_widget(part) for part in self._then[len(still) :]]
        self.children = [*self._parts, *self._opened]

    def _verdict_and_reply(self) -> str:
        verdict = ""
        try:
            right = self._answer() if callable(self._answer) else self._answer
            if right is not None:
                one_of("answer", right, self._buttons.options)
                agrees = right == self.choice
                verdict = "The numbers agree. " if agrees else f"The numbers say: {right}. "
            elif self._answer is not None:
                verdict = "The numbers do not decide it. "
        except InputError as error:  # The function that finds the answer may need missing data.
            return str(error)
        return verdict + self._reply

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        options = "".join(f"<li>{escape(option)}</li>" for option in self._buttons.options)
        shown = "".join(_as_html(part) for part in self._then)
        answer = f"<p>{escape(self._verdict_and_reply())}</p>{shown}"
        folded = f"<details><summary>What came out</summary>{answer}</details>"
        still = f"<p><b>{escape(self.question)}</b></p><ul>{options}</ul>{folded}"
        words = f"{self.question} {' / '.join(self._buttons.options)}"
        return super()._repr_mimebundle_(**kwargs) | {"text/html": still, "text/plain": words}


def _as_html(part: Any) -> str:
    """Return a part of an answer (a figure, a widget or a table) as HTML for a page."""
    if isinstance(part, HTML):
        return str(part.data)
    data = part._repr_mimebundle_()
    # Some widgets return a pair of their data and the metadata.
    return str((data[0] if isinstance(data, tuple) else data)["text/html"])


def _as_widget(part: Any) -> ipw.Widget:
    """Return a part of an answer as a widget, which is drawn only if it is a child of another."""
    return part if isinstance(part, ipw.Widget) else ipw.HTML(f"<div>{_as_html(part)}</div>")


def guess(
    question: str,
    *options: str,
    reply: str = "Now run the next cell.",
    answer: Answer = None,
    then: Any = None,
) -> Guess:
    """Return a widget that asks a question, and shows the answer after the reader's guess.

    The answer and its figure appear when the reader has chosen an option. A page without Python
    has them in a part that the reader unfolds.

    Parameters
    ----------
    question : str
        The question.
    *options : str
        The possible answers, at least two.
    reply : str
        The text that is shown after a guess.
    answer : str or callable, optional
        The correct option, or a function without arguments that returns it. The function is called
        after a guess, and returns None if the results do not decide the question. Without an
        answer, the widget does not say whether the guess is right.
    then : ShownFigure, Picture, Widget or HTML, or a list of them, optional
        The figure, player or explorer that shows the answer, or several, for example a figure and
        the table of its numbers, which `folded` returns.

    Raises
    ------
    InputError
        If there are fewer than two different strings, or if the answer is not an option.
    """
    are_texts = all(isinstance(option, str) for option in options)
    if not are_texts or len(set(options)) < max(2, len(options)):
        raise InputError(f"options = {options!r}; give at least two different strings")
    if isinstance(answer, str):
        one_of("answer", answer, options)
    return Guess(question, options, reply, answer, then)


def checker(exercises: Mapping[int, Callable[[Any], str]]) -> Callable[[int, Any], HTML]:
    """Return a function that checks a reader's answers to the exercises of a notebook.

    Parameters
    ----------
    exercises : dict of int to callable
        A function for each exercise, by its number. It takes an answer. It returns an empty string
        if the answer is right, and otherwise a hint that does not reveal the right answer.

    Returns
    -------
    callable
        It takes the number of an exercise and an answer, and returns the verdict as HTML. If the
        function of the exercise raises `InputError`, its message is the hint.
    """

    def check(number: int, answer: Any, *rest: Any) -> HTML:
        """Say whether the answer to an exercise is right, and give a hint if it is not."""
        one_of("number", number, tuple(exercises))
        if rest:
            words = "Give one answer, and write a decimal number with a point, such as 1.64."
            return HTML(f"<p><b>Exercise {number}.</b> {words}</p>")
        if answer is ...:
            return HTML(f"<p><b>Exercise {number}.</b> Put your answer in place of the dots.</p>")
        try:
            hint = exercises[number](answer)
        except InputError as error:
            hint = str(error)
        not_recorded = note_answer(number, answer, not hint)
        colour, sign = WRONG if hint else RIGHT
        given = f": {float(answer):.4g}" if isinstance(answer, Real) and not hint else ""
        end = "" if hint.endswith(("?", "!", ".")) else "."
        words = f"Not yet: {escape(hint)}{end}" if hint else f"Right{given}."
        warning = f"<p>{escape(not_recorded)}</p>" if not_recorded else ""
        return HTML(f"<p>{badge(f'{sign} Exercise {number}.', colour)} {words}</p>{warning}")

    return check


def number_of(answer: Any) -> float:
    """Return an answer as a number, or raise `InputError` if it is not one.

    The answer can also be a text such as ``"1/3"`` or ``"42 %"``, which is 42.
    """
    try:
        if isinstance(answer, bool):
            raise TypeError
        if not isinstance(answer, str):
            return float(answer)
        above, slash, below = answer.strip().removesuffix("%").partition("/")
        return float(above) / float(below) if slash else float(above)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise InputError("the exercise asks for a number, such as 0.25") from None


def share_of(answer: Any) -> float:
    """Return an answer as a share: the text ``"42 %"`` is 0.42, and other answers are numbers."""
    is_percent = isinstance(answer, str) and "%" in answer
    return number_of(answer) / (100 if is_percent else 1)


def near(
    answer: Any, right: float, within: float, hint: str, slips: Mapping[str, float] | None = None
) -> str:
    """Check a numerical answer to an exercise, and return a hint if the answer is wrong.

    Parameters
    ----------
    answer : float
        The answer of the reader. A text such as ``"42 %"`` is both 42 and 0.42.
    right, within : float
        The right number, and the largest accepted error.
    hint : str
        The hint for a wrong answer.
    slips : dict of str to float, optional
        Further hints, each with the wrong number to which a typical mistake leads. An answer near
        one of these numbers gets its hint. The accepted error of a wrong number that is larger than
        the right one is larger in proportion.

    Returns
    -------
    str
        An empty text if the answer is right, and otherwise a hint. If the answer is nearly right,
        the hint says whether it is too small or too large.

    Raises
    ------
    InputError
        If the answer is not a number.
    """
    share = share_of(answer)
    answer = number_of(answer)
    if abs(answer - right) <= within or abs(share - right) <= within:
        return ""
    for slip_hint, wrong in (slips or {}).items():
        factor = max(1.0, abs(wrong / right)) if right else 1.0
        if abs(answer - wrong) <= factor * within:
            return slip_hint
    nearest = min(answer, share, key=lambda number: abs(number - right))
    if abs(nearest - right) <= NEARLY * within:
        return f"{hint} (your number is a little too {'small' if nearest < right else 'large'})"
    return hint


def follows(answer: Any, sentences: Mapping[str, tuple[bool, str]]) -> str:
    """Check which sentences a reader takes from the results, and return a hint if one is wrong.

    Parameters
    ----------
    answer : str, or list, tuple or set of str
        The letters of the sentences that follow from the results, such as ``"ad"``.
    sentences : dict of str to (bool, str)
        For each letter, whether its sentence follows from the results, and a hint for a reader who
        wrongly thinks so.

    Returns
    -------
    str
        An empty text if the answer is right, and otherwise a hint.

    Raises
    ------
    InputError
        If the answer does not consist of these letters.
    """
    if isinstance(answer, list | tuple | set) and all(isinstance(each, str) for each in answer):
        answer = "".join(answer)
    letters = {letter for letter in str(answer).lower() if letter.isalnum()}
    if not isinstance(answer, str) or not letters or not letters <= sentences.keys():
        raise InputError(f"give letters from {min(sentences)} to {max(sentences)} in quotes")
    for letter in sorted(letters):
        does_follow, hint = sentences[letter]
        if not does_follow:
            return f"sentence {letter} does not follow: {hint}"
    if any(does_follow for letter, (does_follow, _) in sentences.items() if letter not in letters):
        return "what you chose follows, but it is not all that follows"
    return ""


def folded(summary: str, table: pd.DataFrame, is_open: bool = False) -> HTML:
    """Return a table in a section that the reader opens or closes by clicking on its summary."""
    if table.index.nlevels == 1 and table.columns.names == [None]:
        # The name of the index then needs no row of its own.
        table = table.rename_axis(index=None, columns=table.index.name)
    with pd.option_context("display.max_colwidth", None):  # pandas would cut long texts
        cells = table.to_html(border=0, classes="coalloc-table")
    state = " open" if is_open else ""
    return HTML(f"<details{state}><summary>{escape(summary)}</summary>{cells}</details>")


def raised(error: Exception) -> str:
    """Return a one-line hint that describes an error raised by a reader's code."""
    words = " ".join(str(error).split())
    return f"your code raises {type(error).__name__}: {words}".removesuffix(": ").rstrip(".")


def held_against(
    rules: Mapping[str, Any], entries: Mapping[Any, Any], run: Callable[[Any, Any], Any]
) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield the simulation runs of each leaderboard entry, with the runs to compare them with.

    Parameters
    ----------
    rules : dict of str to object
        The runs of the given rules by name. A rule is compared with all other rules.
    entries : dict
        The entries of readers by name. An entry is compared with all rules.
    run : callable
        Takes the name of an entry and the entry; returns its runs.

    Yields
    ------
    name : str
        The name of the rule or the entry.
    runs : object
        Its runs.
    others : list
        The runs with which it is compared.
    """
    for name, runs in rules.items():
        yield name, runs, [other for other_name, other in rules.items() if other_name != name]
    for name, entry in entries.items():
        yield str(name), run(name, entry), list(rules.values())


def ranked(rows: Sequence[Mapping[str, Any]], by: str, ascending: bool = True) -> pd.DataFrame:
    """Sort the rows of a leaderboard by one column, and number them by rank."""
    board = pd.DataFrame(rows).sort_values(by, ascending=ascending)
    return board.set_index(pd.RangeIndex(1, len(board) + 1, name="rank"))


def off_by(difference: Interval, digits: int = 4) -> str:
    """Format a difference and its 95 % interval as a string for a leaderboard."""
    return format_interval(difference, digits, "+")
