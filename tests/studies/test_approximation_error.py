"""The table of errors of the approximation."""

import pytest

from coalloc_lib.analytic import exact_utilization, maximal_utilization
from coalloc_lib.distributions import uniform
from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.studies.approximation_error import exact_error, simulated_error, summary
from coalloc_lib.system import Multicluster


def test_rows_hold_approximation_simulation_and_their_difference():
    chosen = [
        (Multicluster([8, 6]), "U[1,3]", 2, WorstFit()),
        (Multicluster([8, 6]), "U[1,3]", 2, FirstFit()),
    ]
    table = simulated_error(chosen, jobs=20_000, seed=3)
    assert table["placement"].tolist() == ["WorstFit", "FirstFit"]
    assert table["group"].tolist() == [
        f"{rule} fit, unequal clusters" for rule in ("worst", "first")
    ]
    for row, (system, _, components, placement) in zip(table.itertuples(), chosen, strict=True):
        case = system, uniform(1, 3), components, "unordered"
        bound = maximal_utilization(*case, placement=placement)
        exact = exact_utilization(*case, placement).capacity_loss
        assert row.approximation == bound.capacity_loss
        assert row.ci95_low < row.simulation < row.ci95_high
        assert abs(row.simulation - exact) < 3 * (row.ci95_high - row.ci95_low)
        assert row.error == row.approximation - row.simulation


def test_exact_errors_of_small_systems():
    table = exact_error(((4, 4), (6, 4)), ("U[1,2]",), (WorstFit(), FirstFit()))
    assert len(table) == 2 * 2 * 2
    assert table["error"].to_numpy() == pytest.approx(table["approximation"] - table["exact"])
    equal = table[(table["system"] == "2 × 4") & (table["components"] == 2)]
    assert equal.set_index("placement")["error"]["WorstFit"] == pytest.approx(0, abs=1e-10)
    assert equal.set_index("placement")["error"]["FirstFit"] > 0.01


def test_summary_has_mean_and_largest_absolute_error():
    table = exact_error(((4, 4),), ("U[1,2]", "U[1,3]"), [WorstFit()])
    line = summary(table).iloc[0]
    assert (line["group"], line["systems"]) == ("worst fit, equal clusters", 4)
    assert line["mean"] == pytest.approx(table["error"].abs().mean())
    assert line["largest"] == pytest.approx(table["error"].abs().max())
