"""`run_points`: any object, from anywhere and from the cache; equal points; what is refused."""

import subprocess
import sys
from dataclasses import dataclass

import joblib
import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.seeds import spawn
from coalloc_lib.sweep import run_points
from tests.conftest import ROOT
from tests.sweep.functions import Watch, noisy


@dataclass
class Result:
    draws: np.ndarray
    about: dict


def drawn(x, seed, more=None):
    return Result(np.random.default_rng(seed).random(3) / 3 + x, {"more": more, (1, None): {x}})


#: Equal points, points that print alike, and points with other names.
POINTS = [{"x": 1}, {"x": 1}, {"x": 1.5}, {"x": np.float64(1.5)}, {"x": 2, "more": co.FCFS()}]


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert type(one) is Result
        assert one.draws.tobytes() == other.draws.tobytes()
        assert one.about == other.about


def test_any_object_in_the_order_of_points_and_replications():
    expected = [drawn(**point, seed=seed) for point in POINTS for seed in spawn(3, 2)]
    assert_same(run_points(drawn, POINTS, 2, seed=3), expected)
    assert_same(run_points(drawn, iter(POINTS), 2, seed=3, workers=2), expected)
    assert_same(run_points(drawn, POINTS[::-1], 2, seed=3)[:2], expected[-2:])
    assert run_points(drawn, []) == []


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_the_cache_gives_the_same_objects_and_each_its_own(tmp_path, backend):
    computed = run_points(drawn, POINTS, 2, seed=3)
    for found in (0, 10):
        watch = Watch()
        with joblib.parallel_config(backend, n_jobs=2):
            results = run_points(drawn, POINTS, 2, seed=3, cache=tmp_path, progress=watch)
        assert_same(results, computed)
        assert (watch.found, watch.steps) == (found, 10 - found)
        assert results[0] is not results[2], "equal points do not share what may be changed"
    (segment,) = tmp_path.glob("*/*.records")
    assert len(segment.read_bytes().splitlines()) == 10


SCRIPT = """
import joblib
from dataclasses import dataclass
from coalloc_lib.sweep import run_points
from tests.sweep.functions import Watch

STEP = 1

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


def test_a_script_finds_what_it_kept_with_its_own_classes_until_it_is_changed(tmp_path):
    def output(script):
        (tmp_path / "script.py").write_text(script)
        how = {"cwd": tmp_path, "env": {"PYTHONPATH": str(ROOT)}, "text": True}
        return subprocess.check_output([sys.executable, "-B", "script.py"], **how).strip()

    assert output(SCRIPT) == "True 0"
    assert output(f"# A remark.\n{SCRIPT}") == "True 1"
    assert output(SCRIPT.replace("Own(x)]", "Own(x + STEP)]")) == "False 0"
    assert output(SCRIPT.replace("STEP = 1", "STEP = 0").replace("(x)]", "(x + STEP)]")) == "True 0"


class Fragile:
    loads = True

    def __setstate__(self, state):
        if not self.loads:
            raise AttributeError("what it needs is gone")

    def __getstate__(self):
        return {"x": 1}


def fragile(x, seed):
    return Fragile()


def test_what_cannot_be_read_any_more_is_computed_again(tmp_path, monkeypatch):
    monkeypatch.setattr("coalloc_lib.sweep.store.describe", lambda function: "the same")
    run_points(fragile, [{"x": 1}], cache=tmp_path)
    for loads, found in ((True, 1), (False, 0)):
        monkeypatch.setattr(Fragile, "loads", loads)
        watch = Watch()
        run_points(fragile, [{"x": 1}], cache=tmp_path, progress=watch)
        assert watch.found == found


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({"load": [1]}, r"points = .*; give a list of dicts"),
        ("load", "points = 'load'; give a list"),
        (3, "points = 3; give a list"),
        ([{"load": 1}, 3], r"points\[1\] = 3; give a dict"),
        ([{1: 1}], r"points\[0\] = \{1: 1\}; give a dict"),
        ([{"load": 1}, {"lod": 1}], "points give lod beside seed: .*'load'"),
        ([{"load": 1, "seed": 1}], "the name 'seed', which is taken"),
    ],
)
def test_bad_points(points, words):
    with pytest.raises(co.InputError, match=words):
        run_points(noisy, points)
