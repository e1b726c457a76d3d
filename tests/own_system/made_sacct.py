"""Made-up exports of Slurm's sacct, with their oddities and the truth that they tell.

``python -m tests.own_system.made_sacct 100000 export.txt`` writes one of about so many lines.
"""

import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

COLUMNS = (
    "JobID", "JobIDRaw", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Elapsed", "State",
    "ExitCode", "AllocCPUS", "NCPUS", "ReqCPUS", "NNodes", "AllocNodes", "ReqNodes", "TimelimitRaw",
    "Timelimit", "User", "Account", "Partition", "QOS", "Cluster", "NodeList",
)  # fmt: skip
KINDS = {
    "plain": 50, "steps": 20, "failed": 4, "timeout": 4, "array": 4, "het": 2, "unlimited": 2,
    "partition limit": 1, "cancelled running": 3, "cancelled waiting": 3, "running": 1,
    "pending": 1, "requeued": 1, "twice": 1, "instant": 1, "backwards": 0.2, "no end": 0.2,
    "no processors": 0.2, "header": 0.1,
}  # fmt: skip
STATES = {"failed": "FAILED", "timeout": "TIMEOUT", "cancelled running": "CANCELLED by 1000"}
STATUS = {"failed": 0, "timeout": 0, "cancelled running": 5}
CORES_A_NODE = 4


class Job(NamedTuple):
    """A made-up job, with times in seconds and a time limit in minutes."""

    kind: str
    submit: int
    wait: int
    runtime: int
    cores: int
    limit: int
    user: str
    partition: str


class Truth(NamedTuple):
    """The values that a reader of the output of ``sacct`` should find for a job."""

    submit: int
    wait: int
    runtime: int
    cores: int
    nodes: int
    limit: int
    status: int
    user: str
    partition: str


def clock(seconds):
    days, rest = divmod(seconds, 86_400)
    hours, minutes, seconds = rest // 3600, rest // 60 % 60, rest % 60
    return (f"{days}-" if days else "") + f"{hours:02}:{minutes:02}:{seconds:02}"


@dataclass
class Export:
    """Made-up output of ``sacct``, and the values that a reader should find in it.

    The field `zone` says how times are printed: ``epoch`` (seconds of Unix), ``offset`` (with the
    offset from UTC), or the clock of a named time zone.
    """

    columns: tuple = COLUMNS
    zone: str = "epoch"
    cluster: str = "north"
    lines: list = field(default_factory=list)
    truth: list = field(default_factory=list)
    left_out: Counter = field(default_factory=Counter)

    def time(self, seconds):
        if not isinstance(seconds, int):
            return seconds
        if self.zone == "epoch":
            return str(seconds)
        if self.zone == "offset":
            return datetime.fromtimestamp(seconds, UTC).isoformat()
        return datetime.fromtimestamp(seconds, ZoneInfo(self.zone)).strftime("%Y-%m-%dT%H:%M:%S")

    def line(self, name, job, **given):
        start, runtime = job.submit + job.wait, job.runtime
        nodes = -(-job.cores // CORES_A_NODE)
        values = {
            "submit": job.submit, "start": start, "end": start + runtime, "elapsed": runtime,
            "state": "COMPLETED", "cores": job.cores, "nodes": nodes, "cluster": self.cluster,
            "limit": str(job.limit), "clock": clock(job.limit * 60), "user": job.user,
            "partition": job.partition,
        } | given  # fmt: skip
        times = {n: self.time(values[n]) for n in ("submit", "start", "end")}
        words = {
            "JobID": name, "JobIDRaw": name, "Submit": times["submit"],
            "Eligible": times["submit"], "Start": times["start"], "End": times["end"],
            "ElapsedRaw": values["elapsed"], "Elapsed": clock(values["elapsed"]),
            "State": values["state"], "ExitCode": "0:0", "AllocCPUS": values["cores"],
            "NCPUS": values["cores"], "ReqCPUS": values["cores"], "NNodes": values["nodes"],
            "AllocNodes": values["nodes"], "ReqNodes": values["nodes"],
            "TimelimitRaw": values["limit"], "Timelimit": values["clock"], "User": values["user"],
            "Account": values["user"] and f"of-{values['partition']}",
            "Partition": values["partition"], "QOS": "normal", "Cluster": values["cluster"],
            "NodeList": f"n[1-{values['nodes']}]",
        }  # fmt: skip
        self.lines.append("|".join(str(words[column]) for column in self.columns))

    def is_true(self, job, status=1, parts=1, **given):
        nodes = -(-job.cores // CORES_A_NODE)
        limit = job.limit * 60
        columns = (job.submit, job.wait, job.runtime, job.cores * parts, nodes * parts, limit)
        truth = Truth(*columns, status, job.user, job.partition)
        self.truth.append(truth._replace(**given))

    def add(self, number, job):
        """Add the lines of a job to the output, and the values that a reader should find."""
        name, kind = f"{number}", job.kind
        if kind in ("plain", *STATES):
            self.line(name, job, state=STATES.get(kind, "COMPLETED"))
            self.is_true(job, STATUS.get(kind, 1))
        elif kind == "steps":
            self.line(name, job)
            for step in ("batch", "extern", "0"):
                self.line(f"{name}.{step}", job, user="", partition="", limit="", clock="")
            self.is_true(job)
            self.left_out["steps of jobs"] += 3
        elif kind == "array":
            for task in (1, 2, 7):
                self.line(f"{name}_{task}", job)
                self.is_true(job)
            waits = {"start": "Unknown", "end": "Unknown", "elapsed": 0, "cores": 0}
            self.line(f"{name}_[8-20%4]", job, state="PENDING", **waits)
            self.left_out["still waiting or running"] += 1
        elif kind == "het":
            for part in (0, 1, 2):
                self.line(f"{name}+{part}", job)
            self.line(f"{name}+0.batch", job)
            self.is_true(job, parts=3)
            self.left_out["further components of heterogeneous jobs"] += 2
            self.left_out["steps of jobs"] += 1
        elif kind in ("unlimited", "partition limit"):
            word = "UNLIMITED" if kind == "unlimited" else "Partition_Limit"
            self.line(name, job, limit=word, clock=word)
            self.is_true(job, limit=-1)
        elif kind == "requeued":
            self.line(name, job, state="NODE_FAIL")
            later = job._replace(submit=job.submit + job.wait + job.runtime + 30, wait=60)
            self.line(name, later)
            self.is_true(job, 0)
            self.is_true(later)
        elif kind == "twice":
            self.line(name, job)
            self.line(name, job)
            self.is_true(job)
            self.left_out["repeated lines"] += 1
        elif kind == "header":
            self.lines.append("|".join(self.columns))
            self.left_out["repeated lines"] += 1
        else:
            unknown = {"start": "Unknown", "end": "Unknown", "elapsed": 0}
            end = job.submit + job.wait
            given, reason = {
                "cancelled waiting": (
                    {"state": "CANCELLED by 1000", "start": "None", "end": end, "elapsed": 0},
                    "never started",
                ),
                "running": ({"state": "RUNNING", "end": "Unknown"}, "still waiting or running"),
                "pending": ({"state": "PENDING", **unknown}, "still waiting or running"),
                "instant": ({"end": end, "elapsed": 0}, "ran for less than a second"),
                "backwards": ({"end": job.submit - 10_000, "elapsed": 0}, "end before they start"),
                "no end": ({"end": "Unknown"}, "without a time of submission or of end"),
                "no processors": ({"cores": 0, "nodes": 0}, "without processors"),
            }[kind]
            self.line(name, job, **given)
            self.left_out[reason] += 1

    @property
    def text(self):
        return "\n".join(["|".join(self.columns), *self.lines]) + "\n"


def random_jobs(count, seed=1):
    """Yield random jobs of every kind, submitted about a minute apart."""
    rng = np.random.default_rng(seed)
    odds = np.array([*KINDS.values()])
    kinds = rng.choice([*KINDS], size=count, p=odds / odds.sum())
    submit = 1_700_000_000 + np.cumsum(rng.integers(0, 120, count))
    wait, runtime = rng.exponential(3_000, count), 1 + rng.exponential(5_000, count)
    cores, limit = 2 ** rng.integers(0, 9, count), rng.integers(10, 2_880, count)
    users, partitions = rng.integers(0, 300, count), rng.integers(0, 5, count)
    columns = (submit, wait.astype(int), runtime.astype(int), cores, limit)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for kind, row, user, partition in zip(kinds.tolist(), rows, users, partitions, strict=True):
        yield Job(kind, *row, f"üser{user}", f"part{partition}")


def random_export(lines, seed=1, **how):
    """Return made-up output of ``sacct`` that has at least a given number of lines."""
    export = Export(**how)
    for number, job in enumerate(random_jobs(lines, seed), start=1):
        if len(export.lines) >= lines:
            break
        export.add(number, job)
    return export


if __name__ == "__main__":
    made = random_export(int(sys.argv[1]), zone=(sys.argv[3:] or ["Europe/Amsterdam"])[0])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(made.text)
    print(f"{len(made.lines):,} lines, {len(made.truth):,} jobs, left out: {dict(made.left_out)}")
