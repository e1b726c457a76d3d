"""The data of a schedule that the player in the browser draws, as lists and dicts for JSON."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.schedules import drawing, explain
from coalloc_lib.schedules.reading import booked_end, heads
from coalloc_lib.schedules.schedule import Schedule

#: The maximum number of jobs that are shown although they wait during the whole time window.
_MOST_WAITING = 50
#: The number of jobs with median run time that fit side by side on the screen.
_BOXES = 18
#: Limits for the mean number of jobs that start within the time shown on the screen.
_LEAST_STARTS, _MOST_STARTS = 12, 120


def player_data(
    schedule: Schedule,
    label: str,
    window: tuple[float, float] | None,
    against: Schedule | None = None,
) -> dict[str, Any]:
    """Return the data with which the player in a browser shows a part of a schedule.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    label : str
        The name of the schedule in the player.
    window : (float, float) or None
        The first and the last instant to show. None shows the beginning of the schedule, with at
        most `coalloc_lib.schedules.drawing.MOST` jobs.
    against : Schedule, optional
        Another schedule of the same jobs. Work that is done earlier than in this other schedule is
        marked.

    Returns
    -------
    dict of str to object
        Lists, numbers and strings that can be written as JSON. The lists in ``jobs`` have one entry
        per job, in order of the queue. Strings are given by their positions in ``words``.
    """
    begin, finish, jobs, is_all = _part(schedule, window)
    when = [begin, *schedule.jobs.submit[jobs], *schedule.left_queue[jobs], *schedule.end[jobs]]
    instants = np.unique(when)
    # A job that never started has NaN as its start and end, which these comparisons remove.
    instants = instants[(instants >= begin) & (instants <= finish)]
    # The position of each distinct string in a list. Looking up a new string adds it to the list.
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
    """Return the label of a schedule: its policies, with all options that differ from defaults."""
    policy, placement = schedule.scheduling, schedule.placement
    jumps = [] if policy.max_jumps is None else [str(policy.max_jumps)]
    name = str(policy).partition("(")[0] + _in_brackets([*jumps, *_changed_options(policy)])
    if placement is None:
        return name
    names = {rule: display_name(key) for key, rule in PLACEMENTS.items()}
    if type(placement) not in names:
        return f"{name}, {placement}"
    return f"{name}, {names[type(placement)]}{_in_brackets(_changed_options(placement))}"


def _changed_options(policy: Any) -> list[str]:
    # A user's own policy need not be a dataclass.
    options = fields(policy) if is_dataclass(policy) else ()
    values = {option.name: getattr(policy, option.name) for option in options}
    return [
        f"{option.name}={values[option.name]}"
        for option in options
        if option.name != "max_jumps" and values[option.name] != _default_of(option)
    ]


def _default_of(option: Field) -> Any:
    # The default of a required option is a constant that equals no value.
    return option.default if option.default_factory is MISSING else option.default_factory()


def _in_brackets(options: Sequence[str]) -> str:
    return f"({', '.join(options)})" if options else ""


def view_of(players_data: list[dict[str, Any]]) -> float:
    """Return the length of the time window that a schedule player shows.

    In a picture 800 pixels wide with this time span, the numbers of most jobs fit into their boxes.

    Parameters
    ----------
    players_data : list of dict
        The results of `player_data` for all schedules that the player shows.
    """
    views = []
    for film in players_data:
        jobs, span = film["jobs"], film["finish"] - film["begin"]
        lengths = [b - a for a, b in zip(jobs["start"], jobs["end"], strict=True) if a is not None]
        lengths = [length for length in lengths if length > 0] or [span]
        gap = span / len(lengths)
        views.append(np.clip(_BOXES * np.median(lengths), _LEAST_STARTS * gap, _MOST_STARTS * gap))
    return float(max(views))


def _part(schedule, window):
    # Return the first and the last instant to show, the jobs to show, and whether these are all
    # jobs of the schedule.
    submit, left = schedule.jobs.submit, schedule.left_queue
    gone = np.where(schedule.served, schedule.end, left)
    begin, finish = submit.min(), np.inf
    if window is not None:
        (begin, finish), _ = drawing.window_of(schedule, window)
    # The instant at which each job appears in the window: its submission, or if it was submitted
    # earlier, the instant at which it leaves the queue.
    appears = np.where(submit > begin, submit, np.maximum(left, begin))
    is_left = gone >= begin
    if window is None and len(schedule) > drawing.MOST:
        finish = np.partition(appears, drawing.MOST)[drawing.MOST]
    shown = is_left & (appears < finish)
    if shown.sum() > drawing.MOST or not finish > begin:
        raise InputError(
            f"window has {max(shown.sum(), drawing.MOST + 1):,} jobs or more; give a shorter "
            f"window, with at most {drawing.MOST:,} jobs"
        )
    waiting = np.flatnonzero(is_left & ~shown & (submit <= begin))
    waiting = waiting[np.argsort(submit[waiting], kind="stable")][:_MOST_WAITING]
    jobs = np.sort(np.concatenate([np.flatnonzero(shown), waiting]))
    jobs = jobs[np.argsort(submit[jobs], kind="stable")]
    last = min(gone.max(), finish)
    last = float(last if last > begin else begin + 1)
    return float(begin), last, jobs, begin <= submit.min() and last >= gone.max()


def _jobs(schedule, jobs, words, sooner):
    came, last = _reasons(schedule, jobs)
    served = schedule.served[jobs]
    boxes: dict[int, list] = {int(job): [] for job in jobs}
    for job, *box in drawing.boxes(schedule, jobs[served]):
        boxes[job].append(box)

    # If the placement policy splits every job, jobs that span clusters are not marked.
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
        # Until these ends, which are estimated or booked, other jobs are planned around the job.
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
    instants, why = explain.instants_of(schedule), partial(explain.why_waiting, schedule)
    submit, left = schedule.jobs.submit, schedule.left_queue
    # The reasons hold just after the submission of a job and just before the job leaves the queue.
    # A job that did not wait has no reason.
    waited = jobs[left[jobs] > submit[jobs]]
    before = instants[np.searchsorted(instants, left[waited], side="left") - 1]
    came = dict(zip(waited, why(waited, submit[waited], past=True), strict=True))
    last = dict(zip(waited, why(waited, before, past=True), strict=True))
    for job, refusal in schedule.refused.items():
        last[job] = f"was rejected: {refusal.why}"
    return [came.get(job, "") for job in jobs], [last.get(job, "") for job in jobs]


def _heads(schedule, jobs, instants, words):
    head = heads(schedule, instants)
    waits = head >= 0
    why = iter(explain.why_waiting(schedule, head[waits], instants[waits]))
    place = {int(job): place for place, job in enumerate(jobs)}
    # The head of the queue is given by its position in `jobs`, or by -1 if no job waits or the job
    # is not shown.
    return {
        "head": [place.get(int(job), -1) for job in head],
        "why": [words[next(why) if a_job_waits else ""] for a_job_waits in waits],
    }
