"""The third study: a row for every claim, and verdicts that could say the opposite."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.curves import RISING
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.plots.signs import OWN, PRINT
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.studies import communication_penalty as study
from coalloc_lib.studies.communication_penalty import (
    change_maps,
    claims,
    dispersion,
    figures,
    headlines,
    parameters,
    shares,
    threshold_figure,
    viability,
)
from coalloc_lib.studies.communication_penalty.ratios import LOOK, RatioFigure
from coalloc_lib.studies.communication_penalty.responses import GROUPS, NAMES, Responses
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.studies.communication_penalty.threshold_figure import Threshold, ThresholdFigure
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.studies.published import load_claims
from coalloc_lib.studies.ratio_lines import At

TINY = Scale(jobs=1_500, replications=4, search_runs=4)
RUNS = 8


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(parameters.SCALES, "quick", TINY)
        patch.setitem(change_maps.SCALES, "quick", TINY)
        patch.setattr(study, "viability_maps", lambda: {"20": viability.ViabilityMap(20)})
        patch.setattr(threshold_figure, "MAX_JUMPS", (0, 20))
        patch.setattr(figures, "JUMPS_ASKED", (5, 20))
        return study.reproduce("quick", workers=2)


def test_every_claim_has_its_row_and_every_figure_its_verdicts(result):
    assert {row.item for row in result.rows} == {f"CP-{number}" for number in range(1, 9)}
    assert {row.item for row in result.rows} == set(load_claims(study.NAME))
    for figure in result.figures:
        figure.plot().canvas.draw()
        assert len(figure.data())
        assert figure.words().startswith(figure.title)
        assert [row.item for row in figure.verdicts] == list(figure.claims)
    shown = [name for figure in result.figures for name in figure.claims]
    assert sorted(shown) == [f"CP-{number}" for number in range(1, 9)]  # none twice


def test_thresholds_have_the_agreed_columns_and_every_case(result):
    table = result.figure("thresholds").data()
    names = ["load", "max_jumps", "splitting", "group", "psi", "ci95_low", "ci95_high", "answer"]
    assert list(table.columns[: len(names)]) == names
    assert len(table) == 2 * 2 * 2 * len(NAMES)
    assert set(table["splitting"]) == {"floor", "ceiling"}


def test_the_same_seed_gives_the_same_on_one_worker_and_on_two(monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    monkeypatch.setattr(figures, "JUMPS_ASKED", (20,))
    monkeypatch.setattr(figures, "THRESHOLDS", (3, 19))
    one, two = (figures.split_thresholds().run("quick", 1, workers=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one.data(), two.data())
    other = figures.split_thresholds().run("quick", 2, workers=2)
    assert not one.data()["ratio"].equals(other.data()["ratio"])


def test_the_paper_is_read_as_it_says():
    assert parameters.SYSTEM.sizes == (20,) * 5
    assert pytest.approx(4.533 * 10 / (0.54 * 100), abs=5e-4) == parameters.EXACT_LOAD
    assert parameters.passing(0) == FCFS()
    assert parameters.passing(7) == FPFS(7)
    assert GROUPS == {"S1": (1, 1), "S2": (2, 3), "S3": (4, 6), "S4": (7, 19)}


# What is known of a ratio figure, from responses that are made up.


def made_up(of, jumps=(5,), lines=("",), places=(3, 10, 19), groups=NAMES):
    """Return a figure with responses ``of(line, place, group)`` for whole ones of 10."""
    entries = {}
    for number, jump in enumerate(jumps):
        for i, line in enumerate(lines):
            for place in places:
                penalty = 0.01 * (1 + i) + 0.1 * number
                entries[At(jump, line, place)] = served(
                    jump, 0.5, above=place, span_penalty=penalty
                )
    figure = RatioFigure("made-up", "nothing", entries, xlabel="x", groups=groups)
    noise = np.linspace(-1e-3, 1e-3, RUNS)
    bears = Sample(np.full(RUNS, 0.9))
    for at, entry in entries.items():
        values = {g: of(at.line, at.place, g) for g in NAMES}
        means = {} if None in values.values() else {g: Sample(v + noise) for g, v in values.items()}
        figure.found[entry] = Responses(bears, means)
        whole = {g: Sample(10 + noise**2) for g in NAMES}
        figure.found[entry.whole] = Responses(bears, whole)
    return figure


def test_ratios_are_paired_and_saturated_points_have_none():
    figure = made_up(lambda line, place, group: None if place == 3 else float(place))
    assert figure.interval(5, "stream", 3) is None
    assert figure.interval(5, "stream", 19).estimate == pytest.approx(1.9, abs=1e-3)
    assert figure.pays(5, "stream") == {3: False, 10: None, 19: False}
    assert figure.best(5, "stream") == [10]
    row = figure.data().query("place == 3 and group == 'S1'").iloc[0]
    assert row["saturated"]
    assert np.isnan(row["ratio"])
    figure.plot().canvas.draw()


def test_a_whole_stream_that_saturates_is_no_loss():
    figure = made_up(lambda line, place, group: 8.0)
    for entry in figure.entries.values():
        figure.found[entry.whole] = Responses(Sample(np.full(RUNS, 0.4)), {})
    assert set(figure.pays(5, "S4").values()) == {True}
    assert figure.interval(5, "S4", 3) is None


def test_what_is_no_point_is_refused():
    figure = made_up(lambda *_: 9.0)
    with pytest.raises(InputError, match="give jumps, a line in words"):
        figure.add((1, 2), served(1, 0.5))
    with pytest.raises(InputError, match="give served"):
        figure.add((1, "", 2), "x")
    with pytest.raises(InputError, match="not run"):
        figure.add((7, "", 2), served(7, 0.5)).plot()


UPWARDS = {3: 5.0, 10: 8.0, 19: 10.0}


def runs(**parts):
    return SimpleNamespace(**parts)


def verdict(item, **parts):
    return claims.claim.row(item, runs(**parts)).verdict


def test_cp4_needs_every_group_to_rise_and_the_largest_most():
    def steeper(line, place, group):
        return 10 - (10 - UPWARDS[place]) * (2 if group == "S4" else 1) / 2

    assert verdict("CP-4", split=made_up(steeper)) == "holds"
    assert verdict("CP-4", split=made_up(lambda line, x, g: 20 - steeper(line, x, g))) == (
        "does not hold"
    )
    flat = made_up(lambda line, x, g: 9.0 if g == "S1" else steeper(line, x, g))
    assert verdict("CP-4", split=flat) != "holds"
    dips = {3: 5.0, 10: 4.0, 19: 10.0}
    assert verdict("CP-4", split=made_up(lambda line, x, g: dips[x])) == "does not hold"


def test_cp5_needs_a_best_threshold_that_grows_and_fewer_that_pay():
    lines = ("ψ = 0.05", "ψ = 0.2")
    grows = {lines[0]: {3: 5.0, 10: 8.0, 19: 10.0}, lines[1]: {3: 14.0, 10: 9.0, 19: 10.0}}

    def best(found):
        return made_up(lambda line, x, g: found[line][x], lines=lines, groups=("S4",))

    assert verdict("CP-5", best=best(grows)) == "holds"
    assert verdict("CP-5", best=best(dict(zip(lines, reversed(grows.values()), strict=True)))) == (
        "does not hold"
    )
    assert verdict("CP-5", best=best(dict.fromkeys(lines, grows[lines[0]]))) == "cannot be tested"


def test_cp6_needs_one_threshold_that_is_best_at_every_load():
    lines = ("load 0.5", "load 0.7")

    def loads(found):
        return made_up(lambda line, x, g: found[line][x], lines=lines, groups=("stream",))

    same = {3: 9.0, 10: 8.0, 19: 10.0}
    assert verdict("CP-6", loads=loads(dict.fromkeys(lines, same))) == "holds"
    other = {lines[0]: same, lines[1]: UPWARDS}
    assert verdict("CP-6", loads=loads(other)) == "does not hold"


def test_cp7_needs_every_group_to_respond_later():
    groups = tuple(GROUPS)
    assert verdict("CP-7", spread=made_up(lambda *_: 10.5, groups=groups)) == "holds"
    assert verdict("CP-7", spread=made_up(lambda *_: 9.5, groups=groups)) == "does not hold"
    some = made_up(lambda line, x, g: 10.5 if g == "S1" else 9.5, groups=groups)
    assert verdict("CP-7", spread=some) == "holds in part"


def own(longer, waits):
    """Return what CP-8 asks a figure: relative differences, each known to 0.001."""

    def spread(jumps, part=""):
        return Sample((waits if part else longer) + np.linspace(-1e-3, 1e-3, RUNS))

    return SimpleNamespace(panels=[5], mean_spread=spread)


def test_cp8_needs_groups_that_respond_and_wait_alike():
    assert verdict("CP-8", own=own(0.05, 0.0)) == "holds"
    assert verdict("CP-8", own=own(0.15, 0.0)) == "holds in part"
    assert verdict("CP-8", own=own(0.15, 0.05)) == "does not hold"


def thresholds(found, saturated=False):
    """Return the figure with thresholds ``found(case, group)``, each known to 0.005."""
    figure = ThresholdFigure()
    for case in figure.entries:
        figure.found[case] = {
            group: Threshold(Interval(x, x - 0.005, x + 0.005, RUNS), saturated)
            for group in NAMES
            for x in [found(case, group)]
        }
    return figure


PRINTED = {"stream": 0.185, "S4": 0.16, "S1": 0.4, "S2": 0.2, "S3": 0.18}


def test_cp2_and_cp3_hold_where_the_thresholds_are_the_printed_ones():
    as_printed = thresholds(lambda case, group: PRINTED[group])
    assert verdict("CP-2", thresholds=as_printed) == "holds"
    assert verdict("CP-3", thresholds=as_printed) == "holds"
    assert as_printed.nearest()[1] == 0
    upside_down = thresholds(lambda case, group: 0.1 + 0.1 * (group == "S4"))
    assert verdict("CP-3", thresholds=upside_down) == "does not hold"
    assert verdict("CP-2", thresholds=upside_down) == "holds in part"
    never = thresholds(lambda case, group: -np.inf)
    assert verdict("CP-2", thresholds=never) == "does not hold"
    assert not np.isfinite(never.nearest()[1])


def test_the_nearest_case_is_found_among_those_of_the_studys_splitting():
    def found(case, group):
        near = case.max_jumps == 50 and case.load == parameters.PRINTED_LOAD
        return PRINTED[group] + (0.01 if near else 0.0 if case.splitting == "ceiling" else 0.05)

    figure = thresholds(found)
    case, distance = figure.nearest()
    assert (case.max_jumps, case.splitting) == (50, "floor")
    assert distance == pytest.approx(0.01 * np.sqrt(2))
    assert figure.nearest("ceiling")[1] < distance
    assert "MaxJumps 50" in figure.title


def test_a_saturated_base_is_said_in_the_answer():
    table = thresholds(lambda case, group: 0.2, saturated=True).data()
    assert set(table["answer"]) == {"crossing of what is borne"}
    assert np.isinf(table["max_jumps"]).any()


def test_shares_are_exact_and_a_sample_strays_less_the_larger_it_is():
    exact = shares.exact_shares()
    for panel in (shares.JOBS, shares.WORK):
        assert sum(exact[panel].values()) == pytest.approx(1)
    # Point 2 of what the paper leaves open: size 1 with 1 counted as a power of two.
    assert exact[shares.JOBS]["S1"] == pytest.approx(0.248, abs=5e-4)
    small, large = (shares.sampled_shares(n, 1)[shares.JOBS]["S1"] for n in (500, 8_000))
    assert small.half_width == pytest.approx(4 * large.half_width, rel=0.25)
    assert small.estimate == large.estimate == exact[shares.JOBS]["S1"]
    normal = 1.96 * np.sqrt(0.248 * 0.752 / 8_000)
    assert large.half_width == pytest.approx(normal, rel=0.15)


def test_cp1_says_what_a_sample_does_not_explain(monkeypatch):
    row = claims.claim.row("CP-1", runs(shares=shares.ShareFigure(1)))
    assert row.verdict == "holds in part"
    assert "share of the load of S2" in row.note
    assert row.reproduced == pytest.approx(parameters.EXACT_LOAD)
    assert row.ci95_low is None  # of a law there is no interval
    exact = shares.exact_shares()
    monkeypatch.setattr(shares, "PRINTED_WORK", exact[shares.WORK])
    monkeypatch.setattr(shares, "PRINTED_LOAD", parameters.EXACT_LOAD)
    assert claims.claim.row("CP-1", runs(shares=shares.ShareFigure(1))).verdict == "holds"


def test_titles_say_the_opposite_where_the_numbers_do():
    sure = made_up(lambda line, x, g: 8.0, places=(3, 10))
    never = made_up(lambda line, x, g: 12.0, places=(3, 10))
    assert "up to ψ = 10" in headlines.pays_below(sure)
    assert "not always (nowhere) (stream)" in headlines.pays_below(never)
    lines = ("load 0.5", "load 0.7")
    falls = {lines[0]: {3: 12.0, 10: 8.0, 19: 10.0}, lines[1]: UPWARDS}
    figure = made_up(lambda line, x, g: falls[line][x], lines=lines, groups=("stream",))
    assert "to split more, at 1 of 1 MaxJumps" in headlines.best_by_load(figure)
    rises = dict(zip(lines, reversed(falls.values()), strict=True))
    figure = made_up(lambda line, x, g: rises[line][x], lines=lines, groups=("stream",))
    assert "to split more, at none of 1" in headlines.best_by_load(figure)


def test_a_doubt_stays_with_the_ratio():
    figure = made_up(lambda *_: 9.0)
    entry = figure.entries[At(5, "", 3)]
    found = figure.found[entry]
    doubted = {g: replace(sample, doubt="too short") for g, sample in found.means.items()}
    figure.found[entry] = found._replace(means=doubted)
    assert figure.interval(5, "stream", 3).doubt == "too short"
    assert figure.pays(5, "stream")[3] is None
    assert figure.mean_ratio(5, "stream").doubt


@pytest.mark.parametrize("name", study.FIGURE_NAMES)
@pytest.mark.parametrize(
    ("label", "scenario"),
    [
        ("mine", parameters.scenario(20)),
        ("mine", None),
        (["mine"], served(20, 0.7, above=10)),
        (("FCFS", ["mine"], "0"), served(20, 0.7, above=10)),
        ((1, 2, 3), parameters.scenario(20)),
        ((1, 2, 3, 4), served(20, 0.7, above=10)),
    ],
)
def test_nonsense_is_not_added(name, label, scenario):
    with pytest.raises(InputError) as error:
        study.figure(name).add(label, scenario)
    assert "\n" not in str(error.value)


def test_a_point_is_words_and_numbers():
    figure = study.figure("figure1")
    for label in ((20, 2, 0.1), (20, "mine", "0.1"), "mine"):
        with pytest.raises(InputError, match="give jumps, a line in words, and a place"):
            figure.add(label, served(20, 0.7, above=10))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: served(20, np.nan, above=10), "load = nan"),
        (lambda: Served(parameters.scenario(20, parameters.WHOLE.model), 0.5), "workload = "),
        (lambda: Served(None, 0.5), "scenario = None"),
        (lambda: threshold_figure.Case(-1.0, 5, "floor"), "load = -1"),
    ],
)
def test_what_cannot_be_served_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_threshold_of_a_case_of_ones_own_is_searched(monkeypatch):
    monkeypatch.setattr(threshold_figure, "MAX_JUMPS", ())
    case = threshold_figure.Case(0.5, 20, "floor")
    figure = ThresholdFigure().add(case)
    monkeypatch.setitem(figure.scales, "quick", TINY)
    assert set(figure.run("quick", 3).result(case)) == set(NAMES)
    figure.plot()


def spread_jobs(load, **split):
    return served(20, load, above=3, span_penalty=figures.SPREAD, **split)


def test_split_jobs_by_penalty_are_those_of_the_schedule():
    entry = spread_jobs(0.5)
    found = dispersion.by_penalty(entry.scenario, 0.5, 2_000, 7)
    schedule = entry.scenario.simulate(2_000, load=0.5, seed=7)
    for name, (least, most) in dispersion.BY_PENALTY.items():
        mine = [
            job
            for job in range(200, 2_000)
            if np.count_nonzero(schedule.allocation[job]) > 1
            and least <= schedule.jobs.span_penalty[job] < most
        ]
        assert found[name] == pytest.approx(np.mean(schedule.response[mine]))
        assert found[f"{name} wait"] == pytest.approx(np.mean(schedule.wait[mine]))
    assert found["rise"] == pytest.approx(
        schedule.response[1_100:].mean() - schedule.response[200:1_100].mean()
    )
    with pytest.raises(InputError, match="none is split with a penalty from"):
        dispersion.by_penalty(entry.scenario.with_(workload=parameters.WHOLE), 0.5, 500, 7)


def test_split_jobs_past_saturation_have_no_means():
    figure = figures.own_penalties()
    figure.entries = {}
    for place, load in ((3, 0.5), (4, 0.95)):
        figure.add(At(20, "", place), spread_jobs(load))
    figure.found = figure.measure(figure.entries, TINY, 5, workers=1)
    assert figure.interval(20, "C1", 3) is not None
    assert figure.interval(20, "C1", 4) is None
    alone = figure.spread(At(20, "", 3))
    np.testing.assert_array_equal(figure.mean_spread(20).values, alone.values)
    table = figure.data().set_index("place")
    assert not table.loc[3, "saturated"].any()
    assert table.loc[4, "saturated"].all()
    assert table.loc[4, ["response", "wait", "ratio"]].isna().all(axis=None)
    assert "nan" not in figure.words()
    figure.plot().canvas.draw()


def test_split_jobs_whose_responses_rise_are_in_doubt(monkeypatch):
    figure = figures.own_penalties()
    figure.entries = {At(20, "", 3): spread_jobs(0.5)}
    monkeypatch.setattr(dispersion, "rise", lambda response: 1.0)
    figure.found = figure.measure(figure.entries, TINY, 5, workers=1)
    assert figure.mean_spread(20).doubt
    assert figure.interval(20, "C4", 3).doubt
    assert set(figure.data()["doubt"]) == {RISING}


def test_cp1_doubts_shares_of_jobs_that_no_likely_sample_has(monkeypatch):
    """Where 1 does not count as a power of two, S1 has a tenth of the jobs, not a quarter."""
    figure = shares.ShareFigure(1)
    assert figure.likely
    # By construction: what is fitted is no answer.
    assert all(figure.explained(shares.JOBS).values())
    assert not any("of the jobs of" in word for word in figure.title.split(", "))
    assert "explain 2 of 5 other figures" in figure.title
    row = claims.claim.row("CP-1", runs(shares=figure))
    assert "shares of the jobs," not in row.note
    other = dict(zip(GROUPS, (0.099, 0.33, 0.27, 0.301), strict=True))
    monkeypatch.setattr(shares, "PRINTED_JOBS", other)
    few = shares.ShareFigure(1)
    assert not few.likely
    assert few.jobs < 100
    assert "fails: shares of the jobs" in claims.claim.row("CP-1", runs(shares=few)).note


def test_cp5_has_no_number_where_all_saturates():
    lines = ("ψ = 0.05", "ψ = 0.2")
    figure = made_up(lambda *_: None, lines=lines, groups=("S4",))
    row = claims.claim.row("CP-5", runs(best=figure))
    assert row.reproduced is None
    assert row.verdict == "cannot be tested"


def test_titles_claim_no_more_than_the_intervals():
    hollow = made_up(lambda line, x, g: {3: 8.0, 10: 12.0, 19: 8.0}[x])
    assert "up to ψ = 3 (stream)" in headlines.pays_below(hollow)
    noisy = Sample(np.linspace(0.97, 1.03, RUNS))
    spread = SimpleNamespace(panels=[5], groups=GROUPS, mean_ratio=lambda *_: noisy)
    title = headlines.spread_is_worse(spread)
    assert title.startswith("Averaged over the thresholds, no group is seen to respond later")
    assert f"(within {100 * noisy.interval.half_width:.1f} %)" in title
    unseen = "in the waits no difference is seen"
    assert unseen in headlines.own_penalty_matters(own(0.1, 0.0))
    assert unseen not in headlines.own_penalty_matters(own(0.1, 0.05))
    assert "they wait −5.0 % longer" in headlines.own_penalty_matters(own(0.1, -0.05))
    assert "respond +10.0 % later" in headlines.own_penalty_matters(own(0.1, 0.0))


def test_groups_of_figures_1_and_2_have_two_bands_and_what_is_added_its_own():
    for name in ("figure1", "figure2"):
        assert study.figure(name).bare == ("S1", "S2", "S3")
    figure = made_up(lambda *_: 9.0)
    figure.bare = figures.BARE
    assert len(figure.plot().axes[0].collections) == 2
    figure.add((5, "mine", 3), served(5, 0.5, above=3, span_penalty=0.01))
    assert len(figure.plot().axes[0].collections) == 3
    looks = figure.looks(["mine", *NAMES])
    assert looks["mine"] not in [*(looks[group] for group in NAMES), OWN[0]]


def test_groups_differ_in_shape_and_from_what_is_printed():
    """A hollow diamond would be taken for a printed number, a dark disc for that of all jobs."""
    markers = [LOOK[group].marker for group in NAMES]
    assert len(set(markers)) == len(NAMES)
    assert PRINT.marker not in markers


def changed(figure, **how):
    """Change the stream's threshold of every case, such as its doubt or an end."""
    for case, found in figure.found.items():
        known = found["stream"].interval
        figure.found[case] = found | {"stream": Threshold(replace(known, **how), False)}
    return figure


def test_cp2_and_cp3_decide_nothing_from_what_is_open():
    def as_printed():
        return thresholds(lambda case, group: PRINTED[group])

    for open_end in ({"doubt": "too short"}, {"low": -np.inf}):
        row = claims.claim.row("CP-2", runs(thresholds=changed(as_printed(), **open_end)))
        assert "undecided: a threshold at" in row.note
        assert "fails" not in row.note
    overlap = changed(as_printed(), low=0.163)
    assert verdict("CP-3", thresholds=overlap) == "holds in part"
    note = claims.claim.row("CP-3", runs(thresholds=overlap)).note
    assert "undecided: S4 below the stream" in note
    assert "fails" not in note
    later = thresholds(lambda case, group: PRINTED[group] + 0.1 * (group == "S4"))
    assert "fails: S4 below the stream" in claims.claim.row("CP-3", runs(thresholds=later)).note


def test_cp5_and_cp6_decide_nothing_from_many_that_are_alike():
    assert claims._grows([3, 5], [5, 8]) is None
    assert claims._grows([3, 5], [8]) is True
    assert claims._grows([8, 10], [3, 5]) is False
    gains, loses = {3: True, 10: True}, {3: False, 10: True}
    assert claims._shrinks(gains, loses) is True
    assert claims._shrinks(loses, gains) is False
    assert claims._shrinks({3: True, 10: False}, {3: False, 10: True}) is False
    assert claims._shrinks(gains, {3: None, 10: True}) is None
    lines = ("load 0.5", "load 0.7")
    places = (3, 5, 7, 10, 19)
    alike = {
        lines[0]: dict.fromkeys(places, 9.0),
        lines[1]: {3: 8.0, 5: 9.0, 7: 9.0, 10: 9.0, 19: 9.0},
    }
    figure = made_up(
        lambda line, x, g: alike[line][x], lines=lines, places=places, groups=("stream",)
    )
    assert verdict("CP-6", loads=figure) == "cannot be tested"


@pytest.mark.parametrize(
    ("label", "entry", "words"),
    [
        ((5, "S1", 0.1), served(5, 0.5), "line = 'S1' is a group of jobs"),
        ((5, "mine", 0.1), served(20, 0.5), "jumps = 5 and the scenario has FPFS"),
        ((5, "mine", np.nan), served(5, 0.5), "place = nan; give a finite number"),
        ((7, "mine", 0.1), served(7, 0.5), "jumps = 7 has no panel yet"),
    ],
)
def test_a_label_that_says_what_is_not_so_is_refused(label, entry, words):
    with pytest.raises(InputError, match=words):
        figures.penalties().add(label, entry)


def test_no_limit_is_a_number_of_jumps_and_nothing_is_not():
    assert parameters.passing("no limit") == FPFS(parameters.NO_LIMIT)
    for wrong in (None, False, "none", -1):
        with pytest.raises(InputError, match="max_jumps"):
            parameters.passing(wrong)


def test_jobs_that_never_start_are_refused_at_once():
    with pytest.raises(InputError, match="can never start"):
        served(20, 0.5, above=10, parts=6)
    with pytest.raises(InputError, match="no field 'kept' of split jobs"):
        served(20, 0.5, kept=0.1)
