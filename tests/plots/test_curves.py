"""Response-time curves show points, bands and maximal utilizations, and name the parts of one."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from tests.plots.pictures import subtitle_of, texts

RESPONSES = pd.DataFrame(
    {
        "label": "worst fit", "utilization": [0.1, 0.2, 0.3], "response": [1, 2.5, np.nan],
        "ci95_low": [0.9, 1.5, np.nan], "ci95_high": [1.1, 3.5, np.nan],
        "precise": [True, False, True], "maximal_utilization": 0.25, "maximal_low": 0.24,
        "maximal_high": 0.26,
    }
)  # fmt: skip


def test_curves_show_points_bands_and_maximal_utilizations():
    upper, below = plots.curves(RESPONSES).axes
    line, filled, hollow, asymptote = upper.lines
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([0.1, 0.2], [1, 2.5])
    assert (filled.get_xdata()[0], hollow.get_xdata()[0]) == (0.1, 0.2)
    assert hollow.get_markerfacecolor() == "white"
    assert asymptote.get_xdata()[0] == 0.25
    assert texts(below) == ["worst fit  0.250 "]
    assert upper.get_yscale() == "log"
    assert 3.5 < upper.get_ylim()[1] < 5


def test_the_interval_of_a_curve_with_one_point_is_a_bar():
    saturated = RESPONSES.assign(response=[1, np.nan, np.nan])
    saturated.loc[1:, ["ci95_low", "ci95_high"]] = np.nan
    upper = plots.curves(saturated).axes[0]
    (bar,) = (each for each in upper.collections if isinstance(each, LineCollection))
    assert bar.get_segments()[0].tolist() == [[0.1, 0.9], [0.1, 1.1]]


def test_what_a_line_is_compared_with_is_marked_in_its_row():
    held = {"beside": ("first fit", {"worst fit": 0.2})}
    held["threshold"] = "3 points", {"worst fit": (0.17, 0.23)}
    below = plots.curves(RESPONSES, **held).axes[1]
    assert [x.get_xdata()[0] for x in below.lines if x.get_marker() == "+"] == [0.2]
    dashed = [path.vertices[0, 0] for path in below.collections[-1].get_paths()]
    assert dashed == [0.17, 0.23]


def test_the_points_of_a_curve_are_joined_in_order_of_the_load():
    unordered = plots.curves(RESPONSES[::-1]).axes[0]
    assert list(unordered.lines[0].get_xdata()) == [0.1, 0.2]


def test_curves_of_the_previous_figure_may_be_saturated_at_all_loads():
    saturated = RESPONSES.assign(response=np.nan, ci95_low=np.nan, ci95_high=np.nan)
    alone = len(plots.curves(RESPONSES).axes[0].lines)
    assert len(plots.curves(RESPONSES, before=saturated).axes[0].lines) == alone
    assert len(plots.curves(RESPONSES, before=RESPONSES).axes[0].lines) == alone + 2


@pytest.mark.parametrize("panels", [None, {"one": ["worst fit"]}])
def test_the_axes_reach_the_curves_of_the_previous_figure(panels):
    earlier = RESPONSES.assign(
        utilization=[0.1, 0.2, 0.9], response=[0.5, 2.5, 8.0], ci95_low=np.nan, ci95_high=np.nan,
        maximal_utilization=0.95, maximal_low=0.95, maximal_high=0.95,
    )  # fmt: skip
    upper, below = plots.curves(RESPONSES, before=earlier, panels=panels).axes
    for axes in (upper, below):
        assert axes.get_xlim()[1] == pytest.approx(1.02 * 0.95)
    foot, top = upper.get_ylim()
    assert foot == pytest.approx(0.93 * 0.5)
    assert 8 < top < 12


def test_a_curve_of_the_previous_figure_that_is_not_drawn_leaves_the_axes_as_they_are():
    other = RESPONSES.assign(label="best fit", response=[0.5, 9, 11], maximal_utilization=0.95)
    other = other.assign(maximal_low=0.95, maximal_high=0.95, ci95_low=np.nan, ci95_high=np.nan)
    alone, beside = (plots.curves(RESPONSES, before=each).axes[0] for each in (None, other))
    assert alone.get_xlim() == beside.get_xlim()
    assert alone.get_ylim() == beside.get_ylim()


def test_panels_may_name_a_curve_that_the_table_lacks():
    figure = plots.curves(RESPONSES, panels={"a": ["best fit", "worst fit"]})
    assert texts(figure.axes[1]) == ["worst fit  0.250 "]


def test_a_panel_without_a_curve_is_left_out():
    figure = plots.curves(RESPONSES, panels={"a": ["best fit"], "b": ["worst fit"]})
    upper, below = figure.axes
    assert upper.get_title(loc="left") == "b"
    assert texts(below) == ["worst fit  0.250 "]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (
            lambda: plots.curves(pd.concat([RESPONSES, RESPONSES])),
            "^column 'utilization' has 0.1 in row 0; an earlier row has the same values",
        ),
        (
            lambda: plots.curves(RESPONSES.assign(maximal_utilization=[0.25, 0.25, 0.3])),
            "^column 'maximal_utilization' has 0.3 in row 2; give the same value in all rows",
        ),
        (
            lambda: plots.curves(RESPONSES, threshold=("half", {"worst fit": np.nan})),
            "^threshold of 'worst fit' = nan; give a finite number",
        ),
        (lambda: plots.curves(RESPONSES, left=np.nan), "^left = nan; give a finite number"),
        (
            lambda: plots.anatomy(RESPONSES.assign(response=np.nan), "worst fit"),
            "^the curve 'worst fit' has no finite response; give one or more",
        ),
        (
            lambda: plots.anatomy(RESPONSES, "best fit"),
            "^label = 'best fit'; choose one of 'worst fit'$",
        ),
        (
            lambda: plots.anatomy(RESPONSES.drop(columns="label"), "worst fit"),
            "^label = 'label' is not a column; ",
        ),
    ],
)
def test_arguments_that_contradict_the_table_are_named(draw, words):
    with pytest.raises(InputError, match=words):
        draw()


@pytest.mark.parametrize("responses", [[1.0, 2.5, np.nan], [1.0, 2.5, np.inf]])
@pytest.mark.parametrize("step", [1, -1])
def test_the_notes_on_a_curve_are_at_its_points_in_any_order_of_the_rows(responses, step):
    rows = RESPONSES.assign(response=responses)[::step]
    upper = plots.anatomy(rows, "worst fit").axes[0]
    places = {text.get_text().partition(":")[0]: text.xy for text in upper.texts}
    assert tuple(places["service alone"]) == (0.1, 1.0)
    assert tuple(places["the knee"]) == (0.2, 2.5)


def test_a_curve_without_points_near_a_place_has_no_note_on_it():
    upper = plots.anatomy(RESPONSES.assign(response=[1.2, 1.5, np.nan]), "worst fit").axes[0]
    words = " ".join(text.get_text() for text in upper.texts)
    assert "service alone" not in words
    assert "the knee" not in words


@pytest.mark.parametrize("label", [0.5, "0.5"])
def test_a_curve_with_a_number_as_its_label_is_found(label):
    other = RESPONSES.assign(label=0.7, response=[1.5, 2.0, np.nan])
    rows = pd.concat([other, RESPONSES.assign(label=0.5)])
    line = plots.anatomy(rows, label).axes[0].lines[0]
    assert line.get_ydata().tolist() == [1, 2.5]


def test_labels_that_are_numbers_are_found_by_all_arguments():
    table = pd.concat([RESPONSES.assign(label=1), RESPONSES.assign(label=2)])
    held = {"beside": ("first fit", {1: 0.2}), "threshold": ("half", {2: 0.22})}
    figure = plots.curves(table, panels={"one": [1], "two": [2]}, **held)
    one, two = figure.axes[2:]
    assert [texts(one), texts(two)] == [["1  0.250 "], ["2  0.250 "]]
    assert [line.get_xdata()[0] for line in one.lines if line.get_marker() == "+"] == [0.2]
    assert two.collections[-1].get_paths()[0].vertices[0, 0] == 0.22


@pytest.mark.parametrize("argument", ["beside", "threshold"])
def test_a_mark_of_an_unknown_curve_is_refused(argument):
    words = f"^curve of {argument} = 'best fit'; choose one of 'worst fit'$"
    with pytest.raises(InputError, match=words):
        plots.curves(RESPONSES, **{argument: ("half", {"best fit": 0.2})})


@pytest.mark.parametrize("argument", ["beside", "threshold"])
def test_the_subtitle_explains_only_marks_that_are_drawn(argument):
    assert "half" not in subtitle_of(plots.curves(RESPONSES, **{argument: ("half", {})}))
    drawn = plots.curves(RESPONSES, **{argument: ("half", {"worst fit": 0.2})})
    assert "half" in subtitle_of(drawn)


def test_the_other_maximum_is_finite():
    with pytest.raises(InputError, match=r"^beside of 'worst fit' = nan; give a finite number"):
        plots.curves(RESPONSES, beside=("first fit", {"worst fit": np.nan}))


def test_the_interval_of_a_maximum_has_its_ends_in_order():
    swapped = RESPONSES.assign(maximal_low=0.9, maximal_high=0.7)
    words = "^column 'maximal_low' has 0.9 in row 0; the upper end in 'maximal_high' is smaller"
    with pytest.raises(InputError, match=words):
        plots.curves(swapped)


@pytest.mark.parametrize("ends", [(0.1, 0.2), (0.4, 0.5)])
def test_a_maximum_outside_its_interval_is_on_the_axis_and_beside_its_name(ends):
    table = RESPONSES.assign(maximal_low=ends[0], maximal_high=ends[1])
    below = plots.curves(table).axes[1]
    low, high = below.get_xlim()
    assert low < 0.25 < high
    assert below.texts[0].xy[0] <= 0.25


def test_panels_have_one_axis_so_that_equal_loads_stand_at_equal_places():
    low = RESPONSES.assign(label="low", utilization=RESPONSES["utilization"] / 3)
    low["maximal_utilization"] = RESPONSES["maximal_utilization"] / 3
    for end in ("maximal_low", "maximal_high"):
        if end in RESPONSES:
            low[end] = RESPONSES[end] / 3
    (label,) = RESPONSES["label"].unique()
    figure = plots.curves(pd.concat([RESPONSES, low]), panels={"one": [label], "two": ["low"]})
    assert len(figure.axes) == 4
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


def test_the_axis_reaches_down_to_the_smallest_response():
    for smallest, foot in ((0.5, 0.465), (0.95, 0.93), (1.0, 0.93)):
        figure = plots.curves(RESPONSES.assign(response=[smallest, 2.5, np.nan]))
        assert figure.axes[0].get_ylim()[0] == pytest.approx(foot)


def test_a_response_that_a_logarithmic_axis_cannot_show_is_refused():
    words = "^column 'response' has 0.0 in row 1; a logarithmic axis shows numbers above 0"
    with pytest.raises(InputError, match=words):
        plots.curves(RESPONSES.assign(response=[1.0, 0.0, np.nan]))
