"""What is seen in each figure, from its own numbers; each could say the opposite."""

from collections.abc import Iterable
from itertools import takewhile
from operator import itemgetter
from typing import TYPE_CHECKING

from coalloc_lib.estimates import Interval
from coalloc_lib.studies.communication_penalty.parameters import said
from coalloc_lib.studies.communication_penalty.responses import STREAM
from coalloc_lib.studies.headlines import tally

if TYPE_CHECKING:
    from coalloc_lib.studies.communication_penalty.dispersion import DispersionFigure
    from coalloc_lib.studies.communication_penalty.ratios import RatioFigure


def span_of(places: Iterable[float]) -> str:
    """Return from where to where places reach, or that there are none.

    Examples
    --------
    >>> span_of([3, 5]), span_of([3, 3]), span_of([])
    ('3 to 5', '3', 'nowhere')
    """
    places = list(places)
    if not places:
        return "nowhere"
    ends = dict.fromkeys((f"{min(places):g}", f"{max(places):g}"))
    return " to ".join(ends)


def percent(number: float, digits: int = 1) -> str:
    """Return a share in percent, with its sign.

    Examples
    --------
    >>> percent(-0.031), percent(0.02, 0)
    ('−3.1 %', '+2 %')
    """
    return f"{100 * number:+.{digits}f} %".replace("-", "−")


def _best(figure: "RatioFigure", line: str) -> str:
    """Return the best thresholds of a line, over all numbers of jumps."""
    return span_of(x for jumps in figure.panels for x in figure.best(jumps, line))


def pays_below(figure: "RatioFigure") -> str:
    """Figure 1: up to which penalty splitting is sure to pay, for all jobs and for the largest."""
    found = []
    for line in (STREAM, "S4", "S1"):
        answers = [sorted(figure.pays(jumps, line).items()) for jumps in figure.panels]
        sure = [[psi for psi, _ in takewhile(itemgetter(1), each)] for each in answers]
        tops = [max(places) for places in sure if places]
        words = span_of(tops) if len(tops) == len(sure) else f"not always ({span_of(tops)})"
        found.append(f"{words} ({line})")
    told = ", ".join(found)
    return f"Splitting the largest jobs is sure to pay up to ψ = {told}, depending on MaxJumps"


def rises_with_threshold(figure: "RatioFigure") -> str:
    """Figure 2: which threshold is best for the largest jobs and for the smallest."""
    return (
        f"Where spanning costs little, S4 responds soonest where jobs above "
        f"{_best(figure, 'S4')} are split, S1 where those above {_best(figure, 'S1')} are"
    )


def best_grows(figure: "RatioFigure") -> str:
    """Figure 3: the best threshold at the lowest and at the highest penalty."""
    low, *_, high = figure.lines(figure.panels[0])
    return (
        f"The best threshold for the largest jobs is {_best(figure, low)} at {low} and "
        f"{_best(figure, high)} at {high}"
    )


def best_by_load(figure: "RatioFigure") -> str:
    """Figure 4: at how many numbers of jumps the best threshold is seen to fall with the load."""
    low, *_, high = figure.lines(figure.panels[0])
    falls = {}
    for jumps in figure.panels:
        before, after = figure.best(jumps, low), figure.best(jumps, high)
        falls[said(jumps)] = bool(before and after) and min(before) > max(after)
    return (
        f"From {low} to {high} it is seen to become best to split more, at {tally(falls)} MaxJumps"
    )


def spread_is_worse(figure: "RatioFigure") -> str:
    """Figure 5: which groups respond later where penalties are spread, and by how much."""
    found = {
        f"{group} with MaxJumps {said(jumps)}": figure.mean_ratio(jumps, group).interval
        for jumps in figure.panels
        for group in figure.groups
    }
    worse = [name for name, ratio in found.items() if ratio.above(1)]
    most = max(abs(end - 1) for ratio in found.values() for end in (ratio.low, ratio.high))
    which = f"{len(worse)} of {len(found)} groups are" if worse else "no group is"
    return (
        f"Averaged over the thresholds, {which} seen to respond later where ψ is spread (within "
        f"{100 * most:.1f} %)"
    )


def own_penalty_matters(figure: "DispersionFigure") -> str:
    """Figure 6: how much later jobs of high penalty respond, and if they are seen to wait longer.

    Both are differences over the mean response of all split jobs.
    """
    longer, waits = (
        [figure.mean_spread(jumps, part).interval for jumps in figure.panels]
        for part in ("", " wait")
    )
    seen = any(each.above(0) or each.below(0) for each in waits)
    wait = f"they wait {_reach(waits)} longer" if seen else "in the waits no difference is seen"
    high, low = "jobs of the highest ψ", "those of the lowest"
    return f"Averaged over the thresholds, {high} respond {_reach(longer)} later than {low}; {wait}"


def _reach(found: list[Interval]) -> str:
    shares = [each.estimate for each in found]
    return " to ".join(dict.fromkeys(percent(end) for end in (min(shares), max(shares))))
