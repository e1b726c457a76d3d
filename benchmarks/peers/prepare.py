"""Write the jobs that all simulators are given: a log, and a queue of the kind M/M/16.

``python prepare.py FOLDER`` writes ``exact.csv``, ``requested.csv``, ``dense.csv`` and
``queue.csv``, and prints what they are as JSON.
"""

import json
import sys
from pathlib import Path

import job_files
import numpy as np

import coalloc_lib as co

LOG, LOG_PROCESSORS = "KTH-SP2", 100
SERVERS, LOAD, QUEUE_JOBS, SEED = 16, 0.8, 200_000, 1
#: The mean service time of the queue: times are whole microseconds.
SECOND = 1_000_000


def log_jobs(log, estimates, processors=LOG_PROCESSORS):
    """Return the rows of the log, its users' estimates or the run times known to the scheduler."""
    stream = log.jobs("total", estimates, 0.0, processors)
    stream = stream[np.argsort(stream.submit, kind="stable")]
    expected = np.maximum(stream.estimate, stream.runtime)
    columns = (stream.submit, stream.runtime, expected, stream.processors)
    return whole_rows(columns)


def denser(jobs):
    """Return the jobs submitted in half the time, which makes a long queue."""
    return [job._replace(submit=job.submit // 2) for job in jobs]


def queue_jobs():
    """Return the rows of the queue: exponential gaps and services, one processor a job."""
    rng = np.random.default_rng(SEED)
    gaps = np.rint(rng.exponential(SECOND / (LOAD * SERVERS), QUEUE_JOBS))
    service = np.rint(rng.exponential(SECOND, QUEUE_JOBS)) + 1  # none of length 0
    return whole_rows((np.cumsum(gaps), service, service, np.ones(QUEUE_JOBS)))


def whole_rows(columns):
    """Return rows of whole numbers; what is no whole number is rounded."""
    rounded = (np.rint(column).astype(np.int64).tolist() for column in columns)
    return job_files.made(*zip(*rounded, strict=True))


def main(folder):
    """Write the files."""
    log = co.load_trace(LOG, missing="stand-in")
    exact, requested = log_jobs(log, "exact"), log_jobs(log, "requested")
    cases = {"exact": exact, "requested": requested, "dense": denser(exact), "queue": queue_jobs()}
    for name, jobs in cases.items():
        job_files.write_jobs(Path(folder, f"{name}.csv"), jobs)
    print(json.dumps({"log": log.title, "log processors": LOG_PROCESSORS, "servers": SERVERS}))


if __name__ == "__main__":
    main(*sys.argv[1:])
