"""Jobs that are sent to a site when they are submitted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from coalloc_lib.policies.dispatching import AtSubmission
from coalloc_lib.schedules.verification import ScheduleError
from coalloc_lib.simulation import sites
from coalloc_lib.simulation.run import ENGINES
from coalloc_lib.simulation.sites import dispatching, ways
from tests.conftest import ordered, systems_and_streams
from tests.naive_backfilling import dispatched

SYSTEM = co.Multicluster([8, 4])
SYSTEM_OF_FOUR = co.Multicluster([4, 4])
JOBS = co.JobStream([2, 0, 1, 3], [5, 6, 7, 8], [4, 8, 3, 2])
SITE = [0, 0, 1, 1]


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
    rank = np.argsort(dispatching._queues(system, jobs, policy.order, one.owner), axis=1)[:, rows]
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
    columns = ways.at_each_site(SYSTEM, right.jobs, np.array([0, 0]), co.EASY(), "compiled")
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
    monkeypatch.setattr("coalloc_lib.simulation.sites.dispatching.LONG", 3)
    with pytest.warns(UserWarning, match=r"dispatch under Conservative\(\) has no compiled form"):
        sites.dispatch(SYSTEM, JOBS, scheduling=co.Conservative())
    sites.dispatch(SYSTEM, JOBS)
