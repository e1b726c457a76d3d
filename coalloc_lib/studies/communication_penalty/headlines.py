"""What is seen in each figure, from its own numbers; each could say the opposite."""

from typing import TYPE_CHECKING

from coalloc_lib.studies.communication_penalty.parameters import said
from coalloc_lib.studies.communication_penalty.responses import STREAM

if TYPE_CHECKING:
    from coalloc_lib.studies.communication_penalty.dispersion import DispersionFigure
    from coalloc_lib.studies.communication_penalty.ratios import RatioFigure


def by_panel(figure: "RatioFigure", words: "dict[int, str]") -> str:
    """Return what is said of each number of jumps, once where it is the same of all."""
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return "; ".join(f"{what} (MaxJumps {said(jumps)})" for jumps, what in words.items())


def span_of(places: list[float]) -> str:
    """Return from where to where places reach, or that there are none."""
    if not places:
        return "nowhere"
    low, high = min(places), max(places)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def pays_below(figure: "RatioFigure") -> str:
    """Figure 1: up to which penalty splitting pays, for all jobs and for the largest."""
    words = {}
    for jumps in figure.jumps:
        ends = []
        for line in (STREAM, "S4", "S1"):
            sure = [psi for psi, answer in figure.pays(jumps, line).items() if answer]
            ends.append(f"{line} {max(sure):g}" if sure else f"{line} never")
        words[jumps] = ", ".join(ends)
    return f"Splitting is sure to pay up to ψ = {by_panel(figure, words)}"


def rises_with_threshold(figure: "RatioFigure") -> str:
    """Figure 2: which threshold is best for all jobs."""
    words = {jumps: span_of(figure.best(jumps, STREAM)) for jumps in figure.jumps}
    return f"At ψ = 0.05 jobs respond soonest where those above {by_panel(figure, words)} are split"


def best_grows(figure: "RatioFigure") -> str:
    """Figure 3: the best threshold for each penalty."""
    lines = list(figure.lines(figure.jumps[0]))
    words = {
        jumps: ", ".join(f"{span_of(figure.best(jumps, line))} ({line})" for line in lines)
        for jumps in figure.jumps
    }
    return f"Best threshold for the largest jobs: {by_panel(figure, words)}"


def best_by_load(figure: "RatioFigure") -> str:
    """Figure 4: the best threshold at each load."""
    lines = list(figure.lines(figure.jumps[0]))
    words = {
        jumps: ", ".join(f"{span_of(figure.best(jumps, line))} ({line})" for line in lines)
        for jumps in figure.jumps
    }
    return f"Best threshold at ψ = 0.1: {by_panel(figure, words)}"


def spread_is_worse(figure: "RatioFigure") -> str:
    """Figure 5: how much longer groups respond where penalties are spread."""
    words = {}
    for jumps in figure.jumps:
        found = {group: figure.mean_ratio(jumps, group).interval for group in figure.groups}
        worse = [group for group, ratio in found.items() if ratio.above(1)]
        most = max(abs(ratio.estimate - 1) for ratio in found.values())
        which = ", ".join(worse) if worse else "no group"
        words[jumps] = f"{which} sure to respond later, none differs by more than {most:.1%}"
    return f"With ψ spread: {by_panel(figure, words)}"


def own_penalty_matters(figure: "DispersionFigure") -> str:
    """Figure 6: how much longer jobs of high penalty respond, and how much longer they wait."""
    words = {}
    for jumps in figure.jumps:
        longer, waits = (figure.mean_spread(jumps, part).interval for part in ("", " wait"))
        found = f"{waits.estimate:+.1%}".replace("-", "−")
        words[jumps] = f"{longer.estimate:.1%} longer, {found} of it waiting"
    return f"Split jobs of high ψ respond later than those of low ψ: {by_panel(figure, words)}"
