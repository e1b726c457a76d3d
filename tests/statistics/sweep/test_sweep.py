"""Results and their order, the table, its intervals, seeds, failures, and what is refused."""

import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.statistics.sweep import SweepError, run_points, summarize, sweep
from tests.statistics.sweep.functions import Watch, inverse, noisy


@dataclass
class Result:
    draws: np.ndarray
    about: dict


def drawn(x, seed, more=None):
    return Result(np.random.default_rng(seed).random(3) / 3 + x, {"more": more, (1, None): {x}})


#: Lists with two equal points, with points whose arguments have the same text, and with points of
#: different arguments.
POINTS = [{"x": 1}, {"x": 1}, {"x": 1.5}, {"x": np.float64(1.5)}, {"x": 2, "more": co.FCFS()}]


def assert_same(results, expected):
    for one, other in zip(results, expected, strict=True):
        assert type(one) is Result
        assert one.draws.tobytes() == other.draws.tobytes()
        assert one.about == other.about


def test_any_object_in_the_order_of_points_and_replications(tmp_path):
    expected = [drawn(**point, seed=seed) for point in POINTS for seed in spawn(3, 2)]
    assert_same(run_points(drawn, POINTS, 2, seed=3), expected)
    assert_same(run_points(drawn, iter(POINTS), 2, seed=3, workers=2), expected)
    assert_same(run_points(drawn, POINTS[::-1], 2, seed=3)[:2], expected[-2:])
    assert run_points(drawn, []) == []
    for in_cache in (0, 10):
        watch = Watch()
        results = run_points(drawn, POINTS, 2, seed=3, cache=tmp_path, progress=watch)
        assert_same(results, expected)
        assert (watch.found, watch.steps) == (in_cache, 10 - in_cache)
        assert results[0] is not results[2], "equal points do not share what may be changed"


def test_a_row_for_each_point_and_replication_in_the_order_of_the_grid():
    table = sweep(noisy, {"shift": [10, 20], "load": np.array([0.5, 0.25])}, replications=2)
    assert table.columns.tolist() == ["shift", "load", "replication", "value"]
    expected = [(s, load, r) for s in (10, 20) for load in (0.5, 0.25) for r in (0, 1)]
    assert list(table.iloc[:, :3].itertuples(index=False, name=None)) == expected
    noise = table.value - table.load - table["shift"]
    assert all(np.ptp(noise[table.replication == r]) < 1e-12 for r in (0, 1))
    table = sweep(inverse, [{"x": 2}, {"x": 4}])
    columns = {"x": [2, 4], "replication": [0, 0], "inverse": [0.5, 0.25], "square": [4, 16]}
    assert table.to_dict("list") == columns
    values = np.float32(0.5), np.int64(3), np.bool_(True), np.nan
    table = sweep(lambda x, seed: dict(zip("abcd", values, strict=True)), {"x": [1]})
    assert [str(kind) for kind in table.dtypes[2:]] == ["float64", "int64", "bool", "float64"]


def test_objects_are_shown_as_they_print_or_by_their_label():
    def processors(system, limit, seed):
        return system.processors + (limit or 0)

    systems = [co.Multicluster([32, 32]), co.Multicluster([64])]
    table = sweep(processors, {"system": systems, "limit": [None, 1]})
    assert table.system.tolist() == ["2 × 32", "2 × 32", "64", "64"]
    assert table.limit.tolist() == [None, 1, None, 1]
    assert table.value.tolist() == [64, 65, 64, 65]
    labelled = sweep(processors, {"system": {"two": systems[0], "one": systems[1]}, "limit": [1]})
    assert labelled.system.tolist() == ["two", "one"]
    assert labelled.value.tolist() == [65, 65]


def test_seeds_depend_on_the_seed_alone(tmp_path):
    watch, how = Watch(), {"cache": tmp_path}
    few = sweep(noisy, {"load": [0.5]}, 2, seed=3, **how).value
    grid = {"load": [0.1, 0.5]}
    many = sweep(noisy, grid, 5, seed=np.random.SeedSequence(3), progress=watch, **how)
    assert (watch.found, watch.announced) == (2, 8), "more replications, in the cache as well"
    np.testing.assert_array_equal(few, many.value[many.load == 0.5][:2])
    assert many.value.nunique() == 10
    assert not set(few) & set(sweep(noisy, {"load": [0.5]}, 2, seed=4, **how).value)

    def spawning(x, seed):
        return np.random.default_rng(seed.spawn(1)[0]).random()

    assert sweep(spawning, {"x": [1, 2, 3]}).value.nunique() == 1, "spawning reaches other points"


def test_points_that_fail_are_listed_and_leave_the_others(tmp_path):
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
    with pytest.raises(SweepError, match="30 of 30") as caught:
        sweep(lambda x, seed: 1 / 0, {"x": range(30)})
    assert caught.value.table.columns.tolist() == ["x", "replication"]
    assert str(caught.value).count("ZeroDivisionError") == 5


def test_an_error_of_a_sweep_can_be_sent_to_another_process():
    with pytest.raises(SweepError) as caught:
        sweep(inverse, {"x": range(-3, 1)}, replications=2)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert (copy.failures, copy.results) == (caught.value.failures, caught.value.results)
    pd.testing.assert_frame_equal(copy.table, caught.value.table)


def test_results_that_are_no_numbers_are_failures():
    results = [None, {"loss": "0.5"}, {"x": 1.0}, {"error": 1.0}, {3: 1.0}]
    taken = ["'x', which is", "'error', which is", "3, which is taken"]
    words = ["value = None", "loss = '0.5'", *taken]
    table = sweep(lambda x, seed: results[x], {"x": range(5)}, failures="keep")
    assert all(word in error for word, error in zip(words, table.error, strict=True))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"grid": {}}, "grid is empty"),
        ({"grid": {"load": []}}, r"grid\['load'\] is empty"),
        ({"grid": {"load": 0.5}}, r"grid\['load'\] = 0.5; give a list"),
        ({"grid": {"load": "abc"}}, "give a list of values"),
        ({"grid": {"load": [1, 2, 1.0]}}, r"two points that are both shown as \(1.0,\)"),
        ({"grid": [{"load": 1}, {"lod": 1}]}, r"grid\[1\] = .*names load"),
        ({"grid": {"load": [1], "lod": [2]}}, "unexpected keyword argument 'lod'"),
        ({"grid": {"load": [1], "seed": [2]}}, "'seed', which sweep itself uses"),
        ({"grid": "load"}, "grid = 'load'; give a dict"),
        ({"grid": {1: [2]}}, "grid has the name 1"),
        ({"grid": [3]}, r"grid\[0\] = 3; give a dict of arguments"),
        ({"cache": ""}, "cache = ''; give the path"),
        ({"function": 3}, "function = 3; give a function"),
        ({"function": lambda load: load}, "unexpected keyword argument 'seed'"),
        ({"failures": "ignore"}, "failures = 'ignore'"),
        ({"points": {"load": [1]}}, r"points = .*; give a list of dicts"),
        ({"points": [{"load": 1}, 3]}, r"points\[1\] = 3; give a dict"),
        ({"points": [{"load": 1}, {"lod": 1}]}, "arguments lod and seed, but .*'load'"),
        ({"points": [{"load": 1, "seed": 1}]}, "an argument 'seed', a name that is reserved"),
    ],
)
def test_bad_input(how, words):
    given = {"function": noisy, "grid": {"load": [1]}, **how}
    with pytest.raises(co.InputError, match=words):
        run_points(noisy, **how) if "points" in how else sweep(**given)


def test_summary_is_students_interval_of_each_point():
    table = sweep(noisy, {"load": [0.25, 0.5], "shift": [1, 2]}, replications=7)
    summary = summarize(table.sample(frac=1, random_state=1))
    assert len(summary) == 4
    for row in summary.itertuples():
        values = table.value[(table.load == row.load) & (table["shift"] == row.shift)]
        low, high = stats.t.interval(0.95, 6, values.mean(), stats.sem(values))
        found = (row.value_low, row.value_estimate, row.value_high, row.value_half_width)
        assert found == pytest.approx((low, values.mean(), high, (high - low) / 2))
        assert row.value_count == 7


def test_summary_of_one_value_of_none_and_of_what_is_not_finite():
    columns = {
        "x": [1, 2, 2, 3, 3, 4, 4],
        "replication": [0, 0, 1, 0, 1, 0, 1],
        "loss": [0.5, 0.25, np.nan, 0.5, np.inf, np.nan, np.nan],
        "ok": [True, False, True, True, True, None, None],
        "error": ["", "", "", "", "", "E: no", "E: no"],
    }
    with pytest.warns(UserWarning, match="2 replications"):
        summary = summarize(pd.DataFrame(columns)).set_index("x")
    assert summary.loss_estimate.iloc[0] == 0.5
    assert summary.loss_estimate.iloc[1:].isna().all()
    assert summary[["loss_low", "loss_high", "loss_half_width"]].isna().all(axis=None)
    assert summary.loss_count.tolist() == [1, 2, 2, 0]
    assert summary.ok_estimate.tolist()[:3] == [1, 0.5, 1]
    assert not [name for name in summary if "error" in name]
    large = summarize(sweep(lambda x, seed: 10**20, {"x": [1, 2]}, 4))
    assert large.value_estimate.tolist() == [1e20, 1e20]


def test_summary_refuses_what_is_no_sweep():
    table = sweep(inverse, {"x": [1]}, 2)
    for given, words in [
        ((table[["x"]],), "no column 'replication'"),
        ((None,), "table is a NoneType; give"),
        (({"replication": [0]},), "table is a dict; give"),
        ((table.assign(word="a"),), "column 'word', which does not hold numbers"),
    ]:
        with pytest.raises(co.InputError, match=words):
            summarize(*given)
