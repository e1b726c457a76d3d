"""Parts of a log, and the sites, clusters with users of their own, that jobs are submitted at.

Sites stand beside a stream: an array with the number of the site, from 0, of every job.
`round_robin` and `modified` are those of Ernemann, Hamscher, Schwiegelshohn, Yahyapour, Streit: On
Advantages of Grid Computing for Parallel Job Scheduling (2002), section 4.2.
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

#: What becomes of jobs that are wider than a machine; see `modified`.
MODIFICATIONS = ("local", "largest", "unchanged")

_STREAM = "JobStream(submit=..., runtime=..., components=...)"


def extract(jobs: JobStream, first: int, last: int) -> JobStream:
    """Return jobs `first` to `last` of those that run for some time, in order of submission.

    They are counted from 1, both included: 1 and 10,000 are the first 10,000 jobs. Numbers and
    instants of submission stay as they were.
    """
    instance_of("jobs", jobs, JobStream, f"{_STREAM}, for a log log.jobs()")
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


def round_robin(jobs: JobStream, sites: int) -> NDArray[np.int64]:
    """Assign the jobs to so many sites in turn, in order of submission (ties by position)."""
    instance_of("jobs", jobs, JobStream, _STREAM)
    site = np.empty(len(jobs), dtype=np.int64)
    site[np.argsort(jobs.submit, kind="stable")] = np.arange(len(jobs)) % whole("sites", sites)
    return site


def least_loaded(jobs: JobStream, system: Multicluster) -> NDArray[np.int64]:
    """Assign each job to the site that has been given the least work for its size so far.

    Jobs are assigned in order of submission (ties by position), by processor-time over the site's
    processors (ties to the lowest number). In the long run all sites are offered the same load. A
    job may be wider than its site: `modified` then chops it.
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
    """Make the jobs that are wider than a machine fit, by one of the paper's three modifications.

    They are cut into subjobs of the size of their own site's machine (``"local"``) or of the
    ``"largest"``, or stay ``"unchanged"``, for multi-site execution only. None changes the work.
    The site of each subjob is ``site[chopped.job]``.
    """
    instance_of("jobs", jobs, JobStream, _STREAM)
    one_of("modification", modification, MODIFICATIONS)
    site = checked_sites(site, jobs, system)
    if modification == "local":
        return jobs.chopped(system.as_array()[site])
    return jobs.chopped(system.largest if modification == "largest" else jobs.processors.max())


def staying(site: Any, share: Any, seed: Seed) -> NDArray[np.int64]:
    """Sample the jobs that may not leave their site; return their site, and -1 for all others.

    The result is the argument `home` of `coalloc_lib.simulation.sites.sharing`. The probability
    that a job stays is `share`, one number for all sites or one for each site. With the same seed,
    the jobs that stay at a smaller share also stay at a larger one.
    """
    numbers = whole_numbers("site", site, least=0)
    shares = checks.times("share", np.atleast_1d(share))
    if shares.max() > 1:
        raise InputError(f"share[{shares.argmax()}] = {shares.max():g}; give numbers from 0 to 1")
    if len(shares) not in (1, numbers.max() + 1):
        raise InputError(
            f"share has {len(shares)} entries and there are {numbers.max() + 1} sites; give one "
            "number, or one a site"
        )
    (rng,) = generators(seed, 1)
    probability = shares[numbers] if len(shares) > 1 else shares[0]
    return np.where(rng.random(len(numbers)) < probability, numbers, -1)


def checked_sites(
    site: Any, jobs: JobStream, system: Multicluster, *, name: str = "site", least: int = 0
) -> NDArray[np.int64]:
    """Return the sites; refuse what is not one a job, or no cluster (-1 may stand for no site)."""
    instance_of("system", system, Multicluster, "Multicluster([32, 32])")
    numbers = whole_numbers(name, site, least=least)
    if numbers.shape != (len(jobs),):
        raise InputError(
            f"{name} has shape {numbers.shape} and there are {len(jobs)} jobs; give one a job, for "
            f"subjobs {name}[chopped.job]"
        )
    if (wrong := numbers >= len(system)).any():
        job, most = int(wrong.argmax()), len(system) - 1
        raise InputError(
            f"{name}[{job}] = {numbers[job]}, and the system has {len(system)} sites; give numbers "
            f"from {least} to {most}"
        )
    return numbers
