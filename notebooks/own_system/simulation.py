"""The simulation of all options of the operators, in several threads at the same time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.progress import NullProgress
from coalloc_lib.schedules.metrics import STILL_WAITING
from own_system.options import ALONE, CONSERVATIVE, Option

#: The lower bound of the run time in the formula of the bounded slowdown, in seconds.
BOUND = 10.0
#: The minimum number of jobs in a saturated group that still wait at the last submission. In a
#: small group, half of the jobs are enough.
SEVERAL = 10
#: The columns of a simulation result, with one value per job: ``wait``, ``response``, ``slowdown``,
#: ``spans``, and ``late``, which says whether the job still waits at the last submission.
Outcome = dict[str, NDArray]


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
        ran = option.run()
    except InputError as error:
        return option.name, error
    columns = {
        "wait": np.where(ran.spans, ran.response - ran.jobs.runtime, ran.wait),
        "response": ran.response, "spans": ran.spans,
        "slowdown": np.maximum(ran.response / np.maximum(ran.jobs.runtime, BOUND), 1),
        "late": ran.start > ran.jobs.submit.max(),
    }  # fmt: skip
    return option.name, {name: column[option.compared] for name, column in columns.items()}


def saturated_share(late: NDArray[np.bool_], work: NDArray[np.float64]) -> float:
    """Return what fraction of all work belongs to jobs that still wait at the last submission.

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
