"""The job-sharing study: schedules by hand; verdicts and captions that can say the opposite."""

from dataclasses import replace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies import job_sharing
from coalloc_lib.studies.core import Results, cases_of
from coalloc_lib.studies.job_sharing import Case, cases, study, workload_sets
from coalloc_lib.studies.job_sharing.cases import OVERHEADS, SYNTHETIC, Sums
from coalloc_lib.workloads.catalogue import load_stand_in
from tests.studies.small import SMALL
from tests.studies.small_logs import WORKS

LOCAL, SHARING, MULTI_SITE, SINGLE = cases.MODES
UNCHANGED, TINY = cases.UNCHANGED, SMALL[study.name]
#: Noise at which a ratio is not known to a tenth.
LOUD = 0.4
DAYS = 42
WORK = WORKS[SYNTHETIC]


def made_up(value, noise=0.0, of_site=None):
    """Return results with the AWRT ``value(case)`` of each case, in waves over the weeks.

    Waves of an overhead more are the same; those of another way to run are not. `of_site` returns
    by how much longer each site waits.
    """
    waves, found = {}, {}
    of = [f.cases(TINY, 0) for name, f in study.figures.items() if not name.startswith("earlier")]
    for case in cases_of(of):
        wave = waves.setdefault(replace(case, overhead=0.0), len(waves))
        high = np.cos(2 * np.pi * (np.arange(DAYS + 1) / DAYS + 0.618 * wave))
        above, below = {}, {}
        for weight in WEIGHTS:
            below[weight] = np.zeros((len(case.system), DAYS + 1))
            np.add.at(below[weight], (case.site, case.work.day), getattr(case.work.jobs, weight))
            mean = np.average(high, weights=below[weight].sum(axis=0))
            above[weight] = below[weight] * value(case) * (1 + noise * (high - mean))
            above[weight] *= 1 if of_site is None else of_site(case)[:, None]
        found[case] = Sums(above, below, 0.1)
    return Results(study, TINY, 0, found)


def verdict(item, value, noise=0.0):
    return study.claim_row(item, made_up(value, noise)).verdict


def by_mode(local=3.0, sharing=1.0, multi=0.8, one=0.8, slope=0.8):
    """Return AWRTs by mode; that of multi-site execution grows by `slope` per overhead."""
    named = {LOCAL: local, SHARING: sharing, MULTI_SITE: multi, SINGLE: one}
    return lambda case: named[case.mode] + slope * case.overhead


def by_part(field, values, other=1.0):
    """Return AWRTs by a field of the case."""
    return lambda case: values.get(getattr(case, field), other)


def sustains(gain):
    """Return AWRTs whose break-even is at ``0.2 * gain(case)``, larger gains being lower."""
    return lambda c: 1.0 if c.mode != MULTI_SITE else 1.0 + c.overhead - 0.2 * gain(c)


def awrt(case, weight="work"):
    found = case.measure(TINY, 0)
    return float(found.above[weight].sum() / found.below[weight].sum())


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("configuration", ["m128", "m384"])
def test_awrts_are_those_of_schedules_made_by_hand(weight, configuration):
    system = co.Multicluster.named(configuration)
    pieces = WORK.jobs.chopped(system.largest).pieces
    flexible = pieces.replace(request="flexible", span_penalty=0.25)
    easy = {"scheduling": co.EASY()}
    by_hand = {
        SHARING: co.simulate(system, pieces, placement=co.BestFit(), **easy),
        MULTI_SITE: co.simulate(system, flexible, placement=co.SingleThenSpan(), **easy),
        SINGLE: co.simulate(co.Multicluster([512]), pieces, **easy),
    }
    for mode, schedule in by_hand.items():
        case = Case(WORK, configuration, mode, overhead=0.25 * (mode == MULTI_SITE))
        expected = schedule.average_weighted_response_time(weight)
        assert awrt(case, weight) == pytest.approx(expected, rel=1e-12)
        assert case.measure(TINY, 0).spanned == schedule.spans.mean()


@pytest.mark.parametrize("wrong", [{"configuration": "m512"}, {"mode": "x"}, {"overhead": 0.25}])
def test_a_case_of_unknown_words_or_of_what_no_job_would_notice_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(co.InputError, match=f"^{name} = "):
        Case(**{"work": WORK, "configuration": "m128", "mode": SHARING} | wrong)


def test_a_stand_in_says_so_and_is_forgotten_when_the_log_is_there(monkeypatch, tmp_path):
    """A log may be fetched, or its folder named, while Python runs."""
    found = {"name": cases.LOG, "found": "not fetched"}
    monkeypatch.setattr(cases, "listing", lambda: [found])
    stand_in = load_stand_in(cases.LOG)
    monkeypatch.setattr(cases, "load_trace", lambda *_, **__: stand_in)
    assert list(workload_sets(4)) == ["jobs 1–10,000 (stand-in)", SYNTHETIC]
    there = replace(stand_in, is_stand_in=False)
    monkeypatch.setattr(cases, "load_trace", lambda *_, **__: there)
    assert list(workload_sets(4)) == ["jobs 1–10,000 (stand-in)", SYNTHETIC]
    found["found"] = "/logs/CTC-SP2.swf.gz"
    assert list(workload_sets(4)) == ["jobs 1–10,000", SYNTHETIC]


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([-1, -0.5, 0.5], 0.075), ([-3, 1, 2], 0.0375), ([1, -1, -2], -np.inf), ([-3, -2], np.inf),
        ([-1, 1, -1], 0.025), ([0, 1, 2], 0.0), ([-1, 0, 1], 0.05), ([0, 0, 0], np.inf),
    ],
)  # fmt: skip
def test_break_even_by_hand(values, place):
    line = np.array(values + [values[-1]] * (len(OVERHEADS) - len(values)))
    assert cases.break_even(np.append(5.0 + line, 5.0)) == pytest.approx(place)


OVER_AVERAGE = {"m128": 1.5, "m256": 1.5, "m64": 0.5, "m384": 1.0}
VERDICTS = [
    ("JS-1", by_mode(local=3.0), 0, "holds"), ("JS-1", by_mode(local=1.5), 0, "does not hold"),
    ("JS-1", by_mode(local=2.0), LOUD, "undecided"), ("JS-2", by_mode(multi=0.82), 0, "holds"),
    ("JS-2", by_mode(multi=0.9), 0, "does not hold"),
    ("JS-2", by_mode(multi=0.84), LOUD, "undecided"), ("JS-3", by_mode(slope=0.7), 0, "holds"),
    ("JS-3", by_mode(slope=0.4), 0, "holds in part"),
    ("JS-3", by_mode(slope=2.0), 0, "holds in part"),
    ("JS-3", by_mode(slope=0.7), LOUD, "undecided"),
    ("JS-4", sustains(lambda c: OVER_AVERAGE[c.configuration]), 0, "holds"),
    ("JS-4", sustains(lambda c: 2 - OVER_AVERAGE[c.configuration]), 0, "does not hold"),
    ("JS-4", sustains(lambda c: 1 + 0.1 * OVER_AVERAGE[c.configuration]), LOUD, "undecided"),
    ("JS-4", sustains(lambda c: 3 + c.configuration[1:].startswith(("1", "2"))), 0, "undecided"),
    ("JS-5", sustains(lambda c: 0.5 if c.work is WORK else 1.0), 0, "holds"),
    ("JS-5", sustains(lambda c: 1.5 if c.work is WORK else 1.0), 0, "does not hold"),
    ("JS-5", sustains(lambda c: 1.0), 0, "undecided"),
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
]  # fmt: skip


@pytest.mark.parametrize(("item", "value", "noise", "answer"), VERDICTS)
def test_verdicts_follow_the_numbers(item, value, noise, answer):
    assert verdict(item, value, noise) == answer


def test_break_evens_are_compared_in_the_same_weeks():
    """Two that move together by more than they differ are told apart; alone they are not."""
    moved = np.random.default_rng(3).uniform(-0.15, 0.15, DAYS + 1)
    found = dict(made_up(sustains(lambda c: 1.0)).by_case)
    for case in [case for case in found if case.mode == MULTI_SITE]:
        sums, less = found[case], moved - 0.02 * (case.configuration == "m128")
        above = {w: sums.above[w] + less * sums.below[w] for w in WEIGHTS}
        found[case] = replace(sums, above=above)
    results = Results(study, TINY, 0, found)
    ends = results.table("break_even").set_index(["configuration", "workload", "scheduling"])
    low, high = (ends[end][:, SYNTHETIC, "EASY"] for end in ("ci95_low", "ci95_high"))
    assert low["m128"] < high["m384"]
    lines = job_sharing.lines(TINY, 0)
    m128, m256, m384 = (lines[SYNTHETIC, name, "EASY"] for name in ("m128", "m256", "m384"))
    pairs = (m128, m384), (m384, m128), (m384, m256)
    answers = [job_sharing.sustains_more(results, *pair) for pair in pairs]
    assert answers == [True, False, None]


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
    "figure5": (sustains(lambda c: 1.0), sustains(lambda c: 0.5 - (c.configuration == "m64"))),
    "figure6": (sustains(lambda c: 1.0), sustains(lambda c: 1.0 + (c.work is WORK))),
    "figure7": [by_part("wide", {UNCHANGED: wide}) for wide in (1.05, 1.25, 0.5)],
    "conservative": (
        lambda c: 1.01 if c.policy != "EASY" and c.mode == MULTI_SITE else 1.0,
        by_part("policy", {"EASY": 1.01}), by_part("policy", {"conservative": 1.1}),
    ),
    "choices": (
        lambda c: 1.2 if c.placement == "worst fit" else 1.0,
        by_part("placement", {"random": 0.9}),
    ),
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
    if "weight" in table:
        assert not when(table.assign(warning="few weeks"))


@pytest.mark.parametrize(
    ("name", "column", "of_easy"),
    [("earlier-losses", "ci95_high", {"series": "EASY"}), ("earlier-responses", "maximal_low", {}),
     ("earlier-penalties", "ci95_high", {"scheduling": "EASY"})],
)  # fmt: skip
def test_earlier_captions_can_be_false(result, name, column, of_easy):
    when, table = study.figures[name].when, result.figure(name).data().copy()
    rows = (table[list(of_easy)] == list(of_easy.values())).all(axis=1)
    table.loc[rows, column] = 0.2 if name == "earlier-responses" else 0.9
    if name == "earlier-penalties":
        table["ci95_high"] = 0.9  # both pay everywhere
    assert not when(table)
    assert not when(table.assign(**dict.fromkeys(("ci95_low", "ci95_high", column), np.nan)))
    assert not when(table.iloc[:0])
