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
    message : str
        How many calls failed, or why the sweep stopped.
    failures : list of Failure
        The points that failed, and those that were running when the sweep stopped.
    results : dict of int to object
        The results of the points that finished, by position.
    table : DataFrame or None
        The same results as a table, if `sweep` raised the error.
    """

    table: Any = None

    def __init__(self, message: str, failures: list[Failure], results: dict[int, Any]) -> None:
        # Unpickling calls the exception class with only the arguments that its base class received,
        # so the base class receives all arguments.
        super().__init__(message, failures, results)
        self.message, self.failures, self.results = message, failures, results

    def __str__(self) -> str:
        more = ["..."] if len(self.failures) > 5 else []
        return "\n  ".join([self.message, *map(str, self.failures[:5]), *more])
