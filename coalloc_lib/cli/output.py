"""Printing results: JSON objects and tables."""

import json
import sys
from io import StringIO
from shutil import get_terminal_size

from coalloc_lib.cli.stopping import STDOUT, naming


def print_json(answer):
    """Print one JSON object."""
    show(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))


def show(*lines):
    """Print lines now: an answer is out before anything that may still go wrong."""
    with naming(STDOUT):
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()


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
    in_terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if in_terminal else 120
    text = StringIO()
    Console(file=text, width=width, force_terminal=in_terminal, highlight=False).print(table)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    show(*filter(None, lines))
