"""The checks of the first notebook take right answers, and give hints that do not tell them."""

from dataclasses import dataclass

import pytest

import coalloc_lib as co
from coalloc_lib.studies.maximal_utilization.exercises import EXERCISES, check, leaderboard


class WidestFirst(co.Scheduling):
    def start_jobs(self, state):
        for job in sorted(state.queue, key=lambda job: -job.processors):
            state.start(job)


class StopsAtTheFirst(co.Scheduling):
    def start_jobs(self, state):
        for job in sorted(state.queue, key=lambda job: -job.processors):
            if not state.start(job):
                break


class Misspelt(co.Scheduling):
    def start_jobs(self, state):
        state.begin(state.queue[0])


class WantsMore(co.Scheduling):
    def __init__(self, limit):
        self.limit = limit


class Nothing(co.Scheduling):
    pass


@dataclass(frozen=True)
class LikeWorstFit(co.Placement):
    def order(self, idle):
        return sorted(range(len(idle)), key=lambda cluster: -idle[cluster])


ONE_OR_ALL = co.SizeDistribution([0, 0.8, 0, 0, 0, 0, 0, 0, 0.2], name="one or all")
RIGHT = {1: 1 / 7, 2: 0.9, 3: 6, 4: 100, 5: WidestFirst, 6: ONE_OR_ALL}
WRONG = {
    1: [6 / 7, 0, "a seventh", None],
    2: [0.1, 1, None],
    3: [5, 7, 6.5, float("inf"), float("nan"), "six"],
    4: [50, 200, None],
    5: [co.FCFS(), StopsAtTheFirst(), Nothing(), WidestFirst().start_jobs, 5],
    6: [co.uniform(1, 4), co.uniform(1, 9), 0.05, None],
}


@pytest.mark.parametrize("number", EXERCISES)
def test_right_answers_are_taken(number):
    assert "Right" in check(number, RIGHT[number]).data


@pytest.mark.parametrize(("number", "answer"), [(n, a) for n, many in WRONG.items() for a in many])
def test_wrong_answers_get_a_hint_that_does_not_tell(number, answer):
    words = check(number, answer).data
    assert "Not yet" in words
    assert "\n" not in words
    hint = words.split("Not yet: ")[1]
    assert str(RIGHT[number]) not in hint


def test_the_number_of_clusters_is_told_by_direction():
    assert "go on" in check(3, 5).data
    for more in (7, 6.5):
        assert "fewer clusters" in check(3, more).data


@pytest.mark.parametrize(
    ("policy", "told"),
    [(Misspelt, "AttributeError: "), (WantsMore, "TypeError: "), (Misspelt(), "begin")],
)
def test_what_a_policy_of_the_readers_raises_is_told(policy, told):
    assert f"{told}" in check(5, policy).data
    assert "your code raises" in check(5, policy).data


def test_a_policy_may_be_given_as_an_object():
    assert "Right" in check(5, WidestFirst()).data


def test_the_leaderboard_ranks_and_compares_on_the_same_jobs():
    entries = {"mine": LikeWorstFit(), "first fit": co.FirstFit(), "widest": WidestFirst()}
    board = leaderboard(entries)
    assert board.index.tolist() == [1, 2, 3, 4]
    board = board.set_index("policy")
    assert board["loss"].is_monotonic_increasing
    assert board.index[0] == "widest"
    assert board.loc["widest", "beats it"] == "yes"
    assert board.loc["first fit", "beats it"] == "no"
    # The same decisions on the same jobs: no difference, which does not beat.
    assert board.loc["mine", "less worst fit"] == "+0.000 ± 0.000"
    assert board.loc["mine", "beats it"] == "no"
    assert board.loc["widest", "longest wait"] > board.loc["worst fit, FCFS", "longest wait"]


@pytest.mark.parametrize("entries", [[co.FirstFit()], {"mine": co.FirstFit}, {"mine": None}])
def test_what_is_no_policy_is_refused_in_one_line(entries):
    with pytest.raises(co.InputError, match=r"^entr.* = .*; give ") as error:
        leaderboard(entries)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", EXERCISES)
def test_dots_are_no_answer_yet(number):
    assert "in place of the dots" in check(number, ...).data
