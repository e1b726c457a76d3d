"""The matrix of all conclusions and conditions, and what becomes of each, in words."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.studies.shown import Caption
from coalloc_lib.studies.what_survives import model
from coalloc_lib.studies.what_survives.conclusions import CONCLUSIONS
from coalloc_lib.studies.what_survives.effects import HOLDS, NO_ANSWER, TURNS, effects
from coalloc_lib.studies.what_survives.runs import own, study

#: Of the cells that decide, the share in which what survives holds; and of one kind of policies or
#: jobs, if in at most the rest of the others, the share in which what belongs to this kind holds.
SURVIVES, BELONGS = 0.9, 0.8
#: Columns that are no pair of a policy and a workload.
ESTIMATES, OTHERS = "estimates", "other"


def survival(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each conclusion: how often it holds, turns or is open, and the sentence."""
    table, rows = effects(runs), []
    for item, cells in table.groupby("conclusion", sort=False):
        counts = cells["verdict"].value_counts()
        holds, turns = (int(counts.get(name, 0)) for name in (HOLDS, TURNS))
        share = holds / (holds + turns) if holds + turns else float("nan")
        rows.append({
            "conclusion": item, "name": CONCLUSIONS[item].name, "share": share,
            "holds": holds, "turns": turns, "undecided": int(counts.get("undecided", 0)),
            "no_answer": int(counts.get(NO_ANSWER, 0)), "sentence": _sentence(item, cells),
        })  # fmt: skip
    order = pd.DataFrame(rows)
    return order.sort_values("share", ascending=False, kind="stable", na_position="last")


def _sentence(item: str, cells: pd.DataFrame) -> str:
    """Return what becomes of a conclusion, by the cells that decide."""
    decided = cells[cells["verdict"].isin([HOLDS, TURNS])]
    if decided.empty:
        return "undecided everywhere"
    if _share(decided) >= SURVIVES:
        return "survives"
    if _share(decided) <= 1 - SURVIVES:
        return "turns"
    logs, backfills = (
        decided[name].isin([*of])
        for name, of in (("workload", model.LOGS), ("policy", model.BACKFILLING))
    )
    first = own(CONCLUSIONS[item]).policy
    kinds = {
        f"belongs to {first}": decided["policy"] == first,
        "belongs to queues without backfilling": ~backfills,
        "belongs to backfilling": backfills,
        "belongs to drawn jobs": ~logs,
        "belongs to logs": logs,
    }
    contrasts = {name: _contrast(decided, mine) for name, mine in kinds.items()}
    best = max(contrasts, key=lambda name: contrasts[name])
    return best if contrasts[best] > 0 else "depends"


def _contrast(decided: pd.DataFrame, mine: pd.Series) -> float:
    """Return by how much more of some cells hold than of the others; 0 where they do not part."""
    if mine.all() or not mine.any():
        return 0.0
    inside, outside = _share(decided[mine]), _share(decided[~mine])
    return inside - outside if inside >= BELONGS and outside <= 1 - BELONGS else 0.0


def _share(decided: pd.DataFrame) -> float:
    """Return the share of the cells in which a conclusion holds."""
    return float((decided["verdict"] == HOLDS).mean())


def draw_matrix(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw conclusions down and conditions across."""
    columns = {"row": "label", "column": "condition", "group": "group", "value": "change"}
    return plots.matrix(
        table, **columns, verdict="verdict", beside="sentence",
        values="change of the mean response, %", **titles,
    )  # fmt: skip


MATRIX = Caption(
    "each conclusion under each condition; blue-green: holds, brown: turns, hatched: undecided, "
    "×: no answer, since a queue only grows or jobs are refused; "
    + ", ".join(f"{letter}: {name}" for name, letter in model.LETTERS.items()),
    finding={
        "paper": "Ten of sixteen conclusions survive; that spanning pays at a penalty of a quarter "
        "belongs to first come, first served"
    },
)


@study.add_figure("matrix", MATRIX, draw_matrix, claims=tuple(CONCLUSIONS))
def matrix(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each cell, conclusions in the order of how often they hold."""
    becomes = survival(runs).set_index("conclusion")
    table = effects(runs)
    firsts = {item: own(each) for item, each in CONCLUSIONS.items()}
    places = [_column(row, firsts[row.conclusion]) for row in table.itertuples()]
    table["group"], table["condition"] = zip(*places, strict=True)
    told = [
        f"{row.sentence}: {row.holds} of {row.holds + row.turns}" for row in becomes.itertuples()
    ]
    table["sentence"] = table["conclusion"].map(dict(zip(becomes.index, told, strict=True)))
    table["label"] = table["name"]
    rank = {item: place for place, item in enumerate(becomes.index)}
    groups = {name: place for place, name in enumerate([*model.POLICIES, ESTIMATES, OTHERS])}
    by = {
        "conclusion": rank,
        "group": groups,
        "condition": {name: place for place, name in enumerate(model.LETTERS.values())},
    }

    def key(column: pd.Series) -> pd.Series:
        return column.map(by[column.name]).fillna(99)

    return table.sort_values([*by], key=key, kind="stable", ignore_index=True)


def _column(row: Any, first: Any) -> tuple[str, str]:
    """Return the group and the name of the column that a cell stands in."""
    if row.system != first.system:
        return OTHERS, row.system
    if row.load != first.load:
        return OTHERS, f"load {row.load:g}"
    letter = model.LETTERS[row.workload]
    if row.estimates == model.DOUBLED:
        return ESTIMATES, f"{row.policy} ×2"
    if row.estimates == model.REQUESTED:
        return ESTIMATES, f"{row.policy} {letter}"
    return row.policy, letter
