"""Logs that are written in the Standard Workload Format are read again unchanged."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.workloads.swf import read_swf
from coalloc_lib.workloads.swf_writer import write_swf
from tests.workloads.test_swf import job, log_file

ONE = JobStream([0], [1], [1])

times = st.floats(0, 1e12, allow_subnormal=False)
rows_of = st.lists(st.tuples(times, times, st.integers(1, 10**6), times), min_size=1, max_size=8)
keys = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,9}", fullmatch=True)
values = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20).map(str.strip)


@settings(deadline=None)
@given(rows=rows_of, header=st.dictionaries(keys, values), packed=st.booleans())
def test_what_is_written_is_read(tmp_path_factory, rows, header, packed):
    submit, runtime, processors, estimate = map(np.array, zip(*rows, strict=True))
    stream = JobStream(submit, runtime, processors, estimate, request="total")
    path = tmp_path_factory.mktemp("swf") / ("log.swf.gz" if packed else "log.swf")
    write_swf(path, stream, header)
    log = read_swf(path)
    assert log.header == header
    names = ["submit", "runtime", "allocated_processors", "requested_time"]
    assert log.table[names].to_numpy().tolist() == [list(map(float, row)) for row in rows]
    assert log.table["job"].tolist() == list(range(1, len(rows) + 1))
    kept = runtime > 0
    if kept.any():
        assert log.jobs().submit.tolist() == submit[kept].tolist()
    again = path.with_name(f"again-{path.name}")
    write_swf(again, log.table, log.header)
    assert again.read_bytes() == path.read_bytes()


def test_a_log_is_written_in_blocks_as_in_one(tmp_path, monkeypatch):
    jobs = JobStream(range(10), [0.5, *range(1, 10)], [[2]] * 10)
    write_swf(tmp_path / "one.swf", jobs, {"Note": "one\n two "})
    monkeypatch.setattr("coalloc_lib.workloads.swf_writer._MOST_LINES", 3)
    write_swf(tmp_path / "more.swf", jobs, {"Note": "one\n two "})
    assert (tmp_path / "more.swf").read_bytes() == (tmp_path / "one.swf").read_bytes()
    table = read_swf(tmp_path / "one.swf").table
    table.loc[8, "submit"] = -5
    with pytest.raises(InputError, match="line 10: submit is -5; give seconds"):
        write_swf(tmp_path / "bad.swf", table, {"Note": "one"})


def test_job_numbers_and_several_lines_of_a_value_are_written(tmp_path):
    jobs = JobStream([0, 1], [1, 1], [[2, 2], [1, 0]], number=[7, 9])
    write_swf(tmp_path / "log.swf", jobs, {"Note": "one\n two "})
    log = read_swf(tmp_path / "log.swf")
    assert log.header == {"Note": "one\ntwo"}
    assert log.jobs().number.tolist() == [7, 9]
    assert log.jobs().processors.tolist() == [4, 1]


def test_what_could_not_be_read_is_not_written(tmp_path):
    good = read_swf(log_file(tmp_path, job())).table
    for header, jobs, cause in (
        ({"two\nlines": "x"}, ONE, "header has the key"),
        ({"a:b": "x"}, ONE, "header has the key|column"),
        ({3: "x"}, ONE, "header has the key 3"),
        ("Note: x", ONE, "header = 'Note: x'"),
        ({}, None, "jobs = None is not of type DataFrame"),
        ({}, good.drop(columns="queue"), "no column queue"),
        ({}, good.assign(wait=np.nan), r"field 3 \(wait\) is 'nan'"),
        ({}, good.assign(submit=-5.0), "submit is -5"),
    ):
        with pytest.raises(InputError, match=cause):
            write_swf(tmp_path / "out.swf", jobs, header)
    assert [path.name for path in tmp_path.iterdir()] == ["small.swf"]


def test_packed_bytes_do_not_tell_the_time(tmp_path, monkeypatch):
    target, other = tmp_path / "log.swf.gz", tmp_path / "later.swf.gz"
    write_swf(target, ONE)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1e6)
    write_swf(other, ONE)
    assert other.read_bytes() == target.read_bytes()
