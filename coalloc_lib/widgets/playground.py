"""The playground: an explorer that compares two computing centres with the same jobs.

The module `coalloc_lib.widgets.scenario_pairs` simulates and compares the centres; this module
shows the results.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import urlencode

import ipywidgets as ipw
import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, instance_of
from coalloc_lib.basics.compilation import compilation_messages_to
from coalloc_lib.basics.display import badge
from coalloc_lib.basics.files import csv_of
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.plots import Picture
from coalloc_lib.policies import Scheduling
from coalloc_lib.simulation.scenario import Scenario
from coalloc_lib.widgets import controls as ui
from coalloc_lib.widgets import pages
from coalloc_lib.widgets.centres import (
    AT_NEED,
    CONTROLS,
    NEVER,
    POLICIES,
    SPANS,
    can_span,
    penalty_in_words,
    scenario_of,
    verdict,
)
from coalloc_lib.widgets.player import Player
from coalloc_lib.widgets.scenario_pairs import (
    ALL,
    PENALTIES,
    SEED,
    SIDES,
    break_even,
    by_size,
    capacity,
    effort_for,
    loads_of,
    over_load,
)
from coalloc_lib.workloads.models import JobModel, SplitJobs

#: The colours and markers of the two computing centres, A and B.
LOOK = {"A": plots.STANDARD, "B": plots.MEANINGS["ordered"]}
#: The controls of a computing centre that are always visible. The button "more" shows the others.
FIRST = ("policy", "span", "penalty")
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
            f"the scenarios one and other have different job sizes, {first} and {second}; give "
            "the same sizes to both scenarios"
        )
    return _picture(one, other)


@lru_cache(maxsize=64)
def _picture(one: Scenario, other: Scenario) -> Picture:
    table = over_load(one, other)
    table = table[table["size"] == ALL]
    figure, axes = plots.new_figure(2.1, width=3.7)
    top, effort = 1.15 * np.nanmax([table["ci95_high"].max(), 2.0]), effort_for(one, other)
    for side, scenario, scale in zip(SIDES, (one, other), loads_of(one, other, 1.0), strict=True):
        points, sign = table[table["scenario"] == side], LOOK[side]
        line, carried = points[points["note"] == ""], capacity(scenario, effort.full) / scale
        style: Any = {"color": sign.colour, "marker": sign.marker, "markersize": 4}
        axes.plot(line["load"], line["response"], label=f"{side} carries {carried:.2f}", **style)
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
            ends = f"[{last['change_low']:+.0f}, {last['change_high']:+.0f}]"
            change = f"{last['change']:+.0f} %<br><small>{ends}</small>"
        rows.append(f"<tr><th scope=row>{size}<td>{bars}<td>{change}")
    head = "<tr><th>size<th>hours run, and (pale) waited<th>change"
    return f'<table class="coalloc-sizes">{head}{"".join(rows)}</table>'


class Board(ipw.VBox):
    """The results of the playground: an animation, a comparison in words, a table and a plot.

    The animation is hidden until the user asks for it.
    """

    def __init__(self) -> None:
        self.words, self.table, self.curve = ipw.HTML(), ipw.HTML(), ui.View()
        self._verdict = self._break_even = ""
        self.player: Player | None = None
        self._watched = ui.fold(f"watch {SHOWN} of the jobs", ipw.VBox())
        self.table.layout, self.curve.layout = {"flex": "1 1 430px"}, {"flex": "1 1 360px"}
        numbers = ipw.HBox([self.table, self.curve], layout={"flex_flow": "row wrap"})
        style = ipw.HTML(STYLE, layout={"display": "none"})
        super().__init__([style, self.words, numbers, self._watched])

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
        self.table.value, self._verdict = _bars(table), f"<b>{escape(verdict(table))}.</b> "
        self.words.remove_class("coalloc-past")
        self.table.remove_class("coalloc-past")
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
            self._watched.children[-1].children = (self.player,)
        else:
            self.player.show(schedules, first)

    def _say(self, more):
        self.words.value = f'<div class="coalloc-words">{self._verdict}{more}</div>'

    def rest(self) -> None:
        """Fade the results, because the controls have changed since the results were computed."""
        self._say(self._break_even)
        for widget in (self.words, self.table, self.curve):
            widget.add_class("coalloc-past")

    def boxed(self) -> dict[str, str]:
        """Return the player, the curve and the table by MIME type, for pages without a kernel."""
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


def _controls(side: str, span: str) -> tuple[dict[str, ipw.Widget], ipw.HTML]:
    # The labels of controls behind the button "more" begin with the name of the centre.
    rows = dict(
        zip(
            CONTROLS,
            (
                ui.text_entry(CONTROLS["clusters"], "8,8,8"),
                ui.choice(CONTROLS["policy"], POLICIES),
                ui.slider_with_entry(CONTROLS["max_jumps"], 5, 0, 50),
                ui.choice("span", SPANS[:3], span),
                ui.slider_with_entry("penalty", 0.25, *PENALTIES, 0.05),
                ui.slider_with_entry(CONTROLS["estimate"], 1.0, 1.0, 10.0, 0.5),
            ),
            strict=True,
        )
    )
    leaves = {name: getattr(row, "children", (row,)) for name, row in rows.items()}
    for name, words in CONTROLS.items():
        for widget in leaves[name]:
            widget.tooltip = f"{words} of {side}"
            if name not in FIRST:
                # A longer label would be cut off.
                widget.description = f"{side}: {words.removesuffix(' factor')}"
    clusters, policy, spanning, reason_why = (
        rows["clusters"], rows["policy"], rows["span"], ipw.HTML(layout={"flex": "1 1 100%"}),
    )  # fmt: skip

    def disable_useless(_change: Any = None) -> None:
        offered = SPANS if policy.value == "EASY" else SPANS[:3]
        if spanning.options != offered:
            kept = spanning.value if spanning.value in offered else AT_NEED
            # When the options of a drop-down list change, ipywidgets selects the first option, so
            # the previous choice is set again.
            spanning.options, spanning.value = offered, kept
        is_single = clusters.value.strip().isdigit()
        reasons = {
            "max_jumps": "only FPFS has it" * (policy.value != "FPFS"),
            "span": "there is one cluster" * is_single,
            "penalty": "no job spans" * (is_single or spanning.value == NEVER),
            "estimate": f"{policy.value} does not use estimates"
            * (policy.value in ("FCFS", "FPFS")),
        }
        for name, reason in reasons.items():
            for widget in leaves[name]:
                widget.disabled = bool(reason)
        off = [f"{CONTROLS[n]} ({why})" for n, why in reasons.items() if why]
        off += ["adaptive spanning (only EASY has it)"] * (policy.value != "EASY")
        reason_why.value = f"<small>{side}, off: {', '.join(off)}</small>" * bool(off)

    for widget in (policy, spanning, clusters):
        widget.observe(disable_useless, "value")
    disable_useless()
    return {f"{side}.{name}": row for name, row in rows.items()}, reason_why


def _code(scenarios: Sequence[Scenario], load: float) -> str:
    text, loads = "import coalloc_lib as co\n", loads_of(scenarios[0], scenarios[1], load)
    for side, scenario, scaled in zip(SIDES, scenarios, loads, strict=True):
        lines = ",\n    ".join(_arguments(scenario))
        text += f"\n{side} = co.Scenario(\n    {lines})"
        text += f"\n{side}.simulate(20_000, load={scaled:.6g}, seed={SEED})"
    return text


def _arguments(part: Any) -> list[str]:
    # Arguments that are None or empty by default are left out if they have this value.
    values = {field: getattr(part, field.name) for field in fields(part)}
    return [
        f"{field.name}={_in_python(value)}"
        for field, value in values.items()
        if value not in (None, "") or field.default is MISSING
    ]


def _in_python(value: Any) -> str:
    if isinstance(value, SizeDistribution):
        return f"co.parse_sizes({str(value)!r})"
    if isinstance(value, Scheduling):
        return f"co.{value!r}"
    name = type(value).__name__
    return f"co.{name}({', '.join(_arguments(value))})" if is_dataclass(value) else repr(value)


def _links(values, scenarios):
    table = pd.concat([by_size(*scenarios, values["load"]), over_load(*scenarios)])
    files = {
        "scenario.json": json.dumps(values, indent=1).encode(),
        "table.csv": csv_of(table).encode(),
        "figure.svg": playground_picture(*scenarios).image,
    }
    address = "data:application/octet-stream;base64,"
    return " ".join(
        f'<a download="{name}" href="{address}{b64encode(data).decode()}">{name}</a>'
        for name, data in files.items()
    )


def playground_explorer(state: str = "") -> ui.Explorer:
    """Return a widget that compares two computing centres, A and B, with the same jobs.

    Its controls choose the clusters, the policies and the spanning rule of each centre. It shows
    a player, the mean times by job size, the response time over the load, and Python code that
    repeats the comparison.

    Parameters
    ----------
    state : str
        The initial values of controls, in a string such as ``"A.policy=EASY&load=0.6"``.

    Returns
    -------
    Explorer
        The widget.
    """
    board, code, links = Board(), ipw.HTML(), ipw.HTML()
    controls = {
        "sizes": ui.text_entry("mix of sizes", "U[1,8]"),
        "load": ui.slider_with_entry("load", 0.7, 0.1, 0.95, 0.01),
    }
    jobs = "<b>jobs of both</b> <small>(load of A's system)</small>"
    columns, more = [(ipw.HTML(jobs), [*controls])], []
    for side, span in zip(SIDES, (NEVER, AT_NEED), strict=True):
        rows, reason_why = _controls(side, span)
        heading = ipw.HTML(badge(side, LOOK[side].colour))
        columns.append((heading, [f"{side}.{name}" for name in FIRST]))
        more += [name for name in rows if name.split(".")[1] not in FIRST] + [reason_why]
        controls |= rows

    def draw(coarse: bool, **values: Any) -> None:
        load, one, other = values["load"], *(scenario_of(values, side) for side in SIDES)
        board.show(one, other, load, coarse)
        text = escape(_code([one, other], load))
        code.value, links.value = f'<pre class="coalloc-code" tabindex="0">{text}</pre>', ""

    box = ui.Explorer(
        controls, draw, board, state, simulates=lambda **_: True, columns=columns, more=more
    )
    # This text field is hidden, because the Python code and the saved files show the same values in
    # a more readable form.
    box.scenario.layout.display = "none"
    *others, note = box.children
    files = ipw.VBox([ipw.HBox(_file_buttons(box, links)), note, links])
    files.add_class("coalloc-needs-python")
    copied = ui.fold("copy this scenario as code: a click marks it", code)
    box.children = *others, copied, files
    return box


def _file_buttons(box: ui.Explorer, links: ipw.HTML) -> list[ipw.Widget]:
    def fill(_button: Any) -> None:
        with suppress(InputError):  # The explorer already shows this error beside its control.
            links.value = _links(box.values, [scenario_of(box.values, side) for side in SIDES])

    def read(change: Mapping[str, Any]) -> None:
        for file in change["new"]:
            content, values = bytes(file["content"]), None
            with suppress(ValueError):
                values = json.loads(content)
            if isinstance(values, dict):
                box.recreate(urlencode(values), f"{file['name']}: ")
            else:
                begin = str(content[:30], "utf-8", "replace")
                box.reject(
                    f"{file['name']}: a file that begins with {begin!r} has no scenario; give a "
                    "scenario.json that 'make files' has made"
                )
        load.value = ()  # Otherwise the same file could not be loaded a second time.

    save = ipw.Button(description="make files", tooltip="scenario, table and figure to save")
    load = ipw.FileUpload(accept=".json", description="load scenario")
    links.add_class("coalloc-files")
    save.on_click(fill)
    load.observe(read, "value")
    return [save, load]
