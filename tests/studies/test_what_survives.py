"""The study of what survives: its cases, what counts as sure, and the sentences."""

from copy import copy

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.studies.what_survives import CONCLUSIONS, Setting, model, runs, study
from coalloc_lib.studies.what_survives.conclusions import UNEVEN, Case, Compared, Pair
from coalloc_lib.studies.what_survives.effects import effect_of, effects, in_percent
from coalloc_lib.studies.what_survives.figures import _sentence, matrix, survival
from coalloc_lib.studies.what_survives.runs import SUMS, doubt, doubt_of_log, own, settings, sums
from tests.studies.small import SMALL


@pytest.fixture(scope="module")
def drawn():
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


def test_sites_are_unequally_busy_and_draw_no_sizes(drawn):
    case = Case(model.SYSTEMS["4×32"], drawn, co.FCFS(), 1)
    shares = np.bincount(case.home) / len(drawn)
    np.testing.assert_allclose(shares, np.array(UNEVEN) / 4, atol=0.03)
    for column in (drawn.processors, drawn.runtime):
        assert abs(np.corrcoef(case.home, column)[0, 1]) < 0.05
    assert set(case.home[case.quiet]) == {3}
    wide = Case(model.SYSTEMS["64+32+2×16"], drawn, co.FCFS(), 1)
    room = np.array(wide.system.sizes)[wide.home]
    assert (drawn.processors <= room).all()


def test_ordered_jobs_name_their_clusters_at_random(drawn, monkeypatch):
    asked = []

    def keep(system, jobs, **how):
        asked.append(jobs)
        return co.simulate(system, jobs, **how)

    monkeypatch.setattr("coalloc_lib.studies.what_survives.conclusions.simulate", keep)
    case = Case(model.SYSTEMS["4×32"], drawn, co.FCFS(), 1)
    case.apart("ordered")
    case.apart("unordered")
    ordered, unordered = (jobs.components for jobs in asked)
    assert (np.sort(ordered, axis=1) == np.sort(unordered, axis=1)).all()
    one = ordered[(unordered > 0).sum(axis=1) == 1]
    np.testing.assert_allclose((one > 0).mean(axis=0), 0.25, atol=0.06)


def test_a_conclusion_compares_the_same_jobs(drawn):
    case = Case(model.SYSTEMS["4×32"], drawn[:800], co.EASY(), 1)
    for conclusion in CONCLUSIONS.values():
        for pair in filter(None, conclusion.compare(case)):
            assert len(pair.one) == len(pair.other) == len(pair.mine) == 800
            assert pair.mine.any()
            assert np.isfinite(pair.one).all(), conclusion.item


def test_spanning_and_whole_are_what_simulate_gives(drawn):
    system, jobs = model.SYSTEMS["4×32"], drawn[:500]
    compared = CONCLUSIONS["WS-3"].compare(Case(system, jobs, co.FCFS(), 1))
    spans = jobs.replace(request="flexible", span_penalty=0.25)
    placed = co.SingleThenSpan(single=co.BestFit())
    assert (compared.first.one == co.simulate(system, spans, placement=placed).response).all()
    assert (
        compared.first.other == co.simulate(system, jobs, placement=co.BestFit()).response
    ).all()


def rows(one, other, **more):
    count = len(one)
    row = {"conclusion": "WS-1", "policy": "FCFS", "workload": "exponential", "estimates": "exact"}
    row |= {"load": 0.7, "system": "4×32", "warning": ""}
    table = pd.DataFrame({"one": one, "other": other, "beside_one": 1.0, "beside_other": 1.0})
    return table.assign(replication=range(count), **row | more)


def test_an_effect_is_the_mean_of_logarithms_or_that_of_all_weeks():
    table = rows([1.0, 2.0, 4.0], [2.0, 4.0, 8.0])
    assert effect_of(table).estimate == pytest.approx(np.log(0.5))
    second = table.assign(beside_one=[3.0] * 3, beside_other=[4.0] * 3)
    assert effect_of(second).estimate == pytest.approx(np.log(0.5 / 0.75))
    draw = np.random.default_rng(1)
    other = draw.uniform(50, 100, 30)
    weeks = rows(0.9 * other, other, workload="KTH-SP2")
    found = in_percent(effect_of(weeks))
    assert found.estimate == pytest.approx(-10)
    assert found.high < -9
    alone = weeks.drop(columns=["beside_one", "beside_other"])  # as where logs alone are run
    assert in_percent(effect_of(alone)).estimate == pytest.approx(-10)
    assert effect_of(rows([1.0], [1.0], warning="full")).warning == "full"


def test_what_is_counted_as_sure_is_rarely_so_by_chance():
    draw = np.random.default_rng(7)
    cells = [rows(np.exp(draw.normal(0, 0.1, 8)), np.ones(8), load=0.001 * i) for i in range(300)]
    strong = [rows(np.exp(draw.normal(-1, 0.1, 8)), np.ones(8), load=1 + i) for i in range(20)]
    found = effects(pd.concat([*cells, *strong]))
    plain = (found["ci95_high"] < 0) | (found["ci95_low"] > 0)
    null = found["load"] < 1
    assert plain[null].sum() > 5  # some would be so by chance
    assert (found["verdict"][null] != "undecided").sum() <= 3
    assert (found["verdict"][~null] == "holds").all()
    assert effects(rows([1.0, 1.1], [1.0, 1.0], warning="x"))["verdict"].tolist() == ["no answer"]


def cells(**shares):
    """Return decided cells: of a policy, `holds` and `turns` with drawn jobs and with logs."""
    made = []
    for key, (holds, turns) in shares.items():
        policy, _, workload = key.partition("__")
        kinds = ["holds"] * holds + ["turns"] * turns
        where = "KTH-SP2" if workload == "log" else "exponential"
        made += [{"policy": policy, "workload": where, "verdict": each} for each in kinds]
    return pd.DataFrame(made)


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ({"FCFS": (9, 0), "EASY": (9, 1)}, "survives"),
        ({"FCFS": (0, 9), "EASY": (1, 9)}, "turns"),
        ({"FCFS": (6, 0), "FPFS(5)": (0, 6), "EASY": (0, 6)}, "belongs to FCFS"),
        (
            {"FCFS": (6, 0), "FPFS(5)": (6, 1), "EASY": (0, 6), "conservative": (1, 6)},
            "belongs to queues without backfilling",
        ),
        ({"FCFS": (6, 0), "FCFS__log": (0, 6), "EASY": (6, 0), "EASY__log": (1, 6)},
         "belongs to drawn jobs"),
        ({"FCFS": (4, 4), "EASY": (4, 4)}, "depends"),
    ],
)  # fmt: skip
def test_the_sentence_is_that_of_the_cells(shares, sentence):
    assert _sentence("WS-1", cells(**shares)) == sentence


def test_what_has_no_answer_says_why():
    up = np.linspace(1, 50, 500)
    level = np.ones(500)
    everyone = np.ones(500, bool)
    assert doubt([Compared(Pair(level, level, everyone))] * 3) == ""
    assert doubt([Compared(Pair(up + i, level, everyone)) for i in range(3)]) == runs.RISING
    refused = np.where(np.arange(500) == 7, np.nan, level)
    assert doubt([Compared(Pair(level, refused, everyone))] * 3) == runs.REFUSED
    jobs = co.JobStream(np.arange(500.0), level, np.ones(500, int), request="total")
    assert doubt_of_log(jobs, [Pair(level, level, everyone)]) == ""
    assert doubt_of_log(jobs, [Pair(level, up, everyone)]) == runs.PILED_UP
    warm = sums(Compared(Pair(level, level, everyone)))
    assert warm["one"] < 500  # without the begin
    assert [warm[name] for name in SUMS[2:]] == [1, 1]


def test_every_conclusion_is_asked_in_its_own_setting_and_with_each_change():
    asked = list(settings(study.scales["paper"]))
    for conclusion in CONCLUSIONS.values():
        mine = [each for each in asked if each.conclusion == conclusion.item]
        assert own(conclusion) in mine
        pairs = {(each.policy, each.workload) for each in mine}
        assert len(pairs) >= len(conclusion.policies) * len(model.SERVICE)
        assert {each.load for each in mine} == {*model.LOADS} | {conclusion.load}
        assert {each.system for each in mine} == {*model.SYSTEMS}


def test_wrong_settings_are_named():
    with pytest.raises(co.InputError, match=r"^policy = 'FCFS'; choose one of 'EASY'"):
        Setting("WS-13", "FCFS")
    with pytest.raises(co.InputError, match=r"^conclusion = 'WS-99'"):
        Setting("WS-99", "EASY")


def test_the_matrix_has_every_cell_and_the_claims_can_turn(small_runs):
    table = matrix(small_runs)
    assert len(table) == len(small_runs.groupby(["conclusion", *runs_columns()], sort=False))
    assert list(table["conclusion"].drop_duplicates()) == list(survival(small_runs)["conclusion"])
    verdicts = {row.item: row.verdict for row in study.judge(small_runs).rows}
    assert set(verdicts) == set(CONCLUSIONS)
    swapped = small_runs.assign(one=small_runs["other"], other=small_runs["one"],
                                beside_one=small_runs["beside_other"],
                                beside_other=small_runs["beside_one"])  # fmt: skip
    turned = {row.item: row.verdict for row in study.judge(swapped).rows}
    assert verdicts["WS-10"] == "holds"
    assert turned["WS-10"] == "does not hold"


def runs_columns():
    return ["policy", "workload", "estimates", "load", "system"]


def test_spanning_pays_on_kth_first_come_first_served_and_not_under_easy(real_logs):
    """Two independent programs found gains of a third, and a loss of one in twenty."""
    log = co.read_swf(real_logs / "KTH-SP2-1996-2.1-cln.swf.gz")
    jobs = log.jobs(request="total")
    jobs = jobs[jobs.processors <= 50]
    jobs = jobs.replace(estimate=jobs.runtime)
    changes = {}
    for name in ("FCFS", "FPFS(5)", "EASY"):
        case = Case(co.Multicluster([50, 50]), jobs, model.POLICIES[name])
        spans, whole, _ = CONCLUSIONS["WS-3"].compare(case).first
        changes[name] = spans.mean() / whole.mean() - 1
    assert -0.40 < changes["FCFS"] < -0.30
    assert -0.40 < changes["FPFS(5)"] < -0.30
    assert 0.03 < changes["EASY"] < 0.07
