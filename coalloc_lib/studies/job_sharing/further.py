"""Figures further than the paper: policies, estimates, joining, choices of machines."""

from collections.abc import Iterable, Mapping
from itertools import islice, product

from coalloc_lib.studies.job_sharing import headlines
from coalloc_lib.studies.job_sharing.break_even import LOOK, BreakEvenFigure
from coalloc_lib.studies.job_sharing.comparisons import AwrtTable, ComparisonFigure, Pair
from coalloc_lib.studies.job_sharing.joining import SPAN, JoiningFigure
from coalloc_lib.studies.job_sharing.parameters import (
    ASSIGNMENTS,
    CHOICES,
    DIVIDED,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    OF_SITE,
    ONE,
    OVERHEADS,
    PATIENCE,
    POLICIES,
    SCALES,
    SHARING,
    STANDARD,
    TOLD_OF,
    TRIED,
)
from coalloc_lib.studies.job_sharing.runs import TOLD, Case, Work, spanning
from coalloc_lib.studies.ratio_lines import steps


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


def joining(works: Mapping[str, Work]) -> JoiningFigure:
    """Return what job sharing is over local execution, with the same pieces of wide jobs."""
    pairs: dict[Pair, tuple[Case, Case]] = {}
    for name, work in works.items():
        for m in DIVIDED:
            for assignment in ASSIGNMENTS:
                shared, alone = (
                    Case(work, m, mode, wide=OF_SITE, assignment=assignment)
                    for mode in (SHARING, LOCAL)
                )
                pairs[Pair(name, m, assignment)] = shared, alone
    return JoiningFigure(
        works, "joining",
        "job sharing over local execution, wide jobs in pieces of their site, jobs submitted at "
        f"each site in turn or by its size; {TOLD}",
        pairs, xlabel="AWRT over that of local execution", span=SPAN, headline=headlines.joining,
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


def patience(works: Mapping[str, Work], count: int = SCALES["quick"].patient) -> ComparisonFigure:
    """Return what waiting up to a time for one machine, then spanning, is over waiting for ever.

    Parameters
    ----------
    works : dict of Work
    count : int
        How many of them are asked, from the first on.
    """
    pairs: dict[Pair, tuple[Case, Case]] = {}
    chosen = dict(islice(works.items(), count))
    for (name, work), policy in product(chosen.items(), ("EASY", "FCFS")):
        base = Case(work, STANDARD, SHARING, policy)
        for up_to, p in product(PATIENCE, TRIED):
            row = f"up to {up_to / 3600:g} h" if up_to else "not at all"
            case = Case(work, STANDARD, MULTI_SITE, policy, p, patience=up_to)
            pairs[Pair(f"{policy}, {name}", row, f"p = {p:g}")] = case, base
    return ComparisonFigure(
        chosen, "patience",
        f"{STANDARD} (4×128): rows say how long jobs wait for one machine before they span; "
        "requested times",
        pairs, xlabel="AWRT over that of waiting for ever, job sharing", span=(0.6, 1.2),
        headline=headlines.patience_helps, look=steps([f"p = {p:g}" for p in TRIED]),
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
