"""Logs in the Standard Workload Format: the header, the jobs, lines that are none, and files."""

import gzip
import os
import threading
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coalloc_lib.basics.checks import InputError
from coalloc_lib.workloads import Workload, log_files
from coalloc_lib.workloads.swf import read_swf

HEADER = """; Version: 2.2
;   Information: http://example.org/a: b
;                http://example.org/c
;      MaxNodes: 338 (batch partition; 512 total)
; Information: third
;

"""

REST = "-1 1 3 4 -1 1 -1 -1 -1"


def job(number=1, submit=0, runtime=10, allocated=4, requested=-1, time=20):
    return f"{number} {submit} 5 {runtime} {allocated} -1 -1 {requested} {time} {REST}"


def log_file(folder, *lines, header=HEADER, name="small.swf"):
    path = folder / name
    path.write_text(header + "".join(f"{line}\n" for line in lines), "utf-8")
    return path


def with_word(position, word):
    words = job(2).split()
    words[position - 1] = word
    return " ".join(words)


BAD_LINES = {
    "17 fields": (job(2).rsplit(" ", 1)[0], "17 fields, but the format has 18"),
    "word": (with_word(4, "long"), r"field 4 \(runtime\) is 'long', not a number"),
    "nan": (with_word(4, "nan"), r"field 4 \(runtime\) is 'nan', not a number"),
    "inf": (with_word(2, "inf"), r"field 2 \(submit\) is 'inf'"),
    "overflow": (with_word(2, "1e999"), r"field 2 \(submit\) is 1e999, too large"),
    "True": (with_word(11, "True"), r"field 11 \(status\) is 'True'"),
    "underscore": (with_word(4, "1_0"), r"field 4 \(runtime\) is '1_0'"),
    "two jobs, old line end": (f"{job(2)}\r{job(3)}", "field 18|fields"),
    "half a processor": (with_word(5, "2.5"), r"allocated_processors is 2.5; give a whole"),
    "huge number": (with_word(1, "1e300"), r"job is 1e\+300; give a whole number"),
    "negative submit": (with_word(2, "-1"), r"submit is -1; give seconds"),
}


def test_header_keeps_trailing_text_and_joins_what_belongs_together(tmp_path):
    assert read_swf(log_file(tmp_path, job())).header == {
        "Version": "2.2",
        "MaxNodes": "338 (batch partition; 512 total)",
        "Information": "http://example.org/a: b\nhttp://example.org/c\nthird",
    }


def test_comments_blank_lines_and_line_ends_in_the_middle_are_passed_over(tmp_path):
    path = tmp_path / "odd.swf"
    text = f"{job(1)}\r\n  ; Remark: none\r\n\r\n \t\n{job(2)}  \n{job(3)}"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    log = read_swf(path)
    assert log.table["job"].tolist() == [1, 2, 3]
    assert (log.header, log.name) == ({}, "odd")


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
    with pytest.raises(InputError, match="MaxProcs"):
        _ = read_swf(log_file(tmp_path, job(allocated=-1), header="")).processors


def usable_log(folder):
    rows = [
        job(1, submit=3, runtime=10, allocated=4, requested=9, time=20),
        job(2, submit=1, runtime=10, allocated=-1, requested=8, time=-1),
        *(job(3, runtime=0), job(4, runtime=-1)),
        *(job(5, allocated=-1, requested=-1), job(6, allocated=0, requested=0)),
        job(7, submit=2, runtime=30, allocated=2, time=20),
        job(8, submit=4, runtime=5, allocated=0, requested=3, time=0),
    ]
    return read_swf(log_file(folder, *rows))


def test_usable_jobs_keep_order_times_estimates_and_numbers(tmp_path):
    log = usable_log(tmp_path)
    assert len(log) == 8
    assert log.usable["processors"].tolist() == [4, 8, 2, 3]
    stream = log.jobs(request="flexible", span_penalty=0.25)
    assert stream.number.tolist() == log.usable["job"].tolist() == [1, 2, 7, 8]
    assert stream.submit.tolist() == [3, 1, 2, 4]
    assert stream.components.tolist() == [[4], [8], [2], [3]]
    assert (stream.request, *stream.span_penalty) == ("flexible", *[0.25] * 4)
    each = [0.0, 0.1, 0.2, 0.3]
    for penalty in (each, np.array(each)):
        assert log.jobs("flexible", span_penalty=penalty).span_penalty.tolist() == each
        with pytest.raises(InputError, match=r"span_penalty = \[0.0, 0.1, .* total requests"):
            log.jobs(span_penalty=penalty)
    # A job without a requested time has its run time as its estimate.
    assert stream.estimate.tolist() == [20, 10, 20, 5]
    assert stream.replace(runtime=[100.0] * 4).estimate.tolist() == [20, 100, 20, 100]
    exact = log.jobs(estimates="exact")
    assert exact.request == "total"
    assert exact.estimate.tolist() == [10, 10, 30, 5]
    assert exact.replace(runtime=[100.0] * 4).estimate.tolist() == [100] * 4


def test_largest_drops_wider_jobs_and_numbers_follow(tmp_path):
    log = usable_log(tmp_path)
    assert log.jobs(largest=4).processors.tolist() == [4, 2, 3]
    assert log.jobs(largest=4).number.tolist() == [1, 7, 8]
    for how, cause in (
        ({"largest": 1}, "no job of at most 1 processors"),
        ({"largest": 0}, "largest = 0"),
        ({"estimates": "users"}, "estimates = 'users'"),
    ):
        with pytest.raises(InputError, match=cause):
            log.jobs(**how)


def test_a_log_is_a_workload_of_its_first_jobs(tmp_path):
    log = usable_log(tmp_path)
    assert isinstance(log, Workload)
    assert log.mean_work == (10 * 4 + 10 * 8 + 30 * 2 + 5 * 3) / 4
    assert log.sample(2, seed=1).number.tolist() == [2, 7]
    assert log.sample(3, seed=1, rate=0.1).submit.tolist() == [1, 11, 21]
    with pytest.raises(InputError, match="count = 5, and there are 4 jobs"):
        log.sample(5, seed=1)


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_reported_by_file_line_and_cause(tmp_path, case):
    line, cause = BAD_LINES[case]
    path = log_file(tmp_path, *map(job, range(9)), "; remark", "", line, *map(job, range(9)))
    number = HEADER.count("\n") + 12
    with pytest.raises(InputError, match=f"small.swf, line {number}: .*({cause})") as caught:
        read_swf(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("end", ["7 ", "7 7 7 "])
def test_a_bad_first_line_and_all_bad_lines_are_found_too(tmp_path, end):
    for line in (f"{job()} {end}", BAD_LINES["17 fields"][0], BAD_LINES["nan"][0]):
        with pytest.raises(InputError, match=r"line 1: .*(fields, but the format|not a number)"):
            read_swf(log_file(tmp_path, line, line, line, header=""))


def test_files_that_are_no_logs_are_refused(tmp_path):
    (tmp_path / "latin.swf").write_bytes(b"; Acknowledge: \xc5ke\n1 0 0 5 \xb2 -1\n")
    for number, text in enumerate(("", "\n\n", HEADER)):
        log_file(tmp_path, header=text, name=f"{number}.swf")
    for name, cause in (
        ("absent.swf", "absent.swf: there is no such file"),
        (".", "is a folder"),
        *((f"{number}.swf", "has no job") for number in range(3)),
        ("latin.swf", "latin.swf, line 2: byte 0xb2 is not UTF-8"),
    ):
        with pytest.raises(InputError, match=cause):
            read_swf(tmp_path / name)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_comments_may_be_latin_1(tmp_path, mark):
    path = tmp_path / "old.swf"
    path.write_bytes(mark + b"; Acknowledge: \xc5ke\n" + job(1).encode() + b"\n")
    assert read_swf(path).header["Acknowledge"] == "Åke"


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


LINES = st.sampled_from(
    [
        "", " \t", "; Remark: none", ";", f"{job(3)}  ", f"  {job(4, submit=7.5)}", f"{job(7)}\r",
        job(5).replace(" ", "\t"), job(6).replace(" ", "    "), job(8),
    ]
)  # fmt: skip
FAULTY = st.sampled_from([line for line, _ in BAD_LINES.values()])


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
            patch.setattr(log_files, "_BLOCK", size)
            try:
                log = read_swf(path)
            except InputError as error:
                return str(error)
            return log.header, log.table.to_numpy().tolist(), log.table.dtypes.tolist()

    assert outcome(block) == outcome(10**6)


def test_plain_and_packed_files_and_pipes_give_the_same(tmp_path):
    plain = log_file(tmp_path, job(), job(2, submit=7.25))
    packed, pipe = tmp_path / "packed.swf.gz", tmp_path / "pipe"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_bytes, args=[packed.read_bytes()], daemon=True).start()
    for path in (packed, pipe):
        log = read_swf(path)
        pd.testing.assert_frame_equal(read_swf(plain).table, log.table)
        assert (log.name, log.source) == (path.name.split(".")[0], str(path))


def test_damaged_packing_is_named(tmp_path):
    whole = gzip.compress("\n".join([HEADER, *map(job, range(500))]).encode())
    path = tmp_path / "log.swf.gz"
    for content, cause in (
        (whole[: len(whole) // 2], "is a gzip file whose end is missing"),
        (whole[:40] + bytes(40) + whole[80:], "is a damaged gzip file"),
        (job().encode(), "is not a gzip file"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=f"log.swf.gz {cause}"):
            read_swf(path)


def test_memory_is_bounded_by_the_table(tmp_path):
    path = log_file(tmp_path, *(job(i, submit=i) for i in range(200_000)))
    read_swf(path)
    tracemalloc.start()
    try:
        log = read_swf(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(log) == 200_000
    assert peak < 2 * log.table.memory_usage().sum() + 8 * log_files._BLOCK


@pytest.mark.parametrize("line", [b";" + b"x" * 70 + b"\n", job().encode() + b"\n"])
def test_a_small_file_is_not_unpacked_to_a_giant(tmp_path, monkeypatch, line):
    monkeypatch.setattr(log_files, "MOST_UNPACKED", 10**5)
    path = tmp_path / "bomb.swf.gz"
    path.write_bytes(gzip.compress(job().encode() + b"\n" + line * (3 * 10**6 // len(line))))
    with pytest.raises(InputError, match=r"bomb\.swf\.gz unpacks to more than .* most_bytes"):
        read_swf(path)
    assert len(read_swf(path, most_bytes=10**8)) >= 1
    monkeypatch.setattr(log_files, "_BLOCK", 1000)  # all blocks together are bounded
    with pytest.raises(InputError, match="unpacks to more than 5,000 bytes"):
        read_swf(path, most_bytes=5000)
    with pytest.raises(InputError, match="most_bytes = 0"):
        read_swf(path, most_bytes=0)


@pytest.mark.parametrize(
    ("text", "cause"),
    [("; Note: x\n" * 200_000, "begins with more"), ("x" * 3_000_000, "has a line")],
    ids=["header", "line"],
)
def test_a_header_and_a_line_have_an_end(tmp_path, monkeypatch, text, cause):
    monkeypatch.setattr(log_files, "_BLOCK", 10**5)
    with pytest.raises(InputError, match=rf"small\.swf {cause}"):
        read_swf(log_file(tmp_path, header=text))


@pytest.mark.parametrize("word", ["1,000", "1_000", "1.5", "9" * 30, "9" * 5000, "１２"])
def test_a_number_of_the_header_that_is_none_is_refused_with_its_line(tmp_path, word):
    """The text 1,000 must not be read as 1, and many digits must not raise other errors."""
    for key, use in (("MaxProcs", "processors"), ("UnixStartTime", "epoch")):
        log = read_swf(log_file(tmp_path, job(1), header=f"; Version: 2\n; {key}: {word}\n"))
        with pytest.raises(InputError, match=f"small.swf, line 2: {key} is .*; give the|a whole"):
            getattr(log, use)


def test_a_number_of_the_header_may_have_words_after_it(tmp_path):
    header = "; MaxNodes: 338 (batch partition; 512 total)\n; UnixStartTime: 835823160.\n"
    log = read_swf(log_file(tmp_path, job(1), header=header))
    assert (log.processors, log.epoch) == (338, 835_823_160)


@pytest.mark.parametrize("key", ["MaxProcs", "MaxNodes"])
@pytest.mark.parametrize(
    "word", ["1e3", "128 (batch), 64 (interactive)", "64 nodes", "64-128", "many", "64\n; {}: 128"]
)
def test_a_number_of_the_header_must_be_the_whole_value(tmp_path, key, word):
    header = f"; Version: 2\n; {key}: {word.format(key)}\n"
    log = read_swf(log_file(tmp_path, job(), header=header))
    assert log.processors == 4  # of the widest job
    (note,) = log.notes
    assert note.endswith("on line 2, which is not understood as a whole number; it is not used")
    assert note.startswith(f"{key} is '{word.split()[0]}")


@pytest.mark.parametrize(
    "word", ["64", "64.", "64 (a) # b", "64 (batch partition; 512 total)", "64\n; other words"]
)
def test_a_number_of_the_header_may_have_remarks(tmp_path, word):
    log = read_swf(log_file(tmp_path, job(), header=f"; MaxProcs: {word}\n"))
    assert (log.processors, log.notes) == (64, ())


def test_a_requested_time_of_zero_is_none(tmp_path):
    lines = [job(number, number, time=time) for number, time in enumerate((20, 0, -1), start=1)]
    log = read_swf(log_file(tmp_path, *lines))
    assert log.without_requested_time == 2
    assert log.jobs().estimate.tolist() == [20, 10, 10]  # by default, the run time
