"""The form of notebook 07, in which operators enter their sites and read the recommendation."""

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as ipw
import pandas as pd

from coalloc_lib.basics.checks import InputError, number_in, whole
from coalloc_lib.basics.files import check_writable
from coalloc_lib.basics.progress import NullProgress
from coalloc_lib.plots import Picture
from coalloc_lib.widgets import controls as ui
from coalloc_lib.widgets import inputs
from coalloc_lib.workloads.catalogue import CATALOGUE, load_stand_in, load_trace
from coalloc_lib.workloads.log_files import content
from coalloc_lib.workloads.swf import SwfLog
from own_system.options import AT_NEED, LARGER, PENALTIES
from own_system.page import change_figure
from own_system.report import SitesReport, sites_report
from own_system.sacct import read_sacct
from own_system.words import changed, duration

STAND_IN = ", stand-in"
_WRAP = {"flex_flow": "row wrap"}
#: The initial rows of the form, one per site: the name of the site, its log, and its number of
#: processors.
SITES = (("KTH", "KTH-SP2" + STAND_IN, 100), ("CTC", "CTC-SP2" + STAND_IN, 338))


class _Bar(NullProgress):
    def __init__(self, bar: ipw.IntProgress) -> None:
        self._bar = bar
        bar.value, bar.max, bar.description, bar.layout.display = 0, 0, "reads the logs", ""

    def total(self, steps: int, found: int = 0) -> None:
        self._bar.max += steps
        self.step(0)

    def step(self, done: int = 1) -> None:
        self._bar.value += done
        self._bar.description = f"{self._bar.value} of {self._bar.max} steps"

    def close(self) -> None:
        self._bar.layout.display = "none"


class OwnSystem(ipw.VBox):
    """A form that recommends whether sites should share jobs, given the logs of the sites.

    A note below the buttons says what was saved, or what is wrong. The recommendation fades when an
    entry of the form changes. It disappears if an error occurs and while a new recommendation is
    calculated.
    """

    def __init__(self) -> None:
        self._report: SitesReport | None = None
        self._follower: Callable[[SitesReport | None], None] = lambda _report: None
        self.sites, self._note = ipw.VBox(), ipw.HTML()
        self.clock = inputs.choice("clock", ("calendar", "weeks"), "weeks")
        self.zone = inputs.text_entry("time zone", "")
        self.zone.placeholder = "UTC, if sacct names none"
        self.missing = inputs.text_entry("limit, hours", "")
        self.missing.placeholder = "of jobs without estimate"
        self.penalties = inputs.text_entry("penalties", ", ".join(f"{p:g}" for p in PENALTIES))
        self.path = inputs.text_entry("save as", "report.html")
        self.buttons, self.view = {}, ui.View(layout={"max_height": "490px", "overflow": "auto"})
        self.view.add_class("coalloc-view")
        actions = {"Answer": self.answer, "One more site": self.add_site,
                   "Save the page": self.save, "Save the tables": self.save_tables}  # fmt: skip
        for name, act in actions.items():
            self.buttons[name] = ipw.Button(description=name)
            self.buttons[name].on_click(lambda _button, act=act: self._try(act))
        self._bar = ipw.IntProgress(style=inputs.WIDE, layout={"width": "auto"} | inputs.NARROW)
        for site in SITES:
            self.add_site(*site)
        entries = [self.clock, self.zone, self.missing, self.penalties]
        self._fades_with(entries)
        buttons = ipw.HBox([*self.buttons.values()], layout=_WRAP)
        more = inputs.fold("more", ipw.HBox([*entries, self.path], layout=_WRAP))
        self._note.add_class("coalloc-said")
        form = ipw.VBox([self.sites, more, buttons, self._note, self._bar])
        form.add_class("coalloc-needs-python")
        super().__init__([ui.styled(), ui.gone(), form, self.view])
        self.add_class("coalloc-whole")
        self._try(self.answer)

    @property
    def report(self) -> SitesReport:
        """The report about the sites that are entered in the form.

        Raises
        ------
        InputError
            If the form shows no report, because of an error.
        """
        if self._report is None:
            raise InputError("the form shows no answer; correct its entries, then press Answer")
        return self._report

    def tell(self, follower: Callable[[SitesReport | None], None]) -> None:
        """Call a function with each new report, and with None when a report is no longer shown.

        The function replaces the one that was given before, so that a cell that is run twice does
        not do the same work twice.
        """
        self._follower = follower

    def _hand_over(self, report: SitesReport | None) -> None:
        self._report = report
        self._follower(report)

    def add_site(self, name: str = "", log: str = "", processors: int = 0) -> None:
        """Add a row to the form for one more site.

        Parameters
        ----------
        name : str
            The name of the site.
        log : str
            The path of its log, or the name of a public log.
        processors : int
            The number of its processors.
        """
        logs = [log for _, log, _ in SITES] + [entry.name for entry in CATALOGUE]
        row = [
            inputs.text_entry("site", name or _new_name(len(self.sites.children))),
            ipw.Combobox(value=log, options=logs, description="log file", style=inputs.WIDE,
                         layout={"flex": "1 1 300px"}, continuous_update=False,
                         placeholder="path: SWF, or sacct's"),
            ipw.IntText(processors, description="processors", style=inputs.WIDE,
                        layout={"width": "15em"}),
        ]  # fmt: skip
        self._fades_with(row)
        self.sites.children = (*self.sites.children, ipw.HBox(row, layout=_WRAP))

    def answer(self) -> None:
        """Read the logs, simulate all options, and show the recommendation in the form.

        Raises
        ------
        InputError
            If an entry of the form is wrong or a log cannot be read.
        """
        self._hand_over(None)
        self.view.show(ui.View.data)
        rows = [[entry.value for entry in row.children] for row in self.sites.children]
        # An emptied row is no site, and neither is a new row in which nothing was entered.
        unused = [[name, "", 0] for name in ("", *map(_new_name, range(len(rows))))]
        rows = [row for row in rows if row not in unused]
        clusters: dict[str, int] = {}
        for name, _, size in rows:
            if not name or name in clusters:
                raise InputError(f"site = {name!r}; give each site a different name")
            clusters[name] = whole(f"processors of {name}", size)
        limits = _numbers("limit", self.missing.value) if self.missing.value else [None]
        if len(limits) > 1:
            raise InputError(f"limit = {self.missing.value!r}; give a single number, in hours")
        limit = limits[0] and 3600 * limits[0]
        penalties = _numbers("penalties", self.penalties.value)
        with _Bar(self._bar) as bar:
            logs = {name: _read(name, log, self.zone.value) for name, log, _ in rows}
            bar.total(1)
            report = sites_report(clusters, logs, clock=self.clock.value, missing=limit,
                                  penalties=penalties, progress=bar)  # fmt: skip
            shown = _report_by_type(report, clusters, logs)
            bar.step()
            self.view.remove_class("coalloc-past")
            self.view.show(shown)
        self._hand_over(report)

    def save(self) -> str:
        """Save the report as an HTML page, and return a message with the path of the file."""
        check_writable(self.path.value)
        return f"The page is {self.report.save(self.path.value).absolute()}."

    def save_tables(self) -> str:
        """Save the tables of the report as CSV files, and return a message with their folder."""
        check_writable(self.path.value)
        path = Path(self.path.value)
        # Without a suffix, the page itself has the path that the folder would otherwise have.
        folder = path.with_suffix("") if path.suffix else path.with_name(f"{path.name}-tables")
        return f"The tables are in {self.report.save_tables(folder).absolute()}."

    def _try(self, act: Any) -> None:
        self._note.value = ""
        for button in self.buttons.values():
            button.disabled = True
        try:
            words = act()
            self._note.value = ui.note(words) if words else ""
        except (InputError, OSError) as error:
            self._note.value = ui.note(str(error))
        finally:
            for button in self.buttons.values():
                button.disabled = False

    def _fades_with(self, entries: list[ipw.Widget]) -> None:
        for entry in entries:
            entry.observe(lambda _change: self.view.add_class("coalloc-past"), "value")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        still = {"text/html": ui.HINT + self.view.data["text/html"]}
        return super()._repr_mimebundle_(**kwargs) | self.view.data | still


def _new_name(number: int) -> str:
    return f"site {number + 1}"


def _report_by_type(report: SitesReport, clusters: dict[str, int], logs: dict[str, SwfLog]) -> dict:
    words, table = report.answer.words, _table_as_html(options_table(report))
    html = f"<p><b>{escape(words)}</b></p>"
    # If a doubt is why nothing is recommended, the answer has said it.
    unsaid = {site: why for site, why in report.doubts.items() if why not in words}
    doubts = "; ".join(f"{site}: {why}" for site, why in unsaid.items())
    if doubts:
        html += f"<p><b>Read with care.</b> {escape(doubts)}.</p>"
    below = _folded("each option in numbers", table) + _folded("the logs", _logs(clusters, logs))
    data = {"text/html": below, "text/plain": words}
    options = report.tables["options"]
    figure, all_of_them = change_figure(options[_is_main(options)]), change_figure(options)
    if figure is not None and all_of_them is not None:
        picture = Picture(all_of_them)._repr_mimebundle_()["text/html"]
        below = _folded("all options in a picture", picture) + below
        data = Picture(figure, words, below)._repr_mimebundle_()
    return data | {"text/html": html + data["text/html"]}


def _is_main(options: pd.DataFrame) -> "pd.Series[bool]":
    """Tell which rows the first picture shows: those of options that answer the question."""
    at_need = options["option"].str.startswith(AT_NEED)
    return (options["kind"] == "policy") | at_need | (options["option"] == LARGER)


def _logs(clusters: dict[str, int], logs: dict[str, SwfLog]) -> str:
    sites = "; ".join(f"{n}: {logs[n].title} on {clusters[n]:,} processors" for n in clusters)
    html = f"<p>{escape(sites)}</p>"
    for log in logs.values():
        if log.receipt is not None:
            what = f"{escape(log.source)}: {len(log):,} jobs, and what was left out or noted"
            html += _folded(what, _table_as_html(log.receipt))
        if log.notes:
            html += f"<p>{escape(log.source)}: {escape('; '.join(log.notes))}.</p>"
    return html


def _folded(title: str, html: str) -> str:
    return f"<details><summary>{title}</summary>{html}</details>"


def _table_as_html(table: pd.DataFrame) -> str:
    with pd.option_context("display.max_colwidth", None):
        return table.to_html(index=False, border=0, justify="left", classes="coalloc-cells")


def options_table(report: SitesReport) -> pd.DataFrame:
    """Return a table of the mean wait under each option, with the groups that gain or lose."""
    means = report.tables["options"].query("metric == 'mean wait'")
    named = means["group"].where(means["grouping"] != "width", means["group"] + " wide")
    rows = []
    for option, part in means.assign(group=named).groupby("option", sort=False):
        every, parts = part.iloc[0], part[part["grouping"] != "all"]
        ends = every[["change", "change_low", "change_high"]]
        change = changed(*ends) if ends.notna().all() else every["warning"] or "–"
        rows.append({
            "option": option, "mean wait": duration(every["value"]), "change (95 %)": change,
            "jobs that span": "–" if pd.isna(every["spanned"]) else f"{every['spanned']:.1%}",
            "shorter for": _groups(parts, parts["change_high"] < 0),
            "longer for": _groups(parts, parts["change_low"] > 0),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _groups(parts, chosen):
    names = []
    for kind, part in parts.groupby("grouping", sort=False):
        all_chosen = len(part) > 1 and chosen[part.index].all()
        names += [f"all {kind}s"] if all_chosen else [*part["group"][chosen[part.index]]]
    return ", ".join(names) or "–"


def _read(site: str, log: str, zone: str) -> SwfLog:
    if log.endswith(STAND_IN):
        return load_stand_in(log.removesuffix(STAND_IN))
    if not log:
        raise InputError(f"{site} has no log file; give the path of a log, or clear the whole row")
    # Output of sacct is recognized by its first line, which has column names separated by vertical
    # bars.
    if Path(log).is_file() and re.match(rb"[^;\n]+\|", next(content(log), b"").lstrip()):
        return read_sacct(log, time_zone=zone or None)
    return load_trace(log, missing="error")


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [number_in(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"{name} = {text!r}; give numbers that are separated by commas") from None
