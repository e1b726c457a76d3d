"""On advantages of grid computing for parallel job scheduling.

Ernemann and others ask what sites gain by sharing jobs, and by letting jobs span them: Figures 4 to
7, the claims JS-1 to JS-8, and the overhead up to which spanning pays, by configuration, workload
and policy.
"""

from importlib import import_module
from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import Figure, give
from coalloc_lib.studies.job_sharing import figures, further
from coalloc_lib.studies.job_sharing.claims import Runs, claim
from coalloc_lib.studies.job_sharing.earlier import EARLIER
from coalloc_lib.studies.job_sharing.parameters import NAME, SCALES, SEED, TITLE
from coalloc_lib.studies.job_sharing.runs import run_cases
from coalloc_lib.studies.job_sharing.workloads import workload_sets
from coalloc_lib.studies.result import StudyResult

__all__ = [
    "FIGURE_NAMES",
    "NAME",
    "SCALES",
    "TITLE",
    "check",
    "figure",
    "reproduce",
    "workload_sets",
]

_MAKERS: dict[str, Any] = {
    "figure4": figures.ways,
    "figure5": figures.configurations,
    "figure6": figures.workloads,
    "figure7": figures.wide_jobs,
    "joining": further.joining,
    "conservative": further.conservative,
    "choices": further.choices,
    "break_even": further.by_policy,
    "estimates": further.by_estimates,
    "patience": further.patience,
}
#: The figures that can be made on their own.
FIGURE_NAMES = (*_MAKERS, *EARLIER)


def figure(name: str, seed: Seed = SEED) -> Figure:
    """Return a figure, not yet run; `seed` is that of the synthetic workload."""
    if one_of("name", name, FIGURE_NAMES) in EARLIER:
        return EARLIER[name]()
    return _MAKERS[name](workload_sets(seed))


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    A row for each claim; Figures 4 to 7, what joining saves, EASY beside conservative backfilling,
    choices of machines, the break-even overhead by policy and by estimates, waiting before
    spanning, and every AWRT; and the earlier studies with EASY, each with its own seed.
    """
    works, size = workload_sets(seed), SCALES[one_of("scale", scale, tuple(SCALES))]
    makers = _MAKERS | {
        "break_even": lambda sets: further.by_policy(sets, size.policies),
        "patience": lambda sets: further.patience(sets, size.patient),
    }
    made: dict[str, Any] = {name: make(works) for name, make in makers.items()}
    made["awrt"] = further.every_awrt(works, size.policies)
    # Many cases are in several figures, and run once.
    cases = [case for each in made.values() for case in each.cases]
    give([*made.values()], run_cases(cases, seed, **how), size, seed)
    judged = ("figure4", "figure5", "figure6", "figure7", "joining", "conservative", "choices")
    rows = claim.rows(Runs(*(made[name] for name in judged)))
    earlier = [make().run(scale, **how) for make in EARLIER.values()]
    return StudyResult(rows, [*made.values(), *earlier])


def __getattr__(name: str) -> Any:
    """Import the exercises at their first use: the command line has no need of their widgets."""
    if name == "check":
        return import_module(f"{__name__}.exercises").check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
