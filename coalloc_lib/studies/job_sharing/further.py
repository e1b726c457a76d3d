"""Figures further than the paper: policies, estimates, joining, choices of machines."""

from collections.abc import Iterable, Mapping

from coalloc_lib.studies.job_sharing import headlines
from coalloc_lib.studies.job_sharing.break_even import LOOK, BreakEvenFigure
from coalloc_lib.studies.job_sharing.comparisons import AwrtTable, ComparisonFigure, Pair
from coalloc_lib.studies.job_sharing.parameters import (
    CHOICES,
    DIVIDED,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    ONE,
    OVERHEADS,
    POLICIES,
    SHARING,
    TOLD_OF,
)
from coalloc_lib.studies.job_sharing.runs import TOLD, Case, Work, spanning


def by_policy(works: Mapping[str, Work], policies: Iterable[str] = POLICIES) -> BreakEvenFigure:
    """Return the break-even overhead of each configuration and workload, by policy."""
    entries = {
        (name, configuration, policy): spanning(work, configuration, policy)
        for name, work in works.items()
        for configuration in DIVIDED
        for policy in policies
    }
    return BreakEvenFigure(
        works, "break_even", entries, "multi-site over job sharing, requested times", look=LOOK,
        headline=headlines.policy_decides,
    )  # fmt: skip


def by_estimates(works: Mapping[str, Work]) -> BreakEvenFigure:
    """Return the break-even overhead under EASY, by what it is told of run times."""
    entries = {
        (name, configuration, told): spanning(work, configuration, estimates=told)
        for name, work in works.items()
        for configuration in DIVIDED
        for told in TOLD_OF
    }
    return BreakEvenFigure(
        works, "estimates", entries, "EASY; inflated: ten times the run time",
        headline=headlines.estimates_matter,
    )  # fmt: skip


def joining(works: Mapping[str, Work]) -> ComparisonFigure:
    """Return what job sharing is over local execution, with the same pieces of wide jobs."""
    pairs = {
        Pair(name, configuration, SHARING): (
            Case(work, configuration, SHARING, wide=OF_SITE),
            Case(work, configuration, LOCAL, wide=OF_SITE),
        )
        for name, work in works.items()
        for configuration in DIVIDED
    }
    return ComparisonFigure(
        works, "joining",
        f"job sharing over local execution, wide jobs in pieces of their site; {TOLD}",
        pairs, xlabel="AWRT over that of local execution", span=(0.0, 1.2),
        headline=headlines.joining,
    )  # fmt: skip


def conservative(works: Mapping[str, Work]) -> ComparisonFigure:
    """Return what conservative backfilling is over EASY, in each mode."""
    pairs: dict[Pair, tuple[Case, Case]] = {}
    for name, work in works.items():
        for configuration in DIVIDED:
            for mode in (LOCAL, SHARING, MULTI_SITE):
                wide = OF_SITE if mode == LOCAL else OF_LARGEST
                easy = Case(work, configuration, mode, wide=wide)
                other = Case(work, configuration, mode, "conservative", wide=wide)
                pairs[Pair(name, configuration, mode)] = other, easy
    return ComparisonFigure(
        works, "conservative",
        "conservative backfilling over EASY, both with requested times; multi-site with p = 0",
        pairs,
        xlabel="AWRT over that of EASY", span=(0.9, 1.2), headline=headlines.easy_is_better,
        claims=("JS-7",),
    )  # fmt: skip


def choices(works: Mapping[str, Work]) -> ComparisonFigure:
    """Return what other ways to choose a machine are over best fit, sharing jobs."""
    pairs = {
        Pair(name, configuration, choice): (
            Case(work, configuration, SHARING, choice=choice),
            Case(work, configuration, SHARING),
        )
        for name, work in works.items()
        for configuration in DIVIDED
        for choice in CHOICES
        if choice != "best fit"
    }
    return ComparisonFigure(
        works, "choices", f"job sharing, machines chosen in other ways over best fit; {TOLD}",
        pairs,
        xlabel="AWRT over that of best fit", span=(0.9, 1.3), headline=headlines.best_fit_is_good,
        claims=("JS-8",),
    )  # fmt: skip


def every_awrt(works: Mapping[str, Work], policies: tuple[str, ...]) -> AwrtTable:
    """Return all AWRTs: each mode over job sharing."""
    pairs: dict[Pair, tuple[Case, Case]] = {}
    for name, work in works.items():
        for configuration in DIVIDED:
            for policy in policies:
                base = Case(work, configuration, SHARING, policy)
                cases = {LOCAL: Case(work, configuration, LOCAL, policy, wide=OF_SITE)}
                cases |= {
                    f"{MULTI_SITE}, p = {p:g}": Case(work, configuration, MULTI_SITE, policy, p)
                    for p in OVERHEADS
                }
                cases[ONE] = Case(work, configuration, ONE, policy)
                for mode, case in cases.items():
                    pairs[Pair(name, configuration, f"{policy}, {mode}")] = case, base
    return AwrtTable(
        works, "awrt", "each way to run over job sharing; requested times", pairs,
        xlabel="AWRT over that of job sharing", span=(0.5, 2.0),
    )  # fmt: skip
