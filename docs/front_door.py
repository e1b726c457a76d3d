"""Draw the picture of the README and write its table of the studies, from the stored ledger.

Run by `make front-door`, after the studies at quick scale with the real logs.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import pandas as pd

from coalloc_lib.plots import to_svg
from coalloc_lib.studies.pages import COLUMNS

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / "data" / "results" / "ledger.csv"
BETWEEN = re.compile(r"(?<=<!-- studies -->\n).*?(?=<!-- /studies -->)", re.DOTALL)
QUESTIONS = {
    "maximal-utilization": ("01", "How much of a multicluster can be kept busy?"),
    "cluster-configurations": ("02", "Which clusters, and which jobs, make spanning pay?"),
    "communication-penalty": ("03", "Up to which penalty does spanning pay?"),
    "job-sharing": ("04", "Should sites share their jobs, or let them span?"),
    "online-batch": ("05", "Booked at once, or queued?"),
}


def table(ledger: pd.DataFrame) -> str:
    """Return the README's table: printed numbers that came out, and claims by verdict."""
    heads = ["notebook", "question", "printed numbers that came out", *COLUMNS]
    lines = [heads, ["---"] * len(heads)]
    is_claim = ledger["item"].str.fullmatch(r"[A-Z]{2}-\d+")
    for study, (notebook, question) in QUESTIONS.items():
        mine = ledger["study"] == study
        numbers, claims = (
            Counter(ledger.loc[mine & rows, "verdict"]) for rows in (~is_claim, is_claim)
        )
        tested = numbers.total() - numbers["cannot be tested"]
        came_out = f"{numbers['reproduced']} of {tested}" if tested else "–"
        lines.append([notebook, question, came_out, *(str(claims[each]) for each in COLUMNS)])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def main() -> None:
    """Write the table and the picture."""
    readme = ROOT / "README.md"
    text = BETWEEN.sub(lambda _: table(pd.read_csv(LEDGER)), readme.read_text("utf-8"))
    readme.write_text(text, encoding="utf-8")
    sys.path.append(str(ROOT / "notebooks"))
    from lessons import tour

    figure = tour.draw_map(tour.where_spanning_pays())
    (ROOT / "docs" / "where-spanning-pays.svg").write_text(to_svg(figure), encoding="utf-8")


if __name__ == "__main__":
    main()
