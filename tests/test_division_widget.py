"""The division explorer without a browser: a valid division always, and what follows from it."""

import time

import ipywidgets as ipw
import pytest

from coalloc_lib import plots, widgets
from coalloc_lib.checks import InputError
from coalloc_lib.names import display_name
from coalloc_lib.widgets import division_picture, divisions
from tests.plots.test_lines import RESPONSES
from tests.test_widgets import all_widgets, control, notes, source, words


@pytest.fixture(scope="module")
def explored():
    return widgets.division_explorer()


@pytest.fixture
def box(explored):
    """The explorer at its start; it keeps its pictures' curves from test to test."""
    for label, value in START.items():
        control(explored, label).value = value
    return explored


START = {
    "sizes": "32,32,32,32",
    "components": 4,
    "their sizes": "D(0.9)[1,8]",
    "alpha": 1.0,
}


def test_every_slider_has_a_text_entry_of_its_name(box):
    sliders = [w for w in all_widgets(box) if isinstance(w, (ipw.IntSlider, ipw.FloatSlider))]
    assert len(sliders) == 1 + divisions.MOST_CLUSTERS + 2
    for slider in sliders:
        entry = control(box, slider.description)
        assert isinstance(entry, (ipw.BoundedIntText, ipw.BoundedFloatText))
        assert slider.description
        assert (entry.value, entry.min, entry.max) == (slider.value, slider.min, slider.max)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("clusters", 5),
        ("cluster 1", 33),
        ("cluster 3", 20),
        ("sizes", "64,32,16,16"),
        ("components", 3),
        ("their sizes", "U[1,7]"),
        ("alpha", 1.4),
    ],
)
def test_the_picture_follows_every_control_and_comes_back(box, label, value):
    changed, before = control(box, label), (words(box), source(box))
    start, changed.value = changed.value, value
    assert words(box) != before[0]
    assert source(box) != before[1]
    changed.value = start
    assert (words(box), source(box)) == before


def test_the_sliders_always_divide_the_processors(box):
    control(box, "clusters").value = 5
    assert control(box, "sizes").value == "26,26,26,25,25"
    control(box, "cluster 2").value = 40
    assert control(box, "sizes").value == "22,40,22,22,22"
    control(box, "cluster 5").value = 1000
    assert control(box, "sizes").value == "1,1,1,1,124"
    control(box, "cluster 1").value = 25
    assert sum(map(int, control(box, "sizes").value.split(","))) == divisions.PROCESSORS


def test_only_sliders_of_clusters_that_are_there_are_shown(box):
    rows = [w for w in all_widgets(box) if isinstance(w, ipw.HBox)]
    named = {getattr(row.children[0], "description", ""): row.layout.display for row in rows}
    assert [named[f"cluster {number}"] for number in (4, 5, 8)] == ["", "none", "none"]


def test_the_sliders_follow_a_text_that_they_could_have_written(box):
    control(box, "sizes").value = "64,32,16,8,8"
    assert [control(box, f"cluster {i}").value for i in range(1, 6)] == [64, 32, 16, 8, 8]
    assert control(box, "clusters").value == 5
    control(box, "sizes").value = "64,64,64,64"
    assert "4 × 64 processors" in words(box)
    rows = [w for w in all_widgets(box) if isinstance(w, ipw.HBox)]
    named = {getattr(row.children[0], "description", ""): row.layout.display for row in rows}
    assert [named[label] for label in ("clusters", "cluster 1")] == ["none", "none"]


def test_each_component_has_a_cluster(box):
    control(box, "components").value = 5
    assert control(box, "clusters").value == 5
    control(box, "clusters").value = 2
    assert control(box, "components").value == 2
    assert not notes(box)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sizes": "64;32"}, "give the processors of each cluster"),
        ({"sizes": ""}, "give the processors of each cluster"),
        ({"sizes": "112,12,2,2"}, "can never start"),
        ({"their sizes": "Z[1,8]"}, "Z[1,8]"),
    ],
)
def test_what_is_impossible_says_so_in_one_line_and_keeps_the_picture(box, changes, message):
    before = source(box)
    for label, value in changes.items():
        control(box, label).value = value
    (said,) = notes(box)
    assert message in said
    assert "\n" not in said
    assert source(box) == before
    for label, value in START.items():
        control(box, label).value = value
    assert not notes(box)


def test_refined_intervals_are_narrower():
    question = (32, 32, 32, 32), 4, "D(0.9)[1,8]"
    coarse, fine = (
        divisions.division_curves(*question, effort)
        for effort in (divisions.COARSE, divisions.FINE)
    )
    for name in map(display_name, divisions.COMPARED):
        assert fine[name].maximum.interval.half_width < coarse[name].maximum.interval.half_width
        assert coarse[name].maximum.interval.contains(fine[name].maximum.max_utilization) or (
            abs(coarse[name].maximum.max_utilization - fine[name].maximum.max_utilization) < 0.01
        )


def test_alpha_moves_the_points_by_its_rule_without_a_new_simulation(monkeypatch):
    question = (32, 32, 32, 32), 4, "D(0.9)[1,8]"
    divisions.division_curves(*question)
    monkeypatch.setattr(divisions, "_curve", None)
    assert "1.6 times as long" in division_picture(*question, alpha=1.6).alt
    with pytest.raises(InputError, match="alpha"):
        division_picture(*question, alpha=0.9)


@pytest.mark.parametrize("sizes", [None, 5.5, ["a"], [0, 1], "64;64", [[1, 2]]])
def test_sizes_that_are_none_are_refused_in_one_line(sizes):
    for make in (division_picture, widgets.division_explorer):
        with pytest.raises(InputError, match=r"^sizes.*; ") as error:
            make(sizes)
        assert "\n" not in str(error.value)


def test_an_explorer_takes_the_sizes_that_a_picture_takes():
    assert control(widgets.division_explorer("64,64"), "sizes").value == "64,64"


def test_a_picture_says_what_it_shows():
    picture = division_picture("32,32,32,32")
    assert picture.alt == division_picture((32, 32, 32, 32)).alt
    assert "first fit bears 0.84" in picture.alt
    assert picture.alt.startswith("Worst fit bears 89%")


def test_a_coarse_picture_has_its_axes_under_its_titles_and_inside():
    figure = plots.curves(RESPONSES, title="A title " * 20, subtitle="words " * 30)
    divisions._place_axes(figure)
    figure.canvas.draw()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    (low, left), (high, right) = figure.bbox.get_points()
    assert all(box.x0 >= low and box.x1 <= high for box in boxes)
    assert all(box.y0 >= left and box.y1 <= right for box in boxes)
    titles = min(text.get_window_extent().y0 for text in [figure._suptitle, *figure.texts])
    assert max(box.y1 for box in boxes) < titles


def test_an_answer_costs_about_as_much_as_a_few_drawings():
    def seconds(sizes):
        begin = time.perf_counter()
        division_picture(sizes, coarse=True)
        return time.perf_counter() - begin

    seconds((32, 32, 32, 32))
    for sizes in [(48, 40, 24, 16), (16,) * 8, (40, 30, 20, 20, 10, 8)]:
        answer = seconds(sizes)
        drawing = min(seconds(sizes) for _ in "123")  # what was simulated is known now
        assert answer < 15 * drawing
