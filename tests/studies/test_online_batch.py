"""The study of online and batch scheduling: its runs, what it keeps of them, its figures."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.statistics import DAY, Interval, NotRunError, pick
from studies.online_batch import (
    Setting,
    lesson,
    model,
    runs,
    schedules,
    simulate,
    study,
    trees,
    waiting_limits,
)
from studies.online_batch.further import draw_beside
from studies.online_batch.lesson import check, who_books
from studies.online_batch.model import (
    ALL,
    BOOKERS,
    CTC,
    HOUR,
    KTH,
    LEAST,
    LENGTHS,
    ONLINE,
    PHASES,
    QUEUERS,
    RAN,
    REQUESTED,
    USED,
    WAITS_AT,
    Log,
)
from studies.online_batch.runs import measure
from studies.online_batch.schedules import jobs_of
from studies.online_batch.settings import (
    ALL_JOBS,
    BUSY,
    BY_LENGTH,
    BY_SERVERS,
    BY_WAIT,
    WHOLE,
    BesideQueue,
    LogItself,
    OnTrees,
    Overload,
    as_read,
    readings,
)
from studies.online_batch.waiting_limits import book_or_queue
from studies.weeks import weekly_sums
from tests.studies.small import SMALL
from tests.studies.small_logs import small_logs

SCALE = SMALL[study.name]
SEED = np.random.SeedSequence(1, spawn_key=(0,))
LOGS = (KTH, CTC, model.HPC2N)


@pytest.fixture
def kth():
    return model.logs()[KTH]


def test_what_rests_on_logs_that_are_not_there_is_not_judged_and_says_so(result, monkeypatch):
    """Stand-ins know no waits, and HPC2N has none."""

    def check(result, stand_in):
        rows = {row.item: row for row in result.rows}
        printed = [row for item, row in rows.items() if not item.startswith("OB-")]
        # No small log has a job of more than 350 servers, and none of KTH has more than 100.
        wide = ("CTC-SP2 attempts (350:400]", "KTH-SP2 attempts (100:150]")
        printed = [row for row in printed if row.item not in wide]
        assert {row.verdict == "cannot be tested" for row in printed} == {stand_in}
        assert rows["OB-16"].verdict == "cannot be tested" or not stand_in
        assert ("recorded" in {row.item.split()[-1] for row in printed}) != stand_in
        assert len(result.figure("table1").data()) == 3 - stand_in + len(model.CUTS)
        for figure in result.figures:
            texts = figure.data().select_dtypes(exclude="number").astype(str).to_numpy().ravel()
            if figure.name not in ("figure1", "growth"):
                assert ("synthetic stand-in" in " ".join(texts)) == stand_in
            if figure.draw and stand_in:
                figure.plot()

    check(result, False)
    monkeypatch.setattr(model, "logs", small_logs(True, ("HPC2N",)))
    monkeypatch.setattr("studies.study.missing_logs", list)
    on_stand_ins = study.reproduce("quick", seed=1, workers=1)
    check(on_stand_ins, True)
    with pytest.raises(NotRunError, match="KTH-SP2, CTC-SP2 is missing"):
        on_stand_ins.joint_reading()


def rows_of(setting):
    """Return what is measured of a setting as a table."""
    return pd.DataFrame(measure(setting, SCALE, SEED))


def test_waits_are_those_of_schedules_made_by_hand(kth):
    policies = {"EASY": co.EASY(), "conservative": co.Conservative(), "FCFS": co.FCFS()}
    for name, scheduling in ({ONLINE: co.Online(900, 900, 1344, 28 * DAY)} | policies).items():
        for length in LENGTHS:
            jobs = kth.jobs if length == REQUESTED else kth.jobs.replace(estimate=None)
            by_hand = co.simulate(co.Multicluster([100]), jobs, scheduling=scheduling).wait
            setting = Setting(KTH, 100, name, length)
            assert simulate(setting, kth).wait.tolist() == by_hand.tolist()


def test_guesses_are_answered_where_an_interval_lies_within_one_option(result):
    options = {"few": (0, 3), "more": (3, 9)}
    ends = {(4, 6): "more", (1, 3): "few", (2, 4): None, (8, 10): None}
    for (low, high), answer in ends.items():
        assert lesson._among(Interval(low, low, high, 9), options) == answer
    # The small logs may leave it open, and do not say the opposite.
    assert lesson.told_requests(result) != "about as long"
    assert lesson.reserving_ahead(result) in (None, *lesson.AHEAD)
    assert lesson.small_jobs(result) in (None, "about the same")
    assert lesson.twice_the_slots(result) in (None, "nearly double")


def test_the_guesses_on_busy_servers_and_on_promises_are_answered_by_the_stored_runs():
    stored = study.archived()
    result = study.judge(stored)
    assert lesson.kept_busy(result) == "fewer servers busy than EASY, and more than FCFS"
    assert lesson.longer_than_easy(result) == "10 to 80 % longer"
    swapped = stored.assign(policy=stored["policy"].replace({LEAST: "FCFS", "FCFS": LEAST}))
    exchanged = lesson.kept_busy(SimpleNamespace(runs=swapped))
    assert exchanged == "fewer servers busy than EASY and than FCFS"


@pytest.mark.parametrize(
    "wrong",
    [{"policy": "SJF"}, {"length": "long"}, {"log": "mine"}, {"kept": "x"}],
)
def test_a_setting_of_unknown_words_or_of_what_no_job_would_notice_is_refused(wrong):
    with pytest.raises(co.InputError, match=f"{next(iter(wrong))} ="):
        Setting(**{"log": KTH, "servers": 100} | wrong)


def test_booking_beside_a_queue_is_held_against_the_same_jobs(kth):
    rows = rows_of(BesideQueue(KTH, REQUESTED, 0.5))
    half = Setting(KTH, 100, "conservative", REQUESTED, share=0.5)
    ahead = jobs_of(half, kth, SEED)
    both = [
        co.simulate(co.Multicluster([100]), its, scheduling=co.Conservative())
        for its in (ahead, kth.jobs)
    ]
    books = ahead.earliest_start > ahead.submit
    for part, mine in ((QUEUERS, ~books), (BOOKERS, books)):
        for some_book, its in zip((True, False), both, strict=True):
            late = (its.start - its.jobs.earliest_start)[mine].mean() / HOUR
            sums = weekly_sums(pick(rows, part=part, some_book=some_book), "delay_h", "jobs")
            assert sums.mean == pytest.approx(late, rel=1e-5)


def test_a_reader_adds_a_policy_and_sees_it_in_the_figures(result):
    mine = Setting(KTH, 100, co.FPFS(7))
    runs_ = study.add(result.runs, mine, workers=1)
    after = study.judge(runs_)
    for name in ("figure3", "figure4", "figure5", "waits"):
        before, table = result.figure(name).data(), after.figure(name).data()
        added = table[table["policy"] == str(co.FPFS(7))]
        assert len(added) > 0
        assert len(table) == len(before) + len(added)
        assert after.figure(name).plot().axes
    alone = simulate(mine, model.logs()[KTH]).wait.mean() / HOUR
    table = after.figure("waits").data().set_index("policy")
    assert table["mean_wait_h"][str(co.FPFS(7))] == pytest.approx(alone)


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
    told = book_or_queue(jobs, machine, [6], overestimate=0).loc["EASY"]
    exact = co.simulate(machine, jobs.replace(estimate=None), scheduling=co.EASY())
    assert told["mean_wait"] == pytest.approx(exact.wait.mean() / HOUR)
    with pytest.raises(co.InputError, match="jobs ="):
        book_or_queue("my-log.swf", machine)


def test_the_picture_of_limits_keeps_its_axes_and_shows_the_last_one_dashed(monkeypatch, kth):
    drawn = []
    monkeypatch.setattr(waiting_limits.plots, "Picture", lambda figure, **_: drawn.append(figure))
    machine = co.Multicluster([100])
    tables = {
        f"before: overestimate {at:g}": book_or_queue(kth.jobs, machine, waiting_limits.LIMITS, at)
        for at in (2, 0)
    }
    now = book_or_queue(kth.jobs, machine, waiting_limits.LIMITS, 1)
    waiting_limits.limits_picture(now)
    waiting_limits.limits_picture(now, "", tables)
    alone, beside = (figure.axes[0] for figure in drawn)
    (dashed,) = (line for line in beside.lines if line.get_linestyle() == "--")
    assert dashed.get_label() == "before: overestimate 0"
    rows = tables["before: overestimate 0"].filter(like="online, released", axis="index")
    assert sorted(dashed.get_ydata()) == pytest.approx(sorted(rows["mean_wait"]))
    low, high = beside.get_ylim()
    for table in tables.values():
        booked = table.filter(like="online, released", axis="index")
        assert low < booked["mean_wait"].min()
        assert booked["mean_wait"].max() < high
    assert all(line.get_linestyle() != "--" for line in alone.lines)


def test_sums_by_hand():
    """Two jobs of the first week, and one of the second, which is refused; 5 min are booked."""
    jobs = co.JobStream([0, 10, 700_000], [60, 7200, 36_000], [1, 60, 3], request="total")
    values = schedules.per_job(jobs, np.array([1800.0, 14_400.0, np.nan]))
    values["attempts"] = np.array([3.0, 17.0, 9.0])
    setting = as_read(KTH)
    found = pd.DataFrame(schedules.rows_of_weeks(setting, jobs, values))
    by_hand = {"jobs": [2, 0], "wait_h": [4.5, 0], "within_1h": [1, 0], "within_2h": [1, 0]}
    of_all = pick(found, grouping=ALL_JOBS)
    assert {name: of_all[name].tolist() for name in by_hand} == by_hand

    def sums(grouping, up_to, name):
        return pick(found, grouping=grouping, up_to=up_to)[name].tolist()

    assert [sums(BY_SERVERS, up_to, "wait_h") for up_to in (1, 64)] == [[0.5, 0], [4, 0]]
    assert [sums(BY_LENGTH, up_to, "wait_over_length") for up_to in (1 / 12, 2)] == [[6, 0], [2, 0]]
    assert [sums(BY_LENGTH, up_to, "attempts") for up_to in (1 / 12, 2, 10)] == [
        [3, 0],
        [17, 0],
        [9],
    ]
    means = {"wait_h": 2.25, "wait_over_length": 4.0, "attempts": 29 / 3}
    assert schedules.means_of(values) == {f"mean_{name}": mean for name, mean in means.items()}
    waits = pd.DataFrame(schedules.rows_of_waits(np.array([0.5, 4.0]))).set_index("above")
    assert waits.loc[[0.25, 0.5, 4.0], "share_longer"].tolist() == [1, 0.5, 0]
    jobs = co.JobStream([0, 1, 2], [10] * 3, [50, 51, 100], request="total")
    fifties = pd.DataFrame(schedules.rows_of_fifties(setting, jobs, values))
    assert fifties.set_index("up_to")["mean_attempts"].to_dict() == {50: 3, 100: 13}


def test_groups_hold_every_job_once_and_means_are_those_of_the_schedule(kth):
    found = rows_of(as_read(KTH))
    of_all = pick(found, grouping=ALL_JOBS).set_index("replication")
    for grouping, name in ((BY_LENGTH, "jobs"), (BY_SERVERS, "jobs"), (BY_SERVERS, "wait_h")):
        added = pick(found, grouping=grouping).groupby("replication")[name].sum()
        assert added.reindex(of_all.index, fill_value=0).tolist() == pytest.approx(
            of_all[name].tolist(), rel=1e-4
        )
    schedule = simulate(as_read(KTH), kth)
    mean = weekly_sums(pick(found, grouping=ALL_JOBS), "wait_h", "jobs").mean
    assert mean == pytest.approx(schedule.wait.mean() / HOUR, rel=1e-5)
    whole = pick(found, grouping=WHOLE).iloc[0]
    assert whole["longest_wait_h"] == pytest.approx(schedule.wait.max() / HOUR, rel=1e-5)
    assert whole["mean_attempts"] == pytest.approx(schedule.attempts.mean(), rel=1e-5)
    small = pick(found, grouping=BY_LENGTH)
    small = small[small["up_to"] <= 1]
    mine = schedule.jobs.runtime <= HOUR
    assert small["attempts"].sum() == pytest.approx(schedule.attempts[mine].sum())
    penalty = (schedule.wait / np.maximum(schedule.jobs.runtime, 300))[mine].sum()
    assert small["wait_over_length"].sum() == pytest.approx(penalty, rel=1e-4)
    longer = pick(found, grouping=BY_WAIT).set_index("above")["share_longer"]
    assert longer[1.0] == pytest.approx((schedule.wait > HOUR).mean(), rel=1e-4)
    longest = max(schedule.wait.max() / HOUR, 14)
    assert [*longer.index] == WAITS_AT[longest >= WAITS_AT].tolist()
    used = schedules.used_share(schedule.jobs, schedule.start, schedule.end, 100)
    assert whole["utilization"] == pytest.approx(used, rel=1e-5)


def test_what_a_cut_leaves_is_scheduled_and_its_record_read():
    log = model.logs()[CTC]
    left = log.jobs.runtime >= 720
    assert 0 < left.sum() < len(log.jobs)
    cut = log.keeping(RAN)
    assert cut.jobs.submit.tolist() == log.jobs.submit[left].tolist()
    assert cut.recorded.tolist() == log.recorded[left].tolist()
    assert log.keeping(ALL) is log
    by_use = Log(CTC, log.jobs, log.recorded, used=np.where(log.jobs.processors > 2, 600.0, -1.0))
    assert (by_use.keeping(USED).jobs.processors > 2).all()
    found = rows_of(Setting(CTC, 512, LEAST, kept=RAN))
    alone = co.simulate(
        co.Multicluster([512]),
        cut.jobs.replace(estimate=None),
        scheduling=co.Online(min_length=300),
    )
    whole = pick(found, grouping=WHOLE).iloc[0]
    assert whole["longest_wait_h"] == pytest.approx(alone.wait.max() / HOUR, rel=1e-5)
    of_log = pick(rows_of(LogItself(CTC, RAN)), grouping=WHOLE).iloc[0]
    assert of_log["job_count"] == left.sum()
    assert of_log["asks_for_short"] == pytest.approx(
        (cut.jobs.estimate < 2 * HOUR).mean(), rel=1e-5
    )
    assert of_log["longest_wait_h"] == pytest.approx(cut.recorded.max() / HOUR, rel=1e-5)


def test_what_is_stored_is_what_is_read():
    """Of jobs that reserve, of readings and of no machine of the paper's, no week is kept."""
    weeks = {"plain": Setting(KTH, 100), "read": as_read(KTH)}
    none = {
        "ahead": Setting(KTH, 100, LEAST, share=0.5),
        "read otherwise": Setting(KTH, 128, "online, least 10 min"),
    }
    for setting in weeks.values():
        assert rows_of(setting)["replication"].notna().any()
    for setting in none.values():
        found = rows_of(setting)
        assert found["replication"].isna().all()
        assert {WHOLE} <= set(found["grouping"])
    numbers = rows_of(as_read(KTH))["wait_h"].dropna()
    assert (numbers == [float(f"{x:.6g}") for x in numbers]).all()
    # A group has rows of the weeks in which it has jobs, and of the last one.
    widest = pick(rows_of(as_read(KTH)), grouping=BY_SERVERS, up_to=128)
    assert (widest["jobs"] > 0)[:-1].all()


def test_a_record_is_read_and_of_a_stand_in_there_is_none(kth, monkeypatch):
    found = rows_of(Setting(KTH, 100, "recorded"))
    mean = weekly_sums(pick(found, grouping=ALL_JOBS), "wait_h", "jobs").mean
    assert mean == pytest.approx(kth.recorded.mean() / HOUR, rel=1e-5)
    monkeypatch.setattr(model, "logs", small_logs(True, ("HPC2N",)))
    assert rows_of(Setting(KTH, 100, "recorded")).empty
    assert rows_of(Setting("HPC2N", 240)).empty


@pytest.mark.parametrize(("policy", "least"), [(LEAST, 300), ("online, least 15 min", 900)])
def test_a_reading_has_a_least_length(kth, policy, least):
    jobs = jobs_of(Setting(KTH, 128), kth, SEED)
    found = simulate(Setting(KTH, 128, policy), kth)
    booked = co.simulate(co.Multicluster([128]), jobs, scheduling=co.Online(min_length=least))
    assert found.start.tolist() == booked.start.tolist()


def test_every_joint_reading_is_run():
    """Each least length is tried with each number of servers and each choice of jobs."""
    for log, servers, kept in ((KTH, {100, 128}, {ALL}), (CTC, {338, 430, 512}, {ALL, RAN, USED})):
        tried = {(s.servers, s.kept, s.policy) for s in readings(log)}
        assert tried == set(product(servers, kept, (*model.BOOKED_AS, "recorded")))


def test_used_hours_add_up_to_the_work_that_ran(kth):
    """Two weeks by hand: a job of the first week ends in the second."""
    week = 7 * 24.0
    jobs = co.JobStream(
        np.array([0, week - 10, 2 * week]) * HOUR, [HOUR, 20 * HOUR, HOUR], [2, 3, 1],
        request="total",
    )  # fmt: skip
    schedule = co.simulate(co.Multicluster([4]), jobs, scheduling=co.EASY())
    assert runs.hours_used_by_week(schedule).tolist() == [2 + 30, 30]
    short = co.simulate(co.Multicluster([4]), jobs[np.array([0])], scheduling=co.EASY())
    with pytest.raises(co.InputError, match="0 weeks apart; give jobs"):
        runs.hours_used_by_week(short)
    found = rows_of(Overload(KTH, 100, "EASY"))
    faster = kth.jobs.replace(estimate=None).with_load(co.Multicluster([100]), 1.1)
    easy = co.simulate(co.Multicluster([100]), faster, scheduling=co.EASY())
    weeks = len(pick(found, grouping=BUSY))
    until = faster.submit.min() + weeks * 7 * DAY
    ran = np.clip(until - easy.start, 0, faster.runtime) @ faster.processors
    assert pick(found, grouping=BUSY)["used_h"].sum() * HOUR == pytest.approx(ran, rel=1e-4)
    assert pick(found, grouping=BUSY)["server_h"].tolist() == [100 * week] * weeks


def test_trees_are_counted_where_they_hold_what_was_booked_before(kth):
    """Later jobs find a machine as busy as the schedule has it: as many attempts, or nearly."""
    (done,) = measure(OnTrees(KTH, 100, 0.0), SCALE, SEED)
    attempts = simulate(Setting(KTH, 100, LEAST), kth).attempts
    means = np.convolve(attempts, np.full(SCALE.tree_jobs, 1 / SCALE.tree_jobs), "valid")
    assert np.isclose(means, done["attempts_a_request"], rtol=1e-5).any()
    assert abs(done["attempts_a_request"] - attempts.mean()) == pytest.approx(
        np.abs(means - attempts.mean()).min(), rel=1e-3
    )
    assert done["update"] > done["phase 2"] > 0


def test_the_trees_book_what_the_scheduler_books(kth):
    """The search as it is counted gives the starts of the policy by the same rule."""
    jobs = jobs_of(Setting(KTH, 100), kth, SEED)[:20]
    jobs = jobs.replace(submit=(jobs.submit - jobs.submit[0]) / 100, earliest_start=None)
    jobs = jobs.reserved_ahead(0.5, 3 * HOUR, seed=4)
    slot, slots, most = 12 * HOUR, 10, 100
    columns = jobs.submit, jobs.earliest_start, jobs.runtime, jobs.processors
    book = trees.SlotTrees([100], slot, slots)
    starts, attempts, done = trees.book_on_trees(columns, book, most=most)
    online = co.Online(slot, 900.0, most, slot * slots, rule="first-found")
    system = co.Multicluster([100])
    schedule = co.simulate(system, jobs, scheduling=online, engine="reference")
    np.testing.assert_array_equal(starts, schedule.start)
    assert attempts == schedule.attempts.sum() > len(jobs)
    assert min(done[phase] for phase in PHASES[:3]) > 0


def test_a_rule_of_who_books_is_held_against_the_same_jobs_where_nobody_does(kth):
    jobs, machine = kth.jobs, co.Multicluster([100])
    wide = jobs.processors > 33
    row = who_books(jobs, machine, {"wide": lambda jobs: jobs.processors > 33}).loc["wide"]
    ahead = jobs.reserved_ahead(1.0, 3 * HOUR, 5).earliest_start
    asked = jobs.replace(earliest_start=np.where(wide, ahead, jobs.submit))
    booked, queued = (
        co.simulate(machine, each, scheduling=co.Conservative()).delay for each in (asked, jobs)
    )
    groups = {"all jobs": slice(None), "those that book": wide, "those that queue": ~wide}
    for group, mine in groups.items():
        ratio = booked[mine].mean() / queued[mine].mean()
        assert float(row[group].split()[0]) == pytest.approx(ratio, abs=0.006)
    assert row["share of jobs"] == f"{wide.mean():.0%}"
    for books in (lambda jobs: jobs.processors, lambda jobs: jobs.processors > 0):
        with pytest.raises(co.InputError, match=r"rules\['mine'\] must choose some of the jobs"):
            who_books(jobs, machine, {"mine": books})
    for unknown in ("runtime", "work"):
        with pytest.raises(co.InputError, match=f"{unknown} is not known when a job is submitted"):
            who_books(jobs, machine, {"mine": lambda jobs, what=unknown: getattr(jobs, what) > 9})


def test_the_cut_that_leaves_the_printed_wait_is_looked_for_in_the_log(kth, monkeypatch):
    """Of five jobs those of up to 400 s waited longest, and one of 900 s for 674 hours."""
    jobs = co.JobStream(range(5), [60, 380, 400, 900, 9000], [1] * 5, request="total")
    waits = HOUR * np.array([2000.0, 1400.0, 700.0, 673.64, 5.0])
    monkeypatch.setattr(model, "logs", lambda names=LOGS: {CTC: Log(CTC, jobs, waits)})
    assert "Right" in lesson.check(6, 7).data
    hints = [lesson.check(6, answer).data for answer in (6, 8, 420, 15)]
    assert all("Not yet" in hint for hint in hints)
    assert len(set(hints)) == 4
    without = Log(CTC, jobs, np.full(5, np.nan), True)
    monkeypatch.setattr(model, "logs", lambda names=LOGS: {CTC: without})
    assert "real log" in lesson.check(6, 7).data


def test_exact_and_requested_lengths_beside_booking_are_told_apart_by_dashes_only():
    rows = product([("exact", 1.1), ("requested", 90.0)], ["queue", "book"], [0.2, 0.8])
    rows = [(*length, part, at) for length, part, at in rows]
    table = pd.DataFrame(rows, columns=["length", "ratio", "line", "at"]).assign(panel="CTC")
    (axes,) = draw_beside(table).axes
    drawn = [(line.get_linestyle(), *line.get_ydata()[:1], line.get_color()) for line in axes.lines]
    dashed = {colour for style, at, colour in drawn if (style, at) == ("--", 1.1)}
    whole = {colour for style, at, colour in drawn if (style, at) == ("-", 90.0)}
    assert len(dashed) == 2
    assert dashed == whole


@pytest.mark.parametrize(("servers", "length"), lesson.REQUESTS)
def test_a_request_starts_when_the_calendar_of_stop_1_says(servers, length):
    calendar = co.widgets.reservation_calendar(seed=lesson.CALENDAR)
    words = calendar.submit(calendar.now, length, servers)
    assert f"is booked from {lesson.start_in_calendar(servers, length):g} to" in words


def test_exercise_4_does_not_take_one_attempt_less(monkeypatch):
    """The synthetic log that stands in for the log of KTH tells both answers apart."""
    jobs = co.workloads.catalogue.load_stand_in(model.KTH).jobs(request="total")
    log = model.Log(model.KTH, jobs, np.full(len(jobs), np.nan), True)
    monkeypatch.setattr(model, "logs", lambda: {model.KTH: log})
    for attempts, words in ((9, "Right"), (8, "Not yet"), (10, "Not yet")):
        limited = co.Online(release_early=True, max_attempts=attempts)
        served = co.simulate(co.Multicluster([100]), jobs, scheduling=limited).served
        assert words in check(4, (~served)[jobs.processors > lesson.WIDE].mean()).data


def test_limits_whose_points_coincide_share_a_label():
    waits = pd.DataFrame({"mean_wait": [0.4, 1.0, 2.0, 2.1, 2.1, 2.1], "easy_wait": 1.5})
    axes = co.plots.new_figure()[1]
    axes.set(xlim=(0, 20), ylim=(0.1, 10), yscale="log")
    waiting_limits._name_limits(axes, waits, pd.Series([17.0, 10.0, 5.0, 0.1, 0.0, 0.0]))
    assert [text.get_text() for text in axes.texts] == ["6 h", "12 h", "24 h", "48, 96, 336 h"]


def test_a_request_that_the_calendar_rejects_never_starts():
    assert lesson.start_in_calendar(5, 4.0) == 17
    assert lesson.start_in_calendar(8, 24.0) == np.inf
