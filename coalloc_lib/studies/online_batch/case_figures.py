"""What the study's figures have in common: they show cases, each a log on so many servers."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import student
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import Figure, SimulatedFigure
from coalloc_lib.studies.online_batch.parameters import (
    ONLINE,
    RECORDED,
    SCALES,
    SEED,
    WAITS,
    Scale,
)
from coalloc_lib.studies.online_batch.runs import Case, Found, mean, run_cases

#: One colour a policy, in every figure.
LOOK: dict[str, plots.Sign] = {
    ONLINE: plots.MEANINGS["Online"],
    RECORDED: plots.Sign("#000000", "o"),
    "EASY": plots.MEANINGS["EASY"],
    "conservative": plots.MEANINGS["Conservative"],
    "FCFS": plots.MEANINGS["FCFS"],
    "FPFS(50)": plots.MEANINGS["FPFS"],
}
#: What every subtitle says of intervals, where there are some.
WEEKS = "bands: 95 %, weeks drawn anew"


class CaseFigure(SimulatedFigure):
    """A figure of cases, by label."""

    def __init__(self, name: str, subtitle: str, entries: Mapping[Any, Case], **said: Any) -> None:
        said = {"look": LOOK} | said
        super().__init__(name, subtitle, entries, SCALES, SEED, **said)

    def add(self, label: Any, scenario: Any = None) -> Self:
        """Add a `Case` under a label; return the figure, to be run again."""
        if not isinstance(scenario, Case):
            return Figure.add(self, label, scenario)
        self.entries[label] = scenario
        return self

    @property
    def size(self) -> Scale:
        """The scale that was run."""
        return self.ran[0] if self.ran else SCALES["quick"]

    @property
    def cases(self) -> list[Case]:
        """All cases that the figure needs."""
        return [*self.entries.values()]

    def measure(self, entries: dict, scale: Any, seed: Seed, **how: Any) -> dict:
        """Run cases."""
        return dict(run_cases(entries.values(), seed, **how))

    def described(self, label: Any) -> dict[str, Any]:
        """Return the parts of a label's case in words, as columns of a table."""
        return self.columns(label) | columns_of(self.entries[label])

    def columns(self, label: Any) -> dict[str, Any]:
        """Return a label as columns of a table."""
        return {"panel": label[0], "line": label[1]}

    def mean(self, label: Any, top: str, bottom: str) -> Interval | None:
        """Return a mean of a label's case with its interval; None where no job counts."""
        self.result(label)
        return mean(self.entries[label], self.found, top, bottom, self.size.resamples)


def columns_of(case: Case) -> dict[str, Any]:
    """Return which case it is, as columns of a table."""
    return {
        "log": case.log.title,
        "servers": case.servers,
        "length": case.length,
        "policy": case.policy,
    }


def refusals(found: Found) -> str:
    """Return which share of the jobs and of their work was refused; nothing where none was."""
    refused, work = found.number("refused"), found.number("refused_work")
    if not refused > 0:
        return ""
    jobs = refused / float(found.sums["requests"].sum())
    return f"{100 * jobs:.2g}/{100 * work:.2g} % refused"


#: What a subtitle says of these words.
REFUSALS = "beside points: jobs/work refused, which no mean has"


def interval_columns(name: str, found: Interval | None) -> dict[str, float | None]:
    """Return a number with its interval, as columns of a table."""
    if found is None:
        return {name: None, "ci95_low": None, "ci95_high": None}
    return {name: found.estimate, "ci95_low": found.low, "ci95_high": found.high}


def over_draws(values: Iterable[float]) -> Interval:
    """Return the interval of a mean over drawings; one alone is known, none is in doubt."""
    values = list(values)
    if not values:
        return Interval(float("nan"), float("nan"), float("nan"), 0, doubt="nothing to go by")
    if len(values) == 1:
        return Interval.exact(values[0])
    return student(values)


class TrendFigure(CaseFigure):
    """Lines over a number; labels begin with the panel and the line.

    Parameters
    ----------
    xlabel, ylabel : str
    scales : (str, str) or dict of them
        See `coalloc_lib.plots.trends`.
    printed : dict, optional
        Places that the paper prints, by panel.
    """

    quantity = "estimate"
    stairs = False

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[Any, Case], *, xlabel: str, ylabel: str,
        scales: Any = ("linear", "linear"), printed: Mapping[str, Any] | None = None,
        dashed: Any = (), **said: Any,
    ) -> None:  # fmt: skip
        self.xlabel, self.ylabel, self.axes = xlabel, ylabel, scales
        self.printed, self.dashed = printed, dashed
        super().__init__(name, subtitle, entries, **said)

    def lines(self) -> dict[str, dict[str, list[Any]]]:
        """Return the labels of each line, by panel and name."""
        found: dict[str, dict[str, list[Any]]] = {}
        for label in self.entries:
            found.setdefault(label[0], {}).setdefault(label[1], []).append(label)
        return found

    def points(self, labels: list[Any]) -> list[tuple[float, Interval]]:
        """Return the points of a line, from its labels."""
        raise NotImplementedError

    def drawn(self) -> dict[str, dict[str, list[tuple[float, Interval]]]]:
        """Return the points of every line, by panel and name."""
        return {
            panel: {line: self.points(labels) for line, labels in lines.items()}
            for panel, lines in self.lines().items()
        }

    def data(self) -> pd.DataFrame:
        """Return one row a point."""
        rows = []
        for panel, lines in self.lines().items():
            for line, labels in lines.items():
                known = {"panel": panel, "line": line} | columns_of(self.entries[labels[0]])
                rows += [
                    known | {"at": at} | interval_columns(self.quantity, found)
                    for at, found in self.points(labels)
                ]
        return pd.DataFrame(rows)

    def spanned(self) -> str:
        """Return from what to what the points reach."""
        found = [
            one.estimate for drawn in self.drawn().values() for p in drawn.values() for _, one in p
        ]
        return f"{self.ylabel}: from {min(found):.3g} to {max(found):.3g}"

    def plot(self) -> Picture:
        """Draw the lines."""
        drawn = self.drawn()
        return plots.trends(
            drawn,
            title=self.title,
            subtitle=self.subtitle,
            xlabel=self.xlabel,
            ylabel=self.ylabel,
            look=self.looks(line for lines in drawn.values() for line in lines),
            scales=self.axes,
            printed=self.printed,
            dashed=self.dashed,
            stairs=self.stairs,
        )


class GroupLines(TrendFigure):
    """A mean by group of jobs: of so many servers, or of such a length; labels (panel, line).

    Parameters
    ----------
    top, bottom : str
        Names of sums, ``{}`` standing for the number of the group.
    ends : sequence of float
        Of the groups.
    within : dict of (float, float), optional
        By panel, the groups that it shows: those between two ends.
    whole : bool
        Whether ends are whole numbers, so that a group begins at the number after its first end.
    """

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[Any, Case], *, top: str, bottom: str,
        ends: Any, within: Mapping[str, tuple[float, float]] | None = None, whole: bool = False,
        **said: Any,
    ) -> None:  # fmt: skip
        self.whole = whole
        self.top, self.bottom, self.ends = top, bottom, [float(end) for end in ends]
        self.within = within or {}
        super().__init__(name, subtitle, entries, **said)

    def groups(self, panel: str) -> list[int]:
        """Return the numbers of the groups that a panel shows."""
        low, high = self.within.get(panel, (self.ends[0], self.ends[-1]))
        return [
            i for i in range(len(self.ends) - 1) if low <= self.ends[i] and self.ends[i + 1] <= high
        ]

    def points(self, labels: list[Any]) -> list[tuple[float, Interval]]:
        """Return the mean of each group that has jobs."""
        (label,) = labels
        found = []
        for group in self.groups(label[0]):
            mean_of = self.mean(label, self.top.format(group), self.bottom.format(group))
            if mean_of is not None:
                low, high = self.ends[group : group + 2]
                found.append((middle_of(low + self.whole, high), mean_of))
        return found


def middle_of(low: float, high: float) -> float:
    """Return where a group is drawn: in its middle, the last one half as far out again.

    Examples
    --------
    >>> middle_of(50, 100), middle_of(48, float("inf"))
    (75.0, 72.0)
    """
    return 1.5 * low if high == float("inf") else (low + high) / 2


class WaitLines(TrendFigure):
    """Which share of the jobs waits longer than so long; labels (panel, line, draw)."""

    stairs = True

    def points(self, labels: list[Any]) -> list[tuple[float, Interval]]:
        """Return the share at each of `WAITS`, down to one job; over drawings, their mean."""
        all_found: list[Found] = [self.result(label) for label in labels]
        shares = [found.longer / found.number("known") for found in all_found]
        return [
            (float(at), over_draws([float(share[i]) for share in shares]))
            for i, at in enumerate(WAITS)
            if any(share[i] > 0 for share in shares)
        ]


class DrawnLines(TrendFigure):
    """A mean over the share of advance reservations; labels (panel, line, share, draw)."""

    def points(self, labels: list[Any]) -> list[tuple[float, Interval]]:
        """Return the mean over the drawings at each share."""
        at: dict[float, list[float]] = {}
        for label in labels:
            at.setdefault(label[2], []).append(self.value(label))
        return [(share, over_draws(values)) for share, values in sorted(at.items())]

    def value(self, label: Any) -> float:
        """Return the mean wait of a run, in hours."""
        sums = self.result(label).sums
        return float(sums["wait"].sum() / sums["jobs"].sum())
