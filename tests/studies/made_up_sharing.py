"""Small workloads of the job-sharing study, and figures whose AWRTs are made up."""

from dataclasses import replace

import numpy as np

import coalloc_lib as co
from coalloc_lib.bootstrap import DAY
from coalloc_lib.schedule import WEIGHTS
from coalloc_lib.studies.job_sharing import parameters
from coalloc_lib.studies.job_sharing.parameters import SYNTHETIC
from coalloc_lib.studies.job_sharing.runs import Case, Found, Work

DAYS = 42
#: Few jobs, and few of all that is asked of them.
TINY = parameters.Scale(("EASY", "FCFS"), 40)


def made_up_jobs(seed, count=240):
    """Return jobs of six weeks that fill 512 processors well, some of them wide."""
    rng = np.random.default_rng(seed)
    runtime = rng.gamma(0.5, 70_000, count)
    return co.JobStream(
        np.sort(rng.uniform(0, DAYS * DAY, count)), runtime,
        rng.choice([1, 8, 60, 128, 256, 330], count), runtime * rng.uniform(1, 4, count),
        request="total",
    )  # fmt: skip


def small_works(seed=1, stand_in=False):
    return {
        name: Work(name, made_up_jobs([seed, i]), stand_in)
        for i, name in enumerate(("jobs 1–240", SYNTHETIC))
    }


def fill(figure, value, noise=0.0, value_of_sites=lambda case, found: found):
    """Give a figure the AWRT ``value(case)`` of every case, in waves of `noise` over the weeks.

    That of sites is alike, or what `value_of_sites` makes of it, a column of one number a site.

    Waves of an overhead more are the same; those of another way to run, or place, are not.
    """
    waves: dict[Case, int] = {}
    for case in figure.cases:
        wave = waves.setdefault(replace(case, overhead=0.0), len(waves))
        found, sums = value(case), {}
        for weight in WEIGHTS:
            each = case.work.weights(weight)
            high = np.cos(2 * np.pi * (np.arange(len(each)) / len(each) + 0.618 * wave))
            sums[weight] = each * found * (1 + noise * (high - np.average(high, weights=each)))
        of_site = case.by_site(case.work.jobs.work) * value_of_sites(case, found)
        figure.found[case] = Found(sums, 0.1, of_site)
    figure.ran = TINY, 0
    return figure
