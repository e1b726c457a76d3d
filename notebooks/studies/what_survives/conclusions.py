"""The conclusions that the study tests; each compares two simulations of the same jobs.

A conclusion takes the jobs of one condition, a `Case`, and returns the response times of these jobs
in both simulations. It holds if the first simulation has the better response times.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import FirstFit, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import FCFS
from studies.what_survives import model
from studies.what_survives.ways import PARTS, Case


class Pair(NamedTuple):
    """The response times of the same jobs in two simulations, such as with and without spanning.

    `asked` is a mask of the jobs that are compared.
    """

    one: NDArray[np.float64]
    other: NDArray[np.float64]
    asked: NDArray[np.bool_]


class Compared(NamedTuple):
    """The response times that a conclusion compares, in one or two pairs of simulations.

    A conclusion with one pair compares its ratio with 1. A conclusion with two pairs compares the
    ratio of the first pair with the ratio of the second.
    """

    jobs: JobStream
    first: Pair
    second: Pair | None = None

    @property
    def pairs(self) -> list[Pair]:
        """The one or two pairs of response times that a conclusion compares."""
        return [pair for pair in (self.first, self.second) if pair is not None]


@dataclass(frozen=True)
class Conclusion:
    """A conclusion about co-allocation, the simulations that test it, and their settings.

    Parameters
    ----------
    item, name : str
        The number of the conclusion in the ledger, and a short name.
    compare : callable
        A function that takes a `Case` and returns the pairs that are compared.
    policy : str
        The policy of the conclusion's own setting.
    policies, placements : tuple of str
        The policies and placements for which the conclusion has a meaning. The first placement is
        that of its own setting.
    relaxation : bool
        Whether the first way allows everything that the second way allows, and more. Few people
        would dispute such a conclusion.
    up_to : float
        The conclusion holds if the first ratio is at most 1 plus this value. If there is a second
        pair, the first ratio is divided by the second.
    components : int
        The number of components into which jobs are split; 1 if they are not split.
    penalty : float
        The span penalty.
    sites : bool
        Whether the conclusion compares sites that are unevenly busy.
    """

    item: str
    name: str
    compare: Callable[[Case], Compared]
    policy: str = "FCFS"
    policies: tuple[str, ...] = tuple(model.POLICIES)
    placements: tuple[str, ...] = (model.BEST, model.WORST)
    relaxation: bool = False
    up_to: float = 0.0
    components: int = 1
    penalty: float = 0.0
    sites: bool = False


def _of_all(case: Case, one: NDArray, other: NDArray) -> Compared:
    return Compared(case.jobs, Pair(one, other, case.all_jobs))


def _spanning(penalty):
    def spanning(case: Case) -> Compared:
        return _of_all(case, case.spanning(penalty), case.whole())

    return spanning


def _unordered(case: Case) -> Compared:
    return _of_all(case, case.in_components("unordered"), case.in_components("ordered"))


def _flexible(case: Case) -> Compared:
    return _of_all(case, case.in_components("flexible"), case.in_components("unordered"))


def _worst_fit(case: Case) -> Compared:
    worst = case.in_components("unordered", WorstFit())
    return _of_all(case, worst, case.in_components("unordered", FirstFit()))


def _small_jobs_gain(case: Case) -> Compared:
    return Compared(case.jobs, Pair(case.split(0.1), case.whole(), ~case.large))


def _large_jobs_pay(case: Case) -> Compared:
    split, whole = case.split(0.25), case.whole()
    return Compared(case.jobs, Pair(split, whole, ~case.large), Pair(split, whole, case.large))


def _large_clusters(case: Case) -> Compared:
    # The system is compared with twice as many clusters of half the size. Only the jobs that fit on
    # the smallest half of a cluster are simulated, at the offered load of all jobs.
    fits = case.jobs.processors <= min(case.system.sizes) // 2
    halves = Multicluster(np.repeat(np.array(case.system.sizes) // 2, 2).tolist())
    load = case.jobs.offered_load(case.system)
    narrow = replace(case, jobs=case.jobs[fits].with_load(case.system, load))
    return _of_all(narrow, narrow.whole(), narrow.whole(halves))


def _sharing(case: Case) -> Compared:
    return _of_all(case, case.whole(), case.at_home())


def _sharing_quiet(case: Case) -> Compared:
    return Compared(case.jobs, Pair(case.whole(), case.at_home(), case.at_quietest_site))


def _booking(case: Case) -> Compared:
    return _of_all(case, case.under(case.booking).whole(), case.whole())


def _adaptive(case: Case) -> Compared:
    return _of_all(case, case.spanning(0.5, adaptive=True), case.whole())


def _served_better(case: Case) -> Compared:
    first, second = (
        Pair(served.spanning(0.1), served.whole(), case.all_jobs)
        for served in (case.under(FCFS()), case)
    )
    return Compared(case.jobs, first, second)


def _large_jobs_gain(case: Case) -> Compared:
    spans, whole = case.spanning(0.1), case.whole()
    return Compared(case.jobs, Pair(spans, whole, case.large), Pair(spans, whole, ~case.large))


def _dear_spanning(case: Case) -> Compared:
    return _of_all(case, case.whole(), case.spanning(0.5))


_IN_A_QUEUE = tuple(name for name in model.POLICIES if name != model.ONLINE)
_EASY = ("EASY", model.SHORTEST)
_BETTER = tuple(name for name in model.POLICIES if name != "FCFS")
_WORST_FIRST = (model.WORST, model.BEST)

_ALL = (
    Conclusion("WS-1", "spanning without a penalty", _spanning(0.0), relaxation=True),
    Conclusion("WS-2", "spanning at penalty 0.1", _spanning(0.1), penalty=0.1),
    Conclusion("WS-3", "spanning at penalty 0.25", _spanning(0.25), penalty=0.25),
    Conclusion(
        "WS-4", "unordered instead of ordered", _unordered,
        placements=_WORST_FIRST, relaxation=True, components=PARTS,
    ),
    Conclusion(
        "WS-5", "flexible instead of unordered", _flexible,
        placements=_WORST_FIRST, relaxation=True, components=PARTS,
    ),
    Conclusion(
        "WS-6", "worst fit instead of first fit", _worst_fit,
        placements=(model.COMPARED,), components=PARTS,
    ),
    Conclusion(
        "WS-7", "splitting helps small jobs", _small_jobs_gain, components=PARTS, penalty=0.1
    ),
    Conclusion(
        "WS-8", "splitting hurts large jobs more", _large_jobs_pay, components=PARTS, penalty=0.25
    ),
    Conclusion("WS-9", "few large clusters instead of many", _large_clusters, relaxation=True),
    Conclusion(
        "WS-10", "sharing instead of local runs", _sharing, "EASY", relaxation=True, sites=True
    ),
    Conclusion("WS-11", "sharing, for the least busy site", _sharing_quiet, "EASY", sites=True),
    Conclusion("WS-12", "booking as good as queueing", _booking, "EASY", _IN_A_QUEUE, up_to=0.02),
    Conclusion(
        "WS-13", "adaptive spanning loses at most 1 %", _adaptive, "EASY", _EASY,
        up_to=0.01, penalty=0.5,
    ),
    Conclusion(
        "WS-14", "FCFS gains more by spanning", _served_better, "EASY", _BETTER, penalty=0.1
    ),
    Conclusion("WS-15", "spanning helps large jobs more", _large_jobs_gain, penalty=0.1),
    Conclusion("WS-16", "whole instead of spanning at 0.5", _dear_spanning, penalty=0.5),
)  # fmt: skip
#: The conclusions by their numbers in the ledger. WS-11 and WS-13 to WS-15 are our own. The other
#: conclusions are sentences of the papers, but we test them in settings that differ from the
#: papers' settings.
CONCLUSIONS = {conclusion.item: conclusion for conclusion in _ALL}
