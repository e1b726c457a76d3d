"""The division explorer: response times for different ways to divide processors into clusters."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, not_negative, shown
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.system import Multicluster, parse_clusters
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.curves import Curve, response_curve
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import slider_with_list
from coalloc_lib.workloads.models import JobModel

#: The names of the placement policies whose response times the division explorer compares.
COMPARED_PLACEMENTS = ("first-fit", "worst-fit")
#: Several ways to divide 128 processors into clusters, each given by the cluster sizes.
DIVISIONS = (
    "32,32,32,32", "48,32,24,24", "64,32,16,16", "40,40,16,16,16", "16,16,16,16,16,16,16,16",
    "16,16,16,16,8,8,8,8,8,8,8,8",
)  # fmt: skip
#: The offered loads at which response times are simulated, as fractions of the maximal utilization.
SHARES = (0.2, 0.4, 0.6, 0.75, 0.85, 0.92)
#: The maximum half-width of the confidence interval of a mean response time that counts as precise,
#: as a fraction of the mean.
PRECISION = 0.1


class CurveEffort(NamedTuple):
    """The number of simulated jobs and of simulated loads for one plot of response times.

    The maximal utilization is simulated with `saturated_jobs` jobs, and each point of the curve
    with `jobs` jobs in each of `replications` replications. If `step` is 2, every second load of
    `SHARES` is simulated.
    """

    saturated_jobs: int
    jobs: int
    replications: int
    step: int


#: The amount of simulation while the user moves a control, and after the control has come to rest.
COARSE, FINE = CurveEffort(4_000, 1_500, 4, 2), CurveEffort(30_000, 6_000, 6, 1)
#: The margins around the axes of a coarse picture, in inches: left, right, bottom, and below the
#: titles.
MARGINS = 0.75, 0.1, 0.45, 0.1


@lru_cache(maxsize=256)
def division_curves(
    system: Multicluster, model: JobModel, effort: CurveEffort = FINE
) -> dict[str, Curve]:
    """Simulate response times under first fit and worst fit at several loads.

    Parameters
    ----------
    system : Multicluster
        The system, with a given division into clusters.
    model : JobModel
        The model of the jobs.
    effort : CurveEffort
        How much is simulated: `COARSE` or `FINE`.

    Returns
    -------
    dict of str to Curve
        A curve for each placement policy, by its name.

    Raises
    ------
    InputError
        If the largest job of the model does not fit into the system.
    """
    refuse_impossible(system, model.largest())
    options: dict[str, Any] = {
        "jobs": effort.jobs, "most_jobs": effort.jobs, "replications": effort.replications,
    }  # fmt: skip
    curves = {}
    for name in COMPARED_PLACEMENTS:
        scenario = Scenario(system, model, placement=PLACEMENTS[name]())
        maximum = max_utilization_by_simulation(scenario, jobs=effort.saturated_jobs)
        shares = SHARES[effort.step - 1 :: effort.step]
        loads = [round(share * maximum.interval.low, 3) for share in shares]
        curves[display_name(name)] = response_curve(
            scenario, loads, maximum=maximum, precision=PRECISION, **options
        )
    return curves


def division_picture(
    sizes: Sequence[int] | str = (32, 32, 32, 32), components: int = 4,
    component_sizes: str = "D(0.9)[1,8]", penalty: float = 0.0, coarse: bool = False,
    before: Sequence[int] | str | None = None,
) -> Picture:  # fmt: skip
    """Plot response times under first fit and worst fit for one division into clusters.

    Parameters
    ----------
    sizes : sequence of int or str
        The sizes of the clusters in processors, as integers or as a string such as
        ``"64,32,16,16"``.
    components : int
        The number of components of each job.
    component_sizes : str
        The distribution of the component sizes, as `coalloc_lib.parse_sizes` takes it.
    penalty : float
        Jobs with several components run ``1 + penalty`` times as long.
    coarse : bool
        Whether to simulate less, which is faster and less precise.
    before : sequence of int or str, optional
        Another division, whose response times are drawn as dashed lines.

    Returns
    -------
    Picture
        The picture.

    Raises
    ------
    InputError
        If an argument is wrong, or if the largest job does not fit into the system.
    """
    system, model = _system(sizes), JobModel(parse_sizes(component_sizes), components)
    stretch = 1 + not_negative("penalty", penalty) * (components > 1)
    effort = COARSE if coarse else FINE
    curves = _stretched(division_curves(system, model, effort), stretch)
    earlier = None
    if before is not None:
        earlier = _table(_stretched(division_curves(_system(before), model, effort), stretch))
    penalized = f", penalty {penalty:g}" if stretch > 1 else ""
    bands = "" if coarse else "; bands: 95 % intervals"
    bands += f"; dashed: before, on {_system(before)}" if before is not None else ""
    subtitle = f"{system} processors, {components} components {component_sizes}{penalized}{bands}"
    label = "load, not counting the time that the penalty adds" if stretch > 1 else "load"
    figure = plots.curves(
        _table(curves),
        title=_title(curves),
        subtitle=subtitle,
        xlabel=label,
        whole=True,
        before=earlier,
    )
    if coarse:
        _place_axes(figure)
    return Picture(figure, rows=[_in_words(name, curve) for name, curve in curves.items()])


def _in_words(name: str, curve: Curve) -> str:
    responses = ", ".join(
        f"{plots.format_interval(point.response, 2)} at {point.utilization:.2f}"
        for point in curve.points
        if point.response
    )
    carried = plots.format_interval(curve.maximum.interval)
    return f"{name} carries {carried}, mean response times {responses}"


def _stretched(curves: Mapping[str, Curve], stretch: float) -> dict[str, Curve]:
    return {name: curve.stretched(stretch) for name, curve in curves.items()}


def _table(curves: Mapping[str, Curve]) -> pd.DataFrame:
    return pd.concat(
        curve.to_frame().assign(
            label=name,
            maximal_utilization=curve.maximum.max_utilization,
            maximal_low=curve.maximum.interval.low,
            maximal_high=curve.maximum.interval.high,
        )
        for name, curve in curves.items()
    )


def _place_axes(figure: Figure) -> None:
    # A layout engine would first measure all text, which takes as long as drawing it.
    engine = figure.get_layout_engine()
    assert engine is not None  # Every figure of `plots` has a layout engine.
    under = engine.get()["rect"][3]
    figure.set_layout_engine(None)
    width, height = figure.get_size_inches()
    left, right, bottom, top = MARGINS
    figure.subplots_adjust(
        left / width, bottom / height, 1 - right / width, under - top / height, hspace=0.08
    )


def _title(curves: Mapping[str, Curve]) -> str:
    maxima = {name: curve.maximum.interval for name, curve in curves.items()}
    worse, better = sorted(maxima, key=lambda name: maxima[name].estimate)
    least, most = maxima[worse], maxima[better]
    if least.high < most.low:
        return f"{better.capitalize()} carries {most.estimate:.0%}, {worse} {least.estimate:.0%}"
    return f"Both placements carry about {most.estimate:.0%}: their intervals overlap"


def _system(sizes: Sequence[int] | str) -> Multicluster:
    return parse_clusters(sizes) if isinstance(sizes, str) else Multicluster(sizes)


def division_explorer(
    divisions: Sequence[str] = DIVISIONS, components: int = 4, component_sizes: str = "D(0.9)[1,8]",
    penalty: float = 0.0, state: str = "",
) -> Explorer:  # fmt: skip
    """Return a widget that shows response times for different divisions into clusters.

    Parameters
    ----------
    divisions : sequence of str
        The divisions, each as a string such as ``"64,32,16,16"``. A slider selects one of them.
    components, component_sizes, penalty
        As in `division_picture`.
    state : str
        The division that is selected at first, as a line from the text field of such an explorer.

    Returns
    -------
    Explorer
        The widget.

    Raises
    ------
    InputError
        If `divisions` is empty, or if an argument is wrong.
    """
    options = _checked_divisions(divisions)
    # Wrong arguments raise an error here. In `draw`, they would be shown as a note in the widget.
    JobModel(parse_sizes(component_sizes), components)
    not_negative("penalty", penalty)
    jobs: dict[str, Any] = {
        "components": components,
        "component_sizes": component_sizes,
        "penalty": penalty,
    }

    def draw(sizes: str, coarse: bool, before: dict[str, Any] | None) -> Picture:
        return division_picture(
            sizes, **jobs, coarse=coarse, before=None if before is None else before["sizes"]
        )

    control = slider_with_list("clusters", options, options[0])
    return Explorer({"sizes": control}, draw, state=state, simulates=lambda **_: True)


def _checked_divisions(divisions: Any) -> list[str]:
    is_list = isinstance(divisions, Sequence | np.ndarray) and not isinstance(divisions, str)
    if not is_list or not len(divisions):
        raise InputError(
            f"divisions = {shown(divisions)}; give a non-empty list of strings such as "
            "'64,32,16,16'"
        )
    for place, division in enumerate(divisions):
        parse_clusters(division, f"divisions[{place}]")
    return list(map(str, divisions))
