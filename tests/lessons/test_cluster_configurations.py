"""The checks of the second notebook take right answers, and give hints that do not tell them."""

from dataclasses import dataclass

import pytest

import coalloc_lib as co
from coalloc_lib.studies.cluster_configurations import FOUR
from lessons.cluster_configurations import EXERCISES, check, leaderboard
from tests.lessons.answers import assert_right, hint_of


@dataclass(frozen=True)
class LikeBestFit(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda c: idle[c])


@dataclass(frozen=True)
class ByClusters(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda c: idle[c] if len(idle) > 6 else -idle[c])


def utilization(sizes=(32,) * 4, jobs=FOUR, **how):
    """Found with other jobs than those of the check."""
    scenario = co.Scenario(co.Multicluster(sizes), jobs, **how)
    return 1 - co.saturated_loss(scenario, jobs=100_000, seed=5, backlog=50).estimate


def break_even_under_first_fit():
    both = FOUR, FOUR.with_(merged_into=1)
    spread, whole = (utilization(jobs=jobs, placement=co.FirstFit()) for jobs in both)
    return spread / whole


def gap_with_overtaking():
    systems = (32,) * 4, (64, 32, 16, 16)
    equal, unequal = (utilization(sizes, scheduling=co.FPFS(10)) for sizes in systems)
    return equal - unequal


#: By exercise: the right answer, and wrong ones.
ANSWERS = {
    1: (lambda: utilization() / 1.4, [0.894, 1.25, "much", None]),
    2: (lambda: 1.5, [1.0, 0.667, 120 / 128, None]),
    3: (lambda: 12, [4, 8, 16, (44, 44, 20, 20), None]),
    4: (lambda: 16, [4, 8, "16 x 8", None]),
    5: (break_even_under_first_fit, [1.2, 1.0, 0.85, None]),
    6: (gap_with_overtaking, [0.0, -0.19, 19, None]),
}  # fmt: skip


@pytest.mark.parametrize("number", EXERCISES)
def test_right_answers_are_taken_and_wrong_ones_get_a_hint_that_does_not_tell(number):
    right, wrong = ANSWERS[number][0](), ANSWERS[number][1]
    assert_right(check, number, right)
    for answer in wrong:
        assert f"{right:.2g}" not in hint_of(check, number, answer).replace("128", "")


def test_the_leaderboard_orders_by_loss_and_judges_by_differences_on_the_same_jobs():
    table = leaderboard({"by clusters": ByClusters(), "like best fit": LikeBestFit()})
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table["mean loss"].is_monotonic_increasing
    assert table.loc[1, "placement"] == "by clusters"
    lines = table.set_index("placement")
    # The same rule, run by the other engine on the same jobs.
    losses = ["mean loss", "less first fit", "4 × 32", "8 × 16", "16 × 8"]
    assert lines.loc["like best fit", losses].equals(lines.loc["best fit", losses])
    assert lines.loc["by clusters", "beats the three"] == "yes"
    # What differs in nothing from a rule does not beat it; the rule is held against the others.
    assert lines.loc["by clusters", "beats them on 4 × 32"] == "no"
    assert lines.loc["like best fit", "beats them on 16 × 8"] == "no"
    assert lines.loc["best fit", "beats them on 16 × 8"] == "yes"
    assert lines.loc["worst fit", "beats the three"] == "no"
    with pytest.raises(co.InputError, match=r"entries\['mine'\]"):
        leaderboard({"mine": LikeBestFit})
