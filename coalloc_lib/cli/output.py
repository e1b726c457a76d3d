"""Functions that print lines, tables and JSON on standard output, and warnings on stderr.

Texts from a user's files, such as names of files and sites, may contain control characters that a
terminal would obey. The function `printable` replaces these characters. If a stream cannot encode a
sign such as "±", an ASCII sign is printed instead.
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
from typing import Any, TextIO

from coalloc_lib.basics.text import printable

#: The name of standard output in error messages.
OUTPUT = "standard output"
#: The ASCII characters that replace other characters if the output stream cannot encode them.
SIGNS = {
    "−": "-", "–": "-", "—": "-", "─": "-", "±": "+/-", "×": "x", "·": "*", "…": "...",
    "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "↔": "<->", "’": "'", "‘": "'", "“": '"',
    "”": '"', "✓": "yes", "✗": "no", "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
#: The name under which the error handler `_in_ascii` is registered with Python's codecs.
SIGNS_HANDLER = "coalloc-signs"
#: The width, in characters, of tables that are printed to a file or a pipe.
FILE_WIDTH = 120
#: The smallest width, in characters, of a table column that contains words.
WORDS_WIDTH = 10


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = printable(error.object[error.start : error.end])
    return "".join(SIGNS.get(c, c if c.isascii() else "?") for c in characters), error.end


def prepare_streams() -> None:
    """Make standard output and stderr replace characters that they cannot encode.

    Without this, printing such a character would raise an error.
    """
    codecs.register_error(SIGNS_HANDLER, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SIGNS_HANDLER)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Add a file name to every `OSError` that occurs in the ``with`` block.

    The error of a failed write, for example on a full disk, does not name the file.
    """
    try:
        yield
    except OSError as error:
        error.filename = path
        raise


def drop_output(stream: TextIO | None = None) -> None:
    """Discard everything that is printed on a stream from now on, by default on standard output.

    This is for a pipe that nobody reads any more, and for a full disk.
    """
    stream = sys.stdout if stream is None else stream
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(lines: Iterable[str]) -> None:
    try:
        with naming(OUTPUT):
            sys.stdout.writelines(f"{line}\n" for line in lines)
            sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def show(*lines: str) -> None:
    """Print lines on standard output, without control characters."""
    _write(map(printable, lines))


def warn(words: str) -> None:
    """Print a line on stderr that begins with ``coalloc:``."""
    try:
        print(f"coalloc: {printable(words)}", file=sys.stderr, flush=True)
    except BrokenPipeError:
        drop_output(sys.stderr)


def print_json(answer: dict) -> None:
    """Print a dict as one JSON object, with null instead of infinite numbers and NaN."""
    # If the output stream does not use UTF-8, characters that are not ASCII are written as escape
    # sequences.
    encoding = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name
    text = json.dumps(_finite(answer), indent=2, ensure_ascii=encoding != "utf-8", allow_nan=False)
    show(*text.split("\n"))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(columns: Sequence[str], rows: Iterable, title: str | None = None) -> None:
    """Print a table on standard output.

    Words are wrapped, but numbers are never cut. If the terminal is too narrow for the columns of
    numbers, each row is printed as a list.

    Parameters
    ----------
    columns : sequence of str
        The headings. A heading that begins with ``>`` is that of a column of numbers, which is
        printed without this sign and aligned on the right.
    rows : iterable of sequence
        The cells of each row, as ``str`` or as `rich.text.Text`.
    title : str, optional
        The title of the table.
    """
    from rich.text import Text

    is_terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if is_terminal else FILE_WIDTH
    # The cells of the table become objects of the class `Text`, because the package rich reads
    # square brackets in a `str` as markup.
    cells = [
        [cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row] for row in rows
    ]
    if _least_width(columns, cells) > width:
        _write(_as_lists(columns, cells, title))
    else:
        _write(_as_table(columns, cells, title, width, is_terminal))


def _least_width(columns, rows):
    least = 0
    for at, heading in enumerate(columns):
        longest = max(len(heading.lstrip(">")), *(len(row[at]) for row in rows), 0)
        least += longest if heading.startswith(">") else min(longest, WORDS_WIDTH)
    return least + 3 * (len(columns) - 1)


def _as_table(columns, rows, title, width, is_terminal):
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
    names = [heading.removeprefix(">") for heading in columns]
    if title is not None:
        yield printable(title)
    for first, *rest in rows:
        yield first.plain
        for name, cell in zip(names[1:], rest, strict=True):
            if cell.plain:
                yield f"  {name}: {cell.plain}" if name else f"  {cell.plain}"
