"""``coalloc sites``: logs of several sites in, a page with an answer out."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from coalloc_lib.basics.checks import InputError, whole_in
from coalloc_lib.basics.files import check_writable, writable_folder
from coalloc_lib.basics.progress import Progress
from coalloc_lib.basics.text import printable
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json, show, warn

EXAMPLES = """\b
Examples:
  coalloc sites north=north.swf.gz:2048 south=south.swf.gz:1920 --out report.html
  coalloc sites ctc=CTC-SP2:338 kth=KTH-SP2:100 --clock weeks --penalty 0.1 --penalty 0.3
"""


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
def sites(
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
    words = ["coalloc", "sites", *logs, "--out", out, "--clock", clock, "--seed", str(seed)]
    how: list[tuple] = [("--missing", missing), ("--largest", largest)]
    how += [("--node", node)] * (node > 1) + [("--penalty", f"{p:g}") for p in penalty or ()]
    words += [str(word) for pair in how if pair[1] is not None for word in pair]
    with Progress(unit="step", shown=sys.stderr.isatty()) as progress:
        progress.total(len(files))
        # Imported here: that takes long, as reading does, and the bar is there before.
        from coalloc_lib.report import sites_report
        from coalloc_lib.workloads.catalogue import load_trace

        read = {}
        for name in files:
            read[name] = load_trace(files[name])
            progress.step()
        report = sites_report(
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
    report.save(out)
    if tables is not None:
        report.save_tables(tables)
    answer = report.answer
    if as_json:
        figure = answer.figure and [answer.figure.estimate, answer.figure.low, answer.figure.high]
        print_json({
            "answer": answer.words, "verdict": answer.decision.verdict.value,
            "option": answer.option, "change_of_mean_wait": figure,
            "doubts": report.doubts, "out": out,
        })  # fmt: skip
        return
    for site, why in report.doubts.items():
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
