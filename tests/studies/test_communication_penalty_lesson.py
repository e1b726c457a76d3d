"""The third notebook: its leaderboard, and cases to be played."""

import pytest

import coalloc_lib as co
from studies.communication_penalty import WHOLE, scenario
from studies.communication_penalty.lesson import harm, leaderboard, splitting_case


class LargeOnesAtNeed(co.SingleThenSpan):
    def place(self, components, request, idle):
        if sum(components) <= 10:
            return co.WorstFit().place(components, "total", idle)
        return super().place(components, request, idle)


class LikeAtNeed(co.SingleThenSpan):
    pass


def split(psi=0.0, max_jumps=0, above=10):
    return scenario(max_jumps, WHOLE.with_(above=above, span_penalty=psi))


def test_the_leaderboard_takes_own_rules_and_orders_by_maximal_utilization():
    own = {"large ones": LargeOnesAtNeed(co.WorstFit()), "like": LikeAtNeed(co.WorstFit())}
    table = leaderboard(own)
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table["maximal utilization"].is_monotonic_decreasing
    lines = table.set_index("placement")
    # The same rule, run by the other engine on the same jobs.
    columns = ["maximal utilization", "more than never split"]
    assert lines.loc["like", columns].equals(lines.loc["at need above 3", columns])
    assert lines.loc["like", "beats every rule of the notebook"] == "no"
    assert lines.loc["large ones", "beats every rule of the notebook"] == "yes"
    known = co.max_utilization_by_simulation(split(0.2), seed=5).max_utilization
    line = lines.loc["always split above 10"]
    assert line["maximal utilization"] == pytest.approx(known, abs=0.003)


def test_splitting_helps_six_jobs_and_hurts_six_others():
    assert splitting_case("helps").ratio < 0.9 < 1.2 < splitting_case("hurts").ratio
    for kind, waiting in (("helps", 0), ("hurts", 1)):
        pair = splitting_case(kind).pair
        assert (pair[1].verify().spans == (pair[0].jobs.processors > 4)).all()
        # The fourth job waits where the text says so: whole in one case, in the other split.
        assert [each.wait[3] > 0 for each in pair] == [not waiting, bool(waiting)]
        idle = 8 - pair[1].allocation[:3].sum(axis=0)
        assert (idle.max() < 3 <= idle.sum()) == bool(waiting)
    with pytest.raises(co.InputError, match="kind"):
        splitting_case("either")


def test_splitting_does_no_less_harm_under_best_and_first_fit_than_under_worst_fit():
    worst = harm(co.WorstFit())
    for placement in (co.BestFit(), co.FirstFit()):
        other = harm(placement)
        assert other.interval.above(1)
        assert not (other - worst).interval.below(0)


def test_at_a_high_penalty_no_rule_beats_never_splitting():
    assert leaderboard({}, penalty=0.5)["placement"].iloc[0] == "never split"
    assert leaderboard({})["placement"].iloc[0] != "never split"
