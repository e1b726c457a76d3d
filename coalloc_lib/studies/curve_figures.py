"""Figures of response times: how a curve is measured, and the lines that show it."""

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.curves import Curve, Point, best_method, find_maximum, response_point
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.inference import student
from coalloc_lib.saturation import heavy_traffic
from coalloc_lib.studies.figure import SimulatedFigure, checked_scenario, described
from coalloc_lib.sweep import sweep

#: Where the vertical axis ends: above, curves are on their way to infinity.
TOP = 12.0
AXES = {
    "xlabel": "utilization",
    "ylabel": "mean response time (mean service times)",
    "top": TOP,
    "logarithmic": True,
}


#: Why a point is in doubt.
SHORT = "the runs are too short for their tails, or response times still rise at their end"


def borne(scenario, processors, jobs, seed):
    """Utilization of `processors` in heavy traffic, of one replication."""
    busy = heavy_traffic(scenario, scenario.sample(jobs, seed=seed))
    return busy.mean() * share(scenario, processors)


def curve_point(scenario, utilization, processors, precision, most_jobs, seed):
    """Return a point of a curve, run until it is as precise as asked."""
    how = {"jobs": min(10_000, most_jobs), "most_jobs": most_jobs, "precision": precision}
    load = utilization / share(scenario, processors)
    point = response_point(scenario, load, seed=seed, **how)
    found = point.response
    ends = {"estimate": found.estimate, "low": found.low, "high": found.high}
    state = {"count": found.count, "jobs": point.jobs, "precise": point.precise}
    return ends | state | {"doubted": bool(found.doubt)}


def share(scenario, processors):
    """Return the scenario's processors over those that utilization is relative to."""
    return scenario.system.processors / processors


def measure_borne(lines, processors, size, how):
    """Return what each scenario bears, an array with a value a replication, by scenario.

    Parameters
    ----------
    lines : sequence of Scenario
    processors : int
        That utilization is relative to.
    size : object
        With `jobs` and `replications`.
    how : dict
        For `coalloc_lib.sweep.sweep`.
    """
    grid = {"scenario": lines, "processors": [processors], "jobs": [size.jobs]}
    values = sweep(borne, grid, size.replications, **how)["value"].to_numpy()
    return dict(zip(lines, values.reshape(len(lines), -1), strict=True))


def maximum(scenario, processors, values):
    """Return the `Bound` of a scenario: by formula where that is exact, else as simulated."""
    if best_method(scenario) == "exact":
        return find_maximum(scenario, method="exact").times(share(scenario, processors))
    return Bound(student(values), "simulation")


def below(maxima, loads):
    """Return the points of all scenarios at the loads that they bear."""
    return [
        {"scenario": scenario, "utilization": load}
        for scenario, bound in maxima.items()
        for load in loads
        if load < bound.interval.low
    ]


def measure_curves(maxima, processors, loads, size, how):
    """Return the `Curve` of each scenario.

    Parameters
    ----------
    maxima : dict of Bound
        By scenario.
    processors : int
        That utilization is relative to.
    loads : sequence of float
    size : object
        With `precision` and `most_jobs`.
    how : dict
        For `coalloc_lib.sweep.sweep`.
    """
    fixed = {"processors": processors, "precision": size.precision, "most_jobs": size.most_jobs}
    points = [point | fixed for point in below(maxima, loads)]
    rows = sweep(curve_point, points, **how).itertuples()
    known = {
        (point["scenario"], point["utilization"]): _point(row)
        for point, row in zip(points, rows, strict=True)
    }
    return {
        scenario: Curve([known.get((scenario, load), Point(load)) for load in loads], bound)
        for scenario, bound in maxima.items()
    }


def _point(row):
    doubt = SHORT * bool(row.doubted)
    interval = Interval(row.estimate, row.low, row.high, int(row.count), doubt=doubt)
    return Point(row.utilization, interval, int(row.jobs), bool(row.precise))


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

    def __init__(self, name, title, entries, scales, seed, *, loads, processors):
        super().__init__(name, title, entries, scales, seed)
        self.loads, self.processors = loads, processors

    @property
    def scenarios(self):
        """The scenarios as a table, one row a line."""
        return pd.DataFrame(
            {"label": label, **described(scenario)} for label, scenario in self.entries.items()
        )

    def add(self, label, scenario):
        """Add a line; returns the figure, to be run again."""
        self.keep(str(label), checked_scenario(scenario))
        return self

    def measure(self, entries, size, seed, workers=-1, **how):
        """Simulate what each line bears and its points; see `measure_curves`."""
        how |= {"seed": seed, "workers": workers}
        lines = list(dict.fromkeys(entries.values()))
        values = measure_borne(lines, self.processors, size, how)
        maxima = {line: maximum(line, self.processors, values[line]) for line in lines}
        return measure_curves(maxima, self.processors, self.loads, size, how)

    @property
    def curves(self):
        """The `Curve` of each line, by label."""
        return {label: self.result(label) for label in self.entries}

    def data(self):
        """Return one row a point: its label, load, response time, and what the line bears."""
        rows = []
        for label, curve in self.curves.items():
            bound = curve.maximum
            bears = {
                "maximal_utilization": bound.max_utilization,
                "maximal_low": bound.interval.low,
                "maximal_high": bound.interval.high,
                "method": bound.method,
            }
            for point in curve.points:
                rows.append({"label": label, **_row(point), **bears})
        return pd.DataFrame(rows)

    def plot(self):
        """Draw mean response time against utilization."""
        return plots.curve(self.curves, title=self.title, **AXES)

    def words(self):
        """Return the figure in words: what each line bears, and its last response times."""
        return f"{self.title}. " + "; ".join(f"{n} {_told(c)}" for n, c in self.curves.items())


def side_by_side(title, panels, left=None):
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


def _row(point):
    found = point.response
    ends = (np.nan,) * 3 if found is None else (found.estimate, found.low, found.high)
    times = dict(zip(("response", "ci95_low", "ci95_high"), ends, strict=True))
    state = {"jobs": point.jobs, "precise": point.precise, "saturated": point.saturated}
    return {"utilization": point.utilization, **times, **state}


def _told(curve):
    known = [point for point in curve.points if not point.saturated]
    times = ", ".join(f"{p.response.estimate:.2f} at {p.utilization}" for p in known[-3:])
    return f"bears {curve.maximum.max_utilization:.3f}, response {times}"
