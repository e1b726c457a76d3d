"""Idle periods, the rules that choose among them, and what every book of them offers."""

from collections.abc import Callable, Sequence
from math import floor
from operator import gt
from typing import Any, NamedTuple, Protocol

from coalloc_lib.checks import LARGEST_WHOLE, InputError, shown
from coalloc_lib.placement import listed

#: The one rule that depends on the shape of trees, and so is kept by `SlotTrees` alone.
FIRST_FOUND = "first-found"


class IdlePeriod(NamedTuple):
    """A time during which a server has no reservation: as long as it can be, perhaps for ever."""

    server: int
    start: float
    end: float


def latest_start(period: IdlePeriod) -> tuple[float, ...]:
    """Sort idle periods by start, the latest first; ties by server."""
    return -period.start, period.server


def best_fit(period: IdlePeriod) -> tuple[float, ...]:
    """Sort idle periods by length, the shortest first: it leaves the least idle around a job.

    Ties go to the latest start, then to the lowest server; periods without end come last.
    """
    return period.end - period.start, -period.start, period.server


#: Rule -> the order in which a book takes the periods of a cluster.
RULES: dict[str, Callable[[IdlePeriod], tuple[float, ...]]] = {
    "latest-start": latest_start,
    "best-fit": best_fit,
}


class Book(Protocol):
    """What holds the idle periods of the servers of several clusters.

    Servers are numbered from 0, cluster by cluster. An idle period is *feasible* for an interval
    [start, end) if it begins by its start and ends no earlier than its end.
    """

    @property
    def sizes(self) -> Sequence[int]:
        """Servers of each cluster."""

    @property
    def rules(self) -> Sequence[str]:
        """The rules that it can choose by."""

    def feasible(self, start: float, end: float) -> list[IdlePeriod]:
        """Return the feasible periods, by server: the range search."""

    def counts(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many servers of each cluster have a feasible period."""

    def choose(
        self, start: float, end: float, allocation: Sequence[int], rule: str
    ) -> list[IdlePeriod]:
        """Return ``allocation[c]`` feasible periods of each cluster c, by the rule."""

    def take(self, period: IdlePeriod, start: float, end: float) -> None:
        """Reserve [start, end) in an idle period; what is left of it before and after stays."""

    def give_back(self, server: int, start: float, end: float) -> None:
        """Let a server be idle again, in one period with what is idle next to it.

        What ended by the present instant is past, and not joined.
        """

    def advance(self, now: float) -> None:
        """Go on to a later instant: what ended by then is past, and may be forgotten."""


def wanted_of(allocation: Any, most: Sequence[int], are: str = "feasible are") -> list[int]:
    """Return an allocation as whole numbers; refuse what is none, or more than `most` servers."""
    wanted = listed(allocation)
    if (
        wanted is None
        or len(wanted) != len(most)
        or min(wanted, default=0) < 0
        or any(map(gt, wanted, most))
    ):
        raise InputError(
            f"allocation = {shown(allocation)}; {are} {shown([*most])}, give a whole number for "
            "each cluster, no larger"
        )
    return wanted


def server_of(server: Any, servers: int) -> int:
    """Return the number of a server; refuse what is none of so many."""
    (number,) = listed([server]) or [-1]
    if not 0 <= number < servers:
        raise InputError(f"server = {shown(server)}; there are {servers}, numbered from 0 on")
    return number


def slot_of(instant: float, slot: float) -> int:
    """Return the number k of the slot that an instant is in: ``k * slot <= instant``, the last.

    Notes
    -----
    A quotient may be rounded up to the next whole number; the products decide, so that slots meet
    without a gap and an interval that ends by ``k * slot`` lies in slots before k.

    Raises
    ------
    InputError
        The number would not be exact.

    Examples
    --------
    >>> slot_of(17, 10), slot_of(20, 10)
    (1, 2)
    """
    quotient = float(instant) / slot
    if not abs(quotient) <= LARGEST_WHOLE:
        raise InputError(
            f"the instant {instant:g} is more than {LARGEST_WHOLE:,} slots of {slot:g} from 0; "
            "give an earlier one, or a longer slot"
        )
    number = floor(quotient)
    if number * slot > instant:
        return number - 1
    return number + 1 if (number + 1) * slot <= instant else number
