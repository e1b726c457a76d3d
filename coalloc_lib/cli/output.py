"""What a command prints, and what ends it early: a signal, a full disk, a pipe without a reader."""

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from shutil import get_terminal_size
from typing import Literal

#: What errors call it.
OUTPUT = "standard output"


class Terminated(BaseException):
    """SIGTERM came: like `KeyboardInterrupt`, it passes every handler of ordinary errors."""


@contextmanager
def unwinding() -> Iterator[None]:
    """Within the block, SIGTERM raises `Terminated`, so that half-written files are removed.

    A second one changes nothing: it would cut the tidying short. A compiled engine hears of a
    signal when its run is over; until then nothing is being written.
    """

    def terminate(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Give an error of the system the path that it is about, which one of writing leaves out."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def drop_output() -> None:
    """Let what is still in the buffer of stdout go nowhere: there is nobody, or no room, for it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show(*lines: str) -> None:
    """Print lines now: an answer is out before anything that may still go wrong."""
    with naming(OUTPUT):
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()


def print_json(answer: dict) -> None:
    """Print one JSON object."""
    show(json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False))


def width() -> int:
    """Return how many columns there are to write in: 120 in a file, which are easy to read."""
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
    show(*(line.rstrip() for line in text.getvalue().splitlines() if line.strip()))
