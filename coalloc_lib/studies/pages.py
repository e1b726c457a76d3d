"""Verdicts for people: under a figure, as a table in a notebook, and as one page of all studies."""

import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from coalloc_lib.files import atomic_path
from coalloc_lib.studies.ledger import FOLD, Row, count_verdicts
from coalloc_lib.studies.published import load_claims

GOOD, FAIR, BAD, OPEN = "#00694D", "#7A5C00", "#A63603", "#595959"
#: Colour and sign of each verdict, and the ground of its cells.
MARKS = {
    "reproduced": (GOOD, "✓", ""),
    "holds": (GOOD, "✓", ""),
    "close": (FAIR, "≈", "#FFF1C9"),
    "differs": (BAD, "✗", "#F8D3BF"),
    "does not hold": (BAD, "✗", "#F8D3BF"),
    "undecided": (OPEN, "?", "#E4E4E4"),
    "cannot be tested": (OPEN, "–", "#E4E4E4"),
}
CELL = re.compile(r"<(td|th|caption)\b([^>]*)>")
RULE = re.compile(r"([^{}]+)\{([^}]*)\}")


class InlineStyler(Styler):
    """A table whose cells have their own styles: a notebook not yet trusted drops style sheets."""

    def _repr_html_(self) -> str:
        sheet, body = self.to_html().split("</style>", 1)
        rules = [
            (selector.split()[-1], " ".join(properties.split()))
            for selectors, properties in RULE.findall(sheet)
            for selector in selectors.split(",")
        ]

        def styled(cell: re.Match) -> str:
            tag, rest = cell[1], cell[2]
            attributes = dict(re.findall(r'(\w+)="([^"]*)"', rest))
            names = {tag, f"#{attributes.get('id')}"}
            names |= {f"{tag}.{name}" for name in attributes.get("class", "").split()}
            style = " ".join(properties for selector, properties in rules if selector in names)
            return f'<{tag}{rest} style="{style}">'

        return CELL.sub(styled, body)


def plain_table(table: pd.DataFrame, name: str) -> Styler:
    """Return a table as a notebook shows it: words to the left, three digits."""
    left = {"selector": "td, th", "props": "text-align: left; vertical-align: top"}
    styled = InlineStyler(table, uuid=name).format(precision=3, na_rep="")
    return styled.set_table_styles([left, {"selector": "th", "props": "white-space: nowrap"}])


def ground(verdict: str) -> str:
    """Return the style of a cell of a verdict; empty where there is none."""
    colour = MARKS[verdict][2] if verdict in MARKS else ""
    return colour and f"background-color: {colour}; color: black"


def claims_table(rows: Sequence[Row]) -> Styler:
    """Return claims as a table: the paper's words, and what came out here."""
    claims = load_claims(rows[0].study)
    said = [vars(claims[row.item]) | vars(row) | {"note": _note(row)} for row in rows]
    names = {"claim": "the paper", "where": "where", "quantity": "looked at"}
    names |= {"published": "published", "reproduced": "here", "ci95_low": "95 % from"}
    names |= {"ci95_high": "to", "verdict": "verdict", "note": "note"}
    shown = pd.DataFrame(said, [row.item for row in rows])[[*names]].rename(columns=names)
    return plain_table(shown, "claims").map(ground, subset=["verdict"])


def _note(row: Row) -> str:
    """Return a note as a sentence of HTML whose lists fold."""
    text, _, lists = row.note.partition(FOLD)
    fold = f"<details><summary>which</summary>{escape(lists)}</details>" if lists else ""
    return (text and f"{escape(text[:1].upper() + text[1:].rstrip('.'))}.") + fold


def _evidence(row: Row) -> str:
    """Return what was looked at and what came out, in a sentence."""
    if row.reproduced is None:
        return ""
    known, ends = _number(row.reproduced), (row.ci95_low, row.ci95_high)
    match [_number(end) for end in ends if end is not None and math.isfinite(end)]:
        case [low, high]:
            known += f" (95 %: {low} to {high})"
        case [bound]:
            known = f"at {'least' if ends[1] == math.inf else 'most'} {bound} (95 %)"
    return f"{row.quantity[:1].upper()}{row.quantity[1:]}: {known}."


def _number(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "out of range"
    return f"{round(value, 3) + 0.0:.3f}"  # no minus before a zero


def verdict_lines(rows: Sequence[Row]) -> str:
    """Return the verdicts of claims as HTML: each claim in the paper's words, and the evidence."""
    claims = load_claims(rows[0].study) if rows else {}
    lines = []
    for row in rows:
        colour, sign, _ = MARKS[row.verdict]
        lines.append(
            f'<div style="border-left: 4px solid {colour}; padding-left: 8px; margin: 4px 0">'
            f'<b style="color: {colour}">{sign} {row.item} {row.verdict}.</b> '
            f"<i>{escape(claims[row.item].claim.rstrip('.'))}.</i> "
            f"{escape(_evidence(row))} {_note(row)}</div>"
        )
    return "".join(lines)


#: Pictures open when they are clicked, by CSS alone: the page needs no script and no network.
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 64rem; margin: 2rem auto;
  padding: 0 1rem; background: white; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid #ddd; }
td.n, th.n { text-align: right; }
h2 { margin-top: 3rem; border-top: 2px solid #1a1a1a; padding-top: .6rem; }
article { display: flex; flex-wrap: wrap; gap: 1.2rem; margin: 1.4rem 0; }
article > div { flex: 1 1 24rem; }
figure { flex: 0 0 20rem; margin: 0; }
figure img { width: 100%; border: 1px solid #ddd; cursor: zoom-in; }
figure:target { position: fixed; inset: 0; z-index: 1; background: rgba(0, 0, 0, .75);
  display: flex; align-items: center; justify-content: center; padding: 2vmin; }
figure:target img { width: auto; max-width: 100%; max-height: 96vh; background: white; }
figure .close { display: none; }
figure:target .close { display: block; position: absolute; inset: 0; cursor: zoom-out; }
.more { display: flex; flex-wrap: wrap; gap: 1rem; }
.grey { color: #595959; }
@media (max-width: 40rem) { figure { flex-basis: 100%; } td, th { padding: .3rem; } }
"""


def write_index(results: Mapping[str, Any], out: Path, scale: str, missing: Sequence[str]) -> Path:
    """Write ``index.html``, one self-contained page of what the studies say; return its path."""
    body = [
        "<h1>When does processor co-allocation pay?</h1>",
        f"<p>What papers say, and what comes out at the scale <b>{scale}</b>. A click opens a "
        "picture; <a href='ledger.csv'>ledger.csv</a> has every number.</p>",
    ]
    if missing:
        body.append(
            f"<p><b>Not here: {', '.join(missing)}.</b> Synthetic stand-ins serve where there are "
            "any; no printed number is tested on them. <code>coalloc traces fetch "
            f"{' '.join(missing)}</code> gets the logs.</p>"
        )
    body.append(_summary(results))
    for name, result in results.items():
        body += [f'<h2 id="{name}">{escape(result.study.title)}</h2>', _section(name, result, out)]
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Coalloc Workbench: results</title><style>{STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>"
    )
    path = out / "index.html"
    with atomic_path(path) as beside:
        beside.write_text(page, encoding="utf-8")
    return path


def tally(result: Any) -> dict[str, int]:
    """Count printed ``numbers`` that can be tested, those ``reproduced``, ``claims`` by verdict."""
    known = load_claims(result.study.name)
    claims = [row for row in result.rows if row.item in known]
    counts = count_verdicts(row for row in result.rows if row.item not in known)
    tested = sum(counts.values()) - counts.get("cannot be tested", 0)
    numbers = {"numbers": tested, "reproduced": counts.get("reproduced", 0), "claims": len(claims)}
    return numbers | count_verdicts(claims)


COLUMNS = ("holds", "does not hold", "undecided", "cannot be tested")


def _summary(results: Mapping[str, Any]) -> str:
    head = "<th>study<th class=n>printed numbers that came out<th class=n>claims"
    head += "".join(f"<th class=n>{MARKS[name][1]} {name}" for name in COLUMNS)
    rows = []
    for name, result in results.items():
        counts = tally(result)
        share = f"{counts['reproduced']} of {counts['numbers']}" if counts["numbers"] else "–"
        cells = [share, counts["claims"], *(counts.get(verdict, 0) for verdict in COLUMNS)]
        numbers = "".join(f"<td class=n>{cell}" for cell in cells)
        rows.append(f'<tr><td><a href="#{name}">{name}</a>{numbers}')
    return f"<table><tr>{head}{''.join(rows)}</table>"


def _section(name: str, result: Any, out: Path) -> str:
    """Return the figures of a study, each with the claims that it decides, then the others."""
    known = load_claims(name)
    rows = {row.item: row for row in result.rows if row.item in known}
    parts, others = [], []
    for figure in (figure for figure in result.figures if figure.draw):
        path = out / name / f"{figure.name}.png"
        picture = _picture(f"{name}-{figure.name}", figure.words(), path)
        if not figure.claims:
            others.append(picture)
            continue
        claims = [rows.pop(item) for item in figure.claims if item in rows]
        above = "" if claims else f"<p class=grey>See above: {', '.join(figure.claims)}.</p>"
        text = f"<p><b>{escape(figure.title.rstrip('.'))}.</b></p>{verdict_lines(claims)}{above}"
        parts.append(f"<article>{picture}<div>{text}</div></article>")
    if rows:  # claims that no picture shows
        parts.append(f"<article><div>{verdict_lines([*rows.values()])}</div></article>")
    if numbers := [row for row in result.rows if row.item not in known]:
        parts.append(_numbers_table(numbers))
    if others:
        parts.append(f"<h3>Further figures</h3><div class=more>{''.join(others)}</div>")
    return "".join(parts)


def _picture(anchor: str, words: str, path: Path) -> str:
    code = b64encode(path.read_bytes()).decode("ascii")
    return (
        f'<figure id="{anchor}"><a href="#{anchor}" aria-label="open the picture">'
        f'<img loading="lazy" alt="{escape(words)}" src="data:image/png;base64,{code}"></a>'
        f'<a class=close href="#{anchor}-" aria-label="close the picture"></a></figure>'
    )


def _numbers_table(rows: Sequence[Row]) -> str:
    """Return how many printed numbers have which verdict, and those that did not come out."""
    counts = count_verdicts(rows)
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    off = [row for row in rows if row.verdict != "reproduced"]
    cells = "".join(
        f"<tr><td>{escape(row.item)}<td class=n>{_number(row.published)}"
        f"<td class=n>{_number(row.reproduced)}<td>{row.verdict}<td>{_note(row)}" for row in off
    )  # fmt: skip
    head = "<tr><th>number<th class=n>printed<th class=n>here<th>verdict<th>"
    fold = f"<details><summary>The others</summary><table>{head}{cells}</table></details>"
    return f"<h3>Printed numbers</h3><p>{words}.</p>{fold if off else ''}"
