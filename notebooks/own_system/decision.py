"""The choice of the option to recommend; the module `answer` puts the choice into words."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

import numpy as np
import pandas as pd

from coalloc_lib.statistics.site_comparison import ALL
from own_system.options import ALONE

#: The smallest change in the mean wait that users would notice, in seconds.
LEAST_CHANGE = 60.0


class Verdict(Enum):
    """The possible recommendations to the operators of several sites."""

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
    #: The name of the recommended option, or None if nothing should change.
    option: str | None = None
    #: The sites whose mean wait becomes shorter under the recommended option: the 95 % interval of
    #: the change is below 0.
    gainers: tuple[str, ...] = ()
    #: The sites whose mean wait becomes longer under the recommended option: the 95 % interval of
    #: the change is above 0.
    losers: tuple[str, ...] = ()
    #: The sites for which the change in the mean wait has no confidence interval.
    unknown: tuple[str, ...] = ()
    #: The name of the option with the shortest mean wait among all options considered.
    shortest: str | None = None
    #: The reason why no option is recommended, or why the options cannot be compared with the
    #: situation today.
    why: str = ""


class Changes:
    """The change in each metric under each option of the operators, for each group of jobs.

    Parameters
    ----------
    options : DataFrame
        The result of `own_system.comparison.changes`. Options of the kind ``policy`` are
        ordered by how little they change for the operators.
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
        #: The mean wait of all jobs under each option, and how much it differs from today.
        self.wait: dict[str, pd.Series] = {
            name: rows.loc[name, "all", ALL, "mean wait"] for name in policies
        }
        #: The average weighted response time (AWRT) of all jobs under each option, and how much it
        #: differs from today.
        self.awrt: dict[str, pd.Series] = {
            name: rows.loc[name, "all", ALL, "AWRT"] for name in policies
        }
        #: The mean wait of the jobs of each site under each option, and how much it differs from
        #: today.
        self.at: dict[str, Mapping[str, pd.Series]] = {
            name: {site: rows.loc[name, "site", site, "mean wait"] for site in self.sites}
            for name in policies
        }
        self.pairs = pairs

    def sites_where(self, option: str, holds: Callable[[pd.Series], bool]) -> tuple[str, ...]:
        """Return the sites where the change in the mean wait under an option satisfies a condition.

        The condition on the change is the function `holds`, such as `rises`.
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
    """Return whether a metric surely rises: the 95 % interval of its change is above 0."""
    return not change["warning"] and change["change_low"] > 0


def falls(change: pd.Series) -> bool:
    """Return whether a metric surely falls: the 95 % interval of its change is below 0."""
    return not change["warning"] and change["change_high"] < 0


def has_no_interval(change: pd.Series) -> bool:
    """Return whether the change in a metric has no confidence interval."""
    return bool(change["warning"])


def decide(changes: Changes, missed: Mapping[str, str] | None = None) -> Decision:
    """Decide which option to recommend to the operators of several sites.

    Parameters
    ----------
    changes : Changes
        The changes under each option.
    missed : dict of str to str, optional
        A text for each site whose recorded waits the model does not reproduce.

    Returns
    -------
    Decision
        The decision.

    Notes
    -----
    If the model does not reproduce the waits of a site, the verdict is `Verdict.MODEL_FAILS`, also
    where the model would advise to change nothing or to add processors. Then the field ``shortest``
    names the option that the model prefers, if there is one. Only the verdict
    `Verdict.NOTHING_SURE` remains, because it does not depend on the model.

    A metric falls if the whole 95 % interval of its change is below 0, and rises if the whole
    interval is above 0. An option helps if the mean wait of all jobs falls by `LEAST_CHANGE` or
    more, no site is saturated, and the AWRT of all jobs does not rise. An option wins if, in
    addition, the change at every site has an interval and the mean wait rises at no site.

    The best winner is the winner with the shortest mean wait. The first winner whose mean wait is
    not significantly longer than that of the best winner is recommended.

    If a site is saturated while the sites stay alone, the change over all jobs is not known. In
    this case, the option under which the fewest other sites lose is recommended.
    """
    decision = _decided(changes)
    if not missed or decision.verdict is Verdict.NOTHING_SURE:
        return decision
    why = "; ".join(f"at {site}, {how}" for site, how in missed.items())
    return Decision(Verdict.MODEL_FAILS, shortest=decision.option or decision.shortest, why=why)


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
    return falls(changes.wait[name]) and not rises(changes.awrt[name])


def _wait_under(changes):
    return lambda name: np.nan_to_num(changes.wait[name]["value"], nan=np.inf)


def _decision_about(changes, verdict, name, **more):
    gainers = changes.sites_where(name, falls)
    losers = changes.sites_where(name, rises)
    unknown = changes.sites_where(name, has_no_interval)
    return Decision(verdict, name, gainers, losers, unknown, **more)


def _where_alone_is_saturated(changes, served):
    why = changes.today["warning"]
    if not served:
        return Decision(Verdict.ADD_PROCESSORS, why=why)
    name = _fewest_losers(changes, served)
    return _decision_about(changes, Verdict.SERVE, name, why=why)


def _fewest_losers(changes, names):
    # Among options with the same number of losing sites, the option with the shortest mean wait is
    # chosen.
    def losers_then_wait(name):
        return len(changes.sites_where(name, rises)), changes.wait[name]["value"]

    return min(names, key=losers_then_wait)


def _best_of(changes, helping):
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
