"""What waits, what idles meanwhile, and why: questions to a finished schedule, and its pictures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.basics.checks import InputError, shown
from coalloc_lib.basics.display import listed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import Placement, may_stay_whole
from coalloc_lib.policies import FCFS, FPFS
from coalloc_lib.schedules.reading import fits_by, heads, idle_after
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification import booked_end

#: Of systems of more clusters than this the emptiest ones are listed.
_MOST_LISTED = 4
_NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
#: Jobs that are drawn where no window is given.
FIRST = 200
#: Jobs that a window may hold: more boxes take long to draw, and are too small to see.
MOST = 2000
#: What a digit of a job's number takes of the width of a picture.
DIGIT = 0.012


@dataclass(frozen=True, eq=False)
class Idling:
    """Processors times time, `area` (m,), idle while a job waits, up to each of `instants`."""

    instants: NDArray[np.float64]
    area: NDArray[np.float64]
    processors: int

    def share(self, until: ArrayLike) -> NDArray[np.float64]:
        """Return the share of processor-time that idled so far while a job waited; NaN at first."""
        until = np.asarray(until, dtype=float)
        passed = until - self.instants[0]
        whole = np.where(passed > 0, passed, np.nan) * self.processors
        return np.interp(until, self.instants, self.area) / whole


def instants_of(schedule: Schedule) -> NDArray[np.float64]:
    """Return every instant at which a job was submitted, left the queue or ended, in order."""
    ends = schedule.end[schedule.served]
    return np.unique(np.concatenate([schedule.jobs.submit, schedule.left_queue, ends]))


def idle_while_waiting(schedule: Schedule) -> Idling:
    """Return how much processor-time was idle while a job waited: what the queue could not use."""
    instants = instants_of(schedule)
    idle = idle_after(schedule, instants).sum(axis=1)
    waits = schedule.queue_length(instants) > 0
    area = np.cumsum((idle * waits)[:-1] * np.diff(instants))
    return Idling(instants, np.append(0.0, area), schedule.system.processors)


def why_waiting(
    schedule: Schedule, jobs: ArrayLike, instants: ArrayLike, past: bool = False
) -> list[str]:
    """Return why each job waits just after its instant, in the present tense or the `past` tense.

    Each job must wait at its instant. Clusters are counted from 1, and jobs have the numbers of
    their stream.
    """
    jobs, instants = np.asarray(jobs, dtype=np.int64), np.asarray(instants, dtype=float)
    idle, stream = idle_after(schedule, instants), schedule.jobs
    fitting = fits_by(schedule.placement, stream.request, stream.components[jobs], idle)
    rows = zip(jobs, heads(schedule, instants), fitting, idle, strict=True)
    return [_reason(schedule, *row, past) for row in rows]


def _reason(schedule, job, head, fitting, idle, past):
    policy, number = schedule.scheduling, schedule.jobs.number[head]
    in_turn = type(policy) is FCFS or (type(policy) is FPFS and policy.max_jumps == 0)
    behind = f"{'waited' if past else 'waits'} behind job {number}"
    if not fitting:
        return behind if in_turn and job != head else _lacks(schedule, job, idle, past)
    would = "would have fitted" if past else "would fit"
    if job == head and type(policy) in (FCFS, FPFS):  # only a placement of one's own refuses then
        return f"{would}, but {schedule.placement} {'did' if past else 'does'} not place it"
    if in_turn:
        return f"{would}, but {behind}"
    places_all = type(schedule.placement).__module__ in (Placement.__module__, "builtins")
    if type(policy) is FPFS and places_all:
        times = "once" if policy.max_jumps == 1 else f"{policy.max_jumps} times"
        had, was = ("had", "was") if past else ("has", "is")
        times += " at the head of the queue" * (policy.counted == "head")
        return f"{would}, but job {number} {had} been overtaken {times}, as often as {was} allowed"
    return f"{would}, but {policy.title} {'let' if past else 'lets'} it wait"


def _lacks(schedule, job, idle, past):
    """Return what a job needs that is not idle, in words."""
    jobs, wanted = schedule.jobs, asked(schedule.jobs, job)
    words = ("needed", "was", "were", "had") if past else ("needs", "is", "are", "have")
    needs, one_is, are, have = words

    def idle_are(count):
        return f"{count} {one_is if count == 1 else are} idle"

    if jobs.request == "ordered":
        short = [(size, c) for c, size in enumerate(wanted) if size > idle[c]]
        parts = [f"{size} on cluster {c + 1}, where {idle_are(idle[c])}" for size, c in short]
        return f"{needs} {listed(parts)}"
    if len(idle) == 1:
        return f"{needs} {sum(wanted)}; {idle_are(idle[0])}"
    if jobs.request == "flexible":
        return f"{needs} {wanted[0]} in all; {idle_are(idle.sum())}"
    needed = f"{needs} {_ways(wanted, may_stay_whole(schedule.placement, jobs.request))}"
    if len(idle) <= _MOST_LISTED:
        return f"{needed}; {listed(idle)} {are} idle"
    most = np.sort(idle)[::-1][: len(wanted)]
    return f"{needed}; the emptiest {have} {listed(most)} idle"


def asked(jobs: JobStream, job: int) -> list[int]:
    """Return the processors that a job asks for: its components, or their sum where that counts."""
    if jobs.request in ("flexible", "total"):
        return [int(jobs.processors[job])]
    row = jobs.components[job].tolist()
    return row if jobs.request == "ordered" else [size for size in row if size]


def asks(jobs: JobStream, job: int, placement: Placement | None = None) -> str:
    """Return what a job asks for, in words: '5 on one cluster, or 4 and 1 on two clusters'."""
    wanted = asked(jobs, job)
    if jobs.request == "ordered":
        return listed([f"{size} on cluster {c + 1}" for c, size in enumerate(wanted) if size])
    if jobs.request == "flexible":
        return f"{wanted[0]} in all, on any clusters"
    return _ways(wanted, may_stay_whole(placement, jobs.request))


def _ways(wanted, whole):
    """Return on how many clusters a job of components, or of one total, can go, in words."""
    if len(wanted) == 1:
        return f"{wanted[0]} on one cluster"
    count = _NUMERALS[len(wanted)] if len(wanted) < len(_NUMERALS) else len(wanted)
    split = f"{listed(wanted)} on {count} clusters"
    return f"{sum(wanted)} on one cluster, or {split}" if whole else split


def held_until(schedule: Schedule) -> NDArray[np.float64]:
    """Return until when the processors of each job are held for it, at its end or later, (n,)."""
    # A queue hears of an end at once; a booking that is not released stays.
    return schedule.end if schedule.scheduling.release_early else booked_end(schedule)


class JobBox(NamedTuple):
    """Neighbouring processors of one cluster that run one job; all counted from 0."""

    job: int
    cluster: int
    first: int
    size: int


def window_of(
    schedule: Schedule, window: tuple[float, float] | None
) -> tuple[tuple[float, float], str]:
    """Return the instants between which to draw, and words for them where they are not all."""
    if window is not None:
        try:
            begin, finish = map(float, window)
        except (TypeError, ValueError):
            begin = finish = np.nan
        if not -np.inf < begin < finish < np.inf:
            raise InputError(f"window = {shown(window)}; give two instants, the earlier one first")
        return (begin, finish), f"from {begin:,.10g} to {finish:,.10g}"
    begin = schedule.jobs.submit.min()
    last = np.fmax.reduce(schedule.end, initial=begin)  # past the NaN of jobs that were refused
    if len(schedule) <= FIRST:
        return (begin, last if last > begin else begin + 1), ""
    # All that runs until then is among the first, so that what looks idle was idle.
    finish = np.partition(schedule.start, FIRST)[FIRST]
    if finish <= begin:  # they all start at once
        later = schedule.end[schedule.end > begin]
        finish = later.min() if later.size else begin + 1
    return (begin, finish), f"the first {FIRST} of {len(schedule):,} jobs"


def boxes(schedule: Schedule, jobs: NDArray[np.int64]) -> Iterator[JobBox]:
    """Yield the boxes of jobs, given by position, that are all that run in a window of time.

    In order of their starts, jobs get the narrowest run of free neighbours that holds them, else
    the fewest runs, at the end next to what ends about when they do: wide runs come free at once.
    """
    held = held_until(schedule)
    jobs = jobs[np.lexsort((held[jobs], schedule.start[jobs]))]
    free_at = [np.full(size, -np.inf) for size in schedule.system.sizes]
    for job in jobs:
        begin, end = schedule.start[job], held[job]
        for cluster in np.flatnonzero(schedule.allocation[job]):
            rows, wanted = free_at[cluster], int(schedule.allocation[job, cluster])
            its_boxes = []
            while wanted:
                first, size = _chosen(rows, begin, end, wanted)
                rows[first : first + size] = np.inf
                its_boxes.append(JobBox(int(job), int(cluster), first, size))
                wanted -= size
            for _, _, first, size in its_boxes:
                rows[first : first + size] = end
            yield from its_boxes


def _chosen(free_at, begin, end, wanted):
    """Choose a run of rows that are free from `begin` on, as (first, size): all wanted or less."""
    free = np.concatenate([[False], free_at <= begin, [False]])
    runs = np.flatnonzero(np.diff(free)).reshape(-1, 2)
    ample = runs[runs[:, 1] - runs[:, 0] >= wanted]
    if not len(ample):
        first, last = max(runs.tolist(), key=lambda run: run[1] - run[0])
        return first, last - first
    first, last = min(ample.tolist(), key=lambda run: run[1] - run[0])
    below = abs(free_at[first - 1] - end) if first else 0.0
    above = abs(free_at[last] - end) if last < len(free_at) else 0.0
    return (first if below <= above else last - wanted), wanted


def scenes(
    schedules: Mapping[str, Schedule],
    window: tuple[float, float] | None = None,
    against: Schedule | None = None,
) -> tuple[dict[str, dict[str, Any]], tuple[float, float]]:
    """Return what `plots.schedules.still` draws of schedules by label, and from when to when."""
    spans, words = zip(*(window_of(one, window) for one in schedules.values()), strict=True)
    begins, finishes = zip(*spans, strict=True)
    span = min(begins), (min if any(words) else max)(finishes)
    headings = [f"{n}: {part}" if part else n for n, part in zip(schedules, words, strict=True)]
    drawn = [
        {"sizes": one.system.sizes, "boxes": [*_boxes(one, *span, sooner_until(one, against))]}
        | {"waits": waits_within(one, span), "queue": [*_queue(one, span)]}
        for one in schedules.values()
    ]
    return dict(zip(headings, drawn, strict=True)), span


def sooner_until(schedule: Schedule, against: Schedule | None) -> NDArray[np.float64]:
    """Return, for each job, until when it runs here but has not yet started in the other schedule.

    If there is no such time, it is the job's own start.
    """
    other = schedule if against is None else against
    return np.clip(other.start, schedule.start, schedule.end)


def _boxes(schedule, begin, finish, sooner):
    """Yield (number, cluster, first, processors, start, end, until, held, passed) of what runs."""
    held = held_until(schedule)
    runs = np.flatnonzero((schedule.start < finish) & (held > begin))
    if len(runs) > MOST:
        raise InputError(
            f"window holds {len(runs):,} jobs; give a shorter one, with {MOST:,} jobs at most"
        )
    passed = dict(zip(runs, passed_heads(schedule, runs), strict=True))
    for job, *box in boxes(schedule, runs):
        ends = (column[job] for column in (schedule.start, schedule.end, sooner, held, passed))
        yield int(schedule.jobs.number[job]), *box, *ends


def passed_heads(schedule: Schedule, jobs: NDArray[np.intp]) -> list[int | None]:
    """Return the number of the head of the queue that each job slipped past; None where none."""
    place = np.argsort(np.argsort(schedule.jobs.submit, kind="stable"))
    head = heads(schedule, schedule.start[jobs])  # just after the start; NaN, a refusal, has none
    passed = schedule.served[jobs] & (head >= 0) & (place[head] < place[jobs])
    return np.where(passed, schedule.jobs.number[head], np.array(None)).tolist()


def waits_within(schedule: Schedule, span: tuple[float, float]) -> list[tuple[float, float]]:
    """Return (begin, length) of each time between two instants in which a job waits."""
    instants = np.unique(np.clip(instants_of(schedule), *span))
    waits = np.concatenate([[False], schedule.queue_length(instants[:-1]) > 0, [False]])
    edges = instants[np.flatnonzero(np.diff(waits))].reshape(-1, 2)
    return [(begin, end - begin) for begin, end in edges]


def _queue(schedule, span):
    """Yield (lane from 1, number, submit, left, promised) of each job that came within the span."""
    # In a lane no two waits meet, numbers included.
    submit, left = schedule.jobs.submit, schedule.left_queue
    digit = DIGIT * (span[1] - span[0])
    free: list[float] = []
    for job in np.argsort(submit, kind="stable"):
        if not (submit[job] <= span[1] and left[job] >= span[0]):
            continue
        number = int(schedule.jobs.number[job])
        before = submit[job] - digit * (len(str(number)) + 1)
        lane = next((lane for lane, at in enumerate(free) if at <= before), len(free))
        free[lane : lane + 1] = [max(left[job], submit[job] + digit)]
        yield lane + 1, number, submit[job], left[job], schedule.promised[job]
