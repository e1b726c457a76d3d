"""The job-sharing study: a row for every claim, and verdicts that could say the opposite."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import coalloc_lib as co
from coalloc_lib.bootstrap import DAY
from coalloc_lib.chopping import Chopped
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies import job_sharing as study
from coalloc_lib.studies.job_sharing import (
    awrt_lines,
    claims,
    figures,
    further,
    headlines,
    overheads,
    parameters,
    runs,
    workloads,
)
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
from coalloc_lib.studies.job_sharing.runs import Case, Found, Work
from coalloc_lib.studies.published import load_claims
from coalloc_lib.workloads.catalogue import load_stand_in

DAYS = 42
#: Few jobs, and few of all that is asked of them.
TINY = parameters.Scale(("EASY", "FCFS"), 40)


def made_up_jobs(seed, count=240):
    """Return jobs of six weeks that fill 512 processors well, some of them wide."""
    rng = np.random.default_rng(seed)
    runtime = rng.gamma(0.5, 70_000, count)
    return co.JobStream(
        np.sort(rng.uniform(0, DAYS * DAY, count)), runtime,
        rng.choice([1, 8, 60, 128, 256, 330], count), runtime * rng.uniform(1, 4, count),
        request="total",
    )  # fmt: skip


def small_works(seed=1, stand_in=False):
    return {
        name: Work(name, made_up_jobs([seed, i]), stand_in)
        for i, name in enumerate(("jobs 1–240", SYNTHETIC))
    }


@pytest.fixture(scope="module")
def works():
    return small_works()


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(parameters.SCALES, "quick", TINY)
        patch.setattr(study, "workload_sets", small_works)
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
        case = Case(work, configuration, mode, overhead=0.25)
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
    assert len(found.of_site) == len(system)


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
    for name in study.FIGURE_NAMES:
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


# The overhead at break-even, by hand.


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ([-1, -0.5, 0.5], 0.15),
        ([-3, 1, 2], 0.075),
        ([1, -1, -2], -np.inf),
        ([-3, -2, -1], np.inf),
        ([-1, 1, -1], 0.05),
        ([0, 1, 2], 0.0),
        ([-1, 0, 1], 0.1),
        ([0, 0, 0], np.inf),
    ],
)
def test_first_rise_by_hand(values, place):
    found = awrt_lines.first_rise(np.array([0, 0.1, 0.2]), np.array(values, float))
    assert found == pytest.approx(place)


def test_what_was_not_run_alike_is_not_compared(works):
    figure = figures.wide_jobs(works)
    fill(figure, lambda case: 1.0)
    with pytest.raises(co.InputError, match="held against another case at each overhead"):
        figure.break_even(STANDARD, SYNTHETIC)
    with pytest.raises(co.InputError, match="not run"):
        figures.ways(works).break_even(SYNTHETIC, MULTI_SITE)
    lines = [(runs.spanning(works[SYNTHETIC], name), None) for name in ("m128", "m256")]
    lines[0][0].pop(0.0)
    with pytest.raises(co.InputError, match="different overheads"):
        awrt_lines.bears_more(*lines, {}, "work", 9)


def test_nonsense_is_not_added(works):
    case = Case(works[SYNTHETIC], STANDARD, SHARING)
    for name in study.FIGURE_NAMES:
        figure = study._MAKERS[name](works)
        for label, scenario in (("mine", case), (["mine"], None), (("a", "b", 1), case.scenario)):
            with pytest.raises(co.InputError, match="no scenarios that one could be added to"):
                figure.add(label, scenario)


# What is known of figures, from AWRTs that are made up.


def fill(figure, value, noise=0.0):
    """Give a figure the AWRT ``value(case)`` of every case, in waves of `noise` over the weeks.

    Waves of an overhead more are the same; those of another way to run, or place, are not.
    """
    waves: dict[Case, int] = {}
    for case in figure.cases:
        wave = waves.setdefault(replace(case, overhead=0.0), len(waves))
        found, sums = value(case), {}
        for weight in WEIGHTS:
            each = case.work.weights(weight)
            high = np.cos(2 * np.pi * (np.arange(len(each)) / len(each) + 0.618 * wave))
            sums[weight] = each * found * (1 + noise * (high - np.average(high, weights=each)))
        figure.found[case] = Found(sums, 0.1, (found,))
    figure.ran = TINY, 0
    return figure


def verdict(item, **figures_of):
    return claims.claim.row(item, SimpleNamespace(**figures_of)).verdict


def by_mode(**value):
    """Return AWRTs by mode; that of multi-site execution grows by `slope` per overhead."""
    value = {"local": 3.0, "sharing": 1.0, "multi": 0.8, "one": 0.8, "slope": 0.8} | value
    named = {LOCAL: "local", SHARING: "sharing", MULTI_SITE: "multi", ONE: "one"}
    slope = value["slope"]
    return lambda case: value[named[case.mode]] + slope * case.overhead


#: Noise at which a ratio is not known to a tenth.
LOUD = 0.4


def test_js1_needs_half_off_everywhere(works):
    for local, noise, answer in (
        (3.0, 0, "holds"), (1.5, 0, "does not hold"), (2.0, LOUD, "cannot be tested"),
    ):  # fmt: skip
        figure = fill(further.joining(works), by_mode(local=local), noise)
        assert verdict("JS-1", joining=figure) == answer
    mixed = fill(
        further.joining(works),
        lambda case: 1.0 if case.mode == SHARING else 3.0 if case.configuration == "m64" else 1.5,
    )
    row = claims.claim.row("JS-1", SimpleNamespace(joining=mixed))
    assert row.verdict == "holds in part"
    assert row.note == "fails: m128/m256/m384, jobs 1–240/synthetic"
    assert row.reproduced == pytest.approx(1 / 1.5)


def test_js2_needs_to_be_near_one_machine(works):
    for multi, noise, answer in (
        (0.82, 0, "holds"), (0.9, 0, "does not hold"), (0.84, LOUD, "cannot be tested"),
    ):  # fmt: skip
        figure = fill(figures.ways(works), by_mode(multi=multi), noise)
        assert verdict("JS-2", ways=figure) == answer


def test_js3_needs_gain_at_a_quarter_and_loss_well_above(works):
    """Break-even where 0.8 + slope p is 1."""
    for slope, noise, answer in (
        (0.7, 0, "holds"), (0.4, 0, "holds in part"), (2.0, 0, "holds in part"),
        (0.7, LOUD, "cannot be tested"),
    ):  # fmt: skip
        figure = fill(figures.ways(works), by_mode(slope=slope), noise)
        assert verdict("JS-3", ways=figure) == answer
    row = claims.claim.row(
        "JS-3", SimpleNamespace(ways=fill(figures.ways(works), by_mode(slope=0.7)))
    )
    assert row.reproduced == pytest.approx(0.2 / 0.7)


def by_configuration(gain):
    """Return AWRTs whose break-even is at ``0.2 * gain``, larger gains being lower."""
    return lambda case: 1.0 if case.mode == SHARING else (
        1.0 + (case.overhead - 0.2 * gain[case.configuration])
    )  # fmt: skip


def test_js4_needs_lower_awrts_and_larger_overheads_of_equal_machines(works):
    better = {"m128": 1.5, "m256": 1.5, "m64": 0.5, "m384": 1.0}
    worse = {name: 2 - gain for name, gain in better.items()}
    far = {"m128": 4.0, "m256": 4.0, "m64": 3.0, "m384": 3.0}
    noisy = (better, LOUD, "cannot be tested")
    for gain, noise, answer in (
        (better, 0, "holds"), (worse, 0, "does not hold"), noisy, (far, 0, "holds in part"),
    ):  # fmt: skip
        figure = fill(figures.configurations(works), by_configuration(gain), noise)
        assert verdict("JS-4", configurations=figure) == answer, (gain, noise)
    note = claims.claim.row("JS-4", SimpleNamespace(configurations=figure)).note
    assert "undecided: larger overhead" in note  # all break even beyond what was tried
    assert "lower AWRT" not in note


def by_workload(gain):
    return lambda case: 1.0 if case.mode == SHARING else (
        1.0 + (case.overhead - 0.2 * gain.get(case.work.name, 1.0))
    )  # fmt: skip


def test_js5_needs_extracts_that_bear_no_less(works):
    for gain, noise, answer in (
        (0.5, 0, "holds"), (1.5, 0, "does not hold"), (1.0, LOUD, "cannot be tested"),
        (1.0, 0, "cannot be tested"),
    ):  # fmt: skip
        figure = fill(figures.workloads(works), by_workload({SYNTHETIC: gain}), noise)
        assert verdict("JS-5", workloads=figure) == answer


def test_break_evens_are_compared_in_the_same_weeks(works):
    """Two that move together by more than they differ are told apart; alone they are not."""
    figure = figures.configurations(works)
    rng = np.random.default_rng(3)
    shared = {name: rng.uniform(-0.15, 0.15, 60) for name in works}

    def add(case):
        value = 1.0 if case.mode == SHARING else 0.8 + case.overhead
        value -= 0.02 * (case.mode == MULTI_SITE and case.configuration == "m128")
        each = case.work.weights("work")
        moved = shared[case.work.name][: len(each)] * (case.mode == MULTI_SITE)
        return Found(dict.fromkeys(WEIGHTS, each * (value + moved)), 0.1)

    figure.found = {case: add(case) for case in figure.cases}
    figure.ran = TINY, 0
    one, other = (figure.break_even(SYNTHETIC, name).interval for name in ("m128", "m384"))
    assert one.low < other.high
    assert figure.bears_more((SYNTHETIC, "m128"), (SYNTHETIC, "m384")) is True
    assert figure.bears_more((SYNTHETIC, "m384"), (SYNTHETIC, "m128")) is False
    assert figure.bears_more((SYNTHETIC, "m384"), (SYNTHETIC, "m256")) is None


def test_js6_needs_wide_jobs_that_cost_little(works):
    def wide(value):
        return lambda case: value if case.wide == UNCHANGED else 1.0

    for value, noise, answer in (
        (1.02, 0, "holds"), (1.2, 0, "does not hold"), (1.05, LOUD, "cannot be tested"),
    ):  # fmt: skip
        assert verdict("JS-6", wide=fill(figures.wide_jobs(works), wide(value), noise)) == answer


def test_js7_needs_a_lower_awrt_of_easy(works):
    def easy(value):
        return lambda case: value if case.policy == "EASY" else 1.0

    for value, noise, answer in (
        (0.9, 0, "holds"), (1.1, 0, "does not hold"), (1.0, LOUD, "cannot be tested"),
    ):  # fmt: skip
        figure = fill(further.conservative(works), easy(value), noise)
        assert verdict("JS-7", conservative=figure) == answer


def test_js8_needs_no_choice_that_is_much_better(works):
    def best(value):
        return lambda case: value if case.choice == "best fit" else 1.0

    for value, noise, answer in (
        (1.02, 0, "holds"), (1.2, 0, "does not hold"), (1.05, LOUD, "cannot be tested"),
    ):  # fmt: skip
        figure = fill(further.choices(works), best(value), noise)
        assert verdict("JS-8", choices=figure) == answer
    assert set(parameters.CHOICES) == {
        "best fit", "first fit", "worst fit", "least loaded", "random",
    }  # fmt: skip


def test_titles_say_the_opposite_where_the_numbers_do(works):
    pays = fill(figures.ways(works), by_mode(slope=0.7))
    assert headlines.ways(pays) == (
        "Sharing jobs takes 67 % off the local AWRT; spanning sites pays up to an overhead of 29 %"
    )
    never = fill(figures.configurations(works), by_mode(multi=1.1))
    assert "up to an overhead of no (m64)" in headlines.break_evens(never)
    always = fill(figures.configurations(works), by_mode(slope=0.1))
    assert "more than 40 % (m64)" in headlines.break_evens(always)
    better = fill(further.choices(works), lambda case: 1.0844 if case.choice == "best fit" else 1.0)
    assert "seen to be better in 32 of 32 cases; none differs by more than 8 %" in (
        headlines.best_fit_is_good(better)
    )
    worse = fill(further.choices(works), lambda case: 1.0 if case.choice == "best fit" else 1.084)
    assert "in none of 32 cases; none differs by more than 9 %" in headlines.best_fit_is_good(worse)
    slower = fill(further.conservative(works), lambda c: 1.1 if c.policy == "EASY" else 1.0)
    assert headlines.easy_is_better(slower) == (
        "EASY is seen to be better in 0 of 24 cases, and worse in 24"
    )


def test_what_is_printed_is_drawn_only_where_the_paper_prints_it(works):
    figure = fill(further.by_estimates(works), by_mode())
    drawn = figure.plot()
    assert "◇: printed" in drawn.texts[0].get_text() + "".join(t.get_text() for t in drawn.texts)
    table = figure.data()
    assert set(table["scheduling"]) == {"EASY"}
    assert set(table["estimates"]) == {"exact", "requested", "inflated"}
    fcfs = fill(further.by_policy(works, ["FCFS"]), by_mode())
    assert "◇: printed" not in "".join(t.get_text() for t in fcfs.plot().texts)


def test_no_ratio_is_drawn_outside_of_the_axis(works):
    figure = fill(further.choices(works), lambda c: 1.0 if c.choice == "best fit" else 1.56)
    assert figure.plot().axes[0].get_xlim() == pytest.approx((0.9, 1.56))
    figure = fill(further.choices(works), lambda c: 1.0 if c.choice == "best fit" else 0.5)
    assert figure.plot().axes[0].get_xlim() == pytest.approx((0.5, 1.3))


@pytest.mark.parametrize(
    ("found", "words"),
    [([0.1, 0.131], "10 to 13 %"), ([-np.inf, np.inf], "no to more than 40 %"), ([0.2], "20 %")],
)
def test_overheads_in_words(found, words):
    assert overheads.reach(found) == words


def test_parts_that_differ_in_one_thing_stand_together():
    names = [f"{mode}, {name}" for mode in "ab" for name in ("m64", "m128")]
    assert claims.together(names) == "a/b, m64/m128"
    assert claims.together(names[:3]) == "a, m64/m128 and b, m64"
    assert claims.together(["alone"]) == "alone"


@pytest.mark.parametrize(
    "wrong",
    [
        {"configuration": "m129"},
        {"mode": "shared"},
        {"policy": "easy"},
        {"wide": "none"},
        {"estimates": "exac"},
        {"choice": "best"},
    ],
)
def test_a_case_of_unknown_words_is_refused(works, wrong):
    """A mode or an estimate that no one knows must not run as another."""
    (name,) = wrong
    with pytest.raises(co.InputError, match=f"{name} = "):
        Case(**{"work": works[SYNTHETIC], "configuration": "m128", "mode": SHARING} | wrong)
