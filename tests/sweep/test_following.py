"""A function is another one when anything changes that it uses by name."""

import sys
import textwrap

import pytest

import coalloc_lib as co
from coalloc_lib.sweep import sweep
from tests.sweep.functions import Watch

CELLS = {
    "content of a list": "K = [3, <k>]\ndef f(x, seed): return x + K[1]",
    "helpers that call each other": """
        def g(x, n): return h(x, n - 1) if n else x + <k>
        def h(x, n): return g(x, n)
        def f(x, seed): return g(x, 3)""",
    "name within a class within": """
        K = <k>
        def f(x, seed):
            class Inner:
                k = K
            return x + Inner.k""",
    "default": "K = <k>\ndef g(x, k=K): return x + k\ndef f(x, seed): return g(x)",
    "attribute of a function": "def g(): pass\ng.k = <k>\ndef f(x, seed): return x + g.k",
    "decorator": """
        import functools
        def plus(g):
            @functools.wraps(g)
            def inner(x, seed): return g(x, seed) + <k>
            return inner
        @plus
        def f(x, seed): return x""",
    "what is decorated": """
        import functools
        @functools.cache
        def g(x): return x + <k>
        def f(x, seed): return g(x)""",
    "function of a partial": """
        import functools
        def g(x, k, seed): return x + k + <k>
        f = functools.partial(g, k=1)""",
    "method of a callable object": """
        class Adder:
            def __call__(self, x, seed): return x + self.k()
            def k(self): return <k>
        f = Adder()""",
    "bound method of a base": """
        class Base:
            def k(self, x, seed): return x + <k>
        class Own(Base): pass
        f = Own().k""",
    "class method": """
        class Own:
            @classmethod
            def k(cls): return <k>
        def f(x, seed): return x + Own.k()""",
    "property": """
        class Own:
            @property
            def k(self): return <k>
        def f(x, seed): return x + Own().k""",
    "name in a static method": """
        K = <k>
        class Own:
            @staticmethod
            def k(): return K
        def f(x, seed): return x + Own.k()""",
    "field of a dataclass": """
        from dataclasses import dataclass
        @dataclass
        class Own:
            k: int = <k>
        def f(x, seed): return x + Own().k""",
    "compiled by Numba": """
        from numba import njit
        K = <k>
        @njit
        def g(x): return x + K
        def f(x, seed): return g(x)""",
}


def run(cell, k, cache, space=None):
    """Run a cell and sweep what it defines; return the value and whether it was computed."""
    space = {"__name__": "__main__"} if space is None else space
    exec(textwrap.dedent(cell).replace("<k>", str(k)), space)
    watch = Watch()
    value = sweep(space["f"], {"x": [10]}, cache=cache, progress=watch).value[0]
    return value, watch.announced == 1


@pytest.mark.parametrize("cell", CELLS.values(), ids=list(CELLS))
def test_a_change_in_a_cell_is_seen_and_nothing_else_is_computed_again(cell, tmp_path):
    (one, first), (two, second) = (run(cell, k, tmp_path) for k in (1, 2))
    assert first
    assert second
    assert two == run(cell, 2, None)[0] != one
    assert run(cell, 1, tmp_path) == (one, False)
    assert run(f"# a remark\n\n{textwrap.dedent(cell)}", 2, tmp_path) == (two, False)


def test_a_value_that_changes_between_two_sweeps_is_seen(tmp_path):
    space, cell = {"__name__": "__main__"}, "def f(x, seed): return x + sum(K)"
    for k, computed in [([1], True), ([1, 2], True), ([1], False)]:
        space["K"] = k
        assert run(cell, 0, tmp_path, space) == (10 + sum(k), computed)


MODULES = {
    "renamed module": "import helpers as h\ndef f(x, seed): return h.deeper.K + x",
    "module within a function": "def f(x, seed):\n import helpers\n return helpers.g(x)",
    "name within a function": "def f(x, seed):\n from helpers import g\n return g(x)",
    "part within a function": "def f(x, seed):\n from helpers import deeper\n return x + deeper.K",
    "nothing, as it may be missing": """
        def f(x, seed):
            try:
                import helpers, not_there
            except ImportError:
                return helpers.g(x)""",
    "module handed on": "import helpers\ndef f(x, seed): return getattr(helpers, 'g')(x)",
}


@pytest.mark.parametrize("cell", MODULES.values(), ids=list(MODULES))
def test_a_change_in_a_module_of_ones_own_is_seen(cell, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    package = tmp_path / "helpers"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    (package / "__init__.py").write_text("from helpers import deeper\ndef g(x):return x+deeper.K")
    results = []
    for k in (1, 2, 1):
        for name in ("helpers", "helpers.deeper"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        (package / "deeper.py").write_text(f"K = {k}")
        results.append(run(cell, 0, tmp_path / "cache"))
    assert results == [(11, True), (12, True), (11, False)]


@pytest.mark.parametrize(
    ("setting", "body", "words"),
    [
        ("rows = (i for i in [1])", "next(rows)", r"generator object .*\(.*g > rows\)"),
        ("import numpy as np\nu = np.frompyfunc(abs, 1, 1)", "u(1)", "code cannot be seen"),
        ("K = 1", "eval('K')", "can reach what the code does not name"),
        ("import importlib", "importlib.import_module('os').getpid()", "reach"),
        ("import sys", "sys.modules['sys'].maxsize", r"dict .*g > sys.modules\)"),
        ("from sys import modules", "modules['sys'].maxsize", r"dict .*g > modules\)"),
        ("def h():\n import sys as s\n return len(s.modules)", "h()", r"h > sys.modules\)"),
        ("def h():\n from sys import modules\n return 1", "h()", r"h > sys.modules\)"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_a_cache_only(setting, body, words, tmp_path):
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
        import importlib, sys
        def g(x):
            import sys as s
            s.stdout.flush(), sys.stderr.flush(), importlib.util
            return x + (sys.maxsize > 1)
        def f(x, seed): return g(x)
        def h(): return <k>
        rows = (i for i in [])"""
    assert [run(cell, k, tmp_path) for k in (1, 2)] == [(11, True), (11, False)]
