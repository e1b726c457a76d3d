"""Figure and interactive slider: the maximal utilization of four more and more unequal clusters."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coalloc_lib import plots
from coalloc_lib.basics.checks import one_of
from coalloc_lib.statistics import Interval, interval_columns
from coalloc_lib.statistics.maximum import max_utilization_by_simulation
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, slider_with_entry
from studies.cluster_configurations.divisions import (
    MOVED,
    ONE_AND_ONE,
    ORDERED_WAY,
    TWO_AND_TWO,
    WAYS,
    Division,
    MaxUtilizations,
    moved,
    name_of,
)
from studies.cluster_configurations.runs import study
from studies.results import Caption

#: The two families of divisions, by the names that the user can choose from.
FAMILIES = {"two larger, two smaller": TWO_AND_TWO, "one larger, one smaller": ONE_AND_ONE}
#: The number of jobs in each simulation. It is `JOBS`, or `COARSE` while the user moves the slider.
JOBS, COARSE = 40_000, 4_000
#: The names of the equal and the unequal clusters in the explorer, and the ends of its axis.
EQUAL, YOURS, SPAN = "4×32", "yours", (0.2, 1.0)


def draw_divisions(table: pd.DataFrame, **titles: Any) -> Figure:
    """Plot the maximal utilization against the number m of processors moved between clusters."""
    return plots.lines(
        table,
        x="m",
        y="max_utilization",
        line="way",
        panel="family",
        xlabel="m, processors",
        ylabel="maximal utilization",
        **titles,
    )


DIVISIONS = Caption(
    "maximal utilization of four clusters with 128 processors, four components of "
    "D(0.9)[1,8]; m is "
    "the number of processors by which clusters differ from 32",
    finding="Slightly unequal clusters reach more under first fit, and less with ordered requests",
)


@study.add_figure("divisions", DIVISIONS, draw_divisions, claims=("CC-19", "CC-20", "CC-22"))
def division_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the maximal utilization for each number m of processors moved between clusters."""
    maxima = MaxUtilizations(runs)
    rows = []
    for family, way, m in product((TWO_AND_TWO, ONE_AND_ONE), WAYS, MOVED):
        found = maxima.of(moved(family, m), way).interval
        row = {
            "family": family,
            "way": way,
            "m": m,
            "max_utilization": found.estimate,
            "ci95_low": found.low,
            "ci95_high": found.high,
            "warning": found.warning,
        }
        rows.append(row)
    return pd.DataFrame(rows)


@lru_cache(maxsize=256)
def _max_utilization(family: str, m: int, way: str, jobs: int) -> Interval:
    request, placement = WAYS[way]
    scenario = Division(name_of(moved(family, m)), placement, request).scenario
    if way == ORDERED_WAY:
        return max_utilization_by_simulation(scenario, method="exact").interval
    return max_utilization_by_simulation(scenario, method="simulation", jobs=jobs).interval


def unequal_picture(
    family: str = "two larger, two smaller",
    m: int = 8,
    coarse: bool = False,
    before: Mapping[str, Any] | None = None,
) -> plots.Picture:
    """Draw the maximal utilization of four unequal clusters beside that of equal clusters.

    Parameters
    ----------
    family : str
        A key of `FAMILIES`.
    m : int
        The number of processors that are moved from one cluster to another.
    coarse : bool
        Whether to simulate fewer jobs, for a quick picture.
    before : mapping, optional
        Earlier arguments. Their maximal utilizations are drawn as rings.
    """
    jobs = COARSE if coarse else JOBS
    division = FAMILIES[one_of("family", family, tuple(FAMILIES))]
    name, table = name_of(moved(division, m)), _beside_equal(division, m, jobs)
    table["before"] = np.nan
    if before is not None and not coarse:
        earlier = _beside_equal(FAMILIES[before["family"]], before["m"], jobs)["estimate"]
        table["before"] = earlier.where(table["series"] == YOURS)
    drawn = plots.intervals(
        table, x="estimate", row="way", series="series", words="words", span=SPAN, before="before",
        xlabel="maximal utilization", title=_title(name, table),
        subtitle="four components of D(0.9)[1,8]; the largest cluster is filled first; values for "
        "ordered requests are exact; rings: before the last change",
    )  # fmt: skip
    said = table[table["series"] == YOURS]
    return plots.Picture(drawn, rows=said["way"] + ": " + said["words"])


def _beside_equal(division: str, m: int, jobs: int) -> pd.DataFrame:
    rows = []
    for way in WAYS:
        equal, yours = (_max_utilization(division, each, way, jobs) for each in (0, m))
        row = {"way": way, "series": EQUAL, "words": ""}
        rows.append(row | interval_columns(equal))
        row = {"way": way, "series": YOURS, "words": _compared(yours.estimate, equal.estimate)}
        rows.append(row | interval_columns(yours))
    return pd.DataFrame(rows)


def _title(name: str, table: pd.DataFrame) -> str:
    """Say in words under which ways to place jobs a division carries more or less than 4×32."""
    bounds = table.set_index(["series", "way"])[["ci95_low", "ci95_high"]]
    ways: dict[str, list[str]] = {"more": [], "less": [], "about the same": []}
    for way in WAYS:
        yours, equal = bounds.loc[YOURS, way], bounds.loc[EQUAL, way]
        is_more, is_less = yours.ci95_low > equal.ci95_high, yours.ci95_high < equal.ci95_low
        ways["more" if is_more else "less" if is_less else "about the same"].append(way)
    parts = [f"{word} with {_listed(names)}" for word, names in ways.items() if names]
    return f"Beside {EQUAL}, {name} carries {'; '.join(parts)}"


def _listed(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _compared(yours: float, equal: float) -> str:
    gain = round(yours - equal, 3)
    return f"{yours:.3f}, {abs(gain):.3f} {'less' if gain < 0 else 'more'}"


def unequal_explorer(state: str = "") -> Explorer:
    """Return interactive controls for `unequal_picture`: which clusters differ, and by how much."""
    controls = {
        "family": choice("clusters", FAMILIES),
        "m": slider_with_entry("m", 8, 0, 24),
    }
    return Explorer(controls, unequal_picture, state=state, simulates=lambda **_: True)
