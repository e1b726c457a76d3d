"""The pictures and the seven exercises of notebook 07, your own system."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

import coalloc_lib as co
from coalloc_lib import plots
from coalloc_lib.basics import checks
from coalloc_lib.basics.checks import InputError
from coalloc_lib.basics.times import HOUR
from coalloc_lib.simulation.sites import local, multi_site, sharing
from coalloc_lib.statistics import Interval, resample_weeks
from coalloc_lib.statistics.site_comparison import ALL, together
from coalloc_lib.workloads.catalogue import load_stand_in
from lessons.teaching import Guess, checker, follows, guess, near
from own_system.decision import Changes, decide
from own_system.errors import ShortError
from own_system.options import ALONE, CONSERVATIVE, SHARED, span_if_sooner
from own_system.page import load_figure, row_height
from own_system.report import SitesReport, sites_report
from own_system.words import FEW_WEEKS, changed, in_a_row

#: The table of exercise 1: how each option changes the mean wait, in hours, for the jobs of both
#: sites ("all") and of each site. The three numbers are the change and the two ends of its 95 %
#: interval.
HOURS = {
    CONSERVATIVE: {
        "all": (-1.1, -1.6, -0.5), "north": (-1.5, -2.4, -0.6), "south": (-0.3, -0.9, 0.4),
    },
    SHARED: {
        "all": (-2.0, -3.1, -0.8), "north": (-3.9, -5.2, -2.2), "south": (0.6, 0.1, 1.2),
    },
    span_if_sooner(0.25): {
        "all": (-1.4, -2.9, 0.2), "north": (-1.9, -3.0, -0.7), "south": (-0.6, -2.0, 0.9),
    },
}  # fmt: skip
#: The mean wait in exercise 1 before any option is taken, in seconds.
TODAY = 10 * HOUR
#: The name of the log in exercises 2 and 3, the number of processors of its machine, and the target
#: load of a larger machine.
LOG, PROCESSORS, AIM = "CTC-SP2", 338, 0.7
#: The processors of the two sites of exercises 4 to 6, by the name of the site, and the penalty at
#: which their jobs span in exercise 4.
SITES, PENALTY = {"KTH": 100, "CTC": 338}, 0.25
#: The two limits that exercise 5 compares: the largest number of processors of a guest.
WIDEST_GUESTS = 1, 16
#: Exercise 7: the number of processors that CTC would have to buy, and the change of the mean wait
#: in seconds that users hardly notice.
BOUGHT_AT_CTC, UNNOTICED = 20, 60.0

#: The answers that three guesses offer. Each answer is a range of loads, of penalties or of
#: percentages of processors, and has the upper end of its range here.
LOADS_GUESSED = {"at most 0.6": 0.6, "0.6 to 0.8": 0.8, "over 0.8": np.inf}
PENALTIES_GUESSED = {
    "at no penalty": -1e-9, "up to one below 0.1": 0.1, "up to one from 0.1 to 0.4": 0.4,
    "up to one above 0.4": np.inf,
}  # fmt: skip
BOUGHT_GUESSED = {"up to 5 %": 5.0, "5 to 20 %": 20.0, "20 to 50 %": 50.0, "over 50 %": np.inf}
#: The height of all rows of the figure of a guess, in inches. The figure and the question together
#: then fit into the window of a small laptop.
GUESS_ROWS = 1.6
#: The height of all rows of the figure of the waits, in inches, and its markers. The colours of the
#: sites would say something else.
WAITS_ROWS = 2.4
OF_MODEL = {"recorded": plots.MarkerStyle("#000000", "o"), "model": plots.STANDARD}


def load_picture(report: SitesReport) -> plots.Picture:
    """Plot the offered load of each site by week."""
    weeks = report.tables["weeks"]
    return plots.Picture(load_figure(weeks), rows=_rows_in_words(weeks, "site", "week", "load"))


def waits_picture(report: SitesReport) -> plots.Picture:
    """Plot the simulated and the recorded mean wait at each site by job width."""
    waits = report.tables["waits"].query("grouping == 'width'")
    long = waits.rename(columns={"recorded_mean": "recorded", "model_mean": "model"}).melt(
        ["site", "group"], ["recorded", "model"], "series", "wait"
    )
    long["row"] = long["group"] + " wide"
    long["wait"] /= HOUR
    table = long.dropna()
    waiting = table.query("series == 'model' and wait > 0").sort_values("wait")
    longest = waiting.groupby("site", sort=False)["row"].last()
    found = "; ".join(f"at {site} the jobs {row}" for site, row in longest.items()) or "nobody"
    figure = plots.intervals(
        table.assign(ci95_low=table["wait"], ci95_high=table["wait"]), x="wait", row="row",
        series="series", panel="site", xlabel="mean wait, hours", look=OF_MODEL,
        row_height=row_height(table["row"].nunique(), WAITS_ROWS),
        title=f"Who waits longest today: {found}",
        subtitle="each site alone, by job width: in the model and, if known, as the log recorded",
    )  # fmt: skip
    return plots.Picture(figure, rows=_rows_in_words(table, "site", "row", "series", "wait"))


def change_by_group_picture(
    report: SitesReport, option: str = SHARED, groupings: Sequence[str] = ()
) -> plots.Picture:
    """Plot how an option changes the mean wait at each site and for each group of jobs.

    If `groupings` is not empty, the figure has only these, such as ``("all", "site")``.
    """
    _check_option(report, option)
    waits = report.tables["options"].query("metric == 'mean wait'")
    if groupings:
        waits = waits[waits["grouping"].isin(groupings)]
    table = waits.query("option == @option and change.notna()")
    wide = table["grouping"].eq("width")
    hours = table[["change", "change_low", "change_high"]] / HOUR
    table = table.assign(
        row=table["group"].where(~wide, table["group"] + " wide"), change=hours["change"],
        ci95_low=hours["change_low"], ci95_high=hours["change_high"],
        words=[_wait_and_fraction(*each) for each in table[["value", "change"]].to_numpy()],
    )  # fmt: skip
    figure = plots.intervals(
        table, x="change", row="row", xlabel="change of the mean wait, hours",
        title="Who wins and who loses: " + option,
        subtitle="left of 0: a shorter wait than alone; 95 % intervals by bootstrap over weeks"
        + _few_weeks(waits, option),
        row_height=row_height(table["row"].nunique(), GUESS_ROWS),
    )  # fmt: skip
    plots.mark_zero(figure.axes[0])
    plots.label_right(figure.axes[0], table["words"])
    return plots.Picture(figure, rows=table["row"] + ": " + table["words"])


def _wait_and_fraction(wait: float, change: float) -> str:
    """Return the mean wait without and with an option, and the change in percent, in words."""
    today = wait - change
    now, then, _ = in_a_row(today, wait, change, np.nan, np.nan)
    words = f"{now} → {then}"
    return f"{words}, {change / today:+.0%}".replace("-", "−") if today else words


def _few_weeks(waits: pd.DataFrame, option: str) -> str:
    by_group = waits.set_index(["option", "grouping", "group"])
    exceeds = by_group["change_low"].loc[option] < -by_group["value"].loc[ALONE]
    return f"; {FEW_WEEKS}" if exceeds.any() else ""


def _check_option(report: SitesReport, option: str) -> None:
    try:
        checks.one_of("option", option, report.tables["options"]["option"].unique()[1:].tolist())
    except InputError as error:
        raise ShortError(str(error), argument="option") from None


def break_even_picture(report: SitesReport) -> plots.Picture:
    """Plot the penalty up to which spanning sites beats one shared queue, for each site."""
    table = _clipped(report.tables["break_even"], "penalty")
    figure = plots.intervals(
        table, x="penalty", row="group", panel="metric", xlabel="penalty",
        title="Up to what penalty spanning if no site has room beats sharing one queue",
        subtitle="95 % intervals; a dot or an end at the largest simulated penalty: this or more",
        row_height=row_height(table["group"].nunique(), GUESS_ROWS),
    )  # fmt: skip
    return plots.Picture(figure, rows=_rows_in_words(table, "group", "metric", "penalty"))


def buy_picture(report: SitesReport) -> plots.Picture:
    """Plot how many processors each site must add to match the mean wait of a shared queue."""
    table = _clipped(report.tables["buy_or_share"], "processors")
    for name in ("processors", "ci95_low", "ci95_high"):
        table[name] = 100 * (table[name] / table["today"] - 1)
    figure = plots.intervals(
        table, x="processors", row="site", xlabel="more processors, % of today's",
        title="What sharing is worth in processors",
        subtitle="processors for the same mean wait alone as with one shared queue; 95 % intervals",
        row_height=row_height(len(table), GUESS_ROWS),
    )  # fmt: skip
    return plots.Picture(figure, rows=_rows_in_words(table, "site", "processors"))


def sharing_guess(report: SitesReport) -> Guess | HTML:
    """Ask at which sites the mean wait surely falls if all sites share one queue.

    If there are no intervals, the result is a sentence that says why.
    """
    means = report.tables["options"].query("option == @SHARED and metric == 'mean wait'")
    sites = means.query("grouping == 'site'").set_index("group")
    if (sites["warning"] != "").any():
        return _no_numbers(sites["warning"], "there are no intervals")
    loads = report.tables["weeks"].groupby("site")["load"].mean()
    sizes = report.sites.system.sizes
    each = [
        f"{site} has {size:,} processors and a mean load of {loads[site]:.2f}"
        for site, size in zip(sites.index, sizes, strict=True)
    ]
    only = {site: f"only at {site}" for site in sites.index}
    gainers = sites.index[sites["change_high"] < 0]
    several, none = "at more than one site", "at no site"
    right = none if gainers.empty else only[gainers[0]] if len(gainers) == 1 else several
    return guess(
        f"{'; '.join(each)}. If all sites share one queue, where does the mean wait surely fall, "
        "so that its 95 % interval lies below 0?",
        *only.values(), several, none,
        answer=right,
        reply="A site gains if others have room when it is busy. The form below has more options.",
        then=change_by_group_picture(report, groupings=("all", "site")),
    )  # fmt: skip


def loads_guess(report: SitesReport) -> Guess | HTML:
    """Ask how busy the other sites are in the worst week of the busiest site.

    If there is only one site, or no whole week, the result is a sentence that says so.
    """
    weeks = report.tables["weeks"].pivot(index="week", columns="site", values="load")
    if len(weeks.columns) < 2:
        why = "there is only one site" if len(weeks) else "the logs cover no whole week"
        return HTML(f"<p>Nothing can be compared here: {why}.</p>")
    busiest = weeks.mean().idxmax()
    week = weeks[busiest].idxmax()
    others = weeks.loc[week].drop(busiest)
    least, asked = others.min(), "least busy of the other sites"
    return guess(
        f"Take the week with the largest load at {busiest}. How large is the load of "
        f"{others.index[0] if len(others) == 1 else f'the {asked}'} in this week?",
        *LOADS_GUESSED,
        answer=_range_of(least, LOADS_GUESSED),
        reply=f"It is week {week}, with a load of {weeks[busiest][week]:.2f} at {busiest} and of "
        f"{least:.2f} at {others.idxmin()}.",
        then=load_picture(report),
    )


def waits_guess(report: SitesReport) -> Guess | HTML:
    """Ask which jobs wait longest today at the site with the longest mean wait.

    If fewer than two widths of jobs wait there, the result is a sentence that says why.
    """
    alone = report.tables["options"].query("option == @ALONE and metric == 'mean wait'")
    site = alone.query("grouping == 'site'").set_index("group")["value"].fillna(np.inf).idxmax()
    waits = report.tables["waits"].query("grouping == 'width' and site == @site")
    means = waits.set_index("group")["model_mean"].dropna()
    if (means > 0).sum() < 2:
        return _no_numbers(pd.Series(dtype=str), "fewer than two widths of jobs wait today")
    # Means without intervals decide nothing if they are nearly equal.
    second, longest = means.nlargest(2).iloc[::-1]
    return guess(
        f"In the model: which jobs of {site} wait longest today, on average?",
        *(f"{width} wide" for width in means.index),
        answer=lambda: f"{means.idxmax()} wide" if second < 0.95 * longest else None,
        reply=f"They wait {means.max() / HOUR:.1f} hours on average; jobs {means.idxmin()} wide "
        f"wait {means.min() / HOUR:.1f} hours.",
        then=waits_picture(report),
    )


def widths_guess(report: SitesReport, option: str = SHARED) -> Guess | HTML:
    """Ask for which width of jobs an option shortens the mean wait by most hours.

    The opened answer shows the changes of all groups of jobs.

    If fewer than two widths can be compared, the result is a sentence that says why.
    """
    _check_option(report, option)
    rows = report.tables["options"].query("option == @option and metric == 'mean wait'")
    widths = rows.query("grouping == 'width'").set_index("group")
    # If a mean wait is 0 today, its relative change is not defined.
    today = (widths["value"] - widths["change"]).replace(0, np.nan)
    table = (widths["change"] / today).dropna()
    changes = widths["change"][table.index]
    if len(table) < 2:
        return _no_numbers(rows["warning"], "fewer than two widths of jobs wait today")
    most = f"{table.idxmin()} wide"
    return guess(
        f"With '{option}': for which width of jobs does the mean wait fall by most hours?",
        *(f"{width} wide" for width in table.index),
        reply=f"By percent, it is {most}. These are estimates; the figure has intervals, in hours."
        if changes.min() < 0
        else "No width gains.",
        answer=lambda: f"{changes.idxmin()} wide" if changes.min() < 0 else None,
        then=change_by_group_picture(report, option),
    )


def penalty_guess(report: SitesReport) -> Guess | HTML:
    """Ask up to what penalty spanning beats sharing, and then show the estimates.

    If there are no estimates, the result is a sentence that says why.
    """
    table = report.tables["break_even"]
    if table["penalty"].isna().all():
        return _no_numbers(table["warning"], "no penalty could be estimated")
    row = table.query("group == @ALL and metric == 'AWRT'").iloc[0]
    ends = row["penalty_low"], row["penalty_high"]
    return guess(
        "A job spans whenever no site has room for it. Up to what penalty is the AWRT of all jobs "
        "then shorter than with one shared queue?",
        *PENALTIES_GUESSED,
        reply=_about_estimate(_penalty_range(row), *ends, PENALTIES_GUESSED),
        answer=lambda: _sure(_penalty_range(row), *ends, PENALTIES_GUESSED),
        then=break_even_picture(report),
    )


def buy_guess(report: SitesReport) -> Guess | HTML:
    """Ask what sharing is worth in processors at the busiest site, and then show all sites.

    If there are no estimates, the result is a sentence that says why.
    """
    table = report.tables["buy_or_share"]
    if table["processors"].isna().all():
        return _no_numbers(table["warning"], "no number of processors could be estimated")
    alone = report.tables["options"].query("option == @ALONE and metric == 'mean wait'")
    site = alone.query("grouping == 'site'").set_index("group")["value"].fillna(np.inf).idxmax()
    row = table.set_index("site").loc[site]
    more, low, high = (
        100 * (row[name] / row["today"] - 1)
        for name in ("processors", "processors_low", "processors_high")
    )
    right = _range_of(more, BOUGHT_GUESSED)
    return guess(
        f"How many more processors would {site} need, so that its mean wait alone is the same as "
        "with one shared queue?",
        *BOUGHT_GUESSED,
        reply=_about_estimate(right, low, high, BOUGHT_GUESSED),
        answer=lambda: _sure(right, low, high, BOUGHT_GUESSED),
        then=buy_picture(report),
    )


def _no_numbers(warnings: pd.Series, otherwise: str) -> HTML:
    reasons = "; ".join(filter(None, warnings.unique())) or otherwise
    return HTML(f"<p>Nothing can be compared here: {escape(reasons)}.</p>")


def _penalty_range(row: pd.Series) -> str | None:
    # Beyond the largest simulated penalty, nothing is known.
    beyond = row["penalty"] > row["most"] and row["most"] < 0.4
    return None if beyond else _range_of(row["penalty"], PENALTIES_GUESSED)


def _about_estimate(right: str | None, low: float, high: float, ranges: Mapping[str, float]) -> str:
    # A guess about an estimate must not hide that the interval leaves other answers open.
    if right is None:
        return "There is no estimate, or it lies beyond the largest value that was simulated."
    possible = _possible(low, high, ranges)
    if not possible:
        return f"The estimate is “{right}”, and there is no interval."
    if len(possible) == 1:
        return "The whole 95 % interval lies in this answer."
    listed = ", ".join(f"“{name}”" for name in possible)
    excluded = (
        "excludes none of the answers" if len(possible) == len(ranges) else f"leaves {listed}"
    )
    return f"The estimate is “{right}”, and its 95 % interval {excluded}."


def _possible(low: float, high: float, ranges: Mapping[str, float]) -> list[str]:
    """Return the answers that an interval does not exclude, or none if there is no interval."""
    ends, names = (_range_of(low, ranges), _range_of(high, ranges)), [*ranges]
    return [] if None in ends else names[names.index(ends[0]) : names.index(ends[1]) + 1]


def _sure(right: str | None, low: float, high: float, ranges: Mapping[str, float]) -> str | None:
    """Return the right answer if the interval allows no other answer, and otherwise None."""
    return right if _possible(low, high, ranges) == [right] else None


def _range_of(value: float, ranges: Mapping[str, float]) -> str | None:
    # The ranges are in increasing order. A missing value is NaN, and lies in none of them.
    return next((name for name, end in ranges.items() if value <= end), None)


def _clipped(table: pd.DataFrame, name: str) -> pd.DataFrame:
    table = table[table[name].notna()].copy()
    low, high = (table[f"{name}_{end}"].fillna(table[name]) for end in ("low", "high"))
    columns = {name: table[name], "ci95_low": low, "ci95_high": high}
    return table.assign(**{
        column: np.clip(values, table["least"], table["most"])
        for column, values in columns.items()
    })  # fmt: skip


def _rows_in_words(table: pd.DataFrame, *names: str) -> list[str]:
    return [
        f"{', '.join(str(row[name]) for name in names[:-1])}: {row[names[-1]]:.2f}"
        for row in table.to_dict("records")
    ]


def changes_table() -> pd.DataFrame:
    """Return the table of exercise 1: how each option changes the mean wait at two sites."""
    table = pd.DataFrame(HOURS).T.rename_axis("option")
    return table.map(lambda hours: changed(*hours, times=False))


def _recommended() -> str | None:
    today = dict.fromkeys(("all", "north", "south"), (0.0, 0.0, 0.0))
    rows = [
        _row(option, at, metric, hours)
        for option, changes in {ALONE: today, **HOURS}.items()
        for at, hours in changes.items()
        for metric in ("mean wait", "AWRT")
    ]
    unsure = {"change": 0.0, "change_low": -1.0, "change_high": 1.0, "warning": ""}
    pairs = [{"option": one, "other": other} | unsure for one in HOURS for other in HOURS]
    return decide(Changes(pd.DataFrame(rows), pd.DataFrame(pairs))).option


def _row(option, at, metric, hours):
    change, low, high = (HOUR * value for value in hours)
    grouping, group = ("all", ALL) if at == "all" else ("site", at)
    return {
        "option": option, "kind": "today" if option == ALONE else "policy", "metric": metric,
        "grouping": grouping, "group": group, "value": TODAY + change, "change": change,
        "change_low": low, "change_high": high, "warning": "",
    }  # fmt: skip


def _which(answer: Any) -> str:
    answer = {name.casefold(): name for name in HOURS}.get(str(answer).strip().casefold())
    if answer is None:
        return "give the name of an option, as the table has it"
    if answer == _recommended():
        return ""
    _, _, high = HOURS[answer]["all"]
    if high >= 0:
        return "its interval for all jobs contains 0, so it is not sure that it helps"
    if any(low > 0 for _, low, _ in HOURS[answer].values()):
        return "look at both sites: does the interval of one lie above 0?"
    return "another option changes less, and this one is not surely better"


@lru_cache
def _jobs() -> co.JobStream:
    return load_stand_in(LOG).jobs(request="total")


def _processors_for_load(answer: Any) -> str:
    jobs = _jobs()
    carried = jobs.work.sum() / np.ptp(jobs.submit)
    right = ceil(carried / AIM)
    rounded = round(carried / PROCESSORS, 2)
    slips = {
        "this follows from the rounded load: compute with the jobs": ceil(
            rounded * PROCESSORS / AIM
        ),
        "this is the mean number of busy processors: at this load, more are needed": carried,
        "this is below the mean number of busy processors: divide by the load": carried * AIM,
        "this is the machine of today: its load is higher": PROCESSORS,
        "this is the load of today: the exercise asks for processors": carried / PROCESSORS,
        "round up: with this number, the load is a little above the aim": right - 1,
    }
    hint = "divide the work by the time: this is the mean number of busy processors; divide it by "
    hint += "the load"
    return near(answer, right, 0.5, hint, slips)


@lru_cache
def _wait(processors: int) -> float:
    ran = co.simulate(co.Multicluster([processors]), _jobs(), scheduling=co.EASY())
    return float(ran.wait.mean()) / HOUR


def _wait_with_more(answer: Any) -> str:
    right = _wait(360)
    slips = {
        "this is in seconds: give hours": right * HOUR,
        "this is the wait with the processors of today": _wait(PROCESSORS),
        "this is by how much the wait falls: give the wait itself": _wait(PROCESSORS) - right,
    }
    hint = "the same jobs on one larger cluster, under co.EASY(); the mean of .wait, in hours with "
    hint += "two decimals"
    return near(answer, right, 0.01, hint, slips)


@lru_cache
def _both() -> tuple[co.Multicluster, co.JobStream, np.ndarray]:
    """Return the system of both sites, the jobs of their logs, and the site of each job."""
    logs = {name: load_stand_in(f"{name}-SP2") for name in SITES}
    return together(SITES, logs, "weeks")[:3]


@lru_cache
def _spanning(adaptive: bool) -> co.Schedule:
    system, jobs, _ = _both()
    return multi_site(system, jobs, PENALTY, scheduling=co.EASY(adaptive=adaptive))


def _gain_of_spanning_sooner(answer: Any) -> str:
    at_need, sooner = _spanning(adaptive=False), _spanning(adaptive=True)
    gain = at_need.response.mean() - sooner.response.mean()
    slips = {
        "this is in seconds: give hours": gain,
        "this is the change with its sign: give by how much the response is shorter": -gain / HOUR,
        "this is the wait up to the start; the response also has the time that the penalty adds":
            (at_need.wait.mean() - sooner.wait.mean()) / HOUR,
    }  # fmt: skip
    hint = "simulate the same jobs twice with co.sites.multi_site, and subtract the means of "
    hint += ".response"
    return near(answer, gain / HOUR, 0.01, hint, slips)


def _shared(stays: np.ndarray) -> np.ndarray:
    """Return the waits, in hours, in one shared queue whose jobs may be bound to their own site."""
    system, jobs, site = _both()
    home = np.where(stays, site, -1)
    return sharing(system, jobs, home=home, scheduling=co.EASY()).wait / HOUR


@lru_cache
def _wider_guests_at_ctc() -> Interval:
    _, jobs, site = _both()
    waits = np.array([_shared(jobs.processors > widest) for widest in WIDEST_GUESTS])
    at_ctc = site == [*SITES].index("CTC")
    waits = waits[:, at_ctc]
    weeks = resample_weeks(waits, np.ones_like(waits), jobs.submit[at_ctc])
    return weeks.difference(one=1, other=0)


def _end_of_difference(answer: Any) -> str:
    interval = _wider_guests_at_ctc()
    slips = {
        "this is the lower end of the interval: give the upper end": interval.low,
        "this is the estimate: give the upper end of its interval": interval.estimate,
        "this is an end of the limit 1 minus the limit 16: subtract the other way": -interval.high,
        "this is the limit 1 minus the limit 16: subtract the other way": -interval.low,
    }
    hint = "give the waits of CTC under both limits to resample_weeks, and take their difference"
    return near(answer, interval.high, 0.01, hint, slips)


@lru_cache
def _waits_at_kth(stays: str) -> float:
    _, _, site = _both()
    names = np.array([*SITES])[site]
    return float(_shared(names == stays)[names == "KTH"].mean())


@lru_cache
def _alone_at_kth() -> float:
    system, jobs, site = _both()
    waits = local(system, jobs, site, scheduling=co.EASY()).wait / HOUR
    return float(waits[site == [*SITES].index("KTH")].mean())


def _wait_of_a_helper(answer: Any) -> str:
    right = _waits_at_kth("KTH")
    slips = {
        "this is in seconds: give hours": right * HOUR,
        "this is the wait if the jobs of CTC stay at CTC: the jobs of KTH must stay at KTH":
            _waits_at_kth("CTC"),
        "this is the wait if jobs of both sites may run at either: those of KTH must stay":
            _waits_at_kth("none"),
        "this is the wait if no job may leave its site: the jobs of CTC may": _alone_at_kth(),
    }  # fmt: skip
    hint = "home is the site of a job that must stay, and -1 for other jobs; take the mean wait of "
    hint += "the jobs of KTH only"
    return near(answer, right, 0.01, hint, slips)


@lru_cache
def _report() -> SitesReport:
    """Return the report with which the form starts."""
    logs = {name: load_stand_in(f"{name}-SP2") for name in SITES}
    return sites_report(SITES, logs, clock="weeks", missing=None)


def _what_follows(answer: Any) -> str:
    """Check the last exercise, with the letters of its sentences in notebook 07."""
    report = _report()
    waits = report.tables["options"].query("metric == 'mean wait' and option == @SHARED")
    kth, ctc = (waits.set_index("group").loc[name] for name in SITES)
    pairs = report.tables["pairs"].set_index(["option", "other"])
    bought = report.tables["buy_or_share"].set_index("site").loc["CTC"]
    decision = report.answer.decision
    sentences = {
        "a": (
            bool(-UNNOTICED < kth["change_low"] <= kth["change_high"] < UNNOTICED),
            "which changes does the interval leave open?",
        ),
        "b": (ctc["change_high"] < 0, "look at the interval of CTC"),
        "c": (
            bought["processors_low"] >= SITES["CTC"] + BOUGHT_AT_CTC,
            "look at the lower end of the interval in the last figure",
        ),
        "d": (
            pairs.loc[(SHARED, span_if_sooner(PENALTY)), "change_low"] > 0,
            "what does the answer say about the two options?",
        ),
        "e": (decision.option == decision.shortest, "which option has the shortest mean wait?"),
    }
    return follows(answer, sentences)


#: The function that checks the answers to the exercises.
check = checker({
    1: _which, 2: _processors_for_load, 3: _wait_with_more, 4: _gain_of_spanning_sooner,
    5: _end_of_difference, 6: _wait_of_a_helper, 7: _what_follows,
})  # fmt: skip
