"""The cells of a matrix have the colours, hatching and crosses of their verdicts."""

from functools import partial

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.plots.maps import shade
from tests.plots.pictures import texts

CELLS = pd.DataFrame(
    [
        ("sharing helps", "FCFS", "a", -20.0, "holds", ""),
        ("sharing helps", "FCFS", "long", 1.0, "undecided", ""),
        ("sharing helps", "EASY", "a", 900.0, "turns", "∞"),
        ("splitting helps", "FCFS", "a", np.nan, "no answer", ""),
        ("splitting helps", "EASY", "a", 30.0, "turns", ""),
    ],
    columns=["conclusion", "policy", "workload", "change", "verdict", "mark"],
).assign(counts=["2 of 3"] * 3 + ["0 of 1"] * 2)
matrix = partial(
    plots.matrix, row="conclusion", column="workload", group="policy", value="change",
    verdict="verdict", mark="mark", beside="counts",
)  # fmt: skip


def patches_of(table):
    (axes,) = matrix(table).axes
    return {patch.get_xy(): patch for patch in axes.patches}


def test_a_cell_has_the_colour_of_its_change_and_the_width_of_its_column():
    drawn = patches_of(CELLS)
    assert sorted(drawn) == [(0.0, 0), (1.0, 0), (2.8, 0), (2.8, 1)]
    assert [drawn[x, 0].get_width() for x in (0.0, 1.0, 2.8)] == [1.0, 1.8, 1.0]
    green, brown = drawn[0.0, 0].get_facecolor(), drawn[2.8, 0].get_facecolor()
    assert green[1] > green[0]
    assert brown[0] > brown[2]
    assert drawn[2.8, 1].get_facecolor() == shade(30.0)


def test_a_text_in_a_dark_cell_is_white():
    (axes,) = matrix(CELLS.assign(mark="m")).axes
    colours = {text.get_position(): text.get_color() for text in axes.texts}
    assert colours[3.3, 0.5] == "white"  # a change by 900 percent
    assert [colours[place] for place in ((0.5, 0.5), (1.9, 0.5))] == ["black", "black"]


def test_a_row_has_one_text_beside_it():
    again = CELLS.assign(counts=["", "2 of 3", "3 of 3", "0 of 1", "0 of 1"])
    with pytest.raises(InputError, match=r"^column 'counts' has '3 of 3' in row 2; an earlier"):
        matrix(again)
    (axes,) = matrix(again.replace("3 of 3", "")).axes
    assert {"2 of 3", "0 of 1"} < {*texts(axes)}


def test_an_undecided_cell_is_hatched_and_grey():
    drawn = patches_of(CELLS)
    assert [place for place, patch in drawn.items() if patch.get_hatch()] == [(1.0, 0)]
    assert drawn[1.0, 0].get_facecolor() == matplotlib.colors.to_rgba("lightgrey")


def test_a_cell_without_an_answer_is_a_cross_without_colour():
    (axes,) = matrix(CELLS).axes
    (cross,) = (text for text in axes.texts if text.get_text() == "×")
    assert cross.get_position() == (0.5, 1.5)
    assert (0.0, 1) not in patches_of(CELLS)


def test_rows_columns_and_groups_are_named_in_the_order_of_the_table():
    figure = matrix(CELLS, values="change, %", subtitle="s", title="Which hold")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "long", "a"]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert rows == ["sharing helps", "splitting helps"]
    assert [word for word in texts(axes) if word] == ["∞", "×", "FCFS", "EASY", "2 of 3", "0 of 1"]
    assert "change, %; s" in [text.get_text() for text in figure.texts]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (CELLS.assign(verdict="holds"), "^column 'change' has nan in row 3; .* leave the row out$"),
        (
            CELLS.assign(verdict=["holds", "turns", "turns", "no answer", np.nan]),
            "^column 'verdict' has nan in row 4; give each cell a verdict, such as 'undecided'$",
        ),
        (CELLS.assign(change=np.inf), "^column 'change' has inf in row 0; .* leave the row out$"),
        (
            pd.concat([CELLS, CELLS[:1]], ignore_index=True),
            "^column 'workload' has 'a' in row 5; an earlier row has the same values in "
            "'conclusion', 'policy', 'workload', leave one of the rows out$",
        ),
    ],
)
def test_a_cell_that_has_no_place_or_no_colour_is_refused(table, words):
    with pytest.raises(InputError, match=words):
        matrix(table)
