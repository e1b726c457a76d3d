"""The benchmark of online scheduling runs, here on few requests."""

import importlib

import numpy as np
import pytest

import coalloc_lib as co
from tests.conftest import ROOT


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("bench_booking")


def test_the_slot_trees_are_timed(bench, monkeypatch):
    monkeypatch.setattr(bench, "TREES", 2)
    assert float(bench.trees(64).replace(",", "")) > 0


@pytest.mark.long
def test_the_flat_scan_gives_the_same_starts(bench):
    jobs, online = bench.stream(64, 200), co.Online()
    start, attempts = bench.flat_scan.run(jobs, 64, online)
    schedule = co.simulate(co.Multicluster([64]), jobs, scheduling=online)
    np.testing.assert_array_equal(start, schedule.start)
    np.testing.assert_array_equal(attempts, schedule.attempts)


def test_index_and_flat_scan_are_compared_where_servers_are_short(bench, monkeypatch):
    monkeypatch.setattr(bench, "CONTENDED", 300)
    servers, attempts, *_ = next(bench.contended(True))
    assert servers == "2^7"
    assert float(attempts) > 2


def test_memory_is_measured(bench, capsys):
    bench.memory_of(64, 100)
    before, after = map(int, capsys.readouterr().out.split())
    assert 0 < before <= after
