"""Compare the schedules of two real logs that independent programs make.

``python crosscheck.py PEERS-PYTHON PAGE`` runs EASY and conservative backfilling on KTH-SP2 and
CTC-SP2, and fills the table of the page. `make crosscheck` calls it. All schedules are compared
with that of a plain program: the textbook version of EASY, or the naive version of conservative
backfilling of the tests. Neither shares code with the library.
"""

import sys
import tempfile
from pathlib import Path

import compare
import job_files
import numpy as np
import page
from prepare import log_jobs

import coalloc_lib as co

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tests.naive_backfilling import conservative

LOGS = ("KTH-SP2", "CTC-SP2")
ESTIMATES = {"exact": "run times known", "requested": "times requested"}
POLICIES = {"easy": co.EASY(), "conservative": co.Conservative()}
ENGINES = {"compiled engine": "compiled", "readable engine": "reference"}
OTHERS = [peer for peer in compare.PEERS if peer.title.startswith(("AccaSim", "SimGrid"))]
HEADINGS = (
    "log, policy and estimates", "program", "jobs", "starts that differ",
    "earliest and latest, h", "mean wait, h",
)  # fmt: skip
HOUR = 3600
#: The number of jobs of each log under each policy; naive conservative backfilling is slow.
MOST_JOBS = {"easy": None, "conservative": 3_000}


def plain_starts(bench, case, jobs):
    """Return the starts of the plain program."""
    if case.policy == "easy":
        return bench.textbook(case)
    rows = [(job.submit, job.runtime, job.expected, job.processors) for job in jobs]
    return conservative(case.processors, rows)[0]


def library_starts(case, jobs, engine):
    """Return the starts of an engine of the library."""
    _, submit, runtime, expected, processors = np.array(jobs).T
    stream = co.JobStream(submit, runtime, processors, expected, request="total")
    system, policy = co.Multicluster([case.processors]), POLICIES[case.policy]
    return co.simulate(system, stream, scheduling=policy, engine=engine).start.tolist()


def programs(bench, case, jobs):
    """Yield the name of each program that can run a case, with a function that returns starts."""
    for name, engine in ENGINES.items():
        yield name, lambda engine=engine: library_starts(case, jobs, engine)
    for peer in OTHERS if case.policy == "easy" else ():
        yield peer.title, lambda peer=peer: bench.run(peer, case)[1]


def row(case, name, jobs, starts, expected):
    """Return a row of the table."""
    later = np.subtract(starts, expected)
    wait = np.mean(np.subtract(starts, [job.submit for job in jobs]))
    differing = np.count_nonzero(later)
    extremes = f"{later.min() / HOUR:+.1f} to {later.max() / HOUR:+.1f}" if differing else "–"
    return case.title, name, f"{len(jobs):,}", f"{differing:,}", extremes, f"{wait / HOUR:.3f}"


def rows(bench):
    """Yield the rows of the table."""
    for name in LOGS:
        log = co.load_trace(name, missing="stand-in")
        for estimates, words in ESTIMATES.items():
            for policy in POLICIES:
                jobs = log_jobs(log, estimates, log.processors)[: MOST_JOBS[policy]]
                job_files.write_jobs(bench.folder / f"{estimates}.csv", jobs)
                title = f"{log.title} on {log.processors} processors, {policy}, {words}"
                yield from rows_of(
                    bench, compare.Case(title, estimates, policy, log.processors), jobs
                )


def rows_of(bench, case, jobs):
    """Yield the rows of one log, policy and kind of estimates."""
    print(case.title, len(jobs), "jobs", flush=True)
    expected = plain_starts(bench, case, jobs)
    yield row(case, "plain program", jobs, expected, expected)
    for name, starts_of in programs(bench, case, jobs):
        try:
            yield row(case, name, jobs, starts_of(), expected)
        except compare.FailedError as error:
            yield case.title, name, "–", str(error), "", ""


def main(peers_python, path):
    """Run all programs, and write the table into the page."""
    with tempfile.TemporaryDirectory() as folder:
        table = page.table(HEADINGS, rows(compare.Bench(folder, peers_python)))
    page.fill(path, "crosscheck", page.measured_on() + "\n" + table)


if __name__ == "__main__":
    main(*sys.argv[1:])
