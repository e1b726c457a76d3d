"""The break-even explorer: whole jobs and spanning jobs on the same clusters, by the penalty."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import InputError, not_negative, one_of
from coalloc_lib.model.distributions import uniform
from coalloc_lib.model.system import Multicluster
from coalloc_lib.statistics import Replications
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, slider_with_entry
from coalloc_lib.workloads.models import JobModel
from studies.cluster_configurations.model import FIRST_FIT, POLICIES, WORST_FIT
from studies.cluster_configurations.runs import BreakEven, saturated

#: The number of processors of each cluster, and the number of clusters that the user can choose.
CLUSTER, CLUSTERS = 32, (2, 8)
#: The largest size of a component, and the largest penalty, that the user can choose.
LARGEST, MOST = 16, 1.0
#: The number of jobs of a run and the number of runs, while the user moves a control and at rest.
COARSE, FINE = (1_000, 3), (5_000, 8)
#: The seed of all runs, so that whole and spanning jobs are the same jobs.
SEED = 1
#: The names of the two lines.
SPANNING, WHOLE = "all jobs span", "all jobs whole"


@lru_cache(maxsize=128)
def _carried(
    clusters: int, largest: int, policy: str, placement: str, effort: tuple[int, int]
) -> tuple[Replications, Replications]:
    """Return the maximal utilization of spanning jobs without a penalty, and of whole jobs."""
    system, jobs = Multicluster([CLUSTER] * clusters), JobModel(uniform(1, largest), clusters)
    pair = BreakEven("", system, jobs, policy, placement)
    seed = np.random.SeedSequence(SEED)
    span, whole = (saturated(each, *effort, seed) for each in (pair.spanning, pair.whole))
    return span, whole


def break_even_picture(
    clusters: int = 4, largest: int = 8, policy: str = "FCFS", placement: str = WORST_FIT,
    penalty: float = 0.1, coarse: bool = False, before: Mapping[str, Any] | None = None,
) -> plots.Picture:  # fmt: skip
    """Draw the maximal work per time of spanning jobs and of whole jobs, by the penalty.

    Parameters
    ----------
    clusters : int
        The number of clusters of 32 processors. A spanning job has a component in each of them.
    largest : int
        The largest size of a component; all sizes up to it are equally likely.
    policy, placement : str
        A policy and a placement of the study.
    penalty : float
        The penalty of the jobs that span, as a fraction of their run time.
    coarse : bool
        Whether to simulate fewer jobs, for a quick picture.
    before : mapping, optional
        Earlier arguments. Their crossing is drawn as a ring.

    Raises
    ------
    InputError
        If an argument is wrong, or if the largest job does not fit into a single cluster.
    """
    one_of("policy", policy, tuple(POLICIES))
    one_of("placement", placement, (WORST_FIT, FIRST_FIT))
    not_negative("penalty", penalty)
    if clusters * largest > CLUSTER:
        raise InputError(
            f"b = {largest}; give at most {CLUSTER // clusters}, so that a whole job of {clusters} "
            f"components fits into one cluster of {CLUSTER}"
        )
    span, whole = _carried(clusters, largest, policy, placement, COARSE if coarse else FINE)
    ring = "" if before is None or coarse else "; ring: before your last move"
    figure = plots.lines(
        _lines(span, whole), x="penalty", y="carried", line="line", xlabel="penalty",
        names="legend",
        ylabel="work done,\nshare of the processors", title=_title(span, whole, penalty),
        subtitle=f"{clusters} clusters of {CLUSTER}, components U[1,{largest}], {policy}, "
        f"{placement}; dotted line: your penalty; dot: break-even penalty, "
        f"{_break_even(span, whole)}{ring}",
    )  # fmt: skip
    axes = figure.axes[0]
    axes.axvline(penalty, color="black", linestyle=":", linewidth=1)
    axes.plot(*_crossing(span, whole), "ko", markersize=6)
    if before is not None and not coarse:
        past = (before[name] for name in ("clusters", "largest", "policy", "placement"))
        look = {"color": plots.GREY, "markerfacecolor": "none", "markersize": 11}
        axes.plot(*_crossing(*_carried(*past, FINE)), "o", **look)
    axes.set(xlim=(0, MOST), ylim=(0.3, 1))
    return plots.Picture(figure)


def _crossing(span: Replications, whole: Replications) -> tuple[float, float]:
    """Return the break-even penalty, which may be below 0, and the work that is done there."""
    return span.mean / whole.mean - 1, whole.mean


def _lines(span: Replications, whole: Replications) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for penalty in np.linspace(0, MOST, 41):
        for name, found in ((SPANNING, span / (1 + penalty)), (WHOLE, whole)):
            low, high = found.interval.low, found.interval.high
            row = {"penalty": penalty, "line": name, "carried": found.mean}
            rows.append(row | {"ci95_low": low, "ci95_high": high, "warning": found.warning})
    return pd.DataFrame(rows)


def _title(span: Replications, whole: Replications, penalty: float) -> str:
    gain = (span / (1 + penalty) - whole).interval
    verdicts: dict = {True: "spanning pays", False: "spanning loses"}
    done, verdict = span.mean / (1 + penalty), verdicts.get(gain.above(0), "it is undecided")
    works = f"useful load {done:.3f} if jobs span, {whole.mean:.3f} if whole"
    return f"At a penalty of {penalty:g}, {verdict}: {works}"


def _break_even(span: Replications, whole: Replications) -> str:
    ratio = (span / whole).interval
    if ratio.high < 1:
        return "none, because spanning loses even without a penalty"
    # The break-even penalty is the ratio of the maximal utilizations, minus 1.
    penalty, low, high = (end - 1 for end in (ratio.estimate, ratio.low, ratio.high))
    words = f"{penalty:.2f} ({low:.2f} to {high:.2f})"
    return f"{words}, in doubt: {ratio.warning}" if ratio.warning else words


def break_even_explorer(state: str = "") -> Explorer:
    """Return controls for clusters and jobs, with a picture of the break-even penalty.

    `state` is the copied text of an earlier scenario; by default the controls have their usual
    values.
    """
    controls = {
        "penalty": slider_with_entry("penalty", 0.1, 0.0, MOST, 0.05),
        "largest": slider_with_entry("b of U[1,b]", 8, 1, LARGEST),
        "clusters": slider_with_entry("clusters of 32", 4, *CLUSTERS),
        "policy": choice("policy", POLICIES),
        "placement": choice("placement", (WORST_FIT, FIRST_FIT)),
    }
    return Explorer(controls, break_even_picture, state=state, simulates=lambda **_: True)
