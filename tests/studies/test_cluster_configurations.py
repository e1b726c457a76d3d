"""The second study: a row for everything printed, and verdicts that could say the opposite."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coalloc_lib.checks import InputError
from coalloc_lib.curves import response_point
from coalloc_lib.distributions import Hyperexponential
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.inference import Sample, student
from coalloc_lib.studies import cluster_configurations as study
from coalloc_lib.studies import curve_figures
from coalloc_lib.studies.cluster_configurations import (
    claims,
    figures,
    parameters,
    scenarios,
    tables,
)
from coalloc_lib.studies.cluster_configurations.parameters import UNEQUAL
from coalloc_lib.studies.cluster_configurations.scenarios import LINES
from coalloc_lib.studies.published import load_claims, load_published
from coalloc_lib.system import Multicluster
from tests.studies.cells import TINY, check_cells
from tests.studies.lines import drawn, moved, placed_otherwise, shifted

#: For runs of a few lines only.
FEW = ("4×32 worst fit", "64+32+2×16 first fit", "64 alone, total")


@pytest.fixture(scope="module")
def cells():
    return tables.compute_cells(TINY, seed=1)


@pytest.fixture
def few_lines(monkeypatch):
    monkeypatch.setattr(scenarios, "LINES", {name: LINES[name] for name in FEW})
    monkeypatch.setattr(scenarios, "DIVISIONS", (1, 2))


def assert_same(one, other):
    for name in ("borne", "responses"):
        first, second = getattr(one, name), getattr(other, name)
        assert list(first) == list(second)
        for key, sample in first.items():
            np.testing.assert_array_equal(sample.values, second[key].values)
    assert one.curves == other.curves
    pd.testing.assert_frame_equal(one.gains, other.gains)


def test_every_cell_and_claim_has_its_row(cells, found, monkeypatch):
    monkeypatch.setitem(study.SCALES, "quick", TINY)
    monkeypatch.setattr(study, "compute_cells", lambda *_, **__: cells)
    monkeypatch.setattr(study, "run_all", lambda *_, **__: found)
    result = study.reproduce("quick")
    items = [row.item for row in result.rows]
    assert len(items) == len(set(items)) == 100 + 13
    assert {cell.item for cell in load_published(study.NAME)} <= set(items)
    assert {f"CC-{number}" for number in range(1, 14)} == set(load_claims(study.NAME))
    assert set(load_claims(study.NAME)) <= set(items)
    assert {row.study for row in result.rows} == {study.NAME}
    # Tables 1 and 2, Figures 1 and 2 in one, the two halves of Figure 5, the map, when it pays.
    assert len(result.figures) == 2 + 1 + 11 + 1 + 1
    for figure in result.figures:
        figure.plot().canvas.draw()
        assert len(figure.data())
        assert [row.item for row in figure.verdicts] == list(figure.claims)
    assert result.figure("map").name == "map"


def test_cells_are_the_printed_ones(cells):
    check_cells(cells, calculated=70, simulated=30, slack=0.015)


def test_every_line_has_128_processors_but_the_large_cluster_alone():
    processors = {name: line.system.processors for name, line in LINES.items()}
    assert processors.pop("64 alone, total") == 64
    assert curve_figures.share(LINES["64 alone, total"], parameters.PROCESSORS) == 0.5
    assert set(processors.values()) == {128}
    assert all(sum(clusters) == 128 for clusters in UNEQUAL.values())


def test_jobs_of_the_same_total_have_the_same_work():
    work = [model.mean_work for model in parameters.SAME_TOTAL.values()]
    assert work == pytest.approx([work[0]] * len(work))
    one, four = (parameters.SAME_TOTAL[key].sample(500, 7) for key in ("1", "4"))
    np.testing.assert_array_equal(one.components.sum(axis=1), four.components.sum(axis=1))


def test_result_does_not_depend_on_the_number_of_workers(few_lines):
    one, two = (scenarios.run_all(TINY, seed=3, workers=workers) for workers in (1, 2))
    assert set(one.borne) == set(FEW)
    assert_same(one, two)


def test_what_was_finished_is_not_computed_again(few_lines, tmp_path, monkeypatch):
    calls = []

    def counted(function):
        return lambda *args, **how: calls.append(function) or function(*args, **how)

    for module, name in (
        (curve_figures, "replicated_traffic"),
        (curve_figures, "response_point"),
        (scenarios, "heavy_traffic"),
        (scenarios, "response_times"),
    ):
        monkeypatch.setattr(module, name, counted(getattr(module, name)))
    once = scenarios.run_all(TINY, seed=3, cache=tmp_path)
    assert calls
    calls.clear()
    again = scenarios.run_all(TINY, seed=3, cache=tmp_path)
    assert not calls
    assert_same(once, again)


def test_points_are_at_shares_of_what_a_line_bears_and_never_past_it(found):
    assert set(found.curves) == set(LINES.values())
    assert set(found.borne) == set(LINES)
    for curve in found.curves.values():
        bears = curve.maximum.interval
        asked = [part * bears.estimate for part in curve_figures.SHARES]
        assert curve.utilizations == [load for load in asked if load < bears.low]
        assert not any(point.saturated for point in curve.points)


def test_the_maximum_is_exact_where_a_formula_is(found):
    exact = {str(line) for line, curve in found.curves.items() if curve.maximum.method == "exact"}
    assert exact == {"4×32 ordered", "64+32+2×16 ordered", "64 alone, total"}
    for name in exact:
        simulated = student(found.borne[name].values, confidence=0.999)
        assert simulated.contains(found.curves[LINES[name]].maximum.max_utilization)


def test_lines_are_compared_on_the_same_jobs(found):
    """Pairs on common jobs tell lines apart that runs on jobs of their own do not."""
    one, other = (found.responses[f"{name} first fit", 0.6] for name in ("4×32", "8×16"))
    assert (one - other).interval.half_width < one.less_unpaired(other).half_width


def test_a_line_of_several_figures_is_simulated_once(found):
    assert LINES["same size: 4, first fit"] is LINES["4×32 first fit"]
    same = claims.Comparison(found, "4×32 first fit", "same size: 4, first fit")
    assert same.borne.low == same.borne.high == 0
    assert same.alike
    assert not same.better
    assert len({line.name for line in LINES.values()}) < len(LINES)


OPPOSITES = {
    "CC-1": moved("4×32", -0.6),
    "CC-2": moved("64 alone", -0.4),
    "CC-3": moved("8×16 first fit", 0.2),
    "CC-4": moved("small first", 0.6),
    "CC-5": moved("2×40+3×16 first fit", -0.3),
    "CC-6": moved("2×40+3×16 worst fit", -0.3),
    "CC-7": lambda name, v: v - 0.3 if name.endswith("worst fit") else v,
    "CC-8": lambda name, v: v + 0.3 if name.endswith("worst fit") else v,
    "CC-9": lambda name, v: 1.2 - v if name.startswith("same size") else v,
    "CC-10": placed_otherwise,
    "CC-11": lambda name, v: 1.2 - v if name.startswith("same total") else v,
    "CC-12": lambda name, v: v - 0.3 if name.endswith("4, worst fit") else v,
}


@pytest.mark.parametrize("item", OPPOSITES)
def test_verdicts_follow_the_figures(item, found):
    before, after = (
        claims.claim.row(item, each) for each in (found, shifted(found, OPPOSITES[item]))
    )
    assert (before.verdict, before.note) != (after.verdict, after.note)
    if item != "CC-5":  # its other order fails too
        assert before.verdict != after.verdict


def test_unequal_systems_decide_two_claims(found):
    """A row says which system fails; without the counterexample CC-6 holds, CC-5 in one order."""
    rows = {item: claims.claim.row(item, found) for item in ("CC-5", "CC-6")}
    for item in ("CC-5", "CC-6"):
        assert rows[item].verdict == "holds in part"
        assert "2×40+3×16" in rows[item].note
    without = shifted(found, moved("2×40+3×16", -0.3))
    assert claims.claim.row("CC-6", without).verdict == "holds"
    assert "fails: 2×32+2×16+4×8 first fit, small first does well" in rows["CC-5"].note.replace(
        "2×40+3×16 first fit does not do well, ", ""
    )


def test_noise_decides_nothing():
    slow = Interval(0.3, -0.18, 0.78, 5)
    comparison = claims.Comparison.__new__(claims.Comparison)
    comparison.borne, comparison.responses = Interval(0.1, 0.05, 0.15, 5), {0.6: slow}
    assert comparison.better is None
    comparison.responses = {0.3: Interval(0.02, 0.01, 0.03, 5)}  # slower, and no more than alike
    assert comparison.better is True


@pytest.mark.parametrize(
    ("times", "loads", "better"),
    [(1.001, parameters.COMPARED, True), (2, parameters.COMPARED, False), (1.1, [0.3], False)],
)
def test_more_load_is_not_better_where_responses_are_slower(found, times, loads, better):
    """Paired intervals can tell a thousandth apart, which is no reason to call a line worse."""
    one, other = "4×32 worst fit", "64+32+2×16 worst fit"
    slow = {
        (one, load): Sample(found.responses[other, load].values * times)
        for load in loads
        if (other, load) in found.responses
    }
    runs = replace(found, responses=found.responses | slow)
    assert claims.Comparison(runs, one, other).better is better


def test_service_times_scale_with_alpha(found, monkeypatch):
    assert set(found.scaling) == set(scenarios.ALPHAS)
    assert max(found.scaling.values()) < claims.EXACT
    original = scenarios.JobStream
    monkeypatch.setattr(
        scenarios,
        "JobStream",
        lambda submit, runtime, parts: original(submit, 1.05 * runtime, parts),
    )
    off = scenarios.scaling_error(1.4)
    assert off > 0.01
    row = claims.claim.row("CC-13", replace(found, scaling=found.scaling | {1.4: off}))
    assert (row.verdict, row.reproduced) == ("does not hold", off)


def test_runs_in_doubt_decide_nothing(found):
    doubtful = {name: replace(sample, doubt="three jobs") for name, sample in found.borne.items()}
    responses = {key: replace(found.responses[key], doubt="three jobs") for key in found.responses}
    found = replace(found, borne=doubtful, responses=responses)
    undecided = {row.item for row in claims.claim.rows(found) if row.verdict == "cannot be tested"}
    # CC-5 knows that some systems are saturated, CC-13 compares jobs, not means.
    assert undecided == {f"CC-{number}" for number in range(1, 13)} - {"CC-5"}


def test_lines_whose_tails_were_not_drawn_are_in_doubt():
    line = LINES["4×32 worst fit"]
    heavy = line.with_(workload=line.workload.with_(service=Hyperexponential(1.0, 1000)))
    found = curve_figures.measure_lines(
        {"calm": line, "heavy": heavy}, 128, replace(TINY, jobs=2000), seed=1
    )
    assert "carry the work" in found[heavy].curve.maximum.interval.doubt
    assert (found[line].borne - found[heavy].borne).interval.above(-1) is None
    assert not found[line].borne.doubt


def test_the_map_names_a_winner_only_where_the_interval_is_clear_of_zero(found):
    table = figures.PlacementMap(found.gains).data()
    assert len(table) == 1 + 2 + 4 + 8 + 16
    for row in table.itertuples():
        wins = {"worst fit": row.gain_low > 0, "first fit": row.gain_high < 0}
        assert wins.get(row.wins, not any(wins.values()))
    alone = table[table["clusters"] == 1]
    assert alone["wins"].tolist() == ["-"]


def test_what_a_line_is_held_against_is_measured_with_the_figure_alone(found, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    alone = figures.figure("figure6").run(seed=1)
    whole = drawn(found, "figure6")
    assert alone.gain_beside("4×32") == whole.gain_beside("4×32")
    assert alone.title == whole.title


def test_a_figure_alone_has_the_numbers_of_the_whole_study(found, monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    alone = figures.figure("figure4")
    with pytest.raises(InputError, match=r"figure4 has not run '4×32' yet; call its run\(\)"):
        alone.data()
    pd.testing.assert_frame_equal(alone.run(seed=1).data(), drawn(found, "figure4").data())
    assert alone.scenarios["system"].tolist() == ["4 × 32", "8 × 16"]


def test_a_line_of_ones_own_joins_a_figure(monkeypatch):
    monkeypatch.setitem(parameters.SCALES, "quick", TINY)
    figure = figures.figure("figure4").add("2×64", LINES["4×32 first fit"].with_(
        system=Multicluster([64, 64]), workload=parameters.TWO
    ))  # fmt: skip
    with pytest.raises(InputError, match="scenario = 'guess'"):
        figure.add("guess", "guess")
    table = figure.run(seed=1).data()
    assert set(table["label"]) == {"4×32", "8×16", "2×64"}
    assert any("2×64" in text.get_text() for text in figure.plot().axes[1].texts)
    with pytest.raises(InputError, match="no scenarios that one could be added to"):
        figures.PlacementMap().add("more", LINES["4×32 first fit"])


def test_a_part_of_the_processors_bears_all_of_the_load():
    """A quarter of 128 processors is half of what 64 alone can do."""
    alone = LINES["64 alone, total"]
    scale = replace(TINY, most_jobs=400)
    found = curve_figures.curve_point(alone, 0.25, 128, scale, seed=1)
    expected = response_point(alone, 0.5, precision=0.5, jobs=400, most_jobs=400, seed=1)
    assert found["estimate"] == expected.response.estimate


def test_loads_that_are_not_borne_have_no_response():
    few = Bound(Interval(0.4, 0.39, 0.41, 5), "simulation")
    with pytest.raises(InputError, match="the system bears"):
        scenarios.response(LINES["4×32 first fit"], 0.6, few, 1000, seed=1)
    points = curve_figures.below({"a line": few}, [0.3, 0.39, 0.4])
    assert [point["utilization"] for point in points] == [0.3]
