"""Resource co-allocation for large-scale distributed environments.

Castillo, Rouskas and Harfoush book each job when it is submitted, on trees of idle periods, and
compare the waits with those that logs of batch systems recorded: Figures 1 to 7, Tables 1 and 2,
the claims OB-1 to OB-11. Beside the recorded waits stand those of our own FCFS, EASY and
conservative schedules of the same jobs on the same servers, which is the fair comparison.
"""

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any

from coalloc_lib.checks import one_of
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import Figure, give
from coalloc_lib.studies.online_batch import figures, further
from coalloc_lib.studies.online_batch.case_figures import CaseFigure
from coalloc_lib.studies.online_batch.centre import book_or_queue
from coalloc_lib.studies.online_batch.claims import Runs
from coalloc_lib.studies.online_batch.claims_ahead import claim
from coalloc_lib.studies.online_batch.parameters import NAME, SCALES, SEED, TITLE, Scale
from coalloc_lib.studies.online_batch.printed import printed_rows
from coalloc_lib.studies.online_batch.runs import run_cases
from coalloc_lib.studies.online_batch.traces import Log, logs
from coalloc_lib.studies.online_batch.tree_figures import (
    CountedFigure,
    GrowthFigure,
    OperationsFigure,
    WorkedExample,
)
from coalloc_lib.studies.result import StudyResult

__all__ = [
    "FIGURE_NAMES",
    "NAME",
    "SCALES",
    "TITLE",
    "book_or_queue",
    "check",
    "figure",
    "logs",
    "reproduce",
]

_MAKERS: dict[str, Any] = {
    "figure1": lambda logs, size: WorkedExample(),
    "table1": lambda logs, size: figures.features(logs),
    "figure3": lambda logs, size: figures.penalties(logs),
    "figure4": lambda logs, size: figures.waiting_times(logs),
    "figure4_lengths": lambda logs, size: figures.lengths(logs),
    "figure5": lambda logs, size: figures.by_servers(logs),
    "attempts": lambda logs, size: figures.attempts(logs),
    "figure6": lambda logs, size: figures.with_reservations(logs, size.draws),
    "figure7a": lambda logs, size: figures.mean_waits(_some(logs, size.logs), size.draws),
    "figure7b": lambda logs, size: OperationsFigure(logs),
    "growth": lambda logs, size: GrowthFigure(),
    "waits": lambda logs, size: figures.waits(logs),
    "policies": lambda logs, size: further.policies(logs),
    "certainty": lambda logs, size: further.certainty(logs),
    "clusters": lambda logs, size: further.clusters(_some(logs, size.dear_logs)),
    "sensitivity": lambda logs, size: further.sensitivity(_some(logs, size.dear_logs)),
}
#: The figures that can be made on their own.
FIGURE_NAMES = tuple(_MAKERS)


def _some(logs: Mapping[str, Log], names: Collection[str]) -> dict[str, Log]:
    """Return the logs of these names that are there."""
    return {name: log for name, log in logs.items() if name in names}


def figure(name: str, seed: Seed = SEED) -> Figure:
    """Return a figure, not yet run; `seed` is that of the reservations."""
    made: Figure = _MAKERS[one_of("name", name, FIGURE_NAMES)](logs(), SCALES["quick"])
    if isinstance(made, CaseFigure):
        made.seed = seed
    elif isinstance(made, CountedFigure):
        made.ran = SCALES["quick"], seed
    return made


def reproduce(scale: str = "quick", seed: Seed = SEED, **how: Any) -> StudyResult:
    """Run the study and return its `StudyResult`; see `coalloc_lib.studies.reproduce`.

    A row for each claim, one for each longest wait and number of attempts in print; all figures.
    """
    size: Scale = SCALES[one_of("scale", scale, tuple(SCALES))]
    there = logs()
    made: dict[str, Any] = {name: make(there, size) for name, make in _MAKERS.items()}
    simulated = [each for each in made.values() if isinstance(each, CaseFigure)]
    # Many cases are in several figures, and run once.
    cases = [case for each in simulated for case in each.cases]
    give(simulated, run_cases(cases, seed, **how), size, seed)
    for each in made.values():
        if isinstance(each, CountedFigure):
            each.run(scale, seed, **how)
    judged = ("figure1", "table1", "figure3", "figure4", "figure5", "attempts", "figure6")
    runs = Runs(*(made[name] for name in (*judged, "figure7a", "figure7b", "growth")))
    return StudyResult([*claim.rows(runs), *printed_rows(runs)], [*made.values()])


def __getattr__(name: str) -> Any:
    """Import the exercises at their first use: the command line has no need of their widgets."""
    if name == "check":
        return import_module(f"{__name__}.exercises").check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
