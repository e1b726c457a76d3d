"""The keys of points: the same in every process, and different if anything in them differs."""

import functools
import linecache
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.statistics.sweep import keys, run_points, sweep
from coalloc_lib.statistics.sweep.keys import value_hash
from tests.conftest import ROOT
from tests.statistics.sweep.functions import Watch, inverse, noisy
from tests.statistics.sweep.values import Holder


def test_the_library_digest_is_of_every_source_and_of_the_data(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    (tmp_path / "data").mkdir()
    files = [tmp_path / "a.py", tmp_path / "inner" / "b.py", tmp_path / "data" / "log.swf.gz"]
    seen = set()
    monkeypatch.setattr(keys, "LIBRARY", tmp_path)
    monkeypatch.setattr(keys, "data_folder", lambda name: tmp_path / "data")
    for texts in [("1", "2", "3"), ("1", "3", "3"), ("2", "2", "3"), ("1", "2", "4")]:
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        seen.add(keys.library_digest.__wrapped__())
    assert len(seen) == 4


def test_the_library_digest_begins_at_the_folder_of_the_whole_package():
    """A change to an engine or a policy changes results, so it must change the keys."""
    assert Path(co.__file__).parent == keys.LIBRARY


#: Different values, which must all have different hashes. Each call makes new objects.
VALUES = """
import functools, numpy as np, pandas as pd
import coalloc_lib as co
from collections import defaultdict
from coalloc_lib.statistics.sweep.keys import value_hash
from coalloc_lib.workloads.models import Mixture
from tests.statistics.sweep.functions import noisy
from tests.statistics.sweep.values import *
def values():
    return [
        3, "1", 1, 1.0, True, None, np.float64(3), range(3), range(4), [1, 2], (1, 2), [[1], 2],
        {"b": 1, "a": {1, 2}}, {"a": {1, 2}, "b": 1}, frozenset("abc"), set("abc"), {1: "a"},
        {("b", 1): 1, None: frozenset("xyz")}, float("nan"), -0.0, 0.0, "", b"", (), [], {},
        Holder(np.arange(5)), Holder(np.arange(5.0)), Holder(np.arange(5).reshape(5, 1)),
        Holder(np.arange(5)).method, np.array([1, "a", None], dtype=object), np.datetime64(0, "s"),
        np.ma.array([1, 2], mask=[True, False]), np.ma.array([1, 2], mask=[True, True]),
        np.arange(3), np.arange(3.0), np.array(3), np.zeros((2, 3)), np.zeros((3, 2)),
        (np.zeros(1), np.zeros(2)), (np.zeros(2), np.zeros(1)), np.array([]),
        np.array([abs], dtype=object), np.array([max], dtype=object),
        pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]}),
        np.random.default_rng(1), np.random.default_rng(2),
        np.random.SeedSequence(3), np.random.SeedSequence(3, spawn_key=(1,)),
        Slotted(1), Slotted(2), Tagged([1]), Tagged([2]), Tagged([1], 1), [1],
        defaultdict(int, a=1), defaultdict(float, a=1), {"a": 1}, Callable(1), Callable(2),
        noisy, functools.partial(noisy, shift=1), functools.partial(noisy, shift=2),
        co.FCFS, co.FPFS, LastFit, co.FCFS(), co.FPFS(5), co.FPFS(6), co.EASY(), co.WorstFit(),
        co.BestFit(), LastFit(), co.SingleThenSpan(), co.SingleThenSpan(co.WorstFit()), co.Online(),
        co.uniform(1, 16), co.uniform(1, 8), co.Multicluster([32, 16]), co.Multicluster([16, 32]),
        co.JobModel(co.uniform(1, 4)), co.JobModel(co.uniform(1, 4), components=2),
        co.JobModel(co.uniform(1, 4), service=co.Empirical([1, 2])),
        co.JobStream([0, 1], [2, 2], [1, 1]), co.JobStream([0, 1], [2, 3], [1, 1]),
        Mixture({SMALL: 0.5, LARGE: 0.5}), Mixture({LARGE: 0.5, SMALL: 0.5}),
    ]
"""


def test_hashes_are_the_same_in_every_process_and_tell_values_apart():
    space = {"__name__": "__main__"}
    exec(VALUES, space)
    here = [value_hash(value) for value in space["values"]()]
    assert len(set(here)) == len(here)
    code = f"{VALUES}\nprint(*map(value_hash, values()), sep='\\n')"
    how = {"cwd": ROOT, "env": {"PYTHONHASHSEED": "1"}, "text": True}
    there = subprocess.check_output([sys.executable, "-c", code], **how)
    assert there.splitlines() == here


def test_equal_values_have_equal_hashes_whether_or_not_their_parts_are_one_object():
    policy = co.FPFS(5)
    assert value_hash((policy, policy)) == value_hash((co.FPFS(5), co.FPFS(5)))
    grid = np.arange(12).reshape(3, 4)
    for array in (grid, np.asfortranarray(grid), np.arange(24).reshape(3, 8)[:, ::2] // 2):
        assert value_hash(array) == value_hash(grid.copy())


def test_a_cached_property_does_not_change_a_hash():
    used, sizes = Holder(np.arange(3)), co.uniform(1, 4)
    model = co.JobModel(sizes)
    before = [value_hash(each) for each in (used, sizes, model, {"model": model})]
    used.total, sizes.sample(np.random.default_rng(0), 3)
    assert {"total"} <= vars(used).keys()
    assert "_cumulative" in vars(sizes)
    assert [value_hash(each) for each in (used, sizes, model, {"model": model})] == before


def found(function, folder, version="", point=None):
    """Return whether the result of a call was in the cache, and the result."""
    watch = Watch()
    points = [{"x": 1.0}] if point is None else [point]
    (result,) = run_points(function, points, cache=folder, version=version, progress=watch)
    return watch.found == 1, result


#: A module, and what in it is changed.
MODULE = """
import functools
import numba
from dataclasses import dataclass

def adding(shift):
    def add(x, seed): return x + shift
    return add

def plus(g):
    @functools.wraps(g)
    def more(**point): return g(**point) + <k>
    return more

def f(x, seed): return x + <k>
def g(x, seed, k=<k>): return x + k
@plus
def decorated(x, seed): return x
def two(x, k, seed): return x + k
part = functools.partial(two, k=<k>)
added = adding(<k>)

class Base:
    def __call__(self, x, seed): return x + <k>
class Own(Base): pass
own = Own()

@dataclass(frozen=True)
class Setting(Base):
    k: int = 3
setting = Setting()

class Repeated:
    def __init__(self, call, k):
        functools.update_wrapper(self, call)
        self.call, self.k = call, k
    def __call__(self, x, seed): return self.call(x, seed) + self.k
def same(x, seed): return x
repeated = Repeated(same, <k>)

@functools.cache
def remembered(x, seed): return x + <k>

@numba.njit
def compiled(x): return x + <k>
def called(x, seed, by): return by(x)
calling = functools.partial(called, by=compiled)

def used(x): return <k>
def user(x, seed): return x + used(x)
"""
SEEN = [
    "f", "g", "decorated", "part", "added", "own", "setting", "repeated", "remembered", "calling",
]  # fmt: skip


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that imports a module again, with another value in it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)

    def load(k, before=""):
        monkeypatch.delitem(sys.modules, "own_code", raising=False)
        (tmp_path / "own_code.py").write_text(before + MODULE.replace("<k>", str(k)))
        import own_code

        return own_code

    return load


def test_a_change_of_a_function_is_seen_and_a_change_of_its_place_is_not(module, tmp_path):
    cache = tmp_path / "cache"
    for k, before, is_found in [(1, "", False), (2, "", False), (1, "\n# a remark\n", True)]:
        own_code = module(k, before)
        for name in SEEN:
            assert found(getattr(own_code, name), cache) == (is_found, 1.0 + k), name


def test_what_a_key_does_not_notice_is_mended_by_a_version(module, tmp_path):
    """A key does not notice a change to a function that the called function uses."""
    cache = tmp_path / "cache"
    assert found(module(1).user, cache) == (False, 2.0)
    assert found(module(2).user, cache) == (True, 2.0)
    assert found(module(2).user, cache, version="2") == (False, 3.0)
    assert found(module(2).user, cache, version="2") == (True, 3.0)
    with pytest.raises(co.InputError, match="version = 2"):
        found(module(2).user, cache, version=2)


def test_a_change_of_the_class_of_an_argument_is_seen(module, tmp_path):
    def call(x, seed):
        return x(x=1, seed=seed)

    for k, is_found in [(1, False), (2, False), (1, True)]:
        point = {"x": module(k).own}
        assert found(call, tmp_path / "cache", point=point) == (is_found, 1 + k)


CELL = """
import functools
from dataclasses import dataclass
class Own:
    def __call__(self, x, seed): return x + <k>
class Attribute:
    k = <k>
class Property:
    @property
    def k(self): return <k>
class Cached:
    @functools.cached_property
    def k(self): return <k>
class Static:
    @staticmethod
    def read(): return <k>
    k = property(lambda self: self.read())
class OfClass:
    @classmethod
    def read(cls): return <k>
class Slotted:
    __slots__ = ()
    k = <k>
@dataclass
class Defaults:
    name: str = ""
    @property
    def k(self): return <k>
def read(self): return <k>
class Assigned:
    k = property(read)
def f(x, seed): return x * <k>
def g(x, seed): return 0
"""
READ = """
def reads(x, seed): return x.k if hasattr(x, "k") else x.read()
"""
KINDS = [
    "Attribute", "Property", "Cached", "Static", "OfClass", "Slotted", "Defaults", "Assigned",
]  # fmt: skip


def of_cell(text, name):
    """Run a cell of a notebook, which has no file, but whose text `linecache` has."""
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    space = vars(sys.modules["cells"])
    exec(compile(text, name, "exec"), space)
    return space


def test_functions_and_classes_of_a_notebook_are_known_by_their_cells(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cells", type(sys)("cells"))
    for number, (k, is_found) in enumerate([(2, False), (3, False), (2, True)]):
        space = of_cell(CELL.replace("<k>", str(k)), f"<cell {number}>")
        assert found(space["f"], tmp_path) == (is_found, k)
        assert found(space["Own"](), tmp_path) == (is_found, 1 + k)


@pytest.mark.parametrize("name", KINDS)
def test_any_part_of_a_class_of_a_notebook_is_seen(name, tmp_path, monkeypatch):
    """The parts of a class are attributes, properties and methods of all kinds."""
    monkeypatch.setitem(sys.modules, "cells", type(sys)("cells"))
    reads = of_cell(READ, "<cell of reads>")["reads"]
    for number, (k, is_found) in enumerate([(2, False), (3, False), (2, True)]):
        kind = of_cell(CELL.replace("<k>", str(k)), f"<cell {number}>")[name]
        assert found(reads, tmp_path, point={"x": kind()}) == (is_found, k)


UNREADABLE = """
import abc, collections, enum
class Method:
    def read(self): return 2
class Property:
    k = property(lambda self: 2)
class Color(enum.Enum):
    RED = 1
    GREEN = 2
Pair = collections.namedtuple("Pair", "a b")
class Empty(abc.ABC):
    pass
"""


def test_a_class_whose_methods_cannot_be_read_is_refused(monkeypatch):
    """A class without methods needs no text: its attributes and its objects hold all values."""
    monkeypatch.setitem(sys.modules, "cells", type(sys)("cells"))
    space = vars(sys.modules["cells"])
    exec(UNREADABLE, space)
    for name in ("Method", "Property"):
        with pytest.raises(TypeError, match=f"source text of {name}.* cannot be read: define it"):
            value_hash(space[name]())
    color, pair = space["Color"], space["Pair"]
    values = [color.RED, color.GREEN, pair(1, 2), pair(1, 3), space["Empty"]()]
    assert len(set(map(value_hash, values))) == len(values)


def test_a_sweep_and_run_points_do_not_share_results(tmp_path):
    assert run_points(inverse, [{"x": 2}], cache=tmp_path) == [{"inverse": 0.5, "square": 4}]
    watch = Watch()
    sweep(inverse, {"x": [2]}, cache=tmp_path, progress=watch)
    assert watch.found == 0


def without_source():
    space = {"__name__": "__main__"}
    exec("def f(x, seed): return x", space)
    return space["f"]


def itself():
    def again(x, seed):
        return again

    return again


def local_object():
    class Local:
        def __call__(self, x, seed):
            return x

    return Local()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x, seed: x, "lambda .* define the function with def"),
        (functools.partial(lambda x, seed: x), "lambda .* define the function with def"),
        (without_source(), "source text of f cannot be read: define it in a file"),
        (itself(), "nested too deeply"),
        (local_object(), "Local is defined in a function: define it outside"),
    ],
)
def test_a_function_that_has_no_key_is_refused_with_a_cache_only(function, words, tmp_path):
    with pytest.raises(co.InputError, match=rf"^function is a .*{words}.*; leave cache out"):
        run_points(function, [{"x": 1}], cache=tmp_path / "cache")
    assert not list(tmp_path.iterdir())
    run_points(function, [{"x": 1}])


def test_an_argument_that_has_no_key_is_refused_by_its_name(tmp_path):
    rows = (i for i in [])
    with pytest.raises(co.InputError, match=r"^load is a generator that cannot .*leave cache out"):
        sweep(noisy, {"load": {"it": rows}}, cache=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_beside_the_synthetic_logs_does_not_matter(tmp_path, monkeypatch):
    (tmp_path / "log.swf").write_text("1")
    monkeypatch.setattr(keys, "data_folder", lambda _: tmp_path)
    before = keys.library_digest.__wrapped__()
    (tmp_path / "__pycache__").mkdir()
    assert keys.library_digest.__wrapped__() == before
