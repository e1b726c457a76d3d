"""The compiled engine: it translates each policy to a call of a kernel."""

from collections.abc import Callable

import numpy as np

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.compilation import call, fixed
from coalloc_lib.calendar import search
from coalloc_lib.calendar.kernels.periods import RULE_CODES, new_book
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
    backfilling,
    booking,
    conservative,
    easy,
    placing,
    queue_order,
    queue_tree,
)
from coalloc_lib.engines.outcome import Outcome, Servers, Task, left_waiting
from coalloc_lib.model.placement import Placement, is_of_library
from coalloc_lib.policies import EASY, FCFS, FPFS, Conservative, Online, Refusal, Scheduling
from coalloc_lib.policies.backfilling import queue_key


def knows(scheduling: Scheduling, placement: Placement | None) -> bool:
    """Return whether the compiled engine can run a policy with a placement."""
    if type(scheduling) is Online and scheduling.rule not in RULE_CODES:
        return False
    return type(scheduling) in _TRANSLATIONS and is_of_library(placement)


def run(task: Task) -> Outcome:
    """Run a simulation on the compiled engine and return its outcome."""
    if not knows(task.scheduling, task.placement):
        raise InputError(
            f"engine = 'compiled' has no translation of {task.scheduling} with {task.placement}; "
            "use engine='reference', which runs any policy object"
        )
    return _TRANSLATIONS[type(task.scheduling)](task)


def _run_fcfs_or_fpfs(task):
    """Run FCFS or FPFS."""
    system, jobs, scheduling, placement, backlog = task
    n = len(jobs)
    max_jumps = min(scheduling.max_jumps or 0, n)
    stream = stream_of(jobs, placement, is_searched=max_jumps > 0)
    policy = queue_order.Policy(max_jumps, scheduling.counted == "head", backlog or 0)
    rule = rule_of(jobs.request, placement, len(system))
    if has_specialized_kernels(rule):
        rule = specialized(rule)
    tree = queue_tree.empty_tree(n if max_jumps else 0, stream.keys.shape[1])
    idle = system.as_array()
    work = queue_order.new_work(n, idle, placing.empty_room(stream.keys, rule))
    columns = _start_all(task, queue_order.run, stream, rule, policy, idle, work, tree)
    promised = np.broadcast_to(np.nan, n)  # This array takes no memory.
    return Outcome(*columns, promised, {})


def _run_backfilling(task):
    """Run EASY or conservative backfilling.

    Their kernels need jobs that are numbered in the order of the queue.
    """
    order = task.scheduling.order
    run_in_order = _run_easy if type(task.scheduling) is EASY else _run_conservative
    if order == "arrival":
        return run_in_order(task, np.arange(len(task.jobs)))
    rows = np.argsort(queue_key(order, task.jobs), kind="stable")
    task = task._replace(jobs=task.jobs[rows])
    return run_in_order(task, np.argsort(rows)).in_stream_order(rows)


def _run_easy(task, coming):
    """Run EASY; `coming` has the numbers of the jobs in order of arrival."""
    system, jobs, _, placement, _ = task
    stream = stream_of(jobs, placement)
    rule, policy = rule_of(jobs.request, placement, len(system)), _backfilling_policy(task)
    if has_specialized_kernels(rule) and policy.is_in_turn and not policy.is_adaptive:
        rule = specialized(rule)
        policy = policy._replace(is_adaptive=fixed(0), is_in_turn=fixed(1))
    arrays = easy.new_arrays(len(jobs), system.as_array(), stream.keys, rule)
    keys = queue_tree.empty_tree(len(jobs), stream.keys.shape[1])
    trees = queue_tree.Trees(keys, queue_tree.empty_tree(len(jobs), 1, np.float64))
    expected = expected_times_of(jobs, placement)
    stream = stream._replace(submit=stream.submit[coming])
    arguments = stream, coming, expected, rule, policy, arrays, trees
    return _run_with_promises(task, easy.run_easy, *arguments)


def _run_conservative(task, coming):
    """Run conservative backfilling; `coming` has the numbers of the jobs in order of arrival."""
    system, jobs, _, placement, backlog = task
    stream = stream_of(jobs, placement)
    rule, policy = rule_of(jobs.request, placement, len(system)), _backfilling_policy(task)
    # With a backlog, jobs do not ask for earliest starts.
    earliest = np.zeros(len(jobs)) if backlog else jobs.earliest_start
    asked = conservative.Asked(earliest, jobs.latest_start, jobs.is_reserved)
    expected = expected_times_of(jobs, placement)
    stream = stream._replace(submit=stream.submit[coming])
    arguments = stream, coming, expected, asked, rule, policy, system.as_array(), levels_of(stream)
    return _run_with_promises(task, conservative.run_conservative, *arguments)


def _backfilling_policy(task):
    """Return the options of EASY or conservative backfilling for the kernels."""
    system, jobs, scheduling, placement, backlog = task
    return backfilling.Policy(
        backlog=backlog or 0,
        has_choice=len(system) > 1 and jobs.request != "ordered",
        is_fixed=has_fixed_lengths(jobs, placement),
        is_adaptive=scheduling.adaptive and jobs.request != "total",
        is_in_turn=scheduling.order == "arrival",
    )


def _run_with_promises(task, kernel, *arguments):
    """Run a backfilling kernel, and read which jobs it rejected."""
    jobs, promised = task.jobs, np.full(len(task.jobs), np.nan)
    columns = _start_all(task, kernel, *arguments, more_columns=(promised,))
    rejected = np.flatnonzero(np.isnan(columns[0])).tolist()
    refused = {job: Refusal(float(jobs.submit[job]), search.PAST_LATEST) for job in rejected}
    return Outcome(*columns, promised, refused)


def _run_online(task):
    """Run online scheduling."""
    system, jobs, scheduling, placement, _ = task
    n, sizes = len(jobs), system.as_array()
    start, end, entered, allocation = _new_columns(n, len(system))
    entered[:], promised = jobs.submit, np.empty(n)
    servers = np.empty(jobs.processors.sum(), np.int32), np.zeros(n + 1, np.int64)
    columns = (start, end, promised, allocation, np.empty(n, np.int64), *servers)
    bookings = booking.Bookings(*columns, np.empty(n, np.int8))
    requests = booking.Requests(np.maximum(jobs.earliest_start, jobs.submit), jobs.latest_start)
    # This raises an error if the slot number of a submission would not be exact.
    scheduling.horizon_end(jobs.submit.max(initial=0.0))
    policy = booking.Policy(
        slot=scheduling.slot,
        slots=scheduling.slots,
        step=scheduling.step,
        max_attempts=scheduling.most_attempts,
        rule=RULE_CODES[scheduling.rule],
        releases_early=scheduling.release_early,
    )
    stream, rule = stream_of(jobs, placement), rule_of(jobs.request, placement, len(system))
    expected = expected_times_of(jobs, placement, scheduling.min_length)
    book = call(new_book, sizes, what=kernel_calls.NAME)
    arguments = stream, expected, requests, rule, policy, sizes, book, bookings
    kernel_calls.run_kernel(booking.run, *arguments)
    refused = {
        job: Refusal(float(jobs.submit[job]), _REASONS[bookings.why[job]])
        for job in np.flatnonzero(bookings.why).tolist()
    }
    ids = Servers(bookings.servers[: bookings.first[-1]], bookings.first)
    return Outcome(start, end, entered, allocation, promised, refused, bookings.attempts, ids)


#: The reason for a rejection, by its code in the kernel of online scheduling.
_REASONS = ("", search.NO_ROOM, search.PAST_LATEST, search.BEYOND_HORIZON, search.NO_LENGTH)

#: The function that runs each policy. Only the readable engine runs policies that are not here.
_TRANSLATIONS: dict[type[Scheduling], Callable[[Task], Outcome]] = {
    FCFS: _run_fcfs_or_fpfs,
    FPFS: _run_fcfs_or_fpfs,
    EASY: _run_backfilling,
    Conservative: _run_backfilling,
    Online: _run_online,
}


def _new_columns(count, clusters):
    """Return arrays for the start, end, entered and allocation of this number of jobs."""
    times = [np.empty(count) for _ in range(3)]
    return (*times, np.zeros((count, clusters), dtype=np.int32))


def _start_all(task, kernel, *arguments, more_columns=()):
    """Run a kernel and return the columns that it fills; raise an error if jobs remain waiting."""
    n = len(task.jobs)
    columns = _new_columns(n, len(task.system))
    started = kernel_calls.run_kernel(kernel, *arguments, *columns, *more_columns)
    if started < n:
        first = int(np.flatnonzero(~columns[-1].any(axis=1))[0])
        raise left_waiting(str(task.scheduling), min(task.backlog or n, n - started), first)
    return columns
