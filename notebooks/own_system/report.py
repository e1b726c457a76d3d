"""Logs of several sites in, one page out: what sharing and spanning would change for each.

How sites are simulated belongs in `simulation.sites`, forms and commands in `widgets` and
`cli`. Begin with `options`, then `decision`.
"""

import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coalloc_lib.basics.checks import InputError, not_negative, whole
from coalloc_lib.basics.files import atomic_path, csv_of, writable_folder
from coalloc_lib.basics.progress import NO_PROGRESS, NullProgress
from coalloc_lib.basics.seeds import Seed
from coalloc_lib.model.jobs import JobStream
from coalloc_lib.statistics import DAY, WEEK, Interval, block_of
from coalloc_lib.statistics.site_comparison import ALL, together
from coalloc_lib.workloads.swf import SwfLog
from own_system.answer import Answer, recommend
from own_system.options import (
    ALONE,
    SHARED,
    SIZES,
    Comparison,
    changes,
    columns_of,
    larger,
    options,
    run_all,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answer", "SitesReport", "sites_report"]


class SitesReport(NamedTuple):
    """What operators of several sites could do, and what it would change, as tables and a page.

    Parameters
    ----------
    answer : Answer
        The recommendation: its ``words``, the ``option`` (None: change nothing), the ``figure``
        that it rests on, and the ``decision`` with its verdict and the sites that it concerns.
    doubts : dict of str to str
        For each site, why the model does not stand for it, where that is so.
    tables : dict of str to DataFrame
        ``options`` (each option, group and metric, with the change from staying alone and its 95 %
        interval), ``pairs``, ``break_even``, ``buy_or_share``, ``logs``, ``waits``, ``weeks``,
        ``cycles`` and ``made_by``. Times are in seconds.
    made_by : dict of str to str
        The command or call, the clock, and the versions, that make it again.
    """

    answer: Answer
    doubts: Mapping[str, str]
    tables: Mapping[str, "pd.DataFrame"]
    made_by: Mapping[str, str]

    def __repr__(self) -> str:
        return f"<SitesReport: {self.answer.words}>"

    def _repr_html_(self) -> str:
        table = self.tables["options"].query("grouping == 'all' and metric == 'mean wait'")
        shown = table.drop(columns=["kind", "grouping", "group", "metric"]).to_html(index=False)
        return f"<p><b>{escape(self.answer.words)}</b></p>{shown}"

    def save(self, path: Any) -> Path:
        """Write the page, one HTML file that needs nothing else; return its path."""
        from own_system.page import page_of  # draws, which takes long to import

        page = page_of(self)
        with atomic_path(path) as beside:
            beside.write_text(page, encoding="utf-8")
        return Path(path)

    def save_tables(self, folder: Any) -> Path:
        """Write each table as CSV into a folder, which is made if need be; return its path."""
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
    penalties: Sequence[float] = (0.0, 0.1, 0.25, 0.5),
    seed: Seed = 0,
    workers: int = -1,
    progress: NullProgress = NO_PROGRESS,
    command: str = "",
) -> SitesReport:
    """Run the logs of several sites through all that their operators could do; compare.

    Parameters
    ----------
    clusters, logs, clock, missing, node, largest
        As in `compare_sites`.
    penalties : sequence of float
        A job that spans sites runs ``1 + p`` times as long, for each p of these, and for 0.
    seed : int
        Of whose estimates become exact, and which jobs come twice at a higher load.
    workers, progress
        Runs side by side, in threads (-1: one a processor); what is told of each.
    command : str
        What the page says makes it again; by default this call.

    Returns
    -------
    SitesReport
        All options run the same jobs, those of the time that all logs have; intervals are by
        bootstrap over weeks, the same for all. An option that cannot be run, or saturates, has the
        reason in the place of its figures.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> at = np.repeat(np.arange(0, 3e6, 86_400), 2)  # two jobs a day, each of all processors
    >>> day = co.JobStream(at, [30_000] * 70, [4] * 70, request="total")
    >>> sites_report({"A": 4, "B": 4}, {"A": day, "B": day[::10]}).answer.option
    'share one queue'
    """
    import pandas as pd

    from own_system import logs as about

    each = sorted({0.0, *(not_negative("penalties", p) for p in penalties)})
    if not any(each):
        raise InputError(f"penalties = {[*penalties]}; give one above 0 or more")
    if workers != -1:
        whole("workers", workers)
    system, jobs, site, row = together(clusters, logs, clock, missing, node, largest)
    table = about.table_of_jobs(logs, [*clusters], jobs, site, row)
    if np.ptp(jobs.submit) < DAY:
        raise InputError(
            f"the time that all logs have is shorter than a day, with {len(jobs):,} jobs; give "
            "longer logs of one time, or clock='weeks'"
        )
    alike = np.where(table["user"] < 0, -1 - np.arange(len(table)), table["user"])
    found = options(system, jobs, site, table["site"] + " " + alike.astype(str), each, seed)
    outcomes = run_all(found, jobs.work, progress, workers)
    if isinstance(failure := outcomes[ALONE], InputError):
        raise failure
    masks = about.group_masks(table, [*clusters])
    comparison = Comparison(outcomes, masks, jobs.submit, jobs.work, progress)
    policies = [o.name for o in found if o.kind == "policy" and o.name in comparison.names]
    pairs = [
        {"option": one, "other": other}
        | columns_of(comparison.change(("all", ALL), "mean wait", one, other), "change")
        for one in policies for other in policies if one != other
    ]  # fmt: skip
    tables: dict[str, Any] = {
        "options": changes(found, comparison),
        "pairs": pd.DataFrame(pairs),
        "break_even": _break_even(comparison, each),
        "buy_or_share": _buy_or_share(comparison, clusters),
        "logs": about.facts(logs, clusters, table).assign(
            planned_with=missing, block_weeks=block_of(jobs.submit) / WEEK
        ),
        "waits": about.waits(table, comparison),
        "weeks": about.weekly_load(table, clusters),
        "cycles": about.cycles(table, clusters),
    }
    given = f"{clock=}, {missing=}, {node=}, {largest=}, penalties={each}, {seed=}"
    command = command or f"sites_report({dict(clusters)}, logs, {given})"
    made_by = {
        "command": command,
        "clock": clock,
        "seed": str(seed),
        "Python": platform.python_version(),
    }
    made_by |= {name: version(name) for name in ("coalloc-workbench", "numpy", "numba", "pandas")}
    tables["made_by"] = pd.DataFrame({"what": made_by.keys(), "is": made_by.values()})
    answer = recommend(tables["options"], tables["pairs"], about.misses(tables["waits"]))
    doubts = about.doubts(tables["waits"], tables["logs"])
    for name in clusters:
        if why := comparison.fault(("site", name), ALONE):
            full = f"in the model, alone, it is {why}"
            doubts[name] = "; ".join(filter(None, [full, doubts.get(name)]))
    for i, j in combinations(range(len(clusters)), 2):
        one, other = jobs[site == i], jobs[site == j]
        if len(one) == len(other) and (one.work == other.work).all():
            same = f"its jobs are those of {[*clusters][i]}: one log is given twice"
            doubts[[*clusters][j]] = "; ".join(filter(None, [same, doubts.get([*clusters][j])]))
    return SitesReport(answer, doubts, tables, made_by)


def _break_even(comparison, penalties):
    """Return up to which penalty spanning beats sharing one queue, for all and each site."""
    import pandas as pd

    # The lower the penalty, the less they wait.
    at = {p: f"span, penalty {p:g}" for p in reversed(penalties)}
    return pd.DataFrame([
        {"group": group[1], "metric": metric} | _root(comparison, group, metric, at, "penalty")
        for group in comparison.groups if group[0] in ("all", "site")
        for metric in ("AWRT", "mean wait")
    ])  # fmt: skip


def _buy_or_share(comparison, clusters):
    """Return how many processors each site needs alone to wait as little as it does by sharing."""
    import pandas as pd

    rows = []
    for site, size in clusters.items():
        at = {size: ALONE} | {larger(size, k): name for name, k in SIZES.items()}
        root = _root(comparison, ("site", site), "mean wait", at, "processors", slack=1.0)
        rows.append({"site": site, "today": size} | root)
    return pd.DataFrame(rows)


def _root(comparison, group, metric, at, name, slack=0.0):
    """Return where options wait as little as by sharing, and among which that was looked for."""
    at = {x: option for x, option in at.items() if not comparison.fault(group, option)}
    why = comparison.fault(group, SHARED) or (len(at) < 2 and "nearly all of these are saturated")
    if why:
        return columns_of(Interval(*[np.nan] * 3, 0, warning=why), name)
    root = comparison.root(group, metric, at, SHARED, slack)
    return columns_of(root, name) | {"least": min(at), "most": max(at)}
