"""The job-sharing study: schedules by hand; verdicts and captions that can say the opposite."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.intervals import DAY
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.scheduling import EASY, FPFS
from coalloc_lib.seeds import spawn
from coalloc_lib.studies import cluster_configurations as second
from coalloc_lib.studies import job_sharing
from coalloc_lib.studies import maximal_utilization as first
from coalloc_lib.studies.core import Results, cases_of
from coalloc_lib.studies.job_sharing import Case, cases, study, workload_sets
from coalloc_lib.studies.job_sharing.cases import (
    ASSIGNMENTS,
    CONFIGURATIONS,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    OVERHEADS,
    POLICIES,
    SHARING,
    SINGLE,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
    Sums,
    Work,
)
from coalloc_lib.studies.published import load_claims
from coalloc_lib.workloads.catalogue import load_stand_in
from tests.studies.small import SMALL

TINY = SMALL[study.name]
#: Noise at which a ratio is not known to a tenth.
LOUD = 0.4
DAYS = 42


@pytest.fixture(autouse=True)
def logs_are_here(monkeypatch):
    """Judge printed numbers as where the real logs are; what is made up here is no stand-in."""
    monkeypatch.setattr("coalloc_lib.studies.core.missing_logs", lambda names: [])


def made_up_jobs(seed, count=240):
    """Return jobs of six weeks that fill 512 processors well, some of them wide."""
    rng = np.random.default_rng(seed)
    runtime = rng.gamma(0.5, 70_000, count)
    return co.JobStream(
        np.sort(rng.uniform(0, DAYS * DAY, count)), runtime,
        rng.choice([1, 8, 60, 128, 256, 330], count), runtime * rng.uniform(1, 4, count),
        request="total",
    )  # fmt: skip


WORKS = {name: Work(name, made_up_jobs([1, i])) for i, name in enumerate(("jobs 1–240", SYNTHETIC))}
WORK = WORKS[SYNTHETIC]


@pytest.fixture(autouse=True, scope="module")
def small_works():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_sharing, "workload_sets", lambda seed=0: WORKS)
        patch.setitem(study.scales, "quick", TINY)
        yield


@pytest.fixture(scope="module")
def result(small_works):
    return study.reproduce("quick", workers=2)


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


def bears(gain):
    """Return AWRTs whose break-even is at ``0.2 * gain(case)``, larger gains being lower."""
    return lambda c: 1.0 if c.mode != MULTI_SITE else 1.0 + c.overhead - 0.2 * gain(c)


# ---- the whole study --------------------------------------------------------------------------


def test_every_claim_has_its_row_and_every_figure_its_picture(result):
    items = [row.item for row in result.rows]
    assert sorted(items) == sorted(load_claims(study.name)) == [f"JS-{i}" for i in range(1, 9)]
    assert set(items) == {item for figure in result.figures for item in figure.claims}
    for figure in result.figures:
        assert len(figure.data())
        if figure.draw:
            figure.plot().canvas.draw()


def test_tables_have_the_agreed_columns_and_every_case(result):
    table = result.figure("break_even").data()
    names = ["configuration", "workload", "scheduling", "p", "ci95_low", "ci95_high", "answer"]
    assert list(table.columns[: len(names)]) == names
    assert len(table) == 2 * len(CONFIGURATIONS) * len(TINY.policies)
    every = result.figure("awrt").data()
    names = ["configuration", "workload", "scheduling", "mode", "p", "weight", "awrt"]
    assert list(every.columns[: len(names)]) == names
    assert set(every.query("mode == @SINGLE")["configuration"]) == {"m512"}
    each = ["divided_as", "workload", "scheduling", "mode", "p", "weight"]
    assert not every.duplicated(each).any()
    assert every.groupby("mode").size().to_dict() == {
        mode: len(table) * len(WEIGHTS) * (len(OVERHEADS) if mode == MULTI_SITE else 1)
        for mode in cases.MODES
    }


def test_neither_workers_nor_the_cache_change_a_number(tmp_path):
    one, two, kept = (
        study.figure("figure7").run(**how).data()
        for how in ({"workers": 1}, {"workers": 2, "cache": tmp_path}, {"cache": tmp_path})
    )
    pd.testing.assert_frame_equal(one, two)
    pd.testing.assert_frame_equal(one, kept)


@pytest.mark.parametrize("name", ["figure4", "figure7", "joining", "choices"])
def test_ratios_are_those_of_the_tables_awrts(result, name):
    table = result.figure(name).data()
    np.testing.assert_allclose(table["ratio"], table["awrt_h"] / table["awrt_against_h"])
    assert (table["ci95_low"] <= table["ratio"]).all()
    assert (table["ratio"] <= table["ci95_high"]).all()


def test_nothing_can_be_added_and_it_says_so():
    for name in study.figures:
        with pytest.raises(co.InputError, match=f"^{name} takes no case of your own"):
            study.figure(name).add("mine", Case(WORK, STANDARD, SHARING))


# ---- schedules made by hand -------------------------------------------------------------------


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


def test_local_sums_are_those_of_each_site_by_itself():
    case = Case(WORK, STANDARD, LOCAL, wide=OF_SITE)
    found = case.measure(TINY, 0)
    assert found.above["work"].shape == found.below["work"].shape == (4, WORK.day.max() + 1)
    for site in range(4):
        mine = np.arange(site, len(WORK.jobs), 4)
        pieces = WORK.jobs[mine].chopped(128).pieces
        schedule = co.simulate(co.Multicluster([128]), pieces, scheduling=co.EASY())
        spent = float(pieces.work @ schedule.response)
        assert found.above["work"][site].sum() == pytest.approx(spent, rel=1e-12)
        assert found.below["work"][site].sum() == pytest.approx(WORK.jobs.work[mine].sum())


def test_jobs_are_submitted_at_each_site_in_turn_or_by_its_size():
    turn, size = (Case(WORK, "m384", LOCAL, assignment=name) for name in ASSIGNMENTS)
    assert np.ptp(np.bincount(turn.site)) <= 1
    offered = np.bincount(size.site, weights=WORK.jobs.work) / size.system.as_array()
    assert offered[0] == pytest.approx(offered[1:].mean(), rel=0.5)


@pytest.mark.parametrize("policy", POLICIES)
def test_spanning_without_overhead_is_one_machine(policy):
    spread, one = (
        Case(WORK, STANDARD, mode, policy, wide=UNCHANGED) for mode in (MULTI_SITE, SINGLE)
    )
    same = awrt(spread) == awrt(one)
    assert same or policy == "conservative"  # whose plans are for places


def test_modifications_1_and_2_are_one_on_equal_machines():
    for name, alike in (("m128", True), ("m256", True), ("m384", False)):
        runs = [Case(WORK, name, LOCAL, wide=OF_SITE), Case(WORK, name, SINGLE, wide=OF_LARGEST)]
        pieces = [case.simulate()[0].jobs.processors.tolist() for case in runs]
        assert (pieces[0] == pieces[1]) is alike


@pytest.mark.parametrize(
    "wrong",
    [
        {"configuration": "m512"}, {"mode": "shared"}, {"policy": "easy"}, {"wide": "none"},
        {"placement": "best"}, {"assignment": "random"}, {"overhead": 0.25},
    ],
)  # fmt: skip
def test_a_case_of_unknown_words_or_of_what_no_job_would_notice_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(co.InputError, match=f"^{name} = "):
        Case(**{"work": WORK, "configuration": "m128", "mode": SHARING} | wrong)


def test_workload_sets_are_of_10_000_jobs(real_logs):
    sets = workload_sets(3)
    assert list(sets) == ["jobs 1–10,000", "jobs 20,001–30,000", "jobs 40,001–50,000", SYNTHETIC]
    assert {len(work.jobs) for work in sets.values()} == {10_000}


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


# ---- verdicts from AWRTs that are made up -----------------------------------------------------


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


EQUAL_BEAR_MORE = {"m128": 1.5, "m256": 1.5, "m64": 0.5, "m384": 1.0}
VERDICTS = [
    ("JS-1", by_mode(local=3.0), 0, "holds"),
    ("JS-1", by_mode(local=1.5), 0, "does not hold"),
    ("JS-1", by_mode(local=2.0), LOUD, "undecided"),
    ("JS-2", by_mode(multi=0.82), 0, "holds"),
    ("JS-2", by_mode(multi=0.9), 0, "does not hold"),
    ("JS-2", by_mode(multi=0.84), LOUD, "undecided"),
    ("JS-3", by_mode(slope=0.7), 0, "holds"),
    ("JS-3", by_mode(slope=0.4), 0, "holds in part"),
    ("JS-3", by_mode(slope=2.0), 0, "holds in part"),
    ("JS-3", by_mode(slope=0.7), LOUD, "undecided"),
    ("JS-4", bears(lambda c: EQUAL_BEAR_MORE[c.configuration]), 0, "holds"),
    ("JS-4", bears(lambda c: 2 - EQUAL_BEAR_MORE[c.configuration]), 0, "does not hold"),
    ("JS-4", bears(lambda c: 1 + 0.1 * EQUAL_BEAR_MORE[c.configuration]), LOUD, "undecided"),
    ("JS-4", bears(lambda c: 3 + c.configuration[1:].startswith(("1", "2"))), 0, "undecided"),
    ("JS-5", bears(lambda c: 0.5 if c.work is WORK else 1.0), 0, "holds"),
    ("JS-5", bears(lambda c: 1.5 if c.work is WORK else 1.0), 0, "does not hold"),
    ("JS-5", bears(lambda c: 1.0), 0, "undecided"),
    ("JS-5", bears(lambda c: 1.0), LOUD, "undecided"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.02}), 0, "holds"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.2}), 0, "does not hold"),
    ("JS-6", by_part("wide", {UNCHANGED: 1.05}), LOUD, "undecided"),
    ("JS-7", by_part("policy", {"EASY": 0.9}), 0, "holds"),
    ("JS-7", by_part("policy", {"EASY": 1.1}), 0, "does not hold"),
    ("JS-7", by_part("policy", {}), LOUD, "undecided"),
    ("JS-8", by_part("placement", {"best fit": 1.02}), 0, "holds"),
    ("JS-8", by_part("placement", {"best fit": 1.2}), 0, "does not hold"),
    ("JS-8", by_part("placement", {"best fit": 1.05}), LOUD, "undecided"),
]


@pytest.mark.parametrize(("item", "value", "noise", "answer"), VERDICTS)
def test_verdicts_follow_the_numbers(item, value, noise, answer):
    assert verdict(item, value, noise) == answer


def test_figures_that_decide_are_the_paper_s_own_or_the_extreme():
    def halves(case):
        if case.mode == SHARING or case.assignment != "in turn":
            return 1.0  # the paper has none by size
        return {"m64": 3.0, "m384": 1.4}.get(case.configuration, 1.5)

    row = study.claim_row("JS-1", made_up(halves))
    assert (row.verdict, row.reproduced) == ("holds in part", pytest.approx(1 / 1.4))
    assert row.note.startswith("holds 2, fails 6, undecided 0 of 8; largest: m384, jobs 1–240")
    row = study.claim_row("JS-3", made_up(by_mode(slope=0.7)))
    assert row.reproduced == pytest.approx(0.2 / 0.7)
    row = study.claim_row("JS-5", made_up(bears(lambda c: 1 - 0.5 * (c.configuration == "m256"))))
    assert row.reproduced == pytest.approx(0.1)
    assert "smallest: m256, jobs 1–240" in row.note


def test_break_evens_are_compared_in_the_same_weeks():
    """Two that move together by more than they differ are told apart; alone they are not."""
    results = made_up(lambda c: 1.0 if c.mode != MULTI_SITE else 0.8 + c.overhead)
    moved = np.random.default_rng(3).uniform(-0.15, 0.15, DAYS + 1)
    found = dict(results.by_case)
    for case, sums in results.by_case.items():
        if case.mode == MULTI_SITE:
            less = moved - 0.02 * (case.configuration == "m128")
            above = {w: sums.above[w] + less * sums.below[w] for w in WEIGHTS}
            found[case] = replace(sums, above=above)
    results = Results(study, TINY, 0, found)
    ends = results.table("break_even").set_index(["configuration", "workload", "scheduling"])
    low, high = (ends[end][:, SYNTHETIC, "EASY"] for end in ("ci95_low", "ci95_high"))
    assert low["m128"] < high["m384"]
    lines = job_sharing.lines(TINY, 0)
    m128, m256, m384 = (lines[SYNTHETIC, name, "EASY"] for name in ("m128", "m256", "m384"))
    assert job_sharing.sustains_more(results, m128, m384) is True
    assert job_sharing.sustains_more(results, m384, m128) is False
    assert job_sharing.sustains_more(results, m384, m256) is None


def test_who_loses_by_joining_is_seen_by_size_and_assignment():
    def large_one_pays(case):
        pays = (case.mode, case.assignment) == (SHARING, "in turn")
        return np.where((case.system.as_array() == 384) & pays, 4.0, 1.0)

    table = made_up(by_mode(), of_site=large_one_pays).table("joining")
    found = table.query("row == 'm384' and series == 'in turn' and panel == @SYNTHETIC")
    found = found[found["weight"] == "work"].set_index("sites")["ratio"].to_dict()
    everyone = found.pop("all users")
    assert found == pytest.approx({"1 of 384": 4 / 3, "1 of 64": 1 / 3, "4 of 16": 1 / 3})
    assert 1 / 3 < everyone < 4 / 3
    assert study.figures["joining"].when(table)
    assert not study.figures["joining"].when(made_up(by_mode()).table("joining"))


SEEN = {
    "figure4": (by_mode(), by_mode(local=1.1), by_mode(local=1.3, multi=0.7)),
    "figure5": (bears(lambda c: 1.0), bears(lambda c: 0.5 - (c.configuration == "m64"))),
    "figure6": (bears(lambda c: 1.0), bears(lambda c: 1.0 + (c.work is WORK))),
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
        bears(lambda c: 1 + (c.policy == "FCFS")), bears(lambda c: 1 + (c.policy == "EASY")),
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


def test_the_printed_overhead_is_drawn_where_the_paper_prints_it(result):
    figure = result.figure("break_even")
    panels = figure.plot().axes[: len(WORKS)]
    marked = [any(line.get_marker() == "D" for line in axes.lines) for axes in panels]
    assert marked == [name == SYNTHETIC for name in WORKS]


# ---- the earlier studies ----------------------------------------------------------------------


def test_earlier_cases_are_those_of_their_studies_but_for_the_policy():
    losses = study.figures["earlier-losses"].cases(TINY, 0)
    for (name, series), case in losses.items():
        printed = first.bars_of(name, "figure5", TINY)
        if series == "EASY":
            case = replace(case, scenario=case.scenario.with_(scheduling=FPFS(50)))
        held = series != "FCFS"
        assert case == printed[f"FPFS(50), {first.HOLD}" if held else "FCFS"]
    for label, case in study.figures["earlier-responses"].cases(TINY, 0).items():
        line, policy = label.split(", ")
        assert case.scenario.scheduling == POLICIES[policy]
        plain = second.LINES[line].scenario
        assert case.scenario.with_(scheduling=plain.scheduling) == plain
    for (policy, _, psi), pair in study.figures["earlier-penalties"].cases(TINY, 0).items():
        assert [case.scenario.scheduling for case in pair] == 2 * [
            EASY() if policy == "EASY" else FPFS(20)
        ]
        assert (pair[0].jobs.span_penalty, pair[0].whole) == (psi, pair[1])


def test_earlier_cases_have_the_seeds_of_their_studies(result):
    losses = study.figures["earlier-losses"].cases(TINY, 0)
    case = losses[first.ROOM[0], "FCFS"]
    expected = case.measure(TINY.losses, *spawn(first.study.seed, 1))
    np.testing.assert_array_equal(result.results[case].values, expected.values)


@pytest.mark.parametrize(
    ("name", "column", "of_easy"),
    [
        ("earlier-losses", "ci95_high", {"series": "EASY"}),
        ("earlier-responses", "maximal_low", {}),
        ("earlier-penalties", "ci95_high", {"scheduling": "EASY"}),
    ],
)
def test_earlier_captions_can_be_false(result, name, column, of_easy):
    when, table = study.figures[name].when, result.figure(name).data().copy()
    rows = (table[list(of_easy)] == list(of_easy.values())).all(axis=1)
    table.loc[rows, column] = 0.2 if name == "earlier-responses" else 0.9
    if name == "earlier-penalties":
        table["ci95_high"] = 0.9  # both pay everywhere
    assert not when(table)
    assert not when(table.assign(**dict.fromkeys(("ci95_low", "ci95_high", column), np.nan)))
    assert not when(table.iloc[:0])


def test_earlier_responses_are_compared_system_by_system():
    """Lines come in any order; both other policies count, by their own system."""
    when = study.figures["earlier-responses"].when
    bears = {"a, EASY": 0.5, "b, FCFS": 0.8, "b, EASY": 0.9, "a, FPFS(50)": 0.4, "a, FCFS": 0.3}
    ends = np.array([*bears.values()])
    table = pd.DataFrame({"label": [*bears], "maximal_low": ends, "maximal_high": ends})
    assert when(table)
    assert not when(table.assign(maximal_high=ends + 0.25 * (table["label"] == "a, FCFS")))
