"""Logs that are written."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.checks import InputError
from coalloc_lib.jobs import JobStream
from coalloc_lib.workloads import swf
from coalloc_lib.workloads.swf import read_swf, write_swf
from tests.workloads.logs import job, log_file

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
