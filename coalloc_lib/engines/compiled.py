"""The compiled engine: it translates each policy into a call to a kernel."""

from collections.abc import Callable

import numpy as np

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.compilation import call, fixed
from coalloc_lib.calendar import search
from coalloc_lib.calendar.kernels.periods import RULE_CODES, new_table
from coalloc_lib.engines import kernel_calls
from coalloc_lib.engines.kernel_arguments import (
    expected_times_of,
    has_fixed_lengths,
    has_specialized_kernels,
    levels_of,
    rule_of,
    specialized,
    stream_of,
)
from coalloc_lib.engines.kernels import (
    booking,
    conservative,
    easy,
    placing,
    profile_steps,
    queue_order,
    queue_tree,
)
from coalloc_lib.engines.kernels.arguments import BackfillingOptions, Columns
from coalloc_lib.engines.outcome import Outcome, Servers, Task, left_waiting
from coalloc_lib.model.placement import Placement, is_of_library
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Refusal, Scheduling
from coalloc_lib.policies.backfilling import queue_key

#: A dict from each code with which the kernel rejects a job to the reason in words.
_REASONS = {
    booking.NO_ROOM: search.NO_ROOM,
    booking.PAST_LATEST: search.PAST_LATEST,
    booking.BEYOND_HORIZON: search.BEYOND_HORIZON,
    booking.NO_LENGTH: search.NO_LENGTH,
}


def knows(scheduling: Scheduling, placement: Placement | None) -> bool:
    """Return whether the compiled engine can simulate a policy together with a placement."""
    if type(scheduling) is Online and scheduling.rule not in RULE_CODES:
        return False
    return type(scheduling) in TRANSLATIONS and is_of_library(placement)


def run(task: Task) -> Outcome:
    """Run a simulation on the compiled engine and return its outcome."""
    if not knows(task.scheduling, task.placement):
        raise InputError(
            f"engine = 'compiled' cannot run {task.scheduling} with {task.placement}; "
            "use engine='reference', which runs any policy object"
        )
    return TRANSLATIONS[type(task.scheduling)](task)


def _run_fcfs_or_fpfs(task):
    system, jobs, scheduling, placement, backlog = task
    n = len(jobs)
    max_jumps = min(scheduling.max_jumps or 0, n)
    stream = stream_of(jobs, placement, is_searched=max_jumps > 0)
    is_at_head = type(scheduling) is FPFS and scheduling.counted == "head"
    options = queue_order.JumpOptions(max_jumps, is_at_head, backlog or 0)
    rule = rule_of(jobs.request, placement, len(system))
    if has_specialized_kernels(rule):
        rule = specialized(rule)
    tree = queue_tree.empty_tree(n if max_jumps else 0, stream.keys.shape[1])
    work = queue_order.new_work(n, system.as_array(), placing.empty_room(stream.keys, rule))
    columns = _new_columns(n, len(system))._replace(promised=np.empty(0))
    arguments = stream, rule, options, columns, work, tree
    started = kernel_calls.run_kernel(queue_order.run_in_turn, *arguments, jobs=n)
    _check_started(task, columns, started)
    promised = np.broadcast_to(np.nan, n)  # This array takes no memory.
    return Outcome(**columns._replace(promised=promised)._asdict(), refused={})


def _run_backfilling(task):
    # The backfilling kernels need jobs that are numbered in the order of the queue.
    order = task.scheduling.order
    run_in_order = _run_easy if type(task.scheduling) is EASY else _run_conservative
    if order == "arrival":
        return run_in_order(task, np.arange(len(task.jobs)))
    rows = np.argsort(queue_key(order, task.jobs), kind="stable")
    task = task._replace(jobs=task.jobs[rows])
    return run_in_order(task, np.argsort(rows)).in_stream_order(rows)


def _run_easy(task, coming):
    system, jobs, _, placement, _ = task
    n, stream = len(jobs), stream_of(jobs, placement)
    rule, options = rule_of(jobs.request, placement, len(system)), _backfilling_options(task)
    if has_specialized_kernels(rule) and options.is_in_turn and not options.is_adaptive:
        rule = specialized(rule)
        options = options._replace(is_adaptive=fixed(0), is_in_turn=fixed(1))
    columns, is_in_turn = _new_columns(n, len(system)), task.scheduling.order == "arrival"
    keys = queue_tree.empty_tree(n, stream.keys.shape[1])
    run_of_easy = easy.Run(
        stream=stream._replace(submit=stream.submit[coming]),
        coming=coming,
        expected=expected_times_of(jobs, placement),
        rule=rule,
        options=options,
        columns=columns,
        arrays=easy.new_arrays(
            columns.allocation, system.as_array(), stream.keys, rule, is_in_turn
        ),
        trees=queue_tree.Trees(keys, queue_tree.empty_tree(n, 1, np.float64)),
    )
    started = kernel_calls.run_kernel(easy.run_easy, run_of_easy, jobs=n)
    return _backfilling_outcome(task, columns, started)


def _run_conservative(task, coming):
    system, jobs, _, placement, backlog = task
    n, stream = len(jobs), stream_of(jobs, placement)
    earliest = jobs.earliest_start
    if backlog:
        # The submission times do not matter, so no job has an earliest start. The array is
        # read-only like the columns of the jobs, because for Numba a writable array has another
        # type, for which it would compile all kernels again.
        earliest = np.zeros(n)
        earliest.flags.writeable = False
    columns, expected = _new_columns(n, len(system)), expected_times_of(jobs, placement)
    rule = rule_of(jobs.request, placement, len(system))
    run_of_conservative = conservative.Run(
        stream=stream._replace(submit=stream.submit[coming]),
        coming=coming,
        asked=conservative.Asked(earliest, jobs.latest_start, jobs.is_reserved),
        options=_backfilling_options(task),
        columns=columns,
        arrays=conservative.new_arrays(n, system.as_array(), levels_of(stream)),
        search=profile_steps.new_search(stream, expected, rule, columns.allocation),
    )
    kernel, few = conservative.run_conservative, kernel_calls.FEW_PLANNED
    started = kernel_calls.run_kernel(kernel, run_of_conservative, jobs=n, few=few)
    return _backfilling_outcome(task, columns, started)


def _backfilling_options(task):
    system, jobs, scheduling, placement, backlog = task
    return BackfillingOptions(
        backlog=backlog or 0,
        has_choice=len(system) > 1 and jobs.request != "ordered",
        is_fixed=has_fixed_lengths(jobs, placement),
        is_adaptive=scheduling.adaptive and jobs.request != "total",
        is_in_turn=scheduling.order == "arrival",
    )


def _backfilling_outcome(task, columns, started):
    # The jobs whose start is NaN were rejected.
    _check_started(task, columns, started)
    submit = task.jobs.submit
    rejected = np.flatnonzero(np.isnan(columns.start)).tolist()
    refused = {job: Refusal(float(submit[job]), search.PAST_LATEST) for job in rejected}
    return Outcome(**columns._asdict(), refused=refused)


def _run_online(task):
    system, jobs, scheduling, placement, _ = task
    n, sizes = len(jobs), system.as_array()
    # The method `horizon_end` raises an error if the last submission is so late that its time slot
    # cannot be computed exactly.
    scheduling.horizon_end(jobs.submit.max(initial=0.0))
    columns, bookings = _new_bookings(jobs, len(system))
    expected = expected_times_of(jobs, placement, scheduling.min_length)
    requests = booking.Requests(np.maximum(jobs.earliest_start, jobs.submit), jobs.latest_start)
    stream, rule = stream_of(jobs, placement), rule_of(jobs.request, placement, len(system))
    options, idle = _booking_options(scheduling), call(new_table, sizes, what=kernel_calls.NAME)
    arguments = stream, expected, requests, rule, options, sizes, idle, bookings
    few = kernel_calls.FEW_PLANNED
    kernel_calls.run_kernel(booking.run_online, *arguments, jobs=n, few=few)
    refused = {
        job: Refusal(float(jobs.submit[job]), _REASONS[bookings.why[job]])
        for job in np.flatnonzero(bookings.why).tolist()
    }
    ids = Servers(bookings.servers[: bookings.first[-1]], bookings.first)
    tried = bookings.attempts
    return Outcome(**columns._asdict(), refused=refused, attempts=tried, servers=ids)


def _booking_options(scheduling):
    return booking.BookingOptions(
        slot=scheduling.slot,
        slots=scheduling.slots,
        step=scheduling.step,
        max_attempts=scheduling.most_attempts,
        rule=RULE_CODES[scheduling.rule],
        releases_early=scheduling.release_early,
    )


def _new_bookings(jobs, clusters):
    n = len(jobs)
    columns = _new_columns(n, clusters)
    columns.entered[:] = jobs.submit
    start, end, _, allocation, promised = columns
    servers = np.empty(jobs.processors.sum(), np.int32), np.zeros(n + 1, np.int64)
    results = start, end, promised, allocation, np.empty(n, np.int64), *servers
    return columns, booking.Bookings(*results, np.empty(n, np.int8))


def _new_columns(count, clusters):
    start, end, entered = (np.empty(count) for _ in range(3))
    allocation = np.zeros((count, clusters), dtype=np.int32)
    return Columns(start, end, entered, allocation, np.full(count, np.nan))


def _check_started(task, columns, started):
    n = len(task.jobs)
    if started < n:
        first = int(np.flatnonzero(~columns.allocation.any(axis=1))[0])
        raise left_waiting(str(task.scheduling), min(task.backlog or n, n - started), first)


#: A dict from each policy class that the compiled engine supports to the function that runs the
#: policy. All other policies run only on the readable engine.
TRANSLATIONS: dict[type[Scheduling], Callable[[Task], Outcome]] = {
    FCFS: _run_fcfs_or_fpfs,
    FPFS: _run_fcfs_or_fpfs,
    EASY: _run_backfilling,
    Conservative: _run_backfilling,
    Online: _run_online,
}
