"""Folded answers of notebook 01 are those of the library: groups of arrivals, and its explorer."""

import numpy as np
import pytest

import coalloc_lib as co
from coalloc_lib.widgets.losses import LossQuestion, max_utilization_of
from studies.maximal_utilization import study


def mean_wait(jobs, gaps, load):
    submit = np.cumsum(gaps) * jobs.mean_work / (load * 8)
    return co.simulate(co.Multicluster([4, 4]), jobs.replace(submit=submit)).wait.mean()


@pytest.mark.parametrize(("group", "times"), [(5, 12), (30, 74), (100, 240)])
def test_groups_lengthen_the_wait_and_not_the_load_that_the_system_carries(group, times):
    model = co.JobModel(sizes=co.uniform(1, 4), request="total")
    jobs = model.sample(100_000, seed=1)
    gaps, rng = np.zeros(len(jobs)), np.random.default_rng(1)
    gaps[::group] = rng.exponential(group, -(-len(jobs) // group))
    ratio = mean_wait(jobs, gaps, 0.5) / mean_wait(jobs, np.ones(len(jobs)), 0.5)
    assert ratio == pytest.approx(times, rel=0.03)
    assert mean_wait(jobs, gaps, 0.85) > 3 * mean_wait(jobs, gaps, 0.8)


@pytest.mark.parametrize(
    ("asked", "ordered", "unordered", "total"),
    [
        ({}, 0.223, 0.094, 0.064),
        ({"clusters": 8, "cluster_size": 16}, 0.674, 0.166, 0.064),
        ({"high": 32}, 0.470, 0.433, 0.334),
        ({"components": 2}, 0.577, 0.072, 0.032),
    ],
)
def test_the_tasks_of_the_explorer_have_these_losses(asked, ordered, unordered, total):
    losses = {"ordered": ordered, "unordered": unordered, "total": total}
    for request, loss in losses.items():
        found = max_utilization_of(LossQuestion(request=request, **asked))
        assert 1 - found.max_utilization == pytest.approx(loss, abs=0.0015)


@pytest.mark.parametrize(
    ("clusters", "high", "points"),
    [([8, 8], 2, -0.579), ([8, 8], 3, -0.658), ([8, 8], 8, -0.003), ([5, 5], 2, -0.653),
     ([5, 5], 5, -0.0005), ([4, 4, 4], 2, 0.0), ([4, 4, 4], 4, 0.0)],
)  # fmt: skip
def test_equation_5_is_this_far_from_the_exact_loss(clusters, high, points):
    how = {"system": co.Multicluster(clusters), "sizes": co.uniform(1, high)}
    how |= {"components": len(clusters), "request": "unordered"}
    exact, formula = co.exact_utilization(**how), co.maximal_utilization(**how)
    off = 100 * (formula.capacity_loss - exact.capacity_loss)
    assert off == pytest.approx(points, abs=0.0006 if points else 1e-9)


def test_jumps_of_ordered_jobs_and_a_freer_request_are_not_told_apart_for_mixed_sizes():
    def loss(request, limit):
        sizes = co.parse_sizes("D(0.768)[1,32]")
        jobs = co.JobModel(sizes=sizes, components=4, request=request)
        four = {"system": co.Multicluster([32] * 4), "scheduling": co.FPFS(max_jumps=limit)}
        asked = co.Scenario(workload=jobs, **four)
        return co.saturated_loss(asked, jobs=20_000, backlog=500)

    ordered, unordered = loss("ordered", 200), loss("unordered", 0)
    assert (ordered.estimate, unordered.estimate) == pytest.approx((0.168, 0.173), abs=0.0006)
    assert ordered.high > unordered.low


@pytest.mark.parametrize(("sizes", "points"), [("U[1,7]", 6.3), ("D(0.894)[1,32]", 0.9)])
def test_first_fit_loses_this_many_points_more_than_worst_fit(sizes, points):
    rows = study.judge(study.archived()).figure("figure6").data().dropna(subset="difference")
    differences = 100 * rows.set_index("sizes")["difference"]
    assert differences[sizes] == pytest.approx(points, abs=0.05)
    assert differences.idxmax() == "U[1,7]"


def test_a_limit_of_fifty_gains_six_to_eleven_points_and_one_of_five_two():
    rows = study.judge(study.archived()).figure("figure5").data().dropna(subset="difference")
    gains = -100 * rows.groupby("policy")["difference"].agg(["min", "max"])
    assert gains.loc["FPFS(50)"].round().tolist() == [11, 6]
    assert gains.loc["FPFS(5)"].max() == pytest.approx(2.1, abs=0.05)
