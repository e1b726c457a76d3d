"""Extracts of a log, and the sites at which jobs are submitted.

A site is a cluster with users of its own. The sites of a stream are a separate array, which has the
number of the site of every job, counted from 0. The functions `round_robin` and `modified` follow
Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On Advantages of Grid Computing for Parallel
Job Scheduling (2002), section 4.2.
"""

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError, instance_of, one_of, whole, whole_numbers
from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.splitting import Chopped
from coalloc_lib.model.system import Multicluster

#: How the function `modified` can treat jobs that need more processors than one machine has.
MODIFICATIONS = ("local", "largest", "unchanged")

_STREAM = "JobStream(submit=..., runtime=..., components=...)"


def extract(jobs: JobStream, first: int, last: int) -> JobStream:
    """Return the jobs at positions `first` to `last` of a log, in order of submission.

    Only jobs with a run time above 0 are counted. Job numbers and submission times do not change.

    Parameters
    ----------
    jobs : JobStream
        The jobs of the log.
    first, last : int
        The positions of the first and the last job, starting at 1. For example, 1 and 10,000 give
        the first 10,000 jobs.

    Raises
    ------
    InputError
        The last job comes before the first one, or there are fewer jobs.
    """
    instance_of("jobs", jobs, JobStream, f"{_STREAM}, or log.jobs() of a log")
    first, last = whole("first", first), whole("last", last)
    if last < first:
        raise InputError(f"last = {last} is below first = {first}; swap them")
    order = np.argsort(jobs.submit, kind="stable")
    usable = order[jobs.runtime[order] > 0]
    if last > len(usable):
        raise InputError(
            f"last = {last}, but only {len(usable)} of the {len(jobs)} jobs have a run time above "
            f"0; give last = {len(usable)} or less"
        )
    return jobs[usable[first - 1 : last]]


def round_robin(jobs: JobStream, sites: int) -> NDArray[np.int64]:
    """Assign jobs to sites in a round-robin fashion, in order of submission.

    Jobs that are submitted at the same instant are ordered by position.

    Parameters
    ----------
    jobs : JobStream
        The jobs.
    sites : int
        The number of sites.

    Returns
    -------
    ndarray of int, shape (n,)
        The site of each job, counted from 0.
    """
    instance_of("jobs", jobs, JobStream, _STREAM)
    site = np.empty(len(jobs), dtype=np.int64)
    site[np.argsort(jobs.submit, kind="stable")] = np.arange(len(jobs)) % whole("sites", sites)
    return site


def least_loaded(jobs: JobStream, system: Multicluster) -> NDArray[np.int64]:
    """Assign each job to the site with the least work per processor so far.

    The work of a site is the processor-time of its jobs. Jobs are assigned in order of submission
    (ties by position), and a tie between sites goes to the lowest number. In the long run, all
    sites have the same offered load. A job may be wider than its site, and `modified` can cut such
    a job into subjobs.

    Parameters
    ----------
    jobs : JobStream
        The jobs.
    system : Multicluster
        The sites, one for each cluster.

    Returns
    -------
    ndarray of int, shape (n,)
        The site of each job, counted from 0.
    """
    instance_of("jobs", jobs, JobStream, _STREAM)
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    site, work, sizes = np.empty(len(jobs), dtype=np.int64), jobs.work.tolist(), system.sizes
    given = [(0.0, number) for number in range(len(sizes))]
    for job in np.argsort(jobs.submit, kind="stable").tolist():
        load, least = given[0]
        heapq.heapreplace(given, (load + work[job] / sizes[least], least))
        site[job] = least
    return site


def modified(jobs: JobStream, system: Multicluster, site: Any, modification: str) -> Chopped:
    """Cut jobs that are too wide for one machine into subjobs, and return all resulting jobs.

    The total work does not change.

    Parameters
    ----------
    jobs : JobStream
        The jobs.
    system : Multicluster
        The machines, one for each site.
    site : array_like of int, shape (n,)
        The site of each job.
    modification : {"local", "largest", "unchanged"}
        Jobs are cut into subjobs of the size of the machine of their own site, or of the largest
        machine, or are not cut. Jobs that are not cut can only run on several machines at once.

    Returns
    -------
    Chopped
        The subjobs, and the job to which each belongs. The sites of the subjobs are
        ``site[chopped.job]``.
    """
    instance_of("jobs", jobs, JobStream, _STREAM)
    one_of("modification", modification, MODIFICATIONS)
    site = checked_sites(site, jobs, system)
    if modification == "local":
        return jobs.chopped(system.as_array()[site])
    return jobs.chopped(system.largest if modification == "largest" else jobs.processors.max())


def staying(site: Any, share: Any, seed: Seed) -> NDArray[np.int64]:
    """Choose at random the jobs that must run at the site where they are submitted.

    Other jobs can run at any site. With the same seed, the jobs that stay under a smaller `share`
    also stay under a larger one.

    Parameters
    ----------
    site : array_like of int, shape (n,)
        The site of each job.
    share : float or array_like of float
        The probability that a job stays, for all sites or for each site.
    seed : int or SeedSequence
        The seed of the random numbers.

    Returns
    -------
    ndarray of int, shape (n,)
        The site of each job that stays, and -1 for all other jobs. This is the argument `home` of
        `coalloc_lib.simulation.sites.sharing`.
    """
    numbers = whole_numbers("site", site, least=0)
    shares = checks.times("share", np.atleast_1d(share))
    if shares.max() > 1:
        raise InputError(
            f"share[{shares.argmax()}] = {shares.max():g}; give probabilities from 0 to 1"
        )
    if len(shares) not in (1, numbers.max() + 1):
        raise InputError(
            f"share has {len(shares)} entries, but there are {numbers.max() + 1} sites; give one "
            "number for all sites, or one number per site"
        )
    (rng,) = generators(seed, 1)
    probability = shares[numbers] if len(shares) > 1 else shares[0]
    return np.where(rng.random(len(numbers)) < probability, numbers, -1)


def checked_sites(
    site: Any, jobs: JobStream, system: Multicluster, *, name: str = "site", least: int = 0
) -> NDArray[np.int64]:
    """Return the site of each job as an array, after checking that each site is in the system.

    Parameters
    ----------
    site : array_like of int
        The site of each job.
    jobs : JobStream
        The jobs.
    system : Multicluster
        The sites, one for each cluster.
    name : str
        The name of the argument in errors.
    least : int
        The smallest number that is allowed; -1 if jobs without a site are allowed.
    """
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    numbers = whole_numbers(name, site, least=least)
    if numbers.shape != (len(jobs),):
        raise InputError(
            f"{name} has shape {numbers.shape}, but there are {len(jobs)} jobs; give one site for "
            "each job. If the jobs are the subjobs of chopped = jobs.chopped(...), give "
            f"{name}[chopped.job]"
        )
    wrong = numbers >= len(system)
    if wrong.any():
        job, most = int(wrong.argmax()), len(system) - 1
        raise InputError(
            f"{name}[{job}] = {numbers[job]}, but the system has {len(system)} sites; give numbers "
            f"from {least} to {most}"
        )
    return numbers
