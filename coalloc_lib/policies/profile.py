"""The profile of a system: the number of idle processors as a function of future time.

Policies that reserve processors for waiting jobs use a profile to plan ahead.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from math import inf
from operator import add, gt, sub
from typing import Any

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.model.placement import Reservation, Rigid
from coalloc_lib.policies.base import State


class Profile:
    """The number of idle processors of each cluster as a step function of time.

    Parameters
    ----------
    idle : sequence of int
        Number of idle processors of each cluster.
    now : float
        The instant at which the profile begins, in the unit of the jobs.

    Attributes
    ----------
    instants : list of float
        The instants at which the steps begin. Step i lasts from ``instants[i]``, included, to
        ``instants[i + 1]``, excluded. The last step has no end.
    idle : list of tuple of int
        Number of idle processors of each cluster during each step. Neighbouring steps differ.
    moments : list of (float, tuple of int)
        Allocations that start and end at the same instant. They are not part of the steps: they
        take processors only from jobs that would run across that instant.

    Examples
    --------
    >>> profile = Profile([4, 2], now=10.0)
    >>> profile.take(10.0, 15.0, [3, 0])
    >>> profile.at(12.0), profile.at(15.0)
    ((1, 2), (4, 2))
    """

    def __init__(self, idle: Sequence[int], now: float = 0.0) -> None:
        self.instants = [now]
        self.idle = [tuple(idle)]
        self._most = self.idle[0]
        self.moments: list[tuple[float, tuple[int, ...]]] = []

    @classmethod
    def of(cls, state: State) -> "Profile":
        """Return the profile that results if all running jobs run until their expected ends.

        Parameters
        ----------
        state : State
            The state that `Scheduling.start_jobs` receives.

        Returns
        -------
        Profile
            A profile that begins at ``state.now``. The processors of a running job with a length of
            0 count as idle in the profile. The method ``state.start`` cannot use them yet, because
            the job leaves later at the same instant.
        """
        held = [job.allocation or () for job in state.running]
        profile = cls([sum(each) for each in zip(state.idle, *held, strict=True)], state.now)
        for job, allocation in zip(state.running, held, strict=True):
            profile.take(state.now, state.expected_end(job), allocation)
        return profile

    def at(self, instant: float) -> tuple[int, ...]:
        """Return the number of idle processors of each cluster just after an instant.

        Raises `InputError` if the instant is before the beginning of the profile.
        """
        self._check_instant("instant", instant)
        return self.idle[bisect_right(self.instants, instant) - 1]

    def between(self, start: float, end: float) -> tuple[int, ...]:
        """Return how many processors of each cluster stay idle from `start` to `end`.

        Raises `InputError` if `end` is before `start`, or `start` before the profile begins.
        """
        if not start <= end:
            raise _reversed(start, end)
        steps = self._steps_between(start, end)
        for instant, taken in self.moments:
            if start < instant < end:
                pairs = zip(self.at(instant), taken, strict=True)
                steps.append(tuple(max(idle - took, 0) for idle, took in pairs))
        return tuple(map(min, zip(*steps, strict=True)))

    def take(self, start: float, end: float, allocation: Sequence[int]) -> None:
        """Mark processors as busy in the profile from `start` to `end`.

        Parameters
        ----------
        start, end : float
            The interval. `end` may be infinite. If both are equal, the allocation is stored in
            `moments`, and it may have all processors of the clusters.
        allocation : sequence of int
            Number of processors of each cluster.

        Raises
        ------
        InputError
            If a number is negative, if the interval ends before it starts or starts too early, or
            if not all of these processors are idle in all its steps. Allocations in `moments` are
            not considered here; `between` considers them.
        """
        self._check(start, end, allocation)
        if start == end:
            free = self._most
        else:
            free = tuple(map(min, zip(*self._steps_between(start, end), strict=True)))
        if any(map(gt, allocation, free)):
            raise InputError(
                f"allocation = {list(allocation)} from {start:g} to {end:g}; only {[*free]} "
                "processors of the clusters stay idle in this interval; take no more than these"
            )
        if start == end:
            self.moments.append((start, tuple(allocation)))
        else:
            self._change(start, end, allocation, sub)

    def give_back(self, start: float, end: float, allocation: Sequence[int]) -> None:
        """Mark processors as idle again from `start` to `end`, after `take` marked them as busy.

        Parameters
        ----------
        start, end : float
            The interval, which may be a part of the interval that was passed to `take`.
        allocation : sequence of int
            Number of processors of each cluster.

        Raises
        ------
        InputError
            If a number is negative, if the interval ends before it starts or starts too early, or
            if not all of these processors are taken in the whole interval.

        Examples
        --------
        >>> profile = Profile([4])
        >>> profile.take(0.0, 10.0, [3])
        >>> profile.give_back(6.0, 10.0, [3])
        >>> profile.at(5.0), profile.at(6.0)
        ((1,), (4,))
        """
        self._check(start, end, allocation)
        if start == end:
            moment = (start, tuple(allocation))
            if moment not in self.moments:
                raise _not_taken(start, end, allocation)
            self.moments.remove(moment)
            return
        most_idle = map(max, zip(*self._steps_between(start, end), strict=True))
        if any(map(gt, allocation, map(sub, self._most, most_idle))):
            raise _not_taken(start, end, allocation)
        self._change(start, end, allocation, add)

    def forget(self, now: float) -> None:
        """Delete the part of the profile before the instant `now`.

        Raises `InputError` if `now` is before the beginning of the profile.
        """
        self._check_instant("now", now)
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
        """Return the earliest possible reservation for a job in this profile.

        The starts that are tried are `since` and all later instants at which the profile changes.

        Parameters
        ----------
        job : Rigid
            A `Job`, or any object that has a method `expected_length`.
        place : callable
            A function of the job and of the number of idle processors of each cluster. It returns
            the allocation of the job, or None if the job does not fit, as `State.place` does.
        since : float, optional
            The first start to try. By default, the beginning of the profile.

        Returns
        -------
        Reservation or None
            The start, the end and the allocation; None if the job never fits.

        Examples
        --------
        >>> profile = Profile([4])
        >>> profile.take(0.0, 5.0, [3])
        >>> from coalloc_lib.policies import Job
        >>> job = Job(0, 0.0, 8.0, 8.0, components=(2,), span_penalty=0.0)
        >>> profile.earliest(job, lambda job, idle: [2] if idle[0] >= 2 else None)
        Reservation(start=5.0, end=13.0, allocation=[2])
        """
        since = self.instants[0] if since is None else since
        moments = (instant for instant, _ in self.moments)
        starts = sorted({since, *self.instants, *moments})
        tried = (self.starting(job, place, start) for start in starts if start >= since)
        return next((found for found in tried if found is not None), None)

    def starting(
        self, job: Rigid, place: Callable[[Any, Sequence[int]], Sequence[int] | None], start: float
    ) -> Reservation | None:
        """Return a reservation that begins at `start`, or None if the job does not fit then.

        The job is first placed on the processors that stay idle for its length on one cluster. If
        the resulting allocation makes the job longer, it is placed again in the longer interval.
        """
        length = job.expected_length(())  # the length on one cluster
        while True:
            found = place(job, self.between(start, start + length))
            if found is None:
                return None
            needed = job.expected_length(found)
            if needed <= length:
                return Reservation(start, start + needed, found)
            length = needed

    def _check_instant(self, name, instant):
        if not instant >= self.instants[0]:
            raise InputError(
                f"{name} = {instant}; the profile begins at {self.instants[0]:g}, so give an "
                f"instant of {self.instants[0]:g} or later"
            )

    def _check(self, start, end, allocation):
        if len(allocation) != len(self._most):
            raise InputError(
                f"allocation = {shown(allocation)}; give one number of processors for each of "
                f"the {len(self._most)} clusters"
            )
        if min(allocation) < 0:
            raise InputError(
                f"allocation = {shown(allocation)}; give numbers of 0 or more, and call give_back "
                "to return processors that were taken"
            )
        if not start <= end:
            raise _reversed(start, end)
        self._check_instant("start", start)

    def _change(self, start, end, allocation, operation):
        self._split(start)
        self._split(end)
        for step in range(bisect_left(self.instants, start), bisect_left(self.instants, end)):
            self.idle[step] = tuple(map(operation, self.idle[step], allocation))
        self._join(start)
        self._join(end)

    def _steps_between(self, start, end):
        inside = slice(bisect_right(self.instants, start), bisect_left(self.instants, end))
        return [self.at(start), *self.idle[inside]]

    def _join(self, instant):
        position = bisect_left(self.instants, instant)
        if 0 < position < len(self.idle) and self.idle[position - 1] == self.idle[position]:
            del self.instants[position], self.idle[position]

    def _split(self, instant):
        position = bisect_right(self.instants, instant)
        if instant < inf and self.instants[position - 1] != instant:
            self.instants.insert(position, instant)
            self.idle.insert(position, self.idle[position - 1])


def _reversed(start, end):
    return InputError(
        f"end = {end} comes before start = {start}; give an end at or after the start"
    )


def _not_taken(start, end, allocation):
    return InputError(
        f"allocation = {list(allocation)} from {start:g} to {end:g} was not taken in this whole "
        "interval; give back only processors that take() marked as busy in the interval"
    )
