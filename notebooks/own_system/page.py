"""The HTML page of a `SitesReport`, with its pictures and tables."""

from base64 import b64encode
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from coalloc_lib import plots
from coalloc_lib.basics.display import listed
from coalloc_lib.basics.files import csv_of
from coalloc_lib.statistics.site_comparison import ALL
from own_system import words
from own_system.comparison import METRICS
from own_system.options import ALONE, SHARED

#: The axis of the changes ends at this multiple of the largest change.
WIDEST = 3
#: The usual and the smallest height of a row of a figure, in inches.
ROW, LOWEST_ROW = 0.24, 0.15


def page_of(report: Any) -> str:
    """Return a report about several sites as a single HTML page that needs no other files."""
    tables, options = report.tables, report.tables["options"]
    change_picture = change_figure(options)
    of_sites = options[options["grouping"].isin(["all", "site"]) & (options["warning"] != "")]
    warned = of_sites.groupby(["group", "warning"], sort=False)["option"].unique()
    values = {name: table.to_dict("records") for name, table in tables.items()}
    values |= {
        "report": report, "metrics": METRICS, "alone": ALONE, "shared": SHARED, "all": ALL,
        "policies": [*options.query("kind == 'policy'")["option"].unique()],
        "infinite": inf, "warned": {key: [*names] for key, names in warned.items()},
        "by_option": {n: t.to_dict("records") for n, t in options.groupby("option", sort=False)},
        "figures": [
            _svg_with_title(draw(tables[name]))
            for name, draw in (("weeks", load_figure), ("cycles", cycle_figure))
            if not tables[name].empty
        ],
        "mean_waits": _mean_waits_in_words(options, report.answer.option or SHARED),
        "changes": None if change_picture is None else _svg_with_title(change_picture),
        "files": {name: _link(table) for name, table in tables.items()},
    }  # fmt: skip
    return _template().render(values)


@cache
def _template():
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    for function in (words.duration, words.changed, listed):
        environment.filters[function.__name__] = function
    return environment.get_template("page.html.j2")


def _mean_waits_in_words(options, chosen):
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


def _svg_with_title(figure):
    svg = plots.to_svg(figure)
    return Markup(svg[svg.index("<svg") :]), figure.get_suptitle()


def _without_formulas(table, name):
    # Matplotlib would read the text between two dollar signs as a formula.
    return table.assign(**{name: table[name].astype(str).str.replace("$", r"\$")})


def row_height(rows: int, highest: float) -> float:
    """Return a height of rows, in inches, with which all of them have at most the height `highest`.

    The rows are lower than usual if there are many, but never too low for their names.
    """
    return max(LOWEST_ROW, min(ROW, highest / max(rows, 1)))


def change_figure(options: Any, highest: float = inf) -> Any:
    """Plot how each option changes the mean wait, for all jobs and for the jobs of each site.

    Parameters
    ----------
    options : DataFrame
        The table ``options`` of a `SitesReport`.
    highest : float
        The greatest height of all rows together, in inches, if their names leave the choice.

    Returns
    -------
    Figure or None
        The figure, or None if no change is known or if all are 0.
    """
    wanted = options[(options["metric"] == "mean wait") & options["grouping"].isin(["all", "site"])]
    wanted = wanted[(wanted["option"] != ALONE) & wanted["change"].notna()]
    if wanted.empty:
        return None
    most = wanted["change"].abs().max()
    size, unit = words.unit_of(most)
    if not round(most / size, 1):
        return None
    columns = {"change": "change", "ci95_low": "change_low", "ci95_high": "change_high"}
    table = _without_formulas(wanted, "group")
    table = table.assign(**{new: wanted[old] / size for new, old in columns.items()})
    figure = plots.intervals(
        table, x="change", row="option", panel="group", span=_span_of(table),
        row_height=row_height(table["option"].nunique(), highest),
        xlabel=f"change of the mean wait, {unit}",
        title="What each option changes, for all and for each site",
        subtitle="mean wait minus that of staying alone, on the same jobs; 95 % intervals",
    )  # fmt: skip
    for axes in figure.axes:
        plots.mark_zero(axes)
    return figure


def _span_of(table):
    # A single very wide interval would press all others together, so it ends in an arrow.
    limit = WIDEST * table["change"].abs().max()
    # Without an interval, only the estimate decides.
    low = table["ci95_low"].fillna(table["change"]).min()
    high = table["ci95_high"].fillna(table["change"]).max()
    if -limit <= low and high <= limit:
        return None
    margin = 0.05 * limit
    return max(min(low, 0) - margin, -limit), min(max(high, 0) + margin, limit)


def load_figure(weeks: Any) -> Any:
    """Plot the offered load of each site by week, given the table ``weeks`` of a report."""
    return plots.lines(
        _without_formulas(weeks, "site"), x="week", y="load", line="site", xlabel="week",
        ylabel="load", title="The load that is offered, week by week",
        subtitle="work submitted in a week, as a share of the capacity of the processors",
    )  # fmt: skip


def cycle_figure(cycles: Any) -> Any:
    """Plot what fraction of jobs is submitted in each hour and on each weekday."""
    return plots.lines(
        _without_formulas(cycles, "site"), x="at", y="share", line="site", panel="cycle",
        names="legend", scales=dict.fromkeys(cycles["cycle"], ("linear", "linear")),
        ylabel="share of the jobs",
        title="When jobs are submitted, in the time zone of each log, or in UTC if it names none",
    )  # fmt: skip
