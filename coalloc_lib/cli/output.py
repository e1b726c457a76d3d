"""What commands print: lines, tables and JSON on standard output, warnings on stderr.

Texts of a user's files (names of files, sites and partitions) go through `printable`, because a
terminal obeys the control characters in them. The signs of our own texts are replaced by ASCII ones
where the stream cannot write them.
"""

import codecs
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from shutil import get_terminal_size
from typing import Any

from coalloc_lib.basics.text import printable

#: What errors call standard output.
OUTPUT = "standard output"
#: ASCII signs for a stream that cannot write ours.
SIGNS = {
    "−": "-", "–": "-", "—": "-", "─": "-", "±": "+/-", "×": "x", "·": "*", "…": "...",
    "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "↔": "<->", "’": "'", "‘": "'", "“": '"',
    "”": '"', "✓": "yes", "✗": "no", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
#: The name under which the replacement of signs is registered as a handler of encoding errors.
SIGNS_HANDLER = "coalloc-signs"
#: Width of a table that does not go to a terminal, and the least width of a column of words.
FILE_WIDTH, WORDS_WIDTH = 120, 10


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace what a stream cannot encode: by an ASCII sign, an escape, or a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = printable(error.object[error.start : error.end])
    return "".join(SIGNS.get(c, c if c.isascii() else "?") for c in characters), error.end


def prepare_streams() -> None:
    """Let standard output and stderr replace what they cannot encode, instead of failing."""
    codecs.register_error(SIGNS_HANDLER, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SIGNS_HANDLER)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Give an error of the system the path that it is about, which an error of writing lacks."""
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def drop_output() -> None:
    """Discard what is printed from now on: nobody reads it, or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(lines: Iterable[str]) -> None:
    """Print lines now. If the reader has left (``| head``), the command goes on without it."""
    try:
        with naming(OUTPUT):
            sys.stdout.writelines(f"{line}\n" for line in lines)
            sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def show(*lines: str) -> None:
    """Print lines on standard output."""
    _write(map(printable, lines))


def warn(words: str) -> None:
    """Print a line on stderr."""
    print(f"coalloc: {printable(words)}", file=sys.stderr)


def print_json(answer: dict) -> None:
    """Print one JSON object; a number that is infinite or missing is null."""
    # A stream with few characters gets escapes, which are read back as what they stand for.
    encoding = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name
    text = json.dumps(_finite(answer), indent=2, ensure_ascii=encoding != "utf-8", allow_nan=False)
    show(*text.split("\n"))


def _finite(value: Any) -> Any:
    """Return a value for JSON, which has neither infinity nor NaN, with None in their place."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(columns: Sequence[str], rows: Iterable, title: str | None = None) -> None:
    """Print rows of str or `rich.text.Text`; a heading that begins with ``>`` is for numbers.

    Words wrap, but a number is never cut: if the terminal is too narrow for the columns of numbers,
    each row is printed as a list.
    """
    from rich.text import Text

    is_terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if is_terminal else FILE_WIDTH
    # Text, because rich reads [square brackets] of a str as markup.
    cells = [[each if isinstance(each, Text) else Text(printable(each)) for each in row]
             for row in rows]  # fmt: skip
    if _least_width(columns, cells) > width:
        _write(_as_lists(columns, cells, title))
    else:
        _write(_as_table(columns, cells, title, width, is_terminal))


def _least_width(columns, rows):
    """Return the least width of a table in which no number is cut."""
    least = 0
    for at, heading in enumerate(columns):
        longest = max(len(heading.lstrip(">")), *(len(row[at]) for row in rows), 0)
        least += longest if heading.startswith(">") else min(longest, WORDS_WIDTH)
    return least + 3 * (len(columns) - 1)


def _as_table(columns, rows, title, width, is_terminal):
    """Yield the lines of a table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown_title = None if title is None else Text(printable(title), style="table.title")
    table = Table(title=shown_title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in columns:
        is_number = heading.startswith(">")
        side: Any = "right" if is_number else "left"
        name = Text(heading.removeprefix(">"))
        table.add_column(name, justify=side, overflow="fold", no_wrap=is_number)
    for row in rows:
        table.add_row(*row)
    text = StringIO()
    Console(file=text, width=width, force_terminal=is_terminal, highlight=False).print(table)
    yield from (line.rstrip() for line in text.getvalue().splitlines() if line.strip())


def _as_lists(columns, rows, title):
    """Yield each row as the line of its first cell and a line for each further one."""
    names = [heading.removeprefix(">") for heading in columns]
    if title is not None:
        yield printable(title)
    for first, *rest in rows:
        yield first.plain
        for name, cell in zip(names[1:], rest, strict=True):
            if cell.plain:
                yield f"  {name}: {cell.plain}" if name else f"  {cell.plain}"
