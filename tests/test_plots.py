"""Pictures hold what they are given, and say it in words that can be read."""

from itertools import combinations

import matplotlib.colors
import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.curves import Curve, Point
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.plots import response_curves

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


def texts(axes):
    return [text.get_text() for text in axes.texts]


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


#: Figures that have no place in a picture.
ENDLESS = (Interval(np.nan, 0, 1, 2), Interval(0.5, 0, np.inf, 2), Interval(0.5, np.nan, 1, 2))


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


def test_beside_published_draws_differences_around_the_print():
    rows = {"row": {"exact": (0.5, 0.5004), "simulated": (0.5, Interval(0.49, 0.48, 0.5, 9))}}
    (axes,) = plots.beside_published({"ordered": rows}, title="t", xlabel="x").axes
    printed, *drawn = (line for line in axes.lines if line.get_marker() not in ("|", "None"))
    assert (printed.get_xdata()[0], printed.get_marker()) == (0, plots.PRINT.marker)
    assert printed.get_markerfacecolor() == "white"
    assert [line.get_xdata()[0] for line in drawn] == pytest.approx([0.0004, -0.01])


def test_an_approximation_is_hollow():
    rows = {"row": {"approximation": (0.5, 0.5004), "simulation": (0.5, 0.5)}}
    (axes,) = plots.beside_published({"unordered": rows}, title="t", xlabel="x").axes
    _, hollow, filled = axes.lines
    assert hollow.get_markerfacecolor() == "white" != filled.get_markerfacecolor()


def test_lines_are_named_at_their_ends_and_do_not_cover_each_other():
    found = {name: [Interval(y, y, y, 0)] * 2 for name, y in (("a", 0.1), ("b", 0.1), ("c", 0.5))}
    figure = plots.lines({"ordered": found}, [1, 10], title="t", ylabel="y", bold=["c"])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert sorted(texts(axes)) == ["a", "b", "c"]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert [line.get_color() for line in axes.lines] == [plots.GREY] * 2 + [plots.STANDARD.colour]
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), [1, 10])


def test_lines_have_a_threshold_and_may_fall_below_zero():
    found = {"a": [Interval(y, y, y, 0) for y in (0, -5.0)]}
    figure = plots.lines({"x": found}, [0, 1], title="t", ylabel="y", threshold=("25 %", 25))
    (axes,) = figure.axes
    (dashed,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert set(dashed.get_ydata()) == {25}
    assert figure.texts[-1].get_text() == "dashed: 25 %"
    assert axes.get_ylim()[0] < -5


@pytest.mark.parametrize("count", [1, 3])
def test_a_line_has_an_interval_for_each_number(count):
    found = [Interval.exact(0.5)] * count
    with pytest.raises(InputError, match=rf"^panels\['x'\]\['a'\] has {count} .*; give 2"):
        plots.lines({"x": {"a": found}}, [1, 10], title="t", ylabel="y")


@pytest.fixture
def line():
    points = [
        Point(0.1, Interval(1, 0.9, 1.1, 3), 100),
        Point(0.2, Interval(2.5, 1.5, 3.5, 3), 100, precise=False),
        Point(0.3),
    ]
    return Curve(points, Bound(Interval(0.25, 0.24, 0.26, 30), "simulation"))


def test_curves_show_points_bands_and_what_each_line_bears(line):
    figure = plots.curves({"head": {"worst fit": line}}, title="t", subtitle="s")
    upper, below = figure.axes
    joined, filled, hollow, asymptote = upper.lines
    np.testing.assert_array_equal(joined.get_xdata(), [0.1, 0.2])
    np.testing.assert_array_equal(joined.get_ydata(), [1, 2.5])
    assert (filled.get_xdata()[0], hollow.get_xdata()[0]) == (0.1, 0.2)
    assert hollow.get_markerfacecolor() == "white"
    assert asymptote.get_xdata()[0] == 0.25
    assert texts(below) == ["worst fit  0.250 "]
    assert response_curves.HOLLOW in figure.texts[-1].get_text()
    assert upper.get_yscale() == "log"


def test_lines_of_all_panels_have_their_row(line):
    many = dict.fromkeys(("a", "b", "c", "worst fit"), line)
    left, right = plots.curves({"x": many, "y": {"a": line}}, title="t").axes[2:]
    for axes, count in ((left, 4), (right, 1)):
        low, high = axes.get_ylim()
        rows = [text.xy[1] for text in axes.texts]
        assert len(rows) == count
        assert all(low < row < high for row in rows)


def test_what_a_line_is_held_against_is_marked_in_its_row_and_told(line):
    figure = plots.curves(
        {"head": {"worst fit": line}},
        title="t",
        precision=0.1,
        beside=("first fit", {"worst fit": 0.2}),
        threshold=("3 points", {"worst fit": (0.17, 0.23)}),
    )
    below = figure.axes[1]
    plus = [drawn for drawn in below.lines if drawn.get_marker() == "+"]
    assert [drawn.get_xdata()[0] for drawn in plus] == [0.2]
    dashed = [path.vertices[0, 0] for path in below.collections[-1].get_paths()]
    assert dashed == [0.17, 0.23]
    assert below.texts[0].xy[0] <= 0.17  # the name stands clear of the marks
    words = figure.texts[-1].get_text().replace("\n", " ")
    for part in ("wider than ± 10 %", "+: first fit", "dashed: 3 points"):
        assert part in words


def test_the_axis_of_a_response_ends_where_the_lines_do(line):
    upper = plots.curves({"head": {"worst fit": line}}, title="t").axes[0]
    assert 3.5 < upper.get_ylim()[1] < 5


def test_hollow_marks_are_explained_only_where_there_are_any(line):
    precise = Curve(line.points[:1], line.maximum)
    figure = plots.curves({"head": {"worst fit": precise}}, title="t", subtitle="s")
    assert figure.texts[-1].get_text() == "s"


def test_a_name_has_one_look_in_all_panels(line):
    figure = plots.curves({"a": {"x": line, "y": line}, "b": {"y": line}}, title="t")
    first, second = figure.axes[:2]
    assert second.lines[0].get_color() == first.lines[3].get_color() != first.lines[0].get_color()


def test_what_is_no_curve_is_refused():
    with pytest.raises(InputError, match="curve 'a'"):
        plots.curves({"head": {"a": 0.5}}, title="t")


def test_the_anatomy_names_the_parts_of_a_curve(line):
    figure = plots.anatomy(line, title="t")
    said = " ".join(texts(figure.axes[0]))
    assert all(word in said for word in ("nobody waits", "knee", "maximal", "loss"))


def test_heat_map_hatches_what_is_undecided_and_names_its_colours():
    intervals = {(0, 0): Interval(2, 1, 3, 5), (1, 0): Interval(0.1, -1, 1.2, 5)}
    labels = {"title": "t", "xlabel": "x", "ylabel": "y", "values": "points"}
    figure = plots.heat_map(intervals, rows=["a", "b"], columns=["c"], **labels)
    assert texts(figure.axes[0]) == ["+2.0 ± 1.0", "+0.1 ± 1.1"]
    assert [bool(patch.get_hatch()) for patch in figure.axes[0].patches] == [False, True]
    assert figure.axes[1].get_ylabel() == "points"


@pytest.mark.parametrize("value", [Interval.exact(np.inf), *ENDLESS])
def test_a_map_of_what_is_not_finite_or_of_nothing_is_refused(value):
    labels = {"title": "t", "xlabel": "x", "ylabel": "y", "values": "points"}
    known = {(0, 0): Interval(2, 1, 3, 5), (1, 0): value}
    with pytest.raises(InputError, match=r"^intervals\[\(1, 0\)\] = .*; .* leave it out"):
        plots.heat_map(known, rows=["a", "b"], columns=["c"], **labels)
    with pytest.raises(InputError, match=r"^intervals = {}; give"):
        plots.heat_map({}, rows=["a"], columns=["c"], **labels)


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


CELLS = {
    (0, 0): Interval(-20, -25, -15, 8),
    (0, 1): Interval(5, 3, 7, 8),
    (1, 0): Interval(-1, -5, 3, 8),
    (1, 1): Interval(900, 800, 990, 8),
    (1, 2): plots.LONGER,
    (0, 2): plots.NEITHER,
}


def drawn_maps(panels, **how):
    labels = {"rows": ["low", "high"], "columns": ["a", "b", "c"]}
    axes = {"xlabel": "x", "ylabel": "y"}
    return plots.maps(panels, title="Maps", **(labels | axes | how))


def test_maps_number_their_cells_and_hatch_what_is_undecided():
    figure = drawn_maps({"one": CELLS, "two": CELLS}, values="change, %")
    one = figure.axes[0]
    written = [text for text in texts(one) if text]
    assert {"−20", "+5", "−1", "×10", "∞", "×"} <= set(written)
    places = {patch.get_xy(): patch for patch in one.patches}
    assert [at for at, patch in places.items() if patch.get_hatch()] == [(0, 1)]
    green, brown = (places[at].get_facecolor() for at in ((0, 0), (1, 0)))
    assert green[1] > green[0]
    assert brown[0] > brown[2]
    assert matplotlib.colors.to_rgba(plots.NEITHER.colour) == places[2, 0].get_facecolor()
    assert one.get_title(loc="left") == "one"
    assert figure.axes[-1].get_ylabel() == "change, %"
    in_doubt = Interval(-20, -25, -15, 8, doubt="rising")
    doubted = drawn_maps({"one": {(0, 0): in_doubt}}).axes[0].patches
    assert [patch.get_hatch() for patch in doubted] == ["////"]


def test_maps_have_a_line_where_the_sign_turns():
    # (0, 0) and (1, 0) are shorter; (0, 1), (1, 1) and (1, 2) longer; what is neither is not.
    axes = drawn_maps({"one": CELLS}).axes[0]
    ends = {tuple((float(x), float(y)) for x, y in line.get_xydata()) for line in axes.get_lines()}
    assert ends == {
        ((1, 0), (1, 1)),
        ((1, 1), (1, 2)),
        ((2, 0), (2, 1)),
        ((2, 1), (3, 1)),
    }


def test_maps_of_kinds_explain_them_and_have_no_line():
    kinds = {"gain": plots.Mark("+", "#003C30"), "undecided": plots.Mark("")}
    marks = dict(zip([(0, 0), (0, 1)], kinds.values(), strict=True))
    figure = drawn_maps({"one": marks, "two": marks, "three": marks}, kinds=kinds)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(kinds)
    hatched = [patch.get_hatch() for patch in figure.legends[0].get_patches()]
    assert hatched == [None, "////"]
    assert not figure.axes[0].get_lines()
    assert not figure.axes[3].axison  # the place of a fourth


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_cell_that_is_not_finite_is_refused_by_its_place(value):
    bad = {(0, 1): Interval(value, value, value, 0)}
    with pytest.raises(InputError, match=r"panels\['one'\]\[\(0, 1\)\]"):
        drawn_maps({"one": bad})
    with pytest.raises(InputError, match="panels"):
        drawn_maps({})
    with pytest.raises(InputError, match=r"panels\['one'\]"):
        drawn_maps({"one": {}})


def test_an_axis_of_what_is_no_share_has_its_ticks():
    figure = plots.bars({"all": {"a": 12.0, "b": 17.0}}, title="Times")
    ticks = figure.axes[0].get_xticks()
    assert max(ticks) > 10


def test_ratios_are_marked_where_their_lines_are_and_name_what_is_dashed():
    line = [(place, Interval(0.9, 0.8, 1.0, 5)) for place in (3, 10, 19)]
    figure = plots.ratios({"a": {"one": line}}, title="t", xlabel="x", ylabel="y", level="whole")
    axes = figure.axes[0]
    ticks = axes.get_xticks()
    assert len(ticks) >= 2
    assert ticks.min() >= 3
    assert ticks.max() <= 19
    assert axes.get_xlim()[0] == 3
    assert any("dashed: whole" in text.get_text() for text in figure.texts)


def test_names_of_ratios_stand_where_the_lines_are_apart():
    def line(*ratios):
        return [(place, Interval(x, x, x, 5)) for place, x in zip((3, 10, 19), ratios, strict=True)]

    def place(lines):
        axes = plots.ratios({"a": lines}, title="t", xlabel="x", ylabel="y", level="whole").axes[0]
        (named,) = (each for each in axes.texts if each.get_text() == "one")
        return named.xy[0], named.get_ha()

    assert place({"one": line(0.6, 0.8, 1.0), "two": line(0.9, 0.95, 1.0)}) == (3, "right")
    assert place({"one": line(1.0, 0.8, 0.6), "two": line(1.0, 0.95, 0.9)}) == (19, "left")
    assert place({"one": line(0.6, 0.8, 1.0)}) == (19, "left")
    for name in ("stream", "load 0.786"):
        drawn = {key: {name: line(0.6, 0.8, 1.0), "x": line(0.9, 0.95, 1.0)} for key in "abc"}
        figure = plots.ratios(drawn, title="t", xlabel="x", ylabel="y", level="whole")
        figure.canvas.draw()
        for axes in figure.axes[:3]:
            assert min(text.get_window_extent().x0 for text in axes.texts) > axes.bbox.x0


def test_the_last_place_of_ratios_is_marked_where_it_is_round():
    line = [(place / 10, Interval(0.9, 0.8, 1.0, 5)) for place in (0, 1, 2, 3)]
    figure = plots.ratios({"a": {"one": line}}, title="t", xlabel="x", ylabel="y", level="whole")
    assert figure.axes[0].get_xticks() == pytest.approx([0, 0.1, 0.2, 0.3])
