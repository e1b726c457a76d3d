"""Run one model on one file of jobs in a process of its own; print what it took as JSON.

``python one_run.py MODEL POLICY PROCESSORS JOBS-FILE STARTS-FILE``. The time is by the
clock, from the jobs in the simulator's own form (`load` of a model makes it) to the list of starts;
the peak memory is that of the whole process.
"""

import importlib
import importlib.metadata
import json
import os
import platform
import sys
import time
from pathlib import Path

import job_files

sys.path.append(str(Path(__file__).parents[1]))
from peak import megabytes

#: What the library runs first, so that its compiled kernels are in memory.
WARM = job_files.made((0, 3, 3, 1), (1, 1, 1, 1))


def hold_to_one_core():
    """Keep the process on one core, where threads that take turns wake each other soonest.

    No model computes on two; SimGrid's threads take up to seven times as long on several.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def version_of(model):
    """Return the version of what a model runs on."""
    if model.PACKAGE is None:
        return f"Python {platform.python_version()}"
    if hasattr(model, "version"):
        return model.version()
    return importlib.metadata.version(model.PACKAGE)


def main(name, policy, processors, jobs_file, starts_file):
    """Run the model, write the starts and print time, memory and version."""
    hold_to_one_core()
    model = importlib.import_module(name)
    run = getattr(model, policy)
    jobs = job_files.read_jobs(jobs_file)
    load = getattr(model, "load", list)
    if name == "coalloc_model":
        run(2, load(WARM))
    given = load(jobs)
    began = time.perf_counter()
    starts = run(int(processors), given)
    seconds = time.perf_counter() - began
    peak = megabytes()
    job_files.write_starts(starts_file, starts)
    version = version_of(model)
    print(json.dumps({"version": version, "jobs": len(jobs), "seconds": seconds, "peak": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
