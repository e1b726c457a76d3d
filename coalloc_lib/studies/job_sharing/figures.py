"""Figures 4 to 7: the AWRT of multi-site execution over that of other ways to run the jobs."""

from collections.abc import Mapping

from coalloc_lib.plots import MEANINGS, Sign
from coalloc_lib.studies.job_sharing import headlines
from coalloc_lib.studies.job_sharing.awrt_lines import AwrtLines
from coalloc_lib.studies.job_sharing.parameters import (
    DIVIDED,
    EQUAL,
    LOCAL,
    MULTI_SITE,
    OF_LARGEST,
    ONE,
    OVERHEADS,
    SHARING,
    STANDARD,
    SYNTHETIC,
    UNCHANGED,
)
from coalloc_lib.studies.job_sharing.runs import TOLD, Case, Work, spanning, titled
from coalloc_lib.studies.ratio_lines import At, steps

#: The ways to run, one colour each in every figure.
LOOK: dict[str, Sign] = {
    LOCAL: Sign("#882255", "s"),
    MULTI_SITE: MEANINGS["single then span"],
    ONE: MEANINGS["one cluster"],
}


def ways(works: Mapping[str, Work]) -> AwrtLines:
    """Figure 4: local, multi-site and one machine over job sharing, on m128."""
    entries: dict[At, Case] = {}
    bases: dict[At, Case] = {}
    for name in (SYNTHETIC, *(n for n in works if n != SYNTHETIC)):
        work = works[name]
        lines = {
            LOCAL: dict.fromkeys(OVERHEADS, Case(work, STANDARD, LOCAL)),
            MULTI_SITE: spanning(work, STANDARD),
            ONE: dict.fromkeys(OVERHEADS, Case(work, STANDARD, ONE)),
        }
        for line, cases in lines.items():
            entries |= {At(name, line, p): case for p, case in cases.items()}
            bases |= {At(name, line, p): Case(work, STANDARD, SHARING) for p in cases}
    return AwrtLines(
        "figure4", f"{STANDARD} (4×128); {TOLD}; {titled(works.values())}", entries, bases=bases,
        against="job sharing", look=LOOK, headline=headlines.ways,
        claims=("JS-1", "JS-2", "JS-3"),
    )  # fmt: skip


def configurations(works: Mapping[str, Work]) -> AwrtLines:
    """Figure 5: multi-site over job sharing, by configuration, a panel a workload."""
    entries: dict[At, Case] = {}
    bases: dict[At, Case] = {}
    for name, work in works.items():
        for configuration in DIVIDED:
            for p, case in spanning(work, configuration).items():
                entries[At(name, configuration, p)] = case
                bases[At(name, configuration, p)] = Case(work, configuration, SHARING)
    return AwrtLines(
        "figure5", f"{TOLD}; {titled(works.values())}", entries, bases=bases, against="job sharing",
        look=steps(DIVIDED), headline=headlines.break_evens, claims=("JS-4",),
    )  # fmt: skip


def workloads(works: Mapping[str, Work]) -> AwrtLines:
    """Figure 6: multi-site over job sharing, by workload, a panel an equal configuration."""
    entries: dict[At, Case] = {}
    bases: dict[At, Case] = {}
    for configuration in EQUAL:
        for name, work in works.items():
            for p, case in spanning(work, configuration).items():
                entries[At(configuration, name, p)] = case
                bases[At(configuration, name, p)] = Case(work, configuration, SHARING)
    return AwrtLines(
        "figure6", f"{TOLD}; {titled(works.values())}", entries, bases=bases, against="job sharing",
        look=steps(works), headline=headlines.break_evens, claims=("JS-5",),
    )  # fmt: skip


def wide_jobs(works: Mapping[str, Work]) -> AwrtLines:
    """Figure 7: wide jobs left whole over wide jobs in pieces, both multi-site."""
    entries: dict[At, Case] = {}
    bases: dict[At, Case] = {}
    for name, work in works.items():
        in_pieces = spanning(work, STANDARD, wide=OF_LARGEST)
        for p, case in spanning(work, STANDARD, wide=UNCHANGED).items():
            entries[At(STANDARD, name, p)] = case
            bases[At(STANDARD, name, p)] = in_pieces[p]
    return AwrtLines(
        "figure7", f"multi-site execution; {TOLD}; {titled(works.values())}", entries, bases=bases,
        against="wide jobs in pieces of 128", look=steps(works), headline=headlines.spanned_ratio,
        claims=("JS-6",),
    )  # fmt: skip
