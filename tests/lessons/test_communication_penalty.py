"""The third notebook: its checks take right answers and do not tell them; cases to be played."""

import pytest
from scipy.optimize import brentq

import coalloc_lib as co
from coalloc_lib.studies.communication_penalty import WHOLE, scenario
from lessons import communication_penalty as lesson
from lessons.communication_penalty import check, leaderboard, splitting_case
from tests.lessons.answers import assert_right, hint_of

AT_NEED = co.SingleThenSpan(co.WorstFit())


class LargeOnesAtNeed(co.SingleThenSpan):
    def place(self, components, request, idle):
        if sum(components) <= 10:
            return co.WorstFit().place(components, "total", idle)
        return super().place(components, request, idle)


class LikeAtNeed(co.SingleThenSpan):
    pass


def split(psi=0.0, max_jumps=0, above=10):
    return scenario(max_jumps, WHOLE.with_(above=above, span_penalty=psi))


def threshold_of_more_jobs():
    """Found with other jobs than those of the check."""
    pair = lambda psi: (split(psi, 20, above=5), scenario(20))  # noqa: E731
    later = lambda psi: co.compare(*pair(psi), load=0.7, seed=5).estimate  # noqa: E731
    return brentq(later, 0.0, 0.4, xtol=0.01)


def threshold_at_need():
    """Found with other jobs than those of the check."""

    def costs(psi):
        return co.compare(scenario(0), split(psi).with_(placement=AT_NEED), seed=5).estimate

    return brentq(costs, 0.0, 0.6, xtol=0.005)


RIGHT = {1: 1.64, 2: 0.2, 3: 1.5, 4: 3, 5: threshold_of_more_jobs, 6: threshold_at_need}
WRONG = {
    1: [0.64, 1.74, 0.04, "slow", None], 2: [1.2, 0.0, 0.25, None], 3: [0.15, 15, 10, None],
    4: [2, 4, 5, "three", None], 5: [0.1, 0.21, None], 6: [0.21, 0.24, 0.4, None],
}  # fmt: skip


@pytest.mark.parametrize(
    "number",
    [pytest.param(n, marks=[pytest.mark.long] * (n == 5)) for n in lesson.EXERCISES],
)
def test_right_answers_are_taken(number):
    right = RIGHT[number]
    assert_right(check, number, right() if callable(right) else right)


@pytest.mark.parametrize(("number", "answer"), [(n, a) for n, many in WRONG.items() for a in many])
def test_wrong_answers_get_a_hint_that_does_not_tell(number, answer):
    hint = hint_of(check, number, answer)
    if number not in (5, 6):
        assert f"{RIGHT[number]:g}" not in hint.replace("1 + lambda", "")


def test_the_leaderboard_takes_own_rules_and_orders_by_maximal_utilization():
    own = {"large ones": LargeOnesAtNeed(co.WorstFit()), "like": LikeAtNeed(co.WorstFit())}
    table = leaderboard(own)
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table["maximal utilization"].is_monotonic_decreasing
    lines = table.set_index("placement")
    # The same rule, run by the other engine on the same jobs.
    columns = ["maximal utilization", "more than never split"]
    assert lines.loc["like", columns].equals(lines.loc["at need above 3", columns])
    assert lines.loc["like", "beats the three"] == "no"
    assert lines.loc["large ones", "beats the three"] == "yes"
    known = co.find_maximum(split(0.2), seed=5).max_utilization
    line = lines.loc["always split above 10"]
    assert line["maximal utilization"] == pytest.approx(known, abs=0.003)


def test_the_cases_are_those_that_the_search_finds():
    assert lesson.search() == lesson.FOUND
    assert splitting_case("helps").ratio < 0.95 < 1.05 < splitting_case("hurts").ratio
    with pytest.raises(co.InputError, match="kind"):
        splitting_case("either")
