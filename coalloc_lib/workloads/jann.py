"""A synthetic workload that is fitted to a log, by the method of Jann and others.

The jobs are divided into classes by their sizes. In each class, the times between arrivals and the
run times have hyper-Erlang distributions with the first three moments of the log. The folder
``data/traces`` has the parameters that were fitted to the CTC log.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.checks import InputError, positive, shown, whole
from coalloc_lib.basics.data import data_folder
from coalloc_lib.basics.seeds import Seed, generators, spawn
from coalloc_lib.model.distributions import SizeDistribution
from coalloc_lib.model.hyper_erlang import HyperErlang
from coalloc_lib.model.jobs import JobStream

FOLDER = data_folder("traces")


@dataclass(frozen=True, eq=False)
class JobClass:
    """A class of jobs whose sizes lie in one range, with distributions of sizes and times.

    Parameters
    ----------
    low, high : int
        The smallest and the largest size, in processors.
    jobs : int
        The number of jobs of this class in the log.
    sizes : SizeDistribution
        The sizes, each as frequent as in the log.
    gaps : HyperErlang
        The times between arrivals, in seconds.
    runtimes : HyperErlang
        The run times, in seconds.
    ratios : ndarray
        Equally likely values of the estimate divided by the run time. They are quantiles of the
        jobs in the log with a run time above 0.
    """

    low: int
    high: int
    jobs: int
    sizes: SizeDistribution
    gaps: HyperErlang
    runtimes: HyperErlang
    ratios: NDArray[np.float64]

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    @classmethod
    def from_dict(cls, parameters: dict[str, Any]) -> "JobClass":
        """Return a class of jobs from parameters that ``data/traces/fit_classes.py`` has fitted."""
        low, high = parameters["low"], parameters["high"]
        shares = np.zeros(high + 1)
        for size, share in parameters["sizes"].items():
            shares[int(size)] = share
        times = (parameters["gaps"], parameters["runtimes"])
        gaps, runtimes = (HyperErlang(share, tuple(rates), k) for share, *rates, k in times)
        sizes = SizeDistribution(shares / shares.sum(), f"sizes {low}-{high}")
        ratios = np.array(parameters["ratios"])
        return cls(low, high, parameters["jobs"], sizes, gaps, runtimes, ratios)


@dataclass(frozen=True, eq=False)
class HyperErlangWorkload:
    """A random workload model with several classes of jobs and hyper-Erlang times.

    Each class has its own distributions of sizes, times between arrivals, and run times. The script
    ``data/traces/fit_classes.py`` fits the model to a log.

    Parameters
    ----------
    classes : tuple of JobClass
        The classes.
    longest_estimate : float
        The maximum estimate, in seconds. The estimate of a job that runs longer is at
        most its run time.

    Notes
    -----
    The classes are independent of each other. In each class, sizes, run times and arrivals are
    independent, and the arrivals begin in the steady state. The estimate of a job is its run time
    multiplied by a ratio that is sampled from the ratios of its class.

    The classes and the distributions of times are those of the reference. The empirical sizes and
    the estimates are additions of this library. Daily cycles, users and sessions are not modelled.

    References
    ----------
    Jann, Pattnaik, Franke, Wang, Skovira, Riordan: Modeling of workload in MPPs. JSSPP 1997.
    """

    classes: tuple[JobClass, ...]
    longest_estimate: float = np.inf

    def __post_init__(self) -> None:
        if not self.classes:
            raise InputError("classes is empty; give at least one JobClass")

    def __str__(self) -> str:
        return f"hyper-Erlang workload of {len(self.classes)} classes of sizes"

    @property
    def rate(self) -> float:
        """The total arrival rate over all classes of jobs, in jobs per second."""
        return sum(1 / job_class.gaps.mean for job_class in self.classes)

    @property
    def mean_work(self) -> float:
        """The mean work of a job, in processor-seconds."""
        work = (c.sizes.mean * c.runtimes.mean / c.gaps.mean for c in self.classes)
        return sum(work) / self.rate

    def sample(self, count: int, seed: Seed, rate: float | None = None) -> JobStream:
        """Sample `count` jobs, each of which runs on a single cluster.

        See `Workload.sample` for the arguments. The default rate is the rate of the log.
        """
        count = whole("count", count)
        seeded = [*zip(self.classes, spawn(seed, len(self.classes)), strict=True)]
        arrivals = [_arrivals(*class_and_seed, count) for class_and_seed in seeded]
        # The stream consists of the `count` earliest jobs over all classes. No class can contribute
        # more than `count` jobs, so this number is sampled from each class.
        first = np.argsort(np.concatenate(arrivals), kind="stable")[:count]
        submit, kind = np.concatenate(arrivals)[first], first // count
        sizes, runtime, estimate = np.empty(count, dtype=np.int64), np.empty(count), np.empty(count)
        for number, (job_class, class_seed) in enumerate(seeded):
            members = np.flatnonzero(kind == number)
            _, for_sizes, for_runtimes, for_ratios = generators(class_seed, 4)
            sizes[members] = job_class.sizes.sample(for_sizes, len(members))
            runtime[members] = job_class.runtimes.sample(for_runtimes, len(members))
            ratios = for_ratios.choice(job_class.ratios, len(members))
            estimate[members] = runtime[members] * ratios
        estimate = np.minimum(estimate, np.maximum(runtime, self.longest_estimate))
        if rate is not None:
            submit = submit * (self.rate / positive("rate", rate))
        return JobStream(submit, runtime, sizes, estimate=estimate, request="total")


def shipped_workload(log: str = "CTC-SP2") -> HyperErlangWorkload:
    """Return the hyper-Erlang workload model that was fitted to a public log.

    The parameters of the model are part of the library, but the log itself is not.

    Parameters
    ----------
    log : str
        The name of the log in the catalogue.

    Raises
    ------
    InputError
        No workload was fitted to this log.
    """
    path = FOLDER / f"{str(log).lower()}.jann.json"
    known = sorted(file.name.split(".")[0].upper() for file in FOLDER.glob("*.jann.json"))
    if str(log).upper() not in known:
        raise InputError(
            f"log = {shown(log)}; the library has models for {', '.join(known) or 'no log'}; "
            "give the name of one of these logs, or fit a model to your log with "
            "data/traces/fit_classes.py in the repository"
        )
    parameters = json.loads(path.read_text("utf-8"))
    classes = tuple(map(JobClass.from_dict, parameters["classes"]))
    return HyperErlangWorkload(classes, parameters["longest"])


def _arrivals(job_class: JobClass, seed: Seed, count: int) -> NDArray[np.float64]:
    rng, *_ = generators(seed, 4)
    # The arrivals begin in the steady state.
    first = job_class.gaps.residual(rng)
    return first + np.append(0.0, np.cumsum(job_class.gaps.sample(rng, count - 1)))
