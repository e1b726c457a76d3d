"""The commands ``python -m own_system report`` and ``python -m own_system import``.

The first command recommends to the operators of several sites whether to share their jobs, and
writes the recommendation as an HTML page. The second command converts the output of Slurm's
``sacct`` into a log in the Standard Workload Format.
"""

import json
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from coalloc_lib.basics.checks import InputError, whole_in
from coalloc_lib.basics.files import check_writable, writable_folder
from coalloc_lib.basics.progress import Progress
from coalloc_lib.basics.text import printable
from coalloc_lib.cli import options
from coalloc_lib.cli.framework import OnceEach, is_same_file, run_app
from coalloc_lib.cli.output import OUTPUT, naming, print_json, print_table, show, warn
from own_system.options import PENALTIES
from own_system.report import sites_report
from own_system.sacct import read_sacct

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
#: The beginning of every command line of this program, which runs in the folder ``notebooks/``.
PROGRAM = "python -m own_system"

app = typer.Typer(name=PROGRAM, add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def own_system_help(context: typer.Context) -> None:
    """Recommend from the logs of several sites whether the sites should share their jobs."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line of the program `own_system`, and return its exit status.

    `coalloc_lib.cli.framework.run_app` explains the exit status.
    """
    return run_app(app, PROGRAM, arguments)


@app.command(cls=OnceEach, epilog=REPORT_EXAMPLES)
@options.command(
    out=("FILE.html", "The file for the page."),
    clock=("CLOCK", "calendar, or weeks: logs of different years are moved by whole weeks."),
    penalty=("P", "A job that spans sites runs 1 + P times as long; repeat the option for several "
             "penalties. Spanning is recommended only at the middle one of those above 0.  "
             f"[default: {', '.join(f'{p:g}' for p in PENALTIES)}]", 0),
    missing=("S", "The estimate of jobs that requested no time.  [default: their run time]"),
    node=("N", "Jobs get whole nodes of N processors.", 1),
    largest=("N", "Leave out jobs of more than N processors, at every site.", 1),
    tables=("FOLDER", "Also write each table as a CSV file into this folder."),
    workers=("N", "Number of simulations at the same time.  [default: one per processor core]", 1),
)  # fmt: skip
def report(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=FILE:PROCESSORS...",
            help="A site: its name, its log and its number of processors.",
        ),
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
    """Recommend whether several sites should share their jobs, and write a page with the reasons.

    The jobs of two or more sites are simulated under all options: each site stays alone, the sites
    share one queue, jobs span sites, and more. The command prints the recommendation, and the page
    has the details.
    """
    files, sizes = _sites(logs)
    options.chosen("--clock", clock, ("calendar", "weeks"))
    _check_outputs(out, tables)
    optional: list[tuple] = [("--missing", missing), ("--largest", largest)]
    if node > 1:
        optional.append(("--node", node))
    optional += [("--penalty", f"{p:g}") for p in penalty or ()]
    words = [*PROGRAM.split(), "report", *logs, "--out", out, "--clock", clock, "--seed", str(seed)]
    words += [str(word) for pair in optional if pair[1] is not None for word in pair]
    with Progress(unit="step", shown=sys.stderr.isatty()) as progress:
        progress.total(len(files))
        # The progress bar appears before this import, because the import is slow.
        from coalloc_lib.workloads.catalogue import load_trace

        read = {}
        for name in files:
            read[name] = load_trace(files[name])
            if is_same_file(out, read[name].source):
                raise _overwriting(out, f"the log of {name}")
            progress.step()
        with _naming_options():
            made = sites_report(
                sizes, read, clock=clock, missing=missing, node=node, largest=largest, seed=seed,
                workers=workers or -1, progress=progress, command=printable(shlex.join(words)),
                **({"penalties": penalty} if penalty else {}),
            )  # fmt: skip
    _warn_about(read, largest)
    made.save(out)
    if tables is not None:
        made.save_tables(tables)
    _print_answer(made, out, as_json)


@contextmanager
def _naming_options():
    # Errors of the library propose arguments in Python, such as clock='weeks'.
    try:
        yield
    except InputError as error:
        words = re.sub(r"\b(clock|largest)='?(\w+)'?", r"--\1 \2", str(error))
        raise InputError(words) from None


def _sites(texts):
    files, sizes = {}, {}
    for text in texts:
        name, file, size = _parsed(text)
        if name in files:
            raise InputError(f"site {name!r} is given twice; give each site a different name")
        files[name], sizes[name] = file, size
    if len(files) < 2:
        raise InputError(
            f"{texts[0]} is only one site; give at least two sites, such as "
            "north=north.swf.gz:2048 south=south.swf.gz:1920"
        )
    return files, sizes


def _check_outputs(out, tables):
    if out == "-":
        raise InputError(
            "--out - means standard output, where the recommendation is printed; give the name of "
            "a file to --out"
        )
    check_writable(out)
    if tables is not None and not Path(tables).is_dir():
        if Path(tables).exists():
            raise InputError(f"--tables {tables} is a file; give the path of a folder")
        check_writable(tables)
    elif tables is not None:
        writable_folder(tables)


def _overwriting(out, what):
    return InputError(f"--out {out} would overwrite {what}; give the name of another file")


def _warn_about(logs, largest):
    for name, log in logs.items():
        for note in log.notes:
            warn(f"{name}: {note}")
    for name, log in logs.items() if largest is not None else ():
        wide = int((log.usable["processors"] > largest).sum())
        warn(
            f"{name}: {wide:,} of {len(log.usable):,} jobs are left out, because they need more "
            f"than {largest} processors"
        )


def _print_answer(made, out, as_json):
    answer = made.answer
    if as_json:
        change = answer.change and [answer.change.estimate, answer.change.low, answer.change.high]
        print_json({
            "answer": answer.words, "verdict": answer.decision.verdict.value,
            "option": answer.option, "change_of_mean_wait": change,
            "doubts": made.doubts, "out": out,
        })  # fmt: skip
        return
    for site, why in made.doubts.items():
        warn(f"{site}: {why}")
    show(answer.words, out)


def _parsed(text):
    name, equals, rest = text.partition("=")
    file, colon, size = rest.rpartition(":")
    if not (name and equals):
        raise InputError(
            f"{text!r} does not begin with the name of a site; write NAME=FILE:PROCESSORS"
        )
    try:
        processors = whole_in(size)
    except ValueError:
        processors = 0
    if not (colon and file and processors > 0):
        # A colon that is followed by a slash belongs to the path of a file.
        path = file if colon and not {"/", "\\"} & {*size} else rest
        raise InputError(
            f"{text!r} does not end in a number of processors (1 or more); write "
            f"NAME=FILE:PROCESSORS, such as {name}={path.rstrip(':') or 'FILE'}:2048"
        )
    return name, file, processors


@app.command(name="import", cls=OnceEach, epilog=IMPORT_EXAMPLES)
def import_sacct(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The output of sacct --parsable2.")],
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="FILE.swf.gz", help="The file "
        "for the log. With -, the log goes to standard output and the receipt to stderr.")] = None,
    unit: Annotated[str, typer.Option(metavar="UNIT", help="What counts as a processor: cores or "
        "nodes.")] = "cores",
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="The cluster to read, if "
        "there are several.")] = None,
    time_zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The time zone of times "
        "that name none.  [default: UTC]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:  # fmt: skip
    """Convert the output of Slurm's sacct into a log, and print which lines were left out.

    A receipt says how many lines were left out and why. Without --out, only the receipt is
    printed. The names of users, accounts and partitions become numbers. The columns that sacct
    must print are listed in docs/own-logs.md, and in the error message if a column is missing.
    """
    from coalloc_lib.workloads.swf_writer import write_swf

    if out == "-" and as_json:
        raise InputError(
            "--out - and --json both print to standard output; give the name of a file to --out"
        )
    if out is not None:
        check_writable(out)
    if out not in (None, "-") and is_same_file(file, out):
        raise _overwriting(out, "the output of sacct")
    log = read_sacct(file, unit=unit, cluster=cluster, time_zone=time_zone)
    try:
        if out is not None:
            with naming(OUTPUT if out == "-" else out):
                write_swf(out, log.table, log.header)
    finally:  # The receipt is printed even if the disk is too full for the log.
        _show_receipt(log, out, as_json)
    if out not in (None, "-") and not as_json:
        show(out)


def _show_receipt(log: Any, out: str | None, as_json: bool) -> None:
    receipt = log.receipt
    if as_json:
        print_json({"receipt": json.loads(receipt.to_json(orient="records")), "out": out})
        return
    with redirect_stdout(sys.stderr if out == "-" else sys.stdout):
        lines = [f"{n:,}" if n else "" for n in receipt["lines"].fillna(0)]
        rows = receipt.assign(lines=lines).to_numpy().tolist()
        print_table(("", ">lines", "what", "what to do"), rows, log.title)
