"""Scheduling: worked examples on both engines, and policies of the user's own."""

from dataclasses import dataclass

import pytest

import coalloc_lib as co
from coalloc_lib.engines.compiled import knows
from tests.engines.own_policies import policy
from tests.engines.test_agreement import both
from tests.schedules.overtaking import times_overtaken


def run(sizes, rows, *, engine=None, request="unordered", **how):
    """Simulate jobs given as rows (submit, runtime, components), by default on both engines."""
    jobs = co.JobStream(*zip(*rows, strict=True), request=request)
    if engine is None:
        return both(co.Multicluster(sizes), jobs, **how)
    return co.simulate(co.Multicluster(sizes), jobs, engine=engine, **how).verify()


def test_order_of_arrival_decides_who_fits():
    """Three jobs on two clusters of 5 can run at the same time in one order of arrival only.

    They have components of 2 and 1, 3 and 1, and 2 and 1 processors.
    """
    together = run([5, 5], [(0, 4, (2, 1)), (0, 4, (3, 1)), (0, 4, (2, 1))])
    assert together.start.tolist() == [0, 0, 0]
    assert together.allocation.tolist() == [[2, 1], [1, 3], [2, 1]]
    in_turn = run([5, 5], [(0, 4, (2, 1)), (0, 4, (2, 1)), (0, 4, (3, 1))])
    assert in_turn.start.tolist() == [0, 0, 4]
    assert in_turn.allocation.tolist() == [[2, 1], [1, 2], [3, 1]]


#: Jobs for one cluster of 4 processors. Job 0 has 3 processors until 10, and job 1 needs 2 and
#: becomes the head of the queue. The three jobs behind it need 1 processor for 3 units of time
#: each.
BLOCKED = [(0, 10, 3), (1, 5, 2), (2, 3, 1), (3, 3, 1), (4, 3, 1)]


@pytest.mark.parametrize(
    ("scheduling", "start", "overtaken"),
    [
        (co.FCFS(), [0, 10, 10, 10, 13], [0, 0, 0, 0, 0]),
        (co.FPFS(0), [0, 10, 10, 10, 13], [0, 0, 0, 0, 0]),
        (co.FPFS(1), [0, 10, 2, 10, 10], [0, 1, 0, 0, 0]),
        (co.FPFS(2), [0, 10, 2, 5, 10], [0, 2, 0, 0, 0]),
        (co.FPFS(3), [0, 10, 2, 5, 8], [0, 3, 0, 0, 0]),
        (co.FPFS(50), [0, 10, 2, 5, 8], [0, 3, 0, 0, 0]),
    ],
    ids=str,
)
def test_the_head_is_overtaken_so_often_and_no_more(scheduling, start, overtaken):
    schedule = run([4], BLOCKED, scheduling=scheduling)
    assert schedule.start.tolist() == start
    assert times_overtaken(schedule).tolist() == overtaken


def test_fpfs_starts_several_in_one_scan_in_order():
    """Several jobs overtake the head at one instant, in the order of the queue.

    Job 0 leaves 3 processors idle. Jobs 2 and 3, of 1 and 2 processors, overtake job 1, which needs
    4. No processor is then left for job 4.
    """
    rows = [(0, 5, 1), (0, 5, 4), (0, 5, 1), (0, 5, 2), (0, 5, 1)]
    schedule = run([4], rows, scheduling=co.FPFS(2))
    assert schedule.start.tolist() == [0, 5, 0, 0, 10]
    assert times_overtaken(schedule).tolist() == [0, 2, 0, 0, 0]


def test_jumps_add_up_over_those_who_wait():
    """Overtakings count for every waiting job that is overtaken, not only for the head.

    Of 4 processors, 3 are busy until 10. A job of 2 and a job of 4 processors wait, and jobs of 1
    processor arrive. Two of them have overtaken both waiting jobs by 5. At 10, the job of 2
    processors starts, and the last job of 1 processor would fit. It may not start, because the job
    of 4 processors, now the head, has already been overtaken twice. If only overtakings at the head
    of the queue count, it may start.
    """
    rows = [(0, 10, 3), (1, 2, 2), (1, 9, 4), (2, 3, 1), (3, 3, 1), (4, 3, 1)]
    schedule = run([4], rows, scheduling=co.FPFS(2))
    assert schedule.start.tolist() == [0, 10, 12, 2, 5, 21]
    assert times_overtaken(schedule).tolist() == [0, 2, 2, 0, 0, 0]
    freer = run([4], rows, scheduling=co.FPFS(3))
    assert freer.start.tolist() == [0, 10, 12, 2, 5, 8]
    assert times_overtaken(freer).tolist() == [0, 3, 3, 0, 0, 0]
    counted_at_head = run([4], rows, scheduling=co.FPFS(2, counted="head"))
    assert counted_at_head.start.tolist() == [0, 10, 13, 2, 5, 10]


def test_requests_in_a_run():
    """The same components are scheduled as each request type on clusters of 4 and 6 processors."""
    rows = [(0, 5, (1, 3)), (0, 5, (3, 1)), (0, 5, (1, 1))]
    expected = {
        "ordered": ([0, 0, 5], [[1, 3], [3, 1], [1, 1]]),
        "unordered": ([0, 0, 5], [[1, 3], [3, 1], [1, 1]]),
        "flexible": ([0, 0, 0], [[0, 4], [4, 0], [0, 2]]),
        "total": ([0, 0, 0], [[0, 4], [4, 0], [0, 2]]),
    }
    for request, (start, allocation) in expected.items():
        schedule = run([4, 6], rows, request=request)
        assert schedule.start.tolist() == start, request
        assert schedule.allocation.tolist() == allocation, request


class Shortest(co.Scheduling):
    """A policy that starts the shortest waiting job; if it does not fit, no job starts."""

    def start_jobs(self, state):
        while state.queue and state.start(min(state.queue, key=lambda job: job.runtime)):
            pass


@dataclass(frozen=True)
class LastFit(co.Placement):
    """A placement that tries the clusters by decreasing number."""

    def order(self, idle):
        return range(len(idle) - 1, -1, -1)


class Halves(co.Placement):
    """A placement that puts half of every job on cluster 0 and half on cluster 1."""

    def order(self, idle):
        raise AssertionError("place is all there is")

    def place(self, components, request, idle):
        half = sum(components) // 2
        return [half, half] if half <= min(idle) else None


def test_a_policy_of_the_users_own():
    """Of two jobs that arrive at the same instant, the policy `Shortest` starts the shorter one."""
    rows = [(0, 3, 4), (1, 9, 4), (2, 1, 4), (3, 2, 4)]
    assert run([4], rows, scheduling=Shortest(), engine="reference").start.tolist() == [0, 6, 3, 4]
    rows = [(1, 3, 4), (1, 2, 4)]
    assert run([4], rows, scheduling=Shortest(), engine="reference").start.tolist() == [3, 1]


def test_placements_of_the_users_own():
    rows = [(0, 3, (2, 2)), (0, 3, (3, 0))]
    schedule = run([5, 5, 5], rows, placement=LastFit(), engine="reference")
    assert schedule.allocation.tolist() == [[0, 2, 2], [0, 0, 3]]
    rows, how = [(0, 3, (2, 2)), (0, 2, (1, 3))], {"engine": "reference", "request": "flexible"}
    halves = run([3, 3], rows, placement=Halves(), **how)
    assert halves.start.tolist() == [0, 3]
    assert halves.allocation.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize(
    ("scheduling", "placement"),
    [(Shortest(), co.WorstFit()), (co.FCFS(), LastFit())],
    ids=["scheduling", "placement"],
)
def test_the_compiled_engine_refuses_what_it_cannot_translate(scheduling, placement):
    assert not knows(scheduling, placement)
    with pytest.raises(co.InputError, match="use engine='reference'") as error:
        run([4], BLOCKED, scheduling=scheduling, placement=placement, engine="compiled")
    assert type(scheduling).__name__ in str(error.value)
    assert type(placement).__name__ in str(error.value)


class Cheats(co.Scheduling):
    """Start each job that fits, after a change of one of its attributes."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def start_jobs(self, state):
        for job in state.queue[:]:
            setattr(job, self.name, self.value)
            state.start(job)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("runtime", 0.0),
        ("estimate", 99.0),
        ("components", (1,)),
        ("span_penalty", 9.0),
        ("submit", -5.0),
        ("earliest_start", -1.0),
        ("latest_start", 1e9),
        ("priority", 3.0),
    ],
)
def test_a_policy_that_changes_a_job_is_refused(name, value):
    with pytest.raises(co.InputError, match=f"changed the {name} of job 0 from .*; a policy may"):
        run([4], BLOCKED, scheduling=Cheats(name, value), engine="reference")


def test_a_class_derived_from_a_known_policy_is_not_taken_for_it():
    """The compiled engine does not run a class that is derived from a policy of the library.

    The class may have changed the policy.
    """
    derived = type("Mine", (co.FCFS,), {})()
    with pytest.raises(co.InputError, match="'compiled' cannot run"):
        run([4], BLOCKED, scheduling=derived, engine="compiled")
    schedule = run([4], BLOCKED, scheduling=derived, engine="reference")
    assert schedule.start.tolist() == [0, 10, 10, 10, 13]
    unnamed = co.simulate(schedule.system, schedule.jobs, scheduling=derived)
    assert unnamed.start.tolist() == schedule.start.tolist()


@pytest.mark.parametrize("max_jumps", [-1, 1.5, True, float("nan"), float("inf")])
def test_fpfs_refuses(max_jumps):
    with pytest.raises(co.InputError, match=f"max_jumps = {max_jumps}"):
        co.FPFS(max_jumps=max_jumps)


def test_a_policy_may_go_through_the_queue_while_it_starts_jobs():
    whatever = policy(lambda self, state: [state.start(job) for job in state.queue])
    rows = [(0, 3, 2)] * 3
    assert run([4], rows, scheduling=whatever, engine="reference").start.tolist() == [0, 0, 3]


@pytest.mark.parametrize("policy", [co.FPFS(5), co.FPFS(5, counted="head")])
def test_the_text_of_fpfs_is_the_code_that_makes_it(policy):
    assert eval(repr(policy), {"FPFS": co.FPFS}) == policy
    assert ("counted" in repr(policy)) == (policy.counted != "waiting")
