"""The penalty explorer, splitting under the reader's hands."""

from collections.abc import Mapping
from functools import lru_cache, partial
from operator import ne
from typing import Any

import ipywidgets as ipw
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import in_memory, one_of, whole
from coalloc_lib.plots import Picture
from coalloc_lib.statistics import interval_columns
from coalloc_lib.widgets import controls as ui
from coalloc_lib.widgets.controls import Explorer, choice, disable, entry_of, slider_with_entry
from studies.communication_penalty import Setting, model, responses, study
from studies.communication_penalty.model import ALWAYS, AT_NEED
from studies.communication_penalty.responses import Change

#: How the penalty is said.
BY_FACTORS, DIRECTLY = "alpha and lambda", "itself"
#: Splitting policies by the names that a reader sees.
PLACEMENTS = {"always split": ALWAYS, "split at need": AT_NEED}
#: How often a job may be passed, by what the slider calls it.
JUMPS = {model.jumps_label(jumps): jumps for jumps in study.scales["paper"].search_jumps}
BASE_JUMPS = model.JUMPS
#: Jobs of a run and runs, while a control moves and when it rests.
COARSE, FINE = (1_500, 6), (20_000, 12)
#: Jobs of the longest run while a control moves: near saturation there is no answer before rest.
LONGEST_COARSE = 6_000
#: Where the axis ends: four times the mean response of the setting that comes first.
UNTIL = 60.0
#: What the bars are called.
KEPT, SPLIT = "whole", "split"
LOOK = {KEPT: plots.MEANINGS["one cluster"], SPLIT: plots.STANDARD}


#: The mean responses of a scenario, kept for a control that comes back.
_respond = lru_cache(maxsize=512)(responses.respond)
_break_even = lru_cache(maxsize=512)(responses.break_even)


def penalty_picture(
    psi: float = 0.1, above: int = model.ABOVE, components: int = model.PARTS,
    load: float = model.PRINTED_LOAD, max_jumps: int = BASE_JUMPS, placement: str = "always split",
    coarse: bool = False, before: Mapping[str, Any] | None = None,
) -> Picture:  # fmt: skip
    """Draw the mean response time by group, of large jobs split and of the same jobs whole.

    Jobs of more processors than `above` are split into so many components, and then run
    ``1 + psi`` times as long; `placement` is a key of `PLACEMENTS`. `coarse` has fewer runs.
    Dashed lines are the responses of other arguments, drawn `before`.
    """
    size, longest = (COARSE, LONGEST_COARSE) if coarse else (FINE, responses.LONGEST)
    setting = _setting(psi, above, components, load, max_jumps, placement)
    found = _found(setting, size, longest)
    earlier = {} if before is None else _found(_setting(**before), size, longest)
    changes = {
        group: _verdict(responses.change(found[SPLIT], found[KEPT], group)) for group in model.NAMES
    }
    rows = [
        _row("all jobs" if group == model.STREAM else group, name, each.response[group].interval,
             f", {changes[group]}" if name == SPLIT else "",
             each.response[group].mean - each.wait[group].mean)
        | {"before": _mean(earlier.get(name), group)}
        for group in model.NAMES
        for name, each in found.items()
        if not each.saturated
    ]  # fmt: skip
    title = f"All jobs: splitting {changes[model.STREAM]}"
    xlabel = "mean response time; dark: running, pale: waiting"
    carried = {n: r.max_utilization for n, r in found.items() if r.saturated}
    if carried:
        those = " and of ".join(f"{name} jobs ({most.mean:.3f})" for name, most in carried.items())
        title = f"No mean: load {load:g} is above or too near the maximal utilization of {those}"
    is_full = not rows
    if is_full:
        rows = [_row("load", name, most.interval) for name, most in carried.items()]
        xlabel = f"maximal utilization; the offered load is {load:g}"
    subtitle = (
        f"{model.SYSTEM}, penalty {psi:g}, jobs above {above} in {components} components, "
        f"{placement}, load {load:g}, MaxJumps {model.jumps_label(max_jumps)}"
    )
    if components > 1 and above < model.WHOLE.sizes.maximum:
        most = found[KEPT].max_utilization
        even = _break_even(setting.scenario, most, size, study.seed).interval
        up_to = "no penalty" if even.above(0) is False else even.text(2)
        subtitle += f"; by processor-hours splitting pays up to {up_to}"
    figure = plots.bars(
        pd.DataFrame(rows), value="response", group="group", series="series", words="words",
        xlabel=xlabel, look=LOOK, title=title, subtitle=subtitle, dark="dark",
        before=None if is_full else "before", until=None if is_full else UNTIL,
    )  # fmt: skip
    return Picture(figure, rows=[f"{r['group']} {r['series']} {r['words']}" for r in rows])


def _setting(psi, above, components, load, max_jumps, placement):
    """Return the setting that a picture is of; refuse what makes no sense."""
    rule = PLACEMENTS[one_of("placement", placement, tuple(PLACEMENTS))]
    in_memory("components", whole("components", components), len(model.SYSTEM))
    return Setting(max_jumps, load, above, components, psi, placement=rule)


def _found(setting, size, longest):
    """Return the responses of jobs that are kept whole, and of the same jobs split."""
    return {
        name: _respond(each.scenario, setting.load, size, study.seed, longest)
        for name, each in ((KEPT, setting.whole), (SPLIT, setting))
    }


def _mean(found, group):
    """Return the mean response of a group where it was known before."""
    return float("nan") if found is None or found.saturated else found.response[group].mean


def _row(group, series, interval, verdict="", running=None):
    """Return a bar as a row of a table, dark as far as jobs run."""
    words = plots.format_interval(interval, 1 if running else 3) + verdict
    dark = interval.estimate if running is None else running
    row = {"group": group, "series": series, "words": words, "dark": dark}
    return row | interval_columns(interval, "response")


def _verdict(change: Change) -> str:
    """Say who gains by splitting or loses, where the intervals tell."""
    if change.saturated or change.verdict == "undecided":
        return change.verdict
    return f"{change.verdict} {abs(change.percent.estimate):.1f} %"


def penalty_explorer(state: str = "") -> Explorer:
    """Return controls of a penalty and splitting, and responses; `state` is a line to recreate."""
    given = choice("penalty given by", (BY_FACTORS, DIRECTLY))
    alpha = slider_with_entry("α", 0.5, 0.0, 1.0, 0.05)
    ratio = slider_with_entry("λ", 0.2, 0.0, 2.0, 0.05)
    psi = slider_with_entry("penalty", 0.1, 0.0, 2.0, 0.01)
    for each, way in ((alpha, BY_FACTORS), (ratio, BY_FACTORS), (psi, DIRECTLY)):
        disable(each, given, partial(ne, way))

    def multiply(_change: dict | None = None) -> None:
        if given.value == BY_FACTORS:
            entry_of(psi).value = round(entry_of(alpha).value * entry_of(ratio).value, 6)

    for each in (given, alpha, ratio, psi):
        entry_of(each).observe(multiply, "value")
    controls = {
        "given_by": given, "alpha": alpha, "ratio": ratio, "psi": psi,
        "above": slider_with_entry("split above", model.ABOVE, 0, model.WHOLE.sizes.maximum),
        "components": slider_with_entry("components", model.PARTS, 1, len(model.SYSTEM)),
        "load": slider_with_entry("load", model.PRINTED_LOAD, 0.1, 1.0, 0.001),
        "max_jumps": ui.slider_with_list("MaxJumps", JUMPS, model.jumps_label(BASE_JUMPS)),
        "placement": choice("placement", PLACEMENTS),
    }  # fmt: skip

    def asked(given_by: str, alpha: float, ratio: float, max_jumps: str, **how: Any) -> dict:
        return how | {"max_jumps": JUMPS[max_jumps]}

    def draw(before: dict[str, Any] | None, coarse: bool, **values: Any) -> Picture:
        earlier = before and asked(**before)
        return penalty_picture(**asked(**values), coarse=coarse, before=earlier)

    hint = ipw.HTML("<p>penalty = α λ: the share of its time that a job communicates, and by what "
                    "the links between clusters are slower. MaxJumps 0 is FCFS.</p>")  # fmt: skip
    return Explorer(controls, draw, state=state, simulates=lambda **_: True, above=[hint])
