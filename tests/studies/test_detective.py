"""The detective's work: facts from the printed cells, and conclusions that could be others."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit

import coalloc_lib as co
from coalloc_lib.estimates import Interval
from coalloc_lib.studies.maximal_utilization import detective


def interval(low, high):
    return Interval((low + high) / 2, low, high, 10)


def test_printed_cells_stand_beside_the_exact_value_of_their_system():
    cells = detective.printed_beside_exact("maximal-utilization", "ordered", 2)
    assert len(cells) == 10
    assert set(cells["table"]) == {4}
    row = cells.set_index("sizes").loc["D(0.50) on [1,32]"]
    system, sizes = co.Multicluster([32, 32]), co.parse_sizes("D(0.5)[1,32]")
    exact = co.maximal_utilization(system, sizes, 2, "ordered").capacity_loss
    assert row["exact"] == pytest.approx(exact)
    assert row["difference"] == pytest.approx(0.111 - exact)


def test_all_ordered_cells_of_table_4_lie_below_and_single_ones_above():
    ordered = detective.printed_beside_exact("maximal-utilization", "ordered", 2)
    single = detective.printed_beside_exact("maximal-utilization", "total", 1)
    assert (ordered["difference"] < 0).all()
    assert len(single) == 20
    assert (single["difference"] > 0).sum() == 18
    assert detective.sides(single).startswith("20 printed cells: 18 above the exact value, 2 below")


def test_sides_are_counted():
    cells = pd.DataFrame({"difference": [0.1, -0.2, -0.5]})
    words = detective.sides(cells)
    assert words == "3 printed cells: 1 above the exact value, 2 below; on average -0.2000"


def test_both_papers_print_the_same_single_cluster_cells():
    assert detective.printed_twice() == (20, 20)


def test_cells_of_one_random_sequence_err_together():
    how = {"jobs": 500, "runs": 30}
    one = detective.table4_errors(one_sequence=True, **how)
    ten = detective.table4_errors(one_sequence=False, **how)
    assert one.shape == ten.shape == (30, 10)

    def mean_correlation(errors):
        return np.corrcoef(errors.T)[np.triu_indices(10, 1)].mean()

    assert mean_correlation(one) > 0.3
    assert abs(mean_correlation(ten)) < 0.15
    # Neither kind misses on average, by more than the noise of runs so short.
    for errors in (one, ten):
        error = errors.mean(axis=1)
        assert abs(error.mean()) < 4 * error.std(ddof=1) / np.sqrt(30)


def test_one_sided_runs_are_counted():
    errors = np.array([[1.0, 2], [-1, -1], [1, -1], [-1, 1]])
    share = detective.one_sided(errors)
    assert share.estimate == 0.5
    assert 0 < share.low < 0.5 < share.high < 1
    assert share.count == 4


@pytest.mark.parametrize(
    ("one", "ten", "begins"),
    [
        ((0.2, 0.4), (0.0, 0.1), "That may be it"),
        ((0.0, 0.03), (0.0, 0.03), "It is not that"),
        ((0.0, 0.2), (0.0, 0.1), "This does not tell"),
    ],
)
def test_a_random_sequence_is_judged_by_the_shares(one, ten, begins):
    assert detective.judge_sequence(interval(*one), interval(*ten)).startswith(begins)


@pytest.mark.parametrize(
    ("found", "begins"),
    [
        ((-0.0002, 0.0002), "It is not that"),
        ((0.0008, 0.0012), "That may be it"),
        ((0.0045, 0.0055), "It is not that"),
        ((-0.0005, 0.0015), "This does not tell"),
    ],
)
def test_a_shift_is_judged_by_its_interval(found, begins):
    assert detective.judge_shift(interval(*found), 0.0010).startswith(begins)


def test_the_first_type_would_miss_if_it_stopped_early():
    """The response at which the load is taken decides: at a short one there is loss to be seen."""
    how = {"names": ("U[13,16]",), "jobs": 10_000, "replications": 4}
    early = detective.first_type_shift(response=10, **how)
    late = detective.first_type_shift(response=500, **how)
    assert early.low > 0.005
    assert early.low > late.high


def test_the_odd_cell_comes_by_both_types_of_simulation():
    found = detective.odd_cell(jobs=40_000, replications=3)
    first, second, difference = found.values()
    for loss in (first, second):
        assert loss.estimate == pytest.approx(0.25, abs=0.01)
        assert loss.half_width < 0.01
    assert difference.estimate == pytest.approx(first.estimate - second.estimate)
    spread = {
        "first": first.half_width / stdtrit(first.count - 1, 0.975),
        "second": second.half_width / stdtrit(second.count - 1, 0.975),
    }
    error = np.hypot(*spread.values())
    assert difference.half_width > stdtrit(first.count + second.count - 2, 0.975) * error
    assert detective.odd_print() == 0.255
