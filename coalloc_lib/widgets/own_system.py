"""Logs of an operator's sites in, an answer out: a form around `coalloc_lib.report`."""

import os
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ipywidgets as ipw
import pandas as pd

from coalloc_lib.checks import InputError
from coalloc_lib.plots import Picture
from coalloc_lib.progress import Silent
from coalloc_lib.report import SitesReport, sites_report
from coalloc_lib.report.answer import changed, duration
from coalloc_lib.report.page import change_figure
from coalloc_lib.widgets import controls as ui
from coalloc_lib.workloads.catalogue import CATALOGUE, load_stand_in, load_trace
from coalloc_lib.workloads.swf import SwfLog, read_swf

STAND_IN = ", stand-in"
_WRAP = {"flex_flow": "row wrap"}
#: What is there from the start: name, log and processors of a site.
SITES = (("KTH", "KTH-SP2" + STAND_IN, 100), ("CTC", "CTC-SP2" + STAND_IN, 338))


class _Bar(Silent):
    def __init__(self, bar: ipw.IntProgress) -> None:
        self._bar = bar
        bar.value, bar.max, bar.layout.display = 0, 0, ""

    def total(self, steps: int, found: int = 0) -> None:
        self._bar.max += steps

    def step(self) -> None:
        self._bar.value += 1

    def close(self) -> None:
        self._bar.layout.display = "none"


class OwnSystem(ipw.VBox):
    """A form for sites and their logs, the answer, and buttons that save its page and tables.

    `report` is what was answered last. Errors stand below the buttons, in one sentence.
    """

    report: SitesReport

    def __init__(self) -> None:
        self.sites, self._note = ipw.VBox(), ipw.HTML()
        self.clock = ui.choice("clock", ("calendar", "weeks"), "weeks")
        self.missing = ui.text_entry("limit, hours", "")
        self.missing.placeholder = "of jobs without estimate"
        self.penalties = ui.text_entry("penalties", "0, 0.1, 0.25, 0.5")
        self.path = ui.text_entry("save as", "report.html")
        self.buttons, self.view = {}, ui.View()
        actions = {"Answer": self.answer, "One more site": self.add_site,
                   "Save the page": self.save, "Save the tables": self.save_tables}  # fmt: skip
        for name, act in actions.items():
            self.buttons[name] = ipw.Button(description=name)
            self.buttons[name].on_click(lambda _button, act=act: self._try(act))
        self._bar, self._said = ipw.IntProgress(description="runs", style=ui.WIDE), ipw.HTML()
        for site in SITES:
            self.add_site(*site)
        given = [self.clock, self.missing, self.penalties, self.path]
        rows = [ipw.HBox([*row], layout=_WRAP) for row in (given, self.buttons.values())]
        below = [self._bar, self._note, self._said, self.view]
        super().__init__([ipw.HTML(ui.STYLE), self.sites, *rows, *below])
        self.answer()

    def add_site(self, name: str = "", log: str = "", processors: int = 1) -> None:
        """Add a row for a site: its name, its log (a path, a name, or a file sent), its size."""
        logs = [log for _, log, _ in SITES] + [each.name for each in CATALOGUE]
        row = [
            ui.text_entry("site", name or f"site {len(self.sites.children) + 1}"),
            ipw.Combobox(value=log, options=logs, description="log", placeholder="a path or name",
                         style=ui.WIDE, continuous_update=False),
            ipw.FileUpload(description="or send a file", multiple=False),
            ipw.BoundedIntText(processors, 1, 10**7, description="processors", style=ui.WIDE),
        ]  # fmt: skip
        self.sites.children = (*self.sites.children, ipw.HBox(row, layout=_WRAP))

    def answer(self) -> None:
        """Read the logs, run every option, show the answer."""
        clusters: dict[str, int] = {}
        logs = {}
        for name, log, sent, size in (row.children for row in self.sites.children):
            if not name.value or name.value in clusters:
                raise InputError(f"site = {name.value!r}; give each site a name of its own")
            clusters[name.value], logs[name.value] = size.value, _read(log.value, sent.value)
        limit = 3600 * _numbers("limit", self.missing.value)[0] if self.missing.value else None
        penalties = _numbers("penalties", self.penalties.value)
        with _Bar(self._bar) as progress:
            self.report = sites_report(
                clusters, logs, clock=self.clock.value, missing=limit, penalties=penalties,
                progress=progress,
            )  # fmt: skip
        words = self.report.answer.words
        doubts = "; ".join(f"{site}: {why}" for site, why in self.report.doubts.items())
        care = f"<p><b>Read with care.</b> {escape(doubts)}.</p>" * bool(doubts)
        self._said.value = f"{care}<p><b>{escape(words)}</b></p>"
        figure = change_figure(self.report.tables["options"])
        table = options_table(self.report).to_html(index=False)
        self.view.data = {"text/html": table, "text/plain": words}
        if figure is not None:
            self.view.data = Picture(figure, below=table, rows=[words])._repr_mimebundle_()
        self.view.rest()

    def save(self) -> None:
        """Write the page to where `path` says."""
        self._note.value = ui.note(f"The page is {self.report.save(self.path.value)}.")

    def save_tables(self) -> None:
        """Write the tables into a folder beside the page."""
        folder = self.report.save_tables(Path(self.path.value).with_suffix(""))
        self._note.value = ui.note(f"The tables are in {folder}.")

    def _try(self, act: Any) -> None:
        self._note.value = ""
        self.view.remove_class("coalloc-past")
        try:
            act()
        except (InputError, OSError) as error:
            self._note.value = ui.note(str(error))
            self.view.add_class("coalloc-past")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        still = ui.HINT + self._said.value + self.view.data["text/html"]
        return super()._repr_mimebundle_(**kwargs) | self.view.data | {"text/html": still}


def options_table(report: SitesReport) -> pd.DataFrame:
    """Return each option with its mean wait, the change, and who surely wins or loses by it."""
    every = report.tables["options"].query("metric == 'mean wait'")
    named = every["group"].where(every["grouping"] != "width", every["group"] + " wide")
    rows = []
    for option, part in every.assign(group=named).groupby("option", sort=False):
        whole, parts = part.iloc[0], part[part["grouping"] != "all"]
        ends = whole[["change", "change_low", "change_high"]]
        change = changed(*ends) if ends.notna().all() else whole["warning"] or "–"
        rows.append({
            "option": option, "mean wait": duration(whole["value"]), "change (95 %)": change,
            "shorter for": ", ".join(parts["group"][parts["change_high"] < 0]) or "–",
            "longer for": ", ".join(parts["group"][parts["change_low"] > 0]) or "–",
        })  # fmt: skip
    return pd.DataFrame(rows)


def _read(log: str, sent: tuple) -> SwfLog:
    """Return a log by its path or name, or the file that was sent."""
    if not sent:
        if log.endswith(STAND_IN):
            return load_stand_in(log.removesuffix(STAND_IN))
        if not log:
            raise InputError("log is empty; give the path of an SWF file, or send one")
        return load_trace(log, missing="error")
    with TemporaryDirectory() as folder:
        path = Path(folder) / Path(sent[0]["name"]).name
        path.write_bytes(sent[0]["content"])
        try:
            return read_swf(path)
        except InputError as error:
            raise InputError(str(error).replace(folder + os.sep, "")) from None


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"{name} = {text!r}; give numbers, with commas between them") from None
