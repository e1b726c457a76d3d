"""Policies and placements that break a rule are named."""

import re

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.engines import reference
from coalloc_lib.policies import Job
from tests.engines.own_policies import ROWS, fault, policy, run


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda s: [s.start(job) for job in [s.queue[0]] * 2], "started job 0, which is not wait"),
        (lambda s: s.start(0), "started 0, which is not waiting; choose jobs from"),
        (lambda s: s.start(Job(0, 0, 1, 1, (1,), 0)), "started job 0, which is not waiting"),
        (lambda s: s.running.append(1), "used state.running.append, but this list is read-only"),
        (lambda s: s.start(s.queue[0], [3, 0]), r"started job 0, of 3 processors, on \[3, 0\]"),
        (lambda s: s.wake(s.now), "asked to be called at 0.0; ask for a finite instant after"),
        (lambda s: s.wake(np.inf), "asked to be called at inf"),
        (lambda s: s.wake("x" * 900), "asked to be called at 'xxx"),
        (lambda s: s.promise(s.queue[0], -1), "promised job 0 a start at -1"),
        (lambda s: s.promise(s.queue[0], np.arange(2)), r"promised job 0 a start at \[0, 1\]"),
        (lambda s: s.promise(s.queue[0], 10**400), "promised job 0 a start at 1.* time 0$"),
        (lambda s: s.refuse(3, "why"), "rejected 3, which is not waiting"),
        (lambda s: s.expected_end(s.queue[0]), "asked for the end of job 0, which has not started"),
    ],
)
def test_a_policy_that_breaks_a_rule_is_named(body, message):
    def start_jobs(self, state):
        if state.queue or state.running:
            body(state)

    assert re.match(rf"Mine\(\) {message}", fault(scheduling=policy(start_jobs)))


@pytest.mark.parametrize(
    ("request_type", "components", "allocation"),
    [("total", [3], [1, 2]), ("ordered", [3, 0], [0, 3]), ("unordered", [2, 1], [3, 0])],
)
def test_a_policy_that_starts_a_job_where_its_request_does_not_allow_it_is_named(
    request_type, components, allocation
):
    mine = policy(lambda self, state: state.start(state.queue[0], allocation))
    jobs = co.JobStream([0], [1], [components], request=request_type)
    shown = f"started job 0, with the components {components}, on {allocation}, which a request of"
    with pytest.raises(co.InputError, match=rf"^Mine\(\) {re.escape(shown)} type '{request_type}'"):
        co.simulate(co.Multicluster([4, 4]), jobs, scheduling=mine, engine="reference")


@pytest.mark.parametrize("method", sorted({*dir(list)} - {*dir(tuple), "copy", "__reversed__"}))
def test_no_method_of_a_list_changes_the_queue(method):
    mine = policy(lambda self, state: getattr(state.queue, method)())
    assert fault(scheduling=mine).startswith(f"Mine() used state.queue.{method}, but")


def test_a_policy_that_starts_nothing_is_named():
    idler = policy(lambda self, state: None, "Idler")
    assert "Idler() left 2 jobs waiting in an idle system, beginning with job 0" in fault(
        scheduling=idler
    )


@pytest.mark.parametrize("backlog", [None, 1])
def test_a_policy_that_wakes_itself_for_ever_and_starts_nothing_is_named(backlog, monkeypatch):
    """The policy starts one job and then only wakes itself; the test ends the run at 1000."""
    monkeypatch.setattr(reference, "MOST_IN_VAIN", 50)

    def start_jobs(self, state):
        assert state.now < 1000
        if state.queue and state.queue[0].number == 0:
            state.start(state.queue[0])
        state.wake(state.now + 1)

    message = fault(scheduling=policy(start_jobs), backlog=backlog)
    count = 1 if backlog else len(ROWS) - 1
    assert f"Mine() left {count} jobs waiting in an idle system, beginning with job 1" in message


@pytest.mark.parametrize("rows", [[(60, 2, 2, 3)], [(0, 60, 60, 3), (0, 2, 2, 3)]])
def test_a_policy_may_be_called_in_vain_while_something_is_to_come(rows, monkeypatch):
    """Calls that start no job cause no error as long as a job will arrive or leave.

    There are more such calls than are allowed in an idle system without arrivals.
    """
    monkeypatch.setattr(reference, "MOST_IN_VAIN", 50)

    def start_jobs(self, state):
        co.FCFS().start_jobs(state)
        state.wake(state.now + 1)

    assert run([4], rows, policy(start_jobs)).start[-1] == 60


@pytest.mark.parametrize(
    "answer",
    [[9], [4], [2], [], [3, 0], [-3], [3.0], {0: 3}, {3}, 3, "3", True, [None], [[3]], "x" * 900],
    ids=lambda answer: repr(answer)[:20],
)
def test_a_placement_that_answers_anything_is_named(answer):
    mine = type("Mine", (co.Placement,), {"place": lambda self, *_: answer})()
    assert "Mine() placed job 0, of 3 processors, as " in fault(placement=mine)


@pytest.mark.parametrize("scheduling", [co.FCFS(), co.Conservative()], ids=str)
@pytest.mark.parametrize(
    ("request_type", "components", "answer"),
    [("total", [3], [1, 2]), ("unordered", [2, 1], [3, 0]), ("unordered", [3], [2, 1])],
)
def test_a_placement_that_places_a_job_where_its_request_does_not_allow_it_is_named(
    request_type, components, answer, scheduling
):
    mine = type("Mine", (co.Placement,), {"place": lambda self, *_: answer})()
    jobs = co.JobStream([0], [1], [components], request=request_type)
    shown = f"placed job 0, with the components {components}, as {answer}, which a request of"
    with pytest.raises(co.InputError, match=rf"^Mine\(\) {re.escape(shown)} type '{request_type}'"):
        co.simulate(co.Multicluster([4, 4]), jobs, scheduling=scheduling, placement=mine)


def test_a_placement_that_takes_more_than_is_idle_is_named():
    """A placement that answers with 3 processors is wrong if only 1 processor is idle."""
    greedy = type("Greedy", (co.Placement,), {"place": lambda self, *_: [3]})()
    assert "Greedy() placed job 1, of 3 processors, as [3] with [1] idle" in fault(placement=greedy)


def test_a_placement_may_answer_with_an_array():
    mine = type("Mine", (co.Placement,), {"place": lambda self, c, r, idle: np.array([0, 3])})()
    assert run([4, 4], ROWS[:1], placement=mine).allocation.tolist() == [[0, 3]]
