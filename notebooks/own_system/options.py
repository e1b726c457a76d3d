"""The options of the operators of several sites, each with the function that simulates it."""

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coalloc_lib.basics.seeds import Seed, generators
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.model.merging import merge
from coalloc_lib.model.system import Multicluster
from coalloc_lib.policies import EASY, Conservative
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.statistics import WEEK

#: The names of two options: every site stays alone, and all sites share one queue. All other
#: options are compared with `ALONE`. Options in which jobs span sites are also compared with
#: `SHARED`.
ALONE, SHARED = "stay alone (EASY at each site)", "share one queue"
CONSERVATIVE = "conservative, alone"
#: The advice that operators get if an option is recommended, by the name of the option.
ADVICE = {
    CONSERVATIVE: "Keep the sites apart, and let each backfill conservatively",
    SHARED: "Let the sites share one queue",
}
#: The advice that operators get if an option in which jobs span sites is recommended.
ADVICE_TO_SPAN = "Let the sites share one queue, and let jobs span only if they then end sooner"
#: How the names begin of the options in which a job spans sites if no site has room for it.
AT_NEED = "span if no site has room, penalty"
#: The default penalties for spanning sites. A job that spans sites runs ``1 + penalty`` times as
#: long.
PENALTIES = (0.0, 0.1, 0.25, 0.5)
#: The options in which every site has more processors, each with the factor by which the number of
#: processors grows. They show how many processors a site would have to buy. The option `LARGER` is
#: also compared with the other options.
SIZES = {f"{p} % more processors, alone": 1 + p / 100 for p in (5, 10, 20, 35, 50, 100)}
LARGER = "10 % more processors, alone"


def span(penalty: float) -> str:
    """Return the name of the option that lets a job span sites if no single site has room."""
    return f"{AT_NEED} {penalty:g}"


def span_if_sooner(penalty: float) -> str:
    """Return the name of the option in which a job spans sites only if it then ends sooner."""
    return f"span only if sooner, penalty {penalty:g}"


def likely_penalty(penalties: Sequence[float]) -> float:
    """Return the span penalty at which spanning can be recommended.

    This is the middle one of the penalties above 0, or the lower one if two are in the middle.
    """
    above_0 = sorted({penalty for penalty in penalties if penalty})
    return above_0[(len(above_0) - 1) // 2]


class Option(NamedTuple):
    """An option of the operators of several sites, with a function that simulates the option."""

    name: str
    #: The type of the option. Only options of the type ``policy`` can be recommended. The other
    #: types are ``today`` (sites stay alone), ``span`` (jobs span sites at one of several
    #: penalties), ``what if``, and ``size`` (larger sites).
    kind: str
    #: The function that simulates the option.
    run: Callable[[], Schedule]
    #: The jobs over which this option is compared with other options, as positions in its schedule.
    compared: Any = slice(None)
    #: The advice that operators get if this option is recommended.
    advice: str = ""


def options(
    system: Multicluster,
    jobs: JobStream,
    site: NDArray[np.int64],
    user: Sequence[str],
    penalties: Sequence[float],
    seed: Seed,
) -> list[Option]:
    """Return all options of the operators of several sites, ready to be simulated.

    In one option, the estimates of half of the users, chosen at random, become exact. In another
    option, the jobs of half of the users, chosen at random, must stay at their sites.

    Parameters
    ----------
    system : Multicluster
        The system, with one cluster for each site.
    jobs : JobStream
        The jobs of all sites.
    site : ndarray of int
        The site that owns each job.
    user : sequence of str
        The user of each job.
    penalties : sequence of float
        The span penalties to simulate, in increasing order.
    seed : Seed
        The seed of the random choices.
    """
    easy = EASY()
    alone = partial(local, system, jobs, site)
    one_queue = partial(sharing, system, jobs, scheduling=easy)
    return [
        Option(ALONE, "today", partial(alone, scheduling=easy)),
        Option(CONSERVATIVE, "policy", partial(alone, scheduling=Conservative()),
               advice=ADVICE[CONSERVATIVE]),
        Option(SHARED, "policy", one_queue, advice=ADVICE[SHARED]),
        *_spanning_options(system, jobs, penalties),
        *_what_if_options(system, jobs, site, user, seed),
        *_larger_sites(system, jobs, site),
    ]  # fmt: skip


def _what_if_options(system, jobs, site, user, seed):
    choosing, copying, binding = generators(seed, 3)
    users, of_user = np.unique(user, return_inverse=True)
    exact, bound = (
        rng.permutation(len(users))[of_user] < len(users) / 2 for rng in (choosing, binding)
    )
    home = np.where(bound, site, -1)
    half_exact = jobs.replace(estimate=np.where(exact, jobs.runtime, jobs.estimate))
    half_as_long = jobs.replace(estimate=np.maximum(jobs.runtime, jobs.estimate / 2))
    more, more_site, compared = with_more(jobs, site, 0.1, copying)

    def alone(of, at=site):
        return partial(local, system, of, at, scheduling=EASY())

    def one_queue(of, home=None):
        return partial(sharing, system, of, home=home, scheduling=EASY())

    return [
        Option("half of the users bound, one queue", "what if", one_queue(jobs, home)),
        Option("exact estimates, alone", "what if", alone(jobs.replace(estimate=None))),
        Option("estimates half as long, alone", "what if", alone(half_as_long)),
        Option("half of the users exact, alone", "what if", alone(half_exact)),
        Option("10 % more load, alone", "what if", alone(more, more_site), compared),
        Option("10 % more load, one queue", "what if", one_queue(more), compared),
    ]


def _larger_sites(system, jobs, site):
    found = []
    for name, factor in SIZES.items():
        kind = "what if" if name == LARGER else "size"
        enlarged = Multicluster([larger(size, factor) for size in system.sizes])
        found.append(Option(name, kind, partial(local, enlarged, jobs, site, scheduling=EASY())))
    return found


def _spanning_options(system, jobs, penalties):
    def spanning(penalty, scheduling):
        return partial(multi_site, system, jobs, penalty, scheduling=scheduling)

    found = [Option(span(p), "span", spanning(p, EASY())) for p in penalties]
    likely = likely_penalty(penalties)
    for p in penalties:
        if p:
            kind, advice = "span", ""
            if p == likely:
                kind, advice = "policy", f"{ADVICE_TO_SPAN} (at a penalty of {p:g})"
            run = spanning(p, EASY(adaptive=True))
            found.append(Option(span_if_sooner(p), kind, run, advice=advice))
    return found


def larger(size: int, factor: float) -> int:
    """Multiply a number of processors by a factor, and round the result up."""
    return ceil(round(size * factor, 6))


def with_more(
    jobs: JobStream, site: NDArray[np.int64], share: float, rng: np.random.Generator
) -> tuple[JobStream, NDArray[np.int64], NDArray[np.int64]]:
    """Return a stream of jobs with a higher load, in which some jobs are submitted twice.

    At each site, jobs are sampled until their work reaches the given fraction of the work of the
    site. Each sampled job is submitted again in a random week, on the same weekday and at the same
    time of day.

    Parameters
    ----------
    jobs : JobStream
        The jobs.
    site : ndarray of int
        The site that owns each job.
    share : float
        The additional work, as a fraction of the work of the jobs.
    rng : Generator
        The generator of random numbers.

    Returns
    -------
    both : JobStream
        The jobs and the copies.
    site_of_both : ndarray of int
        The site that owns each job or copy.
    places : ndarray of int
        The position of each original job in `both`.
    """
    order, chosen = rng.permutation(len(jobs)), []
    for number in np.unique(site):
        at_site = order[site[order] == number]
        work = np.cumsum(jobs.work[at_site])
        chosen.append(at_site[: np.searchsorted(work, share * work[-1]) + 1])
    sampled, begin, count = np.concatenate(chosen), jobs.submit.min(), len(jobs)
    in_week = (jobs.submit[sampled] - begin) % WEEK
    # If the log ends before this weekday and time of day in its last week, the job cannot be copied
    # into the last week.
    weeks = 1 + (np.ptp(jobs.submit) - in_week) // WEEK
    copies = jobs[sampled].replace(
        submit=begin + in_week + WEEK * rng.integers(weeks), number=count + np.arange(len(sampled))
    )
    both = merge(jobs.replace(number=np.arange(count)), copies)
    site_of_both = np.concatenate([site, site[sampled]])[both.number]
    return both, site_of_both, np.argsort(both.number)[:count]
