"""One recommendation, decided from a table of changes; `answer` words it."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib.simulation.sites import ALL
from own_system.options import ALONE

#: The least change of the mean wait that anyone would feel, in seconds.
LEAST_CHANGE = 60.0


class Verdict(Enum):
    """What is decided."""

    TAKE = "take the option"
    ASK_LOSERS = "take the option if the sites that lose agree"
    ACCEPT_UNKNOWN = "take the option if its effect on some sites may stay unknown"
    SERVE = "take the option, since alone a site is saturated"
    ADD_PROCESSORS = "no option serves the load"
    MODEL_FAILS = "the model does not stand for a site"
    NOTHING_SURE = "no change is sure"
    NO_WAIT = "nobody waits today"
    TOO_SMALL = "no option shortens the wait by as much as anyone would feel"
    NOT_BETTER = "no option is surely better than today"


class Decision(NamedTuple):
    """A verdict, the option that it is about, and the sites that it concerns."""

    verdict: Verdict
    #: The option to take; None to change nothing.
    option: str | None = None
    #: Sites whose mean wait surely falls, surely rises, or has no interval, under the option.
    gainers: tuple[str, ...] = ()
    losers: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    #: The option with the shortest mean wait of those that were considered.
    shortest: str | None = None
    #: Why there is no answer, or no change from today.
    why: str = ""


class Changes:
    """The changes of all options, each a row of a table by metric and group.

    Parameters
    ----------
    options : DataFrame
        What `own_system.options.changes` returns; of each kind ``policy`` first what
        changes least.
    pairs : DataFrame
        ``option``, ``other``, ``change``, ``change_low``, ``change_high``, ``warning``: by how much
        jobs wait longer under one of these than under another.
    """

    def __init__(self, options: pd.DataFrame, pairs: pd.DataFrame) -> None:
        rows = options.set_index(["option", "grouping", "group", "metric"])
        policies = options.query("kind == 'policy'")["option"].unique()
        self.sites: list[str] = [*options.query("grouping == 'site'")["group"].unique()]
        self.today: pd.Series = rows.loc[ALONE, "all", ALL, "mean wait"]
        #: The mean wait, and the AWRT, of all jobs under each option.
        self.wait: dict[str, pd.Series] = {
            name: rows.loc[name, "all", ALL, "mean wait"] for name in policies
        }
        self.awrt: dict[str, pd.Series] = {
            name: rows.loc[name, "all", ALL, "AWRT"] for name in policies
        }
        #: The mean wait of each site's jobs.
        self.at: dict[str, Mapping[str, pd.Series]] = {
            name: {site: rows.loc[name, "site", site, "mean wait"] for site in self.sites}
            for name in policies
        }
        self.pairs = pairs

    def sites_where(self, option: str, holds: Callable[[pd.Series], bool]) -> tuple[str, ...]:
        """Return the sites of whose change a rule, such as `rises`, holds under an option."""
        return tuple(site for site in self.sites if holds(self.at[option][site]))

    def longer(self, option: str, other: str) -> bool:
        """Whether jobs surely wait longer under an option than under another."""
        return option != other and rises(
            self.pairs.set_index(["option", "other"]).loc[option, other]
        )


def rises(change: pd.Series) -> bool:
    """Whether a change surely lies above 0."""
    return not change["warning"] and change["change_low"] > 0


def falls(change: pd.Series) -> bool:
    """Whether a change surely lies below 0."""
    return not change["warning"] and change["change_high"] < 0


def has_no_interval(change: pd.Series) -> bool:
    """Whether a change is known as an estimate at most."""
    return bool(change["warning"])


def decide(changes: Changes, missed: Mapping[str, str] | None = None) -> Decision:
    """Return what to do; `missed` has for sites how the model misses what their logs record.

    Notes
    -----
    Where the model does not stand for a site, it recommends nothing: `shortest` is what it holds
    for best.

    An option helps if the mean wait of all jobs surely falls (its interval lies below 0), by
    `LEAST_CHANGE` or more, no site is saturated, and the AWRT of all jobs does not surely rise. It
    wins if besides every site has an interval, and at none the mean wait surely rises. Of the
    winners, the first is taken of which it is not sure that jobs wait longer than under the best.
    Where staying alone is saturated there is no change of all jobs: that of the other sites
    decides.
    """
    found = _decided(changes)
    if missed and (found.option or found.verdict is Verdict.NO_WAIT):
        why = "; ".join(f"at {site}, {how}" for site, how in missed.items())
        return Decision(Verdict.MODEL_FAILS, shortest=found.option, why=why)
    return found


def _decided(changes):
    """Return what to do if the model stands for all sites."""
    today = changes.today
    rows = [*changes.wait.values()]
    if today["warning"]:
        rows = changes.pairs.to_dict("records")
    if rows and all(row["warning"] for row in rows):
        return Decision(Verdict.NOTHING_SURE, why=rows[0]["warning"])
    if today["value"] < LEAST_CHANGE:
        return Decision(Verdict.NO_WAIT)
    served = [name for name in changes.wait if _serves_all(changes, name)]
    if today["warning"]:
        return _where_alone_is_saturated(changes, served)
    shorter = [name for name in served if _shortens(changes, name)]
    helping = [name for name in shorter if changes.wait[name]["change"] <= -LEAST_CHANGE]
    if helping:
        return _best_of(changes, helping)
    if shorter:
        shortest = min(shorter, key=lambda name: changes.wait[name]["value"])
        return Decision(Verdict.TOO_SMALL, shortest=shortest)
    return Decision(Verdict.NOT_BETTER, shortest=min(changes.wait, key=_wait_under(changes)))


def _serves_all(changes, name):
    """Whether no site is saturated under an option."""
    return not any(np.isnan(row["value"]) for row in changes.at[name].values())


def _shortens(changes, name):
    """Whether the mean wait of all jobs surely falls, and their AWRT does not surely rise."""
    return falls(changes.wait[name]) and not rises(changes.awrt[name])


def _wait_under(changes):
    """Return the key by which options are sorted: their mean wait, unknown ones last."""
    return lambda name: np.nan_to_num(changes.wait[name]["value"], nan=np.inf)


def _of(changes, verdict, name, **more):
    """Return a decision for an option, with the sites that it concerns."""
    gainers = changes.sites_where(name, falls)
    losers = changes.sites_where(name, rises)
    unknown = changes.sites_where(name, has_no_interval)
    return Decision(verdict, name, gainers, losers, unknown, **more)


def _where_alone_is_saturated(changes, served):
    """Return the option that serves the load with the fewest losers."""
    why = changes.today["warning"]
    if not served:
        return Decision(Verdict.ADD_PROCESSORS, why=why)
    return _of(changes, Verdict.SERVE, _fewest_losers(changes, served), why=why)


def _fewest_losers(changes, names):
    """Return the option at which fewest sites lose; of several that of the shortest mean wait."""

    def losers_then_wait(name):
        return len(changes.sites_where(name, rises)), changes.wait[name]["value"]

    return min(names, key=losers_then_wait)


def _best_of(changes, helping):
    """Return the decision where options help: a winner, or one that somebody must agree to."""
    winners = [
        name
        for name in helping
        if not changes.sites_where(name, rises) and not changes.sites_where(name, has_no_interval)
    ]
    if winners:
        shortest = min(winners, key=lambda name: changes.wait[name]["value"])
        first = next(name for name in winners if not changes.longer(name, shortest))
        return _of(changes, Verdict.TAKE, first, shortest=shortest)
    name = _fewest_losers(changes, helping)
    if changes.sites_where(name, rises):
        return _of(changes, Verdict.ASK_LOSERS, name)
    first_unknown = changes.sites_where(name, has_no_interval)[0]
    why = changes.at[name][first_unknown]["warning"]
    return _of(changes, Verdict.ACCEPT_UNKNOWN, name, why=why)
