"""Directions and symmetries: how the schedule has to move when the input does.

The directions are stated only where they hold job by job: under FCFS on one cluster a start is
the latest of some submissions and ends, so it can never come earlier when one of those comes
later. With several clusters, or with jobs that overtake, single jobs may gain from more load
(scheduling anomalies), so there only means over long streams are compared.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coalloc_lib as co
from tests.conftest import placements, policies, systems_and_streams
from tests.engines.test_agreement import same


@st.composite
def single_clusters(draw):
    """A single cluster and a stream in whole numbers."""
    size = draw(st.integers(1, 9))
    n = draw(st.integers(1, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    jobs = co.JobStream(
        submit=rng.integers(0, 60, n),
        runtime=rng.integers(0, 12, n),
        components=rng.integers(1, size + 1, n),
    )
    return size, jobs


@given(single_clusters(), st.integers(1, 9), st.data())
def test_less_to_do_or_more_room_makes_no_job_wait_longer(case, more, data):
    """Fewer jobs, shorter ones, more processors; or twice the time between submissions."""
    size, jobs = case
    n, system = len(jobs), co.Multicluster([size])
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    cut = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    shorter = jobs.replace(runtime=np.maximum(jobs.runtime - cut, 0))
    start = co.simulate(system, jobs).start
    assert (co.simulate(co.Multicluster([size + more]), jobs).start <= start).all()
    assert (co.simulate(system, shorter).start <= start).all()
    if kept.any():
        assert (co.simulate(system, jobs[kept]).start <= start[kept]).all()
    rarer = co.simulate(system, jobs.replace(submit=2 * jobs.submit))
    assert (rarer.wait <= start - jobs.submit).all()


def four_clusters(n, seed=1):
    """The multicluster of the papers, with components of U[1,16] and times of mean 1."""
    return co.Multicluster.equal(4, 32), co.JobModel(co.uniform(1, 16), 4).sample(n, seed, rate=1.0)


@pytest.mark.parametrize(
    ("kinds", "step"),
    [
        ([("unordered", co.FCFS()), *(("unordered", co.FPFS(n)) for n in (7, 50, 500))], 0.003),
        ([(request, co.FCFS()) for request in ("ordered", "unordered", "flexible")], 0.02),
    ],
    ids=["jumps", "requests"],
)
def test_more_freedom_uses_more_of_the_system(kinds, step):
    """In heavy traffic on common random numbers: jumps fill the holes that FCFS leaves."""
    system, jobs = four_clusters(60_000)
    busy = []
    for request, policy in kinds:
        schedule = co.simulate(
            system, jobs.replace(request=request), scheduling=policy, backlog=1000
        )
        busy.append(schedule.utilization(0, schedule.jobs.submit.max()))
    assert all(more > less + step for less, more in pairwise(busy))


def test_a_run_leaves_its_input_as_it_was():
    """Runs do not reach one another: a stream simulated between two others changes nothing."""
    system, jobs = four_clusters(3000)
    first = co.simulate(system, jobs)
    co.simulate(co.Multicluster([64]), jobs[:100].replace(request="total"), scheduling=co.FPFS(9))
    same(first, co.simulate(system, jobs))
    same(first, co.simulate(*four_clusters(3000)))
    assert first.wait.mean() != co.simulate(*four_clusters(3000, 2)).wait.mean()


@given(systems_and_streams(), policies, st.data())
def test_the_units_of_time_and_processors_do_not_matter(case, scheduling, data):
    """Powers of two scale time without rounding, so every bit is kept."""
    system, jobs = case
    factor = data.draw(st.sampled_from([0.125, 2.0, 1024.0]))
    how = {"scheduling": scheduling, "placement": data.draw(placements(len(system), jobs.request))}
    times = {name: getattr(jobs, name) * factor for name in ("submit", "runtime", "estimate")}
    one = co.simulate(system, jobs, **how)
    larger = co.Multicluster(3 * system.as_array())
    other = co.simulate(larger, jobs.replace(components=3 * jobs.components, **times), **how)
    np.testing.assert_array_equal(one.start * factor, other.start)
    np.testing.assert_array_equal(one.end * factor, other.end)
    np.testing.assert_array_equal(3 * one.allocation, other.allocation)


@given(systems_and_streams(requests=("ordered",)), policies, st.data())
def test_names_of_clusters_do_not_matter_to_ordered_requests(case, scheduling, data):
    system, jobs = case
    clusters = len(system)
    missing = clusters - jobs.components.shape[1]
    components = np.pad(jobs.components, ((0, 0), (0, missing)))
    order = np.array(data.draw(st.permutations(range(clusters))))
    turned = co.Multicluster(system.as_array()[order])
    one = co.simulate(system, jobs, scheduling=scheduling)
    other = co.simulate(
        turned, jobs.replace(components=components[:, order]), scheduling=scheduling
    )
    np.testing.assert_array_equal(one.start, other.start)
    np.testing.assert_array_equal(one.allocation[:, order], other.allocation)


@given(systems_and_streams(requests=("unordered",)), policies, st.data())
def test_positions_of_components_do_not_matter_to_unordered_requests(case, scheduling, data):
    system, jobs = case
    order = data.draw(st.permutations(range(jobs.components.shape[1])))
    shuffled = jobs.replace(components=jobs.components[:, list(order)])
    one, other = (co.simulate(system, stream, scheduling=scheduling) for stream in (jobs, shuffled))
    np.testing.assert_array_equal(one.start, other.start)
    np.testing.assert_array_equal(one.allocation, other.allocation)


@settings(max_examples=60)
@given(single_clusters(), policies)
def test_one_cluster_knows_no_difference_between_requests(case, scheduling):
    size, jobs = case
    schedules = [
        co.simulate(co.Multicluster([size]), jobs.replace(request=request), scheduling=scheduling)
        for request in ("ordered", "unordered", "flexible", "total")
    ]
    for other in schedules[1:]:
        np.testing.assert_array_equal(schedules[0].start, other.start)
