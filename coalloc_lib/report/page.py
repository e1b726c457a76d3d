"""The page of a `SitesReport`: its tables in words, figures and cells."""

from base64 import b64encode
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from coalloc_lib import plots
from coalloc_lib.report.logs import STANDS
from coalloc_lib.report.options import ALONE, METRICS
from coalloc_lib.report.words import HOUR, changed, duration, listed, words_of_root

#: What the parts of the waits are called, and the columns of their tables.
GROUPINGS = {"width": "By processors", "group": "By group or account"}
ALL_OF = {"site": "all sites", "width": "all widths", "partition": "all partitions or queues"}
WAITS = (
    "jobs of", "jobs", "share of the work", "mean recorded", "mean here", "median recorded",
    "median here",
)  # fmt: skip
#: What the logs are like: a row each, from a row of the table of logs.
FACTS = {
    "log": lambda log: log.get("log", "a stream"),
    "from": lambda log: log.get("from", "–"),
    "to": lambda log: log.get("to", "–"),
    "jobs compared": lambda log: f"{log['jobs']:,} of {log['in_file']:,}",
    "processors": lambda log: f"{log['processors']:,}",
    "load": lambda log: f"{log['load']:.2f}",
    "widest job": lambda log: f"{log['widest']:,}",
    "mean processors": lambda log: f"{log['processors_mean']:.1f}",
    "run time, median": lambda log: duration(log["runtime_median"]),
    "run time, mean": lambda log: duration(log["runtime_mean"]),
    "jobs without an estimate": lambda log: f"{log['without_estimate']:.1%}",
    "jobs that ran past theirs": lambda log: f"{log['over_estimate']:.1%}",
    "used of an estimate, median": lambda log: _share(log["used_of_estimate_median"]),
}


def page_of(report: Any) -> str:
    """Return the page of a `SitesReport`: HTML that needs no network, script or other file."""
    tables, versions = report.tables, dict(report.made_by)
    options, logs = tables["options"], tables["logs"].to_dict("records")
    sites = [log["site"] for log in logs]
    values: dict[str, Any] = {
        "title": f"Should {listed(sites)} share their jobs?",
        "answer": report.answer.words, "limits": report.limits,
        "command": versions.pop("command"),
        "versions": ", ".join(f"{name} {known}" for name, known in versions.items()),
        "doubts": [f"{site}: {why}." for site, why in report.doubts.items()],
        "stands": listed([site for site in sites if site not in report.doubts]),
        "factors": "from {:g} to {:g} times".format(*STANDS),
        "wait_columns": WAITS, "waits": _waits(tables["waits"]),
        "log_columns": ["", *sites],
        "log_rows": [(name, *map(fact, logs)) for name, fact in FACTS.items()],
        "weeks": f"{logs[0]['weeks']:.1f}",
        "hashes": [(log["site"], log["sha256"]) for log in logs if log.get("sha256")],
        "log_figures": _log_figures(tables["weeks"], tables["cycles"]),
        "option_figure": _option_figure(options),
        "metrics": [*METRICS, "jobs that span"], "all_rows": _all_rows(options),
        "winners": _winners(options),
        "group_tables": [(metric, *_by_group(options, metric)) for metric in METRICS],
        "buy": [_buy(row) for _, row in tables["buy_or_share"].iterrows()],
        "break_rows": _break_even(tables["break_even"], options),
        "tables": [(name, _link(table)) for name, table in tables.items()],
    }  # fmt: skip
    loader = PackageLoader("coalloc_lib", "report")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True)
    return environment.get_template("page.html.j2").render(values)


def _share(value):
    return "–" if np.isnan(value) else f"{value:.0%}"


def _named(row):
    """Return what the jobs of a group are called."""
    if row["grouping"] != "width":
        return row["group"]
    return f"{row['group']} processor{'s' * (row['group'] != '1')}"


def _waits(waits):
    """Return the rows of each table of waits, that of all jobs first."""
    waits = waits.assign(jobs_of=waits.apply(_named, axis=1))
    of_site = waits["grouping"] == "width"
    waits.loc[of_site, "jobs_of"] = waits["site"] + ", " + waits["jobs_of"]
    times = ["recorded_mean", "model_mean", "recorded_median", "model_median"]
    return [
        (GROUPINGS.get(str(grouping), f"By {grouping}"), [
            (row["jobs_of"], f"{row['jobs']:,}", f"{row['share_of_work']:.0%}",
             *map(duration, row[times]))
            for _, row in rows.iterrows()
        ])
        for grouping, rows in waits.groupby("grouping", sort=False)
    ]  # fmt: skip


def _cell(row):
    """Return what a cell of a table of changes shows."""
    in_times = row["metric"] != "slowdown"
    if np.isnan(row["value"]):
        return {"kind": "none", "value": row["warning"]}
    value = duration(row["value"]) if in_times else f"{row['value']:.1f}"
    if np.isnan(row["change"]):
        return {"value": value, "change": row["warning"]}
    if row["warning"]:
        change = changed(row["change"], np.nan, np.nan, times=in_times)
        return {"value": value, "change": f"{change} (no interval)"}
    low, high = row["change_low"], row["change_high"]
    kind = "better" if high < 0 else "worse" if low > 0 else ""
    mark = {"better": "▼", "worse": "▲"}.get(kind)
    change = changed(row["change"], low, high, times=in_times)
    return {"kind": kind, "mark": mark, "value": value, "change": change}


def _all_rows(options):
    """Return the cells of each option, for all jobs."""
    rows = []
    for name, part in options[options["grouping"] == "all"].groupby("option", sort=False):
        span = {"value": _share(part["spanned"].iloc[0])}
        rows.append((name, [*(_cell(row) for _, row in part.iterrows()), span]))
    return rows


def _by_group(options, metric):
    """Return the groups, and the cells of each option, for one metric."""
    part = options[(options["metric"] == metric) & (options["grouping"] != "all")]
    groups = part.drop_duplicates(["grouping", "group"])
    by_option = part.groupby("option", sort=False)
    rows = [(name, [_cell(row) for _, row in each.iterrows()]) for name, each in by_option]
    return [_named(group) for _, group in groups.iterrows()], rows


def _winners(options):
    """Return in words, for each option, whose mean wait surely falls, and whose surely rises."""
    is_part = (options["metric"] == "mean wait") & (options["grouping"] != "all")
    lines = []
    for name, rows in options[is_part & (options["option"] != ALONE)].groupby("option", sort=False):
        sure, words = rows["warning"] == "", []
        for verb, who in (
            ("shorter for", rows[sure & (rows["change_high"] < 0)]),
            ("longer for", rows[sure & (rows["change_low"] > 0)]),
        ):
            each = []
            for grouping, part in who.groupby("grouping", sort=False):
                is_all = len(part) == (rows["grouping"] == grouping).sum() > 1
                named = [f"{_named(r)} ({changed(r['change'])})" for _, r in part.iterrows()]
                each += [ALL_OF[str(grouping)]] if is_all else named
            words += [f"{verb} {listed(each)}"] if each else []
        lines.append((name, "; ".join(words) or "no group surely wins or loses"))
    return lines


def _buy(row):
    """Return in a sentence how many processors a site would have to add."""
    site, size = row["site"], f"{row['processors']:,}"
    if np.isnan(row["needed"]):
        return f"{site}: {row['warning']}."
    if row["needed"] == -np.inf:
        return f"Alone, with its {size} processors, {site} waits no longer than by sharing."
    ends = row["processors"], row["most"]
    words = words_of_root(row, "needed", lambda number: f"{np.ceil(number):,.0f}", *ends)
    return (
        f"{site} would need {words} processors alone, in place of {size}, to wait as little as it "
        "does by sharing one queue."
    )


def _break_even(table, options):
    """Return the cells of the break-even penalties."""
    names = options["option"].drop_duplicates()
    penalties = names[names.str.startswith("span, ")].str.split().str[-1].astype(float)
    ends = penalties.min(), penalties.max()
    return [
        (row["group"], row["metric"], row["warning"] if np.isnan(row["penalty"])
         else words_of_root(row, "penalty", "{:.2f}".format, *ends))
        for _, row in table.iterrows()
    ]  # fmt: skip


def _link(table):
    code = b64encode(table.to_csv(index=False).encode()).decode()
    return f"data:text/csv;charset=utf-8;base64,{code}"


def _drawn(figure):
    svg = plots.to_svg(figure)
    return {"svg": Markup(svg[svg.index("<svg") :]), "alt": figure.get_suptitle()}


def _plain(names):
    """Return names as matplotlib takes them: a dollar begins no formula."""
    return names.astype(str).str.replace("$", r"\$")


def _option_figure(options):
    wanted = options[(options["metric"] == "mean wait") & options["grouping"].isin(["all", "site"])]
    wanted = wanted[(wanted["option"] != ALONE) & wanted["change"].notna()]
    if wanted.empty:
        return None
    hours = {
        new: wanted[old] / HOUR for new, old in (
            ("change", "change"), ("ci95_low", "change_low"), ("ci95_high", "change_high"))
    }  # fmt: skip
    figure = plots.intervals(
        wanted.assign(group=_plain(wanted["group"]), **hours), x="change", row="option",
        panel="group", row_height=0.24, xlabel="change of the mean wait, hours",
        title="What each option changes, for all and for each site",
        subtitle="mean wait less that of staying alone, on the same jobs; 95 % intervals",
    )  # fmt: skip
    for axes in figure.axes:
        axes.axvline(0, color="black", linestyle="--", linewidth=0.8, zorder=0)
    return _drawn(figure)


def _log_figures(weeks, cycles):
    load = plots.lines(
        weeks.assign(site=_plain(weeks["site"])), x="week", y="load", line="site", xlabel="week",
        ylabel="load", title="The load that is offered, week by week",
        subtitle="work that comes in a week over what the processors can do in it",
    )  # fmt: skip
    if cycles.empty:
        return [_drawn(load)]
    panels = {"hour": "hour of the day", "weekday": "weekday, 0 is Monday"}
    cycle = plots.lines(
        cycles.replace({"cycle": panels}).assign(site=_plain(cycles["site"])), x="at", y="share",
        line="site", panel="cycle", names="legend", ylabel="share of the jobs",
        scales=dict.fromkeys(panels.values(), ("linear", "linear")),
        title="When jobs come, by the clock of each site",
    )  # fmt: skip
    return [_drawn(load), _drawn(cycle)]
