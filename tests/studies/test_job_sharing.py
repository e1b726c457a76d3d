"""The job-sharing study: schedules by hand; verdicts that can say the opposite."""

from copy import copy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.basics.checks import InputError
from coalloc_lib.schedules.schedule import WEIGHTS
from coalloc_lib.statistics import DAY, NotRunError, Replications, pick, sample
from studies.job_sharing import Setting, claims, figures, model, study
from studies.job_sharing.model import (
    ADAPTIVE,
    BY_SIZE,
    CONFIGURATIONS,
    EXTRACTS,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    PENALTIES,
    SHARING,
    SINGLE,
    SYNTHETIC,
    UNCHANGED,
    workloads,
)
from studies.job_sharing.runs import ALL_USERS, NOT_WIDE, measure, share_waiting
from tests.studies.small import SMALL
from tests.studies.small_logs import WORKS

TINY = SMALL[study.name]
#: Noise at which a ratio is not known to a tenth.
LOUD = 0.4
DRAWS = 8
SEED = np.random.SeedSequence(1, spawn_key=(0,))


def made_up(value, noise=0.0, waiting=0.3, days=40.0, by_size=False, widest=336):
    """Return runs with the AWRT ``value(setting, users)``, and noise from draw to draw.

    The noise of a penalty more is the same; that of another way to run is not. `by_size` has the
    users of the sites of each size too.
    """
    waves = {}

    def measured(setting, scale, seed):
        wave = waves.setdefault(replace(setting, penalty=0.0), len(waves))
        high = np.cos(2 * np.pi * (np.arange(DRAWS) / DRAWS + 0.618 * wave))
        sizes = setting.system.as_array()
        groups = [f"{(sizes == n).sum()} of {n}" for n in np.unique(sizes)[::-1]]
        not_wide = [NOT_WIDE] if setting.wide == OF_SITE else []
        for users in [ALL_USERS, *not_wide, *(groups if by_size else [])]:
            for weight in WEIGHTS:
                for draw in range(DRAWS):
                    row = {"users": users, "weight": weight, "replication": draw}
                    row["awrt"] = value(setting, users) * (1 + noise * high[draw])
                    row |= {"spanned": 0.1, "share_waiting": waiting + 0.01 * high[draw]}
                    yield row | {"days": days + high[draw], "widest": widest}

    made = copy(study)
    made.measure = measured
    made.scales = {"quick": TINY}
    return made.run("quick", seed=0, workers=1)


def row_of(item, value, noise=0.0, **how):
    return study.ask(item, made_up(value, noise, **how))


def by_way(local=3.0, sharing=1.0, multi=0.8, one=0.8, slope=0.8):
    """Return AWRTs by way; that of multi-site execution grows by `slope` per penalty."""
    named = {LOCAL: local, SHARING: sharing, MULTI_SITE: multi, SINGLE: one}
    return lambda setting, users: named[setting.way] + slope * setting.penalty


def by_part(name, values, other=1.0):
    """Return AWRTs by a field of the setting."""
    return lambda setting, users: values.get(getattr(setting, name), other)


def sustains(gain):
    """Return AWRTs whose break-even is at ``0.2 * gain(setting)``, larger gains being lower."""

    def value(setting, users):
        if setting.way != MULTI_SITE:
            return 1.0
        return 1.0 + setting.penalty - 0.2 * gain(setting)

    return value


def all_alike(setting):
    return 1.0


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("configuration", ["m128", "m384"])
def test_awrts_are_those_of_schedules_made_by_hand(weight, configuration):
    system = co.Multicluster.named(configuration)
    jobs = WORKS[SYNTHETIC][2]
    pieces = jobs.chopped(system.largest).subjobs
    easy = {"scheduling": co.EASY()}

    def spread(penalty, policy):
        flexible = pieces.replace(request="flexible", span_penalty=penalty)
        return co.simulate(system, flexible, placement=co.SingleThenSpan(), scheduling=policy)

    site = np.arange(len(jobs)) % len(system)
    parts = jobs.chopped(system.as_array()[site])
    faster = pieces.with_load(co.Multicluster([512]), 0.8)
    spanning = Setting(SYNTHETIC, configuration, MULTI_SITE, 0.25)
    sharing = Setting(SYNTHETIC, configuration, SHARING)
    by_hand = {
        sharing: co.simulate(system, pieces, placement=co.BestFit(), **easy),
        replace(sharing, load=0.8): co.simulate(system, faster, placement=co.BestFit(), **easy),
        replace(sharing, way=SINGLE): co.simulate(co.Multicluster([512]), pieces, **easy),
        spanning: spread(0.25, co.EASY()),
        replace(spanning, policy=ADAPTIVE): spread(0.25, co.EASY(adaptive=True)),
        replace(spanning, policy=co.EASY(adaptive=True)): spread(0.25, co.EASY(adaptive=True)),
        replace(spanning, configuration=system): spread(0.25, co.EASY()),
        replace(sharing, way=LOCAL, wide=OF_SITE): co.sites.local(
            system, parts.subjobs, site[parts.job], **easy
        ),
    }
    for setting, schedule in by_hand.items():
        (row,) = (
            row
            for row in measure(setting, TINY, SEED)
            if (row["users"], row["weight"], row["replication"]) == (ALL_USERS, weight, 2)
        )
        expected = schedule.average_weighted_response_time(weight)
        assert row["awrt"] == pytest.approx(expected, rel=1e-5)  # six digits are kept
        assert row["spanned"] == pytest.approx(schedule.spans.mean(), rel=1e-5)
        assert row["days"] == pytest.approx(np.ptp(jobs.submit) / DAY, rel=1e-5)
        assert row["widest"] == jobs.processors.max()


def test_users_of_a_size_have_their_own_awrt():
    """With jobs by size on two machines: of each, the mean over the jobs submitted there."""
    system, jobs = co.Multicluster([384, 128]), WORKS[SYNTHETIC][0]
    setting = Setting(SYNTHETIC, system, SHARING, wide=OF_SITE, assignment=BY_SIZE)
    rows = [row for row in measure(setting, TINY, SEED) if row["replication"] == 0]
    home = co.workloads.sites.least_loaded(jobs, system)
    chopped = jobs.chopped(system.as_array()[home])
    schedule = co.sites.sharing(system, chopped.subjobs, scheduling=co.EASY())
    here = home[chopped.job] == 1
    expected = np.average(schedule.response[here], weights=chopped.subjobs.work[here])
    (found,) = (r["awrt"] for r in rows if (r["users"], r["weight"]) == ("1 of 128", "work"))
    assert found == pytest.approx(expected, rel=1e-5)


def test_jobs_in_pieces_run_but_are_not_in_the_mean_of_the_others():
    system, jobs = co.Multicluster.named("m64"), WORKS[SYNTHETIC][0]
    setting = Setting(SYNTHETIC, "m64", LOCAL, wide=OF_SITE)
    rows = [row for row in measure(setting, TINY, SEED) if row["replication"] == 0]
    site = np.arange(len(jobs)) % len(system)
    parts = jobs.chopped(system.as_array()[site])
    schedule = co.sites.local(system, parts.subjobs, site[parts.job], scheduling=co.EASY())
    whole = jobs.processors <= system.as_array()[site]
    assert not whole.all()
    (place,) = np.nonzero(whole[parts.job])
    expected = np.average(schedule.response[place], weights=parts.subjobs.work[place])
    (found,) = (r["awrt"] for r in rows if (r["users"], r["weight"]) == (NOT_WIDE, "work"))
    assert found == pytest.approx(expected, rel=1e-5)


def test_the_share_of_time_in_which_a_job_waits_by_hand():
    """Waits from 1 to 4 and from 2 to 6, and then from 8 to the last submission, at 10."""
    jobs = co.JobStream([0, 1, 2, 7, 8, 10], [4, 2, 1, 20, 5, 5], [4] * 6, request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs)
    assert schedule.start.tolist()[:5] == [0, 4, 6, 7, 27]
    assert share_waiting(schedule) == pytest.approx((6 - 1 + 10 - 8) / 10)


@pytest.mark.parametrize(
    "wrong",
    [{"configuration": "m512"}, {"way": "x"}, {"penalty": 0.25}, {"workload": "mine"},
     {"policy": "LIFO"}, {"wide": "x"}, {"placement": "x"}, {"assignment": "x"}],
)  # fmt: skip
def test_a_setting_of_unknown_words_or_of_what_no_job_would_notice_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(co.InputError, match=f"^{name} = "):
        Setting(**{"workload": SYNTHETIC, "configuration": "m128", "way": SHARING} | wrong)


def test_one_machine_holds_wide_jobs_whole_unless_they_are_asked_for_in_pieces():
    """Section 4.1 has m512 "without any need to split jobs"."""
    assert Setting(SYNTHETIC, "m128", SINGLE).wide == UNCHANGED
    assert Setting(SYNTHETIC, "m128", SHARING).wide == OF_LARGEST
    assert Setting(SYNTHETIC, "m128", SINGLE, wide=OF_LARGEST).wide == OF_LARGEST
    jobs = WORKS[SYNTHETIC][0]
    whole = co.simulate(co.Multicluster([512]), jobs, scheduling=co.EASY())
    assert (jobs.processors > 128).any()
    (row,) = (
        row
        for row in measure(Setting(SYNTHETIC, "m128", SINGLE), TINY, SEED)
        if (row["users"], row["weight"], row["replication"]) == (ALL_USERS, "work", 0)
    )
    assert row["awrt"] == pytest.approx(whole.average_weighted_response_time("work"), rel=1e-5)


def test_extracts_are_there_with_the_log_alone(monkeypatch, real_logs):
    """A log may be fetched, or its folder named, while Python runs."""
    monkeypatch.setattr(model, "place_of", lambda log: "")
    ((name, synthetic),) = workloads(2, 4).items()
    assert (name, len(synthetic)) == (SYNTHETIC, 2)
    monkeypatch.undo()
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    found = workloads(3, 4)
    assert [len(draws) for draws in found.values()] == [7, 3]
    for one, other in zip(found[SYNTHETIC], synthetic, strict=False):
        np.testing.assert_array_equal(one.runtime, other.runtime)
    ends = [(jobs.submit[0], jobs.submit[-1], len(jobs)) for jobs in found[EXTRACTS]]
    assert all(one[1] <= other[0] and one[2] == 10_000 for one, other in pairwise(ends))


def test_without_the_log_its_settings_have_no_rows(monkeypatch):
    monkeypatch.setattr(model, "workloads", lambda *_: {SYNTHETIC: WORKS[SYNTHETIC]})
    assert list(measure(Setting(EXTRACTS, "m128", SHARING), TINY, SEED)) == []


OVER_AVERAGE = {"m128": 1.5, "m256": 1.5, "m64": 0.5, "m384": 1.0}


def by_workload(synthetic, extracts):
    gains = {SYNTHETIC: synthetic, EXTRACTS: extracts}
    return sustains(lambda setting: gains[setting.workload])


def by_users(not_wide):
    """Return AWRTs of jobs that are not in pieces, and 1 of all."""
    return lambda setting, users: not_wide if users == NOT_WIDE else 1.0


def by_saving(synthetic, extracts):
    """Return AWRTs of spanning by workload, at any penalty, and 1 of the other ways."""
    saved = {SYNTHETIC: synthetic, EXTRACTS: extracts}
    return lambda setting, users: saved[setting.workload] if setting.way == MULTI_SITE else 1.0


def by_whole(whole):
    """Return AWRTs of spanning with wide jobs whole, and 1 of all others."""

    def value(setting, users):
        is_whole = setting.way == MULTI_SITE and setting.wide == UNCHANGED
        return whole + setting.penalty if is_whole else 1.0

    return value


VERDICTS = [
    ("JS-1", by_way(local=3.0), 0, "holds"), ("JS-1", by_way(local=1.5), 0, "does not hold"),
    ("JS-1", by_way(local=2.0), LOUD, "undecided"), ("JS-2", by_way(multi=0.82), 0, "holds"),
    ("JS-2", by_way(multi=0.9), 0, "does not hold"),
    ("JS-2", by_way(multi=0.84), LOUD, "undecided"), ("JS-3", by_way(slope=0.8), 0, "holds"),
    ("JS-3", by_way(slope=0.45), 0, "does not hold"),
    ("JS-3", by_way(slope=2.0), 0, "does not hold"),
    ("JS-3", by_way(slope=0.7), LOUD, "undecided"),
    ("JS-4", sustains(lambda s: OVER_AVERAGE[s.configuration]), 0, "holds"),
    ("JS-4", sustains(lambda s: 2 - OVER_AVERAGE[s.configuration]), 0, "does not hold"),
    ("JS-4", sustains(lambda s: 1 + 0.1 * OVER_AVERAGE[s.configuration]), LOUD, "undecided"),
    ("JS-4", sustains(lambda s: 3 + s.configuration.startswith(("m1", "m2"))), 0, "undecided"),
    ("JS-5", by_workload(0.5, 1.0), 0, "holds"),
    ("JS-5", by_workload(1.5, 1.0), 0, "does not hold"),
    ("JS-5", by_workload(1.0, 1.0), 0, "holds"),  # at least as much
    ("JS-5", by_workload(3.0, 3.0), 0, "undecided"),  # both beyond what was tried
    ("JS-5", by_workload(1.0, 1.0), LOUD, "undecided"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.02}), 0, "holds"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.2}), 0, "does not hold"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.05}), LOUD, "undecided"),
    ("JS-7", by_part("policy", {"EASY": 0.9}), 0, "holds"),
    ("JS-7", by_part("policy", {"EASY": 1.1}), 0, "does not hold"),
    ("JS-7", by_part("policy", {}), LOUD, "undecided"),
    ("JS-8", by_part("placement", {"best fit": 1.02}), 0, "holds"),
    ("JS-8", by_part("placement", {"best fit": 1.2}), 0, "does not hold"),
    ("JS-8", by_part("placement", {"best fit": 1.05}), LOUD, "undecided"),
    ("JS-11", by_way(sharing=1.0, multi=0.9, one=0.8), 0, "holds"),
    ("JS-11", by_way(sharing=1.0, multi=0.5, one=0.8), 0, "does not hold"),
    ("JS-11", by_way(sharing=0.7, multi=0.8, one=0.8), 0, "does not hold"),  # of pieces
    ("JS-11", by_way(sharing=1.0, multi=0.8, one=0.8), LOUD, "undecided"),
    ("JS-12", by_users(0.8), 0, "holds"), ("JS-12", by_users(0.99), 0, "does not hold"),
    ("JS-13", by_saving(0.95, 0.9), 0, "holds"),
    ("JS-13", by_saving(0.9, 0.95), 0, "does not hold"),
    ("JS-13", by_saving(0.9, 0.9), LOUD, "undecided"),
    ("JS-14", by_whole(0.7), 0, "holds"), ("JS-14", by_whole(1.1), 0, "does not hold"),
    ("JS-14", by_whole(0.9), 0, "undecided"),  # it gains at no penalty, and not at 25 %
    ("JS-14", by_whole(1.0), LOUD, "undecided"),
    ("JS-15", by_way(), 0, "holds"),
    ("JS-15", by_part("way", {LOCAL: 3.0}, 1.5), 0, "holds"),
    ("JS-15", lambda s, _: (1.2 if s.configuration == "m64" else 3.0) ** (s.way == LOCAL), 0,
     "does not hold"),
    ("JS-15", by_way(local=2.0), LOUD, "undecided"),
    ("JS-20", by_way(), 0, "holds"), ("JS-20", by_way(local=0.5), 0, "does not hold"),
    ("JS-20", by_way(local=1.0), LOUD, "undecided"),
    ("JS-18", by_way(slope=0.7), 0, "holds"), ("JS-18", by_way(slope=0.9), 0, "does not hold"),
    ("JS-18", by_way(slope=0.8), LOUD, "undecided"),
    ("JS-19", by_way(), 0, "holds"), ("JS-19", by_way(multi=1.1), 0, "does not hold"),
]  # fmt: skip


@pytest.mark.parametrize(("item", "value", "noise", "answer"), VERDICTS)
def test_verdicts_follow_the_numbers(item, value, noise, answer):
    assert row_of(item, value, noise).verdict == answer


@pytest.mark.parametrize(
    ("share", "answer"),
    [(0.8, "holds"), (0.3, "does not hold"), (0.5, "undecided"), (0.6, "undecided")],
)
def test_a_backlog_is_sufficient_if_some_job_waits_most_of_the_time(share, answer):
    assert row_of("JS-9", by_way(), waiting=share).verdict == answer


def test_the_order_of_jobs_does_not_matter_by_work_alone(monkeypatch):
    """By hand: 8 jobs of 3 hours and a job of 8 processors for 1 hour, in either order."""
    row = row_of("JS-17", by_way())
    assert row.verdict == "holds"
    assert "fails elsewhere: weighted by processors" in row.note
    monkeypatch.setattr(claims, "LENGTHS", (1.0, 3.0))
    wide_first = (8 * 1 + 8 * 4) / 16
    narrow_first = (8 * 4 + 8 * 3) / 16
    assert claims.order_matters("processors") == pytest.approx(narrow_first / wide_first - 1)
    assert claims.order_matters("processors", equal=True) == pytest.approx(0, abs=1e-12)
    monkeypatch.setattr(claims, "order_matters", lambda weight, equal=False: 0.1)
    assert row_of("JS-17", by_way()).verdict == "does not hold"


def test_pieces_against_whole_jobs_are_two_lists_of_jobs():
    """Pieces respond sooner than whole jobs on one machine, and whole jobs as on one machine."""

    def value(setting, users):
        pieces = setting.way == MULTI_SITE and setting.wide == OF_LARGEST
        return by_way(multi=0.7 if pieces else 0.8, one=0.8)(setting, users)

    for item in ("JS-2", "JS-11"):
        row = row_of(item, value)
        assert row.verdict == "holds"
        assert "different jobs" in row.note
        assert "fails elsewhere: " in row.note


def test_the_note_on_whole_wide_jobs_has_the_answer_at_both_penalties():
    note = row_of("JS-14", by_whole(0.9)).note
    assert "without a penalty the claim holds" in note
    assert "for all penalties up to 25% it does not hold (ratio of 1.150" in note


def test_the_note_on_a_quarter_has_both_weights():
    row = row_of("JS-18", by_way(slope=0.9))
    assert "weighted by processors, as in the formula of the paper, the value is 1.025" in row.note


@pytest.mark.parametrize(("days", "answer"), [(40, "does not hold"), (120, "holds")])
def test_months_are_those_of_the_submissions(days, answer):
    assert row_of("JS-10", by_way(), days=days).verdict == answer


@pytest.mark.parametrize(("widest", "verdict"), [(336, "reproduced"), (300, "differs")])
def test_the_widest_job_is_that_of_the_log(widest, verdict):
    rows = {row.item: row for row in study.judge(made_up(by_way(), widest=widest)).rows}
    assert rows["Section 4.2 widest job of the log"].verdict == verdict


def test_the_joint_reading_tries_both_weights():
    """Sharing saves two thirds, which is over a half, and spanning breaks even at 0.25 or 0.5."""
    runs = made_up(by_way(slope=0.8))
    both = study.judge(runs).joint_reading()
    assert both.misfits == pytest.approx({"weighted by work": 0, "weighted by processors": 0})
    spans = (runs["weight"] == "processors") & (runs["way"] == MULTI_SITE)
    runs["awrt"] = runs["awrt"] - 0.4 * runs["penalty"] * spans
    half = study.judge(runs).joint_reading()
    assert half.misfits["weighted by processors"] == np.inf  # it breaks even beyond 0.4
    assert half.best == half.ours == "weighted by work"


def test_what_rests_on_the_log_cannot_be_tested_without():
    runs = pick(made_up(by_way(slope=0.7)), workload=SYNTHETIC)
    result = study.judge(runs)
    lost = {row.item for row in result.rows if row.verdict == "cannot be tested"}
    assert lost == {"JS-5", "JS-13", "JS-16", "JS-21"}
    assert set(result.figure("figure5").data()["workload"]) == {SYNTHETIC}


def test_a_claim_is_asked_at_every_load_that_was_run():
    """At a load sharing saves less than half, and the note says so."""

    def value(setting, users):
        return by_way(local=3.0 if setting.load is None else 1.5)(setting, users)

    runs = made_up(value)
    asked = [Setting(SYNTHETIC, "m128", way, wide=OF_SITE, load=0.5) for way in (LOCAL, SHARING)]
    assert study.ask("JS-1", runs).verdict == "holds"
    assert study.ask("JS-1", runs, load=0.5).verdict == "cannot be tested"
    made = copy(study)
    made.scales = {"quick": TINY}
    runs = made.add(runs, *asked, workers=1)  # simulated, on the made-up workloads
    assert study.ask("JS-1", runs).verdict == "holds"
    assert study.ask("JS-1", runs, load=0.5).verdict in ("holds", "does not hold", "undecided")


def test_a_reader_adds_a_policy_and_machines_and_sees_them_in_the_figure():
    made = copy(study)
    made.scales = {"quick": TINY}
    thirds = co.Multicluster([200, 200, 112])
    settings = [Setting(SYNTHETIC, thirds, SHARING)]
    settings += [Setting(SYNTHETIC, thirds, MULTI_SITE, penalty) for penalty in (0.0, 0.1)]
    runs = made.add(made_up(by_way()), *settings, workers=1)
    table = study.judge(runs).figure("figure5").data()
    mine = pick(table, configuration=str(thirds))
    assert sorted(mine["penalty"].unique()) == [0.0, 0.1]
    assert study.judge(runs).figure("figure5").plot().axes


def test_ratios_are_means_over_the_draws_of_one_awrt_over_another():
    runs = made_up(by_way(), 0.2)
    table = study.judge(runs).figure("figure5").data()
    row = pick(table, workload=SYNTHETIC, configuration="m128", penalty=0.0, weight="work")
    here = pick(
        runs, workload=SYNTHETIC, configuration="m128", weight="work", users=ALL_USERS, load=None,
        policy="EASY", penalty=0.0, placement="best fit", assignment="in turn",
    )  # fmt: skip
    spanning, sharing = (
        sample(here, "awrt", way=way, wide=OF_LARGEST).values for way in (MULTI_SITE, SHARING)
    )
    means = (spanning / sharing).mean(), spanning.mean() / 3600, sharing.mean() / 3600
    assert row[["ratio", "awrt_h", "awrt_against_h"]].iloc[0].tolist() == pytest.approx(means)


def test_break_evens_are_compared_draw_by_draw():
    """Two that move together by more than they differ are told apart; alone they are not."""
    runs = made_up(sustains(all_alike))
    spans, moved = runs["way"] == MULTI_SITE, np.random.default_rng(3).uniform(-0.1, 0.1, DRAWS)
    shift = moved[runs["replication"]] - 0.02 * (runs["configuration"] == "m128")
    runs["awrt"] = runs["awrt"] + shift.where(spans, 0.0)
    ends = study.judge(runs).figure("break_even").data()
    ends = pick(ends, workload=SYNTHETIC, scheduling="EASY").set_index("configuration")
    assert ends["ci95_low"]["m128"] < ends["ci95_high"]["m384"]
    own = pick(runs, **claims.PAPER.without("configuration").values)
    of = {
        name: figures.break_even_of_samples(pick(own, configuration=name))
        for name in CONFIGURATIONS
    }
    pairs = ("m128", "m384"), ("m384", "m128"), ("m384", "m256")
    less = [of[one].less(of[other]) for one, other in pairs]
    assert [each.above(0) for each in less] == [True, False, False]
    assert less[0].estimate == pytest.approx(0.02)


BEYOND, AT_ONCE = 3.0, -1.0
WORDS = {BEYOND: "≥ 0.40", AT_ONCE: "≤ 0.00", 1.0: "0.20"}


@pytest.mark.parametrize("gain", WORDS)
def test_what_breaks_even_beyond_the_penalties_is_a_bound(gain):
    table = study.judge(made_up(sustains(lambda setting: gain), 0.01)).figure("break_even").data()
    row = pick(table, workload=SYNTHETIC, configuration="m64", scheduling="EASY").iloc[0]
    assert row["p_said"] == WORDS[gain]
    assert np.isinf(row[["draw_low", "draw_high"]].tolist()).tolist() == [
        gain == AT_ONCE, gain == BEYOND,
    ]  # fmt: skip


def subtitle(figure):
    return " ".join(text.get_text().replace("\n", " ") for text in figure.texts)


def test_the_figure_says_where_fcfs_ran_if_it_did_not_run_everywhere():
    table = study.judge(made_up(sustains(all_alike), 0.01)).figure("break_even").data()
    table = table.assign(p=0.2, ci95_low=0.1, ci95_high=0.3)  # no interval leaves the axis
    everywhere = pd.concat([table.assign(scheduling=name) for name in ("EASY", "FCFS")])
    everywhere = everywhere.drop_duplicates(["configuration", "workload", "scheduling"])
    rare = everywhere[(everywhere["scheduling"] == "EASY") | (everywhere["configuration"] == "m64")]
    without = pick(everywhere, scheduling="EASY")
    said = [
        "FCFS ran only on m64" in subtitle(figures.draw_break_even(each, title="", subtitle="own"))
        for each in (everywhere, rare, without)
    ]
    assert said == [False, True, False]
    assert "FCFS" not in subtitle(figures.draw_break_even(without, title="", subtitle="own"))


def test_a_printed_number_is_not_judged_by_a_bound():
    rows = []
    for gain in (1.2, BEYOND):
        rows += claims.printed_break_even(made_up(sustains(lambda s, g=gain: g), 0.01))
    assert [row.verdict for row in rows] == ["reproduced", "undecided"]


def test_who_loses_by_joining_is_seen_by_size_and_assignment():
    def large_one_pays(setting, users):
        pays = (setting.way, setting.assignment) == (SHARING, "in turn")
        return (4.0 if users == "1 of 384" and pays else 1.0) * by_way()(setting, users)

    table = study.judge(made_up(large_one_pays, by_size=True)).figure("joining").data()
    known = pick(table, configuration="m384", assignment="in turn", workload=SYNTHETIC)
    ratios = pick(known, weight="work").set_index("users")["ratio"].to_dict()
    third = pytest.approx(1 / 3)
    assert ratios == {
        ALL_USERS: third, "1 of 384": pytest.approx(4 / 3), "1 of 64": third, "4 of 16": third,
    }  # fmt: skip


def test_adaptive_spanning_is_held_against_sharing_under_easy():
    runs = made_up(by_part("policy", {ADAPTIVE: 0.9}))
    table = pick(study.judge(runs).figure("adaptive").data(), weight="work")
    assert set(pick(table, spanning="adaptive")["ratio"].round(9)) == {0.9}
    assert set(pick(table, spanning="at once")["ratio"].round(9)) == {1.0}
    assert sorted(table["penalty"].unique()) == sorted(TINY.few)


def test_one_draw_is_within_the_prediction_and_mean_within_the_draws():
    runs = made_up(sustains(all_alike), 0.05)
    draws = figures.break_even_of_samples(pick(runs, **claims.PAPER.values))
    assert draws.prediction == Replications(draws.values).prediction
    assert draws.prediction.low < draws.mean.low < draws.mean.high < draws.prediction.high
    line = figures.spanning_over_sharing(pick(runs, **claims.PAPER.values))
    one = [np.interp(1.0, [at.values[i] for at in line.values()], list(line)) for i in range(DRAWS)]
    assert draws.values == pytest.approx(one)
    assert max(PENALTIES) == draws.last


@pytest.mark.parametrize("name", ["penalty", "load"])
def test_numbers_of_a_setting_are_checked(name):
    with pytest.raises(InputError, match=f"{name} = -1"):
        Setting("synthetic", "m128", "multi-site", **{name: -1})


def test_the_figure_of_sites_needs_the_configuration_that_it_draws():
    runs = made_up(by_way(), by_size=True)
    others = runs[runs["configuration"] != "m384"]
    with pytest.raises(NotRunError, match=r"^the sites of m384 were not run alone and sharing$"):
        study.judge(others).figure("joining").data()
