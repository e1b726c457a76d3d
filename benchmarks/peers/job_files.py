"""Jobs as plain rows, and the files that hand the same jobs to every simulator.

All times are whole numbers, so that no sum of them is rounded: a simulator that adds up delays
comes to the same instants as one that keeps instants.
"""

from array import array
from typing import NamedTuple


class Job(NamedTuple):
    """A rigid job; `expected` is how long it may run, as the scheduler knows it."""

    number: int
    submit: int
    runtime: int
    expected: int
    processors: int


def made(*rows):
    """Return jobs from (submit, runtime, expected, processors), in order of submission."""
    return [Job(number, *row) for number, row in enumerate(rows)]


def write_jobs(path, jobs):
    """Write the jobs, a line each."""
    with open(path, "w", encoding="utf-8") as file:
        for job in jobs:
            file.write(",".join(str(value) for value in job[1:]) + "\n")


def read_jobs(path):
    """Return the jobs of a file."""
    jobs = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file):
            jobs.append(Job(number, *map(int, line.split(","))))
    return jobs


def write_starts(path, starts):
    """Write the start of each job as a binary number."""
    with open(path, "wb") as file:
        array("d", starts).tofile(file)


def read_starts(path):
    """Return the starts that were written."""
    starts = array("d")
    with open(path, "rb") as file:
        starts.frombytes(file.read())
    return starts
