"""The third study: a row for every claim, figures of ratios, and what may be added to them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.curves import RISING
from coalloc_lib.inference import Sample
from coalloc_lib.plots.signs import OWN, PRINT
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.studies import communication_penalty as study
from coalloc_lib.studies.communication_penalty import (
    change_maps,
    dispersion,
    figures,
    parameters,
    threshold_figure,
    viability,
)
from coalloc_lib.studies.communication_penalty.ratios import LOOK
from coalloc_lib.studies.communication_penalty.responses import GROUPS, NAMES, Responses
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.studies.communication_penalty.threshold_figure import ThresholdFigure
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.studies.published import load_claims
from coalloc_lib.studies.ratio_lines import At
from tests.studies.made_up_ratios import RUNS, made_up

TINY = Scale(jobs=1_500, replications=4, search_runs=4)


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
