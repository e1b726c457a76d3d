"""What a study's rows of the ledger come to: a page for people."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from textwrap import shorten

from coalloc_lib.cli.output import print_table, width
from coalloc_lib.studies.ledger import Row

#: How the tables show each verdict.
COLOURS = {
    "reproduced": "green",
    "close": "yellow",
    "differs": "red",
    "holds": "green",
    "holds in part": "yellow",
    "does not hold": "red",
    "cannot be tested": "dim",
}

_CLAIM = re.compile(r"[A-Z]+-\d+")


def print_page(rows: Sequence[Row]) -> None:
    """Print of a study's rows how many numbers of each table came out, and a line a claim."""
    claims = [row for row in rows if _CLAIM.fullmatch(row.item)]
    tables = defaultdict(list)
    for row in rows:
        if row not in claims:
            tables[" ".join(row.item.split()[:2])].append(row)
    if tables:
        found = {row.verdict for row in rows if row not in claims}
        verdicts = [verdict for verdict in COLOURS if verdict in found]
        columns = ("table", ">numbers", *(f">{v}" for v in verdicts), "furthest from print")
        lines = [_line(name, tables[name], verdicts) for name in sorted(tables)]
        print_table(columns, lines, rows[0].study)
    if claims:
        # Beside the claim, the longest verdict and the rules, this much room is left in a line.
        room = max(20, width() - 32)
        claims.sort(key=lambda row: int(row.item.rpartition("-")[2]))
        words = ["; ".join(filter(None, (row.quantity, row.note))) for row in claims]
        lines = [
            (row.item, _coloured(row.verdict), shorten(text, room, placeholder=" …"))
            for row, text in zip(claims, words, strict=True)
        ]
        columns = ("claim", "verdict", "what was looked at")
        print_table(columns, lines, None if tables else rows[0].study)


def _line(table, rows, verdicts):
    """Return a table's number of rows, in all and by verdict, and the one furthest from print."""
    counts = Counter(row.verdict for row in rows)
    off = [
        (row.reproduced - row.published, " ".join(row.item.split()[2:]))
        for row in rows
        if isinstance(row.published, int | float) and isinstance(row.reproduced, int | float)
    ]
    furthest = "{:+.2g} {}".format(*max(off, key=lambda pair: abs(pair[0]))) if off else ""
    return (table, f"{len(rows)}", *(f"{counts[v]}" for v in verdicts), furthest)


def print_rows(rows: Sequence[Row]) -> None:
    """Print every row of the ledger."""
    columns = ("item", "quantity", ">published", ">reproduced", "verdict", "note")
    lines = []
    for row in rows:
        found = _number(row.reproduced)
        if row.ci95_low is not None and row.ci95_high is not None:
            found += f" ± {(row.ci95_high - row.ci95_low) / 2:.2g}"
        verdict = _coloured(row.verdict)
        lines.append((row.item, row.quantity, _number(row.published), found, verdict, row.note))
    print_table(columns, lines)


def _coloured(verdict):
    from rich.text import Text

    return Text(verdict, style=COLOURS.get(verdict, ""))


def _number(value):
    return "" if value is None else value if isinstance(value, str) else f"{value:.4g}"
