"""Verdicts for people: under a figure, as a table in a notebook, and as one page of all studies."""

import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader
from pandas.io.formats.style import Styler

from coalloc_lib.basics.display import listed
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.statistics import NotRunError
from studies.ledger import FOLD, OF_BOTH, OF_CLAIMS, Row, count_verdicts
from studies.published import load_claims, load_conclusions

GOOD, FAIR, BAD, OPEN = "#00694D", "#7A5C00", "#A63603", "#595959"
#: Colour and sign of each verdict, and the ground of its cells.
MARKS = {
    "reproduced": (GOOD, "✓", ""),
    "holds": (GOOD, "✓", ""),
    "close": (FAIR, "≈", "#FFF1C9"),
    "differs": (BAD, "✗", "#F8D3BF"),
    "does not hold": (BAD, "✗", "#F8D3BF"),
    "undecided": (OPEN, "?", "#E4E4E4"),
    "calibrated on": (OPEN, "=", "#E4E4E4"),
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
    said = [
        vars(claims[row.item])
        | vars(row)
        | {"claim": claims[row.item].quotation, "note": _note(row)}
        for row in rows
    ]
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
        quoted = claims[row.item].quotation
        stop = "" if quoted.endswith(("”", ".")) else "."
        lines.append(
            f'<div style="border-left: 4px solid {colour}; padding-left: 8px; margin: 4px 0">'
            f'<b style="color: {colour}">{sign} {row.item} {row.verdict}.</b> '
            f"<i>{escape(quoted)}{stop}</i> "
            f"{escape(_evidence(row))} {_note(row)}</div>"
        )
    return "".join(lines)


#: Of the claims in a table of studies.
COLUMNS = (*OF_CLAIMS, *OF_BOTH)
#: Of the printed numbers there: heads, and the verdicts that are counted under each.
NUMBERS = {
    "came out": ("reproduced",),
    "did not come out": ("close", "differs", "undecided"),
    "used to calibrate": ("calibrated on",),
    "data lost": ("cannot be tested",),
}


def write_index(results: Mapping[str, Any], out: Path, scale: str, missing: Sequence[str]) -> Path:
    """Write ``index.html``, one self-contained page of what the studies say; return its path."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"note": _note, "number": _number, "verdict_lines": verdict_lines}
    page = environment.get_template("index.html.j2").render(
        studies=[_section(name, result, out) for name, result in results.items()],
        columns=COLUMNS, heads=NUMBERS, marks=MARKS, scale=scale, missing=missing,
    )  # fmt: skip
    path = out / "index.html"
    with atomic_path(path) as beside:
        beside.write_text(page, encoding="utf-8")
    return path


def tally(result: Any) -> dict[str, int]:
    """Count printed ``numbers`` that can be tested, those by `NUMBERS`, ``claims`` by verdict."""
    known = load_claims(result.study.name)
    claims = [row for row in result.rows if row.item in known]
    counts = count_verdicts(row for row in result.rows if row.item not in known)
    by_head = {
        head: sum(counts.get(verdict, 0) for verdict in verdicts)
        for head, verdicts in NUMBERS.items()
    }
    tested = by_head["came out"] + by_head["did not come out"]
    return by_head | {"numbers": tested, "claims": len(claims)} | count_verdicts(claims)


def conclusion(result: Any) -> str:
    """Return what the paper concludes and what of it stands, in a sentence; empty if unknown."""
    verdicts = {row.item: row.verdict for row in result.rows}
    clauses = [
        f"{clause} ({verdicts[item]})"
        for item, clause in load_conclusions(result.study.name).items()
        if item in verdicts
    ]
    return f"The paper concludes that {listed(clauses)}." if clauses else ""


def figures_run(result: Any) -> list[Any]:
    """Return the figures of a result whose runs are there: some may be of a few settings."""
    return [figure for figure in result.figures if _was_run(figure)]


def _was_run(figure: Any) -> bool:
    try:
        figure.data()
    except NotRunError:
        return False
    return True


def _reading(result: Any) -> str:
    """Return how well the joint reading of a study fits; empty where it has none."""
    try:
        return result.joint_reading().words()
    except NotRunError:
        return ""


def _section(name: str, result: Any, out: Path) -> dict[str, Any]:
    """Return what is shown of a study: pictures, each with the claims that it decides first."""
    known = load_claims(name)
    rows = {row.item: row for row in result.rows if row.item in known}
    numbers = [row for row in result.rows if row.item not in known]
    figures = []
    for figure in (figure for figure in figures_run(result) if figure.draw):
        code = b64encode((out / name / f"{figure.name}.png").read_bytes()).decode("ascii")
        figures.append((figure, code, [rows.pop(item) for item in figure.claims if item in rows]))
    return {
        "name": name, "title": result.study.title, "conclusion": conclusion(result),
        "counts": tally(result), "figures": figures,
        "rest": [*rows.values()], "numbers": numbers, "verdicts": count_verdicts(numbers),
        "reading": _reading(result),
    }  # fmt: skip
