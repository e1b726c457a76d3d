"""How long a compiled run of conservative backfilling will take, told before it starts."""

import numpy as np

from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.system import Multicluster

#: Seconds that it takes to offer a waiting job an earlier start, for each time that the number of
#: those who wait doubles: as such, and for each cluster.
OFFER, ON_CLUSTER = 0.27e-6, 0.03e-6
#: How much of the mean width of jobs, by their work, stays idle of each cluster when work waits.
UNUSED = 0.1


def conservative_seconds(
    system: Multicluster, jobs: JobStream, is_known: bool, backlog: int | None = None
) -> float:
    """Return roughly how long it takes to offer waiting jobs the places of those that have left.

    That is most of a long run. When a job ends earlier than it was expected to, each that waits is
    offered an earlier start; where how long jobs take depends on where they are placed, so it is
    whenever one ends. How many wait then is told by a machine that works off the jobs in order of
    submission, each with all processors but those that stay idle. As long as jobs come, fewer wait:
    short ones pass, and the same work waits in longer ones. The square root of how much longer is
    in the middle.

    Measured: a queue of which all are there at once, or that is overloaded, takes half to twice as
    long, as logs do; loads just below saturation, where chance makes the queue, up to ten times.
    """
    order = np.argsort(jobs.submit, kind="stable")
    submit = np.zeros(len(jobs)) if backlog else jobs.submit[order]
    work, most = jobs.work[order], system.processors
    if not work.any():
        return 0.0
    unused = UNUSED * len(system) * np.average(jobs.processors[order], weights=work)
    used = max(most - unused, most / 2)
    before = (work.cumsum() - work) / used
    begins = before + np.maximum.accumulate(submit - before)
    ends = np.sort(begins + jobs.runtime[order])
    waiting = np.searchsorted(submit, ends, "right") - np.searchsorted(begins, ends, "right")
    longer = len(jobs) * ((work / work.sum()) ** 2).sum()
    coming = (submit[-1] - submit[0]) / max(ends[-1] - submit[0], 1e-300)
    waiting = np.minimum(waiting, backlog or len(jobs)) / longer ** (coming / 2)
    share = (jobs.estimate > jobs.runtime).mean() if is_known else 1.0
    offer = (OFFER + ON_CLUSTER * len(system)) * np.log2(1 + waiting)
    return float(share * (waiting * offer).sum())
