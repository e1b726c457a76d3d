"""The page of a `SitesReport`: its tables in words, figures and cells."""

from base64 import b64encode
from math import inf
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from coalloc_lib import plots
from coalloc_lib.basics.display import listed
from coalloc_lib.basics.files import csv_of
from coalloc_lib.simulation.sites import ALL
from own_system import words
from own_system.options import ALONE, METRICS, SHARED


def page_of(report: Any) -> str:
    """Return the page of a `SitesReport`: HTML that needs no network, script or other file."""
    tables, options = report.tables, report.tables["options"]
    of_sites = options[options["grouping"].isin(["all", "site"]) & (options["warning"] != "")]
    warned = of_sites.groupby(["group", "warning"], sort=False)["option"].unique()
    values = {name: table.to_dict("records") for name, table in tables.items()}
    values |= {
        "report": report, "metrics": METRICS, "alone": ALONE, "shared": SHARED, "all": ALL,
        "infinite": inf, "warned": {key: [*names] for key, names in warned.items()},
        "by_option": {n: t.to_dict("records") for n, t in options.groupby("option", sort=False)},
        "figures": [
            _drawn(draw(tables[name]))
            for name, draw in (("weeks", load_figure), ("cycles", cycle_figure))
            if not tables[name].empty
        ],
        "told": _told(options, report.answer.option or SHARED),
        "changes": None if (changes := change_figure(options)) is None else _drawn(changes),
        "files": {name: _link(table) for name, table in tables.items()},
    }  # fmt: skip
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    for word in (words.duration, words.changed, listed):
        environment.filters[word.__name__] = word
    return environment.get_template("page.html.j2").render(values)


def _told(options, chosen):
    """Return for each group its mean wait alone, under an option, and the change, in one unit."""
    wanted = options[(options["metric"] == "mean wait") & (options["jobs"] > 0)]
    alone = wanted[wanted["option"] == ALONE].set_index(["grouping", "group"])["value"]
    rows = []
    for row in wanted[wanted["option"] == chosen].to_dict("records"):
        ends = row["change"], row["change_low"], row["change_high"]
        times = alone[row["grouping"], row["group"]], row["value"], *ends
        rows.append(
            row
            | dict(zip(("alone", "then", "change"), words.in_a_row(*times), strict=True))
            | {"kind": "better" if ends[2] < 0 else "worse" if ends[1] > 0 else ""}
        )
    return rows


def _link(table):
    code = b64encode(csv_of(table).encode()).decode()
    return f"data:text/csv;charset=utf-8;base64,{code}"


def _drawn(figure):
    svg = plots.to_svg(figure)
    return Markup(svg[svg.index("<svg") :]), figure.get_suptitle()


def _plain(table, name):
    """Return a table whose names matplotlib takes as they are: a dollar begins no formula."""
    return table.assign(**{name: table[name].astype(str).str.replace("$", r"\$")})


def change_figure(options: Any) -> Any:
    """Draw the change of the mean wait by each option, for all and each site; None if none is."""
    wanted = options[(options["metric"] == "mean wait") & options["grouping"].isin(["all", "site"])]
    wanted = wanted[(wanted["option"] != ALONE) & wanted["change"].notna()]
    if wanted.empty:
        return None
    most = wanted["change"].abs().max()
    size, unit = words.unit_of(most)
    if not round(most / size, 1):
        return None  # nobody waits
    columns = {"change": "change", "ci95_low": "change_low", "ci95_high": "change_high"}
    figure = plots.intervals(
        _plain(wanted, "group").assign(**{new: wanted[of] / size for new, of in columns.items()}),
        x="change", row="option", panel="group", row_height=0.24,
        xlabel=f"change of the mean wait, {unit}",
        title="What each option changes, for all and for each site",
        subtitle="mean wait less that of staying alone, on the same jobs; 95 % intervals",
    )  # fmt: skip
    for axes in figure.axes:
        low, high = axes.get_xlim()
        axes.set_xlim(min(low, 0), max(high, 0))  # 0 is seen also where all win, or all lose
        axes.axvline(0, color="black", linestyle="--", linewidth=0.8, zorder=0)
    return figure


def load_figure(weeks: Any) -> Any:
    """Draw the load that each site is offered, week by week, from the table ``weeks``."""
    return plots.lines(
        _plain(weeks, "site"), x="week", y="load", line="site", xlabel="week", ylabel="load",
        title="The load that is offered, week by week",
        subtitle="work that comes in a week over what the processors can do in it",
    )  # fmt: skip


def cycle_figure(cycles: Any) -> Any:
    """Draw when jobs come, by day and week, from the table ``cycles``."""
    return plots.lines(
        _plain(cycles, "site"), x="at", y="share", line="site", panel="cycle", names="legend",
        scales=dict.fromkeys(cycles["cycle"], ("linear", "linear")), ylabel="share of the jobs",
        title="When jobs come, in the time zone that each log names, else UTC",
    )  # fmt: skip
