"""Requests that are booked on the paper's trees, with the number of operations that this takes."""

from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import generators
from coalloc_lib.calendar.trees import SlotTrees
from coalloc_lib.schedules.reading import booked_end
from coalloc_lib.schedules.schedule import Schedule
from studies.online_batch.model import (
    AHEAD,
    DAY,
    GROWTH_HORIZON,
    HOUR,
    PHASES,
    TREE_SLOTS,
)


def book_on_trees(
    columns: Sequence[NDArray],
    book: SlotTrees,
    *,
    most: int,
    step: float = 900.0,
    counted_from: int = 0,
) -> tuple[list[float], int, dict[str, int]]:
    """Book requests on the paper's trees one after the other, and count attempts and operations.

    Parameters
    ----------
    columns : sequence of array
        The submission, earliest start, length (all in seconds) and servers of each request.
    book : SlotTrees
        The trees, which are changed.
    most : int
        The largest number of attempts of a request.
    step : float
        The time between the starts of two attempts, in seconds.
    counted_from : int
        The first request whose attempts and operations are counted.

    Returns
    -------
    starts : list of float
        The start of each request in seconds, or NaN if it was rejected.
    attempts : int
        The number of counted attempts.
    operations : dict
        The number of counted operations in each part of the work.
    """
    starts: list[float] = []
    attempts, before = 0, astuple(book.operations)
    requests = zip(*(column.tolist() for column in columns), strict=True)
    for number, (submit, earliest, length, servers) in enumerate(requests):
        if number == counted_from:
            attempts, before = 0, astuple(book.operations)
        book.advance(submit)
        tried, start = book_first_room(book, earliest, length, servers, most, step)
        attempts += tried
        starts.append(start)
    done = np.subtract(astuple(book.operations), before)[: len(PHASES)]
    return starts, attempts, dict(zip(PHASES, done.tolist(), strict=True))


def book_first_room(
    book: SlotTrees, earliest: float, length: float, servers: int, most: int, step: float
) -> tuple[int, float]:
    """Book a request at its first feasible start, trying one start after another.

    Return the number of attempts, and the start in seconds or NaN if the request is rejected.
    """
    until = (max(book.trees) + 1) * book.slot
    for attempt in range(most):
        start = earliest + attempt * step
        if start + length > until:
            return attempt, float("nan")
        periods = book.search(start, start + length, servers).found
        if len(periods) == servers:
            for period in periods:
                book.take(period, start, start + length)
            return attempt + 1, start
    return most, float("nan")


def first_of_typical_jobs(schedule: Schedule, order: NDArray[np.int64], count: int) -> int:
    """Find `count` successive jobs that are typical of the log, and return the first position.

    Their mean number of attempts is the closest to that of all jobs. On an idle machine every job
    would need only one attempt, and would tell nothing about the search.
    """
    assert schedule.attempts is not None
    means = np.convolve(schedule.attempts[order], np.full(count, 1 / count), "valid")
    return int(np.abs(means - schedule.attempts.mean()).argmin())


def booked_before(
    schedule: Schedule, earlier: NDArray[np.int64], now: float, servers: int
) -> SlotTrees:
    """Return the trees at the time `now`, with the bookings of all unfinished earlier jobs."""
    assert schedule.servers is not None
    end = booked_end(schedule)
    book = SlotTrees([servers], 7 * DAY / TREE_SLOTS, TREE_SLOTS)
    book.advance(now)
    for job in earlier[end[earlier] > now].tolist():
        begin, stop = max(float(schedule.start[job]), now), float(end[job])
        for server in schedule.servers[job].tolist():
            # A server runs one job at a time, so exactly one of its idle periods has room for the
            # job.
            (period,) = (
                idle for idle in book.periods(server) if idle.start <= begin and stop <= idle.end
            )
            book.take(period, begin, stop)
    return book


def random_requests(
    servers: int, wanted: int, count: int, seed: np.random.SeedSequence
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Generate random requests with an offered load of 0.6; half of the requests reserve ahead.

    The arrays have the submissions, earliest starts and lengths in seconds, and the servers.
    """
    (rng,) = generators(seed, 1)
    mean = 4 * HOUR
    between = wanted * mean / (0.6 * servers)
    submit = np.cumsum(rng.exponential(between, count))
    ahead = np.where(rng.random(count) < 0.5, rng.uniform(0, AHEAD, count), 0.0)
    lengths = np.minimum(rng.exponential(mean, count) + 60, GROWTH_HORIZON / 4)
    return submit, submit + ahead, lengths, np.full(count, wanted)
