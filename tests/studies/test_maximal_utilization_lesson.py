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
    assert board.loc["mine", "less worst fit"] == "+0.000 ± <0.001"
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
    assert table.index.tolist() == ["ordered", "unordered", "total"]
    folded = lesson.bought_back(pd.DataFrame(rows)).data
    assert folded.startswith("<details><summary>")
    assert "80.0" in folded


def test_the_guess_on_waiting_jobs_is_decided_only_if_both_distributions_agree():
    def decided(*gains):
        rows = [
            {"policy": "FPFS(50)", "sizes": sizes, "waiting": waiting}
            | {"ci95_low": gain - 0.01, "ci95_high": gain + 0.01}
            for sizes, of_one in zip(("U[1,14]", "D(0.9)"), gains, strict=True)
            for waiting, gain in zip((100.0, 10_000.0), of_one, strict=True)
        ]
        return lesson.gains_most(pd.DataFrame(rows))

    assert decided((0.1, 0.02), (0.2, 0.03)) == "with 100 waiting jobs"
    assert decided((0.02, 0.1), (0.03, 0.2)) == "with 10,000 waiting jobs"
    assert decided((0.1, 0.02), (0.03, 0.2)) is None
    assert decided((0.1, 0.02), (0.03, 0.02)) is None
