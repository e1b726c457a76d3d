"""The first notebook's detective work could conclude otherwise; its checks do not tell answers."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import stdtrit

import coalloc_lib as co
from coalloc_lib.intervals import Interval
from lessons import maximal_utilization as lesson
from lessons.maximal_utilization import EXERCISES, check, leaderboard
from tests.studies.answers import assert_right, hint_of


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


def test_cells_of_one_random_sequence_err_together():
    how = {"jobs": 500, "runs": 30}
    one = lesson.table4_errors(one_sequence=True, **how)
    ten = lesson.table4_errors(one_sequence=False, **how)
    assert one.shape == ten.shape == (30, 10)

    def mean_correlation(errors):
        return np.corrcoef(errors.T)[np.triu_indices(10, 1)].mean()

    assert mean_correlation(one) > 0.3
    assert abs(mean_correlation(ten)) < 0.15
    # Neither kind misses on average, by more than the noise of runs so short.
    for errors in (one, ten):
        error = errors.mean(axis=1)
        assert abs(error.mean()) < 4 * error.std(ddof=1) / np.sqrt(30)


def test_one_sided_runs_are_counted():
    share = lesson.one_sided(np.array([[1.0, 2], [-1, -1], [1, -1], [-1, 1]]))
    assert share.estimate == 0.5
    assert 0 < share.low < 0.5 < share.high < 1
    assert share.count == 4


@pytest.mark.parametrize(
    ("one", "ten", "begins"),
    [
        ((0.2, 0.4), (0.0, 0.1), "That may be it"),
        ((0.0, 0.03), (0.0, 0.03), "It is not that"),
        ((0.0, 0.2), (0.0, 0.1), "This does not tell"),
    ],
)
def test_a_random_sequence_is_judged_by_the_shares(one, ten, begins):
    assert lesson.judge_sequence(interval(*one), interval(*ten)).startswith(begins)


@pytest.mark.parametrize(
    ("found", "begins"),
    [
        ((-0.0002, 0.0002), "It is not that"),
        ((0.0008, 0.0012), "That may be it"),
        ((0.0045, 0.0055), "It is not that"),
        ((-0.0005, 0.0015), "This does not tell"),
    ],
)
def test_a_shift_is_judged_by_its_interval(found, begins):
    assert lesson.judge_shift(interval(*found), 0.0010).startswith(begins)


def test_the_first_type_would_miss_if_it_stopped_early():
    """The response at which the load is taken decides: at a short one there is loss to be seen."""
    how = {"names": ("U[13,16]",), "jobs": 10_000, "replications": 4}
    early = lesson.first_type_shift(response=10, **how)
    late = lesson.first_type_shift(response=500, **how)
    assert early.low > 0.005
    assert early.low > late.high


def test_the_odd_cell_comes_by_both_types_of_simulation():
    found = lesson.odd_cell(jobs=40_000, replications=3)
    first, second, difference = found.values()
    for loss in (first, second):
        assert loss.estimate == pytest.approx(0.25, abs=0.01)
        assert loss.half_width < 0.01
    assert difference.estimate == pytest.approx(first.estimate - second.estimate)
    spread = [each.half_width / stdtrit(each.count - 1, 0.975) for each in (first, second)]
    freedom = first.count + second.count - 2
    assert difference.half_width > stdtrit(freedom, 0.975) * np.hypot(*spread)
    assert lesson.odd_print() == 0.255


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
def test_right_answers_are_taken_and_wrong_ones_get_a_hint_that_does_not_tell(number):
    assert_right(check, number, RIGHT[number])
    for answer in WRONG[number]:
        assert str(RIGHT[number]) not in hint_of(check, number, answer)


def test_the_number_of_clusters_is_told_by_direction():
    assert "go on" in check(3, 5).data
    for more in (7, 6.5):
        assert "fewer clusters" in check(3, more).data


@pytest.mark.parametrize(
    ("policy", "told"),
    [(Misspelt, "AttributeError: "), (WantsMore, "TypeError: "), (Misspelt(), "begin")],
)
def test_what_a_policy_of_the_readers_raises_is_told(policy, told):
    assert told in hint_of(check, 5, policy)
    assert "your code raises" in hint_of(check, 5, policy)


def test_a_policy_may_be_given_as_an_object():
    assert_right(check, 5, WidestFirst())


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
    assert board.loc["mine", "less worst fit"] == "+0.000 ± 0.000"
    assert board.loc["widest", "longest wait"] > board.loc["worst fit, FCFS", "longest wait"]


@pytest.mark.parametrize("entries", [[co.FirstFit()], {"mine": co.FirstFit}, {"mine": None}])
def test_what_is_no_policy_is_refused_in_one_line(entries):
    with pytest.raises(co.InputError, match=r"^entr.* = .*; give ") as error:
        leaderboard(entries)
    assert "\n" not in str(error.value)
