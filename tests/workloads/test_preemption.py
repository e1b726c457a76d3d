"""Jobs that were preempted: lines that sum up, and lines of partial executions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from tests.conftest import ROOT

CASES = ROOT / "tests" / "workloads" / "cases"


def job(number, submit, wait, runtime, status, processors=8):
    return f"{number} {submit} {wait} {runtime} {processors} -1 -1 8 7200 -1 {status} 1 1 1 1 1 -1"


def read(folder, *lines, preemption=None):
    header = "" if preemption is None else f"; Preemption: {preemption}\n"
    rows = "".join(f"{line} -1\n" for line in lines)
    (folder / "log.swf").write_text(header + rows)
    return co.read_swf(folder / "log.swf")


def test_a_preempted_job_with_a_line_that_sums_it_up_is_counted_once():
    log = co.read_swf(CASES / "swf_preempted_double.swf")
    jobs = log.jobs()
    assert (len(log), jobs.work.sum()) == (2, 28_800)
    schedule = co.simulate(co.Multicluster([8]), jobs, scheduling=co.EASY())
    assert schedule.wait.mean() == 1450
    assert log.notes == (
        "2 lines of partial executions left out, because other lines sum up the 1 job",
    )


@pytest.mark.parametrize("preemption", [None, "No", "Yes", "Double", "double # as in 2.2"])
@pytest.mark.parametrize("later", [-1, 1500])
def test_parts_without_a_line_that_sums_them_up_are_joined(tmp_path, preemption, later):
    lines = [job(1, 0, 10, 1000, 2), job(1, later, 5, 2000, 2), job(1, -1, 5, 40, 3),
             job(2, 100, 0, 600, 1), job(3, 200, 7, 50, 2), job(3, -1, 0, -1, 4)]  # fmt: skip
    log = read(tmp_path, *lines, preemption=preemption)
    assert log.table["job"].tolist() == [1, 2, 3]
    assert log.table["submit"].tolist() == [0, 100, 200]
    assert log.table["wait"].tolist() == [10, 0, 7]
    assert log.table["runtime"].tolist() == [3040, 600, 50]
    assert log.table["status"].tolist() == [1, 1, 0]
    assert (
        log.table.columns.tolist()
        == co.read_swf(CASES / "swf_preempted_double.swf").table.columns.tolist()
    )
    assert log.notes == (
        "5 lines of partial executions joined into 2 jobs; the run times leave out 1 line with an "
        "unknown run time",
    )


def test_a_line_that_sums_up_without_a_run_time_gets_that_of_its_parts(tmp_path):
    log = read(tmp_path, job(1, 0, 10, -1, 1), job(1, 0, 10, 30, 2), job(1, -1, 3, 20, 3))
    assert log.table["runtime"].tolist() == [50]
    log = read(tmp_path, job(1, 0, 10, 90, 1), job(1, 0, 10, 30, 2), job(1, -1, 3, 20, 3))
    assert log.table["runtime"].tolist() == [90]
    assert log.notes[0].endswith("; the run time of 1 job is not the sum of the parts")


def test_a_job_that_the_log_does_not_see_end_has_no_status(tmp_path):
    assert read(tmp_path, job(1, 0, 10, 30, 2)).table["status"].tolist() == [-1]


@pytest.mark.parametrize(
    ("lines", "preemption", "why"),
    [
        ([job(7, -1, 0, 9, 3)], "Yes", "job 7: the first line of its partial .* no submission"),
        ([job(7, 0, 0, 9, 2), job(7, -1, 0, 9, 3, 4)], "Yes", "job 7: .* different numbers of pro"),
        ([job(7, 0, 0, 9, 3), job(7, -1, 0, 9, 3)], "No", "job 7: a partial execution follows"),
        ([job(7, 0, 0, 9, 1), job(7, 0, 0, 9, 1)], "Double", "Preemption is Double, and job 7 has"),
        # Two jobs have the number 7, and the second one has only partial executions.
        (
            [job(7, 0, 0, 9, 1), job(7, 90, 0, 50, 2), job(7, -1, 0, 60, 3)],
            "Double",
            "the partial executions of job 7 run for 110 s, but the line of the whole",
        ),
        (
            [job(7, 0, 0, 9, 1), job(7, 5, 0, 9, 1), job(7, 90, 0, 9, 3)],
            None,
            "job 7 has partial executions and 2 lines that describe the whole job; give each job",
        ),
    ],
)
def test_lines_that_make_no_job_are_refused(tmp_path, lines, preemption, why):
    with pytest.raises(co.InputError, match=rf"log\.swf: {why}") as caught:
        read(tmp_path, *lines, preemption=preemption)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", ["TS", "TQ"])
def test_time_slices_are_noted(tmp_path, word):
    log = read(tmp_path, job(1, 0, 10, 30, 1), preemption=word)
    assert f"Preemption is {word}: processors were shared in time slices" in log.notes[0]
    assert "time slices" in log._repr_html_()
    log = read(tmp_path, job(1, 0, 10, 30, 1), preemption="perhaps")
    assert log.notes == (
        "Preemption is 'perhaps', which the format does not define; it is not used",
    )


@pytest.mark.parametrize("preemption", [None, "No", "TS", "perhaps"])
def test_numbers_that_come_again_are_other_jobs_and_are_noted(tmp_path, preemption):
    lines = [job(number, 0, 10, 30, 1) for number in (7, 8, 7, 7)]
    log = read(tmp_path, *lines, preemption=preemption)
    assert len(log) == 4
    assert log.notes[-1] == "the job number 7 is on 3 lines, which count as different jobs"
    log = read(tmp_path, *lines, job(8, 0, 10, 30, 1), job(9, 0, 1, 4, 2), preemption=preemption)
    assert log.notes[-1].endswith("different jobs; the same holds for 1 other job number")


def test_a_sum_may_be_shorter_than_its_parts_by_rounding(tmp_path):
    log = read(tmp_path, job(1, 0, 10, 48, 1), job(1, 0, 10, 30, 2), job(1, -1, 3, 20, 3))
    assert log.table["runtime"].tolist() == [48]
    log = read(tmp_path, job(1, 0, 10, 48, 3))
    assert log.notes == ("1 line of partial executions joined into 1 job",)


@given(
    parts=st.lists(
        st.tuples(st.lists(st.integers(0, 99), min_size=1, max_size=4), st.booleans()),
        min_size=1,
        max_size=6,
    )
)
def test_no_work_is_lost_or_counted_twice(tmp_path_factory, parts):
    """Each job has partial executions and, in some cases, a line for the whole job."""
    lines = []
    for number, (lengths, is_summed_up) in enumerate(parts, start=1):
        own = [
            job(number, 0 if at == 0 else -1, 1, length, 2 if at < len(lengths) - 1 else 3)
            for at, length in enumerate(lengths)
        ]
        whole = [job(number, 0, 1, sum(lengths), 1)] * is_summed_up
        lines += whole + own if number % 2 else own + whole
    log = read(tmp_path_factory.mktemp("swf"), *lines)
    assert log.table["job"].tolist() == list(range(1, len(parts) + 1))
    np.testing.assert_array_equal(log.table["runtime"], [sum(lengths) for lengths, _ in parts])
