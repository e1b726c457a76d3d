"""Fit the workload of Jann and others, `HyperErlangWorkload`, to a log.

`make_traces.py` writes the parameters. They do not reveal any single job of the log.
"""

import numpy as np

from coalloc_lib.basics.checks import InputError, instance_of, whole
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.hyper_erlang import HyperErlang
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.workloads.jann import HyperErlangWorkload, JobClass

#: The number of quantiles that describe the ratios of a class of jobs. No job is stored.
QUANTILES = 200


def parameters(one):
    """Return the parameters of a class in plain types; `JobClass.from_dict` makes the class."""
    laws = {"gaps": one.gaps, "runtimes": one.runtimes}
    times = {name: [law.share, *law.rates, law.order] for name, law in laws.items()}
    shares = {int(size): float(one.sizes.probabilities[size]) for size in one.sizes.sizes}
    head = {"low": one.low, "high": one.high, "jobs": one.jobs, "sizes": shares}
    return head | times | {"ratios": one.ratios.tolist()}


def fit_workload(jobs: JobStream, *, least: int = 100) -> HyperErlangWorkload:
    """Fit a workload of hyper-Erlang distributions to the jobs of a log.

    Parameters
    ----------
    jobs : JobStream
        ``log.jobs()``, for example; the workload has its unit of time.
    least : int
        Classes of sizes are 1, 2, 3-4, 5-8, ...; one of fewer jobs is joined with the next wider
        one, the last with that before it: of few jobs three moments say little.

    Raises
    ------
    InputError
        Where there are fewer than `least` jobs, or no hyper-Erlang times have their moments.
    """
    instance_of("jobs", jobs, JobStream, "the jobs of a log: log.jobs()")
    whole("least", least, least=3)
    if len(jobs) < least:
        raise InputError(f"jobs are {len(jobs)}, fewer than least = {least}; give more, or less")
    sizes = jobs.processors
    edges, before = [], 0
    bounds = [2**k for k in range((int(sizes.max()) - 1).bit_length() + 1)]
    for edge in bounds:
        if (count := int((sizes <= edge).sum())) - before >= least:
            edges.append(edge)
            before = count
    edges[-1] = bounds[-1]  # the rest, if there is any, goes with the last
    kind = np.searchsorted(edges, sizes)
    lows = [1, *(edge + 1 for edge in edges[:-1])]
    parts = (jobs[kind == number] for number in range(len(edges)))
    classes = tuple(map(_fitted, lows, edges, parts))
    return HyperErlangWorkload(classes, float(jobs.estimate.max()))


def _fitted(low: int, high: int, jobs: JobStream) -> JobClass:
    """Return the class of these jobs."""
    times = {"times between arrivals": np.diff(np.sort(jobs.submit)), "run times": jobs.runtime}
    fits = []
    for name, values in times.items():
        try:
            fits.append(HyperErlang.fit(values))
        except InputError as error:
            raise InputError(
                f"the {name} of the {len(jobs)} jobs of {low} to {high} processors cannot be "
                f"fitted ({error}); give a larger least"
            ) from None
    ran = jobs.runtime > 0
    ratios = jobs.estimate[ran] / jobs.runtime[ran]
    # Fewer than there are jobs: the parameters of a log should tell no job of it.
    kept = min(QUANTILES, max(len(ratios) // 4, 1))
    at = (np.arange(kept) + 0.5) / kept
    ratios = np.quantile(ratios, at, method="inverted_cdf")
    sizes = SizeDistribution.empirical(jobs.processors, f"sizes {low}-{high}")
    return JobClass(low, high, len(jobs), sizes, fits[0], fits[1], ratios)
