"""Random input for the formulas."""

import numpy as np
from hypothesis import strategies as st

from coalloc_lib.analytic import JointSizes
from coalloc_lib.distributions import SizeDistribution


@st.composite
def distributions(draw, largest):
    weights = draw(st.lists(st.integers(0, 5), min_size=1, max_size=largest).filter(any))
    return SizeDistribution(np.array([0, *weights]) / sum(weights))


@st.composite
def tables(draw, sizes):
    row = st.tuples(*(st.integers(0, n) for n in sizes)).filter(any)
    rows = draw(st.lists(row, min_size=1, max_size=5))
    weights = np.array(draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows))))
    return JointSizes(rows, weights / weights.sum())
