"""What a study's rows of the ledger come to: a page for people."""

import re
from collections import Counter, defaultdict
from textwrap import shorten

from coalloc_lib.cli.output import print_table, width

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


def print_page(rows):
    """Print per table how many numbers came out, and each claim with its verdict in a line.

    Parameters
    ----------
    rows : list of coalloc_lib.studies.Row
        Those of one study.
    """
    claims = [row for row in rows if _CLAIM.fullmatch(row.item)]
    tables = defaultdict(list)
    for row in rows:
        if not _CLAIM.fullmatch(row.item):
            tables[" ".join(row.item.split()[:2])].append(row)
    if tables:
        _print_tables(tables, rows[0].study)
    if claims:
        # Beside the claim, the longest verdict and the rules, this much room is left in a line.
        room = max(20, width() - 32)
        lines = [
            (row.item, coloured(row.verdict), shorten(_words(row), room, placeholder=" …"))
            for row in sorted(claims, key=_number_of)
        ]
        columns = ("claim", "verdict", "what was looked at")
        print_table(columns, lines, None if tables else rows[0].study)


def _number_of(claim):
    return int(claim.item.rpartition("-")[2])


def _words(claim):
    return "; ".join(filter(None, (claim.quantity, claim.note)))


def _print_tables(tables, study):
    verdicts = [v for v in COLOURS if any(row.verdict == v for r in tables.values() for row in r)]
    lines = []
    for name, rows in sorted(tables.items()):
        counts = Counter(row.verdict for row in rows)
        lines.append((name, f"{len(rows)}", *(f"{counts[v]}" for v in verdicts), _furthest(rows)))
    columns = ("table", ">numbers", *(f">{v}" for v in verdicts), "furthest from print")
    print_table(columns, lines, study)


def _furthest(rows):
    """Return the largest difference from print, and whose it is."""
    known = [row for row in rows if _is_number(row.published) and _is_number(row.reproduced)]
    if not known:
        return ""
    row = max(known, key=lambda row: abs(row.reproduced - row.published))
    return f"{row.reproduced - row.published:+.2g} {' '.join(row.item.split()[2:])}"


def _is_number(value):
    return isinstance(value, (int, float))


def print_rows(rows):
    """Print every row of the ledger."""
    columns = ("item", "quantity", ">published", ">reproduced", "verdict", "note")
    lines = [
        (
            row.item,
            row.quantity,
            _number(row.published),
            _number(row.reproduced) + _half_width(row),
            coloured(row.verdict),
            row.note,
        )
        for row in rows
    ]
    print_table(columns, lines)


def coloured(verdict):
    """Return a verdict as a table shows it."""
    from rich.text import Text

    return Text(verdict, style=COLOURS.get(verdict, ""))


def _number(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


def _half_width(row):
    if row.ci95_low is None or row.ci95_high is None:
        return ""
    return f" ± {(row.ci95_high - row.ci95_low) / 2:.2g}"
