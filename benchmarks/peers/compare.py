"""Set this library beside other simulators: one table, from the same jobs.

``python compare.py PEERS-PYTHON PAGE``, or `make peers`, which makes the other simulators' virtual
environment first. Each run is a process of its own. This one imports the standard library only.
"""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import job_files
import page

HERE = Path(__file__).parent
#: A run shorter than this, in seconds, is repeated, and the least time counts.
SHORT, TIMES = 5, 3
#: A run that takes longer, in seconds, is ended.
LONGEST = 200
#: A job is wide that takes more than this share of the processors.
WIDE = 0.25
#: Where a simulator may be that a package of the system has brought.
SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True)
class Case:
    """Jobs, a policy and a machine that all are given."""

    title: str
    file: str
    policy: str
    processors: int


@dataclass(frozen=True)
class Peer:
    """A simulator: its name, and the module that models the cases."""

    title: str
    model: str
    cases: tuple[str, ...] = ("exact", "requested", "dense", "queue")


TEXTBOOK = Peer("textbook, plain Python", "textbook")
OURS = Peer("Coalloc Workbench", "coalloc_model")
PEERS = (
    OURS,
    TEXTBOOK,
    Peer("SimPy", "simpy_model"),
    Peer("Ciw", "ciw_model", cases=("queue",)),
    Peer("AccaSim", "accasim_model"),
    Peer("SimGrid actors", "simgrid_model"),
)

#: The fewest jobs, on two processors, that show what a wrong EASY does.
EXAMPLES = {
    "passing": job_files.made((0, 10, 10, 1), (1, 10, 10, 2), (2, 100, 100, 1)),
    "early-end": job_files.made((0, 2, 10, 2), (1, 3, 3, 2)),
}

HEADINGS = (
    "run",
    "simulator",
    "version",
    "jobs",
    "time, s",
    "jobs/s",
    "Coalloc is faster",
    "memory, MB",
    "starts that differ",
    "wait",
    "wait of wide jobs",
)


class FailedError(Exception):
    """A simulator is not there, or did not finish; the text is the reason."""


class Bench:
    """The folder with the jobs, and the interpreters that have the simulators."""

    def __init__(self, folder, peers_python):
        self.folder, self.peers_python = Path(folder), Path(peers_python)
        self.expected = {}

    def prepare(self):
        """Write the jobs; return what they are."""
        return json.loads(self.python(sys.executable, "prepare.py", str(self.folder)))

    def python(self, interpreter, script, *arguments):
        """Run a script, return the last line it prints."""
        command = [str(interpreter), str(HERE / script), *arguments]
        how = {"capture_output": True, "text": True, "timeout": LONGEST}
        try:
            done = subprocess.run(command, check=False, **how)
        except subprocess.TimeoutExpired:
            raise FailedError(f"took longer than {LONGEST} s") from None
        except OSError as error:
            raise FailedError(str(error)) from None
        if done.returncode:
            raise FailedError((done.stderr.strip().splitlines() or ["ended without a word"])[-1])
        return done.stdout.strip().splitlines()[-1]

    def run(self, peer, case):
        """Return what one run took, and its starts."""
        starts = self.folder / "starts"
        arguments = [peer.model, case.policy, str(case.processors)]
        arguments += [str(self.folder / f"{case.file}.csv"), str(starts)]
        if peer is OURS:
            printed = self.python(sys.executable, "one_run.py", *arguments)
        else:
            printed = self.elsewhere(peer, arguments)
        return json.loads(printed), job_files.read_starts(starts)

    def elsewhere(self, peer, arguments):
        """Run a model in the simulators' environment, or else with the system's Python."""
        for interpreter in (self.peers_python, SYSTEM_PYTHON):
            try:
                return self.python(interpreter, "one_run.py", *arguments)
            except FailedError as error:
                if "ModuleNotFoundError" not in str(error):
                    raise
        package = peer.model.removesuffix("_model")
        raise FailedError(f"not installed: {self.why_not(package)}")

    def why_not(self, package):
        """Return why pip did not install a package, from what it printed."""
        log = self.peers_python.parents[1] / f"{package}.log"
        if not log.exists():
            return "no log of pip"
        lines = [line.strip() for line in log.read_text(encoding="utf-8").splitlines()]
        for number, line in enumerate(lines[:-1]):
            if line.startswith("CMake Error"):
                return lines[number + 1]
        errors = [line for line in lines if line.lower().startswith("error:")]
        return errors[-1] if errors else "pip does not tell"

    def textbook(self, case):
        """Return the textbook's starts."""
        if case not in self.expected:
            self.expected[case] = self.run(TEXTBOOK, case)[1]
        return self.expected[case]

    def waits(self, case, starts, expected):
        """Return the wait of all jobs and of the wide ones, as shares of the textbook's."""
        jobs = job_files.read_jobs(self.folder / f"{case.file}.csv")
        wide = [job for job in jobs if job.processors > case.processors * WIDE]
        shares = []
        for group in (jobs, wide):
            total = sum(starts[job.number] - job.submit for job in group)
            of_textbook = sum(expected[job.number] - job.submit for job in group)
            shares.append(f"{total / of_textbook:.3f}" if of_textbook else "–")
        return shares


def measure(bench, peer, case):
    """Return what a simulator took, least of several times, and its starts."""
    took, starts = bench.run(peer, case)
    if took["seconds"] < SHORT:
        more = [bench.run(peer, case)[0]["seconds"] for _ in range(TIMES - 1)]
        took["seconds"] = min(took["seconds"], *more)
    return took, starts


def rows(bench, cases):
    """Yield the rows of the table."""
    for case in cases:
        rate_of_ours = None
        for peer in PEERS:
            if case.file not in peer.cases:
                continue
            try:
                took, starts = measure(bench, peer, case)
            except FailedError as error:
                empty = ["–"] * (len(HEADINGS) - 4)
                yield [case.title, peer.title, "–", str(error), *empty]
                continue
            if peer is OURS:
                rate_of_ours = took["jobs"] / took["seconds"]
            speed = speeds(took, rate_of_ours)
            same = sameness(bench, case, starts)
            yield [case.title, peer.title, took["version"], f"{took['jobs']:,}", *speed, *same]


def speeds(took, rate_of_ours):
    """Return seconds, jobs a second, how many times as fast this library is, and the memory."""
    rate = took["jobs"] / took["seconds"]
    faster = "–" if rate_of_ours in (None, rate) else f"{rate_of_ours / rate:,.0f} ×"
    return f"{took['seconds']:.3g}", f"{rate:,.0f}", faster, f"{took['peak']:.0f}"


def sameness(bench, case, starts):
    """Return how many jobs start when the textbook does not start them, and the waits."""
    expected = bench.textbook(case)
    differing = sum(a != b for a, b in zip(starts, expected, strict=True))
    return f"{differing:,}", *bench.waits(case, starts, expected)


def example(bench, name, jobs):
    """Return a table of a few jobs with the start that each simulator gives them."""
    job_files.write_jobs(bench.folder / f"{name}.csv", jobs)
    case, columns = Case("", name, "easy", 2), {}
    for peer in PEERS:
        if "exact" in peer.cases:
            try:
                columns[peer.title] = [f"{start:g}" for start in bench.run(peer, case)[1]]
            except FailedError:
                columns[peer.title] = ["–"] * len(jobs)
    headings = ["job", "submitted", "runs", "may run", "processors", *columns]
    cells = zip(*columns.values(), strict=True)
    lines = [[job.number + 1, *job[1:], *starts] for job, starts in zip(jobs, cells, strict=True)]
    return page.table(headings, lines)


def main(peers_python, path):
    """Measure, and write the parts of the page."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, peers_python)
        about = bench.prepare()
        log, processors = about["log"], about["log processors"]
        cases = (
            Case(f"{log}, EASY, run times known", "exact", "easy", processors),
            Case(f"{log}, EASY, times requested", "requested", "easy", processors),
            Case(f"{log} at twice the load, EASY, run times known", "dense", "easy", processors),
            Case(f"M/M/{about['servers']}, FCFS", "queue", "fcfs", about["servers"]),
        )
        measured = []
        for row in rows(bench, cases):
            print(" | ".join(row), flush=True)
            measured.append(row)
        page.fill(path, "peers", f"{page.measured_on()}\n{page.table(HEADINGS, measured)}")
        for name, jobs in EXAMPLES.items():
            page.fill(path, name, example(bench, name, jobs))


if __name__ == "__main__":
    main(*sys.argv[1:])
