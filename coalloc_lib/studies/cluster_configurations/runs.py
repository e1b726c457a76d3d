"""The simulations behind Figures 3 to 12, as functions of a point for `coalloc_lib.sweep`."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from coalloc_lib.curves import response_point
from coalloc_lib.inference import Interval, student
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.progress import SILENT
from coalloc_lib.saturation import WARM_UP, heavy_traffic
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


def maximal_utilization(line, jobs, seed):
    """Utilization of all 128 processors in heavy traffic, of one replication."""
    busy = heavy_traffic(line.system, line.model.sample(jobs, seed), placement=line.placement)
    return busy.mean() * line.share


def response(line, utilization, jobs, seed):
    """Mean response time of one replication; its run length does not depend on the line."""
    rate = line.model.rate(line.system, utilization / line.share)
    stream = line.model.sample(jobs, seed, rate=rate)
    schedule = simulate(line.system, stream, placement=line.placement)
    return schedule.response[int(WARM_UP * jobs) :].mean()


def curve_point(line, utilization, precision, most_jobs, seed):
    """Return a point of a curve, run until it is as precise as asked."""
    how = {"jobs": min(10_000, most_jobs), "most_jobs": most_jobs, "precision": precision}
    load, placement = utilization / line.share, line.placement
    point = response_point(line.system, line.model, load, seed=seed, placement=placement, **how)
    found = point.response
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "jobs": point.jobs}


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
    curves : dict
        For each line a list with an `Interval`, or None past saturation, for each of `LOADS`.
    gains : DataFrame
        The map: a row for each division, number of components and replication.
    """

    borne: dict
    responses: dict
    curves: dict
    gains: pd.DataFrame

    def bound(self, line):
        """Interval of the maximal utilization of a line."""
        return student(self.borne[line])


def run_all(scale, seed, progress=SILENT, cache=None, workers=None):
    """Run everything at a scale.

    Parameters
    ----------
    scale : Scale
    seed : int
    progress : Progress, optional
    cache : path, optional
        Folder for finished points, so that a run that was stopped goes on where it was.
    workers : int, optional
        Threads; see `coalloc_lib.sweep.sweep`.
    """
    how = {"seed": seed, "progress": progress, "cache": cache, "workers": workers}
    lines, replications = list(LINES.values()), scale.replications
    grid = {"line": lines, "jobs": [scale.jobs]}
    found = sweep(maximal_utilization, grid, replications, **how)
    borne = {name: group["value"].to_numpy() for name, group in found.groupby("line")}
    bound = {name: student(values) for name, values in borne.items()}
    below = [
        {"line": line, "utilization": load}
        for line in lines
        for load in sorted({*LOADS, *COMPARED})
        if load < bound[line.name].low
    ]
    compared = [p | {"jobs": scale.jobs} for p in below if p["utilization"] in COMPARED]
    found = sweep(response, compared, replications, **how)
    grouped = found.groupby(["line", "utilization"])["value"]
    responses = {key: values.to_numpy() for key, values in grouped}
    drawn = [p for p in below if p["utilization"] in LOADS]
    return Runs(borne, responses, _curves(scale, drawn, how), _gains(scale, how))


def _curves(scale, points, how):
    limits = {"precision": scale.precision, "most_jobs": scale.most_jobs}
    found = sweep(curve_point, [point | limits for point in points], **how)
    curves = {name: [None] * len(LOADS) for name in LINES}
    for row in found.itertuples():
        interval = Interval(row.estimate, row.low, row.high, 8)
        curves[row.line][LOADS.index(row.utilization)] = interval
    return curves


def _gains(scale, how):
    points = [
        {"clusters": clusters, "components": components, "jobs": scale.map_jobs}
        for clusters in DIVISIONS
        for components in range(1, min(clusters, 8) + 1)
    ]
    return sweep(placement_gain, points, scale.replications, **how)
