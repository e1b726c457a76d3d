"""Response times over utilization as a study shows them: lines, their table and picture."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import curves, plots
from coalloc_lib.intervals import Bound, Interval, Sample
from coalloc_lib.saturation import replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import spawn
from coalloc_lib.studies.core import Entries, Results, Scale

#: Where the points of a line are, as shares of its maximal utilization: most where it bends.
SHARES = (0.3, 0.5, 0.65, 0.75, 0.83, 0.89, 0.94)
#: By label of a line: where its maximal utilization less that of another line lies for certain.
Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Responses:
    """The curve of a `Line`, its maximal utilization run by run, and mean responses by load."""

    curve: curves.Curve
    max_utilization: Sample
    at: dict[float, Sample]


@dataclass(frozen=True)
class Line:
    """Mean response times over utilization of `processors`; at loads `compared`, in pairs."""

    scenario: Scenario
    processors: int
    compared: tuple[float, ...] = ()

    def measure(self, scale: Scale, seed: np.random.SeedSequence) -> Responses:
        """Return the bound, by formula where that is exact, and the points below it."""
        line, share = self.scenario, self.scenario.system.processors / self.processors
        # What a case's seed was spawned from: all cases have the same runs.
        of_runs = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key[:-1])
        how = {"jobs": scale.jobs, "replications": scale.replications}
        busy, warning = replicated_traffic(line, seed=of_runs, **how)
        max_utilization = Sample(busy.mean(axis=1) * share, warning)
        bound = Bound(max_utilization.interval, "simulation")
        if curves.best_method(line) == "exact":
            bound = curves.find_maximum(line, method="exact").times(share)
        how = {"precision": scale.precision, "most_jobs": scale.most_jobs}
        how["jobs"] = min(10_000, scale.most_jobs)
        points = []
        for load in (part * bound.max_utilization for part in scale.shares):
            if load < bound.interval.low:
                point = curves.response_point(line, load / share, seed=seed, **how)
                points.append(curves.Point(load, point.response, point.jobs, point.precise))
        at, seeds = {}, spawn(of_runs, scale.replications)
        how = {"jobs": scale.jobs, "replications": 1, "maximum": bound.times(1 / share)}
        for load in (each for each in self.compared if each < bound.interval.low):
            # In pairs what is missing of both at the begin is nearly the same.
            runs = [curves.response_sample(line, load / share, seed=s, **how) for s in seeds]
            at[load] = Sample(np.concatenate([run.values for run in runs]), warning)
        return Responses(curves.Curve(points, bound), max_utilization, at)


def lines_table(entries: Entries, results: Results) -> pd.DataFrame:
    """Return a row a point; `gain` is over the maximal utilization `beside`, of the second line."""
    tables = []
    for label, entry in entries.items():
        line, *others = entry if isinstance(entry, tuple) else (entry,)
        curve, bound = results[line].curve, results[line].curve.maximum
        ends = {"maximal_low": bound.interval.low, "maximal_high": bound.interval.high}
        maximum = {"maximal_utilization": bound.max_utilization, **ends, "method": bound.method}
        for other in others:
            against = results[other].max_utilization
            gain = (results[line].max_utilization - against).interval
            maximum |= {"beside": against.mean, "gain": gain.estimate, "gain_low": gain.low}
            maximum |= {"gain_high": gain.high, "gain_warning": gain.warning}
        tables.append(curve.to_frame().assign(**maximum))
        tables[-1].insert(0, "label", label)
    return pd.concat(tables, ignore_index=True)


def gains_within(table: pd.DataFrame, ranges: Ranges, known: Entries) -> bool:
    """Return whether all gains in maximal utilization are known and for certain within `ranges`."""
    gains = {
        row.label: Interval(row.gain, row.gain_low, row.gain_high, 2, warning=row.gain_warning)
        for row in table.drop_duplicates("label").itertuples()
    }
    within = (gains[n].above(x) and gains[n].below(y) for n, (x, y) in ranges.items())
    return ranges.keys() <= gains.keys() <= known.keys() and all(within)


def draw_lines(
    table: pd.DataFrame, *, dashed: str, ranges: Ranges, beside: str = "", **how: Any
) -> Picture:
    """Draw lines and their maximal utilizations; `dashed` says what the ends of `ranges` are."""
    others = table.drop_duplicates("label").set_index("label")["beside"].dropna().to_dict()
    ends = {
        label: tuple(other + by for by in ranges[label] if np.isfinite(by) and (by or not beside))
        for label, other in others.items()
        if label in ranges
    }
    how |= {"beside": (beside, others)} if beside else {}
    return plots.curves(table, threshold=(dashed, ends), **how)
