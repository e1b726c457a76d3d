"""What a point is known by: the same in every process, another for other values."""

import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.sweep import keys
from coalloc_lib.sweep.keys import describe
from coalloc_lib.sweep.points import point_keys
from tests.conftest import ROOT


def test_the_library_digest_is_of_every_source(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    files = [tmp_path / "a.py", tmp_path / "inner" / "b.py"]
    seen = set()
    monkeypatch.setattr(keys, "_LIBRARY", tmp_path)
    for texts in [("1", "2"), ("1", "3"), ("2", "2")]:
        for file, text in zip(files, texts, strict=True):
            file.write_text(text)
        seen.add(keys.library_digest.__wrapped__())
    assert len(seen) == 3


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
from tests.sweep.functions import noisy
from tests.sweep.test_keys import *
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
    space = {}
    exec(VALUES, space)
    here = [describe(value) for value in space["values"]()]
    assert len(set(here)) == len(here)
    code = f"{VALUES}\nprint(*map(keys.describe, values()), sep='\\n')"
    for hash_seed in ("1", "2"):
        how = {"cwd": ROOT, "env": {"PYTHONHASHSEED": hash_seed}, "text": True}
        there = subprocess.check_output([sys.executable, "-c", code], **how)
        assert there.splitlines() == here


def test_what_an_object_keeps_for_speed_does_not_count():
    used, sizes = Holder(np.arange(3)), co.uniform(1, 4)
    before = describe(used), describe(sizes)
    used.total, sizes.sample(np.random.default_rng(0), 3)
    assert (describe(used), describe(sizes)) == before


def test_every_point_has_a_key_of_its_own():
    policies = [co.FCFS(), co.FPFS(3), co.FPFS(4)]
    points = [{"a": a, "b": b} for a in [1, 1.5, "1", None] for b in policies]
    seeds = [np.random.SeedSequence(0, spawn_key=(i,)) for i in range(3)]
    assert len(set(point_keys(points, seeds))) == 4 * 3 * 3


class Counted:
    pickled = 0

    def __reduce__(self):
        Counted.pickled += 1
        return Counted, ()


def test_a_value_is_described_once_however_many_hold_it():
    shared = Counted()
    for _ in range(30):
        shared = [shared, shared]
    describe(shared)
    assert Counted.pickled == 1


def test_locks_and_what_holds_itself_have_keys_and_what_is_too_deep_is_refused():
    assert describe(kind_with(threading.Lock())) == describe(kind_with(threading.Lock()))
    one, other, deep = [1], [2], []
    for held in (one, other):
        held.append(held)
    assert describe(one) != describe(other)
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(co.InputError, match=r"list object .* nested too deeply; leave cache"):
        describe(deep)
