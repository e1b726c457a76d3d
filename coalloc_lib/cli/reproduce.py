"""``coalloc reproduce``: run studies, write their ledger and figures."""

import os
import sys
from typing import Annotated

import typer

from coalloc_lib.checks import InputError
from coalloc_lib.cli import options
from coalloc_lib.cli.output import print_json, print_table
from coalloc_lib.progress import SILENT, Progress
from coalloc_lib.studies import SCALES, STUDIES

#: How the table shows each verdict.
COLOURS = {
    "reproduced": "green",
    "close": "yellow",
    "holds": "green",
    "holds in part": "yellow",
    "does not hold": "red",
    "cannot be tested": "dim",
}

EXAMPLES = """\b
Examples:
  coalloc reproduce
  coalloc reproduce maximal-utilization --scale paper --out results/ --cache .coalloc-cache
"""


def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STUDY]...", help=f"All if not given: {', '.join(STUDIES)}."),
    ] = None,
    scale: Annotated[
        str,
        typer.Option(
            metavar="SCALE", help="quick (minutes) or paper (the sample sizes of the papers)."
        ),
    ] = "quick",
    out: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where the ledger and the figures go.")
    ] = "results",
    seed: options.Seed = None,
    cache: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Keep finished points here, to go on after a stop."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Runs side by side; one a processor if not given."),
    ] = None,
    as_json: options.Json = False,
):
    """Reproduce the papers: each number and claim beside what comes out here, with a verdict.

    Writes ledger.csv and one folder of figures a study.
    """
    from coalloc_lib.studies import reproduce as run
    from coalloc_lib.sweep import SweepError

    for study in studies or ():
        options.chosen("STUDY", study, STUDIES)
    options.chosen("--scale", scale, SCALES)
    options.at_least("--seed", seed, 0)
    options.at_least("--workers", workers, 1)
    os.environ.setdefault("MPLBACKEND", "agg")  # figures go to files; no window is wanted
    with Progress() if sys.stderr.isatty() else SILENT as progress:
        how = {"progress": progress, "seed": seed, "cache": cache, "workers": workers or -1}
        try:
            result = run(studies, scale=scale, out=out, **how)
        except KeyboardInterrupt:
            if cache is not None:
                print(f"coalloc: finished points are in {cache}; run again", file=sys.stderr)
            raise
        except SweepError as error:
            if error.failures:  # a bug of ours: its traceback helps
                raise
            raise InputError(str(error)) from error
    if as_json:
        print_json(_as_object(result))
    else:
        _print(result)


def _as_object(result):
    from dataclasses import asdict

    from coalloc_lib.studies.ledger import count_verdicts

    return {
        "verdicts": count_verdicts(result.rows),
        "rows": [asdict(row) for row in result.rows],
        "ledger": str(result.ledger),
        "figures": [str(file) for file in result.figures],
    }


def _print(result):
    from rich.text import Text

    from coalloc_lib.studies.ledger import count_verdicts

    columns = ("item", "quantity", ">published", ">reproduced", "verdict", "note")
    rows = [
        (
            Text(row.item),
            Text(row.quantity),
            _number(row.published),
            _number(row.reproduced) + _half_width(row),
            Text(row.verdict, style=COLOURS[row.verdict]),
            Text(row.note),
        )
        for row in result.rows
    ]
    print_table(columns, rows)
    counts = count_verdicts(result.rows)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    print(f"{result.ledger}, and {len(result.figures)} figures beside it")


def _number(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


def _half_width(row):
    if row.ci95_low is None or row.ci95_high is None:
        return ""
    return f" ± {(row.ci95_high - row.ci95_low) / 2:.2g}"
