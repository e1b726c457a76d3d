"""An interactive picture: how response times change if the user splits the large jobs."""

from collections.abc import Mapping
from functools import lru_cache, partial
from operator import ne
from typing import Any

import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import at_most, one_of, whole
from coalloc_lib.plots import Picture
from coalloc_lib.statistics import Interval, Replications, interval_columns
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, disable, entry_of, slider_with_entry
from studies.communication_penalty import Setting, model, responses, study
from studies.communication_penalty.model import ALWAYS, AT_NEED
from studies.communication_penalty.responses import Change, Responses

#: The two ways to enter the penalty in the explorer: as the product of two factors, or directly.
BY_FACTORS, DIRECTLY = "alpha and lambda", "itself"
#: A dict from each label in the explorer's list of splitting rules to the splitting rule.
PLACEMENTS = {"always split": ALWAYS, "split at need": AT_NEED}
#: A dict from each label on the MaxJumps slider to the value of MaxJumps, the largest number of
#: times that a job may be overtaken.
JUMPS = {model.jumps_label(jumps): jumps for jumps in study.scales["paper"].search_jumps}
BASE_JUMPS = model.JUMPS
#: The number of jobs per run and the number of runs. `COARSE` applies while the user moves a
#: control, and `FINE` applies afterwards.
COARSE, FINE = (1_500, 6), (20_000, 12)
#: The largest number of jobs per run while the user moves a control. Near saturation, the queue may
#: need more jobs to settle. In that case the previous picture stays until the user stops moving the
#: control.
LONGEST_COARSE = 6_000
#: The right end of the axis for mean response times: twice the longest mean at the initial values
#: of the controls. It is fixed, so that the axis does not change when a control moves.
UNTIL = 42.0
#: The labels of the bars that show runs without splitting and runs with splitting.
KEPT, SPLIT = "whole", "split"
LOOK = {KEPT: plots.MEANINGS["one cluster"], SPLIT: plots.STANDARD}

#: The type of a dict with the measurements of one setting without splitting (`KEPT`) and with
#: splitting (`SPLIT`).
Found = Mapping[str, Responses]

#: Cache the measurements, because users often return a control to an earlier value.
_respond = lru_cache(maxsize=512)(responses.respond)
_break_even = lru_cache(maxsize=512)(responses.break_even)


def penalty_picture(
    psi: float = 0.1, above: int = model.ABOVE, components: int = model.PARTS,
    load: float = model.PRINTED_LOAD, max_jumps: int = BASE_JUMPS, placement: str = "always split",
    coarse: bool = False, before: Mapping[str, Any] | None = None,
) -> Picture:  # fmt: skip
    """Draw the mean response time of each job group, with and without splitting large jobs.

    Parameters
    ----------
    psi : float
        The penalty: a split job runs ``1 + psi`` times as long.
    above : int
        Jobs with more processors than this are split.
    components : int
        The number of components of a split job.
    load : float
        The offered load.
    max_jumps : int
        The largest number of jumps over a job.
    placement : str
        A key of `PLACEMENTS`.
    coarse : bool
        Whether to simulate fewer and shorter runs, for a quick picture.
    before : mapping of str to object, optional
        Other values of the arguments above. Their mean response times are drawn as dashed lines.
    """
    size, longest = (COARSE, LONGEST_COARSE) if coarse else (FINE, responses.LONGEST)
    setting = _setting(psi, above, components, load, max_jumps, placement)
    found = _found(setting, size, longest)
    earlier = {} if before is None else _found(_setting(**before), size, longest)
    changes = {
        group: _verdict(responses.change(found[SPLIT], found[KEPT], group)) for group in model.NAMES
    }
    title = f"All jobs: splitting {changes[model.STREAM]}"
    saturated = {name: each.max_utilization for name, each in found.items() if each.saturated}
    if saturated:
        those = " and of ".join(f"{name} jobs ({x.mean:.3f})" for name, x in saturated.items())
        title = f"No mean: load {load:g} is above or too near the maximal utilization of {those}"
    subtitle = (
        f"{model.SYSTEM}, penalty {psi:g}, jobs above {above} in {components} components, "
        f"{placement}, load {load:g}, MaxJumps {model.jumps_label(max_jumps)}"
    )
    subtitle += _break_even_text(setting, found[KEPT].max_utilization, size)
    subtitle += "; dashed: before" * bool(earlier)
    if len(saturated) < len(found):
        rows = _response_rows(found, earlier, changes)
        xlabel = "mean response time; dark: running, pale: waiting"
        axis: dict[str, Any] = {"before": "before", "until": UNTIL}
    else:
        rows = [_row("load", name, maximum.interval) for name, maximum in saturated.items()]
        xlabel = f"maximal utilization; the offered load is {load:g}"
        axis = {"before": None, "until": None}
    figure = plots.bars(
        pd.DataFrame(rows), value="response", group="group", series="series", words="words",
        xlabel=xlabel, look=LOOK, title=title, subtitle=subtitle, dark="dark", **axis,
    )  # fmt: skip
    return Picture(figure, rows=[f"{r['group']} {r['series']} {r['words']}" for r in rows])


def _response_rows(found: Found, earlier: Found, changes: Mapping[str, str]) -> list[dict]:
    rows = []
    for group in model.NAMES:
        for name, each in found.items():
            if each.saturated:
                continue
            label = "all jobs" if group == model.STREAM else group
            verdict = f", {changes[group]}" if name == SPLIT else ""
            running = each.response[group].mean - each.wait[group].mean
            row = _row(label, name, each.response[group].interval, verdict, running)
            rows.append(row | {"before": _mean(earlier.get(name), group)})
    return rows


def _break_even_text(setting: Setting, whole: Replications, size: tuple[int, int]) -> str:
    splits_jobs = setting.above is not None and setting.above < model.WHOLE.sizes.maximum
    if setting.parts < 2 or not splits_jobs:
        return ""
    even = _break_even(setting.scenario, whole, size, study.seed).interval
    words = "at no penalty" if even.above(0) is False else f"up to a penalty of {even.text(2)}"
    return f"; by processor-hours, splitting pays {words}"


def _setting(
    psi: float, above: int, components: int, load: float, max_jumps: int, placement: str
) -> Setting:
    rule = PLACEMENTS[one_of("placement", placement, tuple(PLACEMENTS))]
    at_most("components", whole("components", components), len(model.SYSTEM))
    return Setting(max_jumps, load, above, components, psi, placement=rule)


def _found(setting: Setting, size: tuple[int, int], longest: int) -> dict[str, Responses]:
    return {
        name: _respond(each.scenario, setting.load, size, study.seed, longest)
        for name, each in ((KEPT, setting.whole), (SPLIT, setting))
    }


def _has_means(**arguments: Any) -> bool:
    # Return whether the few jobs of a coarse picture are enough for all mean response times.
    coarse = _found(_setting(**arguments), COARSE, LONGEST_COARSE)
    return not any(each.saturated for each in coarse.values())


def _mean(found: Responses | None, group: str) -> float:
    return float("nan") if found is None or found.saturated else found.response[group].mean


def _row(
    group: str, series: str, interval: Interval, verdict: str = "", running: float | None = None
) -> dict[str, Any]:
    words = plots.format_interval(interval, 1 if running else 3) + verdict
    dark = interval.estimate if running is None else running
    row = {"group": group, "series": series, "words": words, "dark": dark}
    return row | interval_columns(interval, "response")


def _verdict(change: Change) -> str:
    if change.saturated or change.verdict == "undecided":
        return change.verdict
    percent = change.percent.times(-1 if change.gains else 1)
    is_small = abs(percent.estimate) < 0.05
    return f"{change.verdict} < 0.1 %" if is_small else f"{change.verdict} {percent.text(1)} %"


def penalty_explorer(state: str = "") -> Explorer:
    """Return controls for the arguments of `penalty_picture`, together with the picture.

    Parameters
    ----------
    state : str
        The values of the controls, as one line of text that an explorer has printed. By default
        the controls have their initial values.
    """
    given = choice("penalty by", (DIRECTLY, BY_FACTORS))
    alpha = slider_with_entry("α", 0.5, 0.0, 1.0, 0.05)
    ratio = slider_with_entry("λ", 0.2, 0.0, 1.0, 0.05)
    psi = slider_with_entry("penalty", 0.1, 0.0, 1.0, 0.01)
    for control, way in ((alpha, BY_FACTORS), (ratio, BY_FACTORS), (psi, DIRECTLY)):
        disable(control, given, partial(ne, way))

    def multiply(_change: dict | None = None) -> None:
        if given.value == BY_FACTORS:
            entry_of(psi).value = round(entry_of(alpha).value * entry_of(ratio).value, 6)

    for control in (given, alpha, ratio, psi):
        entry_of(control).observe(multiply, "value")
    controls = {
        "psi": psi,
        "above": slider_with_entry("split above", model.ABOVE, 0, model.WHOLE.sizes.maximum),
        "load": slider_with_entry("load", model.PRINTED_LOAD, 0.1, 1.0, 0.001),
        "given_by": given, "alpha": alpha, "ratio": ratio,
        "components": slider_with_entry("components", model.PARTS, 1, len(model.SYSTEM)),
        "max_jumps": choice("MaxJumps", JUMPS, model.jumps_label(BASE_JUMPS)),
        "placement": choice("large jobs", PLACEMENTS),
    }  # fmt: skip

    def arguments(given_by: str, alpha: float, ratio: float, max_jumps: str, **rest: Any) -> dict:
        return rest | {"max_jumps": JUMPS[max_jumps]}

    def draw(before: dict[str, Any] | None, coarse: bool, **values: Any) -> Picture | None:
        if coarse and not _has_means(**arguments(**values)):
            return None
        earlier = arguments(**before) if before else None
        return penalty_picture(**arguments(**values), coarse=coarse, before=earlier)

    more = ("given_by", "alpha", "ratio", "components", "max_jumps", "placement")
    return Explorer(controls, draw, state=state, simulates=lambda **_: True, more=more)
