"""The explorer of notebook 07, which compares an option of the reader with staying alone."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import ipywidgets as ipw
import numpy as np
import pandas as pd

from coalloc_lib import plots
from coalloc_lib.basics.checks import instance_of
from coalloc_lib.basics.display import listed
from coalloc_lib.basics.seeds import generators
from coalloc_lib.model.system import Multicluster
from coalloc_lib.plots import Picture
from coalloc_lib.policies import EASY, FCFS
from coalloc_lib.schedules.schedule import Schedule
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.widgets.controls import Explorer
from coalloc_lib.widgets.inputs import choice, disable, slider_with_entry
from own_system.comparison import Comparison, changes
from own_system.decision import Changes, Decision, Verdict, decide, falls, rises
from own_system.form import OwnSystem
from own_system.options import ALONE, larger, with_more
from own_system.page import row_height
from own_system.report import SitesReport
from own_system.simulation import Sites, outcome_of
from own_system.words import FEW_WEEKS, unit_of

#: What the sites can do: the ways that the user can choose from.
WAYS = STAY, SHARE, SPAN, SOONER = (
    "stay alone", "share one queue", "span if no site has room", "span only if sooner",
)  # fmt: skip
#: The policies of every queue that the user can choose from.
POLICIES = PLAIN, EXACT, NONE = "EASY", "EASY, exact estimates", "FCFS (no backfilling)"
#: The widths, in processors, that limit which jobs may run at another site.
WIDEST = {"any": None} | {f"{width:,}": width for width in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256)}
#: The groups of jobs that the user can choose from, by the name of their criterion in the report.
GROUPS = {"sites": "site", "job widths": "width", "queues": "partition"}
#: The control that adds processors to a site has a name that begins with these words.
MORE = "more at "
#: The columns of a table of waits that have durations.
HOURS = "alone", "then", "change", "ci95_low", "ci95_high"
#: The height of all rows of the picture, in inches: with the controls behind *more*, the picture
#: then fits into the window of a small laptop.
ROWS = 2.4
#: The name of the option of the reader in the tables.
YOURS = "yours"
#: An empty table of comparisons between two options, which `Changes` needs. There is only one
#: option, and it is compared with staying alone.
NO_PAIRS = pd.DataFrame(columns=["option", "other", "change_low", "change_high", "warning"])


class Setting(NamedTuple):
    """An option that the user has put together."""

    way: str
    policy: str
    penalty: float
    #: The largest number of processors of a job that may run at another site, or None.
    widest: int | None
    #: The additional load in percent.
    load: int
    #: The number of processors that each site adds, in percent of its processors.
    more: tuple[int, ...]

    @property
    def words(self) -> str:
        """The setting as a text."""
        words = [self.way]
        if self.way in (SPAN, SOONER):
            words.append(f"penalty {self.penalty:g}")
        if self.way == SHARE and self.widest is not None:
            words.append(f"guests at most {self.widest:,} wide")
        words += [self.policy] if self.policy != PLAIN else []
        words += [f"{self.load} % more load"] if self.load else []
        return ", ".join(words)


def run(sites: Sites, setting: Setting) -> tuple[Schedule, Any]:
    """Simulate a setting.

    Returns
    -------
    schedule : Schedule
        The schedule of all jobs.
    compared : slice or ndarray of int
        The jobs that are compared with staying alone: all except those of the additional load.
    """
    jobs, site = sites.jobs, sites.site
    compared: Any = slice(None)
    if setting.load:
        _, copying, _ = generators(sites.seed, 3)  # as for the options of the report
        jobs, site, compared = with_more(jobs, site, setting.load / 100, copying)
    if setting.policy == EXACT:
        jobs = jobs.replace(estimate=None)
    policy = FCFS() if setting.policy == NONE else EASY(adaptive=setting.way == SOONER)
    system = Multicluster([
        larger(size, 1 + more / 100)
        for size, more in zip(sites.system.sizes, setting.more, strict=True)
    ])  # fmt: skip
    if setting.way == STAY:
        return local(system, jobs, site, scheduling=policy), compared
    if setting.way == SHARE:
        bound = jobs.processors > (np.inf if setting.widest is None else setting.widest)
        home = np.where(bound, site, -1)
        return sharing(system, jobs, home=home, scheduling=policy), compared
    return multi_site(system, jobs, setting.penalty, scheduling=policy), compared


class _Options:
    """The options that the user puts together, each compared with staying alone."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.names = [name for kind, name in sites.groups if kind == "site"]
        self.table = lru_cache(32)(self._table)
        self.picture = lru_cache(64)(self._picture)

    def draw(self, compare: str, before: Mapping[str, Any] | None, **values: Any) -> Picture:
        """Draw the change of the mean wait of some groups of jobs."""
        earlier = None if before is None else self.setting(**before)
        return self.picture(self.setting(**values), GROUPS[compare], earlier)

    def setting(
        self, way: str, policy: str, penalty: float, widest: str, load: int, **more: Any
    ) -> Setting:
        """Return the setting of the controls. A control without an effect does not change it."""
        penalty = penalty if way in (SPAN, SOONER) else 0.0
        guest = WIDEST[widest] if way == SHARE else None
        at_sites = tuple(more[MORE + name] for name in self.names)
        return Setting(way, policy, penalty, guest, load, at_sites)

    def _table(self, setting: Setting) -> pd.DataFrame:
        sites = self.sites
        outcomes = {ALONE: sites.alone, YOURS: outcome_of(*run(sites, setting))}
        jobs = sites.jobs
        comparison = Comparison(outcomes, sites.groups, jobs.submit, jobs.work)
        return changes({ALONE: "today", YOURS: "policy"}, comparison)

    def _picture(self, setting: Setting, grouping: str, earlier: Setting | None) -> Picture:
        waits = self._waits(setting, grouping)
        longest = np.nan_to_num(waits["alone"].max())  # NaN if all groups are saturated
        size, unit = unit_of(longest)
        table = waits.assign(**{name: waits[name] / size for name in HOURS})
        table["words"] = [_in_words(row, unit) for row in table.to_dict("records")]
        if earlier is not None:
            table["before"] = self._waits(earlier, grouping)["change"] / size
        most = 1.1 * longest / size or 1.0
        rings = "" if earlier is None else "; rings: before the last change"
        if (waits["ci95_low"] < -waits["alone"]).any():
            rings += f"; {FEW_WEEKS}"
        figure = plots.intervals(
            table, x="change", row="row", row_height=row_height(len(table), ROWS),
            span=(-most, _right_end(table, most)),
            before=None if earlier is None else "before",
            beyond="arrow: continues beyond the axis",
            xlabel=f"change of the mean wait, {unit}", title=self._title(setting),
            subtitle=f"{self._sizes(setting)}; mean wait minus that of staying alone with EASY on "
            f"today's processors; 95 % intervals by bootstrap over weeks{rings}",
        )  # fmt: skip
        plots.mark_zero(figure.axes[0])
        plots.label_right(figure.axes[0], table["words"])
        return Picture(figure, rows=table["row"] + ": " + table["words"])

    def _waits(self, setting: Setting, grouping: str) -> pd.DataFrame:
        table = self.table(setting).query("metric == 'mean wait'")
        wanted = table["grouping"].eq("all") | table["grouping"].eq(grouping)
        alone, yours = (
            table[wanted & table["option"].eq(name)].set_index("group") for name in (ALONE, YOURS)
        )
        waits = pd.DataFrame({
            "alone": alone["value"], "then": yours["value"], "change": yours["change"],
            "ci95_low": yours["change_low"], "ci95_high": yours["change_high"],
            "warning": yours["warning"], "grouping": yours["grouping"],
        })  # fmt: skip
        wide = waits["grouping"].eq("width")
        return waits.assign(row=waits.index.where(~wide, waits.index + " wide"))

    def _title(self, setting: Setting) -> str:
        words = ", ".join([setting.words, *self._more(setting)])
        if setting == Setting(STAY, PLAIN, 0.0, None, 0, (0,) * len(self.names)):
            verdict = "this is today"
        else:
            changed = Changes(self.table(setting), NO_PAIRS)
            verdict = _verdict(decide(changed, self.sites.missed), changed)
        return f"{words[0].upper()}{words[1:]}: {verdict}"

    def _more(self, setting: Setting) -> list[str]:
        each = zip(self.names, setting.more, strict=True)
        return [f"{more} % more processors at {name}" for name, more in each if more]

    def _sizes(self, setting: Setting) -> str:
        sizes = self.sites.system.sizes
        return ", ".join(
            f"{larger(size, 1 + more / 100):,} processors at {name}"
            for name, size, more in zip(self.names, sizes, setting.more, strict=True)
        )


def _verdict(decision: Decision, changed: Changes) -> str:
    losers, unknown = listed(decision.losers), listed(decision.unknown)
    return {
        Verdict.TAKE: "it qualifies",
        Verdict.ASK_LOSERS: f"all jobs together gain, but {losers} surely loses",
        Verdict.ACCEPT_UNKNOWN: f"all jobs together gain, but nothing is sure about {unknown}",
        Verdict.SERVE: "it serves the load, which the sites alone cannot",
        Verdict.ADD_PROCESSORS: "it cannot serve the load, and neither can the sites alone",
        Verdict.MODEL_FAILS: "nothing is recommended, as the model does not describe the machine",
        Verdict.NOTHING_SURE: decision.why,
        Verdict.NO_WAIT: "nobody waits today",
        Verdict.TOO_SMALL: "the mean wait falls by less than a minute",
        Verdict.NOT_BETTER: _why_not_better(changed.wait[YOURS]),
    }[decision.verdict]


def _why_not_better(wait: pd.Series) -> str:
    if np.isnan(wait["value"]):
        return wait["warning"]
    if rises(wait):
        return "all jobs together surely wait longer"
    if falls(wait):
        return "all jobs together wait less, but the AWRT surely rises, or a site is saturated"
    return "whether all jobs together wait less is not sure"


def _right_end(table: pd.DataFrame, most: float) -> float:
    # Waits rarely rise by more than half of the longest one. The axis is longer only if they do.
    drawn = table.reindex(columns=["change", "ci95_high", "before"]).to_numpy(dtype=float)
    highest = max(drawn[~np.isnan(drawn)], default=0.0)
    return float(np.clip(highest, most / 2, most))


def _in_words(row: Mapping[str, Any], unit: str) -> str:
    # All rows have the unit of the axis, and its digits.
    alone, then, change, low, high = (f"{row[name]:.1f}" for name in HOURS)
    if np.isnan(row["then"]):
        return row["warning"]
    if np.isnan(row["alone"]):
        return f"{then} {unit}; {row['warning']}"
    if not any((row["change"], row["ci95_low"], row["ci95_high"])):
        return f"{then} {unit}, unchanged"
    signed = [f"{float(text):+.1f}".replace("-", "−") for text in (change, low, high)]
    ends = "" if np.isnan(row["ci95_low"]) else f" ({signed[1]} to {signed[2]})"
    return f"{alone} → {then} {unit}, {signed[0]}{ends}"


def option_explorer(report: SitesReport, state: str = "") -> Explorer:
    """Return controls for an option, with a picture that compares it with staying alone.

    Parameters
    ----------
    report : SitesReport
        The report. The jobs of its sites are simulated.
    state : str
        The copied text of an earlier scenario; by default the controls have their usual values.
    """
    instance_of("report", report, SitesReport, "form.report")
    options = _Options(report.sites)
    ways = choice("the sites", WAYS, SHARE)
    penalty = slider_with_entry("penalty", 0.25, 0.0, 1.0, 0.05)
    guests = choice("widest guest", WIDEST)
    disable(penalty, by=ways, when=lambda way: way in (STAY, SHARE))
    disable(guests, by=ways, when=lambda way: way != SHARE)
    bought = {
        f"{MORE}{name}": slider_with_entry(f"buy at {name}, %", 0, 0, 100)
        for name in options.names
    }  # fmt: skip
    kinds = {kind for kind, _ in report.sites.groups}
    compared = [name for name, kind in GROUPS.items() if kind in kinds]
    controls = {
        "way": ways, "penalty": penalty, "compare": choice("compare", compared), **bought,
        "widest": guests, "policy": choice("policy", POLICIES),
        "load": slider_with_entry("more load, %", 0, 0, 50),
    }  # fmt: skip
    more = ["widest", "policy", "load", *([] if len(bought) < 4 else bought)]
    return Explorer(controls, options.draw, state=state, more=more)


class FormExplorer(ipw.VBox):
    """The controls of `option_explorer` for the sites of a form, made anew with each answer.

    Parameters
    ----------
    form : OwnSystem
        The form. Its report must be shown.
    """

    def __init__(self, form: OwnSystem) -> None:
        instance_of("form", form, OwnSystem, "the form of the first cell")
        self._explorer = option_explorer(form.report)
        super().__init__([self._explorer])
        form.tell(self._follow)

    def _follow(self, report: SitesReport | None) -> None:
        if report is None:
            self._explorer.view.add_class("coalloc-past")
        else:
            self._explorer = option_explorer(report)
            self.children = [self._explorer]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        still = self._explorer._repr_mimebundle_(**kwargs)
        shown = {kind: still[kind] for kind in ("text/html", "text/plain")}
        return super()._repr_mimebundle_(**kwargs) | shown
