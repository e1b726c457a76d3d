"""Maps show their numbers and hatch undecided cells; timelines show shares over time."""

from functools import partial
from itertools import product

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from tests.plots.pictures import texts

CELLS = pd.DataFrame(
    [
        ("a", "low", -20, -25, -15, ""), ("b", "low", 5, 3, 7, ""),
        ("c", "low", np.nan, np.nan, np.nan, "neither"), ("a", "high", -1, -5, 3, ""),
        ("b", "high", 900, 800, 990, ""), ("c", "high", np.nan, np.inf, np.inf, "longer"),
    ],
    columns=["psi", "load", "change", "ci95_low", "ci95_high", "mark"],
).assign(panel="one")  # fmt: skip
maps = partial(plots.maps, x="psi", y="load", value="change", panel="panel", mark="mark")


def hatched(axes):
    return [patch.get_xy() for patch in axes.patches if patch.get_hatch()]


def test_maps_number_their_cells_and_hatch_what_is_undecided():
    figure = maps(pd.concat([CELLS, CELLS.assign(panel="two")]), values="change, %")
    one = figure.axes[0]
    assert texts(one) == ["−20", "+5", "×", "−1", "×10", "∞"]
    assert hatched(one) == [(0, 1)]
    places = {patch.get_xy(): patch.get_facecolor() for patch in one.patches}
    green, brown = places[0, 0], places[1, 0]
    assert green[1] > green[0]
    assert brown[0] > brown[2]
    assert places[2, 0] == matplotlib.colors.to_rgba(plots.MARKS["neither"].colour)
    assert one.get_title(loc="left") == "one"
    assert len(figure.axes) == 2
    assert "change, %" in [text.get_text() for text in figure.texts]
    doubtful = maps(CELLS.assign(warning="rising")).axes[0]
    assert len(hatched(doubtful)) == 6
    assert texts(doubtful)[-1] == "∞?"
    assert one.get_lines()


def test_a_small_change_that_is_certain_does_not_read_like_no_change():
    rows = pd.DataFrame({"psi": range(5), "load": "low", "panel": "one", "mark": ""})
    changes = np.array([0.2, -0.04, -0.5, 0.00002, 1.4])
    ends = {"ci95_low": changes - abs(changes) / 2, "ci95_high": changes + abs(changes) / 2}
    found = maps(rows.assign(change=changes, **ends))
    assert texts(found.axes[0]) == ["+0.2", "−0.04", "−0.5", "+0", "+1"]
    undecided = maps(rows.assign(change=changes, ci95_low=-9, ci95_high=9)).axes[0]
    assert texts(undecided) == ["0", "0", "0", "0", "+1"]


@pytest.mark.parametrize(("columns", "places"), [(6, 3), (7, 2)])
def test_three_maps_stand_in_one_row_if_their_cells_are_wide_enough(columns, places):
    rows = pd.DataFrame(product("xyz", range(columns)), columns=["panel", "psi"])
    figure = maps(rows.assign(load="low", change=1, mark="", ci95_low=0.5, ci95_high=2))
    assert figure.axes[0].get_subplotspec().get_gridspec().ncols == places


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("change", np.nan, "column 'change' has nan in row 0; .* leave the row out"),
        ("ci95_high", np.inf, "column 'ci95_high' has inf in row 0; .* leave the row out"),
        ("mark", "endless", "mark = 'endless'; choose one of '', 'longer'"),
    ],
)
def test_a_cell_that_has_no_place_is_refused(column, value, words):
    table = CELLS.copy()
    table.loc[0, column] = value
    with pytest.raises(InputError, match=words):
        maps(table)


def test_a_cell_with_a_mark_and_a_value_is_refused():
    words = "^column 'change' has 7.0 in row 2; the mark in 'mark' would hide it"
    with pytest.raises(InputError, match=words):
        maps(CELLS.assign(change=CELLS["change"].fillna(7.0)))


def test_a_second_row_for_a_cell_is_refused():
    again = pd.concat([CELLS, CELLS.assign(change=30)], ignore_index=True)
    words = (
        "^column 'load' has 'low' in row 6; an earlier row has the same values in 'panel', 'psi', "
        "'load', leave one of the rows out$"
    )
    with pytest.raises(InputError, match=words):
        maps(again)
    with pytest.raises(InputError, match=r"^column 'load' has 'low' in row 6; .*in 'psi', 'load'"):
        maps(again, panel=None)


def test_timelines_have_a_strip_a_cluster_and_refuse_what_is_no_share():
    """Shares are differences of long sums, so rounding may move them just below 0 or above 1."""
    shares = (-8e-17, 0.5, 1 + 3e-13, 0.25)
    table = pd.DataFrame({"mode": "one", "site": [1, 1, 2, 2], "day": [0, 1, 0, 1], "busy": shares})
    columns = {"panel": "mode", "strip": "site", "time": "day", "busy": "busy", "until": 2}
    draw = partial(plots.timelines, **columns, xlabel="day", ylabel="site")
    (image,) = draw(table).axes[0].get_images()
    assert np.allclose(image.get_array(), [[0, 0.5], [1, 0.25]])
    for bad in (1.2, -0.1, np.nan):
        with pytest.raises(InputError, match=f"column 'busy' has {bad} in row 1; "):
            draw(table.assign(busy=[0.5, bad, 0.5, 0.5]))


def test_a_strip_with_two_rows_of_the_same_time_is_refused():
    table = pd.DataFrame({"mode": "one", "site": [1, 1, 2], "day": [0, 0, 0], "busy": 0.5})
    columns = {"panel": "mode", "strip": "site", "time": "day", "busy": "busy", "until": 2}
    with pytest.raises(InputError, match=r"^column 'day' has 0 in row 1; an earlier row has"):
        plots.timelines(table, **columns, xlabel="day", ylabel="site")


def test_timelines_draw_each_interval_as_long_as_it_is():
    """The intervals of a cluster may have different lengths; each is drawn as long as it is."""
    rows = [("one", "A", 0, 0.5), ("one", "A", 9, 1.0), ("one", "B", 0, 0.2), ("one", "B", 5, 0.8)]
    table = pd.DataFrame(rows, columns=["mode", "site", "day", "busy"])
    columns = {"panel": "mode", "strip": "site", "time": "day", "busy": "busy"}
    draw = partial(plots.timelines, table, **columns, xlabel="day", ylabel="site")
    figure = draw(until=10)
    pixels = np.asarray(FigureCanvasAgg(figure).print_to_buffer()[0])
    pixels = np.frombuffer(pixels, np.uint8).reshape(*figure.canvas.get_width_height()[::-1], 4)
    axes = figure.axes[0]

    def shares_at(cluster, *times):
        places = axes.transData.transform([(time, cluster) for time in times]).astype(int)
        colours = [pixels[-1 - y, x, :3] for x, y in places]
        levels = np.linspace(0, 1, 11)
        known = colormaps["cividis_r"](levels)[:, :3] * 255
        return [round(levels[np.abs(known - c).sum(axis=1).argmin()], 1) for c in colours]

    assert shares_at(1, 0.5, 4.5, 8.5, 9.5) == [0.5, 0.5, 0.5, 1.0]
    assert shares_at(2, 0.5, 4.5, 5.5, 9.5) == [0.2, 0.2, 0.8, 0.8]
    assert axes.get_xlim() == (0, 10)
    with pytest.raises(InputError, match="column 'day' has 9 in row 1; give times before until"):
        draw(until=9)
    with pytest.raises(InputError, match="until = inf; give a finite number"):
        draw(until=np.inf)


def test_a_map_above_a_gap_has_its_own_labels():
    figure = maps(pd.concat([CELLS.assign(panel=name) for name in "abcde"]), xlabel="penalty")
    figure.draw_without_rendering()
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", *["penalty"] * 3]
    assert [bool(axes.get_xticklabels()) for axes in figure.axes] == [False] * 2 + [True] * 3


@pytest.mark.parametrize(
    ("strips", "ticks"),
    [
        ([5, 9], {1: "5", 2: "9"}),
        (["LU", "VU"], {1: "LU", 2: "VU"}),
        (range(101, 113), {5: "105", 10: "110"}),  # only some of many strips are named
    ],
)
def test_timelines_name_their_strips(strips, ticks):
    table = pd.DataFrame({"mode": "one", "site": strips, "day": 0, "busy": 0.5})
    columns = {"panel": "mode", "strip": "site", "time": "day", "busy": "busy", "until": 2}
    figure = plots.timelines(table, **columns, xlabel="day", ylabel="site")
    figure.draw_without_rendering()
    axis = figure.axes[0].yaxis
    names = [label.get_text() for label in axis.get_ticklabels()]
    assert dict(zip(axis.get_ticklocs(), names, strict=True)) == ticks
