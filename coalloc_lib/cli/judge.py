"""``coalloc judge``: the ledger and the figures of stored runs."""

import os
from typing import Annotated

import typer

from coalloc_lib.cli import options
from coalloc_lib.cli.reproduce import Printed
from coalloc_lib.studies import STUDIES

EXAMPLES = """\b
Examples:
  coalloc judge
  coalloc judge job-sharing --runs results/ --out judged/ --all
"""


@options.command(
    runs=("FOLDER", "Results of coalloc reproduce; if not given, those that are stored."),
    out=("FOLDER", "Where the ledger and the figures go."),
    every_row=(None, "Print every row of the ledger, not a line a study."),
)
def judge(
    studies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY]...", help=f"Those with runs if not given, of {', '.join(STUDIES)}."
        ),
    ] = None,
    runs: str | None = None,
    out: str = "results",
    every_row: bool = False,
    as_json: bool = False,
) -> None:
    """Judge stored runs: what coalloc reproduce prints and writes, and nothing simulated.

    The library comes with runs at the papers' sample sizes. After a figure or a claim was changed,
    this takes seconds.
    """
    from coalloc_lib.studies import judge as judge_runs

    for study in studies or ():
        options.chosen("STUDY", study, STUDIES)
    os.environ.setdefault("MPLBACKEND", "agg")  # figures go to files; no window is wanted
    printed = Printed(as_json, every_row)
    with printed.to_the_end():
        result = judge_runs(runs, studies, out=out, report=printed.report)
    printed.end(result)
