"""The checks of the third notebook take right answers, and give hints that do not tell them."""

import pytest
from scipy.optimize import brentq

import coalloc_lib as co
from coalloc_lib.studies import communication_penalty as study
from coalloc_lib.studies.communication_penalty import exercises
from coalloc_lib.studies.communication_penalty.exercises import EXERCISES, check, leaderboard
from tests.studies.answers import assert_right, hint_of

AT_NEED = co.SingleThenSpan(co.WorstFit())


class LargeOnesAtNeed(co.SingleThenSpan):
    def place(self, components, request, idle):
        if sum(components) <= 10:
            return co.WorstFit().place(components, "total", idle)
        return super().place(components, request, idle)


class LikeAtNeed(co.SingleThenSpan):
    pass


def split(psi=0.0, max_jumps=0, **how):
    jobs = study.WHOLE.with_(**{"above": 10, "parts": 4, "span_penalty": psi} | how)
    return study.scenario(max_jumps, jobs)


def threshold_of_more_jobs():
    """Found with other jobs than those of the check."""

    def later(psi):
        pair = split(psi, 20, above=5), study.scenario(20)
        return co.compare(*pair, load=0.7, seed=5).estimate

    return brentq(later, 0.0, 0.4, xtol=0.01)


def threshold_at_need():
    """Found with other jobs than those of the check."""

    def costs(psi):
        at_need = split(psi).with_(placement=AT_NEED)
        return co.compare(study.scenario(0), at_need, seed=5).estimate

    return brentq(costs, 0.0, 0.6, xtol=0.005)


RIGHT = {
    1: lambda: 1.64,
    2: lambda: 0.2,
    3: lambda: 1.5,
    4: lambda: 3,
    5: threshold_of_more_jobs,
    6: threshold_at_need,
}
WRONG = {
    1: [0.64, 1.74, 0.04, "slow", None],
    2: [1.2, 0.0, 0.25, None],
    3: [0.15, 15, 10, None],
    4: [2, 4, 5, "three", None],
    5: [0.1, 0.21, None],
    6: [0.21, 0.24, 0.4, None],
}


@pytest.mark.parametrize("number", EXERCISES)
def test_right_answers_are_taken(number):
    assert_right(check, number, RIGHT[number]())


@pytest.mark.parametrize(("number", "answer"), [(n, a) for n, many in WRONG.items() for a in many])
def test_wrong_answers_get_a_hint_that_does_not_tell(number, answer):
    hint = hint_of(check, number, answer)
    if number not in (5, 6):
        assert f"{RIGHT[number]():g}" not in hint.replace("1 + lambda", "")


def test_the_number_of_components_rests_on_differences_that_decide():
    borne = {n: exercises._borne(split(parts=n)) for n in exercises.COMPONENTS}
    decided = [(borne[3] - borne[n]).interval.above(0) for n in (2, 4, 5)]
    assert decided == [True, True, True]


def test_the_leaderboard_takes_own_rules_and_orders_by_what_is_borne():
    own = {"large ones": LargeOnesAtNeed(co.WorstFit()), "like": LikeAtNeed(co.WorstFit())}
    table = leaderboard(own)
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table["borne"].is_monotonic_decreasing
    lines = table.set_index("placement")
    # The same rule, run by the other engine on the same jobs.
    told = ["borne", "more than never split"]
    assert lines.loc["like", told].equals(lines.loc["at need above 3", told])
    assert lines.loc["like", "beats the three"] == "no"
    assert lines.loc["large ones", "beats the three"] == "yes"
    assert lines.loc["never split", "more than never split"] == ""
    assert lines.loc["large ones", "more than never split"].startswith("+")
    for name, asked in {
        "never split": study.scenario(0),
        "always split above 10": split(0.2),
    }.items():
        borne = co.find_maximum(asked, seed=5).max_utilization
        assert lines.loc[name, "borne"] == pytest.approx(borne, abs=0.003)


def test_what_is_no_placement_is_refused_in_one_line():
    with pytest.raises(co.InputError, match=r"entries\['mine'\]"):
        leaderboard({"mine": LargeOnesAtNeed})
    with pytest.raises(co.InputError, match=r"^entries = .*placements by name"):
        leaderboard(LargeOnesAtNeed())
