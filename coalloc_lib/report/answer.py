"""One recommendation, computed from the table of changes; and what it leaves out, in sentences."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from coalloc_lib.intervals import Interval
from coalloc_lib.report.options import ALONE
from coalloc_lib.report.words import changed, duration, listed
from coalloc_lib.sites import ALL

#: What the recommendation says of an option; others are called by their names.
TODO = {
    "conservative": "Keep the sites apart, and let each backfill conservatively",
    "dispatch": "Dispatch each job, when it is submitted, to the site that would start it first",
    "share": "Let the sites share one queue",
    "span": "Let the sites share one queue, and let a job span them only where it then ends sooner",
}
NOTHING = "Change nothing"


@dataclass(frozen=True)
class Answer:
    """What to do: an option, or None to change nothing; the words; the figure they hang on."""

    option: str | None
    words: str
    figure: Interval | None


def recommend(options: pd.DataFrame, pairs: pd.DataFrame) -> Answer:
    """Return what to do.

    Parameters
    ----------
    options : DataFrame
        As `coalloc_lib.report.options.changes` returns it.
    pairs : DataFrame
        ``option``, ``other``, ``change``, ``change_low``, ``change_high``: by how much jobs wait
        longer on average under one option than under the other, of those that may be recommended,
        which stand in order: those that change least first.

    Notes
    -----
    An option wins if the mean wait of all jobs surely falls (its interval lies below 0), at no site
    it surely rises, and the AWRT of all jobs does not surely rise. Of the winners the one with the
    least mean wait is taken; or the first, in order, of which it is not sure that its jobs wait
    longer than those.
    """
    table = options.set_index(["option", "grouping", "group", "metric"])
    today = table.loc[ALONE, "all", ALL, "mean wait"]
    candidates = list(options.query("kind == 'policy'")["option"].unique())
    every = {name: table.loc[name, "all", ALL, "mean wait"] for name in candidates}
    if today["warning"]:
        served = {name: row for name, row in every.items() if not row["warning"].startswith("sat")}
        if not served:
            words = "No option serves this load: add processors, or turn work away"
            return Answer(None, f"{words}. {today['warning'].capitalize()}.", None)
        name = min(served, key=lambda each: served[each]["value"])
        wait = duration(served[name]["value"])
        words = f"{_todo(name)}: a job then waits {wait} on average. Alone, the sites are {{}}."
        return Answer(name, words.format(today["warning"]), None)
    unknown = [row["warning"] for row in every.values() if np.isnan(row["change_low"])]
    if len(unknown) == len(every):
        return Answer(None, f"{NOTHING} yet: nothing is sure. {unknown[0].capitalize()}.", None)
    sites = list(options.query("grouping == 'site'")["group"].unique())
    better, harming = [], {}
    for name, row in every.items():
        if not _below(row) or _above(table.loc[name, "all", ALL, "AWRT"]):
            continue
        losers = [s for s in sites if _above(table.loc[name, "site", s, "mean wait"])]
        if losers:
            harming[name] = losers
        else:
            better.append(name)
    if better:
        best = min(better, key=lambda each: every[each]["value"])
        against = pairs.set_index(["option", "other"])
        name = next(n for n in better if n == best or not _above(against.loc[n, best]))
        same = f" {best[0].upper()}{best[1:]} is not surely better." if name != best else ""
        words = f"{_todo(name)}. {_gain(every[name], today)}, and no site surely loses.{same}"
        return Answer(name, words, _interval(every[name]))
    if harming:
        name = min(harming, key=lambda each: every[each]["value"])
        losers = listed(harming[name])
        more = [duration(table.loc[name, "site", s, "mean wait"]["change"]) for s in harming[name]]
        words = (
            f"{_todo(name)}, but only if those who lose by it agree. {_gain(every[name], today)}; "
            f"but jobs of {losers} wait {listed(more)} longer."
        )
        return Answer(name, words, _interval(every[name]))
    name = min(every, key=lambda each: np.nan_to_num(every[each]["change"], nan=np.inf))
    worse = [each for each, row in every.items() if _above(row)]
    why = "no option is surely better than" if worse else "no option differs from"
    change = _range(every[name])
    words = (
        f"{NOTHING}: {why} what you have. The nearest, {name}, changes the mean wait by {change}."
    )
    return Answer(None, words, _interval(every[name]))


def _todo(name):
    return TODO[next(word for word in TODO if name.startswith(word))]


def _gain(row, today):
    return (
        f"A job then waits {duration(row['value'])} on average instead of "
        f"{duration(today['value'])}: {_range(row)}"
    )


def _range(row):
    return changed(*row[["change", "change_low", "change_high"]]).replace("(", "(95 %: ")


def _interval(row):
    return Interval(row["change"], row["change_low"], row["change_high"], 0)


def _above(row):
    return not row.get("warning") and row["change_low"] > 0


def _below(row):
    return not row.get("warning") and row["change_high"] < 0


def limits(facts: pd.DataFrame, clock: str, missing: Any, options: pd.DataFrame) -> list[str]:
    """Return what the report cannot say, in sentences, from what was left out."""
    found = []
    for row in facts.itertuples():
        outside = row.in_file - row.without_run_time - row.jobs
        parts = {
            "without a run time or processors": row.without_run_time,
            "outside of the time that all logs have": outside,
        }
        left = [f"{count:,} {why}" for why, count in parts.items() if count]
        if left:
            found.append(f"Of {row.in_file:,} jobs in the log of {row.site}, {' and '.join(left)} "
                         "are left out.")  # fmt: skip
        if row.without_estimate > 0:
            how = "with their true run time, which no user knows" if missing is None else (
                f"with {duration(missing)}")  # fmt: skip
            found.append(f"{row.without_estimate:.1%} of the jobs of {row.site} have no estimate; "
                         f"they are planned {how}.")  # fmt: skip
        if row.over_estimate > 0.01:
            found.append(
                f"{row.over_estimate:.0%} of the jobs of {row.site} with an estimate ran past it; "
                "the model plans them with their run time."
            )
    weeks = facts["weeks"].max()
    if weeks < 12:
        found.append(f"The common time is {weeks:.1f} weeks: a season, a new machine or a deadline "
                     "can change all of this.")  # fmt: skip
    if clock == "weeks":
        found.append(
            "The logs are of different times, joined week by week: what makes both sites busy at "
            "once (holidays, deadlines) is lost, so that sharing may look better than it is."
        )
    for name, rows in options[options["warning"] != ""].groupby("option", sort=False):
        everyone = rows.query("grouping == 'all' and metric == 'mean wait'")
        for warning in everyone["warning"]:
            found.append(f"{name[0].upper()}{name[1:]}: {warning}.")
    return [
        *found,
        "Users stay as they are: they submit the same jobs at the same instants, and ask for the "
        "same times, however long they wait.",
        "Any job can run at any site: memory, licences, software, file systems and moving data are "
        "not in the model; nor are jobs that wait for others, reservations, outages, limits for a "
        "user, fair shares and priorities.",
    ]
