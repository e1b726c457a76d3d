"""Tests of several sites: local execution, job sharing, and jobs that span sites."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.schedules.drawing import held_until, passed_heads
from coalloc_lib.schedules.explain import why_waiting
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.simulation import sites
from coalloc_lib.simulation.run import ENGINES
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, modified, round_robin
from tests.conftest import policies, systems_and_streams

SYSTEM = co.Multicluster([8, 4])
SYSTEM_OF_FOUR = co.Multicluster([4, 4])
JOBS = co.JobStream([2, 0, 1, 3], [5, 6, 7, 8], [4, 8, 3, 2])
SITE = [0, 0, 1, 1]


@given(systems_and_streams(requests=("total", "unordered", "flexible")), policies, st.data())
def test_a_site_knows_nothing_of_the_others(case, scheduling, data):
    """With local execution, each job runs as in a system that consists of its site alone, and both
    engines agree."""
    system, jobs = case
    jobs = jobs.replace(components=np.minimum(jobs.processors, min(system.sizes)))
    number = st.integers(0, len(system) - 1)
    site = np.array(data.draw(st.lists(number, min_size=len(jobs), max_size=len(jobs))))
    site[: len(system)] = np.arange(len(system))[: len(jobs)]
    if len(jobs) < len(system):
        system = co.Multicluster(system.sizes[: len(jobs)])
        site %= len(system)
    one, other = (
        sites.local(system, jobs, site, scheduling=scheduling, engine=engine).verify()
        for engine in ENGINES
    )
    np.testing.assert_array_equal(one.end, other.end)
    np.testing.assert_array_equal(one.allocation, other.allocation)
    np.testing.assert_array_equal(one.promised, other.promised)
    assert one.jobs.request == "total"
    for number, size in enumerate(system.sizes):
        mine = site == number
        alone = co.simulate(
            co.Multicluster(size), jobs[mine].replace(request="total"), scheduling=scheduling
        )
        np.testing.assert_array_equal(one.start[mine], alone.start)
        np.testing.assert_array_equal(one.allocation[mine].sum(axis=1), jobs.processors[mine])
        assert not np.delete(one.allocation[mine], number, axis=1).any()


def of_paper(name):
    """Return a system of the paper, jobs that keep it busy, and the site of each job. Some jobs are
    wider than their sites."""
    system = co.Multicluster.named(name)
    jobs = co.JobModel(co.power_of_two(0.97, 1, 128), request="total")
    jobs = co.Scenario(system, jobs).sample(600, load=0.9, seed=4)
    return system, jobs, round_robin(jobs, len(system))


@pytest.mark.parametrize("name", ["m64", "m128", "m256", "m384", "m512"])
def test_the_scenarios_of_the_paper_keep_the_rules(name):
    system, jobs, site = of_paper(name)
    for modification in MODIFICATIONS:
        chopped = modified(jobs, system, site, modification)
        if modification == "local":
            sites.local(system, chopped.subjobs, site[chopped.job]).verify()
        if modification != "unchanged":
            sites.sharing(system, chopped.subjobs).verify()
        spread = sites.multi_site(system, chopped.subjobs, 0.2).verify()
        assert set(spread.jobs.span_penalty) == {0.2}


def test_an_extract_of_a_real_log_at_the_sites(real_logs, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    jobs = extract(co.load_trace("CTC-SP2", missing="error").jobs(), 20_001, 22_000)
    system = co.Multicluster.named("m384")
    site = round_robin(jobs, len(system))
    chopped = modified(jobs, system, site, "local")
    assert len(chopped.subjobs) > 2000
    apart = sites.local(system, chopped.subjobs, site[chopped.job], scheduling=co.FPFS(20)).verify()
    shared = sites.sharing(system, jobs, scheduling=co.FPFS(20)).verify()
    # With local execution, one of six sites has 384 processors, and the other sites have 64 or 16.
    weights = (each.average_weighted_response_time() for each in (shared, apart))
    assert next(weights) < next(weights)


def test_without_penalty_multi_site_is_a_single_machine():
    """With FCFS and without a penalty, a job starts as soon as all sites together have enough idle
    processors."""
    system, jobs, _ = of_paper("m64")
    free = sites.multi_site(system, jobs, 0.0)
    np.testing.assert_array_equal(free.start, sites.single_machine(system, jobs).verify().start)
    assert free.spans.any()
    assert not np.array_equal(free.start, sites.multi_site(system, jobs, 0.4).start)


def test_the_machine_of_a_shared_job_is_best_fit_unless_another_is_given():
    jobs, worst = co.JobStream([0], [1], [3]), co.WorstFit()
    for schedule, taken in (
        (sites.sharing(SYSTEM, jobs), [0, 3]),
        (sites.sharing(SYSTEM, jobs, placement=worst), [3, 0]),
        (sites.multi_site(SYSTEM, jobs, 0.1), [0, 3]),
        (sites.multi_site(SYSTEM, jobs, 0.1, single=worst), [3, 0]),
    ):
        assert schedule.allocation.tolist() == [taken]


def moved(schedule, job, start):
    """Return the schedule with one job moved to another start."""
    times = {}
    for name in ("start", "end"):
        times[name] = getattr(schedule, name).copy()
        times[name][job] += start - schedule.start[job]
    return replace(schedule, **times)


@given(systems_and_streams(requests=("total",)), policies, st.data())
def test_jobs_that_stay_beside_jobs_that_may_leave(case, scheduling, data):
    """Both engines agree. If all jobs must stay at their sites, they run like ordered requests with
    one component."""
    system, jobs = case
    home = with_homes(system, jobs, data)
    rule = data.draw(st.sampled_from([co.BestFit(), co.FirstFit(), co.LeastLoaded(system)]))
    how = {"home": home, "scheduling": scheduling}
    for run in (
        lambda engine: sites.sharing(system, jobs, placement=rule, engine=engine, **how),
        lambda engine: some_spanning(system, jobs, 0.5, single=rule, engine=engine, **how),
    ):
        one, other = (run(engine).verify() for engine in ENGINES)
        np.testing.assert_array_equal(one.end, other.end)
        np.testing.assert_array_equal(one.allocation, other.allocation)
        np.testing.assert_array_equal(one.promised, other.promised)
        stays = np.flatnonzero(home >= 0)
        assert (one.allocation[stays, home[stays]] == jobs.processors[stays]).all()
        assert not one.spans[stays].any()
    if (home >= 0).all():
        components = np.zeros((len(jobs), len(system)), dtype=int)
        components[np.arange(len(jobs)), home] = jobs.processors
        ordered = jobs.replace(components=components, request="ordered")
        alone = co.simulate(system, ordered, scheduling=scheduling)
        np.testing.assert_array_equal(alone.start, one.start)
    if (home < 0).all():
        np.testing.assert_array_equal(
            one.start, sites.multi_site(system, jobs, 0.5, single=rule, scheduling=scheduling).start
        )


def some_spanning(system, jobs, span_penalty, *, home, single=None, **how):
    """Return a schedule of multi-site execution in which jobs with a home stay at their homes."""
    home = np.asarray(home)
    components = np.zeros((len(jobs), len(system) + 1), dtype=int)
    components[np.arange(len(jobs)), home + 1] = jobs.processors
    jobs = jobs.replace(components=components, request="flexible", span_penalty=span_penalty)
    placement = co.HomeSite(co.SingleThenSpan(single=single or co.BestFit()))
    return co.simulate(system, jobs, placement=placement, **how)


def assert_same(one, other):
    """Assert that two schedules have the same starts, ends, allocations and promised starts."""
    for column in ("start", "end", "allocation", "promised"):
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column), column)


def with_homes(system, jobs, data):
    """Return, for each job, a random site that is large enough for it, or -1."""
    number = st.integers(-1, len(system) - 1)
    home = np.array(data.draw(st.lists(number, min_size=len(jobs), max_size=len(jobs))))
    home[jobs.processors > system.as_array()[home]] = -1
    return home


ADAPTIVE = st.builds(
    co.EASY, adaptive=st.just(True), order=st.sampled_from(["arrival", "arrival", "shortest"])
)


@settings(max_examples=4 * settings.default.max_examples)
@given(systems_and_streams(requests=("total",)), ADAPTIVE, st.data())
def test_adaptive_spanning_changes_nothing_for_whom_nothing_spans(case, policy, data):
    system, jobs = case
    home = with_homes(system, jobs, data) if data.draw(st.booleans()) else None
    plain = sites.sharing(system, jobs, home=home, scheduling=co.EASY(order=policy.order))
    for engine in ENGINES:
        how = {"home": home, "scheduling": policy, "engine": engine}
        assert_same(sites.sharing(system, jobs, **how), plain.verify())


@settings(max_examples=6 * settings.default.max_examples)
@given(systems_and_streams(requests=("flexible", "total")), ADAPTIVE, st.data())
def test_jobs_that_stay_beside_jobs_that_span_adaptively(case, policy, data):
    """Both engines agree. Jobs that must all stay at their sites run like ordered requests with one
    component."""
    system, jobs = case
    home = with_homes(system, jobs, data)
    case = system, jobs, data.draw(st.sampled_from([0.0, 0.25, 1.0, {2: 0.1, 3: 0.9}]))
    rule = data.draw(st.sampled_from([co.BestFit(), co.WorstFit()]))
    how = {"single": rule, "scheduling": policy}
    one, other = (some_spanning(*case, home=home, engine=engine, **how) for engine in ENGINES)
    assert_same(one, other)
    stays = home >= 0
    assert (one.allocation[stays, home[stays]] == jobs.processors[stays]).all()
    if not stays.any():
        assert_same(one, sites.multi_site(*case, **how))
    at_home = np.zeros((len(jobs), len(system)), dtype=int)
    at_home[np.arange(len(jobs)), home] = jobs.processors
    if stays.any():
        ordered = jobs.replace(components=at_home + ~stays[:, None], request="ordered")[stays]
        how["home"] = home[stays]
        mine = some_spanning(system, jobs[stays], case[-1], **how)
        assert_same(mine, co.simulate(system, ordered, scheduling=co.EASY(order=policy.order)))


def test_who_stays_waits_for_its_site_beside_who_spans_adaptively():
    """Each of two clusters of four processors has two idle processors. Job 2 needs four processors
    on cluster 1, and job 3 needs four on any clusters.

    Job 2 waits for its site, free at 9. Job 3 spans from 2 to 2 + 4 (1 + p), or is on cluster 0
    from 6 to 10.
    """
    jobs = co.JobStream([0, 0, 1, 2], [6, 9, 5, 4], [2, 2, 4, 4], request="total")
    home = [0, 1, 1, -1]
    for engine in ENGINES:
        how = {"home": home, "scheduling": co.EASY(adaptive=True), "engine": engine}
        waits = some_spanning(SYSTEM_OF_FOUR, jobs, 1.0, **how)
        assert waits.start.tolist() == [0, 0, 9, 6]
        assert waits.promised[2] == 9
        spans = some_spanning(SYSTEM_OF_FOUR, jobs, 0.5, **how)
        assert spans.start.tolist() == [0, 0, 9, 2]


def test_what_is_wrongly_joined_is_found():
    schedule = sites.local(SYSTEM, JOBS, SITE)
    with pytest.raises(ScheduleError, match="job 0 differs from the schedule of site 0"):
        moved(schedule, 0, 20).verify()
    allocation = schedule.allocation.copy()
    allocation[3] = 2, 0
    with pytest.raises(ScheduleError, match="job 3 differs from the schedule of site 1"):
        replace(schedule, allocation=allocation).verify()
    with pytest.raises(ScheduleError, match="cluster 1 has 4 processors, but 5 are in use"):
        moved(schedule, 3, 4).verify()
    # A job of this site waits although its processors are idle. This keeps the rules of the model
    # and breaks those of FCFS.
    late = schedule.at | {1: moved(schedule.at[1], 1, 16)}
    with pytest.raises(
        ScheduleError, match=r"job 3 at 8: FCFS\(\) would start it now .* only at 16"
    ):
        replace(moved(schedule, 3, 16), at=late).verify()


def test_a_job_that_left_its_site_or_was_held_there_is_found():
    jobs = co.JobStream([0, 1], [10, 10], [3, 3])
    schedule = sites.sharing(SYSTEM, jobs, home=[0, -1])
    with pytest.raises(ScheduleError, match=r"job 0 at 0: has the allocation \[0, 3\]"):
        replace(schedule, allocation=schedule.allocation[:, ::-1]).verify()
    with pytest.raises(
        ScheduleError, match=r"job 1 at 1: FCFS\(\) would start it now .* only at 10"
    ):
        moved(schedule, 1, 10).verify()


def test_refused_jobs_and_servers_keep_their_positions():
    """Job 1 is longer than the horizon, and job 3 must start by 5. The processors of site 1 have
    the numbers from 8 on."""
    policy = co.Online(slot=1, step=1, max_attempts=20, horizon=10)
    jobs = JOBS.replace(runtime=[5, 16, 7, 8])
    schedule = sites.local(SYSTEM, jobs, SITE, scheduling=policy).verify()
    assert schedule.served.tolist() == [True, False, True, False]
    assert [servers.tolist() for servers in schedule.servers] == [
        [0, 1, 2, 3], [], [8, 9, 10], []
    ]  # fmt: skip
    assert schedule.attempts.tolist() == [1, 0, 1, 3]


def test_a_job_waits_for_its_own_site_only():
    """Job 1 waits for its site, cluster 0, although cluster 1 is idle at that time."""
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [4, 4, 2])
    for policy in (co.FCFS(), co.EASY()):
        schedule = sites.local(SYSTEM_OF_FOUR, jobs, [0, 0, 1], scheduling=policy)
        assert schedule.start.tolist() == [0, 5, 2]
        reasons = ["needs 4 on cluster 1, where 0 are idle"]
        assert why_waiting(schedule, [1], [1]) == reasons
        assert passed_heads(schedule, np.arange(3)) == [None, None, None]


def test_a_job_waits_behind_and_overtakes_jobs_of_its_own_site_only():
    """At site 1, job 2 waits for job 1, and job 4 starts before job 2 under EASY. At site 0, job 3
    waits for job 0."""
    jobs = co.JobStream([0, 0, 1, 2, 3], [9, 9, 5, 5, 1], [4, 3, 4, 1, 1])
    site = [0, 1, 1, 0, 1]
    fcfs, easy = (
        sites.local(SYSTEM_OF_FOUR, jobs, site, scheduling=policy)
        for policy in (co.FCFS(), co.EASY())
    )
    assert why_waiting(fcfs, [4, 3], [3, 3]) == [
        "would fit, but waits behind job 3",
        "needs 1 on cluster 1, where 0 are idle",
    ]
    assert easy.start.tolist() == [0, 0, 9, 9, 3]
    assert passed_heads(easy, np.array([4, 3])) == [3, None]
    assert passed_heads(fcfs, np.arange(5)) == [None] * 5


def test_local_execution_has_the_traits_of_the_policy_of_its_sites():
    """Under `Online`, the processors of job 0, which ends at 5, stay booked until its estimated end
    at 9."""
    jobs = co.JobStream([0, 1], [5, 5], [4, 4], estimate=[9, 5])
    online = co.Online(slot=1, step=1, horizon=100, min_length=7)
    for policy, until in ((online, [9, 8]), (co.EASY(), [5, 6])):
        schedule = sites.local(SYSTEM_OF_FOUR, jobs, [0, 1], scheduling=policy).verify()
        assert held_until(schedule).tolist() == until
    assert schedule.scheduling.title == "EASY at each site"
    assert str(schedule.scheduling) == "EASY() at each site"
    assert ">EASY() at each site</td>" in schedule._repr_html_()
    assert repr(schedule).endswith(": EASY() at each site>")
    shortest, jumping = co.EASY(order="shortest"), co.FPFS(3, counted="head")
    for policy in (co.FCFS(), shortest, jumping, co.EASY(), co.Conservative(), online):
        for trait in {"takes_backlog", "order", "max_jumps", *sites.TRAITS}:
            assert getattr(sites.AtEachSite(policy), trait) == getattr(policy, trait)
    with pytest.raises(co.InputError, match="policy = 'FCFS' is not of type Scheduling"):
        sites.AtEachSite("FCFS")


HOLD = {"placement": co.HomeSite(co.BestFit())}
HELD = JOBS.replace(components=[1, 1, 1, 1], earliest_start=[2, 0, 1, 9])
SPLIT = type("Split", (co.FirstFit,), {"requests": ("unordered",)})()
APART = {"scheduling": sites.AtEachSite(co.FCFS()), "engine": "reference"}


@pytest.mark.parametrize(
    ("run", "how", "words"),
    [
        (sites.local, {"site": [0, 0, 0, 0]}, "site assigns no job to site 1 of the 2 sites"),
        (sites.local, {"site": [0, 1, 0, 1]}, "job 1 can never .* 8 processors, and its site 1"),
        (sites.local, {"jobs": HELD, "site": [0, 1, 1, 1]}, "job 3 has earliest_start = 9 and"),
        (sites.sharing, {"jobs": JOBS.replace(request="ordered")}, "requests, which already"),
        (sites.sharing, {"home": [-1] * 4, "placement": SPLIT}, "is for unordered requests"),
        (sites.sharing, {"jobs": "jobs.swf"}, "jobs = 'jobs.swf' is not of type JobStream"),
        (sites.sharing, {"home": [2, 0, 0, 0]}, r"home\[0\] = 2, but the system .* give .*-1"),
        (sites.sharing, {"home": [0, 1, 0, 0]}, "job 1 can never .* 8 processors, and its site 1"),
        (sites.multi_site, {"span_penalty": -0.1}, r"span_penalty\[0\] = -0.1; give a finite"),
        (co.simulate, HOLD, "components has 1 columns, and HomeSite takes 3"),
        (co.simulate, APART, r"has one queue; call coalloc_lib\.simulation\.sites\.local"),
    ],
)
def test_bad_sites_are_named(run, how, words):
    with pytest.raises(co.InputError, match=words):
        run(**{"system": SYSTEM, "jobs": JOBS.replace(request="total")} | how)
    with pytest.raises(co.InputError, match="cannot place jobs that may run at any site"):
        co.HomeSite(co.HomeSite(co.BestFit()))
