"""Define the commands ``python -m studies reproduce`` and ``python -m studies judge``.

The command ``reproduce`` runs studies and writes their ledger and figures. The command ``judge``
writes the same files from stored runs.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import typer

from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.progress import Progress
from coalloc_lib.cli import options
from coalloc_lib.cli.framework import OnceEach, Terminated, run_app
from coalloc_lib.cli.output import print_json, print_table, show, warn
from studies import SCALES, STUDIES
from studies.ledger import Row, count_verdicts

#: The command that users type in the folder ``notebooks`` to run or judge the studies.
PROGRAM = "python -m studies"
REPRODUCE_EXAMPLES = """\b
Examples:
  python -m studies reproduce
  python -m studies reproduce job-sharing --scale paper --out results/ --cache .coalloc-cache
"""
JUDGE_EXAMPLES = """\b
Examples:
  python -m studies judge
  python -m studies judge job-sharing --runs results/ --out judged/ --all
"""

# Without `rich_markup_mode=None`, Typer would read square brackets in help strings as markup.
app = typer.Typer(name=PROGRAM, add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def studies_help(context: typer.Context) -> None:
    """Reproduce the papers on co-allocation, or judge stored runs of their studies."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command given on the command line, and return its exit status.

    Parameters
    ----------
    arguments : list of str, optional
        The command line after the program's name; by default ``sys.argv[1:]``.
    """
    return run_app(app, PROGRAM, arguments)


@app.command(cls=OnceEach, epilog=REPRODUCE_EXAMPLES)
@options.command(
    option_names=options.NAMES | {"every_row": "--all"},
    scale=("SCALE", "quick (minutes) or paper (the sample sizes of the papers)."),
    out=("FOLDER", "Where the ledger and the figures go."),
    cache=("FOLDER", "Where finished points are kept, so that a stopped run can continue."),
    workers=("N", "Number of parallel runs; by default one per processor.", 1),
    every_row=(None, "Print every row of the ledger instead of one line per study."),
)
def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STUDY]...", help=f"All if not given: {', '.join(STUDIES)}."),
    ] = None,
    scale: str = "quick",
    out: str = "results",
    seed: int | None = None,
    cache: str | None = None,
    workers: int | None = None,
    every_row: bool = False,
    as_json: bool = False,
) -> None:
    """Reproduce the papers: compare each number and claim with our own result.

    Prints one line for each study as soon as it is done. Writes index.html (a page of all studies),
    ledger.csv (a row for each number and claim) and a folder for each study, with its figures,
    their tables, and its runs, which the command judge can read again.
    """
    from coalloc_lib.statistics.sweep import SweepError
    from studies import logs_missing_for
    from studies import reproduce as run

    for study in studies or ():
        options.chosen("STUDY", study, STUDIES)
    options.chosen("--scale", scale, SCALES)
    os.environ.setdefault("MPLBACKEND", "agg")  # figures go to files; no window is wanted
    missing = logs_missing_for(studies or STUDIES)
    if missing:
        warn(
            f"logs that are missing: {', '.join(missing)}; synthetic stand-ins replace them if "
            "there are any, but no printed number is tested on a stand-in. To download the logs, "
            f"run: coalloc traces fetch {' '.join(missing)}"
        )
    printed = Printed(as_json, every_row)
    try:
        with printed.to_the_end(), _watched(cache) as progress:
            result = run(
                studies, scale=scale, seed=seed, out=out, report=printed.report, progress=progress,
                cache=cache, workers=workers or -1,
            )  # fmt: skip
    except SweepError as error:
        if error.failures:  # an error in the code, for which the user needs the traceback
            raise
        raise InputError(str(error)) from error
    printed.end(result, beside=True)


@app.command(cls=OnceEach, epilog=JUDGE_EXAMPLES)
@options.command(
    option_names=options.NAMES | {"every_row": "--all"},
    runs=("FOLDER", "Results of reproduce; by default the stored runs of the repository."),
    out=("FOLDER", "Where the ledger and the figures go."),
    every_row=(None, "Print every row of the ledger instead of one line per study."),
)
def judge(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY]...", help=f"All that have runs if not given: {', '.join(STUDIES)}."
        ),
    ] = None,
    runs: str | None = None,
    out: str = "results",
    every_row: bool = False,
    as_json: bool = False,
) -> None:
    """Judge stored runs without any simulation; print and write the same results as reproduce.

    By default these are the stored runs at the papers' sample sizes that come with the repository.
    """
    from studies import judge as judge_runs

    for study in studies or ():
        options.chosen("STUDY", study, STUDIES)
    os.environ.setdefault("MPLBACKEND", "agg")  # figures go to files; no window is wanted
    printed = Printed(as_json, every_row)
    with printed.to_the_end():
        result = judge_runs(runs, studies, out=out, report=printed.report)
    printed.end(result)


@dataclass
class Printed:
    """How to print results: one line per study, all rows of the ledger, or one JSON object.

    Parameters
    ----------
    as_json : bool
        Print one JSON object of all studies at the end, and nothing before.
    every_row : bool
        Print all rows of a study instead of one line.
    """

    as_json: bool
    every_row: bool
    rows: list[Row] = field(default_factory=list)
    #: For each study whose runs used other logs than the archived runs, the names of these logs.
    other_logs: dict[str, list[str]] = field(default_factory=dict)

    def report(self, done: Any) -> None:
        """Print the result of one study, unless all results are printed as one JSON object."""
        from studies.archive import logs_not_as_archived

        self.rows.extend(done.rows)
        logs = logs_not_as_archived(done.study.name, done.runs)
        if logs:
            self.other_logs[done.study.name] = logs
        if not self.as_json:
            print_rows(done.rows) if self.every_row else show(_line(done))

    @contextmanager
    def to_the_end(self) -> Iterator[None]:
        """With JSON output, print the finished studies even if an `InputError` ends the command."""
        try:
            yield
        except InputError:
            if self.as_json and self.rows:
                print_json(self._object())
            raise

    def end(self, result: Any, beside: bool = False) -> None:
        """Print the number of rows with each verdict, and the paths of the results page and ledger.

        If `beside` is true, also print the rows that differ from the archive.
        """
        if self.as_json:
            print_json(self._object(result))
            return
        if beside:
            print_beside_archive(self._comparable, self.other_logs)
        show(
            _counted(count_verdicts(result.rows)),
            f"{result.page} shows it all; {result.ledger} has every row",
        )

    @property
    def _comparable(self) -> list[Row]:
        return [row for row in self.rows if row.study not in self.other_logs]

    def _object(self, result: Any = None) -> dict:
        return {
            "verdicts": count_verdicts(self.rows),
            "rows": [asdict(row) for row in self.rows],
            "otherwise_in_archive": _different_in_archive(self._comparable),
            "ledger": result and str(result.ledger),
            "page": result and str(result.page),
            "figures": [str(file) for file in result.figures] if result else [],
        }


def _different_in_archive(rows: list[Row]) -> dict[str, str] | None:
    from studies.archive import archived_ledger, beside_archive

    archive = archived_ledger()
    if not archive:
        return None
    found = beside_archive(rows, archive)
    return {f"{row.study} {row.item}": found[row.item] for row in rows if found[row.item]}


def print_beside_archive(rows: list[Row], other: Mapping[str, Iterable[str]]) -> None:
    """Print how many ledger rows agree with the archive, and a table of the rows that do not.

    Parameters
    ----------
    rows : list of Row
        The rows of the studies that can be compared.
    other : dict of list of str
        For each study that cannot be compared: the logs that differ from those of the archive.
    """
    from studies.archive import other_logs

    different = _different_in_archive(rows)
    if different is None:
        return
    for study, logs in other.items():
        show(f"{study} is not compared with the archive: {other_logs(logs)}")
    if not rows:
        return
    here = {f"{row.study} {row.item}": row for row in rows}
    lines = [
        (name, here[name].verdict, _number(here[name].reproduced), stored)
        for name, stored in different.items()
    ]
    if lines:
        print_table(("not as in the archive", "here", ">number", "archive"), lines)
    show(f"{len(rows) - len(lines)} of {len(rows)} rows agree with the archive (the papers' scale)")


def _line(result: Any) -> str:
    from studies.pages import NUMBERS, tally

    counts = tally(result)
    numbers = {head: counts.pop(head) for head in NUMBERS}
    tested, claims = counts.pop("numbers"), counts.pop("claims")
    printed = f"{numbers['reproduced']} of {tested} printed numbers" if tested else ""
    if numbers["used to calibrate"]:
        printed += f" ({numbers['used to calibrate']} more were used to calibrate)"
    if tested:
        printed += ", "
    return f"{result.study.name}: {printed}{claims} claims: {_counted(counts)}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def print_rows(rows: list[Row]) -> None:
    """Print the given rows of the ledger as a table."""
    from rich.text import Text

    from studies.pages import MARKS

    lines = []
    for row in rows:
        reproduced = _number(row.reproduced)
        if row.ci95_low is not None and row.ci95_high is not None:
            reproduced += f" [{_number(row.ci95_low)}, {_number(row.ci95_high)}]"
        verdict = Text(row.verdict, style=MARKS[row.verdict][0])
        columns = row.item, row.quantity, _number(row.published), reproduced, verdict, row.note
        lines.append(columns)
    print_table(("item", "quantity", ">published", ">reproduced", "verdict", "note"), lines)


def _number(value: float | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


@contextmanager
def _watched(cache: str | None) -> Iterator[Progress]:
    with Progress(shown=sys.stderr.isatty()) as progress:
        try:
            yield progress
        except (KeyboardInterrupt, Terminated):
            if cache is not None:
                warn(f"finished points are in {cache}; run again")
            raise
    if progress.found:
        warn(f"{progress.found:,} points were found in {cache}")
