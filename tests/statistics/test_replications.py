"""Runs picked out and compared in pairs, by hand and against Student's interval."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import coalloc_lib as co
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import uniform
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FPFS
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics import (
    NotRunError,
    Replications,
    capacity_loss,
    difference,
    differences,
    groups_of,
    keys_of,
    means,
    pick,
    ratio,
    ratios,
    rows_of,
    sample,
    student,
)
from coalloc_lib.statistics.settling import (
    RISING,
    after_warm_up,
    equal_halves,
    halves,
    rising_warning,
)
from coalloc_lib.workloads.models import JobModel

SHARED, SPANNING = [2.0, 4.0, 8.0], [3.0, 4.0, 10.0]


def rows(way, values, penalty=0.0, load=None, warning=""):
    where = {"way": way, "penalty": penalty, "load": load}
    return list(rows_of(Replications(np.array(values), warning), "wait", **where))


@pytest.fixture
def runs():
    """Return runs of two settings, in different orders, and of a quantity known exactly."""
    known = list(
        rows_of(Replications(np.array(1.0)), "wait", way="formula", penalty=0.0, load=None)
    )
    return pd.DataFrame(
        rows("sharing", SHARED) + rows("spanning", SPANNING, 0.25)[::-1] + known
        + rows("sharing", [1.0, 1.0, 1.0], load=0.5)
    )  # fmt: skip


def test_keys_stand_before_the_replication(runs):
    assert keys_of(runs) == ["way", "penalty", "load"]
    with pytest.raises(InputError, match="no column 'replication'"):
        keys_of(runs.drop(columns="replication"))


def test_rows_are_picked_by_a_value_by_several_and_by_none(runs):
    assert len(pick(runs, way="sharing", load=None)) == 3
    assert len(pick(runs, way=("sharing", "formula"))) == 7
    assert len(pick(runs, load=0.5, way="spanning")) == 0
    own = runs.assign(way=runs["way"].replace("sharing", "2 × 8"))  # a setting of one's own
    assert len(pick(own, way=co.Multicluster([8, 8]), load=None)) == 3
    assert len(pick(own, way=(co.Multicluster([8, 8]), "formula"))) == 7
    assert pick(runs.assign(load=""), load=None).shape == runs.shape
    with pytest.raises(InputError, match="lode is not a column of the runs; they have way"):
        pick(runs, lode=0.5)


@pytest.mark.parametrize("dtype", ["string", "category", object])
def test_rows_are_picked_whatever_the_type_of_a_column_with_empty_cells(dtype):
    cells = pd.Series(["a", "b", None, "a"]).astype(dtype)
    runs = pd.DataFrame({"way": cells, "replication": 0, "wait": [1.0, 2.0, 3.0, 4.0]})
    assert pick(runs, way="a")["wait"].tolist() == [1.0, 4.0]
    assert pick(runs, way=None)["wait"].tolist() == [3.0]
    assert pick(runs, way=("b", None))["wait"].tolist() == [2.0, 3.0]
    assert pick(runs, way=1).empty
    numbered = runs.assign(way=pd.array([1, 2, None, 1], dtype="Int64"))
    assert pick(numbered, way=1)["wait"].tolist() == [1.0, 4.0]


def test_groups_have_what_is_missing_as_none(runs):
    found = {tuple(where.values()): len(part) for where, part in groups_of(runs, ["way", "load"])}
    assert found == {
        ("sharing", None): 3, ("spanning", None): 3, ("formula", None): 1, ("sharing", 0.5): 3,
    }  # fmt: skip
    ((where, part),) = groups_of(runs, [])
    assert (where, len(part)) == ({}, len(runs))


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_an_empty_text_and_a_missing_value_are_the_same_empty_cell(dtype):
    """Two bases that differ only in how a cell is empty are a mixture, and not one base."""
    table = [
        {"site": site, "way": way, "replication": replication, "wait": wait}
        for site, base in (("", 1.0), (None, 100.0))
        for way, first in (("a", base), ("b", 10.0))
        for replication, wait in enumerate((first, first + 1))
    ]
    mixed = pd.DataFrame(table).astype({"site": dtype})
    ((where, part),) = groups_of(mixed, ["site"])
    assert where == {"site": None}
    pd.testing.assert_frame_equal(part, mixed)
    for call in (ratios, differences):
        with pytest.raises(InputError, match="several settings, which differ in site; choose"):
            call(mixed, "wait", {"way": "a"})
    with pytest.raises(InputError, match="several settings, which differ in site; choose"):
        means(pick(mixed, way="a"), "wait")
    apart = mixed[mixed["replication"] == mixed["site"].notna()]
    with pytest.raises(InputError, match="several settings, which differ in site; choose"):
        ratios(apart, "wait", {"way": "a"})


def test_a_sample_is_in_the_order_of_the_replications(runs):
    assert sample(runs, "wait", way="spanning").values.tolist() == SPANNING
    known = sample(runs, "wait", way="formula")
    assert known.values.ndim == 0
    assert known.interval.count == 0


def test_what_is_no_sample_is_refused(runs):
    with pytest.raises(NotRunError, match="no run of wait has way = local"):
        sample(runs, "wait", way="local")
    with pytest.raises(InputError, match="differ in load"):
        sample(runs, "wait", way="sharing")
    gone = runs.assign(wait=np.nan)
    with pytest.raises(NotRunError):
        sample(gone, "wait", way="spanning")


def test_runs_of_one_setting_need_no_key():
    runs = pd.DataFrame({"replication": [0, 1], "wait": [3.0, 5.0]})
    assert sample(runs, "wait").mean == 4.0


def test_settings_are_not_mixed_if_their_replications_differ():
    """An exact value has no replication, and two settings can have different replications."""
    exact = {"way": ["exact", "run", "run"], "replication": [None, 0, 1], "wait": [9.0, 1.0, 2.0]}
    disjoint = {"way": ["a", "a", "b", "b"], "replication": range(4), "wait": 1.0}
    empty = {"way": ["a", None], "replication": [0, 1], "wait": 1.0}
    for runs in map(pd.DataFrame, (exact, disjoint, empty)):
        with pytest.raises(InputError, match=r"several settings, which differ in way; choose one"):
            sample(runs, "wait")
    with pytest.raises(InputError, match="has an exact value and also replications of one setting"):
        sample(pd.DataFrame(exact).assign(way="run"), "wait")


def test_pairs_are_of_one_replication(runs):
    here = pick(runs, load=None)
    one, other = {"way": "spanning", "penalty": 0.25}, {"way": "sharing", "penalty": 0.0}
    assert ratio(here, "wait", one, other).values.tolist() == [1.5, 1.0, 1.25]
    less = difference(here, "wait", one, other)
    assert less.interval == student(np.subtract(SPANNING, SHARED))
    with pytest.raises(NotRunError, match="way = local"):
        ratio(here, "wait", one, {"way": "local", "penalty": 0.0})
    short = here[~((here["way"] == "sharing") & (here["replication"] == 2))]
    with pytest.raises(InputError, match="give both settings the same"):
        ratio(short, "wait", one, other)


def test_pairs_of_a_mixture_of_settings_are_refused():
    """No replication occurs twice in either setting, but their second runs have other loads."""
    mixed = pd.DataFrame(
        {
            "way": ["one", "one", "other", "other"],
            "load": [0.5, 0.7, 0.5, 0.9],
            "replication": [0, 1, 0, 1],
            "wait": [1.0, 2.0, 3.0, 4.0],
        }
    )
    for call in (ratio, difference):
        for one, other in (("one", "other"), ("other", "one")):
            with pytest.raises(InputError, match="several settings, which differ in load; choose"):
                call(mixed, "wait", {"way": one}, {"way": other})


def test_a_known_figure_is_paired_with_any_number(runs):
    here = pick(runs, load=None, penalty=0.0)
    less = difference(here, "wait", {"way": "sharing"}, {"way": "formula"})
    assert less.values.tolist() == [1.0, 3.0, 7.0]


def test_a_table_of_ratios_holds_each_setting_against_one(runs):
    table = ratios(runs, "wait", {"way": "sharing", "penalty": 0.0}, also=["replication"])
    spanning = table.set_index("way").loc["spanning"]
    interval = student([1.5, 1.0, 1.25])
    assert spanning[["wait", "wait_against"]].tolist() == pytest.approx([17 / 3, 14 / 3])
    ends = spanning[["ratio", "ci95_low", "ci95_high"]].tolist()
    assert ends == [interval.estimate, interval.low, interval.high]
    assert spanning["replication"] == 1
    assert set(table["way"]) == {"spanning", "formula"}  # nothing else has a load
    less = differences(runs, "wait", {"way": "sharing", "penalty": 0.0}).set_index("way")
    assert less["difference"]["spanning"] == pytest.approx(1.0)
    with pytest.raises(NotRunError, match="way = local"):
        ratios(runs, "wait", {"way": "local"})
    with pytest.raises(InputError, match=r"against = \{\} chooses no base setting; give values of"):
        ratios(runs, "wait", {})


@pytest.mark.parametrize("base", [[0.0, 0.0], [2.0, 0.0], 0.0])
def test_a_base_of_0_has_no_ratios_and_is_named(base):
    both = pd.DataFrame(rows("base", base, load=0.5) + rows("other", [0.0, 0.0], load=0.5))
    words = r"^runs has wait = 0 for way = base, penalty = 0.0, load = 0.5, and no value can be"
    with pytest.raises(InputError, match=words):
        ratios(both, "wait", {"way": "base", "penalty": 0.0})
    with pytest.raises(InputError, match=r"^runs has wait = 0 for way = base, and no value can be"):
        ratio(both, "wait", {"way": "other"}, {"way": "base"})
    (less,) = differences(both, "wait", {"way": "base"}).to_dict("records")
    assert less["difference"] == -np.mean(base)


COMPARISONS = [
    lambda runs: means(runs, "wait"),
    lambda runs: ratios(runs, "wait", {"way": "base"}),
    lambda runs: differences(runs, "wait", {"way": "base"}),
    lambda runs: differences(runs, "wait", {"way": "base"}, in_pairs=False),
]


@pytest.mark.parametrize("call", COMPARISONS)
def test_a_setting_without_an_interval_is_named(call):
    first = rows("base", [1.0, 2.0, 3.0])
    lone = pd.DataFrame(first + rows("other", [4.0, np.nan, np.nan], load=0.5))
    words = r"one replication of wait for way = other, penalty = 0.0, load = 0.5, and an interval"
    with pytest.raises(InputError, match=words):
        call(lone.assign(load=0.5))
    infinite = pd.DataFrame(first + rows("other", [4.0, 5.0, np.inf]))
    words = "wait = inf in replication 2 for way = other, penalty = 0.0, load = None, and an interv"
    with pytest.raises(InputError, match=words):
        call(infinite)


def test_an_infinite_value_of_the_base_gives_no_ratio_of_0():
    both = pd.DataFrame(rows("base", [1.0, np.inf]) + rows("other", [1.0, 1.0]))
    with pytest.raises(InputError, match=r"wait = inf in replication 1 for way = base"):
        ratios(both, "wait", {"way": "base"})


def test_runs_of_other_random_numbers_are_compared_as_independent():
    longer = [*SPANNING, 9.0]
    both = pd.DataFrame(rows("sharing", SHARED) + rows("spanning", longer))
    (found,) = differences(both, "wait", {"way": "sharing"}, in_pairs=False).to_dict("records")
    welch = stats.ttest_ind(longer, SHARED, equal_var=False).confidence_interval()
    assert (found["ci95_low"], found["ci95_high"]) == pytest.approx(tuple(welch))
    with pytest.raises(InputError, match="give both settings the same"):
        differences(both, "wait", {"way": "sharing"})


def test_means_have_a_row_a_setting_and_pass_warnings_on(runs):
    table = means(runs, "wait").set_index(["way", "load"])
    assert len(table) == 4
    assert table["ci95_low"]["formula"].tolist() == [1.0]
    doubtful = pd.DataFrame(rows("sharing", SHARED, warning="few") + rows("spanning", SPANNING))
    compared = ratios(doubtful, "wait", {"way": "spanning"})
    assert compared["warning"].tolist() == ["few"]


def test_a_run_is_settled_where_its_second_half_is_no_slower():
    assert after_warm_up(np.arange(20.0)).tolist() == list(range(2, 20))
    assert halves([1.0, 3.0, 5.0, 9.0]) == (2.0, 7.0)
    first, slower = [1.0, 2.0, 3.0], [2.0, 3.0, 4.1]
    assert rising_warning(first, slower) == RISING
    assert rising_warning(slower, first) == rising_warning(first, first) == ""
    with pytest.raises(InputError, match="share = 1"):
        after_warm_up([1.0], 1)
    with pytest.raises(InputError, match="share = 'x'; give a number"):
        after_warm_up([1.0], "x")
    for call in (halves, equal_halves):
        with pytest.raises(InputError, match=r"^values has the shape \(1,\); give two or more"):
            call([1.0])


def test_a_loss_is_exact_where_a_formula_is_and_else_simulated():
    system, model = Multicluster([4, 4]), JobModel(uniform(1, 4), 2, "ordered")
    how = {"jobs": 4_000, "replications": 6, "seed": 1}
    exact = capacity_loss(Scenario(system, model), **how)
    assert exact.values.ndim == 0
    simulated = capacity_loss(Scenario(system, model), method="simulation", **how)
    assert simulated.values.shape == (6,)
    assert abs(simulated.mean - exact.mean) < 4 * simulated.interval.half_width
    jumping = capacity_loss(Scenario(system, model, FPFS(5)), backlog=50, **how)
    assert (jumping - simulated).interval.below(0)


def test_none_among_alternative_values_selects_the_empty_rows():
    runs = pd.DataFrame({"p": [0.1, None, 0.2], "replication": 0, "wait": [1.0, 2.0, 3.0]})
    assert pick(runs, p=(None, 0.1))["wait"].tolist() == [1.0, 2.0]
    assert pick(runs.astype({"p": object}).fillna({"p": ""}), p=[None, 0.2])["wait"].tolist() == [
        2.0,
        3.0,
    ]


def test_an_array_of_alternative_values_is_refused():
    runs = pd.DataFrame({"p": [0.1, 0.2], "replication": 0, "wait": [1.0, 2.0]})
    with pytest.raises(co.InputError, match=r"^p = \[0.1, 0.2\]; give a list instead of an array"):
        pick(runs, p=np.array([0.1, 0.2]))


def test_rows_are_compared_whatever_their_index():
    runs = pd.DataFrame(rows("sharing", SHARED) + rows("spanning", SPANNING, penalty=0.1))
    alike = pd.concat([pd.DataFrame(rows("sharing", SHARED)), runs[3:].reset_index(drop=True)])
    against = {"way": "sharing", "penalty": 0.0}
    pd.testing.assert_frame_equal(ratios(alike, "wait", against), ratios(runs, "wait", against))


def test_a_simulation_is_compared_with_a_formula_also_without_pairs():
    runs = pd.DataFrame(rows("sharing", SHARED) + rows("formula", 2.0))
    against = {"way": "formula"}
    one, other = (differences(runs, "wait", against, in_pairs=way) for way in (True, False))
    pd.testing.assert_frame_equal(one, other)


def test_differences_of_a_sweep_are_taken_in_pairs():
    """Two policies run the same jobs, so their difference is free of the noise of the jobs."""
    noise = np.random.default_rng(1).normal(0, 100, 8)
    rows = [
        {"policy": policy, "load": load, "replication": r, "wait": 10 * load + less + noise[r]}
        for policy, less in (("FCFS", 0.0), ("EASY", -1.0))
        for load in (1, 2)
        for r in range(8)
    ]
    table = pd.DataFrame(rows).sample(frac=1, random_state=3)
    paired = differences(table, "wait", {"policy": "FCFS"}).set_index(["policy", "load"])
    assert set(paired.index) == {("EASY", 1), ("EASY", 2)}
    np.testing.assert_allclose(paired["difference"], -1)
    np.testing.assert_allclose(paired["ci95_high"] - paired["ci95_low"], 0, atol=1e-9)
    # A run that failed has no value, and therefore no pair.
    is_failed = (table["policy"] == "FCFS") & (table["replication"] == 3)
    with pytest.raises(co.InputError, match="the same replications"):
        differences(table.assign(wait=table["wait"].mask(is_failed)), "wait", {"policy": "FCFS"})


@pytest.mark.parametrize("base", [co.FCFS(), "FCFS()"])
def test_differences_are_taken_from_an_object_as_the_table_shows_it(base):
    rows = [
        {"p": str(policy), "replication": r, "wait": float(i)}
        for i, policy in enumerate((co.FCFS(), co.EASY()))
        for r in range(4)
    ]
    found = differences(pd.DataFrame(rows), "wait", {"p": base})
    assert found[["p", "difference"]].to_numpy().tolist() == [["EASY()", 1.0]]


def test_runs_without_a_value_of_a_key_can_be_the_base():
    rows = [
        {"limit": limit, "replication": r, "wait": r + (limit or 3.0)}
        for limit in (None, 1.0)
        for r in range(8)
    ]
    (found,) = differences(pd.DataFrame(rows), "wait", {"limit": None}).to_dict("records")
    assert (found["limit"], found["difference"]) == (1.0, -2.0)


def test_a_replication_that_occurs_twice_has_no_difference():
    rows = [{"p": p, "replication": r, "wait": r} for p in ("a", "b") for r in range(5)]
    with pytest.raises(co.InputError):
        differences(pd.DataFrame(rows * 2), "wait", {"p": "a"})


@pytest.mark.parametrize("name", ["difference", "wait_against", "ci95_low"])
def test_a_key_that_the_result_would_overwrite_is_refused(name):
    rows = [(way, key, r, 1.0 + r) for way in "ab" for key in (0, 1) for r in range(3)]
    runs = pd.DataFrame(rows, columns=["way", name, "replication", "wait"])
    with pytest.raises(co.InputError, match=f"^runs has the column '{name}', which the result has"):
        differences(runs, "wait", {"way": "a"})
