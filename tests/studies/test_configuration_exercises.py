"""The checks of the second notebook take right answers, and give hints that do not tell them."""

from dataclasses import dataclass

import pytest

import coalloc_lib as co
from coalloc_lib.studies.cluster_configurations import exercises
from coalloc_lib.studies.cluster_configurations.exercises import EXERCISES, check, leaderboard
from coalloc_lib.studies.cluster_configurations.parameters import FOUR
from tests.studies.answers import assert_right, hint_of


@dataclass(frozen=True)
class ByClusters(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda c: idle[c] if len(idle) > 6 else -idle[c])


@dataclass(frozen=True)
class LikeBestFit(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda c: idle[c])


def borne(sizes, components=FOUR, **how):
    scenario = co.Scenario(co.Multicluster(sizes), components, **how)
    return 1 - co.saturated_loss(scenario, jobs=100_000, seed=5, backlog=50).estimate


def break_even_under_first_fit():
    """Found with other jobs than those of the check."""
    ends = [
        borne([32] * 4, model, placement=co.FirstFit())
        for model in (FOUR, FOUR.with_(merged_into=1))
    ]
    return ends[0] / ends[1]


RIGHT = {
    1: lambda: borne([32] * 4) / 1.4,
    2: lambda: 1.5,
    3: lambda: 12,
    4: lambda: 16,
    5: break_even_under_first_fit,
    6: lambda: (
        borne([32] * 4, scheduling=co.FPFS(10)) - borne([64, 32, 16, 16], scheduling=co.FPFS(10))
    ),
}
WRONG = {
    1: [0.894, 1.25, "much", None],
    2: [1.0, 0.667, 120 / 128, None],
    3: [4, 8, 16, (44, 44, 20, 20), None],
    4: [4, 8, "16 x 8", None],
    5: [1.2, 1.0, 0.85, None],
    6: [0.0, -0.19, 19, None],
}


@pytest.mark.parametrize("number", EXERCISES)
def test_right_answers_are_taken(number):
    assert_right(check, number, RIGHT[number]())


@pytest.mark.parametrize(("number", "answer"), [(n, a) for n, many in WRONG.items() for a in many])
def test_wrong_answers_get_a_hint_that_does_not_tell(number, answer):
    hint = hint_of(check, number, answer)
    assert f"{RIGHT[number]():.2g}" not in hint.replace("128", "")


def test_the_leaderboard_takes_own_rules_and_orders_by_loss():
    table = leaderboard({"by clusters": ByClusters(), "like best fit": LikeBestFit()})
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table["mean loss"].is_monotonic_increasing
    lines = table.set_index("placement")
    # The same rule, run by the other engine on the same jobs.
    losses = ["mean loss", "less first fit", "4 × 32", "8 × 16", "16 × 8"]
    assert lines.loc["like best fit", losses].equals(lines.loc["best fit", losses])
    assert lines.loc["by clusters", "4 × 32"] == lines.loc["worst fit", "4 × 32"]
    assert lines.loc["by clusters", "16 × 8"] == lines.loc["best fit", "16 × 8"]
    assert table.loc[1, "placement"] == "by clusters"


def test_the_leaderboard_judges_by_differences_on_the_same_jobs():
    lines = leaderboard({"by clusters": ByClusters(), "like best fit": LikeBestFit()})
    lines = lines.set_index("placement")
    assert lines.loc["by clusters", "beats the three"] == "yes"
    # What differs in nothing from a rule does not beat it; the rule is held against the others.
    assert lines.loc["by clusters", "beats them on 4 × 32"] == "no"
    assert lines.loc["like best fit", "beats them on 16 × 8"] == "no"
    assert lines.loc["best fit", "beats them on 16 × 8"] == "yes"
    assert lines.loc["worst fit", "beats them on 4 × 32"] == "yes"
    assert lines.loc["worst fit", "beats the three"] == "no"
    assert lines.loc["first fit", "less first fit"] == ""
    assert lines.loc["worst fit", "less first fit"].startswith("+")


def test_a_mean_that_is_lower_by_chance_beats_nothing():
    """First and best fit are too near to each other on 8 × 16 for so few jobs."""
    lines = leaderboard({}).set_index("placement")
    assert set(lines.loc[["first fit", "best fit"], "beats them on 8 × 16"]) == {"cannot tell"}


def test_what_is_no_placement_is_refused_in_one_line():
    with pytest.raises(co.InputError, match=r"entries\['mine'\]"):
        leaderboard({"mine": LikeBestFit})
    with pytest.raises(co.InputError, match=r"^entries = .*placements by name"):
        leaderboard(LikeBestFit())


def test_answers_rest_on_comparisons_that_decide():
    equal = co.Scenario(exercises.STANDARD, FOUR)
    for moved in exercises.MOVED:
        assert exercises._more(equal, exercises._unequal(moved)).below(exercises.LOST) is not None
