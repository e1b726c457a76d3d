"""The division explorer: how a system is cut into clusters, its schedule and response times."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, not_negative
from coalloc_lib.experiments.curves import Curve, find_maximum, response_curve
from coalloc_lib.model.distributions import parse_sizes
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies.names import PLACEMENTS, display_name, parse_clusters
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.run import refuse_impossible, simulate
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.widgets.controls import Explorer, entry_of, push, slider_with_entry, text_entry
from coalloc_lib.widgets.player import Player
from coalloc_lib.workloads.models import JobModel

#: The placements that are compared.
COMPARED = ("first-fit", "worst-fit")
#: Processors that the sliders divide, and clusters that they make at most.
PROCESSORS, MOST_CLUSTERS = 128, 8
#: Loads of the points, as shares of each placement's maximal utilization.
SHARES = (0.2, 0.4, 0.6, 0.75, 0.85, 0.92)
#: Relative half-width up to which a point counts as precise.
PRECISION = 0.1
#: Jobs behind the maximal utilization; jobs and runs behind each point; and of `SHARES` every which
#: one: while a control is moved, and when it rests.
COARSE, FINE = (4_000, 1_500, 4, 2), (30_000, 6_000, 6, 1)
#: Jobs of the schedule, of which so many wait at any time.
PLAYED, WAITING = 18, 3
#: Where a coarse picture has its axes: inches from the left, the right, the bottom and the titles.
MARGINS = 0.75, 0.1, 0.45, 0.1


@lru_cache(maxsize=256)
def division_curves(
    system: Multicluster, model: JobModel, effort: tuple = FINE
) -> dict[str, Curve]:
    """Return the `Curve` of each placement, on the same jobs; `effort` is `COARSE` or `FINE`."""
    refuse_impossible(system, model.largest())
    bound_jobs, jobs, replications, step = effort
    how: dict[str, Any] = {"jobs": jobs, "most_jobs": jobs, "replications": replications}
    curves = {}
    for name in COMPARED:
        scenario = Scenario(system, model, placement=PLACEMENTS[name]())
        maximum = find_maximum(scenario, jobs=bound_jobs)
        loads = [round(share * maximum.interval.low, 3) for share in SHARES[step - 1 :: step]]
        curves[display_name(name)] = response_curve(
            scenario, loads, maximum=maximum, precision=PRECISION, **how
        )
    return curves


def division_picture(
    sizes: Sequence[int] | str = (32, 32, 32, 32), components: int = 4,
    component_sizes: str = "D(0.9)[1,8]", penalty: float = 0.0, coarse: bool = False,
) -> Picture:  # fmt: skip
    """Draw the response times of first fit and worst fit on one division into clusters.

    `sizes` may be a text such as ``"64,32,16,16"``; `component_sizes` is as `parse_sizes` takes it.
    Jobs of several components run ``1 + penalty`` times as long. A `coarse` picture has fewer runs.
    """
    system, model = _system(sizes), JobModel(parse_sizes(component_sizes), components)
    longer = 1 + not_negative("penalty", penalty) * (components > 1)
    gross = division_curves(system, model, COARSE if coarse else FINE)
    net = {name: curve.stretched(longer) for name, curve in gross.items()}
    slow = f", penalty {penalty:g}" if longer > 1 else ""
    bands = "" if coarse else "; bands: 95 % intervals"
    subtitle = f"{system} processors, {components} components {component_sizes}{slow}{bands}"
    label = "load, without what the penalty adds" if longer > 1 else "load"
    table = pd.concat(
        curve.to_frame().assign(
            label=name, maximal_utilization=curve.maximum.max_utilization,
            maximal_low=curve.maximum.interval.low, maximal_high=curve.maximum.interval.high,
        )
        for name, curve in net.items()
    )  # fmt: skip
    figure = plots.curves(table, title=_winner(net), subtitle=subtitle, xlabel=label, left=0.0)
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


def division_schedules(
    sizes: Sequence[int] | str, components: int, component_sizes: str, penalty: float = 0.0
) -> dict[str, Schedule]:
    """Return the schedule of a few jobs, some of which always wait, under each placement."""
    jobs = JobModel(parse_sizes(component_sizes), components).sample(PLAYED, seed=1)
    stream, system = jobs.replace(span_penalty=penalty), _system(sizes)
    return {
        display_name(name): simulate(system, stream, placement=PLACEMENTS[name](), backlog=WAITING)
        for name in COMPARED
    }


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


def shared_out(sizes: Sequence[int], moved: int) -> list[int]:
    """Return sizes that add up to `PROCESSORS`: the others give or take evenly, and keep one."""
    sizes = list(sizes)
    others = [number for number in range(len(sizes)) if number != moved]
    sizes[moved] = min(sizes[moved], PROCESSORS - len(others)) if others else PROCESSORS
    while (excess := sum(sizes) - PROCESSORS) != 0:
        chosen = (max if excess > 0 else min)(others, key=lambda number: (sizes[number], number))
        sizes[chosen] -= 1 if excess > 0 else -1
    return sizes


class _Division:
    """Sliders that divide the processors, and the text of sizes that they write."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.text = text_entry("sizes", ",".join(map(str, sizes)))
        self.count = slider_with_entry("clusters", len(sizes), 1, MOST_CLUSTERS)
        labels = [f"cluster {number}" for number in range(1, MOST_CLUSTERS + 1)]
        self.rows = [slider_with_entry(label, 1, 1, PROCESSORS) for label in labels]
        self._sets = False
        self._show(sizes)
        self.text.observe(self._follow, "value")
        entry_of(self.count).observe(self._recount, "value")
        for number, row in enumerate(self.rows):
            entry_of(row).observe(lambda _change, number=number: self._resize(number), "value")

    def _recount(self, change: dict) -> None:
        each, more = divmod(PROCESSORS, change["new"])
        self._write([each + (i < more) for i in range(change["new"])])

    def _resize(self, moved: int) -> None:
        if not self._sets:
            clusters = self.rows[: entry_of(self.count).value]
            self._write(shared_out([entry_of(row).value for row in clusters], moved))

    def _write(self, sizes: Sequence[int]) -> None:
        if not self._sets:
            self._show(sizes)
            self.text.value = ",".join(map(str, sizes))

    def _follow(self, change: dict) -> None:
        with suppress(InputError):
            self._show(parse_clusters(change["new"]).sizes)

    def _show(self, sizes: Sequence[int]) -> None:
        """Set the sliders; those that cannot say these sizes are not shown."""
        can_say = sum(sizes) == PROCESSORS and len(sizes) <= MOST_CLUSTERS
        self.count.layout.display = "" if can_say else "none"
        for number, row in enumerate(self.rows):
            row.layout.display = "" if can_say and number < len(sizes) else "none"
        if can_say:
            self._sets = True
            entry_of(self.count).value = len(sizes)
            for row, size in zip_longest(self.rows, sizes, fillvalue=1):
                entry_of(row).value = size
            self._sets = False


class _Linked(Explorer):
    """Controls, a picture, and below them a player that follows the same controls."""

    player: Player

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown = super()._repr_mimebundle_(**kwargs)
        still = self.player.boxed()
        return shown | {"text/html": shown["text/html"] + still["text/html"]}


def division_explorer(sizes: Sequence[int] | str = (32, 32, 32, 32), state: str = "") -> Explorer:
    """Return controls of a division, responses and a schedule; `state` is a line to recreate."""
    clusters = _system(sizes).sizes
    division = _Division(clusters)
    components = slider_with_entry("components", min(4, len(clusters)), 1, MOST_CLUSTERS)
    # A job has one cluster for each component: the other number follows.
    push(components, division.count)
    controls = {
        "sizes": division.text,
        "components": components,
        "component_sizes": text_entry("their sizes", "D(0.9)[1,8]"),
        "penalty": slider_with_entry("penalty", 0.0, 0.0, 1.0, 0.05),
    }
    above = [division.count, *division.rows]
    player = Player(division_schedules(clusters, min(4, len(clusters)), "D(0.9)[1,8]"))

    def draw(coarse: bool, **values: Any) -> Picture:
        picture = division_picture(**values, coarse=coarse)
        player.show(division_schedules(**values))
        return picture

    box = _Linked(controls, draw, state=state, simulates=lambda **_: True, above=above)
    box.player, (top, sides, *below) = player, box.children
    box.children = [top, sides, player, *below]
    return box
