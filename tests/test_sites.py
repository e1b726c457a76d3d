"""Sites by themselves, sharing their jobs, and with jobs that span them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib import sites
from coalloc_lib.metrics import summary
from coalloc_lib.scheduling import Scheduling
from coalloc_lib.simulation import ENGINES
from coalloc_lib.verification import ScheduleError
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, modified, round_robin
from tests.conftest import policies, systems_and_streams

SYSTEM = co.Multicluster([8, 4])
JOBS = co.JobStream([2, 0, 1, 3], [5, 6, 7, 8], [4, 8, 3, 2])
SITE = [0, 0, 1, 1]


def of_paper(name):
    """Jobs that keep a system of the paper busy, with a site each; some are wider than theirs."""
    system = co.Multicluster.named(name)
    jobs = co.JobModel(co.power_of_two(0.97, 1, 128), request="total")
    jobs = co.Scenario(system, jobs).sample(600, load=0.9, seed=4)
    return system, jobs, round_robin(jobs, len(system))


@settings(max_examples=100)
@given(systems_and_streams(requests=("total", "unordered", "flexible")), policies, st.data())
def test_a_site_knows_nothing_of_the_others(case, scheduling, data):
    """Each job runs as in a system of its site alone, and both engines say the same."""
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
    for number, size in enumerate(system.sizes):
        mine = site == number
        alone = co.simulate(
            co.Multicluster(size), jobs[mine].replace(request="total"), scheduling=scheduling
        )
        np.testing.assert_array_equal(one.start[mine], alone.start)
        np.testing.assert_array_equal(one.allocation[mine].sum(axis=1), jobs.processors[mine])
        assert not np.delete(one.allocation[mine], number, axis=1).any()


@pytest.mark.parametrize("name", ["m64", "m128", "m256", "m384", "m512"])
def test_the_scenarios_of_the_paper(name):
    """Every configuration, in every scenario that takes the modification, keeps the rules."""
    system, jobs, site = of_paper(name)
    for modification in MODIFICATIONS:
        chopped = modified(jobs, system, site, modification)
        pieces = chopped.pieces
        if modification == "local":
            sites.local(system, pieces, site[chopped.job]).verify()
        if modification != "unchanged":
            sites.sharing(system, pieces).verify()
        spread = sites.multi_site(system, pieces, 0.2).verify()
        assert spread.jobs.span_penalty.tolist() == [0.2] * len(pieces)


def test_an_extract_of_a_real_log_at_the_sites(real_logs, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    jobs = extract(co.load_trace("CTC-SP2", missing="error").jobs(), 20_001, 22_000)
    system = co.Multicluster.named("m384")
    site = round_robin(jobs, len(system))
    chopped = modified(jobs, system, site, "local")
    assert len(chopped.pieces) > 2000
    apart = sites.local(system, chopped.pieces, site[chopped.job], scheduling=co.FPFS(20)).verify()
    shared = sites.sharing(system, jobs, scheduling=co.FPFS(20)).verify()
    table = summary(apart, {"site": site}, chopped=chopped)
    assert table["jobs"].tolist()[1:] == np.bincount(site).tolist()
    # Locally one job in six has 384 processors to go to, and all others 64 or 16.
    assert summary(shared)["awrt_work"][0] < table["awrt_work"][0]


def test_without_penalty_multi_site_is_a_single_machine():
    """Under FCFS a job starts as soon as all sites together have room, which is all that counts."""
    system, jobs, _ = of_paper("m64")
    free = sites.multi_site(system, jobs, 0.0)
    np.testing.assert_array_equal(free.start, sites.single_machine(system, jobs).verify().start)
    assert free.spans.any()
    assert not np.array_equal(free.start, sites.multi_site(system, jobs, 0.4).start)


def test_the_machine_of_a_shared_job_is_best_fit_unless_another_is_given():
    jobs = co.JobStream([0], [1], [3])
    assert sites.sharing(SYSTEM, jobs).allocation.tolist() == [[0, 3]]
    worst = sites.sharing(SYSTEM, jobs, placement=co.WorstFit())
    assert worst.allocation.tolist() == [[3, 0]]
    assert sites.multi_site(SYSTEM, jobs, 0.1).allocation.tolist() == [[0, 3]]
    worst = sites.multi_site(SYSTEM, jobs, 0.1, single=co.WorstFit())
    assert worst.allocation.tolist() == [[3, 0]]


def test_a_joined_schedule_by_hand():
    """Job 1 fills site 0, so job 0 waits for it; site 1 holds its two one after the other."""
    schedule = sites.local(SYSTEM, JOBS, SITE).verify()
    assert schedule.start.tolist() == [6, 0, 1, 8]
    assert schedule.end.tolist() == [11, 6, 8, 16]
    assert schedule.allocation.tolist() == [[4, 0], [8, 0], [0, 3], [0, 2]]
    assert schedule.at[1].start.tolist() == [1, 8]
    assert schedule.jobs.request == "total"
    assert "AtEachSite(policy=FCFS())" in repr(schedule)


def moved(schedule, name, job, value):
    column = getattr(schedule, name).copy()
    column[job] = value
    return replace(schedule, **{name: column})


def test_what_is_wrongly_joined_is_found():
    schedule = sites.local(SYSTEM, JOBS, SITE)
    with pytest.raises(ScheduleError, match="job 0 is not where and when site 0 runs it"):
        moved(moved(schedule, "start", 0, 20.0), "end", 0, 25.0).verify()
    with pytest.raises(ScheduleError, match="job 3 is not where and when site 1 runs it"):
        moved(schedule, "allocation", 3, [2, 0]).verify()
    with pytest.raises(ScheduleError, match="cluster 1 runs 5 processors and has 4"):
        moved(moved(schedule, "start", 3, 4.0), "end", 3, 12.0).verify()


def test_each_sites_own_rules_are_checked():
    """A site whose jobs wait for nothing keeps the model's rules and breaks those of FCFS."""
    schedule = sites.local(SYSTEM, JOBS, SITE)
    late = moved(moved(schedule.at[1], "start", 1, 16.0), "end", 1, 24.0)
    joined = moved(moved(schedule, "start", 3, 16.0), "end", 3, 24.0)
    with pytest.raises(ScheduleError, match="starts at an instant at which no job"):
        replace(joined, at=schedule.at | {1: late}).verify()


class RefuseWide(Scheduling):
    """First come first served, but jobs of more than three processors are turned away."""

    def start_jobs(self, state):
        for job in tuple(state.queue):
            if job.processors > 3:
                state.refuse(job, "too wide")
            elif not state.start(job):
                break


def test_refused_jobs_keep_their_positions():
    jobs, site = JOBS[::-1], SITE[::-1]
    schedule = sites.local(SYSTEM, jobs, site, scheduling=RefuseWide(), engine="reference")
    schedule.verify()
    assert sorted(schedule.refused) == [2, 3]
    assert schedule.served.tolist() == [True, True, False, False]
    assert np.isnan(schedule.start[2:]).all()


@pytest.mark.parametrize(
    ("jobs", "site", "words"),
    [
        (JOBS, [0, 0, 0, 0], "site gives no job to site 1 of 2; give it some, or leave it out"),
        (JOBS, [0, 1, 0, 1], "job 1 can never start: 8 processors, and its site 1 has 4"),
        (JOBS, [0, 0, 1], r"site has shape \(3,\) and there are 4 jobs"),
        (JOBS, [0, 0, 1, 2], r"site\[3\] = 2, and the system has 2 sites"),
        (JOBS.replace(request="ordered"), SITE, "ordered requests, which name their clusters"),
        ("jobs.swf", SITE, "jobs = 'jobs.swf' is no JobStream"),
    ],
)
def test_bad_input_is_named(jobs, site, words):
    with pytest.raises(co.InputError, match=words):
        sites.local(SYSTEM, jobs, site)


def test_bad_penalties_and_jobs_of_no_machine_are_named():
    with pytest.raises(co.InputError, match=r"span_penalty\[0\] = -0.1; give a finite number of 0"):
        sites.multi_site(SYSTEM, JOBS, -0.1)
    with pytest.raises(co.InputError, match=r"job 0 can never start.*the largest cluster has 8"):
        sites.sharing(SYSTEM, co.JobStream([0], [1], [9]))
    with pytest.raises(co.InputError, match=r"simulate\(\) has one; call coalloc_lib\.sites"):
        co.simulate(
            SYSTEM, JOBS, scheduling=sites.AtEachSite(co.FCFS()), engine="reference",
            placement=co.SingleThenSpan(),
        )  # fmt: skip


@settings(max_examples=150)
@given(systems_and_streams(requests=("total",)), policies, st.data())
def test_jobs_that_stay_beside_jobs_that_may_leave(case, scheduling, data):
    """In both engines; and where all stay under FCFS, as ordered requests of one component."""
    system, jobs = case
    number = st.integers(-1, len(system) - 1)
    home = np.array(data.draw(st.lists(number, min_size=len(jobs), max_size=len(jobs))))
    home[jobs.processors > system.as_array()[home]] = -1
    rule = data.draw(st.sampled_from([co.BestFit(), co.FirstFit(), co.LeastLoaded(system)]))
    how = {"home": home, "scheduling": scheduling}
    for run in (
        lambda engine: sites.sharing(system, jobs, placement=rule, engine=engine, **how),
        lambda engine: sites.multi_site(system, jobs, 0.5, single=rule, engine=engine, **how),
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


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_waits_for_its_site_though_another_is_idle(engine):
    jobs = co.JobStream([0, 1, 2], [10, 10, 10], [4, 3, 3])
    free = sites.sharing(SYSTEM, jobs, engine=engine)
    assert free.start.tolist() == [0, 1, 2]
    staying = sites.sharing(SYSTEM, jobs, home=[1, 1, -1], engine=engine).verify()
    assert staying.start.tolist() == [0, 10, 10]
    overtaking = sites.sharing(
        SYSTEM, jobs, home=[1, 1, -1], scheduling=co.FPFS(1), engine=engine
    ).verify()
    assert overtaking.start.tolist() == [0, 10, 2]


def test_a_job_that_left_its_site_or_was_held_there_is_found():
    jobs = co.JobStream([0, 1], [10, 10], [3, 3])
    schedule = sites.sharing(SYSTEM, jobs, home=[0, -1])
    with pytest.raises(ScheduleError, match=r"job 0 at 0: has \[0, 3\]"):
        moved(schedule, "allocation", 0, [0, 3]).verify()
    with pytest.raises(ScheduleError, match="job 1 at 1: heads the queue and fits"):
        moved(moved(schedule, "start", 1, 10.0), "end", 1, 20.0).verify()


def test_bad_homes_are_named():
    with pytest.raises(
        co.InputError, match=r"home\[0\] = 2, and the system has 2 sites; give .*-1"
    ):
        sites.sharing(SYSTEM, JOBS, home=[2, 0, 0, 0])
    with pytest.raises(co.InputError, match=r"home\[1\] = -2"):
        sites.sharing(SYSTEM, JOBS, home=[0, -2, 0, 0])
    with pytest.raises(co.InputError, match="job 1 can never start: 8 processors, and its site 1"):
        sites.multi_site(SYSTEM, JOBS, 0.1, home=[0, 1, 0, 0])
    with pytest.raises(co.InputError, match="components has 1 columns, and HomeSite takes 3"):
        co.simulate(SYSTEM, JOBS.replace(request="total"), placement=co.HomeSite(co.BestFit()))
    with pytest.raises(co.InputError, match="places no jobs that may leave"):
        co.HomeSite(co.HomeSite(co.BestFit()))
