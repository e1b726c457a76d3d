"""The study of online and batch scheduling: its runs, what it keeps of them, its figures."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.studies import online_batch as study
from coalloc_lib.studies.online_batch import (
    figures,
    further,
    parameters,
    runs,
    summary,
    traces,
    trees,
)
from coalloc_lib.studies.online_batch.parameters import (
    COMPARED,
    CTC,
    HOUR,
    HPC2N,
    KTH,
    LENGTHS,
    ONLINE,
    POWERS,
    RECORDED,
    SERVERS,
    WAITS,
)
from coalloc_lib.studies.online_batch.runs import Case, standard
from coalloc_lib.studies.published import load_claims
from coalloc_lib.workloads.catalogue import load_stand_in
from tests.studies.small_logs import TINY, WEEKS, small_logs


@pytest.fixture(scope="module")
def made_up():
    return small_logs()


@pytest.fixture(scope="module", params=[False, True], ids=["logs", "stand-ins"])
def result(request):
    """The whole study on small logs; stand-ins know no waits, and HPC2N has none."""
    names = (KTH, CTC) if request.param else (KTH, CTC, HPC2N)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(parameters.SCALES, "quick", TINY)
        patch.setattr(study, "logs", lambda: small_logs(1, request.param, names))
        return study.reproduce("quick", workers=2)


def test_every_claim_has_its_row_and_every_figure_its_verdicts(result):
    items = [row.item for row in result.rows]
    claims = {item for item in items if item.startswith("OB-")}
    assert claims == set(load_claims(study.NAME)) == {f"OB-{number}" for number in range(1, 12)}
    assert len(items) == len(set(items))
    answered = {item for figure in result.figures for item in figure.claims}
    assert claims == answered
    for figure in result.figures:
        figure.plot().canvas.draw()
        assert len(figure.data())
        assert figure.words().startswith(figure.title)
        assert [row.item for row in figure.verdicts] == list(figure.claims)
        if "synthetic" in " ".join(map(str, getattr(figure, "entries", {}))):
            assert figure.name in study.FIGURE_NAMES


def test_what_rests_on_logs_that_are_not_there_cannot_be_tested():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(parameters.SCALES, "quick", TINY)
        patch.setattr(study, "logs", lambda: small_logs(1, True, (KTH, CTC)))
        rows = {row.item: row for row in study.reproduce("quick", workers=2).rows}
    assert rows["OB-2"].verdict == "cannot be tested"
    assert "recorded" not in {row.item.split()[-1] for row in rows.values()}


def test_tables_have_the_agreed_columns_and_every_case(result):
    waits = result.figure("waits").data()
    names = ["log", "servers", "length", "policy", "mean_wait_h", "p95_wait_h", "longest_wait_h"]
    assert list(waits.columns[: len(names) + 2]) == [*names, "mean_attempts", "refused"]
    known = result.figure("waits").entries
    machines = {(log, n) for log, n, *_ in known}
    policies = len({policy for *_, policy in known})
    assert len(waits) == len(machines) * len(LENGTHS) * policies
    assert policies in (len(COMPARED), len(COMPARED) - 1)
    assert (waits["mean_attempts"].notna() == (waits["policy"] == ONLINE)).all()
    assert (waits["refused"].isna() == (waits["policy"] == RECORDED)).all()
    attempts = result.figure("attempts").data()
    names = ["log", "servers", "length", "size_from", "size_to", "mean_attempts"]
    assert list(attempts.columns[: len(names)]) == names
    assert (attempts["size_to"] - attempts["size_from"] == 49).all()
    assert set(attempts["size_from"] % 50) == {1}


def test_the_result_is_the_same_on_one_worker_and_on_two(made_up, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    one, two = (figures.mean_waits(made_up, 2).run("quick", workers=n).data() for n in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_waits_are_those_of_schedules_made_by_hand(made_up):
    log = made_up[KTH]
    system = co.Multicluster([100])
    for policy, scheduling in (
        (ONLINE, co.Online(900, 900, 1344, 28 * 86_400)), ("EASY", co.EASY()),
        ("conservative", co.Conservative()), ("FCFS", co.FCFS()),
    ):  # fmt: skip
        for length in LENGTHS:
            jobs = log.jobs if length == "requested" else log.jobs.replace(estimate=None)
            by_hand = co.simulate(system, jobs, scheduling=scheduling).wait
            assert Case(log, 100, policy, length).waited().wait.tolist() == by_hand.tolist()
    assert standard(log, RECORDED).waited().wait is log.recorded


def test_what_is_refused_stands_beside_the_means(made_up, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    monkeypatch.setitem(parameters.CHANGES, "horizon 1 week", {"max_attempts": 2})
    figure = further.sensitivity({KTH: made_up[KTH]}).run("quick")
    rows = figure.data().set_index(["panel", "row"])
    few = rows.loc["lengths requested", "horizon 1 week"]
    case = standard(made_up[KTH], length="requested", change="horizon 1 week")
    lost = ~case.simulate().served
    work = made_up[KTH].jobs.work
    assert few["refused"] == lost.sum() > 0
    assert few["refused_work"] == pytest.approx(work[lost].sum() / work.sum())
    written = [text.get_text() for axes in figure.plot().axes for text in axes.texts]
    assert any(f"{100 * few['refused_work']:.2g} % refused" in words for words in written)


def test_the_tails_are_of_each_machine_and_of_the_printed_servers_online(made_up, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    figure = figures.waiting_times(made_up).run("quick")
    drawn = figure.drawn()
    assert list(drawn) == ["CTC-SP2, 338", "KTH-SP2, 100"]
    for lines in drawn.values():
        assert list(lines) == [ONLINE, RECORDED, "EASY", "conservative", "FCFS", figures.AS_PRINTED]
    whole = figure.points([("KTH-SP2, 128", ONLINE, 0)])
    assert drawn["KTH-SP2, 100"][figures.AS_PRINTED] == whole


def test_clusters_are_compared_in_the_same_weeks(made_up, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    figure = further.clusters({KTH: made_up[KTH]}).run("quick")
    cases = [figure.entries["KTH-SP2, 4 × 25", way, 0.5] for way in parameters.SPREADS]
    first, spread = (np.nanmean(case.simulate().wait) for case in cases)
    assert figure.against("KTH-SP2, 4 × 25", 0.5).estimate == pytest.approx(spread / first)


def test_a_centre_sees_what_schedules_say(made_up):
    jobs, machine = made_up[KTH].jobs, co.Multicluster([100])
    found = study.book_or_queue(jobs, machine, limits=[6])
    online = co.simulate(machine, jobs, scheduling=co.Online(max_attempts=25, release_early=True))
    row = found.loc["online, released, up to 6 h"]
    ran, wide = online.served, jobs.processors > 50
    assert 0 < row["refused"] == pytest.approx(1 - ran.mean())
    assert row["refused_work"] == pytest.approx(jobs.work[~ran].sum() / jobs.work.sum())
    assert row["wide_refused"] == pytest.approx((~ran)[wide].mean())
    assert row["mean_wait"] == row["told"] == pytest.approx(online.wait[ran].mean() / HOUR)
    assert row["p99_wait"] <= 6
    easy = co.simulate(machine, jobs, scheduling=co.EASY())
    assert row["easy_wait"] == pytest.approx(easy.wait[ran].mean() / HOUR)
    queue = co.simulate(machine, jobs, scheduling=co.Conservative())
    kept = found.loc["conservative"]
    assert kept["told"] - kept["early"] == pytest.approx(kept["mean_wait"])
    assert kept["wide_wait"] == pytest.approx(queue.wait[wide].mean() / HOUR)
    with pytest.raises(co.InputError, match="jobs ="):
        study.book_or_queue("my-log.swf", machine)


def test_reservations_are_those_of_the_stream(made_up):
    log = made_up[CTC]
    few, many = (standard(log, share=share, draw=1).jobs() for share in (0.2, 0.8))
    for jobs, share in ((few, 0.2), (many, 0.8)):
        ahead = jobs.earliest_start - jobs.submit
        assert 0 < ahead.max() <= 3 * HOUR
        assert abs((ahead > 0).mean() - share) < 0.15
    assert (many.earliest_start >= few.earliest_start).all()
    other = standard(log, share=0.2, draw=0).jobs()
    assert (other.earliest_start != few.earliest_start).any()
    seeded = standard(log, share=0.2, draw=1).jobs(seed=5)
    assert (seeded.earliest_start != few.earliest_start).any()


def test_clusters_have_the_servers_and_spread_jobs(made_up):
    case = Case(made_up[KTH], 100, spread="one cluster first", penalty=0.25)
    schedule = case.simulate()
    assert schedule.system.sizes == (25, 25, 25, 25)
    spans = schedule.spans
    wide = case.log.jobs.processors > 25
    assert (spans == wide)[schedule.served & (wide | (case.log.jobs.processors == 1))].all()
    longer = (schedule.end - schedule.start)[spans] / case.log.jobs.runtime[spans]
    assert longer == pytest.approx(1.25)


def test_an_unknown_word_is_refused(made_up):
    for wrong in ({"policy": "SJF"}, {"length": "long"}, {"change": "none"}, {"spread": "wide"}):
        with pytest.raises(co.InputError, match=f"{next(iter(wrong))} ="):
            Case(made_up[KTH], 100, **wrong)


def test_sums_by_hand():
    jobs = co.JobStream([0, 10, 700_000], [3600, 7200, 36_000], [1, 60, 3], request="total")
    wait = np.array([1800.0, 14_400.0, np.nan])
    waited = summary.Waited(jobs, wait, np.array([3, 17, 9]), 1, 0.0, 0.5)
    sums, longer, numbers = summary.summed(waited, np.array([0, 0, 1]))
    assert sums["jobs"].tolist() == [2, 0]
    assert sums["requests"].tolist() == [2, 1]
    assert sums["wait"].tolist() == [4.5, 0]
    assert sums["penalty"].tolist() == [2.5, 0]
    assert sums["attempts"].tolist() == [20, 9]
    assert (sums["within 1"].tolist(), sums["over 1"].tolist()) == ([1, 0], [1, 0])
    assert (sums["wait size 0"].tolist(), sums["wait size 6"].tolist()) == ([0.5, 0], [4, 0])
    assert POWERS[6] < 60 <= POWERS[7]
    assert sums["attempts fifty 0"].tolist() == [3, 9]
    assert sums["attempts fifty 1"].tolist() == [17, 0]
    assert longer[WAITS == 0.25].tolist() == [2]
    assert longer[WAITS == 0.5].tolist() == [1]
    assert (numbers["longest"], numbers["refused"]) == (4.0, 1)
    assert waited.slowdown[:2].tolist() == [1.5, 3.0]


def test_refused_work_and_told_waits_by_hand():
    jobs = co.JobStream([0, 0, 1], [3600, 7200, 3600], [4, 2, 1], request="total")
    online = co.Online(slot=900, step=900, max_attempts=5, horizon=28 * 86_400)
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=online)
    waited = summary.Waited.of(schedule)
    assert (waited.refused, waited.refused_work) == (0, 0)
    assert (waited.told, waited.told_wait, waited.early) == (1, pytest.approx(2 / 3), 0)
    two = replace(online, max_attempts=2)
    few = summary.Waited.of(co.simulate(co.Multicluster([4]), jobs, scheduling=two))
    assert (few.refused, few.refused_work) == (2, pytest.approx(5 / 9))
    assert np.isnan(summary.Waited.recorded(jobs, np.zeros(3)).refused_work)


@pytest.mark.parametrize("name", ["penalty length", "wait size"])
def test_groups_hold_every_job_once(made_up, name):
    (found,) = runs.run_cases([standard(made_up[KTH])], seed=1, workers=1).values()
    whole, kind = name.split()
    parts = [total for key, total in found.sums.items() if key.startswith(name)]
    assert np.sum(parts, axis=0) == pytest.approx(found.sums[whole])
    jobs = [total for key, total in found.sums.items() if key.startswith(f"jobs {kind}")]
    assert np.sum(jobs, axis=0).tolist() == found.sums["jobs"].tolist()
    assert len(found.sums["jobs"]) == WEEKS


def test_means_and_their_ratios_by_hand(made_up):
    log = made_up[KTH]
    pair = (standard(log), standard(log, "FCFS"))
    found = runs.run_cases(pair, seed=1, workers=1)
    hours = [case.simulate().wait.mean() / HOUR for case in pair]
    for case, mean in zip(pair, hours, strict=True):
        each = runs.mean(case, found, "wait", "jobs", 50)
        assert each.estimate == pytest.approx(mean)
        assert each.low < mean < each.high
    ratio = runs.ratio(*pair, found, "wait", "jobs", 50)
    assert ratio.estimate == pytest.approx(hours[0] / hours[1])
    itself = runs.ratio(pair[0], pair[0], found, "wait", "jobs", 50)
    assert (itself.low, itself.high) == (1, 1)
    assert runs.mean(pair[0], found, "wait size 9", "jobs size 9", 50) is None


def test_the_trees_book_what_the_scheduler_books(made_up):
    """The search as it is counted gives the starts of the policy by the same rule."""
    case = standard(made_up[KTH])
    jobs = case.log.of_length["exact"]
    submit = jobs.submit[:40] / 200
    jobs = jobs[np.arange(40)].replace(submit=submit, earliest_start=submit)
    jobs = jobs.reserved_ahead(0.5, 3 * HOUR, seed=4)
    slot, slots, most = 6 * HOUR, 28, 100
    book = trees.SlotTrees([100], slot, slots)
    counted = trees.book_on_trees(trees.requests_of(jobs), book, step=900.0, most=most)
    online = co.Online(slot, 900.0, most, slot * slots, rule="first-found")
    system = co.Multicluster([100])
    schedule = co.simulate(system, jobs, scheduling=online, engine="reference")
    np.testing.assert_array_equal(counted.starts, schedule.start)
    assert counted.attempts == schedule.attempts.sum() > len(jobs)
    assert min(counted.operations.values()) > 0


def test_only_what_comes_after_is_counted():
    asked = [trees.Request(0.0, 0.0, 50.0, 2), trees.Request(1.0, 1.0, 50.0, 3)]
    how = {"step": 10.0, "most": 9}
    whole, part = (
        trees.book_on_trees(asked, trees.SlotTrees([4], 20.0, 8), counted_from=n, **how)
        for n in (0, 1)
    )
    assert (whole.starts, part.starts) == ([0.0, 51.0], [0.0, 51.0])
    assert (whole.attempts, part.attempts) == (7, 6)
    for name in trees.PHASES:
        assert part.operations[name] < whole.operations[name]


def test_a_log_keeps_its_waits_and_a_stand_in_has_none():
    log = load_stand_in(KTH)
    assert not traces.log_of(log).has_waits
    table = log.table.assign(wait=np.arange(len(log)) - 1)
    real = traces.log_of(replace(log, table=table, is_stand_in=False))
    usable = real.recorded
    assert np.isnan(usable[0])  # -1: not known
    assert usable[1:3].tolist() == [0, 1]
    assert real.servers == SERVERS[KTH][0]
    assert "stand-in" in traces.log_of(log).title


def test_logs_that_are_not_here_are_stand_ins(monkeypatch, tmp_path):
    monkeypatch.delenv("COALLOC_TRACES", raising=False)
    monkeypatch.setattr("coalloc_lib.workloads.catalogue.cache_folder", lambda: tmp_path)
    found = traces.logs()
    assert list(found) == [KTH, CTC]
    assert all(log.is_stand_in for log in found.values())
    for name in ("figure4", "figure5", "waits"):
        made = study.figure(name)
        shown = made.subtitle + " ".join(str(label) for label in made.entries)
        assert "synthetic stand-in" in shown


def test_the_logs_are_as_they_were(real_logs):
    found = traces.logs()
    assert [len(log.jobs) for log in found.values()] == [28_467, 77_205, 202_871]
    assert found[KTH].recorded.max() == pytest.approx(272.5 * HOUR, rel=0.002)
    assert not any(log.is_stand_in for log in found.values())
