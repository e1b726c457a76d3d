"""The job-sharing study: a row for every claim, and the AWRTs of schedules made by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.chopping import Chopped
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies import job_sharing as study
from coalloc_lib.studies.job_sharing import awrt_lines, figures, parameters, runs, workloads
from coalloc_lib.studies.job_sharing.parameters import (
    DIVIDED,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    ONE,
    OVERHEADS,
    SHARING,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from coalloc_lib.studies.job_sharing.runs import Case
from coalloc_lib.studies.published import load_claims
from coalloc_lib.workloads.catalogue import load_stand_in
from tests.studies.made_up_sharing import TINY, small_works


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(parameters.SCALES, "quick", TINY)
        patch.setattr(study, "workload_sets", small_works)
        patch.setattr(study, "EARLIER", {})
        return study.reproduce("quick", workers=2)


def test_every_claim_has_its_row_and_every_figure_its_verdicts(result):
    assert {row.item for row in result.rows} == set(load_claims(study.NAME))
    assert {row.item for row in result.rows} == {f"JS-{number}" for number in range(1, 9)}
    answered = [item for figure in result.figures for item in figure.claims]
    assert {row.item for row in result.rows} == set(answered)
    for figure in result.figures:
        figure.plot().canvas.draw()
        assert len(figure.data())
        assert figure.words().startswith(figure.title)
        assert [row.item for row in figure.verdicts] == list(figure.claims)


def test_tables_have_the_agreed_columns_and_every_case(result):
    table = result.figure("break_even").data()
    names = ["configuration", "workload", "scheduling", "p", "ci95_low", "ci95_high", "answer"]
    assert list(table.columns[: len(names)]) == names
    assert len(table) == 2 * len(DIVIDED) * len(TINY.policies)
    every = result.figure("awrt").data()
    names = ["configuration", "workload", "scheduling", "mode", "p", "weight", "awrt"]
    assert list(every.columns[: len(names)]) == names
    assert set(every["mode"]) == {LOCAL, SHARING, MULTI_SITE, ONE}
    assert set(every.query("mode == 'single machine'")["configuration"]) == {"m512"}
    assert not every.duplicated(
        ["divided_as", "workload", "scheduling", "mode", "p", "weight"]
    ).any()
    spanning = every.query("mode == 'multi-site'")
    assert len(spanning) == 2 * len(DIVIDED) * len(TINY.policies) * len(OVERHEADS) * len(WEIGHTS)


def test_the_result_is_the_same_on_one_worker_and_on_two(works, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    one, two = (figures.wide_jobs(works).run("quick", workers=n).data() for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def awrt(case, weight="work"):
    """Return the AWRT that the study works with: of the jobs, summed by day."""
    found = runs.run_cases([case], seed=0, workers=1)
    return float(awrt_lines.resampled([case], found, weight, 2).means[0])


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("configuration", ["m128", "m384"])
def test_awrts_are_those_of_schedules_made_by_hand(works, weight, configuration):
    work = works[SYNTHETIC]
    system = co.Multicluster.named(configuration)
    pieces = work.jobs.chopped(system.largest).pieces
    how = {"scheduling": co.EASY()}
    by_hand = {
        SHARING: co.simulate(system, pieces, placement=co.BestFit(), **how),
        MULTI_SITE: co.simulate(
            system, pieces.replace(request="flexible", span_penalty=0.25),
            placement=co.SingleThenSpan(), **how,
        ),
        ONE: co.simulate(co.Multicluster([512]), pieces, **how),
    }  # fmt: skip
    for mode, schedule in by_hand.items():
        case = Case(work, configuration, mode, overhead=0.25 if mode == MULTI_SITE else 0.0)
        expected = schedule.average_weighted_response_time(weight)
        assert awrt(case, weight) == pytest.approx(expected, rel=1e-12)
    assert awrt(Case(work, configuration, SHARING)) < awrt(
        Case(work, configuration, LOCAL, wide=OF_SITE)
    )


def test_the_local_awrt_is_that_of_each_site_by_itself(works):
    work, system = works[SYNTHETIC], co.Multicluster.named("m128")
    top = bottom = 0.0
    for site in range(4):
        pieces = work.jobs[np.arange(site, len(work.jobs), 4)].chopped(128).pieces
        schedule = co.simulate(co.Multicluster([128]), pieces, scheduling=co.EASY())
        top += float(pieces.work @ schedule.response)
        bottom += float(pieces.work.sum())
    case = Case(work, "m128", LOCAL, wide=OF_SITE)
    assert awrt(case) == pytest.approx(top / bottom, rel=1e-12)
    (found,) = runs.run_cases([case], seed=0, workers=1).values()
    weights = case.by_site(work.jobs.work)
    assert found.of_site.sum() / weights.sum() == pytest.approx(top / bottom, rel=1e-12)
    assert (found.of_site[3] / work.jobs.work.sum()).sum() == pytest.approx(
        float(pieces.work @ schedule.response) / work.jobs.work.sum(), rel=1e-12
    )  # of the last site, by itself
    assert found.of_site.shape == weights.shape == (len(system), work.days.max() + 1)
    (shared,) = runs.run_cases([Case(work, "m128", SHARING)], seed=0, workers=1).values()
    assert not len(shared.of_site)


def test_jobs_are_submitted_at_each_site_in_turn_or_by_its_size(works):
    work = works[SYNTHETIC]
    turn, size = (Case(work, "m384", LOCAL, assignment=name) for name in parameters.ASSIGNMENTS)
    assert np.ptp(np.bincount(turn.site)) <= 1
    offered = np.bincount(size.site, weights=work.jobs.work) / size.system.as_array()
    assert offered[0] == pytest.approx(offered[1:].mean(), rel=0.5)


@pytest.mark.parametrize("policy", parameters.POLICIES)
def test_many_sites_without_overhead_are_one_machine_where_no_job_is_held_whole(works, policy):
    """One site of 512, where a job cannot span, is the machine it is held against."""
    work = works[SYNTHETIC]
    alone = [
        Case(work, "m512", mode, policy, wide=UNCHANGED) for mode in (SHARING, MULTI_SITE, ONE)
    ]
    assert len({awrt(case) for case in alone}) == 1
    spread = Case(work, "m128", MULTI_SITE, "FCFS", wide=UNCHANGED)
    assert awrt(spread) == awrt(Case(work, "m128", ONE, "FCFS", wide=UNCHANGED))


def test_modifications_1_and_2_are_one_on_equal_machines(works):
    for configuration, alike in (("m128", True), ("m256", True), ("m384", False)):
        pieces = []
        for wide in (OF_SITE, OF_LARGEST):
            case = Case(works[SYNTHETIC], configuration, LOCAL, wide=wide)
            chopped = runs.modified(case.work.jobs, case.system, case.site, wide)
            assert isinstance(chopped, Chopped)
            pieces.append(chopped.pieces.processors.tolist())
        assert (pieces[0] == pieces[1]) is alike


def test_what_policies_are_told(works):
    jobs = works[SYNTHETIC].jobs
    assert runs._told(jobs, "requested") is jobs
    assert (runs._told(jobs, "exact").estimate == jobs.runtime).all()
    assert (runs._told(jobs, "inflated").estimate == parameters.INFLATED * jobs.runtime).all()


def test_workload_sets_are_of_10_000_jobs(real_logs):
    sets = workloads.workload_sets(3)
    assert list(sets) == ["jobs 1–10,000", "jobs 20,001–30,000", "jobs 40,001–50,000", SYNTHETIC]
    assert {len(work.jobs) for work in sets.values()} == {10_000}
    assert not any(work.is_stand_in for work in sets.values())


def test_a_stand_in_says_so_in_every_figure(monkeypatch, tmp_path):
    monkeypatch.delenv("COALLOC_TRACES", raising=False)
    monkeypatch.setattr("coalloc_lib.workloads.catalogue.cache_folder", lambda: tmp_path)
    sets = workloads.workload_sets(3)
    assert all(work.is_stand_in for work in sets.values())
    assert list(sets) == ["jobs 1–10,000", SYNTHETIC]
    assert {len(work.jobs) for work in sets.values()} == {10_000}
    for name in study._MAKERS:
        assert "synthetic stand-in" in study.figure(name, 3).subtitle


def test_what_a_stand_in_was_is_forgotten_when_the_log_is_there(monkeypatch):
    """A log may be fetched, or its folder named, while Python runs."""
    stand_in = load_stand_in(parameters.LOG)
    found = {"name": parameters.LOG, "found": "not fetched"}
    monkeypatch.setattr(workloads, "listing", lambda: [found])
    monkeypatch.setattr(workloads, "load_trace", lambda *_, **__: stand_in)
    assert workloads.workload_sets(4)[SYNTHETIC].is_stand_in
    monkeypatch.setattr(
        workloads, "load_trace", lambda *_, **__: replace(stand_in, is_stand_in=False)
    )
    assert workloads.workload_sets(4)[SYNTHETIC].is_stand_in
    found["found"] = "/logs/CTC-SP2.swf.gz"
    assert not workloads.workload_sets(4)[SYNTHETIC].is_stand_in


def test_nonsense_is_not_added(works):
    case = Case(works[SYNTHETIC], STANDARD, SHARING)
    for name in study._MAKERS:
        figure = study._MAKERS[name](works)
        for label, scenario in (("mine", case), (["mine"], None), (("a", "b", 1), case.scenario)):
            with pytest.raises(co.InputError, match="no scenarios that one could be added to"):
                figure.add(label, scenario)


@pytest.mark.parametrize(
    "wrong",
    [
        {"configuration": "m129"},
        {"mode": "shared"},
        {"policy": "easy"},
        {"wide": "none"},
        {"estimates": "exac"},
        {"choice": "best"},
        {"assignment": "random"},
    ],
)
def test_a_case_of_unknown_words_is_refused(works, wrong):
    """A mode or an estimate that no one knows must not run as another."""
    (name,) = wrong
    with pytest.raises(co.InputError, match=f"{name} = "):
        Case(**{"work": works[SYNTHETIC], "configuration": "m128", "mode": SHARING} | wrong)
