"""Logs in the Standard Workload Format: the header, the jobs, and lines that are none."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import JobStream
from coalloc_lib.workloads import Workload
from coalloc_lib.workloads.swf import read_swf, write_swf
from tests.workloads.logs import BAD_LINES, HEADER, job, log_file, with_word


def test_header_keeps_trailing_text_and_joins_what_belongs_together(tmp_path):
    header = read_swf(log_file(tmp_path, job())).header
    assert header["MaxNodes"] == "338 (batch partition; 512 total)"
    assert header["Information"] == "http://example.org/a: b\nhttp://example.org/c\nthird"
    assert set(header) == {"Version", "Information", "MaxNodes"}


def test_comments_blank_lines_and_line_ends_in_the_middle_are_passed_over(tmp_path):
    path = tmp_path / "odd.swf"
    text = f"{job(1)}\r\n  ; Remark: none\r\n\r\n \t\n{job(2)}  \n{job(3)}"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    log = read_swf(path)
    assert log.table["job"].tolist() == [1, 2, 3]
    assert log.header == {}
    assert log.name == "odd"


@pytest.mark.parametrize(
    ("fields", "processors"),
    [
        ("; MaxProcs: 64 # comment\n; MaxNodes: 32 (dual)\n", 64),
        ("; MaxNodes: 338 (batch partition; 512 total)\n", 338),
        ("; MaxNodes: 2\n", 4),
        ("; MaxProcs: -1\n", 4),
        ("", 4),
    ],
)
def test_processors_come_from_the_header_else_from_the_widest_job(tmp_path, fields, processors):
    assert read_swf(log_file(tmp_path, job(), header=fields)).processors == processors


def test_processors_of_a_log_that_does_not_tell_are_refused(tmp_path):
    log = read_swf(log_file(tmp_path, job(allocated=-1), header=""))
    with pytest.raises(InputError, match="MaxProcs"):
        _ = log.processors


def usable_log(folder):
    return read_swf(
        log_file(
            folder,
            job(1, submit=3, runtime=10, allocated=4, requested=9, time=20),
            job(2, submit=1, runtime=10, allocated=-1, requested=8, time=-1),
            job(3, runtime=0),
            job(4, runtime=-1),
            job(5, allocated=-1, requested=-1),
            job(6, allocated=0, requested=0),
            job(7, submit=2, runtime=30, allocated=2, time=20),
        )
    )


def test_usable_jobs_have_run_time_and_processors(tmp_path):
    log = usable_log(tmp_path)
    assert len(log) == 7
    assert log.usable["job"].tolist() == [1, 2, 7]
    assert log.usable["processors"].tolist() == [4, 8, 2]


def test_requested_processors_serve_where_none_were_allocated(tmp_path):
    log = read_swf(log_file(tmp_path, job(1, allocated=0, requested=3)))
    assert log.usable["processors"].tolist() == [3]


def test_jobs_keep_order_times_and_estimates(tmp_path):
    log = usable_log(tmp_path)
    stream = log.jobs(request="flexible", span_penalty=0.25)
    assert stream.submit.tolist() == [3, 1, 2]
    assert stream.components.tolist() == [[4], [8], [2]]
    assert stream.estimate.tolist() == [20, 10, 20]
    assert stream.request == "flexible"
    assert stream.span_penalty.tolist() == [0.25] * 3
    assert log.jobs(estimates="exact").estimate.tolist() == [10, 10, 30]
    assert log.jobs().request == "total"


def test_largest_drops_wider_jobs_and_numbers_follow(tmp_path):
    log = usable_log(tmp_path)
    assert log.jobs(largest=4).processors.tolist() == [4, 2]
    assert log.jobs(largest=4).number.tolist() == [1, 7]
    assert log.jobs().number.tolist() == [1, 2, 7]
    with pytest.raises(InputError, match="no job of at most 1 processors"):
        log.jobs(largest=1)
    with pytest.raises(InputError, match="largest = 0"):
        log.jobs(largest=0)
    with pytest.raises(InputError, match="estimates = 'users'"):
        log.jobs(estimates="users")


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_reported_by_file_line_and_cause(tmp_path, case):
    line, cause = BAD_LINES[case]
    path = log_file(tmp_path, job(), "; remark", "", line, job(3))
    number = HEADER.count("\n") + 4
    with pytest.raises(InputError, match=f"small.swf, line {number}: .*({cause})") as caught:
        read_swf(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", ["17 fields", "19 fields", "nan", "True"])
def test_a_bad_first_line_and_all_bad_lines_are_found_too(tmp_path, case):
    line = BAD_LINES[case][0]
    with pytest.raises(InputError, match="line 1:"):
        read_swf(log_file(tmp_path, line, line, header=""))


def test_files_that_are_no_logs_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"absent.swf: there is no such file"):
        read_swf(tmp_path / "absent.swf")
    with pytest.raises(InputError, match="is a folder"):
        read_swf(tmp_path)
    for text in ("", "\n\n", HEADER):
        with pytest.raises(InputError, match="has no job"):
            read_swf(log_file(tmp_path, header=text))
    (tmp_path / "latin.swf").write_bytes(b"; Acknowledge: \xc5ke\n1 0 0 5 \xb2 -1\n")
    with pytest.raises(InputError, match=r"latin.swf, line 2: byte 0xb2 is not UTF-8"):
        read_swf(tmp_path / "latin.swf")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_comments_may_be_latin_1(tmp_path, mark):
    path = tmp_path / "old.swf"
    path.write_bytes(mark + b"; Acknowledge: \xc5ke\n" + job(1).encode() + b"\n")
    assert read_swf(path).header["Acknowledge"] == "Åke"


@pytest.mark.parametrize("extra", ["7", "7 ", "7 7 ", "7 7 7 "])
def test_fields_too_many_on_every_line_do_not_shift_the_others(tmp_path, extra):
    with pytest.raises(InputError, match=r"line 1: .* fields where the format has 18"):
        read_swf(log_file(tmp_path, *[f"{job()} {extra}"] * 3, header=""))


@pytest.mark.parametrize("path", [None, 3, [], b"x.swf", "a\0b", "x" * 300, f"{'x' * 300}/y.swf"])
def test_what_is_no_path_is_refused_in_one_line(path):
    with pytest.raises(InputError) as caught:
        read_swf(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError):
        write_swf(path, JobStream([0], [1], [1]))


def test_jobs_without_a_requested_time_follow_their_run_time(tmp_path):
    jobs = usable_log(tmp_path).jobs()
    longer = jobs.replace(runtime=[100.0, 100.0, 100.0])
    assert longer.estimate.tolist() == [20, 100, 20]
    exact = usable_log(tmp_path).jobs(estimates="exact")
    assert exact.replace(runtime=[100.0, 100.0, 100.0]).estimate.tolist() == [100] * 3


def test_nobody_requests_a_time_of_zero(tmp_path):
    log = read_swf(log_file(tmp_path, job(1, runtime=10, allocated=1, time=0)))
    assert log.jobs().estimate.tolist() == [10]


def test_a_log_is_a_workload_of_its_first_jobs(tmp_path):
    log = usable_log(tmp_path)
    assert isinstance(log, Workload)
    assert log.mean_work == (10 * 4 + 10 * 8 + 30 * 2) / 3
    assert log.sample(2, seed=1).number.tolist() == [2, 7]
    assert log.sample(3, seed=1, rate=0.1).submit.tolist() == [1, 11, 21]
    with pytest.raises(InputError, match="count = 4, and there are 3 jobs"):
        log.sample(4, seed=1)


@settings(max_examples=300)
@given(st.text("019.+-eE", min_size=1, max_size=5), st.booleans())
def test_a_word_is_a_number_where_python_says_so(tmp_path_factory, word, remark):
    lines = [with_word(3, word), *(["; remark"] if remark else [])]
    path = log_file(tmp_path_factory.mktemp("swf"), *lines, header="")
    try:
        wanted = float(word)
    except ValueError:
        with pytest.raises(InputError, match=r"line 1: field 3 \(wait\) is .*, not a number"):
            read_swf(path)
    else:
        if np.isfinite(wanted):
            assert read_swf(path).table["wait"].tolist() == [wanted]


def test_importing_does_not_import_pandas_or_scipy():
    code = (
        "import sys, coalloc_lib.workloads.swf, coalloc_lib.workloads.catalogue, "
        "coalloc_lib.workloads.lublin, coalloc_lib.workloads.das1; "
        "sys.exit(bool({'pandas', 'scipy', 'pooch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
