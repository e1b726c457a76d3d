"""Online scheduling: against a brute-force calendar and fractions, by hand, what is refused."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.calendar.periods import slot_of
from coalloc_lib.engines.kernels.booking import horizon_end
from coalloc_lib.schedules.verification import ScheduleError
from tests.cases import cases
from tests.conftest import POLICIES, onlines
from tests.engines.own_policies import policy
from tests.naive_booking import online


def book(system, jobs, policy, placement=None):
    """Return the schedule of the readable engine, after `verify` has checked it."""
    how = {"scheduling": policy, "placement": placement, "engine": "reference"}
    return co.simulate(co.Multicluster(np.atleast_1d(system)), jobs, **how).verify()


def total(rows, **more):
    """Return a stream of total requests, given as rows (submit, run time, processors)."""
    submit, runtime, processors = zip(*rows, strict=True)
    return co.JobStream(submit, runtime, processors, request="total", **more)


def numbers(schedule):
    return [servers.tolist() for servers in schedule.servers]


#: Slots of length 10, attempts every 5 units of time, at most 8 attempts, a horizon of 100.
TERMS = co.Online(10, 5, 8, 100)
LONG = replace(TERMS, min_length=7)


BOTH_RULES = POLICIES["Online-latest-start"] | POLICIES["Online-best-fit"]


@settings(max_examples=200)
@given(cases(BOTH_RULES, most_jobs=20, has_tables=False))
def test_each_job_gets_the_first_attempt_and_the_servers_of_a_brute_force_calendar(case):
    system, jobs, how = case
    policy, placement = how["scheduling"], how["placement"]
    schedule = book(system.sizes, jobs, policy, placement)
    for job, wanted in enumerate(online(system, jobs, policy, placement)):
        assert schedule.attempts[job] == wanted.attempts
        assert schedule.servers[job].tolist() == wanted.servers
        if wanted.why:
            assert schedule.refused[job] == (jobs.submit[job], wanted.why)
        else:
            assert schedule.start[job] == schedule.promised[job] == wanted.start


#: Lengths of slots that are rounded in floating point, and the exact lengths that a user means.
MEANT = {0.1: Fraction(1, 10), 0.3: Fraction(3, 10), 1 / 3: Fraction(1, 3)}


def at_the_edge(slot, horizon, count, most=3000):
    """Return requests for one processor that end near the horizon, and whether each ends in time.

    Exact fractions of the intended slot decide whether a request ends in time. All numbers of a
    request are then rounded once. Submissions are at most `most` slots from 0, at the beginning and
    in the middle of slots.
    """
    rng, unit = np.random.default_rng(ceil(10 * horizon)), MEANT[slot]
    slots, rows, fits = ceil(horizon / unit), [], []
    for first in np.sort(rng.integers(0, most, count)).tolist():
        now = (first + Fraction(int(rng.choice([0, 0, 1])), 2)) * unit
        ahead = Fraction(int(rng.integers(0, 4 * slots - 4)), 4) * unit
        until = (now // unit + slots) * unit
        length = until - now - ahead + Fraction(int(rng.choice([-4, -1, 0, 0, 0, 1, 4])), 4) * unit
        if length > 0:
            rows.append((float(now), float(length), float(now + ahead)))
            fits.append(now + ahead + length <= until)
    submit, runtime, earliest = zip(*sorted(rows), strict=True)
    fits = [fit for _, fit in sorted(zip(rows, fits, strict=True))]
    ones = [1] * len(rows)
    return total([*zip(submit, runtime, ones, strict=True)], earliest_start=earliest), fits


@pytest.mark.parametrize("horizon", [5, 10, 100])
@pytest.mark.parametrize("slot", MEANT)
@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_slots_are_counted_as_exact_fractions_are(engine, slot, horizon):
    """No request is accepted or rejected at the horizon only because 0.1 is rounded."""
    jobs, fits = at_the_edge(slot, horizon, 400)
    online = co.Online(slot, slot, 3, horizon)
    how = {"scheduling": online, "engine": engine}
    schedule = co.simulate(co.Multicluster([len(jobs)]), jobs, **how).verify()
    assert schedule.served.tolist() == fits
    assert 50 < sum(fits) < len(fits) - 50
    assert online.slots == ceil(horizon / MEANT[slot])


@pytest.mark.parametrize("horizon", [5, 10])
@pytest.mark.parametrize("slot", MEANT)
def test_trees_count_slots_so_too(slot, horizon):
    jobs, fits = at_the_edge(slot, horizon, 40, most=90)
    online = co.Online(slot, slot, 3, horizon, rule="first-found")
    assert book(len(jobs), jobs, online).served.tolist() == fits


@pytest.mark.parametrize("slot", [*MEANT, 0.7, 2.5, 900.0, 1 / 128, 1e-3])
def test_both_engines_count_the_same_slots(slot):
    """Each multiple of the slot begins a slot, also if it is rounded.

    If the multiples are exact, the floating-point number before one belongs to the slot before.
    """
    rules = co.Online(slot, horizon=100 * slot)
    for number in range(1, 2000):
        instant = number * slot
        before = np.nextafter(instant, 0)
        assert slot_of(instant, slot) == number
        assert slot_of(before, slot) == number - (slot in (2.5, 900, 1 / 128))
        assert slot_of(instant * (1 - 1e-11), slot) == number - 1
        for now in (instant, before, float(before * 0.99)):
            assert horizon_end.py_func(now, slot, rules.slots) == rules.horizon_end(now)


def test_first_found_is_for_one_cluster():
    jobs, rule = total([(0, 1, 1)]), replace(TERMS, rule="first-found")
    with pytest.raises(
        co.InputError, match=r"^sizes = \[2, 1\]; slot trees support only one cluster"
    ):
        book([2, 1], jobs, rule)


@settings(max_examples=60)
@given(cases(onlines(rules=("first-found",)), most_jobs=20, most_clusters=1, has_tables=False))
def test_whatever_servers_are_found_first_the_start_is_the_earliest_that_others_leave(case):
    system, jobs, how = case
    jobs, policy = jobs.replace(request="total"), how["scheduling"]
    schedule = book(system.sizes, jobs, policy)
    wanted = online(system, jobs, policy, chosen=schedule.servers)
    assert schedule.attempts.tolist() == [each.attempts for each in wanted]
    assert numbers(schedule) == [each.servers for each in wanted]


BEST, EARLY = replace(TERMS, rule="best-fit"), replace(TERMS, release_early=True)


@pytest.mark.parametrize(
    ("size", "rows", "more", "policy", "answer"),
    [
        # Job 0 runs until 12. The attempts for job 1 are at 3, 8 and 13. Processors 0 and 1 have
        # been idle since 12.
        (4, [(0, 12, 3), (3, 1, 2)], {}, TERMS,
         {"start": [0, 13], "attempts": [1, 3], "servers": [[0, 1, 2], [0, 1]]}),
        # The first attempt for an advance reservation is at its earliest start.
        (2, [(0, 5, 2), (0, 5, 2), (0, 9, 2)], {"earliest_start": [4, 0, 0]}, TERMS,
         {"start": [4, 10, 15], "attempts": [1, 3, 4], "wait": [4, 10, 15], "delay": [0, 10, 15]}),
        # Both processors are idle until 20, and processor 0 has been idle for longer.
        *((2, [(0, 4, 1), (0, 9, 1), (9, 5, 2), (9, 3, 1)], {"earliest_start": [0, 0, 20, 9]}, rule,
           {"servers": [[0], [1], [0, 1], [1]]}) for rule in (TERMS, BEST)),
        # Job 0 reserves 20 units of time and ends at 2. With `release_early`, its processors are
        # then idle.
        *((2, [(0, 2, 2), (2, 4, 2), (2, 4, 2)], {"estimate": [20, 4, 4]}, rule, {"start": start})
          for rule, start in ((TERMS, [0, 22, 27]), (EARLY, [0, 2, 7]))),
        # A job that ends early does not change the promised start of another job.
        (2, [(0, 2, 2), (1, 4, 2), (2, 4, 2)], {"estimate": [20, 4, 4]}, EARLY,
         {"start": [0, 21, 2], "promised": [0, 21, 2]}),
        # Each reservation is at least 7 long. Job 0 ends at 2 or at 0, and its processors stay
        # reserved until 7.
        *((2, [(0, run, 2), (1, 4, 2)], {}, LONG, {"start": [0, 11], "attempts": [1, 3]})
          for run in (2, 0)),
        (2, [(0, 2, 2), (3, 4, 2)], {}, replace(LONG, release_early=True), {"start": [0, 3]}),
        # Job 1 starts and ends at 5 on processor 0, which is then idle since 5. Processor 1 has
        # been idle since 4.
        (2, [(0, 3, 1), (0, 0, 1), (0, 4, 1), (6, 1, 1)],
         {"estimate": [3, 10, 4, 1], "earliest_start": [0, 5, 0, 6]}, EARLY,
         {"servers": [[0], [0], [1], [0]]}),
    ],
)  # fmt: skip
def test_by_hand(size, rows, more, policy, answer):
    schedule = book(size, total(rows, **more), policy)
    for name, values in answer.items():
        column = numbers(schedule) if name == "servers" else getattr(schedule, name).tolist()
        assert column == values, name


def test_attempts_and_servers_keep_to_the_positions_of_the_stream():
    jobs = total([(0, 12, 3), (3, 1, 2), (4, 0, 1)])
    back = book(4, jobs[::-1], TERMS)
    assert back.attempts.tolist() == [0, 3, 1]
    assert numbers(back) == [[], [0, 1], [0, 1, 2]]
    assert back.refused.keys() == {0}


@pytest.mark.parametrize("rule", ["latest-start", "best-fit", "first-found"])
@pytest.mark.parametrize("early", [False, True])
def test_a_length_that_rounding_takes_at_a_later_attempt_is_none(rule, early):
    """A request is rejected if a rounding error removes its length at a later attempt.

    Three of four processors are reserved until 3. From 1 on, adding 1e-16 to an instant does not
    change it. Adding 1e-15 to 3 does.
    """
    rows = [(0, 3, 3), (0, 1e-16, 2), (0, 1e-16, 1), (0, 1e-15, 2), (1, 5, 1)]
    policy = replace(TERMS, step=1, rule=rule, release_early=early)
    for engine in ["reference", "compiled"][: 1 + (rule != "first-found")]:
        how = {"scheduling": policy, "engine": engine}
        schedule = co.simulate(co.Multicluster([4]), total(rows), **how)
        np.testing.assert_array_equal(schedule.start, [0, np.nan, 0, 3, 1])
        assert schedule.attempts.tolist() == [1, 1, 1, 4, 1]
        assert schedule.refused == {1: (0, "no length")}


@settings(max_examples=100)
@given(st.data(), onlines())
def test_lengths_near_rounding_are_booked_alike_by_all(data, policy):
    """A request is rejected if its length is at most 2**-53 of its start."""
    lengths = st.sampled_from([1e-17, 2.0**-53, 2.0**-52, 5e-16, 1e-15, 3e-15, 1.0, 4.0])
    row = st.tuples(st.integers(0, 12), lengths, st.integers(1, 4))
    jobs = total(sorted(data.draw(st.lists(row, min_size=1, max_size=20))))
    wanted = online(co.Multicluster([5]), jobs, policy)
    for engine in ("reference", "compiled"):
        schedule = co.simulate(co.Multicluster([5]), jobs, scheduling=policy, engine=engine)
        assert schedule.attempts.tolist() == [job.attempts for job in wanted]
        assert numbers(schedule) == [job.servers for job in wanted]
        why = {i: (jobs.submit[i], job.why) for i, job in enumerate(wanted) if job.why}
        assert schedule.refused == why


@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(2)])
@pytest.mark.parametrize("wish", ["earliest_start", "latest_start"])
def test_no_other_policy_passes_a_wish_over_in_silence(policy, wish):
    with pytest.raises(co.InputError, match=r"^job 0 has earliest_start = "):
        co.simulate(co.Multicluster([2]), total([(0, 1, 1)], **{wish: [3]}), scheduling=policy)


def test_a_held_queue_is_refused():
    with pytest.raises(co.InputError, match=r"^backlog = 1 is given for Online"):
        co.simulate(co.Multicluster([2]), total([(0, 1, 1)]), scheduling=TERMS, backlog=1)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"slot": 0}, "slot = 0; give a finite number above 0"),
        ({"step": -1}, "step = -1; give a finite number above 0"),
        ({"horizon": np.inf}, "horizon = inf; give a finite number above 0"),
        ({"max_attempts": 1.5}, "max_attempts = 1.5; give a whole number of 1 or more"),
        ({"min_length": -1}, "min_length = -1; give a finite number of 0 or more"),
        ({"rule": "worst"}, "rule = 'worst'; choose one of 'latest-start', 'best-fit', 'first"),
        ({"release_early": 1}, "release_early = 1; give True or False"),
    ],
)
def test_terms_that_make_no_sense_are_refused(more, message):
    with pytest.raises(co.InputError, match=f"^{message}"):
        co.Online(**more)


def test_half_the_slots_are_attempts_where_none_are_given():
    assert co.Online().most_attempts == 28 * 24 * 4 // 2
    assert co.Online(slot=100, horizon=250).most_attempts == 1
    assert co.Online(slot=100, horizon=50).most_attempts == 1


def test_a_policy_of_ones_own_records_what_makes_sense():
    for recorded, message in (
        ((1, [0, 0]), r"Mine\(\) recorded servers \[0, 0\] of job 0; give different whole numbers"),
        ((1, [-1]), r"Mine\(\) recorded servers \[-1\] of job 0"),
        ((-1,), "attempts = -1; give a whole number of 0 or more"),
    ):
        mine = policy(lambda _self, state, each=recorded: state.record(state.queue[0], *each))
        with pytest.raises(co.InputError, match=f"^{message}"):
            book(4, total([(0, 1, 1)]), mine)


def test_a_policy_of_ones_own_may_take_reservations_and_tell_servers():
    def start_jobs(_self, state):
        for job in state.queue:
            if job.earliest_start <= state.now:
                state.record(job, 2, [3, 1])
                state.start(job)
            else:
                state.wake(job.earliest_start)

    mine = policy(start_jobs, takes_reservations=True)
    schedule = book(4, total([(0, 1, 2), (1, 1, 2)], earliest_start=[5, 1]), mine)
    assert schedule.start.tolist() == [5, 1]
    assert schedule.attempts.tolist() == [2, 2]
    assert numbers(schedule) == [[1, 3], [1, 3]]
    assert schedule.servers[-1].tolist() == [1, 3]
    with pytest.raises(IndexError):
        schedule.servers[2]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_submission_too_far_for_its_slots_is_refused(engine):
    jobs = co.JobStream([0, 1e200], [1, 1], [1, 1], request="total")
    with pytest.raises(
        co.InputError, match=r"^the instant 1e\+200 is more than .* slots of length 900"
    ):
        co.simulate(co.Multicluster([1]), jobs, scheduling=co.Online(), engine=engine)


def test_online_booking_promises_every_job_that_it_serves_a_start():
    jobs = co.JobStream([0, 1], [5, 5], [3, 3], request="total")
    policy = co.Online(slot=1, step=1, horizon=100)
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=policy)
    assert policy.promises_all
    assert schedule.promised.tolist() == [0, 5]
    without = replace(schedule, promised=np.array([0, np.nan]))
    with pytest.raises(ScheduleError, match="promised"):
        without.verify()
