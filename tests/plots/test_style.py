"""The letters of figures: colours that can be read on white, and the size of legends."""

import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.plots.style import mark_powers, readable


@pytest.mark.parametrize("colour", ["#E69F00", "#56B4E9", "#CC79A7", "#FFFFFF"])
def test_letters_on_white_have_the_contrast_that_the_web_guidelines_require(colour):
    rgb = readable(colour)
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    contrast = 1.05 / (linear @ (0.2126, 0.7152, 0.0722) + 0.05)
    assert 4.5 <= contrast < 5.2


def test_a_colour_that_can_be_read_stays():
    assert readable("#0072B2") == pytest.approx([0, 0x72 / 255, 0xB2 / 255])


def test_a_title_makes_the_letters_of_a_legend_as_small_as_its_subtitle():
    figure, axes = plots.new_figure()
    axes.plot([1, 2], label="A")
    legend = axes.legend(fontsize=10)
    plots.title_figure(figure, "title")
    assert legend.get_texts()[0].get_fontsize() == 8.5


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.5, 2_000), [1, 10, 100, 1_000]),
        ((2, 250), [3, 10, 30, 100]),  # With two powers alone, values could hardly be read.
        ((2, 60), [2, 5, 10, 20, 50]),
        ((11, 19), [12, 14, 16, 18]),
    ],
)
def test_a_logarithmic_axis_has_enough_ticks_and_not_too_many(ends, ticks):
    _, axes = plots.new_figure()
    axes.set_xscale("log")
    axes.set_xlim(*ends)
    mark_powers(axes.xaxis)
    shown = [tick for tick in axes.get_xticks() if ends[0] <= tick <= ends[1]]
    assert shown == pytest.approx(ticks)
