"""The numbers of the processors of each job, compared with a plain list of the free processors."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.schedules import numbering


def random_schedule(seed, scheduling):
    rng = np.random.default_rng(seed)
    sizes, n = rng.integers(2, 9, rng.integers(1, 4)), rng.integers(1, 50)
    submit = np.sort(rng.integers(0, 30, n)).astype(float)
    processors = rng.integers(1, sizes.sum() + 1, n)
    request = "flexible" if len(sizes) > 1 else "total"
    jobs = co.JobStream(submit, rng.integers(0, 9, n), processors, request=request)
    return co.simulate(co.Multicluster(sizes), jobs, scheduling=scheduling)


def numbered(schedule):
    """Return the processors of each job by a plain computation: at each instant, departures come
    before starts."""
    begins = np.append(0, np.cumsum(schedule.system.sizes))
    free, held = set(range(begins[-1])), {}
    stays = schedule.end > schedule.start
    leave = [(schedule.end[job], 0, job) for job in np.flatnonzero(stays)]
    start = [(schedule.start[job], 1 + stays[job], job) for job in range(len(schedule))]
    for _, kind, job in sorted(leave + start):
        if kind == 0:
            free |= {*held[job]}
            continue
        held[job] = []
        for cluster, count in enumerate(schedule.allocation[job]):
            here = [each for each in sorted(free) if begins[cluster] <= each < begins[cluster + 1]]
            held[job] += here[:count]
        free -= {*held[job]} if stays[job] else set()
    return [held[job] for job in range(len(schedule))]


@pytest.mark.parametrize("seed", range(30))
def test_each_job_has_the_lowest_that_are_free(seed):
    schedule = random_schedule(seed, co.EASY())
    assert [ids.tolist() for ids in schedule.processor_ids()] == numbered(schedule)


@pytest.mark.parametrize("chunk", [1, 7, 1 << 22])
@pytest.mark.parametrize("scheduling", [co.EASY(), co.Online()], ids=str)
def test_ranges_and_lists_say_the_same(monkeypatch, chunk, scheduling):
    monkeypatch.setattr(numbering, "CHUNK", chunk)
    for seed in range(10):
        schedule = random_schedule(seed, scheduling)
        ids, ranges = schedule.processor_ids(), schedule.processor_ranges()
        again = numbering.ranges_of(ids, schedule.system.as_array())
        for mine, other in zip(ranges, again, strict=True):
            np.testing.assert_array_equal(mine, other)
        listed = numbering.as_lists(ranges, len(schedule))
        np.testing.assert_array_equal(listed.ids, ids.ids)
        np.testing.assert_array_equal(listed.first, ids.first)


def test_ranges_end_where_a_cluster_does():
    jobs = co.JobStream([0.0], [1.0], [[4, 4]], request="ordered")
    ranges = co.simulate(co.Multicluster([4, 4]), jobs).processor_ranges()
    assert [each.tolist() for each in ranges] == [[0, 0], [0, 4], [3, 7]]
