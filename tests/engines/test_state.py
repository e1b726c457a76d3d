"""What policies see and may do: small policies that use it."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules.verification import ScheduleError
from tests.engines.own_policies import ROWS, fault, policy, run


class Slots(co.Scheduling):
    """A policy that starts jobs only at multiples of `length`, and asks to be called then."""

    def __init__(self, length):
        self.length = length

    def start_jobs(self, state):
        if state.now % self.length == 0:
            while state.queue and state.start(state.queue[0]):
                pass
        if state.queue:
            state.wake((state.now // self.length + 1) * self.length)


def test_a_policy_is_called_when_it_asked_to_be():
    rows = [(0.5, 3, 3, 4), (1.5, 1, 1, 2), (6.5, 1, 1, 2)]
    assert run([4], rows, Slots(5)).start.tolist() == [5, 10, 10]


@given(*[st.floats(1e-9, 1e9)] * 2)
@example(float.fromhex("0x1.0p-53"), float.fromhex("0x1.0000000000001p+0"))
@example(0.1, 0.3)
def test_a_policy_is_called_at_that_very_instant(one, other):
    """The instant is exact even if no sum of the submission and a delay equals it."""
    submit, instant = sorted([one, other])

    def start_jobs(self, state):
        if state.queue and state.now == instant:
            state.start(state.queue[0])
        elif state.queue:
            state.wake(instant)

    schedule = run([1], [(submit, 1, 1, 1)], policy(start_jobs))
    assert schedule.start.tolist() == [instant]


def test_the_first_promise_counts():
    def start_jobs(self, state):
        for job in state.queue:
            state.promise(job, state.now + 5)
        co.FCFS().start_jobs(state)

    schedule = run([4], [(0, 2, 2, 4), (1, 2, 2, 4)], policy(start_jobs))
    assert schedule.promised.tolist() == [5, 6]
    assert schedule.start.tolist() == [0, 2]


def refuse_wide(self, state):
    for job in list(state.queue):
        if job.processors > 3:
            state.refuse(job, "too wide")
    co.FCFS().start_jobs(state)


REFUSING = [(0, 5, 5, 3), (1, 2, 2, 4), (2, 1, 1, 2)]


def test_a_refused_job_leaves_the_queue_unserved():
    schedule = run([4], REFUSING, policy(refuse_wide))
    assert schedule.refused == {1: Refusal(1.0, "too wide")}
    assert np.isnan(schedule.wait.mean())
    assert schedule.served.tolist() == [True, False, True]
    np.testing.assert_array_equal(schedule.start, [0, np.nan, 5])
    np.testing.assert_array_equal(schedule.end, [5, np.nan, 6])
    assert schedule.allocation.tolist() == [[3], [0], [2]]
    assert schedule.utilization(0, 6) == (15 + 2) / 24
    assert schedule.queue_length([0, 1, 2, 5]).tolist() == [0, 0, 1, 0]
    frame = schedule.to_frame()
    assert frame["allocation"].tolist() == ["0:3", "", "0:2"]
    assert frame["processors"].tolist() == [3, 4, 2]


def test_a_job_may_be_refused_long_after_it_came():
    """A job that is rejected later than at its submission is in the queue until then."""

    def start_jobs(self, state):
        co.FCFS().start_jobs(state)
        for job in list(state.queue):
            if state.now >= job.submit + 3:
                state.refuse(job, "too late")
        if state.queue:
            state.wake(state.queue[0].submit + 3)

    schedule = run([4], [(0, 9, 9, 4), (1, 1, 1, 1)], policy(start_jobs))
    assert schedule.refused == {1: Refusal(4.0, "too late")}
    assert schedule.queue_length([0, 1, 3, 4]).tolist() == [0, 1, 1, 0]


def test_a_held_queue_goes_on_past_refused_jobs():
    rows = [(0, 1, 1, 4), (0, 1, 1, 4), (0, 1, 1, 2), (0, 1, 1, 4), (0, 1, 1, 3)]
    schedule = run([4], rows, policy(refuse_wide), backlog=1)
    assert sorted(schedule.refused) == [0, 1, 3]
    assert schedule.start[[2, 4]].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.start.__setitem__(1, 3.0), "job 1 was rejected but has a start"),
        (lambda s: s.end.__setitem__(1, 3.0), "job 1 was rejected but has an end"),
        (lambda s: s.allocation.__setitem__((1, 0), 4), "job 1 was rejected but has processors"),
        (lambda s: s.refused.pop(1), "job 1 has no start"),
        (lambda s: s.refused.__setitem__(1, Refusal(0.5, "")), "job 1 was rejected at 0.5, before"),
    ],
)
def test_verify_looks_at_refused_jobs(change, message):
    schedule = run([4], REFUSING, policy(refuse_wide))
    change(schedule)
    with pytest.raises(ScheduleError, match=message):
        schedule.verify()


@pytest.mark.parametrize("number", [4, 7, 2**31])
def test_a_policy_records_only_processors_of_the_system(number):
    def start_jobs(self, state):
        for job in state.queue:
            state.record(job, 1, [number])

    message = f"Mine() recorded servers [{number}] of job 0; give different whole numbers from 0 to"
    assert fault(scheduling=policy(start_jobs)) == f"{message} 3"


def test_a_policy_may_name_the_processors():
    """A policy can start a job on a given allocation; the job waits if this is not idle."""

    def start_jobs(self, state):
        while state.queue and state.start(state.queue[0], [0, state.queue[0].processors]):
            pass

    schedule = run([4, 4], [(0, 3, 3, 3), (0, 2, 2, 2)], policy(start_jobs))
    assert schedule.allocation.tolist() == [[0, 3], [0, 2]]
    assert schedule.start.tolist() == [0, 3]


def test_a_policy_that_remembers_begins_each_run_anew():
    class Counting(co.Scheduling):
        def begin(self, system):
            assert system == co.Multicluster([4])
            begun = Counting()
            begun.left = 2  # of each run
            return begun

        def start_jobs(self, state):
            while state.queue and self.left and state.start(state.queue[0]):
                self.left -= 1

    rows, counting = [(0, 1, 1, 1), (0, 1, 1, 1)], Counting()
    for _ in range(2):
        assert run([4], rows, counting).start.tolist() == [0, 0]
    assert not hasattr(counting, "left")
    with pytest.raises(co.InputError, match=r"Mine\(\).begin returned None; return an object"):
        run([4], rows, policy(co.FCFS.start_jobs, begin=lambda self, system: None))


def test_a_policy_that_remembers_needs_no_start_jobs_of_its_own():
    class Remembering(co.Scheduling):
        def begin(self, system):
            return co.FCFS()

    assert run([4], ROWS, Remembering()).start.tolist() == [0, 2]
    message = fault(scheduling=type("Nothing", (co.Scheduling,), {})())
    assert message.startswith("Nothing has no method start_jobs; define start_jobs(self, ")


def test_a_policy_sees_the_state_of_its_instant():
    seen = []

    def start_jobs(self, state):
        co.FCFS().start_jobs(state)
        running = [(job.number, state.expected_end(job), job.allocation) for job in state.running]
        seen.append((state.now, state.idle, [job.number for job in state.queue], running))

    run([4], [(0, 5, 7, 3), (1, 2, 1, 2)], policy(start_jobs))
    assert sorted(set(map(repr, seen))) == [
        "(0.0, (1,), [], [(0, 7.0, [3])])",
        "(1.0, (1,), [1], [(0, 7.0, [3])])",
        "(5.0, (2,), [], [(1, 7.0, [2])])",
        "(7.0, (4,), [], [])",
    ]
