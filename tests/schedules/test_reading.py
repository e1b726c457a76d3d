"""The head of the queue at any instant, compared with a plain search among the waiting jobs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies.backfilling import ORDERS
from coalloc_lib.schedules.drawing import passed_heads
from coalloc_lib.schedules.reading import heads
from tests.conftest import systems_and_streams

#: Job 1 is the longest job that waits, and job 2 is the shortest one.
THREE = co.JobStream([0, 1, 2], [10, 9, 3], [4, 4, 4], request="total")

#: The sort key of a job for each order of the queue.
KEYS = {
    "arrival": lambda jobs, job: 0.0,
    "shortest": lambda jobs, job: max(jobs.estimate[job], jobs.runtime[job]),
    "smallest": lambda jobs, job: max(jobs.estimate[job], jobs.runtime[job]) * jobs.processors[job],
    "priority": lambda jobs, job: -jobs.priority[job],
}


def head_at(schedule, instant):
    """Return the waiting job that the policy considers first, by a search among all jobs."""
    jobs, key = schedule.jobs, KEYS[schedule.scheduling.order]
    waiting = np.flatnonzero((jobs.submit <= instant) & (schedule.start > instant))
    ranked = [(key(jobs, job), jobs.submit[job], job) for job in waiting.tolist()]
    return min(ranked)[-1] if ranked else -1


@pytest.mark.parametrize("order", ORDERS)
@given(case=systems_and_streams(), seed=st.integers(0, 99))
def test_the_head_is_the_waiting_job_that_the_policy_considers_first(order, case, seed):
    system, jobs = case
    priority = np.random.default_rng(seed).integers(0, 3, len(jobs)).astype(float)
    jobs = jobs.replace(priority=priority)
    schedule = co.simulate(system, jobs, scheduling=co.EASY(order=order))
    # The instants are not sorted, because a caller may ask for them in any order.
    instants = np.concatenate([schedule.start, jobs.submit, jobs.submit + 0.5])
    assert heads(schedule, instants).tolist() == [head_at(schedule, t) for t in instants]


def test_the_shortest_job_overtakes_no_head_if_the_queue_is_ordered_by_length():
    schedule = co.simulate(co.Multicluster([4]), THREE, scheduling=co.EASY(order="shortest"))
    assert schedule.start.tolist() == [0, 13, 10]
    assert heads(schedule, np.array([3.0])).tolist() == [2]
    assert passed_heads(schedule, np.arange(3)) == [None, None, None]


@pytest.mark.parametrize("order", ORDERS)
def test_only_a_job_behind_the_head_overtakes_it(order):
    """Job 1 waits for all processors and is the head in every order. Job 2 fits beside job 0."""
    jobs = co.JobStream(
        [0, 1, 2], [10, 1, 3], [3, 4, 1], [10, 1, 8], request="total", priority=[0, 2, 1]
    )
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=co.EASY(order=order))
    assert schedule.start.tolist() == [0, 10, 2]
    assert heads(schedule, np.array([1.0, 2.0])).tolist() == [1, 1]
    assert passed_heads(schedule, np.arange(3)) == [None, None, jobs.number[1]]
