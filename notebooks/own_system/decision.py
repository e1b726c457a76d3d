"""The decision about the option to recommend; the module `answer` puts it into words."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib.statistics.site_comparison import ALL
from own_system.options import ALONE

#: The smallest change of the mean waiting time, in seconds, that users would notice.
LEAST_CHANGE = 60.0


class Verdict(Enum):
    """The recommendations that operators of several sites can get."""

    TAKE = "take the option"
    ASK_LOSERS = "take the option if the sites that lose agree"
    ACCEPT_UNKNOWN = "take the option if its effect on some sites may stay unknown"
    SERVE = "take the option, since alone a site is saturated"
    ADD_PROCESSORS = "no option serves the load"
    MODEL_FAILS = "the model does not reproduce the recorded waits of a site"
    NOTHING_SURE = "no change is sure"
    NO_WAIT = "nobody waits today"
    TOO_SMALL = "no option shortens the wait by a minute or more"
    NOT_BETTER = "no option is surely better than today"


class Decision(NamedTuple):
    """A recommendation to the operators: a verdict, an option, and the affected sites.

    Here and in this module, a change is sure if its 95 % interval does not contain 0.
    """

    verdict: Verdict
    #: The name of the option that is recommended, or None if nothing should change.
    option: str | None = None
    #: The sites at which the recommended option shortens the mean wait. The whole 95 % interval of
    #: the change is below 0.
    gainers: tuple[str, ...] = ()
    #: The sites at which the recommended option lengthens the mean wait. The whole 95 % interval of
    #: the change is above 0.
    losers: tuple[str, ...] = ()
    #: The sites for which no interval of the change of the mean wait could be computed.
    unknown: tuple[str, ...] = ()
    #: The option with the shortest mean wait among all considered options.
    shortest: str | None = None
    #: The reason why no option is recommended, or why options cannot be compared with today.
    why: str = ""


class Changes:
    """The change of each metric under each option of the operators, for each group of jobs.

    Parameters
    ----------
    options : DataFrame
        The result of `own_system.comparison.changes`. Of two options of the kind ``policy``, the
        one that changes less for the operators comes first.
    pairs : DataFrame
        A row for each ordered pair of options: ``option``, ``other``, the ``change`` of the mean
        wait from the other option to the option, its interval ``change_low`` and ``change_high``,
        and a ``warning`` if there is no interval.
    """

    def __init__(self, options: pd.DataFrame, pairs: pd.DataFrame) -> None:
        rows = options.set_index(["option", "grouping", "group", "metric"])
        policies = options.query("kind == 'policy'")["option"].unique()
        self.sites: list[str] = [*options.query("grouping == 'site'")["group"].unique()]
        self.today: pd.Series = rows.loc[ALONE, "all", ALL, "mean wait"]
        #: For each option: the mean wait of all jobs, and its change from today.
        self.wait: dict[str, pd.Series] = {
            name: rows.loc[name, "all", ALL, "mean wait"] for name in policies
        }
        #: For each option: the average weighted response time (AWRT) of all jobs, and its change
        #: from today.
        self.awrt: dict[str, pd.Series] = {
            name: rows.loc[name, "all", ALL, "AWRT"] for name in policies
        }
        #: For each option and each site: the mean wait of the site's jobs, and its change from
        #: today.
        self.at: dict[str, Mapping[str, pd.Series]] = {
            name: {site: rows.loc[name, "site", site, "mean wait"] for site in self.sites}
            for name in policies
        }
        self.pairs = pairs

    def sites_where(self, option: str, holds: Callable[[pd.Series], bool]) -> tuple[str, ...]:
        """Return the sites at which the change of the mean wait under an option meets a condition.

        The condition `holds` is a function such as `rises`.
        """
        return tuple(site for site in self.sites if holds(self.at[option][site]))

    def longer(self, option: str, other: str) -> bool:
        """Return whether jobs wait significantly longer under one option than under another.

        The 95 % interval of the difference must lie above 0.
        """
        return option != other and rises(
            self.pairs.set_index(["option", "other"]).loc[option, other]
        )


def rises(change: pd.Series) -> bool:
    """Return whether a metric rises: the whole 95 % interval of its change is above 0."""
    return not change["warning"] and change["change_low"] > 0


def falls(change: pd.Series) -> bool:
    """Return whether a metric falls: the whole 95 % interval of its change is below 0."""
    return not change["warning"] and change["change_high"] < 0


def has_no_interval(change: pd.Series) -> bool:
    """Return whether the interval of a metric's change could not be computed."""
    return bool(change["warning"])


def decide(changes: Changes, missed: Mapping[str, str] | None = None) -> Decision:
    """Decide which option to recommend to the operators of several sites.

    Parameters
    ----------
    changes : Changes
        The changes that the options cause.
    missed : dict of str to str, optional
        For each site whose recorded waits the model does not reproduce, a text that says so.

    Returns
    -------
    Decision
        The decision.

    Notes
    -----
    If the model does not reproduce the waits of a site, no option is recommended. Then the field
    ``shortest`` names the option that the model prefers.

    A metric falls if the whole 95 % interval of its change is below 0, and rises if it is above 0.
    An option helps if the mean wait of all jobs falls, by `LEAST_CHANGE` or more, if no site is
    saturated, and if the AWRT of all jobs does not rise. An option wins if, in addition, the change
    of every site has an interval and the mean wait rises at no site.

    The best winner is the one with the shortest mean wait. The recommendation is the first winner
    whose mean wait is not significantly longer than that of the best one.

    If a site is saturated while the sites stay alone, the change of all jobs is not known. Then the
    option at which the fewest other sites lose is recommended.
    """
    decision = _decided(changes)
    if missed and (decision.option or decision.verdict is Verdict.NO_WAIT):
        why = "; ".join(f"at {site}, {how}" for site, how in missed.items())
        return Decision(Verdict.MODEL_FAILS, shortest=decision.option, why=why)
    return decision


def _decided(changes):
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
    return not any(np.isnan(row["value"]) for row in changes.at[name].values())


def _shortens(changes, name):
    """Return whether an option shortens the mean wait and does not lengthen the AWRT.

    A metric falls or rises if the 95 % interval of its change does not contain 0.
    """
    return falls(changes.wait[name]) and not rises(changes.awrt[name])


def _wait_under(changes):
    return lambda name: np.nan_to_num(changes.wait[name]["value"], nan=np.inf)


def _decision_about(changes, verdict, name, **more):
    gainers = changes.sites_where(name, falls)
    losers = changes.sites_where(name, rises)
    unknown = changes.sites_where(name, has_no_interval)
    return Decision(verdict, name, gainers, losers, unknown, **more)


def _where_alone_is_saturated(changes, served):
    """Return the recommendation if a site is saturated today.

    The list `served` contains the options under which no site is saturated.
    """
    why = changes.today["warning"]
    if not served:
        return Decision(Verdict.ADD_PROCESSORS, why=why)
    name = _fewest_losers(changes, served)
    return _decision_about(changes, Verdict.SERVE, name, why=why)


def _fewest_losers(changes, names):
    """Return the option under which the fewest sites lose.

    If there are several such options, return the one with the shortest mean wait.
    """

    def losers_then_wait(name):
        return len(changes.sites_where(name, rises)), changes.wait[name]["value"]

    return min(names, key=losers_then_wait)


def _best_of(changes, helping):
    """Return the recommendation if at least one option shortens the mean wait of all jobs.

    It is an option without losers, or one that needs the agreement of some sites.
    """
    winners = [
        name
        for name in helping
        if not changes.sites_where(name, rises) and not changes.sites_where(name, has_no_interval)
    ]
    if winners:
        shortest = min(winners, key=lambda name: changes.wait[name]["value"])
        first = next(name for name in winners if not changes.longer(name, shortest))
        return _decision_about(changes, Verdict.TAKE, first, shortest=shortest)
    name = _fewest_losers(changes, helping)
    if changes.sites_where(name, rises):
        return _decision_about(changes, Verdict.ASK_LOSERS, name)
    first_unknown = changes.sites_where(name, has_no_interval)[0]
    why = changes.at[name][first_unknown]["warning"]
    return _decision_about(changes, Verdict.ACCEPT_UNKNOWN, name, why=why)
