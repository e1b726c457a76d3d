"""The study of online and batch scheduling: its runs, what it keeps of them, its figures."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.intervals import Interval
from coalloc_lib.studies import core
from coalloc_lib.studies.online_batch import (
    Case,
    book_or_queue,
    figures,
    runs,
    standard,
    study,
)
from coalloc_lib.studies.online_batch.runs import (
    CTC,
    ENDS,
    HOUR,
    HPC2N,
    KTH,
    LENGTHS,
    ONLINE,
    RECORDED,
    REQUESTED,
    SPREADS,
    WAITS,
)
from coalloc_lib.studies.published import load_claims
from coalloc_lib.workloads.catalogue import load_stand_in
from tests.studies.small import SMALL
from tests.studies.small_logs import WEEKS, small_logs

SCALE, REAL_LOGS, MADE_UP = SMALL[study.name], runs.logs, small_logs()


@pytest.fixture(scope="module", autouse=True)
def tiny():
    """A small scale, and small trees."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(study.scales, "quick", SCALE)
        patch.setattr(runs, "GROWTH_AT", {"servers": 8, "slots": 4, "wanted": 4})
        yield


@pytest.fixture(autouse=True)
def _small(request, monkeypatch):
    if "result" not in request.fixturenames:
        monkeypatch.setattr(runs, "logs", MADE_UP)


@pytest.fixture
def kth():
    return runs.logs()[KTH]


@pytest.fixture(scope="module", params=[False, True], ids=["logs", "stand-ins"])
def result(request):
    """The whole study; stand-ins know no waits, and HPC2N has none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "logs", small_logs(request.param, (HPC2N,) if request.param else ()))
        patch.setattr(core, "missing_logs", lambda names: [*names] if request.param else [])
        yield study.reproduce("quick", workers=2)


def test_every_claim_has_its_row_and_a_figure_that_it_reads(result):
    items = [row.item for row in result.rows]
    claims = {item for item in items if item.startswith("OB-")}
    assert claims == set(load_claims(study.name)) == {f"OB-{number}" for number in range(1, 12)}
    assert len(items) == len(set(items))
    assert claims == {item for figure in result.figures for item in figure.claims}
    for figure in result.figures:
        assert len(figure.data())
        assert [row.item for row in figure.verdicts] == list(figure.claims)
        if figure.draw:
            figure.plot().canvas.draw()
    again = study.figure("figure7a").run("quick", workers=1).data()
    pd.testing.assert_frame_equal(again, result.figure("figure7a").data())  # on two workers


def test_what_rests_on_logs_that_are_not_there_is_not_judged_and_says_so(result):
    stand_in = len(result.figure("table1").data()) == 2
    rows = {row.item: row for row in result.rows}
    printed = [row for item, row in rows.items() if not item.startswith("OB-")]
    assert all((row.verdict == "cannot be tested") == stand_in for row in printed)
    if stand_in:
        assert rows["OB-2"].verdict == "cannot be tested"
    assert ("recorded" in {row.item.split()[-1] for row in printed}) != stand_in
    for figure in result.figures:
        texts = figure.data().select_dtypes(exclude="number").astype(str).to_numpy().ravel()
        if figure.name not in ("figure1", "growth"):
            assert ("synthetic stand-in" in " ".join(texts)) == stand_in


def test_tables_have_the_agreed_columns_and_every_case(result):
    waits = result.figure("waits").data()
    names = ["log", "servers", "length", "policy", "mean_wait_h", "p95_wait_h", "longest_wait_h"]
    assert list(waits.columns[: len(names) + 2]) == [*names, "mean_attempts", "refused"]
    kept = 4 + (RECORDED in set(waits["policy"]))
    assert len(waits) == kept * (2 + 1)  # lengths on 100 servers, and exact ones on 128
    assert (waits["mean_attempts"].notna() == (waits["policy"] == ONLINE)).all()
    assert (waits["refused"].isna() == (waits["policy"] == RECORDED)).all()
    attempts = result.figure("attempts").data()
    names = ["log", "servers", "length", "size_from", "size_to", "mean_attempts"]
    assert list(attempts.columns[: len(names)]) == names
    assert (attempts["size_to"] - attempts["size_from"] == 49).all()
    assert set(attempts["size_from"] % 50) == {1}


def test_waits_are_those_of_schedules_made_by_hand(kth):
    policies = {"EASY": co.EASY(), "conservative": co.Conservative(), "FCFS": co.FCFS()}
    for name, scheduling in ({ONLINE: co.Online(900, 900, 1344, 28 * 86_400)} | policies).items():
        for length in LENGTHS:
            jobs = kth.jobs if length == REQUESTED else kth.jobs.replace(estimate=None)
            by_hand = co.simulate(co.Multicluster([100]), jobs, scheduling=scheduling).wait
            assert Case(kth, 100, name, length).simulate().wait.tolist() == by_hand.tolist()


def test_a_reader_adds_a_case_or_is_told_what_to_give(kth):
    figure = study.figure("figure5")
    mine = standard(kth, "mine", scheduling=co.FPFS(7))
    table = figure.add("mine", mine).run("quick", workers=2).data()
    assert set(table[table["line"] == "mine"]["panel"]) == {"KTH-SP2, 100"}
    figure.plot()
    for label, case in (("mine", co.FPFS(7)), (("a", "b"), mine)):
        with pytest.raises(co.InputError, match=r"^add\(.*; give a text and a Case: "):
            figure.add(label, case)
    for wrong in ({"policy": "SJF"}, {"length": "long"}):
        with pytest.raises(co.InputError, match=f"{next(iter(wrong))} ="):
            Case(kth, 100, **wrong)


def test_a_reader_s_machine_has_a_panel_of_its_own(kth):
    figure = study.figure("figure4").add("mine", Case(kth, 128)).add("online", Case(kth, 80))
    shown = {axes.get_title("left") for axes in figure.run("quick", workers=2).plot().axes}
    assert shown >= {"KTH-SP2, 100", "KTH-SP2, 128", "KTH-SP2, 80"}


def test_one_drawing_has_no_interval():
    assert figures.over_draws([2.0], 0.0) == Interval.exact(2.0)
    one, none = figures.over_draws([2.0]), figures.over_draws([])
    assert (one.estimate, one.warning, one.above(1)) == (2.0, "one drawing", None)
    assert none.warning == "nothing to go by"


LOW, HIGH, BOOKED = "ci95_low", "ci95_high", "policy == 'online'"
EASY, OWN, RHO = "policy == 'EASY'", "servers == 100", "line.str.startswith('online')"
SPREAD = "line == 'spread at once'"
#: Changes of a table, as column, rows and value: with all but the last the caption stands.
CHANGES = {
    "figure3": [(HIGH, "at > 0", 1), (LOW, "line == 'recorded'", 3), (HIGH, EASY, 2)],
    "figure4": [("at", "at > 0", 1), ("at", "line == 'recorded'", 3), ("at", BOOKED, 2)],
    "figure4_lengths": [("estimate", "at <= 2", 0.7), ("estimate", "at <= 2", 0.5)],
    "figure5": [(LOW, "at > 1", 3), (HIGH, "at == 1", 2), (LOW, EASY, 1)],
    "attempts": [(LOW, OWN, 9), (HIGH, OWN, 12), (HIGH, "servers == 128", 4), (HIGH, OWN, 1e3)],
    "figure6": [(HIGH, "at == 2", 0.2), (LOW, "line == 'online, ρ = 0.8'", 0.3), (LOW, RHO, 0.1)],
    "figure7a": [(LOW, "at == 0", 1), (HIGH, "at == 0", 1), (LOW, "at == 1", 2),
                 (HIGH, "at == 1", 2.4), (HIGH, "at == 1", 2.6)],
    "policies": [(LOW, EASY, 1), (HIGH, EASY, 2), (LOW, BOOKED, 21), (HIGH, BOOKED, 2.9),
                 (HIGH, BOOKED, 3.1)],
    "certainty": [(HIGH, "policy == 'conservative'", 1.2), (LOW, BOOKED, 11),
                  (HIGH, "policy == 'conservative'", 1.6)],
    "sensitivity": [(LOW, "row == 'step 1 h'", 1.1), (HIGH, "row != 'step 1 h'", 0.9),
                    (HIGH, "row == 'release early'", 1.1)],
    "clusters": [(HIGH, "line == 'one cluster'", 1), (LOW, SPREAD, 3), ("ratio_low", SPREAD, 2),
                 ("ratio_low", SPREAD, 1)],
}  # fmt: skip


@pytest.mark.parametrize("result", [False], ids=["logs"], indirect=True)
@pytest.mark.parametrize("name", CHANGES)
def test_captions_stand_where_the_numbers_show_it_alone(result, name):
    when, table = study.figures[name].when, result.figure(name).data().copy()
    table = table.astype(dict.fromkeys(table.columns.intersection([LOW, HIGH]), float))
    unknown = table.select_dtypes("number").columns.difference(["at", "servers", "size_from"])
    assert not when(table.assign(**dict.fromkeys(unknown, np.nan)))
    assert not when(table.iloc[:0])
    *holds, fails = CHANGES[name]
    for column, rows, value in holds:
        table.loc[table.eval(rows), column] = value
    assert when(table)
    table.loc[table.eval(fails[1]), fails[0]] = fails[2]
    assert not when(table)


def test_what_is_refused_stands_beside_the_means(kth, monkeypatch):
    monkeypatch.setattr(runs, "CHANGES", {"few": co.Online(max_attempts=2)})
    figure = study.figure("sensitivity").run("quick")
    few = figure.data().set_index("panel").loc["lengths requested"]
    schedule = standard(kth, length=REQUESTED, scheduling=co.Online(max_attempts=2)).simulate()
    lost, work = ~schedule.served, kth.jobs.work
    assert few["refused"] == lost.sum() > 0
    assert few["refused_work"] == pytest.approx(work[lost].sum() / work.sum())
    written = [text.get_text() for axes in figure.plot().axes for text in axes.texts]
    assert f"{100 * few['refused_work']:.2g} % refused" in written


def test_clusters_have_the_servers_and_are_compared_in_the_same_weeks(kth):
    table = study.figure("clusters").run("quick").data().set_index(["line", "at"])
    cases = [Case(kth, 100, placement=rule, penalty=0.5) for rule in SPREADS.values()]
    first, spread = (case.simulate() for case in cases)
    ratio = np.nanmean(spread.wait) / np.nanmean(first.wait)
    assert table.loc[("spread at once", 0.5), "ratio"] == pytest.approx(ratio)
    assert first.system.sizes == (25, 25, 25, 25)
    wide = kth.jobs.processors > 25
    assert (first.spans == wide)[first.served & (wide | (kth.jobs.processors == 1))].all()
    longer = (first.end - first.start)[first.spans] / kth.jobs.runtime[first.spans]
    assert longer == pytest.approx(1.5)


def test_a_centre_sees_what_schedules_say(kth):
    jobs, machine = kth.jobs, co.Multicluster([100])
    found = book_or_queue(jobs, machine, limits=[6])
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
    kept = found.loc["conservative"]
    queue = co.simulate(machine, jobs, scheduling=co.Conservative())
    assert kept["told"] - kept["early"] == pytest.approx(kept["mean_wait"])
    assert kept["wide_wait"] == pytest.approx(queue.wait[wide].mean() / HOUR)
    with pytest.raises(co.InputError, match="jobs ="):
        book_or_queue("my-log.swf", machine)


def test_reservations_are_those_of_the_stream(kth):
    few, many = (standard(kth, share=share, draw=1).jobs() for share in (0.2, 0.8))
    for jobs, share in ((few, 0.2), (many, 0.8)):
        ahead = jobs.earliest_start - jobs.submit
        assert 0 < ahead.max() <= 3 * HOUR
        assert abs((ahead > 0).mean() - share) < 0.15
    assert (many.earliest_start >= few.earliest_start).all()
    case = standard(kth, share=0.2, draw=1)
    for other in (replace(case, draw=0).jobs(), case.jobs(seed=5)):
        assert (other.earliest_start != few.earliest_start).any()


def test_sums_by_hand():
    jobs = co.JobStream([0, 10, 700_000], [3600, 7200, 36_000], [1, 60, 3], request="total")
    wait, tried = np.array([1800.0, 14_400.0, np.nan]), np.array([3, 17, 9])
    found = runs.kept(jobs, wait, np.array([0, 0, 1]), 10, tried, refused=1.0)
    by_hand = {
        "jobs": [2, 0], "requests": [2, 1], "wait": [4.5, 0], "penalty": [2.5, 0],
        "slowdown": [4.5, 0], "attempts": [20, 9], "within 1": [1, 0], "over 1": [1, 0],
    }  # fmt: skip
    for name, sums in by_hand.items():
        assert found.sums[name].tolist() == sums
    assert found.sums["wait by size"][[0, 6]].tolist() == [[0.5, 0], [4, 0]]
    assert found.sums["attempts by fifty"][:2].tolist() == [[3, 9], [17, 0]]
    assert found.sums["penalty by length"][[4, 5]].tolist() == [[0.5, 0], [2.0, 0]]
    assert found.longer[np.isin(WAITS, [0.25, 0.5])].tolist() == [1, 0.5]
    assert (found.numbers["longest"], found.numbers["refused"]) == (4.0, 1)


def test_refused_work_and_told_waits_by_hand():
    jobs = co.JobStream([0, 0, 1], [3600, 7200, 3600], [4, 2, 1], request="total")
    online = co.Online(slot=900, step=900, max_attempts=5, horizon=28 * 86_400)
    all_, few = (
        runs.numbers_of(co.simulate(co.Multicluster([4]), jobs, scheduling=policy))
        for policy in (online, replace(online, max_attempts=2))
    )
    assert (all_["refused"], all_["refused_work"]) == (0, 0)
    assert (all_["told"], all_["told_wait"], all_["early"]) == (1, pytest.approx(2 / 3), 0)
    assert (few["refused"], few["refused_work"]) == (2, pytest.approx(5 / 9))


def test_groups_hold_every_job_once_and_means_are_those_of_the_schedule(kth):
    pair = standard(kth), standard(kth, "FCFS")
    found, other = (case.measure(SCALE, np.random.SeedSequence(1)) for case in pair)
    for whole, by in (("penalty", "length"), ("wait", "size")):
        assert len(found.sums[f"jobs by {by}"]) == len(ENDS[by]) - 1
        assert found.sums[f"{whole} by {by}"].sum(axis=0) == pytest.approx(found.sums[whole])
        assert found.sums[f"jobs by {by}"].sum(axis=0).tolist() == found.sums["jobs"].tolist()
    assert len(found.sums["jobs"]) == WEEKS
    hours = [case.simulate().wait.mean() / HOUR for case in pair]
    assert found.mean_wait.estimate == pytest.approx(hours[0])
    assert found.mean_wait.low < hours[0] < found.mean_wait.high
    assert found.over(other, "wait").estimate == pytest.approx(hours[0] / hours[1])
    itself = found.over(found, "wait")
    assert (itself.low, itself.high) == (1, 1)
    assert found.over(other, "wait by size", "jobs by size", 9) is None


def test_the_trees_book_what_the_scheduler_books(kth):
    """The search as it is counted gives the starts of the policy by the same rule."""
    jobs = standard(kth).jobs(some=slice(20))
    jobs = jobs.replace(submit=jobs.submit / 100).reserved_ahead(0.5, 3 * HOUR, seed=4)
    slot, slots, most = 12 * HOUR, 10, 100
    columns = jobs.submit, jobs.earliest_start, jobs.runtime, jobs.processors
    book = runs.SlotTrees([100], slot, slots)
    starts, attempts, done = runs.book_on_trees(runs.requests_of(*columns), book, most=most)
    online = co.Online(slot, 900.0, most, slot * slots, rule="first-found")
    system = co.Multicluster([100])
    schedule = co.simulate(system, jobs, scheduling=online, engine="reference")
    np.testing.assert_array_equal(starts, schedule.start)
    assert attempts == schedule.attempts.sum() > len(jobs)
    assert min(done.values()) > 0


def test_only_what_comes_after_is_counted():
    asked = runs.requests_of(*map(np.array, ([0.0, 1.0], [0.0, 1.0], [50.0, 50.0], [2, 3])))
    whole, part = (
        runs.book_on_trees(asked, runs.SlotTrees([4], 20.0, 8), most=9, step=10.0, counted_from=n)
        for n in (0, 1)
    )
    assert whole[0] == part[0] == [0.0, 51.0]
    assert (whole[1], part[1]) == (7, 6)
    assert all(part[2][name] < whole[2][name] for name in runs.PHASES)


def test_a_log_keeps_its_waits_and_a_stand_in_has_none():
    log = load_stand_in(KTH)
    assert not runs.log_of(log).has_waits
    table = log.table.assign(wait=np.arange(len(log)) - 1)
    real = runs.log_of(replace(log, table=table, is_stand_in=False))
    assert np.isnan(real.recorded[0])  # -1: not known
    assert real.recorded[1:3].tolist() == [0, 1]
    assert real.servers == runs.SERVERS[KTH][0]
    assert "stand-in" in runs.log_of(log).title


def test_logs_that_are_not_here_are_stand_ins(monkeypatch, tmp_path):

    monkeypatch.delenv("COALLOC_TRACES", raising=False)
    monkeypatch.setattr("coalloc_lib.workloads.catalogue.cache_folder", lambda: tmp_path)
    found = REAL_LOGS()
    assert list(found) == [KTH, CTC]
    assert all(log.is_stand_in for log in found.values())


def test_the_logs_are_as_they_were(real_logs):
    found = REAL_LOGS()
    assert [len(log.jobs) for log in found.values()] == [28_467, 77_205, 202_871]
    assert found[KTH].recorded.max() == pytest.approx(272.5 * HOUR, rel=0.002)
    assert not any(log.is_stand_in for log in found.values())
