"""The share of the cells in which each conclusion holds, and the kind of cells in which it does."""

from collections.abc import Iterator

import pandas as pd

from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS
from studies.what_survives.effects import (
    DECIDED,
    NO_ANSWER,
    SATURATED,
    UNDECIDED,
    effects,
)

#: A conclusion survives if it holds in at least this share of its decided tests.
SURVIVES = 0.9
#: A conclusion belongs to a kind of tests, for example those under FCFS, if it holds in at least
#: the share `INSIDE` of the decided tests of this kind, and in at most the share `OUTSIDE` of all
#: other decided tests.
INSIDE, OUTSIDE = 0.8, 0.2
#: The smallest number of decided tests for which two groups of tests are compared: those of one
#: kind, and all others.
ENOUGH = 5


def survival(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each conclusion: in how many tests it holds, and whether it survives.

    `cells` is the table of `effects`. The counts `holds` and `turns` include the cells in which one
    way is saturated, and `saturated` is the number of these cells.
    """
    rows = [_row(item, its_cells) for item, its_cells in cells.groupby("conclusion", sort=False)]
    table = pd.DataFrame(rows)
    return table.sort_values(
        ["relaxation", "share"], ascending=[True, False], kind="stable", ignore_index=True
    )


def _row(item: str, cells: pd.DataFrame) -> dict:
    verdicts = cells["verdict"]
    holds = int(verdicts.isin([verdict for verdict, is_held in DECIDED.items() if is_held]).sum())
    decided = int(verdicts.isin([*DECIDED]).sum())
    return {
        "conclusion": item,
        "name": CONCLUSIONS[item].name,
        "relaxation": CONCLUSIONS[item].relaxation,
        "share": holds / decided if decided else float("nan"),
        "holds": holds,
        "turns": decided - holds,
        "saturated": int(verdicts.isin(SATURATED).sum()),
        "undecided": int((verdicts == UNDECIDED).sum()),
        "no_answer": int((verdicts == NO_ANSWER).sum()),
        "sentence": sentence_of(cells),
    }


def sentence_of(cells: pd.DataFrame) -> str:
    """Return a string on whether a conclusion survives, turns into its opposite, or depends."""
    decided = cells[cells["verdict"].isin([*DECIDED])]
    if decided.empty:
        return "is undecided in all cells"
    if share(decided) >= SURVIVES:
        return "survives"
    if share(decided) <= 1 - SURVIVES:
        return "turns"
    found = [
        (share(inside) - share(outside), f"belongs to {name}: {_counts(inside, outside)}")
        for name, inside, outside in _kinds(decided)
        if len(inside) >= ENOUGH and len(outside) >= ENOUGH
        if share(inside) >= INSIDE and share(outside) <= OUTSIDE
    ]
    return max(found)[1] if found else "depends"


def _kinds(decided: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield kinds of tests, such as those under FCFS: the name, the tests, and all other tests."""
    of_log = decided["workload"].isin([*model.LOGS])
    backfills = decided["policy"].isin(model.BACKFILLING)
    kinds = {
        "FCFS": decided["policy"] == "FCFS",
        "queues in which few jobs may overtake": decided["policy"].isin(model.FEW_OVERTAKE),
        "queues without backfilling": ~backfills & (decided["policy"] != model.ONLINE),
        "backfilling": backfills,
        "sampled jobs": ~of_log,
        "logs": of_log,
    }
    kinds |= {f"the {metric}": decided["metric"] == metric for metric in model.METRICS}
    for name, inside in kinds.items():
        yield name, decided[inside], decided[~inside]


def _counts(inside: pd.DataFrame, outside: pd.DataFrame) -> str:
    there, elsewhere = (f"{int(_holds(part).sum())} of {len(part)}" for part in (inside, outside))
    return f"{there}, elsewhere {elsewhere}"


def _holds(decided: pd.DataFrame) -> pd.Series:
    return decided["verdict"].map(DECIDED).astype(bool)


def share(decided: pd.DataFrame) -> float:
    """Return the share of decided tests in which a conclusion holds."""
    return float(_holds(decided).mean())


def by_metric(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `survival` with the counts for each metric in further columns."""
    table = survival(cells)
    for metric in model.METRICS:
        of_metric = survival(cells[cells["metric"] == metric]).set_index("conclusion")
        counts = [
            f"{row.holds} of {row.holds + row.turns}"
            for row in of_metric.loc[table["conclusion"]].itertuples()
        ]
        table[metric] = counts
    return table


def summary(runs: pd.DataFrame) -> str:
    """Return a summary of which conclusions survive, as text in Markdown."""
    cells = effects(runs)
    table = by_metric(cells)
    relaxed, others = table[table["relaxation"]], table[~table["relaxation"]]
    decided, saturated = _number(cells, [*DECIDED]), _number(cells, SATURATED)
    undecided, no_answer = _number(cells, [UNDECIDED]), _number(cells, [NO_ANSWER])
    first = (
        f"Each of {len(table)} conclusions compares two ways to run the same jobs. A *cell* is one "
        f"conclusion, under one condition, by one metric; there are {len(cells):,} cells. In "
        f"{decided} cells the 95 % interval of the difference decides for or against the "
        f"conclusion; in {saturated} of these cells one way is saturated and the other is not. In "
        f"{undecided} cells the interval includes zero, so it is not known which way is better. "
        f"{no_answer} cells have no answer: both ways are saturated, or the log is too short for "
        "an interval."
    )
    second = (
        f"A conclusion survives if it holds in {SURVIVES:.0%} of the decided cells. "
        f"{len(relaxed)} conclusions only say that more freedom is better, for example that "
        "spanning without a penalty is better than not spanning. "
        f"{_surviving(relaxed)} of them survive. Of the {len(others)} others, which are listed "
        f"below, {_surviving(others)} survive. For each metric, the brackets give the number of "
        "decided cells in which the conclusion holds."
    )
    lines = [_line(row) for row in others.to_dict("records")]
    return f"{first}\n\n{second}\n\n" + "\n".join(lines) + "\n"


def _line(row: dict) -> str:
    counts = ", ".join(f"{metric} {row[metric]}" for metric in model.METRICS)
    return f"- **{row['name']}** {row['sentence']} ({counts})"


def _number(cells: pd.DataFrame, verdicts: list[str]) -> str:
    return f"{int(cells['verdict'].isin(verdicts).sum()):,}"


def _surviving(table: pd.DataFrame) -> int:
    return int((table["sentence"] == "survives").sum())
