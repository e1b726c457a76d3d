"""Figures from the paper's own trees: its worked example, and the operations that are counted."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture

from coalloc_lib import plots
from coalloc_lib.calendar.example import worked_example
from coalloc_lib.calendar.trees import leaves
from coalloc_lib.checks import InputError, one_of
from coalloc_lib.estimates import Interval
from coalloc_lib.inference import student
from coalloc_lib.seeds import Seed
from coalloc_lib.studies.figure import Figure
from coalloc_lib.studies.measurements import run_sweep
from coalloc_lib.studies.online_batch import headlines
from coalloc_lib.studies.online_batch.case_figures import interval_columns, over_draws
from coalloc_lib.studies.online_batch.parameters import (
    DAY,
    GROWTH_AT,
    GROWTH_WANTED,
    HOUR,
    SCALES,
    SEED,
    TREE_HORIZON,
    TREE_SLOTS,
    Scale,
)
from coalloc_lib.studies.online_batch.runs import standard
from coalloc_lib.studies.online_batch.traces import Log
from coalloc_lib.studies.online_batch.trees import PHASES, count_growth, count_log, slope
from coalloc_lib.studies.ratio_lines import steps

#: Parts of an algorithm, one colour each.
LOOK = {
    "phase 1": plots.Sign("#0072B2", "o"),
    "phase 2": plots.Sign("#009E73", "^"),
    "update": plots.Sign("#882255", "s"),
}
SEARCH, WHOLE = "search: phases 1 and 2", "search and update"


class CountedFigure(Figure):
    """A figure of operations that are counted; `found` has a row a run."""

    def __init__(self, name: str, subtitle: str, claims: tuple[str, ...]) -> None:
        super().__init__(name, subtitle, claims)
        self.found: pd.DataFrame | None = None
        self.ran: tuple[Scale, Seed] | None = None

    def run(self, scale: str | None = None, seed: Seed | None = None, **how: Any) -> Self:
        """Book the requests on the trees, where that was not done yet."""
        size, its_seed = self.ran or (SCALES["quick"], SEED)
        if scale is not None:
            size = SCALES[one_of("scale", scale, tuple(SCALES))]
        asked = size, its_seed if seed is None else seed
        if self.found is None or asked != self.ran:
            self.found, self.verdicts = self.count(*asked, **how), []
            self.ran = asked
        return self

    def count(self, size: Scale, seed: Seed, **how: Any) -> pd.DataFrame:
        """Return what was counted, a row a run."""
        raise NotImplementedError

    @property
    def rows(self) -> pd.DataFrame:
        """What was counted; refused where nothing was."""
        if self.found is None:
            raise InputError(f"{self.name} has not run yet; call its run() first")
        return self.found


class OperationsFigure(CountedFigure):
    """Figure 7(b): operations a request against the share of advance reservations."""

    def __init__(self, logs: Mapping[str, Log]) -> None:
        slot = TREE_HORIZON / TREE_SLOTS / HOUR
        subtitle = (
            f"the paper's trees on an extract: a horizon of {TREE_HORIZON / DAY:g} days in "
            f"{TREE_SLOTS} slots of {slot:g} h; lengths: the run times; bands: 95 %, drawn anew"
        )
        super().__init__("figure7b", subtitle, ("OB-10",))
        self.logs = dict(logs)

    def count(self, size: Scale, seed: Seed, **how: Any) -> pd.DataFrame:
        """Count the operations of the extract of each log, at each share and drawing."""
        cases = [
            standard(self.logs[name], share=share, draw=draw)
            for name in size.dear_logs
            if name in self.logs
            for share in size.tree_shares
            for draw in range(size.tree_draws if share else 1)
        ]
        points = [{"case": case, "jobs": size.tree_jobs} for case in cases]
        found = run_sweep(count_log, points, seed=seed, **how)
        known: dict[str, list] = {"log": [f"{case.log.title}, {case.servers}" for case in cases]}
        known |= {"share": [case.share for case in cases], "draw": [case.draw for case in cases]}
        return pd.DataFrame(known).join(found[[*PHASES, "attempts"]])

    def lines(self, whole: bool = True) -> dict[str, list[tuple[float, Interval]]]:
        """Return the operations a request by share, a line a log, with the update or without."""
        counted = list(PHASES) if whole else list(PHASES[:2])
        found: dict[str, list[tuple[float, Interval]]] = {}
        for log, of_log in self.rows.groupby("log", sort=False):
            found[str(log)] = [
                (float(str(share)), over_draws(rows[counted].sum(axis=1)))
                for share, rows in of_log.groupby("share")
            ]
        return found

    @property
    def title(self) -> str:
        """By how much the operations change."""
        return headlines.operations(self)

    def data(self) -> pd.DataFrame:
        """Return one row a log, share and drawing: operations a request by phase, and attempts."""
        return self.rows.copy()

    def plot(self) -> Picture:
        """Draw the operations a request, without the update and with it."""
        panels = {SEARCH: self.lines(whole=False), WHOLE: self.lines()}
        return plots.trends(
            panels, title=self.title, subtitle=self.subtitle, scales=("linear", "log"),
            xlabel="share of advance reservations, ρ", ylabel="operations a request",
            look=steps(panels[WHOLE]),
        )  # fmt: skip


class GrowthFigure(CountedFigure):
    """Operations against the servers, the slots and the servers asked for (section 4.3)."""

    PARTS: ClassVar = PHASES
    #: What is varied, by panel.
    VARIED: ClassVar = {"servers N": "servers", "slots Q": "slots", "servers asked for n": "wanted"}

    def __init__(self) -> None:
        at = "N = {servers}, Q = {slots}, n = {wanted}".format(**GROWTH_AT)
        subtitle = (
            "random requests on the paper's trees, alike load a server; what is not varied: "
            f"{at}; phases an attempt, update a request; bands: 95 %, drawn anew"
        )
        super().__init__("growth", subtitle, ("OB-11",))

    def count(self, size: Scale, seed: Seed, **how: Any) -> pd.DataFrame:
        """Count the operations along each number."""
        values = {"servers": size.tree_servers, "slots": size.tree_slots, "wanted": GROWTH_WANTED}
        tables = []
        for panel, name in self.VARIED.items():
            points = [GROWTH_AT | {name: value} for value in values[name]]
            found = run_sweep(count_growth, points, size.tree_draws, seed=seed, **how)
            tables.append(found.assign(panel=panel, at=found[name]))
        return pd.concat(tables, ignore_index=True)

    def lines(self, panel: str) -> dict[str, list[tuple[float, Interval]]]:
        """Return the operations of each part along the number of a panel."""
        of_panel = self.rows[self.rows["panel"] == panel]
        return {
            part: [(float(str(at)), over_draws(rows[part])) for at, rows in of_panel.groupby("at")]
            for part in PHASES
        }

    def exponent(self, panel: str, part: str, of_logarithm: bool = False) -> Interval:
        """Return the power of its number with which a part grows, over the drawings.

        Parameters
        ----------
        panel : str
            A key of `VARIED`.
        part : str
            One of `trees.PHASES`.
        of_logarithm : bool
            The power of the number's logarithm to base 2 instead.
        """
        found = []
        for _, rows in self.rows[self.rows["panel"] == panel].groupby("replication"):
            at = rows["at"].to_numpy(dtype=float)
            found.append(slope(np.log2(at) if of_logarithm else at, rows[part].to_numpy()))
        return student(found)

    @property
    def title(self) -> str:
        """With which powers the parts grow."""
        return headlines.growth(self)

    def data(self) -> pd.DataFrame:
        """Return one row a point: operations of each part, and the fitted exponents."""
        rows = []
        for panel in self.VARIED:
            for part, points in self.lines(panel).items():
                power = self.exponent(panel, part)
                fitted = {"exponent": power.estimate, "exponent_low": power.low}
                fitted |= {"exponent_high": power.high}
                rows += [
                    {"panel": panel, "part": part, "at": at}
                    | interval_columns("operations", found)
                    | fitted
                    for at, found in points
                ]
        return pd.DataFrame(rows)

    def plot(self) -> Picture:
        """Draw the operations on double-logarithmic axes."""
        return plots.trends(
            {panel: self.lines(panel) for panel in self.VARIED}, title=self.title,
            subtitle=self.subtitle, scales=("log", "log"), xlabel="N, Q or n",
            ylabel="operations", look=LOOK,
        )  # fmt: skip


class WorkedExample(Figure):
    """Figures 1 and 2: four idle periods, a request, and which of them the search marks."""

    def __init__(self) -> None:
        subtitle = "idle periods of 4 servers in bars; dashed: the request; slots of 10"
        super().__init__("figure1", subtitle, ("OB-1",))
        self.example = worked_example()

    def marks(self) -> dict[str, list[str]]:
        """Return the periods of each subtree: marked in phase 1, then in phase 2, and accepted."""
        book, periods, (_, start, length, servers) = self.example
        names = {period: name for name, period in periods.items()}
        search = book.search(start, start + length, servers)
        shown = {
            part: ["".join(names[each] for each in leaves(node)) for node in nodes]
            for part, nodes in (("phase 1", search.candidates), ("phase 2", search.feasible))
        }
        return shown | {"accepted": [names[period] for period in search.found]}

    @property
    def title(self) -> str:
        """What is marked, in order, and what is accepted."""
        marks = self.marks()
        told = [f"{name} marks {', '.join(marks[name])}" for name in ("phase 1", "phase 2")]
        return f"P{'; '.join(told)[1:]}; accepted are {' and '.join(marks['accepted'])}"

    def data(self) -> pd.DataFrame:
        """Return one row a mark, in order."""
        rows = [(part, mark) for part, marks in self.marks().items() for mark in marks]
        return pd.DataFrame(rows, columns=["part", "periods"])

    def plot(self) -> Picture:
        """Draw the idle periods and the request."""
        _, periods, (_, start, length, _) = self.example
        taken = self.marks()["accepted"]
        figure, axes = plots.new_figure(2.2)
        for name, period in periods.items():
            end = min(period.end, 50.0)
            colour = plots.MEANINGS["Online"].colour if name in taken else "0.8"
            axes.barh(period.server + 1, end - period.start, left=period.start, color=colour)
            axes.text((period.start + end) / 2, period.server + 1, name, ha="center", va="center")
        for edge in (start, start + length):
            axes.axvline(edge, color="black", linestyle="--", linewidth=1)
        axes.set(xlabel="time", ylabel="server", yticks=range(1, len(periods) + 1))
        axes.invert_yaxis()
        plots.title_figure(figure, self.title, self.subtitle)
        return figure
