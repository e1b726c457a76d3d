"""The decisions of policies that users wrote are checked, and the check does not take too long."""

import signal
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.engines.reference import jobs_of
from coalloc_lib.policies import Refusal
from coalloc_lib.schedules import verification
from coalloc_lib.schedules.verification import MOST_JOBS, ScheduleError
from coalloc_lib.schedules.verification.implied import ImpliedState
from tests.conftest import (
    placements,
    systems_and_streams,
)
from tests.schedules.damage import assert_fails, broken, moved, right


# Policies of one's own.
class Shortest(co.Scheduling):
    """A policy that starts the shortest job first, overtakes no job in this order, and rejects jobs
    of more than 5 processors."""

    def start_jobs(self, state):
        for job in state.queue:
            if job.processors > 5:
                state.refuse(job, "too wide")
        for job in sorted(state.queue, key=lambda job: job.estimate):
            if not state.start(job):
                state.promise(job, state.now + 1)
                break


class Waiting(co.Scheduling):
    """A policy that starts each job 3 time units after its submission and asks for calls then."""

    def start_jobs(self, state):
        for job in state.queue:
            if state.now < job.submit + 3:
                state.wake(job.submit + 3)
            elif not state.start(job):
                break


class Alternating(co.Scheduling):
    """A policy with memory that takes the first and the last job of the queue in turn."""

    takes_backlog = False

    def begin(self, system):
        return Turns()


class Turns:
    def __init__(self):
        self.started = 0

    def start_jobs(self, state):
        while state.queue and state.start(state.queue[-(self.started % 2)]):
            self.started += 1


class Doubtful(co.Scheduling):
    """A policy that runs jobs one by one, and expects each to run as if it used all clusters."""

    def start_jobs(self, state):
        everywhere = [1] * len(state.idle)
        while state.queue:
            ends = [state.expected_end(job, everywhere) for job in state.running]
            if max(ends, default=state.now) > state.now:
                state.wake(max(ends))
                break
            if not state.start(state.queue[0]):
                break


class Impatient(co.Scheduling):
    """A policy under which two jobs may start before the head, and two before any other job."""

    def start_jobs(self, state):
        for job in [*state.queue]:
            head = state.queue[0]
            if job is head or (head.jumped < 2 and job.overtaken < 2):
                state.start(job)


OWN = [Shortest(), Waiting(), Alternating(), Doubtful(), Impatient()]


@pytest.mark.parametrize("policy", OWN, ids=lambda policy: type(policy).__name__)
@given(case=systems_and_streams(), data=st.data())
def test_any_other_start_under_a_policy_of_ones_own_is_noticed(policy, case, data):
    system, jobs = case
    backlog = data.draw(st.sampled_from([None, 2])) if type(policy) is Shortest else None
    schedule = co.simulate(system, jobs, scheduling=policy, engine="reference", backlog=backlog)
    assert schedule.verify().unchecked == ""
    served = np.flatnonzero(schedule.served)
    assume(len(served))
    job = int(data.draw(st.sampled_from(served.tolist())))
    ends = schedule.end[served]
    instants = np.concatenate([schedule.jobs.submit, ends, ends + 1, schedule.jobs.submit + 0.5])
    start = data.draw(st.sampled_from(np.unique(instants).tolist()))
    assume(start != schedule.start[job])
    length = schedule.end[job] - schedule.start[job]
    changed = broken(broken(schedule, "start", job, start), "end", job, start + length)
    assert_fails(changed, "^job ")


class Recording(co.Scheduling):
    """A policy that records two attempts and the servers of each job that it starts."""

    def start_jobs(self, state):
        while state.queue and state.place(state.queue[0]) is not None:
            job = state.queue[0]
            state.record(job, 2, [2 * job.number, 2 * job.number + 1])
            state.start(job)


def test_another_number_of_recorded_attempts_is_noticed():
    jobs = co.JobStream([0, 1], [5, 5], [2, 2], request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=Recording(), engine="reference")
    assert schedule.verify().attempts.tolist() == [2, 2]
    assert_fails(broken(schedule, "attempts", 1, 3), "^job 1 .*has 3 attempts and the servers")


class OnTheFirst(co.Scheduling):
    """A policy that runs every job on the first cluster, whatever is idle elsewhere."""

    def start_jobs(self, state):
        while state.queue:
            job = state.queue[0]
            if not state.start(job, [sum(job.components), *[0] * (len(state.idle) - 1)]):
                break


def test_a_job_that_waits_for_the_cluster_of_its_policys_choice_is_no_mistake():
    jobs = co.JobStream([0, 0], [5, 5], [3, 3], request="total")
    system = co.Multicluster([4, 4])
    schedule = co.simulate(system, jobs, scheduling=OnTheFirst(), engine="reference")
    assert schedule.verify().start.tolist() == [0, 5]


def test_another_rejection_or_promise_of_a_policy_of_ones_own_is_noticed():
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [4, 6, 4], request="total")
    schedule = co.simulate(co.Multicluster([6]), jobs, scheduling=Shortest(), engine="reference")
    assert schedule.verify().refused == {1: Refusal(1.0, "too wide")}
    assert schedule.promised[2] == 3
    for refusal in (Refusal(1.0, "other"), Refusal(2.0, "too wide")):
        wrong = replace(schedule, refused={1: refusal})
        assert_fails(
            wrong, r"^job 1 at 1: Shortest.* would reject it now for 'too wide', but it was"
        )
    assert_fails(
        broken(schedule, "promised", 2, 4), "^job 2 at 2: heads the queue and was promised a"
    )
    assert_fails(broken(schedule, "promised", 0, 4), "^job 0 at 0: was promised .* it no start$")
    served = replace(broken(moved(schedule, 1, 0), "start", 1, 10), refused={})
    served = broken(broken(served, "end", 1, 15), "allocation", 1, [6])
    assert_fails(
        served, "^job 1 at 1: Shortest.* would reject it now .*, but it starts only at 10$"
    )
    rejected = replace(schedule, refused=schedule.refused | {2: Refusal(4.0, "late")})
    rejected = broken(broken(rejected, "start", 2, np.nan), "end", 2, np.nan)
    rejected = broken(rejected, "allocation", 2, [0])
    assert_fails(
        rejected, "^job 2 at 4: was rejected for 'late', but Shortest.* would not reject it"
    )


class Widest(Shortest):
    """A policy whose attribute `order` has a value that the library does not know."""

    order = "widest"


def test_an_order_that_the_library_does_not_know_is_no_obstacle():
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [4, 4, 4], request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=Widest(), engine="reference")
    schedule.verify()
    assert_fails(moved(moved(schedule, 1, 10), 2, 5), "^job 1 at 5: Widest.* would start it now")
    assert_fails(
        broken(schedule, "promised", 1, 9), "^job 1 at 1: heads the queue and was promised"
    )


class Reserving(co.Scheduling):
    """A policy that respects the earliest and latest starts of jobs and promises no starts."""

    takes_reservations = True

    def start_jobs(self, state):
        for job in state.queue:
            if state.now < job.earliest_start:
                state.wake(job.earliest_start)
            else:
                state.start(job)


def test_a_policy_of_ones_own_may_serve_reservations_without_promises():
    jobs = co.JobStream([0, 0], [4, 2], [2, 4], request="total", earliest_start=[0, 3])
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=Reserving(), engine="reference")
    assert schedule.verify().start.tolist() == [0, 4]
    early = replace(moved(schedule, 1, 2), start=np.array([7.0, 2]), end=np.array([11.0, 4]))
    with pytest.raises(ScheduleError, match=r"^job 1 at 2: starts before its earliest start, 3$"):
        early.verify(most_jobs=0)


class Hasty(co.Scheduling):
    """FCFS that asks to be called at the current instant, as often as it is called."""

    def start_jobs(self, state):
        self.calls = getattr(self, "calls", 0) + 1
        assert self.calls < 100
        state.wake(state.now)
        while state.queue and state.start(state.queue[0]):
            pass


def test_a_policy_that_asks_for_the_current_instant_is_not_called_for_ever():
    schedule = replace(right(scheduling=co.FCFS()), scheduling=Hasty())
    assert schedule.verify() is schedule


# Tests of `ImpliedState`, the state in which a policy decides again.
@given(systems_and_streams(most_jobs=30), st.data())
def test_the_implied_state_places_jobs_as_the_placement_does(case, data):
    """The state keeps the answers of the placement only while the same processors are idle."""
    system, stream = case
    placement = data.draw(placements(len(system), stream.request))
    rule = co.WorstFit() if placement is None else placement
    state = ImpliedState(system, stream, placement)
    coming = jobs_of(stream)
    for _ in range(data.draw(st.integers(1, 8))):
        for job in [coming.pop() for _ in coming[:20]]:
            state.enter(job)
        for job in state.queue:
            wanted = rule.place(job.components, stream.request, state.idle)
            for answer in (state.place(job), state.place(job), state.place(job, state.idle)):
                assert (answer and list(answer)) == (wanted and list(wanted))
        if state.running and data.draw(st.booleans()):
            state.finish(state.running[0])
        for job in state.queue:
            wanted = rule.place(job.components, stream.request, state.idle)
            assert state.start(job) == (wanted is not None)


def test_a_policy_may_change_the_allocation_that_it_was_told():
    stream = co.JobStream([0], [1], [2], request="total")
    state = ImpliedState(co.Multicluster([4]), stream, None)
    (job,) = jobs_of(stream)
    state.enter(job)
    for idle in (None, [3]):
        state.place(job, idle)[0] = 9
        assert state.place(job, idle) == [2]


def test_above_a_number_of_jobs_only_the_rules_of_the_model_are_checked():
    late = moved(right(), 1, 11)
    assert late.verify(most_jobs=3) is late
    with pytest.raises(ScheduleError, match="job 1 at 10"):
        late.verify(most_jobs=4)
    with pytest.raises(co.InputError, match="most_jobs = -1"):
        late.verify(most_jobs=-1)
    count = MOST_JOBS + 1
    jobs = co.JobStream(np.arange(count), np.ones(count), np.ones(count, int), request="total")
    schedule = co.simulate(co.Multicluster([1]), jobs)
    delayed = moved(schedule, count - 1, count + 5.0)
    assert "call verify(most_jobs=50001) to check" in delayed.verify().unchecked
    with pytest.raises(ScheduleError, match="job 50000 at 50000"):
        delayed.verify(most_jobs=count)


def test_decisions_are_not_checked_by_default_where_so_many_jobs_wait_that_it_takes_minutes(
    monkeypatch,
):
    """The last of 50 jobs starts too late. The check finds this by default only under FCFS, for
    which a long queue costs little time."""
    count = 50
    jobs = co.JobStream(np.zeros(count), np.ones(count), np.ones(count, int), request="total")
    monkeypatch.setattr(verification, "MOST_WAITING", count**2 // 2 - 1)
    for policy, is_checked in ((co.FCFS(), True), (co.EASY(), False), (co.FPFS(3), False)):
        schedule = co.simulate(co.Multicluster([1]), jobs, scheduling=policy)
        late = moved(schedule, count - 1, count + 5.0)
        assert ("jobs wait on average" in late.unchecked) is not is_checked
        if is_checked:
            with pytest.raises(ScheduleError):
                late.verify()
        else:
            assert late.verify() is late
        with pytest.raises(ScheduleError):
            late.verify(most_jobs=count)
    monkeypatch.setattr(verification, "MOST_WAITING", count * (count + 1))
    assert late.unchecked == ""
    with pytest.raises(ScheduleError):
        late.verify()


def long_queue(jobs, clusters=40):
    """Return a schedule of EASY with a growing queue: the load is three times the capacity."""
    rng = np.random.default_rng(5)
    components, runtime = rng.integers(1, 17, (jobs, 4)), rng.exponential(1000, jobs)
    span = (components.sum(axis=1) * runtime).sum() / (16 * clusters)
    stream = co.JobStream(
        np.sort(rng.uniform(0, span / 3, jobs)), runtime, components,
        runtime * rng.uniform(1, 5, jobs),
    )  # fmt: skip
    return co.simulate(co.Multicluster([16] * clusters), stream, scheduling=co.EASY())


def test_a_long_check_can_be_interrupted():
    schedule = long_queue(500)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            schedule.verify()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    schedule.verify()


@pytest.mark.long
def test_a_long_queue_on_many_clusters_is_checked_in_reasonable_time():
    """Waiting jobs that do not fit cost little time, so twice as many jobs take about four times as
    long."""
    seconds = []
    for jobs in (1_000, 2_000):
        schedule = long_queue(jobs, clusters=200)
        begin = time.process_time()
        schedule.verify()
        seconds.append(time.process_time() - begin)
    assert seconds[1] < 6 * seconds[0]
