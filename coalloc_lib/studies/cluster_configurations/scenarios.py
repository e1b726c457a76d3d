"""The simulations behind Figures 3 to 12, as functions of a point for `coalloc_lib.sweep`."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coalloc_lib.curves import (
    Curve,
    Point,
    best_method,
    find_maximum,
    response_point,
    response_times,
)
from coalloc_lib.estimates import Bound, Interval
from coalloc_lib.inference import student
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.saturation import heavy_traffic
from coalloc_lib.simulate import simulate
from coalloc_lib.studies.cluster_configurations.parameters import (
    COMPARED,
    LINES,
    LOADS,
    PROCESSORS,
    SIZES,
)
from coalloc_lib.sweep import sweep
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Every way to divide 128 processors into equal clusters that hold a component.
DIVISIONS = (1, 2, 4, 8, 16)
#: Factors of the service times of CC-13.
ALPHAS = (1.25, 2.0, 10.0)


def maximal_utilization(line, jobs, seed):
    """Utilization of all 128 processors in heavy traffic, of one replication."""
    busy = heavy_traffic(line.system, line.model.sample(jobs, seed), placement=line.placement)
    return busy.mean() * line.share


def response(line, utilization, jobs, seed):
    """Mean response time of one replication; its run length does not depend on the line."""
    how = {"jobs": jobs, "replications": 1, "seed": seed, "placement": line.placement}
    return response_times(line.system, line.model, utilization / line.share, **how)[0]


def curve_point(line, utilization, precision, most_jobs, seed):
    """Return a point of a curve, run until it is as precise as asked."""
    how = {"jobs": min(10_000, most_jobs), "most_jobs": most_jobs, "precision": precision}
    load, placement = utilization / line.share, line.placement
    point = response_point(line.system, line.model, load, seed=seed, placement=placement, **how)
    found = point.response
    ends = {"estimate": found.estimate, "low": found.low, "high": found.high}
    return ends | {"count": found.count, "jobs": point.jobs, "precise": point.precise}


def placement_gain(clusters, components, jobs, seed):
    """Maximal utilization of equal clusters under worst fit less that under first fit."""
    system = Multicluster.equal(clusters, PROCESSORS // clusters)
    stream = JobModel(SIZES, components).sample(jobs, seed)
    worst, first = (
        heavy_traffic(system, stream, placement=rule).mean() for rule in (WorstFit(), FirstFit())
    )
    return {"worst_fit": worst, "first_fit": first, "gain": worst - first}


def scaling_error(alpha, jobs=20_000, utilization=0.6, seed=0):
    """Largest relative error of CC-13: response times when all service is `alpha` times as long.

    The same jobs, `alpha` times as long, at 1/`alpha` of the rate.
    """
    line = LINES["4×32 worst fit"]
    stream = line.model.sample(jobs, seed, rate=line.model.rate(line.system, utilization))
    longer = JobStream(stream.submit * alpha, stream.runtime * alpha, stream.components)
    one, other = (simulate(line.system, s).response for s in (stream, longer))
    return float(np.abs(other / (alpha * one) - 1).max())


@dataclass(frozen=True, eq=False)
class Runs:
    """All that was simulated for the figures and claims.

    Attributes
    ----------
    borne : dict
        Maximal utilization of each line, an array with a value a replication.
    responses : dict
        Mean response time by (line, load), an array; only below saturation.
    curves : dict of Curve
        Of each line, with a point for each of `LOADS`.
    gains : DataFrame
        The map: a row for each division, number of components and replication.
    scaling : dict
        Largest relative error of the rule of CC-13, by alpha.
    """

    borne: dict
    responses: dict
    curves: dict
    gains: pd.DataFrame
    scaling: dict


def run_all(scale, seed, workers=-1, **how):
    """Run everything at a scale.

    Parameters
    ----------
    scale : Scale
    seed : int
    workers : int
        Threads; one a processor where it is not given.
    how
        For `coalloc_lib.sweep.sweep`: cache, progress. The results do not depend on it.
    """
    how |= {"seed": seed, "workers": workers}
    borne = _borne(scale, how)
    maxima = {line: _maximum(line, borne[line.name]) for line in _different(LINES)}
    responses = _responses(scale, maxima, how)
    curves = _curves(scale, maxima, how)
    return Runs(
        {name: borne[line.name] for name, line in LINES.items()},
        {
            (name, load): responses[line.name, load]
            for name, line in LINES.items()
            for load in COMPARED
            if (line.name, load) in responses
        },
        {name: curves[line] for name, line in LINES.items()},
        _gains(scale, how),
        _scaling(how),
    )


def _different(lines):
    return list(dict.fromkeys(lines.values()))


def _borne(scale, how):
    grid = {"line": _different(LINES), "jobs": [scale.jobs]}
    found = sweep(maximal_utilization, grid, scale.replications, **how)
    return {name: group["value"].to_numpy() for name, group in found.groupby("line")}


def _maximum(line, values):
    """Return the maximal utilization of a line: by formula where that is exact, else simulated."""
    if best_method(line.system, line.model) == "exact":
        return find_maximum(line.system, line.model, method="exact").times(line.share)
    return Bound(student(values), "simulation")


def _below(maxima, loads):
    """Return the points of all lines at the loads that they bear."""
    return [
        {"line": line, "utilization": load}
        for line, maximum in maxima.items()
        for load in loads
        if load < maximum.interval.low
    ]


def _responses(scale, maxima, how):
    points = [point | {"jobs": scale.jobs} for point in _below(maxima, COMPARED)]
    found = sweep(response, points, scale.replications, **how)
    grouped = found.groupby(["line", "utilization"])["value"]
    return {key: values.to_numpy() for key, values in grouped}


def _curves(scale, maxima, how):
    limits = {"precision": scale.precision, "most_jobs": scale.most_jobs}
    found = sweep(curve_point, [point | limits for point in _below(maxima, LOADS)], **how)
    known = {(row.line, row.utilization): _point(row) for row in found.itertuples()}
    return {
        line: Curve([known.get((line.name, load), Point(load)) for load in LOADS], maximum)
        for line, maximum in maxima.items()
    }


def _point(row):
    interval = Interval(row.estimate, row.low, row.high, int(row.count))
    return Point(row.utilization, interval, int(row.jobs), bool(row.precise))


def _gains(scale, how):
    points = [
        {"clusters": clusters, "components": components, "jobs": scale.map_jobs}
        for clusters in DIVISIONS
        for components in range(1, clusters + 1)
    ]
    return sweep(placement_gain, points, scale.replications, **how)


def _scaling(how):
    found = sweep(scaling_error, {"alpha": ALPHAS}, **how)
    return dict(zip(found["alpha"], found["value"], strict=True))
