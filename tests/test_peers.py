"""The comparison with other simulators: its models that run here agree, and its page is filled."""

import importlib
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coalloc_lib as co
from tests.conftest import ROOT

PROCESSORS = 5
PAGE = ROOT / "docs" / "performance.md"
MODULES = ("compare", "job_files", "page", "simpy_model", "textbook")


@pytest.fixture(scope="module")
def peers():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks" / "peers"))
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})


@st.composite
def logs(draw, widest=PROCESSORS):
    """Rows of whole numbers in order of submission; many jobs come and end at one instant."""
    rows, submit = [], 0
    for _ in range(draw(st.integers(1, 20))):
        submit += draw(st.integers(0, 3))
        runtime = draw(st.integers(1, 8))
        expected = runtime + draw(st.integers(0, 6))
        rows.append((submit, runtime, expected, draw(st.integers(1, widest))))
    return rows


def library_starts(rows, scheduling):
    submit, runtime, expected, processors = map(np.array, zip(*rows, strict=True))
    jobs = co.JobStream(submit, runtime, processors, expected, request="total")
    return co.simulate(co.Multicluster([PROCESSORS]), jobs, scheduling=scheduling).start.tolist()


@given(rows=logs())
def test_textbook_simpy_and_library_agree_on_easy(peers, rows):
    jobs = peers.job_files.made(*rows)
    expected = library_starts(rows, co.EASY())
    assert peers.textbook.easy(PROCESSORS, jobs) == expected
    assert peers.simpy_model.easy(PROCESSORS, jobs) == expected


@given(rows=logs())
def test_textbook_and_library_agree_on_fcfs(peers, rows):
    starts = peers.textbook.fcfs(PROCESSORS, peers.job_files.made(*rows))
    assert starts == library_starts(rows, co.FCFS())


@given(rows=logs(widest=1))
def test_a_queue_of_simpy_and_the_library_agree(peers, rows):
    starts = peers.simpy_model.fcfs(PROCESSORS, peers.job_files.made(*rows))
    assert starts == library_starts(rows, co.FCFS())


def test_a_resource_of_simpy_is_given_no_parallel_jobs(peers):
    with pytest.raises(ValueError, match="one processor a request"):
        peers.simpy_model.fcfs(2, peers.job_files.made((0, 1, 1, 2)))


@pytest.fixture
def bench(peers, tmp_path):
    """A bench with one case of three jobs, whose simulators run with this Python."""
    jobs = peers.compare.EXAMPLES["passing"]
    peers.job_files.write_jobs(tmp_path / "exact.csv", jobs)
    return peers.compare.Bench(tmp_path, sys.executable)


def case(peers):
    return peers.compare.Case("three jobs", "exact", "easy", 2)


def test_a_run_in_a_process_of_its_own(peers, bench):
    took, starts = bench.run(peers.compare.Peer("SimPy", "simpy_model"), case(peers))
    assert list(starts) == [0, 10, 20]
    assert took["jobs"] == 3
    assert took["peak"] > 5


def test_starts_that_differ_and_waits_are_counted(peers, bench, monkeypatch):
    monkeypatch.setattr(peers.compare, "WIDE", 0.5)  # the second job of the three
    assert peers.compare.sameness(bench, case(peers), [0, 102, 2]) == ("2", "3.741", "11.222")
    assert peers.compare.sameness(bench, case(peers), [0, 10, 20]) == ("0", "1.000", "1.000")


def test_a_simulator_that_is_not_there_is_a_row_with_the_reason(peers, bench, monkeypatch):
    monkeypatch.setattr(peers.compare, "SYSTEM_PYTHON", sys.executable)
    monkeypatch.setattr(peers.compare, "PEERS", (peers.compare.Peer("Gone", "gone_model"),))
    monkeypatch.setattr(bench, "why_not", lambda package: f"no wheel of {package}")
    (row,) = peers.compare.rows(bench, [case(peers)])
    assert row[1:4] == ["Gone", "–", "not installed: no wheel of gone"]
    assert len(row) == len(peers.compare.HEADINGS)


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("  CMake Error at x:1 (message):\n    Install Boost.\nERROR: Failed", "Install Boost."),
        ("fine\nERROR: No matching distribution", "ERROR: No matching distribution"),
    ],
)
def test_the_reason_is_found_in_what_pip_printed(peers, tmp_path, log, reason):
    (tmp_path / "gone.log").write_text(log)
    bench = peers.compare.Bench(tmp_path, tmp_path / "bin" / "python")
    assert bench.why_not("gone") == reason


def test_the_page_has_each_part_that_is_written(peers, tmp_path):
    copy = tmp_path / "page.md"
    copy.write_text(PAGE.read_text("utf-8"), "utf-8")
    for part in ("peers", "limit", *peers.compare.EXAMPLES):
        peers.page.fill(copy, part, f"filled {part}\n")
    filled = copy.read_text("utf-8")
    assert filled.count("filled ") == 4
    assert "| simulator |" not in filled
    with pytest.raises(SystemExit, match="<!-- gone -->, found 0"):
        peers.page.fill(copy, "gone", "")


def test_the_table_of_the_page_has_the_columns_of_the_program(peers):
    assert f"| {' | '.join(peers.compare.HEADINGS)} |" in PAGE.read_text("utf-8")


def test_requirements_name_what_the_models_need():
    lines = (ROOT / "benchmarks" / "peers" / "requirements.txt").read_text().splitlines()
    packages = {line.partition("==")[0] for line in lines if not line.startswith("#")}
    models = {path.stem for path in (ROOT / "benchmarks" / "peers").glob("*_model.py")}
    assert {f"{package}_model" for package in packages} == models - {"coalloc_model"}
