"""The leaderboard of the first notebook, and what overtaking buys back."""

from dataclasses import dataclass

import pandas as pd

import coalloc_lib as co
from studies.maximal_utilization import lesson
from studies.maximal_utilization.lesson import leaderboard
from tests.lessons.test_exercises import WidestFirst


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
    assert board.loc["mine", "minus worst fit"] == "+0.000 ± <0.001"
    assert board.loc["widest", "longest wait"] > board.loc["worst fit, FCFS", "longest wait"]


def test_what_fifty_jumps_buy_back_is_counted_in_points_and_as_a_share():
    losses = {"ordered": (0.4, 0.3, 0.2), "unordered": (0.2, 0.19, 0.1), "total": (0.1, 0.09, 0.02)}
    rows = [
        {"request": request, "policy": policy, "capacity_loss": loss}
        for request, of_one in losses.items()
        for policy, loss in zip(("FCFS", "FPFS(5)", "FPFS(50)"), of_one, strict=True)
    ]
    table = lesson.gains_of_fifty(pd.DataFrame(rows))
    assert table["points"].tolist() == [20, 10, 8]
    assert table["percent"].tolist() == [50, 50, 80]
    assert table.index.tolist() == ["ordered", "unordered", "flexible"]
    folded = lesson.bought_back(pd.DataFrame(rows)).data
    assert folded.startswith("<details><summary>")
    assert "80.0" in folded


def test_the_guess_on_waiting_jobs_is_decided_by_the_ends_of_the_intervals():
    def decided(few, many, half=0.001):
        rows = [
            {"policy": policy, "sizes": sizes, "waiting": waiting}
            | {"ci95_low": gain - half, "ci95_high": gain + half}
            for policy in ("FPFS(50)", "FPFS(5)")
            for sizes in ("U[1,14]", "D(0.9)")
            for waiting, gain in ((100.0, few), (10_000.0, many))
        ]
        for row in rows:  # Only FPFS(50) and U[1,14] count.
            if (row["policy"], row["sizes"]) != ("FPFS(50)", "U[1,14]"):
                row |= {"ci95_low": 0.5, "ci95_high": 0.5}
        return lesson.gain_left(pd.DataFrame(rows))

    assert decided(0.1, 0.005) == "less than a tenth"
    assert decided(0.1, 0.02) == "a tenth to a half"
    assert decided(0.1, 0.2) == "more than half"
    assert decided(0.1, 0.0102) is None
    assert decided(0.1, 0.02, half=0.03) is None
