"""By how much splitting changes the mean response time, against the same jobs kept whole."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from coalloc_lib.estimates import Interval, not_
from coalloc_lib.inference import Sample
from coalloc_lib.studies.communication_penalty.parameters import said
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses
from coalloc_lib.studies.communication_penalty.served import Served

#: Why a load that is borne for certain by nobody has no answer.
NEITHER = "neither is certain to bear the load"


class Change(NamedTuple):
    """What splitting does to a mean response time.

    Attributes
    ----------
    percent : Interval
        Change in percent; infinite where only the split jobs saturate, -100 where only the whole
        ones do, NaN where both do.
    saturated : {"", "split", "whole", "both"}
        Which of the two is not certain to bear the load.
    longer : bool or None
        Whether responses get longer for certain, or shorter; None where neither is certain.
    """

    percent: Interval
    saturated: str
    longer: bool | None

    @property
    def verdict(self) -> str:
        """What becomes of the group: ``gains``, ``loses``, ``undecided`` or ``not borne``."""
        if self.saturated == "both":
            return "not borne"
        return {True: "loses", False: "gains", None: "undecided"}[self.longer]


#: What `Change.verdict` can be.
VERDICTS = ("gains", "loses", "undecided", "not borne")


def change(split: Responses, whole: Responses, group: str) -> Change:
    """Return by how many percent splitting changes the mean response of a group.

    Notes
    -----
    The mean, over the runs, of the logarithm of split over whole on the same jobs. Near saturation
    mean responses of runs are skewed: a mean of differences would be that of one run. Where one
    of the two saturates, paired runs in heavy traffic say whether the other bears more for certain.
    """
    bears = (whole.borne - split.borne).interval  # what splitting costs
    if split.saturated and whole.saturated:
        return Change(_endless(np.nan, NEITHER), "both", None)
    if split.saturated:
        return Change(_endless(np.inf), "split", bears.above(0) or None)
    if whole.saturated:
        return Change(_endless(-100.0), "whole", not_(bears.below(0) or None))
    one, other = split.means[group], whole.means[group]
    logarithm = Sample(np.log(one.values / other.values), one.doubt or other.doubt).interval
    return Change(_percent(logarithm), "", _sign(logarithm))


def gain(split: Responses, whole: Responses, group: str) -> Sample:
    """Return the share of its mean response time that a group gains, run by run.

    Where one of the two saturates there is none: NaN.
    """
    if split.saturated or whole.saturated:
        return Sample(np.full(len(whole.borne.values), np.nan))
    one, other = split.means[group], whole.means[group]
    return Sample(1 - one.values / other.values, one.doubt or other.doubt)


def _sign(interval):
    """Return whether it is above zero, or below it; None where neither is certain."""
    return True if interval.above(0) else False if interval.below(0) else None


def _endless(value, doubt=""):
    return Interval(value, value, value, 0, doubt=doubt)


def _percent(logarithm):
    ends = (100 * np.expm1([logarithm.estimate, logarithm.low, logarithm.high])).tolist()
    return Interval(*ends, logarithm.count, doubt=logarithm.doubt)


def columns_of(entry: Served) -> dict[str, Any]:
    """Return what an entry is as columns of a table."""
    scenario, jobs = entry.scenario, entry.jobs
    jumps = getattr(scenario.scheduling, "max_jumps", 0)
    return {
        "max_jumps": said(jumps),
        "load": entry.load,
        "above": jobs.above,
        "parts": jobs.parts,
        "psi": jobs.span_penalty,
        "kept_whole": jobs.kept_whole,
        "placement": str(scenario.placement),
    }


def table_rows(
    entry: Served, split: Responses, whole: Responses, groups: Iterable[str] = NAMES
) -> Iterator[dict[str, Any]]:
    """Yield the change of each group as columns of a table."""
    for group in groups:
        found = change(split, whole, group)
        ends = {"change": found.percent.estimate}
        ends |= {"ci95_low": found.percent.low, "ci95_high": found.percent.high}
        known = {"count": found.percent.count, "doubt": found.percent.doubt}
        words = {"saturated": found.saturated, "verdict": found.verdict}
        yield columns_of(entry) | {"group": group} | ends | known | words
