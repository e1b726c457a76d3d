"""Judge the archive, and write the pages' tables, sentences and pictures of results.

No sentence about results is typed by hand. `make front-door` runs this script. With a folder of
results as its argument, as in `make archive`, the runs of that folder become the archive first.
"""

import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pandas as pd

from coalloc_lib.plots import to_svg

sys.path.append(str(Path(__file__).parents[1] / "notebooks"))

from studies import STUDIES, load_study
from studies.archive import ARCHIVE, MADE_WITH, stored_runs
from studies.ledger import write_ledger
from studies.pages import COLUMNS, NUMBERS
from studies.study import RUNS
from studies.what_survives.survival import summary

ROOT = Path(__file__).parents[1]
LEDGER = ARCHIVE / "ledger.csv"
#: The pages with generated parts.
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md", ROOT / "docs" / "site" / "index.md")
QUESTIONS = {
    "maximal-utilization": ("01", "How much of a multicluster can be kept busy?"),
    "cluster-configurations": ("02", "Which clusters, and which jobs, make spanning pay?"),
    "communication-penalty": ("03", "Up to which penalty does spanning pay?"),
    "job-sharing": ("04", "Should sites share their jobs, or let them span?"),
    "online-batch": ("05", "Booked at once, or queued?"),
    "what-survives": ("our own", "Which conclusions survive elsewhere?"),
}


def between(name: str) -> re.Pattern[str]:
    """Return the pattern of the text between two marks of a page."""
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)


def table(ledger: pd.DataFrame) -> str:
    """Return the table of the README: the number of rows of the ledger with each verdict."""
    first, *others = NUMBERS
    heads = ["notebook", "question", f"printed numbers: {first}", *others]
    heads += [f"claims: {COLUMNS[0]}", *COLUMNS[1:]]
    lines = [heads, ["---"] * len(heads)]
    is_claim = ledger["item"].str.fullmatch(r"[A-Z]{2}-\d+")
    for study, (notebook, question) in QUESTIONS.items():
        mine = ledger["study"] == study
        numbers, claims = (
            Counter(ledger.loc[mine & rows, "verdict"]) for rows in (~is_claim, is_claim)
        )
        counted = [sum(numbers[each] for each in verdicts) for verdicts in NUMBERS.values()]
        counted += [claims[each] for each in COLUMNS]
        lines.append([notebook, question, *map(str, counted)])
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
    from lessons import tour

    highest = max(tour.LOADS)
    first, easy = (tour.break_even(policy, highest) for policy in ("FCFS", "EASY"))
    adaptive = cells[cells["policy"] == "EASY, adaptive"]
    longer = int((adaptive["ci95_low"] > 0).sum())
    told = (
        f"at load {highest:g}, spanning pays up to a penalty of {first.text(2)} under first come, "
        f"first served, and up to {easy.text(2)} under EASY backfilling. Adaptive spanning, which "
        f"spans only if a job then ends sooner, lengthens the mean response in {longer} of its "
        f"{len(adaptive)} cells of this map; elsewhere it can lose"
    )
    picture = (
        "![Map of the change of the mean response by spanning, over penalty and load, under four "
        "policies](docs/where-spanning-pays.svg)"
    )
    return f"{picture}\n\n*Three clusters of 8 processors: {told}.*\n"


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
    from lessons import tour

    cells = tour.where_spanning_pays()
    for page in PAGES:
        text = page.read_text("utf-8")
        for name, part in parts(cells).items():
            text = between(name).sub(lambda _, part=part: part, text)
        page.write_text(text, encoding="utf-8")
    figures = {
        "where-spanning-pays": tour.draw_map(cells),
        "player": tour.player("backfilling").still(),
    }
    for name, figure in figures.items():
        (ROOT / "docs" / f"{name}.svg").write_text(to_svg(figure), encoding="utf-8")


if __name__ == "__main__":
    main()
