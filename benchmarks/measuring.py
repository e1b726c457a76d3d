"""What the benchmarks share: the command line, and a table for each question."""

import argparse

from rich.console import Console
from rich.table import Table


def run(measurements, description, prepare=lambda: None):
    """Measure, print one table a question.

    Parameters
    ----------
    measurements : list of (callable, str, str)
        A function that takes whether to be quick and yields rows of texts, the title of the table,
        and the headings, parted by commas.
    description : str
        For ``--help``.
    prepare : callable
        Called before the first measurement.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave the largest sizes out")
    quick = parser.parse_args().quick
    console = Console()
    prepare()
    for measure, title, columns in measurements:
        table = Table(title=title)
        for column in columns.split(", "):
            table.add_column(column, justify="right")
        for row in measure(quick):
            table.add_row(*row)
        console.print(table)
