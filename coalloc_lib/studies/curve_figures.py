"""Figures of response times: how a curve is measured, and the lines that show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.curves import Curve, Point, best_method, find_maximum, response_point
from coalloc_lib.estimates import Bound
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

#: The vertical axis ends where curves are on their way to infinity.
AXES: dict[str, Any] = {
    "xlabel": "utilization",
    "ylabel": "mean response time (mean service times)",
    "top": 12.0,
    "logarithmic": True,
}

#: Why a point is in doubt.
SHORT = "the runs are too short for their tails, or response times still rise at their end"


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
    precision, most_jobs = scale.asked("precision", "most_jobs")
    point = response_point(
        scenario,
        utilization / share(scenario, processors),
        precision=precision,
        jobs=min(10_000, most_jobs),
        most_jobs=most_jobs,
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
    lines: Mapping[str, Scenario], loads: Sequence[float], processors: int, scale: Scale,
    seed: Seed, **how: Any,
) -> tuple[dict[Scenario, Sample], dict[Scenario, Curve]]:  # fmt: skip
    """Return what scenarios bear, a value a replication, and the curve of each.

    Parameters
    ----------
    lines : dict of Scenario
        By label.
    loads : sequence of float
        Of the points.
    processors : int
        That utilization is relative to.
    scale : Scale
    seed : int
    how
        For `coalloc_lib.sweep.sweep`: workers, cache, progress.

    Returns
    -------
    borne : dict of Sample
        By scenario.
    curves : dict of Curve
        By scenario; each ends at the bound by formula where that is exact, else as simulated.
    """
    entries = {label: Borne(line, processors, seed) for label, line in lines.items()}
    samples = measure(entries, scale, seed, **how)
    borne = {entry.scenario: sample for entry, sample in samples.items()}
    maxima = {line: _maximum(line, processors, sample) for line, sample in borne.items()}
    fixed = {"processors": processors, "scale": scale}
    points = [point | fixed for point in below(maxima, loads)]
    rows = run_sweep(curve_point, points, seed=seed, **how).itertuples()
    known = {
        (point["scenario"], row.utilization): Point(
            row.utilization, interval_of(row, SHORT), int(row.jobs), bool(row.precise)
        )
        for point, row in zip(points, rows, strict=True)
    }
    return borne, {
        line: Curve([known.get((line, load), Point(load)) for load in loads], bound)
        for line, bound in maxima.items()
    }


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
    loads : sequence of float
    processors : int
        That utilization is relative to.
    """

    def __init__(
        self, name: str, title: str, entries: Mapping[str, Scenario],
        scales: Mapping[str, Scale], seed: Seed, *, loads: Sequence[float], processors: int,
    ) -> None:  # fmt: skip
        super().__init__(name, title, entries, scales, seed)
        self.loads, self.processors = loads, processors

    def measure(self, entries: dict, scale: Scale, seed: Seed, **how: Any) -> dict:
        """Simulate what each line bears and its points; see `measure_lines`."""
        return measure_lines(entries, self.loads, self.processors, scale, seed, **how)[1]

    @property
    def curves(self) -> dict[str, Curve]:
        """The `Curve` of each line, by label."""
        return {label: self.result(label) for label in self.entries}

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
        return plots.curve(self.curves, title=self.title, **AXES)

    def words(self) -> str:
        """Return the figure in words: what each line bears, and its last response times."""
        return f"{self.title}. " + "; ".join(f"{n} {_told(c)}" for n, c in self.curves.items())


def side_by_side(
    title: str, panels: Mapping[str, CurveFigure], left: float | None = None
) -> Picture:
    """Draw several figures in one picture, so that a line can be followed from one to the next.

    Parameters
    ----------
    title : str
    panels : dict of CurveFigure
        By the heading that each is given.
    left : float, optional
        Where the horizontal axes begin, to look closer at high loads.
    """
    drawn = {heading: figure.curves for heading, figure in panels.items()}
    # The panels are low: their label needs two lines.
    label = AXES["ylabel"].replace(" (", "\n(")
    return plots.curves(drawn, title=title, left=left, **AXES | {"ylabel": label})


def _told(curve):
    known = [point for point in curve.points if not point.saturated]
    times = ", ".join(f"{p.response.estimate:.2f} at {p.utilization}" for p in known[-3:])
    return f"bears {curve.maximum.max_utilization:.3f}, response {times}"
