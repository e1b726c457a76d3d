"""The simulation of all options of the operators, in several threads at the same time."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.progress import NullProgress
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster
from coalloc_lib.schedules.metrics import STILL_WAITING
from coalloc_lib.schedules.schedule import Schedule
from own_system.options import ALONE, CONSERVATIVE, Option

#: The lower bound of the run time in the formula of the bounded slowdown, in seconds.
BOUND = 10.0
#: A group of jobs counts as saturated if at least this number of its jobs are still waiting at the
#: last submission. In a small group, half of the jobs are enough.
SEVERAL = 10
#: The columns of a simulation result, with one value per job: ``wait``, ``response``, ``slowdown``,
#: ``spans``, and ``late``, which says whether the job still waits at the last submission.
Outcome = dict[str, NDArray]


class Sites(NamedTuple):
    """The sites of a report and their jobs, which are needed to simulate further options.

    Parameters
    ----------
    system : Multicluster
        The system, with one cluster for each site.
    jobs : JobStream
        The jobs of all sites.
    site : ndarray of int
        The site that owns each job.
    groups : dict of (str, str) to ndarray of bool
        The jobs of each group that is compared.
    alone : Outcome
        The outcome if the sites stay alone.
    missed : dict of str to str
        A text for each site whose recorded waits the model does not reproduce.
    seed : Seed
        The seed of the random choices.
    """

    system: Multicluster
    jobs: JobStream
    site: NDArray[np.int64]
    groups: Mapping[tuple[str, str], NDArray[np.bool_]]
    alone: Outcome
    missed: Mapping[str, str]
    seed: Seed


def run_all(
    found: Sequence[Option], work: NDArray[np.float64], progress: NullProgress, workers: int
) -> dict[str, Outcome | InputError]:
    """Simulate all options of the operators of several sites in parallel threads.

    Conservative backfilling plans every job of the queue, which takes very long if the queue only
    grows. Therefore it is not simulated if the sites are saturated under EASY.

    Parameters
    ----------
    found : sequence of Option
        The options.
    work : ndarray
        The work of the jobs that are compared.
    progress : NullProgress
        It counts the simulated options.
    workers : int
        The number of threads; -1 for one per processor core.

    Returns
    -------
    dict of str to Outcome or InputError
        The outcome of each option, or the reason why it cannot be simulated. The ``wait`` of a
        job is its response time minus its run time on one site, so the time that spanning adds
        counts as waiting.
    """
    progress.total(len(found))
    parallel: Any = Parallel(workers, prefer="threads", return_as="generator_unordered")
    outcomes: dict = {}

    def run(chosen):
        for name, result in parallel(map(delayed(_named_outcome), chosen)):
            outcomes[name] = result
            progress.step()

    run(option for option in found if option.name == ALONE)
    alone = outcomes[ALONE]
    if isinstance(alone, dict) and saturated_share(alone["late"], work):
        outcomes[CONSERVATIVE] = InputError(f"not simulated, because '{ALONE}' is saturated")
    # The longest simulation starts first. If it ran last, all other threads would be idle.
    rest = [option for option in found if option.name not in outcomes]
    run(sorted(rest, key=lambda option: option.name != CONSERVATIVE))
    return outcomes


def _named_outcome(option: Option) -> tuple[str, Outcome | InputError]:
    try:
        return option.name, outcome_of(option.run(), option.compared)
    except InputError as error:
        return option.name, error


def outcome_of(ran: Schedule, compared: Any = slice(None)) -> Outcome:
    """Return the columns by which options are compared, for some positions of a schedule."""
    columns = {
        "wait": np.where(ran.spans, ran.response - ran.jobs.runtime, ran.wait),
        "response": ran.response, "spans": ran.spans,
        "slowdown": np.maximum(ran.response / np.maximum(ran.jobs.runtime, BOUND), 1),
        "late": ran.start > ran.jobs.submit.max(),
    }  # fmt: skip
    return {name: column[compared] for name, column in columns.items()}


def saturated_share(late: NDArray[np.bool_], work: NDArray[np.float64]) -> float:
    """Return the fraction of the work of jobs that are still waiting at the last submission.

    The result is 0 if this fraction is small or if only a few jobs wait, because the system is then
    not saturated.

    Parameters
    ----------
    late : ndarray of bool
        Whether each job still waits at the last submission.
    work : ndarray of float
        The work of each job.
    """
    share = float(work @ late / work.sum()) if work.any() else 0.0
    is_saturated = late.sum() >= min(SEVERAL, len(late) / 2) and share > STILL_WAITING
    return share if is_saturated else 0.0
