"""Printing results: JSON objects and tables."""

import json
import sys


def print_json(answer):
    """Print one JSON object."""
    print(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(columns, rows, title=None):
    """Print a table.

    Parameters
    ----------
    columns : sequence of str
        Headings; one that begins with ``>`` is for numbers and set flush right.
    rows : iterable of sequence of str or rich.text.Text
    title : str, optional
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in columns:
        justify = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*row)
    # Into a file or pipe there is no width to keep to; 120 columns are easy to read.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    with console.capture() as captured:
        console.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    print(*filter(None, lines), sep="\n")
