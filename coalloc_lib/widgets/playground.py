"""The playground: a centre of your own, changed in any way, beside another with the same jobs."""

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import urlencode

import ipywidgets as ipw
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.checks import InputError
from coalloc_lib.compilation import announced_to
from coalloc_lib.distributions import parse_sizes
from coalloc_lib.names import parse_clusters
from coalloc_lib.placement import BestFit, SingleThenSpan, WorstFit
from coalloc_lib.plots import Picture
from coalloc_lib.scenario import Scenario
from coalloc_lib.scheduling import EASY, FCFS, FPFS, Conservative, Online, Scheduling
from coalloc_lib.widgets import comparison
from coalloc_lib.widgets.comparison import LOOK, SIDES
from coalloc_lib.widgets.controls import (
    BUSY,
    Explorer,
    View,
    choice,
    slider_with_entry,
    text_entry,
)
from coalloc_lib.widgets.player import Player
from coalloc_lib.workloads.models import JobModel, SplitJobs

NEVER, ALWAYS, AT_NEED, ADAPTIVE = SPANS = ("never", "always", "at need", "adaptive")
#: Times are in mean run times, which the player calls hours.
POLICIES: dict[str, Scheduling] = {
    "FCFS": FCFS(), "FPFS": FPFS(5), "EASY": EASY(), "conservative": Conservative(),
    "online": Online(slot=1.0, step=0.25, max_attempts=400, horizon=200.0),
}  # fmt: skip
#: Jobs that the player shows.
FIRST = 24
STYLE = f"""<style>
.coalloc-sizes {{border-collapse: collapse; width: 100%; line-height: 1.25}}
.coalloc-sizes th, .coalloc-sizes td {{text-align: left; padding: 2px 6px 2px 0;
  border-top: 1px solid #E0E0E0; font-weight: normal; white-space: nowrap}}
.coalloc-sizes td:nth-child(2) {{width: 99%}}
.coalloc-sizes div {{display: flex; align-items: center; gap: 4px}}
.coalloc-sizes i {{display: inline-block; height: 11px}}
.coalloc-sizes i + i {{opacity: 0.45; margin-left: -4px}}
.coalloc-sizes .a i {{background: {LOOK["A"].colour}}} .coalloc-sizes .b i {{background:
  {LOOK["B"].colour}}}
.coalloc-sizes td b {{position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%)}}
.coalloc-code {{user-select: all; white-space: pre-wrap; line-height: 1.3; margin: 0}}
.coalloc-words {{line-height: 1.35; margin: 0 0 4px}}
</style>"""


def scenario_of(values: Mapping[str, Any], side: str) -> Scenario:
    """Return the scenario of one side of the playground, ``"A"`` or ``"B"``.

    `values` are those of the controls by name: ``sizes``, ``load``, and of each side its
    ``clusters``, ``policy``, ``max_jumps``, ``span``, ``penalty`` and ``estimate``.
    """
    clusters, policy, jumps, span, penalty, estimate = (values[f"{side}.{n}"] for n in CONTROLS)
    system = parse_clusters(clusters, f"{side}.clusters")
    jobs = JobModel(parse_sizes(values["sizes"]), estimate=estimate)
    scheduling = FPFS(jumps) if policy == "FPFS" else POLICIES[policy]
    if span == NEVER:
        return Scenario(system, jobs.with_(request="total"), scheduling, BestFit())
    if span == ALWAYS:
        above, parts = jobs.sizes.minimum - 1, len(system)
        split = SplitJobs(jobs, above, parts, rounding="even", span_penalty=penalty)
        return Scenario(system, split, scheduling, WorstFit())
    if span == ADAPTIVE and policy != "EASY":
        raise InputError(f"{side}.span = {span!r} with {policy}; take EASY, or span at need")
    scheduling = EASY(adaptive=True) if span == ADAPTIVE else scheduling
    free = jobs.with_(request="flexible", span_penalty=penalty)
    return Scenario(system, free, scheduling, SingleThenSpan())


#: What each side has, and by what its controls are called.
CONTROLS = {
    "clusters": "clusters", "policy": "policy", "max_jumps": "MaxJumps", "span": "span",
    "penalty": "penalty", "estimate": "users ask for ×",
}  # fmt: skip


def _controls(side: str, **start: Any) -> tuple[dict[str, ipw.Widget], ipw.HTML]:
    """Return the controls of a side, and its heading, which says what is disabled and why."""
    start = {"clusters": "8,8,8", "policy": "FCFS", "span": NEVER} | start
    controls = {
        "clusters": text_entry(CONTROLS["clusters"], start["clusters"]),
        "policy": choice(CONTROLS["policy"], POLICIES, start["policy"]),
        "max_jumps": slider_with_entry(CONTROLS["max_jumps"], 5, 0, 50),
        "span": choice(CONTROLS["span"], SPANS[: 3 + (start["policy"] == "EASY")], start["span"]),
        "penalty": slider_with_entry(CONTROLS["penalty"], 0.25, *comparison.PENALTIES, 0.05),
        "estimate": slider_with_entry(CONTROLS["estimate"], 1.0, 1.0, 10.0, 0.5),
    }
    span, heading = controls["span"], ipw.HTML()
    for name, control in controls.items():
        for each in (control, *getattr(control, "children", ())):
            each.tooltip = f"{side}: {CONTROLS[name]}"

    def settle(_change: Any = None) -> None:
        policy, alone = controls["policy"].value, "," not in controls["clusters"].value
        offered = SPANS if policy == "EASY" else SPANS[:3]
        if span.options != offered:
            kept = span.value if span.value in offered else AT_NEED
            with span.hold_trait_notifications():
                span.options, span.value = offered, kept
        off = {
            "max_jumps": "FPFS alone counts jumps" * (policy != "FPFS"),
            "span": "there is one cluster" * alone,
            "penalty": "no job spans" * (alone or span.value == NEVER),
            "estimate": f"{policy} asks for none" * (policy in ("FCFS", "FPFS")),
        }
        for name, why in off.items():
            for each in (controls[name], *getattr(controls[name], "children", ())):
                each.disabled = bool(why)
        reasons = [f"{CONTROLS[n].removesuffix(' ×')} ({why})" for n, why in off.items() if why]
        reasons += ["adaptive (EASY alone can)"] * (policy != "EASY")
        colour = LOOK[side].colour
        heading.value = f'<b style="color: {colour}">{side}</b> <small>not here: ' + (
            f"{', '.join(reasons)}</small>" if reasons else "nothing</small>"
        )

    for name in ("policy", "span", "clusters"):
        controls[name].observe(settle, "value")
    settle()
    return {f"{side}.{name}": control for name, control in controls.items()}, heading


class Board(ipw.VBox):
    """What the playground shows: a sentence, the player, the table by size, response over load."""

    def __init__(self) -> None:
        self.words, self.table, self.curve = ipw.HTML(), ipw.HTML(), View()
        self.player: Player | None = None
        self._shown: tuple[Scenario, Scenario, float] | None = None
        self._said = ""
        self.curve.layout = {"flex": "1 1 340px", "min_width": "0"}
        self.table.layout = {"flex": "1 1 340px", "min_width": "0"}
        super().__init__([ipw.HTML(STYLE), self.words])

    def show(self, one: Scenario, other: Scenario, load: float, coarse: bool) -> None:
        """Simulate and show both sides, roughly or in full."""
        effort = comparison.effort_for(one, other, coarse=coarse)
        with announced_to(lambda text: self._say(f"{escape(text)}")):
            rate = one.rate(load)
            jobs = [each.workload.sample(FIRST, comparison.SEED, rate) for each in (one, other)]
            first, second = (e.run(j) for e, j in zip((one, other), jobs, strict=True))
            table = comparison.by_size(one, other, load, effort)
            if not coarse:
                self._pay = _pay(one, other, load)
        if self.player is None:
            self.player = Player({"A": first, "B": second}, unit="h", against=first)
            beside = ipw.HBox([self.table, self.curve], layout={"flex_flow": "row wrap"})
            self.children = (*self.children, self.player, beside)
        else:
            self.player.show({"A": first, "B": second}, against=first)
        self.table.value = _rows(table)
        self._said = f"<b>{escape(comparison.verdict(table))}.</b> "
        if coarse:
            stale = self._shown is None or self._shown[:2] != (one, other)
            (self.curve.add_class if stale else self.curve.remove_class)("coalloc-past")
            self._say(BUSY)
            return
        self._shown = one, other, load
        self.curve.remove_class("coalloc-past")
        self.curve.draw(_curve(one, other))
        self.rest()

    def _say(self, more):
        self.words.value = f'<div class="coalloc-words">{self._said}{more}</div>'

    def rest(self) -> None:
        """Say that nothing finer is on its way."""
        self._say(self._pay if self._shown else "")

    def picture(self) -> Picture:
        """Return the figure of what is shown, with its words."""
        assert self._shown is not None
        return comparison.playground_picture(*self._shown)


@lru_cache(maxsize=256)
def _pay(one: Scenario, other: Scenario, load: float) -> str:
    """Say of each side that spans up to which penalty that pays."""
    said = []
    loads = comparison.loads_of(one, other, load)
    for side, each, at in zip(SIDES, (one, other), loads, strict=True):
        if len(each.system) > 1 and getattr(each.workload, "request", "") != "total":
            found = comparison.break_even(each, at)
            said.append(f"Break-even penalty ψ* of {side}: {found}.")
    return " ".join(said)


@lru_cache(maxsize=64)
def _curve(one: Scenario, other: Scenario) -> Picture:
    """Draw response over load, small enough for a phone."""
    table = comparison.over_load(one, other)
    figure, axes = plots.new_figure(2.1, width=3.7)
    comparison.draw_responses(axes, table, one, other)
    plots.title_figure(figure, "Response over load", "dotted: past it jobs pile up")
    return Picture(figure, rows=comparison.words_of(table))


def _rows(table: pd.DataFrame) -> str:
    """Return a table by size as HTML, with bars of run and wait."""
    most, rows = table["response"].max(), []
    for size, part in table.groupby("size", sort=False):
        bars = []
        for row in part.itertuples():
            label = f'<div class="{row.scenario.lower()}">{row.scenario} '
            if row.note:
                bars.append(f"{label}<small>{escape(row.note)}</small></div>")
                continue
            share = [f'<i style="width: {60 * x / most:.1f}%"></i>' for x in (row.run, row.wait)]
            title = f"run {row.run:.2f}, wait {row.wait:.2f}"
            half = (row.ci95_high - row.ci95_low) / 2
            words = f"{row.response:.2f} ± {half:.2f}"
            bars.append(f"{label}<b>{title}:</b>{''.join(share)}<small>{words}</small></div>")
        last = part.iloc[-1]
        change = ""
        if pd.notna(last["change"]):
            ends = f"{last['change_low']:+.0f}, {last['change_high']:+.0f}"
            change = f"{last['change']:+.0f} % <small>[{ends}]</small>"
        rows.append(f"<tr><th scope=row>{size}</th><td>{''.join(bars)}</td><td>{change}</td></tr>")
    head = "<tr><th>size</th><th>response: run and (pale) wait, hours</th><th>B against A</th></tr>"
    return f'<table class="coalloc-sizes">{head}{"".join(rows)}</table>'


def _code(one: Scenario, other: Scenario, load: float) -> str:
    """Return Python that makes both scenarios and runs them, as HTML."""
    lines = ["import coalloc_lib as co", ""]
    loads = comparison.loads_of(one, other, load)
    for side, each, at in zip(SIDES, (one, other), loads, strict=True):
        how = f"load={at:.6g}, seed={comparison.SEED}"
        lines += [f"{side} = {each.code()}", f"{side}.simulate(20_000, {how})"]
    return f'<pre class="coalloc-code" tabindex="0">{escape(chr(10).join(lines))}</pre>'


def _links(values: Mapping[str, Any], one: Scenario, other: Scenario, load: float) -> str:
    """Return links that save the scenarios, the table and the figure."""
    table = [comparison.by_size(one, other, load), comparison.over_load(one, other)]
    figure = comparison.playground_picture(one, other, load).image
    files = {
        "scenario.json": ("application/json", json.dumps(values, indent=1).encode()),
        "table.csv": ("text/csv", pd.concat(table).to_csv(index=False).encode()),
        "figure.svg": ("image/svg+xml", figure),
    }
    return " ".join(
        f'<a download="{name}" href="data:{kind};base64,{b64encode(data).decode()}">{name}</a>'
        for name, (kind, data) in files.items()
    )


def _line_of(name: str, content: bytes) -> str:
    """Return the line of a scenario that was saved."""
    try:
        given = json.loads(content)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError(f"{name} holds no scenario; give a file that the playground saved")
    return urlencode(given)


def playground_explorer(state: str = "") -> Explorer:
    """Return two centres, A and B, each with its controls, and at once what differs.

    Both get the same jobs. `state` is the line of a scenario that was copied.

    Notes
    -----
    A mean response has a 95 % interval from runs of its own random numbers, a change one of pairs
    of runs with the same jobs. Past saturation, or so near that these runs are too short, there is
    no number, and it is said why.
    """
    board = Board()
    code, links = ipw.HTML(), ipw.HTML()
    controls: dict[str, ipw.Widget] = {
        "sizes": text_entry("mix of sizes", "U[1,8]"),
        "load": slider_with_entry("load", 0.7, 0.1, 0.95, 0.01),
    }
    columns = []
    for side, start in zip(SIDES, ({}, {"span": AT_NEED}), strict=True):
        mine, heading = _controls(side, **start)
        columns.append((heading, [*mine]))
        controls |= mine

    def scenarios(values: Mapping[str, Any]) -> tuple[Scenario, Scenario, float]:
        return scenario_of(values, "A"), scenario_of(values, "B"), values["load"]

    def draw(coarse: bool, **values: Any) -> None:
        board.show(*scenarios(values), coarse)
        code.value, links.value = _code(*scenarios(values)), ""

    def fill(_button: Any) -> None:
        try:
            links.value = _links(box.values, *scenarios(box.values))
        except InputError as error:
            box.refuse(str(error))

    def read(change: dict) -> None:
        for file in change["new"]:
            try:
                line = _line_of(file["name"], bytes(file["content"]))
            except InputError as error:
                box.refuse(str(error))
            else:
                box.recreate(line, f"{file['name']}: ")

    always = lambda **_: True  # noqa: E731
    box = Explorer(controls, draw, board, state, simulates=always, columns=columns)
    box.scenario.layout.display = "none"  # code and files say the same, readably
    save = ipw.Button(description="make files", tooltip="scenario, table and figure as files")
    load = ipw.FileUpload(accept=".json", description="load a scenario")
    save.on_click(fill)
    load.observe(read, "value")
    copy = ipw.Accordion([code], titles=["Copy this scenario as Python: one click marks all"])
    row = ipw.HBox([save, load, links], layout={"flex_flow": "row wrap"})
    box.add_below(copy, row)
    return box
