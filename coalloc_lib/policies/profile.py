"""The future of the idle processors, in steps: what reservations and backfilling plan with.

`Profile.of` gives a policy the future of the running jobs.

>>> future = Profile([4, 2], now=10.0)
>>> future.take(10.0, 15.0, [3, 0])
>>> future.at(12.0), future.at(15.0)
((1, 2), (4, 2))
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.placement import Reservation, Rigid
from coalloc_lib.policies.base import State


class Profile:
    """How many processors of each cluster are idle from `now` on, in steps.

    Step i goes from ``instants[i]``, included, to ``instants[i + 1]``, or for the last to infinity.
    Two steps that follow one another differ. What is taken for no time is kept apart, in `moments`:
    it is in the way of those only who would run across that instant.
    """

    def __init__(self, idle: Sequence[int], now: float = 0.0) -> None:
        self.instants = [now]
        self.idle = [tuple(idle)]
        self.moments: list[tuple[float, tuple[int, ...]]] = []

    @classmethod
    def of(cls, state: State) -> "Profile":
        """Return the future that a policy can expect: running jobs hold until their expected ends.

        Parameters
        ----------
        state : State
            What `Scheduling.start_jobs` gets.

        Returns
        -------
        Profile
            It begins at ``state.now``. A running job without length, which leaves in the next round
            of this instant, is in nobody's way from `now` on, though ``state.start`` refuses its
            processors in this round.
        """
        held = [job.allocation or () for job in state.running]
        profile = cls([sum(each) for each in zip(state.idle, *held, strict=True)], state.now)
        for job, allocation in zip(state.running, held, strict=True):
            profile.take(state.now, state.expected_end(job), allocation)
        return profile

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
        steps = self._steps_between(start, end)
        for instant, taken in self.moments:
            if start < instant < end:
                pairs = zip(self.at(instant), taken, strict=True)
                steps.append(tuple(max(idle - took, 0) for idle, took in pairs))
        return tuple(map(min, zip(*steps, strict=True)))

    def take(self, start: float, end: float, allocation: Sequence[int]) -> None:
        """Take processors of each cluster from `start` to `end`; negative ones are given back.

        They have to be idle then, `moments` aside: what was reserved before them stays in their
        way. `end` may be infinite.
        """
        if len(allocation) != len(self.idle[0]):
            raise InputError(
                f"allocation = {shown(allocation)}; give the processors of each of the "
                f"{len(self.idle[0])} clusters"
            )
        if not start <= end:
            raise InputError(f"end = {end} comes before start = {start}; give a later end")
        if start == end:
            if min(allocation) >= 0:
                self.moments.append((start, tuple(allocation)))
            else:
                self.moments.remove((start, tuple(-taken for taken in allocation)))
            return
        free = [*map(min, zip(*self._steps_between(start, end), strict=True))]
        if any(took > idle for took, idle in zip(allocation, free, strict=True)):
            raise InputError(
                f"allocation = {list(allocation)} from {start:g} to {end:g}; only {free} "
                "stay idle until then"
            )
        self._split(start)
        self._split(end)
        for step in range(bisect_left(self.instants, start), bisect_left(self.instants, end)):
            pairs = zip(self.idle[step], allocation, strict=True)
            self.idle[step] = tuple(idle - took for idle, took in pairs)
        self._join(start)
        self._join(end)

    def forget(self, now: float) -> None:
        """Let the profile begin at a later instant."""
        first = bisect_right(self.instants, now) - 1
        del self.instants[:first], self.idle[:first]
        self.instants[0] = now
        self.moments = [moment for moment in self.moments if moment[0] > now]

    def earliest(
        self,
        job: Rigid,
        place: Callable[[Any, Sequence[int]], Sequence[int] | None],
        since: float | None = None,
    ) -> Reservation | None:
        """Return the first reservation for a job from `since` on; None where it never fits.

        `place` returns the allocation that a job gets of so many idle processors, or None, as does
        `State.place`. The job is placed on what stays idle over the whole length that it is
        expected to run: in the window that it needs on one cluster and, where it then spans, again
        in the longer one. Tried are `since` and the later instants at which something changes.
        """
        since = self.instants[0] if since is None else since
        moments = (instant for instant, _ in self.moments)
        later = {instant for instant in (*self.instants, *moments) if instant > since}
        tried = (self.starting(job, place, start) for start in [since, *sorted(later)])
        return next((found for found in tried if found is not None), None)

    def starting(
        self, job: Rigid, place: Callable[[Any, Sequence[int]], Sequence[int] | None], start: float
    ) -> Reservation | None:
        """Return the reservation of a job that starts at an instant; None where it does not fit."""
        length = job.expected_length(())  # as it is on one cluster
        while (found := place(job, self.between(start, start + length))) is not None:
            needed = job.expected_length(found)
            if needed <= length:
                return Reservation(start, start + needed, found)
            length = needed
        return None

    def _steps_between(self, start, end):
        """Return what is idle in each step that an interval touches, and so at its start."""
        inside = slice(bisect_right(self.instants, start), bisect_left(self.instants, end))
        return [self.at(start), *self.idle[inside]]

    def _join(self, instant):
        """Let no step begin at an instant at which nothing changes."""
        position = bisect_left(self.instants, instant)
        if 0 < position < len(self.idle) and self.idle[position - 1] == self.idle[position]:
            del self.instants[position], self.idle[position]

    def _split(self, instant):
        """Let a step begin at an instant."""
        position = bisect_right(self.instants, instant)
        if instant < inf and self.instants[position - 1] != instant:
            self.instants.insert(position, instant)
            self.idle.insert(position, self.idle[position - 1])
