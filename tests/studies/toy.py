"""A study that takes no time: the least that is one."""

from dataclasses import dataclass

import numpy as np

from coalloc_lib import plots
from coalloc_lib.statistics import (
    Replications,
    difference,
    differences,
    means,
    pick,
    rows_of,
    sample,
)
from studies.claim import PaperSetting
from studies.ledger import Decision, Row, judge_number
from studies.results import Caption
from studies.study import Study, scales


@dataclass(frozen=True)
class Draw:
    """Normal numbers around a mean, or the mean itself; at a place."""

    mean: float
    place: str = "here"
    load: float | None = None
    known: bool = False


def settings(scale):
    for place in ("here", "there"):
        for mean in range(scale.most + 1):
            yield Draw(float(mean), place)
            yield Draw(float(mean), place, load=0.5)
    yield Draw(7.0, known=True)


def measure(setting, scale, seed):
    for part, factor in (("whole", 1.0), ("half", 0.5)):
        if setting.known:
            values = np.array(factor * setting.mean)
        else:
            noise = np.random.default_rng(seed).normal(size=scale.runs)
            values = factor * (setting.mean + noise)
        yield from rows_of(Replications(values), "value", part=part)


def draw_means(table, **titles):
    return plots.intervals(table, x="difference", row="mean", panel="place", **titles)


def toy(name="maximal-utilization", measured=measure):
    """Return a study of one figure, one table, one printed number and two claims."""
    study = Study(
        name, "Which mean is larger?", 7, scales(runs=(4, 8), most=(1, 3)), settings, measured
    )

    @study.add_figure(
        "means", Caption("Means, less that of 0", "The last is largest"), draw_means, ["MU-12"]
    )
    def means_of(runs):
        whole = pick(runs, part="whole", load=None, known=0)
        return differences(whole, "value", {"mean": 0.0})

    @study.add_figure("bare", "A table alone")
    def bare(runs):
        return means(pick(runs, known=1), "value")

    @study.add_numbers
    def printed(runs):
        mean = sample(runs, "value", mean=1.0, place="here", load=None, part="whole").interval
        yield Row.of(study.name, "Table 1 a", "mean", 1.0, mean, judge_number(1.0, mean))

    at = PaperSetting({"place": "here", "load": None}, {"part": "whole"})

    @study.add_claim("MU-12", "difference of the last", at)
    def last_is_largest(runs):
        last = pick(runs, known=0)["mean"].max()
        less = difference(runs, "value", {"mean": last, "known": 0}, {"mean": 0.0}).interval
        return Decision(less, {"above 0.9": less.above(0.9)})

    @study.add_claim("MU-1", "known mean", at.without("load").with_(part="half"))
    def known_mean(runs):
        known = sample(runs, "value", known=1).interval
        return Decision(known, {"above 1": known.above(1), "above 100": known.above(100)}, "drawn")

    return study
