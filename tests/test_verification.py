"""Each rule of the model is checked: break one and the job and instant are named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.verification import ScheduleError, overtaken
from tests.conftest import in_turn, placements, policies, systems_and_streams

SYSTEM = co.Multicluster([4, 3])


def right(request="unordered", scheduling=None):
    """A right schedule: job 0 to 10, job 1 (spans) waits for it, jobs 2 and 3 may overtake."""
    jobs = co.JobStream(
        submit=[0, 1, 2, 3],
        runtime=[10, 5, 2, 2],
        components=[[3, 0], [3, 2], [1, 0], [1, 0]],
        request=request,
        span_penalty=0.5,
    )
    scheduling = co.FPFS(2) if scheduling is None else scheduling
    return co.simulate(SYSTEM, jobs, scheduling=scheduling, engine="reference")


def broken(schedule, column, job, value):
    """The schedule with one entry changed."""
    changed = getattr(schedule, column).copy()
    changed[job] = value
    return replace(schedule, **{column: changed})


def moved(schedule, job, start):
    """The schedule with one job moved to another instant, its length kept."""
    length = schedule.end[job] - schedule.start[job]
    return broken(broken(schedule, "start", job, start), "end", job, start + length)


def assert_fails(schedule, message):
    """Assert that verify() raises and that its message is this."""
    with pytest.raises(ScheduleError, match=message):
        schedule.verify()


def test_the_right_schedule_is_as_the_tests_below_take_it():
    schedule = right().verify()
    assert schedule.start.tolist() == [0, 10, 2, 3]
    assert schedule.end.tolist() == [10, 17.5, 4, 5]
    assert schedule.allocation.tolist() == [[3, 0], [3, 2], [0, 1], [0, 1]]


@pytest.mark.parametrize("column", ["start", "end"])
def test_every_job_has_an_instant(column):
    assert_fails(broken(right(), column, 2, np.nan), f"^job 2 has no {column}$")
    assert_fails(broken(right(), column, 3, np.inf), f"^job 3 has no {column}$")


def test_no_job_starts_before_its_submission():
    assert_fails(moved(right(), 2, 1.5), "^job 2 at 1.5: starts before its submission at 2$")


@pytest.mark.parametrize(("job", "end", "length"), [(0, 9, 10), (1, 15, 7.5), (2, 5, 2)])
def test_jobs_run_for_their_time(job, end, length):
    """Job 1 spans: 5 units of run time and half as much again, not 5."""
    schedule = right()
    message = f"^job {job} at {schedule.start[job]:g}: ends at {end}, its time .* is {length}$"
    assert_fails(broken(schedule, "end", job, end), message)


def test_a_job_that_does_not_span_pays_no_penalty():
    message = "^job 3 at 3: ends at 6, its time on processors is 2$"
    assert_fails(broken(right(), "end", 3, 6), message)


@pytest.mark.parametrize(
    ("request_type", "job", "allocation"),
    [
        ("unordered", 2, [0, 2]),
        ("unordered", 2, [0, 0]),
        ("unordered", 1, [4, 1]),
        ("unordered", 0, [4, -1]),
        ("ordered", 2, [0, 1]),
        ("ordered", 1, [2, 3]),
        ("flexible", 1, [4, 2]),
        ("flexible", 1, [2, 2]),
        ("total", 2, [2, -1]),
    ],
)
def test_jobs_have_what_they_asked_for(request_type, job, allocation):
    jobs = right().jobs
    if request_type == "total":
        jobs = jobs.replace(components=np.array([3, 4, 1, 1])[:, None])
    schedule = co.simulate(
        SYSTEM, jobs.replace(request=request_type, span_penalty=0), scheduling=co.FPFS(2)
    ).verify()
    message = f"^job {job} at {schedule.start[job]:g}: has .* for components .*{request_type}"
    assert_fails(broken(schedule, "allocation", job, allocation), message)


def test_a_total_request_stays_on_one_cluster():
    jobs = co.JobStream(submit=[0], runtime=[1], components=[[2, 1]], request="total")
    schedule = co.simulate(SYSTEM, jobs, engine="reference").verify()
    spread = broken(schedule, "allocation", 0, [2, 1])
    assert_fails(spread, r"^job 0 at 0: has \[2, 1\] for components \[2, 1\] \(total\)$")


def test_a_job_that_may_stay_whole_is_whole_or_in_its_components():
    jobs = co.JobStream([0], [4], [[2, 1]], span_penalty=0)
    schedule = co.simulate(SYSTEM, jobs, placement=co.SingleThenSpan()).verify()
    assert schedule.allocation.tolist() == [[0, 3]]
    for right in ([3, 0], [2, 1], [1, 2]):
        broken(schedule, "allocation", 0, right).verify()
    for wrong in ([0, 2], [4, -1], [2, 2]):
        message = r"^job 0 at 0: has .* for components \[2, 1\] \(unordered\)$"
        assert_fails(broken(schedule, "allocation", 0, wrong), message)
    wide = co.Multicluster([4, 3, 3])
    schedule = co.simulate(wide, jobs, placement=co.SingleThenSpan()).verify()
    assert_fails(broken(schedule, "allocation", 0, [1, 1, 1]), "^job 0 at 0: has")
    assert_fails(replace(schedule, placement=co.BestFit()), "^job 0 at 0: has")


@pytest.mark.parametrize("components", [[2, 2], [3, 1], [4, 0]])
def test_a_head_that_fits_in_either_way_is_noticed(components):
    """At 5 the 4 of cluster 0 are idle alone; at 9 the 3 of cluster 1 besides."""
    jobs = co.JobStream([0, 0, 1], [5, 9, 1], [[4, 0], [3, 0], components])
    schedule = co.simulate(SYSTEM, jobs, placement=co.SingleThenSpan()).verify()
    assert schedule.start[2] == 5
    assert_fails(moved(schedule, 2, 9), "^job 2 at 5: heads the queue and fits, but starts only")
    split = co.simulate(SYSTEM, jobs).verify()
    assert split.start[2] == (5 if 0 in components else 9)


def test_no_cluster_is_over_its_size():
    """Job 1, of 3 on cluster 0, moved to 3 where job 0 has 3 of its 4."""
    message = "^job 1 at 3: cluster 0 runs 6 processors and has 4$"
    assert_fails(moved(right(), 1, 3), message)


def test_a_job_may_start_where_another_leaves_and_no_moment_earlier():
    assert_fails(moved(right(), 1, np.nextafter(10, 0)), "^job 1 at 10: cluster 0 runs 6")


def test_a_job_that_waited_starts_where_something_happened():
    message = "^job 1 at 11: starts at an instant at which no job was submitted or left$"
    assert_fails(moved(right(), 1, 11), message)


def test_fpfs_overtakes_no_job_too_often():
    right(scheduling=co.FPFS(2)).verify()
    bad = replace(right(), scheduling=co.FPFS(1))
    message = r"^job 1 at 10: was overtaken 2 times, FPFS\(max_jumps=1\) allows 1$"
    assert_fails(bad, message)


def test_fcfs_overtakes_no_job():
    right(scheduling=co.FCFS()).verify()
    bad = replace(right(), scheduling=co.FCFS())
    assert_fails(bad, r"^job 1 at 10: was overtaken 2 times, FCFS\(\) allows 0$")


def test_the_head_does_not_wait_while_it_fits():
    jobs = co.JobStream([0, 0, 1], [5, 9, 1], [4, 4, 2], request="total")
    schedule = co.simulate(co.Multicluster([8]), jobs).verify()
    assert schedule.start.tolist() == [0, 0, 5]
    lazy = moved(schedule, 2, 9)
    assert_fails(lazy, "^job 2 at 5: heads the queue and fits, but starts only at 9$")
    free = type("Free", (co.FCFS,), {})()
    replace(lazy, scheduling=free).verify()


def test_a_policy_of_the_users_own_is_held_to_no_order():
    free = type("Free", (co.FPFS,), {})(max_jumps=0)
    replace(right(), scheduling=free).verify()


def test_the_first_instant_at_fault_is_named():
    twice = broken(broken(right(), "end", 1, 99), "end", 3, 99)
    assert_fails(twice, "^job 3 at 3: ends at 99")


def waiting_head(request, components, sizes=(4, 3), penalty=0.0):
    """Job 0 has cluster 0 until 5, job 1 all the rest until 9, job 2 starts at 9 and not before."""
    jobs = co.JobStream(
        [0, 0, 1], [5, 9, 1], [*[[size, 0] for size in sizes], components],
        request=request, span_penalty=penalty,
    )  # fmt: skip
    schedule = co.simulate(co.Multicluster(sizes), jobs).verify()
    return schedule if schedule.start[2] == 9 else moved(schedule, 2, 9)


@pytest.mark.parametrize(
    ("request_type", "components"),
    [("flexible", [4, 0]), ("flexible", [2, 2]), ("total", [4, 0]), ("unordered", [4, 0])],
)
def test_a_head_that_fills_all_that_is_idle_is_noticed(request_type, components):
    """At 5 exactly 4 processors are idle, and it wants 4."""
    lazy = waiting_head(request_type, components)
    assert_fails(lazy, "^job 2 at 5: heads the queue and fits, but starts only at 9$")


def test_a_head_of_one_processor_too_many_may_wait():
    waiting_head("flexible", [5, 0]).verify()


@pytest.mark.parametrize("job", [0, 1, 2, 3])
def test_run_times_are_kept_to_the_last_bit(job):
    schedule = right(scheduling=type("Free", (co.FPFS,), {})(2))
    for towards in (0, np.inf):
        end = np.nextafter(schedule.end[job], towards)
        assert_fails(broken(schedule, "end", job, end), f"^job {job} .*: ends at .*, its time on")


def test_the_head_is_looked_at_in_every_chunk(monkeypatch):
    """A hundred jobs in turn on cluster 0; the last starts when a long one on cluster 1 ends."""
    n = 100
    table = np.tile([4, 0], (n + 1, 1))
    table[0] = 0, 1
    jobs = co.JobStream(np.zeros(n + 1), [n + 5.0, *np.ones(n)], table, request="ordered")
    schedule = co.simulate(co.Multicluster([4, 1]), jobs)
    lazy = moved(schedule, n, n + 5)
    for chunk in (1, 7, 50, 10**6):
        monkeypatch.setattr("coalloc_lib.verification._CHUNK", chunk)
        schedule.verify()
        assert_fails(lazy, f"^job {n} at {n - 1}: heads the queue and fits, but .* only at {n + 5}")


@given(systems_and_streams(), policies, st.data(), st.sampled_from([None, 1, 5]))
def test_right_schedules_pass(case, scheduling, data, backlog):
    system, jobs = case
    placement = data.draw(placements(len(system), jobs.request))
    how = {"scheduling": scheduling, "placement": placement, "backlog": backlog}
    co.simulate(system, jobs, **how).verify()


def over_capacity(schedule):
    """Whether a cluster is over its size, counted anew at every start."""
    for instant in schedule.start:
        runs = (schedule.start <= instant) & (schedule.end > instant)
        if (schedule.allocation[runs].sum(axis=0) > schedule.system.sizes).any():
            return True
    return False


def head_waits_in_vain(schedule):
    """Whether the head of the queue fits at some instant but is not started, by trying."""
    jobs, sizes = schedule.jobs, np.array(schedule.system.sizes)
    for instant in np.concatenate([jobs.submit, schedule.end]):
        waiting = np.flatnonzero((jobs.submit <= instant) & (schedule.start > instant))
        if len(waiting):
            head = waiting[np.argmin(jobs.submit[waiting])]
            runs = (schedule.start <= instant) & (schedule.end > instant)
            idle = (sizes - schedule.allocation[runs].sum(axis=0)).tolist()
            components = jobs.components[head].tolist()
            if co.WorstFit().place(components, jobs.request, idle) is not None:
                return True
    return False


@given(systems_and_streams(), in_turn, st.data())
def test_a_job_moved_anywhere_is_caught_where_it_breaks_a_rule(case, scheduling, data):
    """Verify raises exactly when a plain count finds a rule broken."""
    system, jobs = case
    jobs = jobs.replace(span_penalty=0)
    schedule = co.simulate(system, jobs, scheduling=scheduling)
    job = data.draw(st.integers(0, len(jobs) - 1))
    events = np.unique(np.concatenate([jobs.submit, schedule.end]))
    start = data.draw(st.sampled_from(events[events >= jobs.submit[job]].tolist()))
    changed = broken(schedule, "start", job, start)
    changed = broken(changed, "end", job, start + jobs.runtime[job])
    late = ~np.isin(changed.start, np.concatenate([jobs.submit, changed.end]))
    limit = getattr(scheduling, "max_jumps", 0)
    jumped = (overtaken(changed) > limit).any()
    if late.any() or over_capacity(changed) or jumped or head_waits_in_vain(changed):
        assert_fails(changed, "^job ")
    else:
        changed.verify()


@given(systems_and_streams(requests=("ordered", "unordered", "total")), in_turn, st.data())
def test_an_allocation_moved_to_another_cluster_is_caught_where_it_breaks_a_rule(
    case, scheduling, data
):
    system, jobs = case
    schedule = co.simulate(system, jobs, scheduling=scheduling)
    job = data.draw(st.integers(0, len(jobs) - 1))
    row = schedule.allocation[job]
    mixed = np.array(data.draw(st.permutations(row.tolist())))
    assume((mixed != row).any())
    changed = broken(schedule, "allocation", job, mixed)
    if jobs.request == "ordered" or over_capacity(changed) or head_waits_in_vain(changed):
        assert_fails(changed, "^job ")
    else:
        changed.verify()
