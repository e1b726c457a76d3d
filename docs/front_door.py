"""Judge the archive, and write the pages' tables, sentences and pictures of results.

No sentence about results is typed by hand. `make front-door` runs this script. With a folder of
results as its argument, as in `make archive`, the runs of that folder become the archive first.
"""

import re
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from coalloc_lib.plots import to_svg

sys.path.append(str(Path(__file__).parents[1] / "notebooks"))

from studies import STUDIES, load_study
from studies.archive import ARCHIVE, MADE_WITH, RUNS, stored_runs
from studies.ledger import OF_BOTH, OF_CLAIMS, OF_NUMBERS, write_ledger
from studies.what_survives.survival import summary

ROOT = Path(__file__).parents[1]
LEDGER = ARCHIVE / "ledger.csv"
#: The pages with generated parts.
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md", ROOT / "docs" / "site" / "index.md")
#: The study of each paper, and its notebook.
PAPERS = {
    "maximal-utilization": "01",
    "cluster-configurations": "02",
    "communication-penalty": "03",
    "job-sharing": "04",
    "online-batch": "05",
}


def between(name: str) -> re.Pattern[str]:
    """Return the pattern of the text between two marks of a page."""
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)


def table(ledger: pd.DataFrame) -> str:
    """Return the two tables of the README: verdicts of printed numbers, and of claims."""
    is_claim = ledger["item"].str.fullmatch(r"[A-Z]{2}-\d+")
    numbers = _counts("printed numbers", ledger[~is_claim], (*OF_NUMBERS, *OF_BOTH))
    claims = _counts("claims", ledger[is_claim], (*OF_CLAIMS, *OF_BOTH))
    return f"{numbers}\n{claims}"


def _counts(subject: str, rows: pd.DataFrame, verdicts: Sequence[str]) -> str:
    """Return a table of the number of rows of each paper that have each verdict."""
    lines: list[list[str]] = [[f"{subject} of", *verdicts], ["---"] * (len(verdicts) + 1)]
    for study, notebook in PAPERS.items():
        counts = Counter(rows.loc[rows["study"] == study, "verdict"])
        lines.append([f"notebook {notebook}", *(str(counts[verdict]) for verdict in verdicts)])
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def store(results: Path) -> None:
    """Copy the runs of a folder of results to the archive; all must be of the papers' scale."""
    there = [name for name in STUDIES if (results / name / RUNS).exists()]
    if not there:
        raise SystemExit(
            f"{results} has no runs of a study; name a folder of `python -m studies reproduce`"
        )
    for name in there:
        runs = stored_runs(results / name / RUNS)
        if load_study(name).shipped_scale(runs) != "paper":
            raise SystemExit(f"{results / name / RUNS} is not all of the papers' scale")
    for name in there:
        (ARCHIVE / name).mkdir(parents=True, exist_ok=True)
        for file in (RUNS, MADE_WITH):
            shutil.copy(results / name / file, ARCHIVE / name / file)


def judge() -> None:
    """Write the ledger of the archive."""
    results = [study.judge(study.archived()) for study in map(load_study, STUDIES)]
    write_ledger([row for result in results for row in result.rows], LEDGER)


def survives() -> str:
    """Return the sentences on the conclusions that survive, from the archive."""
    return summary(load_study("what-survives").archived())


def map_block(cells: pd.DataFrame) -> str:
    """Return the picture that shows where spanning pays, and the sentence below it."""
    from lessons import tour_map

    highest = max(tour_map.LOADS)
    first, easy = (tour_map.break_even(policy, highest) for policy in ("FCFS", "EASY"))
    adaptive = cells[cells["policy"] == "EASY, adaptive"]
    longer = int((adaptive["ci95_low"] > 0).sum())
    told = (
        "The map is for three clusters of 8 processors. The *penalty* is the fraction by which a "
        "job runs longer if it spans, and the *load* is the fraction of all processors that the "
        "jobs need. At load "
        f"{highest:g}, spanning shortens the mean response time up to a penalty of "
        f"{first.text(2)} (95 % interval) under first come, first served, and up to "
        f"{easy.text(2)} under EASY backfilling. Adaptive spanning, where a job spans only if it "
        "is then expected to end sooner, lengthens the mean response time in "
        f"{longer or 'none'} of the {len(adaptive)} cases of this map, but in other systems it can"
    )
    picture = (
        "![Map of how spanning changes the mean response time, over penalty and load, under four "
        "policies](docs/where-spanning-pays.svg)"
    )
    return f"{picture}\n\n{told}.\n"


def parts(cells: pd.DataFrame) -> dict[str, str]:
    """Return every generated part of the pages, by the name of its marks."""
    return {
        "map": map_block(cells),
        "studies": table(pd.read_csv(LEDGER)),
        "survives": survives(),
    }


def main() -> None:
    """Write the ledger, the generated parts of the pages, and the pictures."""
    for folder in sys.argv[1:]:
        store(Path(folder))
    judge()
    from lessons import tour, tour_map

    cells = tour_map.where_spanning_pays()
    for page in PAGES:
        text = page.read_text("utf-8")
        for name, part in parts(cells).items():
            text = between(name).sub(lambda _, part=part: part, text)
        page.write_text(text, encoding="utf-8")
    figures = {
        "where-spanning-pays": tour_map.draw_map(cells),
        "player": tour.player("backfilling").still(),
    }
    for name, figure in figures.items():
        (ROOT / "docs" / f"{name}.svg").write_text(to_svg(figure), encoding="utf-8")


if __name__ == "__main__":
    main()
