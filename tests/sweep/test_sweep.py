"""The table, the seeds, failures, and what is refused."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.sweep import SweepError, sweep
from tests.sweep.functions import Watch, inverse, noisy


def test_a_row_for_each_point_and_replication_in_the_order_of_the_grid():
    table = sweep(noisy, {"shift": [10, 20], "load": np.array([0.5, 0.25])}, replications=2)
    assert table.columns.tolist() == ["shift", "load", "replication", "value"]
    expected = [(s, load, r) for s in (10, 20) for load in (0.5, 0.25) for r in (0, 1)]
    assert list(table.iloc[:, :3].itertuples(index=False, name=None)) == expected
    drawn = table.value - table.load - table["shift"]
    assert all(np.ptp(drawn[table.replication == r]) < 1e-12 for r in (0, 1))


def test_explicit_points_and_dicts_of_results():
    table = sweep(inverse, [{"x": 2}, {"x": 4}])
    columns = {"x": [2, 4], "replication": [0, 0], "inverse": [0.5, 0.25], "square": [4, 16]}
    assert table.to_dict("list") == columns


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
        ({"grid": 3}, "grid = 3; give a dict"),
        ({"grid": "load"}, "grid = 'load'; give a dict"),
        ({"grid": {1: [2]}}, "grid has the name 1"),
        ({"grid": [3]}, r"grid\[0\] = 3; give a dict of arguments"),
        ({"cache": 3}, "cache = 3; give the path"),
        ({"cache": ""}, "cache = ''; give the path"),
        ({"grid": {"load": np.array(3)}}, r"grid\['load'\] = array\(3\); give a list"),
        ({"grid": {"load": b"ab"}}, r"grid\['load'\] = b'ab'; give a list"),
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
