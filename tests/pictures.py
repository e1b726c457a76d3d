"""What the tests of pictures share."""

import numpy as np

from coalloc_lib.estimates import Interval


def texts(axes):
    return [text.get_text() for text in axes.texts]


#: Figures that have no place in a picture.
ENDLESS = (Interval(np.nan, 0, 1, 2), Interval(0.5, 0, np.inf, 2), Interval(0.5, np.nan, 1, 2))
