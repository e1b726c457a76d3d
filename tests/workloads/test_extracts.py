"""Parts of logs: which jobs they have, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.workloads.extracts import extract, flurries, without
from coalloc_lib.workloads.swf import FIELDS, SwfLog


def log_of(rows):
    """A log whose jobs have these (number, submission, user)."""
    table = pd.DataFrame(-1, index=range(len(rows)), columns=list(FIELDS))
    table[["job", "submit", "user"]] = rows
    return SwfLog({}, table.assign(runtime=1.0, allocated_processors=1))


def test_an_extract_counts_the_jobs_that_run_in_order_of_submission():
    jobs = co.JobStream([9, 1, 2, 3, 4], [5, 5, 0, 5, 5], [1, 2, 3, 4, 5])
    assert extract(jobs, 1, 4).number.tolist() == [2, 4, 5, 1]
    assert extract(jobs, 2, 3).submit.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (0, 2, "first = 0; give a whole number of 1 or more"),
        (3, 2, "last = 2 is below first = 3; swap them"),
        (1, 4, "last = 4, and 3 of the 4 jobs run for some time; give an extract that ends at 3"),
    ],
)
def test_bad_extracts(first, last, words):
    jobs = co.JobStream([0, 1, 2, 3], [5, 0, 5, 5], [1, 1, 1, 1])
    with pytest.raises(co.InputError, match=words):
        extract(jobs, first, last)


def test_a_log_is_asked_for_its_jobs_first():
    with pytest.raises(co.InputError, match=r"is no JobStream; give .* for a log log.jobs()"):
        extract(log_of([(1, 0, 0)]), 1, 1)


def test_extracts_of_a_real_log(real_traces):
    log = co.load_trace("CTC-SP2")
    jobs = log.jobs()
    last = extract(jobs, len(jobs) - 9, len(jobs))
    assert len(last) == 10
    assert last.number[-1] == log.usable["job"].iloc[-1]
    with pytest.raises(co.InputError, match=rf"give an extract that ends at {len(jobs)} or"):
        extract(jobs, 70_001, 80_000)


def by_definition(rows, most, within):
    """Ask of each job how many of its user's came up to so long before it."""
    return [
        number
        for place, (number, submit, user) in enumerate(rows)
        if user >= 0
        and most
        <= sum(
            who == user and submit - within <= when and (when, at) < (submit, place)
            for at, (_, when, who) in enumerate(rows)
        )
    ]


@pytest.mark.parametrize("seed", range(8))
def test_flurries_by_definition(seed):
    rng = np.random.default_rng(seed)
    rows = [
        (100 + place, int(rng.integers(0, 40)), int(rng.integers(-1, 3))) for place in range(60)
    ]
    log = log_of(rows)
    for most, within in ((1, 1), (2, 3), (4, 10), (100, 5)):
        assert flurries(log, most, within).tolist() == by_definition(rows, most, within)


def test_a_burst_keeps_its_first_jobs_and_other_users_all():
    rows = [(n, n, 7) for n in range(1, 6)] + [(9, 3, 8), (10, 50, 7)]
    found = flurries(log_of(rows), 2, 10)
    assert found.tolist() == [3, 4, 5]
    assert without(log_of(rows).jobs(), found).number.tolist() == [1, 2, 9, 10]


def test_users_must_be_known():
    with pytest.raises(co.InputError, match="log knows no job's user; name the jobs"):
        flurries(log_of([(1, 0, -1), (2, 0, -1)]), 1, 1)
    with pytest.raises(co.InputError, match="within = 0"):
        flurries(log_of([(1, 0, 1)]), 1, 0)


def test_jobs_are_left_out_by_number():
    jobs = co.JobStream([0, 1, 2], [1, 1, 1], [1, 1, 1], number=[30, 10, 20])
    assert without(jobs, [10]).number.tolist() == [30, 20]
    assert without(jobs, []) is jobs
    with pytest.raises(co.InputError, match=r"numbers names \[40\], which no job has"):
        without(jobs, [10, 40])
    with pytest.raises(co.InputError, match="numbers names all 3 jobs; leave some"):
        without(jobs, jobs.number)
