"""Figures of response times: how a curve is measured, and the lines that show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.curves import Curve, Point, best_method, find_maximum, response_point
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.inference import Sample
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import SimulatedFigure
from coalloc_lib.studies.measurements import (
    Measurement,
    Scale,
    interval_columns,
    interval_of,
    measure,
    run_sweep,
)

#: Where the points of a line are, as shares of what it bears: most where it bends.
SHARES = (0.3, 0.5, 0.65, 0.75, 0.83, 0.89, 0.94)

#: Why a point is in doubt.
SHORT = "the runs are too short for their tails, or response times still rise at their end"


class Line(NamedTuple):
    """What is found of a line: its curve, and what it bears, a value a replication."""

    curve: Curve
    borne: Sample


def share(scenario: Scenario, processors: int) -> float:
    """Return the scenario's processors over those that utilization is relative to."""
    return scenario.system.processors / processors


@dataclass(frozen=True)
class Borne(Measurement):
    """Utilization of `processors` in heavy traffic, in replications on common random numbers."""

    processors: int
    #: Of the replications, whatever seed the sweep has for this one point.
    seed: Seed

    def measure(self, scale: Scale, seed: Seed) -> Sample:
        """Return the utilization in each replication."""
        busy, doubt = replicated_traffic(
            self.scenario, jobs=scale.jobs, replications=scale.replications, seed=self.seed
        )
        return Sample(busy.mean(axis=1) * share(self.scenario, self.processors), doubt)


def curve_point(
    scenario: Scenario, utilization: float, processors: int, scale: Scale, seed: Seed
) -> dict[str, float]:
    """Return a point of a curve, run until it is as precise as asked."""
    point = response_point(
        scenario,
        utilization / share(scenario, processors),
        precision=scale.precision,
        jobs=min(10_000, scale.most_jobs),
        most_jobs=scale.most_jobs,
        seed=seed,
    )
    assert point.response is not None
    return interval_columns(point.response) | {"jobs": point.jobs, "precise": point.precise}


def below(maxima: Mapping[Scenario, Bound], loads: Sequence[float]) -> list[dict[str, Any]]:
    """Return the points of all scenarios at the loads that they bear."""
    return [
        {"scenario": scenario, "utilization": load}
        for scenario, bound in maxima.items()
        for load in loads
        if load < bound.interval.low
    ]


def measure_lines(
    lines: Mapping[str, Scenario], processors: int, scale: Scale, seed: Seed, **how: Any
) -> dict[Scenario, Line]:
    """Return what scenarios bear, and the curve of each.

    Parameters
    ----------
    lines : dict of Scenario
        By label.
    processors : int
        That utilization is relative to.
    scale : Scale
    seed : int
    how
        For `coalloc_lib.sweep.sweep`: workers, cache, progress.

    Returns
    -------
    dict of Line
        By scenario; each curve has a point at each of `SHARES` of what the line bears: the bound
        by formula where that is exact, else as simulated.
    """
    entries = {label: Borne(line, processors, seed) for label, line in lines.items()}
    samples = measure(entries, scale, seed, **how)
    borne = {entry.scenario: sample for entry, sample in samples.items()}
    maxima = {line: _maximum(line, processors, sample) for line, sample in borne.items()}
    fixed = {"processors": processors, "scale": scale}
    points = [
        point | fixed
        for line, bound in maxima.items()
        for point in below({line: bound}, [part * bound.max_utilization for part in SHARES])
    ]
    rows = run_sweep(curve_point, points, seed=seed, **how).itertuples()
    known: dict[Scenario, list[Point]] = {line: [] for line in maxima}
    for point, row in zip(points, rows, strict=True):
        known[point["scenario"]].append(
            Point(row.utilization, interval_of(row, SHORT), int(row.jobs), bool(row.precise))
        )
    return {line: Line(Curve(known[line], bound), borne[line]) for line, bound in maxima.items()}


def _maximum(line, processors, borne):
    if best_method(line) == "exact":
        return find_maximum(line, method="exact").times(share(line, processors))
    return Bound(borne.interval, "simulation")


class CurveFigure(SimulatedFigure):
    """Lines of mean response times over utilization.

    Parameters
    ----------
    entries : dict of Scenario
        By label.
    processors : int
        That utilization is relative to.
    panels : dict of sequence of str, optional
        Labels of the lines by the heading of the panel; a line that none names is in all.
    beside : (str, dict of Scenario), optional
        What lines are held against: its name, and, by label, the line without that difference. The
        figure shows only what it bears.
    said
        For `SimulatedFigure`.
    """

    def __init__(
        self, name: str, subtitle: str, entries: Mapping[str, Scenario],
        scales: Mapping[str, Scale], seed: Seed, *, processors: int,
        panels: Mapping[str, Sequence[str]] | None = None,
        beside: tuple[str, Mapping[str, Scenario]] | None = None,
        **said: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, subtitle, entries, scales, seed, **said)
        self.processors, self.panels = processors, panels or {"": ()}
        self.beside = beside

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate what each line bears and its points; see `measure_lines`."""
        found: dict[Any, Any] = dict(measure_lines(entries, self.processors, scale, seed, **how))
        known = found | self.found
        others = {
            label: Borne(line, self.processors, seed)
            for label, line in self.others.items()
            if line not in known
        }
        borne = measure(others, scale, seed, **how) if others else {}
        return found | {other.scenario: sample for other, sample in borne.items()}

    @property
    def others(self) -> Mapping[str, Scenario]:
        """What lines are held against, by label."""
        return {} if self.beside is None else self.beside[1]

    def borne(self, label: str, beside: bool = False) -> Sample:
        """Return what a line bears, or what it is held against, a value a replication."""
        found = self.found[self.others[label]] if beside else self.result(label)
        return found.borne if isinstance(found, Line) else found

    @property
    def curves(self) -> dict[str, Curve]:
        """The `Curve` of each line, by label."""
        return {label: self.result(label).curve for label in self.entries}

    def gain(self, one: str, other: str) -> Interval:
        """Return the maximal utilization of one line less that of another, in pairs."""
        return (self.borne(one) - self.borne(other)).interval

    def gain_beside(self, label: str) -> Interval:
        """Return the maximal utilization of a line less that which it is held against, in pairs."""
        return (self.borne(label) - self.borne(label, beside=True)).interval

    def spanned(self) -> str:
        """Return what the lines bear that bear least and most."""
        lines = self.curves
        ordered = sorted(lines, key=lambda label: lines[label].maximum.max_utilization)
        ends = [f"{lines[each].maximum.max_utilization:.3f} ({each})" for each in ordered]
        return f"The lines bear from {ends[0]} to {ends[-1]}"

    def data(self) -> pd.DataFrame:
        """Return one row a point: its label, load, response time, and what the line bears."""
        return pd.concat(
            [
                curve.to_frame().assign(
                    maximal_utilization=curve.maximum.max_utilization,
                    maximal_low=curve.maximum.interval.low,
                    maximal_high=curve.maximum.interval.high,
                    method=curve.maximum.method,
                )
                for curve in self.curves.values()
            ],
            keys=self.curves,
            names=["label", None],
        ).reset_index("label")

    def plot(self) -> Picture:
        """Draw mean response time against utilization."""
        named = {label for labels in self.panels.values() for label in labels}
        lines = self.curves
        panels = {
            heading: {n: line for n, line in lines.items() if n in labels or n not in named}
            for heading, labels in self.panels.items()
        }
        drawn: dict[str, Any] = {"title": self.title, "subtitle": self.subtitle}
        if self.beside is not None:
            means = {label: self.borne(label, beside=True).mean for label in self.others}
            drawn["beside"] = self.beside[0], means
        drawn["threshold"] = self.thresholds()
        precision = self.ran[0].precision if self.ran else None
        return plots.curves(panels, look=self.looks(lines), precision=precision, **drawn)

    def words(self) -> str:
        """Return the figure in words: what each line bears, and its last response times."""
        lines = "; ".join(f"{name} {_told(curve)}" for name, curve in self.curves.items())
        return f"{super().words()} {lines}."


def _told(curve):
    times = ", ".join(
        f"{p.response.estimate:.2f} at {p.utilization:.2f}" for p in curve.points[-3:]
    )
    return f"bears {curve.maximum.max_utilization:.3f}, response {times}"
