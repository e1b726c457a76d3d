"""The benchmark of online scheduling runs, here on few requests."""

import importlib
import os
import re
import subprocess
import sys

import pandas as pd
import pytest

from studies import STUDIES
from studies.published import load_claims
from tests.conftest import ROOT


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("bench_booking")


def test_the_slot_trees_are_timed(bench, monkeypatch):
    clock = iter([10.0, 14.0])
    monkeypatch.setattr(bench.time, "process_time", lambda: next(clock))
    monkeypatch.setattr(bench, "TREES", 2)
    assert bench.trees(64) == "0.5"  # two requests in four seconds


def test_requests_are_timed_if_servers_are_short(bench, monkeypatch):
    monkeypatch.setattr(bench, "CONTENDED", 300)
    servers, attempts, *_ = next(bench.contended(True))
    assert servers == "2^7"
    assert float(attempts) > 2


@pytest.mark.long
def test_memory_is_measured(bench):
    count, here = 500_000, os.environ | {"PYTHONPATH": os.pathsep.join(("..", "."))}
    code = f"import bench_booking; bench_booking.memory_of(64, {count})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "benchmarks", env=here, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    before, after = map(int, done.stdout.split())
    columns = 6 * 8 * count  # of the schedule: start, end, entry, promise, attempts, servers
    assert after - before >= columns / 1e6


def test_ledgers_are_set_beside_each_other(monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    compare_results = importlib.import_module("compare_results")
    header = ["study", "item", "published", "reproduced", "verdict"]
    rows = {
        "old": [["a", "A-1", "0.5", "0.4", "holds"], ["a", "A-2", "", "2", "holds"]],
        "new": [["a", "OB-12", "", "7", "holds"], ["a", "A-1", "0.5", "0.3", "undecided"]],
    }
    for name, ledger in rows.items():
        (tmp_path / name).mkdir()
        pd.DataFrame(ledger, columns=header).to_csv(tmp_path / name / "ledger.csv", index=False)
    assert compare_results.main(tmp_path / "old", tmp_path / "new", ["--table", "a"]) == 0
    *_, third, first, second = capsys.readouterr().out.splitlines()
    assert third.startswith("| a | OB-12 |  | 7 |  | holds |  | changed | Now holds, because 'may'")
    assert third.endswith("better QoS guarantees without adding much complexity.' |")
    assert first == "| a | A-1 | 0.4 | 0.3 | holds | undecided | 0.5 | changed |  |  |"
    assert second == "| a | A-2 | 2 |  | holds |  |  | changed |  |  |"
    known = [claim for study in STUDIES for claim in load_claims(study)]
    told = compare_results.reasons()
    assert {len(texts) for texts in told.values()} == {2}, "a row has a reason and a sentence"
    for section in compare_results.REREAD.read_text("utf-8").split("\n## "):
        items = [item for item, _ in re.findall(compare_results.CHANGED, section, re.MULTILINE)]
        kept = [item for item in items if item in known]
        assert kept == sorted(kept, key=known.index)
