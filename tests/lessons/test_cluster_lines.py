"""Numbers in the text of notebook 02 are those of the stored runs and of the library."""

import numpy as np
import pytest

import coalloc_lib as co
from studies.cluster_configurations import break_even_explorer, lesson, model, study


@pytest.mark.parametrize(
    ("placement", "words", "utilization"),
    [
        (model.FIRST_FIT, "one", 0.751), (model.FIRST_FIT, "two", 0.853),
        (model.FIRST_FIT, "four", 0.847), (model.WORST_FIT, "one", 0.747),
        (model.WORST_FIT, "two", 0.850), (model.WORST_FIT, "four", 0.893),
    ],
)  # fmt: skip
def test_the_table_of_one_total_has_the_stored_utilizations(placement, words, utilization):
    runs = lesson._on_standard(study.judge(study.archived()), placement)
    found = runs[runs["jobs"] == lesson.OF_ONE_TOTAL[words]]["max_utilization"].dropna()
    assert found.mean() == pytest.approx(utilization, abs=0.0006)


def test_the_penalty_changes_the_work_of_jobs_that_span_and_not_of_whole_jobs():
    span, whole = break_even_explorer._carried(4, 8, "FCFS", "worst fit", (5_000, 8))
    done = [span.mean / 1.1, span.mean / 1.4, whole.mean]
    assert done == pytest.approx([0.81, 0.63, 0.71], abs=0.006)


@pytest.mark.parametrize(("placement", "apart"), [(co.WorstFit(), 3.5), (co.FirstFit(), 10.5)])
def test_worst_fit_keeps_the_numbers_of_idle_processors_more_equal(placement, apart):
    """The largest and the smallest number differ by so much on average, in a full system."""
    jobs = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), components=4)
    full = co.Scenario(co.Multicluster([32] * 4), jobs, placement=placement)
    ran = full.simulate(20_000, backlog=1, seed=1)
    times = np.linspace(ran.start[500], ran.start[-500], 5_000)
    idle = co.schedules.reading.idle_after(ran, times)
    assert np.ptp(idle, axis=1).mean() == pytest.approx(apart, abs=0.15)


@pytest.mark.parametrize(
    ("limit", "clusters", "gain"),
    [(0, 4, 0.047), (5, 4, 0.015), (50, 4, 0.005), (0, 16, -0.09), (5, 16, -0.08), (50, 16, -0.02)],
)
def test_overtaking_shrinks_the_difference_between_the_placements(limit, clusters, gain):
    """The maximal utilization under worst fit, minus that under first fit."""
    jobs = co.JobModel(co.parse_sizes("D(0.9)[1,8]"), components=4)
    worst = co.Scenario(
        co.Multicluster([128 // clusters] * clusters), jobs,
        placement=co.WorstFit(), scheduling=co.FPFS(limit),
    )  # fmt: skip
    first = worst.with_(placement=co.FirstFit())
    found = co.compare(worst, first, jobs=5_000, replications=10, backlog=50, seed=2)
    assert found.estimate == pytest.approx(gain, abs=0.0045)
