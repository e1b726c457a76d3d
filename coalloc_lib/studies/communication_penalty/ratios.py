"""Figures of mean response times with splitting over those without, along one parameter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.checks import InputError, instance_of, shown
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import Sample
from coalloc_lib.plots.signs import OWN
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import FCFS, FPFS
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.parameters import SCALES, SEED, passing, said
from coalloc_lib.studies.communication_penalty.responses import NAMES, STREAM
from coalloc_lib.studies.communication_penalty.served import Served, measure_served
from coalloc_lib.studies.measurements import Scale
from coalloc_lib.studies.ratio_lines import At, RatioLines, steps

_SIZES = steps(NAMES[1:])
#: The groups from small jobs to large, and all jobs; the diamond is that of what is printed.
LOOK = _SIZES | {
    "S4": _SIZES["S4"]._replace(marker="v"),
    STREAM: plots.Sign("#000000", "P"),
}
#: The first line that a reader adds: no shade of the groups, nor the grey of what has no meaning.
ADDED = OWN[2]


class RatioFigure(RatioLines):
    """Mean response times relative to those of other jobs, the whole ones, along a parameter.

    A panel is a number of jumps. A line is what its labels say or, where they say nothing, a group
    of jobs.

    Parameters
    ----------
    entries : dict of Served
        By `At`.
    xlabel : str
    groups : sequence of str
        Whose responses are drawn; one where lines have names of their own.
    base : callable, optional
        What an entry is held against, an entry too: the same jobs whole where it is not given.
    against : str
        What that is, in words.
    printed : dict of float, optional
        Places on the level of 1 that the paper prints, by line.
    """

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[At, Served], *, xlabel: str,
        groups: Sequence[str] = NAMES, base: Callable[[Served], Served] = lambda each: each.whole,
        against: str = "no co-allocation", printed: Mapping[str, float] | None = None,
        look: Mapping[str, plots.Sign] = LOOK, **said: Any,
    ) -> None:  # fmt: skip
        self.groups, self.base = tuple(groups), base
        super().__init__(
            name, subtitle, entries, SCALES, SEED, xlabel=xlabel, against=against,
            ylabel=f"mean response time\nover that with {against}", printed=printed, look=look,
            **said,
        )  # fmt: skip

    def add(self, label: At | tuple, scenario: Served | Scenario | None = None) -> Self:
        """Add a point, a scenario with a load; return the figure, to be run again.

        Parameters
        ----------
        label : (int, str, float)
            See `At`.
        scenario : Served
            ``served(max_jumps, load, above=..., parts=..., span_penalty=...)``.
        """
        instance_of("scenario", scenario, Served, "served(max_jumps, load, above=...)")
        try:
            at = At(*label)
        except TypeError:
            at = None
        if at is None or not isinstance(at.line, str) or not isinstance(at.place, int | float):
            raise InputError(f"label = {shown(label)}; give jumps, a line in words, and a place")
        self._refuse_misplaced(at, scenario)
        return super().add(at, scenario)

    def _refuse_misplaced(self, at, entry):
        """Refuse a point whose label says what is not so, or that hides what is there."""
        if not np.isfinite(at.place):
            raise InputError(f"place = {at.place}; give a finite number")
        if at.line in (STREAM, *self.groups):
            raise InputError(f"line = {at.line!r} is a group of jobs here; give another name")
        policy = entry.scenario.scheduling
        if isinstance(policy, FCFS | FPFS) and policy != passing(at.panel):
            raise InputError(f"jumps = {at.panel} and the scenario has {policy}; give its own")
        lines = {each.line for each in self.entries}
        if lines and at.panel not in self.panels and at.line not in lines:
            raise InputError(
                f"jumps = {at.panel} has no panel yet; begin it with a point of the line "
                f"{min(lines)!r}"
            )

    def columns(self, label: At) -> dict[str, Any]:
        """Return a label as columns of a table."""
        return {"max_jumps": said(label.panel), "line": label.line, "place": label.place}

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate entries and what they are held against; see `served.measure_served`."""
        every = [each for entry in entries.values() for each in (entry, self.base(entry))]
        return dict(measure_served(every, scale, seed, **how))

    def ratio(self, at: At, group: str) -> Sample | None:
        """Return a group's mean response time over that it is held against, run by run.

        None where one of them saturates.
        """
        found, other = self.result(at), self.found[self.base(self.entries[at])]
        if found.saturated or other.saturated:
            return None
        one, less = found.means[group], other.means[group]
        return Sample(one.values / less.values, one.doubt or less.doubt)

    def looks(self, names: Iterable[str]) -> dict[str, plots.Sign]:
        """Return the sign of each line; the first that was added stands out."""
        found = super().looks(names)
        added = [name for name in found if name not in self.look]
        return found | dict.fromkeys(added[:1], ADDED)

    def heading(self, panel: int) -> str:
        """Return the number of jumps of a panel."""
        return f"MaxJumps {said(panel)}"

    def lines(self, panel: int) -> dict[str, dict[float, At]]:
        """Return the points of each line of a panel, by place; groups share their points."""
        found: dict[str, dict[float, At]] = {}
        for line, points in super().lines(panel).items():
            found |= {line: points} if line else dict.fromkeys(self.groups, points)
        return found

    def group_of(self, line: str) -> str:
        """Return whose responses a line shows."""
        return line if line in self.groups else self.groups[0]

    def interval(self, panel: int, line: str, place: float) -> Interval | None:
        """Return the ratio at a place of a line; None past saturation."""
        sample = self.ratio(self.lines(panel)[line][place], self.group_of(line))
        return None if sample is None else sample.interval

    def best(self, jumps: int, line: str) -> list[float]:
        """Return the places that respond best, or are not seen to be worse than the best."""
        points = self.lines(jumps)[line]
        group = self.group_of(line)
        means = {x: self.result(at).means.get(group) for x, at in points.items()}
        stable = {x: sample for x, sample in means.items() if sample is not None}
        if not stable:
            return []
        least = min(stable.values(), key=lambda sample: sample.mean)
        return [x for x, sample in stable.items() if not (sample - least).interval.above(0)]

    def pays(self, jumps: int, line: str) -> dict[float, bool | None]:
        """Return for each place whether splitting responds sooner; None where undecided."""
        found: dict[float, bool | None] = {}
        for place, at in self.lines(jumps)[line].items():
            ratio = self.interval(jumps, line, place)
            one, other = self.result(at), self.found[self.base(self.entries[at])]
            if ratio is not None:
                found[place] = ratio.below(1)
            else:  # past saturation there is no mean; both past it, nothing to compare
                found[place] = None if one.saturated and other.saturated else other.saturated
        return found

    def samples(self, jumps: int, group: str) -> list[Sample]:
        """Return a group's ratios along the one line of a panel, where both sides are stable."""
        points = sorted(self.lines(jumps)[group].items())
        found = (self.ratio(at, group) for _, at in points)
        return [sample for sample in found if sample is not None]

    def mean_ratio(self, jumps: int, group: str) -> Sample:
        """Return a group's ratio, averaged over the places of a panel, run by run."""
        return mean_of(self.samples(jumps, group))

    def data(self) -> pd.DataFrame:
        """Return one row a point and group: both mean response times, their ratio, and the load."""
        rows = []
        for at, entry in self.entries.items():
            found, other = self.result(at), self.found[self.base(entry)]
            for group in self.groups:
                ratio = self.ratio(at, group)
                known = Interval.exact(np.nan) if ratio is None else ratio.interval
                rows.append(
                    self.columns(at)
                    | {"group": group, "load": entry.load}
                    | {"response": found.means[group].mean if found.means else np.nan}
                    | {"response_against": other.means[group].mean if other.means else np.nan}
                    | {"ratio": known.estimate, "ci95_low": known.low, "ci95_high": known.high}
                    | {"borne": found.borne.mean, "saturated": found.saturated}
                    | {"doubt": known.doubt}
                    | self.described(at)
                )
        return pd.DataFrame(rows)


def mean_of(samples: Sequence[Sample]) -> Sample:
    """Return the mean of several samples, run by run; in doubt where one of them is."""
    if not samples:
        raise InputError("samples is empty: every point saturates; give lower loads")
    doubt = next((sample.doubt for sample in samples if sample.doubt), "")
    return Sample(np.mean([sample.values for sample in samples], axis=0), doubt)
