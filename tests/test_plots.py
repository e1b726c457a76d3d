"""Pictures hold what they are given, and say it in words that can be read."""

from itertools import combinations

import matplotlib.colors
import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from tests.pictures import ENDLESS, texts

#: What red-green blind eyes see of linear red, green and blue (Machado and others, 2009).
DEUTERANOPIA = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])
#: Names that one figure may hold together.
TOGETHER = (
    ("ordered", "unordered", "total", "flexible"),
    ("worst fit", "first fit", "best fit", "single then span"),
    ("FCFS", "FPFS", "EASY", "Conservative", "Online"),
    ("four components", "one component"),
    ("independent", "dependent"),
    ("equation", "simulated"),
)


@pytest.mark.parametrize("names", TOGETHER)
def test_meanings_can_be_told_apart_also_by_red_green_blind_readers(names):
    signs = plots.signs(names)
    assert len({sign.marker for sign in signs.values()}) == len(names)
    seen = [matplotlib.colors.to_rgb(sign.colour) for sign in signs.values()]
    for one, other in combinations(np.power(seen, 2.2), 2):
        assert np.linalg.norm(DEUTERANOPIA @ (one - other)) > 0.08


def test_each_meaning_has_a_colour_of_its_own():
    looks = [*dict.fromkeys(plots.MEANINGS.values()), *plots.signs("abcde").values(), plots.LOSS]
    assert len({sign.colour for sign in looks}) == len(looks)


def test_a_meaning_looks_the_same_whatever_is_said_beside_it():
    both = plots.signs(["ordered requests", "unordered (simulated)"])
    assert both["ordered requests"] == plots.MEANINGS["ordered"]
    assert both["unordered (simulated)"] == plots.MEANINGS["unordered"]
    assert plots.signs(["worst fit"])["worst fit"] == plots.STANDARD


def test_names_without_a_meaning_and_second_ones_get_looks_of_their_own():
    found = plots.signs(["FPFS(5)", "FPFS(50)", "mine", "yours"])
    assert len({sign.colour for sign in found.values()}) == 4
    assert found["FPFS(5)"] == plots.MEANINGS["FPFS"]


def test_shades_are_steps_of_one_quantity():
    brightness = [
        sum(matplotlib.colors.to_rgb(sign.colour)) for sign in plots.shades("1234").values()
    ]
    assert brightness == sorted(brightness)


@pytest.fixture
def groups():
    return {
        "U[1,7]": {"ordered": 0.22, "unordered": Interval(0.1, 0.09, 0.11, 8)},
        "mine": {"unordered": 0.3},
    }


def test_bars_are_named_and_numbered_where_they_end(groups):
    axes = plots.bars(groups, title="t").axes[0]
    assert [bar.get_width() for bar in axes.patches] == [0.22, 0.1, 0.3]
    assert texts(axes) == ["ordered 0.220", "unordered 0.100 ± 0.010", "unordered 0.300"]
    ends = [text.get_position()[0] for text in axes.texts]
    assert all(end > least for end, least in zip(ends, (0.22, 0.11, 0.3), strict=True))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["U[1,7]", "mine"]
    colours = [matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in axes.patches]
    assert colours[1] == colours[2] == plots.STANDARD.colour != colours[0]


def test_a_share_ends_at_one(groups):
    axes = plots.bars({"x": {"lost": 0.98}}, title="t").axes[0]
    assert max(axes.get_xticks()) <= 1 < axes.get_xlim()[1]


def test_the_threshold_of_a_claim_is_drawn_in_each_group_and_named(groups):
    threshold = "half of ordered", {"U[1,7]": 0.11, "mine": 0.2}
    axes = plots.bars(groups, title="t", threshold=threshold).axes[0]
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [0.11, 0.2]
    assert "half of ordered" in texts(axes)


def test_words_of_bars_stay_inside_the_picture(groups):
    figure = plots.bars(groups | {"x": {"a name that is rather long indeed": 0.9}}, title="t")
    figure.draw_without_rendering()
    (axes,) = figure.axes
    for text in axes.texts:
        assert text.get_window_extent().x1 <= figure.bbox.x1


def test_a_threshold_may_reach_from_one_loss_to_another_or_miss_a_group(groups):
    axes = plots.bars(groups, title="t", threshold=("half", {"mine": (0.1, 0.2)})).axes[0]
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [0.1, 0.2]
    top, bottom = dashed[0].get_ydata()
    assert top < axes.patches[2].get_y() < bottom


def test_no_bars_are_refused():
    with pytest.raises(InputError, match=r"^groups = {}; give"):
        plots.bars({}, title="t")
    with pytest.raises(InputError, match=r"^groups\['x'\] = {}; give"):
        plots.bars({"x": {}}, title="t")


@pytest.mark.parametrize("value", [np.nan, -np.inf, *ENDLESS])
def test_a_bar_without_an_end_is_refused_by_its_name(value):
    with pytest.raises(InputError, match=r"^groups\['x'\]\['lost'\] = .*; .* leave it out"):
        plots.bars({"x": {"kept": 0.5, "lost": value}}, title="t")


@pytest.mark.parametrize("values", [(-0.2, 0.4), (-120.0, -80.0), (-1e-3, 0.9)])
def test_negative_bars_and_their_words_stay_inside_the_picture(values):
    row = {f"a name that is rather long {v}": Interval(v, v - 0.1, v + 0.1, 5) for v in values}
    figure = plots.bars({"x": row}, title="t")
    figure.draw_without_rendering()
    (axes,) = figure.axes
    left, right = axes.get_xlim()
    assert left < min(values) - 0.1 < max(values) + 0.1 < right
    for text in axes.texts:
        assert text.get_position()[0] > 0
        assert text.get_window_extent().x1 <= figure.bbox.x1


def test_a_figure_in_doubt_is_told_so():
    groups = {"x": {"a": Interval(0.25, 0.24, 0.26, 8, doubt="few jobs ended")}}
    assert texts(plots.bars(groups, title="t").axes[0]) == ["a 0.250 ± 0.010, in doubt"]


def test_titles_are_wrapped_and_get_their_room():
    short, long = plots.new_figure(3)[0], plots.new_figure(3)[0]
    plots.title_figure(short, "seen", "plotted")
    plots.title_figure(long, "seen " * 40, "plotted " * 40)
    assert long.get_figheight() > short.get_figheight() > 3
    assert "\n" in long.get_suptitle()
    assert short.get_suptitle() == "seen"
    long.draw_without_rendering()
    top = long.axes[0].get_tightbbox().y1
    assert all(text.get_window_extent().y0 >= top - 1 for text in long.texts)


def test_density_has_a_panel_for_each_distribution():
    panels = {"processors": ([1, 2], [0.4, 0.6], 1.0), "seconds": ([0, 30], [0.9, 0.1], 30.0)}
    figure = plots.density(panels, title="t", ylabel="share")
    assert [axes.get_xlabel() for axes in figure.axes] == ["processors", "seconds"]
    assert [bar.get_height() for bar in figure.axes[1].patches] == [0.9, 0.1]


def test_a_drawing_keeps_its_text_and_is_the_same_each_time(groups):
    one, other = (plots.to_svg(plots.bars(groups, title="What is seen")) for _ in "12")
    assert one == other
    assert "What is seen</text>" in one
    assert "unordered 0.100 ± 0.010</text>" in one
    assert "Verdana" in one


def test_an_axis_of_what_is_no_share_has_its_ticks():
    figure = plots.bars({"all": {"a": 12.0, "b": 17.0}}, title="Times")
    ticks = figure.axes[0].get_xticks()
    assert max(ticks) > 10
