"""Serial, threads, processes and a Dask cluster: the same table, to the last bit."""

import os
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster
from pandas.testing import assert_frame_equal

import coalloc_lib as co
from coalloc_lib.seeds import spawn
from coalloc_lib.sweep import SweepError, sweep
from tests.conftest import ROOT

SYSTEM = co.Multicluster([8, 8])
GRID = {
    "scheduling": [co.FCFS(), co.FPFS(5)],
    "sizes": [co.uniform(1, 4), co.power_of_two(0.9, 1, 8)],
    "request": ["unordered", "ordered"],
}


def loss(scheduling, sizes, request, seed):
    model = co.JobModel(sizes, components=2, request=request)
    interval = co.saturated_loss(
        SYSTEM, model, jobs=2000, seed=seed, scheduling=scheduling, backlog=20
    )
    return {"loss": interval.estimate, "half_width": interval.half_width}


@pytest.fixture(scope="module")
def dask():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def moved(request):
    """A way to run points, by its name; for Dask with a cluster."""
    if request.param == "dask":
        request.getfixturevalue("dask")
        return joblib.parallel_config("dask")
    return joblib.parallel_config(request.param, n_jobs=2)


EVERYWHERE = pytest.mark.parametrize("moved", ["threading", "loky", "dask"], indirect=True)
IN_PROCESSES = pytest.mark.parametrize("moved", ["loky", "dask"], indirect=True)


@pytest.fixture(scope="module")
def serial():
    return sweep(loss, GRID, replications=2, seed=7)


def test_the_serial_table_is_what_the_function_says(serial):
    seeds = spawn(7, 2)
    for row in (0, 5, 15):
        point, replication = divmod(row, 2)
        values = [
            list(axis)[i]
            for axis, i in zip(GRID.values(), np.unravel_index(point, (2, 2, 2)), strict=True)
        ]
        expected = loss(*values, seed=seeds[replication])
        assert serial.iloc[row][["loss", "half_width"]].to_dict() == expected
    assert serial.loss.between(0, 1).all()


@EVERYWHERE
def test_the_same_table_everywhere(moved, serial, tmp_path):
    with moved:
        table = sweep(loss, GRID, replications=2, seed=7, cache=tmp_path)
    assert_frame_equal(table, serial, check_exact=True)
    again = sweep(loss, GRID, replications=2, seed=7, cache=tmp_path)
    assert_frame_equal(again, serial, check_exact=True)


def test_workers_are_threads(serial):
    assert_frame_equal(sweep(loss, GRID, 2, seed=7, workers=2), serial, check_exact=True)

    def where(x, seed):
        time.sleep(0.01)
        return {"process": os.getpid(), "thread": threading.get_ident()}

    table = sweep(where, {"x": range(20)}, workers=2)
    assert set(table.process) == {os.getpid()}
    assert table.thread.nunique() == 2


def place(x, seed):
    time.sleep(0.02)
    return os.getpid()


@IN_PROCESSES
def test_points_run_in_other_processes(moved):
    calls = []
    with moved:
        table = sweep(place, {"x": range(40)}, prepare=lambda: calls.append(os.getpid()))
    assert os.getpid() not in set(table.value)
    assert table.value.nunique() == 2
    assert calls == [os.getpid()]


COMPILED = """
from coalloc_lib.analytic import kernels as analytic
from coalloc_lib.engines import kernels as engines
from coalloc_lib.sweep import compile_kernels
from tests import warm

def signatures():
    kernels = {**vars(analytic), **vars(engines)}.values()
    return {(k.__name__, s) for k in kernels for s in getattr(k, "signatures", ())}

compile_kernels()
ours = signatures()
warm.compile_kernels()
assert len(ours) > 2
assert ours == signatures(), signatures() - ours
"""


def test_every_kernel_is_compiled_beforehand():
    subprocess.run([sys.executable, "-c", COMPILED], cwd=ROOT, check=True)


def test_nothing_is_prepared_for_threads():
    calls = []
    sweep(place, {"x": range(4)}, workers=2, prepare=lambda: calls.append(1))
    assert not calls


def uneven(x, seed):
    """Quick points, so that batches grow, before slow ones, of which a batch takes one."""
    time.sleep(0.6 if x in (900, 901) else 0)
    return x * 2


@EVERYWHERE
def test_batches_that_are_cut_off_go_on(moved):
    with moved:
        table = sweep(uneven, {"x": range(1000)})
    assert table.value.tolist() == [2 * x for x in range(1000)]


def fails(x, seed):
    return 1 / (x - 3)


@EVERYWHERE
def test_a_point_that_fails_is_named_everywhere(moved):
    with moved, pytest.raises(SweepError, match=r"x = 3, .*ZeroDivisionError") as caught:
        sweep(fails, {"x": range(6)})
    assert caught.value.table.x.tolist() == [0, 1, 2, 4, 5]
    assert "in fails" in caught.value.failures[0].traceback


def dies(x, home, seed):
    if x == 13 and os.getpid() != home:
        os._exit(3)
    time.sleep(0.001)
    return x


@IN_PROCESSES
def test_a_worker_that_dies_takes_one_point_with_it(moved, tmp_path):
    grid = {"x": range(60), "home": [os.getpid()]}
    with moved, pytest.raises(SweepError, match=r"1 of 60 .*\n.*x = 13, .* died") as caught:
        sweep(dies, grid, cache=tmp_path)
    assert caught.value.table.x.tolist() == [x for x in range(60) if x != 13]
    table = sweep(dies, grid, cache=tmp_path)  # here, at home, it lives
    assert table.value.tolist() == list(range(60))


def often_dies(x, home, seed):
    if x % 12 == 5 and os.getpid() != home:
        os._exit(3)
    return x


def test_points_that_kill_workers_here_and_there_take_no_other_with_them():
    with joblib.parallel_config("loky", n_jobs=2):
        grid = {"x": range(60), "home": [os.getpid()]}
        table = sweep(often_dies, grid, 2, failures="keep", prepare=None)
    assert table.x[table.error != ""].tolist() == [5, 5, 17, 17, 29, 29, 41, 41, 53, 53]
    assert table.value[table.error == ""].tolist() == [
        x for x in range(60) for _ in "12" if x % 12 != 5
    ]


def test_one_deadly_point_of_many_replications_takes_no_other_with_it(tmp_path):
    with joblib.parallel_config("loky", n_jobs=2):
        grid = {"x": [5, *range(6, 16)], "home": [os.getpid()]}
        how = {"failures": "keep", "prepare": None, "cache": tmp_path}
        for _ in range(2):  # again, it is the first that is missing
            table = sweep(often_dies, grid, 5, **how)
            assert table.x[table.error != ""].tolist() == [5] * 5
            assert table.value[table.error == ""].tolist() == [
                x for x in range(6, 16) for _ in "12345"
            ]


def always_dies(x, seed):
    os._exit(3)


def test_a_sweep_that_kills_every_worker_gives_up():
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(SweepError, match="3 points in a row, and the next, ended") as caught,
    ):
        sweep(always_dies, {"x": range(50)})
    assert caught.value.failures[0].arguments == {"x": 0, "replication": 0}
    assert len(caught.value.table) == 0


def test_what_cannot_be_handed_to_a_process_is_said():
    lock = threading.Lock()

    def locked(x, seed):
        with lock:
            return x

    assert sweep(locked, {"x": [1]}, workers=2).value[0] == 1
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(SweepError, match=r"the sweep stopped .*pickle"),
    ):
        sweep(locked, {"x": range(9)})
