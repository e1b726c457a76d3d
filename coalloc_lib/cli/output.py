"""Printing results: JSON objects and tables."""

import json
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from shutil import get_terminal_size
from typing import Literal

from coalloc_lib.cli.stopping import OUTPUT, naming


def print_json(answer: dict) -> None:
    """Print one JSON object."""
    show(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))


def show(*lines: str) -> None:
    """Print lines now: an answer is out before anything that may still go wrong."""
    with naming(OUTPUT):
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()


def width() -> int:
    """Return how many columns there are to write in.

    Into a file or pipe there is no width to keep to; 120 columns are easy to read.
    """
    return get_terminal_size().columns if sys.stdout.isatty() else 120


def print_table(columns: Sequence[str], rows: Iterable, title: str | None = None) -> None:
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
    from rich.text import Text

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in columns:
        justify: Literal["left", "right"] = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        # Text, since [square brackets] of a str would be read as markup.
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    text, is_terminal = StringIO(), sys.stdout.isatty()
    Console(file=text, width=width(), force_terminal=is_terminal, highlight=False).print(table)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    show(*filter(None, lines))
