"""The studies, lessons and simulations of the notebooks at a tiny scale."""

from dataclasses import replace

from coalloc_lib.statistics import curves, maximum, saturation
from coalloc_lib.workloads import catalogue
from studies import load_study
from studies.cluster_configurations import lesson as cluster_configurations
from studies.communication_penalty import lesson as communication_penalty
from studies.job_sharing import model as job_sharing
from studies.log_files import missing_logs
from studies.maximal_utilization import lesson as maximal_utilization
from studies.online_batch import model as online_batch
from tests.studies.small import SMALL

#: Fewer jobs and runs than functions take by themselves.
DEFAULTS = (
    (saturation.saturated_loss, {"jobs": 10_000}),
    (maximum.max_utilization_by_simulation, {"jobs": 10_000}),
    (curves.compare, {"jobs": 20_000, "replications": 3}),
)
LESSONS = (
    (cluster_configurations, {"JOBS": 300, "RUNS": 3}),
    (communication_penalty, {"BUSY": 1_000, "RUNS": 4, "RESPONDING": 1_000}),
    (maximal_utilization, {"JOBS": 200, "RUNS": 3}),
)
#: Only every fifth job of a real log is read. A synthetic log is short as it is.
THIN = 5


def shrink():
    """Make the logs, ``reproduce("quick")``, lessons and simulations of this process small."""
    load = catalogue.load_trace

    def load_few(*args, **how):
        log = load(*args, **how)
        return log if log.is_stand_in else replace(log, table=log.table[::THIN])

    for module in (catalogue, job_sharing, online_batch):
        module.load_trace = load_few
    if not missing_logs([job_sharing.LOG]):
        job_sharing.JOBS //= THIN  # of synthetic jobs, so few would span less than two weeks
    for name, scale in SMALL.items():
        load_study(name).scales["quick"] = scale
    for function, fewer in DEFAULTS:
        assert function.__kwdefaults__.keys() >= fewer.keys()
        function.__kwdefaults__.update(fewer)
    for lesson, constants in LESSONS:
        for name, value in constants.items():
            assert hasattr(lesson, name)
            setattr(lesson, name, value)
    times = curves.response_times
    curves.response_times = lambda *a, **how: times(*a, **how | {"jobs": 20_000, "replications": 3})
