"""The letters of figures: colours that can be read on white, and the size of legends."""

import numpy as np
import pytest

from coalloc_lib import plots
from coalloc_lib.plots.style import readable


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
