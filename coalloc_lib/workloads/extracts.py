"""Parts of a log: so many jobs from somewhere in it, and what is left without its flurries."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, instance_of, positive, shown, whole, whole_numbers
from coalloc_lib.jobs import JobStream
from coalloc_lib.workloads.swf import SwfLog

_STREAM = "JobStream(submit=..., runtime=..., components=...), for a log log.jobs()"


def extract(jobs: JobStream, first: int, last: int) -> JobStream:
    """Return jobs `first` to `last` of those that run for some time, in order of submission.

    Parameters
    ----------
    jobs : JobStream
    first, last : int
        Counted from 1, both included: 1 and 10,000 are the first 10,000 jobs.

    Returns
    -------
    JobStream
        With their own numbers; instants of submission as they were.

    Raises
    ------
    InputError
        `last` is below `first`, or there are not so many jobs.

    Examples
    --------
    >>> jobs = JobStream(submit=[0, 1, 2, 3], runtime=[5, 0, 5, 5], components=[1, 1, 1, 1])
    >>> extract(jobs, 2, 3).number.tolist()
    [3, 4]
    """
    instance_of("jobs", jobs, JobStream, _STREAM)
    if whole("last", last) < whole("first", first):
        raise InputError(f"last = {last} is below first = {first}; swap them")
    order = np.argsort(jobs.submit, kind="stable")
    usable = order[jobs.runtime[order] > 0]
    if last > len(usable):
        raise InputError(
            f"last = {last}, and {len(usable)} of the {len(jobs)} jobs run for some time; give an "
            f"extract that ends at {len(usable)} or before"
        )
    return jobs[usable[first - 1 : last]]


def flurries(log: SwfLog, most: int, within: float) -> NDArray[np.int64]:
    """Return the numbers of the jobs that make up flurries: bursts of one user's jobs.

    Parameters
    ----------
    log : SwfLog
    most : int
        So many jobs of a user within the time are no flurry.
    within : float
        Seconds.

    Returns
    -------
    ndarray of int
        The job numbers of the log, in its order; `without` removes them.

    Notes
    -----
    A job belongs to a flurry if its user submitted `most` or more jobs, whether of the flurry or
    not, in the `within` seconds up to it. So the first `most` jobs of a burst stay. Of jobs at one
    instant those further down in the log come later. Jobs of users whom the log does not know
    (-1) are never taken for one.

    A published log that is 'cleaned' has lost the flurries that its keepers found by eye; this
    rule is for logs that are not.

    References
    ----------
    Tsafrir, Feitelson: Instability in parallel job scheduling simulation: the role of workload
    flurries. IPDPS 2006. It tells what flurries are and do; the rule is this workbench's own.
    """
    instance_of("log", log, SwfLog, 'read_swf("log.swf")')
    most, within = whole("most", most), positive("within", within)
    user, submit = (log.table[name].to_numpy() for name in ("user", "submit"))
    if not (user >= 0).any():
        raise InputError(f"{log.name} knows no job's user; name the jobs to leave out yourself")
    order = np.lexsort((submit, user))
    of_one, when = user[order], submit[order]
    # The job `most` places before, if it is the same user's, must be longer ago than `within`.
    late = np.zeros(len(order), dtype=bool)
    late[most:] = (of_one[most:] == of_one[:-most]) & (when[most:] - when[:-most] <= within)
    late &= of_one >= 0
    return log.table["job"].to_numpy()[np.sort(order[late])]


def without(jobs: JobStream, numbers: Any) -> JobStream:
    """Return the stream without the jobs of these numbers.

    Parameters
    ----------
    jobs : JobStream
    numbers : array_like of int
        As in `JobStream.number`: a log's own. None at all leaves the stream as it is.

    Raises
    ------
    InputError
        A number is that of no job, or no job is left.
    """
    instance_of("jobs", jobs, JobStream, _STREAM)
    if np.size(numbers) == 0:
        return jobs
    out = whole_numbers("numbers", numbers, least=-(2**53)).ravel()
    unknown = out[~np.isin(out, jobs.number)]
    if len(unknown):
        raise InputError(
            f"numbers names {shown(unknown[:3])}, which no job has; give entries of jobs.number"
        )
    kept = ~np.isin(jobs.number, out)
    if not kept.any():
        raise InputError(f"numbers names all {len(jobs)} jobs; leave some")
    return jobs[kept]
