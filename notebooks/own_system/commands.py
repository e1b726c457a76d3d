"""The commands ``python -m own_system report`` and ``python -m own_system import``.

The first asks what several sites could do with their logs, and writes a page with the answer. The
second makes a log of what Slurm's ``sacct`` printed.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from coalloc_lib.basics.checks import InputError, whole_in
from coalloc_lib.basics.files import check_writable, writable_folder
from coalloc_lib.basics.progress import Progress
from coalloc_lib.basics.text import printable
from coalloc_lib.cli import OnceEach, options, run_app
from coalloc_lib.cli.output import OUTPUT, naming, print_json, print_table, show, warn

REPORT_EXAMPLES = """\b
Examples:
  python -m own_system report north=north.swf.gz:2048 south=south.swf.gz:1920 --out report.html
  python -m own_system report ctc=CTC-SP2:338 kth=KTH-SP2:100 --clock weeks --penalty 0.1
"""
IMPORT_EXAMPLES = """\b
Examples:
  python -m own_system import export.txt --time-zone Europe/Amsterdam -o my.swf.gz
  python -m own_system import export.txt.gz --unit nodes --cluster north -o north.swf.gz
"""
#: How a user calls these commands, in the folder of the notebooks.
PROGRAM = "python -m own_system"

app = typer.Typer(name=PROGRAM, add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def own_system_help(context: typer.Context) -> None:
    """Ask what your own sites could do, from their logs."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process; return its exit status."""
    return run_app(app, PROGRAM, arguments)


@app.command(cls=OnceEach, epilog=REPORT_EXAMPLES)
@options.command(
    out=("FILE.html", "Where the page goes."),
    clock=("CLOCK", "calendar, or weeks: logs of different years, moved by whole weeks."),
    penalty=("P", "A job that spans sites runs 1 + P times as long; give it again for more.  "
             "[default: 0, 0.1, 0.25, 0.5]", 0),
    missing=("S", "The estimate of jobs that requested no time.  [default: their run time]"),
    node=("N", "Jobs get whole nodes of N processors.", 1),
    largest=("N", "Leave out jobs of more than N processors, at every site.", 1),
    tables=("FOLDER", "Write each table as CSV too."),
    workers=("N", "Runs side by side; one a processor if not given.", 1),
)  # fmt: skip
def report(
    logs: Annotated[
        list[str],
        typer.Argument(metavar="NAME=FILE:PROCESSORS...", help="A site: its log, its size."),
    ],
    out: str = "report.html",
    clock: str = "calendar",
    missing: float | None = None,
    penalty: list[float] | None = None,
    node: int = 1,
    largest: int | None = None,
    tables: str | None = None,
    seed: int = 0,
    workers: int | None = None,
    as_json: bool = False,
) -> None:
    """Say whether these sites should share their jobs, and jobs span them, as a page.

    Runs the logs of two sites or more through all that could be done, on the same jobs: staying
    alone, sharing, spanning, and more. Prints the answer; the page has the figures.
    """
    files, sizes = {}, {}
    for each in logs:
        name, file, size = _parsed(each)
        if name in files:
            raise InputError(f"site {name!r} is given twice; give each a name of its own")
        files[name], sizes[name] = file, size
    if len(files) < 2:
        raise InputError(
            f"{logs[0]} is one site; give two or more, as north=north.swf.gz:2048 "
            "south=south.swf.gz:1920"
        )
    options.chosen("--clock", clock, ("calendar", "weeks"))
    if out == "-":
        raise InputError("--out - is standard output, where the answer goes; give it a file")
    check_writable(out)
    if tables is not None and not Path(tables).is_dir():
        if Path(tables).exists():
            raise InputError(f"--tables {tables} is a file; give a folder")
        check_writable(tables)
    elif tables is not None:
        writable_folder(tables)
    words = [
        "python",
        "-m",
        "own_system",
        "report",
        *logs,
        "--out",
        out,
        "--clock",
        clock,
        "--seed",
        str(seed),
    ]
    how: list[tuple] = [("--missing", missing), ("--largest", largest)]
    how += [("--node", node)] * (node > 1) + [("--penalty", f"{p:g}") for p in penalty or ()]
    words += [str(word) for pair in how if pair[1] is not None for word in pair]
    with Progress(unit="step", shown=sys.stderr.isatty()) as progress:
        progress.total(len(files))
        # Imported here: that takes long, as reading does, and the bar is there before.
        from coalloc_lib.workloads.catalogue import load_trace
        from own_system.report import sites_report

        read = {}
        for name in files:
            read[name] = load_trace(files[name])
            progress.step()
        answered = sites_report(
            sizes, read, clock=clock, missing=missing, node=node, largest=largest, seed=seed,
            workers=workers or -1, progress=progress, command=printable(shlex.join(words)),
            **({"penalties": penalty} if penalty else {}),
        )  # fmt: skip
    for name, log in read.items():
        for note in log.notes:
            warn(f"{name}: {note}")
    for name, log in read.items() if largest is not None else ():
        wide = int((log.usable["processors"] > largest).sum())
        warn(f"{name}: {wide:,} of {len(log.usable):,} jobs, of more than {largest}, are left out")
    answered.save(out)
    if tables is not None:
        answered.save_tables(tables)
    answer = answered.answer
    if as_json:
        figure = answer.figure and [answer.figure.estimate, answer.figure.low, answer.figure.high]
        print_json({
            "answer": answer.words, "verdict": answer.decision.verdict.value,
            "option": answer.option, "change_of_mean_wait": figure,
            "doubts": answered.doubts, "out": out,
        })  # fmt: skip
        return
    for site, why in answered.doubts.items():
        warn(f"{site}: {why}")
    show(answer.words, out)


def _parsed(text):
    """Return name, file and processors of a site."""
    name, equals, rest = text.partition("=")
    file, colon, size = rest.rpartition(":")
    if not (name and equals):
        raise InputError(f"{text!r} has no name; write NAME=FILE:PROCESSORS")
    try:
        processors = whole_in(size)
    except ValueError:
        processors = 0
    if not (colon and file and processors > 0):
        path = file if colon and not {"/", "\\"} & {*size} else rest  # else it holds a colon
        raise InputError(
            f"{text!r} has no number of processors of 1 or more; write NAME=FILE:PROCESSORS, as "
            f"{name}={path.rstrip(':') or 'FILE'}:2048"
        )
    return name, file, processors


@app.command(name="import", cls=OnceEach, epilog=IMPORT_EXAMPLES)
def import_sacct(
    file: Annotated[str, typer.Argument(metavar="FILE", help="From sacct --parsable2.")],
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="FILE.swf.gz", help="Where the "
        "log goes; - is standard output, and the receipt goes to stderr.")] = None,
    unit: Annotated[str, typer.Option(metavar="UNIT", help="Count cores or nodes.")] = "cores",
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="Which cluster.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="Where times without a zone "
        "were printed.  [default: UTC]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:  # fmt: skip
    """Make a log of Slurm's accounting; print a receipt of what was left out, and found.

    Without --out only the receipt is made. Names of users, accounts and partitions become numbers.
    docs/own-logs.md, and the error where a column is missing, tell what sacct has to print.
    """
    from coalloc_lib.workloads.swf import write_swf
    from own_system.sacct import read_sacct

    if out == "-" and as_json:
        raise InputError("--out - and --json both want standard output; give --out a file")
    if out is not None:
        check_writable(out)
    log = read_sacct(file, unit=unit, cluster=cluster, time_zone=time_zone)
    try:
        if out is not None:
            with naming(OUTPUT if out == "-" else out):
                write_swf(out, log.table, log.header)
    finally:  # a disk that is full costs the log, but not the receipt
        _show_receipt(log, out, as_json)
    if out not in (None, "-") and not as_json:
        show(out)


def _show_receipt(log: Any, out: str | None, as_json: bool) -> None:
    """Print what was read and left out; on stderr if the log itself is on standard output."""
    receipt = log.receipt
    if as_json:
        print_json({"receipt": json.loads(receipt.to_json(orient="records")), "out": out})
        return
    with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
        lines = [f"{n:,}" if n else "" for n in receipt["lines"].fillna(0)]
        rows = receipt.assign(lines=lines).to_numpy().tolist()
        print_table(("", ">lines", "what", "what to do"), rows, log.title)
