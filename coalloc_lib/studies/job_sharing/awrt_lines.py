"""Figures of the AWRT of multi-site execution, over that of job sharing, along the overhead."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.bootstrap import Resamples, resample_sums
from coalloc_lib.checks import InputError
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Crossing
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies.job_sharing.case_figure import CaseFigure
from coalloc_lib.studies.job_sharing.parameters import SCALES, SEED, WEEK
from coalloc_lib.studies.job_sharing.runs import Case, Found
from coalloc_lib.studies.ratio_lines import At, RatioLines


def resampled(
    cases: Sequence[Case], found: Mapping[Any, Found], weight: str, resamples: int
) -> Resamples:
    """Return the AWRT of cases of one workload, and what it is when its weeks are drawn anew."""
    top = np.stack([found[case].sums[weight] for case in cases])
    bottom = np.broadcast_to(cases[0].work.weights(weight), top.shape)
    return resample_sums(top, bottom, WEEK, resamples=resamples, seed=SEED)


def ratio(
    one: Case, other: Case, found: Mapping[Any, Found], weight: str, resamples: int
) -> Interval:
    """Return the AWRT of a case over that of another of the same workload, in the same weeks."""
    both = resampled([one, other], found, weight, resamples)
    return both.interval(lambda means: float(means[0] / means[1]))


def break_even(
    spanning: Mapping[float, Case], base: Case, found: Mapping[Any, Found], weight: str,
    resamples: int,
) -> Crossing:  # fmt: skip
    """Return the overhead at which multi-site execution no longer beats another way to run.

    Parameters
    ----------
    spanning : dict of Case
        By overhead, in rising order.
    base : Case
        What it is held against, on the same workload.

    Notes
    -----
    Between overheads that were run the difference is a straight line; where it rises and falls, the
    first overhead counts at which it rises above zero. In each resample the weeks are the same for
    all.
    """
    overheads = np.array(list(spanning))
    means = resampled([*spanning.values(), base], found, weight, resamples)
    return Crossing(means.interval(partial(_rise, overheads)), len(overheads))


def _rise(overheads, means):
    """Return the overhead at break-even from AWRTs at each, and of what they are held against."""
    return float(first_rise(overheads, means[:-1] - means[-1]))


#: Multi-site execution by overhead, and what it is held against.
Line = tuple[Mapping[float, Case], Case]


def bears_more(
    one: Line, other: Line, found: Mapping[Any, Found], weight: str, resamples: int
) -> bool | None:
    """Return whether one line breaks even at a larger overhead than another; None: undecided.

    Notes
    -----
    In each resample, the two have the same weeks if their workload is the same, and weeks drawn
    independently if not. A break-even out of the overheads that were tried counts as the least or
    the largest of them: the two are at least so far apart, and not at all where both are out at the
    same end.
    """
    overheads = np.array(list(one[0]))
    if list(other[0]) != list(one[0]):
        raise InputError("the lines have different overheads; compare those that have the same")
    cases = [[*spanning.values(), base] for spanning, base in (one, other)]
    if one[1].work is other[1].work:
        both = resampled([*cases[0], *cases[1]], found, weight, resamples)
    else:
        first, second = (resampled(each, found, weight, resamples) for each in cases)
        both = first.beside(second)

    def apart(means):
        ends = [_rise(overheads, part) for part in np.split(means, 2)]
        mine, theirs = np.clip(ends, overheads[0], overheads[-1])
        return float(mine - theirs)

    apart_by = both.interval(apart)
    if apart_by.doubt or apart_by.contains(0):
        return None
    return apart_by.estimate > 0


def first_rise(at: np.ndarray, values: np.ndarray) -> float:
    """Return where values along a parameter first rise above zero.

    ``-inf`` where they begin above it, ``inf`` where they never are.

    Examples
    --------
    >>> float(first_rise(np.array([0, 1, 2]), np.array([-1.0, -0.5, 0.5])))
    1.5
    """
    above = np.flatnonzero(values > 0)
    if not len(above):
        return np.inf
    i = above[0]
    if i == 0:
        return -np.inf
    part = -values[i - 1] / (values[i] - values[i - 1])
    return at[i - 1] + part * (at[i] - at[i - 1])


class AwrtLines(CaseFigure, RatioLines):
    """AWRT along the overhead, over that of another way to run the same workload.

    Parameters
    ----------
    entries : dict of Case
        By `At`.
    bases : dict of Case
        By `At` too, what each case is held against.
    rows : {"panel", "line"}, optional
        Draws each line in a small panel of its own: whether a row of them is of a panel or of the
        lines of one name.
    """

    whole = True

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[At, Case], *,
        bases: Mapping[At, Case], against: str, weight: str = "work",
        rows: str = "", **said: Any,
    ) -> None:  # fmt: skip
        self.bases, self.weight, self.rows = dict(bases), weight, rows
        self.needed = {at: (case, bases[at]) for at, case in entries.items()}
        super().__init__(
            name, subtitle, entries, SCALES, SEED, xlabel="overhead p of jobs that span sites",
            ylabel=f"AWRT over that of\n{against}", against=against, **said,
        )  # fmt: skip

    def interval(self, panel: Any, line: str, place: float) -> Interval:
        """Return the ratio at an overhead."""
        at = At(panel, line, place)
        self.result(at)  # says so where it was not run
        cases = self.entries[at], self.bases[at]
        return ratio(*cases, self.found, self.weight, self.size.resamples)

    def plot(self) -> Picture:
        """Draw the ratios, on a scale of factors."""
        if not self.rows:
            return super().plot()
        panels = self.drawn()
        if self.rows == "line":
            names = dict.fromkeys(line for drawn in panels.values() for line in drawn)
            panels = {
                name: {heading: drawn[name] for heading, drawn in panels.items() if name in drawn}
                for name in names
            }
        return plots.ratio_grid(
            panels, title=self.title, subtitle=self.subtitle, xlabel=self.xlabel,
            ylabel=self.ylabel, level=self.against, sign=plots.MEANINGS["single then span"],
        )  # fmt: skip

    def break_even(self, panel: Any, line: str) -> Crossing:
        """Return the overhead at which a line reaches what it is held against."""
        spanning, base = self._line(panel, line)
        return break_even(spanning, base, self.found, self.weight, self.size.resamples)

    def bears_more(self, one: tuple[Any, str], other: tuple[Any, str]) -> bool | None:
        """Return whether a line, by panel and name, breaks even at a larger overhead."""
        first, second = self._line(*one), self._line(*other)
        return bears_more(first, second, self.found, self.weight, self.size.resamples)

    def _line(self, panel: Any, line: str) -> Line:
        """Return the cases of a line by overhead, and the one that all are held against."""
        points = dict(sorted(self.lines(panel)[line].items()))
        for at in points.values():
            self.result(at)  # says so where it was not run
        bases = {self.bases[at] for at in points.values()}
        if len(bases) > 1:
            raise InputError(
                f"{line} of {self.name} is held against another case at each overhead; only what "
                "is held against one case breaks even with it"
            )
        return {x: self.entries[at] for x, at in points.items()}, bases.pop()

    def data(self) -> pd.DataFrame:
        """Return one row a point: the ratio, and the AWRT of both, in hours, by each weight."""
        rows = []
        for at, case in self.entries.items():
            base = self.bases[at]
            for weight in WEIGHTS:
                both = resampled([case, base], self.found, weight, self.size.resamples)
                found = both.interval(lambda means: float(means[0] / means[1]))
                hours = {"awrt_h": both.means[0] / 3600, "awrt_against_h": both.means[1] / 3600}
                ends = {"ratio": found.estimate, "ci95_low": found.low, "ci95_high": found.high}
                label = {"panel": str(at.panel), "line": at.line, "overhead": at.place}
                spanned = {"spanned": self.found[case].spanned}
                rows.append(label | {"weight": weight} | hours | ends | spanned)
        return pd.DataFrame(rows)
