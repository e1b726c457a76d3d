"""Logs of several sites in, one page out: what sharing and spanning would change for each."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coalloc_lib.checks import InputError, not_negative, one_of, whole
from coalloc_lib.files import atomic_path
from coalloc_lib.jobs import JobStream
from coalloc_lib.progress import SILENT, Silent
from coalloc_lib.report.answer import Answer, limits, recommend
from coalloc_lib.report.options import ALONE, SHARED, SIZES, Comparison, changes, options, run_all
from coalloc_lib.seeds import Seed
from coalloc_lib.sites import ALL, together
from coalloc_lib.workloads.swf import SwfLog

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answer", "SitesReport", "sites_report"]


@dataclass(frozen=True, eq=False, repr=False)
class SitesReport:
    """What operators of several sites could do, and what it would change, as tables and a page.

    Attributes
    ----------
    answer : Answer
        The recommendation: its ``words``, the ``option`` (None: change nothing), the ``figure``.
    doubts : dict of str to str
        For each site, why the model does not stand for it, where that is so.
    tables : dict of str to DataFrame
        ``options`` (each option, group and metric, with the change from staying alone and its 95 %
        interval), ``pairs``, ``break_even``, ``buy_or_share``, ``logs``, ``waits``, ``weeks`` and
        ``cycles``. Times are in seconds.
    limits : list of str
        What the report cannot say.
    made_by : dict of str to str
        The call or command, and the versions, that make it again.
    """

    answer: Answer
    doubts: Mapping[str, str]
    tables: Mapping[str, "pd.DataFrame"]
    limits: Sequence[str]
    made_by: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<SitesReport: {self.answer.words}>"

    def _repr_html_(self) -> str:
        wanted = "grouping == 'all' and metric == 'mean wait'"
        shown = self.tables["options"].query(wanted).drop(columns=["grouping", "group", "metric"])
        return f"<p><b>{escape(self.answer.words)}</b></p>{shown.to_html(index=False)}"

    def save(self, path: Any) -> Path:
        """Write the page, one HTML file that needs nothing else; return its path."""
        from coalloc_lib.report.page import page_of  # draws, which takes long to import

        page = page_of(self)
        with atomic_path(path) as beside:
            beside.write_text(page, encoding="utf-8")
        return Path(path)


def sites_report(
    clusters: Mapping[str, int],
    logs: Mapping[str, SwfLog | JobStream],
    *,
    clock: str = "calendar",
    penalties: Sequence[float] = (0.0, 0.1, 0.25, 0.5),
    seed: Seed = 0,
    workers: int = -1,
    progress: Silent = SILENT,
    command: str = "",
) -> SitesReport:
    """Run the logs of several sites through all that their operators could do; compare.

    Parameters
    ----------
    clusters, logs, clock
        As in `compare_sites`.
    penalties : sequence of float
        A job that spans sites runs ``1 + p`` times as long, for each p of these.
    seed : int
        Of whose estimates become exact, and which jobs come twice at a higher load.
    workers : int
        Runs side by side, in threads; -1 for one a processor.
    progress : Silent
        Told of each run, such as a `Progress`.
    command : str
        What the page says makes it again; by default this call.

    Returns
    -------
    SitesReport
        All options run the same jobs, those of the time that all logs have; intervals are from
        weeks drawn anew, the same for all. An option that cannot be run, or saturates, says so in
        the place of its figures.

    Examples
    --------
    >>> import coalloc_lib as co
    >>> rng = np.random.default_rng(1)
    >>> def log():
    ...     submit = np.cumsum(rng.exponential(5_000, 600))
    ...     return co.JobStream(submit, rng.exponential(9_000, 600), rng.integers(1, 5, 600))
    >>> report = co.sites_report({"A": 6, "B": 6}, {"A": log(), "B": log()})
    >>> report.answer.option
    'share one queue'
    """
    import pandas as pd

    from coalloc_lib.report.logs import (
        cycles,
        facts,
        group_masks,
        stands,
        table_of_jobs,
        waits,
        weekly_load,
    )

    each = sorted({not_negative("penalties", p) for p in penalties})
    if not each or not any(each):
        raise InputError(f"penalties = {[*penalties]}; give one above 0 or more")
    if workers != -1:
        whole("workers", workers)
    one_of("clock", clock, ("calendar", "weeks"))
    system, jobs, site, row = together(clusters, logs, clock)
    table = table_of_jobs(logs, [*clusters], jobs, site, row)
    own = pd.Series(np.arange(len(table)).astype(str))
    users = table["site"] + " " + table["user"].astype(str).where(table["user"] >= 0, "job " + own)
    found = options(system, jobs, site, users, each, seed)
    outcomes = run_all(found, progress, workers)
    if isinstance(failure := outcomes[ALONE], InputError):
        raise failure
    masks = group_masks(table, [*clusters])
    comparison = Comparison(outcomes, masks, jobs.submit, jobs.work)
    policies = [o.name for o in found if o.kind == "policy" and o.name in comparison.names]
    overall = ("all", ALL)
    tables = {
        "options": changes(found, comparison),
        "pairs": pd.DataFrame([
            {"option": one, "other": other}
            | _columns(comparison.change(overall, "mean wait", one, other), "change")
            for one in policies for other in policies if one != other
        ]),
        "break_even": _break_even(comparison, each),
        "buy_or_share": _buy_or_share(comparison, clusters),
        "logs": facts(logs, clusters, table),
        "waits": waits(table, comparison),
        "weeks": weekly_load(table, clusters),
        "cycles": cycles(table),
    }  # fmt: skip
    answer = recommend(tables["options"], tables["pairs"])
    names = ", ".join(f"{n!r}: {size}" for n, size in clusters.items())
    call = f"co.sites_report({{{names}}}, logs, clock={clock!r}, penalties={each}, seed={seed})"
    made_by = {
        "command": command or call,
        "coalloc": _version(),
        "Python": platform.python_version(),
    }
    made_by |= {name: version(name) for name in ("numpy", "numba", "pandas")}
    told = limits(tables["logs"], clock, None, tables["options"])
    return SitesReport(answer, stands(tables["waits"]), tables, told, made_by)


def _version() -> str:
    from coalloc_lib import __version__

    return __version__


def _columns(interval, name):
    """Return an interval as columns of a table."""
    ends = {f"{name}_low": interval.low, f"{name}_high": interval.high}
    return {name: interval.estimate} | ends | {"warning": interval.warning}


def _break_even(comparison, penalties):
    """Return up to which penalty spanning beats sharing one queue, for all and each site."""
    import pandas as pd

    rows = []
    for group in (group for group in comparison.groups if group[0] in ("all", "site")):
        for metric in ("AWRT", "mean wait"):
            at = {-p: f"span, penalty {p:g}" for p in reversed(penalties)}
            row = {"group": group[1], "metric": metric}
            if missing := [n for n in (*at.values(), SHARED) if n in comparison.failed]:
                rows.append(row | {"penalty": np.nan, "warning": comparison.failed[missing[0]]})
                continue
            # The lower the penalty, the less they wait: the root over -p.
            root = comparison.root(group, metric, at, SHARED).times(-1)
            rows.append(row | _columns(root, "penalty"))
    return pd.DataFrame(rows)


def _buy_or_share(comparison, clusters):
    """Return how many processors each site needs alone to wait as little as it does by sharing."""
    import pandas as pd

    rows = []
    for name, size in clusters.items():
        at = {size: ALONE}
        at |= {ceil(round(k * size, 6)): f"{k - 1:.0%} more processors, alone" .replace("%", " %")
               for k in SIZES}  # fmt: skip
        row = {"site": name, "processors": size, "most": max(at)}
        if SHARED in comparison.failed:
            rows.append(row | {"needed": np.nan, "warning": comparison.failed[SHARED]})
        else:
            rows.append(
                row | _columns(comparison.root(("site", name), "mean wait", at, SHARED), "needed")
            )
    return pd.DataFrame(rows)
