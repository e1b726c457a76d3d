"""Mean response times by group of sizes, and whether there are any: the load has to be borne."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coalloc_lib.checks import InputError, positive, whole
from coalloc_lib.curves import RISING
from coalloc_lib.distributions import SizeDistribution
from coalloc_lib.inference import Sample, replicate, student
from coalloc_lib.saturation import WARM_UP, replicated_traffic
from coalloc_lib.scenario import Scenario
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.communication_penalty.parameters import SIZES

#: What is borne is known sooner than response times: a run of this part of the jobs says it.
BOUND_PART, FEWEST = 2, 6_000
#: Why an infinite loss is in doubt.
UNCERTAIN = "the split jobs are not certain to bear less than the whole ones"
#: All jobs, as a group.
STREAM = "stream"


def size_groups(sizes: SizeDistribution, count: int = 4) -> dict[str, tuple[int, int]]:
    """Return `count` groups of nearly equal shares of the jobs: ``S1``, ..., by size.

    Returns
    -------
    dict of (int, int)
        Smallest and largest size of each.

    Raises
    ------
    InputError
        A group would be empty: a single size has more than its share.
    """
    cumulative = np.cumsum(sizes.probabilities)
    quantiles = np.arange(1, whole("count", count)) / count
    ends = [int(np.abs(cumulative - share).argmin()) for share in quantiles] + [sizes.maximum]
    begins = [sizes.minimum] + [end + 1 for end in ends[:-1]]
    for i, (begin, end) in enumerate(zip(begins, ends, strict=True), 1):
        if begin > end:
            raise InputError(
                f"sizes = {sizes} leave group S{i} of {count} empty, since one size has more than "
                "its share; give more sizes, or fewer groups"
            )
    return {f"S{i + 1}": span for i, span in enumerate(zip(begins, ends, strict=True))}


#: The paper's groups: {1}, {2, 3}, {4, 5, 6} and {7, ..., 19}.
GROUPS = size_groups(SIZES)
NAMES = (STREAM, *GROUPS)


def group_means(
    values: NDArray[np.float64], sizes: NDArray, groups: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return the mean of the values of all jobs and of each group of sizes.

    Raises
    ------
    InputError
        No job is in a group.
    """
    means = {STREAM: float(values.mean())}
    for name, (least, most) in groups.items():
        mine = (sizes >= least) & (sizes <= most)
        if not mine.any():
            raise InputError(
                f"jobs = {len(values)}, of which none is in {name}, {least} to {most}; give more"
            )
        means[name] = float(values[mine].mean())
    return means


def _run(scenario, load, jobs, groups, seed):
    """Return of one run mean responses, the share split, and by what its second half is longer."""
    schedule = scenario.simulate(jobs, load=load, seed=seed)
    kept = slice(int(WARM_UP * jobs), None)
    response = schedule.response[kept]
    means = group_means(response, schedule.jobs.processors[kept], groups)
    could = np.count_nonzero(schedule.jobs.components[kept], axis=1) > 1
    spans = np.count_nonzero(schedule.allocation[kept], axis=1) > 1
    split = spans.sum() / max(could.sum(), 1)
    return [*means.values(), split, rise(response)]


def rise(response: NDArray[np.float64]) -> float:
    """Return by what the second half of the responses of a run is longer on average."""
    first, second = np.array_split(response, 2)
    return float(second.mean() - first.mean())


class Size(NamedTuple):
    """How much is simulated: jobs of a run, and runs."""

    jobs: int
    runs: int


class Responses(NamedTuple):
    """What is found of a scenario at a load.

    Attributes
    ----------
    borne : Sample
        The load that it bears, run by run: what spanning adds to the run times does not count.
    means : dict of Sample
        Mean response time by group; empty past saturation, where there is none.
    split : Sample or None
        Share of the jobs that can be split which were; None past saturation.
    """

    borne: Sample
    means: dict[str, Sample]
    split: Sample | None = None

    @property
    def saturated(self) -> bool:
        """Whether the load is not certain to be borne."""
        return not self.means


def rising(rises: ArrayLike) -> str:
    """Say why means are in doubt, from the `rise` of each run; empty where nothing speaks so."""
    return RISING if student(rises).low > 0 else ""


def bearing(scenario: Scenario, size: Size, seed: Seed) -> Sample:
    """Return the load that a scenario bears, run by run."""
    jobs = max(size.jobs // BOUND_PART, FEWEST)
    busy, doubt = replicated_traffic(scenario, jobs=jobs, replications=size.runs, seed=seed)
    return Sample(busy.mean(axis=1), doubt)


def respond(
    scenario: Scenario,
    load: float,
    size: Size,
    seed: Seed,
    groups: Mapping[str, tuple[int, int]] = GROUPS,
    bears: Sample | None = None,
) -> Responses:
    """Return the mean response times of a scenario at a load, in runs that share their jobs.

    Parameters
    ----------
    scenario : Scenario
    load : float
        Offered load; where it is not below the interval of what is borne, it saturates.
    size : Size
    seed : int or SeedSequence
        With the same seed, runs of scenarios with the same jobs can be compared in pairs.
    groups : dict of (int, int)
        Smallest and largest size of each group.
    bears : Sample, optional
        What `bearing` says, where it is known already: it is the same at all loads.
    """
    bears = bearing(scenario, size, seed) if bears is None else bears
    if positive("load", load) >= bears.interval.low:
        return Responses(bears, {})
    rows = replicate(lambda child: _run(scenario, load, size.jobs, groups, child), size.runs, seed)
    doubt = bears.doubt or rising(rows[:, -1])
    means = {n: Sample(rows[:, i], doubt) for i, n in enumerate((STREAM, *groups))}
    return Responses(bears, means, Sample(rows[:, -2], doubt))


def lost(split: Responses, whole: Responses, group: str) -> Sample:
    """Return what a group loses by splitting, in response time, run by run.

    Past saturation of the split jobs it is infinite, and in doubt where these do not bear less
    than the whole ones for certain. Where the whole jobs saturate, every response is that of a
    queue that grows, the faster the less is borne: the loss is then in that.
    """
    less = whole.borne - split.borne
    if whole.saturated:
        return less
    if split.saturated:
        doubt = less.doubt or UNCERTAIN * (less.interval.low <= 0)
        return Sample(np.full(len(less.values), np.inf), doubt)
    return split.means[group] - whole.means[group]
