"""The conclusions: each a comparison of two ways to run the same jobs, without its paper's setting.

A conclusion takes a `Case`, the jobs of one condition, and returns what it compares: the responses
of the same jobs in one way and in another. It holds where the first are shorter.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.placement import BestFit, FirstFit, Placement, SingleThenSpan, WorstFit
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, FCFS, Scheduling
from coalloc_lib.simulation import sites
from coalloc_lib.simulation.run import simulate
from coalloc_lib.studies.what_survives import model

#: Of the users of each site, how many jobs one has beside another: the sites are not equally busy.
UNEVEN = 1.15, 1.05, 0.95, 0.85
#: Components of a job that is split, where a system has as many clusters.
PARTS = 4


class Pair(NamedTuple):
    """The responses of the same jobs in one way and in another; `mine` are those that are asked."""

    one: NDArray[np.float64]
    other: NDArray[np.float64]
    mine: NDArray[np.bool_]


class Compared(NamedTuple):
    """What a conclusion compares: one pair, or one pair's ratio beside that of a second."""

    first: Pair
    second: Pair | None = None


@dataclass(frozen=True, eq=False)
class Case:
    """Jobs, a system, and a policy that serves them; each way to run them is a method.

    Every method returns the response of each job, NaN of one that was refused.
    """

    system: Multicluster
    jobs: JobStream
    scheduling: Scheduling
    seed: Seed = 0
    #: How jobs are booked, in their unit of time.
    booking: Scheduling = model.BOOKED

    @cached_property
    def everyone(self) -> NDArray[np.bool_]:
        """All jobs."""
        return np.ones(len(self.jobs), bool)

    @cached_property
    def large(self) -> NDArray[np.bool_]:
        """Jobs of more than half of the smallest cluster: they do not fit beside their like."""
        return self.jobs.processors > min(self.system.sizes) // 2

    def under(self, scheduling: Scheduling) -> "Case":
        """Return the same jobs under another policy."""
        return replace(self, scheduling=scheduling)

    def whole(self, system: Multicluster | None = None) -> NDArray[np.float64]:
        """Each job in one cluster, where it leaves least idle."""
        return self._run(self.jobs, BestFit(), system)

    def spanning(self, penalty: float, adaptive: bool = False) -> NDArray[np.float64]:
        """Each job in one cluster where one holds it, else over several."""
        jobs = self.jobs.replace(request="flexible", span_penalty=penalty)
        scheduling = EASY(adaptive=True, order=self.scheduling.order) if adaptive else None
        return self._run(jobs, SingleThenSpan(single=BestFit()), scheduling=scheduling)

    def split(self, penalty: float = 0.0, above: int | None = None) -> NDArray[np.float64]:
        """Each large job in components of nearly one size, in different clusters."""
        least = min(self.system.sizes) // 2 if above is None else above
        jobs = self.jobs.split(into=self._parts, above=least)
        return self._run(jobs.replace(span_penalty=penalty), WorstFit())

    def apart(self, request: str, placement: Placement | None = None) -> NDArray[np.float64]:
        """Each job in components: for clusters that it names, for any, or in any pieces."""
        if request == "flexible":
            return self._run(self.jobs.replace(request="flexible"), WorstFit())
        components = self.jobs.split(into=self._parts).components
        if request == "unordered":
            jobs = self.jobs.replace(components=components, request="unordered")
            return self._run(jobs, placement or WorstFit())
        room = np.zeros((len(self.jobs), len(self.system)), dtype=np.int64)
        room[:, : components.shape[1]] = components
        draw = self._draws[0]
        named = draw.permuted(room, axis=1)
        return self._run(self.jobs.replace(components=named, request="ordered"), None)

    def at_home(self, home: NDArray[np.int64]) -> NDArray[np.float64]:
        """Each job at its own site, which has a queue of its own."""
        alone = sites.local(self.system, self.jobs, home, scheduling=self.scheduling)
        return alone.response

    @cached_property
    def home(self) -> NDArray[np.int64]:
        """The site of each job, so drawn that some are busier; wide jobs have the largest."""
        draw = self._draws[1]
        sizes = np.array(self.system.sizes)
        weights = np.resize(UNEVEN, len(sizes)) * sizes
        drawn = draw.choice(len(sizes), len(self.jobs), p=weights / weights.sum())
        fits = self.jobs.processors <= sizes[drawn]
        return np.where(fits, drawn, sizes.argmax())

    @property
    def quiet(self) -> NDArray[np.bool_]:
        """The jobs of the site that is least busy, which has least to gain."""
        return self.home == len(self.system) - 1

    @property
    def _draws(self):
        """Two generators, of which none is one that the jobs were drawn by."""
        return generators(self.seed, 12)[-2:]

    @property
    def _parts(self) -> int:
        return min(PARTS, len(self.system))

    def _run(self, jobs, placement, system=None, scheduling=None):
        how = {"scheduling": scheduling or self.scheduling, "placement": placement}
        return simulate(self.system if system is None else system, jobs, **how).response


@dataclass(frozen=True)
class Conclusion:
    """A sentence, how it is asked of a case, and its own setting.

    `policies` are those for which it has a meaning. It holds where the first pair's ratio, over the
    second's where there is one, is below 1, or above by no more than `up_to`.
    """

    item: str
    name: str
    compare: Callable[[Case], Compared]
    policy: str = "FCFS"
    load: float = 0.7
    policies: tuple[str, ...] = tuple(model.POLICIES)
    up_to: float = 0.0


def _spanning(penalty):
    """Return the comparison of spanning at a penalty with staying whole."""

    def spanning(case: Case) -> Compared:
        return Compared(Pair(case.spanning(penalty), case.whole(), case.everyone))

    return spanning


def _unordered(case: Case) -> Compared:
    return Compared(Pair(case.apart("unordered"), case.apart("ordered"), case.everyone))


def _flexible(case: Case) -> Compared:
    return Compared(Pair(case.apart("flexible"), case.apart("unordered"), case.everyone))


def _worst_fit(case: Case) -> Compared:
    worst, first = (case.apart("unordered", each) for each in (WorstFit(), FirstFit()))
    return Compared(Pair(worst, first, case.everyone))


def _small_jobs_gain(case: Case) -> Compared:
    return Compared(Pair(case.split(0.1), case.whole(), ~case.large))


def _large_jobs_pay(case: Case) -> Compared:
    split, whole = case.split(0.25), case.whole()
    return Compared(Pair(split, whole, ~case.large), Pair(split, whole, case.large))


def _large_clusters(case: Case) -> Compared:
    """Ask the jobs that fit on half of the smallest cluster, on clusters and on their halves."""
    fits = case.jobs.processors <= min(case.system.sizes) // 2
    halves = Multicluster([half for size in case.system.sizes for half in (size // 2,) * 2])
    load = case.jobs.offered_load(case.system)
    mine = replace(case, jobs=case.jobs[fits].with_load(case.system, load))
    large, small = np.zeros((2, len(fits)))
    large[fits], small[fits] = mine.whole(), mine.whole(halves)
    return Compared(Pair(large, small, fits))


def _sharing(case: Case) -> Compared:
    return Compared(Pair(case.whole(), case.at_home(case.home), case.everyone))


def _sharing_quiet(case: Case) -> Compared:
    return Compared(Pair(case.whole(), case.at_home(case.home), case.quiet))


def _booking(case: Case) -> Compared:
    return Compared(Pair(case.under(case.booking).whole(), case.whole(), case.everyone))


def _adaptive(case: Case) -> Compared:
    return Compared(Pair(case.spanning(0.5, adaptive=True), case.whole(), case.everyone))


def _served_better(case: Case) -> Compared:
    """Ask whether spanning gains more, at a penalty of .1, first come first served."""
    first = case.under(FCFS())
    pairs = (Pair(each.spanning(0.1), each.whole(), case.everyone) for each in (first, case))
    return Compared(*pairs)


def _large_jobs_gain(case: Case) -> Compared:
    spans, whole = case.spanning(0.1), case.whole()
    return Compared(Pair(spans, whole, case.large), Pair(spans, whole, ~case.large))


def _dear_spanning(case: Case) -> Compared:
    return Compared(Pair(case.whole(), case.spanning(0.5), case.everyone))


_IN_A_QUEUE = tuple(name for name in model.POLICIES if name != model.ONLINE)
_EASY = ("EASY", model.SHORTEST)
_BETTER = tuple(name for name in model.POLICIES if name != "FCFS")

#: Of the papers, asked of what people run; WS-11 and WS-13 to WS-15 are our own.
CONCLUSIONS = {
    each.item: each
    for each in (
        Conclusion("WS-1", "spanning that costs nothing", _spanning(0.0)),
        Conclusion("WS-2", "spanning at penalty 0.1", _spanning(0.1)),
        Conclusion("WS-3", "spanning at penalty 0.25", _spanning(0.25)),
        Conclusion("WS-4", "unordered, not ordered", _unordered),
        Conclusion("WS-5", "flexible, not unordered", _flexible),
        Conclusion("WS-6", "worst fit, not first fit", _worst_fit),
        Conclusion("WS-7", "splitting helps small jobs", _small_jobs_gain),
        Conclusion("WS-8", "splitting hurts large jobs first", _large_jobs_pay),
        Conclusion("WS-9", "few large clusters", _large_clusters),
        Conclusion("WS-10", "sharing, not at home", _sharing, "EASY", 0.5),
        Conclusion("WS-11", "sharing, for the quietest site", _sharing_quiet, "EASY", 0.5),
        Conclusion(
            "WS-12", "booking waits no longer", _booking, "EASY", policies=_IN_A_QUEUE, up_to=0.02
        ),
        Conclusion("WS-13", "adaptive never loses", _adaptive, "EASY", policies=_EASY, up_to=0.01),
        Conclusion(
            "WS-14", "FCFS gains more by spanning", _served_better, "EASY", policies=_BETTER
        ),
        Conclusion("WS-15", "spanning helps large jobs most", _large_jobs_gain),
        Conclusion("WS-16", "at penalty 0.5, whole not spanning", _dear_spanning),
    )
}
