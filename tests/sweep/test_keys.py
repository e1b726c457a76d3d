"""What a point is known by: the same in every process, another for other values."""

import copy
import functools
import subprocess
import sys
import threading
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.sweep import keys, sweep
from coalloc_lib.sweep.keys import describe
from coalloc_lib.sweep.points import Points
from coalloc_lib.workloads.models import Mixture
from tests.conftest import ROOT


def test_the_library_digest_is_of_every_source(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    files = [tmp_path / "a.py", tmp_path / "inner" / "b.py"]
    seen = set()
    monkeypatch.setattr(keys, "__file__", str(tmp_path / "inner" / "keys.py"))
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


DESCRIBED = """
import functools, numpy as np
import coalloc_lib as co
from coalloc_lib.workloads.models import Mixture
from tests.sweep.functions import noisy
from tests.sweep.test_keys import Holder
def outer(k, values=(1, {"a", "b", "c"})):
    def inner(x): return inner(x - 1) + k if x in {"u", "v", "w"} else k
    return inner
def values():
    return [
        Holder(np.arange(5)), co.uniform(1, 16), co.Multicluster([32, 16]), co.FPFS(5), noisy,
        co.JobModel(co.uniform(1, 4), service=co.Empirical([1, 2])), outer(3), outer(4),
        functools.partial(noisy, shift=1), functools.partial(noisy, shift=2), co.FCFS,
        Holder(np.arange(5)).method, np.array([1, "a", None], dtype=object), np.float64(3), 3,
        {"b": 1, "a": {1, 2}}, [1, 2], (1, 2), [[1], 2], "1", 1, 1.0, True, None, range(3),
        Holder(np.arange(5.0)), Holder(np.arange(5).reshape(5, 1)), np.random.SeedSequence(3),
        range(4), frozenset("abc"), np.random.SeedSequence(3, spawn_key=(1,)), co,
        np.datetime64(0, "s"),
    ]
"""


def test_descriptions_are_the_same_in_every_process_and_tell_values_apart():
    space = {}
    exec(DESCRIBED, space)
    values = space["values"]()
    here = [describe(value) for value in values]
    code = (
        f"{DESCRIBED}\nfrom coalloc_lib.sweep.keys import describe\nprint(*map(describe, values()"
        "), sep='\\n')"
    )
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.splitlines() == here
    assert len(set(here)) == len(here)


def test_what_an_object_keeps_for_speed_does_not_count():
    used, sizes = Holder(np.arange(3)), co.uniform(1, 4)
    before = describe(used), describe(sizes)
    used.total, sizes.sample(np.random.default_rng(0), 3)
    assert (describe(used), describe(sizes)) == before


def test_the_code_of_a_class_counts():
    kinds = []
    for step in ("1", "2"):
        space = {"co": co}
        exec(f"class Own(co.Scheduling):\n def start_jobs(self, s): return {step}\n", space)
        kinds.append(describe(space["Own"]()))
    assert kinds[0] != kinds[1]


def test_wrapped_functions_are_known_by_what_they_wrap():
    one, two = (functools.cache(f) for f in (lambda x, seed: x, lambda x, seed: -x))
    assert describe(one) != describe(two)


def test_what_has_no_key_is_refused_with_a_cache_only(tmp_path):
    unkeyed = (i for i in range(3))
    assert sweep(lambda x, seed: 1, {"x": {"it": unkeyed}}).value[0] == 1
    with pytest.raises(co.InputError, match=r"generator object cannot be stored.*leave cache out"):
        sweep(lambda x, seed: 1, {"x": {"it": unkeyed}}, cache=tmp_path)


def test_every_point_has_a_key_of_its_own():
    points = Points.of({"a": [1, 1.5, "1", None], "b": [co.FCFS(), co.FPFS(3), co.FPFS(4)]})
    seeds = [np.random.SeedSequence(0, spawn_key=(i,)) for i in range(3)]
    assert len(set(points.keys(seeds))) == 4 * 3 * 3


def test_defaults_and_attributes_of_a_class_count():
    def policy(limit, share, more=()):
        class Policy:
            most = share
            names = more

            def start(self, jobs, limit=limit):
                return jobs[:limit]

        return Policy()

    policies = [policy(5, 0.5), policy(6, 0.5), policy(5, 0.6), policy(5, 0.5, ("a",))]
    assert len({describe(each) for each in policies}) == 4
    assert describe(policy(5, 0.5)) == describe(policy(5, 0.5))


def test_the_order_of_a_dict_counts():
    """A mixture draws other jobs when its parts change places."""
    small, large = (co.JobModel(co.uniform(1, most)) for most in (2, 8))
    one, other = Mixture({small: 0.5, large: 0.5}), Mixture({large: 0.5, small: 0.5})
    assert not np.array_equal(one.sample(50, 1).components, other.sample(50, 1).components)
    assert describe(one) != describe(other)


def test_arrays_that_are_more_than_an_array_are_told_apart_or_refused():
    class Named(np.ndarray):
        pass

    for array in (np.ma.array([1, 2], mask=[True, False]), np.arange(3).view(Named)):
        with pytest.raises(co.InputError, match="cannot be stored under a key"):
            describe(array)


class Parent:
    __slots__ = ("x",)


class Child(Parent):
    def __init__(self, x):
        self.x = x


class Tagged(list):
    def __init__(self, content, tag=0):
        super().__init__(content)
        self.tag = tag


def policy_with(member):
    return type("Policy", (), {"member": member})()


PAIRS = {
    "array": (policy_with(np.arange(2)), policy_with(np.arange(3))),
    "object": (policy_with(co.FPFS(1)), policy_with(co.FPFS(9))),
    "class": (policy_with(co.FCFS), policy_with(co.FPFS)),
    "scalar": (policy_with(np.float64(1)), policy_with(np.float64(2))),
    "cached method": [policy_with(functools.lru_cache(f)) for f in (lambda s: 1, lambda s: 2)],
    "partial method": [policy_with(functools.partialmethod(len, k)) for k in (3, 4)],
    "slot of a parent": (Child(1), Child(2)),
    "content of a list": (Tagged([1]), Tagged([2])),
    "attribute of a list": (Tagged([1], 1), Tagged([1], 2)),
    "default of a dict": (defaultdict(int, a=1), defaultdict(float, a=1)),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
def test_what_a_value_has_besides_its_content_counts(pair):
    one, other = pair
    assert describe(one) != describe(other)
    assert describe(one) == describe(copy.deepcopy(one))


def test_a_lock_in_a_class_is_no_obstacle():
    assert describe(policy_with(threading.Lock())) == describe(policy_with(threading.Lock()))


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
