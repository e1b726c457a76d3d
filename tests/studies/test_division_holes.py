"""The idle processors of a full system in the division explorer."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.model.system import parse_clusters
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from studies.cluster_configurations.division_explorer import division_explorer
from studies.cluster_configurations.division_holes import idle_by_rank, mean_components
from tests.widgets.reading import control, lettering, notes, words

PLACEMENTS = ("first-fit", "worst-fit")


def test_one_kind_of_jobs_leaves_the_same_processors_idle_all_the_time():
    """Three processors of five run one job of three at a time, and the smaller cluster none."""
    jobs = co.JobModel(co.uniform(3, 3), components=1)
    found = idle_by_rank(co.Multicluster([5, 2]), jobs, ("first-fit",))
    assert [each.mean for each in found["first fit"]] == pytest.approx([2, 2])


def test_the_idle_processors_are_those_that_the_maximal_utilization_leaves():
    system, model = co.Multicluster([16] * 8), co.JobModel(co.uniform(1, 8), 4)
    for name, found in idle_by_rank(system, model, PLACEMENTS).items():
        placement = co.FirstFit() if name == "first fit" else co.WorstFit()
        most = max_utilization_by_simulation(co.Scenario(system, model, placement=placement))
        means = [each.mean for each in found]
        assert means == sorted(means, reverse=True)
        assert sum(means) / 128 == pytest.approx(1 - most.max_utilization, abs=0.01)


def test_the_mean_components_of_a_job_are_in_the_order_of_their_sizes():
    """The larger of two fair coins with the values 1 and 2 has the mean 1.75."""
    assert mean_components(co.JobModel(co.uniform(1, 2), 2)) == pytest.approx(
        [1.75, 1.25], abs=0.03
    )


@pytest.mark.parametrize(("division", "better"), [("4x32", "worst fit"), ("8x16", "first fit")])
def test_the_idle_processors_follow_the_components_under_the_better_placement(division, better):
    """The largest difference of a cluster from the component that it could take."""
    model = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4)
    needed = np.array(mean_components(model))
    found = idle_by_rank(parse_clusters(division), model, PLACEMENTS)
    away = {
        name: np.abs(np.array([each.mean for each in ranks[:4]]) - needed).max()
        for name, ranks in found.items()
    }
    assert min(away, key=away.get) == better


def test_the_explorer_shows_the_idle_processors_of_the_chosen_division():
    box = division_explorer("show=idle processors")
    model = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4)
    found = idle_by_rank(co.Multicluster([32] * 4), model, PLACEMENTS)
    assert "the queue is never empty" in lettering(box)
    for name, each in found.items():
        assert f"{name} leaves idle {each[0].interval.text(1)}" in words(box)
    assert np.ptp([each.mean for each in found["worst fit"]]) < 4
    control(box, "or your own").value = "3x40"
    (note,) = notes(box)
    assert note.startswith("components = 4; give at most 3, because")
