"""The first notebook's detective work could conclude otherwise; its leaderboard."""

from dataclasses import dataclass

import pytest

import coalloc_lib as co
from coalloc_lib.intervals import Interval
from lessons import maximal_utilization as lesson
from lessons.maximal_utilization import leaderboard
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
