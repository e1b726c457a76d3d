"""One recommendation, computed from a table of changes; and times and changes in words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib.intervals import Interval
from coalloc_lib.report.options import ALONE
from coalloc_lib.simulation.sites import ALL

MINUTE, HOUR, DAY = 60, 3_600, 86_400
#: What is to be done, by how the name of the option begins.
ADVICE = {
    "conservative": "Keep the sites apart, and let each backfill conservatively",
    "dispatch, own": "Dispatch each job, when it is submitted, to the site that would start it "
    "first, and there let the site's own users go first",
    "dispatch": "Dispatch each job, when it is submitted, to the site that would start it first",
    "share": "Let the sites share one queue",
    "span": "Let the sites share one queue, and a job span them only where it then ends sooner",
}


class Answer(NamedTuple):
    """What to do: an option, or None to change nothing; the words; the figure they hang on."""

    option: str | None
    words: str
    figure: Interval | None = None


def recommend(options: pd.DataFrame, pairs: pd.DataFrame) -> Answer:
    """Return what to do.

    Parameters
    ----------
    options : DataFrame
        What `coalloc_lib.report.options.changes` returns; of each kind ``policy`` first what
        changes least.
    pairs : DataFrame
        ``option``, ``other``, ``change``, ``change_low``, ``change_high``, ``warning``: by how much
        jobs wait longer under one of these than under another.

    Notes
    -----
    An option helps if the mean wait of all jobs surely falls (its interval lies below 0), by a
    minute or more, no site is saturated, and the AWRT of all jobs does not surely rise. It wins if
    besides every site has an interval, and at none the mean wait surely rises. Of the winners, the
    first is taken of which it is not sure that jobs wait longer than under the best. Where staying
    alone is saturated there is no change of all jobs: that of the other sites decides.
    """
    table = options.set_index(["option", "grouping", "group", "metric"])
    sites = options.query("grouping == 'site'")["group"].unique()
    policies = options.query("kind == 'policy'")["option"].unique()
    every = {name: table.loc[name, "all", ALL, "mean wait"] for name in policies}
    at = {
        name: {site: table.loc[name, "site", site, "mean wait"] for site in sites}
        for name in policies
    }
    today = table.loc[ALONE, "all", ALL, "mean wait"]
    least = min(every, key=lambda name: np.nan_to_num(every[name]["value"], nan=np.inf))
    judged = pairs.to_dict("records") if today["warning"] else [*every.values()]
    if judged and all(row["warning"] for row in judged):
        why = next(row["warning"] for row in judged)
        return Answer(None, f"Change nothing yet, nothing is sure: {why}.")
    if today["value"] < MINUTE:
        now = duration(today["value"])
        return Answer(None, f"Change nothing: in the model a job waits {now} on average today.")
    served = [n for n in every if not any(np.isnan(row["value"]) for row in at[n].values())]
    losers = {n: [site for site in sites if _above(at[n][site])] for n in served}
    if today["warning"]:
        if not served:
            words = f"No option serves this load, add processors: alone, it is {today['warning']}."
            return Answer(None, words)
        name = min(served, key=lambda name: (len(losers[name]), every[name]["value"]))
        agreed = ", but only if those who lose agree" if losers[name] else ""
        words = f"{_advice(name)}{agreed}: a job then waits {duration(every[name]['value'])} on "
        words += "average. "
        return Answer(name, f"{words}Alone, it is {today['warning']}.{_asked(name, losers, at)}")
    unsure = {n: [site for site in sites if at[n][site]["warning"]] for n in served}
    falls = [n for n in served if _below(every[n]) and not _above(table.loc[n, "all", ALL, "AWRT"])]
    helps = [name for name in falls if every[name]["change"] <= -MINUTE]
    if better := [name for name in helps if not losers[name] and not unsure[name]]:
        best = min(better, key=lambda name: every[name]["value"])
        against = pairs.set_index(["option", "other"])
        name = next(n for n in better if n == best or not _above(against.loc[n, best]))
        surely = [site for site in sites if _below(at[name][site])]
        which = "each site" if len(surely) == len(sites) else listed(surely) or "no site"
        words = f"{_advice(name)}. {_gain(every[name], today)}. The wait surely falls at {which}"
        if others := [site for site in sites if site not in surely]:
            words += f"; whether it rises or falls at {listed(others)} is not sure"
        words += f". '{best}' is not surely better than this." if name != best else "."
    elif helps:
        name = min(helps, key=lambda name: (len(losers[name]), every[name]["value"]))
        words = f"{_advice(name)}, but only if {{}}. {_gain(every[name], today)}"
        if losers[name]:
            words = words.format("those who lose agree") + f".{_asked(name, losers, at)}"
        else:
            why = at[name][unsure[name][0]]["warning"]
            words = words.format(f"{listed(unsure[name])} can bear not to know what it changes")
            words += f"; of {listed(unsure[name])} it is not known: {why}."
    elif falls:
        best = min(falls, key=lambda name: every[name]["value"])
        now = duration(today["value"])
        words = f"Change nothing: a job waits {now} on average, and no option surely shortens "
        words += f"that by a minute. The most is '{best}': {_range(every[best])}."
        return Answer(None, words, _interval(every[best]))
    else:
        differ = any(_above(row) or _below(row) for row in every.values())
        than = "is surely better than" if differ else "differs from"
        words = f"Change nothing: no option {than} what you have. The shortest mean wait is of "
        words += f"'{least}': {_range(every[least])}."
        return Answer(None, words, _interval(every[least]))
    return Answer(name, words, _interval(every[name]))


def _asked(name, losers, at):
    """Return who waits longer under an option, and by how much; nothing if no one surely does."""
    lost = [duration(at[name][site]["change"]) for site in losers[name]]
    return f" Jobs of {listed(losers[name])} wait {listed(lost)} longer." if lost else ""


def _advice(name):
    words = next(words for begin, words in ADVICE.items() if name.startswith(begin))
    _, _, penalty = name.partition(", penalty ")
    return f"{words} (at a penalty of {penalty})" if penalty else words


def _gain(row, today):
    ends = [row[name] for name in ("value", "change", "change_low", "change_high")]
    now, then, change = in_a_row(today["value"], *ends)
    return f"A job then waits {then} on average instead of {now}: {change.replace('(', '(95 %: ')}"


def in_a_row(
    now: float, then: float, change: float, low: float, high: float
) -> tuple[str, str, str]:
    """Return two times and the change with its interval as texts of one unit, – where unknown."""
    times = [now, then, change, low, high]
    known = [time for time in times if not np.isnan(time)]
    *texts, unit = _in_one_unit(known) if known else ["s"]
    texts = iter(texts)
    one, other, *ends = ("" if np.isnan(time) else next(texts) for time in times)
    ends = [f"{'+' * (text > '' and float(text) > 0)}{text}".replace("-", "−") for text in ends]
    interval = f" ({ends[1]} to {ends[2]})" if ends[1] and ends[2] else ""
    first, second, moved = (f"{text} {unit}" if text else "–" for text in (one, other, ends[0]))
    return first, second, moved + interval


def _range(row):
    return changed(*row[["change", "change_low", "change_high"]]).replace("(", "(95 %: ")


def _interval(row):
    ends = row["change_low"], row["change_high"]
    return Interval(row["change"], *ends, int(row["blocks"]), warning=row["warning"])


def _above(row):
    return not row["warning"] and row["change_low"] > 0


def _below(row):
    return not row["warning"] and row["change_high"] < 0


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: ``north, south and west``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def duration(seconds: float) -> str:
    """Return a length of time in words: ``35 s``, ``12 min``, ``3.4 h``, ``12.5 days``."""
    return "–" if np.isnan(seconds) else " ".join(_in_one_unit([seconds]))


def changed(change: float, low: float = np.nan, high: float = np.nan, times: bool = True) -> str:
    """Return a change with its interval: ``−3.1 h (−4.9 to +1.2)``; of numbers, not `times`."""
    ends = [change] if np.isnan(low) else [change, low, high]
    *texts, unit = _in_one_unit(ends) if times else [*(f"{end:.1f}" for end in ends), ""]
    signed = [text if float(text) <= 0 else f"+{text}" for text in texts]
    interval = f" ({signed[1]} to {signed[2]})" if len(signed) > 1 else ""
    return f"{signed[0]} {unit}".rstrip().replace("-", "−") + interval.replace("-", "−")


def unit_of(seconds: float) -> tuple[int, str]:
    """Return the length in seconds, and the name, of the unit in which a time is read best."""
    units = (90, 1, "s"), (5_400, 60, "min"), (4 * DAY, HOUR, "h"), (np.inf, DAY, "days")
    return next(each[1:] for each in units if seconds < each[0])


def _in_one_unit(times):
    """Return lengths of time as texts of numbers, and their unit."""
    size = max(map(abs, times))
    length, unit = unit_of(size)
    digits = 0 if length < HOUR or (length == HOUR and size >= 20 * HOUR) else 1
    # No minus before a zero.
    return [*(f"{round(each / length, digits) + 0.0:.{digits}f}" for each in times), unit]
