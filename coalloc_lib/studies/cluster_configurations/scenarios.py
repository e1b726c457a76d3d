"""The scenarios behind Figures 3 to 12, and all that is simulated of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.curves import Curve, response_times
from coalloc_lib.estimates import Bound
from coalloc_lib.inference import Sample
from coalloc_lib.jobs import JobStream
from coalloc_lib.placement import FirstFit, WorstFit
from coalloc_lib.saturation import heavy_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.cluster_configurations.parameters import (
    COMPARED,
    EQUAL,
    FOUR,
    PROCESSORS,
    SAME_SIZE,
    SAME_TOTAL,
    SIZES,
    UNEQUAL,
)
from coalloc_lib.studies.curve_figures import below, measure_lines, share
from coalloc_lib.studies.measurements import Scale, run_sweep
from coalloc_lib.system import Multicluster
from coalloc_lib.workloads.models import JobModel

#: Every way to divide 128 processors into equal clusters that hold a component.
DIVISIONS = (1, 2, 4, 8, 16)
#: Factors of the service times of CC-13.
ALPHAS = (1.25, 2.0, 10.0)


def _lines():
    for name, clusters in (EQUAL | UNEQUAL).items():
        system = Multicluster(clusters)
        backwards = FirstFit(clusters=tuple(range(len(clusters)))[::-1])
        yield f"{name} first fit", Scenario(system, FOUR, placement=FirstFit())
        yield f"{name} worst fit", Scenario(system, FOUR, placement=WorstFit())
        if name in UNEQUAL:
            yield f"{name} first fit, small first", Scenario(system, FOUR, placement=backwards)
    for name in ("4×32", "64+32+2×16"):
        system = Multicluster((EQUAL | UNEQUAL)[name])
        yield f"{name} ordered", Scenario(system, FOUR.with_(request="ordered"))
    yield "64 alone, total", Scenario(Multicluster([64]), FOUR.with_(request="total"))
    system = Multicluster(EQUAL["4×32"])
    for kind, models in (("size", SAME_SIZE), ("total", SAME_TOTAL)):
        for name, model in models.items():
            for rule, placement in (("first fit", FirstFit()), ("worst fit", WorstFit())):
                scenario = Scenario(system, model, placement=placement)
                yield f"same {kind}: {name}, {rule}", scenario


def _by_name(lines):
    """Return the scenarios by name; each carries the first name that it is given."""
    first, named = {}, {}
    for name, scenario in lines:
        named[name] = first.setdefault(scenario, scenario.with_(name=name))
    return named


#: Every curve of Figures 3 to 12, by name. A line that several figures have is simulated once.
LINES = _by_name(_lines())


def response(scenario: Scenario, utilization: float, bears: Bound, jobs: int, seed: Seed) -> float:
    """Mean response time of one replication; its run length does not depend on the scenario."""
    part = share(scenario, PROCESSORS)
    load, maximum = utilization / part, bears.times(1 / part)
    times = response_times(scenario, load, jobs=jobs, replications=1, seed=seed, maximum=maximum)
    return times[0]


def placement_gain(clusters: int, components: int, jobs: int, seed: Seed) -> dict[str, float]:
    """Maximal utilization of equal clusters under worst fit less that under first fit."""
    system = Multicluster.equal(clusters, PROCESSORS // clusters)
    scenario = Scenario(system, JobModel(SIZES, components))
    stream = scenario.sample(jobs, seed=seed)
    worst, first = (
        heavy_traffic(scenario.with_(placement=rule), stream).mean()
        for rule in (WorstFit(), FirstFit())
    )
    return {"worst_fit": worst, "first_fit": first, "gain": worst - first}


def scaling_error(
    alpha: float, jobs: int = 20_000, utilization: float = 0.6, seed: Seed = 0
) -> float:
    """Largest relative error of CC-13: response times when all service is `alpha` times as long.

    The same jobs, `alpha` times as long, at 1/`alpha` of the rate.
    """
    scenario = LINES["4×32 worst fit"]
    stream = scenario.sample(jobs, load=utilization, seed=seed)
    longer = JobStream(stream.submit * alpha, stream.runtime * alpha, stream.components)
    one, other = (scenario.run(s).response for s in (stream, longer))
    return float(np.abs(other / (alpha * one) - 1).max())


@dataclass(frozen=True, eq=False)
class Runs:
    """All that was simulated for the figures and claims.

    Attributes
    ----------
    borne : dict of Sample
        Maximal utilization of each line.
    responses : dict of Sample
        Mean response time by (line, load); only below saturation.
    curves : dict of Curve
        Of each scenario, with points at shares of what it bears.
    gains : DataFrame
        The map: a row for each division, number of components and replication.
    scaling : dict
        Largest relative error of the rule of CC-13, by alpha.
    """

    borne: dict[str, Sample]
    responses: dict[tuple[str, float], Sample]
    curves: dict[Scenario, Curve]
    gains: pd.DataFrame
    scaling: dict[float, float]


def run_all(scale: Scale, seed: Seed, **how: Any) -> Runs:
    """Run everything at a scale; `seed` and `how` are for the sweeps."""
    how |= {"seed": seed}
    lines = measure_lines(LINES, PROCESSORS, scale, **how)
    borne = {line: found.borne for line, found in lines.items()}
    curves = {line: found.curve for line, found in lines.items()}
    responses = _responses(scale, borne, curves, how)
    scaling = run_sweep(scaling_error, {"alpha": ALPHAS}, **how)
    return Runs(
        {name: borne[line] for name, line in LINES.items()},
        {
            (name, load): responses[line, load]
            for name, line in LINES.items()
            for load in COMPARED
            if (line, load) in responses
        },
        curves,
        gains(scale, **how),
        dict(zip(scaling["alpha"], scaling["value"], strict=True)),
    )


def _responses(scale, borne, curves, how):
    """Return the response times by (scenario, load), in doubt where what is borne is."""
    maxima = {line: curve.maximum for line, curve in curves.items()}
    points = [
        point | {"bears": maxima[point["scenario"]], "jobs": scale.jobs}
        for point in below(maxima, COMPARED)
    ]
    values = run_sweep(response, points, scale.replications, **how)["value"].to_numpy()
    return {
        (point["scenario"], point["utilization"]): Sample(row, borne[point["scenario"]].doubt)
        for point, row in zip(points, values.reshape(len(points), -1), strict=True)
    }


def gains(scale: Scale, seed: Seed, **how: Any) -> pd.DataFrame:
    """Run the map of placements; `seed` and `how` are for the sweep."""
    points = [
        {"clusters": clusters, "components": components, "jobs": scale.map_jobs}
        for clusters in DIVISIONS
        for components in range(1, clusters + 1)
    ]
    return run_sweep(placement_gain, points, scale.replications, seed=seed, **how)
