"""Tables as a notebook shows them: words to the left, three digits, verdicts coloured."""

import re
from collections.abc import Sequence

import pandas as pd
from pandas.io.formats.style import Styler

from coalloc_lib.studies.ledger import FOLD, Row
from coalloc_lib.studies.published import load_claims

#: Ground of a cell by its verdict: what does not come out as printed, and what is not certain.
GROUNDS = {
    "close": "#FFF1C9",
    "holds in part": "#FFF1C9",
    "differs": "#F8D3BF",
    "does not hold": "#F8D3BF",
    "cannot be tested": "#E4E4E4",
}

#: Of a style sheet: selectors and properties. Of a table: what opens a cell.
RULE = re.compile(r"([^{}]+)\{([^}]*)\}")
CELL = re.compile(r"<(td|th|caption)\b([^>]*)>")


class InlineStyler(Styler):
    """A table whose cells bear their styles: a notebook not yet trusted drops style sheets."""

    def _repr_html_(self) -> str:
        sheet, body = self.to_html().split("</style>", 1)
        rules = [
            (selector.split()[-1], " ".join(properties.split()))
            for selectors, properties in RULE.findall(sheet)
            for selector in selectors.split(",")
        ]
        return CELL.sub(lambda cell: _with_style(cell[1], cell[2], rules), body)


def _with_style(tag: str, rest: str, rules: Sequence[tuple[str, str]]) -> str:
    attributes = dict(re.findall(r'(\w+)="([^"]*)"', rest))
    names = {tag, f"#{attributes.get('id')}"}
    names |= {f"{tag}.{name}" for name in attributes.get("class", "").split()}
    style = " ".join(properties for selector, properties in rules if selector in names)
    return f'<{tag}{rest} style="{style}">'


def claims_table(rows: Sequence[Row]) -> Styler:
    """Return the claims among the rows of a ledger: the paper's words, and what came out here."""
    said = {row.study: load_claims(row.study) for row in rows}
    claims = [row for row in rows if row.item in said[row.study]]
    table = pd.DataFrame(
        {
            "the paper": [said[row.study][row.item].words for row in claims],
            "where": [said[row.study][row.item].where for row in claims],
            "looked at": [row.quantity for row in claims],
            "published": [row.published for row in claims],
            "here": [row.reproduced for row in claims],
            "95 % from": [row.ci95_low for row in claims],
            "to": [row.ci95_high for row in claims],
            "verdict": [row.verdict for row in claims],
            "note": [_folded(row.note) for row in claims],
        },
        index=[row.item for row in claims],
    )
    styled = _plain(table, "claims")
    return styled.map(ground, subset=["verdict"])


def _folded(note: str) -> str:
    said, fold, lists = note.partition(FOLD)
    return f"{said}<details><summary>which</summary>{lists}</details>" if fold else said


def ground(verdict: str) -> str:
    """Return the style of a cell of a verdict."""
    return f"background-color: {GROUNDS[verdict]}; color: black" if verdict in GROUNDS else ""


def losses_table(table: pd.DataFrame, verdicts: pd.DataFrame, name: str) -> Styler:
    """Return a table of losses, each cell coloured by its verdict.

    Parameters
    ----------
    table : DataFrame
    verdicts : DataFrame
        Of the same shape; empty where a cell has none.
    name : str
        Of the table on its page.
    """
    grounds = verdicts.map(ground)
    words = "yellow: close to the print, red: differs, grey: the interval is too wide to tell"
    centred = {"selector": "th.col_heading", "props": "text-align: center"}
    below = {"selector": "caption", "props": "caption-side: bottom; text-align: left"}
    styled = _plain(table, name).set_table_styles([centred, below], overwrite=False)
    return styled.apply(lambda _: grounds, axis=None).set_caption(words)


def _plain(table, name):
    left = {"selector": "td, th", "props": "text-align: left; vertical-align: top"}
    whole = {"selector": "th", "props": "white-space: nowrap"}
    styled = InlineStyler(table, uuid=name).format(precision=3, na_rep="")
    return styled.set_table_styles([left, whole])
