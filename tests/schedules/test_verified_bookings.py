"""A changed booking, attempt or rejection in a schedule of `Online` is noticed by `verify()`."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar.search import BEYOND_HORIZON, NO_LENGTH, NO_ROOM, PAST_LATEST
from coalloc_lib.engines.outcome import Servers
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules.verification.second_run import FEW as FEW_JOBS
from tests.conftest import (
    asking,
    onlines,
    systems_and_streams,
)
from tests.naive_booking import online
from tests.schedules.damage import assert_fails, broken, moved

# Online bookings.

#: Job 0 has servers 0 and 1 until 20 and is expected to end at 30. Job 1 has servers 2 and 3 of the
#: other cluster. Job 2 needs all three servers of that cluster and starts at 42. Job 3 has a run
#: time of 0 and is rejected.
ASKED = co.JobStream(
    submit=[0, 1, 2, 3],
    runtime=[20, 20, 5, 0],
    components=[[2, 0], [0, 2], [0, 3], [1, 0]],
    estimate=[30, 40, 5, 0],
    request="ordered",
    latest_start=[np.inf, np.inf, 50, np.inf],
)


#: The end of the message about a job that differs in a second simulation.
SECOND = r"in a second run of Online\(.*\)$"

TERMS = co.Online(slot=10, step=20, max_attempts=5, horizon=100)


def booked():
    how = {"scheduling": TERMS, "engine": "reference"}
    return co.simulate(co.Multicluster([2, 3]), ASKED, **how).verify()


def with_servers(schedule, job, servers):
    rows = [*schedule.servers]
    rows[job] = np.array(servers, dtype=np.int32)
    return replace(schedule, servers=Servers.of_rows(rows))


def attempt(schedule, job, number, start):
    """Return the schedule with a job that is accepted at another attempt and promised its start."""
    wrong = broken(moved(schedule, job, start), "attempts", job, number)
    return broken(wrong, "promised", job, start)


def test_the_right_bookings_are_as_the_tests_below_take_them():
    schedule = booked()
    assert schedule.start[:3].tolist() == [0, 1, 42]
    assert schedule.attempts.tolist() == [1, 1, 3, 0]
    assert [servers.tolist() for servers in schedule.servers] == [[0, 1], [2, 3], [2, 3, 4], []]
    assert schedule.refused == {3: (3, "no length")}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda s: moved(s, 2, 43), "job 2 at 43: starts later than promised: .* a start at 42$"),
        (
            lambda s: moved(s, 2, 41),
            f"job 2 at 41: starts at 41, but at 42 {SECOND}",
        ),
        (
            lambda s: broken(s, "attempts", 2, 4),
            f"job 2 at 42: has the attempts 4, but 3 {SECOND}",
        ),
        (
            lambda s: replace(s, scheduling=replace(TERMS, max_attempts=2)),
            "job 2 at 2: is served, but in a second run of .* it was rejected for 'no room",
        ),
        (
            lambda s: broken(s, "attempts", 3, 6),
            f"job 3 at 3: has the attempts 6, but 0 {SECOND}",
        ),
        (lambda s: replace(s, attempts=None), "the schedule does not contain the attempts"),
        (
            lambda s: broken(s, "promised", 2, 22),
            "job 2 at 42: starts later than promised: it was promised a start at 22$",
        ),
        (
            lambda s: broken(s, "promised", 2, np.nan),
            f"job 2 at 42: was promised no start, but a start at 42 {SECOND}",
        ),
        (
            lambda s: replace(s, jobs=ASKED.replace(latest_start=[np.inf, np.inf, 41, np.inf])),
            "job 2 at 42: starts after its latest start, 41$",
        ),
        (
            lambda s: replace(s, scheduling=replace(TERMS, horizon=40)),
            "job 1 at 1: is served, but in a second run of .* it was rejected for 'beyond the ho",
        ),
    ],
)
def test_a_broken_rule_of_bookings_is_noticed(wrong, message):
    assert_fails(wrong(booked()), f"^{message}")


def test_wrong_refusals_and_servers_are_noticed():
    for refusal in (Refusal(3.0, "full"), Refusal(4.0, "no length")):
        wrong = replace(booked(), refused={3: refusal})
        assert_fails(wrong, r"^job 3 at 3: was rejected .*, but .* it was rejected .*'no length'")
    rows = {0: ([0], [0, 0], [1, 0], [1, 2], [-1, 0]), 1: ([2, 3, 4],), 2: ([3, 4, 5],), 3: ([0],)}
    for job, choices in rows.items():
        for servers in choices:
            message = rf"^job {job}( at \w+:)? has the processors .*, but its allocation is \[.*\]$"
            assert_fails(with_servers(booked(), job, servers), message)


def test_a_server_with_two_bookings_at_once_is_noticed():
    """Job 1 ended at 21, but its servers are booked until 41."""
    early = attempt(booked(), 2, 2, 22)
    message = f"^job 2 at 22: was promised a start at 22, but a start at 42 {SECOND}"
    assert_fails(early, message)
    released = replace(early, scheduling=replace(TERMS, release_early=True))
    assert_fails(released, message)  # it came at 2
    jobs = replace(released, jobs=ASKED.replace(submit=[0, 1, 22, 22]))
    jobs = broken(broken(jobs, "attempts", 2, 1), "refused", 3, Refusal(22.0, "no length"))
    jobs.verify()
    # A placement of the user's own is checked, too.
    assert_fails(replace(early, placement=type("Mine", (co.WorstFit,), {})()), message)


def test_a_booking_within_the_freed_time_of_another_hides_no_third():
    """Job 0 is booked until 30 but ends at 2. Job 2, which arrives at 3, uses the released time
    until 4. Job 1 arrives at 1, when the booking still lasts until 30, and may not start at 5."""
    jobs = co.JobStream([0, 1, 3], [2, 9, 1], [1, 1, 1], [30, 9, 1], request="total")
    policy = co.Online(1, 1, 50, 60, release_early=True)
    schedule = co.simulate(co.Multicluster([1]), jobs, scheduling=policy, engine="reference")
    assert schedule.verify().start.tolist() == [0, 30, 3]
    message = f"^job 1 at 5: was promised a start at 5, but a start at 30 {SECOND}"
    assert_fails(attempt(schedule, 1, 5, 5), message)


#: On one server, job 0 runs until 20, job 1 from 20 to 39, and job 2 from 40 on. Job 3 finds no
#: room, job 4 finds none by its latest start, and job 5 is longer than the horizon.
LINE = co.JobStream(
    submit=[0, 1, 2, 3, 4, 5],
    runtime=[20, 19, 30, 20, 5, 101],
    components=[1] * 6,
    request="total",
    latest_start=[np.inf] * 4 + [9, np.inf],
)


FEW = co.Online(slot=10, step=19, max_attempts=3, horizon=90)


WHY = {3: NO_ROOM, 4: PAST_LATEST, 5: BEYOND_HORIZON}


def test_another_reason_and_other_attempts_of_a_refused_job_are_noticed():
    schedule = co.simulate(co.Multicluster([1]), LINE, scheduling=FEW, engine="reference").verify()
    assert schedule.attempts.tolist() == [1, 2, 3, 3, 1, 0]
    assert {job: why for job, (_, why) in schedule.refused.items()} == WHY
    for job, true in WHY.items():
        for why in {NO_LENGTH, NO_ROOM, PAST_LATEST, BEYOND_HORIZON} - {true}:
            refused = schedule.refused | {job: schedule.refused[job]._replace(why=why)}
            message = f"^job {job} at .: was rejected for '{why}', but .* was rejected for '{true}'"
            assert_fails(replace(schedule, refused=refused), message)
    for job, tried in ((3, 2), (4, 0), (4, 2), (5, 3), (5, 1)):
        assert_fails(
            broken(schedule, "attempts", job, tried), f"^job {job} at .: has the attempts {tried}, "
        )


def test_an_earlier_attempt_that_had_room_is_noticed():
    patient = replace(FEW, max_attempts=4)
    schedule = co.simulate(co.Multicluster([2]), LINE[[0, 1, 3]], scheduling=patient).verify()
    late = attempt(schedule, 2, 3, 41)
    message = f"^job 2 at 22: was promised a start at 41, but a start at 22 {SECOND}"
    assert_fails(late, message)


@pytest.mark.parametrize("rule", ["latest-start", "best-fit"])
def test_servers_that_the_rule_would_not_choose_are_noticed(rule):
    jobs = co.JobStream([0, 1, 11], [10, 5, 5], [1, 1, 1], request="total")
    schedule = co.simulate(co.Multicluster([3]), jobs, scheduling=replace(TERMS, rule=rule))
    mine = schedule.verify().servers[2].tolist()
    wrong = with_servers(schedule, 2, [(mine[0] + 1) % 3])
    message = rf"^job 2 at 11: has the processors \[.\], but \[{mine[0]}\] {SECOND}"
    assert_fails(wrong, message)


def test_a_job_that_was_refused_though_there_was_room_is_noticed():
    jobs = co.JobStream([0, 1], [5, 5], [1, 1], request="total")
    system, policy = co.Multicluster([1]), co.Online(10, 5, 2, 50)
    wide = co.simulate(system, jobs.replace(runtime=[20, 5]), scheduling=policy).verify()
    assert wide.refused[1].why == NO_ROOM
    wrong = broken(replace(wide, jobs=jobs), "end", 0, 5)
    assert_fails(wrong, "^job 1 at 1: was rejected for 'no room .* second run of .* it is served$")


def test_a_change_in_a_long_schedule_is_noticed():
    """There are so many jobs that the compiled engine simulates them a second time."""
    jobs = co.JobModel(co.uniform(1, 4), 1, request="total").sample(FEW_JOBS + 1, 3, rate=0.5)
    schedule = co.simulate(co.Multicluster([8]), jobs, scheduling=co.Online(1, 1, 50, 100)).verify()
    job = FEW_JOBS // 2
    assert_fails(broken(schedule, "attempts", job, 60), f"^job {job} at .* has the attempts 60, ")


@given(systems_and_streams(most_jobs=20), onlines(), st.data())
def test_bookings_pass_exactly_where_a_second_simulation_comes_to_them(case, policy, data):
    """A schedule in which a job has other processors or a later attempt does not pass."""
    system, jobs = case
    jobs = data.draw(asking(jobs)) if data.draw(st.booleans()) else jobs
    schedule = co.simulate(system, jobs, scheduling=policy).verify()
    assert [servers.tolist() for servers in schedule.servers] == [
        wanted.servers for wanted in online(system, jobs, policy)
    ]
    served = np.flatnonzero(schedule.served)
    assume(len(served))
    job = int(data.draw(st.sampled_from(served.tolist())))
    if data.draw(st.booleans()):
        number = int(schedule.attempts[job]) + data.draw(st.integers(1, 3))
        start = jobs.earliest_start[job] + (number - 1) * policy.step
        changed = attempt(schedule, job, number, start)
        length = jobs.runtime[job] * (1 + jobs.span_penalty[job] * schedule.spans[job])
        changed = broken(changed, "end", job, start + length)
    else:
        others = data.draw(st.permutations(range(system.processors)))
        changed = sorted(others[: len(schedule.servers[job])])
        assume(changed != schedule.servers[job].tolist())
        changed = with_servers(schedule, job, changed)
    assert_fails(changed, "^job ")
