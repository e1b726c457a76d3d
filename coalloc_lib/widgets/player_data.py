"""What the player is sent of a schedule: jobs, as the queue has them, boxes and words, in lists."""

from collections import defaultdict
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.schedules import drawing, explain
from coalloc_lib.schedules.reading import heads
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.schedules.verification import booked_end

#: Jobs that wait through the whole window, of which so many are shown.
_STANDING = 50
#: Median boxes that stand beside each other in a view, and the least and most jobs that start.
_BOXES, _LEAST, _MOST_STARTS = 18, 12, 120


def player_data(
    schedule: Schedule,
    label: str,
    window: tuple[float, float] | None,
    against: Schedule | None = None,
) -> dict[str, Any]:
    """Return all that the player shows of a schedule between two instants."""
    begin, finish, jobs, is_all = _part(schedule, window)
    when = [begin, *schedule.jobs.submit[jobs], *schedule.left_queue[jobs], *schedule.end[jobs]]
    instants = np.unique(when)
    instants = instants[(instants >= begin) & (instants <= finish)]  # drops NaN too
    # By text, its place among those that are sent, each of them once.
    words: defaultdict[str, int] = defaultdict(lambda: len(words))
    idling = explain.idle_while_waiting(schedule)
    return {
        "label": label,
        "clusters": list(schedule.system.sizes),
        "ordered": schedule.jobs.request == "ordered",
        "begin": begin,
        "finish": finish,
        "of": 0 if is_all else len(schedule),
        "jobs": _jobs(schedule, jobs, words, drawing.sooner_until(schedule, against)),
        "instants": instants.tolist(),
        "waits": schedule.queue_length(instants).tolist(),
        "origin": float(idling.instants[0]),
        "area": np.interp(instants, idling.instants, idling.area).tolist(),
        **_heads(schedule, jobs, instants, words),
        "words": list(words),
    }


def label_of(schedule: Schedule) -> str:
    """Return how a player calls a schedule where no one says: by its policies."""
    number = schedule.scheduling.max_jumps
    name = str(schedule.scheduling).partition("(")[0] + ("" if number is None else f"({number})")
    if schedule.placement is None:
        return name
    kinds = {kind: display_name(rule) for rule, kind in PLACEMENTS.items()}
    return f"{name}, {kinds.get(type(schedule.placement), str(schedule.placement))}"


def view_of(films: list[dict[str, Any]]) -> float:
    """Return the time that a picture of 800 px shows: so much that numbers fit into the boxes."""
    views = []
    for one in films:
        jobs, span = one["jobs"], one["finish"] - one["begin"]
        lengths = [b - a for a, b in zip(jobs["start"], jobs["end"], strict=True) if a is not None]
        lengths = [length for length in lengths if length > 0] or [span]
        gap = span / len(lengths)
        views.append(np.clip(_BOXES * np.median(lengths), _LEAST * gap, _MOST_STARTS * gap))
    return float(max(views))


def _part(schedule, window):
    """Return the window, the jobs to send in order of the queue, and whether these are all."""
    submit, left = schedule.jobs.submit, schedule.left_queue
    gone = np.where(schedule.served, schedule.end, left)
    begin, finish = submit.min(), np.inf
    if window is not None:
        (begin, finish), _ = drawing.window_of(schedule, window)
    since = np.where(submit > begin, submit, np.maximum(left, begin))
    there = gone >= begin
    if window is None and len(schedule) > drawing.MOST:
        finish = np.partition(since, drawing.MOST)[drawing.MOST]
    sent = there & (since < finish)
    if sent.sum() > drawing.MOST or not finish > begin:
        raise InputError(
            f"window holds {max(sent.sum(), drawing.MOST + 1):,} jobs or more; give a shorter one, "
            f"with {drawing.MOST:,} jobs at most"
        )
    standing = np.flatnonzero(there & ~sent & (submit <= begin))
    standing = standing[np.argsort(submit[standing], kind="stable")][:_STANDING]
    jobs = np.sort(np.concatenate([np.flatnonzero(sent), standing]))
    jobs = jobs[np.argsort(submit[jobs], kind="stable")]
    last = min(gone.max(), finish)
    last = float(last if last > begin else begin + 1)
    return float(begin), last, jobs, begin <= submit.min() and last >= gone.max()


def _jobs(schedule, jobs, words, sooner):
    """Return the columns of the jobs."""
    came, last = _reasons(schedule, jobs)
    served = schedule.served[jobs]
    boxes: dict[int, list] = {int(job): [] for job in jobs}
    for job, *box in drawing.boxes(schedule, jobs[served]):
        boxes[job].append(box)

    # Where all jobs are split, spanning is nothing to point at.
    is_choice = schedule.placement is not None and schedule.placement.keeps_whole

    def times(column: NDArray[np.float64]) -> list[float | None]:
        return [t if ran else None for t, ran in zip(column[jobs].tolist(), served, strict=True)]

    return {
        "number": schedule.jobs.number[jobs].tolist(),
        "submit": schedule.jobs.submit[jobs].tolist(),
        "left": schedule.left_queue[jobs].tolist(),
        "start": times(schedule.start),
        "end": times(schedule.end),
        "sooner": times(sooner),
        # Promises rest on what jobs were said to need, until they end or are booked.
        "told": times(schedule.end if np.isnan(schedule.promised).all() else booked_end(schedule)),
        "held": times(drawing.held_until(schedule)),
        "promised": [None if np.isnan(t) else t for t in schedule.promised[jobs].tolist()],
        "passed": drawing.passed_heads(schedule, jobs),
        "spans": (schedule.spans[jobs] & is_choice).tolist(),
        "asked": [explain.requested_sizes(schedule.jobs, job) for job in jobs],
        "boxes": list(boxes.values()),
        "asks": [
            words[explain.request_in_words(schedule.jobs, job, schedule.placement)] for job in jobs
        ],
        "came": [words[text] for text in came],
        "last": [words[text] for text in last],
    }


def _reasons(schedule, jobs):
    """Return why each job waited when it came, and just before it left the queue; or ''."""
    instants, why = explain.instants_of(schedule), partial(explain.why_waiting, schedule)
    submit, left = schedule.jobs.submit, schedule.left_queue
    waited = jobs[left[jobs] > submit[jobs]]
    before = instants[np.searchsorted(instants, left[waited], side="left") - 1]
    came = dict(zip(waited, why(waited, submit[waited], past=True), strict=True))
    last = dict(zip(waited, why(waited, before, past=True), strict=True))
    for job, refusal in schedule.refused.items():
        last[job] = f"was turned away: {refusal.why}"
    return [came.get(job, "") for job in jobs], [last.get(job, "") for job in jobs]


def _heads(schedule, jobs, instants, words):
    """Return the place among `jobs` of the head of the queue at each instant, and why it waits."""
    head = heads(schedule, instants)
    waits = head >= 0
    why = iter(explain.why_waiting(schedule, head[waits], instants[waits]))
    place = {int(job): place for place, job in enumerate(jobs)}
    return {
        "head": [place.get(int(job), -1) for job in head],
        "why": [words[next(why) if one else ""] for one in waits],
    }
