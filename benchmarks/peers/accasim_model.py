"""The same on AccaSim, with its own `FirstInFirstOut` and `EASYBackfilling`.

One node holds all processors. AccaSim reads the jobs from a file in the Standard Workload Format;
an `AdditionalData` hears of each job that ends.
"""

import collections
import collections.abc
import json
import logging
import tempfile
from pathlib import Path

# AccaSim 1.1.3 imports it from where it was before Python 3.10.
collections.Mapping = collections.abc.Mapping

from accasim.base.additional_data import AdditionalData  # noqa: E402
from accasim.base.allocator_class import FirstFit  # noqa: E402
from accasim.base.scheduler_class import EASYBackfilling, FirstInFirstOut  # noqa: E402
from accasim.base.simulator_class import Simulator  # noqa: E402

PACKAGE = "accasim"
#: AccaSim takes an instant 0 for none at all, so its clock runs so far ahead.
AHEAD = 2


class Starts(AdditionalData):
    """Keeps the start of each job; AccaSim makes the object itself, so the class has them."""

    start: dict[int, int]

    def exec_after_completion(self, removed_jobs):
        """Note the jobs that ended."""
        for job in removed_jobs:
            self.start[int(job.id)] = job.start_time - AHEAD

    def ignore(self, *arguments, **named):
        """Do nothing."""

    exec_before_dispatching = exec_after_dispatching = ignore
    exec_before_submission = exec_after_submission = exec_before_completion = stop = ignore


def swf_line(job):
    """Return a job's line: number, submit, wait, run time, processors, ..., requested time."""
    known = (job.number, job.submit + AHEAD, -1, job.runtime, job.processors, -1, -1)
    requested = (job.processors, job.expected, -1)
    return " ".join(str(value) for value in (*known, *requested, 1, 1, 1, 1, 1, 1, -1, -1))


def load(jobs):
    """Write the jobs to a file; return its folder and their number."""
    folder = tempfile.TemporaryDirectory()
    lines = (swf_line(job) + "\n" for job in jobs)
    Path(folder.name, "jobs.swf").write_text("".join(lines), encoding="utf-8")
    return folder, len(jobs)


def simulate(processors, log, dispatcher):
    """Return the start of each job."""
    logging.disable(logging.CRITICAL)
    folder, number_of_jobs = log
    machine = {
        "groups": {"node": {"core": processors}},
        "resources": {"node": 1},
        "equivalence": {"processor": {"core": 1}},
    }
    outputs = {"scheduling_output": False, "statistics_output": False, "show_statistics": False}
    Starts.start = {}
    with folder as path:
        Path(path, "machine.json").write_text(json.dumps(machine), encoding="utf-8")
        files = (f"{path}/jobs.swf", f"{path}/machine.json")
        options = {"additional_data": [Starts], "RESULTS_FOLDER_PATH": path, **outputs}
        Simulator(*files, dispatcher, **options).start_simulation()
    return [Starts.start[number] for number in range(number_of_jobs)]


def fcfs(processors, log):
    """Return the start of each job under AccaSim's FCFS."""
    return simulate(processors, log, FirstInFirstOut(FirstFit()))


def easy(processors, log):
    """Return the start of each job under AccaSim's EASY."""
    return simulate(processors, log, EASYBackfilling(FirstFit()))
