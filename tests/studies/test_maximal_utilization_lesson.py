"""The first notebook's detective work could conclude otherwise; its leaderboard."""

from dataclasses import dataclass

import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.intervals import Interval
from studies.maximal_utilization import lesson
from studies.maximal_utilization.lesson import leaderboard
from studies.maximal_utilization.model import EXAMPLE, FIVE, STANDARD
from tests.lessons.test_exercises import WidestFirst


def interval(low, high):
    return Interval((low + high) / 2, low, high, 10)


def test_printed_cells_stand_beside_the_exact_value_of_their_system():
    ordered = lesson.printed_beside_exact("ordered", 2)
    assert len(ordered) == 10
    assert set(ordered["table"]) == {4}
    row = ordered.set_index("sizes").loc["D(0.50) on [1,32]"]
    system, sizes = co.Multicluster([32, 32]), co.parse_sizes("D(0.5)[1,32]")
    exact = co.maximal_utilization(system, sizes, 2, "ordered").capacity_loss
    assert row["exact"] == pytest.approx(exact)
    assert row["difference"] == pytest.approx(0.111 - exact)
    assert (ordered["difference"] < 0).all()
    single = lesson.printed_beside_exact("total", 1)
    assert lesson.sides(single).startswith("20 printed cells: 18 above the exact value, 2 below")
    assert lesson.printed_twice() == (20, 20)


def test_a_random_sequence_is_judged_by_the_shares_and_a_shift_by_its_interval():
    maybe, no, open_ = "That may be it", "It is not that", "This does not tell"
    shares = {((0.2, 0.4), (0.0, 0.1)): maybe, ((0.0, 0.03),) * 2: no}
    for (one, ten), begins in (shares | {((0.0, 0.2), (0.0, 0.1)): open_}).items():
        assert lesson.judge_sequence(interval(*one), interval(*ten)).startswith(begins)
    shifts = {(-0.0002, 0.0002): no, (0.0008, 0.0012): maybe, (0.0045, 0.0055): no}
    for ends, begins in (shifts | {(-0.0005, 0.0015): open_}).items():
        assert lesson.judge_shift(interval(*ends), 0.0010).startswith(begins)


@dataclass(frozen=True)
class LikeWorstFit(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda cluster: -idle[cluster])


def test_the_leaderboard_ranks_and_compares_on_the_same_jobs():
    entries = {"mine": LikeWorstFit(), "first fit": co.FirstFit(), "widest": WidestFirst()}
    board = leaderboard(entries)
    assert board.index.tolist() == [1, 2, 3, 4]
    board = board.set_index("policy")
    assert board["loss"].is_monotonic_increasing
    assert board.index[0] == "widest"
    assert board["beats it"].drop("worst fit, FCFS").to_dict() == {
        "widest": "yes", "mine": "no", "first fit": "no"
    }  # fmt: skip
    # The same decisions on the same jobs: no difference, which does not beat.
    assert board.loc["mine", "less worst fit"] == "+0.000 ± <0.001"
    assert board.loc["widest", "longest wait"] > board.loc["worst fit, FCFS", "longest wait"]


def test_what_fifty_jumps_buy_back_is_counted_in_points_and_as_a_share():
    losses = {"ordered": (0.4, 0.3, 0.2), "unordered": (0.2, 0.19, 0.1), "total": (0.1, 0.09, 0.02)}
    rows = [
        {"request": request, "policy": policy, "capacity_loss": loss}
        for request, of_one in losses.items()
        for policy, loss in zip(("FCFS", "FPFS(5)", "FPFS(50)"), of_one, strict=True)
    ]
    table = lesson.bought_back(pd.DataFrame(rows))
    assert table["points"].tolist() == [20, 10, 8]
    assert table["percent"].tolist() == [50, 50, 80]
    assert table.index.tolist() == ["ordered", "unordered", "split as it fits"]


def test_the_reading_of_table_5_that_does_not_fit_has_asterisks():
    table = lesson.left_of_table_5()
    ours, other = (table[reading] for reading in lesson.READINGS[5])
    assert len(table) == 10
    assert not ours.str.endswith("*").any()
    assert other.str.endswith("*").sum() == 5
    assert ours["U[1,14]", "cv"] == "0.537 xxxx"


def test_the_example_may_have_sizes_whose_losses_have_the_digits():
    """0.413 and 0.415: one 3 in one run or the next; wild losses of any digits but one."""
    rows = [
        {**STANDARD, "kind": "loss", "sizes": sizes, "request": request, "service": service,
         "replication": number, "capacity_loss": loss + 1e-5 * number, "row_jobs": 100_000}
        for sizes, calm in zip(FIVE, (0.413, 0.415, 0.413, 0.415, 0.415), strict=True)
        for (request, service), wild in zip(EXAMPLE, (False, False, True, True), strict=True)
        for number, loss in enumerate([0.555 if wild else calm] * 4)
    ]  # fmt: skip
    table = lesson.sizes_of_the_example(pd.DataFrame(rows))
    assert table["may be it"].tolist() == ["yes", "no", "yes", "no", "no"]
    assert table.loc[FIVE[0], "ordered, deterministic"] == "0.413"
