"""The conversion of job streams and placements to the arrays and codes that the kernels take."""

import numpy as np

from coalloc_lib.basics.compilation import call, fixed
from coalloc_lib.engines.kernel_calls import NAME
from coalloc_lib.engines.kernels import placing
from coalloc_lib.engines.kernels.arguments import Expected, Stream
from coalloc_lib.model.jobs import REQUESTS, JobStream
from coalloc_lib.model.placement import (
    BestFit,
    FirstFit,
    HomeSite,
    LeastLoaded,
    Placement,
    RandomFit,
    SingleThenSpan,
    WorstFit,
    may_stay_whole,
    time_on_processors,
)

#: The code of each supported placement in the kernels, which is an integer, by its class.
PLACEMENT_CODES: dict[type, int] = {
    FirstFit: placing.FIRST_FIT,
    WorstFit: placing.WORST_FIT,
    BestFit: placing.BEST_FIT,
    LeastLoaded: placing.LEAST_LOADED,
    RandomFit: placing.RANDOM_FIT,
}
#: The placement rules for which FCFS, FPFS and EASY have specialized kernels. A specialized kernel
#: is up to twice as fast as the general kernel. The rules in this set are the default rules, so
#: most runs use them. EASY uses its specialized kernel only if the policy is not adaptive and the
#: queue is in order of arrival.
SPECIALIZED = {
    (request, placing.WORST_FIT, placing.NONE)
    for request in (placing.ORDERED, placing.UNORDERED, placing.FLEXIBLE, placing.TOTAL)
}
#: The maximum number of levels, as returned by `levels_of`. A level is a number of processors.
#: Conservative backfilling uses levels to skip the parts of the profile of idle processors in which
#: a job cannot start.
LEVELS = 5


def rule_of(request: str, placement: Placement | None, clusters: int) -> placing.Rule:
    """Return the codes of a placement and a request type in the kernels.

    Ordered requests have no placement; their `Rule` contains the codes of worst fit, which the
    kernels do not use.
    """
    code = REQUESTS.index(request)
    if isinstance(placement, HomeSite):
        code += placing.OR_STAYS
        placement = placement.rule
    single = placing.NONE
    choice = placement = WorstFit() if placement is None else placement
    if isinstance(placement, SingleThenSpan):
        choice = placement.single
        if request != "total":
            single, choice = PLACEMENT_CODES[type(choice)], WorstFit()
    numbers = np.array(placement.numbers(clusters), dtype=np.int64)
    return placing.Rule(code, PLACEMENT_CODES[type(choice)], single, numbers)


def has_specialized_kernels(rule: placing.Rule) -> bool:
    """Return whether FCFS, FPFS and EASY have specialized kernels for a placement rule."""
    return (rule.request, rule.choice, rule.single) in SPECIALIZED


def specialized(rule: placing.Rule) -> placing.Rule:
    """Convert the codes of a placement rule to constants, which Numba compiles into the kernels."""
    return placing.Rule(fixed(rule.request), fixed(rule.choice), fixed(rule.single), rule.order)


def stream_of(jobs: JobStream, placement: Placement | None, *, is_searched: bool = True) -> Stream:
    """Convert a job stream to the arrays that the kernels read.

    If the policy searches its queue for jobs that fit, or jobs may stay whole, the keys of the jobs
    end with their total number of processors; see `kernels.placing`.
    """
    parts = keys = _parts_of(jobs, placement)
    if may_stay_whole(placement, jobs.request) or (is_searched and parts.shape[1] > 1):
        keys = np.hstack([parts, parts.sum(axis=1, keepdims=True, dtype=np.int32)])
    spanning = _times_on_several_clusters(jobs.runtime, jobs)
    return Stream(jobs.submit, jobs.runtime, spanning, parts, keys)


def expected_times_of(
    jobs: JobStream, placement: Placement | None, min_length: float = 0.0
) -> Expected:
    """Return the expected length of each job, which is at least `min_length`."""
    alone = jobs.expected
    clusters = (jobs.components > 0).sum(axis=1)
    if jobs.request == "total" or not has_fixed_lengths(jobs, placement):
        clusters[:] = 1
    spanning = _times_on_several_clusters(alone, jobs)
    least = time_on_processors(alone, jobs.span_penalty, clusters)
    alone, spanning, least = (np.maximum(times, min_length) for times in (alone, spanning, least))
    return Expected(alone, spanning, np.ascontiguousarray(least[:, None]))


def has_fixed_lengths(jobs: JobStream, placement: Placement | None) -> bool:
    """Return whether the length of each job is the same on every number of clusters."""
    is_fixed = jobs.request != "flexible" and not may_stay_whole(placement, jobs.request)
    return is_fixed or not jobs.span_penalty.any()


def levels_of(stream: Stream) -> np.ndarray:
    """Return a few quantiles of the job sizes, which conservative backfilling uses as levels."""
    shares = np.linspace(0, 1, LEVELS, endpoint=False)
    return np.unique(np.quantile(stream.keys[:, -1], shares, method="lower")).astype(np.int64)


def _times_on_several_clusters(times, jobs):
    table = jobs.span_penalty.reshape(len(jobs), -1)
    return np.ascontiguousarray(time_on_processors(times[:, None], table, np.full(table.shape, 2)))


def _parts_of(jobs, placement):
    components = jobs.components
    if isinstance(placement, HomeSite):
        return np.ascontiguousarray(components, dtype=np.int32)
    if jobs.request in ("flexible", "total") and components.shape[1] > 1:
        components = components.sum(axis=1, keepdims=True)
    parts = components.astype(np.int32)
    if jobs.request == "unordered":
        call(placing.sort_rows, parts, what=NAME)
    used = np.flatnonzero(parts.any(axis=0)).max(initial=0) + 1
    return np.ascontiguousarray(parts[:, :used])
