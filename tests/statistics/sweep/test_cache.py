"""Finished points on disk: what is found again, what is not, and what a disk may do."""

import errno
import io
import os
import pickle
import signal
import stat
import subprocess
import sys
import tempfile
import time

import joblib
import pytest
from joblib._store_backends import FileSystemStoreBackend
from pandas.testing import assert_frame_equal

import coalloc_lib as co
from coalloc_lib.statistics.sweep import SweepError, cache, keys, run_points, sweep
from tests.conftest import ROOT
from tests.statistics.sweep.functions import Calls, Watch, inverse, noisy


@pytest.mark.parametrize("workers", [None, 2])
def test_a_full_disk_is_reported_and_loses_no_finished_point(tmp_path, monkeypatch, workers):
    """The simulated disk stores only the beginning of a file, and nothing after that."""
    room = [5_000]

    def write(file, data):
        taken = data[: room[0]]
        room[0] -= len(taken)
        io.FileIO.write(file, taken)
        if len(taken) < len(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        return len(data)

    filling = type("FillingDisk", (io.FileIO,), {"write": write})
    with monkeypatch.context() as patched:
        patched.setattr(FileSystemStoreBackend, "_open_item", staticmethod(filling))
        words = r"takes no more results \(No space left on device\); make room"
        with pytest.raises(SweepError, match=words) as caught:
            sweep(inverse, {"x": range(1, 1001)}, cache=tmp_path, workers=workers)
    assert "\n" not in str(caught.value)
    assert not caught.value.failures
    watch = Watch()
    table = sweep(inverse, {"x": range(1, 1001)}, cache=tmp_path, progress=watch)
    assert 0 < watch.found == len(caught.value.table)
    assert table.square.tolist() == [x * x for x in range(1, 1001)]


LONG_LOKY = pytest.param("loky", marks=pytest.mark.long)


@pytest.fixture
def interruptible():
    """Let Ctrl-C raise an error, even if the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("action", "arguments", "patch"),
    [("write", ("other", b""), "dumps"), ("read", ("key",), "loads")],
)
def test_ctrl_c_is_not_lost_where_joblib_ignores_all_errors(
    tmp_path, monkeypatch, action, arguments, patch
):
    """joblib ignores every error while it stores the metadata of a result, or reads them."""
    points = cache.PointCache(tmp_path)
    assert points.read("key") is cache.MISSING  # A sweep reads before it writes.
    points.write("key", pickle.dumps("result"))

    def interrupted(*_):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)  # In the main thread, the error is raised here.
        return {}

    with monkeypatch.context() as patched:
        patched.setattr(f"joblib._store_backends.json.{patch}", interrupted)
        with pytest.raises(KeyboardInterrupt):
            getattr(points, action)(*arguments)
    assert points.read("key") == "result"


class Interrupting(Watch):
    """A progress receiver that interrupts the sweep, as Ctrl-C does, after twenty calls."""

    def step(self):
        super().step()
        if self.steps == 20:
            signal.raise_signal(signal.SIGINT)


def slowly(x, seed):
    time.sleep(0.002)
    return x


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("backend", ["sequential", "threading", LONG_LOKY])
def test_an_interruption_keeps_what_was_finished(tmp_path, backend):
    how = {"cache": tmp_path, "prepare": None}
    with joblib.parallel_config(backend, n_jobs=2), pytest.raises(KeyboardInterrupt):
        sweep(slowly, {"x": range(400)}, progress=Interrupting(), **how)
    time.sleep(0.2)  # threads that were at a point end in peace
    again = Watch()
    table = sweep(slowly, {"x": range(400)}, progress=again, **how)
    assert 20 <= again.found < 400
    assert table.value.tolist() == list(range(400))


def test_only_what_is_missing_is_computed(tmp_path):
    first, second, watch = Calls(), Calls(), Watch()
    one = sweep(first, {"x": range(10)}, cache=tmp_path)
    two = sweep(second, {"x": range(5, 15)}, cache=tmp_path, progress=watch)
    assert (len(first.made), second.made) == (10, [10, 11, 12, 13, 14])
    assert watch.announced == watch.steps == watch.found == 5
    assert_frame_equal(one[5:].reset_index(drop=True), two[:5], check_exact=True)
    assert_frame_equal(two, sweep(Calls(), {"x": range(5, 15)}), check_exact=True)


def test_another_library_is_computed_anew(tmp_path, monkeypatch):
    calls = Calls()
    for digest, made_so_far in [("1", 1), ("2", 2), ("1", 2)]:
        monkeypatch.setattr(keys, "library_digest", lambda digest=digest: digest)
        sweep(calls, {"x": [1]}, cache=tmp_path)
        assert len(calls.made) == made_so_far


def test_a_damaged_result_is_computed_again(tmp_path, caplog):
    """Whichever byte of the file is missing or wrong, the result is computed and stored again."""
    points = [{"x": 3}]
    expected = run_points(inverse, points, cache=tmp_path)
    (file,) = tmp_path.rglob("output.pkl")
    whole = file.read_bytes()
    flipped = [bytearray(whole) for _ in whole]
    for at, data in enumerate(flipped):
        data[at] ^= 1
    found = 0
    for data in [*(whole[:end] for end in range(0, len(whole), 7)), *flipped]:
        file.write_bytes(data)
        watch = Watch()
        assert run_points(inverse, points, cache=tmp_path, progress=watch) == expected
        found += watch.found
        assert file.read_bytes() == whole or watch.found
    assert found < 10, "only bytes that do not matter may be wrong"
    assert not caplog.records


def test_what_cannot_be_used_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(co.InputError, match=r"file.* cannot be used \(.*choose another"):
        sweep(noisy, {"load": [1]}, cache=tmp_path / "file")
    table = sweep(noisy, {"load": [1]}, cache=tmp_path)

    def refuse(**_options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(co.InputError, match=r"cannot be written \(Permission denied"):
        sweep(noisy, {"load": [2]}, cache=tmp_path)
    assert_frame_equal(sweep(noisy, {"load": [1]}, cache=tmp_path), table)


SCRIPT = """
import joblib
from dataclasses import dataclass
from coalloc_lib.statistics.sweep import run_points
from tests.statistics.sweep.functions import Watch

@dataclass
class Own:
    x: int

def f(x, seed):
    return [Own(x)]

if __name__ == "__main__":
    watch = Watch()
    with joblib.parallel_config("loky", n_jobs=2):
        found = run_points(f, [{"x": 1}], cache="cache", prepare=None, progress=watch)
    print(found == [[Own(1)]], watch.found)
"""


@pytest.mark.long
def test_a_script_finds_what_it_kept_with_its_own_classes_until_it_is_changed(tmp_path):
    def output(script):
        (tmp_path / "script.py").write_text(script)
        how = {"cwd": tmp_path, "env": {"PYTHONPATH": str(ROOT)}, "text": True}
        return subprocess.check_output([sys.executable, "-B", "script.py"], **how).strip()

    assert output(SCRIPT) == "True 0"
    assert output(f"# A remark.\n{SCRIPT}") == "True 1"
    assert output(SCRIPT.replace("Own(x)]", "Own(x + 1)]")) == "False 0"
    assert output(SCRIPT.replace("Own(x)]", "Own(x + 0)]")) == "True 0"


def test_what_cannot_be_read_any_more_is_computed_again(tmp_path, monkeypatch):
    run_points(inverse, [{"x": 1}], cache=tmp_path)
    for read, found in ((pickle.loads, 1), (None, 0)):
        monkeypatch.setattr(cache.pickle, "loads", read)
        watch = Watch()
        run_points(inverse, [{"x": 1}], cache=tmp_path, progress=watch)
        assert watch.found == found


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no owners in this sense")
def test_a_cache_is_for_its_user_alone(tmp_path, monkeypatch):
    """New folders are private under any umask; folders that others can write are rejected."""
    folder = tmp_path / "parent" / "cache"
    before = os.umask(0o002)
    try:
        run_points(inverse, [{"x": 1}], cache=folder)
    finally:
        os.umask(before)
    inner = folder / "points"
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, inner)] == [0o700, 0o700]
    for path, mode in [(folder, 0o775), (inner, 0o775), (inner, 0o702)]:
        path.chmod(mode)
        with pytest.raises(co.InputError, match=rf"{path} can be written by.*chmod go-w {path}"):
            run_points(inverse, [{"x": 1}], cache=folder)
        path.chmod(0o755)
    folder.chmod(0o1777)
    with pytest.raises(
        co.InputError, match=r"can be written by others.*; choose a folder inside it"
    ):
        run_points(inverse, [{"x": 1}], cache=folder)
    folder.chmod(0o755)
    run_points(inverse, [{"x": 1}], cache=folder)
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    if mine == 0:  # what root owns, root could change anyway
        run_points(inverse, [{"x": 1}], cache=folder)
        os.chown(inner, 12345, -1)
    with pytest.raises(co.InputError, match=r"belongs to another user.* of your own$"):
        run_points(inverse, [{"x": 1}], cache=folder)


def test_a_folder_that_cannot_be_used_is_called_as_the_user_did(tmp_path, monkeypatch):
    (tmp_path / "cache").mkdir()

    def refuse(path, *_args, **_options):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(type(tmp_path), "mkdir", refuse)
    with pytest.raises(co.InputError) as caught:
        run_points(inverse, [{"x": 1}], cache="cache")
    assert str(caught.value).startswith("cache folder cache cannot be used (Permission denied);")
