"""Logs as files: packed, long, damaged, and read block by block."""

import gzip
import itertools
import os
import threading
import tracemalloc

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.checks import InputError
from coalloc_lib.progress import Silent
from coalloc_lib.workloads import _swf_blocks
from coalloc_lib.workloads.swf import read_swf
from tests.workloads.logs import BAD_LINES, HEADER, job, log_file


def test_plain_and_packed_files_give_the_same(tmp_path):
    plain = log_file(tmp_path, job(), job(2, submit=7.25))
    packed = tmp_path / "packed.swf.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    pd.testing.assert_frame_equal(read_swf(plain).table, read_swf(packed).table)
    assert read_swf(packed).name == "packed"
    assert read_swf(packed).source == str(packed)


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
    assert len(log) == 200_000
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
