"""What is seen in each figure, from its own numbers; each could say the opposite."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from operator import itemgetter
from typing import TYPE_CHECKING

from coalloc_lib.studies.communication_penalty.responses import STREAM
from coalloc_lib.studies.headlines import tally
from coalloc_lib.studies.job_sharing.overheads import reach
from coalloc_lib.studies.job_sharing.parameters import LOCAL, MULTI_SITE

if TYPE_CHECKING:
    from coalloc_lib.studies.communication_penalty.ratios import RatioFigure
    from coalloc_lib.studies.curve_figures import CurveFigure
    from coalloc_lib.studies.job_sharing.awrt_lines import AwrtLines
    from coalloc_lib.studies.job_sharing.break_even import BreakEvenFigure
    from coalloc_lib.studies.job_sharing.comparisons import ComparisonFigure
    from coalloc_lib.studies.job_sharing.joining import JoiningFigure
    from coalloc_lib.studies.loss_figures import LossFigure


def ways(figure: "AwrtLines") -> str:
    """Figure 4: what sharing saves, and up to which overhead spanning saves more."""
    saved = [1 - 1 / figure.interval(panel, LOCAL, 0.0).estimate for panel in figure.panels]
    found = [figure.break_even(panel, MULTI_SITE).interval.estimate for panel in figure.panels]
    return (
        f"Sharing jobs takes {_percent(saved)} off the local "
        f"AWRT; spanning sites pays up to an overhead of {reach(found)}"
    )


def break_evens(figure: "AwrtLines") -> str:
    """Figures 5 and 6: up to which overhead spanning pays, by line."""
    found: dict[str, list[float]] = {}
    for panel in figure.panels:
        for line in figure.lines(panel):
            found.setdefault(line, []).append(figure.break_even(panel, line).interval.estimate)
    told = ", ".join(f"{reach(each)} ({line})" for line, each in found.items())
    return f"Spanning sites pays, panel by panel, up to an overhead of {told}"


def spanned_ratio(figure: "AwrtLines") -> str:
    """Figure 7: how much leaving wide jobs whole changes."""
    ratios = [
        figure.interval(panel, line, place).estimate
        for panel in figure.panels
        for line, points in figure.lines(panel).items()
        for place in points
    ]
    least, most = (f"{100 * (end - 1):+.1f}" for end in (min(ratios), max(ratios)))
    return (
        f"Leaving wide jobs whole changes the AWRT of multi-site execution by {least} to {most} %"
    )


def policy_decides(figure: "BreakEvenFigure") -> str:
    """In how many cases spanning pays up to a larger overhead under the last policy."""
    names = list(dict.fromkeys(series for *_, series in figure.entries))
    told = _more(figure, names[-1], names[0])
    return f"Under {names[-1]} spanning pays up to a larger overhead than under {told}"


def estimates_matter(figure: "BreakEvenFigure") -> str:
    """In how many cases spanning pays up to a larger overhead with inflated estimates."""
    told = _more(figure, "inflated", "exact")
    return f"With inflated estimates spanning pays up to a larger overhead than with {told}"


def _more(figure: "BreakEvenFigure", one: str, other: str) -> str:
    """Say how often one series bears more than another, and how often less."""
    cases = list(dict.fromkeys(label[:2] for label in figure.entries))
    found = [figure.bears_more((*case, one), (*case, other)) for case in cases]
    more, less = (sum(each is answer for each in found) for answer in (True, False))
    return f"{other} for certain in {more} of {len(cases)} cases, up to a smaller one in {less}"


def joining(figure: "JoiningFigure") -> str:
    """Whether any sites lose by sharing, under either assignment of the jobs."""
    lose: dict[str, list[str]] = {}
    for label in figure.pairs:
        for sites, ratio in figure.groups(label).items():
            if ratio.above(1):
                lose.setdefault(label.series, []).append(f"{sites} in {label.row}")
    told = [
        f"with jobs {name} {_tallied(lose[name])}" if name in lose else f"with jobs {name} none"
        for name in dict.fromkeys(label.series for label in figure.pairs)
    ]
    return f"Who loses for certain by sharing: {'; '.join(told)}"


def _tallied(names: Sequence[str]) -> str:
    """Return names with how often each comes.

    Examples
    --------
    >>> _tallied(["1 of 384 in m384", "1 of 384 in m384"])
    '1 of 384 in m384 (2 workloads)'
    """
    counts = Counter(names)
    words = [f"{name} ({n} workload{'s' * (n > 1)})" for name, n in counts.items()]
    return ", ".join(words)


def patience_helps(figure: "ComparisonFigure") -> str:
    """From where to where the AWRT reaches where jobs span at once, and where they wait longest."""
    rows = dict.fromkeys(label.row for label in figure.pairs)
    first, *_, last = rows
    found: dict[tuple[str, str], list[float]] = {}
    for label in figure.pairs:
        key = label.panel.split(",")[0], label.row
        found.setdefault(key, []).append(figure.interval(label).estimate)
    ends = {key: f"{min(each):.2f} to {max(each):.2f}" for key, each in found.items()}
    told = [
        f"{ends[policy, first]} where jobs span at once, {ends[policy, last]} where they wait "
        f"{last} ({policy})"
        for policy, row in found
        if row == first
    ]
    return f"The AWRT is so many times that of waiting for ever: {'; '.join(told)}"


def easy_is_better(figure: "ComparisonFigure") -> str:
    """In how many cases EASY is seen to be better than conservative backfilling."""
    better = {str(label): figure.interval(label).above(1) for label in figure.pairs}
    worse = sum(bool(figure.interval(label).below(1)) for label in figure.pairs)
    sure = sum(bool(each) for each in better.values())
    return f"EASY is seen to be better in {sure} of {len(better)} cases, and worse in {worse}"


def best_fit_is_good(figure: "ComparisonFigure") -> str:
    """In how many cases another choice of machines is seen to be better than best fit."""
    sure = {str(label): bool(figure.interval(label).below(1)) for label in figure.pairs}
    beaten = f"seen to be beaten in {tally(sure)} cases" if any(sure.values()) else (
        "never seen to be beaten"
    )  # fmt: skip
    worst = max(figure.pairs, key=lambda label: figure.interval(label).estimate)
    more = figure.interval(worst).estimate - 1
    costs = f"{worst.series} costs up to {100 * more:.0f} % on {worst.row}"
    return f"Best fit is {beaten}; {costs if more > 0 else 'no other choice costs more'}"


def _percent(shares: Sequence[float]) -> str:
    """Return from which to which share, in percent.

    Examples
    --------
    >>> _percent([0.494, 0.386]), _percent([-0.001, 0.05])
    ('39 to 49 %', '0 to 5 %')
    """
    ends = dict.fromkeys(
        f"{100 * end:.0f}".replace("-0", "0") for end in (min(shares), max(shares))
    )
    return f"{' to '.join(ends)} %"


def easy_loses(figure: "LossFigure") -> str:
    """From where to where the capacity loss reaches, by policy."""
    found: dict[str, list[float]] = {}
    for (_, policy), sample in ((label, figure.result(label)) for label in figure.entries):
        found.setdefault(policy, []).append(sample.mean)
    told = ", ".join(f"{_percent(each)} ({policy})" for policy, each in found.items())
    return f"Of the capacity is lost: {told}"


def easy_bears(figure: "CurveFigure") -> str:
    """How much each system bears, by policy."""
    told: dict[str, list[str]] = {}
    for label, curve in figure.curves.items():
        system, policy = label.split(", ")
        told.setdefault(system, []).append(f"{curve.maximum.max_utilization:.2f} ({policy})")
    return "; ".join(f"{system} bears {', '.join(each)}" for system, each in told.items())


def easy_pays(figure: "RatioFigure") -> str:
    """Up to which penalty splitting is sure to pay, by policy."""
    told = []
    for panel in figure.panels:
        answers = sorted(figure.pays(panel, STREAM).items())
        sure = [psi for psi, pays in takewhile(itemgetter(1), answers)]
        words = f"up to ψ = {max(sure):g}" if sure else "at no ψ"
        told.append(f"{words} under {figure.heading(panel)}")
    return f"Splitting the largest jobs is sure to serve all jobs sooner {', '.join(told)}"
