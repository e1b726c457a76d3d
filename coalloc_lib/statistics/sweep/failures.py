"""The error that a sweep raises if points fail or the sweep has to stop."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Failure:
    """A failed call of a sweep: its arguments, the error and the traceback.

    Attributes
    ----------
    arguments : dict
        The arguments of the point, as tables show them, and the replication.
    error : str
        The type and the text of the error.
    traceback : str
        The traceback of the error.
    """

    arguments: dict[str, object]
    error: str
    traceback: str = ""

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value}" for name, value in self.arguments.items())
        return f"{shown}: {self.error}"


class SweepError(RuntimeError):
    """Raised if calls of a sweep failed, or if the sweep had to stop.

    Attributes
    ----------
    failures : list of Failure
        The points that failed, and those that were running when the sweep stopped.
    results : dict of int to object
        The results of the points that finished, by position.
    table : DataFrame or None
        The same results as a table, if `sweep` raised the error.
    """

    table: Any = None

    def __init__(self, message: str, failures: list[Failure], results: dict[int, Any]) -> None:
        lines = [message, *map(str, failures[:5]), *["..."][: len(failures) > 5]]
        super().__init__("\n  ".join(lines))
        self.failures, self.results = failures, results
