"""Pictures of lines and of intervals: their places, limits, names, and what goes on."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from tests.pictures import said, texts

lines = partial(plots.lines, x="x", y="y", line="line", panel="panel")


def table(panel="one", at=(1.0, 2.0, 4.0), /, **drawn):
    """Return the points of lines by name, each with an interval of a tenth to both sides."""
    rows = [
        {"panel": panel, "line": name, "x": x, "y": y, "ci95_low": 0.9 * y, "ci95_high": 1.1 * y}
        for name, values in drawn.items()
        for x, y in zip(at, values, strict=True)
    ]
    return pd.DataFrame(rows)


def joined(axes):
    """Return the lines of a panel that are neither levels nor marks."""
    return [line for line in axes.lines if line.get_color() != "black" and not marker(line)]


def marker(line):
    return "" if line.get_marker() == "None" else line.get_marker()


def test_lines_are_where_the_table_says_and_named_where_they_end():
    order = ["EASY", "FCFS", "c"]
    found = table(EASY=(0.1, 0.1, 0.1), FCFS=(0.5, 0.1, 0.1), c=(0.2, 0.3, 0.5))
    found = found.sample(frac=1, random_state=1)  # points come in any order, lines in their own
    figure = lines(found.sort_values("line", key=lambda each: each.map(order.index)))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert sorted(texts(axes)) == sorted(order)
    assert all(text.xy[0] == 4 for text in axes.texts)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    easy, fcfs, own = joined(axes)
    assert easy.get_xdata().tolist() == [1, 2, 4]
    assert fcfs.get_ydata().tolist() == [0.5, 0.1, 0.1]
    known = [plots.MEANINGS[name].colour for name in ("EASY", "FCFS")]
    assert [easy.get_color(), fcfs.get_color()] == known
    assert easy.get_zorder() > fcfs.get_zorder() > own.get_zorder()  # the first lies on top
    assert len(axes.collections) == 3
    assert len(lines(found, bare=["c"]).axes[0].collections) == 2


@pytest.mark.parametrize(
    ("values", "how", "least", "most"),
    [
        ((1, 3, 40), {}, (0, 0), (40, 43)),
        ((-5, -3, -40), {}, (-43, -40), (0, 0)),
        ((-5, 3, 40), {"whole": True}, (-6, -5), (44, 50)),
        ((1, 3, 40), {"whole": True}, (0, 0), (44, 50)),
        ((1, 3, 40), {"scales": ("linear", "log")}, (0.5, 1), (40, 60)),
        ((0, 0, 0), {}, (0, 0), (1, 1)),
        ((0.9, 0.95, 0.92), {"levels": {"as now": 0.8}}, (0.7, 0.8), (0.95, 1)),
        ((0.9, 0.95, 0.92), {"factors": True}, (0.8, 0.9), (1, 1.2)),
        ((0.1, 0.95, 9), {"factors": True}, (0.25, 0.25), (4, 4)),
    ],
)
def test_the_limits_hold_all_lines_and_not_too_much(values, how, least, most):
    low, high = lines(table(a=values), **how).axes[0].get_ylim()
    assert least[0] <= low <= least[1]
    assert most[0] <= high <= most[1]


def test_levels_are_dashed_and_named():
    figure = lines(table(a=(1, 2, 3)), level=("what FCFS bears", 2.5), subtitle="s")
    (dashed,) = (line for line in figure.axes[0].lines if line.get_linestyle() == "--")
    assert set(dashed.get_ydata()) == {2.5}
    assert said(figure) == "s; dashed: what FCFS bears"
    figure = lines(table(a=(1, 2, 3)), levels={"printed": 1.4, "ours": 2})
    assert {"printed", "ours"} <= set(texts(figure.axes[0]))


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show():
    found = table("one", (0.0, 1.0, 10.0, 20.0), a=(0.9, 0.5, 0.0, 0.1))
    (axes,) = lines(found, scales=("log", "log"), names="legend").axes
    assert joined(axes)[0].get_xdata().tolist() == [1, 20]
    powers = table("one", (1.0, 10.0, 100.0), a=(1e-5, 1e-3, 1.0))
    figure = lines(powers, scales=("log", "log"), names="legend")
    figure.canvas.draw()
    low, high = figure.axes[0].get_ylim()
    marked = [at for at in figure.axes[0].get_yticks() if low <= at <= high]
    assert marked == pytest.approx([10.0**k for k in range(-5, 1)])


def test_panels_share_their_axes_or_each_has_its_own():
    found = pd.concat([table("one", a=(1, 2, 3)), table("two", a=(10, 20, 30), b=(1, 1, 1))])
    one, two = lines(found).axes
    assert one.get_ylim() == two.get_ylim()
    scales = {"one": ("log", "log"), "two": ("linear", "log")}
    one, two = lines(found, names="legend", scales=scales, dashed=["b"]).axes
    assert (one.get_xscale(), two.get_xscale()) == ("log", "linear")
    assert one.get_ylim() != two.get_ylim()
    assert [one.get_title(loc="left"), two.get_title(loc="left")] == ["one", "two"]
    assert [text.get_text() for text in two.get_legend().get_texts()] == ["a", "b"]
    assert [line.get_linestyle() for line in joined(two)] == ["-", "--"]


def test_what_is_printed_is_a_diamond_and_said():
    printed = pd.DataFrame({"line": "Online", "x": [2.0, 4.0], "y": [np.nan, 0.3]})
    found = pd.concat([table(p, Online=(0.1, 0.5, 0.2)) for p in ("one", "two")])
    figure = lines(found, names="legend", printed=printed)
    for axes in figure.axes:  # without a column of panels it is in all of them
        foot, mark = (line for line in axes.lines if marker(line) == plots.PRINT.marker)
        assert (foot.get_ydata()[0], mark.get_ydata()[0]) == (axes.get_ylim()[0], 0.3)
        assert mark.get_markerfacecolor() == "white"
    assert said(figure) == "◇: printed"
    one, two = lines(found, printed=printed.assign(panel="two")).axes
    assert len(one.lines) < len(two.lines)
    figure = lines(table(Online=(0.9, 1.1, 1.2)), factors=True, printed=printed[["line", "x"]])
    (axes,) = figure.axes
    marks = [line.get_ydata()[0] for line in axes.lines if marker(line) == plots.PRINT.marker]
    assert marks == [1, 1]


@pytest.mark.parametrize("gone", [np.nan, np.inf])
def test_a_factor_past_saturation_is_a_cross_at_the_top(gone):
    (axes,) = lines(table(a=(0.8, 1.5, gone)), factors=True).axes
    (cross,) = (line for line in axes.lines if marker(line) == "x")
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (4, axes.get_ylim()[1])
    assert joined(axes)[0].get_xdata().tolist() == [1, 2]
    assert any(set(line.get_ydata()) == {1} for line in axes.lines)
    assert {"0.8", "1", "1.5"} <= {tick.get_text() for tick in axes.get_yticklabels()}


def test_names_stand_where_the_lines_are_apart():
    def place(**drawn):
        figure = lines(pd.concat(table(p, **drawn) for p in "abc"), factors=True)
        figure.canvas.draw()
        for axes in figure.axes:
            assert min(text.get_window_extent().x0 for text in axes.texts) > axes.bbox.x0
        named = figure.axes[0].texts[0]
        return named.xy[0], named.get_ha()

    assert place(stream=(0.6, 0.8, 1.0), two=(0.9, 0.95, 1.0)) == (1, "right")
    assert place(stream=(1.0, 0.8, 0.6), two=(1.0, 0.95, 0.9)) == (4, "left")
    assert place(stream=(0.6, 0.8, 1.0)) == (4, "left")


def test_panels_of_long_names_stand_in_rows_of_two_and_grids_in_rows():
    for name, rows in (("a name of some length", 2), ("m64", 1)):
        figure = lines(pd.concat(table(p, **{name: (1, 2, 3)}) for p in "abc"))
        assert len({round(axes.get_position().y0, 3) for axes in figure.axes}) == rows
    found = pd.concat([table(p, m64=(0.9, 1, 1.1), m128=(1, 1, 1.2)) for p in "ab"])
    figure = plots.lines(found, x="x", y="y", row="line", panel="panel", factors=True)
    assert [axes.get_ylabel() for axes in figure.axes] == ["m64", "", "m128", ""]
    assert [len(joined(axes)) for axes in figure.axes] == [1] * 4


def test_round_numbers_are_marked_none_beside_the_lines():
    (axes,) = lines(table("one", (0.0, 0.1, 0.3), a=(1, 1, 1))).axes
    assert axes.get_xticks() == pytest.approx([0, 0.1, 0.2, 0.3])
    ticks = lines(table("one", (3.0, 10.0, 19.0), a=(1, 1, 1))).axes[0].get_xticks()
    assert 3 <= min(ticks) < max(ticks) <= 19


def test_bold_lines_stand_out_and_points_in_doubt_are_hollow():
    found = table(a=(1, 2, 3), b=(1, 2, 2)).assign(warning=["", "", "short", "", "", ""])
    figure = lines(found, bold={"b"})
    colours = [line.get_color() for line in joined(figure.axes[0])]
    assert colours == [plots.GREY, plots.STANDARD.colour]
    (hollow,) = (x for x in figure.axes[0].lines if x.get_markerfacecolor() == "white")
    assert (hollow.get_xdata()[0], hollow.get_ydata()[0]) == (4, 3)
    assert said(figure) == "hollow: in doubt"


def test_stairs_keep_their_level_and_open_bands_reach_the_edge():
    found = table(a=(0.9, 0.5, 0.1)).assign(ci95_low=-np.inf, ci95_high=[0.9, np.inf, 0.2])
    (axes,) = lines(found, stairs=True).axes
    assert joined(axes)[0].get_drawstyle() == "steps-post"
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == axes.get_ylim()


@pytest.mark.parametrize(
    ("change", "how", "words"),
    [
        ({"x": np.nan}, {}, "column 'x' has nan in row 0; a picture shows finite numbers"),
        ({"y": np.nan}, {}, "column 'y' has no finite number"),
        ({"y": -1.0}, {"factors": True}, "column 'y' has -1.0 in row 0; a factor is above 0"),
        ({}, {"scales": ("cubic", "log")}, "scale of x = 'cubic'; choose"),
        ({}, {"names": "right"}, "names = 'right'; choose"),
    ],
)
def test_nonsense_is_refused(change, how, words):
    with pytest.raises(InputError, match=words):
        lines(table(a=(1, 2, 3)).assign(**change), **how)


RESPONSES = pd.DataFrame(
    {
        "label": "worst fit", "utilization": [0.1, 0.2, 0.3], "response": [1, 2.5, np.nan],
        "ci95_low": [0.9, 1.5, np.nan], "ci95_high": [1.1, 3.5, np.nan],
        "precise": [True, False, True], "maximal_utilization": 0.25, "maximal_low": 0.24,
        "maximal_high": 0.26,
    }
)  # fmt: skip


def test_curves_show_points_bands_and_what_each_line_bears():
    figure = plots.curves(RESPONSES, subtitle="s")
    upper, below = figure.axes
    line, filled, hollow, asymptote = upper.lines
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([0.1, 0.2], [1, 2.5])
    assert (filled.get_xdata()[0], hollow.get_xdata()[0]) == (0.1, 0.2)
    assert hollow.get_markerfacecolor() == "white"
    assert asymptote.get_xdata()[0] == 0.25
    assert texts(below) == ["worst fit  0.250 "]
    assert said(figure) == "s; hollow: interval wider than asked for"
    assert upper.get_yscale() == "log"
    assert 3.5 < upper.get_ylim()[1] < 5
    assert said(plots.curves(RESPONSES[:1], subtitle="s")) == "s"


def test_lines_without_a_panel_are_in_all_and_look_the_same_there():
    many = pd.concat(RESPONSES.assign(label=name) for name in ("a", "b", "worst fit"))
    figure = plots.curves(many, panels={"few": ["a"], "others": ["b"]})
    named = [" ".join(text.split("  ")[0] for text in texts(axes)) for axes in figure.axes[2:]]
    assert named == ["a worst fit", "b worst fit"]
    assert {axes.lines[-1].get_color() for axes in figure.axes[:2]} == {plots.STANDARD.colour}


def test_what_a_line_is_held_against_is_marked_in_its_row_and_told():
    held = {"beside": ("first fit", {"worst fit": 0.2})}
    held["threshold"] = "3 points", {"worst fit": (0.17, 0.23)}
    figure = plots.curves(RESPONSES, **held)
    below = figure.axes[1]
    assert [x.get_xdata()[0] for x in below.lines if x.get_marker() == "+"] == [0.2]
    dashed = [path.vertices[0, 0] for path in below.collections[-1].get_paths()]
    assert dashed == [0.17, 0.23]
    assert below.texts[0].xy[0] <= 0.17  # the name stands clear of the marks
    assert said(figure) == "hollow: interval wider than asked for; +: first fit; dashed: 3 points"


def test_the_anatomy_names_the_parts_of_a_curve():
    words = " ".join(texts(plots.anatomy(RESPONSES, "worst fit").axes[0]))
    assert all(word in words for word in ("nobody waits", "knee", "maximal", "loss"))


def interval(middle=0.3, low=0.2, high=0.6, /, span=(0.0, 1.0), **how):
    """Return the picture of one interval, from 0 to 1, and its lines and marks by their marker."""
    row = {"psi": middle, "ci95_low": low, "ci95_high": high, "row": "row", "who": "S1"}
    row |= {
        "printed": 0.5,
        "words": "2 % refused",
        "special": True,
        "warning": how.pop("warning", ""),
    }
    found = pd.DataFrame([row])
    figure = plots.intervals(found, x="psi", row="row", series="who", span=span, **how)
    return figure, {marker(line): line for line in figure.axes[0].lines}


def test_an_interval_has_its_ends_its_middle_and_what_is_printed():
    figure, found = interval(printed="printed")
    assert found[""].get_xdata().tolist() == [0.2, 0.6]
    assert sorted(float(line.get_xdata()[0]) for line in found.values()) == [0.2, 0.3, 0.5]
    assert said(figure) == "◇: printed"


@pytest.mark.parametrize(
    ("ends", "arrows", "reach"),
    [
        ((-np.inf, -np.inf, 0.4), {"<"}, [0, 0.4]),
        ((0.7, 0.4, np.inf), {">"}, [0.4, 1]),
        ((np.nan, -np.inf, np.inf), {"<", ">"}, [0, 1]),
        ((0.7, 0.4, 1.2), {">"}, [0.4, 1]),
        ((0.7, 0.4, 0.9), set(), [0.4, 0.9]),
    ],
)
def test_what_goes_on_beyond_the_picture_has_an_arrow_that_is_explained(ends, arrows, reach):
    figure, found = interval(*ends, beyond="arrow: on")
    assert {"<", ">"} & set(found) == arrows
    assert found[""].get_xdata().tolist() == reach
    assert ("arrow: on" in said(figure)) == bool(arrows)


def test_special_intervals_are_hollow_doubtful_ones_dotted_and_words_where_there_is_room():
    figure, found = interval(hollow=("special", "whole jobs saturate"), warning="too short")
    assert found["d"].get_markerfacecolor() == "white"
    assert found[""].get_linestyle() == ":"
    assert said(figure) == "hollow: whole jobs saturate; dotted: in doubt"
    for ends, side in (((0.2, 0.1, 0.3), "left"), ((0.8, 0.7, 0.9), "right")):
        (text,) = interval(*ends, words="words")[0].axes[0].texts
        assert (text.get_text(), text.get_ha()) == ("2 % refused", side)
        assert text.xy[0] == (ends[2] if side == "left" else ends[1])


def test_an_axis_of_factors_has_a_line_at_1_and_fits_what_is_drawn():
    figure, _ = interval(0.1, 0.01, 0.2, factors=True, span=None)
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert any(line.get_xdata() == [1, 1] for line in axes.lines)
    low, high = axes.get_xlim()
    assert 0.01 < low < 0.1 < high < 0.3
    assert interval(span=None)[0].axes[0].get_xlim() == pytest.approx((0.18, 0.62))


def test_beside_print_marks_have_the_sign_of_their_panel():
    found = pd.DataFrame({"off": [0.0004, -0.01], "how": ["exact", "rough"], "of": "ordered"})
    found = found.assign(size="U[1,4]", rough=[False, True])
    figure = plots.intervals(
        found, x="off", row="size", series="how", panel="of", band=(-0.0005, 0.0005),
        hollow=("rough", "approximation"),
    )  # fmt: skip
    marks = [line for line in figure.axes[0].lines if marker(line) == "s"]
    assert [line.get_xdata()[0] for line in marks] == [0.0004, -0.01]
    colour = plots.MEANINGS["ordered"].colour
    assert [line.get_markerfacecolor() for line in marks] == [colour, "white"]
    (diamond, _) = (line for line in figure.axes[0].lines if marker(line) == plots.PRINT.marker)
    assert (diamond.get_xdata()[0], diamond.get_ydata()[0]) == (0, 0)
