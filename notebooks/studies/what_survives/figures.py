"""The matrices of all conclusions and conditions, by metric, and the table of counts of cells."""

import functools
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from studies.columns import column
from studies.results import Caption
from studies.what_survives import model
from studies.what_survives.conclusions import CONCLUSIONS
from studies.what_survives.effects import SATURATED, effects
from studies.what_survives.runs import own, study
from studies.what_survives.survival import by_metric, stand_ins_in_words, survival

#: The names of two groups of columns in the study's matrix of conclusions: conditions with other
#: run-time estimates, and conditions with other systems, placements or sites. All other columns are
#: grouped by scheduling policy.
ESTIMATES, OTHERS = "estimates", "other"
#: For each figure that is a matrix of conclusions: the metric by which the conclusions are judged.
MATRICES = {
    "matrix": model.RESPONSE,
    "matrix-awrt": model.AWRT,
    "matrix-slowdown": model.SLOWDOWN,
}


def draw_matrix(table: pd.DataFrame, **titles: Any) -> Figure:
    """Draw the verdicts as a matrix with one row per conclusion and one column per condition.

    The title says how many conclusions survive. The subtitle says which logs are synthetic
    stand-ins.
    """
    by_name = survival(table)
    survive = int((by_name["sentence"] == "survives").sum())
    metric = table["metric"].iloc[0]
    titles["title"] = f"{survive} of {len(by_name)} conclusions survive, judged by the {metric}"
    titles["subtitle"] = (
        f"in brackets: conclusions whose first way only has more freedom. {titles['subtitle']}"
        + "".join(f"; {name}" for name in stand_ins_in_words(table))
    )
    columns = {"row": "label", "column": "condition", "group": "group", "value": "change"}
    saturated = table["verdict"].isin(SATURATED)
    cells = table.assign(mark=np.where(saturated, "∞", ""), change=table["change"].clip(-100, 1e4))
    return plots.matrix(
        cells, **columns, verdict="verdict", beside="counts", mark="mark",
        values=f"change of the {metric}, %", **titles,
    )  # fmt: skip


def _caption(metric: str) -> Caption:
    letters = ", ".join(f"{letter}: {name}" for name, letter in model.LETTERS.items())
    return Caption(
        f"each conclusion under each condition, judged by the {metric}; blue-green: holds, brown: "
        "does not hold, ∞: only one way is saturated, hatched: undecided, ×: no answer; "
        f"{letters}; .60 and .95: other loads, as shares of the largest that both ways can serve"
    )


def make_matrix(runs: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return one row per cell of the matrix, with all values needed to run the test again."""
    cells = effects(runs[column(runs, "metric") == metric])
    by_conclusion = survival(cells).set_index("conclusion")
    own_settings = {item: own(conclusion) for item, conclusion in CONCLUSIONS.items()}
    columns = [_column(row, own_settings[row.conclusion]) for row in cells.itertuples()]
    cells["group"], cells["condition"] = zip(*columns, strict=True)
    counts = {
        row.Index: f"{row.holds} of {row.holds + row.turns}" for row in by_conclusion.itertuples()
    }
    cells["counts"] = cells["conclusion"].map(counts)
    relaxed = cells["conclusion"].map(by_conclusion["relaxation"])
    cells["label"] = cells["name"].where(~relaxed, "(" + cells["name"] + ")")
    return _in_order(cells, list(by_conclusion.index))


def _in_order(cells: pd.DataFrame, conclusions: list[str]) -> pd.DataFrame:
    groups = [*model.POLICIES, ESTIMATES, OTHERS]
    order = {"conclusion": conclusions, "group": groups, "condition": [*model.LETTERS.values()]}

    def place(column: pd.Series) -> pd.Series:
        values = order[column.name]
        return column.map({value: at for at, value in enumerate(values)}).fillna(len(values))

    return cells.sort_values([*order], key=place, kind="stable", ignore_index=True)


def _column(row: Any, own_setting: Any) -> tuple[str, str]:
    for name in ("system", "placement", "unevenness"):
        if getattr(row, name) != getattr(own_setting, name):
            value = getattr(row, name)
            return OTHERS, f"{value} {name}" if name == "unevenness" else value
    letter = model.LETTERS[row.workload]
    if row.estimates == model.DOUBLED:
        return ESTIMATES, f"{row.policy} ×2"
    if row.estimates == model.REQUESTED:
        return ESTIMATES, f"{row.policy} {letter}"
    if row.share != own_setting.share:
        return row.policy, f"{row.share:.2f}".removeprefix("0")
    return row.policy, letter


for name, metric in MATRICES.items():
    study.add_figure(
        name,
        _caption(metric),
        draw_matrix,
        claims=tuple(CONCLUSIONS) if metric == model.RESPONSE else (),
    )(functools.partial(make_matrix, metric=metric))

COUNTS = Caption(
    "number of decided cells in which each conclusion holds, for all metrics and for each; in a "
    "relaxation, the first way only has more freedom"
)


@study.add_figure("counts", COUNTS)
def counts_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the number of tests in which each conclusion holds, in total and for each metric."""
    return by_metric(effects(runs))
