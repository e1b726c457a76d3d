"""Tables 1 and 2, and the waits under every policy."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.estimates import Interval
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.online_batch.case_figures import (
    CaseFigure,
    GroupLines,
    columns_of,
    interval_columns,
    refusals,
)
from coalloc_lib.studies.online_batch.parameters import (
    EXACT,
    FEATURES,
    HOUR,
    ONLINE,
    RECORDED,
)
from coalloc_lib.studies.online_batch.ratio_table import by_factors, span_of, with_refusals
from coalloc_lib.studies.online_batch.traces import Log


class AttemptsTable(GroupLines):
    """Table 2: attempts a request, by group of servers; labels (log, what it is run on)."""

    def cell(self, label: Any, size: tuple[int, int]) -> Interval | None:
        """Return the attempts of requests for more than the first and up to the second number."""
        group = list(pairwise(self.ends)).index((float(size[0]), float(size[1])))
        return self.mean(label, self.top.format(group), self.bottom.format(group))

    def data(self) -> pd.DataFrame:
        """Return one row a case and group that has requests."""
        rows = []
        for label, case in self.entries.items():
            known = {"log": case.log.title, "servers": case.servers, "length": case.length}
            for low, high in pairwise(map(int, self.ends)):
                found = self.cell(label, (low, high))
                if found is not None:
                    group = {"size_from": low + 1, "size_to": high}
                    rows.append(known | group | interval_columns("mean_attempts", found))
        return pd.DataFrame(rows)


class WaitsTable(CaseFigure):
    """The waits of each log under each policy; labels (log, servers, length, policy)."""

    def columns(self, label: Any) -> dict[str, Any]:
        """Return nothing beside the case itself."""
        return {}

    def wait(self, label: Any) -> Interval | None:
        """Return the mean wait in hours with its interval."""
        return self.mean(label, "wait", "jobs")

    def attempts(self, label: Any) -> float | None:
        """Return the attempts a request; None of policies that try none."""
        case, sums = self.entries[label], self.result(label).sums
        tried = float(sums["attempts"].sum() / sums["requests"].sum())
        return tried if case.policy == ONLINE else None

    def data(self) -> pd.DataFrame:
        """Return one row a case; waits in hours of the jobs that ran.

        What was recorded does not depend on the servers or the lengths of its row; attempts and
        refusals are empty of what has none.
        """
        rows = []
        for label, case in self.entries.items():
            found = self.result(label)
            wait = self.wait(label)
            row = columns_of(case) | {"mean_wait_h": None if wait is None else wait.estimate}
            row |= {"p95_wait_h": found.number("p95"), "longest_wait_h": found.number("longest")}
            row["mean_attempts"] = self.attempts(label)
            row["refused"] = None if case.policy == RECORDED else int(found.number("refused"))
            row["refused_work"] = found.number("refused_work")
            ends = interval_columns("", wait)
            rows.append(row | {name: ends[name] for name in ("ci95_low", "ci95_high")})
        return pd.DataFrame(rows).astype({"refused": "Int64"})

    def spanned(self) -> str:
        """Return from what to what the mean waits reach."""
        found = [one.estimate for label in self.entries if (one := self.wait(label)) is not None]
        return f"Mean waits from {min(found):.2f} to {max(found):.0f} hours"

    def plot(self) -> Picture:
        """Draw the mean waits, a panel a length."""
        panels: dict[str, dict] = {}
        words: dict[tuple[str, str, str], str] = {}
        for label, case in self.entries.items():
            wait = self.wait(label)
            if wait is not None:
                panel, row = f"lengths {case.length}", f"{case.log.name}, {case.servers}"
                panels.setdefault(panel, {}).setdefault(row, {})[case.policy] = wait
                words[panel, row, case.policy] = refusals(self.result(label))
        found = [one for drawn in panels.values() for row in drawn.values() for one in row.values()]
        picture = plots.ranges(
            panels, title=self.title, subtitle=with_refusals(self.subtitle, words),
            xlabel="mean wait (hours)", span=span_of(found), printed={}, words=words,
            look=self.looks(case.policy for case in self.entries.values()),
        )  # fmt: skip
        by_factors(picture)
        return picture


class FeaturesTable(Figure):
    """Table 1: servers, jobs and mean length of each log, beside print."""

    def __init__(self, logs: Mapping[str, Log], headline: Callable[[Any], str]) -> None:
        titles = ", ".join(log.title for log in logs.values())
        super().__init__("table1", f"the usable jobs of {titles}", ("OB-2",))
        self.logs, self.headline = dict(logs), headline

    def length(self, name: str) -> float:
        """Return the mean run time of a log, in hours."""
        return float(self.logs[name].jobs.runtime.mean() / HOUR)

    @property
    def title(self) -> str:
        """Which mean lengths are near print."""
        return self.headline(self)

    def data(self) -> pd.DataFrame:
        """Return one row a log."""
        rows = []
        for name, log in self.logs.items():
            servers, jobs, length = FEATURES[name]
            asked = float(log.jobs.estimate.mean() / HOUR)
            row: dict[str, Any] = {"log": log.title, "servers": log.servers, "jobs": len(log.jobs)}
            row |= {"mean_length_h": self.length(name), "mean_requested_h": asked}
            row |= {"printed_servers": servers, "printed_jobs": jobs, "printed_length_h": length}
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw the mean lengths beside print."""
        rows = {log.title: {EXACT: Interval.exact(self.length(n))} for n, log in self.logs.items()}
        printed = {log.title: {EXACT: FEATURES[name][2]} for name, log in self.logs.items()}
        panel = "mean length (hours)"
        return plots.ranges(
            {panel: rows}, title=self.title, subtitle=self.subtitle, xlabel="hours",
            span=(0.0, 8.0), printed={panel: printed}, look={EXACT: plots.STANDARD},
        )  # fmt: skip
