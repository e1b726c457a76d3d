"""Sites by themselves, sharing their jobs, and with jobs that span them; what each gains."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.intervals import DAY, WEEK
from coalloc_lib.policies.dispatching import AtSubmission
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.simulation import sites
from coalloc_lib.simulation.run import ENGINES
from coalloc_lib.simulation.sites import ALL, compare_sites
from coalloc_lib.workloads.sites import MODIFICATIONS, extract, modified, round_robin
from tests.conftest import ordered, policies, systems_and_streams
from tests.naive_backfilling import dispatched

SYSTEM = co.Multicluster([8, 4])
SYSTEM_OF_FOUR = co.Multicluster([4, 4])
JOBS = co.JobStream([2, 0, 1, 3], [5, 6, 7, 8], [4, 8, 3, 2])
SITE = [0, 0, 1, 1]


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
    """Jobs that keep a system of the paper busy, some wider than their site, with a site each."""
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
            sites.local(system, chopped.pieces, site[chopped.job]).verify()
        if modification != "unchanged":
            sites.sharing(system, chopped.pieces).verify()
        spread = sites.multi_site(system, chopped.pieces, 0.2).verify()
        assert set(spread.jobs.span_penalty) == {0.2}


def test_an_extract_of_a_real_log_at_the_sites(real_logs, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    jobs = extract(co.load_trace("CTC-SP2", missing="error").jobs(), 20_001, 22_000)
    system = co.Multicluster.named("m384")
    site = round_robin(jobs, len(system))
    chopped = modified(jobs, system, site, "local")
    assert len(chopped.pieces) > 2000
    apart = sites.local(system, chopped.pieces, site[chopped.job], scheduling=co.FPFS(20)).verify()
    shared = sites.sharing(system, jobs, scheduling=co.FPFS(20)).verify()
    # Locally one job in six has 384 processors to go to, and all others 64 or 16.
    weights = (each.average_weighted_response_time() for each in (shared, apart))
    assert next(weights) < next(weights)


def test_without_penalty_multi_site_is_a_single_machine():
    """Under FCFS a job starts as soon as all sites together have room, which is all that counts."""
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


def test_a_job_goes_where_it_can_expect_to_start_first():
    """Site 0 of eight and site 1 of four; who says 9 leaves at 4, which no one can expect."""
    rows = [
        (0, 4, 9, 8, 0),  # too wide for site 1
        (1, 4, 4, 4, 1),
        (2, 1, 1, 4, 1),  # at 5; site 0 says 9
        (3, 1, 1, 4, 1),  # at 6
        (4, 9, 9, 3, 0),  # at once, as site 0 is free by now
        (4, 2, 2, 5, 0),  # leaves none idle there
    ]
    submit, runtime, estimate, processors, site = zip(*rows, strict=True)
    jobs = co.JobStream(submit, runtime, processors, estimate)
    for engine in ENGINES:
        sent = sites.dispatch(SYSTEM, jobs, engine=engine).verify()
        assert sent.site.tolist() == [*site]
        assert sent.start.tolist() == [0, 1, 5, 6, 4, 4]


def test_a_tie_goes_to_the_site_that_is_left_the_fuller_then_to_the_first():
    jobs = co.JobStream([0, 0, 1], [5, 5, 5], [4, 4, 2])
    assert sites.dispatch(SYSTEM, jobs).site.tolist() == [1, 0, 0]
    assert sites.dispatch(co.Multicluster([4, 4]), jobs[:2]).site.tolist() == [0, 1]


@given(systems_and_streams(requests=("total",)), st.data())
def test_both_engines_send_jobs_to_the_same_sites(case, data):
    """Each site then runs them as if they had been its own, and so does the readable policy."""
    system, jobs = case
    number = st.integers(-1, len(system) - 1)
    home = np.array(data.draw(st.lists(number, min_size=len(jobs), max_size=len(jobs))))
    home[jobs.processors > system.as_array()[home]] = -1
    policy = data.draw(st.sampled_from([co.EASY(), co.EASY(), co.Conservative()]) | ordered)
    jobs = jobs.replace(priority=np.arange(len(jobs)) % 3)
    owner = np.array(data.draw(st.lists(number, min_size=len(jobs), max_size=len(jobs))))
    owner = data.draw(st.sampled_from([None, owner]))
    how = {"scheduling": policy, "home": home, "owner": owner}
    one, other = (sites.dispatch(system, jobs, engine=engine, **how).verify() for engine in ENGINES)
    np.testing.assert_array_equal(one.site, other.site)
    np.testing.assert_array_equal(one.start, other.start)
    assert (one.site[home >= 0] == home[home >= 0]).all()
    rows = np.argsort(jobs.submit, kind="stable")
    rank = np.argsort(sites._queues(system, jobs, policy.order, one.owner), axis=1)[:, rows]
    sent = AtSubmission(policy, tuple(home[rows].tolist()), tuple(map(tuple, rank.tolist())))
    run = co.simulate(system, jobs, scheduling=sent, engine="reference")
    np.testing.assert_array_equal(one.start, run.start)
    np.testing.assert_array_equal(one.allocation, run.allocation)
    np.testing.assert_array_equal(one.promised, run.promised)


@given(systems_and_streams(requests=("total",), most_jobs=25), st.sampled_from([0.5, 1.0, 3.0]))
def test_jobs_are_sent_where_the_naive_plan_says(case, longer):
    system, jobs = case
    jobs = jobs.replace(estimate=np.maximum(jobs.estimate, longer))
    order = np.argsort(jobs.submit, kind="stable")
    columns = (jobs.submit, jobs.runtime, jobs.estimate, jobs.processors)
    rows = list(zip(*(column[order].tolist() for column in columns), strict=True))
    schedule = sites.dispatch(system, jobs)
    assert schedule.site[order].tolist() == dispatched(system.sizes, rows)


def test_real_logs_are_sent_alike_by_both_engines(real_logs, monkeypatch):
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    jobs = co.load_trace("KTH-SP2", missing="error").jobs("total", "requested", 0.0, 40)
    system = co.Multicluster([40, 30, 40])
    jobs = jobs[jobs.processors <= 40][2000:3000].with_load(system, 0.9)
    one, other = (sites.dispatch(system, jobs, engine=engine) for engine in ENGINES)
    np.testing.assert_array_equal(one.verify().site, other.site)
    assert np.bincount(one.site).min() > 100


def test_the_users_of_a_site_go_before_its_guests():
    """Jobs 1 and 2 wait at site 0, from 4 on; the guest, 1, came first, and goes last."""
    system = co.Multicluster([4, 8])
    jobs = co.JobStream([0, 1, 2], [5, 5, 5], [4, 4, 4])
    for engine in ENGINES:
        how = {"home": [0, 0, 0], "engine": engine}
        assert sites.dispatch(system, jobs, **how).start.tolist() == [0, 5, 10]
        sent = sites.dispatch(system, jobs, owner=[0, 1, 0], **how).verify()
        assert sent.start.tolist() == [0, 10, 5]
    # Job 3 can start at site 0 at 9; at site 1 after its guest, 2, at 11, and before it at 6.
    jobs = co.JobStream([0, 0, 1, 2], [9, 6, 5, 1], [4, 8, 8, 4])
    for engine in ENGINES:
        how = {"home": [0, 1, 1, -1], "engine": engine}
        assert sites.dispatch(system, jobs, **how).start.tolist() == [0, 0, 6, 9]
        sent = sites.dispatch(system, jobs, owner=[0, 1, 0, 1], **how).verify()
        assert sent.start.tolist() == [0, 0, 7, 6]


def test_a_job_that_was_sent_to_another_site_is_noticed():
    jobs = co.JobStream([0, 1], [5, 5], [4, 2])
    right = sites.dispatch(SYSTEM, jobs).verify()
    assert right.site.tolist() == [1, 0]
    columns = sites._at_each_site(SYSTEM, right.jobs, np.array([0, 0]), co.EASY(), "compiled")
    wrong = replace(right, **columns)
    with pytest.raises(ScheduleError, match=r"job 0 at 0: was sent to site 0, .* at site 1 at 0$"):
        wrong.verify()
    replace(wrong, home=np.array([0, -1])).verify()


def test_what_cannot_be_dispatched_is_refused(monkeypatch):
    for policy in (co.FCFS(), co.Online()):
        with pytest.raises(co.InputError, match=r"plans no starts; give EASY\(\) or Conservative"):
            sites.dispatch(SYSTEM, JOBS, scheduling=policy)
    with pytest.raises(co.InputError, match="home has shape"):
        sites.dispatch(SYSTEM, JOBS, home=[0])
    with pytest.raises(co.InputError, match="the largest cluster has 8"):
        sites.dispatch(SYSTEM, co.JobStream([0], [1], [9]))
    ahead = JOBS.replace(earliest_start=JOBS.submit + 5)
    with pytest.raises(co.InputError, match="ask for a later or a latest start"):
        sites.dispatch(SYSTEM, ahead)
    monkeypatch.setattr("coalloc_lib.simulation.sites.LONG", 3)
    with pytest.warns(UserWarning, match=r"dispatch under Conservative\(\) has no compiled form"):
        sites.dispatch(SYSTEM, JOBS, scheduling=co.Conservative())
    sites.dispatch(SYSTEM, JOBS)


def moved(schedule, job, start):
    """The schedule with a job moved to another start."""
    times = {}
    for name in ("start", "end"):
        times[name] = getattr(schedule, name).copy()
        times[name][job] += start - schedule.start[job]
    return replace(schedule, **times)


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


def assert_same(one, other):
    """Assert that two schedules start the same jobs at the same times in the same places."""
    for column in ("start", "end", "allocation", "promised"):
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column), column)


def with_homes(system, jobs, data):
    """A home of each job on a cluster that holds it, or -1."""
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
    """In both engines; where all stay as ordered requests, where none does as without homes."""
    system, jobs = case
    home = with_homes(system, jobs, data)
    case = system, jobs, data.draw(st.sampled_from([0.0, 0.25, 1.0, {2: 0.1, 3: 0.9}]))
    rule = data.draw(st.sampled_from([co.BestFit(), co.WorstFit()]))
    how = {"single": rule, "scheduling": policy}
    one, other = (sites.multi_site(*case, home=home, engine=engine, **how) for engine in ENGINES)
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
        mine = sites.multi_site(system, jobs[stays], case[-1], **how)
        assert_same(mine, co.simulate(system, ordered, scheduling=co.EASY(order=policy.order)))


def test_who_stays_waits_for_its_site_beside_who_spans_adaptively():
    """Two clusters of four with two idle each: one job wants four of cluster 1, the other any.

    Job 2 waits for its site, free at 9. Job 3 spans from 2 to 2 + 4 (1 + p), or is on cluster 0
    from 6 to 10.
    """
    jobs = co.JobStream([0, 0, 1, 2], [6, 9, 5, 4], [2, 2, 4, 4], request="total")
    home = [0, 1, 1, -1]
    for engine in ENGINES:
        how = {"home": home, "scheduling": co.EASY(adaptive=True), "engine": engine}
        waits = sites.multi_site(SYSTEM_OF_FOUR, jobs, 1.0, **how)
        assert waits.start.tolist() == [0, 0, 9, 6]
        assert waits.promised[2] == 9
        spans = sites.multi_site(SYSTEM_OF_FOUR, jobs, 0.5, **how)
        assert spans.start.tolist() == [0, 0, 9, 2]


def test_what_is_wrongly_joined_is_found():
    schedule = sites.local(SYSTEM, JOBS, SITE)
    with pytest.raises(ScheduleError, match="job 0 is not where and when site 0 runs it"):
        moved(schedule, 0, 20).verify()
    allocation = schedule.allocation.copy()
    allocation[3] = 2, 0
    with pytest.raises(ScheduleError, match="job 3 is not where and when site 1 runs it"):
        replace(schedule, allocation=allocation).verify()
    with pytest.raises(ScheduleError, match="cluster 1 runs 5 processors and has 4"):
        moved(schedule, 3, 4).verify()
    # A site whose jobs wait for nothing keeps the model's rules and breaks those of FCFS.
    late = schedule.at | {1: moved(schedule.at[1], 1, 16)}
    with pytest.raises(ScheduleError, match=r"job 3 at 8: FCFS\(\) starts it then, .* only at 16"):
        replace(moved(schedule, 3, 16), at=late).verify()


def test_a_job_that_left_its_site_or_was_held_there_is_found():
    jobs = co.JobStream([0, 1], [10, 10], [3, 3])
    schedule = sites.sharing(SYSTEM, jobs, home=[0, -1])
    with pytest.raises(ScheduleError, match=r"job 0 at 0: has \[0, 3\]"):
        replace(schedule, allocation=schedule.allocation[:, ::-1]).verify()
    with pytest.raises(ScheduleError, match=r"job 1 at 1: FCFS\(\) starts it then, .* only at 10"):
        moved(schedule, 1, 10).verify()


def test_refused_jobs_and_servers_keep_their_positions():
    """Job 1 is longer than the horizon, job 3 may start at 5 at the latest, and servers go on."""
    policy = co.Online(slot=1, step=1, max_attempts=20, horizon=10)
    jobs = JOBS.replace(runtime=[5, 16, 7, 8])
    schedule = sites.local(SYSTEM, jobs, SITE, scheduling=policy).verify()
    assert schedule.served.tolist() == [True, False, True, False]
    assert [servers.tolist() for servers in schedule.servers] == [
        [0, 1, 2, 3], [], [8, 9, 10], []
    ]  # fmt: skip
    assert schedule.attempts.tolist() == [1, 0, 1, 3]


HOLD = {"placement": co.HomeSite(co.BestFit())}
APART = {"scheduling": sites.AtEachSite(co.FCFS()), "engine": "reference"}


@pytest.mark.parametrize(
    ("run", "how", "words"),
    [
        (sites.local, {"site": [0, 0, 0, 0]}, "site gives no job to site 1 of 2; give it some"),
        (sites.local, {"site": [0, 1, 0, 1]}, "job 1 can never .* 8 processors, and its site 1"),
        (sites.sharing, {"jobs": JOBS.replace(request="ordered")}, "ordered requests, which name"),
        (sites.sharing, {"jobs": "jobs.swf"}, "jobs = 'jobs.swf' is no JobStream"),
        (sites.sharing, {"home": [2, 0, 0, 0]}, r"home\[0\] = 2, and the system .* give .*-1"),
        (sites.sharing, {"home": [0, 1, 0, 0]}, "job 1 can never .* 8 processors, and its site 1"),
        (sites.multi_site, {"span_penalty": -0.1}, r"span_penalty\[0\] = -0.1; give a finite"),
        (co.simulate, HOLD, "components has 1 columns, and HomeSite takes 3"),
        (co.simulate, APART, r"simulate\(\) has one; call coalloc_lib\.simulation\.sites"),
    ],
)
def test_bad_sites_are_named(run, how, words):
    with pytest.raises(co.InputError, match=words):
        run(**{"system": SYSTEM, "jobs": JOBS.replace(request="total")} | how)
    with pytest.raises(co.InputError, match="places no jobs that may leave"):
        co.HomeSite(co.HomeSite(co.BestFit()))


HOUR = 3600
CLUSTERS = {"north": 4, "south": 4}


def days_of(first, last, jobs):
    """Return a stream of the same jobs each day: (second of the day, run time, processors)."""
    rows = [(day * DAY + at, *rest) for day in range(first, last) for at, *rest in jobs]
    submit, runtime, processors = zip(*rows, strict=True)
    return co.JobStream(submit, runtime, processors, request="total")


def two_sites(north=(0, 35), south=(2, 40)):
    """Each day two jobs come in the north and one in the south.

    The second of the north finds one processor idle in each cluster: it waits an hour for either,
    or spans both at once.
    """
    return {
        "north": days_of(*north, [(100, HOUR, 3), (136, 2 * HOUR, 2)]),
        "south": days_of(*south, [(100, HOUR, 3)]),
    }


def row_of(table, site, weight):
    (row,) = table.query(f"site == {site!r} and weight == {weight!r}").to_dict("records")
    return row


class Own(co.FCFS):
    """A policy that the compiled engine does not know."""


@pytest.mark.parametrize("how", [{}, {"scheduling": Own(), "engine": "reference"}])
def test_what_sites_gain_by_hand(how):
    table = compare_sites(CLUSTERS, two_sites(), 0.25, **how)
    waiting, spanning = 2.99, 2.5  # an hour of waiting, less 36 s; a quarter more of running
    for weight, (first, second) in {"work": (3, 4), "processors": (3, 2)}.items():
        row = row_of(table, "north", weight)
        total = first + second
        alone, spread = (first + second * long for long in (waiting, spanning))
        assert row["local_h"] == pytest.approx(alone / total)
        assert row["sharing"] == pytest.approx(1)
        assert row["spanning"] == pytest.approx(spread / alone)
        assert row["spanned"] == pytest.approx(0.5)
        south, every = (row_of(table, site, weight) for site in ("south", ALL))
        assert [south[name] for name in ("local_h", "sharing", "spanning")] == pytest.approx(
            [1] * 3
        )
        assert every["local_h"] == pytest.approx((alone + 3) / (total + 3))
        assert every["spanning"] == pytest.approx((spread + 3) / (alone + 3))
    # From the first day that both have to the last.
    assert table["jobs"].tolist() == [66, 66, 33, 33, 99, 99]


def test_it_is_what_the_ways_to_run_give_of_each_sites_jobs():
    rng = np.random.default_rng(5)
    logs = {}
    for name, size, count in (("a", 32, 900), ("b", 8, 300), ("c", 16, 500)):
        runtime = rng.gamma(0.5, 30_000, count)
        submit = rng.uniform(0, 5 * WEEK, count)
        submit[:2] = 0, 5 * WEEK
        logs[name] = co.JobStream(submit, runtime, rng.integers(1, size + 1, count))
    # The names come in another order than the logs.
    clusters, policy = {"c": 16, "a": 32, "b": 8}, co.FCFS()
    table = compare_sites(clusters, logs, 0.1, scheduling=policy)
    jobs = co.merge(*logs.values()).replace(request="total")
    order = np.argsort(np.concatenate([log.submit for log in logs.values()]), kind="stable")
    site = np.repeat([1, 2, 0], [900, 300, 500])[order]
    how, system = {"scheduling": policy}, co.Multicluster([16, 32, 8])
    ran = [sites.local(system, jobs, site, **how), sites.sharing(system, jobs, **how),
           sites.multi_site(system, jobs, 0.1, **how)]  # fmt: skip
    for number, name in enumerate(clusters):
        mine = site == number
        work = jobs.work[mine]
        alone, shared, spread = ((work @ each.response[mine]) / work.sum() for each in ran)
        row = row_of(table, name, "work")
        got = [row["local_h"], row["sharing"], row["spanning"]]
        assert got == pytest.approx([alone / HOUR, shared / alone, spread / shared], rel=0.02)
        assert row["sharing_low"] < row["sharing"] < row["sharing_high"]
        assert row["jobs"] == len(logs[name])


def written(tmp_path, name, stream, start):
    path = tmp_path / f"{name}.swf"
    co.write_swf(path, stream, {} if start is None else {"UnixStartTime": start})
    return co.read_swf(path)


def test_logs_count_from_their_own_beginnings(tmp_path):
    """Two logs that each begin on their first day: two days apart, or a year."""
    began, year = 900_000_000, int(52 * WEEK)
    north, south = two_sites(north=(0, 35), south=(0, 38)).values()
    first = written(tmp_path, "north", north, began)
    later = written(tmp_path, "later", south, began + int(2 * DAY))
    table = compare_sites(CLUSTERS, {"north": first, "south": later}, 0.25)
    hand = compare_sites(CLUSTERS, two_sites(), 0.25)
    assert table["jobs"].tolist() == hand["jobs"].tolist()
    whole = [len(first), len(later)]
    assert table["of"].tolist() == [n for n in [*whole, sum(whole)] for _ in range(2)]
    assert (table["end"] - table["begin"]).dt.total_seconds().iloc[0] == pytest.approx(
        hand["end"].iloc[0] - hand["begin"].iloc[0]
    )
    assert table["begin"].iloc[0].timestamp() == pytest.approx(
        max(first.epoch, later.epoch), abs=86_400
    )
    for name in ("local_h", "sharing", "spanning", "spanned"):
        np.testing.assert_allclose(table[name], hand[name])
    logs = {"north": first, "south": written(tmp_path, "south", south, began + year)}
    words = r"no time .* north has \d+ from 1998-.* to 1998-.*; south has \d+ from 1999-"
    with pytest.raises(co.InputError, match=words + r".*; .* clock='weeks' \(--clock weeks\)"):
        compare_sites(CLUSTERS, logs, 0.25)
    table = compare_sites(CLUSTERS, logs, 0.25, clock="weeks")
    # At the same seconds of the same days.
    assert row_of(table, "north", "work")["spanned"] == pytest.approx(0.5)
    shift = sites._on_one_clock(logs, "weeks")["south"].submit - south.submit - began
    assert set(shift % WEEK) == {0}


def test_a_log_without_requested_times_says_so_unless_it_is_told_what_they_are(tmp_path):
    logs = {name: written(tmp_path, name, jobs, 0) for name, jobs in two_sites().items()}
    path = tmp_path / "north.swf"
    co.write_swf(path, logs["north"].table.assign(requested_time=-1), {"UnixStartTime": 0})
    logs["north"] = co.read_swf(path)
    with pytest.warns(UserWarning, match=r"north: (\d+) of \1 jobs have no requested time"):
        compare_sites(CLUSTERS, logs, 0.25)
    compare_sites(CLUSTERS, logs, 0.25, missing=7200)  # warnings are errors here
    assert set(sites._on_one_clock(logs, "calendar", 7200)["north"].estimate) == {7200}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"clusters": pd.Series(CLUSTERS)}, "clusters = .*; give a dict of two sites"),
        ({"clusters": {ALL: 4, "south": 4}}, "clusters has a site 'all sites', as the row of all"),
        ({"clusters": CLUSTERS | {"west": 4}}, "clusters and logs differ in 'west'"),
        ({"clusters": {"north": 2, "south": 1}}, r"south: (\d+) of \1 jobs .* largest=1 \(--larg"),
        ({"largest": 0}, "largest = 0; give a whole number of 1"),
        ({"largest": 2}, r"largest = 2 leaves no job of (north|south); give 3 or more"),
        (
            {"logs": two_sites() | {"south": co.JobStream([7], [1], [1])}, "clock": "weeks"},
            r"north has 70 from 100 sec.* south has 1 from 7 seconds to 7 seconds; .* longer ones",
        ),
        ({"scheduling": co.Online(max_attempts=1, horizon=1800)}, "refuses 99 of 99 jobs; give a"),
        ({"logs": two_sites((0, 20), (0, 20))}, "north, in the time that all logs have"),
        ({"span_penalty": -0.1}, "span_penalty = -0.1"),
        ({"clock": "days"}, "clock = 'days'"),
    ],
)
def test_bad_comparisons_are_named(change, words):
    how = {"clusters": CLUSTERS, "logs": two_sites(), "span_penalty": 0.25} | change
    with pytest.raises(co.InputError, match=words):
        compare_sites(**how)


def test_wide_jobs_are_counted_and_left_out_with_the_rows_of_the_rest_as_they_were(tmp_path):
    logs = {name: written(tmp_path, name, jobs, 0) for name, jobs in two_sites().items()}
    table = logs["north"].table.assign(job=lambda all_: all_["job"] + 1000)
    table.loc[3, "runtime"] = 0  # no job: rows below it move up
    table.loc[10, "allocated_processors"], table.loc[31, "allocated_processors"] = 7, 5
    co.write_swf(tmp_path / "north.swf", table, {"UnixStartTime": 0})
    logs["north"] = north = co.read_swf(tmp_path / "north.swf")
    words = rf"^north: 2 of \d+ jobs .* of 4 processors, as job {table['job'][10]} of 7;"
    with pytest.raises(co.InputError, match=words + r" .* largest=4 \(--largest 4\)$"):
        sites.together(CLUSTERS, logs)
    _, jobs, site, row = sites.together(CLUSTERS, logs, largest=4)
    mine, usable = site == 0, north.usable.iloc[row[site == 0]]
    assert set(table["job"]) - set(usable["job"]) >= {table["job"][at] for at in (3, 10, 31)}
    np.testing.assert_array_equal(usable["submit"], jobs.submit[mine])
    np.testing.assert_array_equal(usable["processors"], jobs.processors[mine])
    wide = compare_sites({"north": 8, "south": 4}, logs, 0.25)
    slim = compare_sites(CLUSTERS, logs, 0.25, largest=4)
    assert wide["jobs"].iloc[0] - slim["jobs"].iloc[0] == 2


def test_logs_that_do_not_say_when_they_begin_or_are_mixed_with_streams_are_named(tmp_path):
    north, south = two_sites().values()
    silent = written(tmp_path, "north", north, None)
    words = rf"north: {silent.source} has no UnixStartTime; .* clock='weeks' \(--clock weeks\)"
    with pytest.raises(co.InputError, match=words):
        compare_sites(CLUSTERS, {"north": silent, "south": silent}, 0.25)
    streams = sites._on_one_clock({"north": silent, "south": silent}, "weeks")
    np.testing.assert_array_equal(streams["south"].submit, north.submit)
    with pytest.raises(co.InputError, match="give all as"):
        compare_sites(CLUSTERS, {"north": silent, "south": south}, 0.25)
    ordered = co.JobStream([0, 1], [1, 1], [[3, 0], [0, 3]], request="ordered")
    with pytest.raises(co.InputError, match=r"logs\['south'\] has ordered requests"):
        compare_sites(CLUSTERS, {"north": north, "south": ordered}, 0.25)
