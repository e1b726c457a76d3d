"""All violations of a schedule are counted, and the first one is that of `verify()`."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies import Refusal, Scheduling
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.schedules.verification.counting import KINDS, count_violations
from coalloc_lib.schedules.verification.rules import RULES
from coalloc_lib.simulation import sites
from tests.cases import cases
from tests.conftest import POLICIES, in_turn, placements, policies, systems_and_streams
from tests.schedules.damage import broken, moved, right

#: Jobs of one processor and of length 10 on two processors; 2 and 3 wait for 0 and 1.
JOBS = co.JobStream([0, 0, 1, 2], [10] * 4, [1] * 4, request="total")
SCHEDULE = co.simulate(co.Multicluster([2]), JOBS, engine="reference")


def counts(schedule):
    return count_violations(schedule).counts


def starts(schedule, instants):
    """The schedule with other starts, and the ends that belong to them."""
    instants = np.array(instants, dtype=float)
    return replace(schedule, start=instants, end=instants + schedule.jobs.runtime)


@pytest.mark.parametrize("name", POLICIES)
@given(data=st.data())
def test_a_right_schedule_has_no_violation(name, data):
    system, jobs, how = data.draw(cases(POLICIES[name], most_jobs=12, has_reservations=False))
    schedule = co.simulate(system, jobs, **how | {"backlog": None})
    unknown = replace(schedule, promised=None, attempts=None, servers=None)
    found = count_violations(unknown)
    assert (found.counts, found.first, found.unchecked) == ({}, None, [])


@given(data=st.data())
def test_the_first_violation_is_the_one_that_verify_raises(data):
    system, jobs = data.draw(systems_and_streams(most_jobs=12))
    placement = data.draw(placements(len(system), jobs.request))
    schedule = co.simulate(system, jobs, scheduling=data.draw(in_turn), placement=placement)
    job = data.draw(st.integers(0, len(jobs) - 1))
    wrong = moved(schedule, job, data.draw(st.floats(0, 40)) + jobs.submit[job])
    wrong = replace(wrong, scheduling=data.draw(in_turn))
    found = count_violations(wrong)
    raised = None
    try:
        wrong.verify()
    except ScheduleError as error:
        raised = str(error)
    assert raised == (None if found.first is None else str(found.first))
    assert found.counts.keys() <= KINDS.keys()


def test_each_job_that_waits_too_long_is_counted_once():
    late = starts(SCHEDULE, [0, 3, 10, 13])
    assert counts(late) == {"left waiting": 1}
    assert str(count_violations(late).first) == (
        "job 1 at 0: FCFS() would start it now on [1], but it starts only at 3"
    )


def test_the_walk_goes_on_with_the_starts_of_the_schedule():
    """Jobs 1 and 2 change places. Job 1 is left waiting at 0 and 1, and job 2 starts at 1."""
    swapped = starts(SCHEDULE, [0, 10, 1, 11])
    assert counts(swapped) == {"left waiting": 1, "started": 1}
    assert counts(replace(swapped, scheduling=co.EASY())) == {"left waiting": 1, "started": 1}


def test_starts_on_an_overfull_cluster_are_counted_and_the_walk_goes_on():
    """At 1 and 2 three and four processors of two are in use; nothing could start then."""
    found = count_violations(starts(SCHEDULE, [0, 0, 1, 2]))
    assert found.counts == {"capacity": 2, "started": 2}
    assert found.first.job == 2
    later = starts(SCHEDULE, [0, 0, 1, 11])
    assert counts(later) == {"capacity": 1, "started": 1, "left waiting": 1}


def test_a_start_on_another_cluster_than_the_overfull_one_is_not_at_fault():
    """Jobs 0 and 1 overfill cluster 0, and job 2 starts on cluster 1 at the same instant."""
    jobs = co.JobStream([0, 0, 0], [5, 5, 5], [[2, 0], [2, 0], [0, 1]], request="ordered")
    schedule = co.simulate(co.Multicluster([2, 2]), jobs)
    together = starts(schedule, [0, 0, 0])
    found = count_violations(together, has_decisions=False)
    assert found.counts == {"capacity": 1}
    assert found.first.job == 1


def test_jobs_on_other_processors_than_the_placement_chooses():
    jobs = co.JobStream([0, 0], [5, 5], [1, 1], request="total")
    schedule = co.simulate(co.Multicluster([2, 2]), jobs)
    assert schedule.allocation.tolist() == [[1, 0], [0, 1]]
    swapped = replace(schedule, allocation=schedule.allocation[::-1].copy())
    assert counts(swapped) == {"placement": 2}


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (lambda s: broken(s, "start", [1, 2], np.nan), {"incomplete": 2}),
        (lambda s: moved(s, 2, 1.5), {"submission": 1}),
        (lambda s: broken(s, "end", [2, 3], 6), {"length": 2}),
        (lambda s: broken(s, "allocation", 2, [0, 2]), {"request": 1}),
        (lambda s: moved(s, 1, 3), {"capacity": 2}),
    ],
)
def test_each_rule_of_the_model_has_a_kind(wrong, expected):
    found = count_violations(wrong(right()), has_decisions=False)
    assert found.counts == expected
    with pytest.raises(ScheduleError) as error:
        wrong(right()).verify()
    assert str(found.first) == str(error.value)
    assert expected.keys() <= RULES.keys()


def test_decisions_are_not_checked_if_the_queue_is_not_known():
    found = count_violations(moved(right(), 2, 1.5))
    assert found.unchecked == [
        "the decisions of FPFS(max_jumps=2), because there are jobs that start before their "
        "submission"
    ]


def test_schedules_of_policies_with_memory_are_compared_with_a_second_run():
    jobs = co.JobStream([0, 1, 2], [10, 5, 4], [3, 4, 1], request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=co.Conservative())
    late = moved(schedule, 2, 15)
    found = count_violations(late)
    assert found.counts == {"second run": 1}
    assert str(found.first) == "job 2 at 2: starts at 2 in a run of Conservative()"
    assert "one difference can cause others" in found.unchecked[0]


def test_wrong_decisions_are_not_counted_in_a_schedule_with_a_backlog():
    """A job that enters the queue at an instant is not seen by the decisions before it."""
    rng = np.random.default_rng(1)
    count = 60
    columns = rng.integers(1, 20, count), rng.integers(1, 5, count)
    jobs = co.JobStream(np.zeros(count), *columns, request="total")
    policy = co.EASY(order="shortest")
    schedule = co.simulate(co.Multicluster([8]), jobs, scheduling=policy, backlog=5)
    schedule.verify()
    with pytest.raises(co.InputError, match=r"^schedule has a backlog of 5 jobs, .*verify\(\)"):
        count_violations(schedule)
    assert count_violations(schedule, has_decisions=False).counts == {}


@dataclass(frozen=True)
class Patient(Scheduling):
    """A policy that starts each job 3 time units after its submission and asks for a call then."""

    def start_jobs(self, state):
        for job in state.queue:
            if state.now < job.submit + 3:
                state.wake(job.submit + 3)
            else:
                state.start(job)


def test_the_policy_also_decides_at_the_instants_at_which_it_asked_to_be_called():
    """No job arrives or leaves at 3, when the policy would start job 0."""
    jobs = co.JobStream([0, 9], [5, 5], [1, 1], request="total")
    schedule = co.simulate(co.Multicluster([2]), jobs, scheduling=Patient(), engine="reference")
    assert schedule.start.tolist() == [3, 12]
    assert counts(schedule) == {}
    late = starts(schedule, [5, 12])
    assert counts(late) == {"left waiting": 1}
    assert str(count_violations(late).first).startswith("job 0 at 3: ")


@dataclass(frozen=True)
class Picky(Scheduling):
    """FCFS that rejects each job of more than one processor when it is at the head of the queue."""

    def start_jobs(self, state):
        for job in state.queue:
            if job.processors > 1:
                state.refuse(job, "wide")
            elif not state.start(job):
                return


#: Jobs 0 and 3 are too wide for `Picky`. Job 1 runs until 5, job 2 waits for it, and job 3 is at
#: the head of the queue from 5 on.
PICKED = co.simulate(
    co.Multicluster([2]),
    co.JobStream([0, 0, 1, 2, 2], [5, 5, 5, 5, 5], [[2], [1], [1], [2], [1]], request="total"),
    scheduling=Picky(),
)


def test_rejected_jobs_are_put_back_and_followed():
    assert PICKED.refused == {0: (0.0, "wide"), 3: (2.0, "wide")}
    assert PICKED.start.tolist()[1:3] == [0.0, 1.0]
    found = count_violations(PICKED.verify())
    assert (found.counts, found.first, found.unchecked) == ({}, None, [])


def test_a_job_that_only_the_policy_rejects_is_counted_once():
    """The schedule starts job 3 at 6, when jobs 1 and 2 have ended, and job 4 after it."""
    start = np.array([np.nan, 0, 1, 6, 11])
    refused = {0: PICKED.refused[0]}
    allocation = np.array([[0], [1], [1], [2], [1]])
    columns = {"start": start, "end": start + 5, "refused": refused, "allocation": allocation}
    kept = replace(PICKED, **columns)
    found = count_violations(kept)
    assert found.counts == {"rejection": 1, "left waiting": 1}
    assert str(found.first) == (
        f"job 3 at 2: {PICKED.scheduling} would reject it now for 'wide', but it starts only at 6"
    )
    with pytest.raises(ScheduleError) as error:
        kept.verify()
    assert str(error.value) == str(found.first)


def test_a_job_that_only_the_schedule_rejects_is_counted_once():
    """Under FCFS, job 0 would start at 0, and job 3 would wait for job 2 until 6."""
    found = count_violations(replace(PICKED, scheduling=co.FCFS()))
    assert found.counts == {"left waiting": 1, "rejection": 1}
    assert str(found.first) == (
        "job 0 at 0: FCFS() would start it now on [2], but it was rejected at 0 for 'wide'"
    )


def test_a_rejection_at_another_instant_is_counted():
    later = replace(PICKED, refused=PICKED.refused | {3: Refusal(4.0, "wide")})
    assert counts(later) == {"rejection": 1}


@given(systems_and_streams(requests=("total",), most_jobs=12), policies, st.data())
def test_each_queue_of_a_local_schedule_is_counted(case, scheduling, data):
    system, jobs = case
    jobs = jobs.replace(components=np.minimum(jobs.processors, min(system.sizes)))
    number = st.integers(0, len(system) - 1)
    site = np.array(data.draw(st.lists(number, min_size=len(jobs), max_size=len(jobs))))
    assume(len({*site.tolist()}) == len(system))
    schedule = sites.local(system, jobs, site, scheduling=scheduling)
    found = count_violations(schedule)
    assert (found.counts, found.first, found.unchecked) == ({}, None, [])
    job = data.draw(st.sampled_from(range(len(jobs))))
    late = count_violations(moved(schedule, job, schedule.end.max() + 1))
    assert {"left waiting", "second run"} & late.counts.keys()
    jobs_at_fault = np.flatnonzero(site == site[job])
    assert late.first.job in jobs_at_fault
