"""What the leaderboards of the notebooks' projects share: who is held against whom, and ranks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd

from coalloc_lib.estimates import Interval

Runs = TypeVar("Runs")
#: What intervals say, in the words of the boards.
ANSWERS = {True: "yes", False: "no", None: "cannot tell"}


def held_against(
    rules: Mapping[str, Runs], entries: Mapping[Any, Any], run: Callable[[Any, Any], Runs]
) -> Iterator[tuple[str, Runs, list[Runs]]]:
    """Yield each rule with the other rules, and then each entry with all of them.

    Parameters
    ----------
    rules : dict
        The runs of the rules that are known, by name.
    entries : dict
        What a reader enters, by name.
    run : callable
        Returns the runs of an entry, of its name and the entry.
    """
    for name, runs in rules.items():
        yield name, runs, [other for each, other in rules.items() if each != name]
    for name, entry in entries.items():
        yield str(name), run(name, entry), list(rules.values())


def ranked(rows: Sequence[Mapping[str, Any]], by: str, ascending: bool = True) -> pd.DataFrame:
    """Return rows as a table with a rank each, in the order of a column.

    Examples
    --------
    >>> rows = [{"placement": "first fit", "loss": 0.3}, {"placement": "mine", "loss": 0.2}]
    >>> ranked(rows, "loss")["placement"].to_dict()
    {1: 'mine', 2: 'first fit'}
    """
    board = pd.DataFrame(rows).sort_values(by, ascending=ascending)
    return board.set_index(pd.RangeIndex(1, len(board) + 1, name="rank"))


def off_by(difference: Interval, digits: int = 4) -> str:
    """Return a difference with its 95 % interval, as the boards print it."""
    return f"{difference.estimate:+.{digits}f} ± {difference.half_width:.{digits}f}"
