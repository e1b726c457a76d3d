"""The division explorer: response times for several ways to divide processors into clusters."""

import pytest

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.plots.curves import TOP
from studies.cluster_configurations import division_explorer as divisions
from studies.cluster_configurations.division_explorer import division_explorer, division_picture
from tests.plots.test_curves import RESPONSES
from tests.widgets.reading import control, lettering, notes, source

MODEL = co.JobModel(co.uniform(1, 8), 4)
FEW = divisions.CurveEffort(saturated_jobs=400, jobs=100, replications=2, step=2)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Simulate few jobs."""
    monkeypatch.setattr(divisions, "FINE", divisions.COARSE)


def test_the_picture_has_the_numbers_of_its_curves():
    picture = division_picture("32,32,32,32")
    assert picture.image == division_picture("4x32").image
    assert picture.alt.startswith("Worst fit carries 89 %")
    model = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), 4)
    curves = divisions.division_curves(co.Multicluster([32] * 4), model, divisions.FINE)
    points = [point for curve in curves.values() for point in curve.points]
    # At low load, the interval ends at the mean run time, so it is not symmetric about the
    # estimate.
    assert all(point.response.text(2) in picture.alt for point in points)


def test_what_was_before_is_a_ghost_and_the_axes_stay():
    box = division_explorer()
    first = source(box)
    control(box, "clusters").value = "64,32,2x16"
    assert "dashed: before, 4 × 32, 4 components" in lettering(box)
    control(box, "clusters").value = "4x32"
    assert "dashed: before, 64" in lettering(box)
    assert source(box) != first  # which had nothing before it
    control(box, "components").value = 2
    assert "4 × 32, 2 components of D(0.9)[1,8]" in lettering(box)
    assert "dashed: before, 4 × 32, 4 components" in lettering(box)
    figures = [plots.curves(RESPONSES, whole=True), plots.curves(RESPONSES[:6], whole=True)]
    ends = {(a.get_xlim(), b.get_xlim(), a.get_ylim()) for a, b in (f.axes for f in figures)}
    assert ends == {((0, 1), (0, 1), (0.93, TOP))}


@pytest.mark.parametrize("how", [{"request": "total"}, {"request": "flexible"}, {"merged_into": 2}])
def test_jobs_of_more_components_than_clusters_run_if_they_can(how):
    pair, jobs = co.Multicluster([32, 32]), co.JobModel(co.uniform(1, 4), 4, **how)
    assert set(divisions.division_curves(pair, jobs, FEW)) == {"first fit", "worst fit"}


def test_unordered_jobs_of_more_components_than_clusters_are_named():
    pair, jobs = co.Multicluster([32, 32]), co.JobModel(co.uniform(1, 4), 4)
    with pytest.raises(co.InputError, match=r"^components = 4; give at most 2, because"):
        divisions.division_curves(pair, jobs, FEW)


def test_a_division_that_is_typed_replaces_the_one_of_the_slider():
    box = division_explorer()
    control(box, "or your own").value = "4x20,48"
    assert control(box, "clusters").disabled
    assert "20,20,20,20,48, 4 components" in lettering(box)
    control(box, "or your own").value = "128"
    (note,) = notes(box)
    assert "give at most 1, because each component needs a different cluster of 128" in note
    control(box, "or your own").value = ""
    assert not control(box, "clusters").disabled
    assert notes(box) == []


def test_a_division_of_another_number_of_processors_says_so():
    box = division_explorer()
    assert "processors)" not in lettering(box)
    control(box, "or your own").value = "4X40"
    assert "4 × 40 (160 processors), 4 components of" in lettering(box)
    control(box, "or your own").value = "2×28,40,32"
    assert "28,28,40,32, 4 components of" in lettering(box)
    assert "dashed: before, 4 × 40 (160 processors)" in lettering(box)


def test_a_coarse_picture_has_its_axes_under_its_titles_and_inside():
    figure = plots.curves(RESPONSES, title="A title " * 20, subtitle="words " * 30)
    divisions._place_axes(figure)
    figure.canvas.draw()
    titles = min(text.get_window_extent().y0 for text in [figure._suptitle, *figure.texts])
    for box in (axes.get_tightbbox() for axes in figure.axes):
        assert 0 <= box.x0 < box.x1 <= figure.bbox.width
        assert 0 <= box.y0 < box.y1 < titles
