"""The first study: a row for everything printed, and verdicts that could say the opposite."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.saturation import heavy_traffic
from coalloc_lib.studies import maximal_utilization as study
from coalloc_lib.studies.loss_tables import cell_loss
from coalloc_lib.studies.maximal_utilization import claims, figures, scenarios, tables
from coalloc_lib.studies.maximal_utilization.parameters import FIVE, FOUR, sizes
from coalloc_lib.studies.measurements import InOrder, Saturated, measure
from coalloc_lib.studies.published import load_claims, load_published
from tests.studies.cells import TINY, check_cells

TINY = replace(TINY, replications=8)


@pytest.fixture(scope="module")
def log():
    return scenarios.load_log()


@pytest.fixture(scope="module")
def runs(log):
    table = scenarios.all_scenarios(log)
    found = measure(table, TINY, seed=1)
    losses = {key: found[entry] for key, entry in table.items()}
    return claims.Runs(tables.compute_cells(TINY, seed=1), losses, log)


@pytest.fixture
def figure8(log, monkeypatch):
    monkeypatch.setitem(study.SCALES, "quick", TINY)
    return {f.name: f for f in figures.all_figures(scenarios.all_scenarios(log), log)}["figure8"]


def test_every_cell_and_claim_has_its_row(runs, monkeypatch):
    monkeypatch.setattr(study, "compute_cells", lambda *_, **__: runs.cells)
    monkeypatch.setattr(
        study,
        "measure",
        lambda table, *_: {entry: runs.losses[key] for key, entry in table.items()},
    )
    result = study.reproduce("quick")
    items = [row.item for row in result.rows]
    assert len(items) == len(set(items)) == 140 + 11 + 12
    assert {cell.item for cell in load_published(study.NAME)} <= set(items)
    assert set(load_claims(study.NAME)) <= set(items)
    assert {row.study for row in result.rows} == {study.NAME}
    for figure in result.figures:
        figure.plot().canvas.draw()
        assert len(figure.data())


def test_cells_are_the_printed_ones(runs):
    check_cells(runs.cells, calculated=80, simulated=60, slack=0.01)


def test_which_cells_were_simulated_until_the_response_time_was_reached():
    cells = [cell for cell in load_published(study.NAME) if cell.method == "simulation"]
    assert sum(map(tables.by_response, cells)) == 30
    assert not any(tables.by_response(cell) for cell in cells if cell.request == "ordered")


def test_result_does_not_depend_on_the_number_of_workers(log):
    table = scenarios.all_scenarios(log)
    few = {key: table[key] for key in list(table)[:4]}
    one, two = (measure(few, TINY, seed=3, workers=w) for w in (1, 2))
    assert list(one) == list(two)
    for key, values in one.items():
        np.testing.assert_array_equal(values.values, two[key].values)


def test_scenarios_share_their_random_numbers():
    """Differences of policies are far more certain than the losses themselves."""
    scenario = co.Scenario(FOUR, co.JobModel(sizes("D(0.894)[1,32]"), 4))
    scale = replace(TINY, replications=12)
    worst, first = (
        Saturated(scenario.with_(placement=rule)).measure(scale, 5)
        for rule in (co.WorstFit(), co.FirstFit())
    )
    apart = np.hypot(first.interval.half_width, worst.interval.half_width)
    assert (first - worst).interval.half_width < 0.7 * apart


def shifted(runs, change):
    """Runs in which the losses whose key `change` knows are replaced."""
    losses = {key: Sample(change(key, found.values)) for key, found in runs.losses.items()}
    return replace(runs, losses=losses)


OPPOSITES = {
    "MU-4": lambda key, v: v + 0.5 if key[0] == "independent" else v,
    "MU-5": lambda key, v: v * 1.9 if key[0] == "independent" else v,
    "MU-6": lambda key, v: 0.45 - v if key[0] == "dependent" else v,
    "MU-7": lambda key, v: {
        "dependent": v + 0.05 * len(key[1]),
        "independent": v * 0 + 0.2,
    }.get(key[0], v),
    "MU-7 in part": lambda key, v: v + 0.05 * len(key[1]) if key[0] == "dependent" else v,
    "MU-8": lambda key, v: v * 0 + 0.3 if key[0] == "service" else v,
    "MU-9": lambda key, v: v - 0.2 if key[0] == "fpfs" else v,
    "MU-10": lambda key, v: v + 0.3 if key[2] == "first fit" else v,
    "MU-11": lambda key, v: v * 0 + 0.4 if key[0] == "logs" else v,
    "MU-10 other way": lambda key, v: v - 0.3 if key[2] == "first fit" else v,
    "MU-8 other way": lambda key, v: v * 0.2 if "cv 10" in key[2] else v,
    "MU-9 other way": lambda key, v: v + 0.3 if key[2] == "held 5" else v,
    "MU-5 another exception": lambda key, v: v * 2 if key[:2] == ("independent", "U[1,7]") else v,
    "MU-7 other way": lambda key, v: v * 0 + 0.2 if key[0] == "independent" else v,
    "MU-12": lambda key, v: 0.4 - v if key[0] == "co-allocation" else v,
}


@pytest.mark.parametrize("item", OPPOSITES)
def test_verdicts_follow_the_figures(item, runs):
    name = item.split()[0]
    before, after = (
        claims.claim.row(name, each) for each in (runs, shifted(runs, OPPOSITES[item]))
    )
    assert (before.verdict, before.note) != (after.verdict, after.note)
    if item in ("MU-4", "MU-6", "MU-7", "MU-12"):
        assert before.verdict != after.verdict


def test_a_gain_is_the_loss_that_overtaking_takes_away():
    noise = np.array([-1e-4, 1e-4] * 4)
    losses = {("independent", name, "unordered"): Sample(0.4 + noise) for name in claims.ROOM}
    for name in claims.ROOM:
        for how in ("held", "Poisson"):
            losses["fpfs", name, f"{how} 5"] = Sample(0.39 + noise)
            losses["fpfs", name, f"{how} 50"] = Sample(0.3 + noise)
    row = claims.claim.row("MU-9", claims.Runs([], losses, None))
    assert row.verdict == "holds"
    assert row.reproduced == pytest.approx(0.1)


def test_cells_that_noise_may_have_moved_are_undecided():
    exact = SimpleNamespace(loss=Interval.exact(0.3))
    simulated = [
        SimpleNamespace(loss=Interval(0.301, 0.301 - half, 0.301 + half, 9))
        for half in (0.001, 0.01)
    ]
    assert claims._within([(cell, exact) for cell in simulated], 0.003) == [True, None]


def test_a_total_request_has_one_cluster_as_large_as_all():
    """Sums of four sizes on one cluster of 128, as any printed number of the kind."""
    cell = next(
        cell
        for cell in load_published(study.NAME)
        if (cell.request, cell.method, cell.clusters) == ("total", "exact", 4)
    )
    law = co.parse_sizes(cell.component_sizes).sum_of(4)
    expected = co.maximal_utilization(co.Multicluster([128]), law).capacity_loss
    assert cell_loss(cell, False, TINY, None)["estimate"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("item", ["MU-2", "MU-3"])
@pytest.mark.parametrize(
    ("shift", "half", "verdict"),
    [(0, 0, "holds"), (0.1, 0.01, "does not hold"), (0, 0.1, "cannot be tested")],
    ids=["as printed", "far off", "noisy"],
)
def test_verdicts_follow_the_tables(item, shift, half, verdict, runs):
    def simulated(cell):
        loss = cell.published.capacity_loss + shift
        return replace(cell, loss=Interval(loss, loss - half, loss + half, 9))

    made = [simulated(cell) if cell.is_simulated else cell for cell in runs.cells]
    assert claims.claim.row(item, replace(runs, cells=made)).verdict == verdict


def test_the_pathological_example_is_simulated_too():
    """MU-1's formula against the definition: each job runs alone."""
    jobs = co.JobStream(np.zeros(500), np.ones(500), np.tile([8, 1], (500, 1)), request="ordered")
    busy = heavy_traffic(co.Scenario(co.Multicluster([15, 15]), jobs), jobs)
    assert claims.pathological_loss(2, 15) == pytest.approx(1 - busy.mean())
    assert claims.pathological_loss(2, 15) == pytest.approx(1 - 9 / 30)


def test_subtitles_name_the_stand_in(log):
    stand_in = replace(log, is_stand_in=True)
    table = scenarios.all_scenarios(stand_in)
    said = {figure.name: figure.subtitle for figure in figures.all_figures(table, stand_in)}
    assert f"{log.name} (synthetic stand-in)" in said["figure7"]


def test_a_bar_of_ones_own_joins_a_figure(figure8):
    two = co.Scenario(FOUR, co.JobModel(sizes("D(0.9)[1,8]"), 4, merged_into=2))
    label = "4 × 32", "two components"
    for bad in ("two", (4, "x")):
        with pytest.raises(co.InputError, match="give a pair of texts"):
            figure8.add(bad, two)
    with pytest.raises(co.InputError, match="is taken in figure8"):
        figure8.add(next(iter(figure8.entries)), two)
    with pytest.raises(co.InputError, match="has not run"):
        figure8.add(label, two).data()
    losses = figure8.run(seed=1).data().set_index("series")["capacity_loss"]
    assert len(losses) == 3
    assert losses["two components"] < losses["one component"]
    figure8.plot().canvas.draw()


def test_five_distributions_are_those_of_table_5():
    means = [sizes(name).mean for name in FIVE]
    assert means == pytest.approx([4.0, 4.0, 4.0, 7.5, 7.48], abs=0.03)


def test_a_figure_measures_only_what_it_has_not(figure8):
    first = figure8.run(seed=1).found
    figure8.run(seed=1)
    assert figure8.found is first
    assert figure8.run(seed=2).found is not first


def test_bars_on_tails_that_were_not_drawn_are_in_doubt(figure8):
    model = co.JobModel(sizes("D(0.9)[1,8]"), 4, service=co.Hyperexponential(1.0, 1000))
    label = "4 × 32", "rare long jobs"
    data = figure8.add(label, co.Scenario(FOUR, model)).run(seed=1).data().set_index("series")
    assert "carry the work" in data.loc["rare long jobs", "doubt"]
    assert data.drop(index="rare long jobs")["doubt"].tolist() == ["", ""]
    assert figure8.interval(label).above(0) is None


def test_a_log_is_served_by_the_scenarios_own_policies():
    jobs = co.JobModel(sizes("D(0.9)[1,8]"), 4).sample(2000, 3)
    rules = co.WorstFit(), co.FirstFit()
    worst, first = (InOrder(co.Scenario(FOUR, jobs, placement=r)).measure(TINY, 0) for r in rules)
    assert first.mean > worst.mean


def test_what_overtakes_is_measured_with_a_queue():
    model = co.JobModel(sizes("D(0.9)[1,8]"), 4)
    fcfs, fpfs = (
        Saturated(co.Scenario(FOUR, model, policy)).measure(TINY, 1).mean
        for policy in (co.FCFS(), co.FPFS(50))
    )
    assert fpfs < fcfs - 0.02


def test_what_is_undecided_or_in_doubt_fails_nothing(runs):
    noisy = shifted(
        runs, lambda k, v: np.resize([-1.0, 1.0], v.shape) if k[0] == "dependent" else v
    )
    assert claims.claim.row("MU-6", noisy).verdict == "cannot be tested"
    doubtful = {key: replace(found, doubt="three jobs") for key, found in runs.losses.items()}
    for number in range(4, 13):
        row = claims.claim.row(f"MU-{number}", replace(runs, losses=doubtful))
        assert row.verdict == "cannot be tested", row.item
