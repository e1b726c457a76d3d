"""Jobs that are split, and responses that are made up."""

import numpy as np

from coalloc_lib.inference import Sample
from coalloc_lib.placement import WorstFit
from coalloc_lib.studies.communication_penalty import adaptive
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses
from coalloc_lib.studies.communication_penalty.served import served

NOISE = np.array([0.99, 1.0, 1.01, 1.0])
#: Loads that are borne: for certain, and not even nearly.
MUCH, LITTLE = 0.95 * NOISE, 0.4 * NOISE


def split_jobs(jumps=0, load=0.5, rule=None, **how):
    jobs = {"above": 10, "span_penalty": 0.2} | how
    return adaptive.placed(served(jumps, load, **jobs), rule or WorstFit())


def responded(by_group=1.0, borne=MUCH, doubt="", split=None, spread=NOISE):
    """Return responses of four runs: 10 time units, times a factor, of each group."""
    factors = by_group if isinstance(by_group, dict) else {}
    means = {g: Sample(10 * factors.get(g, by_group) * spread, doubt) for g in NAMES}
    return Responses(Sample(borne), means, split)


SATURATED = Responses(Sample(LITTLE), {})


def filled(figure, factor, **how):
    """Give a figure responses that are so many times those of the whole jobs, by label."""
    for label, entry in figure.entries.items():
        by_group = {g: factor(label, g) for g in NAMES}
        found = SATURATED if None in by_group.values() else responded(by_group, **how)
        figure.found[entry] = found
        figure.found[entry.whole] = responded(1.0)
    return figure
