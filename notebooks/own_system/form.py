"""The form of notebook 07, in which operators enter their sites and read the recommendation."""

import re
from collections.abc import Callable
from html import escape
from itertools import count
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
from own_system.errors import ShortError
from own_system.options import AT_NEED, PENALTIES
from own_system.page import change_figure
from own_system.report import SitesReport, sites_report
from own_system.sacct import read_sacct
from own_system.words import changed, duration

STAND_IN = ", stand-in"
_WRAP = {"flex_flow": "row wrap"}
#: The height of the form, which fits into the window of a small laptop, and that of five rows of
#: sites. The answer takes the height that the entries leave, and scrolls if it needs more, but not
#: while one of its parts is unfolded. If there are more than five sites, their rows scroll, too.
_HIGHEST, _FIVE_SITES = "636px", "166px"
#: The style of an entry whose label is as wide as its text.
_SHORT = {"description_width": "initial"}
#: The style of a paragraph of the answer, with little room above and below.
_CLOSE = 'style="margin: 5px 0"'
#: The height of all rows of the first picture together, in inches.
_HIGHEST_ROWS = 1.5
#: What an error says about an argument for which the form has no entry.
_LARGEST = re.compile(r": largest=([0-9]+)$")
#: The names that the form gives to new sites.
_NEW_NAME = re.compile(r"site [0-9]+")
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
        self._bar.description = f"simulating, step {self._bar.value}"

    def close(self) -> None:
        self._bar.layout.display = "none"


class _SiteRow(ipw.HBox):
    """The entries of a site (its name, its log and its processors), and a button to remove it."""

    def __init__(self, name: str, log: str, processors: int) -> None:
        logs = [log for _, log, _ in SITES] + [entry.name for entry in CATALOGUE]
        self.entries = [
            _text_entry("site", name, "0 1 220px"),
            ipw.Combobox(value=log, options=logs, description="log file", style=_SHORT,
                         layout={"flex": "1 1 300px"}, continuous_update=False,
                         placeholder="path: SWF, or sacct's"),
            ipw.IntText(processors, description="processors", style=_SHORT,
                        layout={"width": "13em"}),
        ]  # fmt: skip
        self.remove = ipw.Button(
            description="Remove", tooltip="remove this site", layout={"width": "6em"}
        )
        super().__init__([*self.entries, self.remove], layout=_WRAP)

    @property
    def values(self) -> tuple[str, str, int]:
        """The name of the site, its log, and its number of processors."""
        name, log, processors = (entry.value for entry in self.entries)
        return name, log, processors

    @property
    def is_unused(self) -> bool:
        """Whether the row is emptied, or new and still without an entry."""
        name, log, processors = self.values
        return not log and not processors and (not name or bool(_NEW_NAME.fullmatch(name)))


class OwnSystem(ipw.VBox):
    """A form that recommends whether sites should share jobs, given the logs of the sites.

    A note below the buttons says what was saved, or what is wrong. The recommendation is pale after
    an entry of the form has changed, until a new one replaces it. It stays pale if an entry is
    wrong, and the form then has no report.
    """

    def __init__(self) -> None:
        self._report: SitesReport | None = None
        self._given: dict[str, Any] = {}
        self._fault = ""
        self._follower: Callable[[SitesReport | None], None] = lambda _report: None
        self.sites = ipw.VBox(layout={"max_height": _FIVE_SITES, "overflow": "auto"})
        # The note keeps its line while it is empty, so that the answer does not move.
        self._note = ipw.HTML(layout={"min_height": "22px", "height": "auto", "margin": "0"})
        self.clock = inputs.choice("clock", ("calendar", "weeks"), "weeks")
        self.clock.style, self.clock.layout = _SHORT, {"width": "auto"}
        self.zone = _text_entry("time zone", "")
        self.zone.placeholder = "UTC, if sacct names none"
        self.missing = _text_entry("limit, hours", "")
        self.missing.placeholder = "of jobs without estimate"
        self.penalties = _text_entry("penalties", ", ".join(f"{p:g}" for p in PENALTIES))
        self.path = _text_entry("save as", "report.html", "1 1 160px")
        self.view = ui.View(layout={"flex": "0 1 auto", "min_height": "200px", "overflow": "auto"})
        self.view.add_class("coalloc-view")
        self._bar = ipw.IntProgress(
            style=inputs.WIDE, layout={"flex": "1 1 200px", "width": "auto"} | inputs.NARROW
        )
        for site in SITES:
            self.add_site(*site)
        for entry in (self.clock, self.zone, self.missing, self.penalties):
            self._fades_with(entry)
        form = ipw.VBox([self.sites, self._buttons(), self._note], layout={"flex": "0 0 auto"})
        form.add_class("coalloc-needs-python")
        super().__init__([ui.styled(), ui.gone(), form, self.view], layout={"max_height": _HIGHEST})
        self.add_class("coalloc-whole")
        self.add_class("coalloc-form")
        self._try(self.answer)

    def _buttons(self) -> ipw.Box:
        """Return the buttons, with the bar and the button *more* in their line."""
        actions = {"Answer": self.answer, "One more site": self.add_site,
                   "Save the page": self.save, "Save the tables": self.save_tables}  # fmt: skip
        self.buttons = {name: ipw.Button(description=name) for name in actions}
        for name, act in actions.items():
            self.buttons[name].on_click(lambda _button, act=act: self._try(act))
        entries = [self.clock, self.zone, self.missing, self.penalties, self.path]
        line = inputs.fold("more", ipw.HBox(entries, layout=_WRAP))
        # The entries follow the button that unfolds them, and are shown below the line.
        more, unfolded = line.children
        unfolded.layout = {"width": "100%", "order": "1"}
        line.children = [*self.buttons.values(), more, unfolded, self._bar]
        line.layout = _WRAP
        return line

    @property
    def report(self) -> SitesReport:
        """The report about the sites that are entered in the form.

        Raises
        ------
        InputError
            If an entry of the form is wrong. The message repeats the note of the form.
        """
        if self._report is None:
            raise ShortError(self._fault)
        return self._report

    @property
    def given(self) -> dict[str, Any]:
        """The arguments ``clusters``, ``logs``, ``clock`` and ``missing`` of the report.

        `sites_report`, `coalloc_lib.compare_sites` and
        `coalloc_lib.statistics.site_comparison.together` take them.

        Raises
        ------
        InputError
            If an entry of the form is wrong.
        """
        if self._report is None:
            raise ShortError(self._fault)
        return self._given

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
        row = _SiteRow(name or self._new_name(), log, processors)
        for entry in row.entries:
            self._fades_with(entry)
        row.remove.on_click(lambda _button: self._try(lambda: self.remove_site(row)))
        self._show_sites([*self._rows, row])

    def remove_site(self, row: ipw.Widget) -> None:
        """Remove the row of a site from the form.

        Parameters
        ----------
        row : Widget
            The row, one of the children of `sites`. The last row cannot be removed.
        """
        rows = [each for each in self._rows if each is not row]
        if not rows:
            raise InputError("the form needs a site; change the entries of this one")
        self._show_sites(rows)
        if not row.is_unused:
            self.view.add_class("coalloc-past")

    @property
    def _rows(self) -> tuple[_SiteRow, ...]:
        return self.sites.children

    def _show_sites(self, rows: list[_SiteRow]) -> None:
        self.sites.children = rows
        for row in rows:
            row.remove.disabled = len(rows) == 1

    def _new_name(self) -> str:
        taken = {row.values[0] for row in self._rows}
        names = (f"site {number}" for number in count(len(self._rows) + 1))
        return next(name for name in names if name not in taken)

    def answer(self) -> None:
        """Read the logs, simulate all options, and show the recommendation in the form.

        Raises
        ------
        InputError
            If an entry of the form is wrong or a log cannot be read.
        """
        self._fault = "the last run of the form was interrupted; press Answer again"
        self.view.add_class("coalloc-past")
        self._hand_over(None)
        try:
            report, shown = self._simulated()
        except (InputError, OSError) as error:
            self._fault = f"an entry of the form is wrong ({error}); correct it, then press Answer"
            raise
        self.view.remove_class("coalloc-past")
        self.view.show(shown)
        self._hand_over(report)

    def _simulated(self) -> tuple[SitesReport, dict[str, str]]:
        """Return the report about the entries, and the answer by MIME type."""
        clusters, files = self._entered_sites()
        limits = _numbers("limit", self.missing.value) if self.missing.value else [None]
        if len(limits) > 1:
            raise InputError(f"limit = {self.missing.value!r}; give a single number, in hours")
        limit = limits[0] and 3600 * limits[0]
        penalties = _numbers("penalties", self.penalties.value)
        with _Bar(self._bar) as bar:
            logs = {name: _read(name, log, self.zone.value) for name, log in files.items()}
            bar.total(1)
            self._given = {"clusters": clusters, "logs": logs, "clock": self.clock.value,
                           "missing": limit}  # fmt: skip
            try:
                report = sites_report(**self._given, penalties=penalties, progress=bar)
            except InputError as error:
                by_command = r" with: python -m own_system report ... --largest \1"
                raise InputError(_LARGEST.sub(by_command, str(error))) from None
            shown = _report_by_type(report, clusters, logs)
            bar.step()
        return report, shown

    def _entered_sites(self) -> tuple[dict[str, int], dict[str, str]]:
        """Return the processors and the log file of each site by its name."""
        clusters, files = {}, {}
        for name, log, processors in (row.values for row in self._rows if not row.is_unused):
            if not name or name in clusters:
                raise InputError(f"site = {name!r}; give each site a different name")
            clusters[name] = whole(f"processors of {name}", processors)
            files[name] = log
        if len(clusters) < 2:
            one = next(iter(clusters), "none")
            raise InputError(f"sites = {one}; give two or more, because one site shares nothing")
        return clusters, files

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

    def _fades_with(self, entry: ipw.Widget) -> None:
        entry.observe(lambda _change: self.view.add_class("coalloc-past"), "value")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        # A notebook file cannot store a pale answer, so it stores none that is out of date.
        data = ui.View.data if self._report is None else self.view.data
        still = {"text/html": ui.HINT + data["text/html"]}
        return super()._repr_mimebundle_(**kwargs) | data | still


def _text_entry(label: str, value: str, flex: str = "1 1 200px") -> ipw.Text:
    """Return a text entry with a narrow label, so that several fit beside each other."""
    entry = inputs.text_entry(label, value)
    entry.style, entry.layout = _SHORT, {"flex": flex}
    return entry


def _report_by_type(report: SitesReport, clusters: dict[str, int], logs: dict[str, SwfLog]) -> dict:
    words, table = report.answer.words, _table_as_html(options_table(report))
    html = f"<p {_CLOSE}><b>{escape(words)}</b></p>"
    # A doubt that is the reason for the answer is part of its words, and not repeated.
    unsaid: dict[str, list[str]] = {}
    for site, why in report.doubts.items():
        if why not in words:
            unsaid.setdefault(why, []).append(site)
    doubts = "; ".join(f"{', '.join(sites)}: {why}" for why, sites in unsaid.items())
    if doubts:
        html += f"<p {_CLOSE}><b>Read with care.</b> {escape(doubts)}.</p>"
    below = _folded("each option in numbers", table) + _folded("the logs", _logs(clusters, logs))
    data = {"text/html": below, "text/plain": words}
    options = report.tables["options"]
    all_of_them = change_figure(options)
    figure = change_figure(options[_is_main(options)], highest=_HIGHEST_ROWS)
    if figure is not None and all_of_them is not None:
        picture = Picture(all_of_them)._repr_mimebundle_()["text/html"]
        below = _folded("all options in a picture", picture) + below
        data = Picture(figure, words, below)._repr_mimebundle_()
    return data | {"text/html": html + data["text/html"]}


def _is_main(options: pd.DataFrame) -> "pd.Series[bool]":
    """Tell which rows the first picture shows: those of sharing and of spanning."""
    at_need = options["option"].str.startswith(AT_NEED)
    return (options["kind"] == "policy") | at_need


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
