"""The time that conservative backfilling is said to take, and that it is said."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.engines.duration import OFFER, ON_CLUSTER, conservative_seconds
from coalloc_lib.policies import EASY, Conservative

ONE = co.Multicluster([1])


def alike(count, estimate=2.0):
    """So many jobs of length 1 at once, each of one processor."""
    zeros, ones = np.zeros(count), np.ones(count)
    return co.JobStream(zeros, ones, ones.astype(int), ones * estimate, "total")


def offers(waiting, clusters=1):
    """The seconds for each number of jobs that wait when one ends early."""
    waiting = np.array(waiting)
    return ((OFFER + ON_CLUSTER * clusters) * waiting * np.log2(1 + waiting)).sum()


def test_who_waits_is_counted_by_hand():
    """Of jobs alike on one processor all others wait when the first ends, at the last none."""
    assert conservative_seconds(ONE, alike(50), True) == pytest.approx(offers(range(50)))
    held = conservative_seconds(ONE, alike(50), True, backlog=10)
    assert held == pytest.approx(offers([min(n, 10) for n in range(50)]))
    one_by_one = alike(50).replace(submit=np.arange(50) * 2.0)
    assert conservative_seconds(ONE, one_by_one, True) == 0


def test_only_early_ends_cost_where_it_is_known_how_long_jobs_take():
    assert conservative_seconds(ONE, alike(50, 1.0), True) == 0
    half = alike(50).replace(estimate=np.tile([1.0, 2.0], 25))
    assert conservative_seconds(ONE, half, True) == pytest.approx(offers(range(50)) / 2)
    unknown = conservative_seconds(ONE, alike(50, 1.0), False)
    assert unknown == pytest.approx(offers(range(50)))
    assert conservative_seconds(ONE, alike(50).replace(runtime=np.zeros(50)), True) == 0


@pytest.mark.parametrize(
    ("count", "sizes", "widest", "load"),
    [(5_000, [64], 64, None), (1_000, [16] * 100, 16, None), (30_000, [64], 64, 1.2)],
)
def test_what_took_long_is_said_and_what_takes_seconds_is_not(count, sizes, widest, load):
    rng, system = np.random.default_rng(5), co.Multicluster(sizes)
    runtime, wide = rng.exponential(100, count), rng.integers(1, widest + 1, count)
    submit = np.zeros(count)
    if load:
        gap = np.mean(runtime * wide) / (load * system.processors)
        submit = rng.exponential(gap, count).cumsum()
    jobs = co.JobStream(submit, runtime, wide, 5 * runtime, "total")
    assert conservative_seconds(system, jobs, True) > 10
    assert conservative_seconds(system, jobs[: count // 5], True) < 10


def test_a_long_run_is_announced_unless_one_says_that_one_knows(monkeypatch):
    monkeypatch.setattr("coalloc_lib.simulation.run.PATIENCE", offers(range(310)) / 1.01)
    how = {"scheduling": Conservative()}
    with pytest.warns(UserWarning, match=r"^Conservative\(\) offers .*; 310 jobs take about 0 s"):
        co.simulate(ONE, alike(310), **how)
    for jobs, more in (
        (alike(305), how),
        (alike(310, 1.0), how),
        (alike(310), {"scheduling": EASY()}),
        (alike(310), how | {"engine": "compiled"}),
    ):
        co.simulate(ONE, jobs, **more)  # warnings are errors here


def test_logs_are_not_announced(real_logs, monkeypatch):
    """They take seconds: so many jobs as there are, most of them end early and few wait."""
    monkeypatch.setenv("COALLOC_TRACES", str(real_logs))
    for name, size in (("KTH-SP2", 100), ("CTC-SP2", 430)):
        jobs = co.load_trace(name, missing="error").jobs().replace(request="total")
        assert conservative_seconds(co.Multicluster([size]), jobs, True) < 10
