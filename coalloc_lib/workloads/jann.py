"""A synthetic workload fitted to a log, by the method of Jann and others.

In each class of sizes, times between arrivals and run times are hyper-Erlang and have the log's
first three moments. ``data/traces`` has the parameters that were fitted to the CTC log.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.checks import InputError, instance_of, positive, whole
from coalloc_lib.distributions import HyperErlang, SizeDistribution
from coalloc_lib.jobs import JobStream
from coalloc_lib.seeds import Seed, generators, spawn

#: Of the ratios of a class of the log so many quantiles are kept, and no job.
QUANTILES = 200
FOLDER = Path(__file__).parents[2] / "data" / "traces"


@dataclass(frozen=True, eq=False)
class JobClass:
    """The jobs of the log of a range of sizes, each size as likely as there."""

    low: int
    high: int
    jobs: int
    sizes: SizeDistribution
    #: Times between arrivals.
    gaps: HyperErlang
    runtimes: HyperErlang
    #: Estimate over run time of the jobs that ran for some time: quantiles, all as likely.
    ratios: NDArray[np.float64]

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters in plain types; `from_dict` makes the class of them."""
        laws = {"gaps": self.gaps, "runtimes": self.runtimes}
        times = {name: [law.share, *law.rates, law.order] for name, law in laws.items()}
        shares = {int(size): float(self.sizes.probabilities[size]) for size in self.sizes.sizes}
        head = {"low": self.low, "high": self.high, "jobs": self.jobs, "sizes": shares}
        return head | times | {"ratios": self.ratios.tolist()}

    @classmethod
    def from_dict(cls, known: dict[str, Any]) -> "JobClass":
        """Return the class of the parameters that `to_dict` gives."""
        low, high = known["low"], known["high"]
        shares = np.zeros(high + 1)
        for size, share in known["sizes"].items():
            shares[int(size)] = share
        times = (known["gaps"], known["runtimes"])
        gaps, runtimes = (HyperErlang(share, tuple(rates), k) for share, *rates, k in times)
        sizes = SizeDistribution(shares / shares.sum(), f"sizes {low}-{high}")
        return cls(low, high, known["jobs"], sizes, gaps, runtimes, np.array(known["ratios"]))


@dataclass(frozen=True, eq=False)
class HyperErlangWorkload:
    """A `Workload` of classes of job sizes, each with arrivals and run times of its own.

    `fit_workload` makes one of a log.

    Notes
    -----
    Classes are independent, and so are, within each, sizes, run times and arrivals, which begin in
    the steady state. An estimate is the run time times a ratio drawn from the log's jobs of the
    class, but not above `longest_estimate` unless the run time is. Cycles, users and sessions are
    not modelled.

    References
    ----------
    Jann, Pattnaik, Franke, Wang, Skovira, Riordan: Modeling of workload in MPPs. JSSPP 1997, for
    the classes and their hyper-Erlang distributions; empirical sizes and estimates are our own.
    """

    classes: tuple[JobClass, ...]
    longest_estimate: float = np.inf

    def __post_init__(self) -> None:
        if not self.classes:
            raise InputError("classes is empty; give at least one")

    def __str__(self) -> str:
        return f"hyper-Erlang workload of {len(self.classes)} classes of sizes"

    @property
    def rate(self) -> float:
        """Arrivals a unit of time, of all classes together."""
        return sum(1 / one.gaps.mean for one in self.classes)

    @property
    def mean_work(self) -> float:
        """Mean processor-time of a job."""
        work = (one.sizes.mean * one.runtimes.mean / one.gaps.mean for one in self.classes)
        return sum(work) / self.rate

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Return the first `count` jobs, total requests; without a `rate`, at the log's."""
        whole("count", count)
        seeds = spawn(seed, len(self.classes))
        drawn = [_arrivals(one, count, s) for one, s in zip(self.classes, seeds, strict=True)]
        # No class has more than `count` of the first `count` jobs of all.
        first = np.argsort(np.concatenate(drawn), kind="stable")[:count]
        submit, kind = np.concatenate(drawn)[first], first // count
        sizes, runtime, estimate = np.empty(count, dtype=np.int64), np.empty(count), np.empty(count)
        for number, (one, s) in enumerate(zip(self.classes, seeds, strict=True)):
            mine = np.flatnonzero(kind == number)
            _, for_sizes, for_runtimes, for_ratios = generators(s, 4)
            sizes[mine] = one.sizes.sample(for_sizes, len(mine))
            runtime[mine] = one.runtimes.sample(for_runtimes, len(mine))
            estimate[mine] = runtime[mine] * for_ratios.choice(one.ratios, len(mine))
        estimate = np.minimum(estimate, np.maximum(runtime, self.longest_estimate))
        if rate is not None:
            submit = submit * (self.rate / positive("rate", rate))
        return JobStream(submit, runtime, sizes, estimate=estimate, request="total")


def shipped_workload(log: str = "CTC-SP2") -> HyperErlangWorkload:
    """Return the workload that was fitted to a public log, of whose jobs none is here."""
    path = FOLDER / f"{log.lower()}.jann.json"
    if not path.is_file():
        known = sorted(file.name.split(".")[0].upper() for file in FOLDER.glob("*.jann.json"))
        raise InputError(
            f"log = {log!r}; parameters are here of {', '.join(known) or 'none'} (a checkout has "
            "them), give one of these, or fit_workload(log.jobs())"
        )
    known = json.loads(path.read_text("utf-8"))
    return HyperErlangWorkload(tuple(map(JobClass.from_dict, known["classes"])), known["longest"])


def _arrivals(one: JobClass, count: int, seed: Seed) -> NDArray[np.float64]:
    """Return so many arrivals of a class, from an instant that has nothing to do with them."""
    rng, *_ = generators(seed, 4)
    first = one.gaps.residual(rng)
    return first + np.append(0.0, np.cumsum(one.gaps.sample(rng, count - 1)))


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
