"""Bookings are checked: change a start, a server or a reason, and the job is named."""

from dataclasses import replace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.calendar.search import BEYOND_HORIZON, NO_ROOM, PAST_LATEST, REASONS
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.scheduling import Refusal
from tests.test_verification import assert_fails, broken, moved

#: Job 0 has servers 0 and 1 until 20, expected until 30; job 1, tried at 1 and 21, servers 2 and 3
#: of the other cluster; job 2, of three processors there, starts at 42; job 3 has no length.
JOBS = co.JobStream(
    submit=[0, 1, 2, 3],
    runtime=[20, 20, 5, 0],
    components=[[2, 0], [0, 2], [0, 3], [1, 0]],
    estimate=[30, 40, 5, 0],
    request="ordered",
    latest_start=[np.inf, np.inf, 50, np.inf],
)
TERMS = co.Online(slot=10, step=20, max_attempts=5, horizon=100)


def right(jobs=JOBS, policy=TERMS):
    return co.simulate(
        co.Multicluster([2, 3]), jobs, scheduling=policy, engine="reference"
    ).verify()


def with_servers(schedule, job, servers):
    rows = [*schedule.servers]
    rows[job] = np.array(servers, dtype=np.int32)
    return replace(schedule, servers=Servers.of_rows(rows))


def test_the_right_schedule_is_as_the_tests_below_take_it():
    schedule = right()
    assert schedule.start[:3].tolist() == [0, 1, 42]
    assert schedule.attempts.tolist() == [1, 1, 3, 0]
    assert [servers.tolist() for servers in schedule.servers] == [[0, 1], [2, 3], [2, 3, 4], []]
    assert schedule.refused == {3: (3, "no length")}


def test_a_start_that_is_no_attempt_is_noticed():
    assert_fails(moved(right(), 2, 43), "^job 2 at 43: attempt 3 is at 42$")
    assert_fails(broken(right(), "attempts", 2, 4), "^job 2 at 42: attempt 4 is at 62$")
    few = replace(right(), scheduling=replace(TERMS, max_attempts=2))
    assert_fails(few, "^job 2 has 3 attempts, and at most 2 are made$")
    assert_fails(broken(right(), "attempts", 3, 6), "^job 3 has 6 attempts, and at most 5 are")
    assert_fails(replace(right(), attempts=None), "^the schedule does not tell the attempts")


def test_another_promise_is_noticed():
    assert_fails(broken(right(), "promised", 2, 22), "^job 2 at 42: was promised 22$")
    assert_fails(broken(right(), "promised", 2, np.nan), "^job 2 at 42: was promised nan$")


def test_a_start_after_the_latest_or_an_end_beyond_the_horizon_is_noticed():
    late = replace(right(), jobs=JOBS.replace(latest_start=[np.inf, np.inf, 41, np.inf]))
    assert_fails(late, "^job 2 at 42: starts after its latest start, 41$")
    near = replace(right(), scheduling=replace(TERMS, horizon=40))
    assert_fails(near, "^job 1 at 1: is booked until 41, beyond the horizon, which ended at 40$")


@pytest.mark.parametrize("refusal", [Refusal(3.0, "full"), Refusal(4.0, "no length")])
def test_a_refusal_that_is_late_or_without_a_reason_is_noticed(refusal):
    wrong = replace(right(), refused={3: refusal})
    assert_fails(wrong, r"^job 3 was refused at \d for .*; it is told at its submission, at 3")


@pytest.mark.parametrize(
    ("job", "servers"),
    [(0, [0]), (0, [0, 0]), (0, [1, 0]), (0, [1, 2]), (0, [-1, 0]), (2, [3, 4, 5]), (1, [2, 3, 4])],
)
def test_servers_that_are_not_those_of_the_allocation_are_noticed(job, servers):
    message = rf"^job {job} at \d+: has servers .* for \[.*\] processors of each cluster$"
    assert_fails(with_servers(right(), job, servers), message)


def test_servers_of_a_refused_job_are_noticed():
    assert_fails(with_servers(right(), 3, [0]), r"^job 3 at nan: has servers \[0\] for \[0, 0\]")


def test_a_server_with_two_bookings_at_once_is_noticed():
    """Job 1 ended at 21, and is booked until 41."""
    early = broken(moved(right(), 2, 22), "attempts", 2, 2)
    early = broken(early, "promised", 2, 22)
    assert_fails(early, "^job 2 at 22: server 2 is booked for job 1$")
    released = replace(early, scheduling=replace(TERMS, release_early=True))
    assert_fails(released, "^job 2 at 22: server 2 is booked for job 1$")  # it came at 2
    jobs = replace(released, jobs=JOBS.replace(submit=[0, 1, 22, 22]))
    jobs = broken(broken(jobs, "attempts", 2, 1), "refused", 3, Refusal(22.0, "no length"))
    jobs.verify()


def test_a_booking_within_the_freed_time_of_another_hides_no_third():
    """Job 0 is booked until 30 and leaves at 2; job 1 follows until 4, and job 2, which came
    at 1, may not have 5."""
    jobs = co.JobStream([0, 1, 3], [2, 9, 1], [1, 1, 1], [30, 9, 1], request="total")
    policy = co.Online(1, 1, 50, 60, release_early=True)
    schedule = co.simulate(co.Multicluster([1]), jobs, scheduling=policy, engine="reference")
    assert schedule.verify().start.tolist() == [0, 30, 3]
    wrong = broken(moved(schedule, 1, 5), "attempts", 1, 5)
    wrong = broken(wrong, "promised", 1, 5)
    assert_fails(wrong, "^job 1 at 5: server 0 is booked for job 0$")


#: On one server job 0 runs until 20, job 1 until 39, and job 2 from 40 on; job 3 finds no room, job
#: 4 none by its latest start, and job 5 is longer than the horizon.
LINE = co.JobStream(
    submit=[0, 1, 2, 3, 4, 5],
    runtime=[20, 19, 30, 20, 5, 101],
    components=[1] * 6,
    request="total",
    latest_start=[np.inf] * 4 + [9, np.inf],
)
FEW = co.Online(slot=10, step=19, max_attempts=3, horizon=90)


def in_line():
    schedule = co.simulate(co.Multicluster([1]), LINE, scheduling=FEW, engine="reference")
    return schedule.verify()


def refused_as(job, why, schedule=None):
    schedule = in_line() if schedule is None else schedule
    told = {**schedule.refused, job: schedule.refused[job]._replace(why=why)}
    return replace(schedule, refused=told)


def test_the_jobs_in_line_are_refused_as_the_tests_below_take_it():
    schedule = in_line()
    assert schedule.start[:3].tolist() == [0, 20, 40]
    assert schedule.attempts.tolist() == [1, 2, 3, 3, 1, 0]
    assert {job: why for job, (_, why) in schedule.refused.items()} == {
        3: NO_ROOM, 4: PAST_LATEST, 5: BEYOND_HORIZON,
    }  # fmt: skip


@pytest.mark.parametrize("job", [3, 4, 5])
@pytest.mark.parametrize("why", REASONS)
def test_another_reason_is_noticed(job, why):
    wrong, true = refused_as(job, why), in_line().refused[job].why
    if why == true:
        wrong.verify()
    else:
        assert_fails(wrong, f"^job {job} was refused .* for '{why}' after .* these: '{true}'$")


@pytest.mark.parametrize(("job", "tried"), [(3, 2), (4, 0), (4, 2), (5, 3), (5, 1)])
def test_other_attempts_of_a_refused_job_are_noticed(job, tried):
    assert_fails(broken(in_line(), "attempts", job, tried), f"^job {job} was refused at")


def test_an_earlier_attempt_that_had_room_is_noticed():
    patient = replace(FEW, max_attempts=4)
    jobs = LINE[[0, 1, 3]]
    schedule = co.simulate(co.Multicluster([2]), jobs, scheduling=patient)
    assert schedule.verify().attempts.tolist() == [1, 1, 2]
    late = broken(broken(moved(schedule, 2, 41), "attempts", 2, 3), "promised", 2, 41)
    assert_fails(late, "^job 2 has attempt 3, but there was room at attempt 2$")


def test_a_job_that_was_refused_though_there_was_room_is_noticed():
    jobs = co.JobStream([0, 1], [5, 5], [1, 1], request="total")
    system, policy = co.Multicluster([1]), co.Online(10, 5, 2, 50)
    wide = co.simulate(system, jobs.replace(runtime=[20, 5]), scheduling=policy).verify()
    assert wide.refused[1].why == NO_ROOM
    wrong = broken(replace(wide, jobs=jobs), "end", 0, 5)
    assert_fails(wrong, "^job 1 has attempt 2, and was refused, but there was room at attempt 2$")


@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
def test_servers_that_the_rule_would_not_choose_are_noticed(rule):
    jobs = co.JobStream([0, 1, 11], [10, 5, 5], [1, 1, 1], request="total")
    policy = replace(TERMS, rule=rule)
    schedule = co.simulate(co.Multicluster([3]), jobs, scheduling=policy).verify()
    mine = schedule.servers[2].tolist()
    wrong = with_servers(schedule, 2, [(mine[0] + 1) % 3])
    assert_fails(wrong, rf"^job 2 at 11: has servers .* by the rule {rule} these are \[{mine[0]}\]")


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
@pytest.mark.parametrize("is_early", [False, True])
@pytest.mark.parametrize("request_", ["flexible", "unordered", "total"])
def test_what_both_engines_book_is_right(engine, rule, is_early, request_):
    """Loads of jobs that span, leave early, take no time, and ask for a start ahead."""
    rng = np.random.default_rng(5)
    submit, runtime = rng.integers(0, 400, 150).astype(float), rng.integers(0, 9, 150) * 5.0
    size = rng.integers(1, 4, (150, 2))
    estimate = runtime + rng.integers(1, 20, 150)
    jobs = co.JobStream(np.sort(submit), runtime, size, estimate, request_, span_penalty=0.3)
    if request_ == "total":
        jobs = jobs.replace(span_penalty=0.0)
    policy = replace(TERMS, rule=rule, release_early=is_early, step=3, max_attempts=30)
    jobs = jobs.reserved_ahead(0.4, 40, 3)
    schedule = co.simulate(co.Multicluster([6, 4]), jobs, scheduling=policy, engine=engine)
    schedule.verify()
    assert 0 < len(schedule.refused) < 120
    assert schedule.attempts.max() > 5
