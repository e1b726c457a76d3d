"""Distributions of job sizes, service times and interarrival times, with exact moments.

Sizes are whole numbers of processors; times have any one unit. Every distribution has `mean`,
`variance`, `cv` (the standard deviation over the mean) and `sample(rng, shape)`.
"""

from coalloc_lib.distributions.base import Distribution, Shape, weights_of
from coalloc_lib.distributions.erlang import HyperErlang
from coalloc_lib.distributions.sizes import (
    MOST_SIZE,
    SizeDistribution,
    parse_sizes,
    power_of_two,
    uniform,
)
from coalloc_lib.distributions.times import (
    Between,
    Deterministic,
    Empirical,
    Exponential,
    Hyperexponential,
    PoissonArrivals,
)

__all__ = [
    "MOST_SIZE",
    "Between",
    "Deterministic",
    "Distribution",
    "Empirical",
    "Exponential",
    "HyperErlang",
    "Hyperexponential",
    "PoissonArrivals",
    "Shape",
    "SizeDistribution",
    "parse_sizes",
    "power_of_two",
    "uniform",
    "weights_of",
]
