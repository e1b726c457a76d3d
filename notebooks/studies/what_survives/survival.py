"""The share of the cells in which each conclusion holds, and the conditions of these cells."""

from collections.abc import Iterator

import pandas as pd

from coalloc_lib.plots.matrix import NO_ANSWER, UNDECIDED
from studies.log_files import marked_as_stand_in
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS
from studies.what_survives.effects import DECIDED, SATURATED, effects

#: A conclusion survives if it holds in at least this fraction of the tests that decide it.
SURVIVES = 0.9
#: A conclusion belongs to a group of tests, for example the tests under FCFS, if it holds in at
#: least the fraction `INSIDE` of the decided tests in the group, and in at most the fraction
#: `OUTSIDE` of the decided tests outside the group. A test is decided if it confirms or refutes the
#: conclusion.
INSIDE, OUTSIDE = 0.8, 0.2
#: A group of tests, such as the tests under FCFS, is compared with all other tests only if there
#: are at least this many decided tests in the group, and at least as many outside it.
ENOUGH = 5


def survival(cells: pd.DataFrame) -> pd.DataFrame:
    """Return how many tests confirm each conclusion, and whether the conclusion survives.

    `cells` is the table of `effects`. The counts `holds` and `turns` include the cells in which the
    system is saturated in one of the two compared simulations, and `saturated` is the number of
    these cells.
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
    """Say whether a conclusion survives, turns into its opposite, or depends on the setting."""
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
    """Return the fraction of tests that confirm a conclusion, without the undecided tests."""
    return float(_holds(decided).mean())


def by_metric(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `survival`, with a column that counts the claims for each metric."""
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
    """Summarize, as Markdown, which conclusions survive."""
    cells = effects(runs)
    table = by_metric(cells)
    relaxed, others = table[table["relaxation"]], table[~table["relaxation"]]
    decided, saturated = _number(cells, [*DECIDED]), _number(cells, SATURATED)
    undecided, no_answer = _number(cells, [UNDECIDED]), _number(cells, [NO_ANSWER])
    first = (
        f"Each of {len(table)} conclusions compares two simulations of the same jobs. A *cell* is "
        f"one conclusion, under one condition, by one metric; there are {len(cells):,} cells. In "
        f"{decided} cells the 95 % interval of the difference decides for or against the "
        f"conclusion; in {saturated} of these cells, the system is saturated in only one of the "
        f"two simulations. In {undecided} cells the interval includes zero, so it is not known "
        f"which of the two is better. {no_answer} cells have no answer, because the system is "
        "saturated in both simulations, or because the log is too short for an interval."
    )
    second = (
        f"A conclusion survives if it holds in at least {SURVIVES:.0%} of its decided cells. There "
        f"are {len(relaxed)} conclusions that only say that more freedom is better, for example "
        "that spanning without a penalty is better than not spanning; "
        f"{_surviving(relaxed)} of these survive. The other {len(others)} conclusions are listed "
        f"below; {_surviving(others)} of these survive. The numbers in brackets say, for each "
        "metric, in how many of the decided cells the conclusion holds."
    )
    lines = [_line(row) for row in others.to_dict("records")]
    replaced = ", ".join(stand_ins_in_words(cells))
    third = f"These logs were missing, and synthetic jobs replaced them: {replaced}.\n\n"
    return f"{first}\n\n{second}\n\n{third * bool(replaced)}" + "\n".join(lines) + "\n"


def stand_ins_in_words(cells: pd.DataFrame) -> list[str]:
    """Return the name of each log that a synthetic stand-in replaced, with the log's letter."""
    logs = cells.loc[cells["stand_in"].astype(bool), "workload"].unique()
    return [f"{model.LETTERS[log]}: {marked_as_stand_in(log)}" for log in logs]


def _line(row: dict) -> str:
    counts = ", ".join(f"{metric} {row[metric]}" for metric in model.METRICS)
    return f"- **{row['name']}** {row['sentence']} ({counts})"


def _number(cells: pd.DataFrame, verdicts: list[str]) -> str:
    return f"{int(cells['verdict'].isin(verdicts).sum()):,}"


def _surviving(table: pd.DataFrame) -> int:
    return int((table["sentence"] == "survives").sum())
