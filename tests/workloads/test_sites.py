"""Parts of logs; jobs are given to sites, and chopped where a machine is too small for them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import coalloc_lib as co
from coalloc_lib.workloads.sites import (
    checked_sites,
    extract,
    least_loaded,
    modified,
    round_robin,
    staying,
)
from coalloc_lib.workloads.swf import SwfLog
from coalloc_lib.workloads.swf_lines import FIELDS

JOBS = co.JobStream([0, 1, 2], [10, 20, 30], [3, 9, 20], request="total")
FOUR = co.JobStream([0, 1, 2, 3], [5, 0, 5, 5], [1, 1, 1, 1])
SYSTEM = co.Multicluster([8, 4])

jobs_rows = st.lists(
    st.tuples(*[st.integers(0, 5)] * 2, st.integers(1, 6)), min_size=1, max_size=30
)


def log_of(rows):
    """Return a log of jobs, given the number, the submission and the user of each job."""
    table = pd.DataFrame(-1, index=range(len(rows)), columns=list(FIELDS))
    table[["job", "submit", "user"]] = rows
    return SwfLog({}, table.assign(runtime=1.0, allocated_processors=1))


def test_an_extract_counts_the_jobs_that_run_in_order_of_submission():
    jobs = co.JobStream([9, 1, 2, 3, 4], [5, 5, 0, 5, 5], [1, 2, 3, 4, 5])
    assert extract(jobs, 1, 4).number.tolist() == [2, 4, 5, 1]
    assert extract(jobs, 2, 3).submit.tolist() == [3, 4]
    assert extract(jobs, 3, 3).submit.tolist() == [4]
    assert extract(jobs, 2.0, 3.0).submit.tolist() == [3, 4]


@given(jobs_rows, st.integers(1, 6))
def test_round_robin_goes_by_submission(rows, sites):
    site = round_robin(co.JobStream(*zip(*rows, strict=True)), sites)
    in_turn = [site[job] for job in sorted(range(len(rows)), key=lambda job: rows[job][0])]
    assert in_turn == [number % sites for number in range(len(rows))]


@given(jobs_rows, st.lists(st.sampled_from([1, 2, 4, 8]), min_size=1, max_size=4))
def test_the_site_with_the_least_work_for_its_size_is_next(rows, sizes):
    jobs = co.JobStream(*zip(*rows, strict=True))
    site = least_loaded(jobs, co.Multicluster(sizes))
    given = [0.0] * len(sizes)
    for job in sorted(range(len(rows)), key=lambda job: rows[job][0]):
        assert site[job] == given.index(min(given))
        given[site[job]] += jobs.work[job] / sizes[site[job]]


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
    assert chopped.subjobs.processors.tolist() == sizes
    assert chopped.job.tolist() == job
    assert chopped.subjobs.work.sum() == JOBS.work.sum()


def test_a_share_of_each_sites_jobs_stays():
    site = np.arange(6000) % 3
    home = staying(site, [0.2, 0.5, 1.0], seed=1)
    assert set(zip(site, home, strict=True)) == {(0, 0), (0, -1), (1, 1), (1, -1), (2, 2)}
    for number, share in enumerate([0.2, 0.5, 1.0]):
        stayed = int((home[site == number] >= 0).sum())
        assert stats.binomtest(stayed, 2000, share).pvalue > 0.001 if share < 1 else stayed == 2000
    assert staying([0, 1, 0, 1], [0.0, 1.0], seed=1).tolist() == [-1, 1, -1, 1]
    assert (staying(site, 0, seed=1) == -1).all()
    few, many = (staying(site, share, seed=1) >= 0 for share in (0.2, 0.3))
    assert (few <= many).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: extract(FOUR, 0, 2), "first = 0; give a whole number of 1 or more"),
        (lambda: extract(FOUR, 3, 2), "last = 2 is below first = 3; swap them"),
        (lambda: extract(FOUR, 1, 4), "last = 4, but only 3 of the 4 jobs .* last = 3 or"),
        (lambda: extract(log_of([(1, 0, 0)]), 1, 1), r"is not of type JobStream; .* or log.jobs()"),
        (lambda: checked_sites([0, 1], JOBS, SYSTEM), r"site has shape \(2,\), but there are 3"),
        (lambda: checked_sites([0, 2, 1], JOBS, SYSTEM), r"site\[1\] = 2, .* numbers from 0 to 1"),
        (lambda: checked_sites([0, -1, 1], JOBS, SYSTEM), r"site\[1\] = -1"),
        (lambda: round_robin(JOBS, 0), "sites = 0"),
        (lambda: modified(JOBS, SYSTEM, [0] * 3, 4), "modification = 4; choose one of 'local'"),
        (lambda: least_loaded(JOBS, [8, 4]), r"system = \[8, 4\] is not of type Multicluster"),
        (lambda: staying([0, 1, 1], 1.5, 1), r"share\[0\] = 1.5; give probabilities from"),
        (lambda: staying([0, 1, 1], [0.1] * 3, 1), "share has 3 entries, but there are 2 sites"),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(co.InputError, match=words):
        call()
