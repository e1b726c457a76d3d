"""What a point is known by: the same in every process, another when anything changes."""

import subprocess
import sys
import textwrap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.statistics.sweep import cache, sweep
from coalloc_lib.statistics.sweep.cache import describe
from tests.conftest import ROOT
from tests.statistics.sweep.functions import Watch


def test_the_library_digest_is_of_every_source_and_of_the_data(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    (tmp_path / "data").mkdir()
    files = [tmp_path / "a.py", tmp_path / "inner" / "b.py", tmp_path / "data" / "log.swf.gz"]
    seen = set()
    monkeypatch.setattr(cache, "_LIBRARY", tmp_path)
    monkeypatch.setattr(cache, "data_folder", lambda name: tmp_path / "data")
    for texts in [("1", "2", "3"), ("1", "3", "3"), ("2", "2", "3"), ("1", "2", "4")]:
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        seen.add(cache.library_digest.__wrapped__())
    assert len(seen) == 4


def test_the_library_digest_begins_at_the_folder_of_the_whole_package():
    """A change of an engine or of a policy changes results, and so it must change the key."""
    assert Path(co.__file__).parent == cache._LIBRARY


@dataclass(frozen=True, eq=False)
class Holder:
    array: np.ndarray
    scale: float = 1.0

    @cached_property
    def total(self):
        return self.array.sum() * self.scale

    def method(self):
        return self.scale + 1


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Tagged(list):
    def __init__(self, content, tag=0):
        super().__init__(content)
        self.tag = tag


class Named(np.ndarray):
    pass


def kind_with(member):
    return type("Kind", (), {"member": member})


SMALL, LARGE = (co.JobModel(co.uniform(1, most)) for most in (2, 8))

#: Values of which no two have the same key, made anew by each call.
VALUES = """
import functools, numpy as np, pandas as pd
import coalloc_lib as co
from collections import defaultdict
from coalloc_lib.workloads.models import Mixture
from tests.statistics.sweep.functions import noisy
from tests.statistics.sweep.test_keys import *
def outer(k, values=(1, {"a", "b", "c"})):
    def inner(x): return inner(x - 1) + k if x in {"u", "v", "w"} else k
    return inner
def values():
    return [
        3, "1", 1, 1.0, True, None, np.float64(3), range(3), range(4), [1, 2], (1, 2), [[1], 2],
        {"b": 1, "a": {1, 2}}, {"a": {1, 2}, "b": 1}, frozenset("abc"), set("abc"),
        Holder(np.arange(5)), Holder(np.arange(5.0)), Holder(np.arange(5).reshape(5, 1)),
        Holder(np.arange(5)).method, np.array([1, "a", None], dtype=object), np.datetime64(0, "s"),
        np.ma.array([1, 2], mask=[True, False]), np.ma.array([1, 2], mask=[True, True]),
        np.arange(2).view(Named), np.arange(3).view(Named), np.arange(3),
        np.array([abs], dtype=object), np.array([max], dtype=object),
        pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]}),
        np.random.default_rng(1), np.random.default_rng(2),
        np.random.SeedSequence(3), np.random.SeedSequence(3, spawn_key=(1,)),
        Slotted(1), Slotted(2), Tagged([1]), Tagged([2]), Tagged([1], 1), [1],
        defaultdict(int, a=1), defaultdict(float, a=1), {"a": 1},
        outer(3), outer(4), noisy, functools.partial(noisy, shift=1),
        functools.partial(noisy, shift=2), functools.partialmethod(len, 3),
        functools.partialmethod(len, 4), functools.wraps(max)(functools.partial(max, 1)),
        kind_with(np.arange(2)), kind_with(np.arange(3)), kind_with(co.FPFS(1))(),
        kind_with(co.FPFS(9))(), kind_with(co.FCFS), kind_with(co.FPFS),
        co, co.FCFS, co.FPFS(5), co.uniform(1, 16), co.Multicluster([32, 16]),
        co.JobModel(co.uniform(1, 4), service=co.Empirical([1, 2])),
        Mixture({SMALL: 0.5, LARGE: 0.5}), Mixture({LARGE: 0.5, SMALL: 0.5}),
    ]
"""


def test_keys_are_the_same_in_every_process_and_tell_values_apart():
    space = {"__name__": "__main__"}
    exec(VALUES, space)
    here = [describe(value) for value in space["values"]()]
    assert len(set(here)) == len(here)
    code = f"{VALUES}\nprint(*map(describe, values()), sep='\\n')"
    for seed in "123":
        how = {"cwd": ROOT, "env": {"PYTHONHASHSEED": seed}, "text": True}
        there = subprocess.check_output([sys.executable, "-c", code], **how)
        assert there.splitlines() == here


def test_what_an_object_keeps_for_speed_does_not_count():
    used, sizes = Holder(np.arange(3)), co.uniform(1, 4)
    before = describe(used), describe(sizes)
    used.total, sizes.sample(np.random.default_rng(0), 3)
    assert (describe(used), describe(sizes)) == before


def test_pickling_its_objects_changes_no_class():
    class Own:
        pass

    before = describe(Own)
    cloudpickle.dumps(Own())
    assert "__slotnames__" in vars(Own)
    assert Own.__annotations__ == {}
    assert describe(Own) == before


def test_what_is_held_often_has_a_key_and_what_is_too_deep_is_refused():
    one, other, deep, shared = [1], [2], [], [3]
    for held in (one, other):
        held.append(held)
    assert describe(one) != describe(other)
    for _ in range(60):  # described once, or this would never end
        shared = [shared, shared]
    assert describe(shared)
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(co.InputError, match=r"list object .* nested too deeply; leave cache"):
        describe(deep)


#: Cells in which k stands for what is changed.
CELLS = {
    "content of a list": "K = [3, <k>]\ndef f(x, seed): return x + K[1]",
    "helpers that call each other": """
        def g(x, n): return h(x, n - 1) if n else x + <k>
        def h(x, n): return g(x, n)
        def f(x, seed): return g(x, 3)""",
    "name in a method of a class within": """
        K = <k>
        def f(x, seed):
            class Inner: k = property(lambda self: K)
            return x + Inner().k""",
    "dataclass, its method and what it keeps": """
        from dataclasses import dataclass
        from functools import cached_property
        @dataclass(frozen=True)
        class Own:
            k: int = 0
            @cached_property
            def more(self): return self.k + <k>
        def f(x, seed): return x + Own(1).more""",
    "member of an enumeration": """
        from enum import Enum
        class Own(Enum): k = <k>
        def f(x, seed): return x + Own.k.value""",
    "arguments by name only": """
        def g(*names, **more): return (len(names) + len(more)) * <k>
        def f(x, seed): return x + g(1, two=2)""",
    "default": "K = <k>\ndef g(x, k=K): return x + k\ndef f(x, seed): return g(x)",
    "attribute of a function": "def g(): pass\ng.k = <k>\ndef f(x, seed): return x + g.k",
    "decorator": """
        import functools
        def plus(g): return functools.wraps(g)(lambda x, seed: g(x, seed) + <k>)
        @plus
        def f(x, seed): return x""",
    "what is decorated": """
        import functools
        @functools.cache
        def g(x): return x + <k>
        def f(x, seed): return functools.partial(g)(x)""",
    "method of a base of a callable object": """
        class Base:
            def __call__(self, x, seed): return x + <k>
        class Own(Base): pass
        f = Own()""",
    "class method": """
        class Own: k = classmethod(lambda cls: <k>)
        def f(x, seed): return x + Own.k()""",
    "property": """
        class Own: k = property(lambda self: <k>)
        def f(x, seed): return x + Own().k""",
    "name in a static method": """
        K = <k>
        class Own: k = staticmethod(lambda: K)
        def f(x, seed): return x + Own.k()""",
    "field of a dataclass": """
        from dataclasses import make_dataclass
        Own = make_dataclass("Own", [("k", int, <k>)])
        def f(x, seed): return x + Own().k""",
    "compiled by Numba": """
        from numba import njit
        K = <k>
        @njit
        def g(x): return x + K
        def f(x, seed): return g(x)""",
}


def run(cell, k, folder, space=None):
    """Run a cell and sweep what it defines; return the value and whether it was computed."""
    space = {"__name__": "__main__"} if space is None else space
    exec(textwrap.dedent(cell).replace("<k>", str(k)), space)
    watch = Watch()
    value = sweep(space["f"], {"x": [10]}, cache=folder, progress=watch).value[0]
    return value, watch.announced == 1


#: From Python 3.13 on, the code of such a class holds the number of its first line.
KNOWS_ITS_LINE = {"name in a method of a class within"} if sys.version_info >= (3, 13) else set()


@pytest.mark.parametrize("name", CELLS)
def test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again(name, tmp_path):
    cell = CELLS[name]
    (one, first), (two, second) = (run(cell, k, tmp_path) for k in (1, 2))
    assert first
    assert second
    assert two == run(cell, 2, None)[0] != one
    assert run(cell, 1, tmp_path) == (one, False)
    moved = run(f"# a remark\n\n{textwrap.dedent(cell)}", 2, tmp_path)
    assert moved == (two, name in KNOWS_ITS_LINE)


def test_a_value_that_changes_between_two_sweeps_is_seen(tmp_path):
    space, cell = {"__name__": "__main__"}, "def f(x, seed): return x + sum(K)"
    for k, computed in [([1], True), ([1, 2], True), ([1], False)]:
        space["K"] = k
        assert run(cell, 0, tmp_path, space) == (10 + sum(k), computed)


MODULES = {
    "renamed module": "import helpers as h\ndef f(x, seed): return h.deeper.K + x",
    "function": "from helpers import g\ndef f(x, seed): return g(x)",
    "value": "from helpers.deeper import K\ndef f(x, seed): return x + K",
    "base class": """
        from helpers import Base
        class Own(Base): pass
        def f(x, seed): return x + Own().k()""",
    "instance": "from helpers import base\ndef f(x, seed): return x + base.k()",
    "module handed on": "import helpers\ndef f(x, seed): return getattr(helpers, 'g')(x)",
}
HELPERS = """
from helpers import deeper
def g(x): return x + deeper.K
class Base:
    def k(self): return g(0)
base = Base()
"""


@pytest.mark.parametrize("cell", MODULES.values(), ids=list(MODULES))
def test_a_change_in_a_module_of_ones_own_is_seen(cell, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    package = tmp_path / "helpers"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    (package / "__init__.py").write_text(HELPERS)
    results = []
    for k in (1, 2, 1):
        for name in ("helpers", "helpers.deeper"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        (package / "deeper.py").write_text(f"K = {k}")
        results.append(run(cell, 0, tmp_path / "kept"))
    assert results == [(11, True), (12, True), (11, False)]


@pytest.mark.parametrize(
    ("setting", "body", "words"),
    [
        ("rows = (i for i in [1])", "next(rows)", r"g > rows\).* pickle 'generator'"),
        ("import numpy as np\nu = np.frompyfunc(abs, 1, 1)", "u(1)", "g > u.* cannot be seen"),
        ("import threading\nlock = threading.Lock()", "lock.locked()", "g > lock.*cannot pickle"),
    ],
)
def test_what_cannot_be_pickled_is_refused_with_a_cache_only(setting, body, words, tmp_path):
    cell = f"{setting}\ndef g(): return {body}\ndef f(x, seed): return g()"
    with pytest.raises(co.InputError, match=words) as caught:
        run(cell, 0, tmp_path)
    assert "\n" not in str(caught.value)
    assert "leave cache out" in str(caught.value)
    assert not list(tmp_path.iterdir())
    assert run(cell, 0, None)[1]


def test_what_is_not_used_does_not_count(tmp_path):
    """Neither what stands beside the function nor what else an installed module has."""
    cell = """
        import sys
        def g(x):
            sys.stderr.flush()
            return x + (sys.maxsize > 1)
        def f(x, seed): return g(x)
        def h(): return <k>
        rows = (i for i in [])"""
    assert [run(cell, k, tmp_path) for k in (1, 2)] == [(11, True), (11, False)]


REACHED = {
    "subclasses": """
        class Base: pass
        class Own(Base): k = <k>
        def f(x, seed): return x + Base.__subclasses__()[-1].k""",
    "a file": """
        import pathlib
        pathlib.Path(FILE).write_text("<k>")
        def f(x, seed): return x + int(pathlib.Path(FILE).read_text())""",
    "a program": """
        import pathlib, runpy
        pathlib.Path(FILE).write_text("k = <k>")
        def f(x, seed): return x + runpy.run_path(FILE)["k"]""",
    "a frame": """
        import sys
        K = <k>
        def f(x, seed): return x + sys._getframe().f_globals["K"]""",
    "a text": "K = <k>\ndef f(x, seed): return x + eval('K')",
    "an import": """
        import pathlib, sys
        sys.modules.pop("helper", None)
        pathlib.Path(FILE).with_name("helper.py").write_text("k = <k>")
        def f(x, seed):
            import helper
            return x + helper.k""",
    "a class body": """
        K = <k>
        def f(x, seed):
            class Inner: k = K
            return x + Inner.k""",
    "the environment": """
        import os
        os.environ["COALLOC_K"] = "<k>"
        def f(x, seed): return x + int(os.environ["COALLOC_K"])""",
}


@pytest.mark.parametrize("cell", REACHED.values(), ids=list(REACHED))
def test_what_is_not_noticed_is_what_the_docs_say(cell, tmp_path, monkeypatch):
    """It has a key, and that stays: whoever changes such things takes another folder."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("COALLOC_K", "0")
    monkeypatch.syspath_prepend(tmp_path)
    space = {"__name__": "__main__", "FILE": str(tmp_path / "read.txt")}
    results = [run(cell, k, tmp_path / "kept", dict(space)) for k in (1, 2)]
    assert results == [(11, True), (11, False)]


CELL = """
import helpers, sys
from coalloc_lib.statistics.sweep.cache import describe
class Own:
    names = {"one", "two", "three", "four"}
    def k(self, x): return x in {"one", "two", "three"}
def f(x, seed, kind=Own): return helpers.g(kind().k(x), {"a", "b", "c"})
exec(compile("def h(x, seed): return f(x, seed)", sys.argv[1], "exec"))
print(describe(f), describe(h), describe(Own().k))
"""


def test_a_key_is_the_same_in_a_new_process_and_another_place(tmp_path):
    """Whatever the order of sets, and the names of the files that hold script and cells."""
    (tmp_path / "helpers.py").write_text("def g(x, y): return x in y or {'u', 'v', 'w'} & y")
    seen = set()
    for at, seed in enumerate("0123"):
        script = tmp_path / f"place{at}" / f"script{at}.py"
        script.parent.mkdir()
        script.write_text("# a remark\n" * at + CELL)
        env = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "PYTHONHASHSEED": seed}
        argv = [sys.executable, "-B", str(script), f"/tmp/cell_{at}.py"]
        seen.add(subprocess.check_output(argv, env=env, text=True))
    assert len(seen) == 1
