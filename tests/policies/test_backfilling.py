"""EASY and conservative backfilling: by hand, against textbook versions, on real logs."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.schedules.verification import ScheduleError
from tests import naive_backfilling as naive
from tests import naive_multicluster as several
from tests.cases import cases
from tests.conftest import POLICIES
from tests.engines.test_agreement import both

NAN = np.nan


def stream(rows, request="total", **columns):
    """Return the stream of jobs given as rows (submit, runtime, estimate, processors)."""
    submit, runtime, estimate, processors = zip(*rows, strict=True)
    return co.JobStream(submit, runtime, processors, estimate, request=request, **columns)


def run(sizes, rows, policy, placement=None, **columns):
    """Simulate jobs on both engines, and return the schedule, which must be the same."""
    jobs = stream(rows, **columns)
    return both(co.Multicluster(sizes), jobs, scheduling=policy, placement=placement)


def assert_starts(schedule, start, promised):
    """Assert the start and the first promised start of each job."""
    assert schedule.start.tolist() == start
    np.testing.assert_array_equal(schedule.promised, promised)


@pytest.mark.parametrize(
    ("penalty", "start", "end", "promised"),
    [(0.5, 1, 13, NAN), (0.75, 6, 14, 6), ({2: 0.5, 3: 9.0}, 1, 13, NAN), ({2: 0.75}, 6, 14, 6)],
)
def test_an_adaptive_job_spans_only_where_one_cluster_would_be_later(penalty, start, end, promised):
    """Two clusters of 4 processors have 2 idle processors each when job 2 is submitted.

    Job 2 needs 4 processors for 8 units of time. One cluster is idle at 6.
    """
    rows = [(0, 6, 6, 2), (0, 9, 9, 2), (1, 8, 8, 4)]
    spread = {"request": "flexible", "span_penalty": penalty}
    placement = co.SingleThenSpan(single=co.WorstFit())
    schedule = run([4, 4], rows, co.EASY(adaptive=True), placement, **spread)
    assert (schedule.start[2], schedule.end[2]) == (start, end)
    np.testing.assert_array_equal(schedule.promised[2], promised)


def test_a_head_that_may_wait_is_promised_what_it_can_expect_at_the_latest():
    """Job 2 needs 5 processors: both clusters together have them at 5, and one cluster at 9.

    On both clusters, job 2 runs 3 or 5 units of time longer than on one cluster.
    """
    rows = [(0, 5, 5, 4), (0, 9, 9, 4), (1, 10, 10, 5), (2, 4, 4, 1)]
    for penalty, start, promised in ((0.3, 5, 8), (0.5, 9, 9)):
        how = {"request": "flexible", "span_penalty": penalty}
        schedule = run([4, 6], rows, co.EASY(adaptive=True), co.SingleThenSpan(), **how)
        assert (schedule.start[2], schedule.promised[2]) == (start, promised)


def test_who_waits_for_one_cluster_without_need_is_found():
    """`verify` rejects a schedule in which job 2 waits for a single cluster without a reason.

    It waits until 6, as adaptive EASY demands for a span penalty of 0.75. For a penalty of 0.5, or
    under plain EASY, it would have to start at its submission.
    """
    rows = [(0, 6, 6, 2), (0, 9, 9, 2), (1, 8, 8, 4)]
    how = {"request": "flexible", "span_penalty": 0.75}
    placement = co.SingleThenSpan(single=co.WorstFit())
    waits = run([4, 4], rows, co.EASY(adaptive=True), placement, **how)
    cheaper = waits.jobs.replace(span_penalty=0.5)
    for change in ({"scheduling": co.EASY()}, {"jobs": cheaper}):
        with pytest.raises(ScheduleError, match=r"job 2 at 1: EASY\(.*\) would start it now"):
            replace(waits, **change).verify()


@pytest.mark.parametrize("adaptive", ["no", 1, None])
def test_a_policy_is_adaptive_or_not(adaptive):
    with pytest.raises(co.InputError, match=rf"^adaptive = {adaptive!r}; give True or False$"):
        co.EASY(adaptive=adaptive)


def test_adaptive_spanning_needs_a_placement_that_may_do_either():
    how = {"request": "flexible", "span_penalty": 0.5}
    with pytest.raises(co.InputError, match=r"placement = WorstFit.*; give SingleThenSpan\(\)"):
        run([4, 4], [(0, 1, 1, 5)], co.EASY(adaptive=True), co.WorstFit(), **how)


EASY, CONSERVATIVE = co.EASY(), co.Conservative()
#: Examples that were worked out by hand. Each has the number of processors, the jobs, and for each
#: policy the starts and the first promised starts of the jobs.
BY_HAND = {
    # Job 0 has 6 processors until 8, and job 1, the head of the queue, needs 8. Job 2 starts
    # because it ends by 8. Job 4 takes the two extra nodes, which job 5 can then not use.
    "the textbook's example": (
        10,
        [(0, 8, 8, 6), (1, 5, 5, 8), (2, 3, 3, 2), (3, 6, 6, 4), (4, 12, 12, 2), (5, 13, 13, 2)],
        {EASY: ([0, 8, 2, 13, 4, 13], [NAN, 8, NAN, 13, NAN, NAN])},
    ),
    # Job 1, the head of the queue, leaves one processor idle at its promised start. EASY gives it
    # to job 3 until 20, so job 2, which needs all 4 processors, waits until then.
    "conservative delays no one where EASY delays the second in the queue": (
        4,
        [(0, 10, 10, 3), (1, 5, 5, 3), (2, 5, 5, 4), (3, 17, 17, 1)],
        {
            EASY: ([0, 10, 20, 3], [NAN, 10, 20, NAN]),
            CONSERVATIVE: ([0, 10, 15, 20], [0, 10, 15, 20]),
        },
    ),
    # In floating point, 0.1 + 0.6 equals 0.7. The last job would end one rounding error later.
    "a job may end at the very instant of the promise": (
        4,
        [(0, 0.7, 0.7, 3), (0, 5, 5, 4), (0.1, 0.6, 0.6, 1), (0.1, 0.6, 0.6000000000000001, 1)],
        {EASY: ([0, 0.7, 0.1, 5.7], [NAN, 0.7, NAN, 5.7])},
    ),
    "a head that waits for a job of no time is promised this instant": (
        4,
        [(1, 0, 0, 4), (1, 2, 2, 4), (1, 0, 5, 4), (1, 1, 1, 4)],
        {EASY: ([1, 1, 3, 3], [NAN, 1, 3, 8])},
    ),
    # At 5, job 0 leaves, and two jobs are due that need the same processors: job 4 with a length of
    # 0, and job 3, which is ahead of it in the queue. Job 4 starts first, and leaves before job 3
    # starts.
    "jobs of no time go first at their instant": (
        4,
        [(0, 5, 5, 2), (0, 4, 8, 1), (0, 100, 100, 1), (1, 10, 10, 3), (2, 0, 0, 2)],
        {CONSERVATIVE: ([0, 0, 0, 5, 5], [0, 0, 0, 8, 5])},
    ),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_on_one_cluster_by_hand(case):
    size, rows, answers = BY_HAND[case]
    for policy, answer in answers.items():
        assert_starts(run([size], rows, policy), *answer)


#: Job 0 has 3 of the 4 processors. It is expected to end at 12, and ends at 10. Job 3 needs one
#: processor for 10 units of time, and each of the other jobs needs all processors.
QUEUED = [(0, 10, 12, 3), (1, 5, 5, 4), (2, 4, 4, 4), (3, 10, 10, 1), (4, 1, 1, 4)]


@pytest.mark.parametrize(
    ("policy", "start", "promised"),
    [
        # Each new job except job 3 becomes the head of the queue. Job 3 would delay the head.
        (co.EASY(order="shortest"), [0, 15, 11, 20, 10], [NAN, 12, 12, 20, 12]),
        (co.EASY(order="smallest"), [0, 18, 14, 3, 13], [NAN, 12, 12, NAN, 13]),
        (co.EASY(order="priority"), [0, 18, 13, 3, 17], [NAN, 12, 12, NAN, 17]),
        # At 10, job 4 is the first job that is offered an earlier start, and starts immediately.
        # Job 2 is offered one before job 1, but no earlier interval is idle.
        (co.Conservative(order="shortest"), [0, 11, 16, 20, 10], [0, 12, 17, 21, 31]),
    ],
)
def test_who_comes_first_in_the_queue_by_hand(policy, start, promised):
    assert_starts(run([4], QUEUED, policy, priority=[0, 1, 2, 3, 2]), start, promised)


@pytest.mark.parametrize(
    ("placement", "clusters"),
    [(co.WorstFit(), [1, 0, 1]), (co.BestFit(), [0, 1, 0])],
)
def test_where_components_go_decides_who_passes(placement, clusters):
    """A job that would delay the head may start after another job has started.

    The head needs 3 processors on each cluster of 4 at instant 5. One long job of 1 processor may
    therefore overtake it on each cluster. The placement puts job 2 and then job 3 on the same
    cluster, where job 3 would delay the head. Job 4 ends by 5. After it has started, the placement
    puts job 3 on the other cluster.
    """
    rows = [(0, 5, 5, (2, 0)), (1, 5, 5, (3, 3)), *[(1, 20, 20, (1, 0))] * 2, (1, 4, 4, (0, 1))]
    schedule = run([4, 4], rows, EASY, placement, request="unordered")
    assert_starts(schedule, [0, 5, 1, 1, 1], [NAN, 5, NAN, NAN, NAN])
    assert schedule.allocation[2:].argmax(axis=1).tolist() == clusters


def test_a_head_that_never_fits_is_passed_by_no_one():
    """No job overtakes a head for which a user's placement never finds processors."""

    class Narrow(co.BestFit):
        def place(self, components, request, idle):
            fit = super().place(components, request, idle)
            return fit if sum(components) < 4 else None

    jobs = stream([(0, 5, 5, 2), (1, 5, 5, 4), (2, 1, 1, 1)])
    how = {"placement": Narrow(), "engine": "reference"}
    for policy in (EASY, CONSERVATIVE):
        with pytest.raises(co.InputError, match=r"left \d jobs waiting .* with job 1"):
            co.simulate(co.Multicluster([4]), jobs, scheduling=policy, **how)


def assert_as_naive(size, jobs, engines=("compiled", "reference")):
    """Assert that these engines start every job when the textbook versions start it."""
    order = np.argsort(jobs.submit, kind="stable")
    columns = (jobs.submit, jobs.runtime, jobs.estimate, jobs.processors)
    rows = list(zip(*(column[order].tolist() for column in columns), strict=True))
    easy, (conservative, promised) = naive.easy(size, rows), naive.conservative(size, rows)
    for engine in engines:
        how = {"engine": engine, "placement": co.BestFit()}
        schedule = co.simulate(co.Multicluster([size]), jobs, scheduling=EASY, **how).verify()
        assert schedule.start[order].tolist() == easy
        schedule = co.simulate(co.Multicluster([size]), jobs, scheduling=CONSERVATIVE, **how)
        schedule.verify()
        assert schedule.start[order].tolist() == conservative
        assert schedule.promised[order].tolist() == promised


PLAIN = {"has_tables": False, "has_reservations": False}


@given(cases(POLICIES["EASY"], most_clusters=1, **PLAIN), st.sampled_from([0.5, 1.0, 3.0]))
def test_on_one_cluster_both_are_the_textbooks(case, longer):
    """Some jobs end early and some at the same instant; all expected lengths are above 0."""
    jobs = case.jobs.replace(estimate=np.maximum(case.jobs.estimate, longer), request="total")
    assert_as_naive(case.system.largest, jobs)


def key_of(policy, jobs):
    """Return the sort key of each job in the order of a policy, or None for order of arrival."""
    expected = np.where(jobs.estimate > jobs.runtime, jobs.estimate, jobs.runtime)
    area = expected * jobs.components.sum(axis=1)
    return {"shortest": expected, "smallest": area, "priority": -jobs.priority}.get(policy.order)


@pytest.mark.parametrize("name", ["EASY", "EASY-ordered", "Conservative", "Conservative-ordered"])
@settings(max_examples=3 * settings.default.max_examples)
@given(data=st.data())
def test_multiclusters_are_run_as_the_definition_says(name, data):
    """Both engines agree with a third implementation, which was written from the definition."""
    system, jobs, how = data.draw(cases(POLICIES[name], **PLAIN))
    policy, placement = how["scheduling"], how["placement"]
    schedule = co.simulate(system, jobs, scheduling=policy, placement=placement)
    by_hand = getattr(several, type(policy).__name__)(
        system.sizes, jobs, placement, key_of(policy, jobs)
    )
    np.testing.assert_array_equal(schedule.start, by_hand.start)
    np.testing.assert_array_equal(schedule.promised, by_hand.promised)
    np.testing.assert_array_equal(schedule.allocation, by_hand.allocation)


@pytest.mark.parametrize("policy", [EASY, CONSERVATIVE], ids=str)
@pytest.mark.parametrize("request_type", ["ordered", "unordered", "flexible", "total"])
def test_both_engines_agree_on_a_long_queue(policy, request_type):
    """The queue is long enough for trees of several levels and for a profile that has to grow.

    Some rows of the trees are lower than necessary.
    """
    rng = np.random.default_rng(5)
    n = 400 if policy == EASY else 100  # The readable policy compares every two jobs.
    shape = n if request_type == "total" else (n, 3)
    submit, runtime = rng.integers(0, n // 10, n), rng.exponential(2, n)
    components, estimate = rng.integers(1, 8, shape), rng.exponential(4, n)
    jobs = co.JobStream(submit, runtime, components, estimate, request_type, 0.25)
    schedule = both(co.Multicluster([12, 9, 8]), jobs, scheduling=policy)
    assert schedule.queue_length([n // 10])[0] > n / 4


LOGS = [("KTH-SP2", 100), ("CTC-SP2", 338), ("HPC2N", 240), ("DAS2-fs1", 64)]
MULTICLUSTERS = [
    ("total", co.BestFit(), 0.0),
    ("flexible", co.SingleThenSpan(), 0.25),
    ("unordered", co.SingleThenSpan(), 0.25),
    ("unordered", co.WorstFit(), 0.25),
]


load = cache(partial(co.load_trace, missing="error"))


def log_jobs(name, largest, estimates="requested"):
    """Return the jobs of a real log that fit on a cluster of a given size."""
    return load(name).jobs("total", estimates, 0.0, largest)


@pytest.mark.parametrize(("name", "size"), LOGS)
@pytest.mark.parametrize(
    ("most", "estimates"),
    [
        (300, "requested"),
        (300, "exact"),
        pytest.param(700, "requested", marks=pytest.mark.long),
        pytest.param(80_000, "requested", marks=pytest.mark.long),
    ],
)
def test_jobs_of_real_logs_start_as_in_the_textbooks(real_logs, name, size, most, estimates):
    if name == "HPC2N":  # Its 200,000 jobs would take the textbook version hours.
        most = min(most, 20_000)
    jobs = log_jobs(name, size, estimates)[:most]
    if estimates == "exact":  # The textbook version does not support jobs of length 0.
        jobs = jobs[jobs.runtime > 0]
    assert_as_naive(size, jobs, ("compiled", "reference") if most <= 700 else ["compiled"])


@pytest.mark.parametrize(("name", "size"), LOGS)
@pytest.mark.parametrize(("request_type", "placement", "penalty"), MULTICLUSTERS)
@pytest.mark.parametrize("most", [(300, 300), pytest.param((None, 5000), marks=pytest.mark.long)])
def test_real_logs_on_several_clusters(
    real_logs, name, size, request_type, placement, penalty, most
):
    """Both engines make the same schedules of real logs; the readable engine gets fewer jobs."""
    clusters = [size // 2, size // 4, size // 4]
    jobs = log_jobs(name, clusters[0]).replace(span_penalty=penalty)
    jobs = jobs.split(at_most=clusters[2]) if request_type == "unordered" else jobs
    jobs = jobs.replace(request=request_type)
    for policy, count in zip((EASY, CONSERVATIVE), most, strict=True):
        how = {"scheduling": policy, "placement": placement}
        both(co.Multicluster(clusters), jobs[:count], **how)


@pytest.mark.parametrize(("name", "size"), LOGS)
@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(50), EASY, CONSERVATIVE], ids=str)
@pytest.mark.parametrize("most", [3000, pytest.param(None, marks=pytest.mark.long)])
def test_schedules_of_logs_keep_the_rules(real_logs, name, size, policy, most):
    jobs = log_jobs(name, size)[:most]
    co.simulate(co.Multicluster([size]), jobs, scheduling=policy).verify()


#: Job 1 asks for all four processors from the instant 5 on. Job 2 ends before 5, and job 3 does
#: not.
RESERVED = [(0, 4, 4, 2), (0, 2, 2, 4), (1, 3, 3, 2), (1, 6, 6, 1)]


@pytest.mark.parametrize(
    ("earliest", "latest", "start"),
    [(5, np.inf, [0, 5, 1, 7]), (3, np.inf, [0, 4, 1, 6]), (3, 3.5, [0, NAN, 1, 4])],
)
def test_conservative_plans_around_a_reservation(earliest, latest, start):
    wishes = {
        "earliest_start": [0, earliest, 1, 1],
        "latest_start": [np.inf, latest, *2 * [np.inf]],
    }
    schedule = run([4], RESERVED, CONSERVATIVE, **wishes)
    np.testing.assert_array_equal(schedule.start, start)
    assert schedule.promised[1] == start[1] or schedule.refused[1] == (0, "past its latest start")


class Own(co.EASY):
    """A user-defined policy that is derived from EASY."""


@pytest.mark.parametrize("engine", [None, "compiled", "reference"])
@pytest.mark.parametrize("policy", [co.FCFS(), co.FPFS(2), EASY, co.EASY(adaptive=True), Own()])
@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"earliest_start": [0, 5, 1, 1]}, "earliest_start = 5 and latest_start = inf"),
        ({"latest_start": [np.inf, 9, 9, np.inf]}, "earliest_start = 0 and latest_start = 9"),
    ],
)
def test_jobs_that_reserve_are_refused_by_all_other_queue_policies(engine, policy, wish, words):
    jobs, serve = stream(RESERVED, **wish), r"does not serve; use Conservative\(\) or Online\(\)"
    with pytest.raises(co.InputError, match=rf"^job 1 has {words}, which .*{serve}"):
        co.simulate(co.Multicluster([4]), jobs, scheduling=policy, engine=engine)


@pytest.mark.parametrize("policy", [CONSERVATIVE, co.Online(1, 1, 9, 30)])
def test_the_policies_that_an_error_names_serve_jobs_that_reserve(policy):
    schedule = run([4], RESERVED, policy, earliest_start=[0, 5, 1, 1])
    assert schedule.start[1] == 5


def test_a_policy_of_ones_own_is_said_to_take_long(monkeypatch):
    plain = run([4], RESERVED, EASY)
    monkeypatch.setattr("coalloc_lib.simulation.run.LONG", 3)
    with pytest.warns(UserWarning, match="Own.* has no compiled form with WorstFit.*; 4 jobs"):
        own = co.simulate(plain.system, plain.jobs, scheduling=Own())
    assert_starts(own, plain.start.tolist(), plain.promised)


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (co.EASY(), "EASY()"),
        (co.EASY(order="shortest", adaptive=True), "EASY(adaptive=True, order='shortest')"),
        (co.Conservative(order="priority"), "Conservative(order='priority')"),
    ],
)
def test_a_policy_shows_the_options_that_differ_from_their_defaults(policy, text):
    assert repr(policy) == text
