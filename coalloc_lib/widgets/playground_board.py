"""The results of the playground: an animation, a comparison in words, a table and a plot."""

from copy import copy
from functools import lru_cache
from html import escape
from typing import Any

import ipywidgets as ipw
import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of
from coalloc_lib.basics.compilation import compilation_messages_to
from coalloc_lib.plots import Picture
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.statistics.scenario_pairs import (
    ALL,
    SIDES,
    break_even,
    by_size,
    capacity,
    effort_for,
    loads_of,
    over_load,
)
from coalloc_lib.widgets import controls as ui
from coalloc_lib.widgets import inputs, pages
from coalloc_lib.widgets.centres import can_span, penalty_in_words, verdict
from coalloc_lib.widgets.player import Player
from coalloc_lib.widgets.view import ExplorerView
from coalloc_lib.workloads.models import JobModel, SplitJobs

#: The colours and markers of the two computing centres, A and B.
LOOK = {"A": plots.STANDARD, "B": plots.MEANINGS["ordered"]}
#: The number of jobs in the schedule player, and the random seed of these jobs. With this seed,
#: many of the jobs wait.
SHOWN, SHOWN_SEED = 24, 90
#: The message that is shown while Numba compiles a policy.
FIRST_USE = "Compiling a policy for its first use: 10 to 30 s, or a minute for online …"
STYLE = f"<style>\n{pages.sheet('playground')}</style>"
for _side, _sign in LOOK.items():
    STYLE = STYLE.replace(f"colour-of-{_side}", _sign.colour)


def playground_picture(one: Scenario, other: Scenario) -> Picture:
    """Plot the mean response times of two scenarios with the same jobs against the load.

    The unit of time is the mean run time of the jobs, which the picture calls an hour.

    Parameters
    ----------
    one, other : Scenario
        The scenarios. The workload of each is a `JobModel` whose jobs have one component, or
        `SplitJobs`. The axis shows the load of `one`.

    Returns
    -------
    Picture
        The response times, and the maximal utilization of each system.

    Raises
    ------
    InputError
        If a workload has another type, or if the jobs of the two scenarios have different sizes.
    """
    for name, scenario in (("one", one), ("other", other)):
        jobs: Any = instance_of(name, scenario, Scenario, "a scenario").workload
        if not isinstance(jobs, JobModel | SplitJobs) or getattr(jobs, "components", 1) > 1:
            raise InputError(
                f"{name} has the workload {jobs}; give a JobModel with one component, or SplitJobs"
            )
    first, second = one.workload.sizes, other.workload.sizes  # type: ignore[attr-defined]
    if first != second:
        raise InputError(
            f"the scenarios `one` and `other` have different job sizes, {first} and {second}; give "
            "the same sizes to both scenarios"
        )
    return _picture(one, other)


@lru_cache(maxsize=64)
def _picture(one: Scenario, other: Scenario) -> Picture:
    table = over_load(one, other)
    table = table[table["size"] == ALL]
    figure, axes = plots.new_figure(1.8, width=3.7)
    top, effort = 1.15 * np.nanmax([table["ci95_high"].max(), 2.0]), effort_for(one, other)
    for side, scenario, scale in zip(SIDES, (one, other), loads_of(one, other, 1.0), strict=True):
        points, sign = table[table["scenario"] == side], LOOK[side]
        line, carried = points[points["note"] == ""], capacity(scenario, effort.full) / scale
        style: Any = {"color": sign.colour, "marker": sign.marker, "markersize": 4}
        axes.plot(
            line["load"], line["response"], label=f"{side}: at most {carried:.2f} (dotted)", **style
        )
        ends = line["ci95_low"], line["ci95_high"]
        axes.fill_between(line["load"], *ends, color=sign.colour, alpha=0.2)
        axes.axvline(carried, color=sign.colour, linestyle=":", linewidth=1.2)
        saturated = points.loc[points["note"] != "", "load"]
        height = (0.96 if side == "A" else 0.9) * top
        axes.plot(saturated, [height] * len(saturated), "x", color=sign.colour, markersize=5)
    axes.set(xlim=(0, 1), ylim=(0, top), xlabel="load (of A's system)")
    axes.set_ylabel("mean response, hours")
    axes.legend(loc="center left", frameon=False, fontsize=8)
    note = "bands: 95 % intervals; ×: at or near saturation"
    plots.title_figure(figure, "Response over load", note)
    rows = [
        f"{row.scenario} at load {row.load:g}: "
        + (row.note or f"{row.response:.2f} ({row.ci95_low:.2f} to {row.ci95_high:.2f})")
        for row in table.itertuples()
    ]
    return Picture(figure, rows=rows)


def _bars(table):
    most, rows = table["response"].max(), []
    for size, part in table.groupby("size", sort=False):
        bars = ""
        for row in part.itertuples():
            half = (row.ci95_high - row.ci95_low) / 2
            words = f"<b>run {row.run:.2f}, wait {row.wait:.2f}</b>{row.response:.2f} ± {half:.2f}"
            parts = [f'<i style="width: {60 * x / most:.1f}%"></i>' for x in (row.run, row.wait)]
            content = row.note if row.note else f"{''.join(parts)}<small>{words}</small>"
            bars += f'<div class="{row.scenario}">{row.scenario} {content}</div>'
        last, change = part.iloc[-1], ""
        if pd.notna(last["change"]):
            # With one decimal, a reader can see whether an interval contains 0.
            ends = f"[{last['change_low']:+.1f}, {last['change_high']:+.1f}]"
            change = f"{last['change']:+.1f} %<br><small>{ends}</small>"
        rows.append(f"<tr><th scope=row>{size}<td>{bars}<td>{change}")
    head = "<tr><th>size<th>hours run, and (pale) waited<th>change"
    return f'<table class="coalloc-sizes">{head}{"".join(rows)}</table>'


class Board(ExplorerView, ipw.VBox):
    """The results of the playground: an animation, a comparison in words, a table and a plot.

    The animation is hidden until the user asks for it.
    """

    def __init__(self) -> None:
        self.words, self.table, self.curve = ipw.HTML(), ipw.HTML(), ui.View()
        #: Shows the Python code of the scenarios. The playground decides where this widget stands.
        self.code = ipw.HTML()
        self._verdict = self._break_even = ""
        self.player: Player | None = None
        self._shown: tuple[Scenario, Scenario] | None = None
        #: Shows the animation. The playground decides where this widget stands.
        self._animation = ipw.VBox()
        self.watched = inputs.fold(f"watch {SHOWN} of the jobs", self._animation)
        self.table.layout, self.curve.layout = {"flex": "1 1 430px"}, {"flex": "1 1 360px"}
        numbers = ipw.HBox([self.table, self.curve], layout={"flex_flow": "row wrap"})
        # The browser hides the numbers during the animation, to make room for it.
        numbers.add_class("coalloc-numbers")
        self.watched.add_class("coalloc-watch")
        style = ipw.HTML(STYLE, layout={"display": "none"})
        super().__init__([style, self.words, numbers])

    def show(self, one: Scenario, other: Scenario, load: float, coarse: bool) -> None:
        """Simulate two scenarios, and show a comparison of their results.

        Parameters
        ----------
        one, other : Scenario
            The scenarios of A and of B.
        load : float
            The offered load of A. The same jobs arrive at B.
        coarse : bool
            Whether to simulate fewer jobs, and not to update the curve and the break-even penalty.
        """
        with compilation_messages_to(lambda _: self._say(FIRST_USE)):
            table = by_size(one, other, load, coarse)
        self._replay(one, other, load)
        # The verdict of a short run is pale until the verdict of a long run replaces it.
        look = ' class="coalloc-soon"' * coarse
        self.table.value = _bars(table)
        self._verdict = f"<b{look}>{escape(verdict(table))}.</b> "
        for widget in (self.words, self.table, self.watched, self.code):
            widget.remove_class("coalloc-past")
        if coarse:
            self.curve.add_class("coalloc-past")
            self._say(ui.BUSY)
            return
        loads = loads_of(one, other, load)
        self._break_even = " ".join(
            f"Break-even penalty ψ* of {side}: {penalty_in_words(break_even(scenario, scaled))}."
            for side, scenario, scaled in zip(SIDES, (one, other), loads, strict=True)
            if can_span(scenario)
        )
        # If one of the centres plans a start for every job, both run fewer jobs, and the numbers of
        # the other one change too.
        effort = effort_for(one, other)
        self._break_even += f" <small>({effort.runs} runs of {effort.jobs:,} jobs.)</small>"
        self._shown = one, other
        self.curve.draw(playground_picture(one, other))
        self.curve.remove_class("coalloc-past")
        self._say(self._break_even)

    def _replay(self, one: Scenario, other: Scenario, load: float) -> None:
        scenarios, rate = (one, other), one.rate(load)
        jobs = [scenario.workload.sample(SHOWN, SHOWN_SEED, rate) for scenario in scenarios]
        first, second = (s.run(stream) for s, stream in zip(scenarios, jobs, strict=True))
        schedules = {"A": first, "B": second}
        if self.player is None:
            self.player = Player(schedules, unit="h", now=jobs[0].submit[-1], against=first)
            self._animation.children = (self.player,)
        else:
            self.player.show(schedules, first)

    def _say(self, more):
        self.words.value = f'<div class="coalloc-words">{self._verdict}{more}</div>'

    def fade(self) -> None:
        """Fade the results, because the controls have changed since the results were computed."""
        self._say(self._break_even)
        for widget in (self.words, self.table, self.curve, self.watched, self.code):
            widget.add_class("coalloc-past")

    def boxed(self) -> dict[str, str]:
        """Return the player, the curve and the table by MIME type, for pages without a kernel."""
        if self._shown is None:  # The first scenarios could not be simulated.
            return {"text/html": "", "text/plain": ""}
        picture = copy(playground_picture(*self._shown))
        picture.below += STYLE + self.words.value + self.table.value
        assert self.player is not None  # `show` has made it.
        data, player = picture._repr_mimebundle_(), self.player.boxed()
        sides = "".join(
            f"<p><b>{side}</b>: {_in_words(scenario)}.</p>"
            for side, scenario in zip(SIDES, self._shown, strict=True)
        )
        return data | {"text/html": sides + player["text/html"] + data["text/html"]}


def _in_words(scenario: Scenario) -> str:
    jobs: Any = scenario.workload
    penalty = f"jobs may span, at a penalty of {jobs.span_penalty:g}"
    spanning = penalty if can_span(scenario) else "no job spans"
    return escape(f"{scenario.system} processors, {scenario.scheduling.title}, {spanning}")
