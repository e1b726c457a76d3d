"""The job-sharing study: schedules by hand; verdicts and captions that can say the opposite."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.intervals import Sample
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies.core import Results, cases_of
from coalloc_lib.studies.job_sharing import Case, cases, claims, figures, study, workload_sets
from coalloc_lib.studies.job_sharing.cases import EXTRACTS, PENALTIES, SYNTHETIC, Runs
from tests.studies.small import SMALL
from tests.studies.small_logs import WORKS

LOCAL, SHARING, MULTI_SITE, SINGLE = cases.MODES
UNCHANGED, TINY = cases.UNCHANGED, SMALL[study.name]
#: Noise at which a ratio is not known to a tenth.
LOUD = 0.4
DRAWS = 8
WORK = WORKS[SYNTHETIC]


def made_up(value, noise=0.0, of_site=None, backlog=0.3):
    """Return results with the AWRT ``value(case)`` of each case, and noise from draw to draw.

    That of a penalty more is the same; that of another way to run is not. `of_site` returns by
    how much longer the users of each site wait.
    """
    found, waves = {}, {}
    sources = [figure.cases for figure in study.figures.values()]
    sources += [cases for _, _, cases, _ in study._judges.values() if cases]
    for case in cases_of(source(TINY, 0) for source in sources):
        wave = waves.setdefault(replace(case, penalty=0.0), len(waves))
        high = np.cos(2 * np.pi * (np.arange(DRAWS) / DRAWS + 0.618 * wave))
        below = np.ones((DRAWS, len(case.system)))
        above = below * value(case) * (1 + noise * high[:, None])
        above *= 1 if of_site is None else of_site(case)
        share = np.full(DRAWS, backlog) + 0.01 * high
        by_weight = (dict.fromkeys(WEIGHTS, each) for each in (above, below))
        found[case] = Runs(*by_weight, np.full(DRAWS, 0.1), share)
    return Results(study, TINY, 0, found)


def verdict(item, value, noise=0.0, **how):
    return study.claim_row(item, made_up(value, noise, **how)).verdict


def by_mode(local=3.0, sharing=1.0, multi=0.8, one=0.8, slope=0.8):
    """Return AWRTs by mode; that of multi-site execution grows by `slope` per penalty."""
    named = {LOCAL: local, SHARING: sharing, MULTI_SITE: multi, SINGLE: one}
    return lambda case: named[case.mode] + slope * case.penalty


def by_part(field, values, other=1.0):
    """Return AWRTs by a field of the case."""
    return lambda case: values.get(getattr(case, field), other)


def sustains(gain):
    """Return AWRTs whose break-even is at ``0.2 * gain(case)``, larger gains being lower."""
    return lambda c: 1.0 if c.mode != MULTI_SITE else 1.0 + c.penalty - 0.2 * gain(c)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("configuration", ["m128", "m384"])
def test_awrts_are_those_of_schedules_made_by_hand(weight, configuration):
    system = co.Multicluster.named(configuration)
    pieces = WORK.draws[2].chopped(system.largest).pieces
    easy = {"scheduling": co.EASY()}

    def spread(penalty, policy):
        flexible = pieces.replace(request="flexible", span_penalty=penalty)
        return co.simulate(system, flexible, placement=co.SingleThenSpan(), scheduling=policy)

    one = WORK.draws[2]
    narrow = one[one.processors <= system.largest]
    site = np.arange(len(narrow)) % len(system)
    parts = narrow.chopped(system.as_array()[site])
    grown = {k: 0.25 * (k - 1) for k in range(2, len(system) + 1)}
    of = partial(Case, WORK, configuration)
    by_hand = {
        of(SHARING): co.simulate(system, pieces, placement=co.BestFit(), **easy),
        of(MULTI_SITE, penalty=0.25): spread(0.25, co.EASY()),
        of(MULTI_SITE, cases.ADAPTIVE, 0.25): spread(0.25, co.EASY(adaptive=True)),
        of(MULTI_SITE, penalty=0.25, growth=1.0): spread(grown, co.EASY()),
        of(SINGLE): co.simulate(co.Multicluster([512]), pieces, **easy),
        of(SHARING, load=0.8): co.simulate(
            system, pieces.with_load(co.Multicluster([512]), 0.8), placement=co.BestFit(), **easy
        ),
        of(LOCAL, wide=cases.LEFT_OUT): co.sites.local(
            system, parts.pieces, site[parts.job], **easy
        ),
    }
    for case, schedule in by_hand.items():
        results = Results(study, TINY, 0, {case: case.measure(TINY, 0)})
        expected = schedule.average_weighted_response_time(weight)
        assert cases.awrt(results, case, weight)[2] == pytest.approx(expected, rel=1e-12)
        assert results[case].spanned[2] == schedule.spans.mean()


def test_the_share_of_time_in_which_a_job_waits_by_hand():
    """Waits from 1 to 4 and from 2 to 6, and then from 8 to the last submission, at 10."""
    jobs = co.JobStream([0, 1, 2, 7, 8, 10], [4, 2, 1, 20, 5, 5], [4] * 6, request="total")
    schedule = co.simulate(co.Multicluster([4]), jobs)
    assert schedule.start.tolist()[:5] == [0, 4, 6, 7, 27]
    assert cases.share_waiting(schedule) == pytest.approx((6 - 1 + 10 - 8) / 10)


@pytest.mark.parametrize("wrong", [{"configuration": "m512"}, {"mode": "x"}, {"penalty": 0.25}])
def test_a_case_of_unknown_words_or_of_what_no_job_would_notice_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(co.InputError, match=f"^{name} = "):
        Case(**{"work": WORK, "configuration": "m128", "mode": SHARING} | wrong)


def test_extracts_are_there_with_the_log_alone(monkeypatch, real_logs):
    """A log may be fetched, or its folder named, while Python runs."""
    monkeypatch.setattr(cases, "listing", lambda: [{"name": cases.LOG, "found": "not fetched"}])
    (synthetic,) = workload_sets(2, 4).values()
    assert (synthetic.name, len(synthetic.draws)) == (SYNTHETIC, 2)
    monkeypatch.undo()
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    sets = workload_sets(3, 4)
    assert [len(each.draws) for each in sets.values()] == [7, 3]
    for one, other in zip(sets[SYNTHETIC].draws, synthetic.draws, strict=False):
        np.testing.assert_array_equal(one.runtime, other.runtime)
    ends = [(jobs.submit[0], jobs.submit[-1], len(jobs)) for jobs in sets[EXTRACTS].draws]
    assert all(one[1] <= other[0] and one[2] == 10_000 for one, other in pairwise(ends))


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([-1, -0.5, 0.5], 0.075), ([-3, 1, 2], 0.0375), ([1, -1, -2], -np.inf), ([-3, -2], np.inf),
        ([-1, 1, -1], 0.025), ([0, 1, 2], 0.0), ([-1, 0, 1], 0.05), ([0, 0, 0], np.inf),
    ],
)  # fmt: skip
def test_break_even_by_hand(values, place):
    line = np.array(values + [values[-1]] * (len(PENALTIES) - len(values)))
    assert cases.break_even(line) == pytest.approx(place)


OVER_AVERAGE = {"m128": 1.5, "m256": 1.5, "m64": 0.5, "m384": 1.0}
VERDICTS = [
    ("JS-1", by_mode(local=3.0), 0, "holds"), ("JS-1", by_mode(local=1.5), 0, "does not hold"),
    ("JS-1", by_mode(local=2.0), LOUD, "undecided"), ("JS-2", by_mode(multi=0.82), 0, "holds"),
    ("JS-2", by_mode(multi=0.9), 0, "does not hold"),
    ("JS-2", by_mode(multi=0.84), LOUD, "undecided"), ("JS-3", by_mode(slope=0.7), 0, "holds"),
    ("JS-3", by_mode(slope=0.45), 0, "does not hold"),
    ("JS-3", by_mode(slope=2.0), 0, "does not hold"),
    ("JS-3", by_mode(slope=0.7), LOUD, "undecided"),
    ("JS-4", sustains(lambda c: OVER_AVERAGE[c.configuration]), 0, "holds"),
    ("JS-4", sustains(lambda c: 2 - OVER_AVERAGE[c.configuration]), 0, "does not hold"),
    ("JS-4", sustains(lambda c: 1 + 0.1 * OVER_AVERAGE[c.configuration]), LOUD, "undecided"),
    ("JS-4", sustains(lambda c: 3 + c.configuration[1:].startswith(("1", "2"))), 0, "undecided"),
    ("JS-5", sustains(lambda c: 0.5 if c.work is WORK else 1.0), 0, "holds"),
    ("JS-5", sustains(lambda c: 1.5 if c.work is WORK else 1.0), 0, "does not hold"),
    ("JS-5", sustains(lambda c: 1.0), 0, "holds"),  # at least as much
    ("JS-5", sustains(lambda c: 3.0), 0, "undecided"),  # both beyond what was tried
    ("JS-5", sustains(lambda c: 1.0), LOUD, "undecided"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.02}), 0, "holds"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.2}), 0, "does not hold"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.05}), LOUD, "undecided"),
    ("JS-7", by_part("policy", {"EASY": 0.9}), 0, "holds"),
    ("JS-7", by_part("policy", {"EASY": 1.1}), 0, "does not hold"),
    ("JS-7", by_part("policy", {}), LOUD, "undecided"),
    ("JS-8", by_part("placement", {"best fit": 1.02}), 0, "holds"),
    ("JS-8", by_part("placement", {"best fit": 1.2}), 0, "does not hold"),
    ("JS-8", by_part("placement", {"best fit": 1.05}), LOUD, "undecided"),
    ("JS-11", by_mode(sharing=1.0, multi=0.9, one=0.8), 0, "holds"),
    ("JS-11", by_mode(sharing=1.0, multi=0.5, one=0.8), 0, "does not hold"),
    ("JS-11", by_mode(sharing=0.81, multi=0.65, one=0.8), LOUD, "undecided"),
    ("JS-12", by_part("wide", {cases.LEFT_OUT: 0.8}), 0, "holds"),
    ("JS-12", by_part("wide", {cases.LEFT_OUT: 0.99}), 0, "does not hold"),
    ("JS-12", by_part("wide", {cases.LEFT_OUT: 0.95}), LOUD, "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("item", "value", "noise", "answer"), VERDICTS)
def test_verdicts_follow_the_numbers(item, value, noise, answer):
    assert verdict(item, value, noise) == answer


@pytest.mark.parametrize(
    ("share", "answer"), [(0.6, "holds"), (0.4, "does not hold"), (0.5, "undecided")]
)
def test_a_backlog_is_sufficient_if_some_job_waits_most_of_the_time(share, answer):
    assert verdict("JS-9", by_mode(), backlog=share) == answer


def test_months_are_those_of_the_submissions(monkeypatch):
    def stretched(factor):
        return {
            name: cases.Work(name, tuple(d.replace(submit=factor * d.submit) for d in work.draws))
            for name, work in WORKS.items()
        }

    results = made_up(by_mode())
    assert study.claim_row("JS-10", results).verdict == "does not hold"  # six weeks
    monkeypatch.setattr(cases, "workload_sets", lambda *_: stretched(3))
    assert study.claim_row("JS-10", results).verdict == "holds"


def test_what_rests_on_the_log_cannot_be_tested_without(monkeypatch):
    results = made_up(by_mode(slope=0.7))
    monkeypatch.setattr(cases, "workload_sets", lambda *_: {SYNTHETIC: WORK})
    rows = {item: study.claim_row(item, results) for item in ("JS-1", "JS-3", "JS-5", "JS-9")}
    assert {item for item, row in rows.items() if row.verdict == "cannot be tested"} == {"JS-5"}
    assert set(results.table("figure5")["panel"]) == {SYNTHETIC}


def test_break_evens_are_compared_draw_by_draw():
    """Two that move together by more than they differ are told apart; alone they are not."""
    moved = np.random.default_rng(3).uniform(-0.1, 0.1, DRAWS)
    found = dict(made_up(sustains(lambda c: 1.0)).by_case)
    for case in [case for case in found if case.mode == MULTI_SITE]:
        runs, less = found[case], moved - 0.02 * (case.configuration == "m128")
        above = {w: runs.above[w] + less[:, None] * runs.below[w] for w in WEIGHTS}
        found[case] = replace(runs, above=above)
    results = Results(study, TINY, 0, found)
    ends = results.table("break_even").set_index(["configuration", "workload", "scheduling"])
    low, high = (ends[end][:, SYNTHETIC, "EASY"] for end in ("ci95_low", "ci95_high"))
    assert low["m128"] < high["m384"]
    lines = figures.lines(TINY, 0)
    m128, m256, m384 = (lines[SYNTHETIC, name, "EASY"] for name in ("m128", "m256", "m384"))
    pairs = (m128, m384), (m384, m128), (m384, m256)
    differences = [cases.less(results, *pair) for pair in pairs]
    assert [each.above(0) for each in differences] == [True, False, None]
    assert differences[0].estimate == pytest.approx(0.02)


def test_a_mean_break_even_is_where_the_intervals_of_the_ratio_cross_one():
    line = figures.lines(TINY, 0)[SYNTHETIC, "m128", "EASY"]
    results = made_up(sustains(lambda c: 1.0), 0.05)
    found = cases.mean_break_even(results, line)
    lost = cases.sharing_lost(results, line)
    ends = found.low - 0.01, found.estimate, found.high + 0.01
    for p, inside in zip(ends, (False, True, False), strict=True):
        row = [np.interp(p, cases.along(line), each) for each in lost]
        assert Sample(row).interval.contains(0) is inside
    assert found.low < 0.2 < found.high
    draw = cases.of_a_draw(results, line)
    assert draw == Sample(cases.break_evens(results, line)[0]).prediction
    assert draw.low < found.low < found.high < draw.high


BEYOND, AT_ONCE = 3.0, -1.0
WORDS = {BEYOND: "≥ 0.40", AT_ONCE: "≤ 0.00", 1.0: "0.20"}


@pytest.mark.parametrize(
    ("one", "other", "above", "low_known", "high_known"),
    [
        (0.5, 1.0, False, 1, 1), (1.0, BEYOND, False, 0, 1), (BEYOND, 1.0, True, 1, 0),
        (AT_ONCE, 1.0, False, 0, 1), (1.0, AT_ONCE, True, 1, 0), (BEYOND, BEYOND, None, 0, 0),
        (AT_ONCE, AT_ONCE, None, 0, 0), (AT_ONCE, BEYOND, False, 0, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", [SYNTHETIC, EXTRACTS])
def test_what_breaks_even_beyond_the_penalties_is_a_bound(
    one, other, above, low_known, high_known, name
):
    gains = {("m128", SYNTHETIC): one, ("m64", name): other}
    results = made_up(sustains(lambda c: gains.get((c.configuration, c.work.name), 1.0)), 0.01)
    lines = figures.lines(TINY, 0)
    found = cases.less(results, lines[SYNTHETIC, "m128", "EASY"], lines[name, "m64", "EASY"])
    assert np.isfinite([found.low, found.high]).tolist() == [low_known, high_known]
    assert found.above(0) is above
    assert (claims.bounded(found) == "") == (low_known and high_known)
    table = results.table("break_even").set_index(["configuration", "workload", "scheduling"])
    draw = table.loc["m128", SYNTHETIC, "EASY"][["draw_low", "draw_high"]].tolist()
    assert np.isinf(draw).tolist() == [one == AT_ONCE, one == BEYOND]
    assert table["p_said"]["m64", name, "EASY"] == WORDS[other]


def test_a_printed_number_is_not_judged_by_a_bound():
    known, beyond = (made_up(sustains(lambda c, g=gain: g), 0.01) for gain in (1.2, BEYOND))
    rows = [next(claims.printed_break_even(each)) for each in (known, beyond)]
    assert [row.verdict for row in rows] == ["reproduced", "undecided"]


def test_ratios_are_means_over_the_draws_of_one_awrt_over_another():
    results = made_up(by_mode(), 0.2)
    table = results.table("figure5").set_index(["panel", "configuration", "penalty", "weight"])
    row = table.loc[SYNTHETIC, "m128", 0.0, "work"]
    ours, bound = (cases.awrt(results, Case(WORK, "m128", mode)) for mode in (MULTI_SITE, SHARING))
    means = (ours / bound).mean(), ours.mean() / 3600, bound.mean() / 3600
    assert row[["ratio", "awrt_h", "awrt_against_h"]].tolist() == pytest.approx(means)


def test_who_loses_by_joining_is_seen_by_size_and_assignment():
    def large_one_pays(case):
        pays = (case.mode, case.assignment) == (SHARING, "in turn")
        return np.where((case.system.as_array() == 384) & pays, 4.0, 1.0)

    table = made_up(by_mode(), of_site=large_one_pays).table("joining")
    known = table.query("row == 'm384' and series == 'in turn' and panel == @SYNTHETIC")
    ratios = known[known["weight"] == "work"].set_index("sites")["ratio"].to_dict()
    assert 1 / 3 < ratios.pop("all users") < 4 / 3
    assert ratios == pytest.approx({"1 of 384": 4 / 3, "1 of 64": 1 / 3, "4 of 16": 1 / 3})
    assert study.figures["joining"].when(table)
    assert not study.figures["joining"].when(made_up(by_mode()).table("joining"))


SEEN = {
    "figure4": (by_mode(), by_mode(local=1.1), by_mode(local=1.3, multi=0.7)),
    "figure5": (
        sustains(lambda c: 1.0 + (c.configuration == "m64")), by_mode(),
        sustains(lambda c: 1.0 + (c.configuration == "m64" and c.penalty == cases.PRINTED_PENALTY)),
        sustains(lambda c: 1.0 + (c.configuration == "m64") * (-1) ** (c.penalty > 0.25)),
    ),
    "figure7": [
        lambda c, by=by: 1 + (by + c.penalty / 10) * (c.wide == UNCHANGED) for by in (0.02, 0.2)
    ],
    "adaptive": (
        lambda c: 1.0 if c.mode == SHARING or c.policy == cases.ADAPTIVE else 1.1,
        lambda c: 1.0 if c.mode == SHARING else 1.1, lambda c: 1.0,
    ),
    "load": (
        lambda c: 1.0 if c.mode == SHARING else 1 + (c.load or 0) * (c.penalty - 0.2),
        lambda c: 1.0 if c.mode == SHARING else 1 + (c.load or 0) * (c.penalty - 0.3),
        lambda c: 1.0 if c.mode == SHARING else 1 + (c.load or 0) * c.penalty,
    ),
    "by_sites": (lambda c: 1.0 + c.growth * c.penalty, lambda c: 1.0 + c.penalty),
    "break_even": (
        sustains(lambda c: 1 + (c.policy == "FCFS")), sustains(lambda c: 1 + (c.policy == "EASY")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_captions_stand_where_the_numbers_show_it_alone(name):
    when, (shown, *others) = study.figures[name].when, SEEN[name]
    table = made_up(shown).table(name)
    assert when(table)
    assert not any(when(made_up(other).table(name)) for other in others)
    assert not when(table.assign(ci95_low=np.nan, ci95_high=np.nan))
    assert not when(table.iloc[:0])
