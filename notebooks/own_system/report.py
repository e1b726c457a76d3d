"""The report about several sites: the options of their operators, compared on their own logs.

The sites are simulated by `coalloc_lib.simulation.sites`. The modules `comparison`, `log_tables`
and `answer` make the parts of the report, `form` shows it in a notebook, and `commands` on the
command line.
"""

import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib.basics.checks import InputError, not_negative, whole
from coalloc_lib.basics.files import atomic_path, csv_of, writable_folder
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.statistics import DAY, WEEK, Interval, block_of
from coalloc_lib.statistics.site_comparison import ALL, together
from coalloc_lib.workloads.swf import SwfLog
from own_system import log_tables
from own_system.answer import Answer, recommend
from own_system.comparison import Comparison, changes, columns_of
from own_system.options import ALONE, PENALTIES, SHARED, SIZES, larger, options, span
from own_system.simulation import Sites, run_all

__all__ = ["Answer", "SitesReport", "sites_report"]


class SitesReport(NamedTuple):
    """A recommendation to the operators of several sites, with the tables that support it.

    Parameters
    ----------
    answer : Answer
        The recommendation. Its ``words`` are a string. Its ``option`` is the recommended option, or
        None to change nothing. Its ``change`` is the change in the mean wait. Its ``decision`` has
        the verdict and the sites that it concerns.
    doubts : dict of str to str
        The reason, for each site whose machine the model may misrepresent.
    tables : dict of str to DataFrame
        The table ``options`` has a row for each option, group and metric, with the change from
        staying alone and its 95 % interval. The other tables are ``pairs``, ``break_even``,
        ``buy_or_share``, ``logs``, ``waits``, ``weeks``, ``cycles`` and ``made_by``. Times are in
        seconds.
    sites : Sites
        What was simulated: the system and the jobs.
    """

    answer: Answer
    doubts: Mapping[str, str]
    tables: Mapping[str, pd.DataFrame]
    sites: Sites

    @property
    def made_by(self) -> dict[str, str]:
        """The command, the seed and the package versions that produced the report."""
        table = self.tables["made_by"]
        return dict(zip(table["what"], table["is"], strict=True))

    def __repr__(self) -> str:
        return f"<SitesReport: {self.answer.words}>"

    def _repr_html_(self) -> str:
        table = self.tables["options"].query("grouping == 'all' and metric == 'mean wait'")
        shown = table.drop(columns=["kind", "grouping", "group", "metric"]).to_html(index=False)
        return f"<p><b>{escape(self.answer.words)}</b></p>{shown}"

    def save(self, path: Any) -> Path:
        """Write the report to an HTML file, and return the path of the file.

        Parameters
        ----------
        path : str or path-like
            The file to write. It needs no other file, and no network.
        """
        # The module `page` is imported only here, because it imports matplotlib, which is slow.
        from own_system.page import page_of

        page = page_of(self)
        with atomic_path(path) as beside:
            beside.write_text(page, encoding="utf-8")
        return Path(path)

    def save_tables(self, folder: Any) -> Path:
        """Write each table of the report to a CSV file, and return the path of the folder.

        Parameters
        ----------
        folder : str or path-like
            The folder for the files. It is made if it does not exist.
        """
        folder = writable_folder(folder)
        for name, table in self.tables.items():
            with atomic_path(folder / f"{name}.csv") as beside:
                beside.write_text(csv_of(table), encoding="utf-8", newline="")
        return folder


def sites_report(
    clusters: Mapping[str, int],
    logs: Mapping[str, SwfLog | JobStream],
    *,
    clock: str = "calendar",
    missing: float | None = None,
    node: int = 1,
    largest: int | None = None,
    penalties: Sequence[float] = PENALTIES,
    seed: Seed = 0,
    workers: int = -1,
    progress: NullProgress = NO_PROGRESS,
    command: str = "",
) -> SitesReport:
    """Simulate every option that the operators of several sites have, and recommend one.

    All options are simulated with the same jobs: those that were submitted while all logs were
    recorded. Intervals are by bootstrap over weeks, with the same resampled weeks for all options.
    If an option cannot be simulated or is saturated, the tables have the reason instead of values.

    Parameters
    ----------
    clusters, logs, clock, missing, node, largest
        As in `coalloc_lib.compare_sites`.
    penalties : sequence of float
        The span penalties. With a penalty of p, a job that spans sites runs ``1 + p`` times as
        long. A penalty of 0 is always simulated too. Spanning can be recommended only at the middle
        one of the penalties above 0, or at the lower one if two are in the middle.
    seed : int
        The seed of the random choices: the users whose estimates become exact, the users whose jobs
        stay at their site, and the jobs that occur twice at a higher load.
    workers : int
        The number of threads; -1 for one per processor core.
    progress : NullProgress
        It counts the completed steps.
    command : str
        The command that the page names to make it again, by default this call.

    Returns
    -------
    SitesReport
        The recommendation and its tables.

    Raises
    ------
    InputError
        If an argument is wrong, if the logs have less than a day in common, or if the jobs cannot
        be simulated while the sites stay alone.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> at = np.repeat(np.arange(0, 3e6, 86_400), 2)  # two jobs a day, each of all processors
    >>> day = co.JobStream(at, [30_000] * 70, [4] * 70, request="total")
    >>> sites_report({"A": 4, "B": 4}, {"A": day, "B": day[::10]}).answer.option
    'share one queue'
    """
    all_penalties = _checked_penalties(penalties)
    if workers != -1:
        whole("workers", workers)
    system, jobs, site, row = together(clusters, logs, clock, missing, node, largest)
    if np.ptp(jobs.submit) < DAY:
        raise InputError(
            f"the logs overlap by less than a day, with {len(jobs):,} jobs in this time; give logs "
            "that overlap longer, or use clock='weeks', which shifts them by whole weeks"
        )
    table = log_tables.table_of_jobs(logs, [*clusters], jobs, site, row)
    found = options(system, jobs, site, _users(table), all_penalties, seed)
    outcomes = run_all(found, jobs.work, progress, workers)
    alone = outcomes[ALONE]
    if isinstance(alone, InputError):
        raise alone
    masks = log_tables.group_masks(table, [*clusters])
    comparison = Comparison(outcomes, masks, jobs.submit, jobs.work, progress)
    tables = {
        **_tables_of_options(found, comparison, clusters, all_penalties),
        **_tables_of_logs(logs, clusters, missing, table, comparison),
    }
    arguments = f"{clock=}, {missing=}, {node=}, {largest=}, penalties={all_penalties}, {seed=}"
    command = command or f"sites_report({dict(clusters)}, logs, {arguments})"
    tables["made_by"] = _made_by(command, clock, seed)
    missed = log_tables.sites_not_reproduced(tables["waits"])
    answer = _answer(found, tables, missed)
    doubts = _doubts(tables, comparison, [*clusters], jobs, site)
    sites = Sites(system, jobs, site, masks, alone, missed, seed)
    return SitesReport(answer, doubts, tables, sites)


def _checked_penalties(penalties):
    checked = sorted({0.0, *(not_negative("penalties", p) for p in penalties)})
    if not any(checked):
        raise InputError(f"penalties = {[*penalties]}; give at least one penalty above 0")
    return checked


def _tables_of_options(found, comparison, clusters, penalties):
    kinds = {option.name: option.kind for option in found if option.kind != "size"}
    return {
        "options": changes(kinds, comparison),
        "pairs": _pairs(found, comparison),
        "break_even": _break_even(comparison, penalties),
        "buy_or_share": _buy_or_share(comparison, clusters),
    }


def _answer(found, tables, missed):
    advice = {option.name: option.advice for option in found if option.advice}
    return recommend(tables["options"], tables["pairs"], advice, missed)


def _tables_of_logs(logs, clusters, missing, table, comparison):
    block_weeks = block_of(table["submit"].to_numpy()) / WEEK
    facts = log_tables.facts_of_logs(logs, clusters, table)
    return {
        "logs": facts.assign(planned_with=missing, block_weeks=block_weeks),
        "waits": log_tables.waits(table, comparison),
        "weeks": log_tables.weekly_load(table, clusters),
        "cycles": log_tables.cycles(table, clusters),
    }


def _doubts(tables, comparison, names, jobs, site):
    doubts = log_tables.doubts(tables["waits"], tables["logs"])
    for name, why in _further_doubts(comparison, names, jobs, site):
        doubts[name] = "; ".join(filter(None, [why, doubts.get(name)]))
    return doubts


def _users(table):
    # Each job without a known user counts as the only job of a separate user.
    number = np.where(table["user"] < 0, -1 - np.arange(len(table)), table["user"])
    return table["site"] + " " + number.astype(str)


def _pairs(found, comparison):
    policies = [o.name for o in found if o.kind == "policy" and o.name in comparison.names]
    return pd.DataFrame([
        {"option": one, "other": other}
        | columns_of(comparison.change(("all", ALL), "mean wait", one, other), "change")
        for one, other in permutations(policies, 2)
    ])  # fmt: skip


def _made_by(command, clock, seed):
    made_by = {
        "command": command, "clock": clock, "seed": str(seed), "Python": platform.python_version(),
    }  # fmt: skip
    made_by |= {name: version(name) for name in ("coalloc-workbench", "numpy", "numba", "pandas")}
    return pd.DataFrame({"what": made_by.keys(), "is": made_by.values()})


def _further_doubts(comparison, names, jobs, site):
    for name in names:
        why = comparison.fault(("site", name), ALONE)
        if why:
            yield name, f"in the model, alone, it is {why}"
    for i, j in combinations(range(len(names)), 2):
        one, other = jobs[site == i], jobs[site == j]
        if len(one) == len(other) and (one.work == other.work).all():
            yield names[j], f"its jobs are those of {names[i]}: one log is given twice"


def _break_even(comparison, penalties):
    # `Comparison.crossing` expects the penalties in the order in which the waits decrease.
    options_at = {p: span(p) for p in reversed(penalties)}
    return pd.DataFrame([
        {"group": group[1], "metric": metric}
        | _crossing(comparison, group, metric, options_at, "penalty")
        for group in comparison.groups if group[0] in ("all", "site")
        for metric in ("AWRT", "mean wait")
    ])  # fmt: skip


def _buy_or_share(comparison, clusters):
    rows = []
    for site, size in clusters.items():
        options_at = {size: ALONE} | {larger(size, k): name for name, k in SIZES.items()}
        group = "site", site
        needed = _crossing(comparison, group, "mean wait", options_at, "processors", slack=1.0)
        rows.append({"site": site, "today": size} | needed)
    return pd.DataFrame(rows)


def _crossing(comparison, group, metric, options_at, name, slack=0.0):
    # An option that is saturated has no mean wait to interpolate.
    at = {x: option for x, option in options_at.items() if not comparison.fault(group, option)}
    why = comparison.fault(group, SHARED)
    if not why and len(at) < 2:
        why = "nearly all options of this comparison are saturated"
    if why:
        return columns_of(Interval(np.nan, np.nan, np.nan, 0, warning=why), name)
    crossing = comparison.crossing(group, metric, at, SHARED, slack)
    return columns_of(crossing, name) | {"least": min(at), "most": max(at)}
