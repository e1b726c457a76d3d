"""Schedules in the format of the simulator Batsim, which the tool evalys reads."""

import os
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from coalloc_lib.basics import checks
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.schedules.schedule import Schedule

if TYPE_CHECKING:
    import pandas as pd

#: The file name extensions of exported schedules.
SUFFIXES = (".csv",)


def export(schedule: Schedule, path: str | os.PathLike[str]) -> None:
    """Write a schedule to a CSV file, in the format of the simulator Batsim.

    Parameters
    ----------
    schedule : Schedule
        The schedule, which `simulate` returned.
    path : path-like
        The file to write, whose name ends in ``.csv``. An existing file is replaced.

    Raises
    ------
    InputError
        The first argument is not a schedule, the name has another ending, or an allocation does not
        fit on its cluster.

    See Also
    --------
    batsim_jobs : The same table as a pandas table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import coalloc_lib as co
    >>> jobs = co.JobStream(submit=[0, 1], runtime=[5, 2], components=[3, 2])
    >>> schedule = co.simulate(co.Multicluster([4]), jobs)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "jobs.csv")
    ...     export(schedule, path)
    ...     lines = path.read_text().splitlines()
    >>> len(lines)
    3
    """
    checks.instance_of("schedule", schedule, Schedule, "the schedule that simulate returned")
    checks.one_of("path.suffix", checks.path_of("path", path).suffix, SUFFIXES)
    with atomic_path(path) as beside:
        batsim_jobs(schedule).to_csv(beside, index=False, lineterminator="\n")


def batsim_jobs(schedule: Schedule) -> "pd.DataFrame":
    """Convert a schedule to a table of jobs like the one that the simulator Batsim writes.

    The table has one row for each job. Times are in seconds, and processors are intervals such as
    ``0-3 7``. A rejected job has no success, start, end or processors. A job that failed
    (`JobStream.failed`) has no success. The requested time of a job without an estimate is -1.

    References
    ----------
    The format: https://batsim.readthedocs.io/en/latest/output-jobs.html
    """
    import pandas as pd

    job, low, high = schedule.processor_ranges()
    words = [f"{a}-{b}" if a < b else f"{a}" for a, b in np.stack([low, high], 1).tolist()]
    ends = np.searchsorted(job, np.arange(len(schedule) + 1)).tolist()
    length, response = schedule.end - schedule.start, schedule.response
    jobs, succeeds = schedule.jobs, schedule.served & ~schedule.jobs.failed
    return pd.DataFrame({
        "job_id": jobs.label, "workload_name": "coalloc",
        "submission_time": jobs.submit,
        "requested_number_of_resources": jobs.processors,
        "requested_time": np.where(jobs.has_estimate, jobs.estimate, -1),
        "success": succeeds.astype(int),
        "starting_time": schedule.start, "execution_time": length, "finish_time": schedule.end,
        "waiting_time": schedule.wait, "turnaround_time": response,
        "stretch": response / np.where(length > 0, length, np.nan),
        "allocated_resources": [" ".join(words[a:b]) for a, b in pairwise(ends)],
    })  # fmt: skip
