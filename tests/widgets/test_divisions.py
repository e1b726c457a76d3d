"""The division explorer: response times for several ways to divide processors into clusters."""

import re

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib import plots, widgets
from coalloc_lib.plots.curves import TOP
from coalloc_lib.widgets import divisions
from tests.plots.test_curves import RESPONSES
from tests.widgets.reading import control, lettering, notes, source

MODEL = co.JobModel(co.uniform(1, 8), 4)
FEW = divisions.CurveEffort(saturated_jobs=400, jobs=100, replications=2, step=2)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (([32] * 4, MODEL), "system = [32, 32, 32, 32] is not of type Multicluster; give "),
        ((co.Multicluster([32] * 4), "U[1,8]"), "model = 'U[1,8]' is not of type JobModel; give "),
        ((co.Multicluster([32] * 4), MODEL, [1]), "effort = [1] is not of type CurveEffort; give "),
    ],
)
def test_a_wrong_argument_of_the_curves_is_named(given, error):
    with pytest.raises(co.InputError, match=f"^{re.escape(error)}"):
        divisions.division_curves(*given)


def test_a_caller_may_alter_the_curves_that_it_got():
    given = co.Multicluster([8, 8]), co.JobModel(co.uniform(1, 4), 2), divisions.COARSE
    curves = divisions.division_curves(*given)
    names = [*curves]
    curves.clear()
    assert [*divisions.division_curves(*given)] == names


@pytest.mark.parametrize(
    ("make", "arguments", "name"),
    [
        (widgets.division_picture, {"penalty": -0.1}, "^penalty = -0.1"),
        (widgets.division_picture, {"sizes": "64;64"}, "^sizes.*; "),
        (widgets.division_explorer, {"divisions": "64,64"}, "^divisions = .*; give a non-empty"),
        (widgets.division_explorer, {"divisions": []}, "^divisions = .*; give a non-empty"),
        (widgets.division_explorer, {"divisions": 5}, "^divisions = 5; give a non-empty"),
        (widgets.division_explorer, {"divisions": [[32, 32]]}, r"^divisions\[0\] = \[32.*; give"),
        (widgets.division_explorer, {"divisions": ["8,8", 2]}, r"^divisions\[1\] = 2; give"),
        (
            widgets.division_explorer,
            {"divisions": ["8,8", "8;8"]},
            r"^divisions\[1\] = '8;8'; give",
        ),
        (widgets.division_explorer, {"components": "x"}, "^components = 'x'; give "),
        (widgets.division_explorer, {"component_sizes": "x"}, "^sizes = 'x'; write "),
        (widgets.division_explorer, {"penalty": -1}, "^penalty = -1; give "),
    ],
)
def test_what_makes_no_sense_is_named(make, arguments, name):
    with pytest.raises(co.InputError, match=name):
        make(**arguments)


@pytest.mark.usefixtures("quick", "without_images")
def test_the_divisions_may_be_an_array_of_texts():
    box = widgets.division_explorer(np.array(["8,8", "12,4"]), components=2)
    assert control(box, "clusters").options == ("8,8", "12,4")
    assert not notes(box)


def test_a_penalty_moves_the_points_by_its_rule_without_a_new_simulation(monkeypatch):
    picture = widgets.division_picture("32,32,32,32")
    sizes = divisions.parse_sizes("D(0.9)[1,8]")
    curves = divisions.division_curves(co.Multicluster([32] * 4), co.JobModel(sizes, 4))
    monkeypatch.setattr(divisions, "response_curve", None)
    assert picture.image == widgets.division_picture((32, 32, 32, 32)).image
    assert picture.alt.startswith("Worst fit carries 89 %")
    points = [point for curve in curves.values() for point in curve.points]
    # At low load, the interval ends at the mean run time, so it is not symmetric about the
    # estimate.
    assert all(point.response.text(2) in picture.alt for point in points)
    assert widgets.division_picture(penalty=0.6).alt.startswith("Worst fit carries 56 %")


@pytest.mark.usefixtures("quick")
def test_what_was_before_is_a_ghost_and_the_axes_stay():
    box = widgets.division_explorer()
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


@pytest.mark.usefixtures("quick")
def test_a_division_that_is_typed_replaces_the_one_of_the_slider():
    box = widgets.division_explorer()
    control(box, "or your own").value = "4x20,48"
    assert control(box, "clusters").disabled
    assert "20,20,20,20,48, 4 components" in lettering(box)
    control(box, "or your own").value = "128"
    (note,) = notes(box)
    assert "give at most 1, because each component needs a different cluster of 128" in note
    control(box, "or your own").value = ""
    assert not control(box, "clusters").disabled
    assert notes(box) == []


@pytest.mark.usefixtures("quick")
def test_a_division_of_another_number_of_processors_says_so():
    box = widgets.division_explorer()
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


@pytest.mark.usefixtures("without_images")
def test_earlier_values_that_are_not_given_are_the_present_ones():
    picture = widgets.division_picture("4x32", coarse=True, before={"sizes": "8x16"})
    assert picture.alt.startswith("Worst fit carries")
    with pytest.raises(co.InputError, match=r"^before = '8x16' is not of type dict; give"):
        widgets.division_picture("4x32", coarse=True, before="8x16")
