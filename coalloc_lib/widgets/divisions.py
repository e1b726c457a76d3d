"""The division explorer: how a system is cut into clusters, and its response times."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, not_negative
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name, parse_clusters
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.curves import Curve, max_utilization_by_simulation, response_curve
from coalloc_lib.widgets.controls import Explorer, slider_with_list
from coalloc_lib.workloads.models import JobModel

#: The placements that are compared.
COMPARED = ("first-fit", "worst-fit")
#: Divisions of 128 processors, from equal to unequal, and into more clusters.
DIVISIONS = (
    "32,32,32,32", "48,32,24,24", "64,32,16,16", "40,40,16,16,16", "16,16,16,16,16,16,16,16",
    "16,16,16,16,8,8,8,8,8,8,8,8",
)  # fmt: skip
#: Loads of the points, as shares of each placement's maximal utilization.
SHARES = (0.2, 0.4, 0.6, 0.75, 0.85, 0.92)
#: Relative half-width up to which a point counts as precise.
PRECISION = 0.1
#: Jobs behind the maximal utilization; jobs and runs behind each point; and of `SHARES` every which
#: one: while a control is moved, and when it rests.
COARSE, FINE = (4_000, 1_500, 4, 2), (30_000, 6_000, 6, 1)
#: Where a coarse picture has its axes: inches from the left, the right, the bottom and the titles.
MARGINS = 0.75, 0.1, 0.45, 0.1


@lru_cache(maxsize=256)
def division_curves(
    system: Multicluster, model: JobModel, effort: tuple = FINE
) -> dict[str, Curve]:
    """Return the `Curve` of each placement, on the same jobs; `effort` is `COARSE` or `FINE`."""
    refuse_impossible(system, model.largest())
    bound_jobs, jobs, replications, step = effort
    options: dict[str, Any] = {"jobs": jobs, "most_jobs": jobs, "replications": replications}
    curves = {}
    for name in COMPARED:
        scenario = Scenario(system, model, placement=PLACEMENTS[name]())
        maximum = max_utilization_by_simulation(scenario, jobs=bound_jobs)
        loads = [round(share * maximum.interval.low, 3) for share in SHARES[step - 1 :: step]]
        curves[display_name(name)] = response_curve(
            scenario, loads, maximum=maximum, precision=PRECISION, **options
        )
    return curves


def division_picture(
    sizes: Sequence[int] | str = (32, 32, 32, 32), components: int = 4,
    component_sizes: str = "D(0.9)[1,8]", penalty: float = 0.0, coarse: bool = False,
    before: Sequence[int] | str | None = None,
) -> Picture:  # fmt: skip
    """Draw the response times of first fit and worst fit on one division into clusters.

    `sizes` may be a text such as ``"64,32,16,16"``; `component_sizes` is as `parse_sizes` takes it.
    Jobs of several components run ``1 + penalty`` times as long. A `coarse` picture has fewer runs.
    Dashed lines are of another division, drawn `before`.
    """
    system, model = _system(sizes), JobModel(parse_sizes(component_sizes), components)
    longer = 1 + not_negative("penalty", penalty) * (components > 1)
    effort = COARSE if coarse else FINE
    net = _stretched(division_curves(system, model, effort), longer)
    ghost = None
    if before is not None:
        ghost = _table(_stretched(division_curves(_system(before), model, effort), longer))
    slow = f", penalty {penalty:g}" if longer > 1 else ""
    bands = "" if coarse else "; bands: 95 % intervals"
    bands += f"; dashed: before, on {_system(before)}" if before is not None else ""
    subtitle = f"{system} processors, {components} components {component_sizes}{slow}{bands}"
    label = "load, without what the penalty adds" if longer > 1 else "load"
    figure = plots.curves(
        _table(net), title=_winner(net), subtitle=subtitle, xlabel=label, whole=True, ghost=ghost
    )
    if coarse:
        _place_axes(figure)
    rows = (
        f"{name} carries {plots.format_interval(curve.maximum.interval)}, mean response times "
        + ", ".join(
            f"{plots.format_interval(point.response, 2)} at {point.utilization:.2f}"
            for point in curve.points
            if point.response
        )
        for name, curve in net.items()
    )
    return Picture(figure, rows=rows)


def _stretched(curves: Mapping[str, Curve], longer: float) -> dict[str, Curve]:
    return {name: curve.stretched(longer) for name, curve in curves.items()}


def _table(curves: Mapping[str, Curve]) -> pd.DataFrame:
    """Return curves as `plots.curves` takes them."""
    return pd.concat(
        curve.to_frame().assign(
            label=name, maximal_utilization=curve.maximum.max_utilization,
            maximal_low=curve.maximum.interval.low, maximal_high=curve.maximum.interval.high,
        )
        for name, curve in curves.items()
    )  # fmt: skip


def _place_axes(figure: Figure) -> None:
    """Put the axes under the titles; to measure what is drawn would take as long as drawing it."""
    engine = figure.get_layout_engine()
    assert engine is not None  # every picture has one
    under = engine.get()["rect"][3]
    figure.set_layout_engine(None)
    width, height = figure.get_size_inches()
    left, right, bottom, top = MARGINS
    figure.subplots_adjust(
        left / width, bottom / height, 1 - right / width, under - top / height, hspace=0.08
    )


def _winner(net: Mapping[str, Curve]) -> str:
    """Say which placement has the larger maximal utilization, where the intervals tell."""
    known = {name: curve.maximum.interval for name, curve in net.items()}
    one, other = sorted(known, key=lambda name: known[name].estimate)
    least, most = known[one], known[other]
    if least.high < most.low:
        return f"{other.capitalize()} carries {most.estimate:.0%}, {one} {least.estimate:.0%}"
    return f"Both placements carry {most.estimate:.0%}, as far as the intervals tell"


def _system(sizes: Sequence[int] | str) -> Multicluster:
    return parse_clusters(sizes) if isinstance(sizes, str) else Multicluster(sizes)


def division_explorer(
    divisions: Sequence[str] = DIVISIONS, components: int = 4, component_sizes: str = "D(0.9)[1,8]",
    penalty: float = 0.0, state: str = "",
) -> Explorer:  # fmt: skip
    """Return a slider over divisions into clusters, and the responses on the one it picks.

    Each is a text such as ``"64,32,16,16"``; the other arguments are those of `division_picture`.
    `state` is a line to recreate.
    """
    if isinstance(divisions, str) or not divisions:
        raise InputError(f"divisions = {divisions!r}; give texts such as '64,32,16,16' in a list")
    jobs: dict[str, Any] = {
        "components": components,
        "component_sizes": component_sizes,
        "penalty": penalty,
    }

    def draw(sizes: str, coarse: bool, before: dict[str, Any] | None) -> Picture:
        return division_picture(
            sizes, **jobs, coarse=coarse, before=None if before is None else before["sizes"]
        )

    control = slider_with_list("clusters", divisions, divisions[0])
    return Explorer({"sizes": control}, draw, state=state, simulates=lambda **_: True)
