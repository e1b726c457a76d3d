"""Read the cases of `data/conformance`; this module needs the standard library only."""

import csv
import json
from pathlib import Path
from typing import NamedTuple

#: The folder of the kit.
KIT = Path(__file__).resolve().parents[2] / "data" / "conformance"


class Job(NamedTuple):
    """A rigid job. A start limit is infinite, and a priority 0, if the case does not set it."""

    number: int
    submit: float
    runtime: float
    estimate: float
    components: tuple[int, ...]
    earliest_start: float
    latest_start: float


class Case(NamedTuple):
    """A case of the kit: the object of ``case.json``, and its jobs in order of the file."""

    name: str
    about: dict
    jobs: list[Job]

    @property
    def starts(self):
        """The expected start of each job; None for a job that must be rejected."""
        return [row["start"] for row in self.about["schedule"]]

    @property
    def ends(self):
        """The expected end of each job."""
        return [row["end"] for row in self.about["schedule"]]

    @property
    def allocations(self):
        """The expected number of processors of each job on each cluster."""
        return [row["allocation"] for row in self.about["schedule"]]


def read_kit(folder=KIT):
    """Return all cases in order of their names."""
    return [read_case(path.parent) for path in sorted(Path(folder).glob("*/case.json"))]


def read_case(folder):
    """Return the case of one folder."""
    about = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    read = _read_swf if about["jobs"].endswith(".swf") else _read_csv
    return Case(folder.name, about, read(folder / about["jobs"]))


def _read_swf(path):
    """Return the jobs of an SWF file: fields 1, 2, 4, 8 and 9 of each line."""
    jobs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(";"):
            continue
        field = [float(word) for word in line.split()]
        submit, runtime, estimate = field[1], field[3], field[8]
        limits = (submit, float("inf"))
        jobs.append(Job(int(field[0]), submit, runtime, estimate, (int(field[7]),), *limits))
    return jobs


def _read_csv(path):
    """Return the jobs of a CSV file, in which ``3;0`` are components of 3 and 0 processors."""
    jobs = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            submit = float(row["submit"])
            components = tuple(int(part) for part in row["components"].split(";"))
            earliest = float(row.get("earliest_start") or submit)
            latest = float(row.get("latest_start") or "inf")
            times = (submit, float(row["runtime"]), float(row["estimate"]))
            jobs.append(Job(int(row["job"]), *times, components, earliest, latest))
    return jobs
