"""A synthetic workload fitted to a log, by the method of Jann and others.

In each class of sizes, times between arrivals and run times are hyper-Erlang and have the log's
first three moments. ``data/traces`` has the parameters that were fitted to the CTC log.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, positive, whole
from coalloc_lib.basics.data import data_folder
from coalloc_lib.basics.seeds import Seed, generators, spawn
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.hyper_erlang import HyperErlang
from coalloc_lib.model.jobs import JobStream

FOLDER = data_folder("traces")


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

    @classmethod
    def from_dict(cls, known: dict[str, Any]) -> "JobClass":
        """Return the class of parameters, as ``data/traces/fit_classes.py`` writes them."""
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

    ``data/traces/fit_classes.py`` fits one to a log.

    Notes
    -----
    Classes are independent, and so are, within each, sizes, run times and arrivals, which begin in
    the steady state. Classes and distributions are those of Jann, Pattnaik, Franke, Wang, Skovira,
    Riordan: Modeling of workload in MPPs. JSSPP 1997. Our own are empirical sizes, and estimates:
    the run time times a ratio sampled from the log's jobs of the class, but not above
    `longest_estimate` unless the run time is. Cycles, users and sessions are not modelled.
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
        arrivals = [_arrivals(one, count, s) for one, s in zip(self.classes, seeds, strict=True)]
        # No class has more than `count` of the first `count` jobs of all.
        first = np.argsort(np.concatenate(arrivals), kind="stable")[:count]
        submit, kind = np.concatenate(arrivals)[first], first // count
        sizes, runtime, estimate = np.empty(count, dtype=np.int64), np.empty(count), np.empty(count)
        for number, (one, s) in enumerate(zip(self.classes, seeds, strict=True)):
            of_class = np.flatnonzero(kind == number)
            _, for_sizes, for_runtimes, for_ratios = generators(s, 4)
            sizes[of_class] = one.sizes.sample(for_sizes, len(of_class))
            runtime[of_class] = one.runtimes.sample(for_runtimes, len(of_class))
            ratios = for_ratios.choice(one.ratios, len(of_class))
            estimate[of_class] = runtime[of_class] * ratios
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
            f"log = {log!r}; parameters are here of {', '.join(known) or 'none'}; give one of "
            "these, or fit one by data/traces/fit_classes.py, which a checkout has"
        )
    known = json.loads(path.read_text("utf-8"))
    return HyperErlangWorkload(tuple(map(JobClass.from_dict, known["classes"])), known["longest"])


def _arrivals(one: JobClass, count: int, seed: Seed) -> NDArray[np.float64]:
    """Return so many arrivals of a class, from an instant that has nothing to do with them."""
    rng, *_ = generators(seed, 4)
    first = one.gaps.residual(rng)
    return first + np.append(0.0, np.cumsum(one.gaps.sample(rng, count - 1)))
