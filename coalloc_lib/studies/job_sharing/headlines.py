"""What is seen in each figure, from its own numbers; each could say the opposite."""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from coalloc_lib.studies.headlines import tally
from coalloc_lib.studies.job_sharing.overheads import reach
from coalloc_lib.studies.job_sharing.parameters import LOCAL, MULTI_SITE, POLICIES

if TYPE_CHECKING:
    from coalloc_lib.studies.job_sharing.awrt_lines import AwrtLines
    from coalloc_lib.studies.job_sharing.break_even import BreakEvenFigure
    from coalloc_lib.studies.job_sharing.comparisons import ComparisonFigure


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
    return f"Spanning sites pays up to an overhead of {told}"


def spanned_ratio(figure: "AwrtLines") -> str:
    """Figure 7: how much leaving wide jobs whole changes."""
    ratios = [
        figure.interval(panel, line, place).estimate
        for panel in figure.panels
        for line, points in figure.lines(panel).items()
        for place in points
    ]
    more = _percent([ratio - 1 for ratio in ratios])
    return f"Leaving wide jobs whole makes the AWRT of multi-site execution longer by {more}"


def policy_decides(figure: "BreakEvenFigure") -> str:
    """Up to which overhead spanning pays, by policy."""
    told = [
        f"{reach(_of(figure, policy))} ({policy})" for policy in POLICIES if _of(figure, policy)
    ]
    return f"Spanning sites pays up to an overhead of {', '.join(told)}"


def estimates_matter(figure: "BreakEvenFigure") -> str:
    """Up to which overhead spanning pays, by what the policy is told."""
    names = dict.fromkeys(series for *_, series in figure.entries)
    told = [f"{reach(_of(figure, name))} ({name})" for name in names]
    return f"By estimates, spanning sites pays up to an overhead of {', '.join(told)}"


def _of(figure: Any, series: str) -> list[float]:
    return [
        figure.break_even(label).interval.estimate for label in figure.entries if label[2] == series
    ]


def joining(figure: "ComparisonFigure") -> str:
    """How much sharing jobs saves, over all configurations and workloads."""
    found = [figure.interval(label) for label in figure.pairs]
    half = sum(bool(ratio.below(0.5)) for ratio in found)
    return (
        f"Sharing jobs takes {_percent([1 - ratio.estimate for ratio in found])} off the local "
        f"AWRT, and more than half for certain in {half} of {len(found)} cases"
    )


def easy_is_better(figure: "ComparisonFigure") -> str:
    """In how many cases EASY is seen to be better than conservative backfilling."""
    better = {str(label): figure.interval(label).above(1) for label in figure.pairs}
    worse = sum(bool(figure.interval(label).below(1)) for label in figure.pairs)
    sure = sum(bool(each) for each in better.values())
    return f"EASY is seen to be better in {sure} of {len(better)} cases, and worse in {worse}"


def best_fit_is_good(figure: "ComparisonFigure") -> str:
    """In how many cases another choice of machines is seen to be better than best fit."""
    better = {str(label): figure.interval(label).below(1) for label in figure.pairs}
    sure = {name: bool(each) for name, each in better.items()}
    most = max(abs(figure.interval(label).estimate - 1) for label in figure.pairs)
    return (
        f"Another choice of machines is seen to be better in {tally(sure)} cases; none differs by "
        f"more than {ceil(100 * most)} %"
    )


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
