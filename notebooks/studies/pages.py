"""Show verdicts: below a figure, as a table in a notebook, and on one page for all studies."""

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

from coalloc_lib.basics.display import badge, listed
from coalloc_lib.basics.files import atomic_path
from coalloc_lib.statistics import NotRunError
from studies.ledger import FOLD, OF_BOTH, OF_CLAIMS, Row, count_verdicts
from studies.published import load_claims, load_conclusions

GOOD, FAIR, BAD, OPEN = "#00694D", "#7A5C00", "#A63603", "#595959"
#: For each verdict: its text colour, the sign that marks it, and the background colour of its table
#: cells.
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
#: A regular expression for the opening tag of a table cell or caption. Its groups are the tag's
#: name and its attributes.
CELL = re.compile(r"<(td|th|caption)\b([^>]*)>")
#: A regular expression for a CSS rule. Its groups are the selectors and the properties.
RULE = re.compile(r"([^{}]+)\{([^}]*)\}")
#: A regular expression for the beginning of each list of parts or settings in a note.
LISTED = re.compile(r"(?:^|; )((?:fails|undecided)(?: elsewhere)?): ")


class InlineStyler(Styler):
    """A styled table that stores styles in its cells instead of in a style sheet.

    Jupyter removes style sheets from the output of notebooks that the user has not trusted yet.
    """

    def __repr__(self) -> str:
        # The usual text has an address in memory, which differs in each run of a notebook.
        return f"<table of {len(self.index)} rows>"

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
    """Return a table styled for notebooks: left-aligned, with three decimals."""
    left = {"selector": "td, th", "props": "text-align: left; vertical-align: top"}
    styled = InlineStyler(table, uuid=name).format(precision=3, na_rep="")
    return styled.set_table_styles([left, {"selector": "th", "props": "white-space: nowrap"}])


def ground(verdict: str) -> str:
    """Return the CSS for the background colour of a verdict's table cells; empty for no colour."""
    colour = MARKS[verdict][2] if verdict in MARKS else ""
    return colour and f"background-color: {colour}; color: black"


def claims_table(rows: Sequence[Row]) -> Styler:
    """Return a table with one row per claim: the paper's sentence, our result and the verdict."""
    claims = load_claims(rows[0].study)
    cells = [
        vars(claims[row.item])
        | vars(row)
        | {"claim": claims[row.item].quotation, "measured": _evidence(row), "note": _note(row)}
        for row in rows
    ]
    # The verdict stands beside the sentence, so that a reader sees both without scrolling.
    names = {"claim": "the paper", "where": "where", "verdict": "verdict", "published": "printed"}
    names |= {"measured": "our value", "note": "note"}
    shown = pd.DataFrame(cells, [row.item for row in rows])[[*names]].rename(columns=names)
    # The table scrolls, because it is much higher than a screen.
    scrolls = "display: block; max-height: 560px; overflow: auto"
    styled = plain_table(shown, "claims").set_table_attributes(f'style="{scrolls}"')
    wide = {"the paper": "15em", "verdict": "6em", "our value": "13em", "note": "15em"}
    widths = {
        name: [{"selector": "td", "props": f"min-width: {width}"}] for name, width in wide.items()
    }
    styled = styled.set_table_styles(widths, overwrite=False)
    return styled.map(ground, subset=["verdict"])


def _note(row: Row) -> str:
    text, _, lists = row.note.partition(FOLD)
    # Between the texts, the pattern's group alternates with them.
    _, *parts = LISTED.split(lists)
    lines = "<br>".join(
        f"• <b>{where}:</b> {escape(names)}"
        for where, names in zip(parts[::2], parts[1::2], strict=True)
    )
    fold = f"<details><summary>which</summary>{lines}</details>" if lists else ""
    return (text and f"{escape(text[:1].upper() + text[1:].rstrip('.'))}.") + fold


def _evidence(row: Row) -> str:
    if row.reproduced is None:
        return ""
    value, ends = _number(row.reproduced), (row.ci95_low, row.ci95_high)
    match [_number(end) for end in ends if end is not None and math.isfinite(end)]:
        case [low, high]:
            value += f" (95 %: {low} to {high})"
        case [bound] if math.inf in ends or -math.inf in ends:
            value = f"at {'least' if ends[1] == math.inf else 'most'} {bound} (95 %)"
    return f"{row.quantity[:1].upper()}{row.quantity[1:]}: {value}."


def _number(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else "out of range"
    return f"{round(value, 3) + 0.0:.3f}"  # adding 0.0 turns -0.0 into 0.0


def verdict_lines(rows: Sequence[Row]) -> str:
    """Return HTML that lists claims: the verdict, the paper's sentence and collapsed evidence.

    Several claims are collapsed to their verdicts, so that they fit a screen together with their
    figure.
    """
    claims = load_claims(rows[0].study) if rows else {}
    lines, badges = [], []
    for row in rows:
        colour, sign, _ = MARKS[row.verdict]
        badges.append(badge(f"{sign} {row.item} {row.verdict}", colour))
        quoted = claims[row.item].quotation
        stop = "" if quoted.endswith(("”", ".")) else "."
        lines.append(
            f'<details style="border-left: 4px solid {colour}; padding-left: 8px; margin: 4px 0">'
            f"<summary>{badges[-1]} <i>{escape(quoted)}{stop}</i></summary>"
            f"{escape(_evidence(row))} {_note(row)}</details>"
        )
    if len(lines) <= 1:
        return "".join(lines)
    return f"<details><summary>{' '.join(badges)}</summary>{''.join(lines)}</details>"


#: The file name of the page.
INDEX = "index.html"
#: The verdicts on claims that have their own column in the table of studies on the results page.
COLUMNS = (*OF_CLAIMS, *OF_BOTH)
#: The columns of the table of studies on the results page that count how many numbers printed in
#: the papers have certain verdicts, and these verdicts.
NUMBERS = {
    "reproduced": ("reproduced",),
    "not reproduced": ("close", "differs", "undecided"),
    "used to calibrate": ("calibrated on",),
    "not testable": ("cannot be tested",),
}


def write_index(results: Mapping[str, Any], out: Path, scale: str, missing: Sequence[str]) -> Path:
    """Write one self-contained HTML page with the results of all studies, and return its path.

    Parameters
    ----------
    results : dict of StudyResult
        The results by study.
    out : Path
        The folder of the results, in which the pictures already are.
    scale : str
        The scale or scales of the runs, as the page shows them.
    missing : list of str
        The public logs that were missing.
    """
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"note": _note, "number": _number, "verdict_lines": verdict_lines}
    page = environment.get_template("index.html.j2").render(
        studies=[_section(name, result, out) for name, result in results.items()],
        columns=COLUMNS, heads=NUMBERS, marks=MARKS, scale=scale, missing=missing,
    )  # fmt: skip
    path = out / INDEX
    with atomic_path(path) as beside:
        beside.write_text(page, encoding="utf-8")
    return path


def tally(result: Any) -> dict[str, int]:
    """Count how many numbers and how many claims in a study's paper have each verdict.

    The result has a count for each column of `NUMBERS`, then ``numbers`` (the printed numbers that
    can be tested), ``claims`` (all claims) and a count for each verdict of the claims.
    """
    numbers, claims = _numbers_and_claims(result)
    counts = count_verdicts(numbers)
    by_head = {
        head: sum(counts.get(verdict, 0) for verdict in verdicts)
        for head, verdicts in NUMBERS.items()
    }
    tested = by_head["reproduced"] + by_head["not reproduced"]
    return by_head | {"numbers": tested, "claims": len(claims)} | count_verdicts(claims)


def _numbers_and_claims(result: Any) -> tuple[list[Row], list[Row]]:
    items = load_claims(result.study.name)
    numbers = [row for row in result.rows if row.item not in items]
    return numbers, [row for row in result.rows if row.item in items]


def conclusion(result: Any) -> str:
    """Return a sentence that lists a paper's conclusions, each with our verdict in brackets.

    The sentence is empty if none of the conclusions was judged.
    """
    verdicts = {row.item: row.verdict for row in result.rows}
    clauses = [
        f"{clause} ({verdicts[item]})"
        for item, clause in load_conclusions(result.study.name).items()
        if item in verdicts
    ]
    return f"The paper concludes that {listed(clauses)}." if clauses else ""


def figures_run(result: Any) -> list[Any]:
    """Return only the figures that can be drawn from the given runs."""
    return [figure for figure in result.figures if _was_run(figure)]


def _was_run(figure: Any) -> bool:
    try:
        figure.data()
    except NotRunError:
        return False
    return True


def _reading(result: Any) -> str:
    try:
        return result.joint_reading().words()
    except NotRunError:
        return ""


def _section(name: str, result: Any, out: Path) -> dict[str, Any]:
    numbers, claims = _numbers_and_claims(result)
    rows = {row.item: row for row in claims}
    figures = []
    for figure in (figure for figure in figures_run(result) if figure.draw):
        picture = b64encode((out / name / f"{figure.name}.png").read_bytes()).decode("ascii")
        # A claim that several figures decide is shown only below the first of these figures.
        below = [rows.pop(item) for item in figure.claims if item in rows]
        figures.append((figure, picture, below))
    return {
        "name": name, "title": result.study.title, "conclusion": conclusion(result),
        "counts": tally(result), "figures": figures,
        "rest": [*rows.values()], "numbers": numbers, "verdicts": count_verdicts(numbers),
        "reading": _reading(result),
    }  # fmt: skip
