"""The right answers to the exercises of notebook 06."""

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.basics.estimates import Interval
from coalloc_lib.statistics.scenario_pairs import ALL, BreakEven
from lessons import playground


@pytest.mark.parametrize(
    ("found", "penalty"),
    [
        (BreakEven(Interval(0.254, 0.2, 0.3, 6)), 0.25),
        (BreakEven(Interval.exact(np.inf)), 1.0),
        (BreakEven(Interval(-0.1, -0.2, 0.0, 6)), 0.0),
        (BreakEven(None, "none, because some jobs must span"), 0.0),
    ],
)
def test_the_penalty_is_read_from_the_interval(monkeypatch, found, penalty):
    monkeypatch.setattr(playground, "break_even", lambda *_: found)
    assert playground.pays_up_to(B_policy="EASY") == penalty


@pytest.mark.parametrize(
    ("low", "high", "right"), [(-18.3, -5.4, "B"), (10.5, 23.5, "A"), (-2.0, 0.0, "neither")]
)
def test_neither_responds_sooner_if_the_interval_contains_zero(monkeypatch, low, high, right):
    found = pd.Series({"change_low": low, "change_high": high})
    monkeypatch.setattr(playground, "change", lambda **_: found)
    assert playground.shorter_response(A_policy="EASY") == right


@pytest.mark.parametrize(
    ("highs", "right"), [((-1.0, -0.1, 0.0), ["1", "2"]), ((0.2, 3.0, 1.0), [])]
)
def test_sizes_respond_sooner_for_certain_if_their_intervals_lie_below_zero(
    monkeypatch, highs, right
):
    table = pd.DataFrame({"change_high": [-5.0, *highs]}, index=[ALL, "1", "2", "3-8"])
    monkeypatch.setattr(playground, "changes", lambda **_: table)
    assert playground.surely_sooner() == right


@pytest.mark.parametrize(("first", "right"), [(0.3, 0.3), (0.5, 0.5), (0.9, np.inf)])
def test_the_first_load_with_an_interval_above_zero_is_found(monkeypatch, first, right):
    def changes(load, **_):
        return pd.DataFrame({"change_low": [-1.0 if load < first else 0.1]}, index=["1"])

    monkeypatch.setattr(playground, "changes", changes)
    assert playground.surely_later_from("1") == right


@pytest.mark.parametrize("reads", [playground.pays_up_to, playground.change])
def test_a_misspelt_control_is_rejected(reads):
    with pytest.raises(co.InputError, match=r"control = 'B_polcy'; choose one of .*'B_policy'"):
        reads(B_polcy="EASY")


#: The centre and the jobs of the figures of notebook 06, and the random seeds of their samples.
CENTRE, MODEL = co.Multicluster([8, 8, 8]), co.JobModel(co.uniform(1, 8), request="total")
SEEDS = range(1, 11)


def mean_responses(way, load, **how):
    """Return the mean response time of each sample at a load of the centre."""
    samples = (MODEL.sample(count=10_000, seed=seed, rate=1.0) for seed in SEEDS)
    jobs = [sample.with_load(system=CENTRE, load=load) for sample in samples]
    return np.array([way(jobs=each, **how).response.mean() for each in jobs])


def runs_of(load, policy, sizes=CENTRE.sizes):
    """Return the runs of a scenario, as the first two figures make them."""
    centre = co.Scenario(co.Multicluster(sizes), MODEL, policy, co.BestFit())
    return [centre.simulate(jobs=10_000, load=load, seed=seed) for seed in SEEDS]


def means_on(sizes, load, policy):
    return np.array([run.response.mean() for run in runs_of(load, policy, sizes)])


def gains_of_ways(load, penalty):
    """Return by how many percent each way shortens the mean response, for each sample.

    The ways are EASY, one cluster of 24, spanning under FCFS, and spanning under EASY.
    """

    def sharing(policy, system=CENTRE):
        return mean_responses(co.sites.sharing, load, system=system, scheduling=policy)

    def spanning(policy):
        how = {"system": CENTRE, "span_penalty": penalty, "scheduling": policy}
        return mean_responses(co.sites.multi_site, load, **how)

    means = sharing(co.EASY()), sharing(co.FCFS(), co.Multicluster([24])), spanning(co.FCFS())
    today = sharing(co.FCFS())
    return [100 * (1 - mean / today) for mean in (*means, spanning(co.EASY()))]


@pytest.mark.parametrize(
    ("load", "single_over_easy"), [(0.6, "2.0 ± 0.4"), (0.7, "-0.2 ± 0.9"), (0.75, "-1.6 ± 1.1")]
)
def test_which_way_gains_most_depends_on_the_load(load, single_over_easy):
    easy, single, spans, both = gains_of_ways(load, 0.1)
    assert co.student(single - easy).text(1) == single_over_easy
    assert co.student(easy - spans).low > 0
    assert all(co.student(both - each).low > 0 for each in (easy, spans))
    assert co.student(both - easy - spans).high < 0
    if load == 0.6:
        assert [f"{single.mean():.1f}", f"{easy.mean():.1f}"] == ["18.6", "16.6"]
    if load == 0.75:
        assert f"{(easy + spans).mean():.0f}" == "105"


@pytest.mark.parametrize("load", [0.3, 0.4])
def test_at_low_loads_spanning_gains_more_than_easy(load):
    easy, single, spans, both = gains_of_ways(load, 0.1)
    assert co.student(spans - easy).low > 0
    assert all(co.student(single - each).low > 0 for each in (easy, spans))
    assert co.student(both - spans).low > 0


@pytest.mark.parametrize(("load", "together"), [(0.6, "14.2"), (0.75, "46.0")])
def test_at_a_higher_penalty_spanning_takes_a_part_of_the_gain_of_easy(load, together):
    easy, _, spans, both = gains_of_ways(load, 0.25)
    assert co.student(both - easy).high < 0
    assert f"{both.mean():.1f}" == together
    assert spans.mean() < 12.05


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (0.34, "Right"), (1.28, "this is the mean response itself"), (0.23, "use adaptive=True"),
        (0.27, "let jobs span"), (0.07, "this is the gain over EASY"), (0.5, "subtract ways_mean"),
    ],
)  # fmt: skip
def test_what_adaptive_spanning_gains_is_checked(answer, said):
    assert said in playground.check(6, answer).data


@pytest.mark.parametrize(
    ("load", "pays"), [(0.6, {"FCFS": 0.2, "EASY": 0.1}), (0.4, {"FCFS": 0.3, "EASY": 0.2})]
)
def test_up_to_what_penalty_spanning_pays_is_what_the_folded_answer_says(load, pays):
    """Adaptive spanning pays at every penalty of the table."""
    policies = {"FCFS": co.FCFS(), "EASY": co.EASY(), "EASY, adaptive": co.EASY(adaptive=True)}
    penalties, found, gains = [0, 0.1, 0.2, 0.3, 0.4], {}, {}
    for name, policy in policies.items():
        how = {"load": load, "system": CENTRE, "scheduling": policy}
        whole = mean_responses(co.sites.sharing, **how)
        for penalty in penalties:
            spanning = mean_responses(co.sites.multi_site, span_penalty=penalty, **how)
            gains[name, penalty] = co.student(spanning - whole)
        found[name] = [p for p in penalties if gains[name, p].high < 0]
    # Spanning pays up to a penalty, and at no larger one.
    assert found == {
        name: penalties[: penalties.index(last) + 1] for name, last in pays.items()
    } | {"EASY, adaptive": penalties}
    if load == 0.6:
        assert gains["EASY", 0.2].text(3, "+") == "-0.005 ± 0.008"
        assert gains["EASY, adaptive", 0].estimate == pytest.approx(-0.13, abs=0.005)
        assert gains["EASY, adaptive", 0.4].text(3) == "-0.059 ± 0.003"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (19.6, "Right: 19.6"), (30.7, "and average"), (6.2, "give that under your policy"),
        (7.4, "sort the queue"), (1.25, "take the longest wait"), (10, "average run.wait.max()"),
    ],
)  # fmt: skip
def test_the_longest_wait_of_a_policy_of_the_reader_is_checked(answer, said):
    assert said in playground.check(7, answer).data


def test_what_shortest_first_gains_is_what_the_solution_says():
    today, mine = (playground._mean_response(p) for p in (co.FCFS(), playground.SHORTEST_FIRST))
    assert f"{today - mine:.2f}" == "0.37"
    assert f"{playground._longest_waits(co.EASY()).mean():.1f}" == "6.2"


@pytest.mark.parametrize("answer", [["3-4"], {"3–4"}, ("3-4",)])
def test_a_list_of_sizes_may_be_written_with_a_dash(monkeypatch, answer):
    monkeypatch.setattr(playground, "surely_sooner", lambda **_: ["3-4"])
    assert "Right" in playground.check(4, answer).data


def test_how_the_order_of_the_divisions_changes_under_easy():
    equal, three, unequal, one = (
        means_on(sizes, 0.65, co.EASY()) for sizes in ([12, 12], [8, 8, 8], [16, 8], [24])
    )
    assert co.student(three - equal).text(2) == "0.03 ± 0.01"
    assert co.student(unequal - equal).high < 0
    assert co.student(one - unequal).high < 0


@pytest.mark.parametrize(
    ("load", "policy", "small", "large"),
    [
        (0.6, co.EASY(), "-0.48 ± 0.03", "-0.14 ± 0.02"),
        (0.75, co.EASY(), "-3.56 ± 0.28", "-2.39 ± 0.32"),
        (0.6, co.FPFS(max_jumps=5), "-0.46 ± 0.03", "-0.04 ± 0.01"),
    ],
)
def test_what_jobs_of_one_and_of_eight_processors_gain(load, policy, small, large):
    def means(scheduling, processors):
        runs = runs_of(load, scheduling)
        return np.array([run.response[run.jobs.processors == processors].mean() for run in runs])

    for processors, gain in ((1, small), (8, large)):
        found = co.student(means(policy, processors) - means(co.FCFS(), processors))
        assert found.text(2) == gain


@pytest.mark.parametrize(
    ("sizes", "gain"),
    [([10, 14], "-0.29 ± 0.06"), ([9, 15], "-0.43 ± 0.06"), ([16, 8], "-0.58 ± 0.08")],
)
def test_two_clusters_are_better_the_more_they_differ(sizes, gain):
    differ, equal = (means_on(each, 0.65, co.FCFS()) for each in (sizes, [12, 12]))
    assert co.student(differ - equal).text(2) == gain
