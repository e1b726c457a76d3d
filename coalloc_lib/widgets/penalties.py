"""The penalty explorer, splitting under the reader's hands, and a slider over maps of its worth."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Protocol

import ipywidgets as ipw
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.scenario import Scenario
from coalloc_lib.studies.communication_penalty.adaptive import ALWAYS, AT_NEED, placed
from coalloc_lib.studies.communication_penalty.adaptive import PLACEMENTS as SPLIT_BY
from coalloc_lib.studies.communication_penalty.changes import Change, change, columns_of
from coalloc_lib.studies.communication_penalty.parameters import (
    ABOVE,
    BASE_JUMPS,
    MAX_JUMPS,
    PARTS,
    PRINTED_LOAD,
    SEED,
    SYSTEM,
    WHOLE,
    said,
)
from coalloc_lib.studies.communication_penalty.responses import NAMES, Responses, Size, respond
from coalloc_lib.studies.communication_penalty.served import Served, served
from coalloc_lib.widgets.controls import NARROW, WIDE, Explorer, choice, slider_with_entry
from coalloc_lib.widgets.picture import Picture

#: How the penalty is said.
BY_FACTORS, DIRECTLY = "alpha and lambda", "psi"
#: Splitting policies by the names that a reader sees.
PLACEMENTS = {"always split": SPLIT_BY[ALWAYS], "split at need": SPLIT_BY[AT_NEED]}
#: How often a job may be passed, by what the slider calls it.
JUMPS = {said(jumps): jumps for jumps in MAX_JUMPS}
#: Simulated while a control moves, and when it rests.
COARSE, FINE = Size(1_500, 6), Size(20_000, 12)
#: What the bars are called.
KEPT, SPLIT = "no co-allocation", "split"


@lru_cache(maxsize=512)
def penalty_responses(scenario: Scenario, load: float, size: Size = FINE) -> Responses:
    """Return the mean responses of a scenario of the communication-penalty study; kept in memory.

    Raises
    ------
    InputError
        A job of it could never start.
    """
    return respond(scenario, load, size, SEED)


def penalty_picture(
    psi: float = 0.1, above: int = ABOVE, components: int = PARTS, load: float = PRINTED_LOAD,
    max_jumps: int = BASE_JUMPS, placement: str = "always split", coarse: bool = False,
) -> Picture:  # fmt: skip
    """Draw the mean response time by group, of large jobs split and of the same jobs whole.

    Parameters
    ----------
    psi : float
        The share that spanning clusters adds to a job's run time.
    above : int
        Larger jobs are split.
    components : int
        Into so many.
    load : float
        Offered load.
    max_jumps : int
        How often a job may be passed: 0 is first come, first served.
    placement : {"always split", "split at need"}
        Whether each large job is split, or those alone that cannot start whole.
    coarse : bool
        Simulate less, for a quick look.
    """
    rule = PLACEMENTS[one_of("placement", placement, tuple(PLACEMENTS))]
    jobs = {"above": above, "parts": components, "span_penalty": psi}
    entry = placed(served(max_jumps, load, **jobs), rule)
    size = COARSE if coarse else FINE
    split, whole = (penalty_responses(e.scenario, load, size) for e in (entry, entry.whole))
    changes = {group: change(split, whole, group) for group in NAMES}
    figure = _bars(split, whole, changes, load, _subtitle(entry, placement))
    words = "; ".join(f"{group} {_told(split, whole, group)}" for group in NAMES)
    return Picture(figure, f"{figure.get_suptitle()}. Mean responses: {words}".replace("\n", " "))


def _bars(
    split: Responses, whole: Responses, changes: Mapping[str, Change], load: float, subtitle: str
) -> Figure:
    """Draw the responses of what is borne; where nothing is, how much would be."""
    found = {KEPT: whole, SPLIT: split}
    saturated = {name: each for name, each in found.items() if each.saturated}
    title = _said(changes)
    if saturated:
        told = " and ".join(
            f"{'whole' if name == KEPT else 'split'} jobs ({each.borne.mean:.3f})"
            for name, each in saturated.items()
        )
        title = f"Saturated: load {load:g} is not certain to be borne by {told}"
    look = {KEPT: plots.MEANINGS["one cluster"], SPLIT: plots.STANDARD}
    if len(saturated) == len(found):
        bars: dict[str, dict[str, Interval | float]] = {
            "load": {name: each.borne.interval for name, each in found.items()}
        }
        xlabel = f"load that is borne; offered is {load:g}"
    else:
        borne = {name: each for name, each in found.items() if not each.saturated}
        bars = {
            _group(group): {name: each.means[group].interval for name, each in borne.items()}
            for group in NAMES
        }
        xlabel = "mean response time"
    return plots.bars(bars, title=title, subtitle=subtitle, xlabel=xlabel, look=look)


def _group(name: str) -> str:
    return "all jobs" if name == NAMES[0] else name


def _said(changes: Mapping[str, Change]) -> str:
    """Say who gains by splitting and who loses, where the intervals tell."""
    told = []
    for group, each in changes.items():
        name, percent = _group(group), f"{abs(each.percent.estimate):.1f} %"
        gains = "gain" if group == NAMES[0] else "gains"
        loses = "lose" if group == NAMES[0] else "loses"
        words = {"gains": f"{gains} {percent}", "loses": f"{loses} {percent}"}
        told.append(f"{name} {words.get(each.verdict, 'undecided')}")
    return f"Splitting: {', '.join(told)}"


def _told(split: Responses, whole: Responses, group: str) -> str:
    one, other = (
        "saturated" if each.saturated else plots.told(each.means[group].interval)
        for each in (split, whole)
    )
    return f"split {one}, whole {other}"


def _subtitle(entry: Served, placement: str) -> str:
    said = columns_of(entry)
    return (
        f"{SYSTEM}, ψ = {said['psi']:g}, jobs above {said['above']} in {said['parts']} components, "
        f"{placement}, load {entry.load:g}, MaxJumps {said['max_jumps']}; bars: 95 % intervals"
    )


def penalty_explorer(state: str = "") -> Explorer:
    """Return the controls of a penalty and of splitting, and the mean responses at once.

    Parameters
    ----------
    state : str, optional
        The line of a scenario that was copied.
    """
    given = choice("penalty given by", (BY_FACTORS, DIRECTLY))
    alpha = slider_with_entry("α", 0.5, 0.0, 1.0, 0.05)
    ratio = slider_with_entry("λ", 0.2, 0.0, 2.0, 0.05)
    psi = slider_with_entry("ψ", 0.1, 0.0, 2.0, 0.01)
    for row, mine in ((alpha, BY_FACTORS), (ratio, BY_FACTORS), (psi, DIRECTLY)):
        for widget in row.children:
            ipw.dlink(
                (given, "value"), (widget, "disabled"), lambda value, mine=mine: value != mine
            )

    def multiply(_change: dict | None = None) -> None:
        if given.value == BY_FACTORS:
            factors = (row.children[-1].value for row in (alpha, ratio))
            psi.children[-1].value = product(*factors)

    for each in (given, *(row.children[-1] for row in (alpha, ratio, psi))):
        each.observe(multiply, "value")
    controls = {
        "given_by": given,
        "alpha": alpha,
        "ratio": ratio,
        "psi": psi,
        "above": slider_with_entry("split above", ABOVE, 0, WHOLE.sizes.maximum),
        "components": slider_with_entry("components", PARTS, 1, len(SYSTEM)),
        "load": slider_with_entry("load", PRINTED_LOAD, 0.1, 1.0, 0.001),
        "max_jumps": _steps("MaxJumps", JUMPS, said(BASE_JUMPS)),
        "placement": choice("placement", PLACEMENTS),
    }

    def draw(given_by: str, alpha: float, ratio: float, max_jumps: str, **asked: Any) -> Picture:
        return penalty_picture(max_jumps=JUMPS[max_jumps], **asked)

    hint = ipw.HTML("<p>ψ = α λ: the share of its time that a job communicates, and by what the "
                    "links between clusters are slower. MaxJumps 0 is FCFS.</p>")  # fmt: skip
    return Explorer(controls, draw, state=state, above=[hint])


def _steps(label: str, options: Iterable[str], chosen: str) -> ipw.HBox:
    """Return a slider over options, and a list to choose one from that a screen reader names."""
    both = {"options": list(options), "value": chosen, "description": label}
    layout = {"flex": "1 1 200px", "min_width": "0", "width": "auto"}
    slider = ipw.SelectionSlider(**both, style=WIDE, readout=False, layout=layout)
    entry = ipw.Dropdown(**both, tooltip=label, layout={"width": "6em"})
    entry.add_class("coalloc-entry")
    ipw.link((slider, "value"), (entry, "value"))
    return ipw.HBox([slider, entry], layout=NARROW)


def product(alpha: float, ratio: float) -> float:
    """Return the penalty of a share of time and a slowness of links, as the control shows it.

    Examples
    --------
    >>> product(0.15, 0.7)
    0.105
    """
    return round(alpha * ratio, 6)


class Mapped(Protocol):
    """A figure that is drawn for a group of jobs."""

    def plot(self, group: str = "stream") -> Figure:
        """Draw the maps of a group."""

    def words(self, group: str = "stream") -> str:
        """Return the figure in words."""


def map_explorer(maps: Mapping[str, Mapped], state: str = "") -> Explorer:
    """Return a slider over maps, such as those of `viability_maps`, and the map that it picks.

    Parameters
    ----------
    maps : dict
        By MaxJumps: figures that have been run.
    state : str, optional
        The line of a scenario that was copied.

    Raises
    ------
    InputError
        There is no map.
    """
    if not maps:
        raise InputError("maps is empty; give a figure for each MaxJumps")
    controls = {
        "max_jumps": _steps("MaxJumps", maps, next(iter(maps))),
        "group": choice("group", NAMES),
    }

    def draw(max_jumps: str, group: str, coarse: bool) -> Picture:
        chosen = maps[max_jumps]
        return Picture(chosen.plot(group), chosen.words(group))

    return Explorer(controls, draw, state=state)
