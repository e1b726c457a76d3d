"""The study of what survives: its ways, its loads, what counts as sure, and the sentences."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.basics.seeds import spawn
from coalloc_lib.workloads.catalogue import load_stand_in
from studies.what_survives import CONCLUSIONS, Setting, model, runs, study
from studies.what_survives.conclusions import Compared, Pair
from studies.what_survives.effects import (
    CONDITION,
    HOLDS_SATURATED,
    TURNS_SATURATED,
    effect_of,
    effects,
)
from studies.what_survives.figures import make_matrix
from studies.what_survives.loads import BOUND, carried_load, drains, worst_response
from studies.what_survives.runs import (
    SUMS,
    Lengths,
    case_of,
    load_of,
    own,
    saturated,
    settings,
    sums,
)
from studies.what_survives.survival import sentence_of, summary, survival
from studies.what_survives.ways import Case
from tests.plots.pictures import subtitle_of
from tests.studies.small import SMALL


@pytest.fixture(scope="module")
def sampled():
    return model.synthetic("exponential", "4×32", 0.5, "exact", 4_000, 1)


@pytest.fixture(scope="module")
def small_runs():
    tiny = copy(study)
    tiny.scales = {"quick": SMALL["what-survives"], "paper": SMALL["what-survives"]}
    return tiny.run("quick", workers=1)


def test_jobs_offer_the_load_in_units_of_their_mean_run_time():
    for workload in model.SERVICE:
        jobs = model.synthetic(workload, "5×20", 0.7, "doubled", 20_000, 3)
        assert jobs.runtime.mean() == pytest.approx(1, rel=0.1)
        assert jobs.offered_load(model.SYSTEMS["5×20"]) == pytest.approx(0.7, rel=0.1)
        assert (jobs.estimate == 2 * jobs.runtime).all()


@pytest.mark.parametrize("unevenness", list(model.UNEVENNESS))
def test_sites_are_unevenly_busy_and_independent_of_the_jobs(sampled, unevenness):
    case = Case(model.SYSTEMS["4×32"], sampled, co.FCFS(), 1, unevenness=unevenness)
    weights = np.array(model.UNEVENNESS[unevenness])
    assert weights.mean() == pytest.approx(1)
    shares = np.bincount(case.home) / len(sampled)
    np.testing.assert_allclose(shares, weights / 4, atol=0.03)
    for column in (sampled.processors, sampled.runtime):
        assert abs(np.corrcoef(case.home, column)[0, 1]) < 0.05
    assert set(case.home[case.at_quietest_site]) == {3}
    five = model.site_weights(unevenness, 5)
    assert (np.diff(five) < 0).all()
    assert five[-1] == weights[-1]


def test_wide_jobs_are_at_home_where_they_fit(sampled):
    wide = Case(model.SYSTEMS["64+32+2×16"], sampled, co.FCFS(), 1)
    room = np.array(wide.system.sizes)[wide.home]
    assert (sampled.processors <= room).all()


def keep_calls(monkeypatch):
    """Return a list to which every call to simulate in the ways is added."""
    calls = []

    def keep(system, jobs, **how):
        calls.append((jobs, how["placement"]))
        return co.simulate(system, jobs, **how)

    monkeypatch.setattr("studies.what_survives.ways.simulate", keep)
    return calls


def test_ordered_jobs_name_their_clusters_at_random(sampled, monkeypatch):
    calls = keep_calls(monkeypatch)
    case = Case(model.SYSTEMS["4×32"], sampled, co.FCFS(), 1)
    case.in_components("ordered")
    case.in_components("unordered")
    ordered, unordered = (jobs.components for jobs, _ in calls)
    assert (np.sort(ordered, axis=1)[:, -2:] == np.sort(unordered, axis=1)).all()
    one = ordered[(unordered > 0).sum(axis=1) == 1]
    np.testing.assert_allclose((one > 0).mean(axis=0), 0.25, atol=0.06)


@pytest.mark.parametrize("item", [each for each in CONCLUSIONS if each != "WS-6"])
@pytest.mark.parametrize("placement", list(model.PLACEMENTS))
def test_both_ways_have_one_placement_and_fewer_components_than_clusters(
    sampled, item, placement, monkeypatch
):
    calls = keep_calls(monkeypatch)
    rule = model.PLACEMENTS[placement]
    case = Case(model.SYSTEMS["4×32"], sampled[:300], co.EASY(), 1, placement=rule)
    CONCLUSIONS[item].compare(case)
    assert calls
    for jobs, used in calls:
        assert used in (rule, co.SingleThenSpan(single=rule), None)
        if jobs.request == "ordered":
            assert used is None
        if jobs.request in ("ordered", "unordered"):
            assert (jobs.components > 0).sum(axis=1).max() == 2 < len(case.system)
        else:
            assert used is not None


def test_a_conclusion_compares_the_same_jobs(sampled):
    case = Case(model.SYSTEMS["4×32"], sampled[:800], co.EASY(), 1)
    for conclusion in CONCLUSIONS.values():
        found = conclusion.compare(case)
        for pair in found.pairs:
            assert len(pair.one) == len(pair.other) == len(pair.asked) == len(found.jobs)
            assert pair.asked.any()
            assert np.isfinite(pair.one).all(), conclusion.item


def test_spanning_and_whole_are_what_simulate_gives(sampled):
    system, jobs = model.SYSTEMS["4×32"], sampled[:500]
    compared = CONCLUSIONS["WS-3"].compare(Case(system, jobs, co.FCFS(), 1))
    spans = jobs.replace(request="flexible", span_penalty=0.25)
    placed = co.SingleThenSpan(single=co.BestFit())
    assert (compared.first.one == co.simulate(system, spans, placement=placed).response).all()
    whole = co.simulate(system, jobs, placement=co.BestFit()).response
    assert (compared.first.other == whole).all()


# --- metrics and loads ---


def test_metrics_are_those_of_the_schedule(sampled):
    jobs = sampled[:400]
    schedule = co.simulate(model.SYSTEMS["4×32"], jobs, placement=co.BestFit())
    found = {
        metric: model.job_values(metric, schedule.response, jobs, 0.001) for metric in model.METRICS
    }
    assert found[model.RESPONSE].mean() == schedule.response.mean()
    weighted = found[model.AWRT].sum() / (jobs.processors * jobs.runtime).sum()
    assert weighted == pytest.approx(schedule.average_weighted_response_time("work"))
    assert found[model.SLOWDOWN] == pytest.approx(schedule.slowdown(0.001))
    # A penalty lengthens the response and not what it is divided by.
    assert model.job_values(model.SLOWDOWN, 2 * jobs.runtime, jobs, 1e-9) == pytest.approx(2.0)


def test_what_a_comparison_carries_is_the_load_at_the_bound():
    """In an M/M/1 queue the mean response is 1 / (1 - load) mean run times."""

    def compare_at(load):
        jobs = co.JobStream([0.0, 1e6], [1.0, 1.0], [1, 1], request="total")
        answer = np.full(2, 1 / (1 - load) if load < 1 else np.inf)
        return Compared(jobs, Pair(np.ones(2), answer, np.ones(2, bool)))

    assert carried_load(compare_at) == pytest.approx(1 - 1 / BOUND, abs=0.002)


def test_a_comparison_that_carries_no_load_is_refused(sampled):
    never = Compared(sampled, Pair(sampled.runtime, sampled.runtime + np.nan, np.ones(2, bool)))
    tried = []

    def compare_at(load):
        tried.append(load)
        assert len(tried) < 99, "the search does not end"
        return never

    with pytest.raises(co.InputError, match=r"compare_at\(0\.0005\d*\) is still saturated"):
        carried_load(compare_at)


def test_a_way_that_rejects_or_piles_up_carries_nothing(sampled):
    calm = sampled.runtime
    assert drains(calm, sampled)
    assert not drains(np.where(np.arange(len(calm)) == 7, np.nan, calm), sampled)
    assert not drains(calm + np.linspace(0, np.ptp(sampled.submit), len(calm)), sampled)
    everyone = np.ones(len(calm), bool)
    assert worst_response(Compared(sampled, Pair(calm, 3 * calm, everyone))) == pytest.approx(3)
    assert np.isinf(worst_response(Compared(sampled, Pair(calm, calm + np.nan, everyone))))


def test_a_load_is_a_share_of_what_the_worse_way_carries():
    lengths, seed = Lengths(2_000, 2_000), np.random.SeedSequence(1)
    setting = Setting("WS-2", "FCFS")
    loads = [load_of(replace(setting, share=share), lengths, seed) for share in model.SHARES]
    assert np.array(loads) / loads[1] == pytest.approx(np.array(model.SHARES) / 0.8, abs=0.005)
    # Worse estimates change the estimates alone.
    doubled = replace(setting, policy="EASY", estimates="doubled")
    assert load_of(doubled, lengths, seed) == load_of(
        replace(doubled, estimates="exact"), lengths, seed
    )
    case = case_of(setting, loads[1] / 0.8, lengths, seed)
    assert 2 < worst_response(CONCLUSIONS["WS-2"].compare(case)) < 8


def test_a_log_is_not_given_the_load_of_its_stand_in(monkeypatch):
    """A log may be fetched between two runs of one process."""
    lengths, seed = Lengths(500, 1_000), np.random.SeedSequence(1)
    setting = Setting("WS-3", "FCFS", "KTH-SP2")
    for module in (model, runs):
        monkeypatch.setattr(module, "place_of", lambda log: "")
    before = load_of(setting, lengths, seed)
    for module in (model, runs):
        monkeypatch.setattr(module, "place_of", lambda log: "a file")
    other = synthetic_log()
    monkeypatch.setattr(model, "_jobs_of_log", lambda workload, place: other)
    assert load_of(setting, lengths, seed) != before


def synthetic_log():
    """Return jobs of 40 processors that run for an hour each, one every minute."""
    submit = 60.0 * np.arange(1_000)
    return co.JobStream(submit, np.full(1_000, 3600.0), np.full(1_000, 40), request="total")


def test_booking_steps_are_a_twentieth_of_the_mean_run_time():
    for workload in ("exponential", "KTH-SP2"):
        case = case_of(Setting("WS-12", "EASY", workload), 0.5, Lengths(500, 500), 1)
        assert case.booking.step == pytest.approx(0.05 * case.jobs.runtime.mean())
    online = case_of(Setting("WS-1", "online"), 0.5, Lengths(500, 500), 1)
    assert online.scheduling == online.booking


# --- effects ---


def rows(one, other, **more):
    count = len(one)
    row = {"conclusion": "WS-1", "policy": "FCFS", "workload": "exponential", "estimates": "exact"}
    row |= {"share": 0.8, "system": "4×32", "placement": "best fit", "unevenness": "mild"}
    row |= {"metric": "mean response", "load": 0.5, "saturated": "", "scale": "quick"}
    table = pd.DataFrame({"one": one, "other": other, "beside_one": 1.0, "beside_other": 1.0})
    return table.assign(replication=range(count), **row | more)


def test_an_effect_is_the_mean_of_logarithms_or_that_of_all_weeks():
    table = rows([1.0, 2.0, 4.0], [2.0, 4.0, 8.0])
    assert effect_of(table).estimate == pytest.approx(np.log(0.5))
    second = table.assign(beside_one=[3.0] * 3, beside_other=[4.0] * 3)
    assert effect_of(second).estimate == pytest.approx(np.log(0.5 / 0.75))
    generator = np.random.default_rng(1)
    other = generator.uniform(50, 100, 30)
    weeks = rows(0.9 * other, other, workload="KTH-SP2")
    found = effect_of(weeks).in_percent()
    assert found.estimate == pytest.approx(-10)
    assert found.high < -9
    alone = weeks.drop(columns=["beside_one", "beside_other"])  # as if logs alone are run
    assert effect_of(alone).in_percent().estimate == pytest.approx(-10)


@pytest.mark.parametrize(
    ("ways", "verdict"),
    [
        ("other", HOLDS_SATURATED),
        ("one", TURNS_SATURATED),
        ("one other", "no answer"),
        ("beside_one", HOLDS_SATURATED),
        ("beside_other", TURNS_SATURATED),
        ("one beside_one", "no answer"),
        ("one beside_other", TURNS_SATURATED),
    ],
)
def test_if_one_way_is_saturated_the_other_wins(ways, verdict):
    cell = effects(rows([1.0, 2.0], [1.0, 1.0], saturated=ways)).iloc[0]
    assert cell["verdict"] == verdict
    assert np.isfinite(cell["change"]) == (verdict == HOLDS_SATURATED)


def test_matrix_and_ledger_use_the_same_intervals(small_runs):
    cells = effects(small_runs).set_index("conclusion")
    words = {"holds": "holds", "turns": "does not hold", "undecided": "undecided"}
    for row in study.judge(small_runs).rows:
        first = own(CONCLUSIONS[row.item])
        own_cells = cells.loc[[row.item]]
        for name in CONDITION[:-1]:
            own_cells = own_cells[own_cells[name] == getattr(first, name)]
        cell = own_cells[own_cells["metric"] == "mean response"].iloc[0]
        assert row.verdict == words[cell["verdict"].split(",")[0]]
        assert row.reproduced == pytest.approx(cell["change"])


# --- sentences ---


def cells(**shares):
    """Return decided cells: of a policy, `holds` and `turns` with sampled jobs and with logs."""
    made = []
    for key, (holds, turns) in shares.items():
        policy, _, workload = key.partition("__")
        kinds = ["holds"] * holds + ["turns"] * turns
        where = "KTH-SP2" if workload == "log" else "exponential"
        row = {"policy": policy, "workload": where, "metric": "mean response"}
        made += [row | {"verdict": each} for each in kinds]
    return pd.DataFrame(made)


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ({"FCFS": (9, 0), "EASY": (9, 1)}, "survives"),
        ({"FCFS": (0, 9), "EASY": (1, 9)}, "turns"),
        (
            {"FCFS": (6, 0), "FPFS(50)": (0, 6), "EASY": (0, 6)},
            "belongs to queues in which few jobs may overtake: 6 of 6, elsewhere 0 of 12",
        ),
        (
            {"FCFS": (6, 0), "FPFS(5)": (5, 0), "FPFS(50)": (1, 9), "EASY": (0, 19)},
            "belongs to queues in which few jobs may overtake: 11 of 11, elsewhere 1 of 29",
        ),
        (
            {"FCFS": (6, 0), "FPFS(50)": (6, 1), "EASY": (0, 6), "conservative": (1, 6)},
            "belongs to queues without backfilling: 12 of 13, elsewhere 1 of 13",
        ),
        (
            {"FCFS": (6, 0), "FCFS__log": (0, 6), "EASY": (6, 0), "EASY__log": (1, 6)},
            "belongs to sampled jobs: 12 of 12, elsewhere 1 of 13",
        ),
        # 0.8 inside and 6 of 34 outside were once called far apart, beside a better kind.
        ({"FCFS": (4, 4), "EASY": (4, 4)}, "depends"),
        ({"FCFS": (4, 0), "EASY": (0, 4)}, "depends"),  # too few cells on either side
    ],
)
def test_the_sentence_is_that_of_the_cells(shares, sentence):
    assert sentence_of(cells(**shares)) == sentence


def test_cells_in_which_one_way_is_saturated_are_counted_with_the_others():
    table = cells(FCFS=(5, 0), EASY=(0, 1)).assign(conclusion="WS-1")
    table.loc[0, "verdict"] = HOLDS_SATURATED
    more = pd.DataFrame([{"policy": "EASY", "workload": "KTH-SP2", "metric": "AWRT",
                          "verdict": "no answer", "conclusion": "WS-1"}])  # fmt: skip
    row = survival(pd.concat([table, more])).iloc[0]
    assert (row["holds"], row["turns"], row["saturated"], row["no_answer"]) == (5, 1, 1, 1)
    assert row["share"] == pytest.approx(5 / 6)
    assert row["relaxation"]


def test_a_queue_that_grows_is_saturated():
    up = np.linspace(1, 50, 500)
    level, everyone = np.ones(500), np.ones(500, bool)
    jobs = co.JobStream(np.arange(500.0), level, np.ones(500, int), request="total")
    assert saturated([Compared(jobs, Pair(level, level, everyone))] * 3) == ""
    grows = [Compared(jobs, Pair(up + i, level, everyone)) for i in range(3)]
    assert saturated(grows) == "one"
    rejected = np.where(np.arange(500) == 7, np.nan, level)
    assert saturated([Compared(jobs, Pair(level, rejected, everyone))] * 3) == "other"
    row = sums(Compared(jobs, Pair(level, level, everyone)), model.RESPONSE)
    assert row["one"] < 500  # without the warm-up
    assert [row[name] for name in SUMS[2:]] == [1, 1]


# --- settings and what is published of them ---


def test_every_conclusion_is_asked_in_its_own_setting_and_with_each_change():
    asked = list(settings(study.scales["paper"]))
    for conclusion in CONCLUSIONS.values():
        its = [each for each in asked if each.conclusion == conclusion.item]
        assert own(conclusion) in its
        pairs = {(each.policy, each.workload) for each in its}
        assert len(pairs) == len(conclusion.policies) * len(model.WORKLOADS)
        loads = {(each.policy, each.share) for each in its}
        assert len(loads) == len(conclusion.policies) * len(model.SHARES)
        assert {each.system for each in its} == {*model.SYSTEMS}
        assert {each.placement for each in its} == {*conclusion.placements}
        if conclusion.sites:
            assert {each.unevenness for each in its} == {*model.UNEVENNESS}


def test_settings_do_not_depend_on_which_logs_are_here(monkeypatch):
    asked = list(settings(study.scales["paper"]))
    monkeypatch.setattr(model, "can_be_read", lambda log: False)
    assert list(settings(study.scales["paper"])) == asked
    setting = Setting("WS-1", "FCFS", "HPC2N")
    scale = SMALL["what-survives"]
    assert list(runs.measure(setting, scale, np.random.SeedSequence(1))) == []


def test_wrong_settings_are_named():
    with pytest.raises(co.InputError, match=r"^policy = 'FCFS'; choose one of 'EASY'"):
        Setting("WS-13", "FCFS")
    with pytest.raises(co.InputError, match=r"^conclusion = 'WS-99'"):
        Setting("WS-99", "EASY")
    with pytest.raises(co.InputError, match=r"^placement = 'best fit'; choose"):
        Setting("WS-6", "EASY")


def test_the_matrix_says_how_to_run_each_cell_again(small_runs):
    table = make_matrix(small_runs, model.RESPONSE)
    keys = ["conclusion", *CONDITION]
    of_metric = small_runs[small_runs["metric"] == model.RESPONSE]
    assert len(table) == len(of_metric.groupby(keys, sort=False))
    assert list(table["conclusion"].drop_duplicates()) == list(survival(table)["conclusion"])
    names = "load", "clusters", "sizes", "large", "placement", "components", "penalty", "unevenness"
    for name in (*names, "jobs", "runs_or_weeks", "warm_up"):
        assert table[name].notna().all()
    assert (table.loc[table["conclusion"] == "WS-12", "step"] == 0.05).all()
    # A cell that is run again with what the table says gives the number of the table.
    cell = table[(table["conclusion"] == "WS-3") & (table["workload"] == "exponential")].iloc[0]
    scale = SMALL["what-survives"]
    ratios = []
    (of_study,) = spawn(study.seed, 1)
    for seed in spawn(of_study, scale.runs):
        jobs = model.synthetic(
            "exponential", cell["system"], cell["load"], "exact", scale.jobs, seed
        )
        system = co.Multicluster([int(size) for size in cell["clusters"].split()])
        rule = model.PLACEMENTS[cell["placement"]]
        spans = jobs.replace(request="flexible", span_penalty=cell["penalty"])
        how = {"scheduling": model.POLICIES[cell["policy"]]}
        ways = (
            co.simulate(system, spans, placement=co.SingleThenSpan(single=rule), **how),
            co.simulate(system, jobs, placement=rule, **how),
        )
        one, other = (way.response[len(jobs) // 10 :].sum() for way in ways)
        ratios.append(np.log(one / other))
    assert 100 * np.expm1(np.mean(ratios)) == pytest.approx(cell["change"], rel=1e-3)


def test_the_matrix_says_which_logs_are_stand_ins(small_runs):
    letters = "K: KTH-SP2 (synthetic stand-in)"
    missing = small_runs.assign(missing_logs="CTC-SP2 KTH-SP2")
    for table, is_said in ((small_runs, False), (missing, True)):
        assert (letters in summary(table)) == is_said
        figure = study.judge(table).figure("matrix")
        table = figure.data()
        assert (table["stand_in"] == (is_said & (table["workload"] == "KTH-SP2"))).all()
        assert (letters in subtitle_of(figure.plot())) == is_said


def test_a_stand_in_has_the_number_of_jobs_that_are_simulated(small_runs):
    most = study.scales["paper"].log_jobs
    jobs = load_stand_in("KTH-SP2").jobs(request="total")
    usable = (jobs.processors <= 50) & (jobs.runtime > 0)
    counts = {
        estimates: int((usable & (jobs.has_estimate | (estimates != model.REQUESTED))).sum())
        for estimates in model.ESTIMATES
    }
    assert max(counts.values()) < most
    of_log = small_runs[small_runs["workload"] == "KTH-SP2"]
    cells = effects(of_log.assign(missing_logs="KTH-SP2", scale="paper"))
    assert (cells["jobs"] == cells["estimates"].map(counts)).all()
    assert (effects(of_log)["jobs"] == SMALL["what-survives"].log_jobs).all()


def test_the_claims_can_turn(small_runs):
    verdicts = {row.item: row.verdict for row in study.judge(small_runs).rows}
    assert set(verdicts) == set(CONCLUSIONS)
    swapped = small_runs.assign(
        one=small_runs["other"], other=small_runs["one"],
        beside_one=small_runs["beside_other"], beside_other=small_runs["beside_one"],
    )  # fmt: skip
    turned = {row.item: row.verdict for row in study.judge(swapped).rows}
    assert verdicts["WS-10"] == "holds"
    assert turned["WS-10"] == "does not hold"
    assert summary(swapped) != summary(small_runs)


def test_spanning_pays_on_kth_first_come_first_served_and_not_under_easy(real_logs):
    """Two independent programs found gains of a third, and a loss of one in twenty."""
    log = co.read_swf(real_logs / "KTH-SP2-1996-2.1-cln.swf.gz")
    jobs = log.jobs(request="total")
    jobs = jobs[jobs.processors <= 50]
    jobs = jobs.replace(estimate=jobs.runtime)
    changes = {}
    for name in ("FCFS", "FPFS(5)", "EASY"):
        case = Case(co.Multicluster([50, 50]), jobs, model.POLICIES[name])
        pair = CONCLUSIONS["WS-3"].compare(case).first
        changes[name] = pair.one.mean() / pair.other.mean() - 1
    assert -0.40 < changes["FCFS"] < -0.30
    assert -0.40 < changes["FPFS(5)"] < -0.30
    assert 0.03 < changes["EASY"] < 0.07
