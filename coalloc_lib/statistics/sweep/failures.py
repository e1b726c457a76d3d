"""What a sweep raises when points fail or the run has to stop."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Failure:
    """A point that failed: its arguments as they are shown, the error, and the traceback."""

    arguments: dict[str, object]
    error: str
    traceback: str = ""

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value}" for name, value in self.arguments.items())
        return f"{shown}: {self.error}"


class SweepError(RuntimeError):
    """Points failed, or the run had to stop; `failures` has what failed or was in flight.

    What finished is in `results`, by position, and in the `table` of `sweep`.
    """

    table: Any = None

    def __init__(self, message: str, failures: list[Failure], results: dict[int, Any]) -> None:
        lines = [message, *map(str, failures[:5]), *["..."][: len(failures) > 5]]
        super().__init__("\n  ".join(lines))
        self.failures, self.results = failures, results
