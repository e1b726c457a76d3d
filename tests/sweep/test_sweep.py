"""The table, the seeds, the intervals, failures, and what is refused."""

import errno
import functools
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

import coalloc_lib as co
from coalloc_lib.progress import Silent
from coalloc_lib.sweep import SweepError, keys, store, summarize, sweep
from coalloc_lib.sweep.keys import describe
from coalloc_lib.sweep.points import Points
from coalloc_lib.sweep.store import Store, read_records, record_line
from tests.conftest import ROOT


def noisy(load, seed, shift=0.0):
    return load + shift + np.random.default_rng(seed).random()


def inverse(x, seed):
    return {"inverse": 1 / x, "square": x**2}


class Calls:
    """A function that counts its calls; every copy of it has the same key."""

    def __init__(self):
        self.made = []

    def __getstate__(self):
        return {}

    def __call__(self, x, seed):
        self.made.append(x)
        return x / 3


class Watch(Silent):
    def __init__(self):
        self.announced = self.steps = 0

    def total(self, steps):
        self.announced += steps

    def step(self, text=""):
        self.steps += 1


# The table


def test_a_row_for_each_point_and_replication_in_the_order_of_the_grid():
    table = sweep(noisy, {"shift": [10, 20], "load": np.array([0.5, 0.25])}, replications=2)
    assert table.columns.tolist() == ["shift", "load", "replication", "value"]
    expected = [(s, load, r) for s in (10, 20) for load in (0.5, 0.25) for r in (0, 1)]
    assert list(table.iloc[:, :3].itertuples(index=False, name=None)) == expected
    drawn = table.value - table.load - table["shift"]
    assert all(np.ptp(drawn[table.replication == r]) < 1e-12 for r in (0, 1))


def test_explicit_points_and_dicts_of_results():
    table = sweep(inverse, [{"x": 2}, {"x": 4}])
    assert table.to_dict("list") == {
        "x": [2, 4],
        "replication": [0, 0],
        "inverse": [0.5, 0.25],
        "square": [4, 16],
    }


def test_objects_are_shown_as_they_print_or_as_they_are_named():
    def processors(system, limit, seed):
        return system.processors + (limit or 0)

    systems = [co.Multicluster([32, 32]), co.Multicluster([64])]
    table = sweep(processors, {"system": systems, "limit": [None, 1]})
    assert table.system.tolist() == ["2 × 32", "2 × 32", "64", "64"]
    assert table.limit.tolist() == [None, 1, None, 1]
    assert table.value.tolist() == [64, 65, 64, 65]
    named = sweep(processors, {"system": {"two": systems[0], "one": systems[1]}, "limit": [1]})
    assert named.system.tolist() == ["two", "one"]
    assert named.value.tolist() == [65, 65]


def test_numbers_of_numpy_become_plain_ones():
    def kinds(x, seed):
        return {"a": np.float32(x), "b": np.int64(3), "c": np.bool_(True), "d": np.nan}

    table = sweep(kinds, {"x": [0.5]})
    assert [str(kind) for kind in table.dtypes[2:]] == ["float64", "int64", "bool", "float64"]


def test_seeds_depend_on_the_seed_alone():
    few = sweep(noisy, {"load": [0.5]}, 2, seed=3).value
    many = sweep(noisy, {"load": [0.1, 0.5]}, 5, seed=np.random.SeedSequence(3))
    np.testing.assert_array_equal(few, many.value[many.load == 0.5][:2])
    assert many.value.nunique() == 10
    assert not set(few) & set(sweep(noisy, {"load": [0.5]}, 2, seed=4).value)


def test_spawning_from_a_seed_does_not_reach_the_next_point():
    def spawning(x, seed):
        return np.random.default_rng(seed.spawn(1)[0]).random()

    assert sweep(spawning, {"x": [1, 2, 3]}).value.nunique() == 1


# Intervals


def test_summary_is_students_interval_of_each_point():
    table = sweep(noisy, {"load": [0.25, 0.5], "shift": [1, 2]}, replications=7)
    summary = summarize(table.sample(frac=1, random_state=1), confidence=0.9)
    assert len(summary) == 4
    for row in summary.itertuples():
        values = table.value[(table.load == row.load) & (table["shift"] == row.shift)]
        low, high = stats.t.interval(0.9, 6, values.mean(), stats.sem(values))
        found = (row.value_low, row.value_estimate, row.value_high, row.value_half_width)
        assert found == pytest.approx((low, values.mean(), high, (high - low) / 2))
        assert row.value_count == 7


def test_summary_of_one_value_of_none_and_of_what_is_not_finite():
    table = pd.DataFrame(
        {
            "x": [1, 2, 2, 3, 3, 4, 4],
            "replication": [0, 0, 1, 0, 1, 0, 1],
            "loss": [0.5, 0.25, np.nan, 0.5, np.inf, np.nan, np.nan],
            "error": ["", "", "", "", "", "E: no", "E: no"],
        }
    )
    summary = summarize(table).set_index("x")
    assert summary.loss_estimate.iloc[0] == 0.5
    assert summary.loss_estimate.iloc[1:].isna().all()
    assert summary[["loss_low", "loss_high", "loss_half_width"]].isna().all(axis=None)
    assert summary.loss_count.tolist() == [1, 2, 2, 0]
    assert not [name for name in summary if "error" in name]


def test_summary_refuses_what_is_no_sweep():
    with pytest.raises(co.InputError, match="no column 'replication'"):
        summarize(pd.DataFrame({"x": [1]}))
    with pytest.raises(co.InputError, match="confidence = 95"):
        summarize(sweep(inverse, {"x": [1]}, 2), 95)


# Failures


def test_a_point_that_fails_leaves_the_others(tmp_path):
    with pytest.raises(SweepError, match="1 of 5 points failed") as caught:
        sweep(inverse, {"x": [-2, -1, 0, 1, 2]}, cache=tmp_path)
    (failure,) = caught.value.failures
    assert failure.arguments == {"x": 0, "replication": 0}
    assert str(failure) == "x = 0, replication = 0: ZeroDivisionError: division by zero"
    assert str(failure) in str(caught.value)
    assert "in inverse" in failure.traceback
    assert caught.value.table.x.tolist() == [-2, -1, 1, 2]
    watch = Watch()
    kept = sweep(inverse, {"x": [-2, -1, 0, 1, 2]}, cache=tmp_path, failures="keep", progress=watch)
    assert watch.announced == watch.steps == 1
    assert kept.error.tolist() == ["", "", "ZeroDivisionError: division by zero", "", ""]
    assert np.isnan(kept.inverse[2])
    assert kept.inverse.drop(2).tolist() == [-0.5, -1, 1, 0.5]


def test_points_that_all_fail():
    table = sweep(inverse, {"x": [0]}, 2, failures="keep")
    assert table.columns.tolist() == ["x", "replication", "error"]
    with pytest.raises(SweepError) as caught:
        sweep(inverse, {"x": [0]})
    assert caught.value.table.columns.tolist() == ["x", "replication"]


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "value = None"),
        ({"loss": "0.5"}, "loss = '0.5'"),
        ({"x": 1.0}, "'x', a name taken"),
        ({"error": 1.0}, "'error', a name taken"),
        ({3: 1.0}, "3, a name taken"),
    ],
)
def test_results_that_are_no_numbers_are_failures(result, words):
    table = sweep(lambda x, seed: result, {"x": [1]}, failures="keep")
    assert words in table.error[0]


def test_many_failures_are_counted_and_the_first_listed():
    with pytest.raises(SweepError, match="30 of 30") as caught:
        sweep(lambda x, seed: 1 / 0, {"x": range(30)})
    assert len(caught.value.failures) == 30
    assert str(caught.value).count("ZeroDivisionError") == 5


class FillingDisk:
    """A file on a disk that takes so many bytes more."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = self.file.write(data[: self.room])
        self.room -= taken
        return taken

    def __getattr__(self, name):
        return getattr(self.file, name)


def test_a_full_disk_loses_no_finished_point(tmp_path, monkeypatch):
    opened = Store.open

    def filling(store):
        opened(store)
        store._file = FillingDisk(store._file, 1000)

    monkeypatch.setattr(Store, "open", filling)
    with pytest.raises(SweepError, match=r"takes no more results \(No space left") as caught:
        sweep(inverse, {"x": range(1, 1001)}, cache=tmp_path)
    in_memory = len(caught.value.table)
    monkeypatch.undo()
    watch = Watch()
    table = sweep(inverse, {"x": range(1, 1001)}, cache=tmp_path, progress=watch)
    assert 0 < 1000 - watch.announced <= in_memory  # some were stored, the torn one was not
    assert table.square.tolist() == [x * x for x in range(1, 1001)]


# What is kept


def test_only_what_is_missing_is_computed(tmp_path):
    first, second = Calls(), Calls()
    one = sweep(first, {"x": range(10)}, cache=tmp_path)
    watch = Watch()
    two = sweep(second, {"x": range(5, 15)}, cache=tmp_path, progress=watch)
    assert (len(first.made), second.made) == (10, [10, 11, 12, 13, 14])
    assert watch.announced == watch.steps == 5
    assert_frame_equal(one[5:].reset_index(drop=True), two[:5], check_exact=True)
    assert_frame_equal(two, sweep(Calls(), {"x": range(5, 15)}), check_exact=True)


def test_other_seeds_and_replications_are_other_points(tmp_path):
    for seed, replications, missing in [(0, 2, 2), (0, 3, 1), (1, 3, 3), (0, 3, 0)]:
        watch = Watch()
        table = sweep(noisy, {"load": [1]}, replications, seed=seed, cache=tmp_path, progress=watch)
        assert watch.announced == missing
        assert_frame_equal(table, sweep(noisy, {"load": [1]}, replications, seed=seed))


def test_numbers_come_back_to_the_last_bit(tmp_path):
    def awkward(x, seed):
        return {"a": x / 3, "b": 10**18 + 1, "c": x > 0, "d": -0.0, "e": np.inf, "f": np.nan}

    tables = [sweep(awkward, {"x": [1, 5e-324, 1e300]}, cache=tmp_path) for _ in range(2)]
    assert_frame_equal(*tables, check_exact=True)
    assert np.signbit(tables[1].d).all()


def test_another_function_or_another_library_is_computed_anew(tmp_path, monkeypatch):
    def made(step):
        return lambda x, seed: x + step

    assert sweep(made(1), {"x": [1]}, cache=tmp_path).value[0] == 2
    assert sweep(made(2), {"x": [1]}, cache=tmp_path).value[0] == 3
    assert sweep(lambda x, seed: x + 5, {"x": [1]}, cache=tmp_path).value[0] == 6
    calls = Calls()
    for version, made_so_far in [("1", 1), ("2", 2), ("1", 2)]:
        monkeypatch.setattr(store, "library_digest", lambda version=version: version)
        sweep(calls, {"x": [1]}, cache=tmp_path)
        assert len(calls.made) == made_so_far


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
from tests.sweep.test_sweep import Holder, noisy
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


def test_a_damaged_record_is_left_out():
    lines = [record_line(f"key{i}", {"value": i / 3}) for i in range(3)]
    data = b"".join(lines)
    whole = read_records(data)
    assert whole == {f"key{i}": {"value": i / 3} for i in range(3)}
    for end in range(len(data)):
        complete = sum(len(b"".join(lines[: i + 1])) <= end + 1 for i in range(3))
        assert len(read_records(data[:end])) == complete
    for at in range(len(lines[0]), len(lines[0] + lines[1]) - 1):
        flipped = bytearray(data)
        flipped[at] ^= 1
        found = read_records(bytes(flipped))
        assert found.items() <= whole.items()
        assert "key0" in found


# What is refused


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"grid": {}}, "grid is empty"),
        ({"grid": []}, "grid is empty"),
        ({"grid": {"load": []}}, r"grid\['load'\] is empty"),
        ({"grid": {"load": 0.5}}, r"grid\['load'\] = 0.5; give a list"),
        ({"grid": {"load": "abc"}}, "give a list of values"),
        ({"grid": {"load": [1, 2, 1.0]}}, r"two points that are both shown as \(1.0,\)"),
        ({"grid": [{"load": 1}, {"lod": 1}]}, r"grid\[1\] = .*names load"),
        ({"grid": {"load": [1], "lod": [2]}}, "unexpected keyword argument 'lod'"),
        ({"grid": {"shift": [1]}}, "missing a required argument: 'load'"),
        ({"grid": {"load": [1], "seed": [2]}}, "'seed', which sweep itself uses"),
        ({"function": 3}, "function = 3; give a function"),
        ({"function": lambda load: load}, "unexpected keyword argument 'seed'"),
        ({"replications": 0}, "replications = 0"),
        ({"workers": 0}, "workers = 0"),
        ({"seed": -1}, "seed = -1"),
        ({"failures": "ignore"}, "failures = 'ignore'"),
    ],
)
def test_bad_input(how, words):
    with pytest.raises(co.InputError, match=words):
        sweep(**{"function": noisy, "grid": {"load": [1]}, **how})


def test_a_cache_that_cannot_be_used(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(co.InputError, match=r"file.* cannot be used \(.*choose another"):
        sweep(noisy, {"load": [1]}, cache=tmp_path / "file")
    sweep(noisy, {"load": [1]}, cache=tmp_path)
    folder = Store(tmp_path, noisy).folder

    def refuse(path, mode="r", **_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(type(folder), "open", refuse)
    with pytest.raises(co.InputError, match="Permission denied"):
        sweep(noisy, {"load": [2]}, cache=tmp_path)


def test_what_has_no_key_is_refused_with_a_cache_only(tmp_path):
    unkeyed = (i for i in range(3))
    assert sweep(lambda x, seed: 1, {"x": {"it": unkeyed}}).value[0] == 1
    with pytest.raises(co.InputError, match=r"generator object cannot be stored.*leave cache out"):
        sweep(lambda x, seed: 1, {"x": {"it": unkeyed}}, cache=tmp_path)


def test_every_point_has_a_key_of_its_own():
    points = Points.of({"a": [1, 1.5, "1", None], "b": [co.FCFS(), co.FPFS(3), co.FPFS(4)]})
    seeds = [np.random.SeedSequence(0, spawn_key=(i,)) for i in range(3)]
    assert len(set(points.keys(seeds))) == 4 * 3 * 3
