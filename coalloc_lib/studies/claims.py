"""How the claims of a paper's prose are judged: each from its parts, each part from an interval."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.studies.ledger import FOLD, Judgement, Row
from coalloc_lib.studies.published import published_claim

#: What a judge returns: the figure that decides, or that comes nearest to deciding otherwise; the
#: parts, in words; and a note, where there is one.
Found = tuple[Interval | float, Mapping[str, bool | None]] | tuple


class Claims:
    """The claims of a study, each with the function that judges it.

    Parameters
    ----------
    study : str
    listed : callable, optional
        Writes the names of parts in a note: with commas where it is not given.
    counted : bool
        Whether notes count the parts, before they list them.

    Examples
    --------
    >>> claim = Claims("maximal-utilization")
    >>> @claim("MU-12", "loss of one component less that of four")
    ... def co_allocation_helps(change):
    ...     return change, {"one component loses more": change.above(0)}
    >>> [row.verdict for row in claim.rows(Interval(0.1, 0.05, 0.15, 10))]
    ['holds']
    """

    def __init__(
        self, study: str, listed: Callable[[Sequence[str]], str] = ", ".join, counted: bool = False
    ) -> None:
        self.study, self.listed, self.counted = study, listed, counted
        self._judges: dict[str, tuple[str, Callable[[Any], Found]]] = {}

    def __call__(self, item: str, quantity: str) -> Callable:
        """Return a decorator for the function that judges a claim of `data/published/claims.csv`.

        Parameters
        ----------
        item : str
            The claim's name.
        quantity : str
            What is looked at.
        """

        def keep(judge: Callable[[Any], Found]) -> Callable[[Any], Found]:
            if item in self._judges:
                raise InputError(f"item = {item!r} has a judge already; choose another claim")
            self._judges[item] = quantity, judge
            return judge

        return keep

    def rows(self, runs: Any) -> list[Row]:
        """Return the row of each claim, in the order of this module; `runs` is what judges see."""
        return [self.row(item, runs) for item in self._judges]

    def row(self, item: str, runs: Any) -> Row:
        """Return the row of a claim."""
        quantity, judge = self._judges[item]
        found, parts, *why = judge(runs)
        value, low, high = found, None, None
        if isinstance(found, Interval):
            value, low, high = found.estimate, found.low, found.high
        number = published_claim(self.study, item).number or None
        judged = judge_claim(parts, *why, listed=self.listed, counted=self.counted)
        return Row(self.study, item, quantity, number, value, low, high, *judged)


def judge_claim(
    parts: Mapping[str, bool | None],
    why: str = "",
    *,
    listed: Callable[[Sequence[str]], str] = ", ".join,
    counted: bool = False,
) -> Judgement:
    """Return whether a claim holds, from its parts.

    Parameters
    ----------
    parts : mapping of str to bool or None
        Each part in words, and whether it holds; None where the figures do not decide it.
    why : str
        Why parts are undecided, or what else a reader should know.
    listed : callable
        Writes the names of parts.
    counted : bool
        Whether the note counts the parts, and has their lists at its end, after `FOLD`.

    Returns
    -------
    Judgement
        ``holds`` where every part does, ``does not hold`` where none of the decided parts does,
        ``cannot be tested`` where no part is decided, else ``holds in part``. The note lists the
        parts that fail and those that are undecided.
    """
    if not parts:
        raise InputError("parts is empty; a claim has at least one")
    for name, answer in parts.items():
        if not isinstance(answer, bool | np.bool_ | None):
            raise InputError(f"parts[{name!r}] = {answer!r}; give True, False or None")
    undecided = [name for name, answer in parts.items() if answer is None]
    failed = [name for name, answer in parts.items() if answer is not None and not answer]
    if len(undecided) == len(parts):
        verdict = "cannot be tested"
    elif len(failed) + len(undecided) == len(parts):
        verdict = "does not hold"
    else:
        verdict = "holds in part" if failed or undecided else "holds"
    lists = {"fails": failed, "undecided": undecided}
    notes = [f"{word}: {listed(names)}" for word, names in lists.items() if names]
    if counted and notes:
        held = len(parts) - len(failed) - len(undecided)
        counts = f"holds {held}, fails {len(failed)}, undecided {len(undecided)} of {len(parts)}"
        said = "; ".join([counts, why] if why else [counts])
        return Judgement(verdict, f"{said}{FOLD}{'; '.join(notes)}")
    return Judgement(verdict, "; ".join([*notes, why] if why else notes))


def least(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the smallest figure."""
    return min(intervals, key=lambda interval: interval.estimate)


def most(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the largest figure."""
    return max(intervals, key=lambda interval: interval.estimate)


def furthest(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the figure that is furthest from 0."""
    return max(intervals, key=lambda interval: abs(interval.estimate))
