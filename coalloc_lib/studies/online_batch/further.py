"""Figures further than the paper: every policy, what certainty costs, clusters, sensitivities."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from coalloc_lib.estimates import Interval
from coalloc_lib.plots import MEANINGS
from coalloc_lib.studies.online_batch import headlines
from coalloc_lib.studies.online_batch.case_figures import WEEKS, TrendFigure
from coalloc_lib.studies.online_batch.parameters import (
    CHANGES,
    EXACT,
    LENGTHS,
    ONE,
    ONLINE,
    PARTS,
    PENALTIES,
    POLICIES,
    POWERS,
    RECORDED,
    SPREADS,
    STANDARD,
)
from coalloc_lib.studies.online_batch.ratio_table import Cell, RatioTable
from coalloc_lib.studies.online_batch.runs import Case, ratio, standard
from coalloc_lib.studies.online_batch.tables import WaitsTable
from coalloc_lib.studies.online_batch.traces import Log
from coalloc_lib.studies.ratio_lines import steps


class PoliciesTable(WaitsTable):
    """Every policy of the five papers on one log: waits, slowdown, penalties, utilization."""

    def spatial(self, label: Any) -> float:
        """Return the mean over groups of servers of their mean waits: each width counts alike."""
        sums = self.result(label).sums
        means = [
            float(sums[f"wait size {i}"].sum() / jobs)
            for i, _ in enumerate(pairwise(POWERS))
            if (jobs := sums[f"jobs size {i}"].sum())
        ]
        return sum(means) / len(means)

    def data(self) -> pd.DataFrame:
        """Return one row a log and policy; see `WaitsTable.data`."""
        more = []
        for label in self.entries:
            found = self.result(label)
            jobs = found.sums["jobs"].sum()
            row = {name: float(found.sums[name].sum() / jobs) for name in ("slowdown", "penalty")}
            row["spatial_penalty_h"] = self.spatial(label)
            more.append(row | {"utilization": found.number("utilization")})
        names = {"slowdown": "bounded_slowdown", "penalty": "temporal_penalty"}
        return super().data().join(pd.DataFrame(more).rename(columns=names))


def policies(logs: Mapping[str, Log]) -> PoliciesTable:
    """Every policy on each log, on the servers of its machine, told requested and exact lengths."""
    entries = {
        (name, log.servers, length, policy): standard(log, policy, length=length)
        for name, log in logs.items()
        for length in LENGTHS
        for policy in (*POLICIES, RECORDED)
        if policy != RECORDED or log.has_waits
    }
    return PoliciesTable(
        "policies", "every policy on the servers of each log's machine; intervals: 95 %, weeks "
        "drawn anew; FPFS(50): a job is overtaken by 50 at most", entries,
        headline=headlines.policies,
    )  # fmt: skip


def certainty(logs: Mapping[str, Log]) -> RatioTable:
    """Return what it costs that each job is told its start when it is submitted."""
    pairs = {}
    for log in logs.values():
        for length in LENGTHS:
            easy = standard(log, "EASY", length=length)
            for policy in (ONLINE, "conservative"):
                one = standard(log, policy, length=length)
                pairs[Cell(f"lengths {length}", log.title, policy)] = one, easy
    return RatioTable(
        "certainty", "policies that tell every job a start at its submission, over EASY, which "
        "tells the head of the queue alone; intervals: 95 %, weeks drawn anew", pairs,
        xlabel="mean wait over that of EASY", headline=headlines.certainty,
    )  # fmt: skip


def sensitivity(logs: Mapping[str, Log]) -> RatioTable:
    """Return what each choice of the online scheduler changes, by what it is told of lengths."""
    pairs = {
        Cell(f"lengths {length}", change, log.title): (
            standard(log, length=length, change=change),
            standard(log, length=length),
        )
        for length in LENGTHS
        for change in CHANGES
        if change != STANDARD
        for log in logs.values()
    }
    return RatioTable(
        "sensitivity", "the online scheduler with one choice changed, over all as in the paper; "
        "waits of the jobs that ran; intervals: 95 %, weeks drawn anew", pairs,
        xlabel="mean wait over that as in the paper",
        look=steps(log.title for log in logs.values()), headline=headlines.sensitivity,
    )  # fmt: skip


#: One colour a way to put jobs on clusters.
CLUSTER_LOOK = {
    ONE: MEANINGS["one cluster"],
    "one cluster first": MEANINGS["single then span"],
    "spread at once": MEANINGS["flexible"],
}


class ClusterLines(TrendFigure):
    """The mean wait against what spanning adds; labels (panel, line, penalty)."""

    def points(self, labels: list[Any]) -> list[tuple[float, Interval]]:
        """Return the mean wait at each penalty."""
        found = [(label[2], self.mean(label, "wait", "jobs")) for label in labels]
        return [(at, each) for at, each in found if each is not None]

    def against(self, panel: str, penalty: float) -> Interval | None:
        """Return the mean wait where jobs are spread at once over that where one comes first."""
        first, spread = (self.entries[panel, line, penalty] for line in SPREADS)
        return ratio(spread, first, self.found, "wait", "jobs", self.size.resamples)

    def spans(self, label: Any) -> float:
        """Return which share of the jobs spans clusters."""
        return self.result(label).number("spans")

    def data(self) -> pd.DataFrame:
        """Return one row a point, with the share of the jobs that span clusters."""
        return super().data().assign(spans=[self.spans(label) for label in self.entries])


def clusters(logs: Mapping[str, Log]) -> ClusterLines:
    """Return the online scheduler on equal clusters, by how jobs are put on them."""
    entries = {}
    for log in logs.values():
        servers = PARTS * (log.servers // PARTS)
        panel = f"{log.title}, {PARTS} × {servers // PARTS}"
        panel += f" of {log.servers}" * (servers < log.servers)
        for penalty in PENALTIES:
            entries[panel, ONE, penalty] = Case(log, servers)
            for spread in SPREADS:
                how: dict[str, Any] = {"spread": spread, "penalty": penalty}
                entries[panel, spread, penalty] = Case(log, servers, ONLINE, EXACT, **how)
    ordered = {
        key: entries[key]
        for panel, line in dict.fromkeys(key[:2] for key in entries)
        for key in entries
        if key[:2] == (panel, line)
    }
    return ClusterLines(
        "clusters", f"lengths: the run times; {WEEKS}", ordered, scales=("linear", "log"),
        xlabel="what spanning adds, as a share of the run time", ylabel="mean wait (hours)",
        look=CLUSTER_LOOK, dashed=(ONE,), headline=headlines.clusters,
    )  # fmt: skip
