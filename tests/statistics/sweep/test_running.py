"""Serial, threads, processes, a Dask cluster, kills: the same results, and none is lost."""

import os
import random
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter

import joblib
import pytest
from distributed import Client, LocalCluster
from pandas.testing import assert_frame_equal

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics.sweep import SweepError, keys, run_points, sweep
from coalloc_lib.statistics.sweep.cache import MISSING, PointCache
from coalloc_lib.statistics.sweep.keys import point_keys
from tests.conftest import ROOT
from tests.statistics.sweep.functions import (
    LOGGED,
    POINTS,
    REPLICATIONS,
    Watch,
    dies,
    fails,
    logged,
    response,
    where,
)

GRID = {
    "scheduling": [co.FCFS(), co.FPFS(5)],
    "sizes": [co.uniform(1, 4), co.power_of_two(0.9, 1, 8)],
    "request": ["unordered", "ordered"],
}


def cluster(workers):
    how = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    return LocalCluster(n_workers=workers, **how)


@pytest.fixture(scope="module")
def dask():
    with cluster(2) as two, Client(two) as client:
        yield client


@pytest.fixture
def moved(request):
    """Yield each way to run calls in parallel, by its name; for Dask, with a cluster."""
    if request.param == "dask":
        request.getfixturevalue("dask")
        return joblib.parallel_config("dask")
    return joblib.parallel_config(request.param, n_jobs=2)


LONG_DASK = pytest.param("dask", marks=pytest.mark.long)
EVERYWHERE = pytest.mark.parametrize("moved", ["threading", "loky", LONG_DASK], indirect=True)
IN_PROCESSES = pytest.mark.parametrize("moved", ["loky", LONG_DASK], indirect=True)


@pytest.fixture(scope="module")
def serial():
    return sweep(response, GRID, replications=2, seed=7)


@pytest.mark.parametrize("moved", ["threading", "loky", "dask"], indirect=True)
def test_the_same_table_everywhere(moved, serial, tmp_path):
    with moved:
        table = sweep(response, GRID, replications=2, seed=7, cache=tmp_path)
    assert_frame_equal(table, serial, check_exact=True)
    again = sweep(response, GRID, replications=2, seed=7, cache=tmp_path)
    assert_frame_equal(again, serial, check_exact=True)


def test_workers_are_threads():
    calls = []
    table = sweep(where, {"x": range(20)}, workers=2, prepare=lambda: calls.append(1))
    assert set(table.process) == {os.getpid()}
    assert table.thread.nunique() == 2
    assert not calls, "there is nothing to prepare for threads"


def test_what_a_function_warns_of_is_heard():
    def warns(seed):
        warnings.warn("12 tasks left undone", stacklevel=1)

    with pytest.warns(UserWarning, match="left undone"):
        run_points(warns, [{}], seed=1, workers=1)


@IN_PROCESSES
def test_points_run_in_other_processes(moved):
    calls, lock = [], threading.Lock()
    with moved:
        table = sweep(where, {"x": range(40)}, prepare=lambda: calls.append(os.getpid()))
        with pytest.raises(SweepError, match=r"the sweep stopped .*(pickle|serialize)"):
            sweep(lambda x, seed: lock.locked(), {"x": range(9)})
    assert len(set(table.process) - {os.getpid()}) == table.process.nunique() == 2
    assert calls == [os.getpid()]


@EVERYWHERE
def test_points_that_fail_are_named_and_leave_the_others(moved, tmp_path):
    with moved, pytest.raises(SweepError, match="x = 1, replication = 0: Value") as caught:
        run_points(fails, [{"x": x} for x in range(5)], cache=tmp_path)
    one, other = caught.value.failures
    assert "in fails" in one.traceback
    assert other.arguments == {"x": 3, "replication": 0}
    assert "cannot pickle '_thread.lock' object" in other.error
    assert caught.value.results == {0: 0, 2: None, 4: 4}
    watch = Watch()
    with pytest.raises(SweepError):
        run_points(fails, [{"x": x} for x in range(5)], cache=tmp_path, progress=watch)
    assert (watch.found, watch.steps) == (3, 2)
    assert run_points(fails, [{"x": 3}])[0].acquire(), "threads pickle nothing without a cache"


@IN_PROCESSES
def test_a_worker_that_dies_is_reported_and_what_had_finished_is_kept(moved, tmp_path):
    grid = {"x": range(30), "home": [os.getpid()]}
    with moved, pytest.raises(SweepError, match=r"(?s)stopped .*x = \d+, .* in flight") as caught:
        sweep(dies, grid, cache=tmp_path)
    flying = {failure.arguments["x"] for failure in caught.value.failures}
    finished = set(caught.value.table.x)
    assert 13 in flying - finished
    assert flying.isdisjoint(finished)
    assert len(finished) > 5
    watch = Watch()
    table = sweep(dies, grid, cache=tmp_path, progress=watch)  # here, at home, it lives
    assert watch.found == len(finished)
    assert table.value.tolist() == list(range(30))


@pytest.mark.long
def test_a_cluster_without_workers_is_refused_with_what_to_do():
    with (
        cluster(0) as empty,
        Client(empty),
        joblib.parallel_config("dask", wait_for_workers_timeout=1),
        pytest.raises(SweepError, match=r"has no worker after 1 seconds(.|\n)*_timeout="),
    ):
        sweep(where, {"x": range(3)}, prepare=None)


def test_a_backend_that_cannot_hand_in_points_one_by_one_is_refused_by_name():
    with (
        joblib.parallel_config("multiprocessing", n_jobs=2),
        pytest.raises(co.InputError, match=r"MultiprocessingBackend.*; give 'loky', 'threading'"),
    ):
        sweep(lambda load, seed: load, {"load": [0.5, 0.7]})


@pytest.fixture
def one_library(monkeypatch):
    """Keep the cache keys unchanged if a source file is edited while the tests run."""
    monkeypatch.setattr(keys, "library_digest", str)


def start(folder, workers):
    code = (
        "from tests.statistics.sweep.functions import *; "
        "from coalloc_lib.statistics.sweep import keys, run_points; "
        "keys.library_digest = str; "
        f"run_points(logged, LOGGED, REPLICATIONS, seed=5, cache={str(folder / 'cache')!r}, "
        f"workers={workers})"
    )
    environment = {**os.environ, "SWEEP_LOG": str(folder / "log")}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)


def executions(folder):
    log = folder / "log"
    return Counter(log.read_text().split("\n")[:-1] if log.exists() else ())


def recorded(folder):
    """Return the calls whose results are in the cache, in the form of the log file."""
    names = [f"{x} {r}" for x in range(POINTS) for r in range(REPLICATIONS)]
    of_points = point_keys(logged, LOGGED, spawn(5, REPLICATIONS), "")
    kept = PointCache(folder / "cache")
    pairs = zip(names, of_points, strict=True)
    return {name for name, key in pairs if kept.read(key) is not MISSING}


def check_nothing_is_left_to_do(folder, workers):
    results = run_points(logged, LOGGED, REPLICATIONS, seed=5, cache=folder / "cache")
    assert not (folder / "other_log").exists(), "a finished point was computed again"
    assert results == run_points(logged, LOGGED, REPLICATIONS, seed=5, workers=workers)


@pytest.mark.parametrize(
    ("kills", "workers", "seed"),
    [(3, 1, None)]
    + [pytest.param(10, w, s, marks=pytest.mark.long) for w in (1, 2) for s in range(3)],
)
def test_runs_that_are_killed_go_on(tmp_path, monkeypatch, one_library, kills, workers, seed):
    """A sweep is killed at random moments and continued; stored results are not computed again."""
    monkeypatch.setenv("SWEEP_LOG", str(tmp_path / "other_log"))
    # Two workers that wait no longer finish calls faster than a busy machine stores the results.
    monkeypatch.setenv("SWEEP_PAUSE", str(0.004 if workers == 1 else 0.03))
    moments, stages = random.Random(seed), []
    for _ in range(kills):
        begun = executions(tmp_path).total()
        run = start(tmp_path, workers)
        while run.poll() is None and executions(tmp_path).total() == begun:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 1.5 / kills))
        run.kill()
        run.wait()
        stages.append((executions(tmp_path), recorded(tmp_path)))
    assert start(tmp_path, workers).wait() == 0
    after = executions(tmp_path)
    assert len(after) == POINTS * REPLICATIONS
    assert all(after[point] == before[point] > 0 for before, kept in stages for point in kept)
    # Only calls that were running, or whose results were not yet stored, are computed twice.
    assert after.total() - len(after) <= kills * 2 * workers
    assert any(kept for _, kept in stages), "no kill came while points were computed"
    check_nothing_is_left_to_do(tmp_path, workers)


@pytest.mark.long
def test_two_runs_at_once_share_a_cache(tmp_path, monkeypatch, one_library):
    runs = [start(tmp_path, 1) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert len(recorded(tmp_path)) == POINTS * REPLICATIONS
    monkeypatch.setenv("SWEEP_LOG", str(tmp_path / "other_log"))
    check_nothing_is_left_to_do(tmp_path, workers=2)
