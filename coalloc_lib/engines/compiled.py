"""The compiled engine: prepares arrays for the kernels, and refuses policies that it has not."""

import builtins
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.compilation import call, fixed
from coalloc_lib.calendar import search
from coalloc_lib.calendar.kernels.periods import RULE_CODES, new_book
from coalloc_lib.engines.kernels import (
    backfilling,
    booking,
    events,
    placing,
    queue_order,
    queue_tree,
)
from coalloc_lib.engines.outcome import Outcome, Servers, Task, left_waiting
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    LeastLoaded,
    Placement,
    RandomFit,
    SingleThenSpan,
    WorstFit,
    may_stay_whole,
    time_on_processors,
)
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Refusal, Scheduling
from coalloc_lib.policies.backfilling import queue_key

_CHOICES: dict[type, int] = {
    FirstFit: placing.FIRST_FIT,
    WorstFit: placing.WORST_FIT,
    BestFit: placing.BEST_FIT,
    LeastLoaded: placing.LEAST_LOADED,
    RandomFit: placing.RANDOM_FIT,
}
#: The codes of the rules that FCFS, FPFS and EASY (in order of arrival, not adaptive) are compiled
#: for, one by one: the defaults, which most runs have. One form of their kernels serves all others,
#: and takes up to twice as long.
_COMPILED_FOR = {
    (request, placing.WORST_FIT, placing.NONE)
    for request in (placing.ORDERED, placing.UNORDERED, placing.FLEXIBLE, placing.TOTAL)
}


def knows(scheduling: Scheduling, placement: Placement | None) -> bool:
    """Whether the compiled engine has a translation of both policies."""
    rule = placement.rule if type(placement) is HomeSite else placement
    rule = rule.single if type(rule) is SingleThenSpan else rule
    if type(scheduling) is Online and scheduling.rule not in RULE_CODES:
        return False
    return type(scheduling) in _TRANSLATIONS and (rule is None or type(rule) in _CHOICES)


def run(task: Task) -> Outcome:
    """Run the jobs of `task` through its system."""
    if not knows(task.scheduling, task.placement):
        raise InputError(
            f"engine = 'compiled' has no translation of {task.scheduling} with {task.placement}; "
            "use engine='reference', which runs any policy object"
        )
    return _TRANSLATIONS[type(task.scheduling)](task)


def _in_turn(task):
    """Run FCFS or FPFS."""
    system, jobs, scheduling, placement, backlog = task
    n = len(jobs)
    max_jumps = min(scheduling.max_jumps or 0, n)
    stream = _stream(jobs, placement, max_jumps > 0)
    policy = queue_order.Policy(max_jumps, scheduling.counted == "head", backlog or 0)
    rule = _rule(jobs.request, placement, len(system))
    rule = _known_to_compiler(rule) if _is_usual(rule) else rule
    tree = queue_tree.empty_tree(n if max_jumps else 0, stream.keys.shape[1])
    idle = system.as_array()
    work = queue_order.new_work(n, idle, placing.empty_room(stream.keys, rule))
    columns = _start_all(task, queue_order.run, stream, rule, policy, idle, work, tree)
    return Outcome(*columns, np.broadcast_to(np.nan, n), {})  # which takes no memory


def _in_order(task):
    """Run EASY or conservative backfilling, of jobs numbered in the order of their queue."""
    order, run = task.scheduling.order, _easy if type(task.scheduling) is EASY else _conservative
    if order == "arrival":
        return run(task, np.arange(len(task.jobs)))
    rows = np.argsort(queue_key(order, task.jobs), kind="stable")
    task = task._replace(jobs=task.jobs[rows])
    return run(task, np.argsort(rows)).in_stream_order(rows)


def _easy(task, coming):
    """Run EASY."""
    n, stream = len(task.jobs), _stream(task.jobs, task.placement)
    keys = queue_tree.empty_tree(n, stream.keys.shape[1])
    trees = queue_tree.Trees(keys, queue_tree.empty_tree(n, 1, np.float64))
    return _backfilling(task, backfilling.run_easy, stream, coming, (), trees)


def _conservative(task, coming):
    """Run conservative backfilling."""
    stream = _stream(task.jobs, task.placement)
    more = (_asked(task),), _levels(stream)
    return _backfilling(task, backfilling.run_conservative, stream, coming, *more)


def _asked(task):
    """Return when jobs ask to start; with a backlog submissions do not count."""
    jobs = task.jobs
    earliest = np.zeros(len(jobs)) if task.backlog else jobs.earliest_start
    return backfilling.Asked(earliest, jobs.latest_start, jobs.is_reserved)


def _levels(stream):
    """Return the numbers of idle processors by which steps are passed over."""
    shares = np.linspace(0, 1, LEVELS, endpoint=False)
    return np.unique(np.quantile(stream.keys[:, -1], shares, method="lower")).astype(np.int64)


def _stream(jobs, placement, is_searched=True):
    """Return the stream; the keys of a queue that is searched end with the total processors."""
    parts = _parts(jobs, placement)
    keys = parts
    if may_stay_whole(placement, jobs.request) or (is_searched and parts.shape[1] > 1):
        keys = np.hstack([parts, parts.sum(axis=1, keepdims=True, dtype=np.int32)])
    spanning = _spanning(jobs.runtime, jobs)
    return queue_order.Stream(jobs.submit, jobs.runtime, spanning, parts, keys)


def _spanning(times, jobs):
    """Return times on one cluster as those on 2, 3, ..., a column each."""
    table = jobs.span_penalty.reshape(len(jobs), -1)
    return np.ascontiguousarray(time_on_processors(times[:, None], table, np.full(table.shape, 2)))


def _backfilling(task, kernel, stream, coming, asked, *more):
    """Run a kernel that plans with expected lengths."""
    system, jobs, _, placement, backlog = task
    expected = _expected(jobs, placement)
    has_choice = len(system) > 1 and jobs.request != "ordered"
    adaptive = task.scheduling.adaptive and jobs.request != "total"
    in_turn, known = task.scheduling.order == "arrival", is_known(jobs, placement)
    policy = backfilling.Policy(backlog or 0, has_choice, known, adaptive, in_turn)
    stream = stream._replace(submit=stream.submit[coming])
    rule, arrays = _rule(jobs.request, placement, len(system)), system.as_array()
    if kernel is backfilling.run_easy:
        if _is_usual(rule) and not adaptive and in_turn:
            rule = _known_to_compiler(rule)
            policy = policy._replace(is_adaptive=fixed(0), is_in_turn=fixed(1))
        arrays = backfilling.new_arrays(len(jobs), arrays, stream.keys, rule)
    return _promising(task, kernel, stream, coming, expected, *asked, rule, policy, arrays, *more)


def _promising(task, kernel, *given):
    """Run a kernel that promises jobs their starts, and refuses those that would start too late."""
    jobs, promised = task.jobs, np.full(len(task.jobs), np.nan)
    columns = _start_all(task, kernel, *given, writes=(promised,))
    late = np.flatnonzero(np.isnan(columns[0])).tolist()
    refused = {job: Refusal(float(jobs.submit[job]), search.PAST_LATEST) for job in late}
    return Outcome(*columns, promised, refused)


def _online(task):
    """Run online scheduling."""
    system, jobs, terms, placement, _ = task
    n, sizes, most = len(jobs), system.as_array(), terms.most_attempts
    start, end, entered, allocation = _columns(n, len(system))
    entered[:], promised = jobs.submit, np.empty(n)
    servers = np.empty(jobs.processors.sum(), np.int32), np.zeros(n + 1, np.int64)
    columns = (start, end, promised, allocation, np.empty(n, np.int64), *servers)
    bookings = booking.Bookings(*columns, np.empty(n, np.int8))
    requests = booking.Requests(np.maximum(jobs.earliest_start, jobs.submit), jobs.latest_start)
    code = RULE_CODES[terms.rule]
    terms.horizon_end(jobs.submit.max(initial=0.0))  # refuses what is too far
    policy = booking.Policy(terms.slot, terms.slots, terms.step, most, code, terms.release_early)
    given = (_stream(jobs, placement), _expected(jobs, placement, terms.min_length), requests)
    rule = _rule(jobs.request, placement, len(system))
    book = call(new_book, sizes, what=_WHAT)
    _run(booking.run, *given, rule, policy, sizes, book, bookings)
    refused = {
        job: Refusal(float(jobs.submit[job]), _REASONS[bookings.why[job]])
        for job in np.flatnonzero(bookings.why).tolist()
    }
    ids = Servers(bookings.servers[: bookings.first[-1]], bookings.first)
    return Outcome(start, end, entered, allocation, promised, refused, bookings.attempts, ids)


#: Why a request was refused, by the code of the kernel.
_REASONS = ("", search.NO_ROOM, search.PAST_LATEST, search.BEYOND_HORIZON, search.NO_LENGTH)

#: Policy -> what runs its kernel. A policy that is not here runs on the readable engine only.
_TRANSLATIONS: dict[type[Scheduling], Callable[[Task], Outcome]] = {
    FCFS: _in_turn,
    FPFS: _in_turn,
    EASY: _in_order,
    Conservative: _in_order,
    Online: _online,
}

#: What a message calls the kernels.
_WHAT = "simulation kernels"
#: So few jobs take a moment: where reservations are made, and under other policies.
FEW_PLANNED, FEW = 300, 20_000
#: Seconds until a run shows how far it is, and between two looks at it.
PATIENCE, TICK = 2.0, 0.2
#: Levels of idle processors by which conservative backfilling passes over steps.
LEVELS = 5


def _run(kernel, *given):
    """Call a kernel, given the stream first; a long run of the main thread can be interrupted."""
    watch, total = np.zeros(2, np.int64), len(given[0].submit)
    is_fast = kernel in (queue_order.run, backfilling.run_easy)
    few = FEW if is_fast else FEW_PLANNED
    if total <= few or threading.current_thread() is not threading.main_thread():
        return call(kernel, *given, watch, what=_WHAT)
    with ThreadPoolExecutor(1) as pool:
        try:
            run = pool.submit(call, kernel, *given, watch, what=_WHAT)
            wait([run], PATIENCE)
            if not run.done() and multiprocessing.current_process().name == "MainProcess":
                _show(run, watch, total)
            return run.result()
        finally:
            watch[events.STOP] = 1


def _show(run, watch, total):
    """Show how many jobs have started, in a terminal or a notebook, until the run is done."""
    from tqdm.auto import tqdm

    notebook = getattr(builtins, "__IPYTHON__", False)
    shown = {"unit": "job", "leave": False, "disable": False if notebook else None}
    with tqdm(total=total, **shown) as bar:
        while not run.done():
            bar.update(int(watch[events.STARTED]) - bar.n)
            wait([run], TICK)


def _columns(count, clusters):
    """Return the empty columns of an outcome: start, end, entered, allocation."""
    times = [np.empty(count) for _ in range(3)]
    return (*times, np.zeros((count, clusters), dtype=np.int32))


def _start_all(task, kernel, *given, writes=()):
    """Return the columns that a kernel fills; raise where it leaves jobs in the queue."""
    n = len(task.jobs)
    columns = _columns(n, len(task.system))
    started = _run(kernel, *given, *columns, *writes)
    if started < n:
        first = int(np.flatnonzero(~columns[-1].any(axis=1))[0])
        raise left_waiting(str(task.scheduling), min(task.backlog or n, n - started), first)
    return columns


def is_known(jobs: JobStream, placement: Placement | None) -> bool:
    """Whether it is known of each job, before it is placed, how long it takes."""
    known = jobs.request != "flexible" and not may_stay_whole(placement, jobs.request)
    return known or not jobs.span_penalty.any()


def _expected(jobs, placement, least_of_all=0.0):
    """Return how long each job is expected to run, on one cluster, on several, and at least."""
    alone = np.maximum(jobs.estimate, jobs.runtime)
    clusters = (jobs.components > 0).sum(axis=1)
    if jobs.request == "total" or not is_known(jobs, placement):
        clusters[:] = 1
    times = alone, _spanning(alone, jobs), time_on_processors(alone, jobs.span_penalty, clusters)
    alone, spanning, least = (np.maximum(each, least_of_all) for each in times)
    return backfilling.Expected(alone, spanning, np.ascontiguousarray(least[:, None]))


def _rule(request, placement, clusters):
    """Return a placement as the kernels know it; ordered requests have none, and need none."""
    code = REQUESTS.index(request)
    if isinstance(placement, HomeSite):
        code += placing.OR_STAYS
        placement = placement.rule
    single = placing.NONE
    choice = placement = WorstFit() if placement is None else placement
    if isinstance(placement, SingleThenSpan):
        choice = placement.single
        if request != "total":
            single, choice = _CHOICES[type(choice)], WorstFit()
    known = np.array(placement.numbers(clusters), dtype=np.int64)
    return placing.Rule(code, _CHOICES[type(choice)], single, known)


def _is_usual(rule):
    """Whether the kernels of FCFS, FPFS and EASY are compiled for a rule by itself."""
    return (rule.request, rule.choice, rule.single) in _COMPILED_FOR


def _known_to_compiler(rule):
    """Return a rule with its codes `fixed`."""
    return placing.Rule(*map(fixed, (rule.request, rule.choice, rule.single)), rule.order)


def _parts(jobs, placement):
    """Return what is placed of each job: see `placing`."""
    components = jobs.components
    if isinstance(placement, HomeSite):
        return np.ascontiguousarray(components, dtype=np.int32)
    if jobs.request in ("flexible", "total") and components.shape[1] > 1:
        components = components.sum(axis=1, keepdims=True)
    parts = components.astype(np.int32)
    if jobs.request == "unordered":
        call(placing.sort_rows, parts, what=_WHAT)
    used = np.flatnonzero(parts.any(axis=0)).max(initial=0) + 1
    return np.ascontiguousarray(parts[:, :used])
