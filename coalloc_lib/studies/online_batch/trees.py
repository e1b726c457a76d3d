"""What the paper's own trees cost: operations counted while they book requests, phase by phase."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.calendar.slot_trees import SlotTrees
from coalloc_lib.jobs import JobStream
from coalloc_lib.seeds import Seed, generators
from coalloc_lib.studies.online_batch.parameters import (
    AHEAD,
    DAY,
    HOUR,
    TREE_FIRST,
    TREE_HORIZON,
    TREE_SLOTS,
)
from coalloc_lib.studies.online_batch.runs import Case

#: What operations are counted of.
PHASES = ("phase 1", "phase 2", "update")


class Request(NamedTuple):
    """A request as the paper writes it: q, s, l and n."""

    submit: float
    start: float
    length: float
    servers: int


class Counted(NamedTuple):
    """What booking requests took.

    Attributes
    ----------
    starts : list of float
        Of each request; NaN where it was refused.
    attempts : int
        Searches in all.
    operations : dict of int
        By name of `PHASES`.
    """

    starts: list[float]
    attempts: int
    operations: dict[str, int]


def book_on_trees(
    requests: Iterable[Request], book: SlotTrees, *, step: float, most: int, counted_from: int = 0
) -> Counted:
    """Book requests on the slot trees, literally as the paper has it, and count the operations.

    Parameters
    ----------
    requests : iterable of Request
        In order of submission.
    book : SlotTrees
    step : float
    most : int
        Attempts in all.
    counted_from : int
        Requests before this one are booked, and not counted.
    """
    starts: list[float] = []
    attempts, before = 0, dict.fromkeys(PHASES, 0)
    for number, request in enumerate(requests):
        if number == counted_from:
            attempts, before = 0, _operations(book)
        book.advance(request.submit)
        until = (max(book.trees) + 1) * book.slot
        starts.append(float("nan"))
        for k in range(most):
            start = request.start + k * step
            end = start + request.length
            if end > until:
                break
            attempts += 1
            found = book.search(start, end, request.servers).found
            if len(found) == request.servers:
                for period in found:
                    book.take(period, start, end)
                starts[-1] = start
                break
    after = _operations(book)
    return Counted(starts, attempts, {name: after[name] - before[name] for name in PHASES})


def _operations(book: SlotTrees) -> dict[str, int]:
    done = book.operations
    return dict(zip(PHASES, (done.phase1, done.phase2, done.update), strict=True))


def extract_of(case: Case, jobs: int, seed: Seed) -> JobStream:
    """Return the jobs of a log that are booked on trees, from the first instant on."""
    stream = case.log.of_length[case.length]
    first = min(TREE_FIRST, max(len(stream) - jobs, 0))
    part = stream[np.argsort(stream.submit, kind="stable")[first : first + jobs]]
    submit = part.submit - part.submit.min()
    return case.reserving(part.replace(submit=submit, earliest_start=submit), seed)


def requests_of(jobs: JobStream) -> list[Request]:
    """Return the jobs of a stream, in order of submission, as requests."""
    columns = (jobs.submit, jobs.earliest_start, jobs.runtime, jobs.processors)
    return [
        Request(float(q), float(s), float(length), int(n))
        for q, s, length, n in zip(*columns, strict=True)
    ]


def count_log(case: Case, jobs: int, seed: Seed) -> dict[str, float]:
    """Return the operations a request of the extract of a log, by phase."""
    requests = requests_of(extract_of(case, jobs, seed))
    book = SlotTrees([case.servers], TREE_HORIZON / TREE_SLOTS, TREE_SLOTS)
    counted = book_on_trees(requests, book, step=900.0, most=TREE_SLOTS * 8)
    found = {name: counted.operations[name] / len(requests) for name in PHASES}
    return found | {"attempts": counted.attempts / len(requests)}


#: Mean length and horizon of the requests on which growth is measured, and the load they make.
MEAN_LENGTH, GROWTH_HORIZON, LOAD = 4 * HOUR, 2 * DAY, 0.6
#: Requests that are counted.
GROWTH_REQUESTS = 30


def count_growth(servers: int, slots: int, wanted: int, seed: Seed) -> dict[str, float]:
    """Return operations an attempt (both phases) and a request (update) of random requests.

    Requests of `wanted` servers come at random and load each server alike, whatever their number.
    They are counted once about as many have come as fill the servers.
    """
    (rng,) = generators(seed, 1)
    before = servers // wanted + 1
    count = before + GROWTH_REQUESTS
    gap = wanted * MEAN_LENGTH / (LOAD * servers)
    submit = np.cumsum(rng.exponential(gap, count))
    ahead = np.where(rng.random(count) < 0.5, rng.uniform(0, AHEAD, count), 0.0)
    length = np.minimum(rng.exponential(MEAN_LENGTH, count) + 60, GROWTH_HORIZON / 4)
    requests = [
        Request(float(q), float(q + a), float(length_), wanted)
        for q, a, length_ in zip(submit, ahead, length, strict=True)
    ]
    book = SlotTrees([servers], GROWTH_HORIZON / slots, slots)
    counted = book_on_trees(requests, book, step=900.0, most=96, counted_from=before)
    accepted = int(np.isfinite(counted.starts[before:]).sum())
    per = {"phase 1": counted.attempts, "phase 2": counted.attempts, "update": accepted}
    return {name: counted.operations[name] / max(per[name], 1) for name in PHASES}


def slope(at: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Return the exponent of a power: the slope of a line through points on double-log axes.

    Examples
    --------
    >>> round(slope(np.array([1, 2, 4, 8]), 3.0 * np.array([1, 4, 16, 64])), 12)
    2.0
    """
    x, y = np.log(at), np.log(values)
    x = x - x.mean()
    return float(x @ y / (x @ x))
