"""Bar charts show the values of a table with readable texts, and reject wrong values."""

from fractions import Fraction
from functools import partial

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.plots.tables import looks, tidy
from tests.plots.pictures import texts

LOSSES = pd.DataFrame(
    [("U[1,7]", "ordered", 0.22, np.nan, np.nan, ""),
     ("U[1,7]", "unordered", 0.1, 0.09, 0.11, None),
     ("mine", "unordered", 0.3, 0.3, 0.3, "few jobs ended")],
    columns=["group", "series", "loss", "ci95_low", "ci95_high", "warning"],
)  # fmt: skip
bars = partial(plots.bars, value="loss", group="group", series="series")


def test_bars_are_named_and_numbered_where_they_end():
    (axes,) = bars(LOSSES).axes
    assert [bar.get_width() for bar in axes.patches] == [0.22, 0.1, 0.3]
    *known, doubtful = "ordered 0.220", "unordered 0.100 ± 0.010", "unordered 0.300 (no interval: "
    assert texts(axes) == [*known, f"{doubtful}few jobs ended)"]
    ends = [text.get_position()[0] for text in axes.texts]
    assert all(end > least for end, least in zip(ends, (0.22, 0.11, 0.3), strict=True))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["U[1,7]", "mine"]
    colours = [matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in axes.patches]
    assert colours[1] == colours[2] == plots.STANDARD.colour != colours[0]
    lengths = [type(each).__name__ for each in axes.containers].count("ErrorbarContainer")
    assert lengths == 1  # an interval of one number is not drawn


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (0.0004, np.nan, np.nan, "0.00040"),
        (-0.000123, np.nan, np.nan, "-0.00012"),
        (0.0004, 0.0003, 0.0005, "0.00040 ± 0.00010"),
        (0.0004, 0.000399, 0.000401, "0.00040"),
        (0.0001, -0.0002, 0.0004, "0.00010 ± 0.00030"),
        (0.0004, -0.0016, 0.0024, "0.000 ± 0.002"),
        (0.0006, np.nan, np.nan, "0.001"),
        (0.0, -0.0001, 0.0001, "0.000"),
        (1e-17, np.nan, np.nan, "0.000"),
    ],
)
def test_a_small_value_is_written_with_its_significant_digits(value, low, high, words):
    table = LOSSES[:1].assign(loss=value, ci95_low=low, ci95_high=high)
    assert texts(bars(table).axes[0]) == [f"ordered {words}"]


def test_the_threshold_of_a_claim_is_drawn_in_its_groups_and_named():
    (axes,) = bars(LOSSES, threshold=("half", {"U[1,7]": 0.11, "mine": (0.1, 0.2)})).axes
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [0.11, 0.1, 0.2]
    assert "half" in texts(axes)
    top, bottom = dashed[1].get_ydata()
    assert top < axes.patches[2].get_y() < bottom
    (axes,) = bars(LOSSES, threshold=("half", {"mine": 0.1})).axes  # a group may have none
    assert sum(line.get_linestyle() == "--" for line in axes.lines) == 1


def test_labels_do_not_hide_the_thresholds_of_their_group():
    table = pd.DataFrame({"group": ["x", "x", "y"], "series": ["a", "b", "c"], "loss": [1, 6, 1]})
    (axes,) = bars(table, threshold=("half", {"x": (2, 4)})).axes
    starts = {text.get_text()[0]: text.get_position()[0] for text in axes.texts}
    assert starts["a"] > 4
    assert starts["b"] > 6
    assert 1 < starts["c"] < 2


@pytest.mark.parametrize(("until", "least"), [(None, 4), (8, 4), (3, 3)])
def test_labels_do_not_hide_the_mark_of_an_earlier_length(until, least):
    table = pd.DataFrame({"group": ["x"], "series": ["a"], "loss": [1], "was": [4]})
    (axes,) = bars(table, before="was", until=until).axes
    (label,) = axes.texts
    assert label.get_position()[0] > least
    assert label.get_position()[0] < axes.get_xlim()[1]


@pytest.mark.parametrize(
    ("threshold", "earlier", "last"),
    [(3.0, np.nan, 3.0), (0.95, 3.0, 3.0), ((0.5, 3.0), np.nan, 3.0), (0.95, 0.5, 1.0)],
)
def test_the_axis_has_ticks_up_to_the_marks_beyond_the_bars(threshold, earlier, last):
    columns = {"series": "a bar with a rather long name", "loss": 0.9, "earlier": earlier}
    table = pd.DataFrame({"group": ["x"]} | columns)
    (axes,) = bars(table, before="earlier", threshold=("half", {"x": threshold})).axes
    assert axes.get_xticks()[-1] == pytest.approx(last)
    assert axes.get_xlim()[1] > last


def test_bars_and_intervals_are_cut_off_where_the_axis_ends():
    table = LOSSES.assign(dark=[0.21, 0.1, 0.19], loss=[0.22, 0.1, 0.19], warning="",
                          ci95_low=[0.21, 0.09, 0.15], ci95_high=[0.23, 0.11, 0.3])  # fmt: skip
    (axes,) = bars(table, dark="dark", until=0.2).axes
    assert [bar.get_width() for bar in axes.patches] == [0.2, 0.2, 0.1, 0.1, 0.19, 0.19]
    drawn = [path for bars in axes.collections for path in bars.get_paths()]
    assert np.allclose([path.vertices[:, 0] for path in drawn], [[0.09, 0.11], [0.15, 0.2]])
    arrows = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == ">"]
    assert arrows == [axes.texts[0].get_position()[1], axes.texts[2].get_position()[1]]
    assert texts(axes)[0] == "ordered 0.220 ± 0.010"


def test_an_earlier_length_beyond_the_end_of_the_axis_is_not_drawn():
    table = LOSSES.assign(earlier=[0.5, 0.4, np.nan])
    (axes,) = bars(table, before="earlier", until=0.4).axes
    dashed = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "None"]
    assert dashed.count(0.4) == 1
    assert 0.5 not in dashed


@pytest.mark.parametrize(
    ("value", "low", "high"), [(0.5, 0.1, 0.2), (0.05, 0.1, 0.2), (-0.3, -0.2, 0.1)]
)
def test_an_interval_that_does_not_contain_its_value_is_drawn_where_it_is(value, low, high):
    table = LOSSES[:1].assign(loss=value, ci95_low=low, ci95_high=high)
    (axes,) = bars(table).axes
    assert [bar.get_width() for bar in axes.patches] == [value]
    (line,) = (path for bars in axes.collections for path in bars.get_paths())
    assert line.vertices[:, 0] == pytest.approx([low, high])


@pytest.mark.parametrize(
    ("loss", "dark"), [(0.1, 0.9), (0.1, -0.05), (-0.1, -0.9), (-0.1, 0.05), (0.0, 0.1)]
)
def test_a_dark_part_that_is_no_part_of_its_bar_is_refused(loss, dark):
    table = LOSSES[1:].assign(loss=[0.3, loss], ci95_low=np.nan, ci95_high=np.nan, part=[0.1, dark])
    words = f"^column 'part' has {dark} in row 2; give a part of the bar, from 0 to .* 'loss'$"
    with pytest.raises(InputError, match=words):
        bars(table, dark="part")
    bars(table.assign(part=table["loss"]), dark="part")


@pytest.mark.parametrize("values", [(-0.2, 0.4), (-120.0, -80.0), (-1e-3, 0.9), (0.0, 0.0)])
def test_words_of_bars_stay_inside_the_picture(values):
    names = [f"a name that is rather long {value}" for value in values]
    ends = {"ci95_low": np.array(values) - 0.1, "ci95_high": np.array(values) + 0.1}
    figure = bars(pd.DataFrame({"group": "x", "series": names, "loss": values} | ends))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_xlim()[0] < min(values) - 0.1 < max(values) + 0.1 < axes.get_xlim()[1]
    for text in axes.texts:
        assert text.get_position()[0] > 0
        assert text.get_window_extent().x1 <= figure.bbox.x1


def test_a_long_name_is_cut_so_that_the_bars_keep_room():
    figure = bars(LOSSES.assign(series=["a long name " * 10, "b", "c"]))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    assert low == 0 < high
    assert max(map(len, texts(axes))) <= 64
    assert texts(axes)[0].endswith(" … 0.220")
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in axes.texts)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[:0], "^table has no rows; give one row for each point$"),
        (lambda t: t.drop(columns="loss"), "^value = 'loss' is not a column; the table has"),
        (lambda t: t.assign(loss=np.inf), "^column 'loss' has inf in row 0; .* leave the row out"),
        (lambda t: t.assign(ci95_high=[1, 2, np.inf]), "^column 'ci95_high' has inf in row 2; "),
        (lambda t: t.assign(loss=[1, "x", 3]), "^column 'loss' has 'x' in row 1; give numbers"),
        (lambda t: t.assign(loss=[1, "1.5", 3]), "^column 'loss' has '1.5' in row 1; give numbers"),
        (lambda t: t.assign(loss=["1", "2", "3"]), "^column 'loss' has '1' in row 0; give numbers"),
        (
            lambda t: t.assign(loss=pd.to_datetime(["2026-01-01"] * 3)),
            "^column 'loss' has Timestamp.* in row 0; give numbers",
        ),
        (
            lambda t: t.assign(loss=pd.to_timedelta([1, 2, 3], "s")),
            "^column 'loss' has .* in row 0; give numbers",
        ),
        (lambda t: t.assign(loss=[1, 2j, 3]), r"^column 'loss' has .* in row 0; give numbers"),
    ],
)
def test_what_has_no_place_in_a_picture_is_refused_in_one_line(change, words):
    with pytest.raises(InputError, match=words) as error:
        bars(change(LOSSES))
    assert "\n" not in str(error.value)


def test_a_threshold_of_a_group_without_bars_is_refused():
    with pytest.raises(InputError, match=r"^group of threshold = 'U\[1,9\]'; choose one of 'U\["):
        bars(LOSSES, threshold=("half", {"mine": 0.1, "U[1,9]": 0.11}))


def test_histograms_have_bars_of_the_given_width_in_the_panel_of_their_name():
    rows = [("size", 1, 0.25, 1), ("size", 2, 0.75, 2), ("run time", 10, 1.0, 5)]
    table = pd.DataFrame(rows, columns=["what", "from", "share", "width"])
    columns = {"value": "from", "share": "share", "panel": "what", "width": "width"}
    figure = plots.histograms(table, **columns, ylabel="share of jobs", title="What jobs ask for")
    names = [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes]
    assert names == [("size", "share of jobs"), ("run time", "share of jobs")]
    boxes = [
        [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in axes.patches]
        for axes in figure.axes
    ]
    assert boxes == [[(1, 1, 0.25), (2, 2, 0.75)], [(10, 5, 1.0)]]
    colours = {matplotlib.colors.to_hex(bar.get_facecolor()) for bar in figure.axes[0].patches}
    assert colours == {plots.STANDARD.colour.lower()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"width": [1, 0]}, "^column 'width' has 0 in row 1; give a width above 0"),
        ({"share": [0.1, -0.1]}, "^column 'share' has -0.1 in row 1; give a height of 0 or more"),
        ({"from": [1, 1]}, "^column 'from' has 1 in row 1; an earlier row has the same values"),
        ({"width": [1.5, 1]}, "^column 'from' has 2 in row 1; it overlaps the bar to its left"),
    ],
)
def test_a_bar_that_a_histogram_cannot_have_is_refused(change, words):
    table = pd.DataFrame({"what": "size", "from": [1, 2], "share": 0.5, "width": 1}).assign(
        **change
    )
    columns = {"value": "from", "share": "share", "panel": "what", "width": "width"}
    with pytest.raises(InputError, match=words):
        plots.histograms(table, **columns, ylabel="share of jobs")


@pytest.mark.parametrize("until", [0.0, -1.0, np.nan])
def test_bars_cannot_end_at_or_before_0(until):
    with pytest.raises(InputError, match=r"^until = .*; give a finite number above 0"):
        bars(LOSSES, until=until)


def test_a_warning_may_be_false():
    read = tidy(LOSSES.assign(warning=[False, np.False_, "few jobs"]), {}, {})
    assert read["warning"].tolist() == ["", "", "few jobs"]
    read = tidy(LOSSES.assign(warning=[False, True, False]), {}, {})
    assert read["warning"].tolist() == ["", "True", ""]


@pytest.mark.parametrize("level", [np.nan, (0.1, np.inf)])
def test_a_threshold_is_a_finite_number(level):
    with pytest.raises(InputError, match=r"^threshold of 'mine' = (nan|inf); give a finite number"):
        bars(LOSSES, threshold=("half", {"mine": level}))


@pytest.mark.parametrize("how", [{"threshold": ("half", {"mine": 2.0})}, {"before": "earlier"}])
def test_the_axis_reaches_what_the_bars_are_compared_with(how):
    (axes,) = bars(LOSSES.assign(earlier=[0.1, np.nan, 2.0]), **how).axes
    assert axes.get_xlim()[1] > 2


@pytest.mark.parametrize("level", [0.9, (0.1, 0.9)])
def test_a_threshold_beyond_the_end_of_the_axis_is_refused(level):
    with pytest.raises(InputError, match=r"^threshold of 'mine' = 0.9; give at most until = 0.5, "):
        bars(LOSSES, threshold=("half", {"mine": level}), until=0.5)
    bars(LOSSES, threshold=("half", {"mine": level}), until=0.9)


@pytest.mark.parametrize("earlier", [np.inf, -np.inf])
def test_the_length_of_an_earlier_bar_is_finite(earlier):
    with pytest.raises(InputError, match=r"^column 'earlier' has -?inf in row 1; a figure shows"):
        bars(LOSSES.assign(earlier=[0.1, earlier, np.nan]), before="earlier")


@pytest.mark.parametrize(
    "loss",
    [
        pd.Series([1, Fraction(1, 2), None], dtype=object),
        pd.Series([True, 0.5, pd.NA], dtype=object),
        pd.Series([1, 0.5, pd.NA], dtype="Float64"),
        pd.Series([1, 0.5, np.nan], dtype="category"),
    ],
)
def test_numbers_of_any_type_are_read(loss):
    read = tidy(pd.DataFrame({"loss": loss}), {}, {"value": "loss"}, gaps=["value"])
    assert read["value"].tolist() == pytest.approx([1, 0.5, np.nan], nan_ok=True)


def test_a_bar_beyond_its_interval_fits_beside_its_name():
    ends = {"ci95_low": [0.1, 0.1], "ci95_high": [0.3, 0.25]}
    table = pd.DataFrame({"series": ["a", "b"], "group": "x", "loss": [0.5, 0.2]} | ends)
    (axes,) = bars(table).axes
    assert axes.get_xlim()[1] > 0.5
    places = [text.get_position()[0] for text in axes.texts]
    assert places[0] > 0.5
    assert places[1] > 0.25
    low = bars(table.assign(loss=[-0.5, 0.2])).axes[0].get_xlim()[0]
    assert low < -0.5
    ticks = bars(table.assign(loss=[1.4, 0.2])).axes[0].get_xticks()
    assert max(ticks) > 1  # A value above 1 is no share, although its interval is below 1.
    (axes,) = bars(table, until=0.4).axes
    arrows = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == ">"]
    assert arrows == [axes.texts[0].get_position()[1]]


def test_a_long_name_without_spaces_is_cut_by_letters():
    name = "Conservative_backfilling_with_estimates_of_users_and_no_spaces_at_all"
    (axes,) = bars(LOSSES[:1].assign(series=name)).axes
    (text,) = texts(axes)
    assert text.startswith(name[:50])
    assert text.endswith(" … 0.220")
    assert len(text) <= 64


@pytest.mark.parametrize("kind", [int, float, np.int64])
def test_a_warning_of_0_is_no_warning(kind):
    read = tidy(LOSSES.assign(warning=[kind(0), kind(1), kind(0)]), {}, {})
    assert read["warning"].tolist() == ["", "1", ""]


def test_a_style_is_found_by_a_label_that_is_a_number():
    red = plots.MarkerStyle("red", "o")
    assert looks(["1", "2"], {1: red})["1"] == red
    (axes,) = bars(LOSSES.assign(group=[1, 2, 3]), threshold=("half", {1: 0.3})).axes
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [0.3]


def test_a_column_that_a_table_has_twice_is_refused():
    for name in ("loss", "group", "ci95_low"):
        table = pd.concat([LOSSES, LOSSES[[name]]], axis=1)
        words = f"^table has two columns '{name}'; rename or drop one of them$"
        with pytest.raises(InputError, match=words):
            bars(table)
    unused = pd.DataFrame([[1, 2]] * 3, columns=["other", "other"])
    bars(pd.concat([LOSSES, unused], axis=1))


def test_neighbouring_bars_of_a_histogram_may_differ_by_a_rounding_error():
    table = pd.DataFrame({"what": "size", "from": [0.1, 0.3], "share": 0.5, "width": [0.2, 0.1]})
    assert 0.1 + 0.2 > 0.3
    columns = {"value": "from", "share": "share", "panel": "what", "width": "width"}
    # The same bars in another panel overlap no bar of the first panel.
    both = pd.concat([table, table.assign(what="run time")])
    assert len(plots.histograms(both, **columns, ylabel="share of jobs").axes) == 2
