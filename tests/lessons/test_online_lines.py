"""A number in notebook 05 that no cell prints: the wait of requests made without notice."""

import numpy as np
import pytest

import coalloc_lib as co


def test_the_same_requests_without_notice_wait_as_briefly_as_jobs_without_reservations():
    machine, step = co.Multicluster([100]), co.Online(slot=0.25, step=0.25, horizon=28 * 24)
    how = {"service": co.Hyperexponential(2.5, 2.0), "request": "total"}
    model = co.JobModel(sizes=co.parse_sizes("D(0.9)[1,64]"), **how)
    waits = []
    for seed in range(10):
        jobs = model.sample(count=5_000, seed=seed + 1, rate=1.0).with_load(machine, 0.7)
        wanted = jobs.submit + np.random.default_rng(seed).exponential(16, len(jobs))
        order = np.argsort(wanted, kind="stable")
        columns = {"submit": wanted, "runtime": jobs.runtime, "components": jobs.processors}
        late = co.JobStream(**{n: x[order] for n, x in columns.items()}, request="total")
        ran = co.simulate(machine, late, scheduling=step)
        waits.append(ran.wait[ran.served].mean())
    assert np.mean(waits) == pytest.approx(1.12, abs=0.005)
