"""Two scenarios, and comparisons of them with few jobs, for several tests."""

from contextlib import contextmanager

import pytest

import coalloc_lib as co
from coalloc_lib.statistics import scenario_pairs

FEW = scenario_pairs.Effort(300, 3, 1_200, 5, 1)
EIGHTS, SIZES = co.Multicluster([8, 8, 8]), co.uniform(1, 8)
WHOLE = co.Scenario(EIGHTS, co.JobModel(SIZES, request="total"), co.FCFS(), co.BestFit())
SPANNING = co.Scenario(
    EIGHTS, co.JobModel(SIZES, request="flexible", span_penalty=0.25), co.FCFS(),
    co.SingleThenSpan(),
)  # fmt: skip


@contextmanager
def few_jobs():
    """Simulate few jobs, and remember no results of other numbers of jobs."""
    kept = scenario_pairs._over_load, scenario_pairs._break_even
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scenario_pairs, "EFFORTS", (FEW, FEW))
        patched.setattr(scenario_pairs, "PLANNED", (FEW, FEW))
        patched.setattr(scenario_pairs, "LOADS", (0.3, 0.6, 0.9))
        for function in kept:
            function.cache_clear()
        yield
    for function in kept:
        function.cache_clear()
