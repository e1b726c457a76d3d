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
    UNCHANGED,
)
from coalloc_lib.studies.job_sharing.runs import TOLD, Case, Work, spanning, titled
from coalloc_lib.studies.ratio_lines import At

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
    for name, work in works.items():
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
    cases = {(name, m): (work, m) for name, work in works.items() for m in DIVIDED}
    return _over_sharing("figure5", works, cases, rows="line", claims=("JS-4",))


def workloads(works: Mapping[str, Work]) -> AwrtLines:
    """Figure 6: multi-site over job sharing, by workload, a panel an equal configuration."""
    cases = {(m, name): (work, m) for m in EQUAL for name, work in works.items()}
    return _over_sharing("figure6", works, cases, rows="panel", claims=("JS-5",))


def _over_sharing(name, works, cases, **said):
    """Return a figure of multi-site over job sharing; workload, configuration by (panel, line)."""
    entries: dict[At, Case] = {}
    bases: dict[At, Case] = {}
    for label, (work, configuration) in cases.items():
        for p, case in spanning(work, configuration).items():
            entries[At(*label, p)] = case
            bases[At(*label, p)] = Case(work, configuration, SHARING)
    return AwrtLines(
        name, f"{TOLD}; {titled(works.values())}", entries, bases=bases, against="job sharing",
        headline=headlines.break_evens, **said,
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
        against="wide jobs in pieces of 128", rows="panel", headline=headlines.spanned_ratio,
        claims=("JS-6",),
    )  # fmt: skip
