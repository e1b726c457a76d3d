"""Settings of the first study: the scenarios that they name, and those that a reader adds."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.analytic import maximal_utilization
from coalloc_lib.basics.checks import InputError
from coalloc_lib.statistics import pick, student
from coalloc_lib.statistics.saturation import heavy_traffic, saturated_loss
from studies.maximal_utilization import (
    Setting,
    by_drawing,
    by_placement,
    by_policy,
    by_request,
    by_service,
    pathological_loss,
    study,
)
from studies.maximal_utilization.model import (
    DAS1,
    DEPENDENT,
    EXACT,
    FIRST,
    FIVE,
    FOUR,
    HEAVY,
    ORDERED,
    POISSON,
    TOTAL,
    UNORDERED,
    WHOLE,
)
from studies.maximal_utilization.runs import (
    LogSetting,
    loss_of,
    measure,
)
from studies.maximal_utilization.runs import by_request as request_settings
from studies.published import PublishedLoss
from tests.studies.small import SMALL

TINY = SMALL[study.name]
SEED = np.random.SeedSequence(study.seed, spawn_key=(0,))


def test_a_setting_is_the_scenario_of_its_words():
    total = Setting("U[1,4]", TOTAL).scenario
    assert (total.system.sizes, total.workload.request) == ((128,), "total")
    whole = Setting("U[1,4]", WHOLE).scenario
    assert (whole.system, whole.workload.request) == (FOUR, "total")
    split = Setting("U[1,4]", drawn=DEPENDENT).scenario.workload
    assert (split.split_at, split.components) == (32, 4)
    assert Setting("U[1,4]", ORDERED).scenario.placement is None
    mine = Setting("U[1,4]", policy=co.FPFS(7), placement=co.BestFit()).scenario
    assert (mine.scheduling, mine.placement) == (co.FPFS(7), co.BestFit())
    eight = Setting("U[1,4]", drawn=DEPENDENT, system=co.Multicluster([16] * 8), components=8)
    assert eight.scenario.system.sizes == (16,) * 8
    assert (eight.scenario.workload.split_at, eight.scenario.workload.components) == (16, 8)
    one = Setting("U[1,4]", TOTAL, system=co.Multicluster([64, 32])).scenario
    assert one.system.sizes == (96,)
    das1 = LogSetting(DAS1, UNORDERED).scenario
    assert das1.workload.split_at == 32


def test_a_system_of_ones_own_is_a_row_of_its_own_and_can_be_asked():
    eight = {"system": co.Multicluster([16] * 8), "components": 8}
    both = [*request_settings(FIVE[0]), *request_settings(FIVE[0], **eight)]
    runs = study.run(settings=both, workers=1)
    rows = study.judge(runs).figure("figure3").data()
    assert [*rows["sizes"].unique()] == [FIVE[0], f"8 of {FIVE[0]} on 8 × 16"]


def test_losses_are_found_by_the_method_of_the_setting():
    jobs = co.parse_sizes(FIVE[0]), 4, "ordered"
    known = loss_of(Setting(FIVE[0], ORDERED, EXACT), TINY, SEED)
    assert float(known.values) == maximal_utilization(FOUR, *jobs).capacity_loss
    heavy = loss_of(Setting(FIVE[0], ORDERED), TINY, SEED)
    assert heavy.interval.contains(float(known.values))
    few = replace(Setting(FIVE[3]), policy="FPFS(5)")
    both = [loss_of(replace(few, method=method), TINY, SEED) for method in (HEAVY, POISSON)]
    assert [len(each.values) for each in both] == [TINY.replications, TINY.bound_replications]
    assert both[1].mean < both[0].mean  # the queue takes long to reach its upper bound
    assert f"{TINY.bound_arrivals:,} arrivals" in both[1].warning


def test_a_log_in_its_order_is_served_once(monkeypatch):
    log = co.JobModel(co.parse_sizes("U[1,100]"), 1, "total").sample(3_000, 1)
    monkeypatch.setattr("studies.maximal_utilization.runs.ctc_jobs", lambda *_, **__: log)
    rows = list(measure(LogSetting("CTC in its order", TOTAL), TINY, SEED))
    system = co.Multicluster([128])
    expected = 1 - heavy_traffic(co.Scenario(system, log), log, batches=10)
    assert [row["capacity_loss"] for row in rows] == expected.tolist()


@pytest.mark.parametrize(
    "wrong",
    [{"sizes": "1 to 7"}, {"request": "any"}, {"method": "guess"}, {"drawn": "twice"},
     {"service": "short"}, {"policy": "LIFO"}, {"placement": "worst"},
     {"placement": FIRST, "request": ORDERED}, {"drawn": DEPENDENT, "request": TOTAL}],
)  # fmt: skip
def test_a_setting_of_unknown_words_or_of_what_no_job_would_notice_is_refused(wrong):
    name = next(iter(wrong))
    with pytest.raises(co.InputError, match=f"^{name} = "):
        Setting(**{"sizes": "U[1,7]"} | wrong)


@pytest.mark.parametrize(
    ("figure", "settings"),
    [
        ("figure6", by_placement),
        pytest.param("figure3", by_request, marks=pytest.mark.long),
        pytest.param("figure4", by_drawing, marks=pytest.mark.long),
        pytest.param("figure5", by_policy, marks=pytest.mark.long),
        pytest.param("service-times", by_service, marks=pytest.mark.long),
    ],
)
def test_sizes_of_a_reader_are_run_and_drawn_beside_the_rest(figure, settings, result, run_small):
    made = copy(study)
    made.scales = {"quick": TINY}
    before = result.figure(figure).data()
    after = study.judge(made.add(result.runs, *settings("U[1,10]"), workers=1)).figure(figure)
    table = after.data()
    assert set(table["sizes"]) - set(before["sizes"]) == {"U[1,10]"}
    assert len(pick(table, sizes=FIVE)) == len(before)
    after.plot().canvas.draw()


def test_a_policy_of_a_reader_is_drawn_beside_the_rest(result):
    made = copy(study)
    made.scales = {"quick": TINY}
    own = Setting(FIVE[3], policy=co.FPFS(20)), Setting(FIVE[0], policy=co.FPFS(20))
    judged = study.judge(made.add(result.runs, *own, workers=1))
    for name in ("figure5", "freedoms"):
        assert str(co.FPFS(20)) in set(judged.figure(name).data()["policy"])
        judged.figure(name).plot().canvas.draw()


def test_a_printed_cell_is_measured_in_batches_of_one_run():
    cell = PublishedLoss(4, 2, 32, "D(0.5) on [1,32]", "ordered", "simulation", 0.111)
    rows = list(measure(cell, TINY, SEED))
    own = np.random.SeedSequence(SEED.entropy, spawn_key=(*SEED.spawn_key, *cell.item.encode()))
    jobs = co.JobModel(co.parse_sizes("D(0.5)[1,32]"), 2, "ordered")
    scenario = co.Scenario(co.Multicluster([32, 32]), jobs)
    expected = saturated_loss(scenario, jobs=TINY.cell_jobs, seed=own)
    assert student([row["capacity_loss"] for row in rows]).estimate == expected.estimate
    assert {row["warning"] for row in rows} == {expected.warning}


def test_the_pathological_example_is_simulated_too():
    """MU-1's formula against the definition: each job runs alone."""
    jobs = co.JobStream(np.zeros(500), np.ones(500), np.tile([8, 1], (500, 1)), request="ordered")
    busy = heavy_traffic(co.Scenario(co.Multicluster([15, 15]), jobs), jobs)
    assert pathological_loss(2, 15) == pytest.approx(1 - busy.mean())
    assert pathological_loss(2, 15) == pytest.approx(1 - 9 / 30)


def test_sizes_that_no_cluster_holds_are_refused_in_a_sentence():
    runs = study.run("quick", settings=[Setting("U[1,7]")], workers=1)
    with pytest.raises(InputError, match=r"^sizes = U\[4,160\] allow a job that never starts"):
        study.add(runs, Setting("U[4,160]"), workers=1)
    with pytest.raises(InputError, match=r"^sizes reach 160 and cluster 0 has 32 processors"):
        study.add(runs, *request_settings("U[4,160]"), workers=1)
