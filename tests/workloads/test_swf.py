import gzip
import itertools
import os
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import JobStream
from coalloc_lib.progress import Silent
from coalloc_lib.workloads import Workload, _swf_blocks, swf
from coalloc_lib.workloads.swf import FIELDS, read_swf, write_swf

HEADER = """; Version: 2.2
;   Information: http://example.org/a: b
;                http://example.org/c
;      MaxNodes: 338 (batch partition; 512 total)
; Information: third
;

"""
JOB = "{job} {submit} 5 {runtime} {allocated} -1 -1 {requested} {time} -1 1 3 4 -1 1 -1 -1 -1"


def job(number=1, submit=0, runtime=10, allocated=4, requested=-1, time=20):
    return JOB.format(
        job=number,
        submit=submit,
        runtime=runtime,
        allocated=allocated,
        requested=requested,
        time=time,
    )


def log_file(folder, *lines, header=HEADER, name="small.swf"):
    path = folder / name
    path.write_text(header + "".join(f"{line}\n" for line in lines))
    return path


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


def test_plain_and_packed_files_give_the_same(tmp_path):
    plain = log_file(tmp_path, job(), job(2, submit=7.25))
    packed = tmp_path / "packed.swf.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    pd.testing.assert_frame_equal(read_swf(plain).table, read_swf(packed).table)
    assert read_swf(packed).name == "packed"
    assert read_swf(packed).source == str(packed)


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


def with_word(position, word):
    words = job(2).split()
    words[position - 1] = word
    return " ".join(words)


BAD_LINES = {
    "17 fields": (job(2).rsplit(" ", 1)[0], "17 fields where the format has 18"),
    "19 fields": (f"{job(2)} 7", "19 fields where the format has 18"),
    "30 fields": (job(2) + " 7" * 12, "30 fields"),
    "one field": ("7", "1 fields"),
    "word": (with_word(4, "long"), r"field 4 \(runtime\) is 'long', not a number"),
    "last is a word": (with_word(18, "x"), r"field 18 \(think_time\) is 'x'"),
    "nan": (with_word(4, "nan"), r"field 4 \(runtime\) is 'nan', not a number"),
    "NA": (with_word(18, "NA"), r"field 18 \(think_time\) is 'NA'"),
    "empty quotes": (with_word(3, '""'), r"field 3 \(wait\)"),
    "inf": (with_word(2, "inf"), r"field 2 \(submit\) is 'inf'"),
    "overflow": (with_word(2, "1e999"), r"field 2 \(submit\) is 1e999, too large"),
    "True": (with_word(11, "True"), r"field 11 \(status\) is 'True'"),
    "underscore": (with_word(4, "1_0"), r"field 4 \(runtime\) is '1_0'"),
    "hexadecimal": (with_word(4, "0x10"), r"field 4 \(runtime\) is '0x10'"),
    "no-break space": (with_word(4, "1\xa01"), r"field 4"),
    "remark after a job": (f"{job(2)} ; slow", "not|19|20"),
    "two jobs, old line end": (f"{job(2)}\r{job(3)}", "field 18|fields"),
    "half a processor": (with_word(5, "2.5"), r"allocated_processors is 2.5; give a whole"),
    "huge number": (with_word(1, "1e300"), r"job is 1e\+300; give a whole number"),
    "negative submit": (with_word(2, "-1"), r"submit is -1; give seconds"),
}


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


def test_damaged_packing_is_named(tmp_path):
    whole = gzip.compress("\n".join([HEADER, *map(job, range(500))]).encode())
    path = tmp_path / "log.swf.gz"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"log.swf.gz is cut short"):
        read_swf(path)
    path.write_bytes(whole[:40] + bytes(40) + whole[80:])
    with pytest.raises(InputError, match=r"log.swf.gz is a damaged gzip file"):
        read_swf(path)
    path.write_text(job())
    with pytest.raises(InputError, match=r"log.swf.gz is not a gzip file"):
        read_swf(path)


class Counted(Silent):
    """A progress that counts."""

    announced = done = 0

    def total(self, steps):
        self.announced += steps

    def step(self):
        self.done += 1


@pytest.fixture(params=[1, 40, 300])
def small_blocks(request, monkeypatch):
    """Blocks of few lines, so that a short log has many."""
    monkeypatch.setattr(_swf_blocks, "_BLOCK", request.param)


LINES = st.sampled_from(
    [
        "",
        " \t",
        "; Remark: none",
        ";",
        f"{job(3)}  ",
        f"  {job(4, submit=7.5)}",
        job(5).replace(" ", "\t"),
        job(6).replace(" ", "    "),
        f"{job(7)}\r",
        job(8),
    ]
)
FAULTY = st.sampled_from([line for line, _ in BAD_LINES.values()])


@settings(max_examples=200)
@given(
    lines=st.lists(LINES, max_size=12),
    faulty=st.lists(st.tuples(st.integers(0, 12), FAULTY), max_size=2),
    block=st.integers(1, 400),
    end=st.sampled_from(["", "\n", "\r\n"]),
)
def test_blocks_make_no_difference(tmp_path_factory, lines, faulty, block, end):
    for position, line in faulty:
        lines.insert(position, line)
    path = tmp_path_factory.mktemp("swf") / "log.swf"
    path.write_bytes(("\n".join([HEADER, *lines]) + end).encode())

    def outcome(size):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_swf_blocks, "_BLOCK", size)
            try:
                log = read_swf(path)
            except InputError as error:
                return str(error)
            return log.header, log.table.to_numpy().tolist(), log.table.dtypes.tolist()

    assert outcome(block) == outcome(10**6)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_numbered_across_blocks(tmp_path, case):
    line, cause = BAD_LINES[case]
    lines = itertools.chain(map(job, range(20)), ["; remark", "", line], map(job, range(20)))
    number = HEADER.count("\n") + 23
    with pytest.raises(InputError, match=f"small.swf, line {number}: .*({cause})"):
        read_swf(log_file(tmp_path, *lines))


@pytest.mark.parametrize("extra", ["7", "7 ", "7 7 ", "7 7 7 "])
def test_fields_too_many_on_every_line_do_not_shift_the_others(tmp_path, extra):
    with pytest.raises(InputError, match=r"line 1: .* fields where the format has 18"):
        read_swf(log_file(tmp_path, *[f"{job()} {extra}"] * 3, header=""))


@pytest.mark.parametrize("packed", [False, True])
def test_progress_counts_millions_of_bytes(tmp_path, packed):
    path = log_file(tmp_path, *(job(i, submit=i) for i in range(60_000)))
    if packed:
        content = os.urandom(10) + path.read_bytes()
        path = tmp_path / "packed.swf.gz"
        path.write_bytes(gzip.compress(b";" + content.replace(b"\n", b" ", 1), 0))
    progress = Counted()
    read_swf(path, progress=progress)
    assert progress.announced == -(-path.stat().st_size // 10**6) == 4
    assert progress.done in (3, 4)


def test_a_log_may_come_through_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = gzip.compress(log_file(tmp_path, job(1), job(2)).read_bytes())
    writer = threading.Thread(target=pipe.write_bytes, args=[content], daemon=True)
    writer.start()
    assert len(read_swf(pipe)) == 2
    writer.join(20)


def test_memory_is_bounded_by_the_table(tmp_path):
    path = log_file(tmp_path, *(job(i, submit=i) for i in range(200_000)))
    read_swf(path)
    tracemalloc.start()
    try:
        log = read_swf(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * log.table.memory_usage().sum() + 8 * _swf_blocks._BLOCK


@pytest.mark.parametrize("line", [b"\n", b";" + b"x" * 70 + b"\n", job().encode() + b"\n"])
def test_a_small_file_is_not_unpacked_to_a_giant(tmp_path, monkeypatch, line):
    monkeypatch.setattr(_swf_blocks, "MOST_UNPACKED", 10**5)
    path = tmp_path / "bomb.swf.gz"
    path.write_bytes(gzip.compress(job().encode() + b"\n" + line * (3 * 10**6 // len(line))))
    with pytest.raises(InputError, match=r"bomb\.swf\.gz unpacks to more than .* most_bytes"):
        read_swf(path)
    assert len(read_swf(path, most_bytes=10**8)) >= 1
    with pytest.raises(InputError, match="unpacks to more than 1,000 bytes"):
        read_swf(path, most_bytes=1000)
    with pytest.raises(InputError, match="most_bytes = 0"):
        read_swf(path, most_bytes=0)


def test_all_blocks_together_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(_swf_blocks, "_BLOCK", 1000)
    path = tmp_path / "long.swf.gz"
    path.write_bytes(gzip.compress((job() + "\n").encode() * 500))
    with pytest.raises(InputError, match="unpacks to more than 5,000 bytes"):
        read_swf(path, most_bytes=5000)


def test_a_header_and_a_line_have_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(_swf_blocks, "_BLOCK", 10**5)
    for text in ("; Note: x\n" * 200_000, "\n" * 10, "x" * 3_000_000):
        path = log_file(tmp_path, header=text)
        with pytest.raises(
            InputError, match=r"small\.swf (begins with more|has no job|has a line)"
        ):
            read_swf(path)


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


def test_a_long_log_is_read_whole(tmp_path):
    path = log_file(tmp_path, *(job(i, submit=i) for i in range(200_000)))
    log = read_swf(path)
    assert len(log) == 200_000


def test_importing_does_not_import_pandas_or_scipy():
    code = (
        "import sys, coalloc_lib.workloads.swf, coalloc_lib.workloads.catalogue, "
        "coalloc_lib.workloads.lublin, coalloc_lib.workloads.das1; "
        "sys.exit(bool({'pandas', 'scipy', 'pooch'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


times = st.floats(0, 1e12, allow_subnormal=False)
jobs_strategy = st.lists(
    st.tuples(times, times, st.integers(1, 10**6), times), min_size=1, max_size=8
)
keys = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,9}", fullmatch=True)
values = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20).map(str.strip)


@settings(deadline=None, max_examples=60)
@given(rows=jobs_strategy, header=st.dictionaries(keys, values), packed=st.booleans())
def test_what_is_written_is_read(tmp_path_factory, rows, header, packed):
    submit, runtime, processors, estimate = map(np.array, zip(*rows, strict=True))
    stream = JobStream(submit, runtime, processors, estimate, request="total")
    path = tmp_path_factory.mktemp("swf") / ("log.swf.gz" if packed else "log.swf")
    write_swf(path, stream, header)
    log = read_swf(path)
    assert log.header == header
    assert log.table["submit"].tolist() == submit.tolist()
    assert log.table["runtime"].tolist() == runtime.tolist()
    assert log.table["requested_time"].tolist() == estimate.tolist()
    assert log.table["allocated_processors"].tolist() == processors.tolist()
    assert log.table["job"].tolist() == list(range(1, len(rows) + 1))
    kept = runtime > 0
    if kept.any():
        assert log.jobs().submit.tolist() == submit[kept].tolist()
    again = path.with_name(f"again-{path.name}")
    write_swf(again, log.table, log.header)
    assert again.read_bytes() == path.read_bytes()


def test_job_numbers_and_several_lines_of_a_value_are_written(tmp_path):
    stream = JobStream([0, 1], [1, 1], [[2, 2], [1, 0]], number=[7, 9])
    path = tmp_path / "log.swf"
    write_swf(path, stream, {"Note": "one\n two "})
    log = read_swf(path)
    assert log.header == {"Note": "one\ntwo"}
    assert log.jobs().number.tolist() == [7, 9]
    assert log.jobs().processors.tolist() == [4, 1]


def test_what_could_not_be_read_is_not_written(tmp_path):
    stream = JobStream([0], [1], [1])
    good = read_swf(log_file(tmp_path, job())).table
    target = tmp_path / "out.swf"
    bad = (
        ({"two\nlines": "x"}, stream, "header key"),
        ({"a:b": "x"}, stream, "header key|column"),
        ({3: "x"}, stream, "header key 3"),
        ("Note: x", stream, "header = 'Note: x'"),
        ({}, None, "jobs = None is no DataFrame"),
        ({}, good.drop(columns="queue"), "no column queue"),
        ({}, good.assign(wait=np.nan), r"field 3 \(wait\) is 'nan'"),
        ({}, good.assign(submit=-5.0), "submit is -5"),
    )
    for header, jobs, cause in bad:
        with pytest.raises(InputError, match=cause):
            write_swf(target, jobs, header)
    assert [path.name for path in tmp_path.iterdir()] == ["small.swf"]


def test_a_crash_while_writing_leaves_nothing(tmp_path, monkeypatch):
    target = tmp_path / "log.swf.gz"
    target.write_bytes(b"old")

    def crash(*_, **__):
        raise MemoryError

    monkeypatch.setattr(swf.gzip, "compress", crash)
    with pytest.raises(MemoryError):
        write_swf(target, JobStream([0], [1], [1]))
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_packed_bytes_do_not_depend_on_the_time(tmp_path, monkeypatch):
    stream = JobStream([0], [1], [1])
    write_swf(tmp_path / "a.swf.gz", stream)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1e6)
    write_swf(tmp_path / "b.swf.gz", stream)
    assert (tmp_path / "a.swf.gz").read_bytes() == (tmp_path / "b.swf.gz").read_bytes()


def test_fields_are_those_of_the_format():
    assert len(FIELDS) == 18
