"""Numbers in notebook 00 that no cell prints: what its changed lines show."""

import pytest

import coalloc_lib as co
from lessons import tour


@pytest.mark.parametrize(
    ("clusters", "policy", "penalty", "hours"),
    [([12, 12], co.FCFS(), 0, -1.15), ([12, 12], co.EASY(), 0, -0.15),
     ([8, 8, 8], co.FCFS(), 1.5, -0.10), ([8, 8, 8], co.FCFS(), 2, 0.20)],
)  # fmt: skip
def test_the_twenty_jobs_in_another_system_and_at_larger_penalties(
    clusters, policy, penalty, hours
):
    columns = {"runtime": tour.RUNTIME, "components": tour.PROCESSORS}
    jobs = co.JobStream(submit=tour.SUBMIT, request="total", **columns)
    how = {"system": co.Multicluster(clusters), "jobs": jobs, "scheduling": policy}
    spanning = co.sites.multi_site(**how, span_penalty=penalty).response.mean()
    assert spanning - co.sites.sharing(**how).response.mean() == pytest.approx(hours)


@pytest.mark.parametrize(
    ("policy", "penalty", "load", "ends"),
    [(co.EASY(), 0, 0.65, (-0.133, 0.005)), (co.EASY(), 0.5, 0.65, (0.558, 0.055)),
     (co.FCFS(), 0.25, 0.6, (-0.024, 0.012)), (co.FCFS(), 0.25, 0.65, (-0.023, 0.031))],
)  # fmt: skip
def test_two_small_clusters_under_another_policy_and_penalty(policy, penalty, load, ends):
    system, gaps = co.Multicluster([4, 4]), []
    model = co.JobModel(sizes=co.uniform(1, 4), request="total")
    for seed in range(1, 11):
        jobs = model.sample(count=10_000, seed=seed, rate=1.0).with_load(system=system, load=load)
        how = {"system": system, "jobs": jobs, "scheduling": policy}
        spanning = co.sites.multi_site(**how, span_penalty=penalty).response.mean()
        gaps.append(spanning - co.sites.sharing(**how).response.mean())
    found = co.statistics.Replications(gaps).interval
    assert (found.estimate, found.half_width) == pytest.approx(ends, abs=0.0006)
