"""The four workload sets: three extracts of the log, and a synthetic one that is fitted to it."""

from functools import lru_cache

from coalloc_lib.seeds import Seed
from coalloc_lib.studies.job_sharing.parameters import BEGINS, JOBS, LOG, SYNTHETIC
from coalloc_lib.studies.job_sharing.runs import Work
from coalloc_lib.workloads.catalogue import listing, load_trace
from coalloc_lib.workloads.extracts import extract
from coalloc_lib.workloads.jann import fit_workload


def workload_sets(seed: Seed) -> dict[str, Work]:
    """Return the workload sets by name.

    Where the log is not there, its synthetic stand-in takes its place, and says so; it is long
    enough for one extract.

    Parameters
    ----------
    seed : int
        Of the synthetic one.
    """
    (found,) = (each["found"] for each in listing() if each["name"] == LOG)
    return dict(_sets_of(found, seed))


@lru_cache(maxsize=4)
def _sets_of(found: str, seed: Seed) -> dict[str, Work]:
    """Make the workload sets; `found` is where the log is, which may change while Python runs."""
    log = load_trace(LOG, missing="stand-in")
    jobs = log.jobs(request="total")
    sets = {
        f"jobs {begin + 1:,}–{begin + JOBS:,}": extract(jobs, begin + 1, begin + JOBS)
        for begin in BEGINS
        if begin + JOBS <= len(jobs)
    }
    sets[SYNTHETIC] = fit_workload(jobs).sample(JOBS, seed)
    return {name: Work(name, each, log.is_stand_in) for name, each in sets.items()}
