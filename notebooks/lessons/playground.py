"""The three tasks of the playground, and their checks."""

from typing import Any

import pandas as pd

from coalloc_lib.basics.checks import one_of
from coalloc_lib.widgets.centre_comparison import ALL, break_even, by_size, scenario_of
from coalloc_lib.widgets.playground import playground_explorer
from lessons.teaching import checker, near

#: Points of a change in percent, and of a penalty, by which an answer may be off.
POINTS, PENALTY = 3, 0.06


def _asked(**moved: Any) -> dict[str, Any]:
    """Return what the controls say at first, but for some that were moved: ``B_policy="EASY"``."""
    values = dict(playground_explorer().values)
    return values | {name.replace("_", "."): value for name, value in moved.items()}


def pays_up_to(**moved: Any) -> float:
    """Return the break-even penalty of B, as the playground says it; 0 where there is none."""
    values = _asked(**moved)
    first = break_even(scenario_of(values, "B"), values["load"]).split()[0]
    return float(first) if first[0].isdigit() else 0.0


def change(**moved: Any) -> pd.Series:
    """Return how the mean response of all jobs changes from A to B, in percent, with its ends."""
    values = _asked(**moved)
    table = by_size(scenario_of(values, "A"), scenario_of(values, "B"), values["load"])
    return table[table["size"] == ALL].set_index("scenario").loc["B"]


def _backfilled(answer: Any) -> str:
    hint = "choose EASY for B, let the picture come to rest, and read its break-even penalty"
    return near(answer, pays_up_to(B_policy="EASY"), PENALTY, hint)


def _both_backfilled(answer: Any) -> str:
    found = change(A_policy="EASY", B_policy="EASY")
    right = "B" if found["change_high"] < 0 else "A" if found["change_low"] > 0 else "nobody"
    hint = "choose EASY for A as well, leave the penalty, and read the bold line"
    return "" if one_of("answer", answer, ("A", "B", "nobody")) == right else hint


def _one_cluster(answer: Any) -> str:
    found = change(B_clusters="24", B_span="never")
    slips = {"that is the change with its sign; say how many percent sooner": found["change"]}
    return near(answer, -found["change"], POINTS, "B.clusters is 24, and B spans never", slips)


check = checker({1: _backfilled, 2: _both_backfilled, 3: _one_cluster})
