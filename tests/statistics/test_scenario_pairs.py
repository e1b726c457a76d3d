"""Comparisons of two scenarios: paired means, notes on saturation, and the break-even penalty."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import scenario_pairs
from coalloc_lib.statistics.scenario_pairs import ALL, SEED, by_size, mean_times
from tests.widgets.pairs import FEW, SPANNING, WHOLE, few_jobs

WIDER = WHOLE.with_(workload=WHOLE.workload.with_(sizes=co.uniform(1, 9)))
LONGER = WHOLE.with_(workload=WHOLE.workload.with_(service=co.Exponential(600.0)))
ONE_SIZE = WHOLE.with_(workload=WHOLE.workload.with_(sizes=co.uniform(8, 8)))
PARTS = WHOLE.with_(workload=co.JobModel(co.uniform(1, 4), 2))
LOG = WHOLE.with_(workload=WHOLE.workload.sample(100, seed=1, rate=1.0))


@pytest.fixture(autouse=True, scope="module")
def quick():
    with few_jobs():
        yield


def test_the_table_has_the_means_of_the_schedules_in_pairs():
    table = by_size(WHOLE, SPANNING, 0.6).set_index(["size", "scenario"])
    means = {"A": [], "B": []}
    for seed in np.random.SeedSequence(SEED).spawn(FEW.runs):
        for name, one in (("A", WHOLE), ("B", SPANNING)):
            run = one.simulate(FEW.jobs, load=0.6, seed=seed)
            wide = run.jobs.processors[30:] >= 5
            means[name].append(
                ((run.end - run.jobs.submit)[30:][wide].mean(), run.wait[30:].mean())
            )
    wide, waits = (np.array([means[name] for name in "AB"])[..., i] for i in range(2))
    assert table.loc[("5-8", "B"), "response"] == pytest.approx(wide[1].mean())
    assert table.loc[(ALL, "A"), "wait"] == pytest.approx(waits[0].mean())
    log = co.student(np.log(wide[1] / wide[0]))
    ends = table.loc[("5-8", "B"), ["change", "change_low", "change_high"]]
    assert ends.tolist() == pytest.approx(
        [100 * np.expm1(x) for x in (log.estimate, log.low, log.high)]
    )


def test_equal_jobs_may_be_made_twice_and_have_other_names():
    first, second = (
        WHOLE.with_(workload=co.JobModel(sizes, service=co.Empirical([1, 2]), request="total"))
        for sizes in (co.uniform(1, 2), co.SizeDistribution([0, 0.5, 0.5], name="two sizes"))
    )
    table = by_size(first, second, 0.3, coarse=True)
    assert (table["change"].dropna() == 0).all()
    assert table["change"].notna().any()


def test_a_reader_who_changes_the_table_does_not_change_it_for_others():
    table = scenario_pairs.over_load(WHOLE, SPANNING)
    table.loc[:, "response"] = -1.0
    again = scenario_pairs.over_load(WHOLE, SPANNING)
    assert (again["response"].dropna() > 0).all()
    assert again["response"].notna().any()


def test_the_same_jobs_come_to_a_system_of_another_size():
    twice = WHOLE.with_(system=co.Multicluster([8] * 6))
    table = by_size(WHOLE, twice, 0.6).set_index(["size", "scenario"])
    runs = mean_times(twice, 0.3, FEW).runs
    assert table.loc[(ALL, "B"), "wait"] == pytest.approx(runs[0, :, 0].mean())


@pytest.mark.parametrize("load", [0.78, 0.95])
def test_near_and_past_saturation_there_is_a_reason_and_no_number(load):
    table = by_size(WHOLE, WHOLE, load)
    assert table["note"].str.contains("near saturation" if load < 0.79 else "past saturation").all()
    assert table[["wait", "response", "change"]].isna().all(axis=None)
    assert table["note"].str.contains("saturation: carries 0.7").all()


def test_what_is_booked_beyond_the_horizon_is_no_number():
    short = co.Online(slot=1.0, step=0.25, max_attempts=4, horizon=20.0)
    assert "rejected" in mean_times(WHOLE.with_(scheduling=short), 0.6, FEW).note


def test_the_break_even_penalty_lies_between_gain_and_loss(monkeypatch):
    exact = scenario_pairs.Effort(4_000, 6, 8_000, 14, 1)
    monkeypatch.setattr(scenario_pairs, "EFFORTS", (exact, exact))
    scenario_pairs._break_even.cache_clear()
    found = scenario_pairs.break_even(SPANNING, 0.7).interval
    middle, low, high = found.estimate, found.low, found.high
    assert 0 < low <= middle <= high < 1
    whole = mean_times(WHOLE, 0.7, exact).responses(0).mean()
    for penalty, pays in ((0.0, True), (min(1.0, high + 0.3), False)):
        jobs = SPANNING.workload.with_(span_penalty=penalty)
        paying = mean_times(SPANNING.with_(workload=jobs), 0.7, exact).responses(0)
        assert (paying is not None and bool(paying.mean() < whole)) is pays


@pytest.mark.parametrize(
    ("sizes", "load", "note"),
    [
        (co.uniform(1, 9), 0.5, "none, because some jobs must span"),
        (co.uniform(1, 8), 1.2, "unknown, because the system is saturated"),
    ],
)
def test_without_a_break_even_penalty_there_is_a_reason(sizes, load, note):
    """A job of 9 processors must span clusters of 8."""
    jobs = co.SplitJobs(co.JobModel(sizes), above=4)
    scenario = SPANNING.with_(system=co.Multicluster([8, 8]), workload=jobs)
    assert scenario_pairs.break_even(scenario, load) == (None, note)


def test_an_error_of_the_search_for_a_break_even_penalty_is_not_a_reason():
    """All jobs fit in one cluster, but they are too few to fill the system."""
    jobs = co.SplitJobs(co.JobModel(co.uniform(1, 64)), above=32)
    large = co.Scenario(co.Multicluster([65536] * 4), jobs)
    with pytest.raises(co.InputError, match="which all start at once in the idle system; give man"):
        scenario_pairs.break_even(large, 0.5)


def test_jobs_that_do_not_span_have_the_queue_order_of_those_that_do(monkeypatch):
    asked, plain = [], scenario_pairs.mean_times

    def kept(scenario, load, effort):
        asked.append(scenario.scheduling)
        return plain(scenario, load, effort)

    monkeypatch.setattr(scenario_pairs, "mean_times", kept)
    shortest = co.EASY(order="shortest", adaptive=True)
    spanning = SPANNING.with_(scheduling=shortest)
    scenario_pairs.break_even(spanning, 0.5)
    assert asked[0] == co.EASY(order="shortest")
    assert {*asked[1:]} == {shortest}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: by_size(5, WHOLE, 0.5), "one = 5 is not of type Scenario"),
        (lambda: by_size(WHOLE, 5, 0.5), "other = 5 is not of type Scenario"),
        (lambda: by_size(WHOLE, WHOLE, -1), "load = -1; give a finite number above 0"),
        (lambda: by_size(LOG, WHOLE, 0.5), "one has the workload .* give a scenario with a JobMod"),
        (lambda: by_size(PARTS, PARTS, 0.3), "one has jobs of 2 components; give"),
        (lambda: mean_times(PARTS, 0.3, scenario_pairs.EFFORTS[0]), "scenario has jobs of 2 comp"),
        (lambda: scenario_pairs.over_load(WHOLE, 5), "other = 5 is not of type Scenario"),
        (lambda: by_size(WHOLE, WIDER, 0.4), "other has jobs of up to 9 processors, and one has"),
        (lambda: scenario_pairs.over_load(WIDER, WHOLE), "other has jobs of up to 8 processors, "),
        (lambda: by_size(WHOLE, LONGER, 0.4), "other has another distribution of service times"),
        (lambda: by_size(WHOLE, ONE_SIZE, 0.4), "other has another distribution of job sizes than"),
        (lambda: scenario_pairs.loads_of(5, WHOLE, 0.5), "one = 5 is not of type Scenario"),
        (lambda: scenario_pairs.effort_for(WHOLE, 5), "scenarios = 5 is not of type Scenario"),
        (lambda: scenario_pairs.break_even(5, 0.5), "scenario = 5 is not of type Scenario"),
        (lambda: scenario_pairs.capacity(5, 100), "scenario = 5 is not of type Scenario"),
        (lambda: scenario_pairs.capacity(WHOLE, 2), "jobs = 2; give a whole number of 8 or more"),
        (lambda: mean_times([], 0.5, FEW), r"scenario = \[\] is not of type Scenario"),
        (lambda: mean_times(WHOLE, [0.5], FEW), r"load = \[0\.5\]; give a number"),
        (lambda: scenario_pairs.capacity([], 100), r"scenario = \[\] is not of type Scenario"),
        (lambda: scenario_pairs.break_even([], 0.5), r"scenario = \[\] is not of type Scenario"),
        (lambda: mean_times(WHOLE, 0.5, 3), "effort = 3 is not of type Effort; give effort_for"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(co.InputError, match=f"^{words}"):
        call()
