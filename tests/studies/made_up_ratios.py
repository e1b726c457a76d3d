"""A figure of ratios whose responses are made up."""

import numpy as np

from coalloc_lib.inference import Sample
from coalloc_lib.studies.communication_penalty.ratios import RatioFigure
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses
from coalloc_lib.studies.communication_penalty.served import served
from coalloc_lib.studies.ratio_lines import At

RUNS = 8


def made_up(of, jumps=(5,), lines=("",), places=(3, 10, 19), groups=NAMES):
    """Return a figure with responses ``of(line, place, group)`` for whole ones of 10."""
    entries = {}
    for number, jump in enumerate(jumps):
        for i, line in enumerate(lines):
            for place in places:
                penalty = 0.01 * (1 + i) + 0.1 * number
                entries[At(jump, line, place)] = served(
                    jump, 0.5, above=place, span_penalty=penalty
                )
    figure = RatioFigure("made-up", "nothing", entries, xlabel="x", groups=groups)
    noise = np.linspace(-1e-3, 1e-3, RUNS)
    bears = Sample(np.full(RUNS, 0.9))
    for at, entry in entries.items():
        values = {g: of(at.line, at.place, g) for g in NAMES}
        means = {} if None in values.values() else {g: Sample(v + noise) for g, v in values.items()}
        figure.found[entry] = Responses(bears, means)
        whole = {g: Sample(10 + noise**2) for g in NAMES}
        figure.found[entry.whole] = Responses(bears, whole)
    return figure
