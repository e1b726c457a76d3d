"""Jobs are given to sites, and chopped where a machine is too small for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import coalloc_lib as co
from coalloc_lib.workloads.sites import (
    checked_sites,
    least_loaded,
    modified,
    round_robin,
    staying,
)

JOBS = co.JobStream([0, 1, 2], [10, 20, 30], [3, 9, 20], request="total")
SYSTEM = co.Multicluster([8, 4])

times = st.lists(st.integers(0, 5), min_size=1, max_size=30)


@given(times, st.integers(1, 6))
def test_round_robin_goes_by_submission(submit, sites):
    jobs = co.JobStream(submit, np.ones(len(submit)), np.ones(len(submit), int))
    site = round_robin(jobs, sites)
    in_turn = [site[job] for job in sorted(range(len(submit)), key=submit.__getitem__)]
    assert in_turn == [number % sites for number in range(len(submit))]


@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 2, st.integers(1, 6)), min_size=1, max_size=30),
    st.lists(st.sampled_from([1, 2, 4, 8]), min_size=1, max_size=4),
)
def test_the_site_with_the_least_work_for_its_size_is_next(rows, sizes):
    jobs = co.JobStream(*zip(*rows, strict=True))
    site = least_loaded(jobs, co.Multicluster(sizes))
    given = [0.0] * len(sizes)
    for job in sorted(range(len(rows)), key=lambda job: rows[job][0]):
        assert site[job] == given.index(min(given))
        given[site[job]] += jobs.work[job] / sizes[site[job]]


def test_the_least_loaded_sites_are_offered_one_load():
    jobs = co.JobModel(co.uniform(1, 8)).sample(4000, seed=5, rate=1.0)
    site = least_loaded(jobs, SYSTEM)
    load = np.bincount(site, jobs.work) / SYSTEM.as_array()
    # Greedy: two sites never differ by more than the last job that one of them was given.
    assert abs(load[0] - load[1]) <= (jobs.work / SYSTEM.as_array()[site]).max()


@pytest.mark.parametrize(
    ("modification", "sizes", "job"),
    [
        ("local", [3, 4, 4, 1, 8, 8, 4], [0, 1, 1, 1, 2, 2, 2]),
        ("largest", [3, 8, 1, 8, 8, 4], [0, 1, 1, 2, 2, 2]),
        ("unchanged", [3, 9, 20], [0, 1, 2]),
    ],
)
def test_the_three_modifications(modification, sizes, job):
    chopped = modified(JOBS, SYSTEM, [0, 1, 0], modification)
    assert chopped.pieces.processors.tolist() == sizes
    assert chopped.job.tolist() == job
    assert chopped.pieces.work.sum() == JOBS.work.sum()


@pytest.mark.parametrize(
    ("site", "words"),
    [
        ([0, 1], r"site has shape \(2,\) and there are 3 jobs; give one a job"),
        (0, r"site has shape \(\)"),
        ([0, 2, 1], r"site\[1\] = 2, and the system has 2 sites; give numbers from 0 to 1"),
        ([0, -1, 1], r"site\[1\] = -1"),
        ([0, 0.5, 1], r"site\[1\] = 0.5"),
    ],
)
def test_bad_sites(site, words):
    with pytest.raises(co.InputError, match=words):
        checked_sites(site, JOBS, SYSTEM)


def test_other_mistakes_are_named():
    with pytest.raises(co.InputError, match="sites = 0"):
        round_robin(JOBS, 0)
    with pytest.raises(co.InputError, match="modification = 4; choose one of 'local'"):
        modified(JOBS, SYSTEM, [0, 0, 0], 4)
    with pytest.raises(co.InputError, match=r"system = \[8, 4\] is no Multicluster"):
        least_loaded(JOBS, [8, 4])


def test_a_share_of_each_sites_jobs_stays():
    site = np.arange(6000) % 3
    home = staying(site, [0.2, 0.5, 1.0], seed=1)
    assert set(zip(site, home, strict=True)) == {(0, 0), (0, -1), (1, 1), (1, -1), (2, 2)}
    for number, share in enumerate([0.2, 0.5, 1.0]):
        stayed = int((home[site == number] >= 0).sum())
        assert stats.binomtest(stayed, 2000, share).pvalue > 0.001 if share < 1 else stayed == 2000
    assert (staying(site, 0, seed=1) == -1).all()
    few, many = (staying(site, share, seed=1) >= 0 for share in (0.2, 0.3))
    assert (few <= many).all()


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.5, r"share\[0\] = 1.5; give numbers from 0 to 1"),
        ([0.1, -0.2], r"share\[1\] = -0.2"),
        ([0.1, 0.2, 0.3], "share has 3 entries and there are 2 sites; give one number, or one a"),
    ],
)
def test_bad_shares(share, words):
    with pytest.raises(co.InputError, match=words):
        staying([0, 1, 1], share, seed=1)
