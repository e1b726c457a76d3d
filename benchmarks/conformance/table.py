"""Run the conformance kit and write the table of results: ``python table.py PEERS-PYTHON PAGE``.

The readable and the compiled engine run all cases. The simulators of `benchmarks/peers` run those
that they can read: FCFS and EASY on one cluster, in order of submission. Each run of a simulator is
a process of its own. `make conformance` calls this program.
"""

import sys
import tempfile
from pathlib import Path

import kit
import large

import coalloc_lib as co
from coalloc_lib.policies.names import PLACEMENTS, SCHEDULING

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))

import compare
import job_files
import page

ENGINES = {"readable engine": "reference", "compiled engine": "compiled"}
PEERS = [peer for peer in compare.PEERS if peer is not compare.OURS]
#: The cell of a tool that gives the expected schedule, and of one that cannot read the case.
RIGHT, UNREAD = "yes", ""
#: How to read the table, above it.
LEGEND = """\
*yes*: the tool gives the expected schedule. A number: it gives the schedule of this mistake of the
case, as `case.json` lists them. *other*: it gives another schedule. An empty cell: the tool has no
such policy, or cannot read such jobs. *fails*: it ends with an error or does not start every job.
"""


def library_rows(case, engine):
    """Return start, end and allocation of each job with an engine of this library."""
    about = case.about
    options = {name: value for name, value in about["policy"].items() if name != "name"}
    schedule = co.simulate(
        co.Multicluster(about["clusters"]),
        library_jobs(case),
        scheduling=SCHEDULING[about["policy"]["name"]](**options),
        placement=None if about["placement"] is None else PLACEMENTS[about["placement"]](),
        engine=engine,
    )
    rows = zip(schedule.start.tolist(), schedule.end.tolist(), schedule.allocation, strict=True)
    return [
        [None] * 3 if job in schedule.refused else [start, end, allocation.tolist()]
        for job, (start, end, allocation) in enumerate(rows)
    ]


def library_jobs(case):
    """Return the jobs of a case as a stream."""
    _, submit, runtime, estimate, components, earliest, latest = zip(*case.jobs, strict=True)
    about = case.about
    penalty = about["span_penalty"]
    jobs = co.JobStream(submit, runtime, components, estimate, about["request"], penalty)
    return jobs.replace(earliest_start=earliest, latest_start=latest)


def rows_of(schedule):
    """Return the rows of a schedule in ``case.json``."""
    return [[row["start"], row["end"], row["allocation"]] for row in schedule]


def verdict(case, rows, keys=slice(None)):
    """Return the cell of a tool: *yes*, the numbers of the mistakes, or *other*."""
    rows = [row[keys] for row in rows]
    if rows == [row[keys] for row in rows_of(case.about["schedule"])]:
        return RIGHT
    same = [
        str(number)
        for number, wrong in enumerate(case.about["mistakes"], start=1)
        if rows == [row[keys] for row in rows_of(wrong["schedule"])]
    ]
    return " or ".join(same) or "other"


def is_readable(case):
    """Return whether the simulators of `benchmarks/peers` have the policy and can read the jobs."""
    about = case.about
    policy = about["policy"]["name"]
    is_usual = policy == "fcfs" or (policy == "easy" and about["policy"]["order"] == "arrival")
    return is_usual and len(about["clusters"]) == 1 and len(case.jobs[0].components) == 1


def peer_starts(bench, peer, case):
    """Return the start of each job in another simulator, as rows."""
    rows = [
        (int(job.submit), int(job.runtime), int(max(job.estimate, job.runtime)), *job.components)
        for job in case.jobs
    ]
    job_files.write_jobs(bench.folder / f"{case.name}.csv", job_files.made(*rows))
    policy, (processors,) = case.about["policy"]["name"], case.about["clusters"]
    _, starts = bench.run(peer, compare.Case("", case.name, policy, processors))
    return [[start] for start in starts]


class Tool:
    """A simulator of `benchmarks/peers`; `missing` says why it is not there, if it is not."""

    def __init__(self, bench, peer):
        self.bench, self.peer, self.title, self.missing = bench, peer, peer.title, ""

    def cell(self, case):
        """Return the cell of one case."""
        if self.missing or not is_readable(case):
            return UNREAD
        try:
            return verdict(case, peer_starts(self.bench, self.peer, case), slice(1))
        except compare.FailedError as error:
            return self.failed(str(error))

    def failed(self, error):
        """Return the cell for an error; remember it if the simulator is not installed."""
        if error.startswith("not installed"):
            self.missing = error
            return UNREAD
        known = ("has no attribute", "grants one processor", "takes one server")
        return UNREAD if any(words in error for words in known) else "fails"


def small_table(tools):
    """Return the table of the small cases: a row for each case, a column for each tool."""
    lines = []
    for case in kit.read_kit():
        cells = [verdict(case, library_rows(case, engine)) for engine in ENGINES.values()]
        cells += [tool.cell(case) for tool in tools]
        mistakes = (f"{n}. {w['mistake']}" for n, w in enumerate(case.about["mistakes"], start=1))
        lines.append([f"`{case.name}`", "; ".join(mistakes), *cells])
        print(case.name, *cells, sep=" | ", flush=True)
    return lines


def large_table():
    """Return the table of the ten inputs of log size, which only our engines run."""
    lines = []
    for case in large.read_large():
        cells = []
        for engine in ENGINES.values():
            starts = [start for start, _, _ in library_rows(case, engine)]
            cells.append(RIGHT if large.digest(starts) == case.about["sha256"] else "other")
        lines.append([f"`{case.name}`", f"{len(case.jobs):,}", *cells])
        print(case.name, *cells, sep=" | ", flush=True)
    return lines


def text_of(tools, lines):
    """Return the part of the page about the small cases."""
    shown = [tool for tool in tools if not tool.missing]
    at = [*range(2 + len(ENGINES))]
    at += [at[-1] + 1 + number for number, tool in enumerate(tools) if not tool.missing]
    headings = ["case", "mistakes", *ENGINES, *(tool.title for tool in shown)]
    table = page.table(headings, [[line[column] for column in at] for line in lines])
    absent = [f"{tool.title}: {tool.missing}." for tool in tools if tool.missing]
    count = sum(len(case.about["mistakes"]) for case in kit.read_kit())
    head = f"{len(lines)} cases with {count} mistakes.\n\n{LEGEND}\n"
    return head + table + "".join(f"\n{line}\n" for line in absent)


def main(peers_python, path):
    """Run the kit and fill the two parts of the page; return 1 if an engine is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        bench = compare.Bench(folder, peers_python)
        tools = [Tool(bench, peer) for peer in PEERS]
        small, long = small_table(tools), large_table()
        page.fill(path, "conformance", text_of(tools, small))
    page.fill(path, "large", page.table(["input", "jobs", *ENGINES], long))
    cells = [cell for line in (*small, *long) for cell in line[2 : 2 + len(ENGINES)]]
    return int(set(cells) != {RIGHT})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
