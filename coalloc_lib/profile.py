"""The future of the idle processors, in steps: what reservations and backfilling plan with.

>>> future = Profile([4, 2], now=10.0)
>>> future.take(10.0, 15.0, [3, 0])
>>> future.at(12.0), future.at(15.0)
((1, 2), (4, 2))
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from coalloc_lib.checks import InputError, shown
from coalloc_lib.scheduling import Job


class Reservation(NamedTuple):
    """When, until when and on which processors a job can run."""

    start: float
    end: float
    allocation: Sequence[int]


class Profile:
    """How many processors of each cluster are idle from now on, in steps.

    Parameters
    ----------
    idle : sequence of int
        Idle processors of each cluster, for ever unless some are taken.
    now : float
        Where it begins.

    Notes
    -----
    Step i goes from ``instants[i]``, included, to ``instants[i + 1]``, or for the last to infinity.
    """

    def __init__(self, idle: Sequence[int], now: float = 0.0) -> None:
        self.instants = [now]
        self.idle = [tuple(idle)]

    def at(self, instant: float) -> tuple[int, ...]:
        """Return the idle processors of each cluster just after an instant."""
        if not instant >= self.instants[0]:
            raise InputError(
                f"instant = {instant}; the profile begins at {self.instants[0]:g}, give one from "
                "there on"
            )
        return self.idle[bisect_right(self.instants, instant) - 1]

    def between(self, start: float, end: float) -> tuple[int, ...]:
        """Return what is idle at `start` and stays so until `end`."""
        inside = slice(bisect_right(self.instants, start), bisect_left(self.instants, end))
        return tuple(map(min, zip(self.at(start), *self.idle[inside], strict=True)))

    def take(self, start: float, end: float, allocation: Sequence[int]) -> None:
        """Take processors of each cluster from `start` to `end`; negative ones are given back.

        Parameters
        ----------
        start, end : float
            `end` may be infinite.
        allocation : sequence of int
        """
        if len(allocation) != len(self.idle[0]):
            raise InputError(
                f"allocation = {shown(allocation)}; give the processors of each of the "
                f"{len(self.idle[0])} clusters"
            )
        if not start <= end:
            raise InputError(f"end = {end} comes before start = {start}; give a later end")
        if start == end:
            return
        free = self.between(start, end)
        if any(took > idle for took, idle in zip(allocation, free, strict=True)):
            raise InputError(
                f"allocation = {list(allocation)} from {start:g} to {end:g}; only {list(free)} "
                "stay idle until then"
            )
        self._split(start)
        self._split(end)
        for step in range(bisect_left(self.instants, start), bisect_left(self.instants, end)):
            pairs = zip(self.idle[step], allocation, strict=True)
            self.idle[step] = tuple(idle - took for idle, took in pairs)

    def earliest(
        self,
        job: Job,
        place: Callable[[Job, Sequence[int]], Sequence[int] | None],
        since: float | None = None,
    ) -> Reservation | None:
        """Return the first reservation for a job; None where it never fits.

        Parameters
        ----------
        job : Job
        place : callable
            Returns the allocation that a job gets of so many idle processors, or None:
            `State.place`.
        since : float, optional
            The reservation starts no earlier; where the profile begins if it is not given. A
            profile that is kept while time goes on needs ``state.now`` here.

        Notes
        -----
        A job is placed on what stays idle over the whole length that it is expected to run. That
        depends on where it is placed: where it turns out to span and to run beyond the window it
        was placed in, it is placed again in the longer one. Tried are the instants at which the
        idle processors change: between two of them nothing comes free.
        """
        since = self.instants[0] if since is None else since
        for start in [since, *self.instants[bisect_right(self.instants, since) :]]:
            allocation, length = None, 0.0
            while (found := place(job, self.between(start, start + length))) is not None:
                allocation, needed = found, job.expected_length(found)
                if needed <= length:
                    return Reservation(start, start + needed, allocation)
                length = needed
        return None

    def _split(self, instant):
        """Let a step begin at an instant."""
        position = bisect_right(self.instants, instant)
        if instant < inf and self.instants[position - 1] != instant:
            self.instants.insert(position, instant)
            self.idle.insert(position, self.idle[position - 1])
