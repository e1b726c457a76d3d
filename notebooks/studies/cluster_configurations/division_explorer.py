"""The division explorer: response times for different ways to divide processors into clusters."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.system import Multicluster, parse_clusters
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name
from coalloc_lib.simulation.run import refuse_impossible
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.curves import Curve, response_curve
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import (
    choice,
    disable,
    slider_with_entry,
    text_entry,
)
from coalloc_lib.workloads.models import JobModel
from studies.cluster_configurations.division_holes import holes_picture

#: The names of the placement policies whose response times the division explorer compares.
COMPARED_PLACEMENTS = ("first-fit", "worst-fit")
#: The number of processors that `DIVISIONS` divides. The subtitle names any other number.
PROCESSORS = 128
#: Several ways to divide these processors into clusters, each given by the cluster sizes.
DIVISIONS = "4x32", "48,32,2x24", "64,32,2x16", "2x40,3x16", "8x16", "4x16,8x8"
#: The distribution of the sizes of components.
SIZES = "D(0.9)[1,8]"
#: The two pictures of the explorer in which a reader divides 128 processors into clusters.
CURVE, HOLES = "response curve", "idle processors"
#: The height of the response curve in inches, so that the explorer fits into a small window.
HEIGHT = 3.0
#: The largest number of components that the division explorer offers.
MOST_COMPONENTS = 8
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
    system: Multicluster, model: JobModel, effort: CurveEffort
) -> Mapping[str, Curve]:
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
    mapping of str to Curve
        A curve for each placement policy, by its name.

    Raises
    ------
    InputError
        If the largest job of the model does not fit into the system.
    """
    _refuse_impossible(system, model)
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
    return MappingProxyType(curves)


def _refuse_impossible(system: Multicluster, model: JobModel) -> None:
    largest = model.largest()
    # Only unordered requests place each component in a cluster that the scheduler chooses.
    if largest.request == "unordered" and largest.components.shape[1] > len(system):
        raise InputError(
            f"components = {model.components}; give at most {len(system)}, because each component "
            f"needs a different cluster of {system}"
        )
    refuse_impossible(system, largest)


def division_picture(
    sizes: str = "4x32", components: int = 4, coarse: bool = False,
    before: Mapping[str, Any] | None = None,
) -> Picture:  # fmt: skip
    """Plot response times under first fit and worst fit for one division into clusters.

    Parameters
    ----------
    sizes : str
        The sizes of the clusters in processors, such as ``"64,32,2x16"``.
    components : int
        The number of components of each job.
    coarse : bool
        Whether to simulate less, which is faster and less precise.
    before : mapping, optional
        Earlier values of `sizes` and of `components`, whose response times are drawn as dashed
        lines.

    Returns
    -------
    Picture
        The picture.

    Raises
    ------
    InputError
        If an argument is wrong, or if the largest job does not fit into the system.
    """
    effort = COARSE if coarse else FINE
    curves = _curves(sizes, components, effort)
    bands, earlier = "" if coarse else "; bands: 95 % intervals", None
    if before is not None:
        earlier = _table(_curves(**before, effort=effort))
        bands += f"; dashed: before, {_setting(**before)}"
    figure = plots.curves(
        _table(curves), xlabel="load", whole=True, before=earlier, height=HEIGHT,
        title=_title(curves, coarse),
        subtitle=f"{_setting(sizes, components)} of {SIZES} processors{bands}",
    )  # fmt: skip
    if coarse:
        _place_axes(figure)
    return Picture(figure, rows=[_in_words(name, curve) for name, curve in curves.items()])


def _curves(sizes: str, components: int, effort: CurveEffort) -> Mapping[str, Curve]:
    return division_curves(parse_clusters(sizes), _model(components), effort)


def _model(components: int) -> JobModel:
    return JobModel(parse_sizes(SIZES), components)


def _setting(sizes, components):
    words = "one component" if components == 1 else f"{components} components"
    return f"{_in_processors(parse_clusters(sizes))}, {words}"


def _in_processors(system: Multicluster) -> str:
    number = system.processors
    return f"{system}" if number == PROCESSORS else f"{system} ({number} processors)"


def _in_words(name: str, curve: Curve) -> str:
    responses = ", ".join(
        f"{plots.format_interval(point.response, 2)} at {point.utilization:.2f}"
        for point in curve.points
        if point.response
    )
    carried = plots.format_interval(curve.maximum.interval)
    return f"{name} carries {carried}, mean response times {responses}"


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


def _title(curves: Mapping[str, Curve], coarse: bool) -> str:
    maxima = {name: curve.maximum.interval for name, curve in curves.items()}
    worse, better = sorted(maxima, key=lambda name: maxima[name].estimate)
    least, most = maxima[worse], maxima[better]
    if coarse:  # The runs are too short for a verdict.
        words = [f"{name} about {100 * found.estimate:.0f} %" for name, found in maxima.items()]
        return f"First, rough result: {words[1]}, {words[0]}"
    if least.high < most.low:
        digits = 0 if round(100 * least.estimate) < round(100 * most.estimate) else 1
        shares = [f"{100 * found.estimate:.{digits}f} %" for found in (most, least)]
        return f"{better.capitalize()} carries {shares[0]}, {worse} {shares[1]}"
    return f"Both placements carry about {100 * most.estimate:.0f} %: their intervals overlap"


def division_explorer(state: str = "") -> Explorer:
    """Return a widget that shows response times for different divisions into clusters.

    A slider selects one of `DIVISIONS`, and a text field takes any other. A list selects the
    picture: the response times, or the idle processors of each cluster in a full system.

    Parameters
    ----------
    state : str
        The values of the controls at first, as a line from the text field of such an explorer.

    Returns
    -------
    Explorer
        The widget.
    """
    listed = choice("clusters", DIVISIONS)
    own = text_entry("or your own", "")
    own.placeholder = "replaces the list"
    disable(listed, own, bool)
    controls = {
        "sizes": listed, "other": own,
        "components": slider_with_entry("components", 4, 1, MOST_COMPONENTS),
        "show": choice("show", (CURVE, HOLES)),
    }  # fmt: skip

    def chosen(sizes: str, other: str, components: int, show: str) -> dict[str, Any]:
        return {"sizes": other.strip() or sizes, "components": components}

    def draw(coarse: bool, before: dict[str, Any] | None, **values: Any) -> Picture:
        if values["show"] == HOLES:
            return _holes_picture(**chosen(**values))
        earlier = None if before is None else chosen(**before)
        return division_picture(**chosen(**values), coarse=coarse, before=earlier)

    return Explorer(controls, draw, state=state, simulates=lambda show, **_: show == CURVE)


def _holes_picture(sizes: str, components: int) -> Picture:
    system, model = parse_clusters(sizes), _model(components)
    _refuse_impossible(system, model)
    setting = f"{_setting(sizes, components)} of {SIZES} processors"
    return holes_picture(system, model, COMPARED_PLACEMENTS, setting)
